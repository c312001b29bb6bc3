"""The ULog writer, judged by pyulog, which is not ours."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import ulog_files
from pyulog import ULog

import boresight as bs
from boresight import conventions
from boresight.errors import DataError
from boresight.logs.model import Log, Stream
from boresight.logs.writers.px4_messages import DEFINITIONS
from boresight.logs.writers.ulog import WRITER
from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog
from boresight.simulate import simulate

SIZES = {
    "uint64_t": 8,
    "double": 8,
    "int32_t": 4,
    "uint32_t": 4,
    "float": 4,
    "uint16_t": 2,
    "uint8_t": 1,
    "bool": 1,
}


def stream(
    name: str, kind: Any, columns: dict[str, Any], *, convention: str = "px4", units: Any = None
) -> Stream:
    n = len(next(iter(columns.values())))
    time = columns.pop("time", np.arange(n, dtype=np.int64) * 20_000_000 + 1_000_000_000)
    table = pa.table(
        {"time": pa.array(time, pa.int64()), **{k: pa.array(np.asarray(v)) for k, v in columns.items()}}
    )
    return Stream(name, kind, conventions.get(convention), "body", table, units)


def attitude(n: int = 5) -> dict[str, Any]:
    angle = np.linspace(0.0, 1.0, n)
    return {"qx": np.sin(angle / 2), "qy": np.zeros(n), "qz": np.zeros(n), "qw": np.cos(angle / 2)}


def position(n: int = 5) -> dict[str, Any]:
    return {"x": np.arange(n) * 1.5, "y": np.arange(n) * -0.5, "z": -np.arange(n) * 0.1}


def write(log: Log | list[Stream], path: Path, **options: Any) -> Any:
    whole = log if isinstance(log, Log) else Log({s.name: s for s in log})
    return WRITER.write(whole, path, **options)


def read(path: Path) -> ULog:
    log = ULog(str(path), disable_str_exceptions=False)
    assert not log.file_corruption
    return log


# -- the file
# ----------------------------------------------------------------------------------------------------


def test_pyulog_reads_back_every_number(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    topics = []
    for number, (name, definition) in enumerate(DEFINITIONS.items()):
        rows = np.zeros(50 + 13 * number, dtype=row_dtype(definition))
        for field in rows.dtype.names or ():
            kind = rows.dtype[field].base
            values = rng.integers(0, 2 if kind.kind == "b" else 100, rows[field].shape)
            rows[field] = values if kind.kind != "f" else values + rng.random(rows[field].shape)
        rows["timestamp"] = np.sort(rng.integers(0, 10_000_000, len(rows)))
        topics.append(Topic(name, definition, rows))
    with (tmp_path / "all.ulg").open("wb") as file:
        write_ulog(file, topics, info={"sys_name": "PX4", "ver_sw_release": "17760256"})
    log = read(tmp_path / "all.ulg")
    assert log.msg_info_dict == {"sys_name": "PX4", "ver_sw_release": 17760256}
    assert len(log.data_list) == len(topics)
    for topic in topics:
        data = log.get_dataset(topic.name).data
        for field in topic.rows.dtype.names or ():
            column = topic.rows[field]
            if column.ndim == 1:
                assert np.array_equal(data[field], column), (topic.name, field)
            else:
                for i in range(column.shape[1]):
                    assert np.array_equal(data[f"{field}[{i}]"], column[:, i]), (topic.name, field, i)


def test_messages_stand_in_time_order_and_topics_keep_theirs(tmp_path: Path) -> None:
    definition = "uint64_t timestamp;uint32_t number;"
    rng = np.random.default_rng(0)
    topics = []
    for name in ("a", "b", "c"):
        rows = np.zeros(40_000, dtype=row_dtype(definition))  # more than one chunk in all
        rows["timestamp"] = np.sort(rng.integers(0, 1_000_000, len(rows)))
        rows["number"] = np.arange(len(rows))
        topics.append(Topic(name, definition, rows))
    topics[1].rows["timestamp"][100] = 0  # a clock that jumps back once does not reorder the topic
    path = tmp_path / "order.ulg"
    with path.open("wb") as file:
        write_ulog(file, topics)
    data = path.read_bytes()
    times = [
        struct.unpack_from("<Q", data, at + 5)[0]
        for at, kind in ulog_files.message_starts(path)
        if kind == "D"
    ]
    assert len(times) == 120_000
    late = [t for t in np.diff(np.maximum.accumulate(times)) if t < 0]
    assert not late and sum(np.diff(times) < 0) == 1
    log = read(path)
    for topic in topics:
        assert np.array_equal(log.get_dataset(topic.name).data["number"], topic.rows["number"])


def test_the_header_says_when_it_starts_and_the_flag_bits_come_first(tmp_path: Path) -> None:
    path = ulog_files.build(tmp_path / "a.ulg", ulog_files.ordinary(), info={"sys_name": "PX4"})
    data = path.read_bytes()
    assert data[:8] == b"ULog\x01\x12\x35\x01"
    assert struct.unpack_from("<Q", data, 8)[0] == ulog_files.START
    kinds = [kind for _, kind in ulog_files.message_starts(path)]
    assert kinds[0] == "B"
    assert "".join(kinds).rstrip("D") == "B" + "FFFF" + "I" + "AAAA"


def test_synchronisation_messages_hold_the_magic_bytes(tmp_path: Path) -> None:
    topics = [ulog_files.attitude(70_000, 50.0)]
    path = ulog_files.build(tmp_path / "sync.ulg", topics, sync=True)
    at = [at for at, kind in ulog_files.message_starts(path) if kind == "S"]
    assert len(at) == 2
    assert path.read_bytes()[at[0] : at[0] + 11] == b"\x08\x00S" + bytes.fromhex("2f731320250cbb12")
    assert len(read(path).get_dataset("vehicle_attitude").data["timestamp"]) == 70_000


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_follow_the_padding_rules(name: str) -> None:
    # Sorted by size, so no padding inside; padded at the end to the 8 bytes of the timestamp.
    fields = [part.split(" ") for part in DEFINITIONS[name].split(";") if part]
    sizes = [SIZES[kind.partition("[")[0]] for kind, _ in fields]
    assert sizes == sorted(sizes, reverse=True)
    counts = [int(kind.partition("[")[2].rstrip("]") or 1) for kind, _ in fields]
    assert sum(s * c for s, c in zip(sizes, counts, strict=True)) % 8 == 0
    assert "_padding" not in "".join(row_dtype(DEFINITIONS[name]).names or ())


@pytest.mark.parametrize("recorded", ["a_px4/pyulog_sample_px4_events.ulg"])
def test_definitions_are_those_of_a_recorded_log(recorded: str, recording: Any) -> None:
    formats = ULog(str(recording(recorded)), parse_header_only=True).message_formats
    compared = 0
    for name, definition in DEFINITIONS.items():
        if name in formats:
            theirs = "".join(f"{t}[{n}] {f};" if n else f"{t} {f};" for t, n, f in formats[name].fields)
            assert definition == theirs
            compared += 1
    assert compared >= 9


def test_an_empty_log_is_a_file_that_pyulog_opens(tmp_path: Path) -> None:
    write_ulog(file := io.BytesIO(), [])
    file.seek(0)
    (tmp_path / "empty.ulg").write_bytes(file.getvalue())
    assert read(tmp_path / "empty.ulg").data_list == []


def test_two_definitions_of_one_message_are_refused() -> None:
    topics = [ulog_files.attitude(), ulog_files.attitude(old=True, multi_id=1)]
    with pytest.raises(DataError, match="two instances of one message differ"):
        write_ulog(io.BytesIO(), topics)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(DataError, match="unknown type 'int128_t'"):
        row_dtype("uint64_t timestamp;int128_t x;")


# -- streams to topics
# ---------------------------------------------------------------------------------------------


def test_a_simulated_log_comes_back_through_pyulog(tmp_path: Path) -> None:
    log = simulate("flight", seed=3, duration=8.0)
    write(log, tmp_path / "a.ulg")
    back = read(tmp_path / "a.ulg")
    names = {(d.name, d.multi_id) for d in back.data_list}
    assert names == {(name, 0) for name in log.streams}
    q = np.stack([back.get_dataset("vehicle_attitude").data[f"q[{i}]"] for i in range(4)], axis=-1)
    assert q.dtype == np.float32 and np.array_equal(q, log["vehicle_attitude"].array("orientation"))
    gps = back.get_dataset("vehicle_gps_position").data
    assert np.array_equal(gps["latitude_deg"], log["vehicle_gps_position"].column("lat"))
    assert (gps["timestamp"] - gps["timestamp_sample"] == 110_000).all()
    assert np.array_equal(gps["vel_d_m_s"], log["vehicle_gps_position"].column("vz"))
    assert gps["vel_ned_valid"].all()
    imu = back.get_dataset("sensor_combined").data
    assert (imu["gyro_integral_dt"] == 5000).all()
    assert imu["accelerometer_m_s2[2]"][:200].mean() == pytest.approx(-9.8, abs=0.2)
    mag = back.get_dataset("vehicle_magnetometer").data
    assert np.array_equal(mag["magnetometer_ga[1]"], log["vehicle_magnetometer"].column("my"))
    local = back.get_dataset("vehicle_local_position").data
    assert local["xy_valid"].all() and local["v_z_valid"].all() and np.isnan(local["dist_bottom"]).all()
    assert back.msg_info_dict["sys_name"] == "PX4" and back.msg_info_dict["scenario"] == "flight"


def test_our_own_reader_gives_the_same_streams(tmp_path: Path) -> None:
    log = simulate("drive", seed=5, duration=6.0)
    write(log, tmp_path / "a.ulg")
    back = bs.read(tmp_path / "a.ulg")
    assert set(back.streams) == set(log.streams)
    for name, ours in log.streams.items():
        theirs = back[name]
        assert (
            theirs.kind == ours.kind
            and theirs.convention.id == "px4"
            and dict(theirs.units) == dict(ours.units)
        )
        for column in ours.schema.names:
            assert np.array_equal(theirs.column(column), ours.column(column), equal_nan=True), (name, column)


def test_instances_keep_their_numbers_and_other_names_get_free_ones(tmp_path: Path) -> None:
    streams = [
        stream("/imu/pose", "orientation", attitude(4)),
        stream("vehicle_attitude", "orientation", attitude(5)),
        stream("vehicle_attitude/2", "orientation", attitude(6)),
    ]
    report = write(streams, tmp_path / "a.ulg")
    counts = {d.multi_id: len(d.data["timestamp"]) for d in read(tmp_path / "a.ulg").data_list}
    assert counts == {0: 5, 1: 4, 2: 6}
    assert [(r.stream, r.target, r.rows) for r in report.streams] == [
        ("/imu/pose", "vehicle_attitude instance 1", 4),
        ("vehicle_attitude", "vehicle_attitude", 5),
        ("vehicle_attitude/2", "vehicle_attitude instance 2", 6),
    ]


def test_poses_become_attitude_and_local_position_of_one_instance(tmp_path: Path) -> None:
    body = {
        "vbx": np.full(5, 2.0),
        "vby": np.zeros(5),
        "vbz": np.ones(5),
        **{w: np.full(5, 0.1) for w in ("wx", "wy", "wz")},
    }
    write([stream("/odom", "pose", {**attitude(), **position(), **body})], tmp_path / "a.ulg")
    back = read(tmp_path / "a.ulg")
    assert {d.name for d in back.data_list} == {
        "vehicle_attitude",
        "vehicle_local_position",
        "vehicle_angular_velocity",
    }
    local = back.get_dataset("vehicle_local_position").data
    assert local["x"] == pytest.approx(position()["x"]) and local["z"] == pytest.approx(position()["z"])
    # The velocity of the body turns with its roll, into the world.
    angle = np.linspace(0.0, 1.0, 5)
    assert local["vx"] == pytest.approx(np.full(5, 2.0))
    assert local["vy"] == pytest.approx(-np.sin(angle), abs=1e-6)
    assert local["vz"] == pytest.approx(np.cos(angle), abs=1e-6)


def test_rates_of_an_attitude_get_a_message_of_their_own(tmp_path: Path) -> None:
    rates = {"wx": np.full(5, 0.1), "wy": np.full(5, 0.2), "wz": np.full(5, 0.3)}
    report = write([stream("vehicle_attitude", "orientation", {**attitude(), **rates})], tmp_path / "a.ulg")
    assert read(tmp_path / "a.ulg").get_dataset("vehicle_angular_velocity").data["xyz[1]"] == pytest.approx(
        [0.2] * 5
    )
    assert not report.notices


def test_invalid_orientations_are_written_as_they_are(tmp_path: Path) -> None:
    numbers = attitude()
    numbers["qw"][1] = np.nan
    for name in ("qx", "qw"):
        numbers[name][3] = 0.0
    report = write([stream("vehicle_attitude", "orientation", numbers)], tmp_path / "a.ulg")
    data = read(tmp_path / "a.ulg").get_dataset("vehicle_attitude").data
    assert np.isnan(data["q[0]"]).tolist() == [False, True, False, False, False]
    assert data["q[0]"][3] == 0.0 and report.rows == 5 and report.left_out == 0


def test_units_become_those_of_px4(tmp_path: Path) -> None:
    field = {"mx": [20e-6, 21e-6], "my": [0.0, 1e-6], "mz": [43e-6, 43e-6]}
    rates = {"wx": [90.0, 0.0], "wy": [0.0, 0.0], "wz": [-45.0, 0.0]}
    streams = [
        stream("/mag", "magnetic_field", field),
        stream("/gyro", "imu", rates, units={"angular_rate": "deg/s"}),
    ]
    write(streams, tmp_path / "a.ulg")
    back = read(tmp_path / "a.ulg")
    assert back.get_dataset("vehicle_magnetometer").data["magnetometer_ga[2]"] == pytest.approx([0.43, 0.43])
    assert back.get_dataset("vehicle_angular_velocity").data["xyz[0]"] == pytest.approx([np.pi / 2, 0.0])


def test_resets_of_a_position_come_back_through_our_reader(tmp_path: Path) -> None:
    reset = np.array([0, 1, 1 + (3 << 8), 1 + (3 << 8) + (2 << 24), 0], dtype=np.int64)
    streams = [
        stream("vehicle_attitude", "orientation", attitude()),
        stream("vehicle_local_position", "velocity", {**position(), "reset": reset}),
    ]
    report = write(streams, tmp_path / "a.ulg")
    assert not report.notices
    assert read(tmp_path / "a.ulg").get_dataset("vehicle_local_position").data[
        "z_reset_counter"
    ].tolist() == [*(0, 0, 3, 3, 0)]
    assert bs.read(tmp_path / "a.ulg")["vehicle_local_position"].column("reset").tolist() == reset.tolist()


def test_accuracies_of_a_fix_come_from_its_covariance(tmp_path: Path) -> None:
    covariance = np.tile(np.diag([1.0, 4.0, 9.0]).ravel(), (2, 1))
    covariance[1] = np.nan
    rows = pa.FixedSizeListArray.from_arrays(pa.array(covariance.ravel()), 9)
    table = stream("/fix", "gnss", {"lat": [47.0, 47.0], "lon": [8.0, 8.0], "fix": [3.0, np.nan]}).table()
    table = table.append_column("position_covariance", rows)
    report = write([Stream("/fix", "gnss", conventions.get("px4"), "body", table)], tmp_path / "a.ulg")
    data = read(tmp_path / "a.ulg").get_dataset("vehicle_gps_position").data
    assert data["eph"].tolist() == pytest.approx([np.sqrt(2.5), np.nan], nan_ok=True)
    assert data["epv"].tolist() == pytest.approx([3.0, np.nan], nan_ok=True)
    assert data["fix_type"].tolist() == [3, 0] and not data["vel_ned_valid"].any()
    assert not report.notices


def test_what_has_no_field_is_told(tmp_path: Path) -> None:
    covariance = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(45)), 9)
    table = (
        stream("vehicle_attitude", "orientation", attitude())
        .table()
        .append_column("orientation_covariance", covariance)
    )
    report = write(
        [Stream("vehicle_attitude", "orientation", conventions.get("px4"), "body", table)], tmp_path / "a.ulg"
    )
    assert [(n.code, n.stream) for n in report.notices] == [("not-written", "vehicle_attitude")]
    assert "orientation_covariance" in report.notices[0].message


def test_times_between_microseconds_are_rounded_and_told(tmp_path: Path) -> None:
    time = np.array([1_000_000_400, 1_000_001_600, 1_000_003_000], dtype=np.int64)
    report = write(
        [stream("vehicle_attitude", "orientation", {"time": time, **attitude(3)})], tmp_path / "a.ulg"
    )
    assert read(tmp_path / "a.ulg").get_dataset("vehicle_attitude").data["timestamp"].tolist() == [
        1_000_000,
        1_000_002,
        1_000_003,
    ]
    assert [(n.code, n.count) for n in report.notices] == [("time-rounded", 2)]


def test_times_before_zero_are_refused(tmp_path: Path) -> None:
    time = np.array([0, 1000, -1], dtype=np.int64)
    with pytest.raises(DataError, match=r"stream a, row 2, column time: a ULog's times are not negative"):
        write([stream("a", "orientation", {"time": time, **attitude(3)})], tmp_path / "a.ulg")


def test_another_convention_is_refused_and_converted_where_asked(tmp_path: Path) -> None:
    ros = Log({"/imu": stream("/imu", "orientation", attitude(), convention="ros")})
    with pytest.raises(DataError, match=r"numbers are in ros.*--to px4"):
        bs.write(ros, tmp_path / "a.ulg")
    assert not (tmp_path / "a.ulg").exists()
    with pytest.raises(DataError, match="a ULog holds PX4's axes and order, not those of ros"):
        bs.write(ros, tmp_path / "a.ulg", to="ros")
    bs.write(ros, tmp_path / "a.ulg", to="px4")
    data = read(tmp_path / "a.ulg").get_dataset("vehicle_attitude").data
    # Level, nose to the east (ROS's identity), is a quarter turn to the right of north.
    assert [abs(data[f"q[{i}]"][0]) for i in range(4)] == pytest.approx(
        [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], abs=1e-6
    )


def test_appended_data_is_read_by_pyulog(tmp_path: Path) -> None:
    topics = ulog_files.ordinary()
    path = ulog_files.build_appended(
        tmp_path / "a.ulg", topics, {"vehicle_attitude": 10, "sensor_combined": 40}
    )
    log = read(path)
    assert log.has_data_appended
    sections = [d.data["q[3]"] for d in log.data_list if d.name == "vehicle_attitude"]
    assert [len(s) for s in sections] == [90, 10]
    assert np.array_equal(np.concatenate(sections), topics[0].rows["q"][:, 3])
    assert [len(d.data["timestamp"]) for d in log.data_list if d.name == "sensor_combined"] == [360, 40]
