"""Derivatives of the algebra of rotations and poses.

The convention, for everything below: a rotation or pose X has no components to differentiate by, so it is changed by
a small tangent vector d, on a side that is named::

    side="left"     exp(d) X     d in the axes of the target (global)
    side="right"    X exp(d)     d in the axes of the source (local)

and the derivative of f at X is the matrix J for which ``f(X changed by d) = f(X) changed by J d``, both changes on the
same side, up to terms of second order in d. Where f takes or gives plain vectors, the change is a sum. Twists have
their order named at every call: ``"rot_trans"`` (GTSAM) or ``"trans_rot"`` (ROS). The Jacobians of exp are in
`jacobians`.

Everything is computed in double precision and returned in the precision that came in. Source: Sola, Deray and
Atchuthan, A micro Lie theory for state estimation in robotics (arXiv 1812.01537), which has those on the right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import kernels
from .jacobians import (
    pose_left_jacobian_inverse,
    pose_right_jacobian_inverse,
    rotation_left_jacobian_inverse,
    rotation_right_jacobian_inverse,
)
from .rows import Floats
from .tangents import (
    Side,
    TwistOrder,
    add_diagonal,
    blocks,
    check_side,
    columns,
    cross_matrix,
    doubles,
    ordered_twist,
)

__all__ = [
    "pose_adjoint",
    "pose_apply_jacobians",
    "pose_compose_jacobians",
    "pose_inverse_jacobian",
    "pose_log_jacobian",
    "rotation_apply_jacobians",
    "rotation_compose_jacobians",
    "rotation_inverse_jacobian",
    "rotation_log_jacobian",
]


def rotation_compose_jacobians(p: ArrayLike, q: ArrayLike, *, side: Side) -> tuple[Floats, Floats]:
    """Derivatives of the product ``p q`` by p and by q.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        Unit quaternions, xyzw; batches broadcast.
    side : {"left", "right"}

    Returns
    -------
    by_p, by_q : ndarray, shape (..., 3, 3)

    Examples
    --------
    >>> turn = kernels.exp([0.0, 0.0, np.pi / 2])
    >>> by_p, by_q = rotation_compose_jacobians(turn, turn, side="left")
    >>> by_q.round(9) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    check_side(side)
    (first, last), dtype = doubles((p, 4, "the first quaternion"), (q, 4, "the second quaternion"))
    shape = np.broadcast_shapes(first.shape[:-1], last.shape[:-1])
    turned = kernels.to_matrix(first if side == "left" else kernels.conjugate(last))
    other = np.broadcast_to(turned, (*shape, 3, 3)).astype(dtype)
    plain = np.zeros_like(other)
    add_diagonal(plain, 1.0)
    missing = np.isnan(first).any(axis=-1) | np.isnan(last).any(axis=-1)
    other[missing] = plain[missing] = np.nan
    return (plain, other) if side == "left" else (other, plain)


def rotation_inverse_jacobian(q: ArrayLike, *, side: Side) -> Floats:
    """Derivative of the inverse of q.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    side : {"left", "right"}

    Returns
    -------
    ndarray, shape (..., 3, 3)
    """
    check_side(side)
    (rows,), dtype = doubles((q, 4, "the quaternion"))
    return -kernels.to_matrix(rows if side == "right" else kernels.conjugate(rows)).astype(dtype, copy=False)


def rotation_apply_jacobians(q: ArrayLike, v: ArrayLike, *, side: Side) -> tuple[Floats, Floats]:
    """Derivatives of the rotated vector ``q v q*`` by q and by v.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    v : array_like, shape (..., 3)
        Batches broadcast.
    side : {"left", "right"}
        Where q is changed; vectors are changed by a sum.

    Returns
    -------
    by_q, by_v : ndarray, shape (..., 3, 3)
    """
    check_side(side)
    (rows, vectors), dtype = doubles((q, 4, "the quaternion"), (v, 3, "the vector"))
    rotated = kernels.rotate(rows, vectors)
    matrix = kernels.to_matrix(rows)
    by_q = -cross_matrix(rotated)
    if side == "right":
        # -(R v)^ R = -R v^
        by_q = by_q @ matrix
    by_v = np.broadcast_to(matrix, by_q.shape).copy()
    missing = np.isnan(rotated).any(axis=-1)
    by_q[missing] = by_v[missing] = np.nan
    return by_q.astype(dtype, copy=False), by_v.astype(dtype, copy=False)


def rotation_log_jacobian(q: ArrayLike, *, side: Side) -> Floats:
    """Derivative of the rotation vector of q.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw. The logarithm jumps at half turns, where this is the derivative of the branch
        that `kernels.log` is on.
    side : {"left", "right"}
        Where q is changed; the rotation vector is changed by a sum.

    Returns
    -------
    ndarray, shape (..., 3, 3)
    """
    check_side(side)
    (rows,), dtype = doubles((q, 4, "the quaternion"))
    inverse = rotation_left_jacobian_inverse if side == "left" else rotation_right_jacobian_inverse
    return inverse(kernels.log(rows)).astype(dtype, copy=False)


