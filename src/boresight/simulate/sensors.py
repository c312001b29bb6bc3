"""What imperfect sensors make of the truth.

Each sensor is a dataclass of its figures with a method that takes a trajectory and a random generator and
returns its readings; None in place of a sensor leaves it out. Noise densities are per square root of hertz,
as data sheets give them; a "walk" is the density of the white noise that drives a bias.

Biases are drawn once at the start from their `*_bias` (one standard deviation, each axis) and then walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boresight import kernels
from boresight.attitude import Attitude
from boresight.simulate.taylor import Array
from boresight.simulate.trajectories import Trajectory

__all__ = [
    "Barometer",
    "BarometerReadings",
    "Estimate",
    "EstimateReadings",
    "Field",
    "Gnss",
    "GnssReadings",
    "Imu",
    "ImuReadings",
    "Magnetometer",
    "sample_times",
]

Generator = np.random.Generator
# Gauss-Legendre nodes and weights on (0, 1): three of them integrate a flight's motion over 10 ms to
# rounding.
_NODES = (0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15))
_WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)


def sample_times(start: float, duration: float, rate: float) -> npt.NDArray[np.int64]:
    """Return whole microseconds of samples at `rate` Hz over `duration` seconds, both ends included."""
    first = round(start * 1e6)
    count = int(np.floor(duration * rate * (1.0 + 1e-12))) + 1
    return first + np.rint(np.arange(count) * (1e6 / rate)).astype(np.int64)


def _seconds(time: npt.NDArray[np.int64]) -> Array:
    return time.astype(np.float64) * 1e-6


def random_walk(rng: Generator, steps: Array, initial: float, density: float, width: int) -> Array:
    """Make a value per axis that starts somewhere (1 sigma `initial`) and walks, shape (n, width)."""
    increments = rng.standard_normal((len(steps), width)) * density * np.sqrt(steps)[:, None]
    increments[:1] = rng.standard_normal((1, width)) * initial
    return np.cumsum(increments, axis=0)


def correlated(rng: Generator, steps: Array, sigma: Array | float, tau: Array | float, width: int) -> Array:
    """Make a first-order Gauss-Markov process, shape (n, width).

    `sigma` is its standard deviation from the first row on, `tau` its time constant in the unit of `steps`; each one
    number, or one for each column.
    """
    drive = rng.standard_normal((len(steps), width)) * sigma
    out = np.empty_like(drive)
    last: Array = np.zeros(width)
    keep = np.exp(-steps[:, None] / tau) * np.ones(width)
    keep[:1] = 0.0
    new = np.sqrt(1.0 - keep * keep)
    for i in range(len(steps)):
        last = keep[i] * last + new[i] * drive[i]
        out[i] = last
    return out


@dataclass(frozen=True)
class ImuReadings:
    """Mean rate and specific force over the interval that ends at each instant; body axes (FRD)."""

    time: npt.NDArray[np.int64]  # microseconds
    interval: npt.NDArray[np.int64]  # microseconds
    rate: Array
    specific_force: Array
    gyro_bias: Array
    accel_bias: Array


@dataclass(frozen=True)
class Imu:
    """Gyroscopes and accelerometers that integrate over their sample interval, as an autopilot's do."""

    rate: float = 200.0  # Hz
    gyro_noise: float = 2.5e-4  # rad/s/sqrt(Hz)
    gyro_bias: float = 5e-3  # rad/s
    gyro_walk: float = 1e-5  # rad/s2/sqrt(Hz)
    accel_noise: float = 3e-3  # m/s2/sqrt(Hz)
    accel_bias: float = 5e-2  # m/s2
    accel_walk: float = 1e-4  # m/s3/sqrt(Hz)

    def read(self, trajectory: Trajectory, start: float, duration: float, rng: Generator) -> ImuReadings:
        """Return readings from one sample after `start` on."""
        time = sample_times(start, duration, self.rate)
        begin, interval = time[:-1], np.diff(time)
        length = _seconds(interval)
        rate, force = np.zeros((len(begin), 3)), np.zeros((len(begin), 3))
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            truth = trajectory.at(_seconds(begin) + node * length)
            rate += weight * truth.rate
            force += weight * truth.specific_force
        spread = np.sqrt(1.0 / length)[:, None]  # a mean over dt of noise of density d has sigma d / sqrt(dt)
        gyro_bias = random_walk(rng, length, self.gyro_bias, self.gyro_walk, 3)
        accel_bias = random_walk(rng, length, self.accel_bias, self.accel_walk, 3)
        rate += gyro_bias + rng.standard_normal(rate.shape) * self.gyro_noise * spread
        force += accel_bias + rng.standard_normal(force.shape) * self.accel_noise * spread
        return ImuReadings(time[1:], interval, rate, force, gyro_bias, accel_bias)


