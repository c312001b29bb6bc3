"""Whether the accelerometer's sign against the gyro's mount is known.

Gravity fits alike under (M, u) and (-M, -u), and so does dv/dt under (M, N) and (-M, -N): nothing of either tells an
accelerometer that gives gravity's direction, or a gyro that is negated alone, from one whose world is inverted. The sign is
known where the mount is a rotation and specific force is assumed, where the N found is a rotation or one of the plain
mirrors that logs have, or where velocities are said to be in the attitude's world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.gyro import Key
from boresight.diagnosis.outcome import Outcome, negated
from boresight.diagnosis.survivors import RATE_WINS

__all__ = ["UNSIGNED", "known_sign"]

UNSIGNED = "the accelerometer may give gravity's direction, or its axes not be mirrored as the gyro's are: the sign of up is open"


def known_sign(outcome: Outcome, key: Key) -> int | None:
    """Return 1 where the accelerometer gives specific force in the gyro's axes, -1 its negative, None where open."""
    place, motion = outcome.place(key), outcome.evidence.motion
    proper = key[1] > 0
    if place is None or not place.decided:
        if motion is None or key not in motion.fits:
            return 1 if proper else None
        fit = motion.fits[key]
        mirrored = fit.r2 > RATE_WINS.r2 and float(np.linalg.det(fit.matrix)) < 0
        return 1 if proper and not mirrored else None
    lefts = [left for left in outcome.left if left.key == key]
    worlds = [place.axes @ left.turns.world.T for left in lefts]
    if outcome.claims.same_world:
        if any(np.array_equal(world, np.eye(3)) for world in worlds):
            return 1
        if any(negated(outcome, left) for left in lefts):
            return -1
        if proper and any(np.array_equal(world, -np.eye(3)) for world in worlds):
            return 1  # attitude and velocity are mirrored, and the claim is refuted
    if float(np.linalg.det(place.axes)) > 0:
        return 1
    return 1 if proper and any(_plain(world) for world in worlds) else None


def _plain(world: NDArray[np.float64]) -> bool:
    """Whether a mirror only turns the vertical about, exchanges the two horizontal axes, or negates y alone.

    The last is that of left-handed engines.
    """
    if np.array_equal(world, np.diag([1.0, -1.0, 1.0])):
        return True
    across = world[:2, :2]
    same = np.array_equal(across, np.eye(2)) or np.array_equal(across, np.eye(2)[::-1])
    return bool(same and abs(world[2, 2]) > 0.5)
