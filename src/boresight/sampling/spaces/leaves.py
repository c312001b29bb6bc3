"""The two spaces that all others are made of, on plain arrays: vectors in a box, and rotations.

Each knows distances and how to move by one: ``moved(near, distance, u)`` goes a distance from a state in a direction
that uniforms choose. Rotations are quaternions x, y, z, w, and their distance is half the rotation angle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import gamma, pi, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...kernels.sampling import angle_mass, sample_axis, sample_ball, sample_gaussian, sample_swing_twist
from ..half_angle import LARGEST_MEAN, wrapped_normal
from ..streams import Doubles

__all__ = ["Box", "Law", "Leaf", "Rotations", "normals"]

Law = str
"""``"exact"`` or ``"ompl"``."""

Bools = NDArray[np.bool_]

# Where OMPL takes a rotation for its neighbour (scalar product above 1 - 1e-9), for no quaternion (norm), and where
# its samplers fall back to the uniform law (half angle, and standard deviation of a rotation vector's component).
OMPL_SAME = 1.0 - 1e-9
OMPL_ALL_NEAR = pi / 4
OMPL_ALL_GAUSSIAN = 1.17


class Leaf(ABC):
    """A space that is not made of others."""

    width: int
    dimension: int

    @property
    @abstractmethod
    def extent(self) -> float:
        """The largest distance of two states."""

    @property
    @abstractmethod
    def measure(self) -> float:
        """How large the space is."""

    @abstractmethod
    def distance(self, a: Doubles, b: Doubles, law: Law, /) -> Doubles:
        """Distances, (...) of (..., width)."""

    @abstractmethod
    def interpolate(self, a: Doubles, b: Doubles, t: Doubles, law: Law, /) -> Doubles:
        """The states a fraction t, shape (...), of the way."""

    @abstractmethod
    def inside(self, x: Doubles, law: Law = "exact", /) -> Any:
        """Whether states are within the bounds."""

    @abstractmethod
    def open(self, near: Doubles, reach: float, /) -> bool:
        """Whether neither bounds nor the end of the space come into play within `reach` of a state."""

    # Uniforms that each of the following takes a row.
    uniform_columns: int
    moved_columns: int
    gaussian_columns: int

    @abstractmethod
    def uniform(self, u: Doubles) -> Doubles:
        """States uniform over the space."""

    @abstractmethod
    def moved(self, near: Doubles, distance: Doubles, u: Doubles) -> Doubles:
        """States at distances from one, in uniform directions."""

    @abstractmethod
    def flat(self, distance: Doubles) -> Doubles:
        """How much of the space is at a distance, beside a flat space of the same dimension: at most 1."""

    @abstractmethod
    def covered(self, near: Doubles, reach: float, u: Doubles) -> Doubles:
        """States uniform in a set that holds all within `reach` of one; from `uniform_columns` uniforms."""

    @abstractmethod
    def gaussian(self, mean: Doubles, expected: float, u: Doubles) -> tuple[Doubles, Bools]:
        """States whose expected distance from the mean is given, and which of them to take."""

    @abstractmethod
    def check_expected(self, expected: float, /) -> float | None:
        """The largest expected distance there is, where this one is larger."""

    @abstractmethod
    def ompl_near(self, near: Doubles, distance: float, u: Doubles) -> Doubles:
        """What OMPL's sampleUniformNear draws."""

    @abstractmethod
    def ompl_gaussian(self, mean: Doubles, deviation: float, u: Doubles) -> Doubles:
        """What OMPL's sampleGaussian draws."""


def normals(u: Doubles) -> Doubles:
    """Standard normals from as many uniforms, an even number (Box and Muller)."""
    half = u.shape[-1] // 2
    size = np.sqrt(-2 * np.log1p(-u[..., :half]))
    turn = 2 * pi * u[..., half:]
    return np.concatenate([size * np.cos(turn), size * np.sin(turn)], axis=-1)


def _even(n: int) -> int:
    return n + n % 2


@dataclass(frozen=True)
class Box(Leaf):
    """Vectors between bounds, with the Euclidean distance."""

    low: Doubles
    high: Doubles

    def __post_init__(self) -> None:
        n = len(self.low)
        for name, value in (
            ("width", n),
            ("dimension", n),
            ("uniform_columns", n),
            ("moved_columns", _even(n)),
            ("gaussian_columns", 2 * n + _even(n)),
        ):
            object.__setattr__(self, name, value)

    @property
    def extent(self) -> float:
        return float(np.linalg.norm(self.high - self.low))

    @property
    def measure(self) -> float:
        return float(prod((self.high - self.low).tolist()))

    def distance(self, a: Doubles, b: Doubles, _law: Law, /) -> Doubles:
        return np.linalg.norm(a - b, axis=-1)

    def interpolate(self, a: Doubles, b: Doubles, t: Doubles, _law: Law, /) -> Doubles:
        return a + (b - a) * t[..., np.newaxis]

    def inside(self, x: Doubles, _law: Law = "exact", /) -> Any:
        return ((x >= self.low) & (x <= self.high)).all(axis=-1)

    def open(self, near: Doubles, reach: float, /) -> bool:
        return bool(self.inside(near - reach) and self.inside(near + reach))

    def uniform(self, u: Doubles) -> Doubles:
        return self.low + (self.high - self.low) * u

    def moved(self, near: Doubles, distance: Doubles, u: Doubles) -> Doubles:
        v = normals(u)[..., : self.width]
        return near + v * (distance / np.linalg.norm(v, axis=-1))[..., np.newaxis]

    def flat(self, distance: Doubles) -> Doubles:
        return np.ones_like(distance)

    def covered(self, near: Doubles, reach: float, u: Doubles) -> Doubles:
        low, high = np.maximum(self.low, near - reach), np.minimum(self.high, near + reach)
        return low + (high - low) * u

    def gaussian(self, mean: Doubles, expected: float, u: Doubles) -> tuple[Doubles, Bools]:
        # The mean length of n standard normals.
        sigma = expected / (sqrt(2.0) * gamma((self.width + 1) / 2) / gamma(self.width / 2))
        n = self.width
        x = mean + sigma * normals(u[..., 2 * n :])[..., :n]
        # Where a normal law would hardly ever hit the box, uniform over it and thinned to the same law.
        wide = sigma > self.high - self.low
        if wide.any():
            x = np.where(wide, self.low + (self.high - self.low) * u[..., :n], x)
            keep = np.exp(-0.5 * ((x - mean) / sigma) ** 2)
            taken = (u[..., n : 2 * n] < keep) | ~wide
            return x, self.inside(x) & taken.all(axis=-1)
        return x, self.inside(x)

    def check_expected(self, _expected: float, /) -> float | None:
        return None

    def ompl_near(self, near: Doubles, distance: float, u: Doubles) -> Doubles:
        return self.covered(near, distance, u[..., : self.width])

    def ompl_gaussian(self, mean: Doubles, deviation: float, u: Doubles) -> Doubles:
        x = mean + deviation * normals(u[..., 2 * self.width :])[..., : self.width]
        return np.clip(x, self.low, self.high)


