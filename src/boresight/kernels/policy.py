"""What every kernel's door shares: the types of its arguments, and what is said of rows that hold no rotation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from ..errors import InvalidRowsError

__all__ = [
    "INVALID",
    "Array",
    "Invalid",
    "Kernel",
    "Order",
    "Pair",
    "refuse",
    "report",
    "take_fault",
    "unknown",
]

Array = NDArray[np.floating[Any]]
Pair = tuple[Array, Array]
Order = Literal["xyzw", "wxyz"]
Invalid = Literal["raise", "nan"]
Kernel = Callable[..., Any]

INVALID = frozenset(("raise", "nan"))
take_fault: Callable[[], bool] = _native.take_fault
"""Whether the last checked call in this thread met a bad row; asking clears it."""

# What follows runs only once something is wrong: it may be slow, and it works out what the kernel only noticed.


def unknown(what: str, given: object, known: str) -> NoReturn:
    """Refuse an argument that is none of the known ones."""
    raise ValueError(f"{what} must be {known}, not {given!r}")


def refuse(bad: NDArray[np.bool_] | np.bool_, reason: str, what: str) -> None:
    """Raise for the rows marked in `bad`, if there are any."""
    if bad.any():
        first = tuple(int(index[0]) for index in np.nonzero(bad)) if bad.ndim else ()
        raise InvalidRowsError(reason, row=first, count=int(np.count_nonzero(bad)), what=what)


def report(given: ArrayLike, result: Array, what: str, fault: Callable[[Array], str]) -> NoReturn:
    """Raise for the rows of `given` whose row of `result` (quaternions) is NaN."""
    bad = np.isnan(result).any(axis=-1)
    first = tuple(int(index[0]) for index in np.nonzero(bad)) if bad.ndim else ()
    rows = np.asarray(given)
    if rows.dtype.kind != "f":
        rows = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        reason = fault(rows[first])
    raise InvalidRowsError(reason, row=first, count=int(np.count_nonzero(bad)), what=what)
