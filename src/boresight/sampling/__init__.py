"""Sampling rotations exactly, from random numbers of `numpy.random.Generator` alone."""

from boresight.sampling import draws
from boresight.sampling.cell48 import Cell48
from boresight.sampling.constraints import EulerBox, RotvecBox, SwingTwistBox, TiltCone
from boresight.sampling.covering import coverage, covering_radius
from boresight.sampling.distributions import (
    Bingham,
    GeodesicBall,
    GeodesicShell,
    IsotropicGaussian,
    Law,
    MatrixFisher,
    NoiseSide,
    Region,
    Uniform,
    WrappedNormal,
)
from boresight.sampling.grids import Grid, HopfHealpix, SuperFibonacci
from boresight.sampling.spaces import (
    CompoundStateSpace,
    RealVectorStateSpace,
    SE3StateSpace,
    SO3StateSampler,
    SO3StateSpace,
    StateSampler,
    StateSpace,
)
from boresight.sampling.symmetry import Quotient, point_group

__all__ = [
    "Bingham",
    "Cell48",
    "CompoundStateSpace",
    "EulerBox",
    "GeodesicBall",
    "GeodesicShell",
    "Grid",
    "HopfHealpix",
    "IsotropicGaussian",
    "Law",
    "MatrixFisher",
    "NoiseSide",
    "Quotient",
    "RealVectorStateSpace",
    "Region",
    "RotvecBox",
    "SE3StateSpace",
    "SO3StateSampler",
    "SO3StateSpace",
    "StateSampler",
    "StateSpace",
    "SuperFibonacci",
    "SwingTwistBox",
    "TiltCone",
    "Uniform",
    "WrappedNormal",
    "coverage",
    "covering_radius",
    "draws",
    "point_group",
]
