"""Damaged files of every format: converted with a warning or refused in one line, and never an error inside."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

pytestmark = pytest.mark.fuzz

ATTITUDE = "uint64_t timestamp;float[4] q;"
POSITION = "uint64_t timestamp;float x;float y;float z;float vx;float vy;float vz;"
FORMATS = ("ulg", "mcap", "parquet", "tum", "euroc.csv", "kitti", "csv")


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small log in each format; no bytes, which would fill the report of a failure."""
    from boresight.cli.app import start

    folder = tmp_path_factory.mktemp("intact")
    attitude = np.zeros(60, row_dtype(ATTITUDE))
    attitude["timestamp"] = 1_000_000 + 10_000 * np.arange(60)
    attitude["q"] = np.random.default_rng(3).normal(size=(60, 4))
    position = np.zeros(62, row_dtype(POSITION))
    position["timestamp"] = 995_000 + 10_000 * np.arange(62)
    position["x"] = np.arange(62)
    with (folder / "in.ulg").open("wb") as file:
        write_ulog(
            file,
            [
                Topic("vehicle_attitude", ATTITUDE, attitude),
                Topic("vehicle_local_position", POSITION, position),
            ],
        )
    for suffix in FORMATS[1:]:
        path = folder / f"out.{suffix}"
        chosen = ["--format", "euroc"] if suffix.startswith("euroc") else []
        assert start(["convert", str(folder / "in.ulg"), "-o", str(path), *chosen]) == 0
    (folder / "in.ulg").rename(folder / "out.ulg")
    return folder


def damaged(data: bytes, seed: int) -> bytes:
    """Cut, flip, repeat or overwrite a few bytes."""
    rng = random.Random(seed)
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if not out:
            break
        at = rng.randrange(len(out))
        what = rng.randrange(6)
        if what == 0:
            del out[at:]
        elif what == 1:
            out[at] ^= 1 << rng.randrange(8)
        elif what == 2:
            out[at : at + rng.randrange(1, 64)] = b""
        elif what == 3:
            out[at:at] = rng.randbytes(rng.randrange(1, 16))
        elif what == 4:
            out[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"nan ", b"\x7f\xf0"))
        else:
            out[at:at] = out[: rng.randrange(1, 200)]
    return bytes(out)


@pytest.mark.parametrize("suffix", FORMATS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(
    max_examples=settings.default.max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_damaged_file_is_read_or_refused(
    boresight, intact: Path, tmp_path: Path, suffix: str, seed: int
) -> None:
    file, output = tmp_path / f"in.{suffix}", tmp_path / "out.parquet"
    file.write_bytes(damaged((intact / f"out.{suffix}").read_bytes(), seed))
    if suffix == "kitti":
        (tmp_path / "in_times.txt").write_text("".join(f"{k}.0\n" for k in range(60)))
    chosen = ["--in-format", "euroc"] if suffix.startswith("euroc") else []
    given_from = ["--from", "px4"] if suffix == "csv" else []
    result = boresight("convert", file, "-o", output, "--overwrite", *chosen, *given_from)
    assert result.code in (0, 1), result.err
    if result.code == 1:
        assert result.err.count("\n") == 1, result.err
        assert result.err.startswith(f"boresight: {file}"), result.err
    assert sorted(path.name for path in tmp_path.iterdir() if "part" in path.name) == []
    output.unlink(missing_ok=True)
