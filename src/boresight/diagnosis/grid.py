"""One grid of time for all streams, and the streams' means over its steps.

On each step of the grid stands the turn of the attitude, as a rotation vector over the step's length, beside the mean of
the gyro over the same step: the integral of a rate is what an attitude changes by, whatever the two sample rates are.
A step that a gap of either stream falls into is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.clock import PIECE, Track
from boresight.errors import DataError

__all__ = [
    "STEPS",
    "Grid",
    "Integral",
    "bridged",
    "covered",
    "interpolated",
    "means",
    "orientations",
    "own_points",
    "turn_rates",
    "turns",
    "uniform",
]

MOST_POINTS = 20_000_000
"""Nine days of steps of .04 s: no memory holds many more."""
STEPS = 100_000
"""Steps worked on at a time."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Grid:
    """Orientations at points of time, and rates over the steps between them.

    Attributes
    ----------
    time : ndarray, shape (n + 1,)
        Seconds.
    step : float
        Length of a step; of uneven ones, their median.
    quat : ndarray, shape (n + 1, 4)
        A, as (x, y, z, w); NaN where the log has a gap.
    rate : ndarray, shape (n, 3)
        Body rate of A over each step, rad/s; NaN where the log has a gap.
    """

    time: Floats
    step: float
    quat: Floats
    rate: Floats


def uniform(start: float, end: float, step: float) -> Floats:
    """Return the points of a grid that lies within [start, end]."""
    count = int(np.floor((end - start) / step * (1 + 1e-12)))
    if count > MOST_POINTS:
        raise DataError(
            f"the times of the attitude span {(end - start) / 86_400.0:.0f} days",
            advice="cut the log into parts, or check the unit of the times",
        )
    return start + step * np.arange(max(count, 0) + 1, dtype=np.float64)


def own_points(track: Track, step: float) -> Floats:
    """Choose moments of a track's own rows, at least about `step` apart, so that nothing has to be interpolated."""
    first = float(track.clock[0])
    chosen: list[Floats] = []
    last = -1.0
    for at in range(0, len(track), PIECE):
        times = track.clock[at : at + PIECE]
        bins = np.floor((times - first) / step + 1e-6)
        chosen.append(times[np.diff(bins, prepend=last) > 0])
        last = float(bins[-1])
    times = np.concatenate(chosen) - track.zero
    if len(times) > 2:
        spans = np.diff(times)
        times = times[np.concatenate(([True], spans > 0.5 * float(np.median(spans))))]
    return times


def _place(track: Track, at: Floats) -> tuple[NDArray[np.intp], Floats, Bools]:
    """Index of the row before each moment, the share of the way to the next, and whether both are there."""
    moments = at + track.zero
    index = np.searchsorted(track.clock, moments, side="right") - 1
    inside = (moments >= track.clock[0]) & (moments <= track.clock[-1])
    index = np.clip(index, 0, len(track) - 2)
    before = track.clock[index]
    share = np.clip((moments - before) / (track.clock[index + 1] - before), 0.0, 1.0)
    if len(track.gaps):
        near = np.searchsorted(track.gaps, index)
        inside &= track.gaps[np.minimum(near, len(track.gaps) - 1)] != index
    return index, share, inside


def bridged(track: Track, starts: Floats, ends: Floats) -> Bools:
    """Return whether the track covers spans of time without a gap."""
    (first, _, there), (last, _, here) = (_place(track, at) for at in (starts, ends))
    return there & here & (np.searchsorted(track.gaps, first) == np.searchsorted(track.gaps, last))


def covered(track: Track, points: Floats) -> Bools:
    """Return for each step between points whether the track covers it without a gap."""
    index, _, there = _place(track, points)
    return _passed(track, index, there)


def _passed(track: Track, index: NDArray[np.intp], there: Bools) -> Bools:
    """Return for each step between moments whether it can be gone without a gap, of where they were placed."""
    passed = np.searchsorted(track.gaps, index)
    return there[:-1] & there[1:] & (passed[1:] == passed[:-1])


