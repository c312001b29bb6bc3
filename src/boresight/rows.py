"""Rows of numbers: the arrays that come in from outside, and the policy for rows that hold nothing usable."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidRowsError

__all__ = ["Floats", "Invalid", "floats", "floats_beside", "identities", "joined", "settle_finite"]

Floats = NDArray[np.floating[Any]]
"""float32 or float64."""

Invalid = Literal["raise", "nan"]
"""What to do with rows that hold no rotation: raise for them all, or make NaN of each."""

_FLOAT64 = np.dtype(np.float64)
_FLOAT32 = np.dtype(np.float32)


def floats(values: ArrayLike, columns: int, what: str) -> Floats:
    """`values` as float32 or float64 in native byte order, without a copy where that is what they are.

    Parameters
    ----------
    values : array_like, shape (..., columns)
        Integers and booleans become float64.
    columns : int
        Length of the last axis; 0 leaves the shape alone.
    what : str
        What the values are, for the message.

    Raises
    ------
    TypeError
        For float16, complex numbers, objects and masked arrays.
    ValueError
        If the last axis has another length.
    """
    array = values if type(values) is np.ndarray else np.asarray(values)
    if array is not values and hasattr(values, "mask"):
        raise TypeError(f"{what} is a masked array, whose mask would be lost; give a.filled(numpy.nan)")
    if array.dtype is not _FLOAT64:
        kind = array.dtype.kind
        if kind in "iub":
            array = array.astype(_FLOAT64)
        elif kind == "f" and array.dtype.itemsize in (4, 8):
            array = array.astype(_FLOAT64 if array.dtype.itemsize == 8 else _FLOAT32, copy=False)
        else:
            raise TypeError(f"{what} is of type {array.dtype.name}; give float32, float64 or integers")
    if columns and (array.ndim == 0 or array.shape[-1] != columns):
        raise ValueError(f"{what} has shape {array.shape}; the last axis must have {columns} numbers")
    return array


def floats_beside(values: ArrayLike, array: Floats, what: str) -> Floats:
    """As `floats`, of any shape; a Python number takes its precision from the array beside it, as NumPy has it."""
    if type(values) in (float, int):
        return np.asarray(values, dtype=array.dtype)
    return floats(values, 0, what)


def identities(shape: int | tuple[int, ...]) -> Floats:
    """Quaternions (x, y, z, w) of no rotation, float64, in a batch of the given shape."""
    xyzw = np.zeros((shape, 4) if isinstance(shape, int) else (*shape, 4))
    xyzw[..., 3] = 1.0
    return xyzw


def joined(arrays: Sequence[Floats], axis: int) -> Floats:
    """Rows of several batches, joined along one axis of the batch; a single row counts as a batch of one.

    Raises
    ------
    ValueError
        If the batch has no such axis: the components of a row are none of its axes.
    """
    batches = [array if array.ndim > 1 else array[np.newaxis] for array in arrays]
    axes = batches[0].ndim - 1
    if not -axes <= axis < axes:
        raise ValueError(f"axis={axis} is none of a batch of shape {batches[0].shape[:-1]}")
    return np.concatenate(batches, axis=axis % axes)


def settle_finite(values: Floats, invalid: Invalid, what: str, axes: int = 1) -> Floats:
    """Apply the row policy to rows of which every number has to be finite.

    Parameters
    ----------
    values : ndarray
    invalid : {"raise", "nan"}
    what : str
        What a row should be, for the message.
    axes : int
        How many of the last axes make up a row.

    Returns
    -------
    ndarray
        `values` itself if all rows are finite, else a copy with NaN all over the bad rows.

    Raises
    ------
    InvalidRowsError
        With ``invalid="raise"``.
    """
    # One pass, and no temporary: a sum, or a sum of squares, is finite only if every number is. It may overflow
    # for numbers that are fine, which the slow way below then finds out. NumPy is slow at a handful of numbers.
    total = sum(values.tolist()) if values.ndim == 1 else np.vdot(values, values)
    if isfinite(total):
        return values
    bad = np.asarray(~np.all(np.isfinite(values), axis=tuple(range(-axes, 0))))
    if not bad.any():
        return values
    return settle(values, bad, "not finite", invalid, what, axes)


def settle(
    values: Floats, bad: NDArray[np.bool_], reason: str, invalid: Invalid, what: str, axes: int
) -> Floats:
    """Apply the row policy to the rows marked in `bad`."""
    check_policy(invalid)
    if invalid == "raise":
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidRowsError(reason, row=first, count=int(np.count_nonzero(bad)), what=what)
    return np.where(bad[(..., *(np.newaxis,) * axes)], np.asarray(np.nan, dtype=values.dtype), values)


def check_policy(invalid: object) -> None:
    """Refuse a row policy that does not exist."""
    if invalid not in ("raise", "nan"):
        raise ValueError(f'invalid= is "raise" or "nan", not {invalid!r}')
