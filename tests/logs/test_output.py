"""Outputs are whole or not there, and an error says in one line why."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sample_logs import flight

import boresight.logs.registry as registry
from boresight.errors import OutputError
from boresight.logs.model import Log, Notice
from boresight.logs.output import new_files

FORMATS = ["tum", "euroc", "kitti", "csv", "parquet", "mcap"]


def contents(directory: Path) -> list[str]:
    """Everything in a directory, hidden files too."""
    return sorted(os.listdir(directory))


@pytest.mark.parametrize("format", FORMATS)
def test_a_written_file_stands_alone(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"out.{format}"
    report = registry.write(flight(), path, to="ros")
    assert report.path == path
    assert sorted(file.name for file in report.files) == contents(tmp_path)
    assert report.rows > 0


@pytest.mark.parametrize("format", FORMATS)
def test_an_output_that_exists_is_kept(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"out.{format}"
    path.write_text("precious")
    with pytest.raises(OutputError, match=f"^{path}: the file exists; give --overwrite"):
        registry.write(flight(), path, to="ros")
    assert contents(tmp_path) == [path.name]
    assert path.read_text() == "precious"
    registry.write(flight(), path, to="ros", overwrite=True)
    assert path.read_bytes() != b"precious"


def test_the_times_of_a_kitti_file_are_an_output_too(tmp_path: Path) -> None:
    (tmp_path / "out_times.txt").write_text("precious")
    with pytest.raises(OutputError, match="out_times.txt: the file exists"):
        registry.write(flight(), tmp_path / "out.kitti", to="ros")
    assert contents(tmp_path) == ["out_times.txt"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_failure_half_way_leaves_nothing(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = flight(3000)
    rows = log["vehicle_attitude"].rows

    class Broken:
        schema, num_rows = rows.schema, rows.num_rows

        def batches(self, size, columns=None):
            if columns != ["time"]:
                yield next(iter(rows.batches(1000, columns)))
                raise RuntimeError("half way")
            yield from rows.batches(size, columns)

    streams = {**log.streams, "vehicle_attitude": log["vehicle_attitude"].replace(rows=Broken())}
    old = tmp_path / f"out.{format}"
    old.write_text("precious")
    with pytest.raises(RuntimeError, match="half way"):
        registry.write(type(log)(streams), old, to="ros", overwrite=True)
    assert contents(tmp_path) == [old.name]
    assert old.read_text() == "precious"


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def half_way() -> None:
        with new_files(tmp_path / "out.txt", overwrite=False) as working:
            working.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half_way()
    assert contents(tmp_path) == []


def test_a_directory_is_no_output(tmp_path: Path) -> None:
    target = tmp_path / "out.tum"
    target.mkdir()
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=r"out\.tum: this is a directory; name a file"):
            registry.write(flight(), target, to="ros", overwrite=overwrite)
    assert contents(tmp_path) == ["out.tum"]


def test_a_device_is_no_output() -> None:
    with pytest.raises(OutputError, match="no regular file"):
        registry.write(flight(), Path("/dev/null"), to="ros", format="tum", overwrite=True)


def test_a_directory_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"its directory does not exist; make .*missing first"):
        registry.write(flight(), tmp_path / "missing" / "out.tum", to="ros")
    assert contents(tmp_path) == []


def test_a_file_as_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"^[^\n]+$"):
        registry.write(flight(), tmp_path / "file" / "out.tum", to="ros")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable to root")
def test_a_directory_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="no permission to write"):
        registry.write(flight(), tmp_path / "out.tum", to="ros")


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EACCES, "no permission to write in"),
        (errno.EROFS, "read-only file system"),
        (errno.EIO, "Input/output error"),
        (errno.EDQUOT, "quota"),
    ],
)
def test_what_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    def refuse(**_: object) -> str:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(OutputError, match=f"^{tmp_path}/out.tum: .*{reason}") as caught:
        registry.write(flight(), tmp_path / "out.tum", to="ros")
    assert "\n" not in str(caught.value)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, where the system lets one be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk(small_disk: Path, format: str) -> None:
    with pytest.raises(OutputError, match="the disk is full") as caught:
        registry.write(flight(20_000), small_disk / f"out.{format}", to="ros")
    assert "\n" not in str(caught.value)
    assert contents(small_disk) == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.tum", tmp_path / "link.tum"
    real.write_text("old")
    link.symlink_to(real)
    registry.write(flight(), link, to="ros", overwrite=True)
    assert link.is_symlink()
    assert "timestamp" in real.read_text()


def test_permissions_of_a_replaced_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "out.tum"
    path.write_text("old")
    path.chmod(0o640)
    registry.write(flight(), path, to="ros", overwrite=True)
    assert path.stat().st_mode & 0o777 == 0o640


def test_permissions_of_a_new_file_are_the_usual(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_text("")
    registry.write(flight(), tmp_path / "out.tum", to="ros")
    assert (tmp_path / "out.tum").stat().st_mode == usual.stat().st_mode


# -- what the report says -------------------------------------------------------------------------------------------


def test_a_report_shows_itself_on_one_screen(tmp_path: Path) -> None:
    log = flight()
    many = {
        f"{name}/{i}": stream.replace(name=f"{name}/{i}")
        for i in range(9)
        for name, stream in log.streams.items()
    }
    said = tuple(Notice("dropout", "much to say " * 40, None, i) for i in range(50))
    report = registry.write(Log(many, notices=said), tmp_path / "out.parquet")
    assert len(repr(report)) < 300
    assert "\n" not in repr(report)
    assert f"{report.rows} rows" in repr(report)
    lines = str(report).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines[1:])) <= 120
    assert lines[0] == repr(report)


@pytest.mark.parametrize("suffix", ["tum", "euroc", "csv", "mcap", "parquet"])
def test_streams_that_are_not_in_the_output_are_named(tmp_path: Path, suffix: str) -> None:
    log = flight()
    path = tmp_path / f"out.{suffix}"
    report = registry.write(log, path, to="ros")
    written = {item.stream for item in report.streams}
    named = " ".join(n.message for n in report.notices if n.code in ("beside", "not-written"))
    held = {"vehicle_local_position"} if suffix == "csv" else set()  # joined into the one stream
    for name in set(log.streams) - held:
        assert name in written or name in named


@pytest.mark.parametrize(
    ("suffix", "to", "options", "idle"),
    [
        ("parquet", "ros", {"forward": "E"}, ["forward"]),
        ("mcap", "ros", {"forward": "E"}, ["forward"]),
        ("mcap", None, {"forward": "E"}, ["forward"]),
        ("tum", None, {"forward": "E", "thing": "body"}, ["forward", "thing"]),
        (
            "csv",
            None,
            {"thing": "body", "origin": (1.0, 2.0, 3.0), "world": "RDF"},
            ["origin", "thing", "world"],
        ),
        ("parquet", "ros_odom", {"forward": "E"}, []),
        ("parquet", "colmap", {"world": "RDF", "forward": "N"}, []),
        ("parquet", "comma2k19", {"origin": (47.0, 8.0, 400.0), "forward": "N"}, ["forward"]),
    ],
)
def test_an_option_that_makes_no_difference_is_said(
    tmp_path: Path, suffix: str, to: str | None, options: dict[str, Any], idle: list[str]
) -> None:
    report = registry.write(flight(), tmp_path / f"out.{suffix}", to=to, **options)
    said = sorted(n.message.partition("=")[0] for n in report.notices if n.code == "unused-option")
    assert said == idle


@pytest.mark.parametrize("suffix", ["tum", "mcap"])
def test_quantities_that_have_no_field_are_named(tmp_path: Path, suffix: str) -> None:
    log = flight()
    rows = log["vehicle_attitude"].table()
    counter = rows.append_column("reset", pa.array(np.zeros(rows.num_rows, np.uint8)))
    streams = {**log.streams, "vehicle_attitude": log["vehicle_attitude"].replace(rows=counter)}
    report = registry.write(Log(streams), tmp_path / f"out.{suffix}", to="ros")
    (notice,) = [n for n in report.notices if n.code == "no-field"]
    assert "reset" in notice.message
    assert not re.search(r"[(, ]position[,)]", notice.message)
