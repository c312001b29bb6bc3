"""Orientations that say which axes, direction, order and unit their numbers are in.

The names below are imported on first use, so that ``import boresight`` costs nothing and ``boresight
--help`` needs no NumPy.
"""

# The names are there once they are asked for, which a checker that reads this file alone cannot know.
# pyright: reportUnsupportedDunderAll=false

from __future__ import annotations

from importlib import import_module
from typing import Any

# Where each public name lives. A module name alone hands on the module itself. The stub beside this file
# says the same to type checkers; a test holds the two together.
_HOMES: dict[str, tuple[str, str | None]] = {
    "Attitude": ("boresight.attitude", "Attitude"),
    "Axes": ("boresight.axes", "Axes"),
    "Frame": ("boresight.frames", "Frame"),
    "FrameTree": ("boresight.tree", "FrameTree"),
    "Pose": ("boresight.pose", "Pose"),
    "Rotation": ("boresight.rotation", "Rotation"),
    "carla": ("boresight.carla", None),
    "conventions": ("boresight.conventions", None),
    "convert": ("boresight.conventions", "convert"),
    "diagnose": ("boresight.diagnosis", "diagnose"),
    "errors": ("boresight.errors", None),
    "frames": ("boresight.frames", None),
    "navigation": ("boresight.navigation", None),
    "read": ("boresight.logs.registry", "read"),
    "sampling": ("boresight.sampling", None),
    "write": ("boresight.logs.registry", "write"),
}

__all__ = [
    "Attitude",
    "Axes",
    "Frame",
    "FrameTree",
    "Pose",
    "Rotation",
    "__version__",
    "carla",
    "conventions",
    "convert",
    "diagnose",
    "errors",
    "frames",
    "navigation",
    "read",
    "sampling",
    "write",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("boresight")
    elif name in _HOMES:
        home, attribute = _HOMES[name]
        module = import_module(home)
        value = module if attribute is None else getattr(module, attribute)
    else:
        raise AttributeError(f"module 'boresight' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
