"""The package itself: names that come on first use, and a stub that tells checkers the same."""

from __future__ import annotations

import ast
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize("public", [boresight.Rotation, boresight.Pose])
def test_methods_have_the_name_of_their_class_in_errors(public: type) -> None:
    """Python says a function's own name in a TypeError, and which file a method stands in is nobody's business."""
    for name in dir(public):
        member = inspect.getattr_static(public, name)
        function = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        owner = function.__qualname__.partition(".")[0]
        assert owner in (public.__name__, "Batch", "Framed")
        assert pickle.loads(pickle.dumps(function)) is function


def test_an_error_of_usage_names_the_public_class() -> None:
    R: Any = boresight.Rotation.identity()
    with pytest.raises(TypeError, match=r"^Rotation\.reframe\(\) got an unexpected"):
        R.reframe(forward="E")
    with pytest.raises(
        TypeError, match=r"^Rotation\.as_quat\(\) missing 1 required keyword-only argument: 'order'"
    ):
        R.as_quat()
