"""Which columns of which table are the attitude, the gyro and the rest, as options say it or names tell it.

An option names columns and may name their unit after a colon: ``--gyro gx,gy,gz:deg/s``, ``--time t:us``. Columns are
looked for in the log's own table first, then in the one of its sensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from boresight.cli.tables import Table
from boresight.errors import DataError
from boresight.logs.columns import GROUPS, TIME, UNITS
from boresight.logs.readers.csv_names import known_time_unit, known_unit, recognise, split_name

__all__ = ["GROUP_OF", "Quantity", "take"]

_WIDTHS: Mapping[str, int] = {
    "quat": 4,
    "euler": 3,
    "matrix": 9,
    "gyro": 3,
    "accel": 3,
    "velocity": 3,
    "position": 3,
    "mag": 3,
}
GROUP_OF: Mapping[str, str] = {
    "quat": "orientation",
    "euler": "euler",
    "matrix": "matrix",
    "gyro": "angular_rate",
    "accel": "specific_force",
    "velocity": "velocity",
    "position": "position",
    "mag": "magnetic_field",
}
_UNITS: Mapping[str, tuple[str, ...]] = {
    "time": ("s", "ms", "us", "ns", "50Hz"),
    "euler": ("deg", "rad"),
    "gyro": ("rad/s", "deg/s", "mrad/s"),
    "accel": ("m/s2", "g", "mg"),
    "velocity": ("m/s", "cm/s", "mm/s", "km/h", "kn"),
    "position": ("m", "cm", "mm"),
    "mag": ("T", "uT", "nT", "gauss", "mgauss"),
}
_ATTITUDE = ("quat", "euler", "matrix")
_SECONDS: Mapping[str, float] = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_SHORTEST, _LONGEST = 2e-5, 60.0
"""Seconds between rows; beyond these the unit of the times is wrong."""
_ALTERNATING = 0.1
"""Of a table, the part of the rows with some streams and not others from which on they are of different messages."""
_LEAST_STEPS, _LOOKED_AT = 20, 20_000


@dataclass(frozen=True)
class Quantity:
    """Columns of a table.

    Attributes
    ----------
    time : ndarray of int64
        Nanoseconds.
    values : ndarray, shape (n, k)
    unit : str
        As somebody said it; empty where nobody did.
    order : str
        Of a quaternion whose columns are named by their components, the order in which `values` has them.
    names : tuple of str
        Of its columns in the file.
    time_name, time_unit : str
        The column of its times, and their unit.
    empty : int
        How many rows of the table are left out, because they are another message's and these columns are empty.
    """

    time: NDArray[np.int64]
    values: NDArray[Any]
    unit: str
    order: str
    names: tuple[str, ...]
    time_name: str
    time_unit: str
    table: Table
    empty: int = 0


def take(tables: Sequence[Table], given: Mapping[str, str | None]) -> dict[str, Quantity]:
    """Read every quantity that is named, or whose columns have common names.

    Parameters
    ----------
    tables : sequence of Table
        The log, and its sensors where they are in another file.
    given : mapping of str to str or None
        The options' texts by name: ``time``, ``quat``, ``euler``, ...

    Raises
    ------
    typer.BadParameter
        An option does not fit the table; one line with what there is.
    DataError
        Something that is needed is in no table.
    """
    named = {name: text for name, text in given.items() if text is not None}
    forms = [name for name in _ATTITUDE if name in named]
    if len(forms) > 1:
        raise typer.BadParameter(f"give one of --{' and --'.join(forms)}", param_hint=f"--{forms[1]}")
    _check_time(tables, named.get("time"))
    found: dict[str, Quantity] = {}
    for name, width in _WIDTHS.items():
        text = named.get(name)
        if text is not None:
            table, indices, unit = _chosen(tables, name, text, width)
        elif name in _ATTITUDE and forms:
            continue
        else:
            guess = next((g for t in tables if (g := _recognised(t, name)) is not None), None)
            if guess is None:
                continue
            table, indices, unit = guess
        if name in _ATTITUDE and any(form in found for form in _ATTITUDE):
            continue
        found[name] = _quantity(table, name, indices, unit, given.get("time"))
    return _without_others_rows(found)


def _without_others_rows(found: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Leave out of each quantity the rows in which its columns are empty, in a table whose rows are of several messages.

    In a table of one message such a row is a fault of the log, and is left where it is to be told of.
    """
    left = dict(found)
    filled = {name: ~np.isnan(q.values).all(axis=1) for name, q in found.items()}
    for table in {id(q.table): q.table for q in found.values()}.values():
        names = [name for name, q in found.items() if q.table is table]
        count = np.sum([filled[name] for name in names], axis=0)
        if np.mean((count > 0) & (count < len(names))) < _ALTERNATING:
            continue
        for name in names:
            quantity, keep = found[name], filled[name]
            left[name] = replace(
                quantity,
                time=quantity.time[keep],
                values=quantity.values[keep],
                empty=int(np.count_nonzero(~keep)),
            )
    return left


