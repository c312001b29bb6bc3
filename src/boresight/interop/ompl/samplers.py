"""State samplers for the SO(3), SE(3) and compound spaces of OMPL."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from boresight.errors import InvalidRowsError
from boresight.pose import Pose
from boresight.rows import Floats
from boresight.sampling import SE3StateSpace as ExactSE3
from boresight.sampling import draws
from boresight.sampling.half_angle import LARGEST_MEAN
from boresight.sampling.streams import Rng, generator

from .ahead import BATCH, Ahead, Deviations, Reach, Rotations, Row, drawer
from .deviations import gaussian_poses, near_law
from .states import ob, read_state, write_state

__all__ = ["SE3StateSampler", "SO3StateSampler", "compound_sampler", "state_sampler"]

_TRIES = 100  # samples about a state that fall out of bounds, before the space's own sampler is asked


class SO3StateSampler(ob.StateSampler):
    """A state sampler for OMPL's ``SO3StateSpace``, also within a ``CompoundStateSampler``.

    Parameters
    ----------
    space : ompl.base.SO3StateSpace
    rotations : Rotations, optional
        What ``sampleUniform`` draws; by default uniform over all rotations. The two other methods draw about the state
        they are given, whatever this is.
    rng : numpy.random.Generator or seed
    batch : int
        How many are drawn ahead at most.
    """

    def __init__(
        self, space: Any, rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
    ) -> None:
        ob.StateSampler.__init__(self, space)
        stream = generator(rng)
        self._next = Ahead(drawer(rotations, stream), batch).next
        self._near = Deviations(
            "distance", np.pi / 2, lambda d: lambda n: draws.geodesic_ball(stream, n, upper=2 * d), batch
        )
        self._gaussian = Deviations(
            "stdDev", LARGEST_MEAN, lambda d: lambda n: draws.expected_half_angle(stream, n, std_dev=d), batch
        )

    def sampleUniform(self, state: Any) -> None:  # noqa: N802
        """Draw from the law."""
        state.x, state.y, state.z, state.w = self._next()

    def sampleUniformNear(self, state: Any, near: Any, distance: float) -> None:  # noqa: N802
        """Draw uniformly within a distance, half the rotation angle."""
        found = self._near.last
        if found.distance != distance:
            found = self._near.select(distance)
        while not found.rows.turn(state, near):
            found.refill()

    def sampleGaussian(self, state: Any, mean: Any, std_dev: float) -> None:  # noqa: N802
        """Draw at an expected distance, half the rotation angle."""
        found = self._gaussian.last
        if found.distance != std_dev:
            found = self._gaussian.select(std_dev)
        while not found.rows.turn(state, mean):
            found.refill()


class SE3StateSampler(ob.StateSampler):
    """A state sampler for OMPL's ``SE3StateSpace``, with its bounds and weights, that respects distances.

    A centre may be outside the bounds, as long as some of the law about it is within; else there is a `ValueError`.

    Parameters
    ----------
    space : ompl.base.SE3StateSpace
        With bounds; those and the weights it has now.
    rotations : Rotations, optional
        What ``sampleUniform`` draws beside translations uniform within the bounds; by default all rotations.
    rng : numpy.random.Generator or seed
    batch : int
        How many are drawn ahead at most.
    """

    def __init__(
        self, space: Any, rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
    ) -> None:
        ob.StateSampler.__init__(self, space)
        exact = _exact_space(space)
        stream = generator(rng)
        low, high = exact.bounds
        weights = exact.weights[0], exact.weights[1]
        self._exact = exact.sampler(stream)
        self._extent = exact.maximum_extent()

        def uniform(law: Rotations | None) -> Callable[[], Row]:
            draw = drawer(law, stream)

            def poses(n: int) -> Floats:
                # Translations first: their share of the stream does not depend on the law.
                t = low + (high - low) * stream.random((n, 3))
                return np.concatenate([t, draw(n)], axis=-1)

            return Ahead(poses, batch).next

        self._next, self._anywhere = uniform(rotations), uniform(None)
        self._near = Deviations(
            "distance", self._extent, lambda d: near_law(stream, d, weights, low, high), batch, exact.bounds
        )
        self._gaussian = Deviations(
            "stdDev",
            LARGEST_MEAN * sum(weights),
            lambda d: lambda n: gaussian_poses(stream, n, d, weights),
            batch,
            exact.bounds,
        )

    def sampleUniform(self, state: Any) -> None:  # noqa: N802
        """Draw a translation within the bounds, and a rotation from the law."""
        _write_pose(state, self._next())

    def sampleUniformNear(self, state: Any, near: Any, distance: float) -> None:  # noqa: N802
        """Draw uniformly within a distance, the weighted sum of the space."""
        if distance >= self._extent:
            return _write_pose(state, self._anywhere())
        found = self._near.last
        if found.distance != distance:
            found = self._near.select(distance)
        if not _moved(state, near, found):
            # The bounds leave little: the same law, drawn with them in mind.
            write_state(state, self._exact.sample_uniform_near(_pose(near), distance))
        return None

    def sampleGaussian(self, state: Any, mean: Any, std_dev: float) -> None:  # noqa: N802
        """Draw at an expected distance, the weighted sum of the space."""
        found = self._gaussian.last
        if found.distance != std_dev:
            found = self._gaussian.select(std_dev)
        if not _moved(state, mean, found):
            write_state(state, self._exact.sample_gaussian(_pose(mean), self._gaussian.reach(std_dev)))


def _moved(state: Any, center: Any, found: Reach) -> bool:
    """Write a pose a deviation away from another; False where the bounds leave too little of the law."""
    left = _TRIES
    while True:
        left = found.rows.move(state, center, left)
        if left < 0:
            return True
        if left == 0:
            return False
        found.refill()


def _write_pose(state: Any, row: Row) -> None:
    x, y, z, a, b, c, d = row
    state.setXYZ(x, y, z)
    q = state.rotation()
    q.x, q.y, q.z, q.w = a, b, c, d


def _pose(state: Any) -> Pose[Any, Any]:
    """A centre, which may be anything here.

    Raises
    ------
    ValueError
        If it is not finite.
    """
    try:
        pose = read_state(state)
    except InvalidRowsError:
        raise ValueError("the state to draw about is NaN, infinite or without a rotation") from None
    assert isinstance(pose, Pose)
    return pose


def _exact_space(space: Any) -> ExactSE3:
    """The `SE3StateSpace` of the bounds and weights of OMPL's.

    Raises
    ------
    ValueError
        For a space without bounds, or with a weight of zero.
    """
    bounds = space.getBounds()
    low, high = ([float(side[i]) for i in range(3)] for side in (bounds.low, bounds.high))
    if not all(0 < b - a < inf for a, b in zip(low, high, strict=True)):
        raise ValueError(
            f"the space needs bounds=, finite and low below high (setBounds), not low {low} and high {high}"
        )
    weights = space.getSubspaceWeights()
    return ExactSE3((low, high), (float(weights[0]), float(weights[1])))


def state_sampler(
    space: Any, rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
) -> Any:
    """The state sampler for a space of OMPL: `SO3StateSampler` or `SE3StateSampler`.

    Raises
    ------
    TypeError
        For another space.
    """
    if isinstance(space, ob.SO3StateSpace):
        return SO3StateSampler(space, rotations, rng=rng, batch=batch)
    if isinstance(space, ob.SE3StateSpace):
        return SE3StateSampler(space, rotations, rng=rng, batch=batch)
    raise TypeError(f"an SO3StateSpace or SE3StateSpace is needed, not a {type(space).__name__}")


class _CompoundSampler(ob.CompoundStateSampler):
    """Keeps its samplers, and the space that OMPL's own look at: they live as long as somebody in Python holds them."""

    def __init__(self, space: Any) -> None:
        ob.CompoundStateSampler.__init__(self, space)
        self._held: list[Any] = [space]

    def add(self, sampler: Any, weight: float) -> None:
        self._held.append(sampler)
        self.addSampler(sampler, weight)


