"""One stream of poses from a log that has orientations and positions apart.

An autopilot logs its attitude and its position as two streams of different rates. Formats that hold poses (TUM, EuRoC, KITTI,
`nav_msgs/Odometry`) need both in one row. The rows here are those of the attitude, with its own times and its own numbers
untouched; position, velocity and angular rate are interpolated linearly to those times.

Nothing is extrapolated. An attitude row gets no position, and is left out and counted, where it lies before the first or after
the last position, between two positions more than a second apart, or between two of which the log says that its estimate
jumped from one to the other (`reset`).

What the log itself says of its positions goes with them: a row is flagged as not valid where one of the two samples it lies
between is, and has the origin of the earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.model import GROUPS, TIME, Log, Notice, Stream

__all__ = ["MAX_GAP", "join_poses", "partner_of", "pose_stream"]

MAX_GAP = 1_000_000_000
"""Nanoseconds between two samples, above which nothing is interpolated between them."""


def pose_stream(log: Log, name: str | None = None) -> Stream:
    """Return the poses of a log as one stream: its own, or its orientations joined with its positions.

    See `join_poses`, which also says what was left out.

    Parameters
    ----------
    log : Log
        Any log.
    name : str, optional
        The pose or orientation stream to take; else the first with rows that has positions or finds them.

    Returns
    -------
    Stream
        Of kind "pose".

    Raises
    ------
    DataError
        The log has no orientation, or no position to go with it.
    """
    return join_poses(log, name)[0]


def join_poses(
    log: Log, name: str | None = None, *, every_row: bool = False
) -> tuple[Stream, tuple[Notice, ...]]:
    """Return `pose_stream(log, name)` and what there is to say about it.

    Parameters
    ----------
    log, name
        As `pose_stream` takes them.
    every_row : bool
        Keep orientations without a position, with NaN for it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from boresight import conventions
    >>> px4 = conventions.get("px4")
    >>> attitude = pa.table({"time": [0, 5, 12], "qx": [0.0] * 3, "qy": [0.0] * 3, "qz": [0.0] * 3, "qw": [1.0] * 3})
    >>> position = pa.table({"time": [0, 10], "x": [0.0, 1.0], "y": [0.0, 0.0], "z": [0.0, -1.0]})
    >>> log = Log({
    ...     "attitude": Stream("attitude", "orientation", px4, "body", attitude),
    ...     "position": Stream("position", "velocity", px4, "body", position),
    ... })
    >>> poses, notices = join_poses(log)
    >>> poses.array("position").tolist()
    [[0.0, 0.0, 0.0], [0.5, 0.0, -0.5]]
    >>> print(notices[0])
    attitude: 1 of 3 rows have no position (1 before the first or after the last of position) and make no pose
    """
    chosen = log[name] if name is not None else _first(log)
    if chosen is None or not chosen.has_orientation:
        have = ", ".join(log.streams) or "none"
        raise DataError("the log has no orientation", path=log.path, advice=f"its streams: {have}")
    if chosen.has("position"):
        return chosen, ()
    partner = partner_of(log, chosen, any_name=True)
    if partner is None:
        raise DataError(
            f"stream {chosen.name} has orientations and the log has no positions to go with them",
            path=log.path,
            advice="write a format that holds orientations alone: MCAP, CSV or Parquet",
        )
    _same_world(log, chosen, partner)
    tracks = [_Track.of(partner, ("position", "velocity"), without=chosen.schema.names)]
    units = {group: unit for group, unit in partner.units.items() if group in ("position", "velocity")}
    notices: list[Notice] = []
    if not chosen.has("angular_rate"):
        time = chosen.time
        _, inside, whole = tracks[0].segments(time)
        wanted = time if every_row else time[inside & whole]
        gyro, rates, missing = _rates(log, chosen, wanted)
        if gyro is not None and rates is not None:
            tracks.append(rates)
            units.update({group: unit for group, unit in gyro.units.items() if group == "angular_rate"})
        if missing:
            where = (
                f"{gyro.name} has none within {MAX_GAP / 1e9:g} s of them"
                if gyro
                else "no stream of the log has any"
            )
            message = f"{missing} of {len(wanted)} poses have no angular rate: {where}"
            notices.append(Notice("no-rate", message, chosen.name, missing))
    rows = _JoinedRows(chosen, tracks, every_row=every_row)
    stream = chosen.replace(kind="pose", rows=rows, units={**units, **chosen.units})
    notice = rows.notice(partner.name)
    return stream, ((notice,) if notice else ()) + tuple(notices)


def _rates(log: Log, chosen: Stream, time: NDArray[np.int64]) -> tuple[Stream | None, _Track | None, int]:
    """The angular rates that go with an orientation stream, and at how many of these times there are none.

    Those of the first stream that has them at every time, or else of the one that has them at most.
    """
    best: tuple[Stream | None, _Track | None, int] = (None, None, len(time))
    for stream in log.of_kind("imu"):
        if not (stream.num_rows and stream.has("angular_rate") and _alike(stream, chosen)):
            continue
        track = _Track.of(stream, ("angular_rate",), without=chosen.schema.names)
        _, inside, whole = track.segments(time)
        missing = len(time) - int(np.count_nonzero(inside & whole))
        if best[0] is None or missing < best[2]:
            best = (stream, track, missing)
        if not missing:
            break
    return best


_GO_WITH = {
    "position": ("position_valid", "local_origin", "local_origin_altitude"),
    "velocity": ("velocity_valid",),
}
"""What a log says of a quantity row by row, and is no number to interpolate."""


def _first(log: Log) -> Stream | None:
    """The first stream that is or can become poses; the first with an orientation where none can.

    In the log's order: an autopilot's attitude, with its position, comes before odometry that it was given.
    """
    for stream in log.of_kind("pose", "orientation"):
        if stream.num_rows and (stream.has("position") or partner_of(log, stream, any_name=True) is not None):
            return stream
    return log.primary("pose", "orientation")


def partner_of(log: Log, orientation: Stream, *, any_name: bool = False) -> Stream | None:
    """Find the positions that belong to an orientation stream.

    Those of the same name and instance ("estimator_attitude/1" and "estimator_local_position/1"), or else, with `any_name`,
    the first that the log has.
    """
    positions = [s for s in log.streams.values() if s.num_rows and s.kind == "velocity" and s.has("position")]
    same = orientation.name.replace("attitude", "local_position")
    found = next((s for s in positions if s.name == same), None)
    return positions[0] if found is None and any_name and positions else found


def _alike(one: Stream, other: Stream) -> bool:
    """Whether two streams' numbers are in the same axes and unit of length, for the same thing."""
    a, b = one.convention, other.convention
    return (a.id, a.world, a.position_world, a.things, a.length) == (
        b.id,
        b.world,
        b.position_world,
        b.things,
        b.length,
    ) and (one.thing == other.thing)


