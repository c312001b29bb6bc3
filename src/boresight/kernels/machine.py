"""What the native code runs on here, and what is for the classes of this library alone."""

from __future__ import annotations

from collections.abc import Callable

from .. import _native
from .policy import Kernel

__all__ = ["carla", "freeze", "instruction_set"]

instruction_set: str = _native.isa
"""What the native code runs on here: ``"baseline"``, ``"avx2"`` or ``"avx512"``. All give the same numbers."""

freeze: Callable[..., None] = _native.freeze
"""Make arrays read-only: all that are given, in one call."""


def carla(name: str) -> Kernel:
    """Return a kernel of CARLA's own arithmetic, which only `boresight.carla` wants: float32, to the last bit.

    Its arrays are as everyone's here, but float64 is rounded to float32 on the way in.
    """
    return getattr(_native, f"carla_{name}")
