"""Derivatives of poses, and their covariances carried along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .. import kernels
from ..batches import Framed
from ..frames import Source, Target
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

    def _twist(self, order: TwistOrder) -> Floats:
        from ..tangents import ordered_twist

        return ordered_twist(kernels.pose_log(self._xyzw, self._translation), order)
