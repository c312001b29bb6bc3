"""What a rotation gives out: quaternions, matrices, angles, vectors turned."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import kernels
from ..arguments import reraise_named
from ..batches import Framed, describe_quaternions
from ..frames import Source, Target
from ..rows import Floats

__all__ = ["Numbers", "Order"]

Order = Literal["xyzw", "wxyz"]
"""Where a quaternion keeps its scalar part; no function has a default for it."""


class Numbers(Framed[Source, Target]):
    """The part of `Rotation` that only reads: it makes arrays and no rotations."""

    __slots__ = ("_xyzw",)

    _numbers = "R.as_quat(order=...), R.as_matrix(), R.as_euler(...) or R.as_rotvec()"
    _xyzw: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; ``()`` for a single rotation."""
        return self._xyzw.shape[:-1]

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64."""
        return self._xyzw.dtype

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

    def as_axis_angle(self, *, degrees: bool) -> tuple[Floats, Floats]:
        """Axes and angles, by the right-hand rule and the shorter way round.

        Parameters
        ----------
        degrees : bool
            The unit of the angles, which has no default.

        Returns
        -------
        axis : ndarray, shape (..., 3)
            Unit vectors. What does not turn at all has the axis x.
        angle : ndarray, shape (...)
            From zero to half a turn.

        Examples
        --------
        >>> from boresight import Rotation
        >>> Rotation.from_euler("ZYX", [-90, 0, 0], degrees=True).as_axis_angle(degrees=True)
        (array([ 0.,  0., -1.]), np.float64(90.0))
        """
        return kernels.to_axis_angle(self._xyzw, degrees=degrees)

    def as_modified_rodrigues(self) -> Floats:
        """Modified Rodrigues parameters: the axis times the tangent of a quarter of the angle, the shorter way round.

        Returns
        -------
        ndarray, shape (..., 3)
            Of length at most 1.
        """
        return kernels.to_modified_rodrigues(self._xyzw)

    def as_heading_tilt(self) -> tuple[Floats, Floats]:
        """A turn about the vertical, and the least rotation that then tilts the vertical.

        The vertical is the z axis, up or down, of both frames.

        Returns
        -------
        heading : ndarray, shape (...)
            Turn about z, by the right-hand rule, in radians.
        tilt : ndarray, shape (..., 2)
            The x and y components, in the target, of the rotation vector of the tilt, in radians.
        """
        return kernels.to_heading_tilt(self._xyzw)

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
        >>> from boresight import Rotation
        >>> R = Rotation.from_euler("ZYX", [90, 0, 0], degrees=True)
        >>> R.apply([[1, 0, 0], [0, 1, 0]]).round(9) + 0.0
        array([[ 0.,  1.,  0.],
               [-1.,  0.,  0.]])
        """
        try:
            return kernels.rotate(self._xyzw, v)
        except (TypeError, ValueError) as error:
            reraise_named(error, ("the rotation", self), ("v", v))

    def angular_rates(self, times: ArrayLike, *, of: Literal["source", "target"]) -> Floats:
        """Angular rates along a series; exact where the rate is constant.

        Parameters
        ----------
        times : array_like, shape (n,)
            Of the rotations along the last axis of the batch; integers are nanoseconds, floats are seconds.
        of : {"source", "target"}
            In whose axes. A gyro that moves along measures in those of the source.

        Returns
        -------
        ndarray, shape (..., n, 3)
            In rad/s.
        """
        from .. import interpolation

        return interpolation.angular_rates(times, self._xyzw, of=of)

    def __eq__(self, other: object) -> bool:
        """Whether two batches have the same frames and shape and hold the same rotations, exactly.

        q and -q are the same rotation; a row of NaN equals nothing.
        """
        if not isinstance(other, Numbers):
            return NotImplemented
        them = cast("Numbers[Any, Any]", other)
        if self._source != them._source or self._target != them._target or self.shape != them.shape:
            return False
        p, q = self._xyzw, them._xyzw
        return bool(((p == q).all(axis=-1) | (p == -q).all(axis=-1)).all())

    def __hash__(self) -> int:
        # Zeros lose their sign, since 0.0 == -0.0.
        canonical = kernels.to_quaternion(self._xyzw, order="wxyz", canonical=True).astype(np.float64) + 0.0
        return hash((self._source, self._target, self.shape, canonical.tobytes()))

    def __repr__(self) -> str:
        return f"{self._chain()}({describe_quaternions(self._xyzw)})"
