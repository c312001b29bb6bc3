"""How exact the kernels are: units in the last place, the pole, and inputs at the ends of the range."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from boresight import kernels

SCRIPT = Path(__file__).resolve().parent.parent / "benchmarks" / "accuracy.py"
EPS = np.finfo(np.float64).eps


@pytest.fixture(scope="module")
def accuracy() -> ModuleType:
    """The script that prints the table of errors: its samples and its bars are the test's."""
    spec = importlib.util.spec_from_file_location("accuracy", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_errors_are_a_few_units_in_the_last_place(accuracy: ModuleType, dtype: Any) -> None:
    with np.errstate(under="ignore"):
        rows = list(accuracy.tables(np.random.default_rng(3), 40, dtype))
    assert len(rows) == 11
    for name, bar, largest, _ in rows:
        assert largest <= bar, name


@pytest.mark.parametrize(("dtype", "bar"), [(np.float64, 1e-15), (np.float32, 6e-7)])
def test_the_rotation_is_rebuilt_at_any_distance_from_the_pole(
    accuracy: ModuleType, dtype: Any, bar: float
) -> None:
    assert accuracy.pole_errors(np.random.default_rng(4), 200, dtype) <= bar


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("distance", [1e-3, 1e-7, 1e-12, 1e-14])
def test_pitch_close_to_the_pole_does_not_snap(sign: int, distance: float) -> None:
    given = np.array([0.3, sign * (np.pi / 2 - distance), -1.1])
    q = kernels.from_euler("ZYX", given, degrees=False)
    assert not kernels.at_pole("ZYX", q)
    found = kernels.to_euler("ZYX", q, degrees=False)
    assert abs(found[1] - given[1]) < 1e-15
    # Yaw and roll each move by the rounding of q over the distance; what they have in common does not.
    assert np.abs(found - given)[[0, 2]].max() < 4e-16 / distance
    assert abs((found[0] - sign * found[2]) - (given[0] - sign * given[2])) < 2e-15


@pytest.mark.parametrize("sequence", kernels.EULER_SEQUENCES)
def test_at_the_pole_the_third_rotation_of_the_intrinsic_sequence_is_zero(sequence: str) -> None:
    proper = sequence[0] == sequence[2]
    third = 2 if sequence.isupper() else 0
    for middle in (0.0, 180.0) if proper else (90.0, -90.0):
        for outer in ([30.0, 20.0], [170.0, 160.0], [-170.0, -100.0], [0.0, 0.0]):
            q = kernels.from_euler(sequence, [outer[0], middle, outer[1]], degrees=True)
            assert kernels.at_pole(sequence, q)
            angles = kernels.to_euler(sequence, q, degrees=True)
            assert angles[third] == 0 and angles[1] == middle
            assert np.abs(angles).max() <= 180
            back = kernels.from_euler(sequence, angles, degrees=True)
            assert min(np.abs(back - q).max(), np.abs(back + q).max()) < 4 * EPS


def test_nan_is_not_at_the_pole() -> None:
    assert not kernels.at_pole("ZYX", [np.nan, 0, 0, 1])


def test_whole_quarter_turns_in_degrees_are_exact() -> None:
    for sequence in ("ZYX", "xyz", "ZXZ"):
        for a in range(-720, 721, 180):
            q = kernels.from_euler(sequence, [a, 0, 0], degrees=True)
            assert set(np.abs(q)) == {0.0, 1.0}
    assert np.array_equal(kernels.to_euler("ZYX", [0, 0, 1, 0], degrees=True), [180, 0, 0])
    assert np.array_equal(kernels.to_euler("ZYX", [0, 0, -1, 0], degrees=True), [180, 0, 0])


@pytest.mark.parametrize("turns", [1e3, 1e8, 1e15])
def test_large_angles_are_reduced_exactly(turns: float) -> None:
    angle = 360 * turns + 30
    assert (
        np.abs(
            kernels.from_euler("ZYX", [angle, 0, 0], degrees=True)
            - kernels.from_euler("ZYX", [angle % 720, 0, 0], degrees=True)
        ).max()
        < 2 * EPS
    )
    radians = 12345.678 * turns
    expected = [0, 0, np.sin(radians / 2), np.cos(radians / 2)]
    assert np.abs(kernels.from_euler("ZYX", [radians, 0, 0], degrees=False) - expected).max() < 4 * EPS
    assert np.abs(kernels.exp([0, 0, radians]) - expected).max() < 4 * EPS


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-300, 1e-160, 1e-20, 1e-8])
def test_small_rotations_keep_every_digit(size: float) -> None:
    v = size * np.array([1.0, 0.5, 0.0])
    q = kernels.exp(v)
    assert np.abs(kernels.log(q) - v).max() <= max(5e-324, 4 * EPS * size)
    assert kernels.angle(kernels.exp([size, 0, 0])) == pytest.approx(size, rel=4 * EPS, abs=5e-324)


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e-30, 1e30, 1e160, 1e300])
def test_quaternions_of_any_length_are_scaled_first(size: float) -> None:
    q = kernels.from_quaternion(size * np.array([1.0, -1.0, 1.0, 1.0]), order="wxyz")
    assert np.abs(q - [-0.5, 0.5, 0.5, 0.5]).max() < EPS


