"""Times along a series: where a moment falls between two keys, and when it falls nowhere.

Times are integers, which are nanoseconds, or floating-point numbers, which are seconds; keys and moments are of one
kind, since a float64 holds no more than 15 digits and a Unix time in nanoseconds has 19.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidRowsError
from .rows import Invalid, check_policy

__all__ = ["Located", "check_keys", "locate", "seconds_between"]

NANOSECOND = 1e-9
_LARGEST = 2**63 - 1


def times_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """Times as int64 or float64.

    Raises
    ------
    TypeError
        For any other kind: NumPy's own dates too, which carry their own unit; ``t.astype("datetime64[ns]").astype(int)``
        gives nanoseconds.
    ValueError
        For unsigned integers beyond the largest int64.
    """
    array = np.asarray(values)
    if array.dtype.kind in "iu":
        if array.dtype.kind == "u" and array.size and int(array.max()) > _LARGEST:
            raise ValueError(f"{what} reaches {array.max()}; nanoseconds go up to {_LARGEST}")
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "f":
        return array.astype(np.float64, copy=False)
    raise TypeError(f"{what} is of type {array.dtype.name}; give integers (nanoseconds) or floats (seconds)")


def check_keys(times: ArrayLike, count: int, what: str = "the times") -> NDArray[Any]:
    """Keys of a series: one-dimensional, finite and increasing.

    Raises
    ------
    ValueError
        Naming the first key that is out of order.
    """
    keys = times_array(times, what)
    if keys.ndim != 1 or len(keys) != count:
        raise ValueError(f"{what} has shape {keys.shape}; a series of {count} needs shape ({count},)")
    if keys.dtype.kind == "f" and not np.isfinite(keys).all():
        raise ValueError(f"{what} at index {int(np.argmin(np.isfinite(keys)))} is not finite")
    late = keys[1:] > keys[:-1]
    if not late.all():
        i = int(np.argmin(late)) + 1
        raise ValueError(
            f"{what} must increase: {keys[i]} at index {i} comes after {keys[i - 1]}; sort the series and leave out "
            "what is there twice"
        )
    # Differences of two moments of the series must not wrap round, nor become infinite.
    if len(keys) and not keys[-1].item() - keys[0].item() <= (
        _LARGEST if keys.dtype.kind == "i" else np.finfo(np.float64).max
    ):
        raise ValueError(f"{what} goes from {keys[0]} to {keys[-1]}, too far for a difference to be held")
    return keys


def check_gap(max_gap: float | None) -> None:
    """Refuse a limit on gaps that limits nothing, or everything.

    Raises
    ------
    ValueError
        If it is negative or not a number.
    """
    if max_gap is not None and not max_gap >= 0:
        raise ValueError(f"max_gap= is a time of zero or more, not {max_gap}")


def seconds_between(first: NDArray[Any], last: NDArray[Any]) -> NDArray[np.float64]:
    """``last - first`` in seconds; of integers the difference is exact before it is rounded once."""
    with np.errstate(over="ignore"):  # Of moments outside the series, of which nothing is known.
        difference = last - first
    return difference * NANOSECOND if difference.dtype.kind == "i" else difference


def in_words(time: Any) -> str:
    """A time or a span with its unit."""
    return f"{int(time)} ns" if np.asarray(time).dtype.kind != "f" else f"{float(time):.9g} s"


@dataclass(frozen=True, slots=True)
class Located:
    """Where moments fall in a series.

    Attributes
    ----------
    before, after : ndarray of int, shape (...)
        Indices of the two keys around; equal on a key, and where the moment is not covered.
    fraction : ndarray, shape (...)
        How far from the one to the other, 0 to 1.
    outside : ndarray of bool, shape (...)
        Before the first key or after the last, or not a number.
    in_gap : ndarray of bool, shape (...)
        Between two keys further apart than the limit.
    """

    before: NDArray[np.intp]
    after: NDArray[np.intp]
    fraction: NDArray[np.float64]
    outside: NDArray[np.bool_]
    in_gap: NDArray[np.bool_]
    keys: NDArray[Any]
    moments: NDArray[Any]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Where the series has an answer."""
        return ~(self.outside | self.in_gap)

    def settle(self, invalid: Invalid, what: str, series: str = "the series") -> None:
        """Raise for the moments that are not covered, unless ``invalid="nan"``.

        Raises
        ------
        InvalidRowsError
        """
        check_policy(invalid)
        bad = ~self.covered
        if invalid == "nan" or not bad.any():
            return
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidRowsError(
            self.why(first, series), row=first, count=int(np.count_nonzero(bad)), what=what
        )

    def why(self, row: tuple[int, ...], series: str = "the series") -> str:
        """Say why a moment is not covered."""
        keys = self.keys
        if not len(keys):
            return f"{series} has no keys"
        # Python's numbers, of which no difference wraps round.
        moment, start, end = self.moments[row].item(), keys[0].item(), keys[-1].item()
        if moment != moment:
            return "its time is not a number"
        if self.outside[row]:
            if moment < start:
                return f"{in_words(moment)} is {in_words(start - moment)} before the first key of {series}"
            return f"{in_words(moment)} is {in_words(moment - end)} after the last key of {series}"
        i = int(self.before[row])
        return (
            f"{in_words(moment)} is between keys {in_words(keys[i + 1] - keys[i])} apart in {series} "
            f"({in_words(keys[i])} and {in_words(keys[i + 1])}), and max_gap is smaller"
        )


def locate(keys: NDArray[Any], moments: ArrayLike, max_gap: float | None = None) -> Located:
    """Find the keys around each moment.

    Parameters
    ----------
    keys : ndarray, shape (n,)
        As `check_keys` gives them.
    moments : array_like, shape (...)
        Of the same kind as the keys.
    max_gap : number, optional
        Between keys further apart than this, in the unit of the keys, nothing is known. A moment on a key always is.

    Raises
    ------
    TypeError
        If the one are integers and the other are not; no times at all are of any kind.
    ValueError
        If the limit is negative or not a number.
    """
    check_gap(max_gap)
    at = times_array(moments, "the moments")
    if not at.size:
        at = at.astype(keys.dtype)
    if len(keys) and at.dtype != keys.dtype:
        raise TypeError(
            f"the keys are {_kind(keys)} and the moments {_kind(at)}; give both in one unit and type"
        )
    if not len(keys):
        nowhere = np.zeros(at.shape, np.intp)
        return Located(
            nowhere,
            nowhere,
            np.zeros(at.shape),
            np.ones(at.shape, np.bool_),
            np.zeros(at.shape, np.bool_),
            keys,
            at,
        )
    last = len(keys) - 1
    before = np.asarray(np.clip(np.searchsorted(keys, at, side="right") - 1, 0, last))
    on_key = np.asarray(keys[before] == at)
    # NaN compares false with everything.
    outside = np.asarray(~((at >= keys[0]) & (at <= keys[last])))
    after = np.where(on_key | outside, before, np.minimum(before + 1, last))
    span = keys[after] - keys[before]
    with np.errstate(all="ignore"):
        fraction = np.where(span > 0, (at - keys[before]) / np.where(span > 0, span, 1), 0.0)
    in_gap = np.zeros(at.shape, np.bool_) if max_gap is None else np.asarray(span > max_gap)
    return Located(before, after, np.asarray(fraction), outside, in_gap, keys, at)


def _kind(times: NDArray[Any]) -> str:
    return "integers (nanoseconds)" if times.dtype.kind == "i" else "floats (seconds)"
