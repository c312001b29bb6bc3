"""The exponential of a normal rotation vector, whatever its covariance."""

from __future__ import annotations

from math import ceil, log, pi
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...averaging import mean_rotation
from ...frames import Source, Target, Unframed
from ...rotation import Rotation
from .. import draws
from ..streams import Doubles, Rng, Size
from .law import Law, S, T, checked_weights, single, square_matrix

__all__ = ["NoiseSide", "WrappedNormal"]

NoiseSide = Literal["body", "world"]
"""In whose axes the rotation vector is: the source's, ``mean · exp(v)``, or the target's, ``exp(v) · mean``."""


class WrappedNormal(Law[Source, Target]):
    """Rotation vectors v ~ N(0, covariance) about a mean: ``mean · exp(v)`` or ``exp(v) · mean``.

    Parameters
    ----------
    covariance : array_like, shape (3, 3)
        Of the rotation vector, in rad², symmetric and positive semidefinite. Where it is singular, samples keep to
        fewer dimensions and there is no density.
    side : {"body", "world"}
        Whether v is in the axes of the source (the noise of a gyro) or of the target. It has no default.
    mean : Rotation, optional
        A single one; its frames are those of the samples. The identity by default.

    Raises
    ------
    ValueError
        For a covariance of another shape, not finite, not symmetric or not positive semidefinite; for a side that does
        not exist; for a mean that is a batch or NaN.

    Notes
    -----
    An isotropic one, σ² I, has E tr R = 1 + 2 (1 - σ²) exp(-σ²/2).

    The density is a sum over the turns that lead to one rotation; along a line on which the law is wider than 10 rad, it is
    the integral that the sum is then equal to. A law that wide is not the uniform one: its angle is flat on [0, π].

    Examples
    --------
    >>> import numpy as np
    >>> law = WrappedNormal(np.diag([0.01, 0.01, 0.09]), side="body")
    >>> law.sample((2, 3), rng=1).shape
    (2, 3)
    """

    __slots__ = ("_axes", "_covariance", "_deviations", "_root", "_side")

    @overload
    def __init__(
        self: WrappedNormal[Unframed, Unframed], covariance: ArrayLike, *, side: NoiseSide, mean: None = None
    ) -> None: ...
    @overload
    def __init__(self, covariance: ArrayLike, *, side: NoiseSide, mean: Rotation[Source, Target]) -> None: ...
    def __init__(self, covariance: ArrayLike, *, side: NoiseSide, mean: Any = None) -> None:
        matrix = square_matrix("covariance", covariance, 3, symmetric=True)
        if side not in ("body", "world"):
            raise ValueError(f'side= is "body" or "world", not {side!r}')
        center: Any = Rotation.identity() if mean is None else mean
        q = single("mean", center)
        super().__init__(
            center.source,
            center.target,
            left=q if side == "body" and mean is not None else None,
            right=q if side == "world" and mean is not None else None,
        )
        # Scaled, so that what is tiny is not lost.
        size = float(np.abs(matrix).max())
        variances, axes = np.linalg.eigh(matrix / size) if size > 0 else (np.zeros(3), np.eye(3))
        if variances[0] < -1e-12:
            raise ValueError(
                f"covariance= must be positive semidefinite; its least eigenvalue is {variances[0] * size:.3g}"
            )
        # What is below rounding of the largest is none.
        self._deviations = np.sqrt(np.where(variances > 1e-15, variances, 0.0)) * np.sqrt(size)
        self._axes = axes
        self._side: NoiseSide = side
        self._covariance = matrix
        # Not made of those axes, whose signs are up to the linear algebra at hand: a seed means the same everywhere.
        self._root = _triangle(matrix)

    @property
    def covariance(self) -> Doubles:
        """Of the rotation vector, in rad², shape (3, 3)."""
        return self._covariance.copy()

    @property
    def side(self) -> NoiseSide:
        """In whose axes the rotation vector is."""
        return self._side

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return draws.rotation_vector_gaussian(rng, size, root=self._root)

    def _log_density(self, q: Doubles) -> Any:
        deviations = self._deviations
        if not (deviations > 0).all():
            raise ValueError("covariance= is singular: a law on fewer than three dimensions has no density")
        v: Any = kernels.log(q)
        angle = np.sqrt((v * v).sum(axis=-1))
        # The other vectors of the same rotation lie on the same line, whole turns on; of zero, any line will do, and
        # there it is the one along which the law is widest.
        with np.errstate(divide="ignore", invalid="ignore"):
            line = np.where((angle > 0)[..., np.newaxis], v / angle[..., np.newaxis], self._axes[:, -1])
            line = np.where(np.isnan(angle)[..., np.newaxis], np.nan, line)
        scaled = line @ (self._axes / deviations)
        deviation = 1 / np.sqrt((scaled * scaled).sum(axis=-1))
        wide = deviation >= _WIDE
        with np.errstate(divide="ignore"):
            # Σ (θ + 2πk)² exp(-(θ + 2πk)²/2σ²) by its integral over k.
            total = 3 * np.log(deviation) - 0.5 * log(2 * pi) - 2 * np.log(2 * _half_sine(angle))
        total = np.where(wide, total, 0.0)
        total[~wide] = _summed(angle[~wide], deviation[~wide])
        # Haar's density over space is (2 sin(t/2) / t)² / 8π² at a rotation vector of length t, 2π further on too.
        constant = log(8 * pi**2) - 1.5 * log(2 * pi) - float(np.log(deviations).sum())
        return constant + total[()]

    @staticmethod
    def fit(
        rotation: Rotation[S, T], weights: ArrayLike | None = None, *, side: NoiseSide
    ) -> WrappedNormal[S, T]:
        """The law of the samples' mean, and of the covariance of their rotation vectors about it.

        The mean is the geodesic one. What turned beyond half a turn counts with the shorter way back, so that laws
        wider than about 1 rad come out too narrow.

        Parameters
        ----------
        rotation : Rotation
            Of any batch shape.
        weights : array_like, optional
            Not negative.
        side : {"body", "world"}

        Returns
        -------
        WrappedNormal

        Raises
        ------
        ValueError
            If there is nothing to fit to.

        Examples
        --------
        >>> import numpy as np
        >>> R = WrappedNormal(0.04 * np.eye(3), side="body").sample(100_000, rng=1)
        >>> WrappedNormal.fit(R, side="body").covariance.round(2) + 0.0
        array([[0.04, 0.  , 0.  ],
               [0.  , 0.04, 0.  ],
               [0.  , 0.  , 0.04]])
        """
        q, shares = checked_weights(rotation, weights)
        mean, _ = mean_rotation(q, shares, metric="geodesic")
        back = kernels.conjugate(mean)
        v: Any = kernels.log(kernels.multiply(back, q) if side == "body" else kernels.multiply(q, back))
        covariance = (v * shares[:, np.newaxis]).T @ v
        center = Rotation.from_quat(mean, order="xyzw", source=rotation.source, target=rotation.target)
        return WrappedNormal((covariance + covariance.T) / 2, side=side, mean=center)


