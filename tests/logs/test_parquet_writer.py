"""Parquet: what is in the file, as pyarrow alone sees it, and as our reader does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sample_logs import columns, flight, poses, quaternions, stream, table

import boresight.logs.registry as registry
from boresight.errors import DataError
from boresight.logs.model import Log, Notice


def test_one_stream_is_a_plain_table(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    report = registry.write(poses(), path)
    read = pq.read_table(path)
    assert read.equals(poses()["pose"].table())
    assert report.rows == 50
    said = json.loads(read.schema.metadata[b"boresight"])
    assert [s["name"] for s in said["streams"]] == ["pose"]
    assert said["streams"][0]["convention"]["id"] == "px4"


def test_several_streams_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    registry.write(flight(), path)
    read = pq.read_table(path)
    assert read.schema.names[0] == "stream"
    names = read.column("stream").cast(pa.string()).to_numpy(zero_copy_only=False)
    for name, before in flight().streams.items():
        rows = read.filter(pa.array(names == name))
        assert rows.num_rows == before.num_rows
        for column in read.schema.names[1:]:
            if column in before.schema.names:
                np.testing.assert_array_equal(rows.column(column).to_numpy(), before.column(column))
            else:
                assert rows.column(column).null_count == rows.num_rows


def test_a_row_group_holds_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    registry.write(flight(300), path, row_group=128)
    with pq.ParquetFile(path) as file:
        for i in range(file.num_row_groups):
            assert len(file.read_row_group(i, columns=["stream"]).column(0).unique()) == 1
            assert file.metadata.row_group(i).num_rows <= 128


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    registry.write(poses(), path)
    group = pq.ParquetFile(path).metadata.row_group(0)
    for i in range(group.num_columns):
        column = group.column(i)
        assert column.compression == "ZSTD"
        assert "RLE_DICTIONARY" not in column.encodings, column.path_in_schema
        wanted = "DELTA_BINARY_PACKED" if column.path_in_schema == "time" else "BYTE_STREAM_SPLIT"
        assert wanted in column.encodings, column.path_in_schema


@pytest.mark.parametrize("to", [None, "ros"])
def test_our_reader_gives_the_log_back(tmp_path: Path, to: str | None) -> None:
    path = tmp_path / "out.parquet"
    log = Log(
        flight().streams, notices=(Notice("dropout", "the logger dropped data"),), metadata={"vehicle": "x"}
    )
    registry.write(log, path, to=to)
    back = registry.read(path)
    assert list(back.streams) == list(log.streams)
    assert dict(back.metadata) == {"vehicle": "x"}
    from boresight.logs.convert import convert_log

    for name, before in (log if to is None else convert_log(log, to)).streams.items():
        after = back[name]
        assert (after.kind, after.thing, after.convention) == (before.kind, before.thing, before.convention)
        assert dict(after.units) == dict(before.units)
        assert set(after.schema.names) == set(before.schema.names)
        for column in before.schema.names:
            np.testing.assert_array_equal(after.column(column), before.column(column))


def test_a_column_of_two_types_takes_the_wider(tmp_path: Path) -> None:
    narrow = stream("a", "orientation", table([0], **columns("q", "xyzw", quaternions(1, dtype=np.float32))))
    wide = stream("b", "orientation", table([0], **columns("q", "xyzw", quaternions(1, dtype=np.float64))))
    registry.write(Log({"a": narrow, "b": wide}), tmp_path / "out.parquet")
    assert pq.read_schema(tmp_path / "out.parquet").field("qx").type == pa.float64()
    back = registry.read(tmp_path / "out.parquet")
    np.testing.assert_array_equal(back["a"].array("orientation"), narrow.array("orientation"))


def test_rows_without_an_orientation_are_kept_and_counted(tmp_path: Path) -> None:
    report = registry.write(flight(invalid=True), tmp_path / "out.parquet", to="ros")
    assert report.left_out == 0
    (notice,) = [n for n in report.notices if n.code == "invalid-orientation"]
    assert (notice.stream, notice.count) == ("vehicle_attitude", 2)
    assert registry.read(tmp_path / "out.parquet")["vehicle_attitude"].invalid_rows().sum() == 2


def test_a_log_without_streams(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no streams"):
        registry.write(Log({}), tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []
