"""The whole way from arrays to answers, on flights whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flights import Flight, flight, stored
from scipy.spatial.transform import Rotation

from boresight.diagnosis import PARTS, Diagnosis, diagnose_arrays
from boresight.errors import DataError

READINGS = [(o, d) for o in ("wxyz", "xyzw") for d in ("body_to_world", "world_to_body")]


def diagnosed(f: Flight, kept: str = "wxyz", way: str = "body_to_world", /, **given: Any) -> Diagnosis:
    streams: dict[str, Any] = {"gyro": f.gyro, "accel": f.accel, "velocity": f.velocity, "mag": f.mag}
    said = {key: given.pop(key) for key in list(given) if key in streams}
    return diagnose_arrays(f.time, quat=stored(f.quat, kept, way), **(streams | said), **given)


@pytest.mark.parametrize(("order", "direction"), READINGS)
def test_both_twins_are_named_and_one_is_the_truth(order: str, direction: str) -> None:
    found = diagnosed(flight(), order, direction)
    same = (order == "wxyz") == (direction == "body_to_world")
    assert found["sense"].answer == ("same" if same else "inverse")
    assert found["half_converted"].answer == "none"
    assert (found["order"].state, found["direction"].state) == ("ambiguous", "ambiguous")
    assert found.verdict == "undeclared"
    assert {(r.order, r.direction) for r in found.best} >= {(order, direction)}
    assert len(found.best) == 2
    true = next(r for r in found.best if r.order == order)
    assert (true.imu_axes, true.world_up, true.position_axes) == ("+x+y+z", "-z", "+x+y+z")
    assert true.mount_deg is not None and true.mount_deg < 1.0
    assert found["imu_axes"].answer[order] == "+x+y+z"
    assert found["world_axes"].answer[order] == "NED"


@pytest.mark.parametrize(("order", "direction"), READINGS)
@pytest.mark.parametrize("claim", ["order", "same_frame", "same_world", "upright"])
def test_a_true_claim_decides_order_and_direction(order: str, direction: str, claim: str) -> None:
    found = diagnosed(flight(), order, direction, **{claim: order if claim == "order" else True})
    assert (found["order"].answer, found["direction"].answer) == (order, direction)
    assert any(text for text in found["order"].assumes)
    assert found["imu_axes"].answer == "+x+y+z"
    assert found["world_up"].answer == "-z"
    assert len(found.best) == 1


@pytest.mark.parametrize(
    ("declared", "verdict"), [("body_to_world", "contradicted"), ("world_to_body", "consistent")]
)
def test_a_stored_inverse_is_found(declared: str, verdict: str) -> None:
    found = diagnosed(flight(), "wxyz", "world_to_body", order="wxyz", direction=declared)
    assert found.verdict == verdict
    assert found["direction"].answer == "world_to_body"
    assert any("inverse" in sentence for sentence in found.advice) == (verdict == "contradicted")


def test_a_wrong_order_beside_a_known_mount_is_a_contradiction_that_names_both() -> None:
    """The file says wxyz and one device; the numbers are xyzw. Either claim may be the false one."""
    found = diagnosed(
        flight(), "xyzw", "body_to_world", order="wxyz", direction="body_to_world", same_frame=True
    )
    assert found.verdict == "contradicted"
    assert not found["order"].decided
    assert {r.order for r in found.best} == {"wxyz", "xyzw"}


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("direction", ["body_to_world", "world_to_body"])
def test_a_negated_euler_angle_is_found(which: int, direction: str) -> None:
    f = flight()
    angles = f.rotation.as_euler("ZYX")
    angles[:, which] *= -1.0
    half = Flight(f.time, Rotation.from_euler("ZYX", angles).as_quat(), f.gyro, f.accel, f.velocity, f.mag)
    found = diagnosed(half, "wxyz", direction, order="wxyz", direction=direction, mag=None)
    assert found["half_converted"].answer == "one_euler_angle_negated"
    assert found["direction"].answer == direction
    assert found.verdict == "contradicted"
    assert "Euler angle" in found.advice[0]


def test_planar_motion_decides_nothing_of_the_sense() -> None:
    found = diagnosed(flight(planar=True), velocity=None)
    assert found.verdict == "ambiguous"
    assert not found["sense"].decided
    assert found["gyro_unit"].answer == "rad/s"
    assert any("tip its front up and down" in sentence for sentence in found.advice)
    assert {r.sense for r in found.best} == {"same", "inverse"}


def test_a_log_at_rest_decides_nothing() -> None:
    f = flight()
    rng = np.random.default_rng(5)
    still = np.tile(f.quat[:1], (len(f.quat), 1)) + rng.normal(size=f.quat.shape) * 1e-5
    found = diagnose_arrays(f.time, quat=still, gyro=rng.normal(size=f.gyro.shape) * 0.01, accel=f.accel)
    assert found.verdict == "not_observable"
    assert found.best == ()
    assert [name for name in PARTS if found[name].decided] in ([], ["accel"])


def test_without_a_gyro_the_missing_sensor_is_named() -> None:
    f = flight()
    found = diagnose_arrays(f.time, quat=f.quat, accel=f.accel)
    assert found.verdict == "not_observable"
    assert "gyro" in found["sense"].why
    assert any("gyro" in sentence for sentence in found.advice)
    assert not found.evidence["gyro"].used


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_without_a_gyro_travel_gives_a_hint_and_decides_nothing(sign: float) -> None:
    t = np.arange(0.0, 40.0, 0.05)
    yaw = 1.2 * np.sin(0.2 * t)
    place = np.cumsum(np.stack([np.cos(yaw), np.sin(yaw), 0 * yaw], axis=-1) * 5.0 * 0.05, axis=0)
    angles = np.stack([sign * yaw, 0 * yaw, 0 * yaw], axis=-1)
    found = diagnose_arrays(t, euler=angles, degrees=False, position=place)
    assert found["half_converted"].state == "ambiguous"
    assert ("its negative" in found["half_converted"].why) == (sign < 0)
    assert not any(found[part].decided for part in PARTS)


def test_a_foreign_gyro_decides_nothing() -> None:
    f, other = flight(), flight(seed=3)
    found = diagnosed(f, gyro=np.roll(other.gyro, 2100, axis=0)[:, [1, 2, 0]], velocity=None)
    assert not found["sense"].decided
    assert found.verdict in ("not_observable", "ambiguous")


def test_swapped_columns_are_seen_without_asking() -> None:
    f = flight()
    swap = [1, 0, 2]
    found = diagnosed(f, gyro=f.gyro[:, swap], accel=f.accel[:, swap], mag=None, order="wxyz")
    assert found["handedness"].answer == "left"
    assert found["imu_axes"].answer == "+y+x+z"
    assert found["sense"].answer == "same"


def test_a_mount_askew_is_given_in_degrees() -> None:
    f = flight()
    askew = Rotation.from_euler("ZYX", [90.0 + 12.0, 5.0, 0.0], degrees=True).inv()
    found = diagnosed(f, gyro=askew.apply(f.gyro), accel=askew.apply(f.accel), mag=None, order="wxyz")
    assert found["imu_axes"].answer == "-y+x+z"
    assert found.mount_deg == pytest.approx(13.0, abs=0.3)


@pytest.mark.parametrize(("unit", "factor"), [("deg/s", 180 / np.pi), ("mrad/s", 1000.0), ("rad/s", 1.0)])
def test_units_are_found_and_a_wrong_one_is_a_contradiction(unit: str, factor: float) -> None:
    f = flight()
    found = diagnosed(f, gyro=f.gyro * factor, accel=f.accel / 9.80665, order="wxyz", gyro_unit="rad/s")
    assert found["gyro_unit"].answer == unit
    assert found["accel"].answer == {"unit": "g", "kind": "specific_force"}
    assert (found.verdict == "contradicted") == (unit != "rad/s")


def test_of_units_that_are_nearly_the_same_the_usual_one_is_assumed_and_a_declared_one_stands() -> None:
    f = flight()
    for factor in (1000.0 / 9.80665, 100.0):
        plain = diagnosed(f, accel=f.accel * factor)["accel"]
        assert plain.answer["unit"] == "mg"
        assert any("mg, not in cm/s2" in said for said in plain.assumes)
        declared = diagnosed(
            f, accel=f.accel * factor, order="wxyz", direction="body_to_world", accel_unit="cm/s2"
        )
        assert declared["accel"].answer["unit"] == "cm/s2"
        assert any("cm/s2, not in mg" in said for said in declared["accel"].assumes)
        assert declared.verdict == "consistent"
    assert not any("nearly" in said for said in diagnosed(f)["accel"].assumes)


def test_velocities_with_east_and_north_swapped_are_found() -> None:
    f = flight()
    found = diagnosed(f, velocity=f.velocity[:, [1, 0, 2]], order="wxyz")
    assert found["position_axes"].answer == "+y+x+z"
    up_positive = diagnosed(f, velocity=f.velocity * (1.0, 1.0, -1.0), order="wxyz")
    assert up_positive["position_axes"].answer == "+x+y-z"


def test_clocks_apart_and_rates_that_differ() -> None:
    f = flight()
    slow = slice(None, None, 4)
    found = diagnose_arrays(
        f.time[slow],
        quat=stored(f.quat[slow], "wxyz", "body_to_world"),
        gyro=(f.time + 0.063, f.gyro),
        accel=(f.time + 0.063, f.accel),
        velocity=(f.time[::10], f.velocity[::10]),
        order="wxyz",
    )
    assert found["direction"].answer == "body_to_world"
    assert found["time_offset"].answer == pytest.approx(0.063, abs=0.004)


def test_a_broken_log_is_diagnosed_all_the_same() -> None:
    """NaN gaps, a reset of yaw, a restarted clock, double stamps and rows out of order, all in one."""
    f = flight(90.0)
    quat = f.quat.copy()
    quat[3000:] = (Rotation.from_rotvec([0.0, 0.0, 0.8]) * Rotation.from_quat(quat[3000:])).as_quat()
    quat[1000:1200] = np.nan
    gyro = f.gyro.copy()
    gyro[2000:2050] = np.nan
    time = f.time + 100.0
    time[6000:] -= 150.0
    time[500] = time[499]
    time[700], time[701] = time[701], time[700]
    found = diagnose_arrays(
        time, quat=stored(quat, "xyzw", "body_to_world"), gyro=gyro, accel=f.accel, order="xyzw"
    )
    assert found["direction"].answer == "body_to_world"
    assert found["imu_axes"].answer == "+x+y+z"
    faults = found.faults["attitude"]
    assert (faults.restarts, faults.duplicates, faults.disordered, faults.invalid) == (1, 1, 1, 200)
    assert found.resets and abs(found.resets[0] - 130.0) < 0.2
    assert any("restarts" in sentence for sentence in found.advice)


def test_matrices_and_euler_angles_have_no_order() -> None:
    f = flight()
    as_matrix = diagnose_arrays(
        f.time, matrix=f.rotation.as_matrix().swapaxes(1, 2), gyro=f.gyro, accel=f.accel
    )
    as_euler = diagnose_arrays(
        f.time, euler=f.rotation.as_euler("ZYX", degrees=True), degrees=True, gyro=f.gyro, accel=f.accel
    )
    for found, direction in ((as_matrix, "world_to_body"), (as_euler, "body_to_world")):
        assert found["direction"].answer == direction
        assert found["order"].state == "not_observable"
        assert [r.order for r in found.best] == [None]
        assert found["imu_axes"].answer == "+x+y+z"


@pytest.mark.parametrize(("sequence", "degrees"), [("ZXY", False), ("XZY", True), ("ZYX", True)])
def test_euler_angles_in_another_sequence_or_unit_are_found(sequence: str, degrees: bool) -> None:
    f = flight()
    angles = f.rotation.as_euler(sequence, degrees=degrees)
    named = angles[:, [sequence.index(letter) for letter in "ZYX"]]
    found = diagnose_arrays(f.time, euler=named, degrees=False, gyro=f.gyro, accel=f.accel)
    assert found.verdict == "contradicted"
    assert {r.sequence for r in found.best} == {f"{sequence}, {'degrees' if degrees else 'radians'}"}
    assert found["direction"].answer == "body_to_world"
    assert "Euler angles are" in found.advice[0]


def test_a_sequence_read_backwards_is_a_negated_angle_of_the_inverse() -> None:
    f = flight()
    backwards = f.rotation.as_euler("XYZ")[:, ::-1]
    found = diagnose_arrays(f.time, euler=backwards, degrees=False, gyro=f.gyro, accel=f.accel)
    assert found.verdict == "contradicted"
    assert found["half_converted"].answer == "one_euler_angle_negated"
    assert found["sense"].answer == "inverse"
    assert "reversed sequence" in found.advice[0]


def test_an_accelerometer_without_gravity_is_recognised() -> None:
    f = flight()
    found = diagnosed(f, accel=f.accel - f.rotation.inv().apply([0.0, 0.0, -9.80665]), velocity=None)
    assert found["accel"].answer["kind"] == "gravity_removed"
    assert not found["world_up"].decided


def test_numbers_may_be_single_precision_integers_or_nanoseconds() -> None:
    f = flight()
    found = diagnose_arrays(
        (f.time * 1e9).astype(np.int64),
        quat=stored(f.quat, "wxyz", "body_to_world").astype(np.float32),
        gyro=np.rint(f.gyro * 1000.0).astype(np.int32),
        order="wxyz",
    )
    assert found["direction"].answer == "body_to_world"
    assert found["gyro_unit"].answer == "mrad/s"


def test_a_diagnosis_is_plain_data() -> None:
    found = diagnosed(flight())
    again = json.loads(found.to_json())
    assert set(again) == {
        "source",
        "streams",
        "verdict",
        "declared",
        "refuted",
        "best",
        "parts",
        "mount_deg",
        "resets",
        "evidence",
        "faults",
        "systems",
        "advice",
        "fix",
    }
    assert tuple(sorted(again["parts"])) == tuple(sorted(PARTS))
    assert set(again["parts"]["sense"]) == {
        "answer",
        "state",
        "margin",
        "evidence",
        "assumes",
        "alternatives",
        "why",
        "settles",
    }
    assert again["evidence"]["gyro"]["used"] is True
    assert len(again["best"]) == 2
    assert found.report()


def test_what_was_given_is_not_changed() -> None:
    f = flight(20.0)
    quat = stored(f.quat, "wxyz", "body_to_world")
    before = [values.copy() for values in (f.time, quat, f.gyro, f.accel, f.velocity)]
    diagnose_arrays(f.time, quat=quat, gyro=f.gyro, accel=f.accel, velocity=f.velocity)
    for one, other in zip(before, (f.time, quat, f.gyro, f.accel, f.velocity), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "one of quat, euler and matrix, not none"),
        ({"quat": np.zeros((10, 4)), "matrix": np.zeros((10, 3, 3))}, "quat and matrix"),
        ({"quat": np.zeros((10, 3))}, r"quat has shape \(10, 3\)"),
        ({"euler": np.zeros((10, 3))}, "unit of the Euler angles"),
        ({"quat": np.zeros((9, 4))}, "9 rows and times"),
        ({"quat": np.zeros((10, 4)), "gyro": np.zeros((9, 3))}, "gyro has 9 rows and the attitude 10"),
        ({"quat": np.zeros((10, 4)), "gyro": np.zeros((10, 2))}, r"gyro has shape \(10, 2\)"),
        ({"quat": np.zeros((10, 4)), "gyro": np.full((10, 3), "x")}, "gyro holds .*, not numbers"),
        ({"quat": np.zeros((10, 4)), "gyro": (np.zeros(4), np.zeros((5, 3)))}, "the times of gyro"),
    ],
)
def test_wrong_shapes_get_one_clear_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        diagnose_arrays(np.arange(10.0), **given)


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 30])
def test_logs_too_short_to_tell_anything(rows: int) -> None:
    f = flight(10.0)
    found = diagnose_arrays(f.time[:rows], quat=f.quat[:rows], gyro=f.gyro[:rows], accel=f.accel[:rows])
    assert not found["sense"].decided
    assert found.verdict in ("not_observable", "ambiguous")


def test_a_part_that_is_none_is_told_with_those_that_are() -> None:
    found = diagnose_arrays(np.arange(20.0), quat=np.tile([1.0, 0.0, 0.0, 0.0], (20, 1)))
    with pytest.raises(KeyError, match="no part 'nope'; its parts are sense, half_converted, order"):
        found["nope"]


def test_every_key_of_the_json_is_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "diagnosis.md").read_text("utf-8")
    section = page[page.index("## JSON") : page.index("## In other commands")]
    found = diagnosed(flight()).to_dict()
    nested = [found["best"][0], found["parts"]["sense"], found["evidence"]["gyro"], found["faults"]["gyro"]]
    names = {*found, *found["parts"], *(key for one in nested for key in one)}
    assert [name for name in sorted(names) if f"`{name}`" not in section] == []


def test_what_is_handed_on_is_what_the_pages_speak_of() -> None:
    import boresight.diagnosis as package

    assert set(package.__all__) == {
        *("diagnose", "diagnose_arrays", "second_record"),
        *("Diagnosis", "Part", "Reading", "Note", "Faults", "Claim", "PARTS"),
        *("Second", "SecondClaim"),
    }
    for inside in ("judge", "gather", "diagnose_recorded", "Recorded", "Evidence", "Claims"):
        assert not hasattr(package, inside)
