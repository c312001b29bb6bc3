"""Right, wrong or open: a diagnosis laid beside what is true."""

from __future__ import annotations

from typing import Any

import numpy as np
from mutations import Truth

from boresight.diagnosis.model import Diagnosis
from boresight.diagnosis.twins import axes_name, nearest_axes

PARTS = (
    "sense",
    "half_converted",
    "order",
    "direction",
    "imu_axes",
    "handedness",
    "world_up",
    "position_axes",
    "gyro_unit",
    "accel",
    "time_offset",
)


def _vector(answer: Any) -> Any:
    if isinstance(answer, str):
        if answer == "radial":
            return None
        return np.eye(3)["xyz".index(answer[1])] * (-1.0 if answer[0] == "-" else 1.0)
    return np.asarray(answer)


def expected(truth: Truth, part: str) -> Any:
    """The true answer of a part of the true reading."""
    if part == "sense":
        return truth.sense
    if part == "half_converted":
        return "one_euler_angle_negated" if truth.half else "none"
    if part == "imu_axes":
        return axes_name(nearest_axes(truth.mount)[0])
    if part == "handedness":
        return "right" if np.linalg.det(truth.mount) > 0 else "left"
    if part == "position_axes":
        return None if truth.place is None else axes_name(truth.place)
    return {"order": truth.order, "direction": truth.direction, "gyro_unit": truth.gyro_unit}.get(part)


def judged(diagnosis: Diagnosis, truth: Truth, part: str) -> str | None:
    """``"right"``, ``"wrong"`` or ``"open"``; None where there is no truth to compare with."""
    answer = diagnosis.parts[part].answer
    if not diagnosis.parts[part].decided:
        return "open"
    if part == "time_offset":
        return "right" if abs(answer - truth.late) < 0.03 else "wrong"
    if part == "accel":
        return "right" if answer["unit"] in (truth.accel_unit, None) else "wrong"
    if part in ("imu_axes", "world_up", "position_axes") and truth.half:
        return None  # what a half-converted attitude is undone to is known up to a relabelling only
    if isinstance(answer, dict):
        answer = answer[truth.order]
    elif part in ("imu_axes", "world_up", "position_axes"):
        order = diagnosis.parts["order"].answer
        if order is not None and order != truth.order:
            return None  # follows the order, which is scored by itself
    if part == "world_up":
        vector = _vector(answer)
        if truth.up is None or vector is None:
            return None
        return "right" if float(vector @ truth.up) > 0.9 * np.linalg.norm(vector) else "wrong"
    wanted = expected(truth, part)
    return None if wanted is None else ("right" if answer == wanted else "wrong")


def true_in_best(diagnosis: Diagnosis, truth: Truth) -> bool:
    """Whether the true order and direction are among the readings that are left."""
    half = expected(truth, "half_converted")
    return any(
        (r.order, r.direction, r.half_converted) == (truth.order, truth.direction, half)
        for r in diagnosis.best
    )
