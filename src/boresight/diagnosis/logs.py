"""The way in for logs: which stream is the attitude, which are its sensors, and what the format says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.conventions import Convention
from boresight.diagnosis.advice import leave_out
from boresight.diagnosis.arrays import Stream as Timed
from boresight.diagnosis.arrays import recorded
from boresight.diagnosis.clock import seconds
from boresight.diagnosis.model import CALLER, Claim, ClaimName, Claims, Diagnosis
from boresight.diagnosis.outcome import SAME_FRAME, UPRIGHT
from boresight.diagnosis.second_streams import second_claim, second_of, second_orientation
from boresight.diagnosis.twins import Direction, Order, up_axis
from boresight.diagnosis.verdict import diagnose_recorded
from boresight.errors import DataError
from boresight.logs.model import TIME, Log, Stream
from boresight.logs.registry import read

__all__ = ["diagnose"]

ONE_DEVICE = ("ulog", "carla")
"""Formats in which attitude, inertial sensors and velocities are of one body and one world."""

ONE_MESSAGE = (*ONE_DEVICE, "mcap")
"""Formats of which attitude and velocity in one message are in one world; columns of one table need not be."""

_GROUPS = {
    "gyro": "angular_rate",
    "accel": "specific_force",
    "mag": "magnetic_field",
    "velocity": "velocity",
    "position": "position",
}
"""Which columns of a stream each kind of evidence is."""


def diagnose(
    log: Log | str | PathLike[str],
    *,
    stream: str | None = None,
    from_: str | Convention | None = None,
    order: Order | None = None,
    same_frame: bool = False,
    upright: bool = False,
    any_hand: bool = False,
    sensors: Log | str | PathLike[str] | None = None,
    second: str | None = None,
    **options: Any,
) -> Diagnosis:
    """Tell which reading of a log's orientations the rest of the log supports, beside what its format declares.

    Parameters
    ----------
    log : Log or path
        A log, or the file to read.
    stream : str, optional
        The stream whose orientations are meant; the log's own attitude unless given.
    from_ : str or Convention, optional
        What the numbers are claimed to be in, instead of the format's own; of a log that has been read, who said so.
    order : {"xyzw", "wxyz"}, optional
        The order of the stored quaternions, instead of the format's.
    same_frame, upright, any_hand : bool
        See `diagnose_arrays`.
    sensors : Log or path, optional
        Another log of the same recording, on the same clock, whose gyro, accelerometer and so on are taken instead.
    second : str, optional
        Another stream of orientations, which is what the file says it is: then the first follows, where the two are one
        attitude. Without it the two are compared all the same; only where the file says something else of the second
        record than of the first, and both agree with what it says, does anything rest on it.
    **options
        For the reader of the format.

    Returns
    -------
    Diagnosis

    Raises
    ------
    DataError
        If the file cannot be read or has no orientations.
    """
    if not isinstance(log, Log):
        log = read(fspath(log), from_=from_, **options)
    attitude = _attitude(log, stream)
    if sensors is not None and not isinstance(sensors, Log):
        sensors = read(fspath(sensors), from_=from_)
    beside = sensors

    def looked(
        at: Log,
        order: Order | None,
        same_frame: bool = same_frame,
        upright: bool = upright,
        twins: bool = False,
    ) -> Diagnosis:
        own = at[attitude.name]
        said = f"--from {own.convention.id}" if from_ is not None else ""
        return _diagnosed(at, own, beside, order, same_frame, upright, any_hand, second, said, twins)

    found = looked(log, order)
    if found.verdict != "contradicted":
        return found
    from boresight.diagnosis.fix import as_declared, find_fix

    refuted = {claim.name: claim for claim in found.refuted if claim.says == CALLER}
    words: dict[ClaimName, str] = {
        "order": f"the order of the quaternion is {order}, says {CALLER}",
        "same_frame": f"{SAME_FRAME}, says {CALLER}",
        "upright": UPRIGHT,
    }
    without: dict[ClaimName, Callable[[], Diagnosis]] = {}
    if order not in (None, _order(attitude)):
        without["order"] = lambda: looked(log, None)
    if same_frame and refuted:
        without["same_frame"] = lambda: looked(log, order, same_frame=False)
    if upright and refuted:
        without["upright"] = lambda: looked(log, order, upright=False)
    for name, look in without.items():
        other = look()
        if other.verdict == "consistent" and (name != "order" or as_declared(other, attitude)):
            # The file is right, and no repair of it is named that would spoil it.
            file = "the file says" if log.format != "csv" else f"{attitude.convention.id} has it"
            said = leave_out(name, other, order=order if name == "order" else None, file=file)
            own = refuted.get(name) or Claim(name, CALLER, words[name])
            return replace(
                other,
                verdict="contradicted",
                declared=found.declared,
                refuted=(own,),
                advice=(said, *other.advice),
            )
    if refuted or log.path is None:
        return found
    fix = find_fix(log, attitude, found, lambda repaired: looked(repaired, None), order=order)
    if fix is None:
        return found
    advised = fix.advice(found)
    if found["order"].decided and fix.correction.order not in (None, found["order"].answer):
        # The order that was claimed is what the repair gives up, so that no part may rest on it.
        free = looked(log, None, twins=True)
        found = replace(found, best=free.best, parts=free.parts, systems=free.systems)
    return replace(found, fix=fix.command(log.path, log, attitude), advice=advised)


def _diagnosed(
    log: Log,
    attitude: Stream,
    sensors: Log | None,
    order: Order | None,
    same_frame: bool,
    upright: bool,
    any_hand: bool,
    second: str | None,
    said: str,
    twins: bool,
) -> Diagnosis:
    """Diagnose with what the format claims, or who `said` another; of both twins, with no order claimed at all."""
    convention = attitude.convention
    clock = _clock()
    names = {"attitude": attitude.name}

    def take(name: str, chosen: Stream | None) -> Timed | None:
        if chosen is None:
            return None
        names[name] = chosen.name
        return clock(chosen), chosen.array(_GROUPS[name])

    sources = {name: _sensor(log, attitude, _GROUPS[name], sensors) for name in ("gyro", "accel", "mag")}
    sources |= {name: _motion(log, attitude, _GROUPS[name], sensors) for name in ("velocity", "position")}
    streams = {name: take(name, source) for name, source in sources.items()}
    own_gyro, own_velocity = sources["gyro"] is attitude, sources["velocity"] is attitude
    gyro_unit, accel_unit = (
        None if (source := sources[name]) is None else source.unit(_GROUPS[name])
        for name in ("gyro", "accel")
    )
    beside = second_orientation(log, attitude, second)
    one = log.format in ONE_DEVICE and sensors is None
    claims = Claims(
        order=None if twins else order or _order(attitude),
        order_from=CALLER if order is not None else said or f"the file ({convention.id})",
        direction=_direction(convention),
        same_frame=same_frame or own_gyro or one,
        same_frame_from=CALLER if same_frame else f"the file ({log.format or convention.id})",
        same_world=own_velocity or one,
        same_world_from=said or f"the file ({log.format or convention.id})",
        same_world_decides=one or log.format in ONE_MESSAGE,
        upright=upright,
        any_hand=any_hand,
        gyro_unit=gyro_unit,
        accel_unit=accel_unit,
        world_up=up_axis(convention.world.letters),
        convention=convention.id,
        second=None if beside is None else second_claim(attitude, *beside, trusted=second is not None),
    )
    form, values, euler = _orientations(attitude)
    other = None if beside is None else second_of(*beside, clock(beside[0]))
    given = recorded(clock(attitude), **{form: values}, streams=streams, second=other, **euler)
    if beside is not None:
        names["second"] = beside[0].name
    found = diagnose_recorded(given, claims, source="" if log.path is None else str(log.path))
    return replace(found, streams=names)


Clock = Callable[[Stream], NDArray[np.float64]]


def _clock() -> Clock:
    """Return what gives a stream's times in seconds, once for all that stands in it."""
    known: dict[int, NDArray[np.float64]] = {}

    def clock(stream: Stream) -> NDArray[np.float64]:
        if id(stream) not in known:
            # The column itself, since the stream would keep its own integers beside these.
            known[id(stream)] = seconds(stream.column(TIME), stream.num_rows, f"the times of {stream.name}")
        return known[id(stream)]

    return clock


