"""How well a measurement is known, said so that a standard deviation is never taken for a variance.

Each class is made by a constructor that names what it is given. Numbers may be arrays, one row a measurement. What is
no noise stays visible, clamped or not, and the filter refuses the measurement: as `INVALID_NOISE` for a negative σ
(whose variance is negative too) and for zero, as `NOT_FINITE` for NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.errors import DataError
from boresight.navigation.calls import number, numbers

__all__ = ["AltitudeNoise", "HeadingNoise", "PositionNoise", "SigmaBounds", "VelocityNoise"]

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True)
class SigmaBounds:
    """The least and the greatest standard deviation that one is prepared to believe.

    Receivers claim accuracies of millimetres at times, and of kilometres at others.

    Raises
    ------
    DataError
        The bounds are not positive and in order.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            number(name, getattr(self, name), "σ in the quantity's unit")
        if not 0.0 < self.low <= self.high:
            raise DataError(f"bounds of σ from {self.low:g} to {self.high:g}", advice="give 0 < low <= high")


class _Noise:
    """Variances of one measurement, or of rows of them."""

    __slots__ = ("variance",)

    _width = 1
    variance: Array
    """Variances in the square of the unit; shape (...), or (..., 3) of three axes."""

    def __init__(self, *given: Any) -> None:
        name = type(self).__name__
        raise TypeError(
            f"{name}{given!r} may be a σ or a variance; say what it is: {name}.from_sigma or .from_variance"
        )

    @classmethod
    def _of(cls, variance: Array) -> Self:
        made = cls.__new__(cls)
        variance.flags.writeable = False
        made.variance = variance
        return made

    @classmethod
    def from_sigma(cls, sigma: ArrayLike) -> Self:
        """One standard deviation; of three axes, one for each or one for all."""
        values = numbers("sigma", sigma, "numbers, one for all axes or one for each")
        with np.errstate(over="ignore", under="ignore"):
            return cls._of(cls._spread(np.asarray(values * np.abs(values))))

    @classmethod
    def from_variance(cls, variance: ArrayLike) -> Self:
        """The square of one standard deviation; of three axes, one for each or one for all."""
        values = numbers("variance", variance, "numbers, one for all axes or one for each")
        return cls._of(cls._spread(values.copy()))

    @classmethod
    def _spread(cls, values: Array) -> Array:
        if cls._width == 1 or values.shape[-1:] == (cls._width,):
            return values
        if values.shape == ():
            return np.full(cls._width, values)
        raise DataError(
            f"noise of shape {values.shape} for three axes",
            advice="give one number, or three along the last axis",
        )

    @property
    def sigma(self) -> Array:
        """Standard deviations, shaped as the variances; negative where the variance is."""
        return np.copysign(np.sqrt(np.abs(self.variance)), self.variance)

    def clamped(self, bounds: SigmaBounds) -> Self:
        """Return the noise with every σ within the bounds; NaN stays NaN, and what is negative as it is."""
        low, high = bounds.low**2, bounds.high**2
        return self._of(np.where(self.variance >= 0.0, np.clip(self.variance, low, high), self.variance))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(np.array_equal(self.variance, other.variance, equal_nan=True))

    __hash__: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_sigma({self.sigma.tolist()})"


class _ThreeAxes(_Noise):
    __slots__ = ()
    _width = 3

    @classmethod
    def horizontal_vertical(cls, horizontal: ArrayLike, vertical: ArrayLike) -> Self:
        """One standard deviation of each horizontal axis, and one of the vertical axis."""
        across, up = np.broadcast_arrays(np.asarray(horizontal, np.float64), np.asarray(vertical, np.float64))
        return cls.from_sigma(np.stack([across, across, up], axis=-1))


@final
class PositionNoise(_ThreeAxes):
    """Noise of a position north, east, down; m.

    Examples
    --------
    >>> import numpy as np
    >>> PositionNoise.horizontal_vertical(0.5, 1.0).variance
    array([0.25, 0.25, 1.  ])
    >>> PositionNoise.from_sigma([0.001, np.nan, 80.0]).clamped(SigmaBounds(0.5, 10.0)).sigma
    array([ 0.5,  nan, 10. ])
    """

    __slots__ = ()


@final
class VelocityNoise(_ThreeAxes):
    """Noise of a velocity north, east, down; m/s."""

    __slots__ = ()

    @classmethod
    def from_speed_accuracy(cls, accuracy: ArrayLike) -> VelocityNoise:
        """What a receiver says of its speed (u-blox `sAcc`, PX4 `s_variance_m_s`): a σ in m/s, taken for each axis.

        Examples
        --------
        >>> VelocityNoise.from_speed_accuracy(0.5).variance
        array([0.25, 0.25, 0.25])
        """
        across = np.asarray(accuracy, dtype=np.float64)
        return cls.horizontal_vertical(across, across)


@final
class AltitudeNoise(_Noise):
    """Noise of a barometer's altitude, m."""

    __slots__ = ()


@final
class HeadingNoise(_Noise):
    """Noise of a heading or a course, rad."""

    __slots__ = ()
