"""The configuration: its defaults, and that every figure is held to its bound by name."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import pytest
from scipy.stats import chi2

from boresight.navigation import Coast, Config, ConfigError, Correlation, Gates, Hold, Recovery

# As the specification has them.
DEFAULTS = {
    "imu.gyro_white": 0.015,
    "imu.accel_white": 0.35,
    "imu.gyro_bias_walk": 1.1e-4,
    "imu.accel_bias_walk": 2.2e-3,
    "gates.gnss_position": 13.815511,
    "gates.gnss_height": 10.827566,
    "gates.gnss_velocity": 16.266236,
    "gates.baro": 10.827566,
    "gates.mag": 10.827566,
    "recovery.gnss_position": 7.0,
    "recovery.gnss_height": 5.0,
    "recovery.gnss_velocity": 7.0,
    "recovery.baro": 5.0,
    "recovery.mag": 7.0,
    "recovery.yaw_estimator": 1.0,
    "correlation.gnss_position": 8.5,
    "correlation.gnss_height": 37.0,
    "correlation.gnss_velocity": 0.5,
    "correlation.baro": 0.26,
    "correlation.mag": 1.3,
    "correlation.gnss_heading": 0.25,
    "correlation.course": 1.4,
    "coast.acceleration": 2.0,
    "coast.rotation": 0.1,
    "hold.sigma": 10.0,
    "initialization.duration": 2.0,
    "initialization.peak_rate": 0.262,
    "initialization.peak_acceleration": 1.961,
    "initialization.tilt": 0.02,
    "initialization.yaw": 0.35,
    "initialization.accel_bias": 0.2,
    "initialization.gyro_bias": 0.01,
    "accuracy.tilt": math.radians(3.0),
    "accuracy.heading": math.radians(30.0),
    "accuracy.position": 5.0,
    "accuracy.velocity": 1.0,
    "accuracy.horizon": 1.0,
    "gravity": 9.80665,
    "max_predict_dt": 0.1,
    "baro_offset_walk": 0.13,
    "baro_reference_from_estimate": True,
    "yaw_estimator": True,
    "declination": None,
}
NUMBERS = [path for path, value in Config().figures().items() if not isinstance(value, bool)]


def test_defaults_are_those_of_the_specification_and_are_valid() -> None:
    figures = Config().validate().figures()
    assert {path: figures[path] for path in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize("path", NUMBERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300, -1e-3 - math.pi, "3", True])
def test_a_figure_out_of_its_bound_is_named(path: str, value: Any) -> None:
    config = Config().with_value(path, value)
    with pytest.raises(ConfigError) as caught:
        config.validate()
    assert caught.value.path == f"config.{path}"
    assert caught.value.value is value
    assert path in str(caught.value)
    assert "at most" in caught.value.bound or "above" in caught.value.bound


def test_the_bounds_of_gravity() -> None:
    for gravity in (9.7, 9.9):
        Config(gravity=gravity).validate()
    for gravity in (math.nextafter(9.7, 0.0), math.nextafter(9.9, 10.0)):
        with pytest.raises(ConfigError, match="at least 9.7, at most 9.9"):
            Config(gravity=gravity).validate()


def test_what_may_be_off_and_what_may_not() -> None:
    Config(coast=None, hold=None, recovery=Recovery.off(), correlation=Correlation.white()).validate()
    with pytest.raises(ConfigError, match=r"config\.imu is None"):
        Config(imu=None).validate()  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"config\.gates\.baro is None"):
        Config().with_value("gates.baro", None).validate()
    with pytest.raises(ConfigError, match=r"config\.coast is 3\.0; it has to be a Coast or None"):
        Config(coast=3.0).validate()  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"config\.yaw_estimator is 1"):
        Config(yaw_estimator=1).validate()  # type: ignore[arg-type]


def test_a_gap_may_not_be_shorter_than_a_step() -> None:
    with pytest.raises(ConfigError, match=r"config\.coast\.limit"):
        Config(coast=Coast(limit=0.05)).validate()


def test_unknown_figures_are_refused_by_name() -> None:
    for path in ("imu.gyrowhite", "imus.gyro_white", "gravity.z", ""):
        with pytest.raises(ConfigError, match="a figure that exists"):
            Config().with_value(path, 1.0)


@pytest.mark.parametrize("probability", [0.5, 0.95, 0.99, 0.999, 0.999999])
def test_gates_are_points_of_chi_square(probability: float) -> None:
    gates = Gates.at(probability)
    assert gates.gnss_velocity == pytest.approx(chi2.ppf(probability, 3), abs=1e-6)
    assert gates.gnss_position == pytest.approx(chi2.ppf(probability, 2), abs=1e-6)
    assert gates.gnss_height == gates.baro == pytest.approx(chi2.ppf(probability, 1), abs=1e-6)


def test_the_default_gates_are_the_99_9_percent_points() -> None:
    assert Gates.at(0.999) == Gates()


def test_no_probability_no_gates() -> None:
    for probability in (0.0, 1.0, -1.0, math.nan):
        with pytest.raises(ConfigError):
            Gates.at(probability)


def test_flat_says_what_is_off() -> None:
    flat = Config(coast=None, hold=None, recovery=Recovery.off(), correlation=Correlation.white()).flat()
    assert flat["coast"] == flat["hold"] == flat["tau_mag"] == 0.0
    assert flat["recovery_mag"] == math.inf
    assert all(type(value) is float for value in flat.values())
    on = Config(hold=Hold(7.0)).flat()
    assert (on["coast"], on["hold"], on["tau_mag"]) == (1.0, 7.0, 1.3)


def test_values() -> None:
    config = Config().with_value("imu.gyro_white", 0.003)
    assert config.imu.gyro_white == 0.003
    assert config != Config() and config == pickle.loads(pickle.dumps(config))
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.gravity = 9.8  # type: ignore[misc]
    error = ConfigError("config.gravity", 1.0, "more")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
