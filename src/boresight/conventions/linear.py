"""Linear changes of vectors and covariances: signed permutations, with at most one turn between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight import kernels
from boresight.axes import SignedPermutation
from boresight.conventions.coding import floats, scaled
from boresight.errors import ConventionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]

__all__ = ["IDENTITY", "LinearMap", "congruence"]

IDENTITY = SignedPermutation((0, 1, 2), (1, 1, 1))


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """A change of vectors: ``first``, then ``turn`` if there is one, then ``last``, times ``scale``.

    Attributes
    ----------
    first, last : SignedPermutation
    turn : ndarray, shape (4,), or None
        A quaternion in x, y, z, w; None where the change is exact.
    scale : Fraction
        The old unit of length in new ones.
    """

    first: SignedPermutation
    turn: Array | None = None
    last: SignedPermutation = IDENTITY
    scale: Fraction = Fraction(1)

    @property
    def determinant(self) -> int:
        """1, or -1 where the change mirrors."""
        return self.first.determinant * self.last.determinant

    def axial(self) -> LinearMap:
        """Return the change of axial vectors (angular rates) that goes with this one of polar ones, unscaled."""
        return LinearMap(self.first, self.turn, self.last if self.determinant > 0 else -self.last)

    def scaled(self, scale: Fraction) -> LinearMap:
        """Return the same change with another scale."""
        return LinearMap(self.first, self.turn, self.last, scale)

    def apply(self, vectors: ArrayLike) -> Array:
        """Change vectors, shape (..., 3)."""
        v = floats(vectors)
        if v.shape[-1:] != (3,):
            raise ConventionError(f"vectors have shape (..., 3), not {v.shape}")
        if self.turn is None:
            exact = self.last @ self.first
            v = kernels.permute(v, exact.indices, exact.signs)
        else:
            v = kernels.permute(v, self.first.indices, self.first.signs)
            v = kernels.rotate(self.turn.astype(v.dtype), v)
            v = kernels.permute(v, self.last.indices, self.last.signs)
        return scaled(v, *self.scale.as_integer_ratio())

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The 3×3 matrix of the change, its scale included."""
        turn = np.eye(3) if self.turn is None else kernels.to_matrix(self.turn)
        return float(self.scale) * (self.last.matrix @ turn @ self.first.matrix)

    def same_congruence(self, other: LinearMap) -> bool:
        """Whether both change every covariance alike: they are equal, or one is the other's negative."""
        a, b = self.matrix, other.matrix
        return np.array_equal(a, b) or np.array_equal(a, -b)


def congruence(covariance: ArrayLike, maps: Sequence[LinearMap]) -> Array:
    """Change covariances of stacked vectors, each with its own map: M P Mᵀ.

    Parameters
    ----------
    covariance : array_like, shape (..., 3n, 3n)
    maps : sequence of LinearMap
        n of them, in the order of the vectors.

    Returns
    -------
    ndarray, of the same shape
        Without a turn entries only move, change sign and scale, so an entry that is NaN, or a -1 that marks
        the first as unknown, stays one entry.
    """
    p = floats(covariance)
    size = 3 * len(maps)
    if p.shape[-2:] != (size, size):
        raise ConventionError(f"the covariance has shape (..., {size}, {size}), not {p.shape}")
    if any(part.turn is not None for part in maps):
        m = np.zeros((size, size))
        for i, part in enumerate(maps):
            m[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = part.matrix
        m = m.astype(p.dtype)
        return m @ p @ m.T
    exact = [part.last @ part.first for part in maps]
    indices = np.array([3 * i + index for i, part in enumerate(exact) for index in part.indices])
    factors = np.array(
        [sign * float(m.scale) for m, part in zip(maps, exact, strict=True) for sign in part.signs]
    )
    return p[..., indices[:, None], indices] * np.outer(factors, factors).astype(p.dtype)
