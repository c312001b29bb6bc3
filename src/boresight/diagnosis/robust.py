"""Robust fits of one series of vectors to another turned by a constant matrix, and what their residuals decide.

The model is ``y = s · R · x + b``: R orthogonal (a rotation, or with a mirror in it), s a positive scale, b an offset.
Residuals are taken as multivariate Student t with four degrees of freedom, so that resets, shocks and drop-outs lose
their weight by themselves; each fit has its own scale of noise.

Two fits are compared by the log-likelihoods of their samples, summed over blocks of time, because neighbouring
residuals are not independent, and a bootstrap of those blocks says how sure the difference is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.twins import SIGNED_PERMUTATIONS

__all__ = ["DRAWS", "Fit", "Wins", "beats", "block_sums", "blocks_of", "fit_orthogonal", "resampled"]

Floats = NDArray[np.float64]

NU = 4.0
DRAWS = 4000
"""Bootstrap samples. The 1 in 1000 that decides is their fourth lowest."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A fit of y by s R x + b.

    Attributes
    ----------
    matrix : ndarray, shape (3, 3)
        R, orthogonal.
    scale : float
    offset : ndarray, shape (3,)
    sigma : float
        Noise of one component.
    r2 : float
        Share of the weighted squares of y, without its mean, that the fit explains.
    likelihood : ndarray, shape (n,)
        Log-likelihood of each sample.
    spread : ndarray, shape (3, 3)
        Covariance of the turn of R, radians, from the blocks' scatter; infinite where an axis is not observed.
    weights : ndarray, shape (n,)
    """

    matrix: Floats
    scale: float
    offset: Floats
    sigma: float
    r2: float
    likelihood: Floats
    spread: Floats
    weights: Floats

    @property
    def turn_deg(self) -> float:
        """Standard deviation of R about its worst axis, degrees."""
        worst = float(np.linalg.eigvalsh(self.spread)[-1]) if np.isfinite(self.spread).all() else np.inf
        return float(np.degrees(np.sqrt(max(worst, 0.0))))


def _moments(y: Floats, x: Floats, w: Floats) -> tuple[Floats, Floats, Floats, float, float]:
    total = w.sum()
    my, mx = w @ y / total, w @ x / total
    cross = (y.T * w) @ x / total - np.outer(my, mx)
    vx = float(w @ np.einsum("ij,ij->i", x, x) / total - mx @ mx)
    vy = float(w @ np.einsum("ij,ij->i", y, y) / total - my @ my)
    return my, mx, cross, max(vx, 1e-300), max(vy, 1e-300)


def _procrustes(cross: Floats, hand: int) -> tuple[Floats, float]:
    u, d, vt = np.linalg.svd(cross)
    last = hand * np.sign(np.linalg.det(u) * np.linalg.det(vt))
    return (u * (1.0, 1.0, last)) @ vt, float(d[0] + d[1] + last * d[2])


def fit_orthogonal(
    y: Floats,
    x: Floats,
    *,
    hand: int = 1,
    matrix: Floats | None = None,
    permutation: bool = False,
    scale: float | None = None,
    blocks: NDArray[np.intp] | None = None,
    start: Floats | None = None,
    steps: int = 12,
) -> Fit:
    """Fit y by s R x + b.

    Parameters
    ----------
    y, x : ndarray, shape (n, 3)
        Finite; more than ten rows.
    hand : {1, -1}
        Whether R is a rotation or has a mirror in it.
    matrix : ndarray, shape (3, 3), optional
        R itself where it is given.
    permutation : bool
        Take R from the 24 signed permutations of this hand.
    scale : float, optional
        s itself where it is given.
    blocks : ndarray, shape (k + 1,), optional
        Borders of blocks of rows, for `Fit.spread`.
    start : ndarray, shape (n,), optional
        Weights to begin with.
    steps : int
        At most so many rounds of weights.
    """
    w = np.ones(len(y)) if start is None else start
    sigma2 = previous = np.inf
    turn, s, b = np.eye(3), 1.0, np.zeros(3)
    r2 = np.zeros(len(y))
    floor = 1e-18 * float(np.einsum("ij,ij->", y, y) / max(len(y), 1)) + 1e-300
    for _ in range(steps):
        my, mx, cross, vx, _ = _moments(y, x, w)
        if matrix is not None:
            turn, gain = matrix, float(np.einsum("ij,ij->", matrix, cross))
        elif permutation:
            proper = SIGNED_PERMUTATIONS[np.linalg.det(SIGNED_PERMUTATIONS) * hand > 0]
            gains = np.einsum("kij,ij->k", proper, cross)
            turn, gain = proper[int(np.argmax(gains))], float(gains.max())
        else:
            turn, gain = _procrustes(cross, hand)
        s = max(gain, 0.0) / vx if scale is None else scale
        b = my - s * (turn @ mx)
        residual = y - x @ (s * turn).T - b
        r2 = np.einsum("ij,ij->i", residual, residual)
        if not np.isfinite(sigma2):
            sigma2 = max(float(np.median(r2)) / 2.366, floor)  # the median of chi-square with 3 degrees
        w = (NU + 3.0) / (NU + r2 / sigma2)
        sigma2 = max(float(w @ r2) / (3.0 * len(y)), floor)
        if abs(sigma2 - previous) < 1e-4 * sigma2:
            break
        previous = sigma2
    w = (NU + 3.0) / (NU + r2 / sigma2)
    _, _, _, _, vy = _moments(y, x, w)
    left = y - x @ (s * turn).T - b
    explained = 1.0 - float(w @ np.einsum("ij,ij->i", left, left) / w.sum()) / vy
    likelihood = -1.5 * np.log(sigma2) - 0.5 * (NU + 3.0) * np.log1p(r2 / (NU * sigma2))
    spread = _spread(x, y, left, w, turn, s, blocks)
    return Fit(turn, s, b, float(np.sqrt(sigma2)), explained, likelihood, spread, w)


def _spread(
    x: Floats, y: Floats, left: Floats, w: Floats, turn: Floats, s: float, blocks: NDArray[np.intp] | None
) -> Floats:
    """Covariance of a small turn of R on y's side: the sandwich of its information and the blocks' scores."""
    if blocks is None:
        blocks = np.linspace(0, len(y), min(40, len(y)) + 1).astype(np.intp)
    turned = (x - w @ x / w.sum()) @ (s * turn).T
    information = float(w @ np.einsum("ij,ij->i", turned, turned)) * np.eye(3) - (turned.T * w) @ turned
    score = block_sums(np.cross(turned, left) * w[:, None], blocks)
    try:
        inverse = np.linalg.inv(information)
    except np.linalg.LinAlgError:
        return np.full((3, 3), np.inf)
    if not np.isfinite(inverse).all() or np.linalg.cond(information) > 1e10:
        return np.full((3, 3), np.inf)
    return inverse @ (score.T @ score) @ inverse


def blocks_of(time: Floats, *, least: float = 1.0, few: int = 8, many: int = 40) -> NDArray[np.intp]:
    """Cut rows into blocks of equal time that each last at least `least` seconds, at most `many` of them.

    Times are those of the samples in use; seconds that are missing between them do not count.

    Returns
    -------
    ndarray, shape (k + 1,)
        Borders; k is at least 1, and less than `few` only where the rows are too short for more.
    """
    steps = np.diff(time)
    step = float(np.median(steps)) if len(steps) else 1.0
    lasting = len(time) * step
    count = int(np.clip(lasting / least, min(few, max(len(time) // 2, 1)), many))
    return np.linspace(0, len(time), count + 1).astype(np.intp)


def block_sums(values: Floats, blocks: NDArray[np.intp]) -> Floats:
    """Sum rows over each block."""
    return np.add.reduceat(values, blocks[:-1], axis=0)


@lru_cache(maxsize=64)
def resampled(count: int) -> Floats:
    """How often each of `count` blocks is drawn in each bootstrap sample, shape (DRAWS, count); always the same."""
    return (
        np.random.default_rng(count)
        .multinomial(count, np.full(count, 1.0 / count), size=DRAWS)
        .astype(np.float64)
    )


@dataclass(frozen=True, slots=True)
class Wins:
    """What may let one fit beat another; `benchmarks/diagnosis_mutants.py` shows what the values do.

    Attributes
    ----------
    r2 : float
        Share of the squares that the better one explains.
    chance : float
        Share of the resamplings in which it is not the better one.
    noise : float
        Noise that the other leaves, as a multiple of its own.
    gain : float
        Difference of the shares explained, unless the noise differs by a factor `clear`.
    """

    r2: float = 0.6
    chance: float = 0.001
    noise: float = 1.02
    gain: float = 0.001
    clear: float = 1.3


def beats(one: Fit, other: Fit, blocks: NDArray[np.intp], wins: Wins) -> tuple[bool, float]:
    """Return whether one fit is surely better than another, and the chance that it is not.

    It must explain enough by itself, be more likely in all but one in a thousand resamplings of the blocks, and leave
    so much less noise that the difference means something: where the motion is about one axis both fits are alike,
    and a tiny but steady difference between them is a coin toss.
    """
    differences = block_sums(one.likelihood - other.likelihood, blocks)
    chance = float(np.mean(resampled(len(differences)) @ differences <= 0.0))
    sure = (
        one.r2 > wins.r2
        and chance <= wins.chance
        and other.sigma / one.sigma > wins.noise
        and (one.r2 - other.r2 > wins.gain or other.sigma / one.sigma > wins.clear)
    )
    return sure, chance
