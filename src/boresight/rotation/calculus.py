"""Derivatives of rotations, and their covariances carried along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..frames import FrameLike, Source, Target, permutations
from ..rows import Floats
from .numbers import Numbers

# Here and in the other parts of Rotation and Pose: what only some calls need is imported by those calls, since
# every program that takes one rotation would wait for all of it.
if TYPE_CHECKING:
    from ..tangents import Side

__all__ = ["Calculus"]


class Calculus(Numbers[Source, Target]):
    """The part of `Rotation` for those who differentiate: it makes arrays and no rotations."""

    __slots__ = ()

    def jacobian_left(self) -> Floats:
        """Left Jacobian of exp at the rotation vector v: ``exp(v + d) = exp(J d) exp(v)``.

        `derivatives` states the convention, and has the derivatives of the operations.

        Returns
        -------
        ndarray, shape (..., 3, 3)
        """
        from .. import jacobians

        return jacobians.rotation_left_jacobian(self.as_rotvec())

    def jacobian_right(self) -> Floats:
        """Right Jacobian of exp at the rotation vector v: ``exp(v + d) = exp(v) exp(J d)``, shape (..., 3, 3)."""
        from .. import jacobians

        return jacobians.rotation_right_jacobian(self.as_rotvec())

    def jacobian_left_inverse(self) -> Floats:
        """Inverse of `jacobian_left`, and derivative of `as_rotvec` by a change on the left, shape (..., 3, 3)."""
        from .. import jacobians

        return jacobians.rotation_left_jacobian_inverse(self.as_rotvec())

    def jacobian_right_inverse(self) -> Floats:
        """Inverse of `jacobian_right`, and derivative of `as_rotvec` by a change on the right, shape (..., 3, 3)."""
        from .. import jacobians

        return jacobians.rotation_right_jacobian_inverse(self.as_rotvec())

    def transport_covariance(self, covariance: ArrayLike, *, side: Side) -> Floats:
        """The covariance of ``R @ X``, for an X of the given covariance and this rotation being exact.

        Parameters
        ----------
        covariance : array_like, shape (..., 3, 3)
            Of the small rotation d between X and the truth.
        side : {"left", "right"}
            Where d stands, in X and in the result. Left, ``exp(d) X``: R P Rᵀ. Right, ``X exp(d)``: P stays.

        Returns
        -------
        ndarray, shape (..., 3, 3)

        Examples
        --------
        >>> from boresight import Rotation
        >>> R = Rotation.from_euler("ZYX", [90, 0, 0], degrees=True)
        >>> R.transport_covariance(np.diag([4.0, 1.0, 0.0]), side="left").round(9) + 0.0
        array([[1., 0., 0.],
               [0., 4., 0.],
               [0., 0., 0.]])
        """
        from .. import uncertainty

        return uncertainty.rotation_transport(self._xyzw, covariance, side=side)

    def compose_covariance(
        self, covariance: ArrayLike, other: Numbers[Any, Source], other_covariance: ArrayLike, *, side: Side
    ) -> Floats:
        """The covariance of ``R @ other``, both uncertain and independent.

        Parameters
        ----------
        covariance, other_covariance : array_like, shape (..., 3, 3)
            Of this rotation, and of `other`.
        other : Rotation
            That leads to where this one starts.
        side : {"left", "right"}
            Of both covariances, and of the result.

        Returns
        -------
        ndarray, shape (..., 3, 3)

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        from .. import uncertainty

        self._need_to_follow(other)
        return uncertainty.rotation_compose(self._xyzw, covariance, other._xyzw, other_covariance, side=side)

    def inverse_covariance(self, covariance: ArrayLike, *, side: Side) -> Floats:
        """The covariance of ``R.inv()``, on the same side as that of this rotation, shape (..., 3, 3)."""
        from .. import uncertainty

        return uncertainty.rotation_inverse(self._xyzw, covariance, side=side)

    def reframe_covariance(
        self, covariance: ArrayLike, *, source: FrameLike, target: FrameLike, side: Side
    ) -> Floats:
        """The covariance of ``R.reframe(source=, target=)``, on the same side; mirrors of both included.

        Parameters
        ----------
        covariance : array_like, shape (..., 3, 3)
        source, target : type of Frame
            As for `reframe`.
        side : {"left", "right"}

        Returns
        -------
        ndarray, shape (..., 3, 3)

        Raises
        ------
        FrameError
            As `reframe`.

        Examples
        --------
        >>> from boresight import Rotation, frames
        >>> R = Rotation.identity(source=frames.FRD, target=frames.NED)
        >>> P = np.diag([4.0, 1.0, 0.0])  # about north, east, down
        >>> R.reframe_covariance(P, source=frames.FLU, target=frames.ENU, side="left").diagonal()
        array([1., 4., 0.])
        """
        from .. import uncertainty

        before, after = permutations(self._source, self._target, source, target)
        return uncertainty.rotation_reframe(covariance, source=before, target=after, side=side)

    def change_covariance_side(self, covariance: ArrayLike, *, from_: Side, to: Side) -> Floats:
        """The same uncertainty of this rotation, with the small rotation on the other side, shape (..., 3, 3)."""
        from .. import uncertainty

        return uncertainty.rotation_change_side(self._xyzw, covariance, from_=from_, to=to)

    def compose_jacobians(self, other: Numbers[Any, Source], *, side: Side) -> tuple[Floats, Floats]:
        """Derivatives of ``R @ other`` by a change of this rotation and of `other`, all on one side.

        Returns
        -------
        by_self, by_other : ndarray, shape (..., 3, 3)

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        from .. import derivatives

        self._need_to_follow(other)
        return derivatives.rotation_compose_jacobians(self._xyzw, other._xyzw, side=side)

    def inverse_jacobian(self, *, side: Side) -> Floats:
        """Derivative of ``R.inv()`` by a change of this rotation, both on one side, shape (..., 3, 3)."""
        from .. import derivatives

        return derivatives.rotation_inverse_jacobian(self._xyzw, side=side)

    def apply_jacobians(self, v: ArrayLike, *, side: Side) -> tuple[Floats, Floats]:
        """Derivatives of ``R.apply(v)`` by a change of this rotation on one side, and by v, both (..., 3, 3)."""
        from .. import derivatives

        return derivatives.rotation_apply_jacobians(self._xyzw, v, side=side)
