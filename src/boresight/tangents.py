"""Tangent vectors of rotations and poses: on which side they stand, in which order their parts come.

Shared by `derivatives` and `uncertainty`, which both are about small changes of a rotation or a pose.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .rows import Floats, floats

__all__ = ["Side", "TwistOrder", "check_order", "check_side", "cross_matrix"]

Side = Literal["left", "right"]
"""Where a small change stands: ``exp(d) X`` (left: in the axes of the target) or ``X exp(d)`` (right: in those of the
source)."""

TwistOrder = Literal["rot_trans", "trans_rot"]
"""Which part of a twist comes first: the rotation (GTSAM) or the translation (ROS)."""


def check_side(side: object) -> None:
    """Refuse a side that does not exist."""
    if side not in ("left", "right"):
        raise ValueError(f'side= is "left" or "right", not {side!r}')


def check_order(order: object) -> None:
    """Refuse an order of a twist that does not exist."""
    if order not in ("rot_trans", "trans_rot"):
        raise ValueError(f'order= of a twist is "rot_trans" or "trans_rot", not {order!r}')


def doubles(*given: tuple[ArrayLike, int, str]) -> tuple[list[Floats], np.dtype[Any]]:
    """Take arrays from outside, each with its number of columns and its name, and compute in double precision.

    Returns
    -------
    arrays : list of ndarray, float64
    dtype : dtype
        What the result should be in: float32 if all of them are.
    """
    arrays = [floats(values, columns, what) for values, columns, what in given]
    return [array.astype(np.float64, copy=False) for array in arrays], np.result_type(*arrays)


def cross_matrix(v: ArrayLike) -> Floats:
    """The matrices of the cross product: ``cross_matrix(v) @ u == np.cross(v, u)``.

    Parameters
    ----------
    v : array_like, shape (..., 3)

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Examples
    --------
    >>> cross_matrix([1, 2, 3])
    array([[ 0., -3.,  2.],
           [ 3.,  0., -1.],
           [-2.,  1.,  0.]])
    """
    rows = floats(v, 3, "the vector")
    matrix = np.zeros((*rows.shape, 3), rows.dtype)
    add_cross(matrix, rows)
    return matrix


def add_cross(matrix: Floats, v: Floats) -> None:
    """Add the matrices of the cross product with `v` to `matrix`, in place."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    matrix[..., 0, 1] -= z
    matrix[..., 0, 2] += y
    matrix[..., 1, 0] += z
    matrix[..., 1, 2] -= x
    matrix[..., 2, 0] -= y
    matrix[..., 2, 1] += x


def add_diagonal(matrix: Floats, values: Floats | float) -> None:
    """Add one number to the three diagonal elements of each matrix, in place."""
    for i in range(3):
        matrix[..., i, i] += values


def outer(u: Floats, v: Floats) -> Floats:
    """The matrices u vᵀ."""
    return u[..., :, np.newaxis] * v[..., np.newaxis, :]


def split(twist: Floats, order: TwistOrder) -> tuple[Floats, Floats]:
    """The translation and the rotation part of twists."""
    check_order(order)
    first, last = twist[..., :3], twist[..., 3:]
    return (first, last) if order == "trans_rot" else (last, first)


def ordered_twist(twist: Floats, order: TwistOrder) -> Floats:
    """Twists of ours, translation first, in the order asked for."""
    check_order(order)
    return twist if order == "trans_rot" else np.concatenate([twist[..., 3:], twist[..., :3]], axis=-1)


def blocks(
    shape: tuple[int, ...], order: TwistOrder, dtype: Any = np.float64
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """A matrix of zeros over twists, and views of its four blocks.

    Returns
    -------
    matrix : ndarray, shape (*shape, 6, 6)
    from translation to translation, from rotation to translation, from translation to rotation, from rotation to
    rotation : ndarray, shape (*shape, 3, 3)
    """
    check_order(order)
    matrix = np.zeros((*shape, 6, 6), dtype)
    t, r = (slice(0, 3), slice(3, 6)) if order == "trans_rot" else (slice(3, 6), slice(0, 3))
    return matrix, matrix[..., t, t], matrix[..., t, r], matrix[..., r, t], matrix[..., r, r]


def columns(shape: tuple[int, ...], order: TwistOrder) -> tuple[Floats, Floats, Floats]:
    """A matrix of zeros from twists to vectors, and views of what acts on the translation and on the rotation."""
    check_order(order)
    matrix = np.zeros((*shape, 3, 6))
    if order == "trans_rot":
        return matrix, matrix[..., :3], matrix[..., 3:]
    return matrix, matrix[..., 3:], matrix[..., :3]
