"""Places on the earth: the WGS-84 ellipsoid in earth-centred axes, and the level axes at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boresight import kernels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]

__all__ = ["ecef", "enu_to_ecef"]

EQUATORIAL_RADIUS = 6_378_137.0
FLATTENING = 1.0 / 298.257223563


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
    squared = FLATTENING * (2.0 - FLATTENING)
    # The radius of curvature in the prime vertical.
    normal = EQUATORIAL_RADIUS / np.sqrt(1.0 - squared * np.sin(phi) ** 2)
    across = (normal + h) * np.cos(phi)
    return np.stack(
        [across * np.cos(lam), across * np.sin(lam), (normal * (1.0 - squared) + h) * np.sin(phi)], axis=-1
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
