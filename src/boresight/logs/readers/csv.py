"""CSV with a line of names: ours, which says itself what it is, or anybody's, with the caller's word on the convention."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.checks import check_stream
from boresight.logs.columns import GROUPS, TIME, UNITS, groups_of
from boresight.logs.description import find_comment, overruled
from boresight.logs.kinds import kind_of
from boresight.logs.model import Log, Notice, Stream
from boresight.logs.readers.csv_names import Recognised, recognise, split_name
from boresight.logs.readers.delimited import TextFile, is_number, open_text, read_columns
from boresight.logs.tables import make_table
from boresight.logs.times import TIME_UNITS, TimeUnit

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["READER", "CsvReader"]

_SEPARATORS = ",;\t"
_LIST_COLUMN = re.compile(r"(\w+?)_(\d+)")
_TIME_UNITS = 'give time_unit="s", "ms", "us" or "ns"'
_INTEGERS = frozenset({"time_sample", "reset", "fix", "satellites"})


@dataclass(frozen=True)
class _Header:
    """The names of a file's columns, and where they stand."""

    names: tuple[str, ...]
    separator: str
    lines: int  # of names that are no comment
    place: str  # for errors about them


class CsvReader:
    """Reader of CSV files with names of columns."""

    suffixes: tuple[str, ...] = (".csv",)

    def sniff(self, head: bytes) -> bool:
        """Say whether the first line is of names with a separator between them."""
        text = head.decode("utf-8", "replace")
        if "\0" in text:
            return False
        header = _find_header(text.splitlines())
        return header is not None and len(header.names) > 1

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,
        thing: str | None = None,
        columns: Mapping[str, str] | None = None,
        time_unit: TimeUnit | None = None,
        order: Literal["xyzw", "wxyz"] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> Log:
        """Read a CSV file.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        from_ : Convention, optional
            What the numbers are in. Needed unless the file is ours and says it.
        strict : bool
            Whether a last line cut short is an error.
        thing : str, optional
            Which thing of the convention the numbers are of.
        columns : mapping of str to str, optional
            Names of the file's columns by ours (``{"qw": "attitude.w"}``), for those that are not recognised.
        time_unit : {"s", "ms", "us", "ns"}, optional
            The unit of the times, where their name does not say it.
        order : {"xyzw", "wxyz"}, optional
            What columns ``q0`` to ``q3`` are.
        units : mapping of str to str, optional
            Unit by group (``{"angular_rate": "deg/s", "euler": "deg"}``), where the names do not say it.

        Raises
        ------
        DataError
            A line cannot be read (it is named), or something that is needed is not said.
        """
        file = open_text(path)
        header = _find_header(file.content.decode("utf-8", "replace").splitlines()[:200])
        if header is None:
            raise DataError("there is no line with names of columns", path=path, place="line 1")
        own = find_comment(file.comments, path=path)
        if own is not None:
            numeric = {name: i for i, name in enumerate(header.names) if own.columns.get(name) != "string"}
            time, numbers, notices = _read(file, header, numeric, "ns", strict)
            if text := [name for name in header.names if name not in numeric]:
                notices.append(
                    Notice("text", f"left out, for they are text: {', '.join(text)}", own.name, len(text))
                )
            convention = from_ or own.convention
            notices = (*notices, *overruled(own.convention, from_))
            if from_ is not None or thing is not None:
                own = replace(own, convention=convention, thing=thing or convention.default_thing)
            stream = own.stream(make_table(time, _with_types(numbers)))
            return Log({stream.name: stream}, path, "csv", (*notices, *check_stream(stream)))
        if from_ is None:
            raise DataError(
                "the file does not say what its numbers are in",
                path=path,
                place=header.place,
                advice="give from_=, a name of `boresight conventions`",
            )
        found = recognise(header.names)
        _apply(found, header, path, columns, order)
        found.units.update(units or {})
        convention = _with_angles(found, from_, path, header.place)
        convention = _with_length(found, convention, path, header.place)
        unit = _time_unit(found, time_unit, header, path)
        time, numbers, notices = _read(file, header, found.columns, unit, strict)
        notices += _chosen(found, header, columns or {})
        streams: dict[str, Stream] = {}
        for suffix, part in _parts(numbers).items():
            kind = kind_of(part)
            if kind is None:
                continue
            said, assumed = _units(found, part, path, header.place)
            name = path.stem + suffix
            chosen = convention.default_thing if thing is None else thing
            convention.thing_axes(chosen)
            streams[name] = Stream(name, kind, convention, chosen, make_table(time, part), said)
            notices += [Notice(item.code, item.message, name) for item in assumed]
            notices += check_stream(streams[name])
        if not streams:
            raise DataError(
                f"no column is recognised: {', '.join(header.names)}",
                path=path,
                place=header.place,
                advice="name them with columns={'qw': ..., 'x': ...}",
            )
        return Log(streams, path, "csv", tuple(notices))


