"""The picture of a diagnosis: which readings it shows, and what it says of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boresight as bs
from boresight.logs.correction import Correction, corrected

pytest.importorskip("matplotlib")
from boresight.view.diagnosis import draw


def titles(figure: Any) -> list[str]:
    return [axes.get_title() for axes in figure.axes]


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


def test_one_reading_is_shown_once(example_log: Path) -> None:
    figure = draw(bs.diagnose(example_log))
    assert not any(t.startswith("best") for t in titles(figure))
    assert "explain 100 %" in next(t for t in titles(figure) if t.startswith("declared"))


def test_what_is_missing_is_written_where_it_would_be(example_log: Path) -> None:
    log = bs.read(example_log)
    bare = bs.diagnose(type(log)({"vehicle_attitude": log["vehicle_attitude"]}))
    texts = [text.get_text() for axes in draw(bare).axes for text in axes.texts]
    assert any("no gyro" in text for text in texts)
