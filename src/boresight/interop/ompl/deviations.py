"""Deviations of poses: what is drawn about one pose serves every other.

Rows of translation (3) and quaternion x, y, z, w (4), as if translations had no bounds; those out of bounds are left to
be passed over. Or, where that would be most of them, rows of any translation within the bounds, of a quaternion, and of
how far the translation may be from the centre's for the two to be within the distance; see `boresight.kernels.deviations`.

A distance is ``weights[0] * |p| + weights[1] * θ/2``, as in
`boresight.sampling.SE3StateSpace`, whose sampler draws the same laws; that one also knows bounds, and draws about one
pose at a time, in several times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt

import numpy as np

from boresight.kernels.sampling import angle_mass, inverse_angle_mass, sample_axis
from boresight.rows import Floats
from boresight.sampling import draws
from boresight.sampling.half_angle import LARGEST_MEAN

__all__ = ["covering_poses", "gaussian_poses", "near_law", "near_poses"]

# Where the law of a rotation's share is rather proposed uniform over all rotations: about half of either is accepted.
_WIDE = 3.0
_PILOT = 256


def near_law(
    stream: np.random.Generator, distance: float, weights: tuple[float, float], low: Floats, high: Floats
) -> Callable[[int], Floats]:
    """What draws the poses within a distance and within bounds: those of which more are taken, halfway between bounds.

    Parameters
    ----------
    stream : numpy.random.Generator
    distance : float
    weights : (float, float)
        Of the translation and of the half angle, both positive.
    low, high : ndarray, shape (3,)
        The bounds of translations.

    Returns
    -------
    callable
        Takes a number of rows, draws them.
    """
    half = (high - low) / 2
    if distance <= weights[0] * half.min():
        return lambda n: near_poses(stream, n, distance, weights)
    # Of a generator of its own: the choice is the same each time, and takes nothing from the stream.
    pilot = np.random.default_rng(0)
    moved = near_poses(pilot, _PILOT, distance, weights)
    covering = covering_poses(pilot, _PILOT, distance, weights, -half, half)
    inside = (np.abs(moved[:, :3]) <= half).all(axis=1).mean()
    close = (np.linalg.norm(covering[:, :3], axis=1) <= covering[:, 7]).mean()
    if inside >= close:
        return lambda n: near_poses(stream, n, distance, weights)
    return lambda n: covering_poses(stream, n, distance, weights, low, high)


def covering_poses(
    stream: np.random.Generator,
    n: int,
    distance: float,
    weights: tuple[float, float],
    low: Floats,
    high: Floats,
) -> Floats:
    """Uniform among the poses within bounds and of rotations within a distance of the identity.

    Parameters
    ----------
    stream, n, distance, weights, low, high
        As `near_law`.

    Returns
    -------
    ndarray, shape (n, 8)
        In the last column, what the distance leaves to the translation.
    """
    u = stream.random((n, 6))
    largest = float(angle_mass(min(2 * distance / weights[1], pi)))
    u[:, 3] = inverse_angle_mass(largest * u[:, 3])
    rows = np.empty((n, 8))
    rows[:, :3] = low + (high - low) * u[:, :3]
    rows[:, 3:7] = sample_axis(u[:, 3:])
    rows[:, 7] = np.maximum(distance - weights[1] * u[:, 3] / 2, 0) / weights[0]
    return rows


def near_poses(stream: np.random.Generator, n: int, distance: float, weights: tuple[float, float]) -> Floats:
    """Uniform among the poses within a distance of the identity.

    Parameters
    ----------
    stream : numpy.random.Generator
    n : int
    distance : float
    weights : (float, float)
        Of the translation and of the half angle, both positive.

    Returns
    -------
    ndarray, shape (n, 7)

    Notes
    -----
    At a half angle h the translations left are a ball of radius (distance - weights[1] h) / weights[0], so h has the
    density sin²h (distance - weights[1] h)³, and the translation is uniform in that ball.
    """
    half = _half_angles(stream, n, distance / weights[1])
    u = stream.random((n, 5))
    rows = np.empty((n, 7))
    radius = (distance - weights[1] * half) / weights[0] * np.cbrt(u[:, 0])
    axis = np.column_stack([np.full(n, pi), u[:, 1:3]])
    # Half a turn about a uniform axis is that axis.
    rows[:, :3] = radius[:, np.newaxis] * sample_axis(axis)[:, :3]
    rows[:, 3:] = sample_axis(np.column_stack([2 * half, u[:, 3:]]))
    return rows


def _half_angles(stream: np.random.Generator, n: int, reach: float) -> Floats:
    """Half angles h, from 0 to the smaller of `reach` and π/2, with the density sin²h (reach - h)³."""
    found = np.empty(n)
    have = 0
    while have < n:
        m = n - have
        m += m // 16
        if reach < _WIDE:
            h = reach * stream.beta(3.0, 4.0, m)  # has the density h² (reach - h)³
            keep = np.where(h <= pi / 2, np.sinc(h / pi) ** 2, 0.0)  # np.sinc(x) is sin(pi x) / (pi x)
        else:
            h = inverse_angle_mass(pi * stream.random(m)) / 2  # has the density sin²h, and is at most π/2
            keep = (1 - h / reach) ** 3
        kept = h[stream.random(m) < keep][: n - have]
        found[have : have + len(kept)] = kept
        have += len(kept)
    return found


def gaussian_poses(
    stream: np.random.Generator, n: int, distance: float, weights: tuple[float, float]
) -> Floats:
    """Normal about the identity, at an expected distance, of which translation and rotation have the same share each.

    Parameters
    ----------
    stream : numpy.random.Generator
    n : int
    distance : float
        At most ``sum(weights) * (π/4 + 1/π)``.
    weights : (float, float)
        Of the translation and of the half angle, both positive.

    Returns
    -------
    ndarray, shape (n, 7)
    """
    expected = min(distance / sum(weights), LARGEST_MEAN)
    rows = np.empty((n, 7))
    # The mean length of three standard normals is √(8/π).
    rows[:, :3] = expected * sqrt(pi / 8) * stream.standard_normal((n, 3))
    rows[:, 3:] = draws.expected_half_angle(stream, n, std_dev=expected)
    return rows
