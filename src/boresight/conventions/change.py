"""The change from one system's numbers to another's, worked out once and applied to arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight import kernels
from boresight.axes import Axes, SignedPermutation, permutation, quaternion_change
from boresight.conventions.coding import (
    floats,
    needs_orientation,
    position_as_stored,
    position_in_world,
    read_orientation,
    scaled,
    write_orientation,
)
from boresight.conventions.convention import Convention, Form, Invalid, Order
from boresight.conventions.linear import IDENTITY, LinearMap, congruence
from boresight.conventions.registry import get
from boresight.conventions.worlds import (
    Origin,
    WorldChange,
    heading_degrees,
    named_axes,
    world_change,
)
from boresight.errors import ConventionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]

__all__ = ["Change", "change"]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """From the numbers of one system to those of another; `change` makes one.

    Both sides of an orientation change together, by signed permutations, so that nothing rounds but one
    factor of √½, unless a heading or a place on the earth adds a turn of the world. Methods take and give
    plain arrays, in the two systems' own component order; batches of any shape, and a NaN row stays a NaN
    row.

    Attributes
    ----------
    from_, to : Convention
    thing, to_thing : str
        What the numbers describe in the one and in the other.
    body : SignedPermutation
        The change of the thing's axes.
    world : WorldChange
        The change of the world's.
    """

    from_: Convention
    to: Convention
    thing: str
    to_thing: str
    body: SignedPermutation
    world: WorldChange

    # -- orientations ------------------------------------------------------------------------------

    def orientation(
        self,
        *,
        quat: ArrayLike | None = None,
        matrix: ArrayLike | None = None,
        euler: ArrayLike | None = None,
        as_: Form = "quat",
        order_in: Order | None = None,
        order_out: Order | None = None,
        invalid: Invalid = "nan",
    ) -> Array:
        """Change orientations in any form to any other; see `boresight.convert` for the arguments."""
        own = read_orientation(
            self.from_, quat=quat, matrix=matrix, euler=euler, order=order_in, invalid=invalid
        )
        if own is None:
            raise ConventionError("there is no orientation; give quat=, matrix= or euler=")
        return write_orientation(self.to, self.own(own), as_, order=order_out)

    def quaternion(
        self,
        q: ArrayLike,
        *,
        order_in: Order | None = None,
        order_out: Order | None = None,
        invalid: Invalid = "nan",
    ) -> Array:
        """Change quaternions, shape (..., 4), order included; they come out as units."""
        return self.orientation(quat=q, order_in=order_in, order_out=order_out, invalid=invalid)

    def own(self, q: Array) -> Array:
        """Change unit quaternions x, y, z, w that map the thing to its world, each in its own system's axes.

        `read_orientation` of the one convention gives them and `write_orientation` of the other takes them.
        """
        world = self.world.orientation
        if world.turn is None:
            return _both_sides(q, world.last @ world.first, self.body)
        # The turn is one of right-handed axes: a mirror of the body goes to whichever side the world's does.
        first = IDENTITY
        if world.first.determinant < 0:
            first = self.body if self.body.determinant < 0 else -IDENTITY
        q = _both_sides(q, world.first, first)
        q = kernels.multiply(world.turn.astype(q.dtype), q)
        return _both_sides(q, world.last, self.body @ first.inverse())

    # -- vectors -----------------------------------------------------------------------------------

    @property
    def position_needs_orientation(self) -> bool:
        """Whether `position` needs the orientations: only one of the systems stores the inverse."""
        if self.from_.direction == self.to.direction == "world_to_body":
            return self.world.before is not None or self.world.after is not None
        return "world_to_body" in (self.from_.direction, self.to.direction)

    def position(self, p: ArrayLike, *, own: Array | None = None) -> Array:
        """Change stored positions, shape (..., 3), units of length included.

        Parameters
        ----------
        p : array_like, shape (..., 3)
        own : ndarray, shape (..., 4), optional
            The orientations that go with them, as `read_orientation` of `from_` gives them; only needed where
            `position_needs_orientation`.
        """
        p = floats(p)
        if p.shape[-1:] != (3,):
            raise ConventionError(f"positions have shape (..., 3), not {p.shape}")
        both_inverse = self.from_.direction == self.to.direction == "world_to_body"
        if both_inverse and not self.position_needs_orientation:
            # The world's origin seen from the body: only the body's axes matter.
            return self.body_velocity(p)
        p = position_in_world(self.from_, p, own)
        if self.world.before is None and self.world.after is None:
            p = self.world.position.scaled(self._scale).apply(p)
        else:
            p = self.world.move(scaled(p, *self.from_.metres.as_integer_ratio()))
            p = scaled(p, *(1 / self.to.metres).as_integer_ratio())
        return position_as_stored(self.to, p, None if own is None else self.own(own))

    def velocity(self, v: ArrayLike) -> Array:
        """Change velocities in the world's axes of positions, shape (..., 3), units of length included."""
        return self._velocity.apply(v)

    def world_polar(self, v: ArrayLike) -> Array:
        """Change polar vectors in the world's axes of positions, shape (..., 3), units left alone."""
        return self.world.position.apply(v)

    def world_axial(self, v: ArrayLike) -> Array:
        """Change axial vectors in the world's axes, shape (..., 3), units left alone."""
        return self._world_axial.apply(v)

    def body_velocity(self, v: ArrayLike) -> Array:
        """Change velocities in the thing's axes, shape (..., 3), units of length included."""
        return self._body_polar.scaled(self._scale).apply(v)

    def body_polar(self, v: ArrayLike) -> Array:
        """Change polar vectors in the thing's axes (specific force), shape (..., 3), units left alone."""
        return self._body_polar.apply(v)

    def body_axial(self, v: ArrayLike) -> Array:
        """Change axial vectors in the thing's axes (angular rate), shape (..., 3), units left alone."""
        return self._body_axial.apply(v)

    # -- covariances -------------------------------------------------------------------------------

    def covariance_position(self, covariance: ArrayLike, *, own: Array | None = None) -> Array:
        """Change covariances of positions as stored, shape (..., 3, 3), units of length included.

        A system that stores the world's origin in the thing's axes has its covariance in those axes too: `own`,
        the orientations as `position` takes them, is needed where `position` needs it. The orientations count as
        exact; `pose_covariance` lets theirs in.
        """
        if not self.position_needs_orientation:
            return congruence(covariance, (self._stored_position,))
        p = floats(covariance)
        if own is None:
            raise ConventionError(needs_orientation(self._inverse))
        if self.from_.direction == "world_to_body":
            p = _turned(p, kernels.to_matrix(own))
        p = congruence(p, (self._velocity,))
        if self.to.direction == "world_to_body":
            p = _turned(p, np.swapaxes(kernels.to_matrix(self.own(own)), -1, -2))
        return p

    def covariance_velocity(self, covariance: ArrayLike) -> Array:
        """Change covariances of velocities in the world, shape (..., 3, 3), units of length included."""
        return congruence(covariance, (self._velocity,))

    def covariance_orientation(self, covariance: ArrayLike) -> Array:
        """Change covariances of small rotations about the world's axes, shape (..., 3, 3)."""
        return congruence(covariance, (self._world_axial,))

    def covariance_world_polar(self, covariance: ArrayLike) -> Array:
        """Change covariances of what `world_polar` changes, shape (..., 3, 3)."""
        return congruence(covariance, (self.world.position,))

    def covariance_body(self, covariance: ArrayLike) -> Array:
        """Change covariances of what `body_polar` or `body_axial` changes, shape (..., 3, 3)."""
        return congruence(covariance, (self._body_polar,))

    def pose_covariance(
        self, covariance: ArrayLike, *, own: Array | None = None, position: ArrayLike | None = None
    ) -> Array:
        """Change covariances of a position as stored and of small rotations about the world's axes, shape (..., 6, 6).

        Of the world's origin in the thing's axes (COLMAP) a small rotation of the thing is a part: `own` and `position`
        (as stored, in `from_`) are needed where `position_needs_orientation`, and what ties the two together goes
        through the inverse to first order.
        """
        if not self.position_needs_orientation:
            return congruence(covariance, (self._stored_position, self._world_axial))
        if own is None or position is None:
            raise ConventionError(
                f"a position of {self._inverse.id} is the world's origin in body axes, and its covariance that of the pose's "
                "inverse; give the orientation and position= beside a 6x6 covariance"
            )
        p = floats(covariance)
        if self.from_.direction == "world_to_body":
            # c = -R t, and so dc = -R dt - c x dtheta
            at = position_in_world(self.from_, floats(position), own)
            p = _through_inverse(p, -kernels.to_matrix(own), -_crossing(at))
        p = congruence(p, (self._velocity, self._world_axial))
        if self.to.direction == "world_to_body":
            # t = -R' c, and so dt = -R' (dc + c x dtheta)
            new = self.own(own)
            at = position_in_world(self.to, self.position(position, own=own), new)
            back = -np.swapaxes(kernels.to_matrix(new), -1, -2)
            p = _through_inverse(p, back, back @ _crossing(at))
        return p

    def twist_covariance(self, covariance: ArrayLike) -> Array:
        """Change covariances of velocity and angular rate, both in the thing's axes, shape (..., 6, 6)."""
        return congruence(covariance, (self._body_polar.scaled(self._scale), self._body_axial))

    def state_covariance(self, covariance: ArrayLike) -> Array:
        """Change covariances of a filter's error, shape (..., 15, 15).

        That is of position and velocity in the world, and in the thing's axes of a small rotation and the biases of
        accelerometer and gyro. No map holds for positions where `position_needs_orientation`.
        """
        velocity, polar, axial = self.world.position, self._body_polar, self._body_axial
        return congruence(covariance, (self._stored_position, velocity, axial, polar, axial))

    def covariance_map(self, of: str) -> LinearMap | None:
        """Return the map of a quantity of `boresight.convert`: orientation, position, velocity or rate.

        None of a position that `position_needs_orientation`: it has as many maps as there are orientations.
        """
        maps = {
            "orientation": self._world_axial,
            "position": None if self.position_needs_orientation else self._stored_position,
            "velocity": self._velocity,
            "rate": self._body_axial,
        }
        if of not in maps:
            raise ConventionError(f"of={of!r} is no quantity; it is one of {', '.join(maps)}")
        return maps[of]

    # -- parts -------------------------------------------------------------------------------------

    @property
    def _scale(self) -> Any:
        return self.from_.metres / self.to.metres

    @property
    def _velocity(self) -> LinearMap:
        return self.world.position.scaled(self._scale)

    @property
    def _inverse(self) -> Convention:
        """The one of the two that stores the world's origin in the thing's axes."""
        return self.to if self.to.direction == "world_to_body" else self.from_

    @property
    def _stored_position(self) -> LinearMap:
        """The map of stored positions, up to their origin, where one map holds for all."""
        both_inverse = self.from_.direction == self.to.direction == "world_to_body"
        return self._body_polar.scaled(self._scale) if both_inverse else self._velocity

    @property
    def _world_axial(self) -> LinearMap:
        return self.world.orientation.axial()

    @property
    def _body_polar(self) -> LinearMap:
        return LinearMap(self.body)

    @property
    def _body_axial(self) -> LinearMap:
        return LinearMap(self.body).axial()


