"""Propagation: against whole matrices, its outcomes, gaps and clocks."""

from __future__ import annotations

import numpy as np
import pytest
from dense import Dense, assert_same, full_covariance, random_dense, start
from scipy.spatial.transform import Rotation

from boresight import frames
from boresight.errors import FrameError
from boresight.navigation import AltitudeNoise, Config, Eskf, Propagation

NANO = 1_000_000_000
REST = ([0.0, 0.0, 0.0], [0.0, 0.0, -9.80665])


def at_rest(config=None, *, time=0):
    zero = np.zeros(3)
    variance = np.diag([*np.repeat([1.0, 0.01, 4e-4, 0.04, 1e-4], 3), 0.0])
    return start(Dense(zero, zero, Rotation.identity(), zero, zero, variance, config or Config()), time)


@pytest.mark.parametrize("seed", range(8))
def test_a_step_is_that_of_whole_matrices(seed):
    dense = random_dense(seed)
    eskf = start(dense)
    rng = np.random.default_rng(seed)
    for step in range(5):
        angle, velocity = rng.standard_normal(3) * 0.3, rng.standard_normal(3)
        # The increments' own intervals, and neither is the step.
        outcome = eskf.predict((step + 1) * 10_000_000, angle, 0.009, velocity, 0.011, frame=frames.FRD)
        assert outcome is Propagation.PROPAGATED
        dense = dense.predict(angle, 0.009, velocity, 0.011)
        assert_same(eskf, dense)


def test_the_offset_of_the_barometer_is_carried_along():
    dense = random_dense(3)
    eskf = start(dense)
    eskf.set_baro_reference(100.0, AltitudeNoise.from_sigma(2.0))
    dense.covariance[15, 15] = 4.0
    eskf.fuse_baro_altitude(0, 100.0 - dense.position[2], AltitudeNoise.from_sigma(1.0))  # correlates it
    dense.covariance = full_covariance(eskf)
    dense.position, dense.velocity = eskf.position, eskf.velocity
    dense.attitude = dense.attitude.from_quat(eskf.attitude.body_to_ned(order="xyzw"))
    dense.accel_bias, dense.gyro_bias = eskf.accel_bias, eskf.gyro_bias
    assert abs(dense.covariance[2, 15]) > 0.01
    eskf.predict(10_000_000, [0.1, 0.2, 0.3], 0.01, [0.1, 0.2, -0.1], 0.01, frame=frames.FRD)
    assert_same(eskf, dense.predict(np.array([0.1, 0.2, 0.3]), 0.01, np.array([0.1, 0.2, -0.1]), 0.01))


def test_rates_are_increments_over_their_interval():
    one, two = start(random_dense(1)), start(random_dense(1))
    one.predict(5_000_000, [0.01, -0.02, 0.03], 0.005, [0.1, 0.2, -0.05], 0.005, frame=frames.FRD)
    two.predict_rates(5_000_000, [2.0, -4.0, 6.0], [20.0, 40.0, -10.0], 0.005, frame=frames.FRD)
    np.testing.assert_allclose(one.state.velocity, two.state.velocity, rtol=1e-14)
    np.testing.assert_allclose(one.covariance, two.covariance, rtol=1e-12)


