"""Recordings of CARLA: JSON lines, CSV, or printed objects, with CARLA's own numbers by CARLA's own names.

What `boresight.carla.Recorder` writes, and what people write by hand; `carla_rows` knows the names. Each actor is a
stream of poses, by its type and id; the measurements of an IMU or a GNSS sensor are streams of their own.

CARLA has an actor's angular velocity in degrees a second along the axes of the map, where a stream has it along those
of the body: it is turned by the actor's own rotation, and stays left-handed and in degrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.checks import check_stream
from boresight.logs.model import Log, Notice, Stream, StreamKind
from boresight.logs.readers.carla_rows import LAYOUTS, Layout, Row, layout_of, says_so
from boresight.logs.readers.delimited import TextFile, open_text
from boresight.logs.tables import make_table
from boresight.logs.times import TIME_UNITS, TimeUnit, parse_time

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["READER", "CarlaReader"]

_ANGLES = ("pitch", "yaw", "roll")
_TURN = ("turn_x", "turn_y", "turn_z")
_POSE = ("x", "y", "z", *_ANGLES)
# Streams that one row may feed: what is added to the actor's name, the kind, columns that it needs and may have.
_STREAMS: tuple[tuple[str, StreamKind, tuple[str, ...], tuple[str, ...]], ...] = (
    ("", "pose", _POSE, ("vx", "vy", "vz", *_TURN, "dvx", "dvy", "dvz")),
    ("_imu", "imu", ("ax", "ay", "az", "wx", "wy", "wz"), ("compass",)),
    ("_gnss", "gnss", ("lat", "lon", "alt"), ()),
)
_EGO = ("hero", "ego_vehicle", "ego")


class CarlaReader:
    """Reader of recordings of CARLA."""

    suffixes: tuple[str, ...] = (".jsonl", ".csv", ".log")

    def sniff(self, head: bytes) -> bool:
        """Say whether the first lines have CARLA's names."""
        text = head.decode("utf-8-sig", "replace")
        return "\0" not in text and layout_of(text) is not None

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,
        time_unit: TimeUnit = "s",
    ) -> Log:
        """Read a recording.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        from_ : Convention, optional
            CARLA's, if any.
        strict : bool
            Whether a last line cut short is an error.
        time_unit : {"s", "ms", "us", "ns"}
            The unit of the times; CARLA's own are seconds.

        Raises
        ------
        DataError
            A line cannot be read (it is named), or there is nothing in the file that is known.
        """
        from boresight import conventions

        carla = conventions.get("carla")
        if from_ is not None and from_.id != carla.id:
            raise DataError(
                f"a recording by CARLA's names is in CARLA's convention, not in {from_.id}",
                path=path,
                advice='read a table of other numbers with format="csv"',
            )
        if time_unit not in TIME_UNITS:
            raise DataError(
                f"{time_unit!r} is no unit of time", path=path, advice='give "s", "ms", "us" or "ns"'
            )
        file = open_text(path)
        head = file.content[:65536].decode("utf-8", "replace")
        layout = layout_of(head) or _by_suffix(path)
        if from_ is None and layout is LAYOUTS[0] and not says_so(head):
            raise DataError(
                "the file does not say that its numbers are CARLA's",
                path=path,
                place="line 1",
                advice='give from_="carla"',
            )
        actors, notices = _gathered(file, layout, strict)
        streams: dict[str, Stream] = {}
        for name, rows in actors.items():
            for stream in _streams(name, rows, from_ or carla, file, time_unit, notices):
                streams[stream.name] = stream
                notices += check_stream(stream)
        if not streams:
            raise DataError(
                "no line has a location with a rotation, or what an IMU or GNSS sensor measures",
                path=path,
                place="line 1",
                advice="name them location.x, rotation.pitch, … or gyroscope.x, …",
            )
        return Log(streams, path, "carla", tuple(notices), {"layout": layout.name})


READER = CarlaReader()
"""What the registry finds."""


def _by_suffix(path: Path) -> Layout:
    """The layout of a file whose names are not CARLA's alone, since the caller says that it is CARLA's."""
    json_lines, csv, _ = LAYOUTS
    return csv if path.suffix.lower() == ".csv" else json_lines


