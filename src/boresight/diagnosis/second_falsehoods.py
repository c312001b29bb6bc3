"""What may be false about Euler angles: the sequence, which column is which, a sign, the unit.

Where only two of three angles move, Euler angles misread in one such way can be exactly the inverse of what they are,
with the axes relabelled. An agreement that stands as well under one of these says nothing of the sense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight import kernels

__all__ = ["falsehoods"]

Floats = NDArray[np.float64]
Decode = Callable[[NDArray[Any]], Floats]


def falsehoods(decode: Decode) -> Iterator[tuple[str, Decode]]:
    """Return each way in which three angles may be misread, with what then decodes them.

    Parameters
    ----------
    decode : callable
        Makes unit quaternions (x, y, z, w) of angles, shape (n, 3), as they are said to be. What each angle turns
        about is learnt from it, so that it may be of any sequence, signs, unit and direction.
    """
    for places in permutations(range(3)):
        yield f"turns made in the order of columns {_columns(places)}", _turning(decode, places)
        if places != (0, 1, 2):
            yield f"columns {_columns(places)}", _taking(decode, list(places), np.ones(3))
    for column in range(3):
        signs = np.ones(3)
        signs[column] = -1.0
        yield f"column {column + 1} negated", _taking(decode, [0, 1, 2], signs)
    for unit, factor in (("degrees", np.pi / 180.0), ("radians", 180.0 / np.pi)):
        yield f"{unit}", _taking(decode, [0, 1, 2], np.full(3, factor))


def _columns(places: tuple[int, ...]) -> str:
    return ", ".join(str(place + 1) for place in places)


def _taking(decode: Decode, places: list[int], factors: Floats) -> Decode:
    return lambda numbers: decode(np.asarray(numbers, dtype=np.float64)[:, places] * factors)


def _turning(decode: Decode, places: tuple[int, ...]) -> Decode:
    def turned(numbers: NDArray[Any]) -> Floats:
        given = np.asarray(numbers, dtype=np.float64)
        out = np.tile([0.0, 0.0, 0.0, 1.0], (len(given), 1))
        for column in places:
            alone = np.zeros_like(given)
            alone[:, column] = given[:, column]
            out = np.asarray(kernels.multiply(out, decode(alone)), dtype=np.float64)
        return out

    return turned
