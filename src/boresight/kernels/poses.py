"""Poses: a rotation and a translation side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from .matrices import from_matrix
from .policy import INVALID, Array, Invalid, Kernel, Pair, refuse, take_fault, unknown

__all__ = [
    "pose_apply",
    "pose_exp",
    "pose_from_matrix",
    "pose_inverse",
    "pose_log",
    "pose_make",
    "pose_multiply",
    "pose_to_matrix",
]

_FROM_MATRIX: dict[tuple[int, ...], Kernel] = {
    (3, 4): _native.pose_from_matrix_34,
    (4, 4): _native.pose_from_matrix_44,
}
# How far the bottom row of a matrix may be from 0 0 0 1, by the item size of its type; the native code has the same.
_BOTTOM_ROW_TOLERANCE = {4: 1e-5, 8: 1e-9}

# Looked up once: a call on one row notices.
_pose_make: Kernel = _native.pose_make
_pose_to_matrix: Kernel = _native.pose_to_matrix
_project: Kernel = _native.project
_pose_multiply: Kernel = _native.pose_multiply
_pose_inverse: Kernel = _native.pose_inverse
_pose_apply: Kernel = _native.pose_apply
_pose_exp: Kernel = _native.pose_exp
_pose_log: Kernel = _native.pose_log


def pose_make(q: ArrayLike, t: ArrayLike, *, invalid: Invalid = "raise", out: Pair | None = None) -> Pair:
    """Put rotations and translations together: one batch shape, one precision, and nothing shared with either.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w); rows of NaN are let through.
    t : array_like, shape (..., 3)
        Translations from outside; batches broadcast.
    invalid : {"raise", "nan"}
        What to do about translations that are not finite.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations. With ``invalid="nan"`` a row that is not finite in either part is NaN in both; else it stays
        beside a rotation of NaN.

    Raises
    ------
    InvalidRowsError
        If a translation is not finite, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> pose_make([0, 0, 0, 1], [[1, 2, 3], [4, 5, 6]])[0]
    array([[0., 0., 0., 1.],
           [0., 0., 0., 1.]])
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    try:
        result = _pose_make(q, t, out)
    except ValueError as error:
        # NumPy names the shapes with the rows' own axis in them; what is to fit is the batches.
        if "broadcast" not in str(error):
            raise
        raise ValueError(
            f"rotations in a batch of shape {np.shape(q)[:-1]} and translations of shape {np.shape(t)} do not go "
            "together: all axes of the translations but the last broadcast with the batch of the rotations"
        ) from None
    if take_fault() and invalid == "raise":
        _refuse_translations(np.asarray(t, dtype=np.float64))
        result[1][...] = t  # Only rotations were missing, and where they are not known the place may be.
    return result


