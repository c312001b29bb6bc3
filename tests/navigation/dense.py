"""The filter's equations written out with whole matrices, for the tests to compare with: slow and plain.

The error is (position, velocity, attitude in the body, accelerometer's bias, gyro's bias) and, sixteenth, the
barometer's offset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from boresight import Attitude
from boresight.navigation import Config, Eskf, State

# The position hold is no part of these equations.
PLAIN = Config(hold=None)
P, V, T, A, G, B = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12), slice(12, 15), 15


def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


@dataclass
class Dense:
    """State and 16 x 16 covariance, propagated and corrected as the specification writes it."""

    position: np.ndarray
    velocity: np.ndarray
    attitude: Rotation
    accel_bias: np.ndarray
    gyro_bias: np.ndarray
    covariance: np.ndarray
    config: Config = PLAIN

    @property
    def matrix(self):
        return self.attitude.as_matrix()

    def transition(self, angle, angle_interval, velocity, velocity_interval):
        f = np.eye(16)
        r = self.matrix
        f[P, V] = np.eye(3) * velocity_interval
        f[V, T] = -r @ skew(velocity)
        f[V, A] = -r * velocity_interval
        f[T, T] = Rotation.from_rotvec(angle).as_matrix().T
        f[T, G] = -np.eye(3) * angle_interval
        return f

    def noise(self, angle_interval, velocity_interval):
        own = self.config.imu
        return np.diag(
            np.concatenate(
                [
                    np.zeros(3),
                    np.full(3, own.accel_white**2 * velocity_interval),
                    np.full(3, own.gyro_white**2 * angle_interval),
                    np.full(3, own.accel_bias_walk**2 * velocity_interval),
                    np.full(3, own.gyro_bias_walk**2 * angle_interval),
                    [self.config.baro_offset_walk**2 * velocity_interval],
                ]
            )
        )

    def predict(self, angle, angle_interval, velocity, velocity_interval):
        turn = angle - self.gyro_bias * angle_interval
        push = velocity - self.accel_bias * velocity_interval
        f = self.transition(turn, angle_interval, push, velocity_interval)
        gained = self.matrix @ push + np.array([0, 0, self.config.gravity]) * velocity_interval
        covariance = f @ self.covariance @ f.T + self.noise(angle_interval, velocity_interval)
        return replace(
            self,
            position=self.position + self.velocity * velocity_interval + 0.5 * gained * velocity_interval,
            velocity=self.velocity + gained,
            attitude=self.attitude * Rotation.from_rotvec(turn),
            covariance=0.5 * (covariance + covariance.T),
        )

    def coast(self, duration):
        steps = min(max(int(np.ceil(duration / 0.1)), 1), 64)
        dt = duration / steps
        push = -self.matrix.T @ np.array([0, 0, self.config.gravity]) * dt
        f = self.transition(np.zeros(3), dt, push, dt)
        q = self.noise(dt, dt)
        q[T, T] += np.eye(3) * self.config.coast.rotation**2 * dt
        covariance = self.covariance
        for _ in range(steps):
            covariance = f @ covariance @ f.T + q
        c = self.config.coast.acceleration**2
        covariance[P, P] += np.eye(3) * c * duration**3 / 3
        covariance[P, V] += np.eye(3) * c * duration**2 / 2
        covariance[V, P] += np.eye(3) * c * duration**2 / 2
        covariance[V, V] += np.eye(3) * c * duration
        return replace(self, position=self.position + self.velocity * duration, covariance=covariance)

    def dynamics(self, rate, force):
        """A of (16) to (19)."""
        a = np.zeros((16, 16))
        a[P, V] = np.eye(3)
        a[V, T] = -self.matrix @ skew(force)
        a[V, A] = -self.matrix
        a[T, T] = -skew(rate)
        a[T, G] = -np.eye(3)
        return a

    def correct(self, innovation, jacobian, noise, gate, inflation=1.0):
        """Joseph's form and the reset. Returns the test ratio and the corrected eskf."""
        p = self.covariance
        s = jacobian @ p @ jacobian.T + noise
        ratio = float(innovation @ np.linalg.solve(s, innovation)) / gate
        r = noise * inflation
        k = p @ jacobian.T @ np.linalg.inv(jacobian @ p @ jacobian.T + r)
        delta = k @ innovation
        rest = np.eye(16) - k @ jacobian
        p = rest @ p @ rest.T + k @ r @ k.T
        g = block_diag(np.eye(6), np.eye(3) - 0.5 * skew(delta[T]), np.eye(7))
        return ratio, replace(
            self,
            position=self.position + delta[P],
            velocity=self.velocity + delta[V],
            attitude=self.attitude * Rotation.from_rotvec(delta[T]),
            accel_bias=self.accel_bias + delta[A],
            gyro_bias=self.gyro_bias + delta[G],
            covariance=g @ p @ g.T,
        )


def random_dense(seed, config=None, spread=1.0):
    """A filter somewhere, turned anyhow, with every correlation that a covariance can have."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((15, 15)) * spread
    scale = np.repeat([1.0, 0.3, 0.05, 0.1, 0.005], 3)
    covariance = np.zeros((16, 16))
    covariance[:15, :15] = (root @ root.T / 15 + 0.3 * np.eye(15)) * np.outer(scale, scale)
    return Dense(
        rng.standard_normal(3) * 10,
        rng.standard_normal(3) * 5,
        Rotation.random(random_state=seed),
        rng.standard_normal(3) * 0.1,
        rng.standard_normal(3) * 0.01,
        covariance,
        PLAIN if config is None else config,
    )


def start(dense, time=0):
    """The filter under test at the same state."""
    eskf = Eskf(dense.config)
    state = State(
        Attitude.from_body_to_ned(dense.attitude.as_quat(), order="xyzw"),
        dense.position,
        dense.velocity,
        dense.accel_bias,
        dense.gyro_bias,
    )
    eskf.initialize_from(state, dense.covariance[:15, :15], time)
    return eskf


def full_covariance(eskf):
    """16 x 16, with the barometer's offset."""
    out = np.zeros((16, 16))
    out[:15, :15] = eskf.covariance
    out[15, :] = out[:, 15] = eskf._native.baro_covariance()
    return out


def assert_same(eskf, dense, rtol=1e-9, tolerance=1e-9, angle=1e-11):
    state = eskf.state
    np.testing.assert_allclose(state.position, dense.position, rtol=rtol, atol=1e-3 * tolerance + 1e-10)
    np.testing.assert_allclose(state.velocity, dense.velocity, rtol=rtol, atol=1e-3 * tolerance + 1e-10)
    np.testing.assert_allclose(
        state.attitude.rotation.as_matrix(), dense.matrix, atol=max(angle, 1e-2 * tolerance)
    )
    np.testing.assert_allclose(state.accel_bias, dense.accel_bias, rtol=rtol, atol=1e-3 * tolerance)
    np.testing.assert_allclose(state.gyro_bias, dense.gyro_bias, rtol=rtol, atol=1e-3 * tolerance)
    # Each entry against what two variances of its rows allow it.
    sigma = np.sqrt(np.maximum(np.diagonal(dense.covariance), 1e-30))
    scaled = (full_covariance(eskf) - dense.covariance) / np.outer(sigma, sigma)
    np.testing.assert_allclose(scaled, 0.0, atol=tolerance)
