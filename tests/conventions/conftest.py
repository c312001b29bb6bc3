"""Says at the end of a run which rows of the registry were checked against the library itself."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

# Helpers of these tests are modules beside them, which pytest's importlib mode does not put on the path.
sys.path.insert(0, str(Path(__file__).parent))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows = [
        value
        for report in terminalreporter.stats.get("passed", [])
        for name, value in report.user_properties
        if name == "registry row"
    ]
    if not rows:
        return
    terminalreporter.section("rows of the registry checked against the real library")
    for kind in ("system", "library"):
        of_kind = sorted({row.split(".", 1)[1] for row in rows if row.startswith(kind)})
        for line in textwrap.wrap(f"{len(of_kind)} of kind {kind}: {', '.join(of_kind)}", 110):
            terminalreporter.write_line(line)
