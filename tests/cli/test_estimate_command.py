"""`boresight estimate`, run as its user runs it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import boresight as bs
from boresight.cli.settings import config_of


def test_an_estimate_is_written_and_summed_up(boresight, example_log: Path, tmp_path: Path) -> None:
    result = boresight("estimate", example_log, "-o", tmp_path / "a.parquet")
    assert (result.code, result.err) == (0, "")
    for text in ("start: STATIC", "gnss_velocity", "HEALTHY", "sigma of the attitude", "declination 3.4"):
        assert text in result.out
    table = pq.read_table(tmp_path / "a.parquet")
    assert {"x", "qw", "sigma_down", "status", "valid_tilt", "pose_covariance"} <= set(table.column_names)


def test_json(boresight, example_log: Path, tmp_path: Path) -> None:
    result = boresight("estimate", example_log, "-o", tmp_path / "a.tum", "--json")
    found = json.loads(result.out)
    assert found["start"]["alignment"] == "STATIC"
    assert found["output"]["format"] == "tum" and found["output"]["rows"] > 1000
    assert found["sources"]["gnss_velocity"]["ACCEPTED"] > 250
    assert found["status"][-1]["status"] == "HEALTHY"
    assert 0.9 < found["valid"]["tilt"] <= 1.0 and len(found["sigma"]["position"]) == 3


def test_no_output_is_a_summary(boresight, example_log: Path) -> None:
    result = boresight("estimate", example_log, "--without", "gnss", "--without", "mag")
    assert result.code == 0
    lines = result.out.splitlines()
    assert any(line.startswith("DEAD_RECKONING") for line in lines)
    assert any(line.split()[:2] == ["heading", "100.0%"] for line in lines)


@pytest.mark.parametrize("suffix", ["mcap", "ulg", "csv"])
def test_formats(boresight, example_log: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    assert boresight("estimate", example_log, "-o", path, "--rate", 10).code == 0
    log = bs.read(path)
    assert any(stream.has_orientation and stream.num_rows > 500 for stream in log.streams.values())


def test_the_convention_is_the_logs_own_or_the_one_asked_for(
    boresight, example_log: Path, tmp_path: Path
) -> None:
    ros, own, px4 = tmp_path / "ros.mcap", tmp_path / "own.parquet", tmp_path / "px4.parquet"
    assert boresight("convert", example_log, "-o", ros, "--to", "ros").code == 0
    assert boresight("estimate", ros, "-o", own).code == 0
    assert boresight("estimate", ros, "-o", px4, "--to", "px4").code == 0
    assert bs.read(own)["estimate"].convention.id == "ros"
    assert bs.read(px4)["estimate"].convention.id == "px4"


def test_settings_reach_the_filter(boresight, example_log: Path) -> None:
    def sigma(*arguments: str) -> float:
        return json.loads(boresight("estimate", example_log, "--json", *arguments).out)["sigma"]["attitude"][
            0
        ]

    assert sigma("--set", "imu.gyro_white=0.1") > 1.5 * sigma()
    assert boresight("estimate", example_log, "--set", "coast=none", "--seed-from-log").code == 0
    assert (
        boresight(
            "estimate", example_log, "--antenna", "0.1,0,-0.2", "--course", "5", "--year", "2024.5"
        ).code
        == 0
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "gravity=1"], "at least 9.7"),
        (["--set", "gravity"], "PATH=VALUE"),
        (["--set", "gravty=9.8"], "a figure that exists"),
        (["--set", "imu.gyro_white=much"], "above 0"),
        (["--set", "imu.gyro_white=0.17m"], "give a number of rad/s/√Hz, or in degrees, 0.17deg"),
        (["--set", "initialization.peak_speed=3deg"], "give a number of m/s"),
        (["--set", "gates.mag=3deg"], "give a number"),
        (["--set", "gates=1.5"], "above 0, below 1"),
        (["--set", "imu=0.1"], "imu.gyro_white, imu.accel_white"),
        (["--set", "coast=5"], "coast.acceleration, coast.rotation, coast.limit"),
        (["--set", "imu.gyro_whit=0.17deg"], "a figure that exists"),
        (["--option", "order=wxyz"], "there is no option"),
        (["--in-format", "ulg"], "did you mean ulog?"),
        (["--gnss-delay", "20"], "less than or equal to 10"),
        (["--forward", "up"], "N, E, S, W"),
        (["-o", "a.txt"], "csv (.csv), euroc (.euroc)"),
        (["--without", "lidar"], "there is no source"),
        (["--antenna", "1,2"], "three numbers"),
        (["--antenna", "1,2,nan"], "not finite"),
        (["--course", "0"], "above 0"),
        (["--rate", "0"], "no rate"),
        (["--to", "nowhere"], "nowhere"),
        (["--year", "1999"], "the magnetic model has no year 1999; give one from 2010 to 2030"),
        (["--year", "2031"], "from 2010 to 2030"),
        (["--year", "nan"], "from 2010 to 2030"),
        (["-o", "a.xyz"], "names no format"),
    ],
)
def test_what_cannot_be_is_a_usage_error(
    boresight, example_log: Path, arguments: list[str], message: str
) -> None:
    result = boresight("estimate", example_log, *arguments)
    assert result.code == 2 and message in result.err


def test_a_log_without_sensors_is_at_fault(boresight, example_log: Path, tmp_path: Path) -> None:
    poses = tmp_path / "a.tum"
    boresight("convert", example_log, "-o", poses)
    result = boresight("estimate", poses)
    assert result.code == 1
    assert str(poses) in result.err and "both angular rates and specific forces" in result.err


def test_an_output_that_exists_is_kept(boresight, example_log: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_text("mine")
    assert boresight("estimate", example_log, "-o", path).code == 1
    assert path.read_text() == "mine"
    assert boresight("estimate", example_log, "-o", path, "--overwrite").code == 0


@pytest.mark.parametrize(
    ("given", "path", "value"),
    [
        ("imu.gyro_white=0.003", "imu.gyro_white", 0.003),
        ("imu.gyro_white=0.17deg", "imu.gyro_white", math.radians(0.17)),
        ("imu.gyro_white = 0.17 deg/s/sqrt(Hz)", "imu.gyro_white", math.radians(0.17)),
        ("imu.gyro_white=0.17deg/√s", "imu.gyro_white", math.radians(0.17)),
        ("imu.gyro_white=1e-3 rad/s/√Hz", "imu.gyro_white", 1e-3),
        ("imu.accel_white=0.1 m/s^2/sqrt(Hz)", "imu.accel_white", 0.1),
        ("accuracy.tilt=2°", "accuracy.tilt", math.radians(2.0)),
        ("declination=-3.5deg", "declination", math.radians(-3.5)),
        ("recovery.mag=none", "recovery.mag", None),
        ("recovery=none", "recovery.gnss_velocity", None),
        ("correlation=none", "correlation.baro", None),
        ("gates=0.99", "gates.gnss_velocity", 11.344867),
        ("gates=0.99", "gates.baro", 6.634897),
        ("yaw_estimator=false", "yaw_estimator", False),
        ("hold.sigma=5m", "hold.sigma", 5.0),
    ],
)
def test_a_figure_as_it_is_typed(given: str, path: str, value: float | None) -> None:
    assert config_of([given]).figures()[path] == value


def test_parts_that_are_off_are_none() -> None:
    config = config_of(["coast=none", "hold=None"])
    assert config.coast is None and config.hold is None


def test_what_a_reader_of_the_output_has_to_know_is_said(
    boresight, example_log: Path, tmp_path: Path
) -> None:
    poses, times = tmp_path / "a.kitti", tmp_path / "a_times.txt"
    result = boresight("estimate", example_log, "-o", poses)
    assert times.exists() and str(times) in result.out and str(poses) in result.out
    found = json.loads(boresight("estimate", example_log, "-o", poses, "--overwrite", "--json").out)
    assert found["output"]["files"] == [str(poses), str(times)]
    table = tmp_path / "a.csv"
    assert "comment='#'" in boresight("estimate", example_log, "-o", table).out
    assert table.read_text().startswith("# ") and not table.read_text().splitlines()[1].startswith("#")
    assert "comment" not in boresight("estimate", example_log, "-o", tmp_path / "a.parquet").out


def test_options_of_the_inputs_format_are_taken(boresight, tmp_path: Path) -> None:
    """A hint of the reader names --option, and the command has it."""
    path = tmp_path / "imu.csv"
    rows = [f"{0.01 * i},0,0,0.01,0,0,-9.81" for i in range(400)]
    path.write_text("\n".join(["stamp,gx,gy,gz,fx,fy,fz", *rows]) + "\n")
    result = boresight("estimate", path, "--from", "px4")
    assert result.code == 1 and "--option" in result.err
    names = [
        *("columns.time=stamp", "time_unit=s", "columns.wx=gx", "columns.wy=gy", "columns.wz=gz"),
        *("columns.ax=fx", "columns.ay=fy", "columns.az=fz"),
    ]
    options = [word for name in names for word in ("--option", name)]
    result = boresight("estimate", path, "--from", "px4", "--in-format", "csv", *options)
    assert result.code == 0 and "start: STATIC" in result.out


def test_a_local_world_is_told_where_forward_points(boresight, example_log: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    result = boresight("estimate", example_log, "-o", path, "--to", "unity")
    assert result.code == 1 and "--forward E" in result.err
    assert boresight("estimate", example_log, "-o", path, "--to", "unity", "--forward", "E").code == 0
    assert bs.read(path)["estimate"].convention.id == "unity"


def test_an_imu_in_other_axes_than_it_is_read_in_is_remarked_on(boresight, tmp_path: Path) -> None:
    path = tmp_path / "standing.csv"
    rows = [f"{i * 0.005:.3f},0,0,0,0,0,9.80665" for i in range(600)]  # forward, left, up
    path.write_text("\n".join(["t,wx,wy,wz,ax,ay,az", *rows]))
    words = (
        "estimate",
        path,
        "--in-format",
        "csv",
        "--option",
        "columns.time=t",
        "--option",
        "time_unit=s",
        "--from",
    )
    right, wrong = boresight(*words, "ros"), boresight(*words, "px4")
    assert right.code == wrong.code == 0
    assert "upside down" not in right.err
    assert "the vehicle starts upside down (roll 180 deg): is the IMU in FLU axes" in wrong.err
    notices = json.loads(boresight(*words, "px4", "--json").out)["notices"]
    assert "upside-down" in [notice["code"] for notice in notices]
