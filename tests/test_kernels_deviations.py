"""Deviations one by one: the product of the arrays, bit for bit, on states known by their attributes."""

from __future__ import annotations

import gc
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boresight import kernels
from boresight.kernels.deviations import deviations

RNG = np.random.default_rng(1)
CENTERS = kernels.from_quaternion(RNG.normal(size=(200, 4)), order="xyzw")
ROWS = kernels.from_quaternion(RNG.normal(size=(200, 4)), order="xyzw")
PLACES, MOVES = RNG.uniform(-1, 1, (2, 200, 3))
NAN = float("nan")
STILL = (0.0, 0.0, 0.0, 1.0)


def rotation(numbers: Any = STILL) -> Any:
    return SimpleNamespace(**dict(zip("xyzw", map(float, numbers), strict=True)))


def numbers_of(state: Any) -> list[float]:
    return [state.x, state.y, state.z, state.w]


class PoseState:
    def __init__(self, place: Any = (0, 0, 0), turn: Any = STILL) -> None:
        self.place, self.turn = [float(x) for x in place], rotation(turn)

    def getX(self) -> float:  # noqa: N802
        return self.place[0]

    def getY(self) -> float:  # noqa: N802
        return self.place[1]

    def getZ(self) -> float:  # noqa: N802
        return self.place[2]

    def setXYZ(self, x: float, y: float, z: float) -> None:  # noqa: N802
        self.place = [x, y, z]

    def rotation(self) -> Any:
        return self.turn


def test_a_product_is_that_of_arrays_bit_for_bit() -> None:
    rows, state = deviations(ROWS), rotation()
    for center, product in zip(CENTERS, kernels.multiply(CENTERS, ROWS), strict=True):
        assert rows.turn(state, rotation(center))
        assert numbers_of(state) == product.tolist()
    before = numbers_of(state)
    assert not rows.turn(state, rotation()) and numbers_of(state) == before


def test_a_pose_moves_and_turns_by_itself() -> None:
    rows, state = deviations(np.hstack([MOVES, ROWS])), PoseState()
    for i, product in enumerate(kernels.multiply(CENTERS, ROWS).tolist()):
        assert rows.move(state, PoseState(PLACES[i], CENTERS[i]), 1) < 0
        assert state.place == (PLACES[i] + MOVES[i]).tolist() and numbers_of(state.turn) == product
    assert rows.move(state, PoseState(), 3) == 3


def test_a_state_may_be_its_own_centre() -> None:
    turned, moved = rotation(CENTERS[0]), PoseState(PLACES[0], CENTERS[0])
    assert deviations(ROWS[:1]).turn(turned, turned)
    assert deviations(np.hstack([MOVES, ROWS])[:1]).move(moved, moved, 1) < 0
    product = kernels.multiply(CENTERS[0], ROWS[0]).tolist()
    assert numbers_of(turned) == numbers_of(moved.turn) == product
    assert moved.place == (PLACES[0] + MOVES[0]).tolist()


@pytest.mark.parametrize("axis", range(3))
def test_rows_outside_the_box_are_passed_over(axis: int) -> None:
    low, high = np.array([-1.0, -2.0, -3.0]), np.array([1.0, 2.0, 3.0])
    for edge in (low[axis], high[axis]):
        for value, inside in ((edge, True), (np.nextafter(edge, edge * 2), False), (NAN, False)):
            table = np.tile([0.0] * 3 + list(STILL), (2, 1))
            table[0, axis] = value
            rows, state = deviations(table, low, high), PoseState([9, 9, 9])
            assert rows.move(state, PoseState(), 5) < 0
            assert bool(state.place[axis] == value) is inside
            # A row passed over is gone.
            assert (rows.move(state, PoseState(), 5) < 0) is inside


