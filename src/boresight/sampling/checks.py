"""Numbers and rotations that come in from outside, refused by the name of their argument where they are none."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..rotation import Rotation
from .streams import Doubles, integer

__all__ = ["OutOfRangeError", "argument", "indices", "real", "reals", "rotation", "whole"]

_FLOAT64 = np.dtype(np.float64)


class OutOfRangeError(ValueError):
    """Angles outside their range, with the limits as numbers for those who show them in another unit.

    Parameters
    ----------
    message : str
    argument : str
    low, high : tuple of float
        In radians, one for each angle.
    """

    def __init__(
        self, message: str, argument: str = "", low: tuple[float, ...] = (), high: tuple[float, ...] = ()
    ) -> None:
        super().__init__(message)
        self.argument, self.low, self.high = argument, low, high


def real(name: str, value: Any) -> float:
    """One number, which may be NaN or infinite.

    Raises
    ------
    TypeError
        For what is none; text, True and False are none either.
    """
    try:
        if isinstance(value, str | bytes | bool) or getattr(value, "dtype", _FLOAT64).kind not in "fiuO":
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}= must be one number, not {value!r}") from None


def reals(name: str, values: Any) -> Doubles:
    """Numbers of any shape, as a copy in double precision.

    Raises
    ------
    TypeError
        For text, complex numbers, objects, True and False, masks, and rows of different lengths.
    """
    array = _array(name, values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}= must be made of real numbers, not of {array.dtype.name}: {values!r}")
    return array.astype(np.float64)


def indices(name: str, values: Any) -> NDArray[np.int64]:
    """Integers of any shape.

    Raises
    ------
    ValueError
        For what is made of others, whole floating-point numbers among them.
    """
    array = _array(name, values)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{name}= must be made of integers, not of {array.dtype.name}")
    return array.astype(np.int64, copy=False)


def _array(name: str, values: Any) -> NDArray[Any]:
    if hasattr(values, "mask"):
        raise TypeError(f"{name}= is a masked array, whose mask would be lost; give a.filled(numpy.nan)")
    try:
        array = np.asarray(values)
    except ValueError:
        raise TypeError(f"{name}= must be an array of numbers; its rows differ in length") from None
    if isinstance(values, list | tuple) and _has_bool(values):  # beside numbers, NumPy takes them for 1 and 0
        raise TypeError(f"{name}= must be made of numbers, not of True and False: {values!r}")
    return array


def _has_bool(values: Any) -> bool:
    return any(
        _has_bool(value)
        if isinstance(value, list | tuple)
        else isinstance(value, bool) or getattr(value, "dtype", _FLOAT64).kind == "b"
        for value in values
    )


def whole(name: str, value: Any) -> int:
    """One integer.

    Raises
    ------
    ValueError
        For what is none, whole floating-point numbers, True and False among them.
    """
    try:
        return integer(value)
    except TypeError:
        raise ValueError(f"{name}= must be an integer, not {value!r}") from None


def argument(name: str) -> str:
    """An argument as messages name it: ``near=``, but ``near[0]`` of a part of it."""
    return f"{name}=" if name.isidentifier() else name


def rotation(name: str, value: Any) -> Rotation[Any, Any]:
    """What has to be a `Rotation`.

    Raises
    ------
    TypeError
        For all else; it says how to make one of it.
    """
    if isinstance(value, Rotation):
        return cast("Rotation[Any, Any]", value)
    kind = cast("type[object]", type(value))
    module = kind.__module__.partition(".")[0]
    if module == "scipy" and hasattr(value, "as_quat"):
        found = f"a scipy.spatial.transform.{kind.__name__}"
        give = 'Rotation.from_quat(r.as_quat(), order="xyzw")'
    elif isinstance(getattr(value, "rotation", None), Rotation):
        found, give = f"a {kind.__name__}", "its .rotation"
    elif isinstance(value, list | tuple | np.ndarray):
        found, give = _array_as_rotation(value)
    else:
        found = f"a value of type {kind.__name__ if module == 'builtins' else f'{module}.{kind.__name__}'}"
        give = "one made with Rotation.from_quat, from_matrix, from_euler or from_rotvec"
    raise TypeError(f"{argument(name)} must be a Rotation, not {found}; give {give}")


def _array_as_rotation(value: Any) -> tuple[str, str]:
    """What an array is called, and which constructor takes one of its shape."""
    try:
        shape = np.shape(value)
    except ValueError:  # rows of different lengths
        shape = ()
    found = f"an array of shape {shape}" if shape else f"a {type(value).__name__}"
    if shape[-1:] == (4,):
        return found, 'Rotation.from_quat(q, order="xyzw") or order="wxyz", whichever it is'
    if shape[-2:] == (3, 3):
        return found, "Rotation.from_matrix(m)"
    if shape[-1:] == (3,):
        return found, "Rotation.from_rotvec(v) or Rotation.from_euler, whichever it is"
    return found, "one made with Rotation.from_quat, from_matrix, from_euler or from_rotvec"
