"""The exact facts: what order and direction do, on random quaternions, with no data."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from boresight.diagnosis.twins import (
    RA,
    RB,
    SIGNED_PERMUTATIONS,
    axes_name,
    nearest_axes,
    parse_axes,
    sense_of,
    turns_of,
    twin_turns,
)

Floats = NDArray[np.float64]
READINGS = [(o, d) for o in ("wxyz", "xyzw") for d in ("body_to_world", "world_to_body")]


def attitude(stored: Floats, order: str, direction: str) -> Floats:
    """Matrices body to world of stored quaternions, under a reading; by scipy alone."""
    q = stored[:, [1, 2, 3, 0]] if order == "wxyz" else stored
    matrix = Rotation.from_quat(q).as_matrix()
    return matrix if direction == "body_to_world" else matrix.swapaxes(1, 2)


def series(count: int = 1000, seed: int = 0) -> Floats:
    """A smooth random tumbling, (w, x, y, z)."""
    rng = np.random.default_rng(seed)
    walk = np.cumsum(rng.normal(size=(count, 3)), axis=0) * 0.05
    return (Rotation.from_rotvec(walk) * Rotation.random(rng=rng)).as_quat()[:, [3, 0, 1, 2]]


def rate(matrix: Floats) -> Floats:
    """Body rate between neighbours of a series of attitudes, radians a step."""
    return Rotation.from_matrix(matrix[:-1].swapaxes(1, 2) @ matrix[1:]).as_rotvec()


def test_a_mistake_of_order_is_a_mistake_of_direction_relabelled() -> None:
    stored = np.random.default_rng(1).normal(size=(1000, 4))
    stored /= np.linalg.norm(stored, axis=1, keepdims=True)
    a = attitude(stored, "wxyz", "body_to_world")
    b = attitude(stored, "xyzw", "body_to_world")
    np.testing.assert_allclose(b, RA @ a.swapaxes(1, 2) @ RB, atol=1e-14)


def test_the_length_of_the_rate_is_the_same_under_every_reading_and_all_axes() -> None:
    stored = series()
    lengths = [np.linalg.norm(rate(attitude(stored, *reading)), axis=1) for reading in READINGS]
    world, body = SIGNED_PERMUTATIONS[7], SIGNED_PERMUTATIONS[20]
    hand = np.linalg.det(world) * np.linalg.det(body)
    if hand < 0:
        body = -body
    lengths.append(np.linalg.norm(rate(world @ attitude(stored, *READINGS[0]) @ body.T), axis=1))
    for other in lengths[1:]:
        np.testing.assert_allclose(other, lengths[0], atol=1e-13)
    assert lengths[0].std() > 0.01


@pytest.mark.parametrize(("order", "direction"), READINGS)
def test_two_series_of_rates_cover_the_four_readings(order: str, direction: str) -> None:
    stored = series()
    a = attitude(stored, "wxyz", "body_to_world")
    w = rate(a)
    own = {"same": w, "inverse": -np.einsum("nij,nj->ni", a[:-1], w)}
    turns = turns_of(order, direction)  # type: ignore[arg-type]
    expected = own[sense_of(order, direction)] @ turns.body.T  # type: ignore[arg-type]
    np.testing.assert_allclose(rate(attitude(stored, order, direction)), expected, atol=1e-13)


@pytest.mark.parametrize("sense", ["same", "inverse"])
def test_twins_explain_every_measurement_alike(sense: str) -> None:
    """Gyro, gravity and velocity come out the same to the last digits, with M, u and N as the table says."""
    rng = np.random.default_rng(2)
    stored, mount, place = (
        series(50),
        Rotation.random(rng=rng).as_matrix(),
        Rotation.random(rng=rng).as_matrix(),
    )
    up = np.array([0.36, 0.48, 0.8])
    seen = []
    for turns in twin_turns(sense):  # type: ignore[arg-type]
        r = attitude(stored, turns.order, turns.direction)
        m, u, n = turns.body @ mount, turns.world @ up, place @ turns.world.T
        gyro = rate(r) @ m  # the sensor sees Mᵀ of the body's rate
        gravity = np.einsum("nij,i->nj", r, u) @ m  # Mᵀ Rᵀ u
        force = np.einsum("ij,njk,kl,l->ni", n, r, m, np.array([0.3, -1.0, 9.0]))
        seen.append((gyro, gravity, force))
    for first, second in zip(*seen, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-12)


def test_the_two_senses_are_not_twins() -> None:
    stored = series(200)
    a, b = (attitude(stored, "wxyz", d) for d in ("body_to_world", "world_to_body"))
    turn, left = Rotation.align_vectors(rate(a), rate(b))
    assert left > 0.3 * np.linalg.norm(rate(a)), turn


@pytest.mark.parametrize("negated", [(1,), (2,), (3,), (1, 2, 3), (0,), (1, 2), (0, 3), (2, 3)])
def test_negated_components_are_an_inverse_or_a_relabelling(negated: tuple[int, ...]) -> None:
    """Three or one of them, up to the sign of the whole: an inverse, relabelled. Two: a relabelling alone."""
    stored = series(100)
    changed = stored.copy()
    changed[:, negated] *= -1.0
    a = attitude(stored, "wxyz", "body_to_world")
    if len(negated) % 2:
        a = a.swapaxes(1, 2)
    b = attitude(changed, "wxyz", "body_to_world")
    fits = [
        (world, body)
        for world in SIGNED_PERMUTATIONS
        for body in SIGNED_PERMUTATIONS
        if np.allclose(world @ a @ body, b, atol=1e-12)
    ]
    assert fits


def test_names_of_axes_go_both_ways() -> None:
    names = {axes_name(matrix) for matrix in SIGNED_PERMUTATIONS}
    assert len(names) == 48
    for matrix in SIGNED_PERMUTATIONS:
        np.testing.assert_array_equal(parse_axes(axes_name(matrix)), matrix)


@pytest.mark.parametrize("hand", [1.0, -1.0])
def test_the_nearest_relabelling_has_the_hand_of_the_matrix(hand: float) -> None:
    turn = Rotation.from_rotvec([0.2, -0.1, 0.15]).as_matrix()
    for axes in SIGNED_PERMUTATIONS[np.linalg.det(SIGNED_PERMUTATIONS) * hand > 0]:
        found, angle = nearest_axes(axes @ turn)
        np.testing.assert_array_equal(found, axes)
        assert angle == pytest.approx(np.degrees(np.linalg.norm([0.2, -0.1, 0.15])))
