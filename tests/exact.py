"""Rotations and poses in mpmath, to any number of digits: what the code is checked against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

mp.mp.dps = 70

# Step of the numerical derivatives. Their own error is its square.
STEP = mp.mpf(10) ** -25

Matrix = Any


def hat(twist: Sequence[Any]) -> Matrix:
    """The 4 by 4 matrix of a twist, translation first."""
    a, b, c, x, y, z = (mp.mpf(float(v)) if isinstance(v, float | np.floating) else mp.mpf(v) for v in twist)
    return mp.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def vee(m: Matrix) -> list[Any]:
    """The twist, translation first, of a 4 by 4 matrix."""
    return [
        m[0, 3],
        m[1, 3],
        m[2, 3],
        (m[2, 1] - m[1, 2]) / 2,
        (m[0, 2] - m[2, 0]) / 2,
        (m[1, 0] - m[0, 1]) / 2,
    ]


def exp(twist: Sequence[Any]) -> Matrix:
    """The pose of a twist, by the power series of the matrix."""
    m = hat(twist)
    result, term, k = mp.eye(4), mp.eye(4), 0
    while mp.mnorm(term, 1) > mp.mpf(10) ** -(mp.mp.dps + 5):
        k += 1
        term = term * m / k
        result += term
    return result


def pose(q: Sequence[float], t: Sequence[float]) -> Matrix:
    """The 4 by 4 matrix of a quaternion (xyzw, scaled to norm one here) and a translation."""
    x, y, z, w = (mp.mpf(float(c)) for c in q)
    n = x * x + y * y + z * z + w * w
    m = mp.eye(4)
    rows = [
        [n - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), n - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), n - 2 * (x * x + y * y)],
    ]
    for i in range(3):
        for j in range(3):
            m[i, j] = rows[i][j] / n
        m[i, 3] = mp.mpf(float(t[i]))
    return m


def inverse(m: Matrix) -> Matrix:
    """The inverse of a pose."""
    result = mp.eye(4)
    for i in range(3):
        for j in range(3):
            result[i, j] = m[j, i]
        result[i, 3] = -sum(m[j, i] * m[j, 3] for j in range(3))
    return result


def _unit(i: int, size: Any) -> list[Any]:
    return [size if j == i else mp.mpf(0) for j in range(6)]


def exp_jacobian(twist: Sequence[float], side: str) -> NDArray[np.float64]:
    """Jacobian of exp at a twist, translation first, as differences of exp itself."""
    at = [mp.mpf(float(v)) for v in twist]
    back = inverse(exp(at))
    columns = []
    for i in range(6):
        ahead, behind = ([v + s * d for v, d in zip(at, _unit(i, STEP), strict=True)] for s in (1, -1))
        slope = (exp(ahead) - exp(behind)) / (2 * STEP)
        columns.append(vee(slope * back if side == "left" else back * slope))
    return mp.matrix(columns).T


def jacobian(function: Callable[[Matrix], Matrix], at: Matrix, side: str) -> Matrix:
    """Derivative of a function from poses to poses, both changed on one side."""
    back = inverse(function(at))
    columns = []
    for i in range(6):
        ahead, behind = (function(_changed(at, _unit(i, s * STEP), side)) for s in (1, -1))
        slope = (ahead - behind) / (2 * STEP)
        columns.append(vee(slope * back if side == "left" else back * slope))
    return mp.matrix(columns).T


def point_jacobian(at: Matrix, point: Sequence[float], side: str) -> Matrix:
    """Derivative of a moved point by the pose."""
    p = mp.matrix([*(mp.mpf(float(v)) for v in point), 1])
    columns = []
    for i in range(6):
        ahead, behind = (_changed(at, _unit(i, s * STEP), side) * p for s in (1, -1))
        columns.append([(ahead[j] - behind[j]) / (2 * STEP) for j in range(3)])
    return mp.matrix(columns).T


def _changed(at: Matrix, d: Sequence[Any], side: str) -> Matrix:
    return exp(d) * at if side == "left" else at * exp(d)


def array(m: Matrix) -> NDArray[np.float64]:
    """Rounded to doubles."""
    return np.array([[float(m[i, j]) for j in range(m.cols)] for i in range(m.rows)])
