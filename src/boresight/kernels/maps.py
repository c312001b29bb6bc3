"""Between rotations and their vectors: exp and log, and what is made of them."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .. import _native
from .policy import INVALID, Array, Invalid, Kernel, report, take_fault, unknown

__all__ = ["angle", "exp", "log", "power", "slerp"]

# Looked up once: a call on one row notices.
_exp: Kernel = _native.exp
_log: Kernel = _native.log
_angle: Kernel = _native.angle
_power: Kernel = _native.power
_slerp: Kernel = _native.slerp


def exp(v: ArrayLike, *, invalid: Invalid = "nan", out: Array | None = None) -> Array:
    """Turn rotation vectors (axis times angle, radians) into quaternions.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        Rotation vectors of any finite length.
    invalid : {"nan", "raise"}
        What to do about rows that are not finite. Vectors are worked out more often than they come from outside, so
        they become NaN unless asked otherwise.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Raises
    ------
    InvalidRowsError
        If a row is not finite, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> exp([0, 0, 1e-300])
    array([0.e+000, 0.e+000, 5.e-301, 1.e+000])
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = _exp(v, out)
    if take_fault() and invalid == "raise":
        report(v, result, "rotation vector", lambda _: "not finite")
    return result


def log(q: ArrayLike, *, out: Array | None = None) -> Array:
    """Turn quaternions into the shortest rotation vectors.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Rotation vectors, radians, of lengths in [0, pi].

    Examples
    --------
    >>> log([0, 0, 1, 0]).round(6)
    array([0.      , 0.      , 3.141593])
    """
    return _log(q, out)


def angle(q: ArrayLike, *, out: Array | None = None) -> Array:
    """Say how far each rotation turns.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (...), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (...)
        Angles in [0, pi], radians.

    Examples
    --------
    >>> round(float(angle([0, 0, 1, 0])), 6)
    3.141593
    """
    return _angle(q, out)


def power(q: ArrayLike, t: ArrayLike, *, out: Array | None = None) -> Array:
    """Take `t` times the turn: exp(t log q), by the shortest way.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (...)
        How often; any real number.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Examples
    --------
    >>> power([0, 0, 1, 0], 0.5).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    """
    return _power(q, t, out)


def slerp(p: ArrayLike, q: ArrayLike, t: ArrayLike, *, out: Array | None = None) -> Array:
    """Interpolate at constant rate along the shortest way: p (p* q)^t.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w), where `t` is 0 and 1.
    t : array_like, shape (...)
        Outside [0, 1] the turn goes on.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w), at `t` = 0 of the sign of `p`.

    Examples
    --------
    >>> slerp([0, 0, 0, 1], [0, 0, 1, 0], 0.5).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    """
    return _slerp(p, q, t, out)
