"""`boresight diagnose` with a second record of the orientation."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import boresight as bs
from boresight.rotation import Rotation
from flown import Flight, answered, table

BOTH = "t (s),q0,q1,q2,q3,roll,pitch,yaw"


@pytest.fixture
def two_records(flight: Flight, tmp_path: Path) -> Path:
    """The inverse, as quaternions, beside the right Euler angles."""
    right = Rotation.from_quat(flight.q, order="wxyz")
    yaw_first = np.degrees(right.as_euler("ZYX", degrees=False))
    rows = np.column_stack([flight.t, flight.q * (1, -1, -1, -1), yaw_first[:, ::-1]])
    return table(tmp_path / "both.csv", rows, BOTH)


EULER = ("--quat", "q0,q1,q2,q3", "--second-euler", "roll,pitch,yaw:deg")


def test_two_records_of_a_table_are_compared(boresight, two_records: Path) -> None:
    answer = answered(boresight("diagnose", two_records, *EULER, "--json"))
    note = answer["evidence"]["second"]
    assert note["used"]
    assert note["score"] < 1e-3
    assert "roll,pitch,yaw is this attitude as its inverse" in note["why"]
    assert answer["streams"]["second"] == "roll,pitch,yaw"
    assert answer["verdict"] == "not_observable"
    assert "--second-from" in answer["advice"][0]


def test_one_follows_from_the_other_where_that_is_known(boresight, two_records: Path, flight: Flight) -> None:
    known = (*EULER, "--second-from", "px4", "--json")
    answer = answered(boresight("diagnose", two_records, *known))
    parts = answer["parts"]
    assert parts["sense"]["answer"] == "inverse"
    assert parts["order"]["state"] == "ambiguous"
    assert parts["world_axes"]["answer"]["wxyz"] == "NED"
    answer = answered(boresight("diagnose", two_records, *known, "--order", "wxyz"))
    assert answer["parts"]["direction"]["answer"] == "world_to_body"
    assert any("roll,pitch,yaw" in text for text in answer["parts"]["direction"]["assumes"])
    result = boresight("diagnose", two_records, *known, "--from", "px4")
    assert result.code == 1
    answer = answered(result)
    assert answer["verdict"] == "contradicted"
    words = shlex.split(answer["fix"])
    assert "world_to_body" in words
    assert boresight(*words[1:]).code == 0
    repaired = bs.read(words[words.index("-o") + 1])
    own = next(iter(repaired.streams.values())).quaternion(order="wxyz")
    assert np.abs(np.abs(np.sum(own * flight.q, axis=1)) - 1).max() < 1e-6


def test_a_second_record_is_the_first_the_other_way_round(boresight, two_records: Path) -> None:
    said = ("--euler", "roll,pitch,yaw:deg", "--second-quat", "q0,q1,q2,q3", "--second-from", "px4")
    answer = answered(boresight("diagnose", two_records, *said, "--json"))
    assert answer["parts"]["direction"]["answer"] == "world_to_body"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--second-euler", "roll,pitch,yaw:deg", "--second-quat", "q0,q1,q2,q3"), "give one of"),
        (("--second-euler", "roll,pitch,heading:deg"), "heading"),
        (("--second-euler", "roll,pitch,yaw"), "--second-euler roll,pitch,yaw:deg"),
        (("--second-quat", "q0,q1,q2"), "second-quat"),
        (("--second-quat", "q0,q1,q2,q3"), "--second-from"),
        (("--second-from", "px4"), "--second-euler"),
        (("--second-euler", "roll,pitch,yaw:deg", "--second-from", "px5"), "px5"),
        (("--second", "other"), "no streams"),
    ],
)
def test_a_wrong_second_record_is_refused_in_one_line(
    boresight, two_records: Path, words: tuple[str, ...], why: str
) -> None:
    result = boresight("diagnose", two_records, "--quat", "q0,q1,q2,q3", *words)
    assert result.code == 2
    assert why in result.err
    assert "Traceback" not in result.err


def test_of_a_log_a_stream_is_named(boresight, example_log: Path) -> None:
    said = ("--second", "vehicle_attitude_groundtruth", "--json")
    answer = answered(boresight("diagnose", example_log, *said))
    assert "another estimate" in answer["evidence"]["second"]["why"]
    result = boresight("diagnose", example_log, "--second", "sensor_combined")
    assert result.code == 2
    assert "no orientation" in result.err


def test_columns_given_in_the_wrong_order_decide_nothing(boresight, two_records: Path) -> None:
    """Roll and yaw exchanged are exactly the inverse of the angles, in axes that nobody uses."""
    said = ("--quat", "q0,q1,q2,q3", "--order", "wxyz", "--second-euler", "yaw,pitch,roll:deg")
    answer = answered(boresight("diagnose", two_records, *said, "--second-from", "px4", "--json"))
    assert answer["evidence"]["second"]["used"]
    assert answer["parts"]["sense"]["state"] != "decided"
    assert answer["parts"]["direction"]["state"] != "decided"
