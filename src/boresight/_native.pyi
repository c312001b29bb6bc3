"""The native module. Only the files of `kernels` import it; what each function means is said there.

Every kernel takes its arrays, then `out` (an array, a tuple of arrays, or None).
"""

from collections.abc import Callable
from typing import Any

isa: str

def take_fault() -> bool: ...

from_quaternion_xyzw: Callable[..., Any]
from_quaternion_wxyz: Callable[..., Any]
to_quaternion_xyzw: Callable[..., Any]
to_quaternion_wxyz: Callable[..., Any]
to_quaternion_xyzw_canonical: Callable[..., Any]
to_quaternion_wxyz_canonical: Callable[..., Any]
multiply: Callable[..., Any]
conjugate: Callable[..., Any]
rotate: Callable[..., Any]
rotate_inverse: Callable[..., Any]
to_matrix: Callable[..., Any]
from_matrix: Callable[..., Any]
from_axis_angle_rad: Callable[..., Any]
from_axis_angle_deg: Callable[..., Any]
to_axis_angle_rad: Callable[..., Any]
to_axis_angle_deg: Callable[..., Any]
from_modified_rodrigues: Callable[..., Any]
to_modified_rodrigues: Callable[..., Any]
from_heading_tilt: Callable[..., Any]
to_heading_tilt: Callable[..., Any]
from_two_axes_xy: Callable[..., Any]
from_two_axes_xz: Callable[..., Any]
from_two_axes_yx: Callable[..., Any]
from_two_axes_yz: Callable[..., Any]
from_two_axes_zx: Callable[..., Any]
from_two_axes_zy: Callable[..., Any]
exp: Callable[..., Any]
log: Callable[..., Any]
angle: Callable[..., Any]
power: Callable[..., Any]
slerp: Callable[..., Any]
change: Callable[..., Any]
permute: Callable[..., Any]
pose_make: Callable[..., Any]
pose_from_matrix_34: Callable[..., Any]
pose_from_matrix_44: Callable[..., Any]
pose_to_matrix: Callable[..., Any]
pose_multiply: Callable[..., Any]
pose_inverse: Callable[..., Any]
pose_apply: Callable[..., Any]
pose_exp: Callable[..., Any]
pose_log: Callable[..., Any]
project: Callable[..., Any]
angle_mass: Callable[..., Any]
inverse_angle_mass: Callable[..., Any]
sample_ball: Callable[..., Any]
sample_axis: Callable[..., Any]
sample_swing_twist: Callable[..., Any]
sample_gaussian: Callable[..., Any]
propose_bingham: Callable[..., Any]
invert_cubic: Callable[..., Any]

# For each of the 24 Euler sequences, by getattr: from_euler_ZYX_rad, from_euler_ZYX_deg, to_euler_ZYX_rad,
# to_euler_ZYX_deg, at_pole_ZYX. And carla_..., what CARLA computes, in its own bits.
