"""The verdict: the parts laid beside what was declared, the readings that are left, and what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boresight import conventions
from boresight.diagnosis.advice import advice, fitting_systems, with_settling
from boresight.diagnosis.evidence import Evidence, Note, Recorded, gather
from boresight.diagnosis.gravity import axis_of
from boresight.diagnosis.model import Claims, Diagnosis, Part, Reading, Verdict
from boresight.diagnosis.outcome import MOST, Left, Outcome, settle
from boresight.diagnosis.parts import UP_RESULTANT, all_parts, unsigned
from boresight.diagnosis.polarity import known_sign
from boresight.diagnosis.second_parts import disagreement, second_readings, with_second
from boresight.diagnosis.twins import axes_name, nearest_axes, sense_of

__all__ = ["diagnose_recorded", "judge"]

MOST_LISTED = 12


def diagnose_recorded(recorded: Recorded, claims: Claims, *, source: str = "") -> Diagnosis:
    """Diagnose streams of numbers."""
    return judge(gather(recorded), claims, source=source)


def judge(evidence: Evidence, claims: Claims, *, source: str = "") -> Diagnosis:
    """Draw a diagnosis from evidence; the same evidence may be judged under several claims."""
    outcome = settle(evidence, claims)
    parts = with_second(all_parts(outcome), evidence, claims)
    if claims.convention and conventions.get(claims.convention).handedness == "left":
        parts = _left_handed(parts, claims.convention)
    parts = with_settling(outcome, parts)
    verdict = _verdict(outcome, parts)
    best = _readings(outcome) or second_readings(evidence, claims)
    mount_deg = None
    if parts["imu_axes"].decided:
        mount_deg = round(max(outcome.mount(key).rest for key in outcome.keys), 2)
    systems = fitting_systems(parts, evidence.form, claims.convention)
    resets: tuple[float, ...] = ()
    if evidence.rates is not None:
        times = evidence.rates.own[evidence.rates.resets] + evidence.start
        resets = tuple(round(float(t), 3) for t in times[:1000])
    return Diagnosis(
        verdict=verdict,
        declared=claims.declared(),
        refuted=tuple(outcome.refuted),
        best=best,
        parts={name: parts[name] for name in parts},
        mount_deg=mount_deg,
        resets=resets,
        evidence=_scored(outcome),
        faults=evidence.faults,
        systems=systems,
        advice=(
            *_others_fit(best, claims, verdict),
            *_up_said(outcome, parts, verdict),
            *advice(outcome, parts, verdict),
        ),
        source=source,
        data=evidence,
    )


_OTHER_SIDE = str.maketrans("LREW", "RLWE")


def _left_handed(parts: dict[str, Part], convention: str) -> dict[str, Part]:
    """Name axes whose third is known by the hand alone by the left one, as is declared."""
    out = dict(parts)
    for name in ("body_axes", "world_axes"):
        part = parts[name]
        if isinstance(part.answer, str):
            hand = f"the axes are left-handed, says the file ({convention})"
            assumes = tuple(hand if text == "the axes are right-handed" else text for text in part.assumes)
            out[name] = replace(part, answer=part.answer.translate(_OTHER_SIDE), assumes=assumes)
    return out


def _as_claimed(reading: Reading | Left, claims: Claims) -> bool:
    """Whether order, direction and angles are those that are declared."""
    if isinstance(reading, Left):
        order, direction, half = reading.turns.order, reading.turns.direction, reading.key[0].half is not None
    else:
        order, direction, half = reading.order, reading.direction, reading.half_converted != "none"
    return (
        not half
        and direction == claims.direction
        and (None in (order, claims.order) or order == claims.order)
    )


def _others_fit(best: tuple[Reading, ...], claims: Claims, verdict: Verdict) -> tuple[str, ...]:
    """Say of an ambiguous log that what is declared is among the readings that fit."""
    if verdict != "ambiguous" or len(best) < 2 or not _as_claimed(best[0], claims):
        return ()
    others = len(best) - 1
    readings = "1 other reading fits" if others == 1 else f"{others} other readings fit"
    return (f"Nothing contradicts what is declared, but {readings} too.",)


def _conflicts(outcome: Outcome, parts: dict[str, Part]) -> list[str]:
    """Name the parts whose answers are not what was declared."""
    claims = outcome.claims
    found = ["sequence"] if outcome.evidence.sequence is not None else []

    def check(name: str, declared: Any, answer: Any = None) -> None:
        part = parts[name]
        if declared and part.decided and (part.answer if answer is None else answer) != declared:
            found.append(name)

    check("direction", claims.direction)
    check("order", claims.order)
    check("gyro_unit", claims.gyro_unit)
    if parts["accel"].decided and parts["accel"].answer["unit"] is not None:
        check("accel", claims.accel_unit, parts["accel"].answer["unit"])
    axes = isinstance(parts["world_up"].answer, str) and parts["world_up"].answer != "radial"
    if axes and not outcome.half_converted:
        check("world_up", claims.world_up)
    if claims.direction and outcome.fitting and outcome.left and not outcome.either_axes:
        order = claims.order or ("wxyz" if outcome.evidence.form != "quat" else None)
        if order is not None:
            declared = sense_of(order, claims.direction)
            plain = any(left.sense == declared and left.key[0].half is None for left in outcome.left)
            if not plain and "direction" not in found:
                found.append("sense")
    elif claims.direction and parts["sense"].decided:  # by a second record alone
        order = claims.order or ("wxyz" if outcome.evidence.form != "quat" else None)
        if order is not None and parts["sense"].answer != sense_of(order, claims.direction):
            found.append("sense")
    # Units alone say nothing that such an attitude is not.
    says = claims.declared().keys() - {"gyro_unit", "accel_unit"}
    if parts["half_converted"].answer == "one_euler_angle_negated" and (
        says or outcome.evidence.form == "euler"
    ):
        found.append("half_converted")
    found.extend(claim.name for claim in outcome.refuted)
    return found


def _scored(outcome: Outcome) -> dict[str, Note]:
    """The notes on the evidence, with how well directions agree under the likeliest reading that is left."""
    notes = dict(outcome.evidence.notes)
    if not outcome.fitting or not outcome.left:
        return notes
    key = outcome.left[0].key
    up = outcome.up(key)
    if up is not None:
        notes["accel"] = replace(notes["accel"], score=round(up.resultant, 4))
        north = outcome.north(key)
        if north is not None:
            notes["mag"] = Note(True, north.samples, round(north.resultant, 4))
    return notes


def _verdict(outcome: Outcome, parts: dict[str, Part]) -> Verdict:
    claims = outcome.claims
    declares = bool(claims.direction or claims.world_up)
    if _conflicts(outcome, parts):
        return "contradicted"
    if not outcome.fitting and not parts["sense"].decided:
        unclear = outcome.structured or disagreement(outcome.evidence, claims)
        return "ambiguous" if unclear else "not_observable"
    if parts["sense"].decided:
        if not declares:
            return "undeclared"
        settled = parts["half_converted"].decided and parts["direction"].decided
        return "consistent" if settled and not _up_open(outcome) else "ambiguous"
    return "ambiguous"


def _up_open(outcome: Outcome) -> bool:
    """Whether an up is declared that an accelerometer feels, in axes or with a sign that are open."""
    accel = outcome.evidence.accel
    if not outcome.claims.world_up or accel is None or accel.removed:
        return False
    return outcome.fitting and len(outcome.keys) <= MOST and unsigned(outcome) is not None


def _up_said(outcome: Outcome, parts: dict[str, Part], verdict: Verdict) -> tuple[str, ...]:
    """Say of an ambiguous log that the declared up cannot be checked, though there is an accelerometer."""
    if verdict != "ambiguous" or not parts["sense"].decided or not _up_open(outcome):
        return ()
    return (
        f"Whether up is along the world's {outcome.claims.world_up} cannot be told: {parts['world_up'].why}.",
    )


def _readings(outcome: Outcome) -> tuple[Reading, ...]:
    # What is declared comes first where it is among them, the others by how likely they are.
    ordered = sorted(outcome.left, key=lambda left: not _as_claimed(left, outcome.claims))
    out = [_reading(outcome, left, len(outcome.keys) <= MOST) for left in ordered[:MOST_LISTED]]
    return tuple(dict.fromkeys(out)) if outcome.fitting else ()


def _reading(outcome: Outcome, left: Left, detailed: bool) -> Reading:
    quaternion = outcome.evidence.form == "quat"
    half = "none" if left.key[0].half is None else "one_euler_angle_negated"
    order = left.turns.order if quaternion else None
    if not detailed:
        return Reading(order, left.turns.direction, left.sense, half, sequence=outcome.evidence.sequence)
    matrix = left.turns.body @ outcome.rates.mount(left.key)
    mount = outcome.mount(left.key)
    up, place = outcome.up(left.key), outcome.place(left.key)
    world_up: str | tuple[float, ...] | None = None
    sign = known_sign(outcome, left.key)
    if up is not None and sign is not None and up.resultant >= UP_RESULTANT:
        direction = sign * (left.turns.world @ up.up)
        world_up = axis_of(direction) or tuple(round(float(c), 3) for c in direction)
        radial = outcome.evidence.radial
        if radial is not None and abs(float(radial @ direction)) > 0.97:
            world_up = "radial"
    return Reading(
        order,
        left.turns.direction,
        left.sense,
        half,
        axes_name(nearest_axes(matrix)[0]) if mount.decided else None,
        tuple(tuple(round(float(c), 4) for c in row) for row in np.asarray(matrix)),
        round(mount.rest, 2) if mount.decided else None,
        world_up,
        axes_name(sign * place.axes @ left.turns.world.T)
        if place is not None and place.decided and sign is not None
        else None,
        outcome.evidence.sequence,
    )
