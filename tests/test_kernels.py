"""What the kernels compute, against scipy, the golden attitudes and the algebra's own laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Reference

from boresight import kernels
from strategies import Sample, every_batch

Golden = Callable[[str], Any]
S = 0.5**0.5


def quaternions(n: int, seed: int = 0, dtype: Any = np.float64) -> np.ndarray:
    raw = np.random.default_rng(seed).normal(size=(n, 4)).astype(dtype)
    return kernels.from_quaternion(raw, order="xyzw")


def gap(p: Any, q: Any) -> float:
    """Largest difference of two arrays of quaternions, whose signs do not count."""
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    return float(np.minimum(np.abs(p - q).max(-1), np.abs(p + q).max(-1)).max(initial=0.0))


# -- against scipy ------------------------------------------------------------------------------------------


def test_products_rotations_and_matrices_are_those_of_scipy() -> None:
    p, q = quaternions(200, 1), quaternions(200, 2)
    v = np.random.default_rng(3).normal(size=(200, 3))
    rp, rq = Reference.from_quat(p), Reference.from_quat(q)
    assert gap(kernels.multiply(p, q), (rp * rq).as_quat()) < 1e-15
    assert np.abs(kernels.rotate(q, v) - rq.apply(v)).max() < 4e-15
    assert np.abs(kernels.rotate_inverse(q, v) - rq.apply(v, inverse=True)).max() < 4e-15
    assert np.abs(kernels.to_matrix(q) - rq.as_matrix()).max() < 2e-15
    assert gap(kernels.from_matrix(rq.as_matrix()), q) < 1e-15
    assert np.abs(kernels.log(q) - rq.as_rotvec()).max() < 4e-15
    assert np.abs(kernels.angle(q) - rq.magnitude()).max() < 4e-15
    assert gap(kernels.power(q, 0.3), (rq**0.3).as_quat()) < 1e-15


@pytest.mark.parametrize("degrees", [False, True])
@pytest.mark.parametrize("sequence", kernels.EULER_SEQUENCES)
def test_euler_angles_are_those_of_scipy(sequence: str, degrees: bool) -> None:
    q = quaternions(200, 4)
    angles = kernels.to_euler(sequence, q, degrees=degrees)
    assert np.abs(angles - Reference.from_quat(q).as_euler(sequence, degrees=degrees)).max() < 1e-11
    assert gap(kernels.from_euler(sequence, angles, degrees=degrees), q) < 1e-15
    anywhere = np.random.default_rng(5).uniform(-10, 10, size=(200, 3)) * (57 if degrees else 1)
    reference = Reference.from_euler(sequence, anywhere, degrees=degrees).as_quat()
    assert gap(kernels.from_euler(sequence, anywhere, degrees=degrees), reference) < 2e-15


def test_there_are_24_sequences_and_others_are_refused() -> None:
    assert len(set(kernels.EULER_SEQUENCES)) == 24
    for wrong in ("XYy", "XXY", "xyx1", "", "ABC", "Zyx", None):
        with pytest.raises(ValueError, match="Euler sequence"):
            kernels.to_euler(wrong, [0, 0, 0, 1], degrees=True)  # pyright: ignore[reportArgumentType]


def test_slerp_is_the_geodesic_of_scipy() -> None:
    from scipy.spatial.transform import Slerp

    p, q = quaternions(2, 6)
    t = np.linspace(0, 1, 11)
    reference = Slerp([0, 1], Reference.from_quat([p, q]))(t).as_quat()
    assert gap(kernels.slerp(p, q, t), reference) < 1e-15


@pytest.mark.parametrize("angle", [1e-200, 1e-9, 1e-3, 0.4, 0.6, 2.0, 3.1, np.pi - 1e-9])
def test_twists_are_those_of_the_matrix_exponential(angle: float) -> None:
    from scipy.linalg import expm

    twist = np.array([1.0, -2.0, 3.0, *(angle * np.array([0.48, 0.6, 0.64]))])
    rho, (x, y, z) = twist[:3], twist[3:]
    generator = np.array([[0, -z, y, rho[0]], [z, 0, -x, rho[1]], [-y, x, 0, rho[2]], [0, 0, 0, 0]])
    q, t = kernels.pose_exp(twist)
    assert np.abs(kernels.to_matrix(q) - expm(generator)[:3, :3]).max() < 3e-15
    assert np.abs(t - expm(generator)[:3, 3]).max() < 5e-15
    assert np.abs(kernels.pose_log(q, t) - twist).max() < 1e-14


# -- laws ---------------------------------------------------------------------------------------------------


@every_batch
def test_every_way_out_and_in_again(sample: Sample) -> None:
    q = sample.quaternions()
    eps = sample.eps
    assert gap(kernels.from_matrix(kernels.to_matrix(q)), q) < 8 * eps
    assert gap(kernels.exp(kernels.log(q)), q) < 8 * eps
    for sequence in ("ZYX", "ZXZ", "xyz"):
        for degrees in (False, True):
            angles = kernels.to_euler(sequence, q, degrees=degrees)
            assert gap(kernels.from_euler(sequence, angles, degrees=degrees), q) < 8 * eps
    for order in ("xyzw", "wxyz"):
        out = kernels.to_quaternion(q, order=order)
        assert np.array_equal(kernels.from_quaternion(out, order=order), q)


def test_canonical_is_the_one_whose_first_nonzero_component_is_positive() -> None:
    rows = np.array([[0, 0, 1, -S], [0, 0, -1, 0], [0, -1, 0, 0], [-1, 0, 0, 0], [1, 0, 0, 0], [-S, 0, 0, S]])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    out = kernels.to_quaternion(rows, order="wxyz", canonical=True)
    first = [row[np.flatnonzero(row)[0]] for row in out]
    assert all(value > 0 for value in first)
    assert gap(np.roll(out, -1, axis=-1), rows) == 0


def test_the_shortest_way_has_no_more_than_half_a_turn() -> None:
    q = quaternions(100, 8)
    assert np.array_equal(kernels.log(q), kernels.log(-q))
    assert np.linalg.norm(kernels.log(q), axis=-1).max() <= np.pi
    assert gap(kernels.slerp(q, -q, 0.5), q) < 4e-16


def test_poses_compose_invert_and_map() -> None:
    p, q = quaternions(50, 9), quaternions(50, 10)
    s, t, x = np.random.default_rng(11).normal(size=(3, 50, 3))
    both = kernels.pose_multiply(p, s, q, t)
    assert (
        np.abs(kernels.pose_apply(*both, x) - kernels.pose_apply(p, s, kernels.pose_apply(q, t, x))).max()
        < 1e-14
    )
    back = kernels.pose_inverse(p, s)
    assert np.abs(kernels.pose_apply(*back, kernels.pose_apply(p, s, x)) - x).max() < 1e-14


def test_change_and_permute_move_components() -> None:
    q = quaternions(20, 12)
    identity = np.eye(4, dtype=np.int8)
    assert np.array_equal(kernels.change(q, identity, 1.0), q)
    v = np.random.default_rng(13).normal(size=(20, 3))
    assert np.array_equal(kernels.permute(v, (1, 0, 2), (1, 1, -1)), v[:, [1, 0, 2]] * [1, 1, -1])
    for wrong in (((0, 1, 3), (1, 1, 1)), ((0, 1, 2), (1, 0, 1))):
        with pytest.raises(ValueError, match="indices must be"):
            kernels.permute(v, *wrong)


# -- golden -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "limit"), [(np.float64, 4e-16), (np.float32, 3e-7)])
def test_the_golden_attitudes(golden: Golden, dtype: Any, limit: float) -> None:
    cases = golden("attitude.json")["cases"]
    for case in cases:
        stored = np.array(case["body_to_ned"], dtype=dtype)
        q = kernels.from_quaternion(stored, order="wxyz")
        assert gap(kernels.to_quaternion(q, order="wxyz"), case["body_to_ned"]) <= limit, case["name"]
        assert gap(kernels.to_quaternion(kernels.conjugate(q), order="wxyz"), case["ned_to_body"]) <= limit
        # (w+z, x+y, x-y, w-z) / sqrt 2 in (w, x, y, z), here in (x, y, z, w)
        rows = [[1, 1, 0, 0], [1, -1, 0, 0], [0, 0, -1, 1], [0, 0, 1, 1]]
        enu = kernels.change(q, rows, S)
        assert gap(kernels.to_quaternion(enu, order="wxyz"), case["flu_to_enu"]) <= limit, case["name"]
        roll_pitch_yaw = np.array(case["euler_ned_zyx_deg"], dtype=dtype)
        rebuilt = kernels.from_euler("ZYX", roll_pitch_yaw[::-1], degrees=True)
        assert gap(rebuilt, q) <= max(limit, 1e-12), case["name"]  # the file's angles are rounded
