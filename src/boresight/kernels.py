"""Rotations and poses as plain arrays: the one door to native code.

Quaternions are unit, Hamilton, in the order (x, y, z, w) along the last axis; only `from_quaternion` and
`to_quaternion` know another. Every other axis is batch, of any shape, and batches broadcast as NumPy's do.
float32 in gives float32 out, float64 and integers give float64, anything else is a `TypeError` that names it; a
Python number takes its type from the arrays beside it. Byte order, strides and read-only flags do not matter, and
no argument is changed. ``out=`` takes an array (a tuple of two where two come out) to write the result to.

A row with NaN in it comes out as NaN and leaves the others alone; nothing warns. Functions that take numbers from
outside check each row: with ``invalid="raise"`` the first bad one is named by an `InvalidRowsError`, with
``invalid="nan"`` bad rows come out as NaN. All others trust their quaternions to be unit.

A row's result depends neither on the rows beside it nor on the instruction set that computes it. The GIL is released
while many rows are worked on, and no function keeps any state: all may be called from several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .errors import InvalidRowsError

__all__ = [
    "EULER_SEQUENCES",
    "angle",
    "at_pole",
    "carla",
    "change",
    "conjugate",
    "exp",
    "from_euler",
    "from_matrix",
    "from_quaternion",
    "instruction_set",
    "log",
    "multiply",
    "permute",
    "pose_apply",
    "pose_exp",
    "pose_inverse",
    "pose_log",
    "pose_multiply",
    "power",
    "rotate",
    "rotate_inverse",
    "slerp",
    "to_euler",
    "to_matrix",
    "to_quaternion",
]

_Array = NDArray[np.floating[Any]]
_Pair = tuple[_Array, _Array]
_Order = Literal["xyzw", "wxyz"]
_Invalid = Literal["raise", "nan"]
_Kernel = Callable[..., Any]

instruction_set: str = _native.isa
"""What the native code runs on here: ``"baseline"``, ``"avx2"`` or ``"avx512"``. All give the same numbers."""

_INVALID = frozenset(("raise", "nan"))
_take_fault: Callable[[], bool] = _native.take_fault
_FROM_QUATERNION: dict[str, _Kernel] = {
    "xyzw": _native.from_quaternion_xyzw,
    "wxyz": _native.from_quaternion_wxyz,
}
_TO_QUATERNION: dict[tuple[str, bool], _Kernel] = {
    ("xyzw", False): _native.to_quaternion_xyzw,
    ("wxyz", False): _native.to_quaternion_wxyz,
    ("xyzw", True): _native.to_quaternion_xyzw_canonical,
    ("wxyz", True): _native.to_quaternion_wxyz_canonical,
}

EULER_SEQUENCES: tuple[str, ...] = tuple(
    a + b + c for axes in ("XYZ", "xyz") for a, b, c in product(axes, repeat=3) if a != b != c
)
"""The 24 sequences: upper case intrinsic, lower case extrinsic."""

_FROM_EULER: dict[tuple[str, bool], _Kernel] = {}
_TO_EULER: dict[tuple[str, bool], _Kernel] = {}
_AT_POLE: dict[str, _Kernel] = {}
for _name in EULER_SEQUENCES:
    for _unit, _degrees in (("rad", False), ("deg", True)):
        _FROM_EULER[_name, _degrees] = getattr(_native, f"from_euler_{_name}_{_unit}")
        _TO_EULER[_name, _degrees] = getattr(_native, f"to_euler_{_name}_{_unit}")
    _AT_POLE[_name] = getattr(_native, f"at_pole_{_name}")

# Looked up once: a call on one row notices.
_multiply: _Kernel = _native.multiply
_conjugate: _Kernel = _native.conjugate
_rotate: _Kernel = _native.rotate
_rotate_inverse: _Kernel = _native.rotate_inverse
_to_matrix: _Kernel = _native.to_matrix
_from_matrix: _Kernel = _native.from_matrix
_exp: _Kernel = _native.exp
_log: _Kernel = _native.log
_angle: _Kernel = _native.angle
_power: _Kernel = _native.power
_slerp: _Kernel = _native.slerp
_change: _Kernel = _native.change
_permute: _Kernel = _native.permute
_pose_multiply: _Kernel = _native.pose_multiply
_pose_inverse: _Kernel = _native.pose_inverse
_pose_apply: _Kernel = _native.pose_apply
_pose_exp: _Kernel = _native.pose_exp
_pose_log: _Kernel = _native.pose_log


def carla(name: str) -> _Kernel:
    """Return a kernel of CARLA's own arithmetic, which only `boresight.carla` wants: float32, to the last bit.

    Its arrays are as everyone's here, but float64 is rounded to float32 on the way in.
    """
    return getattr(_native, f"carla_{name}")


# What follows runs only once something is wrong: it may be slow, and it works out what the kernel only noticed.


def _unknown(what: str, given: object, known: str) -> NoReturn:
    raise ValueError(f"{what} must be {known}, not {given!r}")


def _unknown_sequence(sequence: object) -> NoReturn:
    _unknown(
        "an Euler sequence",
        sequence,
        'three of X, Y, Z (intrinsic) or three of x, y, z (extrinsic), no two neighbours alike, like "ZYX"',
    )


def _quaternion_fault(row: _Array) -> str:
    return "zero norm" if np.isfinite(row).all() else "not finite"


def _matrix_fault(row: _Array) -> str:
    if not np.isfinite(row).all():
        return "not finite"
    off = float(np.abs(row.T @ row - np.eye(3)).max())
    if off > (1e-4 if row.dtype == np.float32 else 1e-5):
        return f"not orthogonal (M^T M differs from I by {off:.2g}; project=True takes the nearest rotation)"
    return "a reflection (determinant -1)"


def _projection_fault(row: _Array) -> str:
    if not np.isfinite(row).all():
        return "not finite"
    return "no single rotation is nearest to it"


def _report(given: ArrayLike, result: _Array, what: str, fault: Callable[[_Array], str]) -> NoReturn:
    """Raise for the rows of `given` whose row of `result` (quaternions) is NaN."""
    bad = np.isnan(result).any(axis=-1)
    first = tuple(int(index[0]) for index in np.nonzero(bad)) if bad.ndim else ()
    rows = np.asarray(given)
    if rows.dtype.kind != "f":
        rows = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        reason = fault(rows[first])
    raise InvalidRowsError(reason, row=first, count=int(np.count_nonzero(bad)), what=what)


def from_quaternion(
    q: ArrayLike, *, order: _Order, invalid: _Invalid = "raise", out: _Array | None = None
) -> _Array:
    """Take quaternions from outside: check, normalise and reorder them.

    Each is scaled by a power of two before its length is taken, so that neither (1e200, 0, 0, 1e200) nor
    (1e-200, 0, 0, 0) is lost. The sign is never changed, and a quaternion whose length is 1 to 4 eps comes back bit
    for bit.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Quaternions of any finite length but zero.
    order : {"xyzw", "wxyz"}
        Where the real part is.
    invalid : {"raise", "nan"}
        What to do about rows that are zero or not finite.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Raises
    ------
    InvalidRowsError
        If a row is zero or not finite, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> from_quaternion([2, 0, 0, 0], order="wxyz")
    array([0., 0., 0., 1.])
    """
    kernel = _FROM_QUATERNION.get(order)
    if kernel is None:
        _unknown("order", order, '"xyzw" or "wxyz"')
    if invalid not in _INVALID:
        _unknown("invalid", invalid, '"raise" or "nan"')
    result = kernel(q, out)
    if _take_fault() and invalid == "raise":
        _report(q, result, "quaternion", _quaternion_fault)
    return result


def to_quaternion(
    q: ArrayLike, *, order: _Order, canonical: bool = False, out: _Array | None = None
) -> _Array:
    """Hand quaternions to the outside in a named order.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    order : {"xyzw", "wxyz"}
        Where the real part is to be.
    canonical : bool
        Of q and -q, which are one rotation, give the one whose first component other than zero, of w, x, y, z, is
        positive.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        The same quaternions, reordered.

    Examples
    --------
    >>> to_quaternion([0.6, 0.0, 0.0, -0.8], order="wxyz", canonical=True)
    array([ 0.8, -0.6, -0. , -0. ])
    """
    kernel = _TO_QUATERNION.get((order, canonical))
    if kernel is None:
        _unknown("order", order, '"xyzw" or "wxyz"')
    return kernel(q, out)


def multiply(p: ArrayLike, q: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Compose: the Hamilton product p q, first q and then p.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        Quaternions (x, y, z, w).
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Quaternions (x, y, z, w).

    Examples
    --------
    >>> multiply([1, 0, 0, 0], [0, 1, 0, 0])  # i j = k
    array([0., 0., 1., 0.])
    """
    return _multiply(p, q, out)


