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

__all__ = ["Grid", "covered", "interpolated", "means", "orientations", "own_points", "turn_rates", "uniform"]

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
    return start + step * np.arange(max(count, 0) + 1, dtype=np.float64)


def own_points(track: Track, step: float) -> Floats:
    """Choose moments of a track's own rows, at least about `step` apart, so that nothing has to be interpolated."""
    bins = np.floor((track.time - track.time[0]) / step + 1e-6)
    first = np.concatenate(([True], bins[1:] != bins[:-1]))
    times = track.time[first]
    if len(times) > 2:
        spans = np.diff(times)
        keep = np.concatenate(([True], spans > 0.5 * float(np.median(spans))))
        times = times[keep]
    return times


def _place(track: Track, at: Floats) -> tuple[NDArray[np.intp], Floats, Bools]:
    """Index of the row before each moment, the share of the way to the next, and whether both are there."""
    index = np.searchsorted(track.time, at, side="right") - 1
    inside = (at >= track.time[0]) & (at <= track.time[-1])
    index = np.clip(index, 0, len(track) - 2)
    span = track.time[index + 1] - track.time[index]
    return index, np.clip((at - track.time[index]) / span, 0.0, 1.0), inside & ~track.gap[index]


def covered(track: Track, points: Floats) -> Bools:
    """Return for each step between points whether the track covers it without a gap."""
    index, _, there = _place(track, points)
    gaps = np.concatenate(([0], np.cumsum(track.gap)))
    return there[:-1] & there[1:] & (gaps[index[1:]] == gaps[index[:-1]])


def orientations(track: Track, points: Floats) -> Floats:
    """Interpolate unit quaternions (x, y, z, w) at points along great arcs; NaN in gaps. Signs do not matter."""
    index, share, there = _place(track, points)
    before, after = track.values[index], track.values[index + 1]
    quat = np.asarray(kernels.slerp(before, after, share), dtype=np.float64)
    quat[~there] = np.nan
    return quat


def turn_rates(track: Track, points: Floats) -> Grid:
    """Return orientations at points and the body rates between them."""
    quat = orientations(track, points)
    spans = np.diff(points)
    step = float(np.median(spans)) if len(spans) else 1.0
    turn = np.asarray(kernels.log(kernels.multiply(kernels.conjugate(quat[:-1]), quat[1:])), dtype=np.float64)
    turn /= spans[:, None]
    turn[~covered(track, points)] = np.nan
    return Grid(points, step, quat, turn)


def interpolated(track: Track, points: Floats) -> Floats:
    """Interpolate vectors at points along straight lines; gaps are bridged, what lies outside is NaN."""
    out = np.empty((len(points), track.values.shape[1]))
    for column in range(out.shape[1]):
        out[:, column] = np.interp(points, track.time, track.values[:, column], left=np.nan, right=np.nan)
    return out


def means(track: Track, points: Floats, shift: float = 0.0) -> Floats:
    """Return the means of vectors over each step between points, by the trapezoid rule; NaN in gaps.

    Parameters
    ----------
    shift : float
        Seconds that the track's clock is late: its row at time t belongs to ``t - shift``.
    """
    moments = points + shift
    index, share, _ = _place(track, moments)
    out = np.empty((len(points) - 1, track.values.shape[1]))
    steps = np.diff(track.time)
    for column in range(track.values.shape[1]):
        values = track.values[:, column]
        integral = np.empty(len(values))
        integral[0] = total = 0.0
        for at in range(0, len(steps), PIECE):
            stop = min(at + PIECE, len(steps))
            piece = np.cumsum(0.5 * (values[at:stop] + values[at + 1 : stop + 1]) * steps[at:stop])
            integral[at + 1 : stop + 1] = piece + total
            total += float(piece[-1])
        first, second = values[index], values[index + 1]
        part = (first + 0.5 * (second - first) * share) * share * steps[index]
        out[:, column] = np.diff(integral[index] + part)
    out /= np.diff(points)[:, None]
    out[~covered(track, moments)] = np.nan
    return out
