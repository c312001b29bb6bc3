"""What the order and the direction of a quaternion do to everything else: exact algebra, no data.

Write A for the stored numbers read as (w, x, y, z), body to world, M for the constant matrix that takes vectors from
the axes of the inertial sensors to the record's body axes, u for the direction of up in the record's world, and N for
the constant matrix from the record's world to the world of velocities and positions.

Read as (x, y, z, w), the same four numbers are ``B = RA · Aᵀ · RB``: a mistake of order is a mistake of direction with
the axes relabelled. Hence every log has two readings, twins, that no measurement can tell apart:

========================  ==============================================
(wxyz, body to world)     (xyzw, world to body) with RA·M, RBᵀ·u, N·RB
(wxyz, world to body)     (xyzw, body to world) with RBᵀ·M, RA·u, N·RAᵀ
========================  ==============================================

What the rates of a log decide is therefore the *sense*: which of these two rows it is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "RA",
    "RB",
    "SIGNED_PERMUTATIONS",
    "Direction",
    "Order",
    "Sense",
    "axes_name",
    "letters_of",
    "nearest_axes",
    "parse_axes",
    "sense_of",
    "turns_of",
    "twin_turns",
    "up_axis",
]

Floats = NDArray[np.float64]
Order = Literal["xyzw", "wxyz"]
Direction = Literal["body_to_world", "world_to_body"]
Sense = Literal["same", "inverse"]
_OPPOSITE = dict(zip("FBLRUDENWS", "BFRLDUWSEN", strict=True))

RA: Floats = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""A quarter turn about y, Ry(+90°)."""

RB: Floats = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]) @ np.diag([1.0, -1.0, -1.0])
"""Ry(-90°) · Rx(180°)."""


def _signed_permutations() -> Iterator[Floats]:
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            yield matrix


SIGNED_PERMUTATIONS: Floats = np.array(list(_signed_permutations()))
"""All 48 relabellings of three axes, 24 proper and 24 that mirror, shape (48, 3, 3)."""


@dataclass(frozen=True, slots=True)
class Turns:
    """How one order and direction are got from the reading of their sense that was worked with.

    ``M`` becomes ``body @ M``, ``u`` becomes ``world @ u``, and ``N`` becomes ``N @ world.T``.
    """

    order: Order
    direction: Direction
    body: Floats
    world: Floats


def sense_of(order: Order, direction: Direction) -> Sense:
    """Return which of the two senses a reading has.

    Examples
    --------
    >>> sense_of("xyzw", "world_to_body")
    'same'
    """
    return "same" if (order == "wxyz") == (direction == "body_to_world") else "inverse"


@lru_cache(maxsize=2)
def twin_turns(sense: Sense) -> tuple[Turns, Turns]:
    """Return the two readings of a sense, the one with w first, which needs no relabelling, before the other.

    Examples
    --------
    >>> [(turns.order, turns.direction) for turns in twin_turns("same")]
    [('wxyz', 'body_to_world'), ('xyzw', 'world_to_body')]
    """
    if sense == "same":
        return (
            Turns("wxyz", "body_to_world", np.eye(3), np.eye(3)),
            Turns("xyzw", "world_to_body", RA, RB.T),
        )
    return (
        Turns("wxyz", "world_to_body", np.eye(3), np.eye(3)),
        Turns("xyzw", "body_to_world", RB.T, RA),
    )


def turns_of(order: Order, direction: Direction) -> Turns:
    """Return how a reading is got from the reading of its sense that has w first."""
    first, second = twin_turns(sense_of(order, direction))
    return first if first.order == order else second


def nearest_axes(matrix: NDArray[np.floating]) -> tuple[Floats, float]:
    """Return the signed permutation nearest to an orthogonal matrix, of its own handedness, and the angle to it.

    Returns
    -------
    axes : ndarray, shape (3, 3)
        Entries 0, 1 and -1.
    angle : float
        Degrees of the turn that is left.

    Examples
    --------
    >>> axes, angle = nearest_axes(np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> axes_name(axes), angle
    ('+y-x+z', 0.0)
    """
    traces = np.einsum("kij,ij->k", SIGNED_PERMUTATIONS, matrix)
    right = np.linalg.det(SIGNED_PERMUTATIONS) * np.linalg.det(matrix) > 0
    best = int(np.argmax(np.where(right, traces, -np.inf)))
    rest = (
        SIGNED_PERMUTATIONS[best].T
        @ matrix
        * np.sign(np.linalg.det(matrix) * np.linalg.det(SIGNED_PERMUTATIONS[best]))
    )
    sine = np.linalg.norm([rest[2, 1] - rest[1, 2], rest[0, 2] - rest[2, 0], rest[1, 0] - rest[0, 1]]) / 2
    return SIGNED_PERMUTATIONS[best].copy(), float(np.degrees(np.arctan2(sine, (np.trace(rest) - 1) / 2)))


def axes_name(axes: NDArray[np.floating]) -> str:
    """Write a signed permutation as the three axes that its rows take: ``"+y-x+z"`` for (y, -x, z).

    Examples
    --------
    >>> axes_name(np.diag([1.0, -1.0, -1.0]))
    '+x-y-z'
    """
    name = ""
    for row in axes:
        column = int(np.argmax(np.abs(row)))
        name += ("-" if row[column] < 0 else "+") + "xyz"[column]
    return name


def parse_axes(name: str) -> Floats:
    """Read what `axes_name` writes.

    Examples
    --------
    >>> axes_name(parse_axes("-z+x-y"))
    '-z+x-y'
    """
    matrix = np.zeros((3, 3))
    for row, (sign, letter) in enumerate(zip(name[::2], name[1::2], strict=True)):
        matrix[row, "xyz".index(letter)] = -1.0 if sign == "-" else 1.0
    return matrix


def letters_of(axes: NDArray[np.floating], known: str) -> str:
    """Name axes each of which is, by a signed permutation's row, one of known ones or its opposite.

    Examples
    --------
    >>> letters_of(np.diag([1.0, -1.0, -1.0]), "FRD")
    'FLU'
    """
    name = ""
    for row in axes:
        letter = known[int(np.argmax(np.abs(row)))]
        name += letter if row.sum() > 0 else _OPPOSITE[letter]
    return name


def up_axis(letters: str) -> str | None:
    """Name the axis of a set of axes that points up.

    Examples
    --------
    >>> up_axis("NED"), up_axis("FLU")
    ('-z', '+z')
    """
    for axis, letter in zip("xyz", letters, strict=False):
        if letter in "UD":
            return ("+" if letter == "U" else "-") + axis
    return None