def _check_time(tables: Sequence[Table], option: str | None) -> None:
    """Refuse a column of times that no table has."""
    if option is None or any(table.find(option) is not None for table in tables):
        return
    name, _ = _with_unit("time", option)
    if all(table.find(name.strip()) is None for table in tables):
        have = "; ".join(f"{table.path.name}: {table.listed()}" for table in tables)
        raise typer.BadParameter(f"there is no column {name!r}; {have}", param_hint="--time")


# -- which columns -------------------------------------------------------------------------------------------------


def _with_unit(option: str, text: str) -> tuple[str, str]:
    """Divide ``gx,gy,gz:deg/s`` into names and unit."""
    names, colon, said = text.rpartition(":")
    if not colon:
        return text, ""
    unit = _unit(option, said)
    if not unit and "/" in said and option in ("quat", "matrix"):
        return text, ""
    if not unit:
        known = _UNITS.get(option)
        have = f"known are {', '.join(known)}" if known else f"--{option} has none"
        raise typer.BadParameter(f"{said!r} is no unit of {option}; {have}", param_hint=f"--{option}")
    return names, unit


def _unit(option: str, said: str) -> str:
    if option == "time":
        rate = said.lower().removesuffix("hz").strip()
        if said.lower().endswith("hz"):
            return f"{rate}Hz" if _positive(rate) else ""
        return known_time_unit(said) or ""
    known = _UNITS.get(option, ())
    unit = known_unit(said) or said
    return unit if unit in known else ""


def _positive(text: str) -> bool:
    try:
        return 1e-6 < float(text) < 1e9
    except ValueError:
        return False


def _chosen(
    tables: Sequence[Table], option: str, text: str, width: int
) -> tuple[Table, list[int | None], str]:
    names, unit = _with_unit(option, text)
    parts = [part.strip() for part in names.split(",")]
    if len(parts) != width:
        raise typer.BadParameter(
            f"{text!r} names {len(parts)} columns, where {option} has {width}", param_hint=f"--{option}"
        )
    if all(part == "0" and all(table.find("0") is None for table in tables) for part in parts):
        raise typer.BadParameter(
            f"{text!r} names no column; 0 stands for a column of zeros beside others",
            param_hint=f"--{option}",
        )
    missing: list[str] = []
    for table in tables:
        # 0 stands for a column of zeros, as of the roll and pitch of a heading.
        places = [None if part == "0" and table.find("0") is None else table.find(part) for part in parts]
        missing = [p for p, place in zip(parts, places, strict=True) if place is None and p != "0"]
        if not missing and any(place is not None for place in places):
            return table, places, unit
    have = "; ".join(f"{table.path.name}: {table.listed()}" for table in tables)
    raise typer.BadParameter(f"there is no column {missing[0]!r}; {have}", param_hint=f"--{option}")


def _recognised(table: Table, name: str) -> tuple[Table, list[int | None], str] | None:
    """Find a quantity by the common names of its columns."""
    found = recognise(_bare(table.names))
    group = GROUPS[GROUP_OF[name]]
    if name == "euler":
        wanted = [found.angles.get(angle) for angle in ("roll", "pitch", "yaw")]
    elif name == "quat" and not all(column in found.columns for column in group.columns):
        wanted = list(found.numbered) or [None]
    elif name == "quat":
        wanted = sorted(found.columns[column] for column in group.columns)
    else:
        wanted = [found.columns.get(column) for column in group.columns]
    return None if any(index is None for index in wanted) else (table, list(wanted), "")


