"""What a second record of the orientation decides, once somebody says what that record is.

Two records that agree exactly are one attitude in two conventions. Which of the two is what it is said to be, the agreement
does not tell: if the second is, the first follows, up to its twin. So this rests on a claim, always, and stands under
`Part.assumes`. A format that says the same of both records has said it once, and that decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.evidence import Evidence
from boresight.diagnosis.model import Claims, Part, Reading
from boresight.diagnosis.rates import Hypothesis
from boresight.diagnosis.second import Agreement
from boresight.diagnosis.twins import Turns, letters_of, nearest_axes, sense_of, twin_turns, up_axis

__all__ = ["agreed", "disagreement", "said", "second_readings", "with_second"]

Floats = NDArray[np.float64]

ASKEW = 5.0
"""Degrees that a constant map of axes may be from a relabelling, for its letters to be told."""
_EVIDENCE = ("second",)


def said(evidence: Evidence, claims: Claims) -> str:
    """The claim, in words."""
    assert evidence.second is not None and claims.second is not None
    return f"the second orientation, {evidence.second.name}, is what it is read as, says {claims.second.says}"


def agreed(evidence: Evidence, claims: Claims) -> frozenset[Hypothesis] | None:
    """The hypotheses that a second record leaves; None where it says nothing, or is not to be leant on."""
    found, claim = evidence.second, claims.second
    if found is None or claim is None or not found.exact or found.sequence is not None:
        return None
    if found.or_else is not None and not found.own_sequence:
        return None  # two mistakes explain it, the one in the first record and the other in the second
    if found.doubted(claims.order if evidence.form == "quat" else "wxyz") is not None:
        return None  # nor do angles misread tell the sense
    if claim.trusted or (claim.another and found.settled and _as_declared(found, evidence, claims)):
        return frozenset(found.left)
    return None


def disagreement(evidence: Evidence, claims: Claims) -> str:
    """Say that two records cannot both be what they are said to be; empty where they can, or one of them is trusted."""
    found, claim = evidence.second, claims.second
    if found is None or claim is None or claim.trusted or not found.settled or not claims.direction:
        return ""
    if _as_declared(found, evidence, claims):
        return ""
    return f"The attitude and {found.name} cannot both be what they are said to be: {found.in_words()}."


def _as_declared(found: Agreement, evidence: Evidence, claims: Claims) -> bool:
    """Whether the two records are to each other what their conventions say."""
    claim = claims.second
    order = claims.order if evidence.form == "quat" else "wxyz"
    if claim is None or order is None or claims.direction is None or found.sequence is not None:
        return False
    if found.hypothesis != Hypothesis(sense_of(order, claims.direction)):
        return False
    if claim.changes is None:
        return True
    # A change between a left-handed set of axes and a right-handed one mirrors both world and body.
    world, body = (np.linalg.det(change) * change for change in claim.changes)
    own = next(turns for turns in twin_turns(found.hypothesis.sense) if turns.order == order)
    return _near(found.world @ own.world.T, world) and _near(own.body @ found.body, body)


def _near(one: Floats, other: Floats) -> bool:
    return float(np.trace(one.T @ other)) > 1.0 + 2.0 * float(np.cos(np.radians(ASKEW)))


# -- parts ---------------------------------------------------------------------------------------------------------


def with_second(parts: dict[str, Part], evidence: Evidence, claims: Claims) -> dict[str, Part]:
    """Answer what is open yet and a second record decides, and name it where it has been used."""
    if agreed(evidence, claims) is None:
        return parts
    assert evidence.second is not None
    claimed = said(evidence, claims)
    new = dict(_answers(evidence, claims, claimed)) if evidence.second.settled else {}
    out: dict[str, Part] = {}
    for name, part in parts.items():
        if part.decided and claimed in part.assumes:
            part = replace(part, evidence=(*part.evidence, *_EVIDENCE))
        out[name] = new.get(name, part) if not part.decided else part
    return out if _one_sense(parts, evidence.second) else parts


def _one_sense(parts: dict[str, Part], found: Agreement) -> bool:
    """Whether the rest of the log, where it decides, says the same."""
    half = "none" if found.hypothesis.half is None else "one_euler_angle_negated"
    return parts["sense"].answer in (None, found.hypothesis.sense) and parts["half_converted"].answer in (
        None,
        half,
    )


def _answers(evidence: Evidence, claims: Claims, claimed: str) -> Iterator[tuple[str, Part]]:
    found, second = evidence.second, claims.second
    assert found is not None and second is not None
    sense = found.hypothesis.sense
    half = "none" if found.hypothesis.half is None else "one_euler_angle_negated"
    yield "sense", Part(sense, "decided", None, _EVIDENCE, (claimed,))
    yield "half_converted", Part(half, "decided", None, _EVIDENCE, (claimed,))
    twins = _twins(evidence, claims)
    assumes = (claimed,)
    if evidence.form != "quat":
        yield "direction", Part(twins[0].direction, "decided", None, _EVIDENCE, assumes)
    elif len(twins) == 1:
        order = f"the order of the quaternion is {claims.order}, says {claims.order_from}"
        assumes = (claimed, order)
        yield "order", Part(twins[0].order, "decided", None, _EVIDENCE, assumes)
        yield "direction", Part(twins[0].direction, "decided", None, _EVIDENCE, assumes)
    else:
        why = "no measurement tells the twins apart; say --order where it is known"
        yield "order", Part(state="ambiguous", alternatives=("wxyz", "xyzw"), why=why)
        directions = tuple(turns.direction for turns in twins)
        yield "direction", Part(state="ambiguous", alternatives=directions, why=why)
    if found.hypothesis.half is not None:
        return
    assumes = (*assumes, "the axes are right-handed")
    worlds = {t.order: _letters(found.world @ t.world.T, second.world) for t in twins}
    bodies = {t.order: _letters((t.body @ found.body).T, second.body) for t in twins}
    ups = {order: up_axis(letters or "") for order, letters in worlds.items()}
    for name, answers in (("world_axes", worlds), ("body_axes", bodies), ("world_up", ups)):
        if all(answers.values()):
            answer: Any = answers if len(answers) > 1 else next(iter(answers.values()))
            yield name, Part(answer, "decided", None, _EVIDENCE, assumes)


def second_readings(evidence: Evidence, claims: Claims) -> tuple[Reading, ...]:
    """The readings that a second record leaves where no gyro does."""
    found, second = evidence.second, claims.second
    if found is None or second is None or agreed(evidence, claims) is None or not found.settled:
        return ()
    half = "none" if found.hypothesis.half is None else "one_euler_angle_negated"
    return tuple(
        Reading(
            turns.order if evidence.form == "quat" else None,
            turns.direction,
            found.hypothesis.sense,
            half,
            world_up=up_axis(_letters(found.world @ turns.world.T, second.world) or "")
            if half == "none"
            else None,
        )
        for turns in _twins(evidence, claims)
    )


def _twins(evidence: Evidence, claims: Claims) -> list[Turns]:
    assert evidence.second is not None
    twins = twin_turns(evidence.second.hypothesis.sense)
    order = claims.order if evidence.form == "quat" else "wxyz"
    return [turns for turns in twins if order in (None, turns.order)]


def _letters(change: Floats, known: str) -> str | None:
    """Name the axes that are taken to known ones by a constant map, where that is a relabelling."""
    if len(known) != 3:
        return None
    axes, rest = nearest_axes(change)
    return letters_of(axes.T, known) if rest <= ASKEW else None
