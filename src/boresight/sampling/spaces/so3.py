"""The space of rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...frames import Unframed
from ...rotation import Order, Rotation
from ...rows import Floats, floats
from .. import draws
from ..checks import rotation
from ..streams import Doubles, Rng, Size
from .leaves import OMPL_ALL_GAUSSIAN, OMPL_ALL_NEAR, Leaf, Rotations
from .samplers import StateSampler
from .state_space import LawName, StateSpace

__all__ = ["SO3StateSampler", "SO3StateSpace"]

# What OMPL takes for a unit quaternion, and below what norm it takes none for one.
_NORM_ERROR = 1e-9
_NO_NORM = 1e-3

_LEAF = Rotations()


class SO3StateSpace(StateSpace[Rotation[Any, Any]]):
    """All rotations. A state is a `Rotation`, a distance half the rotation angle in radians, at most π/2.

    Parameters
    ----------
    law : {"exact", "ompl"}
        See `StateSpace`.

    Examples
    --------
    >>> space = SO3StateSpace()
    >>> a, b = Rotation.identity(), Rotation.from_rotvec([0, 0, 1.0])
    >>> float(space.distance(a, b))
    0.5
    >>> space.sampler(rng=5).sample_uniform_near(a, 0.1, size=1000).shape
    (1000,)
    """

    def _leaves(self) -> tuple[tuple[Leaf, float], ...]:
        return ((_LEAF, 1.0),)

    def _shares(self) -> tuple[float, ...]:
        return (1.0,)

    def _numbers(self, state: Rotation[Any, Any], what: str) -> list[Doubles]:
        return [rotation_numbers(state, what)]

    def _made(self, numbers: list[Doubles], like: Rotation[Any, Any] | None, /) -> Rotation[Any, Any]:
        return rotation_like(numbers[0], like)

    def _same_frames(self, a: Rotation[Any, Any], b: Rotation[Any, Any]) -> None:
        rotation_numbers(a, "a")
        rotation_numbers(b, "b")
        a._need_same_frames("compare", "with", b)  # pyright: ignore[reportPrivateUsage]

    def measure(self) -> float:
        return _LEAF.measure

    def copy(self, state: Rotation[Any, Any]) -> Rotation[Any, Any]:
        rotation_numbers(state, "state")
        return state

    def satisfies_bounds(self, state: Rotation[Any, Any] | ArrayLike, *, order: Order | None = None) -> Any:
        """Whether states are rotations: quaternions of norm 1 to within 1e-9.

        Parameters
        ----------
        state : Rotation, or array_like of quaternions, shape (..., 4)
            A `Rotation` is one, unless it is NaN.
        order : {"xyzw", "wxyz"}, optional
            Of the quaternions; has no default.

        Returns
        -------
        ndarray of bool, shape (...)
            OMPL's law has NaN pass.
        """
        if isinstance(state, Rotation):
            return super().satisfies_bounds(state)
        norm = np.linalg.norm(self._quaternions(state, order), axis=-1)
        off = np.abs(norm - 1.0)
        return off < _NORM_ERROR if self._law == "exact" else ~(off >= _NORM_ERROR)

    def enforce_bounds(
        self, state: Rotation[Any, Any] | ArrayLike, *, order: Order | None = None
    ) -> Rotation[Any, Any]:
        """The rotations that quaternions of another norm mean.

        Parameters
        ----------
        state : Rotation, or array_like of quaternions, shape (..., 4)
        order : {"xyzw", "wxyz"}, optional
            Of the quaternions; has no default.

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        InvalidRowsError
            Exact law: for a norm of zero, or NaN. (OMPL's law makes the identity of norms below 1e-3, and leaves NaN.)
        """
        if isinstance(state, Rotation):
            if self._law == "exact" and not np.all(super().satisfies_bounds(state)):
                raise ValueError("state is NaN: no rotation is near it")
            return state
        q = self._quaternions(state, order)
        if self._law == "ompl":
            small = np.linalg.norm(q, axis=-1, keepdims=True) < _NO_NORM
            q = np.where(small, [0.0, 0.0, 0.0, 1.0], q)
            return Rotation.from_quat(q, order="xyzw", invalid="nan")
        return Rotation.from_quat(q, order="xyzw")

    @staticmethod
    def _quaternions(state: Any, order: Order | None) -> Doubles:
        if order is None:
            raise TypeError('quaternions need order="xyzw" or order="wxyz"; a Rotation needs none')
        q = floats(state, 4, "the state").astype(np.float64)
        if order not in ("xyzw", "wxyz"):
            raise ValueError(f'order= is "xyzw" or "wxyz", not {order!r}')
        return q if order == "xyzw" else np.roll(q, -1, axis=-1)

    def sampler(self, rng: Rng = None, law: LawName | None = None) -> SO3StateSampler:
        return SO3StateSampler(self, rng=rng, law=law)


class SO3StateSampler(StateSampler[Rotation[Any, Any]]):
    """Draws rotations, in batches or one by one; see `StateSampler`.

    Parameters
    ----------
    space : SO3StateSpace
    rng : numpy.random.Generator or seed
        The same seed gives the same stream, in batches or one by one.
    law : {"exact", "ompl"}, optional
        By default that of the space.

    Notes
    -----
    Exact law: uniform is Haar's measure; near is Haar's measure within the distance; the Gaussian is that of
    `draws.expected_half_angle`, whose expected distance is what was asked. OMPL's law: near is uniform in the ball of
    rotation vectors, and on all of SO(3) from a distance of π/4 on; the Gaussian's rotation vector has standard deviation
    2 s/√3 a component, and from s = 1.01325 on it is uniform.

    Examples
    --------
    >>> sampler = SO3StateSampler(SO3StateSpace(), rng=5)
    >>> R = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)
    >>> found = sampler.sample_uniform_near(R, 0.1, size=1000)
    >>> bool((sampler.space.distance(R, found) <= 0.1).all())
    True
    """

    def __init__(self, space: SO3StateSpace, rng: Rng = None, law: LawName | None = None) -> None:
        if not isinstance(space, SO3StateSpace):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"space= must be a SO3StateSpace, not {type(space).__name__}")
        super().__init__(space, rng, law)

    def sample_uniform(self, size: Size = ()) -> Rotation[Any, Any]:
        return rotation_like(draws.haar(self._rng, size), None)

    def sample_uniform_near(
        self, near: Rotation[Any, Any], distance: float, size: Size | None = None
    ) -> Rotation[Any, Any]:
        radius = self._radius("distance", distance)
        numbers = self._checked("near", near)
        shape = self._shape("near", numbers, size)
        if self._law == "ompl":
            if radius >= OMPL_ALL_NEAR:
                return rotation_like(draws.haar(self._rng, shape), near)
            q = draws.tangent_ball(self._rng, shape, 2 * radius)
        else:
            if radius > _LEAF.extent:
                raise ValueError(
                    f"distance= is half a rotation angle, in radians, and must be at most pi/2, not {radius}"
                )
            q = draws.geodesic_ball(self._rng, shape, upper=2 * radius)
        return rotation_like(kernels.multiply(numbers[0], q), near)

    def sample_gaussian(
        self, mean: Rotation[Any, Any], std_dev: float, size: Size | None = None
    ) -> Rotation[Any, Any]:
        deviation = self._radius("std_dev", std_dev)
        numbers = self._checked("mean", mean)
        shape = self._shape("mean", numbers, size)
        if self._law == "exact":
            q = draws.expected_half_angle(self._rng, shape, std_dev=deviation)
        else:
            sigma = 2 * deviation / np.sqrt(3.0)
            if sigma > OMPL_ALL_GAUSSIAN:
                return rotation_like(draws.haar(self._rng, shape), mean)
            q = draws.rotation_vector_gaussian(self._rng, shape, root=sigma)
        return rotation_like(kernels.multiply(numbers[0], q), mean)


def rotation_numbers(state: Any, what: str) -> Doubles:
    """The quaternions x, y, z, w of what has to be a `Rotation`."""
    return rotation(what, state).as_quat(order="xyzw").astype(np.float64, copy=False)


def rotation_like(xyzw: Floats, like: Rotation[Any, Any] | None) -> Rotation[Any, Any]:
    """The rotations of unit quaternions, in the frames of another."""
    source, target = (Unframed, Unframed) if like is None else (like.source, like.target)
    return Rotation.from_quat(xyzw, order="xyzw", source=source, target=target, invalid="nan")
