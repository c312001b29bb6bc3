"""Covariances where one system stores the inverse pose, against differences taken by `convert` itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import plain
import pytest

from boresight import Rotation, conventions, convert
from boresight.errors import ConventionError

Array = np.ndarray
RNG = np.random.default_rng(8)
SQUARE = RNG.normal(size=(6, 6))
POSE = SQUARE @ SQUARE.T
C = np.diag([1.0, 4.0, 9.0])
PAIRS = [
    ("px4", "colmap"),
    ("colmap", "px4"),
    ("ros_odom", "opengl"),
    ("opengl", "ros_odom"),
    ("opencv", "opengl"),
]


def stored(system: str) -> tuple[Array, Array]:
    """An orientation as a matrix and a position, as some system stores them."""
    q, p = convert(
        quat=plain.XYZW, position=[3.0, -7.0, 2.0], from_="tum", to=system, as_="matrix", world=WORLD[system]
    )
    return q, p


WORLD: dict[str, str | None] = {
    "px4": "ENU", "colmap": None, "opencv": None, "ros_odom": "FLU", "opengl": "FLU",
}  # fmt: skip


def moved(old: str, to: str, m: Array, p: Array) -> Array:
    """The Jacobian of what `to` stores, by small steps of the position and of rotations about the world's axes."""
    inverse = conventions.get(old).direction == "world_to_body"
    new_inverse = conventions.get(to).direction == "world_to_body"
    step = 1e-6
    columns: list[Array] = []
    for k in range(6):
        ends: list[tuple[Array, Array]] = []
        for sign in (1.0, -1.0):
            d = np.zeros(6)
            d[k] = sign * step
            small = Rotation.from_rotvec(d[3:]).as_matrix()
            there = m @ small.T if inverse else small @ m
            got = convert(matrix=there, position=p + d[:3], from_=old, to=to, as_="matrix")
            ends.append((got.matrix, got.position))
        (m1, p1), (m0, p0) = ends
        body_to_world = (m0.T @ m1) if new_inverse else (m1 @ m0.T)
        turn = Rotation.from_matrix(body_to_world).as_rotvec()
        columns.append(np.concatenate([p1 - p0, turn]) / (2 * step))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize(("old", "to"), PAIRS)
def test_six_by_six_goes_through_the_inverse(old: str, to: str) -> None:
    m, p = stored(old)
    jacobian = moved(old, to, m, p)
    if conventions.get(to).direction == "world_to_body":
        jacobian[
            3:
        ] *= -1  # m0' m1 is the change of the stored, inverse rotation, turned into the world's axes
    got = convert(matrix=m, position=p, covariance=POSE, from_=old, to=to, as_="matrix").covariance
    expected = jacobian @ POSE @ jacobian.T
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize(("old", "to"), PAIRS)
def test_three_by_three_of_the_position_turns_with_it(old: str, to: str) -> None:
    m, p = stored(old)
    jacobian = moved(old, to, m, p)[:3, :3]
    got = convert(matrix=m, position=p, covariance=C, of="position", from_=old, to=to, as_="matrix")
    np.testing.assert_allclose(got.covariance, jacobian @ C @ jacobian.T, rtol=1e-7, atol=1e-7 * 1e6)
    there = convert(matrix=got.matrix, position=got.position, covariance=got.covariance, of="position", from_=to,
                    to=old, as_="matrix")  # fmt: skip
    np.testing.assert_allclose(there.covariance, C, atol=1e-9)


def test_of_px4_in_colmap_as_written_out() -> None:
    q = RNG.normal(size=(4, 4))
    got = convert(
        quat=q, position=np.zeros((4, 3)), covariance=C, of="position", from_="px4", to="colmap", as_="matrix"
    )
    np.testing.assert_allclose(got.covariance, got.matrix @ C @ np.swapaxes(got.matrix, -1, -2), atol=1e-12)


def test_a_batch_of_poses_with_one_covariance() -> None:
    q = np.tile(plain.WXYZ, (5, 1))
    got = convert(quat=q, position=np.ones((5, 3)), covariance=POSE, from_="px4", to="colmap").covariance
    assert got.shape == (5, 6, 6)


def test_two_inverse_systems_change_the_thing_side_of_positions() -> None:
    p = np.diag([1.0, 2.0, 3.0])
    p[0, 1] = p[1, 0] = 0.5
    got = convert(covariance=p, of="position", from_="opencv", to="opengl", world=None).covariance
    assert got[0, 1] == -0.5 and np.diag(got).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"covariance": C, "of": "position"}, "world's origin in body axes"),
        ({"covariance": POSE, "quat": plain.WXYZ}, r"give the orientation and position= beside a 6x6"),
        ({"covariance": POSE}, r"give the orientation and position= beside a 6x6"),
        (
            {"covariance": C, "quat": plain.WXYZ, "position": [0, 0, 0]},
            'of="orientation" or of="position"',
        ),
    ],
)
def test_what_is_missing_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConventionError, match=message):
        convert(**arguments, from_="px4", to="colmap")


def test_what_is_no_covariance_is_refused() -> None:
    skew = np.tile(np.eye(3), (4, 1, 1))
    skew[2, 0, 1] = 0.5
    with pytest.raises(
        ValueError, match=r"covariance= in row 2 is not symmetric: \[0, 1\] is 0.5 and \[1, 0\] is 0"
    ):
        convert(covariance=skew, of="position", from_="px4", to="ros")
    negative = np.tile(np.eye(6), (2, 1, 1))
    negative[1, 4, 4] = -1
    with pytest.raises(ValueError, match=r"covariance= in row 1 has the variance -1 at \[4, 4\]"):
        convert(covariance=negative, from_="px4", to="ros")
    nearly = np.eye(3)
    nearly[0, 1] = 1e-9
    assert convert(covariance=nearly, of="rate", from_="px4", to="ros").covariance.shape == (3, 3)


def test_batches_of_different_length_are_refused() -> None:
    q = np.tile(plain.WXYZ, (3, 1))
    with pytest.raises(ValueError, match=r"quat= \(3, 4\), position= \(2, 3\)"):
        convert(quat=q, position=np.zeros((2, 3)), from_="px4", to="ros")
    with pytest.raises(ValueError, match=r"rate= \(3, 3\), covariance= \(2, 3, 3\)"):
        convert(rate=np.zeros((3, 3)), covariance=np.tile(np.eye(3), (2, 1, 1)), from_="px4", to="ros")
    for one in (np.zeros(3), np.zeros((1, 3))):
        assert convert(quat=q, position=one, from_="px4", to="ros").quat.shape == (3, 4)
