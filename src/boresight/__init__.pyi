from . import carla as carla
from . import conventions as conventions
from . import errors as errors
from . import frames as frames
from . import navigation as navigation
from . import sampling as sampling
from .attitude import Attitude as Attitude
from .axes import Axes as Axes
from .conventions import convert as convert
from .diagnosis import diagnose as diagnose
from .frames import Frame as Frame
from .logs.registry import read as read
from .logs.registry import write as write
from .pose import Pose as Pose
from .rotation import Rotation as Rotation
from .tree import FrameTree as FrameTree

__version__: str
