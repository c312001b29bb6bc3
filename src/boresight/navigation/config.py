"""What the filter is tuned by: every figure with its unit, its default and its bound.

A configuration is a value: frozen dataclasses, changed with `dataclasses.replace` or, for one figure anywhere in it,
`Config.with_value`. `Config.validate` checks all of it and names the first figure that is out of its bound.

Sources of measurements have one list of names, here and in the health of the filter: gnss_position (horizontal),
gnss_height, gnss_velocity, baro, mag, gnss_heading, course, stationary.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import erf, exp, inf, log, pi, radians, sqrt
from statistics import NormalDist
from typing import Any

from boresight.navigation.figures import ConfigError, bound_of, check_figure, figure, may_be_none

__all__ = [
    "Accuracy",
    "Coast",
    "Config",
    "ConfigError",
    "Correlation",
    "Gates",
    "Hold",
    "ImuNoise",
    "Initialization",
    "Recovery",
    "Timeouts",
]


@dataclass(frozen=True, slots=True)
class ImuNoise:
    """Densities of the noise of the IMU, per square root of hertz.

    The defaults are those of the specification: white noise ten times what an autopilot takes for its own,
    deliberately, since it stands for vibration, scale factors and timing too.

    Attributes
    ----------
    gyro_white : float
        rad/s/√Hz.
    accel_white : float
        m/s²/√Hz.
    gyro_bias_walk : float
        rad/s²/√Hz, of the white noise that drives the bias.
    accel_bias_walk : float
        m/s³/√Hz.
    """

    gyro_white: float = figure(0.015, 10.0, "rad/s/√Hz")
    accel_white: float = figure(0.35, 100.0, "m/s²/√Hz")
    gyro_bias_walk: float = figure(1.1e-4, 1.0, "rad/s²/√Hz", zero=True)
    accel_bias_walk: float = figure(2.2e-3, 10.0, "m/s³/√Hz", zero=True)


# 99.9 % points of chi square with 1, 2 and 3 degrees of freedom.
_ONE, _TWO, _THREE = 10.827566, 13.815511, 16.266236


@dataclass(frozen=True, slots=True)
class Gates:
    """How large a normalised innovation squared a source may have before it is refused: points of chi square.

    A measurement's test ratio is that number over its gate; above 1 it is refused. `Gates.at` makes them from a
    probability.

    Examples
    --------
    >>> Gates.at(0.95).gnss_velocity
    7.814728
    """

    gnss_position: float = figure(_TWO, 1e6)
    gnss_height: float = figure(_ONE, 1e6)
    gnss_velocity: float = figure(_THREE, 1e6)
    baro: float = figure(_ONE, 1e6)
    mag: float = figure(_ONE, 1e6)
    gnss_heading: float = figure(_ONE, 1e6)
    course: float = figure(_ONE, 1e6)
    stationary: float = figure(_THREE, 1e6)

    @staticmethod
    def at(probability: float) -> Gates:
        """Return the gates that let this share of good measurements through.

        Parameters
        ----------
        probability : float
            Above 0 and below 1; 0.999 is the default's.

        Raises
        ------
        ConfigError
            It is no such number.
        """
        if not 0.0 < probability < 1.0:
            raise ConfigError("probability", probability, "above 0, below 1")
        one, two, three = (chi_square_point(probability, freedom) for freedom in (1, 2, 3))
        return Gates(two, one, three, one, one, one, one, three)


def chi_square_point(probability: float, freedom: int) -> float:
    """Return the point of chi square that lies above this probability, for 1, 2 or 3 degrees of freedom; 6 decimals.

    Examples
    --------
    >>> [chi_square_point(0.99, freedom) for freedom in (1, 2, 3)]
    [6.634897, 9.21034, 11.344867]
    """
    root = NormalDist().inv_cdf(0.5 + 0.5 * probability)
    if freedom == 1:
        return round(root * root, 6)
    if freedom == 2:
        return round(-2.0 * log(1.0 - probability), 6)
    low, high = 0.0, 100.0 + root * root
    for _ in range(100):
        x = 0.5 * (low + high)
        below = erf(sqrt(0.5 * x)) - sqrt(2.0 * x / pi) * exp(-0.5 * x)
        low, high = (x, high) if below < probability else (low, x)
    return round(low, 6)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Seconds of nothing but refused measurements after which a source's next one is adopted; None: never.

    Only a source that is refused recovers, not one that is silent. The magnetometer does so only without fresh GNSS
    position, velocity or heading, the course only without a fresh heading. Heading by GNSS, course and yaw estimator
    replace the heading; the estimator after `yaw_estimator` seconds of refused velocities, where the yaw is more than
    25° off.
    """

    gnss_position: float | None = figure(7.0, 3600.0, "s")
    gnss_height: float | None = figure(5.0, 3600.0, "s")
    gnss_velocity: float | None = figure(7.0, 3600.0, "s")
    baro: float | None = figure(5.0, 3600.0, "s")
    mag: float | None = figure(7.0, 3600.0, "s")
    gnss_heading: float | None = figure(7.0, 3600.0, "s")
    course: float | None = figure(7.0, 3600.0, "s")
    yaw_estimator: float | None = figure(1.0, 3600.0, "s")

    @staticmethod
    def off() -> Recovery:
        """No source recovers by itself."""
        return Recovery(*(None,) * len(dataclasses.fields(Recovery)))


