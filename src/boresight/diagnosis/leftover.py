"""Whether what the best reading leaves of the gyro is noise, or depends on the attitude.

A reading may be better than every other and explain nearly all of the gyro, and still not be right: quaternions put
together from Euler angles in another sequence are no order, direction or axes of the truth, nor are rates of Euler
angles those of a body. What such a record leaves is no noise. It is a function of the attitude times the rate, since
the rate of any attitude that is made of another is ``J(A) · w``.

Two models of the gyro are held against each other on blocks of time that neither has seen. The base is
``B w + C w' + b`` with B and C any matrices, so that scales, cross-axis errors, the mount, and delays are no structure. The wider one lets B depend on where one
axis of the world stands in the body, or one of the body in the world, up to its squares; or on all of A.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.gyro import Key, RateEvidence
from boresight.diagnosis.rates import attitude_under

__all__ = ["STRUCTURE", "depends_on_attitude", "share_of_attitude"]

Floats = NDArray[np.float64]

STRUCTURE = (
    "what the gyro measures beyond this attitude's turns depends on the attitude itself, as when Euler angles are put"
    " together in another sequence, or the gyro's numbers are rates of Euler angles or in the world's axes"
)
FOLDS = 20
RIDGE = 1e-5
"""Of the wider model's terms, each first brought to unit length."""
BASE = 7
"""Terms of the base: the rate, how it changes, and an offset."""

LEAST_LEFT, LITTLE_LEFT = 5e-5, 5e-4
"""Shares of the gyro's squares left below which there is nothing to explain, and below which it must be clearer: where
there is hardly any noise, the length of the steps shows."""
STRUCTURED, CLEARLY = 0.35, 0.6
"""Share of what is left that the attitude tells, above which a hypothesis is not right as it is. Of recordings whose
sense is decided it is at most .02; of Euler angles in a wrong sequence .45 and more."""
LEAST_ROWS = 300
"""Steps below which the wider models say nothing: a few seconds of any motion go with the attitude."""


def depends_on_attitude(rates: RateEvidence, key: Key) -> bool:
    """Return whether what a hypothesis leaves of the gyro surely depends on the attitude."""
    share, left = share_of_attitude(rates, key)
    return left > LEAST_LEFT and share > (STRUCTURED if left > LITTLE_LEFT else CLEARLY)


def share_of_attitude(rates: RateEvidence, key: Key) -> tuple[float, float]:
    """Return the share of what a hypothesis leaves of the gyro that the attitude tells on blocks not fitted.

    Parameters
    ----------
    rates : RateEvidence
    key : (Hypothesis, int)

    Returns
    -------
    share : float
        About 0, or less, where noise is left; near 1 where nearly all of it depends on the attitude.
    left : float
        Share of the gyro's squares that is left.
    """
    x, weights = rates.series[key[0]], rates.fits[key].weights
    y = rates.gyro / rates.scale
    attitude = np.asarray(kernels.to_matrix(attitude_under(rates.quat, key[0])), dtype=np.float64)
    count = len(rates.blocks) - 1
    chosen = np.unique(np.linspace(0, count, min(FOLDS, count) + 1).round().astype(np.intp))
    folds = rates.blocks[chosen]
    if len(folds) < 4 or len(x) < LEAST_ROWS:
        return 0.0, 0.0
    base = np.hstack([x, _changes(x, rates.index), np.ones((len(x), 1))])
    least = _left(base, y, weights, folds)
    own = y - np.average(y, axis=0, weights=weights)
    power = float(weights @ np.einsum("ij,ij->i", own, own))
    if not least > LEAST_LEFT * power:
        return 0.0, 0.0
    wider = [_left(np.hstack([base, wide]), y, weights, folds) for wide in _terms(attitude, x)]
    return 1.0 - min(wider) / least, least / power


def _changes(x: Floats, index: NDArray[np.intp]) -> Floats:
    """Return by how much rates change from the step before to the step after; 0 where one of them takes no part."""
    out = np.zeros_like(x)
    inside = np.flatnonzero(index[2:] - index[:-2] == 2) + 1
    out[inside] = x[inside + 1] - x[inside - 1]
    return out


def _terms(attitude: Floats, x: Floats) -> Iterator[Floats]:
    """Yield the terms of the wider models beside the base's, (n, m)."""
    rows = len(x)
    yield np.einsum("nk,nj->nkj", attitude.reshape(rows, 9), x).reshape(rows, 27)
    first, second = np.triu_indices(3)
    for axis in range(3):
        for seen in (attitude[:, axis, :], attitude[:, :, axis]):
            linear = np.einsum("nk,nj->nkj", seen, x).reshape(rows, 9)
            yield linear
            products = seen[:, first] * seen[:, second]
            yield np.hstack([linear, np.einsum("nk,nj->nkj", products, x).reshape(rows, 18)])


def _left(terms: Floats, y: Floats, weights: Floats, folds: NDArray[np.intp]) -> float:
    """Return the weighted squares left of y in each fold by the fit to all others, summed."""
    weighted = terms * weights[:, None]
    pairs = list(pairwise(folds))
    grams = np.stack([weighted[i:j].T @ terms[i:j] for i, j in pairs])
    crosses = np.stack([weighted[i:j].T @ y[i:j] for i, j in pairs])
    grams, crosses = grams.sum(axis=0) - grams, crosses.sum(axis=0) - crosses
    lengths = np.sqrt(np.einsum("kii->ki", grams)) + 1e-300
    ridge = np.full(terms.shape[1], RIDGE)
    ridge[:BASE] = 1e-9
    normal = grams / lengths[:, :, None] / lengths[:, None, :] + np.diag(ridge)
    found = cast("Floats", np.linalg.solve(normal, crosses / lengths[:, :, None])) / lengths[:, :, None]
    total = 0.0
    for (i, j), fitted in zip(pairs, found, strict=True):
        left = y[i:j] - terms[i:j] @ fitted
        total += float(weights[i:j] @ np.einsum("ij,ij->i", left, left))
    return total
