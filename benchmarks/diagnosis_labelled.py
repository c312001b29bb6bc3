"""The labelled recordings: what of each is decided, what is open, and where that is not as it must be."""

# ruff: noqa: E402 (the folder of tests is named before the tests' modules come in)
from __future__ import annotations

import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "diagnosis")]

from labels import cases, claims_of, evidence_of, misses
from readings import FIGURES
from recordings import load

from boresight.diagnosis.evidence import Evidence
from boresight.diagnosis.verdict import judge

SHOWN = (
    "sense",
    "half_converted",
    "direction",
    "imu_axes",
    "world_up",
    "body_up",
    "position_axes",
    "gyro_unit",
)


def short(answer: object) -> str:
    """Both twins' answers in a cell."""
    if isinstance(answer, dict):
        return "|".join(str(value) for value in answer.values())
    return str(answer).replace("one_euler_angle_negated", "negated").replace("_to_", ">")


def main() -> int:
    data = Path(os.environ.get("BORESIGHT_DATA", ROOT.parent / "shared" / "data"))
    if not data.exists():
        print(f"no recordings in {data} (set BORESIGHT_DATA)")
        return 2
    gathered: dict[str, tuple[Evidence, float]] = {}
    missed = 0
    print(f"{'':42} {'ms':>5} {'verdict':15}" + "".join(f"{part:17}" for part in SHOWN))
    for case in cases():
        if case.recording not in gathered:
            recording = load(case.recording, data)
            began = time.perf_counter()
            gathered = {case.recording: (evidence_of(recording), time.perf_counter() - began)}
        evidence, took = gathered[case.recording]
        diagnosis = judge(evidence, claims_of(case))
        name = case.recording[:32] + (", as it says" if case.claims else "")
        parts = (diagnosis.parts[part] for part in SHOWN)
        cells = "".join(f"{short(part.answer) if part.decided else '.':17}" for part in parts)
        print(f"{name:42} {1000 * took:5.0f} {diagnosis.verdict:15}{cells}")
        for miss in misses(case, diagnosis):
            missed += 1
            print(f"    MISSED {miss}")
    print("\nby other means than a gyro: the true reading, and the one it is taken for")
    for name, figures in FIGURES.items():
        right, wrong = figures(data)
        print(f"  {name:50} {right:10.4g} {wrong:10.4g}")
    print(f"{len(cases())} cases, {missed} not as they must be")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
