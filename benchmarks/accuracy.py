"""Errors of the kernels in units in the last place, against mpmath at 200 bits.

Each value is compared with that of the exact function of the floating-point numbers given, component by component. For
products, matrices and matrix to quaternion the unit is that of the largest component: rounding of what is given, or of
terms that cancel, decides the others.

Two lines stand apart. Where w of exp is below eps, so close is the turn to half of one that w is what twice the working
precision leaves of the length: the units are those of that tiny number, and in single precision, where twice is not
enough for them, the line has no bar. Between quaternions half a turn apart, to rounding, there are two shortest ways,
of which rounding picks one: that slerp is compared with the way that it took.

    python benchmarks/accuracy.py [--samples 300] [--seed 1] [--quick]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import mpmath as mp
import numpy as np

from boresight import kernels

mp.mp.prec = 200
Row = list[mp.mpf]
AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 2, 3], [1, 1, 1], [1, 1e-9, 0]], dtype=float)


def exact(row: np.ndarray) -> Row:
    return [mp.mpf(float(x)) for x in row.ravel()]


def exp(v: Row) -> Row:
    a = mp.sqrt(sum(x * x for x in v))
    s = mp.sin(a / 2) / a if a else mp.mpf(1) / 2
    return [*(s * x for x in v), mp.cos(a / 2)]


def log(q: Row) -> Row:
    n = mp.sqrt(sum(x * x for x in q[:3]))
    sign = -1 if q[3] < 0 else 1
    f = 2 * mp.atan2(n, abs(q[3])) / n if n else mp.mpf(2) / abs(q[3])
    return [sign * f * x for x in q[:3]]


def angle(q: Row) -> Row:
    return [2 * mp.atan2(mp.sqrt(sum(x * x for x in q[:3])), abs(q[3]))]


def matrix(q: Row) -> list[Row]:
    x, y, z, w = q
    n = x * x + y * y + z * z + w * w
    return [
        [(w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
        [2 * (x * y + w * z) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n],
        [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (w * w - x * x - y * y + z * z) / n],
    ]


def euler_zyx(q: Row) -> Row:
    m = matrix(q)
    c = mp.sqrt(m[0][0] ** 2 + m[1][0] ** 2)
    return [mp.atan2(m[1][0], m[0][0]), mp.atan2(-m[2][0], c), mp.atan2(m[2][1], m[2][2])]


def euler_zyz(q: Row) -> Row:
    m = matrix(q)
    s = mp.sqrt(m[0][2] ** 2 + m[1][2] ** 2)
    return [mp.atan2(m[1][2], m[0][2]), mp.atan2(s, m[2][2]), mp.atan2(m[2][1], -m[2][0])]


def elements(q: Row) -> Row:
    return [x for row in matrix(q) for x in row]


def elements_as_given(q: Row) -> Row:
    """As `elements`, in the form that takes the quaternion's length for one: what it is off by stays in."""
    x, y, z, w = q
    return [
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ]


def halves(row: Row) -> tuple[Row, Row]:
    """Two quaternions in one row, and the sign that takes the second to the side of the first."""
    p, q = row[:4], row[4:8]
    sign = -1 if mp.fdot(p, q) < 0 else 1
    return p, [sign * x for x in q]


def product(row: Row) -> Row:
    (ax, ay, az, aw), (bx, by, bz, bw) = row[:4], row[4:]
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def slerp(row: Row) -> Row:
    """Of the unit quaternions nearest to those given."""
    p, q = ([x / mp.norm(half) for x in half] for half in halves(row))
    return along(p, q, row[8])


def other_way(row: Row) -> Row:
    """As `slerp`, by the longer way: at half a turn, no longer than the other."""
    p, q = ([x / mp.norm(half) for x in half] for half in halves(row))
    return along(p, [-x for x in q], row[8])


def along(p: Row, q: Row, t: mp.mpf) -> Row:
    # Half the angle between them, from the chord and its complement: neither loses digits.
    half = mp.atan2(
        mp.norm([a - b for a, b in zip(p, q, strict=True)]),
        mp.norm([a + b for a, b in zip(p, q, strict=True)]),
    )
    if half == 0:
        return p
    a, b = mp.sin(2 * (1 - t) * half) / mp.sin(2 * half), mp.sin(2 * t * half) / mp.sin(2 * half)
    return [a * x + b * y for x, y in zip(p, q, strict=True)]


