"""Laws over rotations: samples, densities with respect to Haar's measure, means, and fits where there is one."""

from .bingham import Bingham
from .fisher import MatrixFisher
from .geodesic import GeodesicBall, GeodesicShell
from .isotropic import IsotropicGaussian
from .law import Law
from .region import Region
from .uniform import Uniform
from .wrapped import NoiseSide, WrappedNormal

__all__ = [
    "Bingham",
    "GeodesicBall",
    "GeodesicShell",
    "IsotropicGaussian",
    "Law",
    "MatrixFisher",
    "NoiseSide",
    "Region",
    "Uniform",
    "WrappedNormal",
]
