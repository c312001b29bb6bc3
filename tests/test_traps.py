"""Inputs on which other libraries fail, each with the right answer.

Every test names the library whose failure it is about; the library itself is not run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight import Rotation, kernels
from boresight.alignment import align_points, align_vectors
from boresight.averaging import mean_rotation
from boresight.errors import InvalidRowsError

NAN_ROW = np.array([[0.0, 0.0, 0.0, 1.0], [np.nan, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]])


def angle(p: Any, q: Any) -> Any:
    return kernels.angle(kernels.multiply(kernels.conjugate(p), q))


# ---- rows that hold no rotation ----------------------------------------------------------------------


def test_scipy_one_nan_row_takes_down_the_batch_with_the_wrong_reason() -> None:
    with pytest.raises(InvalidRowsError, match="row 1 is no quaternion: not finite") as caught:
        Rotation.from_quat(NAN_ROW, order="xyzw")
    assert caught.value.row == (1,) and caught.value.count == 1
    kept = Rotation.from_quat(NAN_ROW, order="xyzw", invalid="nan").as_quat(order="xyzw")
    assert np.isnan(kept[1]).all() and np.array_equal(kept[[0, 2]], NAN_ROW[[0, 2]])


def test_scipy_one_nan_matrix_takes_down_the_batch() -> None:
    matrices = np.tile(np.eye(3), (3, 1, 1))
    matrices[1, 0, 0] = np.nan
    for project in (False, True):
        with pytest.raises(InvalidRowsError, match="row 1 .*not finite"):
            Rotation.from_matrix(matrices, project=project)
        kept = Rotation.from_matrix(matrices, invalid="nan", project=project).as_matrix()
        assert np.isnan(kept[1]).all() and np.array_equal(kept[[0, 2]], matrices[[0, 2]])


@pytest.mark.parametrize(
    ("q", "unit"),
    [
        ([1e200, 0, 0, 1e200], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]),
        ([1e-200, 0, 0, 0], [1, 0, 0, 0]),
        ([5e-324, 0, 0, 0], [1, 0, 0, 0]),
        ([1.7e308, 1.7e308, 1.7e308, 1.7e308], [0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_scipy_large_and_small_quaternions(q: Any, unit: Any) -> None:
    found = Rotation.from_quat(q, order="wxyz").as_quat(order="wxyz")
    assert np.allclose(found, unit, rtol=2e-16, atol=0)


def test_scipy_an_infinite_quaternion_gives_numbers() -> None:
    for q in ([np.inf, 0, 0, 0], [0, -np.inf, 0, 1]):
        with pytest.raises(InvalidRowsError, match="not finite"):
            Rotation.from_quat(q, order="wxyz")
        assert np.isnan(Rotation.from_quat(q, order="wxyz", invalid="nan").as_quat(order="wxyz")).all()


@pytest.mark.parametrize("order", ["xyzw", "wxyz"])
def test_pytransform3d_transforms3d_transformations_gtsam_kornia_a_zero_quaternion_is_the_identity(
    order: Any,
) -> None:
    with pytest.raises(InvalidRowsError, match="zero norm"):
        Rotation.from_quat([0, 0, 0, 0], order=order)
    assert np.isnan(Rotation.from_quat([0, 0, 0, 0], order=order, invalid="nan").as_matrix()).all()


def test_roma_a_zero_quaternion_is_a_matrix_of_zeros() -> None:
    with pytest.raises(InvalidRowsError, match="zero norm"):
        Rotation.from_quat(np.zeros((2, 4)), order="xyzw").as_matrix()


REFLECTIONS = [np.diag([1.0, 1, -1]), np.diag([-1.0, 1, 1]), -np.eye(3)]


@pytest.mark.parametrize("matrix", REFLECTIONS)
def test_jaxlie_quaternions_roma_pinocchio_gtsam_drake_take_a_reflection(matrix: Any) -> None:
    with pytest.raises(InvalidRowsError, match="reflection"):
        Rotation.from_matrix(matrix)
    assert np.isnan(Rotation.from_matrix(matrix, invalid="nan").as_quat(order="xyzw")).all()


def test_pytransform3d_a_reflection_in_a_batch_is_taken() -> None:
    with pytest.raises(InvalidRowsError, match="row 1 .*reflection"):
        Rotation.from_matrix([np.eye(3), np.diag([1.0, 1, -1])])


def test_gtsam_pinocchio_drake_take_a_matrix_that_is_slightly_off() -> None:
    off = np.eye(3)
    off[0, 1] = 1e-3
    with pytest.raises(InvalidRowsError, match="not orthogonal"):
        Rotation.from_matrix(off)
    nearest = Rotation.from_matrix(off, project=True).as_matrix()
    assert np.allclose(nearest @ nearest.T, np.eye(3), rtol=0, atol=1e-15)
    u, _, vt = np.linalg.svd(off)
    assert np.allclose(nearest, u @ vt, rtol=0, atol=1e-15)


def test_pyquaternion_a_rotation_in_float32_is_not_orthogonal() -> None:
    m = Rotation.from_euler("ZYX", [30, 20, 10], degrees=True).as_matrix().astype(np.float32)
    R = Rotation.from_matrix(m)
    assert R.dtype == np.float32
    assert np.allclose(R.as_euler("ZYX", degrees=True), [30, 20, 10], rtol=0, atol=1e-5)


# ---- Euler angles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("away", [1e-3, 1e-7, 1e-8, 1e-12, 0.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_scipy_roma_pytransform3d_rowan_snap_near_the_pole(away: float, sign: int) -> None:
    R = Rotation.from_euler("ZYX", [0.3, sign * (np.pi / 2 - away), -0.8], degrees=False)
    again = Rotation.from_euler("ZYX", R.as_euler("ZYX", degrees=False), degrees=False)
    assert np.abs(again.as_matrix() - R.as_matrix()).max() < 1e-15


def test_jaxlie_and_ahrs_angles_at_the_pole_are_nan() -> None:
    R = Rotation.from_euler("ZYX", [30, 90, 20], degrees=True)
    angles = R.as_euler("ZYX", degrees=True)
    assert np.isfinite(angles).all() and np.isclose(angles[1], 90)
    again = Rotation.from_euler("ZYX", angles, degrees=True)
    assert np.abs(again.as_matrix() - R.as_matrix()).max() < 1e-15


def test_jaxlie_in_float32_is_degrees_off_at_the_pole() -> None:
    R = Rotation.from_euler("ZYX", np.array([30, 90, 20], np.float32), degrees=True)
    angles = R.as_euler("ZYX", degrees=True)
    assert angles.dtype == np.float32
    again = Rotation.from_euler("ZYX", angles, degrees=True)
    assert np.abs(again.as_matrix() - R.as_matrix()).max() < 1e-6


def test_pyquaternion_calls_other_angles_yaw_pitch_and_roll() -> None:
    R = Rotation.from_euler("ZYX", [30, 20, 10], degrees=True)
    assert np.allclose(R.as_euler("ZYX", degrees=True), [30, 20, 10], rtol=0, atol=1e-13)
    # Its own numbers are those of Rx Ry Rz.
    assert np.allclose(R.as_euler("XYZ", degrees=True)[::-1], [28.45, 22.24, -1.12], rtol=0, atol=0.01)


# ---- exp and log -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-100, 1e-30, 1e-12, 1e-8, 1e-7, 1e-3, 1.0, 3.0])
def test_rowan_transforms3d_pyquaternion_spatialmath_ahrs_lose_small_angles(size: float) -> None:
    axis = np.array([0.48, -0.6, 0.64])
    v = size * axis
    R = Rotation.from_rotvec(v)
    assert np.allclose(R.as_rotvec(), v, rtol=1e-15, atol=0)
    assert np.isclose(R.angle(), np.linalg.norm(axis) * size, rtol=1e-15, atol=0)


@pytest.mark.parametrize("less", [1e-6, 1e-7, 1e-9, 1e-12, 0.0])
def test_spatialmath_ahrs_pytransform3d_lose_the_axis_near_half_a_turn(less: float) -> None:
    v = (np.pi - less) * np.array([0.48, -0.6, 0.64])
    found = Rotation.from_rotvec(v).as_rotvec()
    found *= np.sign(found @ v)  # at pi itself both are right
    assert np.abs(found - v).max() < 1e-15 * np.pi
    by_matrix = Rotation.from_matrix(Rotation.from_rotvec(v).as_matrix()).as_rotvec()
    by_matrix *= np.sign(by_matrix @ v)
    assert np.abs(by_matrix - v).max() < 4e-15


@pytest.mark.parametrize("size", [1e-7, 1e-9, 1e-12, 1e-100])
def test_transformations_a_small_rotation_through_its_matrix_is_noise(size: float) -> None:
    v = size * np.array([0.48, -0.6, 0.64])
    found = Rotation.from_matrix(Rotation.from_rotvec(v).as_matrix()).as_rotvec()
    assert np.allclose(found, v, rtol=1e-15, atol=0)


@pytest.mark.parametrize("size", [1e-12, 1e-8, 1e-3, 1.0, np.pi - 1e-6, np.pi - 1e-7])
def test_pytransform3d_spatialmath_the_logarithm_of_a_pose_near_half_a_turn(size: float) -> None:
    twist = np.concatenate([[1.5, -0.7, 2.0], size * np.array([0.48, -0.6, 0.64])])
    assert np.abs(kernels.pose_log(*kernels.pose_exp(twist)) - twist).max() < 4e-15


def test_sophuspy_exp_of_an_array_crashes() -> None:
    v = np.random.default_rng(1).standard_normal((1000, 3))
    assert np.isfinite(kernels.exp(v)).all() and np.isfinite(kernels.exp(np.asfortranarray(v[::2]))).all()


def test_jaxlie_a_quaternion_that_is_not_unit_gives_two_answers() -> None:
    R = Rotation.from_quat([2, 0, 0, 0], order="wxyz")
    v = np.array([1.0, -2.0, 3.0])
    assert np.array_equal(R.apply(v), v) and np.array_equal(R.as_matrix(), np.eye(3))


# ---- slerp and means ---------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [0.0, 0.25, 0.5, 1.0])
def test_pytransform3d_slerp_from_q_to_minus_q_is_zero(t: float) -> None:
    q = kernels.exp([0.3, -1.0, 0.5])
    found = kernels.slerp(q, -q, t)
    assert angle(found, q) < 1e-15 and np.isclose(np.linalg.norm(found), 1)


def test_pyquaternion_slerp_and_rotate_change_their_arguments() -> None:
    p, q, v = np.array([0.0, 0, 0, 1]), np.array([0.6, 0, 0, 0.8]), np.array([1.0, 2, 3])
    copies = [x.copy() for x in (p, q, v)]
    kernels.slerp(p, q, 0.3)
    kernels.rotate(q, v)
    unscaled = np.array([2.0, 0, 0, 2])
    Rotation.from_quat(unscaled, order="xyzw").apply(v)
    assert unscaled.tolist() == [2, 0, 0, 2]
    assert all(np.array_equal(x, y) for x, y in zip((p, q, v), copies, strict=True))


@pytest.mark.parametrize("metric", ["chordal", "geodesic"])
def test_scipy_the_mean_of_opposite_rotations_is_one_of_them_without_a_word(metric: Any) -> None:
    q = np.array([[0, 0, 0, 1.0], [0, 0, 1.0, 0]])
    mean, report = mean_rotation(q, metric=metric)
    assert report.unique is False and np.isclose(np.linalg.norm(mean), 1)
    if metric == "geodesic":
        assert np.allclose(angle(mean, q), np.pi / 2)


@pytest.mark.parametrize("metric", ["chordal", "geodesic"])
def test_numpy_quaternion_the_mean_of_q_and_minus_q_is_nan(metric: Any) -> None:
    q = kernels.exp([0.3, -1.0, 0.5])
    mean, report = mean_rotation([q, -q], metric=metric)
    assert np.allclose(mean, q, rtol=0, atol=1e-15) and report.unique is True


@pytest.mark.parametrize("metric", ["chordal", "geodesic"])
def test_spatialmath_the_mean_of_a_wide_pair_never_ends(metric: Any) -> None:
    q = kernels.exp([[0.1, 0, 0], [3.0, 0, 0]])
    mean, report = mean_rotation(q, metric=metric)
    assert np.allclose(kernels.log(mean), [1.55, 0, 0], rtol=0, atol=1e-15)
    assert report.unique is True and report.iterations < 20


# ---- alignment ---------------------------------------------------------------------------------------


def test_transformations_raises_for_reflected_and_collinear_sets() -> None:
    points = np.random.default_rng(2).standard_normal((8, 3))
    q, _, _, report = align_points(points, points * [1, 1, -1])
    assert np.isclose(np.linalg.det(kernels.to_matrix(q)), 1) and report.rank == 3
    line = np.outer(np.arange(4.0), [1, 2, 3])
    q, _, _, report = align_points(line, line)
    assert np.allclose(q, [0, 0, 0, 1], atol=1e-8) and report.rank == 1 and report.unique is False


@pytest.mark.parametrize(
    ("vectors", "rank"),
    [
        ([[1, 0, 0]], 1),
        ([[1, 0, 0], [2, 0, 0]], 1),
        ([[1, 0, 0], [-1, 0, 0]], 1),
        (np.eye(3)[:2], 2),
        (np.eye(3), 3),
    ],
    ids=["one", "collinear", "antiparallel", "two", "three"],
)
def test_alignment_reports_its_rank(vectors: Any, rank: int) -> None:
    _, report = align_vectors(vectors, vectors)
    assert report.rank == rank and report.unique is (rank > 1)


# ---- shapes ------------------------------------------------------------------------------------------


def test_scipy_apply_does_not_broadcast() -> None:
    rotations = Rotation.from_rotvec(np.zeros((5, 3)))
    assert rotations.apply(np.zeros((7, 1, 3))).shape == (7, 5, 3)
    assert Rotation.from_rotvec(np.zeros((7, 1, 3))).apply(np.zeros((5, 3))).shape == (7, 5, 3)


def test_an_empty_batch_works_everywhere() -> None:
    for shape in ((0,), (3, 0), (0, 2)):
        R = Rotation.from_rotvec(np.zeros((*shape, 3)))
        assert R.shape == shape
        assert (R @ R.inv()).apply(np.zeros((*shape, 3))).shape == (*shape, 3)
        assert R.slerp(R, 0.5).as_euler("ZYX", degrees=True).shape == (*shape, 3)
        assert Rotation.from_matrix(R.as_matrix()).as_quat(order="wxyz").shape == (*shape, 4)
        mean, report = mean_rotation(np.tile([0, 0, 0, 1.0], (*shape, 2, 1)))
        assert mean.shape == (*shape, 4) and report.unique.shape == shape
        q, _ = align_vectors(np.ones((*shape, 2, 3)), np.ones((*shape, 2, 3)))
        assert q.shape == (*shape, 4)
