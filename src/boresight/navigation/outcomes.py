"""What became of a sample or of a measurement, and what the estimate may claim: the filter's answers.

An outcome is a value. Its `name` says what happened and its `kind` is the class's constant of that name, so that
``outcome.kind is Fusion.REJECTED`` reads well; what else is known stands beside it. Nothing that comes from data is
an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NamedTuple, final

__all__ = ["Fusion", "GnssFusion", "Propagation", "Status", "Validity"]


@final
@dataclass(frozen=True, slots=True)
class Propagation:
    """What became of one IMU sample.

    ===================== ================================================================================
    PROPAGATED            the state moved on across it
    COASTED               it ended a gap of `dt` seconds, longer than ``max_predict_dt``: the position went on with
                          the velocity, the covariance grew by what may have happened, the sample itself was not used
    STEP_TOO_LONG         it came `dt` seconds after the state, beyond the `limit`: the longest gap that is coasted
                          across, or ``max_predict_dt`` where none is. Nothing moved
    INVALID_STEP          its time is not after the last one's, but `dt` seconds from it. Nothing moved
    NOT_FINITE            a number of it is not finite. Only the clock moved
    INVALID_INTERVAL      an interval, `interval` seconds, is under a microsecond or over ``max_predict_dt``
    STATE_NOT_FINITE      with it the state would have overflowed, or its increments are over 1e6 rad or m/s. Only the
                          clock moved
    NOT_INITIALIZED       the filter has not been started
    ===================== ================================================================================

    Attributes
    ----------
    name : str
    dt, limit, interval : float or None
        Seconds, where the table says so.

    Examples
    --------
    >>> Propagation.of(1).name
    'COASTED'
    """

    name: str
    dt: float | None = None
    limit: float | None = None
    interval: float | None = None

    PROPAGATED: ClassVar[Propagation]
    COASTED: ClassVar[Propagation]
    STEP_TOO_LONG: ClassVar[Propagation]
    INVALID_STEP: ClassVar[Propagation]
    NOT_FINITE: ClassVar[Propagation]
    INVALID_INTERVAL: ClassVar[Propagation]
    STATE_NOT_FINITE: ClassVar[Propagation]
    NOT_INITIALIZED: ClassVar[Propagation]
    ALL: ClassVar[tuple[Propagation, ...]]
    """The constants, by the number that native code has for each."""

    @staticmethod
    def of(code: int) -> Propagation:
        """Return the constant that native code has this number for."""
        return Propagation.ALL[code]

    @property
    def kind(self) -> Propagation:
        """The class's constant of this name."""
        return getattr(Propagation, self.name)

    @property
    def moved(self) -> bool:
        """Whether the state moved on: PROPAGATED or COASTED."""
        return self.name in ("PROPAGATED", "COASTED")

    def __str__(self) -> str:
        known = {"dt": self.dt, "limit": self.limit, "interval": self.interval}
        return _described(self.name, {name: f"{v:.6g} s" for name, v in known.items() if v is not None})


