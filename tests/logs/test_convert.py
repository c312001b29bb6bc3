"""Whole logs from one convention to another, against `boresight.convert` row by row and against rotation matrices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sample_logs import START, columns, flight, poses, quaternions, stream, table
from scipy.spatial.transform import Rotation as Scipy

import boresight as bs
from boresight import conventions
from boresight.errors import ConventionError
from boresight.logs import registry
from boresight.logs.convert import convert_log, convert_stream, orientation_form
from boresight.logs.model import GROUPS, Log
from boresight.logs.poses import pose_stream

NED_TO_ENU = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]])
FRD_TO_FLU = np.diag([1, -1, -1])


def test_px4_to_ros_by_matrices() -> None:
    """The physical meaning, with nothing of ours in the expectation."""
    log, out = flight(), convert_log(flight(), "ros")
    q = log["vehicle_attitude"].quaternion(order="xyzw").astype(float)
    expected = NED_TO_ENU @ Scipy.from_quat(q).as_matrix() @ FRD_TO_FLU
    actual = Scipy.from_quat(out["vehicle_attitude"].quaternion(order="xyzw")).as_matrix()
    np.testing.assert_allclose(actual, expected, atol=1e-12)
    for name, group, change in [
        ("vehicle_local_position", "position", NED_TO_ENU),
        ("vehicle_local_position", "velocity", NED_TO_ENU),
        ("vehicle_gps_position", "velocity", NED_TO_ENU),
        ("sensor_combined", "angular_rate", FRD_TO_FLU),
        ("sensor_combined", "specific_force", FRD_TO_FLU),
    ]:
        before = log[name].array(group).astype(float)
        np.testing.assert_array_equal(out[name].array(group), before @ change.T, err_msg=f"{name} {group}")
    field = log["vehicle_magnetometer"].array("magnetic_field")
    np.testing.assert_allclose(
        out["vehicle_magnetometer"].array("magnetic_field"), field @ FRD_TO_FLU * 1e-4, rtol=1e-15
    )
    assert "magnetic_field" not in out["vehicle_magnetometer"].units


def test_scalars_and_times_are_untouched() -> None:
    log, out = flight(), convert_log(flight(), "ros")
    for name, before in log.streams.items():
        after = out[name]
        assert after.num_rows == before.num_rows
        np.testing.assert_array_equal(after.time, before.time)
        for group in before.groups:
            if group.role == "scalar":
                np.testing.assert_array_equal(after.array(group.name), before.array(group.name))
                assert after.unit(group.name) == before.unit(group.name)


def test_numbers_come_out_as_float64() -> None:
    for after in convert_log(flight(), "ros").streams.values():
        for group in after.groups:
            if group.role != "scalar":
                assert {after.schema.field(c).type for c in group.columns} == {pa.float64()}


@pytest.mark.parametrize("to", ["ros", "px4", "ardupilot", "nuscenes", "carla", "unreal", "unity", "airsim"])
def test_rows_equal_those_of_convert(to: str) -> None:
    log = poses()
    pose = log["pose"]
    change = {} if conventions.get(to).world.kind == "compass" else {"forward": "N"}
    out = convert_log(log, to, **change)["pose"]
    system = conventions.get(to)
    as_ = "quat" if system.order else "euler"
    expected = bs.convert(
        quat=pose.array("orientation"),
        position=pose.array("position"),
        rate=pose.array("angular_rate"),
        from_="px4",
        to=to,
        as_=as_,
        **change,
    )
    np.testing.assert_array_equal(out.array("orientation" if system.order else "euler"), expected[0])
    np.testing.assert_array_equal(out.array("position"), expected.position)
    np.testing.assert_array_equal(out.array("angular_rate"), expected.rate)
    # velocity stays in metres a second, whatever the unit of length
    metres = float(system.metres)
    velocity = bs.convert(velocity=pose.array("velocity"), from_="px4", to=to, **change).velocity
    np.testing.assert_allclose(out.array("velocity"), velocity * metres, rtol=1e-15)


def test_every_system_and_back() -> None:
    """px4 -> X -> px4 is what it was, for every system that stores an orientation."""
    log = poses()
    before = log["pose"]
    done = 0
    for name in conventions.names():
        system = conventions.get(name)
        if "free" in (system.world.kind, *(axes.kind for axes in system.things.values())):
            continue
        change = {
            "compass": {},
            "local": {"forward": "N"},
            "earth": {"origin": (47.0, 8.0, 400.0)},
        }[system.world.kind]
        there = convert_log(log, name, **change)
        back = convert_log(there, "px4", thing="body", **change)["pose"]
        turned = (
            Scipy.from_quat(back.quaternion(order="xyzw"))
            * Scipy.from_quat(before.quaternion(order="xyzw")).inv()
        )
        assert turned.magnitude().max() < 1e-7, (
            name
        )  # half of the digits where Euler angles are near their pole
        # positions on the earth are 6 million metres from its centre
        np.testing.assert_allclose(back.array("position"), before.array("position"), atol=1e-6, err_msg=name)
        np.testing.assert_allclose(
            back.array("angular_rate"), before.array("angular_rate"), atol=1e-12, err_msg=name
        )
        for covariance in ("pose_covariance", "twist_covariance"):
            np.testing.assert_allclose(
                back.column(covariance), before.column(covariance), rtol=1e-9, atol=1e-9, err_msg=name
            )
        done += 1
    assert done > 25


def test_covariances_by_matrices() -> None:
    log, out = poses(), convert_log(poses(), "ros")["pose"]
    zero = np.zeros((3, 3))
    world, body = (
        np.block([[NED_TO_ENU, zero], [zero, NED_TO_ENU]]),
        np.block([[FRD_TO_FLU, zero], [zero, FRD_TO_FLU]]),
    )
    for name, turn in [("pose_covariance", world), ("twist_covariance", body)]:
        before = log["pose"].column(name).reshape(-1, 6, 6)
        np.testing.assert_allclose(
            out.column(name).reshape(-1, 6, 6), turn @ before @ turn.T, rtol=1e-14, err_msg=name
        )


def test_covariances_of_positions_seen_from_the_body_turn_with_them() -> None:
    rng = np.random.default_rng(2)
    square = rng.normal(size=(4, 6, 6))
    pose, small = square @ square.swapaxes(-1, -2), (square @ square.swapaxes(-1, -2))[:, :3, :3]
    rows = table(
        [0, 1, 2, 3],
        **columns("q", "xyzw", quaternions(4)),
        **dict(zip("xyz", rng.normal(size=(3, 4)), strict=True)),
        pose_covariance=pose.reshape(4, 36),
        position_covariance=small.reshape(4, 9),
    )
    before = stream("pose", "pose", rows)
    out = convert_stream(before, conventions.get("colmap"))
    given: dict[str, Any] = {
        "quat": before.quaternion(order="wxyz").astype(float), "position": before.array("position"), "from_": "px4", "to": "colmap",
    }  # fmt: skip
    expected = bs.convert(covariance=pose, **given).covariance
    np.testing.assert_allclose(
        out.column("pose_covariance").reshape(4, 6, 6), expected, rtol=1e-12, atol=1e-12
    )
    turned = bs.convert(covariance=small, of="position", **given).covariance
    np.testing.assert_allclose(out.column("position_covariance").reshape(4, 3, 3), turned, rtol=1e-12)
    back = convert_stream(out, conventions.get("px4"), world="NED")
    np.testing.assert_allclose(back.column("pose_covariance").reshape(4, 6, 6), pose, atol=1e-10)
    alone = before.replace(kind="orientation", rows=before.table().drop_columns(["x", "y", "z"]))
    with pytest.raises(ConventionError, match="the column pose_covariance is of a position"):
        convert_stream(alone, conventions.get("colmap"))


def test_an_unknown_entry_of_a_covariance_stays_one_entry() -> None:
    covariance = np.full((2, 36), np.nan)
    covariance[:, [0, 7, 14]] = 1.0, 2.0, 3.0
    rows = table(
        [0, 1],
        **columns("q", "xyzw", quaternions(2)),
        x=[0.0, 1],
        y=[0.0, 1],
        z=[0.0, 1],
        pose_covariance=covariance,
    )
    out = convert_stream(stream("pose", "pose", rows), conventions.get("ros")).column("pose_covariance")
    np.testing.assert_array_equal(out[:, [0, 7, 14]], [[2.0, 1.0, 3.0]] * 2)
    assert np.isnan(out).sum() == 2 * 33


def test_centimetres() -> None:
    rows = table(
        [0],
        **columns("q", "xyzw", quaternions(1)),
        x=[1.0],
        y=[2.0],
        z=[3.0],
        pose_covariance=np.ones((1, 36)),
        twist_covariance=np.ones((1, 36)),
    )
    unreal = convert_stream(stream("pose", "pose", rows, "ros_odom"), conventions.get("unreal"))
    np.testing.assert_array_equal(np.abs(unreal.array("position")), [[100.0, 200.0, 300.0]])
    covariance = np.abs(unreal.column("pose_covariance").reshape(6, 6))
    assert covariance[0, 0] == 1e4 and covariance[0, 3] == 100.0 and covariance[3, 3] == 1.0
    assert np.abs(unreal.column("twist_covariance")).max() == 1.0  # metres a second stay


def test_invalid_rows_become_nan_and_touch_no_other() -> None:
    out = convert_log(flight(invalid=True), "ros")["vehicle_attitude"]
    bad = out.invalid_rows()
    assert np.flatnonzero(bad).tolist() == [5, 7]
    assert np.isnan(out.quaternion(order="xyzw")[bad]).all()
    whole = convert_log(flight(), "ros")["vehicle_attitude"]
    np.testing.assert_array_equal(out.quaternion(order="xyzw")[~bad], whole.quaternion(order="xyzw")[~bad])


def test_orientations_are_normalised() -> None:
    q = quaternions(100, dtype=np.float64) * np.logspace(-200, 200, 100)[:, None]
    rows = table(np.arange(100), **columns("q", "xyzw", q))
    out = convert_stream(stream("a", "orientation", rows), conventions.get("px4"))
    np.testing.assert_allclose(np.linalg.norm(out.quaternion(order="xyzw"), axis=1), 1.0, rtol=1e-15)


def test_euler_and_matrix_streams_become_quaternions() -> None:
    angles = np.random.default_rng(0).uniform(-1, 1, (20, 3))
    rows = table(np.arange(20), euler_1=angles[:, 0], euler_2=angles[:, 1], euler_3=angles[:, 2])
    euler = stream("attitude", "orientation", rows, "ardupilot")
    system = conventions.get("ardupilot")
    expected = bs.convert(euler=angles, from_=system, to="ros").quat
    out = convert_stream(euler, conventions.get("ros"))
    np.testing.assert_array_equal(out.array("orientation"), expected)
    matrix = orientation_form(out, "matrix")
    assert matrix.convention == out.convention and not matrix.has("orientation")
    np.testing.assert_allclose(
        matrix.array("matrix").reshape(-1, 3, 3), Scipy.from_quat(expected).as_matrix(), atol=1e-15
    )
    again = convert_stream(matrix, conventions.get("ros"))
    np.testing.assert_allclose(np.abs((again.array("orientation") * expected).sum(axis=1)), 1.0, atol=1e-14)


def test_level_euler_angles_are_an_orientation() -> None:
    rows = table([0], euler_1=[0.0], euler_2=[0.0], euler_3=[0.0])
    out = convert_stream(stream("attitude", "orientation", rows, "ardupilot"), conventions.get("px4"))
    np.testing.assert_array_equal(out.quaternion(order="wxyz"), [[1.0, 0, 0, 0]])


def test_positions_of_a_world_to_body_system_need_the_orientation() -> None:
    log = poses(convention="colmap")
    pose = log["pose"]
    expected = bs.convert(
        quat=pose.array("orientation"),
        position=pose.array("position"),
        from_="colmap",
        to="ros",
        world="RDF",
        forward="N",
    )
    out = convert_log(log, "ros", world="RDF", forward="N")["pose"]
    np.testing.assert_array_equal(out.array("position"), expected.position)
    # asked for alone, the positions are the same
    batches = list(out.batches(columns=["z", "time", "x"]))
    assert batches[0].schema.names == ["z", "time", "x"]
    np.testing.assert_array_equal(
        np.concatenate([b.column("x").to_numpy() for b in batches]), expected.position[:, 0]
    )
    rows = table([0], x=[0.0], y=[0.0], z=[0.0])
    with pytest.raises(
        ConventionError,
        match="stream where: colmap stores positions as seen from the body, and no orientation",
    ):
        convert_log(
            Log({"where": stream("where", "velocity", rows, "colmap")}), "ros", world="RDF", forward="N"
        )


def test_what_is_not_determined_is_said() -> None:
    with pytest.raises(ConventionError, match="forward"):
        convert_log(flight(), "ros_odom")
    with pytest.raises(ConventionError, match="origin"):
        convert_log(
            poses(convention="ros"),
            "argoverse2" if conventions.get("argoverse2").world.kind == "earth" else "comma2k19",
        )


def test_a_sensor_on_the_body_does_not_ask_for_the_world() -> None:
    log = Log(
        {name: flight()[name] for name in ("sensor_combined", "vehicle_magnetometer", "vehicle_air_data")}
    )
    for to in ("ros_odom", "unity", "unreal", "comma2k19", "tum"):
        out = convert_log(log, to)["sensor_combined"]
        assert out.num_rows == 800
    unity = convert_log(log, "unity")["sensor_combined"]
    # axial in a left-handed body: the other sign than a polar vector's
    polar = bs.convert(velocity=[[0.0, 0, 0]], from_="px4", to="unity", forward="N")
    assert polar is not None
    rate, force = log["sensor_combined"].array("angular_rate"), log["sensor_combined"].array("specific_force")
    right, down, ahead = 1, 2, 0
    np.testing.assert_array_equal(
        unity.array("specific_force"), np.stack([force[:, right], -force[:, down], force[:, ahead]], 1)
    )
    np.testing.assert_array_equal(
        unity.array("angular_rate"), -np.stack([rate[:, right], -rate[:, down], rate[:, ahead]], 1)
    )


def test_a_free_world_keeps_its_axes() -> None:
    log = poses(convention="tum")
    out = convert_log(log, "ros")["pose"]
    assert out.convention.world.kind == "free"
    assert str(out.convention.things[out.thing]) == "FLU"
    np.testing.assert_array_equal(out.array("position"), log["pose"].array("position"))
    rdf_to_flu = np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]])
    before = Scipy.from_quat(log["pose"].quaternion(order="xyzw")).as_matrix()
    after = Scipy.from_quat(out.quaternion(order="xyzw")).as_matrix()
    np.testing.assert_allclose(after, before @ rdf_to_flu.T, atol=1e-14)
    # and to a free world: the axes are still NED, and the result says so
    tum = convert_log(poses(), "tum")["pose"]
    assert str(tum.convention.world) == "NED" and str(tum.convention.things["camera"]) == "RDF"
    free_body = convert_log(poses(), "euroc")["pose"]
    assert str(free_body.convention.things["body"]) == "FRD"
    assert tum.convention != conventions.get("tum")


def test_things_by_name() -> None:
    rows = table([0], **columns("q", "xyzw", quaternions(1, dtype=np.float64)))
    camera = stream("camera", "orientation", rows, "ros", "camera")
    out = convert_stream(camera, conventions.get("nuscenes"), forward="N")
    assert out.thing == "camera"
    body = convert_stream(
        camera.replace(thing="body"), conventions.get("nuscenes"), to_thing="lidar", forward="N"
    )
    assert body.thing == "lidar"
    with pytest.raises(ConventionError, match="no thing 'wheel'"):
        convert_stream(camera, conventions.get("nuscenes"), to_thing="wheel", forward="N")


def test_batches_are_lazy_and_of_the_size_asked_for() -> None:
    n = 20_000
    rows = table(START + np.arange(n), **columns("q", "xyzw", quaternions(n)))
    source = stream("attitude", "orientation", rows)
    asked: list[int] = []

    class Counting:
        schema, num_rows = source.schema, n

        def batches(self, size, columns=None):
            for batch in source.batches(size, columns):
                asked.append(len(batch))
                yield batch

    out = convert_stream(source.replace(rows=Counting()), conventions.get("ros"))
    assert asked == []
    first = next(iter(out.batches(1000)))
    assert len(first) == 1000 and asked == [1000]
    assert sum(len(b) for b in out.batches(7000)) == n
    table_out = out.table()
    np.testing.assert_array_equal(
        table_out.column("qx").to_numpy(),
        np.concatenate([b.column("qx").to_numpy() for b in out.batches(123)]),
    )


def test_columns_that_no_group_has_are_passed_on() -> None:
    rows = table([0, 1], **columns("q", "xyzw", quaternions(2)), battery=[1, 2])
    out = convert_stream(stream("attitude", "orientation", rows), conventions.get("ros"))
    assert out.table().column("battery").to_pylist() == [1, 2]


def test_the_order_of_the_columns_stays() -> None:
    before = poses()["pose"]
    after = convert_stream(before, conventions.get("ros"))
    assert after.schema.names == before.schema.names
    to_wxyz = convert_stream(before, conventions.get("px4"))
    assert to_wxyz.schema.names[1:5] == ["qw", "qx", "qy", "qz"]  # PX4's own order
    assert set(to_wxyz.schema.names) == set(before.schema.names)
    assert all(name in GROUPS for name in ("orientation", "euler", "matrix"))


# -- positions apart from their orientations ------------------------------------------------------------------------

INVERSE = [name for name in conventions.names() if conventions.get(name).direction == "world_to_body"]


@pytest.mark.parametrize("to", INVERSE)
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_log_with_positions_apart_goes_to_a_system_that_stores_the_inverse(
    tmp_path: Path, to: str, suffix: str
) -> None:
    log = flight()
    out = tmp_path / f"out.{suffix}"
    free: dict[str, Any] = {"forward": "N"} if conventions.get(to).world.kind == "local" else {}
    report = registry.write(log, out, to=to, **free)
    back = pose_stream(registry.read(out))
    assert back.num_rows == log["vehicle_attitude"].num_rows
    poses = pose_stream(log)
    there = np.isin(back.time, poses.time)
    assert there.sum() == poses.num_rows
    assert np.isnan(back.array("position")[~there]).all()
    # Where the body is, seen through the inverse pose, is where it was.
    world = convert_stream(
        poses, back.convention.replace(direction="body_to_world"), to_thing=back.thing, **free
    )
    expected, got = world.pose(), back.pose()[there]
    scale = max(1.0, float(np.abs(world.array("position")).max()))
    np.testing.assert_allclose(got.translation, expected.translation, atol=1e-9 * scale)
    np.testing.assert_allclose(got.rotation.as_matrix(), expected.rotation.as_matrix(), atol=1e-12)
    said = {notice.code: notice for notice in report.notices if notice.stream is not None}
    assert "vehicle_attitude" in said["joined"].message
    assert said["no-position"].count == (~there).sum()


def test_the_other_quantities_of_a_stream_of_positions_stay(tmp_path: Path) -> None:
    log = flight()
    back = convert_log(log, "opencv")
    assert not back["vehicle_local_position"].has("position")
    assert back["vehicle_local_position"].has("velocity")
    assert back["vehicle_local_position"].num_rows == log["vehicle_local_position"].num_rows
    assert back["vehicle_attitude"].kind == "pose"


def test_positions_that_no_orientation_goes_with_are_said_or_refused(tmp_path: Path) -> None:
    log = flight()
    lone = log["vehicle_local_position"].replace(name="beacon")
    out = convert_log(Log({**log.streams, "beacon": lone}), "opencv")
    assert not out["beacon"].has("position")
    (notice,) = [n for n in out.notices if n.code == "not-written"]
    assert notice.stream == "beacon"
    assert "no orientation" in notice.message
    with pytest.raises(ConventionError, match="without --stream"):
        registry.write(Log({"beacon": lone}), tmp_path / "out.parquet", to="opencv")


def test_the_flags_and_the_origin_go_with_the_position(tmp_path: Path) -> None:
    log = flight()
    rows = log["vehicle_local_position"].table()
    n = rows.num_rows
    for name, values in {
        "xy_valid": np.zeros(n, np.uint8),
        "z_valid": np.ones(n, np.uint8),
        "ref_lat": np.full(n, 47.5),
        "ref_lon": np.full(n, 8.5),
    }.items():
        rows = rows.append_column(name, pa.array(values))
    position = log["vehicle_local_position"].replace(rows=rows)
    back = convert_log(Log({**log.streams, "vehicle_local_position": position}), "opencv")
    there = np.isfinite(back["vehicle_attitude"].array("position")).all(axis=1)
    assert there.sum() == pose_stream(log).num_rows
    np.testing.assert_array_equal(back["vehicle_attitude"].column("z_valid"), there)
    assert not back["vehicle_attitude"].column("xy_valid").any()
    assert set(back["vehicle_attitude"].array("local_origin")[there].ravel()) == {47.5, 8.5}
    assert not back["vehicle_local_position"].has("position_valid")
    assert not back["vehicle_local_position"].has("local_origin")
