"""How the filter starts: from a window of samples, from a single one, or from a state that is known.

A window at rest and long enough gives a *static* start: roll and pitch from gravity, the yaw from the magnetic field, the
gyro's bias from its mean. Any other gives a *coarse* one, with the reason: it is never refused, its covariance says what
it is worth. Equations (5) to (8″) of the specification.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from math import pi, sqrt
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight import kernels
from boresight.attitude import Attitude
from boresight.errors import BoresightError, DataError
from boresight.frames import FrameLike
from boresight.navigation.calls import instance, number, numbers
from boresight.navigation.config import Config
from boresight.navigation.moments import moment
from boresight.navigation.state import STATES, State
from boresight.navigation.window import StaticWindow, Summary
from boresight.tangents import cross_matrix

__all__ = [
    "Alignment",
    "InitError",
    "InitializationError",
    "NotStationary",
    "Start",
    "WindowTooShort",
    "initialize",
    "initialize_coarse",
    "initialize_from",
]

Array = NDArray[Any]

# Below these a variance is no variance: the floors that the filter itself keeps.
FLOORS = np.repeat([1e-6, 1e-6, 1e-9, 1e-9, 1e-9], 3)
_EARTH_RATE = 7.292e-5  # rad/s: what a gyro at rest shows and the filter does not model
_ANY_YAW = pi / sqrt(3.0)  # σ of an angle that may be anything
_P, _V, _T, _A, _G = (slice(3 * i, 3 * i + 3) for i in range(5))


class InitError(Enum):
    """Why a filter could not start."""

    NO_SAMPLES = "no samples"
    INVALID_INTERVAL = "an interval that is not positive or not finite"
    INVALID_STEP = "a time that does not follow the one before"
    NOT_FINITE = "a number that is not finite"
    INVALID_VARIANCE = "a variance below the floor"


class InitializationError(BoresightError, ValueError):
    """A filter could not start; `reason` says why.

    Examples
    --------
    >>> print(InitializationError(InitError.NOT_FINITE, "the attitude"))
    the filter cannot start: a number that is not finite (the attitude)
    """

    reason: InitError

    def __init__(self, reason: InitError, what: str = "") -> None:
        self.reason, self.what = reason, what
        super().__init__(f"the filter cannot start: {reason.value}" + (f" ({what})" if what else ""))

    def __reduce__(self) -> tuple[type[InitializationError], tuple[InitError, str]]:
        return type(self), (self.reason, self.what)


@final
@dataclass(frozen=True, slots=True)
class WindowTooShort:
    """The window was at rest for less time than a static start takes; seconds."""

    required: float
    provided: float

    def __str__(self) -> str:
        return f"{self.provided:.3g} s at rest where {self.required:g} s are needed"


@final
@dataclass(frozen=True, slots=True)
class NotStationary:
    """The window was not at rest.

    Attributes
    ----------
    peak_gyro : float
        rad/s.
    peak_accel_deviation : float
        m/s², of the specific force's size from gravity's.
    span : float
        Seconds.
    peak_speed : float
        m/s; NaN where the window had no velocities.
    """

    peak_gyro: float
    peak_accel_deviation: float
    span: float
    peak_speed: float

    def __str__(self) -> str:
        speed = "" if np.isnan(self.peak_speed) else f", {self.peak_speed:.3g} m/s"
        return f"{self.peak_gyro:.3g} rad/s and {self.peak_accel_deviation:.3g} m/s² off gravity{speed} in {self.span:.3g} s"


class Kind(Enum):
    """The kinds of start."""

    STATIC = auto()
    COARSE = auto()
    SEEDED = auto()


@final
@dataclass(frozen=True, slots=True)
class Alignment:
    """How a filter started: `Alignment.STATIC`, `Alignment.SEEDED`, or `Alignment.coarse(reason)`.

    Examples
    --------
    >>> Alignment.coarse(WindowTooShort(required=2.0, provided=0.5))
    COARSE(0.5 s at rest where 2 s are needed)
    """

    STATIC: ClassVar[Alignment]
    SEEDED: ClassVar[Alignment]

    kind: Kind
    reason: WindowTooShort | NotStationary | None = None

    @staticmethod
    def coarse(reason: WindowTooShort | NotStationary) -> Alignment:
        """Make a coarse alignment with its reason."""
        return Alignment(Kind.COARSE, reason)

    @property
    def is_static(self) -> bool:
        """Whether it is from a window at rest that was long enough."""
        return self.kind is Kind.STATIC

    def __repr__(self) -> str:
        return f"{self.kind.name}({self.reason})" if self.reason else self.kind.name


Alignment.STATIC = Alignment(Kind.STATIC)
Alignment.SEEDED = Alignment(Kind.SEEDED)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What a filter starts from: `Eskf.load` takes it, and `run` as its ``seed=``.

    The methods of `Eskf` that are called as the functions here make one and load it.

    Attributes
    ----------
    time : int
        Nanoseconds, of the last sample.
    state : State
        Position, velocity, attitude and biases.
    covariance : array, shape (15, 15)
        Of the error: position, velocity, attitude in the body, accelerometer's bias, gyro's bias.
    alignment : Alignment
        How it came about.
    position_established, velocity_established, heading_established : bool
        What counts as known; the first measurement of what is not is adopted as it is.
    heading_magnetic : bool
        Whether the heading counts from magnetic north, with a declination that is not known yet.
    baro_reference : tuple of two floats, or None
        Mean of the barometer's altitudes at rest, m, and the variance of that mean.
    clear_origin : bool
        Whether positions count from here, so that an origin from before no longer holds.
    """

    time: int
    state: State
    covariance: Array
    alignment: Alignment
    position_established: bool
    velocity_established: bool
    heading_established: bool
    heading_magnetic: bool = False
    baro_reference: tuple[float, float] | None = None
    clear_origin: bool = False


