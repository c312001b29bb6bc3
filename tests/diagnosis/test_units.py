"""Units told from raw counts, and from another unit of the clock."""

from __future__ import annotations

import numpy as np
import pytest
from flights import flight, stored
from scipy.spatial.transform import Rotation

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
def test_milliseconds_taken_for_seconds_leave_the_unit_and_the_offset_open(scale: float) -> None:
    found = diagnosed(scale, clock=1000.0)
    for name in ("gyro_unit", "time_offset"):
        assert not found[name].decided
        assert "milliseconds" in found[name].why
    assert found["sense"].decided
    said = [sentence for sentence in found.advice if "milliseconds" in sentence]
    assert len(said) == 1
    assert said[0].startswith("Check the unit of the times")


def test_an_offset_is_told_though_the_unit_is_of_no_known_chip() -> None:
    found = diagnosed(7.7)
    assert not found["gyro_unit"].decided
    assert found["time_offset"].decided
    assert not any("unit of the times" in sentence for sentence in found.advice)


def test_a_unit_is_named_of_turns_however_small_that_the_gyro_confirms() -> None:
    """Of a log that stands still nothing is told of the attitude's sense, and the unit is told all the same."""
    t = np.arange(0.0, 60.0, 0.02)
    angles = np.radians(0.06) * np.stack([np.sin(9 * t), np.sin(11 * t), np.sin(17 * t)], axis=-1)
    turned = Rotation.from_euler("ZYX", angles)
    gyro = (turned[:-1].inv() * turned[1:]).as_rotvec() / 0.02
    for unit, scale in (("rad/s", 1.0), ("deg/s", np.degrees(1.0)), ("mrad/s", 1000.0)):
        found = diagnose_arrays(t, quat=turned.as_quat(), gyro=(t[:-1] + 0.01, gyro * scale))
        assert found["gyro_unit"].answer == unit
        assert not found["sense"].decided


def test_no_unit_is_named_of_a_gyro_that_these_turns_explain_in_part() -> None:
    """Turns of another minute of the same flight are of about the right size, and of no meaning."""
    made = flight(40.0)
    quat = stored(made.quat, "wxyz", "body_to_world")
    found = diagnose_arrays(made.time, quat=quat, gyro=np.roll(made.gyro, len(made.gyro) // 3, axis=0))
    assert found.data is not None
    assert found.data.rates is not None
    assert 0.6 < found.data.rates.explained < 0.9
    assert not found["gyro_unit"].decided


@pytest.mark.parametrize("counts", [2048.0, 4096.0, 8192.0, 16384.0])
def test_raw_counts_of_an_accelerometer_are_no_unit(counts: float) -> None:
    made = flight(30.0)
    quat = stored(made.quat, "wxyz", "body_to_world")
    rest = made.rotation.inv().apply([0.0, 0.0, -counts])
    part = diagnose_arrays(made.time, quat=quat, gyro=made.gyro, accel=rest)["accel"]
    assert not part.decided
    assert f"raw counts at {counts:g} per g" in part.why


@pytest.mark.parametrize("length", [1000.0, 1024.0])
def test_thousandths_of_g_say_that_they_may_be_raw_counts(length: float) -> None:
    made = flight(30.0)
    rest = made.rotation.inv().apply([0.0, 0.0, -length])
    part = diagnose_arrays(made.time, quat=made.quat, gyro=made.gyro, accel=rest)["accel"]
    assert part.answer == {"unit": "mg", "kind": "specific_force"}
    said = "its numbers are in mg, not in cm/s2 or raw counts at 1024 per g, nearly the same"
    assert said in part.assumes


def test_a_usual_unit_is_beside_no_counts() -> None:
    made = flight(30.0)
    for scale in (1.0, 1.0 / 9.80665):
        part = diagnose_arrays(made.time, quat=made.quat, gyro=made.gyro, accel=made.accel * scale)["accel"]
        assert part.decided
        assert not any("nearly" in said for said in part.assumes)


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e14])
def test_numbers_of_no_size_or_of_any_have_no_unit(scale: float) -> None:
    made = flight(20.0)
    found = diagnose_arrays(made.time, quat=made.quat, gyro=made.gyro * scale, accel=made.accel * scale)
    assert not found["gyro_unit"].decided
    assert not found["accel"].decided
