"""Writes a log as one Parquet file that says what it is.

A log of one stream is a plain table with the stream's columns. A log of several has a column `stream` first; every row group
holds rows of one stream, and the columns that it does not have are null there, which costs next to nothing.

The schema's metadata has the key `boresight`: JSON with the streams' names, kinds, conventions, things and units, the log's
metadata and its notices.

Dictionaries are off and floats are split byte by byte (BYTE_STREAM_SPLIT) before Zstandard at level 1: numbers measured in the
air do not repeat, so that a dictionary only costs, while their exponents do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from boresight.errors import DataError
from boresight.logs.description import VERSION, describe
from boresight.logs.left_out import invalid_rows
from boresight.logs.model import BATCH_ROWS, Log, Notice, Stream
from boresight.logs.output import StreamReport, WriteReport

__all__ = ["STREAM", "WRITER", "ParquetWriter"]

STREAM = "stream"
"""Name of the column that says which stream a row is of."""


@dataclass(frozen=True)
class ParquetWriter:
    """Writes every stream of a log, with every row: one without an orientation keeps its NaN."""

    suffixes: tuple[str, ...] = (".parquet", ".pq")

    def write(self, log: Log, path: Path, *, row_group: int = BATCH_ROWS) -> WriteReport:
        """Write a log to a path that is not yet there.

        Parameters
        ----------
        log : Log
            Any log with a stream.
        path : pathlib.Path
            Where to write.
        row_group : int
            Rows in a row group, and in memory at once.
        """
        streams = list(log.streams.values())
        if not streams:
            raise DataError("the log has no streams", path=log.path)
        schema = _schema(log, streams)
        reports: list[StreamReport] = []
        invalid: list[Notice] = []
        writer = pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[STREAM] if STREAM in schema.names else False,
            column_encoding=_encodings(schema),
            store_schema=True,
            write_page_checksum=True,
        )
        with writer:
            for stream in streams:
                rows, bad = 0, 0
                for batch in _of_size(stream, row_group):
                    rows += len(batch)
                    bad += _invalid(stream, batch)
                    writer.write_batch(_fitted(batch, stream.name, schema), row_group_size=row_group)
                reports.append(
                    StreamReport(
                        stream.name, " ".join(stream.schema.names), rows, convention=stream.convention
                    )
                )
                if bad:
                    message = f"{bad} of {rows} rows have no valid orientation; they are kept as they are"
                    invalid.append(Notice("invalid-orientation", message, stream.name, bad))
        return WriteReport(path, "parquet", tuple(reports), (*log.notices, *invalid))


def _of_size(stream: Stream, size: int) -> Iterator[pa.RecordBatch]:
    """Batches of about `size` rows: a source may have smaller ones, and each would become a row group."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in stream.batches(size):
        if waiting and rows + len(batch) > size:
            yield _joined(waiting)
            waiting, rows = [], 0
        waiting.append(batch)
        rows += len(batch)
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def _invalid(stream: Stream, batch: pa.RecordBatch) -> int:
    """How many rows of a batch hold no orientation."""
    for group in stream.groups:
        if group.role == "orientation":
            return int(np.count_nonzero(invalid_rows(batch, group.columns, euler=group.name == "euler")))
    return 0


def _schema(log: Log, streams: list[Stream]) -> pa.Schema:
    described = {
        "version": VERSION,
        "streams": [describe(stream) for stream in streams],
        "metadata": dict(log.metadata),
        "notices": [
            {"code": n.code, "message": n.message, "stream": n.stream, "count": n.count} for n in log.notices
        ],
    }
    metadata = {"boresight": json.dumps(described)}
    if len(streams) == 1:
        return streams[0].schema.remove_metadata().with_metadata(metadata)
    try:
        # a column that is float32 in one stream and float64 in another is float64, which holds both
        joined = pa.unify_schemas(
            [stream.schema.remove_metadata() for stream in streams], promote_options="permissive"
        )
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
        raise DataError(f"the streams do not fit in one table: {error}", path=log.path) from None
    name = pa.field(STREAM, pa.dictionary(pa.int32(), pa.string()))
    return pa.schema([name, *joined], metadata=metadata)


def _fitted(batch: pa.RecordBatch, name: str, schema: pa.Schema) -> pa.RecordBatch:
    """A stream's rows as rows of the file."""
    if STREAM not in schema.names:
        return batch.replace_schema_metadata(schema.metadata)
    rows = len(batch)
    columns: list[pa.Array[Any]] = []
    for field in schema:
        if field.name == STREAM:
            index = pa.array(np.zeros(rows, np.int32))
            columns.append(pa.DictionaryArray.from_arrays(index, pa.array([name])))
        elif field.name in batch.schema.names:
            columns.append(batch.column(field.name).cast(field.type))
        else:
            columns.append(pa.nulls(rows, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _encodings(schema: pa.Schema) -> Mapping[str, str]:
    encodings: dict[str, str] = {}
    for field in schema:
        if field.name == STREAM:
            continue
        kind, path = field.type, field.name
        if pa.types.is_fixed_size_list(kind):
            kind, path = kind.value_type, f"{field.name}.list.element"
        if pa.types.is_floating(kind):
            encodings[path] = "BYTE_STREAM_SPLIT"
        elif pa.types.is_integer(kind):
            encodings[path] = "DELTA_BINARY_PACKED"
    return encodings


WRITER = ParquetWriter()
