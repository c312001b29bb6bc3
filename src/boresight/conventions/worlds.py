"""From one system's world to another's: what the letters determine, and what the caller has to say.

A change is exact within a kind of world (compass, local, earth). Between kinds something is missing that no
numbers hold: where forward points, or where on the earth the origin lies. A free world says nothing of its
axes, so they are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight import kernels
from boresight.axes import Axes, permutation
from boresight.conventions.convention import Convention, axes
from boresight.conventions.earth import ecef, enu_to_ecef
from boresight.conventions.linear import IDENTITY, LinearMap
from boresight.errors import ConventionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["Origin", "WorldChange", "heading_degrees", "world_change"]

Origin = tuple[float, float, float]
"""Latitude and longitude in degrees, height above the WGS-84 ellipsoid in metres."""

_ENU = Axes("ENU")
_COMPASS_LETTERS = "NESW"


@dataclass(frozen=True, slots=True, eq=False)
class WorldChange:
    """How the coordinates of a world change.

    Attributes
    ----------
    orientation : LinearMap
        In the axes that orientations refer to.
    position : LinearMap
        In the axes of positions; without units.
    before, after : ndarray, shape (3,), or None
        Where the new origin lies: metres to subtract after ``position.first``, or to add before
        ``position.last``.
    """

    orientation: LinearMap
    position: LinearMap
    before: Array | None = None
    after: Array | None = None

    def move(self, positions: Array) -> Array:
        """Change positions in metres, shape (..., 3)."""
        if self.before is None and self.after is None:
            return self.position.apply(positions)
        m = self.position
        p = kernels.permute(positions, m.first.indices, m.first.signs)
        if self.before is not None:
            p = p - self.before
        if m.turn is not None:
            p = kernels.rotate(m.turn, p)
        if self.after is not None:
            p = p + self.after
        return kernels.permute(p, m.last.indices, m.last.signs)


def world_change(
    from_: Convention,
    to: Convention,
    *,
    forward: str | float | None,
    world: str | None,
    origin: Origin | None,
) -> WorldChange:
    """Work out the change between two systems' worlds.

    Raises
    ------
    ConventionError
        Naming the argument that is missing, or what is wrong with one.
    """
    old, old_p = _axes_of(from_, world)
    new, new_p = _axes_of(to, world)
    if "free" in (old.kind, new.kind):
        # The old axes are kept, and positions are brought to those of the orientation and back: a free world
        # has only one.
        exact = permutation(new, new_p) if old.kind == "free" else permutation(old_p, old)
        return WorldChange(LinearMap(IDENTITY), LinearMap(exact))
    if old.kind == new.kind:
        return WorldChange(LinearMap(permutation(old, new)), LinearMap(permutation(old_p, new_p)))
    heading: Array | None = None
    if "local" in (old.kind, new.kind):
        relabel, heading = _facing(from_, to, (old, old_p, new, new_p), forward)
        if heading is not None and new.kind == "local":
            heading = kernels.conjugate(heading)
        old, old_p, new, new_p = (relabel.get(a, a) for a in (old, old_p, new, new_p))
    if "earth" not in (old.kind, new.kind):
        if heading is None:
            return WorldChange(LinearMap(permutation(old, new)), LinearMap(permutation(old_p, new_p)))
        return WorldChange(_through_enu(old, heading, new), _through_enu(old_p, heading, new_p))
    at, tangent = _tangent(*((from_, to) if old.kind == "earth" else (to, from_)), origin)
    if old.kind == "earth":
        turn = kernels.conjugate(tangent)
        turn = turn if heading is None else kernels.multiply(heading, turn)
        return WorldChange(
            LinearMap(IDENTITY, turn, permutation(_ENU, new)),
            LinearMap(IDENTITY, turn, permutation(_ENU, new_p)),
            before=at,
        )
    turn = tangent if heading is None else kernels.multiply(tangent, heading)
    return WorldChange(
        LinearMap(permutation(old, _ENU), turn), LinearMap(permutation(old_p, _ENU), turn), after=at
    )


def _axes_of(convention: Convention, world: str | None) -> tuple[Axes, Axes]:
    """Return the axes of a system's orientations and positions, a free world being the one named."""
    own = convention.world
    if own.kind != "free" or world is None:
        # World-to-body positions are in body axes, and come through the orientation's own world.
        return own, own if convention.direction == "world_to_body" else convention.position_world
    named = named_axes(world, "world")
    if named.handedness != own.handedness:
        raise ConventionError(
            f"the world of {convention.id} is {own.handedness}-handed and "
            f"world={world!r} is {named.handedness}-handed"
        )
    return named, named


