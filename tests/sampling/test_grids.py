"""Grids: their covering radii as published, equal volumes, nesting, and refinement around a rotation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from boresight import Rotation, kernels
from boresight.sampling import Cell48, Grid, HopfHealpix, SuperFibonacci, coverage, covering_radius, draws

R = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)


def by_hull(rotations: Rotation) -> float:
    """The covering radius another way: the facet of the hull of all quaternions that is nearest to the middle."""
    q = rotations.as_quat(order="xyzw")
    hull = ConvexHull(np.concatenate([q, -q]), qhull_options="QJ Pp")
    return 2 * float(np.arccos(-hull.equations[:, -1].max()))


@pytest.mark.parametrize(
    ("grid", "count", "degrees"),
    [
        # Published by Karney; the others of independent reference code.
        (Cell48(0.33582), 648, 20.83),
        (Cell48(0.15846), 7416, 10.07),
        (Cell48(1.0), 24, 62.80),
        (HopfHealpix(1), 576, 27.87),
        (HopfHealpix(2), 4608, 13.90),
        (SuperFibonacci(576), 576, 28.53),
    ],
    ids=str,
)
def test_covering_radii(grid: Grid, count: int, degrees: float) -> None:
    assert len(grid) == grid.count == count
    assert np.degrees(grid.covering_radius()) == pytest.approx(degrees, rel=2e-3)


@pytest.mark.parametrize(
    "rotations",
    [
        SuperFibonacci(150).rotations(),
        HopfHealpix(0).rotations(),
        Cell48(0.33582).rotations(),
        Rotation.from_quat(draws.haar(3, 200), order="xyzw"),
        # Unevenly: all near one another, so that one cell is most of everything.
        Rotation.from_quat(draws.geodesic_ball(4, 60, upper=0.8), order="xyzw"),
    ],
)
def test_the_covering_radius_is_that_of_the_convex_hull(rotations: Rotation) -> None:
    assert covering_radius(rotations) == pytest.approx(by_hull(rotations), rel=1e-7)


def test_no_rotation_is_farther_than_the_covering_radius_and_some_nearly_are() -> None:
    grid = SuperFibonacci(300)
    radius = grid.covering_radius()
    dots = np.abs(draws.haar(1, 50_000) @ grid.rotations().as_quat(order="xyzw").T).max(axis=1)
    farthest = 2 * np.arccos(dots.min())
    assert 0.9 * radius < farthest <= radius


def test_few_rotations_cover_too() -> None:
    assert covering_radius(Rotation.identity((1,))) == pytest.approx(np.pi, abs=1e-6)
    twice = Rotation.concatenate([Rotation.identity(), Rotation.identity()])
    assert covering_radius(twice) == pytest.approx(np.pi, abs=1e-6)
    square = Rotation.from_rotvec([[0, 0, 0], [np.pi, 0, 0], [0, np.pi, 0], [0, 0, np.pi]])
    assert covering_radius(square) == pytest.approx(2 * np.pi / 3)


def test_the_symmetry_of_a_grid_takes_its_cells_to_all_others() -> None:
    for grid in (HopfHealpix(0), Cell48(0.33582)):
        assert grid.covering_radius() == pytest.approx(covering_radius(grid.rotations()), rel=1e-9)


def test_coverage_is_the_volume_of_the_balls() -> None:
    grid = Cell48(1.0)
    radius = np.radians(62.7994296)
    assert coverage(grid.rotations()) == pytest.approx(24 * (radius - np.sin(radius)) / np.pi, rel=1e-6)
    assert coverage(grid.rotations(), radius=np.pi) == pytest.approx(24)
    assert coverage(grid.rotations(), radius=1e-3) == pytest.approx(24 * 1e-9 / 6 / np.pi, rel=1e-6)
    assert grid.coverage() >= 1


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_a_hopf_grid_has_the_moments_of_haar(level: int) -> None:
    q = HopfHealpix(level).rotations().as_quat(order="xyzw")
    assert np.abs(q.T @ q / len(q) - np.eye(4) / 4).max() < 1e-15
    assert len(np.unique(np.round(kernels.to_matrix(q), 9), axis=0)) == len(q)


def test_the_parts_of_a_hopf_rotation_lie_around_it() -> None:
    coarse, fine = HopfHealpix(1), HopfHealpix(2)
    parts = coarse.children(np.arange(coarse.count))
    assert parts.shape == (576, 8) and np.array_equal(parts.ravel(), np.arange(fine.count))
    assert np.array_equal(fine.parent(parts), np.broadcast_to(np.arange(576)[:, None], (576, 8)))
    # The z axis of each stays in its pixel, whose parts' centre it nearly is.
    z = coarse.rotations().apply([0, 0, 1])
    of_parts = fine.at(parts).apply([0, 0, 1]).mean(axis=1)
    apart = np.linalg.norm(of_parts / np.linalg.norm(of_parts, axis=1, keepdims=True) - z, axis=1)
    assert np.degrees(apart).max() < 3


def test_pixels_are_those_of_healpix() -> None:
    # Base pixels 0, 4 and 8, and at nside 2 the four parts of pixel 0: south, east, west, north.
    z = HopfHealpix(0).at([0, 24, 48]).apply([0, 0, 1])
    assert z[:, 2] == pytest.approx([2 / 3, 0, -2 / 3], abs=1e-12)
    assert np.degrees(np.arctan2(z[:, 1], z[:, 0])) == pytest.approx([45, 0, 45], abs=1e-9)
    z = HopfHealpix(1).at([0, 1, 2, 3]).apply([0, 0, 1])
    assert z[:, 2] == pytest.approx([1 / 3, 2 / 3, 2 / 3, 11 / 12])
    assert np.degrees(np.arctan2(z[:, 1], z[:, 0])) == pytest.approx([45, 67.5, 22.5, 45])


@pytest.mark.parametrize("angle", [0.0, 0.05, 0.3, 1.5, np.pi])
def test_refinement_finds_all_that_are_near_and_none_else(angle: float) -> None:
    grid = HopfHealpix(2)
    found, index = grid.near(R, angle)
    away = (R.inv() @ grid.rotations()).angle()
    assert set(index.tolist()) == set(np.flatnonzero(away <= angle).tolist())
    assert np.array_equal(found.as_quat(order="xyzw"), grid.at(index).as_quat(order="xyzw"))
    assert (np.diff(away[index]) >= -1e-12).all()


def test_refinement_goes_deep_without_making_the_grid() -> None:
    grid = HopfHealpix(18)
    found, _ = grid.near(R, 3e-5)
    # So many as the ball has of all.
    assert len(found) == pytest.approx(grid.count * float(draws.angle_mass(3e-5)) / np.pi, rel=0.2)
    assert (R.inv() @ found).angle().max() <= 3e-5


def test_a_grid_is_made_in_any_parts() -> None:
    for grid in (SuperFibonacci(1001), HopfHealpix(1), Cell48(0.33582)):
        whole = grid.rotations()
        assert grid.rotations(100, 200) == whole[100:200]
        assert grid.at([5, 3]) == whole[[5, 3]]
        assert Rotation.concatenate(list(grid.batches(100))) == whole


def test_a_spiral_is_even_however_long() -> None:
    # Far along it consecutive members are as far apart as at the beginning: no digits are lost.
    grid = SuperFibonacci(SuperFibonacci.MAX_COUNT)
    late = grid.rotations(2**31, 2**31 + 1000).as_quat(order="xyzw")
    steps = np.abs(np.sum(late[1:] * late[:-1], axis=1))
    assert np.ptp(steps) < 1e-5


def test_good_sizes_of_the_48_cell() -> None:
    assert Cell48.of_size(500).count == 648 and Cell48.of_size(648).count == 648
    assert all(Cell48(spacing).count == size for size, spacing in Cell48.SPACINGS.items())
    with pytest.raises(ValueError, match="count= must be at most 27672"):
        Cell48.of_size(10**6)


@pytest.mark.parametrize("count", [0, -1, 1.5, "many", None])
def test_a_bad_count(count: object) -> None:
    with pytest.raises(ValueError, match="count= must"):
        SuperFibonacci(count)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="level= must lie within 0 to 18, not 19"):
        HopfHealpix(19)
    with pytest.raises(ValueError, match="spacing= must lie within 0.01 to 1, not nan"):
        Cell48(float("nan"))
    grid = HopfHealpix(1)
    for bad in (-0.1, 3.2, float("nan")):
        with pytest.raises(ValueError, match="angle= must lie within 0 to pi"):
            grid.near(R, bad)
    with pytest.raises(ValueError, match="rotation= is NaN"):
        grid.near(Rotation.from_quat([np.nan] * 4, order="xyzw", invalid="nan"), 0.1)
    with pytest.raises(ValueError, match=r"rotation= must be a single rotation, not a batch of shape \(2,\)"):
        grid.near(Rotation.identity(2), 0.1)
    with pytest.raises(TypeError, match="must be a Rotation"):
        grid.near([0, 0, 0, 1], 0.1)
    with pytest.raises(ValueError, match="index= must lie within 0 to 575"):
        grid.at([576])
    with pytest.raises(ValueError, match="index= must be made of integers"):
        grid.at([0.5])
    with pytest.raises(ValueError, match="start= and stop="):
        grid.rotations(5, 577)
    with pytest.raises(ValueError, match="level 0 has no parents"):
        HopfHealpix(0).parent(0)
    with pytest.raises(ValueError, match="size= must be at least 1"):
        grid.batches(0)
    with pytest.raises(ValueError, match=r"rotations= has shape \(0,\)"):
        covering_radius(Rotation.identity(0))
    with pytest.raises(ValueError, match=r"rotations= has shape \(\)"):
        covering_radius(R)
    with pytest.raises(ValueError, match="rotations= holds NaN"):
        covering_radius(Rotation.from_quat([[np.nan] * 4], order="xyzw", invalid="nan"))
    with pytest.raises(ValueError, match="cells= must name members"):
        covering_radius(grid.rotations(), cells=[576])
    with pytest.raises(ValueError, match="radius= must be an angle"):
        coverage(grid.rotations(), radius=4.0)
