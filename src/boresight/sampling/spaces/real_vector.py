"""The space of vectors in a box."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...rows import floats
from ..checks import reals
from ..streams import Doubles, Rng
from .leaves import Box, Leaf
from .samplers import StateSampler
from .state_space import LawName, StateSpace

__all__ = ["RealVectorStateSpace"]


class RealVectorStateSpace(StateSpace[Any]):
    """Vectors between bounds. A state is an array, shape (..., n), a distance the Euclidean one.

    Parameters
    ----------
    bounds : (low, high)
        Two arrays of n numbers, low below high; numbers alone make a space of one dimension.
    law : {"exact", "ompl"}
        See `StateSpace`.

    Raises
    ------
    ValueError
        For bounds that are not finite, of different shapes, or not low below high.

    Examples
    --------
    >>> space = RealVectorStateSpace(([0, 0], [3, 4]))
    >>> space.maximum_extent(), space.measure()
    (5.0, 12.0)
    """

    def __init__(self, bounds: Any, *, law: LawName = "exact") -> None:
        super().__init__(law=law)
        self._box = box(bounds, None)

    @property
    def bounds(self) -> tuple[Doubles, Doubles]:
        """The least and the greatest vector."""
        return self._box.low, self._box.high

    def __repr__(self) -> str:
        return f"RealVectorStateSpace(({self._box.low.tolist()}, {self._box.high.tolist()}))"

    def _leaves(self) -> tuple[tuple[Leaf, float], ...]:
        return ((self._box, 1.0),)

    def _shares(self) -> tuple[float, ...]:
        return (1.0,)

    def _numbers(self, state: ArrayLike, what: str) -> list[Doubles]:
        return [floats(state, self._box.width, what).astype(np.float64, copy=False)]

    def _made(self, numbers: list[Doubles], _like: Any, /) -> Any:
        return numbers[0]

    def measure(self) -> float:
        return self._box.measure

    def enforce_bounds(self, state: ArrayLike) -> Any:
        """The vectors within the bounds that are nearest.

        Raises
        ------
        ValueError
            Exact law: for NaN.
        """
        return boxed(self._box, self._numbers(state, "state")[0], self._law)

    def sampler(self, rng: Rng = None, law: LawName | None = None) -> StateSampler[Any]:
        return StateSampler(self, rng, law)


def box(bounds: Any, width: int | None) -> Box:
    """The box between bounds."""
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ValueError(f"bounds= must be a pair (low, high), not {bounds!r}") from None
    shape = (-1,) if width is None else (width,)
    lower, upper = reals("bounds", low), reals("bounds", high)
    try:
        if width is None:
            lower, upper = np.broadcast_arrays(np.atleast_1d(lower), np.atleast_1d(upper))
        else:
            lower, upper = np.broadcast_to(lower, shape), np.broadcast_to(upper, shape)
    except ValueError:
        wanted = "of one shape (n,)" if width is None else f"of {width} numbers each"
        raise ValueError(f"bounds= must be low and high {wanted}, not {bounds!r}") from None
    if lower.ndim != 1 or not lower.size:
        raise ValueError(f"bounds= must be low and high of one shape (n,), not {lower.shape}")
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise ValueError("bounds= must be finite")
    if not (lower < upper).all():
        raise ValueError(f"bounds= must have low below high, not {lower.tolist()} and {upper.tolist()}")
    lower, upper = lower.copy(), upper.copy()
    lower.setflags(write=False)
    upper.setflags(write=False)
    return Box(lower, upper)


def boxed(space: Box, x: Doubles, law: LawName) -> Doubles:
    """Vectors moved into a box."""
    if law == "exact" and np.isnan(x).any():
        raise ValueError("state is NaN: no vector within the bounds is nearest to it")
    return np.clip(x, space.low, space.high)
