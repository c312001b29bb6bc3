"""`Rotation`: rotations whose two frames are part of their type.

`numbers` takes numbers out, `algebra` makes rotations of rotations, and
`rotation` is the class itself with the ways in. All three are one class to its users.
"""

from .numbers import Order
from .rotation import Rotation

__all__ = ["Order", "Rotation"]
