"""Samples that every property has to hold on: all batch shapes, both precisions, and the places where formulas break.

A third of the rows lies within 1e-7 of the identity, a third within 1e-7 of a half turn (or, for Euler angles, of the
pole), a third anywhere. A test asks for them with one decorator::

    @every_batch
    def test_inverse(sample: Sample) -> None:
        q = sample.quaternions()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from boresight import kernels

BATCHES: tuple[tuple[int, ...], ...] = ((), (1,), (0,), (3, 1, 2, 1))
DTYPES = (np.float32, np.float64)
# Of each of the eight combinations, as many as make up a property test of the profile.
EXAMPLES = max(1, settings.default.max_examples // (len(BATCHES) * len(DTYPES)))

Array = NDArray[np.floating[Any]]


@dataclass
class Sample:
    """A batch shape, a precision, and as many random values in them as a test asks for."""

    batch: tuple[int, ...]
    dtype: Any
    seed: int
    _random: np.random.Generator = field(init=False)
    _turn: int = field(init=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self._turn = self.seed % 3

    def __repr__(self) -> str:
        return f"Sample(batch={self.batch}, {np.dtype(self.dtype)}, seed={self.seed})"

    @property
    def eps(self) -> float:
        """Spacing of the precision at one."""
        return float(np.finfo(self.dtype).eps)

    def regions(self) -> NDArray[np.intp]:
        """For each row 0 (identity), 1 (half turn or pole) or 2 (anywhere), a third each; shape (..., 1)."""
        count = int(np.prod(self.batch))
        self._turn += 1  # so that a batch of one gets to see all of them
        return ((np.arange(count) + self._turn) % 3).reshape(*self.batch, 1)

    def vectors(self, scale: float = 1.0) -> Array:
        """Vectors of no special kind, shape (..., 3)."""
        return (scale * self._random.standard_normal((*self.batch, 3))).astype(self.dtype)

    def axes(self) -> NDArray[np.float64]:
        """Unit vectors, shape (..., 3)."""
        v = self._random.standard_normal((*self.batch, 3))
        return v / np.linalg.norm(v, axis=-1, keepdims=True)

    def rotation_vectors(self) -> Array:
        """Rotation vectors of at most a half turn, shape (..., 3)."""
        near = self._random.uniform(0, 1e-7, (*self.batch, 1))
        # Down to where nothing is left of a square.
        tiny = near * 10.0 ** -self._random.choice([0, 0, 3, 9, 150], (*self.batch, 1))
        anywhere = self._random.uniform(0, np.pi, (*self.batch, 1))
        angle = np.choose(self.regions(), [tiny, np.pi - near, anywhere])
        return (angle * self.axes()).astype(self.dtype)

    def quaternions(self, near: Literal["half turn", "pole"] = "half turn") -> Array:
        """Unit quaternions, xyzw, of either sign, shape (..., 4)."""
        if near == "half turn":
            q = kernels.exp(self.rotation_vectors().astype(np.float64))
        else:
            pitch = np.pi / 2 - self._random.uniform(0, 1e-7, self.batch)
            pitch *= self._random.choice([-1.0, 1.0], self.batch)
            small = self._random.uniform(-1e-7, 1e-7, (*self.batch, 3))
            wide = self._random.uniform(-np.pi, np.pi, (*self.batch, 3))
            angles = np.choose(self.regions(), [small, wide, wide])
            at_pole = np.asarray(self.regions()[..., 0] == 1)
            angles[..., 1] = np.where(at_pole, pitch, angles[..., 1] / 2)
            q = kernels.from_euler("ZYX", angles, degrees=False)
        sign = self._random.choice([-1.0, 1.0], (*self.batch, 1))
        return kernels.from_quaternion((sign * q).astype(self.dtype), order="xyzw")

    def poses(self) -> tuple[Array, Array]:
        """Quaternions and translations."""
        return self.quaternions(), self.vectors(3.0)

    def twists(self) -> Array:
        """Twists, translation first, shape (..., 6)."""
        return np.concatenate([self.vectors(3.0), self.rotation_vectors()], axis=-1)

    def numbers(self, low: float = 0.0, high: float = 1.0) -> Array:
        """Numbers, shape (...)."""
        return np.asarray(self._random.uniform(low, high, self.batch)).astype(self.dtype)


def every_batch(test: Callable[[Sample], None]) -> Any:
    """Run a test on samples of every batch shape and precision."""

    @pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
    @pytest.mark.parametrize("batch", BATCHES, ids=str)
    @settings(max_examples=EXAMPLES)
    @given(seed=st.integers(0, 2**32 - 1))
    def run(batch: tuple[int, ...], dtype: Any, seed: int) -> None:
        test(Sample(batch, dtype, seed))

    run.__name__ = run.__qualname__ = test.__name__
    run.__doc__ = test.__doc__
    run.__module__ = test.__module__
    return run
