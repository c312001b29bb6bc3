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
from boresight.navigation.eskf import Eskf
from boresight.navigation.health import Diagnostics, PropagationHealth, SourceHealth
from boresight.navigation.noise import AltitudeNoise, HeadingNoise, PositionNoise, SigmaBounds, VelocityNoise
from boresight.navigation.origin import Origin, magnetic_declination
from boresight.navigation.outcomes import Fusion, GnssFusion, Propagation, Status, Validity
from boresight.navigation.start import (
    Alignment,
    InitError,
    InitializationError,
    NotStationary,
    Start,
    WindowTooShort,
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
    "Start",
    "State",
    "StaticWindow",
    "Status",
    "Timeouts",
    "Validity",
    "VelocityNoise",
    "WindowTooShort",
    "magnetic_declination",
]
