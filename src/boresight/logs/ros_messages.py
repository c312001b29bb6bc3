"""How streams become ROS 2 messages: which types, in which frames, and what marks a number that the log does not have.

Streams come in REP-103 axes (FLU bodies; an ENU, a local FLU or a free world), as `writers.mcap` converts them.

What is unknown
---------------
`sensor_msgs/Imu` says it itself: -1 in the first element of a covariance means that the message has no such quantity, and a
covariance of zeros that it is not known. An orientation that is not there is the identity, so that no reader meets a quaternion
of zeros. `nav_msgs/Odometry` says nothing of the kind: covariances that the log does not have are zeros, and single variances
that it does not have are `UNKNOWN_VARIANCE`, which is also how angular rates and velocities that are not there are marked (they are
zeros then), and a position or velocity that the log itself flags as not valid: its numbers stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight import kernels
from boresight.axes import Axes
from boresight.errors import ConventionError
from boresight.logs import cdr
from boresight.logs.flagged import FLAGS, Quantity
from boresight.logs.model import GROUPS, TIME, Stream, groups_of, to_numpy

__all__ = [
    "BODY_FRAME",
    "UNKNOWN_VARIANCE",
    "Rows",
    "Topic",
    "check_rep103",
    "is_rep103",
    "not_held",
    "topics_of",
    "world_frame",
]

BODY_FRAME = "base_link"

UNKNOWN_VARIANCE = 1e9

Array: TypeAlias = NDArray[np.float64]
Messages: TypeAlias = "np.ndarray[Any, Any]"


class Rows:
    """The rows of one batch, group by group, as float64."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._batch = batch
        self._groups = {group.name for group in groups_of(batch.schema.names)}
        self.time: NDArray[np.int64] = batch.column(TIME).to_numpy()

    def __len__(self) -> int:
        return len(self._batch)

    def has(self, group: str) -> bool:
        """Whether every column of the group is there."""
        return group in self._groups

    def get(self, group: str) -> Array:
        """The group's numbers, shape (n, components) or (n,); a quaternion in x, y, z, w."""
        columns = GROUPS[group].columns
        if len(columns) == 1:
            return to_numpy(self._batch.column(columns[0])).astype(np.float64, copy=False)
        numbers = np.empty((len(self._batch), len(columns)))
        for i, column in enumerate(columns):
            numbers[:, i] = self._batch.column(column).to_numpy(zero_copy_only=False)
        return numbers


@dataclass(frozen=True)
class Topic:
    """One topic that a stream becomes.

    Attributes
    ----------
    name : str
        Of the topic.
    layout : Layout
        Of its messages.
    fill : callable
        Writes a batch's numbers into as many messages.
    stamp : str
        Path of the messages' time stamp.
    watched : str
        The group without which a row makes no message.
    flagged : tuple of str
        The quantities in the messages that the log may flag as not valid.
    marks : bool
        Whether the messages have a field (a covariance) that says so.
    """

    name: str
    layout: cdr.Layout
    fill: Callable[[Messages, Rows], None]
    stamp: str = "header.stamp"
    watched: str = ""
    flagged: tuple[Quantity, ...] = ()
    marks: bool = False


def world_frame(stream: Stream) -> str:
    """Return the frame that a stream's poses are in: "map", "odom", "earth" (REP-105), or "world" where nobody knows."""
    return {"compass": "map", "local": "odom", "earth": "earth", "free": "world"}[
        stream.convention.world.kind
    ]


