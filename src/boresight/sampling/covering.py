"""How well a set of rotations covers SO(3): its covering radius, found exactly, and its coverage."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..rotation import Rotation
from ..rows import Floats

__all__ = ["coverage", "covering_radius"]

# Neighbours that a cell is first cut by, and the factor by which more are taken where that was not enough.
_FEW = 16
_GROWTH = 1.5
# No plane lies as far out as this (in tangents of half the angle), so it bounds a cell that nothing else does.
_FAR = 1e7
# What a block of work may hold, in numbers.
_BLOCK = 4_000_000


def covering_radius(rotations: Rotation[Any, Any], *, cells: ArrayLike | None = None) -> float:
    """The angle of the largest ball that holds none of the rotations: how far from them one can get.

    Parameters
    ----------
    rotations : Rotation, shape (n,)
        The set; any order, not all in one place.
    cells : array_like of int, optional
        Look only around these members: enough where the set has a symmetry that takes them to all others.

    Returns
    -------
    float
        The largest angle, in radians, from any rotation to the nearest of the set; at most π.

    Raises
    ------
    ValueError
        For an empty set, one of another shape, or one that holds NaN.

    Notes
    -----
    Exact to rounding. Seen from a member, the rotations nearer to it than to any other form a convex polytope in the
    tangents of half the angle (the gnomonic projection of the sphere of quaternions), and the farthest of them is a
    corner. The corners of the cell that the nearest few members alone would leave give an upper bound, which more
    members can only lower; it is the answer for that cell once every member within twice the bound has been heard.
    Cells are settled from the largest bound down, until one that is settled tops the rest.

    The time goes with the number of cells times the number of rotations; ten thousand of each take a few seconds.

    Examples
    --------
    >>> from boresight.sampling import Cell48
    >>> round(float(np.degrees(covering_radius(Cell48(1.0).rotations()))), 2)
    62.8
    """
    q = _points(rotations)
    if cells is None:
        index = np.arange(len(q))
    else:
        index = np.asarray(cells, dtype=np.intp).reshape(-1)
        if not index.size or index.min() < 0 or index.max() >= len(q):
            raise ValueError(f"cells= must name members by index, from 0 to {len(q) - 1}")
    few = min(_FEW, 2 * len(q) - 1)
    bounds, settled = _bounds(q, index, few)
    taken = np.full(len(index), few)
    while True:
        top = float(bounds.max())
        # All cells at the top at once: a regular set has many alike.
        open_ = np.flatnonzero(~settled & (bounds >= top - 1e-9))
        if not open_.size:
            return min(2 * top, np.pi)
        more = min(int(taken[open_].max() * _GROWTH), 2 * len(q) - 1)
        bounds[open_], settled[open_] = _bounds(q, index[open_], more)
        taken[open_] = more


def coverage(rotations: Rotation[Any, Any], *, radius: float | None = None) -> float:
    """How many balls of one radius around the rotations hold a rotation, on the average over SO(3).

    Parameters
    ----------
    rotations : Rotation, shape (n,)
    radius : float, optional
        An angle in radians up to π; by default the covering radius, with which no set can have less than 1.

    Returns
    -------
    float
        n (r - sin r)/π. The lower it is at the covering radius, the less the set wastes; Karney's best are at 1.15.

    Raises
    ------
    ValueError
        For a radius outside 0 to π, and as `covering_radius`.

    Examples
    --------
    >>> from boresight.sampling import Cell48
    >>> round(coverage(Cell48(1.0).rotations()), 4)
    1.5788
    """
    q = _points(rotations)
    if radius is None:
        radius = covering_radius(rotations)
    if not 0.0 <= radius <= np.pi:
        raise ValueError(f"radius= must be an angle from 0 to pi radians, not {radius}")
    # To first order only r^3/6 is left of r - sin r; below .01 the two differ by 5e-6 of it.
    mass = radius - np.sin(radius) if radius > 1e-2 else radius**3 / 6 * (1 - radius**2 / 20)
    return float(len(q) * mass / np.pi)


def _points(rotations: Rotation[Any, Any]) -> Floats:
    if rotations.__class__ is not Rotation:
        raise TypeError(f"rotations must be a Rotation, not {type(rotations).__name__}")
    q = rotations.as_quat(order="xyzw").astype(np.float64)
    if q.ndim != 2 or not len(q):
        raise ValueError(f"rotations has shape {rotations.shape}; give a batch (n,) with n of at least 1")
    if np.isnan(q).any():
        raise ValueError("rotations holds NaN")
    return q


def _bounds(q: Floats, cells: NDArray[np.intp], neighbours: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Upper bounds on the radii of cells on the sphere of quaternions, and which of them are exact."""
    radius = np.empty(len(cells))
    exact = np.zeros(len(cells), dtype=np.bool_)
    for part in _blocks(len(cells), len(q) + 8 * neighbours**4 // 24):
        own = q[cells[part]]
        heights, normals, reach = _planes(q, own, cells[part], neighbours)
        corner = np.sqrt(_farthest(normals, heights))
        radius[part] = np.arctan(corner)
        # A member farther off than twice the radius cannot cut the cell.
        exact[part] = (reach >= 2 * radius[part]) | (neighbours >= 2 * len(q) - 1)
    return radius, exact


def _blocks(rows: int, numbers: int) -> Iterator[slice]:
    size = max(1, _BLOCK // max(numbers, 1))
    return (slice(first, min(first + size, rows)) for first in range(0, rows, size))


def _planes(
    q: Floats, own: Floats, cells: NDArray[np.intp], neighbours: int
) -> tuple[Floats, Floats, Floats]:
    """The planes normal·p <= height between each cell and its nearest members, and how far the next member is.

    Every member counts twice, as q and as -q, for both are the same rotation; the cell's own other sign too.
    """
    dots = own @ q.T
    dots[np.arange(len(own)), cells] = -1.0
    far = -np.abs(dots)
    far[np.arange(len(own)), cells] = 1.0
    count = min(neighbours, len(q))
    # The far sign of a member comes into play only where hardly any are left, since all near signs come first.
    order = np.argpartition(far, count - 1, axis=1)[:, :count]
    near = np.take_along_axis(dots, order, axis=1)
    sign = np.where(near < 0, -1.0, 1.0)
    other = q[order] * sign[..., np.newaxis]
    reach = np.arccos(np.clip(np.abs(near), 0.0, 1.0)).max(axis=1)
    if neighbours > len(q):
        other = np.concatenate([other, -other], axis=1)
    # Into the member's own frame: conj(own) * other.
    v, w = own[:, np.newaxis, :3], own[:, np.newaxis, 3:]
    ov, ow = other[..., :3], other[..., 3:]
    scalar = (w * ow)[..., 0] + np.sum(v * ov, axis=-1)
    vector = w * ov - ow * v - np.cross(v, ov)
    heights = 1.0 - scalar
    # Twins: members that stand in one place have no plane between them.
    twin = heights < 1e-14
    normals = np.where(twin[..., np.newaxis], 0.0, vector)
    return np.where(twin, 1.0, heights), normals, reach


_FENCE = np.concatenate([np.eye(3), -np.eye(3)])


def _farthest(normals: Floats, heights: Floats) -> Floats:
    """Squared distance from the origin to the farthest corner of each polytope normal·p <= height."""
    rows, count = heights.shape
    n = np.concatenate([normals, np.broadcast_to(_FENCE, (rows, 6, 3))], axis=1)
    h = np.concatenate([heights, np.full((rows, 6), _FAR)], axis=1)
    triples = np.array(list(combinations(range(count + 6), 3)))
    farthest = np.zeros(rows)
    for part in _blocks(len(triples), rows * (count + 6)):
        a, b, c = (n[:, triples[part, i]] for i in range(3))
        ha, hb, hc = (h[:, triples[part, i], np.newaxis] for i in range(3))
        bc = np.cross(b, c)
        determinant = np.sum(a * bc, axis=-1)
        size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1) * np.linalg.norm(c, axis=-1)
        flat = np.abs(determinant) <= 1e-9 * size
        with np.errstate(divide="ignore", invalid="ignore"):
            corner = (ha * bc + hb * np.cross(c, a) + hc * np.cross(a, b)) / determinant[..., np.newaxis]
        corner = np.where(flat[..., np.newaxis], 0.0, corner)
        distance = np.sum(corner * corner, axis=-1)
        inside = corner @ np.swapaxes(n, 1, 2) <= h[:, np.newaxis, :] + 1e-11 * (
            h[:, np.newaxis, :] + np.sqrt(distance)[..., np.newaxis]
        )
        corners = np.where(inside.all(axis=-1), distance, 0.0)
        farthest = np.maximum(farthest, corners.max(axis=1))
    return farthest
