"""`Rotation`: rotations whose two frames are part of their type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Never, TypeVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .batches import Framed, describe_quaternions
from .errors import FrameError, InvalidRowsError
from .frames import Frame, FrameLike, Source, Target, Unframed, check_claim, check_pair, mismatch, reframing
from .rows import Floats, Invalid, floats, settle_finite

__all__ = ["Order", "Rotation"]

Order = Literal["xyzw", "wxyz"]
"""Where a quaternion keeps its scalar part; no function has a default for it."""

# The constructors are static and have type variables of their own: one with a default that belongs to the
# class would be settled before the arguments are looked at.
S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)
S2 = TypeVar("S2", bound=Frame)

_new = object.__new__


@final
class Rotation(Framed[Source, Target]):
    """Rotations that map coordinates in `Source` to coordinates in `Target`.

    One object holds a batch of any shape, all between the same two frames. Values are immutable: nothing
    changes them, and they share no memory with what they were made from.

    There is no bare constructor. Each way in names what the numbers are: `from_quat`, `from_matrix`,
    `from_euler`, `from_rotvec`, `from_axis_angle`, `identity`. Each takes ``source=`` and ``target=``, both
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
    >>> heading_east = Rotation.from_euler(
    ...     "ZYX", [90, 0, 0], degrees=True, source=frames.FRD, target=frames.NED
    ... )
    >>> heading_east.apply([1.0, 0.0, 0.0]).round(9) + 0.0
    array([0., 1., 0.])
    >>> heading_east.reframe(source=frames.FLU, target=frames.ENU)
    Rotation[FLU → ENU](w=1.0, x=0.0, y=0.0, z=0.0)
    """

    __slots__ = ("_xyzw",)

    _numbers = "R.as_quat(order=...), R.as_matrix(), R.as_euler(...) or R.as_rotvec()"
    _advice = (
        "make a Rotation of the numbers, or rotate vectors with R.apply(v); "
        "with a Pose composes Pose(rotation, [0, 0, 0])"
    )
    _xyzw: Floats

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
        self: Rotation[S, T] = _new(Rotation)  # pyright: ignore[reportUnknownVariableType]
        xyzw.setflags(False)
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
        source, target = _frames(source, target)
        return _make(kernels.from_quaternion(q, order=order, invalid=invalid), source, target)

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
        source, target = _frames(source, target)
        return _make(kernels.from_matrix(m, invalid=invalid, project=project), source, target)

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
        source, target = _frames(source, target)
        return _make(kernels.from_euler(sequence, angles, degrees=degrees, invalid=invalid), source, target)

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
        source, target = _frames(source, target)
        rows = settle_finite(floats(v, 3, "the rotation vector"), invalid, "rotation vector")
        return _make(kernels.exp(rows), source, target)

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
        source, target = _frames(source, target)
        turn = floats(angle, 0, "the angle")
        half = (np.deg2rad(turn) if degrees else turn)[..., np.newaxis] / 2
        half = settle_finite(half, invalid, "angle")
        # (axis, 0) is the half turn about the axis; normalising it normalises the axis, whatever its scale.
        direction = floats(axis, 3, "the axis")
        pure = np.concatenate([direction, np.zeros((*direction.shape[:-1], 1), direction.dtype)], axis=-1)
        try:
            unit = kernels.from_quaternion(pure, order="xyzw", invalid=invalid)
        except InvalidRowsError as error:
            raise InvalidRowsError(error.reason, row=error.row, count=error.count, what="axis") from None
        xyzw = np.concatenate(
            np.broadcast_arrays(unit[..., :3] * np.sin(half), np.cos(half) + unit[..., 3:]), axis=-1
        )
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
        source, target = _frames(source, target)
        batch = (shape,) if isinstance(shape, int) else tuple(shape)
        xyzw = np.zeros((*batch, 4))
        xyzw[..., 3] = 1.0
        return _make(xyzw, source, target)

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
        batches = [r._xyzw if r._xyzw.ndim > 1 else r._xyzw[np.newaxis] for r in rotations]
        return _make(
            np.concatenate(batches, axis=axis if axis >= 0 else axis - 1), first._source, first._target
        )

    # ---- what it is --------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single rotation."""
        return self._xyzw.shape[:-1]

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64."""
        return self._xyzw.dtype

    def _take(self, index: tuple[Any, ...]) -> Rotation[Source, Target]:
        return _make(self._xyzw[index], self._source, self._target)

    # ---- out ---------------------------------------------------------------------------------

    def as_quat(self, *, order: Order, canonical: bool = False) -> Floats:
        """Unit quaternions.

        Parameters
        ----------
        order : {"xyzw", "wxyz"}
            Where the scalar part w goes.
        canonical : bool
            Of q and -q, give the one whose first component that is not zero (of w, x, y, z) is positive. By
            default the sign stays as it came.

        Returns
        -------
        ndarray, shape (..., 4)
        """
        return kernels.to_quaternion(self._xyzw, order=order, canonical=canonical)

    def as_matrix(self) -> Floats:
        """3×3 matrices that multiply column vectors: ``v_target = m @ v_source``.

        Returns
        -------
        ndarray, shape (..., 3, 3)
        """
        return kernels.to_matrix(self._xyzw)

    def as_euler(self, sequence: str, *, degrees: bool) -> Floats:
        """Euler angles.

        At the pole, where two of the three angles turn about one axis, the third rotation of an intrinsic
        sequence is zero and the first takes what is left: for ``"ZYX"`` roll is zero. `at_pole` tells where
        that was so.

        Parameters
        ----------
        sequence : str
            As for `from_euler`.
        degrees : bool
            The unit, which has no default.

        Returns
        -------
        ndarray, shape (..., 3)
            In the order of the letters.
        """
        return kernels.to_euler(sequence, self._xyzw, degrees=degrees)

    def at_pole(self, sequence: str) -> NDArray[np.bool_]:
        """Where `as_euler` of this sequence had to choose.

        Returns
        -------
        ndarray of bool, shape (...)
        """
        return kernels.at_pole(sequence, self._xyzw)

    def as_rotvec(self) -> Floats:
        """Rotation vectors, axis times angle in radians, of the shorter way round: the logarithm.

        Returns
        -------
        ndarray, shape (..., 3)
            Of length at most π.
        """
        return kernels.log(self._xyzw)

    def angle(self) -> Floats:
        """Angles of rotation in radians, from 0 to π.

        Returns
        -------
        ndarray, shape (...)
        """
        return kernels.angle(self._xyzw)

    # ---- algebra -----------------------------------------------------------------------------

    def __matmul__(self, other: Rotation[S, Source]) -> Rotation[S, Target]:
        """`other` first, then this one: ``R_ned_frd @ R_frd_camera`` maps camera coordinates to NED.

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        if other.__class__ is not Rotation or (
            self._source is not other._target and self._source != other._target
        ):
            self._cannot_compose(other)
        return _make(kernels.multiply(self._xyzw, other._xyzw), other._source, self._target)

    def inv(self) -> Rotation[Target, Source]:
        """The rotations back: from target to source."""
        return _make(kernels.conjugate(self._xyzw), self._target, self._source)

    def __pow__(self: Rotation[S, S], t: ArrayLike) -> Rotation[S, S]:
        """`t` times the rotation vector. Needs one frame on both sides, or the result would have none.

        Parameters
        ----------
        t : array_like, shape (...)
            Any real numbers, broadcast with the batch.
        """
        if self._source is not self._target and self._source != self._target:
            raise FrameError(
                f"cannot raise {self._chain()} to a power: {mismatch(self._source, self._target)}. "
                "A power needs one frame on both sides; R.slerp(S, t) goes part of the way to S"
            )
        return _make(kernels.power(self._xyzw, t), self._source, self._target)

    def apply(self, v: ArrayLike) -> Floats:
        """Take vectors from source to target.

        Parameters
        ----------
        v : array_like, shape (..., 3)
            Polar and axial vectors alike; batches broadcast.

        Returns
        -------
        ndarray, shape (..., 3)

        Examples
        --------
        >>> R = Rotation.from_euler("ZYX", [90, 0, 0], degrees=True)
        >>> R.apply([[1, 0, 0], [0, 1, 0]]).round(9) + 0.0
        array([[ 0.,  1.,  0.],
               [-1.,  0.,  0.]])
        """
        return kernels.rotate(self._xyzw, v)

    def slerp(self, other: Rotation[Source, Target], t: ArrayLike) -> Rotation[Source, Target]:
        """Go the fraction `t` of the shorter way to `other`, at constant rate.

        Parameters
        ----------
        other : Rotation
            Between the same two frames.
        t : array_like, shape (...)
            0 gives this rotation, 1 the other; batches broadcast.

        Returns
        -------
        Rotation

        Raises
        ------
        FrameError
            If the frames differ.

        Examples
        --------
        >>> R, S = Rotation.identity(), Rotation.from_rotvec([0, 0, 1])
        >>> R.slerp(S, 0.25).as_rotvec()
        array([0.  , 0.  , 0.25])
        """
        self._need_same_frames("slerp", "to", other)
        return _make(kernels.slerp(self._xyzw, other._xyzw, t), self._source, self._target)

    # ---- frames ------------------------------------------------------------------------------

    def reframe(self, *, source: type[S], target: type[T]) -> Rotation[S, T]:
        """The same physical rotation, between other axes of the same two things.

        Parameters
        ----------
        source, target : type of Frame
            Other axes of what this rotation's source and target belong to. Both change at once; to leave a
            side as it is, name its frame again.

        Returns
        -------
        Rotation

        Raises
        ------
        FrameError
            If a frame belongs to another thing, if letters of a body would become letters of the compass, or
            if one side would be mirrored and not the other.

        Examples
        --------
        >>> from boresight import frames
        >>> R = Rotation.identity(source=frames.FRD, target=frames.NED)
        >>> R.reframe(source=frames.FLU, target=frames.ENU).as_euler("ZYX", degrees=True).round(9) + 0.0
        array([90.,  0.,  0.])
        """
        coefficients, scale = reframing(self._source, self._target, source, target)
        return _make(kernels.change(self._xyzw, coefficients, scale), source, target)

    def between(self, source: type[S], target: type[T]) -> Rotation[S, T]:
        """Name the frames of an unframed rotation, or check those of a framed one. The numbers stay.

        Raises
        ------
        FrameError
            If the rotation has other frames already, or if the two differ in handedness.

        Examples
        --------
        >>> from boresight import frames
        >>> Rotation.identity().between(frames.FRD, frames.NED)
        Rotation[FRD → NED](w=1.0, x=0.0, y=0.0, z=0.0)
        """
        check_claim(self._chain(), self._source, self._target, source, target)
        return _make(self._xyzw, source, target)

    # ---- as a value --------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Whether two batches have the same frames and shape and hold the same rotations, exactly.

        q and -q are the same rotation; a row of NaN equals nothing.
        """
        if not isinstance(other, Rotation):
            return NotImplemented
        if self._source != other._source or self._target != other._target or self.shape != other.shape:
            return False
        p, q = self._xyzw, other._xyzw
        return bool(((p == q).all(axis=-1) | (p == -q).all(axis=-1)).all())

    def __hash__(self) -> int:
        # Zeros lose their sign, since 0.0 == -0.0.
        canonical = kernels.to_quaternion(self._xyzw, order="wxyz", canonical=True).astype(np.float64) + 0.0
        return hash((self._source, self._target, self.shape, canonical.tobytes()))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restore, (self._xyzw, self._source, self._target)

    def __repr__(self) -> str:
        return f"{self._chain()}({describe_quaternions(self._xyzw)})"


_make = Rotation._trusted  # pyright: ignore[reportPrivateUsage]


def _restore(xyzw: Floats, source: FrameLike, target: FrameLike) -> Rotation[Any, Any]:
    return _make(xyzw, source, target)


def _frames(source: Any, target: Any) -> tuple[Any, Any]:
    """The frames of a new rotation: both as given, if they may stand together, or both `Unframed`."""
    if source is None and target is None:
        return Unframed, Unframed
    try:
        if source._left_handed is target._left_handed and source._left_handed is not None:
            return source, target
    except AttributeError:
        pass
    check_pair(source, target)
    return source, target