def _bare(names: Sequence[str]) -> tuple[str, ...]:
    """Names without their message (``ATTITUDE.roll``); of several messages with one field, the first has it."""
    seen: set[str] = set()
    out: list[str] = []
    for name in names:
        message, dot, rest = name.rpartition(".")
        field = rest if dot and message.isidentifier() and rest.isidentifier() and rest not in seen else name
        seen.add(field)
        out.append(field)
    return tuple(out)


# -- what they hold ------------------------------------------------------------------------------------------------


def _quantity(table: Table, name: str, places: list[int | None], unit: str, time: str | None) -> Quantity:
    when, times, time_unit = _time(table, time)
    indices = [place for place in places if place is not None]
    read = table.numbers(indices).astype(np.float64, copy=False)
    values = np.zeros((len(read), len(places)))
    values[:, [i for i, place in enumerate(places) if place is not None]] = read
    names = tuple(table.names[i] if table.names else str(i + 1) for i in indices)
    said = unit or next((u for i in indices if (u := _unit(name, table.unit(i)))), "")
    order = ""
    if name == "quat":
        order, values = _by_letters(names, values)
    if name in ("velocity", "position"):
        values *= UNITS[said]
    if name == "euler" and not said:
        raise DataError(
            f"the unit of the angles {', '.join(names)} is not said",
            path=table.path,
            advice=f"give --euler {','.join(names)}:deg, or :rad",
        )
    return Quantity(times, values, said, order, names, when, time_unit, table)


def _by_letters(names: Sequence[str], values: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """Return the order that the names of the columns say, and the columns with w first or last."""
    letters = "".join(_letter(name) for name in names)
    if sorted(letters) != list("wxyz"):
        return "", values
    order = letters if letters in ("xyzw", "wxyz") else "wxyz"
    return order, values[:, [letters.index(letter) for letter in order]]


def _letter(name: str) -> str:
    words = split_name(name).words.removesuffix("_element").split("_")
    last = words[-1]
    if last in ("scalar", "s", "real", "re"):
        return "w"
    return (
        last[-1]
        if last[-1:] in "wxyz" and (len(last) == 1 or last[:-1] in ("q", "quat", "quaternion", "rot"))
        else "?"
    )


def _time(table: Table, option: str | None) -> tuple[str, NDArray[np.int64], str]:
    index, unit = None, ""
    if option is not None:
        name, unit = (
            _with_unit("time", option) if ":" in option and table.find(option) is None else (option, "")
        )
        index = table.find(name.strip())
    if index is None:
        index = recognise(_bare(table.names)).columns.get(TIME)
        unit = ""
    if index is None:
        raise DataError(
            "there is no column of times", path=table.path, advice=f"{table.listed()}; give --time NAME:s"
        )
    name = table.names[index] if table.names else str(index + 1)
    unit = unit or table.time_unit(index) or ""
    if not unit:
        raise DataError(
            f"the unit of the times in {name!r} is not said",
            path=table.path,
            advice=f"give --time {name}:s, or :ms, :us, :ns, or of a counter the rate, as :50Hz",
        )
    times = table.times(index, unit)
    _check_steps(times, name, unit, table.path)
    return name, times, unit


def _check_steps(times: NDArray[np.int64], name: str, unit: str, path: Path) -> None:
    """Refuse times that no attitude is logged at: their unit is another."""
    steps = np.abs(np.diff(times[:_LOOKED_AT]))
    steps = steps[steps > 0]
    if len(steps) < _LEAST_STEPS or unit.lower().endswith("hz"):
        return
    step = float(np.median(steps)) * 1e-9
    if _SHORTEST <= step <= _LONGEST:
        return
    likely = [u for u in ("ns", "us", "ms", "s") if 5e-4 <= step / _SECONDS[unit] * _SECONDS[u] <= 2.0]
    # Of two that could be, a rate of 10 to 1000 Hz is the usual one.
    best = min(likely, key=lambda u: abs(np.log(step / _SECONDS[unit] * _SECONDS[u] / 0.01)), default="UNIT")
    raise DataError(
        f"read as {unit}, the times in {name!r} are {step:.3g} s apart, and no attitude is logged so "
        f"{'slowly' if step > _LONGEST else 'fast'}",
        path=path,
        advice=f"give their unit: --time {name}:{best}",
    )
