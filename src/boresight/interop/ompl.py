"""Samplers and goals for the planners of OMPL (`pip install "boresight[ompl]"`, the 2.0 wheels).

The binding lets Python into a planner in four ways, and each is served:

- `valid_state_sampler_allocator` for ``SpaceInformation.setValidStateSamplerAllocator``: planners that draw valid
  states (PRM and its kin) then draw ours; those that do not (RRTConnect) ignore it;
- `RegionGoal`, a goal region that is drawn from: every planner that grows a tree from the goal (RRTConnect) uses it.
  PRM looks for further goals in a second thread while ``solve`` holds the interpreter's lock, so that a goal or a
  checker of goals written in Python hangs it: give it one goal, `goal_state`;
- `compound_sampler`, a C++ ``CompoundStateSampler`` whose rotations are ours, and `SE3StateSampler`, which also
  respects the distance it is given; for whoever draws states himself;
- the same samplers inside an ``ob.Planner`` written in Python.

What is not bound (``setStateSamplerAllocator``), ignored (a Python subclass of ``SE3StateSpace``) or crashes
(``WrapperStateSampler`` on a bare SE(3) state) is left alone.

Every sampler draws a batch ahead, since a sample from a batch costs a fraction of one drawn alone, and hands out rows.
A distance beyond the extent of the space means all of it here, and a Gaussian wider than the uniform law is uniform:
planners ask for either, and an error would end them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from boresight import kernels
from boresight.errors import MissingExtraError
from boresight.pose import Pose
from boresight.rotation import Rotation
from boresight.rows import Floats
from boresight.sampling import SE3StateSpace as ExactSE3
from boresight.sampling import draws
from boresight.sampling.streams import Rng, Size, generator

try:
    import ompl.base as _base  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
except ImportError:
    raise MissingExtraError("ompl", extra="ompl") from None

__all__ = [
    "RegionGoal",
    "SE3StateSampler",
    "SO3StateSampler",
    "ValidStateSampler",
    "compound_sampler",
    "goal_state",
    "read_state",
    "valid_state_sampler_allocator",
    "write_state",
]

ob: Any = _base

BATCH = 4096
"""How many samples are drawn ahead, once so many were asked for."""

_FIRST = 16  # a batch grows from here, so that a sampler asked once has not drawn thousands
_KEPT = 8  # distances with samples in store
_TRIES = 100  # samples about a state that fall out of bounds, before the space's own sampler is asked
_LARGEST_MEAN = np.pi / 4 + 1 / np.pi

Row = list[float]
Quaternion = tuple[float, float, float, float]


class Rotations(Protocol):
    """Anything that draws rotations: the laws and regions of `boresight.sampling`."""

    def sample(self, size: Size = ..., rng: Rng = ...) -> Rotation[Any, Any]:
        """Draw rotations."""
        ...


def read_state(state: Any) -> Rotation[Any, Any] | Pose[Any, Any]:
    """The rotation of an SO(3) state of OMPL, or the pose of an SE(3) state; unframed.

    Raises
    ------
    TypeError
        For a state of another space.
    """
    if isinstance(state, ob.SO3State):
        s: Any = state
        return Rotation.from_quat([s.x, s.y, s.z, s.w], order="xyzw")
    if isinstance(state, ob.SE3State):
        s = state
        q = s.rotation()
        rotation = Rotation.from_quat([q.x, q.y, q.z, q.w], order="xyzw")
        return Pose(rotation, [s.getX(), s.getY(), s.getZ()])
    raise TypeError(f"a state of SO(3) or SE(3) is needed, not a value of type {type(state).__name__}")


def write_state(state: Any, value: Rotation[Any, Any] | Pose[Any, Any]) -> None:
    """Write a rotation into an SO(3) state of OMPL, or a pose into an SE(3) state.

    Raises
    ------
    TypeError
        For a value that does not fit the state.
    """
    if isinstance(state, ob.SO3State) and isinstance(value, Rotation):
        _set_rotation(state, value.as_quat(order="xyzw").tolist())
    elif isinstance(state, ob.SE3State) and isinstance(value, Pose):
        s: Any = state
        s.setXYZ(*value.translation.tolist())
        _set_rotation(s.rotation(), value.rotation.as_quat(order="xyzw").tolist())
    else:
        raise TypeError(f"a {type(value).__name__} does not go into a {type(state).__name__}")


def _set_rotation(state: Any, row: Row) -> None:
    state.x, state.y, state.z, state.w = row


def _ahead(draw: Callable[[int], Floats], batch: int) -> Callable[[], Row]:
    """Hand out rows that are drawn in batches, each twice as large as the one before."""

    def rows() -> Iterator[Row]:
        size = min(_FIRST, batch)
        while True:
            yield from draw(size).tolist()
            size = min(2 * size, batch)

    return rows().__next__


class _Store:
    """Rows drawn ahead for each of the last few distances asked for; `next` hands out those of `distance`."""

    __slots__ = (
        "_batch",
        "_draw",
        "_kept",
        "_most",
        "_name",
        "center",
        "distance",
        "next",
        "placed",
        "reach",
    )

    def __init__(self, name: str, most: float, draw: Callable[[float, int], Floats], batch: int) -> None:
        self._name, self._most = name, most
        self._draw, self._batch = draw, batch
        self._kept: dict[float, Callable[[], Row]] = {}
        self.distance = self.reach = -1.0
        self.next: Callable[[], Row]
        self.center: Quaternion | None = None
        self.placed: Callable[[], Row] | None = None

    def rotated(self, distance: float, center: Quaternion) -> Row:
        """The next rotation of this distance, about a center."""
        if distance != self.distance:
            self.select(distance)
        if center == self.center:
            # Asked about the same once more: from now on in batches, until it moves.
            placed = self.placed
            if placed is None:
                placed = self.placed = _ahead(self._composed, self._batch)
            return placed()
        self.center, self.placed = center, None
        return _times(center, self.next())

    def _composed(self, count: int) -> Floats:
        product: Any = kernels.multiply(self.center or (), self._draw(self.reach, count))
        return product

    def select(self, distance: float) -> None:
        """Hand out rows of this distance from now on."""
        if not distance >= 0:
            raise ValueError(f"{self._name} must not be negative or NaN: {distance}")
        reach = min(float(distance), self._most)
        rows = self._kept.get(distance)
        if rows is None:
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            rows = self._kept[distance] = _ahead(lambda n: self._draw(reach, n), self._batch)
        self.distance, self.reach, self.next = distance, reach, rows
        self.center = self.placed = None


def _batch_size(batch: int) -> int:
    if batch < 1:
        raise ValueError(f"batch= must be at least 1, not {batch}")
    return int(batch)


def _times(first: Quaternion, second: Row) -> Row:
    """The product of two quaternions. By hand, since one through NumPy takes as long as ten."""
    a, b, c, d = first
    x, y, z, w = second
    return [
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ]


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
        size = _batch_size(batch)
        self._next = _ahead(_drawn(rotations, stream), size)
        self._near = _Store(
            "distance", np.pi / 2, lambda d, n: draws.geodesic_ball(stream, n, upper=2 * d), size
        )
        self._gaussian = _Store(
            "stdDev",
            _LARGEST_MEAN,
            lambda d, n: draws.expected_half_angle(stream, n, std_dev=d),
            size,
        )

    def sampleUniform(self, state: Any) -> None:  # noqa: N802
        """Draw from the law."""
        state.x, state.y, state.z, state.w = self._next()

    def sampleUniformNear(self, state: Any, near: Any, distance: float) -> None:  # noqa: N802
        """Draw uniformly within a distance, half the rotation angle."""
        center = near.x, near.y, near.z, near.w
        state.x, state.y, state.z, state.w = self._near.rotated(distance, center)

    def sampleGaussian(self, state: Any, mean: Any, std_dev: float) -> None:  # noqa: N802
        """Draw at an expected distance, half the rotation angle."""
        center = mean.x, mean.y, mean.z, mean.w
        state.x, state.y, state.z, state.w = self._gaussian.rotated(std_dev, center)


class SE3StateSampler(ob.StateSampler):
    """A state sampler for OMPL's ``SE3StateSpace``, with its bounds and weights, that respects distances.

    Parameters
    ----------
    space : ompl.base.SE3StateSpace
        With bounds.
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
        self._exact = exact_space(space)
        stream = generator(rng)
        size = _batch_size(batch)
        low, high = self._exact.bounds
        self._bounds = (*low.tolist(), *high.tolist())
        # Without bounds within reach a sample about one pose is that about another, moved.
        far = 4 * self._exact.maximum_extent() / min(self._exact.weights)
        open_space = ExactSE3((-far, far), (self._exact.weights[0], self._exact.weights[1]))
        around, here = open_space.sampler(stream), Pose.identity()
        self._sampler = self._exact.sampler(stream)
        draw = _drawn(rotations, stream)

        def uniform(n: int) -> Floats:
            # Translations first: their share of the stream does not depend on the law.
            t = low + (high - low) * stream.random((n, 3))
            return np.concatenate([t, draw(n)], axis=-1)

        self._next = _ahead(uniform, size)
        self._near = _Store(
            "distance",
            self._exact.maximum_extent(),
            lambda d, n: _rows(around.sample_uniform_near(here, d, size=n)),
            size,
        )
        self._gaussian = _Store(
            "stdDev",
            _LARGEST_MEAN * sum(self._exact.weights),
            lambda d, n: _rows(around.sample_gaussian(here, d, size=n)),
            size,
        )

    def sampleUniform(self, state: Any) -> None:  # noqa: N802
        """Draw a translation within the bounds, and a rotation from the law."""
        x, y, z, *row = self._next()
        state.setXYZ(x, y, z)
        _set_rotation(state.rotation(), row)

    def sampleUniformNear(self, state: Any, near: Any, distance: float) -> None:  # noqa: N802
        """Draw uniformly within a distance, the weighted sum of the space."""
        self._about(state, near, distance, self._near, self._sampler.sample_uniform_near)

    def sampleGaussian(self, state: Any, mean: Any, std_dev: float) -> None:  # noqa: N802
        """Draw at an expected distance, the weighted sum of the space."""
        self._about(state, mean, std_dev, self._gaussian, self._sampler.sample_gaussian)

    def _about(self, state: Any, center: Any, distance: float, store: _Store, exact: Any) -> None:
        if distance != store.distance:
            store.select(distance)
        x0, y0, z0 = center.getX(), center.getY(), center.getZ()
        ax, ay, az, bx, by, bz = self._bounds
        for _ in range(_TRIES):
            x, y, z, *row = store.next()
            x, y, z = x + x0, y + y0, z + z0
            if ax <= x <= bx and ay <= y <= by and az <= z <= bz:
                state.setXYZ(x, y, z)
                q = center.rotation()
                _set_rotation(state.rotation(), _times((q.x, q.y, q.z, q.w), row))
                return
        # The bounds leave little: the same law, drawn with them in mind.
        write_state(state, exact(read_state(center), store.reach))


