"""Uniform over the rotations within an angle of a centre, or between two angles."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...frames import Source, Target
from ...kernels.sampling import angle_mass
from ...rotation import Rotation
from .. import draws
from ..checks import reals
from ..streams import Doubles, Rng, Size
from .law import checked_angle, single
from .region import EDGE, Region

__all__ = ["GeodesicBall", "GeodesicShell"]


class _Shell(Region[Source, Target]):
    __slots__ = ("_inner", "_outer")

    def __init__(self, center: Rotation[Source, Target], inner: float, outer: float) -> None:
        left = single("center", center)
        super().__init__(center.source, center.target, left=left)
        self._inner, self._outer = inner, outer

    @property
    def mass(self) -> float:
        """What share of all rotations the law is spread over."""
        return float(angle_mass(self._outer) - angle_mass(self._inner)) / pi

    @property
    def mean(self) -> Rotation[Source, Target]:
        """The centre.

        Raises
        ------
        ValueError
            If the rotations turn so far that the centre is not the nearest to all of them, which is where the mean of
            cos θ is -1/2 or less: all rotations, or a shell about a half turn.
        """
        a, b = self._inner, self._outer
        if b > 2 * pi / 3:
            # What (1 + 2 cos θ) (1 - cos θ) sums up to.
            total = [sin(t) * (1 - cos(t)) for t in (a, b)]
            if total[1] - total[0] <= 1e-15:
                raise ValueError(f"{self!r} has no mean: its centre is not the rotation nearest to all")
        return super().mean

    def angle_cdf(self, angle: ArrayLike) -> Any:
        """The share of samples that turn by no more than an angle from the centre.

        Parameters
        ----------
        angle : array_like, shape (...)
            In radians.

        Returns
        -------
        ndarray, shape (...)
        """
        low, high = angle_mass(self._inner), angle_mass(self._outer)
        given = reals("angle", angle)
        clipped = np.clip(given, self._inner, self._outer)
        if high > low:
            return (angle_mass(clipped) - low) / (high - low)
        return (given >= self._outer).astype(np.float64)

    def _holds(self, q: Doubles) -> Any:
        angle = kernels.angle(q)
        return (angle >= self._inner - EDGE) & (angle <= self._outer + EDGE)

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return draws.geodesic_ball(rng, size, self._inner, self._outer)


class GeodesicBall(_Shell[Source, Target]):
    """Uniform over the rotations within an angle of a centre.

    Parameters
    ----------
    center : Rotation
        A single one; its frames are those of the samples.
    angle : float
        Of full rotation, in radians, in [0, π]. It is twice the distance that planners speak of.

    Raises
    ------
    ValueError
        For an angle out of range, or a centre that is a batch or NaN.

    Notes
    -----
    Haar's measure within the ball: a small ball's rotation vectors are uniform in space, but of a large one fewer
    are near its edge, by (sin(θ/2) / (θ/2))².

    Examples
    --------
    >>> from boresight import Rotation
    >>> ball = GeodesicBall(Rotation.identity(), 0.5)
    >>> R = ball.sample(10_000, rng=1)
    >>> bool(R.angle().max() <= 0.5), round(ball.mass, 6)
    (True, 0.006549)
    """

    __slots__ = ()

    def __init__(self, center: Rotation[Source, Target], angle: float) -> None:
        super().__init__(center, 0.0, checked_angle("angle", angle, 0.0, pi, "[0, π]"))

    @property
    def angle(self) -> float:
        """The largest angle from the centre, in radians."""
        return self._outer


class GeodesicShell(_Shell[Source, Target]):
    """Uniform over the rotations whose angle from a centre is between two.

    Parameters
    ----------
    center : Rotation
        A single one; its frames are those of the samples.
    inner, outer : float
        Of full rotation, in radians, ``0 <= inner <= outer <= π``. Where they are equal, all samples turn by that
        angle.

    Raises
    ------
    ValueError
        For angles out of range, or a centre that is a batch or NaN.

    Examples
    --------
    >>> from boresight import Rotation
    >>> R = GeodesicShell(Rotation.identity(), 0.4, 0.5).sample(10_000, rng=1)
    >>> bool(R.angle().min() >= 0.4), bool(R.angle().max() <= 0.5)
    (True, True)
    """

    __slots__ = ()

    def __init__(self, center: Rotation[Source, Target], inner: float, outer: float) -> None:
        low = checked_angle("inner", inner, 0.0, pi, "[0, π]")
        high = checked_angle("outer", outer, low, pi, f"[inner, π] = [{low}, π]")
        super().__init__(center, low, high)

    @property
    def inner(self) -> float:
        """The smallest angle from the centre, in radians."""
        return self._inner

    @property
    def outer(self) -> float:
        """The largest angle from the centre, in radians."""
        return self._outer
