"""The axioms of the two groups, and exp and log, for all batch shapes and precisions; peers in double."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from boresight import kernels as k
from strategies import Sample, every_batch

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


def apart(p: Any, q: Any) -> Any:
    """Angle between rotations, in double precision."""
    p, q = np.asarray(p, np.float64), np.asarray(q, np.float64)
    return k.angle(k.multiply(k.conjugate(p), q))


@every_batch
def test_so3_is_a_group(sample: Sample) -> None:
    p, q, r = sample.quaternions(), sample.quaternions(), sample.quaternions("pole")
    one = IDENTITY.astype(sample.dtype)
    product = k.multiply(p, q)
    assert product.shape == p.shape and product.dtype == sample.dtype
    assert np.allclose(np.linalg.norm(product, axis=-1), 1, rtol=0, atol=4 * sample.eps)
    associated = k.multiply(k.multiply(p, q), r), k.multiply(p, k.multiply(q, r))
    assert np.allclose(*associated, rtol=0, atol=6 * sample.eps)
    assert np.array_equal(k.multiply(p, one), p) and np.array_equal(k.multiply(one, p), p)
    for neutral in (k.multiply(p, k.conjugate(p)), k.multiply(k.conjugate(p), p)):
        assert np.allclose(neutral, one, rtol=0, atol=4 * sample.eps)
    assert np.array_equal(k.conjugate(k.conjugate(p)), p)


@every_batch
def test_so3_acts_on_vectors(sample: Sample) -> None:
    p, q, v = sample.quaternions(), sample.quaternions(), sample.vectors()
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    both = k.rotate(p, k.rotate(q, v))
    assert both.dtype == sample.dtype
    assert np.all(np.abs(k.rotate(k.multiply(p, q), v) - both) <= 20 * sample.eps * size)
    assert np.all(np.abs(k.rotate_inverse(p, k.rotate(p, v)) - v) <= 20 * sample.eps * size)
    assert np.allclose(np.linalg.norm(both, axis=-1), size[..., 0], rtol=20 * sample.eps)
    product = np.einsum("...ij,...j->...i", k.to_matrix(p), v)
    assert np.all(np.abs(product - k.rotate(p, v)) <= 20 * sample.eps * size)


@every_batch
def test_se3_is_a_group(sample: Sample) -> None:
    a, b, c = sample.poses(), sample.poses(), sample.poses()
    p = sample.vectors()
    left = k.pose_multiply(*k.pose_multiply(*a, *b), *c)
    right = k.pose_multiply(*a, *k.pose_multiply(*b, *c))
    for one, other in zip(left, right, strict=True):
        assert one.dtype == sample.dtype
        assert np.allclose(one, other, rtol=0, atol=400 * sample.eps)
    for neutral in (k.pose_multiply(*a, *k.pose_inverse(*a)), k.pose_multiply(*k.pose_inverse(*a), *a)):
        assert np.allclose(neutral[0], IDENTITY, rtol=0, atol=4 * sample.eps)
        assert np.allclose(neutral[1], 0, rtol=0, atol=100 * sample.eps)
    moved = k.pose_apply(*a, k.pose_apply(*b, p))
    assert np.allclose(k.pose_apply(*k.pose_multiply(*a, *b), p), moved, rtol=0, atol=400 * sample.eps)


@every_batch
def test_log_after_exp_and_exp_after_log(sample: Sample) -> None:
    v, q = sample.rotation_vectors(), sample.quaternions()
    back = k.log(k.exp(v))
    size = np.linalg.norm(v.astype(np.float64), axis=-1, keepdims=True)
    assert back.dtype == sample.dtype
    # At a half turn v and -v are one rotation, and rounding decides which comes back.
    same = np.where(size > np.pi - 8 * sample.eps, np.sign((back * v).sum(axis=-1, keepdims=True)), 1)
    assert np.all(np.abs(same * back - v) <= 8 * sample.eps * size)
    assert np.all(
        apart(k.exp(k.log(q)), q / np.linalg.norm(q.astype(np.float64), axis=-1, keepdims=True))
        < 8 * sample.eps
    )
    assert np.all(np.linalg.norm(k.log(q), axis=-1) <= np.float32(np.pi) * (1 + sample.eps))


@every_batch
def test_log_after_exp_of_twists(sample: Sample) -> None:
    twist = sample.twists()
    twist[..., 3:] *= sample.dtype(0.999)
    pose = k.pose_exp(twist)
    assert all(part.dtype == sample.dtype for part in pose)
    back = k.pose_log(*pose)
    # towards a half turn the translation part hangs on the angle's last digits
    assert np.allclose(back, twist, rtol=0, atol=200 * sample.eps)
    again = k.pose_exp(back)
    assert np.all(apart(again[0], pose[0]) < 30 * sample.eps)
    assert np.allclose(again[1], pose[1], rtol=0, atol=400 * sample.eps)


@every_batch
def test_powers(sample: Sample) -> None:
    q, s, t = sample.quaternions(), sample.numbers(-0.5, 0.5), sample.numbers(-0.5, 0.5)
    product = k.multiply(k.power(q, s), k.power(q, t))
    assert np.all(apart(product, k.power(q, s + t)) < 20 * sample.eps)
    assert np.all(
        apart(k.power(q, np.ones_like(t)), q / np.linalg.norm(q.astype(np.float64), axis=-1, keepdims=True))
        < 20 * sample.eps
    )
    assert np.allclose(k.power(q, np.zeros_like(t)), IDENTITY, rtol=0, atol=sample.eps)


@every_batch
def test_slerp(sample: Sample) -> None:
    p, q, t = sample.quaternions(), sample.quaternions(), sample.numbers()
    found = k.slerp(p, q, t)
    assert found.dtype == sample.dtype
    whole = apart(p, q)
    unit = np.linalg.norm(q.astype(np.float64), axis=-1, keepdims=True)
    assert np.allclose(
        apart(p / np.linalg.norm(p.astype(np.float64), axis=-1, keepdims=True), found),
        t * whole,
        rtol=0,
        atol=30 * sample.eps,
    )
    assert np.all(apart(k.slerp(p, q, np.ones_like(t)), q / unit) < 30 * sample.eps)


@every_batch
def test_euler_angles_make_the_rotation_again_at_any_distance_from_the_pole(sample: Sample) -> None:
    q = sample.quaternions("pole")
    exact = q / np.linalg.norm(q.astype(np.float64), axis=-1, keepdims=True)
    for sequence in k.EULER_SEQUENCES:
        angles = k.to_euler(sequence, q, degrees=False)
        assert angles.dtype == sample.dtype and angles.shape == (*sample.batch, 3)
        again = k.from_euler(sequence, angles, degrees=False)
        assert np.all(apart(again, exact) < 16 * sample.eps), sequence


@every_batch
def test_scipy_agrees(sample: Sample) -> None:
    q, p, v = (
        x.astype(np.float64).reshape(-1, n)
        for x, n in ((sample.quaternions(), 4), (sample.quaternions(), 4), (sample.vectors(), 3))
    )
    if not len(q):
        return
    R, S = Rotation.from_quat(q), Rotation.from_quat(p)
    q, p = R.as_quat(), S.as_quat()
    assert np.all(apart(k.multiply(q, p), (R * S).as_quat()) < 4e-15)
    assert np.allclose(k.rotate(q, v), R.apply(v), rtol=0, atol=1e-14)
    assert np.allclose(k.to_matrix(q), R.as_matrix(), rtol=0, atol=2e-15)
    assert np.allclose(k.angle(q), R.magnitude(), rtol=0, atol=2e-15)
    assert np.all(apart(k.exp(R.as_rotvec()), q) < 4e-15)
    assert np.all(apart(k.from_matrix(R.as_matrix()), q) < 4e-15)


ANGLES = (1e-6, 1e-3, 0.5, 2.0, 3.0)
AXIS = np.array([0.48, -0.6, 0.64])
RHO = np.array([1.5, -0.7, 2.0])


def test_pinocchio_agrees() -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio (pip install pin) is not installed")
    other = k.pose_exp(np.concatenate([RHO[::-1], AXIS]))
    theirs = pin.SE3(k.to_matrix(other[0]), other[1])
    for angle in ANGLES:
        twist = np.concatenate([RHO, angle * AXIS])
        q, t = k.pose_exp(twist)
        pose = pin.exp6(pin.Motion(twist))
        assert np.allclose(k.to_matrix(q), pose.rotation, rtol=0, atol=2e-15)
        # its translation is off by 6e-15 at an angle of 1e-3, where ours is right to the last digit
        assert np.allclose(t, pose.translation, rtol=0, atol=1e-14)
        assert np.allclose(k.pose_log(q, t), pin.log6(pose).vector, rtol=0, atol=1e-12)
        product = pose * theirs
        both = k.pose_multiply(q, t, *other)
        assert np.allclose(k.to_matrix(both[0]), product.rotation, rtol=0, atol=2e-15)
        assert np.allclose(both[1], product.translation, rtol=0, atol=1e-14)
        assert np.allclose(k.pose_apply(q, t, RHO), pose.act(RHO), rtol=0, atol=1e-14)
        assert np.allclose(k.pose_inverse(q, t)[1], pose.inverse().translation, rtol=0, atol=1e-14)


def test_gtsam_agrees() -> None:
    gtsam = pytest.importorskip("gtsam", reason="gtsam is not installed")
    for angle in ANGLES:
        twist = np.concatenate([RHO, angle * AXIS])
        q, t = k.pose_exp(twist)
        pose = gtsam.Pose3.Expmap(np.roll(twist, 3))
        assert np.allclose(k.to_matrix(q), pose.rotation().matrix(), rtol=0, atol=4e-15)
        assert np.allclose(t, pose.translation(), rtol=0, atol=4e-15)
        assert np.allclose(np.roll(k.pose_log(q, t), 3), gtsam.Pose3.Logmap(pose), rtol=0, atol=1e-12)
        assert np.allclose(k.pose_apply(q, t, RHO), pose.transformFrom(RHO), rtol=0, atol=4e-15)
