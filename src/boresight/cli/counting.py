"""A log whose rows are counted as they are read, so that a progress bar can follow any writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from boresight.logs.model import Log, RowSource

__all__ = ["counted"]


@dataclass(slots=True)
class _CountedRows:
    """Rows that say how far they have been read; a second pass over the same rows counts nothing."""

    rows: RowSource
    advance: Callable[[int], None]
    seen: int = 0

    @property
    def schema(self) -> pa.Schema:
        return self.rows.schema

    @property
    def num_rows(self) -> int:
        return self.rows.num_rows

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        done = 0
        for batch in self.rows.batches(size, columns):
            yield batch
            done += batch.num_rows
            if done > self.seen:
                self.advance(done - self.seen)
                self.seen = done


def counted(log: Log, advance: Callable[[int], None]) -> Log:
    """Return the log with `advance` called with a number of rows whenever so many have been used for the first time.

    Parameters
    ----------
    log : Log
        The log to follow.
    advance : callable
        Takes the number of rows.
    """
    streams = {
        name: stream.replace(rows=_CountedRows(stream.rows, advance)) for name, stream in log.streams.items()
    }
    return replace(log, streams=streams)
