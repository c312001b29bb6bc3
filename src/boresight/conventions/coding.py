"""Between a system's own numbers and unit quaternions: order, direction, algebra, rows or columns, Euler
angles.

Axes are left alone here; `boresight.conventions.change` changes them. The quaternions of this file are x, y,
z, w, Hamilton, and map the thing's coordinates to the world's, both in the system's own axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from boresight import frames, kernels
from boresight.axes import Axes
from boresight.conventions.convention import Convention, Euler, Form, Invalid, Order
from boresight.conventions.converted import Converted
from boresight.errors import ConventionError
from boresight.pose import Pose
from boresight.rotation import Rotation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from boresight.attitude import Attitude

    Array = NDArray[Any]

__all__ = ["decode", "encode", "read_orientation", "scaled", "split_transform", "write_orientation"]


def read_orientation(
    convention: Convention,
    *,
    quat: ArrayLike | None = None,
    matrix: ArrayLike | None = None,
    euler: ArrayLike | None = None,
    order: Order | None = None,
    invalid: Invalid = "raise",
) -> Array | None:
    """Read one of the three forms of an orientation, shape (..., 4); None where none is given.

    Raises
    ------
    ConventionError
        If more than one is given, or a form that the system does not have.
    InvalidRowsError
        If a row holds no rotation and `invalid` is ``"raise"``.
    """
    given = [
        name for name, value in (("quat", quat), ("matrix", matrix), ("euler", euler)) if value is not None
    ]
    if len(given) > 1:
        raise ConventionError(f"{' and '.join(given)} are both orientations; give one of them")
    if quat is not None:
        stored = kernels.from_quaternion(
            floats(quat), order=quaternion_order(convention, order, "order_in"), invalid=invalid
        )
        return kernels.conjugate(stored) if convention.transposes_quaternion else stored
    if matrix is not None:
        m = floats(matrix)
        if convention.matrix == "row_vectors":
            m = np.swapaxes(m, -1, -2)
        stored = kernels.from_matrix(m, invalid=invalid)
    elif euler is not None:
        stored = _from_euler(_euler_of(convention), floats(euler), invalid)
    else:
        return None
    return kernels.conjugate(stored) if convention.direction == "world_to_body" else stored


def write_orientation(convention: Convention, q: Array, as_: Form, *, order: Order | None = None) -> Array:
    """Write quaternions in a form that the system has.

    Raises
    ------
    ConventionError
        If the system does not have that form.
    """
    if as_ == "quat":
        own = quaternion_order(convention, order, "order_out")
        return kernels.to_quaternion(
            kernels.conjugate(q) if convention.transposes_quaternion else q, order=own
        )
    if convention.direction == "world_to_body":
        q = kernels.conjugate(q)
    if as_ == "euler":
        return _to_euler(_euler_of(convention), q)
    if as_ == "matrix":
        m = kernels.to_matrix(q)
        # A view with its axes swapped would surprise whoever hands the memory on.
        return np.ascontiguousarray(np.swapaxes(m, -1, -2)) if convention.matrix == "row_vectors" else m
    raise ConventionError(f'as_ is "quat", "matrix", "euler" or "transform", not {as_!r}')


def quaternion_order(convention: Convention, order: Order | None, argument: str) -> Order:
    """Return the order that the system fixes, or else the one that the caller names."""
    if order not in (None, "xyzw", "wxyz"):
        raise ConventionError(f'{argument} is "xyzw" or "wxyz", not {order!r}')
    if convention.order is None:
        if order is None:
            others = 'matrix= or as_="matrix"' if convention.euler is None else "a matrix or Euler angles"
            raise ConventionError(
                f"{convention.id} stores no quaternion, so none has a known order; use {others}, or name "
                f'one with {argument}="xyzw" or "wxyz"'
            )
        return order
    if order is not None and order != convention.order:
        raise ConventionError(
            f"{convention.id} stores quaternions as {convention.order}, not {order}; leave {argument} out, "
            f'or use conventions.get("{convention.id}").replace(order="{order}")'
        )
    return convention.order


def _euler_of(convention: Convention) -> Euler:
    if convention.euler is None:
        raise ConventionError(f"{convention.id} has no Euler angles; use a matrix or a quaternion")
    return convention.euler


def _places(euler: Euler) -> tuple[list[int], Array]:
    """Return where each angle of the sequence stands among the arguments, and its sign."""
    signs = np.array([1.0 if sign == "+" else -1.0 for sign in euler.signs])
    return [euler.arguments.index(name) for name in euler.names], signs


def _from_euler(euler: Euler, angles: Array, invalid: Invalid) -> Array:
    places, signs = _places(euler)
    if angles.shape[-1:] != (3,):
        raise ConventionError(
            f"Euler angles have shape (..., 3): {', '.join(euler.arguments)}; not {angles.shape}"
        )
    ordered = angles[..., places] * signs.astype(angles.dtype)
    return kernels.from_euler(euler.sequence, ordered, degrees=euler.unit == "deg", invalid=invalid)


def _to_euler(euler: Euler, q: Array) -> Array:
    places, signs = _places(euler)
    ordered = kernels.to_euler(euler.sequence, q, degrees=euler.unit == "deg")
    angles = np.empty_like(ordered)
    # Adding zero makes -0 a plain 0, which a negative sign would else put before every level angle.
    angles[..., places] = ordered * signs.astype(ordered.dtype) + 0.0
    return angles


def split_transform(convention: Convention, matrix: ArrayLike) -> tuple[Array, Array | None]:
    """Return the rotation part of matrices, and the position of 4×4 ones.

    Raises
    ------
    ConventionError
        If they are neither 3×3 nor 4×4, or a 4×4 one does not end in 0, 0, 0, 1.
    """
    m = floats(matrix)
    if m.shape[-2:] == (3, 3):
        return m, None
    if m.shape[-2:] != (4, 4):
        raise ConventionError(f"a matrix has shape (..., 3, 3) or (..., 4, 4), not {m.shape}")
    rows = convention.matrix == "row_vectors"
    end = m[..., :, 3] if rows else m[..., 3, :]
    off = np.abs(end - np.array([0, 0, 0, 1], dtype=m.dtype)) > (1e-9 if m.dtype == np.float64 else 1e-5)
    # A matrix of zeros stands for no pose in some files: a bad row, for whoever reads the rotation.
    if np.any(off.any(axis=-1) & np.any(m != 0, axis=(-2, -1))):
        which = "column" if rows else "row"
        raise ConventionError(
            f"the last {which} of a 4x4 matrix of {convention.id} is 0 0 0 1, and that of this one is not; "
            "transpose it if it is meant for vectors on its other side"
        )
    return m[..., :3, :3], m[..., 3, :3] if rows else m[..., :3, 3]


def join_transform(convention: Convention, matrix: Array, position: Array) -> Array:
    """Put rotation and position into 4×4 matrices, for the vectors that the system has."""
    shape = np.broadcast_shapes(matrix.shape[:-2], position.shape[:-1])
    m = np.zeros((*shape, 4, 4), dtype=np.result_type(matrix, position))
    m[..., :3, :3] = matrix
    m[..., 3, 3] = 1.0
    if convention.matrix == "row_vectors":
        m[..., 3, :3] = position
    else:
        m[..., :3, 3] = position
    return m


def position_in_world(convention: Convention, stored: Array, q: Array | None) -> Array:
    """Return a stored position as that of the thing in the world, in the system's own axes and unit."""
    if convention.direction == "body_to_world":
        return stored
    if q is None:
        raise ConventionError(needs_orientation(convention))
    return -kernels.rotate(q, stored)


