"""Rows that a format can't hold: left out, counted, and the first of them named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.logs.model import GROUPS, TIME, Notice, Stream, to_numpy

__all__ = ["LeftOut", "invalid_rows"]


@dataclass
class LeftOut:
    """Leaves out the rows of a stream that have no valid orientation or position.

    Attributes
    ----------
    stream : str
        Name of the stream.
    orientation, position : tuple of str
        The columns that must be valid; empty where the stream has none.
    euler : bool
        Whether the orientation is Euler angles, which may all be zero.
    what : str
        What has to be valid.
    """

    stream: str
    orientation: tuple[str, ...]
    position: tuple[str, ...]
    euler: bool = False
    what: str = ""
    seen: int = 0
    count: int = 0
    first: int = -1
    first_time: int = 0

    @staticmethod
    def of(stream: Stream) -> LeftOut | None:
        """Return what watches a stream of poses or orientations; None for any other, which has nothing to check."""
        group = next((g for g in stream.groups if g.role == "orientation"), None)
        if group is None:
            return None
        position = GROUPS["position"].columns if stream.has("position") else ()
        what = "orientation or position" if position else "orientation"
        return LeftOut(stream.name, group.columns, position, group.name == "euler", what=what)

    @staticmethod
    def of_vector(stream: Stream, group: str) -> LeftOut:
        """Return what watches the positions or velocities of a stream without orientations."""
        return LeftOut(stream.name, (), GROUPS[group].columns, what=group)

    def filtered(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the stream's next batch that are valid."""
        good = np.ones(len(batch), np.bool_)
        if self.orientation:
            good &= ~invalid_rows(batch, self.orientation, euler=self.euler)
        if self.position:
            good &= _finite([to_numpy(batch.column(name)) for name in self.position])
        bad = len(good) - int(np.count_nonzero(good))
        if bad and not self.count:
            row = int(np.argmin(good))
            self.first, self.first_time = self.seen + row, batch.column(TIME)[row].as_py()
        self.count += bad
        self.seen += len(good)
        return batch.filter(pa.array(good)) if bad else batch

    @property
    def reason(self) -> str:
        """Why rows were left out and which was the first; empty where none was."""
        if not self.count:
            return ""
        return f"no valid {self.what}, first at row {self.first} (time {self.first_time} ns)"

    def notices(self) -> tuple[Notice, ...]:
        """Say it as a notice, where there is anything to say."""
        if not self.count:
            return ()
        message = f"{self.count} of {self.seen} rows left out: {self.reason}"
        code = "invalid-orientation" if self.orientation else f"invalid-{self.what}"
        return (Notice(code, message, self.stream, self.count),)


def invalid_rows(
    batch: pa.RecordBatch, columns: tuple[str, ...], *, euler: bool = False
) -> NDArray[np.bool_]:
    """Which rows of a batch hold no orientation, as `model.invalid_orientation` says it, without putting columns together."""
    numbers = [to_numpy(batch.column(name)) for name in columns]
    bad = ~_finite(numbers)
    if not euler:
        some = numbers[0] != 0
        for column in numbers[1:]:
            some |= column != 0
        bad |= ~some
    return bad


def _finite(numbers: list[NDArray[Any]]) -> NDArray[np.bool_]:
    finite = np.isfinite(numbers[0])
    for column in numbers[1:]:
        finite &= np.isfinite(column)
    return finite
