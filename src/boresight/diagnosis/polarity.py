"""Whether the accelerometer's sign against the gyro's mount is known.

Gravity fits alike under (M, u) and (-M, -u), and so does dv/dt under (M, N) and (-M, -N): nothing of either tells an
accelerometer that gives gravity's direction, or a gyro that is negated alone, from one whose world is inverted. Of a mount
that is a rotation, specific force is assumed, and said to be; but not against a velocity whose axes would then all be
opposite to the attitude's, since an accelerometer of the other sign in the same axes explains that with one fault less. Of
a mirrored mount the accelerometer shares the mirror only where the velocity's axes are then a rotation of the attitude's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.gyro import Key
from boresight.diagnosis.outcome import Outcome, negated
from boresight.diagnosis.robust import beats, fit_all
from boresight.diagnosis.survivors import RATE_WINS

__all__ = ["UNSIGNED", "known_sign"]

UNSIGNED = "the accelerometer may give gravity's direction, or its axes not be mirrored as the gyro's are: the sign of up is open"


def known_sign(outcome: Outcome, key: Key) -> int | None:
    """Return 1 where the accelerometer gives specific force in the gyro's axes, -1 its negative, None where open."""
    place = outcome.place(key)
    proper = key[1] > 0
    if place is None or not place.decided:
        return 1 if proper or _unmirrored(outcome, key) else None
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
    opposite = any(np.array_equal(world, -np.eye(3)) for world in worlds)
    return 1 if proper and (not opposite or any(_plain(world) for world in worlds)) else None


def _unmirrored(outcome: Outcome, key: Key) -> bool:
    """Whether a velocity surely goes with the turned force by a rotation, though by none of axes onto axes."""
    motion, evidence = outcome.evidence.motion, outcome.evidence
    if motion is None or evidence.grid is None or evidence.force is None or key not in motion.fits:
        return False
    changes, turned = motion.pair(key, evidence.grid, evidence.force, outcome.rates.mount(key))
    rotated, mirrored = fit_all(changes, np.stack([turned, turned]), hands=[1, -1], scale=1.0)
    return beats(rotated, mirrored, motion.blocks, RATE_WINS)[0]


def _plain(world: NDArray[np.float64]) -> bool:
    """Whether a mirror only turns the vertical about, exchanges the two horizontal axes, or negates y alone.

    The last is that of left-handed engines.
    """
    if np.array_equal(world, np.diag([1.0, -1.0, 1.0])):
        return True
    across = world[:2, :2]
    same = np.array_equal(across, np.eye(2)) or np.array_equal(across, np.eye(2)[::-1])
    return bool(same and abs(world[2, 2]) > 0.5)
