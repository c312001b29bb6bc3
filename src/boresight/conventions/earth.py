"""Places on the earth: the WGS-84 ellipsoid in earth-centred axes, and the plane that touches it at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boresight import kernels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]

__all__ = ["ecef", "enu_to_ecef", "geodetic", "geodetic_to_tangent", "tangent_to_geodetic"]

EQUATORIAL_RADIUS = 6_378_137.0
FLATTENING = 1.0 / 298.257223563
_POLAR_RADIUS = EQUATORIAL_RADIUS * (1.0 - FLATTENING)
_SQUARED = FLATTENING * (2.0 - FLATTENING)  # of the eccentricity; and of the second one:
_SECOND_SQUARED = _SQUARED / (1.0 - _SQUARED)


def ecef(latitude: ArrayLike, longitude: ArrayLike, height: ArrayLike) -> Array:
    """Return earth-centred, earth-fixed coordinates.

    Parameters
    ----------
    latitude, longitude : array_like, shape (...)
        Geodetic, radians.
    height : array_like, shape (...)
        Metres above the ellipsoid.

    Returns
    -------
    ndarray, shape (..., 3)
        Metres.

    Examples
    --------
    >>> ecef(0.0, 0.0, 10.0)
    array([6378147.,       0.,       0.])
    """
    phi, lam, h = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.float64) for part in (latitude, longitude, height))
    )
    # The radius of curvature in the prime vertical.
    normal = EQUATORIAL_RADIUS / np.sqrt(1.0 - _SQUARED * np.sin(phi) ** 2)
    across = (normal + h) * np.cos(phi)
    return np.stack(
        [across * np.cos(lam), across * np.sin(lam), (normal * (1.0 - _SQUARED) + h) * np.sin(phi)], axis=-1
    )


def enu_to_ecef(latitude: float, longitude: float) -> Array:
    """Return the quaternion x, y, z, w that takes east, north, up at a place to earth-centred axes; radians.

    Examples
    --------
    At latitude and longitude 0, east is +y, north is +z, up is +x:

    >>> from boresight import kernels
    >>> kernels.to_matrix(enu_to_ecef(0.0, 0.0)).round(9) + 0.0
    array([[0., 0., 1.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    # East is a quarter turn ahead of the meridian, and up leans away from the pole by the colatitude.
    about_z, about_x = (longitude + np.pi / 2) / 2.0, (np.pi / 2 - latitude) / 2.0
    turn = np.array([0.0, 0.0, np.sin(about_z), np.cos(about_z)])
    lean = np.array([np.sin(about_x), 0.0, 0.0, np.cos(about_x)])
    return kernels.multiply(turn, lean)


def geodetic(position: Array) -> tuple[Array, Array, Array]:
    """Return latitude, longitude (radians) and height (m) of earth-centred coordinates, shape (..., 3).

    Bowring's formula, twice: on and near the ground it errs by less than a rounding.
    """
    x, y, z = position[..., 0], position[..., 1], position[..., 2]
    across = np.hypot(x, y)
    reduced = np.arctan2(z * EQUATORIAL_RADIUS, across * _POLAR_RADIUS)
    latitude = reduced
    for _ in range(2):
        latitude = np.arctan2(
            z + _SECOND_SQUARED * _POLAR_RADIUS * np.sin(reduced) ** 3,
            across - _SQUARED * EQUATORIAL_RADIUS * np.cos(reduced) ** 3,
        )
        reduced = np.arctan2((1.0 - FLATTENING) * np.sin(latitude), np.cos(latitude))
    sine = np.sin(latitude)
    height = across * np.cos(latitude) + z * sine - EQUATORIAL_RADIUS * np.sqrt(1.0 - _SQUARED * sine**2)
    return latitude, np.arctan2(y, x), height


def tangent_to_geodetic(ned: Array, origin: tuple[float, float, float]) -> tuple[Array, Array, Array]:
    """Return degrees, degrees and metres of points given north, east, down of an origin, shape (..., 3).

    Parameters
    ----------
    ned : array, shape (..., 3)
        Metres on the plane that touches the ellipsoid at the origin.
    origin : tuple of float
        Its latitude and longitude in degrees, and metres above the ellipsoid.

    Examples
    --------
    >>> import numpy as np
    >>> lat, lon, height = tangent_to_geodetic(np.array([[0.0, 0.0, -10.0]]), (47.0, 8.0, 500.0))
    >>> lat.round(9), lon.round(9), height.round(6)
    (array([47.]), array([8.]), array([510.]))
    """
    phi, lam = np.radians(origin[0]), np.radians(origin[1])
    enu = np.stack([ned[..., 1], ned[..., 0], -ned[..., 2]], axis=-1)
    lat, lon, h = geodetic(ecef(phi, lam, origin[2]) + kernels.rotate(enu_to_ecef(phi, lam), enu))
    return np.degrees(lat), np.degrees(lon), h


def geodetic_to_tangent(
    latitude: ArrayLike, longitude: ArrayLike, height: ArrayLike, origin: tuple[float, float, float]
) -> Array:
    """Return metres north, east, down of an origin, on the plane that touches the ellipsoid there.

    Parameters
    ----------
    latitude, longitude, height : array_like, shape (...)
        Degrees, and metres above the ellipsoid.
    origin : tuple of float
        The same of the origin.

    Returns
    -------
    ndarray, shape (..., 3)

    Examples
    --------
    A thousand kilometres away the ground is 79 km below the plane:

    >>> ned = geodetic_to_tangent(56.0, 8.0, 0.0, (47.0, 8.0, 0.0))
    >>> ned.round(-3) + 0.0
    array([997000.,      0.,  79000.])
    """
    phi, lam = np.radians(origin[0]), np.radians(origin[1])
    away = ecef(np.radians(latitude), np.radians(longitude), height) - ecef(phi, lam, origin[2])
    enu = kernels.rotate_inverse(enu_to_ecef(phi, lam), away)
    return np.stack([enu[..., 1], enu[..., 0], -enu[..., 2]], axis=-1)
