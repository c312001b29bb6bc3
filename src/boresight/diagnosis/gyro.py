"""The gyro beside the attitude: clock offset, unit, and how well each hypothesis explains what the gyro measured.

What is fitted is ``gyro = s · Mᵀ · rate + bias`` with M free: nothing is assumed about how the sensor sits. The scale s
is the same under every hypothesis and is found first. Only the samples in which the log moves take part, chosen by the
length of the attitude's rate, which no hypothesis changes: what is at rest says nothing and would only set the noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.alignment import (
    GYRO_UNITS,
    Offset,
    align_lengths,
    align_means,
    align_vectors,
    scale_of,
    unit_of,
)
from boresight.diagnosis.clock import PIECE, Track
from boresight.diagnosis.grid import Grid, Integral, means, own_points, turn_rates, uniform
from boresight.diagnosis.rates import Hypothesis, plain_hypotheses, rates_of
from boresight.diagnosis.robust import Fit, blocks_of, fit_all, fit_orthogonal

__all__ = ["Key", "RateEvidence", "grid_of", "liveliest", "moving", "rate_evidence"]

Floats = NDArray[np.float64]
Key = tuple[Hypothesis, int]
"""A hypothesis and the hand of M: 1 a rotation, -1 with a mirror in it."""

LEAST_STEP = 0.04
LONGEST = 20_000
"""Steps of the grid that clocks are compared over."""
REFINED_BY = 1_500
"""Steps that the clocks' offset is refined by."""
MOST_STEPS = 4_000
"""Steps of the grid that take part at most: the log's liveliest stretches, which tell the most."""
UNIT_CLEAR = 2.0
ALIGNED = 0.9
"""Likeness on the even grid below which the clocks are compared once more between rows of the attitude."""
CLOCK_LIMIT = 1.0
"""Seconds that clocks are searched within. A wider search would find a likeness in unrelated motion."""


@dataclass(frozen=True, slots=True)
class RateEvidence:
    """What the gyro says.

    Attributes
    ----------
    grid : Grid
        Orientations and rates of A on a uniform grid.
    own : ndarray, shape (n + 1,)
        Times of rows of the attitude itself, seconds, between which the turns are taken, with nothing interpolated.
    index : ndarray
        The steps between these times that take part.
    quat : ndarray, shape (len(index), 4)
        A at their starts, (x, y, z, w).
    gyro : ndarray, shape (len(index), 3)
        Means of the gyro over them, its clock set right, in its own unit.
    series : dict of Hypothesis to ndarray
        The rates of these steps under every hypothesis.
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
    explained : float
        Share of the gyro's squares that the best fit explains, all samples alike but for the few worst.
    """

    grid: Grid
    own: Floats
    index: NDArray[np.intp]
    quat: Floats
    gyro: Floats
    series: dict[Hypothesis, Floats]
    blocks: NDArray[np.intp]
    offset: Offset
    lengths: Offset
    scale: float
    unit: str | None
    fits: dict[Key, Fit]
    resets: NDArray[np.intp]
    explained: float

    def mount(self, key: Key) -> Floats:
        """M, from the sensor's axes to the record's body axes, under a hypothesis."""
        return self.fits[key].matrix.T


def grid_of(attitude: Track, gyro: Track | None) -> Floats:
    """Return the grid's points: steps of .04 s, or two samples of the slower stream where that is longer."""
    periods: list[float] = [attitude.period] + ([] if gyro is None else [gyro.period])
    step = max([LEAST_STEP] + [2.0 * period for period in periods])
    return uniform(attitude.start, attitude.end, step)