def orientations(track: Track, points: Floats) -> Floats:
    """Interpolate unit quaternions (x, y, z, w) at points along great arcs; NaN in gaps. Signs do not matter."""
    out = np.empty((len(points), 4))
    for at in range(0, len(points), STEPS):
        index, share, there = _place(track, points[at : at + STEPS])
        kernels.slerp(track.take(index), track.take(index + 1), share, out=out[at : at + STEPS])
        out[at : at + STEPS][~there] = np.nan
    return out


def turn_rates(track: Track, points: Floats) -> Grid:
    """Return orientations at points and the body rates between them."""
    quat = orientations(track, points)
    spans = np.diff(points)
    step = float(np.median(spans)) if len(spans) else 1.0
    rate = turns(quat[:-1], quat[1:])
    rate /= spans[:, None]
    rate[~covered(track, points)] = np.nan
    return Grid(points, step, quat, rate)


def turns(before: Floats, after: Floats) -> Floats:
    """Return the rotation vectors, in body axes, that lead from some orientations to others."""
    out = np.empty((len(before), 3))
    for at in range(0, len(before), STEPS):
        part = slice(at, at + STEPS)
        kernels.log(kernels.multiply(kernels.conjugate(before[part]), after[part]), out=out[part])
    return out


def interpolated(track: Track, points: Floats) -> Floats:
    """Interpolate vectors at points along straight lines; gaps are bridged, what lies outside is NaN."""
    index, share, _ = _place(track, points)
    before = track.take(index)
    out = before + share[:, None] * (track.take(index + 1) - before)
    out[(points < track.start) | (points > track.end)] = np.nan
    return out


class Integral:
    """The integral of a track that is not long, for its means between any moments."""

    def __init__(self, track: Track) -> None:
        self._track = track
        self._values = track.take(slice(0, len(track)))
        self._sums = _sums(self._values, np.diff(track.clock))

    def means(self, starts: Floats, ends: Floats) -> Floats:
        """Return the means over [starts, ends], shape (n, components); NaN in gaps."""
        (first, one, there), (last, other, here) = (_place(self._track, at) for at in (starts, ends))
        total = self._at(last, other) - self._at(first, one)
        gaps = self._track.gaps
        total[~(there & here & (np.searchsorted(gaps, first) == np.searchsorted(gaps, last)))] = np.nan
        return total / (ends - starts)[:, None]

    def _at(self, index: NDArray[np.intp], share: Floats) -> Floats:
        steps = self._track.clock[index + 1] - self._track.clock[index]
        return self._sums[index] + _part(self._values, index, share, steps)


def _sums(values: Floats, steps: Floats) -> Floats:
    """Integral from the first row to each, by the trapezoid rule."""
    out = np.zeros_like(values)
    np.cumsum(0.5 * (values[:-1] + values[1:]) * steps[:, None], axis=0, out=out[1:])
    return out


def _part(values: Floats, index: NDArray[np.intp], share: Floats, steps: Floats) -> Floats:
    """Integral from rows of some index over a share of the step to the next."""
    before, way = values[index], share[:, None]
    return (before + 0.5 * (values[index + 1] - before) * way) * way * steps[:, None]


def means(track: Track, points: Floats, shift: float = 0.0) -> Floats:
    """Return the means of vectors over each step between points, by the trapezoid rule; NaN in gaps.

    Parameters
    ----------
    shift : float
        Seconds that the track's clock is late: its row at time t belongs to ``t - shift``.
    """
    moments = points + shift
    index, share, there = _place(track, moments)
    out = np.empty((len(points) - 1, track.stored.shape[1]))
    # Piece by piece of the points, each with the rows that it spans, so that no integral is held of a whole log.
    size = min(max(PIECE * len(points) // max(len(track), 1), 1), STEPS)
    for at in range(0, len(points) - 1, size):
        stop = min(at + size, len(points) - 1)
        first, last = int(index[at : stop + 1].min()), int(index[at : stop + 1].max())
        values = track.take(slice(first, last + 2))
        steps = np.diff(track.clock[first : last + 2])
        inner = index[at : stop + 1] - first
        part = _part(values, inner, share[at : stop + 1], steps[inner])
        out[at:stop] = np.diff(_sums(values, steps)[inner] + part, axis=0)
    out /= np.diff(points)[:, None]
    out[~_passed(track, index, there)] = np.nan
    return out
