"""Random numbers, row by row: what makes a sample of n the same as n samples of one.

Every law takes its random numbers from a `numpy.random.Generator` alone, of one kind (uniform, or normal), and a
sample is one row of them. A batch is filled in rows of C order, so it continues the very stream that drawing its
samples one by one would. A law that rejects looks at rows until one is taken; it never draws a row more than it needs
(see `accepted`), so that this holds for it too, and the generator ends up in the same state.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Doubles",
    "Rng",
    "Size",
    "accepted",
    "batch_shape",
    "from_normals",
    "from_uniforms",
    "generator",
    "integer",
]

Doubles = NDArray[np.float64]

Size = int | tuple[int, ...]
"""How many samples: a number, or any batch shape; ``()`` for a single one."""

Rng = np.random.Generator | np.random.SeedSequence | np.random.BitGenerator | int | None
"""A generator to go on with, or a seed of a new one; None for one seeded by the system."""

_BLOCK = 4096  # rows: random numbers and what is made of them stay in the second-level cache


def generator(rng: Rng) -> np.random.Generator:
    """The generator itself, or a new one of that seed.

    Raises
    ------
    ValueError
        For a negative seed.
    TypeError
        For what is neither, `numpy.random.RandomState` among them, though NumPy would take it.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or isinstance(rng, np.random.SeedSequence | np.random.BitGenerator):
        return np.random.default_rng(rng)
    try:
        seed = integer(rng)
    except TypeError:
        raise TypeError(
            f"rng= is a numpy.random.Generator or a seed that is an integer, not {_called(rng)}; "
            "give numpy.random.default_rng(seed), or the seed itself"
        ) from None
    if seed < 0:
        raise ValueError(f"rng= must not be negative as a seed: {seed}")
    return np.random.default_rng(seed)


def _called(value: Any) -> str:
    """What something is: a number or text by itself, an object of another kind by its class."""
    if isinstance(value, np.random.RandomState) or value is np.random:
        return "NumPy's legacy numpy.random.RandomState"
    plain = isinstance(value, bool | float | str | np.bool_ | np.floating)
    return repr(value) if plain else f"a {type(value).__name__}"  # pyright: ignore[reportUnknownArgumentType]


def integer(value: Any) -> int:
    """An integer of any kind; a TypeError for all else, True and False too."""
    if isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "i") == "b":
        raise TypeError
    return index(value)


def batch_shape(size: Size) -> tuple[int, ...]:
    """The batch shape that `size` means.

    Raises
    ------
    ValueError
        For a negative length.
    TypeError
        For what is no number of samples.
    """
    lengths: Any = size if isinstance(size, tuple | list) else (size,)
    try:
        shape = tuple(integer(length) for length in lengths)
    except TypeError:
        raise TypeError(f"size= is a number of samples or a tuple of them, not {size!r}") from None
    if any(length < 0 for length in shape):
        raise ValueError(f"size= cannot be negative: {size!r}")
    return shape


def from_uniforms(
    rng: Rng, size: Size, columns: int, work: Callable[[Doubles, Doubles], object], width: int = 4
) -> Doubles:
    """Fill a batch from rows of uniforms on [0, 1).

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    columns : int
        How many uniforms make a sample.
    work : callable
        Takes the uniforms of a block, shape (m, columns), and where to write what they make, shape (m, width).
    width : int
        How many numbers a sample is.

    Returns
    -------
    ndarray, shape (*size, width)
    """
    return _filled(generator(rng).random, size, columns, work, width)


def from_normals(
    rng: Rng, size: Size, columns: int, work: Callable[[Doubles, Doubles], object], width: int = 4
) -> Doubles:
    """Fill a batch from rows of standard normals; otherwise as `from_uniforms`."""
    return _filled(generator(rng).standard_normal, size, columns, work, width)


def _filled(
    draw: Callable[..., Any],
    size: Size,
    columns: int,
    work: Callable[[Doubles, Doubles], object],
    width: int,
) -> Doubles:
    shape = batch_shape(size)
    count = prod(shape)
    result = np.empty((count, width))
    numbers = np.empty((min(count, _BLOCK), columns))
    for start in range(0, count, _BLOCK):
        rows = numbers[: count - start]
        draw(out=rows)
        work(rows, result[start : start + _BLOCK])
    return result.reshape(*shape, width)


def accepted(
    rng: Rng,
    size: Size,
    columns: int,
    propose: Callable[[Doubles], tuple[Doubles, NDArray[np.bool_]]],
    width: int = 4,
) -> Doubles:
    """Fill a batch by rejection: sample i is the i-th row of uniforms that is accepted.

    Of a batch that still lacks m samples, m rows at the least are still to be looked at. So m are drawn, those
    accepted are kept, and so on with what then is missing: the last row drawn is always the last one accepted.

    Parameters
    ----------
    rng : numpy.random.Generator or seed
    size : int or tuple of int
    columns : int
        How many uniforms make a proposal.
    propose : callable
        Takes uniforms, shape (m, columns); returns what they make, shape (m, width), and which to accept.
    width : int
        How many numbers a sample is.

    Returns
    -------
    ndarray, shape (*size, width)
    """
    draw = generator(rng).random
    shape = batch_shape(size)
    count = prod(shape)
    result = np.empty((count, width))
    numbers = np.empty((min(count, _BLOCK), columns))
    have = 0
    while have < count:
        rows = numbers[: count - have]
        draw(out=rows)
        proposals, taken = propose(rows)
        kept = proposals[taken]
        result[have : have + len(kept)] = kept
        have += len(kept)
    return result.reshape(*shape, width)