def change(
    from_: str | Convention,
    to: str | Convention,
    *,
    thing: str | None = None,
    to_thing: str | None = None,
    forward: str | float | None = None,
    world: str | None = None,
    body: str | None = None,
    origin: ArrayLike | None = None,
) -> Change:
    """Work out the change between two systems.

    Parameters
    ----------
    from_, to : str or Convention
        Names of the registry, or conventions.
    thing, to_thing, forward, world, body, origin
        As in `boresight.convert`. What is not needed is not looked at, so that streams of different worlds
        can be given the same arguments.

    Returns
    -------
    Change

    Raises
    ------
    ConventionError
        If the two conventions do not determine it; the message names the argument that does.

    Examples
    --------
    >>> to_ros = change("px4", "ros")
    >>> to_ros.position([1.0, 2.0, 3.0]), to_ros.body_axial([0.1, 0.2, 0.3])
    (array([ 2.,  1., -3.]), array([ 0.1, -0.2, -0.3]))
    """
    place: Origin | None = None
    if origin is not None:
        values = np.asarray(origin, dtype=np.float64)
        if values.shape != (3,):
            raise ConventionError(f"origin has shape {values.shape}; give (latitude, longitude, height)")
        place = (float(values[0]), float(values[1]), float(values[2]))
    if forward is not None and not isinstance(forward, str):
        forward = heading_degrees(forward)  # an array of one number has no hash to be remembered by
    return _change(get(from_), get(to), thing, to_thing, forward, world, body, place)


