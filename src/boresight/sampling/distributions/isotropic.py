"""The isotropic Gaussian of rotations, IGSO(3): what diffusion from one rotation has spread to after a time."""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...averaging import mean_rotation
from ...frames import Source, Target, Unframed
from ...kernels.sampling import angle_mass, sample_axis
from ...rotation import Rotation
from ..checks import reals
from ..streams import Doubles, Rng, Size, from_uniforms
from .angles import AngleTable
from .law import Law, S, T, checked_weights, positive, single

__all__ = ["IsotropicGaussian"]

_ONE_FORM = 1.0  # variance below which the sum over windings is the better of the two forms


class IsotropicGaussian(Law[Source, Target]):
    """The heat kernel of rotations: Brownian motion from the mean, in all directions alike.

    Unlike a wrapped normal it keeps its form: sums of independent turns of variances v₁ and v₂ have v₁ + v₂, and with
    growing variance it becomes uniform.

    Parameters
    ----------
    variance : float
        Where it is small, that of each component of the rotation vector, in rad². Two other scales are in use: the ε
        of Leach et al. (2022) has variance = 2 ε², the σ of Yim et al. (2023) variance = σ².
    mean : Rotation, optional
        A single one; its frames are those of the samples. The identity by default.

    Raises
    ------
    ValueError
        For a variance that is not positive and finite, or a mean that is a batch or NaN.

    Notes
    -----
    With respect to Haar's measure the density at the angle θ is Σ (2l + 1) exp(-l (l+1) v / 2) sin((l + ½) θ) / sin(θ/2)
    over l from 0; multiplied by (1 - cos θ)/π it is that of the angle. For v below 1 the same by Poisson's summation:
    √(2π) v^(-3/2) exp(v/8) / sin(θ/2) · Σ (-1)^k (θ - 2πk) exp(-(θ - 2πk)²/2v). E tr R = 3 exp(-v).

    Examples
    --------
    >>> R = IsotropicGaussian(variance=0.25).sample(100_000, rng=1)
    >>> round(float(R.as_matrix().trace(axis1=1, axis2=2).mean()), 2)  # 3 exp(-0.25) = 2.336
    2.34
    """

    __slots__ = ("_table", "_variance")

    @overload
    def __init__(self: IsotropicGaussian[Unframed, Unframed], *, variance: float) -> None: ...
    @overload
    def __init__(self, *, variance: float, mean: Rotation[Source, Target]) -> None: ...
    def __init__(self, *, variance: float, mean: Any = None) -> None:
        self._variance = positive("variance", variance)
        center: Any = Rotation.identity() if mean is None else mean
        q = single("mean", center)
        super().__init__(center.source, center.target, left=None if mean is None else q)
        # Of what is further out than 14 deviations there is not one in 1e40.
        edge = min(pi, 14.0 * sqrt(self._variance))
        self._table = AngleTable(self.angle_density, edge)

    @property
    def variance(self) -> float:
        """In rad²."""
        return self._variance

    def angle_density(self, angle: ArrayLike) -> Any:
        """The density of the angle from the mean, per radian.

        Parameters
        ----------
        angle : array_like, shape (...)
            In radians, in [0, π].

        Returns
        -------
        ndarray, shape (...)
        """
        t = reals("angle", angle)
        with np.errstate(divide="ignore", over="ignore"):
            return np.exp(self._log_density_at(t) + 2 * np.log(np.sin(t / 2)) + log(2 / pi))

    def angle_cdf(self, angle: ArrayLike) -> Any:
        """The share of samples that turn by no more than an angle from the mean.

        Parameters
        ----------
        angle : array_like, shape (...)
            In radians.

        Returns
        -------
        ndarray, shape (...)
        """
        t = np.clip(reals("angle", angle), 0.0, pi)
        if self._variance < _ONE_FORM:
            return self._table.cdf(t)
        total = angle_mass(t) / pi
        for order in range(1, _terms(self._variance)):
            fall = (2 * order + 1) * exp(-order * (order + 1) * self._variance / 2) / pi
            total += fall * (np.sin(order * t) / order - np.sin((order + 1) * t) / (order + 1))
        return np.clip(total, 0.0, 1.0)

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        def work(u: Doubles, out: Doubles) -> None:
            u[:, 0] = self._table.angles(u[:, 0])
            sample_axis(u, out=out)

        return from_uniforms(rng, size, 3, work)

    def _log_density(self, q: Doubles) -> Any:
        return self._log_density_at(kernels.angle(q))

    def _log_density_at(self, angle: Any) -> Any:
        v = self._variance
        # Flat at zero to within rounding; from there on no quotient is lost.
        t = np.maximum(angle, 1e-8 * min(1.0, sqrt(v)))
        if v >= _ONE_FORM:
            total = np.ones_like(t)
            for order in range(1, _terms(v)):
                fall = (2 * order + 1) * exp(-order * (order + 1) * v / 2)
                total = total + fall * np.sin((order + 0.5) * t) / np.sin(t / 2)
            # Where it is below rounding of its terms, there is nothing.
            with np.errstate(divide="ignore"):
                return np.log(np.maximum(total, 0.0))
        total = t.copy()
        for k in (1, 2):
            # Both turns of k windings, relative to none: (t - 2πk)² - t² = 4πk (πk - t).
            with np.errstate(over="ignore"):
                one = np.exp(-2 * pi * k * (pi * k - t) / v)
                other = np.exp(-2 * pi * k * (pi * k + t) / v)
            total += (-1) ** k * ((t - 2 * pi * k) * one + (t + 2 * pi * k) * other)
        constant = 0.5 * log(2 * pi) - 1.5 * log(v) + v / 8
        return constant - t * t / (2 * v) + np.log(total / np.sin(t / 2))

    @staticmethod
    def fit(rotation: Rotation[S, T], weights: ArrayLike | None = None) -> IsotropicGaussian[S, T]:
        """The law of the samples' mean, whose E tr R about it is theirs: v = -log(Σ w tr(M⁻¹ R) / 3).

        Parameters
        ----------
        rotation : Rotation
            Of any batch shape.
        weights : array_like, optional
            Not negative.

        Returns
        -------
        IsotropicGaussian

        Raises
        ------
        ValueError
            If there is nothing to fit to, or no spread.

        Examples
        --------
        >>> R = IsotropicGaussian(variance=0.3).sample(100_000, rng=1)
        >>> round(IsotropicGaussian.fit(R).variance, 2)
        0.3
        """
        q, shares = checked_weights(rotation, weights)
        mean, _ = mean_rotation(q, shares)
        between: Any = kernels.multiply(kernels.conjugate(mean), q)
        # 1 - tr R / 3 is (4/3) sin²(θ/2).
        lost = 4 / 3 * float(((between[:, :3] ** 2).sum(axis=-1) * shares).sum())
        if not 0 < lost < 1:
            raise ValueError(
                "the rotations are all one; no variance has that"
                if lost <= 0
                else "the rotations are spread as widely as uniform ones, or more; no variance has that"
            )
        center = Rotation.from_quat(mean, order="xyzw", source=rotation.source, target=rotation.target)
        return IsotropicGaussian(variance=-float(np.log1p(-lost)), mean=center)


def _terms(variance: float) -> int:
    """How many terms of the sum over l count, and one."""
    order = 1
    while order * (order + 1) * variance < 90 and order < 40:
        order += 1
    return order + 1
