"""Many objects of the ``carla`` package at once, read from where they lie in memory.

An attribute of one of CARLA's objects costs half a microsecond, so that six numbers of each of 10 000 transforms take
60 ms. The objects are Boost.Python instances: the head of the instance has a pointer to a holder, and a holder that
owns its value is a table of virtual functions, a pointer and the value, floats one after another. That is read here in
one go, and only where it is known to be so:

- the class is one of Boost.Python's, and its instances have the head that is expected;
- an object made for the purpose, with numbers of its own in every field, has them where they are looked for;
- an object has the same table of virtual functions as that one, so that its holder is of the same type. One that is
  an alias of another object's field has another, and is left to its attributes.

Where any of it does not hold, nothing is read.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .values import Floats32

__all__ = ["read_memory"]

_WORD = 8
_HOLDER = (
    5 * _WORD
)  # reference count, type, size, dictionary, weak references; then the pointer to the holder
_VALUE = 2 * _WORD  # within the holder: table of virtual functions, next holder


def read_memory(
    items: Sequence[Any], kind: type[Any], paths: tuple[str, ...]
) -> tuple[Floats32, NDArray[np.bool_]]:
    """Read objects of one class.

    Parameters
    ----------
    items : sequence
        All of type `kind`.
    kind : type
        Their class.
    paths : tuple of str
        Their fields, in the order of memory.

    Returns
    -------
    array : ndarray of float32, shape (n, fields)
    known : ndarray of bool, shape (n,)
        Which rows were read; the others are zero.
    """
    n = len(items)
    array = np.zeros((n, len(paths)), dtype=np.float32)
    known = np.zeros(n, dtype=np.bool_)
    table = _table(kind, paths)
    if table is None:
        return array, known
    holders = _words(np.fromiter(map(id, items), np.uint64, n) + np.uint64(_HOLDER), 1)[:, 0]
    known = holders != 0
    holding = holders[known]
    words = _words(holding, 2 + (len(paths) + 1) // 2)
    same = words[:, 0] == table
    known[known] = same
    array[known] = words[same, 2:].copy().view(np.float32)[:, : len(paths)]
    return array, known


def _words(addresses: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """Words of memory at `count` places from each address on."""
    if not addresses.size:
        return np.empty((0, count), np.uint64)
    first = int(addresses.min())
    span = int(addresses.max()) - first + count * _WORD
    # A window at each byte of all that lies between the objects; only those asked for are looked into.
    between: Any = (ctypes.c_char * span).from_address(first)
    width = count * _WORD
    windows = np.ndarray((span - width + 1, width), np.uint8, between, strides=(1, 1))
    return np.ascontiguousarray(windows[(addresses - np.uint64(first)).astype(np.intp)]).view(np.uint64)


@cache
def _table(kind: type[Any], paths: tuple[str, ...]) -> int | None:
    """Address of the virtual functions of a holder that owns an object of this class, if all is as expected."""
    meta = type(kind)
    head = (kind.__basicsize__, kind.__dictoffset__, kind.__weakrefoffset__)
    if (meta.__module__, meta.__name__) != ("Boost.Python", "class"):
        return None
    if head != (6 * _WORD, 3 * _WORD, 4 * _WORD) or sys.byteorder != "little":
        return None
    numbers = [1.0 + i / 8 for i in range(len(paths))]
    probe = kind()
    for path, number in zip(paths, numbers, strict=True):
        *owner, field = path.split(".")
        setattr(attrgetter(owner[0])(probe) if owner else probe, field, number)
    holder = int(_words(np.array([id(probe) + _HOLDER], np.uint64), 1)[0, 0])
    if not holder:
        return None
    words = _words(np.array([holder], np.uint64), 2 + (len(paths) + 1) // 2)[0]
    found = words[2:].copy().view(np.float32)[: len(paths)].tolist()
    return int(words[0]) if found == numbers else None
