"""What a conversion returns: a named tuple of the quantities that were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = Any

__all__ = ["Converted"]


class Converted(tuple[Array, ...]):
    """Converted quantities, by name and in order: orientation, position, velocity, rate, covariance.

    It holds what was given to the conversion and nothing else, so that ``q, p = convert(quat=...,
    position=...)`` unpacks. The orientation is called by its form: ``quat``, ``matrix``, ``euler`` or
    ``transform``.

    Examples
    --------
    >>> from boresight import convert
    >>> convert(position=[1.0, 2.0, 3.0], from_="px4", to="ros")
    Converted(position=array([ 2.,  1., -3.]))
    """

    _fields: tuple[str, ...]

    def __new__(cls, parts: Mapping[str, Array]) -> Self:
        self = super().__new__(cls, parts.values())
        self._fields = tuple(parts)
        return self

    # One property a name, so that editors and type checkers know them.
    @property
    def quat(self) -> Array:
        """Quaternions, shape (..., 4), in the order of the system converted to."""
        return self._part("quat")

    @property
    def matrix(self) -> Array:
        """Rotation matrices, shape (..., 3, 3)."""
        return self._part("matrix")

    @property
    def euler(self) -> Array:
        """Euler angles, shape (..., 3), in the order of the system's own arguments and in its unit."""
        return self._part("euler")

    @property
    def transform(self) -> Array:
        """Matrices with the position in them, shape (..., 4, 4)."""
        return self._part("transform")

    @property
    def position(self) -> Array:
        """Positions, shape (..., 3), in the system's unit of length."""
        return self._part("position")

    @property
    def velocity(self) -> Array:
        """Velocities in the world's axes, shape (..., 3), in the system's unit of length a second."""
        return self._part("velocity")

    @property
    def rate(self) -> Array:
        """Angular rates in the body's axes, shape (..., 3), in the unit in which they were given."""
        return self._part("rate")

    @property
    def covariance(self) -> Array:
        """Covariances, shape (..., 3, 3) or (..., 6, 6)."""
        return self._part("covariance")

    def _part(self, name: str) -> Array:
        if name not in self._fields:
            raise AttributeError(f"there is no {name}: it was not given; there is {', '.join(self._fields)}")
        return self[self._fields.index(name)]

    def _asdict(self) -> dict[str, Array]:
        """Return the quantities by name, as `collections.namedtuple` does."""
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        return f"Converted({', '.join(f'{name}={part!r}' for name, part in self._asdict().items())})"

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Array]], Converted], tuple[dict[str, Array]]]:
        return Converted, (self._asdict(),)