def pairs(rng: np.random.Generator, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each quaternion beside one at a distance from 1e-16 to half a turn, and a fraction.

    Then those of them that are half a turn apart to rounding, and have two shortest ways.
    """
    near = kernels.multiply(q, kernels.exp(vectors(rng, len(q) // 4 + 1)[: len(q)].astype(q.dtype)))
    one_way = np.abs(np.sum(q * near, axis=1)) > 8 * np.finfo(q.dtype).eps
    both = np.hstack([q, near, rng.uniform(0, 1, size=(len(q), 1)).astype(q.dtype)])
    return both[one_way], both[~one_way]


def apart(rng: np.random.Generator, q: np.ndarray) -> np.ndarray:
    """Each quaternion beside one exactly half a turn away, about x, y or z, and a fraction."""
    turned = np.array(
        [[[3, 2, 1, 0], [1, -1, 1, -1]], [[2, 3, 0, 1], [1, 1, -1, -1]], [[1, 0, 3, 2], [-1, 1, 1, -1]]]
    )
    which = turned[rng.integers(3, size=len(q))]
    other = np.take_along_axis(q, which[:, 0], axis=1) * which[:, 1].astype(q.dtype)
    return np.hstack([q, other, rng.uniform(0, 1, size=(len(q), 1)).astype(q.dtype)])


def vectors(rng: np.random.Generator, n: int) -> np.ndarray:
    """Rotation vectors of lengths from 1e-300 to pi, about plain axes and random ones, more of them near the ends."""
    random = rng.normal(size=(n, 3))
    axes = np.vstack([AXES, random])
    axes = axes[np.arange(4 * n) % len(axes)]
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    lengths = np.concatenate(
        [
            10 ** rng.uniform(-300, -1, n),
            rng.uniform(0, np.pi, n),
            np.pi - 10 ** rng.uniform(-16, -1, n),
            10 ** rng.uniform(-12, 0, n),
        ]
    )
    return axes * lengths[:, None]


def boundary_matrices(rng: np.random.Generator, n: int) -> np.ndarray:
    """Matrices whose quaternions have two, three or four components of the largest size, to 1e-15 to 1e-2."""
    sizes = np.array(
        [[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0.3, 0.2], [1, 0, 0, 0], [1, 1, 1e-9, 0]]
    )
    q = rng.permuted(sizes[rng.integers(len(sizes), size=n)], axis=1) * rng.choice([-1, 1], size=(n, 4))
    q = q + rng.normal(size=(n, 4)) * 10 ** rng.uniform(-16, -2, size=(n, 1))
    return np.array([[[float(x) for x in row] for row in matrix(exact(r))] for r in q])


def nearest_quaternion(m: Row) -> Row:
    """Of a matrix rotated by rounding alone: the eigenvector of Bar-Itzhack's matrix for its largest eigenvalue."""
    a = [m[0:3], m[3:6], m[6:9]]
    k = mp.matrix([
        [a[0][0] - a[1][1] - a[2][2], a[1][0] + a[0][1], a[2][0] + a[0][2], a[2][1] - a[1][2]],
        [a[1][0] + a[0][1], a[1][1] - a[0][0] - a[2][2], a[2][1] + a[1][2], a[0][2] - a[2][0]],
        [a[2][0] + a[0][2], a[2][1] + a[1][2], a[2][2] - a[0][0] - a[1][1], a[1][0] - a[0][1]],
        [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1], a[0][0] + a[1][1] + a[2][2]],
    ])  # fmt: skip
    values, basis = mp.eigsy(k)
    best = max(range(4), key=lambda i: values[i])
    return [basis[i, best] for i in range(4)]


def ulps(got: float, want: mp.mpf, size: mp.mpf, dtype: type) -> float:
    """The error, in units in the last place of a number of that size."""
    if size == 0:
        return float("inf") if got else 0.0
    unit = np.spacing(dtype(max(float(size), float(np.finfo(dtype).tiny))))
    return float(abs(mp.mpf(float(got)) - want) / mp.mpf(float(unit)))


def worst(
    given: np.ndarray,
    got: np.ndarray,
    *truths: Callable[[Row], Row],
    by_row: bool = False,
) -> tuple[float, float]:
    """Largest and mean of the rows' largest errors; of several right answers the nearest counts."""
    errors: list[float] = []
    for row, result in zip(given, got, strict=True):
        flat = np.atleast_1d(result).ravel()
        found: list[float] = []
        for truth in truths:
            want = truth(exact(row))
            scale = max(abs(x) for x in want) if by_row else None
            if by_row and mp.fdot(want, exact(flat)) < 0:
                want = [-x for x in want]
            sizes = [abs(x) if scale is None else scale for x in want]
            found.append(max(ulps(*one, given.dtype.type) for one in zip(flat, want, sizes, strict=True)))
        errors.append(min(found))
    return max(errors, default=0.0), float(np.mean(errors)) if errors else 0.0


