"""What is said of a call that is wrong in itself: which argument it is, and the shape and unit that it has to have.

Native code reads a sample's vectors as they come, and looks no argument over; it is after a call has failed that the
reason is found here, so that a call that is right pays nothing for it.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from boresight.navigation.moments import moment

__all__ = ["WRONG", "Argument", "explain", "instance", "number", "numbers", "rows", "vector"]

Argument = tuple[str, object, str]
"""Name, value and unit."""

WRONG = (TypeError, ValueError, OverflowError)
"""What a call that is wrong in itself may raise."""


def explain(
    error: Exception, time: object, *vectors: Argument, numbers: tuple[Argument, ...] = ()
) -> NoReturn:
    """Raise what is wrong with the first argument that will not do, or `error` itself where all of them will.

    Parameters
    ----------
    error : Exception
        What the call raised.
    time : object
        Its time.
    *vectors : tuple of str, object and str
        Its vectors: name, value and unit.
    numbers : tuple
        Its single numbers, likewise.
    """
    moment(time)
    for argument in vectors:
        vector(*argument)
    for argument in numbers:
        number(*argument)
    raise error


def vector(name: str, value: Any, unit: str) -> NDArray[np.float64]:
    """Return three numbers as float64, shape (3,).

    Raises
    ------
    TypeError
        They are no numbers.
    ValueError
        They are not three.

    Examples
    --------
    >>> vector("rate", [0.1, 0.2], "rad/s")
    Traceback (most recent call last):
        ...
    ValueError: rate has shape (2,); give three numbers, rad/s
    """
    wanted = f"three numbers, {unit}"
    array = numbers(name, value, wanted)
    if array.shape != (3,):
        raise ValueError(f"{name} has shape {array.shape}; give {wanted}") from None
    return array


def numbers(name: str, value: Any, wanted: str) -> NDArray[np.float64]:
    """Return numbers of any shape as float64; `wanted` is what is said to give where they are none.

    Raises
    ------
    TypeError
        They are no numbers.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = None
    if array is None or array.dtype.kind not in "fiub":
        raise TypeError(f"{name} is {_described(value)}; give {wanted}") from None
    return array.astype(np.float64, copy=False)


def rows(name: str, value: Any, count: int, unit: str) -> NDArray[np.float64]:
    """Return vectors as float64, shape (count, 3); a single one will do where `count` is 1.

    Raises
    ------
    TypeError
        They are no numbers.
    ValueError
        They have another shape.
    """
    array = numbers(name, value, f"three numbers, {unit}, for each time")
    if count == 1 and array.shape == (3,):
        return array[None]
    if array.shape != (count, 3):
        raise ValueError(f"{name} has shape {array.shape}; give ({count}, 3), three numbers for each time")
    return array


def number(name: str, value: Any, unit: str) -> float:
    """Return one number.

    Raises
    ------
    TypeError
        It is none.

    Examples
    --------
    >>> number("altitude", "high", "m")
    Traceback (most recent call last):
        ...
    TypeError: altitude is a str; give a number, m
    """
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} is {_described(value)}; give a number, {unit}") from None


def instance(what: str, value: object, needed: type, how: str) -> None:
    """Refuse an object of another class, and say what makes one.

    Raises
    ------
    TypeError
        It is of another class.
    """
    if not isinstance(value, needed):
        raise TypeError(f"{what} is {_kind(value)}; give {how}") from None


def _described(value: object) -> str:
    kind = _kind(value)
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return f"{kind} of {dtype}"
    return f"{kind} that holds other things than numbers" if isinstance(value, list | tuple) else kind


def _kind(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
