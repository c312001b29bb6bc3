"""Lines of a CARLA recording, whichever way they were written, as rows of named numbers.

Three layouts are known: JSON lines, with keys as they are nested; CSV with a line of names; and text in which CARLA's
objects were printed (``IMUMeasurement(frame=…, …)``, ``Transform(Location(…), Rotation(…))``). A name is put together
from the keys above it: ``{"transform": {"location": {"x": 1}}}`` and a column ``transform.location.x`` are one.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from boresight.errors import DataError
from boresight.logs.readers.csv_names import split_name
from boresight.logs.readers.delimited import TextFile

__all__ = ["LAYOUTS", "Layout", "Row", "column_of", "layout_of", "says_so"]

_VECTORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        # what CARLA calls it: our columns, and other names that people give it
        "location": ("x y z", "loc position pos"),
        "velocity": ("vx vy vz", "vel v linear_velocity"),
        # Along the map's axes and in degrees a second, which no column of ours is: the reader turns them.
        "angular_velocity": ("turn_x turn_y turn_z", "ang_vel angular_vel angular"),
        "acceleration": ("dvx dvy dvz", "accel acc linear_acceleration"),
        "accelerometer": ("ax ay az", ""),
        "gyroscope": ("wx wy wz", "gyro"),
    }
)
_ANGLES = ("pitch", "yaw", "roll")
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "time": "timestamp time elapsed_seconds timestamp_elapsed_seconds sim_time simulation_time game_time t",
        "frame": "frame frame_id frame_number timestamp_frame",
        "id": "id actor_id actor vehicle_id name",
        "type": "type type_id",
        "role": "role role_name",
        "compass": "compass",
        "lat": "latitude lat",
        "lon": "longitude lon",
        "alt": "altitude alt",
    }
)
_KEY = re.compile(r'"((?:[^"\\]|\\.)+)"\s*:')
_OWN_KEYS = {"location", "rotation", "transform", "gyroscope", "latitude"}
_PLAIN = {"x", "y", "z", "pitch", "yaw", "roll"}
_PRINTED = re.compile(r"\b(IMUMeasurement|GnssMeasurement|Transform)\(")
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)"
_FIELD = re.compile(rf"\b(?:(\w+)=)?(?:(\w+)\(|({_NUMBER}))|\)")


class Row(NamedTuple):
    """A line's numbers, as they are written.

    Attributes
    ----------
    line : int
        Its number in the file, from 1.
    values : dict of str to str or None
        By `column_of` of their names; None is a number that is missing.
    """

    line: int
    values: dict[str, str | None]


class Layout(NamedTuple):
    """One way of writing: whether a file's beginning is so, and the rows of one.

    `rows` yields an integer, the number of the line, for a last line that is cut short.
    """

    name: str
    sniff: Callable[[str], bool]
    rows: Callable[[TextFile], Iterator[Row | int]]


@cache
def column_of(name: str) -> str | None:
    """Return our column for a name, or None.

    Examples
    --------
    >>> column_of("transform.rotation.pitch"), column_of("Location X [m]"), column_of("throttle")
    ('pitch', 'x', None)
    """
    return _known().get(_words(name))


@cache
def _known() -> dict[str, str]:
    known: dict[str, str] = {}
    for name, (columns, others) in _VECTORS.items():
        for axis, column in zip("xyz", columns.split(), strict=True):
            known.update({f"{prefix}_{axis}": column for prefix in (name, *others.split())})
            known.setdefault(column, column)
    for angle in _ANGLES:
        known.update({f"{prefix}{angle}": angle for prefix in ("", "rotation_", "rot_")})
    for column, words in _WORDS.items():
        known.update(dict.fromkeys(words.split(), column))
    return known


# ---- JSON lines -------------------------------------------------------------------------------


def _sniff_json(head: str) -> bool:
    return head.lstrip().startswith("{") and (says_so(head) or _keys(head) >= _PLAIN)


def says_so(head: str) -> bool:
    """Whether the keys of JSON lines are CARLA's. Plain ones, x, y, z, pitch, yaw and roll, may be anybody's."""
    keys = _keys(head)
    return bool(_OWN_KEYS & keys) or _of_carla(keys)


def _keys(head: str) -> set[str]:
    return {_words(key) for key in _KEY.findall(head)}


def _words(name: str) -> str:
    return split_name(name).words.removeprefix("transform_")


def _of_carla(words: set[str]) -> bool:
    """Names that only CARLA has: places are locations there."""
    return {"location_x", "location_y"} <= words or {"rotation_pitch", "rotation_yaw"} <= words


def _json_rows(file: TextFile) -> Iterator[Row | int]:
    lines = list(file.lines())
    for number, text in lines:
        try:
            # Digits stay as they are written: a float would not hold a time exactly.
            value: Any = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
        except ValueError as error:
            if number == lines[-1][0] and not file.content.endswith(b"\n"):
                yield number
                return
            raise DataError(f"this is no JSON: {error}", path=file.path, place=f"line {number}") from None
        if not isinstance(value, dict):
            raise DataError("a line is to be a JSON object", path=file.path, place=f"line {number}")
        for values in _actors(cast("dict[str, Any]", value), file, number):
            yield Row(number, values)


def _actors(line: dict[str, Any], file: TextFile, number: int) -> Iterator[dict[str, str | None]]:
    """The values of a line: of itself, and of each actor of a line that has many, which share its time."""
    many = {key: item for key, item in line.items() if _are_actors(item)}
    own: dict[str, str | None] = {}
    _flatten({key: item for key, item in line.items() if key not in many}, "", own, file, number)
    shared = {column: own[column] for column in ("time", "frame") if column in own}
    if not many or len(own) > len(shared):
        yield own
    for item in many.values():
        for name, actor in _named(item):
            values: dict[str, str | None] = {} if name is None else {"id": name}
            _flatten(actor, "", values, file, number)
            yield {**shared, **values}


def _named(item: Any) -> list[tuple[str | None, Any]]:
    """The parts of a dictionary by their names, and those of a list, which have none."""
    if isinstance(item, dict):
        return list(cast("dict[str | None, Any]", item).items())
    return [(None, part) for part in cast("list[Any]", item)] if isinstance(item, list) else [(None, None)]


def _are_actors(item: Any) -> bool:
    """Whether it is a list of actors, or has them by their ids."""
    return all(isinstance(a, dict) and _is_placed(cast("dict[str, Any]", a)) for _, a in _named(item))


def _is_placed(actor: dict[str, Any]) -> bool:
    return any(_words(key).split("_")[0] in ("location", "loc", "transform") for key in actor)


def _flatten(
    value: Mapping[str, Any], above: str, values: dict[str, str | None], file: TextFile, number: int
) -> None:
    for key, item in value.items():
        name = f"{above}.{key}" if above else key
        if isinstance(item, dict):
            _flatten(cast("dict[str, Any]", item), name, values, file, number)
        elif isinstance(item, list):
            _listed(name, cast("list[Any]", item), values, file, number)
        elif isinstance(item, str) or item is None:
            column = column_of(name)
            if column is not None:
                values.setdefault(column, item)


def _listed(name: str, items: list[Any], values: dict[str, str | None], file: TextFile, number: int) -> None:
    """A vector as a list of three. Angles in a list have no names, and people do not agree on their order."""
    if split_name(name).words.split("_")[-1] in ("rotation", "rot") and len(items) == 3:
        raise DataError(
            "three angles in a list do not say which is pitch, yaw and roll",
            path=file.path,
            place=f"line {number}, key {name}",
            advice='write {"pitch": …, "yaw": …, "roll": …}',
        )
    columns = [column_of(f"{name}.{axis}") for axis in "xyz"]
    if len(items) == 3 and None not in columns:
        for column, item in zip(columns, items, strict=True):
            values.setdefault(str(column), item if isinstance(item, str) else None)


# ---- CSV --------------------------------------------------------------------------------------


def _sniff_csv(head: str) -> bool:
    """Other tables than those by CARLA's own names go to the reader of CSV."""
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith("#")), "")
    return _of_carla({_words(name) for name in first.split(_separator(first))})


