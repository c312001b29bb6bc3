"""Numbers that come in from outside, refused by the name of their argument where they are none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .streams import Doubles, integer

__all__ = ["indices", "real", "reals", "whole"]

_FLOAT64 = np.dtype(np.float64)


def real(name: str, value: Any) -> float:
    """One number, which may be NaN or infinite.

    Raises
    ------
    TypeError
        For what is none; text, True and False are none either.
    """
    try:
        if isinstance(value, str | bytes | bool) or getattr(value, "dtype", _FLOAT64).kind not in "fiuO":
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}= must be one number, not {value!r}") from None


def reals(name: str, values: Any) -> Doubles:
    """Numbers of any shape, as a copy in double precision.

    Raises
    ------
    TypeError
        For text, complex numbers, objects, True and False, masks, and rows of different lengths.
    """
    array = _array(name, values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}= must be made of real numbers, not of {array.dtype.name}: {values!r}")
    return array.astype(np.float64)


def indices(name: str, values: Any) -> NDArray[np.int64]:
    """Integers of any shape.

    Raises
    ------
    ValueError
        For what is made of others, whole floating-point numbers among them.
    """
    array = _array(name, values)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{name}= must be made of integers, not of {array.dtype.name}")
    return array.astype(np.int64, copy=False)


def _array(name: str, values: Any) -> NDArray[Any]:
    if hasattr(values, "mask"):
        raise TypeError(f"{name}= is a masked array, whose mask would be lost; give a.filled(numpy.nan)")
    try:
        array = np.asarray(values)
    except ValueError:
        raise TypeError(f"{name}= must be an array of numbers; its rows differ in length") from None
    if isinstance(values, list | tuple) and _has_bool(values):  # beside numbers, NumPy takes them for 1 and 0
        raise TypeError(f"{name}= must be made of numbers, not of True and False: {values!r}")
    return array


def _has_bool(values: Any) -> bool:
    return any(
        _has_bool(value)
        if isinstance(value, list | tuple)
        else isinstance(value, bool) or getattr(value, "dtype", _FLOAT64).kind == "b"
        for value in values
    )


def whole(name: str, value: Any) -> int:
    """One integer.

    Raises
    ------
    ValueError
        For what is none, whole floating-point numbers, True and False among them.
    """
    try:
        return integer(value)
    except TypeError:
        raise ValueError(f"{name}= must be an integer, not {value!r}") from None
