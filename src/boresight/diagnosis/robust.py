"""Robust fits of one series of vectors to another turned by a constant matrix, and what their residuals decide.

The model is ``y = s · R · x + b``: R orthogonal (a rotation, or with a mirror in it), s a positive scale, b an offset.
Residuals are taken as multivariate Student t with four degrees of freedom, so that resets, shocks and drop-outs lose
their weight by themselves; each fit has its own scale of noise.

Two fits are compared by the log-likelihoods of their samples, summed over blocks of time, because neighbouring
residuals are not independent, and a bootstrap of those blocks says how sure the difference is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DRAWS",
    "Fit",
    "Wins",
    "beats",
    "block_sums",
    "blocks_of",
    "fit_all",
    "fit_orthogonal",
    "resampled",
    "turn_deviation",
]

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
    weights : ndarray, shape (n,)
    """

    matrix: Floats
    scale: float
    offset: Floats
    sigma: float
    r2: float
    likelihood: Floats
    weights: Floats


def _procrustes(cross: Floats, hands: Floats) -> tuple[Floats, Floats]:
    """Orthogonal matrices (k, 3, 3) of given hands with the largest traces against cross-covariances, and the traces."""
    u, d, vt = np.linalg.svd(cross)
    last = hands * np.sign(np.linalg.det(u) * np.linalg.det(vt))
    turned = u.copy()
    turned[..., 2] *= last[:, None]
    return turned @ vt, d[:, 0] + d[:, 1] + last * d[:, 2]


def fit_orthogonal(
    y: Floats,
    x: Floats,
    *,
    hand: int = 1,
    matrix: Floats | None = None,
    scale: float | None = None,
    steps: int = 12,
) -> Fit:
    """Fit y by s R x + b; `fit_all` for one x."""
    given = None if matrix is None else matrix[None]
    return fit_all(y, x[None], hands=[hand], matrices=given, scale=scale, steps=steps)[0]


def fit_all(
    y: Floats,
    x: Floats,
    *,
    hands: Sequence[int] | None = None,
    matrices: Floats | None = None,
    scale: float | None = None,
    steps: int = 12,
) -> list[Fit]:
    """Fit y by s R x + b for many x at once.

    Parameters
    ----------
    y : ndarray, shape (n, 3) or (k, n, 3)
        Finite; more than ten rows.
    x : ndarray, shape (k, n, 3)
    hands : sequence of {1, -1}, length k
        Whether R is a rotation or has a mirror in it.
    matrices : ndarray, shape (k, 3, 3), optional
        R itself where it is given.
    scale : float, optional
        s itself where it is given.
    steps : int
        At most so many rounds of weights. After the third, fits with several times the noise of the best are left as
        they are: what they are worse by is known well enough.
    """
    count, rows = x.shape[0], x.shape[1]
    signs = np.ones(count) if hands is None else np.asarray(hands, dtype=np.float64)
    ys = np.broadcast_to(y, x.shape)
    floor = 1e-18 * float(np.einsum("...i,...i->...", y, y).mean()) + 1e-300
    state = _State.new(count, rows)
    todo = cast("NDArray[np.intp]", np.arange(count))
    for step in range(steps):
        before = state.sigma2[todo].copy()
        state.round(todo, ys, x, signs, matrices, scale, floor)
        after = state.sigma2[todo]
        going = np.abs(after - before) >= 1e-4 * after
        if step >= 2:
            going &= after < 9.0 * float(state.sigma2.min())
        todo = todo[going]
        if not len(todo):
            break
    return state.fits(ys)


