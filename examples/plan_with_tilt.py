"""Plan for a robot that carries a full cup: in SE(3), around a wall, with the cup never tilted by more than 5 degrees.

    pip install "boresight[ompl]"
    python examples/plan_with_tilt.py

Two of OMPL's planners, each with rotations drawn from the cone and with rotations drawn from everywhere and thrown
away outside it. PRM takes its states from a sampler of valid states and one goal; RRTConnect ignores the sampler, and draws goals from a goal region. Any heading will do at the goal too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ompl import base as ob
from ompl import geometric as og
from ompl import util as ou

from boresight import Rotation
from boresight.interop.ompl import RegionGoal, goal_state, read_state, valid_state_sampler_allocator
from boresight.sampling import TiltCone, Uniform

TILT = np.radians(5.0)
UPRIGHT = TiltCone(Rotation.identity(), TILT)
BOUNDS = (-1.0, 1.0)
GOAL = ([0.7, 0.5, -0.1], [0.9, 0.7, 0.1])


class Checker:
    """Whether a state keeps the cup upright and the body clear of the wall, with a count of how often it was asked.

    The wall stands across the way at x = 0 and has a window in it. Tilt alone, without turning the state into anything:
    the z axis of the body is tilted by t where cos t = 1 - 2 (x² + y²).
    """

    def __init__(self) -> None:
        self.count = 0
        self._least = np.cos(TILT)

    def __call__(self, state: Any) -> bool:
        self.count += 1
        q = state.rotation()
        if 1 - 2 * (q.x * q.x + q.y * q.y) < self._least:
            return False
        if abs(state.getX()) > 0.1:
            return True
        return abs(state.getY() + 0.4) < 0.15 and abs(state.getZ() - 0.3) < 0.15


class RejectionGoal(RegionGoal):
    """The same goal, drawn as one has to without samples of a cone: from all rotations, until one is upright."""

    def __init__(self, si: Any, seed: int) -> None:
        super().__init__(si, UPRIGHT, GOAL, rng=seed)
        self._everywhere = RegionGoal(si, Everywhere(), GOAL, rng=seed)

    def sampleGoal(self, state: Any) -> None:  # noqa: N802
        while True:
            self._everywhere.sampleGoal(state)
            if self.isSatisfied(state):
                return


class Everywhere:
    """All rotations, as a region."""

    source = target = Rotation.identity().source
    sample = staticmethod(Uniform().sample)

    @staticmethod
    def contains(_rotation: Rotation[Any, Any]) -> bool:
        return True


@dataclass
class Run:
    """How a plan went."""

    solved: bool
    seconds: float
    checks: int
    worst_tilt: float


def plan(planner: str, goal_of: Callable[[Any, int], Any], rotations: Any, seed: int, limit: float) -> Run:
    """Plan once, and measure."""
    space = ob.SE3StateSpace()
    bounds = ob.RealVectorBounds(3)
    bounds.setLow(BOUNDS[0])
    bounds.setHigh(BOUNDS[1])
    space.setBounds(bounds)
    si = ob.SpaceInformation(space)
    checker = Checker()
    si.setStateValidityChecker(checker)
    si.setStateValidityCheckingResolution(0.01)
    if rotations is not None:
        si.setValidStateSamplerAllocator(valid_state_sampler_allocator(rotations, rng=seed))
    si.setup()
    start = si.allocState()
    start.setXYZ(-0.8, 0.6, 0.0)
    start.rotation().setIdentity()
    problem = ob.ProblemDefinition(si)
    problem.addStartState(start)
    goal = goal_of(si, seed)
    problem.setGoal(goal)
    chosen = getattr(og, planner)(si)
    chosen.setProblemDefinition(problem)
    chosen.setup()
    began = time.perf_counter()
    chosen.solve(limit)
    took = time.perf_counter() - began
    solved = problem.hasExactSolution()
    worst = 0.0
    if solved:
        path = problem.getSolutionPath()
        path.interpolate()
        states = [read_state(path.getState(i)).rotation for i in range(path.getStateCount())]
        up = Rotation.concatenate(states).apply([0.0, 0.0, 1.0])
        worst = float(np.degrees(np.arccos(up[:, 2].min())))
    return Run(solved, took, checker.count, worst)


def one(si: Any, seed: int) -> Any:
    """One goal."""
    return goal_state(si, UPRIGHT, GOAL, rng=seed)


def region(si: Any, seed: int) -> RegionGoal:
    """Any goal of the region."""
    return RegionGoal(si, UPRIGHT, GOAL, rng=seed)


WAYS: dict[str, tuple[str, Callable[[Any, int], Any], Any]] = {
    "PRM, states from the cone": ("PRM", one, UPRIGHT),
    "PRM, rejection": ("PRM", one, None),
    "RRTConnect, goals from the cone": ("RRTConnect", region, None),
    "RRTConnect, rejection": ("RRTConnect", RejectionGoal, None),
}


def main() -> None:
    """Plan each way several times and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="plans of each kind")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds a plan may take")
    arguments = parser.parse_args()
    ou.setLogLevel(ou.LOG_ERROR)
    ou.RNG.setSeed(1)
    print(f"{'planner and sampling':<34}solved  seconds  states checked  largest tilt on a path")
    for name, (planner, goal_of, rotations) in WAYS.items():
        runs = [plan(planner, goal_of, rotations, seed, arguments.limit) for seed in range(arguments.runs)]
        seconds = statistics.median(run.seconds for run in runs)
        checks = statistics.median(run.checks for run in runs)
        worst = max(run.worst_tilt for run in runs)
        solved = sum(run.solved for run in runs)
        print(f"{name:<34}{solved}/{len(runs)}   {seconds:8.3f}  {checks:14,.0f}  {worst:6.1f} degrees")


if __name__ == "__main__":
    main()
