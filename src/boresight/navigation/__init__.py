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
from boresight.navigation.noise import AltitudeNoise, HeadingNoise, PositionNoise, SigmaBounds, VelocityNoise

__all__ = [
    "Accuracy",
    "AltitudeNoise",
    "Coast",
    "Config",
    "ConfigError",
    "Correlation",
    "Gates",
    "HeadingNoise",
    "Hold",
    "ImuNoise",
    "Initialization",
    "PositionNoise",
    "Recovery",
    "SigmaBounds",
    "Timeouts",
    "VelocityNoise",
]
