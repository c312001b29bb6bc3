"""Axes, and the exact changes between them."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from typing import get_args

import numpy as np
import pytest

from boresight.axes import Axes, AxesName, SignedPermutation, permutation, quaternion_change
from boresight.errors import FrameError

NAMES = get_args(AxesName)
LETTERED = [Axes(name) for name in NAMES if len(name) == 3]
LOCAL = [axes for axes in LETTERED if axes.kind == "local"]
COMPASS = [axes for axes in LETTERED if axes.kind == "compass"]

# Directions by the words, in a right-handed room: forward or east along x, left or north along y, up along z.
DIRECTIONS = {
    "F": (1, 0, 0), "B": (-1, 0, 0), "L": (0, 1, 0), "R": (0, -1, 0), "U": (0, 0, 1), "D": (0, 0, -1),
    "E": (1, 0, 0), "W": (-1, 0, 0), "N": (0, 1, 0), "S": (0, -1, 0),
}  # fmt: skip


def room(axes: Axes) -> np.ndarray:
    """The axes as the rows of a matrix, in the room's coordinates."""
    return np.array([DIRECTIONS[letter] for letter in axes.letters])


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_there_are_48_of_each_kind_with_letters() -> None:
    assert (len(LOCAL), len(COMPASS), len(set(LETTERED))) == (48, 48, 96)


@pytest.mark.parametrize("axes", LETTERED, ids=str)
def test_handedness_follows_from_the_letters(axes: Axes) -> None:
    x, y, z = room(axes)
    assert axes.handedness == ("right" if np.cross(x, y) @ z > 0 else "left")


@pytest.mark.parametrize(
    ("name", "kind", "handedness", "letters"),
    [
        ("FRU", "local", "left", "FRU"),
        ("NED", "compass", "right", "NED"),
        ("earth", "earth", "right", "earth"),
        ("free-left", "free", "left", "free"),
        ("free-right", "free", "right", "free"),
    ],
)
def test_a_spelling_says_all(name: str, kind: str, handedness: str, letters: str) -> None:
    axes = Axes(name)
    assert (axes.kind, axes.handedness, axes.letters, str(axes)) == (kind, handedness, letters, name)


def test_free_axes_by_their_handedness() -> None:
    assert Axes.free("left") is Axes("free-left")
    with pytest.raises(ValueError, match='"left" or "right"'):
        Axes.free("both")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "FL", "FLUD", "FBU", "FFU", "flu", "ENF", "FNU", "XYZ", "free"])
def test_what_names_no_axes_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="names no axes; give three letters"):
        Axes(name)


@pytest.mark.parametrize("name", NAMES)
def test_one_spelling_is_one_object(name: str) -> None:
    axes = Axes(name)
    assert Axes(name) is axes
    assert pickle.loads(pickle.dumps(axes)) is axes
    assert copy.deepcopy(axes) is axes


def test_axes_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Axes("FLU").letters = "FRD"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Axes("FLU").other = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [LOCAL, COMPASS], ids=["local", "compass"])
def test_a_change_takes_a_vector_to_the_same_arrow(kind: list[Axes]) -> None:
    v = np.array([2, 3, 5])
    for from_, to in product(kind, kind):
        change = permutation(from_, to)
        w = np.array(change.signs) * v[list(change.indices)]
        assert (v @ room(from_) == w @ room(to)).all(), (from_, to)
        assert (change.matrix @ v == w).all()
        assert change.determinant == (1 if from_.handedness == to.handedness else -1)


def test_changes_of_axes_by_hand() -> None:
    assert permutation(Axes("ENU"), Axes("NED")) == SignedPermutation((1, 0, 2), (1, 1, -1))
    assert permutation(Axes("FLU"), Axes("FRD")) == SignedPermutation((0, 1, 2), (1, -1, -1))
    assert permutation(Axes("RDF"), Axes("FLU")) == SignedPermutation((2, 0, 1), (1, -1, -1))


@pytest.mark.parametrize(
    ("from_", "to", "why"),
    [
        ("FLU", "ENU", "one is local, the other compass"),
        ("earth", "ENU", "one is earth, the other compass"),
        ("free-left", "free-right", "handedness alone"),
        ("free-right", "FLU", "one is free, the other local"),
    ],
)
def test_what_letters_do_not_determine_is_refused(from_: str, to: str, why: str) -> None:
    with pytest.raises(FrameError, match=why):
        permutation(Axes(from_), Axes(to))


