"""Derivatives of poses, and their covariances carried along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .. import kernels
from ..batches import Framed
from ..frames import FrameLike, Source, Target, permutations
from ..rows import Floats

if TYPE_CHECKING:
    from ..tangents import Side, TwistOrder

__all__ = ["Calculus"]


class Calculus(Framed[Source, Target]):
    """The part of `Pose` for those who differentiate: it makes arrays and no poses."""

    __slots__ = ("_translation", "_xyzw")

    _xyzw: Floats
    _translation: Floats

    def adjoint(self, *, order: TwistOrder = "trans_rot") -> Floats:
        """Adjoint: ``P @ exp(d) == exp(Ad d) @ P``, so it takes twists from the source to the target.

        Parameters
        ----------
        order : {"trans_rot", "rot_trans"}
            Of the twists; by default that of `exp` and `log`, translation first.

        Returns
        -------
        ndarray, shape (..., 6, 6)

        Examples
        --------
        >>> from boresight import Pose, Rotation
        >>> Pose(Rotation.identity(), [1, 2, 3]).adjoint()[:3, 3:]
        array([[ 0., -3.,  2.],
               [ 3.,  0., -1.],
               [-2.,  1.,  0.]])
        """
        from .. import derivatives

        return derivatives.pose_adjoint(self._xyzw, self._translation, order=order)

    def jacobian_left(self, *, order: TwistOrder) -> Floats:
        """Left Jacobian of exp at the twist v of this pose: ``exp(v + d) = exp(J d) exp(v)``.

        `derivatives` states the convention, and has the derivatives of the operations.

        Parameters
        ----------
        order : {"trans_rot", "rot_trans"}
            Of d and J d.

        Returns
        -------
        ndarray, shape (..., 6, 6)
        """
        from .. import jacobians

        return jacobians.pose_left_jacobian(self._twist(order), order=order)

    def jacobian_right(self, *, order: TwistOrder) -> Floats:
        """Right Jacobian of exp: ``exp(v + d) = exp(v) exp(J d)``, shape (..., 6, 6). As `jacobian_left`."""
        from .. import jacobians

        return jacobians.pose_right_jacobian(self._twist(order), order=order)

    def jacobian_left_inverse(self, *, order: TwistOrder) -> Floats:
        """Inverse of `jacobian_left`, and derivative of `log` by a change on the left, shape (..., 6, 6)."""
        from .. import jacobians

        return jacobians.pose_left_jacobian_inverse(self._twist(order), order=order)

    def jacobian_right_inverse(self, *, order: TwistOrder) -> Floats:
        """Inverse of `jacobian_right`, and derivative of `log` by a change on the right, shape (..., 6, 6)."""
        from .. import jacobians

        return jacobians.pose_right_jacobian_inverse(self._twist(order), order=order)

    def transport_covariance(self, covariance: ArrayLike, *, side: Side, order: TwistOrder) -> Floats:
        """The covariance of ``P @ X``, for an X of the given covariance and this pose being exact.

        Parameters
        ----------
        covariance : array_like, shape (..., 6, 6)
            Of the small twist d between X and the truth.
        side : {"left", "right"}
            Where d stands, in X and in the result. Left, ``exp(d) X``: Ad P Adᵀ. Right, ``X exp(d)``: it stays.
        order : {"trans_rot", "rot_trans"}
            Of d: ROS's, or GTSAM's.

        Returns
        -------
        ndarray, shape (..., 6, 6)
        """
        from .. import uncertainty

        return uncertainty.pose_transport(self._xyzw, self._translation, covariance, side=side, order=order)

    def compose_covariance(
        self,
        covariance: ArrayLike,
        other: Calculus[Any, Source],
        other_covariance: ArrayLike,
        *,
        side: Side,
        order: TwistOrder,
    ) -> Floats:
        """The covariance of ``P @ other``, both uncertain and independent.

        Parameters
        ----------
        covariance, other_covariance : array_like, shape (..., 6, 6)
            Of this pose, and of `other`.
        other : Pose
            That leads to where this one starts.
        side : {"left", "right"}
        order : {"trans_rot", "rot_trans"}
            Of both covariances, and of the result.

        Returns
        -------
        ndarray, shape (..., 6, 6)

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        from .. import uncertainty

        self._need_to_follow(other)
        mine, others = (self._xyzw, self._translation), (other._xyzw, other._translation)
        return uncertainty.pose_compose(mine, covariance, others, other_covariance, side=side, order=order)

    def inverse_covariance(self, covariance: ArrayLike, *, side: Side, order: TwistOrder) -> Floats:
        """The covariance of ``P.inv()``, on the same side and in the same order, shape (..., 6, 6)."""
        from .. import uncertainty

        return uncertainty.pose_inverse(self._xyzw, self._translation, covariance, side=side, order=order)

    def reframe_covariance(
        self,
        covariance: ArrayLike,
        *,
        source: FrameLike,
        target: FrameLike,
        side: Side,
        order: TwistOrder,
    ) -> Floats:
        """The covariance of ``P.reframe(source=, target=)``; mirrors of both included.

        Parameters
        ----------
        covariance : array_like, shape (..., 6, 6)
        source, target : type of Frame
            As for `reframe`.
        side : {"left", "right"}
        order : {"trans_rot", "rot_trans"}
            Of the covariance, and of the result.

        Returns
        -------
        ndarray, shape (..., 6, 6)

        Raises
        ------
        FrameError
            As `reframe`.
        """
        from .. import uncertainty

        before, after = permutations(self._source, self._target, source, target)
        return uncertainty.pose_reframe(covariance, source=before, target=after, side=side, order=order)

    def change_covariance_side(
        self, covariance: ArrayLike, *, from_: Side, to: Side, order: TwistOrder
    ) -> Floats:
        """The same uncertainty of this pose, with the small twist on the other side, shape (..., 6, 6)."""
        from .. import uncertainty

        return uncertainty.pose_change_side(
            self._xyzw, self._translation, covariance, from_=from_, to=to, order=order
        )

    def compose_jacobians(
        self, other: Calculus[Any, Source], *, side: Side, order: TwistOrder
    ) -> tuple[Floats, Floats]:
        """Derivatives of ``P @ other`` by a change of this pose and of `other`, all on one side.

        Returns
        -------
        by_self, by_other : ndarray, shape (..., 6, 6)

        Raises
        ------
        FrameError
            If `other` does not lead to where this one starts.
        """
        from .. import derivatives

        self._need_to_follow(other)
        mine, others = (self._xyzw, self._translation), (other._xyzw, other._translation)
        return derivatives.pose_compose_jacobians(mine, others, side=side, order=order)

    def inverse_jacobian(self, *, side: Side, order: TwistOrder) -> Floats:
        """Derivative of ``P.inv()`` by a change of this pose, both on one side, shape (..., 6, 6)."""
        from .. import derivatives

        return derivatives.pose_inverse_jacobian(self._xyzw, self._translation, side=side, order=order)

    def apply_jacobians(self, p: ArrayLike, *, side: Side, order: TwistOrder) -> tuple[Floats, Floats]:
        """Derivatives of ``P.apply(p)`` by a change of this pose on one side, (..., 3, 6), and by p, (..., 3, 3)."""
        from .. import derivatives

        return derivatives.pose_apply_jacobians(self._xyzw, self._translation, p, side=side, order=order)

    def _twist(self, order: TwistOrder) -> Floats:
        from ..tangents import ordered_twist

        return ordered_twist(kernels.pose_log(self._xyzw, self._translation), order)
