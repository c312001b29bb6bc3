"""Records that no reading explains: the best one leaves what depends on the attitude, and nothing may be decided."""

from __future__ import annotations

import numpy as np
import pytest
from flights import Flight, flight
from scipy.spatial.transform import Rotation

from boresight.diagnosis import Diagnosis, diagnose_arrays

PARTS = ("sense", "half_converted", "order", "direction", "imu_axes", "world_up", "body_up")


def diagnosed(made: Flight, rotation: Rotation, gyro: np.ndarray) -> Diagnosis:
    return diagnose_arrays(
        made.time,
        quat=rotation.as_quat(),
        gyro=gyro,
        accel=made.accel,
        order="xyzw",
        direction="body_to_world",
    )


def open_(found: Diagnosis) -> None:
    assert found.verdict == "ambiguous"
    assert not [name for name in PARTS if found.parts[name].decided]
    assert "depends on the attitude" in found.parts["sense"].why


@pytest.mark.parametrize("lively", [0.15, 0.25])
@pytest.mark.parametrize("wrong", ["ZXY", "YXZ", "roll and pitch exchanged"])
def test_euler_angles_put_together_in_another_sequence_decide_nothing(wrong: str, lively: float) -> None:
    made = flight(60.0, lively=lively)
    yaw, pitch, roll = made.rotation.as_euler("ZYX").T
    angles = {"X": roll, "Y": pitch, "Z": yaw}
    if wrong == "roll and pitch exchanged":
        stored = Rotation.from_euler("ZYX", np.stack([yaw, roll, pitch], axis=-1))
    else:
        stored = Rotation.from_euler(wrong, np.stack([angles[axis] for axis in wrong], axis=-1))
    open_(diagnosed(made, stored, made.gyro))


def test_rates_of_euler_angles_decide_nothing() -> None:
    made = flight(60.0, lively=0.2)
    angles = np.unwrap(made.rotation.as_euler("ZYX"), axis=0)
    found = diagnosed(made, made.rotation, np.gradient(angles, made.time, axis=0)[:, ::-1])
    assert found.verdict in ("ambiguous", "not_observable")
    assert not [name for name in PARTS if found.parts[name].decided]


def test_scale_and_cross_axis_errors_are_no_structure() -> None:
    made = flight(60.0)
    skewed = made.gyro @ np.array([[1.06, 0.03, -0.02], [0.01, 0.95, 0.04], [-0.03, 0.02, 1.02]]).T
    found = diagnosed(made, made.rotation, skewed)
    assert found.verdict == "consistent"
    assert found.parts["direction"].answer == "body_to_world"


def test_what_is_left_without_noise_is_no_structure() -> None:
    made = flight(60.0, noise=0.0)
    assert diagnosed(made, made.rotation, made.gyro).verdict == "consistent"
