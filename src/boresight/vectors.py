"""Vectors in other axes of the same thing: polar and axial ones part ways in a mirror.

Position, velocity, acceleration and force are polar: a mirror takes them along. Angular rate, angular
momentum and torque are axial, being products of two polar vectors: a mirror takes them along and turns them
round. Between axes of one handedness the two are the same; rotating a vector (`Rotation.apply`) never tells
them apart.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from . import kernels
from .axes import Axes, permutation
from .frames import FrameLike, check_frame, check_same_thing
from .rows import Floats

__all__ = ["reframe_axial", "reframe_polar"]


def reframe_polar(v: ArrayLike, from_: FrameLike | Axes, to: FrameLike | Axes) -> Floats:
    """Write positions, velocities, accelerations or forces in other axes of the same thing.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        Components along the axes `from_`.
    from_, to : type of Frame, or Axes
        Frames of one thing, or bare axes of one kind.

    Returns
    -------
    ndarray, shape (..., 3)
        Components along the axes `to`.

    Raises
    ------
    FrameError
        If the frames belong to two things, or the axes are of two kinds.

    Examples
    --------
    >>> from boresight import frames
    >>> reframe_polar([1.0, 2.0, 3.0], frames.ENU, frames.NED)
    array([ 2.,  1., -3.])
    """
    return _reframe(v, from_, to, axial=False)


def reframe_axial(v: ArrayLike, from_: FrameLike | Axes, to: FrameLike | Axes) -> Floats:
    """Write angular rates, angular momenta or torques in other axes of the same thing.

    Rates by the right-hand rule in right-handed axes, and by the left-hand rule in left-handed ones, as
    left-handed systems count them: so a mirror changes the sign.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        Components along the axes `from_`.
    from_, to : type of Frame, or Axes
        Frames of one thing, or bare axes of one kind.

    Returns
    -------
    ndarray, shape (..., 3)
        Components along the axes `to`.

    Raises
    ------
    FrameError
        If the frames belong to two things, or the axes are of two kinds.

    Examples
    --------
    >>> from boresight import frames
    >>> reframe_axial([1.0, 2.0, 3.0], frames.FLU, frames.FRU)
    array([-1.,  2., -3.])
    """
    return _reframe(v, from_, to, axial=True)


def _reframe(v: ArrayLike, from_: FrameLike | Axes, to: FrameLike | Axes, *, axial: bool) -> Floats:
    if not isinstance(from_, Axes) and not isinstance(to, Axes):
        check_same_thing(check_frame(from_), check_frame(to))
    change = permutation(_axes(from_), _axes(to))
    if axial and change.determinant < 0:
        change = -change
    return kernels.permute(v, change.indices, change.signs)


def _axes(frame: FrameLike | Axes) -> Axes:
    return frame if isinstance(frame, Axes) else check_frame(frame).axes
