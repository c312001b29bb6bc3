"""Other ways to say which rotation: modified Rodrigues parameters, two axes, heading and tilt, swing and twist.

Each takes and gives plain arrays; quaternions are unit, xyzw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .rows import Floats, Invalid, floats, settle, settle_finite

__all__ = [
    "from_heading_tilt",
    "from_modified_rodrigues",
    "from_two_axes",
    "shortest_arc",
    "swing_twist",
    "to_heading_tilt",
    "to_modified_rodrigues",
]

_IDENTITY = (0.0, 0.0, 0.0, 1.0)


def to_modified_rodrigues(q: ArrayLike) -> Floats:
    """Modified Rodrigues parameters: the axis times the tangent of a quarter of the angle.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    ndarray, shape (..., 3)
        Of the shorter way round, so of length at most 1.

    Examples
    --------
    >>> to_modified_rodrigues(kernels.exp([0, 0, np.pi / 2])).round(6)
    array([0.      , 0.      , 0.414214])
    """
    rows = floats(q, 4, "the quaternion")
    w = rows[..., 3:]
    return np.where(w < 0, -rows[..., :3], rows[..., :3]) / (1.0 + np.abs(w))


def from_modified_rodrigues(p: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
    """Rotations from modified Rodrigues parameters.

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Of any length; beyond 1 they say the longer way round.
    invalid : {"raise", "nan"}
        What to do with rows that are not finite.

    Returns
    -------
    ndarray, shape (..., 4)

    Raises
    ------
    InvalidRowsError

    Examples
    --------
    >>> from_modified_rodrigues([1.0, 0.0, 0.0])
    array([1., 0., 0., 0.])
    """
    given = floats(p, 3, "the modified Rodrigues parameters")
    rows = settle_finite(given, invalid, "set of modified Rodrigues parameters").astype(
        np.float64, copy=False
    )
    with np.errstate(all="ignore"):
        # (2 p, 1 - p²), over the square of whatever would overflow.
        size = np.maximum(np.abs(rows).max(axis=-1, keepdims=True, initial=0.0), 1.0)
        unit = rows / size
        real = 1.0 / size**2 - np.einsum("...i,...i->...", unit, unit)[..., np.newaxis]
        q = np.concatenate([2.0 * unit / size, real], axis=-1)
    return kernels.from_quaternion(q, order="xyzw", invalid="nan").astype(given.dtype, copy=False)


def shortest_arc(start: ArrayLike, end: ArrayLike) -> Floats:
    """The rotation of least angle that takes one unit vector to another.

    Between opposite vectors all half turns about axes across them are as short; it takes the one about the axis
    that is across the smallest component of `start` too.

    Parameters
    ----------
    start, end : array_like, shape (..., 3)
        Unit vectors; batches broadcast.

    Returns
    -------
    ndarray, shape (..., 4)

    Examples
    --------
    >>> kernels.log(shortest_arc([1, 0, 0], [0, 1, 0])).round(6)
    array([0.      , 0.      , 1.570796])
    """
    first, last = floats(start, 3, "the first vector"), floats(end, 3, "the second vector")
    dtype = np.result_type(first, last)
    first, last = np.broadcast_arrays(first.astype(np.float64), last.astype(np.float64))
    # Up to a quarter turn the rotation is the product of two half turns, about `first` and about the middle between
    # the two. Beyond, the middle is all rounding: there a half turn comes before it, about an axis made to be across.
    beyond = (np.einsum("...i,...i->...", first, last) < 0)[..., np.newaxis]
    near = np.where(beyond, -first, first)
    middle = near + last
    middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
    q = np.concatenate(
        [np.cross(near, middle), np.einsum("...i,...i->...", near, middle)[..., np.newaxis]], axis=-1
    )
    if beyond.any():
        half = np.concatenate([_across(first, np.cross(first, last)), np.zeros_like(q[..., 3:])], axis=-1)
        q = np.where(beyond, kernels.multiply(q, half), q)
    return kernels.from_quaternion(q, order="xyzw", invalid="nan").astype(dtype, copy=False)


def _across(v: NDArray[np.float64], guess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors across unit vectors: the guess made upright, or whatever is, where the guess is all rounding."""
    lost = ~(np.linalg.norm(guess, axis=-1, keepdims=True) > 1e-15)
    smallest = np.eye(3)[np.argmin(np.abs(np.nan_to_num(v)), axis=-1)]
    across = np.where(lost, np.cross(v, smallest), guess)
    across = across / np.linalg.norm(across, axis=-1, keepdims=True)
    across = across - np.einsum("...i,...i->...", across, v)[..., np.newaxis] * v
    return across / np.linalg.norm(across, axis=-1, keepdims=True)


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Floats, Floats]:
    """Split rotations into a turn about an axis and what is left: ``q = swing · twist``.

    The twist comes first and is about the axis; the swing then tilts the axis and has no part about it.

    Parameters
    ----------
    q : array_like, shape (..., 4)
    axis : array_like, shape (..., 3)
        Of any length but zero, in the axes of the source; batches broadcast.

    Returns
    -------
    swing, twist : ndarray, shape (..., 4)
        Where the axis ends up opposite to itself any twist would do, and it is the identity.

    Raises
    ------
    InvalidRowsError
        For axes of length zero, or not finite.

    Examples
    --------
    >>> swing, twist = swing_twist(kernels.from_euler("ZYX", [40, 0, 10], degrees=True), [0, 0, 1])
    >>> np.degrees(kernels.log(twist)).round(9)
    array([ 0.,  0., 40.])
    """
    rows = floats(q, 4, "the quaternion")
    line = _units(axis, "axis").astype(rows.dtype, copy=False)
    part = np.einsum("...i,...i->...", rows[..., :3], line)
    real = np.broadcast_to(rows[..., 3], part.shape)
    twist = np.concatenate([part[..., np.newaxis] * line, real[..., np.newaxis]], axis=-1)
    length = np.hypot(part, real)
    # Below rounding of the components there is no twist to be seen.
    lost = length <= 4 * np.finfo(rows.dtype).eps
    twist[lost] = _IDENTITY
    twist = kernels.from_quaternion(twist, order="xyzw", invalid="nan")
    swing = kernels.multiply(rows, kernels.conjugate(twist))
    missing = np.isnan(swing).any(axis=-1)
    twist[missing] = np.nan
    return swing, twist


