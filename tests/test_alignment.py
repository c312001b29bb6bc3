"""Wahba's and Umeyama's problems: right where they are decided, honest where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from boresight import kernels
from boresight.alignment import align_points, align_vectors
from boresight.errors import InvalidRowsError
from strategies import Sample, every_batch

X, Y, Z = np.eye(3)


def angle(p: Any, q: Any) -> Any:
    return kernels.angle(kernels.multiply(kernels.conjugate(p), q))


# ---- vectors -----------------------------------------------------------------------------------------


@every_batch
def test_vectors_find_the_rotation_they_were_turned_by(sample: Sample) -> None:
    q = sample.quaternions()
    b = np.random.default_rng(sample.seed).standard_normal((*sample.batch, 6, 3)).astype(sample.dtype)
    a = kernels.rotate(q[..., None, :], b)
    found, report = align_vectors(a, b)
    assert found.shape == q.shape and found.dtype == sample.dtype
    assert np.all(angle(found, q) < 400 * sample.eps)
    assert np.all(report.unique) and np.all(report.rank == 3) and np.all(report.residual < 400 * sample.eps)
    # two that stand upright on each other; the nearer to collinear, the less they say
    b = np.broadcast_to(np.array([[0.6, 0, 0.8], [0, 2, 0]], sample.dtype), (*sample.batch, 2, 3))
    two, report = align_vectors(kernels.rotate(q[..., None, :], b), b)
    assert np.all(angle(two, q) < 30 * sample.eps)
    assert np.all(report.rank == 2) and np.all(report.unique)


def test_scipy_agrees() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b, w = rng.standard_normal((9, 3)), rng.standard_normal((9, 3)), rng.uniform(0, 2, 9)
        theirs, residual = Rotation.align_vectors(a, b, w)
        ours, report = align_vectors(a, b, w)
        assert angle(ours, theirs.as_quat()) < 1e-13
        assert np.isclose(report.residual, residual / np.sqrt(w.sum()), rtol=1e-13)
        w[3] = np.inf
        theirs, _ = Rotation.align_vectors(a, b, w)
        ours, report = align_vectors(a, b, w)
        assert angle(ours, theirs.as_quat()) < 1e-13
        assert report.unique and report.rank == 2
        unit = a[3] / np.linalg.norm(a[3])
        assert np.allclose(kernels.rotate(ours, b[3] / np.linalg.norm(b[3])), unit, rtol=0, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_lengths_do_not_matter_to_what_can_be_represented(scale: float) -> None:
    q, report = align_vectors(scale * np.array([Y, -X]), scale * np.array([X, Y]))
    assert angle(q, kernels.exp([0, 0, np.pi / 2])) < 1e-15 and report.rank == 2


@pytest.mark.parametrize(
    ("a", "b", "rank"),
    [
        ([], [], 0),
        ([[0, 0, 0]], [[0, 0, 0]], 0),
        ([Y], [X], 1),
        ([Y, 2 * Y], [X, 3 * X], 1),
        ([Y, -Y], [X, -X], 1),
        ([-X], [X], 1),
        ([X], [X], 1),
        ([Y, Y], [X, -X], 0),
    ],
    ids=["none", "zero", "one", "collinear", "antiparallel", "opposite", "equal", "contradicting"],
)
def test_too_little_is_reported(a: Any, b: Any, rank: int) -> None:
    first, last = np.reshape(a, (-1, 3)).astype(float), np.reshape(b, (-1, 3)).astype(float)
    q, report = align_vectors(first, last)
    assert report.rank == rank and report.unique is False
    assert np.isclose(np.linalg.norm(q), 1)
    if rank == 1:
        # the one of least angle, and it does what can be done
        turned = kernels.rotate(q, last[0] / np.linalg.norm(last[0]))
        assert np.allclose(turned, first[0] / np.linalg.norm(first[0]), rtol=0, atol=4e-16)
        least = np.arccos(np.clip(turned @ last[0] / np.linalg.norm(last[0]), -1, 1))
        assert np.isclose(kernels.angle(q), least, rtol=0, atol=1e-15)
    else:
        assert q.tolist() == [0, 0, 0, 1]


def test_a_reflected_set_gives_a_rotation_and_no_reflection() -> None:
    rng = np.random.default_rng(2)
    b = rng.standard_normal((10, 3)) * [3, 2, 1]
    q, report = align_vectors(b * [1, 1, -1], b)
    assert np.isclose(np.linalg.det(kernels.to_matrix(q)), 1) and report.rank == 3 and report.unique
    # A set that is as wide in all directions can be turned any way round.
    _, report = align_vectors(-np.eye(3), np.eye(3))
    assert report.unique is False and report.rank == 3
    _, report = align_vectors(np.eye(3) * [1, 1, -1], np.eye(3))
    assert report.unique is False


def test_weights_and_what_they_may_not_be() -> None:
    a, b = np.array([X, Y, [0.0, 0.6, 0.8]]), np.array([X, Y, Z])
    assert np.allclose(align_vectors(a, b, [1, 1, 0])[0], [0, 0, 0, 1], atol=1e-15)
    assert align_vectors(a, b, [1, 0, 0])[1].rank == 1
    with pytest.raises(ValueError, match="weight -1.0 at"):
        align_vectors(a, b, [1, -1, 1])
    with pytest.raises(ValueError, match="more than one weight"):
        align_vectors(a, b, [np.inf, np.inf, 1])
    with pytest.raises(ValueError, match="length zero"):
        align_vectors([Z * 0, X], [Z, X], [np.inf, 1])
    with pytest.raises(ValueError, match="cannot be infinite"):
        align_vectors(a, b, [np.inf, 1, 1], axis=Z)


def test_an_infinite_weight_alone_or_with_what_says_nothing_more() -> None:
    q, report = align_vectors([Y], [X], [np.inf])
    assert report.rank == 1 and not report.unique and report.residual < 1e-15
    assert np.allclose(kernels.rotate(q, X), Y, atol=1e-15)
    _, report = align_vectors([Y, -2 * Y], [X, -X], [np.inf, 1])
    assert report.rank == 1 and not report.unique
    # one set with and one without
    a = np.array([[X, Y], [X, Y]])
    q, report = align_vectors(a, a, [[np.inf, 1], [1, 1]])
    assert report.unique.tolist() == [True, True] and np.allclose(q, [0, 0, 0, 1], atol=1e-15)


@pytest.mark.parametrize("axis", [Z, -3 * Z, np.array([0.48, -0.6, 0.64])])
def test_about_an_axis_only_the_turn_is_free(axis: Any) -> None:
    unit = axis / np.linalg.norm(axis)
    rng = np.random.default_rng(3)
    b = rng.standard_normal((8, 3))
    q = kernels.exp(2.0 * unit)
    found, report = align_vectors(kernels.rotate(q, b), b, axis=axis)
    assert angle(found, q) < 1e-15 * 4 and report.unique and report.rank == 1
    # With noise the best of all turns is found.
    a = rng.standard_normal((8, 3))
    found, _ = align_vectors(a, b, axis=axis)
    turns = np.linspace(-np.pi, np.pi, 20001)[:, None, None] * unit
    losses = ((kernels.rotate(kernels.exp(turns), b) - a) ** 2).sum((-1, -2))
    ours = ((kernels.rotate(found, b) - a) ** 2).sum()
    assert ours <= losses.min() and ours > losses.min() - 1e-4
    assert np.allclose(np.cross(kernels.log(found), unit), 0, atol=1e-15)
    _, report = align_vectors([unit], [unit], axis=axis)
    assert not report.unique and report.rank == 0
    with pytest.raises(ValueError, match="no direction"):
        align_vectors(a, b, axis=[0, 0, 0])


def test_a_set_that_is_not_finite_is_refused_or_nan() -> None:
    a = np.tile(np.eye(3), (3, 1, 1))
    b = a.copy()
    a[1, 0, 0] = np.nan
    with pytest.raises(InvalidRowsError, match="row 1 is no set of vectors: a component is not finite"):
        align_vectors(a, b)
    for options in ({}, {"axis": Z}, {"weights": [np.inf, 1, 1]}):
        q, report = align_vectors(a, b, invalid="nan", **options)
        assert np.isnan(q).all(axis=-1).tolist() == [False, True, False]
        assert report.unique.tolist() == [True, False, True]
        assert np.isnan(report.residual).tolist() == [False, True, False]


# ---- points ------------------------------------------------------------------------------------------


@every_batch
def test_points_find_the_pose_they_were_moved_by(sample: Sample) -> None:
    q, t = sample.poses()
    points = np.random.default_rng(sample.seed).standard_normal((*sample.batch, 8, 3)).astype(sample.dtype)
    moved = kernels.pose_apply(q[..., None, :], t[..., None, :], points)
    found, position, scale, report = align_points(points, moved)
    assert found.shape == q.shape and position.shape == t.shape and np.shape(scale) == sample.batch
    assert found.dtype == position.dtype == scale.dtype == sample.dtype
    assert np.all(angle(found, q) < 400 * sample.eps) and np.all(scale == 1)
    assert np.allclose(position, t, rtol=0, atol=400 * sample.eps)
    assert np.all(report.rank == 3) and np.all(report.unique)
    factor = sample.dtype(2.5)
    larger = kernels.pose_apply(q[..., None, :], t[..., None, :], factor * points)
    found, position, scale, report = align_points(points, larger, scale=True)
    assert np.all(angle(found, q) < 400 * sample.eps)
    assert np.allclose(scale, factor, rtol=0, atol=100 * sample.eps)
    assert np.allclose(position, t, rtol=0, atol=400 * sample.eps)


def test_the_answer_is_the_best_of_all() -> None:
    rng = np.random.default_rng(4)
    source, target, w = rng.standard_normal((12, 3)), rng.standard_normal((12, 3)), rng.uniform(0, 1, 12)
    q, t, s, report = align_points(source, target, w, scale=True)

    def loss(q: Any, t: Any, s: Any) -> float:
        return float(w @ ((s * kernels.rotate(q, source) + t - target) ** 2).sum(-1))

    best = loss(q, t, s)
    assert np.isclose(report.residual, np.sqrt(best / w.sum()), rtol=1e-13)
    for step in 1e-3 * rng.standard_normal((50, 7)):
        assert loss(kernels.multiply(q, kernels.exp(step[:3])), t + step[3:6], s + step[6]) >= best


def test_evo_agrees() -> None:
    geometry = pytest.importorskip("evo.core.geometry", reason="evo is not installed")
    rng = np.random.default_rng(5)
    source, target = rng.standard_normal((20, 3)), rng.standard_normal((20, 3))
    for scale in (False, True):
        r, t, s = geometry.umeyama_alignment(source.T, target.T, scale)
        q, position, factor, _ = align_points(source, target, scale=scale)
        assert np.allclose(kernels.to_matrix(q), r, atol=1e-13)
        assert np.allclose(position, t, atol=1e-13) and np.isclose(factor, s, rtol=1e-13)


@pytest.mark.parametrize(
    ("points", "rank", "unique"),
    [
        (np.zeros((0, 3)), 0, False),
        (np.ones((1, 3)), 0, False),
        (np.ones((4, 3)), 0, False),
        (np.outer([0.0, 1, 2, 5], [0.1, 0.2, -0.3]) + 0.7, 1, False),
        (np.array([[0.1, 0, 0], [1.3, 0, 0], [0, 1.7, 0], [3, 1, 0]]), 2, True),
        (np.array([[0.1, 0, 0], [1.3, 0, 0], [0, 1.7, 0], [3, 1, 1]]), 3, True),
    ],
    ids=["none", "one", "one spot", "a line", "a plane", "space"],
)
def test_the_rank_of_points(points: Any, rank: int, unique: bool) -> None:
    q, t = kernels.exp([0.3, -0.2, 1.0]), np.array([5.0, 6.0, 7.0])
    moved = kernels.pose_apply(q, t, points)
    found, position, scale, report = align_points(points, moved, scale=True)
    assert report.rank == rank and report.unique is unique
    assert np.isclose(np.linalg.det(kernels.to_matrix(found)), 1) and np.isfinite(scale)
    assert np.allclose(scale * kernels.rotate(found, points) + position, moved, rtol=0, atol=1e-14)


def test_far_from_the_origin_rounding_is_not_taken_for_a_direction() -> None:
    line = np.outer([0.0, 1, 2, 3], [1.0, 0, 0]) + np.array([1e6, 2e6, 3e6])
    moved = kernels.rotate(kernels.exp([0.1, 0.2, 0.3]), line)
    assert align_points(line, moved)[3].rank == 1


def test_mirrored_points_give_no_reflection() -> None:
    points = np.random.default_rng(6).standard_normal((30, 3)) * [3, 2, 1]
    q, _, scale, report = align_points(points, points * [1, -1, 1], scale=True)
    assert np.isclose(np.linalg.det(kernels.to_matrix(q)), 1) and scale > 0 and report.rank == 3


def test_arguments_stay_as_they_are() -> None:
    a = np.random.default_rng(7).standard_normal((5, 3))
    a.setflags(write=False)
    w = np.ones(5)
    w.setflags(write=False)
    align_vectors(a, a, w)
    align_points(a, a, w, scale=True)


def test_shapes_that_are_no_sets_are_named() -> None:
    with pytest.raises(ValueError, match=r"have shape \(..., n, 3\); these have \(3,\)"):
        align_vectors([1, 2, 3], [1, 2, 3])
    with pytest.raises(ValueError, match=r"have shape \(..., n, 3\)"):
        align_points([1, 2, 3], [1, 2, 3])
