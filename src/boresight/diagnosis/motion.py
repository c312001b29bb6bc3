"""The velocity beside the accelerometer: the change of velocity is the specific force turned into the world.

Under a hypothesis with attitude R and mount M, ``dv/dt = N · R · M · f + g``: N relabels the world's axes, and g, the same
throughout, is gravity. Where the log turns, only the right attitude makes the forces of different headings agree, so
this decides the sense and the handedness where rates leave them open; and N itself says whether the velocity's axes are
those of the attitude (east and north swapped, or up counted positive).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.alignment import align_vectors
from boresight.diagnosis.clock import Track
from boresight.diagnosis.grid import STEPS, Grid, bridged, interpolated
from boresight.diagnosis.gyro import Key, liveliest, moving
from boresight.diagnosis.rates import Hypothesis, attitude_under
from boresight.diagnosis.robust import Fit, blocks_of, fit_all

__all__ = ["MotionEvidence", "motion_evidence", "world_force"]

Floats = NDArray[np.float64]

WINDOW = 0.4
LAG_LIMIT = 0.6


@dataclass(frozen=True, slots=True)
class MotionEvidence:
    """Fits of dv/dt by the turned force, by hypothesis and hand of M, those that the gyro leaves.

    Attributes
    ----------
    fits : dict
        `Fit.matrix` is N, as a rotation or a reflection, whichever fits better, that need not be a relabelling.
    lags : dict
        Seconds that the velocity is late, by the same keys.
    index, blocks : ndarray
    acceleration : ndarray, shape (3,)
        Standard deviation of each component of dv/dt, m/s².
    velocity : Track
    window : int
        Steps of the grid that a change of velocity is taken over.
    """

    fits: dict[Key, Fit]
    lags: dict[Key, float]
    index: NDArray[np.intp]
    blocks: NDArray[np.intp]
    acceleration: Floats
    velocity: Track
    window: int

    def pair(self, key: Key, grid: Grid, force: Floats, mount: Floats) -> tuple[Floats, Floats]:
        """Return dv/dt and the turned force of the samples in use, the clocks set right, under one hypothesis."""
        changes = _changes(self.velocity, grid, self.window, self.index, self.lags[key])
        good = np.isfinite(changes[:, :1])
        plain = _changes(self.velocity, grid, self.window, self.index)
        return np.where(good, changes, plain), _turned(grid, key, mount, force, self.index, self.window)


def world_force(
    grid: Grid, hypothesis: Hypothesis, mount: Floats, force: Floats, index: NDArray[np.intp] | None = None
) -> Floats:
    """Turn the force of each step into the hypothesis's world, by the mean of the attitudes at the step's ends.

    Parameters
    ----------
    index : ndarray of int, optional
        The steps that are wanted; all unless given.
    """
    if index is None:
        attitude = attitude_under(grid.quat, hypothesis)
        before, after = attitude[:-1], attitude[1:]
    else:
        before, after = (attitude_under(grid.quat[at], hypothesis) for at in (index, index + 1))
        force = force[index]
    body = force @ mount.T
    first = np.asarray(kernels.rotate(before, body), dtype=np.float64)
    return 0.5 * (first + np.asarray(kernels.rotate(after, body), dtype=np.float64))


def _turned(
    grid: Grid, key: Key, mount: Floats, force: Floats, index: NDArray[np.intp], count: int
) -> Floats:
    """Means of the turned force over `count` steps from each of some; NaN where any of them is."""
    needed = np.zeros(len(force), dtype=np.bool_)
    for ahead in range(count):
        needed[index + ahead] = True
    steps = np.flatnonzero(needed)
    values = world_force(grid, key[0], mount, force, steps)
    first = np.searchsorted(steps, index)
    out = np.zeros((len(index), 3))
    for ahead in range(count):  # the steps from each of `index` on stand side by side in `steps`
        out += values[first + ahead]
    out /= count
    return out


def _changes(velocity: Track, grid: Grid, count: int, index: NDArray[np.intp], late: float = 0.0) -> Floats:
    """Change of the velocity over `count` steps from each of some, per second; NaN where a gap lies in them."""
    starts, ends = grid.time[index] + late, grid.time[index + count] + late
    out = (interpolated(velocity, ends) - interpolated(velocity, starts)) / (count * grid.step)
    out[~bridged(velocity, starts, ends)] = np.nan
    return out


def motion_evidence(
    grid: Grid, force: Floats, mounts: dict[Key, Floats], velocity: Track
) -> MotionEvidence | None:
    """Fit dv/dt by the turned force under each hypothesis; None where they share too little time.

    Parameters
    ----------
    force : ndarray, shape (n, 3)
        Means of the specific force over the grid's steps, m/s².
    mounts : dict
        M by hypothesis and hand.
    """
    count = max(round(max(WINDOW, 2.0 * velocity.period) / grid.step), 1)
    if len(grid.time) < count + 20:
        return None
    every = np.arange(len(grid.time) - count)
    changes = np.empty((len(every), 3))
    for at in range(0, len(every), STEPS):
        changes[at : at + STEPS] = _changes(velocity, grid, count, every[at : at + STEPS])
    there = np.isfinite(force[:, 0]) & np.isfinite(grid.quat[:-1, 0]) & np.isfinite(grid.quat[1:, 0])
    missing = np.concatenate(([0], np.cumsum(~there)))
    index: NDArray[np.intp] = np.flatnonzero(
        np.isfinite(changes[:, 0]) & (missing[count:] == missing[:-count])
    )
    if len(index) < 20:
        return None
    index = index[moving(changes[index] - changes[index].mean(axis=0), grid.step, least=15.0)]
    blocks = blocks_of(np.full(len(index), grid.step), least=max(1.0, 2.0 * count * grid.step))
    part = liveliest(changes - np.nanmedian(changes, axis=0))
    stretch = every[part]
    keys = list(mounts)
    fits: dict[Key, Fit] = {}
    lags: dict[Key, float] = {}
    x = np.stack([_turned(grid, key, mounts[key], force, index, count) for key in keys])
    y = np.empty_like(x)
    for row, key in enumerate(keys):
        turned = _turned(grid, key, mounts[key], force, stretch, count)
        lags[key] = lag = align_vectors([turned], changes[part], grid.step, limit=LAG_LIMIT).seconds
        late = changes[index] if lag == 0.0 else _changes(velocity, grid, count, index, lag)
        y[row] = np.where(np.isfinite(late), late, changes[index])
    both = [fit_all(y, x, hands=[hand] * len(keys), scale=1.0) for hand in (1, -1)]
    for key, right, left in zip(keys, *both, strict=True):
        fits[key] = right if right.likelihood.sum() >= left.likelihood.sum() else left
    return MotionEvidence(fits, lags, index, blocks, changes[index].std(axis=0), velocity, count)