def _attitude(log: Log, name: str | None) -> Stream:
    if name is not None:
        found = log[name]
        if not found.has_orientation:
            raise DataError("the stream has no orientation", path=log.path, place=f"stream {name}")
        return found
    for candidate in log.of_kind("orientation", "pose"):
        if candidate.num_rows and candidate.has_orientation:
            first = log.primary("pose", "orientation")
            return first if first is not None and first.has_orientation else candidate
    have = ", ".join(log.streams) or "none"
    raise DataError("the log has no orientations", path=log.path, advice=f"its streams are: {have}")


def _order(stream: Stream) -> Order | None:
    if not stream.has("orientation"):
        return None
    return stream.convention.order or "wxyz"


def _direction(convention: Convention) -> Direction:
    if not convention.transposes_quaternion:
        return convention.direction
    return "world_to_body" if convention.direction == "body_to_world" else "body_to_world"


def _orientations(stream: Stream) -> tuple[str, NDArray[Any], dict[str, Any]]:
    if stream.has("orientation"):
        return "quat", stream.quaternion(order=stream.convention.order or "wxyz"), {}
    if stream.has("matrix"):
        matrix = stream.array("matrix").reshape(-1, 3, 3)
        return "matrix", matrix.swapaxes(-1, -2) if stream.convention.matrix == "row_vectors" else matrix, {}
    euler = stream.convention.euler
    if euler is None:
        raise DataError("its convention has no Euler angles", place=f"stream {stream.name}")
    angles = stream.array("euler").astype(np.float64)
    places = [euler.arguments.index(name) for name in euler.names]
    signs = np.array([1.0 if sign == "+" else -1.0 for sign in euler.signs])
    return "euler", angles[:, places] * signs, {"sequence": euler.sequence, "degrees": euler.unit == "deg"}


def _sensor(log: Log, attitude: Stream, group: str, sensors: Log | None) -> Stream | None:
    """Choose the stream of a sensor: of its own file, or beside the attitude, or the attitude's own."""
    if sensors is not None:
        beside = next((s for s in sensors.streams.values() if s.num_rows and s.has(group)), None)
        if beside is not None:
            return beside
    candidates = [s for s in log.of_kind("imu", "magnetic_field") if s.num_rows and s.has(group)]
    if not attitude.has(group):
        return candidates[0] if candidates else None
    # Of both, the sensor's own stream is the finer one, but in a message with both they are one device.
    if not candidates or (attitude.kind == "orientation" and log.format != "ulog"):
        return attitude
    return candidates[0]


def _motion(log: Log, attitude: Stream, group: str, sensors: Log | None) -> Stream | None:
    beside = () if sensors is None else sensors.of_kind("velocity", "pose", "orientation")
    for candidate in (*beside, attitude, *log.of_kind("velocity", "pose")):
        if (
            candidate.num_rows
            and candidate.has(group)
            and candidate.convention.world == attitude.convention.world
        ):
            return candidate
    return None
