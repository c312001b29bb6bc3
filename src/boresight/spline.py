"""A smooth curve through timed rotations: angular rate and angular acceleration are continuous.

Between two keys the curve is q_k exp(r(t)) with r a cubic polynomial, r = 0 at the one key and r = log(q_k* q_{k+1})
at the other. The angular rate is J_right(r) r', so the rates w_k at the keys fix all the cubics, and there is one
set of them for which the acceleration is continuous too. Curves of this kind, cubic in the logarithm between each
two keys, are those of Park and Ravani, Smooth invariant interpolation of rotations (ACM Transactions on Graphics 16,
1997); to ask for continuous acceleration at the keys is the idea of scipy's RotationSpline, and gives the same curve
where the end conditions agree.

Acceleration at a key is linear in the rates, with two neighbours each, but for one small term that is quadratic. The
linear part is diagonally dominant as long as no step is a half turn, so the rates are found by Gauss-Seidel on every
other key at a time, which NumPy does for all keys at once. At even spacing that ends well up to half turns. Where it
does not, since a short interval with a large turn stands beside a much longer one, the rates are found by Newton's
method, with the quadratic term let in little by little. That curve may whirl through many turns on the long interval,
as cubics between numbers overshoot; where it goes more than a turn from its key it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .jacobians import rotation_right_jacobian, rotation_right_jacobian_inverse, second_order
from .rows import Floats, Invalid, floats
from .times import check_keys, locate, seconds_between

__all__ = ["SplineCurve", "fit_spline"]

_ITERATIONS = 500
_NEWTON_STEPS = 12
_WHIRL = 2.0 * np.pi  # farther from the key before than a whole turn, a curve has lost its keys
_SMALLEST_PART = 1.0 / 256  # of the quadratic term, let in at once


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
    cubics = _cubics(h, steps, rates, back)
    own = rows.copy()
    for array in (own, rates, cubics):
        array.setflags(write=False)
    return SplineCurve(keys.copy(), own, rates, cubics)


def _cubics(h: Floats, steps: Floats, rates: Floats, back: Floats) -> Floats:
    """The cubics with r(0) = 0, r(h) = d, r'(0) = w_k and r'(h) = J^-1 w_{k+1}, shape (n - 1, 3, 3)."""
    start, end, mean = rates[:-1], _apply(back, rates[1:]), steps / h
    return np.stack(
        [start, (3.0 * mean - 2.0 * start - end) / h, (start + end - 2.0 * mean) / (h * h)], axis=1
    )


def _farthest(h: Floats, steps: Floats, rates: Floats, back: Floats) -> float:
    """How far the curve goes from the key before, in rad."""
    s = h * np.linspace(0.0, 1.0, 17)
    powers = np.stack([s, s**2, s**3], axis=-1)
    return float(np.linalg.norm(powers @ _cubics(h, steps, rates, back), axis=-1).max())


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
    fixed = np.where(free[:, np.newaxis], 0.0, rates)
    found = _by_newton(_System(h, steps, forward, back, diagonal, pull, free, fixed), enough)
    if found is not None and _farthest(h, steps, found, back) <= _WHIRL:
        return found
    speed = np.linalg.norm(mean, axis=-1)
    fastest, longest = (np.maximum(x[:-1], x[1:]) if n > 2 else x for x in (speed, h[:, 0]))
    k = int(np.argmax(fastest * longest))
    raise ValueError(
        f"no smooth curve is found around key {min(k + 1, n - 1)}: at the rate there ({fastest[k]:.3g} rad/s) the longer "
        f"interval beside it ({longest[k]:.3g} s) would be a turn of {fastest[k] * longest[k]:.3g} rad; give keys closer "
        "to each other, or more evenly spaced"
    )


@dataclass(frozen=True, slots=True)
class _System:
    """The equations for the rates, with the quadratic term to be taken in any part from none to all."""

    h: Floats
    steps: Floats
    forward: Floats
    back: Floats
    diagonal: Floats
    pull: Floats
    free: NDArray[np.bool_]
    fixed: Floats  # the rates that are given, and zeros

    def newton_step(self, rates: Floats, part: float) -> Floats:
        """By how much to change the rates."""
        main = self.diagonal[..., np.newaxis] * np.eye(3)
        above = (2.0 / self.h)[..., np.newaxis] * self.back
        below = (2.0 / self.h)[..., np.newaxis] * self.forward
        velocity = _apply(self.back, rates[1:])
        quadratic = second_order(self.steps, velocity)
        # It is quadratic, so that its derivative is a difference, exactly.
        columns = [
            second_order(self.steps, velocity + unit)
            - quadratic
            - second_order(self.steps, 0.0 * velocity + unit)
            for unit in np.eye(3)
        ]
        main[1:] += part * np.stack(columns, axis=-1) @ self.back
        missing = self.pull - self.diagonal * rates
        missing[:-1] -= _apply(above, rates[1:])
        missing[1:] -= _apply(below, rates[:-1]) + part * quadratic
        given = ~self.free
        main[given], missing[given] = np.eye(3), (self.fixed - rates)[given]
        above[given[:-1]] = 0.0
        below[given[1:]] = 0.0
        return _block_tridiagonal(below, main, above, missing)


def _by_newton(system: _System, enough: float) -> Floats | None:
    """Solve for the rates from those without the quadratic term on; None where they run away."""
    with np.errstate(all="ignore"):
        try:
            rates = system.newton_step(np.zeros_like(system.pull), 0.0)
            part, more = 0.0, 1.0
            while part < 1.0:
                target = min(1.0, part + more)
                trial, change = rates, np.inf
                for _ in range(_NEWTON_STEPS):
                    step = system.newton_step(trial, target)
                    trial = trial + step
                    change = float(np.abs(step).max())
                    if not change > enough:
                        break
                if change <= 1e6 * enough:
                    rates, part, more = trial, target, 2.0 * more
                elif more < _SMALLEST_PART:
                    return None
                else:
                    more *= 0.5
        except np.linalg.LinAlgError:
            return None
    return rates


def _block_tridiagonal(below: Floats, main: Floats, above: Floats, right: Floats) -> Floats:
    """Solve a system of 3 by 3 blocks on three diagonals, by elimination down and substitution up."""
    x, pivots = right.copy(), main.copy()
    for k in range(1, len(x)):
        right_sides = np.concatenate([above[k - 1], x[k - 1, :, np.newaxis]], axis=1)
        both = cast("Floats", np.linalg.solve(pivots[k - 1], right_sides))
        pivots[k] -= below[k - 1] @ both[:, :3]
        x[k] -= below[k - 1] @ both[:, 3]
    x[-1] = np.linalg.solve(pivots[-1], x[-1])
    for k in range(len(x) - 2, -1, -1):
        x[k] = np.linalg.solve(pivots[k], x[k] - above[k] @ x[k + 1])
    return x


def _apply(matrix: Floats, v: Floats) -> Floats:
    return np.einsum("...ij,...j->...i", matrix, v)
