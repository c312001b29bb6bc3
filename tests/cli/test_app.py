"""The command as a whole: help, version, start-up, signals, colour, exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command

from boresight.cli.app import app

COMMANDS = ("convert", "inspect", "conventions", "simulate")


def test_help_names_every_command(boresight_process) -> None:
    result = boresight_process("--help")
    assert result.code == 0
    assert result.err == ""
    assert all(f"\n  {name} " in result.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(boresight, name: str) -> None:
    result = boresight(name, "--help")
    assert result.code == 0
    assert result.out.startswith(f"Usage: boresight {name}")


def test_version(boresight_process) -> None:
    result = boresight_process("--version")
    assert (result.code, result.out) == (0, f"boresight {version('boresight')}\n")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["convert", "--help"], ["--version"], ["convert"], ["no-such"]]
)
def test_help_imports_neither_numpy_nor_arrow_nor_rich(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "boresight", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    roots = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line
    }
    assert "typer" in roots
    assert roots.isdisjoint({"numpy", "pyarrow", "rich", "pyulog", "mcap"})


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["no-such"], "no-such"),
        (["convert"], "IN"),
        (["convert", "in.ulg"], "--output"),
        (["convert", "in.ulg", "-o", "out.mcap", "--to", "ross"], "--to"),
        (["convert", "in.ulg", "-o", "out.mcap", "--from", "p4x"], "--from"),
        (["convert", "in.ulg", "-o", "out.mcap", "--world", "XYZ"], "--world"),
        (["convert", "in.ulg", "-o", "out.mcap", "--forward", "up"], "--forward"),
        (["convert", "in.ulg", "-o", "out.mcap", "--format", "mpac"], "--format"),
        (["convert", "in.ulg", "-o", "out.xyz"], ".xyz"),
        (["convert", "in.ulg", "-o", "out.mcap", "--in-format", "logu"], "--in-format"),
        (["convert", "in.ulg", "-o", "out.mcap", "--format", "mpac"], "mcap?"),
        (["convert", "in.ulg", "-o", "out.mcap", "--to", "scipy"], "library"),
        (["convert", "in.ulg", "-o", "out.txt"], "--format"),
        (["simulate", "flight", "-o", "out.xyz"], "tum (.tum)"),
        (["inspect"], "FILE"),
        (["inspect", "in.ulg", "--from", "p4x"], "--from"),
        (["conventions", "rso"], "rso"),
    ],
)
def test_wrong_use_ends_with_2_and_names_what_is_wrong(boresight, arguments: list[str], named: str) -> None:
    result = boresight(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert named in result.err
    assert "Traceback" not in result.err


READING = {
    "convert": ["in.ulg", "-o", "out.mcap"],
    "inspect": ["in.ulg"],
    "diagnose": ["in.ulg"],
    "estimate": ["in.ulg"],
}


def test_how_a_file_is_read_is_said_in_the_same_words_to_every_command(boresight) -> None:
    options = [
        {p.name: p for p in get_command(app).commands[name].params}  # type: ignore[attr-defined]
        for name in READING
    ]
    for option in ("in_format", "option"):
        assert len({(tuple(own[option].opts), own[option].metavar, own[option].help) for own in options}) == 1
    for name, arguments in READING.items():
        result = boresight(name, *arguments, "--in-format", "logu")
        assert result.code == 2, name
        assert "Invalid value for --in-format: there is no format 'logu'; did you mean ulog?" in result.err
        # One that is only written is none to read.
        assert boresight(name, *arguments, "--in-format", "ulg").code == 2


def test_an_error_inside_asks_to_be_reported_and_shows_a_traceback_only_with_debug(tmp_path: Path) -> None:
    program = (
        "import sys; sys.argv = ['boresight', 'inspect', sys.argv[1], *sys.argv[2:]]\n"
        "import boresight.logs.registry as r\n"
        "def broken(*a, **k): raise KeyError('odd')\n"
        "r.detect = broken\n"
        "from boresight.cli import main; main()\n"
    )
    file = tmp_path / "in.ulg"
    plain = subprocess.run([sys.executable, "-c", program, file], capture_output=True, text=True, check=False)
    assert plain.returncode == 70
    assert plain.stderr.startswith("boresight: internal error: KeyError: 'odd'")
    assert "report" in plain.stderr
    assert plain.stderr.count("\n") == 1
    debug = subprocess.run(
        [sys.executable, "-c", program, file, "--debug"], capture_output=True, text=True, check=False
    )
    assert debug.returncode == 70
    assert "Traceback" in debug.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes the output")
@pytest.mark.parametrize("arguments", ["conventions", "conventions ros --json", "--help"])
def test_an_output_that_is_closed_is_no_fault_of_ours(arguments: str) -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m boresight {arguments} >&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_reader_that_goes_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "boresight", "conventions"],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(write)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_leaves_nothing_behind(tmp_path: Path, number: int, code: int) -> None:
    # A writer that waits with its output half written, until the signal comes.
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "import boresight.logs.registry as r\n"
        "from boresight.logs.output import new_files\n"
        "def detect(*a, **k):\n"
        "    with new_files(Path('out.mcap'), overwrite=False) as path:\n"
        "        path.write_bytes(b'half'); print('ready', flush=True); time.sleep(60)\n"
        "r.detect = detect\n"
        "sys.argv = ['boresight', 'convert', 'in.ulg', '-o', 'out.mcap']\n"
        "from boresight.cli import main; main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert err == ("boresight: stopped\n" if number == signal.SIGINT else "")
    assert list(tmp_path.iterdir()) == []


def _on_a_terminal(arguments: list[str], **environment: str) -> str:
    """Run the command with its output on a pseudo-terminal and return what it showed."""
    main, terminal = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "boresight", *arguments],
        stdout=terminal,
        stderr=terminal,
        env={**env, "TERM": "xterm", **environment},
    )
    os.close(terminal)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            part = os.read(main, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(main)
    assert process.wait(timeout=60) == 0
    return shown.decode()


def test_colour_on_a_terminal_only_and_not_where_it_is_unwanted(boresight_process) -> None:
    assert "\x1b[" in _on_a_terminal(["conventions", "ros"])
    assert "\x1b[" not in _on_a_terminal(["conventions", "ros"], NO_COLOR="1")
    assert "\x1b[" not in _on_a_terminal(["conventions", "ros"], TERM="dumb")
    assert "\x1b[" not in boresight_process("conventions", "ros").out


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_names_that_are_no_text_and_terminals_that_lack_letters(boresight_process, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    with open(os.path.join(folder, b"in\xff.tum"), "w", encoding="ascii") as file:
        file.write("1.0 0 0 0 0 0 0 1\n2.0 0 0 0 0 0 0 1\n")
    name = os.fsdecode(b"in\xff.tum")
    plain = boresight_process("inspect", name, cwd=tmp_path)
    assert plain.code == 0, plain.err
    assert "in\\udcff.tum" in plain.out
    shown = boresight_process("inspect", name, "--json", cwd=tmp_path)
    assert json.loads(shown.out)["path"] == name
    assert boresight_process("conventions", "xsens_mti", PYTHONIOENCODING="ascii").code == 0
