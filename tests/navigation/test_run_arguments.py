"""What `run` is given: what cannot be is refused with what to do, and nothing is taken silently for something else."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from boresight import Attitude
from boresight.errors import DataError
from boresight.logs.model import Log
from boresight.navigation import Coast, Config, Sources, Start, State, initialize_from, run
from boresight.simulate import simulate

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def flight() -> Log:
    return simulate("flight", seed=3, duration=20.0)


def seed_at(time: int) -> Start:
    return initialize_from(State(Attitude.level()), np.full(15, 0.1), time)


@pytest.mark.parametrize("given", ["flight.ulg", b"flight.ulg", None, {"imu": []}])
def test_what_is_no_log_is_said_to_be_read_first(given: Any) -> None:
    with pytest.raises(TypeError, match=r"the log is .*; give a Log: boresight\.read\(path\)"):
        run(given)


@pytest.mark.parametrize("given", ["Log", "LOG", "first", "", 1, State(Attitude.level()), np.eye(4)])
def test_a_seed_is_a_start_or_the_logs_own(flight: Log, given: Any) -> None:
    with pytest.raises(TypeError, match='the seed is .*; give a Start .*, or "log"'):
        run(flight, seed=given)


def test_sources_and_configuration_are_of_their_classes(flight: Log) -> None:
    with pytest.raises(TypeError, match="sources is a str; give a Sources"):
        run(flight, sources="gnss")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the configuration is a dict; give a Config"):
        run(flight, {"gravity": 9.8})  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [0.0, -1.0, NAN, "fast", None])
def test_a_rate_is_a_positive_number(flight: Log, rate: Any) -> None:
    with pytest.raises((DataError, TypeError), match="rate|recorded"):
        run(flight, rate=rate)


def test_a_seed_lies_in_the_log(flight: Log) -> None:
    imu = flight["sensor_combined"].time
    with pytest.raises(DataError, match=r"the seed's time .* no IMU sample after it.*from \d+ to \d+"):
        run(flight, seed=seed_at(int(imu[-1])))
    with pytest.raises(DataError, match=r"the seed's time .* no IMU sample after it"):
        run(flight, seed=seed_at(10**18))
    # The filter coasts across a minute and no further.
    with pytest.raises(DataError, match=r"the seed's time .* 100 s before the first IMU sample.*60 s"):
        run(flight, seed=seed_at(int(imu[0]) - 100 * 10**9))
    with pytest.raises(DataError, match="before the first IMU sample"):
        run(flight, dataclasses.replace(Config(), coast=None), seed=seed_at(int(imu[0]) - 10**9))
    with pytest.raises(DataError, match="before the first IMU sample"):
        run(flight, dataclasses.replace(Config(), coast=Coast(limit=0.5)), seed=seed_at(int(imu[0]) - 10**9))


def test_a_seed_from_before_the_log_is_said(flight: Log) -> None:
    imu = flight["sensor_combined"].time
    estimate = run(flight, seed=seed_at(int(imu[0]) - 3 * 10**9))
    said = [notice for notice in estimate.notices if notice.code == "early-seed"]
    assert len(said) == 1 and "3.01 s before the first IMU sample" in said[0].message
    at_once = run(flight, seed=seed_at(int(imu[0]) - 10_000_000))
    assert not [notice for notice in at_once.notices if notice.code == "early-seed"]


@pytest.mark.parametrize("name", ["baro", "gnss", "mag"])
def test_one_source_is_left_out_by_its_name_alone(flight: Log, name: str) -> None:
    assert Sources(without=name).without == (name,)
    assert Sources(without=[name, "gnss_heading"]).without == (name, "gnss_heading")
    assert name not in run(flight, sources=Sources(without=name)).streams


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("without", "barometer", "there is no source 'barometer'; there are gnss"),
        ("without", None, "without"),
        ("without", 3, "without"),
        ("gnss_delay", -1.0, "gnss_delay is -1.0; .*at least 0"),
        ("gnss_delay", NAN, "gnss_delay"),
        ("gnss_delay", INF, "gnss_delay"),
        ("gnss_delay", "0.1", "gnss_delay"),
        ("gnss_delay", None, "gnss_delay"),
        ("antenna", (0.0, NAN, 0.0), "antenna"),
        ("antenna", (0.0, 1.0), "antenna"),
        ("antenna", "front", "antenna"),
        ("position_sigma", 0.0, "position_sigma is 0.0; .*above 0"),
        ("velocity_sigma", -0.1, "velocity_sigma"),
        ("heading_sigma", INF, "heading_sigma"),
        ("baro_sigma", -1.0, "baro_sigma"),
        ("mag_sigma", NAN, "mag_sigma"),
        ("course", 0.0, "course"),
        ("course", 3.0, "course is 3.0; .*at most 1.57.* rad"),
        ("imu", 3, "imu"),
        ("position_bounds", (0.1, 1.0), "position_bounds.*SigmaBounds"),
    ],
)
def test_figures_of_the_sources_are_within_their_bounds(field: str, value: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        Sources(**{field: value})


def test_sources_that_are_right_are_kept() -> None:
    sources = Sources(antenna=[0.1, 0, -1], gnss_delay=0, course=np.float64(0.1), baro_sigma=1)
    assert sources.antenna == (0.1, 0.0, -1.0) and sources.gnss_delay == 0.0
    assert Sources(gnss_delay=np.float32(0.5)).gnss_delay == 0.5
