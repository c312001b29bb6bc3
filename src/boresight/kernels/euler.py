"""Euler angles in and out, and where they had to choose."""

from __future__ import annotations

from itertools import product
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from .policy import INVALID, Array, Invalid, Kernel, report, take_fault, unknown

__all__ = ["EULER_SEQUENCES", "at_pole", "from_euler", "to_euler"]

EULER_SEQUENCES: tuple[str, ...] = tuple(
    a + b + c for axes in ("XYZ", "xyz") for a, b, c in product(axes, repeat=3) if a != b != c
)
"""The 24 sequences: upper case intrinsic, lower case extrinsic."""

_FROM_EULER: dict[tuple[str, bool], Kernel] = {}
_TO_EULER: dict[tuple[str, bool], Kernel] = {}
_AT_POLE: dict[str, Kernel] = {}
for _name in EULER_SEQUENCES:
    for _unit, _degrees in (("rad", False), ("deg", True)):
        _FROM_EULER[_name, _degrees] = getattr(_native, f"from_euler_{_name}_{_unit}")
        _TO_EULER[_name, _degrees] = getattr(_native, f"to_euler_{_name}_{_unit}")
    _AT_POLE[_name] = getattr(_native, f"at_pole_{_name}")


def from_euler(
    sequence: str,
    angles: ArrayLike,
    *,
    degrees: bool,
    invalid: Invalid = "raise",
    out: Array | None = None,
) -> Array:
    """Take Euler angles from outside.

    Parameters
    ----------
    sequence : str
        One of `EULER_SEQUENCES`. Upper case is intrinsic: "ZYX" is yaw about z, then pitch about the new y, then roll
        about the newest x. Lower case is extrinsic, about axes that stay: "xyz" is the same three angles the other
        way round.
    angles : array_like, shape (..., 3)
        Angles in the order of the letters, of any finite size.
    degrees : bool
        The unit. Whole quarter turns in degrees are exact.
    invalid : {"raise", "nan"}
        What to do about rows that are not finite.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Raises
    ------
    InvalidRowsError
        If a row is not finite, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> from_euler("ZYX", [180, 0, 0], degrees=True)
    array([0., 0., 1., 0.])
    """
    kernel = _FROM_EULER.get((sequence, degrees))
    if kernel is None:
        _unknown_sequence(sequence)
    if invalid not in INVALID:
        unknown("invalid", invalid, '"raise" or "nan"')
    result = kernel(angles, out)
    if take_fault() and invalid == "raise":
        report(angles, result, "set of Euler angles", lambda _: "not finite")
    return result


def to_euler(sequence: str, q: ArrayLike, *, degrees: bool, out: Array | None = None) -> Array:
    """Write rotations as Euler angles.

    Exact up to the pole, where the first and the third axis fall together and only the sum or difference of their
    angles has a meaning. There, closer than rounding can tell (3 eps), the third rotation of an intrinsic sequence is
    zero, and the first takes what is left: for "ZYX" roll is 0. An extrinsic sequence follows the intrinsic one that
    it is backwards: its first angle is zero. `at_pole` says where.

    Parameters
    ----------
    sequence : str
        One of `EULER_SEQUENCES`, as in `from_euler`.
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    degrees : bool
        The unit.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Angles in the order of the letters. The middle one is in [-pi/2, pi/2], or, where the outer letters are the
        same, in [0, pi]; the others are in [-pi, pi].

    Examples
    --------
    >>> to_euler("ZYX", [0, 0, 1, 0], degrees=True)
    array([180.,   0.,   0.])
    """
    kernel = _TO_EULER.get((sequence, degrees))
    if kernel is None:
        _unknown_sequence(sequence)
    return kernel(q, out)


def at_pole(sequence: str, q: ArrayLike) -> NDArray[np.bool_]:
    """Say where `to_euler` had to choose.

    Parameters
    ----------
    sequence : str
        One of `EULER_SEQUENCES`.
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Returns
    -------
    ndarray of bool, shape (...)
        True where the first and third axis fall together; False for NaN.

    Examples
    --------
    >>> at_pole("ZYX", from_euler("ZYX", [[0, 90, 0], [0, 89.999, 0]], degrees=True))
    array([ True, False])
    """
    kernel = _AT_POLE.get(sequence)
    if kernel is None:
        _unknown_sequence(sequence)
    return kernel(q, None) != 0


def _unknown_sequence(sequence: object) -> NoReturn:
    unknown(
        "an Euler sequence",
        sequence,
        'three of X, Y, Z (intrinsic) or three of x, y, z (extrinsic), no two neighbours alike, like "ZYX"',
    )
