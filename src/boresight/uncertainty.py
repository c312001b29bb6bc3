"""Covariances of rotations and poses, carried along when those compose, invert or change their axes.

A covariance P is that of the small tangent vector d that stands between the estimate X and the truth. It means
nothing until two things are said, which therefore have no defaults:

``side``
    ``"left"``: the truth is exp(d) X, so d is in the axes of the target (global). ``"right"``: X exp(d), in the axes
    of the source (local; what error-state filters and GTSAM keep).
``order``, of poses
    ``"rot_trans"`` (GTSAM) or ``"trans_rot"`` (ROS).

All is of first order, exact in the limit of small covariances: P' = J P Jᵀ with the derivatives of `derivatives`.
Results are symmetric to the last bit.

ROS's PoseWithCovariance is neither: its rotation part is about the fixed axes, as on the left, but its translation
part is that of the position itself. `pose_from_position_covariance` and its inverse go from the one to the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import derivatives, kernels
from .axes import SignedPermutation
from .errors import FrameError
from .rows import Floats, floats
from .tangents import Side, TwistOrder, add_cross, blocks, check_order, check_side, doubles

__all__ = [
    "change_order",
    "pose_change_side",
    "pose_compose",
    "pose_from_position_covariance",
    "pose_inverse",
    "pose_reframe",
    "pose_to_position_covariance",
    "pose_transport",
    "rotation_change_side",
    "rotation_compose",
    "rotation_inverse",
    "rotation_reframe",
    "rotation_transport",
    "transport",
]


def transport(covariance: ArrayLike, jacobian: ArrayLike) -> Floats:
    """The covariance of J d, for d of the given covariance: J P Jᵀ.

    Parameters
    ----------
    covariance : array_like, shape (..., n, n)
    jacobian : array_like, shape (..., m, n)
        Batches broadcast.

    Returns
    -------
    ndarray, shape (..., m, m)

    Examples
    --------
    >>> transport([[4.0, 0.0], [0.0, 1.0]], [[0.0, 1.0]])
    array([[1.]])
    """
    (p, j), dtype = doubles((covariance, 0, "the covariance"), (jacobian, 0, "the Jacobian"))
    if p.ndim < 2 or j.ndim < 2 or p.shape[-1] != p.shape[-2] or p.shape[-1] != j.shape[-1]:
        raise ValueError(
            f"a covariance of shape {p.shape} does not go with a Jacobian of shape {j.shape}; "
            "give (..., n, n) and (..., m, n)"
        )
    return _transport(p, j).astype(dtype, copy=False)


def _transport(p: Floats, j: Floats) -> Floats:
    with np.errstate(all="ignore"):
        result = j @ p @ np.swapaxes(j, -1, -2)
    result += np.swapaxes(result, -1, -2).copy()
    result *= 0.5
    # Zeros of the Jacobian must not hide part of a row that is missing.
    missing = np.isnan(p).any(axis=(-1, -2)) | np.isnan(j).any(axis=(-1, -2))
    result[np.broadcast_to(missing, result.shape[:-2])] = np.nan
    return result


def _covariance(
    values: ArrayLike, n: int, what: str = "the covariance"
) -> tuple[Floats, np.dtype[np.floating]]:
    (p,), dtype = doubles((values, n, what))
    if p.ndim < 2 or p.shape[-2] != n:
        raise ValueError(f"{what} has shape {p.shape}; its last axes must be {n} by {n}")
    return p, dtype


# ---- rotations ---------------------------------------------------------------------------------------


def rotation_compose(
    p: ArrayLike, p_covariance: ArrayLike, q: ArrayLike, q_covariance: ArrayLike, *, side: Side
) -> Floats:
    """Covariance of the product ``p q`` of two independent rotations.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        Unit quaternions, xyzw; batches broadcast.
    p_covariance, q_covariance : array_like, shape (..., 3, 3)
        In rad².
    side : {"left", "right"}
        Of both, and of the result.

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Examples
    --------
    >>> yaw = kernels.exp([0.0, 0.0, np.pi / 2])
    >>> rotation_compose(yaw, np.zeros((3, 3)), yaw, np.diag([4.0, 1.0, 0.0]), side="left").round(9)
    array([[1., 0., 0.],
           [0., 4., 0.],
           [0., 0., 0.]])
    """
    (first, one), (last, two) = _covariance(p_covariance, 3), _covariance(q_covariance, 3)
    by_p, by_q = derivatives.rotation_compose_jacobians(p, q, side=side)
    dtype = np.result_type(one, two, by_p)
    return (_transport(first, _double(by_p)) + _transport(last, _double(by_q))).astype(dtype, copy=False)


def rotation_inverse(q: ArrayLike, covariance: ArrayLike, *, side: Side) -> Floats:
    """Covariance of the inverse of a rotation.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    covariance : array_like, shape (..., 3, 3)
        Batches broadcast.
    side : {"left", "right"}
        Of the covariance, and of the result.

    Returns
    -------
    ndarray, shape (..., 3, 3)
    """
    return transport(covariance, derivatives.rotation_inverse_jacobian(q, side=side))


def rotation_change_side(q: ArrayLike, covariance: ArrayLike, *, from_: Side, to: Side) -> Floats:
    """The same uncertainty of a rotation, with the change on the other side.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    covariance : array_like, shape (..., 3, 3)
        Batches broadcast.
    from_, to : {"left", "right"}

    Returns
    -------
    ndarray, shape (..., 3, 3)
    """
    (rows,), dtype = doubles((q, 4, "the quaternion"))
    matrix = kernels.to_matrix(_to_side(rows, from_, to)).astype(dtype, copy=False)
    return transport(covariance, matrix)


def rotation_transport(q: ArrayLike, covariance: ArrayLike, *, side: Side) -> Floats:
    """Covariance of the product ``q x`` of an exact rotation and an uncertain one.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    covariance : array_like, shape (..., 3, 3)
        Of x; batches broadcast.
    side : {"left", "right"}
        Of the covariance, and of the result: R P Rᵀ on the left; on the right it stays, for there the change is in
        the axes of the source of x.

    Returns
    -------
    ndarray, shape (..., 3, 3)
    """
    rows = floats(q, 4, "the quaternion")
    exact = np.array([0.0, 0.0, 0.0, 1.0], rows.dtype)
    return transport(covariance, derivatives.rotation_compose_jacobians(rows, exact, side=side)[1])


def rotation_reframe(
    covariance: ArrayLike, *, target: SignedPermutation, source: SignedPermutation, side: Side
) -> Floats:
    """Covariance of a rotation in other axes of the same two things.

    Parameters
    ----------
    covariance : array_like, shape (..., 3, 3)
    target, source : SignedPermutation
        The change of axes on each side, by `axes.permutation`; both mirror, or neither.
    side : {"left", "right"}
        Of the covariance, and of the result. The change on the other side does not matter.

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Raises
    ------
    FrameError
        If one side mirrors and the other does not.
    """
    p, dtype = _covariance(covariance, 3)
    # The tangent vector is axial, and a mirror turns it round; squared, that is gone.
    return _transport(p, _change_on(side, target, source)).astype(dtype, copy=False)


# ---- poses -------------------------------------------------------------------------------------------


def pose_compose(
    p: tuple[ArrayLike, ArrayLike],
    p_covariance: ArrayLike,
    q: tuple[ArrayLike, ArrayLike],
    q_covariance: ArrayLike,
    *,
    side: Side,
    order: TwistOrder,
) -> Floats:
    """Covariance of the product of two independent poses.

    Parameters
    ----------
    p, q : pair of array_like, shapes (..., 4) and (..., 3)
        Unit quaternion, xyzw, and translation; batches broadcast.
    p_covariance, q_covariance : array_like, shape (..., 6, 6)
    side : {"left", "right"}
    order : {"rot_trans", "trans_rot"}
        Of both covariances, and of the result.

    Returns
    -------
    ndarray, shape (..., 6, 6)
    """
    (first, one), (last, two) = _covariance(p_covariance, 6), _covariance(q_covariance, 6)
    by_p, by_q = derivatives.pose_compose_jacobians(p, q, side=side, order=order)
    dtype = np.result_type(one, two, by_p)
    return (_transport(first, _double(by_p)) + _transport(last, _double(by_q))).astype(dtype, copy=False)


def pose_transport(
    q: ArrayLike, t: ArrayLike, covariance: ArrayLike, *, side: Side, order: TwistOrder
) -> Floats:
    """Covariance of the product of an exact pose and an uncertain one.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw, of the exact pose.
    t : array_like, shape (..., 3)
        Translations of the exact pose.
    covariance : array_like, shape (..., 6, 6)
        Of the uncertain one; batches broadcast.
    side : {"left", "right"}
        Of the covariance, and of the result: Ad P Adᵀ on the left; on the right it stays.
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
    """
    rows, translation = floats(q, 4, "the quaternion"), floats(t, 3, "the translation")
    exact = np.array([0.0, 0.0, 0.0, 1.0], rows.dtype), np.zeros(3, rows.dtype)
    by_last = derivatives.pose_compose_jacobians((rows, translation), exact, side=side, order=order)[1]
    return transport(covariance, by_last)


def pose_inverse(
    q: ArrayLike, t: ArrayLike, covariance: ArrayLike, *, side: Side, order: TwistOrder
) -> Floats:
    """Covariance of the inverse of a pose.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    t : array_like, shape (..., 3)
    covariance : array_like, shape (..., 6, 6)
        Batches broadcast.
    side : {"left", "right"}
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
    """
    return transport(covariance, derivatives.pose_inverse_jacobian(q, t, side=side, order=order))


def pose_change_side(
    q: ArrayLike, t: ArrayLike, covariance: ArrayLike, *, from_: Side, to: Side, order: TwistOrder
) -> Floats:
    """The same uncertainty of a pose, with the change on the other side.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions, xyzw.
    t : array_like, shape (..., 3)
    covariance : array_like, shape (..., 6, 6)
        Batches broadcast.
    from_, to : {"left", "right"}
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
    """
    check_side(from_)
    check_side(to)
    if from_ == to:
        check_order(order)
        p, dtype = _covariance(covariance, 6)
        return p.astype(dtype)
    if from_ == "left":
        q, t = kernels.pose_inverse(q, t)
    return transport(covariance, derivatives.pose_adjoint(q, t, order=order))


def pose_reframe(
    covariance: ArrayLike,
    *,
    target: SignedPermutation,
    source: SignedPermutation,
    side: Side,
    order: TwistOrder,
) -> Floats:
    """Covariance of a pose in other axes of the same two things.

    In a mirror the rotation part, being axial, turns round and the translation part does not: what stands between
    the two changes its sign.

    Parameters
    ----------
    covariance : array_like, shape (..., 6, 6)
    target, source : SignedPermutation
        The change of axes on each side, by `axes.permutation`; both mirror, or neither.
    side : {"left", "right"}
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)

    Raises
    ------
    FrameError
        If one side mirrors and the other does not.
    """
    p, dtype = _covariance(covariance, 6)
    change = _change_on(side, target, source)
    matrix, tt, _, _, rr = blocks((), order)
    tt[...] = change
    rr[...] = target.determinant * change
    return _transport(p, matrix).astype(dtype, copy=False)


def pose_from_position_covariance(t: ArrayLike, covariance: ArrayLike, *, order: TwistOrder) -> Floats:
    """Covariance on the left, of one that is about the position itself, as ROS's PoseWithCovariance is.

    A small rotation of the whole about the target's origin moves the position too; ROS's rotates in place.

    Parameters
    ----------
    t : array_like, shape (..., 3)
        The position.
    covariance : array_like, shape (..., 6, 6)
        Position and rotation about the fixed axes, in the named order.
    order : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
        As with ``side="left"``, in the same order.
    """
    return _about_position(t, covariance, order, 1.0)


def pose_to_position_covariance(t: ArrayLike, covariance: ArrayLike, *, order: TwistOrder) -> Floats:
    """Inverse of `pose_from_position_covariance`."""
    return _about_position(t, covariance, order, -1.0)


def _about_position(t: ArrayLike, covariance: ArrayLike, order: TwistOrder, sign: float) -> Floats:
    (translation,), dtype = doubles((t, 3, "the position"))
    matrix, tt, tr, _, rr = blocks(translation.shape[:-1], order)
    tt[...] = rr[...] = np.eye(3)
    # position of exp(rho, phi) X is t + rho + phi × t, so rho = dt + t × phi
    add_cross(tr, sign * translation)
    return transport(covariance, matrix.astype(dtype, copy=False))


def change_order(covariance: ArrayLike, *, from_: TwistOrder, to: TwistOrder) -> Floats:
    """The same covariance of a pose with its two parts in the other order.

    Parameters
    ----------
    covariance : array_like, shape (..., 6, 6)
    from_, to : {"rot_trans", "trans_rot"}

    Returns
    -------
    ndarray, shape (..., 6, 6)
        A new array.

    Examples
    --------
    >>> change_order(np.diag([1, 2, 3, 4, 5, 6]), from_="trans_rot", to="rot_trans").diagonal()
    array([4., 5., 6., 1., 2., 3.])
    """
    check_order(from_)
    check_order(to)
    p, dtype = _covariance(covariance, 6)
    if from_ != to:
        p = np.roll(p, (3, 3), axis=(-1, -2))
    return p.astype(dtype)


# ---- helpers -----------------------------------------------------------------------------------------


def _double(values: Floats) -> Floats:
    return values.astype(np.float64, copy=False)


def _to_side(q: Floats, from_: Side, to: Side) -> Floats:
    """The rotation that takes a tangent vector from one side to the other."""
    check_side(from_)
    check_side(to)
    if from_ == to:
        identity = np.zeros_like(q)
        identity[..., 3] = 1.0
        return identity
    return q if from_ == "right" else kernels.conjugate(q)


def _change_on(side: Side, target: SignedPermutation, source: SignedPermutation) -> NDArray[np.float64]:
    check_side(side)
    if target.determinant != source.determinant:
        raise FrameError("the change mirrors one side only; no rotation or pose can be written so")
    return (target if side == "left" else source).matrix.astype(np.float64)
