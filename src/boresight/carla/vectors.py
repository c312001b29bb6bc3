"""Vectors: left-handed as CARLA has them (x forward, y right, z up), and right-handed (y left)."""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any, Never, Self

import numpy as np
from numpy.typing import ArrayLike

from .values import Component, Floats32, Value, need, numbers, refuse, rows

__all__ = ["Location", "RightHandedVector3D", "Vector3D"]


class _Vector(Value):
    """Three numbers x, y, z."""

    __slots__ = ()

    fields = ("x", "y", "z")
    _numbers = "v.as_array()"

    def __init__(
        self,
        x: ArrayLike = 0.0,
        y: ArrayLike = 0.0,
        z: ArrayLike = 0.0,
        *surplus: Never,
        **unknown: Never,
    ) -> None:
        if surplus or unknown:
            refuse(type(self), surplus, unknown)
        array = numbers(type(self), (x, y, z))
        array.setflags(False)  # pyright: ignore[reportCallIssue]
        self._array = array

    @property
    def x(self) -> Component:
        """Forward, or east on the map."""
        return self._field(0)

    @property
    def y(self) -> Component:
        """To the right, or south on the map; of a right-handed vector to the left, or north."""
        return self._field(1)

    @property
    def z(self) -> Component:
        """Up."""
        return self._field(2)

    def as_array(self) -> Floats32:
        """The numbers x, y, z; read-only, shape (..., 3)."""
        return self._array

    @classmethod
    def from_array(cls, array: ArrayLike) -> Self:
        """Make vectors of rows x, y, z, shape (..., 3); they are copied, and rounded to float32."""
        return cls._wrap(rows(array, 3, cls))


class RightHandedVector3D(_Vector):
    """Vectors in the axes of ROS: x forward, y left, z up; on the map x east, y north.

    Made of numbers that are right-handed already. A `Vector3D` becomes one by `Vector3D.to_right_handed`.

    Parameters
    ----------
    x, y, z : array_like
        Metres, or whichever unit the vector has; arrays broadcast.
    """

    __slots__ = ()

    usage = "RightHandedVector3D(x, y, z)"


class Vector3D(_Vector):
    """Vectors in CARLA's axes: x forward, y right, z up; on the map x east, y south.

    Parameters
    ----------
    x, y, z : array_like
        Metres, or whichever unit the vector has; arrays broadcast. Rounded to float32.

    Examples
    --------
    >>> Vector3D(1, 2, 3).to_right_handed()
    RightHandedVector3D(x=1.0, y=-2.0, z=3.0)
    """

    __slots__ = ()

    usage = "Vector3D(x, y, z)"

    def to_right_handed(self) -> RightHandedVector3D:
        """The same vector in right-handed axes: (x, -y, z). For polar vectors: positions, velocities, forces."""
        return RightHandedVector3D._wrap(_flipped(self._array))

    @classmethod
    def from_right_handed(cls, vector: RightHandedVector3D) -> Self:
        """The vector whose `to_right_handed` is the given one."""
        return cls._wrap(_flipped(right_handed(vector)))

    def axial_to_right_handed(self) -> RightHandedVector3D:
        """The same axial vector in right-handed axes: (-x, y, -z). For angular rates and torques.

        Examples
        --------
        Turning right, which CARLA counts as positive, is turning about down by the right-hand rule:

        >>> Vector3D(0, 0, 10).axial_to_right_handed()
        RightHandedVector3D(x=-0.0, y=0.0, z=-10.0)
        """
        return RightHandedVector3D._wrap(_axial_flipped(self._array))

    @classmethod
    def axial_from_right_handed(cls, vector: RightHandedVector3D) -> Self:
        """The vector whose `axial_to_right_handed` is the given one."""
        return cls._wrap(_axial_flipped(right_handed(vector)))


class Location(Vector3D):
    """Places in CARLA's axes, in metres: a `Vector3D` by another name.

    Parameters
    ----------
    x, y, z : array_like
        Metres; arrays broadcast.
    """

    __slots__ = ()

    usage = "Location(x, y, z)"


def _flipped(array: Floats32) -> Floats32:
    # By signs alone: a product would warn of NaN that signals.
    flipped = array.copy()
    np.negative(array[..., 1], out=flipped[..., 1])
    return flipped


def _axial_flipped(array: Floats32) -> Floats32:
    flipped = np.negative(array)
    flipped[..., 1] = array[..., 1]
    return flipped


def right_handed(vector: Any) -> Floats32:
    """The numbers of a right-handed vector, and of nothing else."""
    advice = "; to_right_handed() makes one of it" if isinstance(vector, Vector3D) else ""
    need(RightHandedVector3D, vector, advice=advice)
    return vector._array
