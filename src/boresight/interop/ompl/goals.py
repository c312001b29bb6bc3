"""Goal regions that planners draw from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boresight.rotation import Rotation
from boresight.sampling.streams import Rng, generator

from .ahead import BATCH, Ahead, drawer
from .states import ob, read_state, set_rotation

__all__ = ["RegionGoal", "goal_state", "membership"]


class RegionGoal(ob.GoalSampleableRegion):
    """A goal that planners can draw from: rotations in a region and, in SE(3), translations in a box.

    Parameters
    ----------
    si : ompl.base.SpaceInformation
        Of an SO(3) or SE(3) space.
    rotations : Region
        With ``contains`` and ``sample``: a ball, a cone or a box of `boresight.sampling`.
    translations : (low, high), optional
        The box of goal positions, three numbers each; needed in SE(3), and only there.
    rng : numpy.random.Generator or seed
    batch : int

    Raises
    ------
    ValueError
        For translations missing, of another shape, or with low above high.
    TypeError
        For another space, or rotations that cannot tell what they contain.
    """

    def __init__(
        self, si: Any, rotations: Any, translations: Any = None, *, rng: Rng = None, batch: int = BATCH
    ) -> None:
        ob.GoalSampleableRegion.__init__(self, si)
        if not (hasattr(rotations, "contains") and hasattr(rotations, "sample")):
            raise TypeError(
                f"rotations must be a region, which has contains(), not {type(rotations).__name__}"
            )
        space = si.getStateSpace()
        self._with_translation = isinstance(space, ob.SE3StateSpace)
        if not self._with_translation and not isinstance(space, ob.SO3StateSpace):
            raise TypeError(f"an SO3StateSpace or SE3StateSpace is needed, not a {type(space).__name__}")
        self._box = _goal_box(translations, self._with_translation)
        self._contains = membership(rotations)
        self._weights = space.getSubspaceWeights() if self._with_translation else (1.0, 1.0)
        stream = generator(rng)
        # How far a state is from the region is told from these; OMPL wants a number to tell how good a path is.
        self._landmarks = rotations.sample(256, rng=stream).as_quat(order="xyzw")
        self._next = Ahead(drawer(rotations, stream), batch).next
        self._stream = stream

    def sampleGoal(self, state: Any) -> None:  # noqa: N802
        """Draw a goal."""
        if self._with_translation:
            low, high = self._box
            state.setXYZ(*(low + (high - low) * self._stream.random(3)).tolist())
            set_rotation(state.rotation(), self._next())
        else:
            set_rotation(state, self._next())

    def maxSampleCount(self) -> int:  # noqa: N802
        """As many as anybody wants."""
        return 2**31 - 1

    def couldSample(self) -> bool:  # noqa: N802
        """There is always another goal."""
        return True

    def distanceGoal(self, state: Any) -> float:  # noqa: N802
        """0 within the goal; else the weighted distance to the box and to the nearest of some of its rotations."""
        rotation, away = self._read(state)
        if self._contains(rotation):
            return self._weights[0] * away
        dots = np.abs(self._landmarks @ rotation.as_quat(order="xyzw"))
        half = float(np.arccos(min(1.0, float(dots.max()))))
        return self._weights[0] * away + self._weights[1] * max(half, 1e-12)

    def isSatisfied(self, state: Any) -> bool:  # noqa: N802
        """Whether a state is a goal."""
        rotation, away = self._read(state)
        return away == 0.0 and self._contains(rotation)

    def isSatisfiedWithDistance(self, state: Any) -> tuple[bool, float]:  # noqa: N802
        """Whether a state is a goal, and how far it is from one."""
        distance = self.distanceGoal(state)
        return distance == 0.0, distance

    def _read(self, state: Any) -> tuple[Rotation[Any, Any], float]:
        value = read_state(state)
        if isinstance(value, Rotation):
            return value, 0.0
        low, high = self._box
        t = value.translation
        return value.rotation, float(np.linalg.norm(t - np.clip(t, low, high)))


def goal_state(si: Any, rotations: Any, translations: Any = None, *, rng: Rng = None) -> Any:
    """One valid state drawn from a goal region, as OMPL's own ``GoalState``: for PRM.

    Parameters
    ----------
    si, rotations, translations, rng
        As `RegionGoal`.

    Returns
    -------
    ompl.base.GoalState

    Raises
    ------
    ValueError
        If none of 1000 states drawn is valid, and as `RegionGoal`.
    """
    region = RegionGoal(si, rotations, translations, rng=rng)
    state = si.allocState()
    for _ in range(1000):
        region.sampleGoal(state)
        if si.isValid(state):
            goal = ob.GoalState(si)
            goal.setState(state)
            return goal
    raise ValueError("none of 1000 states drawn from the goal region is valid")


def _goal_box(translations: Any, needed: bool) -> tuple[Any, Any]:
    if not needed:
        if translations is not None:
            raise ValueError("translations= is for goals in SE(3)")
        return np.zeros(3), np.zeros(3)
    try:
        low, high = (
            np.array(np.broadcast_to(np.asarray(side, dtype=np.float64), (3,))) for side in translations
        )
    except (TypeError, ValueError):
        raise ValueError(
            f"translations= must be a pair (low, high) of three numbers each, not {translations!r}"
        ) from None
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ValueError(f"translations= must be finite, with low not above high: {translations!r}")
    return low, high


def membership(region: Any) -> Callable[[Rotation[Any, Any]], bool]:
    """Whether an unframed rotation is in a region, which may be between named frames."""
    source, target = region.source, region.target

    def contains(rotation: Rotation[Any, Any]) -> bool:
        return bool(region.contains(rotation.between(source, target)))

    return contains