def position_as_stored(convention: Convention, position: Array, q: Array | None) -> Array:
    """Undo `position_in_world`."""
    if convention.direction == "body_to_world":
        return position
    if q is None:
        raise ConventionError(needs_orientation(convention))
    return -kernels.rotate_inverse(q, position)


def needs_orientation(convention: Convention) -> str:
    """Say why a position of a world-to-body system cannot stand alone."""
    return (
        f"a position of {convention.id} is the world's origin in body axes, which means nothing without the "
        "orientation; give quat=, matrix= or euler= beside it"
    )


def floats(values: ArrayLike) -> Array:
    """Return an array of floating-point numbers: integers become float64, float32 stays."""
    array = np.asarray(values)
    return array.astype(np.float64) if array.dtype.kind in "biu" else array


def scaled(values: Array, numerator: int, denominator: int) -> Array:
    """Multiply by a ratio of units, rounding no more than needed: one side of it is mostly 1."""
    if numerator != 1:
        values = values * numerator
    return values / denominator if denominator != 1 else values


# -- classes ---------------------------------------------------------------------------------------


def decode(
    convention: Convention,
    *,
    quat: ArrayLike | None,
    matrix: ArrayLike | None,
    euler: ArrayLike | None,
    position: ArrayLike | None,
    order: Order | None,
    thing: str | None,
    invalid: Invalid,
) -> Rotation[Any, Any] | Pose[Any, Any]:
    """See `Convention.decode`."""
    source, target = _thing_frame(convention, thing), _world_frame(convention.world)
    stored = None if position is None else floats(position)
    if matrix is not None:
        matrix, inside = split_transform(convention, matrix)
        if inside is not None and stored is not None:
            raise ConventionError("a 4x4 matrix holds the position already; leave position= out")
        stored = stored if inside is None else inside
    q = read_orientation(convention, quat=quat, matrix=matrix, euler=euler, order=order, invalid=invalid)
    if q is None:
        raise ConventionError(
            f"there is no orientation of {convention.id} to read; give quat=, matrix= or euler="
        )
    rotation = _rotation(q, source, target)
    if stored is None:
        return rotation
    p = position_in_world(convention, stored, q)
    if convention.direction == "body_to_world" and convention.position_world is not convention.world:
        from boresight.axes import permutation

        change = permutation(convention.position_world, convention.world)
        p = kernels.permute(p, change.indices, change.signs)
    return Pose(rotation, scaled(p, *convention.metres.as_integer_ratio()), invalid=invalid)


