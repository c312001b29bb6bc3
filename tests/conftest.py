"""What tests share: where the recordings and the golden cases are, which are not part of the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from places import ROOT, SHARED, data_folder

# Nothing is timed in a test, so no example has a deadline. `long` is for the fuzz step of .ci/full.
settings.register_profile("default", deadline=None)
settings.register_profile("long", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def recording() -> Callable[[str], Path]:
    """Give the path of a recording by its name (``"a_px4/yuneec_position.ulg"``), or skip the test, saying so."""

    def find(name: str) -> Path:
        path = data_folder() / name
        if not path.exists():
            pytest.skip(f"recording {name} is not in {data_folder()} (set BORESIGHT_DATA)")
        return path

    return find


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """Give the golden cases of a file (``"conventions.json"``), or skip the test, saying so."""

    def load(name: str) -> Any:
        path = SHARED / "golden" / name
        if not path.exists():
            pytest.skip(f"golden cases {name} are not in {SHARED / 'golden'}")
        return json.loads(path.read_text("utf-8"))

    return load


@pytest.fixture(scope="session")
def example_log() -> Path:
    """The repository's own small log."""
    return ROOT / "examples" / "flight.ulg"