@dataclass(frozen=True)
class GnssReadings:
    """Positions (north, east, down of the origin) and velocities, and the accuracies that are claimed."""

    time: npt.NDArray[np.int64]  # microseconds, of the measurement
    published: npt.NDArray[np.int64]  # microseconds, when it was known
    position: Array
    velocity: Array
    horizontal: float
    vertical: float
    speed: float


@dataclass(frozen=True)
class Gnss:
    """A satellite receiver: white noise, and an error that wanders, as that of a real one mostly does."""

    rate: float = 5.0
    horizontal: float = 0.3  # m, white, each axis
    vertical: float = 0.5  # m, white
    speed: float = 0.1  # m/s, white, each axis
    wander: float = 0.0  # m, 1 sigma of the correlated error, each horizontal axis
    wander_time: float = 60.0  # s
    wander_vertical: float = 1.5  # of the vertical axis, times the horizontal ones'
    wander_vertical_time: float | None = None  # s; as that of the horizontal axes
    speed_wander: float = 0.0  # m/s
    speed_wander_time: float = 0.5  # s
    delay: float = 0.11  # s from measurement to message
    outages: tuple[tuple[float, float], ...] = ()  # seconds of the scenario from, until: no messages
    antenna: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, of the antenna in the body (FRD)

    def read(self, trajectory: Trajectory, start: float, duration: float, rng: Generator) -> GnssReadings:
        """Return readings of the antenna's place and velocity."""
        time = sample_times(start, duration, self.rate)
        seconds = _seconds(time)
        truth = trajectory.at(seconds)
        arm = np.asarray(self.antenna)
        steps = np.diff(seconds, prepend=seconds[:1])
        position = truth.position + kernels.rotate(truth.attitude, arm)
        velocity = truth.velocity + kernels.rotate(truth.attitude, np.cross(truth.rate, arm))
        white = np.array([self.horizontal, self.horizontal, self.vertical])
        position = position + rng.standard_normal(position.shape) * white
        velocity = velocity + rng.standard_normal(velocity.shape) * self.speed
        # Drawn whether wanted or not, so that switching the wander on leaves the white noise as it was.
        sigma = self.wander * np.array([1.0, 1.0, self.wander_vertical])
        up = self.wander_time if self.wander_vertical_time is None else self.wander_vertical_time
        position += correlated(rng, steps, sigma, np.array([self.wander_time, self.wander_time, up]), 3)
        velocity += correlated(rng, steps, self.speed_wander, self.speed_wander_time, 3)
        heard = np.ones(len(time), dtype=np.bool_)
        for begin, end in self.outages:
            heard &= (seconds < begin) | (seconds >= end)
        return GnssReadings(
            time[heard],
            time[heard] + round(self.delay * 1e6),
            position[heard],
            velocity[heard],
            float(np.hypot(self.horizontal, self.wander)),
            float(np.hypot(self.vertical, self.wander_vertical * self.wander)),
            float(np.hypot(self.speed, self.speed_wander)),
        )


@dataclass(frozen=True)
class BarometerReadings:
    """Altitudes above mean sea level (m), pressures (Pa) and temperatures (degC)."""

    time: npt.NDArray[np.int64]
    altitude: Array
    pressure: Array
    temperature: Array


@dataclass(frozen=True)
class Barometer:
    """A barometer in the standard atmosphere, which knows its altitude up to an offset that drifts."""

    rate: float = 20.0
    noise: float = 0.1  # m
    offset: float = 1.0  # m, 1 sigma
    drift: float = 0.02  # m/sqrt(s)

    def read(
        self, trajectory: Trajectory, start: float, duration: float, rng: Generator, *, ground: float
    ) -> BarometerReadings:
        """Return readings; `ground` is the origin's altitude above mean sea level."""
        time = sample_times(start, duration, self.rate)
        seconds = _seconds(time)
        steps = np.diff(seconds, prepend=seconds[:1])
        altitude = ground - trajectory.at(seconds).position[:, 2]
        altitude = altitude + random_walk(rng, steps, self.offset, self.drift, 1)[:, 0]
        altitude = altitude + rng.standard_normal(altitude.shape) * self.noise
        temperature = 15.0 - 6.5e-3 * altitude
        pressure = 101_325.0 * (1.0 - 2.25577e-5 * altitude) ** 5.25588  # ISO 2533, the lowest layer
        return BarometerReadings(time, altitude, pressure, temperature)


@dataclass(frozen=True)
class Field:
    """The magnetic field of a place."""

    declination: float  # degrees, positive where magnetic north lies east of true north
    inclination: float  # degrees, positive where the field points down
    strength: float  # gauss

    def ned(self) -> Array:
        """Components north, east, down in gauss, shape (3,)."""
        d, i = np.radians(self.declination), np.radians(self.inclination)
        return self.strength * np.array([np.cos(i) * np.cos(d), np.cos(i) * np.sin(d), np.sin(i)])


