"""Corrections: each source's model, gate, gain and delay against whole matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense import PLAIN, A, G, P, T, V, assert_same, full_covariance, random_dense, skew, start
from scipy.spatial.transform import Rotation

from boresight import frames
from boresight.errors import FrameError
from boresight.navigation import (
    AltitudeNoise,
    Config,
    Correlation,
    Fusion,
    Gates,
    HeadingNoise,
    PositionNoise,
    VelocityNoise,
)

WHITE = replace(PLAIN, correlation=Correlation.white(), yaw_estimator=False)
ONE, TWO, THREE = 10.827566, 13.815511, 16.266236
ARM = np.array([0.4, -0.3, 1.2])


def slope(dense, model):
    """H of a model by differences, 1 x 16 or m x 16; the offset's column is the caller's."""
    base = np.atleast_1d(model(dense))
    out = np.zeros((len(base), 16))
    for i in range(15):
        for sign in (1, -1):
            e = np.zeros(15)
            e[i] = sign * 1e-6
            other = replace(
                dense,
                position=dense.position + e[P],
                velocity=dense.velocity + e[V],
                attitude=dense.attitude * Rotation.from_rotvec(e[T]),
                accel_bias=dense.accel_bias + e[A],
                gyro_bias=dense.gyro_bias + e[G],
            )
            out[:, i] += sign * np.atleast_1d(model(other)) / 2e-6
    return out


def upright(seed, config=WHITE):
    """As random_dense, but not near the pole of headings."""
    dense = random_dense(seed, config, spread=0.5)
    rng = np.random.default_rng(seed)
    dense.attitude = Rotation.from_euler("ZYX", [rng.uniform(-3, 3), *rng.uniform(-0.3, 0.3, 2)])
    dense.velocity = rng.standard_normal(3) * 5 + np.array([10, 0, 0])
    return dense


# ---- models --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("arm", [None, ARM])
def test_a_gnss_position_is_two_observations_at_the_antenna(seed, arm):
    dense = random_dense(seed, WHITE)
    eskf = start(dense)
    lever = np.zeros(3) if arm is None else arm
    z = dense.position + dense.matrix @ lever + np.array([0.5, -0.7, 0.9])
    variance = np.array([0.5, 0.8, 2.0])
    outcome = eskf.fuse_gnss_position(
        0,
        z,
        PositionNoise.from_variance(variance),
        frame=frames.NED,
        antenna=arm,
        antenna_frame=frames.FRD,
    )
    for part, gate, got in ((slice(0, 2), TWO, outcome.horizontal), (slice(2, 3), ONE, outcome.height)):

        def model(x, part=part):
            return (x.position + x.matrix @ lever)[part]

        ratio, dense = dense.correct(
            z[part] - model(dense), slope(dense, model), np.diag(variance[part]), gate
        )
        assert got.kind is Fusion.ACCEPTED
        assert got.test_ratio == pytest.approx(ratio, rel=1e-6)
    assert_same(eskf, dense, tolerance=1e-7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("arm", [None, ARM])
def test_a_gnss_velocity_is_of_an_antenna_that_the_turning_moves(seed, arm):
    dense = random_dense(seed, WHITE)
    eskf = start(dense)
    measured = np.array([0.4, -0.8, 0.6])
    eskf.predict_rates(10_000_000, measured, [0.1, 0.2, -9.8], 0.01, frame=frames.FRD)
    dense = dense.predict(measured * 0.01, 0.01, np.array([0.1, 0.2, -9.8]) * 0.01, 0.01)
    lever = np.zeros(3) if arm is None else arm

    def model(x):
        return x.velocity + x.matrix @ np.cross(measured - x.gyro_bias, lever)

    z = model(dense) + np.array([0.2, -0.1, 0.15])
    outcome = eskf.fuse_gnss_velocity(
        10_000_000,
        frames_enu(z),
        VelocityNoise.from_sigma([0.2, 0.3, 0.4]),
        frame=frames.ENU,
        antenna=None if arm is None else arm * [1, -1, -1],
        antenna_frame=frames.FLU,
    )
    ratio, dense = dense.correct(z - model(dense), slope(dense, model), np.diag([0.04, 0.09, 0.16]), THREE)
    assert outcome.test_ratio == pytest.approx(ratio, rel=1e-6)
    assert_same(eskf, dense, tolerance=1e-7)


def frames_enu(ned):
    return np.array([ned[1], ned[0], -ned[2]])


@pytest.mark.parametrize("seed", range(5))
def test_an_altitude_corrects_its_reference_too(seed):
    dense = random_dense(seed, WHITE)
    eskf = start(dense)
    assert eskf.set_baro_reference(120.0, AltitudeNoise.from_sigma(0.7))
    dense.covariance[15, 15] = 0.49
    for altitude, sigma in ((120.0 - dense.position[2] + 0.8, 0.5), (120.0 - dense.position[2] - 0.3, 0.4)):
        y = np.array([eskf.baro_reference - altitude - dense.position[2]])
        h = np.zeros((1, 16))
        h[0, 2] = h[0, 15] = 1.0
        before = dense.covariance
        ratio, dense = dense.correct(y, h, np.array([[sigma**2]]), ONE)
        reference = eskf.baro_reference
        outcome = eskf.fuse_baro_altitude(0, altitude, AltitudeNoise.from_sigma(sigma))
        assert outcome.test_ratio == pytest.approx(ratio, rel=1e-9)
        gain = (before @ h.T / (h @ before @ h.T + sigma**2)) @ y
        assert eskf.baro_reference == pytest.approx(reference - gain[15], rel=1e-12)
        assert_same(eskf, dense)
    assert full_covariance(eskf)[2, 15] < 0.0


@pytest.mark.parametrize("seed", range(5))
def test_a_magnetic_heading_is_one_number_about_down(seed):
    declination = 0.1
    dense = upright(seed, replace(WHITE, declination=declination))
    eskf = start(dense)
    field_ned = np.array([np.cos(declination), np.sin(declination), 2.0]) * 0.5
    turned = Rotation.from_euler("z", 0.05)  # the truth, ahead of the estimate
    field = (turned * dense.attitude).inv().apply(field_ned) * 1e4
    sigma = 0.1
    # (36'): the worst tilt, levelled by which the field turns by tan(dip) as much.
    d = dense.matrix.T @ [0, 0, 1]
    f = field - d * (d @ field)
    f /= np.linalg.norm(f)
    q = np.stack([f, np.cross(d, f)], axis=1)
    ned = dense.matrix @ field
    tan2 = ned[2] ** 2 / (ned[0] ** 2 + ned[1] ** 2)
    worst = np.linalg.eigvalsh(q.T @ dense.covariance[T, T] @ q)[-1]
    r = sigma**2 + tan2 * worst
    h = np.zeros((1, 16))
    h[0, T] = d
    y = -(np.arctan2(ned[1], ned[0]) - declination)
    assert y == pytest.approx(0.05, abs=1e-9)
    ratio, dense = dense.correct(np.array([y]), h, np.array([[r]]), ONE)
    outcome = eskf.fuse_mag_heading(0, field, HeadingNoise.from_sigma(sigma), frame=frames.FRD)
    assert outcome.test_ratio == pytest.approx(ratio, rel=1e-9)
    assert_same(eskf, dense)


def test_the_unit_of_a_field_does_not_matter():
    results = []
    for scale in (1e-300, 1e-6, 1.0, 5e4, 1e300):
        eskf = start(upright(1))
        outcome = eskf.fuse_mag_heading(
            0,
            np.array([0.2, -0.1, 0.4]) * scale,
            HeadingNoise.from_sigma(2.0),
            frame=frames.FRD,
        )
        results.append((outcome.test_ratio, *eskf.attitude.euler_angles()))
    np.testing.assert_allclose(results, np.repeat([results[2]], 5, axis=0), rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_gnss_heading_is_that_of_the_nose(seed):
    dense = upright(seed)
    eskf = start(dense)
    nose = dense.matrix[:, 0]
    heading = np.arctan2(nose[1], nose[0]) + 0.04 + 2 * np.pi * seed
    h = np.zeros((1, 16))
    h[0, T] = dense.matrix[2]
    ratio, dense = dense.correct(np.array([0.04]), h, np.array([[0.01]]), ONE)
    outcome = eskf.fuse_gnss_heading(0, heading, HeadingNoise.from_sigma(0.1))
    assert outcome.test_ratio == pytest.approx(ratio, rel=1e-6)
    assert_same(eskf, dense, tolerance=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_a_course_is_of_the_estimated_velocity(seed):
    dense = upright(seed)
    dense.velocity = dense.matrix @ np.array([15.0, 0.7, 0.1])
    eskf = start(dense)
    # A velocity has to be fresh; this one changes next to nothing.
    weak = VelocityNoise.from_sigma(1e6)
    eskf.fuse_gnss_velocity(0, dense.velocity, weak, frame=frames.NED)
    _, dense = dense.correct(np.zeros(3), slope(dense, lambda x: x.velocity), np.eye(3) * 1e12, THREE)
    n, e, _ = dense.velocity
    nose = dense.matrix[:, 0]
    y = np.arctan2(e, n) - np.arctan2(nose[1], nose[0])
    y = np.arctan2(np.sin(y), np.cos(y))
    h = np.zeros((1, 16))
    h[0, T] = dense.matrix[2]
    h[0, V] = -np.array([-e, n, 0.0]) / (n * n + e * e)
    ratio, dense = dense.correct(np.array([y]), h, np.array([[0.01]]), ONE)
    outcome = eskf.fuse_course(0, HeadingNoise.from_sigma(0.1))
    assert outcome.kind is Fusion.ACCEPTED
    assert outcome.test_ratio == pytest.approx(ratio, rel=1e-9)
    assert_same(eskf, dense)


def test_standing_still_is_a_velocity_of_zero():
    dense = random_dense(4, WHITE)
    dense.velocity = np.array([0.1, -0.05, 0.02])
    eskf = start(dense)
    ratio, dense = dense.correct(-dense.velocity, slope(dense, lambda x: x.velocity), np.eye(3) * 0.01, THREE)
    outcome = eskf.fuse_stationary(0, VelocityNoise.from_sigma(0.1))
    assert outcome.test_ratio == pytest.approx(ratio, rel=1e-6)
    assert_same(eskf, dense, tolerance=1e-7)


# ---- gates ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "name"), [(0.999, "ACCEPTED"), (1.001, "REJECTED")])
def test_the_gate_is_at_a_test_ratio_of_one(factor, name):
    dense = random_dense(2, WHITE)
    eskf = start(dense)
    s = dense.covariance[2, 2] + 4.0
    z = dense.position + np.array([0.0, 0.0, np.sqrt(ONE * s) * np.sqrt(factor)])
    before = eskf.covariance
    outcome = eskf.fuse_gnss_position(0, z, PositionNoise.from_variance([1e9, 1e9, 4.0]), frame=frames.NED)
    assert outcome.height.name == name
    assert outcome.height.test_ratio == pytest.approx(factor, rel=1e-5)
    if name == "REJECTED":
        np.testing.assert_allclose(eskf.position[2], dense.position[2], atol=1e-6)
        np.testing.assert_allclose(eskf.covariance[2, 2], before[2, 2], rtol=1e-6)


def test_gates_are_configured():
    dense = random_dense(2, replace(WHITE, gates=Gates.at(0.95)))
    eskf = start(dense)
    s = dense.covariance[2, 2] + 4.0
    z = dense.position + np.array([0.0, 0.0, np.sqrt(5.0 * s)])
    outcome = eskf.fuse_gnss_position(0, z, PositionNoise.from_variance([1e9, 1e9, 4.0]), frame=frames.NED)
    assert outcome.height.test_ratio == pytest.approx(5.0 / 3.841459, rel=1e-3)


def test_a_bad_height_does_not_cost_the_horizontal_half():
    eskf = start(random_dense(2, WHITE))
    outcome = eskf.fuse_gnss_position(
        0, eskf.position + np.array([0.1, 0.1, 500.0]), PositionNoise.from_sigma(1.0), frame=frames.NED
    )
    assert outcome.horizontal.kind is Fusion.ACCEPTED
    assert outcome.height.kind is Fusion.REJECTED
    assert not outcome.used
    assert eskf.diagnostics.gnss_position.accepted == eskf.diagnostics.gnss_height.rejected == 1


# ---- correlated errors ---------------------------------------------------------------------


def test_a_second_reading_of_the_same_error_counts_for_less():
    dense = random_dense(6, PLAIN)
    eskf = start(dense)
    noise = PositionNoise.from_sigma(1.0)
    h = np.eye(16)[0:2], np.eye(16)[2:3]
    for step in range(3):
        tau = (8.5, 37.0)
        z = dense.position + np.array([0.3, -0.2, 0.4])
        outcome = eskf.fuse_gnss_position(eskf.time, z, noise, frame=frames.NED)
        for half, gate in ((0, TWO), (1, ONE)):
            rho = np.exp(-0.1 / tau[half])
            inflation = 1.0 if step == 0 else (1 + rho) / (1 - rho)
            y = h[half][:, :3] @ (z - dense.position)
            ratio, dense = dense.correct(y, h[half], np.eye(len(y)), gate, inflation)
            # The gate knows nothing of it.
            assert outcome[half].test_ratio == pytest.approx(ratio, rel=1e-9)
        assert_same(eskf, dense)
        eskf.predict_rates(eskf.time + 100_000_000, [0, 0, 0], [0, 0, -9.8], 0.1, frame=frames.FRD)
        dense = dense.predict(np.zeros(3), 0.1, np.array([0, 0, -0.98]), 0.1)


def test_the_same_reading_twice_gives_next_to_nothing():
    eskf = start(random_dense(6, PLAIN))
    noise = PositionNoise.from_sigma(1.0)
    z = eskf.position
    eskf.fuse_gnss_position(0, z, noise, frame=frames.NED)
    before = eskf.covariance[0, 0]
    eskf.fuse_gnss_position(0, z, noise, frame=frames.NED)
    assert before * 0.999 < eskf.covariance[0, 0] <= before


# ---- delay ---------------------------------------------------------------------------------


def flown(dense, steps=40, dt=0.01, correct_at=None):
    """A filter and its reference after some steps of flight, with the states on the way."""
    eskf = start(dense)
    path = [dense]
    rng = np.random.default_rng(1)
    for step in range(1, steps + 1):
        rate = np.array([0.3, -0.2, 0.5]) + 0.05 * rng.standard_normal(3)
        force = dense.matrix.T @ [2.0, -1.0, -9.0] + 0.1 * rng.standard_normal(3)
        eskf.predict_rates(round(step * dt * 1e9), rate, force, dt, frame=frames.FRD)
        dense = dense.predict(rate * dt, dt, force * dt, dt)
        path.append(dense)
        if step == correct_at:
            z = dense.velocity + np.array([0.3, 0.2, -0.1])
            eskf.fuse_gnss_velocity(eskf.time, z, VelocityNoise.from_sigma(0.2), frame=frames.NED)
            before = dense
            h = np.eye(16)[3:6]
            _, dense = dense.correct(z - dense.velocity, h, np.eye(3) * 0.04, THREE)
            # Every correction reaches the past: steps of position and velocity, a turn on the left.
            left = dense.attitude * before.attitude.inv()
            path = [
                replace(
                    x,
                    position=x.position + dense.position - before.position,
                    velocity=x.velocity + dense.velocity - before.velocity,
                    attitude=left * x.attitude,
                )
                for x in path
            ]
    return eskf, dense, path


def delayed(dense, past, age, h, config=WHITE):
    rate = (past.attitude.inv() * dense.attitude).as_rotvec() / age
    force = dense.matrix.T @ ((dense.velocity - past.velocity) / age - [0, 0, config.gravity])
    a = dense.dynamics(rate, force)
    return h @ (np.eye(16) - a * age + 0.5 * a @ a * age**2)


@pytest.mark.parametrize("correct_at", [None, 30])
@pytest.mark.parametrize("back", [1, 5, 11, 30])
def test_a_late_position_is_compared_with_the_past(back, correct_at):
    eskf, dense, path = flown(random_dense(8, WHITE), correct_at=correct_at)
    past, age = path[-1 - back], 0.01 * back

    def model(x):
        return x.position + x.matrix @ ARM

    z = model(past) + np.array([0.4, -0.3, 0.0])
    h = delayed(dense, past, age, slope(past, model)[0:2])
    ratio, dense = dense.correct((z - model(past))[0:2], h, np.eye(2), TWO)
    outcome = eskf.fuse_gnss_position(
        eskf.time - round(age * 1e9),
        z,
        PositionNoise.from_variance([1.0, 1.0, 1e12]),
        frame=frames.NED,
        antenna=ARM,
        antenna_frame=frames.FRD,
    )
    assert outcome.horizontal.test_ratio == pytest.approx(ratio, rel=1e-4)
    assert_same(eskf, dense, rtol=1e-4, tolerance=1e-4, angle=1e-5)


def test_a_late_velocity_of_a_turning_antenna_takes_the_mean_rate():
    eskf, dense, path = flown(random_dense(8, WHITE))
    past, age = path[-12], 0.11
    rate = (past.attitude.inv() * dense.attitude).as_rotvec() / age
    z = past.velocity + past.matrix @ np.cross(rate, ARM) + np.array([0.1, 0.0, -0.1])
    h = np.zeros((3, 16))
    h[:, V] = np.eye(3)
    h[:, T] = -past.matrix @ skew(np.cross(rate, ARM))
    h[:, G] = past.matrix @ skew(ARM)
    h = delayed(dense, past, age, h)
    ratio, dense = dense.correct(np.array([0.1, 0.0, -0.1]), h, np.eye(3) * 0.04, THREE)
    outcome = eskf.fuse_gnss_velocity(
        eskf.time - 110_000_000,
        z,
        VelocityNoise.from_sigma(0.2),
        frame=frames.NED,
        antenna=ARM,
        antenna_frame=frames.FRD,
    )
    assert outcome.test_ratio == pytest.approx(ratio, rel=1e-6)
    assert_same(eskf, dense, tolerance=1e-7)


def test_between_two_entries_the_past_is_interpolated():
    eskf, _, path = flown(random_dense(8, WHITE))
    a, b = path[-6], path[-5]
    middle = 0.3 * a.position + 0.7 * b.position
    outcome = eskf.fuse_gnss_position(
        eskf.time - 43_000_000, middle, PositionNoise.from_sigma(1.0), frame=frames.NED
    )
    assert outcome.horizontal.test_ratio == pytest.approx(0.0, abs=1e-12)


def test_a_measurement_ahead_of_the_state_is_met_there():
    eskf, dense, _ = flown(random_dense(8, WHITE))
    ahead = dense.position + 0.05 * dense.velocity
    outcome = eskf.fuse_gnss_position(
        eskf.time + 50_000_000, ahead, PositionNoise.from_sigma(1.0), frame=frames.NED
    )
    assert outcome.horizontal.test_ratio == pytest.approx(0.0, abs=1e-12)
    assert outcome.height.kind is Fusion.ACCEPTED


@pytest.mark.parametrize(
    ("age_ms", "name"),
    [
        (300, "ACCEPTED"),
        (301, "OUT_OF_HORIZON"),
        (-100, "ACCEPTED"),
        (-101, "OUT_OF_HORIZON"),
        (10**12, "OUT_OF_HORIZON"),
    ],
)
def test_beyond_the_horizon_a_measurement_is_refused_with_its_age(age_ms, name):
    eskf, _, _ = flown(random_dense(8, WHITE))
    outcome = eskf.fuse_gnss_velocity(
        eskf.time - age_ms * 1_000_000, eskf.velocity, VelocityNoise.from_sigma(50.0), frame=frames.NED
    )
    assert outcome.name == name
    if name == "OUT_OF_HORIZON":
        assert outcome.age == pytest.approx(age_ms * 1e-3)
        assert eskf.diagnostics.gnss_velocity.last_refusal is Fusion.OUT_OF_HORIZON


def test_before_the_start_the_oldest_state_stands_in():
    dense = random_dense(8, WHITE)
    eskf, _, path = flown(dense, steps=5)
    outcome = eskf.fuse_gnss_position(
        eskf.time - 250_000_000, path[0].position, PositionNoise.from_sigma(1.0), frame=frames.NED
    )
    assert outcome.horizontal.test_ratio == pytest.approx(0.0, abs=1e-12)


def test_a_coasted_gap_lies_in_the_past_too():
    dense = random_dense(8, WHITE)
    eskf = start(dense)
    eskf.predict_rates(250_000_000, [0, 0, 0], [0, 0, 0], 0.01, frame=frames.FRD)
    outcome = eskf.fuse_gnss_position(
        125_000_000, dense.position + 0.125 * dense.velocity, PositionNoise.from_sigma(1.0), frame=frames.NED
    )
    assert outcome.horizontal.test_ratio == pytest.approx(0.0, abs=1e-12)


# ---- calls that are wrong in themselves ------------------------------------------------------


def test_the_wrong_noise_or_frame_is_an_error():
    eskf = start(random_dense(1))
    with pytest.raises(TypeError, match="PositionNoise.from_sigma"):
        eskf.fuse_gnss_position(0, [0, 0, 0], VelocityNoise.from_sigma(1.0), frame=frames.NED)
    with pytest.raises(TypeError, match="HeadingNoise"):
        eskf.fuse_gnss_heading(0, 0.0, 0.1)
    with pytest.raises(FrameError):
        eskf.fuse_gnss_velocity(0, [0, 0, 0], VelocityNoise.from_sigma(1.0), frame=frames.FLU)
    with pytest.raises(FrameError, match="antenna_frame"):
        eskf.fuse_gnss_position(
            0, [0, 0, 0], PositionNoise.from_sigma(1.0), frame=frames.NED, antenna=[0, 0, 1]
        )
    with pytest.raises(FrameError):
        eskf.fuse_mag_heading(0, [0, 0, 1], HeadingNoise.from_sigma(0.1), frame=frames.ENU)
    assert Config() == eskf.config or eskf.config == PLAIN
