"""Every labelled recording: what must be decided is, rightly, and what must be open is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import pytest
from labels import Case, cases, claims_of, evidence_of, misses
from recordings import RECORDINGS, load

from boresight.diagnosis.evidence import Evidence
from boresight.diagnosis.verdict import judge
from places import data_folder


@lru_cache(maxsize=2)
def gathered(name: str) -> Evidence:
    return evidence_of(load(name, data_folder()))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_labelled_recording(case: Case) -> None:
    if not data_folder().exists():
        pytest.skip(f"the recordings are not in {data_folder()} (set BORESIGHT_DATA)")
    diagnosis = judge(gathered(case.recording), claims_of(case))
    assert list(misses(case, diagnosis)) == []


def test_every_recording_has_a_label() -> None:
    assert {case.recording for case in cases()} == set(RECORDINGS)


def test_a_miss_is_seen(recording: Callable[[str], object]) -> None:
    recording("e_imu/skin_data_xio3_Quaternion.csv")
    diagnosis = judge(gathered("xio3"), claims_of(Case("xio3", {"order": "wxyz"}, "", {}, ())))
    wrong = Case("xio3", {}, "ambiguous", {"direction": "world_to_body", "body_forward": "+x"}, ("sense",))
    found = list(misses(wrong, diagnosis))
    assert len(found) == 4
