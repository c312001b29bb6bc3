"""Times in text, exactly: decimal digits to integer nanoseconds without passing through a float.

A float64 holds a time of today in seconds to about 240 nanoseconds, so that ``float("1305031102.175304") * 1e9`` is
not the time that the file says.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation, localcontext
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from boresight.errors import DataError

__all__ = ["TIME_UNITS", "TimeUnit", "parse_time"]

TimeUnit: TypeAlias = Literal["s", "ms", "us", "ns"]

TIME_UNITS: MappingProxyType[str, int] = MappingProxyType({"s": 9, "ms": 6, "us": 3, "ns": 0})
"""Powers of ten from each unit to nanoseconds."""

_DIGITS = 38  # of a 128-bit decimal
_FRACTION = (
    18  # digits after the point while parsing: leaves 20 before it, more than nanoseconds of int64 need
)


def parse_time(text: pa.Array[Any] | pa.ChunkedArray[Any], unit: TimeUnit) -> NDArray[np.int64]:
    """Return integer nanoseconds of decimal numbers in text, rounded half to even beyond the nanosecond.

    Parameters
    ----------
    text : pyarrow.Array of strings
        Decimal numbers; an exponent may follow.
    unit : str
        Their unit: s, ms, us or ns.

    Returns
    -------
    numpy.ndarray
        Shape (n,), int64.

    Raises
    ------
    DataError
        A value is no number or not within the range of int64; its place is the row, counted from 0.

    Examples
    --------
    >>> parse_time(pa.array(["1305031102.175304", "1.5e0"]), "s")
    array([1305031102175304000,          1500000000])
    """
    column = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    if len(column) == 0:
        return np.empty(0, np.int64)
    try:
        return _vectorised(column, unit)
    except (pa.ArrowInvalid, OverflowError):
        # More digits than fit, or something that is no number: one at a time, to say which.
        return np.array([_one(value, unit, row) for row, value in enumerate(column.to_pylist())], np.int64)


def _vectorised(column: pa.Array[Any], unit: TimeUnit) -> NDArray[np.int64]:
    power = TIME_UNITS[unit]
    # The parser of decimals wraps around silently beyond its digits.
    sizes = np.abs(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    size = float(np.fmax.reduce(sizes))  # NaN only where there is nothing else
    if not size * 10.0**power < 2.0**63:
        raise OverflowError
    exact = column.cast(pa.decimal128(_DIGITS, _FRACTION))
    rounded = pc.round(exact, ndigits=power, round_mode="half_to_even").cast(pa.decimal128(_DIGITS, power))
    # A decimal with `power` digits after the point is stored as that many 10^-power, 128-bit little-endian; the low
    # half is the int64 that is wanted.
    words = np.frombuffer(rounded.buffers()[1], np.int64)
    start = 2 * rounded.offset
    return words[start : start + 2 * len(rounded) : 2].copy()


def _one(value: str | None, unit: TimeUnit, row: int) -> int:
    try:
        with localcontext(prec=100):  # the default would round at 28 digits
            number = Decimal((value or "").strip())
            nanoseconds = int((number * 10 ** TIME_UNITS[unit]).to_integral_value())
    except (InvalidOperation, ValueError, OverflowError):
        raise DataError(f"{value!r} is no time", place=f"row {row}") from None
    if not -(2**63) <= nanoseconds < 2**63:
        raise DataError(
            f"the time {value} {unit} is beyond the range of int64 nanoseconds", place=f"row {row}"
        )
    return nanoseconds
