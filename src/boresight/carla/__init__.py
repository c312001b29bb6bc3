"""CARLA's geometry: its own arithmetic to the last bit, and the one place where the handedness changes.

`Vector3D`, `Location`, `Rotation` and `Transform` are in CARLA's left-handed axes (forward, right, up; on the map
east, south, up), in metres and degrees. What is called right-handed, and `Quaternion`, is in the axes of ROS. All are
float32, of any batch shape, and immutable.

`Transform.to_pose` and `Transform.from_pose` lead to the main library, which is exact where CARLA is not. The
functions named ``to_...`` write transforms as others expect them.
"""

from .angles import RightHandedRotation, Rotation
from .dialects import DIALECTS, Dialect, detect_dialect
from .quaternion import Quaternion
from .transforms import RightHandedTransform, Transform
from .vectors import Location, RightHandedVector3D, Vector3D

__all__ = [
    "DIALECTS",
    "Dialect",
    "Location",
    "Quaternion",
    "RightHandedRotation",
    "RightHandedTransform",
    "RightHandedVector3D",
    "Rotation",
    "Transform",
    "Vector3D",
    "detect_dialect",
]