def conjugate(q: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Invert: the same turn the other way.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        (-x, -y, -z, w).

    Examples
    --------
    >>> conjugate([0.6, 0.0, 0.0, 0.8])
    array([-0.6, -0. , -0. ,  0.8])
    """
    return _conjugate(q, out)


def rotate(q: ArrayLike, v: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Turn vectors: q v q*.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    v : array_like, shape (..., 3)
        Vectors, polar or axial alike.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Vectors of the same lengths.

    Examples
    --------
    >>> rotate([0, 0, 1, 0], [1, 2, 3])  # half a turn about z
    array([-1., -2.,  3.])
    """
    return _rotate(q, v, out)


def rotate_inverse(q: ArrayLike, v: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Turn vectors back: q* v q.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    v : array_like, shape (..., 3)
        Vectors, polar or axial alike.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Vectors of the same lengths.

    Examples
    --------
    >>> rotate_inverse([0.5, 0.5, 0.5, 0.5], [1, 2, 3])  # x becomes z, y x and z y
    array([2., 3., 1.])
    """
    return _rotate_inverse(q, v, out)


def to_matrix(q: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Write rotations as matrices that turn column vectors.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 3, 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrices.

    Examples
    --------
    >>> to_matrix([0, 0, 1, 0])  # half a turn about z
    array([[-1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0.,  1.]])
    """
    return _to_matrix(q, out)


def from_matrix(
    m: ArrayLike,
    *,
    invalid: _Invalid = "raise",
    project: bool = False,
    out: _Array | None = None,
) -> _Array:
    """Take rotation matrices from outside.

    A matrix counts as a rotation if no entry of MᵀM - I exceeds 1e-5 (float32: 1e-4), which lets through what was
    written with six digits or has been single precision, and its determinant is positive. What it is off by is then
    taken out: the result is the nearest rotation.

    Parameters
    ----------
    m : array_like, shape (..., 3, 3)
        Matrices that turn column vectors.
    invalid : {"raise", "nan"}
        What to do about rows that are no rotation.
    project : bool
        Take any matrix, and give the rotation nearest to it in the sum of squared differences (by singular values).
        Only rows that are not finite, or to which no single rotation is nearest, are then bad.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w), the first nonzero of w, x, y, z positive.

    Raises
    ------
    InvalidRowsError
        If a row is not finite, not orthogonal or a reflection, and `invalid` is ``"raise"``.

    Examples
    --------
    >>> from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    >>> from_matrix([[2, 0, 0], [0, 2, 0], [0, 0, 2]], project=True)
    array([0., 0., 0., 1.])
    """
    if invalid not in _INVALID:
        _unknown("invalid", invalid, '"raise" or "nan"')
    result = _from_matrix(_native.project(m, None) if project else m, out)
    if _take_fault() and invalid == "raise":
        _report(m, result, "rotation matrix", _projection_fault if project else _matrix_fault)
    return result


def from_euler(
    sequence: str,
    angles: ArrayLike,
    *,
    degrees: bool,
    invalid: _Invalid = "raise",
    out: _Array | None = None,
) -> _Array:
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
    if invalid not in _INVALID:
        _unknown("invalid", invalid, '"raise" or "nan"')
    result = kernel(angles, out)
    if _take_fault() and invalid == "raise":
        _report(angles, result, "set of Euler angles", lambda _: "not finite")
    return result


def to_euler(sequence: str, q: ArrayLike, *, degrees: bool, out: _Array | None = None) -> _Array:
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
    return np.not_equal(kernel(q, None), 0)


def exp(v: ArrayLike, *, invalid: _Invalid = "nan", out: _Array | None = None) -> _Array:
    """Turn rotation vectors (axis times angle, radians) into quaternions.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        Rotation vectors of any finite length.
    invalid : {"nan", "raise"}
        What to do about rows that are not finite. Vectors are worked out more often than they come from outside, so
        they become NaN unless asked otherwise.
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
    >>> exp([0, 0, 1e-300])
    array([0.e+000, 0.e+000, 5.e-301, 1.e+000])
    """
    if invalid not in _INVALID:
        _unknown("invalid", invalid, '"raise" or "nan"')
    result = _exp(v, out)
    if _take_fault() and invalid == "raise":
        _report(v, result, "rotation vector", lambda _: "not finite")
    return result


def log(q: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Turn quaternions into the shortest rotation vectors.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Rotation vectors, radians, of lengths in [0, pi].

    Examples
    --------
    >>> log([0, 0, 1, 0]).round(6)
    array([0.      , 0.      , 3.141593])
    """
    return _log(q, out)


def angle(q: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Say how far each rotation turns.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    out : ndarray, shape (...), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (...)
        Angles in [0, pi], radians.

    Examples
    --------
    >>> round(float(angle([0, 0, 1, 0])), 6)
    3.141593
    """
    return _angle(q, out)


def power(q: ArrayLike, t: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Take `t` times the turn: exp(t log q), by the shortest way.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (...)
        How often; any real number.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Examples
    --------
    >>> power([0, 0, 1, 0], 0.5).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    """
    return _power(q, t, out)


def slerp(p: ArrayLike, q: ArrayLike, t: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Interpolate at constant rate along the shortest way: p (p* q)^t.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w), where `t` is 0 and 1.
    t : array_like, shape (...)
        Outside [0, 1] the turn goes on.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w), at `t` = 0 of the sign of `p`.

    Examples
    --------
    >>> slerp([0, 0, 0, 1], [0, 0, 1, 0], 0.5).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    """
    return _slerp(p, q, t, out)


def change(q: ArrayLike, coefficients: ArrayLike, scale: float, *, out: _Array | None = None) -> _Array:
    """Write rotations in other axes: ``scale * (coefficients @ q)``.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    coefficients : array_like, shape (4, 4)
        Of -1, 0 and 1: see `axes.quaternion_change`. Like `scale`, they take the type of `q`.
    scale : float
        One over the root of how many of a row are not zero.
    out : ndarray, shape (..., 4), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).

    Examples
    --------
    >>> change([0.5, 0.5, 0.5, 0.5], [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]], 1.0)
    array([ 0.5, -0.5, -0.5,  0.5])
    """
    return _change(q, coefficients, scale, out)


def permute(
    v: ArrayLike,
    indices: tuple[int, int, int],
    signs: tuple[int, int, int],
    *,
    out: _Array | None = None,
) -> _Array:
    """Move and sign the components of vectors: ``new[i] = signs[i] * v[indices[i]]``.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        Vectors.
    indices, signs : tuple of three int
        Where each new component comes from, and 1 or -1.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Vectors. NaN moves with its component.

    Examples
    --------
    >>> permute([1, 2, 3], (1, 0, 2), (1, 1, -1))  # east, north, up to north, east, down
    array([ 2.,  1., -3.])
    """
    return _permute(v, _codes(indices, signs), out)


@lru_cache(maxsize=256)
def _codes(indices: tuple[int, int, int], signs: tuple[int, int, int]) -> _Array:
    """Make the form that the native code reads: +-(index + 1)."""
    if not all(index in (0, 1, 2) for index in indices) or not all(sign in (-1, 1) for sign in signs):
        raise ValueError(f"indices must be of 0, 1, 2 and signs of -1, 1, not {indices} and {signs}")
    codes = np.array(
        [sign * (index + 1) for index, sign in zip(indices, signs, strict=True)], dtype=np.float64
    )
    codes.flags.writeable = False
    return codes


def pose_multiply(
    q1: ArrayLike, t1: ArrayLike, q2: ArrayLike, t2: ArrayLike, *, out: _Pair | None = None
) -> _Pair:
    """Compose poses, each p -> q p + t: first the second, then the first.

    Parameters
    ----------
    q1, q2 : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t1, t2 : array_like, shape (..., 3)
        Translations.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations.

    Examples
    --------
    >>> pose_multiply([0, 0, 1, 0], [1, 0, 0], [0, 0, 0, 1], [5, 0, 0])
    (array([0., 0., 1., 0.]), array([-4.,  0.,  0.]))
    """
    return _pose_multiply(q1, t1, q2, t2, out)


def pose_inverse(q: ArrayLike, t: ArrayLike, *, out: _Pair | None = None) -> _Pair:
    """Invert poses.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations.

    Examples
    --------
    >>> pose_inverse([0, 0, 0, 1], [1, 2, 3])[1]
    array([-1., -2., -3.])
    """
    return _pose_inverse(q, t, out)


def pose_apply(q: ArrayLike, t: ArrayLike, p: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Map points: q p + t.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    p : array_like, shape (..., 3)
        Points.
    out : ndarray, shape (..., 3), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 3)
        Points.

    Examples
    --------
    >>> pose_apply([0, 0, 1, 0], [1, 0, 0], [5, 0, 0])
    array([-4.,  0.,  0.])
    """
    return _pose_apply(q, t, p, out)


def pose_exp(twist: ArrayLike, *, out: _Pair | None = None) -> _Pair:
    """Turn twists into poses.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Translation part first: (rho, phi), phi in radians.
    out : tuple of two ndarray, optional
        Where to write the results.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions.
    t : ndarray, shape (..., 3)
        Translations.

    Examples
    --------
    >>> pose_exp([1, 2, 3, 0, 0, 0])
    (array([0., 0., 0., 1.]), array([1., 2., 3.]))
    """
    return _pose_exp(twist, out)


def pose_log(q: ArrayLike, t: ArrayLike, *, out: _Array | None = None) -> _Array:
    """Turn poses into the shortest twists.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions (x, y, z, w).
    t : array_like, shape (..., 3)
        Translations.
    out : ndarray, shape (..., 6), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., 6)
        Translation part first: (rho, phi), phi in radians and of length in [0, pi].

    Examples
    --------
    >>> pose_log([0, 0, 0, 1], [1, 2, 3])
    array([1., 2., 3., 0., 0., 0.])
    """
    return _pose_log(q, t, out)
