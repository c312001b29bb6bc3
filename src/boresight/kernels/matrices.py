"""Rotation matrices in and out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _native
from .policy import INVALID, Array, Invalid, Kernel, report, take_fault, unknown

__all__ = ["from_matrix", "to_matrix"]

# Looked up once: a call on one row notices.
_to_matrix: Kernel = _native.to_matrix
_from_matrix: Kernel = _native.from_matrix
_project: Kernel = _native.project


def to_matrix(q: ArrayLike, *, out: Array | None = None) -> Array:
    """Write rotations as matrices that turn column vectors.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 3, 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> to_matrix([0, 0, 1, 0])  # half a turn about z
    array([[-1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0.,  1.]])
    """
    return _to_matrix(q, out)


def from_matrix(
    m: ArrayLike,
    *,
    invalid: Invalid = "raise",
    project: bool = False,
    out: Array | None = None,
) -> Array:
    """Take rotation matrices from outside.

    A matrix counts as a rotation if no entry of MᵀM - I exceeds 1e-5 (float32: 1e-4), which lets through what was
    written with six digits or has been single precision, and its determinant is positive. What it is off by is then
    taken out: the result is the nearest rotation.

    Parameters
    ----------
    m : array_like, shape (..., 3, 3)
        Matrices that turn column vectors.
    invalid : {"raise", "nan"}
        What to do about rows that are no rotation.
    project : bool
        Take any matrix, and give the rotation nearest to it in the sum of squared differences (by singular values).
        Only rows that are not finite, or to which no single rotation is nearest, are then bad.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w), the first nonzero of w, x, y, z positive.

    Raises
    ------
    InvalidRowsError
        If a row is not finite, not orthogonal or a reflection, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    >>> from_matrix([[2, 0, 0], [0, 2, 0], [0, 0, 2]], project=True)
    array([0., 0., 0., 1.])
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = _from_matrix(_project(m, None) if project else m, out)
    if take_fault() and invalid == "raise":
        report(m, result, "rotation matrix", _projection_fault if project else _matrix_fault)
    return result


def _matrix_fault(row: Array) -> str:
    if not np.isfinite(row).all():
        return "not finite"
    off = float(np.abs(row.T @ row - np.eye(3)).max())
    if off > (1e-4 if row.dtype == np.float32 else 1e-5):
        return f"not orthogonal (M^T M differs from I by {off:.2g}; project=True takes the nearest rotation)"
    return "a reflection (determinant -1)"


def _projection_fault(row: Array) -> str:
    if not np.isfinite(row).all():
        return "not finite"
    return "no single rotation is nearest to it"
