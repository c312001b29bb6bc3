"""Some mutants of each recording that decides the sense, and logs with a foreign gyro; all of them in benchmarks/."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from labels import cases, evidence_of
from mutations import CONTROLS, control, mutant
from recordings import Recording, load
from scoring import PARTS, judged, true_in_best

from boresight.diagnosis.model import Claims
from boresight.diagnosis.verdict import judge
from places import data_folder

DECIDING = sorted({c.recording for c in cases() if not c.claims and "sense" in c.decided})
HANDS = (Claims(any_hand=True), Claims())


@lru_cache(maxsize=32)
def read(name: str) -> Recording:
    if not data_folder().exists():
        pytest.skip(f"the recordings are not in {data_folder()} (set BORESIGHT_DATA)")
    return load(name, data_folder())


@pytest.mark.filterwarnings("ignore:Gimbal lock")
@pytest.mark.parametrize("name", DECIDING)
@pytest.mark.parametrize("half", [False, True])
def test_mutants_are_never_wrong_and_their_sense_is_decided(name: str, half: bool) -> None:
    changed, truth = mutant(read(name), np.random.default_rng([int(half), *name.encode()]), half=half)
    evidence = evidence_of(changed)
    for claims in HANDS:
        if truth.rewritten == "columns swapped" and not claims.any_hand and evidence.motion is None:
            continue
        diagnosis = judge(evidence, claims)
        results = {part: judged(diagnosis, truth, part) for part in PARTS}
        assert "wrong" not in results.values(), (results, truth)
        assert results["sense"] == "right"
        assert results["half_converted"] == "right"
        assert true_in_best(diagnosis, truth)


@pytest.mark.parametrize("kind", CONTROLS)
@pytest.mark.parametrize("name", ["xio3", "rl_test2_jackal", "ecl_ekf_gsf_reset"])
def test_nothing_is_decided_from_a_foreign_gyro(name: str, kind: str) -> None:
    changed = control(read(name), read("imuData01_Lower"), kind, np.random.default_rng(4))
    evidence = evidence_of(changed)
    declared = {"order": "wxyz", "direction": "body_to_world"}
    for claims in (Claims(**declared), Claims(**declared, same_frame=True), Claims(any_hand=True)):  # type: ignore[arg-type]
        diagnosis = judge(evidence, claims)
        assert diagnosis.verdict != "consistent"
        for part in ("sense", "half_converted", "order", "direction", "imu_axes", "world_up", "handedness"):
            assert not diagnosis[part].decided
