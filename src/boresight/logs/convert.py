"""A log in one convention becomes a log in another, batch by batch.

Nothing is computed until rows are asked for: a converted stream holds the stream it comes from and the change between the two
conventions, so that a log larger than memory converts in the memory of one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from boresight import conventions
from boresight.axes import Axes
from boresight.conventions import Change, Convention
from boresight.conventions.coding import read_orientation, write_orientation
from boresight.conventions.linear import LinearMap, congruence
from boresight.errors import ConventionError
from boresight.logs.joining import joined_where_needed
from boresight.logs.model import GROUPS, Group, Log, Stream, to_numpy

__all__ = ["OrientationForm", "convert_log", "convert_stream", "orientation_form"]

OrientationForm: TypeAlias = Literal["orientation", "euler", "matrix"]
"""Name of the group that holds an orientation."""

Array: TypeAlias = NDArray[np.float64]

_SLICE = 8192
"""Rows converted at once: what is made on the way stays in the cache."""

_WORLD_ROLES = {
    "orientation",
    "position",
    "world_polar",
    "pose_covariance",
    "state_covariance",
    "world_polar_covariance",
    "world_axial_covariance",
}


def convert_log(
    log: Log,
    to: str | Convention,
    *,
    forward: str | float | None = None,
    world: str | None = None,
    thing: str | None = None,
    origin: ArrayLike | None = None,
) -> Log:
    """Return the log with every stream in another convention.

    Orientations come out as unit quaternions (as Euler angles where the system stores nothing else); rows without an
    orientation become NaN. Numbers are float64, in the units of `GROUPS` and in the convention's unit of length.

    A system that stores positions as seen from the body (OpenCV, COLMAP) needs an orientation with each of them: streams of
    orientations and of positions are joined then, every orientation is kept, and a notice says so.

    Parameters
    ----------
    log : Log
        Any log.
    to : str or Convention
        What its numbers shall be in.
    forward, world, origin
        As in `boresight.convert`: what the two conventions do not determine.
    thing : str, optional
        What of the target the numbers shall describe; else its first for a stream of the source's first, and that of
        the same name for any other.

    Returns
    -------
    Log
        Lazy: rows are converted when they are asked for.

    Raises
    ------
    ConventionError
        The change is not determined; the message says what is missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"time": [0], "qx": [0.0], "qy": [0.0], "qz": [0.0], "qw": [2.0], "wx": [1.0], "wy": [2.0],
    ...                   "wz": [3.0]})
    >>> px4 = Stream("attitude", "orientation", conventions.get("px4"), "body", table)
    >>> ros = convert_log(Log({"attitude": px4}), "ros")["attitude"]
    >>> ros.quaternion(order="xyzw").round(4) + 0.0, ros.array("angular_rate")
    (array([[0.    , 0.    , 0.7071, 0.7071]]), array([[ 1., -2., -3.]]))
    """
    target = conventions.get(to)
    log = joined_where_needed(log, target)
    try:
        streams = {
            name: convert_stream(stream, target, to_thing=thing, forward=forward, world=world, origin=origin)
            for name, stream in log.streams.items()
        }
    except _NeedsOrientationError as error:
        if log.path is None:
            raise
        given = {"--forward": forward, "--world": world}
        options = "".join(f" {name} {value}" for name, value in given.items() if value is not None)
        command = f"boresight convert {quote(str(log.path))} -o out.parquet --to {target.id}{options}"
        raise ConventionError(f"{error}: {command}") from None
    return Log(streams, log.path, log.format, log.notices, log.metadata)


def convert_stream(
    stream: Stream,
    to: Convention,
    *,
    to_thing: str | None = None,
    forward: str | float | None = None,
    world: str | None = None,
    origin: ArrayLike | None = None,
    form: OrientationForm | None = None,
) -> Stream:
    """Return one stream in another convention; see `convert_log`.

    Parameters
    ----------
    form : str, optional
        The group that shall hold the orientation; else what the convention stores.
    """
    if not any(group.role != "scalar" for group in stream.groups):
        # the same numbers in every convention
        return stream.replace(convention=to, thing=to_thing or to.default_thing)
    from_ = stream.convention
    if to_thing is None and stream.thing != from_.default_thing and stream.thing in to.things:
        to_thing = stream.thing
    if not any(group.role in _WORLD_ROLES for group in stream.groups):
        # Where the world's axes point does not matter to a sensor fixed to the body, and must not be asked.
        forward, origin = forward or "N", (0.0, 0.0, 0.0) if origin is None else origin
        world = world or ("FLU" if _free_handedness(from_, to) == "right" else "FRU")
    change = conventions.change(
        from_,
        to,
        thing=stream.thing,
        to_thing=to_thing or to.default_thing,
        forward=forward,
        world=world,
        origin=origin,
    )
    reached = _reached(change, world)
    if form is None:
        form = "orientation" if to.order is not None or to.euler is None else "euler"
    rows = _ConvertedRows(stream, change, form)
    units = {name: unit for name, unit in stream.units.items() if GROUPS[name].role == "scalar"}
    return Stream(stream.name, stream.kind, reached, change.to_thing, rows, units)


def orientation_form(stream: Stream, form: OrientationForm) -> Stream:
    """Return the stream with its orientations in another form (quaternion, Euler angles, matrix) of its own convention."""
    if stream.has(form):
        return stream
    return convert_stream(stream, stream.convention, to_thing=stream.thing, form=form)


class _NeedsOrientationError(ConventionError):
    """Positions are without the orientation that the change needs."""


def _free_handedness(from_: Convention, to: Convention) -> str:
    return from_.handedness if from_.world.kind == "free" else to.handedness


def _reached(change: Change, world: str | None) -> Convention:
    """The convention that the numbers are in after a change: the target's, with the axes that a free side kept."""
    from_, to = change.from_, change.to
    kept: dict[str, Any] = {}
    if "free" in (from_.world.kind, to.world.kind):
        if world is None:
            kept["world"] = from_.world
        elif to.world.kind == "free":
            kept["world"] = Axes(world)
    if "world" in kept:
        kept["position_world"] = kept["world"]
    old, new = from_.things[change.thing], to.things[change.to_thing]
    if "free" in (old.kind, new.kind) and old != new:
        kept["things"] = {change.to_thing: old}
    return to.replace(**kept) if kept else to


