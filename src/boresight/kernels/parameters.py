"""Other ways to say which rotation: axis and angle, modified Rodrigues parameters, heading and tilt, two axes."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from .policy import INVALID, Array, Invalid, Kernel, Pair, refuse, take_fault, unknown

__all__ = [
    "from_axis_angle",
    "from_heading_tilt",
    "from_modified_rodrigues",
    "from_two_axes",
    "to_axis_angle",
    "to_heading_tilt",
    "to_modified_rodrigues",
]

_FROM_TWO_AXES: dict[str, Kernel] = {
    one + two: getattr(_native, f"from_two_axes_{one}{two}") for one, two in permutations("xyz", 2)
}
# Looked up once: a call on one row notices.
_from_axis_angle: tuple[Kernel, Kernel] = (_native.from_axis_angle_rad, _native.from_axis_angle_deg)
_to_axis_angle: tuple[Kernel, Kernel] = (_native.to_axis_angle_rad, _native.to_axis_angle_deg)
_from_modified_rodrigues: Kernel = _native.from_modified_rodrigues
_to_modified_rodrigues: Kernel = _native.to_modified_rodrigues
_from_heading_tilt: Kernel = _native.from_heading_tilt
_to_heading_tilt: Kernel = _native.to_heading_tilt


def from_axis_angle(
    axis: ArrayLike,
    angle: ArrayLike,
    *,
    degrees: bool,
    invalid: Invalid = "raise",
    out: Array | None = None,
) -> Array:
    """Take axes and angles from outside, by the right-hand rule.

    Parameters
    ----------
    axis : array_like, shape (..., 3)
        Of any finite length but zero.
    angle : array_like, shape (...)
        Of any finite size.
    degrees : bool
        The unit. Whole quarter turns in degrees are exact.
    invalid : {"raise", "nan"}
        What to do about rows whose axis is zero, or that are not finite.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Raises
    ------
    InvalidRowsError
        If a row is bad, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> from_axis_angle([0, 0, 2], 180, degrees=True)
    array([0., 0., 1., 0.])
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = _from_axis_angle[degrees](axis, angle, out)
    if take_fault() and invalid == "raise":
        refuse(_not_finite(angle, 0), "not finite", "angle")
        _refuse_axes(axis, "axis")
    return result


def to_axis_angle(q: ArrayLike, *, degrees: bool, out: Pair | None = None) -> Pair:
    """Write rotations as an axis and an angle, of the shorter way round.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    degrees : bool
        The unit.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    axis : ndarray, shape (..., 3)
        Unit vectors. What does not turn at all has the axis x.
    angle : ndarray, shape (...)
        From zero to half a turn.

    Examples
    --------
    >>> to_axis_angle([0, 0, 1, 0], degrees=True)
    (array([0., 0., 1.]), np.float64(180.0))
    """
    return _to_axis_angle[degrees](q, out)


def from_modified_rodrigues(p: ArrayLike, *, invalid: Invalid = "raise", out: Array | None = None) -> Array:
    """Take modified Rodrigues parameters from outside: the axis times the tangent of a quarter of the angle.

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Of any finite length; beyond 1 they say the longer way round.
    invalid : {"raise", "nan"}
        What to do about rows that are not finite.
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
    >>> from_modified_rodrigues([1.0, 0.0, 0.0])
    array([1., 0., 0., 0.])
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = _from_modified_rodrigues(p, out)
    if take_fault() and invalid == "raise":
        refuse(_not_finite(p, 1), "not finite", "set of modified Rodrigues parameters")
    return result


def to_modified_rodrigues(q: ArrayLike, *, out: Array | None = None) -> Array:
    """Write rotations as modified Rodrigues parameters: the axis times the tangent of a quarter of the angle.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Of the shorter way round, so of length at most 1.

    Examples
    --------
    >>> to_modified_rodrigues([0, 0, 0.6, 0.8]).round(6)
    array([0.      , 0.      , 0.333333])
    """
    return _to_modified_rodrigues(q, out)


def from_heading_tilt(
    heading: ArrayLike, tilt: ArrayLike, *, invalid: Invalid = "raise", out: Array | None = None
) -> Array:
    """Take heading and tilt from outside, as `to_heading_tilt` gives them.

    Parameters
    ----------
    heading : array_like, shape (...)
        In radians.
    tilt : array_like, shape (..., 2)
        In radians; batches broadcast.
    invalid : {"raise", "nan"}
        What to do about rows that are not finite.
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
    >>> from_heading_tilt(np.pi, [0.0, 0.0]).round(9)
    array([0., 0., 1., 0.])
    """
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = _from_heading_tilt(heading, tilt, out)
    if take_fault() and invalid == "raise":
        refuse(_not_finite(heading, 0) | _not_finite(tilt, 1), "not finite", "heading with tilt")
    return result


def to_heading_tilt(q: ArrayLike, *, out: Pair | None = None) -> Pair:
    """Write rotations as a turn about the vertical, and the least rotation that then tilts the vertical.

    The vertical is the z axis, up or down, on both sides. Unlike roll and pitch the tilt has no pole but upside down.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    heading : ndarray, shape (...)
        Turn about z in radians, by the right-hand rule, from -π to π; 0 upside down.
    tilt : ndarray, shape (..., 2)
        The x and y components, in the target, of the rotation vector of the tilt; its length is the angle between
        the two z axes.

    Examples
    --------
    >>> heading, tilt = to_heading_tilt([0.0, 0.0, 0.6, 0.8])
    >>> round(float(heading), 6), tilt
    (1.287002, array([0., 0.]))
    """
    return _to_heading_tilt(q, out)


def from_two_axes(
    axes: str,
    first: ArrayLike,
    second: ArrayLike,
    *,
    invalid: Invalid = "raise",
    out: Array | None = None,
) -> Array:
    """Take the directions of two of the source's axes in the target.

    Parameters
    ----------
    axes : str
        Two different letters of x, y and z: which axes of the source are given. The first ends up exactly where
        `first` points, the second as near to `second` as it can be.
    first, second : array_like, shape (..., 3)
        Of any length but zero, and not parallel; batches broadcast.
    invalid : {"raise", "nan"}
        What to do about rows that are zero, not finite, or parallel.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Raises
    ------
    InvalidRowsError
        If a row is bad, and `invalid` is ``"raise"``.
    ValueError
        For letters other than those.

    Examples
    --------
    >>> from_two_axes("zx", [0, 0, 2], [-5, 0, 1])  # z stays, x is turned round
    array([0., 0., 1., 0.])
    """
    kernel = _FROM_TWO_AXES.get(axes)
    if kernel is None:
        unknown("axes", axes, 'two different letters of x, y and z, such as "xy" or "zx"')
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = kernel(first, second, out)
    if take_fault() and invalid == "raise":
        _refuse_axes(first, "first axis")
        _refuse_axes(second, "second axis")
        refuse(np.isnan(result).any(axis=-1), "the two are parallel", "pair of axes")
    return result


def _not_finite(given: ArrayLike, axes: int) -> NDArray[np.bool_] | np.bool_:
    finite = np.isfinite(np.asarray(given, dtype=np.float64))
    return ~finite.all(axis=-1) if axes else ~finite


def _refuse_axes(given: ArrayLike, what: str) -> None:
    refuse(_not_finite(given, 1), "not finite", what)
    refuse(~np.asarray(given).any(axis=-1), "zero length", what)