def pose_from_matrix(
    m: ArrayLike, *, invalid: Invalid = "raise", project: bool = False, out: Pair | None = None
) -> Pair:
    """Take homogeneous matrices from outside.

    Parameters
    ----------
    m : array_like, shape (..., 4, 4) or (..., 3, 4)
        Matrices that multiply columns. The bottom row, where there is one, is 0 0 0 1 to 1e-9 (float32: 1e-5).
    invalid : {"raise", "nan"}
        What to do about rows that are no pose.
    project : bool
        Take any 3 by 3 part, and the rotation nearest to it.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions, the first nonzero of w, x, y, z positive.
    t : ndarray, shape (..., 3)
        Translations.

    Raises
    ------
    InvalidRowsError
        If a row is no pose, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> pose_from_matrix([[1, 0, 0, 5], [0, 1, 0, 6], [0, 0, 1, 7]])
    (array([0., 0., 0., 1.]), array([5., 6., 7.]))
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    matrix = m if type(m) is np.ndarray else np.asarray(m)
    kernel = _FROM_MATRIX.get(matrix.shape) or _FROM_MATRIX.get(matrix.shape[-2:])
    if kernel is None:
        raise ValueError(
            f"pose_from_matrix: argument 1 must have shape (..., 4, 4) or (..., 3, 4), not {matrix.shape}"
        )
    result = kernel(_projected(matrix) if project else matrix, out)
    if take_fault() and invalid == "raise":
        _refuse_matrices(matrix, project)
    return result


def pose_to_matrix(q: ArrayLike, t: ArrayLike, *, out: Array | None = None) -> Array:
    """Write poses as homogeneous matrices that multiply columns.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    out : ndarray, shape (..., 4, 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4, 4)

    Examples
    --------
    >>> pose_to_matrix([0, 0, 1, 0], [5, 6, 7])
    array([[-1.,  0.,  0.,  5.],
           [ 0., -1.,  0.,  6.],
           [ 0.,  0.,  1.,  7.],
           [ 0.,  0.,  0.,  1.]])
    """
    return _pose_to_matrix(q, t, out)


def pose_multiply(
    q1: ArrayLike, t1: ArrayLike, q2: ArrayLike, t2: ArrayLike, *, out: Pair | None = None
) -> Pair:
    """Compose poses, each p -> q p + t: first the second, then the first.

    Parameters
    ----------
    q1, q2 : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t1, t2 : array_like, shape (..., 3)
        Translations.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations.

    Examples
    --------
    >>> pose_multiply([0, 0, 1, 0], [1, 0, 0], [0, 0, 0, 1], [5, 0, 0])
    (array([0., 0., 1., 0.]), array([-4.,  0.,  0.]))
    """
    return _pose_multiply(q1, t1, q2, t2, out)


def pose_inverse(q: ArrayLike, t: ArrayLike, *, out: Pair | None = None) -> Pair:
    """Invert poses.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations.

    Examples
    --------
    >>> pose_inverse([0, 0, 0, 1], [1, 2, 3])[1]
    array([-1., -2., -3.])
    """
    return _pose_inverse(q, t, out)


def pose_apply(q: ArrayLike, t: ArrayLike, p: ArrayLike, *, out: Array | None = None) -> Array:
    """Map points: q p + t.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    p : array_like, shape (..., 3)
        Points.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Points.

    Examples
    --------
    >>> pose_apply([0, 0, 1, 0], [1, 0, 0], [5, 0, 0])
    array([-4.,  0.,  0.])
    """
    return _pose_apply(q, t, p, out)


def pose_exp(twist: ArrayLike, *, invalid: Invalid = "nan", out: Pair | None = None) -> Pair:
    """Turn twists into poses.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Translation part first: (rho, phi), phi in radians.
    invalid : {"nan", "raise"}
        What to do about rows that are not finite, as for `exp`.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations.

    Examples
    --------
    >>> pose_exp([1, 2, 3, 0, 0, 0])
    (array([0., 0., 0., 1.]), array([1., 2., 3.]))
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = _pose_exp(twist, out)
    if take_fault() and invalid == "raise":
        refuse(_not_finite(np.asarray(twist, dtype=np.float64)), "not finite", "twist")
    return result


def pose_log(q: ArrayLike, t: ArrayLike, *, out: Array | None = None) -> Array:
    """Turn poses into the shortest twists.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    out : ndarray, shape (..., 6), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 6)
        Translation part first: (rho, phi), phi in radians and of length in [0, pi].

    Examples
    --------
    >>> pose_log([0, 0, 0, 1], [1, 2, 3])
    array([1., 2., 3., 0., 0., 0.])
    """
    return _pose_log(q, t, out)


def _projected(matrix: Array) -> Array:
    whole = np.array(matrix, dtype=matrix.dtype if matrix.dtype.kind == "f" else np.float64)
    whole[..., :3, :3] = _project(whole[..., :3, :3], None)
    return whole


def _not_finite(rows: Array) -> NDArray[np.bool_] | np.bool_:
    return ~np.isfinite(rows).all(axis=-1)


def _refuse_translations(t: Array) -> None:
    refuse(_not_finite(t), "not finite", "translation")


def _refuse_matrices(matrix: Array, project: bool) -> None:
    # First, or a matrix of nothing but NaN would be blamed for its bottom row.
    refuse(~np.isfinite(matrix[..., :3, :3]).all(axis=(-2, -1)), "not finite", "rotation matrix")
    if matrix.shape[-2] == 4:
        tolerance = _BOTTOM_ROW_TOLERANCE.get(matrix.dtype.itemsize if matrix.dtype.kind == "f" else 8, 0.0)
        # Not above the tolerance is not the same as within it: NaN is neither.
        within = np.abs(matrix[..., 3, :] - np.array([0.0, 0.0, 0.0, 1.0])) <= tolerance
        refuse(~within.all(axis=-1), "its bottom row is not 0 0 0 1", "pose")
    from_matrix(matrix[..., :3, :3], project=project)
    _refuse_translations(np.asarray(matrix[..., :3, 3], dtype=np.float64))