def encode(
    convention: Convention,
    value: Rotation[Any, Any] | Pose[Any, Any] | Attitude,
    as_: Form,
    *,
    thing: str | None,
    order: Order | None,
    forward: str | float | None,
    world: str | None,
    body: str | None,
    origin: ArrayLike | None,
) -> Array | Converted:
    """See `Convention.encode`."""
    from boresight.conventions.convert import convert

    rotation = value if isinstance(value, Rotation) else value.rotation
    own = _of_frames(rotation.source, rotation.target, thing or convention.default_thing)
    given: dict[str, Any] = {"quat": rotation.as_quat(order="xyzw")}
    if isinstance(value, Pose):
        given["position"] = value.translation
    converted = convert(
        **given,
        from_=own,
        to=convention,
        as_=as_,
        thing=thing or convention.default_thing,
        order_out=order,
        forward=forward,
        world=world,
        body=body,
        origin=origin,
        invalid="nan",  # bad rows were settled when the value was made
    )
    return converted if isinstance(value, Pose) and as_ != "transform" else converted[0]


def _of_frames(source: frames.FrameLike, target: frames.FrameLike, thing: str) -> Convention:
    """Return the convention of our own numbers between two frames."""
    if frames.Unframed in (source, target):
        raise ConventionError(
            "the rotation says nothing about its frames; name them with .between(source, target), as "
            ".between(frames.FLU, frames.ENU)"
        )
    return Convention(
        id=f"{source.__name__} to {target.__name__}",
        name="a rotation between two frames",
        kind="frames",
        things={thing: source.axes},
        world=target.axes,
        position_world=target.axes,
        direction="body_to_world",
        order="xyzw",
    )


def _rotation(q: Array, source: frames.FrameLike, target: frames.FrameLike) -> Rotation[Any, Any]:
    return cast("Rotation[Any, Any]", Rotation._trusted(q, source, target))  # pyright: ignore[reportPrivateUsage]


def _thing_frame(convention: Convention, thing: str | None) -> frames.FrameLike:
    axes = convention.thing_axes(thing)
    if axes.kind == "free":
        return frames.dynamic(thing or convention.default_thing, axes=axes)
    return frames.of_axes(axes)


def _world_frame(axes: Axes) -> frames.FrameLike:
    # A level world shares its letters with bodies and is none: under a name of its own R @ R stays an error.
    if axes.kind in ("local", "free"):
        return frames.dynamic("world", axes=axes)
    return frames.of_axes(axes)
