"""What is said to settle an open part: a motion or a sensor, in the words of what carries it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flights import flight

from boresight.diagnosis import Diagnosis
from boresight.diagnosis.arrays import recorded
from boresight.diagnosis.evidence import gather
from boresight.diagnosis.model import Claims
from boresight.diagnosis.verdict import judge


def judged(convention: str, *streams: str, planar: bool = True, **claims: Any) -> Diagnosis:
    made = flight(planar=planar)
    given = {name: getattr(made, name) for name in streams}
    quat = made.quat[:, [3, 0, 1, 2]]
    evidence = gather(recorded(made.time, quat=quat, streams=given))
    return judge(evidence, replace(Claims(convention=convention), **claims))


def test_a_pilot_is_told_to_turn_the_vehicle_by_hand() -> None:
    found = judged("px4", "gyro", "accel")
    assert found["sense"].settles == (
        "by hand, props off: turn the vehicle a quarter about the vertical, tip its nose up and down by 45 degrees, then "
        "roll it to both sides"
    )
    assert any(
        said.startswith("All turns are about one axis. By hand, props off: turn the vehicle a quarter")
        for said in found.advice
    )


@pytest.mark.parametrize("convention", ["carla", "nuscenes", "kitti_oxts"])
def test_nobody_is_told_to_roll_a_car(convention: str) -> None:
    found = judged(convention, "gyro", "accel")
    said = " ".join([*found.advice, *(part.settles for part in found.parts.values())])
    assert "ramp" in found["sense"].settles
    assert "props" not in said
    assert "roll" not in said
    assert "fly" not in said


def test_where_nothing_says_what_it_is_both_are_told() -> None:
    said = judged("", "gyro", "accel")["sense"].settles
    assert "roll it" in said
    assert "car" in said
    assert "props" not in said


def test_a_missing_sensor_is_named_for_each_part_that_it_would_settle() -> None:
    found = judged("px4", "gyro", planar=False)
    assert found["sense"].decided
    assert found["sense"].settles == ""
    assert "accelerometer" in found["world_up"].settles
    assert "accelerometer" in found["body_up"].settles
    assert "magnetometer" in found["heading"].settles
    assert "velocity" in found["body_forward"].settles
    assert "--order" in found["order"].settles
    assert found.to_dict()["parts"]["heading"]["settles"] == found["heading"].settles
    assert found["heading"].settles in " ".join(found.report().split())


def test_without_a_gyro_it_is_asked_for() -> None:
    found = judged("carla", "accel")
    assert found["sense"].settles.startswith("a gyro beside the attitude")


def test_nothing_that_is_decided_asks_for_more() -> None:
    found = judged("px4", "gyro", "accel", "velocity", "mag", planar=False, order="wxyz")
    for name, part in found.parts.items():
        assert not (part.decided and part.settles), name


def test_an_order_of_angles_is_not_asked_for() -> None:
    made = flight()
    angles = made.rotation.as_euler("ZYX")
    evidence = gather(recorded(made.time, euler=angles, degrees=False, streams={"gyro": np.array(made.gyro)}))
    assert judge(evidence, Claims())["order"].settles == ""