@dataclass(frozen=True, slots=True)
class Correlation:
    """Seconds for which a source's error lasts: the time constant τ; None: white, each error is new.

    The gain takes a variance of R(1 + ρ)/(1 − ρ), ρ = exp(−Δt/τ), the gate and adoption take R itself.
    """

    gnss_position: float | None = figure(8.5, 3600.0, "s")
    gnss_height: float | None = figure(37.0, 3600.0, "s")
    gnss_velocity: float | None = figure(0.5, 3600.0, "s")
    baro: float | None = figure(0.26, 3600.0, "s")
    mag: float | None = figure(1.3, 3600.0, "s")
    gnss_heading: float | None = figure(0.25, 3600.0, "s")
    course: float | None = figure(1.4, 3600.0, "s")

    @staticmethod
    def white() -> Correlation:
        """Errors that are new with every measurement."""
        return Correlation(*(None,) * len(dataclasses.fields(Correlation)))


@dataclass(frozen=True, slots=True)
class Coast:
    """What may have happened in a gap that no IMU sample describes.

    Attributes
    ----------
    acceleration : float
        Density, m/s²/√Hz.
    rotation : float
        Density, rad/s/√Hz.
    limit : float
        Seconds; a longer gap is refused. The specification leaves it open: at 60 s the defaults stand for half a
        kilometre and 44°, which is to say that all has to be found anew.
    """

    acceleration: float = figure(2.0, 100.0, "m/s²/√Hz")
    rotation: float = figure(0.1, 10.0, "rad/s/√Hz")
    limit: float = figure(60.0, 600.0, "s")


@dataclass(frozen=True, slots=True)
class Hold:
    """Holding the position while nothing else does, so that the tilt does not run away.

    It begins when no horizontal source was judged for 5 s and σ of the tilt is above 3°: then, every .2 s, the position
    counts as measured where it is, with an error that lasts 2 s.

    Attributes
    ----------
    sigma : float
        m, of the position that is held.
    """

    sigma: float = figure(10.0, 1e4, "m")


