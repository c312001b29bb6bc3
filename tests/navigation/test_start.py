"""Starts: what a window shows, what is made of it, and what is refused by name."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from boresight import Attitude, frames, kernels, navigation
from boresight.errors import DataError, FrameError
from boresight.navigation import (
    Alignment,
    Config,
    Eskf,
    InitError,
    Initialization,
    InitializationError,
    NotStationary,
    SampleRefusal,
    Start,
    State,
    StaticWindow,
    WindowTooShort,
)
from boresight.navigation.framed import body_axial, body_polar
from boresight.navigation.start import FLOORS, initialize, initialize_coarse, initialize_from

Array = NDArray[np.float64]
STEP = 5_000_000  # ns
LASTING = STEP * 1e-9
FRD, FLU, NED = frames.FRD, frames.FLU, frames.NED
UP = np.array([0.0, 0.0, -9.80665])
ANY_YAW = np.pi / np.sqrt(3.0)
DIP = np.radians(60.0)
FIELD = (0.2, 0.0, 0.2 * np.tan(DIP))  # NED


def quaternion(roll: float, pitch: float, yaw: float) -> Array:
    return np.asarray(kernels.from_euler("ZYX", np.array([yaw, pitch, roll]), degrees=False))


def at_rest(
    seconds: float = 2.0,
    q: Array | None = None,
    *,
    rate: Any = (0.0, 0.0, 0.0),
    noise: float = 0.0,
    field: Any = FIELD,
    seed: int = 1,
) -> StaticWindow:
    """A window at rest with this attitude; the field is NED."""
    q = quaternion(0.0, 0.0, 0.0) if q is None else q
    rng = np.random.default_rng(seed)
    n = round(seconds / (STEP * 1e-9))
    window = StaticWindow()
    time = STEP * np.arange(1, n + 1)
    force = kernels.rotate_inverse(q, UP) + noise * rng.standard_normal((n, 3))
    window.extend_imu(
        time,
        np.asarray(rate) + 0.1 * noise * rng.standard_normal((n, 3)),
        force,
        interval=np.full(n, LASTING),
        frame=FRD,
    )
    if field is not None:
        rows = np.tile(kernels.rotate_inverse(q, np.asarray(field)), (20, 1))
        window.add_magnetic_field(
            time[:: max(n // 20, 1)][:20], rows[: len(time[:: max(n // 20, 1)][:20])], frame=FRD
        )
    return window


ANGLES = st.tuples(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1))


@given(ANGLES, st.floats(-0.5, 0.5))
def test_attitude_from_gravity_and_field(angles: tuple[float, float, float], declination: float) -> None:
    q = quaternion(*angles)
    turned = kernels.rotate(quaternion(0.0, 0.0, declination), np.array([0.2, 0.0, 0.3]))
    start = initialize(at_rest(q=q, field=turned), Config(declination=declination))
    assert start.alignment is Alignment.STATIC
    assert start.state.attitude.euler_angles() == pytest.approx(np.array(angles), abs=1e-7)
    assert start.heading_established and not start.heading_magnetic


def test_what_a_static_start_establishes() -> None:
    window = at_rest()
    window.add_altitude(100.0 + np.array([0.1, -0.1, 0.1, -0.1]))
    start = initialize(window)
    assert start.position_established and start.velocity_established and start.heading_established
    assert start.heading_magnetic and start.clear_origin
    assert start.time == 400 * STEP
    assert start.baro_reference == pytest.approx((100.0, 0.04 / 3.0 / 4.0))
    for part in (start.state.position, start.state.velocity, start.state.accel_bias):
        assert not part.any()


def test_without_a_field_the_yaw_is_anything() -> None:
    start = initialize(at_rest(field=None, q=quaternion(0.1, -0.2, 1.0)))
    assert start.alignment.is_static and not start.heading_established
    assert start.state.attitude.euler_angles()[2] == pytest.approx(0.0, abs=1e-12)
    assert along(start, [0.0, 0.0, 1.0]) == pytest.approx(ANY_YAW**2)
    vertical = initialize(at_rest(field=(0.001, 0.0, 0.4)))
    assert not vertical.heading_established and along(vertical, [0.0, 0.0, 1.0]) == pytest.approx(ANY_YAW**2)


def along(start: Start, axis: Any) -> float:
    """Variance of the attitude about an axis of the earth."""
    body = start.state.attitude.rotation.as_matrix().T @ np.asarray(axis)
    return float(body @ start.covariance[6:9, 6:9] @ body)


def test_the_covariance_of_a_static_start() -> None:
    config = Config(initialization=Initialization(accel_bias=0.05, gyro_bias=0.01))
    start = initialize(at_rest(q=quaternion(0.3, -0.2, 1.0), noise=0.02), config)
    own, gravity = config.initialization, config.gravity
    assert np.diagonal(start.covariance)[:6] == pytest.approx([own.position**2] * 3 + [own.velocity**2] * 3)
    from_bias = (own.accel_bias / gravity) ** 2
    for axis in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]):
        assert along(start, axis) == pytest.approx(from_bias + own.tilt**2 - from_bias)
    assert along(start, [0.0, 0.0, 1.0]) == pytest.approx(own.yaw**2)
    assert np.linalg.eigvalsh(start.covariance).min() > 0.0
    # What the bias does to the tilt, by numbers: with it the levelled attitude errs by exactly so much.
    bias = np.array([0.01, -0.02, 0.005])
    down = kernels.rotate_inverse(start.state.attitude.body_to_ned(order="xyzw"), np.array([0.0, 0.0, 1.0]))
    block = start.covariance[6:9, 9:12] / own.accel_bias**2
    biased = StaticWindow()
    biased.add_imu(STEP, np.zeros(3), -gravity * down + bias, interval=LASTING, frame=FRD)
    wrong = initialize(biased).state.attitude
    level = StaticWindow()
    level.add_imu(STEP, np.zeros(3), -gravity * down, interval=LASTING, frame=FRD)
    right = initialize(level).state.attitude
    error = (wrong.rotation.inv() @ right.rotation).as_rotvec()
    across = error - down * (down @ error)
    assert block @ bias == pytest.approx(across, abs=2e-6)


def test_the_tilt_is_no_better_than_the_bias_lets_it() -> None:
    config = Config(initialization=Initialization(accel_bias=0.5))
    start = initialize(at_rest(noise=0.05), config)
    from_bias = (0.5 / config.gravity) ** 2
    assert along(start, [1.0, 0.0, 0.0]) == pytest.approx(from_bias, rel=1e-2)
    assert along(start, [1.0, 0.0, 0.0]) > from_bias
    assert np.linalg.eigvalsh(start.covariance).min() > 0.0


def test_ideal_samples_leave_the_covariance_positive_definite() -> None:
    start = initialize(at_rest(noise=0.0))
    assert np.linalg.eigvalsh(start.covariance).min() > 1e-12


def test_the_gyros_bias_is_the_mean_weighed_against_the_prior() -> None:
    rate = np.array([0.01, -0.02, 0.005])
    start = initialize(at_rest(rate=rate, noise=0.02))
    assert start.state.gyro_bias == pytest.approx(rate, abs=1e-3)
    summary = at_rest(rate=rate, noise=0.02).summary(9.80665)
    assert summary is not None
    gain = start.state.gyro_bias / summary.rate
    assert (gain < 1.0).all() and (gain > 0.9).all()
    sigma = np.sqrt(np.diagonal(start.covariance)[12:15])
    assert (sigma > 7.292e-5).all() and (sigma < 2e-3).all()
    # Noise shows in the blocks: with ten times of it the mean is believed less.
    loud = initialize(at_rest(rate=rate, noise=0.2))
    assert np.diagonal(loud.covariance)[12:15].mean() > 20.0 * np.diagonal(start.covariance)[12:15].mean()


def test_the_variance_of_the_mean_rate_holds() -> None:
    """Over many windows of white noise, the mean rate scatters as each window says of itself."""
    means, said = [], []
    for seed in range(300):
        summary = at_rest(noise=0.2, field=None, seed=seed).summary(9.80665)
        assert summary is not None
        means.append(summary.rate)
        said.append(summary.rate_variance(0.015))
    ratio = np.var(means, axis=0).mean() / np.mean(said)
    assert 0.8 < ratio < 1.15  # the factor (J - 1) / (J - 3) is on the safe side


def test_few_blocks_take_the_configured_density() -> None:
    summary = at_rest(0.15, field=None).summary(9.80665)
    assert summary is not None and len(summary.blocks[1]) == 3
    assert summary.rate_variance(0.015) == pytest.approx(0.015**2 / 0.15)


# -- coarse -----------------------------------------------------------------------------------------------------------


def test_a_short_window_is_coarse_and_still_at_rest() -> None:
    start = initialize(at_rest(1.0))
    assert start.alignment.reason == WindowTooShort(2.0, pytest.approx(1.0))  # type: ignore[arg-type]
    assert start.position_established and start.heading_established
    assert str(start.alignment) == "COARSE(1 s at rest where 2 s are needed)"


def test_motion_is_coarse_with_its_peaks() -> None:
    start = initialize(at_rest(rate=(0.0, 0.0, 0.4)))
    reason = start.alignment.reason
    assert isinstance(reason, NotStationary)
    assert (reason.peak_gyro, reason.span) == (pytest.approx(0.4), pytest.approx(2.0))
    assert not (start.position_established or start.velocity_established or start.heading_established)
    assert not start.state.gyro_bias.any() and start.baro_reference is None and not start.clear_origin
    assert along(start, [0.0, 0.0, 1.0]) == pytest.approx(0.8**2)  # turned by 0.8 rad about down
    rolling = initialize(at_rest(rate=(0.4, 0.0, 0.0)))
    assert along(rolling, [1.0, 0.0, 0.0]) == pytest.approx(0.8**2)
    # The tilt spoils the yaw through the dip of the field.
    assert along(rolling, [0.0, 0.0, 1.0]) == pytest.approx(min(np.tan(DIP) * 0.8, ANY_YAW) ** 2)


def test_acceleration_is_coarse_and_shows_in_the_tilt() -> None:
    window = StaticWindow()
    n = 400
    force = np.tile([8.0, 0.0, -9.80665], (n, 1))
    window.extend_imu(
        STEP * np.arange(1, n + 1), np.zeros((n, 3)), force, interval=np.full(n, LASTING), frame=FRD
    )
    start = initialize(window)
    off = np.hypot(8.0, 9.80665) - 9.80665
    reason = start.alignment.reason
    assert isinstance(reason, NotStationary) and reason.peak_accel_deviation == pytest.approx(off)
    assert along(start, [1.0, 0.0, 0.0]) == pytest.approx((off / 9.80665) ** 2)


def test_a_field_that_turns_between_the_halves_shows_in_the_yaw() -> None:
    window = at_rest(1.0, field=None)
    time = STEP * np.arange(1, 201)
    rows = np.where((time < time[100])[:, None], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0])
    window.add_magnetic_field(time, rows, frame=FRD)
    start = initialize(window)
    assert along(start, [0.0, 0.0, 1.0]) == pytest.approx((np.pi / 2) ** 2, rel=1e-3)


def test_a_steady_speed_is_no_rest() -> None:
    window = at_rest()
    window.add_velocity(STEP, [0.0, 30.0, 0.0], frame=frames.NED)
    start = initialize(window)
    reason = start.alignment.reason
    assert isinstance(reason, NotStationary) and reason.peak_speed == pytest.approx(30.0)
    assert not start.velocity_established
    slow = at_rest()
    slow.add_velocity([STEP, 2 * STEP], [[0.0, 0.3, 0.0], [0.1, 0.0, 0.0]], frame=frames.NED)
    assert initialize(slow).alignment.is_static


def test_acceleration_that_the_velocities_show_counts_as_tilt() -> None:
    window = at_rest()
    window.add_velocity([0, 2_000_000_000], [[10.0, 0.0, 0.0], [13.0, 0.0, 0.0]], frame=frames.NED)
    assert along(initialize(window), [1.0, 0.0, 0.0]) == pytest.approx((1.5 / 9.80665) ** 2)


def test_a_single_sample() -> None:
    start = initialize_coarse(7, [0.0, 0.0, 0.0], [0.0, 0.0, 9.80665], frame=frames.FLU)
    assert start.time == 7 and not start.alignment.is_static
    assert start.state.attitude.euler_angles() == pytest.approx(np.zeros(3))
    assert not (start.position_established or start.velocity_established or start.heading_established)
    falling = initialize_coarse(7, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], frame=FRD)
    assert falling.state.attitude == Attitude.level()
    assert along(falling, [1.0, 0.0, 0.0]) >= 1.0


# -- refused ----------------------------------------------------------------------------------------------------------


def test_no_samples() -> None:
    with pytest.raises(InitializationError) as caught:
        initialize(StaticWindow())
    assert caught.value.reason is InitError.NO_SAMPLES
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rate": [np.nan, 0.0, 0.0]}, SampleRefusal.NOT_FINITE),
        ({"specific_force": [0.0, np.inf, 0.0]}, SampleRefusal.NOT_FINITE),
        ({"interval": 0.0}, SampleRefusal.INVALID_INTERVAL),
        ({"interval": -5.0}, SampleRefusal.INVALID_INTERVAL),
        ({"interval": np.nan}, SampleRefusal.INVALID_INTERVAL),
        ({"interval": np.inf}, SampleRefusal.INVALID_INTERVAL),
        ({"time": STEP}, SampleRefusal.INVALID_STEP),
        ({"time": 0}, SampleRefusal.INVALID_STEP),
    ],
)
def test_samples_are_refused_by_name_and_leave_the_window_alone(
    change: dict[str, Any], reason: SampleRefusal
) -> None:
    window = StaticWindow()
    sample: dict[str, Any] = {
        "time": STEP,
        "rate": [0.0, 0.0, 0.0],
        "specific_force": [0.0, 0.0, -9.8],
        "interval": LASTING,
        "frame": FRD,
    }
    assert window.add_imu(**sample) is None
    assert window.add_imu(**{**sample, "time": 2 * STEP, **change}) is reason
    assert len(window) == 1 and window.refused == {reason: 1}
    assert window.add_imu(**{**sample, "time": 3 * STEP}) is None


def test_a_window_of_refused_samples_says_why() -> None:
    window = StaticWindow()
    window.add_imu(1, [np.nan] * 3, [0.0] * 3, interval=1.0, frame=FRD)
    with pytest.raises(InitializationError) as caught:
        initialize(window)
    assert caught.value.reason is InitError.NOT_FINITE
    with pytest.raises(InitializationError) as caught:
        initialize_coarse(1, [np.inf, 0.0, 0.0], [0.0] * 3, frame=FRD)
    assert caught.value.reason is InitError.NOT_FINITE
    with pytest.raises(InitializationError) as caught:
        initialize_coarse(1, [0.0] * 3, [0.0] * 3, interval=-1.0, frame=FRD)
    assert caught.value.reason is InitError.INVALID_INTERVAL


@settings(max_examples=50)
@given(st.lists(st.integers(-3, 12), min_size=1, max_size=30), st.data())
def test_arrays_and_single_samples_fold_alike(times: list[int], data: st.DataObject) -> None:
    n = len(times)
    bad = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    rate = np.arange(3.0 * n).reshape(n, 3)
    rate[np.array(bad)] = np.nan
    force = rate + 1.0
    interval = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    one, many = StaticWindow(), StaticWindow()
    for i in range(n):
        one.add_imu(times[i], rate[i], force[i], interval=interval[i], frame=FRD)
    many.extend_imu(times, rate, force, interval=interval, frame=FRD)
    assert one.refused == many.refused and len(one) == len(many)
    first, second = one.summary(9.8), many.summary(9.8)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.rate == pytest.approx(second.rate) and first.time == second.time


def test_integrals_are_taken_as_such() -> None:
    window = StaticWindow()
    window.add_imu_delta(STEP, [0.001, 0.0, 0.0], LASTING, [0.0, 0.0, -0.098], 0.01, frame=FRD)
    summary = window.summary(9.8)
    assert summary is not None
    assert summary.rate == pytest.approx([0.2, 0.0, 0.0])
    assert summary.force == pytest.approx([0.0, 0.0, -9.8])


def test_without_an_interval_it_is_the_time_since_the_sample_before() -> None:
    window = StaticWindow()
    for i in range(3):
        window.add_imu(i * STEP, [0.1, 0.0, 0.0], [0.0, 0.0, -9.8], frame=FRD)
    summary = window.summary(9.8)
    assert len(window) == 2 and summary is not None and summary.span == pytest.approx(0.01)


def test_frames() -> None:
    window = StaticWindow()
    window.add_imu(STEP, [0.0, 0.2, 0.0], [0.0, 0.0, 9.8], interval=LASTING, frame=frames.FLU)
    summary = window.summary(9.8)
    assert summary is not None and summary.rate == pytest.approx([0.0, -0.2, 0.0])
    with pytest.raises(FrameError):
        window.add_imu(2 * STEP, [0.0] * 3, [0.0] * 3, interval=LASTING, frame=frames.ENU)
    with pytest.raises(FrameError):
        window.add_velocity(0, [0.0] * 3, frame=frames.FRD)


# -- from a known state -----------------------------------------------------------------------------------------------


def test_a_known_state_is_trusted() -> None:
    covariance = np.diag(np.full(15, 0.5))
    covariance[0, 5] = 0.2
    start = initialize_from(State(Attitude.level()), covariance, 9)
    assert start.alignment is Alignment.SEEDED
    assert start.position_established and start.velocity_established and start.heading_established
    assert start.covariance[0, 5] == start.covariance[5, 0] == 0.1


@pytest.mark.parametrize("entry", range(15))
def test_a_variance_below_its_floor_is_refused(entry: int) -> None:
    variances = FLOORS.copy()
    initialize_from(State(Attitude.level()), variances, 0)
    variances[entry] *= 1.0 - 1e-12
    with pytest.raises(InitializationError) as caught:
        initialize_from(State(Attitude.level()), variances, 0)
    assert caught.value.reason is InitError.INVALID_VARIANCE


@pytest.mark.parametrize("q", [[0.0] * 4, [np.nan, 0.0, 0.0, 1.0], [np.inf, 0.0, 0.0, 1.0]])
def test_an_attitude_that_is_none_is_refused(q: list[float]) -> None:
    with pytest.raises(InitializationError) as caught:
        initialize_from(State(Attitude.from_body_to_ned(q, order="xyzw")), np.ones(15), 0)
    assert caught.value.reason is InitError.NOT_FINITE


def test_numbers_that_are_not_finite_are_refused() -> None:
    for name in ("position", "velocity", "accel_bias", "gyro_bias"):
        with pytest.raises(InitializationError, match="state"):
            initialize_from(State(Attitude.level(), **{name: np.array([0.0, np.nan, 0.0])}), np.ones(15), 0)
    covariance = np.eye(15)
    covariance[3, 4] = np.inf
    with pytest.raises(InitializationError, match="covariance"):
        initialize_from(State(Attitude.level()), covariance, 0)


def test_a_state_takes_an_attitude_and_no_quaternion() -> None:
    with pytest.raises(TypeError, match="Attitude"):
        State([1.0, 0.0, 0.0, 0.0])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="one attitude"):
        State(Attitude.from_body_to_ned(np.tile([0.0, 0.0, 0.0, 1.0], (2, 1)), order="xyzw"))
    with pytest.raises(DataError, match="shape"):
        initialize_from(State(Attitude.level()), np.eye(3), 0)


@pytest.mark.parametrize("time", [1.5, 2.0, "3", float("nan"), np.datetime64(5, "ns"), None])
def test_a_time_is_whole_nanoseconds_everywhere(time: Any) -> None:
    window, rest = StaticWindow(), ([0.0, 0.0, 0.0], [0.0, 0.0, -9.8])
    with pytest.raises(TypeError, match="whole nanoseconds"):
        window.add_imu(time, *rest, interval=0.01, frame=FRD)
    with pytest.raises(TypeError, match="whole nanoseconds"):
        window.add_imu_delta(time, rest[0], 0.01, rest[1], 0.01, frame=FRD)
    with pytest.raises(TypeError, match="whole nanoseconds"):
        window.add_magnetic_field(time, [0.2, 0.0, 0.4], frame=FRD)
    with pytest.raises(TypeError, match="whole nanoseconds"):
        window.add_velocity(time, [0.2, 0.0, 0.4], frame=NED)
    with pytest.raises(TypeError, match="whole nanoseconds"):
        initialize_coarse(time, *rest, frame=FRD)
    with pytest.raises(TypeError, match="whole nanoseconds"):
        initialize_from(State(Attitude.level()), np.full(15, 0.01), time)


@pytest.mark.parametrize("time", [2**63, -(2**63) - 1, np.uint64(2**63)])
def test_a_time_beyond_64_bits_is_no_other_time(time: Any) -> None:
    with pytest.raises(OverflowError, match="64 bits"):
        StaticWindow().add_imu(time, [0.0, 0.0, 0.0], [0.0, 0.0, -9.8], interval=0.01, frame=FRD)
    with pytest.raises(OverflowError, match="64 bits"):
        initialize_from(State(Attitude.level()), np.full(15, 0.01), time)


@pytest.mark.parametrize("frame", [FRD, FLU])
def test_a_vector_of_another_length_is_said_by_its_name(frame: Any) -> None:
    with pytest.raises(ValueError, match="the antenna's place has shape"):
        body_polar([1.0, 2.0], frame, what="the antenna's place")
    with pytest.raises(ValueError, match="the angle increment has shape"):
        body_axial([1.0, 2.0], frame, what="the angle increment")


def test_a_start_is_made_by_the_names_that_the_filters_own_methods_have() -> None:
    window = at_rest()
    filter_ = Eskf()
    filter_.load(navigation.initialize(window, filter_.config))
    other = Eskf()
    other.initialize(window)
    assert (filter_.covariance == other.covariance).all() and filter_.time == other.time
    force = [0.0, 0.0, -9.80665]
    assert not navigation.initialize_coarse(5, [0.0] * 3, force, frame=FRD).position_established
    with pytest.raises(navigation.InitializationError) as caught:
        navigation.initialize_from(State(Attitude.level()), np.zeros(15), 0)
    assert caught.value.reason is navigation.InitError.INVALID_VARIANCE
    assert navigation.predicted_validity(filter_, 0.0) == filter_.predicted_validity(0.0)
    assert set(navigation.__all__) >= {
        "initialize",
        "initialize_coarse",
        "initialize_from",
        "predicted_validity",
    }
