"""Rows that damage costs a ULog are told, whatever it is that was damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ulog_bytes import ATTITUDE, LOCAL, UlogBytes, small

from boresight.errors import DataError
from boresight.logs import Log, read


def saved(directory: Path, log: UlogBytes | bytes) -> Path:
    path = directory / "flight.ulg"
    path.write_bytes(log if isinstance(log, bytes) else bytes(log.data))
    return path


def codes(log: Log) -> dict[str, int]:
    return {notice.code: notice.count for notice in log.notices}


def said(log: Log, code: str) -> str:
    (message,) = [notice.message for notice in log.notices if notice.code == code]
    return message


def spoilt(log: UlogBytes, old: bytes, new: bytes) -> bytes:
    """The log's bytes with one thing in them changed, all else where it was."""
    assert len(old) == len(new)
    assert bytes(log.data).count(old) == 1
    return bytes(log.data).replace(old, new)


def losses(log: Log) -> list[tuple[str | None, int]]:
    return [(notice.stream, notice.count) for notice in log.notices if notice.code == "damaged"]


def test_a_definition_whose_timestamp_is_destroyed_costs_its_topic_alone_and_is_told(tmp_path: Path) -> None:
    data = spoilt(small(), b"vehicle_attitude:uint64_t timestamp", b"vehicle_attitude:uint64_t time#tamp")
    with pytest.raises(DataError, match=r"no attitude.*200 rows of vehicle_attitude are lost"):
        read(saved(tmp_path, data))
    log = read(saved(tmp_path, data), attitude_required=False)
    assert losses(log) == [("vehicle_attitude", 200)]
    assert "names no timestamp" in said(log, "damaged")
    assert log["vehicle_local_position"].num_rows == 20
    with pytest.raises(DataError, match="names no timestamp"):
        read(saved(tmp_path, data), attitude_required=False, strict=True)


def test_a_timestamp_of_another_type_is_no_time(tmp_path: Path) -> None:
    log = UlogBytes()
    log.topic("vehicle_attitude", ATTITUDE)
    log.topic("vehicle_local_position", LOCAL.replace("uint64_t timestamp", "double timestamp"))
    log.subscribe("vehicle_attitude")
    log.subscribe("vehicle_local_position")
    for index in range(5):
        log.row("vehicle_local_position", 1.0 + index, 0, 0, 0, 0, 0, 0, True, True)
        log.row("vehicle_attitude", 1000 * index, 1, 0, 0, 0)
    back = read(saved(tmp_path, log))
    assert back["vehicle_attitude"].num_rows == 5
    assert losses(back) == [("vehicle_local_position", 5)]


def test_a_message_too_short_for_what_it_holds_ends_the_log_and_is_told(tmp_path: Path) -> None:
    log = small(20)
    log.put("D", b"\0")  # too short for the number of its topic
    end = len(log.data)
    for index in range(20, 30):
        log.row("vehicle_attitude", 1_000_000 + 4000 * index, 1, 0, 0, 0)
    back = read(saved(tmp_path, log))
    assert back["vehicle_attitude"].num_rows == 20
    assert f"before byte {end} is too short" in said(back, "damaged")


def test_rows_of_a_topic_whose_number_is_given_away_are_counted(tmp_path: Path) -> None:
    log = small(20)
    log.put("A", b"\0\0\0vehicle_local_position")
    back = read(saved(tmp_path, log), attitude_required=False)
    assert losses(back) == [("vehicle_attitude", 20)]
    assert back["vehicle_local_position"].num_rows == 2


@pytest.mark.parametrize("kind", [b"O", b"S", b"L", b"C"])
def test_a_row_that_became_something_else_is_missed(tmp_path: Path, kind: bytes) -> None:
    log = small(20)
    log.data[log.starts[-1] + 2 : log.starts[-1] + 3] = kind
    back = read(saved(tmp_path, log))
    assert back["vehicle_attitude"].num_rows == 19
    assert codes(back)["unknown-message"] == 1


def test_a_topic_that_nothing_was_logged_of_is_no_loss(tmp_path: Path) -> None:
    log = UlogBytes()
    log.topic("vehicle_attitude", ATTITUDE)
    log.topic("vehicle_local_position", LOCAL)
    log.subscribe("vehicle_attitude")
    log.subscribe("vehicle_local_position")
    log.row("vehicle_attitude", 2_000_000, 1, 0, 0, 0)
    assert losses(read(saved(tmp_path, log))) == []


def test_no_row_is_lost_unseen(tmp_path: Path) -> None:
    original = bytes(small(40).data)
    whole = sum(stream.num_rows for stream in read(saved(tmp_path, original)).streams.values())
    for seed in (16, 214, 233, 629, 825, 931, 995, 1521, 1558, *range(60)):
        rng = np.random.default_rng(seed)
        data = bytearray(original)
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(16, len(data)))
            data[at : at + 4] = rng.integers(0, 256, 4, dtype=np.uint8).tobytes()
        try:
            log = read(saved(tmp_path, bytes(data)))
        except DataError:
            continue
        rows = sum(stream.num_rows for stream in log.streams.values())
        told = {"damaged", "truncated", "unknown-message", "invalid-time"} & codes(log).keys()
        assert rows == whole or told, seed
