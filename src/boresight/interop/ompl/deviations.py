"""Deviations of a pose whose translation has no bounds: what is drawn about one pose is drawn about every other, moved.

Rows of translation (3) and quaternion x, y, z, w (4). A distance is ``weights[0] * |p| + weights[1] * θ/2``, as in
`boresight.sampling.SE3StateSpace`, whose sampler draws the same laws; that one also knows bounds, and draws about one
pose at a time, in several times as long.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from boresight.kernels.sampling import inverse_angle_mass, sample_axis
from boresight.rows import Floats
from boresight.sampling import draws
from boresight.sampling.half_angle import LARGEST_MEAN

__all__ = ["gaussian_poses", "near_poses"]

# Where the law of a rotation's share is rather proposed uniform over all rotations: about half of either is accepted.
_WIDE = 3.0


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
