"""Streams and logs: what they give of their rows, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from boresight import conventions
from boresight.errors import DataError
from boresight.logs import GROUPS, KINDS, Log, Stream, TableRows
from boresight.logs.columns import UNITS, groups_of
from boresight.logs.model import _joined
from boresight.logs.tables import make_table


def numbered(rows: int, names: str, **more: Any) -> pa.Table:
    columns = {name: np.arange(rows) + 100.0 * i for i, name in enumerate(names.split())}
    return make_table(np.arange(rows) * 10, {**columns, **more})


def stream(
    names: str = "qx qy qz qw", rows: int = 5, system: str = "px4", kind: Any = "orientation", **more: Any
) -> Stream:
    convention = conventions.get(system)
    return Stream("s", kind, convention, convention.default_thing, numbered(rows, names, **more))


def test_quaternions_come_in_the_conventions_own_order() -> None:
    wxyz = stream(system="px4").array("orientation")
    xyzw = stream(system="ros").array("orientation")
    assert wxyz[1].tolist() == [301, 1, 101, 201]
    assert xyzw[1].tolist() == [1, 101, 201, 301]
    assert np.array_equal(stream(system="ros").quaternion(order="wxyz"), wxyz)


def test_a_convention_without_an_order_has_none_to_guess() -> None:
    with pytest.raises(DataError, match=r"carla has no order .*order="):
        stream(system="carla").array("orientation")


def test_numbers_keep_their_type() -> None:
    single = stream(names="", qx=np.zeros(2, np.float32), qy=np.zeros(2, np.float32), rows=2)
    assert single.column("qx").dtype == np.float32


def test_covariances_are_lists() -> None:
    covariance = np.arange(72.0).reshape(2, 36)
    s = stream(rows=2, pose_covariance=covariance)
    assert s.has("pose_covariance")
    assert np.array_equal(s.array("pose_covariance"), covariance)
    assert np.array_equal(s.column("pose_covariance"), covariance)


class Counted:
    """Rows that come in pieces and count who asks."""

    def __init__(self, table: pa.Table) -> None:
        self.table, self.asked = table, 0

    @property
    def schema(self) -> pa.Schema:
        return self.table.schema

    @property
    def num_rows(self) -> int:
        return self.table.num_rows

    def batches(self, size: int, columns: Any = None) -> Any:
        self.asked += 1
        yield from TableRows(self.table).batches(2, columns)


def test_rows_may_come_in_pieces() -> None:
    source = Counted(numbered(7, "qx qy qz qw x y z"))
    convention = conventions.get("px4")
    s = Stream("s", "pose", convention, "body", source)
    assert s.num_rows == len(s) == 7
    assert s.array("position")[6].tolist() == [406, 506, 606]
    assert s.table().equals(source.table)
    before = source.asked
    assert s.time.tolist() == [0, 10, 20, 30, 40, 50, 60]
    assert s.time is s.time
    assert source.asked == before + 1
    with pytest.raises(ValueError, match="read-only"):
        s.time[0] = 1


def test_pieces_of_two_types_become_the_wider() -> None:
    """A batch with a null comes as floats, and the rows before it must not stay integers."""
    table = numbered(6, "qx qy qz qw")
    column = pa.array([1, 2, 3, 4, None, 6], pa.int64())
    convention = conventions.get("px4")
    rows = TableRows(table.append_column("count", column))
    s = Stream("s", "orientation", convention, convention.default_thing, rows)
    parts = [batch.column("count").to_numpy(zero_copy_only=False) for batch in s.batches(2, ["count"])]
    joined = _joined(iter(parts), 6)
    assert joined is not None
    np.testing.assert_array_equal(joined, [1, 2, 3, 4, np.nan, 6])
    assert _joined(iter([]), 0) is None


def test_no_rows() -> None:
    s = stream(rows=0)
    assert s.time.tolist() == []
    assert s.array("orientation").shape == (0, 4)
    assert s.invalid_rows().tolist() == []
    log = Log({"s": s})
    assert (log.start, log.end, log.primary("orientation")) == (0, 0, None)


def test_invalid_rows() -> None:
    nan, inf = np.nan, np.inf
    q = np.array([[0, 0, 0, 1], [0, 0, 0, 0], [nan, 0, 0, 1], [inf, 0, 0, 1], [1e-200, 0, 0, 0]])
    s = stream(names="", rows=5, **{f"q{letter}": q[:, i] for i, letter in enumerate("xyzw")})
    assert s.invalid_rows().tolist() == [False, True, True, True, False]
    angles = stream("", 2, euler_1=np.zeros(2), euler_2=np.zeros(2), euler_3=np.array([0, nan]))
    assert angles.invalid_rows().tolist() == [False, True]  # zero angles are an orientation


def test_decoding_in_float64() -> None:
    q = np.array([[0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0]], np.float32)
    s = stream(names="", rows=2, **{f"q{letter}": q[:, i] for i, letter in enumerate("xyzw")})
    decoded = s.rotation().as_quat(order="xyzw")
    assert decoded.dtype == np.float64
    expected = q[0].astype(np.float64) / np.linalg.norm(q[0].astype(np.float64))
    assert np.allclose(decoded[0], expected, atol=1e-15)
    assert np.isnan(decoded[1]).all()


def test_a_pose_has_its_position() -> None:
    s = stream("x y z", 2, kind="pose", qx=np.zeros(2), qy=np.zeros(2), qz=np.zeros(2), qw=np.ones(2))
    assert s.pose().translation[1].tolist() == [1, 101, 201]


def test_matrices_and_angles_decode() -> None:
    identity = {name: np.full(1, float(name[1] == name[2])) for name in GROUPS["matrix"].columns}
    assert np.allclose(stream("", 1, "kitti_odometry", **identity).rotation().as_matrix(), np.eye(3))
    angles = {"euler_1": np.array([0.0]), "euler_2": np.array([0.0]), "euler_3": np.array([90.0])}
    convention = conventions.get("px4")
    assert convention.euler is not None
    s = Stream(
        "s",
        "orientation",
        convention,
        "body",
        numbered(1, "", **{**angles, "euler_3": np.array([np.pi / 2])}),
    )
    assert np.allclose(s.rotation().as_matrix() @ [1, 0, 0], [0, 1, 0], atol=1e-15)


def test_units() -> None:
    convention = conventions.get("px4")
    s = Stream(
        "m", "magnetic_field", convention, "body", numbered(1, "mx my mz"), {"magnetic_field": "gauss"}
    )
    assert s.unit("magnetic_field") == "gauss"
    assert s.factor("magnetic_field") == 1e-4
    with pytest.raises(DataError, match="unknown unit 'furlong'"):
        s.replace(units={"magnetic_field": "furlong"})


def test_what_a_stream_refuses() -> None:
    convention = conventions.get("px4")
    with pytest.raises(DataError, match="first column must be time"):
        Stream("s", "imu", convention, "body", pa.table({"x": [1.0]}))
    with pytest.raises(DataError, match="first column must be time"):
        Stream("s", "imu", convention, "body", pa.table({"time": [1.0]}))
    with pytest.raises(DataError, match="no such kind"):
        Stream("s", "sonar", convention, "body", numbered(1, ""))  # pyright: ignore[reportArgumentType]
    s = stream()
    with pytest.raises(DataError, match="the stream has no position"):
        s.array("position")
    with pytest.raises(DataError, match="no such column"):
        s.column("z")
    with pytest.raises(DataError, match="has no orientation"):
        stream("x y z", kind="velocity").invalid_rows()


def test_what_a_stream_lacks_is_said_with_what_to_do() -> None:
    with pytest.raises(DataError, match="no position; boresight.logs.pose_stream"):
        stream().pose()
    with pytest.raises(DataError, match="no group of columns 'foo'; the stream has: orientation"):
        stream().array("foo")


def test_a_log_finds_its_streams() -> None:
    empty = stream(rows=0).replace(name="empty")
    full, imu = stream(), stream("wx wy wz", kind="imu").replace(name="gyro")
    log = Log({"empty": empty, "s": full, "gyro": imu})
    assert log["gyro"] is imu
    assert log.of_kind("orientation") == (empty, full)
    assert log.primary("orientation") is full
    assert log.primary("gnss") is None
    assert (log.start, log.end) == (0, 40)
    assert list(log) == ["empty", "s", "gyro"]
    assert "gyro" in log and "x" not in log
    with pytest.raises(DataError, match="no stream 'x'; there are: empty, s, gyro"):
        log["x"]


def test_groups_share_no_column() -> None:
    names = [column for group in GROUPS.values() for column in group.columns]
    assert len(names) == len(set(names))
    assert all(group.unit in UNITS for group in GROUPS.values())
    assert all(group.width == len(group.columns) or group.is_list for group in GROUPS.values())
    assert groups_of(["qx", "qy", "qz"]) == ()
    assert set(KINDS) == {"pose", "orientation", "imu", "velocity", "gnss", "magnetic_field", "baro"}