@dataclass(frozen=True, slots=True)
class Initialization:
    """What counts as standing still, and how well a start is known.

    Attributes
    ----------
    duration : float
        Seconds at rest that a static start takes.
    peak_rate : float
        rad/s; above, it is not at rest.
    peak_acceleration : float
        m/s², of the specific force's size from gravity's.
    peak_speed : float
        m/s, of velocities where the window has some; above, it is not at rest. The specification has no such figure,
        but a car at a steady speed passes for one that stands, by its IMU alone.
    position, velocity, tilt, yaw, accel_bias, gyro_bias : float
        One standard deviation each: m, m/s, rad, rad, m/s², rad/s.
    """

    duration: float = figure(2.0, 600.0, "s")
    peak_rate: float = figure(0.262, 100.0, "rad/s")
    peak_acceleration: float = figure(1.961, 100.0, "m/s²")
    peak_speed: float = figure(1.0, 1e4, "m/s")
    position: float = figure(1.0, 1e7, "m", low=1e-3, zero=True)
    velocity: float = figure(0.1, 1e4, "m/s", low=1e-3, zero=True)
    tilt: float = figure(0.02, pi, "rad", low=10**-4.5, zero=True)
    yaw: float = figure(0.35, pi, "rad", low=10**-4.5, zero=True)
    accel_bias: float = figure(0.2, 10.0, "m/s²", low=10**-4.5, zero=True)
    gyro_bias: float = figure(0.01, 1.0, "rad/s", low=10**-4.5, zero=True)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a quantity has to be known to count as valid: one standard deviation along each axis.

    Attributes
    ----------
    tilt, heading : float
        Radians.
    position : float
        m, horizontal and vertical.
    velocity : float
        m/s, horizontal and vertical.
    horizon : float
        Seconds ahead for which `predicted_validity` looks, where it is not told.
    """

    tilt: float = figure(radians(3.0), pi, "rad")
    heading: float = figure(radians(30.0), pi, "rad")
    position: float = figure(5.0, 1e7, "m")
    velocity: float = figure(1.0, 1e4, "m/s")
    horizon: float = figure(1.0, 3600.0, "s", zero=True)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """When silence shows in the status.

    Attributes
    ----------
    dead_reckoning_after : float
        Seconds without an accepted GNSS position or velocity.
    """

    dead_reckoning_after: float = figure(5.0, 3600.0, "s")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that the filter is tuned by.

    Attributes
    ----------
    imu, gates, recovery, correlation, initialization, accuracy, timeouts
        See the classes.
    coast : Coast or None
        None refuses every gap longer than `max_predict_dt`.
    hold : Hold or None
        None holds nothing.
    gravity : float
        m/s², 9.7 to 9.9.
    max_predict_dt : float
        Seconds; a longer step is a gap.
    baro_offset_walk : float
        m/√s, of the offset between barometer and height.
    baro_reference_from_estimate : bool
        Whether a barometer without a reference of its own takes it from the estimated height.
    yaw_estimator : bool
        Whether the five-hypothesis estimator runs beside the filter and lends it its heading.
    declination : float or None
        Radians, positive where magnetic north lies east of true north. None: from the magnetic model when an origin
        is placed, zero until then.

    Examples
    --------
    >>> config = Config().with_value("imu.gyro_white", 0.003)
    >>> config.imu.gyro_white, config.imu.accel_white
    (0.003, 0.35)
    >>> Config(gravity=1.62).validate()
    Traceback (most recent call last):
        ...
    boresight.navigation.figures.ConfigError: config.gravity is 1.62; it has to be at least 9.7, at most 9.9 m/s²
    """

    imu: ImuNoise = ImuNoise()
    gates: Gates = Gates()
    recovery: Recovery = Recovery()
    correlation: Correlation = Correlation()
    coast: Coast | None = Coast()
    hold: Hold | None = Hold()
    initialization: Initialization = Initialization()
    accuracy: Accuracy = Accuracy()
    timeouts: Timeouts = Timeouts()
    gravity: float = figure(9.80665, 9.9, "m/s²", low=9.7, zero=True)
    max_predict_dt: float = figure(0.1, 1.0, "s")
    baro_offset_walk: float = figure(0.13, 100.0, "m/√s", zero=True)
    baro_reference_from_estimate: bool = True
    yaw_estimator: bool = True
    declination: float | None = figure(None, pi, "rad", low=-pi, zero=True)

    def validate(self) -> Config:
        """Check every figure and return the configuration itself.

        Raises
        ------
        ConfigError
            A figure is not finite, out of its bound, or no number; the first in the order of the fields.
        """
        for path, value, own in _leaves(self, "config"):
            check_figure(path, value, own)
        if self.coast is not None and self.coast.limit < self.max_predict_dt:
            raise ConfigError(
                "config.coast.limit", self.coast.limit, f"at least max_predict_dt, {self.max_predict_dt:g}"
            )
        return self

    def with_value(self, path: str, value: Any) -> Config:
        """Return the configuration with one figure replaced, named by its path: ``"imu.gyro_white"``, ``"coast"``.

        Raises
        ------
        ConfigError
            There is no such figure.
        """
        return _replaced(self, path.split("."), path, value)

    def unit(self, path: str) -> str:
        """Return the unit of a figure; empty where it has none.

        Raises
        ------
        ConfigError
            There is no such figure.

        Examples
        --------
        >>> Config().unit("imu.gyro_white")
        'rad/s/√Hz'
        """
        for own_path, _, own in _leaves(self, "config"):
            if own_path == f"config.{path}":
                bound = bound_of(own)
                return "" if bound is None else bound.unit
        self.with_value(path, None)  # says which figures there are, if there is none of this name
        return ""

    def flat(self) -> dict[str, float]:
        """Return what the native filter is made of: every figure as a float under one name.

        What is off is infinite as a recovery and zero as a time constant or a hold; True is one.
        """
        flat = {own.name: float(getattr(self.imu, own.name)) for own in dataclasses.fields(self.imu)}
        for name, part, off in (
            ("gate", self.gates, inf),
            ("recovery", self.recovery, inf),
            ("tau", self.correlation, 0.0),
            ("accuracy", self.accuracy, inf),
        ):
            for own in dataclasses.fields(part):
                value = getattr(part, own.name)
                flat[f"{name}_{own.name}"] = off if value is None else float(value)
        coast = self.coast or Coast()
        return flat | {
            "gravity": float(self.gravity),
            "max_predict_dt": float(self.max_predict_dt),
            "coast": float(self.coast is not None),
            "coast_acceleration": float(coast.acceleration),
            "coast_rotation": float(coast.rotation),
            "coast_limit": float(coast.limit),
            "hold": float(self.hold.sigma) if self.hold else 0.0,
            "baro_offset_walk": float(self.baro_offset_walk),
            "baro_reference_from_estimate": float(self.baro_reference_from_estimate),
            "yaw_estimator": float(self.yaw_estimator),
            "dead_reckoning_after": float(self.timeouts.dead_reckoning_after),
        }

    def figures(self) -> Mapping[str, Any]:
        """Return every figure by its path, in order.

        Examples
        --------
        >>> Config().figures()["recovery.gnss_velocity"]
        7.0
        """
        return {path.removeprefix("config."): value for path, value, _ in _leaves(self, "config")}


def _leaves(part: Any, path: str) -> Iterator[tuple[str, Any, dataclasses.Field[Any]]]:
    for own in dataclasses.fields(part):
        value = getattr(part, own.name)
        here = f"{path}.{own.name}"
        default: Any = own.default
        if dataclasses.is_dataclass(value):
            yield from _leaves(value, here)
        elif dataclasses.is_dataclass(default):
            if value is not None or not may_be_none(own):
                name = type(default).__name__
                article = "an" if name[0] in "AI" else "a"
                raise ConfigError(here, value, f"{article} {name}" + (" or None" if may_be_none(own) else ""))
        else:
            yield here, value, own


def _replaced(part: Any, names: list[str], path: str, value: Any) -> Any:
    name, rest = names[0], names[1:]
    known = [own.name for own in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else []
    if name not in known:
        raise ConfigError(
            f"config.{path}", value, f"a figure that exists; here there are: {', '.join(known)}"
        )
    own: Any = part
    if rest:
        value = _replaced(getattr(part, name), rest, path, value)
    return dataclasses.replace(own, **{name: value})
