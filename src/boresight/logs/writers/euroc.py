"""Writes EuRoC ground truth: nanoseconds, position, quaternion with w first, comma-separated."""

from boresight.logs.pose_text import PoseTextWriter
from boresight.logs.text_layouts import EUROC

__all__ = ["WRITER"]

WRITER = PoseTextWriter(EUROC, (".euroc",))