def initialize(window: StaticWindow, config: Config | None = None) -> Start:
    """Start from a window of samples.

    Parameters
    ----------
    window : StaticWindow
        The samples.
    config : Config, optional
        Whose `initialization`, `gravity`, `imu` and `declination` count.

    Returns
    -------
    Start
        Static where the window is at rest and long enough, else coarse.

    Raises
    ------
    InitializationError
        The window holds no IMU sample. Where all were refused, the reason is that of the last one.

    Examples
    --------
    Two seconds level and still, facing magnetic east:

    >>> from boresight.frames import FRD
    >>> window = StaticWindow()
    >>> for i in range(200):
    ...     window.add_imu(10_000_000 * i, [0, 0, 0], [0, 0, -9.80665], interval=0.01, frame=FRD)
    >>> window.add_magnetic_field(0, [0.0, -0.2, 0.4], frame=FRD)
    >>> start = initialize(window)
    >>> start.alignment, np.degrees(start.state.attitude.euler_angles()).round(6) + 0.0
    (STATIC, array([ 0.,  0., 90.]))
    """
    config = config or Config()
    instance("the window", window, StaticWindow, "a StaticWindow, to which samples were added")
    summary = window.summary(config.gravity)
    if summary is None:
        last = window.last_refusal
        raise InitializationError(InitError.NO_SAMPLES if last is None else InitError[last.name])
    return _start(summary, config)


def initialize_coarse(
    time: int,
    rate: ArrayLike,
    specific_force: ArrayLike,
    *,
    frame: FrameLike,
    magnetic_field: ArrayLike | None = None,
    interval: float = 0.0,
    config: Config | None = None,
) -> Start:
    """Start from one IMU sample; nothing counts as established.

    Parameters
    ----------
    time : int
        Nanoseconds.
    rate, specific_force : array_like, shape (3,)
        rad/s and m/s².
    frame : type of Frame
        Body axes of the vectors.
    magnetic_field : array_like, shape (3,), optional
        In any unit.
    interval : float
        Seconds that the sample stands for.
    config : Config, optional
        Whose `initialization` and `gravity` count.

    Raises
    ------
    InitializationError
        The sample is not finite.
    """
    config = config or Config()
    window = StaticWindow()
    interval = number("interval", interval, "s")
    if not 0.0 <= interval < float("inf"):
        raise InitializationError(InitError.INVALID_INTERVAL, f"{interval:g} s")
    refused = window.add_imu(time, rate, specific_force, interval=max(interval, 1e-9), frame=frame)
    if refused is None and magnetic_field is not None:
        refused = window.add_magnetic_field(time, magnetic_field, frame=frame)
    if refused is not None:
        raise InitializationError(InitError[refused.name])
    summary = window.summary(config.gravity)
    assert summary is not None  # it holds the sample
    reason = WindowTooShort(config.initialization.duration, interval)
    return _start(summary, config, Alignment.coarse(reason))


