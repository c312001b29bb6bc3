"""The accelerometer by itself: whether gravity is in it, and a verdict that does not pass over an up it leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flights import flight

from boresight.diagnosis import diagnose_arrays
from boresight.diagnosis.gravity import accel_evidence


@pytest.mark.parametrize("tails", [False, True])
def test_noise_without_gravity_is_in_no_unit_though_its_length_be_gravitys(tails: bool) -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(1400, 3)) * (2.0, 8.4, 8.4)
    if tails:  # standing still for a while, as a robot does
        noise *= rng.choice([0.02, 1.0, 5.0], p=[0.15, 0.7, 0.15], size=1400)[:, None]
    found = accel_evidence(noise, np.zeros((1400, 3)))
    assert found is not None
    assert (found.unit, found.removed) == (None, True)


@pytest.mark.parametrize("axis", ["+z", "-z", "+y"])
def test_an_up_that_swapped_columns_leave_open_is_not_consistent(axis: str) -> None:
    f = flight()
    swapped = np.array([1, 0, 2])
    columns: dict[str, Any] = {"gyro": f.gyro[:, swapped], "accel": f.accel[:, swapped]}
    quat = f.rotation.as_quat()
    found = diagnose_arrays(
        f.time,
        quat=quat,
        order="xyzw",
        direction="body_to_world",
        world_up=axis,
        any_hand=True,
        **columns,
    )
    assert found["handedness"].answer == "left"
    assert not found["world_up"].decided
    assert found.verdict == "ambiguous"
    assert f"world's {axis} cannot be told" in found.advice[0]


def test_an_up_that_no_accelerometer_feels_leaves_a_log_consistent() -> None:
    f = flight()
    quat = f.rotation.as_quat()
    found = diagnose_arrays(
        f.time, quat=quat, order="xyzw", direction="body_to_world", world_up="-z", gyro=f.gyro
    )
    assert found.verdict == "consistent"