READER = CsvReader()
"""What the registry finds."""


def _find_header(lines: Sequence[str]) -> _Header | None:
    """Return the line of names: the first that is no comment, or the last comment before numbers, as EuRoC has it."""
    comment, commented = "", 0
    for number, line in enumerate(lines, start=1):
        text = line.strip().lstrip("\ufeff")
        if not text:
            continue
        if text.startswith("#"):
            comment, commented = text, number
            continue
        separator = max(_SEPARATORS, key=text.count)
        if separator not in text:
            return None
        fields = _fields(text, separator)
        if not any(is_number(name) for name in fields if name):
            return _Header(fields, separator, 1, f"line {number}")
        named = _fields(comment.lstrip("#").strip(), separator)
        return _Header(named, separator, 0, f"line {commented}") if len(named) == len(fields) else None
    return None


def _fields(text: str, separator: str) -> tuple[str, ...]:
    for fields in csv.reader([text], delimiter=separator, skipinitialspace=True):
        return tuple(name.strip() for name in fields)
    return ()


def _apply(
    found: Recognised,
    header: _Header,
    path: Path,
    columns: Mapping[str, str] | None,
    order: Literal["xyzw", "wxyz"] | None,
) -> None:
    """Take the caller's word on columns and order."""
    for column, name in (columns or {}).items():
        if column != TIME and not any(
            column in group.columns and not group.is_list for group in GROUPS.values()
        ):
            raise DataError(
                f"there is no column {column!r} to read into", path=path, advice="see logs.GROUPS"
            )
        if name not in header.names:
            raise DataError(
                f"the file has no column {name!r}",
                path=path,
                place=header.place,
                advice=f"it has: {', '.join(header.names)}",
            )
        found.columns[column] = header.names.index(name)
        if column == TIME:
            found.time_unit = found.time_unit if name in header.names and split_name(name).unit else None
    if found.numbered and not any(name in found.columns for name in GROUPS["orientation"].columns):
        if order is None:
            names = ", ".join(header.names[index] for index in found.numbered)
            raise DataError(
                f"columns {names} do not say which of them is w",
                path=path,
                place=header.place,
                advice='give order="wxyz" or order="xyzw"',
            )
        found.columns.update(
            {"q" + letter: index for letter, index in zip(order, found.numbered, strict=True)}
        )


def _chosen(found: Recognised, header: _Header, said: Mapping[str, str]) -> list[Notice]:
    """Say which of two columns is read, where both could be the same number and the caller did not say."""
    notices: list[Notice] = []
    for column, other in found.also:
        index = found.columns[column]
        if column not in said:
            message = (
                f"{column} is read from column {index + 1} ({header.names[index]!r}) and not from column "
                f"{other + 1} ({header.names[other]!r}); columns={{...}} says otherwise"
            )
            notices.append(Notice("assumed-column", message))
    return notices


def _with_angles(found: Recognised, convention: Convention, path: Path, place: str) -> Convention:
    """Put Euler angles where the convention's own arguments have them, in the unit that the file has."""
    if len(found.angles) < 3 or any(name in found.columns for name in GROUPS["orientation"].columns):
        return convention
    euler = convention.euler
    if euler is None or set(euler.arguments) != found.angles.keys():
        raise DataError(
            f"convention {convention.id} has no angles {', '.join(found.angles)}", path=path, place=place
        )
    for column, angle in zip(GROUPS["euler"].columns, euler.arguments, strict=True):
        found.columns[column] = found.angles[angle]
    unit = found.units.pop("euler", euler.unit)
    if unit not in ("deg", "rad"):
        raise DataError(f"angles are in deg or rad, not {unit}", path=path, place=place)
    return convention if unit == euler.unit else convention.replace(euler=replace(euler, unit=unit))


def _with_length(found: Recognised, convention: Convention, path: Path, place: str) -> Convention:
    """Positions are in the convention's unit of length, unless the file names another."""
    from boresight.conventions.convention import LENGTHS

    unit = found.units.pop("position", convention.length)
    if unit not in LENGTHS:
        raise DataError(f"{unit!r} is no unit of length", path=path, place=place)
    return convention if unit == convention.length else convention.replace(length=unit)


