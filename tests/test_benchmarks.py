"""The benchmarks run: a few rows, once. What they measure is for whoever runs them alone on a machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpmath")
pytest.importorskip("scipy")

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks are not part of what was installed"
)


def run(script: str, *arguments: str) -> str:
    # A benchmark binds itself to one processor, and so runs as the program that it is.
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), "--quick", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_peers_agree_and_are_timed(tmp_path: Path) -> None:
    saved = tmp_path / "times.json"
    shown = run("peers.py", "--libraries", "scipy", "pin", "gtsam", "--json", str(saved))
    assert "all give the same numbers" in shown
    assert "N = 8, float32" in shown
    assert saved.stat().st_size > 1000


def test_peers_names_what_gives_other_numbers() -> None:
    # Compares the comparison: a library that is off by a millionth must not pass.
    code = """
import peers, peer_calls
import numpy as np
def wrong(s):
    calls = peer_calls.kernels(s)
    run, read = calls["compose"]
    calls["compose"] = peer_calls.Call(run, lambda r: read(r) + 1e-6)
    return calls
has, faults = peers.check({"wrong": wrong}, 8, np.float64)
print(len(has["wrong"]), faults)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True, cwd=BENCHMARKS
    )
    assert done.stdout.startswith("17 ['wrong, compose, float64, 8 rows: off by 1e-06")


@pytest.mark.parametrize("library", ["kernels", "scipy"])
def test_peers_leave_out_what_is_not_asked_for(library: str) -> None:
    shown = run("peers.py", "--libraries", library, "--only", "compose")
    assert "from_euler" not in shown
    assert ("scipy" in shown.split("side by side: ")[1].splitlines()[0]) == (library == "scipy")


def test_accuracy_prints_a_table_within_its_bars() -> None:
    shown = run("accuracy.py")
    for name in ("exp", "log", "to_euler ZYX", "from_matrix at branches", "to_matrix", "multiply", "slerp"):
        assert shown.count(f"\n  {name} ") == 2, name


def test_threads_and_memory_are_measured() -> None:
    shown = run("threads.py")
    assert "two threads" in shown
    assert "pose apply" in shown


def test_the_filter_is_measured_on_simulated_flights() -> None:
    shown = run("navigation_simulated.py", "--scenario", "mission")
    for label in ("true", "default"):
        line = next(line for line in shown.splitlines() if line.startswith(f"mission          {label}"))
        # Metres, m/s and degrees of two seeds, far from where a filter is that has lost its way.
        horizontal, _, height, velocity, tilt, yaw = (float(part) for part in line.split()[2:8])
        assert horizontal < 1.0 and height < 1.0 and velocity < 0.3 and tilt < 1.0 and yaw < 2.0


def test_samples_of_every_law_are_timed() -> None:
    shown = run("sampling.py")
    assert "matrix Fisher" in shown
    assert ">= 3 scipy" in shown


def test_the_cost_of_a_diagnosis_is_measured() -> None:
    shown = run("diagnosis_cost.py")
    assert shown.count("consistent") == 2
