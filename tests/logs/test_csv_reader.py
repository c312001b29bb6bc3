"""CSV by the names of its columns: recognised where they are common, asked for where they leave something open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from boresight import conventions
from boresight.errors import DataError
from boresight.logs import Log, Stream, read
from boresight.logs.description import comment_line
from boresight.logs.readers.csv_names import recognise
from boresight.logs.tables import make_table


def saved(directory: Path, text: str, name: str = "data.csv") -> Path:
    path = directory / name
    path.write_text(text, "utf-8")
    return path


def table(names: str, *rows: str) -> str:
    return "\n".join([names, *rows]) + "\n"


def codes(log: Log) -> set[str]:
    return {notice.code for notice in log.notices}


@pytest.mark.parametrize(
    "header",
    [
        "time_s,x,y,z,qx,qy,qz,qw",
        "Time (s),pos_x,pos_y,pos_z,quat_x,quat_y,quat_z,quat_w",
        "timestamp [s],position.x,position.y,position.z,orientation.x,orientation.y,orientation.z,orientation.w",
        "t_s;tx;ty;tz;q_x;q_y;q_z;q_w",
        '"stamp (sec)","px","py","pz","QX","QY","QZ","QW"',
    ],
)
def test_poses(tmp_path: Path, header: str) -> None:
    separator = ";" if ";" in header else ","
    path = saved(tmp_path, table(header, separator.join(["0.5", "1", "2", "3", "0.1", "0.2", "0.3", "0.9"])))
    log = read(path, from_="ros")
    (stream,) = log.streams.values()
    assert (log.format, stream.kind, stream.name) == ("csv", "pose", "data")
    assert stream.time.tolist() == [500_000_000]
    assert stream.array("position").tolist() == [[1, 2, 3]]
    assert stream.array("orientation").tolist() == [[0.1, 0.2, 0.3, 0.9]]


def test_the_convention_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"data\.csv: line 1: the file does not say what its numbers are in; give from_="
    ):
        read(saved(tmp_path, table("time_s,x,y,z", "0,1,2,3")))


def test_the_unit_of_time_must_be_said(tmp_path: Path) -> None:
    path = saved(tmp_path, table("time,x,y,z", "5,1,2,3"))
    with pytest.raises(DataError, match=r"unit of the times is not said by the name 'time'; give time_unit="):
        read(path, from_="ros")
    assert read(path, from_="ros", time_unit="ms")["data"].time.tolist() == [5_000_000]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timestamp_ns", 7),
        ("t_us", 7000),
        ("stamp [ms]", 7_000_000),
        ("Time (s)", 7 * 10**9),
        ("#timestamp [ns]", 7),
    ],
)
def test_units_of_time(tmp_path: Path, name: str, value: int) -> None:
    assert read(saved(tmp_path, table(f"{name},x,y,z", "7,1,2,3")), from_="ros")["data"].time.tolist() == [
        value
    ]


def test_numbered_quaternions_need_an_order(tmp_path: Path) -> None:
    path = saved(tmp_path, table("time_s,q0,q1,q2,q3", "0,1,2,3,4"))
    with pytest.raises(DataError, match=r"columns q0, q1, q2, q3 do not say which of them is w"):
        read(path, from_="px4")
    assert read(path, from_="px4", order="wxyz")["data"].quaternion(order="wxyz").tolist() == [[1, 2, 3, 4]]
    assert read(path, from_="px4", order="xyzw")["data"].quaternion(order="xyzw").tolist() == [[1, 2, 3, 4]]


def test_letters_alone_are_a_quaternion_where_there_is_a_w(tmp_path: Path) -> None:
    path = saved(tmp_path, table("Timestamp (us),W Element,X Element,Y Element,Z Element", "1,4,1,2,3"))
    stream = read(path, from_="madgwick")["data"]
    assert stream.quaternion(order="xyzw").tolist() == [[1, 2, 3, 4]]


def test_angles_by_name_in_the_conventions_order(tmp_path: Path) -> None:
    path = saved(tmp_path, table("time_s,yaw (deg),roll (deg),pitch (deg)", "0,30,10,20"))
    stream = read(path, from_="carla")["data"]
    assert stream.convention.euler is not None
    assert stream.convention.euler.arguments == ("pitch", "yaw", "roll")
    assert stream.array("euler").tolist() == [[20, 30, 10]]
    stream = read(path, from_="px4")["data"]  # whose angles are in radians
    assert stream.convention.euler is not None
    assert stream.convention.euler.unit == "deg"
    assert np.allclose(stream.rotation().as_euler("ZYX", degrees=True), [[30, 20, 10]])


def test_lengths_by_name(tmp_path: Path) -> None:
    stream = read(saved(tmp_path, table("time_s,x (mm),y (mm),z (mm)", "0,1,2,3")), from_="ros")["data"]
    assert stream.convention.length == "mm"


def test_a_sensor_file_is_divided(tmp_path: Path) -> None:
    header = (
        "t_s,gx (deg/s),gy (deg/s),gz (deg/s),ax (g),ay (g),az (g),mx (uT),my (uT),mz (uT),pressure (hPa)"
    )
    log = read(saved(tmp_path, table(header, "0,1,2,3,4,5,6,7,8,9,1000")), from_="ros")
    assert {name: stream.kind for name, stream in log.streams.items()} == {
        "data_imu": "imu",
        "data_magnetic_field": "magnetic_field",
        "data_baro": "baro",
    }
    imu = log["data_imu"]
    assert dict(imu.units) == {"angular_rate": "deg/s", "specific_force": "g"}
    assert imu.factor("specific_force") == 9.80665
    assert log["data_baro"].factor("pressure") == 100
    assert codes(log) == set()


def test_a_unit_that_is_assumed_is_said(tmp_path: Path) -> None:
    path = saved(tmp_path, table("t_s,gx,gy,gz", "0,1,2,3"))
    log = read(path, from_="ros")
    assert codes(log) == {"assumed-unit"}
    assert "taken as rad/s" in log.notices[0].message
    log = read(path, from_="ros", units={"angular_rate": "deg/s"})
    assert log["data"].unit("angular_rate") == "deg/s"
    assert codes(log) == set()
    with pytest.raises(DataError, match="unit 'rpm' of angular_rate is not known"):
        read(saved(tmp_path, table("t_s,gx (rpm),gy (rpm),gz (rpm)", "0,1,2,3")), from_="ros")


def test_names_of_ones_own(tmp_path: Path) -> None:
    path = saved(tmp_path, table("when,att.a,att.b,att.c,att.d,comment", "3,1,2,3,4,hello world"))
    columns = {"time": "when", "qw": "att.a", "qx": "att.b", "qy": "att.c", "qz": "att.d"}
    stream = read(path, from_="px4", columns=columns, time_unit="s")["data"]
    assert stream.array("orientation").tolist() == [[1, 2, 3, 4]]
    with pytest.raises(DataError, match=r"the file has no column 'x'; it has: when"):
        read(path, from_="px4", columns={"qw": "x"})
    with pytest.raises(DataError, match=r"there is no column 'attitude' to read into"):
        read(path, from_="px4", columns={"attitude": "att.a"})
    with pytest.raises(DataError, match=r"no column of times is recognised"):
        read(path, from_="px4")
    with pytest.raises(DataError, match=r"no column is recognised: when"):
        read(path, from_="px4", columns={"time": "when"}, time_unit="s")


def test_missing_numbers_are_nan_and_a_bad_one_is_named(tmp_path: Path) -> None:
    log = read(saved(tmp_path, table("t_s,x,y,z", "0,1,,3", "1,1,2,3")), from_="ros")
    assert np.isnan(log["data"].array("position")[0, 1])
    assert codes(log) == {"invalid-position"}
    path = saved(tmp_path, table("# note", "t_s,x,y,z", "0,1,2,3", "1,1,two,3"))
    with pytest.raises(DataError, match=r"data\.csv: line 4, column y: 'two' is no number"):
        read(path, from_="ros")


def test_two_columns_for_one_number_are_said(tmp_path: Path) -> None:
    names = "t_s,x,y,z,pos_x,qw,qx,qy,qz,qw"
    path = saved(tmp_path, table(names, "0,1,2,3,9,1,0,0,0,0"))
    log = read(path, from_="px4")
    assert log["data"].array("position").tolist() == [[1, 2, 3]]
    assert log["data"].array("orientation").tolist() == [[1, 0, 0, 0]]
    assert [n.message for n in log.notices if n.code == "assumed-column"] == [
        "x is read from column 2 ('x') and not from column 5 ('pos_x'); columns={...} says otherwise",
        "qw is read from column 6 ('qw') and not from column 10 ('qw'); columns={...} says otherwise",
    ]
    said = read(path, from_="px4", columns={"x": "pos_x", "qw": "qw"})
    assert said["data"].array("position").tolist() == [[9, 2, 3]]
    assert "assumed-column" not in codes(said)


def test_no_names(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no line with names of columns"):
        read(saved(tmp_path, "0,1,2\n1,2,3\n"), from_="ros")


def test_ours_says_everything_itself(tmp_path: Path) -> None:
    covariance = np.arange(72.0).reshape(2, 36)
    columns = {name: np.array([i, i + 0.1]) for i, name in enumerate(("x", "y", "z", "qx", "qy", "qz", "qw"))}
    rows = make_table(
        np.array([1, 2**62]), {**columns, "reset": np.array([0, 1]), "pose_covariance": covariance}
    )
    original = Stream("vehicle", "pose", conventions.get("px4"), "body", rows)
    names = [*rows.column_names[:8], "reset", *[f"pose_covariance_{i}" for i in range(36)]]
    lines = [
        ",".join(
            [
                str(original.time[i]),
                *[repr(float(original.column(n)[i])) for n in names[1:8]],
                str(original.column("reset")[i]),
            ]
            + [repr(float(value)) for value in covariance[i]]
        )
        for i in range(2)
    ]
    log = read(saved(tmp_path, "\n".join([comment_line(original), ",".join(names), *lines]) + "\n"))
    stream = log["vehicle"]
    assert stream.convention == original.convention
    assert stream.kind == "pose"
    assert stream.table().select(rows.column_names).equals(rows)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("e_imu/fusion_sensor_data.csv", {"wx", "ax", "mx"}),
        ("e_imu/skin_data_ngimu_quaternion.csv", {"qw", "qx"}),
        ("e_imu/skin_data_xio3_Quaternion.csv", {"qw", "qx"}),
        ("e_imu/skin_data_ngimu_sensors.csv", {"wx", "ax", "mx", "pressure"}),
    ],
)
def test_real_files(recording: Callable[[str], Path], name: str, columns: set[str]) -> None:
    log = read(recording(name), from_="madgwick")
    have = {column for stream in log.streams.values() for column in stream.schema.names}
    assert columns <= have
    assert not any(notice.code == "assumed-unit" for notice in log.notices)
    assert all(stream.num_rows > 100 for stream in log.streams.values())


def test_what_is_recognised() -> None:
    found = recognise(["Time (s)", "accelX", "accelY", "accelZ", "gyroX", "gyroY", "gyroZ", "class"])
    assert set(found.columns) == {"time", "ax", "ay", "az", "wx", "wy", "wz"}
    assert recognise(["x", "y", "z", "q[0]", "q[1]", "q[2]", "q[3]"]).numbered == [3, 4, 5, 6]
    assert recognise(["q1", "q2", "q3", "q4"]).numbered == [0, 1, 2, 3]
