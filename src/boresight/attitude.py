"""`Attitude`: which way a vehicle points, however the numbers were stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never, final

import numpy as np
from numpy.typing import ArrayLike

from . import kernels
from .arguments import reraise_named
from .axes import Axes, permutation, quaternion_change
from .batches import Batch, describe_quaternions
from .errors import FrameError
from .frames import FRD, NED, mismatch
from .rotation import Order, Rotation
from .rows import Floats

__all__ = ["Attitude"]

_FROM_FLU = permutation(Axes("FLU"), Axes("FRD"))
# Each is its own inverse, sign included: FLU to FRD and NWU to NED are half turns, and so is ENU to NED.
_FLU_ENU = quaternion_change(permutation(Axes("ENU"), Axes("NED")), _FROM_FLU)
_FLU_NWU = quaternion_change(permutation(Axes("NWU"), Axes("NED")), _FROM_FLU)

_new = object.__new__


@final
class Attitude(Batch):
    """Attitudes of a vehicle: rotations from its body (forward, right, down) to NED (north, east, down).

    There is no bare constructor. A stored attitude comes in by the name of what it is, and goes out the same
    way:

    ========================= ===================== ========================================================
    in                        out                   where it is found
    ========================= ===================== ========================================================
    `from_body_to_ned`        `body_to_ned`         PX4 ``vehicle_attitude.q``; ArduPilot ``AHR2``, ``XKQ``
    `from_ned_to_body`        `ned_to_body`         a stored inverse; what takes earth vectors into the body
    `from_flu_to_enu`         `flu_to_enu`          ROS REP-103, ``sensor_msgs/Imu``, ``nav_msgs/Odometry``
    `from_flu_to_nwu`         `flu_to_nwu`          filters of the Madgwick family
    ========================= ===================== ========================================================

    One object holds a batch of any shape. Values are immutable. Quaternions are normalised and keep their
    sign; a quaternion that is zero or not finite comes out NaN, since a log has such rows and the filter
    that reads the attitudes refuses them by name.

    Notes
    -----
    Invariant: `rotation` is a ``Rotation[FRD, NED]``, its rows of unit norm or NaN throughout.

    Examples
    --------
    >>> from boresight import Attitude
    >>> facing_east = Attitude.from_flu_to_enu([1, 0, 0, 0], order="wxyz")
    >>> np.degrees(facing_east.euler_angles()).round(9) + 0.0
    array([ 0.,  0., 90.])
    """

    __slots__ = ("_rotation",)

    _numbers = "a.body_to_ned(order=...), a.euler_angles() or another of its accessors"
    _rotation: Rotation[FRD, NED]

    if TYPE_CHECKING:

        def __init__(self, *, use_a_named_constructor: Never) -> None: ...

    else:

        def __init__(self, *_arguments, **_keywords):
            raise TypeError(
                "Attitude has no bare constructor; say what the numbers are: Attitude.from_body_to_ned(q, "
                "order=...), from_ned_to_body, from_flu_to_enu, from_flu_to_nwu, from_rotation, or level()"
            )

    # ---- in -------------------------------------------------------------------------------

    @staticmethod
    def level() -> Attitude:
        """Level, and facing north.

        Examples
        --------
        >>> Attitude.level()
        Attitude(w=1.0, x=0.0, y=0.0, z=0.0)
        """
        return _wrap(np.array([0.0, 0.0, 0.0, 1.0]))

    @staticmethod
    def from_body_to_ned(q: ArrayLike, *, order: Order) -> Attitude:
        """Quaternions that rotate vectors from FRD to NED.

        Parameters
        ----------
        q : array_like, shape (..., 4)
        order : {"xyzw", "wxyz"}

        Returns
        -------
        Attitude, shape (...)
        """
        return _wrap(_unit(q, order))

    @staticmethod
    def from_ned_to_body(q: ArrayLike, *, order: Order) -> Attitude:
        """Quaternions that rotate vectors from NED to FRD: the inverse of the attitude.

        Parameters
        ----------
        q : array_like, shape (..., 4)
        order : {"xyzw", "wxyz"}

        Returns
        -------
        Attitude, shape (...)
        """
        return _wrap(kernels.conjugate(_unit(q, order)))

    @staticmethod
    def from_flu_to_enu(q: ArrayLike, *, order: Order) -> Attitude:
        """Quaternions that rotate vectors from FLU (forward, left, up) to ENU (east, north, up).

        Both sides change: (w + z, x + y, x - y, w - z)/√2 in (w, x, y, z).

        Parameters
        ----------
        q : array_like, shape (..., 4)
        order : {"xyzw", "wxyz"}

        Returns
        -------
        Attitude, shape (...)
        """
        return _wrap(kernels.change(_unit(q, order), *_FLU_ENU))

    @staticmethod
    def from_flu_to_nwu(q: ArrayLike, *, order: Order) -> Attitude:
        """Quaternions that rotate vectors from FLU (forward, left, up) to NWU (north, west, up).

        Both sides change: (w, x, -y, -z) in (w, x, y, z).

        Parameters
        ----------
        q : array_like, shape (..., 4)
        order : {"xyzw", "wxyz"}

        Returns
        -------
        Attitude, shape (...)
        """
        return _wrap(kernels.change(_unit(q, order), *_FLU_NWU))

    @staticmethod
    def from_rotation(rotation: Rotation[FRD, NED]) -> Attitude:
        """A rotation from `frames.FRD` to `frames.NED`, and no other.

        Raises
        ------
        FrameError
            For any other rotation. `Rotation.reframe` takes one between other axes of a body and the compass
            there; `Rotation.between` names an unframed one.
        """
        if rotation.__class__ is not Rotation:
            raise TypeError(f"an attitude is made of a Rotation[FRD, NED], not of {type(rotation).__name__}")
        for own, needed in ((rotation.source, FRD), (rotation.target, NED)):
            if own != needed:
                chain = f"Rotation[{rotation.source.__name__} → {rotation.target.__name__}]"
                raise FrameError(
                    f"an attitude is a Rotation[FRD → NED], not {chain}: {mismatch(own, needed)}"
                )
        self: Attitude = _new(Attitude)
        self._rotation = rotation
        return self

    # ---- what it is -----------------------------------------------------------------------

    @property
    def rotation(self) -> Rotation[FRD, NED]:
        """The attitude as a rotation from body to earth, for everything that rotations can do."""
        return self._rotation

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single attitude."""
        return self._rotation.shape

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64."""
        return self._rotation.dtype

    def _rearranged(self, change: Callable[[Floats], Floats]) -> Attitude:
        return _wrap(change(self._xyzw))

    @property
    def _xyzw(self) -> Floats:
        return self._rotation._xyzw  # pyright: ignore[reportPrivateUsage]

    # ---- out ------------------------------------------------------------------------------

    def body_to_ned(self, *, order: Order) -> Floats:
        """Unit quaternions from FRD to NED, shape (..., 4)."""
        return kernels.to_quaternion(self._xyzw, order=order)

    def ned_to_body(self, *, order: Order) -> Floats:
        """Unit quaternions from NED to FRD, shape (..., 4)."""
        return kernels.to_quaternion(kernels.conjugate(self._xyzw), order=order)

    def flu_to_enu(self, *, order: Order) -> Floats:
        """Unit quaternions from FLU to ENU, shape (..., 4)."""
        return kernels.to_quaternion(kernels.change(self._xyzw, *_FLU_ENU), order=order)

    def flu_to_nwu(self, *, order: Order) -> Floats:
        """Unit quaternions from FLU to NWU, shape (..., 4)."""
        return kernels.to_quaternion(kernels.change(self._xyzw, *_FLU_NWU), order=order)

    def euler_angles(self) -> Floats:
        """Roll, pitch and yaw in radians: R = Rz(yaw) Ry(pitch) Rx(roll).

        With the nose straight up or down roll is 0 and yaw takes what is left.

        Returns
        -------
        ndarray, shape (..., 3)

        Examples
        --------
        >>> Attitude.level().euler_angles()
        array([0., 0., 0.])
        """
        return kernels.to_euler("ZYX", self._xyzw, degrees=False)[..., ::-1].copy()

    # ---- as a value -----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Whether two batches have one shape and hold the same attitudes, exactly.

        q and -q are the same attitude; a row of NaN equals nothing.
        """
        if not isinstance(other, Attitude):
            return NotImplemented
        return self._rotation == other._rotation

    def __hash__(self) -> int:
        return hash(("Attitude", self._rotation))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Attitude.from_rotation, (self._rotation,)

    def __repr__(self) -> str:
        return f"Attitude({describe_quaternions(self._xyzw)})"


def _unit(q: ArrayLike, order: Order) -> Floats:
    try:
        return kernels.from_quaternion(q, order=order, invalid="nan")
    except (TypeError, ValueError) as error:
        reraise_named(error, ("q", q))


def _wrap(xyzw: Floats) -> Attitude:
    self: Attitude = _new(Attitude)
    self._rotation = Rotation._trusted(xyzw, FRD, NED)  # pyright: ignore[reportPrivateUsage]
    return self
