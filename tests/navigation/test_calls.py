"""Calls that are wrong in themselves: what is said names the argument, its shape and its unit, as the caller knows them."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drives import seeded

from boresight import frames
from boresight.navigation import (
    AltitudeNoise,
    Eskf,
    HeadingNoise,
    PositionNoise,
    StaticWindow,
    VelocityNoise,
    initialize,
    initialize_coarse,
    initialize_from,
)

FRD, FLU, NED, ENU = frames.FRD, frames.FLU, frames.NED, frames.ENU
IMU_FRD = frames.dynamic("body_again", axes="FRD", of="body")
ZERO, DOWN = [0.0, 0.0, 0.0], [0.0, 0.0, -9.8]
WHERE, SPEED = PositionNoise.from_sigma(1.0), VelocityNoise.from_sigma(1.0)
HIGH, TURN = AltitudeNoise.from_sigma(1.0), HeadingNoise.from_sigma(1.0)

# A call with one argument left open, and what the message has to say of it.
Call = Callable[[Eskf, Any], Any]
VECTORS: list[tuple[str, str, Call]] = [
    ("delta_angle", "rad", lambda f, v: f.predict(1, v, 0.01, ZERO, 0.01, frame=FRD)),
    ("delta_velocity", "m/s", lambda f, v: f.predict(1, ZERO, 0.01, v, 0.01, frame=FLU)),
    ("delta_velocity", "m/s", lambda f, v: f.predict(1, ZERO, 0.01, v, 0.01, frame=IMU_FRD)),
    ("rate", "rad/s", lambda f, v: f.predict_rates(1, v, DOWN, 0.01, frame=FRD)),
    ("specific_force", "m/s²", lambda f, v: f.predict_rates(1, ZERO, v, 0.01, frame=FLU)),
    ("specific_force", "m/s²", lambda f, v: f.predict_rates(1, ZERO, v, 0.01, frame=IMU_FRD)),
    ("position", "m", lambda f, v: f.fuse_gnss_position(0, v, WHERE, frame=NED)),
    ("position", "m", lambda f, v: f.fuse_gnss_position(0, v, WHERE, frame=ENU)),
    ("velocity", "m/s", lambda f, v: f.fuse_gnss_velocity(0, v, SPEED, frame=NED)),
    ("velocity", "m/s", lambda f, v: f.fuse_gnss_velocity(0, v, SPEED, frame=ENU)),
    ("field", "in any unit", lambda f, v: f.fuse_mag_heading(0, v, TURN, frame=FRD)),
    ("field", "in any unit", lambda f, v: f.fuse_mag_heading(0, v, TURN, frame=FLU)),
    ("rate", "rad/s", lambda f, v: f.initialize_coarse(0, v, DOWN, frame=FRD)),
    ("specific_force", "m/s²", lambda f, v: StaticWindow().add_imu(0, ZERO, v, frame=FLU)),
    ("delta_angle", "rad", lambda f, v: StaticWindow().add_imu_delta(0, v, 0.1, ZERO, 0.1, frame=FRD)),
]
ANTENNAS: list[Call] = [
    lambda f, v: f.fuse_gnss_position(0, ZERO, WHERE, frame=NED, antenna=v, antenna_frame=FRD),
    lambda f, v: f.fuse_gnss_geodetic(0, 47.0, 8.0, 500.0, WHERE, antenna=v, antenna_frame=FLU),
    lambda f, v: f.fuse_gnss_velocity(0, ZERO, SPEED, frame=NED, antenna=v, antenna_frame=FRD),
]
VECTORS += [("antenna", "m", call) for call in ANTENNAS]
NUMBERS: list[tuple[str, str, Call]] = [
    ("angle_interval", "s", lambda f, v: f.predict(1, ZERO, v, ZERO, 0.01, frame=FRD)),
    ("velocity_interval", "s", lambda f, v: f.predict(1, ZERO, 0.01, ZERO, v, frame=FLU)),
    ("interval", "s", lambda f, v: f.predict_rates(1, ZERO, DOWN, v, frame=FRD)),
    ("latitude", "degrees", lambda f, v: f.fuse_gnss_geodetic(0, v, 8.0, 500.0, WHERE)),
    ("longitude", "degrees", lambda f, v: f.fuse_gnss_geodetic(0, 47.0, v, 500.0, WHERE)),
    ("height", "m", lambda f, v: f.fuse_gnss_geodetic(0, 47.0, 8.0, v, WHERE)),
    ("altitude", "m", lambda f, v: f.fuse_baro_altitude(0, v, HIGH)),
    ("heading", "rad", lambda f, v: f.fuse_gnss_heading(0, v, TURN)),
    ("altitude", "m", lambda f, v: f.set_baro_reference(v, HIGH)),
    ("declination", "rad", lambda f, v: f.set_declination(v)),
]


@pytest.mark.parametrize(("name", "unit", "call"), VECTORS)
@pytest.mark.parametrize("given", ["north", {"x": 1.0}, ["a", "b", "c"], [None, 0.0, {}]])
def test_what_is_no_vector_is_said_by_the_arguments_name(
    name: str, unit: str, call: Call, given: Any
) -> None:
    with pytest.raises(TypeError) as caught:
        call(seeded(), given)
    assert str(caught.value).startswith(f"{name} ") and f"three numbers, {unit}" in str(caught.value)


@pytest.mark.parametrize(("name", "unit", "call"), [given for given in VECTORS if given[0] != "antenna"])
def test_none_is_no_vector(name: str, unit: str, call: Call) -> None:
    with pytest.raises(TypeError, match=f"^{name} is None; give three numbers, {unit}"):
        call(seeded(), None)


@pytest.mark.parametrize(("name", "unit", "call"), VECTORS)
@pytest.mark.parametrize("given", [[1.0, 2.0], np.zeros(4), 5.0, np.zeros((1, 3)), np.zeros((3, 1))])
def test_a_vector_of_another_shape_is_said_by_its_name(name: str, unit: str, call: Call, given: Any) -> None:
    shape = np.shape(given)
    with pytest.raises(
        ValueError, match=f"^{re.escape(f'{name} has shape {shape}; give three numbers, {unit}')}$"
    ):
        call(seeded(), given)


@pytest.mark.parametrize(("name", "unit", "call"), NUMBERS)
@pytest.mark.parametrize("given", [None, "much", [1.0, 2.0], {}])
def test_what_is_no_number_is_said_by_the_arguments_name(
    name: str, unit: str, call: Call, given: Any
) -> None:
    with pytest.raises(TypeError) as caught:
        call(seeded(), given)
    assert str(caught.value).startswith(f"{name} ") and f"give a number, {unit}" in str(caught.value)


@pytest.mark.parametrize("time", [None, 1.5, "now"])
def test_a_time_that_is_none_is_said_to_be_one(time: Any) -> None:
    with pytest.raises(TypeError, match=r"^the time is a .*whole nanoseconds"):
        seeded().predict_rates(time, ZERO, DOWN, 0.01, frame=FRD)
    with pytest.raises(TypeError, match=r"^the time is a .*whole nanoseconds"):
        seeded().fuse_gnss_velocity(time, ZERO, SPEED, frame=NED)
    with pytest.raises(TypeError, match=r"^the time is a .*whole nanoseconds"):
        seeded().fuse_course(time, TURN)


def test_a_call_that_is_wrong_changes_nothing() -> None:
    filter_ = seeded()
    for name, _, call in (*VECTORS, *NUMBERS):
        with pytest.raises(TypeError, match=f"^{name} "):
            call(filter_, "wrong")
    other = seeded()
    assert (filter_.covariance == other.covariance).all() and filter_.time == other.time
    assert filter_.diagnostics.propagation == other.diagnostics.propagation


def test_a_start_says_what_it_is_made_of() -> None:
    with pytest.raises(TypeError, match=r"the state is a list; give a State\(attitude"):
        initialize_from([0.0] * 16, np.ones(15), 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the window is a dict; give a StaticWindow"):
        initialize({})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the start is a State; give a Start"):
        seeded().load(seeded().state)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the configuration is a dict; give a Config"):
        Eskf({"gravity": 9.8})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^interval is a str; give a number, s"):
        initialize_coarse(0, ZERO, DOWN, interval="1", frame=FRD)  # type: ignore[arg-type]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_filter_is_copied_and_not_pickled(protocol: int) -> None:
    filter_ = seeded()
    with pytest.raises(
        TypeError, match=r"copy\(\).*initialize_from\(filter.state, filter.covariance, filter.time\)"
    ):
        pickle.dumps(filter_, protocol)
    assert copy.copy(filter_).time == copy.deepcopy(filter_).time == filter_.time
