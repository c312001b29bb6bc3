"""Errors say what, where and what to do, in one line, and survive a trip to another process."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Scipy

from boresight import Attitude, Axes, Pose, Rotation, convert, errors, frames
from boresight.errors import (
    BoresightError,
    ConventionError,
    DataError,
    FrameError,
    InvalidRowsError,
    MissingExtraError,
    OutputError,
)

EXAMPLES: list[BoresightError] = [
    FrameError("FRD is not FLU"),
    ConventionError("no such system"),
    InvalidRowsError("zero norm", row=(3, 1), count=2, what="quaternion"),
    MissingExtraError("rosbags", extra="ros"),
    DataError("cut short", path="flight.ulg", place="byte 4096", advice="copy it again"),
    OutputError("the file exists", path=Path("flight.mcap"), advice="give --overwrite"),
]

BUILT_IN: list[type[Exception]] = [TypeError, ValueError, ValueError, ImportError, ValueError, OSError]


@pytest.mark.parametrize(
    ("error", "built_in"),
    list(zip(EXAMPLES, BUILT_IN, strict=True)),
)
def test_each_is_also_the_built_in_error_it_resembles(
    error: BoresightError, built_in: type[Exception]
) -> None:
    assert isinstance(error, BoresightError)
    assert isinstance(error, built_in)


def test_each_has_an_example_here() -> None:
    assert {type(e).__name__ for e in EXAMPLES} == set(errors.__all__) - {"BoresightError"}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
def test_pickle_keeps_message_and_attributes(error: BoresightError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_a_row_is_named_with_reason_and_count() -> None:
    error = InvalidRowsError("zero norm", row=(7,), count=3, what="quaternion")
    assert str(error).startswith("row 7 is no quaternion: zero norm (3 bad rows in all)")
    assert (error.row, error.reason, error.count) == ((7,), "zero norm", 3)


def test_a_single_value_has_no_row() -> None:
    assert str(InvalidRowsError("zero norm", what="quaternion")).startswith(
        "this is no quaternion: zero norm;"
    )


def test_a_place_is_shown_in_one_line() -> None:
    error = DataError("what is\nwrong", path="flight.ulg", place="byte 4096", advice="what to do")
    assert str(error) == "flight.ulg: byte 4096: what is wrong; what to do"


def test_parts_that_are_not_there_leave_no_gap() -> None:
    assert str(DataError("what is wrong")) == "what is wrong"
    assert str(OutputError("full", path="o.tum")) == "o.tum: full"


def test_a_missing_extra_is_named_with_its_command() -> None:
    error = MissingExtraError("rosbags", extra="ros")
    assert 'pip install "boresight[ros]"' in str(error)
    assert error.name == "rosbags"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: convert(quat=[0, 0, 1], from_="px4", to="ros"),
            r"^quat= has shape \(\.\.\., 4\), not \(3,\)",
        ),
        (
            lambda: convert(quat=Scipy.identity(), from_="px4", to="ros"),
            r"^quat= is a scipy\..*\.as_quat\(\)",
        ),
        (lambda: convert(rate=["1", "2", "x"], from_="px4", to="ros"), "^rate= holds no numbers but a list"),
        (lambda: Rotation.from_quat([0, 0, 1], order="xyzw"), r"^q must have shape \(\.\.\., 4\)"),
        (lambda: Rotation.from_quat(Scipy.identity(), order="xyzw"), '^q is a scipy.*order="xyzw"'),
        (lambda: Rotation.from_matrix(np.eye(4)), r"^m must have shape \(\.\.\., 3, 3\)"),
        (lambda: Rotation.from_rotvec([1, 2]), "^v must have shape"),
        (lambda: Rotation.from_euler("ZYX", [1, 2], degrees=True), "^angles must have shape"),
        (lambda: Rotation.identity(()).apply([1, 2]), "^v must have shape"),
        (lambda: Pose(Rotation.identity(()), [1, 2]), "^translation must have shape"),
        (lambda: Pose.exp([1, 2, 3]), "^twist must have shape"),
        (lambda: Pose.identity(()).apply([1, 2]), "^p must have shape"),
        (lambda: Attitude.from_body_to_ned([1, 2, 3], order="wxyz"), "^q must have shape"),
        (
            lambda: Rotation.from_quat([0, 0, 0, 1], order="xyzw", source="FRD", target=frames.NED),
            r"not 'FRD'; that of these axes is boresight\.frames\.FRD",
        ),
        (
            lambda: Rotation.from_quat([0, 0, 0, 1], order="xyzw", source=frames.FRD, target=Axes("NED")),
            r"boresight\.frames\.NED",
        ),
    ],
)
def test_arguments_have_the_names_that_the_caller_wrote(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()
