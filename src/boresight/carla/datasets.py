"""Transforms as nuScenes and NVIDIA's ClipGT record them."""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..frames import ENU, ESU, FLU, FRU, RDF, RFU
from ..pose import Pose
from ..rotation import Rotation as ExactRotation
from ..rows import Floats, Invalid
from .transforms import Transform
from .values import need_together
from .vectors import Location, Vector3D

__all__ = ["ClipGtSensor", "NuScenesPose", "Thing", "from_nuscenes", "to_clipgt", "to_nuscenes"]

Thing = Literal["body", "camera", "lidar"]

# nuScenes' axes of each: cameras are optical, LIDAR_TOP has y ahead.
_AXES: dict[str, Any] = {"body": FLU, "camera": RDF, "lidar": RFU}


class NuScenesPose(NamedTuple):
    """A record of ego_pose or calibrated_sensor.

    Attributes
    ----------
    translation : ndarray, shape (..., 3)
        Metres.
    rotation : ndarray, shape (..., 4)
        Quaternions (w, x, y, z).
    """

    translation: Floats
    rotation: Floats


class ClipGtSensor(NamedTuple):
    """A sensor in a ClipGT rig.

    Attributes
    ----------
    roll_pitch_yaw : ndarray, shape (..., 3)
        Degrees, extrinsic x, y, z, in FLU.
    translation : ndarray, shape (..., 3)
        Metres from the middle of the rear axle on the ground: forward, left, up.
    """

    roll_pitch_yaw: Floats
    translation: Floats


def to_nuscenes(transform: Transform, *, thing: Thing = "body", invalid: Invalid = "raise") -> NuScenesPose:
    """A vehicle on the map (ego_pose), or a sensor in its vehicle (calibrated_sensor).

    Parameters
    ----------
    transform : Transform
        On the map, or in the vehicle.
    thing : {"body", "camera", "lidar"}
        Cameras are optical (RDF): the rotation is multiplied by the optical one from the right. A lidar of nuScenes has
        x right and y ahead.

    Examples
    --------
    A camera on the roof that looks ahead has nuScenes' well-known quaternion:

    >>> from boresight.carla import Location, Transform
    >>> to_nuscenes(Transform(Location(1.5, 0, 1.6)), thing="camera").rotation + 0.0
    array([ 0.5, -0.5,  0.5, -0.5])
    """
    pose = Transform.from_carla(transform).to_pose(invalid=invalid).reframe(source=_axes(thing), target=ENU)
    return NuScenesPose(pose.translation, pose.rotation.as_quat(order="wxyz", canonical=True))


def from_nuscenes(
    translation: ArrayLike, rotation: ArrayLike, *, thing: Thing = "body", invalid: Invalid = "raise"
) -> Transform:
    """The transform whose `to_nuscenes` is the given record."""
    exact = ExactRotation.from_quat(rotation, order="wxyz", source=_axes(thing), target=ENU, invalid=invalid)
    return Transform.from_pose(Pose(exact, translation, invalid=invalid).reframe(source=FRU, target=ESU))


def to_clipgt(sensor: Transform, *, rear_axle: Location) -> ClipGtSensor:
    """A sensor in a ClipGT rig: FLU, degrees, from the rear axle on the ground.

    Parameters
    ----------
    sensor : Transform
        In the vehicle, as it was spawned there.
    rear_axle : Location
        Where the ground is under the middle of the rear axle, in the vehicle's axes. CARLA's vehicles have their origin
        elsewhere, each model its own.
    """
    t = Transform.from_carla(sensor).to_right_handed()
    origin = Vector3D.from_carla(rear_axle).to_right_handed()
    need_together(t.shape, origin.shape)
    angles = t.rotation._array.astype(np.float64)
    return ClipGtSensor(angles, t.location._array.astype(np.float64) - origin._array)


def _axes(thing: str) -> Any:
    if thing not in _AXES:
        raise ValueError(f"thing= is one of {', '.join(_AXES)}, not {thing!r}")
    return _AXES[thing]
