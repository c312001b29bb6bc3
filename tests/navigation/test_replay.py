"""The filter over whole logs: right, whatever the log's convention and whatever is wrong with its rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from numpy.typing import NDArray

import boresight as bs
from boresight import Attitude, conventions, kernels
from boresight.errors import DataError
from boresight.logs.convert import convert_log
from boresight.logs.model import Log, Stream
from boresight.navigation import (
    Config,
    ConfigError,
    Estimate,
    InitError,
    InitializationError,
    SigmaBounds,
    Sources,
    State,
    initialize_from,
    run,
    seed_from_log,
)
from boresight.navigation.inputs import inputs_of
from boresight.simulate import scenarios, simulate

Array = NDArray[Any]


@pytest.fixture(scope="module")
def flight() -> Log:
    return simulate("flight", seed=3)


@pytest.fixture(scope="module")
def estimate(flight: Log) -> Estimate:
    return run(flight)


def errors(log: Log, estimate: Estimate) -> tuple[float, float, float]:
    """RMS of velocity (m/s), tilt and yaw (degrees) from the simulated truth."""
    moving, turning = log["vehicle_local_position_groundtruth"], log["vehicle_attitude_groundtruth"]

    def at(time: Array, *names: str) -> tuple[Array, Array]:
        own = estimate.time
        inside = (time >= own[0]) & (time <= own[-1])
        return np.stack([np.interp(time[inside], own, estimate.array(name)) for name in names], 1), inside

    velocity, inside = at(moving.time, "vx", "vy", "vz")
    off = np.linalg.norm(velocity - moving.array("velocity")[inside], axis=1)
    own, inside = at(turning.time, "qx", "qy", "qz", "qw")
    own /= np.linalg.norm(own, axis=1)[:, None]
    truth = turning.quaternion(order="xyzw").astype(np.float64)[inside]
    turn = np.degrees(kernels.log(kernels.multiply(truth, kernels.conjugate(own))))
    tilt = np.hypot(turn[:, 0], turn[:, 1])
    return rms(off), rms(tilt), rms(turn[:, 2])


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def changed(log: Log, name: str, change: Callable[[dict[str, Array]], dict[str, Array]]) -> Log:
    """The log with the columns of one stream changed."""
    stream = log[name]
    columns = {column: np.array(stream.column(column)) for column in stream.schema.names}
    streams = dict(log.streams)
    streams[name] = stream.replace(rows=pa.table(change(columns)))
    return dataclasses.replace(log, streams=streams)


def finite(estimate: Estimate) -> bool:
    return bool(np.isfinite(estimate.array("x", "y", "z", "vx", "vy", "vz", "qx", "qy", "qz", "qw")).all())


# -- what it finds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["flight", "drive"])
def test_the_estimate_is_near_the_truth(name: str) -> None:
    log = simulate(name, seed=5)
    estimate = run(log)
    velocity, tilt, yaw = errors(log, estimate)
    assert velocity < 0.25 and tilt < 1.0 and yaw < 2.0
    assert estimate.start.alignment.is_static
    assert estimate.stretches()[-1][0] == "HEALTHY"
    assert set(estimate.outcomes()) == {"gnss_position", "gnss_height", "gnss_velocity", "baro", "mag"}
    assert np.degrees(estimate.declination) == pytest.approx(3.4, abs=0.2)


def test_a_start_in_motion_finds_its_way() -> None:
    log = simulate(scenarios.get("mission").replace(start=30.0), seed=2, duration=60.0)
    estimate = run(log)
    assert not estimate.start.alignment.is_static and "m/s in 2 s" in str(estimate.start.alignment)
    late = dataclasses.replace(estimate, states=estimate.states.slice(estimate.states.num_rows // 2))
    velocity, tilt, yaw = errors(log, late)
    assert velocity < 0.4 and tilt < 2.0 and yaw < 8.0


def test_without_gnss_there_is_an_attitude(flight: Log) -> None:
    estimate = run(flight, sources=Sources(without=("gnss", "baro")))
    _, tilt, yaw = errors(flight, estimate)
    assert tilt < 3.0 and yaw < 5.0
    assert estimate.stretches()[-1][0] == "DEAD_RECKONING" and estimate.origin is None
    assert not estimate.states["valid_horizontal_position"].to_numpy()[-1]


def test_with_an_imu_alone(flight: Log) -> None:
    alone = Log({"sensor_combined": flight["sensor_combined"]})
    estimate = run(alone)
    assert finite(estimate) and estimate.measurements.num_rows == 0
    assert not estimate.states["valid_heading"].to_numpy().any()
    assert list(estimate.streams) == ["imu"]


def test_the_logs_convention_does_not_matter(flight: Log, estimate: Estimate) -> None:
    other = run(convert_log(flight, "ros"))
    assert other.outcomes() == estimate.outcomes()
    names = ("x", "y", "z", "vx", "vy", "vz")
    assert other.array(*names) == pytest.approx(estimate.array(*names), abs=1e-6)


def test_the_gnss_delay_is_taken_off_where_the_log_has_no_time_of_measurement(flight: Log) -> None:
    without = changed(
        flight, "vehicle_gps_position", lambda c: {k: v for k, v in c.items() if k != "time_sample"}
    )
    inputs, known = inputs_of(without), inputs_of(flight)
    gnss = inputs.measurements["kind"] == 3
    assert (inputs.arrival[gnss] - inputs.measurements["time"][gnss] == 110_000_000).all()
    assert (
        known.measurements["time"][known.measurements["kind"] == 3] == inputs.measurements["time"][gnss]
    ).all()
    # What lies 2 s back or in the future is another clock's.
    for shift in (-3_000_000_000, 1_000_000_000):
        wrong = changed(
            flight, "vehicle_gps_position", lambda c, s=shift: {**c, "time_sample": c["time_sample"] + s}
        )
        assert (inputs_of(wrong).measurements["time"][gnss] == inputs.measurements["time"][gnss]).all()


def test_noise_comes_from_the_log_within_bounds(flight: Log) -> None:
    inputs = inputs_of(flight)
    rows = inputs.measurements
    velocity = rows[rows["kind"] == 3]
    assert velocity["variance"] == pytest.approx(0.1**2)  # the receiver says 0.1 m/s
    sources = Sources(velocity_bounds=SigmaBounds(0.5, 1.0))
    clamped = inputs_of(flight, sources).measurements
    assert clamped[clamped["kind"] == 3]["variance"] == pytest.approx(0.25)
    zero = changed(
        flight, "vehicle_gps_position", lambda c: {**c, "speed_accuracy": 0.0 * c["speed_accuracy"]}
    )
    silent = inputs_of(zero).measurements
    assert silent[silent["kind"] == 3]["variance"] == pytest.approx(0.3**2)


def test_covariances_of_the_log_are_used(flight: Log) -> None:
    rows = flight["vehicle_gps_position"].num_rows
    flat = pa.array(np.tile(np.diag([4.0, 9.0, 16.0]).reshape(-1), rows))
    column = pa.FixedSizeListArray.from_arrays(flat, 9)
    stream = flight["vehicle_gps_position"]
    table = (
        stream.table()
        .append_column("velocity_covariance", column)
        .append_column("position_covariance", column)
    )
    log = dataclasses.replace(flight, streams={**flight.streams, stream.name: stream.replace(rows=table)})
    measurements = inputs_of(log).measurements
    for kind in (2, 3):
        assert (measurements[measurements["kind"] == kind]["variance"] == [4.0, 9.0, 16.0]).all()


def test_the_course_needs_no_other_heading() -> None:
    drive = simulate("drive", seed=2)
    estimate = run(drive, sources=Sources(without=("mag",), course=np.radians(3.0)))
    late = dataclasses.replace(estimate, states=estimate.states.slice(estimate.states.num_rows // 2))
    assert errors(drive, late)[2] < 4.0
    assert estimate.outcomes()["course"]["ACCEPTED"] > 100


def test_antenna(flight: Log) -> None:
    antenna = (0.5, -0.2, -0.3)
    scenario = scenarios.get("flight")
    assert scenario.gnss is not None
    log = simulate(scenario.replace(gnss=dataclasses.replace(scenario.gnss, antenna=antenna)), seed=3)
    right, wrong = run(log, sources=Sources(antenna=antenna)), run(log)
    assert errors(log, right)[0] < errors(log, wrong)[0]


# -- tables -------------------------------------------------------------------------------------------------------------


def test_the_tables_fit_together(flight: Log, estimate: Estimate) -> None:
    states = estimate.states
    assert states["time"].type == pa.int64() and (np.diff(estimate.time) > 0).all()
    assert np.linalg.norm(estimate.array("qx", "qy", "qz", "qw"), axis=1) == pytest.approx(1.0)
    counted = {name: sum(counts.values()) for name, counts in estimate.outcomes().items()}
    assert counted["gnss_position"] == counted["gnss_height"]
    assert sum(counted.values()) - counted["gnss_height"] == estimate.measurements.num_rows
    # Of what is not used until the start nothing is in there.
    assert estimate.measurements["time"].to_numpy().min() > estimate.start.time
    assert sum(estimate.samples.values()) == (flight["sensor_combined"].time > estimate.start.time).sum()
    spacing = np.diff(estimate.time) * 1e-9
    assert spacing.min() >= 1.0 / 25.0 - 1e-6


def test_the_covariances_say_the_same(estimate: Estimate) -> None:
    states = estimate.states
    full = states["covariance"].combine_chunks().flatten().to_numpy().reshape(-1, 15, 15)
    pose = states["pose_covariance"].combine_chunks().flatten().to_numpy().reshape(-1, 6, 6)
    assert full == pytest.approx(full.swapaxes(1, 2))
    assert np.linalg.eigvalsh(full).min() > 0.0 and np.linalg.eigvalsh(pose).min() > 0.0
    assert pose[:, :3, :3] == pytest.approx(full[:, :3, :3])
    sigma = np.sqrt(np.diagonal(pose, axis1=1, axis2=2))
    assert sigma[:, 3:] == pytest.approx(estimate.array("sigma_north", "sigma_east", "sigma_down"))
    assert sigma[:, :3] == pytest.approx(estimate.array("sigma_x", "sigma_y", "sigma_z"))
    # The filter's error is in the body: about the earth's axes it is turned there.
    turn = kernels.to_matrix(estimate.array("qx", "qy", "qz", "qw"))
    assert turn @ full[:, 6:9, 6:9] @ turn.swapaxes(1, 2) == pytest.approx(pose[:, 3:, 3:])


def test_health_counts_what_the_outcomes_say(estimate: Estimate) -> None:
    health = {row["source"]: row for row in estimate.health.to_pylist()}
    assert set(health) == set(estimate.outcomes())
    for source, counts in estimate.outcomes().items():
        assert health[source]["accepted"] == counts.get("ACCEPTED", 0)
    assert health["gnss_velocity"]["period"] == pytest.approx(0.2, abs=0.03)
    assert estimate.diagnostics.floored == 0


def test_when_it_was_not_valid(flight: Log) -> None:
    scenario = scenarios.get("flight")
    assert scenario.gnss is not None
    cut = scenario.replace(gnss=dataclasses.replace(scenario.gnss, outages=((25.0, 55.0),)))
    estimate = run(simulate(cut, seed=1))
    stretches = estimate.invalid()["horizontal_position"]
    flags = estimate.states["valid_horizontal_position"].to_numpy(zero_copy_only=False)
    inside = np.zeros(len(flags), dtype=bool)
    for begin, end in stretches:
        inside |= (estimate.time >= begin) & (estimate.time <= end)
    assert (inside == ~flags).all()
    begin, end = stretches[-1]
    assert 35e9 < begin < 60e9 and end == pytest.approx(65.1e9, abs=0.3e9)  # 10 s on the clock at the start


def test_without_covariances_there_are_sigmas(flight: Log, estimate: Estimate) -> None:
    light = run(flight, covariance=False)
    assert "covariance" not in light.states.column_names
    assert light.array("sigma_x", "sigma_down") == pytest.approx(estimate.array("sigma_x", "sigma_down"))


@pytest.mark.parametrize("suffix", ["parquet", "tum", "mcap", "ulg", "csv"])
def test_an_estimate_is_a_log_of_any_format(estimate: Estimate, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"estimate.{suffix}"
    bs.write(estimate.log(), path)
    back = bs.read(path)
    from boresight.logs.poses import pose_stream

    poses = convert_log(Log({"poses": pose_stream(back)}), "px4", forward="N", world="FRD")["poses"]
    assert poses.num_rows == estimate.states.num_rows
    if suffix != "tum":  # which keeps the axes of its world to itself
        assert poses.array("position") == pytest.approx(estimate.array("x", "y", "z"), abs=1e-4)


def test_an_estimate_in_another_convention(estimate: Estimate) -> None:
    ros = estimate.log("ros")["estimate"]
    assert ros.convention.id == "ros"
    assert ros.array("position") == pytest.approx(estimate.array("y", "x", "z") * [1.0, 1.0, -1.0])
    twice = convert_log(estimate.log("ros"), "px4")["estimate"]
    assert twice.array("pose_covariance") == pytest.approx(
        estimate.log()["estimate"].array("pose_covariance")
    )


# -- seeds --------------------------------------------------------------------------------------------------------------


def test_a_seed_from_the_log_is_its_attitude_in_its_own_convention(flight: Log) -> None:
    for log in (flight, convert_log(flight, "ros")):
        start = seed_from_log(log, inputs_of(log), Config())
        row = int(np.searchsorted(flight["vehicle_attitude"].time, start.time, side="right"))
        stored = flight["vehicle_attitude"].quaternion(order="xyzw")[row]
        expected = Attitude.from_body_to_ned(stored.astype(np.float64), order="xyzw")
        assert float((start.state.attitude.rotation.inv() @ expected.rotation).angle()) < 0.01
        # Positions count from where the vehicle is then; how fast it goes nobody has said.
        assert start.heading_established and start.position_established and not start.velocity_established
        assert start.covariance[3, 3] >= 10.0**2
    assert errors(flight, run(flight, seed="log"))[1] < 1.0


def test_a_seed_in_flight_keeps_its_barometer_until_the_first_fix_and_after() -> None:
    scenario = scenarios.get("mission")
    assert scenario.gnss is not None
    late = scenario.replace(start=30.0, gnss=dataclasses.replace(scenario.gnss, outages=((30.0, 40.0),)))
    log = simulate(late, seed=4, duration=40.0)
    estimate = run(log, seed="log")
    counts = estimate.outcomes()["baro"]
    assert "NO_REFERENCE" not in counts and counts.get("REJECTED", 0) <= 2 and counts["RESET"] == 1
    first = estimate.measurements["source"].to_pylist().index("gnss_position")
    assert estimate.measurements["time"][first].as_py() - estimate.start.time > 8e9
    truth = log["vehicle_local_position_groundtruth"]
    inside = (truth.time > estimate.time[0]) & (truth.time < estimate.time[-1])
    climbed = truth.array("position")[inside, 2]
    own = np.interp(truth.time[inside], estimate.time, estimate.array("z"))
    assert np.ptp(own - climbed) < 4.0 and np.ptp(climbed) > 2.0
    horizontal = estimate.states["valid_horizontal_position"].to_numpy(zero_copy_only=False)
    assert not horizontal[estimate.time < estimate.start.time + 8e9][50:].any() and horizontal[-1]
    assert "DEGRADED" not in [name for name, _, _ in estimate.stretches()]


def test_a_seed_of_ones_own(flight: Log) -> None:
    time = int(flight["sensor_combined"].time[600])
    start = initialize_from(State(Attitude.level()), np.full(15, 0.1), time)
    estimate = run(flight, seed=start)
    assert estimate.start is start and estimate.time[0] > time


def test_a_log_without_an_attitude_seeds_nothing(flight: Log) -> None:
    bare = Log({"sensor_combined": flight["sensor_combined"]})
    with pytest.raises(DataError, match="no attitude to start from"):
        run(bare, seed="log")


def fly_from(seed: Attitude, log: Log, at: int) -> Estimate:
    """Start in flight from the truth, but for the attitude, which is claimed to be good."""
    truth = log["vehicle_local_position_groundtruth"]
    row = int(np.searchsorted(truth.time, at))
    state = State(seed, truth.array("position")[row], truth.array("velocity")[row])
    sigma = np.repeat([1.0, 0.2, np.radians(2.0), 0.2, 0.01], 3)
    return run(log, seed=initialize_from(state, np.square(sigma), int(truth.time[row])))


@pytest.fixture(scope="module")
def mission() -> Log:
    return simulate("mission", seed=1, duration=60.0)


def true_attitude(log: Log, at: int) -> Attitude:
    stream = log["vehicle_attitude_groundtruth"]
    row = int(np.searchsorted(stream.time, at))
    return Attitude.from_body_to_ned(stream.quaternion(order="xyzw")[row].astype(np.float64), order="xyzw")


AT = 42_000_000_000  # ns, in flight


def rejected(estimate: Estimate) -> int:
    return sum(counts.get("REJECTED", 0) for counts in estimate.outcomes().values())


def test_a_right_seed_is_taken_for_what_it_is(mission: Log) -> None:
    estimate = fly_from(true_attitude(mission, AT), mission, AT)
    assert errors(mission, estimate)[1] < 1.0 and rejected(estimate) < 10


def test_a_heading_in_a_wrong_world_is_mended(mission: Log) -> None:
    wrong = Attitude.from_flu_to_nwu(true_attitude(mission, AT).flu_to_enu(order="xyzw"), order="xyzw")
    estimate = fly_from(wrong, mission, AT)
    assert rejected(estimate) > 0 and estimate.health.num_rows > 3
    late = dataclasses.replace(estimate, states=estimate.states.slice(125))  # after 5 s
    velocity, tilt, yaw = errors(mission, late)
    assert velocity < 0.4 and tilt < 3.0 and yaw < 8.0


def test_upside_down_is_rejected_at_once_and_not_mended(mission: Log) -> None:
    true = true_attitude(mission, AT)
    half = np.array([1.0, 0.0, 0.0, 0.0])  # FLU to FRD: the body's side alone
    wrong = Attitude.from_body_to_ned(kernels.multiply(true.flu_to_enu(order="xyzw"), half), order="xyzw")
    estimate = fly_from(wrong, mission, AT)
    table = estimate.measurements
    first = table.filter(pc.equal(table["outcome"], "REJECTED"))["time"][0].as_py()
    assert (first - estimate.start.time) * 1e-9 < 0.5
    assert errors(mission, estimate)[1] > 90.0
    assert estimate.stretches()[-1][0] == "DEGRADED"


def test_a_vehicle_that_stores_its_attitude_wrong_seeds_wrong() -> None:
    log = simulate("wrong-seed", seed=1, duration=20.0)
    right = simulate(
        scenarios.get("wrong-seed").replace(estimate=scenarios.get("mission").estimate), seed=1, duration=20.0
    )
    assert rejected(run(right, seed="log")) < 10
    assert rejected(run(log, seed="log")) > 20


# -- what is wrong with logs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused_and_counted(flight: Log, value: float) -> None:
    def spoil(columns: dict[str, Array]) -> dict[str, Array]:
        columns["wx"][2000:2010] = value
        columns["az"][3000] = value
        return columns

    estimate = run(changed(flight, "sensor_combined", spoil))
    assert estimate.samples["NOT_FINITE"] == 11
    assert finite(estimate) and errors(flight, estimate)[1] < 1.0


def test_measurements_that_are_no_numbers_are_left_out_and_said(flight: Log) -> None:
    def spoil(columns: dict[str, Array]) -> dict[str, Array]:
        columns["lat"][50:60] = np.nan
        columns["vx"][70] = np.inf
        return columns

    estimate = run(changed(flight, "vehicle_gps_position", spoil))
    assert finite(estimate)
    said = [notice for notice in estimate.notices if notice.stream == "vehicle_gps_position"]
    assert [notice.count for notice in said] == [10, 1]
    assert said[0].message.endswith("hold no gnss_geodetic that can be used: 10 not finite or zero")


def test_rows_that_are_left_out_are_said_with_the_reason(flight: Log) -> None:
    def spoil(columns: dict[str, Array]) -> dict[str, Array]:
        columns["fix"][:30] = 1
        columns["lat"][20:25] = np.nan
        columns["lat"][100] = np.nan
        valid = np.ones(len(columns["time"]))
        valid[40:50] = 0.0
        return {**columns, "vxy_valid": valid, "vz_valid": valid}

    said = [notice.message for notice in run(changed(flight, "vehicle_gps_position", spoil)).notices]
    rows = flight["vehicle_gps_position"].num_rows
    assert said == [
        f"31 of {rows} rows hold no gnss_geodetic that can be used: 30 without a fix, 1 not finite or zero",
        f"40 of {rows} rows hold no gnss_velocity that can be used: 30 without a fix of three dimensions, 10 flagged as not valid",
    ]


def test_fixes_without_height_count_in_the_plane_alone(flight: Log, estimate: Estimate) -> None:
    stream = flight["vehicle_gps_position"]
    rows = stream.num_rows

    def spoil(columns: dict[str, Array]) -> dict[str, Array]:
        columns["fix"][:200] = 2  # with a height that means nothing
        columns["alt_ellipsoid"][:200] += 400.0
        columns["alt_ellipsoid"][200:] = np.nan
        columns["alt_ellipsoid"][220] = np.inf
        return columns

    log = changed(flight, stream.name, spoil)
    inputs = inputs_of(log)
    places = inputs.measurements[inputs.measurements["kind"] == 2]
    assert len(places) == rows - 1
    assert np.isnan(places["value"][:, 2]).all() and np.isfinite(places["value"][:, :2]).all()
    assert [(n.code, n.count) for n in inputs.notices] == [
        ("left-out", 1),  # the one that is no height at all
        ("flat-fix", rows - 1),
        ("left-out", 200),  # velocities, for which a fix in the plane is none
    ]
    found = run(log)
    assert found.outcomes()["gnss_position"].keys() == {"RESET", "ACCEPTED"}
    assert found.outcomes()["gnss_height"].keys() == {"NOT_FINITE"}
    assert np.abs(found.array("x", "y")[-1] - estimate.array("x", "y")[-1]).max() < 0.1
    assert found.states["valid_horizontal_position"][-1].as_py()


def test_heights_and_places_that_the_log_flags_are_left_out_each_for_itself(flight: Log) -> None:
    def flag(columns: dict[str, Array]) -> dict[str, Array]:
        across, up = (np.ones(len(columns["time"])) for _ in range(2))
        across[:10], up[5:30] = 0.0, 0.0
        return {**columns, "xy_valid": across, "z_valid": up}

    log = changed(flight, "vehicle_gps_position", flag)
    inputs = inputs_of(log)
    height = inputs.measurements["value"][inputs.measurements["kind"] == 2][:, 2]
    assert np.isnan(height[:20]).all() and np.isfinite(height[20:]).all()
    rows = flight["vehicle_gps_position"].num_rows
    assert [n.message for n in inputs.notices] == [
        f"10 of {rows} rows hold no gnss_geodetic that can be used: 10 flagged as not valid",
        f"20 of {rows} fixes have no height that can be used; they count in the plane alone",
    ]
    assert not inputs_of(log, Sources(trust_flags=False)).notices


def test_samples_twice_and_out_of_order(flight: Log) -> None:
    def shuffle(columns: dict[str, Array]) -> dict[str, Array]:
        order = np.arange(len(columns["time"]))
        order[4000:4010] = order[4000:4010][::-1]  # back in time
        order = np.insert(order, 5000, order[5000])  # twice
        return {name: values[order] for name, values in columns.items()}

    estimate = run(changed(flight, "sensor_combined", shuffle))
    assert sum(count for name, count in estimate.samples.items() if name != "PROPAGATED") >= 10
    assert finite(estimate) and errors(flight, estimate)[1] < 1.0


@pytest.mark.parametrize("gap", [0.15, 1.0, 5.0, 30.0])
def test_gaps_are_coasted_across(flight: Log, gap: float) -> None:
    def cut(columns: dict[str, Array]) -> dict[str, Array]:
        begin = columns["time"][3000]
        keep = (columns["time"] < begin) | (columns["time"] > begin + round(gap * 1e9))
        return {name: values[keep] for name, values in columns.items()}

    estimate = run(changed(flight, "sensor_combined", cut))
    assert estimate.samples["COASTED"] == 1
    assert finite(estimate)
    assert np.abs(estimate.array("x", "y", "z")[-1]).max() < 50.0


@pytest.mark.parametrize("jump", [5.0, 50.0, 500.0])
def test_glitches_of_gnss_are_rejected(flight: Log, jump: float) -> None:
    def glitch(columns: dict[str, Array]) -> dict[str, Array]:
        columns["lat"][100:103] += jump / 111e3
        return columns

    spoilt = run(changed(flight, "vehicle_gps_position", glitch))
    assert spoilt.outcomes()["gnss_position"].get("REJECTED", 0) == (3 if jump > 5.0 else 0) or jump == 5.0
    assert np.abs(spoilt.array("x")).max() < 40.0


def test_a_log_of_nothing_useful(flight: Log) -> None:
    with pytest.raises(DataError, match="both angular rates and specific forces"):
        run(Log({"vehicle_attitude": flight["vehicle_attitude"]}))
    with pytest.raises(DataError, match="there is no source 'lidar'"):
        Sources(without=("lidar",))
    with pytest.raises(DataError, match="there is no stream"):
        run(flight, sources=Sources(gnss="gps"))
    with pytest.raises(DataError, match="does not do as mag"):
        run(flight, sources=Sources(mag="vehicle_attitude"))
    with pytest.raises(ConfigError, match="gravity"):
        run(flight, Config(gravity=3.0))
    with pytest.raises(DataError, match="cannot be recorded"):
        run(flight, rate=0.0)
    spoilt = changed(flight, "sensor_combined", lambda c: {**c, "wx": np.full(len(c["wx"]), np.nan)})
    with pytest.raises(InitializationError) as caught:
        run(spoilt)
    assert caught.value.reason is InitError.NOT_FINITE
    one = flight["sensor_combined"].table().slice(0, 1)
    single = Stream("imu", "imu", conventions.get("px4"), "body", one)
    with pytest.raises(DataError):
        run(Log({"imu": single}))


# -- real recordings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "tilt", "yaw"),
    [
        ("a_px4/pyulog_sample.ulg", 1.0, 5.0),
        ("a_px4/pyulog_sample_px4_events.ulg", 1.0, 5.0),
        ("a_px4/yuneec_position.ulg", 1.0, 5.0),
    ],
)
def test_it_agrees_with_what_flew_the_vehicle(
    recording: Callable[[str], Path], name: str, tilt: float, yaw: float
) -> None:
    log = bs.read(recording(name))
    estimate = run(log, rate=100.0)
    stream = log["vehicle_attitude"]
    inside = (stream.time >= estimate.time[0]) & (stream.time <= estimate.time[-1])
    own = np.stack(
        [np.interp(stream.time[inside], estimate.time, estimate.array(f"q{c}")) for c in "xyzw"], 1
    )
    own /= np.linalg.norm(own, axis=1)[:, None]
    theirs = stream.quaternion(order="xyzw").astype(np.float64)[inside]
    turn = np.degrees(kernels.log(kernels.multiply(theirs, kernels.conjugate(own))))
    assert rms(np.hypot(turn[:, 0], turn[:, 1])) < tilt
    assert rms(turn[:, 2]) < yaw


def test_a_format_that_holds_no_height_above_the_sea_keeps_the_place(
    recording: Callable[[str], Path], tmp_path: Path
) -> None:
    log = bs.read(recording("a_px4/yuneec_position.ulg"))
    bs.write(log, tmp_path / "flight.mcap")
    own, through = run(log), run(bs.read(tmp_path / "flight.mcap"))
    assert through.outcomes()["gnss_position"] == own.outcomes()["gnss_position"]
    assert through.outcomes()["gnss_height"].keys() == {"NOT_FINITE"}
    assert [notice.code for notice in through.notices] == ["flat-fix", "left-out"]
    names = ("x", "y", "vx", "vy")
    assert through.array(*names)[-1] == pytest.approx(own.array(*names)[-1], abs=0.01)
    assert [name for name, _, _ in through.stretches()] == ["DEAD_RECKONING", "HEALTHY"]


def test_a_seed_from_a_recording_uses_every_altitude(recording: Callable[[str], Path]) -> None:
    estimate = run(bs.read(recording("a_px4/pyulog_sample_px4_events.ulg")), seed="log")
    assert "NO_REFERENCE" not in estimate.outcomes()["baro"]
    assert [name for name, _, _ in estimate.stretches()] == ["DEAD_RECKONING", "HEALTHY"]
