"""Bingham's law of quaternions, exp(-qᵀ A q)."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...frames import Source, Target, Unframed
from ...rotation import Order, Rotation
from ..streams import Doubles
from .law import S, T, checked_frames, checked_weights, square_matrix
from .quadratic import Quadratic, fitted

__all__ = ["Bingham"]

_WXYZ = [1, 2, 3, 0]  # where x, y, z, w are in it


class Bingham(Quadratic[Source, Target]):
    """Density exp(-qᵀ A q) / c(A) with respect to Haar's measure; q and -q are alike.

    Parameters
    ----------
    A : array_like, shape (4, 4)
        Symmetric. Adding a multiple of the identity changes nothing.
    order : {"xyzw", "wxyz"}
        Of the quaternion that A is written for. It has no default.
    source, target : type of Frame, optional
        Both or neither.

    Raises
    ------
    ValueError
        For an A of another shape, not symmetric or not finite, or an order that does not exist.

    Notes
    -----
    The same family as the matrix Fisher law, and the same normalising constant.

    Examples
    --------
    >>> import numpy as np
    >>> law = Bingham(np.diag([0.0, 500.0, 500.0, 500.0]), order="wxyz")
    >>> q = law.sample(100_000, rng=1).as_quat(order="wxyz")
    >>> (q[:, 1:] ** 2).mean(axis=0).round(4)  # 1 / (2 · 500)
    array([0.001, 0.001, 0.001])
    """

    @overload
    def __init__(self: Bingham[Unframed, Unframed], A: ArrayLike, *, order: Order) -> None: ...
    @overload
    def __init__(self, A: ArrayLike, *, order: Order, source: type[Source], target: type[Target]) -> None: ...
    def __init__(self, A: ArrayLike, *, order: Order, source: Any = None, target: Any = None) -> None:
        matrix = square_matrix("A", A, 4, symmetric=True)
        if order not in ("xyzw", "wxyz"):
            raise ValueError(f'order= must be "xyzw" or "wxyz", not {order!r}')
        self._A = matrix if order == "xyzw" else matrix[np.ix_(_WXYZ, _WXYZ)]
        values, axes = np.linalg.eigh(self._A)
        for i in range(4):
            if axes[np.argmax(np.abs(axes[:, i])), i] < 0:
                axes[:, i] *= -1
        # The likeliest direction is what w is to be, the next x, and so on.
        axes = axes[:, [1, 2, 3, 0]]
        if np.linalg.det(axes) < 0:
            axes[:, 2] *= -1
        super().__init__(*checked_frames(source, target), values[1:] - values[0], *_both_sides(axes))

    def matrix(self, *, order: Order) -> Doubles:
        """A as given, for quaternions of that order, shape (4, 4)."""
        if order not in ("xyzw", "wxyz"):
            raise ValueError(f'order= must be "xyzw" or "wxyz", not {order!r}')
        return self._A.copy() if order == "xyzw" else self._A[np.ix_([3, 0, 1, 2], [3, 0, 1, 2])]

    @staticmethod
    def fit(rotation: Rotation[S, T], weights: ArrayLike | None = None) -> Bingham[S, T]:
        """The law of greatest likelihood, which has the samples' E q qᵀ.

        Parameters
        ----------
        rotation : Rotation
            Of any batch shape.
        weights : array_like, optional
            Not negative.

        Returns
        -------
        Bingham

        Raises
        ------
        ValueError
            If there is nothing to fit to, or the rotations keep to fewer than three dimensions.

        Examples
        --------
        >>> import numpy as np
        >>> R = Bingham(np.diag([0.0, 2.0, 4.0, 8.0]), order="wxyz").sample(200_000, rng=1)
        >>> A = Bingham.fit(R).matrix(order="wxyz")
        >>> (np.diag(A) - A[0, 0]).round()
        array([0., 2., 4., 8.])
        """
        w, left, right = fitted(*checked_weights(rotation, weights))
        # The images of the unit quaternions are the axes.
        axes: Any = kernels.multiply(kernels.multiply(left, np.eye(4)), right)
        A = (axes.T * np.array([*w, 0.0])) @ axes
        return Bingham((A + A.T) / 2, order="xyzw", source=rotation.source, target=rotation.target)


def _both_sides(axes: Doubles) -> tuple[Doubles, Doubles]:
    """Unit quaternions with ``left · q · right`` = axes @ q, for a rotation of four dimensions."""
    middle = axes[:, 3]
    # What is left when the image of the identity is taken off is a rotation of the vector part.
    vectors: Any = kernels.multiply(kernels.conjugate(middle), axes.T[:3])
    turn: Any = kernels.from_matrix(vectors[:, :3].T, project=True)
    left: Any = kernels.multiply(middle, turn)
    right: Any = kernels.conjugate(turn)
    return left, right