class ValidStateSampler(ob.ValidStateSampler):
    """A sampler of valid states, for ``SpaceInformation.setValidStateSamplerAllocator``.

    Draws until the checker of `si` agrees, at most ``getNrAttempts()`` times a state.

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
        self._contains = _membership(rotations) if hasattr(rotations, "contains") else None
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


def valid_state_sampler_allocator(
    rotations: Rotations | None = None, *, rng: Rng = None, batch: int = BATCH
) -> Callable[[Any], ValidStateSampler]:
    """What ``SpaceInformation.setValidStateSamplerAllocator`` takes.

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
        return ValidStateSampler(si, rotations, rng=stream.spawn(1)[0], batch=batch)

    return allocate


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
    """Keeps its samplers: those written in Python live as long as somebody holds them."""

    def __init__(self, space: Any) -> None:
        ob.CompoundStateSampler.__init__(self, space)
        self._held: list[Any] = []

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
        self._contains = _membership(rotations)
        self._weights = exact_space(space).weights if self._with_translation else (1.0, 1.0)
        stream = generator(rng)
        # How far a state is from the region is told from these; OMPL wants a number to tell how good a path is.
        self._landmarks = rotations.sample(256, rng=stream).as_quat(order="xyzw")
        self._next = _ahead(_drawn(rotations, stream), _batch_size(batch))
        self._stream = stream

    def sampleGoal(self, state: Any) -> None:  # noqa: N802
        """Draw a goal."""
        if self._with_translation:
            low, high = self._box
            state.setXYZ(*(low + (high - low) * self._stream.random(3)).tolist())
            _set_rotation(state.rotation(), self._next())
        else:
            _set_rotation(state, self._next())

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


def exact_space(space: Any) -> ExactSE3:
    """The `SE3StateSpace` of the bounds and weights of OMPL's.

    Raises
    ------
    ValueError
        For a space without bounds, or with a weight of zero.
    """
    bounds = space.getBounds()
    low, high = ([float(side[i]) for i in range(3)] for side in (bounds.low, bounds.high))
    weights = space.getSubspaceWeights()
    return ExactSE3((low, high), (float(weights[0]), float(weights[1])))


def _drawn(rotations: Rotations | None, stream: np.random.Generator) -> Callable[[int], Floats]:
    if rotations is None:
        return lambda n: draws.haar(stream, n)
    law = rotations
    return lambda n: law.sample(n, rng=stream).as_quat(order="xyzw")


def _membership(region: Any) -> Callable[[Rotation[Any, Any]], bool]:
    """Whether an unframed rotation is in a region, which may be between named frames."""
    source, target = region.source, region.target

    def contains(rotation: Rotation[Any, Any]) -> bool:
        return bool(region.contains(rotation.between(source, target)))

    return contains


def _rows(poses: Pose[Any, Any]) -> Floats:
    q = poses.rotation.as_quat(order="xyzw")
    return np.concatenate([poses.translation, q], axis=-1)
