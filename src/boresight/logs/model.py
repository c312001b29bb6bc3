"""What a log is: named streams of rows, each with its kind, its convention and its own numbers.

A `Stream` keeps the numbers as the file has them and says what they are in. Nothing is converted by reading:
`rotation()` and `pose()` decode on access, and whoever wants the raw numbers has them. Its rows are an Arrow table, or
anything with a schema that yields record batches (`RowSource`), so that a log larger than memory is a `Log` too.

The kinds
---------
pose
    orientation and position; often velocities, rates, covariances.
orientation
    orientation without position; may have angular rates and a reset counter.
velocity
    motion in the world without an orientation: velocity, position, or both (PX4's ``vehicle_local_position``). Ask
    ``stream.has("position")`` for the one and ``stream.has("velocity")`` for the other.
imu
    angular rate, specific force, or both, in body axes.
gnss, magnetic_field, baro
    what the sensor of that name says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.columns import GROUPS, TIME, UNITS, Group, Role, groups_of

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.pose import Pose
    from boresight.rotation import Rotation

__all__ = [
    "BATCH_ROWS",
    "GROUPS",
    "KINDS",
    "TIME",
    "UNITS",
    "Group",
    "Log",
    "Notice",
    "Role",
    "RowSource",
    "Stream",
    "StreamKind",
    "TableRows",
    "groups_of",
]

StreamKind: TypeAlias = Literal["pose", "orientation", "imu", "velocity", "gnss", "magnetic_field", "baro"]
KINDS: tuple[StreamKind, ...] = get_args(StreamKind)

BATCH_ROWS = 131_072
"""Rows in a batch unless the caller says otherwise: small enough for a cache, large enough to forget Python."""


class RowSource(Protocol):
    """Where a stream's rows come from. `TableRows` for rows in memory; a reader or a converter may have its own."""

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns; ``time`` (int64) first."""
        ...

    @property
    def num_rows(self) -> int:
        """How many rows there are in all."""
        ...

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows in order, at most `size` at a time; only `columns`, in that order, where they are given.

        Each call begins at the first row again. Batches hold no nulls: what is missing is NaN.
        """
        ...


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows in memory."""

    table: pa.Table

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self.table.schema

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return self.table.num_rows

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield slices of the table; nothing is copied."""
        table = self.table if columns is None else self.table.select(list(columns))
        yield from table.to_batches(max_chunksize=size)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something in a log that its user should know, and how often it occurs.

    Attributes
    ----------
    code : str
        What it is, for programs: ``"truncated"``, ``"invalid-orientation"``, ``"dropout"``, ...
    message : str
        One line for people, with the place (byte, row, line) where there is one.
    stream : str or None
        The stream that it is about; None for the whole file.
    count : int
        How many rows, messages or bytes are concerned.
    """

    code: str
    message: str
    stream: str | None = None
    count: int = 1

    def __str__(self) -> str:
        return f"{self.stream}: {self.message}" if self.stream else self.message


@dataclass(frozen=True, eq=False)
class Stream:
    """Rows of one kind in one convention.

    Parameters
    ----------
    name : str
        The file's own name: ``"vehicle_attitude"``, a second instance ``"vehicle_attitude/1"``, ``"/odom"``.
    kind : str
        One of `KINDS`.
    convention : Convention
        What the numbers are in.
    thing : str
        Which thing of the convention they describe: ``"body"``, ``"camera"``.
    rows : RowSource or pyarrow.Table
        The rows; a table is wrapped.
    units : mapping of str to str
        Unit by name of group, only where it is not the group's own: ``{"magnetic_field": "gauss"}``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from boresight import conventions
    >>> table = pa.table({"time": [0, 10], "qx": [0.0, 0.0], "qy": [0.0, 0.0], "qz": [0.0, 1.0], "qw": [1.0, 0.0]})
    >>> stream = Stream("attitude", "orientation", conventions.get("px4"), "body", table)
    >>> stream.num_rows, stream.has("orientation"), stream.has("position")
    (2, True, False)
    >>> stream.array("orientation")  # w first, as PX4 has it
    array([[1., 0., 0., 0.],
           [0., 0., 0., 1.]])
    """

    name: str
    kind: StreamKind
    convention: Convention
    thing: str
    rows: RowSource
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __init__(
        self,
        name: str,
        kind: StreamKind,
        convention: Convention,
        thing: str,
        rows: RowSource | pa.Table,
        units: Mapping[str, str] | None = None,
    ) -> None:
        source = TableRows(rows) if isinstance(rows, pa.Table) else rows
        schema = source.schema
        if schema.names[:1] != [TIME] or schema.field(0).type != pa.int64():
            raise DataError("the first column must be time, int64 nanoseconds", place=f"stream {name}")
        if kind not in KINDS:
            raise DataError(
                f"no such kind of stream: {kind!r}", place=f"stream {name}", advice=f"use {KINDS}"
            )
        for group, unit in (units or {}).items():
            if group not in GROUPS or unit not in UNITS:
                raise DataError(f"unknown unit {unit!r} of {group!r}", place=f"stream {name}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "convention", convention)
        object.__setattr__(self, "thing", thing)
        object.__setattr__(self, "rows", source)
        object.__setattr__(self, "units", MappingProxyType(dict(units or {})))

    def __repr__(self) -> str:
        columns = " ".join(self.schema.names)
        return f"Stream({self.name!r}, {self.kind}, {self.convention.id}, {self.num_rows} rows: {columns})"

    # -- what there is ------------------------------------------------------------------------------------------

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self.rows.schema

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return self.rows.num_rows

    def __len__(self) -> int:
        return self.num_rows

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups of columns that the stream has."""
        return groups_of(self.schema.names)

    def has(self, group: str) -> bool:
        """Whether the stream has every column of a group of `GROUPS`."""
        return GROUPS[group] in self.groups

    def unit(self, group: str) -> str:
        """Return the unit of a group in this stream; of a position, the name of the convention's length."""
        return self.units.get(group, GROUPS[group].unit)

    def factor(self, group: str) -> float:
        """Return what the group's numbers are multiplied by to be in the group's own unit (1e-4 for gauss)."""
        return UNITS[self.unit(group)]

    # -- rows ---------------------------------------------------------------------------------------------------

    def batches(
        self, size: int = BATCH_ROWS, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows in order, at most `size` at a time, and only `columns` where they are given."""
        return self.rows.batches(size, columns)

    def table(self) -> pa.Table:
        """Return all rows as one table."""
        if isinstance(self.rows, TableRows):
            return self.rows.table
        return pa.Table.from_batches(self.batches(), schema=self.schema)

    def column(self, name: str) -> NDArray[Any]:
        """Return one column, shape (n,), or (n, width) of a covariance."""
        if name not in self.schema.names:
            raise DataError("there is no such column", place=f"stream {self.name}, column {name}")
        found = _joined((to_numpy(batch.column(0)) for batch in self.batches(columns=[name])), self.num_rows)
        return to_numpy(pa.array([], type=self.schema.field(name).type)) if found is None else found

    @cached_property
    def time(self) -> NDArray[np.int64]:
        """Time of every row, shape (n,), integer nanoseconds."""
        time: NDArray[np.int64] = self.column(TIME)
        time.flags.writeable = False
        return time

    def array(self, group: str) -> NDArray[Any]:
        """Return a group's numbers as the file has them, shape (n, components), or (n,) of a single column.

        A quaternion comes in the convention's own order; where the convention has none, ask `quaternion` with one.
        """
        if group == "orientation":
            order = self.convention.order
            if order is None:
                raise DataError(
                    f"convention {self.convention.id} has no order of quaternions",
                    place=f"stream {self.name}",
                    advice="ask for quaternion(order=...)",
                )
            return self.quaternion(order=order)
        if group not in GROUPS:
            raise DataError(
                f"there is no group of columns {group!r}",
                place=f"stream {self.name}",
                advice=f"the stream has: {', '.join(own.name for own in self.groups) or 'none'}",
            )
        return self._stack(group, GROUPS[group].columns)

    def quaternion(self, *, order: Literal["xyzw", "wxyz"]) -> NDArray[Any]:
        """Return the stored quaternions, shape (n, 4), in the order asked for; neither scaled nor turned."""
        return self._stack("orientation", tuple("q" + letter for letter in order))

    def _stack(self, group: str, columns: tuple[str, ...]) -> NDArray[Any]:
        if not self.has(group):
            raise DataError(f"the stream has no {group}", place=f"stream {self.name}")
        found = _joined((stack(batch) for batch in self.batches(columns=columns)), self.num_rows)
        if found is None:
            width = GROUPS[group].width
            return np.empty((0, width) if width > 1 else (0,))
        return found

    # -- decoded ------------------------------------------------------------------------------------------------

    def rotation(self) -> Rotation[Any, Any]:
        """Decode the orientations, in float64; rows without one (NaN, zero, a reflection) become NaN."""
        decoded: Any = self.convention.decode(**self._orientation(), thing=self.thing, invalid="nan")
        return decoded

    def pose(self) -> Pose[Any, Any]:
        """Decode orientations and positions together; rows without an orientation become NaN.

        A log that holds the two apart, as PX4's do, has none in one stream: `boresight.logs.pose_stream` joins them.
        """
        if not self.has("position"):
            raise DataError(
                "the stream has no position",
                place=f"stream {self.name}",
                advice="boresight.logs.pose_stream(log) joins the positions of another stream to it",
            )
        position = self.array("position").astype(np.float64)
        orientation = self._orientation()
        decoded: Any = self.convention.decode(
            **orientation, position=position, thing=self.thing, invalid="nan"
        )
        return decoded

    def _orientation(self) -> dict[str, Any]:
        if self.has("orientation"):
            if self.convention.order is not None:
                return {"quat": self.array("orientation").astype(np.float64)}
            return {"quat": self.quaternion(order="xyzw").astype(np.float64), "order": "xyzw"}
        if self.has("euler"):
            return {"euler": self.array("euler").astype(np.float64)}
        if self.has("matrix"):
            return {"matrix": self.array("matrix").astype(np.float64).reshape(-1, 3, 3)}
        raise DataError("the stream has no orientation", place=f"stream {self.name}")

    @property
    def has_orientation(self) -> bool:
        """Whether the stream has orientations in any form (quaternion, Euler angles, matrix)."""
        return any(group.role == "orientation" for group in self.groups)

    def invalid_rows(self) -> NDArray[np.bool_]:
        """Return which rows hold no orientation: NaN, infinite, or a quaternion or matrix of zeros, shape (n,)."""
        for group in self.groups:
            if group.role == "orientation":
                return invalid_orientation(
                    self._stack(group.name, group.columns), euler=group.name == "euler"
                )
        raise DataError("the stream has no orientation", place=f"stream {self.name}")

    # -- changed ------------------------------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Stream:
        """Return the stream with some of its parts (name, kind, convention, thing, rows, units) replaced."""
        parts: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "convention": self.convention,
            "thing": self.thing,
            "rows": self.rows,
            "units": self.units,
        }
        return Stream(**{**parts, **changes})


@dataclass(frozen=True, eq=False)
class Log:
    """Named streams from one file, with what their reader noticed.

    Parameters
    ----------
    streams : mapping of str to Stream
        By name; ordered, the first of a kind is the one to take where one is enough.
    path : pathlib.Path or None
        Where they come from.
    format : str
        Name of the format: ``"ulog"``, ``"tum"``, ...
    notices : tuple of Notice
        What the user should know: a truncated end, invalid rows, dropouts.
    metadata : mapping of str to str
        What the file says about itself.
    """

    streams: Mapping[str, Stream]
    path: Path | None = None
    format: str = ""
    notices: tuple[Notice, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __repr__(self) -> str:
        return f"Log({self.format or 'memory'}, {len(self.streams)} streams: {' '.join(self.streams)})"

    def __getitem__(self, name: str) -> Stream:
        try:
            return self.streams[name]
        except KeyError:
            have = ", ".join(self.streams) or "none"
            raise DataError(
                f"there is no stream {name!r}", path=self.path, advice=f"there are: {have}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the streams, as over those of a mapping."""
        return iter(self.streams)

    def __contains__(self, name: object) -> bool:
        return name in self.streams

    def of_kind(self, *kinds: StreamKind) -> tuple[Stream, ...]:
        """Return the streams of these kinds, in the log's order."""
        return tuple(stream for stream in self.streams.values() if stream.kind in kinds)

    def primary(self, *kinds: StreamKind) -> Stream | None:
        """Return the first stream of one of these kinds that has rows, or None.

        A reader puts first what the vehicle itself went by: an autopilot's attitude comes before its odometry from a
        camera, so that ``primary("pose", "orientation")`` is the attitude.
        """
        return next((stream for stream in self.of_kind(*kinds) if stream.num_rows), None)

    @cached_property
    def start(self) -> int:
        """Earliest time in any stream, nanoseconds; 0 of a log without rows."""
        return min((int(stream.time.min()) for stream in self.streams.values() if stream.num_rows), default=0)

    @cached_property
    def end(self) -> int:
        """Latest time in any stream, nanoseconds; 0 of a log without rows."""
        return max((int(stream.time.max()) for stream in self.streams.values() if stream.num_rows), default=0)


def to_numpy(column: pa.Array[Any]) -> NDArray[Any]:
    """Return an Arrow column without nulls as an array: (n,), or (n, width) of fixed-size lists. Copies no numbers."""
    if isinstance(column, pa.FixedSizeListArray):
        return _flat(column.flatten()).reshape(len(column), column.type.list_size)
    return _flat(column)


def _flat(column: pa.Array[Any]) -> NDArray[Any]:
    kind = column.type
    if column.null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return column.to_numpy(zero_copy_only=False)
    return np.from_dlpack(column)  # Arrow's own way imports pandas, where that is installed


def stack(batch: pa.RecordBatch) -> NDArray[Any]:
    """Return a batch's columns side by side, shape (rows, columns); a single column as `to_numpy` has it."""
    if batch.num_columns == 1:
        return to_numpy(batch.column(0))
    return np.stack([to_numpy(column) for column in batch.columns], axis=-1)


def _joined(parts: Iterator[NDArray[Any]], rows: int) -> NDArray[Any] | None:
    """Lay parts one after the other as they come, never two copies at once; None of none, and a single one as it is."""
    out, at = None, 0
    for part in parts:
        if len(part) == rows:
            return part
        if out is None:
            out = np.empty((rows, *part.shape[1:]), part.dtype)
        elif part.dtype != out.dtype:  # integers become floats in the batch that lacks one
            out = out.astype(np.result_type(out, part))
        out[at : at + len(part)] = part
        at += len(part)
    return out


def invalid_orientation(numbers: NDArray[Any], *, euler: bool = False) -> NDArray[np.bool_]:
    """Return which rows of (n, components) hold no orientation: one is not finite, or (but for angles) all are zero."""
    with np.errstate(invalid="ignore"):  # a signalling NaN warns wherever it is looked at
        bad = np.logical_not(np.isfinite(numbers).all(axis=-1))
        if not euler:
            bad |= np.logical_not(numbers.any(axis=-1))
    return bad
