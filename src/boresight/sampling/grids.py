"""Grids on SO(3): sets of rotations that leave no large gap, in a fixed order and without chance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..frames import Unframed
from ..rotation import Rotation
from ..rows import Floats
from .checks import indices, real, whole
from .covering import coverage, covering_radius
from .distributions.law import single
from .healpix import pixel_centers, pixels_near

__all__ = ["Grid", "HopfHealpix", "SuperFibonacci"]

Integers = NDArray[np.int64]

# How many rotations are made at once where somebody goes through a grid.
_BATCH = 1 << 16


class Grid(ABC):
    """A grid on SO(3): so many rotations, each with its index."""

    __slots__ = ()

    @property
    @abstractmethod
    def count(self) -> int:
        """How many rotations there are; also ``len(grid)``."""

    @abstractmethod
    def _quaternions(self, index: Integers) -> Floats:
        """The rotations of these indices as x, y, z, w, of any norm but zero."""

    def _cells(self) -> Integers | None:
        """Members that the grid's symmetry takes to all others; None for each on its own."""
        return None

    def __len__(self) -> int:
        return self.count

    def at(self, index: ArrayLike) -> Rotation[Unframed, Unframed]:
        """The rotations of these indices, without making the others.

        Parameters
        ----------
        index : array_like of int, shape (...)
            From 0 to ``count - 1``.

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        ValueError
            For an index outside the grid, or one that is no integer.
        """
        return Rotation.from_quat(self._quaternions(self._index(index)), order="xyzw")

    def rotations(self, start: int = 0, stop: int | None = None) -> Rotation[Unframed, Unframed]:
        """The rotations from index `start` up to `stop`; by default all.

        Returns
        -------
        Rotation, shape (stop - start,)

        Raises
        ------
        ValueError
            For a range outside the grid.
        """
        start, stop = whole("start", start), self.count if stop is None else whole("stop", stop)
        if not 0 <= start <= stop <= self.count:
            raise ValueError(f"start= and stop= must lie within 0 to {self.count}, not {start} to {stop}")
        index = np.arange(start, stop, dtype=np.int64)
        return Rotation.from_quat(self._quaternions(index), order="xyzw")

    def batches(self, size: int = _BATCH) -> Iterator[Rotation[Unframed, Unframed]]:
        """All rotations in order, `size` at a time: a grid need not fit in memory."""
        if whole("size", size) < 1:
            raise ValueError(f"size= must be at least 1, not {size}")
        return (self.rotations(i, min(i + size, self.count)) for i in range(0, self.count, size))

    def covering_radius(self) -> float:
        """The largest angle, in radians, from any rotation to the nearest of the grid; see `covering_radius`."""
        cells = self._cells()
        return covering_radius(self.rotations(), cells=cells)

    def coverage(self) -> float:
        """How many balls of the covering radius hold a rotation, on the average; see `coverage`."""
        return coverage(self.rotations(), radius=self.covering_radius())

    def _index(self, index: ArrayLike) -> Integers:
        array = indices("index", index)
        if array.size and (int(array.min()) < 0 or int(array.max()) >= self.count):
            raise ValueError(f"index= must lie within 0 to {self.count - 1}")
        return array


def _whole(value: Any, what: str, least: int, most: int) -> int:
    number = whole(what, value)
    if not least <= number <= most:
        raise ValueError(f"{what}= must lie within {least} to {most}, not {number}")
    return number


