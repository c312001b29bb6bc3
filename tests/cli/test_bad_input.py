"""Bad input and bad outputs: exit code 1, one line with file, place and reason, and nothing left behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

OUTPUTS = ("out.mcap", "out.tum", "out.parquet", "out.csv")


def expect_one_line(result, *parts: str) -> None:
    """Check that a run failed because of its data and said so in one line that holds these parts, in order."""
    assert (result.code, result.out) == (1, ""), result
    assert result.err.startswith("boresight: ")
    assert result.err.count("\n") == 1, result.err
    assert re.search(".*".join(map(re.escape, parts)), result.err), result.err


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_topic(path: Path, name: str, definition: str, rows: int = 50) -> None:
    """Write a ULog of one topic, its numbers all zero but for the time."""
    data = np.zeros(rows, dtype=row_dtype(definition))
    data["timestamp"] = 1_000_000 + 10_000 * np.arange(rows)
    with path.open("wb") as file:
        write_ulog(file, [Topic(name, definition, data)])


def empty(folder: Path, example: Path) -> Path:
    path = folder / "empty.ulg"
    path.touch()
    return path


def header_cut_short(folder: Path, example: Path) -> Path:
    path = folder / "short.ulg"
    path.write_bytes(example.read_bytes()[:9])
    return path


def directory(folder: Path, example: Path) -> Path:
    path = folder / "log.ulg"
    path.mkdir()
    return path


def text(folder: Path, example: Path) -> Path:
    path = folder / "notes.ulg"
    path.write_text("These are notes on a flight, and no log of one.\n" * 20)
    return path


def missing(folder: Path, example: Path) -> Path:
    return folder / "nowhere.ulg"


def no_attitude(folder: Path, example: Path) -> Path:
    path = folder / "radio.ulg"
    write_topic(path, "sensor_baro", "uint64_t timestamp;float pressure;float temperature;")
    return path


def no_topic(folder: Path, example: Path) -> Path:
    path = folder / "load.ulg"
    write_topic(path, "cpuload", "uint64_t timestamp;float load;float ram_usage;")
    return path


BAD: list[tuple[Callable[[Path, Path], Path], tuple[str, ...]]] = [
    (empty, ("empty.ulg", "byte 0", "empty")),
    (header_cut_short, ("short.ulg", "byte 9", "header")),
    (directory, ("log.ulg", "directory")),
    (text, ("notes.ulg", "byte 0", "ULog")),
    (missing, ("nowhere.ulg", "no such file")),
    (no_attitude, ("radio.ulg", "no attitude")),
    (no_topic, ("load.ulg",)),
]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("make", "parts"), BAD, ids=lambda value: getattr(value, "__name__", ""))
def test_bad_input(
    boresight, tmp_path: Path, example_log: Path, make, parts: tuple[str, ...], output: str
) -> None:
    file = make(tmp_path, example_log)
    before = listed(tmp_path)
    result = boresight("convert", file, "-o", tmp_path / output, "--to", "ros")
    expect_one_line(result, *parts)
    assert listed(tmp_path) == before


@pytest.mark.parametrize(
    ("make", "parts"),
    [bad for bad in BAD if bad[0] is not no_attitude],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_inspect_of_bad_input(
    boresight, tmp_path: Path, example_log: Path, make, parts: tuple[str, ...]
) -> None:
    for arguments in ([], ["--json"]):
        folder = tmp_path / str(len(arguments))
        folder.mkdir()
        expect_one_line(boresight("inspect", make(folder, example_log), *arguments), *parts)


def test_a_log_without_orientation_is_still_inspected(boresight, tmp_path: Path, example_log: Path) -> None:
    result = boresight("inspect", no_attitude(tmp_path, example_log))
    assert result.code == 0
    assert "baro" in result.out


# -- outputs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_output_that_exists_is_kept(boresight, tmp_path: Path, example_log: Path, output: str) -> None:
    target = tmp_path / output
    target.write_text("dear to somebody")
    result = boresight("convert", example_log, "-o", target)
    expect_one_line(result, output, "exists", "--overwrite")
    assert target.read_text() == "dear to somebody"
    assert listed(tmp_path) == [output]
    result = boresight("convert", example_log, "-o", target, "--overwrite")
    assert result.code == 0, result.err
    assert target.stat().st_size > 1000
    assert listed(tmp_path) == [output]


def test_an_output_that_exists_is_refused_before_the_input_is_read(
    boresight, tmp_path: Path, example_log: Path
) -> None:
    target = tmp_path / "out.mcap"
    target.touch()
    expect_one_line(boresight("convert", text(tmp_path, example_log), "-o", target), "out.mcap", "exists")


def test_an_input_that_is_none_is_said_before_an_output_that_exists(boresight, tmp_path: Path) -> None:
    target = tmp_path / "out.mcap"
    target.touch()
    expect_one_line(boresight("convert", tmp_path / "missing.md", "-o", target), "missing.md", "no such file")


def test_messages_name_the_options_that_the_command_has(boresight, tmp_path: Path) -> None:
    (tmp_path / "poses.kitti").write_text("1 0 0 0 0 1 0 0 0 0 1 0\n")
    result = boresight("convert", tmp_path / "poses.kitti", "-o", tmp_path / "out.tum")
    expect_one_line(result, "--option times=FILE")
    assert "--times" not in result.err
    (tmp_path / "table.csv").write_text("stamp_of_it,qw,qx,qy,qz\n1,1,0,0,0\n2,1,0,0,0\n")
    result = boresight("convert", tmp_path / "table.csv", "-o", tmp_path / "out.parquet")
    expect_one_line(result, "--from NAME", "`boresight conventions`")
    result = boresight("convert", tmp_path / "table.csv", "-o", tmp_path / "out.parquet", "--from", "px4")
    expect_one_line(result, "--option columns.time=")


def test_a_failed_overwrite_keeps_the_old_output(boresight, tmp_path: Path, example_log: Path) -> None:
    target = tmp_path / "out.mcap"
    target.write_text("dear to somebody")
    expect_one_line(
        boresight("convert", text(tmp_path, example_log), "-o", target, "--overwrite"), "notes.ulg"
    )
    assert target.read_text() == "dear to somebody"


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_output_in_no_directory(boresight, tmp_path: Path, example_log: Path, output: str) -> None:
    expect_one_line(boresight("convert", example_log, "-o", tmp_path / "no" / output), output, "directory")
    assert listed(tmp_path) == []


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_output_under_a_file(boresight, tmp_path: Path, example_log: Path, output: str) -> None:
    (tmp_path / "file").write_text("x")
    expect_one_line(boresight("convert", example_log, "-o", tmp_path / "file" / output), output, "directory")
    assert listed(tmp_path) == ["file"]


def test_an_output_that_is_a_directory(boresight, tmp_path: Path, example_log: Path) -> None:
    target = tmp_path / "out.mcap"
    target.mkdir()
    expect_one_line(boresight("convert", example_log, "-o", target, "--overwrite"), "out.mcap", "directory")
    assert listed(target) == []


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_output_on_a_read_only_file_system(
    boresight, read_only: Path, example_log: Path, output: str
) -> None:
    expect_one_line(boresight("convert", example_log, "-o", read_only / output), output, "read-only")
    assert listed(read_only) == []


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_disk_that_fills(boresight, full_disk: Path, example_log: Path, output: str) -> None:
    expect_one_line(boresight("convert", example_log, "-o", full_disk / output), output, "full")
    assert listed(full_disk) == []


# -- a log cut short --------------------------------------------------------------------------------------------


@pytest.fixture
def cut_log(tmp_path: Path, example_log: Path) -> Path:
    """The example without its last third, cut inside a message."""
    folder = tmp_path / "in"
    folder.mkdir()
    whole = example_log.read_bytes()
    path = folder / "cut.ulg"
    path.write_bytes(whole[: len(whole) * 2 // 3 + 1])
    return path


def test_a_log_cut_short_is_converted_with_a_warning(boresight, tmp_path: Path, cut_log: Path) -> None:
    target = tmp_path / "out.mcap"
    result = boresight("convert", cut_log, "-o", target)
    assert result.code == 0, result.err
    assert re.search(r"^warning: .*cut\.ulg: .*byte \d+", result.err, re.MULTILINE), result.err
    assert target.stat().st_size > 1000


def test_a_log_cut_short_is_an_error_where_strict(boresight, tmp_path: Path, cut_log: Path) -> None:
    result = boresight("convert", cut_log, "-o", tmp_path / "out.mcap", "--strict")
    expect_one_line(result, "cut.ulg", "byte ")
    assert listed(tmp_path) == ["in"]
    expect_one_line(boresight("inspect", cut_log, "--strict"), "cut.ulg", "byte ")