def tables(rng: np.random.Generator, n: int, dtype: type) -> Iterator[tuple[str, float, float, float]]:
    v = vectors(rng, n).astype(dtype)
    eps = float(np.finfo(dtype).eps)
    beyond = np.abs(kernels.exp(v)[:, 3]) < eps
    yield "exp", 4, *worst(v[~beyond], kernels.exp(v[~beyond]), exp)
    bar = 4 if dtype is np.float64 else np.inf
    yield "exp, w below eps", bar, *worst(v[beyond], kernels.exp(v[beyond]), exp)
    q = np.vstack(
        [kernels.exp(v), kernels.from_quaternion(rng.normal(size=(n, 4)).astype(dtype), order="xyzw")]
    )
    yield "log", 4, *worst(q, kernels.log(q), log)
    yield "angle", 4, *worst(q, kernels.angle(q), angle)
    far = q[np.abs(kernels.to_euler("ZYX", q, degrees=True)[:, 1]) < 89.9]
    yield "to_euler ZYX", 4, *worst(far, kernels.to_euler("ZYX", far, degrees=False), euler_zyx)
    middle = kernels.to_euler("ZYZ", q, degrees=True)[:, 1]
    far = q[(middle > 0.1) & (middle < 179.9)]
    yield "to_euler ZYZ", 4, *worst(far, kernels.to_euler("ZYZ", far, degrees=False), euler_zyz)
    m = boundary_matrices(rng, n).astype(dtype)
    yield "from_matrix at branches", 4, *worst(m, kernels.from_matrix(m), nearest_quaternion, by_row=True)

    # The rest have sums that cancel: the unit is that of the row's largest number.
    yield "to_matrix", 4, *worst(q, kernels.to_matrix(q), elements_as_given, by_row=True)
    two, opposite = pairs(rng, q[:: max(1, len(q) // n)])
    a, b, t = two[:, :4], two[:, 4:8], two[:, 8]
    yield "multiply", 4, *worst(two[:, :8], kernels.multiply(a, b), product, by_row=True)
    yield "slerp", 4, *worst(two, kernels.slerp(a, b, t), slerp, by_row=True)
    opposite = np.vstack([opposite, apart(rng, q[::20])])
    a, b, t = opposite[:, :4], opposite[:, 4:8], opposite[:, 8]
    yield "slerp, half a turn", 4, *worst(opposite, kernels.slerp(a, b, t), slerp, other_way, by_row=True)


def pole_errors(rng: np.random.Generator, n: int, dtype: type) -> float:
    """Largest entry of the difference between a rotation and the one rebuilt from its angles, at and near the pole."""
    distance = np.concatenate([[0.0], 10 ** rng.uniform(-18, 0, n)])
    angles = rng.uniform(-np.pi, np.pi, size=(len(distance), 3))
    angles[:, 1] = rng.choice([-1, 1], len(distance)) * (np.pi / 2 - distance)
    worst_entry = 0.0
    for sequence in kernels.EULER_SEQUENCES:
        proper = sequence[0] == sequence[2]
        rows = angles[rng.permutation(len(angles))[: max(1, n // 4)]] - (np.pi / 2 * proper) * np.array(
            [0, 1, 0]
        )
        q = kernels.from_euler(sequence, rows, degrees=False).astype(dtype)
        back = kernels.from_euler(sequence, kernels.to_euler(sequence, q, degrees=False), degrees=False)
        for a, b in zip(q, back, strict=True):
            pairs = zip(elements(exact(a)), elements(exact(b)), strict=True)
            worst_entry = max(worst_entry, *(float(abs(x - y)) for x, y in pairs))
    return worst_entry


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few samples, to see that all runs")
    options = parser.parse_args()
    if options.quick:
        options.samples = 4
    missed = False
    for dtype, pole in ((np.float64, 1e-15), (np.float32, 6e-7)):
        rng = np.random.default_rng(options.seed)
        print(f"{dtype.__name__:26}{'largest':>9}{'mean':>7}{'bar':>6}   (units in the last place)")
        with np.errstate(under="ignore"):
            for name, bar, largest, mean in tables(rng, options.samples, dtype):
                missed = missed or largest > bar
                print(f"  {name:24}{largest:9.2f}{mean:7.2f}{'none' if np.isinf(bar) else bar:>6}")
        error = pole_errors(rng, options.samples, dtype)
        missed = missed or error > pole
        print(f"  rebuilt near the pole: largest entry off by {error:.2g} (bar {pole:g})\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
