"""Parquet of ours: any number of streams in one file, read batch by batch.

A file of one stream has that stream's columns. A file of several has the column ``stream`` before them; each row group
holds rows of one stream, and the columns of the others are null there. The schema's metadata says what each stream is.
Where somebody else has written the file anew, a row group may hold rows of several: those are told apart row by row.

A Parquet file that is not ours is read where its columns have our names and the caller says what they are in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from boresight.errors import DataError
from boresight.logs.columns import TIME
from boresight.logs.description import Description, overruled, understand
from boresight.logs.kinds import kind_of
from boresight.logs.model import Log, Notice, Stream

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["KEY", "READER", "STREAM", "ParquetReader", "ParquetRows"]

KEY = b"boresight"
"""Key of the schema's metadata that holds the description."""

STREAM = "stream"
"""The column that names a row's stream, in a file of several."""

_MAGIC = b"PAR1"

# A name in a damaged file may be no text; pyarrow decodes names, and values of columns of text, as they are asked for.
_UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)


@dataclass(frozen=True)
class ParquetRows:
    """A stream's rows in a Parquet file; nothing is read before it is asked for.

    Attributes
    ----------
    path : pathlib.Path
    schema : pyarrow.Schema
        Of the stream's own columns.
    num_rows : int
    row_groups : tuple of int
        Those that hold rows of it.
    name : str or None
        What the rows are marked with, where they share row groups with other streams'.
    """

    path: Path
    schema: pa.Schema
    num_rows: int
    row_groups: tuple[int, ...]
    name: str | None = None

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows in order, at most `size` at a time."""
        wanted = list(self.schema.names if columns is None else columns)
        schema = pa.schema([self.schema.field(name) for name in wanted])
        if not self.row_groups:
            return
        read = wanted if self.name is None else [STREAM, *wanted]
        try:
            # Row groups are decoded one at a time and forgotten.
            with _open(self.path) as file:
                for group in self.row_groups:
                    for batch in file.iter_batches(size, row_groups=[group], columns=read, use_threads=False):
                        own = batch if self.name is None else batch.filter(_marked(batch, self.name))
                        if len(own):
                            yield _fitted(own, schema)
        except _UNREADABLE as error:
            raise _damaged(self.path, error) from None


def _marked(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Which rows are marked with that name."""
    return pc.equal(batch.column(STREAM).cast(pa.string()), pa.scalar(name))


def _fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with the stream's own types and order of columns."""
    batch = batch.select(schema.names)
    if batch.schema.equals(schema):
        return batch
    arrays = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


class ParquetReader:
    """Reader of Parquet files with our columns."""

    suffixes: tuple[str, ...] = (".parquet", ".pq")

    def sniff(self, head: bytes) -> bool:
        """Say whether the file begins as Parquet does."""
        return head.startswith(_MAGIC)

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,  # noqa: ARG002
        thing: str | None = None,
    ) -> Log:
        """Open a Parquet file; rows are read when asked for.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        from_ : Convention, optional
            What the numbers are in; overrules what the file says, and is needed where it says nothing.
        strict : bool
            Without effect: a Parquet file is whole or cannot be read.
        thing : str, optional
            Which thing of the convention the numbers are of, with `from_`.

        Raises
        ------
        DataError
            The file is damaged, or does not say what its numbers are in and the caller does not either.
        """
        try:
            with _open(path) as file:
                metadata, schema = file.metadata, file.schema_arrow
                places = _places(file, schema)
                everywhere = _Place(list(range(metadata.num_row_groups)), metadata.num_rows)
        except _UNREADABLE as error:
            raise _damaged(path, error) from None
        about, said, notices = _descriptions(path, schema, from_, thing)
        streams: dict[str, Stream] = {}
        for description in about:
            name = description.name
            place = places.get(name, _Place()) if STREAM in schema.names else everywhere
            own = _own_schema(path, schema, description)
            marked = name if place.mixed else None
            streams[name] = description.stream(
                ParquetRows(path, own, place.rows, tuple(place.groups), marked)
            )
        return Log(streams, path, "parquet", notices, said)


READER = ParquetReader()
"""What the registry finds."""


def _open(path: Path) -> pq.ParquetFile:
    # Reading ahead would hold several row groups. Where pages have checksums, as ours do, they are compared.
    return pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True)


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(f"this Parquet file cannot be read ({error})", path=path, advice="write it again")