@lru_cache(maxsize=256)
def _change(
    from_: Convention,
    to: Convention,
    thing: str | None,
    to_thing: str | None,
    forward: str | float | None,
    world: str | None,
    body: str | None,
    origin: Origin | None,
) -> Change:
    old, new = _things(from_, to, thing, to_thing)
    old_axes, new_axes = _body_axes(from_, old, body), _body_axes(to, new, body)
    free_body = "free" in (old_axes.kind, new_axes.kind)
    # Axes that nobody knows are kept; the numbers then describe the same axes of the thing as before.
    of_body = IDENTITY if free_body else permutation(old_axes, new_axes)
    of_world = world_change(from_, to, forward=forward, world=world, origin=origin)
    wanted = 1 if from_.handedness == to.handedness else -1
    missing: list[str] = []
    if of_world.orientation.determinant != wanted:
        missing.append('the axes of the free world: world="RDF" or whichever they are')
    if of_body.determinant != wanted:
        missing.append('the axes of the free body: body="FLU" or whichever they are')
    if missing:
        raise ConventionError(
            f"{from_.id} is {from_.handedness}-handed and {to.id} is {to.handedness}-handed, so the change "
            f"mirrors; say {' and '.join(missing)}"
        )
    return Change(from_, to, old, new, of_body, of_world)


