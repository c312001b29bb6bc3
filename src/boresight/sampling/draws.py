"""The laws as functions on plain arrays: random numbers in, unit quaternions (x, y, z, w) out.

What the classes of this package stand on, for those who want no frames. Angles are full rotation angles, in radians.
``rng`` is a `numpy.random.Generator` or a seed, ``size`` a number of samples or any batch shape; a batch continues
the same stream as its samples drawn one by one. All of them are laws about the identity: compose with a centre.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, pi, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import kernels
from ..kernels.sampling import (
    angle_mass,
    inverse_angle_mass,
    sample_axis,
    sample_ball,
    sample_gaussian,
    sample_swing_twist,
)
from .checks import OutOfRangeError, real, reals
from .half_angle import wrapped_normal
from .streams import Doubles, Rng, Size, accepted, from_normals, from_uniforms

__all__ = [
    "angle_mass",
    "directions",
    "euler_box",
    "expected_half_angle",
    "geodesic_ball",
    "haar",
    "inverse_angle_mass",
    "rotation_vector_gaussian",
    "rotvec_box",
    "swing_twist",
    "tangent_ball",
]

_WIDE = 50.0  # radians: beyond this root of a covariance, samples of several hundred radians have to be reckoned with


def haar(rng: Rng, size: Size = ()) -> Doubles:
    """Uniform over all rotations, and over the sphere of unit quaternions too.

    Shoemake's subgroup formula (Graphics Gems III, 1992), from 3 uniforms.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int

    Returns
    -------
    ndarray, shape (*size, 4)

    Examples
    --------
    >>> haar(1, (2, 3)).shape
    (2, 3, 4)
    """
    return from_uniforms(rng, size, 3, lambda u, out: sample_swing_twist(u, 1.0, pi, out=out))


def directions(rng: Rng, size: Size = ()) -> Doubles:
    """Unit vectors, uniform over the sphere, from 2 uniforms.

    Returns
    -------
    ndarray, shape (*size, 3)
    """

    def work(u: Doubles, out: Doubles) -> None:
        out[:, 2] = 2 * u[:, 0] - 1
        across, turn = np.sqrt((1 - out[:, 2]) * (1 + out[:, 2])), 2 * pi * u[:, 1]
        out[:, 0], out[:, 1] = across * np.cos(turn), across * np.sin(turn)

    return from_uniforms(rng, size, 2, work, 3)


def geodesic_ball(rng: Rng, size: Size = (), lower: float = 0.0, upper: float = pi) -> Doubles:
    """Uniform (Haar) over the rotations whose angle is in [lower, upper], about uniform axes, from 3 uniforms.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    lower, upper : float
        ``0 <= lower <= upper <= pi``; where the two are equal, all samples turn by that angle.

    Returns
    -------
    ndarray, shape (*size, 4)
        None outside, by more than rounding.

    Raises
    ------
    ValueError
        For angles out of range, or not a number.

    Examples
    --------
    >>> bool((kernels.angle(geodesic_ball(1, 1000, upper=0.5)) <= 0.5).all())
    True
    """
    lower, upper = real("lower", lower), real("upper", upper)
    if not 0 <= lower <= pi:
        raise ValueError(f"lower= must be an angle in [0, pi], not {lower}")
    if not lower <= upper <= pi:
        raise ValueError(f"upper= must be an angle in [lower, pi] = [{lower}, pi], not {upper}")
    low, high = float(angle_mass(lower)), float(angle_mass(upper))
    return from_uniforms(rng, size, 3, lambda u, out: sample_ball(u, low, high, out=out))


def tangent_ball(rng: Rng, size: Size = (), radius: float = pi) -> Doubles:
    """Rotation vectors uniform in the ball of that radius: what OMPL takes for a uniform law; from 3 uniforms.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    radius : float
        Largest angle, from 0.

    Returns
    -------
    ndarray, shape (*size, 4)
    """
    radius = real("radius", radius)
    if not (radius >= 0 and isfinite(radius)):
        raise ValueError(f"radius= must be an angle from 0, not {radius}")

    def work(u: Doubles, out: Doubles) -> None:
        u[:, 0] = radius * np.cbrt(u[:, 0])
        sample_axis(u, out=out)

    return from_uniforms(rng, size, 3, work)


def swing_twist(rng: Rng, size: Size = (), *, tilt: float, twist: float = pi) -> Doubles:
    """Uniform (Haar) over the rotations that tilt z by at most `tilt` and twist about it by at most `twist`.

    From 3 uniforms: the cosine of the tilt, its azimuth, and the twist.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    tilt, twist : float
        In [0, pi].

    Returns
    -------
    ndarray, shape (*size, 4)
    """
    for name, value in (("tilt", tilt), ("twist", twist)):
        if not 0 <= real(name, value) <= pi:
            raise ValueError(f"{name}= must be an angle in [0, pi], not {value}")
    share, half = sin(float(tilt) / 2) ** 2, float(twist) / 2
    return from_uniforms(rng, size, 3, lambda u, out: sample_swing_twist(u, share, half, out=out))


def euler_box(rng: Rng, size: Size = (), *, half_widths: ArrayLike, sequence: str = "XYZ") -> Doubles:
    """Uniform (Haar) over the rotations whose intrinsic Euler angles are within half widths, from 3 uniforms.

    The first and the third angle are uniform, and so is the sine of the middle one.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    half_widths : array_like, shape (3,)
        In the order of the letters, radians: at most pi, pi/2 and pi.
    sequence : str
        Three different upper-case letters.

    Returns
    -------
    ndarray, shape (*size, 4)
    """
    a, b, c = checked_half_widths(half_widths, (pi, pi / 2, pi))
    check_sequence(sequence)

    def work(u: Doubles, out: Doubles) -> None:
        angles = (2 * u - 1) * [a, sin(b), c]
        angles[:, 1] = np.arcsin(angles[:, 1])
        kernels.from_euler(sequence, angles, degrees=False, out=out)

    return from_uniforms(rng, size, 3, work)


def rotvec_box(rng: Rng, size: Size = (), *, half_widths: ArrayLike) -> Doubles:
    """Uniform (Haar) over the rotations whose rotation vector (the shortest) is within half widths.

    Uniform in the box, accepted with the density of Haar's measure, (sin(t/2) / (t/2))²; 4 uniforms a proposal.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    half_widths : array_like, shape (3,)
        Radians, at most pi.

    Returns
    -------
    ndarray, shape (*size, 4)
    """
    widths = np.array(checked_half_widths(half_widths, (pi, pi, pi)))

    def propose(u: Doubles) -> tuple[Doubles, NDArray[np.bool_]]:
        v = (2 * u[:, :3] - 1) * widths
        t = np.sqrt(v[:, 0] ** 2 + v[:, 1] ** 2 + v[:, 2] ** 2)
        # np.sinc(x) is sin(pi x) / (pi x).
        taken = (u[:, 3] < np.sinc(t / (2 * pi)) ** 2) & (t <= pi)
        return kernels.exp(v).astype(np.float64, copy=False), taken

    return accepted(rng, size, 4, propose)


def rotation_vector_gaussian(rng: Rng, size: Size = (), *, root: ArrayLike) -> Doubles:
    """exp(v) for rotation vectors v ~ N(0, root rootᵀ), from 3 normals.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    root : float or array_like, shape (3, 3)
        Standard deviation of each component, or any square root of the covariance, in radians.

    Returns
    -------
    ndarray, shape (*size, 4)

    Raises
    ------
    ValueError
        For a root that is not finite, negative (a number) or of another shape.
    """
    matrix = reals("root", root)
    if not np.isfinite(matrix).all() or (matrix.ndim == 0 and matrix < 0):
        raise ValueError(f"root= must be finite, and a standard deviation not negative: {root!r}")
    if matrix.ndim == 0:
        matrix = matrix * np.eye(3)
    if matrix.shape != (3, 3):
        raise ValueError(f"root= must be a number or have shape (3, 3), not {matrix.shape}")
    return from_normals(rng, size, 3, _exp_of(matrix))


def _exp_of(root: Doubles) -> Callable[[Doubles, Doubles], object]:
    """What makes exp(root z) of normals z."""
    if np.linalg.norm(root) < _WIDE:
        return lambda z, out: sample_gaussian(z, root, out=out)
    # So many turns that they are taken out first, which the plain exponential does.
    x, y, z = root.T
    return lambda n, out: kernels.exp(n[:, 0:1] * x + n[:, 1:2] * y + n[:, 2:3] * z, out=out)


def expected_half_angle(rng: Rng, size: Size = (), *, std_dev: float) -> Doubles:
    """A Gaussian whose expected half angle is what was asked for: what OMPL says of its Gaussian sampler.

    exp(v) for v ~ N(0, σ² I), with σ such that E θ/2 = `std_dev`, as far as that goes: turns beyond half a turn come
    back on the other side, and E θ/2 is never above 1.06950 (σ = 1.7320). Beyond that a share of the samples is uniform
    over all rotations instead, up to all of them at π/4 + 1/π. From 6 normals a sample; from 3 where none is uniform.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    std_dev : float
        Expected half angle in radians, in [0, π/4 + 1/π].

    Returns
    -------
    ndarray, shape (*size, 4)

    Raises
    ------
    ValueError
        If `std_dev` is out of range.
    """
    sigma, uniform = wrapped_normal(real("std_dev", std_dev))
    gaussian = _exp_of(sigma * np.eye(3))
    if uniform == 0:
        return from_normals(rng, size, 3, gaussian)

    def work(z: Doubles, out: Doubles) -> None:
        gaussian(z[:, :3].copy(), out)
        # The sum of the squares of two normals is exponential, and e to the minus half of it uniform.
        chosen = np.exp(-0.5 * (z[:, 4] ** 2 + z[:, 5] ** 2)) < uniform
        out[chosen] = kernels.from_quaternion(z[chosen, :4], order="xyzw")

    return from_normals(rng, size, 6, work)


def checked_half_widths(given: ArrayLike, most: tuple[float, float, float]) -> tuple[float, float, float]:
    """Three half widths, each from 0 to what it may be at most.

    Raises
    ------
    ValueError
        For others; it names the argument.
    """
    widths = reals("half_widths", given)
    if widths.shape != (3,):
        raise ValueError(f"half_widths= must have shape (3,), not {widths.shape}")
    a, b, c = widths.tolist()
    if not all(0 <= width <= limit for width, limit in zip((a, b, c), most, strict=True)):
        limits = ", ".join(f"{limit:.6f}" for limit in most)
        message = f"half_widths= must be from 0 to ({limits}) radians, not {[a, b, c]}"
        raise OutOfRangeError(message, "half_widths", (0.0, 0.0, 0.0), most)
    return a, b, c


def check_sequence(sequence: str) -> None:
    """Refuse what is no sequence of three different intrinsic axes."""
    is_text = isinstance(sequence, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not is_text or sorted(sequence) != ["X", "Y", "Z"]:
        raise ValueError(f'sequence= is three different upper-case letters, like "XYZ", not {sequence!r}')