def test_tries_are_counted() -> None:
    table = np.tile([5.0, 0.0, 0.0, *STILL], (10, 1))
    table[7, 0] = 0.5
    state = PoseState([9, 9, 9])
    rows = deviations(table, -1.0, 1.0)
    assert rows.move(state, PoseState(), 4) == 0  # four looked at
    assert rows.move(state, PoseState(), 0) == rows.move(state, PoseState(), -1) == 0
    assert state.place == [9, 9, 9]
    assert rows.move(state, PoseState(), 4) < 0  # the eighth
    assert state.place == [0.5, 0, 0]
    assert rows.move(state, PoseState(), 100) == 98  # there were two more


def test_places_to_go_to_are_passed_over_where_they_are_too_far() -> None:
    center = PoseState([1, 2, 3], CENTERS[0])
    table = np.tile([1.0, 2.0, 3.0, *ROWS[0], 0.5], (7, 1))
    for row, move in zip(table[1:], [0.5, -0.5, 0.5 + 1e-15, -0.75, NAN, 0.3], strict=True):
        row[1] += move
    table[-1, 7] = NAN
    rows, state = deviations(table), PoseState()
    for y in (2.0, 2.5, 1.5):
        assert rows.move(state, center, 1) < 0
        assert state.place == [1, y, 3]
        assert numbers_of(state.turn) == kernels.multiply(CENTERS[0], ROWS[0]).tolist()
    assert rows.move(state, center, 9) == 5
    assert deviations(table).move(state, PoseState([NAN, 2, 3]), 9) == 2


def test_nan_stays_nan() -> None:
    state, pose = rotation(), PoseState()
    assert deviations(ROWS).turn(state, rotation([NAN, 0, 0, 1]))
    assert np.isnan(numbers_of(state)).all()
    table = np.hstack([MOVES, ROWS])
    assert deviations(table).move(pose, PoseState([0, 0, 0], [NAN, 0, 0, 1]), 1) < 0
    assert np.isfinite(pose.place).all() and np.isnan(numbers_of(pose.turn)).all()
    assert deviations(table, -9, 9).move(pose, PoseState([NAN, 0, 0]), 200) == 0


def test_other_states_and_rows_are_named() -> None:
    for shape in ((4,), (3, 5), (2, 2, 4)):
        with pytest.raises(ValueError, match=r"rows= must have shape \(n, 4\), \(n, 7\) or \(n, 8\)"):
            deviations(np.zeros(shape))
    turns, moves = deviations(ROWS), deviations(np.hstack([MOVES, ROWS]))
    with pytest.raises(ValueError, match="of another kind of state"):
        turns.move(PoseState(), PoseState(), 1)
    with pytest.raises(ValueError, match="of another kind of state"):
        moves.turn(rotation(), rotation())
    with pytest.raises(AttributeError, match="'object' object has no attribute 'x'"):
        turns.turn(rotation(), object())
    with pytest.raises(AttributeError, match="getX"):
        moves.move(PoseState(), rotation(), 1)
    with pytest.raises(TypeError, match="must be real number"):
        turns.turn(rotation(), SimpleNamespace(x="a", y=0, z=0, w=1))
    with pytest.raises(AttributeError):
        turns.turn(object(), rotation())


def test_an_error_of_a_state_comes_out() -> None:
    class Broken(PoseState):
        def rotation(self) -> Any:
            raise KeyError("no rotation here")

    rows = deviations(np.hstack([MOVES, ROWS]))
    for state, center in ((PoseState(), Broken()), (Broken(), PoseState())):
        with pytest.raises(KeyError, match="no rotation here"):
            rows.move(state, center, 1)


def test_the_rows_are_kept_and_given_back() -> None:
    table = np.hstack([MOVES, ROWS])
    state, center = PoseState(), PoseState()

    def counts() -> tuple[int, int, int]:
        return sys.getrefcount(table), sys.getrefcount(state), sys.getrefcount(center)

    before = counts()
    rows = deviations(table)
    assert counts()[0] > before[0]
    for _ in range(50):
        assert rows.move(state, center, 1) < 0
        with pytest.raises(AttributeError):
            rows.move(object(), center, 1)
    del rows
    gc.collect()
    assert counts() == before
