"""What all of CARLA's types share: float32 numbers with names, in a batch of any shape."""

# The types of this package know each other's numbers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Never, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..batches import Batch

__all__ = [
    "Component",
    "Floats32",
    "Record",
    "Value",
    "floats32",
    "need_together",
    "numbers",
    "over",
    "refuse",
    "rounded",
]

Floats32: TypeAlias = NDArray[np.float32]

Component: TypeAlias = "np.float32 | NDArray[np.float32]"
"""A field: one number of a single value, an array of the batch's shape otherwise."""

_new = object.__new__
_LARGEST = float(np.finfo(np.float32).max)


class Record(Batch):
    """A batch of values that compares, hashes and pickles by its numbers."""

    __slots__ = ()

    # The names of the fields, in CARLA's own order, which is also that of msgpack.
    fields: ClassVar[tuple[str, ...]]
    # How to make one, for messages.
    usage: ClassVar[str]
    _numbers: ClassVar[str] = "its fields"

    def _arrays(self) -> tuple[Floats32, ...]:
        """The arrays that hold the numbers, each with one row for every value of the batch."""
        raise NotImplementedError

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32."""
        return np.dtype(np.float32)

    def __eq__(self, other: object) -> Any:
        """Whether the numbers are equal, as floats are: a bool, or an array of bool for batches, which broadcast.

        NaN equals nothing, and q and -q are different quaternions.
        """
        theirs = _of_type(type(self), other)
        if theirs is None:
            return NotImplemented
        same = np.asarray(True)
        for mine, other_array in zip(self._arrays(), theirs._arrays(), strict=True):
            _need_one_batch(type(self), mine, other_array)
            same = same & np.all(mine == other_array, axis=-1)
        return bool(same) if same.ndim == 0 else same

    def __ne__(self, other: object) -> Any:
        """The opposite of ``==``."""
        same = self.__eq__(other)
        if same is NotImplemented:
            return NotImplemented
        return not same if isinstance(same, bool) else ~same

    def __hash__(self) -> int:
        if self.shape:
            raise TypeError(f"a batch of {type(self).__name__} is not hashable; its single values are")
        with np.errstate(all="ignore"):
            return hash(tuple((array + np.float32(0)).tobytes() for array in self._arrays()))

    def to_msgpack(self) -> bytes:
        """Pack as CARLA does: an array of the fields in order; batches are arrays of those.

        Raises
        ------
        MissingExtraError
            If the msgpack package is not installed.
        """
        from .packing import pack

        return pack(self._nested())

    @classmethod
    def from_msgpack(cls, data: bytes) -> Self:
        """Unpack what `to_msgpack` or CARLA packed. Whole numbers may be packed as integers.

        Raises
        ------
        ValueError
            If the bytes are no such array.
        """
        from .packing import unpack

        return cls._from_nested(unpack(data))

    @classmethod
    def from_carla(cls, value: Any) -> Self:
        """Copy an object of the ``carla`` package, or a list of them into a batch.

        Nothing of it is kept: no live alias of another object's fields, nothing that changes later. Values of
        this class pass through.

        Raises
        ------
        TypeError
            For anything else.
        """
        from .objects import coerce

        return coerce(cls, value)

    def to_carla(self, module: Any = None) -> Any:
        """Make objects of the ``carla`` package: one, or a list (of lists) of them for a batch.

        Parameters
        ----------
        module : module, optional
            The package; by default the one that is installed.
        """
        from .objects import make_real

        return make_real(self, module)

    def _nested(self) -> Any:
        raise NotImplementedError

    @classmethod
    def _from_nested(cls, nested: Any) -> Self:
        raise NotImplementedError


class Value(Record):
    """A record whose fields are numbers."""

    __slots__ = ("_array",)

    _array: Floats32

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single value."""
        return self._array.shape[:-1]

    def _arrays(self) -> tuple[Floats32, ...]:
        return (self._array,)

    @classmethod
    def _wrap(cls, array: Floats32) -> Self:
        """Wrap numbers that nobody else will change, without looking at them."""
        self = _new(cls)
        array.setflags(False)  # pyright: ignore[reportCallIssue]
        self._array = array
        return self

    def _rearranged(self, change: Callable[[Any], Any]) -> Self:
        return self._wrap(change(self._array))

    def _field(self, index: int) -> Component:
        # Of a single value the index gives a 0-d array, and the empty one the number in it.
        return self._array[..., index][()]

    def _nested(self) -> Any:
        return self._array.tolist()

    @classmethod
    def _from_nested(cls, nested: Any) -> Self:
        return cls._wrap(rows(nested, len(cls.fields), cls))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restore, (type(self), self._array)

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.shape:
            return f"{name}(shape={self.shape})"
        shown = ", ".join(f"{f}={number!s}" for f, number in zip(self.fields, self._array, strict=True))
        return f"{name}({shown})"


