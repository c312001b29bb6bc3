"""The states of OMPL, and how rotations and poses go in and out of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boresight.errors import MissingExtraError
from boresight.pose import Pose
from boresight.rotation import Rotation

try:
    import ompl.base as _base  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
except ImportError:
    raise MissingExtraError("ompl", extra="ompl") from None

__all__ = ["ob", "read_state", "set_rotation", "write_state"]

ob: Any = _base


def read_state(state: Any) -> Rotation[Any, Any] | Pose[Any, Any]:
    """The rotation of an SO(3) state of OMPL, or the pose of an SE(3) state; unframed.

    Raises
    ------
    TypeError
        For a state of another space.
    """
    if isinstance(state, ob.SO3State):
        s: Any = state
        return Rotation.from_quat([s.x, s.y, s.z, s.w], order="xyzw")
    if isinstance(state, ob.SE3State):
        s = state
        q = s.rotation()
        rotation = Rotation.from_quat([q.x, q.y, q.z, q.w], order="xyzw")
        return Pose(rotation, [s.getX(), s.getY(), s.getZ()])
    raise TypeError(f"a state of SO(3) or SE(3) is needed, not a value of type {type(state).__name__}")


def write_state(state: Any, value: Rotation[Any, Any] | Pose[Any, Any]) -> None:
    """Write a rotation into an SO(3) state of OMPL, or a pose into an SE(3) state.

    Raises
    ------
    TypeError
        For a value that does not fit the state.
    """
    if isinstance(state, ob.SO3State) and isinstance(value, Rotation):
        set_rotation(state, value.as_quat(order="xyzw").tolist())
    elif isinstance(state, ob.SE3State) and isinstance(value, Pose):
        s: Any = state
        s.setXYZ(*value.translation.tolist())
        set_rotation(s.rotation(), value.rotation.as_quat(order="xyzw").tolist())
    else:
        raise TypeError(f"a {type(value).__name__} does not go into a {type(state).__name__}")


def set_rotation(state: Any, row: Sequence[float]) -> None:
    """Write a quaternion x, y, z, w."""
    state.x, state.y, state.z, state.w = row
