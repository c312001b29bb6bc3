"""`boresight convert`: what it writes, and what it says that it did."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import boresight as bs
from boresight import frames
from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

ATTITUDE = "uint64_t timestamp;uint64_t timestamp_sample;float[4] q;"
POSITION = "uint64_t timestamp;float x;float y;float z;float vx;float vy;float vz;"
GYRO = "uint64_t timestamp;float[3] xyz;"


def write_flight(path: Path, bad: tuple[int, ...] = ()) -> np.ndarray:
    """Write a small flight whose attitude rows `bad` hold no rotation; return its quaternions, w first."""
    rng = np.random.default_rng(7)
    attitude = np.zeros(100, row_dtype(ATTITUDE))
    attitude["timestamp"] = attitude["timestamp_sample"] = 1_000_000 + 10_000 * np.arange(100)
    q = rng.normal(size=(100, 4))
    attitude["q"] = q / np.linalg.norm(q, axis=1, keepdims=True)
    attitude["q"][list(bad)] = 0.0
    # One more at the end than half of them, so that no attitude comes after the last position.
    position = np.zeros(51, row_dtype(POSITION))
    position["timestamp"] = 1_000_000 + 20_000 * np.arange(51) - 100
    for number, name in enumerate(("x", "y", "z", "vx", "vy", "vz")):
        position[name] = number + np.arange(51)
    gyro = np.zeros(100, row_dtype(GYRO))
    gyro["timestamp"] = attitude["timestamp"]
    gyro["xyz"] = [0.1, 0.2, 0.3]
    topics = [
        Topic("vehicle_attitude", ATTITUDE, attitude),
        Topic("vehicle_local_position", POSITION, position),
        Topic("vehicle_angular_velocity", GYRO, gyro),
    ]
    with path.open("wb") as file:
        write_ulog(file, topics)
    return attitude["q"].astype(np.float64)


def test_every_orientation_is_that_of_the_library(boresight, tmp_path: Path) -> None:
    q = write_flight(tmp_path / "in.ulg")
    result = boresight("convert", "in.ulg", "-o", "out.parquet", "--to", "ros", cwd=tmp_path)
    assert result.code == 0, result.err
    stream = bs.read(tmp_path / "out.parquet")["vehicle_attitude"]
    wanted = bs.Attitude.from_body_to_ned(q, order="wxyz").flu_to_enu(order="xyzw")
    np.testing.assert_allclose(stream.quaternion(order="xyzw"), wanted, atol=1e-12)
    same = stream.rotation().reframe(source=frames.FRD, target=frames.NED).as_quat(order="wxyz")
    np.testing.assert_allclose(same, q / np.linalg.norm(q, axis=1, keepdims=True), atol=1e-12)


def test_it_shows_what_it_did(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    result = boresight("convert", "in.ulg", "-o", "out.parquet", "--to", "ros", cwd=tmp_path)
    first, counts, *_ = result.out.splitlines()
    assert first == "in.ulg (ulog) -> out.parquet (parquet)"
    assert counts.startswith("251 rows written, 0 rows left out, in ")
    [line] = [line for line in result.out.splitlines() if line.startswith("vehicle_attitude ")]
    assert "px4: FRD in NED" in line
    assert "ros: FLU in ENU" in line
    assert " 100 " in line


@pytest.mark.parametrize("output", ["out.tum", "out.mcap"])
def test_rows_that_a_format_cannot_hold_are_counted_and_named(boresight, tmp_path: Path, output: str) -> None:
    write_flight(tmp_path / "in.ulg", bad=(3, 50, 51))
    result = boresight("convert", "in.ulg", "-o", output, cwd=tmp_path)
    assert result.code == 0
    assert "3 of 100 rows" in result.err
    assert "row 3" in result.err
    shown = json.loads(
        boresight("convert", "in.ulg", "-o", output, "--overwrite", "--json", cwd=tmp_path).out
    )
    item = next(item for item in shown["streams"] if item["stream"] == "vehicle_attitude")
    assert (item["rows"], item["left_out"]) == (97, 3)
    assert "row 3" in item["reason"]


def test_rows_without_an_orientation_are_kept_where_the_format_can(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg", bad=(3,))
    result = boresight("convert", "in.ulg", "-o", "out.parquet", "--to", "ros", "--json", cwd=tmp_path)
    shown = json.loads(result.out)
    item = next(item for item in shown["streams"] if item["stream"] == "vehicle_attitude")
    assert (item["rows"], item["left_out"]) == (100, 0)
    assert any(notice["code"] == "invalid-orientation" for notice in shown["notices"])
    assert "warning: " not in result.out


def test_json_is_all_that_stdout_has(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg", bad=(3,))
    result = boresight("convert", "in.ulg", "-o", "out.tum", "--json", cwd=tmp_path)
    shown = json.loads(result.out)
    assert shown["input"] == {"path": "in.ulg", "format": "ulog"}
    assert shown["output"]["path"] == "out.tum"
    assert shown["output"]["rows"] == sum(item["rows"] for item in shown["streams"])
    assert set(shown["not_written"]) == {"vehicle_local_position", "vehicle_angular_velocity"}
    lines = (tmp_path / "out.tum").read_text().splitlines()
    assert sum(not line.startswith("#") for line in lines) == shown["output"]["rows"]


def test_json_counts_attitudes_that_found_no_position(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg", bad=(30,))
    data = bs.read(tmp_path / "in.ulg")
    position = data["vehicle_local_position"]
    late = position.replace(rows=position.table().slice(2))
    bs.write(replace(data, streams={**data.streams, position.name: late}), tmp_path / "late.ulg")
    shown = json.loads(boresight("convert", "late.ulg", "-o", "out.tum", "--json", cwd=tmp_path).out)
    missing = shown["output"]["without_position"]
    assert missing > 0
    rows = data["vehicle_attitude"].num_rows
    assert shown["output"]["rows"] + shown["output"]["left_out"] == rows


def test_an_option_without_use_and_topics_that_are_not_read_are_warned_of(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    result = boresight("convert", "in.ulg", "-o", "out.mcap", "--to", "ros", "--forward", "E", cwd=tmp_path)
    assert result.code == 0
    assert "warning: in.ulg: forward='E' made no difference" in result.err


def test_only_the_streams_asked_for(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    result = boresight(
        "convert", "in.ulg", "-o", "out.parquet", "--stream", "vehicle_attitude", "--json", cwd=tmp_path
    )
    assert result.code == 0, result.err
    assert list(bs.read(tmp_path / "out.parquet").streams) == ["vehicle_attitude"]
    wrong = boresight("convert", "in.ulg", "-o", "out.tum", "--stream", "vehicle_atitude", cwd=tmp_path)
    assert (wrong.code, wrong.err.count("\n")) == (1, 1)
    assert "vehicle_attitude" in wrong.err


def test_one_stream_of_poses_where_the_format_holds_one(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    one = boresight("convert", "in.ulg", "-o", "out.tum", "--stream", "vehicle_attitude", cwd=tmp_path)
    assert one.code == 0, one.err
    both = ["--stream", "vehicle_attitude", "--stream", "vehicle_angular_velocity"]
    assert boresight("convert", "in.ulg", "-o", "two.tum", *both, cwd=tmp_path).code == 2


def test_a_stream_without_orientation_is_converted_where_it_is_named(boresight, tmp_path: Path) -> None:
    gyro = np.zeros(10, row_dtype(GYRO))
    gyro["timestamp"] = 1000 * np.arange(1, 11)
    with (tmp_path / "in.ulg").open("wb") as file:
        write_ulog(file, [Topic("vehicle_angular_velocity", GYRO, gyro)])
    refused = boresight("convert", "in.ulg", "-o", "out.parquet", cwd=tmp_path)
    assert refused.code == 1
    named = boresight(
        "convert", "in.ulg", "-o", "out.parquet", "--stream", "vehicle_angular_velocity", cwd=tmp_path
    )
    assert named.code == 0, named.err


def test_what_the_data_do_not_determine_is_asked_for(boresight, tmp_path: Path) -> None:
    (tmp_path / "in.tum").write_text("1.0 0 0 0 0 0 0 1\n2.0 0 0 0 0 0 0 1\n")
    arguments = ["convert", "in.tum", "-o", "out.parquet", "--from", "unity", "--to", "ros"]
    result = boresight(*arguments, cwd=tmp_path)
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert "forward" in result.err
    assert not (tmp_path / "out.parquet").exists()
    assert boresight(*arguments, "--forward", "N", cwd=tmp_path).code == 0


def test_axes_of_a_world_that_is_known_are_wrong_use(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    result = boresight("convert", "in.ulg", "-o", "out.csv", "--to", "ros", "--world", "NED", cwd=tmp_path)
    assert result.code == 2
    assert "--world" in result.err
    assert "ENU, NED" in result.err
    assert not (tmp_path / "out.csv").exists()
    (tmp_path / "in.tum").write_text("1.0 0 0 0 0 0 0 1\n")
    free = boresight("convert", "in.tum", "-o", "out.mcap", "--to", "ros", "--world", "ENU", cwd=tmp_path)
    assert free.code == 0, free.err


def test_rows_that_make_no_pose_stand_in_the_counts(boresight, tmp_path: Path) -> None:
    late = np.zeros(10, row_dtype(POSITION))
    late["timestamp"] = 1_500_000 + 100_000 * np.arange(10)
    write_flight(tmp_path / "in.ulg")
    whole = boresight("convert", "in.ulg", "-o", "whole.tum", cwd=tmp_path)
    assert "without a position" not in whole.out
    attitude = np.zeros(20, row_dtype(ATTITUDE))
    attitude["timestamp"] = 1_000_000 + 50_000 * np.arange(20)
    attitude["q"] = [1, 0, 0, 0]
    with (tmp_path / "late.ulg").open("wb") as file:
        topics = [
            Topic("vehicle_attitude", ATTITUDE, attitude),
            Topic("vehicle_local_position", POSITION, late),
        ]
        write_ulog(file, topics)
    result = boresight("convert", "late.ulg", "-o", "late.tum", cwd=tmp_path)
    assert "10 rows written, 0 rows left out, 10 rows without a position in no pose" in result.out


def test_streams_that_were_not_written_are_named_unless_they_were_not_asked_for(
    boresight, tmp_path: Path
) -> None:
    write_flight(tmp_path / "in.ulg")
    everything = boresight("convert", "in.ulg", "-o", "all.csv", cwd=tmp_path)
    assert "Not written on their own: vehicle_local_position (velocity)" in everything.out
    assert "--stream" in everything.err
    one = boresight("convert", "in.ulg", "-o", "one.csv", "--stream", "vehicle_attitude", cwd=tmp_path)
    assert one.code == 0, one.err
    assert "vehicle_local_position" not in one.out + one.err


def test_an_output_may_replace_its_input(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    assert boresight("convert", "in.ulg", "-o", "log.parquet", cwd=tmp_path).code == 0
    before = bs.read(tmp_path / "log.parquet")["vehicle_attitude"].quaternion(order="xyzw")
    done = boresight(
        "convert", "log.parquet", "-o", "log.parquet", "--to", "ros", "--overwrite", cwd=tmp_path
    )
    assert done.code == 0, done.err
    after = bs.read(tmp_path / "log.parquet")["vehicle_attitude"]
    assert after.num_rows == len(before)
    assert str(after.convention.world) == "ENU"


def test_options_of_the_input_s_format(boresight, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("time,q0,q1,q2,q3\n1,1,0,0,0\n2,0,1,0,0\n")
    arguments = ["convert", "in.csv", "-o", "out.parquet", "--from", "px4"]
    open_still = boresight(*arguments, cwd=tmp_path)
    assert (open_still.code, open_still.err.count("\n")) == (1, 1)
    done = boresight(*arguments, "--option", "order=wxyz", "--option", "time_unit=s", cwd=tmp_path)
    assert done.code == 0, done.err
    [stream] = bs.read(tmp_path / "out.parquet").streams.values()
    assert stream.time.tolist() == [1_000_000_000, 2_000_000_000]
    assert stream.quaternion(order="wxyz").tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    unknown = boresight(*arguments, "--overwrite", "--option", "odrer=wxyz", cwd=tmp_path)
    assert unknown.code == 2
    assert "no option 'odrer'" in unknown.err
    assert "time_unit" in unknown.err
    named = ["--option", "columns.qw=a", "--option", "columns.qx=b", "--option", "columns.qy=c"]
    (tmp_path / "in.csv").write_text("time,a,b,c,d\n1,1,0,0,0\n")
    more = [*named, "--option", "columns.qz=d", "--option", "time_unit=s", "--overwrite"]
    renamed = boresight(*arguments, *more, cwd=tmp_path)
    assert renamed.code == 0, renamed.err


def test_positions_alone_are_refused_with_the_command_that_works(boresight, tmp_path: Path) -> None:
    made = tmp_path / "a flight"
    made.mkdir()
    write_flight(made / "in.ulg")
    alone = ["--stream", "vehicle_local_position", "--world", "RDF", "--forward", "N"]
    wrong = boresight("convert", made / "in.ulg", "-o", "one.parquet", "--to", "colmap", *alone, cwd=tmp_path)
    assert wrong.code == 1
    command = wrong.err[wrong.err.rindex("boresight convert") :].strip()
    name, *arguments = shlex.split(command)
    assert name == "boresight"
    right = boresight(*arguments, cwd=tmp_path)
    assert right.code == 0, right.err
    assert bs.read(tmp_path / "out.parquet")["vehicle_attitude"].has("position")


def test_a_convention_that_overrules_the_files_own_is_said(boresight, tmp_path: Path) -> None:
    write_flight(tmp_path / "in.ulg")
    result = boresight("convert", "in.ulg", "-o", "a.parquet", "--from", "ardupilot", cwd=tmp_path)
    assert result.code == 0, result.err
    assert "px4's by its own account, and are taken for ardupilot's" in result.err
    again = boresight("convert", "a.parquet", "-o", "b.csv", "--from", "px4", cwd=tmp_path)
    assert "ardupilot's by its own account, and are taken for px4's" in again.err
    assert "own account" not in boresight("convert", "in.ulg", "-o", "c.parquet", cwd=tmp_path).err


def test_ros_messages_of_a_free_world_are_said_to_be_so(boresight, tmp_path: Path) -> None:
    (tmp_path / "p.tum").write_text("1 0 0 0 0 0 0 1\n2 1 0 0 0 0 0 1\n")
    result = boresight("convert", "p.tum", "-o", "p.mcap", "--to", "ros", cwd=tmp_path)
    assert result.code == 0 and result.err.count("nobody has said which way") == 1, result.err
    named = ("--world", "RDF", "--forward", "E")
    result = boresight("convert", "p.tum", "-o", "q.mcap", "--to", "ros", *named, cwd=tmp_path)
    assert result.code == 0 and "nobody has said" not in result.err, result.err
