"""Logs spoilt at random: never a crash, never a number in the state that is none."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from boresight.errors import BoresightError
from boresight.logs.model import Log
from boresight.navigation import run
from boresight.simulate import simulate

Columns = dict[str, NDArray[Any]]
Spoil = Callable[[Columns, np.random.Generator], Columns]

STREAMS = (
    "sensor_combined",
    "vehicle_gps_position",
    "vehicle_air_data",
    "vehicle_magnetometer",
    "vehicle_attitude",
)
NUMBERS = np.array([np.nan, np.inf, -np.inf, 0.0, 1e38, -1e38, 1e-38, 1e9, -1.0])
TIMES = np.array([0, -(10**18), 4 * 10**18, 2**62, -(2**62)])


def numbers(columns: Columns, rng: np.random.Generator) -> Columns:
    name = rng.choice([column for column, values in columns.items() if values.dtype.kind == "f"])
    where = rng.integers(0, len(columns[name]), rng.integers(1, 20))
    columns[name][where] = rng.choice(NUMBERS)
    return columns


def times(columns: Columns, rng: np.random.Generator) -> Columns:
    columns["time"][rng.integers(0, len(columns["time"]), 5)] = rng.choice(TIMES)
    return columns


def order(columns: Columns, rng: np.random.Generator) -> Columns:
    shuffled = rng.permutation(len(columns["time"]))
    return {name: values[shuffled] for name, values in columns.items()}


def end(columns: Columns, rng: np.random.Generator) -> Columns:
    last = int(rng.integers(0, len(columns["time"])))
    return {name: values[:last] for name, values in columns.items()}


def clock(columns: Columns, rng: np.random.Generator) -> Columns:
    columns["time"] = columns["time"] + rng.choice([10**9, -(10**9), 10**17, -5 * 10**7])
    return columns


def silence(columns: Columns, rng: np.random.Generator) -> Columns:
    name = rng.choice([column for column in columns if column != "time"])
    columns[name] = np.zeros_like(columns[name])
    return columns


def twice(columns: Columns, rng: np.random.Generator) -> Columns:
    return {name: np.repeat(values, 2, axis=0) for name, values in columns.items()}


SPOILS: tuple[Spoil, ...] = (numbers, times, order, end, clock, silence, twice)


@pytest.fixture(scope="module")
def good() -> Log:
    return simulate("flight", seed=3, duration=8.0)


def spoilt(log: Log, rng: np.random.Generator) -> Log:
    streams = dict(log.streams)
    for _ in range(rng.integers(1, 4)):
        name = str(rng.choice(STREAMS))
        stream = streams[name]
        columns = {column: np.array(stream.column(column)) for column in stream.schema.names}
        if len(columns["time"]):
            spoil = SPOILS[rng.integers(0, len(SPOILS))]
            streams[name] = stream.replace(rows=pa.table(spoil(columns, rng)))
    return dataclasses.replace(log, streams=streams)


@pytest.mark.parametrize("seed", range(60))
def test_a_spoilt_log_is_refused_by_name_or_estimated(good: Log, seed: int) -> None:
    rng = np.random.default_rng(seed)
    log = spoilt(good, rng)
    try:
        estimate = run(log, seed="log" if rng.random() < 0.3 else None)
    except BoresightError:
        return  # by name, and not as something that NumPy or Arrow stumbled over
    names = ("x", "y", "z", "vx", "vy", "vz", "qx", "qy", "qz", "qw", "sigma_x", "sigma_vz", "sigma_down")
    assert np.isfinite(estimate.array(*names)).all()
    outcomes = estimate.outcomes()
    halves = sum(outcomes.get("gnss_height", {}).values())
    assert (
        sum(sum(counts.values()) for counts in outcomes.values()) - halves == estimate.measurements.num_rows
    )
    assert all(count >= 0 for count in estimate.samples.values())
    assert len(estimate.stretches()) <= estimate.states.num_rows