def topics_of(stream: Stream, names: Callable[[str], str], *, transforms: bool = False) -> list[Topic]:
    """Return the topics that a stream becomes; none where ROS has no message for what it holds.

    Parameters
    ----------
    stream : Stream
        In REP-103 axes.
    names : callable
        Gives the topic's name for what it is: odom, pose, imu, fix, velocity, position, magnetic_field, pressure.
    transforms : bool
        Whether poses are written on /tf too.
    """
    world = world_frame(stream)
    in_world, in_body = {"header.frame_id": world}, {"header.frame_id": BODY_FRAME}
    if stream.kind == "pose":
        both = {**in_world, "child_frame_id": BODY_FRAME}
        if stream.has("velocity") or stream.has("body_velocity"):
            # Flags tell the horizontal from the vertical; where no axis is known to be either, they are for all three.
            fill = _odometry(level=stream.convention.world.kind in ("compass", "local"))
            layout = cdr.layout("nav_msgs/msg/Odometry", both)
            topics = [Topic(names("odom"), layout, fill, flagged=("position", "velocity"), marks=True)]
        else:
            layout = cdr.layout("geometry_msgs/msg/PoseStamped", in_world)
            topics = [Topic(names("pose"), layout, _pose, flagged=("position",))]
        if transforms:
            nested = {f"transforms.0.{path}": text for path, text in both.items()}
            layout = cdr.layout("tf2_msgs/msg/TFMessage", nested)
            topics.append(Topic("/tf", layout, _transform, "transforms.0.header.stamp"))
        return topics
    if stream.kind in ("orientation", "imu"):
        return [Topic(names("imu"), cdr.layout("sensor_msgs/msg/Imu", in_body), _imu)]
    if stream.kind == "magnetic_field":
        return [
            Topic(
                names("magnetic_field"), cdr.layout("sensor_msgs/msg/MagneticField", in_body), _magnetic_field
            )
        ]
    if stream.kind == "baro":
        if not stream.has("pressure"):
            return []
        fill = _pressure(stream.factor("pressure"))
        return [Topic(names("pressure"), cdr.layout("sensor_msgs/msg/FluidPressure", in_body), fill)]
    topics: list[Topic] = []
    if stream.kind == "gnss" and stream.has("geodetic"):
        layout = cdr.layout("sensor_msgs/msg/NavSatFix", in_body)
        topics.append(Topic(names("fix"), layout, _fix, flagged=("position",), marks=True))
    if stream.has("position"):
        topics.append(
            Topic(
                names("position"),
                cdr.layout("geometry_msgs/msg/PointStamped", in_world),
                _point,
                watched="position",
                flagged=("position",),
            )
        )
    if stream.has("velocity"):
        uncertain = any(stream.has(group) for group in ("velocity_valid", *_VELOCITY_ACCURACIES))
        kind = "TwistWithCovarianceStamped" if uncertain else "TwistStamped"
        layout = cdr.layout(f"geometry_msgs/msg/{kind}", in_world)
        level = stream.convention.world.kind in ("compass", "local")
        fill = _uncertain_velocity(level=level) if uncertain else _velocity
        topics.append(
            Topic(names("velocity"), layout, fill, watched="velocity", flagged=("velocity",), marks=uncertain)
        )
    return topics


_POSE = ("orientation", "position")
_VELOCITY_ACCURACIES = ("velocity_covariance", "speed_accuracy")
_HELD = {
    "nav_msgs/msg/Odometry": (
        *_POSE,
        *("velocity", "body_velocity", "angular_rate", "pose_covariance", "twist_covariance"),
        *("position_covariance", "orientation_covariance", "velocity_covariance", "rate_covariance"),
    ),
    "geometry_msgs/msg/PoseStamped": _POSE,
    "tf2_msgs/msg/TFMessage": _POSE,
    "sensor_msgs/msg/Imu": (
        *("orientation", "angular_rate", "specific_force"),
        *("orientation_covariance", "rate_covariance", "acceleration_covariance"),
    ),
    "sensor_msgs/msg/MagneticField": ("magnetic_field", "magnetic_covariance"),
    "sensor_msgs/msg/FluidPressure": ("pressure",),
    "sensor_msgs/msg/NavSatFix": (
        "geodetic",
        "altitude_ellipsoid",
        "fix",
        "eph",
        "epv",
        "position_covariance",
    ),
    "geometry_msgs/msg/PointStamped": ("position",),
    "geometry_msgs/msg/TwistStamped": ("velocity",),
    "geometry_msgs/msg/TwistWithCovarianceStamped": ("velocity", *_VELOCITY_ACCURACIES),
}
"""Which groups of columns a message holds."""


