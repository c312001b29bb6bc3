"""Streams of plain arrays: the same as those that a reader makes, and wrong arrays are refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boresight as bs
from boresight.errors import BoresightError, ConventionError, DataError
from boresight.logs import GROUPS, Log, stream_of
from boresight.navigation import run
from boresight.simulate import simulate

TIME = np.arange(3) * 1_000_000


def test_a_stream_of_arrays_is_the_one_that_a_file_has(tmp_path: Path) -> None:
    log = simulate("flight", seed=1, duration=20.0)
    streams = {}
    for name in ("sensor_combined", "vehicle_gps_position", "vehicle_air_data", "vehicle_magnetometer"):
        own = log[name]
        groups = {group.name: own.array(group.name) for group in own.groups}
        streams[name] = stream_of(name, "px4", own.time, units=own.units, **groups)
        assert streams[name].kind == own.kind and set(streams[name].schema.names) == set(own.schema.names)
    one, other = run(log), run(Log(streams))
    assert one.outcomes() == other.outcomes()
    assert (one.array("x", "vy", "qw") == other.array("x", "vy", "qw")).all()
    bs.write(Log(streams), tmp_path / "a.parquet", to="ros")
    assert bs.read(tmp_path / "a.parquet")["sensor_combined"].convention.id == "ros"


@pytest.mark.parametrize(("convention", "order"), [("px4", "wxyz"), ("ros", "xyzw")])
def test_quaternions_are_in_the_conventions_own_order(convention: str, order: Any) -> None:
    q = np.array([[0.1, 0.2, 0.3, 0.4]] * 3)
    stream = stream_of("attitude", convention, TIME, orientation=q)
    assert (stream.quaternion(order=order) == q).all() and (stream.array("orientation") == q).all()


@pytest.mark.parametrize("name", [name for name, group in GROUPS.items() if group.width > 1])
def test_every_group_comes_back(name: str) -> None:
    width = GROUPS[name].width
    values = np.arange(3.0 * width).reshape(3, width)
    beside = {} if GROUPS[name].role == "orientation" else {"angular_rate": np.zeros((3, 3))}
    stream = stream_of("a", "px4", TIME, **{**beside, name: values})
    assert (stream.array(name) == values).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"time": TIME * 1e-9, "angular_rate": np.zeros((3, 3))}, r"whole nanoseconds: np\.round"),
        ({"time": TIME[None], "angular_rate": np.zeros((3, 3))}, "time has shape"),
        ({"angular_rate": np.zeros((2, 3))}, r"angular_rate has shape \(2, 3\); give \(3, 3\)"),
        ({"angular_rate": np.zeros(3)}, r"angular_rate has shape \(3,\)"),
        ({"altitude": np.zeros((3, 1))}, r"altitude has shape \(3, 1\); give \(3,\)"),
        ({"rate": np.zeros((3, 3))}, "there is no quantity 'rate'; there are .*angular_rate"),
        ({"eph": np.zeros(3)}, "eph alone is no kind of stream"),
        ({}, "nothing alone is no kind of stream"),
        ({"angular_rate": "fast"}, "angular_rate"),
        ({"convention": "nowhere", "angular_rate": np.zeros((3, 3))}, "nowhere"),
        ({"thing": "wing", "angular_rate": np.zeros((3, 3))}, "wing"),
        ({"units": {"angular_rate": "rpm"}, "angular_rate": np.zeros((3, 3))}, "rpm"),
    ],
)
def test_arrays_that_are_none_of_a_stream_are_refused(arguments: dict[str, Any], words: str) -> None:
    given = {"name": "a", "convention": "px4", "time": TIME, **arguments}
    with pytest.raises((BoresightError, TypeError), match=words):
        stream_of(**given)


def test_a_convention_without_an_order_takes_no_quaternion() -> None:
    convention = next(c for c in map(bs.conventions.get, bs.conventions.names()) if c.order is None)
    with pytest.raises((ConventionError, DataError), match="order"):
        stream_of("a", convention, TIME, orientation=np.ones((3, 4)))
