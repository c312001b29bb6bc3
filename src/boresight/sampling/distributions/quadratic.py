"""Laws whose density is the exponential of a quadratic form in the quaternion: Bingham's and the matrix Fisher's.

The two are one family: tr(Fᵀ R) is qᵀ K q. In axes of its own, q = left · q' · right, such a law is
exp(-w₁ x² - w₂ y² - w₃ z²) with 0 <= w₁ <= w₂ <= w₃.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...averaging import mean_rotation
from ...frames import Source, Target
from ...kernels.sampling import propose_bingham
from ...rotation import Rotation
from ..streams import Doubles, Rng, Size, accepted
from .law import Law
from .normalizer import Moments, log_normalizer, moments

__all__ = ["Quadratic", "fitted"]

_SHARPEST = 1e200


class Quadratic(Law[Source, Target]):
    """The law exp(-w₁ x² - w₂ y² - w₃ z²) in axes of its own.

    Samples are drawn by rejection from the angular central Gaussian that is closest (Kent, Ganeiber and Mardia,
    arXiv:1310.8110), whose own samples are made of uniform quaternions. Of four uniforms a proposal, between 43 and 100
    of a hundred are accepted.
    """

    def __init__(
        self, source: type[Source], target: type[Target], w: Doubles, left: Doubles, right: Doubles
    ) -> None:
        super().__init__(source, target, left=left, right=right)
        if not w[2] <= _SHARPEST:
            raise ValueError(f"the concentration is too large: 1/(2 w) is a variance, and w is {w[2]:.3g}")
        self._w = w
        self._bound = _bound(w)
        self._scale = (1 + 2 * np.array([*w, 0.0]) / self._bound) ** -0.5

    @property
    def mean(self) -> Rotation[Source, Target]:
        """The most likely rotation, which is the chordal mean too.

        Raises
        ------
        ValueError
            If the concentration is singular: all rotations of a circle, or more of them, are as likely as any.
        """
        if not self._w[0] > 1e-12 * self._w[2]:
            raise ValueError(
                f"{self!r} has no mean: its concentration is singular, and no rotation the most likely"
            )
        return super().mean

    @cached_property
    def _moments(self) -> Moments:
        return moments(self._w)

    @cached_property
    def _log_constant(self) -> float:
        return log_normalizer(self._w)

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        def propose(u: Doubles) -> tuple[Any, NDArray[np.bool_]]:
            q, margin = propose_bingham(u, self._scale, self._bound)
            return q, margin > 0

        return accepted(rng, size, 4, propose)

    def _log_density(self, q: Doubles) -> Any:
        return -(q[..., :3] ** 2 @ self._w) - self._log_constant + 0.0 * q[..., 3]


def _bound(w: Doubles) -> float:
    """The b of the closest angular central Gaussian: Σ 1/(b + 2 wᵢ) = 1 over all four."""
    low, high = 1.0, 4.0
    while (middle := (low + high) / 2) not in (low, high):
        if 1 / middle + float((1 / (middle + 2 * w)).sum()) > 1:
            low = middle
        else:
            high = middle
    return high


def fitted(q: Doubles, shares: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """The law of greatest likelihood: the one whose E q qᵀ is that of the samples.

    Parameters
    ----------
    q : ndarray, shape (n, 4)
    shares : ndarray, shape (n,)
        Of sum 1.

    Returns
    -------
    w : ndarray, shape (3,)
    left, right : ndarray, shape (4,)

    Raises
    ------
    ValueError
        If the samples keep to fewer dimensions, so that no finite concentration does.
    """
    mean, _ = mean_rotation(q, shares)
    about: Any = kernels.multiply(kernels.conjugate(mean), q)
    v = about[:, :3]
    squares, axes = np.linalg.eigh((v * shares[:, np.newaxis]).T @ v)
    # The widest first.
    squares, axes = squares[::-1], axes[:, ::-1]
    if not squares[2] > 1e-15 * squares[0]:
        raise ValueError(
            "the rotations keep to fewer than three dimensions: the concentration would be singular"
        )
    if np.linalg.det(axes) < 0:
        axes = axes * [1.0, 1.0, -1.0]
    turn: Any = kernels.from_matrix(axes)
    left: Any = kernels.multiply(mean, turn)
    right: Any = kernels.conjugate(turn)
    return _weights_of(squares), left, right


def _weights_of(squares: Doubles) -> Doubles:
    """The w whose E qᵢ² are given, for x, y and z, the greatest first."""
    w = _ordered(1 / (2 * squares) - 2)
    state = moments(w)
    error = _error(state, squares)
    for _ in range(100):
        if error < 1e-13:
            break
        try:
            step = np.linalg.solve(state.squares_covariance(), state.squares() - squares)
        except np.linalg.LinAlgError:
            step = np.zeros(3)
        # Newton's step; where it leads nowhere, what is right for sharp laws, whose E qᵢ² are 1/(2 wᵢ).
        better = False
        for candidate in (_ordered(w + step), _ordered((w + 0.1) * state.squares() / squares - 0.1)):
            new = moments(candidate)
            new_error = _error(new, squares)
            if new_error < error:
                w, state, error, better = candidate, new, new_error, True
                break
        if not better:
            break
    return w


def _ordered(w: Doubles) -> Doubles:
    return np.sort(np.maximum(w, 0.0))


def _error(state: Moments, squares: Doubles) -> float:
    return float(np.abs(state.squares() / squares - 1).max())