def named_axes(letters: str, argument: str) -> Axes:
    """Read axes that a caller names, and say which argument holds no axes."""
    try:
        found = axes(letters)
    except ValueError as error:
        raise ConventionError(f"{argument}={letters!r}: {error}") from error
    if found.kind == "free":
        raise ConventionError(
            f'{argument}={letters!r} names no directions; give letters, as {argument}="RDF"'
        )
    return found


def _facing(
    from_: Convention, to: Convention, worlds: tuple[Axes, Axes, Axes, Axes], forward: str | float | None
) -> tuple[dict[Axes, Axes], Array | None]:
    """Return what local axes are called on the compass, and the turn in ENU that is left to make."""
    if forward is None:
        local, other = (from_, to) if worlds[0].kind == "local" else (to, from_)
        raise ConventionError(
            f"the world of {local.id} is level, and forward is where an unturned body faces; that of "
            f'{other.id} ({other.world}) is fixed to the earth. Say where forward points: forward="E" (or N, S, W), or '
            "forward=heading in degrees, clockwise from north (--forward E)"
        )
    degrees = heading_degrees(forward)
    quarter, rest = divmod(degrees, 90.0)
    first = int(quarter) % 4 if rest == 0.0 else 0
    # From forward, clockwise seen from above: forward, right, back, left.
    names = {letter: _COMPASS_LETTERS[(first + i) % 4] for i, letter in enumerate("FRBL")}
    relabel = {
        own: Axes("".join(names.get(letter, letter) for letter in own.letters))
        for own in worlds
        if own.kind == "local"
    }
    if rest == 0.0:
        return relabel, None
    half = radians(-degrees) / 2.0
    return relabel, np.array([0.0, 0.0, sin(half), cos(half)])


def heading_degrees(forward: str | float) -> float:
    """Read a compass letter or a heading in degrees, clockwise from north."""
    if isinstance(forward, str):
        letter = forward.strip().upper()
        if letter in _COMPASS_LETTERS and len(letter) == 1:
            return 90.0 * _COMPASS_LETTERS.index(letter)
    try:
        degrees = float(forward)
    except (TypeError, ValueError):
        degrees = float("nan")
    if not np.isfinite(degrees):
        raise ConventionError(
            f"forward={forward!r} is no direction; give N, E, S or W, or a heading in degrees, clockwise "
            "from north"
        )
    return degrees % 360.0


def _through_enu(old: Axes, turn: Array, new: Axes) -> LinearMap:
    return LinearMap(permutation(old, _ENU), turn, permutation(_ENU, new))


def _tangent(earth: Convention, other: Convention, origin: Origin | None) -> tuple[Array, Array]:
    """Return an origin in ECEF, metres, and the quaternion that takes ENU there to ECEF."""
    if origin is None:
        raise ConventionError(
            f"the world of {earth.id} is the earth's centre and axes (ECEF), that of {other.id} ({other.world}) "
            "is level somewhere on it. Say where: origin=(latitude, longitude, height above the ellipsoid), "
            "in degrees and metres"
        )
    latitude, longitude, height = origin
    if not (abs(latitude) <= 90.0 and np.isfinite(longitude) and np.isfinite(height)):
        raise ConventionError(
            f"origin={origin} is no place; give latitude, longitude (degrees) and height (metres)"
        )
    phi, lam = radians(latitude), radians(longitude)
    return ecef(phi, lam, height), enu_to_ecef(phi, lam)
