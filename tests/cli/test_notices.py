"""Warnings: a line a fact, the path once, the worst first, and no more of them than a person reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from boresight.cli.notices import lines_of, warn_of
from boresight.logs.model import Notice


def test_a_fact_of_several_streams_is_one_line() -> None:
    notices = [
        Notice("flagged-invalid", "21 of 21 rows are flagged as not valid (xy_valid is false)", "local", 21),
        Notice("flagged-invalid", "21 of 21 rows are flagged as not valid (vxy_valid is false)", "local", 21),
        Notice(
            "flagged-invalid-position", "the log itself flags 20 of 20 positions as not valid", "attitude", 20
        ),
        Notice("no-fix", "8 of 11 rows have no position fix", "gps", 8),
        Notice("no-fix", "146 of 190 rows have no position fix", "gps/1", 146),
    ]
    assert lines_of(notices) == [
        "gps/1: 146 of 190 rows have no position fix; likewise gps (8)",
        "attitude: the log itself flags 20 of 20 positions as not valid; likewise local (21)",
    ]


def test_damage_comes_first_then_what_was_asked_for_and_what_is_not_read_last() -> None:
    notices = [
        Notice("not-read", "the file holds more", None, 900),
        Notice("reset", "2 rows come after a reset", "a", 2),
        Notice("overruled", "taken for another", None, 1),
        Notice("no-fix", "5 rows have no fix", "b", 5),
        Notice("truncated", "the log ends", None, 1),
    ]
    assert [line.split(":")[0][:8] for line in lines_of(notices)] == [
        "the log ",
        "taken fo",
        "b",
        "a",
        "the file",
    ]


def test_the_path_stands_once_and_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    warn_of(
        Path("flight.ulg"), [Notice(f"code-{i}", f"fact {i}", "a", 50 - i) for i in range(20)], ["one more"]
    )
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 9 and lines[0] == "warning: flight.ulg: a: fact 0"
    assert sum("flight.ulg" in line for line in lines) == 1
    assert lines[-1] == "warning: and 13 more (--json has them all)"


def test_a_long_line_is_cut() -> None:
    (line,) = lines_of([Notice("not-read", "the file holds more: " + "a_topic, " * 200, None, 3)])
    assert len(line) < 450 and line.endswith("(--json has it all)")
