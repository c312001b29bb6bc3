"""Tables in which rows of different messages alternate, as exports of telemetry are: most fields of a row are empty."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boresight.rotation import Rotation
from flown import Flight, answered

HEAD = (
    "timestamp (s),type,HEARTBEAT.mode,ATTITUDE.roll,ATTITUDE.pitch,ATTITUDE.yaw,"
    "RAW_IMU.xgyro,RAW_IMU.ygyro,RAW_IMU.zgyro,VFR_HUD.alt"
)
OPTIONS = (
    "--euler",
    "ATTITUDE.roll,ATTITUDE.pitch,ATTITUDE.yaw:rad",
    "--gyro",
    "RAW_IMU.xgyro,RAW_IMU.ygyro,RAW_IMU.zgyro:rad/s",
)


@pytest.fixture
def export(flight: Flight, tmp_path: Path) -> Path:
    """A heartbeat, an attitude, one or two rows of the IMU and an altitude, over and over."""
    angles = Rotation.from_quat(flight.q, order="wxyz").as_euler("ZYX", degrees=False)[:, ::-1]
    lines = [HEAD]
    for i, (t, angle, gyro) in enumerate(zip(flight.t, angles, flight.gyro, strict=True)):
        if i % 50 == 0:
            lines += [f"{t:.9g},HEARTBEAT,STABILIZE,,,,,,,"] * (3 if i == 0 else 1)
        lines.append(f"{t:.9g},RAW_IMU,,,,,{','.join(f'{x:.9g}' for x in gyro)},")
        if i % 2:
            lines.append(f"{t:.9g},ATTITUDE,,{','.join(f'{x:.9g}' for x in angle)},,,,")
        lines.append(f"{t:.9g},VFR_HUD,,,,,,,,{12.5:.9g}")
    path = tmp_path / "telemetry.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_rows_of_other_messages_are_left_out_and_counted(boresight, flight: Flight, export: Path) -> None:
    answer = answered(boresight("diagnose", export, *OPTIONS, "--json"))
    assert answer["parts"]["direction"]["answer"] == "body_to_world"
    assert answer["parts"]["sense"]["answer"] == "same"
    assert answer["faults"]["attitude"]["rows"] == len(flight.t) // 2
    assert answer["faults"]["gyro"]["rows"] == len(flight.t)
    assert answer["faults"]["attitude"]["invalid"] == answer["faults"]["gyro"]["invalid"] == 0
    rows = len(export.read_text().splitlines()) - 1
    counted = [said for said in answer["advice"] if "left out" in said]
    assert len(counted) == 1
    assert f"{rows - len(flight.t) // 2} of --euler" in counted[0]
    assert f"{rows - len(flight.t)} of --gyro" in counted[0]
    assert f"{rows} rows" in counted[0]


def test_a_row_that_lacks_one_number_is_a_fault_of_its_stream(boresight, export: Path) -> None:
    lines = export.read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if ",RAW_IMU," in line)
    fields = lines[place].split(",")
    fields[6] = ""
    lines[place] = ",".join(fields)
    export.write_text("\n".join(lines) + "\n")
    answer = answered(boresight("diagnose", export, *OPTIONS, "--json"))
    assert answer["faults"]["gyro"]["invalid"] == 1


def test_gaps_of_one_stream_are_no_other_message(boresight, flight: Flight, tmp_path: Path) -> None:
    rows = flight.rows()
    rows[900:930, 1:5] = np.nan
    path = tmp_path / "t.csv"
    np.savetxt(path, rows, delimiter=",", header="t (s),q0,q1,q2,q3,gx,gy,gz,ax,ay,az", comments="")
    answer = answered(boresight("diagnose", path, "--json"))
    assert answer["faults"]["attitude"]["invalid"] == 30
    assert not any("left out" in said for said in answer["advice"])
