"""What a file says wrongly of its numbers, put right."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from boresight import conventions, frames
from boresight.axes import Axes
from boresight.errors import DataError
from boresight.logs.correction import Correction, corrected
from boresight.logs.model import Log, Stream
from boresight.rotation import Rotation


def made(q: np.ndarray, convention: str = "ros", **more: np.ndarray) -> Log:
    """A log of one stream with quaternions in the convention's own order, as they are stored."""
    system = conventions.get(convention)
    columns = {"time": np.arange(len(q))} | {
        "q" + letter: q[:, i] for i, letter in enumerate(system.order or "")
    }
    table = pa.table(columns | more)
    kind = "pose" if "x" in more else "orientation"
    return Log({"own": Stream("own", kind, system, system.default_thing, table)})


@pytest.fixture
def truth() -> Rotation:
    return Rotation.from_quat(np.random.default_rng(4).normal(size=(50, 4)), order="xyzw")


def off(log: Log, truth: Rotation) -> float:
    found = Rotation.from_quat(log["own"].rotation().as_quat(order="xyzw"), order="xyzw")
    return float((found.inv() @ truth).angle().max())


def test_an_order(truth: Rotation) -> None:
    log = made(truth.as_quat(order="wxyz"))
    assert off(log, truth) > 1.0
    assert off(corrected(log, Correction(order="wxyz")), truth) < 1e-12


def test_an_inverse_without_its_position(truth: Rotation) -> None:
    place = np.arange(50.0)
    log = made(truth.inv().as_quat(order="xyzw"), x=place, y=place, z=place)
    right = corrected(log, Correction(direction="world_to_body"))
    assert off(right, truth) < 1e-12
    np.testing.assert_array_equal(right["own"].array("position"), log["own"].array("position"))


def test_a_direction_says_what_the_numbers_do_also_of_a_jpl_quaternion(truth: Rotation) -> None:
    plain = made(truth.as_quat(order="xyzw"))["own"]
    jpl = plain.replace(convention=plain.convention.replace(algebra="jpl"))
    log = Log({"own": jpl})
    assert off(log, truth.inv()) < 1e-12
    assert off(corrected(log, Correction(direction="body_to_world")), truth) < 1e-12
    assert off(corrected(log, Correction(direction="world_to_body")), truth.inv()) < 1e-12


def test_axes_of_either_side(truth: Rotation) -> None:
    named = Rotation.from_quat(
        truth.as_quat(order="xyzw"), order="xyzw", source=frames.FLU, target=frames.ENU
    )
    frd = named.reframe(source=frames.FRD, target=frames.NED).as_quat(order="xyzw")
    assert off(corrected(made(frd), Correction(body=Axes("FRD"), world=Axes("NED"))), truth) < 1e-12
    one = named.reframe(source=frames.FRD, target=frames.ENU).as_quat(order="xyzw")
    assert off(corrected(made(one), Correction(body=Axes("FRD"))), truth) < 1e-12


def test_a_mirror_of_both_sides_is_one_of_neither(truth: Rotation) -> None:
    """FRU in ESU: the quaternion of a left-handed system, in its own axes."""
    x, y, z, w = truth.as_quat(order="xyzw").T
    mirrored = np.stack([-x, y, -z, w], axis=-1)
    assert off(corrected(made(mirrored), Correction(body=Axes("FRU"), world=Axes("ESU"))), truth) < 1e-12
    with pytest.raises(DataError, match="name both sides"):
        corrected(made(mirrored), Correction(body=Axes("FRU")))


@pytest.mark.parametrize("sequence", ["ZYX", "XYZ", "ZXZ"])
def test_an_angle_that_was_negated(truth: Rotation, sequence: str) -> None:
    angles = truth.as_euler(sequence, degrees=False)
    angles[:, 0] *= -1
    spoilt = Rotation.from_euler(sequence, angles, degrees=False)
    assert off(corrected(made(spoilt.as_quat(order="xyzw")), Correction(negated=sequence)), truth) < 1e-7


