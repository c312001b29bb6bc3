"""Gyros in the world's axes, and sensors negated alone: a confident answer would be wrong, and none is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flights import Flight, flight

from boresight.diagnosis import Diagnosis, diagnose_arrays


@pytest.fixture(scope="module")
def made() -> Flight:
    return flight(60.0)


def diagnosed(made: Flight, **streams: Any) -> Diagnosis:
    given: dict[str, Any] = {"gyro": made.gyro, "accel": made.accel, **streams}
    return diagnose_arrays(made.time, quat=made.quat, order="xyzw", direction="body_to_world", **given)


def undecided(found: Diagnosis, *names: str) -> None:
    assert not [name for name in names if found.parts[name].decided]


def test_the_rate_in_the_world_is_the_negated_body_rate_of_the_inverse(made: Flight) -> None:
    turns = made.rotation
    world = (turns[1:] * turns[:-1].inv()).as_rotvec()
    inverse = turns.inv()
    np.testing.assert_allclose(world, -(inverse[:-1].inv() * inverse[1:]).as_rotvec(), atol=1e-14)


def test_a_gyro_in_the_worlds_axes_leaves_the_sense_open(made: Flight) -> None:
    found = diagnosed(made, gyro=made.rotation.apply(made.gyro))
    assert found.verdict == "ambiguous"
    undecided(found, "sense", "half_converted", "order", "direction", "handedness", "imu_axes", "world_up")
    assert "in the world's axes" in found.parts["sense"].why


def test_admitting_any_hand_says_that_the_gyro_is_in_its_own_axes(made: Flight) -> None:
    swap = [1, 0, 2]
    found = diagnosed(made, gyro=made.gyro[:, swap], accel=made.accel[:, swap], any_hand=True)
    assert found.parts["sense"].answer == "inverse"  # A is read as if w came first
    assert any("in its own axes" in said for said in found.parts["sense"].assumes)


def test_evidence_that_disagrees_refutes_no_claim(made: Flight) -> None:
    found = diagnosed(made, gyro=made.rotation.apply(made.gyro), velocity=made.velocity)
    assert found.verdict == "ambiguous"
    undecided(found, "sense", "half_converted", "order", "direction")
    assert not any("claim" in said for said in found.advice)


def test_a_gyro_negated_alone_leaves_up_open(made: Flight) -> None:
    for given in ({"any_hand": True}, {"velocity": made.velocity}):
        found = diagnosed(made, gyro=-made.gyro, **given)
        undecided(found, "world_up", "body_up", "position_axes")
        assert found.parts["accel"].answer == {"unit": "m/s2", "kind": None}


def test_a_negated_accelerometer_is_told_by_velocities_in_the_attitudes_world(made: Flight) -> None:
    found = diagnosed(made, accel=-made.accel, velocity=made.velocity)
    undecided(found, "world_up", "body_up", "position_axes")
    assert found.parts["accel"].answer == {"unit": "m/s2", "kind": None}
    assert found.parts["accel"].alternatives == ("specific_force", "gravity_direction")
    said = diagnosed(made, accel=-made.accel, velocity=made.velocity, same_world=True)
    assert said.parts["accel"].answer == {"unit": "m/s2", "kind": "gravity_direction"}
    assert said.parts["world_up"].answer == "-z"


def test_heights_counted_up_leave_the_sign_known(made: Flight) -> None:
    found = diagnosed(made, velocity=made.velocity * [1.0, 1.0, -1.0])
    assert found.parts["position_axes"].answer == "+x+y-z"
    assert found.parts["world_up"].answer == "-z"


def test_an_accelerometer_in_other_axes_than_the_gyro_tells_no_up(made: Flight) -> None:
    found = diagnosed(made, accel=made.accel * [1.0, -1.0, -1.0])
    undecided(found, "world_up", "body_up", "position_axes")
    assert "+x-y-z of the gyro's" in found.parts["world_up"].why
    assert "do not share" in found.parts["world_up"].why
    assert "do not share" not in diagnosed(made).parts["world_up"].why
