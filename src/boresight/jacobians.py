"""Jacobians of the exponential maps of SO(3) and SE(3), left and right, and their inverses.

::

    exp(v + d) = exp(J_left(v) d) exp(v) = exp(v) exp(J_right(v) d),      J_right(v) = J_left(-v)

Twists have their order named at every call: ``"rot_trans"`` (GTSAM) or ``"trans_rot"`` (ROS; that of
`kernels.pose_exp`).

Everything is computed in double precision and returned in the precision that came in. With θ the angle, the
coefficients are power series in θ² over the whole range of a logarithm (all their terms together lose nothing there,
whereas the closed forms cancel near zero), and closed forms beyond it.

Sources: the closed form of the Jacobian of SO(3) is Rodrigues' formula integrated; see Barfoot, State Estimation for
Robotics, 7.1. That of SE(3) is taken here as a derivative of that of SO(3): the block between rotation and translation
is d/ds J(v + s rho) at s = 0, and so the block of its inverse is the same derivative of the inverse of J. No matrix is
ever inverted.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, pi

import numpy as np
from numpy.typing import ArrayLike

from .rows import Floats
from .tangents import TwistOrder, add_cross, add_diagonal, blocks, doubles, outer, split

__all__ = [
    "pose_left_jacobian",
    "pose_left_jacobian_inverse",
    "pose_right_jacobian",
    "pose_right_jacobian_inverse",
    "rotation_left_jacobian",
    "rotation_left_jacobian_inverse",
    "rotation_right_jacobian",
    "rotation_right_jacobian_inverse",
    "second_order",
]

# ---- coefficients, as functions of the square of the angle ------------------------------------------

# Up to here the series are used: beyond π², so that every logarithm falls on their side.
_SERIES_END = 16.0
_TERMS = 20

# (θ - sin θ)/θ³, and of the derivatives of this and of (1 - cos θ)/θ² what is left after a factor of -2 θ and -θ.
_B = [(-1) ** k / factorial(2 * k + 3) for k in range(_TERMS)]
_D = [(-1) ** k * (k + 1) / factorial(2 * k + 5) for k in range(_TERMS)]
_F = [(-1) ** k * 2 * (k + 1) / factorial(2 * k + 4) for k in range(_TERMS)]

# (1 - θ/2 cot(θ/2))/θ² is the sum over n of 2/((2 π n)² - θ²). The first term has the pole at 2 π; the rest, as a
# power series, has coefficients 2 (ζ(2k) - 1)/(2 π)^(2k), all positive: nothing cancels.
_POLE = 4.0 * pi * pi
# Each sum goes on until what is left of it is below rounding.
_ZETA_LESS_ONE = [pi**2 / 6 - 1, pi**4 / 90 - 1, pi**6 / 945 - 1] + [
    sum(float(n) ** (-2 * k) for n in range(3 + int(10 ** (17 / (2 * k - 1))), 1, -1))
    for k in range(4, _TERMS)
]
_C = [2.0 * z / _POLE ** (k + 1) for k, z in enumerate(_ZETA_LESS_ONE)]
_G = [2.0 * (k + 1) * c for k, c in enumerate(_C[1:])]


def _polynomial(coefficients: list[float], x: Floats) -> Floats:
    result = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result *= x
        result += coefficient
    return result


def _coefficient(
    square: Floats, series: Callable[[Floats], Floats], closed: Callable[[Floats], Floats]
) -> Floats:
    """Series where the square of the angle is small enough, closed form (of the angle) elsewhere."""
    far = square > _SERIES_END
    if not far.any():
        return series(square)
    result = series(np.minimum(square, _SERIES_END))
    return np.where(far, closed(np.sqrt(np.maximum(square, _SERIES_END))), result)


def _a(square: Floats) -> Floats:
    """(1 - cos θ)/θ²."""
    half = 0.5 * np.sqrt(square)
    ratio = np.sin(half) / np.where(half == 0, 1.0, half)
    return np.where(half == 0, 0.5, 0.5 * ratio * ratio)


def _b(square: Floats) -> Floats:
    """(θ - sin θ)/θ³."""
    return _coefficient(square, lambda x: _polynomial(_B, x), lambda a: (a - np.sin(a)) / a**3)


def _c(square: Floats) -> Floats:
    """(1 - θ/2 cot(θ/2))/θ²."""
    return _coefficient(
        square,
        lambda x: 2.0 / (_POLE - x) + _polynomial(_C, x),
        lambda a: (1.0 - 0.5 * a / np.tan(0.5 * a)) / a**2,
    )


def _d(square: Floats) -> Floats:
    """-b'(θ)/(2 θ)."""
    return _coefficient(
        square,
        lambda x: _polynomial(_D, x),
        lambda a: (a * (2.0 + np.cos(a)) - 3.0 * np.sin(a)) / (2.0 * a**5),
    )


