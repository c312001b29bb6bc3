"""Run the command, in this process or as a user does in one of its own, and mount disks that fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flown import Flight, flown


@dataclass(frozen=True)
class Result:
    """What a run of the command left: its exit code and what it said."""

    code: int
    out: str
    err: str


Boresight = Callable[..., Result]


@pytest.fixture
def boresight(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Boresight:
    """Run `boresight` with arguments in this process, which saves a start of Python each time; `cwd` by keyword."""
    from boresight.cli.app import start

    def run(*arguments: str | Path, cwd: Path | None = None) -> Result:
        with monkeypatch.context() as patch:
            if cwd is not None:
                patch.chdir(cwd)
            capfd.readouterr()
            code = start([str(argument) for argument in arguments])
        return Result(code, *capfd.readouterr())

    return run


@pytest.fixture(scope="session")
def boresight_process() -> Boresight:
    """Run `boresight` with arguments in a process of its own; `cwd` and environment variables by keyword."""

    def run(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "boresight", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=cwd,
            env={**os.environ, **environment},
            check=False,
            timeout=300,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A directory on a file system of 64 kB."""
    yield from _mounted(tmp_path / "full", "size=64k")


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A directory that not even root may write to."""
    yield from _mounted(tmp_path / "read-only", "size=64k,ro")


def _mounted(path: Path, options: str) -> Iterator[Path]:
    path.mkdir()
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        pytest.skip(f"no mount command here: {error}")
    if done.returncode:
        pytest.skip(f"mounting a file system is not allowed here: {done.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=False)


@pytest.fixture(scope="session")
def flight(example_log: Path) -> Flight:
    """The flight of the example log as arrays."""
    return flown(example_log)
