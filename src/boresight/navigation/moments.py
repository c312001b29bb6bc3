"""Times as the filter's callers have them: whole nanoseconds, and never a float that would lose some."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["moment", "moments"]

_ADVICE = "give whole nanoseconds: round(seconds * 1e9)"
_FIRST, _LAST = -(2**63), 2**63 - 1


def moment(time: Any) -> int:
    """Return one time as an int.

    Raises
    ------
    TypeError
        It is no integer.
    OverflowError
        It does not fit 64 bits.

    Examples
    --------
    >>> moment(np.int64(5))
    5
    >>> moment(1.5)
    Traceback (most recent call last):
        ...
    TypeError: the time is a float (1.5); give whole nanoseconds: round(seconds * 1e9)
    """
    try:
        whole = index(time)
    except TypeError:
        raise TypeError(f"the time is a {type(time).__name__} ({time}); {_ADVICE}") from None
    if not _FIRST <= whole <= _LAST:
        raise OverflowError(f"the time is {whole}, which 64 bits do not hold; {_ADVICE}")
    return whole


def moments(time: ArrayLike) -> NDArray[np.int64]:
    """Return times as int64, of the shape that they have.

    Raises
    ------
    TypeError
        They are no integers.
    OverflowError
        One does not fit 64 bits.
    """
    if isinstance(time, int):
        return np.asarray(moment(time), dtype=np.int64)
    array = np.asarray(time)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and int(array.max()) > _LAST:
        raise OverflowError(f"a time is {int(array.max())}, which 64 bits do not hold; {_ADVICE}")
    if array.dtype.kind == "O":
        return np.array([moment(one) for one in array.ravel()], dtype=np.int64).reshape(array.shape)
    if array.dtype.kind not in "iu":
        raise TypeError(f"the times are of type {array.dtype}; {_ADVICE}")
    return array.astype(np.int64, copy=False)