def _separator(line: str) -> str:
    return max(",;\t", key=line.count)


def _csv_rows(file: TextFile) -> Iterator[Row | int]:
    lines = list(file.lines())
    separator = _separator(lines[0][1])
    names = next(csv.reader([lines[0][1]], delimiter=separator))
    columns = [column_of(name) for name in names]
    wanted: dict[int, str] = {}
    for index, column in enumerate(columns):
        if column is not None and column not in wanted.values():
            wanted[index] = column
    for number, text in lines[1:]:
        fields = next(csv.reader([text], delimiter=separator))
        if len(fields) != len(names):
            if number == lines[-1][0] and len(fields) < len(names) and not file.content.endswith(b"\n"):
                yield number
                return
            raise DataError(
                f"{len(fields)} columns, where {len(names)} are expected",
                path=file.path,
                place=f"line {number}",
            )
        yield Row(number, {column: fields[index].strip() or None for index, column in wanted.items()})


# ---- printed objects ----------------------------------------------------------------------------


def _sniff_printed(head: str) -> bool:
    return bool(_PRINTED.search(head))


def _printed_rows(file: TextFile) -> Iterator[Row | int]:
    for number, text in file.lines():
        values: dict[str, str | None] = {}
        for match in _PRINTED.finditer(text):
            _printed(text, match.start(), values)
        if values:
            yield Row(number, values)


def _printed(text: str, start: int, values: dict[str, str | None]) -> None:
    """One object: ``Name(key=1.0, key=Name(…), Name(…))``; a key or a name is what its numbers are called by."""
    above: list[str] = []
    for match in _FIELD.finditer(text, start):
        key, name, number = match.groups()
        if name is not None:
            above.append(key or name.lower())
        elif number is None:
            above.pop()
            if not above:
                return
        elif key is not None:
            column = column_of(".".join((*above[1:], key)))
            if column is not None:
                values.setdefault(column, number)


LAYOUTS = (
    Layout("JSON lines", _sniff_json, _json_rows),
    Layout("CSV", _sniff_csv, _csv_rows),
    Layout("printed objects", _sniff_printed, _printed_rows),
)
"""Every layout that is known."""


def layout_of(head: str) -> Layout | None:
    """Return the layout of a file by its beginning, or None."""
    return next((layout for layout in LAYOUTS if layout.sniff(head)), None)
