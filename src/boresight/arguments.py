"""What is said of an argument that is no array of numbers, or of another shape, under the name that the caller knows."""

from __future__ import annotations

import re
from typing import NoReturn

__all__ = ["not_numbers", "reraise_named"]

_KERNEL = re.compile(r"\w+: argument (\d+) ")


def reraise_named(error: Exception, *arguments: tuple[str, object]) -> NoReturn:
    """Raise what a kernel raised, with its arguments named as the caller knows them.

    Parameters
    ----------
    error : Exception
        What was caught; it is raised as it is where it says nothing of an argument.
    *arguments : tuple of str and object
        For each of the kernel's arguments its name and what was given.
    """
    found = _KERNEL.match(str(error))
    if found is None or not 0 < int(found[1]) <= len(arguments):
        raise error
    name, value = arguments[int(found[1]) - 1]
    rest = str(error)[found.end() :]
    if isinstance(error, TypeError) and rest.startswith("is an array of"):
        raise TypeError(not_numbers(name, value)) from None
    raise type(error)(f"{name} {rest}") from None


def not_numbers(name: str, value: object) -> str:
    """Say of an argument that it holds no numbers, and of an object of another library how to have its numbers.

    Examples
    --------
    >>> print(not_numbers("quat=", "north"))
    quat= holds no numbers but a str; give an array of float32 or float64 (integers become float64)
    """
    kind = type(value)
    module = kind.__module__.partition(".")[0]
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return f"{name} is an array of {dtype}; give one of float32 or float64 (integers become float64)"
    if module in ("builtins", "numpy"):
        text = f"{name} holds no numbers but a {kind.__name__}"
        return f"{text}; give an array of float32 or float64 (integers become float64)"
    for method, order in (("as_quat", "xyzw"), ("as_matrix", None)):
        if hasattr(value, method):
            say = f' and say its order, order="{order}" for scipy' if order and module == "scipy" else ""
            numbers = f"its numbers, as of .{method}(){say}"
            break
    else:
        numbers = "its numbers as an array, and say in which order they stand"
    return f"{name} is a {kind.__module__}.{kind.__qualname__}, and an array of numbers is needed; give {numbers}"