@pytest.mark.parametrize("off", [1e-16, 1e-12, 1e-9, 2e-6])
def test_a_matrix_within_tolerance_becomes_the_nearest_rotation(off: float) -> None:
    rng = np.random.default_rng(6)
    raw = rng.normal(size=(50, 4))
    m = kernels.to_matrix(kernels.from_quaternion(raw, order="xyzw")) + off * rng.uniform(
        -1, 1, size=(50, 3, 3)
    )
    u, _, vt = np.linalg.svd(m)
    nearest = kernels.to_matrix(kernels.from_matrix(m))
    assert np.abs(nearest - u @ vt).max() < 1e-14  # the SVD's own error
    projected = kernels.to_matrix(kernels.from_matrix(m, project=True))
    assert np.abs(projected - nearest).max() < 2e-15


def test_projection_of_a_reflection_is_the_nearest_proper_rotation() -> None:
    rng = np.random.default_rng(7)
    m = rng.normal(size=(200, 3, 3))
    u, _, vt = np.linalg.svd(m)
    d = np.ones((200, 3))
    d[:, 2] = np.linalg.det(u @ vt)
    assert (d[:, 2] < 0).any()
    expected = (u * d[:, None, :]) @ vt
    assert np.abs(kernels.to_matrix(kernels.from_matrix(m, project=True)) - expected).max() < 1e-12


@pytest.mark.parametrize("size", [400.0, 1e6, 1e12, 1e200])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_turns_still_give_unit_quaternions(size: float, dtype: Any) -> None:
    size = min(size, 1e30) if dtype is np.float32 else size
    eps = float(np.finfo(dtype).eps)
    q = kernels.from_quaternion(np.array([[0.1, -0.2, 0.3, 0.9], [0, 0, 0, 1]], dtype=dtype), order="xyzw")
    t = np.array([size, -size], dtype=dtype)
    twist = np.array([1, 2, 3, *(size * np.array([0.36, 0.48, 0.8]))], dtype=dtype)
    for result in (kernels.power(q, t), kernels.slerp(q[::-1], q, t), kernels.pose_exp(twist)[0]):
        assert np.abs(np.linalg.norm(result.astype(np.float64), axis=-1) - 1).max() < 8 * eps
    assert np.isfinite(kernels.pose_exp(twist)[1]).all()
    assert np.array_equal(kernels.power(q, t)[1], [0, 0, 0, 1])


@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1.7e308), (np.float32, 3.3e38)])
def test_vectors_longer_than_there_are_numbers_still_turn(dtype: Any, size: float) -> None:
    v = np.full(3, size, dtype)
    # The length rounds to one of its own last places, which are turns without number: unit is what can be asked for.
    q = kernels.exp(v)
    assert q.dtype == dtype and abs(float(np.linalg.norm(q.astype(float))) - 1) < 4 * float(
        np.finfo(dtype).eps
    )
    assert np.ptp(q[:3]) == 0
    assert abs(np.linalg.norm(kernels.from_heading_tilt(0.0, v[:2].astype(float))) - 1) < 1e-15
    pose = kernels.pose_exp(np.concatenate([np.ones(3, dtype), v]))
    assert np.allclose(pose[0], q, rtol=0, atol=4 * np.finfo(dtype).eps) and np.allclose(
        np.linalg.norm(pose[1]), 3**0.5, rtol=1e-6
    )


def test_many_turns_are_counted_right() -> None:
    turn = 2 * np.pi / 1000
    q = kernels.exp([0, 0, turn])
    found = kernels.power(q, np.array([1000 * 1000 + 250, 299.0, 301.0]))
    angles = turn * np.array([1000 * 1000 + 250, 299, 301])
    assert np.abs(found[:, 2] - np.sin(angles / 2)).max() < 1e-11
    twist = np.array(
        [1.0, 2, 3, 0, 0, 2000 * np.pi + 0.5]
    )  # a screw about z: a circle of radius |rho| / angle
    _, t = kernels.pose_exp(twist)
    a = twist[5]
    x, y = (np.array([[np.sin(a), np.cos(a) - 1], [1 - np.cos(a), np.sin(a)]]) / a) @ [1, 2]
    assert np.abs(t - [x, y, 3]).max() < 1e-14
