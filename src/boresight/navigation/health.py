"""What the filter has done with its data so far: per source of measurements, and for the IMU."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from boresight.navigation.outcomes import Fusion, Propagation

__all__ = ["Diagnostics", "PropagationHealth", "SourceHealth"]

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class SourceHealth:
    """The record of one source of measurements.

    Attributes
    ----------
    accepted, rejected : int
        How many measurements passed their gate, and how many did not.
    refused : int
        How many never got to it; `last_refusal` says why the latest did not.
    adopted, recovered : int
        How many were taken as they are: the first of a quantity, or after rejections for too long.
    consecutive_rejections : int
    test_ratio : float or None
        Of the latest that was judged.
    innovation : ndarray, shape (1 to 3,)
        Likewise. Empty before the first.
    innovation_covariance : ndarray, square
        S of (24), with the plain R that the gate takes.
    since_accepted : float or None
        Seconds since one was accepted or adopted; None before the first.
    period : float or None
        Seconds between measurements, a mean over about eight; None before the second.
    last_refusal : Fusion or None
    """

    accepted: int
    rejected: int
    refused: int
    adopted: int
    recovered: int
    consecutive_rejections: int
    test_ratio: float | None
    innovation: Array
    innovation_covariance: Array
    since_accepted: float | None
    period: float | None
    last_refusal: Fusion | None

    @property
    def timeout(self) -> float | None:
        """Seconds of silence after which the source counts as lost: two and a half of its periods."""
        return None if self.period is None else 2.5 * self.period


@final
@dataclass(frozen=True, slots=True)
class PropagationHealth:
    """How often each `Propagation` came out, and the longest gap that was coasted across, in seconds."""

    propagated: int
    coasted: int
    step_too_long: int
    invalid_step: int
    not_finite: int
    invalid_interval: int
    state_not_finite: int
    not_initialized: int
    longest_gap: float

    @property
    def refused(self) -> int:
        """Samples that did not move the state on."""
        return sum(getattr(self, outcome.name.lower()) for outcome in Propagation.ALL if not outcome.moved)


@final
@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Everything that the filter counts.

    Attributes
    ----------
    propagation : PropagationHealth
    floored : int
        How often a variance was raised to its floor. Meant to stay zero: a count that climbs says that a measurement
        claims to be far better than it is.
    gnss_position, gnss_height, gnss_velocity, baro, mag, gnss_heading, course, stationary : SourceHealth
        gnss_position is the horizontal half of positions, gnss_height the other.
    hold, yaw_estimator : SourceHealth
        The filter's own.
    """

    propagation: PropagationHealth
    floored: int
    gnss_position: SourceHealth
    gnss_height: SourceHealth
    gnss_velocity: SourceHealth
    baro: SourceHealth
    mag: SourceHealth
    gnss_heading: SourceHealth
    course: SourceHealth
    stationary: SourceHealth
    hold: SourceHealth
    yaw_estimator: SourceHealth

    @staticmethod
    def from_native(numbers: dict[str, Any]) -> Diagnostics:
        """Make them of what the native filter hands out."""
        sources = {name: _source(record) for name, record in numbers["sources"].items()}
        propagation = PropagationHealth(*numbers["propagation"], longest_gap=numbers["longest_gap"])
        return Diagnostics(propagation, numbers["floored"], **sources)


def _source(record: dict[str, Any]) -> SourceHealth:
    code = record.pop("last_refusal")
    return SourceHealth(
        **{name: _none(value) for name, value in record.items()},
        last_refusal=None if code == 255 else Fusion.of(code),
    )


def _none(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value
