"""Transforms as ROS 2, scipy, OpenSCENARIO and Unreal expect them, and back.

Each takes one of our transforms or rotations, CARLA's own objects, or lists of them, and works in float64 through
exact poses: a change of axes is a signed permutation on both sides.
"""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..frames import ENU, ESU, FLU, FRU, RDF
from ..pose import Pose
from ..rotation import Rotation as ExactRotation
from ..rows import Floats, Invalid, floats
from .angles import Rotation
from .transforms import Transform
from .values import Floats32, rounded
from .vectors import Location

__all__ = [
    "RosPose",
    "ScenarioPosition",
    "ScipyEuler",
    "UnrealTransform",
    "from_openscenario",
    "from_ros",
    "from_ros_optical",
    "from_unreal",
    "to_openscenario",
    "to_ros",
    "to_ros_optical",
    "to_scipy",
    "to_unreal",
]


class RosPose(NamedTuple):
    """A pose as geometry_msgs has it.

    Attributes
    ----------
    position : ndarray, shape (..., 3)
        Metres.
    orientation : ndarray, shape (..., 4)
        Quaternions (x, y, z, w).
    """

    position: Floats
    orientation: Floats


class ScipyEuler(NamedTuple):
    """The arguments of ``scipy.spatial.transform.Rotation.from_euler``, in its order."""

    seq: Literal["xyz"]
    angles: Floats
    degrees: bool


class ScenarioPosition(NamedTuple):
    """OpenSCENARIO's WorldPosition, and OpenDRIVE's inertial axes: metres, radians, x east, y north, z up."""

    x: Floats
    y: Floats
    z: Floats
    h: Floats
    p: Floats
    r: Floats


class UnrealTransform(NamedTuple):
    """Unreal Engine's numbers.

    Attributes
    ----------
    location : ndarray of float32, shape (..., 3)
        FVector: **centimetres**, x forward, y right, z up.
    rotator : ndarray of float32, shape (..., 3)
        FRotator: pitch, yaw, roll in degrees, as CARLA's.
    quat : ndarray, shape (..., 4)
        FQuat: (X, Y, Z, W), in Unreal's own left-handed axes.
    """

    location: Floats32
    rotator: Floats32
    quat: Floats


def to_ros(transform: Transform, *, invalid: Invalid = "raise") -> RosPose:
    """Poses as ROS 2 (tf2, MCAP, Foxglove) has them: REP-103, FLU bodies in an ENU map, quaternions x, y, z, w.

    A sensor's transform in its vehicle becomes one of FLU in FLU by the same numbers.

    Examples
    --------
    >>> from boresight.carla import Location, Rotation, Transform
    >>> position, orientation = to_ros(Transform(Location(1, 2, 3), Rotation(yaw=90)))
    >>> position, orientation.round(6) + 0.0  # the nose to the right: a quarter turn about down
    (array([ 1., -2.,  3.]), array([ 0.      ,  0.      , -0.707107,  0.707107]))
    """
    pose = Transform.from_carla(transform).to_pose(invalid=invalid).reframe(source=FLU, target=ENU)
    return RosPose(pose.translation, pose.rotation.as_quat(order="xyzw"))


def from_ros(position: ArrayLike, orientation: ArrayLike, *, invalid: Invalid = "raise") -> Transform:
    """The transform whose `to_ros` is the given pose; exact at the pole.

    Parameters
    ----------
    position : array_like, shape (..., 3)
    orientation : array_like, shape (..., 4)
        Quaternions (x, y, z, w), of any norm but zero.
    """
    rotation = ExactRotation.from_quat(orientation, order="xyzw", source=FLU, target=ENU, invalid=invalid)
    return Transform.from_pose(Pose(rotation, position, invalid=invalid).reframe(source=FRU, target=ESU))


def to_ros_optical(camera: Transform, *, invalid: Invalid = "raise") -> RosPose:
    """The optical frame of a camera: z ahead, x right, y down (RDF), in an ENU map.

    The orientation is `to_ros`'s times (0.5, -0.5, 0.5, -0.5) from the right.
    """
    pose = Transform.from_carla(camera).to_pose(invalid=invalid).reframe(source=RDF, target=ENU)
    return RosPose(pose.translation, pose.rotation.as_quat(order="xyzw"))


def from_ros_optical(position: ArrayLike, orientation: ArrayLike, *, invalid: Invalid = "raise") -> Transform:
    """The camera's transform whose `to_ros_optical` is the given pose."""
    rotation = ExactRotation.from_quat(orientation, order="xyzw", source=RDF, target=ENU, invalid=invalid)
    return Transform.from_pose(Pose(rotation, position, invalid=invalid).reframe(source=FRU, target=ESU))


def to_scipy(rotation: Rotation) -> ScipyEuler:
    """What to give to scipy's ``Rotation.from_euler``: ('xyz', [roll, -pitch, -yaw], degrees=True), of FLU in ENU.

    Examples
    --------
    >>> from boresight.carla import Rotation
    >>> to_scipy(Rotation(pitch=20, yaw=30, roll=10)).angles
    array([ 10., -20., -30.])
    """
    return ScipyEuler("xyz", Rotation.from_carla(rotation).to_right_handed()._array.astype(np.float64), True)


def to_openscenario(transform: Transform) -> ScenarioPosition:
    """OpenSCENARIO and OpenDRIVE: y = -y, heading = -yaw, pitch = -pitch, roll = roll, in radians."""
    t = Transform.from_carla(transform).to_right_handed()
    x, y, z = np.moveaxis(t.location._array.astype(np.float64), -1, 0)
    roll, pitch, yaw = np.moveaxis(np.radians(t.rotation._array.astype(np.float64)), -1, 0)
    return ScenarioPosition(*(column[()] for column in (x, y, z, yaw, pitch, roll)))


def from_openscenario(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, h: ArrayLike = 0.0, p: ArrayLike = 0.0, r: ArrayLike = 0.0
) -> Transform:
    """The transform whose `to_openscenario` is the given position; arrays broadcast."""
    heading, pitch, roll = (np.degrees(floats(a, 0, "an angle")) for a in (h, p, r))
    return Transform(Location(x, -floats(y, 0, "y"), z), Rotation(pitch=-pitch, yaw=-heading, roll=roll))


def to_unreal(transform: Transform) -> UnrealTransform:
    """Unreal Engine: the same axes and angles, in centimetres.

    In single precision, as CARLA and Unreal before 5 have it: of a quarter of all metres (26 %) the way to centimetres
    and back changes the bits. The quaternion is exact.
    """
    t = Transform.from_carla(transform)
    quat = t.rotation.to_rotation().as_quat(order="xyzw")
    with np.errstate(over="ignore"):
        return UnrealTransform(t._place * np.float32(100.0), t._angles.copy(), quat)


def from_unreal(location: ArrayLike, rotator: ArrayLike) -> Transform:
    """CARLA's transform of Unreal's.

    Parameters
    ----------
    location : array_like, shape (..., 3)
        Centimetres.
    rotator : array_like, shape (..., 3)
        Pitch, yaw, roll in degrees.
    """
    pitch, yaw, roll = np.moveaxis(floats(rotator, 3, "the rotator"), -1, 0)
    place = rounded(floats(location, 3, "the location")) * np.float32(0.01)
    return Transform(Location.from_array(place), Rotation(pitch=pitch, yaw=yaw, roll=roll))
