"""The spaces that planners sample: rotations, vectors, poses, and what is made of them."""

from .compound import CompoundStateSpace
from .real_vector import RealVectorStateSpace
from .samplers import StateSampler
from .se3 import SE3StateSpace
from .so3 import SO3StateSampler, SO3StateSpace
from .state_space import StateSpace

__all__ = [
    "CompoundStateSpace",
    "RealVectorStateSpace",
    "SE3StateSpace",
    "SO3StateSampler",
    "SO3StateSpace",
    "StateSampler",
    "StateSpace",
]
