"""The matrix Fisher law, exp(tr(Fᵀ R))."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...frames import Source, Target, Unframed
from ...rotation import Rotation
from ..streams import Doubles
from .law import S, T, checked_frames, checked_weights, square_matrix
from .quadratic import Quadratic, fitted

__all__ = ["MatrixFisher"]


class MatrixFisher(Quadratic[Source, Target]):
    """Density exp(tr(Fᵀ R)) / c(F) with respect to Haar's measure.

    Parameters
    ----------
    F : array_like, shape (3, 3)
        Any matrix. With its proper singular values F = U diag(s) Vᵀ, U and V rotations, the mean is U Vᵀ, and s says how
        sharply the law is peaked about it: for large s, a turn about the i-th axis of V has variance 1/(sⱼ + sₖ).
    source, target : type of Frame, optional
        Both or neither.

    Raises
    ------
    ValueError
        For an F of another shape, or not finite.

    Notes
    -----
    The same family as Bingham's law of quaternions. The normalising constant is that of arXiv:1710.03746, by one
    integral, to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> law = MatrixFisher(np.diag([5.0, 3.0, 1.0]))
    >>> law.expected_matrix().round(5)
    array([[0.84632, 0.     , 0.     ],
           [0.     , 0.79667, 0.     ],
           [0.     , 0.     , 0.77343]])
    >>> law.sample(100_000, rng=1).as_matrix().mean(axis=0).round(2) + 0.0
    array([[0.85, 0.  , 0.  ],
           [0.  , 0.8 , 0.  ],
           [0.  , 0.  , 0.77]])
    """

    @overload
    def __init__(self: MatrixFisher[Unframed, Unframed], F: ArrayLike) -> None: ...
    @overload
    def __init__(self, F: ArrayLike, *, source: type[Source], target: type[Target]) -> None: ...
    def __init__(self, F: ArrayLike, *, source: Any = None, target: Any = None) -> None:
        self._F = square_matrix("F", F, 3)
        self._U, s, self._V = _proper(self._F)
        w = 2 * np.array([s[1] + s[2], s[0] + s[2], s[0] + s[1]])
        left: Any = kernels.from_matrix(self._U)
        right: Any = kernels.conjugate(kernels.from_matrix(self._V))
        super().__init__(*checked_frames(source, target), np.maximum(w, 0.0), left, right)

    @property
    def F(self) -> Doubles:  # noqa: N802 - the field's own letter
        """The parameter, shape (3, 3)."""
        return self._F.copy()

    def expected_matrix(self) -> Doubles:
        """E R, which is no rotation: U diag(∂ log c / ∂sᵢ) Vᵀ, shape (3, 3)."""
        return self._U @ np.diag(1 - self._moments.lost) @ self._V.T

    @staticmethod
    def fit(rotation: Rotation[S, T], weights: ArrayLike | None = None) -> MatrixFisher[S, T]:
        """The law of greatest likelihood, which has the samples' E R.

        Parameters
        ----------
        rotation : Rotation
            Of any batch shape.
        weights : array_like, optional
            Not negative.

        Returns
        -------
        MatrixFisher

        Raises
        ------
        ValueError
            If there is nothing to fit to, or the rotations keep to fewer than three dimensions.

        Examples
        --------
        >>> import numpy as np
        >>> R = MatrixFisher(np.diag([5.0, 3.0, 1.0])).sample(200_000, rng=1)
        >>> np.diag(MatrixFisher.fit(R).F).round(1)
        array([5., 3., 1.])
        """
        (x, y, z), left, right = fitted(*checked_weights(rotation, weights))
        s = np.array([y + z - x, z + x - y, x + y - z]) / 4
        F = kernels.to_matrix(left) @ np.diag(s) @ kernels.to_matrix(right)
        return MatrixFisher(F, source=rotation.source, target=rotation.target)


def _proper(F: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Singular values with rotations on both sides, the last of them negative if F mirrors.

    Of the signs of columns, which are free in pairs, those are taken that do not hang on the linear algebra at hand:
    the largest number of each of the first two columns of V is positive.
    """
    size = float(np.abs(F).max())
    if size == 0:
        return np.eye(3), np.zeros(3), np.eye(3)
    U, s, Vt = np.linalg.svd(F / size)
    V = Vt.T.copy()
    for i in range(2):
        if V[np.argmax(np.abs(V[:, i])), i] < 0:
            U[:, i], V[:, i] = -U[:, i], -V[:, i]
    for side in (U, V):
        if np.linalg.det(side) < 0:
            side[:, 2] *= -1
            s[2] *= -1
    return U, s * size, V