@dataclass(frozen=True, slots=True)
class _Step:
    """What becomes of one group: columns in, columns out, and what is done between."""

    inputs: tuple[str, ...]
    outputs: tuple[pa.Field[Any], ...]
    apply: Callable[[Array, Array | None], Array] | None  # None: passed on as it is
    needs_orientation: bool = False

    def room(self, rows: int) -> Array:
        """An array for the numbers of so many rows, shape (rows, numbers), that lies as Arrow has them."""
        kind = self.outputs[0].type
        if pa.types.is_fixed_size_list(kind):
            return np.empty((rows, kind.list_size))
        return np.empty((len(self.outputs), rows)).T

    def arrays(self, numbers: Array) -> dict[str, pa.Array[Any]]:
        """The columns that `room` has been filled with; nothing is copied."""
        first = self.outputs[0]
        if pa.types.is_fixed_size_list(first.type):
            flat = pa.array(numbers.reshape(-1))
            return {first.name: pa.FixedSizeListArray.from_arrays(flat, first.type.list_size)}
        return {field.name: pa.array(numbers[:, i]) for i, field in enumerate(self.outputs)}


class _ConvertedRows:
    """Rows of a stream, converted when they are asked for."""

    def __init__(self, stream: Stream, change: Change, form: OrientationForm) -> None:
        self._stream = stream
        self._change = change
        self._orientation = next((g for g in stream.groups if g.role == "orientation"), None)
        self._form: OrientationForm = form
        self._steps = tuple(self._plan())
        self._schema = pa.schema([field for step in self._steps for field in step.outputs])

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    @property
    def num_rows(self) -> int:
        return self._stream.num_rows

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        names = self._schema.names if columns is None else list(columns)
        wanted = set(names)
        steps = [step for step in self._steps if any(field.name in wanted for field in step.outputs)]
        inputs = {column for step in steps for column in step.inputs}
        own_needed = any(step.needs_orientation for step in steps)
        if own_needed and self._orientation is not None:
            inputs.update(self._orientation.columns)
        schema = pa.schema([self._schema.field(name) for name in names])
        read = [name for name in self._stream.schema.names if name in inputs]
        for batch in self._stream.batches(size, read):
            made: dict[str, pa.Array[Any]] = {}
            numbers = [(step, step.apply, step.room(len(batch))) for step in steps if step.apply is not None]
            for start in range(0, len(batch), _SLICE):
                part = batch.slice(start, _SLICE)
                own = self._own(part) if own_needed else None
                for step, apply, room in numbers:
                    room[start : start + len(part)] = apply(_stacked(part, step.inputs), own)
            for step, _, room in numbers:
                made.update(step.arrays(room))
            for step in steps:
                if step.apply is None:
                    made[step.inputs[0]] = batch.column(step.inputs[0])
            yield pa.RecordBatch.from_arrays([made[name] for name in names], schema=schema)

    def _own(self, batch: pa.RecordBatch) -> Array:
        """Unit quaternions x, y, z, w from the thing to its world, in the source's axes; NaN where there is none."""
        group, from_ = self._orientation, self._change.from_
        assert group is not None
        if group.name == "orientation":
            order = from_.order or "xyzw"
            numbers = _stacked(batch, tuple("q" + letter for letter in order))
            return read_orientation(from_, quat=numbers, order=order, invalid="nan")  # pyright: ignore[reportReturnType]
        numbers = _stacked(batch, group.columns)
        if group.name == "euler":
            return read_orientation(from_, euler=numbers, invalid="nan")  # pyright: ignore[reportReturnType]
        return read_orientation(from_, matrix=numbers.reshape(-1, 3, 3), invalid="nan")  # pyright: ignore[reportReturnType]

    # -- the plan -----------------------------------------------------------------------------------------------

    def _plan(self) -> Iterator[_Step]:
        """One step for every group, in the order of the columns; columns of no group are passed on."""
        group_of = {column: group for group in self._stream.groups for column in group.columns}
        done: set[str] = set()
        for field in self._stream.schema:
            group = group_of.get(field.name)
            if group is None or group.role == "scalar":
                yield _Step((field.name,), (field,), None)
            elif group.role == "state_covariance" and self._change.position_needs_orientation:
                # As many maps as rows, in which the attitude's error goes into the position's; `pose_covariance` has both.
                continue
            elif group.name not in done:
                done.add(group.name)
                yield self._step(group)

    def _step(self, group: Group) -> _Step:
        if group.role == "orientation":
            return self._orientation_step()
        change = self._change
        if group.role == "position":
            needed = change.position_needs_orientation
            if needed and self._orientation is None:
                raise _NeedsOrientationError(
                    f"stream {self._stream.name}: {change.to.id if change.from_.direction == 'body_to_world' else change.from_.id} "
                    "stores positions as seen from the body, and no orientation of the log goes with these; leave the stream "
                    "out, or convert it together with the orientations (the whole log; without --stream)"
                )
            return _Step(group.columns, _doubles(group.columns), _position(change), needed)
        if group.is_list:
            return self._covariance_step(group)
        factor = self._stream.factor(group.name)
        function = {
            "world_polar": change.world_polar,
            "body_polar": change.body_polar,
            "body_axial": change.body_axial,
        }[group.role]
        return _Step(group.columns, _doubles(group.columns), _vector(function, factor))

    def _orientation_step(self) -> _Step:
        assert self._orientation is not None
        change, form = self._change, self._form
        order = change.to.order or "xyzw"
        # columns are named, so the order of the quaternion is that of the names written
        columns = tuple("q" + letter for letter in order) if form == "orientation" else GROUPS[form].columns
        as_: Any = {"orientation": "quat", "euler": "euler", "matrix": "matrix"}[form]

        def apply(_: Array, own: Array | None) -> Array:
            assert own is not None
            new = write_orientation(change.to, change.own(own), as_, order=order if as_ == "quat" else None)
            return new.reshape(len(new), -1)

        return _Step(self._orientation.columns, _doubles(columns), apply, needs_orientation=True)

    def _covariance_step(self, group: Group) -> _Step:
        change, side = self._change, int(group.width**0.5)
        body, rate = LinearMap(change.body), LinearMap(change.body).axial()
        of_pose = group.role == "pose_covariance"
        of_position = group.name == "position_covariance" and self._stream.kind != "gnss"
        # the covariance of a position as seen from the body is turned as the position is
        needed = (of_pose or of_position) and change.position_needs_orientation
        place = GROUPS["position"].columns if needed and of_pose else ()
        if needed and (self._orientation is None or (of_pose and not self._stream.has("position"))):
            raise ConventionError(
                f"stream {self._stream.name}: the column {group.columns[0]} is of a position that one of the two systems stores "
                "as seen from the body, and the stream lacks the orientation or position that go with it; leave the column out"
            )

        def function(p: Array, own: Array | None, position: Array) -> Array:
            if of_pose:
                return change.pose_covariance(p, own=own, position=position)
            if group.role == "state_covariance":
                return change.state_covariance(p)
            if group.role == "twist_covariance":  # metres and radians a second, whatever the unit of length
                return congruence(p, (body, rate))
            if group.role == "world_axial_covariance":
                return change.covariance_orientation(p)
            if of_position:
                return change.covariance_position(p, own=own)
            if group.role == "world_polar_covariance":
                return change.covariance_world_polar(p)
            return change.covariance_body(p)

        def apply(numbers: Array, own: Array | None) -> Array:
            position, flat = numbers[:, : len(place)], numbers[:, len(place) :]
            return function(flat.reshape(-1, side, side), own, position).reshape(len(numbers), -1)

        return _Step((*place, *group.columns), (_list(group),), apply, needed)


