"""From rows of random numbers to rotations: the maps behind `boresight.sampling`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .maps import exp
from .policy import Array

__all__ = ["angle_mass", "inverse_angle_mass", "sample_ball", "sample_gaussian", "sample_swing_twist"]

Doubles = NDArray[np.float64]

# 6 / (2 k + 3)!, with signs, highest power first.
_SERIES = (
    -6 / 51090942171709440000,
    6 / 121645100408832000,
    -6 / 355687428096000,
    6 / 1307674368000,
    -6 / 6227020800,
    6 / 39916800,
    -6 / 362880,
    6 / 5040,
    -6 / 120,
    1.0,
)


def angle_mass(t: ArrayLike) -> Any:
    """t - sin t without loss where t is small: pi times the share of all rotations that turn by no more than t.

    Parameters
    ----------
    t : array_like, shape (...)
        Angles in [0, pi].

    Returns
    -------
    ndarray, shape (...)
    """
    t = np.asarray(t, dtype=np.float64)
    return np.where(t < 1.0, t**3 / 6 * np.polyval(_SERIES, np.minimum(t, 1.0) ** 2), t - np.sin(t))


def inverse_angle_mass(y: ArrayLike) -> Any:
    """The angle t whose t - sin t is `y`: a series to begin with, then Halley's steps.

    Parameters
    ----------
    y : array_like, shape (...)
        In [0, pi].

    Returns
    -------
    ndarray, shape (...)
        Angles in [0, pi].
    """
    y = np.asarray(y, dtype=np.float64)
    c = np.cbrt(6 * y)
    cc = c * c
    t = c * (1 + cc / 60 + cc**2 / 1400 + cc**3 / 25200)
    for _ in range(3):
        f, slope, curve = angle_mass(t) - y, 2 * np.sin(t / 2) ** 2, np.sin(t)
        t = t - np.where(f == 0, 0.0, 2 * f * slope / np.where(f == 0, 1.0, 2 * slope * slope - f * curve))
    return np.minimum(t, np.pi)


def _directions(u: Doubles) -> Doubles:
    z = 2 * u[..., 0] - 1
    r, phi = np.sqrt(np.maximum(0.0, (1 - z) * (1 + z))), 2 * np.pi * u[..., 1]
    return np.stack([r * np.cos(phi), r * np.sin(phi), z], axis=-1)


def sample_ball(u: Doubles, low: float, high: float, *, out: Array) -> Array:
    """Rotations whose t - sin t is uniform on [low, high], about uniform axes."""
    half = inverse_angle_mass(low + u[..., 0] * (high - low))[..., np.newaxis] / 2
    out[..., :3] = np.sin(half) * _directions(u[..., 1:])
    out[..., 3:] = np.cos(half)
    return out


def sample_swing_twist(u: Doubles, share: float, half_twist: float, *, out: Array) -> Array:
    """Rotations that tilt z uniformly within the cone of that share of the sphere, and twist uniformly about it."""
    s, c = np.sqrt(u[..., 0] * share), np.sqrt(1 - u[..., 0] * share)
    phi, half = 2 * np.pi * u[..., 1], half_twist * (2 * u[..., 2] - 1)
    out[..., 0], out[..., 1] = s * np.cos(phi), s * np.sin(phi)
    out[..., 2], out[..., 3] = c * np.sin(half), c * np.cos(half)
    return out


def sample_gaussian(z: Doubles, root: Doubles, *, out: Array) -> Array:
    """Rotations exp(root z)."""
    return exp(z @ root.T, out=out)