def not_held(stream: Stream, topics: Iterable[Topic]) -> list[str]:
    """Return the columns of a stream's groups that none of the topics' messages has a field for."""
    held = {name for topic in topics for name in _HELD[topic.layout.type_name]}
    # What flags say a covariance says, or a notice of its own (`Flagged`); the form of an orientation is no quantity of its own.
    held |= {"position_valid", "velocity_valid", "euler", "matrix"}
    return [column for group in stream.groups if group.name not in held for column in group.columns]


# -- messages -------------------------------------------------------------------------------------------------------


def _odometry(*, level: bool) -> Callable[[Messages, Rows], None]:
    def fill(messages: Messages, rows: Rows) -> None:
        q = rows.get("orientation")
        messages["pose.pose.position"] = rows.get("position")
        messages["pose.pose.orientation"] = q
        invalid = _flagged(rows, "position", level=level)
        messages["pose.covariance"] = _marked(_pose_covariance(rows), invalid, 6)
        # the twist is that of the child frame: velocity in the axes of the body
        if rows.has("body_velocity"):
            velocity = rows.get("body_velocity")
        else:
            velocity = kernels.rotate_inverse(q, rows.get("velocity"))
        no_rate = np.ones((len(rows), 1), np.bool_)
        if rows.has("angular_rate"):
            rate = rows.get("angular_rate")
            no_rate = np.asarray(~np.isfinite(rate).all(axis=-1, keepdims=True))
            messages["twist.twist.angular"] = np.where(no_rate, 0.0, rate)
        # A velocity that a row does not have is marked as one that is flagged is.
        unknown = np.asarray(~np.isfinite(velocity).all(axis=-1, keepdims=True))
        messages["twist.twist.linear"] = np.where(unknown, 0.0, velocity)
        invalid = _flagged(rows, "velocity", level=level) | unknown
        covariance = _marked_in_world(_twist_covariance(rows, q), invalid, q)
        messages["twist.covariance"] = _marked(
            covariance, np.broadcast_to(no_rate, (len(rows), 3)), 6, first=3
        )

    return fill


def _pose(messages: Messages, rows: Rows) -> None:
    messages["pose.position"] = rows.get("position")
    messages["pose.orientation"] = rows.get("orientation")


def _transform(messages: Messages, rows: Rows) -> None:
    messages["transforms.0.transform.translation"] = rows.get("position")
    messages["transforms.0.transform.rotation"] = rows.get("orientation")


def _imu(messages: Messages, rows: Rows) -> None:
    quantities = (
        ("orientation", "orientation", "orientation_covariance"),
        ("angular_rate", "angular_velocity", "rate_covariance"),
        ("specific_force", "linear_acceleration", "acceleration_covariance"),
    )
    for group, field, covariance in quantities:
        marked = messages[f"{field}_covariance"]
        if not rows.has(group):
            marked[:, 0] = -1.0
            if group == "orientation":
                messages[field][:, 3] = 1.0
            continue
        messages[field] = rows.get(group)
        if rows.has(covariance):
            marked[...] = _known(rows.get(covariance), 3)


def _magnetic_field(messages: Messages, rows: Rows) -> None:
    messages["magnetic_field"] = rows.get("magnetic_field")
    if rows.has("magnetic_covariance"):
        messages["magnetic_field_covariance"] = _known(rows.get("magnetic_covariance"), 3)


def _pressure(factor: float) -> Callable[[Messages, Rows], None]:
    def fill(messages: Messages, rows: Rows) -> None:
        messages["fluid_pressure"] = rows.get("pressure") * factor

    return fill


def _point(messages: Messages, rows: Rows) -> None:
    messages["point"] = rows.get("position")


def _velocity(messages: Messages, rows: Rows) -> None:
    messages["twist.linear"] = rows.get("velocity")


