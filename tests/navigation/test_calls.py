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

from boresight import Attitude, frames
from boresight.navigation import (
    AltitudeNoise,
    Eskf,
    HeadingNoise,
    Origin,
    PositionNoise,
    SigmaBounds,
    State,
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


ROWS, TIMES = np.zeros((3, 3)), [1, 2, 3]
WINDOWS: list[tuple[Callable[[StaticWindow], Any], str]] = [
    (lambda w: w.extend_imu(TIMES, ROWS[:2], ROWS, frame=FRD), r"rate has shape \(2, 3\); give \(3, 3\)"),
    (lambda w: w.extend_imu(TIMES, ROWS, ROWS[:1], frame=FRD), r"specific_force has shape \(1, 3\)"),
    (lambda w: w.extend_imu(1, ROWS, ROWS, frame=FRD), r"time has shape \(\); give \(n,\)"),
    (lambda w: w.extend_imu(TIMES, ROWS, ROWS, interval=[0.1, 0.1], frame=FRD), r"interval has shape \(2,\)"),
    (lambda w: w.extend_imu(TIMES, ROWS, ROWS, interval="long", frame=FRD), "interval"),
    (lambda w: w.add_magnetic_field(TIMES, [[1.0, 2.0, 3.0]], frame=FRD), r"field has shape \(1, 3\)"),
    (lambda w: w.add_magnetic_field(1, [1.0, 2.0], frame=FRD), "field has shape"),
    (lambda w: w.add_magnetic_field(1, None, frame=FRD), "field is None; give three numbers"),
    (lambda w: w.add_magnetic_field(1, "north", frame=FRD), "field is a str; give three numbers"),
    (lambda w: w.add_velocity(TIMES, ROWS[:2], frame=NED), r"velocity has shape \(2, 3\)"),
    (lambda w: w.add_velocity(1, None, frame=NED), "velocity is None; give three numbers, m/s"),
    (lambda w: w.add_altitude("high"), "altitude is a str; give numbers, m"),
    (lambda w: w.add_altitude(None), "altitude is None; give numbers, m"),
]


@pytest.mark.parametrize(("call", "words"), WINDOWS)
def test_a_window_takes_rows_that_go_together(call: Callable[[StaticWindow], Any], words: str) -> None:
    window = StaticWindow()
    with pytest.raises((TypeError, ValueError), match=words):
        call(window)
    assert len(window) == 0 and not window.refused


def test_one_interval_is_that_of_every_sample() -> None:
    window, other = StaticWindow(), StaticWindow()
    window.extend_imu(TIMES, ROWS, ROWS + 9.8, interval=1e-9, frame=FRD)
    other.extend_imu(TIMES, ROWS, ROWS + 9.8, interval=[1e-9] * 3, frame=FRD)
    assert len(window) == len(other) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: VelocityNoise(0.1), "say what it is: VelocityNoise.from_sigma.*from_variance"),  # type: ignore[arg-type]
        (lambda: HeadingNoise(np.array(0.1)), "HeadingNoise.from_sigma"),
        (lambda: PositionNoise.from_sigma("a"), "sigma is a str; give numbers"),
        (lambda: PositionNoise.from_variance(None), "variance is None; give numbers"),  # type: ignore[arg-type]
        (lambda: AltitudeNoise.from_sigma([1.0, None]), "sigma is a list"),  # type: ignore[list-item]
        (lambda: SigmaBounds("a", 2.0), "low is a str; give a number"),  # type: ignore[arg-type]
        (lambda: SigmaBounds(1.0, None), "high is None; give a number"),  # type: ignore[arg-type]
        (lambda: Origin("a", 1.0, 2.0), "latitude is a str; give a number, degrees"),  # type: ignore[arg-type]
        (lambda: seeded().set_origin((47.0, 8.0, 400.0)), "the origin is a tuple; give an Origin"),  # type: ignore[arg-type]
        (lambda: seeded().predicted_validity("a"), "horizon is a str; give a number, s"),  # type: ignore[arg-type]
        (lambda: State(Attitude.level(), position="here"), "position is a str; give three numbers"),  # type: ignore[arg-type]
        (lambda: State(Attitude.level(), velocity=None), "velocity is None; give three numbers"),  # type: ignore[arg-type]
        (lambda: initialize_from(seeded().state, "x", 0), "covariance is a str"),  # type: ignore[arg-type]
        (lambda: initialize_from(seeded().state, None, 0), "covariance is None"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_number_is_said_wherever_it_is_given(call: Callable[[], Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call()
