"""The gyro beside the attitude: clock offset, unit, and how well each hypothesis explains what the gyro measured.

What is fitted is ``gyro = s · Mᵀ · rate + bias`` with M free: nothing is assumed about how the sensor sits. The scale s
is the same under every hypothesis and is found first. Only the samples in which the log moves take part, chosen by the
length of the attitude's rate, which no hypothesis changes: what is at rest says nothing and would only set the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.alignment import GYRO_UNITS, Offset, align_lengths, align_vectors, scale_of, unit_of
from boresight.diagnosis.clock import Track
from boresight.diagnosis.grid import Grid, means, turn_rates, uniform
from boresight.diagnosis.rates import Hypothesis, rates_of
from boresight.diagnosis.robust import Fit, blocks_of, fit_orthogonal

__all__ = ["Key", "RateEvidence", "grid_of", "moving", "rate_evidence"]

Floats = NDArray[np.float64]
Key = tuple[Hypothesis, int]
"""A hypothesis and the hand of M: 1 a rotation, -1 with a mirror in it."""

LEAST_STEP = 0.04
MOST_STEPS = 20_000
"""Steps of the grid that take part at most: the log's liveliest stretches, which tell the most."""
CLOCK_LIMIT = 1.0
"""Seconds that clocks are searched within. A wider search would find a likeness in unrelated motion."""


@dataclass(frozen=True, slots=True)
class RateEvidence:
    """What the gyro says.

    Attributes
    ----------
    grid : Grid
        Orientations and rates of A on the grid.
    gyro : ndarray, shape (n, 3)
        Means of the gyro over the steps, its clock set right, in its own unit.
    index : ndarray
        The steps that take part.
    blocks : ndarray
        Borders of blocks of `index`.
    offset : Offset
        By which the gyro's clock is late.
    lengths : Offset
        The same by the lengths alone, and their correlation.
    scale : float
        The gyro's number for one radian per second.
    unit : str or None
    fits : dict
        By hypothesis and hand.
    resets : ndarray
        Steps on which the attitude jumped though the gyro did not turn.
    """

    grid: Grid
    gyro: Floats
    index: NDArray[np.intp]
    blocks: NDArray[np.intp]
    offset: Offset
    lengths: Offset
    scale: float
    unit: str | None
    fits: dict[Key, Fit]
    resets: NDArray[np.intp]

    def mount(self, key: Key) -> Floats:
        """M, from the sensor's axes to the record's body axes, under a hypothesis."""
        return self.fits[key].matrix.T


def grid_of(attitude: Track, gyro: Track | None) -> Floats:
    """Return the grid's points: steps of .04 s, or two samples of the slower stream where that is longer."""
    periods = [attitude.period] + ([] if gyro is None else [gyro.period])
    step = max(LEAST_STEP, *(2.0 * period for period in periods))
    return uniform(float(attitude.time[0]), float(attitude.time[-1]), step)


def moving(rate: Floats, step: float, *, share: float = 0.995, least: float = 8.0) -> NDArray[np.intp]:
    """Choose the rows of (n, 3) that hold `share` of the motion's squares, and at least `least` seconds of them.

    Lengths are clipped at that of the few longest, so that resets do not pass for motion.
    """
    energy = np.einsum("ij,ij->i", rate, rate)
    few = min(max(4, len(energy) // 100), len(energy) - 1)
    energy = np.minimum(energy, 2.25 * np.partition(energy, -few - 1)[-few - 1])
    order = np.argsort(-energy, kind="stable")
    total = np.cumsum(energy[order])
    count = int(np.searchsorted(total, share * total[-1])) + 1
    count = max(count, min(int(np.ceil(least / step)), len(energy)))
    return np.sort(order[: min(count, MOST_STEPS)])


def rate_evidence(attitude: Track, gyro: Track, points: Floats) -> RateEvidence | None:
    """Lay the gyro beside the attitude's rates under every hypothesis; None where they share too little time."""
    if len(points) < 20:
        return None
    grid = turn_rates(attitude, points)
    measured = means(gyro, points)
    if np.count_nonzero(np.isfinite(grid.rate[:, 0]) & np.isfinite(measured[:, 0])) < 16:
        return None
    lengths = align_lengths(grid.rate, measured, grid.step, limit=CLOCK_LIMIT)
    inverse = -np.asarray(kernels.rotate(grid.quat[:-1], grid.rate), dtype=np.float64)
    offset = align_vectors([grid.rate, inverse], measured, grid.step, limit=CLOCK_LIMIT)
    if offset.seconds:
        measured = means(gyro, points, offset.seconds)
    rates = rates_of(grid.quat, grid.rate, grid.step)
    good = np.isfinite(measured[:, 0])
    for series in rates.values():
        good &= np.isfinite(series[:, 0])
    rows = np.flatnonzero(good)
    if len(rows) < 16:
        return None
    index = rows[moving(grid.rate[rows], grid.step)]
    scale, unit = _scale(grid.rate[index], inverse[index], measured[index])
    blocks = blocks_of(grid.step * np.arange(len(index)), least=0.5)
    fits = {
        (hypothesis, hand): fit_orthogonal(
            measured[index], series[index], hand=hand, blocks=blocks, scale=scale
        )
        for hypothesis, series in rates.items()
        for hand in (1, -1)
    }
    return RateEvidence(
        grid, measured, index, blocks, offset, lengths, scale, unit, fits, _resets(grid.rate, measured, scale)
    )


def _scale(rate: Floats, inverse: Floats, gyro: Floats) -> tuple[float, str | None]:
    """Find the scale that explains the gyro best under any reading: that of a known unit unless another is better."""
    y = gyro - np.median(gyro, axis=0)
    own = scale_of(rate, y)
    candidates = [1.0 / factor for factor in GYRO_UNITS.values()] + ([own] if np.isfinite(own) else [])
    left: list[float] = []
    for scale in candidates:
        left.append(
            min(
                fit_orthogonal(y, x, hand=hand, scale=scale, steps=3).sigma
                for x in (rate, inverse)
                for hand in (1, -1)
            )
        )
    known = int(np.argmin(left[: len(GYRO_UNITS)]))
    best = int(np.argmin(left))
    if best == known or left[known] < 1.1 * left[best]:
        return candidates[known], unit_of(1.0 / candidates[known], GYRO_UNITS)
    return candidates[best], unit_of(1.0 / candidates[best], GYRO_UNITS)


def _resets(rate: Floats, gyro: Floats, scale: float) -> NDArray[np.intp]:
    """Steps on which the attitude's rate is far longer than the gyro's; their neighbours may share a late jump."""
    one = np.linalg.norm(rate, axis=1)
    other = np.linalg.norm(gyro, axis=1) / scale
    with np.errstate(invalid="ignore"):
        difference = one - other
        noise = 1.4826 * np.nanmedian(np.abs(difference - np.nanmedian(difference)))
        high = np.fmax(np.fmax(np.roll(other, 1), np.roll(other, -1)), other)
        return np.flatnonzero((one > 2.0 * high + 12.0 * noise) & (one > 0.2))
