"""What draws valid states for a planner."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from boresight.rotation import Rotation
from boresight.sampling.streams import Rng, generator

from .ahead import BATCH, Rotations
from .goals import membership
from .samplers import state_sampler
from .states import ob, read_state

__all__ = ["ValidStateSampler", "valid_state_sampler_allocator"]


class ValidStateSampler(ob.ValidStateSampler):
    """A sampler of valid states, for ``SpaceInformation.setValidStateSamplerAllocator``.

    Draws until the checker of `si` agrees, at most ``getNrAttempts()`` times a state. What law and checker raise, it
    raises; planners with threads of their own (PRM) end the process then, so give them `valid_state_sampler_allocator`.

    Parameters
    ----------
    si : ompl.base.SpaceInformation
        Of an SO(3) or SE(3) space.
    rotations : Rotations, optional
        What rotations to draw; by default all. Where it can tell (``contains``), states near another are drawn from it
        too.
    rng : numpy.random.Generator or seed
    batch : int
        How many are drawn ahead at most.
    """

    def __init__(
        self, si: Any, rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
    ) -> None:
        ob.ValidStateSampler.__init__(self, si)
        self.setName("boresight")
        self._is_valid = si.isValid
        self._contains = membership(rotations) if hasattr(rotations, "contains") else None
        self._sampler = state_sampler(si.getStateSpace(), rotations, rng=rng, batch=batch)

    def sample(self, state: Any) -> bool:
        """Draw a valid state; False where none was found."""
        draw, is_valid = self._sampler.sampleUniform, self._is_valid
        for _ in range(self.getNrAttempts()):
            draw(state)
            if is_valid(state):
                return True
        return False

    def sampleNear(self, state: Any, near: Any, distance: float) -> bool:  # noqa: N802
        """Draw a valid state within a distance of another; False where none was found."""
        draw, is_valid = self._sampler.sampleUniformNear, self._is_valid
        for _ in range(self.getNrAttempts()):
            draw(state, near, distance)
            if is_valid(state) and self._belongs(state):
                return True
        return False

    def _belongs(self, state: Any) -> bool:
        if self._contains is None:
            return True
        value = read_state(state)
        return self._contains(value if isinstance(value, Rotation) else value.rotation)


class _Quiet(ValidStateSampler):
    """Raises nothing: PRM has a thread of its own, which an exception would leave behind, and that ends the process."""

    error: Exception | None = None

    def sample(self, state: Any) -> bool:
        try:
            return ValidStateSampler.sample(self, state)
        except Exception as error:  # noqa: BLE001
            return self._failed(error)

    def sampleNear(self, state: Any, near: Any, distance: float) -> bool:  # noqa: N802
        try:
            return ValidStateSampler.sampleNear(self, state, near, distance)
        except Exception as error:  # noqa: BLE001
            return self._failed(error)

    def _failed(self, error: Exception) -> bool:
        if self.error is None:
            self.error = error
            try:
                warnings.warn(f"a sampler of valid states failed: {error!r}", RuntimeWarning, stacklevel=3)
            except RuntimeWarning as warning:  # where warnings are errors
                sys.stderr.write(f"{warning}\n")
        return False


def valid_state_sampler_allocator(
    rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
) -> Callable[[Any], ValidStateSampler]:
    """What ``SpaceInformation.setValidStateSamplerAllocator`` takes.

    Its samplers raise nothing within a planner: an error of the law or the checker is a `RuntimeWarning`, the first
    time, stays in the sampler's ``error``, and means that no valid state was found.

    Parameters
    ----------
    rotations : Rotations, optional
        As `ValidStateSampler`.
    rng : numpy.random.Generator or seed
        Each sampler that a planner allocates gets a stream of its own from it.
    batch : int

    Returns
    -------
    callable
        Takes a ``SpaceInformation``, returns a `ValidStateSampler`.
    """
    stream = generator(rng)

    def allocate(si: Any) -> ValidStateSampler:
        return _Quiet(si, rotations, rng=stream.spawn(1)[0], batch=batch)

    return allocate
