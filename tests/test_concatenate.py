"""Joining batches of rotations and of poses."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import Pose, Rotation, frames
from boresight.errors import FrameError

TURNS = Rotation.from_rotvec(np.linspace(-1, 1, 18).reshape(2, 3, 3))
POSES = Pose(TURNS, np.arange(18.0).reshape(2, 3, 3))


@pytest.mark.parametrize("kind", [Rotation, Pose])
@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_along_each_axis_of_the_batch(kind: type[Rotation | Pose], axis: int) -> None:
    one = TURNS if kind is Rotation else POSES
    both = kind.concatenate([one, one], axis=axis)  # pyright: ignore[reportArgumentType]
    matrices = np.concatenate([one.as_matrix()] * 2, axis=axis % 2)
    np.testing.assert_array_equal(both.as_matrix(), matrices)


@pytest.mark.parametrize("axis", [1, -2, 2])
def test_components_are_no_axis_of_the_batch(axis: int) -> None:
    # Joined along its components, two quaternions made one of eight numbers.
    with pytest.raises(ValueError, match="is none of a batch"):
        Rotation.concatenate([TURNS[0], TURNS[0]], axis=axis)
    with pytest.raises(ValueError, match="is none of a batch"):
        Pose.concatenate([POSES[0], POSES[0]], axis=axis)


def test_single_poses_precision_and_frames() -> None:
    joined = Pose.concatenate([POSES[0, 0], POSES[0]])
    assert joined == Pose(Rotation.concatenate([TURNS[0, 0], TURNS[0]]), joined.translation)
    np.testing.assert_array_equal(joined.translation[0], POSES[0, 0].translation)
    framed = Pose.identity(source=frames.FLU, target=frames.ENU)
    assert Pose.concatenate([framed, framed]).target is frames.ENU
    with pytest.raises(FrameError, match="concatenate"):
        Pose.concatenate([framed, Pose.identity()])  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="nothing"):
        Pose.concatenate([])
