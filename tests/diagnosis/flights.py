"""Flights made of smooth functions, with what every sensor of them would say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
NED_DOWN = np.array([0.0, 0.0, 9.80665])


@dataclass
class Flight:
    """Attitude FRD to NED as (x, y, z, w), and sensors in FRD, on one clock."""

    time: Floats
    quat: Floats
    gyro: Floats
    accel: Floats
    velocity: Floats
    mag: Floats

    @property
    def rotation(self) -> Rotation:
        return Rotation.from_quat(self.quat)


def angles(t: Floats, lively: float) -> Floats:
    """Yaw, pitch, roll: turns on all headings, tilts of up to about 50 degrees times `lively`."""
    yaw = 0.5 * t + 1.5 * np.sin(0.31 * t)
    pitch = lively * 0.8 * np.sin(0.63 * t + 0.4)
    roll = lively * 0.9 * np.sin(0.97 * t)
    return np.stack([yaw, pitch, roll], axis=-1)


def velocity(t: Floats) -> Floats:
    return np.stack([8.0 * np.sin(0.4 * t), 6.0 * np.cos(0.5 * t + 1.0), 1.5 * np.sin(0.8 * t)], axis=-1)


def flight(
    seconds: float = 60.0,
    rate: float = 100.0,
    *,
    lively: float = 1.0,
    noise: float = 0.003,
    seed: int = 0,
    planar: bool = False,
) -> Flight:
    """Make one."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, seconds, 1.0 / rate)

    def turned(moments: Floats) -> Rotation:
        chosen = angles(moments, lively)
        if planar:
            chosen[:, 1:] = 0.0
        return Rotation.from_euler("ZYX", chosen)

    h = 1e-4
    now = turned(t)
    gyro = (turned(t - h).inv() * turned(t + h)).as_rotvec() / (2 * h)
    acceleration = (velocity(t + h) - velocity(t - h)) / (2 * h)
    accel = now.inv().apply(acceleration - NED_DOWN)
    mag = now.inv().apply([0.22, 0.01, 0.42])

    def noisy(values: Floats, deviation: float) -> Floats:
        return values + rng.normal(size=values.shape) * deviation

    return Flight(
        t,
        now.as_quat(),
        noisy(gyro, noise),
        noisy(accel, 10 * noise),
        noisy(velocity(t), noise),
        noisy(mag, 0.1 * noise),
    )


def stored(quat: Floats, order: str, direction: str) -> Floats:
    """Write an attitude down under a reading."""
    q = quat if direction == "body_to_world" else quat * (-1.0, -1.0, -1.0, 1.0)
    return q if order == "xyzw" else q[:, [3, 0, 1, 2]]