def moving(rate: Floats, step: float, *, share: float = 0.995, least: float = 8.0) -> NDArray[np.intp]:
    """Choose the rows of (n, 3) that hold `share` of the motion's squares, and at least `least` seconds of them.

    Lengths are clipped at that of the few longest, so that resets do not pass for motion.
    """
    energy = np.einsum("ij,ij->i", rate, rate)
    few = min(max(4, len(energy) // 100), len(energy) - 1)
    energy = np.minimum(energy, 2.25 * np.partition(energy, -few - 1)[-few - 1])
    order = np.argsort(-energy, kind="stable")
    total = np.cumsum(energy[order])
    count = int(np.count_nonzero(total < share * total[-1])) + 1
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
    part = liveliest(grid.rate)
    lengths = align_lengths(grid.rate[part], measured[part], grid.step, limit=CLOCK_LIMIT)
    offset = _offset(grid, measured, part)
    del measured
    own = turn_rates(attitude, own_points(attitude, max(LEAST_STEP, 2.0 * gyro.period)))
    measured, index = _taking_part(own, gyro, offset)
    if len(index) < 16:
        return None
    if offset.score < ALIGNED and len(gyro) <= PIECE:
        offset = _scanned(offset, own, index, gyro)
        measured, index = _taking_part(own, gyro, offset)
        if len(index) < 16:
            return None
    chosen = rates_of(own.quat[index], own.quat[index + 1], np.diff(own.time)[index])
    scale, unit = _scale(chosen, measured[index])
    fits = _fits(chosen, measured[index], scale)
    if len(gyro) <= PIECE:
        best = max(fits, key=lambda key: float(fits[key].likelihood.sum()))
        seconds = _refined(offset.seconds, chosen[best[0]], best[1], gyro, own.time, index, scale)
        late = means(gyro, own.time, seconds)
        if np.isfinite(late[index, 0]).all():
            offset, measured = replace(offset, seconds=seconds), late
            # A scale of no unit may be what clocks that were not yet right made of one.
            if unit is None or scale != 1.0 / GYRO_UNITS[unit]:
                scale, unit = _scale(chosen, measured[index])
            fits = _fits(chosen, measured[index], scale)
    blocks = blocks_of(np.diff(own.time)[index], least=0.5)
    resets = _resets(own.rate, measured, scale)
    best = max(fits, key=lambda key: float(fits[key].likelihood.sum()))
    explained = trimmed_share(measured[index], chosen[best[0]], fits[best])
    return RateEvidence(
        grid,
        own.time,
        index,
        own.quat[index],
        measured[index],
        chosen,
        blocks,
        offset,
        lengths,
        scale,
        unit,
        fits,
        resets,
        explained,
    )


def trimmed_share(y: Floats, x: Floats, fit: Fit, *, trim: float = 0.05) -> float:
    """Return the share of y's squares that a fit explains, without the worst of the residuals.

    A robust fit believes the samples that agree with it. On a foreign log these are the quiet ones alone, and its own
    share is worth nothing; here every sample counts but for the resets.
    """
    left = y - x @ (fit.scale * fit.matrix).T - fit.offset
    squares = np.einsum("ij,ij->i", left, left)
    keep = np.argsort(squares)[: len(squares) - max(4, int(trim * len(squares)))]
    own = y[keep] - y[keep].mean(axis=0)
    return 1.0 - float(squares[keep].sum()) / max(float(np.einsum("ij,ij->", own, own)), 1e-300)


def liveliest(rate: Floats) -> slice:
    """Choose the stretch of a long log with the most motion, for finding the clocks' offset."""
    if len(rate) <= LONGEST:
        return slice(0, len(rate))
    energy = np.minimum(np.nan_to_num(np.einsum("ij,ij->i", rate, rate)), 25.0)
    starts = range(0, len(rate) - LONGEST + 1, LONGEST)
    best = max(starts, key=lambda at: float(energy[at : at + LONGEST].sum()))
    return slice(best, best + LONGEST)


def _offset(grid: Grid, measured: Floats, part: slice) -> Offset:
    """Find the gyro's delay by the two plain senses, or where they do not fit, by any hypothesis."""
    gyro, before, after = measured[part], grid.quat[:-1][part], grid.quat[1:][part]
    spans = np.where(np.isfinite(grid.rate[part, 0]), np.diff(grid.time)[part], np.nan)
    plain = rates_of(before, after, spans, plain_hypotheses())
    offset = align_vectors(list(plain.values()), gyro, grid.step, limit=CLOCK_LIMIT)
    if offset.score < 0.98:
        every = rates_of(before, after, spans)
        other = align_vectors(list(every.values()), gyro, grid.step, limit=CLOCK_LIMIT)
        if other.score > offset.score + 0.02:
            return other
    return offset


def _taking_part(own: Grid, gyro: Track, offset: Offset) -> tuple[Floats, NDArray[np.intp]]:
    """Return the gyro's means over the attitude's own steps, and those of the steps that take part."""
    measured = means(gyro, own.time, offset.seconds)
    rows = np.flatnonzero(np.isfinite(measured[:, 0]) & np.isfinite(own.rate[:, 0]))
    return measured, rows[moving(own.rate[rows], own.step)] if len(rows) >= 16 else rows


def _scanned(offset: Offset, own: Grid, index: NDArray[np.intp], gyro: Track) -> Offset:
    """Look for the delay again between rows of the attitude itself, where the even grid shows hardly any likeness.

    What turns as fast as it is logged loses its turns by being interpolated, and with them the delay.
    """
    index = index[np.linspace(0, len(index) - 1, min(len(index), REFINED_BY)).astype(np.intp)]
    starts, ends = own.time[index], own.time[index + 1]
    series = rates_of(own.quat[index], own.quat[index + 1], ends - starts, plain_hypotheses())
    integral = Integral(gyro)
    found = align_means(
        np.stack(list(series.values())),
        lambda shift: integral.means(starts + shift, ends + shift),
        0.25 * own.step,
        limit=CLOCK_LIMIT,
    )
    return found if found.score > offset.score + 0.02 else offset


def _fits(series: dict[Hypothesis, Floats], gyro: Floats, scale: float) -> dict[Key, Fit]:
    x = np.stack(list(series.values()))
    out: dict[Key, Fit] = {}
    for hand in (1, -1):
        fitted = fit_all(gyro, x, hands=[hand] * len(x), scale=scale)
        out |= {(hypothesis, hand): fit for hypothesis, fit in zip(series, fitted, strict=True)}
    return out


def _refined(
    seconds: float, x: Floats, hand: int, gyro: Track, points: Floats, index: NDArray[np.intp], scale: float
) -> float:
    """Improve the delay by the likelihood of the best fit at shifts around it, ever closer."""
    few = np.linspace(0, len(index) - 1, min(len(index), REFINED_BY)).astype(np.intp)
    starts, ends, x = points[index[few]], points[index[few] + 1], x[few]
    integral = Integral(gyro)

    def likelihood(shift: float) -> float:
        y = integral.means(starts + shift, ends + shift)
        good = np.isfinite(y[:, 0])
        if np.count_nonzero(good) < 0.9 * len(few):
            return -np.inf
        fit = fit_orthogonal(y[good], x[good], hand=hand, scale=scale, steps=6)
        return float(fit.likelihood.mean())

    reach = 0.3 * float(np.median(np.diff(points)))
    middle = likelihood(seconds)
    for _ in range(4):
        low, high = likelihood(seconds - reach), likelihood(seconds + reach)
        bend = low - 2.0 * middle + high
        if not np.isfinite(bend):
            break
        if bend < 0 and max(low, high) <= middle:
            seconds += 0.5 * (low - high) / bend * reach
            reach *= 0.4
        elif max(low, high) > middle:
            seconds += reach if high > low else -reach
        middle = likelihood(seconds)
    return float(seconds)


def _scale(series: dict[Hypothesis, Floats], gyro: Floats) -> tuple[float, str | None]:
    """Find the scale that explains the gyro best: that of a known unit unless another is clearly better.

    The lengths of the rates give it under any plain reading; where no plain reading fits, a half-converted one may.
    The unit is named only where every other unit leaves clearly more noise.
    """
    y = gyro - np.median(gyro, axis=0)
    units = [1.0 / factor for factor in GYRO_UNITS.values()]
    plain = np.stack([series[hypothesis] for hypothesis in plain_hypotheses()])
    own = scale_of(plain[0], y)
    candidates = [*units, own] if np.isfinite(own) and own > 0 else units
    left = [_least_left(y, plain, scale) for scale in candidates]
    if min(left) > 0.05:
        every = np.stack(list(series.values()))
        left = [_least_left(y, every, scale) for scale in candidates]
    known, best = int(np.argmin(left[: len(units)])), int(np.argmin(left))
    scale = candidates[known] if best == known or left[known] < 1.2 * left[best] else candidates[best]
    sure = all(
        value > UNIT_CLEAR * left[known] for number, value in enumerate(left[: len(units)]) if number != known
    )
    return scale, unit_of(1.0 / scale, GYRO_UNITS) if sure else None


def _least_left(y: Floats, x: Floats, scale: float) -> float:
    """Return the share of y that the best of many series (k, n, 3) with a given scale, of either hand, leaves."""
    both = np.concatenate((x, x))
    fits = fit_all(y, both, hands=[1] * len(x) + [-1] * len(x), scale=scale, steps=3)
    return min(1.0 - trimmed_share(y, one, fit) for one, fit in zip(both, fits, strict=True))


def _resets(rate: Floats, gyro: Floats, scale: float) -> NDArray[np.intp]:
    """Steps on which the attitude's rate is far longer than the gyro's; their neighbours may share a late jump."""
    one = np.linalg.norm(rate, axis=1)
    other = np.linalg.norm(gyro, axis=1) / scale
    with np.errstate(invalid="ignore"):
        difference = one - other
        noise = 1.4826 * np.nanmedian(np.abs(difference - np.nanmedian(difference)))
        high = np.fmax(np.fmax(np.roll(other, 1), np.roll(other, -1)), other)
        return np.flatnonzero((one > 2.0 * high + 12.0 * noise) & (one > 0.2))
