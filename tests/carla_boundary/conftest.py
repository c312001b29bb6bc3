"""Golden cases of CARLA's arithmetic as float32 arrays, and the real package where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray


def _floats(entry: dict[str, list[str]]) -> NDArray[np.float32]:
    return np.array([int(word, 16) for word in entry["hex"]], np.uint32).view(np.float32)


@pytest.fixture(scope="session")
def carla_cases(golden: Callable[[str], Any]) -> Callable[[str], tuple[dict[str, Any], dict[str, Any]]]:
    """Give inputs and outputs of all cases of one kind, each a float32 array with a row a case."""
    cases = golden("carla.json")["cases"]

    def of_kind(kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
        chosen = [case for case in cases if case["kind"] == kind]

        def columns(part: str) -> dict[str, NDArray[np.float32]]:
            return {
                name: np.stack([_floats(case[part][name]) for case in chosen]) for name in chosen[0][part]
            }

        return columns("in"), columns("out")

    return of_kind


@pytest.fixture(scope="session")
def real() -> Any:
    """The ``carla`` package."""
    return pytest.importorskip("carla", reason="the carla package is not installed")
