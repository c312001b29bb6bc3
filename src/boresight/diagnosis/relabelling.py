"""Which relabelling of axes a fitted matrix stands for, and whether the data rule the others out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.robust import Fit, Wins, block_sums, fit_all, resampled, turn_deviation
from boresight.diagnosis.twins import SIGNED_PERMUTATIONS, axes_name, nearest_axes

__all__ = ["Relabelling", "relabelling"]

Floats = NDArray[np.float64]

HALFWAY = 43.0
"""Degrees: two relabellings of one hand are 90 apart, so that an axis this far from its letter is nearly undecided."""


@dataclass(frozen=True, slots=True)
class Relabelling:
    """The signed permutation nearest to a fitted matrix.

    Attributes
    ----------
    axes : ndarray, shape (3, 3)
    rest : float
        Degrees between it and the fit.
    sigma : float
        Standard deviation of the fit about its worst axis, degrees.
    chance : float
        Chance, in resamplings of the blocks, that the best other relabelling of either admitted hand explains more.
    decided : bool
    """

    axes: Floats
    rest: float
    sigma: float
    chance: float
    decided: bool

    @property
    def name(self) -> str:
        """As `axes_name` writes it."""
        return axes_name(self.axes)


def relabelling(
    y: Floats,
    x: Floats,
    fit: Fit,
    blocks: NDArray[np.intp],
    *,
    scale: float,
    wins: Wins,
    hands: tuple[int, ...],
    transpose: bool = False,
) -> Relabelling:
    """Name the relabelling that a fit of y by ``scale · R · x + b`` stands for, and try it against all others.

    Parameters
    ----------
    hands : tuple of int
        Determinants that are admitted.
    transpose : bool
        Name the transpose of R.
    """
    nearest, rest = nearest_axes(fit.matrix)
    gains = np.einsum(
        "kij,ij->k", SIGNED_PERMUTATIONS, (y.T * fit.weights) @ (x - fit.weights @ x / fit.weights.sum())
    )
    admitted = np.isin(np.rint(np.linalg.det(SIGNED_PERMUTATIONS)), hands)
    ranked = [int(k) for k in np.argsort(-np.where(admitted, gains, -np.inf)) if admitted[k]]
    others = [k for k in ranked if not np.array_equal(SIGNED_PERMUTATIONS[k], nearest)][:4]
    chosen = np.stack([nearest, *SIGNED_PERMUTATIONS[others]])
    own, *rivals = fit_all(y, np.broadcast_to(x, (len(chosen), *x.shape)), matrices=chosen, scale=scale)
    chance, clear = 0.0, True
    for other in rivals:
        sums = block_sums(own.likelihood - other.likelihood, blocks)
        chance = max(chance, float(np.mean(resampled(len(sums)) @ sums <= 0.0)))
        ratio = other.sigma / own.sigma
        clear &= ratio > wins.noise and (own.r2 - other.r2 > wins.gain or ratio > wins.clear)
    sigma = turn_deviation(y, x, fit, blocks)
    decided = fit.r2 > wins.r2 and rest + 3.0 * sigma < HALFWAY and chance <= wins.chance and clear
    return Relabelling(nearest.T if transpose else nearest, rest, sigma, chance, decided)
