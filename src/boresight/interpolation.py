"""Between the keys of a series: interpolation with a limit on gaps, one sign all along, and the angular rate.

A series is an array of shape (..., n, 4) or (..., n, 3) with its n times (see `times`: integers are nanoseconds,
floats are seconds). Smooth interpolation is in `spline`.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import kernels
from .rows import Floats, Invalid, floats
from .times import Located, check_keys, locate, seconds_between

__all__ = [
    "Path",
    "angular_rates",
    "continuous_signs",
    "interpolate_poses",
    "interpolate_rotations",
    "pose_between",
]

Path = Literal["straight", "screw"]
"""How a pose goes to the next: its origin on a line while the rotation slerps, or by one constant twist."""


def interpolate_rotations(
    times: ArrayLike,
    q: ArrayLike,
    at: ArrayLike,
    *,
    max_gap: float | None = None,
    invalid: Invalid = "raise",
) -> Floats:
    """Rotations at moments between those of a series, each by the shorter way at constant rate (slerp).

    A moment on a key gives the key's own quaternion. There is no extrapolation.

    Parameters
    ----------
    times : array_like, shape (n,)
        Increasing; integers are nanoseconds, floats are seconds.
    q : array_like, shape (..., n, 4)
        Unit quaternions, xyzw.
    at : array_like, shape (...)
        Moments, of the same kind as `times`.
    max_gap : number, optional
        Between keys further apart than this, in the unit of `times`, nothing is made up.
    invalid : {"raise", "nan"}
        What to do with moments outside the series or in a gap.

    Returns
    -------
    ndarray, shape (*batch of q, *shape of at, 4)

    Raises
    ------
    InvalidRowsError
        With ``invalid="raise"``; it names the first such moment.
    ValueError
        If the times do not increase.
    TypeError
        If `times` and `at` are not of one kind.

    Examples
    --------
    >>> q = kernels.exp([[0, 0, 0], [0, 0, 1.0]])
    >>> kernels.log(interpolate_rotations([0, 1_000_000_000], q, 250_000_000))
    array([0.  , 0.  , 0.25])
    """
    rows = floats(q, 4, "the series of quaternions")
    where = _located(times, rows, at, max_gap, invalid, "rotation")
    if not len(where.keys):
        return np.full((*rows.shape[:-2], *where.moments.shape, 4), np.nan, rows.dtype)
    before, after = rows[..., where.before, :], rows[..., where.after, :]
    result = kernels.slerp(before, after, where.fraction.astype(rows.dtype))
    return _settled(result, where, before)


def interpolate_poses(
    times: ArrayLike,
    q: ArrayLike,
    t: ArrayLike,
    at: ArrayLike,
    *,
    path: Path = "straight",
    max_gap: float | None = None,
    invalid: Invalid = "raise",
) -> tuple[Floats, Floats]:
    """Poses at moments between those of a series.

    Parameters
    ----------
    times : array_like, shape (n,)
        Increasing; integers are nanoseconds, floats are seconds.
    q : array_like, shape (..., n, 4)
        Unit quaternions, xyzw.
    t : array_like, shape (..., n, 3)
        Translations.
    at : array_like, shape (...)
        Moments, of the same kind as `times`.
    path : {"straight", "screw"}
        See `Path`.
    max_gap, invalid
        As for `interpolate_rotations`.

    Returns
    -------
    q : ndarray, shape (*batch, *shape of at, 4)
    t : ndarray, shape (*batch, *shape of at, 3)

    Raises
    ------
    InvalidRowsError, ValueError, TypeError
        As `interpolate_rotations`.

    Examples
    --------
    >>> q, t = kernels.exp(np.zeros((2, 3))), np.array([[0.0, 0, 0], [4.0, 0, 0]])
    >>> interpolate_poses([0.0, 2.0], q, t, 0.5)[1]
    array([1., 0., 0.])
    """
    rows = floats(q, 4, "the series of quaternions")
    translations = floats(t, 3, "the series of translations")
    if rows.shape[:-1] != translations.shape[:-1]:
        raise ValueError(
            f"quaternions of shape {rows.shape} and translations of shape {translations.shape} are not one series"
        )
    return poses_at(_located(times, rows, at, max_gap, invalid, "pose"), rows, translations, path=path)


def poses_at(where: Located, q: Floats, t: Floats, *, path: Path = "straight") -> tuple[Floats, Floats]:
    """As `interpolate_poses`, for moments that are located already; those that are not covered are NaN."""
    dtype = np.result_type(q, t)
    if not len(where.keys):
        shape = (*q.shape[:-2], *where.moments.shape)
        return np.full((*shape, 4), np.nan, dtype), np.full((*shape, 3), np.nan, dtype)
    first, last = (q[..., i, :] for i in (where.before, where.after))
    start, end = (t[..., i, :] for i in (where.before, where.after))
    turned, moved = pose_between((first, start), (last, end), where.fraction.astype(dtype), path=path)
    return (
        _settled(turned, where, first).astype(dtype, copy=False),
        _settled(moved, where, start).astype(dtype, copy=False),
    )


def pose_between(
    p: tuple[ArrayLike, ArrayLike], q: tuple[ArrayLike, ArrayLike], fraction: ArrayLike, *, path: Path
) -> tuple[Floats, Floats]:
    """Go a fraction of the way from one pose to another.

    Parameters
    ----------
    p, q : pair of array_like, shapes (..., 4) and (..., 3)
        Unit quaternion, xyzw, and translation.
    fraction : array_like, shape (...)
        0 gives the first, 1 the second; all batches broadcast.
    path : {"straight", "screw"}
        See `Path`.

    Returns
    -------
    q : ndarray, shape (..., 4)
    t : ndarray, shape (..., 3)
    """
    part = floats(fraction, 0, "the fraction")
    first, start = floats(p[0], 4, "the first quaternion"), floats(p[1], 3, "the first translation")
    last, end = floats(q[0], 4, "the second quaternion"), floats(q[1], 3, "the second translation")
    if path == "straight":
        weight = part[..., np.newaxis]
        # Weighted from both ends, so that 0 and 1 give the two poses exactly.
        return kernels.slerp(first, last, part), start * (1 - weight) + end * weight
    if path == "screw":
        step = kernels.pose_multiply(*kernels.pose_inverse(first, start), last, end)
        twist = kernels.pose_log(*step) * part[..., np.newaxis]
        return kernels.pose_multiply(first, start, *kernels.pose_exp(twist))
    raise ValueError(f'path= is "straight" or "screw", not {path!r}')


def _located(
    times: ArrayLike, rows: Floats, at: ArrayLike, max_gap: float | None, invalid: Invalid, what: str
) -> Located:
    if rows.ndim < 2:
        raise ValueError(f"a series has shape (..., n, {rows.shape[-1]}), not {rows.shape}")
    where = locate(check_keys(times, rows.shape[-2]), at, max_gap)
    where.settle(invalid, what)
    return where


def _settled(result: Floats, where: Located, keys: Floats) -> Floats:
    """Keep keys as they are, and know nothing where nothing is known."""
    on_key = (where.before == where.after)[..., np.newaxis]
    result = np.where(on_key, keys, result)
    result[..., ~where.covered, :] = np.nan
    return result


def continuous_signs(q: ArrayLike) -> Floats:
    """Quaternions of a series with signs chosen so that none is further from the one before than its negative is.

    The first valid one keeps its sign. The rotations stay what they are.

    Parameters
    ----------
    q : array_like, shape (..., n, 4)
        In either order. Rows with NaN are passed over: the next is compared with the last before them.

    Returns
    -------
    ndarray, shape (..., n, 4)
        A new array.

    Examples
    --------
    >>> continuous_signs([[0, 0, 0, 1], [0, 0, 0, -1], [0.6, 0, 0, -0.8]]) + 0.0
    array([[ 0. ,  0. ,  0. ,  1. ],
           [ 0. ,  0. ,  0. ,  1. ],
           [-0.6,  0. ,  0. ,  0.8]])
    """
    rows = floats(q, 4, "the series of quaternions")
    if rows.ndim < 2:
        raise ValueError(f"a series has shape (..., n, 4), not {rows.shape}")
    result = rows.copy()
    if rows.shape[-2] < 2:
        return result
    count: int = rows.shape[-2]
    index = np.where(np.isnan(rows).any(axis=-1), 0, np.arange(count))
    # For each row the last valid one before it; row 0 where there is none, which then is NaN and turns nothing.
    last: Any = np.maximum.accumulate(index, axis=-1)[..., :-1]
    before = np.take_along_axis(rows, last[..., np.newaxis], axis=-2)
    apart = np.einsum("...i,...i->...", before, rows[..., 1:, :]) < 0
    turned: Any = np.logical_xor.accumulate(apart, axis=-1)
    result[..., 1:, :] = np.where(turned[..., np.newaxis], -result[..., 1:, :], result[..., 1:, :])
    return result


def angular_rates(times: ArrayLike, q: ArrayLike, *, of: Literal["source", "target"]) -> Floats:
    """Angular rate at each key of a series; exact where the rate is constant.

    Between two keys the rate is that of the shorter way at constant speed, which belongs to the middle; at a key it
    is interpolated linearly between the two middles around it, and at the ends it is that of the end interval. The
    error is of second order in the spacing, even or not.

    Parameters
    ----------
    times : array_like, shape (n,)
        Increasing; integers are nanoseconds, floats are seconds.
    q : array_like, shape (..., n, 4)
        Unit quaternions, xyzw, at least two; of any signs.
    of : {"source", "target"}
        In whose axes: a gyro that moves along measures the rate of its own frame relative to the world in the axes
        of the source.

    Returns
    -------
    ndarray, shape (..., n, 3)
        In rad/s. NaN beside a row that is NaN.

    Raises
    ------
    ValueError
        For fewer than two keys, times that do not increase, or keys so close that no number holds the rate.

    Examples
    --------
    >>> q = kernels.exp([[0, 0, 0], [0, 0, 0.2], [0, 0, 0.6]])
    >>> angular_rates([0.0, 0.1, 0.3], q, of="source").round(12)
    array([[0., 0., 2.],
           [0., 0., 2.],
           [0., 0., 2.]])
    """
    if of not in ("source", "target"):
        raise ValueError(f'of= is "source" or "target", not {of!r}')
    rows = floats(q, 4, "the series of quaternions")
    if rows.ndim < 2 or rows.shape[-2] < 2:
        raise ValueError(f"a rate needs a series of at least two, (..., n, 4); this has shape {rows.shape}")
    keys = check_keys(times, rows.shape[-2])
    span = seconds_between(keys[:-1], keys[1:])[:, np.newaxis]
    first, last = rows[..., :-1, :], rows[..., 1:, :]
    if of == "source":
        step = kernels.multiply(kernels.conjugate(first), last)
    else:
        step = kernels.multiply(last, kernels.conjugate(first))
    with np.errstate(over="ignore"):
        middle = (kernels.log(step) / span).astype(rows.dtype, copy=False)
    beyond = np.isinf(middle).any(axis=(-1, *range(middle.ndim - 2)))
    if beyond.any():
        at = int(np.argmax(beyond))
        raise ValueError(
            f"the rate between keys {at} and {at + 1} is beyond {rows.dtype.name}: they are {span[at, 0]:.3g} s apart; "
            "leave one of them out, or check the unit of the times"
        )
    rates = np.empty((*rows.shape[:-1], 3), rows.dtype)
    rates[..., 0, :] = middle[..., 0, :]
    rates[..., -1, :] = middle[..., -1, :]
    both = span[1:] + span[:-1]
    rates[..., 1:-1, :] = middle[..., :-1, :] * (span[1:] / both) + middle[..., 1:, :] * (span[:-1] / both)
    return rates
