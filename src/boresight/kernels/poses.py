"""Poses: a rotation and a translation side by side."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .. import _native
from .policy import Array, Kernel, Pair

__all__ = ["pose_apply", "pose_exp", "pose_inverse", "pose_log", "pose_multiply"]

# Looked up once: a call on one row notices.
_pose_multiply: Kernel = _native.pose_multiply
_pose_inverse: Kernel = _native.pose_inverse
_pose_apply: Kernel = _native.pose_apply
_pose_exp: Kernel = _native.pose_exp
_pose_log: Kernel = _native.pose_log


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


def pose_exp(twist: ArrayLike, *, out: Pair | None = None) -> Pair:
    """Turn twists into poses.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Translation part first: (rho, phi), phi in radians.
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
    return _pose_exp(twist, out)


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