def compound_sampler(
    space: Any, rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
) -> Any:
    """A C++ ``CompoundStateSampler`` whose rotations are ours and whose rest is OMPL's own.

    It gives each subspace its share of a distance, by weight, as OMPL does, so that near samples can lie beyond it;
    `SE3StateSampler` does not.

    Parameters
    ----------
    space : ompl.base.CompoundStateSpace
        SE(3), or any compound with an SO(3) directly within.
    rotations : Rotations, optional
        As `SO3StateSampler`.
    rng : numpy.random.Generator or seed
    batch : int

    Returns
    -------
    ompl.base.CompoundStateSampler

    Raises
    ------
    TypeError
        For a space without SO(3).
    """
    subspaces: list[Any] = space.getSubspaces() if isinstance(space, ob.CompoundStateSpace) else []
    if not any(isinstance(part, ob.SO3StateSpace) for part in subspaces):
        raise TypeError(f"a compound space with an SO3StateSpace is needed, not a {type(space).__name__}")
    stream = generator(rng)
    weights = space.getSubspaceWeights()
    total = sum(weights) or 1.0
    sampler = _CompoundSampler(space)
    for part, weight in zip(subspaces, weights, strict=True):
        if isinstance(part, ob.SO3StateSpace):
            own: Any = SO3StateSampler(part, rotations, rng=stream, batch=batch)
        else:
            own = part.allocDefaultStateSampler()
        sampler.add(own, weight / total)
    return sampler
