"""With the nose straight up or nearly so: CARLA's own way loses the rotation, the exact one keeps it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight.carla import Location, Quaternion, Rotation, Transform

RNG = np.random.default_rng(3)
N = 500
YAW, ROLL = RNG.uniform(-180, 180, (2, N)).astype(np.float32)
DISTANCES = [0.0, *(10.0**-k for k in range(8))]


def apart(a: Rotation, b: Rotation) -> Any:
    """Degrees between two rotations."""
    return np.degrees((a.to_rotation().inv() @ b.to_rotation()).angle())


@pytest.mark.parametrize("pole", [90.0, -90.0])
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("side", [1, -1])
def test_the_exact_way_keeps_the_rotation(pole: float, distance: float, side: int) -> None:
    t = Transform(Location(1, 2, 3), Rotation(pitch=pole + side * distance, yaw=YAW, roll=ROLL))
    back = Transform.from_pose(t.to_pose())
    assert apart(back.rotation, t.rotation).max() < 1e-3
    assert np.all(back.location == t.location)
    assert apart((t @ Transform()).rotation, t.rotation).max() < 1e-3
    assert apart(t.inv().inv().rotation, t.rotation).max() < 1e-3


@pytest.mark.parametrize(("distance", "median", "worst"), [(0.0, 45, 90), (1e-4, 0.2, 1)])
def test_the_mirror_loses_it(distance: float, median: float, worst: float) -> None:
    r = Rotation(pitch=90 - distance, yaw=YAW, roll=ROLL)
    off = apart(Quaternion.from_rotation(r).rotator(), r)
    assert np.median(off) > median
    assert off.max() > worst


def test_the_mirror_loses_it_at_the_pole_as_carla_does() -> None:
    r = Rotation(pitch=90, yaw=90, roll=0)
    back = Quaternion.from_rotation(r).rotator()
    np.testing.assert_allclose([back.pitch, back.yaw, back.roll], [89.97, 0, 0], atol=5e-3)
    assert apart(back, r) > 80
    exact = Transform.from_pose(Transform(rotation=r).to_pose()).rotation
    assert apart(exact, r) < 1e-3
    assert exact.roll == 0


def test_far_from_the_pole_both_keep_it() -> None:
    r = Rotation(pitch=RNG.uniform(-80, 80, N), yaw=YAW, roll=ROLL)
    assert apart(Quaternion.from_rotation(r).rotator(), r).max() < 1e-3
    assert apart(Transform.from_pose(Transform(rotation=r).to_pose()).rotation, r).max() < 1e-4


def test_composition_is_that_of_matrices() -> None:
    a, b = (
        Transform(
            Location.from_array(RNG.normal(scale=10, size=(N, 3))),
            Rotation(pitch=RNG.uniform(-90, 90, N), yaw=RNG.permutation(YAW), roll=RNG.permutation(ROLL)),
        )
        for _ in range(2)
    )
    np.testing.assert_allclose((a @ b).get_matrix(), a.get_matrix() @ b.get_matrix(), atol=2e-5)
    np.testing.assert_allclose(a.inv().get_matrix(), a.get_inverse_matrix(), atol=2e-5)
    relative = np.linalg.inv(a.get_matrix().astype(np.float64)) @ b.get_matrix()
    np.testing.assert_allclose(b.relative_to(a).get_matrix(), relative, atol=2e-5)
    np.testing.assert_allclose((a @ b.relative_to(a)).get_matrix(), b.get_matrix(), atol=2e-5)
    one = a[0] @ b
    assert one.shape == (N,)
