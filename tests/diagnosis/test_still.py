"""Logs that hardly turn: what shakes them is no turn, and a steady north is no north of theirs."""

from __future__ import annotations

import numpy as np
import pytest
from flights import stored
from scipy.spatial.transform import Rotation

from boresight.diagnosis import Diagnosis, diagnose_arrays

TIME = np.arange(0.0, 60.0, 0.02)


def diagnosed(angles: np.ndarray, *, iron: float = 0.0) -> Diagnosis:
    """A body that turns by yaw, pitch and roll, with an iron along its own x of so many times the earth's level field."""
    turned = Rotation.from_euler("ZYX", angles)
    gyro = (turned[:-1].inv() * turned[1:]).as_rotvec() / 0.02
    noise = np.random.default_rng(2).normal(size=(3, len(TIME), 3))
    mag = turned.inv().apply([0.22, 0.0, 0.42]) + [0.22 * iron, 0.0, 0.0] + 1e-3 * noise[1]
    return diagnose_arrays(
        TIME,
        quat=stored(turned.as_quat(), "wxyz", "body_to_world"),
        gyro=(TIME[:-1] + 0.01, gyro + 1e-5 * noise[0][:-1]),
        accel=turned.inv().apply([0.0, 0.0, -9.81]) + 1e-3 * noise[2],
        mag=mag,
        order="wxyz",
        same_frame=True,
    )


def swaying(yaw: float, tilt: float) -> np.ndarray:
    return np.stack(
        [yaw * np.sin(0.4 * TIME), tilt * np.sin(1.1 * TIME), tilt * np.sin(1.7 * TIME + 0.3)], axis=-1
    )


def test_what_is_only_shaken_decides_the_unit_alone_however_well_the_gyro_agrees() -> None:
    shaken = np.radians(0.06) * np.stack([np.sin(9 * TIME), np.sin(11 * TIME), np.sin(17 * TIME)], axis=-1)
    found = diagnosed(shaken)
    assert found.verdict == "not_observable"
    for part in ("sense", "direction", "imu_axes", "time_offset"):
        assert not found[part].decided
    assert found["gyro_unit"].answer == "rad/s"


@pytest.mark.parametrize("degrees", [15.0, 25.0, 60.0])
def test_a_steady_north_is_told_from_turns_that_are_not_large(degrees: float) -> None:
    # Yaw sways to each side by more than the root mean square that counts.
    found = diagnosed(swaying(np.radians(1.6 * degrees), 0.4))
    assert found["heading"].answer == "+x"


@pytest.mark.parametrize("degrees", [15.0, 25.0, 40.0])
@pytest.mark.parametrize("iron", [0.5, 2.0, 20.0])
def test_iron_that_turns_with_the_body_is_no_north(degrees: float, iron: float) -> None:
    found = diagnosed(swaying(np.radians(degrees), 0.4) + np.array([2.0, 0.0, 0.0]), iron=iron)
    assert found["sense"].decided
    assert found["heading"].answer in (None, "+x")


def test_without_a_turn_about_the_vertical_north_is_open() -> None:
    assert not diagnosed(swaying(np.radians(3.0), 0.05))["heading"].decided
