"""From the quantities of plain tables to a diagnosis: with nothing declared, or under a convention that is claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from boresight.cli.quantities import GROUP_OF, Quantity
from boresight.errors import DataError
from boresight.logs.columns import GROUPS, UNITS
from boresight.logs.kinds import kind_of
from boresight.logs.model import Log, Stream
from boresight.logs.readers.csv_names import split_name
from boresight.logs.tables import make_table

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.diagnosis import Diagnosis, Second, SecondClaim

__all__ = ["declared_log", "named", "of_quantities", "options_for", "streams_of", "with_suspicions"]

_FORMS = ("quat", "euler", "matrix")
_SENSORS = ("gyro", "accel", "velocity", "position", "mag")
_ANGLES = ("roll", "pitch", "yaw")
_TIME_UNITS = ("ns", "us", "ms", "s")


def of_quantities(
    quantities: Mapping[str, Quantity],
    beside: Log | None,
    claims: Mapping[str, Any],
    *,
    source: str,
    second: Second | None = None,
    second_claim: SecondClaim | None = None,
) -> Diagnosis:
    """Diagnose what nobody has declared anything about, but for the order that names of columns say."""
    from boresight.diagnosis.arrays import recorded
    from boresight.diagnosis.model import Claims
    from boresight.diagnosis.verdict import diagnose_recorded

    form = next(name for name in _FORMS if name in quantities)
    attitude = quantities[form]
    given: dict[str, Any] = {name: (q.time, q.values) for name, q in quantities.items() if name in _SENSORS}
    names = {"attitude" if name == form else name: _named(q) for name, q in quantities.items()}
    if second is not None:
        names["second"] = second.name
    units = {name: quantities[name].unit or None for name in ("gyro", "accel") if name in quantities}
    if beside is not None:
        for name in _SENSORS:
            group = GROUP_OF[name]
            stream = next((s for s in beside.streams.values() if s.num_rows and s.has(group)), None)
            if stream is not None:
                given[name] = (stream.time, stream.array(group))
                names[name] = stream.name
                if name in ("gyro", "accel"):
                    units[name] = stream.unit(group)
    values: Any = attitude.values
    angles: dict[str, Any] = {}
    if form == "euler":
        angles = {"degrees": attitude.unit == "deg", "sequence": "ZYX"}
        values = values[:, ::-1]  # yaw, pitch, roll
    elif form == "matrix":
        values = values.reshape(-1, 3, 3)
    order: Any = claims["order"] or (attitude.order or None)
    claimed = Claims(
        order=order if form == "quat" else None,
        order_from="the caller" if claims["order"] else "the line of names",
        same_frame=claims["same_frame"],
        upright=claims["upright"],
        any_hand=claims["any_hand"],
        gyro_unit=units.get("gyro"),
        accel_unit=units.get("accel"),
        second=second_claim,
    )
    arrays = recorded(attitude.time, streams=given, second=second, **{form: values}, **angles)
    return replace(diagnose_recorded(arrays, claimed, source=source), streams=names)


def named(found: Diagnosis, quantities: Mapping[str, Quantity], beside: Log | None) -> Diagnosis:
    """Name the columns of the table instead of the streams that were made of them."""
    own = {"attitude" if name in _FORMS else name: _named(q) for name, q in quantities.items()}
    others: set[str] = set() if beside is None else set(beside.streams)
    streams = {k: name if name in others else own.get(k, name) for k, name in found.streams.items()}
    return replace(found, streams=streams)


def _named(quantity: Quantity) -> str:
    return ",".join(quantity.names)


def with_suspicions(found: Diagnosis, quantities: Mapping[str, Quantity]) -> Diagnosis:
    """Add what is odd about a table: its rows are of several messages, or its times no clock, or in another unit."""
    from boresight.diagnosis.alignment import GYRO_UNITS

    found = replace(found, advice=(*found.advice, *_left_out(quantities)))
    attitude = next(q for name, q in quantities.items() if name in _FORMS)
    gyro = quantities.get("gyro")
    evidence = None if found.data is None else found.data.rates
    if gyro is None or evidence is None or gyro.table is not attitude.table:
        return found
    said: list[str] = []
    if likely := _likely_unit(attitude, gyro, evidence.scale):
        said.append(
            f"The attitude turns {evidence.scale * GYRO_UNITS[gyro.unit]:.3g} times as slowly as the gyro: "
            f"are the times {likely}, not {attitude.time_unit} (--time {attitude.time_name}:{likely})?"
        )
    offset = found["time_offset"]
    late = float(offset.answer) if offset.decided else 0.0
    if abs(late) > max(1.5 * found.faults["attitude"].period, 0.02):
        said.append(
            f"Attitude and gyro are columns of one table, and yet their clocks are {abs(late) * 1e3:.0f} ms apart: is the "
            f"unit of the times right ({attitude.time_unit}), or is one of them delayed or filtered?"
        )
    return replace(found, advice=(*said, *found.advice)) if said else found


def _left_out(quantities: Mapping[str, Quantity]) -> list[str]:
    """Say how many rows of each quantity are another message's."""
    said: list[str] = []
    for table in {id(q.table): q.table for q in quantities.values() if q.empty}.values():
        own = {name: q for name, q in quantities.items() if q.table is table}
        counts = [f"{q.empty} of --{name}" for name, q in own.items() if q.empty]
        rows = next(q.empty + len(q.time) for q in own.values())
        said.append(
            f"The {rows} rows of {table.path.name} are of different messages: those in which the columns are empty are "
            f"left out, {', '.join(counts)}."
        )
    return said


