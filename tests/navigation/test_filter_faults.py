"""Whatever comes in: never a crash, never a NaN in the state, every refusal counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense import PLAIN
from drives import GRAVITY, NANO, Drive, coarse, names, seeded
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight import frames
from boresight.kernels.filter import KINDS, MEASUREMENT, run
from boresight.navigation import (
    AltitudeNoise,
    Config,
    Eskf,
    Fusion,
    HeadingNoise,
    PositionNoise,
    Status,
    VelocityNoise,
)


def sound(eskf):
    """The state is finite, the covariance symmetric and positive definite."""
    p = eskf.covariance
    assert eskf.state.is_finite
    assert np.isfinite(p).all()
    assert (p == p.T).all()
    scale = np.sqrt(np.diagonal(p))
    assert np.linalg.eigvalsh(p / np.outer(scale, scale)).min() > 0
    return True


# Every source as a function of a filter, a value for one of its numbers, and which of them that is.
def _position(eskf, v, i):
    z, s, a = _numbers(v, i, 3, 3, 3)
    return eskf.fuse_gnss_position(
        eskf.time,
        z,
        PositionNoise.from_variance(s),
        frame=frames.NED,
        antenna=a,
        antenna_frame=frames.FRD,
    )


def _geodetic(eskf, v, i):
    z, s, a = _numbers(v, i, 3, 3, 3)
    return eskf.fuse_gnss_geodetic(
        eskf.time, *z, PositionNoise.from_variance(s), antenna=a, antenna_frame=frames.FRD
    )


def _velocity(eskf, v, i):
    z, s, a = _numbers(v, i, 3, 3, 3)
    return eskf.fuse_gnss_velocity(
        eskf.time,
        z,
        VelocityNoise.from_variance(s),
        frame=frames.NED,
        antenna=a,
        antenna_frame=frames.FRD,
    )


def _baro(eskf, v, i):
    z, s, _ = _numbers(v, i, 1, 1, 0)
    return eskf.fuse_baro_altitude(eskf.time, z[0], AltitudeNoise.from_variance(s[0]))


def _mag(eskf, v, i):
    z, s, _ = _numbers(v, i, 3, 1, 0)
    return eskf.fuse_mag_heading(eskf.time, z, HeadingNoise.from_variance(s[0]), frame=frames.FRD)


def _heading(eskf, v, i):
    z, s, _ = _numbers(v, i, 1, 1, 0)
    return eskf.fuse_gnss_heading(eskf.time, z[0], HeadingNoise.from_variance(s[0]))


def _course(eskf, v, i):
    _, s, _ = _numbers(v, i, 0, 1, 0)
    return eskf.fuse_course(eskf.time, HeadingNoise.from_variance(s[0]))


def _stationary(eskf, v, i):
    _, s, _ = _numbers(v, i, 0, 3, 0)
    return eskf.fuse_stationary(eskf.time, VelocityNoise.from_variance(s))


def _numbers(v, i, values, variances, arms):
    flat = np.concatenate([np.full(values, 0.5), np.ones(variances), np.full(arms, 0.1)])
    flat[i] = v
    return flat[:values], flat[values : values + variances], flat[values + variances :]


SOURCES = {
    "gnss_position": (_position, 3, 3, 3),
    "gnss_geodetic": (_geodetic, 3, 3, 3),
    "gnss_velocity": (_velocity, 3, 3, 3),
    "baro": (_baro, 1, 1, 0),
    "mag": (_mag, 3, 1, 0),
    "gnss_heading": (_heading, 1, 1, 0),
    "course": (_course, 0, 1, 0),
    "stationary": (_stationary, 0, 3, 0),
}
PLACES = [(name, i) for name, (_, *counts) in SOURCES.items() for i in range(sum(counts))]


def halves(outcome):
    return tuple(outcome) if isinstance(outcome, tuple) else (outcome,)


def record(eskf, name):
    return getattr(eskf.diagnostics, "gnss_position" if name == "gnss_geodetic" else name)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "place"), PLACES)
def test_a_number_that_is_not_finite_is_refused(name, place, bad):
    if name in ("gnss_position", "gnss_geodetic") and place == 2 and np.isnan(bad):
        return  # a fix without height, which has tests of its own
    eskf = seeded()
    before = eskf.covariance, eskf.position
    outcome = SOURCES[name][0](eskf, bad, place)
    assert set(halves(outcome)) == {Fusion.NOT_FINITE}
    assert record(eskf, name).refused == 1
    assert record(eskf, name).last_refusal is Fusion.NOT_FINITE
    np.testing.assert_array_equal(eskf.covariance, before[0])
    np.testing.assert_array_equal(eskf.position, before[1])


@pytest.mark.parametrize("bad", [0.0, -1.0, -1e-300, -0.0])
@pytest.mark.parametrize(
    ("name", "place"),
    [(name, v + i) for name, (_, v, s, _) in SOURCES.items() for i in range(s)],
)
def test_a_variance_that_is_not_positive_is_refused(name, place, bad):
    eskf = seeded()
    before = eskf.covariance
    outcome = SOURCES[name][0](eskf, bad, place)
    assert set(halves(outcome)) == {Fusion.INVALID_NOISE}
    assert record(eskf, name).last_refusal is Fusion.INVALID_NOISE
    np.testing.assert_array_equal(eskf.covariance, before)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e154, 1e300, 1.7e308, 5e-324])
@pytest.mark.parametrize(("name", "place"), PLACES)
def test_numbers_of_any_size_leave_a_sound_filter(name, place, size):
    for eskf in (seeded(), seeded(velocity=[20.0, 0.0, 0.0])):
        for sign in (1, -1):
            for _ in range(3):
                outcome = SOURCES[name][0](eskf, sign * size, place)
                assert all(isinstance(half, Fusion) for half in halves(outcome))
                eskf.predict_rates(eskf.time + NANO // 100, [0, 0, 0], [0, 0, -9.8], 0.01, frame=frames.FRD)
        sound(eskf)


@pytest.mark.parametrize("name", ["gnss_position", "gnss_velocity", "baro"])
def test_what_no_place_or_speed_can_be_is_never_adopted(name):
    eskf = seeded(replace(PLAIN, coast=None))
    drive = Drive(eskf, on=())
    for _ in range(100):
        drive.run(0.1)
        assert set(halves(SOURCES[name][0](eskf, 1e300, 0))) == {Fusion.NOT_FINITE}
    assert np.abs(eskf.position).max() < 1e-6


@pytest.mark.parametrize("name", SOURCES)
def test_before_a_start_nothing_is_fused(name):
    eskf = Eskf()
    assert set(halves(SOURCES[name][0](eskf, 1.0, 0))) == {Fusion.NOT_INITIALIZED}
    assert record(eskf, name).refused == 1


# ---- glitches and broken sensors ---------------------------------------------------------------


@pytest.mark.parametrize("metres", [5.0, 20.0, 100.0, 500.0])
def test_a_gnss_glitch_moves_the_estimate_by_little_or_nothing(metres):
    drive = Drive(seeded(Config(hold=None)), [10.0, 0, 0], on=("position", "velocity"))
    drive.run(20.0)
    drive.bias["position"] = [0.0, metres, 0.0]
    drive.run(2.0)
    outcomes = names(o.horizontal for o in drive.outcomes["position"])
    error = abs(drive.eskf.position[1])
    if metres >= 20.0:
        assert set(outcomes) == {"REJECTED"}
        assert error < 0.01
    else:
        assert error < 1.0
    drive.bias["position"] = 0.0
    drive.run(10.0)
    assert abs(drive.eskf.position[1]) < 0.5
    assert drive.eskf.status is Status.HEALTHY
    sound(drive.eskf)


def test_a_glitch_for_longer_than_the_recovery_is_followed_and_left_again():
    drive = Drive(seeded(Config(hold=None)), on=("position", "velocity"))
    drive.run(10.0)
    drive.bias["position"] = [500.0, 0.0, 0.0]
    drive.run(9.0)
    assert drive.eskf.position[0] == pytest.approx(500.0, abs=1.0)
    drive.bias["position"] = 0.0
    drive.run(9.0)
    assert drive.eskf.position[0] == pytest.approx(0.0, abs=1.0)
    assert drive.eskf.diagnostics.gnss_position.recovered == 2
    sound(drive.eskf)


def test_a_stuck_receiver_is_told_from_a_moving_vehicle():
    drive = Drive(seeded(Config(hold=None)), [10.0, 0, 0], on=("position", "velocity"))
    drive.run(10.0)
    stuck = drive.position.copy()
    rejected = 0
    for _ in range(25):
        drive.bias["position"] = stuck - drive.position
        drive.run(0.2)
        rejected += drive.outcomes["position"][0].horizontal.kind is Fusion.REJECTED
    assert rejected > 15
    assert abs(drive.eskf.position[0] - drive.position[0]) < 5.0


def test_a_stuck_imu_and_a_saturated_gyro_leave_a_sound_filter():
    for rate, force in (([0, 0, 0], [0, 0, 0]), ([34.9, -34.9, 34.9], [156.9, -156.9, 156.9])):
        eskf = seeded()
        for step in range(1, 3001):
            eskf.predict_rates(step * 2_500_000, rate, force, 0.0025, frame=frames.FRD)
            if step % 40 == 0:
                eskf.fuse_gnss_position(eskf.time, [0, 0, 0], PositionNoise.from_sigma(1.0), frame=frames.NED)
                eskf.fuse_gnss_velocity(eskf.time, [0, 0, 0], VelocityNoise.from_sigma(0.2), frame=frames.NED)
        sound(eskf)
        assert eskf.diagnostics.gnss_velocity.rejected > 0


def test_a_gyro_that_saturates_for_a_moment_is_recovered_from():
    drive = Drive(seeded(Config(hold=None, declination=0.0)), on=("position", "velocity", "mag"))
    drive.run(10.0)
    start = drive.step
    for k in range(10):  # a tenth of a second of 6 rad/s that never were: 34 degrees
        time = round((start + k + 1) * NANO / 100)
        drive.eskf.predict_rates(time, [6.0, 0, 0], [0, 0, -GRAVITY], 0.01, frame=frames.FRD)
    drive.step += 10
    drive.run(60.0)
    sound(drive.eskf)
    assert np.linalg.norm(drive.eskf.velocity) < 1.0
    assert np.linalg.norm(drive.eskf.position) < 5.0


@pytest.mark.parametrize("gap", [0.05, 0.1, 0.3, 1.0, 5.0, 30.0])
def test_a_gap_at_speed_is_recovered_from(gap):
    drive = Drive(seeded(Config(hold=None)), [20.0, 0, 0], on=("position", "velocity"))
    drive.run(10.0)
    drive.samples = False
    drive.on = set()
    drive.run(gap)
    drive.samples = True
    drive.on = {"position", "velocity"}
    drive.run(1.0)
    assert drive.eskf.diagnostics.propagation.coasted == (1 if gap > 0.09 else 0)
    assert np.linalg.norm(drive.eskf.position - drive.position) < 2.0
    assert names(o.horizontal for o in drive.outcomes["position"])[-1] == "ACCEPTED"
    sound(drive.eskf)


def test_duplicates_and_samples_out_of_order_are_refused_one_by_one():
    eskf, plain = seeded(), seeded()
    times = np.arange(1, 401) * 2_500_000
    for time in times:
        for eskf_ in (eskf, plain):
            eskf_.predict_rates(time, [0.01, 0, 0], [0.1, 0, -9.8], 0.0025, frame=frames.FRD)
        eskf.predict_rates(time, [0.01, 0, 0], [0.1, 0, -9.8], 0.0025, frame=frames.FRD)
        eskf.predict_rates(time - 2_500_000, [0.01, 0, 0], [0.1, 0, -9.8], 0.0025, frame=frames.FRD)
    np.testing.assert_array_equal(eskf.covariance, plain.covariance)
    np.testing.assert_array_equal(eskf.velocity, plain.velocity)
    assert eskf.diagnostics.propagation.invalid_step == 800


def test_the_same_fix_again_and_again_makes_no_certainty():
    eskf = seeded(Config(hold=None))
    eskf.predict_rates(10_000_000, [0, 0, 0], [0, 0, -9.8], 0.01, frame=frames.FRD)
    for _ in range(1000):
        eskf.fuse_gnss_position(eskf.time, [0, 0, 0], PositionNoise.from_sigma(2.0), frame=frames.NED)
    assert eskf.covariance[0, 0] > 0.5


# ---- anything at all -----------------------------------------------------------------------------

_any = st.floats(width=64)
_finite = st.floats(-1e3, 1e3)
_sample = st.tuples(
    st.just(0), st.integers(-(10**8), 3 * 10**8), st.lists(st.one_of(_finite, _any), min_size=8, max_size=8)
)
_measurement = st.tuples(
    st.integers(1, 8),
    st.integers(-(4 * 10**8), 2 * 10**8),
    st.lists(st.one_of(_finite, _any), min_size=9, max_size=9),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(_sample, _measurement), min_size=1, max_size=40), st.booleans())
def test_anything_in_any_order_leaves_finite_numbers(calls, started):
    native = (seeded(Config()) if started else Eskf(Config()))._native
    for kind, dt, numbers in calls:
        if kind == 0:
            native.predict(
                native.time() + dt, numbers[:3], abs(numbers[3]) % 0.1, numbers[4:7], numbers[7], False
            )
        else:
            native.fuse(kind, native.time() + dt, numbers[:3], numbers[3:6], numbers[6:9])
        assert np.isfinite(native.state()).all()
        p = native.covariance()
        assert np.isfinite(p).all()
        assert (p == p.T).all()
        assert (np.diagonal(p) >= 0).all()
        native.status(), native.validity(), native.predicted_validity(1.0), native.diagnostics()


def test_a_million_steps_stay_symmetric_and_positive_definite():
    rng = np.random.default_rng(5)
    eskf = seeded(Config(declination=0.0), sigmas=np.repeat([1.0, 0.3, 0.02, 0.1, 0.005], 3))
    n, chunk = 1_000_000, 100_000
    for first in range(0, n, chunk):
        t = np.arange(first + 1, first + chunk + 1) * 2_500_000
        imu = np.zeros((chunk, 8))
        imu[:, 3] = imu[:, 7] = 0.0025
        imu[:, 0:3] = 0.3 * np.sin(t[:, None] * 1e-9 * [0.7, 0.9, 1.3]) * 0.0025
        imu[:, 4:7] = [0, 0, -GRAVITY * 0.0025] + rng.standard_normal((chunk, 3)) * 1e-3
        rows = np.zeros(3 * (chunk // 40), MEASUREMENT)
        rows["after"] = np.repeat(np.arange(1, chunk // 40 + 1) * 40, 3)
        rows["time"] = t[rows["after"] - 1]
        for k, name in enumerate(("gnss_position", "gnss_velocity", "mag")):
            rows["kind"][k::3] = KINDS[name]
            rows["variance"][k::3] = 0.01  # tighter than is likely: the worst that there is for P
        rows["value"][2::3] = [0.4, 0.0, 0.8]
        run(eskf._native, t, imu, rows, every=chunk)
        sound(eskf)
    assert eskf.time == n * 2_500_000
    assert eskf.diagnostics.floored == 0


def test_vanishing_noise_for_long_stays_sound():
    eskf = seeded(replace(PLAIN, yaw_estimator=False))
    for step in range(1, 3000):
        eskf.predict_rates(step * NANO // 200, [0, 0, 0], [0, 0, -9.8], 0.005, frame=frames.FRD)
        eskf.fuse_gnss_velocity(eskf.time, [0, 0, 0], VelocityNoise.from_variance(1e-15), frame=frames.NED)
        eskf.fuse_gnss_position(eskf.time, [0, 0, 0], PositionNoise.from_variance(1e-15), frame=frames.NED)
    sound(eskf)


def test_a_covariance_that_is_none_supports_no_correction():
    eskf = seeded()
    p = eskf.covariance
    p[3, 4] = p[4, 3] = 5.0  # as no two errors can go together
    eskf.initialize_from(eskf.state, p, 0)
    noise = VelocityNoise.from_sigma(0.1)
    outcome = eskf.fuse_gnss_velocity(0, [0.1, 0.2, 0.3], noise, frame=frames.NED)
    assert outcome is Fusion.STATE_INVALID
    assert eskf.diagnostics.gnss_velocity.last_refusal is Fusion.STATE_INVALID
    assert eskf.state.is_finite
    np.testing.assert_array_equal(eskf.velocity, 0.0)
    # It is left as a source is that is locked out: what comes is adopted, and with it the covariance is sound again.
    drive = Drive(eskf, on=("velocity",))
    drive.run(9.0)
    assert "RESET" in names(drive.outcomes["velocity"])
    assert names(drive.outcomes["velocity"])[-1] == "ACCEPTED"


@pytest.mark.parametrize("variance", [1e4, 1e12, 1e300])
@pytest.mark.parametrize("source", ["heading", "mag", "velocity"])
def test_a_first_measurement_that_says_nothing_leaves_a_covariance_that_bears_the_next(source, variance):
    eskf = coarse(replace(PLAIN, yaw_estimator=False))
    turned = {
        "heading": lambda v: eskf.fuse_gnss_heading(eskf.time, 0.4, HeadingNoise.from_variance(v)),
        "mag": lambda v: eskf.fuse_mag_heading(
            eskf.time, [0.4, 0.1, 0.8], HeadingNoise.from_variance(v), frame=frames.FRD
        ),
        "velocity": lambda v: eskf.fuse_gnss_velocity(
            eskf.time, [0.4, 0.1, 0.2], VelocityNoise.from_variance(v), frame=frames.NED
        ),
    }[source]
    assert turned(variance) is Fusion.RESET
    # No heading is less known than one that may be anything, nor a velocity than one within 10 km/s.
    assert eskf.attitude_sigma[2] <= 1.001 * np.pi / np.sqrt(3)
    assert (np.diagonal(eskf.covariance)[3:6] <= 1.001e8).all()
    for step in range(1, 40):
        eskf.predict_rates(step * 10_000_000, [0.1, 0.2, 0.1], [0.1, 0.3, -9.7], 0.01, frame=frames.FRD)
        turned(1e-8)
        sound(eskf)


@pytest.mark.parametrize("altitude", [1e13, -1e300, np.nan, np.inf])
def test_a_reference_of_the_barometer_that_no_barometer_has_is_refused(altitude):
    eskf = seeded()
    assert not eskf.set_baro_reference(altitude, AltitudeNoise.from_sigma(1.0))
    assert eskf.baro_reference is None


@pytest.mark.parametrize("variance", [1e8, 1e13, 1e16, 1e150, 1e300])
def test_a_reference_of_which_nothing_is_known_leaves_a_covariance_that_bears_the_next(variance):
    eskf = coarse()
    said = AltitudeNoise.from_variance
    # The first altitude gives the height, whose error is the reference's.
    assert eskf.set_baro_reference(100.0, said(variance))
    assert eskf.fuse_baro_altitude(0, 90.0, said(0.1)) is Fusion.RESET
    assert eskf.covariance[2, 2] <= 1.001e12
    eskf.predict_rates(3 * NANO, [0, 0, 0], [0.1, 0.3, -9.7], 0.01, frame=frames.FRD)
    for step in range(1, 40):
        assert eskf.set_baro_reference(100.0, said(0.3))
        eskf.predict_rates(
            3 * NANO + step * 10_000_000, [0.1, 0.2, 0.1], [0.1, 0.3, -9.7], 0.01, frame=frames.FRD
        )
        eskf.fuse_baro_altitude(eskf.time - 200_000_000, 90.0, said(1e-8))
        sound(eskf)


@pytest.mark.parametrize("variance", [1e8, 1e13, 1e16, 1e300])
def test_a_first_position_that_says_nothing_leaves_a_covariance_that_bears_the_next(variance):
    eskf = coarse()
    said = PositionNoise.from_variance
    outcome = eskf.fuse_gnss_position(0, [1.0, 2.0, 3.0], said(variance), frame=frames.NED)
    assert outcome.horizontal is Fusion.RESET
    assert np.diagonal(eskf.covariance)[:3].max() <= 1.001e12
    for step in range(1, 40):
        eskf.predict_rates(step * 10_000_000, [0.1, 0.2, 0.1], [0.1, 0.3, -9.7], 0.01, frame=frames.FRD)
        fix = {"frame": frames.NED, "antenna": [1, 2, -1], "antenna_frame": frames.FRD}
        eskf.fuse_gnss_position(eskf.time - 200_000_000, [1.0, 2.0, 3.0], said(1e-8), **fix)
        eskf.fuse_baro_altitude(eskf.time, 100.0, AltitudeNoise.from_variance(1e300 if step == 1 else 1e-8))
        sound(eskf)
