"""`RotationSpline`: the smooth curve through timed rotations, with its frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from numpy.typing import ArrayLike, NDArray

from ..frames import Source, Target
from ..rows import Floats, Invalid

if TYPE_CHECKING:
    from ..spline import SplineCurve
    from .rotation import Rotation

__all__ = ["RotationSpline"]


@dataclass(frozen=True, slots=True)
class RotationSpline(Generic[Source, Target]):
    """A curve with continuous angular rate and acceleration; made by `Rotation.spline`.

    Moments are of the same kind as the times of the keys: integers are nanoseconds, floats are seconds. Those before
    the first key or after the last are refused, or NaN with ``invalid="nan"``. Rates and accelerations are in the axes
    of the source, in rad/s and rad/s².

    Examples
    --------
    >>> from boresight import Rotation
    >>> keys = Rotation.from_rotvec([[0, 0, 0], [0, 0, 0.5], [0, 0, 1.0]])
    >>> curve = keys.spline([0.0, 1.0, 2.0])
    >>> curve.at(1.5).as_rotvec().round(12)
    array([0.  , 0.  , 0.75])
    """

    curve: SplineCurve
    source: type[Source]
    target: type[Target]

    @property
    def times(self) -> NDArray[Any]:
        """Times of the keys, shape (n,)."""
        return self.curve.times

    def at(self, moments: ArrayLike, *, invalid: Invalid = "raise") -> Rotation[Source, Target]:
        """The rotations at moments, shape of `moments`."""
        from .rotation import Rotation

        xyzw = self.curve.rotations(moments, invalid=invalid)
        return Rotation._trusted(xyzw, self.source, self.target)  # pyright: ignore[reportPrivateUsage]

    def angular_rates(self, moments: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
        """The angular rates at moments, shape (..., 3)."""
        return self.curve.angular_rates(moments, invalid=invalid)

    def angular_accelerations(self, moments: ArrayLike, *, invalid: Invalid = "raise") -> Floats:
        """The angular accelerations at moments, shape (..., 3)."""
        return self.curve.angular_accelerations(moments, invalid=invalid)
