"""Rotations and poses that bring one set of vectors or points onto another, and what decides them.

Wahba's problem is solved by the singular value decomposition of the weighted sum of a bᵀ (Markley and Mortari,
Quaternion attitude estimation using vector observations, J. Astronautical Sciences 48, 2000), that of point sets by
the same on centred points (Umeyama, IEEE PAMI 13, 1991). The result is a rotation whatever is put in, never a
reflection, and the report says whether it is the only one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .averaging import checked_weights
from .errors import InvalidRowsError
from .parameters import shortest_arc
from .rows import Floats, Invalid, check_policy, floats

__all__ = ["AlignReport", "align_points", "align_vectors"]

# Singular values below this part of the largest count as zero, in units of the precision that came in.
_ZERO = 64.0


@dataclass(frozen=True, slots=True)
class AlignReport:
    """What is known of an alignment besides its value.

    Attributes
    ----------
    unique : bool or ndarray of bool
        Whether no other rotation fits as well.
    rank : int or ndarray of int
        In how many independent directions the sets agree to have something: 0 nothing usable, 1 one vector or
        collinear ones (any turn about it fits as well), 2 a plane, 3 all. About a fixed axis: 1 if the turn is
        determined, else 0.
    residual : float or ndarray
        Root of the weighted mean of squared distances that are left, in the unit of the vectors.
    """

    unique: Any
    rank: Any
    residual: Any


def align_vectors(
    a: ArrayLike,
    b: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    axis: ArrayLike | None = None,
    invalid: Invalid = "raise",
) -> tuple[Floats, AlignReport]:
    """The rotation R for which ``a ≈ R b``: Wahba's problem, with the arguments in scipy's order.

    Of rotations that fit equally well because the vectors leave a turn open (rank 1) it gives the one of least
    angle; with nothing to go by (rank 0), the identity.

    Parameters
    ----------
    a, b : array_like, shape (..., n, 3)
        What the vectors are in the target and in the source; batches broadcast. Lengths count like weights.
    weights : array_like, shape (..., n), optional
        Not negative. One of a set may be infinite: that pair is aligned exactly, and the others decide the turn
        about it.
    axis : array_like, shape (3,), optional
        Only rotations about this axis: ``[0, 0, 1]`` for the heading alone.
    invalid : {"raise", "nan"}
        What to do with sets in which a number is not finite.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions, xyzw.
    report : AlignReport

    Raises
    ------
    InvalidRowsError
        With ``invalid="raise"``.
    ValueError
        For negative weights, several infinite ones in one set, an infinite one with `axis`, an infinite one of a
        vector of length zero, or an axis of length zero.

    Examples
    --------
    >>> a, b = [[0, 1, 0], [-1, 0, 0]], [[1, 0, 0], [0, 1, 0]]
    >>> q, report = align_vectors(a, b)
    >>> kernels.to_euler("ZYX", q, degrees=True).round(9) + 0.0
    array([90.,  0.,  0.])
    >>> report.unique, report.rank
    (True, 2)
    >>> align_vectors([[0, 1, 0]], [[1, 0, 0]])[1].unique
    False
    """
    one, two = floats(a, 3, "the vectors a"), floats(b, 3, "the vectors b")
    dtype = np.result_type(one, two)
    if one.ndim < 2 or two.ndim < 2:
        raise ValueError(f"sets of vectors have shape (..., n, 3); these have {one.shape} and {two.shape}")
    batch = np.broadcast_shapes(one.shape[:-1], two.shape[:-1])
    w = checked_weights(weights, batch, one_infinite=True)
    first, last, missing = _usable(one, two, w.shape, invalid)
    eps = float(np.finfo(dtype).eps)
    infinite = np.isinf(w)
    if axis is not None:
        if infinite.any():
            raise ValueError(
                "about a fixed axis a weight cannot be infinite: there is nothing left to decide"
            )
        q, rank = _about(_unit_axis(axis), first, last, w, eps)
        unique = rank == 1
    elif infinite.any():
        q, rank, unique = _with_primary(first, last, w, infinite, eps)
    else:
        q, rank, unique = _wahba(first, last, w, eps)
    finite = np.where(infinite, 0.0, w)
    left = first - kernels.rotate(q[..., np.newaxis, :], last)
    residual = _root_mean_square(
        left,
        np.where(
            infinite.any(axis=-1, keepdims=True) & (finite.sum(axis=-1, keepdims=True) == 0), 1.0, finite
        ),
    )
    return _reported(q, unique, rank, residual, missing, dtype)


def align_points(
    source: ArrayLike,
    target: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    scale: bool = False,
    invalid: Invalid = "raise",
) -> tuple[Floats, Floats, Floats, AlignReport]:
    """The pose, and if asked for the scale, for which ``target ≈ s R source + t``: Umeyama's problem.

    Parameters
    ----------
    source, target : array_like, shape (..., n, 3)
        Points that belong together; batches broadcast.
    weights : array_like, shape (..., n), optional
        Not negative.
    scale : bool
        Whether a scale is estimated; else it is 1.
    invalid : {"raise", "nan"}
        What to do with sets in which a number is not finite.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions, xyzw.
    t : ndarray, shape (..., 3)
    s : ndarray, shape (...)
        1 where source points all lie on one spot. Zero, not negative, where the points say so.
    report : AlignReport
        Rank 3 or 2 (points in a plane) determine the pose, rank 1 (on a line) leaves a turn open, rank 0 (one spot)
        any rotation.

    Raises
    ------
    InvalidRowsError
        With ``invalid="raise"``.
    ValueError
        For weights that are negative or not finite.

    Examples
    --------
    >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> q, t, s, report = align_points(points, 2 * points + [1, 2, 3], scale=True)
    >>> t.round(9), s.round(9), report.rank
    (array([1., 2., 3.]), np.float64(2.0), 3)
    """
    one, two = floats(source, 3, "the source points"), floats(target, 3, "the target points")
    dtype = np.result_type(one, two)
    if one.ndim < 2 or two.ndim < 2:
        raise ValueError(f"sets of points have shape (..., n, 3); these have {one.shape} and {two.shape}")
    w = checked_weights(weights, np.broadcast_shapes(one.shape[:-1], two.shape[:-1]))
    first, last, missing = _usable(one, two, w.shape, invalid)
    total = w.sum(axis=-1, keepdims=True)
    share = w / np.where(total == 0, 1.0, total)
    (first, centre), (last, goal) = _centred(first, share), _centred(last, share)
    # Centring leaves rounding of the size of the centre; below that there is no rank.
    noise, blur = (np.abs(middle).max(axis=-1) * float(np.finfo(dtype).eps) for middle in (centre, goal))
    q, rank, unique = _wahba(last, first, share, float(np.finfo(dtype).eps), (blur, noise))
    turned = kernels.rotate(q[..., np.newaxis, :], first)
    s = np.ones(w.shape[:-1])
    if scale:
        (wide, size), (shown, reach) = _scaled(_weighed(turned, share)), _scaled(_weighed(last, share))
        spread = np.einsum("...n,...ni,...ni->...", share, wide, wide)
        along = np.maximum(np.einsum("...n,...ni,...ni->...", share, wide, shown), 0.0)
        apart = (spread > 0) & (size > 4.0 * noise)
        ratio = along / np.where(apart, spread, 1.0) * (reach / np.where(apart, size, 1.0))
        s = np.where(apart, ratio, 1.0)
    t = goal - s[..., np.newaxis] * kernels.rotate(q, centre)
    residual = _root_mean_square(last - s[..., np.newaxis, np.newaxis] * turned, share)
    q, report = _reported(q, unique, rank, residual, missing, dtype)
    t[missing] = np.nan
    s = np.where(missing, np.nan, s)
    return q, t.astype(dtype, copy=False), s.astype(dtype)[()], report


# ---- one after the other -----------------------------------------------------------------------------


def _usable(
    a: Floats, b: Floats, shape: tuple[int, ...], invalid: Invalid
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Both sets in double precision and of one shape, something harmless where one is not finite, and which are not."""
    check_policy(invalid)
    first, last = (np.broadcast_to(v, (*shape, 3)).astype(np.float64) for v in (a, b))
    missing = np.asarray(~(np.isfinite(first).all(axis=(-1, -2)) & np.isfinite(last).all(axis=(-1, -2))))
    if missing.any():
        if invalid == "raise":
            row = tuple(int(i) for i in np.argwhere(missing)[0])
            raise InvalidRowsError(
                "a component is not finite",
                row=row,
                count=int(np.count_nonzero(missing)),
                what="set of vectors",
            )
        first[missing] = last[missing] = (1.0, 0.0, 0.0)
    return first, last, missing