@pytest.mark.parametrize(
    "frame", [frames.FLU, frames.dynamic("imu_body", axes="FLU"), frames.RDF, frames.FRU]
)
def test_other_body_axes_are_changed(frame):
    one, two = start(random_dense(2)), start(random_dense(2))
    rate, force = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, -9.0])
    axes = frame.axes.letters if hasattr(frame.axes, "letters") else str(frame.axes)
    unit = {"F": [1, 0, 0], "R": [0, 1, 0], "D": [0, 0, 1], "B": [-1, 0, 0], "L": [0, -1, 0], "U": [0, 0, -1]}
    m = np.array([unit[letter] for letter in axes], dtype=float)
    axial = m @ rate * (1 if frame is not frames.FRU else -1)
    one.predict_rates(10_000_000, rate, force, 0.01, frame=frames.FRD)
    two.predict_rates(10_000_000, axial, m @ force, 0.01, frame=frame)
    np.testing.assert_allclose(two.state.velocity, one.state.velocity, rtol=1e-13)
    assert np.abs((two.attitude.rotation.inv() @ one.attitude.rotation).angle()) < 1e-14
    three = start(random_dense(2))
    three.predict(10_000_000, axial * 0.01, 0.01, m @ force * 0.01, 0.01, frame=frame)
    np.testing.assert_allclose(three.state.velocity, one.state.velocity, rtol=1e-13)


def test_a_frame_of_another_kind_is_an_error():
    eskf = at_rest()
    with pytest.raises(FrameError, match="NED"):
        eskf.predict_rates(1, *REST, 0.01, frame=frames.NED)
    with pytest.raises(TypeError, match="frame"):
        eskf.predict_rates(1, *REST, 0.01)


def test_vectors_come_as_lists_tuples_and_arrays_of_any_type():
    want = None
    for rate, force in (
        ([0.5, 0, -0.25], [1, 2, -9]),
        ((0.5, 0.0, -0.25), (1.0, 2.0, -9.0)),
        (np.array([0.5, 0, -0.25]), np.array([1.0, 2, -9])),
        (np.array([0.5, 0, -0.25], dtype=np.float32), np.array([1, 2, -9])),
        (np.array([0.5, 9, 0, 9, -0.25, 9])[::2], np.array([[1.0, 2, -9]], dtype=">f8")[0]),
    ):
        eskf = at_rest()
        assert eskf.predict_rates(np.int64(10_000_000), rate, force, np.float64(0.01), frame=frames.FRD).moved
        want = eskf.velocity if want is None else want
        np.testing.assert_array_equal(eskf.velocity, want)


def test_what_is_no_vector_is_an_error_of_the_call():
    eskf = at_rest()
    with pytest.raises(ValueError, match="three"):
        eskf.predict_rates(1, [1.0, 2.0], REST[1], 0.01, frame=frames.FRD)
    with pytest.raises(ValueError, match="three"):
        eskf.predict_rates(1, np.zeros((3, 1)), REST[1], 0.01, frame=frames.FRD)
    with pytest.raises(TypeError):
        eskf.predict_rates(1.5, *REST, 0.01, frame=frames.FRD)


# ---- outcomes ------------------------------------------------------------------------------


def test_before_a_start_there_is_nothing_to_propagate():
    eskf = Eskf()
    assert eskf.predict_rates(1, *REST, 0.01, frame=frames.FRD) is Propagation.NOT_INITIALIZED
    assert eskf.diagnostics.propagation.not_initialized == 1
    assert repr(eskf) == "Eskf(not started)"


@pytest.mark.parametrize("dt", [0, -1, -5 * NANO])
def test_a_time_that_does_not_follow_moves_nothing(dt):
    eskf = at_rest(time=10 * NANO)
    before = eskf.covariance
    outcome = eskf.predict_rates(10 * NANO + dt, *REST, 0.01, frame=frames.FRD)
    assert outcome.kind is Propagation.INVALID_STEP
    assert outcome.dt == pytest.approx(dt * 1e-9)
    np.testing.assert_array_equal(eskf.covariance, before)
    # It goes on as if nothing had been.
    assert eskf.predict_rates(10 * NANO + 10_000_000, *REST, 0.01, frame=frames.FRD).moved
    assert eskf.diagnostics.propagation.invalid_step == 1


