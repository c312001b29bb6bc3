"""MCAP as others write it: by the `mcap` package's own writer, with messages laid out by mcap-ros2-support."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.writer import CompressionType, Writer
from mcap_ros2.writer import Writer as RosWriter

from boresight.errors import DataError
from boresight.logs import Log, read
from boresight.logs.cdr import schema_text

ODOMETRY = "nav_msgs/msg/Odometry"


def header(nanoseconds: int, frame: str = "map") -> dict[str, Any]:
    return {"stamp": {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}, "frame_id": frame}


def xyz(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


IDENTITY = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}


def odometry(time: int, x: float, frame: str = "map", covariance: float = 0.0) -> dict[str, Any]:
    return {
        "header": header(time, frame),
        "child_frame_id": "base_link",
        "pose": {
            "pose": {"position": xyz(x, 2, 3), "orientation": {"x": 0.1, "y": 0.2, "z": 0.3, "w": 0.9}},
            "covariance": [covariance] * 36,
        },
        "twist": {"twist": {"linear": xyz(4, 5, 6), "angular": xyz(7, 8, 9)}, "covariance": [0.0] * 36},
    }


def write(path: Path, messages: list[tuple[str, str, int, dict[str, Any]]], **options: Any) -> Path:
    with path.open("wb") as file:
        writer = RosWriter(file, **options)
        schemas: dict[str, Any] = {}
        for topic, kind, time, message in messages:
            if kind not in schemas:
                schemas[kind] = writer.register_msgdef(kind, schema_text(kind))
            writer.write_message(topic, schemas[kind], message, log_time=time, publish_time=time)
        writer.finish()
    return path


def codes(log: Log) -> dict[str, int]:
    return {notice.code: notice.count for notice in log.notices}


@pytest.mark.parametrize("compression", [CompressionType.ZSTD, CompressionType.LZ4, CompressionType.NONE])
def test_odometry(tmp_path: Path, compression: CompressionType) -> None:
    messages = [
        ("/odom", ODOMETRY, 100 + i, odometry(1_700_000_000_000_000_000 + i, float(i))) for i in range(50)
    ]
    log = read(write(tmp_path / "a.mcap", messages, compression=compression, chunk_size=4000))
    (stream,) = log.streams.values()
    assert (log.format, stream.name, stream.kind, stream.convention.id) == ("mcap", "/odom", "pose", "ros")
    assert stream.time.tolist() == [1_700_000_000_000_000_000 + i for i in range(50)]
    assert stream.array("position")[:, 0].tolist() == list(range(50))
    assert stream.array("orientation")[0].tolist() == [0.1, 0.2, 0.3, 0.9]
    assert stream.array("body_velocity")[0].tolist() == [4, 5, 6]
    assert stream.array("angular_rate")[0].tolist() == [7, 8, 9]
    assert not stream.has("pose_covariance")  # all zero: not known
    assert log.notices == ()


def test_strings_that_change_keep_the_order_of_the_messages(tmp_path: Path) -> None:
    frames = ["map", "m", "map", "mop", "m", "a_long_name"]
    messages = [("/odom", ODOMETRY, i, odometry(i, float(i), frame, 1.0)) for i, frame in enumerate(frames)]
    log = read(write(tmp_path / "a.mcap", messages))
    found = {name: stream.time.tolist() for name, stream in log.streams.items()}
    assert found == {
        "/odom#map>base_link": [0, 2],
        "/odom#m>base_link": [1, 4],
        "/odom#mop>base_link": [3],
        "/odom#a_long_name>base_link": [5],
    }
    assert log["/odom#m>base_link"].array("pose_covariance").tolist() == [[1.0] * 36] * 2


def test_a_local_frame_is_no_compass(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mcap", [("/odom", ODOMETRY, 1, odometry(1, 0.0, "robot/odom"))])
    assert read(path)["/odom"].convention.world.kind == "local"
    assert read(path, from_="ros")["/odom"].convention.world.kind == "compass"


@pytest.mark.parametrize(
    ("frame", "from_", "own"),
    [
        ("map", "px4", "ros"),
        ("map", "ros_odom", "ros"),
        ("odom", "ros", "ros_odom"),
        ("somewhere", "px4", "ros"),
        ("map", "ros", None),
        ("odom", "ros_odom", None),
        ("somewhere", "ros_odom", None),  # whose world the file does not say
    ],
)
def test_a_convention_that_is_not_the_files_own_is_said(
    tmp_path: Path, frame: str, from_: str, own: str | None
) -> None:
    path = write(tmp_path / "a.mcap", [("/odom", ODOMETRY, i, odometry(i, 0.0, frame)) for i in (1, 2)])
    assert "overruled" not in codes(read(path))
    said = [notice.message for notice in read(path, from_=from_).notices if notice.code == "overruled"]
    told = f"the file's numbers are {own}'s by its own account, and are taken for {from_}'s, as was asked"
    assert said == ([] if own is None else [told])


def imu(time: int, orientation: float, rate: float = 0.0) -> dict[str, Any]:
    return {
        "header": header(time, "imu_link"),
        "orientation": IDENTITY,
        "orientation_covariance": [orientation] + [0.0] * 8,
        "angular_velocity": xyz(1, 2, 3),
        "angular_velocity_covariance": [rate] + [0.0] * 8,
        "linear_acceleration": xyz(4, 5, 9.8),
        "linear_acceleration_covariance": [0.0] * 9,
    }


def test_what_an_imu_does_not_have(tmp_path: Path) -> None:
    kind = "sensor_msgs/msg/Imu"
    messages = [
        *[("/imu/data", kind, i, imu(i, 0.01)) for i in range(3)],
        *[("/imu/raw", kind, i, imu(i, -1.0)) for i in range(3)],
        ("/imu/mixed", kind, 0, imu(0, -1.0)),
        ("/imu/mixed", kind, 1, imu(1, 0.02)),
    ]
    log = read(write(tmp_path / "a.mcap", messages))
    assert log["/imu/data"].kind == "orientation"
    assert log["/imu/data"].array("orientation_covariance")[0, 0] == 0.01
    assert log["/imu/raw"].kind == "imu"
    assert not log["/imu/raw"].has("orientation")
    assert log["/imu/raw"].array("specific_force")[0].tolist() == [4, 5, 9.8]
    assert log["/imu/mixed"].invalid_rows().tolist() == [True, False]
    assert codes(log)["invalid-orientation"] == 1


def test_other_messages(tmp_path: Path) -> None:
    fix = {
        "header": header(5, "gps"),
        "status": {"status": -1, "service": 1},
        "latitude": 47.0,
        "longitude": 8.0,
        "altitude": 500.0,
        "position_covariance": [1.0, 0, 0, 0, 1.0, 0, 0, 0, 4.0],
        "position_covariance_type": 2,
    }
    field = {
        "header": header(5, "mag"),
        "magnetic_field": xyz(1e-5, 2e-5, 3e-5),
        "magnetic_field_covariance": [0.0] * 9,
    }
    pressure = {"header": header(5, "baro"), "fluid_pressure": 95000.0, "variance": 0.0}
    pose = {"header": header(5), "pose": {"position": xyz(1, 2, 3), "orientation": IDENTITY}}
    messages = [
        ("/fix", "sensor_msgs/msg/NavSatFix", 1, fix),
        ("/mag", "sensor_msgs/msg/MagneticField", 1, field),
        ("/baro", "sensor_msgs/msg/FluidPressure", 1, pressure),
        ("/pose", "geometry_msgs/msg/PoseStamped", 1, pose),
    ]
    log = read(write(tmp_path / "a.mcap", messages))
    assert list(log.streams) == ["/pose", "/fix", "/mag", "/baro"]
    assert log["/fix"].array("geodetic").tolist() == [[47, 8]]
    assert log["/fix"].array("altitude_ellipsoid").tolist() == [500]
    assert log["/fix"].column("fix").tolist() == [1]
    assert log["/fix"].array("position_covariance")[0, 8] == 4
    assert log["/mag"].array("magnetic_field").tolist() == [[1e-5, 2e-5, 3e-5]]
    assert log["/baro"].array("pressure").tolist() == [95000]
    assert all(stream.time.tolist() == [5] for stream in log.streams.values())


def transform(time: int, child: str, x: float) -> dict[str, Any]:
    return {
        "header": header(time, "odom"),
        "child_frame_id": child,
        "transform": {"translation": xyz(x, 0, 0), "rotation": IDENTITY},
    }


def test_transforms_of_several_pairs(tmp_path: Path) -> None:
    kind = "tf2_msgs/msg/TFMessage"
    messages = [
        ("/tf", kind, 1, {"transforms": [transform(1, "base", 1), transform(1, "camera", 10)]}),
        ("/tf", kind, 2, {"transforms": [transform(2, "base", 2)]}),
        ("/tf", kind, 3, {"transforms": []}),
        ("/tf", kind, 4, {"transforms": [transform(4, "camera", 40), transform(4, "base", 4)]}),
    ]
    log = read(write(tmp_path / "a.mcap", messages))
    assert log["/tf#odom>base"].time.tolist() == [1, 2, 4]
    assert log["/tf#odom>base"].array("position")[:, 0].tolist() == [1, 2, 4]
    assert log["/tf#odom>camera"].array("position")[:, 0].tolist() == [10, 40]


def test_topics_that_are_not_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with path.open("wb") as file:
        writer = RosWriter(file)
        known = writer.register_msgdef(ODOMETRY, schema_text(ODOMETRY))
        text = writer.register_msgdef("std_msgs/msg/String", "string data\n")
        writer.write_message("/odom", known, odometry(1, 0.0), log_time=1)
        writer.write_message("/chat", text, {"data": "hello"}, log_time=1)
        writer.finish()
    log = read(path)
    assert codes(log) == {"unread-topic": 1}
    assert "/chat (std_msgs/msg/String)" in log.notices[0].message


def test_nothing_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("x", "jsonschema", b"{}")
        channel = writer.register_channel("/json", "json", schema)
        writer.add_message(channel, 1, b"{}", 1)
        writer.finish()
    with pytest.raises(DataError, match=r"no topic that is read; it has: /json \(x\)"):
        read(path)


def test_messages_without_a_stamp_have_the_time_of_logging(tmp_path: Path) -> None:
    log = read(write(tmp_path / "a.mcap", [("/odom", ODOMETRY, 50 + i, odometry(0, 0.0)) for i in range(3)]))
    assert log["/odom"].time.tolist() == [50, 51, 52]
    assert codes(log) == {"no-stamp": 3}


def test_a_file_cut_short(tmp_path: Path) -> None:
    messages = [("/odom", ODOMETRY, i, odometry(i, float(i))) for i in range(200)]
    path = write(tmp_path / "a.mcap", messages, chunk_size=8000)
    data = path.read_bytes()
    most = 0
    lines: list[str] = []
    for size in range(len(data) - 1, 0, -997):
        path.write_bytes(data[:size])
        try:
            log = read(path)
        except DataError as error:
            lines.append(str(error))
            continue
        most = max(most, log["/odom"].num_rows)
        (said,) = [notice for notice in log.notices if notice.code == "truncated"]
        whole = int(said.message.split("byte ")[1].split(",")[0])
        assert said.count == size - whole
        with pytest.raises(DataError, match="has no end"):
            read(path, strict=True)
    assert most == 200
    assert all(line.startswith(f"{path}: ") for line in lines)


def test_a_damaged_chunk_is_lost_and_said(tmp_path: Path) -> None:
    messages = [("/odom", ODOMETRY, i, odometry(i, float(i))) for i in range(200)]
    path = write(tmp_path / "a.mcap", messages, chunk_size=8000, compression=CompressionType.NONE)
    data = bytearray(path.read_bytes())
    at = data.find(np.float64(100.0).tobytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))
    log = read(path)
    assert 100 < log["/odom"].num_rows < 200
    assert codes(log)["damaged"] == 1


@pytest.mark.parametrize(
    ("content", "reason"), [(b"\x89MCAP", "byte 5: the header is cut short"), (b"text", "no MCAP file")]
)
def test_what_is_no_mcap(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(content)
    with pytest.raises(DataError, match=reason):
        read(path)
