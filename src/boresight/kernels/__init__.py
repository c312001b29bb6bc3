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

from .axes import change, permute
from .euler import EULER_SEQUENCES, at_pole, from_euler, to_euler
from .machine import carla, freeze, instruction_set
from .maps import angle, exp, log, power, slerp
from .matrices import from_matrix, to_matrix
from .parameters import (
    from_axis_angle,
    from_heading_tilt,
    from_modified_rodrigues,
    from_two_axes,
    to_axis_angle,
    to_heading_tilt,
    to_modified_rodrigues,
)
from .poses import (
    pose_apply,
    pose_exp,
    pose_from_matrix,
    pose_inverse,
    pose_log,
    pose_make,
    pose_multiply,
    pose_to_matrix,
)
from .quaternions import conjugate, from_quaternion, multiply, rotate, rotate_inverse, to_quaternion

__all__ = [
    "EULER_SEQUENCES",
    "angle",
    "at_pole",
    "carla",
    "change",
    "conjugate",
    "exp",
    "freeze",
    "from_axis_angle",
    "from_euler",
    "from_heading_tilt",
    "from_matrix",
    "from_modified_rodrigues",
    "from_quaternion",
    "from_two_axes",
    "instruction_set",
    "log",
    "multiply",
    "permute",
    "pose_apply",
    "pose_exp",
    "pose_from_matrix",
    "pose_inverse",
    "pose_log",
    "pose_make",
    "pose_multiply",
    "pose_to_matrix",
    "power",
    "rotate",
    "rotate_inverse",
    "slerp",
    "to_axis_angle",
    "to_euler",
    "to_heading_tilt",
    "to_matrix",
    "to_modified_rodrigues",
    "to_quaternion",
]
