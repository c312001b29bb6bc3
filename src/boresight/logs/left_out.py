"""Rows that a format can't hold: left out, counted, and the first of them named."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.logs.model import GROUPS, TIME, Notice, Stream, invalid_orientation, to_numpy

__all__ = ["LeftOut"]


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
    """

    stream: str
    orientation: tuple[str, ...]
    position: tuple[str, ...]
    euler: bool = False
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
        return LeftOut(stream.name, group.columns, position, group.name == "euler")

    def filtered(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the stream's next batch that are valid."""
        good = ~invalid_orientation(_stacked(batch, self.orientation), euler=self.euler)
        if self.position:
            good &= np.isfinite(_stacked(batch, self.position)).all(axis=-1)
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
        what = "no valid orientation or position" if self.position else "no valid orientation"
        return f"{what}, first at row {self.first} (time {self.first_time} ns)"

    def notices(self) -> tuple[Notice, ...]:
        """Say it as a notice, where there is anything to say."""
        if not self.count:
            return ()
        message = f"{self.count} of {self.seen} rows left out: {self.reason}"
        return (Notice("invalid-orientation", message, self.stream, self.count),)


def _stacked(batch: pa.RecordBatch, columns: tuple[str, ...]) -> NDArray[np.float64]:
    return np.stack([to_numpy(batch.column(c)).astype(np.float64, copy=False) for c in columns], axis=-1)
