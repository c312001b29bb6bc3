"""The clock offset and the unit of the gyro, found before any reading is chosen.

The length of the body rate is the same under every order, direction and choice of axes, so the length that the gyro
measures can be laid beside it: a shift of the clocks is where the two correlate best, and the unit is the ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight.logs.columns import UNITS

__all__ = ["GYRO_UNITS", "Offset", "align_lengths", "align_means", "align_vectors", "scale_of", "unit_of"]

Floats = NDArray[np.float64]

GYRO_UNITS: dict[str, float] = {unit: UNITS[unit] for unit in ("rad/s", "deg/s", "mrad/s")}
"""What a gyro's numbers are multiplied by to be rad/s."""

NEAR = 0.2
"""Seconds: clocks of one machine are seldom further apart."""
CLEARLY = 0.03


@dataclass(frozen=True, slots=True)
class Offset:
    """Seconds that the second clock is late, how well the two series fit there, and how well without a shift.

    `inside` is whether they fit less well on either side: at the end of what was searched, nothing says so.
    """

    seconds: float
    score: float
    zero: float
    inside: bool = True


def _clipped(values: Floats) -> tuple[Floats, Floats]:
    """Take out the mean and what is missing, and clip lengths at those of the few longest: resets are no motion."""
    there = np.isfinite(values[:, 0])
    known = values[there]
    if len(known) < 16:
        return np.zeros_like(values), there.astype(np.float64)
    known = known - np.median(known, axis=0)
    length = np.linalg.norm(known, axis=1)
    few = min(max(4, len(known) // 100), len(known) - 1)
    high = 1.5 * np.partition(length, -few - 1)[-few - 1]
    known = known * (high / np.maximum(length, max(high, 1e-300)))[:, None]
    filled = np.zeros_like(values)
    filled[there] = known - known.mean(axis=0)
    return filled, there.astype(np.float64)


def _best(score: Floats, step: float) -> Offset:
    """Place of the highest score to a part of a step, by the parabola through its neighbours.

    Motion that repeats itself looks like itself a period later, so that a far shift must be clearly better than a
    near one; but a near one that is merely on the way up to it is none.
    """
    middle = len(score) // 2
    near = max(int(np.ceil(NEAR / step)), 1)
    best = int(np.argmax(score))
    close = int(np.argmax(score[max(middle - near, 0) : middle + near + 1])) + max(middle - near, 0)
    if score[best] < score[close] + CLEARLY and _is_peak(score, close):
        best = close
    lag = float(best - middle)
    if inside := 0 < best < len(score) - 1:
        before, top, after = score[best - 1 : best + 2]
        bend = before - 2.0 * top + after
        if bend < 0 and min(before, after) > -1.0:
            lag += float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5))
    return Offset(lag * step, float(score[best]), float(score[middle]), inside)


def _is_peak(score: Floats, at: int) -> bool:
    """Whether no neighbour is higher."""
    return float(score[max(at - 1, 0) : at + 2].max()) <= float(score[at])


def align_lengths(one: Floats, other: Floats, step: float, *, limit: float) -> Offset:
    """Find the shift at which the lengths of two series of vectors correlate best, whatever axes they are in.

    Parameters
    ----------
    one, other : ndarray, shape (n, 3)
        On one grid, NaN where missing.
    step : float
        Seconds.
    limit : float
        Largest shift, seconds.
    """
    lengths = [np.linalg.norm(values, axis=1)[:, None] for values in (one, other)]
    return _best(_scores([lengths[0]], lengths[1], step, limit), step)


def align_vectors(candidates: Sequence[Floats], other: Floats, step: float, *, limit: float) -> Offset:
    """Find the shift at which `other` is best explained by any candidate turned by any constant orthogonal matrix.

    The best turn of one series onto another explains as much as the sum of the singular values of their 3x3
    cross-covariance, which Fourier transforms give for every shift at once.
    """
    return _best(_scores(candidates, other, step, limit), step)


def align_means(
    candidates: Floats, means_at: Callable[[float], Floats], step: float, *, limit: float
) -> Offset:
    """Find the shift as `align_vectors` does, but by trying one after the other, on steps that need not be even.

    Parameters
    ----------
    candidates : ndarray, shape (k, n, 3)
    means_at : callable
        Returns the means of the other series over the same steps, moved by so many seconds, shape (n, 3).
    step, limit : float
        Seconds between shifts that are tried, and the largest.
    """
    reach = int(np.ceil(limit / step))
    known = np.stack([_clipped(candidate)[0] for candidate in candidates])
    power = np.einsum("kni,kni->kn", known, known)
    scores = np.full(2 * reach + 1, -1.0)
    for number in range(2 * reach + 1):
        other, there = _clipped(means_at((number - reach) * step))
        if there.sum() >= max(16.0, 0.9 * len(there)):
            explained = np.linalg.svd(known.swapaxes(1, 2) @ other, compute_uv=False).sum(axis=1)
            total = (power @ there) * float(np.einsum("ni,ni->", other, other))
            scores[number] = float(np.max(explained / np.sqrt(np.maximum(total, 1e-300))))
    return _best(scores, step)


def _scores(candidates: Sequence[Floats], other: Floats, step: float, limit: float) -> Floats:
    count = len(other)
    reach = int(max(min(np.ceil(limit / step), count - 1), 1))
    size = 1 << int(np.ceil(np.log2(count + reach + 1)))
    b, mb = _clipped(other)
    fb, fmb, fbb = (np.fft.rfft(v, size, axis=0) for v in (b, mb, (b * b).sum(axis=1)))
    lags = np.arange(-reach, reach + 1)

    def cross(first: Floats, second: NDArray[np.complex128]) -> Floats:
        transformed = np.conj(np.fft.rfft(first, size, axis=0))
        product = transformed[:, :, None] * second[:, None, :] if first.ndim == 2 else transformed * second
        return np.fft.irfft(product, size, axis=0)[lags]

    scores: list[Floats] = []
    for candidate in candidates:
        a, ma = _clipped(candidate)
        power = cross((a * a).sum(axis=1), fmb) * cross(ma, fbb)
        overlap = cross(ma, fmb)
        explained = np.linalg.svd(cross(a, fb), compute_uv=False).sum(axis=1)
        if a.shape[1] == 1:
            explained = cross(a, fb)[:, 0, 0]
        score = explained / np.sqrt(np.maximum(power, 1e-300))
        score[(power <= 1e-12 * max(float(power.max()), 1e-300))] = -1.0
        score[overlap < max(16.0, 0.25 * min(ma.sum(), mb.sum()))] = -1.0
        scores.append(score)
    return np.max(scores, axis=0)


def scale_of(rates: Floats, gyro: Floats) -> float:
    """Return the ratio of the gyro's length to the rate's: a weighted median, to which the strongest motion counts."""
    one, other = np.linalg.norm(rates, axis=1), np.linalg.norm(gyro, axis=1)
    good = np.isfinite(one) & np.isfinite(other) & (one > 0) & (other > 0)
    if not good.any():
        return float("nan")
    ratio, weight = other[good] / one[good], one[good] * other[good]
    order = np.argsort(ratio)
    total = np.cumsum(weight[order])
    return float(ratio[order][np.searchsorted(total, 0.5 * total[-1])])


def unit_of(scale: float, units: dict[str, float], *, within: float = 0.2) -> str | None:
    """Name the unit whose factor a scale is, or None; `scale` turns the sensor's numbers into the unit of ours."""
    for name, factor in units.items():
        if scale > 0 and abs(np.log(scale / factor)) < within:
            return name
    return None
