"""Numbers that come in from outside, refused by the name of their argument where they are none."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from .streams import Doubles

__all__ = ["real", "reals", "whole"]


def real(name: str, value: Any) -> float:
    """One number, which may be NaN or infinite.

    Raises
    ------
    TypeError
        For what is none; text is none either.
    """
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}= must be one number, not {value!r}") from None


def reals(name: str, values: Any) -> Doubles:
    """Numbers of any shape, as a copy in double precision.

    Raises
    ------
    TypeError
        For text, complex numbers, objects, and rows of different lengths.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise TypeError(f"{name}= must be an array of numbers; its rows differ in length") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}= must be made of real numbers, not of {array.dtype.name}: {values!r}")
    return array.astype(np.float64)


def whole(name: str, value: Any) -> int:
    """One integer.

    Raises
    ------
    ValueError
        For what is none, whole floating-point numbers among them.
    """
    try:
        return index(value)
    except TypeError:
        raise ValueError(f"{name}= must be an integer, not {value!r}") from None
