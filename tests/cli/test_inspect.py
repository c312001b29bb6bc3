"""`boresight inspect`: what it says of a log."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import boresight as bs
from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

ATTITUDE = "uint64_t timestamp;float[4] q;"


def write_log(path: Path) -> None:
    """A log at 100 Hz with two invalid rows and one gap of half a second."""
    rows = np.zeros(200, row_dtype(ATTITUDE))
    rows["timestamp"] = 5_000_000 + 10_000 * np.arange(200)
    rows["timestamp"][120:] += 490_000
    rows["q"][:, 0] = 1.0
    rows["q"][7] = 0.0
    rows["q"][9] = np.nan
    with path.open("wb") as file:
        write_ulog(file, [Topic("vehicle_attitude", ATTITUDE, rows)])


def test_json(boresight, tmp_path: Path) -> None:
    write_log(tmp_path / "in.ulg")
    result = boresight("inspect", "in.ulg", "--json", cwd=tmp_path)
    assert result.code == 0, result.err
    shown = json.loads(result.out)
    assert (shown["path"], shown["format"]) == ("in.ulg", "ulog")
    [stream] = shown["streams"]
    assert (stream["name"], stream["kind"], stream["convention"]) == (
        "vehicle_attitude",
        "orientation",
        "px4",
    )
    assert (stream["axes"], stream["world"], stream["order"]) == ("FRD", "NED", "wxyz")
    assert (stream["rows"], stream["rate_hz"]) == (200, 100.0)
    assert (stream["invalid_rows"], stream["first_invalid_row"]) == (2, 7)
    assert [(gap["row"], gap["seconds"]) for gap in stream["gaps"]] == [(119, 0.5)]
    assert stream["start_ns"] == 5_000_000_000
    assert abs(stream["duration_s"] - 2.48) < 1e-12
    assert shown["start_ns"] == stream["start_ns"]
    assert any(notice["code"] == "invalid-orientation" for notice in shown["notices"])


def test_text(boresight, tmp_path: Path) -> None:
    write_log(tmp_path / "in.ulg")
    result = boresight("inspect", "in.ulg", cwd=tmp_path)
    assert result.code == 0, result.err
    [line] = [line for line in result.out.splitlines() if line.startswith("vehicle_attitude ")]
    assert "100 Hz" in line
    assert "FRD in NED" in line
    assert "gap of 500 ms after row 119, 1.190 s from the start" in result.out
    assert "2 of 200 rows" in result.err
    # Each fault is said once.
    assert (result.out + result.err).count("row 7") == 1


def test_the_example(boresight, example_log: Path) -> None:
    shown = json.loads(boresight("inspect", example_log, "--json").out)
    log = bs.read(example_log)
    assert [stream["name"] for stream in shown["streams"]] == list(log.streams)
    assert [stream["rows"] for stream in shown["streams"]] == [
        stream.num_rows for stream in log.streams.values()
    ]
    assert {"orientation", "imu", "gnss"} <= {stream["kind"] for stream in shown["streams"]}
