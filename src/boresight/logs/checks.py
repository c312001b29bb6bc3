"""What every reader counts in the rows it has read: orientations that are none, times that run backwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.logs.model import Notice, Stream

__all__ = ["check_stream"]


def check_stream(stream: Stream) -> tuple[Notice, ...]:
    """Return what is to be said about a stream's rows, each with the first of them. No row is left out.

    Codes: ``invalid-orientation``, ``invalid-position``, ``time-backwards``, ``time-repeated``, ``reset``.
    """
    notices: list[Notice] = []

    def notice(code: str, what: str, rows: NDArray[np.bool_]) -> None:
        count = int(np.count_nonzero(rows))
        if count:
            first = int(np.argmax(rows))
            message = f"{count} of {stream.num_rows} rows {what}, the first is row {first}"
            notices.append(Notice(code, message, stream.name, count))

    if stream.has_orientation:
        notice("invalid-orientation", "hold no orientation (NaN, infinite or zero)", stream.invalid_rows())
    if stream.has("position"):
        notice(
            "invalid-position", "hold no position (NaN or infinite)", _not_finite(stream.array("position"))
        )
    if stream.num_rows > 1:
        time = stream.time
        later = np.ones(len(time), np.bool_)
        np.greater_equal(time[1:], time[:-1], out=later[1:])
        notice("time-backwards", "are earlier than the row before", ~later)
        later[1:] = time[1:] != time[:-1]
        notice("time-repeated", "have the time of the row before", ~later)
        if stream.has("reset"):
            reset = stream.array("reset")
            later[1:] = reset[1:] == reset[:-1]
            notice("reset", "come after a reset of the estimate", ~later)
    return tuple(notices)


def _not_finite(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    return np.logical_not(np.isfinite(numbers).all(axis=-1))