@final
@dataclass(frozen=True, slots=True)
class Fusion:
    """What became of one measurement, or of half a GNSS position.

    ===================== ================================================================================
    ACCEPTED              fused; `test_ratio` is at most 1
    REJECTED              beyond its gate by `test_ratio`; the state is what it was
    RESET                 adopted as it is: the quantity was never established, or the source was rejected for longer
                          than its recovery time. The state steps
    NO_REFERENCE          an altitude without a reference, or a fix that cannot place an origin
    UNOBSERVABLE          a heading or course that the attitude or the speed does not show
    NOT_FINITE            a number of it or of its noise is not finite, or a place or speed is beyond 1e12
    INVALID_NOISE         a variance is zero or negative
    OUT_OF_HORIZON        taken `age` seconds before the state's time: over .3 s, or ahead of it by over .1 s
    STATE_INVALID         the covariance did not support a correction; the measurement is not at fault
    NOT_INITIALIZED       the filter has not been started
    ===================== ================================================================================

    Attributes
    ----------
    name : str
    test_ratio : float or None
        The normalised innovation squared over its gate.
    age : float or None
        Seconds.

    Examples
    --------
    >>> outcome = Fusion("REJECTED", test_ratio=2.5)
    >>> outcome.kind is Fusion.REJECTED, str(outcome)
    (True, 'REJECTED (test_ratio 2.5)')
    """

    name: str
    test_ratio: float | None = None
    age: float | None = None

    ACCEPTED: ClassVar[Fusion]
    REJECTED: ClassVar[Fusion]
    RESET: ClassVar[Fusion]
    NO_REFERENCE: ClassVar[Fusion]
    UNOBSERVABLE: ClassVar[Fusion]
    NOT_FINITE: ClassVar[Fusion]
    INVALID_NOISE: ClassVar[Fusion]
    OUT_OF_HORIZON: ClassVar[Fusion]
    STATE_INVALID: ClassVar[Fusion]
    NOT_INITIALIZED: ClassVar[Fusion]
    ALL: ClassVar[tuple[Fusion, ...]]
    """The constants, by the number that native code has for each."""

    @staticmethod
    def of(code: int) -> Fusion:
        """Return the constant that native code has this number for."""
        return Fusion.ALL[code]

    @property
    def kind(self) -> Fusion:
        """The class's constant of this name."""
        return getattr(Fusion, self.name)

    @property
    def used(self) -> bool:
        """Whether the measurement changed the state: ACCEPTED or RESET."""
        return self.name in ("ACCEPTED", "RESET")

    def __str__(self) -> str:
        known: dict[str, str] = {}
        if self.test_ratio is not None:
            known["test_ratio"] = f"{self.test_ratio:.3g}"
        if self.age is not None:
            known["age"] = f"{self.age:.6g} s"
        return _described(self.name, known)


class GnssFusion(NamedTuple):
    """What became of a GNSS position: its horizontal half and its height are judged apart."""

    horizontal: Fusion
    height: Fusion

    @property
    def used(self) -> bool:
        """Whether both halves changed the state."""
        return self.horizontal.used and self.height.used


def _described(name: str, known: dict[str, str]) -> str:
    return f"{name} ({', '.join(f'{key} {value}' for key, value in known.items())})" if known else name


Propagation.ALL = tuple(
    Propagation(name)
    for name in (
        "PROPAGATED",
        "COASTED",
        "STEP_TOO_LONG",
        "INVALID_STEP",
        "NOT_FINITE",
        "INVALID_INTERVAL",
        "STATE_NOT_FINITE",
        "NOT_INITIALIZED",
    )
)
for _outcome in Propagation.ALL:
    setattr(Propagation, _outcome.name, _outcome)

Fusion.ALL = tuple(
    Fusion(name)
    for name in (
        "ACCEPTED",
        "REJECTED",
        "RESET",
        "NO_REFERENCE",
        "UNOBSERVABLE",
        "NOT_FINITE",
        "INVALID_NOISE",
        "OUT_OF_HORIZON",
        "STATE_INVALID",
        "NOT_INITIALIZED",
    )
)
for _outcome in Fusion.ALL:
    setattr(Fusion, _outcome.name, _outcome)


class Status(Enum):
    """How bad the worst thing is. The worst that holds is the status; the values are in order of severity.

    Course, stationary claims, the hold and the yaw estimator count for none of them: they are no sensors.
    """

    HEALTHY = 0
    """Every source that was ever accepted still is, and the attitude has converged."""
    DEGRADED = 1
    """A source that was accepted once has been silent for two and a half of its periods."""
    ALIGNING = 2
    """Tilt has not come within 3° yet, or heading within 30°, or no heading is established. Left once and for all."""
    DEAD_RECKONING = 3
    """No GNSS position or velocity was accepted for 5 s, or ever."""


@final
@dataclass(frozen=True, slots=True)
class Validity:
    """Which quantities can be used: established, within the accuracy that the configuration asks for, and not held.

    Examples
    --------
    >>> Validity.from_bits(1 + 32)
    Validity(tilt=True, heading=False, horizontal_position=False, vertical_position=False, horizontal_velocity=False, vertical_velocity=True)
    """

    tilt: bool
    heading: bool
    horizontal_position: bool
    vertical_position: bool
    horizontal_velocity: bool
    vertical_velocity: bool

    @staticmethod
    def from_bits(bits: int) -> Validity:
        """Return the flags that native code has packed in one number, the first in its lowest bit."""
        return Validity(*(bool(bits >> place & 1) for place in range(6)))

    def all(self) -> bool:
        """Whether every quantity is valid."""
        return all(getattr(self, name) for name in self.__slots__)
