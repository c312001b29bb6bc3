"""The clock offset between attitude and gyro: found within a second, and open beyond."""

from __future__ import annotations

import numpy as np
import pytest
from flights import stored
from scipy.spatial.transform import Rotation

from boresight.diagnosis import Diagnosis, diagnose_arrays

TIME = np.arange(0.0, 60.0, 0.02)


def turned(t: np.ndarray, fast: float) -> Rotation:
    """Turns that do not repeat themselves."""
    yaw = 1.8 * np.sin(0.21 * fast * t) + 0.5 * np.sin(0.83 * fast * t + 1.0)
    pitch = 0.4 * np.sin(0.57 * fast * t + 0.4) + 0.3 * np.sin(1.31 * fast * t)
    roll = 0.5 * np.sin(0.93 * fast * t) + 0.3 * np.sin(0.37 * fast * t + 2.0)
    return Rotation.from_euler("ZYX", np.stack([yaw, pitch, roll], axis=-1))


def diagnosed(offset: float, fast: float) -> Diagnosis:
    h = 1e-4
    gyro = (turned(TIME - h, fast).inv() * turned(TIME + h, fast)).as_rotvec() / (2 * h)
    gyro = gyro + 0.003 * np.random.default_rng(0).normal(size=gyro.shape)
    quat = stored(turned(TIME, fast).as_quat(), "wxyz", "body_to_world")
    return diagnose_arrays(TIME, quat=quat, gyro=(TIME + offset, gyro), order="wxyz")


@pytest.mark.parametrize("fast", [0.4, 1.0, 2.0])
@pytest.mark.parametrize("offset", [-0.7, -0.04, 0.0, 0.15, 0.3, 0.5, 0.9])
def test_an_offset_within_a_second_is_found_of_slow_turns_and_of_fast_ones(
    offset: float, fast: float
) -> None:
    part = diagnosed(offset, fast)["time_offset"]
    assert part.decided
    assert part.answer == pytest.approx(offset, abs=0.01)


@pytest.mark.parametrize("fast", [0.4, 1.0, 2.0])
@pytest.mark.parametrize("offset", [-3.0, -1.3, 1.15, 1.6, 2.5])
def test_an_offset_of_more_than_a_second_is_open(offset: float, fast: float) -> None:
    """Slow turns fit well enough at the end of the search, where nothing says that they would not fit better beyond."""
    found = diagnosed(offset, fast)
    assert found.data is not None
    assert found.data.rates is not None
    for name in ("time_offset", "sense", "half_converted"):
        assert not found[name].decided
        if found.data.rates.explained > 0.95:
            assert "more than a second" in found[name].why
    assert not any("ms late" in said or "ms early" in said for said in found.advice)