def _gathered(file: TextFile, layout: Layout, strict: bool) -> tuple[dict[str, list[Row]], list[Notice]]:
    """Rows by actor; one's own vehicle first, else in the order of the file."""
    actors: dict[str, list[Row]] = {}
    own: str | None = None
    notices: list[Notice] = []
    for row in layout.rows(file):
        if isinstance(row, int):
            message = f"the file ends in the middle of line {row}, which is left out"
            if strict:
                raise DataError("the line is cut short", path=file.path, place=f"line {row}")
            notices.append(Notice("truncated", message, None, 1))
            continue
        name = "/".join(part for part in (row.values.get("type"), row.values.get("id")) if part) or "vehicle"
        actors.setdefault(name, []).append(row)
        if own is None and row.values.get("role") in _EGO:
            own = name
    if own is not None:
        actors = {own: actors.pop(own), **actors}
    return actors, notices


def _streams(
    name: str,
    rows: Sequence[Row],
    convention: Convention,
    file: TextFile,
    unit: TimeUnit,
    notices: list[Notice],
) -> Iterator[Stream]:
    """The streams of one actor's rows."""
    for suffix, kind, needed, optional in _STREAMS:
        chosen = [row for row in rows if all(column in row.values for column in needed)]
        if not chosen:
            continue
        present = [c for c in optional if any(c in row.values for row in chosen)]
        columns = {column: _numbers(chosen, column, file) for column in (*needed, *present)}
        own_name = name if kind == "pose" or not _has_pose(rows) else name + suffix
        units: dict[str, str] = {}
        if kind == "pose":
            columns = _pose(columns, convention)
            units = {"angular_rate": "deg/s"} if "wx" in columns else {}
        elif "compass" in columns:
            columns["heading"] = columns.pop("compass")
        thing = "camera" if "camera" in name.split("/", maxsplit=1)[0] else convention.default_thing
        yield Stream(
            own_name, kind, convention, thing, make_table(_times(chosen, file, unit), columns), units
        )
    left = sum(1 for row in rows if not any(all(c in row.values for c in s[2]) for s in _STREAMS))
    if left:
        first = next(r for r in rows if not any(all(c in r.values for c in s[2]) for s in _STREAMS))
        message = f"{left} of {len(rows)} lines hold neither a pose nor a measurement, the first is line {first.line}"
        notices.append(Notice("incomplete", message, name, left))


def _has_pose(rows: Sequence[Row]) -> bool:
    return any(all(column in row.values for column in _POSE) for row in rows)


def _pose(columns: dict[str, NDArray[Any]], convention: Convention) -> dict[str, NDArray[Any]]:
    """Angles in the order of the convention's arguments, and the angular velocity in the body's axes."""
    from boresight import kernels

    assert convention.euler is not None
    order = convention.euler.arguments
    named = {f"euler_{i + 1}": columns[angle] for i, angle in enumerate(order)}
    if all(column in columns for column in _TURN):
        yaw, pitch, roll = (columns[angle] for angle in ("yaw", "pitch", "roll"))
        # CARLA's rotation in its own axes. The rate is turned by it as any vector is.
        q = kernels.from_euler("ZYX", np.stack([yaw, -pitch, -roll], axis=-1), degrees=True, invalid="nan")
        rate = kernels.rotate_inverse(q, np.stack([columns[c] for c in _TURN], axis=-1))
        named.update({f"w{axis}": rate[:, i].copy() for i, axis in enumerate("xyz")})
    kept = {name: column for name, column in columns.items() if name not in (*_ANGLES, *_TURN)}
    return {**kept, **named}


def _numbers(rows: Sequence[Row], column: str, file: TextFile) -> NDArray[np.float64]:
    texts = [row.values.get(column) for row in rows]
    try:
        return np.array([np.nan if text is None else float(text) for text in texts])
    except ValueError:
        for row, text in zip(rows, texts, strict=True):
            _check_number(text, column, row.line, file)
        raise


def _check_number(text: str | None, column: str, line: int, file: TextFile) -> None:
    try:
        float(text or "nan")
    except ValueError:
        raise DataError(f"{text!r} is no number", path=file.path, place=f"line {line}, {column}") from None


def _times(rows: Sequence[Row], file: TextFile, unit: TimeUnit) -> NDArray[np.int64]:
    for row in rows:
        if not row.values.get("time"):
            raise DataError(
                "there is no time",
                path=file.path,
                place=f"line {row.line}",
                advice="write snapshot.timestamp.elapsed_seconds as timestamp",
            )
    texts = [row.values["time"] for row in rows]
    try:
        return parse_time(pa.array(texts, pa.string()), unit)
    except DataError as error:
        index = int((error.place or "row 0").split()[-1])
        raise DataError(error.reason, path=file.path, place=f"line {rows[index].line}, time") from None
