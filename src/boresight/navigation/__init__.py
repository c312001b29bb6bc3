"""Navigation: position, velocity and attitude, with their covariance, out of inertial and other sensors."""

from boresight.navigation.config import (
    Accuracy,
    Coast,
    Config,
    ConfigError,
    Correlation,
    Gates,
    Hold,
    ImuNoise,
    Initialization,
    Recovery,
    Timeouts,
)
from boresight.navigation.eskf import Eskf, predicted_validity
from boresight.navigation.estimate import Estimate
from boresight.navigation.health import Diagnostics, PropagationHealth, SourceHealth
from boresight.navigation.inputs import Sources
from boresight.navigation.noise import AltitudeNoise, HeadingNoise, PositionNoise, SigmaBounds, VelocityNoise
from boresight.navigation.origin import Origin, magnetic_declination
from boresight.navigation.outcomes import Fusion, GnssFusion, Propagation, Status, Validity
from boresight.navigation.replay import run, seed_from_log
from boresight.navigation.start import (
    Alignment,
    InitError,
    InitializationError,
    NotStationary,
    Start,
    WindowTooShort,
    initialize,
    initialize_coarse,
    initialize_from,
)
from boresight.navigation.state import State
from boresight.navigation.window import SampleRefusal, StaticWindow

__all__ = [
    "Accuracy",
    "Alignment",
    "AltitudeNoise",
    "Coast",
    "Config",
    "ConfigError",
    "Correlation",
    "Diagnostics",
    "Eskf",
    "Estimate",
    "Fusion",
    "Gates",
    "GnssFusion",
    "HeadingNoise",
    "Hold",
    "ImuNoise",
    "InitError",
    "Initialization",
    "InitializationError",
    "NotStationary",
    "Origin",
    "PositionNoise",
    "Propagation",
    "PropagationHealth",
    "Recovery",
    "SampleRefusal",
    "SigmaBounds",
    "SourceHealth",
    "Sources",
    "Start",
    "State",
    "StaticWindow",
    "Status",
    "Timeouts",
    "Validity",
    "VelocityNoise",
    "WindowTooShort",
    "initialize",
    "initialize_coarse",
    "initialize_from",
    "magnetic_declination",
    "predicted_validity",
    "run",
    "seed_from_log",
]
