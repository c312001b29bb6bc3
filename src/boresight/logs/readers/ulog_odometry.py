"""PX4's `vehicle_odometry`: poses and velocities whose frames the rows themselves name.

Frames: a pose is in NED or, of a heading that nobody knows, FRD; a velocity in either or in the body's own axes. Numbers of
the enumerations changed when `local_frame` became `pose_frame` (PX4 1.13). Source: msg/VehicleOdometry.msg of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boresight.logs.model import Notice
from boresight.logs.readers.ulog_file import Dataset

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["ODOMETRY", "odometry"]

ODOMETRY = ("vehicle_odometry", "estimator_odometry", "vehicle_visual_odometry", "vehicle_mocap_odometry")

_NEW_POSE = {1: "NED", 2: "FRD"}
_NEW_VELOCITY = {1: "NED", 2: "FRD", 3: "body"}
_OLD = {0: "NED", 1: "FRD", 3: "body"}

Columns: TypeAlias = dict[str, NDArray[Any]]
Part: TypeAlias = "tuple[str, Convention, NDArray[np.bool_], Columns]"


def odometry(data: Dataset, convention: Convention) -> tuple[list[Part], list[Notice]]:
    """Return an instance's streams (what to add to the name, convention, which rows, columns), one for each frame of its poses.

    Rows of a frame that is not known, and velocities in another world than their pose's, can't be used: NaN, counted.
    """
    notices: list[Notice] = []
    rows = data.rows
    new = "pose_frame" in data.fields
    frames = _frames(data, "pose_frame" if new else "local_frame", _NEW_POSE if new else _OLD, "NED")
    moving = _frames(data, "velocity_frame", _NEW_VELOCITY if new else _OLD, "NED")
    columns = _numbers(data)
    unknown = ~np.isin(frames, ["NED", "FRD"])
    if unknown.any():
        # What world they are in is not said; the orientation of the body in it is then not known either.
        count = int(unknown.sum())
        notices.append(
            Notice("unknown-frame", f"{count} of {rows} rows name no frame that is known", data.name, count)
        )
        for name in ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz"):
            if name in columns:
                columns[name] = np.where(unknown, np.nan, columns[name]).astype(columns[name].dtype)
    streams: list[Part] = []
    present = [frame for frame in ("NED", "FRD") if (frames == frame).any()] or ["NED"]
    for frame in present:
        chosen = (frames == frame) | (unknown if frame == present[0] else False)
        part = {name: column[chosen] for name, column in columns.items()}
        _place_velocity(part, moving[chosen], frame, data.name, notices)
        if frame == "NED":
            streams.append(("", convention, chosen, part))
        else:
            streams.append(("_frd", _local(convention), chosen, part))
    return streams, notices


def _frames(data: Dataset, field: str, meanings: dict[int, str], default: str) -> NDArray[np.str_]:
    values = data.fields.get(field)
    if values is None:
        return np.full(data.rows, default)
    frames = np.full(data.rows, "other")
    for value, meaning in meanings.items():
        frames[values == value] = meaning
    return frames


def _local(convention: Convention) -> Convention:
    """PX4's convention in a level world whose forward direction is no compass direction."""
    return convention.replace(world="FRD", position_world="FRD")


def _numbers(data: Dataset) -> Columns:
    columns: Columns = {}

    def take(names: str, fields: str) -> None:
        for name, field in zip(names.split(), fields.split(), strict=True):
            array = data.first(field.replace("|", " "))
            if array is not None:
                columns[name] = np.ascontiguousarray(array)

    take("qw qx qy qz", "q[0] q[1] q[2] q[3]")
    take("x y z", "position[0]|x position[1]|y position[2]|z")
    take("vx vy vz", "velocity[0]|vx velocity[1]|vy velocity[2]|vz")
    take(
        "wx wy wz",
        "angular_velocity[0]|rollspeed angular_velocity[1]|pitchspeed angular_velocity[2]|yawspeed",
    )
    take("reset", "reset_counter")
    pose = _covariance(data, "pose_covariance", ("position_variance", "orientation_variance"))
    if pose is not None:
        columns["pose_covariance"] = pose
    velocity = _covariance(data, "velocity_covariance", ("velocity_variance",))
    if velocity is not None:
        columns["velocity_covariance"] = velocity
    return columns


def _covariance(data: Dataset, full: str, diagonals: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Return 6x6 covariances, shape (n, 36): from an upper triangle of 21 (old) or from variances (new); NaN elsewhere."""
    matrix = np.full((data.rows, 6, 6), np.nan)
    if f"{full}[20]" in data.fields:
        for index, (row, column) in enumerate(zip(*np.triu_indices(6), strict=True)):
            values = data.fields[f"{full}[{index}]"]
            matrix[:, row, column] = values
            matrix[:, column, row] = values
    elif f"{diagonals[0]}[0]" in data.fields:
        # Variances without what connects them.
        size = 3 * len(diagonals)
        matrix[:, :size, :size] = 0.0
        for block, name in enumerate(diagonals):
            for axis in range(3):
                index = 3 * block + axis
                matrix[:, index, index] = data.fields.get(f"{name}[{axis}]", np.nan)
    else:
        return None
    return None if np.isnan(matrix[:, 0, 0]).all() else matrix.reshape(-1, 36)


def _place_velocity(
    part: Columns, moving: NDArray[np.str_], frame: str, name: str, notices: list[Notice]
) -> None:
    """Name the velocity's columns by the axes it is in: the world's or the body's; what is in neither becomes NaN."""
    covariance = part.pop("velocity_covariance", None)
    if "vx" not in part:
        return
    body = moving == "body"
    if body.any():
        for column in ("vx", "vy", "vz"):
            values = part[column]
            part[column.replace("v", "vb")] = np.where(body, values, np.nan).astype(values.dtype)
        if covariance is not None:
            part["twist_covariance"] = np.where(body[:, None], covariance, np.nan)
        if body.all():
            for column in ("vx", "vy", "vz"):
                del part[column]
            return
    world = moving == frame
    elsewhere = int(np.count_nonzero(~world & ~body))
    if elsewhere:
        message = f"{elsewhere} velocities are in another frame than their pose ({frame}) and are left out"
        notices.append(Notice("unknown-frame", message, name, elsewhere))
    for column in ("vx", "vy", "vz"):
        part[column] = np.where(world, part[column], np.nan).astype(part[column].dtype)
    if covariance is not None:
        linear = covariance.reshape(-1, 6, 6)[:, :3, :3].reshape(-1, 9)
        part["velocity_covariance"] = np.where(world[:, None], linear, np.nan)
