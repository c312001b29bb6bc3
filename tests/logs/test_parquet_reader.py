"""Parquet: what was written comes back, in bounded pieces; damaged and foreign files are told apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from boresight import conventions
from boresight.errors import DataError
from boresight.logs import Log, Stream, read, write
from boresight.logs.description import describe
from boresight.logs.model import TableRows
from boresight.logs.readers.parquet import ParquetRows
from boresight.logs.tables import make_table


def attitude(rows: int) -> Stream:
    time = np.arange(rows) * 10
    q = {name: np.arange(rows, dtype=np.float32) + i for i, name in enumerate(("qx", "qy", "qz", "qw"))}
    return Stream("vehicle_attitude", "orientation", conventions.get("px4"), "body", make_table(time, q))


def field(rows: int) -> Stream:
    columns = {name: np.arange(rows) + 0.5 for name in ("mx", "my", "mz")}
    columns["magnetic_covariance"] = np.arange(9.0 * rows).reshape(rows, 9)
    table = make_table(np.arange(rows) * 7, columns)
    return Stream(
        "mag/1", "magnetic_field", conventions.get("px4"), "body", table, {"magnetic_field": "gauss"}
    )


def description(*streams: Stream, **more: object) -> dict[str, str]:
    return {"boresight": json.dumps({"version": 1, "streams": [describe(s) for s in streams], **more})}


def save_one(path: Path, stream: Stream, group: int = 100) -> Path:
    pq.write_table(stream.table().replace_schema_metadata(description(stream)), path, row_group_size=group)
    return path


def save_both(path: Path, first: Stream, second: Stream, group: int = 100) -> Path:
    """As the writer lays several streams out, written here without it."""
    joined = pa.unify_schemas([first.schema, second.schema], promote_options="permissive")
    metadata = description(first, second, metadata={"a": "b"}, notices=[notice()])
    schema = pa.schema(
        [pa.field("stream", pa.dictionary(pa.int32(), pa.string())), *joined], metadata=metadata
    )
    with pq.ParquetWriter(path, schema) as writer:
        for stream in (first, second):
            for start in range(0, stream.num_rows, group):
                part = stream.table().slice(start, group)
                names = pa.array([stream.name] * len(part)).dictionary_encode()
                have = {name: part.column(name) for name in part.column_names}
                arrays = [names] + [have.get(f.name, pa.nulls(len(part), f.type)) for f in joined]
                writer.write_table(pa.table(arrays, names=schema.names).cast(schema))
    return path


def notice() -> dict[str, object]:
    return {"code": "dropout", "message": "twice", "stream": None, "count": 2}


def test_one_stream(tmp_path: Path) -> None:
    original = attitude(250)
    log = read(save_one(tmp_path / "a.parquet", original))
    (stream,) = log.streams.values()
    assert (log.format, stream.name, stream.kind) == ("parquet", "vehicle_attitude", "orientation")
    assert stream.convention == original.convention
    assert stream.num_rows == 250
    assert stream.table().equals(original.table())
    assert stream.column("qx").dtype == np.float32


def test_several_streams(tmp_path: Path) -> None:
    first, second = attitude(250), field(130)
    log = read(save_both(tmp_path / "a.parquet", first, second))
    assert list(log.streams) == ["vehicle_attitude", "mag/1"]
    for original in (first, second):
        stream = log[original.name]
        assert stream.schema.equals(original.schema)
        assert stream.table().equals(original.table())
        assert stream.units == original.units
    assert log["mag/1"].array("magnetic_covariance").shape == (130, 9)
    assert log.metadata == {"a": "b"}
    assert [(n.code, n.count) for n in log.notices] == [("dropout", 2)]


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("group", [50, 200, 100_000])
def test_streams_that_share_row_groups(tmp_path: Path, group: int, statistics: bool) -> None:
    """As pandas or polars leave a file of ours, which they read and write whole."""
    first, second = attitude(250), field(130)
    table = pq.read_table(save_both(tmp_path / "a.parquet", first, second))
    mixed = pa.concat_tables([table.slice(300), table.slice(0, 300)])
    pq.write_table(mixed, tmp_path / "b.parquet", row_group_size=group, write_statistics=statistics)
    log = read(tmp_path / "b.parquet")
    assert log["vehicle_attitude"].table().equals(first.table())
    assert log["mag/1"].num_rows == 130
    assert (
        log["mag/1"].table().equals(pa.concat_tables([second.table().slice(50), second.table().slice(0, 50)]))
    )


def test_a_stream_without_rows_is_still_there(tmp_path: Path) -> None:
    log = read(save_both(tmp_path / "a.parquet", attitude(0), field(3)))
    assert log["vehicle_attitude"].num_rows == 0
    assert log["vehicle_attitude"].has("orientation")


def test_rows_come_in_pieces_and_only_the_columns_asked_for(tmp_path: Path) -> None:
    stream = read(save_one(tmp_path / "a.parquet", attitude(250), group=100))["vehicle_attitude"]
    assert isinstance(stream.rows, ParquetRows)
    sizes = [len(batch) for batch in stream.batches(40)]
    assert sum(sizes) == 250
    assert max(sizes) <= 40
    (batch, *_) = stream.batches(40, ["qw", "time"])
    assert batch.schema.names == ["qw", "time"]
    assert batch.column(1).to_pylist()[:2] == [0, 10]
    # again from the beginning
    assert sum(len(batch) for batch in stream.batches(1000)) == 250


def test_the_callers_convention(tmp_path: Path) -> None:
    path = save_one(tmp_path / "a.parquet", attitude(3))
    assert read(path, from_="ros")["vehicle_attitude"].convention.id == "ros"


def test_a_foreign_file_with_our_names(tmp_path: Path) -> None:
    path = tmp_path / "trip.parquet"
    pq.write_table(attitude(3).table(), path)
    with pytest.raises(DataError, match=r"trip\.parquet: the file does not say what its numbers are in"):
        read(path)
    assert read(path, from_="px4")["trip"].kind == "orientation"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(DataError, match="not one of ours: its first column is not time"):
        read(path, from_="px4")
    pq.write_table(pa.table({"time": [1], "a": [1]}), path)
    with pytest.raises(DataError, match="no columns that are known"):
        read(path, from_="px4")


def test_a_file_cut_short(tmp_path: Path) -> None:
    path = save_one(tmp_path / "a.parquet", attitude(250))
    data = path.read_bytes()
    for size in (5, 100, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(DataError, match=r"a\.parquet: this Parquet file cannot be read"):
            read(path)


def test_damaged_pages(tmp_path: Path) -> None:
    path = save_one(tmp_path / "a.parquet", attitude(5000), group=5000)
    data = bytearray(path.read_bytes())
    data[10:200] = b"\xff" * 190
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="cannot be read"):
        read(path)["vehicle_attitude"].table()


def test_no_damage_to_the_numbers_of_our_own_files_goes_unseen(tmp_path: Path) -> None:
    """Zstandard alone lets a changed byte through as a changed number; every page has a checksum."""
    path = tmp_path / "a.parquet"
    write(Log({s.name: s for s in (attitude(3000), field(3000))}), path)
    whole = path.read_bytes()
    sizes = [
        pq.ParquetFile(path).metadata.row_group(g).column(c)
        for g in range(2)
        for c in range(pq.ParquetFile(path).metadata.num_columns)
    ]
    end = max(c.data_page_offset + c.total_compressed_size for c in sizes)
    rng = np.random.default_rng(0)
    for at in rng.integers(4, end, 60):
        data = bytearray(whole)
        data[at] ^= rng.integers(1, 256)
        path.write_bytes(bytes(data))
        try:
            tables = [stream.table() for stream in read(path).streams.values()]
        except DataError as error:
            assert "this Parquet file cannot be read" in str(error)  # noqa: PT017
        else:
            # What is no number: the statistics in the head of a page.
            assert tables == [attitude(3000).table(), field(3000).table()], at


@pytest.mark.parametrize("text", ["{", "{}", '{"streams": [{"kind": "pose"}]}', "[]"])
def test_a_description_that_is_broken(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(attitude(3).table().replace_schema_metadata({"boresight": text}), path)
    with pytest.raises(DataError, match=r"metadata: .*damaged"):
        read(path)


@pytest.mark.parametrize("name", [b"qx", b"vehicle_attitude"])
def test_a_name_that_is_no_text(tmp_path: Path, name: bytes) -> None:
    path = save_both(tmp_path / "a.parquet", attitude(20), field(20))
    damaged = path.read_bytes().replace(name, b"\xff" + name[1:])
    path.write_bytes(damaged)
    with pytest.raises(DataError, match=r"a\.parquet: "):
        read(path)["vehicle_attitude"].table()


def test_a_thing_that_its_convention_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    described = {**describe(attitude(3)), "thing": "bpdy"}
    metadata = {"boresight": json.dumps({"version": 1, "streams": [described]})}
    pq.write_table(attitude(3).table().replace_schema_metadata(metadata), path)
    with pytest.raises(DataError, match=r"a\.parquet: metadata: px4 has no thing 'bpdy'"):
        read(path)


def test_our_writer_and_reader_agree(tmp_path: Path) -> None:
    from boresight.logs import write

    first, second = attitude(250), field(130)
    write(Log({first.name: first, second.name: second}), tmp_path / "a.parquet")
    log = read(tmp_path / "a.parquet")
    for original in (first, second):
        assert log[original.name].table().equals(original.table())
        assert isinstance(original.rows, TableRows)
