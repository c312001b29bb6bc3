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
    from_sample,
    from_state,
    from_window,
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
    "from_sample",
    "from_state",
    "from_window",
    "magnetic_declination",
    "run",
    "seed_from_log",
]
