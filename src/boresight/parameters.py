"""What one direction has to do with a rotation: the shortest arc between two, and swing and twist about one.

Both take and give plain arrays; quaternions are unit, xyzw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .rows import Floats, floats, settle, settle_finite

__all__ = ["shortest_arc", "swing_twist"]

_IDENTITY = (0.0, 0.0, 0.0, 1.0)


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


def _units(v: ArrayLike, what: str) -> NDArray[np.float64]:
    """Unit vectors, in double precision, of whatever length."""
    rows = floats(v, 3, f"the {what}").astype(np.float64)
    rows = settle_finite(rows, "raise", what)
    with np.errstate(all="ignore"):
        size = np.abs(rows).max(axis=-1, keepdims=True, initial=0.0)
        zero = np.asarray(size[..., 0] == 0)
        if zero.any():
            rows = settle(rows, zero, "zero length", "raise", what, 1)
        scaled = rows / size
        return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
