"""Starts, the hold, adoption and the ring of past states beside a derivation of their own, in plain matrices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from dense import PLAIN, A, Dense, G, P, T, V, assert_same, full_covariance, random_dense, skew
from dense import start as started
from scipy.spatial.transform import Rotation

from boresight import Attitude, frames
from boresight.navigation import (
    Config,
    Correlation,
    Eskf,
    Fusion,
    HeadingNoise,
    Hold,
    PositionNoise,
    State,
    StaticWindow,
    VelocityNoise,
    initialize,
)

GRAVITY = 9.80665
DOWN = np.array([0.0, 0.0, 1.0])
TWO, THREE = 13.815511, 16.266236


# ---- starts, (5) to (8'') ---------------------------------------------------------------------


def window(seed, seconds, *, turning=0.0, noise=1.0, field=True, still=True):
    """Samples of a vehicle somewhere at rest, or turning; what was drawn, and the window that holds them."""
    rng = np.random.default_rng(seed)
    n = round(seconds * 100)
    attitude = Rotation.from_euler("ZYX", rng.uniform([-3, -0.6, -0.6], [3, 0.6, 0.6]))
    rates = rng.normal(0, 2e-3 * noise, (n, 3)) + [3e-3, -2e-3, 1e-3] + turning * np.array([0.2, 0.1, 0.3])
    turned = Rotation.from_rotvec(np.cumsum(rates * 0.01, axis=0))
    forces = (attitude * turned).inv().apply([0, 0, -GRAVITY]) + rng.normal(0, 0.05 * noise, (n, 3))
    if not still:
        forces += [0.0, 0.0, -3.0]
    times = np.arange(1, n + 1) * 10_000_000
    every = slice(4, None, 5)
    fields = (attitude * turned[every]).inv().apply([0.22, 0.01, 0.43]) + rng.normal(0, 2e-3, (n // 5, 3))
    altitudes = 100.0 + rng.normal(0, 0.4, n // 5)
    made = StaticWindow()
    made.extend_imu(times, rates, forces, interval=np.full(n, 0.01), frame=frames.FRD)
    if field:
        made.add_magnetic_field(times[every], fields, frame=frames.FRD)
    made.add_altitude(altitudes)
    return made, rates, forces, times, times[every], fields, altitudes


def level(force):
    roll = np.arctan2(-force[1], -force[2])
    pitch = np.arctan2(force[0], np.hypot(force[1], force[2]))
    return Rotation.from_euler("ZYX", [0, pitch, roll])


def heading(force, field, declination):
    m = level(force).apply(field)
    return declination - np.arctan2(m[1], m[0])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("seconds", "turning", "still", "field"),
    [
        (2.0, 0.0, True, True),
        (4.0, 0.0, True, False),
        (1.0, 0.0, True, True),  # too short
        (2.0, 1.0, True, True),  # turning
        (2.0, 1.0, True, False),
        (2.0, 0.0, False, True),  # accelerating
    ],
)
def test_a_start_is_the_specification_s(seed, seconds, turning, still, field):
    made, rates, forces, times, moments, fields, altitudes = window(
        seed, seconds, turning=turning, field=field, still=still
    )
    config = Config(declination=0.06)
    own = config.initialization
    begun = initialize(made, config)
    n, span = len(rates), 0.01 * len(rates)
    f, w = forces.mean(axis=0), rates.mean(axis=0)
    at_rest = (
        np.linalg.norm(rates, axis=1).max() <= 0.262
        and np.abs(np.linalg.norm(forces, axis=1) - GRAVITY).max() <= 1.961
    )
    assert at_rest == (still and not turning)
    static = at_rest and span >= 2.0
    assert begun.alignment.is_static == static

    # (5) to (7): attitude
    m = fields.mean(axis=0) if field else None
    yaw = heading(f, m, 0.06) if field else 0.0
    attitude = Rotation.from_euler("Z", yaw) * level(f)
    r, d = attitude.as_matrix(), attitude.inv().apply(DOWN)
    np.testing.assert_allclose(begun.state.attitude.rotation.as_matrix(), r, atol=1e-12)
    np.testing.assert_array_equal([begun.state.position, begun.state.velocity, begun.state.accel_bias], 0.0)

    # (8): the gyro's bias from blocks of 50 ms
    bias, variance = np.zeros(3), np.full(3, own.gyro_bias**2)
    if at_rest:
        blocks = (rates * 0.01).reshape(-1, 5, 3).sum(axis=1)
        j, lasting = len(blocks), 0.05
        density = (np.sum(blocks**2 / lasting, axis=0) - blocks.sum(axis=0) ** 2 / span) / (j - 1)
        mean = density / span * (j - 1) / (j - 3)
        gain = own.gyro_bias**2 / (own.gyro_bias**2 + mean)
        bias, variance = gain * w, gain * mean + 7.292e-5**2
    np.testing.assert_allclose(begun.state.gyro_bias, bias, rtol=1e-9, atol=1e-15)

    tilt, across = own.tilt, own.yaw
    if not static:  # (8')
        turn = w * span
        half = n // 2
        early = moments < times[half]
        first, second = forces[:half].mean(axis=0), forces[half:].mean(axis=0)
        between = np.arccos(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
        tilt = max(
            own.tilt,
            abs(np.linalg.norm(f) - GRAVITY) / GRAVITY,
            np.linalg.norm(turn - d * (d @ turn)),
            between,
        )
        across = max(own.yaw, abs(d @ turn))
        if field:
            dip = level(f).apply(m)
            parts = [
                heading(g, fields[chosen].mean(axis=0), 0.06)
                for g, chosen in ((first, early), (second, ~early))
            ]
            apart = abs(np.remainder(parts[1] - parts[0] + np.pi, 2 * np.pi) - np.pi)
            across = max(across, abs(dip[2]) / np.hypot(*dip[:2]) * tilt, apart)
        across = min(across, np.pi / np.sqrt(3))
    if not field:
        across = np.pi / np.sqrt(3)
    of_bias = (own.accel_bias / GRAVITY) ** 2
    c = np.cov(forces.T)
    least = (np.trace(c) - d @ c @ d) / (2 * n * GRAVITY**2)
    leaning = of_bias + max(tilt**2 - of_bias, least)
    wanted = np.zeros((15, 15))
    wanted[P, P], wanted[V, V] = np.eye(3) * own.position**2, np.eye(3) * own.velocity**2
    wanted[T, T] = r.T @ np.diag([leaning, leaning, across**2]) @ r
    wanted[A, A], wanted[G, G] = np.eye(3) * own.accel_bias**2, np.diag(variance)
    wanted[T, A] = -(own.accel_bias**2 / GRAVITY) * skew(d)
    wanted[A, T] = wanted[T, A].T
    scale = np.sqrt(np.diagonal(wanted))
    np.testing.assert_allclose((begun.covariance - wanted) / np.outer(scale, scale), 0.0, atol=1e-7)

    assert begun.position_established == begun.velocity_established == begun.clear_origin == at_rest
    assert begun.heading_established == (at_rest and field)
    if at_rest:
        assert begun.baro_reference == pytest.approx(
            (altitudes.mean(), altitudes.var(ddof=1) / len(altitudes))
        )
    else:
        assert begun.baro_reference is None


# ---- the hold, (28'') -------------------------------------------------------------------------


def test_the_hold_is_a_position_five_times_a_second():
    config = Config(hold=Hold(sigma=10.0), yaw_estimator=False)
    dense = replace(random_dense(3), config=config)
    dense.covariance[T, T] += np.eye(3) * 0.02  # over three degrees from the beginning
    eskf = started(dense)
    at, fused, count = None, None, 0
    for step in range(1, 300):
        rate, force = np.array([0.02, -0.01, 0.03]), dense.matrix.T @ [0.1, -0.2, -9.8]
        eskf.predict_rates(step * 20_000_000, rate, force, 0.02, frame=frames.FRD)
        dense = dense.predict(rate * 0.02, 0.02, force * 0.02, 0.02)
        now = 0.02 * step
        variance = np.diagonal(dense.matrix @ dense.covariance[T, T] @ dense.matrix.T)
        if not max(variance[:2]) > np.radians(3) ** 2:
            at = None
        elif at is None or now - fused >= 0.2 - 1e-9:
            at = dense.position[:2] if at is None else at
            inflation = 1.0
            if fused is not None:
                rho = np.exp(-(now - fused) / 2.0)
                inflation = (1 + rho) / (1 - rho)
            h = np.eye(16)[:2]
            ratio, after = dense.correct(at - dense.position[:2], h, np.eye(2) * 100.0, TWO, inflation)
            assert ratio < 1.0
            dense, fused, count = after, now, count + 1
        assert_same(eskf, dense, tolerance=1e-8)
    assert count > 20
    assert eskf.diagnostics.hold.accepted == count


# ---- adoption ---------------------------------------------------------------------------------


def test_an_adopted_velocity_leaves_its_own_noise_and_no_correlation():
    dense = random_dense(4)
    eskf = started(dense)
    noise = VelocityNoise.from_variance([0.01, 0.02, 0.03])
    outcomes = []
    for step in range(1, 100):
        rate, force = np.array([0.1, 0.2, -0.1]), dense.matrix.T @ [0.5, 0.3, -9.8]
        eskf.predict_rates(step * 100_000_000, rate, force, 0.1, frame=frames.FRD)
        dense = dense.predict(rate * 0.1, 0.1, force * 0.1, 0.1)
        if step % 2:
            continue
        z = dense.velocity + np.array([60.0, 0.0, 0.0])
        outcomes.append(eskf.fuse_gnss_velocity(eskf.time, z, noise, frame=frames.NED))
        if outcomes[-1] is Fusion.RESET:
            break
    # Rejected for more than seven seconds from the first on.
    assert len(outcomes) == 37
    covariance = dense.covariance.copy()
    covariance[V, :], covariance[:, V] = 0.0, 0.0
    covariance[V, V] = np.diag([0.01, 0.02, 0.03])
    assert_same(eskf, replace(dense, velocity=z, covariance=covariance))


def test_an_adopted_heading_turns_everything_about_down():
    dense = random_dense(6)
    eskf = Eskf(PLAIN)
    q = dense.attitude.as_quat()
    eskf.initialize_from(State(Attitude.from_body_to_ned(q, order="xyzw")), dense.covariance[:15, :15], 0)
    dense = replace(
        dense, position=np.zeros(3), velocity=np.zeros(3), accel_bias=np.zeros(3), gyro_bias=np.zeros(3)
    )
    nose = dense.matrix[:, 0]
    if abs(nose[2]) > 0.8:
        pytest.skip("the nose of this one is too near the vertical")
    z = np.arctan2(nose[1], nose[0]) + 2.5
    for step in range(1, 100):
        # Standing as it is: neither turning nor accelerating.
        force = dense.matrix.T @ [0, 0, -GRAVITY]
        eskf.predict_rates(step * 100_000_000, [0, 0, 0], force, 0.1, frame=frames.FRD)
        dense = dense.predict(np.zeros(3), 0.1, force * 0.1, 0.1)
        outcome = eskf.fuse_gnss_heading(eskf.time, z, HeadingNoise.from_variance(0.0004))
        if outcome is Fusion.RESET:
            break
    assert step == 72
    d = dense.matrix[2]
    across = np.eye(16)
    across[T, T] -= np.outer(d, d)
    covariance = across @ dense.covariance @ across.T
    covariance[T, T] += 0.0004 * np.outer(d, d)
    turned = Rotation.from_rotvec(2.5 * DOWN) * dense.attitude
    assert_same(eskf, replace(dense, attitude=turned, covariance=covariance))


# ---- the ring of past states, (23') -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_late_positions_over_a_long_flight_meet_the_past_as_it_was_corrected(seed):
    rng = np.random.default_rng(seed)
    config = replace(PLAIN, correlation=Correlation.white(), yaw_estimator=False)
    dense = replace(random_dense(seed + 20), config=config)
    eskf = started(dense)
    past: list[tuple[float, Dense]] = [(0.0, dense)]
    accepted = 0
    for step in range(1, 800):
        dt = 0.004
        rate = np.array([0.4, -0.3, 0.6]) * np.sin(0.01 * step)
        force = dense.matrix.T @ [np.sin(0.02 * step), 0.5, -9.8]
        eskf.predict_rates(step * 4_000_000, rate, force, dt, frame=frames.FRD)
        dense = dense.predict(rate * dt, dt, force * dt, dt)
        now = dt * step
        if now - past[-1][0] >= 0.01 - 1e-9:
            past = [*past[-31:], (now, dense)]
        if step < 100 or step % 7:
            continue
        age = round(float(rng.uniform(0.02, 0.29)), 6)
        at = now - age
        i = max(k for k, (moment, _) in enumerate(past) if moment <= at)
        (t0, x0), (t1, x1) = past[i], (past[i + 1] if i + 1 < len(past) else (now, dense))
        u = (at - t0) / (t1 - t0)
        then = x0.attitude * Rotation.from_rotvec(u * (x0.attitude.inv() * x1.attitude).as_rotvec())
        place = x0.position + u * (x1.position - x0.position)
        velocity = x0.velocity + u * (x1.velocity - x0.velocity)
        z = place + rng.normal(0, 0.5, 3)
        noise = PositionNoise.from_sigma(0.6)
        outcome = eskf.fuse_gnss_position(step * 4_000_000 - round(age * 1e9), z, noise, frame=frames.NED)
        before = dense
        for rows, gate, half in (([0, 1], TWO, outcome.horizontal), ([2], 10.827566, outcome.height)):
            # The height's model is that of the state which the horizontal half has corrected.
            step_p, step_v = dense.position - before.position, dense.velocity - before.velocity
            left = dense.attitude * before.attitude.inv()
            then_, place_, velocity_ = left * then, place + step_p, velocity + step_v
            mean = (then_.inv() * dense.attitude).as_rotvec() / age
            push = dense.matrix.T @ ((dense.velocity - velocity_) / age - [0, 0, GRAVITY])
            a = dense.dynamics(mean, push)
            h = np.eye(16)[rows] @ (np.eye(16) - a * age + 0.5 * a @ a * age**2)
            ratio, after = dense.correct(z[rows] - place_[rows], h, np.eye(len(rows)) * 0.36, gate)
            assert half.test_ratio == pytest.approx(ratio, rel=1e-6, abs=1e-9)
            assert (half.kind is Fusion.ACCEPTED) == (ratio <= 1.0)
            if ratio <= 1.0:
                dense, accepted = after, accepted + 1
        left = dense.attitude * before.attitude.inv()
        past = [
            (
                moment,
                replace(
                    x,
                    position=x.position + dense.position - before.position,
                    velocity=x.velocity + dense.velocity - before.velocity,
                    attitude=left * x.attitude,
                ),
            )
            for moment, x in past
        ]
        assert_same(eskf, dense, tolerance=1e-8, angle=1e-9)
    assert accepted > 150
    assert np.linalg.eigvalsh(full_covariance(eskf)[:15, :15]).min() > 0


# ---- several at once --------------------------------------------------------------------------


def flown(seed):
    """A short flight of one filter, all by calls."""
    rng = np.random.default_rng(seed)
    eskf = started(random_dense(seed))
    for step in range(1, 1500):
        eskf.predict_rates(
            step * 5_000_000,
            rng.normal(0, 0.1, 3),
            rng.normal([0.1, 0.2, -9.8], 0.3),
            0.005,
            frame=frames.FRD,
        )
        if step % 40 == 0:
            at = eskf.time - 110_000_000
            eskf.fuse_gnss_position(at, rng.normal(0, 1, 3), PositionNoise.from_sigma(1.0), frame=frames.NED)
            eskf.fuse_gnss_velocity(
                at, rng.normal(0, 0.1, 3), VelocityNoise.from_sigma(0.2), frame=frames.NED
            )
            eskf.fuse_mag_heading(eskf.time, [0.2, 0.1, 0.4], HeadingNoise.from_sigma(0.1), frame=frames.FRD)
    return eskf.native.state(), eskf.covariance, eskf.diagnostics.gnss_velocity.accepted


def test_filters_in_several_threads_know_nothing_of_one_another():
    alone = [flown(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(flown, [0, 1, 2, 3, 4, 5] * 2))
    for own, other in zip(alone * 2, together, strict=True):
        np.testing.assert_array_equal(own[0], other[0])
        np.testing.assert_array_equal(own[1], other[1])
        assert own[2] == other[2]
