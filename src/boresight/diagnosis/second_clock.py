"""The clocks of two records of the orientation: how late the second is, by the lengths of their rates."""

from __future__ import annotations

from collections.abc import Callable

from boresight.diagnosis.alignment import align_lengths
from boresight.diagnosis.clock import Track
from boresight.diagnosis.grid import turn_rates
from boresight.diagnosis.gyro import CLOCK_LIMIT, grid_of, liveliest

__all__ = ["lateness", "refined"]

ALIKE = 0.5
"""Correlation of the lengths below which nothing is known of the clocks."""
CLOSEST = 1e-5
"""Seconds that clocks are set right to."""


def lateness(attitude: Track, second: Track) -> float | None:
    """Return the seconds that the second record's clock is late, to a part of a step; None where that is not seen."""
    points = grid_of(attitude, second)
    if len(points) < 20:
        return None
    one, other = turn_rates(attitude, points), turn_rates(second, points)
    part = liveliest(one.rate)
    found = align_lengths(one.rate[part], other.rate[part], one.step, limit=CLOCK_LIMIT)
    return found.seconds if found.score > ALIKE else None


def refined(noise: Callable[[float], float], late: float) -> float:
    """Improve a delay by the noise that is left between the records at delays around it, ever closer."""
    reach = 0.02
    middle = noise(late)
    while reach > CLOSEST:
        low, high = noise(late - reach), noise(late + reach)
        if middle <= min(low, high):
            bend = low * low - 2.0 * middle * middle + high * high
            if bend > 0.0:
                late_there = late + 0.5 * (low * low - high * high) / bend * reach
                there = noise(late_there)
                if there < middle:
                    late, middle = late_there, there
            reach *= 0.25
        else:
            late += reach if high < low else -reach
            middle = min(low, high)
    return float(late)
