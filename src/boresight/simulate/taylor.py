"""Truncated Taylor series of functions of time: derivatives without a formula for each.

A trajectory is written once, as a formula for position and heading. Velocity, acceleration, attitude, body
rates and specific force must all follow from that one formula; written out by hand they are pages of chain
rules, and one slip gives a simulator whose truth disagrees with itself. So the formula is evaluated on
`Taylor` values, which carry the coefficients of a series in time beside the value, and the derivatives come
out exact to rounding.

The recurrences are the textbook ones (Griewank and Walther, Evaluating Derivatives, table 13.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]


class Taylor:
    """A function of time around n instants, as Taylor coefficients.

    Parameters
    ----------
    coefficients : array, shape (order + 1, n)
        Row k holds the k-th derivative divided by k factorial.

    Examples
    --------
    >>> import numpy as np
    >>> t = Taylor.variable(np.array([2.0]), order=3)
    >>> (t * t * t).derivative(2)
    array([12.])

    """

    __slots__ = ("coefficients",)
    __array_ufunc__ = None  # array * Taylor must come to our operators, not be spread over the elements

    def __init__(self, coefficients: Array) -> None:
        self.coefficients = coefficients

    @staticmethod
    def variable(t: Array, order: int) -> Taylor:
        """Time itself: value t, first derivative 1."""
        coefficients = np.zeros((order + 1, t.size))
        coefficients[0] = t
        if order:
            coefficients[1] = 1.0
        return Taylor(coefficients)

    @staticmethod
    def constant(value: Array | float, like: Taylor) -> Taylor:
        """Make a constant of the same length and order as `like`."""
        coefficients = np.zeros_like(like.coefficients)
        coefficients[0] = value
        return Taylor(coefficients)

    @property
    def order(self) -> int:
        """The highest derivative carried."""
        return self.coefficients.shape[0] - 1

    @property
    def value(self) -> Array:
        """The function's values, shape (n,)."""
        return self.coefficients[0]

    def derivative(self, k: int = 1) -> Array:
        """Values of the k-th derivative, shape (n,)."""
        factorial = 1.0
        for i in range(2, k + 1):
            factorial *= i
        return self.coefficients[k] * factorial

    def differentiated(self) -> Taylor:
        """Return the derivative as a series, one order shorter."""
        steps = np.arange(1, self.order + 1, dtype=np.float64)
        return Taylor(self.coefficients[1:] * steps[:, None])

    def truncated(self, order: int) -> Taylor:
        """Return the same series up to a lower order."""
        return Taylor(self.coefficients[: order + 1])

    def __neg__(self) -> Taylor:
        return Taylor(-self.coefficients)

    def __add__(self, other: Taylor | float | Array) -> Taylor:
        if isinstance(other, Taylor):
            a, b = _same_order(self, other)
            return Taylor(a + b)
        out = self.coefficients.copy()
        out[0] += other
        return Taylor(out)

    __radd__ = __add__

    def __sub__(self, other: Taylor | float | Array) -> Taylor:
        return self + (-other)

    def __rsub__(self, other: float | Array) -> Taylor:
        return -self + other

    def __mul__(self, other: Taylor | float | Array) -> Taylor:
        if not isinstance(other, Taylor):
            return Taylor(self.coefficients * other)
        a, b = _same_order(self, other)
        out = np.zeros_like(a)
        for k in range(out.shape[0]):
            for i in range(k + 1):
                out[k] += a[i] * b[k - i]
        return Taylor(out)

    __rmul__ = __mul__

    def __truediv__(self, other: Taylor | float) -> Taylor:
        if not isinstance(other, Taylor):
            return Taylor(self.coefficients / other)
        a, b = _same_order(self, other)
        out = np.empty_like(a)
        for k in range(out.shape[0]):
            rest = a[k].copy()
            for i in range(k):
                rest -= out[i] * b[k - i]
            out[k] = rest / b[0]
        return Taylor(out)

    def sqrt(self) -> Taylor:
        """Return the square root; the value must be positive."""
        a = self.coefficients
        out = np.empty_like(a)
        out[0] = np.sqrt(a[0])
        for k in range(1, out.shape[0]):
            rest = a[k].copy()
            for i in range(1, k):
                rest -= out[i] * out[k - i]
            out[k] = rest / (2.0 * out[0])
        return Taylor(out)

    def sincos(self) -> tuple[Taylor, Taylor]:
        """Sine and cosine together, since each one's recurrence needs the other."""
        a = self.coefficients
        sine, cosine = np.empty_like(a), np.empty_like(a)
        sine[0], cosine[0] = np.sin(a[0]), np.cos(a[0])
        for k in range(1, a.shape[0]):
            sine[k] = sum(i * a[i] * cosine[k - i] for i in range(1, k + 1)) / k
            cosine[k] = -sum(i * a[i] * sine[k - i] for i in range(1, k + 1)) / k
        return Taylor(sine), Taylor(cosine)

    def polynomial(self, coefficients: npt.ArrayLike) -> Taylor:
        """Return a polynomial of this series, lowest power first.

        A row of coefficients for each power: a number, or one for each of the n instants.
        """
        c = np.asarray(coefficients, dtype=np.float64)
        result = Taylor.constant(c[-1], self)
        for row in c[-2::-1]:
            result = result * self + row
        return result

    def where(self, mask: npt.NDArray[np.bool_], otherwise: Taylor) -> Taylor:
        """Take this series where the mask holds, the other one elsewhere."""
        return Taylor(np.where(mask, self.coefficients, otherwise.coefficients))


Triple = tuple[Taylor, Taylor, Taylor]


def atan2(y: Taylor, x: Taylor) -> Taylor:
    """Return the angle of (x, y); undefined where both are zero."""
    slope = (x * y.differentiated() - y * x.differentiated()) / (x * x + y * y).truncated(x.order - 1)
    steps = np.arange(1, x.order + 1, dtype=np.float64)
    return Taylor(np.concatenate([np.arctan2(y.value, x.value)[None], slope.coefficients / steps[:, None]]))


def cross(a: Triple, b: Triple) -> Triple:
    """Return the cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Triple, b: Triple) -> Taylor:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(v: Triple) -> Triple:
    """Divide a vector by its length."""
    length = dot(v, v).sqrt()
    return v[0] / length, v[1] / length, v[2] / length


def _same_order(a: Taylor, b: Taylor) -> tuple[Array, Array]:
    rows = min(a.coefficients.shape[0], b.coefficients.shape[0])
    return a.coefficients[:rows], b.coefficients[:rows]