def _restore(cls: type[Value], array: Floats32) -> Value:
    return cls._wrap(array)


def numbers(cls: type[Record], values: tuple[Any, ...]) -> Floats32:
    """One float32 array, its last axis the fields, of numbers and arrays that broadcast.

    Raises
    ------
    TypeError
        For what is no number.
    ValueError
        For shapes that do not broadcast.
    """
    # The quick way for what is nearly always so: setting NumPy's warnings takes longer than all the rest.
    for value in values:
        kind = cast("type[object]", type(value))
        if (kind is not float and kind is not int) or not -_LARGEST <= value <= _LARGEST:
            break
    else:
        return np.array(values, dtype=np.float32)
    arrays = [_number(cls, name, value) for name, value in zip(cls.fields, values, strict=True)]
    try:
        return np.stack(np.broadcast_arrays(*arrays), axis=-1)
    except ValueError:
        shapes = ", ".join(f"{n} {a.shape}" for n, a in zip(cls.fields, arrays, strict=True))
        raise ValueError(f"{cls.usage}: the shapes do not broadcast: {shapes}") from None


def _number(cls: type[Record], name: str, value: ArrayLike) -> Floats32:
    array = floats32(value)
    if array is None:
        raise TypeError(
            f"{cls.usage} takes numbers or arrays of them; {name} is of type {type(value).__name__}"
        )
    return array


def floats32(value: Any) -> Floats32 | None:
    """A new array of something array-like; None of what is no numbers. What is beyond float32 becomes infinite."""
    if isinstance(value, Batch):
        return None
    try:
        # Python's whole numbers have no end; NumPy's do.
        array = np.asarray(float(value) if type(value) is int else value)
    except OverflowError:
        array = np.asarray(np.inf if value > 0 else -np.inf)
    except (TypeError, ValueError):
        return None
    if array.dtype.kind not in "iuf":
        return None
    return rounded(array)


def rounded(array: NDArray[Any]) -> Floats32:
    """A copy in float32, as C rounds: in silence."""
    with np.errstate(all="ignore"):
        return array.astype(np.float32)


def rows(values: ArrayLike, columns: int, cls: type[Record]) -> Floats32:
    """A new float32 array of shape (..., columns) of something array-like.

    Raises
    ------
    TypeError, ValueError
    """
    array = floats32(values)
    if array is None:
        raise TypeError(f"{cls.__name__} is made of numbers, not of {type(values).__name__}")
    if array.ndim == 0 or array.shape[-1] != columns:
        raise ValueError(
            f"{cls.__name__} is [{', '.join(cls.fields)}]: the last axis must have {columns} numbers, and the shape "
            f"is {array.shape}"
        )
    return array


def need(kind: type[Any], value: object, *, name: str = "", where: str = "", advice: str = "") -> None:
    """Refuse what is not of just this class; `name` is the class's where its own would not say enough."""
    if type(value) is not kind:
        raise TypeError(
            f"{where}a {name or kind.__name__} is needed here, not a {type(value).__name__}{advice}"
        )


A = TypeVar("A")


def over(kernel: Callable[..., A], *arrays: NDArray[Any]) -> A:
    """Call a kernel of rows, whose batches have to broadcast.

    Raises
    ------
    ValueError
        If they do not.
    """
    try:
        return kernel(*arrays)
    except ValueError:
        need_together(*(array.shape[:-1] for array in arrays))
        raise


def need_together(*shapes: tuple[int, ...]) -> None:
    """Refuse batch shapes that do not broadcast."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        shown = " and ".join(str(shape) for shape in dict.fromkeys(shapes) if shape)
        raise ValueError(f"batches of shapes {shown} do not broadcast") from None


def refuse(cls: type[Record], positional: Sequence[Any], unknown: Mapping[str, Any]) -> Never:
    """Say how a value is made, to who tried otherwise."""
    wrong = [f"no argument {name!r}" for name in unknown]
    if positional:
        by = "fewer arguments" if unknown else "its arguments by these names"
        wrong.append(f"{by}; {len(positional)} too many came by position")
    raise TypeError(f"{cls.usage} takes {', and '.join(wrong)}")


def _of_type(cls: type[Record], other: object) -> Record | None:
    if type(other) is cls:
        return other
    from .objects import comparable

    return comparable(cls, other)


def _need_one_batch(cls: type[Record], mine: Floats32, theirs: Floats32) -> None:
    try:
        np.broadcast_shapes(mine.shape, theirs.shape)
    except ValueError:
        raise ValueError(
            f"cannot compare batches of {cls.__name__} of shapes {mine.shape[:-1]} and {theirs.shape[:-1]}"
        ) from None
