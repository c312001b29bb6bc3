"""Sampling rotations exactly, from random numbers of `numpy.random.Generator` alone."""

from boresight.sampling import draws
from boresight.sampling.cell48 import Cell48
from boresight.sampling.covering import coverage, covering_radius
from boresight.sampling.distributions import (
    Bingham,
    GeodesicBall,
    GeodesicShell,
    IsotropicGaussian,
    Law,
    MatrixFisher,
    NoiseSide,
    Uniform,
    WrappedNormal,
)
from boresight.sampling.grids import Grid, HopfHealpix, SuperFibonacci

__all__ = [
    "Bingham",
    "Cell48",
    "GeodesicBall",
    "GeodesicShell",
    "Grid",
    "HopfHealpix",
    "IsotropicGaussian",
    "Law",
    "MatrixFisher",
    "NoiseSide",
    "SuperFibonacci",
    "Uniform",
    "WrappedNormal",
    "coverage",
    "covering_radius",
    "draws",
]