@dataclass(frozen=True)
class Rotations(Leaf):
    """Unit quaternions x, y, z, w; a distance is half the rotation angle."""

    width = 4
    dimension = 3
    uniform_columns = 3
    moved_columns = 2
    gaussian_columns = 8

    @property
    def extent(self) -> float:
        return pi / 2

    @property
    def measure(self) -> float:
        return pi * pi

    def distance(self, a: Doubles, b: Doubles, law: Law, /) -> Doubles:
        half: Any = kernels.angle(kernels.multiply(kernels.conjugate(a), b)) / 2
        if law == "ompl":
            half = np.where(_ompl_same(a, b), 0.0, half)
        return np.asarray(half)

    def interpolate(self, a: Doubles, b: Doubles, t: Doubles, law: Law, /) -> Doubles:
        between: Any = kernels.slerp(a, b, t)
        if law == "ompl":
            between = np.where(_ompl_same(a, b)[..., np.newaxis], a, between)
        return between

    def inside(self, x: Doubles, law: Law = "exact", /) -> Any:
        return ~np.isnan(x).any(axis=-1) if law == "exact" else np.ones(x.shape[:-1], dtype=np.bool_)

    def open(self, _near: Doubles, reach: float, /) -> bool:
        return reach <= pi / 2

    def uniform(self, u: Doubles) -> Doubles:
        return _written(lambda out: sample_swing_twist(np.ascontiguousarray(u), 1.0, pi, out=out), u)

    def moved(self, near: Doubles, distance: Doubles, u: Doubles) -> Doubles:
        rows = np.concatenate([2 * distance[..., np.newaxis], u], axis=-1)
        return _product(near, _written(lambda out: sample_axis(rows, out=out), u))

    def flat(self, distance: Doubles) -> Doubles:
        # np.sinc(x) is sin(pi x) / (pi x); nothing is beyond half a turn.
        return np.where(distance <= pi / 2, np.sinc(distance / pi) ** 2, 0.0)

    def covered(self, near: Doubles, reach: float, u: Doubles) -> Doubles:
        edge = float(angle_mass(min(2 * reach, pi)))
        rows = np.ascontiguousarray(u)
        return _product(near, _written(lambda out: sample_ball(rows, 0.0, edge, out=out), u))

    def gaussian(self, mean: Doubles, expected: float, u: Doubles) -> tuple[Doubles, Bools]:
        sigma, uniform = wrapped_normal(expected)
        q = self._turned(mean, sigma, u)
        if uniform:
            anywhere = self.uniform(u[..., 4:7])
            q = np.where(u[..., 7:] < uniform, anywhere, q)
        return q, np.ones(q.shape[:-1], dtype=np.bool_)

    def _turned(self, mean: Doubles, sigma: float, u: Doubles) -> Doubles:
        z = np.ascontiguousarray(normals(u[..., :4])[..., :3])
        root = sigma * np.eye(3)
        return _product(mean, _written(lambda out: sample_gaussian(z, root, out=out), u))

    def check_expected(self, expected: float, /) -> float | None:
        return None if expected <= LARGEST_MEAN else LARGEST_MEAN

    def ompl_near(self, near: Doubles, distance: float, u: Doubles) -> Doubles:
        if distance >= OMPL_ALL_NEAR:
            return self.uniform(u)
        return self.moved(near, distance * np.cbrt(u[..., 0]), u[..., 1:])

    def ompl_gaussian(self, mean: Doubles, deviation: float, u: Doubles) -> Doubles:
        sigma = 2 * deviation / sqrt(3.0)
        if sigma > OMPL_ALL_GAUSSIAN:
            return self.uniform(u[..., :3])
        return self._turned(mean, sigma, u)


def _ompl_same(a: Doubles, b: Doubles) -> Bools:
    return np.abs(np.sum(a * b, axis=-1)) > OMPL_SAME


def _product(a: Doubles, b: Doubles) -> Doubles:
    product: Any = kernels.multiply(a, b)
    return product


def _written(work: Callable[[Doubles], object], u: Doubles) -> Doubles:
    out = np.empty((*u.shape[:-1], 4))
    work(out)
    return out
