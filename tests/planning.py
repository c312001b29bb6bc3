"""Spaces of the real OMPL, and what samplers draw in them; for tests that are skipped where it is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation

ob: Any = pytest.importorskip("ompl.base", reason="the ompl package is not installed")
og: Any = pytest.importorskip("ompl.geometric")
interop: Any = pytest.importorskip("boresight.interop.ompl")
pytest.importorskip("ompl.util").setLogLevel(4)  # errors alone
N = 50_000


def se3(low: float = -1, high: float = 1):
    space = ob.SE3StateSpace()
    bounds = ob.RealVectorBounds(3)
    bounds.setLow(low)
    bounds.setHigh(high)
    space.setBounds(bounds)
    return space


def information(space, checker=None):
    si = ob.SpaceInformation(space)
    si.setStateValidityChecker(checker or (lambda _: True))
    si.setup()
    return si


def rotations(draw, space, *arguments, n: int = N) -> Rotation:
    state = space.allocState()
    rows = np.empty((n, 4))
    for i in range(n):
        draw(state, *arguments)
        rows[i] = state.x, state.y, state.z, state.w
    return Rotation.from_quat(rows, order="xyzw")


def poses(draw, space, *arguments, n: int = N) -> Pose:
    state = space.allocState()
    rows = np.empty((n, 7))
    for i in range(n):
        draw(state, *arguments)
        q = state.rotation()
        rows[i] = state.getX(), state.getY(), state.getZ(), q.x, q.y, q.z, q.w
    return Pose(Rotation.from_quat(rows[:, 3:], order="xyzw"), rows[:, :3])
