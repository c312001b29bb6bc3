"""TUM, EuRoC, KITTI and CSV: exact numbers, read back by ourselves and by evo."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_logs import START, columns, flight, poses, quaternions, stream, table

import boresight.logs.registry as registry
from boresight.errors import DataError
from boresight.logs.convert import convert_log
from boresight.logs.model import Log
from boresight.logs.poses import pose_stream
from boresight.logs.text_output import format_time, write_lines

evo = pytest.importorskip("evo.tools.file_interface", reason="evo is not installed")


def lines(path: Path) -> list[list[str]]:
    separator = "," if path.suffix in (".euroc", ".csv") else None
    return [line.split(separator) for line in path.read_text().splitlines() if not line.startswith("#")]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.sampled_from(["s", "ms", "us", "ns"]))
def test_times_are_exact(times: list[int], unit: str) -> None:
    power = {"s": 9, "ms": 6, "us": 3, "ns": 0}[unit]
    for time, text in zip(times, format_time(np.array(times), unit).to_pylist(), strict=True):
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        whole, _, rest = digits.partition(".")
        assert len(rest) == power
        assert int(sign + whole + rest) == time


@given(st.lists(st.floats(width=64), min_size=1))
def test_floats_read_back_as_they_were(values: list[float]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "x")
        write_lines(
            path, ["# head"], [[pa.array(values, pa.float64()), np.arange(len(values))]], separator=" "
        )
        rows = [line.split() for line in path.read_text().splitlines()[1:]]
    np.testing.assert_array_equal([float(row[0]) for row in rows], values)
    # the shortest text that does
    assert all(len(row[0]) <= len(repr(v)) + 5 for row, v in zip(rows, values, strict=True))


def test_float32_columns_are_written_as_the_float64_they_are(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", [], [[np.array([0.1], np.float32)]], separator=" ")
    assert float((tmp_path / "x").read_text()) == float(np.float32(0.1))


def test_tum(tmp_path: Path) -> None:
    path = tmp_path / "out.tum"
    report = registry.write(flight(), path, to="ros")
    expected = pose_stream(convert_log(flight(), "ros"))
    rows = lines(path)
    assert len(rows) == expected.num_rows == report.rows
    assert [int(row[0].replace(".", "")) for row in rows] == expected.time.tolist()
    numbers = np.array(rows)[:, 1:].astype(float)
    np.testing.assert_array_equal(numbers[:, :3], expected.array("position"))
    np.testing.assert_array_equal(numbers[:, 3:], expected.quaternion(order="xyzw"))
    trajectory = evo.read_tum_trajectory_file(path)
    assert trajectory.check()[0]
    np.testing.assert_array_equal(trajectory.positions_xyz, numbers[:, :3])
    np.testing.assert_array_equal(trajectory.orientations_quat_wxyz, numbers[:, [6, 3, 4, 5]])


def test_euroc(tmp_path: Path) -> None:
    path = tmp_path / "out.euroc"
    registry.write(flight(), path, to="ros")
    expected = pose_stream(convert_log(flight(), "ros"))
    rows = lines(path)
    assert [int(row[0]) for row in rows] == expected.time.tolist()
    trajectory = evo.read_euroc_csv_trajectory(path)
    assert trajectory.check()[0]
    np.testing.assert_array_equal(trajectory.positions_xyz, expected.array("position"))
    np.testing.assert_array_equal(trajectory.orientations_quat_wxyz, expected.quaternion(order="wxyz"))
    assert path.read_text().splitlines()[1].startswith("#timestamp")


def test_euroc_with_velocity_and_biases(tmp_path: Path) -> None:
    log = poses()
    rows = log["pose"].table()
    for name in ("bwx", "bwy", "bwz", "bax", "bay", "baz"):
        rows = rows.append_column(name, pa.array(np.random.default_rng(1).normal(size=len(rows))))
    registry.write(Log({"pose": log["pose"].replace(rows=rows)}), tmp_path / "out.euroc")
    assert len(lines(tmp_path / "out.euroc")[0]) == 17
    assert evo.read_euroc_csv_trajectory(tmp_path / "out.euroc").num_poses == 50
    registry.write(log, tmp_path / "short.euroc")
    assert len(lines(tmp_path / "short.euroc")[0]) == 8


def test_kitti(tmp_path: Path) -> None:
    path = tmp_path / "out.kitti"
    report = registry.write(flight(), path, to="ros")
    expected = pose_stream(convert_log(flight(), "ros"))
    trajectory = evo.read_kitti_poses_file(path)
    assert trajectory.check()[0]
    np.testing.assert_array_equal(trajectory.positions_xyz, expected.array("position"))
    same = np.abs((trajectory.orientations_quat_wxyz * expected.quaternion(order="wxyz")).sum(axis=1))
    np.testing.assert_allclose(same, 1.0, atol=1e-12)
    times = (tmp_path / "out_times.txt").read_text().split()
    assert [int(t.replace(".", "")) for t in times] == expected.time.tolist()
    assert report.files == (path, tmp_path / "out_times.txt")


@pytest.mark.parametrize("format", ["tum", "euroc", "kitti", "csv"])
@pytest.mark.parametrize("to", [None, "ros", "px4", "unity"])
def test_our_own_reader_reads_it_back(tmp_path: Path, format: str, to: str | None) -> None:
    if format == "kitti" and to == "unity":
        pytest.skip("KITTI has no comment to say that its numbers are left-handed")
    path = tmp_path / f"out.{format}"
    change = {"forward": "N"} if to == "unity" else {}
    registry.write(flight(), path, to=to, **change)
    expected = pose_stream(flight() if to is None else convert_log(flight(), to, **change))
    log = registry.read(path, from_="ros" if format == "kitti" else None)
    back = log[next(iter(log.streams))]
    np.testing.assert_array_equal(back.time, expected.time)
    np.testing.assert_array_equal(back.array("position"), expected.array("position"))
    if format != "kitti":
        assert back.convention.world == expected.convention.world
        assert back.convention.things[back.thing] == expected.convention.things[expected.thing]
        tolerance = {"rtol": 1e-6} if to is None else {"rtol": 0, "atol": 0}
        np.testing.assert_allclose(
            back.quaternion(order="xyzw"), expected.quaternion(order="xyzw"), **tolerance
        )


def test_the_first_line_says_what_the_numbers_are(tmp_path: Path) -> None:
    registry.write(flight(), tmp_path / "out.tum", to="ros")
    first = (tmp_path / "out.tum").read_text().splitlines()[0]
    assert first.startswith("# boresight: ")
    described = json.loads(first.removeprefix("# boresight: "))
    assert (described["convention"]["id"], described["convention"]["world"], described["thing"]) == (
        "ros",
        "ENU",
        "body",
    )


def test_rows_without_an_orientation_are_left_out_and_counted(tmp_path: Path) -> None:
    for form in ("tum", "euroc", "kitti"):
        path = tmp_path / f"out.{form}"
        report = registry.write(flight(invalid=True), path, to="ros")
        (item,) = report.streams
        assert item.left_out == 2
        assert "first at row 5 " in item.reason and str(START + 5 * 10_000_000) in item.reason
        assert "nan" not in path.read_text()
        assert [n.count for n in report.notices if n.code == "invalid-orientation"] == [2]


def test_csv_keeps_them(tmp_path: Path) -> None:
    report = registry.write(flight(invalid=True), tmp_path / "out.csv", to="ros")
    assert sum("nan" in row for row in lines(tmp_path / "out.csv")) == 2
    assert [n.count for n in report.notices if n.code == "invalid-orientation"] == [2]
    assert any(n.code == "not-written" and "vehicle_magnetometer" in n.message for n in report.notices)


def test_csv_of_a_named_stream(tmp_path: Path) -> None:
    registry.write(flight(), tmp_path / "imu.csv", stream="sensor_combined")
    rows = lines(tmp_path / "imu.csv")
    assert rows[0] == ["time", "wx", "wy", "wz", "ax", "ay", "az"]
    expected = flight()["sensor_combined"]
    np.testing.assert_array_equal(np.array(rows[1:])[:, 1:4].astype(float), expected.array("angular_rate"))
    back = registry.read(tmp_path / "imu.csv")
    assert next(iter(back.streams.values())).kind == "imu"


def test_csv_of_covariances(tmp_path: Path) -> None:
    registry.write(poses(), tmp_path / "out.csv")
    back = next(iter(registry.read(tmp_path / "out.csv").streams.values()))
    np.testing.assert_array_equal(back.column("pose_covariance"), poses()["pose"].column("pose_covariance"))


def test_a_trajectory_is_body_to_world_whatever_the_system_stores(tmp_path: Path) -> None:
    """COLMAP stores the inverse; a TUM file never does."""
    log = poses(convention="colmap")
    registry.write(log, tmp_path / "out.tum")
    pose = log["pose"].pose()
    numbers = np.array(lines(tmp_path / "out.tum"))[:, 1:].astype(float)
    np.testing.assert_allclose(numbers[:, :3], pose.translation, atol=1e-12)
    np.testing.assert_allclose(numbers[:, 3:], pose.rotation.as_quat(order="xyzw"), atol=1e-15)
    back = registry.read(tmp_path / "out.tum")
    assert next(iter(back.streams.values())).convention.direction == "body_to_world"


def test_positions_are_in_metres(tmp_path: Path) -> None:
    log = poses(convention="unreal")
    registry.write(log, tmp_path / "out.tum")
    numbers = np.array(lines(tmp_path / "out.tum"))[:, 1:4].astype(float)
    np.testing.assert_allclose(numbers, log["pose"].array("position") / 100, rtol=1e-15)


def test_nothing_to_write_is_an_error(tmp_path: Path) -> None:
    rows = table([0, 1], **columns("q", "xyzw", quaternions(2) * 0), x=[0.0, 1], y=[0.0, 1], z=[0.0, 1])
    with pytest.raises(DataError, match="no row with a valid orientation and position"):
        registry.write(Log({"pose": stream("pose", "pose", rows)}), tmp_path / "out.tum")
    assert list(tmp_path.iterdir()) == []
