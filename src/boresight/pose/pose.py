"""The class `Pose`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast, final, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import kernels
from ..arguments import reraise_named
from ..batches import describe_quaternions, present_as_one
from ..frames import Frame, FrameLike, Source, Target, Unframed, check_claim, pair_or_unframed, reframing
from ..rotation import Rotation
from ..rows import Floats, Invalid, floats_beside, identities, joined
from ..vectors import reframe_polar
from .series import Series

if TYPE_CHECKING:
    from ..interpolation import Path

__all__ = ["Pose"]

S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)

_new = object.__new__
_freeze = kernels.freeze


@final
class Pose(Series[Source, Target]):
    """Poses that map points in `Source` to points in `Target`: ``p_target = R @ p_source + t``.

    The translation is where the origin of `Source` lies in `Target`. One object holds a batch of any shape,
    all between the same two frames. Values are immutable and share no memory with what they were made from.

    Parameters
    ----------
    rotation : Rotation, shape (...)
    translation : array_like, shape (..., 3)
        In the axes of the rotation's target, in metres or whichever unit the points have. Batches broadcast.
    invalid : {"raise", "nan"}
        What to do with translations that are not finite. With ``"nan"`` the whole row of a pose becomes NaN.

    Raises
    ------
    InvalidRowsError
        For translations that are not finite, with ``invalid="raise"``.
    TypeError
        If `rotation` is no `Rotation`.

    Notes
    -----
    Invariant: rotation and translation have one batch shape and one precision. A row with a bad translation is NaN in
    both; beside a rotation of NaN that came in as such a good translation stays, but for ``invalid="nan"``.

    Examples
    --------
    >>> from boresight import Pose, Rotation, frames
    >>> R = Rotation.from_euler("ZYX", [90, 0, 0], degrees=True, source=frames.FLU, target=frames.ENU)
    >>> Pose(R, [10, 0, 2]).apply([1, 0, 0]).round(9)
    array([10.,  1.,  2.])
    """

    __slots__ = ()

    _numbers = "P.as_matrix(), or the numbers of P.rotation and P.translation"
    _advice = "poses compose with poses, Pose(rotation, [0, 0, 0]) being one; P.apply(p) takes points along"

    def __init__(
        self, rotation: Rotation[Source, Target], translation: ArrayLike, *, invalid: Invalid = "raise"
    ) -> None:
        if rotation.__class__ is not Rotation:
            raise TypeError(
                f"a pose is made of a Rotation and a translation, not of {type(rotation).__name__}"
            )
        xyzw = rotation._xyzw  # pyright: ignore[reportPrivateUsage]
        try:
            xyzw, t = kernels.pose_make(xyzw, translation, invalid=invalid)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("rotation", rotation), ("translation", translation))
        _freeze(xyzw, t)
        self._xyzw = xyzw
        self._translation = t
        self._source = rotation.source
        self._target = rotation.target

    # ---- in -------------------------------------------------------------------------------

    @staticmethod
    def _trusted(xyzw: Floats, translation: Floats, source: type[S], target: type[T]) -> Pose[S, T]:
        """Wrap unit quaternions and translations that nobody else holds, without looking at them."""
        self: Pose[S, T] = _new(Pose)  # pyright: ignore[reportAssignmentType]
        _freeze(xyzw, translation)
        self._xyzw = xyzw
        self._translation = translation
        self._source = source
        self._target = target
        return self

    @overload
    @staticmethod
    def from_matrix(
        m: ArrayLike,
        *,
        source: type[S],
        target: type[T],
        invalid: Invalid = "raise",
        project: bool = False,
    ) -> Pose[S, T]: ...
    @overload
    @staticmethod
    def from_matrix(
        m: ArrayLike, *, invalid: Invalid = "raise", project: bool = False
    ) -> Pose[Unframed, Unframed]: ...
    @staticmethod
    def from_matrix(
        m: ArrayLike,
        *,
        source: Any = None,
        target: Any = None,
        invalid: Invalid = "raise",
        project: bool = False,
    ) -> Pose[Any, Any]:
        """Make poses from homogeneous matrices that multiply columns.

        Parameters
        ----------
        m : array_like, shape (..., 4, 4) or (..., 3, 4)
            The bottom row, where there is one, is 0 0 0 1.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}
        project : bool
            Take any 3 by 3 part and use the nearest rotation.

        Returns
        -------
        Pose, shape (...)

        Raises
        ------
        InvalidRowsError, FrameError

        Examples
        --------
        >>> Pose.from_matrix([[1, 0, 0, 5], [0, 1, 0, 6], [0, 0, 1, 7]]).translation
        array([5., 6., 7.])
        """
        source, target = pair_or_unframed(source, target)
        try:
            xyzw, translation = kernels.pose_from_matrix(m, invalid=invalid, project=project)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("m", m))
        return _make(xyzw, translation, source, target)

    @overload
    @staticmethod
    def identity(shape: int | tuple[int, ...] = (), *, source: type[S], target: type[T]) -> Pose[S, T]: ...
    @overload
    @staticmethod
    def identity(shape: int | tuple[int, ...] = ()) -> Pose[Unframed, Unframed]: ...
    @staticmethod
    def identity(
        shape: int | tuple[int, ...] = (), *, source: Any = None, target: Any = None
    ) -> Pose[Any, Any]:
        """Poses that leave every point's numbers as they are, in a batch of any shape."""
        source, target = pair_or_unframed(source, target)
        xyzw = identities(shape)
        return _make(xyzw, np.zeros((*xyzw.shape[:-1], 3)), source, target)

    @staticmethod
    def concatenate(poses: Sequence[Pose[S, T]], axis: int = 0) -> Pose[S, T]:
        """Join batches between the same two frames along one axis; single poses count as batches of one.

        Parameters
        ----------
        poses : sequence of Pose
            At least one.
        axis : int
            An axis of the batch; negative ones count from its end.

        Returns
        -------
        Pose

        Raises
        ------
        FrameError
            If the frames differ.
        ValueError
            If there is nothing to join, or the batch has no such axis.

        Examples
        --------
        >>> Pose.concatenate([Pose.identity(), Pose.identity(2)]).shape
        (3,)
        """
        if not poses:
            raise ValueError("nothing to concatenate; give at least one pose")
        first = poses[0]
        for other in poses[1:]:
            first._need_same_frames("concatenate", "and", other)
        xyzw = joined([p._xyzw for p in poses], axis)
        return _make(xyzw, joined([p._translation for p in poses], axis), first._source, first._target)

    @overload
    @staticmethod
    def exp(
        twist: ArrayLike, *, source: type[S], target: type[T], invalid: Invalid = "raise"
    ) -> Pose[S, T]: ...
    @overload
    @staticmethod
    def exp(twist: ArrayLike, *, invalid: Invalid = "raise") -> Pose[Unframed, Unframed]: ...
    @staticmethod
    def exp(
        twist: ArrayLike, *, source: Any = None, target: Any = None, invalid: Invalid = "raise"
    ) -> Pose[Any, Any]:
        """Make poses from twists: the exponential map of SE(3).

        Parameters
        ----------
        twist : array_like, shape (..., 6)
            Translation part first, then the rotation vector in radians.
        source, target : type of Frame, optional
        invalid : {"raise", "nan"}

        Returns
        -------
        Pose, shape (...)

        Raises
        ------
        InvalidRowsError, FrameError

        Examples
        --------
        >>> quarter_circle = Pose.exp([np.pi / 2, 0, 0, 0, 0, np.pi / 2])
        >>> quarter_circle.translation.round(9)
        array([1., 1., 0.])
        """
        source, target = pair_or_unframed(source, target)
        try:
            xyzw, translation = kernels.pose_exp(twist, invalid=invalid)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("twist", twist))
        return _make(xyzw, translation, source, target)

    # ---- what it is -----------------------------------------------------------------------

    @property
    def rotation(self) -> Rotation[Source, Target]:
        """The rotation, from source to target."""
        return _rotation(self._xyzw, self._source, self._target)

    @property
    def translation(self) -> Floats:
        """Where the origin of the source lies in the target; read-only, shape (..., 3)."""
        return self._translation

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single pose."""
        return self._xyzw.shape[:-1]

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64."""
        return self._xyzw.dtype

    def _rearranged(self, change: Callable[[Floats], Floats]) -> Pose[Source, Target]:
        return _make(change(self._xyzw), change(self._translation), self._source, self._target)

    # ---- out ------------------------------------------------------------------------------

    def as_matrix(self) -> Floats:
        """Homogeneous matrices that multiply columns.

        Returns
        -------
        ndarray, shape (..., 4, 4)
        """
        return kernels.pose_to_matrix(self._xyzw, self._translation)

    def log(self) -> Floats:
        """Twists, translation part first, then the rotation vector in radians; the shorter way round.

        Returns
        -------
        ndarray, shape (..., 6)
        """
        return kernels.pose_log(self._xyzw, self._translation)

    # ---- algebra --------------------------------------------------------------------------

    def __matmul__(self, other: Pose[S, Source]) -> Pose[S, Target]:
        """`other` first, then this one.

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        if other.__class__ is not Pose or (
            self._source is not other._target and self._source != other._target
        ):
            self._cannot_compose(other)
        xyzw, t = kernels.pose_multiply(self._xyzw, self._translation, other._xyzw, other._translation)
        return _make(xyzw, t, other._source, self._target)

    def inv(self) -> Pose[Target, Source]:
        """The poses back: from target to source."""
        xyzw, translation = kernels.pose_inverse(self._xyzw, self._translation)
        return _make(xyzw, translation, self._target, self._source)

    def apply(self, p: ArrayLike) -> Floats:
        """Take points from source to target; ``P.rotation.apply(v)`` does that for directions.

        Parameters
        ----------
        p : array_like, shape (..., 3)
            Batches broadcast.

        Returns
        -------
        ndarray, shape (..., 3)
        """
        try:
            return kernels.pose_apply(self._xyzw, self._translation, p)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("the rotation", self), ("the translation", self), ("p", p))

    def interpolate(
        self, other: Pose[Source, Target], t: ArrayLike, *, path: Path = "straight"
    ) -> Pose[Source, Target]:
        """Go the fraction `t` of the way to `other`.

        Parameters
        ----------
        other : Pose
            Between the same two frames.
        t : array_like, shape (...)
            0 gives this pose, 1 the other; batches broadcast.
        path : {"straight", "screw"}
            Straight: the origin moves on a line while the rotation slerps, both at constant rate. Screw: one
            constant twist, that is, along a helix.

        Returns
        -------
        Pose

        Raises
        ------
        FrameError
            If the frames differ.

        Examples
        --------
        >>> here, there = Pose.identity(), Pose(Rotation.from_rotvec([0, 0, 1]), [4, 0, 0])
        >>> here.interpolate(there, 0.5).translation
        array([2., 0., 0.])
        """
        from .. import interpolation

        self._need_same_frames("interpolate", "to", other)
        fraction = floats_beside(t, self._xyzw, "the fraction")
        ends = (self._xyzw, self._translation), (other._xyzw, other._translation)
        xyzw, position = interpolation.pose_between(*ends, fraction, path=path)
        return _make(xyzw, position, self._source, self._target)

    # ---- frames ---------------------------------------------------------------------------

    def reframe(self, *, source: type[S], target: type[T]) -> Pose[S, T]:
        """The same physical pose, between other axes of the same two things.

        Parameters
        ----------
        source, target : type of Frame
            Other axes of what this pose's source and target belong to, at the same origins.

        Returns
        -------
        Pose

        Raises
        ------
        FrameError
            As `Rotation.reframe`.

        Examples
        --------
        >>> from boresight import frames
        >>> P = Pose(Rotation.identity(source=frames.FRD, target=frames.NED), [1, 2, 3])
        >>> P.reframe(source=frames.FLU, target=frames.ENU).translation
        array([ 2.,  1., -3.])
        """
        coefficients, scale = reframing(self._source, self._target, source, target, self._xyzw.dtype)
        xyzw = kernels.change(self._xyzw, coefficients, scale)
        return _make(xyzw, reframe_polar(self._translation, self._target, target), source, target)

    def between(self, source: type[S], target: type[T]) -> Pose[S, T]:
        """Name the frames of an unframed pose, or check those of a framed one. The numbers stay.

        Raises
        ------
        FrameError
            If the pose has other frames already, or if the two differ in handedness.
        """
        check_claim(self._chain(), self._source, self._target, source, target)
        return _make(self._xyzw, self._translation, source, target)

    # ---- as a value -----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Whether two batches have the same frames and shape and hold the same poses, exactly."""
        if not isinstance(other, Pose):
            return NotImplemented
        them = cast("Pose[Any, Any]", other)
        return self.rotation == them.rotation and np.array_equal(self._translation, them._translation)

    def __hash__(self) -> int:
        return hash((self.rotation, (self._translation.astype(np.float64) + 0.0).tobytes()))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restore, (self._xyzw, self._translation, self._source, self._target)

    def __repr__(self) -> str:
        numbers = describe_quaternions(self._xyzw)
        if not self.shape:
            x, y, z = (float(str(component)) + 0.0 for component in self._translation)
            numbers = f"({numbers}), translation=({x}, {y}, {z})"
        return f"{self._chain()}({numbers})"


present_as_one(Pose)

_make = Pose._trusted  # pyright: ignore[reportPrivateUsage]
_rotation = Rotation._trusted  # pyright: ignore[reportPrivateUsage]


def _restore(xyzw: Floats, translation: Floats, source: FrameLike, target: FrameLike) -> Pose[Any, Any]:
    return _make(xyzw, translation, source, target)
