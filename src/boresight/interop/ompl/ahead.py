"""Rows drawn ahead in batches, and handed out one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

    After an error in `draw` the next call tries again, and two threads may call at once.

    Parameters
    ----------
    draw : callable
        Takes a number of rows, returns an array of them.
    batch : int
        The largest number.

    Raises
    ------
    ValueError
        For a batch of none.
    """

    __slots__ = ("_batch", "_draw", "_rows", "_size")

    def __init__(self, draw: Callable[[int], Floats], batch: int) -> None:
        if batch < 1:
            raise ValueError(f"batch= must be at least 1, not {batch}")
        self._draw, self._batch = draw, int(batch)
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
    """Deviations drawn ahead for each of the last few distances asked for; `next` hands out those of `distance`.

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

    __slots__ = ("_batch", "_draw", "_kept", "_most", "_name", "distance", "next", "reach")

    def __init__(self, name: str, most: float, draw: Callable[[float, int], Floats], batch: int) -> None:
        self._name, self._most = name, most
        self._draw, self._batch = draw, batch
        self._kept: dict[float, Ahead] = {}
        self.distance = self.reach = -1.0
        self.next: Callable[[], Row]

    def select(self, distance: float) -> None:
        """Hand out rows of this distance from now on.

        Raises
        ------
        ValueError
            If it is negative or NaN.
        """
        if not distance >= 0:
            raise ValueError(f"{self._name} must not be negative or NaN: {distance}")
        reach = min(float(distance), self._most)
        rows = self._kept.get(distance)
        if rows is None:
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            rows = self._kept[distance] = Ahead(lambda n: self._draw(reach, n), self._batch)
        self.distance, self.reach, self.next = distance, reach, rows.next
