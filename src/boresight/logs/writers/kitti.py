"""Writes KITTI odometry poses: twelve numbers of a 3x4 matrix in a line, with the times in a file beside it."""

from boresight.logs.pose_text import PoseTextWriter
from boresight.logs.text_layouts import KITTI

__all__ = ["WRITER"]

WRITER = PoseTextWriter(KITTI, (".kitti",))
