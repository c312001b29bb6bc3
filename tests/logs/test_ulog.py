"""PX4 logs, whole and broken: what they hold is read, what is wrong with them is said."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from px4_recordings import RECORDINGS
from pyulog import ULog
from ulog_bytes import ATTITUDE, LOCAL, UlogBytes, small

from boresight.errors import DataError
from boresight.logs import Log, read
from boresight.logs.poses import pose_stream

Recording = Callable[[str], Path]


def saved(directory: Path, log: UlogBytes | bytes, name: str = "flight.ulg") -> Path:
    path = directory / name
    path.write_bytes(log if isinstance(log, bytes) else bytes(log.data))
    return path


def codes(log: Log, stream: str | None = None) -> dict[str, int]:
    return {notice.code: notice.count for notice in log.notices if notice.stream == stream}


def said(log: Log, code: str) -> str:
    (message,) = [notice.message for notice in log.notices if notice.code == code]
    return message


# -- real logs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORDINGS)
def test_numbers_are_the_files_own(recording: Recording, name: str) -> None:
    path = recording(f"a_px4/{name}.ulg")
    log = read(path)
    assert log.format == "ulog"
    seen = 0
    for data in ULog(str(path)).data_list:
        stream = log.streams.get(f"{data.name}/{data.multi_id}" if data.multi_id else data.name)
        if stream is None or "q[0]" not in data.data:
            continue
        seen += 1
        assert stream.convention.id == "px4"
        assert stream.thing == "body"
        assert np.array_equal(stream.time, data.data["timestamp"].astype(np.int64) * 1000)
        for column, field in (("qw", "q[0]"), ("qx", "q[1]"), ("qy", "q[2]"), ("qz", "q[3]")):
            assert stream.column(column).dtype == np.float32
            assert np.array_equal(stream.column(column), data.data[field], equal_nan=True)
        if "timestamp_sample" in data.data:
            assert np.array_equal(
                stream.column("time_sample"), data.data["timestamp_sample"].astype(np.int64) * 1000
            )
        if "rollspeed" in data.data:
            assert np.array_equal(stream.column("wx"), data.data["rollspeed"])
            assert np.array_equal(stream.column("wz"), data.data["yawspeed"])
    assert seen


@pytest.mark.parametrize("name", RECORDINGS)
def test_specific_force_is_up_negative_in_frd(recording: Recording, name: str) -> None:
    stream = read(recording(f"a_px4/{name}.ulg")).primary("imu")
    assert stream is not None
    assert -10.5 < float(np.median(stream.column("az"))) < -9.0


def test_old_integer_coordinates_and_new_degrees_are_one_place(recording: Recording) -> None:
    old = read(recording("a_px4/yuneec_position.ulg"))["vehicle_gps_position"]
    new = read(recording("a_px4/pyulog_sample_px4_events.ulg"))["vehicle_gps_position"]
    for stream in (old, new):
        good = stream.column("fix") >= 3
        assert np.allclose(np.median(stream.column("lat")[good]), 47.4, atol=0.1)
        assert np.allclose(np.median(stream.column("lon")[good]), 8.54, atol=0.1)
        assert 400 < np.median(stream.column("alt")[good]) < 600


def test_instances_have_numbers(recording: Recording) -> None:
    log = read(recording("a_px4/pyulog_sample_logging_tagged_and_default_params.ulg"))
    assert [name for name in log.streams if name.startswith("estimator_attitude")] == [
        "estimator_attitude",
        "estimator_attitude/1",
        "estimator_attitude/2",
    ]


def test_appended_data_are_said(recording: Recording) -> None:
    log = read(recording("a_px4/pyulog_sample_appended_multiple.ulg"))
    assert codes(log)["appended"] == 3
    assert "truncated" not in codes(log)


def test_a_sensor_in_another_ones_rows_has_its_own_times(recording: Recording) -> None:
    log = read(recording("a_px4/px4tools_19_56_46.ulg"))
    stream = log["sensor_combined_magnetometer"]
    assert (np.diff(stream.time) > 0).all()
    assert stream.units == {"magnetic_field": "gauss"}
    norms = np.linalg.norm(stream.array("magnetic_field"), axis=1) * stream.factor("magnetic_field")
    assert 2e-5 < np.median(norms) < 7e-5
    assert codes(log, "sensor_combined_magnetometer")["no-sample"] == 989 - stream.num_rows


def test_pressure_is_in_pascal_whatever_the_driver_had(recording: Recording) -> None:
    for name in ("pyulog_sample_log_small", "pyulog_sample_px4_events"):
        stream = read(recording(f"a_px4/{name}.ulg"))["sensor_baro"]
        assert 9e4 < np.median(stream.array("pressure")) * stream.factor("pressure") < 1.1e5


def expected_end(data: bytes, size: int) -> int:
    """Where the last whole message of the first `size` bytes ends, told apart from the reader."""
    at = 16
    while at + 3 <= size:
        after = at + 3 + struct.unpack_from("<H", data, at)[0]
        if after > size:
            break
        at = after
    return at


def check_every_cut(data: bytes, directory: Path, step: int) -> int:
    """Cut a log at every `step` bytes; return how many of the cuts could be read."""
    readable = 0
    path = directory / "cut.ulg"
    for size in range(max(step, 16), len(data), step):
        path.write_bytes(data[:size])
        end = expected_end(data, size)
        try:
            log = read(path)
        except DataError as error:
            line = str(error)
            assert str(path) in line
            assert "no attitude" in line or "none of the topics" in line
            if end != size:
                assert f"byte {end}" in line
            continue
        readable += 1
        if end == size:
            assert "truncated" not in codes(log)
            continue
        assert codes(log)["truncated"] == size - end
        assert f"at byte {end};" in said(log, "truncated")
        assert "damaged" not in codes(log)
        with pytest.raises(DataError, match=f"byte {end}"):
            read(path, strict=True)
    return readable


def test_a_real_log_cut_at_every_4_kb(recording: Recording, tmp_path: Path) -> None:
    data = (recording("a_px4/px4tools_19_56_46.ulg")).read_bytes()
    assert check_every_cut(data, tmp_path, 4096) > 40


@pytest.mark.parametrize("sync", [True, False])
def test_a_small_log_cut_at_many_bytes(tmp_path: Path, sync: bool) -> None:
    data = bytes(small(60, sync=sync).data)
    assert check_every_cut(data, tmp_path, 7) > 200


# -- broken logs ----------------------------------------------------------------------------------------------------


def test_a_whole_log_has_nothing_to_notice(tmp_path: Path) -> None:
    log = read(saved(tmp_path, small()))
    assert log.notices == ()
    assert log.metadata["ver_hw"] == "TEST"
    assert log["vehicle_attitude"].num_rows == 200
    assert log["vehicle_local_position"].kind == "velocity"


def test_what_was_lost_is_named(tmp_path: Path) -> None:
    log = small()
    log.data = log.data[:-5]
    end = log.starts[-1]
    message = said(read(saved(tmp_path, log)), "truncated")
    assert f"ends at byte {end}" in message
    log = small(sync=False)
    log.data = log.data[:-5]
    assert "a message of vehicle_attitude" in said(read(saved(tmp_path, log)), "truncated")


@pytest.mark.parametrize("size", [1, 7, 9, 15])
def test_a_header_cut_short(tmp_path: Path, size: int) -> None:
    with pytest.raises(DataError, match=f"byte {size}: the header is cut short: {size} of 16 bytes"):
        read(saved(tmp_path, bytes(small().data[:size])))


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"flight.ulg: byte 0: the file is empty"):
        read(saved(tmp_path, b""))


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "flight.ulg").mkdir()
    with pytest.raises(DataError, match=r"flight.ulg: this is a directory"):
        read(tmp_path / "flight.ulg")


@pytest.mark.parametrize("text", [b"hello\n", b"time,x,y\n1,2,3\n", b"0 0 0 0 0 0 0 1\n"])
def test_a_text_file(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(DataError, match=r"flight.ulg: byte 0: this is no ULog: it holds text"):
        read(saved(tmp_path, text))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"flight.ulg: there is no such file"):
        read(tmp_path / "flight.ulg")


def test_a_log_without_attitude(tmp_path: Path) -> None:
    log = UlogBytes()
    log.topic("vehicle_local_position", LOCAL)
    log.subscribe("vehicle_local_position")
    log.row("vehicle_local_position", 1, 0, 0, 0, 0, 0, 0, True, True)
    path = saved(tmp_path, log)
    with pytest.raises(DataError, match=r"no attitude .* it has: vehicle_local_position"):
        read(path)
    assert list(read(path, attitude_required=False).streams) == ["vehicle_local_position"]


def test_damaged_bytes_are_found_and_the_rest_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = small()
    at = log.starts[100]
    log.data[at : at + 60] = b"\0" * 60
    path = saved(tmp_path, log)
    read_back = read(path)
    assert f"at byte {at}" in said(read_back, "damaged")
    assert "those around them are lost" in said(read_back, "damaged")
    assert 150 < read_back["vehicle_attitude"].num_rows < 200
    with pytest.raises(DataError, match=f"damaged at byte {at}"):
        read(path, strict=True)
    assert capsys.readouterr().out == ""


def test_damage_that_looks_like_a_message_to_the_end_of_the_file(tmp_path: Path) -> None:
    log = small()
    at = log.starts[100]
    log.data[at : at + 3] = b"\xff\xff\xff"
    message = said(read(saved(tmp_path, log)), "damaged")
    assert f"at byte {at}" in message
    assert "everything after them is lost" in message


def test_no_corruption_gets_past_as_anything_but_our_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    original = bytes(small(40).data)
    path = tmp_path / "flight.ulg"
    lines: list[str] = []
    for _ in range(300):
        data = bytearray(original)
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(16, len(data)))
            data[at : at + 4] = rng.integers(0, 256, 4, dtype=np.uint8).tobytes()
        path.write_bytes(bytes(data))
        try:
            log = read(path)
        except DataError as error:
            lines.append(str(error))
        else:
            assert log.streams
    assert not any("\n" in line for line in lines)


def test_invalid_quaternions_are_kept_and_counted(tmp_path: Path) -> None:
    log = UlogBytes()
    log.topic("vehicle_attitude", ATTITUDE)
    log.subscribe("vehicle_attitude")
    for time, q in enumerate([(1, 0, 0, 0), (0, 0, 0, 0), (np.nan, 0, 0, 1), (0, 1, 0, 0)]):
        log.row("vehicle_attitude", 1000 + time, *q)
    read_back = read(saved(tmp_path, log))
    stream = read_back["vehicle_attitude"]
    assert stream.num_rows == 4
    assert stream.invalid_rows().tolist() == [False, True, True, False]
    assert codes(read_back, "vehicle_attitude") == {"invalid-orientation": 2}
    assert "the first is row 1" in said(read_back, "invalid-orientation")


def test_flags_dropouts_resets_and_times(tmp_path: Path) -> None:
    log = UlogBytes()
    log.topic("vehicle_attitude", ATTITUDE + "uint8_t quat_reset_counter;")
    log.topic("vehicle_local_position", LOCAL)
    log.subscribe("vehicle_attitude")
    log.subscribe("vehicle_local_position")
    for time, resets in ((1000, 0), (2000, 1), (1500, 1), (1500, 1)):
        log.row("vehicle_attitude", time, 1, 0, 0, 0, resets)
    log.row("vehicle_attitude", 2**64 - 1, 1, 0, 0, 0, 1)
    log.row("vehicle_local_position", 1000, 1, 2, 3, 4, 5, 6, False, True)
    log.dropout(30)
    read_back = read(saved(tmp_path, log))
    assert codes(read_back) == {"dropout": 1}
    assert codes(read_back, "vehicle_attitude") == {
        "invalid-time": 1,
        "time-backwards": 1,
        "time-repeated": 1,
        "reset": 1,
    }
    assert codes(read_back, "vehicle_local_position") == {"flagged-invalid": 1}


def test_appended_sections_are_put_together(tmp_path: Path) -> None:
    log = UlogBytes()
    log.flags((999_999,))
    log.topic("vehicle_attitude", ATTITUDE)
    log.subscribe("vehicle_attitude")
    log.row("vehicle_attitude", 1000, 1, 0, 0, 0)
    offset = len(log.data)
    log.subscribe("vehicle_attitude")
    log.row("vehicle_attitude", 2000, 0, 1, 0, 0)
    struct.pack_into("<Q", log.data, 16 + 3 + 16, offset)
    read_back = read(saved(tmp_path, log))
    assert read_back["vehicle_attitude"].time.tolist() == [1_000_000, 2_000_000]
    assert codes(read_back) == {"appended": 1}


def test_a_log_cut_before_its_appended_data(tmp_path: Path) -> None:
    log = UlogBytes()
    log.flags((999_999,))
    log.topic("vehicle_attitude", ATTITUDE)
    log.subscribe("vehicle_attitude")
    log.row("vehicle_attitude", 1000, 1, 0, 0, 0)
    read_back = read(saved(tmp_path, log))
    assert "appended from byte 999999" in said(read_back, "truncated")
    assert "damaged" not in codes(read_back)


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ("int32_t lat;int32_t lon;int32_t alt;", (473977418, 85455939, 488104)),
        ("double latitude_deg;double longitude_deg;double altitude_msl_m;", (47.3977418, 8.5455939, 488.104)),
    ],
)
def test_names_old_and_new(tmp_path: Path, fields: str, values: tuple[float, ...]) -> None:
    log = UlogBytes()
    log.topic("vehicle_attitude", ATTITUDE)
    log.topic("vehicle_gps_position", "uint64_t timestamp;" + fields)
    log.topic("vehicle_local_position", LOCAL + ("float yaw;" if "lat;" in fields else "float heading;"))
    for name in ("vehicle_attitude", "vehicle_gps_position", "vehicle_local_position"):
        log.subscribe(name)
    log.row("vehicle_attitude", 1, 1, 0, 0, 0)
    log.row("vehicle_gps_position", 1, *values)
    log.row("vehicle_local_position", 1, 1, 2, 3, 4, 5, 6, True, True, 0.5)
    read_back = read(saved(tmp_path, log))
    place = read_back["vehicle_gps_position"]
    assert place.array("geodetic").tolist() == [[47.3977418, 8.5455939]]
    assert place.array("altitude").tolist() == [488.104]
    assert read_back["vehicle_local_position"].array("heading").tolist() == [0.5]


ODOMETRY = (
    "uint64_t timestamp;uint64_t timestamp_sample;uint8_t pose_frame;float[3] position;float[4] q;uint8_t velocity_frame;"
    "float[3] velocity;float[3] angular_velocity;float[3] position_variance;float[3] orientation_variance;"
    "float[3] velocity_variance;"
)


def odometry_log(*rows: tuple[int, int]) -> UlogBytes:
    log = UlogBytes()
    log.topic("vehicle_odometry", ODOMETRY)
    log.topic("vehicle_attitude", ATTITUDE)
    log.topic("vehicle_local_position", LOCAL)
    log.subscribe("vehicle_odometry")
    for index, (pose, velocity) in enumerate(rows):
        numbers = (1, 2, 3, 1, 0, 0, 0, velocity, 4, 5, 6, 0.1, 0.2, 0.3, 1, 2, 3, 4, 5, 6, 7, 8, 9)
        log.row("vehicle_odometry", index + 1, index + 1, pose, *numbers)
    return log


def test_odometry_in_ned(tmp_path: Path) -> None:
    stream = read(saved(tmp_path, odometry_log((1, 1), (1, 3))))["vehicle_odometry"]
    assert stream.kind == "pose"
    assert str(stream.convention.world) == "NED"
    assert stream.array("velocity")[0].tolist() == [4, 5, 6]
    assert np.isnan(stream.array("velocity")[1]).all()
    assert stream.array("body_velocity")[1].tolist() == [4, 5, 6]
    pose = stream.array("pose_covariance")[0].reshape(6, 6)
    assert np.array_equal(pose, np.diag([1.0, 2, 3, 4, 5, 6]))
    assert np.array_equal(stream.array("velocity_covariance")[0].reshape(3, 3), np.diag([7.0, 8, 9]))


def test_odometry_of_two_frames_is_two_streams(tmp_path: Path) -> None:
    log = read(saved(tmp_path, odometry_log((1, 1), (2, 2), (2, 3), (0, 0))))
    assert str(log["vehicle_odometry"].convention.world) == "NED"
    local = log["vehicle_odometry_frd"]
    assert str(local.convention.world) == "FRD"
    assert local.time.tolist() == [2000, 3000]
    assert log["vehicle_odometry"].num_rows == 2
    assert np.isnan(log["vehicle_odometry"].array("position")[1]).all()
    assert codes(log, "vehicle_odometry")["unknown-frame"] == 1


def test_a_convention_of_the_callers(tmp_path: Path) -> None:
    stream = read(saved(tmp_path, small()), from_="ros")["vehicle_attitude"]
    assert stream.convention.id == "ros"


def test_the_attitude_comes_before_odometry_where_poses_are_wanted(tmp_path: Path) -> None:
    log = odometry_log((1, 1))
    log.subscribe("vehicle_attitude")
    for time in (1, 2):
        log.row("vehicle_attitude", time, 1, 0, 0, 0)
    # without positions of its own, the odometry is all there is
    assert pose_stream(read(saved(tmp_path, log))).name == "vehicle_odometry"
    log.subscribe("vehicle_local_position")
    for time in (1, 2):
        log.row("vehicle_local_position", time, 1, 2, 3, 4, 5, 6, True, True)
    read_back = read(saved(tmp_path, log))
    assert pose_stream(read_back).name == "vehicle_attitude"
    assert read_back.primary("pose", "orientation") is read_back["vehicle_attitude"]
