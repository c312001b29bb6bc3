"""The repair of a contradicted log: found by algebra, tried on the log itself, and only then written as a command.

What a reading makes of the rest of the log (M, u and N of `twins`) says how axes have to be relabelled. Of the repairs that
follow, the one that states least is tried first, and none is named that the diagnosis of the repaired log does not
bear out.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boresight import conventions
from boresight.axes import Axes
from boresight.diagnosis.model import Diagnosis, Reading
from boresight.diagnosis.twins import (
    Order,
    axes_name,
    letters_of,
    parse_axes,
    sense_of,
    turns_of,
    twin_turns,
    up_axis,
)
from boresight.errors import BoresightError
from boresight.logs.convert import convert_log
from boresight.logs.correction import Correction, corrected
from boresight.logs.model import Log, Stream

__all__ = ["Fix", "as_declared", "find_fix"]

Floats = NDArray[np.float64]

_SAME = "+x+y+z"
_SEQUENCES = ("ZYX", "XYZ", "ZXY", "YXZ", "XZY", "YZX")
_SYSTEMS = ("px4", "ros", "carla", "airsim", "unreal", "unity", "opencv", "opengl")
_TRIES = 10


@dataclass(frozen=True, slots=True)
class Fix:
    """What to do with a log.

    Attributes
    ----------
    correction : Correction
        What its numbers really are.
    from_ : str or None
        The system that the whole log is really in, which is then converted to the declared one.
    trusts : tuple of str
        What the repair takes on trust because the log cannot tell, for people.
    left : tuple of str
        What there is to say of the repaired log.
    """

    correction: Correction
    from_: str | None = None
    trusts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How much it states."""
        c = self.correction
        parts = (c.order, c.direction, c.negated, c.body, c.world, self.from_)
        return sum(part is not None for part in parts) + len(c.units)

    @property
    def rank(self) -> tuple[int, int]:
        """How much it states, and of as much, how much of axes: order and direction are the likelier mistakes."""
        return self.size, sum(part is not None for part in (self.correction.body, self.correction.world))

    @property
    def of_axes(self) -> bool:
        """Whether it says of which axes the attitude is, or that one angle was negated, which may be about any axis."""
        c = self.correction
        return any(part is not None for part in (c.body, c.world, c.negated, self.from_))

    def apply(self, log: Log, stream: Stream) -> Log:
        """Return the repaired log."""
        if self.from_ is not None:
            system = conventions.get(self.from_)
            streams = {
                name: item.replace(convention=system, thing=system.default_thing)
                for name, item in log.streams.items()
            }
            log = convert_log(replace(log, streams=streams), stream.convention)
        if not self.correction:
            return log
        return corrected(log, self.correction, of=stream.name)

    def advice(self, diagnosis: Diagnosis) -> tuple[str, ...]:
        """Say what the repair rests on, and, where another order explains everything, say that instead."""
        given, declared, made = diagnosis.advice, diagnosis.declared.get("order"), self.correction
        if made.order not in (None, declared):
            # What the diagnosis says of axes it says under the declared order; under this one there is less to say.
            axes = made.body is made.world is None
            given = (
                f"The quaternions are stored {made.order}, not {declared}{': then all axes are as declared' if axes else ''}.",
            )
            if made.direction is not None:
                said = str(diagnosis.declared.get("direction")).replace("_", " ")
                given += (f"The attitude is stored {made.direction.replace('_', ' ')}, not {said}.",)
            if made.negated is not None:
                given += ("One Euler angle was negated and the others were not.",)
            for group, name in (("angular_rate", "gyro"), ("specific_force", "accel")):
                if group in made.units:
                    said = diagnosis.declared.get(f"{name}_unit")
                    sensor = "accelerometer" if name == "accel" else name
                    given += (f"The {sensor} is in {made.units[group]}, not {said}.",)
            given += self.left
        return (*given, *(f"The repair takes on trust {said}." for said in self.trusts))

    def command(self, path: Path, log: Log, stream: Stream) -> str:
        """Write it as a command."""
        words = ["boresight", "convert", str(path), "-o", str(output_for(path, log))]
        if self.from_ is not None:
            words += ["--from", self.from_, "--to", stream.convention.id]
        return shlex.join([*words, *_options(self.correction, log, stream)])


def output_for(path: Path, log: Log) -> Path:
    """Name a file beside the log for the repaired one: of its own format where that holds every stream, else Parquet."""
    one = ("tum", "euroc", "kitti", "csv")
    keeps = log.format in ("mcap", "parquet") or (log.format in one and len(log.streams) == 1)
    return path.with_name(f"{path.stem}.fixed{path.suffix if keeps else '.parquet'}")


def _options(correction: Correction, log: Log, stream: Stream) -> Iterator[str]:
    if correction.order is not None:
        yield from ("--order", correction.order)
    if correction.direction is not None:
        yield from ("--direction", correction.direction)
    if correction.negated is not None:
        yield from ("--negated", correction.negated)
    if correction.body is not None or correction.world is not None:
        yield from ("--attitude-axes", f"{correction.body or ''}/{correction.world or ''}")
    for group, unit in correction.units.items():
        yield from ("--unit", f"{group}={unit}")
    if correction.of_orientation and sum(s.has_orientation for s in log.streams.values()) > 1:
        yield from ("--of", stream.name)