def _f(square: Floats) -> Floats:
    """-a'(θ)/θ."""
    return _coefficient(
        square,
        lambda x: _polynomial(_F, x),
        lambda a: (2.0 - 2.0 * np.cos(a) - a * np.sin(a)) / a**4,
    )


def _g(square: Floats) -> Floats:
    """c'(θ)/θ."""

    def closed(a: Floats) -> Floats:
        x = 0.5 * a
        return (x / np.tan(x) + (x / np.sin(x)) ** 2 - 2.0) / a**4

    return _coefficient(square, lambda x: 4.0 / (_POLE - x) ** 2 + _polynomial(_G, x), closed)


def _square(v: Floats) -> Floats:
    return np.einsum("...i,...i->...", v, v)


# ---- Jacobians of exp on arrays of doubles -----------------------------------------------------------


def _jacobian(linear: Floats, quadratic: Floats, v: Floats, square: Floats) -> Floats:
    """I + linear v^ + quadratic v^², by v^² = v vᵀ - θ² I."""
    matrix = outer(quadratic[..., np.newaxis] * v, v)
    add_diagonal(matrix, 1.0 - quadratic * square)
    add_cross(matrix, linear[..., np.newaxis] * v)
    return matrix


def _derivative(
    linear: Floats, quadratic: Floats, slope: Floats, tilt: Floats, v: Floats, rho: Floats
) -> Floats:
    """Derivative along rho of `_jacobian`; slope and tilt are those of its coefficients, over θ."""
    along = np.einsum("...i,...i->...", v, rho)
    # v^ rho^ + rho^ v^ = v rhoᵀ + rho vᵀ - 2 (v·rho) I
    half = quadratic[..., np.newaxis] * rho + (0.5 * tilt * along)[..., np.newaxis] * v
    matrix = outer(v, half)
    matrix += np.swapaxes(matrix, -1, -2).copy()
    add_diagonal(matrix, -along * (2.0 * quadratic + tilt * _square(v)))
    add_cross(matrix, linear[..., np.newaxis] * rho + (slope * along)[..., np.newaxis] * v)
    return matrix


def _left(v: Floats) -> Floats:
    square = _square(v)
    return _jacobian(_a(square), _b(square), v, square)


def _left_inverse(v: Floats) -> Floats:
    square = _square(v)
    return _jacobian(np.full_like(square, -0.5), _c(square), v, square)


def _pose_left(rho: Floats, v: Floats, order: TwistOrder) -> Floats:
    square = _square(v)
    a, b = _a(square), _b(square)
    matrix, tt, tr, _, rr = blocks(square.shape, order)
    rr[...] = tt[...] = _jacobian(a, b, v, square)
    tr[...] = _derivative(a, b, -_f(square), -2.0 * _d(square), v, rho)
    return matrix


def _pose_left_inverse(rho: Floats, v: Floats, order: TwistOrder) -> Floats:
    square = _square(v)
    linear, c = np.full_like(square, -0.5), _c(square)
    matrix, tt, tr, _, rr = blocks(square.shape, order)
    rr[...] = tt[...] = _jacobian(linear, c, v, square)
    tr[...] = _derivative(linear, c, np.zeros_like(square), _g(square), v, rho)
    return matrix


def _of_vector(function: Callable[[Floats], Floats], v: ArrayLike, sign: float) -> Floats:
    (rows,), dtype = doubles((v, 3, "the rotation vector"))
    with np.errstate(all="ignore"):
        return function(sign * rows).astype(dtype, copy=False)