def pose_adjoint(q: ArrayLike, t: ArrayLike, *, order: TwistOrder) -> Floats:
    """Adjoint of poses: ``X exp(d) = exp(Ad d) X``, so it takes a change on the right to the one on the left.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    t : array_like, shape (..., 3)
        Translations; batches broadcast.
    order : {"rot_trans", "trans_rot"}
        Of the twists.

    Returns
    -------
    ndarray, shape (..., 6, 6)

    Examples
    --------
    >>> pose_adjoint([0, 0, 0, 1], [1, 2, 3], order="trans_rot")[:3, 3:]
    array([[ 0., -3.,  2.],
           [ 3.,  0., -1.],
           [-2.,  1.,  0.]])
    """
    (rows, translation), dtype = doubles((q, 4, "the quaternion"), (t, 3, "the translation"))
    return _adjoint(rows, translation, order).astype(dtype, copy=False)


def _adjoint(q: Floats, t: Floats, order: TwistOrder) -> Floats:
    shape = np.broadcast_shapes(q.shape[:-1], t.shape[:-1])
    matrix, tt, tr, _, rr = blocks(shape, order)
    rotation = kernels.to_matrix(q)
    tt[...] = rr[...] = rotation
    tr[...] = cross_matrix(t) @ rotation
    matrix[np.isnan(tr).any(axis=(-1, -2))] = np.nan
    return matrix


def pose_compose_jacobians(
    p: tuple[ArrayLike, ArrayLike], q: tuple[ArrayLike, ArrayLike], *, side: Side, order: TwistOrder
) -> tuple[Floats, Floats]:
    """Derivatives of the product of two poses by the first and by the second.

    Parameters
    ----------
    p, q : pair of array_like, shapes (..., 4) and (..., 3)
        Unit quaternion, xyzw, and translation; batches broadcast.
    side : {"left", "right"}
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    by_p, by_q : ndarray, shape (..., 6, 6)
    """
    check_side(side)
    arrays, dtype = doubles(
        (p[0], 4, "the first quaternion"),
        (p[1], 3, "the first translation"),
        (q[0], 4, "the second quaternion"),
        (q[1], 3, "the second translation"),
    )
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    turned = (
        _adjoint(arrays[0], arrays[1], order)
        if side == "left"
        else _inverse_adjoint(arrays[2], arrays[3], order)
    )
    other = np.broadcast_to(turned, (*shape, 6, 6)).astype(dtype)
    plain = np.zeros_like(other)
    plain[..., range(6), range(6)] = 1.0
    missing = np.zeros(shape, np.bool_)
    for array in arrays:
        missing |= np.isnan(array).any(axis=-1)
    other[missing] = plain[missing] = np.nan
    return (plain, other) if side == "left" else (other, plain)


def _inverse_adjoint(q: Floats, t: Floats, order: TwistOrder) -> Floats:
    """Adjoint of the inverse."""
    return _adjoint(*kernels.pose_inverse(q, t), order)


def pose_inverse_jacobian(q: ArrayLike, t: ArrayLike, *, side: Side, order: TwistOrder) -> Floats:
    """Derivative of the inverse of poses.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    t : array_like, shape (..., 3)
    side : {"left", "right"}
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
    """
    check_side(side)
    (rows, translation), dtype = doubles((q, 4, "the quaternion"), (t, 3, "the translation"))
    adjoint = _adjoint if side == "right" else _inverse_adjoint
    return -adjoint(rows, translation, order).astype(dtype, copy=False)


def pose_apply_jacobians(
    q: ArrayLike, t: ArrayLike, p: ArrayLike, *, side: Side, order: TwistOrder
) -> tuple[Floats, Floats]:
    """Derivatives of the moved point ``R p + t`` by the pose and by p.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    t, p : array_like, shape (..., 3)
        Batches broadcast.
    side : {"left", "right"}
        Where the pose is changed; points are changed by a sum.
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    by_pose : ndarray, shape (..., 3, 6)
    by_p : ndarray, shape (..., 3, 3)
    """
    check_side(side)
    (rows, translation, points), dtype = doubles(
        (q, 4, "the quaternion"), (t, 3, "the translation"), (p, 3, "the point")
    )
    moved = kernels.pose_apply(rows, translation, points)
    rotation = np.broadcast_to(kernels.to_matrix(rows), (*moved.shape, 3)).copy()
    by_pose, by_translation, by_rotation = columns(moved.shape[:-1], order)
    if side == "left":
        add_diagonal(by_translation, 1.0)
        by_rotation[...] = -cross_matrix(moved)
    else:
        by_translation[...] = rotation
        by_rotation[...] = -(rotation @ cross_matrix(points))
    missing = np.isnan(moved).any(axis=-1)
    by_pose[missing] = rotation[missing] = np.nan
    return by_pose.astype(dtype, copy=False), rotation.astype(dtype, copy=False)


def pose_log_jacobian(q: ArrayLike, t: ArrayLike, *, side: Side, order: TwistOrder) -> Floats:
    """Derivative of the twist of poses.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw. At half turns, as `rotation_log_jacobian`.
    t : array_like, shape (..., 3)
    side : {"left", "right"}
        Where the pose is changed; the twist is changed by a sum.
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
    """
    check_side(side)
    (rows, translation), dtype = doubles((q, 4, "the quaternion"), (t, 3, "the translation"))
    twist = ordered_twist(kernels.pose_log(rows, translation), order)
    inverse = pose_left_jacobian_inverse if side == "left" else pose_right_jacobian_inverse
    return inverse(twist, order=order).astype(dtype, copy=False)
