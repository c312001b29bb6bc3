"""A space made of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, cast

from ..streams import Doubles, Rng
from .leaves import Leaf
from .samplers import StateSampler
from .se3 import checked_weights
from .state_space import LawName, StateSpace

__all__ = ["CompoundStateSpace"]

States = tuple[Any, ...]


class CompoundStateSpace(StateSpace[States]):
    """Several spaces at once. A state is a tuple with a state of each; distances add up, each times its weight.

    Parameters
    ----------
    spaces : sequence of StateSpace
        At least one; they may be compound themselves.
    weights : sequence of float, optional
        Positive; by default all 1.
    law : {"exact", "ompl"}
        See `StateSpace`; of this space and all within it.

    Raises
    ------
    ValueError
        For no spaces, or such weights.

    Examples
    --------
    >>> from boresight.sampling import RealVectorStateSpace, SO3StateSpace
    >>> arm = CompoundStateSpace([SO3StateSpace(), RealVectorStateSpace((0.0, 1.0))], weights=[1.0, 2.0])
    >>> wrist, extension = arm.sampler(rng=1).sample_uniform(size=100)
    >>> wrist.shape, extension.shape
    ((100,), (100, 1))
    """

    def __init__(
        self,
        spaces: Iterable[StateSpace[Any]],
        weights: Sequence[float] | None = None,
        *,
        law: LawName = "exact",
    ) -> None:
        super().__init__(law=law)
        try:
            self._spaces = tuple(spaces)
        except TypeError:
            raise TypeError(f"spaces= must be a sequence of StateSpaces, not {spaces!r}") from None
        if not self._spaces:
            raise ValueError("spaces= is empty; give at least one")
        for space in self._spaces:
            if not isinstance(space, StateSpace):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"spaces= must be StateSpaces, not {type(space).__name__}")
        given = [1.0] * len(self._spaces) if weights is None else weights
        self._weights = checked_weights(given, len(self._spaces))

    @property
    def spaces(self) -> tuple[StateSpace[Any], ...]:
        """What this space is made of."""
        return self._spaces

    @property
    def weights(self) -> tuple[float, ...]:
        """What the distance in each counts times."""
        return self._weights

    def __repr__(self) -> str:
        return f"CompoundStateSpace({list(self._spaces)}, weights={list(self._weights)})"

    def _leaves(self) -> tuple[tuple[Leaf, float], ...]:
        parts = zip(self._spaces, self._weights, strict=True)
        return tuple((leaf, weight * own) for space, weight in parts for leaf, own in space._leaves())

    def _shares(self) -> tuple[float, ...]:
        total = sum(self._weights)
        parts = zip(self._spaces, self._weights, strict=True)
        return tuple(weight / total * own for space, weight in parts for own in space._shares())

    def _states(self, state: Any, what: str) -> States:
        if not isinstance(state, tuple | list):
            raise TypeError(f"{what} must be a tuple of states, not a value of type {type(state).__name__}")
        states = tuple(cast("Sequence[Any]", state))
        if len(states) != len(self._spaces):
            raise ValueError(f"{what} has {len(states)} states; the space is made of {len(self._spaces)}")
        return states

    def _numbers(self, state: States, what: str) -> list[Doubles]:
        parts = zip(self._spaces, self._states(state, what), strict=True)
        return [
            numbers for i, (space, own) in enumerate(parts) for numbers in space._numbers(own, f"{what}[{i}]")
        ]

    def _made(self, numbers: list[Doubles], like: States | None, /) -> States:
        made: list[Any] = []
        first = 0
        for i, space in enumerate(self._spaces):
            last = first + len(space._leaves())
            made.append(space._made(numbers[first:last], None if like is None else like[i]))
            first = last
        return tuple(made)

    def _same_frames(self, a: States, b: States) -> None:
        for space, x, y in zip(self._spaces, self._states(a, "a"), self._states(b, "b"), strict=True):
            space._same_frames(x, y)

    def measure(self) -> float:
        return prod(w * space.measure() for w, space in zip(self._weights, self._spaces, strict=True))

    def copy(self, state: States) -> States:
        parts = zip(self._spaces, self._states(state, "state"), strict=True)
        return tuple(space.copy(own) for space, own in parts)

    def enforce_bounds(self, state: States) -> States:
        """Each state within its own space's bounds."""
        parts = zip(self._spaces, self._states(state, "state"), strict=True)
        return tuple(space.enforce_bounds(own) for space, own in parts)

    def sampler(self, rng: Rng = None, law: LawName | None = None) -> StateSampler[States]:
        return StateSampler(self, rng, law)
