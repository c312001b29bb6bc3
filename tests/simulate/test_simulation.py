"""Whole simulated logs."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import numpy as np
import pytest

import boresight as bs
from boresight import kernels
from boresight.errors import DataError
from boresight.logs.model import Log
from boresight.simulate import scenarios, simulate
from boresight.simulate.sensors import Gnss, Imu

STREAMS = [
    "vehicle_attitude",
    "vehicle_local_position",
    "vehicle_angular_velocity",
    "vehicle_attitude_groundtruth",
    "vehicle_local_position_groundtruth",
    "sensor_combined",
    "vehicle_gps_position",
    "vehicle_air_data",
    "vehicle_magnetometer",
]


@pytest.fixture(scope="module")
def flight() -> Log:
    return simulate("flight", seed=1)


def same(one: Log, other: Log, name: str) -> bool:
    return one[name].table().equals(other[name].table())


def test_a_flight_has_every_stream_in_px4s_convention(flight: Log) -> None:
    assert list(flight.streams) == STREAMS
    assert {s.convention.id for s in flight.streams.values()} == {"px4"}
    assert [flight[name].kind for name in STREAMS[:3]] == ["orientation", "velocity", "imu"]
    assert flight["vehicle_magnetometer"].units == {"magnetic_field": "gauss"}


# Those that begin at rest and whose sensors all run throughout.
WHOLE = ["flight", "drive", "mission"]


@pytest.mark.parametrize("name", WHOLE)
def test_rates_and_duration_are_those_of_the_scenario(name: str) -> None:
    log, scenario = simulate(name, seed=1), scenarios.get(name)
    assert scenario.imu and scenario.gnss and scenario.estimate
    rates = {
        "sensor_combined": scenario.imu.rate,
        "vehicle_gps_position": scenario.gnss.rate,
        "vehicle_attitude": scenario.estimate.attitude_rate,
        "vehicle_attitude_groundtruth": scenario.attitude_truth_rate,
    }
    for stream, rate in rates.items():
        time = log[stream].time
        assert (time[-1] - time[0]) * 1e-9 == pytest.approx(scenario.duration, abs=1.1 / rate)
        assert np.diff(time) == pytest.approx(1e9 / rate, abs=1000)
        assert (time % 1000 == 0).all()


@pytest.mark.parametrize("name", WHOLE)
def test_at_rest_the_accelerometer_reads_up(name: str) -> None:
    force = simulate(name, seed=2)["sensor_combined"].array("specific_force")[:300].mean(axis=0)
    assert force == pytest.approx([0.0, 0.0, -9.80665], abs=0.25)


def test_the_estimate_is_near_the_truth_and_not_equal(flight: Log) -> None:
    truth, estimate = flight["vehicle_attitude_groundtruth"], flight["vehicle_attitude"]
    at = np.searchsorted(estimate.time, truth.time)
    assert (estimate.time[at] == truth.time).all()
    p = truth.quaternion(order="xyzw").astype(np.float64)
    q = estimate.quaternion(order="xyzw")[at].astype(np.float64)
    off = np.degrees(np.linalg.norm(kernels.log(kernels.multiply(kernels.conjugate(p), q)), axis=-1))
    assert 0.1 < off.max() < 5.0


def test_heading_is_the_yaw_of_the_attitude(flight: Log) -> None:
    attitude, local = flight["vehicle_attitude_groundtruth"], flight["vehicle_local_position_groundtruth"]
    at = np.searchsorted(attitude.time, local.time)
    assert (attitude.time[at] == local.time).all()
    yaw = attitude.rotation().as_euler("ZYX", degrees=False)[at, 0]
    assert np.abs(np.angle(np.exp(1j * (yaw - local.column("heading"))))).max() < 1e-5


def test_the_receiver_is_where_the_truth_is(flight: Log) -> None:
    gnss, local = flight["vehicle_gps_position"], flight["vehicle_local_position_groundtruth"]
    at = np.searchsorted(local.time, gnss.column("time_sample"))
    north = np.radians(gnss.column("lat") - 47.3977) * 6_367_000.0
    east = np.radians(gnss.column("lon") - 8.5456) * 6_387_000.0 * np.cos(np.radians(47.3977))
    down = 488.0 - gnss.column("alt")
    position = local.array("position")[at]
    assert np.abs(np.stack([north, east, down], axis=-1) - position).mean(axis=0).max() < 0.6
    assert np.ptp(north) > 30.0
    assert (gnss.time - gnss.column("time_sample") == 110_000_000).all()
    assert gnss.column("alt_ellipsoid") - gnss.column("alt") == pytest.approx(np.full(len(gnss), 47.3))


def test_floats_are_single_precision_where_px4s_are(flight: Log) -> None:
    assert flight["vehicle_attitude"].column("qw").dtype == np.float32
    assert flight["sensor_combined"].column("ax").dtype == np.float32
    assert flight["vehicle_gps_position"].column("lat").dtype == np.float64


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    digests = []
    for number, seed in enumerate((4, 4, 5)):
        path = tmp_path / f"{number}.ulg"
        bs.write(simulate("drive", seed=seed, duration=5.0), path)
        digests.append(hashlib.sha256(path.read_bytes()).hexdigest())
    assert digests[0] == digests[1] != digests[2]


def test_sensors_do_not_share_their_noise() -> None:
    flight = scenarios.get("flight")
    whole = simulate(flight, seed=1, duration=10.0)
    without = simulate(flight.replace(magnetometer=None, imu=Imu(rate=50.0)), seed=1, duration=10.0)
    assert "vehicle_magnetometer" not in without.streams
    for name in ("vehicle_gps_position", "vehicle_air_data", "vehicle_attitude"):
        assert same(whole, without, name)
    assert len(without["sensor_combined"]) == 500


def test_a_start_in_mid_flight_is_in_motion() -> None:
    moving = simulate(scenarios.get("flight").replace(start=20.0), seed=1)
    speed = np.linalg.norm(moving["vehicle_local_position_groundtruth"].array("velocity")[0])
    assert speed > 2.0
    assert moving["vehicle_attitude"].time[0] == 10_000_000_000
    assert moving["vehicle_attitude"].time[-1] == pytest.approx(50_000_000_000, abs=1000)


def test_an_outage_leaves_a_gap() -> None:
    log = simulate(scenarios.get("flight").replace(gnss=Gnss(outages=((20.0, 40.0),))), seed=1)
    assert np.diff(log["vehicle_gps_position"].time).max() == 20_200_000_000


def test_a_short_run_is_cut_and_a_long_one_goes_on() -> None:
    assert simulate("flight", seed=1, duration=3.0)["sensor_combined"].num_rows == 600
    long = simulate("flight", seed=1, duration=150.0)
    assert long["sensor_combined"].num_rows == 30_000
    height = -long["vehicle_local_position_groundtruth"].column("z")
    assert (height[100:600] > 9.0).sum() > 450  # in the air for as long as the figures are repeated


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"scenario": "flihgt", "seed": 1}, "there is no scenario 'flihgt'; there are: flight, drive"),
        ({"scenario": "flight", "seed": 1, "duration": 0.0}, "a run of 0 s cannot be simulated"),
        ({"scenario": "flight", "seed": 1, "duration": float("nan")}, "a run of nan s cannot be simulated"),
        ({"scenario": "flight", "seed": -1}, "-1 is no seed"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        simulate(**arguments)  # type: ignore[arg-type]


def test_what_a_filter_is_held_against() -> None:
    mission = simulate("mission", seed=1, duration=20.0)
    moving = simulate("moving", seed=1, duration=20.0)
    assert not mission["vehicle_local_position_groundtruth"].array("velocity")[:20].any()
    assert np.linalg.norm(moving["vehicle_local_position_groundtruth"].array("velocity")[0]) > 5.0
    assert "vehicle_magnetometer" not in simulate("no-magnetometer", seed=1, duration=5.0)
    outage = simulate("outage", seed=1)["vehicle_gps_position"].column("time_sample")
    assert (outage.max() - outage.min()) * 1e-9 == pytest.approx(185.0)
    assert np.diff(outage).max() * 1e-9 == pytest.approx(20.2)


def test_correlated_errors_last() -> None:
    path = scenarios.MISSION.trajectory()
    time = np.arange(0.0, 185.0, 0.2)

    def correlation(scenario: scenarios.Scenario) -> float:
        assert scenario.gnss
        lags = []
        for seed in range(20):
            read = scenario.gnss.read(path, 0.0, 185.0, np.random.default_rng(seed))
            off = read.position[:925, 0] - path.at(time).position[:, 0]
            lags.append(np.mean(off[5:] * off[:-5]) / np.mean(off**2))
        return float(np.mean(lags))

    assert abs(correlation(scenarios.MISSION)) < 0.05
    assert correlation(scenarios.CORRELATED) == pytest.approx(np.exp(-1.0 / 8.5), abs=0.06)  # one second


def test_an_attitude_that_is_stored_wrong() -> None:
    wrong = simulate("wrong-seed", seed=1, duration=5.0)
    scenario = scenarios.WRONG_SEED
    assert scenario.estimate
    right = simulate(
        scenario.replace(estimate=dataclasses.replace(scenario.estimate, stored="px4")), seed=1, duration=5.0
    )
    meant = bs.Attitude.from_flu_to_enu(wrong["vehicle_attitude"].quaternion(order="xyzw"), order="xyzw")
    stored = bs.Attitude.from_body_to_ned(right["vehicle_attitude"].quaternion(order="xyzw"), order="xyzw")
    assert (meant.rotation.inv() @ stored.rotation).angle() == pytest.approx(0.0, abs=1e-3)
