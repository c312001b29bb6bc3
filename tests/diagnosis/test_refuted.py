"""Which claims the data speak against, and who made them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flights import Flight, flight
from scipy.spatial.transform import Rotation

from boresight.axes import Axes
from boresight.diagnosis import Diagnosis, diagnose, diagnose_arrays
from boresight.diagnosis.arrays import recorded
from boresight.diagnosis.evidence import gather
from boresight.diagnosis.model import Claims
from boresight.diagnosis.verdict import judge
from boresight.logs.correction import Correction, corrected
from boresight.logs.registry import read

WXYZ = [3, 0, 1, 2]


def stored(quat: np.ndarray) -> np.ndarray:
    return quat[:, WXYZ]


def diagnosed(made: Flight, **claims: Any) -> Diagnosis:
    streams = {"gyro": made.gyro, "accel": made.accel}
    return diagnose_arrays(made.time, quat=stored(made.quat), **streams, **claims)


def refuted(found: Diagnosis) -> list[tuple[str, str]]:
    return [(claim.name, claim.says) for claim in found.refuted]


def test_nothing_is_refuted_where_every_claim_is_true() -> None:
    found = diagnosed(flight(), order="wxyz", same_frame=True, upright=True)
    assert found.refuted == ()
    assert found.to_dict()["refuted"] == []


def test_a_claim_that_no_reading_bears_out_is_named_with_who_made_it() -> None:
    made = flight()
    askew = Rotation.from_euler("ZYX", [50.0, 40.0, 30.0], degrees=True)
    streams = {"gyro": (made.time, askew.apply(made.gyro)), "accel": (made.time, askew.apply(made.accel))}
    evidence = gather(recorded(made.time, quat=stored(made.quat), streams=dict(streams)))
    claims = Claims(order="wxyz", same_frame=True, same_frame_from="the file (ros)")
    found = judge(evidence, claims)
    assert refuted(found) == [("same_frame", "the file (ros)")]
    assert found.verdict == "contradicted"
    assert refuted(judge(evidence, Claims(order="wxyz", same_frame=True))) == [("same_frame", "the caller")]


def test_an_order_that_another_claim_excludes_is_named() -> None:
    found = diagnosed(flight(), order="xyzw", same_frame=True)
    assert refuted(found) == [("order", "the caller")]
    assert "the order of the quaternion is xyzw" in found.refuted[0].words


def test_that_the_sensor_stands_upright_is_refuted_by_a_twin_on_its_side() -> None:
    found = diagnosed(flight(lively=0.5), order="xyzw", upright=True)
    assert refuted(found) == [("upright", "the caller")]
    assert found.to_dict()["refuted"][0]["name"] == "upright"


@pytest.mark.parametrize("own", [True, False])
def test_velocities_in_other_axes_refute_that_they_share_the_attitudes_world(own: bool) -> None:
    made = flight()
    velocity = made.velocity @ np.diag([-1.0, -1.0, 1.0])
    streams = {"gyro": made.gyro, "accel": made.accel, "velocity": velocity if own else made.velocity}
    found = diagnose_arrays(made.time, quat=stored(made.quat), **streams, order="wxyz", same_world=True)
    assert refuted(found) == ([("same_world", "the caller")] if own else [])


def test_no_repair_is_named_of_a_log_whose_callers_claim_is_refuted(example_log: Path) -> None:
    log = read(str(example_log))
    turned = corrected(log, Correction(imu=Axes("LFD")), of="vehicle_attitude")
    spoilt = replace(turned, format="parquet")  # which claims nothing of frames
    found = diagnose(spoilt, stream="vehicle_attitude", same_frame=True)
    assert ("same_frame", "the caller") in refuted(found)
    assert found.fix == ""
    assert "Leave out --same-frame" in found.advice[0]


def test_an_order_of_the_callers_that_the_file_belies_is_named_as_refuted(example_log: Path) -> None:
    found = diagnose(example_log, order="xyzw")
    assert found.verdict == "contradicted"
    assert refuted(found) == [("order", "the caller")]
