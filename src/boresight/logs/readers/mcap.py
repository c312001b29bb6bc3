"""MCAP with ROS 2 messages: odometry, poses, transforms, IMU, GNSS, magnetic field, pressure; ours or anybody's.

What the numbers are in is what the caller says (`from_`), else ROS: FLU bodies (REP-103) in the world that the frame's name
says (REP-105): ``odom`` has a heading that nobody knows, ``earth`` is ECEF, and every other is taken as ENU. In a file of ours
``world`` is a world of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.errors import DataError
from boresight.logs import cdr
from boresight.logs.checks import check_stream
from boresight.logs.description import overruled
from boresight.logs.flagged import FLAGS, Quantity
from boresight.logs.kinds import kind_of
from boresight.logs.model import GROUPS, Log, Notice, Stream
from boresight.logs.readers.mcap_file import MAGIC, McapContents, Messages, load
from boresight.logs.ros_messages import UNKNOWN_VARIANCE, is_rep103
from boresight.logs.tables import make_table

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["KEY", "READER", "McapReader"]

KEY = "boresight"
"""Name of the metadata record that a file of ours has."""

Rows: TypeAlias = "np.ndarray[Any, Any]"
Columns: TypeAlias = dict[str, NDArray[Any]]

_NO_FIX, _SBAS, _GBAS = -1, 1, 2  # sensor_msgs/NavSatStatus
_WORLDS = frozenset({"map", "odom", "earth", "world"})
_FIXES = MappingProxyType({-2: 0, _NO_FIX: 1, 0: 3, _SBAS: 4, _GBAS: 6})  # as PX4 and MAVLink count them


@dataclass(frozen=True)
class _Part:
    """Messages of one topic between one pair of frames: `place` is where each stands in the topic."""

    place: NDArray[np.int64]
    time: NDArray[np.int64]
    log_time: NDArray[np.int64]
    columns: Columns


def _put(columns: Columns, group: str, values: NDArray[Any]) -> None:
    for index, name in enumerate(GROUPS[group].columns):
        columns[name] = values[..., index].astype(np.float64)


def _put_flags(columns: Columns, quantity: Quantity, covariance: NDArray[Any]) -> None:
    """What a covariance (n, 3, 3) in the world's axes marks as not valid, as the flags of x and y and of z."""
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    # Turned from a body's axes, a mark is itself but for rounding.
    marked = variances >= 0.999 * UNKNOWN_VARIANCE
    if marked.any():
        horizontal, vertical = GROUPS[FLAGS[quantity]].columns
        columns[horizontal] = np.logical_not(marked[:, :2].any(axis=1)).astype(np.uint8)
        columns[vertical] = np.logical_not(marked[:, 2]).astype(np.uint8)


def _put_pose(columns: Columns, rows: Rows, path: str, position: str, orientation: str) -> None:
    _put(columns, "position", rows[f"{path}.{position}"])
    _put(columns, "orientation", rows[f"{path}.{orientation}"])


