"""From rows of random numbers to rotations: the maps behind `boresight.sampling`.

None of them makes a random number: uniforms on [0, 1) or standard normals come in, one row for each sample, and unit
quaternions (x, y, z, w) go out. What describes the law is one for all rows.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .. import _native
from .policy import Array, Kernel, Pair

__all__ = [
    "angle_mass",
    "inverse_angle_mass",
    "invert_cubic",
    "propose_bingham",
    "sample_axis",
    "sample_ball",
    "sample_gaussian",
    "sample_swing_twist",
]

_angle_mass: Kernel = _native.angle_mass
_inverse_angle_mass: Kernel = _native.inverse_angle_mass
_sample_ball: Kernel = _native.sample_ball
_sample_axis: Kernel = _native.sample_axis
_sample_swing_twist: Kernel = _native.sample_swing_twist
_sample_gaussian: Kernel = _native.sample_gaussian
_propose_bingham: Kernel = _native.propose_bingham
_invert_cubic: Kernel = _native.invert_cubic


def angle_mass(t: ArrayLike) -> Any:
    """The mass t - sin t, without loss where t is small: pi times the share of all rotations that turn by no more than t.

    Parameters
    ----------
    t : array_like, shape (...)
        Angles in radians, in [0, pi].

    Returns
    -------
    ndarray, shape (...)
        In [0, pi].

    Examples
    --------
    >>> round(float(angle_mass(1e-5)) * 1e16, 9)  # subtracting in doubles leaves five digits of it
    1.666666667
    """
    return _angle_mass(t, None)


def inverse_angle_mass(y: ArrayLike) -> Any:
    """The angle t whose t - sin t is `y`, to a relative residual of 2e-15.

    Parameters
    ----------
    y : array_like, shape (...)
        In [0, pi].

    Returns
    -------
    ndarray, shape (...)
        Angles in radians, in [0, pi]; NaN where `y` is outside.

    Notes
    -----
    Begins with the series c (1 + c²/60 + c⁴/1400 + c⁶/25200), c = ∛(6 y), and takes two steps of Halley's.

    Examples
    --------
    >>> float(inverse_angle_mass(3.141592653589793))
    3.141592653589793
    """
    return _inverse_angle_mass(y, None)


def sample_ball(u: ArrayLike, low: float, high: float, *, out: Array | None = None) -> Array:
    """Turn by an angle whose t - sin t is uniform on [low, high], about a uniform axis.

    Parameters
    ----------
    u : array_like, shape (..., 3)
        Uniforms: of the angle, of the axis' z, of its azimuth.
    low, high : float
        In [0, pi].
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
    """
    return _sample_ball(u, low, high, out)


def sample_axis(u: ArrayLike, *, out: Array | None = None) -> Array:
    """Turn by given angles, about uniform axes.

    Parameters
    ----------
    u : array_like, shape (..., 3)
        The angle in radians, then two uniforms: of the axis' z, of its azimuth.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
    """
    return _sample_axis(u, out)


def sample_swing_twist(u: ArrayLike, share: float, half_twist: float, *, out: Array | None = None) -> Array:
    """Tilt z uniformly within a cone, any way round, and twist uniformly about it.

    Parameters
    ----------
    u : array_like, shape (..., 3)
        Uniforms: of the tilt, of its azimuth, of the twist.
    share : float
        What part of the sphere z may point to: sin²(tilt / 2) of the largest tilt.
    half_twist : float
        Half the largest twist, in radians. ``share=1`` and ``half_twist=pi`` are Shoemake's uniform quaternions; with
        pi/2 they have w >= 0.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
    """
    return _sample_swing_twist(u, share, half_twist, out)


def sample_gaussian(z: ArrayLike, root: ArrayLike, *, out: Array | None = None) -> Array:
    """exp(root z).

    Parameters
    ----------
    z : array_like, shape (..., 3)
        Standard normals.
    root : array_like, shape (3, 3)
        A square root of the covariance of the rotation vector, in radians; of such a size that no vector is longer
        than 2000.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
    """
    return _sample_gaussian(z, root, out)


def propose_bingham(u: ArrayLike, scale: ArrayLike, b: float) -> Pair:
    """Propose quaternions for the law exp(-Σ wᵢ qᵢ²), and say which to accept.

    Angular central Gaussian, as Kent, Ganeiber and Mardia (arXiv:1310.8110) have it.

    Parameters
    ----------
    u : array_like, shape (..., 4)
        Uniforms: three of a quaternion, one for accepting it.
    scale : array_like, shape (4,)
        (1 + 2 wᵢ / b)^(-1/2), where the least of the wᵢ is 0.
    b : float
        The root in [1, 4] of Σ 1 / (b + 2 wᵢ) = 1.

    Returns
    -------
    q : ndarray, shape (..., 4)
    margin : ndarray, shape (...)
        Positive where the proposal is to be accepted.
    """
    return _propose_bingham(u, scale, b, None)


def invert_cubic(
    value: ArrayLike, first: ArrayLike, last: ArrayLike, slope: ArrayLike, slope_after: ArrayLike
) -> Any:
    """Say where in [0, 1] a cubic has a value, given its own values and slopes at 0 and at 1, between which it rises.

    Parameters
    ----------
    value, first, last, slope, slope_after : array_like, shape (...)

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> float(invert_cubic(0.5, 0.0, 1.0, 1.0, 1.0))
    0.5
    """
    return _invert_cubic(value, first, last, slope, slope_after, None)
