"""Checks of samples against closed forms: what a law says of them must not be refuted, by these figures.

At these bars a right law is refuted once in a thousand checks. Seeds are fixed, and are such that none is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from boresight import kernels

N = 200_000
LEAST_P = 1e-3  # of Kolmogorov and Smirnov's test
ERRORS = 4.0  # standard ones of a mean


def p_value(values: ArrayLike, cdf: Callable[[Any], Any]) -> float:
    """Kolmogorov-Smirnov: how likely a sample is to be this far from its law."""
    return float(stats.kstest(np.asarray(values), cdf).pvalue)


def p_value_of_two(first: ArrayLike, second: ArrayLike) -> float:
    """The same for two samples of one law."""
    return float(stats.ks_2samp(np.asarray(first), np.asarray(second)).pvalue)


def follows(values: ArrayLike, cdf: Callable[[Any], Any]) -> bool:
    return p_value(values, cdf) > LEAST_P


def has_mean(values: ArrayLike, expected: ArrayLike) -> bool:
    """Whether the mean of samples, along the first axis, is within four of its standard errors."""
    rows = np.asarray(values)
    error = rows.std(axis=0) / np.sqrt(len(rows))
    return bool((np.abs(rows.mean(axis=0) - expected) <= ERRORS * error + 1e-15).all())


def haar_cdf(angle: ArrayLike) -> Any:
    t = np.clip(np.asarray(angle, dtype=np.float64), 0, np.pi)
    return (t - np.sin(t)) / np.pi


def uniform_cdf(low: float, high: float) -> Callable[[Any], Any]:
    return lambda x: np.clip((np.asarray(x) - low) / (high - low), 0, 1)


def axes(q: ArrayLike) -> Any:
    """Unit axes of rotations, of the shorter way round."""
    v = kernels.log(q)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def axes_are_uniform(q: ArrayLike) -> bool:
    """Whether axes are uniform over the sphere, whatever the angle: along x, y, z, a slanted line, and in azimuth."""
    u, angle = axes(q), kernels.angle(q)
    lines = [*np.eye(3), np.array([1.0, 1.0, 1.0]) / np.sqrt(3), np.array([0.48, -0.6, 0.64])]
    ok = all(follows(u @ line, uniform_cdf(-1, 1)) for line in lines)
    ok = ok and follows(np.arctan2(u[:, 1], u[:, 0]), uniform_cdf(-np.pi, np.pi))
    # Of the larger turns and of the smaller alike.
    large = angle > np.median(angle)
    return ok and p_value_of_two(u[large, 2], u[~large, 2]) > LEAST_P and has_mean(u * angle[:, None], 0.0)


def is_haar(q: ArrayLike) -> bool:
    """Whether rotations are uniform over all: angle, axis, second moments of quaternions, and five characters."""
    rows = np.asarray(q)
    angle = kernels.angle(rows)
    ok = follows(angle, haar_cdf) and axes_are_uniform(rows)
    ok = ok and has_mean(angle, np.pi / 2 + 2 / np.pi)
    i, j = np.triu_indices(4)
    ok = ok and has_mean(rows[:, i] * rows[:, j], np.eye(4)[i, j] / 4)
    for order in range(1, 6):
        character = np.sin((order + 0.5) * angle) / np.sin(angle / 2)
        ok = ok and has_mean(character, 0.0) and has_mean(character**2, 1.0)
    return ok


def spread_out(n: int = 2**16) -> Any:
    """Quasi-random rotations, uniform, as quaternions xyzw: an additive recurrence through Shoemake's formula."""
    # Of the powers of the root of x^4 = x + 1, which are the worst to approximate by fractions together (Roberts 2018).
    steps = 1.2207440846057596 ** -np.arange(1.0, 4.0)
    u = (0.5 + np.arange(n)[:, None] * steps) % 1
    s, c = np.sqrt(1 - u[:, 0]), np.sqrt(u[:, 0])
    a, b = 2 * np.pi * u[:, 1], 2 * np.pi * u[:, 2]
    return np.stack([s * np.sin(a), s * np.cos(a), c * np.sin(b), c * np.cos(b)], axis=-1)
