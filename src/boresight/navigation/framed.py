"""Vectors as the filter's callers have them, in the axes that the filter works in.

Accelerations, rates and fields are body vectors, and the filter's own axes are FRD; velocities and positions are earth
vectors, NED. Other axes are accepted by name and changed; a frame of another thing or of another kind is a `FrameError`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.frames import FRD, NED, FrameLike
from boresight.rows import floats
from boresight.vectors import reframe_axial, reframe_polar

__all__ = ["body_axial", "body_polar", "earth_polar"]

Array = NDArray[Any]


def body_polar(v: ArrayLike, frame: FrameLike = FRD, *, what: str = "the vector") -> Array:
    """Return accelerations, specific forces, fields or lever arms in FRD, shape (..., 3), float64.

    Examples
    --------
    >>> from boresight import frames
    >>> body_polar([0.0, 0.0, 9.80665], frames.FLU) + 0.0
    array([ 0.     ,  0.     , -9.80665])
    """
    rows = floats(v, 3, what)
    array: Any = rows if frame is FRD else reframe_polar(rows, frame, FRD)
    return np.asarray(array, dtype=np.float64)


def body_axial(v: ArrayLike, frame: FrameLike = FRD, *, what: str = "the rate") -> Array:
    """Return angular rates in FRD, shape (..., 3), float64."""
    rows = floats(v, 3, what)
    array: Any = rows if frame is FRD else reframe_axial(rows, frame, FRD)
    return np.asarray(array, dtype=np.float64)


def earth_polar(v: ArrayLike, frame: FrameLike = NED, *, what: str = "the vector") -> Array:
    """Return velocities or positions in NED, shape (..., 3), float64.

    Examples
    --------
    >>> from boresight import frames
    >>> earth_polar([1.0, 2.0, 3.0], frames.ENU)
    array([ 2.,  1., -3.])
    >>> earth_polar([1.0, 2.0, 3.0], frames.FLU)
    Traceback (most recent call last):
        ...
    boresight.errors.FrameError: FLU belongs to 'body' and NED to 'world'; a change of axes leads only to other axes of the same thing. Compose with the rotation between the two
    """
    rows = floats(v, 3, what)
    array: Any = rows if frame is NED else reframe_polar(rows, frame, NED)
    return np.asarray(array, dtype=np.float64)
