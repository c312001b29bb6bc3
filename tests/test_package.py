"""The package itself: names that come on first use, and a stub that tells checkers the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import boresight

STUB = Path(boresight.__file__).with_suffix(".pyi")


@pytest.mark.parametrize("name", boresight.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(boresight, name) is not None
    assert name in dir(boresight)


def test_the_stub_has_the_same_names() -> None:
    names: set[str] = set()
    for node in ast.parse(STUB.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or "" for alias in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    assert names == set(boresight.__all__)


def test_every_public_name_has_a_home() -> None:
    assert set(boresight.__all__) == {*boresight._HOMES, "__version__"}


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'boresight' has no attribute 'Quaternion'"):
        _ = boresight.Quaternion  # type: ignore[attr-defined]


def test_importing_the_package_imports_no_numpy() -> None:
    program = (
        "import sys, boresight; boresight.Axes('FLU'); boresight.frames.FLU; print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