@dataclass
class _Place:
    """Where a stream's rows are."""

    groups: list[int] = field(default_factory=list[int])
    rows: int = 0
    mixed: bool = False


def _places(file: pq.ParquetFile, schema: pa.Schema) -> dict[str, _Place]:
    """Return where each stream's rows are, by the names that the rows are marked with."""
    places: dict[str, _Place] = {}
    if STREAM not in schema.names:
        return places
    column = schema.names.index(STREAM)
    for index in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(index)
        for name, rows in _counts(file, index, group, column).items():
            place = places.setdefault(name, _Place())
            place.groups.append(index)
            place.rows += rows
            place.mixed = place.mixed or rows < group.num_rows
    return places


def _counts(file: pq.ParquetFile, index: int, group: pq.RowGroupMetaData, column: int) -> dict[str, int]:
    """How many rows of which stream a row group holds; its statistics say so where there is one stream alone."""
    known = group.column(column).statistics
    if known is not None and known.has_min_max and known.min == known.max and not known.null_count:
        return {str(known.min): group.num_rows}
    counts: dict[str, int] = {}
    for batch in file.iter_batches(row_groups=[index], columns=[STREAM], use_threads=False):
        for item in batch.column(0).cast(pa.string()).value_counts().to_pylist():
            if item["values"] is not None:
                counts[item["values"]] = counts.get(item["values"], 0) + item["counts"]
    return counts


def _descriptions(
    path: Path, schema: pa.Schema, from_: Convention | None, thing: str | None
) -> tuple[list[Description], Mapping[str, str], tuple[Notice, ...]]:
    metadata: dict[bytes, bytes] = schema.metadata or {}
    text = metadata.get(KEY)
    if text is None:
        return [_foreign(path, schema, from_, thing)], {}, ()
    try:
        described: dict[str, Any] = json.loads(text)
        about = [understand(item, path=path, place="metadata") for item in described["streams"]]
        said = {str(key): str(value) for key, value in described.get("metadata", {}).items()}
        notices = tuple(
            Notice(str(item["code"]), str(item["message"]), item["stream"], int(item["count"]))
            for item in described.get("notices", ())
        )
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError("the file's description of itself is damaged", path=path, place="metadata") from None
    if from_ is not None:
        notices += next(filter(None, (overruled(item.convention, from_) for item in about)), ())
        chosen = from_.default_thing if thing is None else thing
        about = [Description(i.name, i.kind, from_, chosen, i.units, i.columns) for i in about]
    return about, said, notices


def _foreign(path: Path, schema: pa.Schema, from_: Convention | None, thing: str | None) -> Description:
    """A file that is not ours: our names of columns, and the caller's word on what they are in."""
    if schema.names[:1] != [TIME] or schema.field(0).type != pa.int64():
        raise DataError(
            "this Parquet file is not one of ours: its first column is not time in int64 nanoseconds",
            path=path,
            place=f"columns {' '.join(schema.names[:8])}",
        )
    if from_ is None:
        raise DataError(
            "the file does not say what its numbers are in",
            path=path,
            advice="give from_=, a name of `boresight conventions`",
        )
    kind = kind_of(schema.names)
    if kind is None:
        raise DataError(
            "the file has no columns that are known", path=path, place=f"columns {' '.join(schema.names)}"
        )
    return Description(path.stem, kind, from_, from_.default_thing if thing is None else thing)


def _own_schema(path: Path, schema: pa.Schema, about: Description) -> pa.Schema:
    """Return a stream's columns, in their own types."""
    names = [name for name in schema.names if name != STREAM]
    if about.columns:
        missing = [name for name in about.columns if name not in names]
        if missing:
            raise DataError(
                f"the file lacks the column {missing[0]} of {about.name}", path=path, place="metadata"
            )
        fields = [
            pa.field(name, _type(kind, schema.field(name).type)) for name, kind in about.columns.items()
        ]
        return pa.schema(fields)
    return pa.schema([schema.field(name) for name in names])


def _type(name: str, stored: pa.DataType) -> pa.DataType:
    """Return the type of that name where it is a plain number's; lists have none of their own and are as stored."""
    try:
        return pa.type_for_alias(name)
    except ValueError:
        return stored
