"""Derivatives against numerical ones in high precision, the peers' own, and each other."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from boresight import derivatives as d
from boresight import jacobians as j
from boresight import kernels
from exact import array, exp_jacobian, inverse, jacobian, point_jacobian, pose
from strategies import Sample, every_batch

SIDES = ("left", "right")
ORDERS = ("trans_rot", "rot_trans")
ANGLES = [0.0, 1e-300, 1e-160, 1e-12, 1e-7, 1e-3, 0.1, 1.0, 2.0, 3.0, np.pi - 1e-7, np.pi, 3.9, 4.1, 6.0, 9.0]
AXIS = np.array([0.48, -0.6, 0.64])
RHO = np.array([1.5, -0.7, 2.0])
EPS = np.finfo(np.float64).eps


def swap(matrix: Any) -> Any:
    return np.roll(matrix, (3, 3), axis=(-1, -2))


def ulps(found: Any, exact: Any) -> float:
    """Largest error in units of the spacing at the largest element."""
    return float(np.abs(found - exact).max() / (EPS * np.abs(exact).max()))


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("side", SIDES)
def test_jacobians_of_exp_are_right_to_a_few_units_in_the_last_place(side: str, angle: float) -> None:
    twist = np.concatenate([RHO, angle * AXIS])
    exact = exp_jacobian(twist, side)
    forward, back = array(exact), array(mp.inverse(exact))
    rotation = getattr(j, f"rotation_{side}_jacobian")
    whole = getattr(j, f"pose_{side}_jacobian")
    assert ulps(rotation(twist[3:]), forward[3:, 3:]) <= 4
    assert ulps(whole(twist, order="trans_rot"), forward) <= 4
    # The inverse feels how far the angle is from a whole turn.
    away = 4 if angle < 4 else 40
    rotation = getattr(j, f"rotation_{side}_jacobian_inverse")
    whole = getattr(j, f"pose_{side}_jacobian_inverse")
    assert ulps(rotation(twist[3:]), back[3:, 3:]) <= away
    assert ulps(whole(twist, order="trans_rot"), back) <= away


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-7, 1e-3, 1.0, 3.0, 3.9999, 4.0001, 5.5, 9.0])
def test_the_coefficients_are_right_to_a_few_units_in_the_last_place(angle: float) -> None:
    with mp.workdps(300):
        x = mp.mpf(angle) if angle > 1e-100 else mp.mpf("1e-20")
        exact = {
            "_a": (1 - mp.cos(x)) / x**2,
            "_b": (x - mp.sin(x)) / x**3,
            "_c": (1 - x / 2 * mp.cot(x / 2)) / x**2,
            "_d": (x * (2 + mp.cos(x)) - 3 * mp.sin(x)) / (2 * x**5),
            "_f": (2 - 2 * mp.cos(x) - x * mp.sin(x)) / x**4,
            "_g": (x / 2 * mp.cot(x / 2) + (x / 2 / mp.sin(x / 2)) ** 2 - 2) / x**4,
        }
    for name, value in exact.items():
        found = float(getattr(j, name)(np.array([angle * angle]))[0])
        assert abs(found / float(value) - 1) <= (4 if angle < 4 else 40) * EPS, name


def test_the_order_of_a_twist_moves_blocks() -> None:
    twist = np.array([1.0, 2.0, 3.0, 0.1, -0.4, 0.3])
    other = np.roll(twist, 3)
    for name in (
        "pose_left_jacobian",
        "pose_right_jacobian",
        "pose_left_jacobian_inverse",
        "pose_right_jacobian_inverse",
    ):
        function = getattr(j, name)
        assert np.array_equal(function(other, order="rot_trans"), swap(function(twist, order="trans_rot")))
    q, t = kernels.exp(twist[3:]), twist[:3]
    assert np.array_equal(
        d.pose_adjoint(q, t, order="rot_trans"), swap(d.pose_adjoint(q, t, order="trans_rot"))
    )


Q = kernels.exp(np.array([0.3, -1.1, 0.4]))
T = np.array([1.0, -2.0, 0.5])
Q2 = kernels.exp(np.array([-2.0, 0.2, 0.9]))
T2 = np.array([0.3, 4.0, -1.0])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", SIDES)
def test_derivatives_of_the_algebra_of_poses(side: Any, order: Any) -> None:
    x, y = pose(Q, T), pose(Q2, T2)

    def ordered(matrix: Any) -> Any:
        return matrix if order == "trans_rot" else swap(matrix)

    by_x, by_y = d.pose_compose_jacobians((Q, T), (Q2, T2), side=side, order=order)
    assert np.allclose(by_x, ordered(array(jacobian(lambda m: m * y, x, side))), rtol=0, atol=1e-14)
    assert np.allclose(by_y, ordered(array(jacobian(lambda m: x * m, y, side))), rtol=0, atol=1e-14)
    found = d.pose_inverse_jacobian(Q, T, side=side, order=order)
    assert np.allclose(found, ordered(array(jacobian(inverse, x, side))), rtol=0, atol=1e-14)
    p = np.array([0.5, 0.6, -0.7])
    by_pose, by_p = d.pose_apply_jacobians(Q, T, p, side=side, order=order)
    exact = array(point_jacobian(x, p, side))
    assert np.allclose(
        by_pose, exact if order == "trans_rot" else np.roll(exact, 3, axis=-1), rtol=0, atol=1e-14
    )
    assert np.allclose(by_p, kernels.to_matrix(Q), rtol=0, atol=1e-15)
    twist = kernels.pose_log(Q, T)
    log = array(mp.inverse(exp_jacobian(twist, side)))
    assert np.allclose(d.pose_log_jacobian(Q, T, side=side, order=order), ordered(log), rtol=0, atol=1e-14)


@pytest.mark.parametrize("side", SIDES)
def test_derivatives_of_the_algebra_of_rotations_are_those_of_poses_that_do_not_move(side: Any) -> None:
    zero = np.zeros(3)
    poses = d.pose_compose_jacobians((Q, zero), (Q2, zero), side=side, order="rot_trans")
    for rotation, whole in zip(d.rotation_compose_jacobians(Q, Q2, side=side), poses, strict=True):
        assert np.allclose(rotation, whole[:3, :3], rtol=0, atol=1e-15)
    whole = d.pose_inverse_jacobian(Q, zero, side=side, order="rot_trans")
    assert np.allclose(d.rotation_inverse_jacobian(Q, side=side), whole[:3, :3], rtol=0, atol=1e-15)
    p = np.array([0.5, 0.6, -0.7])
    by_q, by_v = d.rotation_apply_jacobians(Q, p, side=side)
    by_pose, by_p = d.pose_apply_jacobians(Q, zero, p, side=side, order="rot_trans")
    assert np.allclose(by_q, by_pose[:, :3], rtol=0, atol=1e-15)
    assert np.allclose(by_v, by_p, rtol=0, atol=1e-15)
    whole = d.pose_log_jacobian(Q, zero, side=side, order="rot_trans")
    assert np.allclose(d.rotation_log_jacobian(Q, side=side), whole[:3, :3], rtol=0, atol=1e-15)


def test_the_adjoint_takes_a_change_from_the_right_to_the_left() -> None:
    twist = np.array([0.2, -0.1, 0.4, 0.5, 0.1, -0.3])
    right = kernels.pose_multiply(Q, T, *kernels.pose_exp(twist))
    adjoint = d.pose_adjoint(Q, T, order="trans_rot")
    left = kernels.pose_multiply(*kernels.pose_exp(adjoint @ twist), Q, T)
    assert np.allclose(right[0], left[0], rtol=0, atol=1e-15) and np.allclose(
        right[1], left[1], rtol=0, atol=2e-15
    )


@every_batch
def test_jacobians_and_their_inverses_cancel(sample: Sample) -> None:
    v, twist = sample.rotation_vectors(), sample.twists()
    for side in SIDES:
        product = getattr(j, f"rotation_{side}_jacobian")(v) @ getattr(
            d, f"rotation_{side}_jacobian_inverse"
        )(v)
        assert product.shape == (*sample.batch, 3, 3) and product.dtype == sample.dtype
        assert np.allclose(product, np.eye(3), rtol=0, atol=8 * sample.eps)
        forward = getattr(j, f"pose_{side}_jacobian")(twist, order="trans_rot")
        product = forward @ getattr(j, f"pose_{side}_jacobian_inverse")(twist, order="trans_rot")
        assert product.shape == (*sample.batch, 6, 6) and product.dtype == sample.dtype
        assert np.allclose(product, np.eye(6), rtol=0, atol=100 * sample.eps)


@every_batch
def test_left_and_right_differ_by_the_adjoint(sample: Sample) -> None:
    twist = sample.twists()
    q, t = kernels.pose_exp(twist.astype(np.float64))
    right = j.pose_right_jacobian(twist, order="trans_rot")
    left = j.pose_left_jacobian(twist, order="trans_rot")
    assert np.allclose(d.pose_adjoint(q, t, order="trans_rot") @ right, left, rtol=0, atol=300 * sample.eps)


@every_batch
def test_every_derivative_keeps_batch_and_precision(sample: Sample) -> None:
    (q, t), (p, u) = sample.poses(), sample.poses()
    v = sample.vectors()
    n = sample.batch
    for side in SIDES:
        for matrix in (
            *d.rotation_compose_jacobians(p, q, side=side),
            *d.rotation_apply_jacobians(q, v, side=side),
            d.rotation_inverse_jacobian(q, side=side),
            d.rotation_log_jacobian(q, side=side),
        ):
            assert matrix.shape == (*n, 3, 3) and matrix.dtype == sample.dtype
        for order in ORDERS:
            for matrix in (
                *d.pose_compose_jacobians((p, u), (q, t), side=side, order=order),
                d.pose_inverse_jacobian(q, t, side=side, order=order),
                d.pose_log_jacobian(q, t, side=side, order=order),
                d.pose_adjoint(q, t, order=order),
            ):
                assert matrix.shape == (*n, 6, 6) and matrix.dtype == sample.dtype
            by_pose, by_p = d.pose_apply_jacobians(q, t, v, side=side, order=order)
            assert by_pose.shape == (*n, 3, 6) and by_p.shape == (*n, 3, 3)
            assert by_pose.dtype == by_p.dtype == sample.dtype


def test_nan_in_a_row_stays_in_that_row() -> None:
    q = np.array([Q, Q2])
    q[0, 1] = np.nan
    t = np.array([T, T2])
    both = (
        *d.rotation_compose_jacobians(q, Q, side="left"),
        *d.rotation_compose_jacobians(Q, q, side="left"),
        *d.rotation_apply_jacobians(q, T, side="right"),
        d.rotation_log_jacobian(q, side="left"),
        d.rotation_inverse_jacobian(q, side="left"),
        d.pose_adjoint(q, t, order="rot_trans"),
        d.pose_log_jacobian(q, t, side="left", order="rot_trans"),
        *d.pose_compose_jacobians((Q, T), (q, t), side="right", order="rot_trans"),
        *d.pose_apply_jacobians(q, t, T, side="left", order="rot_trans"),
        j.rotation_left_jacobian([[np.nan, 0, 0], [0, 0, 1]]),
        j.pose_left_jacobian([[np.nan, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]], order="trans_rot"),
    )
    for matrix in both:
        assert np.isnan(matrix[0]).all() and np.isfinite(matrix[1]).all()


def test_arguments_stay_as_they_are() -> None:
    twist = np.array([1.0, 2.0, 3.0, 0.1, -0.4, 0.3])
    twist.setflags(write=False)
    j.pose_right_jacobian(twist, order="rot_trans")
    j.rotation_right_jacobian(twist[::2])


@pytest.mark.parametrize("name", [name for name in d.__all__ + j.__all__ if name.startswith("pose")])
def test_neither_side_nor_order_has_a_default(name: str) -> None:
    import inspect

    for parameter in inspect.signature(getattr(d, name, None) or getattr(j, name)).parameters.values():
        assert parameter.default is inspect.Parameter.empty


def test_a_side_or_order_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match=r'side= is "left" or "right", not \'middle\''):
        d.rotation_log_jacobian(Q, side="middle")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r'"rot_trans" or "trans_rot", not \'xyz\''):
        d.pose_adjoint(Q, T, order="xyz")  # type: ignore[arg-type]


def test_pinocchio_agrees() -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio (pip install pin) is not installed")
    # Below, its Jacobians of poses lose digits: 3e-8 at an angle of 1e-3, 2e-7 in that of the logarithm.
    for angle in (0.3, 1.0, 2.5, 3.1):
        v = angle * AXIS
        twist = np.concatenate([RHO, v])
        assert np.allclose(j.rotation_right_jacobian(v), pin.Jexp3(v), rtol=0, atol=1e-14)
        right = j.pose_right_jacobian(twist, order="trans_rot")
        assert np.allclose(right, pin.Jexp6(pin.Motion(twist)), rtol=0, atol=1e-13)
        q, t = kernels.pose_exp(twist)
        placed = pin.SE3(kernels.to_matrix(q), t)
        assert np.allclose(d.pose_adjoint(q, t, order="trans_rot"), placed.action, rtol=0, atol=1e-14)
        log = d.pose_log_jacobian(q, t, side="right", order="trans_rot")
        assert np.allclose(log, pin.Jlog6(placed), rtol=0, atol=1e-10)


def test_gtsam_agrees() -> None:
    gtsam = pytest.importorskip("gtsam", reason="gtsam is not installed")
    for angle in (1e-3, 0.3, 1.0, 2.5, 3.1):
        v = angle * AXIS
        twist = np.concatenate([v, RHO])
        assert np.allclose(j.rotation_right_jacobian(v), gtsam.Rot3.ExpmapDerivative(v), rtol=0, atol=1e-13)
        right = j.pose_right_jacobian(twist, order="rot_trans")
        assert np.allclose(right, gtsam.Pose3.ExpmapDerivative(twist), rtol=0, atol=1e-12)
        q, t = kernels.pose_exp(np.roll(twist, 3))
        placed = gtsam.Pose3(gtsam.Rot3(kernels.to_matrix(q)), t)
        assert np.allclose(d.pose_adjoint(q, t, order="rot_trans"), placed.AdjointMap(), rtol=0, atol=1e-14)
