"""Whether this machine's C library gives CARLA's bits.

Additions and products are the same everywhere, once nothing is contracted; sine, cosine, arc sine and arc tangent are
the C library's, and libraries differ in the last bit. On x86-64 Linux with glibc 2.36 the bits were found to be
CARLA's. Elsewhere one unit in the last place of each function is what is promised, and `check_bits` says what was found.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from .. import kernels
from .values import Floats32

__all__ = ["BitsReport", "bits_exact", "check_bits"]

_ROWS = 4096

# Checksums of the kernels' results on `_inputs`, where all golden cases have the right bits.
_EXPECTED = {
    "quaternion_of_rotation": 0xF292962F,
    "quaternion_of_publisher": 0x097FA542,
    "rotation_matrix": 0x29F698D5,
    "right_handed_of_quaternion": 0x1EF67856,
}


@dataclass(frozen=True)
class BitsReport:
    """What `check_bits` found.

    Attributes
    ----------
    exact : bool
        Whether every bit is CARLA's.
    differing : tuple of str
        What differs: ``"quaternion_of_rotation"``, ``"rotation_matrix"``, ...
    worst : dict of str to float
        By function of the C library, how far its results are from the true ones at most, in units in the last place.
    c_library : str
        Its name and version, where they can be told.
    """

    exact: bool
    differing: tuple[str, ...]
    worst: dict[str, float]
    c_library: str


def bits_exact() -> bool:
    """Whether this machine gives CARLA's bits. Takes some milliseconds, once, and only when it is asked.

    Examples
    --------
    >>> bits_exact() == check_bits().exact
    True
    """
    return not _differing()


def check_bits() -> BitsReport:
    """Say what this machine gives: which results differ from CARLA's, and how accurate its C library is."""
    differing = _differing()
    name, version = platform.libc_ver()
    library = f"{name} {version}".strip() or f"that of {platform.system()} {platform.release()}"
    return BitsReport(not differing, differing, _accuracy(), library)


@cache
def _differing() -> tuple[str, ...]:
    found = _checksums()
    return tuple(name for name, expected in _EXPECTED.items() if found[name] != expected)


def _inputs() -> Floats32:
    """Angles, shape (n, 3): degrees of all sizes, from whole numbers alone, so that they are the same everywhere."""
    i = np.arange(_ROWS * 3, dtype=np.uint64)
    mixed = (i * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)  # 24 bits: exact in float32
    signed = mixed.astype(np.float32) - np.float32(2**23)
    exponent = np.arange(_ROWS * 3, dtype=np.int32) % 12 - 22
    return np.ldexp(signed, exponent).reshape(_ROWS, 3)


def _checksums() -> dict[str, int]:
    angles = _inputs()
    quaternions = kernels.carla("quaternion_of_rotation")(angles)
    given = {"right_handed_of_quaternion": quaternions}
    # The bytes are those of a little-endian machine, whichever this is.
    return {
        name: crc32(
            np.ascontiguousarray(kernels.carla(name)(given.get(name, angles))).astype("<f4").tobytes()
        )
        for name in _EXPECTED
    }


def _accuracy() -> dict[str, float]:
    """Distance of each function from the true value, in units in the last place, seen through the kernels."""
    degrees = _inputs()[:, 0]
    degrees = degrees[np.abs(degrees) < 720]
    zero, half = np.zeros_like(degrees), np.float32(0.5)
    pitch = kernels.carla("rotation_matrix")(np.stack([degrees, zero, zero], axis=-1))
    radians = (degrees * (np.float32(np.pi) / np.float32(180))).astype(np.float64)
    # Of (0, y, 0, 1/2) the sine of the pitch is y, and of (0, 0, z, 1/2) the yaw is an arc tangent of two.
    part = (degrees / np.float32(720)).astype(np.float32)
    of_y = kernels.carla("right_handed_of_quaternion")(np.stack([zero, part, zero, zero + half], axis=-1))
    of_z = kernels.carla("right_handed_of_quaternion")(np.stack([zero, zero, part, zero + half], axis=-1))
    beside = np.float32(1) - np.float32(2) * (part * part)
    return {
        "sinf": _distance(pitch[:, 2, 0], radians, np.sin),
        "cosf": _distance(pitch[:, 2, 2], radians, np.cos),
        "asinf": _distance(of_y[:, 1], part.astype(np.float64), lambda x: np.degrees(np.arcsin(x))),
        "atan2f": _distance(
            of_z[:, 2],
            part.astype(np.float64),
            lambda x: np.degrees(np.arctan2(x, beside.astype(np.float64))),
        ),
    }


def _distance(found: Floats32, argument: Any, function: Callable[[Any], Any]) -> float:
    true = function(argument)
    return float(
        np.max(np.abs(found.astype(np.float64) - true) / np.spacing(np.abs(true).astype(np.float32)))
    )
