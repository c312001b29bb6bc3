"""Numbers that a log itself flags as not valid: written, marked where the format can, and said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sample_logs import flight, poses
from scipy.spatial.transform import Rotation as Scipy
from test_mcap_writer import READERS, xyz, xyzw

import boresight.logs.registry as registry
from boresight.logs.model import Log, Stream
from boresight.logs.poses import pose_stream


def flagged(log: Log, name: str, **flags: Any) -> Stream:
    """A stream of the log with flags of its own numbers."""
    rows = log[name].table()
    for column, values in flags.items():
        values = np.broadcast_to(values, rows.num_rows).astype(np.uint8)
        rows = rows.append_column(column, pa.array(values))
    return log[name].replace(rows=rows)


def receiver() -> Log:
    """The flight, its receiver saying how good its velocities are."""
    log = flight()
    own = log["vehicle_gps_position"]
    accuracy = pa.array(np.full(own.num_rows, 0.2, np.float32))
    own = own.replace(rows=own.table().append_column("speed_accuracy", accuracy))
    return Log({**log.streams, own.name: own})


def with_flags(log: Log, **flags: Any) -> Log:
    return Log({**log.streams, "vehicle_local_position": flagged(log, "vehicle_local_position", **flags)})


@pytest.mark.parametrize("reader", READERS)
def test_what_the_log_flags_as_not_valid_is_written_and_marked(tmp_path: Path, reader: str) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    flags = {"xy_valid": np.arange(n) > n // 2, "z_valid": np.arange(n) != 3}
    report = registry.write(with_flags(log, **flags), tmp_path / "out.mcap")
    registry.write(log, tmp_path / "plain.mcap")
    topics, plain = (READERS[reader](tmp_path / f"{name}.mcap") for name in ("out", "plain"))
    assert {t: len(m) for t, m in topics.items()} == {t: len(m) for t, m in plain.items()}

    joined = pose_stream(with_flags(log, **flags))
    horizontal, vertical = joined.array("position_valid").T == 0
    assert 0 < horizontal.sum() < len(horizontal) and 0 < vertical.sum() < len(vertical)
    for row, ((time, message), (_, same)) in enumerate(zip(topics["/odom"], plain["/odom"], strict=True)):
        assert time == joined.time[row]
        assert xyz(message.pose.pose.position) == xyz(same.pose.pose.position)
        assert xyz(message.twist.twist.linear) == xyz(same.twist.twist.linear)
        wanted = np.zeros((6, 6))
        wanted[[0, 1], [0, 1]] = 1e9 * horizontal[row]
        wanted[2, 2] = 1e9 * vertical[row]
        np.testing.assert_array_equal(message.pose.covariance, wanted.reshape(-1))
        assert not np.any(message.twist.covariance)
    (notice,) = [item for item in report.notices if item.code.startswith("flagged-invalid")]
    count = int((horizontal | vertical).sum())
    assert notice.message == (
        f"the log itself flags {count} of {joined.num_rows} positions as not valid; they are written, with variance 1e9 "
        "(/tf: as they are; the message has no field for it)"
    )
    assert notice.count == count


@pytest.mark.parametrize("reader", READERS)
def test_a_flagged_velocity_is_marked_in_the_axes_of_the_body(tmp_path: Path, reader: str) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    flags = {"vxy_valid": np.arange(n) > 10, "vz_valid": np.arange(n) > 5}
    report = registry.write(with_flags(log, **flags), tmp_path / "out.mcap")
    messages = [m for _, m in READERS[reader](tmp_path / "out.mcap")["/odom"]]
    horizontal, vertical = pose_stream(with_flags(log, **flags)).array("velocity_valid").T == 0
    both = horizontal & vertical
    assert 0 < both.sum() < horizontal.sum() < len(horizontal)
    covariances = np.array([m.twist.covariance for m in messages]).reshape(-1, 6, 6)
    np.testing.assert_array_equal(
        covariances[both, :3, :3], np.broadcast_to(1e9 * np.eye(3), (both.sum(), 3, 3))
    )
    np.testing.assert_array_equal(covariances, np.swapaxes(covariances, 1, 2))
    assert not covariances[:, 3:].any()
    assert not covariances[~horizontal].any()
    turns = Scipy.from_quat([xyzw(m.pose.pose.orientation) for m in messages]).as_matrix()
    in_world = turns @ covariances[:, :3, :3] @ np.swapaxes(turns, 1, 2)
    for row in np.flatnonzero(horizontal & ~vertical):
        np.testing.assert_allclose(in_world[row], np.diag([1e9, 1e9, 0.0]), atol=1e-5)
    assert not any(np.any(m.pose.covariance) for m in messages)
    (notice,) = [item for item in report.notices if item.code.startswith("flagged-invalid")]
    assert notice.message.startswith(
        f"the log itself flags {horizontal.sum()} of {len(messages)} velocities as not"
    )


@pytest.mark.parametrize("reader", READERS)
def test_what_is_known_of_numbers_that_are_not_flagged_stays(tmp_path: Path, reader: str) -> None:
    log = poses(30, "ros")
    rows = log["pose"].table()
    flags = {
        "xy_valid": np.arange(30) % 2,
        "z_valid": np.ones(30),
        "vxy_valid": np.ones(30),
        "vz_valid": np.arange(30) % 3 > 0,
    }
    for name, values in flags.items():
        rows = rows.append_column(name, pa.array(values.astype(np.uint8)))
    log = Log({"pose": log["pose"].replace(rows=rows)})
    registry.write(log, tmp_path / "out.mcap")
    before = log["pose"].array("pose_covariance").reshape(-1, 6, 6)
    twists = log["pose"].array("twist_covariance").reshape(-1, 6, 6)
    turns = np.zeros((30, 6, 6))
    turns[:, :3, :3] = log["pose"].rotation().as_matrix()
    turns[:, 3:, 3:] = np.eye(3)
    for i, (_, message) in enumerate(READERS[reader](tmp_path / "out.mcap")["/odom"]):
        after = np.reshape(message.pose.covariance, (6, 6))
        wanted = before[i].copy()
        if i % 2 == 0:
            wanted[:2], wanted[:, :2] = 0.0, 0.0
            wanted[[0, 1], [0, 1]] = 1e9
        np.testing.assert_array_equal(after, wanted)
        twist = np.reshape(message.twist.covariance, (6, 6))
        if i % 3:
            np.testing.assert_array_equal(twist, twists[i])
            continue
        wanted = turns[i] @ twists[i] @ turns[i].T
        wanted[2], wanted[:, 2] = 0.0, 0.0
        wanted[2, 2] = 1e9
        np.testing.assert_allclose(turns[i] @ twist @ turns[i].T, wanted, atol=1e-5)


@pytest.mark.parametrize("reader", READERS)
def test_where_no_axis_is_known_to_be_vertical_a_flag_is_for_all(tmp_path: Path, reader: str) -> None:
    log = poses(4, "tum")
    rows = log["pose"].table()
    for name, values in {"xy_valid": [1, 0, 1, 0], "z_valid": [1, 1, 0, 0]}.items():
        rows = rows.append_column(name, pa.array(values, pa.uint8()))
    rows = rows.drop_columns(["pose_covariance", "twist_covariance"])
    log = Log({"pose": log["pose"].replace(rows=rows)})
    registry.write(log, tmp_path / "out.mcap")
    messages = [m for _, m in READERS[reader](tmp_path / "out.mcap")["/odom"]]
    assert {m.header.frame_id for m in messages} == {"world"}
    variances = [[m.pose.covariance[entry] for entry in (0, 7, 14)] for m in messages]
    assert variances == [[0.0] * 3, *[[1e9] * 3] * 3]


@pytest.mark.parametrize("reader", READERS)
def test_receivers_flags(tmp_path: Path, reader: str) -> None:
    log = receiver()
    n = log["vehicle_gps_position"].num_rows
    valid = np.arange(n) > 2
    own = flagged(log, "vehicle_gps_position", xy_valid=valid, z_valid=1, vxy_valid=valid, vz_valid=valid)
    report = registry.write(Log({**log.streams, "vehicle_gps_position": own}), tmp_path / "out.mcap")
    registry.write(log, tmp_path / "plain.mcap")
    topics, plain = (READERS[reader](tmp_path / f"{name}.mcap") for name in ("out", "plain"))
    velocities = [m.twist for _, m in topics["/gnss/velocity"]]
    assert [xyz(m.twist.linear) for m in velocities] == [
        xyz(m.twist.twist.linear) for _, m in plain["/gnss/velocity"]
    ]
    for i, message in enumerate(velocities):
        variances = [message.covariance[entry] for entry in (0, 7, 14)]
        assert variances == pytest.approx([0.04] * 3 if i > 2 else [1e9] * 3)
    for i, (_, message) in enumerate(topics["/gnss/fix"]):
        assert message.position_covariance[8] == 4.0
        assert message.position_covariance[0] == message.position_covariance[4] == (0.25 if i > 2 else 1e9)
        assert message.position_covariance_type == 2
    said = {item.code: item for item in report.notices if item.code.startswith("flagged-invalid")}
    assert said["flagged-invalid-position"].message == (
        f"the log itself flags 3 of {n} positions as not valid; they are written, with variance 1e9"
    )
    assert said["flagged-invalid-velocity"].message == (
        f"the log itself flags 3 of {n} velocities as not valid; they are written, with variance 1e9"
    )


def test_a_velocity_of_which_nothing_is_said_has_no_covariance(tmp_path: Path) -> None:
    log = flight()
    registry.write(log, tmp_path / "out.mcap")
    for read in READERS.values():
        assert xyz(read(tmp_path / "out.mcap")["/gnss/velocity"][0][1].twist.linear)
    back = registry.read(tmp_path / "out.mcap")["/gnss/velocity"]
    assert not back.has("velocity_covariance")
    assert not back.has("velocity_valid")


HORIZONTAL, VERTICAL = np.arange(40) % 3 > 0, np.arange(40) % 5 > 0


def test_receivers_flags_come_back(tmp_path: Path) -> None:
    own = flagged(
        receiver(),
        "vehicle_gps_position",
        xy_valid=HORIZONTAL,
        z_valid=VERTICAL,
        vxy_valid=VERTICAL,
        vz_valid=HORIZONTAL,
    )
    # In ROS's own axes, and in the log's again.
    registry.write(Log({own.name: own}), tmp_path / "1.mcap")
    registry.write(registry.read(tmp_path / "1.mcap"), tmp_path / "2.mcap")
    for name in ("1", "2"):
        back = registry.read(tmp_path / f"{name}.mcap")
        np.testing.assert_array_equal(back["/gnss/fix"].array("position_valid").T, [HORIZONTAL, VERTICAL])
        velocity = back["/gnss/velocity"]
        np.testing.assert_array_equal(velocity.array("velocity_valid").T, [VERTICAL, HORIZONTAL])
        variances = velocity.array("velocity_covariance")[:, [0, 4, 8]]
        np.testing.assert_allclose(variances[VERTICAL & HORIZONTAL], 0.04, rtol=1e-6)
        np.testing.assert_array_equal(
            velocity.array("velocity"), own.array("velocity")[:, [1, 0, 2]] * [1, 1, -1]
        )


def test_flags_of_poses_come_back(tmp_path: Path) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    log = with_flags(
        log,
        xy_valid=np.arange(n) > 9,
        z_valid=np.arange(n) > 4,
        vxy_valid=np.arange(n) > 7,
        vz_valid=np.arange(n) > 2,
    )
    wanted = pose_stream(log)
    registry.write(log, tmp_path / "out.mcap")
    back = registry.read(tmp_path / "out.mcap")["/odom"]
    for group in ("position_valid", "velocity_valid"):
        assert 0 < wanted.array(group)[:, 0].sum() < wanted.array(group)[:, 1].sum() < wanted.num_rows
        np.testing.assert_array_equal(back.array(group), wanted.array(group))


def test_what_is_not_flagged_has_no_flags_when_it_comes_back(tmp_path: Path) -> None:
    registry.write(flight(), tmp_path / "out.mcap")
    for stream in registry.read(tmp_path / "out.mcap").streams.values():
        assert not stream.has("position_valid"), stream.name
        assert not stream.has("velocity_valid"), stream.name


@pytest.mark.parametrize("parquet_in", [None, "ros"])
def test_marks_survive_parquet_and_another_mcap(tmp_path: Path, parquet_in: str | None) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    log = with_flags(log, xy_valid=np.arange(n) > 9, z_valid=1, vxy_valid=np.arange(n) > 9, vz_valid=1)
    registry.write(log, tmp_path / "direct.mcap", to="ros")
    registry.write(log, tmp_path / "1.parquet", to=parquet_in)
    registry.write(registry.read(tmp_path / "1.parquet"), tmp_path / "2.mcap", to="ros")
    registry.write(registry.read(tmp_path / "2.mcap"), tmp_path / "3.mcap")
    wanted, *others = (registry.read(tmp_path / f"{name}.mcap")["/odom"] for name in ("direct", "2", "3"))
    assert (wanted.array("pose_covariance")[:, 0] == 1e9).sum() > 50
    for other in others:
        for group in ("position", "pose_covariance", "twist_covariance"):
            np.testing.assert_allclose(other.array(group), wanted.array(group), rtol=1e-14, atol=1e-6)


def test_positions_without_velocities_are_written_and_the_lack_of_a_mark_is_said(tmp_path: Path) -> None:
    log = with_flags(flight(), xy_valid=0, z_valid=1)
    rows = log["vehicle_local_position"].table().drop_columns(["vx", "vy", "vz"])
    log = Log({**log.streams, "vehicle_local_position": log["vehicle_local_position"].replace(rows=rows)})
    report = registry.write(log, tmp_path / "out.mcap")
    count = registry.read(tmp_path / "out.mcap")["/pose"].num_rows
    (notice,) = [item for item in report.notices if item.code.startswith("flagged-invalid")]
    assert notice.message == (
        f"the log itself flags {count} of {count} positions as not valid; "
        "they are written as they are; the message has no field for it"
    )


@pytest.mark.parametrize("suffix", ["tum", "euroc", "kitti"])
def test_text_has_no_field_for_it_and_says_so(tmp_path: Path, suffix: str) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    report = registry.write(
        with_flags(log, xy_valid=np.arange(n) > 9, z_valid=1), tmp_path / f"out.{suffix}", to="ros"
    )
    registry.write(log, tmp_path / f"plain.{suffix}", to="ros")
    assert (tmp_path / f"out.{suffix}").read_text() == (tmp_path / f"plain.{suffix}").read_text()
    (notice,) = [item for item in report.notices if item.code == "flagged-invalid-position"]
    assert 0 < notice.count < report.rows
    assert notice.message == (
        f"the log itself flags {notice.count} of {report.rows} positions as not valid; "
        "they are written as they are; the format has no field for it"
    )


def test_text_made_of_ros_messages_says_how_many_the_log_flagged(tmp_path: Path) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    registry.write(with_flags(log, xy_valid=np.arange(n) > 9, z_valid=1), tmp_path / "out.mcap", to="ros")
    back = registry.read(tmp_path / "out.mcap")
    report = registry.write(back, tmp_path / "out.tum")
    count = int((back["/odom"].array("position_valid") == 0).any(axis=1).sum())
    assert 0 < count < report.rows
    (notice,) = [item for item in report.notices if item.code == "flagged-invalid-position"]
    assert (notice.count, notice.stream) == (count, "/odom")
    assert notice.message.startswith(f"the log itself flags {count} of {report.rows} positions as not valid")


def test_where_every_flag_holds_nothing_is_said(tmp_path: Path) -> None:
    log = with_flags(flight(), xy_valid=1, z_valid=1, vxy_valid=1, vz_valid=1)
    for name in ("out.tum", "out.mcap"):
        report = registry.write(log, tmp_path / name, to="ros")
        assert not [item for item in report.notices if item.code.startswith("flagged-invalid")]
    assert not registry.read(tmp_path / "out.mcap")["/odom"].has("pose_covariance")


def test_csv_keeps_the_flags(tmp_path: Path) -> None:
    log = flight()
    n = log["vehicle_local_position"].num_rows
    log = with_flags(log, xy_valid=np.arange(n) > 9, z_valid=1)
    registry.write(log, tmp_path / "out.csv", to="ros")
    back = pose_stream(registry.read(tmp_path / "out.csv"))
    np.testing.assert_array_equal(back.array("position_valid"), pose_stream(log).array("position_valid"))
