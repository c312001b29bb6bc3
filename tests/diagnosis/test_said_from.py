"""What `--from` says of a table: it names the order, and decides neither the sense nor a half conversion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flights import flight
from scipy.spatial.transform import Rotation

from boresight.cli.app import start
from boresight.diagnosis.model import Claim, Claims
from boresight.diagnosis.outcome import Left, Outcome, _narrow
from boresight.diagnosis.rates import Hypothesis
from boresight.diagnosis.twins import twin_turns

HEAD = "t,q0,q1,q2,q3,gx,gy,gz,ax,ay,az"
FLU = np.diag([1.0, -1.0, -1.0])
ENU = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
GYRO = ("--gyro", "gx,gy,gz:mrad/s")


def diagnosed(capfd: Any, path: Path, *words: str) -> dict[str, Any]:
    columns = ("--time", "t:s", "--quat", "q0,q1,q2,q3", "--accel", "ax,ay,az:m/s2")
    capfd.readouterr()
    code = start(["diagnose", str(path), *columns, *words, "--json"])
    out, err = capfd.readouterr()
    assert code in (0, 1), err
    return json.loads(out)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A flight from FLU to ENU, w last, its gyro in mrad/s."""
    flown = flight()
    quat = Rotation.from_matrix(ENU @ flown.rotation.as_matrix() @ FLU).as_quat()
    path = tmp_path / "table.csv"
    rows = np.column_stack([flown.time, quat, flown.gyro @ FLU * 1e3, flown.accel @ FLU])
    np.savetxt(path, rows, delimiter=",", header=HEAD, comments="", fmt="%.9g")
    return path


def test_an_order_that_decides_is_said_by_whoever_says_it(table: Path, capfd: Any) -> None:
    found = diagnosed(capfd, table, *GYRO, "--from", "ros")
    assert found["verdict"] == "consistent"
    assert "the order of the quaternion is xyzw, says --from ros" in found["parts"]["order"]["assumes"]


def test_a_unit_that_was_stated_is_the_one_that_is_answered(table: Path, capfd: Any) -> None:
    found = diagnosed(capfd, table, *GYRO, "--from", "ros")
    assert found["declared"]["gyro_unit"] == found["parts"]["gyro_unit"]["answer"] == "mrad/s"


def test_no_part_rests_on_an_order_that_the_repair_gives_up(table: Path, capfd: Any) -> None:
    numbers = np.loadtxt(table, delimiter=",", skiprows=1)
    numbers[:, 1:5] = np.roll(numbers[:, 1:5], 1, axis=1)
    np.savetxt(table, numbers, delimiter=",", header=HEAD, comments="", fmt="%.9g")
    found = diagnosed(capfd, table, *GYRO, "--from", "ros")
    assert found["verdict"] == "contradicted"
    assert "--order wxyz" in found["fix"]
    assert [found["parts"][name]["answer"] for name in ("order", "direction")] == [None, None]
    assert {reading["order"] for reading in found["best"]} == {"wxyz", "xyzw"}


def left(sense: Any, half: str | None = None, order: int = 0) -> Left:
    return Left((Hypothesis(sense, half), 1), twin_turns(sense)[order])


@pytest.mark.parametrize("decides", [True, False])
def test_a_world_that_a_table_is_said_to_have_in_common_decides_no_sense(decides: bool) -> None:
    readings = [left("same"), left("inverse", "ZYX"), left("inverse", "XYZ")]
    outcome = Outcome(None, Claims(), left=list(readings))  # pyright: ignore[reportArgumentType]
    claim = Claim("same_world", "--from ros", "velocities are in the attitude's world")
    _narrow(outcome, lambda _, one: one is readings[1], claim, decides=decides)
    assert outcome.left == ([readings[1]] if decides else readings[:2])
    assert not outcome.refuted


def test_a_world_that_no_reading_has_is_refuted_though_it_decides_nothing() -> None:
    readings = [left("same"), left("inverse")]
    outcome = Outcome(None, Claims(), left=list(readings))  # pyright: ignore[reportArgumentType]
    claim = Claim("same_world", "--from ros", "velocities are in the attitude's world")
    _narrow(outcome, lambda *_: False, claim, decides=False)
    assert (outcome.left, outcome.refuted) == (readings, [claim])


def test_nothing_is_said_of_a_repair_that_is_not_named(table: Path, capfd: Any) -> None:
    flown, numbers = flight(), np.loadtxt(table, delimiter=",", skiprows=1)
    turned = Rotation.from_quat(numbers[:, 1:5]) * Rotation.from_matrix(FLU)
    numbers = np.column_stack([numbers, flown.velocity @ ENU.T])
    numbers[:, 1:5] = turned.as_quat() * (-1.0, -1.0, -1.0, 1.0)  # of FRD, and inverse
    head, words = f"{HEAD},vx,vy,vz", (*GYRO, "--velocity", "vx,vy,vz:m/s", "--from", "ros")
    for separator, named in ((",", True), (" ", False)):  # no reader takes a table between blanks
        np.savetxt(table, numbers, delimiter=separator, header=head.replace(",", separator), comments="")
        found = diagnosed(capfd, table, *words)
        assert found["verdict"] == "contradicted"
        assert found["source"] == str(table)
        assert bool(found["fix"]) == named
        assert any("takes on trust" in sentence for sentence in found["advice"]) == named
