"""Wrong programs are refused by pyright, and fail when they run; their corrected twins pass both."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent / "typing"
WRONG, RIGHT = HERE / "wrong_programs.py", HERE / "right_programs.py"
CHECKER_ONLY = "(checker only)"


def load(path: Path) -> ModuleType:
    """Import a file of programs by its path: its folder is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def marks(path: Path, mark: str) -> dict[int, str]:
    """Line number and rule of each marked line."""
    lines = path.read_text("utf-8").splitlines()
    found = ((number, re.search(rf"# {mark}: (.+)$", line)) for number, line in enumerate(lines, 1))
    return {number: match[1] for number, match in found if match}


def programs(path: Path, mark: str) -> dict[str, tuple[str, Callable[[], None]]]:
    """Each program by its name, with its rule."""
    module, rules = load(path), marks(path, mark)
    found: dict[str, tuple[str, Callable[[], None]]] = {}
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == module.__name__:
            lines, start = inspect.getsourcelines(function)
            (rule,) = [rules[line] for line in range(start, start + len(lines)) if line in rules]
            found[name] = (rule, function)
    return found


WRONG_PROGRAMS = programs(WRONG, "wrong")
RIGHT_PROGRAMS = programs(RIGHT, "right")


@pytest.fixture(scope="module")
def errors() -> dict[Path, list[int]]:
    """Lines on which pyright reports an error, for each of the two files."""
    beside = Path(sys.executable).parent / "pyright"
    pyright = str(beside) if beside.exists() else shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    run = subprocess.run(
        [pyright, "--pythonpath", sys.executable, "--outputjson", str(WRONG), str(RIGHT)],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE,
    )
    report: dict[str, Any] = json.loads(run.stdout)
    assert report["summary"]["filesAnalyzed"] == 2
    lines: dict[Path, list[int]] = {WRONG: [], RIGHT: []}
    for problem in report["generalDiagnostics"]:
        if problem["severity"] == "error":
            lines[Path(problem["file"])].append(problem["range"]["start"]["line"] + 1)
    return lines


def test_pyright_refuses_every_wrong_line_and_no_other(errors: dict[Path, list[int]]) -> None:
    assert sorted(set(errors[WRONG])) == sorted(marks(WRONG, "wrong"))


def test_pyright_has_nothing_against_the_right_programs(errors: dict[Path, list[int]]) -> None:
    assert errors[RIGHT] == []


def test_every_rule_has_a_wrong_and_a_right_program() -> None:
    wrong, right = marks(WRONG, "wrong"), marks(RIGHT, "right")
    assert list(wrong.values()) == list(right.values())
    assert len(set(wrong.values())) == len(wrong) == len(WRONG_PROGRAMS)


@pytest.mark.parametrize("name", WRONG_PROGRAMS)
def test_a_wrong_program_fails_when_it_runs(name: str) -> None:
    rule, program = WRONG_PROGRAMS[name]
    if rule.endswith(CHECKER_ONLY):
        program()
    else:
        # An attribute that is not there, an argument missing, or frames that clash; a row policy is a value.
        with pytest.raises((TypeError, AttributeError, ValueError)):
            program()


@pytest.mark.parametrize("name", RIGHT_PROGRAMS)
def test_a_right_program_runs(name: str) -> None:
    RIGHT_PROGRAMS[name][1]()
