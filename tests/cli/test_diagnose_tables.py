"""Tables that hold no numbers where they must, each with the row and the column in one line."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize("column", [["a", "b", "c"], [[1.0], [2.0], [3.0]]])
def test_a_parquet_column_that_holds_no_numbers_is_named(
    boresight, tmp_path: Path, column: list[object]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "odd.parquet"
    rest = {name: [0.0, 1.0, 2.0] for name in ("t", "w", "x", "y", "z", "gx", "gz")}
    pq.write_table(pa.table({**rest, "gy": column}), path)
    result = boresight("diagnose", path, "--time", "t:s", "--quat", "w,x,y,z", "--gyro", "gx,gy,gz")
    assert result.code == 2
    assert "row 0, column 'gy'" in result.err and "no number" in result.err and "internal" not in result.err


@pytest.mark.parametrize("option", ["--gyro", "--quat", "--accel"])
def test_columns_that_are_all_zeros_are_none(boresight, tmp_path: Path, option: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("t,w,x,y,z\n0,1,0,0,0\n1,1,0,0,0\n2,1,0,0,0\n")
    zeros = ",".join("0" * (4 if option == "--quat" else 3))
    rest = () if option == "--quat" else ("--quat", "w,x,y,z")
    result = boresight("diagnose", path, "--time", "t:s", *rest, option, zeros)
    assert result.code == 2 and "names no column" in result.err and "internal" not in result.err


def test_a_table_without_rows_is_none_in_either_format(boresight, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("t", "w", "x", "y", "z")
    (tmp_path / "a.csv").write_text(",".join(names) + "\n")
    pq.write_table(pa.table({name: pa.array([], pa.float64()) for name in names}), tmp_path / "a.parquet")
    for path in (tmp_path / "a.csv", tmp_path / "a.parquet"):
        result = boresight("diagnose", path, "--time", "t:s", "--quat", "w,x,y,z")
        assert result.code == 2 and "no rows of numbers" in result.err


def test_a_count_beyond_all_times_is_told_with_its_row(boresight, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("t,w,x,y,z\n0,1,0,0,0\n1e300,1,0,0,0\n2,1,0,0,0\n")
    result = boresight("diagnose", path, "--time", "t:50Hz", "--quat", "w,x,y,z")
    assert result.code == 2 and "row 1, column 't'" in result.err and "Warning" not in result.err
