"""CARLA's geometry: its own arithmetic to the last bit, and the one place where the handedness changes.

`Vector3D`, `Location`, `Rotation` and `Transform` are in CARLA's left-handed axes (forward, right, up; on the map
east, south, up), in metres and degrees. What is called right-handed, and `Quaternion`, is in the axes of ROS. All are
float32, of any batch shape, and immutable.

`Transform.to_pose` and `Transform.from_pose` lead to the main library, which is exact where CARLA is not. The
functions named ``to_...`` write transforms as others expect them.
"""

from .angles import RightHandedRotation, Rotation
from .bits import BitsReport, bits_exact, check_bits
from .cameras import (
    ColmapPose,
    Extrinsic,
    KittiLabel,
    from_colmap,
    from_opencv,
    to_colmap,
    to_kitti_label,
    to_open3d,
    to_open3d_points,
    to_opencv,
    to_opencv_points,
)
from .datasets import ClipGtSensor, NuScenesPose, from_nuscenes, to_clipgt, to_nuscenes
from .dialects import DIALECTS, Dialect, detect_dialect
from .motion import (
    Geodetic,
    Imu,
    Twist,
    compass_from_yaw,
    from_geodetic,
    from_ros_twist,
    to_geodetic,
    to_ros_imu,
    to_ros_twist,
    yaw_from_compass,
)
from .quaternion import Quaternion
from .recorder import Recorder
from .robotics import (
    RosPose,
    ScenarioPosition,
    ScipyEuler,
    UnrealTransform,
    from_openscenario,
    from_ros,
    from_ros_optical,
    from_unreal,
    to_openscenario,
    to_ros,
    to_ros_optical,
    to_scipy,
    to_unreal,
)
from .transforms import RightHandedTransform, Transform
from .vectors import Location, RightHandedVector3D, Vector3D

__all__ = [
    "DIALECTS",
    "BitsReport",
    "ClipGtSensor",
    "ColmapPose",
    "Dialect",
    "Extrinsic",
    "Geodetic",
    "Imu",
    "KittiLabel",
    "Location",
    "NuScenesPose",
    "Quaternion",
    "Recorder",
    "RightHandedRotation",
    "RightHandedTransform",
    "RightHandedVector3D",
    "RosPose",
    "Rotation",
    "ScenarioPosition",
    "ScipyEuler",
    "Transform",
    "Twist",
    "UnrealTransform",
    "Vector3D",
    "bits_exact",
    "check_bits",
    "compass_from_yaw",
    "detect_dialect",
    "from_colmap",
    "from_geodetic",
    "from_nuscenes",
    "from_opencv",
    "from_openscenario",
    "from_ros",
    "from_ros_optical",
    "from_ros_twist",
    "from_unreal",
    "to_clipgt",
    "to_colmap",
    "to_geodetic",
    "to_kitti_label",
    "to_nuscenes",
    "to_open3d",
    "to_open3d_points",
    "to_opencv",
    "to_opencv_points",
    "to_openscenario",
    "to_ros",
    "to_ros_imu",
    "to_ros_optical",
    "to_ros_twist",
    "to_scipy",
    "to_unreal",
    "yaw_from_compass",
]
