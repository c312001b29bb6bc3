"""Chiral point groups, and uniform rotations of things that have their symmetry."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import Rotation, frames, kernels
from boresight.sampling import Quotient, Uniform, point_group
from sampled import N, has_mean, p_value_of_two

ORDERS = {"C1": 1, "C2": 2, "C3": 3, "C6": 6, "D1": 2, "D2": 4, "D3": 6, "D6": 12, "T": 12, "O": 24, "I": 60}


@pytest.mark.parametrize("name", ORDERS)
def test_a_point_group_is_a_group(name: str) -> None:
    g = point_group(name)
    assert g.shape == (ORDERS[name], 4)
    np.testing.assert_array_equal(g[0], [0, 0, 0, 1])
    assert (g[:, 3] >= 0).all()
    products = kernels.multiply(g[:, None], g[None])
    nearest = np.abs(np.einsum("abi,ci->abc", products, g)).argmax(axis=-1)
    size = np.abs(np.einsum("abi,ci->abc", products, g)).max(axis=-1)
    np.testing.assert_allclose(size, 1, atol=1e-14)
    # Every element once in each row and column of its table.
    for table in (nearest, nearest.T):
        np.testing.assert_array_equal(np.sort(table, axis=1), np.tile(np.arange(len(g)), (len(g), 1)))


def test_the_groups_are_those_of_their_bodies() -> None:
    cube = {tuple(v) for v in np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T}
    for q in point_group("O"):
        assert {tuple(v.round(9) + 0.0) for v in kernels.rotate(q, np.array(list(cube), float))} == cube
    golden = (1 + np.sqrt(5)) / 2
    corners = [np.roll([0, s, t * golden], k) for k in range(3) for s in (-1, 1) for t in (-1, 1)]
    icosahedron = {tuple(np.round(v, 6) + 0.0) for v in corners}
    for q in point_group("I"):
        turned = kernels.rotate(q, np.array(corners, float))
        assert {tuple(v.round(6) + 0.0) for v in turned} == icosahedron
    tetrahedron = {(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)}
    for q in point_group("T"):
        assert {
            tuple(v.round(9) + 0.0) for v in kernels.rotate(q, np.array(list(tetrahedron), float))
        } == tetrahedron


def test_octahedral_rotations_turn_as_far_as_published() -> None:
    angle = np.degrees(Quotient("O").sample(1_000_000, rng=1).angle())
    assert 62.6 < angle.max() < 62.80
    assert angle.mean() == pytest.approx(40.74, abs=0.03)


@pytest.mark.parametrize("name", ORDERS)
def test_the_zone_is_uniform(name: str) -> None:
    law = Quotient(name)
    kept = Uniform().sample(N, rng=2)
    held = law.contains(kept)
    assert law.mass == 1 / ORDERS[name]
    assert has_mean(held, law.mass)
    R = law.sample(N, rng=3)
    assert law.contains(R).all()
    assert law.log_density(R[0]) == pytest.approx(np.log(ORDERS[name]))
    if held.sum() > 1000:
        ours, theirs = R.as_rotvec(), kept[held].as_rotvec()
        for line in (*np.eye(3), [0.48, -0.6, 0.64]):
            assert p_value_of_two(ours @ line, theirs @ line) > 1e-3
        assert p_value_of_two(R.angle(), kept[held].angle()) > 1e-3


@pytest.mark.parametrize("side", ["body", "world"])
@pytest.mark.parametrize("name", ["C4", "D3", "O", "I"])
def test_what_looks_the_same_becomes_the_same(name: str, side: str) -> None:
    law, R = Quotient(name), Uniform().sample(50, rng=4)
    least = law.reduce(R, side=side)  # type: ignore[arg-type]
    assert (least.angle() <= R.angle() + 1e-14).all()
    assert law.contains(least).all()
    for q in point_group(name):
        g = Rotation.from_quat(q, order="xyzw")
        turned = R @ g if side == "body" else g @ R
        assert ((law.reduce(turned, side=side).inv() @ least).angle() < 1e-7).all()  # type: ignore[arg-type]


def test_frames_and_the_mean() -> None:
    law = Quotient("D2", source=frames.FRD, target=frames.NED)
    R = law.sample(3, rng=1)
    assert (R.source, R.target) == (frames.FRD, frames.NED)
    assert law.mean.angle() == 0
    with pytest.raises(ValueError, match="no mean"):
        _ = Quotient("C1").mean


@pytest.mark.parametrize("name", ["C0", "C", "X", "D-1", "o", "", "TO", 4])
def test_no_such_group(name: object) -> None:
    with pytest.raises((ValueError, TypeError), match="group=|expected string"):
        point_group(name)  # type: ignore[arg-type]


def test_sides_are_named() -> None:
    with pytest.raises(ValueError, match="side="):
        Quotient("O").reduce(Rotation.identity(), side="left")  # type: ignore[arg-type]
