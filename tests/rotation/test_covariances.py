"""Derivatives and covariances on the classes, against what small changes really do.

A change d that is sure has the covariance d dᵀ. So each method is given that, the value itself is moved by d and sent
the same way, and what comes out is compared with the d that arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation, frames
from boresight.errors import FrameError

FLU, FRD, FRU, ENU, NED, ESU, RDF = (
    frames.FLU, frames.FRD, frames.FRU, frames.ENU, frames.NED, frames.ESU, frames.RDF
)  # fmt: skip
RNG = np.random.default_rng(11)
R = Rotation.from_rotvec(RNG.normal(size=3), source=FRD, target=NED)
S = Rotation.from_rotvec(RNG.normal(size=3), source=RDF, target=FRD)
P = Pose(R, RNG.normal(size=3))
Q = Pose(S, RNG.normal(size=3))
SIZE = 1e-6
CHANGES = {Rotation: SIZE * RNG.normal(size=(2, 3)), Pose: SIZE * RNG.normal(size=(2, 6))}


def moved(value: Any, d: np.ndarray, side: str) -> Any:
    """`value` with a change on one side of it; twists are translation first."""
    kind = type(value)
    make = Rotation.from_rotvec if kind is Rotation else Pose.exp
    frame = value.target if side == "left" else value.source
    change = make(d, source=frame, target=frame)
    return change @ value if side == "left" else value @ change


def change_between(after: Any, before: Any, side: str) -> np.ndarray:
    gap = after @ before.inv() if side == "left" else before.inv() @ after
    return gap.as_rotvec() if isinstance(gap, Rotation) else gap.log()


def swapped(values: np.ndarray, order: str) -> np.ndarray:
    """A tangent vector, or what is made of tangent vectors, in the order that is asked for."""
    if values.shape[-1] == 6 and order == "rot_trans":
        values = np.roll(values, 3, axis=-1)
    return values


def close(covariance: np.ndarray, change: np.ndarray) -> bool:
    return bool(np.allclose(covariance, np.outer(change, change), rtol=0, atol=4e-5 * SIZE**2))


CASES = [
    pytest.param(value, side, order, id=f"{type(value).__name__}-{side}-{order}")
    for value, orders in ((R, [""]), (P, ["trans_rot", "rot_trans"]))
    for side in ("left", "right")
    for order in orders
]
every_way = pytest.mark.parametrize(("value", "side", "order"), CASES)


def words(side: str, order: str) -> dict[str, Any]:
    return {"side": side, **({"order": order} if order else {})}


@every_way
def test_a_covariance_goes_where_its_changes_go(value: Any, side: str, order: str) -> None:
    d = CHANGES[type(value)][0]
    given = np.outer(swapped(d, order), swapped(d, order))
    near = moved(value, d, side)
    ways: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "inverse": (lambda x: x.inv(), value.inverse_covariance(given, **words(side, order))),
    }
    for source, target in ((FLU, ENU), (FRU, ESU), (FRD, NED)):
        ways[f"{source.__name__} {target.__name__}"] = (
            lambda x, s=source, t=target: x.reframe(source=s, target=t),
            value.reframe_covariance(given, source=source, target=target, **words(side, order)),
        )
    for name, (way, found) in ways.items():
        change = change_between(way(near), way(value), side)
        assert close(found, swapped(change, order)), name
    other_side = {"left": "right", "right": "left"}[side]
    found = value.change_covariance_side(
        given, from_=side, to=other_side, **({"order": order} if order else {})
    )
    assert close(found, swapped(change_between(near, value, other_side), order))


@every_way
def test_of_two_uncertain_ones_each_adds_its_part(value: Any, side: str, order: str) -> None:
    other = S if value is R else Q
    d, e = CHANGES[type(value)]
    first, second = (np.outer(swapped(x, order), swapped(x, order)) for x in (d, e))
    none = np.zeros_like(first)
    one = change_between(moved(value, d, side) @ other, value @ other, side)
    two = change_between(value @ moved(other, e, side), value @ other, side)
    assert close(value.compose_covariance(first, other, none, **words(side, order)), swapped(one, order))
    assert close(value.compose_covariance(none, other, second, **words(side, order)), swapped(two, order))
    assert np.array_equal(
        value.compose_covariance(first, other, second, **words(side, order)),
        value.compose_covariance(first, other, none, **words(side, order))
        + value.compose_covariance(none, other, second, **words(side, order)),
    )


@every_way
def test_jacobians_of_the_operations(value: Any, side: str, order: str) -> None:
    other = S if value is R else Q
    d, e = CHANGES[type(value)]
    point = np.array([0.3, -2.0, 1.1])
    by_self, by_other = value.compose_jacobians(other, **words(side, order))
    one = change_between(moved(value, d, side) @ other, value @ other, side)
    two = change_between(value @ moved(other, e, side), value @ other, side)
    tolerance = 3e-5 * SIZE
    assert np.allclose(by_self @ swapped(d, order), swapped(one, order), rtol=0, atol=tolerance)
    assert np.allclose(by_other @ swapped(e, order), swapped(two, order), rtol=0, atol=tolerance)
    back = change_between(moved(value, d, side).inv(), value.inv(), side)
    found = value.inverse_jacobian(**words(side, order)) @ swapped(d, order)
    assert np.allclose(found, swapped(back, order), rtol=0, atol=tolerance)
    by_self, by_point = value.apply_jacobians(point, **words(side, order))
    gone = moved(value, d, side).apply(point) - value.apply(point)
    assert np.allclose(by_self @ swapped(d, order), gone, rtol=0, atol=tolerance)
    assert np.array_equal(by_point, P.rotation.as_matrix())


def test_frames_are_checked_and_no_side_is_taken_for_granted() -> None:
    with pytest.raises(FrameError, match="cannot compose"):
        R.compose_covariance(np.eye(3), R, np.eye(3), side="left")  # pyright: ignore[reportArgumentType]
    with pytest.raises(FrameError, match="cannot compose"):
        P.compose_jacobians(P, side="left", order="trans_rot")  # pyright: ignore[reportArgumentType]
    with pytest.raises(FrameError, match="handed"):
        R.reframe_covariance(np.eye(3), source=FRU, target=NED, side="left")
    with pytest.raises(FrameError, match="belongs to"):
        P.reframe_covariance(np.eye(6), source=ENU, target=NED, side="left", order="trans_rot")
    with pytest.raises(TypeError):
        P.compose_jacobians(S, side="left", order="trans_rot")  # pyright: ignore[reportArgumentType]
    for call in (
        lambda: R.inverse_covariance(np.eye(3)),  # pyright: ignore[reportCallIssue]
        lambda: P.inverse_covariance(np.eye(6), side="left"),  # pyright: ignore[reportCallIssue]
        R.inverse_jacobian,  # pyright: ignore[reportCallIssue]
        lambda: P.apply_jacobians([0, 0, 0], side="left"),  # pyright: ignore[reportCallIssue]
    ):
        with pytest.raises(TypeError, match="missing"):
            call()
