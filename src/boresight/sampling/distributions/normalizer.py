"""The normalising constant of the matrix Fisher law, c(S) = ∫ exp(tr S R) dR over Haar's measure, and its derivatives.

By one integral, exact for any diagonal S (T. Lee, arXiv:1710.03746; i, j, k any order of 1, 2, 3):

    c(S) = ½ ∫ I₀(½ (sᵢ - sⱼ)(1 - u)) I₀(½ (sᵢ + sⱼ)(1 + u)) exp(sₖ u) du over [-1, 1].

With S = diag(s) the law of the quaternion of R is exp(-Σ wᵢ qᵢ²) times a constant, where w₁ = 2 (s₂ + s₃) belongs to x,
and so on; all that the integral needs of s are these three and their differences, which is what is taken here, since of
very different w the s would have lost the small ones. Exponents taken out, everything is between 0 and 1 and nothing
overflows; v = 1 - u is what is integrated over, on panels that halve towards both ends, so that the sharpest of laws is
seen and 1 - E Rₖₖ has all its digits.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from ..streams import Doubles
from .bessel import i0e, i1e

__all__ = ["Moments", "log_normalizer", "moments"]

_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(20)


class Moments(NamedTuple):
    """What the diagonal of R is like under the law of the weights w."""

    log_constant: float  # log of the integral of exp(-Σ wᵢ qᵢ²)
    lost: Doubles  # 1 - E Rᵢᵢ, shape (3,)
    covariance: Doubles  # of the Rᵢᵢ with each other, shape (3, 3)

    def squares(self) -> Doubles:
        """E qᵢ² of x, y and z, shape (3,)."""
        a, b, c = self.lost
        return np.array([b + c - a, c + a - b, a + b - c]) / 4

    def squares_covariance(self) -> Doubles:
        """Of qᵢ² of x, y and z with each other, shape (3, 3)."""
        turn = (np.ones((3, 3)) - 2 * np.eye(3)) / 4
        return turn @ self.covariance @ turn


def _panels(scale: float) -> tuple[Doubles, Doubles]:
    """Nodes and weights on [0, 1], closer together towards 0 by the scale of what happens there."""
    edges = [1.0]
    while edges[-1] * scale > 0.5:
        edges.append(edges[-1] / 2)
    bounds = np.array([0.0, *reversed(edges)])
    half = np.diff(bounds)[:, np.newaxis] / 2
    nodes = bounds[:-1, np.newaxis] + half * (1 + _ABSCISSAE)
    return nodes.ravel(), (half * _WEIGHTS).ravel()


class _Integrand:
    """The integrand of one choice of k, at nodes of v = 1 - u, with its weights."""

    def __init__(self, w: Doubles, k: int) -> None:
        self.i, self.j = (n for n in range(3) if n != k)
        apart, together = (w[self.j] - w[self.i]) / 2, w[k] / 2
        # What is left of the exponent is -rate v; the largest of the s and the least stand opposite each other in it.
        rate = (w[1] if k == 0 else w[0]) / 2
        near, near_weights = _panels(max(rate, apart))
        far, far_weights = _panels(together)
        self.v = np.concatenate([near, 2 - far])
        # 2 - v, which is 1 + u, without loss at either end.
        self.rest = np.concatenate([2 - near, far])
        self.x, self.y = apart * self.v / 2, together * self.rest / 2
        self.weight = 0.5 * np.exp(-rate * self.v) * np.concatenate([near_weights, far_weights])
        self.first, self.second = i0e(self.x), i0e(self.y)
        self.total = float((self.weight * self.first * self.second).sum())

    def mean(self, values: Doubles) -> float:
        """Of a function of v, under the law of 1 - Rₖₖ."""
        return float((self.weight * self.first * self.second * values).sum()) / self.total


def log_normalizer(w: Doubles) -> float:
    """The logarithm of the integral of exp(-Σ wᵢ qᵢ²) over Haar's measure, for 0 <= w₁ <= w₂ <= w₃."""
    return log(_Integrand(w, 0).total)


def moments(w: Doubles) -> Moments:
    """The same with the first two moments of the diagonal of R, which are its derivatives.

    Parameters
    ----------
    w : ndarray, shape (3,)
        With 0 <= w₁ <= w₂ <= w₃.
    """
    lost, covariance = np.zeros(3), np.zeros((3, 3))
    constant = 0.0
    for k in range(3):
        f = _Integrand(w, k)
        if k == 0:
            constant = log(f.total)
        lost[k] = f.mean(f.v)
        deviation = f.v - lost[k]
        covariance[k, k] = f.mean(deviation**2)
        # By sᵢ and sⱼ under the integral sign: what becomes of I₀ is I₁, by (1 - u)/2 and (1 + u)/2.
        by_apart = f.weight * i1e(f.x) * f.second * f.v / 2
        by_together = f.weight * f.first * i1e(f.y) * f.rest / 2
        # v is 1 - Rₖₖ, so the sign turns.
        covariance[k, f.i] = -float(((by_together + by_apart) * deviation).sum()) / f.total
        covariance[k, f.j] = -float(((by_together - by_apart) * deviation).sum()) / f.total
    return Moments(constant, lost, (covariance + covariance.T) / 2)
