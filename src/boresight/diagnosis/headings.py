"""Horizontal directions once up is known: the way of travel in the body, and magnetic north in the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.clock import Track
from boresight.diagnosis.grid import Grid, covered, interpolated
from boresight.diagnosis.rates import Hypothesis, attitude_under

__all__ = ["Direction2", "north_evidence", "speeds", "travel_evidence", "yaw_signs"]

Floats = NDArray[np.float64]


REACH = 0.25
"""Seconds on each side that a speed is taken from positions over: neighbouring ones often are the same."""


TURNS = 0.1
"""Turning, 1 minus a resultant, that is a turn of some 25 degrees to each side; with a resultant near 1 it is enough."""
HARDLY = 0.03
"""Turning, some 14 degrees to each side, with which a direction must be steadier yet."""
STEADY = 0.02
"""Scatter as a share of the turning: the square of the share of the field that may be the body's own."""


@dataclass(frozen=True, slots=True)
class Direction2:
    """A mean direction.

    Attributes
    ----------
    direction : ndarray, shape (3,)
    resultant : float
        Length of the mean of the unit vectors: 1 where all agree.
    turning : float
        1 minus the resultant of what the direction is seen against: 0 on a straight line or without a turn.
    samples : int
    """

    direction: Floats
    resultant: float
    turning: float
    samples: int

    @property
    def fixed(self) -> bool:
        """Whether the direction is the world's, and not of something that turns with the body, such as its iron.

        What turns with the body scatters as much in the world as the body turns.
        """
        scatter = 1.0 - self.resultant
        return self.turning > TURNS or (self.turning > HARDLY and scatter < STEADY * self.turning)


def _across(vectors: Floats, up: Floats) -> Floats:
    """Unit vectors of what is level, NaN where that is nothing."""
    level = vectors - np.outer(vectors @ up, up)
    lengths = np.linalg.norm(level, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return level / np.where(lengths > 1e-9, lengths, np.nan)[:, None]


def _summary(seen: Floats, against: Floats) -> Direction2 | None:
    good = np.isfinite(seen[:, 0]) & np.isfinite(against[:, 0])
    if np.count_nonzero(good) < 8:
        return None
    mean = seen[good].mean(axis=0)
    resultant = float(np.linalg.norm(mean))
    turning = 1.0 - float(np.linalg.norm(against[good].mean(axis=0)))
    return Direction2(mean / max(resultant, 1e-300), resultant, turning, int(np.count_nonzero(good)))


def speeds(position: Track, points: Floats) -> Floats:
    """Velocity about the middle of each step between points, from positions half a second apart; NaN in gaps."""
    middle = 0.5 * (points[:-1] + points[1:])
    half = np.maximum(0.5 * np.diff(points), REACH)
    before, after = (interpolated(position, middle + sign * half) for sign in (-1.0, 1.0))
    out = (after - before) / (2.0 * half)[:, None]
    out[~covered(position, points)] = np.nan
    return out


def travel_evidence(grid: Grid, hypothesis: Hypothesis, velocity: Floats, up: Floats) -> Direction2 | None:
    """Average the direction of travel in the body, over steps that move.

    Parameters
    ----------
    velocity : ndarray, shape (n, 3)
        In the record's world, over the grid's steps.
    up : ndarray, shape (3,)
        In the record's world.
    """
    speed = np.linalg.norm(velocity, axis=1)
    known = speed[np.isfinite(speed)]
    if len(known) < 8:
        return None
    moves = speed > max(0.3, 0.3 * float(np.quantile(known, 0.9)))
    level = _across(np.where(moves[:, None], velocity, np.nan), up)
    attitude = attitude_under(grid.quat, hypothesis)
    body = np.asarray(kernels.rotate_inverse(attitude[:-1], level), dtype=np.float64)
    return _summary(body, level)


def yaw_signs(grid: Grid, velocity: Floats) -> tuple[Direction2, Direction2] | None:
    """Average the direction of travel in the body for yaw as it is stored and with its sign turned; None where it can't.

    For logs without a gyro that turn about one axis of their world. A vehicle without sideslip goes where it looks, so
    that the right sign has the longer mean; but by how much it must be longer nobody can say, and nothing is decided.
    """
    vertical = int(np.argmax(np.nansum(np.abs(grid.rate), axis=0)))
    up = np.eye(3)[vertical]
    plain = travel_evidence(grid, Hypothesis("same"), velocity, up)
    other = travel_evidence(grid, Hypothesis("same", (vertical, (vertical + 1) % 3)), velocity, up)
    if plain is None or other is None or plain.turning < 0.005:
        return None
    return plain, other


def north_evidence(grid: Grid, hypothesis: Hypothesis, field: Floats, up: Floats) -> Direction2 | None:
    """Average the level part of the magnetic field in the world.

    Parameters
    ----------
    field : ndarray, shape (n, 3)
        In the record's body axes, over the grid's steps.
    """
    attitude = attitude_under(grid.quat, hypothesis)
    world = _across(np.asarray(kernels.rotate(attitude[:-1], field), dtype=np.float64), up)
    body = np.asarray(kernels.rotate_inverse(attitude[:-1], world), dtype=np.float64)
    return _summary(world, body)
