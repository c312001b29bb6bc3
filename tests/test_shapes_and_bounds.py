"""What does not fit together is told by its shapes, and what no number can hold by its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation, kernels
from boresight.alignment import align_points, align_vectors
from boresight.errors import InvalidRowsError

TWO = Rotation.identity(2)
POINTS = np.eye(3)


@pytest.mark.parametrize("height", [3, 4])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_matrices_that_are_not_finite_are_called_so(height: int, bad: float) -> None:
    matrices = np.stack([np.eye(4)[:height]] * 3)
    matrices[1:] = bad
    with pytest.raises(InvalidRowsError, match="not finite") as caught:
        Pose.from_matrix(matrices)
    assert caught.value.row == (1,)
    assert caught.value.count == 2
    for place in np.ndindex(3, 4):
        matrices = np.stack([np.eye(4)[:height]] * 2)
        matrices[(1, *place)] = bad
        with pytest.raises(InvalidRowsError, match="not finite"):
            Pose.from_matrix(matrices)


def test_a_bottom_row_that_is_another_is_called_so() -> None:
    matrix = np.eye(4)
    matrix[3, 0] = 0.5
    with pytest.raises(InvalidRowsError, match="bottom row is not 0 0 0 1"):
        Pose.from_matrix(matrix)


def test_a_rotation_and_a_translation_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match=r"batch of shape \(2,\) and translations of shape \(3, 3\)"):
        Pose(TWO, np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"must have shape \(\.\.\., 3\)"):
        Pose(TWO, np.zeros((2, 4)))


@pytest.mark.parametrize(
    "average",
    [
        TWO.mean,
        Pose(TWO, np.zeros(3)).mean,
        lambda w: align_vectors(POINTS[:2], POINTS[:2], w),
        lambda w: align_points(POINTS[:2], POINTS[:2], w),
    ],
)
def test_weights_that_do_not_fit_are_told_by_their_shapes(average: Callable[[list[float]], object]) -> None:
    with pytest.raises(ValueError, match=r"weights of shape \(3,\) .* shape is \(2,\)"):
        average([1.0, 2.0, 3.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_rate_that_no_number_holds_is_refused_with_its_place(dtype: type[np.floating[Any]]) -> None:
    turning = Rotation.from_rotvec(np.outer(0.1 * np.arange(4), [0, 0, 1]).astype(dtype))
    times = np.array([0.0, 1.0, 1.0 + 2.0**-52, 2.0]) - 1.0
    assert np.isfinite(turning.angular_rates(times, of="source")).all()
    with pytest.raises(ValueError, match="between keys 1 and 2 is beyond float") as caught:
        turning.angular_rates([-1.0, 0.0, 5e-324, 1.0], of="source")
    assert "4.94e-324 s apart" in str(caught.value)
    still = Rotation.identity(3).angular_rates([0.0, 5e-324, 1e-323], of="target")
    assert not still.any()
    with pytest.raises(ValueError, match="between keys 0 and 1"):
        Rotation.from_rotvec([[0, 0, 0.2], [0, 0, 0.1], [0, 0, 0.2]]).angular_rates(
            [0.0, 5e-324, 1e-323], of="source"
        )


def test_a_fast_rate_beside_a_long_interval_does_not_overflow() -> None:
    turning = Rotation.from_rotvec([[0, 0, 0], [0, 0, 1], [0, 0, 1.5]])
    rates = turning.angular_rates([0.0, 1e-300, 1e12], of="source")
    assert rates[1, 2] == pytest.approx(1e300)


@pytest.mark.parametrize("sequence", kernels.EULER_SEQUENCES)
def test_at_the_pole_what_is_left_is_rounded_as_little_as_an_angle_is(sequence: str) -> None:
    rng = np.random.default_rng(7)
    given = rng.uniform(-180, 180, (4000, 3))
    given[:, 1] = 0.0 if sequence[0] == sequence[2] else 90.0
    p = kernels.from_euler(sequence, given, degrees=True)
    angles = kernels.to_euler(sequence, p, degrees=False)
    assert (np.abs(angles) <= np.pi).all()
    q = kernels.from_euler(sequence, angles, degrees=False)
    # p* q would be rounded as much as is measured; of p* (q - p), whose difference is exact, only the last bits are.
    d = q * np.where((p * q).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0) - p
    turned = p[:, 3:] * d[:, :3] - d[:, 3:] * p[:, :3] - np.cross(p[:, :3], d[:, :3])
    assert 2 * np.linalg.norm(turned, axis=-1).max() < 7.5e-16
