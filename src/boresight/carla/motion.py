"""Velocities, rates and sensors: what CARLA reports about motion, in the axes of ROS.

CARLA reports an actor's velocity (m/s), acceleration (m/s²) and angular velocity (**degrees** a second) along the axes
of the map. Its IMU reports specific force (m/s², +9.81 upward at rest) and angular rate (**radians** a second) along
the axes of the sensor, and a compass in radians, clockwise from north, which is -y on the map.

Velocities and forces are polar, and their y is flipped. Angular rates are axial: (-x, y, -z).
"""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import kernels
from ..rows import Floats, floats
from .exact import quaternions_of
from .transforms import Transform
from .values import over
from .vectors import Location, RightHandedVector3D, Vector3D

__all__ = [
    "Geodetic",
    "Imu",
    "Twist",
    "compass_from_yaw",
    "from_geodetic",
    "from_ros_twist",
    "to_geodetic",
    "to_ros_imu",
    "to_ros_twist",
    "yaw_from_compass",
]

_POLAR = np.array([1.0, -1.0, 1.0])
_AXIAL = -_POLAR
_EARTH_RADIUS = 6378137.0


class Twist(NamedTuple):
    """What nav_msgs/Odometry wants beside a pose: velocities along the body's own axes, forward, left, up.

    Attributes
    ----------
    linear : ndarray, shape (..., 3)
        Metres a second.
    angular : ndarray, shape (..., 3)
        Radians a second, by the right-hand rule.
    """

    linear: Floats
    angular: Floats


class Imu(NamedTuple):
    """What sensor_msgs/Imu wants, along the sensor's axes forward, left, up.

    Attributes
    ----------
    linear_acceleration : RightHandedVector3D
        Specific force, m/s²: about +9.81 along up at rest.
    angular_velocity : RightHandedVector3D
        Radians a second.
    """

    linear_acceleration: RightHandedVector3D
    angular_velocity: RightHandedVector3D


class Geodetic(NamedTuple):
    """A place on the earth.

    Attributes
    ----------
    latitude, longitude : ndarray
        Degrees.
    altitude : ndarray
        Metres.
    """

    latitude: Floats
    longitude: Floats
    altitude: Floats


def to_ros_twist(transform: Transform, velocity: Vector3D, angular_velocity: Vector3D) -> Twist:
    """An actor's velocities in its own axes: the twist of ROS's Odometry, which is in the child frame.

    Parameters
    ----------
    transform : Transform
        Where the actor is.
    velocity : Vector3D
        ``actor.get_velocity()``: m/s along the map's axes.
    angular_velocity : Vector3D
        ``actor.get_angular_velocity()``: degrees a second along the map's axes.

    Returns
    -------
    Twist
        In float64.

    Examples
    --------
    A car that faces south, drives south, and turns right:

    >>> from boresight import carla
    >>> car = carla.Transform(rotation=carla.Rotation(yaw=90))
    >>> twist = to_ros_twist(car, carla.Vector3D(0, 5, 0), carla.Vector3D(0, 0, 90))
    >>> twist.linear.round(6) + 0.0, twist.angular.round(6) + 0.0
    (array([5., 0., 0.]), array([ 0.      ,  0.      , -1.570796]))
    """
    q = quaternions_of(Transform.from_carla(transform).rotation)
    linear = over(kernels.rotate_inverse, q, Vector3D.from_carla(velocity)._array.astype(np.float64))
    angular = over(kernels.rotate_inverse, q, Vector3D.from_carla(angular_velocity)._array.astype(np.float64))
    return Twist(linear * _POLAR, np.radians(angular) * _AXIAL)


def from_ros_twist(transform: Transform, twist: Twist) -> tuple[Vector3D, Vector3D]:
    """Velocity and angular velocity (degrees a second) along the map's axes, of a twist in the child frame."""
    q = quaternions_of(Transform.from_carla(transform).rotation)
    linear = over(kernels.rotate, q, floats(twist.linear, 3, "the linear velocity") * _POLAR)
    angular = over(kernels.rotate, q, floats(twist.angular, 3, "the angular velocity") * _AXIAL)
    return Vector3D.from_array(linear), Vector3D.from_array(np.degrees(angular))


def to_ros_imu(accelerometer: Vector3D, gyroscope: Vector3D) -> Imu:
    """The readings of CARLA's IMU along the axes of ROS.

    Parameters
    ----------
    accelerometer, gyroscope : Vector3D
        Of a ``carla.IMUMeasurement``: m/s² and radians a second.
    """
    return Imu(
        Vector3D.from_carla(accelerometer).to_right_handed(),
        Vector3D.from_carla(gyroscope).axial_to_right_handed(),
    )


def yaw_from_compass(compass: ArrayLike) -> Floats:
    """Yaw in ROS's sense, radians anticlockwise from east, of the compass: π/2 - compass, in (-π, π]."""
    return _wrapped(np.pi / 2 - floats(compass, 0, "the compass").astype(np.float64))


def compass_from_yaw(yaw: ArrayLike) -> Floats:
    """What the compass shows at a yaw in ROS's sense: π/2 - yaw, in [0, 2π)."""
    return np.mod(np.pi / 2 - floats(yaw, 0, "the yaw").astype(np.float64), 2 * np.pi)


def _wrapped(angle: Floats) -> Floats:
    # The remainder is in [0, 2π), so that -π is left out and π is in.
    return np.pi - np.mod(np.pi - angle, 2 * np.pi)


def to_geodetic(location: Location, *, latitude: float, longitude: float, altitude: float = 0.0) -> Geodetic:
    """Where a place of the map is on the earth: what CARLA's GNSS sensor shows without noise.

    Latitude grows against y. By the spherical Mercator projection of CARLA up to 0.9.15, of which this has all digits.
    CARLA 0.9.16 projects as the map's OpenDRIVE file says; its ``Map.transform_to_geolocation`` moreover takes y
    for north, so that latitude grows with y there.

    Parameters
    ----------
    location : Location
        On the map.
    latitude, longitude : float
        Degrees of the map's origin.
    altitude : float
        Metres of the map's origin.

    Examples
    --------
    >>> from boresight.carla import Location
    >>> round(float(to_geodetic(Location(y=100), latitude=49.0, longitude=8.0).latitude), 6)  # south
    48.999102
    """
    x, y, z = np.moveaxis(Vector3D.from_carla(location)._array.astype(np.float64), -1, 0)
    radius = np.cos(np.radians(latitude)) * _EARTH_RADIUS
    east = radius * np.radians(longitude) + x
    north = radius * np.log(np.tan(np.radians(90.0 + latitude) / 2)) - y
    return Geodetic(
        np.degrees(2 * np.arctan(np.exp(north / radius))) - 90.0, np.degrees(east / radius), altitude + z
    )


def from_geodetic(place: Geodetic, *, latitude: float, longitude: float, altitude: float = 0.0) -> Location:
    """The place of the map whose `to_geodetic` is the given one."""
    radius = np.cos(np.radians(latitude)) * _EARTH_RADIUS
    east = radius * np.radians(np.subtract(place.longitude, longitude))
    to, start = (np.log(np.tan(np.radians(90.0 + np.asarray(a)) / 2)) for a in (place.latitude, latitude))
    return Location(east, -radius * (to - start), np.subtract(place.altitude, altitude))