def _odometry(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    _put_pose(columns, rows, f"{path}pose.pose", "position", "orientation")
    columns["pose_covariance"] = rows[f"{path}pose.covariance"]
    _put(columns, "body_velocity", rows[f"{path}twist.twist.linear"])
    _put(columns, "angular_rate", rows[f"{path}twist.twist.angular"])
    uncertain = rows[f"{path}twist.covariance"].astype(np.float64)
    columns["twist_covariance"] = uncertain
    _put_flags(columns, "position", columns["pose_covariance"].reshape(-1, 6, 6)[:, :3, :3])
    turn = kernels.to_matrix(rows[f"{path}pose.pose.orientation"].astype(np.float64))
    linear = uncertain.reshape(-1, 6, 6)[:, :3, :3]
    _put_flags(columns, "velocity", turn @ linear @ np.swapaxes(turn, -1, -2))
    if _no_rates(uncertain):  # zeros that only fill the message
        for name in GROUPS["angular_rate"].columns:
            del columns[name]
        if not uncertain[:, :21].any():
            del columns["twist_covariance"]
    return columns


def _no_rates(twist: NDArray[Any] | None) -> bool:
    """Whether covariances of twists (n, 36) say that none has rates."""
    return twist is not None and bool(len(twist)) and bool((twist[:, [21, 28, 35]] >= UNKNOWN_VARIANCE).all())


def _pose(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    _put_pose(columns, rows, f"{path}pose", "position", "orientation")
    return columns


def _pose_with_covariance(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    _put_pose(columns, rows, f"{path}pose.pose", "position", "orientation")
    columns["pose_covariance"] = rows[f"{path}pose.covariance"]
    _put_flags(columns, "position", columns["pose_covariance"].reshape(-1, 6, 6)[:, :3, :3])
    return columns


def _transform(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    _put_pose(columns, rows, f"{path}transform", "translation", "rotation")
    return columns


def _imu(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    for group, numbers, covariance in (
        ("orientation", "orientation", "orientation_covariance"),
        ("angular_rate", "angular_velocity", "rate_covariance"),
        ("specific_force", "linear_acceleration", "acceleration_covariance"),
    ):
        uncertain = rows[f"{path}{numbers}_covariance"].astype(np.float64)
        absent = uncertain[:, 0] == -1.0  # as sensor_msgs/Imu says that it does not hold this
        if absent.all():
            continue
        values = rows[f"{path}{numbers}"].astype(np.float64)
        values[absent] = np.nan
        uncertain[absent] = np.nan
        _put(columns, group, values)
        columns[covariance] = uncertain
    return columns


def _point(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    _put(columns, "position", rows[f"{path}point"])
    return columns


def _twist(rows: Rows, path: str) -> Columns:
    # In the axes of its frame; which kind that is, its name says (see _stream).
    columns: Columns = {}
    _put(columns, "velocity", rows[f"{path}twist.linear"])
    _put(columns, "angular_rate", rows[f"{path}twist.angular"])
    return columns


def _twist_with_covariance(rows: Rows, path: str) -> Columns:
    # Likewise: a covariance of velocities that turn out to be in body axes is that of a whole twist (see _stream).
    columns: Columns = {}
    _put(columns, "velocity", rows[f"{path}twist.twist.linear"])
    uncertain = rows[f"{path}twist.covariance"].astype(np.float64).reshape(-1, 6, 6)
    _put(columns, "angular_rate", rows[f"{path}twist.twist.angular"])
    columns["twist_covariance"] = uncertain.reshape(-1, 36)
    columns["velocity_covariance"] = uncertain[:, :3, :3].reshape(-1, 9)
    _put_flags(columns, "velocity", uncertain[:, :3, :3])
    return columns


def _gnss(rows: Rows, path: str) -> Columns:
    status = rows[f"{path}status.status"].astype(np.int64)
    covariance = rows[f"{path}position_covariance"].astype(np.float64)
    covariance[rows[f"{path}position_covariance_type"] == 0] = np.nan
    fixes = np.zeros(len(rows), np.uint8)
    for value, fix in _FIXES.items():
        fixes[status == value] = fix
    columns: Columns = {
        "lat": rows[f"{path}latitude"].astype(np.float64),
        "lon": rows[f"{path}longitude"].astype(np.float64),
        "alt_ellipsoid": rows[f"{path}altitude"].astype(np.float64),  # ROS counts from the ellipsoid
        "fix": fixes,
        "position_covariance": covariance,
    }
    _put_flags(columns, "position", covariance.reshape(-1, 3, 3))
    return columns


def _magnetic_field(rows: Rows, path: str) -> Columns:
    columns: Columns = {}
    _put(columns, "magnetic_field", rows[f"{path}magnetic_field"])
    columns["magnetic_covariance"] = rows[f"{path}magnetic_field_covariance"]
    return columns


def _pressure(rows: Rows, path: str) -> Columns:
    return {"pressure": rows[f"{path}fluid_pressure"].astype(np.float64)}


_TYPES: Mapping[str, Callable[[Rows, str], Columns]] = MappingProxyType(
    {
        # In the order of the log's streams: the first of a kind is the one that is taken where one is enough.
        "nav_msgs/msg/Odometry": _odometry,
        "geometry_msgs/msg/PoseWithCovarianceStamped": _pose_with_covariance,
        "geometry_msgs/msg/PoseStamped": _pose,
        "geometry_msgs/msg/TransformStamped": _transform,
        "sensor_msgs/msg/Imu": _imu,
        "sensor_msgs/msg/NavSatFix": _gnss,
        "geometry_msgs/msg/PointStamped": _point,
        "geometry_msgs/msg/TwistWithCovarianceStamped": _twist_with_covariance,
        "geometry_msgs/msg/TwistStamped": _twist,
        "sensor_msgs/msg/MagneticField": _magnetic_field,
        "sensor_msgs/msg/FluidPressure": _pressure,
        "tf2_msgs/msg/TFMessage": _transform,
    }
)

_IN_WORLD = frozenset(
    {
        "nav_msgs/msg/Odometry",
        "geometry_msgs/msg/PoseWithCovarianceStamped",
        "geometry_msgs/msg/PoseStamped",
        "geometry_msgs/msg/TransformStamped",
        "geometry_msgs/msg/PointStamped",
        "tf2_msgs/msg/TFMessage",
    }
)
"""Messages whose header names the world; that of the others names the body."""


class McapReader:
    """Reader of MCAP files with ROS 2 messages in CDR."""

    suffixes: tuple[str, ...] = (".mcap",)

    def sniff(self, head: bytes) -> bool:
        """Say whether the file begins as MCAP does."""
        return head.startswith(MAGIC)

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,
        thing: str | None = None,
    ) -> Log:
        """Read an MCAP file.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        from_ : Convention, optional
            What the numbers are in; else what the file says, or ROS.
        strict : bool
            Whether a file that is cut short or damaged is an error.
        thing : str, optional
            Which thing of the convention the numbers are of.

        Raises
        ------
        DataError
            It is no MCAP file, is damaged, or has no topic that is read.
        """
        contents = load(path)
        notices = _file_notices(path, contents)
        if strict and notices:
            raise DataError(
                notices[0].message, path=path, advice="read it without strict to have what it holds"
            )
        streams: dict[str, Stream] = {}
        unread: list[str] = []
        asked: tuple[Notice, ...] = ()
        ours = KEY in contents.metadata
        world = ""  # the frame of the first poses; what is in the body's axes belongs to it
        ranks = list(_TYPES)
        topics = sorted(
            contents.topics,
            key=lambda item: ranks.index(item.type_name) if item.type_name in _TYPES else len(ranks),
        )
        for topic in topics:
            if topic.type_name not in _TYPES or topic.encoding != "cdr":
                if topic.count:
                    unread.append(f"{topic.topic} ({topic.type_name or topic.encoding})")
                continue
            parts = _decoded(path, topic)
            for (parent, child), part in parts.items():
                # A transform is nothing without its frames, so its stream always has them in its name.
                plain = len(parts) == 1 and topic.type_name != "tf2_msgs/msg/TFMessage"
                name = topic.topic if plain else f"{topic.topic}#{parent}>{child}"
                world = world or parent
                frame = parent if topic.type_name in _IN_WORLD else world
                stream, said = _stream(name, parent, part, from_ or _convention(frame, ours), thing)
                if stream is not None:
                    streams[name] = stream
                    asked = asked or _overruled(frame, ours, from_)
                    notices += [*said, *check_stream(stream)]
        notices += asked
        if unread:
            notices.append(
                Notice("unread-topic", f"topics that are not read: {', '.join(unread)}", None, len(unread))
            )
        if not streams:
            have = ", ".join(unread) or "none with messages"
            raise DataError("the file has no topic that is read", path=path, advice=f"it has: {have}")
        # What an earlier log said of itself keeps its names; notices in there were of that file.
        about = {key: value for key, value in contents.metadata.get(KEY, {}).items() if key != "notices"}
        return Log(streams, path, "mcap", tuple(notices), about)


READER = McapReader()
"""What the registry finds."""


def _file_notices(path: Path, contents: McapContents) -> list[Notice]:
    notices: list[Notice] = []
    if not contents.ended:
        lost = path.stat().st_size - contents.whole
        message = f"the file has no end: the last whole record ends at byte {contents.whole}, {lost} bytes after it are lost"
        notices.append(Notice("truncated", message, None, lost))
    if contents.damaged:
        places = ", ".join(str(byte) for byte in contents.damaged[:5])
        message = f"{len(contents.damaged)} records are damaged and lost, at byte {places}"
        notices.append(Notice("damaged", message, None, len(contents.damaged)))
    return notices


def _decoded(path: Path, topic: Messages) -> dict[tuple[str, str], _Part]:
    """Return a topic's messages by their pair of frames, parent and child."""
    parts: dict[tuple[str, str], list[_Part]] = {}
    try:
        for data, place, log_time in topic.by_length():
            _decode_length(topic.type_name, data, place, log_time, parts)
    except DataError as error:
        raise DataError(error.reason, path=path, place=f"topic {topic.topic}", advice=error.advice) from None
    return {frames: _merged(items) for frames, items in parts.items()}


def _decode_length(
    type_name: str,
    data: NDArray[np.uint8],
    place: NDArray[np.int64],
    log_time: NDArray[np.int64],
    parts: dict[tuple[str, str], list[_Part]],
) -> None:
    """Decode messages of one length: those of one set of strings at a time, each with one structured type."""
    left = np.ones(len(data), np.bool_)
    while left.any():
        layout = cdr.layout_of_message(type_name, data[int(np.argmax(left))].tobytes())
        # ROS 2 pads the end of a message to four bytes in some middlewares.
        rows = np.ascontiguousarray(data[:, : layout.size]).view(layout.dtype)[:, 0]
        chosen = left & layout.matches(rows)
        if not chosen.any():
            raise DataError(f"a {type_name} message holds strings that cannot be read")
        left &= ~chosen
        for path in _paths(type_name, layout):
            frames = (
                layout.strings.get(f"{path}header.frame_id", ""),
                layout.strings.get(f"{path}child_frame_id", ""),
            )
            here = rows[chosen]
            columns = _TYPES[type_name](here, path)
            time = cdr.stamp(here, f"{path}header.stamp")
            parts.setdefault(frames, []).append(_Part(place[chosen], time, log_time[chosen], columns))


def _paths(type_name: str, layout: cdr.Layout) -> list[str]:
    if type_name != "tf2_msgs/msg/TFMessage":
        return [""]
    return [f"transforms.{index}." for index in range(layout.lengths.get("transforms", 0))]


def _merged(parts: list[_Part]) -> _Part:
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    place = np.concatenate([part.place for part in parts])
    order = np.argsort(place, kind="stable")

    def gathered(name: str) -> NDArray[Any]:
        width = next(part.columns[name].shape[1:] for part in parts if name in part.columns)
        columns = [
            part.columns[name]
            if name in part.columns
            # What is not flagged holds.
            else np.full((len(part.place), *width), 1 if name.endswith("_valid") else np.nan)
            for part in parts
        ]
        return np.concatenate(columns)[order]

    return _Part(
        place[order],
        np.concatenate([part.time for part in parts])[order],
        np.concatenate([part.log_time for part in parts])[order],
        {name: gathered(name) for name in names},
    )


def _stream(
    name: str, parent: str, part: _Part, convention: Convention, thing: str | None
) -> tuple[Stream | None, list[Notice]]:
    notices: list[Notice] = []
    columns = {key: values for key, values in part.columns.items() if not _unknown(key, values)}
    if "vx" in columns and "wx" in columns:
        if _last(parent) in _WORLDS:
            # Rates about the world's axes are not those that a stream of ours has.
            for column in (*GROUPS["angular_rate"].columns, "twist_covariance"):
                columns.pop(column, None)
        else:
            if _no_rates(columns.get("twist_covariance")):
                for column in GROUPS["angular_rate"].columns:
                    del columns[column]
            for column in ("velocity_covariance", *GROUPS["velocity_valid"].columns):
                columns.pop(column, None)
            for ours, theirs in zip(GROUPS["body_velocity"].columns, GROUPS["velocity"].columns, strict=True):
                columns[ours] = columns.pop(theirs)
    kind = kind_of(columns)
    if kind is None:
        return None, [Notice("unread-topic", "its messages hold no numbers that are known", name)]
    time = part.time
    if not time.any() and part.log_time.any():
        time = part.log_time
        notices.append(
            Notice("no-stamp", "messages have no stamp; the times are those of logging", name, len(time))
        )
    chosen = thing or convention.default_thing
    convention.thing_axes(chosen)  # an error where it has no such thing
    return Stream(name, kind, convention, chosen, make_table(time, columns)), notices


def _unknown(name: str, values: NDArray[Any]) -> bool:
    """Whether a column says nothing: a covariance of zeros, as ROS has it, or an altitude that is nowhere a number."""
    if name == "alt_ellipsoid":
        return bool(np.isnan(values).all())
    return name.endswith("covariance") and not np.nan_to_num(values).any()


def _last(frame: str) -> str:
    return frame.rsplit("/", 1)[-1]


def _convention(frame: str, ours: bool) -> Convention:
    """ROS in the world that a frame's name says (REP-105)."""
    from boresight import conventions

    ros = conventions.get("ros")
    match _last(frame):
        case "odom":
            return conventions.get("ros_odom")
        case "earth":
            return ros.replace(world="earth", position_world="earth")
        case "world" if ours:
            return ros.replace(world="free-right", position_world="free-right")
        case _:
            return ros


def _overruled(frame: str, ours: bool, from_: Convention | None) -> tuple[Notice, ...]:
    """Say that a convention is not what the messages are in: of a frame with no name of REP-105, by their body alone."""
    if from_ is None:
        return ()
    names_its_world = _last(frame) in _WORLDS and (ours or _last(frame) != "world")
    if not names_its_world and is_rep103(from_.things.get("body"), from_.world):
        return ()
    return overruled(_convention(frame, ours), from_)