@dataclass(frozen=True)
class Magnetometer:
    """Three axes fixed to the body."""

    rate: float = 20.0
    noise: float = 0.003  # gauss
    bias: float = 0.005  # gauss, 1 sigma, each axis

    def read(
        self, trajectory: Trajectory, start: float, duration: float, rng: Generator, *, field: Field
    ) -> tuple[npt.NDArray[np.int64], Array]:
        """Return times in microseconds and the field in body axes (FRD), gauss, shape (n, 3)."""
        time = sample_times(start, duration, self.rate)
        truth = trajectory.at(_seconds(time))
        body = kernels.rotate_inverse(truth.attitude, field.ned())
        bias = rng.standard_normal(3) * self.bias
        return time, body + bias + rng.standard_normal(body.shape) * self.noise


@dataclass(frozen=True)
class EstimateReadings:
    """What the vehicle's own estimator says."""

    attitude_time: npt.NDArray[np.int64]
    attitude: Array  # xyzw, body FRD to NED
    position_time: npt.NDArray[np.int64]
    position: Array
    velocity: Array
    heading: Array  # radians clockwise from north
    rate_time: npt.NDArray[np.int64]
    rate: Array  # body axes (FRD)


@dataclass(frozen=True)
class Estimate:
    """The vehicle's own estimate: the truth with small smooth errors, since no estimator runs in here.

    Errors are sums of a few slow sines, so that the velocity's error is exactly the derivative of the
    position's. A vehicle whose software mistakes conventions stores its attitude as ROS has it (`stored`), in fields
    that say PX4.
    """

    attitude_rate: float = 50.0  # Hz
    position_rate: float = 10.0
    angular_velocity_rate: float = 50.0
    position: float = 0.15  # m, 1 sigma
    tilt: float = 0.3  # degrees, 1 sigma, each axis
    heading: float = 0.8  # degrees, 1 sigma
    rate_noise: float = 3e-3  # rad/s
    stored: Literal["px4", "ros"] = "px4"  # what the stored quaternions really are: "ros" is FLU to ENU

    def read(self, trajectory: Trajectory, start: float, duration: float, rng: Generator) -> EstimateReadings:
        """Return readings at the three rates."""
        position_error = _Wobble(rng, self.position)
        turn_error = _Wobble(rng, np.radians([self.tilt, self.tilt, self.heading]))
        attitude_time, attitude = self._attitude(trajectory, start, duration, self.attitude_rate, turn_error)
        if self.stored == "ros":
            attitude = Attitude.from_body_to_ned(attitude, order="xyzw").flu_to_enu(order="xyzw")
        position_time, coarse = self._attitude(trajectory, start, duration, self.position_rate, turn_error)
        truth = trajectory.at(_seconds(position_time))
        rate_time = sample_times(start, duration, self.angular_velocity_rate)
        rate_truth = trajectory.at(_seconds(rate_time)).rate
        return EstimateReadings(
            attitude_time,
            attitude,
            position_time,
            truth.position + position_error(position_time, 0),
            truth.velocity + position_error(position_time, 1),
            kernels.to_euler("ZYX", coarse, degrees=False)[:, 0],
            rate_time,
            rate_truth + rng.standard_normal(rate_truth.shape) * self.rate_noise,
        )

    def _attitude(
        self, trajectory: Trajectory, start: float, duration: float, rate: float, error: _Wobble
    ) -> tuple[npt.NDArray[np.int64], Array]:
        time = sample_times(start, duration, rate)
        # The error turns about the earth's axes, on the left: tilt north and east, heading down.
        return time, kernels.multiply(kernels.exp(error(time, 0)), trajectory.at(_seconds(time)).attitude)


class _Wobble:
    """Three smooth functions of time, each a sum of four sines with periods from 8 to 60 seconds."""

    def __init__(self, rng: Generator, sigma: Any) -> None:
        self.omega = 2.0 * np.pi / rng.uniform(8.0, 60.0, (4, 3))
        self.phase = rng.uniform(0.0, 2.0 * np.pi, (4, 3))
        self.amplitude = np.asarray(sigma) * np.sqrt(2.0 / 4.0)

    def __call__(self, time: npt.NDArray[np.int64], derivative: int) -> Array:
        """Values (or those of a derivative) at times in microseconds, shape (n, 3)."""
        angle = _seconds(time)[:, None, None] * self.omega + self.phase + derivative * (np.pi / 2.0)
        return (np.sin(angle) * self.omega**derivative).sum(axis=1) * self.amplitude
