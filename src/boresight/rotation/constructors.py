"""The less usual ways in: modified Rodrigues parameters, two axes, heading and tilt, and vectors to align."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from numpy.typing import ArrayLike

from .. import kernels
from ..frames import Frame, Source, Target, Unframed, pair_or_unframed
from ..rows import Floats, Invalid

# By name, since the class that these make is itself made of this one.
from . import rotation as _home
from .algebra import Algebra

if TYPE_CHECKING:
    from ..alignment import AlignReport
    from .rotation import Rotation

__all__ = ["Constructors"]

S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)


class Constructors(Algebra[Source, Target]):
    """The part of `Rotation` with ways in that are rarely wanted."""

    __slots__ = ()

    @overload
    @staticmethod
    def from_modified_rodrigues(
        p: ArrayLike, *, source: type[S], target: type[T], invalid: Invalid = "raise"
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_modified_rodrigues(
        p: ArrayLike, *, invalid: Invalid = "raise"
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_modified_rodrigues(
        p: ArrayLike, *, source: Any = None, target: Any = None, invalid: Invalid = "raise"
    ) -> Rotation[Any, Any]:
        """Make rotations from modified Rodrigues parameters: the axis times the tangent of a quarter of the angle.

        Parameters
        ----------
        p : array_like, shape (..., 3)
            Of any length; beyond 1 they say the longer way round.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        InvalidRowsError, FrameError
        """
        return _made(kernels.from_modified_rodrigues(p, invalid=invalid), source, target)

    @overload
    @staticmethod
    def from_two_axes(
        axes: str,
        first: ArrayLike,
        second: ArrayLike,
        *,
        source: type[S],
        target: type[T],
        invalid: Invalid = "raise",
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_two_axes(
        axes: str, first: ArrayLike, second: ArrayLike, *, invalid: Invalid = "raise"
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_two_axes(
        axes: str,
        first: ArrayLike,
        second: ArrayLike,
        *,
        source: Any = None,
        target: Any = None,
        invalid: Invalid = "raise",
    ) -> Rotation[Any, Any]:
        """Make rotations from where two axes of the source point in the target.

        Parameters
        ----------
        axes : str
            Two letters of x, y and z: which axes of the source are given.
        first : array_like, shape (..., 3)
            Where the first of them points, exactly.
        second : array_like, shape (..., 3)
            Where the second should point; it comes as near as it can, upright on the first.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Rotation, of the two shapes broadcast

        Raises
        ------
        InvalidRowsError
            For axes of length zero, or parallel ones.
        FrameError

        Examples
        --------
        >>> from boresight import Rotation, frames
        >>> up, north = [0, 0, 1], [0, 1, 0]
        >>> R = Rotation.from_two_axes("zx", up, north, source=frames.FLU, target=frames.ENU)
        >>> R.as_euler("ZYX", degrees=True).round(9) + 0.0
        array([90.,  0.,  0.])
        """
        return _made(kernels.from_two_axes(axes, first, second, invalid=invalid), source, target)

    @overload
    @staticmethod
    def from_heading_tilt(
        heading: ArrayLike, tilt: ArrayLike, *, source: type[S], target: type[T], invalid: Invalid = "raise"
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_heading_tilt(
        heading: ArrayLike, tilt: ArrayLike, *, invalid: Invalid = "raise"
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_heading_tilt(
        heading: ArrayLike,
        tilt: ArrayLike,
        *,
        source: Any = None,
        target: Any = None,
        invalid: Invalid = "raise",
    ) -> Rotation[Any, Any]:
        """Make rotations from heading and tilt, as `as_heading_tilt` gives them, in radians.

        Parameters
        ----------
        heading : array_like, shape (...)
        tilt : array_like, shape (..., 2)
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Rotation, of the two shapes broadcast

        Raises
        ------
        InvalidRowsError, FrameError
        """
        return _made(kernels.from_heading_tilt(heading, tilt, invalid=invalid), source, target)

    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        source: type[S],
        target: type[T],
        axis: ArrayLike | None = None,
        report: Literal[False] = False,
        invalid: Invalid = "raise",
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        source: type[S],
        target: type[T],
        axis: ArrayLike | None = None,
        report: Literal[True],
        invalid: Invalid = "raise",
    ) -> tuple[Rotation[S, T], AlignReport]: ...
    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        axis: ArrayLike | None = None,
        report: Literal[False] = False,
        invalid: Invalid = "raise",
    ) -> Rotation[Unframed, Unframed]: ...
    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        axis: ArrayLike | None = None,
        report: Literal[True],
        invalid: Invalid = "raise",
    ) -> tuple[Rotation[Unframed, Unframed], AlignReport]: ...
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        source: Any = None,
        target: Any = None,
        axis: ArrayLike | None = None,
        report: bool = False,
        invalid: Invalid = "raise",
    ) -> Any:
        """The rotation that fits vectors seen from two frames best: ``a ≈ R.apply(b)`` (Wahba's problem).

        Parameters
        ----------
        a : array_like, shape (..., n, 3)
            What the vectors are in the target; the order of a and b is that of scipy's ``align_vectors``.
        b : array_like, shape (..., n, 3)
            What they are in the source.
        weights : array_like, shape (..., n), optional
            Not negative; one of a set may be infinite, and that pair is then aligned exactly.
        source, target : type of Frame, optional
        axis : array_like, shape (3,), optional
            Only turns about this axis: ``[0, 0, 1]`` for the heading alone.
        report : bool
            Whether to tell too how many directions decided it and if it is the only answer.
        invalid : {"raise", "nan"}

        Returns
        -------
        rotation : Rotation, shape (...)
            Of those that fit equally well the one of least angle where one direction alone decides.
        report : AlignReport
            With ``report=True``.

        Raises
        ------
        InvalidRowsError, FrameError, ValueError

        Examples
        --------
        >>> from boresight import Rotation
        >>> R, report = Rotation.align([[0, 1, 0]], [[1, 0, 0]], report=True)
        >>> R.as_euler("ZYX", degrees=True).round(9) + 0.0, report.unique
        (array([90.,  0.,  0.]), False)
        """
        from ..alignment import align_vectors

        q, found = align_vectors(a, b, weights, axis=axis, invalid=invalid)
        rotation = _made(q, source, target)
        return (rotation, found) if report else rotation


def _made(xyzw: Floats, source: Any, target: Any) -> Rotation[Any, Any]:
    made = _home.Rotation._trusted  # pyright: ignore[reportPrivateUsage]
    return made(xyzw, *pair_or_unframed(source, target))
