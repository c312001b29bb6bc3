"""Objects of the ``carla`` package, in and out: by what they have, never by importing it.

CARLA's own objects change (`transform` writes into its argument), share their fields (``t.location`` is an alias that
lives), and can be neither copied nor pickled. Ours are copies of their numbers.
"""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Never, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..batches import Batch
from ..errors import MissingExtraError
from .memory import read_memory
from .values import Floats32, Record, Value

__all__ = ["coerce", "comparable", "make_real", "real_name"]

R = TypeVar("R", bound=Record)

# What carries a class's numbers, as paths of attributes, by the name of the class, in our order.
PATHS: dict[str, tuple[str, ...]] = {
    "Vector3D": ("x", "y", "z"),
    "Location": ("x", "y", "z"),
    "Rotation": ("pitch", "yaw", "roll"),
    "Transform": (
        "location.x",
        "location.y",
        "location.z",
        "rotation.pitch",
        "rotation.yaw",
        "rotation.roll",
    ),
}
# Where one class is asked for, these do as well: any vector is a place and the other way round, as in CARLA.
_ALSO = {"Vector3D": ("Vector3D", "Location"), "Location": ("Location", "Vector3D")}


def real_name(value: object) -> str | None:
    """The name of our class whose fields an object that is not ours has; None where it has no such."""
    if isinstance(value, Batch):
        return None
    if hasattr(value, "location") and hasattr(value, "rotation"):
        return "Transform"
    if hasattr(value, "pitch") and hasattr(value, "yaw") and hasattr(value, "roll"):
        return "Rotation"
    if hasattr(value, "x") and hasattr(value, "y") and hasattr(value, "z") and not hasattr(value, "w"):
        return "Location" if type(value).__name__ == "Location" else "Vector3D"
    return None


def coerce(cls: type[R], value: Any) -> R:
    """A value of one of our classes from one of CARLA's, from a list of them, or from itself.

    Raises
    ------
    TypeError
        For anything else.
    ValueError
        For an empty list.
    """
    if type(value) is cls:
        return value
    names = _names(cls)
    if isinstance(value, Value) and type(value).__name__ in names:
        return cast("R", cast("type[Value]", cls)._wrap(value._array))
    if isinstance(value, list | tuple | np.ndarray):
        return _batch(cls, cast("Any", value), names)
    if real_name(value) not in names:
        _refuse(cls, value)
    return _made(cls, _by_attributes([value], PATHS[cls.__name__])[0])


def comparable(cls: type[R], value: object) -> R | None:
    """What `coerce` makes of what might equal a value of a class; None for other things."""
    items: list[object] = cast("Any", value) if isinstance(value, list | tuple) else [value]
    names = _names(cls)
    if not items or not all(_name(item) in names for item in items):
        return None
    return coerce(cls, value)


def _name(value: object) -> str | None:
    return type(value).__name__ if isinstance(value, Record) else real_name(value)


def _names(cls: type[Record]) -> tuple[str, ...]:
    name = cls.__name__
    return _ALSO.get(name, (name,) if name in PATHS else ())


def _batch(cls: type[R], items: Any, names: tuple[str, ...]) -> R:
    if isinstance(items, np.ndarray):
        array = cast("NDArray[Any]", items)
        if array.dtype != object:
            _refuse(cls, array)
        items = array.tolist()
    flat: list[Any] = list(items)
    if not flat:
        raise ValueError(f"an empty list holds no {cls.__name__}")
    kind = cast("type[Any]", type(flat[0]))
    if issubclass(kind, Batch | list | tuple) or any(type(item) is not kind for item in flat):
        # Ours among them, or nested: one at a time, then joined along a new first axis.
        return _joined(cls, [coerce(cls, item) for item in flat])
    if real_name(flat[0]) not in names:
        _refuse(cls, flat[0], " (in a list)")
    paths = PATHS[cls.__name__]
    rows, known = read_memory(flat, kind, paths)
    if not known.all():
        others: list[int] = np.flatnonzero(~known).tolist()
        rows[others] = _by_attributes([flat[i] for i in others], paths)
    return _made(cls, rows)


def _joined(cls: type[R], parts: list[R]) -> R:
    shapes = {part.shape for part in parts}
    if len(shapes) > 1:
        raise ValueError(f"a list of {cls.__name__} of several shapes is no batch: {sorted(shapes)}")
    rows = [np.concatenate(part._arrays(), axis=-1) for part in parts]
    return _made(cls, np.stack(rows))


def _by_attributes(items: Sequence[Any], paths: tuple[str, ...]) -> Floats32:
    rows: list[tuple[float, ...]] = []
    for item in items:
        if len(paths) == 6:
            place, angles = item.location, item.rotation
            rows.append((place.x, place.y, place.z, angles.pitch, angles.yaw, angles.roll))
        else:
            rows.append(tuple(getattr(item, name) for name in paths))
    try:
        return np.array(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise TypeError(
            f"the fields {', '.join(paths)} of {type(items[0]).__name__} are no numbers"
        ) from None


def _made(cls: type[R], array: Floats32) -> R:
    if issubclass(cls, Value):
        return cls._wrap(array)
    place, angles = (np.ascontiguousarray(array[..., part]) for part in (slice(0, 3), slice(3, 6)))
    return cast("Any", cls)._join(place, angles)


def _refuse(cls: type[Record], value: object, where: str = "") -> Never:
    name = cls.__name__
    real = f", a carla.{name} or a list of them" if name in PATHS else ""
    advice = ""
    if name in ("Vector3D", "Location") and type(value).__name__ == "RightHandedVector3D":
        advice = f"; {name}.from_right_handed(v) makes one of it"
    raise TypeError(f"a {name}{real} is needed here, not a {type(value).__name__}{where}{advice}")


def make_real(value: Record, module: Any = None) -> Any:
    """Objects of the ``carla`` package of a value; lists of them for a batch.

    Raises
    ------
    TypeError
        For what CARLA has no class for.
    MissingExtraError
        If the package is not installed.
    """
    name = type(value).__name__
    if name not in PATHS:
        raise TypeError(f"the carla package has no {name}; it has {', '.join(PATHS)}")
    if module is None:
        try:
            module = import_module("carla")
        except ImportError:
            raise MissingExtraError("carla", extra="carla") from None
    if value.shape:
        return [make_real(item, module) for item in cast("Any", value)]
    rows: list[list[float]] = [array.tolist() for array in value._arrays()]
    if name == "Transform":
        return module.Transform(module.Location(*rows[0]), _rotation(module, rows[1]))
    if name == "Rotation":
        return _rotation(module, rows[0])
    return getattr(module, name)(*rows[0])


def _rotation(module: Any, angles: list[float]) -> Any:
    pitch, yaw, roll = angles
    return module.Rotation(pitch=pitch, yaw=yaw, roll=roll)
