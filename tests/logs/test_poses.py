"""Orientations and positions of different rates, joined."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sample_logs import columns, flight, poses, quaternions, stream, table

from boresight.errors import DataError
from boresight.logs.model import Log
from boresight.logs.poses import join_poses, pose_stream

MS = 1_000_000


def log_of(times, position_times, *, positions=None, reset=None, gyro=None, **extra) -> Log:
    n, m = len(times), len(position_times)
    attitude = table(times, **columns("q", "xyzw", quaternions(n)), **extra)
    where = np.arange(m)[:, None] * [1.0, 10.0, 100.0] if positions is None else positions
    rows = {**columns("", "xyz", where), **columns("v", "xyz", -where)}
    if reset is not None:
        rows["reset"] = np.asarray(reset)
    streams = {
        "vehicle_attitude": stream("vehicle_attitude", "orientation", attitude),
        "vehicle_local_position": stream("vehicle_local_position", "velocity", table(position_times, **rows)),
    }
    if gyro is not None:
        streams["gyro"] = stream(
            "gyro", "imu", table(gyro, **columns("w", "xyz", np.arange(len(gyro))[:, None] * [1.0, 2, 3]))
        )
    return Log(streams)


def test_a_pose_stream_is_taken_as_it_is() -> None:
    log = poses()
    assert pose_stream(log) is log["pose"]


def test_positions_are_interpolated_linearly_and_orientations_untouched() -> None:
    log = flight(200)
    out, notices = join_poses(log)
    where = log["vehicle_local_position"]
    inside = (log["vehicle_attitude"].time >= where.time[0]) & (
        log["vehicle_attitude"].time <= where.time[-1]
    )
    assert 0 < inside.sum() < len(inside)
    np.testing.assert_array_equal(out.time, log["vehicle_attitude"].time[inside])
    np.testing.assert_array_equal(
        out.quaternion(order="xyzw"), log["vehicle_attitude"].quaternion(order="xyzw")[inside]
    )
    assert out.schema.field("qx").type == "float"  # the file's own numbers
    start = where.time[0]
    for group in ("position", "velocity"):
        for i in range(3):
            expected = np.interp(out.time - start, where.time - start, where.array(group)[:, i])
            np.testing.assert_allclose(out.array(group)[:, i], expected, rtol=1e-12)
    gyro = log["sensor_combined"]
    np.testing.assert_array_equal(out.array("angular_rate"), gyro.array("angular_rate")[::2][inside])
    assert [n.code for n in notices] == ["no-position"]
    assert notices[0].count == (~inside).sum()
    assert notices[0].stream == "vehicle_attitude"
    assert out.num_rows == sum(len(b) for b in out.batches(17))


def test_at_a_sample_the_position_is_the_samples_own() -> None:
    times = [0, 100 * MS, 200 * MS, 300 * MS]
    values = np.random.default_rng(0).normal(size=(4, 3)) * 1e5
    out = pose_stream(log_of(times, times, positions=values))
    np.testing.assert_array_equal(out.array("position"), values)


def test_nothing_is_extrapolated() -> None:
    out, notices = join_poses(log_of([-1, 0, 50 * MS, 100 * MS, 100 * MS + 1], [0, 100 * MS]))
    assert out.time.tolist() == [0, 50 * MS, 100 * MS]
    assert (
        "2 of 5 rows have no position (2 before the first or after the last of vehicle_local_position)"
        in str(notices[0])
    )


def test_nothing_is_interpolated_over_a_gap_of_more_than_a_second() -> None:
    positions = [0, 1000 * MS, 2000 * MS + 1, 2500 * MS]
    out, notices = join_poses(log_of([500 * MS, 1000 * MS, 1500 * MS, 2000 * MS + 1, 2300 * MS], positions))
    assert out.time.tolist() == [500 * MS, 1000 * MS, 2000 * MS + 1, 2300 * MS]
    assert "1 in a gap of vehicle_local_position over 1 s" in str(notices[0])


def test_nothing_is_interpolated_across_a_jump_of_the_estimate() -> None:
    out, notices = join_poses(
        log_of([50 * MS, 100 * MS, 150 * MS, 250 * MS], [0, 100 * MS, 200 * MS, 300 * MS], reset=[1, 1, 2, 2])
    )
    assert out.time.tolist() == [50 * MS, 100 * MS, 250 * MS]
    assert notices[0].count == 1


def test_positions_that_are_not_finite_are_no_samples() -> None:
    where = np.arange(4)[:, None] * [1.0, 1.0, 1.0]
    where[1] = np.nan
    out = pose_stream(log_of([100 * MS, 250 * MS], [0, 100 * MS, 200 * MS, 300 * MS], positions=where))
    np.testing.assert_allclose(out.array("position")[:, 0], [1.0, 2.5])


def test_shuffled_and_repeated_positions() -> None:
    where = np.array([[3.0] * 3, [1.0] * 3, [0.0] * 3, [1.5] * 3])
    out = pose_stream(log_of([50 * MS, 200 * MS], [300 * MS, 100 * MS, 0, 100 * MS], positions=where))
    # of the two at 100 ms the later row counts
    np.testing.assert_allclose(out.array("position")[:, 0], [0.75, 2.25])


def test_shuffled_attitudes_keep_their_order() -> None:
    out = pose_stream(log_of([90 * MS, 10 * MS, 50 * MS], [0, 100 * MS]))
    assert out.time.tolist() == [90 * MS, 10 * MS, 50 * MS]
    np.testing.assert_allclose(out.array("position")[:, 0], [0.9, 0.1, 0.5])


def test_one_position_serves_only_its_own_time() -> None:
    out, _ = join_poses(log_of([0, 5, 6], [5]))
    assert out.time.tolist() == [5]


def test_angular_rates_outside_the_gyros_are_unknown() -> None:
    out = pose_stream(log_of([0, 50 * MS, 100 * MS], [0, 100 * MS], gyro=[40 * MS, 60 * MS]))
    np.testing.assert_array_equal(out.array("angular_rate"), [[np.nan] * 3, [0.5, 1.0, 1.5], [np.nan] * 3])


def test_rates_come_from_the_stream_that_has_most_of_them() -> None:
    log = log_of([0, 5 * MS, 10 * MS], [0, 10 * MS], gyro=[5 * MS, 10 * MS])
    fuller = table([0, 10 * MS], **columns("w", "xyz", np.array([[1.0, 0, 0], [3.0, 0, 0]])))
    both = Log({**log.streams, "vehicle_angular_velocity": stream("vehicle_angular_velocity", "imu", fuller)})
    poses, notices = join_poses(both)
    np.testing.assert_array_equal(poses.array("angular_rate")[:, 0], [1.0, 2.0, 3.0])
    assert not notices


def test_poses_without_a_rate_are_counted() -> None:
    _, notices = join_poses(log_of([0, 5 * MS, 10 * MS], [0, 10 * MS], gyro=[5 * MS, 10 * MS]))
    assert [(n.code, n.count) for n in notices] == [("no-rate", 1)]
    assert "1 of 3 poses have no angular rate: gyro has none" in notices[0].message
    _, notices = join_poses(log_of([0, 5 * MS], [0, 10 * MS]))
    assert "2 of 2 poses have no angular rate: no stream of the log has any" in notices[0].message


def test_positions_that_are_all_nan_are_not_said_to_be_elsewhere() -> None:
    poses, notices = join_poses(log_of([0, 5 * MS], [0, 10 * MS], positions=np.full((2, 3), np.nan)))
    assert poses.num_rows == 0
    assert "2 of 2 rows have no position (every one of vehicle_local_position is NaN)" in notices[0].message


def test_the_attitudes_own_rates_are_kept() -> None:
    own = columns("w", "xyz", np.ones((2, 3)))
    out = pose_stream(log_of([0, 50 * MS], [0, 100 * MS], gyro=[0, 100 * MS], **own))
    np.testing.assert_array_equal(out.array("angular_rate"), np.ones((2, 3)))


def test_instances_go_together() -> None:
    log = flight()
    names = {
        "vehicle_attitude": "estimator_attitude/1",
        "vehicle_local_position": "estimator_local_position/1",
    }
    other = {new: flight(100, start=0)[old].replace(name=new) for old, new in names.items()}
    both = Log({**log.streams, **other})
    assert pose_stream(both).name == "vehicle_attitude"
    second = pose_stream(both, "estimator_attitude/1")
    assert 0 < second.num_rows <= 100
    assert second.time.max() < 10**12


def test_what_is_missing_is_said() -> None:
    log = flight()
    with pytest.raises(DataError, match="no orientation; its streams: sensor_combined"):
        pose_stream(Log({"sensor_combined": log["sensor_combined"]}))
    with pytest.raises(DataError, match="no positions to go with them"):
        pose_stream(Log({"vehicle_attitude": log["vehicle_attitude"]}))
    with pytest.raises(DataError, match="no stream 'nothing'"):
        pose_stream(log, "nothing")
    with pytest.raises(DataError, match="no orientation"):
        pose_stream(log, "sensor_combined")


def test_streams_in_different_axes_are_not_joined() -> None:
    log = flight()
    ros = stream(
        "vehicle_local_position", "velocity", table([0, 1], x=[0.0, 0], y=[0.0, 0], z=[0.0, 0]), "ros"
    )
    with pytest.raises(DataError, match="vehicle_attitude is in px4, stream vehicle_local_position in ros"):
        pose_stream(Log({**log.streams, "vehicle_local_position": ros}))


def test_only_the_columns_asked_for() -> None:
    out = pose_stream(flight(200))
    for wanted in (["z", "qx"], ["time"], ["wx"], ["time", "vx", "vy"]):
        batches = list(out.batches(64, wanted))
        assert batches[0].schema.names == wanted
        assert sum(map(len, batches)) == out.num_rows
        for name in wanted:
            np.testing.assert_array_equal(
                np.concatenate([b.column(name).to_numpy() for b in batches]), out.column(name)
            )


# -- what the log itself says of its positions --------------------------------------------------------------------


def flagged(xy: list[int], **more: list[int]) -> Log:
    """Attitudes at every sample of a position, whose flags are given."""
    times = [i * 100 * MS for i in range(len(xy))]
    log = log_of(times, times)
    table = log["vehicle_local_position"].table()
    for name, values in {"xy_valid": xy, "z_valid": [1] * len(xy), **more}.items():
        table = table.append_column(name, pa.array(values, pa.uint8()))
    return Log({**log.streams, "vehicle_local_position": log["vehicle_local_position"].replace(rows=table)})


def test_a_position_that_is_flagged_makes_a_pose_that_is_flagged() -> None:
    log = flagged([0, 0, 1, 1], z_valid=[1, 1, 1, 0])
    out, notices = join_poses(log)
    assert out.num_rows == 4
    np.testing.assert_array_equal(out.array("position"), log["vehicle_local_position"].array("position"))
    assert out.array("position_valid").tolist() == [[0, 1], [0, 1], [1, 1], [1, 0]]
    assert [n.code for n in notices] == ["no-rate"]


def test_between_two_positions_both_must_be_valid() -> None:
    log = flagged([0, 1, 1, 0], vxy_valid=[1] * 4, vz_valid=[1, 0, 1, 1])
    between = table([i * 50 * MS for i in range(-1, 8)], **columns("q", "xyzw", quaternions(9)))
    attitude = log["vehicle_attitude"].replace(rows=between)
    out, _ = join_poses(Log({**log.streams, "vehicle_attitude": attitude}), every_row=True)
    assert out.column("xy_valid").tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0]  # of no position, nothing holds
    assert out.column("vz_valid").tolist() == [0, 1, 0, 0, 0, 1, 1, 1, 0]
    velocity = log["vehicle_local_position"].array("velocity")
    np.testing.assert_array_equal(out.array("velocity")[1:8:2], velocity)


def test_the_origin_on_the_earth_goes_with_the_position() -> None:
    log = flagged([1] * 4)
    rows = log["vehicle_local_position"].table()
    for name, values in {
        "ref_lat": pa.array([np.nan, 47.1, 47.1, 47.2]),
        "ref_lon": pa.array([np.nan, 8.1, 8.1, 8.2]),
        "ref_alt": pa.array([np.nan, 400.5, 400.5, 401.0], pa.float32()),
    }.items():
        rows = rows.append_column(name, values)
    position = log["vehicle_local_position"].replace(rows=rows)
    between = table([i * 50 * MS for i in range(-1, 8)], **columns("q", "xyzw", quaternions(9)))
    attitude = log["vehicle_attitude"].replace(rows=between)
    both = Log({"vehicle_attitude": attitude, "vehicle_local_position": position})
    out, _ = join_poses(both, every_row=True)
    nan = np.nan
    np.testing.assert_array_equal(out.column("ref_lat"), [nan, nan, nan, 47.1, 47.1, 47.1, 47.1, 47.2, nan])
    np.testing.assert_array_equal(out.column("ref_lon")[3:8], [8.1, 8.1, 8.1, 8.1, 8.2])
    assert out.column("ref_alt").dtype == np.float32
    np.testing.assert_array_equal(out.column("ref_alt")[3:8], np.float32([400.5] * 4 + [401.0]))
    assert pose_stream(both).column("ref_alt").tolist()[-1] == 401.0


def test_every_row_is_kept_where_that_is_asked_for() -> None:
    out, notices = join_poses(log_of([-5 * MS, 0, 5 * MS], [0, 100 * MS]), every_row=True)
    assert out.num_rows == 3
    assert np.isnan(out.array("position")).all(axis=1).tolist() == [True, False, False]
    assert "kept without one" in notices[0].message
