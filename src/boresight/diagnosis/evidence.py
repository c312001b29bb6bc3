"""Everything that a log says, gathered once and under no claim of anybody: what a verdict is then drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.clock import Faults, Track, tracks_of
from boresight.diagnosis.gravity import AccelEvidence, accel_evidence
from boresight.diagnosis.grid import Grid, means, turn_rates
from boresight.diagnosis.gyro import RateEvidence, grid_of, rate_evidence
from boresight.diagnosis.headings import speeds
from boresight.diagnosis.motion import MotionEvidence, motion_evidence
from boresight.diagnosis.second import Agreement, Second, agreement
from boresight.diagnosis.survivors import best_of, contenders

__all__ = ["EARTH", "Evidence", "Note", "Recorded", "gather"]

Floats = NDArray[np.float64]

FITS = 0.9
"""Share of the gyro explained below which Euler angles are tried in other sequences."""
EARTH = 6.0e6
"""Metres: positions this far from their origin are earth-centred."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The streams of a log as arrays: times in seconds, one each, and rows.

    Attributes
    ----------
    attitude : (times, numbers)
        As they are stored, (n, 4), (n, 3) or (n, 9).
    decode : callable
        Makes unit quaternions (x, y, z, w) of stored numbers read as body to world; of quaternions, as if w came first.
    others : mapping of name to (times, values)
        ``gyro``, ``accel``, ``velocity``, ``position``, ``mag``.
    form : str
        ``"quat"``, ``"euler"`` or ``"matrix"``.
    others_decode : mapping of name to callable
        Of Euler angles, the other sequences and the other unit, each tried only where what is said does not fit.
    second : Second or None
        Another record of the orientation.
    """

    attitude: tuple[Floats, NDArray[Any]]
    decode: Callable[[NDArray[Any]], Floats]
    others: dict[str, tuple[Floats, NDArray[Any]]]
    form: str = "quat"
    others_decode: Mapping[str, Callable[[NDArray[Any]], Floats]] = field(
        default_factory=dict[str, Callable[[NDArray[Any]], Floats]]
    )
    second: Second | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What became of one kind of evidence: whether it was used, on how many samples, how well it fits, or why not."""

    used: bool
    samples: int = 0
    score: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a log says.

    Attributes
    ----------
    form : str
        As in `Recorded`.
    faults : dict of str to Faults
        By stream.
    grid : Grid or None
    rates : RateEvidence or None
    motion : MotionEvidence or None
    accel : AccelEvidence or None
    force, magnetic, velocity : ndarray, shape (n, 3), or None
        Means over the grid's steps: specific force in m/s² (or its own unit where that is unknown), magnetic field,
        velocity in the world.
    radial : ndarray, shape (3,), or None
        Direction from the earth's centre, where positions are earth-centred.
    start : float
        Time of the first attitude, seconds, in the log's own clock.
    sequence : str or None
        Of Euler angles that do not fit as they are said to be, but in another sequence or unit: which.
    notes : dict of str to Note
        By kind of evidence.
    second : Agreement or None
        With another record of the orientation.
    """

    form: str
    faults: dict[str, Faults]
    grid: Grid | None = None
    rates: RateEvidence | None = None
    motion: MotionEvidence | None = None
    accel: AccelEvidence | None = None
    force: Floats | None = None
    magnetic: Floats | None = None
    velocity: Floats | None = None
    radial: Floats | None = None
    start: float = 0.0
    sequence: str | None = None
    notes: dict[str, Note] = field(default_factory=dict[str, Note])
    second: Agreement | None = None


def gather(recorded: Recorded) -> Evidence:
    """Lay every stream beside the attitude."""
    streams: list[tuple[str, Floats, NDArray[Any]]] = [("attitude", *recorded.attitude)]
    streams += [(name, *stream) for name, stream in recorded.others.items()]
    tracks = tracks_of(streams, recorded.decode, quaternion=recorded.form == "quat")
    faults = {name: track.faults for name, track in tracks.items()}
    start = float(recorded.attitude[0][0]) if len(recorded.attitude[0]) else 0.0
    notes: dict[str, Note] = {}
    attitude = tracks["attitude"]
    if len(attitude) < 8:
        notes["attitude"] = Note(False, len(attitude), why="fewer than eight usable rows")
        return Evidence(recorded.form, faults, start=start, notes=notes)
    notes["attitude"] = Note(True, len(attitude))
    second = _second(recorded)
    notes["second"] = _second_note(recorded, second)

    def use(name: str) -> Track | None:
        track = tracks.get(name)
        if track is None:
            notes[name] = Note(False, why="not in the log")
        elif len(track) < 8:
            notes[name] = Note(False, len(track), why="fewer than eight usable rows")
            return None
        elif track.start > attitude.end or track.end < attitude.start:
            notes[name] = Note(False, len(track), why="its times do not meet those of the attitude")
            return None
        return track

    gyro = use("gyro")
    points = grid_of(attitude, gyro)
    rates = None if gyro is None else rate_evidence(attitude, gyro, points)
    sequence = None
    if rates is not None and gyro is not None and rates.explained < FITS and recorded.others_decode:
        rates, attitude, sequence = _other_sequence(recorded, rates, attitude, gyro, points)
    if rates is not None:
        best = max(fit.r2 for fit in rates.fits.values())
        notes["gyro"] = Note(True, len(rates.index), best)
    elif gyro is not None:
        notes["gyro"] = Note(False, len(gyro), why="shares too little time with the attitude")
    grid = rates.grid if rates is not None else (turn_rates(attitude, points) if len(points) > 8 else None)
    if grid is None:
        return Evidence(recorded.form, faults, start=start, notes=notes, second=second)
    late = 0.0 if rates is None else rates.offset.seconds
    accel, force = None, None
    if (track := use("accel")) is not None:
        force = means(track, points, late)
        accel = accel_evidence(force, grid.rate)
        if accel is not None:
            force *= accel.scale
            notes["accel"] = Note(True, accel.samples)
        else:
            notes["accel"] = Note(False, len(track), why="shares too little time with the attitude")
    field_ = None
    if (track := use("mag")) is not None:
        field_ = means(track, points, late)
        notes["mag"] = Note(True, int(np.count_nonzero(np.isfinite(field_[:, 0]))))
    motion, velocity, radial = None, None, None
    position = use("position")
    if position is not None:
        notes["position"] = Note(True, len(position))
        middle = np.median(position.take(slice(0, 1000)), axis=0)
        if np.linalg.norm(middle) > EARTH:
            radial = middle / np.linalg.norm(middle)
    moving = use("velocity")
    if moving is not None:
        notes["velocity"] = Note(True, len(moving))
        velocity = means(moving, points)
        if rates is not None and force is not None and accel is not None:
            motion = motion_evidence(
                grid, force, {key: rates.mount(key) for key in contenders(rates.fits, rates.blocks)}, moving
            )
        if motion is not None:
            notes["velocity"] = Note(True, len(motion.index), max(fit.r2 for fit in motion.fits.values()))
    elif position is not None:
        velocity = speeds(position, points)
    return Evidence(
        recorded.form,
        faults,
        grid,
        rates,
        motion,
        accel,
        force,
        field_,
        velocity,
        radial,
        start,
        sequence,
        notes,
        second,
    )


def _second(recorded: Recorded) -> Agreement | None:
    if recorded.second is None:
        return None
    own = Second("attitude", *recorded.attitude, recorded.decode, recorded.others_decode)
    return agreement(own, recorded.second)


def _second_note(recorded: Recorded, found: Agreement | None) -> Note:
    if recorded.second is None:
        return Note(False, why="not in the log")
    if found is None:
        return Note(False, len(recorded.second.time), why="shares too little time with the attitude")
    return Note(found.exact, found.samples, round(found.median, 6), found.in_words())


def _other_sequence(
    recorded: Recorded, rates: RateEvidence, attitude: Track, gyro: Track, points: Floats
) -> tuple[RateEvidence, Track, str | None]:
    """Try the other sequences and the other unit of Euler angles that do not fit as they are said to be.

    The length of the rate is the same under every order, direction and choice of axes, but not under another sequence.
    A sequence read backwards is the inverse with one angle negated, relabelled: of the two, the plain one is named.
    """
    least, best, found, name = 1.0 - rates.explained, rates, attitude, None
    for other, decode in recorded.others_decode.items():
        track = replace(attitude, decode=decode)
        tried = rate_evidence(track, gyro, points)
        if tried is None or tried.explained < FITS:
            continue
        half = best_of(tried.fits, tried.fits)[0].half is not None
        left = (1.0 - tried.explained) * (3.0 if half else 1.0)
        if left < 0.3 * (1.0 - rates.explained) and left < least:
            least, best, found, name = left, tried, track, other
    return best, found, name
