"""Laws that are uniform over a part of all rotations."""

from __future__ import annotations

from abc import abstractmethod
from math import log
from typing import Any

import numpy as np

from ...frames import Source, Target
from ...rotation import Rotation
from ..streams import Doubles
from .law import Law

__all__ = ["EDGE", "Region"]

EDGE = 1e-14
"""Angles: rounding of a rotation's numbers must not put what was drawn on the edge outside."""


class Region(Law[Source, Target]):
    """Uniform (Haar) over a part of all rotations; also a constraint, which rotations keep or break."""

    __slots__ = ()

    @property
    @abstractmethod
    def mass(self) -> float:
        """What share of all rotations the part is: the chance that a uniform rotation keeps the constraint."""

    @abstractmethod
    def _holds(self, q: Doubles) -> Any:
        """Whether quaternions about the identity are inside."""

    def contains(self, rotation: Rotation[Source, Target]) -> Any:
        """Whether rotations are where samples are: whether they keep the constraint.

        Parameters
        ----------
        rotation : Rotation, shape (...)
            Between the law's own frames.

        Returns
        -------
        ndarray of bool, shape (...)
            False where the rotation is NaN.
        """
        return self._holds(self._about_identity(rotation))

    def _log_density(self, q: Doubles) -> Any:
        mass = self.mass
        if not mass > 0:
            raise ValueError(f"{self!r} has no density: it holds no share of all rotations")
        return np.where(self._holds(q), -log(mass), -np.inf) + 0.0 * q.sum(axis=-1)