def _time_unit(found: Recognised, given: TimeUnit | None, header: _Header, path: Path) -> TimeUnit:
    if TIME not in found.columns:
        raise DataError(
            "no column of times is recognised",
            path=path,
            place=header.place,
            advice="name it with columns={'time': ...}",
        )
    unit = given or found.time_unit
    name = header.names[found.columns[TIME]]
    if unit is None:
        raise DataError(
            f"the unit of the times is not said by the name {name!r}",
            path=path,
            place=header.place,
            advice=_TIME_UNITS,
        )
    if unit not in TIME_UNITS:
        raise DataError(f"{unit!r} is no unit of time", path=path, advice=_TIME_UNITS)
    return unit


def _read(
    file: TextFile, header: _Header, columns: Mapping[str, int], unit: TimeUnit, strict: bool
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]], list[Notice]]:
    """Read our columns by their place in the file."""
    place = {index: column for column, index in columns.items()}
    # Names that are not read need only be different from those that are.
    names = [place.get(index, f"{name} #{index + 1}") for index, name in enumerate(header.names)]
    use = [name for index, name in enumerate(names) if index in place]
    time, numbers, notices = read_columns(
        file,
        names,
        header.separator,
        time_unit=unit,
        skip_lines=header.lines,
        use=use,
        strict=strict,
        empty_is_nan=True,
    )
    if time is None:
        raise DataError("the file has no column of times", path=file.path, place=header.place)
    return time, dict(numbers), notices


def _with_types(numbers: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Our own columns: covariances gathered from their elements, counters as integers."""
    columns: dict[str, NDArray[Any]] = {}
    elements: dict[str, dict[int, NDArray[Any]]] = {}
    for name, values in numbers.items():
        match = _LIST_COLUMN.fullmatch(name)
        if match and match[1] in GROUPS and GROUPS[match[1]].is_list:
            elements.setdefault(match[1], {})[int(match[2])] = values
        elif name in _INTEGERS and np.isfinite(values).all():
            columns[name] = values.astype(np.int64)
        else:
            columns[name] = values
    for name, parts in elements.items():
        if sorted(parts) == list(range(GROUPS[name].width)):
            columns[name] = np.stack([parts[index] for index in sorted(parts)], axis=-1)
    return columns


def _parts(numbers: Mapping[str, NDArray[Any]]) -> dict[str, dict[str, NDArray[Any]]]:
    """Divide a file's columns among streams: motion, IMU, and one for each other sensor."""
    groups = {group.name: group for group in groups_of(numbers)}
    motion = {"orientation", "euler", "matrix", "position", "velocity", "body_velocity"} & groups.keys()
    sensors = {
        "_imu": ("angular_rate", "specific_force", "rate_bias", "acceleration_bias"),
        "_gnss": ("geodetic", "altitude", "altitude_ellipsoid"),
        "_magnetic_field": ("magnetic_field",),
        "_baro": ("pressure", "temperature"),
    }
    parts: dict[str, list[str]] = {"": sorted(motion, key=list(GROUPS).index)} if motion else {}
    for suffix, names in sensors.items():
        if present := [name for name in names if name in groups]:
            parts[suffix] = present
    if "_gnss" in parts and "geodetic" not in groups:
        parts.setdefault("_baro", []).extend(parts.pop("_gnss"))
    if len(parts) == 1:
        parts = {"": next(iter(parts.values()))}
    return {
        suffix: {column: numbers[column] for name in names for column in groups[name].columns}
        for suffix, names in parts.items()
    }


def _units(
    found: Recognised, part: Mapping[str, NDArray[Any]], path: Path, place: str
) -> tuple[dict[str, str], list[Notice]]:
    """Return the units of a stream's groups, and what had to be assumed."""
    said: dict[str, str] = {}
    assumed: list[Notice] = []
    for group in groups_of(part):
        if group.role in ("orientation", "position"):
            continue
        unit = found.units.get(group.name)
        if unit is None:
            if group.unit and group.name not in ("geodetic", "temperature"):
                message = (
                    f"no unit is named for {group.name}: taken as {group.unit}; units={{...}} says otherwise"
                )
                assumed.append(Notice("assumed-unit", message))
        elif unit not in UNITS:
            raise DataError(
                f"unit {unit!r} of {group.name} is not known",
                path=path,
                place=place,
                advice=f"known: {', '.join(UNITS)}",
            )
        elif unit != group.unit:
            said[group.name] = unit
    return said, assumed
