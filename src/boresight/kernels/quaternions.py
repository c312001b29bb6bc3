"""Quaternions: in and out of the house's order, products, and turned vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _native
from .policy import INVALID, Array, Invalid, Kernel, Order, report, take_fault, unknown

__all__ = ["conjugate", "from_quaternion", "multiply", "rotate", "rotate_inverse", "to_quaternion"]

_FROM_QUATERNION: dict[str, Kernel] = {
    "xyzw": _native.from_quaternion_xyzw,
    "wxyz": _native.from_quaternion_wxyz,
}
_TO_QUATERNION: dict[tuple[str, bool], Kernel] = {
    ("xyzw", False): _native.to_quaternion_xyzw,
    ("wxyz", False): _native.to_quaternion_wxyz,
    ("xyzw", True): _native.to_quaternion_xyzw_canonical,
    ("wxyz", True): _native.to_quaternion_wxyz_canonical,
}
# Looked up once: a call on one row notices.
_multiply: Kernel = _native.multiply
_conjugate: Kernel = _native.conjugate
_rotate: Kernel = _native.rotate
_rotate_inverse: Kernel = _native.rotate_inverse


def from_quaternion(
    q: ArrayLike, *, order: Order, invalid: Invalid = "raise", out: Array | None = None
) -> Array:
    """Take quaternions from outside: check, normalise and reorder them.

    Each is scaled by a power of two before its length is taken, so that neither (1e200, 0, 0, 1e200) nor
    (1e-200, 0, 0, 0) is lost. The sign is never changed, and a quaternion whose length is 1 to 4 eps comes back bit
    for bit.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Quaternions of any finite length but zero.
    order : {"xyzw", "wxyz"}
        Where the real part is.
    invalid : {"raise", "nan"}
        What to do about rows that are zero or not finite.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Raises
    ------
    InvalidRowsError
        If a row is zero or not finite, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> from_quaternion([2, 0, 0, 0], order="wxyz")
    array([0., 0., 0., 1.])
    """
    kernel = _FROM_QUATERNION.get(order)
    if kernel is None:
        unknown("order", order, '"xyzw" or "wxyz"')
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = kernel(q, out)
    if take_fault() and invalid == "raise":
        report(q, result, "quaternion", _quaternion_fault)
    return result


def to_quaternion(q: ArrayLike, *, order: Order, canonical: bool = False, out: Array | None = None) -> Array:
    """Hand quaternions to the outside in a named order.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    order : {"xyzw", "wxyz"}
        Where the real part is to be.
    canonical : bool
        Of q and -q, which are one rotation, give the one whose first component other than zero, of w, x, y, z, is
        positive.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        The same quaternions, reordered.

    Examples
    --------
    >>> to_quaternion([0.6, 0.0, 0.0, -0.8], order="wxyz", canonical=True)
    array([ 0.8, -0.6, -0. , -0. ])
    """
    kernel = _TO_QUATERNION.get((order, canonical))
    if kernel is None:
        unknown("order", order, '"xyzw" or "wxyz"')
    return kernel(q, out)


def multiply(p: ArrayLike, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Compose: the Hamilton product p q, first q and then p.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        Quaternions (x, y, z, w).
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Quaternions (x, y, z, w).

    Examples
    --------
    >>> multiply([1, 0, 0, 0], [0, 1, 0, 0])  # i j = k
    array([0., 0., 1., 0.])
    """
    return _multiply(p, q, out)


def conjugate(q: ArrayLike, *, out: Array | None = None) -> Array:
    """Invert: the same turn the other way.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        (-x, -y, -z, w).

    Examples
    --------
    >>> conjugate([0.6, 0.0, 0.0, 0.8])
    array([-0.6, -0. , -0. ,  0.8])
    """
    return _conjugate(q, out)


def rotate(q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
    """Turn vectors: q v q*.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    v : array_like, shape (..., 3)
        Vectors, polar or axial alike.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Vectors of the same lengths.

    Examples
    --------
    >>> rotate([0, 0, 1, 0], [1, 2, 3])  # half a turn about z
    array([-1., -2.,  3.])
    """
    return _rotate(q, v, out)


def rotate_inverse(q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
    """Turn vectors back: q* v q.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    v : array_like, shape (..., 3)
        Vectors, polar or axial alike.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Vectors of the same lengths.

    Examples
    --------
    >>> rotate_inverse([0.5, 0.5, 0.5, 0.5], [1, 2, 3])  # x becomes z, y x and z y
    array([2., 3., 1.])
    """
    return _rotate_inverse(q, v, out)


def _quaternion_fault(row: Array) -> str:
    return "zero norm" if np.isfinite(row).all() else "not finite"
