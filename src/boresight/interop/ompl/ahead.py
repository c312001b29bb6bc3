"""Rows drawn ahead in batches, and handed out one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, nan
from typing import Any, Protocol

import numpy as np

from boresight.kernels.deviations import deviations
from boresight.rotation import Rotation
from boresight.rows import Floats
from boresight.sampling import draws
from boresight.sampling.streams import Rng, Size

__all__ = ["BATCH", "Ahead", "Deviations", "Reach", "Rotations", "Row", "drawer"]

BATCH = 4096
"""How many samples are drawn ahead, once so many were asked for."""

_FIRST = 16  # a batch grows from here, so that a sampler asked once has not drawn thousands
_KEPT = 8  # distances with samples in store

Row = tuple[float, ...]
Box = tuple[Any, Any]


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

    def draw(n: int) -> Floats:
        drawn = law.sample(n, rng=stream).as_quat(order="xyzw")
        if drawn.shape != (n, 4):
            raise ValueError(f"rotations.sample({n}) must give {n} rotations, not shape {drawn.shape[:-1]}")
        return drawn

    return draw


class _Batches:
    """Batches, each twice as large as the one before; after an error in `draw` the next call tries again.

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

    __slots__ = ("_batch", "_draw", "_size")

    def __init__(self, draw: Callable[[int], Floats], batch: int) -> None:
        if batch < 1:
            raise ValueError(f"batch= must be at least 1, not {batch}")
        self._draw, self._batch = draw, int(batch)
        self._size = min(_FIRST, self._batch)

    def _drawn(self) -> Floats:
        drawn = self._draw(self._size)
        self._size = min(2 * self._size, self._batch)
        return drawn


class Ahead(_Batches):
    """Rows of numbers, of which several threads may take."""

    __slots__ = ("_rows",)

    def __init__(self, draw: Callable[[int], Floats], batch: int) -> None:
        super().__init__(draw, batch)
        self._rows: Iterator[Row] = iter(())

    def next(self) -> Row:
        """The next row."""
        row = next(self._rows, None)
        return self._refilled() if row is None else row

    def _refilled(self) -> Row:
        drawn = self._drawn()
        # As many iterators, of one and the same list, as a row has numbers: a row is made when it is asked for.
        rows = zip(*[iter(drawn.ravel().tolist())] * drawn.shape[1], strict=True)
        row = next(rows)
        self._rows = rows
        return row


class Reach(_Batches):
    """Deviations of one distance; `rows` hands out those of the last batch, once there was one."""

    __slots__ = ("_box", "distance", "rows")

    def __init__(self, distance: float, draw: Callable[[int], Floats], batch: int, box: Box) -> None:
        super().__init__(draw, batch)
        self.distance, self._box = distance, box
        self.rows: Any

    def refill(self) -> None:
        """Draw the next batch."""
        self.rows = deviations(self._drawn(), *self._box)


class Deviations:
    """Deviations drawn ahead for each of the last few distances asked for.

    The law about any centre is that centre times these, so that they serve every centre.

    Parameters
    ----------
    name : str
        What the distance is called in messages.
    most : float
        Any larger distance means this one.
    law : callable
        Takes a distance, returns what takes a number of rows and draws an array of them.
    batch : int
    box : (low, high)
        Where the translations of poses have to be.
    """

    __slots__ = ("_batch", "_box", "_kept", "_law", "_most", "_name", "last")

    def __init__(
        self,
        name: str,
        most: float,
        law: Callable[[float], Callable[[int], Floats]],
        batch: int,
        box: Box = ((-inf,), (inf,)),
    ) -> None:
        self._name, self._most = name, most
        self._law, self._batch, self._box = law, batch, box
        self._kept: dict[float, Reach] = {}
        self.last = Reach(nan, law(0.0), batch, box)
        """Those of the last distance. A thread takes them and looks at their distance, which another may change."""

    def select(self, distance: float) -> Reach:
        """Those of a distance.

        Raises
        ------
        ValueError
            If it is negative or NaN.
        """
        if not distance >= 0:
            raise ValueError(f"{self._name} must not be negative or NaN: {distance}")
        found = self._kept.get(distance)
        if found is None:
            found = Reach(distance, self._law(self.reach(distance)), self._batch, self._box)
            found.refill()
            for oldest in list(self._kept)[: 1 - _KEPT]:  # the last few stay
                self._kept.pop(oldest, None)
            self._kept[distance] = found
        self.last = found
        return found

    def reach(self, distance: float) -> float:
        """What a distance means: itself, or the largest that there is."""
        return min(float(distance), self._most)
