"""Times of series at the ends of what integers hold, and none at all."""

from __future__ import annotations

import numpy as np
import pytest

import boresight as bs
from boresight import FrameTree, Pose, Rotation, frames

TWO = Rotation.from_rotvec([[0, 0, 0], [0, 0, 1.0]])
ENDS = np.iinfo(np.int64)


def moving() -> FrameTree:
    tree = FrameTree()
    turns = TWO.between(frames.FLU, frames.ENU)
    tree.add(Pose(turns, [[0, 0, 0], [4, 0, 0]]), times=[0, 10])
    return tree


def test_no_moments_are_of_any_kind() -> None:
    assert TWO.interpolate_series([0, 10], []).shape == (0,)
    assert TWO.spline([0, 10]).at([]).shape == (0,)
    assert TWO.spline([0, 10]).angular_rates([]).shape == (0, 3)
    assert Pose(TWO, [0, 0, 0]).interpolate_series([0, 10], []).shape == (0,)
    assert moving().lookup(source=frames.FLU, target=frames.ENU, time=[]).shape == (0,)


def test_no_keys_are_of_any_kind() -> None:
    none = Rotation.identity((0,))
    assert np.isnan(none.interpolate_series([], [5], invalid="nan").as_matrix()).all()
    tree = moving()
    other = frames.dynamic("other", axes="FLU", of="other")
    tree.add(Pose(none.between(other, frames.FLU), np.zeros((0, 3))), times=[])
    with pytest.raises(bs.errors.InvalidRowsError, match="has no keys"):
        tree.lookup(source=other, target=frames.ENU, time=5)


@pytest.mark.parametrize("times", [[ENDS.min, ENDS.max], [-(2**62), 2**62], [-1e308, 1e308]])
def test_a_span_that_wraps_round_is_refused(times: list[float]) -> None:
    # Else a gap of 584 years counts as one below zero, and rates change their sign.
    at = 0 if isinstance(times[0], int) else 0.0
    with pytest.raises(ValueError, match="too far"):
        TWO.interpolate_series(times, at, max_gap=1000)
    with pytest.raises(ValueError, match="too far"):
        TWO.angular_rates(times, of="source")
    with pytest.raises(ValueError, match="too far"):
        TWO.spline(times)


def test_unsigned_times_beyond_int64_are_refused() -> None:
    keys = np.array([2**63 + 1, 2**63 + 5], np.uint64)
    with pytest.raises(ValueError, match="nanoseconds go up to"):
        TWO.interpolate_series(keys, keys)
    assert TWO.interpolate_series(np.array([1, 5], np.uint64), np.uint64(5)) == TWO[1]


def test_moments_far_outside_are_said_with_the_right_distance() -> None:
    with pytest.raises(bs.errors.InvalidRowsError, match=f"{ENDS.max - 10 + 2**62} ns after"):
        TWO.interpolate_series([-(2**62) - 10, -(2**62) + 10], ENDS.max)
    assert np.isnan(TWO.spline([-5, -2]).at(ENDS.max, invalid="nan").as_matrix()).all()


@pytest.mark.parametrize("gap", [np.nan, -1])
def test_a_gap_limit_is_a_time(gap: float) -> None:
    series = Pose(TWO.between(frames.FLU, frames.ENU), np.zeros((2, 3)))
    for use in (
        lambda: TWO.interpolate_series([0, 10], 5, max_gap=gap),
        lambda: FrameTree(max_gap=gap),
        lambda: FrameTree().add(series, times=[0, 10], max_gap=gap),
        lambda: moving().lookup(source=frames.FLU, target=frames.ENU, time=5, max_gap=gap),
    ):
        with pytest.raises(ValueError, match="max_gap"):
            use()


def test_a_tree_takes_poses_only() -> None:
    with pytest.raises(TypeError, match="is a Pose"):
        FrameTree().add(TWO)  # pyright: ignore[reportArgumentType]
