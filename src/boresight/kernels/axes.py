"""The same rotations and vectors in other axes: components moved and signed."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _native
from .policy import Array, Kernel

__all__ = ["change", "permute"]

# Looked up once: a call on one row notices.
_change: Kernel = _native.change
_permute: Kernel = _native.permute


def change(q: ArrayLike, coefficients: ArrayLike, scale: float, *, out: Array | None = None) -> Array:
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
    out: Array | None = None,
) -> Array:
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
    # Of the type of the rows: a call on one row notices.
    single = isinstance(v, np.ndarray) and v.dtype.char == "f"
    return _permute(v, _codes(indices, signs, "f" if single else "d"), out)


@lru_cache(maxsize=256)
def _codes(indices: tuple[int, int, int], signs: tuple[int, int, int], kind: Literal["f", "d"]) -> Array:
    """Make the form that the native code reads: +-(index + 1)."""
    if not all(index in (0, 1, 2) for index in indices) or not all(sign in (-1, 1) for sign in signs):
        raise ValueError(f"indices must be of 0, 1, 2 and signs of -1, 1, not {indices} and {signs}")
    codes = np.array([sign * (index + 1) for index, sign in zip(indices, signs, strict=True)], dtype=kind)
    codes.flags.writeable = False
    return codes