def initialize_from(state: State, covariance: ArrayLike, time: int) -> Start:
    """Start from a state that is known; everything counts as established, and nothing is looked at twice.

    An attitude in a wrong convention is the one error that nothing downstream detects: that is why a `State` takes an
    `Attitude`, whose constructors say what the numbers are.

    Parameters
    ----------
    state : State
        Where and how.
    covariance : array_like, shape (15, 15) or (15,)
        Of the error; or its diagonal alone. It is made symmetric.
    time : int
        Nanoseconds.

    Raises
    ------
    InitializationError
        `NOT_FINITE`: a number of the state or the covariance is not finite, which an attitude of zeros or NaN is too.
        `INVALID_VARIANCE`: a variance lies below the floor (1e-6 m², 1e-6 m²/s², 1e-9 rad² and below for the biases).
    DataError
        The covariance has another shape.
    """
    instance("the state", state, State, "a State(attitude, position=..., velocity=...)")
    given = numbers("covariance", covariance, "(15, 15) numbers, or its diagonal (15,)")
    if given.shape == (STATES,):
        given = np.diag(given)
    if given.shape != (STATES, STATES):
        raise DataError(
            f"the covariance has shape {given.shape}", advice="give (15, 15), or its diagonal (15,)"
        )
    if not state.is_finite:
        raise InitializationError(InitError.NOT_FINITE, "the state")
    if not np.isfinite(given).all():
        raise InitializationError(InitError.NOT_FINITE, "the covariance")
    low = np.flatnonzero(np.diagonal(given) < FLOORS)
    if low.size:
        i = int(low[0])
        raise InitializationError(
            InitError.INVALID_VARIANCE,
            f"entry {i}, {given[i, i]:g}, where at least {FLOORS[i]:g} is possible",
        )
    symmetric = 0.5 * (given + given.T)
    return Start(moment(time), state, symmetric, Alignment.SEEDED, True, True, True)


def _start(summary: Summary, config: Config, alignment: Alignment | None = None) -> Start:
    """Put state and covariance together from what a window shows; an alignment that is given establishes nothing."""
    own = config.initialization
    at_rest = alignment is None and _at_rest(summary, config)
    if alignment is None:
        alignment = _alignment(summary, config, at_rest)
    attitude, yaw_known = _attitude(summary.force, summary.field, config)
    down = kernels.rotate_inverse(attitude, np.array([0.0, 0.0, 1.0]))
    bias, bias_variance = np.zeros(3), np.full(3, own.gyro_bias**2)
    if at_rest:
        noise = summary.rate_variance(config.imu.gyro_white)
        gain = own.gyro_bias**2 / (own.gyro_bias**2 + noise)
        bias = gain * summary.rate
        bias_variance = np.maximum(gain * noise + _EARTH_RATE**2, FLOORS[_G])
    tilt, yaw = own.tilt, own.yaw
    if not alignment.is_static:
        tilt, yaw = _coarse_sigmas(summary, down, config)
    covariance = np.zeros((STATES, STATES))
    covariance[_P, _P] = np.eye(3) * own.position**2
    covariance[_V, _V] = np.eye(3) * own.velocity**2
    covariance[_A, _A] = np.eye(3) * own.accel_bias**2
    covariance[_G, _G] = np.diag(bias_variance)
    # What the accelerometer's bias adds to the tilt is known to be the bias's, in the cross block; λ is the rest's
    # least, the noise of the mean. Ideal samples have none, and the floor keeps the matrix positive definite.
    from_bias = (own.accel_bias / config.gravity) ** 2
    across = np.trace(summary.force_covariance) - down @ summary.force_covariance @ down
    least = max(across / (2.0 * summary.count * config.gravity**2), float(FLOORS[_T.start]))
    tilt_variance = from_bias + max(tilt**2 - from_bias, least)
    yaw_variance = yaw**2 if yaw_known else _ANY_YAW**2
    turned = kernels.to_matrix(attitude)
    covariance[_T, _T] = turned.T @ np.diag([tilt_variance, tilt_variance, yaw_variance]) @ turned
    cross = -(own.accel_bias**2 / config.gravity) * cross_matrix(down)
    covariance[_T, _A], covariance[_A, _T] = cross, cross.T
    state = State(Attitude.from_body_to_ned(attitude, order="xyzw"), gyro_bias=bias)
    return Start(
        time=summary.time,
        state=state,
        covariance=0.5 * (covariance + covariance.T),
        alignment=alignment,
        position_established=at_rest,
        velocity_established=at_rest,
        heading_established=at_rest and yaw_known,
        heading_magnetic=yaw_known and config.declination is None,
        baro_reference=summary.baro_reference if at_rest else None,
        clear_origin=at_rest,
    )


