"""Rows drawn ahead in batches, and handed out one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import nan
from typing import Any, Protocol

import numpy as np

from boresight.rotation import Rotation
from boresight.rows import Floats
from boresight.sampling import draws
from boresight.sampling.streams import Rng, Size

__all__ = ["BATCH", "Ahead", "Deviations", "Rotations", "Row", "drawer"]

BATCH = 4096
"""How many samples are drawn ahead, once so many were asked for."""

_FIRST = 16  # a batch grows from here, so that a sampler asked once has not drawn thousands
_KEPT = 8  # distances with samples in store

Row = tuple[float, ...]


class Rotations(Protocol):
    """Anything that draws rotations: the laws and regions of `boresight.sampling`."""

    def sample(self, size: Size = ..., rng: Rng = ...) -> Rotation[Any, Any]:
        """Draw rotations."""
        ...


def drawer(rotations: Rotations | None, stream: np.random.Generator) -> Callable[[int], Floats]:
    """What draws so many quaternions: of a law, or uniform over all rotations."""
    if rotations is None:
        return lambda n: draws.haar(stream, n)
    law = rotations
    return lambda n: law.sample(n, rng=stream).as_quat(order="xyzw")


class Ahead:
    """Rows that are drawn in batches, each twice as large as the one before.

    After an error in `draw` the next call tries again, and several threads may call at once.

    Parameters
    ----------
    draw : callable
        Takes a number of rows, returns an array of them.
    batch : int
        The largest number.
    distance : float
        What the rows are deviations by, if they are.

    Raises
    ------
    ValueError
        For a batch of none.
    """

    __slots__ = ("_batch", "_draw", "_rows", "_size", "distance")

    def __init__(self, draw: Callable[[int], Floats], batch: int, distance: float = nan) -> None:
        if batch < 1:
            raise ValueError(f"batch= must be at least 1, not {batch}")
        self._draw, self._batch, self.distance = draw, int(batch), distance
        self._size = min(_FIRST, self._batch)
        self._rows: Iterator[Row] = iter(())

    def next(self) -> Row:
        """The next row."""
        row = next(self._rows, None)
        return self._refilled() if row is None else row

    def _refilled(self) -> Row:
        drawn = self._draw(self._size)
        # As many iterators, of one and the same list, as a row has numbers: a row is made when it is asked for.
        rows = zip(*[iter(drawn.ravel().tolist())] * drawn.shape[1], strict=True)
        row = next(rows)
        self._rows, self._size = rows, min(2 * self._size, self._batch)
        return row


class Deviations:
    """Deviations drawn ahead for each of the last few distances asked for.

    The law about any centre is that centre times these, so that they serve every centre.

    Parameters
    ----------
    name : str
        What the distance is called in messages.
    most : float
        Any larger distance means this one.
    draw : callable
        Takes a distance and a number of rows, returns an array of them.
    batch : int
    """

    __slots__ = ("_batch", "_draw", "_kept", "_most", "_name", "last")

    def __init__(self, name: str, most: float, draw: Callable[[float, int], Floats], batch: int) -> None:
        self._name, self._most = name, most
        self._draw, self._batch = draw, batch
        self._kept: dict[float, Ahead] = {}
        self.last = Ahead(lambda n: draw(0.0, n), batch)
        """Those of the last distance. A thread takes them and looks at their distance, which another may change."""

    def select(self, distance: float) -> Ahead:
        """Those of a distance.

        Raises
        ------
        ValueError
            If it is negative or NaN.
        """
        if not distance >= 0:
            raise ValueError(f"{self._name} must not be negative or NaN: {distance}")
        rows = self._kept.get(distance)
        if rows is None:
            reach = self.reach(distance)
            rows = Ahead(lambda n: self._draw(reach, n), self._batch, distance)
            oldest = list(self._kept)[: 1 - _KEPT]  # the last few stay
            for key in oldest:
                self._kept.pop(key, None)
            self._kept[distance] = rows
        self.last = rows
        return rows

    def reach(self, distance: float) -> float:
        """What a distance means: itself, or the largest that there is."""
        return min(float(distance), self._most)
