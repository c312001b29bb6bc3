"""All rotations alike."""

from __future__ import annotations

from math import pi
from typing import Any, Never, overload

import numpy as np
from numpy.typing import ArrayLike

from ...frames import Source, Target, Unframed
from ...kernels.sampling import angle_mass
from .. import draws
from ..checks import reals
from ..streams import Doubles, Rng, Size
from .law import Law, checked_frames

__all__ = ["Uniform"]


class Uniform(Law[Source, Target]):
    """Haar's measure: no rotation is more likely than another, whatever they are all composed with.

    Parameters
    ----------
    source, target : type of Frame, optional
        Both or neither.

    Examples
    --------
    >>> Uniform().sample(1000, rng=1).shape
    (1000,)
    """

    __slots__ = ()

    @overload
    def __init__(self: Uniform[Unframed, Unframed]) -> None: ...
    @overload
    def __init__(self, *, source: type[Source], target: type[Target]) -> None: ...
    def __init__(self, *, source: Any = None, target: Any = None) -> None:
        super().__init__(*checked_frames(source, target))

    @property
    def mean(self) -> Never:
        """There is none.

        Raises
        ------
        ValueError
        """
        raise ValueError("the uniform law has no mean: every rotation is as near to all of them as any other")

    def angle_cdf(self, angle: ArrayLike) -> Any:
        """The share of rotations that turn by no more than an angle: (θ - sin θ) / π.

        Parameters
        ----------
        angle : array_like, shape (...)
            In radians.

        Returns
        -------
        ndarray, shape (...)
        """
        return angle_mass(np.clip(reals("angle", angle), 0.0, pi)) / pi

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return draws.haar(rng, size)

    def _log_density(self, q: Doubles) -> Any:
        return 0.0 * q.sum(axis=-1)
