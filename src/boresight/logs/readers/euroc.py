"""EuRoC (ASL) ground truth: nanoseconds, position, quaternion with w first, and perhaps velocity and biases."""

from __future__ import annotations

from boresight.logs.readers.text_poses import TextPoseReader
from boresight.logs.text_layouts import EUROC

__all__ = ["READER"]

READER = TextPoseReader(EUROC, (".csv", ".euroc"))
"""What the registry finds."""
