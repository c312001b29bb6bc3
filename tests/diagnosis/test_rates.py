"""A negated Euler angle: exact algebra on random attitudes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from boresight.diagnosis.rates import Hypothesis, all_hypotheses, attitude_under, half_turned, rates_of
from boresight.diagnosis.twins import SIGNED_PERMUTATIONS

Floats = NDArray[np.float64]
PROPER = SIGNED_PERMUTATIONS[np.linalg.det(SIGNED_PERMUTATIONS) > 0]


def tumbling(count: int = 300, seed: int = 3) -> Floats:
    """Yaw, pitch and roll of a lively flight that stays off the pole."""
    t = np.linspace(0.0, 20.0, count)
    return np.stack([2.0 * np.sin(0.4 * t) + 0.2 * t, np.sin(0.7 * t + seed), 0.9 * np.sin(1.1 * t)], axis=-1)


def matrices(angles: Floats) -> Floats:
    return Rotation.from_euler("ZYX", angles).as_matrix()


def relabelled(one: Floats, other: Floats) -> bool:
    """Whether one series is the other up to a relabelling of both sides."""
    return any(
        np.allclose(world @ one @ body, other, atol=1e-9)
        for world in SIGNED_PERMUTATIONS
        for body in SIGNED_PERMUTATIONS
    )


def test_one_negated_angle_is_the_inverse_of_the_reversed_sequence() -> None:
    angles = tumbling()
    negated = matrices(angles * (-1.0, 1.0, 1.0))
    reverse = Rotation.from_euler("XYZ", angles[:, ::-1] * (-1.0, -1.0, 1.0)).as_matrix()
    np.testing.assert_allclose(negated, reverse.swapaxes(1, 2), atol=1e-12)


@pytest.mark.parametrize("signs", [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1)])
def test_it_does_not_matter_which_angle_is_negated(signs: tuple[int, int, int]) -> None:
    angles = tumbling()
    assert relabelled(matrices(angles * (-1.0, 1.0, 1.0)), matrices(angles * np.array(signs, dtype=float)))


def test_ninety_degrees_minus_yaw_is_minus_yaw_relabelled() -> None:
    angles = tumbling()
    compass = angles.copy()
    compass[:, 0] = np.pi / 2 - compass[:, 0]
    assert relabelled(matrices(angles * (-1.0, 1.0, 1.0)), matrices(compass))


@pytest.mark.parametrize("two", [(-1, -1, 1), (1, -1, -1), (-1, 1, -1)])
def test_two_negated_angles_are_a_mere_relabelling(two: tuple[int, int, int]) -> None:
    angles = tumbling()
    changed = matrices(angles * np.array(two, dtype=float))
    assert relabelled(matrices(angles), changed)
    assert not relabelled(matrices(angles * (-1.0, 1.0, 1.0)), changed)


def test_a_half_converted_attitude_is_no_reading_of_the_true_one() -> None:
    angles = tumbling()
    true, half = matrices(angles), matrices(angles * (-1.0, 1.0, 1.0))
    assert not relabelled(true, half)
    assert not relabelled(true.swapaxes(1, 2), half)


def test_half_turned_undoes_it() -> None:
    angles = tumbling()
    half = Rotation.from_euler("ZYX", angles * (-1.0, 1.0, 1.0)).as_quat()
    undone = Rotation.from_quat(half_turned(half, 2, 0)).as_matrix()
    assert relabelled(undone, matrices(angles))
    twice = Rotation.from_quat(half_turned(half_turned(half, 2, 0), 2, 0))
    np.testing.assert_allclose((twice * Rotation.from_quat(half).inv()).magnitude(), 0.0, atol=1e-12)


@pytest.mark.parametrize("number", range(0, 24, 5))
def test_one_of_the_candidates_is_the_truth_whatever_the_axes(number: int) -> None:
    """Any order, direction and relabelling of a half-converted attitude: a candidate has the true rate, turned."""
    angles = tumbling()
    true = matrices(angles)
    stored = PROPER[number] @ matrices(angles * (-1.0, 1.0, 1.0)) @ PROPER[(7 * number + 3) % 24]
    if number % 2:
        stored = stored.swapaxes(1, 2)
    quat = Rotation.from_matrix(stored).as_quat()
    spans = np.full(len(quat) - 1, 0.04)
    gyro = Rotation.from_matrix(true[:-1].swapaxes(1, 2) @ true[1:]).as_rotvec() / 0.04
    exact = []
    for hypothesis, series in rates_of(quat[:-1], quat[1:], spans).items():
        left = Rotation.align_vectors(gyro, series)[1]
        if left < 1e-6 * np.linalg.norm(gyro):
            exact.append(hypothesis)
    assert exact
    assert all(h.half is not None and h.sense == ("inverse" if number % 2 else "same") for h in exact)


def test_rates_are_those_of_the_attitudes() -> None:
    quat = Rotation.from_euler("ZYX", tumbling()).as_quat()
    series = rates_of(quat[:-1], quat[1:], np.full(len(quat) - 1, 0.05))
    assert set(series) == set(all_hypotheses())
    for hypothesis, values in series.items():
        true = Rotation.from_quat(attitude_under(quat, hypothesis))
        np.testing.assert_allclose((true[:-1].inv() * true[1:]).as_rotvec() / 0.05, values, atol=1e-9)


def test_to_first_order_an_inverse_is_a_mirror() -> None:
    """Small turns: (same, proper M) and (inverse, mirrored M) have one rate, so a hovering log cannot tell them."""
    small = Rotation.from_euler("ZYX", 0.01 * tumbling()).as_quat()
    series = rates_of(small[:-1], small[1:], np.full(len(small) - 1, 0.04))
    mirrored = -series[Hypothesis("inverse")]
    rate = series[Hypothesis("same")]
    assert np.linalg.norm(mirrored - rate) < 0.05 * np.linalg.norm(rate)


def test_a_left_handed_attitude_is_a_right_handed_one_with_m_and_up_negated() -> None:
    true = matrices(tumbling())
    mirror = np.diag([1.0, -1.0, 1.0])
    stored = mirror @ true @ mirror
    body = Rotation.from_matrix(true[:-1].swapaxes(1, 2) @ true[1:]).as_rotvec()
    seen = Rotation.from_matrix(stored[:-1].swapaxes(1, 2) @ stored[1:]).as_rotvec()
    mount = -mirror  # a rotation
    np.testing.assert_allclose(seen, body @ mount.T, atol=1e-12)
    up = np.array([0.0, 0.0, 1.0])
    force = true.swapaxes(1, 2) @ up
    np.testing.assert_allclose(
        np.einsum("nij,jk,nk->ni", stored, mount, force), np.tile(-mirror @ up, (len(true), 1)), atol=1e-12
    )
