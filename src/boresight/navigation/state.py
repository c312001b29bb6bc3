"""What the filter estimates: position, velocity, attitude and the two biases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.attitude import Attitude
from boresight.errors import DataError
from boresight.frames import FRD, NED, FrameLike
from boresight.navigation.calls import numbers
from boresight.navigation.framed import body_axial, body_polar, earth_polar

__all__ = ["STATES", "State"]

STATES = 15
"""Numbers in the error of a state: position, velocity, attitude (in the body), accelerometer's and gyro's bias."""

Array = NDArray[Any]

_UNITS = {"position": "m", "velocity": "m/s", "accel_bias": "m/s²", "gyro_bias": "rad/s"}


def _zeros() -> Array:
    return np.zeros(3)


@final
@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One state of the filter.

    Attributes
    ----------
    position : array, shape (3,)
        Metres north, east, down of the origin.
    velocity : array, shape (3,)
        m/s north, east, down.
    attitude : Attitude
        A single one.
    accel_bias : array, shape (3,)
        m/s², forward, right, down: what the accelerometer shows too much.
    gyro_bias : array, shape (3,)
        rad/s, forward, right, down.

    Raises
    ------
    DataError
        A part has another shape. Numbers that are not finite are let through: the filter refuses them by name.

    Examples
    --------
    >>> from boresight import Attitude
    >>> state = State(attitude=Attitude.level(), velocity=np.array([3.0, 0.0, 0.0]))
    >>> state.velocity
    array([3., 0., 0.])
    """

    attitude: Attitude
    position: Array = field(default_factory=_zeros)
    velocity: Array = field(default_factory=_zeros)
    accel_bias: Array = field(default_factory=_zeros)
    gyro_bias: Array = field(default_factory=_zeros)

    def __post_init__(self) -> None:
        if not isinstance(self.attitude, Attitude):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"a state's attitude is an Attitude, not {type(self.attitude).__name__}; say what the numbers are: "
                "Attitude.from_body_to_ned(q, order=...) or another of its constructors"
            )
        if self.attitude.shape != ():
            raise DataError(f"a state has one attitude, not a batch of shape {self.attitude.shape}")
        for name, unit in _UNITS.items():
            value = numbers(name, getattr(self, name), f"three numbers, {unit}").copy()
            if value.shape != (3,):
                raise DataError(f"a state's {name} has shape {value.shape}", advice="give three numbers")
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @staticmethod
    def framed(
        attitude: Attitude,
        *,
        position: ArrayLike = (0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        accel_bias: ArrayLike = (0.0, 0.0, 0.0),
        gyro_bias: ArrayLike = (0.0, 0.0, 0.0),
        world: FrameLike = NED,
        body: FrameLike = FRD,
    ) -> State:
        """Make a state of numbers in other axes: `world` those of position and velocity, `body` those of the biases.

        Examples
        --------
        >>> from boresight import Attitude, frames
        >>> State.framed(Attitude.level(), velocity=[0.0, 3.0, 1.0], world=frames.ENU).velocity
        array([ 3.,  0., -1.])
        """
        return State(
            attitude,
            earth_polar(position, world, what="the position"),
            earth_polar(velocity, world, what="the velocity"),
            body_polar(accel_bias, body, what="the accelerometer's bias"),
            body_axial(gyro_bias, body, what="the gyro's bias"),
        )

    @property
    def is_finite(self) -> bool:
        """Whether every number is finite."""
        parts = (self.position, self.velocity, self.accel_bias, self.gyro_bias)
        quaternion = self.attitude.body_to_ned(order="xyzw")
        return all(bool(np.isfinite(part).all()) for part in (*parts, quaternion))
