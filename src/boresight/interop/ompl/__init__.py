"""Samplers and goals for the planners of OMPL (`pip install "boresight[ompl]"`, the 2.0 wheels).

The binding lets Python into a planner in four ways, and each is served:

- `valid_state_sampler_allocator` for ``SpaceInformation.setValidStateSamplerAllocator``: planners that draw valid
  states (PRM and its kin) then draw ours; those that do not (RRTConnect) ignore it;
- `RegionGoal`, a goal region that is drawn from: every planner that grows a tree from the goal (RRTConnect) uses it.
  PRM looks for further goals in a second thread while ``solve`` holds the interpreter's lock, so that a goal or a
  checker of goals written in Python hangs it: give it one goal, `goal_state`;
- `compound_sampler`, a C++ ``CompoundStateSampler`` whose rotations are ours, and `SE3StateSampler`, which also
  respects the distance it is given; for whoever draws states himself;
- the same samplers inside an ``ob.Planner`` written in Python.

What is not bound (``setStateSamplerAllocator``), ignored (a Python subclass of ``SE3StateSpace``) or crashes
(``WrapperStateSampler`` on a bare SE(3) state) is left alone.

Every sampler draws a batch ahead, since a sample from a batch costs a fraction of one drawn alone, and hands out rows.
A distance beyond the extent of the space means all of it here, and a Gaussian wider than the uniform law is uniform:
planners ask for either, and an error would end them.
"""

from .goals import RegionGoal, goal_state
from .samplers import SE3StateSampler, SO3StateSampler, compound_sampler, state_sampler
from .states import read_state, write_state
from .valid import ValidStateSampler, valid_state_sampler_allocator

__all__ = [
    "RegionGoal",
    "SE3StateSampler",
    "SO3StateSampler",
    "ValidStateSampler",
    "compound_sampler",
    "goal_state",
    "read_state",
    "state_sampler",
    "valid_state_sampler_allocator",
    "write_state",
]
