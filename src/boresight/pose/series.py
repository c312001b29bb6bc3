"""What makes poses of series and sets: interpolation in time, means, alignment of points."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from ..frames import Frame, Source, Target, Unframed
from ..rotation import Rotation
from ..rows import Floats, Invalid
from .calculus import Calculus

if TYPE_CHECKING:
    from ..alignment import AlignReport
    from ..averaging import MeanReport, Metric
    from ..interpolation import Path
    from .pose import Pose

__all__ = ["Series"]

S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)


class Series(Calculus[Source, Target]):
    """The part of `Pose` that works on many at once."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def _trusted(xyzw: Floats, translation: Floats, source: type[S], target: type[T]) -> Pose[S, T]:
        """Wrap unit quaternions and translations that nobody else holds, without looking at them."""

    @overload
    def mean(
        self,
        weights: ArrayLike | None = None,
        *,
        metric: Metric = "chordal",
        axis: int | None = None,
        report: Literal[False] = False,
    ) -> Pose[Source, Target]: ...
    @overload
    def mean(
        self,
        weights: ArrayLike | None = None,
        *,
        metric: Metric = "chordal",
        axis: int | None = None,
        report: Literal[True],
    ) -> tuple[Pose[Source, Target], MeanReport]: ...
    def mean(
        self,
        weights: ArrayLike | None = None,
        *,
        metric: Metric = "chordal",
        axis: int | None = None,
        report: bool = False,
    ) -> Any:
        """Weighted mean of the rotations and of the translations.

        Parameters
        ----------
        weights, metric, axis, report
            As for `Rotation.mean`.

        Returns
        -------
        mean : Pose
        report : MeanReport
            Of the rotations, with ``report=True``.

        Raises
        ------
        InvalidRowsError
            If there is nothing to average.
        """
        from ..averaging import in_sets, mean_pose

        both = np.concatenate([self._xyzw, self._translation], axis=-1)
        sets, shares = in_sets(both, weights, self.shape, axis)
        xyzw, translation, found = mean_pose(sets[..., :4], sets[..., 4:], shares, metric=metric)
        mean = self._trusted(xyzw, translation, self._source, self._target)
        return (mean, found) if report else mean

    def interpolate_series(
        self,
        times: ArrayLike,
        at: ArrayLike,
        *,
        path: Path = "straight",
        max_gap: float | None = None,
        invalid: Invalid = "raise",
    ) -> Pose[Source, Target]:
        """Poses at moments between those of a series.

        Parameters
        ----------
        times : array_like, shape (n,)
            Of the poses along the last axis of the batch, increasing; integers are nanoseconds, floats seconds.
        at : array_like, shape (...)
            Moments, of the same kind as `times`.
        path : {"straight", "screw"}
            As for `interpolate`.
        max_gap : number, optional
            Between keys further apart than this, in the unit of `times`, nothing is made up.
        invalid : {"raise", "nan"}
            What to do with moments outside the series or in a gap.

        Returns
        -------
        Pose

        Raises
        ------
        InvalidRowsError, ValueError, TypeError
            As `interpolation.interpolate_poses`.

        Examples
        --------
        >>> from boresight import Pose, Rotation
        >>> drive = Pose(Rotation.identity(2), [[0, 0, 0], [4, 0, 0]])
        >>> drive.interpolate_series([0, 1_000_000_000], 250_000_000).translation
        array([1., 0., 0.])
        """
        from .. import interpolation

        xyzw, translation = interpolation.interpolate_poses(
            times, self._xyzw, self._translation, at, path=path, max_gap=max_gap, invalid=invalid
        )
        return self._trusted(xyzw, translation, self._source, self._target)

    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        source: type[S],
        target: type[T],
        report: Literal[False] = False,
        invalid: Invalid = "raise",
    ) -> Pose[S, T]: ...
    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        source: type[S],
        target: type[T],
        report: Literal[True],
        invalid: Invalid = "raise",
    ) -> tuple[Pose[S, T], AlignReport]: ...
    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        report: Literal[False] = False,
        invalid: Invalid = "raise",
    ) -> Pose[Unframed, Unframed]: ...
    @overload
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        report: Literal[True],
        invalid: Invalid = "raise",
    ) -> tuple[Pose[Unframed, Unframed], AlignReport]: ...
    @staticmethod
    def align(
        a: ArrayLike,
        b: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        source: Any = None,
        target: Any = None,
        report: bool = False,
        invalid: Invalid = "raise",
    ) -> Any:
        """The pose that fits points seen from two frames best: ``a ≈ P.apply(b)``.

        `alignment.align_points` estimates a scale too.

        Parameters
        ----------
        a : array_like, shape (..., n, 3)
            Where the points are in the target; the order of a and b is that of `Rotation.align`.
        b : array_like, shape (..., n, 3)
            Where they are in the source.
        weights : array_like, shape (..., n), optional
            Not negative.
        source, target : type of Frame, optional
        report : bool
            Whether to tell too in how many directions the points are spread and if this is the only answer.
        invalid : {"raise", "nan"}

        Returns
        -------
        pose : Pose, shape (...)
            Never a reflection.
        report : AlignReport
            With ``report=True``.

        Raises
        ------
        InvalidRowsError, FrameError, ValueError

        Examples
        --------
        >>> from boresight import Pose
        >>> b = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
        >>> a = [[5, 0, 0], [5, 1, 0], [4, 0, 0]]
        >>> P, report = Pose.align(a, b, report=True)
        >>> P.translation.round(9) + 0.0, report.rank
        (array([5., 0., 0.]), 2)
        """
        from ..alignment import align_points
        from .pose import Pose

        q, t, _, found = align_points(b, a, weights, invalid=invalid)
        # Rows of NaN are there on purpose by now.
        rotation = Rotation.from_quat(q, order="xyzw", source=source, target=target, invalid="nan")
        pose = Pose(rotation, t, invalid="nan")
        return (pose, found) if report else pose