def _position(change: Change) -> Callable[[Array, Array | None], Array]:
    def apply(numbers: Array, own: Array | None) -> Array:
        return change.position(numbers, own=own)

    return apply


def _vector(function: Callable[[Array], Array], factor: float) -> Callable[[Array, Array | None], Array]:
    def apply(numbers: Array, own: Array | None) -> Array:
        del own
        return function(numbers if factor == 1.0 else numbers * factor)

    return apply


def _doubles(columns: Sequence[str]) -> tuple[pa.Field[Any], ...]:
    return tuple(pa.field(column, pa.float64()) for column in columns)


def _list(group: Group) -> pa.Field[Any]:
    return pa.field(group.columns[0], pa.list_(pa.float64(), group.width))


def _stacked(batch: pa.RecordBatch, columns: Sequence[str]) -> Array:
    """Columns side by side as float64, shape (n, numbers); those of a list as they lie, which may be the last."""
    if len(columns) == 1:
        return to_numpy(batch.column(columns[0])).astype(np.float64, copy=False)
    last = batch.column(columns[-1])
    if pa.types.is_fixed_size_list(last.type):
        return np.concatenate([_stacked(batch, columns[:-1]), to_numpy(last)], axis=1, dtype=np.float64)
    numbers = np.empty((len(batch), len(columns)))
    for i, column in enumerate(columns):
        numbers[:, i] = batch.column(column).to_numpy(zero_copy_only=False)
    return numbers
