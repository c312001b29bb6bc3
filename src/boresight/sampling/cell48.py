"""Karney's grid on SO(3): a lattice in one cell of the 48-cell, and its images under the cube's rotations."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..rows import Floats
from .checks import real, whole
from .grids import Grid

__all__ = ["Cell48"]


def _cube() -> Floats:
    """The 24 rotations of the cube; identity first."""
    half = sqrt(0.5)
    units = np.eye(4)[[3, 0, 1, 2]]
    thirds = np.array([[x, y, z, 1.0] for x in (1, -1) for y in (1, -1) for z in (1, -1)]) / 2
    pairs = [(i, j, s) for i in range(4) for j in range(i + 1, 4) for s in (1, -1)]
    edges = np.zeros((12, 4))
    for row, (i, j, s) in zip(edges, pairs, strict=True):
        row[i], row[j] = half, s * half
    return np.concatenate([units, thirds, edges])


@final
class Cell48(Grid):
    """A body-centred cubic lattice in the rotations nearest to the identity, and its 24 images.

    The rotations nearer to the identity than to any other rotation of a cube fill a truncated cube in the tangents of
    half the angle. It takes about half as many rotations as a spiral for the same covering radius. Sizes come as they
    come: `of_size` finds a good one.

    Parameters
    ----------
    spacing : float
        Edge of the lattice's cubes in tangents of half the angle, from 0.01 to 1. From 2/3 on only the 24 rotations
        of the cube are left.

    Raises
    ------
    ValueError
        For another spacing.

    Notes
    -----
    Karney, "Quaternions in molecular modeling" (2007), section on orientation sets: points [k, l, m] δ/2 with all
    three even or all three odd, each below √2 - 1 and their sum below 1 in size. He publishes covering radii of 20.83°
    for 648 (δ = 0.33582) and 10.07° for 7416 (δ = 0.15846). He gives them weights too, since the volumes
    of their cells differ; here they count alike.

    Examples
    --------
    >>> grid = Cell48(0.33582)
    >>> grid.count, round(float(np.degrees(grid.covering_radius())), 2)
    (648, 20.83)
    """

    __slots__ = ("_points", "_spacing")

    SPACINGS: ClassVar[dict[int, float]] = {
        24: 1.0,
        216: 0.41422,
        648: 0.33582,
        1992: 0.25969,
        3768: 0.2071,
        4344: 0.19414,
        7416: 0.15846,
        12456: 0.13806,
        19560: 0.11607,
        27672: 0.1033,
    }
    """The spacing with which a size covers best, of sizes that cover clearly better than all smaller ones."""

    _images: ClassVar[Floats] = _cube()

    def __init__(self, spacing: float) -> None:
        if not 0.01 <= real("spacing", spacing) <= 1.0:
            raise ValueError(f"spacing= must lie within 0.01 to 1, not {spacing}")
        self._spacing = float(spacing)
        self._points = _lattice(self._spacing)

    @staticmethod
    def of_size(count: int) -> Cell48:
        """The smallest good grid of at least so many rotations (from `SPACINGS`).

        Raises
        ------
        ValueError
            If it would have to be larger than the largest of them, or is no positive integer.

        Examples
        --------
        >>> Cell48.of_size(500)
        Cell48(0.33582)
        """
        if whole("count", count) < 1:
            raise ValueError(f"count= must be at least 1, not {count}")
        for size, spacing in sorted(Cell48.SPACINGS.items()):
            if size >= count:
                return Cell48(spacing)
        largest = max(Cell48.SPACINGS)
        raise ValueError(f"count= must be at most {largest}, not {count}; for more choose a spacing")

    @property
    def spacing(self) -> float:
        """Edge of the lattice's cubes, in tangents of half the angle."""
        return self._spacing

    @property
    def count(self) -> int:
        return 24 * len(self._points)

    def __repr__(self) -> str:
        return f"Cell48({self._spacing})"

    def _quaternions(self, index: NDArray[np.int64]) -> Floats:
        image, point = np.divmod(index, len(self._points))
        p = self._points[point]
        scale = 1 / np.sqrt(1 + np.sum(p * p, axis=-1, keepdims=True))
        return kernels.multiply(self._images[image], np.concatenate([p * scale, scale], axis=-1))

    def _cells(self) -> NDArray[np.int64]:
        # The symmetries of the cube, mirrors too (the inverse is one), take these to all others.
        x, y, z = self._points.T
        slack = 1e-9
        return np.flatnonzero((x >= y - slack) & (y >= z - slack) & (z >= -slack))


def _lattice(spacing: float) -> Floats:
    """The points within the truncated cube, from the middle outwards."""
    side = sqrt(2.0) - 1.0
    most = int(2 * side / spacing) + 1
    found: list[Floats] = []
    # Plane by plane: the whole block of a fine lattice would not fit in memory.
    for k in range(-most, most + 1):
        steps = np.arange(-most, most + 1)
        steps = steps[(steps - k) % 2 == 0]
        rows, columns = np.meshgrid(steps, steps, indexing="ij")
        plane = np.stack([np.full_like(rows, k), rows, columns], axis=-1).reshape(-1, 3) * (spacing / 2)
        size = np.abs(plane)
        found.append(plane[(size < side).all(axis=-1) & (size.sum(axis=-1) < 1.0)])
    points = np.concatenate(found)
    return points[np.argsort(np.sum(points * points, axis=-1), kind="stable")]
