"""`Rotation`: rotations whose two frames are part of their type.

`numbers` takes numbers out, `calculus` differentiates and carries covariances, `algebra` makes rotations of
rotations, and `rotation` is the class itself with the ways in, of which `constructors` has the less usual
ones. All are one class to its users. `curve` is what `Rotation.spline` gives.
"""

from .curve import RotationSpline
from .numbers import Order
from .rotation import Rotation

__all__ = ["Order", "Rotation", "RotationSpline"]
