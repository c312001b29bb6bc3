"""The modified Bessel functions I₀ and I₁, times exp(-x): they neither overflow nor need a library of functions."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["i0e", "i1e"]

_SWITCH = 22.0  # beyond it the least term of the asymptotic series is below 1e-17
_TERMS = 80  # of the power series up to there
_FAR = 30


def i0e(x: Any) -> Any:
    """exp(-x) I₀(x) for x >= 0.

    Examples
    --------
    >>> float(i0e(1.0))
    0.46575960759364...
    """
    return _scaled(x, 0)


def i1e(x: Any) -> Any:
    """exp(-x) I₁(x) for x >= 0.

    Examples
    --------
    >>> float(i1e(1.0))
    0.20791041534970...
    """
    return _scaled(x, 1)


def _scaled(x: Any, order: int) -> Any:
    values = np.asarray(x, dtype=np.float64)
    # Σ (x/2)^(2k + n) / (k! (k + n)!): all terms positive, nothing cancels.
    near = np.minimum(values, _SWITCH)
    square = near * near / 4
    term = np.exp(-near) * (near / 2 if order else 1.0)
    small = term
    for k in range(1, _TERMS):
        term = term * square / (k * (k + order))
        small = small + term
    # (2πx)^(-1/2) Σ (-1)^k (4n² - 1)(4n² - 9) … / (k! (8x)^k)
    far = np.maximum(values, _SWITCH)
    term = 1 / np.sqrt(2 * np.pi * far)
    large = term
    for k in range(1, _FAR):
        term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * far)
        large = large + term
    return np.where(values < _SWITCH, small, large)
