"""Which unit a sensor's numbers are in, by how many of them are one of ours: a known unit, raw counts, or another clock.

How many of a gyro's numbers are one radian per second lies between two slopes: of the gyro on the attitude's rates,
which the noise of the rates makes smaller, and of the rates on the gyro, turned over, which the gyro's own noise makes
larger. A unit is named where both are near it and neither is near the counts of a usual chip: 16.4 counts for a degree
per second are 940 for a radian, six parts in a hundred from thousandths.

A thousand is the ratio of two clocks as well. Times in milliseconds taken for seconds make the attitude turn a thousand
times as slowly, and a gyro in rad/s look like one in mrad/s; then no unit is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.alignment import GYRO_UNITS
from boresight.diagnosis.robust import Fit

__all__ = ["Named", "counts_near", "raw_force", "scale_between", "unit_between"]

Floats = NDArray[np.float64]

WITHIN = 0.2
"""Logarithm of the scale: a gyro beside an attitude that a filter has smoothed is off by this at most."""
RAW_WITHIN = 0.045
"""The same of raw counts, whose sensitivity is good to a few parts in a hundred."""
NEARER = 2.0
"""A unit must be so many times nearer than the counts of any usual chip."""
RAW_RATES: tuple[float, ...] = (
    *(7.143, 14.286, 28.571, 57.143, 114.286, 228.571),  # 140 ... 4.375 thousandths of a degree a count
    *(14.375, 16.0, 16.4, 32.8, 65.5, 131.0, 262.4),
    *(20.0, 25.0, 40.0, 50.0, 80.0),
    *(10.0, 100.0, 1000.0),
)
"""Counts for one degree per second, of usual chips and of decimals."""
RAW_FORCES: tuple[float, ...] = (*(float(2**power) for power in range(6, 16)), 4000.0, 8000.0, 16000.0)
"""Counts for one g."""
FORCE_WITHIN = 0.08
"""Logarithm of a length at rest: an accelerometer that was never calibrated, and counts, are off by this at most."""
CLOCKS: Mapping[str, float] = {
    "the times look like milliseconds": 1e3,
    "the times look like microseconds": 1e6,
    "the times look like nanoseconds": 1e9,
    "the times look a thousand times too small, as of microseconds taken for nanoseconds": 1e-3,
    "the times look a million times too small, as of milliseconds taken for nanoseconds": 1e-6,
    "the times look a thousand million times too small, as of seconds taken for nanoseconds": 1e-9,
}
"""What may be wrong with a clock, and how many of its seconds are one."""
LONGEST = 0.5
"""Seconds between a gyro's rows at most, for a log whose clock is thought to be in another unit."""
SHORTEST = {False: 5e-4, True: 1e-2}
"""Seconds between them at least, where the clock's own numbers are too large, and too small: a log has 8000 rows a second,
and not a hundred thousand."""


@dataclass(frozen=True, slots=True)
class Named:
    """A unit, or why there is none, and whether it is the clock's unit that is in doubt."""

    unit: str | None
    why: str = ""
    clock: bool = False


def scale_between(y: Floats, x: Floats, fit: Fit) -> tuple[float, float]:
    """Return the least and the largest scale of y to x turned as a fit says, both with its weights.

    Without noise they are equal; no noise that is independent of the motion moves the true one out of them.
    """
    w = fit.weights / fit.weights.sum()
    one, other = x - w @ x, y - w @ y
    both = float(w @ np.einsum("ij,ij->i", other, one @ fit.matrix.T))
    if both <= 0.0:
        return 0.0, float("inf")
    return (
        both / max(float(w @ np.einsum("ij,ij->i", one, one)), 1e-300),
        float(w @ np.einsum("ij,ij->i", other, other)) / both,
    )


def unit_between(low: float, high: float, period: float) -> Named:
    """Name the gyro's unit where one rad/s is between `low` and `high` of its numbers.

    Parameters
    ----------
    period : float
        Seconds between rows, by the log's own clock, of the denser of gyro and attitude.
    """
    middle = float(np.sqrt(low * high)) if low > 0 and np.isfinite(high) else float("nan")
    if not middle > 0:
        return Named(None, "the turns tell no scale")
    said = f"one rad/s is {_number(middle)} of its numbers"
    fitting = [unit for unit, factor in GYRO_UNITS.items() if abs(np.log(middle * factor)) < WITHIN]
    for words, times in CLOCKS.items():
        real = period / times
        if not SHORTEST[times < 1] <= real <= LONGEST:
            continue
        if any(abs(np.log(middle * factor / times)) < WITHIN for factor in GYRO_UNITS.values()):
            return Named(None, f"{said}, and its rows are {period:.3g} s apart: {words}", clock=True)
    for unit in fitting:
        off = [abs(float(np.log(end * GYRO_UNITS[unit]))) for end in (low, high)]
        raw = [_from_raw(end) for end in (low, high)]
        if all(NEARER * own < other for own, other in zip(off, raw, strict=True)):
            return Named(unit)
    counts = min(RAW_RATES, key=lambda count: abs(np.log(middle / np.degrees(count))))
    if abs(np.log(middle / np.degrees(counts))) < RAW_WITHIN:
        return Named(None, f"{said}, as of raw counts at {counts:g} per deg/s")
    return Named(None, f"{said}: no unit known")


def _from_raw(scale: float) -> float:
    """Logarithm of how far a scale is from the counts of the nearest usual chip."""
    return min(abs(float(np.log(scale / np.degrees(counts)))) for counts in RAW_RATES)


def _number(value: float) -> str:
    """Write three digits of a number, and none of them as a power of ten where it has few."""
    return f"{float(f'{value:.3g}'):.12g}"


def raw_force(length: float) -> str:
    """Name the counts or the unit that a length at rest is of, in words; empty where none is known."""
    if abs(np.log(max(length, 1e-300) / 9806.65)) < RAW_WITHIN:
        return "as of mm/s2"
    counts = min(RAW_FORCES, key=lambda count: abs(np.log(max(length, 1e-300) / count)))
    return (
        f"as of raw counts at {counts:g} per g"
        if abs(np.log(max(length, 1e-300) / counts)) < RAW_WITHIN
        else ""
    )


def counts_near(length: float) -> tuple[str, ...]:
    """Name the counts that a length at rest cannot be told from."""
    near = (counts for counts in RAW_FORCES if abs(np.log(max(length, 1e-300) / counts)) < FORCE_WITHIN)
    return tuple(f"raw counts at {counts:g} per g" for counts in near)
