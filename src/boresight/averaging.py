"""Means of rotations and of poses, and whether there is only one.

The chordal mean is the rotation whose matrix is nearest to the mean of the matrices: the eigenvector of the largest
eigenvalue of the sum of w q qᵀ (Markley et al., Averaging quaternions, J. Guidance, Control, and Dynamics 30, 2007).
The geodesic mean has the least sum of squared angles; it is found by averaging in the tangent space at the current
estimate until nothing moves (Manton 2004; Hartley et al., Rotation averaging, IJCV 103, 2013). For rotations close to
each other the two agree to third order in the spread.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .errors import InvalidRowsError
from .rows import Floats, Invalid, check_policy, floats

__all__ = ["MeanReport", "Metric", "mean_pose", "mean_rotation"]

Metric = Literal["chordal", "geodesic"]

_ITERATIONS = 200
# Two minima count as equally good if their costs differ by no more than this part, and as two if they are further
# apart than this angle.
_SAME_COST = 1e-10
_APART = 1e-5


@dataclass(frozen=True, slots=True)
class MeanReport:
    """What is known of a mean besides its value.

    Attributes
    ----------
    unique : bool or ndarray of bool
        Whether no other rotation is as good. The mean of the identity and a half turn is not unique: the quarter
        turn one way is as good as that the other way. For the chordal mean this is exact, up to rounding; for the
        geodesic one it is found by searching from four starts spread over all rotations.
    spread : float or ndarray
        Root of the weighted mean of squared angles from the mean, in radians.
    iterations : int
        How often the estimate was improved; 0 for the chordal mean, which is found at once.
    """

    unique: Any
    spread: Any
    iterations: int


def mean_rotation(
    q: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    metric: Metric = "chordal",
    invalid: Invalid = "raise",
) -> tuple[Floats, MeanReport]:
    """Weighted mean of rotations along the last axis of the batch.

    Parameters
    ----------
    q : array_like, shape (..., n, 4)
        Unit quaternions, xyzw; q and -q count as the one rotation that they are. NaN in one gives a mean of NaN.
    weights : array_like, shape (..., n), optional
        Not negative, with a sum above zero; broadcast with the batch. All equal by default.
    metric : {"chordal", "geodesic"}
        What the mean is least in: the chords between matrices, or the angles.
    invalid : {"raise", "nan"}
        What to do where there is nothing to average: n = 0, or all weights zero.

    Returns
    -------
    mean : ndarray, shape (..., 4)
        Of the sign that is nearer to the first quaternion of its set.
    report : MeanReport

    Raises
    ------
    InvalidRowsError
        If there is nothing to average, and `invalid` is ``"raise"``.
    ValueError
        For weights that are negative or not finite.

    Examples
    --------
    >>> q = kernels.exp([[0.1, 0, 0], [3.0, 0, 0]])
    >>> mean, report = mean_rotation(q)
    >>> kernels.log(mean).round(12) + 0.0, report.unique
    (array([1.55, 0.  , 0.  ]), True)
    >>> mean_rotation(kernels.exp([[0, 0, 0], [0, 0, np.pi]]))[1].unique
    False
    """
    if metric not in ("chordal", "geodesic"):
        raise ValueError(f'metric= is "chordal" or "geodesic", not {metric!r}')
    given = floats(q, 4, "the quaternions")
    if given.ndim < 2:
        raise ValueError(f"a mean is taken of rotations of shape (..., n, 4), not {given.shape}")
    w = checked_weights(weights, given.shape[:-1])
    shape = w.shape[:-1]
    rows = np.broadcast_to(given, (*w.shape, 4)).astype(np.float64, copy=False)
    total = w.sum(axis=-1)
    nothing = total == 0
    _settle(nothing, invalid)
    missing = nothing | (np.isnan(rows).any(axis=-1) & (w > 0)).any(axis=-1)
    # What is missing is put right at the end: the linear algebra must not see it.
    usable = np.where(np.isnan(rows).any(axis=-1, keepdims=True), np.array([0.0, 0.0, 0.0, 1.0]), rows)
    share = w / np.where(nothing, 1.0, total)[..., np.newaxis]
    mean, unique, starts = _chordal(usable, share, float(np.finfo(given.dtype).eps))
    iterations = 0
    if metric == "geodesic" and rows.size:
        mean, unique, iterations = _geodesic(usable, share, mean, unique, starts)
    if rows.shape[-2]:
        first = np.einsum("...i,...i->...", mean, usable[..., 0, :])
        mean = np.where((first < 0)[..., np.newaxis], -mean, mean)
    spread = np.sqrt(_cost(usable, share, mean))
    mean[missing] = np.nan
    spread = np.where(missing, np.nan, spread)
    unique = unique & ~missing
    report = MeanReport(unique if shape else bool(unique), spread if shape else float(spread), iterations)
    return mean.astype(given.dtype, copy=False), report


def mean_pose(
    q: ArrayLike,
    t: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    metric: Metric = "chordal",
    invalid: Invalid = "raise",
) -> tuple[Floats, Floats, MeanReport]:
    """Weighted mean of poses: the mean of the rotations, and that of the translations.

    The two are averaged apart, so no length has to be weighed against an angle; the mean moves along when all poses
    are moved by one more pose from the left.

    Parameters
    ----------
    q : array_like, shape (..., n, 4)
        Unit quaternions, xyzw.
    t : array_like, shape (..., n, 3)
        Translations.
    weights, metric, invalid
        As for `mean_rotation`.

    Returns
    -------
    q : ndarray, shape (..., 4)
    t : ndarray, shape (..., 3)
    report : MeanReport
        Of the rotations.

    Raises
    ------
    InvalidRowsError, ValueError
        As `mean_rotation`.

    Examples
    --------
    >>> q, t, report = mean_pose(kernels.exp(np.zeros((2, 3))), [[0, 0, 0], [4, 0, 0]], [3, 1])
    >>> t
    array([1., 0., 0.])
    """
    rows, positions = floats(q, 4, "the quaternions"), floats(t, 3, "the translations")
    batch = np.broadcast_shapes(rows.shape[:-1], positions.shape[:-1])
    rows = np.broadcast_to(rows, (*batch, 4))
    mean, report = mean_rotation(rows, weights, metric=metric, invalid=invalid)
    w = checked_weights(weights, batch)
    total = w.sum(axis=-1, keepdims=True)
    share = (w / np.where(total == 0, 1.0, total))[..., np.newaxis]
    # A weight of zero hides whatever the row holds.
    position = np.where(share > 0, positions * share, 0.0).sum(axis=-2)
    missing = np.isnan(mean).any(axis=-1) | np.isnan(position).any(axis=-1)
    mean[missing] = position[missing] = np.nan
    dtype = np.result_type(rows, positions)
    return mean.astype(dtype, copy=False), position.astype(dtype, copy=False), report


def in_sets(
    values: Floats, weights: ArrayLike | None, batch: tuple[int, ...], axis: int | None
) -> tuple[Floats, Floats | None]:
    """Rows to be averaged along one axis of their batch, or all of them, as sets (..., n, columns) with weights."""
    w = None if weights is None else floats(weights, 0, "the weights")
    if w is not None:
        try:
            w = np.broadcast_to(w, batch)
        except ValueError:
            raise ValueError(_misfit(w, batch)) from None
    if axis is None:
        return values.reshape(-1, values.shape[-1]), None if w is None else w.reshape(-1)
    if not -len(batch) <= axis < len(batch):
        raise ValueError(f"axis={axis} is none of a batch of shape {batch}")
    place = axis % len(batch)
    return np.moveaxis(values, place, -2), None if w is None else np.moveaxis(w, place, -1)


def checked_weights(
    weights: ArrayLike | None, batch: tuple[int, ...], *, one_infinite: bool = False
) -> Floats:
    """Weights of a batch (..., n), broadcast with it; halved often enough where their sum might overflow.

    Raises
    ------
    ValueError
        For negative weights and for NaN, naming the first, and for weights whose shape does not fit.
    """
    if weights is None:
        return np.ones(batch)
    w = floats(weights, 0, "the weights").astype(np.float64, copy=False)
    bad = ~(w >= 0) if one_infinite else ~((w >= 0) & (w < np.inf))
    if np.asarray(bad).any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"weight {w[index]} at {index} is not usable; give finite weights of zero or more")
    try:
        w = np.broadcast_to(w, np.broadcast_shapes(w.shape, batch))
    except ValueError:
        raise ValueError(_misfit(w, batch)) from None
    largest = np.where(np.isinf(w), 0.0, w).max(axis=-1, keepdims=True, initial=0.0)
    # Only their ratios count, and a power of two keeps those exact.
    return (
        np.ldexp(w, -512)
        if (large := largest > 1e200).all()
        else (np.where(large, np.ldexp(w, -512), w) if large.any() else w)
    )


def _misfit(w: Floats, batch: tuple[int, ...]) -> str:
    return f"weights of shape {w.shape} do not broadcast with the batch, whose shape is {batch}"


def _settle(nothing: NDArray[np.bool_], invalid: Invalid) -> None:
    check_policy(invalid)
    if invalid == "raise" and nothing.any():
        first = tuple(int(i) for i in np.argwhere(nothing)[0])
        raise InvalidRowsError(
            "nothing to average (no rotations, or all weights are zero)",
            row=first,
            count=int(np.count_nonzero(nothing)),
            what="set of rotations with a mean",
        )


def _chordal(q: Floats, share: Floats, eps: float) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """The mean, whether it is the only one, and the four eigenvectors as quaternions, best first."""
    moment = np.einsum("...n,...ni,...nj->...ij", share, q, q)
    values, vectors = np.linalg.eigh(moment)
    unique = np.asarray(values[..., 3] - values[..., 2] > 64 * eps)
    starts = np.swapaxes(vectors, -1, -2)[..., ::-1, :]
    return starts[..., 0, :].copy(), unique, starts


def _angles(q: Floats, mean: Floats) -> Floats:
    return kernels.angle(kernels.multiply(kernels.conjugate(mean)[..., np.newaxis, :], q))


def _cost(q: Floats, share: Floats, mean: Floats) -> Floats:
    return np.asarray((share * _angles(q, mean) ** 2).sum(axis=-1))


def _geodesic(
    q: Floats, share: Floats, mean: Floats, unique: NDArray[np.bool_], starts: Floats
) -> tuple[Floats, NDArray[np.bool_], int]:
    mean, iterations = _descend(q, share, mean)
    # Within a quarter turn of the mean there is no other (Karcher); else look from the other starts too.
    far = (np.where(share > 0, _angles(q, mean), 0.0) >= pi / 2).any(axis=-1)
    if not (far.any() or (~unique).any()):
        return mean, unique, iterations
    others, more = _descend(q[..., np.newaxis, :, :], share[..., np.newaxis, :], starts)
    candidates = np.concatenate([mean[..., np.newaxis, :], others], axis=-2)
    costs = _cost(q[..., np.newaxis, :, :], share[..., np.newaxis, :], candidates)
    best = np.argmin(costs, axis=-1)[..., np.newaxis]
    found = np.take_along_axis(candidates, best[..., np.newaxis], axis=-2)[..., 0, :]
    least = np.take_along_axis(costs, best, axis=-1)
    rival = (costs <= least * (1 + _SAME_COST)) & (_angles(candidates, found) > _APART)
    return found, unique & ~rival.any(axis=-1), max(iterations, more)


def _descend(q: Floats, share: Floats, mean: Floats) -> tuple[Floats, int]:
    """Average in the tangent space until nothing moves; each mean stops by itself, whatever the others do."""
    last = np.full(mean.shape[:-1], np.inf)
    moving = np.ones(mean.shape[:-1], np.bool_)
    for iteration in range(1, _ITERATIONS + 1):
        tangent = kernels.log(kernels.multiply(kernels.conjugate(mean)[..., np.newaxis, :], q))
        step = np.einsum("...n,...ni->...i", share, tangent)
        ahead = kernels.multiply(mean, kernels.exp(step))
        ahead = ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
        mean = np.where(moving[..., np.newaxis], ahead, mean)
        moved = np.abs(step).max(axis=-1)
        moving &= ~((moved < 4e-16) | ((moved < 1e-13) & (moved >= last)))
        if not moving.any():
            return mean, iteration
        last = moved
    return mean, _ITERATIONS