# Deviation, in rad, from which on the sum over turns is the integral: by Poisson's formula the two differ by a share of
# 2 (σ² - 1) exp(-σ²/2), which is 4e-20 here.
_WIDE = 10.0


def _half_sine(angle: Doubles) -> Doubles:
    """sin(t/2), kept from zero, where all but the shortest way has an infinite density."""
    return np.maximum(np.sin(angle / 2), 1e-16)


def _summed(angle: Doubles, deviation: Doubles) -> Doubles:
    """The logarithm of Σ (t + 2πk)² exp(-(t + 2πk)²/2σ²) / (2 sin(t/2))², with σ of each row's own line."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total: Any = -2 * np.log(np.sinc(angle / (2 * pi))) - (angle / deviation) ** 2 / 2
        # Eight deviations, and no fewer than one turn each way.
        reach = float(np.fmax.reduce(deviation, initial=0.0))
        for k in range(1, ceil((8.5 * reach + pi) / (2 * pi)) + 1):
            for turns in (-k, k):
                length = np.abs(angle + 2 * pi * turns)
                other = np.log(length / (2 * _half_sine(angle))) * 2 - (length / deviation) ** 2 / 2
                total = np.logaddexp(total, other)
    return total


def _triangle(covariance: Doubles) -> Doubles:
    """Cholesky's root, lower triangular, with zeros in the columns of what is singular."""
    rest, root = covariance.copy(), np.zeros((3, 3))
    for j in range(3):
        if rest[j, j] > 1e-15 * covariance[j, j]:
            root[j:, j] = rest[j:, j] / np.sqrt(rest[j, j])
            rest -= np.outer(root[:, j], root[:, j])
    return root
