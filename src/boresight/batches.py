"""What all values of the library share: a batch shape, indexing, and that nothing changes them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Never, Self, cast

import numpy as np

from .errors import FrameError
from .frames import Source, Target, mismatch
from .rows import Floats

__all__ = ["Batch", "Framed", "describe_quaternions", "present_as_one"]


class Batch:
    """A batch of values, of any shape, that behaves as an immutable array of them."""

    __slots__ = ()

    # NumPy then leaves array @ value to the value, which has the better message.
    __array_ufunc__: ClassVar[None] = None

    # What to write instead of np.asarray(value).
    _numbers: ClassVar[str]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single value."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64."""

    @abstractmethod
    def _rearranged(self, change: Callable[[Floats], Floats]) -> Self:
        """The value made of its arrays after `change`, which moves rows and leaves the last axis alone."""

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError(f"a single {type(self).__name__} has no length; its shape is ()")
        return shape[0]

    def __bool__(self) -> bool:
        # Always, as objects are: `if value:` asks whether there is one, where Python would ask for the length.
        return True

    def __getitem__(self, index: Any) -> Self:
        """Index the batch as NumPy indexes an array of its shape."""
        if not self.shape:
            raise TypeError(f"a single {type(self).__name__} cannot be indexed; its shape is ()")
        parts = cast("tuple[Any, ...]", index if isinstance(index, tuple) else (index,))
        # The index must not reach the components behind the batch.
        every = slice(None)
        whole = (*parts, every) if any(part is Ellipsis for part in parts) else (*parts, Ellipsis, every)
        return self._rearranged(lambda array: array[whole])

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise TypeError(f"a single {type(self).__name__} cannot be iterated over; its shape is ()")
        return (self[i] for i in range(self.shape[0]))

    def reshape(self, *shape: int) -> Self:
        """The same values in a batch of another shape; one length may be -1."""
        # The batch alone: beside the components of an empty batch NumPy could not work out a -1.
        batch = np.empty(self.shape, dtype=np.bool_).reshape(*shape).shape
        return self._rearranged(lambda array: array.reshape(*batch, array.shape[-1]))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    if not TYPE_CHECKING:
        # Hidden from checkers: what has __array__ is array_like to them.

        def __array__(self, *_: Any, **__: Any) -> Never:
            name = type(self).__name__
            raise TypeError(
                f"{name} is no array, since numbers alone do not say what they are; take {self._numbers}"
            )


class Framed(Batch, Generic[Source, Target]):
    """A batch of maps from coordinates in `Source` to coordinates in `Target`."""

    __slots__ = ("_source", "_target")

    _source: type[Source]
    _target: type[Target]

    # How to make something that composes of an array, or of a value of the other class.
    _advice: ClassVar[str]

    @property
    def source(self) -> type[Source]:
        """The frame that coordinates come from."""
        return self._source

    @property
    def target(self) -> type[Target]:
        """The frame that coordinates are taken to."""
        return self._target

    def _chain(self) -> str:
        return f"{type(self).__name__}[{self._source.__name__} → {self._target.__name__}]"

    def _cannot_compose(self, other: Any) -> Never:
        """Raise for `other`, which does not lead to where this one starts."""
        if type(other) is not type(self):
            self._wrong_class("compose", other)
        clash = mismatch(self._source, other.target)
        raise FrameError(f"cannot compose {self._chain()} with {other._chain()}: {clash}")

    def _need_to_follow(self, other: Any) -> None:
        """Refuse a value of another class, or one that does not lead to where this one starts."""
        if other.__class__ is not self.__class__ or self._source != other._target:
            self._cannot_compose(other)

    def _need_same_frames(self, verb: str, joint: str, other: Any) -> None:
        """Refuse a value of another class or between other frames."""
        if (
            other.__class__ is self.__class__
            and self._source is other._source
            and self._target is other._target
        ):
            return
        if type(other) is not type(self):
            self._wrong_class(verb, other)
        for own, others in ((self._source, other.source), (self._target, other.target)):
            if own != others:
                clash = mismatch(own, others)
                raise FrameError(f"cannot {verb} {self._chain()} {joint} {other._chain()}: {clash}")

    def _wrong_class(self, verb: str, other: Any) -> Never:
        raise FrameError(
            f"cannot {verb} {self._chain()} with a value of type {type(other).__name__}; {self._advice}"
        )

    def __rmatmul__(self, other: Never) -> Never:
        raise FrameError(
            f"cannot compose a value of type {type(other).__name__} with {self._chain()}; {self._advice}"
        )


def describe_quaternions(xyzw: Floats) -> str:
    """One quaternion by its named components, or the shape of a batch; the type where not float64."""
    kind = "" if xyzw.dtype == np.float64 else f", {xyzw.dtype}"
    if xyzw.ndim > 1:
        return f"shape={xyzw.shape[:-1]}{kind}"
    # By way of str a float32 keeps its own few digits; adding zero makes 0.0 of -0.0.
    x, y, z, w = (float(str(component)) + 0.0 for component in xyzw)
    return f"w={w}, x={x}, y={y}, z={z}{kind}"


def present_as_one(public: type) -> None:
    """Give the methods that a class has from the other files of its package the name of the class, which errors show.

    Python's ``Rotation.reframe() got an unexpected keyword argument`` would name the file's own part of it instead.
    """
    package = public.__module__.rpartition(".")[0]
    for part in public.__mro__[1:]:
        if part.__module__.rpartition(".")[0] != package:
            continue  # shared with other classes
        for name, member in vars(part).items():
            function: object = getattr(member, "__func__", member)  # of a static or class method
            if isinstance(function, FunctionType) and function.__module__ == part.__module__:
                # Both, so that the method is found where a pickle looks for it.
                function.__qualname__ = f"{public.__name__}.{name}"
                function.__module__ = public.__module__
