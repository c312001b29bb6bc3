"""Means of rotations and poses, and when there is more than one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from boresight import kernels
from boresight.averaging import mean_pose, mean_rotation
from boresight.errors import InvalidRowsError
from strategies import Sample, every_batch

METRICS = ("chordal", "geodesic")


def angle(p: Any, q: Any) -> Any:
    return kernels.angle(kernels.multiply(kernels.conjugate(p), q))


@every_batch
def test_the_mean_of_one_rotation_is_that_rotation(sample: Sample) -> None:
    q = sample.quaternions()
    for metric in METRICS:
        mean, report = mean_rotation(np.stack([q, -q, q], axis=-2), metric=metric)
        assert mean.shape == q.shape and mean.dtype == sample.dtype
        assert np.allclose(mean, q, rtol=0, atol=16 * sample.eps)
        assert np.all(report.unique) and np.all(report.spread < 40 * sample.eps)


@every_batch
def test_the_mean_moves_along(sample: Sample) -> None:
    rng = np.random.default_rng(sample.seed)
    spread = kernels.exp(0.5 * rng.standard_normal((*sample.batch, 7, 3)))
    weights = rng.uniform(0, 1, (*sample.batch, 7))
    left, right = sample.quaternions(), sample.quaternions()
    for metric in METRICS:
        mean, report = mean_rotation(spread.astype(sample.dtype), weights, metric=metric)
        moved = kernels.multiply(
            kernels.multiply(left[..., None, :], spread.astype(sample.dtype)), right[..., None, :]
        )
        other, _ = mean_rotation(moved, weights, metric=metric)
        whole = kernels.multiply(kernels.multiply(left, mean), right)
        assert np.all(angle(whole, other) < 40 * sample.eps)
        assert np.all(report.unique)


@every_batch
def test_two_rotations_meet_half_way(sample: Sample) -> None:
    v = sample.rotation_vectors().astype(np.float64) * 0.999
    p = sample.quaternions().astype(np.float64)
    p /= np.linalg.norm(p, axis=-1, keepdims=True)
    q = kernels.multiply(p, kernels.exp(v))
    for metric in METRICS:
        mean, report = mean_rotation(np.stack([p, q], axis=-2), metric=metric)
        # Near a half turn the mean hangs on the last digits of the two.
        assert np.all(angle(mean, kernels.slerp(p, q, 0.5)) < 1e-12)
        assert np.all(report.unique)
        assert np.allclose(report.spread, kernels.angle(kernels.exp(v)) / 2, rtol=1e-12, atol=8e-15)


def test_scipy_agrees() -> None:
    rng = np.random.default_rng(1)
    q = kernels.exp(rng.standard_normal((50, 3)))
    weights = rng.uniform(0, 2, 50)
    theirs = Rotation.from_quat(q).mean(weights).as_quat()
    assert angle(mean_rotation(q, weights)[0], theirs) < 1e-14


def test_the_geodesic_mean_has_the_least_sum_of_squared_angles() -> None:
    rng = np.random.default_rng(2)
    q = kernels.exp(rng.standard_normal((30, 3)))
    weights = rng.uniform(0, 2, 30)
    mean, report = mean_rotation(q, weights, metric="geodesic")
    step = kernels.log(kernels.multiply(kernels.conjugate(mean), q))
    assert np.abs(weights @ step).max() < 1e-14 * 30
    assert report.iterations > 1
    cost = (weights * angle(mean, q) ** 2).sum()
    assert np.isclose(report.spread, np.sqrt(cost / weights.sum()), rtol=1e-14)
    for small in 1e-3 * rng.standard_normal((20, 3)):
        assert (weights * angle(kernels.multiply(mean, kernels.exp(small)), q) ** 2).sum() > cost


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 1, 0], [0.6, 0, 0.8]])
def test_the_mean_of_opposite_rotations_is_reported_not_unique(metric: Any, axis: Any) -> None:
    half = kernels.exp(np.pi * np.array(axis))
    mean, report = mean_rotation([[0, 0, 0, 1], half], metric=metric)
    assert report.unique is False
    assert np.isclose(np.linalg.norm(mean), 1)
    weights = [1.0, 2.0]
    assert mean_rotation([[0, 0, 0, 1], half], weights, metric="chordal")[1].unique is True


@pytest.mark.parametrize("metric", METRICS)
def test_all_around_a_circle_or_all_around_there_is_no_single_mean(metric: Any) -> None:
    circle = kernels.exp(np.outer([0, 2 * np.pi / 3, -2 * np.pi / 3], [1.0, 0, 0]))
    assert mean_rotation(circle, metric=metric)[1].unique is False
    half_turns = np.eye(4)
    assert mean_rotation(half_turns, metric=metric)[1].unique is False


def test_a_spread_beyond_a_quarter_turn_may_still_have_one_mean() -> None:
    q = kernels.exp(np.outer([0.0, 0.1, -0.1, 3.0], [0, 1.0, 0]))
    mean, report = mean_rotation(q, metric="geodesic")
    assert report.unique is True
    assert np.allclose(kernels.log(mean), [0, 0.75, 0], rtol=0, atol=1e-12)


def test_weights() -> None:
    q = kernels.exp([[0, 0, 0], [0, 0, 0.4], [1, 1, 1]])
    for metric in METRICS:
        only, _ = mean_rotation(q, [0, 3, 0], metric=metric)
        assert angle(only, q[1]) < 1e-15
        assert (
            angle(mean_rotation(q, [1e-200, 1e-200, 0], metric=metric)[0], kernels.exp([0, 0, 0.2])) < 1e-15
        )
    # A weight of zero hides even what is missing.
    q[2] = np.nan
    assert np.isfinite(mean_rotation(q, [1, 1, 0])[0]).all()
    for bad in ([1, -1, 1], [1, np.nan, 1], [1, np.inf, 1]):
        with pytest.raises(ValueError, match=r"weight .* at \(1,\) is not usable"):
            mean_rotation(q, bad)


def test_nothing_to_average() -> None:
    for q, weights in ((np.zeros((0, 4)), None), (np.tile([0, 0, 0, 1.0], (3, 1)), [0, 0, 0])):
        with pytest.raises(InvalidRowsError, match="nothing to average"):
            mean_rotation(q, weights)
        for metric in METRICS:
            mean, report = mean_rotation(q, weights, metric=metric, invalid="nan")
            assert np.isnan(mean).all() and report.unique is False and np.isnan(report.spread)


def test_nan_stays_in_its_set() -> None:
    q = np.tile([0, 0, 0, 1.0], (2, 3, 1))
    q[0, 1] = np.nan
    for metric in METRICS:
        mean, report = mean_rotation(q, metric=metric)
        assert np.isnan(mean[0]).all() and mean[1].tolist() == [0, 0, 0, 1]
        assert report.unique.tolist() == [False, True]


def test_arguments_stay_as_they_are() -> None:
    q, w = np.array([[0, 0, 0, 1.0], [0, 0, 0, -1.0]]), np.ones(2)
    q.setflags(write=False)
    w.setflags(write=False)
    for metric in METRICS:
        assert mean_rotation(q, w, metric=metric)[0].tolist() == [0, 0, 0, 1]


@every_batch
def test_poses(sample: Sample) -> None:
    poses = [sample.poses() for _ in range(3)]
    q, t = (np.stack(parts, axis=-2) for parts in zip(*poses, strict=True))
    mean, position, report = mean_pose(q, t, [1, 2, 0])
    assert mean.shape == (*sample.batch, 4) and position.shape == (*sample.batch, 3)
    assert mean.dtype == position.dtype == sample.dtype
    assert np.allclose(position, (t[..., 0, :] + 2 * t[..., 1, :]) / 3, rtol=0, atol=20 * sample.eps)
    assert np.shape(report.unique) == sample.batch


def test_a_metric_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="not 'median'"):
        mean_rotation([[0, 0, 0, 1]], metric="median")  # type: ignore[arg-type]
