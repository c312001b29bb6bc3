"""Flights and drives with known truth, and what the sensors on board would have logged."""

from boresight.simulate.scenarios import Place, Scenario
from boresight.simulate.simulation import simulate
from boresight.simulate.trajectories import Trajectory, Truth

__all__ = ["Place", "Scenario", "Trajectory", "Truth", "simulate"]
