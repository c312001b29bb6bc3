"""How well a set of rotations covers SO(3): its covering radius, found exactly, and its coverage."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import kernels
from ..rotation import Rotation
from ..rows import Floats
from .checks import indices, real, rotation

__all__ = ["coverage", "covering_radius"]

# Neighbours that a cell is first cut by.
_FEW = 12
# No plane lies as far out as this (in tangents of half the angle), so it bounds a cell that nothing else does.
_FAR = 1e7
_FENCE = np.concatenate([np.eye(3), -np.eye(3)])
# Distances that differ by less are the same: rounding.
_SAME = 1e-12
# How many numbers a block of cells may take.
_BLOCK = 4_000_000


def covering_radius(rotations: Rotation[Any, Any], *, cells: ArrayLike | None = None) -> float:
    """The angle of the largest ball that holds none of the rotations: how far from them one can get.

    Parameters
    ----------
    rotations : Rotation, shape (n,)
        The set, in any order.
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
    corner. A few neighbours cut a polytope that is too large, if anything. As long as some member is nearer to its
    farthest corner than the cell's own, that member cuts the corner off; when none is, the corner is the farthest
    point of the cell. Any corner's distance to its nearest member is a lower bound on the answer, so that most cells
    are done at the first look.

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
        index = indices("cells", cells).reshape(-1)
        if not index.size or index.min() < 0 or index.max() >= len(q):
            raise ValueError(f"cells= must name members by index, from 0 to {len(q) - 1}")
    size = max(1, _BLOCK // max(len(q), 16 * comb(min(_FEW, len(q)) + 6, 3)))
    radius = 0.0
    for first in range(0, len(index), size):
        radius = _largest(q, index[first : first + size], radius)
    return min(2 * radius, np.pi)


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
        n (r - sin r)/π. The lower it is at the covering radius, the less the set wastes; no lattice in flat space comes
        below 1.46.

    Raises
    ------
    ValueError
        For a radius outside 0 to π, and as `covering_radius`.

    Examples
    --------
    >>> from boresight.sampling import Cell48
    >>> round(coverage(Cell48(1.0).rotations()), 4)
    1.5787
    """
    q = _points(rotations)
    if radius is None:
        radius = covering_radius(rotations)
    radius = real("radius", radius)
    if not 0.0 <= radius <= np.pi:
        raise ValueError(f"radius= must be an angle from 0 to pi radians, not {radius}")
    # To first order only r^3/6 is left of r - sin r; below .01 the two differ by 5e-6 of it.
    mass = radius - np.sin(radius) if radius > 1e-2 else radius**3 / 6 * (1 - radius**2 / 20)
    return float(len(q) * mass / np.pi)


def _points(rotations: Rotation[Any, Any]) -> Floats:
    q = rotation("rotations", rotations).as_quat(order="xyzw").astype(np.float64)
    if q.ndim != 2 or not len(q):
        raise ValueError(f"rotations= has shape {rotations.shape}; give a batch (n,) with n of at least 1")
    if np.isnan(q).any():
        raise ValueError("rotations= holds NaN")
    return q


def _largest(q: Floats, cells: NDArray[np.intp], radius: float) -> float:
    """The larger of `radius` and the radii of cells, both on the sphere of quaternions."""
    own = q[cells]
    normals, heights = _nearest_planes(q, own, cells)
    corners, squares = _corners(normals, heights)
    while True:
        farthest = np.argmax(squares, axis=1)
        rows = np.arange(len(own))
        corner, square = corners[rows, farthest], squares[rows, farthest]
        x = kernels.multiply(own, np.concatenate([corner, np.ones((len(own), 1))], axis=1))
        x /= np.sqrt(1 + square)[:, np.newaxis]
        dots = x @ q.T
        nearest = np.argmax(np.abs(dots), axis=1)
        away = np.arccos(np.minimum(np.abs(dots[rows, nearest]), 1.0))
        radius = max(radius, float(away.max()))
        bound = np.arctan(np.sqrt(square))
        left = (bound > radius + _SAME) & (away < bound - _SAME)
        if not left.any():
            return radius
        own, nearest, dots = own[left], nearest[left], dots[left]
        normals, heights, corners, squares = normals[left], heights[left], corners[left], squares[left]
        sign = np.where(dots[np.arange(len(own)), nearest] < 0, -1.0, 1.0)
        normal, height = _planes(own, (q[nearest] * sign[:, np.newaxis])[:, np.newaxis])
        corners, squares = _cut(corners, squares, normals, heights, normal, height)
        normals = np.concatenate([normals, normal], axis=1)
        heights = np.concatenate([heights, height], axis=1)


def _nearest_planes(q: Floats, own: Floats, cells: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The planes between each member and its nearest few others, and a fence around all."""
    dots = own @ q.T
    rows = np.arange(len(own))[:, np.newaxis]
    dots[rows[:, 0], cells] = 0.0
    count = min(_FEW, len(q))
    order = np.argpartition(-np.abs(dots), count - 1, axis=1)[:, :count]
    sign = np.where(dots[rows, order] < 0, -1.0, 1.0)
    normals, heights = _planes(own, q[order] * sign[..., np.newaxis])
    fence = np.broadcast_to(_FENCE, (len(own), 6, 3))
    far = np.full((len(own), 6), _FAR)
    return np.concatenate([normals, fence], axis=1), np.concatenate([heights, far], axis=1)


def _planes(own: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The planes normal·p = height halfway between members, shape (n, 4), and others, shape (n, m, 4)."""
    seen = kernels.multiply(own[:, np.newaxis] * [-1.0, -1.0, -1.0, 1.0], other)
    heights = 1.0 - seen[..., 3]
    # Members that stand in one place have no plane between them.
    twin = heights < 1e-14
    return np.where(twin[..., np.newaxis], 0.0, seen[..., :3]), np.where(twin, 1.0, heights)


def _corners(normals: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """The corners of each polytope normal·p <= height, and their squared distances; -1 where there is none."""
    a, b, c = np.array(list(combinations(range(heights.shape[1]), 3))).T
    corners = _meet(normals, heights, a, b, c)
    return _inside(corners, normals, heights)


def _cut(
    corners: Floats, squares: Floats, normals: Floats, heights: Floats, normal: Floats, height: Floats
) -> tuple[Floats, Floats]:
    """The corners after one more plane: old ones that it leaves, and new ones on it."""
    gone = np.sum(corners * normal, axis=-1) > height + 1e-11 * (height + np.sqrt(np.maximum(squares, 0.0)))
    squares = np.where(gone, -1.0, squares)
    count = heights.shape[1]
    a, b = np.array(list(combinations(range(count), 2))).T
    every = np.concatenate([normals, normal], axis=1), np.concatenate([heights, height], axis=1)
    fresh, fresh_squares = _inside(_meet(*every, a, b, np.full_like(a, count)), *every)
    return _packed(np.concatenate([corners, fresh], axis=1), np.concatenate([squares, fresh_squares], axis=1))


def _meet(
    normals: Floats, heights: Floats, a: NDArray[np.intp], b: NDArray[np.intp], c: NDArray[np.intp]
) -> Floats:
    """Where three planes meet; NaN where they do not in one point."""
    na, nb, nc = normals[:, a], normals[:, b], normals[:, c]
    across = np.cross(nb, nc)
    determinant = np.sum(na * across, axis=-1)
    lengths = np.linalg.norm(normals, axis=-1)
    flat = np.abs(determinant) <= 1e-9 * lengths[:, a] * lengths[:, b] * lengths[:, c]
    determinant = np.where(flat, np.nan, determinant)
    ha, hb, hc = (heights[:, i, np.newaxis] for i in (a, b, c))
    return (ha * across + hb * np.cross(nc, na) + hc * np.cross(na, nb)) / determinant[..., np.newaxis]


def _inside(corners: Floats, normals: Floats, heights: Floats) -> tuple[Floats, Floats]:
    squares = np.sum(corners * corners, axis=-1)
    room = heights[:, np.newaxis, :]
    fits = corners @ np.swapaxes(normals, 1, 2) <= room + 1e-11 * (room + np.sqrt(squares)[..., np.newaxis])
    return _packed(corners, np.where(fits.all(axis=-1), squares, -1.0))


def _packed(corners: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Drop places that hold a corner in no row."""
    most = int((squares >= 0).sum(axis=1).max())
    order = np.argsort(-squares, axis=1)[:, : max(most, 1)]
    kept = np.take_along_axis(corners, order[..., np.newaxis], axis=1)
    return np.nan_to_num(kept), np.take_along_axis(squares, order, axis=1)
