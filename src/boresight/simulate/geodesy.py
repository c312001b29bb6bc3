"""From metres on a tangent plane to latitude, longitude and height (WGS 84)."""

from __future__ import annotations

import numpy as np

from boresight.simulate.taylor import Array

_A = 6_378_137.0  # equatorial radius, m
_F = 1.0 / 298.257223563  # flattening
_B = _A * (1.0 - _F)
_E2 = _F * (2.0 - _F)
_EP2 = _E2 / (1.0 - _E2)


def ecef(latitude: Array, longitude: Array, height: Array) -> Array:
    """Return earth-centred coordinates, shape (..., 3), from radians and metres above the ellipsoid."""
    n = _A / np.sqrt(1.0 - _E2 * np.sin(latitude) ** 2)
    return np.stack(
        [
            (n + height) * np.cos(latitude) * np.cos(longitude),
            (n + height) * np.cos(latitude) * np.sin(longitude),
            (n * (1.0 - _E2) + height) * np.sin(latitude),
        ],
        axis=-1,
    )


def geodetic(position: Array) -> tuple[Array, Array, Array]:
    """Return latitude, longitude (radians) and height (m) of earth-centred coordinates, shape (..., 3).

    Bowring's formula, twice: on and near the ground it errs by less than a rounding.
    """
    x, y, z = position[..., 0], position[..., 1], position[..., 2]
    p = np.hypot(x, y)
    beta = np.arctan2(z * _A, p * _B)
    latitude = beta
    for _ in range(2):
        latitude = np.arctan2(z + _EP2 * _B * np.sin(beta) ** 3, p - _E2 * _A * np.cos(beta) ** 3)
        beta = np.arctan2((1.0 - _F) * np.sin(latitude), np.cos(latitude))
    sine = np.sin(latitude)
    height = p * np.cos(latitude) + z * sine - _A * np.sqrt(1.0 - _E2 * sine**2)
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
    sp, cp, sl, cl = np.sin(phi), np.cos(phi), np.sin(lam), np.cos(lam)
    to_ecef = np.array([[-sp * cl, -sl, -cp * cl], [-sp * sl, cl, -cp * sl], [cp, 0.0, -sp]])
    origin = ecef(np.asarray(phi), np.asarray(lam), np.asarray(float(height)))
    lat, lon, h = geodetic(origin + ned @ to_ecef.T)
    return np.degrees(lat), np.degrees(lon), h
