"""`boresight simulate`, run as its user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyulog import ULog

from boresight.simulate import scenarios


def test_a_flight_becomes_a_ulog(boresight, tmp_path: Path) -> None:
    result = boresight("simulate", "flight", "-o", tmp_path / "a.ulg", "--duration", 5)
    assert (result.code, result.err) == (0, "")
    assert "sensor_combined" in result.out and "seed 1" in result.out
    log = ULog(str(tmp_path / "a.ulg"))
    assert not log.file_corruption and len(log.data_list) == 9
    assert len(log.get_dataset("sensor_combined").data["timestamp"]) == 1000


def test_rates_are_those_asked_for(boresight, tmp_path: Path) -> None:
    rates = {"imu": 50, "gnss": 2, "baro": 4, "mag": 8, "attitude": 20, "position": 4, "truth": 10}
    options = [word for name, rate in rates.items() for word in ("--rate", f"{name}={rate}")]
    result = boresight("simulate", "drive", "-o", tmp_path / "a.ulg", "--duration", 10, *options)
    assert result.code == 0
    log = ULog(str(tmp_path / "a.ulg"))
    topics = {
        "sensor_combined": 500,
        "vehicle_gps_position": 21,
        "vehicle_air_data": 41,
        "vehicle_magnetometer": 81,
        "vehicle_attitude": 201,
        "vehicle_local_position": 41,
        "vehicle_attitude_groundtruth": 101,
    }
    assert {name: len(log.get_dataset(name).data["timestamp"]) for name in topics} == topics


def test_the_same_seed_makes_the_same_file(boresight, tmp_path: Path) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        options = ("-o", tmp_path / f"{name}.ulg", "--duration", 2, "--seed", seed)
        assert boresight("simulate", "flight", *options).code == 0
    a, b, c = ((tmp_path / f"{name}.ulg").read_bytes() for name in "abc")
    assert a == b != c


def test_json_is_one_document(boresight, tmp_path: Path) -> None:
    result = boresight("simulate", "flight", "-o", tmp_path / "a.ulg", "--duration", 2, "--json")
    told = json.loads(result.out)
    assert told["scenario"] == "flight" and told["seed"] == 1 and told["output"]["format"] == "ulog"
    assert {s["convention"] for s in told["streams"]} == {"px4"}


def test_list_shows_the_scenarios(boresight) -> None:
    result = boresight("simulate", "list")
    assert result.code == 0 and "flight" in result.out and "drive" in result.out
    assert [s["name"] for s in json.loads(boresight("simulate", "list", "--json").out)] == list(
        scenarios.names()
    )


def test_other_formats_are_written_too(boresight, tmp_path: Path) -> None:
    result = boresight("simulate", "drive", "-o", tmp_path / "a.tum", "--duration", 2, "--to", "ros")
    assert result.code == 0
    rows = [line for line in (tmp_path / "a.tum").read_text().splitlines() if not line.startswith("#")]
    assert len(rows) == 101 and len(rows[0].split()) == 8


def test_an_output_that_exists_is_kept(boresight, tmp_path: Path) -> None:
    path = tmp_path / "a.ulg"
    path.write_text("precious")
    result = boresight("simulate", "flight", "-o", path, "--duration", 1)
    assert result.code == 1 and "exists" in result.err and len(result.err.splitlines()) == 1
    assert path.read_text() == "precious"
    assert boresight("simulate", "flight", "-o", path, "--duration", 1, "--overwrite").code == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["flihgt", "-o", "a.ulg"], "there is no scenario 'flihgt'"),
        (["flight"], "name the log to write"),
        (["flight", "-o", "a.ulg", "--duration", "-1"], "--duration"),
        (["flight", "-o", "a.ulg", "--seed", "-1"], "--seed"),
        (["flight", "-o", "a.ulg", "--rate", "imu=0"], "'imu=0' is not NAME=HZ"),
        (["flight", "-o", "a.ulg", "--rate", "imu"], "'imu' is not NAME=HZ"),
        (["flight", "-o", "a.ulg", "--rate", "sonar=5"], "'sonar=5' is not NAME=HZ"),
        (["flight", "-o", "a.xyz"], ".xyz"),
        (["flight", "-o", "a.mcap", "--to", "rso"], "rso"),
    ],
)
def test_wrong_use_is_told(boresight, tmp_path: Path, arguments: list[str], named: str) -> None:
    result = boresight("simulate", *arguments, cwd=tmp_path)
    assert result.code == 2 and named in result.err
    assert not list(tmp_path.iterdir())


def test_a_ulog_in_another_convention_is_refused(boresight, tmp_path: Path) -> None:
    result = boresight("simulate", "flight", "-o", tmp_path / "a.ulg", "--duration", 1, "--to", "ros")
    assert result.code == 1 and "a ULog holds PX4's axes" in result.err
    assert not list(tmp_path.iterdir())
