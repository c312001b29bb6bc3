"""The labelled cases, and how a diagnosis does on one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recordings import Recording

from boresight.diagnosis import Diagnosis
from boresight.diagnosis.arrays import recorded
from boresight.diagnosis.evidence import Evidence, gather
from boresight.diagnosis.model import Claims

STREAMS = ("gyro", "accel", "velocity", "position", "mag")


@dataclass(frozen=True)
class Case:
    """One recording under some claims."""

    recording: str
    claims: dict[str, Any]
    verdict: str
    decided: dict[str, Any]
    open: tuple[str, ...]
    faults: dict[str, dict[str, Any]] = field(default_factory=dict)
    resets: int = 0

    @property
    def name(self) -> str:
        return self.recording + (" as the file says" if self.claims else "")


def cases() -> list[Case]:
    """Read the labels."""
    content = tomllib.loads((Path(__file__).parent / "labelled.toml").read_text("utf-8"))
    return [
        Case(
            c["recording"],
            c.get("claims", {}),
            c["verdict"],
            c.get("decided", {}),
            tuple(c.get("open", ())),
            c.get("faults", {}),
            c.get("resets", 0),
        )
        for c in content["case"]
    ]


def evidence_of(recording: Recording) -> Evidence:
    """Gather the evidence of a recording."""
    arguments = recording.arguments()
    streams = {name: arguments.pop(name, None) for name in STREAMS}
    return gather(recorded(arguments.pop("time"), streams=streams, **arguments))


def claims_of(case: Case) -> Claims:
    """The claims of a case."""
    return Claims(**case.claims)


def misses(case: Case, diagnosis: Diagnosis) -> Iterator[str]:
    """Yield what is not as labelled."""
    if diagnosis.verdict != case.verdict:
        yield f"verdict {diagnosis.verdict}, not {case.verdict}"
    for part, answer in case.decided.items():
        found = diagnosis.parts[part]
        if not found.decided:
            yield f"{part} is open, not {answer}: {found.why}"
        elif not _agrees(part, found.answer, answer):
            yield f"{part} is {found.answer}, not {answer}"
    if len(diagnosis.resets) < case.resets:
        yield f"{len(diagnosis.resets)} resets, not {case.resets} or more"
    for stream, wanted in case.faults.items():
        for kind, count in wanted.items():
            if (seen := getattr(diagnosis.faults[stream], kind)) != count:
                yield f"{seen} {kind} of {stream}, not {count}"
    for part in case.open:
        if diagnosis.parts[part].decided:
            yield f"{part} is {diagnosis.parts[part].answer}, not open"


def _agrees(part: str, found: Any, answer: Any) -> bool:
    if part == "accel":
        return bool(answer.items() <= found.items())
    return abs(found - answer) < 0.03 if part == "time_offset" else found == answer
