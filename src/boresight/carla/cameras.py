"""Cameras as OpenCV, COLMAP and Open3D expect them, and KITTI's labels.

All of them look along +z with x right and y down, and want **world to camera**, in a right-handed world: the map with
y flipped, (x, -y, z). Give them points with `to_open3d_points`, or ``location.to_right_handed()``, which is the same.
"""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..frames import ENU, ESU, FRU, RDF
from ..pose import Pose
from ..rotation import Rotation as ExactRotation
from ..rows import Floats, Invalid
from .transforms import Transform
from .values import need_together
from .vectors import Vector3D

__all__ = [
    "ColmapPose",
    "Extrinsic",
    "KittiLabel",
    "from_colmap",
    "from_opencv",
    "to_colmap",
    "to_kitti_label",
    "to_open3d",
    "to_open3d_points",
    "to_opencv",
    "to_opencv_points",
]

_LEVEL = 1e-3
"""Degrees of pitch and roll up to which a camera is level."""


class Extrinsic(NamedTuple):
    """World to camera, as ``cv2.projectPoints`` wants it: ``p_camera = rotation @ p_world + translation``.

    Attributes
    ----------
    rotation : ndarray, shape (..., 3, 3)
        cv2.Rodrigues makes an rvec of one.
    translation : ndarray, shape (..., 3)
        Metres: where the world's origin is in the camera's axes.
    """

    rotation: Floats
    translation: Floats


class ColmapPose(NamedTuple):
    """A line of images.txt: QW QX QY QZ TX TY TZ, world to camera."""

    qvec: Floats
    tvec: Floats


class KittiLabel(NamedTuple):
    """The part of a line of KITTI's labels that says where an object is.

    Attributes
    ----------
    location : ndarray, shape (..., 3)
        In the camera's axes (x right, y down, z ahead), of what the object's transform is of. KITTI means the middle of
        the bottom face, where the origin of CARLA's vehicles is, or nearly.
    rotation_y : ndarray, shape (...)
        Radians about the camera's y, which points down; 0 faces to the camera's right. In [-π, π).
    alpha : ndarray, shape (...)
        The same less the direction in which the object is seen.
    """

    location: Floats
    rotation_y: Floats
    alpha: Floats


def to_opencv(camera: Transform, *, invalid: Invalid = "raise") -> Extrinsic:
    """The extrinsic of a camera: from the right-handed map to RDF.

    Examples
    --------
    A point ten metres ahead of the camera is on its optical axis:

    >>> from boresight.carla import Location, Rotation, Transform
    >>> camera = Transform(Location(5, 6, 2), Rotation(pitch=-10, yaw=70))
    >>> ahead = camera.transform(Location(10, 0, 0)).to_right_handed().as_array()
    >>> R, t = to_opencv(camera)
    >>> (R @ ahead + t).round(4) + 0.0
    array([ 0.,  0., 10.])
    """
    pose = _world_to_camera(camera, invalid)
    return Extrinsic(pose.rotation.as_matrix(), pose.translation)


def from_opencv(rotation: ArrayLike, translation: ArrayLike, *, invalid: Invalid = "raise") -> Transform:
    """The camera's transform whose `to_opencv` is the given extrinsic."""
    exact = ExactRotation.from_matrix(rotation, source=ENU, target=RDF, invalid=invalid)
    return _camera(Pose(exact, translation, invalid=invalid))


def to_opencv_points(points: Vector3D) -> Floats:
    """Points in a camera's own axes as OpenCV has them: (x, y, z) becomes (y, -z, x).

    Parameters
    ----------
    points : Vector3D
        In the camera's axes forward, right, up: ``camera.inverse_transform(p)``.

    Returns
    -------
    ndarray of float32, shape (..., 3)
    """
    x, y, z = np.moveaxis(Vector3D.from_carla(points)._array, -1, 0)
    return np.stack([y, -z, x], axis=-1)


def to_colmap(camera: Transform, *, invalid: Invalid = "raise") -> ColmapPose:
    """COLMAP: world to camera, quaternion w, x, y, z."""
    pose = _world_to_camera(camera, invalid)
    return ColmapPose(pose.rotation.as_quat(order="wxyz"), pose.translation)


def from_colmap(qvec: ArrayLike, tvec: ArrayLike, *, invalid: Invalid = "raise") -> Transform:
    """The camera's transform whose `to_colmap` is the given pose; of any norm but zero."""
    exact = ExactRotation.from_quat(qvec, order="wxyz", source=ENU, target=RDF, invalid=invalid)
    return _camera(Pose(exact, tvec, invalid=invalid))


def to_open3d(camera: Transform, *, invalid: Invalid = "raise") -> Floats:
    """Open3D's ``PinholeCameraParameters.extrinsic``: homogeneous, world to camera.

    Returns
    -------
    ndarray, shape (..., 4, 4)
    """
    return _world_to_camera(camera, invalid).as_matrix()


def to_open3d_points(points: Vector3D) -> Floats:
    """Points as Open3D shows them the right way round: (x, -y, z), float64, shape (..., 3)."""
    return Vector3D.from_carla(points).to_right_handed()._array.astype(np.float64)


def to_kitti_label(thing: Transform, camera: Transform) -> KittiLabel:
    """Where an object is for a camera, and which way it faces, as KITTI labels it.

    KITTI knows one angle, so that the camera has to be level, and pitch and roll of the object are left out.

    Parameters
    ----------
    thing, camera : Transform
        On the map; batches broadcast.

    Raises
    ------
    ValueError
        If the camera is pitched or rolled by more than a thousandth of a degree.

    Examples
    --------
    >>> from boresight.carla import Location, Rotation, Transform
    >>> label = to_kitti_label(Transform(Location(10, 2, 0)), Transform(Location(0, 0, 1.5)))
    >>> label.location + 0.0, round(float(label.rotation_y), 6)  # it faces away
    (array([ 2. ,  1.5, 10. ]), -1.570796)
    """
    thing, camera = Transform.from_carla(thing), Transform.from_carla(camera)
    need_together(thing.shape, camera.shape)
    angles: Floats = camera._angles.astype(np.float64)
    yaw = angles[..., 1]
    turned = np.abs(angles - 360 * np.round(angles / 360))
    tilt = np.maximum(turned[..., 0], turned[..., 2])
    if not np.all(tilt <= _LEVEL):
        worst = float(np.max(tilt))
        raise ValueError(
            f"KITTI's labels are of level cameras, and this one is tilted by {worst:.3g} degrees; give its transform "
            "with pitch and roll zero, or label its own frame"
        )
    turn = np.radians(thing._angles[..., 1].astype(np.float64) - yaw) - np.pi / 2
    location = _world_to_camera(camera).apply(to_open3d_points(thing.location))
    alpha = turn - np.arctan2(location[..., 0], location[..., 2])
    return KittiLabel(location, _wrapped(turn), _wrapped(alpha))


def _world_to_camera(camera: Transform, invalid: Invalid = "raise") -> Pose[ENU, RDF]:
    return Transform.from_carla(camera).to_pose(invalid=invalid).reframe(source=RDF, target=ENU).inv()


def _camera(world_to_camera: Pose[Any, Any]) -> Transform:
    return Transform.from_pose(world_to_camera.inv().reframe(source=FRU, target=ESU))


def _wrapped(angle: Floats) -> Floats:
    return np.mod(angle + np.pi, 2 * np.pi) - np.pi
