"""What an estimate's columns hold, in memory and in the files that it is written to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boresight as bs
from boresight import conventions
from boresight.errors import DataError
from boresight.logs.convert import convert_log
from boresight.logs.model import Log
from boresight.navigation import Estimate, run
from boresight.simulate import simulate


@pytest.fixture(scope="module")
def flight() -> Log:
    return simulate("flight", seed=3, duration=20.0)


@pytest.fixture(scope="module")
def estimate(flight: Log) -> Estimate:
    return run(flight)


@pytest.mark.parametrize("to", [None, "ros", "unity", "unreal"])
def test_the_whole_covariance_goes_with_the_estimate_and_is_in_its_convention(
    estimate: Estimate, tmp_path: Path, to: str | None
) -> None:
    path = tmp_path / "estimate.parquet"
    options: dict[str, Any] = {} if to in (None, "ros") else {"forward": "N"}
    bs.write(estimate.log(), path, to=to, **options)
    read = bs.read(path)["estimate"].array("state_covariance").reshape(-1, 15, 15)
    own = estimate.array("covariance")
    assert read.shape == own.shape == (estimate.states.num_rows, 15, 15)
    # Positions and velocities as x y z and vx vy vz are changed, biases as bax.. and bwx..; the attitude is about the
    # body's axes, as the gyro's bias is. So one change a block, which the vectors themselves show.
    change = conventions.change("px4", to or "px4", **options)
    blocks = [change.position, change.world_polar, change.body_axial, change.body_polar, change.body_axial]
    m = np.zeros((15, 15))
    for i, block in enumerate(blocks):
        zero = block(np.zeros((1, 3)))
        m[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = (block(np.eye(3)) - zero).T
    assert read == pytest.approx(m @ own @ m.T, rel=1e-9, abs=1e-15)
    if to is None:
        assert (read == own).all()


def test_a_system_of_inverse_poses_leaves_the_whole_covariance_out(estimate: Estimate) -> None:
    converted = convert_log(estimate.log(), "colmap")["estimate"]
    assert not converted.has("state_covariance") and converted.has("pose_covariance")


def test_the_whole_covariance_may_be_left_out(flight: Log, estimate: Estimate) -> None:
    assert not estimate.log(covariance=False)["estimate"].has("state_covariance")
    assert not run(flight, covariance=False).log()["estimate"].has("state_covariance")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_the_status_is_written_by_its_name(estimate: Estimate, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"estimate.{suffix}"
    bs.write(estimate.log(covariance=False), path)
    names = estimate.states["status"].to_pylist()
    assert estimate.log()["estimate"].column("status").tolist() == names
    if suffix == "parquet":
        assert bs.read(path)["estimate"].column("status").tolist() == names
        return
    lines = path.read_text().splitlines()
    assert lines[0].startswith("#")
    place = lines[1].split(",").index("status")
    assert [line.split(",")[place] for line in lines[2:]] == names
    back = bs.read(path)
    assert "status" not in back["estimate"].schema.names and back["estimate"].has("pose_covariance")
    assert ["status" in notice.message for notice in back.notices if notice.code == "text"] == [True]


def test_health_goes_with_the_estimate(estimate: Estimate, tmp_path: Path) -> None:
    path = tmp_path / "estimate.parquet"
    bs.write(estimate.log(), path)
    assert json.loads(bs.read(path).metadata["health"]) == estimate.health.to_pylist()


def test_columns_of_the_states_as_arrays(estimate: Estimate) -> None:
    rows = estimate.states.num_rows
    assert (estimate.array("time") == estimate.time).all() and estimate.array("time").dtype == np.int64
    assert estimate.array("status").tolist() == estimate.states["status"].to_pylist()
    assert estimate.array("valid_tilt").dtype == np.bool_
    assert estimate.array("pose_covariance").shape == (rows, 6, 6)
    assert estimate.array("velocity_covariance").shape == (rows, 3, 3)
    own = estimate.array("covariance")
    assert np.sqrt(own[:, 3, 3]) == pytest.approx(estimate.array("sigma_vx"))
    with pytest.raises(DataError, match="no column 'speed'.*vx"):
        estimate.array("speed")
    with pytest.raises(DataError, match="time.*by itself"):
        estimate.array("time", "x")
    with pytest.raises(DataError, match="covariance.*by itself"):
        estimate.array("x", "covariance")
    with pytest.raises(TypeError, match="name"):
        estimate.array()
