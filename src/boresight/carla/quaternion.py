"""CARLA's quaternion: right-handed, in float32, with every loss that CARLA's own has."""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Never, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import kernels
from .angles import RightHandedRotation, Rotation
from .values import Component, Value, need, numbers, over, refuse
from .vectors import RightHandedVector3D, Vector3D, right_handed

__all__ = ["Quaternion"]

_of_rotation = kernels.carla("quaternion_of_rotation")
_of_right_handed = kernels.carla("quaternion_of_right_handed")
_to_right_handed = kernels.carla("right_handed_of_quaternion")
_rotated = kernels.carla("rotated_vector")
_inverse_rotated = kernels.carla("inverse_rotated_vector")
_inverse = kernels.carla("inverse")
_length = kernels.carla("length")
_unit = kernels.carla("unit")
_product = kernels.carla("product")

_MIRROR = np.array([1, -1, 1], dtype=np.float32)
# The left-handed axes forward, right and up with y flipped, as CARLA does it: a zero becomes minus zero.
_AXES = np.eye(3, dtype=np.float32) * _MIRROR


class Quaternion(Value):
    """Quaternions of rotations in the axes of ROS: forward, left, up.

    CARLA's own arithmetic to the last bit, so with CARLA's own losses: nothing is normalised; at the pole `rotator`
    loses the rotation (`Transform.to_pose` does not); a norm of 1e20 or more inverts to zeros, one of 1e-23 or less
    counts as zero.

    Parameters
    ----------
    x, y, z, w : array_like
        Scalar part last; arrays broadcast. The default is the identity.

    Examples
    --------
    >>> q = Quaternion.from_rotation(Rotation(yaw=90))  # the nose to the right
    >>> q.get_forward_vector().y.round(6)
    np.float32(1.0)
    """

    __slots__ = ()

    fields = ("x", "y", "z", "w")
    usage = "Quaternion(x, y, z, w)"

    def __init__(
        self,
        x: ArrayLike = 0.0,
        y: ArrayLike = 0.0,
        z: ArrayLike = 0.0,
        w: ArrayLike = 1.0,
        *surplus: Never,
        **unknown: Never,
    ) -> None:
        if surplus or unknown:
            refuse(type(self), surplus, unknown)
        array = numbers(type(self), (x, y, z, w))
        array.setflags(False)  # pyright: ignore[reportCallIssue]
        self._array = array

    @classmethod
    def from_rotation(cls, rotation: Rotation) -> Self:
        """The quaternion of CARLA's rotations, to the last bit."""
        if type(rotation) is not Rotation:
            rotation = Rotation.from_carla(rotation)
        return cls._wrap(_of_rotation(rotation._array))

    @classmethod
    def from_right_handed_rotation(cls, rotation: RightHandedRotation) -> Self:
        """The quaternion of right-handed rotations, to the last bit."""
        need(RightHandedRotation, rotation)
        return cls._wrap(_of_right_handed(rotation._array))

    @property
    def x(self) -> Component:
        """The first component."""
        return self._field(0)

    @property
    def y(self) -> Component:
        """The second component."""
        return self._field(1)

    @property
    def z(self) -> Component:
        """The third component."""
        return self._field(2)

    @property
    def w(self) -> Component:
        """The scalar part."""
        return self._field(3)

    # ---- algebra --------------------------------------------------------------------------

    def conjugate(self) -> Self:
        """(-x, -y, -z, w)."""
        conjugate = np.negative(self._array)
        conjugate[..., 3] = self._array[..., 3]
        return self._wrap(conjugate)

    def inverse(self) -> Self:
        """The conjugate over the squared length; the identity where that is zero."""
        return self._wrap(_inverse(self._array))

    def length(self) -> Component:
        """The norm."""
        return _length(self._array)

    def unit_quaternion(self) -> Self:
        """Scaled to length 1; the identity where the length is zero."""
        return self._wrap(_unit(self._array))

    def __mul__(self, other: Quaternion) -> Self:
        """The Hamilton product: `other` first, then this one. Batches broadcast."""
        if type(other) is not Quaternion:
            raise TypeError(
                f"a Quaternion is multiplied by a Quaternion, not by a {type(cast('object', other)).__name__}; "
                "rotated_vector(v) turns vectors"
            )
        return self._wrap(over(_product, self._array, other._array))

    # ---- vectors --------------------------------------------------------------------------

    def rotated_vector(self, vector: RightHandedVector3D) -> RightHandedVector3D:
        """Turn right-handed vectors; batches broadcast. The quaternion is not normalised."""
        return RightHandedVector3D._wrap(over(_rotated, self._array, right_handed(vector)))

    def inverse_rotated_vector(self, vector: RightHandedVector3D) -> RightHandedVector3D:
        """Turn right-handed vectors by `inverse`."""
        return RightHandedVector3D._wrap(over(_inverse_rotated, self._array, right_handed(vector)))

    def get_forward_vector(self) -> Vector3D:
        """Where the nose points, in CARLA's left-handed axes. `Rotation` has it with other last bits."""
        return self._axis(0)

    def get_right_vector(self) -> Vector3D:
        """Where the right side points, in CARLA's left-handed axes."""
        return self._axis(1)

    def get_up_vector(self) -> Vector3D:
        """Where the top points, in CARLA's left-handed axes."""
        return self._axis(2)

    def _axis(self, index: int) -> Vector3D:
        return Vector3D._wrap(_rotated(self._array, _AXES[index]) * _MIRROR)

    # ---- angles ---------------------------------------------------------------------------

    def to_right_handed_rotation(self) -> RightHandedRotation:
        """Roll, pitch and yaw, with no branch at the pole, where CARLA has none."""
        return RightHandedRotation._wrap(_to_right_handed(self._array))

    def rotator(self) -> Rotation:
        """CARLA's angles of it: (-pitch, -yaw, roll) of `to_right_handed_rotation`.

        Within a tenth of a degree of the pole the rotation may be lost altogether: Rotation(pitch=90, yaw=90) comes
        back as (89.97, 0, 0). Where that matters, go by `Transform.to_pose` and `Transform.from_pose`.
        """
        return Rotation.from_right_handed(self.to_right_handed_rotation())
