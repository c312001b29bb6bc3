"""The space of poses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...pose import Pose
from ...rotation import Rotation
from ..checks import argument, reals
from ..streams import Doubles, Rng
from .leaves import Leaf, Rotations
from .real_vector import box, boxed
from .samplers import StateSampler
from .so3 import rotation_like
from .state_space import LawName, StateSpace

__all__ = ["SE3StateSpace", "checked_weights"]

_ROTATIONS = Rotations()


class SE3StateSpace(StateSpace[Pose[Any, Any]]):
    """Poses whose translation is within bounds. A state is a `Pose`.

    The distance of two is ``weights[0] * |p - p'| + weights[1] * θ/2``, θ the angle between their rotations.

    Parameters
    ----------
    bounds : (low, high)
        The least and the greatest translation: three numbers each, or one for all three.
    weights : (float, float)
        Of the translation and of the half angle, both positive.
    law : {"exact", "ompl"}
        See `StateSpace`.

    Raises
    ------
    ValueError
        For such bounds or weights.

    Examples
    --------
    >>> space = SE3StateSpace(bounds=([-1, -1, 0], [1, 1, 2]), weights=(1.0, 0.5))
    >>> start = space.sampler(rng=1).sample_uniform()
    >>> near = space.sampler(rng=2).sample_uniform_near(start, 0.3, size=1000)
    >>> bool((space.distance(start, near) <= 0.3).all())
    True
    """

    def __init__(
        self, bounds: Any, weights: tuple[float, float] = (1.0, 1.0), *, law: LawName = "exact"
    ) -> None:
        super().__init__(law=law)
        self._box = box(bounds, 3)
        self._weights = checked_weights(weights, 2)

    @property
    def bounds(self) -> tuple[Doubles, Doubles]:
        """The least and the greatest translation."""
        return self._box.low, self._box.high

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the translation and of the half angle."""
        return self._weights

    def __repr__(self) -> str:
        bounds = f"({self._box.low.tolist()}, {self._box.high.tolist()})"
        return f"SE3StateSpace({bounds}, weights={self._weights})"

    def _leaves(self) -> tuple[tuple[Leaf, float], ...]:
        return ((self._box, self._weights[0]), (_ROTATIONS, self._weights[1]))

    def _shares(self) -> tuple[float, ...]:
        return tuple(weight / sum(self._weights) for weight in self._weights)

    def _numbers(self, state: Pose[Any, Any], what: str) -> list[Doubles]:
        if state.__class__ is not Pose:
            made = "Pose.from_matrix(m)" if np.shape(state)[-2:] == (4, 4) else "Pose(rotation, translation)"
            raise TypeError(f"{argument(what)} must be a Pose, not a {type(state).__name__}; give {made}")
        xyzw = state.rotation.as_quat(order="xyzw")
        return [state.translation.astype(np.float64, copy=False), xyzw.astype(np.float64, copy=False)]

    def _made(self, numbers: list[Doubles], like: Pose[Any, Any] | None, /) -> Pose[Any, Any]:
        rotation: Rotation[Any, Any] = rotation_like(numbers[1], None if like is None else like.rotation)
        return Pose(rotation, numbers[0], invalid="nan")

    def _same_frames(self, a: Pose[Any, Any], b: Pose[Any, Any]) -> None:
        self._numbers(a, "a")
        self._numbers(b, "b")
        a._need_same_frames("compare", "with", b)  # pyright: ignore[reportPrivateUsage]

    def measure(self) -> float:
        return self._weights[0] * self._box.measure * self._weights[1] * _ROTATIONS.measure

    def copy(self, state: Pose[Any, Any]) -> Pose[Any, Any]:
        self._numbers(state, "state")
        return state

    def enforce_bounds(self, state: Pose[Any, Any]) -> Pose[Any, Any]:
        """The poses whose translation is within the bounds and nearest; rotations stay.

        Raises
        ------
        ValueError
            Exact law: for NaN.
        """
        translation, xyzw = self._numbers(state, "state")
        return self._made([boxed(self._box, translation, self._law), xyzw], state)

    def sampler(self, rng: Rng = None, law: LawName | None = None) -> StateSampler[Pose[Any, Any]]:
        return StateSampler(self, rng, law)


def checked_weights(weights: Any, count: int) -> tuple[float, ...]:
    """So many positive numbers."""
    try:
        given = reals("weights", weights)
    except TypeError:
        raise ValueError(f"weights= must be {count} numbers, not {weights!r}") from None
    if given.shape != (count,):
        found = given.size if given.ndim == 1 else repr(weights)
        raise ValueError(f"weights= must be {count} numbers, not {found}")
    numbers = tuple(given.tolist())
    if not all(np.isfinite(weight) and weight > 0 for weight in numbers):
        raise ValueError(f"weights= must be positive and finite, not {numbers}")
    return numbers