def _uncertain_velocity(*, level: bool) -> Callable[[Messages, Rows], None]:
    def fill(messages: Messages, rows: Rows) -> None:
        messages["twist.twist.linear"] = rows.get("velocity")
        block = np.zeros((len(rows), 9))
        if rows.has("velocity_covariance"):
            block = _known(rows.get("velocity_covariance"), 3)
        elif rows.has("speed_accuracy"):  # one standard deviation, of each axis
            said = rows.get("speed_accuracy")
            block[:, [0, 4, 8]] = np.where(said > 0.0, said**2, 0.0)[:, None]
        block = np.asarray(_marked(block, _flagged(rows, "velocity", level=level), 3)).reshape(-1, 3, 3)
        covariance = np.zeros((len(rows), 6, 6))
        covariance[:, :3, :3] = block
        # It holds no rates.
        covariance[:, range(3, 6), range(3, 6)] = np.where(block.any(axis=(1, 2)), UNKNOWN_VARIANCE, 0.0)[
            :, None
        ]
        messages["twist.covariance"] = covariance.reshape(-1, 36)

    return fill


def _fix(messages: Messages, rows: Rows) -> None:
    place = rows.get("geodetic")
    messages["latitude"], messages["longitude"] = place[:, 0], place[:, 1]
    # above the WGS-84 ellipsoid; NaN is what the message asks for where that is not known
    messages["altitude"] = rows.get("altitude_ellipsoid") if rows.has("altitude_ellipsoid") else np.nan
    messages["status.service"] = 1  # GPS: receivers here do not say more
    if rows.has("fix"):
        fix = rows.get("fix")
        # receivers count 2 a fix in the plane, 3 in space, 4 to 6 one corrected from the ground
        messages["status.status"] = np.where(fix < 2, -1, np.where((fix >= 4) & (fix <= 6), 2, 0))
    covariance, kind = np.zeros((len(rows), 9)), 0
    if rows.has("position_covariance"):
        covariance, kind = _known(rows.get("position_covariance"), 3), 3
    elif rows.has("eph") and rows.has("epv"):
        horizontal, vertical = rows.get("eph") ** 2, rows.get("epv") ** 2
        covariance[:, 0] = covariance[:, 4] = horizontal
        covariance[:, 8] = vertical
        covariance, kind = _known(covariance, 3), 2
    invalid = _flagged(rows, "position", level=True)
    messages["position_covariance"] = _marked(covariance, invalid, 3)
    approximate = np.where(invalid.any(axis=-1), 1, 0)
    messages["position_covariance_type"] = np.where(covariance.any(axis=-1), kind, approximate)


# -- covariances ----------------------------------------------------------------------------------------------------


def _known(covariance: Array, side: int) -> Array:
    """A flat covariance without NaN: zeros where nothing is known, else large variances for the unknown ones."""
    missing = np.isnan(covariance)
    if not missing.any():
        return covariance
    diagonal = np.arange(side) * (side + 1)
    known = np.where(missing, 0.0, covariance)
    some = ~missing[:, diagonal].all(axis=-1, keepdims=True)
    known[:, diagonal] = np.where(missing[:, diagonal] & some, UNKNOWN_VARIANCE, known[:, diagonal])
    return known


def _flagged(rows: Rows, quantity: Quantity, *, level: bool) -> NDArray[np.bool_]:
    """Which components the log flags as not valid, shape (n, 3); with `level`, x and y are horizontal and z is vertical."""
    if not rows.has(FLAGS[quantity]):
        return np.zeros((len(rows), 3), np.bool_)
    invalid = rows.get(FLAGS[quantity]) == 0
    if not level:
        invalid = np.broadcast_to(invalid.any(axis=-1, keepdims=True), invalid.shape)
    return invalid[:, [0, 0, 1]]