@pytest.mark.parametrize("name", ["earth", "free-left", "FLU"])
def test_no_change_is_the_identity(name: str) -> None:
    assert permutation(Axes(name), Axes(name)) == SignedPermutation((0, 1, 2), (1, 1, 1))


def test_the_changes_are_a_group() -> None:
    group = [permutation(LOCAL[0], axes) for axes in LOCAL]
    for a, b in product(group, group):
        assert ((a @ b).matrix == a.matrix @ b.matrix).all()
    for a in group:
        assert a.inverse() @ a == a @ a.inverse() == SignedPermutation((0, 1, 2), (1, 1, 1))
        assert ((-a).matrix == -a.matrix).all()


@pytest.mark.parametrize(
    ("indices", "signs"), [((0, 0, 1), (1, 1, 1)), ((0, 1, 2), (1, 0, 1)), ((0, 1, 2), (1, 2, 1))]
)
def test_what_is_no_signed_permutation_is_refused(
    indices: tuple[int, int, int], signs: tuple[int, int, int]
) -> None:
    with pytest.raises(ValueError, match="no signed permutation"):
        SignedPermutation(indices, signs)


def test_the_quaternion_of_every_change_is_exact() -> None:
    q = np.array([0.1, -0.2, 0.3, 0.9])
    q /= np.linalg.norm(q)
    matrix = rotation_matrix(q)
    changes = [permutation(LOCAL[0], axes) for axes in LOCAL]
    scales = set()
    for target, source in product(changes, changes):
        if target.determinant != source.determinant:
            continue
        coefficients, scale = quaternion_change(target, source)
        assert set(np.unique(coefficients)) <= {-1.0, 0.0, 1.0}
        scales.add(scale)
        wanted = target.matrix @ matrix @ source.matrix.T
        assert np.abs(rotation_matrix(scale * (coefficients @ q)) - wanted).max() < 1e-15
    assert scales == {1.0, 0.5**0.5, 0.5}


def test_the_sign_is_that_of_the_specification() -> None:
    flu_frd = permutation(Axes("FLU"), Axes("FRD"))
    x, y, z, w = q = np.array([0.1, -0.2, 0.3, 0.9])
    coefficients, scale = quaternion_change(permutation(Axes("ENU"), Axes("NED")), flu_frd)
    assert (coefficients @ q == [x + y, x - y, w - z, w + z]).all()
    assert scale == 0.5**0.5
    coefficients, scale = quaternion_change(permutation(Axes("NWU"), Axes("NED")), flu_frd)
    assert (scale * coefficients @ q == [x, -y, -z, w]).all()


def test_no_change_leaves_the_quaternion_alone_and_one_change_on_both_sides_keeps_w() -> None:
    for axes in LOCAL:
        change = permutation(LOCAL[0], axes)
        coefficients, scale = quaternion_change(change, change)
        assert scale == 1.0
        assert (coefficients[3] == [0, 0, 0, 1]).all()
        same, scale = quaternion_change(permutation(axes, axes), permutation(axes, axes))
        assert scale == 1.0
        assert (same == np.eye(4)).all()


def test_there_and_back_is_the_same_rotation() -> None:
    q = np.array([0.1, -0.2, 0.3, 0.9])
    changes = [permutation(LOCAL[0], axes) for axes in LOCAL]
    for target, source in product(changes, changes):
        if target.determinant == source.determinant:
            there, a = quaternion_change(target, source)
            back, b = quaternion_change(target.inverse(), source.inverse())
            again = a * b * (back @ there @ q)
            assert min(np.abs(again - q).max(), np.abs(again + q).max()) < 1e-15


def test_a_mirror_on_one_side_has_no_quaternion() -> None:
    with pytest.raises(FrameError, match="mirrors one side"):
        quaternion_change(permutation(Axes("FLU"), Axes("FRU")), permutation(Axes("FLU"), Axes("FLU")))


def test_what_is_kept_cannot_be_changed() -> None:
    coefficients, _ = quaternion_change(
        permutation(Axes("ENU"), Axes("NED")), permutation(Axes("FLU"), Axes("FRD"))
    )
    with pytest.raises(ValueError, match="read-only"):
        coefficients[0, 0] = 2
