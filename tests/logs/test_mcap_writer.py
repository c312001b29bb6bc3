"""MCAP, read back by two readers that are not ours (mcap-ros2-support, rosbags) and by our own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sample_logs import START, columns, flight, poses, quaternions, stream, table
from scipy.spatial.transform import Rotation as Scipy

import boresight.logs.registry as registry
from boresight.errors import ConventionError, DataError
from boresight.logs import cdr
from boresight.logs.convert import convert_log
from boresight.logs.mcap_file import McapFile
from boresight.logs.model import Log
from boresight.logs.poses import pose_stream

mcap_reader = pytest.importorskip("mcap.reader", reason="mcap is not installed")
mcap_ros2 = pytest.importorskip("mcap_ros2.decoder", reason="mcap-ros2-support is not installed")
rosbags = pytest.importorskip("rosbags.highlevel", reason="rosbags is not installed")


def read_mcap_ros2(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """log time and message by topic, as mcap-ros2-support decodes them, with every checksum checked."""
    topics: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    with path.open("rb") as file:
        reader = mcap_reader.make_reader(
            file, validate_crcs=True, decoder_factories=[mcap_ros2.DecoderFactory()]
        )
        for _, channel, message, decoded in reader.iter_decoded_messages():
            topics[channel.topic].append((message.log_time, decoded))
    return topics


def read_rosbags(path: Path) -> dict[str, list[tuple[int, Any]]]:
    topics: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    with rosbags.AnyReader([path]) as reader:
        for connection, time, raw in reader.messages():
            topics[connection.topic].append((time, reader.deserialize(raw, connection.msgtype)))
    return topics


READERS = {"mcap_ros2": read_mcap_ros2, "rosbags": read_rosbags}


def xyz(v: Any) -> list[float]:
    return [v.x, v.y, v.z]


def xyzw(q: Any) -> list[float]:
    return [q.x, q.y, q.z, q.w]


def stamp(header: Any) -> int:
    return header.stamp.sec * 10**9 + header.stamp.nanosec


@pytest.mark.parametrize("compression", ["zstd", "lz4", "none"])
@pytest.mark.parametrize("reader", READERS)
def test_a_flight(tmp_path: Path, reader: str, compression: str) -> None:
    path = tmp_path / "out.mcap"
    report = registry.write(flight(), path, compression=compression)
    topics = READERS[reader](path)
    ros = convert_log(flight(), "ros")
    joined = pose_stream(ros)
    assert {t: len(m) for t, m in topics.items()} == {
        "/odom": joined.num_rows,
        "/tf": joined.num_rows,
        "/imu/data": 400,
        "/imu/data_raw": 800,
        "/gnss/fix": 40,
        "/gnss/velocity": 40,
        "/magnetic_field": 40,
        "/pressure": 40,
    }
    assert {s.target.split()[0]: s.rows for s in report.streams} == {t: len(m) for t, m in topics.items()}

    times, messages = zip(*topics["/odom"], strict=True)
    assert list(times) == joined.time.tolist() == [stamp(m.header) for m in messages]
    assert {(m.header.frame_id, m.child_frame_id) for m in messages} == {("map", "base_link")}
    q = np.array([xyzw(m.pose.pose.orientation) for m in messages])
    np.testing.assert_array_equal(q, joined.quaternion(order="xyzw"))
    np.testing.assert_array_equal([xyz(m.pose.pose.position) for m in messages], joined.array("position"))
    # the twist is in the axes of the body
    np.testing.assert_allclose(
        [xyz(m.twist.twist.linear) for m in messages],
        Scipy.from_quat(q).inv().apply(joined.array("velocity")),
        atol=1e-12,
    )
    np.testing.assert_array_equal(
        [xyz(m.twist.twist.angular) for m in messages], joined.array("angular_rate")
    )

    transforms = [m.transforms for _, m in topics["/tf"]]
    assert {len(t) for t in transforms} == {1}
    assert {(t[0].header.frame_id, t[0].child_frame_id) for t in transforms} == {("map", "base_link")}
    np.testing.assert_array_equal([xyzw(t[0].transform.rotation) for t in transforms], q)
    np.testing.assert_array_equal(
        [xyz(t[0].transform.translation) for t in transforms], joined.array("position")
    )

    attitude = [m for _, m in topics["/imu/data"]]
    np.testing.assert_array_equal(
        [xyzw(m.orientation) for m in attitude], ros["vehicle_attitude"].array("orientation")
    )
    assert {m.header.frame_id for m in attitude} == {"base_link"}
    assert {m.orientation_covariance[0] for m in attitude} == {0.0}  # there, its covariance not known
    assert {m.angular_velocity_covariance[0] for m in attitude} == {-1.0}  # not there
    assert {m.linear_acceleration_covariance[0] for m in attitude} == {-1.0}

    raw = [m for _, m in topics["/imu/data_raw"]]
    np.testing.assert_array_equal(
        [xyz(m.angular_velocity) for m in raw], ros["sensor_combined"].array("angular_rate")
    )
    np.testing.assert_array_equal(
        [xyz(m.linear_acceleration) for m in raw], ros["sensor_combined"].array("specific_force")
    )
    assert {m.orientation_covariance[0] for m in raw} == {-1.0}
    assert {tuple(xyzw(m.orientation)) for m in raw} == {(0.0, 0.0, 0.0, 1.0)}

    fixes = [m for _, m in topics["/gnss/fix"]]
    gnss = ros["vehicle_gps_position"]
    np.testing.assert_array_equal([[m.latitude, m.longitude] for m in fixes], gnss.array("geodetic"))
    np.testing.assert_array_equal([m.altitude for m in fixes], gnss.array("altitude_ellipsoid"))
    assert [m.status.status for m in fixes] == ([-1, -1, 0, 0, 2, 2, 2] * 6)[:40]
    assert {m.position_covariance_type for m in fixes} == {2}
    np.testing.assert_array_equal(
        np.array([m.position_covariance for m in fixes])[:, [0, 4, 8]], [[0.25, 0.25, 4.0]] * 40
    )

    field = [xyz(m.magnetic_field) for _, m in topics["/magnetic_field"]]
    np.testing.assert_array_equal(field, ros["vehicle_magnetometer"].array("magnetic_field"))
    assert {m.fluid_pressure for _, m in topics["/pressure"]} == {95050.0}  # hPa to Pa


@pytest.mark.parametrize("reader", READERS)
def test_messages_come_in_the_order_of_time(tmp_path: Path, reader: str) -> None:
    """In the file itself, not only as a reader sorts them."""
    registry.write(flight(6000), tmp_path / "out.mcap")
    times: list[int] = []
    channels: Counter[int] = Counter()
    from mcap.stream_reader import StreamReader, breakup_chunk

    chunks = 0
    with (tmp_path / "out.mcap").open("rb") as file:
        for record in StreamReader(file, emit_chunks=True, validate_crcs=True).records:
            if type(record).__name__ == "Chunk":
                chunks += 1
                for message in breakup_chunk(record, validate_crc=True):
                    times.append(message.log_time)
                    channels[message.channel_id] += 1
    assert chunks >= 3
    assert times == sorted(times)
    topics = READERS[reader](tmp_path / "out.mcap")
    assert sum(map(len, topics.values())) == len(times)
    for messages in topics.values():
        assert [t for t, _ in messages] == sorted(t for t, _ in messages)


def test_summary_and_indexes(tmp_path: Path) -> None:
    path = tmp_path / "out.mcap"
    registry.write(flight(10_000), path)
    with path.open("rb") as file:
        reader = mcap_reader.make_reader(file)
        header, summary = reader.get_header(), reader.get_summary()
        assert header.profile == "ros2"
        assert summary is not None and summary.statistics is not None
        statistics = summary.statistics
        assert statistics.chunk_count == len(summary.chunk_indexes)
        assert statistics.message_start_time == START - 3_000_000
        assert statistics.message_count == sum(statistics.channel_message_counts.values())
        assert statistics.channel_count == len(summary.channels) == 8
        metadata = {m.name: m.metadata for m in reader.iter_metadata()}
        assert metadata["boresight"]["vehicle"] == "test"
        # by topic and time, through the indexes alone
        start, end = START + 10_000_000_000, START + 20_000_000_000
        found = list(reader.iter_messages(topics=["/imu/data"], starting_at=start, ending_before=end))
        assert len(found) == 1000
        # every index entry points at its message
        from mcap.records import MessageIndex
        from mcap.stream_reader import StreamReader, get_chunk_data_stream

        file.seek(0)
        entries = 0
        data = b""
        for record in StreamReader(file, emit_chunks=True).records:
            if type(record).__name__ == "Chunk":
                stream, length = get_chunk_data_stream(record)
                data = stream.read(length)
            elif isinstance(record, MessageIndex):
                for time, offset in record.records:
                    assert data[offset] == 5
                    assert int.from_bytes(data[offset + 9 : offset + 11], "little") == record.channel_id
                    assert int.from_bytes(data[offset + 15 : offset + 23], "little") == time
                    entries += 1
        assert entries == statistics.message_count


@pytest.mark.parametrize("reader", READERS)
def test_poses_with_covariances(tmp_path: Path, reader: str) -> None:
    registry.write(poses(), tmp_path / "out.mcap", to="ros")
    topics = READERS[reader](tmp_path / "out.mcap")
    ros = convert_log(poses(), "ros")["pose"]
    messages = [m for _, m in topics["/odom"]]
    np.testing.assert_array_equal([m.pose.covariance for m in messages], ros.column("pose_covariance"))
    np.testing.assert_array_equal([m.twist.covariance for m in messages], ros.column("twist_covariance"))
    np.testing.assert_array_equal([xyz(m.twist.twist.angular) for m in messages], ros.array("angular_rate"))


def test_poses_without_velocity_are_pose_stamped(tmp_path: Path) -> None:
    rows = poses()["pose"].table().select(["time", "qx", "qy", "qz", "qw", "x", "y", "z"])
    registry.write(Log({"pose": stream("pose", "pose", rows)}), tmp_path / "out.mcap")
    topics = read_mcap_ros2(tmp_path / "out.mcap")
    assert set(topics) == {"/pose", "/tf"}
    expected = convert_log(poses(), "ros")["pose"]
    np.testing.assert_array_equal(
        [xyzw(m.pose.orientation) for _, m in topics["/pose"]], expected.array("orientation")
    )


def test_an_odometry_without_rates_says_so(tmp_path: Path) -> None:
    log = flight()
    registry.write(
        Log({n: log[n] for n in ("vehicle_attitude", "vehicle_local_position")}), tmp_path / "out.mcap"
    )
    (message, *_) = [m for _, m in read_mcap_ros2(tmp_path / "out.mcap")["/odom"]]
    covariance = np.array(message.twist.covariance).reshape(6, 6)
    assert (np.diag(covariance)[3:] == 1e9).all() and (covariance[:3] == 0).all()


def test_a_row_without_a_rate_is_marked_and_no_nan_is_written(tmp_path: Path) -> None:
    log = flight()
    rows = log["sensor_combined"].table()
    log = Log({**log.streams, "sensor_combined": log["sensor_combined"].replace(rows=rows.slice(9))})
    registry.write(log, tmp_path / "out.mcap", to="ros")
    messages = [m for _, m in read_mcap_ros2(tmp_path / "out.mcap")["/odom"]]
    rates = np.array([xyz(m.twist.twist.angular) for m in messages])
    marked = np.array([m.twist.covariance[21] for m in messages]) == 1e9
    assert np.isfinite(rates).all() and 0 < marked.sum() < len(messages)
    assert not rates[marked].any() and rates[~marked].all()


def test_covariances_with_unknown_entries(tmp_path: Path) -> None:
    covariance = np.full((2, 36), np.nan)
    covariance[:, [0, 7, 14]] = 1.0, 2.0, 3.0
    rows = table(
        [0, 1], **columns("q", "xyzw", quaternions(2)), **columns("", "xyz", np.zeros((2, 3))),
        **columns("v", "xyz", np.zeros((2, 3))), **columns("w", "xyz", np.zeros((2, 3))),
        pose_covariance=covariance, twist_covariance=np.full((2, 36), np.nan),
    )  # fmt: skip
    registry.write(Log({"pose": stream("pose", "pose", rows)}), tmp_path / "out.mcap")
    for _, message in read_mcap_ros2(tmp_path / "out.mcap")["/odom"]:
        np.testing.assert_array_equal(
            np.diag(np.array(message.pose.covariance).reshape(6, 6)), [2.0, 1.0, 3.0, 1e9, 1e9, 1e9]
        )
        assert not np.any(message.twist.covariance)


def test_rows_without_an_orientation_are_left_out_and_counted(tmp_path: Path) -> None:
    report = registry.write(flight(invalid=True), tmp_path / "out.mcap")
    topics = read_mcap_ros2(tmp_path / "out.mcap")
    assert len(topics["/imu/data"]) == 398
    by_topic = {s.target.split()[0]: s for s in report.streams}
    assert by_topic["/imu/data"].left_out == 2
    assert "first at row 5 " in by_topic["/imu/data"].reason
    assert by_topic["/odom"].left_out == 2
    assert all(np.isfinite(xyzw(m.pose.pose.orientation)).all() for _, m in topics["/odom"])


def test_what_ros_has_no_message_for_is_reported(tmp_path: Path) -> None:
    log = flight()
    rows = log["vehicle_air_data"].table().drop_columns(["pressure"])
    streams = {**log.streams, "vehicle_air_data": stream("vehicle_air_data", "baro", rows)}
    report = registry.write(Log(streams), tmp_path / "out.mcap")
    (item,) = [s for s in report.streams if s.stream == "vehicle_air_data"]
    assert (item.rows, item.left_out, item.reason) == (0, 40, "ROS has no message for what it holds")


def test_further_instances_have_their_own_names(tmp_path: Path) -> None:
    log = flight()
    more = {f"{name}/1": s.replace(name=f"{name}/1") for name, s in log.streams.items()}
    registry.write(Log({**log.streams, **more}), tmp_path / "out.mcap")
    topics = set(read_mcap_ros2(tmp_path / "out.mcap"))
    assert {"/sensor_combined_1/imu", "/vehicle_attitude_1/imu", "/vehicle_gps_position_1/fix"} <= topics
    assert "/vehicle_attitude_1/odom" in topics  # with the positions of its own instance
    assert all(re.fullmatch(r"(/[A-Za-z_][A-Za-z0-9_]*)+", topic) for topic in topics), topics


@pytest.mark.parametrize(
    ("convention", "frame"),
    [("px4", "map"), ("ros_odom", "odom"), ("tum", "world"), ("colmap", "world"), ("unity", "odom")],
)
def test_frames_say_what_the_world_is(tmp_path: Path, convention: str, frame: str) -> None:
    log = poses(convention=convention)
    registry.write(log, tmp_path / "out.mcap")
    messages = [m for _, m in read_mcap_ros2(tmp_path / "out.mcap")["/odom"]]
    assert {m.header.frame_id for m in messages} == {frame}
    # the body is FLU, whatever it was
    from boresight import conventions

    world = conventions.get(convention).world
    ros = conventions.get("ros").replace(
        world="FLU" if frame == "odom" else "ENU" if frame == "map" else world
    )
    expected = convert_log(log, ros, thing="body")["pose"]
    np.testing.assert_array_equal(
        [xyzw(m.pose.pose.orientation) for m in messages], expected.array("orientation")
    )


def test_what_ros_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConventionError, match="an MCAP file holds ROS messages"):
        registry.write(flight(), tmp_path / "out.mcap", to="px4")
    with pytest.raises(ConventionError, match="forward"):
        registry.write(poses(convention="unity"), tmp_path / "out.mcap", to="ros")
    registry.write(poses(convention="unity"), tmp_path / "out.mcap", to="ros", forward="N")
    with pytest.raises(DataError, match="no times before 0"):
        registry.write(flight(start=-50), tmp_path / "negative.mcap")
    with pytest.raises(DataError, match="no times after 2038-01-19"):
        registry.write(flight(start=2**31 * 10**9 - 10_000_000), tmp_path / "late.mcap")
    assert [p.name for p in tmp_path.iterdir()] == ["out.mcap"]


def test_the_last_stamp_that_ros_has(tmp_path: Path) -> None:
    last = 2**31 * 10**9 - 1
    rows = table([0, last], **columns("w", "xyz", np.zeros((2, 3))))
    registry.write(Log({"imu": stream("imu", "imu", rows, "ros")}), tmp_path / "out.mcap")
    for read in READERS.values():
        messages = read(tmp_path / "out.mcap")["/imu/data_raw"]
        assert [(t, stamp(m.header)) for t, m in messages] == [(0, 0), (last, last)]


def test_a_log_of_which_no_row_is_left_makes_no_file(tmp_path: Path) -> None:
    q = np.full((3, 4), np.nan)
    attitude = stream("vehicle_attitude", "orientation", table([1, 2, 3], **columns("q", "xyzw", q)))
    with pytest.raises(DataError, match="no row of the log can be written: vehicle_attitude: 3 of 3 rows"):
        registry.write(Log({attitude.name: attitude}), tmp_path / "out.mcap")
    assert not list(tmp_path.iterdir())


def test_times_that_go_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    time = rng.permutation(20_000) * 1000
    rows = table(time, **columns("w", "xyz", np.repeat(time[:, None], 3, 1).astype(float)))
    registry.write(Log({"imu": stream("imu", "imu", rows, "ros")}), tmp_path / "out.mcap")
    messages = read_mcap_ros2(tmp_path / "out.mcap")["/imu/data_raw"]
    assert [t for t, _ in messages] == sorted(time)
    assert all(m.angular_velocity.x == t for t, m in messages)


def test_our_own_reader(tmp_path: Path) -> None:
    registry.write(flight(), tmp_path / "out.mcap")
    back = registry.read(tmp_path / "out.mcap")
    expected = pose_stream(convert_log(flight(), "ros"))
    poses_back = pose_stream(back)
    np.testing.assert_array_equal(poses_back.time, expected.time)
    np.testing.assert_array_equal(poses_back.quaternion(order="xyzw"), expected.quaternion(order="xyzw"))
    np.testing.assert_array_equal(poses_back.array("position"), expected.array("position"))
    # and once more: the second file has the topics and the numbers of the first
    registry.write(back, tmp_path / "again.mcap")
    first, second = read_mcap_ros2(tmp_path / "out.mcap"), read_mcap_ros2(tmp_path / "again.mcap")
    assert set(first) <= set(second)
    assert all(re.fullmatch(r"(/[A-Za-z_][A-Za-z0-9_]*)+", topic) for topic in second), set(second)
    for (t1, m1), (t2, m2) in zip(first["/odom"], second["/odom"], strict=True):
        assert t1 == t2 and xyzw(m1.pose.pose.orientation) == xyzw(m2.pose.pose.orientation)
        np.testing.assert_allclose(xyz(m1.twist.twist.linear), xyz(m2.twist.twist.linear), atol=1e-12)


def test_ties_keep_the_order_of_the_parts(tmp_path: Path) -> None:
    with (tmp_path / "out.mcap").open("wb") as file:
        mcap = McapFile(file)
        a = mcap.channel("/a", cdr.layout("geometry_msgs/msg/PoseStamped", {"header.frame_id": "map"}))
        b = mcap.channel("/b", cdr.layout("sensor_msgs/msg/FluidPressure", {"header.frame_id": "b"}))
        mcap.chunk([a.records(np.array([1, 2, 2])), b.records(np.array([0, 2]))])
        mcap.chunk([a.records(np.array([], np.int64))])
        mcap.finish()
    with (tmp_path / "out.mcap").open("rb") as file:
        messages = [
            (c.topic, m.log_time, m.sequence) for _, c, m in mcap_reader.make_reader(file).iter_messages()
        ]
    assert messages == [("/b", 0, 0), ("/a", 1, 0), ("/a", 2, 1), ("/a", 2, 2), ("/b", 2, 1)]


@pytest.mark.parametrize("reader", READERS)
def test_odometry_says_where_it_has_no_velocity(tmp_path: Path, reader: str) -> None:
    log = flight()
    rows = log["vehicle_local_position"].table()
    for column in ("vx", "vy", "vz"):
        nothing = pa.array(np.full(rows.num_rows, np.nan, np.float32))
        rows = rows.set_column(rows.schema.names.index(column), column, nothing)
    position = log["vehicle_local_position"].replace(rows=rows)
    registry.write(Log({**log.streams, "vehicle_local_position": position}), tmp_path / "out.mcap")
    for _, message in READERS[reader](tmp_path / "out.mcap")["/odom"]:
        assert xyz(message.twist.twist.linear) == [0.0, 0.0, 0.0]
        assert [message.twist.covariance[i] for i in (0, 7, 14)] == [1e9] * 3