# -- the search ----------------------------------------------------------------------------------------------------


def find_fix(
    log: Log,
    stream: Stream,
    diagnosis: Diagnosis,
    again: Callable[[Log], Diagnosis],
    *,
    order: Order | None = None,
) -> Fix | None:
    """Find what repairs a contradicted log.

    Parameters
    ----------
    log : Log
        The log.
    stream : Stream
        The stream of it whose orientations were diagnosed.
    diagnosis : Diagnosis
        Of the log.
    again : callable
        Diagnoses a log under the same claims.
    order : {"xyzw", "wxyz"}, optional
        The order that the caller knows the stored quaternions are in, which every repair then respects.

    Returns
    -------
    Fix or None
        One under which the repaired log is consistent, or at the least contradicts nothing any more.
    """
    waiting = sorted(_candidates(stream, diagnosis, order), key=lambda fix: fix.rank)
    tried: list[Fix] = []
    agreeing: Fix | None = None
    while waiting and len(tried) < _TRIES:
        fix = waiting.pop(0)
        if fix in tried or not fix.size:
            continue
        tried.append(fix)
        found = _tried(log, stream, fix, again)
        if found is None:
            continue
        if fix.of_axes and not found["position_axes"].decided:
            continue  # where up is does not tell where north is, so that the heading may be anything
        fix = replace(fix, left=found.advice)
        if found.verdict == "consistent" and as_declared(found, stream):
            return fix
        if fix.correction.negated is not None and fix.correction.body is fix.correction.world is None:
            # An angle negated about another axis is the same but for axes, which only show once it is undone. One that
            # needs no other axes states less, and comes first.
            waiting = sorted(
                [*_then_relabelled(stream, found, fix.correction), *waiting], key=lambda fix: fix.rank
            )
        if fix.of_axes:
            continue  # named only where all axes are then as declared
        if found.verdict == "consistent" or (
            found.verdict != "contradicted" and not fix.correction.of_orientation
        ):
            agreeing = agreeing or fix
    return agreeing


def _then_relabelled(stream: Stream, found: Diagnosis, correction: Correction) -> Iterator[Fix]:
    for reading in found.best:
        if reading.half_converted == "none" and reading.direction == found.declared.get("direction"):
            for fix in _relabelled(stream, reading, correction):
                if fix.correction != correction:
                    yield fix


def _tried(log: Log, stream: Stream, fix: Fix, again: Callable[[Log], Diagnosis]) -> Diagnosis | None:
    try:
        return again(fix.apply(log, stream))
    except BoresightError:  # its axes do not fit what is declared
        return None


def as_declared(diagnosis: Diagnosis, stream: Stream) -> bool:
    """Whether every relabelling that was found is none, so that axes too are as declared."""
    for name, same in (("imu_axes", _SAME), ("position_axes", _SAME)):
        part = diagnosis[name]
        if part.decided and part.answer != same:
            return False
    up = diagnosis["body_up"]
    letters = stream.convention.thing_axes(stream.thing).letters
    return not (up.decided and up_axis(letters) not in (None, up.answer))


def _candidates(stream: Stream, diagnosis: Diagnosis, order: Order | None) -> Iterator[Fix]:
    units = _units(diagnosis)
    if units:
        yield Fix(Correction(units=units))
    for reading in _readings(stream, diagnosis):
        if order is not None and reading.order not in (None, order):
            continue
        plain = _stated(stream, diagnosis, reading, units)
        if reading.half_converted != "none":
            for sequence in _SEQUENCES:
                yield Fix(replace(plain, negated=sequence))
            continue
        yield Fix(plain)
        yield from _relabelled(stream, reading, plain)
        yield from _as_a_whole(stream, diagnosis, reading, plain)


def _units(diagnosis: Diagnosis) -> dict[str, str]:
    """The units that are not as declared."""
    units: dict[str, str] = {}
    gyro, accel = diagnosis["gyro_unit"], diagnosis["accel"]
    declared = diagnosis.declared
    if gyro.decided and declared.get("gyro_unit") not in (None, gyro.answer):
        units["angular_rate"] = gyro.answer
    if (
        accel.decided
        and accel.answer["unit"]
        and declared.get("accel_unit") not in (None, accel.answer["unit"])
    ):
        units["specific_force"] = accel.answer["unit"]
    return units


def _readings(stream: Stream, diagnosis: Diagnosis) -> Iterator[Reading]:
    """The readings that are left, and their twins: the claim that excluded a twin may be what is wrong."""
    seen: set[tuple[str | None, str, str]] = set()
    for reading in diagnosis.best:
        for one in (reading, *_twin(reading)):
            key = (one.order, one.direction, one.half_converted)
            if key not in seen:
                seen.add(key)
                yield one
    if not diagnosis.best:
        order = (stream.convention.order or "wxyz") if stream.has("orientation") else None
        yield Reading(order, "body_to_world", sense_of(order or "wxyz", "body_to_world"), "none")


