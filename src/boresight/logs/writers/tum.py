"""Writes TUM trajectories: `t tx ty tz qx qy qz qw`, seconds, a space between."""

from boresight.logs.pose_text import PoseTextWriter
from boresight.logs.text_layouts import TUM

__all__ = ["WRITER"]

WRITER = PoseTextWriter(TUM, (".tum",))
