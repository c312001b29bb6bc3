"""Mutants of a recording with gyro: the same log as another system would have written it, with what is true of it.

Notation as in `boresight.diagnosis.twins`: M maps the sensors' axes to the record's body, u is up in the record's
world, N maps the record's world to that of the velocities. A mirrored attitude S R T is a rotation again; read as
right-handed, its mount and its up carry the two determinants as signs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from recordings import Recording
from scipy.spatial.transform import Rotation

from boresight.diagnosis.twins import SIGNED_PERMUTATIONS

Floats = NDArray[np.float64]

PROPER = SIGNED_PERMUTATIONS[np.linalg.det(SIGNED_PERMUTATIONS) > 0]
# Rows are where F, L, U of a body go, written in the axes that the name says.
BODIES = {
    "FLU": np.eye(3),
    "FRD": np.diag([1.0, -1.0, -1.0]),
    "RDF": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
    "RUB": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]),
    "FRU": np.diag([1.0, -1.0, 1.0]),
}
REWRITTEN = ("attitude", "attitude and IMU", "columns swapped")


@dataclass
class Truth:
    """What is true of a mutant."""

    order: str
    direction: str
    half: bool
    mount: Floats
    up: Floats | None
    place: Floats | None
    gyro_unit: str
    accel_unit: str
    late: float
    rewritten: str
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def sense(self) -> str:
        return "same" if (self.order == "wxyz") == (self.direction == "body_to_world") else "inverse"


def true_rotation(recording: Recording) -> Floats:
    """The attitude of a recording, body to world, as quaternions (x, y, z, w); NaN rows stay."""
    if recording.quat is not None:
        q = recording.quat[:, [1, 2, 3, 0]] if recording.order == "wxyz" else recording.quat.copy()
    elif recording.matrix is not None:
        q = Rotation.from_matrix(recording.matrix).as_quat()
    else:
        assert recording.euler is not None
        q = Rotation.from_euler(recording.sequence, recording.euler, degrees=recording.degrees).as_quat()
    if recording.direction == "world_to_body":
        q = q * (-1.0, -1.0, -1.0, 1.0)
    return np.asarray(q, dtype=np.float64)


def _negated(matrix: Floats, which: int) -> Floats:
    angles = Rotation.from_matrix(matrix).as_euler("ZYX")
    angles[:, which] *= -1.0
    return Rotation.from_euler("ZYX", angles).as_matrix()


def mutant(
    recording: Recording, rng: np.random.Generator, *, half: bool | None = None
) -> tuple[Recording, Truth]:
    """Rewrite a recording at random."""
    q = true_rotation(recording)
    bad = ~np.isfinite(q).all(axis=1) | (np.abs(q).sum(axis=1) == 0)
    q[bad] = (0.0, 0.0, 0.0, 1.0)
    matrix = Rotation.from_quat(q).as_matrix()
    mount = np.asarray(recording.imu, dtype=np.float64)
    up = None if recording.up is None else np.asarray(recording.up, dtype=np.float64)
    place = None if recording.place is None else np.asarray(recording.place, dtype=np.float64)
    rewritten = str(rng.choice(REWRITTEN))
    body_name = str(rng.choice(list(BODIES)))
    body = BODIES[body_name] @ BODIES[str(rng.choice(list(BODIES)[:4]))].T
    hand = round(float(np.linalg.det(body)))
    turn = int(rng.integers(24))
    world = PROPER[turn] * hand
    negate = rng.random() < 0.15 if half is None else half
    early = rng.random() < 0.5
    which = int(rng.integers(3))
    if negate and early:
        matrix = _negated(matrix, which)
    matrix = world @ matrix @ body.T
    if negate and not early:
        matrix = _negated(matrix, which)
    # The sensors: those of a mirrored system write an axial rate with the other sign.
    if rewritten == "attitude and IMU":
        polar, axial, sensor_hand = body, hand * body, hand
    elif rewritten == "columns swapped":
        columns = (
            rng.permutation(3)
            if rng.random() < 0.5
            else np.array([(1, 0, 2), (0, 2, 1), (2, 1, 0)][int(rng.integers(3))])
        )
        polar = np.eye(3)[columns]
        if np.linalg.det(polar) > 0:
            polar = np.diag([1.0, 1.0, -1.0])
        axial, sensor_hand = polar, 1
    else:
        polar = axial = np.eye(3)
        sensor_hand = 1
    mount = hand * body @ mount @ polar.T * sensor_hand
    if up is not None:
        up = hand * sensor_hand * world @ up
    if place is not None:
        place = hand * sensor_hand * place @ world.T

    direction = str(rng.choice(("body_to_world", "world_to_body")))
    order = str(rng.choice(("wxyz", "xyzw")))
    stored = Rotation.from_matrix(matrix).as_quat()
    if direction == "world_to_body":
        stored = stored * (-1.0, -1.0, -1.0, 1.0)
    if order == "wxyz":
        stored = stored[:, [3, 0, 1, 2]]
    flipped = rng.random() < 0.3
    if flipped:
        stored = stored * rng.choice((-1.0, 1.0), size=(len(stored), 1))
    stored[bad] = np.nan
    keep = np.ones(len(stored), dtype=bool)
    if rng.random() < 0.3:
        keep = rng.random(len(stored)) > 0.2
    late = float(rng.choice((0.0, 0.05, -0.05)))
    gyro_unit, accel_unit = recording.gyro_unit, recording.accel_unit
    rate, force = np.asarray(recording.gyro[1]) @ axial.T, None
    if gyro_unit == "rad/s" and rng.random() < 0.3:
        rate, gyro_unit = np.degrees(rate), "deg/s"
    streams: dict[str, Any] = {"gyro": (recording.gyro[0] + late, rate)}
    if recording.accel is not None:
        force = np.asarray(recording.accel[1]) @ polar.T
        if accel_unit == "m/s2" and rng.random() < 0.3:
            force, accel_unit = force / 9.80665, "g"
        streams["accel"] = (recording.accel[0] + late, force)
    if recording.mag is not None:
        streams["mag"] = (recording.mag[0] + late, np.asarray(recording.mag[1]) @ polar.T)
    changed = replace(
        recording,
        time=recording.time[keep],
        quat=stored[keep],
        euler=None,
        matrix=None,
        order=order,
        direction=direction,
        **streams,
    )
    truth = Truth(
        order,
        direction,
        negate,
        mount,
        up,
        place,
        gyro_unit,
        accel_unit,
        late,
        rewritten,
        {
            "order and direction": f"{order} {direction}",
            "body": body_name,
            "world": turn,
            "rewritten": rewritten,
            "Euler angle negated": ("yaw", "pitch", "roll")[which] if negate else "none",
            "gyro": gyro_unit,
            "accelerometer": accel_unit,
            "clock": late,
            "rows dropped": not keep.all(),
            "signs flipped": flipped,
        },
    )
    return changed, truth


CONTROLS = ("foreign", "shuffled", "reversed", "noise", "constant")


def control(recording: Recording, other: Recording, kind: str, rng: np.random.Generator) -> Recording:
    """A log whose gyro has nothing to do with its attitude: nothing may be decided from it."""
    times, values = recording.gyro
    values = np.array(values, dtype=np.float64)
    changes: dict[str, Any] = {}
    q = true_rotation(recording)[:, [3, 0, 1, 2]]
    if kind == "foreign":
        own = other.gyro[0] - other.gyro[0][0] + times[0] + rng.uniform(-2.0, 0.0)
        changes["gyro"] = (own, np.asarray(other.gyro[1]) @ PROPER[rng.integers(24)].T)
        if other.accel is not None:
            changes["accel"] = (other.accel[0] - other.accel[0][0] + times[0], other.accel[1])
    elif kind == "shuffled":
        cut = np.array_split(np.arange(len(values)), int(rng.integers(20, 200)))
        rng.shuffle(cut)
        changes["gyro"] = (times, values[np.concatenate(cut)])
    elif kind == "reversed":
        changes["gyro"] = (times, values[::-1] * rng.choice((-1.0, 1.0)))
    elif kind == "noise":
        deviation = np.nanstd(values, axis=0)
        noise = rng.normal(size=values.shape)
        if rng.random() < 0.5:
            noise = np.cumsum(noise, axis=0)
            noise = (noise - noise.mean(axis=0)) / noise.std(axis=0)
        changes["gyro"] = (times, noise * deviation)
    else:
        fixed = q[len(q) // 2] + rng.normal(size=q.shape) * rng.choice((0.0, 1e-6, 1e-4))
        q = fixed / np.linalg.norm(fixed, axis=1, keepdims=True)
    return replace(recording, quat=q, euler=None, matrix=None, **changes)