def from_two_axes(axes: str, first: ArrayLike, second: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
    """Rotations from the directions of two of the source's axes in the target.

    Parameters
    ----------
    axes : str
        Two different letters of x, y and z: which axes of the source are given. The first ends up exactly where
        `first` points, the second as near to `second` as it can be.
    first, second : array_like, shape (..., 3)
        Of any length but zero, and not parallel; batches broadcast.
    invalid : {"raise", "nan"}
        What to do with rows that are zero, not finite, or parallel.

    Returns
    -------
    ndarray, shape (..., 4)

    Raises
    ------
    InvalidRowsError
    ValueError
        For letters other than those.

    Examples
    --------
    >>> q = from_two_axes("zx", [0, 0, 2], [0, 5, 1])  # z stays up, x points north in ENU
    >>> kernels.to_euler("ZYX", q, degrees=True).round(9) + 0.0
    array([90.,  0.,  0.])
    """
    if len(axes) != 2 or axes[0] == axes[1] or not set(axes) <= set("xyz"):
        raise ValueError(f'axes is two different letters of x, y and z, such as "xy" or "zx", not {axes!r}')
    one = floats(first, 3, "the first axis")
    two = floats(second, 3, "the second axis")
    dtype = np.result_type(one, two)
    unit = _units(one, "first axis", invalid)
    other = _units(two, "second axis", invalid)
    i, j = ("xyz".index(letter) for letter in axes)
    with np.errstate(all="ignore"):
        # Twice, so that what is left of nearly parallel axes stands upright too.
        across = other - np.einsum("...i,...i->...", other, unit)[..., np.newaxis] * unit
        size = np.linalg.norm(across, axis=-1, keepdims=True)
        parallel = np.asarray(size[..., 0] <= 4 * np.finfo(dtype).eps)
        across = across / size
        across = across - np.einsum("...i,...i->...", across, unit)[..., np.newaxis] * unit
        across = across / np.linalg.norm(across, axis=-1, keepdims=True)
    if parallel.any():
        across = settle(across, parallel, "the two are parallel", invalid, "pair of axes", 1)
    unit, across = np.broadcast_arrays(unit, across)
    matrix = np.empty((*across.shape, 3))
    matrix[..., :, i] = unit
    matrix[..., :, j] = across
    third = np.cross(unit, across)
    matrix[..., :, 3 - i - j] = third if (j - i) % 3 == 1 else -third
    return kernels.from_matrix(matrix, invalid="nan").astype(dtype, copy=False)


def to_heading_tilt(q: ArrayLike) -> tuple[Floats, Floats]:
    """Heading and tilt: a turn about the vertical, then the least rotation that tilts the vertical.

    The vertical is the z axis, up or down, on both sides. Unlike roll and pitch the tilt has no pole but upside down.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    heading : ndarray, shape (...)
        Turn about z in radians, by the right-hand rule, from -π to π; 0 upside down.
    tilt : ndarray, shape (..., 2)
        The x and y components, in the target, of the rotation vector of the tilt; its length is the angle between
        the two z axes.

    Examples
    --------
    >>> heading, tilt = to_heading_tilt(kernels.from_euler("ZYX", [90, 10, 0], degrees=True))
    >>> np.degrees(heading).round(9), np.degrees(tilt).round(9) + 0.0
    (np.float64(90.0), array([-10.,   0.]))
    """
    swing, twist = swing_twist(q, [0.0, 0.0, 1.0])
    # The turn of q and of -q is the same: take the half plane of w where the arc tangent is in range.
    heading = kernels.log(twist)[..., 2]
    return heading, kernels.log(swing)[..., :2].copy()


def from_heading_tilt(heading: ArrayLike, tilt: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
    """Rotations from heading and tilt, as `to_heading_tilt` gives them.

    Parameters
    ----------
    heading : array_like, shape (...)
        In radians.
    tilt : array_like, shape (..., 2)
        In radians; batches broadcast.
    invalid : {"raise", "nan"}
        What to do with rows that are not finite.

    Returns
    -------
    ndarray, shape (..., 4)

    Raises
    ------
    InvalidRowsError
    """
    turn, lean = floats(heading, 0, "the heading"), floats(tilt, 2, "the tilt")
    dtype = np.result_type(turn, lean)
    shape = np.broadcast_shapes(turn.shape, lean.shape[:-1])
    both = np.empty((*shape, 3), dtype)
    both[..., 0], both[..., 1:] = turn, lean
    both = settle_finite(both, invalid, "heading with tilt")
    twist, swing = np.zeros_like(both), np.zeros_like(both)
    twist[..., 2] = both[..., 0]
    swing[..., :2] = both[..., 1:]
    return kernels.multiply(kernels.exp(swing), kernels.exp(twist))


def _units(v: ArrayLike, what: str, invalid: Invalid = "raise") -> NDArray[np.float64]:
    """Unit vectors, in double precision, of whatever length."""
    rows = floats(v, 3, f"the {what}").astype(np.float64)
    rows = settle_finite(rows, invalid, what)
    with np.errstate(all="ignore"):
        size = np.abs(rows).max(axis=-1, keepdims=True, initial=0.0)
        zero = np.asarray(size[..., 0] == 0)
        if zero.any():
            rows = settle(rows, zero, "zero length", invalid, what, 1)
        scaled = rows / size
        return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
