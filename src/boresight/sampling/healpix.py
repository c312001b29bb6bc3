"""HEALPix: pixels of equal area on the sphere, in the nested numbering.

12·4^l pixels at level l. The plane of the projection, in which the pixels are equal squares standing on a corner, is
that of Calabretta & Roukema, "Mapping on the HEALPix grid" (2007), for H = 4, K = 3; the numbering that of Górski et
al., "HEALPix" (2005).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..rows import Floats

__all__ = ["MAX_PIXEL_RADIUS", "pixel_centers", "pixels_near"]

Integers = NDArray[np.int64]

MAX_PIXEL_RADIUS = 1.1
"""No pixel of level l reaches farther from its centre than this over 2^l, in radians: .842 at level 0, then up to 1.061."""


def pixel_centers(level: int, pixels: Integers) -> tuple[Floats, Floats, Floats]:
    """Centres of pixels: cosine and sine of half the polar angle, and the azimuth, each of the shape of `pixels`.

    Parameters
    ----------
    level : int
    pixels : ndarray of int64
        Nested numbers, from 0 to 12·4^level - 1.
    """
    face = pixels >> (2 * level)
    within = pixels & ((1 << (2 * level)) - 1)
    side = float(1 << level)
    east = (_even_bits(within) + 0.5) / side
    west = (_even_bits(within >> 1) + 0.5) / side
    row, column = face // 4, face % 4
    # Faces 0-3 stand around the north pole, 4-7 on the equator, 8-11 around the south pole.
    middle = np.where(row == 1, column * 2.0, column * 2.0 + 1.0) * (np.pi / 4)
    x = east - west
    y = 1.0 - row + (east + west - 1.0)
    polar = np.abs(y) > 1.0
    # In units of π/4: what is left to the pole's 2, and z = 2y/3 in the belt between the caps.
    left = np.where(polar, 2.0 - np.abs(y), 1.0)
    azimuth = middle + np.where(polar, x / left, x) * (np.pi / 4)
    # Half the polar angle from 1 - |z| = left²/3, without the cancellation near the poles.
    near, far = left / np.sqrt(6.0), np.sqrt(1.0 - left * left / 6.0)
    z = np.where(polar, 0.0, y * (2.0 / 3.0))
    cosine = np.where(polar, np.where(y > 0, far, near), np.sqrt((1.0 + z) / 2))
    sine = np.where(polar, np.where(y > 0, near, far), np.sqrt((1.0 - z) / 2))
    return cosine, sine, azimuth


def pixels_near(level: int, direction: Floats, angle: float) -> Integers:
    """Pixels whose centre may be within `angle` of a unit vector; none that is, is missing.

    Parameters
    ----------
    level : int
    direction : ndarray, shape (3,)
    angle : float
        In radians.
    """
    pixels = np.arange(12, dtype=np.int64)
    for step in range(level + 1):
        if step:
            pixels = (pixels[:, np.newaxis] * 4 + np.arange(4)).reshape(-1)
        cosine, sine, azimuth = pixel_centers(step, pixels)
        flat = 2 * cosine * sine
        x, y, z = flat * np.cos(azimuth), flat * np.sin(azimuth), cosine**2 - sine**2
        away = np.sqrt((x - direction[0]) ** 2 + (y - direction[1]) ** 2 + (z - direction[2]) ** 2)
        # Until the last level a pixel stays whose corner, and thus whose children, may be near enough.
        room = angle + (MAX_PIXEL_RADIUS / 2.0**step if step < level else 0.0) + 1e-9
        pixels = pixels[2 * np.arcsin(np.minimum(away / 2, 1.0)) <= room]
    return pixels


def _even_bits(numbers: Integers) -> Integers:
    """The number made of bits 0, 2, 4, ..."""
    bits = numbers & 0x5555555555555555
    for shift, mask in (
        (1, 0x3333333333333333),
        (2, 0x0F0F0F0F0F0F0F0F),
        (4, 0x00FF00FF00FF00FF),
        (8, 0x0000FFFF0000FFFF),
        (16, 0x00000000FFFFFFFF),
    ):
        bits = (bits | (bits >> shift)) & mask
    return bits
