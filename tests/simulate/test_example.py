"""The committed example is what its command makes."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np

import boresight as bs
from boresight.simulate import scenarios, simulate

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_is_the_simulated_flight(example_log: Path) -> None:
    said = (ROOT / "examples" / "README.md").read_text("utf-8")
    command = re.search(r"^boresight simulate (.*)$", said, re.MULTILINE)
    assert command
    assert command[1] == (
        "flight -o examples/flight.ulg --seed 1 --rate imu=100 --rate baro=10 --rate mag=10 --overwrite"
    )
    flight = scenarios.get("flight")
    assert flight.imu and flight.barometer and flight.magnetometer
    flight = flight.replace(
        imu=dataclasses.replace(flight.imu, rate=100.0),
        barometer=dataclasses.replace(flight.barometer, rate=10.0),
        magnetometer=dataclasses.replace(flight.magnetometer, rate=10.0),
    )
    made = simulate(flight, seed=1)
    committed = bs.read(example_log)
    assert set(committed.streams) == set(made.streams)
    assert not [notice for notice in committed.notices if notice.code in ("truncated", "damaged")]
    for name, stream in made.streams.items():
        for column in stream.schema.names:
            ours, theirs = stream.column(column), committed[name].column(column)
            if ours.dtype.kind == "f":
                # Another platform's sine may differ in its last place, and a float with it.
                step = 2e-6 if ours.dtype == np.float32 else 1e-12
                assert np.allclose(ours, theirs, rtol=step, atol=step, equal_nan=True), (name, column)
            else:
                assert np.array_equal(ours, theirs), (name, column)


def test_the_example_is_small_enough_to_commit(example_log: Path) -> None:
    assert 500_000 < example_log.stat().st_size < 1_000_000