def _marked(
    covariance: Array | float, invalid: NDArray[np.bool_], side: int, *, first: int = 0
) -> Array | float:
    """A flat covariance whose three components from `first` on are `UNKNOWN_VARIANCE`, by themselves, where they are invalid."""
    if not invalid.any():
        return covariance
    whole = np.array(np.broadcast_to(covariance, (len(invalid), side * side))).reshape(-1, side, side)
    wide = np.zeros((len(invalid), side), np.bool_)
    wide[:, first : first + 3] = invalid
    whole[wide[:, :, None] | wide[:, None, :]] = 0.0
    rows, components = np.nonzero(wide)
    whole[rows, components, components] = UNKNOWN_VARIANCE
    return whole.reshape(-1, side * side)


def _marked_in_world(covariance: Array | float, invalid: NDArray[np.bool_], q: Array) -> Array | float:
    """A flat 6x6 covariance of a twist in the body's axes, marked where components in the world's axes are invalid."""
    some = np.asarray(invalid.any(axis=-1) & ~invalid.all(axis=-1))
    marked = _marked(covariance, invalid & ~some[:, None], 6)
    if not some.any():
        return marked
    marked = np.array(np.broadcast_to(marked, (len(invalid), 36)))
    turn = np.zeros((int(some.sum()), 6, 6))
    turn[:, :3, :3], turn[:, 3:, 3:] = kernels.to_matrix(q[some]), np.eye(3)
    back = np.swapaxes(turn, -1, -2)
    in_world = turn @ marked[some].reshape(-1, 6, 6) @ back
    in_world = np.asarray(_marked(in_world.reshape(-1, 36), invalid[some], 6)).reshape(-1, 6, 6)
    in_body = back @ in_world @ turn
    marked[some] = (0.5 * (in_body + np.swapaxes(in_body, -1, -2))).reshape(-1, 36)
    return marked


def _blocks(count: int, first: Array | None, second: Array | None) -> Array:
    """A flat 6x6 covariance of two 3x3 blocks; NaN where a block is not there."""
    whole = np.full((count, 6, 6), np.nan)
    for start, block in ((0, first), (3, second)):
        if block is not None:
            whole[:, start : start + 3, start : start + 3] = block.reshape(-1, 3, 3)
    return whole.reshape(count, 36)


def _optional(rows: Rows, group: str) -> Array | None:
    return rows.get(group) if rows.has(group) else None


def _pose_covariance(rows: Rows) -> Array | float:
    if rows.has("pose_covariance"):
        return _known(rows.get("pose_covariance"), 6)
    position, orientation = _optional(rows, "position_covariance"), _optional(rows, "orientation_covariance")
    if position is None and orientation is None:
        return 0.0
    return _known(_blocks(len(rows), position, orientation), 6)


def _twist_covariance(rows: Rows, q: Array) -> Array | float:
    if rows.has("twist_covariance"):
        covariance = rows.get("twist_covariance")
    else:
        velocity, rate = _optional(rows, "velocity_covariance"), _optional(rows, "rate_covariance")
        if velocity is not None:
            turn = kernels.to_matrix(q)
            velocity = np.swapaxes(turn, -1, -2) @ velocity.reshape(-1, 3, 3) @ turn
        if velocity is None and rate is None:
            return 0.0
        covariance = _blocks(len(rows), velocity, rate)
    return _known(covariance, 6)


def check_rep103(stream: Stream) -> None:
    """Raise where a stream's numbers are not those that ROS messages hold."""
    body, world = stream.convention.things[stream.thing], stream.convention.world
    if not is_rep103(body, world):
        raise ConventionError(
            f"stream {stream.name} has a {body} body in a {world} world, and ROS messages hold FLU bodies in an ENU, "
            'a local FLU, an ECEF or a free world; convert to "ros"'
        )


def is_rep103(body: Axes | None, world: Axes) -> bool:
    """Whether axes are those of REP-103 and REP-105, or right-handed ones of which nothing is known."""
    if body is None or world.handedness != "right":
        return False
    known_body = str(body) == "FLU" or body.kind == "free"
    return known_body and (str(world) in _WORLDS or world.kind == "free")


_WORLDS = ("ENU", "FLU", "earth")
