"""What makes rotations of rotations: composition and its like, and changes of frames."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from numpy.typing import ArrayLike

from .. import kernels
from ..errors import FrameError
from ..frames import Frame, Source, Target, check_claim, mismatch, reframing
from ..rows import Floats, Invalid
from .calculus import Calculus

if TYPE_CHECKING:
    from ..averaging import MeanReport, Metric
    from .curve import RotationSpline
    from .rotation import Rotation

__all__ = ["Algebra"]

S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)


class Algebra(Calculus[Source, Target]):
    """The part of `Rotation` that makes others of it."""

    __slots__ = ()

    _advice = (
        "make a Rotation of the numbers, or rotate vectors with R.apply(v); "
        "with a Pose composes Pose(rotation, [0, 0, 0])"
    )

    @staticmethod
    @abstractmethod
    def _trusted(xyzw: Floats, source: type[S], target: type[T]) -> Rotation[S, T]:
        """Wrap unit quaternions that nobody else holds, without looking at them."""

    def __matmul__(self, other: Rotation[S, Source]) -> Rotation[S, Target]:
        """`other` first, then this one: ``R_ned_frd @ R_frd_camera`` maps camera coordinates to NED.

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        if other.__class__ is not self.__class__ or (
            self._source is not other._target and self._source != other._target
        ):
            self._cannot_compose(other)
        return self._trusted(kernels.multiply(self._xyzw, other._xyzw), other._source, self._target)

    def inv(self) -> Rotation[Target, Source]:
        """The rotations back: from target to source."""
        return self._trusted(kernels.conjugate(self._xyzw), self._target, self._source)

    def __pow__(self: Algebra[S, S], t: ArrayLike) -> Rotation[S, S]:
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
        return self._trusted(kernels.power(self._xyzw, t), self._source, self._target)

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
        >>> from boresight import Rotation
        >>> R, S = Rotation.identity(), Rotation.from_rotvec([0, 0, 1])
        >>> R.slerp(S, 0.25).as_rotvec()
        array([0.  , 0.  , 0.25])
        """
        self._need_same_frames("slerp", "to", other)
        return self._trusted(kernels.slerp(self._xyzw, other._xyzw, t), self._source, self._target)

    def swing_twist(self, axis: ArrayLike) -> tuple[Rotation[Source, Target], Rotation[Source, Source]]:
        """Split into a turn about an axis and what is left: ``R == swing @ twist``.

        Parameters
        ----------
        axis : array_like, shape (..., 3)
            Of any length but zero, in the axes of the source.

        Returns
        -------
        swing, twist : Rotation
            The twist is about the axis; the swing tilts the axis and has no part about it. Where the axis ends up
            opposite to itself the twist is the identity.
        """
        from .. import parameters

        swing, twist = parameters.swing_twist(self._xyzw, axis)
        return self._trusted(swing, self._source, self._target), self._trusted(
            twist, self._source, self._source
        )

    @overload
    def mean(
        self,
        weights: ArrayLike | None = None,
        *,
        metric: Metric = "chordal",
        axis: int | None = None,
        report: Literal[False] = False,
    ) -> Rotation[Source, Target]: ...
    @overload
    def mean(
        self,
        weights: ArrayLike | None = None,
        *,
        metric: Metric = "chordal",
        axis: int | None = None,
        report: Literal[True],
    ) -> tuple[Rotation[Source, Target], MeanReport]: ...
    def mean(
        self,
        weights: ArrayLike | None = None,
        *,
        metric: Metric = "chordal",
        axis: int | None = None,
        report: bool = False,
    ) -> Any:
        """Weighted mean.

        Parameters
        ----------
        weights : array_like, optional
            Not negative; broadcast with the batch.
        metric : {"chordal", "geodesic"}
            The rotation nearest to all in the chords between matrices, or in the angles.
        axis : int, optional
            The axis of the batch to average along; all of them by default.
        report : bool
            Whether to tell too if the mean is the only one, and how wide the spread is.

        Returns
        -------
        mean : Rotation
        report : MeanReport
            With ``report=True``.

        Raises
        ------
        InvalidRowsError
            If there is nothing to average.

        Examples
        --------
        >>> from boresight import Rotation
        >>> R = Rotation.from_rotvec([[0.1, 0, 0], [3.0, 0, 0]])
        >>> R.mean().as_rotvec().round(12) + 0.0
        array([1.55, 0.  , 0.  ])
        >>> Rotation.from_rotvec([[0, 0, 0], [0, 0, 3.141592653589793]]).mean(report=True)[1].unique
        False
        """
        from ..averaging import in_sets, mean_rotation

        sets, shares = in_sets(self._xyzw, weights, self.shape, axis)
        xyzw, found = mean_rotation(sets, shares, metric=metric)
        mean = self._trusted(xyzw, self._source, self._target)
        return (mean, found) if report else mean

    def interpolate_series(
        self, times: ArrayLike, at: ArrayLike, *, max_gap: float | None = None, invalid: Invalid = "raise"
    ) -> Rotation[Source, Target]:
        """Rotations at moments between those of a series, by slerp between the two keys around each.

        Parameters
        ----------
        times : array_like, shape (n,)
            Of the rotations along the last axis of the batch, increasing; integers are nanoseconds, floats seconds.
        at : array_like, shape (...)
            Moments, of the same kind as `times`.
        max_gap : number, optional
            Between keys further apart than this, in the unit of `times`, nothing is made up.
        invalid : {"raise", "nan"}
            What to do with moments outside the series or in a gap.

        Returns
        -------
        Rotation

        Raises
        ------
        InvalidRowsError, ValueError, TypeError
            As `interpolation.interpolate_rotations`.
        """
        from .. import interpolation

        xyzw = interpolation.interpolate_rotations(times, self._xyzw, at, max_gap=max_gap, invalid=invalid)
        return self._trusted(xyzw, self._source, self._target)

    def spline(
        self, times: ArrayLike, *, ends: Literal["natural"] | tuple[ArrayLike, ArrayLike] = "natural"
    ) -> RotationSpline[Source, Target]:
        """The smooth curve through a series, with continuous angular rate and acceleration.

        Parameters
        ----------
        times : array_like, shape (n,)
            Increasing; integers are nanoseconds, floats are seconds.
        ends : "natural" or a pair of array_like, shape (3,)
            No angular acceleration at the ends, or the angular rates there, in the axes of the source.

        Returns
        -------
        RotationSpline

        Raises
        ------
        ValueError
            As `spline.fit_spline`.
        """
        from ..spline import fit_spline
        from .curve import RotationSpline

        return RotationSpline(fit_spline(times, self._xyzw, ends=ends), self._source, self._target)

    def with_continuous_signs(self) -> Rotation[Source, Target]:
        """The same rotations, with signs of the quaternions that do not jump along the last axis of the batch."""
        from .. import interpolation

        return self._trusted(interpolation.continuous_signs(self._xyzw), self._source, self._target)

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
        >>> from boresight import Rotation, frames
        >>> R = Rotation.identity(source=frames.FRD, target=frames.NED)
        >>> R.reframe(source=frames.FLU, target=frames.ENU).as_euler("ZYX", degrees=True).round(9) + 0.0
        array([90.,  0.,  0.])
        """
        coefficients, scale = reframing(self._source, self._target, source, target, self._xyzw.dtype)
        return self._trusted(kernels.change(self._xyzw, coefficients, scale), source, target)

    def between(self, source: type[S], target: type[T]) -> Rotation[S, T]:
        """Name the frames of an unframed rotation, or check those of a framed one. The numbers stay.

        Raises
        ------
        FrameError
            If the rotation has other frames already, or if the two differ in handedness.

        Examples
        --------
        >>> from boresight import Rotation, frames
        >>> Rotation.identity().between(frames.FRD, frames.NED)
        Rotation[FRD → NED](w=1.0, x=0.0, y=0.0, z=0.0)
        """
        check_claim(self._chain(), self._source, self._target, source, target)
        return self._trusted(self._xyzw, source, target)