def _at_rest(summary: Summary, config: Config) -> bool:
    own = config.initialization
    still = summary.peak_rate <= own.peak_rate and summary.peak_deviation <= own.peak_acceleration
    # Without velocities a NaN, which is above nothing.
    return still and not summary.peak_speed > own.peak_speed


def _alignment(summary: Summary, config: Config, at_rest: bool) -> Alignment:
    if not at_rest:
        moving = NotStationary(summary.peak_rate, summary.peak_deviation, summary.span, summary.peak_speed)
        return Alignment.coarse(moving)
    required = config.initialization.duration
    # Half a sample of slack: 200 samples of 10 ms that were counted in float are 2 s.
    if summary.span < required - 0.5 * summary.span / summary.count:
        return Alignment.coarse(WindowTooShort(required, summary.span))
    return Alignment.STATIC


def _attitude(force: Array, field: Array | None, config: Config) -> tuple[Array, bool]:
    """Return the quaternion xyzw from gravity and field, and whether the yaw is known; without it, it is zero."""
    if not force.any():
        return np.array([0.0, 0.0, 0.0, 1.0]), False  # free fall, or no accelerometer: there is no down
    roll = np.arctan2(-force[1], -force[2])
    pitch = np.arctan2(force[0], np.hypot(force[1], force[2]))
    level = kernels.from_euler("ZYX", np.array([0.0, pitch, roll]), degrees=False)
    if field is None:
        return level, False
    flat = kernels.rotate(level, field)
    # Of a field that is vertical to a degree there is nothing to see a heading from.
    if not np.hypot(flat[0], flat[1]) > 0.02 * np.linalg.norm(flat):
        return level, False
    yaw = (config.declination or 0.0) - np.arctan2(flat[1], flat[0])
    return kernels.from_euler("ZYX", np.array([yaw, pitch, roll]), degrees=False), True


def _coarse_sigmas(summary: Summary, down: Array, config: Config) -> tuple[float, float]:
    """Return σ of tilt and yaw of a window that was not at rest, or not for long (8′).

    Beyond the specification's bounds, what the velocities show of acceleration counts as tilt: a car that speeds up at
    1.3 m/s² leans its gravity by 8°, and the size of its specific force tells of half a degree.
    """
    own = config.initialization
    turned = summary.rate * summary.span
    upright = float(down @ turned)
    tilt = max(
        own.tilt,
        abs(float(np.linalg.norm(summary.force)) - config.gravity) / config.gravity,
        float(np.linalg.norm(turned - upright * down)),
        summary.acceleration / config.gravity,
    )
    first, second = summary.halves
    if first.force is not None and second.force is not None:
        tilt = max(tilt, _angle(first.force, second.force))
    yaw = max(own.yaw, abs(upright))
    if summary.field is not None:
        level = kernels.rotate(_attitude(summary.force, None, config)[0], summary.field)
        yaw = max(yaw, float(abs(level[2]) / max(np.hypot(level[0], level[1]), 1e-300)) * tilt)
        if first.force is not None and second.force is not None:
            headings = [
                _heading(half.force, half.field, config)
                for half in (first, second)
                if half.force is not None and half.field is not None
            ]
            if len(headings) == 2:
                yaw = max(yaw, abs((headings[1] - headings[0] + pi) % (2.0 * pi) - pi))
    return min(tilt, _ANY_YAW), min(yaw, _ANY_YAW)


def _heading(force: Array, field: Array, config: Config) -> float:
    return float(kernels.to_euler("ZYX", _attitude(force, field, config)[0], degrees=False)[0])


def _angle(a: Array, b: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
