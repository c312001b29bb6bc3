"""How far two records of one attitude may be apart, and whether what is left between them is noise.

What two copies of one attitude differ by is how their numbers are written and what is interpolated between rows: both
can be told from the records themselves. What goes beyond that must at least be noise. Another estimate, a filtered copy or
angles in another sequence leave something that follows the motion: it is alike from one moment to the next, or it is a
function of the attitude.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.clock import Track
from boresight.diagnosis.grid import orientations

__all__ = ["expected_noise", "is_structure"]

Floats = NDArray[np.float64]

ROWS = 2000
"""Rows that a record's own noise is told from."""
ALIKE = 0.3
"""Correlation with the moment before, or share that is a function of the attitude, from which on it is no noise."""


def expected_noise(track: Track, points: Floats) -> float:
    """Return what a record's orientations at some points are off by in the root mean square, degrees, as it is written."""
    rows = _rows(track)
    numbers = _numbers(track, rows)
    steps = _steps(numbers)
    decode = track.decode
    written = 0.0
    if decode is not None and steps.any():
        rng = np.random.default_rng(0)
        moved = numbers + steps * rng.uniform(-0.5, 0.5, numbers.shape)
        written = _apart(decode(numbers), decode(moved))
    return float(np.hypot(written, _interpolated(track, points)))


def _rows(track: Track) -> NDArray[np.intp]:
    return np.linspace(0, len(track) - 1, min(len(track), ROWS)).astype(np.intp)


def _numbers(track: Track, index: NDArray[np.intp]) -> Floats:
    return np.asarray(track.stored[index if track.rows is None else track.rows[index]], dtype=np.float64)


def _steps(numbers: Floats) -> Floats:
    """Return the steps in which each column is written: the least difference between its values.

    Of numbers that are written in full it is as small as chance makes it among so many, and nothing is told from it.
    """
    out = np.zeros(numbers.shape[1])
    for column in range(numbers.shape[1]):
        values = np.unique(numbers[:, column])
        apart = np.diff(values)
        apart = apart[apart > 1e-12 * max(float(np.abs(values).max()), 1e-300)]
        if len(apart) < 2:
            continue
        least = float(apart.min())
        whole = apart / least
        # Only of a grid are all differences multiples of the least.
        if float(np.abs(whole - np.round(whole)).max()) < 0.05 * max(1.0, 1e-6 * float(whole.max())):
            out[column] = least
        else:
            out[column] = float(np.abs(values).max()) * float(np.finfo(np.float32).eps)
    return out


def _interpolated(track: Track, points: Floats) -> float:
    """Return what great arcs between rows are off by at some points, from what they are off by over twice the step."""
    moments = points + track.zero
    index = np.clip(np.searchsorted(track.clock, moments, side="right") - 1, 1, len(track) - 3)
    step = track.clock[index + 1] - track.clock[index]
    share = np.clip((moments - track.clock[index]) / step, 0.0, 1.0)
    between = 4.0 * share * (1.0 - share)
    if not (between > 1e-6).any() or len(track) < 4:
        return 0.0
    middle = track.clock[index] - track.zero
    before, now, after = (
        orientations(track, moment)
        for moment in (track.clock[index - 1] - track.zero, middle, track.clock[index + 1] - track.zero)
    )
    away = track.clock[index] - track.clock[index - 1]
    arc = np.empty_like(now)
    kernels.slerp(before, after, away / (away + step), out=arc)
    # An arc over half the time is off by a quarter.
    off = 0.25 * _angles(arc, now) * between
    off = off[np.isfinite(off)]
    return 0.0 if not len(off) else float(np.sqrt(np.mean(np.sort(off)[: max(int(0.95 * len(off)), 1)] ** 2)))


def _apart(one: Floats, other: Floats) -> float:
    angles = _angles(one, other)
    angles = angles[np.isfinite(angles)]
    return float(np.sqrt(np.mean(angles**2))) if len(angles) else 0.0


def _angles(one: Floats, other: Floats) -> Floats:
    dot = np.einsum("ij,ij->i", one, other)
    return np.degrees(2.0 * np.arctan2(np.linalg.norm(other - dot[:, None] * one, axis=1), np.abs(dot)))


def is_structure(attitude: Floats, residual: Floats) -> bool:
    """Whether what is left between two records follows the motion, and is no noise.

    Parameters
    ----------
    attitude : ndarray, shape (n, 4)
        Unit quaternions, one after the other in time.
    residual : ndarray, shape (n, 3)
        What is left, small rotation vectors.
    """
    length = np.linalg.norm(residual, axis=1)
    high = 4.0 * float(np.median(length))
    left = residual * np.minimum(1.0, high / np.maximum(length, 1e-300))[:, None]
    left = left - left.mean(axis=0)
    total = float(np.einsum("ij,ij->", left, left))
    if total <= 0.0:
        return False
    alike = float(np.einsum("ij,ij->", left[1:], left[:-1])) / total
    if alike > max(ALIKE, 3.0 / np.sqrt(3.0 * len(left))):
        return True
    features = _features(attitude)
    spare = len(left) - features.shape[1]
    if spare < 2 * features.shape[1]:
        return True  # too few moments to tell it from noise
    rest = left - features @ (np.linalg.pinv(features) @ left)
    share = 1.0 - float(np.einsum("ij,ij->", rest, rest)) / spare / (total / (len(left) - 1))
    return share > ALIKE


def _features(attitude: Floats) -> Floats:
    """Products of up to three of the entries of a turn from the middle attitude."""
    middle = np.linalg.eigh(attitude.T @ attitude)[1][:, -1]
    from_middle: Any = kernels.multiply(
        np.broadcast_to(kernels.conjugate(middle[None]), attitude.shape).copy(), attitude
    )
    turned = np.asarray(from_middle, dtype=np.float64)
    vector = turned[:, :3] * np.where(turned[:, 3:] < 0.0, -1.0, 1.0)
    columns = [np.ones(len(vector))]
    for degree in (1, 2, 3):
        columns += [
            np.prod(vector[:, list(chosen)], axis=1)
            for chosen in combinations_with_replacement(range(3), degree)
        ]
    features = np.stack(columns, axis=1)
    return features / np.maximum(np.linalg.norm(features, axis=0), 1e-300)
