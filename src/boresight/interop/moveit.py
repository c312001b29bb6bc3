"""Orientation constraints of MoveIt as regions that can be drawn from; messages are taken by their fields' names."""

from __future__ import annotations

from math import pi
from typing import Any, Literal

from boresight.frames import Source, Target
from boresight.rotation import Rotation
from boresight.sampling import EulerBox, RotvecBox
from boresight.sampling.checks import reals, rotation
from boresight.sampling.streams import integer

__all__ = ["orientation_constraint", "tolerance_box"]

Parameterization = Literal["xyz_euler_angles", "rotation_vector", "XYZ_EULER_ANGLES", "ROTATION_VECTOR", 0, 1]

# The constants of moveit_msgs/OrientationConstraint, in the order of their numbers.
_NAMES = ("XYZ_EULER_ANGLES", "ROTATION_VECTOR")


def tolerance_box(
    desired: Rotation[Source, Target],
    tolerances: tuple[float, float, float],
    *,
    parameterization: Parameterization,
) -> EulerBox[Source, Target] | RotvecBox[Source, Target]:
    """The rotations that MoveIt's tolerances about a desired one allow.

    Parameters
    ----------
    desired : Rotation, shape ()
    tolerances : (float, float, float)
        Absolute tolerances about x, y and z in radians: how far either way. What goes beyond all rotations means all.
    parameterization : {"xyz_euler_angles", "rotation_vector"} or {0, 1}
        Of the error, ``desired.inv() @ actual``, by the name or the number that MoveIt's message has: XYZ_EULER_ANGLES
        is 0 and MoveIt's default, ROTATION_VECTOR is 1. Names in either case.

    Returns
    -------
    EulerBox or RotvecBox
        To draw from, and to ask with ``contains``.

    Raises
    ------
    ValueError
        For a tolerance that is negative or NaN, or a parameterization that does not exist.

    Examples
    --------
    >>> upright = tolerance_box(Rotation.identity(), (0.1, 0.1, 6.3), parameterization="xyz_euler_angles")
    >>> upright.half_widths
    (0.1, 0.1, 3.141592653589793)
    """
    number = _number(parameterization)
    rotation("desired", desired)
    given = reals("tolerances", tolerances)
    if given.shape != (3,) or not (given >= 0).all():
        raise ValueError(f"tolerances= must be three numbers that are not negative, not {tolerances!r}")
    x, y, z = given.tolist()
    if number == 0:
        return EulerBox(desired, (min(x, pi), min(y, pi / 2), min(z, pi)), sequence="XYZ")
    return RotvecBox(desired, (min(x, pi), min(y, pi), min(z, pi)))


def _number(parameterization: Any) -> int:
    """MoveIt's number of a parameterization, which may be said by its name."""
    if isinstance(parameterization, str):
        if parameterization in (*_NAMES, *(name.lower() for name in _NAMES)):
            return _NAMES.index(parameterization.upper())
    else:
        try:
            number = integer(parameterization)
        except TypeError:
            number = -1
        if number in (0, 1):
            return number
    raise ValueError(
        'parameterization= is "XYZ_EULER_ANGLES" (0 in the message) or "ROTATION_VECTOR" (1), '
        f"not {parameterization!r}"
    )


def orientation_constraint(message: Any) -> Any:
    """The region that a ``moveit_msgs/OrientationConstraint`` means; its link and frame are the caller's to look up.

    Parameters
    ----------
    message : object
        With ``orientation`` (``x``, ``y``, ``z``, ``w``), ``absolute_x_axis_tolerance`` and so on, and
        ``parameterization`` (0 or 1; 0 where the field is missing, as in older messages).

    Returns
    -------
    EulerBox or RotvecBox
        Unframed.

    Raises
    ------
    ValueError
        For a parameterization other than 0 and 1, and as `tolerance_box`.
    InvalidRowsError
        For an orientation of norm zero.
    """
    q = message.orientation
    desired = Rotation.from_quat([q.x, q.y, q.z, q.w], order="xyzw")
    tolerances = (
        float(message.absolute_x_axis_tolerance),
        float(message.absolute_y_axis_tolerance),
        float(message.absolute_z_axis_tolerance),
    )
    return tolerance_box(desired, tolerances, parameterization=getattr(message, "parameterization", 0))
