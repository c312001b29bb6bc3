"""`boresight.convert`: one call from a system's numbers to another's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.arguments import not_numbers
from boresight.conventions.change import Change, change
from boresight.conventions.coding import (
    floats,
    join_transform,
    read_orientation,
    split_transform,
    write_orientation,
)
from boresight.conventions.convention import Convention, Form, Invalid, Order
from boresight.conventions.converted import Converted
from boresight.conventions.linear import congruence
from boresight.conventions.registry import get
from boresight.errors import ConventionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]

__all__ = ["convert"]


def convert(
    *,
    quat: ArrayLike | None = None,
    matrix: ArrayLike | None = None,
    euler: ArrayLike | None = None,
    position: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    rate: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    from_: str | Convention,
    to: str | Convention,
    as_: Form = "quat",
    thing: str | None = None,
    to_thing: str | None = None,
    order_in: Order | None = None,
    order_out: Order | None = None,
    of: str | None = None,
    forward: str | float | None = None,
    world: str | None = None,
    body: str | None = None,
    origin: ArrayLike | None = None,
    invalid: Invalid = "raise",
) -> Converted:
    """Convert the numbers that one system writes to those that another would write.

    Everything is in the systems' own terms: order and direction of the rotation, sequence, signs and unit of
    Euler angles, unit of length. Batches of any shape; float32 stays float32.

    Parameters
    ----------
    quat, matrix, euler : array_like, shape (..., 4), (..., 3, 3) or (..., 4, 4), (..., 3)
        At most one of them. A 4×4 matrix holds the position too. Euler angles stand in the order of the
        system's own arguments.
    position : array_like, shape (..., 3), optional
        As the system stores it: of the thing in the world, or, where the rotation is world to body, of the
        world's origin in the thing's axes. The latter needs an orientation beside it.
    velocity : array_like, shape (..., 3), optional
        In the world's axes (those of positions), in the system's unit of length a second.
    rate : array_like, shape (..., 3), optional
        Angular rate in the thing's axes, an axial vector. Its unit is left as it is.
    covariance : array_like, shape (..., 6, 6) or (..., 3, 3), optional
        Symmetric; NaN for an entry that is not known. 6×6: position, then small rotations about the world's
        axes, as ROS has it. 3×3: of the one other quantity that is given; where there are several that change
        differently, `of` says which. Position means the stored one, in the system's unit of length: where the
        rotation is world to body, the world's origin in the thing's axes. Between such a system and another a
        3×3 one of it needs the orientation, and is turned by it as if it were exact; a 6×6 one needs
        orientation and position, and goes through the inverse with its cross terms.
    from_, to : str or Convention
        Names of the registry (``boresight conventions`` lists them), or conventions.
    as_ : {"quat", "matrix", "euler", "transform"}
        The form in which orientations come out. A 4×4 matrix in gives a 4×4 one for ``"matrix"``;
        ``"transform"`` makes one of an orientation and a position.
    thing, to_thing : str, optional
        What the numbers describe: ``"body"``, ``"camera"``, ``"lidar"``. `thing` is meant in both systems;
        one that has no such thing uses its first, as both do where none is named. `to_thing` names another in
        the second. Forward of the one is forward of the other: this relabels axes and never adds a mounting.
    order_in, order_out : {"xyzw", "wxyz"}, optional
        Only where the system fixes no order.
    of : {"position", "orientation", "velocity", "rate"}, optional
        What a 3×3 covariance is of.
    forward : str or float, optional
        Between a local world and one fixed to the earth: where forward of the local world points, as a
        compass letter or a heading in degrees, clockwise from north.
    world : str, optional
        The axes of a free world (COLMAP, TUM). Left out, the world's axes stay as they are and only the
        thing's change.
    body : str, optional
        The axes of a free body (SPICE, EuRoC); left out, they stay as they are.
    origin : (latitude, longitude, height), optional
        Between the earth's own axes (ECEF) and a level world: where its origin lies, in degrees and in metres
        above the WGS-84 ellipsoid.
    invalid : {"raise", "nan"}
        What becomes of rows that hold no rotation.

    Returns
    -------
    Converted
        A named tuple of what was given: the orientation by the name of its form, ``position``, ``velocity``,
        ``rate``, ``covariance``, in this order.

    Raises
    ------
    ConventionError
        If the two systems do not determine the answer; the message says what to give.
    InvalidRowsError
        If a row holds no rotation and `invalid` is ``"raise"``.

    Examples
    --------
    A quadrotor that faces east in PX4's numbers, in those of ROS:

    >>> from boresight import convert
    >>> q = [0.70710678, 0, 0, 0.70710678]
    >>> q, p = convert(quat=q, position=[10.0, 20.0, -5.0], from_="px4", to="ros")
    >>> q.round(6) + 0.0, p
    (array([0., 0., 0., 1.]), array([20., 10.,  5.]))
    """
    old, new = get(from_), get(to)
    plan = change(
        old, new, thing=thing, to_thing=to_thing, forward=forward, world=world, body=body, origin=origin
    )
    _refuse_idle(plan, world=world, body=body)
    _refuse_shapes(
        {"quat": quat, "matrix": matrix, "euler": euler, "position": position, "velocity": velocity, "rate": rate,
         "covariance": covariance}
    )  # fmt: skip
    is_transform = False
    if matrix is not None:
        matrix, inside = split_transform(old, matrix)
        if inside is not None:
            if position is not None:
                raise ConventionError("a 4x4 matrix holds the position already; leave position= out")
            position, is_transform = inside, as_ == "matrix"
    own = read_orientation(old, quat=quat, matrix=matrix, euler=euler, order=order_in, invalid=invalid)
    out: dict[str, Array] = {}
    if own is not None:
        form: Form = "matrix" if as_ == "transform" else as_
        out[form] = write_orientation(new, plan.own(own), form, order=order_out)
    if position is not None:
        out["position"] = plan.position(position, own=own)
    if as_ == "transform" or is_transform:
        if "matrix" not in out or "position" not in out:
            raise ConventionError('as_="transform" is a 4x4 matrix; give an orientation and a position')
        name = "matrix" if is_transform else "transform"
        joined = join_transform(new, out.pop("matrix"), out.pop("position"))
        out = {name: joined}
    if velocity is not None:
        out["velocity"] = plan.velocity(velocity)
    if rate is not None:
        out["rate"] = plan.body_axial(rate)
    if covariance is not None:
        p = _checked_covariance(covariance)
        given = {"orientation": own, "position": position, "velocity": velocity, "rate": rate}
        out["covariance"] = _covariance(
            plan, p, of, [name for name, value in given.items() if value is not None], own, position
        )
    if not out:
        raise ConventionError(
            "there is nothing to convert; give quat=, matrix=, euler=, position=, velocity=, rate= or "
            "covariance="
        )
    return Converted(out)


def _refuse_idle(plan: Change, *, world: str | None, body: str | None) -> None:
    """Refuse axes named for what is not free: the caller expects something that will not happen."""
    if world is not None and "free" not in (plan.from_.world.kind, plan.to.world.kind):
        raise ConventionError(
            f"world={world!r} names the axes of a free world, and those of {plan.from_.id} ({plan.from_.world}) "
            f"and {plan.to.id} ({plan.to.world}) are known; leave it out, or change one with .replace(world=...)"
        )
    old, new = plan.from_.things[plan.thing], plan.to.things[plan.to_thing]
    if body is not None and "free" not in (old.kind, new.kind):
        raise ConventionError(
            f"body={body!r} names the axes of a free body, and those of {plan.from_.id} ({old}) and "
            f"{plan.to.id} ({new}) are known; leave it out, or change one with .replace(things=...)"
        )


_ROWS = {
    "quat": ((4,),),
    "matrix": ((3, 3), (4, 4)),
    "euler": ((3,),),
    "position": ((3,),),
    "velocity": ((3,),),
    "rate": ((3,),),
    "covariance": ((3, 3), (6, 6)),
}
"""What one row of an argument may be."""


def _refuse_shapes(given: dict[str, ArrayLike | None]) -> None:
    """Refuse what is no array of numbers, rows of another shape, and batches of which some would have no partner."""
    batches: dict[str, tuple[int, ...]] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, value in given.items():
        if value is None:
            continue
        array = np.asarray(value)
        if array.dtype.kind not in "biu" and array.dtype.newbyteorder("=").name not in ("float32", "float64"):
            raise TypeError(not_numbers(f"{name}=", value))
        rows = _ROWS[name]
        dimensions = len(rows[0])
        if array.shape[-dimensions:] not in rows:
            wanted = " or ".join(f"(..., {', '.join(map(str, row))})" for row in rows)
            raise ConventionError(f"{name}= has shape {wanted}, not {array.shape}")
        shapes[name], batches[name] = array.shape, array.shape[:-dimensions]
    try:
        np.broadcast_shapes(*batches.values())
    except ValueError:
        have = ", ".join(f"{name}= {shape}" for name, shape in shapes.items())
        raise ConventionError(
            f"the batches do not go together: {have}; give as many rows of each, or one"
        ) from None


def _covariance(
    plan: Change, p: Array, of: str | None, given: list[str], own: Array | None, position: ArrayLike | None
) -> Array:
    if p.shape[-1] == 6:
        if of is not None:
            raise ConventionError("a 6x6 covariance is of position and orientation; leave of= out")
        return plan.pose_covariance(p, own=own, position=position)
    names = given if of is None else [of]
    maps = [plan.covariance_map(name) for name in names]
    first = maps[0] if maps else None
    alike = first is not None and all(other is not None and first.same_congruence(other) for other in maps)
    if names != ["position"] and not alike:
        options = " or ".join(
            f'of="{name}"' for name in given or ("position", "orientation", "velocity", "rate")
        )
        raise ConventionError(f"say what the 3x3 covariance is of: {options}")
    return plan.covariance_position(p, own=own) if first is None else congruence(p, (first,))


def _checked_covariance(covariance: ArrayLike) -> Array:
    """Return covariances; refuse those that are none. NaN stands for what is not known, and is let through."""
    p = floats(covariance)
    known = np.where(np.isfinite(p), p, 0.0)
    largest = np.abs(known).max(axis=(-2, -1), initial=0.0)
    # Covariances are often kept as text or in single precision; an error of axes or of layout is far larger.
    tolerance = (1e-4 if p.dtype == np.float32 else 1e-6) * largest[..., None, None]
    transposed = np.swapaxes(p, -1, -2)
    bad = np.abs(p - transposed) > tolerance
    if bad.any():
        *row, i, j = (int(k) for k in np.argwhere(bad)[0])
        entry, other = p[(*row, i, j)], p[(*row, j, i)]
        raise ConventionError(
            f"covariance={_in_row(row)} is not symmetric: [{i}, {j}] is {entry:.6g} and [{j}, {i}] is {other:.6g}"
        )
    negative = np.diagonal(p, axis1=-2, axis2=-1) < 0
    if negative.any():
        *row, i = (int(k) for k in np.argwhere(negative)[0])
        raise ConventionError(
            f"covariance={_in_row(row)} has the variance {p[(*row, i, i)]:.6g} at [{i}, {i}], and none is negative; "
            "use NaN for what is not known (ROS marks it with -1)"
        )
    return p


def _in_row(row: list[int]) -> str:
    return f" in row {row[0] if len(row) == 1 else tuple(row)}" if row else ""