def _things(from_: Convention, to: Convention, thing: str | None, to_thing: str | None) -> tuple[str, str]:
    """Return what the numbers describe in the one system and in the other."""
    if to_thing is not None:
        to.thing_axes(to_thing)
        if thing is not None:
            from_.thing_axes(thing)
    if thing is not None and thing not in from_.things and thing not in to.things:
        raise ConventionError(
            f"there is no thing {thing!r} in {from_.id} ({', '.join(from_.things)}) "
            f"nor in {to.id} ({', '.join(to.things)})"
        )
    old = thing if thing in from_.things else None
    new = to_thing or (thing if thing in to.things else None)
    return old or from_.default_thing, new or to.default_thing


def _body_axes(convention: Convention, thing: str, body: str | None) -> Axes:
    own = convention.thing_axes(thing)
    if own.kind != "free" or body is None:
        return own
    named = named_axes(body, "body")
    if named.kind != "local":
        raise ConventionError(f"body={body!r} are axes of a world; a body has letters of F B L R U D")
    if named.handedness != own.handedness:
        raise ConventionError(
            f"the {thing} of {convention.id} is {own.handedness}-handed "
            f"and body={body!r} is {named.handedness}-handed"
        )
    return named


def _turned(p: Array, matrix: Array) -> Array:
    return matrix @ p @ np.swapaxes(matrix, -1, -2)


def _crossing(vector: Array) -> Array:
    """The matrix of the cross product with a vector, shape (..., 3, 3)."""
    x, y, z = np.moveaxis(vector, -1, 0)
    o = np.zeros_like(x)
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*vector.shape[:-1], 3, 3)


def _through_inverse(p: Array, position: Array, rotation: Array) -> Array:
    """Change a pose's covariance where the new position is moved by both, and rotations stay as they are."""
    shape = np.broadcast_shapes(p.shape[:-2], position.shape[:-2], rotation.shape[:-2])
    jacobian = np.zeros((*shape, 6, 6), np.result_type(p, position))
    jacobian[..., :3, :3], jacobian[..., :3, 3:] = position, rotation
    jacobian[..., 3:, 3:] = np.eye(3)
    return jacobian @ p @ np.swapaxes(jacobian, -1, -2)


def _both_sides(q: Array, target: SignedPermutation, source: SignedPermutation) -> Array:
    if target == source == IDENTITY:
        return q
    coefficients, scale = quaternion_change(target, source)
    return kernels.change(q, coefficients, scale)
