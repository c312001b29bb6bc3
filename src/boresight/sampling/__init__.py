"""Sampling rotations exactly, from random numbers of `numpy.random.Generator` alone."""

from boresight.sampling import draws

__all__ = ["draws"]
