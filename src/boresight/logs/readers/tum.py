"""TUM trajectories: ``t tx ty tz qx qy qz qw``, seconds and metres, separated by blanks."""

from __future__ import annotations

from boresight.logs.readers.text_poses import TextPoseReader
from boresight.logs.text_layouts import TUM

__all__ = ["READER"]

READER = TextPoseReader(TUM, (".tum", ".txt"))
"""What the registry finds."""
