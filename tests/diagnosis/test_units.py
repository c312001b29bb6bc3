"""Units told from raw counts, and from another unit of the clock."""

from __future__ import annotations

import numpy as np
import pytest
from flights import flight, stored

from boresight.diagnosis import Diagnosis, diagnose_arrays


def diagnosed(scale: float, *, clock: float = 1.0, noise: float = 0.003) -> Diagnosis:
    made = flight(30.0, noise=noise)
    quat = stored(made.quat, "wxyz", "body_to_world")
    return diagnose_arrays(made.time * clock, quat=quat, gyro=made.gyro * scale, order="wxyz")


@pytest.mark.parametrize("counts", [14.375, 16.4, 32.8, 65.5, 131.0])
def test_raw_counts_are_no_unit(counts: float) -> None:
    part = diagnosed(np.degrees(counts))["gyro_unit"]
    assert not part.decided
    assert f"raw counts at {counts:g} per deg/s" in part.why


@pytest.mark.parametrize(("unit", "scale"), [("rad/s", 1.0), ("deg/s", np.degrees(1.0)), ("mrad/s", 1000.0)])
def test_units_are_named_though_the_scale_is_off(unit: str, scale: float) -> None:
    for off in (0.99, 1.0, 1.04):
        assert diagnosed(scale * off)["gyro_unit"].answer == unit


@pytest.mark.parametrize("scale", [1.0, np.degrees(1.0)])
def test_milliseconds_taken_for_seconds_leave_the_unit_open(scale: float) -> None:
    part = diagnosed(scale, clock=1000.0)["gyro_unit"]
    assert not part.decided
    assert "milliseconds" in part.why


@pytest.mark.parametrize("counts", [2048.0, 4096.0, 8192.0, 16384.0])
def test_raw_counts_of_an_accelerometer_are_no_unit(counts: float) -> None:
    made = flight(30.0)
    quat = stored(made.quat, "wxyz", "body_to_world")
    rest = made.rotation.inv().apply([0.0, 0.0, -counts])
    part = diagnose_arrays(made.time, quat=quat, gyro=made.gyro, accel=rest)["accel"]
    assert not part.decided
    assert f"raw counts at {counts:g} per g" in part.why