@final
class SuperFibonacci(Grid):
    """A super-Fibonacci spiral of any number of rotations.

    It has no refinement property: the rotations of a smaller spiral are not among those of a larger one.

    Parameters
    ----------
    count : int
        How many, from 1 to 2³².

    Raises
    ------
    ValueError
        For another count, or one that is no integer.

    Notes
    -----
    Alexa, "Super-Fibonacci spirals" (CVPR 2022): φ = √2, and ψ the positive root of ψ⁴ = ψ + 4.

    Examples
    --------
    >>> SuperFibonacci(1000).rotations().shape
    (1000,)
    """

    __slots__ = ("_count",)

    MAX_COUNT: ClassVar[int] = (
        1 << 32
    )  # beyond it rounding of the turns comes near the distance of neighbours
    _PHI: ClassVar[float] = 2.0**0.5
    _PSI: ClassVar[float] = 1.533751168755204288118041

    def __init__(self, count: int) -> None:
        self._count = _whole(count, "count", 1, self.MAX_COUNT)

    @property
    def count(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"SuperFibonacci({self._count})"

    def _quaternions(self, index: Integers) -> Floats:
        s = index + 0.5
        share = s / self._count
        inner, outer = np.sqrt(share), np.sqrt(1.0 - share)
        # Whole turns go before the sine, or large indices would lose digits.
        a = 2 * np.pi * np.mod(s / self._PHI, 1.0)
        b = 2 * np.pi * np.mod(s / self._PSI, 1.0)
        return np.stack([inner * np.sin(a), inner * np.cos(a), outer * np.sin(b), outer * np.cos(b)], axis=-1)


@final
class HopfHealpix(Grid):
    """The grid of 72·8^level rotations of equal volume, each of which falls into eight of the next level.

    Pixels of equal area say where the z axis goes, equal steps turn about it. Rotation i of a level stands for
    rotations 8i to 8i + 7 of the next.

    Parameters
    ----------
    level : int
        From 0 (72 rotations) to 18; the spacing is about 58° / 2^level.

    Raises
    ------
    ValueError
        For a level outside 0 to 18, or one that is no integer.

    Notes
    -----
    Yershova, Jain, LaValle, Mitchell, "Generating uniform incremental grids on SO(3) using the Hopf fibration"
    (IJRR 2010), on HEALPix (Górski et al. 2005), with the middle of each step of the turn. The mean of q qᵀ is exactly I/4.

    Examples
    --------
    >>> HopfHealpix(2).count
    4608
    >>> HopfHealpix(3).parent([0, 7, 8])
    array([0, 0, 1])
    """

    __slots__ = ("_level",)

    MAX_LEVEL: ClassVar[int] = 18  # of which the last index fits in 63 bits

    def __init__(self, level: int) -> None:
        self._level = _whole(level, "level", 0, self.MAX_LEVEL)

    @property
    def level(self) -> int:
        """How often the coarsest grid was refined."""
        return self._level

    @property
    def count(self) -> int:
        return 72 << (3 * self._level)

    def __repr__(self) -> str:
        return f"HopfHealpix({self._level})"

    def parent(self, index: ArrayLike) -> Integers:
        """Indices, in the level before, of the rotations that these are parts of."""
        if not self._level:
            raise ValueError("level 0 has no parents")
        return self._index(index) // 8

    def children(self, index: ArrayLike) -> Integers:
        """Indices, in the next level, of the eight parts of each: shape (..., 8)."""
        return self._index(index)[..., np.newaxis] * 8 + np.arange(8)

    def near(
        self, rotation: Rotation[Any, Any], angle: float
    ) -> tuple[Rotation[Unframed, Unframed], Integers]:
        """Refine around a rotation: the members of this level within an angle of it, the others never made.

        Parameters
        ----------
        rotation : Rotation, shape ()
        angle : float
            In radians, up to π.

        Returns
        -------
        rotations : Rotation, shape (n,)
            The nearest first.
        index : ndarray of int64, shape (n,)
            Their indices in the grid.

        Raises
        ------
        ValueError
            For an angle outside 0 to π, and for a batch or NaN instead of one rotation.

        Examples
        --------
        >>> R = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)
        >>> found, index = HopfHealpix(9).near(R, np.radians(0.2))
        >>> found.shape, HopfHealpix(9).count
        ((25,), 9663676416)
        """
        angle = real("angle", angle)
        if not 0.0 <= angle <= np.pi:
            raise ValueError(f"angle= must lie within 0 to pi radians, not {angle}")
        target = single("rotation", rotation)
        # No rotation is nearer than its z axis is.
        pixels = pixels_near(self._level, rotation.apply([0.0, 0.0, 1.0]).astype(np.float64), angle)
        cosine, sine, azimuth = pixel_centers(self._level, pixels)
        # Over one pixel the scalar product with the target is high·cos(turn/2 - best).
        x, y, z, w = target
        swung_x, swung_y = np.cos(azimuth), np.sin(azimuth)
        along = cosine * w + sine * (swung_x * y - swung_y * x)
        across = cosine * z + sine * (swung_x * x + swung_y * y)
        high, best = np.hypot(along, across), np.arctan2(across, along)
        least = np.cos(angle / 2) - 1e-12
        room = np.arccos(np.clip(least / np.maximum(high, 1e-300), -1.0, 1.0))
        steps = 6 << self._level
        width = 2 * np.pi / steps
        first = np.ceil((2 * (best - room)) / width - 0.5 - 1e-6).astype(np.int64)
        last = np.floor((2 * (best + room)) / width - 0.5 + 1e-6).astype(np.int64)
        number = np.where(high >= least, np.clip(last - first + 1, 0, steps), 0)
        owner = np.repeat(np.arange(len(pixels)), number)
        turn = np.arange(len(owner)) - np.repeat(np.cumsum(number) - number, number)
        index = self._join(pixels[owner], (first[owner] + turn) % steps)
        members = self._quaternions(index)
        # By the chord, which tells small angles apart where the scalar product no longer does.
        dots = members @ target
        chord = np.linalg.norm(members - np.where(dots < 0, -1.0, 1.0)[:, np.newaxis] * target, axis=-1)
        away = 4 * np.arcsin(np.minimum(chord / 2, 1.0))
        order = np.lexsort((index, away))
        order = order[away[order] <= angle]
        return Rotation.from_quat(members[order], order="xyzw"), index[order]

    def _split(self, index: Integers) -> tuple[Integers, Integers]:
        """Pixel and step of the turn; every three bits of an index are one of the turn's and two of the pixel's."""
        base = index >> (3 * self._level)
        pixel, step = base // 6, base % 6
        for level in range(self._level - 1, -1, -1):
            bits = index >> (3 * level)
            pixel = (pixel << 2) | (bits & 3)
            step = (step << 1) | ((bits >> 2) & 1)
        return pixel, step

    def _join(self, pixel: Integers, step: Integers) -> Integers:
        index = (pixel >> (2 * self._level)) * 6 + (step >> self._level)
        for level in range(self._level - 1, -1, -1):
            index = (index << 3) | (((step >> level) & 1) << 2) | ((pixel >> (2 * level)) & 3)
        return index

    def _quaternions(self, index: Integers) -> Floats:
        pixel, step = self._split(index)
        cosine, sine, azimuth = pixel_centers(self._level, pixel)
        half = (step + 0.5) * (np.pi / (6 << self._level))
        # Rz(azimuth) Ry(polar) Rz(2 half - azimuth): the z axis goes to the pixel, whatever the turn.
        swung = half - azimuth
        return np.stack(
            [sine * np.sin(swung), sine * np.cos(swung), cosine * np.sin(half), cosine * np.cos(half)],
            axis=-1,
        )

    def _cells(self) -> Integers:
        # A step of the turn takes each pixel's rotations to one another.
        pixels = np.arange(12 << (2 * self._level), dtype=np.int64)
        return self._join(pixels, np.zeros_like(pixels))
