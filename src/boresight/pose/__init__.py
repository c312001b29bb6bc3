"""`Pose`: a rotation and a translation whose two frames are part of their type.

`series` makes poses of series and sets of poses, `calculus` has derivatives and covariances, and `pose` is the class
itself. All three are one class to its users.
"""

from .pose import Pose

__all__ = ["Pose"]
