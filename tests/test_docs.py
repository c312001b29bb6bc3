"""The documents: links lead somewhere, and what is said twice is said alike."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md"]
    assert [name for name in pages if f"({name})" not in index] == []


def test_the_readme_begins_with_the_two_commands_that_ci_runs() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert text[: block.end()].count("\n") < 25, "not on the first screen"
    lines = block[1].splitlines()
    for number, line in enumerate(lines, 1):
        done = subprocess.run(
            ["bash", "-c", f"source .ci/lib.sh && readme_line {number}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f"{line}\n"
    assert len(lines) == 2
    assert "boresight convert examples/flight.ulg -o flight.mcap" in lines[0]
    assert "pytest" in lines[1]


def test_tools_have_one_version() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    pinned = {line for line in extras["dev"] if "==" in line}
    hooks = set(re.findall(r'\["([\w-]+==[\w.]+)"\]', (ROOT / ".pre-commit-config.yaml").read_text("utf-8")))
    assert hooks
    assert hooks <= pinned
