"""The filter's benchmark runs: a few samples, once. What it measures is for whoever runs it alone on a machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "navigation_speed.py"


@pytest.mark.skipif(not SCRIPT.is_file(), reason="the benchmarks are not part of what was installed")
def test_every_case_is_timed_or_left_out_by_name():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" a second") + done.stdout.count("left out: ") == 10
    assert "an hour of 400 Hz IMU with 10 Hz GNSS takes" in done.stdout
