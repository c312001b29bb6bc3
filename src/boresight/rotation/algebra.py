"""What makes rotations of rotations: composition and its like, and changes of frames."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

from numpy.typing import ArrayLike

from .. import kernels
from ..errors import FrameError
from ..frames import Frame, Source, Target, check_claim, mismatch, reframing
from ..rows import Floats
from .numbers import Numbers

if TYPE_CHECKING:
    from .rotation import Rotation

__all__ = ["Algebra"]

S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)


class Algebra(Numbers[Source, Target]):
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
        coefficients, scale = reframing(self._source, self._target, source, target)
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
