"""Between CARLA's float32 angles and the main library's rotations and poses, without CARLA's losses.

CARLA's rotation is R = Rz(yaw) Ry(-pitch) Rx(-roll) in its own axes, forward, right, up, in a world of east, south,
up: a quaternion like any other, since both sides are left-handed. It is worked out in float64.
"""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import kernels
from ..axes import Axes
from ..errors import FrameError
from ..frames import ESU, FRU, check_frame
from ..pose import Pose
from ..rotation import Rotation
from ..rows import Floats, Invalid
from .values import Floats32, need

if TYPE_CHECKING:
    from . import angles

__all__ = ["angles_of", "check_exact", "quaternions_of", "rotation_of"]

_BODY = Axes("FRU")
_WORLDS = (Axes("ESU"), _BODY)  # the map, or what a thing is mounted on
# Between (pitch, yaw, roll) and the angles of the sequence ZYX in CARLA's axes.
_TO_ZYX = (1, 0, 2), (1, -1, -1)
_FROM_ZYX = (1, 0, 2), (-1, 1, -1)


def quaternions_of(rotation: angles.Rotation, invalid: Invalid = "raise") -> Floats:
    """Unit quaternions (x, y, z, w) in CARLA's own axes, float64.

    Raises
    ------
    InvalidRowsError
        If an angle is not finite, with ``invalid="raise"``.
    """
    pitch_yaw_roll = rotation._array.astype(np.float64)
    yaw_pitch_roll = kernels.permute(pitch_yaw_roll, *_TO_ZYX)
    return kernels.from_euler("ZYX", yaw_pitch_roll, degrees=True, invalid=invalid)


def rotation_of(rotation: angles.Rotation, invalid: Invalid) -> Rotation[FRU, ESU]:
    """The rotation from `frames.FRU` to `frames.ESU`."""
    quaternions = quaternions_of(rotation, invalid)
    return Rotation.from_quat(quaternions, order="xyzw", source=FRU, target=ESU, invalid=invalid)


def angles_of(rotation: Rotation[Any, Any]) -> Floats32:
    """Pitch, yaw and roll of a rotation from axes FRU to axes ESU or FRU; at the pole roll is zero.

    Raises
    ------
    FrameError, TypeError
    """
    need(Rotation, rotation, name="boresight.Rotation")
    check_exact(rotation)
    return pitch_yaw_roll(rotation.as_euler("ZYX", degrees=True))


def pitch_yaw_roll(yaw_pitch_roll: Floats) -> Floats32:
    """CARLA's order and signs of angles of the sequence ZYX in its axes."""
    # Adding zero makes 0.0 of -0.0.
    return (kernels.permute(yaw_pitch_roll, *_FROM_ZYX) + 0.0).astype(np.float32)


def check_exact(value: Rotation[Any, Any] | Pose[Any, Any]) -> None:
    """Refuse a rotation or pose that is not between CARLA's axes.

    Raises
    ------
    FrameError
    """
    check_axes(value.source, value.target)


def check_axes(source: Any, target: Any) -> None:
    """Refuse frames that are not of CARLA's axes."""
    if check_frame(source).axes != _BODY or check_frame(target).axes not in _WORLDS:
        raise FrameError(
            "CARLA's poses are from axes FRU to axes ESU (the map) or FRU (what a sensor is mounted on), not from "
            f"{source.__name__} ({source.axes}) to {target.__name__} ({target.axes}); "
            ".reframe(source=frames.FRU, target=frames.ESU) writes one in them"
        )
