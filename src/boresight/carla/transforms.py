"""Places with a rotation: CARLA's `Transform`, and the right-handed one."""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar, overload

import numpy as np

from .. import kernels
from ..frames import ESU, FRU, Frame
from ..pose import Pose
from ..rotation import Rotation as ExactRotation
from .angles import RightHandedRotation, Rotation
from .dialects import Dialect
from .exact import check_axes, check_exact, pitch_yaw_roll, quaternions_of
from .quaternion import Quaternion
from .values import Floats32, Record, floats32, need, over, refuse, rounded
from .vectors import Location, RightHandedVector3D, Vector3D, right_handed

if TYPE_CHECKING:
    from ..rows import Floats, Invalid

__all__ = ["RightHandedTransform", "Transform"]

S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)

_matrix = kernels.carla("matrix")
_inverse_matrix = kernels.carla("inverse_matrix")
_right_handed_matrix = kernels.carla("right_handed_matrix")
_rotate = kernels.carla("rotate_vector")
_transform = kernels.carla("transform")
_inverse_transform = kernels.carla("inverse_transform")

_new = object.__new__


class _Placed(Record):
    """A location and a rotation of one batch shape."""

    __slots__ = ("_angles", "_place")

    fields = ("location", "rotation")
    _numbers = "get_matrix(), or the numbers of location and rotation"

    _place: Floats32
    _angles: Floats32

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single value."""
        return self._place.shape[:-1]

    def _arrays(self) -> tuple[Floats32, ...]:
        return (self._place, self._angles)

    @classmethod
    def _join(cls, place: Floats32, angles: Floats32) -> Self:
        self = _new(cls)
        self._hold(place, angles)
        return self

    def _hold(self, place: Floats32, angles: Floats32) -> None:
        if place.shape != angles.shape:
            try:
                place, angles = (np.array(a) for a in np.broadcast_arrays(place, angles))
            except ValueError:
                raise ValueError(
                    f"{self.usage}: the batch shapes do not broadcast: location {place.shape[:-1]}, rotation "
                    f"{angles.shape[:-1]}"
                ) from None
        place.setflags(False)  # pyright: ignore[reportCallIssue]
        angles.setflags(False)  # pyright: ignore[reportCallIssue]
        self._place = place
        self._angles = angles

    def _rearranged(self, change: Callable[[Any], Any]) -> Self:
        return self._join(change(self._place), change(self._angles))

    def _nested(self) -> Any:
        if not self.shape:
            return [self._place.tolist(), self._angles.tolist()]
        return [value._nested() for value in self]

    @classmethod
    def _from_nested(cls, nested: Any) -> Self:
        array = floats32(nested)
        if array is None or array.shape[-2:] != (2, 3):
            raise ValueError(
                f"{cls.__name__} is packed as [[x, y, z], [three angles]]; this is {nested!r:.80}"
            )
        return cls._join(array[..., 0, :].copy(), array[..., 1, :].copy())

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restore, (type(self), self._place, self._angles)

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.shape:
            return f"{name}(shape={self.shape})"
        location, rotation = (getattr(self, field) for field in self.fields)
        return f"{name}({location!r}, {rotation!r})"


def _restore(cls: type[_Placed], place: Floats32, angles: Floats32) -> _Placed:
    return cls._join(place, angles)


class RightHandedTransform(_Placed):
    """Places in the axes of ROS, with a right-handed rotation.

    Parameters
    ----------
    location : RightHandedVector3D, optional
        Metres; the origin by default.
    rotation : RightHandedRotation, optional
        The identity by default.
    """

    __slots__ = ()

    usage = "RightHandedTransform(location, rotation)"

    def __init__(
        self,
        location: RightHandedVector3D | None = None,
        rotation: RightHandedRotation | None = None,
        *surplus: Never,
        **unknown: Never,
    ) -> None:
        if surplus or unknown:
            refuse(type(self), surplus, unknown)
        location = RightHandedVector3D() if location is None else location
        rotation = RightHandedRotation() if rotation is None else rotation
        need(RightHandedRotation, rotation, where=f"{self.usage}: ")
        self._hold(right_handed(location), rotation._array)

    @property
    def location(self) -> RightHandedVector3D:
        """Where it is."""
        return RightHandedVector3D._wrap(self._place)

    @property
    def rotation(self) -> RightHandedRotation:
        """Which way it points."""
        return RightHandedRotation._wrap(self._angles)

    def get_matrix(self) -> Floats32:
        """Homogeneous matrices, row-major, shape (..., 4, 4), to the last bit.

        Returns
        -------
        ndarray of float32, shape (..., 4, 4)
        """
        return _right_handed_matrix(self._angles, self._place)

    def get_quaternion(self) -> Quaternion:
        """The quaternion of the rotation, to the last bit."""
        return Quaternion.from_right_handed_rotation(self.rotation)


class Transform(_Placed):
    """CARLA's transforms: a location and a rotation in axes forward, right, up.

    A vehicle or a sensor in the world, whose axes are east, south, up; or a sensor in its vehicle. The methods with
    CARLA's names are CARLA's arithmetic to the last bit. `to_pose`, `from_pose`, ``@``, `inv` and `relative_to` go by
    exact poses instead, since CARLA has no composition, and loses rotations at the pole.

    Unlike CARLA's own, nothing changes: not this by what is done to `location`, nor an argument of `transform`.

    Parameters
    ----------
    location : Location, optional
        Metres; the origin by default. A ``carla.Location`` does as well.
    rotation : Rotation, optional
        The identity by default. A ``carla.Rotation`` does as well.

    Examples
    --------
    >>> camera = Transform(Location(x=1.5, z=2.4), Rotation(pitch=-15))
    >>> car = Transform(Location(10, 20, 0), Rotation(yaw=90))
    >>> (car @ camera).location
    Location(x=10.0, y=21.5, z=2.4)
    >>> (car @ camera).relative_to(car) == camera
    True
    """

    __slots__ = ()

    usage = "Transform(location, rotation)"

    def __init__(
        self,
        location: Location | None = None,
        rotation: Rotation | None = None,
        *surplus: Never,
        **unknown: Never,
    ) -> None:
        if surplus or unknown:
            refuse(type(self), surplus, unknown)
        # As in CARLA any vector is a place.
        place = Location() if location is None else Vector3D.from_carla(location)
        angles = Rotation() if rotation is None else Rotation.from_carla(rotation)
        self._hold(place._array, angles._array)

    @property
    def location(self) -> Location:
        """Where it is."""
        return Location._wrap(self._place)

    @property
    def rotation(self) -> Rotation:
        """Which way it points."""
        return Rotation._wrap(self._angles)

    # ---- CARLA's own ----------------------------------------------------------------------

    def get_matrix(self) -> Floats32:
        """Homogeneous matrices, row-major, with columns forward, right, up, place.

        Returns
        -------
        ndarray of float32, shape (..., 4, 4)
        """
        return _matrix(self._angles, self._place)

    def get_inverse_matrix(self) -> Floats32:
        """The inverses: the transpose, and where the world's origin is.

        Returns
        -------
        ndarray of float32, shape (..., 4, 4)
        """
        return _inverse_matrix(self._angles, self._place)

    def transform(self, point: Vector3D) -> Vector3D:
        """Take points from its axes to the world's; batches broadcast. A `Location` stays one."""
        point = _vector(point)
        return point._wrap(over(_transform, self._angles, self._place, point._array))

    def transform_vector(self, vector: Vector3D) -> Vector3D:
        """Take directions from its axes to the world's."""
        vector = _vector(vector)
        return vector._wrap(over(_rotate, self._angles, vector._array))

    def inverse_transform(self, point: Vector3D) -> Vector3D:
        """Take points from the world's axes to its own."""
        point = _vector(point)
        return point._wrap(over(_inverse_transform, self._angles, self._place, point._array))

    def get_forward_vector(self) -> Vector3D:
        """Where the nose points."""
        return self.rotation.get_forward_vector()

    def get_right_vector(self) -> Vector3D:
        """Where the right side points."""
        return self.rotation.get_right_vector()

    def get_up_vector(self) -> Vector3D:
        """Where the top points."""
        return self.rotation.get_up_vector()

    # ---- right-handed ---------------------------------------------------------------------

    def to_right_handed(self, *, dialect: Dialect = "engine") -> RightHandedTransform:
        """The same place and rotation in the axes of ROS."""
        return RightHandedTransform._join(
            self.location.to_right_handed()._array, self.rotation.to_right_handed(dialect=dialect)._array
        )

    @classmethod
    def from_right_handed(cls, transform: RightHandedTransform, *, dialect: Dialect = "engine") -> Self:
        """The transform whose `to_right_handed` is the given one."""
        need(RightHandedTransform, transform)
        return cls._join(
            Location.from_right_handed(transform.location)._array,
            Rotation.from_right_handed(transform.rotation, dialect=dialect)._array,
        )

    # ---- exact ----------------------------------------------------------------------------

    @overload
    def to_pose(self, *, invalid: Invalid = "raise") -> Pose[FRU, ESU]: ...
    @overload
    def to_pose(self, *, source: type[S], target: type[T], invalid: Invalid = "raise") -> Pose[S, T]: ...
    def to_pose(self, *, source: Any = FRU, target: Any = ESU, invalid: Invalid = "raise") -> Pose[Any, Any]:
        """The same as poses of the main library: float64, and exact also at the pole.

        Parameters
        ----------
        source, target : type of Frame, optional
            Frames of your own, of axes FRU, and of axes ESU or, for what is mounted on a vehicle, FRU.
        invalid : {"raise", "nan"}
            What becomes of rows with a number that is not finite.

        Returns
        -------
        Pose, shape (...)

        Raises
        ------
        InvalidRowsError
            If a number is not finite, with ``invalid="raise"``.
        FrameError
            For frames of other axes.

        Examples
        --------
        >>> from boresight import frames
        >>> P = Transform(Location(1, 2, 3), Rotation(pitch=20)).to_pose()
        >>> P.reframe(source=frames.FLU, target=frames.ENU).translation
        array([ 1., -2.,  3.])
        """
        check_axes(source, target)
        if invalid == "raise":
            quaternions, place = self._exact()
            if np.isfinite(place).all():
                return Pose._trusted(quaternions, place, source, target)
        quaternions, place = quaternions_of(self.rotation, invalid), self._place.astype(np.float64)
        rotation = ExactRotation.from_quat(
            quaternions, order="xyzw", source=source, target=target, invalid=invalid
        )
        return Pose(rotation, place, invalid=invalid)  # which says what is wrong

    @classmethod
    def from_pose(cls, pose: Pose[Any, Any]) -> Self:
        """CARLA's numbers for poses from axes FRU to axes ESU or FRU.

        At the pole roll is zero and yaw takes what is left; the rotation stays. Numbers are rounded to float32.

        Raises
        ------
        FrameError
            For a pose between other axes; reframe it.
        """
        need(Pose, pose, name="boresight.Pose")
        check_exact(pose)
        return cls._join(
            rounded(pose.translation),
            pitch_yaw_roll(pose.rotation.as_euler("ZYX", degrees=True)),
        )

    def _exact(self) -> tuple[Floats, Floats]:
        return quaternions_of(self.rotation), self._place.astype(np.float64)

    @classmethod
    def _rounded(cls, quaternion: Floats, place: Floats) -> Self:
        angles = kernels.to_euler("ZYX", quaternion, degrees=True)
        return cls._join(rounded(place), pitch_yaw_roll(angles))

    def __matmul__(self, other: Transform) -> Self:
        """`other`, which is mounted on this one, in the world of this one: a sensor's place on the map.

        By exact poses, and rounded to float32 once. Batches broadcast.
        """
        inner = Transform.from_carla(other)
        return self._rounded(*over(kernels.pose_multiply, *self._exact(), *inner._exact()))

    def __rmatmul__(self, other: Any) -> Transform:
        # Of a carla.Transform, or a list of them.
        return Transform.from_carla(other) @ self

    def inv(self) -> Self:
        """The world as it is seen from here."""
        return self._rounded(*kernels.pose_inverse(*self._exact()))

    def relative_to(self, other: Transform) -> Self:
        """What it is as seen from another transform of the same world: ``other.inv() @ self``, rounded once."""
        back = kernels.pose_inverse(*Transform.from_carla(other)._exact())
        return self._rounded(*over(kernels.pose_multiply, *back, *self._exact()))


def _vector(value: Any) -> Vector3D:
    """A place as `Location`, any other vector as `Vector3D`."""
    from .objects import real_name

    place = type(value) is Location or real_name(value) == "Location"
    return Location.from_carla(value) if place else Vector3D.from_carla(value)
