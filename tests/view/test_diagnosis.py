"""The picture of a diagnosis: which readings it shows, and what it says of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boresight as bs
from boresight.diagnosis import diagnose_arrays
from boresight.logs.correction import Correction, corrected

pytest.importorskip("matplotlib")
from boresight.view.diagnosis import draw


def titles(figure: Any) -> list[str]:
    return [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]


def test_declared_and_best_stand_beside_each_other(example_log: Path) -> None:
    log = bs.read(example_log)
    spoilt = corrected(log, Correction(direction="world_to_body"), of="vehicle_attitude")
    figure = draw(bs.diagnose(spoilt))
    first = next(t for t in titles(figure) if t.startswith("declared: wxyz, body to world"))
    second = next(t for t in titles(figure) if t.startswith("best: wxyz, world to body"))
    assert "explain 100 %" in second
    assert "explain 100 %" not in first
    assert "contradicted" in figure.get_suptitle()
    # The line of the best reading lies on the gyro's.
    column = [axes for axes in figure.axes if axes.get_subplotspec().colspan.start == 1][:3]
    for axes in column:
        gyro, ours = (np.asarray(line.get_ydata()) for line in axes.lines[:2])
        assert np.nanmax(np.abs(gyro - ours)) < 0.1
    # No curve is cut off, of neither reading.
    for axes in figure.axes[:6]:
        assert max(np.nanmax(np.abs(line.get_ydata())) for line in axes.lines[:2]) < axes.get_ylim()[1]
    assert any(", the liveliest)" in axes.get_xlabel() for axes in figure.axes)


def test_one_reading_is_shown_once(example_log: Path) -> None:
    figure = draw(bs.diagnose(example_log))
    assert not any(t.startswith("best") for t in titles(figure))
    assert "explain 100 %" in next(t for t in titles(figure) if t.startswith("declared"))


def test_what_is_missing_is_written_where_it_would_be(example_log: Path) -> None:
    log = bs.read(example_log)
    bare = bs.diagnose(type(log)({"vehicle_attitude": log["vehicle_attitude"]}))
    texts = [text.get_text() for axes in draw(bare).axes for text in axes.texts]
    assert any("no gyro" in text for text in texts)


def test_attitudes_that_are_one_are_drawn_once_where_velocities_differ(example_log: Path) -> None:
    log = bs.read(example_log)
    attitude, imu, local = log["vehicle_attitude"], log["sensor_combined"], log["vehicle_local_position"]
    found = diagnose_arrays(
        attitude.time,
        quat=attitude.quaternion(order="wxyz"),
        order="wxyz",
        direction="body_to_world",
        same_world=True,
        gyro=(imu.time, imu.array("angular_rate")),
        accel=(imu.time, imu.array("specific_force")),
        velocity=(local.time, local.array("velocity")[:, [1, 0, 2]] * (1, 1, -1)),
    )
    assert found.best[0].position_axes == "+y+x-z"
    figure = draw(found)
    assert next(t for t in titles(figure) if "rates" in t).startswith("declared and best")
    assert len([t for t in titles(figure) if "rates" in t]) == 1
    assert any(
        "velocities are its +y+x-z" in t.get_text()
        for axes in figure.axes
        if axes.legend_
        for t in axes.legend_.texts
    )


def test_what_is_not_contradicted_is_not_drawn_in_red(example_log: Path) -> None:
    log = bs.read(example_log)
    attitude, imu, local = log["vehicle_attitude"], log["sensor_combined"], log["vehicle_local_position"]
    rose_colours: list[Any] = []
    for direction in (None, "world_to_body"):
        found = diagnose_arrays(
            attitude.time,
            quat=attitude.quaternion(order="wxyz"),
            order="wxyz",
            direction=direction,
            gyro=(imu.time, imu.array("angular_rate")),
            velocity=(local.time, local.array("velocity")),
        )
        rose = next(axes for axes in draw(found).axes if axes.name == "polar")
        rose_colours.append(tuple(rose.patches[0].get_facecolor()))
    grey, red = rose_colours
    assert max(grey[:3]) - min(grey[:3]) < 0.15
    assert red[0] - red[1] > 0.4
