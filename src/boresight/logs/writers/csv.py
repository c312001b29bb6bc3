"""Writes one stream as comma-separated values, with a line of names and a comment that says what the numbers are in.

Every row is kept. Times are integer nanoseconds; floats have the shortest digits that read back as the same float64; a covariance
is one column an entry, `pose_covariance_0` to `pose_covariance_35`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from boresight.errors import DataError
from boresight.logs.description import comment_line
from boresight.logs.left_out import LeftOut
from boresight.logs.model import Log, Notice, Stream, to_numpy
from boresight.logs.output import StreamReport, WriteReport
from boresight.logs.poses import join_poses, partner_of
from boresight.logs.text_output import write_lines

__all__ = ["WRITER", "CsvWriter"]


@dataclass(frozen=True)
class CsvWriter:
    """Writes the stream that is asked for, or the log's poses, or its only stream."""

    suffixes: tuple[str, ...] = (".csv",)

    def write(self, log: Log, path: Path, *, stream: str | None = None) -> WriteReport:
        """Write a stream of a log to a path that is not yet there.

        Parameters
        ----------
        log : Log
            Any log.
        path : pathlib.Path
            Where to write.
        stream : str, optional
            Name of the stream, written as it is; else the log's only one, its poses (`join_poses`), or its orientations.
        """
        chosen, notices = _choose(log, stream)
        names = [name for field in chosen.schema for name in _names(field)]
        watch = LeftOut.of(chosen)
        rows = invalid = 0

        def blocks() -> Iterator[Sequence[Any]]:
            nonlocal rows, invalid
            for batch in chosen.batches():
                rows += len(batch)
                if watch is not None:
                    invalid += len(batch) - len(watch.filtered(batch))
                yield [part for column in batch.columns for part in _parts(column)]

        write_lines(path, [comment_line(chosen), ",".join(names)], blocks(), separator=",")
        said: list[Notice] = [*log.notices, *notices]
        if watch is not None and invalid:
            message = f"{invalid} of {rows} rows are kept although: {watch.reason}"
            said.append(Notice("invalid-orientation", message, chosen.name, invalid))
        others = [s for s in log.streams.values() if s.num_rows and s.name not in _used(log, chosen)]
        if others and stream is None:
            names_of_others = ", ".join(s.name for s in others)
            message = f"a CSV file holds one stream; not written: {names_of_others} (--stream, or stream=, names one)"
            said.append(Notice("not-written", message, None, len(others)))
        report = StreamReport(chosen.name, ",".join(names), rows, convention=chosen.convention)
        return WriteReport(path, "csv", (report,), tuple(said))


WRITER = CsvWriter()
"""What the registry finds."""


def _choose(log: Log, name: str | None) -> tuple[Stream, tuple[Notice, ...]]:
    if name is not None:
        return log[name], ()
    if len(log.streams) == 1:
        return next(iter(log.streams.values())), ()
    orientation = log.primary("pose", "orientation")
    if orientation is None:
        have = ", ".join(log.streams) or "none"
        raise DataError(
            "a CSV file holds one stream, and the log has no orientation to choose it by",
            path=log.path,
            advice=f"name one with stream=: {have}",
        )
    if orientation.kind == "pose" or partner_of(log, orientation, any_name=True) is not None:
        return join_poses(log)
    return orientation, ()


def _used(log: Log, chosen: Stream) -> set[str]:
    """The streams that the one written holds."""
    own = log.streams[chosen.name]
    partner = partner_of(log, own, any_name=True) if chosen is not own else None
    return {own.name, *([partner.name] if partner else [])}


def _names(field: pa.Field[Any]) -> list[str]:
    if pa.types.is_fixed_size_list(field.type):
        return [f"{field.name}_{i}" for i in range(field.type.list_size)]
    return [field.name]


def _parts(column: pa.Array[Any]) -> list[Any]:
    """The columns of text that a column becomes."""
    if isinstance(column, pa.FixedSizeListArray):
        return list(np.ascontiguousarray(to_numpy(column).T))
    return [column]
