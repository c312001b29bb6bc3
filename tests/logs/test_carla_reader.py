"""Recordings of CARLA: as the recorder writes them, as people do, and as they are printed."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import boresight as bs
from boresight import carla
from boresight.carla import Location, Recorder, Rotation, Transform, Vector3D
from boresight.errors import DataError
from boresight.logs.readers.carla_rows import column_of

YAW = np.linspace(-170, 170, 20)
TRUTH = Transform(Location(np.arange(20.0), 2 * np.arange(20.0), 0.5), Rotation(pitch=5, yaw=YAW, roll=-3))
VELOCITY = Vector3D(1.0, np.arange(20.0) / 10, 0)
RATE = Vector3D(1, 2, 10)  # degrees a second along the map's axes


def line(i: int, **more: Any) -> dict[str, Any]:
    place, angles, v, w = TRUTH[i].location, TRUTH[i].rotation, VELOCITY[i], RATE
    return {
        "frame": 100 + i,
        "timestamp": 42.25 + i / 20,
        "id": 24,
        "location": xyz(place),
        "rotation": {name: float(getattr(angles, name)) for name in ("pitch", "yaw", "roll")},
        "velocity": xyz(v),
        "angular_velocity": xyz(w),
        "acceleration": {"x": 0.5, "y": 1.5, "z": 2.5},
        **more,
    }


def xyz(v: Any) -> dict[str, float]:
    return {name: float(getattr(v, name)) for name in "xyz"}


def write_lines(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in lines))
    return path


def check_truth(log: Any, name: str) -> None:
    stream = log[name]
    assert stream.kind == "pose"
    assert stream.convention.id == "carla"
    assert stream.time.tolist() == [42_250_000_000 + 50_000_000 * i for i in range(20)]
    assert_allclose(stream.array("position"), TRUTH.location.as_array())
    assert_allclose(stream.array("euler")[:, 1], YAW, rtol=1e-6)
    assert_allclose(stream.array("velocity"), VELOCITY.as_array())
    assert stream.unit("angular_rate") == "deg/s"
    twist = carla.to_ros_twist(TRUTH, VELOCITY, RATE)
    rate = np.radians(stream.array("angular_rate")) * [-1, 1, -1]
    assert_allclose(rate, twist.angular, atol=1e-6)
    pose = stream.pose()
    expected = TRUTH.to_pose()
    assert_allclose(pose.as_matrix(), expected.as_matrix(), atol=1e-5)


def test_json_lines(tmp_path: Path) -> None:
    log = bs.read(write_lines(tmp_path / "drive.jsonl", [line(i) for i in range(20)]))
    assert log.format == "carla"
    check_truth(log, "24")
    assert_allclose(log["24"].array("acceleration"), np.broadcast_to([0.5, 1.5, 2.5], (20, 3)))
    assert log.notices == ()


def test_the_words_that_people_use(tmp_path: Path) -> None:
    def other(i: int) -> dict[str, Any]:
        own = line(i)
        angles = {key: str(value) for key, value in own["rotation"].items()}
        return {
            "elapsed_seconds": own["timestamp"],
            "actor_id": "24",
            "transform": {"location": list(own["location"].values()), "rotation": angles},
            "linear_velocity": own["velocity"],
            "ang_vel": own["angular_velocity"],
            "throttle": 0.3,
            "notes": ["free", "text"],
        }

    check_truth(bs.read(write_lines(tmp_path / "a.jsonl", [other(i) for i in range(20)])), "24")


@pytest.mark.parametrize("joint", [".", "_"])
def test_keys_that_are_joined(tmp_path: Path, joint: str) -> None:
    def flat(i: int) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        for key, value in line(i).items():
            parts |= (
                {f"{key}{joint}{k}".title(): v for k, v in value.items()}
                if isinstance(value, dict)
                else {key: value}
            )
        return parts

    path = write_lines(tmp_path / "a.jsonl", [flat(i) for i in range(20)])
    check_truth(bs.read(path), "24")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    check_truth(bs.read(path), "24")


@pytest.mark.parametrize("by_id", [False, True])
def test_a_line_of_many_actors(tmp_path: Path, by_id: bool) -> None:
    def tick(i: int) -> dict[str, Any]:
        own = {key: value for key, value in line(i).items() if key not in ("frame", "timestamp", "id")}
        actors: Any = {"24": own, "25": {**own, "type": "vehicle.audi.tt"}}
        if not by_id:
            actors = [{"id": int(key), **actor} for key, actor in actors.items()]
        return {
            "frame": i,
            "timestamp": {"frame": i, "elapsed_seconds": 42.25 + i / 20, "delta_seconds": 0.05},
            "weather": [{"rain": 1}],
            "actors": actors,
        }

    empty = {"timestamp": 50.0, "actors": []}
    log = bs.read(write_lines(tmp_path / "a.jsonl", [*(tick(i) for i in range(20)), empty]))
    assert list(log.streams) == ["24", "vehicle.audi.tt/25"]
    check_truth(log, "24")
    check_truth(log, "vehicle.audi.tt/25")
    assert log.notices == ()


def test_plain_keys_are_carlas_where_the_caller_says_so(tmp_path: Path) -> None:
    keys = {"t": 0.5, "x": 1, "y": 2, "z": 3, "pitch": 4, "yaw": 5, "roll": 6}
    path = write_lines(tmp_path / "a.jsonl", [keys])
    with pytest.raises(DataError, match='does not say that its numbers are CARLA\'s; give from_="carla"'):
        bs.read(path)
    stream = bs.read(path, "carla")["vehicle"]
    assert stream.array("position").tolist() == [[1, 2, 3]]
    assert stream.array("euler").tolist() == [[4, 5, 6]]
    nested = {"t": 0.5, "loc": {"x": 1, "y": 2, "z": 3}, "rot": {"pitch": 4, "yaw": 5, "roll": 6}}
    assert bs.read(write_lines(tmp_path / "b.jsonl", [nested]), "carla")["vehicle"].num_rows == 1


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("joint", [".", "_"])
def test_csv(tmp_path: Path, separator: str, joint: str) -> None:
    names: list[str] = []
    rows: list[str] = []
    for i in range(20):
        flat: dict[str, Any] = {}
        for key, value in line(i).items():
            flat |= (
                {f"{key}{joint}{k}": v for k, v in value.items()} if isinstance(value, dict) else {key: value}
            )
        names = list(flat)
        rows.append(separator.join(str(value) for value in flat.values()))
    path = tmp_path / "drive.csv"
    path.write_text("\n".join([separator.join(names), *rows]) + "\n")
    check_truth(bs.read(path), "24")
    path.write_text("\n".join([separator.join(names), *rows[:-1], rows[-1][:30]]))
    log = bs.read(path)
    assert log["24"].num_rows == 19
    assert [notice.code for notice in log.notices] == ["truncated"]
    with pytest.raises(DataError, match="line 21: the line is cut short"):
        bs.read(path, strict=True)


def test_a_plain_table_stays_with_the_reader_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time_s,x,y,z,pitch,yaw,roll\n0,1,2,3,4,5,6\n")
    assert bs.read(path, "carla").format == "csv"
    path.write_text("timestamp,x,y,z,pitch,yaw,roll\n0,1,2,3,4,5,6\n")
    assert bs.read(path, format="carla")["vehicle"].array("euler").tolist() == [[4, 5, 6]]


def test_several_actors_and_sensors(tmp_path: Path) -> None:
    lines: list[Any] = []
    for i in range(20):
        lines.append(line(i, id=7, type="vehicle.audi.tt"))
        lines.append(line(i, id=8, type="vehicle.tesla.model3", role="hero"))
        lines.append({"timestamp": 42.25 + i / 20, "id": "imu", "accelerometer": {"x": 0, "y": 1, "z": 9.81},
                      "gyroscope": {"x": 0.1, "y": 0.2, "z": 0.3}, "compass": 0.5})  # fmt: skip
        lines.append(
            {"timestamp": 42.25 + i / 20, "id": "gnss", "latitude": 49, "longitude": 8, "altitude": 1}
        )
        lines.append(line(i, id=9, type="sensor.camera.rgb"))
        lines.append({"timestamp": 42.25 + i / 20, "id": 7, "note": "nothing"})
    log = bs.read(write_lines(tmp_path / "a.jsonl", lines))
    assert list(log.streams) == [
        "vehicle.tesla.model3/8",  # one's own first
        "vehicle.audi.tt/7",
        "imu",
        "gnss",
        "sensor.camera.rgb/9",
    ]
    assert [(n.code, n.stream) for n in log.notices] == [("incomplete", "7")]
    imu = log["imu"]
    assert imu.kind == "imu"
    assert imu.unit("angular_rate") == "rad/s"
    assert imu.array("heading").tolist() == [0.5] * 20
    assert log["gnss"].kind == "gnss"
    assert log["sensor.camera.rgb/9"].thing == "camera"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"location": {"x": 1}}\n{"a"\n{"b": 1}\n', "line 2: this is no JSON"),
        ('{"location": {"x": 1}}\n[1]\n', "line 2: a line is to be a JSON object"),
        ('{"location": {"x": 1}, "rotation": [1, 2, 3]}\n', "line 1, key rotation: three angles in a list do not say"),
        ('{"location": {"x": 1}}\n', "line 1: no line has a location with a rotation"),
        (json.dumps(line(0) | {"timestamp": None}) + "\n", "line 1: there is no time"),
        (json.dumps(line(0) | {"timestamp": "noon"}) + "\n", "line 1, time: 'noon' is no time"),
        (json.dumps(line(0) | {"velocity": {"x": "fast", "y": 0, "z": 0}}) + "\n", "line 1, vx: 'fast' is no number"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        bs.read(path)


def test_other_conventions_are_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [line(0)])
    with pytest.raises(DataError, match="in CARLA's convention, not in ros"):
        bs.read(path, "ros")
    assert bs.read(path, "carla").format == "carla"
    with pytest.raises(DataError, match="'h' is no unit of time"):
        bs.read(path, time_unit="h")


def test_a_missing_number_is_nan_and_times_are_exact(tmp_path: Path) -> None:
    lines = [line(0), line(1, location={"x": None, "y": 1, "z": 2})]
    path = tmp_path / "a.jsonl"
    text = "".join(json.dumps(item) + "\n" for item in lines)
    path.write_text(text.replace('"timestamp": 42.25', '"timestamp": 1764652222.123456789'))
    log = bs.read(path)
    assert np.isnan(log["24"].array("position")[1, 0])
    assert log["24"].time[0] == 1764652222123456789
    path.write_text(text + '{"timestamp": 4')
    log = bs.read(path)
    assert log["24"].num_rows == 2
    assert log.notices[0].code == "truncated"


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("location.x", "x"), ("Location X", "x"), ("transform.location.x", "x"), ("loc_x", "x"), ("x", "x"),
        ("rotation.pitch", "pitch"), ("yaw", "yaw"), ("velocity_y", "vy"), ("vz", "vz"), ("ang_vel_x", "turn_x"),
        ("accelerometer.x", "ax"), ("gyroscope.z", "wz"), ("acceleration.x", "dvx"), ("timestamp", "time"),
        ("timestamp.elapsed_seconds", "time"), ("id", "id"), ("steer", None), ("extent.x", None),
    ],
)  # fmt: skip
def test_names(name: str, column: str | None) -> None:
    assert column_of(name) == column


# ---- the recorder ---------------------------------------------------------------------------------


class World:
    """What the recorder asks a client for."""

    def __init__(self) -> None:
        self.actors = [
            SimpleNamespace(id=24, type_id="vehicle.audi.tt", attributes={"role_name": "hero"}),
            SimpleNamespace(id=99, type_id="vehicle.gone", attributes={}),
        ]

    def snapshot(self, i: int) -> Any:
        actor = SimpleNamespace(
            get_transform=lambda: TRUTH[i],
            get_velocity=lambda: VELOCITY[i],
            get_angular_velocity=lambda: RATE,
            get_acceleration=lambda: Vector3D(0.5, 1.5, 2.5),
        )
        stamp = SimpleNamespace(elapsed_seconds=42.25 + i / 20)
        return SimpleNamespace(frame=100 + i, timestamp=stamp, find={24: actor}.get)


def test_the_recorder_writes_what_the_reader_reads(tmp_path: Path) -> None:
    path, world = tmp_path / "drive.jsonl", World()
    with Recorder(path) as recorder:
        imu = recorder.sensor("imu")
        gnss = recorder.sensor("gnss")
        for i in range(20):
            recorder.snapshot(world.snapshot(i), world.actors)
            imu(SimpleNamespace(frame=i, timestamp=42.25 + i / 20, compass=0.1, accelerometer=Vector3D(0, 1, 9.81),
                                gyroscope=Vector3D(0.1, 0.2, 0.3)))  # fmt: skip
            gnss(
                SimpleNamespace(
                    frame=i, timestamp=42.25 + i / 20, latitude=49.0, longitude=8.0, altitude=110.5
                )
            )
        with pytest.raises(TypeError, match="SimpleNamespace is no measurement of an IMU or GNSS sensor"):
            imu(SimpleNamespace(frame=1, timestamp=2.0, depth=3))
    log = bs.read(path)
    check_truth(log, "vehicle.audi.tt/24")
    assert list(log.streams) == ["vehicle.audi.tt/24", "imu", "gnss"]
    assert log["imu"].array("angular_rate")[0] == pytest.approx([0.1, 0.2, 0.3])
    assert log["gnss"].array("altitude")[0] == 110.5

    out = tmp_path / "drive.mcap"
    bs.write(log, out, to="ros")
    again = bs.read(out)
    odom = again["/odom"]
    assert_allclose(odom.array("position"), carla.to_ros(TRUTH).position, atol=1e-6)
    assert_allclose(odom.array("orientation"), carla.to_ros(TRUTH).orientation, atol=1e-6)
    twist = carla.to_ros_twist(TRUTH, VELOCITY, RATE)
    assert_allclose(odom.array("body_velocity"), twist.linear, atol=1e-5)
    assert_allclose(odom.array("angular_rate"), twist.angular, atol=1e-6)
    raw = again["/imu/data_raw"]
    assert_allclose(raw.array("specific_force")[0], [0, -1, 9.81], rtol=1e-6)
    assert_allclose(raw.array("angular_rate")[0], [-0.1, 0.2, -0.3], rtol=1e-6)


def test_the_recorder_writes_into_whatever_takes_text(tmp_path: Path) -> None:
    world = World()
    text = io.StringIO()
    with tempfile.NamedTemporaryFile(
        "w", suffix=".jsonl", dir=tmp_path
    ) as file:  # a wrapper, and no TextIOBase
        for target in (text, file):
            with Recorder(target) as recorder:
                recorder.snapshot(world.snapshot(0), world.actors)
        assert not file.closed
        file.flush()
        assert Path(file.name).read_text() == text.getvalue() != ""


def test_the_command_converts_a_drive(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from boresight.cli.app import app

    path = write_lines(tmp_path / "drive.jsonl", [line(i) for i in range(20)])
    done = CliRunner().invoke(app, ["convert", str(path), "-o", str(tmp_path / "drive.mcap"), "--to", "ros"])
    assert done.exit_code == 0, done.output
    odom = bs.read(tmp_path / "drive.mcap")["/odom"]
    assert_allclose(odom.array("position"), carla.to_ros(TRUTH).position, atol=1e-6)


# ---- recordings -----------------------------------------------------------------------------------


def test_printed_measurements(recording: Callable[[str], Path]) -> None:
    log = bs.read(recording("f_carla/mazur_output_imu_data_05.log"))
    assert {name: s.num_rows for name, s in log.streams.items()} == {"vehicle": 100, "vehicle_imu": 100}
    poses, imu = log["vehicle"], log["vehicle_imu"]
    assert poses.time[0] == imu.time[0] == 207_785_169_000
    # The compass and the pose's yaw are one angle.
    yaw = carla.to_scipy(Rotation(yaw=poses.array("euler")[:, 1])).angles[:, 2]
    off = np.degrees(carla.yaw_from_compass(imu.array("heading"))) - yaw
    assert np.abs(off - 360 * np.round(off / 360)).max() < 0.1
    # At rest the specific force is up.
    assert_allclose(imu.array("specific_force")[0], [0, 0, 9.81], atol=0.01)


def test_tables_that_do_not_say_so_are_not_taken_for_carlas(recording: Callable[[str], Path]) -> None:
    """One is a mixture of hands (y flipped, heading not), the other has no times."""
    for name in ("paf_ground_truth_data_00.csv", "carla_imu_classifier_out_mehdi_test.csv"):
        with pytest.raises(DataError, match="does not say what its numbers are in"):
            bs.read(recording(f"f_carla/{name}"))
