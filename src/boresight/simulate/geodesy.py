"""From metres on a tangent plane to latitude, longitude and height (WGS 84)."""

from __future__ import annotations

import numpy as np

from boresight import kernels
from boresight.conventions.earth import EQUATORIAL_RADIUS, FLATTENING, ecef, enu_to_ecef
from boresight.simulate.taylor import Array

_POLAR_RADIUS = EQUATORIAL_RADIUS * (1.0 - FLATTENING)
_SQUARED = FLATTENING * (2.0 - FLATTENING)  # of the eccentricity; and of the second one:
_SECOND_SQUARED = _SQUARED / (1.0 - _SQUARED)


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


def tangent_to_geodetic(
    ned: Array, latitude: float, longitude: float, height: float
) -> tuple[Array, Array, Array]:
    """Return degrees, degrees and metres of points given north, east, down of an origin, shape (n, 3).

    Parameters
    ----------
    ned : array, shape (n, 3)
        Metres on the plane that touches the ellipsoid at the origin.
    latitude, longitude, height : float
        The origin: degrees, and metres above the ellipsoid.

    Examples
    --------
    >>> import numpy as np
    >>> lat, lon, height = tangent_to_geodetic(np.array([[0.0, 0.0, -10.0]]), 47.0, 8.0, 500.0)
    >>> lat.round(9), lon.round(9), height.round(6)
    (array([47.]), array([8.]), array([510.]))
    """
    phi, lam = np.radians(latitude), np.radians(longitude)
    enu = np.stack([ned[:, 1], ned[:, 0], -ned[:, 2]], axis=-1)
    lat, lon, h = geodetic(ecef(phi, lam, height) + kernels.rotate(enu_to_ecef(phi, lam), enu))
    return np.degrees(lat), np.degrees(lon), h
