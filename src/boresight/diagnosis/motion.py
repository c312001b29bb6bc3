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
from boresight.diagnosis.grid import Grid, covered, interpolated
from boresight.diagnosis.gyro import Key, moving
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
        changes = _late(self.velocity, grid.time, self.window, self.lags[key])[self.index]
        turned = _smoothed(world_force(grid, key[0], mount, force), self.window)[self.index]
        good = np.isfinite(changes[:, :1])
        return np.where(good, changes, _change(self.velocity, grid.time, self.window)[self.index]), turned


def world_force(grid: Grid, hypothesis: Hypothesis, mount: Floats, force: Floats) -> Floats:
    """Turn the force of each step into the hypothesis's world, by the mean of the attitudes at the step's ends."""
    attitude = attitude_under(grid.quat, hypothesis)
    body = force @ mount.T
    first = np.asarray(kernels.rotate(attitude[:-1], body), dtype=np.float64)
    return 0.5 * (first + np.asarray(kernels.rotate(attitude[1:], body), dtype=np.float64))


def _smoothed(values: Floats, count: int) -> Floats:
    """Means of `count` neighbouring steps, shape (n - count + 1, components); NaN where any of them is."""
    total = np.concatenate((np.zeros((1, values.shape[1])), np.cumsum(np.nan_to_num(values), axis=0)))
    bad = np.concatenate(([0], np.cumsum(~np.isfinite(values[:, 0]))))
    out = (total[count:] - total[:-count]) / count
    out[bad[count:] != bad[:-count]] = np.nan
    return out


def _change(velocity: Track, points: Floats, count: int) -> Floats:
    """Change of the velocity over `count` steps, per second, beginning at each step."""
    values = interpolated(velocity, points)
    step = points[1] - points[0]
    out = (values[count:] - values[:-count]) / (count * step)
    holes = np.concatenate(([0], np.cumsum(~covered(velocity, points))))
    out[holes[count:] != holes[:-count]] = np.nan
    return out


def _late(velocity: Track, points: Floats, count: int, lag: float) -> Floats:
    return _change(velocity, points + lag, count)


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
    changes = _change(velocity, grid.time, count)
    fits: dict[Key, Fit] = {}
    lags: dict[Key, float] = {}
    turned: dict[Key, Floats] = {
        key: _smoothed(world_force(grid, key[0], mount, force), count) for key, mount in mounts.items()
    }
    shared = np.isfinite(changes[:, 0])
    for values in turned.values():
        shared &= np.isfinite(values[:, 0])
    if np.count_nonzero(shared) < 20:
        return None
    index: NDArray[np.intp] = np.flatnonzero(shared)
    index = index[moving(changes[index] - changes[index].mean(axis=0), grid.step, least=15.0)]
    blocks = blocks_of(np.full(len(index), grid.step), least=max(1.0, 2.0 * count * grid.step))
    keys = list(turned)
    x = np.stack([turned[key][index] for key in keys])
    y = np.empty_like(x)
    for row, key in enumerate(keys):
        lags[key] = lag = align_vectors([turned[key]], changes, grid.step, limit=LAG_LIMIT).seconds
        late = changes if lag == 0.0 else _late(velocity, grid.time, count, lag)
        y[row] = np.where(np.isfinite(late[index]), late[index], changes[index])
    both = [fit_all(y, x, hands=[hand] * len(keys), scale=1.0) for hand in (1, -1)]
    for key, right, left in zip(keys, *both, strict=True):
        fits[key] = right if right.likelihood.sum() >= left.likelihood.sum() else left
    return MotionEvidence(fits, lags, index, blocks, changes[index].std(axis=0), velocity, count)
