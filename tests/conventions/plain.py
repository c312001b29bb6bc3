"""Rotations in plain NumPy, from the definitions: what the tests compare with, so that nothing of ours judges itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# One quaternion with four different components, so that no exchange of two of them goes unseen; w, x, y, z.
WXYZ = np.array([0.5, 0.1, -0.7, 0.5])
XYZW = np.roll(WXYZ, -1)

_DIRECTIONS = {
    "F": (1, 0, 0), "B": (-1, 0, 0), "L": (0, 1, 0), "R": (0, -1, 0), "U": (0, 0, 1), "D": (0, 0, -1),
    "E": (1, 0, 0), "W": (-1, 0, 0), "N": (0, 1, 0), "S": (0, -1, 0),
}  # fmt: skip


def basis(letters: str) -> Array:
    """Return the matrix that takes FLU (or ENU) coordinates to these axes."""
    return np.array([_DIRECTIONS[letter] for letter in letters], dtype=np.float64)


def hamilton(wxyz: ArrayLike) -> Array:
    """Return the Hamilton matrix of a unit quaternion."""
    w, x, y, z = np.asarray(wxyz, dtype=np.float64)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def elementary(letter: str, angle: float) -> Array:
    """Return the matrix of a turn about one axis, radians."""
    wxyz = np.zeros(4)
    wxyz[0] = np.cos(angle / 2)
    wxyz[1 + "XYZ".index(letter.upper())] = np.sin(angle / 2)
    return hamilton(wxyz)


def euler(sequence: str, angles: ArrayLike) -> Array:
    """Return the matrix of Euler angles, radians: upper case intrinsic, lower case extrinsic."""
    turns = [elementary(letter, float(a)) for letter, a in zip(sequence, np.asarray(angles), strict=True)]
    first, second, third = turns if sequence.isupper() else turns[::-1]
    return first @ second @ third


def random_rotations(seed: int, count: int) -> Array:
    """Return Hamilton matrices of random orientations, shape (count, 3, 3)."""
    q = np.random.default_rng(seed).normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return np.stack([hamilton(row) for row in q])
