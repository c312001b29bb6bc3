"""The report for people: what a newcomer reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boresight.diagnosis import Diagnosis, diagnose_arrays
from boresight.diagnosis.model import Faults, Part, Reading
from boresight.diagnosis.report import report_text


def still() -> Diagnosis:
    t = np.arange(0.0, 5.0, 0.1)
    return diagnose_arrays(t, quat=np.tile([1.0, 0.0, 0.0, 0.0], (len(t), 1)), order="wxyz")


def test_one_of_a_thing_is_not_many() -> None:
    found = still()
    one = Faults(
        rows=50, invalid=1, duplicates=1, disordered=1, restarts=1, gaps=1, longest_gap=3.0, period=0.1
    )
    text = report_text(replace(found, faults={"gyro": one}, resets=(12.5,)), width=100)
    assert (
        "gyro: 1 row without numbers, 1 stamp twice, 1 row out of order, 1 restart of the clock, 1 gap"
        in (" ".join(text.split()))
    )
    assert "the attitude jumps once, at 12.50 s" in text


def test_columns_of_one_thing_are_named_by_what_they_share() -> None:
    streams = {
        "attitude": "Static/Orientation/Scalar,Static/Orientation/X,Static/Orientation/Y,Static/Orientation/Z",
        "gyro": "Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s)",
        "accel": "RAW_IMU.xacc,RAW_IMU.yacc,RAW_IMU.zacc",
        "mag": "mx,my,mz",
    }
    found = still()
    note = replace(found.evidence["attitude"], used=True)
    evidence = {**found.evidence, **dict.fromkeys(("gyro", "accel", "mag"), note)}
    text = " ".join(report_text(replace(found, streams=streams, evidence=evidence), width=100).split())
    assert (
        "Static/Orientation/Scalar,X,Y,Z with Gyroscope X,Y,Z (deg/s) (gyro), RAW_IMU.xacc,yacc,zacc (accel), mx,my,mz (mag)"
        in text
    )


def test_no_name_is_broken_in_two() -> None:
    name = "a_very_long_name_" * 5 + "end"
    assert name in report_text(replace(still(), streams={"attitude": name}), width=80)


def test_readings_that_look_alike_are_one_line_that_says_how_many_they_are() -> None:
    plain = Reading("wxyz", "body_to_world", "same", "none", "+x+y+z", np.eye(3), 0.6, "-z", None)
    half = replace(
        plain, direction="world_to_body", sense="inverse", half_converted="one_euler_angle_negated"
    )
    best = (plain, replace(half, mount_deg=0.8), replace(half, mount_deg=0.4))
    text = " ".join(report_text(replace(still(), best=best), width=100).split())
    assert "one Euler angle negated, IMU and body in one frame (0.4 to 0.8 deg off), up is -z: 2 ways" in text
    assert text.count("one Euler angle negated") == 1


def test_a_sensor_that_is_not_there_is_said_once() -> None:
    text = " ".join(report_text(still(), width=100).split())
    assert "no accelerometer" in text
    assert "no accelerometer: not in the log" not in text
    assert isinstance(still()["sense"], Part)
