"""What `Rotation` and `Pose` do with series, sets, derivatives and covariances: frames kept, numbers those of the
functions on arrays, which have tests of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight import (
    Pose,
    Rotation,
    alignment,
    averaging,
    derivatives,
    frames,
    interpolation,
    jacobians,
    kernels,
    uncertainty,
)
from boresight.errors import FrameError, InvalidRowsError
from boresight.frames import ENU, FLU, FRD, NED

RNG = np.random.default_rng(3)
R = Rotation.from_rotvec(RNG.uniform(-1, 1, (4, 5, 3)), source=FLU, target=ENU)
P = Pose(R, RNG.normal(size=(4, 5, 3)))
Q, T = R.as_quat(order="xyzw"), P.translation
TIMES = np.array([0, 10, 25, 30, 50]) * 10_000_000


def framed(value: Any, source: Any = FLU, target: Any = ENU) -> bool:
    return value.source is source and value.target is target


# ---- ways in and out ---------------------------------------------------------------------------------


def test_modified_rodrigues_heading_and_tilt_and_two_axes() -> None:
    p = R.as_modified_rodrigues()
    assert np.array_equal(p, kernels.to_modified_rodrigues(Q))
    back = Rotation.from_modified_rodrigues(p, source=FLU, target=ENU)
    assert framed(back) and np.allclose(back.as_matrix(), R.as_matrix(), atol=1e-15)
    heading, tilt = R.as_heading_tilt()
    back = Rotation.from_heading_tilt(heading, tilt, source=FLU, target=ENU)
    assert framed(back) and np.allclose(back.as_matrix(), R.as_matrix(), atol=2e-15)
    m = R.as_matrix()
    back = Rotation.from_two_axes("zx", m[..., 2], m[..., 0], source=FLU, target=ENU)
    assert framed(back) and np.allclose(back.as_matrix(), m, atol=2e-15)


@pytest.mark.parametrize(
    "make",
    [
        lambda **options: Rotation.from_modified_rodrigues([1.0, 0, 0], **options),
        lambda **options: Rotation.from_heading_tilt(1.0, [0.1, 0], **options),
        lambda **options: Rotation.from_two_axes("xy", [1, 0, 0], [0, 1, 0], **options),
        lambda **options: Rotation.align([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]], **options),
        lambda **options: Pose.align(np.eye(3), np.eye(3), **options),
    ],
    ids=["modified Rodrigues", "heading and tilt", "two axes", "align vectors", "align points"],
)
def test_frames_are_both_given_or_none(make: Any) -> None:
    assert framed(make(), frames.Unframed, frames.Unframed)
    assert framed(make(source=FRD, target=NED), FRD, NED)
    with pytest.raises(FrameError, match="without target="):
        make(source=FRD)
    with pytest.raises(FrameError, match="handed"):
        make(source=frames.FRU, target=NED)


def test_bad_rows_are_settled_as_everywhere() -> None:
    bad = np.array([[np.nan, 0, 0], [0, 0, 0]])
    for make in (
        lambda **options: Rotation.from_modified_rodrigues(bad, **options),
        lambda **options: Rotation.from_heading_tilt(bad[:, 0], bad[:, 1:], **options),
        lambda **options: Rotation.from_two_axes("xy", [[np.nan, 0, 0], [1, 0, 0]], [0, 1, 0], **options),
        lambda **options: Rotation.align(bad[:, None], bad[:, None], **options),
        lambda **options: Pose.align(bad[:, None], bad[:, None], **options).rotation,
    ):
        with pytest.raises(InvalidRowsError, match="row 0"):
            make()
        assert np.isnan(make(invalid="nan").as_matrix()).any(axis=(-1, -2)).tolist() == [True, False]


# ---- sets --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["chordal", "geodesic"])
def test_means(metric: Any) -> None:
    whole, report = R.mean(metric=metric, report=True)
    assert framed(whole) and whole.shape == () and report.unique is True
    assert np.array_equal(
        whole.as_quat(order="xyzw"), averaging.mean_rotation(Q.reshape(-1, 4), metric=metric)[0]
    )
    weights = RNG.uniform(0, 1, 5)
    rows = R.mean(weights, metric=metric, axis=1)
    assert framed(rows) and rows.shape == (4,)
    assert np.array_equal(rows.as_quat(order="xyzw"), averaging.mean_rotation(Q, weights, metric=metric)[0])
    columns = R.mean(metric=metric, axis=0)
    assert columns.shape == (5,)
    assert columns[2] == R[:, 2].mean(metric=metric)
    poses, report = P.mean(weights, metric=metric, axis=-1, report=True)
    assert framed(poses) and poses.shape == (4,) and report.unique.shape == (4,)
    assert np.allclose(poses.translation, (T * weights[:, None]).sum(1) / weights.sum(), atol=1e-15)
    assert poses.rotation == rows
    assert framed(P.mean()) and P.mean().shape == ()
    assert R[0, 0].mean().as_quat(order="xyzw") == pytest.approx(Q[0, 0], abs=1e-15)


def test_an_axis_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match=r"axis=2 is none of a batch of shape \(4, 5\)"):
        R.mean(axis=2)
    with pytest.raises(InvalidRowsError, match="nothing to average"):
        Rotation.identity(0).mean()


def test_alignment() -> None:
    turn = R[0, 0]
    b = RNG.normal(size=(6, 3))
    found, report = Rotation.align(turn.apply(b), b, source=FLU, target=ENU, report=True)
    assert framed(found) and report.rank == 3 and report.unique is True
    assert np.allclose(found.as_matrix(), turn.as_matrix(), atol=1e-14)
    yaw = Rotation.from_rotvec([0, 0, 0.7])
    assert np.allclose(Rotation.align(yaw.apply(b), b, axis=[0, 0, 1]).as_rotvec(), [0, 0, 0.7], atol=1e-14)
    pose, report = Pose.align(P[0, 0].apply(b), b, source=FLU, target=ENU, report=True)
    assert framed(pose) and report.rank == 3
    assert np.allclose(pose.as_matrix(), P[0, 0].as_matrix(), atol=1e-13)
    weighted = Pose.align(np.zeros((6, 3)), b, [1, 0, 0, 0, 0, 0])
    assert np.allclose(weighted.apply(b[0]), 0, atol=1e-15)
    assert alignment.align_points(b, b)[3].rank == 3


def test_swing_and_twist() -> None:
    swing, twist = R.swing_twist([0, 0, 1])
    assert framed(swing) and framed(twist, FLU, FLU)
    assert np.allclose((swing @ twist).as_matrix(), R.as_matrix(), atol=1e-15)
    assert np.allclose(twist.as_rotvec()[..., :2], 0, atol=1e-15)


# ---- series ------------------------------------------------------------------------------------------


def test_series_in_time() -> None:
    at = np.array([[5, 12], [30, 49]]) * 10_000_000
    found = R.interpolate_series(TIMES, at)
    assert framed(found) and found.shape == (4, 2, 2)
    assert np.array_equal(found.as_quat(order="xyzw"), interpolation.interpolate_rotations(TIMES, Q, at))
    for path in ("straight", "screw"):
        poses = P.interpolate_series(TIMES, at, path=path)
        assert framed(poses) and poses.shape == (4, 2, 2)
        step = P[:, 0].interpolate(P[:, 1], 0.5, path=path)
        assert np.allclose(poses[:, 0, 0].as_matrix(), step.as_matrix(), atol=1e-15)
    with pytest.raises(InvalidRowsError, match="max_gap"):
        R.interpolate_series(TIMES, at, max_gap=100_000_000)
    kept = P.interpolate_series(TIMES, [-1, 0], invalid="nan")
    assert np.isnan(kept.as_matrix()).any(axis=(-1, -2)).tolist() == [[True, False]] * 4


def test_a_spline_goes_through_its_keys_and_keeps_its_frames() -> None:
    series = R[0]
    curve = series.spline(TIMES)
    assert np.array_equal(curve.times, TIMES)
    found = curve.at(TIMES)
    assert framed(found) and np.allclose(found.as_matrix(), series.as_matrix(), atol=1e-14)
    assert np.allclose(curve.angular_accelerations(TIMES[[0, -1]]), 0, atol=1e-10)
    held = series.spline(TIMES, ends=([0, 0, 0], [0, 0, 0]))
    assert np.allclose(held.angular_rates(TIMES[[0, -1]]), 0, atol=1e-12)
    assert curve.at(TIMES[0] - 1, invalid="nan").shape == ()


def test_signs_and_rates() -> None:
    flips = Rotation.from_quat(Q * np.array([1, -1, 1, 1, -1])[:, None], order="xyzw", source=FLU, target=ENU)
    steady = flips.with_continuous_signs()
    assert framed(steady) and steady == R
    q = steady.as_quat(order="xyzw")
    assert (np.einsum("...i,...i->...", q[:, 1:], q[:, :-1]) >= 0).all()
    assert np.array_equal(
        R.angular_rates(TIMES, of="source"), interpolation.angular_rates(TIMES, Q, of="source")
    )
    turned = R.apply(R.angular_rates(TIMES, of="source"))
    # at the ends both are the rate of one and the same interval, which has one axis in either frame
    assert np.allclose(turned[:, 0], R.angular_rates(TIMES, of="target")[:, 0], atol=1e-12)


# ---- derivatives and covariances ---------------------------------------------------------------------


def test_jacobians_of_rotations() -> None:
    v = R.as_rotvec()
    assert np.array_equal(R.jacobian_left(), jacobians.rotation_left_jacobian(v))
    assert np.array_equal(R.jacobian_right(), jacobians.rotation_right_jacobian(v))
    assert np.allclose(R.jacobian_left() @ R.jacobian_left_inverse(), np.eye(3), atol=1e-15)
    assert np.allclose(R.jacobian_right() @ R.jacobian_right_inverse(), np.eye(3), atol=1e-15)
    assert np.allclose(R.as_matrix() @ R.jacobian_right(), R.jacobian_left(), atol=1e-15)


@pytest.mark.parametrize("order", ["trans_rot", "rot_trans"])
def test_jacobians_of_poses(order: Any) -> None:
    left, right = P.jacobian_left(order=order), P.jacobian_right(order=order)
    assert np.allclose(P.adjoint(order=order) @ right, left, atol=1e-13)
    assert np.allclose(left @ P.jacobian_left_inverse(order=order), np.eye(6), atol=1e-13)
    assert np.allclose(right @ P.jacobian_right_inverse(order=order), np.eye(6), atol=1e-13)


def test_the_adjoint_takes_twists_of_exp() -> None:
    twist = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.1])
    pose = Pose(Rotation.from_rotvec([0.3, -1.0, 0.2]), [1, 2, 3])
    assert np.array_equal(
        pose.adjoint(),
        derivatives.pose_adjoint(pose.rotation.as_quat(order="xyzw"), [1, 2, 3], order="trans_rot"),
    )
    left, right = Pose.exp(pose.adjoint() @ twist) @ pose, pose @ Pose.exp(twist)
    assert np.allclose(left.as_matrix(), right.as_matrix(), atol=1e-15)


def test_covariances_are_carried_along() -> None:
    p3, p6 = np.diag([1.0, 2, 3]), np.diag([1.0, 2, 3, 4, 5, 6])
    zero3, zero6 = np.zeros((3, 3)), np.zeros((6, 6))
    x = kernels.exp([0.1, 0.2, 0.3])
    m = R.as_matrix()
    assert np.allclose(R.transport_covariance(p3, side="left"), m @ p3 @ np.swapaxes(m, -1, -2), atol=1e-14)
    for side in ("left", "right"):
        expected = uncertainty.rotation_compose(Q, zero3, x, p3, side=side)
        assert np.allclose(R.transport_covariance(p3, side=side), expected, atol=1e-15)
        for order in ("trans_rot", "rot_trans"):
            expected = uncertainty.pose_compose((Q, T), zero6, (x, np.ones(3)), p6, side=side, order=order)
            found = P.transport_covariance(p6, side=side, order=order)
            assert np.allclose(found, expected, atol=1e-13)
    single = Rotation.from_rotvec(np.array([0.1, 0, 0], np.float32))
    assert single.transport_covariance(p3.astype(np.float32), side="left").dtype == np.float32
    with pytest.raises(TypeError):
        R.transport_covariance(p3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        P.transport_covariance(p6, side="left")  # type: ignore[call-arg]


def test_single_precision_stays() -> None:
    single = Rotation.from_quat(Q.astype(np.float32), order="xyzw")
    pose = Pose(single, T.astype(np.float32))
    assert {
        x.dtype
        for x in (
            single.mean(),
            single.jacobian_left(),
            single.interpolate_series(TIMES, TIMES),
            single.angular_rates(TIMES, of="target"),
            single[0].spline(TIMES).at(TIMES),
            single.as_modified_rodrigues(),
            *single.as_heading_tilt(),
            *single.swing_twist([1, 0, 0]),
            single.with_continuous_signs(),
            pose.mean(),
            pose.adjoint(),
            pose.jacobian_left(order="rot_trans"),
            pose.interpolate_series(TIMES, TIMES, path="screw"),
        )
    } == {np.dtype(np.float32)}
