"""Half the angle of a rotation, the distance of planners: its mean under a wrapped normal, and back.

The angle of exp(v) is that of v folded at every half turn: the triangle wave π/2 - (4/π) Σ cos(n t) / n² over odd n.
Of v ~ N(0, σ² I) the mean of cos(n ‖v‖) is (1 - n² σ²) exp(-n² σ²/2), so the mean of the half angle has that series;
where nothing is folded it is √(2/π) σ.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, pi, sqrt

__all__ = ["LARGEST_MEAN", "mean_half_angle", "wrapped_normal"]

LARGEST_MEAN = pi / 4 + 1 / pi
"""The mean half angle of rotations uniform over all: 1.10371 rad."""

_UNFOLDED = 0.35  # of a smaller sigma not one in 1e16 is folded
_PEAK = 1.7320082  # where the mean is greatest; flat there, so that the digits left out do not count


def mean_half_angle(sigma: float) -> float:
    """The mean half angle of exp(v), v ~ N(0, sigma² I), in radians.

    Examples
    --------
    >>> round(mean_half_angle(1.0), 6)
    0.791687
    """
    if sigma < _UNFOLDED:
        return sqrt(2 / pi) * sigma
    total, n = 0.0, 1
    while (x := (n * sigma) ** 2) < 160:
        total += (1 - x) * exp(-x / 2) / n**2
        n += 2
    return pi / 4 - 2 / pi * total


@lru_cache(maxsize=256)
def wrapped_normal(mean: float) -> tuple[float, float]:
    """The sigma whose mean half angle is `mean`, and the share of uniform rotations to mix with.

    Parameters
    ----------
    mean : float
        In [0, LARGEST_MEAN].

    Returns
    -------
    sigma : float
        On the branch where it grows with the mean.
    uniform : float
        Zero unless the mean is above the greatest of all wrapped normals.

    Raises
    ------
    ValueError
        If the mean is out of range.
    """
    if not 0 <= mean <= LARGEST_MEAN:
        raise ValueError(
            f"std_dev= is the expected half angle, in [0, π/4 + 1/π] = [0, {LARGEST_MEAN:.6f}]; got {mean}. "
            "At the upper end all rotations are equally likely, and none spread further"
        )
    most = mean_half_angle(_PEAK)
    if mean >= most:
        return _PEAK, min(1.0, (mean - most) / (LARGEST_MEAN - most))
    low, high = 0.0, _PEAK
    if mean_half_angle(_UNFOLDED) > mean:
        return mean / sqrt(2 / pi), 0.0
    while (middle := (low + high) / 2) not in (low, high):
        if mean_half_angle(middle) < mean:
            low = middle
        else:
            high = middle
    return high, 0.0
