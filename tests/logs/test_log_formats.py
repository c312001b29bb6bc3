"""Formats are told by what a file holds, then by its name; others may add their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from boresight.errors import DataError
from boresight.logs import formats, read, write
from boresight.logs.registry import OWN_READERS, OWN_WRITERS, detect, format_for, reader, writer

TUM = b"0 1 2 3 0 0 0 1\n"
EUROC = b"1,1,2,3,1,0,0,0\n"
KITTI = b"1 0 0 4 0 1 0 5 0 0 1 6\n"
CSV = b"time_s,x,y,z\n0,1,2,3\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", TUM, "tum"),
        ("a", TUM, "tum"),
        ("a.csv", EUROC, "euroc"),
        ("a.txt", EUROC, "euroc"),
        ("a.txt", KITTI, "kitti"),
        ("a.csv", CSV, "csv"),
        ("a.txt", CSV, "csv"),
        ("a.csv", TUM, "tum"),
        ("a.tum", b"garbage\n", "tum"),
        ("a.csv", b"garbage\n", "csv"),
        ("a.ulg", CSV, "ulog"),
        ("a.parquet", TUM, "parquet"),
        ("a.ulg", b"PAR1....", "parquet"),
        ("a.bin", b"ULog\x01\x12\x35\x01" + bytes(8), "ulog"),
        ("a.tum", b"\x89MCAP0\r\n", "mcap"),
    ],
)
def test_detection(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert detect(path) == expected


def test_no_format_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.xyz"
    path.write_bytes(b"\0\1\2")
    with pytest.raises(
        DataError, match=r"a\.xyz: byte 0: this is no log of a known format; known: ulog, mcap"
    ):
        read(path)
    with pytest.raises(DataError, match="no format 'las' can be read; known"):
        read(path, format="las")


def test_formats_by_name() -> None:
    assert {"ulog", "mcap", "parquet", "tum", "euroc", "kitti", "csv"} <= formats().keys()
    for name in OWN_READERS:
        assert reader(name).suffixes
    for name in OWN_WRITERS:
        assert writer(name).suffixes


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.mcap", "mcap"), ("a.CSV", "csv"), ("a.tum", "tum"), ("a.parquet", "parquet"), ("a.pq", "parquet")],
)
def test_formats_to_write(name: str, expected: str) -> None:
    assert format_for(Path(name)) == expected


def test_no_format_to_write() -> None:
    with pytest.raises(DataError, match=r"no format is written with the suffix '\.docx'"):
        format_for(Path("a.docx"))


def test_a_path_is_no_log_to_write(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"a Log, not a str; boresight\.read\(path\) makes one"):
        write("a.tum", tmp_path / "b.tum")  # pyright: ignore[reportArgumentType]


def test_an_option_that_the_format_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "a.tum"
    path.write_bytes(TUM)
    with pytest.raises(TypeError, match=r"format tum: .*times"):
        read(path, times="b.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["a.ulg", "a.tum", "a"])
def test_a_pipe_is_refused_before_it_is_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataError, match="this is a pipe or a device and no file; save it to a file first"):
        read(tmp_path / name)
    with pytest.raises(DataError, match="this is a pipe"):
        read(tmp_path / name, format="csv", from_="ros")


def test_an_option_that_a_format_does_not_have_is_named_with_those_that_it_has(tmp_path: Path) -> None:
    with pytest.raises(
        TypeError, match="format csv: there is no option 'colour' when it is read; it has: .*columns"
    ):
        read(_csv(tmp_path), from_="ros", colour="red")
    with pytest.raises(
        TypeError, match="format mcap: there is no option 'colour' when it is written; it has: .*compression"
    ):
        write(read(_csv(tmp_path), from_="ros"), tmp_path / "out.mcap", colour="red")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def _csv(directory: Path) -> Path:
    path = directory / "in.csv"
    path.write_text("time_s,qx,qy,qz,qw\n0,0,0,0,1\n")
    return path
