"""Rotations of things that look the same after some turns: chiral point groups, and what is left of all rotations."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import permutations, product
from math import pi, sqrt
from typing import Any, overload

import numpy as np

from .. import kernels
from ..frames import Source, Target, Unframed
from ..rotation import Rotation
from . import draws
from .distributions.law import checked_frames, quaternions
from .distributions.region import EDGE, Region
from .distributions.wrapped import NoiseSide
from .streams import Doubles, Rng, Size

__all__ = ["Quotient", "point_group"]

_AT_ONCE = 1 << 17  # real parts

_EVEN = [
    p for p in permutations(range(4)) if sum(p[i] > p[j] for i in range(4) for j in range(i + 1, 4)) % 2 == 0
]


def point_group(name: str) -> Doubles:
    """The rotations of a chiral point group, in Schoenflies' notation.

    Parameters
    ----------
    name : str
        ``"C4"`` (turns about z, any order from 1), ``"D3"`` (those, and half turns about axes across, one of them x),
        ``"T"``, ``"O"`` or ``"I"`` (of tetrahedron, cube and icosahedron, with half turns about x, y and z).

    Returns
    -------
    ndarray, shape (g, 4)
        Unit quaternions (x, y, z, w) with w >= 0, the identity first.

    Raises
    ------
    ValueError
        For a name of no such group.

    Examples
    --------
    >>> len(point_group("C4")), len(point_group("D3")), len(point_group("O"))
    (4, 6, 24)
    """
    return _known_group(name).copy()


def _known_group(name: str) -> Doubles:
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f'group= is the name of a group, like "C4", not {name!r}')
    return _point_group(name)


@lru_cache(maxsize=64)
def _point_group(name: str) -> Doubles:
    match = re.fullmatch(r"([CD])([1-9]\d{0,3})|([TOI])", name)
    if match is None:
        raise ValueError(f'group= is "C" or "D" with an order, like "C4", or "T", "O" or "I"; not {name!r}')
    rows: list[tuple[float, ...]] = []
    if match[3] is None:
        half = pi / int(match[2]) * np.arange(int(match[2]))
        nought = np.zeros_like(half)
        rows += zip(nought, nought, np.sin(half), np.cos(half), strict=True)
        if match[1] == "D":
            rows += zip(np.cos(half), np.sin(half), nought, nought, strict=True)
    else:
        rows += [(0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)]
        rows += product((-0.5, 0.5), repeat=4)
        if match[3] == "O":
            rows += _signed(set(permutations((sqrt(0.5), sqrt(0.5), 0.0, 0.0))))
        if match[3] == "I":
            golden = (1 + sqrt(5)) / 2
            numbers = (golden / 2, 0.5, 1 / (2 * golden), 0.0)
            rows += _signed({tuple(numbers[i] for i in p) for p in _EVEN})
    q: Any = kernels.to_quaternion(np.array(rows) + 0.0, order="xyzw", canonical=True)
    # Of q and -q one is left.
    first: Any = np.unique(q.round(9), axis=0, return_index=True)[1]
    rest: Doubles = q[np.sort(first)] + 0.0
    return rest


def _signed(rows: set[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """All rows with all signs of their numbers."""
    return sorted(
        {
            tuple(s * n for s, n in zip(signs, row, strict=True))
            for row in rows
            for signs in product((-1, 1), repeat=4)
        }
    )


class Quotient(Region[Source, Target]):
    """Rotations of a thing with symmetry: uniform, each by the least turn of all that look the same.

    Of R and its like, R g for all g of the group, that of the largest ‖w‖ is taken: what is left of all rotations is one
    of the group's fundamental zones, the one about the identity.

    Parameters
    ----------
    group : str
        As `point_group` has it: ``"C4"``, ``"D3"``, ``"T"``, ``"O"``, ``"I"``.
    source, target : type of Frame, optional
        Both or neither.

    Raises
    ------
    ValueError
        For a name of no group.

    Examples
    --------
    >>> import numpy as np
    >>> R = Quotient("O").sample(100_000, rng=1)
    >>> bool(R.angle().max() < np.radians(62.80)), round(float(np.degrees(R.angle().mean())))
    (True, 41)
    """

    __slots__ = ("_elements", "_group", "_others")

    @overload
    def __init__(self: Quotient[Unframed, Unframed], group: str) -> None: ...
    @overload
    def __init__(self, group: str, *, source: type[Source], target: type[Target]) -> None: ...
    def __init__(self, group: str, *, source: Any = None, target: Any = None) -> None:
        super().__init__(*checked_frames(source, target))
        self._group = group
        self._elements = _known_group(group)
        # The real part of q g is the product of q with this.
        self._others = (self._elements * [-1.0, -1.0, -1.0, 1.0]).T.copy()

    @property
    def group(self) -> str:
        """The name of the group."""
        return self._group

    @property
    def mass(self) -> float:
        """What share of all rotations the zone is: 1 over the number of the group's rotations."""
        return 1 / len(self._elements)

    @property
    def mean(self) -> Rotation[Source, Target]:
        """The identity.

        Raises
        ------
        ValueError
            For ``"C1"``, which is no symmetry.
        """
        if len(self._elements) == 1:
            raise ValueError(
                f"{self!r} has no mean: with no symmetry but the identity, the law is uniform over all"
            )
        return super().mean

    def reduce(self, rotation: Rotation[Source, Target], *, side: NoiseSide) -> Rotation[Source, Target]:
        """Of all rotations that look the same, those of the least turn.

        Parameters
        ----------
        rotation : Rotation, shape (...)
        side : {"body", "world"}
            Whether it is the turned thing that has the symmetry, R g, or what it stands in, g R.

        Returns
        -------
        Rotation, shape (...)
        """
        if side not in ("body", "world"):
            raise ValueError(f'side= is "body" or "world", not {side!r}')
        return self._rotation(self._least(quaternions(rotation, self._source, self._target), side))

    def _least(self, q: Doubles, side: NoiseSide) -> Doubles:
        chosen = self._elements[self._of_all(q, lambda real: real.argmax(axis=-1), np.intp)]
        least: Any = kernels.multiply(q, chosen) if side == "body" else kernels.multiply(chosen, q)
        turned: Any = kernels.to_quaternion(least, order="xyzw", canonical=True)
        return turned

    def _of_all(self, q: Doubles, what: Callable[[Doubles], Any], dtype: Any) -> Any:
        """Something of the sizes of the real parts of all q g, so many rows at a time that memory does not matter."""
        rows = q.reshape(-1, 4)
        result: Any = np.empty(len(rows), dtype)
        step = max(1, _AT_ONCE // len(self._elements))
        for start in range(0, len(rows), step):
            result[start : start + step] = what(np.abs(rows[start : start + step] @ self._others))
        return result.reshape(q.shape[:-1])

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return self._least(draws.haar(rng, size), "body")

    def _holds(self, q: Doubles) -> Any:
        return np.abs(q[..., 3]) >= self._of_all(q, lambda real: real.max(axis=-1), np.float64) - EDGE