def _of_twist(
    function: Callable[[Floats, Floats, TwistOrder], Floats],
    twist: ArrayLike,
    sign: float,
    order: TwistOrder,
) -> Floats:
    (rows,), dtype = doubles((twist, 6, "the twist"))
    rho, v = split(rows, order)
    with np.errstate(all="ignore"):
        result = function(sign * rho, sign * v, order)
    # A row with a number missing is missing altogether, as everywhere; the blocks of zeros too.
    result[np.isnan(rows).any(axis=-1)] = np.nan
    return result.astype(dtype, copy=False)


def rotation_left_jacobian(v: ArrayLike) -> Floats:
    """Left Jacobian of exp at rotation vectors: ``exp(v + d) = exp(J d) exp(v)``.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        In radians.

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Examples
    --------
    >>> rotation_left_jacobian([0.0, 0.0, np.pi]).round(6) + 0.0
    array([[ 0.     , -0.63662,  0.     ],
           [ 0.63662,  0.     ,  0.     ],
           [ 0.     ,  0.     ,  1.     ]])
    """
    return _of_vector(_left, v, 1.0)


def rotation_right_jacobian(v: ArrayLike) -> Floats:
    """Right Jacobian of exp at rotation vectors: ``exp(v + d) = exp(v) exp(J d)``. As `rotation_left_jacobian`."""
    return _of_vector(_left, v, -1.0)


def rotation_left_jacobian_inverse(v: ArrayLike) -> Floats:
    """Inverse of the left Jacobian: ``log(exp(d) exp(v)) = v + J d``. Singular where the angle is a turn or more turns.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        In radians.

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Examples
    --------
    >>> v = [0.1, -0.2, 3.0]
    >>> (rotation_left_jacobian_inverse(v) @ rotation_left_jacobian(v)).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    return _of_vector(_left_inverse, v, 1.0)


def rotation_right_jacobian_inverse(v: ArrayLike) -> Floats:
    """Inverse of the right Jacobian: ``log(exp(v) exp(d)) = v + J d``. As `rotation_left_jacobian_inverse`."""
    return _of_vector(_left_inverse, v, -1.0)


def pose_left_jacobian(twist: ArrayLike, *, order: TwistOrder) -> Floats:
    """Left Jacobian of exp at twists: ``exp(v + d) = exp(J d) exp(v)``.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
    order : {"rot_trans", "trans_rot"}
        Of the twist, of d and of J d.

    Returns
    -------
    ndarray, shape (..., 6, 6)

    Examples
    --------
    >>> pose_left_jacobian(np.zeros(6), order="rot_trans").trace()
    np.float64(6.0)
    """
    return _of_twist(_pose_left, twist, 1.0, order)


def pose_right_jacobian(twist: ArrayLike, *, order: TwistOrder) -> Floats:
    """Right Jacobian of exp at twists: ``exp(v + d) = exp(v) exp(J d)``. As `pose_left_jacobian`."""
    return _of_twist(_pose_left, twist, -1.0, order)


def pose_left_jacobian_inverse(twist: ArrayLike, *, order: TwistOrder) -> Floats:
    """Inverse of the left Jacobian: ``log(exp(d) exp(v)) = v + J d``. As `pose_left_jacobian`."""
    return _of_twist(_pose_left_inverse, twist, 1.0, order)


def pose_right_jacobian_inverse(twist: ArrayLike, *, order: TwistOrder) -> Floats:
    """Inverse of the right Jacobian: ``log(exp(v) exp(d)) = v + J d``. As `pose_left_jacobian`."""
    return _of_twist(_pose_left_inverse, twist, -1.0, order)


def second_order(v: Floats, change: Floats) -> Floats:
    """Derivative of the right Jacobian at v along `change`, applied to `change`.

    It is what the Jacobian's own change adds to an angular acceleration: with w = J_right(v) v', it is the part of
    w' that v'' does not make.
    """
    with np.errstate(all="ignore"):
        square = _square(v)
        along = np.einsum("...i,...i->...", v, change)[..., np.newaxis]
        once = np.cross(v, change)
        twice = np.cross(v, once)
        b, d, f = (coefficient(square)[..., np.newaxis] for coefficient in (_b, _d, _f))
        return along * (f * once - 2.0 * d * twice) + b * np.cross(change, once)
