"""Deviations from plain Python numbers: the product of the arrays, bit for bit, and what is refused."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

from boresight import kernels
from boresight.kernels import single

RNG = np.random.default_rng(1)
CENTERS = kernels.from_quaternion(RNG.normal(size=(200, 4)), order="xyzw")
ROWS = kernels.from_quaternion(RNG.normal(size=(200, 4)), order="xyzw")
PLACES, MOVES = RNG.uniform(-1, 1, (2, 200, 3))
OPEN = (-9.0, -9.0, -9.0, 9.0, 9.0, 9.0)
NAN = float("nan")
deviate_rotation: Any = single.deviate_rotation
deviate_pose: Any = single.deviate_pose


def test_a_product_is_that_of_arrays_bit_for_bit() -> None:
    products = kernels.multiply(CENTERS, ROWS)
    for center, row, product in zip(CENTERS.tolist(), ROWS.tolist(), products.tolist(), strict=True):
        assert list(deviate_rotation(*center, row)) == product
        assert list(deviate_rotation(*center, tuple(row))) == product


def test_a_pose_moves_and_turns_by_itself() -> None:
    products = kernels.multiply(CENTERS, ROWS)
    for i in range(len(ROWS)):
        row = (*MOVES[i].tolist(), *ROWS[i].tolist())
        found = deviate_pose(*PLACES[i].tolist(), *CENTERS[i].tolist(), row, OPEN)
        assert found == (*(PLACES[i] + MOVES[i]).tolist(), *products[i].tolist())


@pytest.mark.parametrize("axis", range(3))
def test_a_pose_outside_the_box_is_none(axis: int) -> None:
    center, turn = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (0.0, 0.0, 0.0, 1.0)
    box = (-1.0, -2.0, -3.0, 1.0, 2.0, 3.0)
    for side in (axis, axis + 3):
        edge = box[side]
        beyond = np.nextafter(edge, edge * 2).item()
        for value, inside in ((edge, True), (beyond, False), (NAN, False)):
            move = [0.0, 0.0, 0.0]
            move[axis] = value
            assert (deviate_pose(*center, (*move, *turn), box) is not None) is inside


def test_nan_stays_nan() -> None:
    assert np.isnan(deviate_rotation(NAN, 0.0, 0.0, 1.0, (0.0, 0.0, 0.0, 1.0))).all()
    found = deviate_pose(0.0, 0.0, 0.0, NAN, 0.0, 0.0, 1.0, (0.0,) * 6 + (1.0,), OPEN)
    assert found is not None and found[:3] == (0.0, 0.0, 0.0) and np.isnan(found[3:]).all()


class Changing:
    """Empties the list that it is in when it is made a number."""

    def __init__(self, row: list[Any]) -> None:
        self.row = row

    def __float__(self) -> float:
        self.row.clear()
        return 1.0


def test_other_arguments_are_named() -> None:
    good = [0.0, 0.0, 0.0, 1.0]
    changing: list[Any] = [0.0, 0.0, 0.0]
    changing.append(Changing(changing))
    for row in ([0.0] * 3, [0.0] * 5, None, np.zeros(4), "1234", [0, 0, 0, 1], changing):
        with pytest.raises(TypeError, match="row must be a list or tuple of 4 floats"):
            deviate_rotation(0.0, 0.0, 0.0, 1.0, row)
    with pytest.raises(TypeError, match="must be real number"):
        deviate_rotation(0.0, "0", 0.0, 1.0, good)
    with pytest.raises(TypeError, match="takes 5 arguments, not 4"):
        deviate_rotation(0.0, 0.0, 0.0, 1.0)
    with pytest.raises(TypeError, match="takes 9 arguments, not 8"):
        deviate_pose(*[0.0] * 6, 1.0, [0.0] * 7)
    with pytest.raises(TypeError, match="row must be a list or tuple of 7 floats"):
        deviate_pose(*[0.0] * 6, 1.0, good, OPEN)
    with pytest.raises(TypeError, match="box must be a list or tuple of 6 floats"):
        deviate_pose(*[0.0] * 6, 1.0, [0.0] * 7, (0.0,) * 5)
    # Numbers that are no floats are taken where nothing can change under them.
    assert deviate_rotation(0, np.float32(0), 0, 1, good) == (0.0, 0.0, 0.0, 1.0)


def test_nothing_is_kept() -> None:
    row, box = [0.5] * 7, OPEN
    before = sys.getrefcount(row), sys.getrefcount(box)
    for _ in range(100):
        deviate_pose(*[0.0] * 6, 1.0, row, box)
        with pytest.raises(TypeError):
            deviate_pose(*[0.0] * 6, "1", row, box)
    gc.collect()
    assert (sys.getrefcount(row), sys.getrefcount(box)) == before
