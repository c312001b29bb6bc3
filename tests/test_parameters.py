"""Modified Rodrigues parameters, two axes, heading and tilt, swing and twist, the shortest arc."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from boresight import kernels
from boresight import parameters as p
from boresight.errors import InvalidRowsError
from strategies import Sample, every_batch

X, Y, Z = np.eye(3)


def angle(a: Any, b: Any) -> Any:
    return kernels.angle(kernels.multiply(kernels.conjugate(a), b))


@every_batch
def test_modified_rodrigues_there_and_back(sample: Sample) -> None:
    q = sample.quaternions()
    found = kernels.to_modified_rodrigues(q)
    assert found.shape == (*sample.batch, 3) and found.dtype == sample.dtype
    assert np.all(np.linalg.norm(found, axis=-1) <= 1 + 2 * sample.eps)
    back = kernels.from_modified_rodrigues(found)
    assert back.dtype == sample.dtype and np.all(angle(back, q) < 8 * sample.eps)
    # and of the longer way round: the other point of the same rotation
    square = np.einsum("...i,...i->...", found, found)[..., None]
    far = np.where(square > 1e-3, -found / np.where(square > 1e-3, square, 1), found)
    assert np.all(angle(kernels.from_modified_rodrigues(far), q) < 40 * sample.eps)


def test_scipy_has_the_same_parameters() -> None:
    q = kernels.exp(np.random.default_rng(1).uniform(-1.8, 1.8, (40, 3)))
    assert np.allclose(kernels.to_modified_rodrigues(q), Rotation.from_quat(q).as_mrp(), rtol=0, atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-12, 1.0, 1e12, 1e200, 1e308])
def test_modified_rodrigues_of_any_size(size: float) -> None:
    q = kernels.from_modified_rodrigues([0.0, size, 0.0])
    exact = 4 * np.arctan(size)
    assert np.allclose(q, [0, np.sin(exact / 2), 0, np.cos(exact / 2)], rtol=0, atol=2e-16)
    if size < 1:
        assert kernels.log(q)[1] == pytest.approx(exact, rel=1e-15)


@every_batch
def test_the_shortest_arc_brings_one_vector_to_the_other(sample: Sample) -> None:
    a = sample.axes()
    turn = sample.rotation_vectors().astype(np.float64)
    across = np.cross(a, sample.axes())
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    size = np.linalg.norm(turn, axis=-1, keepdims=True)
    b = kernels.rotate(kernels.exp(size * across), a)
    q = p.shortest_arc(a.astype(sample.dtype), b.astype(sample.dtype))
    assert q.dtype == sample.dtype and q.shape == (*sample.batch, 4)
    assert np.allclose(kernels.rotate(q, a), b, rtol=0, atol=16 * sample.eps)
    assert np.allclose(kernels.angle(q), size[..., 0], rtol=0, atol=30 * sample.eps)


def test_the_shortest_arc_between_opposite_vectors_is_a_half_turn() -> None:
    vectors = np.concatenate([np.eye(3), -np.eye(3), np.random.default_rng(1).standard_normal((20, 3))])
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    q = p.shortest_arc(vectors, -vectors)
    assert np.allclose(kernels.rotate(q, vectors), -vectors, rtol=0, atol=2e-15)
    assert np.allclose(kernels.angle(q), np.pi, rtol=0, atol=4e-15)


@every_batch
def test_swing_and_twist_make_the_rotation(sample: Sample) -> None:
    q, axis = sample.quaternions(), sample.axes().astype(sample.dtype)
    swing, twist = p.swing_twist(q, 3 * axis)
    assert swing.dtype == twist.dtype == sample.dtype and swing.shape == twist.shape == q.shape
    assert np.allclose(kernels.multiply(swing, twist), q, rtol=0, atol=8 * sample.eps)
    assert np.allclose(np.cross(twist[..., :3], axis), 0, atol=8 * sample.eps)
    # the swing has nothing about the axis, but for what rounding leaves when it is nearly upside down
    size = np.hypot(np.einsum("...i,...i->...", q[..., :3], axis), q[..., 3])
    part = np.einsum("...i,...i->...", swing[..., :3], axis)
    assert np.all(np.abs(part) * np.maximum(size, sample.eps) < 8 * sample.eps)


def test_upside_down_the_twist_is_the_identity() -> None:
    swing, twist = p.swing_twist(kernels.exp([np.pi, 0, 0]), Z)
    assert twist.tolist() == [0, 0, 0, 1] and angle(swing, [1, 0, 0, 0]) < 1e-15
    with pytest.raises(InvalidRowsError, match="no axis: zero length"):
        p.swing_twist([0, 0, 0, 1], [0, 0, 0])


@pytest.mark.parametrize("axes", ["xy", "yx", "xz", "zx", "yz", "zy"])
def test_two_axes_point_where_they_are_told(axes: str) -> None:
    rng = np.random.default_rng(2)
    first, second = rng.standard_normal((30, 3)), rng.standard_normal((30, 3))
    q = kernels.from_two_axes(axes, 1e200 * first, 1e-200 * second)
    i, j = ("xyz".index(letter) for letter in axes)
    unit = first / np.linalg.norm(first, axis=-1, keepdims=True)
    assert np.allclose(kernels.rotate(q, np.eye(3)[i]), unit, rtol=0, atol=1e-15)
    other = kernels.rotate(q, np.eye(3)[j])
    assert (np.einsum("...i,...i->...", other, second) > 0).all()
    normal = np.cross(first, second)
    assert np.allclose(
        np.einsum("...i,...i->...", other, normal / np.linalg.norm(normal, axis=-1, keepdims=True)),
        0,
        atol=1e-14,
    )


def test_two_axes_nearly_parallel_are_still_upright() -> None:
    q = kernels.from_two_axes("xy", [1, 0, 0], [1, 1e-12, 0])
    assert np.allclose(kernels.to_matrix(q), np.eye(3), rtol=0, atol=1e-15)


def test_two_axes_that_decide_nothing_are_bad_rows() -> None:
    rows = np.array([[1.0, 0, 0], [0, 0, 0], [0, 1, 0], [np.nan, 0, 0]])
    with pytest.raises(InvalidRowsError, match="parallel"):
        kernels.from_two_axes("xy", [1, 2, 3], [-2, -4, -6])
    with pytest.raises(InvalidRowsError, match="not finite"):
        kernels.from_two_axes("xy", rows, Z)
    with pytest.raises(InvalidRowsError, match="row 1 is no second axis: zero length"):
        kernels.from_two_axes("xy", Z, rows[:3])
    found = kernels.from_two_axes("xy", rows, X, invalid="nan")
    assert np.isnan(found).all(axis=-1).tolist() == [True, True, False, True]
    for bad in ("xx", "x", "xyz", "ab", "XY"):
        with pytest.raises(ValueError, match="two different letters"):
            kernels.from_two_axes(bad, X, Y)
    assert kernels.from_two_axes("xy", np.zeros((0, 3)), X).shape == (0, 4)
    assert kernels.from_two_axes("xy", X.astype(np.float32), Y.astype(np.float32)).dtype == np.float32


@every_batch
def test_heading_and_tilt_there_and_back(sample: Sample) -> None:
    q = sample.quaternions(near="pole")
    heading, tilt = kernels.to_heading_tilt(q)
    assert np.shape(heading) == sample.batch and tilt.shape == (*sample.batch, 2)
    assert heading.dtype == tilt.dtype == sample.dtype
    back = kernels.from_heading_tilt(heading, tilt)
    assert back.dtype == sample.dtype and np.all(angle(back, q) < 20 * sample.eps)
    # the length of the tilt is the angle between the two verticals
    up = kernels.rotate(q.astype(np.float64), Z)
    between = np.arctan2(np.hypot(up[..., 0], up[..., 1]), up[..., 2])
    assert np.allclose(np.linalg.norm(tilt, axis=-1), between, rtol=0, atol=20 * sample.eps)


def test_heading_is_yaw_where_there_is_no_tilt() -> None:
    yaw = np.linspace(-3.1, 3.1, 20)
    heading, tilt = kernels.to_heading_tilt(-kernels.exp(yaw[:, None] * Z))
    assert np.allclose(heading, yaw, rtol=0, atol=1e-15) and np.abs(tilt).max() < 1e-15


def test_nan_stays_in_its_row() -> None:
    q = np.array([[np.nan, 0, 0, 1], [0, 0, 0, 1.0]])
    for found in (
        kernels.to_modified_rodrigues(q),
        *p.swing_twist(q, Z),
        *kernels.to_heading_tilt(q),
        p.shortest_arc(q[:, :3], X + 0 * q[:, :3]),
    ):
        assert (np.isnan(np.reshape(found[0], -1)).any() and np.isfinite(found[1]).all()) or found.shape == (
            2,
            4,
        )
    assert np.isnan(kernels.from_modified_rodrigues(q[:, :3], invalid="nan")[0]).all()
    with pytest.raises(InvalidRowsError):
        kernels.from_modified_rodrigues(q[:, :3])
    with pytest.raises(InvalidRowsError):
        kernels.from_heading_tilt(np.nan, [0, 0])
    assert np.isnan(kernels.from_heading_tilt([np.nan, 0], [0, 0], invalid="nan")[0]).all()
