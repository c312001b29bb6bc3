"""CDR layouts, against two implementations that are not ours: rosbags' serializer and mcap-ros2-support's decoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight.errors import DataError
from boresight.logs import cdr

rosbags_typesys = pytest.importorskip("rosbags.typesys", reason="rosbags is not installed")
mcap_dynamic = pytest.importorskip("mcap_ros2._dynamic", reason="mcap-ros2-support is not installed")

STORE = rosbags_typesys.get_typestore(rosbags_typesys.Stores.ROS2_HUMBLE)
NAMES = ["", "m", "map", "odom", "world", "base_link", "a/much/longer/frame_name"]


def fill(rows: np.ndarray, seed: int = 0) -> None:
    """Give every number of every row another value."""
    rng = np.random.default_rng(seed)
    for name in rows.dtype.names or ():
        if name == "encapsulation" or "#" in name:
            continue
        column = rows[name]
        if column.dtype.kind == "f":
            column[...] = rng.normal(size=column.shape)
        else:
            column[...] = rng.integers(0, 100, size=column.shape)


def flatten(message: Any, layout: cdr.Layout, name: str) -> Any:
    """Look a path of ours up in a message object of another library."""
    value = message
    for part in name.split("."):
        value = value[int(part)] if part.isdigit() else getattr(value, part)
    shape = layout.dtype[name].shape
    if shape and not hasattr(value, "__len__"):
        fields = "xyzw"[: shape[0]]
        value = [getattr(value, f) for f in fields]
    return np.asarray(value)


TYPES = [
    "nav_msgs/msg/Odometry",
    "geometry_msgs/msg/PoseStamped",
    "geometry_msgs/msg/PoseWithCovarianceStamped",
    "geometry_msgs/msg/QuaternionStamped",
    "geometry_msgs/msg/PointStamped",
    "geometry_msgs/msg/Vector3Stamped",
    "geometry_msgs/msg/TransformStamped",
    "geometry_msgs/msg/TwistStamped",
    "geometry_msgs/msg/TwistWithCovarianceStamped",
    "sensor_msgs/msg/Imu",
    "sensor_msgs/msg/MagneticField",
    "sensor_msgs/msg/FluidPressure",
    "sensor_msgs/msg/NavSatFix",
    "tf2_msgs/msg/TFMessage",
]


def strings_for(type_name: str, frame: str, child: str) -> dict[str, str]:
    prefix = "transforms.0." if "TFMessage" in type_name else ""
    return {f"{prefix}header.frame_id": frame, f"{prefix}child_frame_id": child}


@pytest.mark.parametrize("frame", NAMES)
@pytest.mark.parametrize("type_name", TYPES)
def test_bytes_are_those_of_rosbags(type_name: str, frame: str) -> None:
    layout = cdr.layout(type_name, strings_for(type_name, frame, "base_link"))
    rows = layout.messages(3)
    fill(rows)
    for row in rows:
        message = STORE.deserialize_cdr(row.tobytes(), type_name)
        for name in layout.dtype.names:
            if name != "encapsulation" and "#" not in name:
                np.testing.assert_array_equal(flatten(message, layout, name), row[name], err_msg=name)
        for path, text in layout.strings.items():
            value = message
            for part in path.split("."):
                value = value[int(part)] if part.isdigit() else getattr(value, part)
            assert value == text
        assert bytes(STORE.serialize_cdr(message, type_name)) == row.tobytes()


@pytest.mark.parametrize("type_name", TYPES)
def test_schema_text_is_enough_for_mcap_ros2(type_name: str) -> None:
    layout = cdr.layout(type_name, strings_for(type_name, "map", "base_link"))
    rows = layout.messages(1)
    fill(rows, 1)
    decode = mcap_dynamic.generate_dynamic(type_name, cdr.schema_text(type_name))[type_name]
    message = decode(rows[0].tobytes())
    for name in layout.dtype.names:
        if name != "encapsulation" and "#" not in name:
            np.testing.assert_array_equal(flatten(message, layout, name), rows[0][name], err_msg=name)


@pytest.mark.parametrize("type_name", TYPES)
def test_schemas_define_the_types_that_ros_has(type_name: str) -> None:
    """rosbags' type hash of our text equals that of the definition shipped with ROS."""
    types = rosbags_typesys.get_types_from_msg(cdr.schema_text(type_name), type_name)
    ours = rosbags_typesys.get_typestore(rosbags_typesys.Stores.EMPTY)
    ours.register(types)
    assert ours.hash_rihs01(type_name) == STORE.hash_rihs01(type_name)


@pytest.mark.parametrize("frame", NAMES)
@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("big_endian", [False, True])
def test_layout_is_found_again_from_a_message(type_name: str, frame: str, big_endian: bool) -> None:
    layout = cdr.layout(type_name, strings_for(type_name, frame, "base_link"), big_endian=big_endian)
    found = cdr.layout_of_message(type_name, layout.template())
    assert found == layout


def test_sequences_of_several_transforms() -> None:
    strings = {
        f"transforms.{i}.{path}": f"frame_{i}"
        for i in range(3)
        for path in ("header.frame_id", "child_frame_id")
    }
    layout = cdr.layout("tf2_msgs/msg/TFMessage", strings, {"transforms": 3})
    rows = layout.messages(1)
    fill(rows)
    message = STORE.deserialize_cdr(rows[0].tobytes(), "tf2_msgs/msg/TFMessage")
    assert [t.header.frame_id for t in message.transforms] == ["frame_0", "frame_1", "frame_2"]
    assert cdr.layout_of_message("tf2_msgs/msg/TFMessage", rows[0].tobytes()).lengths == {"transforms": 3}


def test_matches_finds_rows_with_other_strings_of_the_same_length() -> None:
    one = cdr.layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "map"})
    other = cdr.layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "abc"})
    rows = np.concatenate([one.messages(2), other.messages(1)])
    fill(rows)
    np.testing.assert_array_equal(one.matches(rows), [True, True, False])


@pytest.mark.parametrize("cut", [0, 3, 4, 11, 15, 16, 40, 75])
def test_a_short_message_is_refused(cut: int) -> None:
    data = cdr.layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "map"}).template()
    assert len(data) == 76
    with pytest.raises(DataError, match="PoseStamped"):
        cdr.layout_of_message("geometry_msgs/msg/PoseStamped", data[:cut])


def test_an_absurd_string_length_is_refused() -> None:
    data = bytearray(cdr.layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "map"}).template())
    data[12:16] = b"\xff\xff\xff\xff"
    with pytest.raises(DataError, match="ends before its last field"):
        cdr.layout_of_message("geometry_msgs/msg/PoseStamped", bytes(data))


def test_stamps_of_both_signs() -> None:
    times = np.array([0, 1, 999_999_999, 1_000_000_000, -1, -1_500_000_000, 1_700_000_000_123_456_789])
    rows = cdr.layout("geometry_msgs/msg/PoseStamped", {}).messages(len(times))
    cdr.set_stamp(rows, "header.stamp", times)
    assert (rows["header.stamp.nanosec"] < 1_000_000_000).all()
    np.testing.assert_array_equal(cdr.stamp(rows, "header.stamp"), times)
