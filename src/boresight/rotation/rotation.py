"""The class `Rotation`, with the ways in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Never, TypeVar, final, overload

from numpy.typing import ArrayLike

from .. import kernels
from ..arguments import reraise_named
from ..batches import present_as_one
from ..frames import Frame, FrameLike, Source, Target, Unframed, pair_or_unframed
from ..rows import Floats, Invalid, identities, joined
from .constructors import Constructors
from .numbers import Order

__all__ = ["Rotation"]

# The constructors are static and have type variables of their own: one with a default that belongs to the
# class would be settled before the arguments are looked at.
S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)

_new = object.__new__
_freeze = kernels.freeze


@final
class Rotation(Constructors[Source, Target]):
    """Rotations that map coordinates in `Source` to coordinates in `Target`.

    One object holds a batch of any shape, all between the same two frames. Values are immutable: nothing
    changes them, and they share no memory with what they were made from.

    There is no bare constructor. Each way in names what the numbers are: `from_quat`, `from_matrix`,
    `from_euler`, `from_rotvec`, `from_axis_angle`, `identity`, and less often `from_two_axes`,
    `from_heading_tilt`, `from_modified_rodrigues` and `align`. Each takes ``source=`` and ``target=``, both
    or neither; without frames the rotation is `Unframed` until `between` names them. Source and target have
    one handedness, since no quaternion mirrors.

    Single and double precision are kept as they come; integers become float64. Rows that hold no rotation
    raise `InvalidRowsError`, or become NaN with ``invalid="nan"`` and leave the other rows alone.

    Notes
    -----
    Invariant: every row of the quaternions (x, y, z, w inside, Hamilton) is of unit norm to within rounding,
    or NaN throughout. q and -q are the same rotation; the sign that came in is kept.

    Examples
    --------
    >>> from boresight import Rotation, frames
    >>> north = Rotation.identity(source=frames.FRD, target=frames.NED)
    >>> north.reframe(source=frames.FLU, target=frames.ENU).as_euler("ZYX", degrees=True).round(9) + 0.0
    array([90.,  0.,  0.])
    >>> north @ north
    Traceback (most recent call last):
    boresight.errors.FrameError: cannot compose Rotation[FRD → NED] with Rotation[FRD → NED]: FRD is not NED
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, *, use_a_named_constructor: Never) -> None: ...

    else:

        def __init__(self, *_arguments, **_keywords):
            raise TypeError(
                "Rotation has no bare constructor; say what the numbers are: "
                "Rotation.from_quat(q, order=...), from_matrix, from_euler, from_rotvec, from_axis_angle "
                "or identity"
            )

    # ---- in ----------------------------------------------------------------------------------

    @staticmethod
    def _trusted(xyzw: Floats, source: type[S], target: type[T]) -> Rotation[S, T]:
        """Wrap unit quaternions that nobody else holds, without looking at them."""
        self: Rotation[S, T] = _new(Rotation)  # pyright: ignore[reportAssignmentType]
        _freeze(xyzw)
        self._xyzw = xyzw
        self._source = source
        self._target = target
        return self

    @overload
    @staticmethod
    def from_quat(
        q: ArrayLike, *, order: Order, source: type[S], target: type[T], invalid: Invalid = "raise"
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_quat(
        q: ArrayLike, *, order: Order, invalid: Invalid = "raise"
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_quat(
        q: ArrayLike, *, order: Order, source: Any = None, target: Any = None, invalid: Invalid = "raise"
    ) -> Rotation[Any, Any]:
        """Make rotations from quaternions.

        Parameters
        ----------
        q : array_like, shape (..., 4)
            Hamilton quaternions of any norm but zero; they are normalised, their sign is kept.
        order : {"xyzw", "wxyz"}
            Where the scalar part w stands.
        source, target : type of Frame, optional
            The rotation maps coordinates in `source` to coordinates in `target`.
        invalid : {"raise", "nan"}
            What to do with rows of zero norm or with numbers that are not finite.

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        InvalidRowsError
            For bad rows, with ``invalid="raise"``; it names the first, why, and how many.
        FrameError
            If one frame is given alone, or the two differ in handedness.

        Examples
        --------
        >>> Rotation.from_quat([2, 0, 0, 0], order="wxyz")
        Rotation[Unframed → Unframed](w=1.0, x=0.0, y=0.0, z=0.0)
        """
        source, target = pair_or_unframed(source, target)
        try:
            xyzw = kernels.from_quaternion(q, order=order, invalid=invalid)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("q", q))
        return _make(xyzw, source, target)

    @overload
    @staticmethod
    def from_matrix(
        m: ArrayLike,
        *,
        source: type[S],
        target: type[T],
        invalid: Invalid = "raise",
        project: bool = False,
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_matrix(
        m: ArrayLike, *, invalid: Invalid = "raise", project: bool = False
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_matrix(
        m: ArrayLike,
        *,
        source: Any = None,
        target: Any = None,
        invalid: Invalid = "raise",
        project: bool = False,
    ) -> Rotation[Any, Any]:
        """Make rotations from 3×3 matrices that multiply column vectors: ``v_target = m @ v_source``.

        Parameters
        ----------
        m : array_like, shape (..., 3, 3)
            Orthogonal to within a tolerance that follows the precision; reflections are bad rows.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}
        project : bool
            Take any matrix and return the nearest rotation.

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        InvalidRowsError, FrameError

        Examples
        --------
        >>> Rotation.from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).as_euler("ZYX", degrees=True).round(9)
        array([90.,  0.,  0.])
        """
        source, target = pair_or_unframed(source, target)
        try:
            xyzw = kernels.from_matrix(m, invalid=invalid, project=project)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("m", m))
        return _make(xyzw, source, target)

    @overload
    @staticmethod
    def from_euler(
        sequence: str,
        angles: ArrayLike,
        *,
        degrees: bool,
        source: type[S],
        target: type[T],
        invalid: Invalid = "raise",
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_euler(
        sequence: str, angles: ArrayLike, *, degrees: bool, invalid: Invalid = "raise"
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_euler(
        sequence: str,
        angles: ArrayLike,
        *,
        degrees: bool,
        source: Any = None,
        target: Any = None,
        invalid: Invalid = "raise",
    ) -> Rotation[Any, Any]:
        """Make rotations from Euler angles.

        Parameters
        ----------
        sequence : str
            Three letters, as scipy writes them: upper case about the axes of the turned body (intrinsic),
            lower case about fixed axes (extrinsic). ``"ZYX"`` is R = Rz(a) Ry(b) Rx(c).
        angles : array_like, shape (..., 3)
            In the order of the letters.
        degrees : bool
            The unit, which has no default.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        ValueError
            For a sequence that does not exist.
        InvalidRowsError, FrameError

        Examples
        --------
        >>> R = Rotation.from_euler("ZYX", [30, 20, 10], degrees=True)
        >>> R.as_euler("ZYX", degrees=True).round(9)
        array([30., 20., 10.])
        """
        source, target = pair_or_unframed(source, target)
        try:
            xyzw = kernels.from_euler(sequence, angles, degrees=degrees, invalid=invalid)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("angles", angles))
        return _make(xyzw, source, target)

    @overload
    @staticmethod
    def from_rotvec(
        v: ArrayLike, *, source: type[S], target: type[T], invalid: Invalid = "raise"
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_rotvec(v: ArrayLike, *, invalid: Invalid = "raise") -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_rotvec(
        v: ArrayLike, *, source: Any = None, target: Any = None, invalid: Invalid = "raise"
    ) -> Rotation[Any, Any]:
        """Make rotations from rotation vectors: the exponential map.

        Parameters
        ----------
        v : array_like, shape (..., 3)
            Axis times angle, in radians.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Rotation, shape (...)

        Raises
        ------
        InvalidRowsError, FrameError

        Examples
        --------
        >>> Rotation.from_rotvec([1e-300, 0.0, 0.0]).as_rotvec()
        array([1.e-300, 0.e+000, 0.e+000])
        """
        source, target = pair_or_unframed(source, target)
        try:
            xyzw = kernels.exp(v, invalid=invalid)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("v", v))
        return _make(xyzw, source, target)

    @overload
    @staticmethod
    def from_axis_angle(
        axis: ArrayLike,
        angle: ArrayLike,
        *,
        degrees: bool,
        source: type[S],
        target: type[T],
        invalid: Invalid = "raise",
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def from_axis_angle(
        axis: ArrayLike, angle: ArrayLike, *, degrees: bool, invalid: Invalid = "raise"
    ) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def from_axis_angle(
        axis: ArrayLike,
        angle: ArrayLike,
        *,
        degrees: bool,
        source: Any = None,
        target: Any = None,
        invalid: Invalid = "raise",
    ) -> Rotation[Any, Any]:
        """Make rotations from axes and angles, by the right-hand rule.

        Parameters
        ----------
        axis : array_like, shape (..., 3)
            Of any length but zero.
        angle : array_like, shape (...)
        degrees : bool
            The unit of `angle`, which has no default.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Rotation, of the two shapes broadcast

        Raises
        ------
        InvalidRowsError, FrameError

        Examples
        --------
        >>> Rotation.from_axis_angle([0, 0, 2], 90, degrees=True).as_euler("ZYX", degrees=True).round(9)
        array([90.,  0.,  0.])
        """
        source, target = pair_or_unframed(source, target)
        xyzw = kernels.from_axis_angle(axis, angle, degrees=degrees, invalid=invalid)
        return _make(xyzw, source, target)

    @overload
    @staticmethod
    def identity(
        shape: int | tuple[int, ...] = (), *, source: type[S], target: type[T]
    ) -> Rotation[S, T]: ...
    @overload
    @staticmethod
    def identity(shape: int | tuple[int, ...] = ()) -> Rotation[Unframed, Unframed]: ...
    @staticmethod
    def identity(
        shape: int | tuple[int, ...] = (), *, source: Any = None, target: Any = None
    ) -> Rotation[Any, Any]:
        """Rotations that leave every vector's numbers as they are.

        Between two frames it says that their axes are parallel, x to x, y to y and z to z.

        Parameters
        ----------
        shape : int or tuple of int
            The batch shape; by default a single rotation.
        source, target : type of Frame, optional

        Returns
        -------
        Rotation, float64

        Examples
        --------
        >>> Rotation.identity((2, 3)).shape
        (2, 3)
        """
        source, target = pair_or_unframed(source, target)
        return _make(identities(shape), source, target)

    @staticmethod
    def concatenate(rotations: Sequence[Rotation[S, T]], axis: int = 0) -> Rotation[S, T]:
        """Join batches between the same two frames along one axis; single rotations count as batches of one.

        Parameters
        ----------
        rotations : sequence of Rotation
            At least one.
        axis : int
            An axis of the batch; negative ones count from its end.

        Returns
        -------
        Rotation

        Raises
        ------
        FrameError
            If the frames differ.
        ValueError
            If there is nothing to join, or the batch has no such axis.

        Examples
        --------
        >>> R = Rotation.identity()
        >>> Rotation.concatenate([R, R, R]).shape
        (3,)
        """
        if not rotations:
            raise ValueError("nothing to concatenate; give at least one rotation")
        first = rotations[0]
        for other in rotations[1:]:
            first._need_same_frames("concatenate", "and", other)
        return _make(joined([r._xyzw for r in rotations], axis), first._source, first._target)

    # ---- as a value --------------------------------------------------------------------------

    def _rearranged(self, change: Callable[[Floats], Floats]) -> Rotation[Source, Target]:
        return _make(change(self._xyzw), self._source, self._target)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restore, (self._xyzw, self._source, self._target)


present_as_one(Rotation)

_make = Rotation._trusted  # pyright: ignore[reportPrivateUsage]


def _restore(xyzw: Floats, source: FrameLike, target: FrameLike) -> Rotation[Any, Any]:
    return _make(xyzw, source, target)
