"""The house: who may import whom, how long a file may be, and what may stand in none.

Names nothing but files and syntax, so that it needs no native module and no NumPy.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "boresight"

# The floor of each module or package directly under boresight. A new one has to be given its floor here.
FLOORS = {
    "arguments": 1,
    "errors": 1,
    "axes": 1,
    "frames": 1,
    "_native": 1,
    "kernels": 1,
    "rows": 1,
    "batches": 1,
    "tangents": 1,
    "times": 1,
    "jacobians": 1,
    "parameters": 1,
    "interpolation": 1,
    "spline": 1,
    "averaging": 1,
    "alignment": 1,
    "derivatives": 1,
    "uncertainty": 1,
    "rotation": 2,
    "pose": 2,
    "vectors": 2,
    "attitude": 3,
    "tree": 3,
    "carla": 3,
    "conventions": 4,
    "sampling": 4,
    "logs": 5,
    "simulate": 6,
    "navigation": 6,
    "diagnosis": 6,
    "view": 7,
    "interop": 7,
    "cli": 8,
    "__main__": 8,
}
# Only these may import it: one door to the native code.
DOORS = {"_native": {"kernels"}}
LINES = {"src": 500, "native": 500, "tests": 600, "benchmarks": 500}

FILES = sorted(SOURCE.rglob("*.py"))


def part(path: Path) -> str:
    """Name of the module or package directly under boresight that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and full dotted name of everything of boresight that a file imports, wherever in it."""
    package = ["boresight", *path.relative_to(SOURCE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "boresight":
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "boresight":
                for alias in node.names:
                    yield node.lineno, f"boresight.{alias.name}"
            elif module.startswith("boresight."):
                yield node.lineno, module


def breaches(path: Path) -> list[str]:
    """Say which of a file's imports go up, or in by another door."""
    own = part(path)
    found: list[str] = []
    for line, name in imports(path):
        target = name.split(".")[1] if "." in name else ""
        if target == own:
            continue
        if target not in FLOORS:
            found.append(f"{path.name}:{line}: {name} has no floor")
        elif FLOORS[target] > FLOORS[own]:
            found.append(f"{path.name}:{line}: floor {FLOORS[own]} imports {name} of floor {FLOORS[target]}")
        elif own not in DOORS.get(target, {own}):
            found.append(f"{path.name}:{line}: {name} is for {', '.join(DOORS[target])} alone")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_imports_only_from_floors_below(path: Path) -> None:
    if path == SOURCE / "__init__.py":
        return  # hands on names by their addresses; see its own test
    assert part(path) in FLOORS, f"give {part(path)} a floor"
    assert breaches(path) == []


def test_parts_on_one_floor_do_not_import_each_other_in_a_circle() -> None:
    edges: dict[str, set[str]] = {}
    for path in FILES:
        for _, name in imports(path):
            target = name.split(".")[1] if "." in name else ""
            if target in FLOORS and target != part(path) and path != SOURCE / "__init__.py":
                edges.setdefault(part(path), set()).add(target)
    seen: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"a circle: {' -> '.join([*above, name])}"
        if name not in seen:
            for target in sorted(edges.get(name, ())):
                visit(target, (*above, name))
            seen.add(name)

    for name in sorted(edges):
        visit(name, ())


def test_the_check_of_floors_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = tmp_path / "rotation.py"
    wrong.write_text(
        "def f():\n    from .logs.model import Log\n    import boresight._native\n    import boresight.new\n"
    )
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    assert [re.sub(r"^.*?:(\d+): ", r"\1 ", text) for text in breaches(wrong)] == [
        "2 floor 2 imports boresight.logs.model of floor 5",
        "3 boresight._native is for kernels alone",
        "4 boresight.new has no floor",
    ]


def lines_of_code(path: Path) -> int:
    """Lines of a file, without the docstrings: what a function means to its reader makes no file too long."""
    text = path.read_text("utf-8")
    count = len(text.splitlines())
    if path.suffix not in (".py", ".pyi"):
        return count
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                count -= (first.end_lineno or first.lineno) - first.lineno + 1
    return count


def code_files() -> list[Path]:
    patterns = ("src/**/*.py", "src/**/*.pyi", "native/**/*.?pp", "tests/**/*.py", "benchmarks/**/*.py")
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


@pytest.mark.parametrize("path", code_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_short(path: Path) -> None:
    assert lines_of_code(path) <= LINES[path.relative_to(ROOT).parts[0]]


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.name == "__init__.py" and p.parent != SOURCE], ids=lambda p: p.parent.name
)
def test_an_init_only_hands_names_on(path: Path) -> None:
    for node in ast.parse(path.read_text("utf-8")).body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        names = isinstance(node, ast.Assign) and all(
            isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
        )
        assert docstring or names or isinstance(node, ast.Import | ast.ImportFrom), f"line {node.lineno}"


# Put together here, so that this file does not hold them.
FORBIDDEN = [
    re.compile(pattern)
    for pattern in (
        r"(?<![\w.])/(work|root)" + "/",
        r"(?<![\w.])/home" + r"/\w",
        "py" + "pi\\.org",
        "python" + "hosted",
        "contract" + r"\.md",
    )
]


BINARY = {".ulg", ".bag", ".mcap", ".hdf5", ".npz", ".db3", ".parquet", ".png"}


def tracked() -> list[Path]:
    """Every file of the repository, by git where this is a checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        if path.suffix not in BINARY
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        for pattern in FORBIDDEN
        if pattern.search(line.lower())
    ]
    assert found == []


def test_no_recording_is_in_the_repository() -> None:
    logs = [path for path in tracked() if path.suffix in BINARY - {".png"}]
    assert [str(path.relative_to(ROOT)) for path in logs if path.parent != ROOT / "examples"] == []
    assert [path.name for path in logs if path.stat().st_size >= 1_000_000] == []