def _same_world(log: Log, orientation: Stream, position: Stream) -> None:
    if not _alike(orientation, position):
        raise DataError(
            f"stream {orientation.name} is in {orientation.convention.id}, stream {position.name} "
            f"in {position.convention.id}: they can't be joined as they are",
            path=log.path,
            advice="convert the log first: convert_log(log, to)",
        )


@dataclass(frozen=True)
class _Track:
    """Samples of one stream, to be interpolated at the times of another."""

    time: NDArray[np.int64]  # strictly increasing
    values: NDArray[np.float64]  # (n, columns)
    columns: tuple[str, ...]
    broken: NDArray[np.bool_]  # (n - 1,): nothing is interpolated between sample i and i + 1
    held: Mapping[str, NDArray[Any]]  # columns that are not interpolated: flags as uint8, floats

    @staticmethod
    def of(stream: Stream, groups: Sequence[str], *, without: Sequence[str]) -> _Track:
        own = [group for group in groups if stream.has(group)]
        columns = tuple(c for g in own for c in GROUPS[g].columns)
        beside = [name for g in own for name in _GO_WITH.get(g, ()) if stream.has(name)]
        kept = [c for name in beside for c in GROUPS[name].columns if c not in without]
        wanted = [TIME, *columns, *kept, *(["reset"] if stream.has("reset") else [])]
        table = pa.Table.from_batches(stream.batches(columns=wanted))
        time: NDArray[np.int64] = table.column(TIME).to_numpy()
        values = np.stack([table.column(c).to_numpy().astype(np.float64) for c in columns], axis=-1)
        reset = table.column("reset").to_numpy() if "reset" in wanted else np.zeros(len(time), np.int64)
        usable = np.isfinite(values[:, :3]).all(axis=-1)
        # sorted, and of samples at one time the last: logs repeat and shuffle a few
        order = np.flatnonzero(usable)[np.argsort(time[usable], kind="stable")]
        order = order[np.append(np.diff(time[order]) > 0, True)] if len(order) else order
        time, values, reset = time[order], values[order], reset[order]
        held = {c: _held(c, table.column(c).to_numpy()[order]) for c in kept}
        return _Track(time, values, columns, (np.diff(time) > MAX_GAP) | (np.diff(reset) != 0), held)

    def segments(
        self, time: NDArray[np.int64]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.bool_]]:
        """For each time, the sample before it; whether it is within the samples; whether between two that are joined."""
        last = len(self.time) - 1
        index = np.searchsorted(self.time, time, side="right") - 1
        if last < 0:
            none = np.zeros(len(time), dtype=bool)
            return index, none, none
        inside = (index >= 0) & ((index < last) | (time == self.time[last]))
        index = np.clip(index, 0, max(last - 1, 0))
        # a time that is a sample's own needs no neighbour
        exact = (self.time[index] == time) | (self.time[np.minimum(index + 1, last)] == time)
        whole = exact if last == 0 else exact | ~self.broken[index]
        return index, inside, whole

    def at(self, time: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values at times that are inside, shape (n, columns); the values of a sample itself at its own time."""
        index, inside, whole = self.segments(time)
        if len(self.time) == 0:
            return np.full((len(time), len(self.columns)), np.nan)
        after = np.minimum(index + 1, len(self.time) - 1)
        span = np.maximum(self.time[after] - self.time[index], 1)
        share = ((time - self.time[index]) / span)[:, None]
        # both ends exactly: a + 1 * (b - a) need not be b
        values = self.values[index] * (1.0 - share) + self.values[after] * share
        at_start, at_end = time == self.time[index], time == self.time[after]
        values[at_start] = self.values[index[at_start]]
        values[at_end] = self.values[after[at_end]]
        values[~(inside & whole)] = np.nan
        return values

    def held_at(self, time: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The columns that are not interpolated: a flag holds where it does on both sides, an origin is the earlier one."""
        index, inside, whole = self.segments(time)
        if len(self.time) == 0:
            return {c: np.full(len(time), _NOTHING[v.dtype.kind], v.dtype) for c, v in self.held.items()}
        after = np.minimum(index + 1, len(self.time) - 1)
        # a sample itself at its own time
        before = np.where(time == self.time[after], after, index)
        after = np.where(time == self.time[index], index, after)
        made: dict[str, NDArray[Any]] = {}
        for name, values in self.held.items():
            flag = values.dtype.kind == "u"
            rows = np.minimum(values[before], values[after]) if flag else values[before]
            rows[~(inside & whole)] = _NOTHING[values.dtype.kind]
            made[name] = rows
        return made


_NOTHING = {"u": 0, "f": np.nan}


def _held(name: str, values: NDArray[Any]) -> NDArray[Any]:
    if name.endswith("_valid"):
        return (values != 0).astype(np.uint8)
    return values if values.dtype.kind == "f" else values.astype(np.float64)


class _JoinedRows:
    """Rows of an orientation stream that have a position, with the columns of the tracks added."""

    def __init__(self, orientation: Stream, tracks: Sequence[_Track], *, every_row: bool) -> None:
        self._orientation = orientation
        self._every_row = every_row
        self._tracks = tracks
        fields = [orientation.schema.field(i) for i in range(len(orientation.schema))]
        for track in tracks:
            fields += [pa.field(c, pa.float64()) for c in track.columns]
            fields += [pa.field(c, pa.from_numpy_dtype(v.dtype)) for c, v in track.held.items()]
        self._schema = pa.schema(fields)

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    @property
    def num_rows(self) -> int:
        return int(self._keep.sum())

    @cached_property
    def _keep(self) -> NDArray[np.bool_]:
        if self._every_row:
            return np.ones(self._orientation.num_rows, np.bool_)
        _, inside, whole = self._tracks[0].segments(self._orientation.time)
        return inside & whole

    def notice(self, partner: str) -> Notice | None:
        """Say how many rows make no pose and why; `partner` is the stream of the positions."""
        _, inside, whole = self._tracks[0].segments(self._orientation.time)
        outside, broken = int((~inside).sum()), int((inside & ~whole).sum())
        count, total = outside + broken, len(inside)
        if not count:
            return None
        if not len(self._tracks[0].time):
            why = [f"every one of {partner} is NaN"]
        elif outside:
            why = [f"{outside} before the first or after the last of {partner}"]
        else:
            why = []
        why += (
            [f"{broken} in a gap of {partner} over {MAX_GAP / 1e9:g} s or across a jump of the estimate"]
            if broken
            else []
        )
        then = "and are kept without one" if self._every_row else "and make no pose"
        message = f"{count} of {total} rows have no position ({', '.join(why)}) {then}"
        return Notice("no-position", message, self._orientation.name, count)

    def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        names = list(self._schema.names if columns is None else columns)
        own = [c for c in self._orientation.schema.names if c == TIME or c in names]
        done = 0
        for batch in self._orientation.batches(size, own):
            keep = self._keep[done : done + len(batch)]
            done += len(batch)
            if not keep.all():
                batch = batch.filter(pa.array(keep))
            if not len(batch):
                continue
            time: NDArray[np.int64] = batch.column(TIME).to_numpy()
            made: dict[str, Any] = {c: batch.column(c) for c in own}
            for track in self._tracks:
                if not set(track.columns).isdisjoint(names):
                    values = track.at(time)
                    made.update({c: pa.array(values[:, i]) for i, c in enumerate(track.columns)})
                if not set(track.held).isdisjoint(names):
                    made.update({c: pa.array(values) for c, values in track.held_at(time).items()})
            yield pa.RecordBatch.from_arrays(
                [made[c] for c in names], schema=pa.schema([self._schema.field(c) for c in names])
            )
