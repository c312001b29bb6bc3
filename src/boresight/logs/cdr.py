"""ROS 2 messages as fixed CDR layouts: one message is one row of a NumPy structured array.

The messages of a topic have the same size as long as their strings do, and a topic's frame names do not change from one
message to the next. So a layout is made once for a message type and its strings, and a thousand messages are filled, or
read, column by column, without a Python call for each of them.

The layouts are derived from the message definitions below, which are also the schema texts that an MCAP file carries:
what is written and what describes it cannot drift apart.

Encoding: plain CDR (XCDR1) as ROS 2 middleware writes it. A message starts with 4 bytes of encapsulation; after them every
number is aligned to its own size, counted from the end of the encapsulation. A string is a uint32 length (with the final
NUL), the bytes, the NUL; a sequence is a uint32 count and the elements. Source: OMG DDS-XTypes 1.3, section 7.4.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from boresight.errors import DataError

__all__ = [
    "DEFINITIONS",
    "ENCAPSULATION",
    "Layout",
    "layout",
    "layout_of_message",
    "schema_text",
    "set_stamp",
    "stamp",
]

#: bytes of the encapsulation header, before which alignment is not counted
ENCAPSULATION = 4

_NS = 1_000_000_000

LAST_STAMP = 2**31 * _NS - 1
"""Nanoseconds of the last time that a `builtin_interfaces/msg/Time` holds."""

#: message definitions by full type name, in the ROS 2 interface language: fields and constants, without comments
DEFINITIONS: dict[str, str] = {
    "builtin_interfaces/msg/Time": "int32 sec\nuint32 nanosec\n",
    "std_msgs/msg/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "geometry_msgs/msg/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/msg/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/msg/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n",
    "geometry_msgs/msg/Pose": "Point position\nQuaternion orientation\n",
    "geometry_msgs/msg/PoseWithCovariance": "Pose pose\nfloat64[36] covariance\n",
    "geometry_msgs/msg/Twist": "Vector3 linear\nVector3 angular\n",
    "geometry_msgs/msg/TwistWithCovariance": "Twist twist\nfloat64[36] covariance\n",
    "geometry_msgs/msg/Transform": "Vector3 translation\nQuaternion rotation\n",
    "geometry_msgs/msg/PoseStamped": "std_msgs/Header header\nPose pose\n",
    "geometry_msgs/msg/PoseWithCovarianceStamped": "std_msgs/Header header\nPoseWithCovariance pose\n",
    "geometry_msgs/msg/QuaternionStamped": "std_msgs/Header header\nQuaternion quaternion\n",
    "geometry_msgs/msg/PointStamped": "std_msgs/Header header\nPoint point\n",
    "geometry_msgs/msg/Vector3Stamped": "std_msgs/Header header\nVector3 vector\n",
    "geometry_msgs/msg/TwistStamped": "std_msgs/Header header\nTwist twist\n",
    "geometry_msgs/msg/TwistWithCovarianceStamped": "std_msgs/Header header\nTwistWithCovariance twist\n",
    "geometry_msgs/msg/TransformStamped": (
        "std_msgs/Header header\nstring child_frame_id\nTransform transform\n"
    ),
    "nav_msgs/msg/Odometry": (
        "std_msgs/Header header\n"
        "string child_frame_id\n"
        "geometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist\n"
    ),
    "sensor_msgs/msg/Imu": (
        "std_msgs/Header header\n"
        "geometry_msgs/Quaternion orientation\n"
        "float64[9] orientation_covariance\n"
        "geometry_msgs/Vector3 angular_velocity\n"
        "float64[9] angular_velocity_covariance\n"
        "geometry_msgs/Vector3 linear_acceleration\n"
        "float64[9] linear_acceleration_covariance\n"
    ),
    "sensor_msgs/msg/MagneticField": (
        "std_msgs/Header header\ngeometry_msgs/Vector3 magnetic_field\nfloat64[9] magnetic_field_covariance\n"
    ),
    "sensor_msgs/msg/FluidPressure": ("std_msgs/Header header\nfloat64 fluid_pressure\nfloat64 variance\n"),
    "sensor_msgs/msg/NavSatStatus": (
        "int8 STATUS_UNKNOWN = -2\n"
        "int8 STATUS_NO_FIX = -1\n"
        "int8 STATUS_FIX = 0\n"
        "int8 STATUS_SBAS_FIX = 1\n"
        "int8 STATUS_GBAS_FIX = 2\n"
        "int8 status -2\n"
        "uint16 SERVICE_UNKNOWN = 0\n"
        "uint16 SERVICE_GPS = 1\n"
        "uint16 SERVICE_GLONASS = 2\n"
        "uint16 SERVICE_COMPASS = 4\n"
        "uint16 SERVICE_GALILEO = 8\n"
        "uint16 service\n"
    ),
    "sensor_msgs/msg/NavSatFix": (
        "std_msgs/Header header\n"
        "NavSatStatus status\n"
        "float64 latitude\n"
        "float64 longitude\n"
        "float64 altitude\n"
        "float64[9] position_covariance\n"
        "uint8 COVARIANCE_TYPE_UNKNOWN = 0\n"
        "uint8 COVARIANCE_TYPE_APPROXIMATED = 1\n"
        "uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN = 2\n"
        "uint8 COVARIANCE_TYPE_KNOWN = 3\n"
        "uint8 position_covariance_type\n"
    ),
    "tf2_msgs/msg/TFMessage": "geometry_msgs/TransformStamped[] transforms\n",
}

_PRIMITIVES = {
    "bool": "u1",
    "byte": "u1",
    "char": "u1",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "int64": "i8",
    "uint64": "u8",
    "float32": "f4",
    "float64": "f8",
}


@dataclass(frozen=True)
class _Field:
    type: str  # a primitive, "string", or the full name of a message
    name: str
    count: int | None  # elements of a fixed array; None for a plain field
    sequence: bool


@cache
def _fields(type_name: str) -> tuple[_Field, ...]:
    """Fields of one message definition, in order, with the types' names made full."""
    package = type_name.split("/", 1)[0]
    fields: list[_Field] = []
    for line in DEFINITIONS[type_name].splitlines():
        words = line.split()
        if "=" in words:  # a constant takes no bytes
            continue
        kind, name = words[:2]
        count: int | None = None
        sequence = False
        if kind.endswith("]"):
            kind, _, size = kind[:-1].partition("[")
            sequence = not size
            count = int(size) if size else None
        if kind not in _PRIMITIVES and kind != "string":
            owner, _, short = kind.rpartition("/")
            kind = f"{owner or package}/msg/{short}"
        fields.append(_Field(kind, name, count, sequence))
    return tuple(fields)


