"""Rotations by three angles in degrees: CARLA's, and right-handed ones."""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from numpy.typing import ArrayLike

from .. import kernels
from .dialects import Dialect, signs
from .values import Component, Floats32, Value, need, numbers, over, refuse
from .vectors import Vector3D

if TYPE_CHECKING:
    from ..frames import ESU, FRU
    from ..rotation import Rotation as ExactRotation
    from ..rows import Invalid


__all__ = ["RightHandedRotation", "Rotation"]

_matrix = kernels.carla("rotation_matrix")
_rotate = kernels.carla("rotate_vector")
_rotate_inverse = kernels.carla("inverse_rotate_vector")
_publisher = kernels.carla("quaternion_of_publisher")


class RightHandedRotation(Value):
    """Rotations by roll, pitch and yaw in degrees in the axes of ROS: R = Rz(yaw) Ry(pitch) Rx(roll).

    By the right-hand rule in the axes forward, left, up: +yaw turns the nose left, +pitch puts it down, +roll puts
    the right side down.

    Parameters
    ----------
    roll, pitch, yaw : array_like
        Degrees, by keyword only; arrays broadcast. Rounded to float32, never wrapped.
    """

    __slots__ = ()

    fields = ("roll", "pitch", "yaw")
    usage = "RightHandedRotation(roll=, pitch=, yaw=)"

    def __init__(
        self,
        *positional: Never,
        roll: ArrayLike = 0.0,
        pitch: ArrayLike = 0.0,
        yaw: ArrayLike = 0.0,
        **unknown: Never,
    ) -> None:
        if positional or unknown:
            refuse(type(self), positional, unknown)
        array = numbers(type(self), (roll, pitch, yaw))
        array.setflags(False)  # pyright: ignore[reportCallIssue]
        self._array = array

    @property
    def roll(self) -> Component:
        """Degrees about forward; positive puts the right side down."""
        return self._field(0)

    @property
    def pitch(self) -> Component:
        """Degrees about left; positive puts the nose down."""
        return self._field(1)

    @property
    def yaw(self) -> Component:
        """Degrees about up; positive turns the nose left."""
        return self._field(2)


class Rotation(Value):
    """CARLA's rotations: pitch, yaw and roll in degrees, in the axes forward, right, up.

    +yaw turns the nose right, +pitch puts it **up**, +roll puts the right side down.
    R = Rz(yaw) Ry(-pitch) Rx(-roll), of textbook elementary matrices in CARLA's own axes.

    Parameters
    ----------
    pitch, yaw, roll : array_like
        Degrees, by keyword only: carla.Rotation takes them by position in this order, which nobody remembers. Arrays
        broadcast. Rounded to float32, never wrapped.

    Examples
    --------
    >>> Rotation(pitch=20, yaw=30, roll=10).to_right_handed()
    RightHandedRotation(roll=10.0, pitch=-20.0, yaw=-30.0)
    >>> Rotation(pitch=90).get_forward_vector().z  # nose up
    np.float32(1.0)
    """

    __slots__ = ()

    fields = ("pitch", "yaw", "roll")
    usage = "Rotation(pitch=, yaw=, roll=)"

    def __init__(
        self,
        *positional: Never,
        pitch: ArrayLike = 0.0,
        yaw: ArrayLike = 0.0,
        roll: ArrayLike = 0.0,
        **unknown: Never,
    ) -> None:
        if positional or unknown:
            refuse(type(self), positional, unknown)
        array = numbers(type(self), (pitch, yaw, roll))
        array.setflags(False)  # pyright: ignore[reportCallIssue]
        self._array = array

    @property
    def pitch(self) -> Component:
        """Degrees; positive puts the nose up."""
        return self._field(0)

    @property
    def yaw(self) -> Component:
        """Degrees; positive turns the nose right."""
        return self._field(1)

    @property
    def roll(self) -> Component:
        """Degrees; positive puts the right side down."""
        return self._field(2)

    # ---- right-handed ---------------------------------------------------------------------

    def to_right_handed(self, *, dialect: Dialect = "engine") -> RightHandedRotation:
        """The same rotation in the axes of ROS: roll, -pitch, -yaw.

        Parameters
        ----------
        dialect : {"engine", "mirrored", "scenario_runner"}
            Whose signs; see `boresight.carla.DIALECTS`.
        """
        return RightHandedRotation._wrap(kernels.permute(self._array, (2, 0, 1), signs(dialect)))

    @classmethod
    def from_right_handed(cls, rotation: RightHandedRotation, *, dialect: Dialect = "engine") -> Rotation:
        """The rotation whose `to_right_handed` is the given one."""
        need(RightHandedRotation, rotation)
        roll, pitch, yaw = signs(dialect)
        return cls._wrap(kernels.permute(rotation._array, (1, 2, 0), (pitch, yaw, roll)))

    def to_ros2_quaternion(self) -> Floats32:
        """Quaternions as CARLA's ROS 2 publisher works them out: (w, x, y, z), right-handed.

        The publisher takes its angles to radians in float32 where `Quaternion.from_rotation` does it in double:
        about one quaternion in six differs, by a unit in the last place, and by up to 1.7e-3 for huge angles.

        Returns
        -------
        ndarray of float32, shape (..., 4)
        """
        return _publisher(self._array)

    # ---- basis and vectors ----------------------------------------------------------------

    def get_forward_vector(self) -> Vector3D:
        """Where the nose points."""
        return self._axis(0)

    def get_right_vector(self) -> Vector3D:
        """Where the right side points."""
        return self._axis(1)

    def get_up_vector(self) -> Vector3D:
        """Where the top points."""
        return self._axis(2)

    def _axis(self, index: int) -> Vector3D:
        return Vector3D._wrap(_matrix(self._array)[..., index].copy())

    def rotate_vector(self, vector: Vector3D) -> Vector3D:
        """Take vectors from the body's axes to the world's; batches broadcast."""
        return Vector3D._wrap(over(_rotate, self._array, Vector3D.from_carla(vector)._array))

    def inverse_rotate_vector(self, vector: Vector3D) -> Vector3D:
        """Take vectors from the world's axes to the body's."""
        return Vector3D._wrap(over(_rotate_inverse, self._array, Vector3D.from_carla(vector)._array))

    # ---- exact ----------------------------------------------------------------------------

    def to_rotation(self, *, invalid: Invalid = "raise") -> ExactRotation[FRU, ESU]:
        """The same rotation as the main library has it, float64, from `frames.FRU` to `frames.ESU`.

        Parameters
        ----------
        invalid : {"raise", "nan"}
            What becomes of angles that are not finite.

        Raises
        ------
        InvalidRowsError
            If an angle is not finite, with ``invalid="raise"``.
        """
        from .exact import rotation_of

        return rotation_of(self, invalid)

    @classmethod
    def from_rotation(cls, rotation: ExactRotation[Any, Any]) -> Rotation:
        """The angles of one of the main library's rotations, from axes FRU to axes ESU or FRU.

        At the pole roll is zero and yaw takes what is left; the rotation stays.

        Raises
        ------
        FrameError
            For a rotation between other axes; reframe it.
        """
        from .exact import angles_of

        return cls._wrap(angles_of(rotation))