@pytest.mark.parametrize("interval", [0.0, -0.01, 1e-7, 0.11, 5.0])
@pytest.mark.parametrize("which", [0, 1])
def test_an_interval_out_of_bounds_is_refused(interval, which):
    eskf = at_rest()
    intervals = [0.01, 0.01]
    intervals[which] = interval
    before = eskf.covariance
    outcome = eskf.predict(10_000_000, [0, 0, 0], intervals[0], [0, 0, -0.1], intervals[1], frame=frames.FRD)
    assert outcome == Propagation("INVALID_INTERVAL", interval=interval)
    np.testing.assert_array_equal(eskf.covariance, before)
    assert eskf.diagnostics.propagation.invalid_interval == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(8))
def test_a_number_that_is_not_finite_is_refused(bad, place):
    eskf = at_rest()
    numbers = np.array([0, 0, 0, 0.01, 0, 0, -0.098, 0.01])
    numbers[place] = bad
    before = eskf.state, eskf.covariance
    outcome = eskf.predict(10_000_000, numbers[:3], numbers[3], numbers[4:7], numbers[7], frame=frames.FRD)
    assert outcome is Propagation.NOT_FINITE
    np.testing.assert_array_equal(eskf.covariance, before[1])
    np.testing.assert_array_equal(eskf.velocity, before[0].velocity)
    assert eskf.diagnostics.propagation.not_finite == 1
    assert eskf.predict_rates(20_000_000, *REST, 0.01, frame=frames.FRD) is Propagation.PROPAGATED


@pytest.mark.parametrize("size", [1e9, 1e150, 1e300, 1.7e308])
def test_a_state_that_would_overflow_is_discarded(size):
    eskf = at_rest()
    for step in range(1, 5):
        outcome = eskf.predict_rates(step * 10_000_000, [0, 0, 0], [size, size, size], 0.01, frame=frames.FRD)
        assert outcome is Propagation.STATE_NOT_FINITE
    np.testing.assert_array_equal(eskf.velocity, 0.0)
    assert eskf.diagnostics.propagation.state_not_finite == 4
    assert eskf.predict_rates(50_000_000, *REST, 0.01, frame=frames.FRD) is Propagation.PROPAGATED


# ---- gaps ----------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.11, 0.5, 2.0, 10.0, 30.0])
def test_a_gap_is_coasted_across(gap):
    dense = random_dense(5)
    eskf = start(dense)
    outcome = eskf.predict_rates(round(gap * NANO), [3.0, 3.0, 3.0], [50.0, 0.0, 0.0], 0.01, frame=frames.FRD)
    assert outcome.kind is Propagation.COASTED
    assert outcome.dt == pytest.approx(gap)
    assert_same(eskf, dense.coast(gap))
    assert eskf.diagnostics.propagation.coasted == 1
    assert eskf.diagnostics.propagation.longest_gap == pytest.approx(gap)


def test_without_coasting_a_gap_is_refused_and_time_goes_on():
    config = Config(coast=None)
    eskf = at_rest(config)
    before = eskf.covariance
    outcome = eskf.predict_rates(NANO, *REST, 0.01, frame=frames.FRD)
    assert outcome == Propagation("STEP_TOO_LONG", dt=1.0, limit=0.1)
    np.testing.assert_array_equal(eskf.covariance, before)
    assert eskf.predict_rates(NANO + 10_000_000, *REST, 0.01, frame=frames.FRD) is Propagation.PROPAGATED


def test_refused_samples_leave_a_gap_that_is_coasted_across():
    eskf = at_rest()
    for step in range(1, 30):
        eskf.predict_rates(step * 10_000_000, [np.nan] * 3, REST[1], 0.01, frame=frames.FRD)
    outcome = eskf.predict_rates(300_000_000, *REST, 0.01, frame=frames.FRD)
    assert outcome.kind is Propagation.COASTED
    assert outcome.dt == pytest.approx(0.3)