def _likely_unit(attitude: Quantity, gyro: Quantity, scale: float) -> str:
    """Name the unit of the times under which the gyro would be in its own; empty where that is the one that is said."""
    from boresight.diagnosis.alignment import GYRO_UNITS

    if attitude.time_unit not in _TIME_UNITS or gyro.unit not in GYRO_UNITS:
        return ""
    at = _TIME_UNITS.index(attitude.time_unit)
    steps = float(np.log10(max(scale, 1e-300) * GYRO_UNITS[gyro.unit])) / 3.0
    place = at - round(steps)
    close = abs(steps - round(steps)) < 0.05
    return _TIME_UNITS[place] if place != at and close and 0 <= place < len(_TIME_UNITS) else ""


def with_found_units(
    quantities: Mapping[str, Quantity], claims: Mapping[str, Any]
) -> tuple[dict[str, Quantity], tuple[str, ...]]:
    """Take the units that nobody has said from the numbers, since a convention does not claim them of a plain table."""
    known = dict(quantities)
    unsaid = [name for name in ("gyro", "accel") if name in known and not known[name].unit]
    if not unsaid:
        return known, ()
    parts = of_quantities(quantities, None, claims, source="").parts
    notes: list[str] = []
    for name in unsaid:
        part = parts["gyro_unit" if name == "gyro" else "accel"]
        unit = part.answer["unit"] if part.decided and name == "accel" else part.answer
        if part.decided and unit in UNITS:
            known[name] = replace(known[name], unit=unit)
            notes.append(
                f"The unit of --{name} was not said, and is found: {','.join(known[name].names)}:{unit}."
            )
    return known, tuple(notes)


def declared_log(
    quantities: Mapping[str, Quantity], convention: Convention, path: Path
) -> tuple[Log, Log | None]:
    """Make logs of tables whose numbers are claimed to be in a convention: of the file's own, and of the sensors'."""
    own = {name: q for name, q in quantities.items() if q.table.path == path}
    others = {name: q for name, q in quantities.items() if q.table.path != path}
    log = Log(streams_of(own, convention, path.stem), path, "csv")
    return log, Log(streams_of(others, convention), None, "csv") if others else None


def streams_of(
    quantities: Mapping[str, Quantity], convention: Convention, stem: str = "sensors"
) -> dict[str, Stream]:
    """Make a stream of the attitude with its positions and velocities, and one of each sensor."""
    streams: dict[str, Stream] = {}
    parts = {"": (*_FORMS, "position", "velocity"), "_imu": ("gyro", "accel"), "_magnetic_field": ("mag",)}
    for suffix, names in parts.items():
        present = [name for name in names if name in quantities]
        columns: dict[str, Any] = {}
        units: dict[str, str] = {}
        for name in present:
            group = GROUP_OF[name]
            values, unit = _as_declared(name, quantities[name], convention)
            wanted = _columns(name, quantities[name], convention)
            columns |= {column: np.ascontiguousarray(values[:, i]) for i, column in enumerate(wanted)}
            if unit and unit != GROUPS[group].unit and GROUPS[group].unit:
                units[group] = unit
        kind = kind_of(columns)
        if kind is not None:
            table: pa.Table = make_table(quantities[present[0]].time, columns)
            name = stem + suffix
            streams[name] = Stream(name, kind, convention, convention.default_thing, table, units)
    return streams


def _columns(name: str, quantity: Quantity, convention: Convention) -> tuple[str, ...]:
    if name != "quat":
        return GROUPS[GROUP_OF[name]].columns
    return tuple("q" + letter for letter in quantity.order or convention.order or "wxyz")


def _as_declared(name: str, quantity: Quantity, convention: Convention) -> tuple[Any, str]:
    """Return numbers as a stream of the convention has them, and their unit."""
    values, unit = quantity.values, quantity.unit
    if name == "euler":
        euler = convention.euler
        if euler is None or set(euler.arguments) != set(_ANGLES):
            raise DataError(
                f"convention {convention.id} has no angles roll, pitch and yaw",
                path=quantity.table.path,
                advice="leave out --from: what is found then names the systems that fit",
            )
        values = values[:, [_ANGLES.index(angle) for angle in euler.arguments]]
        if unit != euler.unit:
            values = np.degrees(values) if unit == "rad" else np.radians(values)
        return values, euler.unit
    if name in ("velocity", "position"):
        return values, ""
    return values, unit if unit in UNITS else ""


def options_for(quantities: Mapping[str, Quantity], convention: Convention, path: Path) -> list[str] | None:
    """Write the options with which `boresight convert` reads the table's own columns; None where it cannot."""
    own = {name: q for name, q in quantities.items() if q.table.path == path}
    first = next(iter(own.values()))
    table = first.table
    simple = table.text is not None and table.separator != " " and table.names and not table.units
    if not simple or first.time_unit.lower().endswith("hz"):
        return None
    angles = own.get("euler")
    # Angles of the usual names are read in whichever unit; others only in the convention's own.
    usual = angles is not None and tuple(split_name(n).words for n in angles.names) == _ANGLES
    if angles is not None and not usual:
        euler = convention.euler
        if euler is None or angles.unit != euler.unit or len(angles.names) < len(_ANGLES):
            return None
    options = [f"columns.time={first.time_name}", f"time_unit={first.time_unit}"]
    for name, quantity in own.items():
        names = quantity.names
        if name == "euler" and usual:
            options.append(f"units.euler={quantity.unit}")
            continue
        if name == "euler" and convention.euler is not None:
            names = tuple(names[_ANGLES.index(angle)] for angle in convention.euler.arguments)
        for column, there in zip(_columns(name, quantity, convention), names, strict=False):
            options.append(f"columns.{column}={there}")
        group = GROUP_OF[name]
        if quantity.unit and quantity.unit in UNITS and GROUPS[group].unit:
            options.append(f"units.{group}={quantity.unit}")
    words: list[str] = []
    for option in options:
        words += ["--option", option]
    return words
