"""What is done piece by piece, or on a stretch of a long log, is what would be done of all at once."""

from __future__ import annotations

import numpy as np
import pytest
from flights import Flight, flight
from scipy.spatial.transform import Rotation

from boresight.diagnosis import diagnose_arrays, grid, gyro, motion
from boresight.diagnosis.clock import Track, tracks_of


def answers(f: Flight) -> dict[str, object]:
    found = diagnose_arrays(
        f.time,
        quat=f.quat[:, [3, 0, 1, 2]],
        gyro=f.gyro,
        accel=f.accel,
        velocity=(f.time[::10] + 0.08, f.velocity[::10]),
        mag=f.mag,
        order="wxyz",
    )
    return {name: part.answer for name, part in found.parts.items()}


def tracks() -> dict[str, Track]:
    f = flight(60.0)
    gaps = (np.abs(f.time - 20.0) > 1.5) & (np.abs(f.time - 41.0) > 0.7)
    return tracks_of([("velocity", f.time[gaps], f.velocity[gaps]), ("gyro", f.time, f.gyro)])


def test_pieces_do_not_change_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    f = flight(60.0)
    whole = answers(f)
    monkeypatch.setattr(grid, "STEPS", 37)
    monkeypatch.setattr(motion, "STEPS", 37)
    assert answers(f) == whole


def test_means_are_the_same_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    track = tracks()["velocity"]
    points = grid.uniform(0.0, 59.0, 0.04)
    whole = grid.means(track, points, 0.013)
    monkeypatch.setattr(grid, "STEPS", 11)
    np.testing.assert_allclose(grid.means(track, points, 0.013), whole, atol=1e-12)
    assert np.isnan(whole[:, 0]).sum() == pytest.approx((3.0 + 1.4) / 0.04, abs=4)


def test_a_span_is_bridged_where_all_its_steps_are_covered() -> None:
    track = tracks()["velocity"]
    points = grid.uniform(0.0, 59.0, 0.04)
    every = grid.covered(track, points)
    spans = [every[at : at + 10].all() for at in range(len(points) - 10)]
    np.testing.assert_array_equal(grid.bridged(track, points[:-10], points[10:]), spans)


def test_the_velocity_is_compared_over_the_liveliest_stretch_of_a_long_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The velocity is late by .08 s, and a stretch tells it as the whole log does."""
    f = flight(240.0)
    whole = answers(f)
    monkeypatch.setattr(gyro, "LONGEST", 1000)
    assert answers(f) == whole
    assert whole["position_axes"] == "+x+y+z"


def test_clocks_are_found_though_the_attitude_turns_as_fast_as_it_is_logged() -> None:
    """An attitude that shakes from row to row has lost its turns on any other points of time."""
    rng = np.random.default_rng(3)
    time = np.arange(0.0, 40.0, 0.032)
    rotation = Rotation.from_rotvec(rng.normal(size=(len(time), 3)) * 0.05)
    rate = (rotation[:-1].inv() * rotation[1:]).as_rotvec() / 0.032
    fine = np.arange(0.002, time[-1], 0.004)
    found = diagnose_arrays(
        time, quat=rotation.as_quat()[:, [3, 0, 1, 2]], gyro=(fine + 0.05, np.repeat(rate, 8, axis=0))
    )
    assert found["time_offset"].decided
    assert found["time_offset"].answer == pytest.approx(0.05, abs=0.004)
    assert found["gyro_unit"].answer == "rad/s"
    assert found["sense"].answer == "same"
