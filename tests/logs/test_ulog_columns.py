"""What a PX4 log says beside its numbers: accuracies, flags, the origin of positions, how long a mean was taken over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import ulog_files
from pyulog import ULog

import boresight as bs
from boresight.logs import read
from boresight.logs.writers.ulog_file import Topic, row_dtype
from boresight.simulate import simulate


def test_a_receiver_says_how_good_its_velocity_and_heading_are(tmp_path: Path) -> None:
    gps = ulog_files.gps()
    gps.rows["s_variance_m_s"], gps.rows["heading_accuracy"] = 0.25, 0.05
    gps.rows["vel_ned_valid"][3] = False
    log = read(ulog_files.build(tmp_path / "a.ulg", [ulog_files.attitude(), gps]))
    stream = log["vehicle_gps_position"]
    # Its name says variance; receivers put a standard deviation there.
    assert (stream.array("speed_accuracy") == np.float32(0.25)).all()
    assert stream.unit("speed_accuracy") == "m/s"
    assert (stream.array("heading_accuracy") == np.float32(0.05)).all()
    valid = stream.array("velocity_valid")
    assert valid.shape == (10, 2)
    assert np.flatnonzero(valid[:, 0] == 0).tolist() == np.flatnonzero(valid[:, 1] == 0).tolist() == [3]


def test_positions_say_where_their_origin_lies_and_which_of_them_hold(tmp_path: Path) -> None:
    position = ulog_files.local_position()
    rows = position.rows
    rows["ref_lat"], rows["ref_lon"], rows["ref_alt"], rows["ref_timestamp"] = 47.4, 8.5, 488.0, 4_000_000
    rows["xy_global"][2:] = True
    rows["z_global"] = True
    rows["xy_valid"][:5] = False
    rows["v_z_valid"][7] = False
    log = read(ulog_files.build(tmp_path / "a.ulg", [ulog_files.attitude(), position]))
    stream = log["vehicle_local_position"]
    origin = stream.array("local_origin")
    # Of rows that have none, the message's fields hold whatever they held: it is no place.
    assert np.isnan(origin[:2]).all()
    assert (origin[2:] == (47.4, 8.5)).all()
    assert (stream.array("local_origin_altitude") == 488.0).all()
    assert (stream.array("local_origin_time") == 4_000_000_000).all()
    assert np.flatnonzero(stream.column("xy_valid") == 0).tolist() == [0, 1, 2, 3, 4]
    assert (stream.column("z_valid") == 1).all()
    assert np.flatnonzero(stream.column("vz_valid") == 0).tolist() == [7]


def test_an_imu_says_how_long_its_means_were_taken_over(tmp_path: Path) -> None:
    combined = ulog_files.combined()
    combined.rows["gyro_integral_dt"], combined.rows["accelerometer_integral_dt"] = 5000, 4000
    old = ulog_files.combined(old=True)
    old.rows["gyro_integral_dt"], old.rows["accelerometer_integral_dt"] = 0.005, 0.004
    for number, topic in enumerate((combined, old)):
        log = read(ulog_files.build(tmp_path / f"{number}.ulg", [ulog_files.attitude(), topic]))
        stream = log["sensor_combined"]
        assert np.allclose(stream.array("rate_interval"), 0.005, rtol=1e-7)
        assert np.allclose(stream.array("force_interval"), 0.004, rtol=1e-7)


def test_rate_times_interval_is_the_integral_that_was_logged(tmp_path: Path) -> None:
    definition = "uint64_t timestamp;float[3] delta_angle;float[3] delta_velocity;uint16_t delta_angle_dt;uint16_t delta_velocity_dt;"
    rows = np.zeros(50, dtype=row_dtype(definition))
    rng = np.random.default_rng(1)
    rows["timestamp"] = 5_000_000 + 5000 * np.arange(50)
    rows["delta_angle"], rows["delta_velocity"] = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    rows["delta_angle_dt"], rows["delta_velocity_dt"] = 4321, 4999
    topics = [ulog_files.attitude(), Topic("vehicle_imu", definition, rows)]
    stream = read(ulog_files.build(tmp_path / "a.ulg", topics))["vehicle_imu"]
    angle = stream.array("angular_rate") * stream.array("rate_interval")[:, None]
    velocity = stream.array("specific_force") * stream.array("force_interval")[:, None]
    assert np.array_equal(angle.astype(np.float32), rows["delta_angle"])
    assert np.array_equal(velocity.astype(np.float32), rows["delta_velocity"])


def test_all_of_it_comes_back_from_a_ulog_of_ours(tmp_path: Path) -> None:
    position, gps, combined = ulog_files.local_position(), ulog_files.gps(), ulog_files.combined()
    rows = position.rows
    rows["ref_lat"], rows["ref_lon"], rows["ref_alt"], rows["ref_timestamp"] = 47.4, 8.5, 488.0, 4_000_000
    rows["xy_global"][2:], rows["z_global"][4:], rows["z_valid"][:3] = True, True, False
    gps.rows["s_variance_m_s"], gps.rows["heading_accuracy"], gps.rows["vel_ned_valid"][1] = 0.25, 0.05, False
    combined.rows["gyro_integral_dt"], combined.rows["accelerometer_integral_dt"] = 5000, 4000
    topics = [ulog_files.attitude(), position, gps, combined]
    log = read(ulog_files.build(tmp_path / "a.ulg", topics))
    bs.write(log, tmp_path / "b.ulg")
    back = read(tmp_path / "b.ulg")
    for name, stream in log.streams.items():
        for column in stream.schema.names:
            assert np.array_equal(stream.column(column), back[name].column(column), equal_nan=True), (
                name,
                column,
            )


def test_a_simulated_log_says_it_too(tmp_path: Path) -> None:
    log = simulate("flight", seed=1, duration=2.0)
    assert log["vehicle_local_position"].array("local_origin")[0].tolist() == [47.3977, 8.5456]
    assert log["vehicle_local_position_groundtruth"].column("ref_alt")[0] == 488.0
    assert np.allclose(log["vehicle_gps_position"].array("speed_accuracy"), 0.1)
    assert np.allclose(log["sensor_combined"].array("rate_interval"), 0.005)
    bs.write(log, tmp_path / "flight.ulg")
    data = ULog(str(tmp_path / "flight.ulg")).get_dataset("vehicle_local_position").data
    assert data["xy_global"].all() and data["z_global"].all()
    assert set(data["ref_timestamp"]) == {10_000_000}


def test_topics_that_are_not_read_are_named(tmp_path: Path) -> None:
    definition = "uint64_t timestamp;float value;"
    rows = np.zeros(4, dtype=row_dtype(definition))
    rows["timestamp"] = 5_000_000 + 1000 * np.arange(4)
    topics = [
        ulog_files.attitude(),
        Topic("cpuload", definition, rows),
        Topic("battery_status", definition, rows),
    ]
    log = read(ulog_files.build(tmp_path / "a.ulg", topics))
    (notice,) = [n for n in log.notices if n.code == "not-read"]
    assert "2 topics (battery_status, cpuload)" in notice.message
    report = bs.write(log, tmp_path / "b.ulg")
    assert notice in report.notices
    # And what is read is not among them: a file of ours has nothing more.
    assert not [n for n in read(tmp_path / "b.ulg").notices if n.code == "not-read"]


def test_a_topic_without_what_a_stream_needs_counts_as_not_read(tmp_path: Path) -> None:
    definition = "uint64_t timestamp;float eph;"
    rows = np.zeros(4, dtype=row_dtype(definition))
    rows["timestamp"] = 5_000_000 + 1000 * np.arange(4)
    topics = [ulog_files.attitude(), Topic("vehicle_gps_position", definition, rows)]
    log = read(ulog_files.build(tmp_path / "a.ulg", topics))
    (notice,) = [n for n in log.notices if n.code == "not-read"]
    assert "1 topic (vehicle_gps_position)" in notice.message


@pytest.mark.parametrize("kind", [b"F", b"@", b"\x04"])
def test_a_row_whose_message_lost_its_type_is_missed(tmp_path: Path, kind: bytes) -> None:
    path = ulog_files.build(tmp_path / "a.ulg", ulog_files.ordinary())
    data = bytearray(path.read_bytes())
    rows = sum(stream.num_rows for stream in read(path).streams.values())
    places = [at for at, letter in ulog_files.message_starts(path) if letter == "D"]
    data[places[40] + 2 : places[40] + 3] = kind
    path.write_bytes(data)
    log = read(path)
    assert sum(stream.num_rows for stream in log.streams.values()) == rows - 1
    (notice,) = [n for n in log.notices if n.code == "unknown-message"]
    assert notice.count == 1


@pytest.mark.parametrize("old", [True, False])
def test_a_height_above_the_ellipsoid_that_is_not_set_is_nan(tmp_path: Path, old: bool) -> None:
    """As it is where a driver leaves the field at 0, and where an estimator counts on from that 0."""
    topics = ulog_files.ordinary(old=old)
    heights = topics[3].rows["alt_ellipsoid" if old else "altitude_ellipsoid_m"]
    heights[:4] = 0
    heights[4:6] = 1_300 if old else 1.3
    log = read(ulog_files.build(tmp_path / "a.ulg", topics))
    np.testing.assert_array_equal(
        log["vehicle_gps_position"].column("alt_ellipsoid"), [*[np.nan] * 6, *[535.3] * 4]
    )
    (said,) = [n for n in log.notices if n.code == "unset-altitude"]
    assert said.count == 6 and said.stream == "vehicle_gps_position"


def test_heights_that_are_all_zero_are_none(tmp_path: Path) -> None:
    topics = ulog_files.ordinary()
    topics[3].rows["altitude_ellipsoid_m"] = topics[3].rows["altitude_msl_m"] = 0
    log = read(ulog_files.build(tmp_path / "a.ulg", topics))
    assert np.isnan(log["vehicle_gps_position"].column("alt_ellipsoid")).all()
    topics[3].rows["altitude_ellipsoid_m"][1] = 0.2  # at sea it may pass through 0
    log = read(ulog_files.build(tmp_path / "b.ulg", topics))
    assert log["vehicle_gps_position"].column("alt_ellipsoid")[:2].tolist() == [0.0, 0.2]


def test_a_receivers_calendar_dates_the_log(tmp_path: Path) -> None:
    def dated(values: object) -> str | None:
        gps = ulog_files.gps(old=True)
        gps.rows["time_utc_usec"] = values
        path = ulog_files.build(tmp_path / "a.ulg", [ulog_files.attitude(), gps])
        return read(path).metadata.get("gnss_utc")

    second = 1_710_773_351_000_000
    assert dated([0, 0, 0] + [second + 200_000 * i for i in range(7)]) == "2024-03-18T14:49:11"
    assert dated(0) is None
    assert dated(2**64 - 1) is None
    assert "gnss_utc" not in read(ulog_files.build(tmp_path / "b.ulg", [ulog_files.attitude()])).metadata
