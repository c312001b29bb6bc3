"""Samplers of state spaces."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ..checks import real
from ..streams import Doubles, Rng, Size, accepted, batch_shape, generator
from .leaves import Bools, Leaf
from .state_space import LawName, check_law

if TYPE_CHECKING:
    from .state_space import StateSpace

__all__ = ["StateSampler"]

State = TypeVar("State")

# How many proposals of each kind are looked at before the kind is chosen.
_PILOT = 256


class StateSampler(Generic[State]):
    """Draws states of a space, in batches or one by one.

    Parameters
    ----------
    space : StateSpace
    rng : numpy.random.Generator or seed
        The same seed gives the same stream, in batches or one by one.
    law : {"exact", "ompl"}, optional
        By default that of the space.

    Raises
    ------
    ValueError
        For a law that does not exist.
    """

    def __init__(self, space: StateSpace[State], rng: Rng = None, law: LawName | None = None) -> None:
        self._space = space
        self._rng = generator(rng)
        self._law: LawName = space.law if law is None else check_law(law)
        self._leaves = space._leaves()  # pyright: ignore[reportPrivateUsage]

    @property
    def space(self) -> StateSpace[State]:
        """The space whose states are drawn."""
        return self._space

    @property
    def law(self) -> LawName:
        """``"exact"`` or ``"ompl"``."""
        return self._law

    def sample_uniform(self, size: Size = ()) -> State:
        """Draw states uniform over the whole space; the same in both laws.

        Parameters
        ----------
        size : int or tuple of int
            How many, or any batch shape; a single one by default.

        Returns
        -------
        state, shape size
        """
        columns = [leaf.uniform_columns for leaf, _ in self._leaves]
        parts = self._split(self._uniforms(batch_shape(size), sum(columns)), columns)
        return self._state([leaf.uniform(u) for (leaf, _), u in zip(self._leaves, parts, strict=True)], None)

    def sample_uniform_near(self, near: State, distance: float, size: Size | None = None) -> State:
        """Draw states uniform over those within a distance of one.

        Parameters
        ----------
        near : state
            Within the bounds.
        distance : float
            Of the space's own kind (half a rotation angle, in radians, for rotations), from 0 to its maximum extent. In
            OMPL's law it may be larger.
        size : int or tuple of int, optional
            Batch shape, to which that of `near` broadcasts; by default that of `near`.

        Returns
        -------
        state, shape size
            Exact law: none is farther than `distance`, by more than rounding, nor outside the bounds.

        Raises
        ------
        ValueError
            For a distance that is negative, NaN or too large, and a `near` that is NaN or out of bounds.

        Notes
        -----
        Exact law in a space of several: the weighted distances and what is left to `distance` divide it as a
        Dirichlet law has it, which is uniform where all spaces are flat; a rotation at half angle d is then taken with
        probability (sin d / d)². Where bounds or the end of a space leave little of that, states uniform in a larger
        set are thinned instead. OMPL gives each space its share of the distance, by weight, and a vector space a box.
        """
        radius = self._radius("distance", distance)
        numbers = self._checked("near", near)
        if self._law == "ompl":
            shares = self._space._shares()  # pyright: ignore[reportPrivateUsage]
            columns = [leaf.uniform_columns for leaf, _ in self._leaves]

            def near_ompl(leaf: Leaf, i: int, x: Doubles, u: Doubles) -> Doubles:
                return leaf.ompl_near(x, radius * shares[i], u)

            return self._direct(near, numbers, size, columns, near_ompl)
        extent = self._space.maximum_extent()
        if radius > extent:
            raise ValueError(
                f"distance= must be at most the space's maximum extent, {extent:.9g}, not {radius}"
            )
        return self._rejected(near, numbers, size, _Near(self._leaves, radius))

    def sample_gaussian(self, mean: State, std_dev: float, size: Size | None = None) -> State:
        """Draw states about a mean.

        Parameters
        ----------
        mean : state
            Within the bounds.
        std_dev : float
            Exact law: the expected distance from the mean, as long as bounds do not cut. OMPL's law: what its
            samplers make of it.
        size : int or tuple of int, optional
            Batch shape, to which that of `mean` broadcasts; by default that of `mean`.

        Returns
        -------
        state, shape size

        Raises
        ------
        ValueError
            For a deviation that is negative, NaN or larger than the mean distance of rotations drawn uniformly (it says
            the limit), and a mean that is NaN or out of bounds.

        Notes
        -----
        Vectors are normal on the condition of being within the bounds (OMPL moves them onto the bounds). In a space of
        several, each is given the same expected distance, so that their weighted sum is `std_dev`.
        """
        deviation = self._radius("std_dev", std_dev)
        numbers = self._checked("mean", mean)
        if self._law == "ompl":
            shares = self._space._shares()  # pyright: ignore[reportPrivateUsage]
            columns = [leaf.gaussian_columns for leaf, _ in self._leaves]

            def gaussian_ompl(leaf: Leaf, i: int, x: Doubles, u: Doubles) -> Doubles:
                return leaf.ompl_gaussian(x, deviation * shares[i], u)

            return self._direct(mean, numbers, size, columns, gaussian_ompl)
        total = sum(weight for _, weight in self._leaves)
        for leaf, _ in self._leaves:
            limit = leaf.check_expected(deviation / total)
            if limit is not None:
                raise ValueError(
                    f"std_dev= must be at most {limit * total:.9g}, where rotations are uniform, not {deviation}"
                )
        return self._rejected(mean, numbers, size, _Gaussian(self._leaves, deviation / total))

    # ---- how ---------------------------------------------------------------------------------

    def _uniforms(self, shape: tuple[int, ...], columns: int) -> Doubles:
        return self._rng.random((*shape, columns))

    @staticmethod
    def _split(u: Doubles, columns: Sequence[int]) -> list[Doubles]:
        return np.split(u, np.cumsum(columns)[:-1], axis=-1)

    def _state(self, numbers: list[Doubles], like: State | None) -> State:
        return self._space._made(numbers, like)  # pyright: ignore[reportPrivateUsage]

    @staticmethod
    def _radius(name: str, value: Any) -> float:
        try:
            number = real(name, value)
        except TypeError:
            raise ValueError(f"{name}= must be one number, not {value!r}") from None
        if not (number >= 0 and isfinite(number)):
            raise ValueError(f"{name}= must be finite and not negative, not {number}")
        return number

    def _checked(self, name: str, state: State) -> list[Doubles]:
        numbers = self._space._numbers(state, name)  # pyright: ignore[reportPrivateUsage]
        for (leaf, _), x in zip(self._leaves, numbers, strict=True):
            good = leaf.inside(x)
            if not good.all():
                first = tuple(int(i) for i in np.argwhere(~np.asarray(good))[0])
                where = f" in row {first[0] if len(first) == 1 else first}" if first else ""
                reason = "NaN" if np.isnan(x).any() else "outside the bounds"
                raise ValueError(f"{name}= is {reason}{where}")
        return numbers

    @staticmethod
    def _shape(name: str, numbers: list[Doubles], size: Size | None) -> tuple[int, ...]:
        own = np.broadcast_shapes(*(x.shape[:-1] for x in numbers))
        if size is None:
            return own
        shape = batch_shape(size)
        try:
            fits = np.broadcast_shapes(own, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(
                f"size= is {shape}, to which a batch of {name} of shape {own} does not broadcast"
            )
        return shape

    def _direct(
        self, about: State, numbers: list[Doubles], size: Size | None, columns: list[int], work: Any
    ) -> State:
        shape = self._shape("states", numbers, size)
        parts = self._split(self._uniforms(shape, sum(columns)), columns)
        drawn = [
            work(leaf, i, x, u)
            for i, ((leaf, _), x, u) in enumerate(zip(self._leaves, numbers, parts, strict=True))
        ]
        return self._state(drawn, about)

    def _rejected(
        self, about: State, numbers: list[Doubles], size: Size | None, proposals: _Proposals
    ) -> State:
        shape = self._shape("states", numbers, size)
        width = sum(leaf.width for leaf, _ in self._leaves)
        own = np.broadcast_shapes(*(x.shape[:-1] for x in numbers))
        if own == ():
            rows = self._about(numbers, shape, proposals, width)
        else:
            # Each row has its own odds, so each is drawn by itself: the stream stays that of one by one.
            each = [np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1]) for x in numbers]
            rows = np.empty((prod(shape), width))
            for i in range(len(rows)):
                rows[i] = self._about([x[i] for x in each], (), proposals, width)
            rows = rows.reshape(*shape, width)
        return self._state(self._split(rows, [leaf.width for leaf, _ in self._leaves]), about)

    def _about(
        self, numbers: list[Doubles], size: tuple[int, ...], proposals: _Proposals, width: int
    ) -> Doubles:
        propose, columns = proposals.chosen(numbers)

        def joined(u: Doubles) -> tuple[Doubles, Bools]:
            drawn, taken = propose(numbers, u)
            return np.concatenate(drawn, axis=-1), taken

        return accepted(self._rng, size, columns, joined, width)


class _Proposals:
    """Ways to propose states about one: each takes its numbers and uniforms, gives states and which to take."""

    def __init__(self, leaves: tuple[tuple[Leaf, float], ...]) -> None:
        self._leaves = leaves

    def chosen(self, numbers: list[Doubles], /) -> tuple[Any, int]:
        """The way to propose, and how many uniforms it takes."""
        raise NotImplementedError


class _Gaussian(_Proposals):
    def __init__(self, leaves: tuple[tuple[Leaf, float], ...], expected: float) -> None:
        super().__init__(leaves)
        self._expected = expected
        self._columns = [leaf.gaussian_columns for leaf, _ in leaves]

    def chosen(self, _numbers: list[Doubles], /) -> tuple[Any, int]:
        return self._propose, sum(self._columns)

    def _propose(self, numbers: list[Doubles], u: Doubles) -> tuple[list[Doubles], Bools]:
        parts = np.split(u, np.cumsum(self._columns)[:-1], axis=-1)
        drawn: list[Doubles] = []
        every: Bools = np.ones(len(u), dtype=np.bool_)
        for (leaf, _), x, part in zip(self._leaves, numbers, parts, strict=True):
            states, taken = leaf.gaussian(x, self._expected, part)
            drawn.append(states)
            every = every & taken
        return drawn, every


class _Near(_Proposals):
    def __init__(self, leaves: tuple[tuple[Leaf, float], ...], radius: float) -> None:
        super().__init__(leaves)
        self._radius = radius
        self._dimensions = [leaf.dimension for leaf, _ in leaves]
        self._moved_columns = [leaf.moved_columns for leaf, _ in leaves]
        self._covered_columns = [leaf.uniform_columns for leaf, _ in leaves]

    def chosen(self, numbers: list[Doubles], /) -> tuple[Any, int]:
        total = sum(self._dimensions)
        shares = self._by_shares, total + 1 + sum(self._moved_columns)
        covers = self._by_cover, sum(self._covered_columns)
        parts = zip(self._leaves, numbers, strict=True)
        if all(leaf.open(x, self._radius / weight) for (leaf, weight), x in parts):
            return shares
        # Its own generator with its own seed: the choice is the same each time and takes nothing from the stream.
        pilot = np.random.default_rng(0)
        rates = [propose(numbers, pilot.random((_PILOT, n)))[1].mean() for propose, n in (shares, covers)]
        return shares if rates[0] >= rates[1] else covers

    def _by_shares(self, numbers: list[Doubles], u: Doubles) -> tuple[list[Doubles], Bools]:
        total = sum(self._dimensions)
        # The gaps between sorted uniforms are Dirichlet; the first n of them together are space 1's, and so on.
        ends = np.cumsum(self._dimensions)
        cuts = np.sort(u[:, :total], axis=1)[:, ends - 1]
        shares = np.diff(cuts, axis=1, prepend=0.0)
        parts = np.split(u[:, total + 1 :], np.cumsum(self._moved_columns)[:-1], axis=1)
        keep = np.ones(len(u))
        drawn: list[Doubles] = []
        for i, ((leaf, weight), x, part) in enumerate(zip(self._leaves, numbers, parts, strict=True)):
            distance = shares[:, i] * (self._radius / weight)
            states = leaf.moved(x, distance, part)
            keep = keep * leaf.flat(distance) * leaf.inside(states)
            drawn.append(states)
        return drawn, u[:, total] < keep

    def _by_cover(self, numbers: list[Doubles], u: Doubles) -> tuple[list[Doubles], Bools]:
        parts = np.split(u, np.cumsum(self._covered_columns)[:-1], axis=1)
        away = np.zeros(len(u))
        drawn: list[Doubles] = []
        for (leaf, weight), x, part in zip(self._leaves, numbers, parts, strict=True):
            states = leaf.covered(x, self._radius / weight, part)
            away = away + weight * leaf.distance(x, states, "exact")
            drawn.append(states)
        return drawn, away <= self._radius
