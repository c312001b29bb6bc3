"""A log whose file says the wrong thing about its numbers becomes one whose numbers are as the file says.

A `Correction` states what the stored numbers really are: their order, direction, axes or units. `corrected` rewrites
them into what the stream's convention declares, batch by batch, and leaves the convention, the positions and everything
else alone. It is the counterpart of naming another convention, which changes what all numbers of a stream are said to
be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight import kernels
from boresight.axes import Axes, SignedPermutation, permutation, quaternion_change
from boresight.conventions import Convention
from boresight.conventions.coding import read_orientation, write_orientation
from boresight.conventions.linear import LinearMap
from boresight.errors import DataError, FrameError
from boresight.logs.columns import GROUPS, UNITS, Group
from boresight.logs.model import Log, RowSource, Stream, to_numpy

__all__ = ["Correction", "corrected", "corrected_stream"]

Array = NDArray[np.float64]
Order = Literal["xyzw", "wxyz"]
Direction = Literal["body_to_world", "world_to_body"]

_IDENTITY = SignedPermutation((0, 1, 2), (1, 1, 1))
_BODY_VECTORS = ("body_polar", "body_axial")


@dataclass(frozen=True, slots=True)
class Correction:
    """What the stored numbers are, where that is not what their file says.

    Attributes
    ----------
    order : {"xyzw", "wxyz"}, optional
        The order of the quaternions: which component the first of the convention's order really is.
    direction : {"body_to_world", "world_to_body"}, optional
        What the stored orientations do to coordinates. Positions are not touched.
    negated : str, optional
        An Euler sequence, upper case, of which the first angle was negated and the others were not: ``"ZYX"`` of a yaw.
    body, world : Axes, optional
        The axes on the two sides of the stored orientations.
    imu : Axes, optional
        The axes of angular rates, specific forces and magnetic fields.
    units : mapping of str to str
        Unit by group: ``{"angular_rate": "deg/s"}``.
    """

    order: Order | None = None
    direction: Direction | None = None
    negated: str | None = None
    body: Axes | None = None
    world: Axes | None = None
    imu: Axes | None = None
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return self.of_orientation or self.imu is not None or bool(self.units)

    @property
    def of_orientation(self) -> bool:
        """Whether it says anything about orientations."""
        parts = (self.order, self.direction, self.negated, self.body, self.world)
        return any(part is not None for part in parts)


def corrected(log: Log, correction: Correction, *, of: str | None = None) -> Log:
    """Return the log with its numbers as its conventions declare them.

    Parameters
    ----------
    log : Log
        Any log.
    correction : Correction
        What its numbers are.
    of : str, optional
        The one stream whose orientations are meant; else every stream's are. Axes and units of sensors are always those
        of every stream that has any.

    Returns
    -------
    Log
        Lazy: rows are corrected when they are asked for.

    Raises
    ------
    DataError
        No stream has what the correction is about, or its axes do not fit those that are declared.

    Examples
    --------
    >>> from boresight import conventions
    >>> table = pa.table({"time": [0], "qx": [1.0], "qy": [0.0], "qz": [0.0], "qw": [0.0]})  # w stands first
    >>> log = Log({"odom": Stream("odom", "orientation", conventions.get("ros"), "body", table)})
    >>> corrected(log, Correction(order="wxyz"))["odom"].quaternion(order="xyzw")
    array([[0., 0., 0., 1.]])
    """
    if of is not None:
        chosen = log[of]
        if correction.of_orientation and not chosen.has_orientation:
            raise DataError("the stream has no orientation", path=log.path, place=f"stream {of}")
    _refuse_unfounded(log, correction)
    streams = {
        name: corrected_stream(stream, correction, orientation=of in (None, name))
        for name, stream in log.streams.items()
    }
    return Log(streams, log.path, log.format, log.notices, log.metadata)


def _refuse_unfounded(log: Log, correction: Correction) -> None:
    """Refuse what is about something that no stream has: the caller expects what would not happen."""
    streams = log.streams.values()
    if correction.of_orientation and not any(stream.has_orientation for stream in streams):
        raise DataError("the log has no orientation to correct", path=log.path)
    if correction.order is not None and not any(stream.has("orientation") for stream in streams):
        raise DataError("the log has no quaternions, and so no order of them", path=log.path)
    if correction.imu is not None and not any(_vectors(stream) for stream in streams):
        raise DataError("the log has no sensors whose axes could be corrected", path=log.path)
    for name, unit in correction.units.items():
        if name not in GROUPS or unit not in UNITS:
            raise DataError(f"unknown unit {unit!r} of {name!r}", advice=f"groups: {', '.join(GROUPS)}")
        if not any(stream.has(name) for stream in streams):
            raise DataError(f"the log has no {name} whose unit could be corrected", path=log.path)


def _vectors(stream: Stream) -> list[Group]:
    return [group for group in stream.groups if group.role in _BODY_VECTORS]


def corrected_stream(stream: Stream, correction: Correction, *, orientation: bool = True) -> Stream:
    """Return one stream corrected; its orientations are left alone unless `orientation`."""
    steps: list[_Step] = []
    if orientation and stream.has_orientation and correction.of_orientation:
        steps.append(_orientation_step(stream, correction))
    if correction.imu is not None:
        steps += [_vector_step(stream, correction.imu, group) for group in _vectors(stream)]
    units = {**stream.units, **{k: v for k, v in correction.units.items() if stream.has(k)}}
    if not steps:
        return stream if units == stream.units else stream.replace(units=units)
    return stream.replace(rows=_CorrectedRows(stream.rows, tuple(steps)), units=units)


@dataclass(frozen=True, slots=True)
class _Step:
    """Columns that are read together and written back changed."""

    columns: tuple[str, ...]
    apply: Callable[[Array], Array]


@dataclass(frozen=True)
class _CorrectedRows:
    """Rows some of whose columns are changed when they are asked for."""

    rows: RowSource
    steps: tuple[_Step, ...]

    @property
    def schema(self) -> pa.Schema:
        changed = {column for step in self.steps for column in step.columns}
        return pa.schema(
            [pa.field(f.name, pa.float64()) if f.name in changed else f for f in self.rows.schema]
        )

    @property
    def num_rows(self) -> int:
        return self.rows.num_rows

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        names = self.rows.schema.names if columns is None else list(columns)
        steps = [step for step in self.steps if set(step.columns) & set(names)]
        needed = {*names, *(column for step in steps for column in step.columns)}
        read = [name for name in self.rows.schema.names if name in needed]
        schema = pa.schema([self.schema.field(name) for name in names])
        for batch in self.rows.batches(size, read):
            made: dict[str, Any] = {name: batch.column(name) for name in read}
            for step in steps:
                numbers = np.stack(
                    [to_numpy(batch.column(name)).astype(np.float64) for name in step.columns], axis=-1
                )
                changed = step.apply(numbers)
                for i, name in enumerate(step.columns):
                    made[name] = pa.array(np.ascontiguousarray(changed[:, i]))
            yield pa.RecordBatch.from_arrays([made[name] for name in names], schema=schema)


# -- orientations --------------------------------------------------------------------------------------------------


def _orientation_step(stream: Stream, correction: Correction) -> _Step:
    declared, group = stream.convention, next(g for g in stream.groups if g.role == "orientation")
    own_order: Order = declared.order or "wxyz"
    columns = group.columns
    if group.name == "orientation":
        columns = tuple("q" + letter for letter in own_order)
    meant = declared.replace(order=correction.order or own_order)
    if correction.direction is not None:
        # A direction says what the numbers do, so that no algebra stands between.
        meant = meant.replace(direction=correction.direction, algebra="hamilton")
    target = _between(correction.world, declared.world, "world", declared)
    source = _between(correction.body, declared.thing_axes(stream.thing), stream.thing, declared)
    try:
        coefficients, scale = quaternion_change(target, source)
    except FrameError as error:
        raise DataError(f"{error}; name both sides, as FRU/ESU", place=f"stream {stream.name}") from None
    unchanged = target == source == _IDENTITY

    def apply(numbers: Array) -> Array:
        own = _read(meant, group.name, numbers)
        if correction.negated is not None:
            own = _negated_back(own, correction.negated)
        if not unchanged:
            own = kernels.change(own, coefficients, scale)
        form: Any = "quat" if group.name == "orientation" else group.name
        written = write_orientation(declared, own, form, order=own_order if form == "quat" else None)
        return np.asarray(written, dtype=np.float64).reshape(len(numbers), -1)

    return _Step(columns, apply)


def _read(meant: Convention, form: str, numbers: Array) -> Array:
    if form == "orientation":
        own = read_orientation(meant, quat=numbers, invalid="nan")
    elif form == "euler":
        own = read_orientation(meant, euler=numbers, invalid="nan")
    else:
        own = read_orientation(meant, matrix=numbers.reshape(-1, 3, 3), invalid="nan")
    assert own is not None
    return np.asarray(own, dtype=np.float64)


def _negated_back(own: Array, sequence: str) -> Array:
    """Negate the first angle of a sequence."""
    angles = np.asarray(kernels.to_euler(sequence, own, degrees=False), dtype=np.float64)
    angles[..., 0] = -angles[..., 0]
    return np.asarray(kernels.from_euler(sequence, angles, degrees=False, invalid="nan"), dtype=np.float64)


def _between(given: Axes | None, declared: Axes, side: str, convention: Convention) -> SignedPermutation:
    """The change from the axes that the numbers are in to those that are declared."""
    if given is None:
        return _IDENTITY
    try:
        return permutation(given, declared)
    except FrameError:
        raise DataError(
            f"the {side} of convention {convention.id} is {declared}, and no relabelling leads there from {given}",
            advice="name the convention of the numbers with --from",
        ) from None


# -- sensors -------------------------------------------------------------------------------------------------------


def _vector_step(stream: Stream, imu: Axes, group: Group) -> _Step:
    change = LinearMap(
        _between(imu, stream.convention.thing_axes(stream.thing), stream.thing, stream.convention)
    )
    if group.role == "body_axial":
        change = change.axial()
    return _Step(group.columns, change.apply)
