"""What all state spaces share: distances, interpolation, bounds, copies, bytes, samplers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import reals
from ..streams import Doubles, Rng
from .leaves import Leaf

__all__ = ["LawName", "StateSpace"]

LawName = Literal["exact", "ompl"]
"""The law as it should be, or as OMPL 2.0 has it, with its faults."""

State = TypeVar("State")

# States that differ by less are equal: rounding of unit quaternions.
_EQUAL = 1e-15


class StateSpace(ABC, Generic[State]):
    """A space that planners sample: states, distances, bounds.

    States come in batches of any shape and are never changed. A distance between rotations is half the rotation
    angle, as OMPL has it, at most π/2; that of a space made of several is the sum of theirs, each times its weight.

    Parameters
    ----------
    law : {"exact", "ompl"}
        ``"ompl"`` keeps what OMPL 2.0 does wrong: rotations closer than 0.00512° have distance 0 and are equal, a NaN is
        within bounds, and the samplers are those of OMPL.

    Raises
    ------
    ValueError
        For another law.
    """

    def __init__(self, *, law: LawName = "exact") -> None:
        self._law: LawName = check_law(law)

    @property
    def law(self) -> LawName:
        """``"exact"`` or ``"ompl"``."""
        return self._law

    # ---- what a space has to say -------------------------------------------------------------

    @abstractmethod
    def _leaves(self) -> tuple[tuple[Leaf, float], ...]:
        """The spaces that this one is made of in the end, each with the product of its weights."""

    @abstractmethod
    def _shares(self) -> tuple[float, ...]:
        """For each leaf the factor that OMPL scales a sampler's distance by."""

    @abstractmethod
    def _numbers(self, state: State, what: str) -> list[Doubles]:
        """The arrays of a state, one for each leaf; refuses what is no state."""

    @abstractmethod
    def _made(self, numbers: list[Doubles], like: State | None, /) -> State:
        """The state of such arrays, in the frames of another where one is given."""

    @abstractmethod
    def measure(self) -> float:
        """The volume of the space; rotations have π², and what is made of several the product, times the weights."""

    # ---- what follows ------------------------------------------------------------------------

    @property
    def dimension(self) -> int:
        """How many numbers a state has without redundancy."""
        return sum(leaf.dimension for leaf, _ in self._leaves())

    def maximum_extent(self) -> float:
        """The largest distance of two states."""
        return sum(weight * leaf.extent for leaf, weight in self._leaves())

    def distance(self, a: State, b: State) -> Any:
        """Distances of states.

        Parameters
        ----------
        a, b : states
            Batches broadcast.

        Returns
        -------
        ndarray, shape (...)

        Raises
        ------
        FrameError
            If the frames differ.
        """
        self._same_frames(a, b)
        parts = zip(self._leaves(), self._numbers(a, "a"), self._numbers(b, "b"), strict=True)
        total: Any = 0.0
        for (leaf, weight), x, y in parts:
            total = total + weight * leaf.distance(x, y, self._law)
        return total[()]

    def interpolate(self, a: State, b: State, t: ArrayLike) -> State:
        """Go the fraction `t` of the way from `a` to `b`, the short way; quaternions stay in the hemisphere of `a`.

        Parameters
        ----------
        a, b : states
        t : array_like, shape (...)
            Finite; batches broadcast.

        Returns
        -------
        state

        Raises
        ------
        ValueError
            For a fraction that is not finite.
        FrameError
            If the frames differ.
        """
        self._same_frames(a, b)
        fraction = reals("t", t)
        if not np.isfinite(fraction).all():
            raise ValueError("t= must be finite")
        parts = zip(self._leaves(), self._numbers(a, "a"), self._numbers(b, "b"), strict=True)
        return self._made([leaf.interpolate(x, y, fraction, self._law) for (leaf, _), x, y in parts], a)

    def satisfies_bounds(self, state: State) -> Any:
        """Whether states are within the bounds; a NaN is not (in OMPL's law a rotation of NaN is).

        Returns
        -------
        ndarray of bool, shape (...)
        """
        good: Any = np.bool_(True)
        for (leaf, _), x in zip(self._leaves(), self._numbers(state, "state"), strict=True):
            good = good & leaf.inside(x, self._law)
        return good

    @abstractmethod
    def enforce_bounds(self, state: State) -> State:
        """The nearest states within the bounds."""

    def equal_states(self, a: State, b: State) -> Any:
        """Whether states are the same to rounding; q and -q are.

        Returns
        -------
        ndarray of bool, shape (...)
        """
        self._same_frames(a, b)
        same: Any = np.bool_(True)
        parts = zip(self._leaves(), self._numbers(a, "a"), self._numbers(b, "b"), strict=True)
        for (leaf, _), x, y in parts:
            # What NaN is at a distance from is not equal to it.
            same = same & (leaf.distance(x, y, self._law) <= _EQUAL * max(1.0, leaf.extent))
        return same

    def copy(self, state: State) -> State:
        """A copy; states that nothing changes are handed back themselves."""
        return self._made([x.copy() for x in self._numbers(state, "state")], state)

    def serialise(self, state: State) -> bytes:
        """The numbers of one state or a batch as little-endian doubles, row by row, quaternions as x, y, z, w.

        Frames are not among them.
        """
        numbers = self._numbers(state, "state")
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in numbers))
        rows = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in numbers]
        return np.ascontiguousarray(np.concatenate(rows, axis=-1), dtype="<f8").tobytes()

    def deserialise(self, data: bytes) -> State:
        """What `serialise` made bytes of: one state, or a batch (n,) of several.

        Raises
        ------
        ValueError
            For a number of bytes that holds no whole states, or numbers that are no state.
        """
        widths = [leaf.width for leaf, _ in self._leaves()]
        length = 8 * sum(widths)
        if not isinstance(data, bytes | bytearray | memoryview):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"data must be bytes, not a value of type {type(data).__name__}")
        if not data or len(data) % length:
            raise ValueError(f"data has {len(data)} bytes; a state takes {length}")
        rows = np.frombuffer(data, dtype="<f8").astype(np.float64).reshape(-1, sum(widths))
        rows = rows[0] if len(rows) == 1 else rows
        return self._made(np.split(rows, np.cumsum(widths)[:-1], axis=-1), None)

    @abstractmethod
    def sampler(self, rng: Rng = None, law: LawName | None = None) -> Any:
        """A sampler of this space.

        Parameters
        ----------
        rng : numpy.random.Generator or seed
            The same seed gives the same stream, in batches or one by one.
        law : {"exact", "ompl"}, optional
            By default that of the space.
        """

    def _same_frames(self, a: State, b: State) -> None:
        """Refuse states between other frames."""


def check_law(law: str) -> LawName:
    """Refuse a law that does not exist."""
    if law == "exact" or law == "ompl":
        return law
    raise ValueError(f'law= is "exact" or "ompl", not {law!r}')
