"""Tables, JSON, the progress bar, and the counting that drives it."""

from __future__ import annotations

import io
import json
import sys

import pyarrow as pa
import pytest

from boresight import conventions
from boresight.cli import progress as progress_module
from boresight.cli.counting import counted
from boresight.cli.failures import one_line
from boresight.cli.progress import Progress
from boresight.cli.terminal import print_json, table
from boresight.errors import DataError
from boresight.logs.model import Log, Stream


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_json_has_null_for_numbers_that_json_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"rate": float("nan"), "gaps": [float("inf"), 1.5], "name": "é"})
    assert json.loads(capsys.readouterr().out) == {"rate": None, "gaps": [None, 1.5], "name": "é"}


def test_a_table_without_rows_is_its_head() -> None:
    assert table(["stream", "rows"], []) == ["stream  rows"]


def test_an_error_is_one_line_whatever_it_holds() -> None:
    assert one_line(DataError("two\nlines", path="a.ulg", place="byte 3")) == "a.ulg: byte 3: two lines"
    assert one_line(PermissionError(13, "Permission denied", "a.ulg")) == "a.ulg: permission denied"
    assert one_line(ValueError()) == "ValueError"


def test_no_bar_for_what_takes_less_than_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("reading") as progress:
        progress.stage("writing", total=2)
        progress.advance(2)
    assert terminal.getvalue() == ""


def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "_DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("reading") as progress:
        assert progress._timer is None
    assert sys.stderr.getvalue() == ""


def test_a_bar_for_what_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_module, "_DELAY", 0.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("reading flight.ulg") as progress:
        assert progress._timer is not None
        progress._timer.join()
        progress.stage("writing flight.mcap", total=200)
        progress.advance(50)
        progress.advance(50)
        assert progress._bar is not None
        progress._bar.refresh()
    shown = terminal.getvalue()
    assert "reading flight.ulg" in shown
    assert "writing flight.mcap" in shown
    assert "100/200" in shown


def test_rows_are_counted_once_however_often_they_are_read() -> None:
    rows = pa.table(
        {"time": pa.array(range(10), pa.int64()), "wx": [0.0] * 10, "wy": [0.0] * 10, "wz": [0.0] * 10}
    )
    log = Log({"imu": Stream("imu", "imu", conventions.get("px4"), "body", rows)})
    seen: list[int] = []
    following = counted(log, seen.append)
    for _ in range(2):
        batches = list(following["imu"].batches(4))
        assert pa.Table.from_batches(batches).equals(rows)
    assert seen == [4, 4, 2]
    assert following["imu"].num_rows == 10
    assert following["imu"].time.tolist() == list(range(10))