def test_angles_and_matrices_too(truth: Rotation) -> None:
    carla = conventions.get("carla")
    table = pa.table(
        {"time": [0, 1], "euler_1": [10.0, 20.0], "euler_2": [30.0, 40.0], "euler_3": [5.0, np.nan]}
    )
    log = Log({"own": Stream("own", "orientation", carla, "body", table)})
    back = corrected(log, Correction(direction="world_to_body"))["own"].rotation()
    matrix = log["own"].rotation().as_matrix()[0]
    np.testing.assert_allclose(back.as_matrix()[0], matrix.T, atol=1e-12)
    assert np.isnan(back.as_quat(order="xyzw")[1]).all()  # a row without an orientation stays one
    matrix = truth.inv().as_matrix().reshape(-1, 9)
    columns = {"time": np.arange(50)} | {f"m{i // 3}{i % 3}": matrix[:, i] for i in range(9)}
    ros = conventions.get("ros")
    rows = Log({"own": Stream("own", "orientation", ros, "body", pa.table(columns))})
    assert off(corrected(rows, Correction(direction="world_to_body")), truth) < 1e-7


def test_sensors_and_their_units() -> None:
    px4 = conventions.get("px4")
    table = pa.table(
        {"time": [0], "wx": [1.0], "wy": [2.0], "wz": [3.0], "ax": [4.0], "ay": [5.0], "az": [6.0]}
    )
    log = Log({"imu": Stream("imu", "imu", px4, "body", table)})
    turned = corrected(log, Correction(imu=Axes("FLU"), units={"angular_rate": "deg/s"}))["imu"]
    np.testing.assert_array_equal(turned.array("angular_rate"), [[1.0, -2.0, -3.0]])
    np.testing.assert_array_equal(turned.array("specific_force"), [[4.0, -5.0, -6.0]])
    assert turned.unit("angular_rate") == "deg/s"
    mirrored = corrected(log, Correction(imu=Axes("FRU")))[
        "imu"
    ]  # a rate is axial: a mirror flips the others
    np.testing.assert_array_equal(mirrored.array("angular_rate"), [[-1.0, -2.0, 3.0]])
    np.testing.assert_array_equal(mirrored.array("specific_force"), [[4.0, 5.0, -6.0]])


def test_rows_come_in_any_batches_and_columns(truth: Rotation) -> None:
    log = corrected(made(truth.inv().as_quat(order="xyzw")), Correction(direction="world_to_body"))
    stream = log["own"]
    pieces = [batch.column(0).to_numpy() for batch in stream.batches(7, ["qw"])]
    assert [len(piece) for piece in pieces] == [7] * 7 + [1]
    np.testing.assert_array_equal(np.concatenate(pieces), stream.column("qw"))
    assert next(iter(stream.batches(3, ["time"]))).schema.names == ["time"]


def test_one_stream_of_two(truth: Rotation) -> None:
    one = made(truth.as_quat(order="xyzw"))["own"]
    log = Log({"a": one.replace(name="a"), "b": one.replace(name="b")})
    out = corrected(log, Correction(direction="world_to_body"), of="a")
    np.testing.assert_array_equal(out["b"].column("qx"), log["b"].column("qx"))
    np.testing.assert_allclose(out["a"].column("qx"), -log["a"].column("qx"), atol=1e-15)


def test_what_no_stream_has_is_refused(truth: Rotation) -> None:
    log = made(truth.as_quat(order="xyzw"))
    with pytest.raises(DataError, match="no sensors"):
        corrected(log, Correction(imu=Axes("FRD")))
    with pytest.raises(DataError, match="no angular_rate"):
        corrected(log, Correction(units={"angular_rate": "deg/s"}))
    with pytest.raises(DataError, match="no relabelling leads there"):
        corrected(log, Correction(world=Axes("FLU")))
    with pytest.raises(DataError, match="there is no stream 'c'"):
        corrected(log, Correction(order="wxyz"), of="c")
