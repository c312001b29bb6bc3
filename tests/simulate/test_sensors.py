"""Sensors: exact without noise, and with the noise they were told to have."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from boresight import kernels
from boresight.conventions.earth import ecef, geodetic, tangent_to_geodetic
from boresight.simulate.scenarios import DRIVE, FLIGHT, Scenario
from boresight.simulate.segments import Rest
from boresight.simulate.sensors import (
    Barometer,
    Estimate,
    Field,
    Gnss,
    Imu,
    Magnetometer,
    correlated,
    random_walk,
    sample_times,
)
from boresight.simulate.trajectories import Trajectory

GRAVITY = np.array([0.0, 0.0, 9.80665])
STILL = Trajectory([Rest(1.0)], "multirotor", heading=0.0, gravity=9.80665)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def perfect(sensor: Imu) -> Imu:
    names = ("gyro_noise", "gyro_bias", "gyro_walk", "accel_noise", "accel_bias", "accel_walk")
    return dataclasses.replace(sensor, **dict.fromkeys(names, 0.0))


@pytest.mark.parametrize("scenario", [FLIGHT, DRIVE], ids=lambda s: s.name)
def test_a_perfect_imu_integrates_to_the_truth(scenario: Scenario) -> None:
    trajectory = scenario.trajectory()
    read = perfect(Imu(rate=200.0)).read(trajectory, 0.0, scenario.duration, rng())
    truth = trajectory.at(read.time * 1e-6)
    dt = (read.interval * 1e-6)[:, None]
    turns = kernels.exp(read.rate * dt)
    # Each step from the true state before it: what is left is the error of one step, added up over the run.
    start = trajectory.at((read.time - read.interval) * 1e-6)
    attitude = kernels.multiply(start.attitude, turns)
    miss = kernels.log(kernels.multiply(kernels.conjugate(attitude), truth.attitude))
    middle = kernels.multiply(start.attitude, kernels.exp(0.5 * read.rate * dt))
    gained = kernels.rotate(middle, read.specific_force * dt) + GRAVITY * dt
    slip = truth.velocity - start.velocity - gained
    assert (
        np.abs(np.cumsum(miss, axis=0)).max() < 1e-4
    )  # the coning that a mean rate leaves out, over a minute
    assert np.abs(np.cumsum(slip, axis=0)).max() < 5e-3
    assert np.abs(np.diff(truth.velocity, axis=0)).max() > 5e-3


def test_noise_densities_are_those_asked_for() -> None:
    imu = Imu(
        rate=100.0,
        gyro_noise=2e-3,
        gyro_bias=0.0,
        gyro_walk=0.0,
        accel_noise=3e-2,
        accel_bias=0.0,
        accel_walk=0.0,
    )
    read = imu.read(STILL, 0.0, 200.0, rng())
    # A density d at 100 Hz is a standard deviation of 10 d.
    assert read.rate.std(axis=0) == pytest.approx([2e-2] * 3, rel=0.03)
    assert read.specific_force.std(axis=0) == pytest.approx([3e-1] * 3, rel=0.03)
    assert read.specific_force.mean(axis=0) == pytest.approx(-GRAVITY, abs=0.01)


def test_biases_start_and_walk_as_asked_for() -> None:
    steps = np.full(100, 0.25)
    walks = random_walk(rng(), steps, 0.5, 0.1, 4000)
    assert walks[0].std() == pytest.approx(0.5, rel=0.05)
    assert walks[-1].std() == pytest.approx(np.hypot(0.5, 0.1 * np.sqrt(99 * 0.25)), rel=0.05)


def test_the_imu_reports_the_biases_it_added() -> None:
    noisy = Imu(gyro_noise=0.0, accel_noise=0.0)
    read = noisy.read(STILL, 0.0, 10.0, rng())
    assert read.rate == pytest.approx(read.gyro_bias, abs=1e-15)
    assert read.specific_force == pytest.approx(read.accel_bias - GRAVITY, abs=1e-12)
    assert np.abs(read.gyro_bias).max() > 1e-4


def test_correlated_noise_has_its_spread_and_its_memory() -> None:
    steps = np.full(400, 0.5)
    noise = correlated(rng(), steps, 2.0, 4.0, 2000)
    assert noise[0].std() == pytest.approx(2.0, rel=0.05)
    assert noise[-1].std() == pytest.approx(2.0, rel=0.05)
    lag = 8  # one time constant
    ratio = (noise[lag:] * noise[:-lag]).mean() / (noise**2).mean()
    assert ratio == pytest.approx(np.exp(-1.0), abs=0.02)


def test_sample_times_are_whole_microseconds_without_drift() -> None:
    times = sample_times(2.0, 60.0, 30.0)
    assert times[0] == 2_000_000 and times[-1] == 62_000_000 and len(times) == 1801
    assert set(np.diff(times)) == {33_333, 33_334}


def test_gnss_is_at_the_antenna_and_late() -> None:
    exact = Gnss(horizontal=0.0, vertical=0.0, speed=0.0, antenna=(0.3, -0.1, -0.2), delay=0.11)
    trajectory = FLIGHT.trajectory()
    read = exact.read(trajectory, 0.0, 60.0, rng())
    truth = trajectory.at(read.time * 1e-6)
    assert (read.published - read.time == 110_000).all()
    arm = kernels.rotate(truth.attitude, np.array(exact.antenna))
    assert read.position == pytest.approx(truth.position + arm, abs=1e-12)
    later = trajectory.at(read.time * 1e-6 + 1e-4)
    earlier = trajectory.at(read.time * 1e-6 - 1e-4)
    offset = kernels.rotate(later.attitude, np.array(exact.antenna))
    offset -= kernels.rotate(earlier.attitude, np.array(exact.antenna))
    assert read.velocity == pytest.approx(truth.velocity + offset / 2e-4, abs=1e-5)


def test_an_outage_is_silence() -> None:
    whole = Gnss().read(FLIGHT.trajectory(), 0.0, 60.0, rng())
    read = Gnss(outages=((20.0, 40.0),)).read(FLIGHT.trajectory(), 0.0, 60.0, rng())
    seconds = read.time * 1e-6
    assert not ((seconds >= 20.0) & (seconds < 40.0)).any()
    assert len(whole.time) - len(read.time) == 100
    # The noise of what is heard is what it would have been without the outage.
    assert read.position[-1] == pytest.approx(whole.position[-1])


def test_wandering_gnss_claims_what_it_is() -> None:
    read = Gnss(horizontal=0.3, wander=0.4, vertical=0.8, rate=1.0, wander_time=5.0).read(
        STILL, 0.0, 20_000.0, rng()
    )
    assert read.horizontal == pytest.approx(0.5) and read.vertical == pytest.approx(1.0)
    assert read.position.std(axis=0) == pytest.approx([0.5, 0.5, 1.0], rel=0.05)


def test_barometer_is_the_standard_atmosphere() -> None:
    exact = Barometer(noise=0.0, offset=0.0, drift=0.0)
    read = exact.read(STILL, 0.0, 1.0, rng(), ground=1000.0)
    assert read.altitude[0] == 1000.0
    assert read.pressure[0] == pytest.approx(89_874.6, abs=1.0)  # ISO 2533, table 1
    assert read.temperature[0] == pytest.approx(8.5)


def test_barometer_rises_with_the_vehicle() -> None:
    exact = Barometer(noise=0.0, offset=0.0, drift=0.0)
    read = exact.read(FLIGHT.trajectory(), 0.0, 60.0, rng(), ground=488.0)
    assert read.altitude.max() - read.altitude[0] == pytest.approx(15.0, abs=0.1)
    assert read.pressure.min() < read.pressure[0]


def test_magnetometer_shows_declination_and_inclination() -> None:
    field = Field(declination=10.0, inclination=60.0, strength=0.5)
    exact = Magnetometer(noise=0.0, bias=0.0)
    _, level = exact.read(STILL, 0.0, 1.0, rng(), field=field)
    assert np.degrees(np.arctan2(level[0, 1], level[0, 0])) == pytest.approx(
        10.0
    )  # north is left of the field
    assert level[0, 2] == pytest.approx(0.5 * np.sin(np.radians(60.0)))
    assert np.linalg.norm(level[0]) == pytest.approx(0.5)
    east = Trajectory([Rest(1.0)], "multirotor", heading=np.pi / 2.0, gravity=9.8)
    _, turned = exact.read(east, 0.0, 1.0, rng(), field=field)
    assert np.degrees(np.arctan2(-turned[0, 1], turned[0, 0])) == pytest.approx(
        80.0
    )  # heading = D - atan2(m_E, m_N)


def test_the_estimate_errs_as_told_and_its_velocity_fits_its_position() -> None:
    estimate = Estimate(position=0.2, tilt=0.5, heading=1.0, position_rate=50.0)
    trajectory = FLIGHT.trajectory(600.0)
    read = estimate.read(trajectory, 0.0, 600.0, rng())
    truth = trajectory.at(read.attitude_time * 1e-6)
    error = np.degrees(kernels.log(kernels.multiply(read.attitude, kernels.conjugate(truth.attitude))))
    assert np.sqrt((error**2).mean(axis=0)) == pytest.approx([0.5, 0.5, 1.0], rel=0.3)
    slope = (read.position[2:] - read.position[:-2]) / 0.04
    assert np.abs(slope - read.velocity[1:-1]).max() < 0.02
    assert np.sqrt(
        ((read.position - trajectory.at(read.position_time * 1e-6).position) ** 2).mean()
    ) == pytest.approx(0.2, rel=0.3)


def test_geodetic_and_earth_centred_coordinates_are_inverses() -> None:
    generator = rng()
    latitude = generator.uniform(-1.57, 1.57, 1000)
    longitude = generator.uniform(-3.1, 3.1, 1000)
    height = generator.uniform(-400.0, 12_000.0, 1000)
    back = geodetic(ecef(latitude, longitude, height))
    assert np.abs(back[0] - latitude).max() < 1e-14
    assert np.abs(back[1] - longitude).max() < 1e-14
    assert np.abs(back[2] - height).max() < 5e-9


def test_the_tangent_plane_touches_at_its_origin_and_leaves_the_earth_with_the_square_of_the_distance() -> (
    None
):
    points = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [0.0, 1000.0, 0.0], [0.0, 0.0, -50.0]])
    lat, lon, height = tangent_to_geodetic(points, (47.0, 8.0, 400.0))
    assert (lat[0], lon[0], height[0]) == pytest.approx((47.0, 8.0, 400.0), abs=1e-12)
    assert lat[1] > 47.0 and lon[1] == pytest.approx(8.0, abs=1e-12)
    assert lon[2] > 8.0
    # d^2 / 2R with the radius of curvature of each direction: 6.37e6 along the meridian, 6.39e6 across.
    assert height[1] - 400.0 == pytest.approx(1e6 / (2 * 6.370e6), rel=2e-3)
    assert height[2] - 400.0 == pytest.approx(1e6 / (2 * 6.390e6), rel=2e-3)
    assert height[3] == pytest.approx(450.0, abs=1e-8)