def _twin(reading: Reading) -> Iterator[Reading]:
    if reading.order is None:
        return
    own = turns_of(reading.order, reading.direction)
    other = next(turns for turns in twin_turns(reading.sense) if turns.order != own.order)
    body, world = other.body @ own.body.T, other.world @ own.world.T
    up, axes, place = reading.world_up, reading.imu_axes, reading.position_axes
    yield replace(
        reading,
        order=other.order,
        direction=other.direction,
        imu_axes=None if axes is None else axes_name(body @ parse_axes(axes)),
        mount=None,
        world_up=_axis_name(world @ _axis(up)) if isinstance(up, str) and up != "radial" else None,
        position_axes=None if place is None else axes_name(parse_axes(place) @ world.T),
    )


def _stated(stream: Stream, diagnosis: Diagnosis, reading: Reading, units: dict[str, str]) -> Correction:
    """Order and direction where they are not as declared."""
    convention = stream.convention
    declared_order = (convention.order or "wxyz") if stream.has("orientation") else None
    order = reading.order if reading.order != declared_order else None
    direction = reading.direction if reading.direction != diagnosis.declared.get("direction") else None
    return Correction(order=order, direction=direction, units=units)


def _relabelled(stream: Stream, reading: Reading, plain: Correction) -> Iterator[Fix]:
    """Axes of the record that are others than declared.

    Which of attitude and sensors is in other axes M alone does not tell. What is declared of the sensors is believed, and
    the attitude, which is what is judged, is what is repaired.
    """
    letters = stream.convention.thing_axes(stream.thing).letters
    body, trusts = None, ()
    if reading.imu_axes not in (None, _SAME) and len(letters) == 3:
        body = _letters(parse_axes(str(reading.imu_axes)), letters)
    if body is not None:
        said = f"that gyro and accelerometer are in {letters}"
        trusts = (
            f"{said}: the log tells that the attitude is in other axes, and not which of them is wrong",
        )
    world = _world(stream, reading)
    yield Fix(replace(plain, world=world))
    yield Fix(replace(plain, body=body, world=world), None, trusts)
    yield Fix(replace(plain, body=body), None, trusts)


def _of_accelerometer(stream: Stream, reading: Reading) -> bool:
    """Whether nothing but the accelerometer says that the world is another.

    One that gives gravity's direction has up opposite too, and that is less to be wrong than a world, or a whole log.
    """
    declared, up = up_axis(stream.convention.world.letters), reading.world_up
    opposite = declared is not None and isinstance(up, str) and up[1] == declared[1] and up != declared
    return opposite and reading.position_axes is None and reading.imu_axes in (None, _SAME)


def _world(stream: Stream, reading: Reading) -> Axes | None:
    """The letters of the record's world, by the velocities: where up is alone does not tell where north is."""
    if len(stream.convention.world.letters) != 3 or reading.position_axes in (None, _SAME):
        return None
    axes = parse_axes(str(reading.position_axes))
    return _letters(axes.T, stream.convention.position_world.letters)


def _as_a_whole(stream: Stream, diagnosis: Diagnosis, reading: Reading, plain: Correction) -> Iterator[Fix]:
    """Another system, of which the whole log is, sensors, positions and all."""
    declared, up = stream.convention, reading.world_up
    if (
        not isinstance(up, str)
        or up == up_axis(declared.world.letters)
        or reading.imu_axes not in (None, _SAME)
        or reading.position_axes not in (None, _SAME)  # of a whole log all would be in its own world
        or _of_accelerometer(stream, reading)
    ):
        return
    own = diagnosis["body_up"].answer
    if plain.order is not None and plain.order == diagnosis.declared.get("order"):
        return  # known to be in another order than the stream's, which reading it as another system's would lose
    rest = replace(plain, order=None) if stream.convention.order is not None else plain
    for name in dict.fromkeys((*_SYSTEMS, *diagnosis.systems)):
        system = conventions.get(name)
        if system.world.kind != declared.world.kind or system.direction != declared.direction:
            continue
        if up_axis(system.world.letters) != up or system.handedness != declared.handedness:
            continue
        if isinstance(own, str) and up_axis(system.thing_axes().letters) not in (None, own):
            continue
        said = f"that the log is {name}'s ({system.thing_axes()} in {system.world}): others have the same up"
        yield Fix(rest, name, (said,))
        return


# -- letters -------------------------------------------------------------------------------------------------------


def _letters(axes: Floats, known: str) -> Axes | None:
    """Name axes each of which is one of known ones, or its opposite; None where they mirror."""
    if np.linalg.det(axes) < 0:
        return None
    return Axes(letters_of(axes, known))


def _axis(name: str) -> Floats:
    return np.eye(3)["xyz".index(name[1])] * (-1.0 if name[0] == "-" else 1.0)


def _axis_name(vector: Floats) -> str:
    axis = int(np.argmax(np.abs(vector)))
    return ("-" if vector[axis] < 0 else "+") + "xyz"[axis]
