"""A smooth curve through timed rotations: angular rate and angular acceleration are continuous.

Between two keys the curve is q_k exp(r(t)) with r a cubic polynomial, r = 0 at the one key and r = log(q_k* q_{k+1})
at the other. The angular rate is J_right(r) r', so the rates w_k at the keys fix all the cubics, and there is one
set of them for which the acceleration is continuous too. Curves of this kind, cubic in the logarithm between each
two keys, are those of Park and Ravani, Smooth invariant interpolation of rotations (ACM Transactions on Graphics 16,
1997); to ask for continuous acceleration at the keys is the idea of scipy's RotationSpline, and gives the same curve
where the end conditions agree.

Acceleration at a key is linear in the rates, with two neighbours each, but for one small term that is quadratic. The
linear part is diagonally dominant as long as no step is a half turn, so the rates are found by Gauss-Seidel on every
other key at a time, which NumPy does for all keys at once. At even spacing that ends well up to half turns. Where a
short interval with a large turn stands beside a much longer one there may be no such curve but one that whirls through
many turns, and then it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .jacobians import rotation_right_jacobian, rotation_right_jacobian_inverse, second_order
from .rows import Floats, Invalid, floats
from .times import check_keys, locate, seconds_between

__all__ = ["SplineCurve", "fit_spline"]

_ITERATIONS = 500


@dataclass(frozen=True, slots=True)
class SplineCurve:
    """A twice continuously differentiable curve through timed rotations; made by `fit_spline`.

    Attributes
    ----------
    times : ndarray, shape (n,)
    q : ndarray, shape (n, 4)
        The keys: unit quaternions, xyzw.
    rates : ndarray, shape (n, 3)
        Angular rates at the keys, in the axes of the source, in rad/s.
    """

    times: NDArray[Any]
    q: Floats
    rates: Floats
    _cubics: Floats  # (n - 1, 3, 3): the coefficients of t, t² and t³

    def rotations(self, at: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
        """Unit quaternions at moments on the curve.

        Parameters
        ----------
        at : array_like, shape (...)
            Of the same kind as the keys' times.
        invalid : {"raise", "nan"}
            What to do with moments before the first key or after the last.

        Returns
        -------
        ndarray, shape (..., 4)

        Raises
        ------
        InvalidRowsError
        """
        interval, r, _, _ = self._polynomial(at, invalid)
        return kernels.multiply(self.q.astype(np.float64)[interval], kernels.exp(r)).astype(
            self.q.dtype, copy=False
        )

    def angular_rates(self, at: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
        """Angular rates, in the axes of the source, in rad/s, shape (..., 3); arguments as of `rotations`."""
        _, r, velocity, _ = self._polynomial(at, invalid)
        return _apply(rotation_right_jacobian(r), velocity).astype(self.q.dtype, copy=False)

    def angular_accelerations(self, at: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
        """Angular accelerations, in the axes of the source, in rad/s², shape (..., 3); arguments as of `rotations`."""
        _, r, velocity, bend = self._polynomial(at, invalid)
        result = _apply(rotation_right_jacobian(r), bend) + second_order(r, velocity)
        return result.astype(self.q.dtype, copy=False)

    def _polynomial(self, at: ArrayLike, invalid: Invalid) -> tuple[NDArray[np.intp], Floats, Floats, Floats]:
        """The interval of each moment, and the rotation vector in it with two derivatives."""
        where = locate(self.times, at)
        where.settle(invalid, "moment of the spline", "the spline")
        interval = np.minimum(where.before, len(self._cubics) - 1)
        s = np.asarray(seconds_between(self.times[interval], where.moments))[..., np.newaxis]
        s = np.where(where.outside[..., np.newaxis], np.nan, s)
        one, two, three = (self._cubics[interval, i] for i in range(3))
        return (
            interval,
            ((three * s + two) * s + one) * s,
            (3.0 * three * s + 2.0 * two) * s + one,
            6.0 * three * s + 2.0 * two,
        )


def fit_spline(
    times: ArrayLike,
    q: ArrayLike,
    *,
    ends: Literal["natural"] | tuple[ArrayLike, ArrayLike] = "natural",
) -> SplineCurve:
    """Fit the smooth curve through timed rotations.

    Parameters
    ----------
    times : array_like, shape (n,)
        Increasing; integers are nanoseconds, floats are seconds.
    q : array_like, shape (n, 4)
        Unit quaternions, xyzw, of any signs; at least two. From each to the next the curve goes the shorter way.
    ends : "natural" or a pair of array_like, shape (3,)
        What holds at the first and the last key: no angular acceleration, or the angular rates given, in the axes of
        the source, in rad/s.

    Returns
    -------
    SplineCurve

    Raises
    ------
    ValueError
        For fewer than two keys, keys that are not finite, times that do not increase, or turns so large, at
        intervals so uneven, that no such curve is found.

    Examples
    --------
    >>> q = kernels.exp([[0, 0, 0], [0, 0, 0.5], [0, 0, 1.0]])
    >>> curve = fit_spline([0.0, 1.0, 2.0], q)
    >>> curve.angular_rates(1.3).round(12)
    array([0. , 0. , 0.5])
    """
    rows = floats(q, 4, "the keys")
    if rows.ndim != 2 or len(rows) < 2:
        raise ValueError(f"a spline needs at least two keys, shape (n, 4); this has shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError(f"key {int(np.argmin(np.isfinite(rows).all(axis=-1)))} is not finite; leave it out")
    keys = check_keys(times, len(rows))
    h = np.asarray(seconds_between(keys[:-1], keys[1:]))[:, np.newaxis]
    double = rows.astype(np.float64)
    steps = kernels.log(kernels.multiply(kernels.conjugate(double[:-1]), double[1:]))
    forward = rotation_right_jacobian(steps)
    back = rotation_right_jacobian_inverse(steps)
    rates = _solve_rates(h, steps, forward, back, ends)
    # The cubic with r(0) = 0, r(h) = d, r'(0) = w_k and r'(h) = J^-1 w_{k+1}.
    start, end, mean = rates[:-1], _apply(back, rates[1:]), steps / h
    cubics = np.stack(
        [start, (3.0 * mean - 2.0 * start - end) / h, (start + end - 2.0 * mean) / (h * h)], axis=1
    )
    own = rows.copy()
    for array in (own, rates, cubics):
        array.setflags(write=False)
    return SplineCurve(keys.copy(), own, rates, cubics)


def _solve_rates(h: Floats, steps: Floats, forward: Floats, back: Floats, ends: Any) -> Floats:
    """Rates at the keys for which the acceleration is continuous.

    At key k, with a the interval before and b the one after,
    2/h_a J_a w_{k-1} + 4 (1/h_a + 1/h_b) w_k + 2/h_b J_b^-1 w_{k+1} = 6 (d_a/h_a² + d_b/h_b²) - N(w_k)
    where N is what the change of J_right along the way adds at the end of a.
    """
    n = len(h) + 1
    natural = isinstance(ends, str)
    if natural and ends != "natural":
        raise ValueError(f'ends= is "natural" or two angular rates, not {ends!r}')
    diagonal = np.zeros((n, 1))
    diagonal[:-1] += 4.0 / h
    diagonal[1:] += 4.0 / h
    pull = np.zeros((n, 3))
    pull[:-1] += 6.0 * steps / (h * h)
    pull[1:] += 6.0 * steps / (h * h)
    mean = steps / h
    rates = np.zeros((n, 3))
    rates[:-1] += mean
    rates[1:] += mean
    rates[1:-1] *= 0.5
    free = np.ones(n, np.bool_)
    if not natural:
        rates[0], rates[-1] = (floats(rate, 3, "the rate at an end") for rate in ends)
        free[[0, -1]] = False
    even = np.arange(n) % 2 == 0
    chosen = [np.flatnonzero(free & half) for half in (even, ~even)]
    # Smallest change that counts: rounding of the largest rate.
    enough = 4.0 * np.finfo(np.float64).eps * max(float(np.abs(mean).max()), float(np.abs(rates).max()))
    largest = np.inf
    for _ in range(_ITERATIONS):
        largest = 0.0
        for k in chosen:
            total = pull[k]
            after, before = k[k < n - 1], k[k > 0]
            coupled = np.zeros((n, 3))
            coupled[after] += 2.0 / h[after] * _apply(back[after], rates[after + 1])
            coupled[before] += 2.0 / h[before - 1] * _apply(forward[before - 1], rates[before - 1])
            velocity = _apply(back[before - 1], rates[before])
            coupled[before] += second_order(steps[before - 1], velocity)
            new = (total - coupled[k]) / diagonal[k]
            # max() would pass NaN over.
            change = float(np.abs(new - rates[k]).max(initial=0.0))
            largest = max(largest, change) if change == change else np.inf
            rates[k] = new
        if largest <= enough:
            return rates
        if not np.isfinite(largest):
            break
    # Slow is not wrong: near a half turn the last digits settle late.
    if largest <= 1e6 * enough:
        return rates
    speed = np.linalg.norm(mean, axis=-1)
    fastest, longest = (np.maximum(x[:-1], x[1:]) if n > 2 else x for x in (speed, h[:, 0]))
    k = int(np.argmax(fastest * longest))
    raise ValueError(
        f"no smooth curve is found around key {min(k + 1, n - 1)}: at the rate there ({fastest[k]:.3g} rad/s) the longer "
        f"interval beside it ({longest[k]:.3g} s) would be a turn of {fastest[k] * longest[k]:.3g} rad; give keys closer "
        "to each other, or more evenly spaced"
    )


def _apply(matrix: Floats, v: Floats) -> Floats:
    return np.einsum("...ij,...j->...i", matrix, v)