@dataclass
class _State:
    """Where the rounds of weights have come to, for k fits."""

    weights: Floats
    sigma2: Floats
    squares: Floats
    turns: Floats
    scales: Floats
    offsets: Floats

    @staticmethod
    def new(count: int, rows: int) -> _State:
        return _State(
            np.ones((count, rows)),
            np.full(count, np.inf),
            np.zeros((count, rows)),
            np.tile(np.eye(3), (count, 1, 1)),
            np.ones(count),
            np.zeros((count, 3)),
        )

    def round(
        self,
        todo: NDArray[np.intp],
        ys: Floats,
        xs: Floats,
        hands: Floats,
        matrices: Floats | None,
        scale: float | None,
        floor: float,
    ) -> None:
        """Fit with the weights that there are, and weigh anew."""
        every = len(todo) == len(xs)
        y, x, w = (ys, xs, self.weights) if every else (ys[todo], xs[todo], self.weights[todo])
        total = w.sum(axis=1)
        my = (w[:, None, :] @ y)[:, 0] / total[:, None]
        mx = (w[:, None, :] @ x)[:, 0] / total[:, None]
        weighted = x * w[:, :, None]
        cross = (y.swapaxes(1, 2) @ weighted) / total[:, None, None] - my[:, :, None] * mx[:, None, :]
        if matrices is None:
            turn, gain = _procrustes(cross, hands[todo])
        else:
            turn = matrices[todo]
            gain = np.einsum("kij,kij->k", turn, cross)
        if scale is None:
            power = np.einsum("kni,kni->k", weighted, x) / total - np.einsum("ki,ki->k", mx, mx)
            s = np.maximum(gain, 0.0) / np.maximum(power, 1e-300)
        else:
            s = np.full(len(todo), scale)
        b = my - s[:, None] * (turn @ mx[:, :, None])[:, :, 0]
        left = y - x @ (s[:, None, None] * turn).swapaxes(1, 2)
        left -= b[:, None, :]
        r2 = np.einsum("kni,kni->kn", left, left)
        sigma2 = self.sigma2[todo]
        fresh = ~np.isfinite(sigma2)
        if fresh.any():
            # The median of chi-square with three degrees of freedom is 2.366.
            sigma2[fresh] = np.maximum(np.median(r2[fresh], axis=1) / 2.366, floor)
        w = (NU + 3.0) / (NU + r2 / sigma2[:, None])
        sigma2 = np.maximum(np.einsum("kn,kn->k", w, r2) / (3.0 * r2.shape[1]), floor)
        w = (NU + 3.0) / (NU + r2 / sigma2[:, None])
        self.weights[todo], self.sigma2[todo], self.squares[todo] = w, sigma2, r2
        self.turns[todo], self.scales[todo], self.offsets[todo] = turn, s, b

    def fits(self, ys: Floats) -> list[Fit]:
        """Write the results down."""
        w = self.weights
        total = w.sum(axis=1)
        my = (w[:, None, :] @ ys)[:, 0] / total[:, None]
        vy = np.einsum("kn,kn->k", w, np.einsum("kni,kni->kn", ys, ys)) / total - np.einsum(
            "ki,ki->k", my, my
        )
        r2 = 1.0 - np.einsum("kn,kn->k", w, self.squares) / total / np.maximum(vy, 1e-300)
        ratio = self.squares / (NU * self.sigma2[:, None])
        likelihood = -1.5 * np.log(self.sigma2)[:, None] - 0.5 * (NU + 3.0) * np.log1p(ratio)
        return [
            Fit(
                self.turns[k],
                float(self.scales[k]),
                self.offsets[k],
                float(np.sqrt(self.sigma2[k])),
                float(r2[k]),
                likelihood[k],
                w[k],
            )
            for k in range(len(w))
        ]


def turn_deviation(y: Floats, x: Floats, fit: Fit, blocks: NDArray[np.intp]) -> float:
    """Return the standard deviation of R about its worst axis, degrees: infinite where an axis is not observed.

    The sandwich of the fit's information on a small turn and the scatter of the blocks' scores, since neighbouring
    residuals are not independent.
    """
    w = fit.weights
    left = y - x @ (fit.scale * fit.matrix).T - fit.offset
    turned = (x - w @ x / w.sum()) @ (fit.scale * fit.matrix).T
    information = float(w @ np.einsum("ij,ij->i", turned, turned)) * np.eye(3) - (turned.T * w) @ turned
    score = block_sums(np.cross(turned, left) * w[:, None], blocks)
    values = np.linalg.eigvalsh(information)
    if not values[0] > 1e-10 * values[-1]:
        return float("inf")
    inverse = cast("Floats", np.linalg.inv(information))
    worst = np.linalg.eigvalsh(inverse @ (score.T @ score) @ inverse)
    return float(np.degrees(np.sqrt(max(float(worst[-1]), 0.0))))


def blocks_of(spans: Floats, *, least: float = 1.0, few: int = 8, many: int = 40) -> NDArray[np.intp]:
    """Cut rows into blocks of equal time that each last at least `least` seconds, at most `many` of them.

    Parameters
    ----------
    spans : ndarray, shape (n,)
        Seconds that each row lasts; time between the rows does not count.

    Returns
    -------
    ndarray, shape (k + 1,)
        Borders; k is less than `few` only where there are too few rows for more.
    """
    total = np.cumsum(spans)
    count = int(np.clip(total[-1] / least, min(few, max(len(spans) // 2, 1)), many))
    shares = total[-1] * np.arange(1, count, dtype=np.float64) / count
    inner = cast("NDArray[np.intp]", np.searchsorted(total, shares))
    return np.unique(np.concatenate(([0], inner, [len(spans)]))).astype(np.intp)


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
    clear: float = 2.0


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
