"""The main job on real recordings: PX4 logs to ROS, read back by readers that are not ours.

What is expected comes from pyulog's numbers and `Attitude`, not from our own reader and converter.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from px4_recordings import RECORDINGS
from pyulog import ULog
from scipy.spatial.transform import Rotation as Scipy
from test_mcap_writer import READERS, xyz, xyzw

import boresight as bs
import boresight.logs.registry as registry

evo = pytest.importorskip("evo.tools.file_interface", reason="evo is not installed")

Recording = Callable[[str], Path]
ENU = [1, 0, 2], [1, 1, -1]
FLU = [0, 1, 2], [1, -1, -1]


def turned(data: Any, names: list[str], change: tuple[list[int], list[int]]) -> np.ndarray:
    indices, signs = change
    return np.stack([data[names[i]].astype(float) for i in indices], axis=1) * signs


def topic(log: ULog, name: str) -> dict[str, np.ndarray]:
    return log.get_dataset(name).data


def attitude(log: ULog) -> tuple[np.ndarray, np.ndarray]:
    """Times in nanoseconds and x, y, z, w of the attitude rows, FLU to ENU."""
    data = topic(log, "vehicle_attitude")
    q = np.stack([data[f"q[{i}]"] for i in range(4)], axis=1).astype(float)
    flu_to_enu = bs.Attitude.from_body_to_ned(q, order="wxyz").flu_to_enu(order="xyzw")
    return data["timestamp"].astype(np.int64) * 1000, flu_to_enu


def valid(log: ULog, flag: str, times: np.ndarray) -> np.ndarray:
    """At which times the log itself calls a number valid: in the sample of that time, or in both around it."""
    data = topic(log, "vehicle_local_position")
    where = data["timestamp"].astype(np.int64) * 1000
    before = np.searchsorted(where, times, side="right") - 1
    after = np.searchsorted(where, times, side="left")
    return (data[flag][before] != 0) & (data[flag][after] != 0)


def position(log: ULog, times: np.ndarray) -> np.ndarray:
    data = topic(log, "vehicle_local_position")
    where = data["timestamp"].astype(np.int64) * 1000
    samples = turned(data, ["x", "y", "z"], ENU)
    return np.stack([np.interp(times - times[0], where - times[0], samples[:, i]) for i in range(3)], axis=1)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", RECORDINGS)
def test_mcap(recording: Recording, tmp_path: Path, name: str, reader: str) -> None:
    path = recording(f"a_px4/{name}.ulg")
    report = registry.write(registry.read(path), tmp_path / "out.mcap", to="ros")
    log, topics = ULog(str(path)), READERS[reader](tmp_path / "out.mcap")
    times, expected = attitude(log)

    messages = topics["/imu/data"]
    np.testing.assert_array_equal([t for t, _ in messages], times)
    np.testing.assert_allclose([xyzw(m.orientation) for _, m in messages], expected, atol=1e-12)

    messages = topics["/odom"]
    odometry = np.array([t for t, _ in messages])
    rows = np.searchsorted(times, odometry)
    assert len(rows) > 0.6 * len(times)
    np.testing.assert_array_equal(times[rows], odometry)
    np.testing.assert_allclose(
        [xyzw(m.pose.pose.orientation) for _, m in messages], expected[rows], atol=1e-12
    )
    np.testing.assert_allclose(
        [xyz(m.pose.pose.position) for _, m in messages], position(log, odometry), rtol=1e-9, atol=1e-9
    )
    assert {m.header.frame_id for _, m in messages} == {"map"}
    np.testing.assert_array_equal([t for t, _ in topics["/tf"]], odometry)
    np.testing.assert_array_equal(
        [xyz(m.transforms[0].transform.translation) for _, m in topics["/tf"]],
        [xyz(m.pose.pose.position) for _, m in messages],
    )

    # What the log itself flags as not valid is marked, and said.
    horizontal, vertical = (valid(log, flag, odometry) for flag in ("xy_valid", "z_valid"))
    variances = np.array([np.diag(np.reshape(m.pose.covariance, (6, 6))) for _, m in messages])
    expected = np.stack([horizontal, horizontal, vertical], axis=1)
    np.testing.assert_array_equal(variances[:, :3] == 1e9, ~expected)
    np.testing.assert_array_equal(variances[:, :3][expected], 0.0)
    said = [
        n for n in report.notices if (n.code, n.stream) == ("flagged-invalid-position", "vehicle_attitude")
    ]
    count = int((~expected).any(axis=1).sum())
    assert [n.count for n in said] == ([count] if count else [])
    for notice in said:
        assert f"the log itself flags {count} of {len(messages)} positions" in notice.message
        assert "not valid; they are written, with variance 1e9" in notice.message

    horizontal, vertical = (valid(log, flag, odometry) for flag in ("v_xy_valid", "v_z_valid"))
    turns = Scipy.from_quat([xyzw(m.pose.pose.orientation) for _, m in messages]).as_matrix()
    twists = np.array([np.reshape(m.twist.covariance, (6, 6))[:3, :3] for _, m in messages])
    in_world = turns @ twists @ np.swapaxes(turns, 1, 2)
    wanted = np.stack([np.diag(row) for row in np.stack([~horizontal, ~horizontal, ~vertical], axis=1) * 1e9])
    np.testing.assert_allclose(in_world, wanted, atol=1e-3)


def test_what_the_recordings_flag(recording: Recording) -> None:
    """The marks above are of some, of all and of no positions."""
    shares = {
        name: np.mean(
            topic(ULog(str(recording(f"a_px4/{name}.ulg"))), "vehicle_local_position")["xy_valid"] == 0
        )
        for name in RECORDINGS
    }
    assert sum(share == 1 for share in shares.values()) == 4
    assert sum(0 < share < 1 for share in shares.values()) == 2


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", RECORDINGS)
def test_sensors_in_mcap(recording: Recording, tmp_path: Path, name: str, reader: str) -> None:
    path = recording(f"a_px4/{name}.ulg")
    registry.write(registry.read(path), tmp_path / "out.mcap", to="ros")
    log, topics = ULog(str(path)), READERS[reader](tmp_path / "out.mcap")
    data = topic(log, "sensor_combined")
    messages = topics["/imu/data_raw"]
    np.testing.assert_array_equal([t for t, _ in messages], data["timestamp"].astype(np.int64) * 1000)
    rates = turned(data, [f"gyro_rad[{i}]" for i in range(3)], FLU)
    force = turned(data, [f"accelerometer_m_s2[{i}]" for i in range(3)], FLU)
    np.testing.assert_allclose([xyz(m.angular_velocity) for _, m in messages], rates, atol=1e-12)
    np.testing.assert_allclose([xyz(m.linear_acceleration) for _, m in messages], force, atol=1e-12)
    at_rest = (np.abs(rates).max(axis=1) < 0.05) & (np.abs(np.linalg.norm(force, axis=1) - 9.8) < 0.5)
    if at_rest.sum() > 50:
        measured = np.array([m.linear_acceleration.z for _, m in messages])[at_rest]
        assert (
            abs(np.median(measured) - 9.8) < 0.3
        )  # a sensor at rest measures the push of the ground, upwards


def test_at_rest_is_found_in_most_recordings(recording: Recording) -> None:
    """The check on gravity above is not skipped everywhere."""
    found = 0
    for name in RECORDINGS:
        data = topic(ULog(str(recording(f"a_px4/{name}.ulg"))), "sensor_combined")
        rates = turned(data, [f"gyro_rad[{i}]" for i in range(3)], FLU)
        force = turned(data, [f"accelerometer_m_s2[{i}]" for i in range(3)], FLU)
        still = (np.abs(rates).max(axis=1) < 0.05) & (np.abs(np.linalg.norm(force, axis=1) - 9.8) < 0.5)
        found += still.sum() > 50
    assert found >= 4


@pytest.mark.parametrize("name", RECORDINGS)
def test_trajectories_and_parquet(recording: Recording, tmp_path: Path, name: str) -> None:
    path = recording(f"a_px4/{name}.ulg")
    log, read = ULog(str(path)), registry.read(path)
    times, expected = attitude(log)
    for form, reader in [("tum", evo.read_tum_trajectory_file), ("euroc", evo.read_euroc_csv_trajectory)]:
        out = tmp_path / f"out.{form}"
        registry.write(read, out, to="ros")
        trajectory = reader(out)
        assert trajectory.num_poses > 0.6 * len(times)
        rows = np.searchsorted(times, np.round(trajectory.timestamps * 1e9) - 500)
        np.testing.assert_allclose(
            trajectory.orientations_quat_wxyz[:, [1, 2, 3, 0]], expected[rows], atol=1e-12
        )
        np.testing.assert_allclose(trajectory.positions_xyz, position(log, times[rows]), rtol=1e-9, atol=1e-9)
    registry.write(read, tmp_path / "out.parquet", to="ros")
    back = registry.read(tmp_path / "out.parquet")
    assert set(back.streams) == set(read.streams)
    np.testing.assert_array_equal(back["vehicle_attitude"].time, times)
    np.testing.assert_allclose(back["vehicle_attitude"].quaternion(order="xyzw"), expected, atol=1e-12)


@pytest.mark.parametrize("parquet_in", [None, "ros"])
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_round_trip(recording: Recording, tmp_path: Path, name: str, parquet_in: str | None) -> None:
    """ULog to Parquet to MCAP to TUM is the same text as ULog to TUM."""
    path = recording(f"a_px4/{name}.ulg")
    log = registry.read(path)
    report = registry.write(log, tmp_path / "straight.tum", to="ros")
    registry.write(log, tmp_path / "1.parquet", to=parquet_in)
    registry.write(registry.read(tmp_path / "1.parquet"), tmp_path / "2.mcap", to="ros")
    registry.write(registry.read(tmp_path / "2.mcap"), tmp_path / "3.tum")

    def rows(path: Path) -> list[str]:
        return [line for line in path.read_text().splitlines() if not line.startswith("#")]

    assert rows(tmp_path / "3.tum") == rows(tmp_path / "straight.tum")

    # and on the way nothing is lost of what the log says of its numbers
    registry.write(log, tmp_path / "direct.mcap", to="ros")
    direct, back = (registry.read(tmp_path / f"{name}.mcap")["/odom"] for name in ("direct", "2"))
    data = topic(ULog(str(path)), "vehicle_local_position")
    said = [n.message for n in report.notices if n.code == "flagged-invalid-position"]
    assert len(said) == (not data["xy_valid"].all() or not data["z_valid"].all())
    assert all("they are written as they are; the format has no field for it" in text for text in said)
    for column, flag in {
        "xy_valid": "xy_valid",
        "z_valid": "z_valid",
        "vxy_valid": "v_xy_valid",
        "vz_valid": "v_z_valid",
    }.items():
        kept = registry.read(tmp_path / "1.parquet")["vehicle_local_position"].column(column)
        np.testing.assert_array_equal(kept != 0, data[flag] != 0)
    assert direct.schema.names == back.schema.names
    for group in ("pose_covariance", "twist_covariance"):
        if direct.has(group):
            np.testing.assert_allclose(back.array(group), direct.array(group), atol=1e-3)
    assert direct.has("pose_covariance") == bool(said)


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_pose_has_the_rates_that_the_log_has(recording: Recording, tmp_path: Path, name: str) -> None:
    registry.write(bs.read(recording(f"a_px4/{name}.ulg")), tmp_path / "a.mcap", to="ros")
    messages = [m for _, m in READERS["mcap_ros2"](tmp_path / "a.mcap")["/odom"]]
    rates = np.array([xyz(m.twist.twist.angular) for m in messages])
    assert np.isfinite(rates).all() and rates.any(axis=-1).all()


def test_a_height_that_was_never_set_is_not_written_as_zero(recording: Recording, tmp_path: Path) -> None:
    registry.write(bs.read(recording("a_px4/yuneec_position.ulg")), tmp_path / "a.mcap", to="ros")
    fixes = [m for _, m in READERS["mcap_ros2"](tmp_path / "a.mcap")["/gnss/fix"]]
    assert fixes and all(np.isnan(fix.altitude) for fix in fixes)