def _reported(
    q: Floats, unique: Any, rank: Any, residual: Floats, missing: NDArray[np.bool_], dtype: np.dtype[Any]
) -> tuple[Floats, AlignReport]:
    q[missing] = np.nan
    residual = np.where(missing, np.nan, residual)
    unique, rank = np.asarray(unique) & ~missing, np.where(missing, 0, rank)
    if q.ndim == 1:
        report = AlignReport(bool(unique), int(rank), float(residual))
    else:
        report = AlignReport(unique, rank, residual)
    return q.astype(dtype, copy=False), report


def _root_mean_square(left: Floats, w: Floats) -> Floats:
    total = w.sum(axis=-1)
    scaled, size = _scaled(_weighed(left, w))
    squares = np.einsum(
        "...n,...ni,...ni->...", w / np.where(total == 0, 1.0, total)[..., np.newaxis], scaled, scaled
    )
    return size * np.sqrt(squares)


def _weighed(v: Floats, w: Floats) -> Floats:
    """The vectors, and zero for those that count nothing: their length is not to set the scale."""
    return np.where((w > 0)[..., np.newaxis], v, 0.0)


def _centred(points: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Points from their mean, and the mean; taken twice, since the first of many far points is rounded."""
    middle = np.einsum("...n,...ni->...i", share, points)
    left = points - middle[..., np.newaxis, :]
    rest = np.einsum("...n,...ni->...i", share, left)
    return left - rest[..., np.newaxis, :], middle + rest


def _scaled(v: Floats) -> tuple[Floats, Floats]:
    """Vectors of a set over the largest component in it, so that no product over- or underflows, and that."""
    largest = np.abs(v).max(axis=(-1, -2), initial=0.0)[..., np.newaxis, np.newaxis]
    return v / np.where(largest == 0, 1.0, largest), largest[..., 0, 0]


def _wahba(
    a: Floats, b: Floats, w: Floats, eps: float, noise: tuple[Floats | float, Floats | float] = (0.0, 0.0)
) -> tuple[Floats, NDArray[np.intp], NDArray[np.bool_]]:
    """Quaternion, rank and uniqueness; `noise` is how small vectors of the one and of the other mean nothing."""
    (first, size_a), (last, size_b) = _scaled(_weighed(a, w)), _scaled(_weighed(b, w))
    noise_a, noise_b = noise
    heaviest = w.max(axis=-1, initial=0.0)[..., np.newaxis]
    with np.errstate(all="ignore"):
        share = w / np.where(heaviest == 0, 1.0, heaviest)
        profile = np.einsum("...n,...ni,...nj->...ij", share, first, last)
        u, s, vt = np.linalg.svd(profile)
        # In products of scaled vectors: what the noise of the one and of the other amounts to.
        floor = np.asarray(
            noise_a / np.where(size_a == 0, 1.0, size_a) + noise_b / np.where(size_b == 0, 1.0, size_b)
        )
        tolerance = (_ZERO * eps + 4.0 * floor)[..., np.newaxis] * np.maximum(s[..., :1], 1e-300)
        meant = (size_a > 4.0 * np.asarray(noise_a)) & (size_b > 4.0 * np.asarray(noise_b))
    rank = np.where(meant, (s > tolerance).sum(axis=-1), 0)
    sign = np.where(np.linalg.det(u) * np.linalg.det(vt) < 0, -1.0, 1.0)
    # Turning about the axis of the greatest singular value costs s2 + sign s3: it must cost something.
    unique = (rank >= 2) & (s[..., 1] + sign * s[..., 2] > tolerance[..., 0])
    u = u.copy()
    u[..., :, 2] *= sign[..., np.newaxis]
    q = kernels.from_matrix(u @ vt, project=True)
    arc = shortest_arc(vt[..., 0, :], u[..., :, 0])
    q = np.where((rank == 1)[..., np.newaxis], arc, q)
    q = np.where((rank == 0)[..., np.newaxis], np.array([0.0, 0.0, 0.0, 1.0]), q)
    return q, rank, unique


def _about(axis: Floats, a: Floats, b: Floats, w: Floats, eps: float) -> tuple[Floats, NDArray[np.intp]]:
    """The turn about an axis that brings b onto a, and 1 where it is determined."""
    (first, _), (last, _) = _scaled(_weighed(a, w)), _scaled(_weighed(b, w))
    heaviest = w.max(axis=-1, initial=0.0)[..., np.newaxis]
    share = w / np.where(heaviest == 0, 1.0, heaviest)
    line = axis[..., np.newaxis, :]
    # a · R b = parallel part + cos (a · b across the axis) + sin (a · axis × b)
    across_a = first - np.einsum("...i,...i->...", first, line)[..., np.newaxis] * line
    across_b = last - np.einsum("...i,...i->...", last, line)[..., np.newaxis] * line
    cosine = np.einsum("...n,...ni,...ni->...", share, across_a, across_b)
    turned = _cross(line, across_b)
    sine = np.einsum("...n,...ni,...ni->...", share, across_a, turned)
    turn = np.arctan2(sine, cosine)
    size = np.einsum("...n,...ni->...", share, np.abs(first))
    known = np.hypot(sine, cosine) > _ZERO * eps * np.maximum(size, 1e-300)
    turn = np.where(known, turn, 0.0)
    return kernels.exp(np.broadcast_to(axis, (*turn.shape, 3)) * turn[..., np.newaxis]), known.astype(np.intp)


def _with_primary(
    a: Floats, b: Floats, w: Floats, infinite: NDArray[np.bool_], eps: float
) -> tuple[Floats, NDArray[np.intp], NDArray[np.bool_]]:
    """As `_wahba` for sets of which one pair has infinite weight; sets without one are done as ever."""
    count = infinite.sum(axis=-1)
    if (count > 1).any():
        raise ValueError(
            "more than one weight of a set is infinite; two vectors cannot both be aligned exactly"
        )
    q, rank, unique = _wahba(a, b, np.where(infinite, 1.0, w), eps)
    has = count == 1
    which = np.argmax(infinite, axis=-1)[..., np.newaxis, np.newaxis]
    first, last = (np.take_along_axis(v, which, axis=-2)[..., 0, :] for v in (a, b))
    zero = ~(np.abs(first).max(axis=-1, initial=0.0) > 0) | ~(np.abs(last).max(axis=-1, initial=0.0) > 0)
    if (has & zero).any():
        raise ValueError("the vector of infinite weight has length zero; it has no direction to align")
    unit = _normalised(np.where(has[..., np.newaxis], first, np.array([0.0, 0.0, 1.0])))
    other = _normalised(np.where(has[..., np.newaxis], last, np.array([0.0, 0.0, 1.0])))
    arc = shortest_arc(other, unit)
    turn, known = _about(unit, a, kernels.rotate(arc[..., np.newaxis, :], b), np.where(infinite, 0.0, w), eps)
    exact = kernels.multiply(turn, arc)
    q = np.where(has[..., np.newaxis], exact, q)
    return q, np.where(has, 1 + known, rank), np.where(has, known == 1, unique)


def _cross(u: Floats, v: Floats) -> Floats:
    product: Any = np.cross(u, v)
    return product


def _normalised(v: Floats) -> Floats:
    scaled = v / np.abs(v).max(axis=-1, keepdims=True)
    return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)


def _unit_axis(axis: ArrayLike) -> Floats:
    line = floats(axis, 3, "the axis").astype(np.float64)
    if not (np.isfinite(line).all() and line.any()):
        raise ValueError(f"the axis {line.tolist()} has no direction")
    return _normalised(line)
