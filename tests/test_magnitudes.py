"""Weights and lengths of any size in means and alignments."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import Pose, Rotation
from boresight.alignment import align_points, align_vectors

POINTS = np.random.default_rng(3).normal(size=(5, 3))
R = Rotation.from_rotvec([0.3, -0.5, 1.0])
MOVED = R.apply(POINTS)


def off(q: np.ndarray) -> float:
    return float((Rotation.from_quat(q, order="xyzw") @ R.inv()).angle())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("metric", ["chordal", "geodesic"])
def test_weights_whose_sum_overflows(metric: str) -> None:
    x = Rotation.from_rotvec([[0, 0, 0.1], [0, 0, 0.3], [0, 0, 0.2]])
    mean = x.mean([1e308, 1e308, 1e308], metric=metric)  # pyright: ignore[reportArgumentType]
    np.testing.assert_allclose(mean.as_rotvec(), [0, 0, 0.2], atol=1e-15)
    both = Rotation.from_rotvec([[[0, 0, 0.1], [0, 0, 0.3]]] * 2)
    means = both.mean([[1e308, 1e308], [1e-300, 1e-300]], axis=1)
    np.testing.assert_allclose(means.as_rotvec()[:, 2], 0.2, atol=1e-15)
    np.testing.assert_allclose(Pose(x, [[1, 2, 3]] * 3).mean([1e308] * 3).translation, [1, 2, 3])
    assert off(align_vectors(MOVED, POINTS, [1e308] * 5)[0]) < 1e-14
    assert off(align_points(POINTS, MOVED, [1e308] * 5)[0]) < 1e-14


@pytest.mark.parametrize("weight", [0.0, np.inf])
def test_a_vector_that_does_not_decide_sets_no_scale(weight: float) -> None:
    long = np.array([1e20, 1, 1, 1, 1])[:, np.newaxis]
    weights = [weight, 1, 1, 1, 1]
    q, report = align_vectors(MOVED * long, POINTS * long, weights)
    assert report.unique
    assert off(q) < 1e-14


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_points_of_any_size(size: float) -> None:
    q, t, s, report = align_points(POINTS * size, 3 * MOVED * size, scale=True)
    assert off(q) < 1e-14
    assert s == pytest.approx(3, rel=1e-14)
    assert report.rank == 3
    assert np.abs(t).max() < 1e-14 * size
    _, report = align_vectors(POINTS * size, np.roll(POINTS, 1, axis=0) * size)
    wanted = align_vectors(POINTS, np.roll(POINTS, 1, axis=0))[1].residual
    assert report.residual == pytest.approx(wanted * size, rel=1e-12)


def test_points_on_one_spot_say_nothing_of_the_scale() -> None:
    rng = np.random.default_rng(7)
    for count in [2, 3, 5, 6, 7, 1000, 20011] * 10:
        spot = np.tile(rng.normal(size=3), (count, 1))
        _, _, s, report = align_points(spot, rng.normal(size=(count, 3)), scale=True)
        assert (s, report.rank) == (1.0, 0)


def test_a_far_target_does_not_hide_a_small_source() -> None:
    source, target = (POINTS * 1e-3).astype(np.float32), (MOVED + 1e4).astype(np.float32)
    q, _, s, report = align_points(source, target, scale=True)
    assert report.rank == 3
    assert s == pytest.approx(1000, rel=1e-3)
    assert off(q) < 1e-3
