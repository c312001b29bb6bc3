"""Sampling rotations exactly, from random numbers of `numpy.random.Generator` alone."""

from boresight.sampling import draws
from boresight.sampling.cell48 import Cell48
from boresight.sampling.covering import coverage, covering_radius
from boresight.sampling.grids import Grid, HopfHealpix, SuperFibonacci

__all__ = ["Cell48", "Grid", "HopfHealpix", "SuperFibonacci", "coverage", "covering_radius", "draws"]