def test_one_time_far_ahead_does_not_carry_the_clock_away():
    eskf = at_rest()
    eskf.predict_rates(10_000_000, *REST, 0.01, frame=frames.FRD)
    outcome = eskf.predict_rates(10_000 * NANO, *REST, 0.01, frame=frames.FRD)
    assert outcome.kind is Propagation.STEP_TOO_LONG
    assert outcome.limit == 60.0
    assert eskf.predict_rates(20_000_000, *REST, 0.01, frame=frames.FRD) is Propagation.PROPAGATED
    assert eskf.diagnostics.propagation.step_too_long == 1


def test_a_clock_that_stays_ahead_is_followed_from_the_second_sample():
    eskf = at_rest()
    names = [
        eskf.predict_rates(10_000 * NANO + k * 10_000_000, *REST, 0.01, frame=frames.FRD).name
        for k in range(4)
    ]
    assert names == ["STEP_TOO_LONG", "COASTED", "PROPAGATED", "PROPAGATED"]
    assert eskf.time == 10_000 * NANO + 30_000_000


def test_a_clock_set_back_is_refused_until_it_has_caught_up():
    eskf = at_rest(time=5 * NANO)
    names = [
        eskf.predict_rates(4 * NANO + k * 100_000_000, *REST, 0.01, frame=frames.FRD).name for k in range(13)
    ]
    assert names == ["INVALID_STEP"] * 11 + ["PROPAGATED"] * 2


@pytest.mark.parametrize("time", [2**63 - 1, -(2**63)])
def test_the_ends_of_time_are_no_exception(time):
    eskf = at_rest()
    assert not eskf.predict_rates(time, *REST, 0.01, frame=frames.FRD).moved
    assert eskf.state.is_finite


# ---- many steps ----------------------------------------------------------------------------


def test_standing_still_gains_nothing():
    eskf = at_rest()
    for step in range(1, 2001):
        eskf.predict_rates(step * 5_000_000, *REST, 0.005, frame=frames.FRD)
    np.testing.assert_allclose(eskf.velocity, 0.0, atol=1e-10)


def test_a_turn_of_many_steps_is_the_turn():
    eskf = at_rest()
    for step in range(1, 1001):
        eskf.predict_rates(step * 1_000_000, [0.0, 0.0, np.pi], [0.0, 0.0, -9.80665], 0.001, frame=frames.FRD)
    assert eskf.attitude.euler_angles()[2] == pytest.approx(np.pi, abs=1e-9) or eskf.attitude.euler_angles()[
        2
    ] == pytest.approx(-np.pi, abs=1e-9)
    norm = np.linalg.norm(eskf._native.state()[6:10])
    assert norm == pytest.approx(1.0, abs=1e-15)


def test_dense_agrees_with_itself():
    """The reference's own F is the derivative of its own step: differences of it say so."""
    dense = random_dense(7)
    angle, velocity, dt = np.array([0.2, -0.1, 0.3]), np.array([0.1, 0.4, -0.2]), 0.01
    base = dense.predict(angle, dt, velocity, dt)
    turn, push = angle - dense.gyro_bias * dt, velocity - dense.accel_bias * dt
    f = dense.transition(turn, dt, push, dt)

    def moved(error):
        other = Dense(
            dense.position + error[0:3],
            dense.velocity + error[3:6],
            dense.attitude * Rotation.from_rotvec(error[6:9]),
            dense.accel_bias + error[9:12],
            dense.gyro_bias + error[12:15],
            dense.covariance,
        ).predict(angle, dt, velocity, dt)
        return np.concatenate(
            [
                other.position - base.position,
                other.velocity - base.velocity,
                (base.attitude.inv() * other.attitude).as_rotvec(),
                other.accel_bias - base.accel_bias,
                other.gyro_bias - base.gyro_bias,
            ]
        )

    for i in range(15):
        step = np.zeros(15)
        step[i] = 1e-6
        slope = (moved(step) - moved(-step)) / 2e-6
        # (20) leaves out what is of second order in the interval: position by attitude and bias, attitude by bias.
        np.testing.assert_allclose(slope, f[:15, i], atol=2e-3 if i >= 6 else 1e-8)
