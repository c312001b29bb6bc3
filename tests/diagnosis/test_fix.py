"""The repair that a diagnosis names: it runs, and what it writes is the attitude as it was before it was spoilt."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import boresight as bs
from boresight import conventions
from boresight.axes import Axes
from boresight.cli.app import start
from boresight.logs.convert import convert_log
from boresight.logs.correction import Correction, corrected
from boresight.logs.model import Log, Stream, TableRows

ATTITUDE = "vehicle_attitude"


@pytest.fixture(scope="module")
def flight(example_log: Path) -> Log:
    """A flight that turns about every axis, with the truth in its attitude."""
    log = bs.read(example_log)
    names = (ATTITUDE, "sensor_combined", "vehicle_local_position")
    return Log({name: log[name] for name in names}, None, "parquet")


def with_quaternions(log: Log, change: Callable[[np.ndarray], np.ndarray]) -> Log:
    """Replace the attitude's stored numbers, in the convention's own order."""
    stream = log[ATTITUDE]
    order = stream.convention.order
    stored = change(stream.quaternion(order=order))
    table = stream.table()
    for i, letter in enumerate(order):
        at = table.schema.get_field_index(f"q{letter}")
        table = table.set_column(at, f"q{letter}", pa.array(np.ascontiguousarray(stored[:, i])))
    return replace(log, streams={**log.streams, ATTITUDE: stream.replace(rows=TableRows(table))})


def with_sensors(log: Log, change: np.ndarray, *groups: str) -> Log:
    """Turn vectors of the sensors by a matrix."""
    stream = log["sensor_combined"]
    table = stream.table()
    names = {"angular_rate": ("wx", "wy", "wz"), "specific_force": ("ax", "ay", "az")}
    for group in groups:
        turned = stream.array(group) @ change.T
        for i, name in enumerate(names[group]):
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, pa.array(np.ascontiguousarray(turned[:, i])))
    return replace(log, streams={**log.streams, stream.name: stream.replace(rows=TableRows(table))})


def said_otherwise(log: Log, name: str) -> Log:
    """Say of every number that it is of another system."""
    system = conventions.get(name)
    return replace(log, streams={n: s.replace(convention=system) for n, s in log.streams.items()})


def order(log: Log) -> Log:
    turn = 1 if log[ATTITUDE].convention.order == "xyzw" else -1
    return with_quaternions(log, lambda q: np.roll(q, turn, axis=1))


def inverse(log: Log) -> Log:
    w = (log[ATTITUDE].convention.order or "").index("w")
    return with_quaternions(log, lambda q: np.where(np.arange(4) == w, q, -q))


def by(**changes: Any) -> Callable[[Log], Log]:
    return lambda log: corrected(log, Correction(**changes), of=ATTITUDE)


MUTATIONS: dict[str, Callable[[Log], Log]] = {
    "order": order,
    "inverse": inverse,
    "w and z exchanged": lambda log: with_quaternions(log, lambda q: q[:, [3, 1, 2, 0]]),
    "x and y exchanged": lambda log: with_quaternions(log, lambda q: q[:, [0, 2, 1, 3]]),
    "world ENU": by(world=Axes("ENU")),
    "body FLU, world NWU": by(body=Axes("FLU"), world=Axes("NWU")),
    "body RDF, world ENU": by(body=Axes("RDF"), world=Axes("ENU")),
    "yaw negated": by(negated="ZYX"),
    "pitch negated": by(negated="YXZ"),
    "roll negated": by(negated="XYZ"),
    "yaw negated in an inverse": lambda log: inverse(by(negated="ZYX")(log)),
    "inverse in ENU": lambda log: inverse(by(world=Axes("ENU"))(log)),
    "order and inverse": lambda log: inverse(order(log)),
    "rates in deg/s": by(units={"angular_rate": "deg/s"}),
    "forces in g": by(units={"specific_force": "g"}),
    "inverse, rates in deg/s": lambda log: inverse(by(units={"angular_rate": "deg/s"})(log)),
}


def angles(found: Stream, wanted: Stream) -> np.ndarray:
    return np.asarray((found.rotation().inv() @ wanted.rotation()).angle())


def diagnosed(capfd: Any, *words: str | Path) -> dict[str, Any]:
    capfd.readouterr()
    code = start(["diagnose", *map(str, words), "--json"])
    out, err = capfd.readouterr()
    assert code in (0, 1), err
    answer = json.loads(out)
    assert (code == 1) == (answer["verdict"] == "contradicted")
    return answer


def repaired(capfd: Any, answer: dict[str, Any]) -> Path:
    """Run the command that a diagnosis names, and return what it wrote."""
    assert answer["verdict"] == "contradicted"
    words = shlex.split(answer["fix"])
    assert words[:2] == ["boresight", "convert"]
    capfd.readouterr()
    assert start(words[1:]) == 0, capfd.readouterr().err
    return Path(words[words.index("-o") + 1])


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_spoilt_parquet_file_is_repaired(flight: Log, name: str, tmp_path: Path, capfd: Any) -> None:
    path = tmp_path / "spoilt.parquet"
    bs.write(MUTATIONS[name](flight), path)
    answer = diagnosed(capfd, path)
    out = repaired(capfd, answer)
    assert diagnosed(capfd, out)["verdict"] == "consistent"
    assert angles(bs.read(out)[ATTITUDE], flight[ATTITUDE]).max() < 1e-5


@pytest.mark.parametrize(
    "change",
    [
        by(body=Axes("FLU"), world=Axes("NWU")),
        lambda log: with_quaternions(log, lambda q: q[:, [3, 1, 2, 0]]),
    ],
)
def test_no_axes_are_named_where_no_velocity_tells_the_heading(
    flight: Log, change: Callable[[Log], Log], tmp_path: Path, capfd: Any
) -> None:
    """Where up is does not tell where north is, and an attitude a quarter turn off would look as right."""
    path = tmp_path / "spoilt.parquet"
    log = replace(flight, streams={name: flight[name] for name in (ATTITUDE, "sensor_combined")})
    bs.write(change(log), path)
    answer = diagnosed(capfd, path)
    assert answer["verdict"] == "contradicted"
    assert "--attitude-axes" not in (answer["fix"] or "")


def test_a_repair_of_axes_is_named_only_where_all_axes_are_then_as_declared(
    flight: Log, tmp_path: Path, capfd: Any
) -> None:
    """Of velocities that are mirrored too no relabelling is left that makes them as declared."""
    stream = flight["vehicle_local_position"]
    table = stream.table()
    at = table.schema.get_field_index("vz")
    table = table.set_column(at, "vz", pa.array(-stream.array("velocity")[:, 2]))
    mirrored = replace(flight, streams={**flight.streams, stream.name: stream.replace(rows=TableRows(table))})
    path = tmp_path / "spoilt.parquet"
    bs.write(by(negated="ZYX")(mirrored), path)
    answer = diagnosed(capfd, path)
    assert (answer["verdict"], answer["fix"]) == ("contradicted", None)


@pytest.mark.parametrize("velocity", [True, False])
@pytest.mark.parametrize("change", [np.diag([1.0, -1.0, -1.0]), -np.eye(3)])
def test_an_attitude_is_left_alone_where_only_the_accelerometer_is_in_other_axes(
    flight: Log, change: np.ndarray, velocity: bool, tmp_path: Path, capfd: Any
) -> None:
    path = tmp_path / "spoilt.parquet"
    names = (ATTITUDE, "sensor_combined", *(["vehicle_local_position"] if velocity else []))
    log = replace(flight, streams={name: flight[name] for name in names})
    bs.write(with_sensors(log, change, "specific_force"), path)
    assert diagnosed(capfd, path)["fix"] is None


@pytest.mark.parametrize(("truly", "said"), [("px4", "ros"), ("ros", "px4")])
def test_a_log_that_is_of_another_system_altogether_is_converted(
    flight: Log, truly: str, said: str, tmp_path: Path, capfd: Any
) -> None:
    path = tmp_path / "other.parquet"
    bs.write(said_otherwise(convert_log(flight, truly), said), path)
    answer = diagnosed(capfd, path)
    assert f"--from {truly} --to {said}" in answer["fix"]
    # Where north is no sensor here tells, so that it has to be said.
    assert any("takes on trust" in sentence for sentence in answer["advice"])
    out = repaired(capfd, answer)
    assert diagnosed(capfd, out)["verdict"] == "consistent"
    wanted = convert_log(flight, said)[ATTITUDE]
    assert angles(bs.read(out)[ATTITUDE], wanted).max() < 1e-5


@pytest.mark.parametrize("name", ["order", "inverse"])
@pytest.mark.parametrize("suffix", [".csv", ".tum"])
def test_a_trajectory_is_repaired_by_the_sensors_of_another_file(
    flight: Log, name: str, suffix: str, tmp_path: Path, capfd: Any
) -> None:
    sensors, path = tmp_path / "sensors.parquet", tmp_path / f"spoilt{suffix}"
    bs.write(flight, sensors)
    ros = convert_log(flight, "ros")
    # One stream of poses in the file, as such a format has it.
    bs.write(MUTATIONS[name](ros), path)
    answer = diagnosed(capfd, path, "--sensors", sensors)
    out = repaired(capfd, answer)
    assert out.suffix == suffix
    assert diagnosed(capfd, out, "--sensors", sensors)["verdict"] != "contradicted"
    own = next(iter(bs.read(out).streams.values()))
    truth = next(iter(bs.read(_written(ros, tmp_path / f"truth{suffix}")).streams.values()))
    assert angles(own, truth).max() < 1e-5


def _written(log: Log, path: Path) -> Path:
    bs.write(log, path)
    return path


@pytest.mark.parametrize("name", ["order", "inverse", "yaw negated"])
def test_a_spoilt_ulog_is_repaired_into_a_file_that_holds_all_of_it(
    example_log: Path, name: str, tmp_path: Path, capfd: Any
) -> None:
    log = bs.read(example_log)
    path = tmp_path / "spoilt.ulg"
    bs.write(MUTATIONS[name](log), path)
    out = repaired(capfd, diagnosed(capfd, path))
    assert out.suffix == ".parquet"
    assert diagnosed(capfd, out)["verdict"] == "consistent"
    assert angles(bs.read(out)[ATTITUDE], log[ATTITUDE]).max() < 1e-5


@pytest.mark.parametrize("name", ["order", "inverse", "yaw negated"])
def test_a_spoilt_mcap_file_is_repaired(example_log: Path, name: str, tmp_path: Path, capfd: Any) -> None:
    ros = convert_log(bs.read(example_log), "ros")
    path, right = tmp_path / "spoilt.mcap", tmp_path / "right.mcap"
    bs.write(ros, right)
    bs.write(MUTATIONS[name](ros), path)
    answer = diagnosed(capfd, path)
    out = repaired(capfd, answer)
    assert out.suffix == ".mcap"
    again = diagnosed(capfd, out)
    assert again["verdict"] == "consistent"
    assert again["parts"]["imu_axes"] == diagnosed(capfd, right)["parts"]["imu_axes"]


def test_a_foreign_table_is_repaired_with_the_words_that_read_it(
    flight: Log, tmp_path: Path, capfd: Any
) -> None:
    q = inverse(flight)[ATTITUDE].quaternion(order="wxyz")
    imu = flight["sensor_combined"]
    time = flight[ATTITUDE].time
    gyro = np.stack([np.interp(time, imu.time, column) for column in imu.array("angular_rate").T], axis=-1)
    path = tmp_path / "table.csv"
    rows = np.column_stack([time / 1e3, q, np.degrees(gyro)])
    np.savetxt(path, rows, delimiter=",", header="stamp,q0,q1,q2,q3,gx,gy,gz", comments="", fmt="%.9g")
    named = ("--time", "stamp:us", "--quat", "q0,q1,q2,q3", "--gyro", "gx,gy,gz:deg/s")
    answer = diagnosed(capfd, path, *named, "--from", "px4", "--same-frame")
    assert answer["parts"]["direction"]["answer"] == "world_to_body"
    out = repaired(capfd, answer)
    assert diagnosed(capfd, out, "--same-frame")["verdict"] == "consistent"
    own = next(s for s in bs.read(out).streams.values() if s.has_orientation)
    assert angles(own, flight[ATTITUDE]).max() < 1e-4


def test_a_log_that_is_as_it_says_has_no_repair(flight: Log, tmp_path: Path, capfd: Any) -> None:
    path = tmp_path / "right.parquet"
    bs.write(flight, path)
    answer = diagnosed(capfd, path)
    assert (answer["verdict"], answer["fix"]) == ("consistent", None)


def test_no_repair_is_named_that_does_not_repair(flight: Log, tmp_path: Path, capfd: Any) -> None:
    """Of an attitude that is nothing but noise there is none."""
    rng = np.random.default_rng(3)
    path = tmp_path / "noise.parquet"
    bs.write(with_quaternions(flight, lambda q: rng.normal(size=q.shape)), path)
    answer = diagnosed(capfd, path)
    assert answer["fix"] is None
    assert answer["verdict"] != "consistent"