@cache
def schema_text(type_name: str) -> str:
    """The `ros2msg` schema of a message type: its definition, then those of every type it uses.

    Parameters
    ----------
    type_name : str
        full name, "nav_msgs/msg/Odometry"

    Returns
    -------
    str
        the text an MCAP schema record holds for the encoding "ros2msg"

    Examples
    --------
    >>> print(schema_text("geometry_msgs/msg/Vector3Stamped").splitlines()[0])
    std_msgs/Header header
    """
    used: list[str] = []

    def visit(name: str) -> None:
        for item in _fields(name):
            if item.type in DEFINITIONS and item.type not in used:
                used.append(item.type)
                visit(item.type)

    visit(type_name)
    line = "=" * 80
    parts = [f"{line}\nMSG: {name.replace('/msg/', '/')}\n{DEFINITIONS[name]}" for name in used]
    return DEFINITIONS[type_name] + "".join(parts)


@dataclass(frozen=True)
class Layout:
    """Where each field of a message lies, for one message type and one set of strings.

    Attributes
    ----------
    type_name : str
        full name of the message type
    strings : Mapping[str, str]
        text of every string field by its path ("header.frame_id", "transforms.0.child_frame_id")
    lengths : Mapping[str, int]
        elements of every sequence by its path ("transforms")
    dtype : numpy.dtype
        structured type of one whole message, encapsulation included. Fields are named by path. A message of three or four
        equal numbers (point, vector, quaternion) is one field with a shape: "pose.pose.orientation" is (4,) in x, y, z, w.
    """

    type_name: str
    strings: Mapping[str, str]
    lengths: Mapping[str, int]
    dtype: np.dtype[Any]
    _template: bytes = field(repr=False, default=b"")

    @property
    def size(self) -> int:
        """Bytes of one message, with its encapsulation."""
        return self.dtype.itemsize

    def messages(self, count: int) -> np.ndarray[Any, Any]:
        """`count` messages with strings and counts in place, and every number zero."""
        # repeated as bytes: assigning a structured row would leave the padding between its fields unset
        return np.frombuffer(bytearray(self._template * count), self.dtype)

    def template(self) -> bytes:
        """One message with strings and counts in place, and every number zero."""
        return self._template

    def matches(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Which of `rows` (of this layout's dtype) hold this layout's own strings and counts; a bool array."""
        same = np.ones(rows.shape, dtype=bool)
        template = np.frombuffer(self._template, self.dtype)[0]
        names = self.dtype.names or ()
        for name in names:
            if name.endswith(("#length", "#text")):
                same &= rows[name] == template[name]
        return same


class _Builder:
    """Walks a definition and lays its fields out one after another."""

    def __init__(self, strings: Mapping[str, str], lengths: Mapping[str, int], big_endian: bool) -> None:
        self.strings = strings
        self.lengths = lengths
        self.byte_order = ">" if big_endian else "<"
        self.used_strings: dict[str, str] = {}
        self.used_lengths: dict[str, int] = {}
        self.names: list[str] = ["encapsulation"]
        self.formats: list[Any] = [("u1", (ENCAPSULATION,))]
        self.offsets: list[int] = [0]
        self.values: dict[str, Any] = {"encapsulation": (0, 0 if big_endian else 1, 0, 0)}
        self.end = ENCAPSULATION

    def put(self, name: str, kind: str, shape: tuple[int, ...] = (), value: Any = None) -> None:
        scalar = np.dtype(self.byte_order + kind) if kind[0] != "S" else np.dtype(kind)
        if kind[0] != "S":
            self.end += -(self.end - ENCAPSULATION) % scalar.itemsize
        self.names.append(name)
        self.formats.append((scalar, shape) if shape else scalar)
        self.offsets.append(self.end)
        self.end += scalar.itemsize * int(np.prod(shape))
        if value is not None:
            self.values[name] = value

    def string(self, path: str) -> None:
        text = self.strings.get(path, "")
        self.used_strings[path] = text
        encoded = text.encode() + b"\0"
        self.put(f"{path}#length", "u4", value=len(encoded))
        self.put(f"{path}#text", f"S{len(encoded)}", value=encoded)

    def message(self, type_name: str, prefix: str) -> None:
        for item in _fields(type_name):
            path = prefix + item.name
            if item.sequence:
                count = self.lengths.get(path, 1)
                self.used_lengths[path] = count
                self.put(f"{path}#length", "u4", value=count)
                for element in range(count):
                    self.one(item, f"{path}.{element}")
            else:
                self.one(item, path)

    def one(self, item: _Field, path: str) -> None:
        if item.type == "string":
            self.string(path)
        elif item.type in _PRIMITIVES:
            self.put(path, _PRIMITIVES[item.type], () if item.count is None else (item.count,))
        elif numbers := _equal_numbers(item.type):
            self.put(path, *numbers)
        else:
            self.message(item.type, path + ".")


@cache
def _equal_numbers(type_name: str) -> tuple[str, tuple[int]] | None:
    """("f8", (3,)) for a message that is nothing but three float64, and so on."""
    fields = _fields(type_name)
    kinds = {item.type for item in fields}
    if len(fields) < 3 or len(kinds) != 1 or any(item.count or item.sequence for item in fields):
        return None
    kind = kinds.pop()
    return (_PRIMITIVES[kind], (len(fields),)) if kind in _PRIMITIVES else None


def layout(
    type_name: str,
    strings: Mapping[str, str] | None = None,
    lengths: Mapping[str, int] | None = None,
    *,
    big_endian: bool = False,
) -> Layout:
    """Layout of a message type for given strings and sequence lengths.

    Parameters
    ----------
    type_name : str
        a name in `DEFINITIONS`
    strings : Mapping[str, str], optional
        text of the string fields by path; one that is not given is empty
    lengths : Mapping[str, int], optional
        elements of the sequences by path; one that is not given has one element
    big_endian : bool
        byte order of the numbers; ROS 2 writes little-endian everywhere that matters

    Returns
    -------
    Layout

    Examples
    --------
    >>> pose = layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "map"})
    >>> rows = pose.messages(2)
    >>> rows["pose.orientation"] = 0, 0, 0, 1
    >>> rows["pose.orientation"].shape, pose.size
    ((2, 4), 76)
    """
    builder = _Builder(strings or {}, lengths or {}, big_endian)
    builder.message(type_name, "")
    dtype = np.dtype(
        {
            "names": builder.names,
            "formats": builder.formats,
            "offsets": builder.offsets,
            "itemsize": builder.end,
        }
    )
    # through a zeroed buffer: assigning fields one by one leaves the padding between them at zero
    buffer = bytearray(dtype.itemsize)
    row = np.frombuffer(buffer, dtype)
    for name, value in builder.values.items():
        row[name] = value
    return Layout(type_name, builder.used_strings, builder.used_lengths, dtype, bytes(buffer))


def layout_of_message(type_name: str, data: bytes | memoryview) -> Layout:
    """Layout of the message in `data`, with its strings and sequence lengths read from it.

    Parameters
    ----------
    type_name : str
        a name in `DEFINITIONS`
    data : bytes
        one message with its encapsulation

    Returns
    -------
    Layout

    Raises
    ------
    DataError
        if the encapsulation is not plain CDR, or the message ends before its last field

    Examples
    --------
    >>> written = layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "odom"})
    >>> layout_of_message("geometry_msgs/msg/PoseStamped", written.template()).strings["header.frame_id"]
    'odom'
    """
    if len(data) < ENCAPSULATION or data[0] != 0 or data[1] not in (0, 1):
        raise DataError(
            f"a {type_name} message does not start with a plain CDR encapsulation",
            advice="only messages encoded as ROS 2 writes them (CDR, not PL_CDR or XCDR2) are read",
        )
    big_endian = data[1] == 0
    prefix = ">" if big_endian else "<"
    strings: dict[str, str] = {}
    lengths: dict[str, int] = {}
    cursor = ENCAPSULATION

    def align(size: int) -> None:
        nonlocal cursor
        cursor += -(cursor - ENCAPSULATION) % size

    def length() -> int:
        nonlocal cursor
        align(4)
        (value,) = struct.unpack_from(prefix + "I", data, cursor)
        cursor += 4
        if value > len(data) - cursor:
            raise struct.error
        return int(value)

    def paths(item: _Field, path: str) -> Iterator[str]:
        if not item.sequence:
            yield path
            return
        lengths[path] = length()
        for element in range(lengths[path]):
            yield f"{path}.{element}"

    def walk(name: str, before: str) -> None:
        nonlocal cursor
        for item in _fields(name):
            for path in paths(item, before + item.name):
                if item.type == "string":
                    count = length()
                    strings[path] = (
                        bytes(data[cursor : cursor + count]).rstrip(b"\0").decode("utf-8", "replace")
                    )
                    cursor += count
                elif item.type in _PRIMITIVES:
                    size = int(_PRIMITIVES[item.type][1])
                    align(size)
                    cursor += size * (item.count or 1)
                else:
                    walk(item.type, path + ".")

    try:
        walk(type_name, "")
    except struct.error:
        cursor = len(data) + 1
    if cursor > len(data):
        raise DataError(
            f"a {type_name} message of {len(data)} bytes ends before its last field",
            advice="the file is damaged, or the topic's type is not what its schema says",
        )
    return layout(type_name, strings, lengths, big_endian=big_endian)


def set_stamp(rows: np.ndarray[Any, Any], path: str, time_ns: np.ndarray[Any, Any]) -> None:
    """Write int64 nanoseconds into the stamp at `path` ("header.stamp") of every message.

    ROS splits a stamp in whole seconds, which may be negative, and nanoseconds, which may not: rounding is downwards.
    """
    seconds = np.floor_divide(time_ns, _NS)
    rows[f"{path}.sec"] = seconds
    rows[f"{path}.nanosec"] = time_ns - seconds * _NS


def stamp(rows: np.ndarray[Any, Any], path: str) -> np.ndarray[Any, Any]:
    """The stamps at `path` ("header.stamp") of every message, as int64 nanoseconds."""
    return rows[f"{path}.sec"].astype(np.int64) * _NS + rows[f"{path}.nanosec"]
