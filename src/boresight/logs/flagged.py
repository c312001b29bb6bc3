"""Positions and velocities that the log itself flags as not valid: written all the same, counted, and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa

from boresight.logs.model import GROUPS, Notice, Stream, to_numpy

__all__ = ["AS_THEY_ARE", "FLAGS", "Flagged", "Quantity"]

Quantity: TypeAlias = Literal["position", "velocity"]

FLAGS: dict[Quantity, str] = {"position": "position_valid", "velocity": "velocity_valid"}
"""The group of columns in which a log says whether a quantity holds."""

AS_THEY_ARE = " as they are; the format has no field for it"
"""How a format writes them that has numbers and nothing else."""

_PLURAL: dict[Quantity, str] = {"position": "positions", "velocity": "velocities"}


@dataclass
class Flagged:
    """Counts the rows of a stream whose numbers the log itself flags as not valid, as they are written.

    Attributes
    ----------
    stream : str
        Name of the stream.
    columns : dict of str to tuple of str
        The flags of each quantity that is written.
    how : str
        What follows "they are written".
    """

    stream: str
    columns: dict[Quantity, tuple[str, ...]]
    how: str
    seen: int = 0
    counts: dict[Quantity, int] = field(default_factory=dict[Quantity, int])

    @staticmethod
    def of(stream: Stream, quantities: Sequence[Quantity], how: str) -> Flagged | None:
        """Return what counts them for the quantities that are written; None where the log has no flags of those."""
        columns: dict[Quantity, tuple[str, ...]]
        columns = {name: GROUPS[FLAGS[name]].columns for name in quantities if stream.has(FLAGS[name])}
        return Flagged(stream.name, columns, how) if columns else None

    def count(self, batch: pa.RecordBatch) -> None:
        """Take note of the rows of the next batch."""
        self.seen += len(batch)
        for name, columns in self.columns.items():
            flags = [to_numpy(batch.column(column)) == 0 for column in columns]
            self.counts[name] = self.counts.get(name, 0) + int(np.count_nonzero(np.logical_or.reduce(flags)))

    def notices(self) -> tuple[Notice, ...]:
        """Say it in one notice, where there is anything to say."""
        found: dict[Quantity, int] = {name: count for name, count in self.counts.items() if count}
        if not found:
            return ()
        what = " and ".join(f"{count} of {self.seen} {_PLURAL[name]}" for name, count in found.items())
        message = f"the log itself flags {what} as not valid; they are written{self.how}"
        first = next(iter(found))
        return (Notice(f"flagged-invalid-{first}", message, self.stream, found[first]),)
