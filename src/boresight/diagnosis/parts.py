"""The answers part by part, from what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.gravity import axis_of
from boresight.diagnosis.gyro import Key
from boresight.diagnosis.headings import travel_evidence, yaw_signs
from boresight.diagnosis.leftover import STRUCTURE
from boresight.diagnosis.model import Part, State
from boresight.diagnosis.names import combined
from boresight.diagnosis.outcome import MOST, RIGHT_HAND, SAME_WORLD, Left, Outcome
from boresight.diagnosis.polarity import UNSIGNED, known_sign
from boresight.diagnosis.survivors import best_of
from boresight.diagnosis.twins import axes_name
from boresight.diagnosis.units import Named, counts_near, raw_force, scale_between, unit_between

__all__ = ["UP_RESULTANT", "all_parts", "named_unit", "unsigned"]

Floats = NDArray[np.float64]

UP_RESULTANT = 0.95
NORTH_RESULTANT = 0.9
TRAVEL_RESULTANT = 0.95
NORTH_WITHIN = 30.0
"""Degrees: the declination of the compass, and what iron does to it, reach this far."""
SPECIFIC_FORCE = (
    "the accelerometer is in the gyro's axes and measures specific force, up at rest; of one that measures gravity, up is "
    "down"
)
MAGNETOMETER = "the magnetometer's axes are the gyro's"
FOLLOWS = 0.9
UNIT_EXPLAINED = 0.9
"""Share of the gyro explained below which no unit is named: a gyro played backwards, of a log whose turns are slow, got
to .85."""
FAST_ENOUGH = 0.08
"""Share of the turns about the second axis, of those about the first, below which motion is about one axis."""


def all_parts(outcome: Outcome) -> dict[str, Part]:
    """Answer every part."""
    parts: dict[str, Part] = {}
    parts["sense"] = _sense(outcome)
    parts["half_converted"] = _half(outcome)
    parts["order"], parts["direction"] = _order(outcome)
    parts["imu_axes"] = _imu_axes(outcome)
    parts["handedness"] = _handedness(outcome)
    parts["world_up"] = _world_up(outcome)
    parts["body_up"] = _body_up(outcome)
    parts["position_axes"] = _position_axes(outcome)
    parts["body_forward"] = _body_forward(outcome)
    parts["heading"] = _heading(outcome)
    parts["body_axes"] = _body_axes(parts)
    parts["world_axes"] = _world_axes(parts)
    parts["gyro_unit"] = _gyro_unit(outcome)
    parts["accel"] = _accel(outcome)
    parts["time_offset"] = _time_offset(outcome)
    return parts


# -- why something is open -----------------------------------------------------------------------------------------


def _missing(outcome: Outcome) -> tuple[State, str] | None:
    """Say why the rates tell nothing, or None where they do."""
    evidence = outcome.evidence
    if evidence.rates is None:
        note = evidence.notes.get("gyro") or evidence.notes.get("attitude")
        return "not_observable", f"no gyro: {note.why}" if note is not None and note.why else "no gyro"
    if outcome.structured:
        return "ambiguous", STRUCTURE
    if not outcome.rates.offset.inside and outcome.rates.explained > UNIT_EXPLAINED:
        return "not_observable", "the clocks of attitude and gyro seem to be more than a second apart"
    if not outcome.fitting:
        return "not_observable", "the gyro is not explained by the attitude's turns, or the log hardly turns"
    return None


def turns_about_one_axis(outcome: Outcome) -> bool:
    """Whether nearly all of the log's turns are about one axis of the sensor."""
    if outcome.evidence.rates is None:
        return False
    rates = outcome.rates
    values = rates.gyro
    deviations = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(values.T)), 0.0))
    return bool(deviations[1] < FAST_ENOUGH * deviations[2])


def _open(outcome: Outcome) -> Part:
    """Tell that a part needs the sense, or what the sense needs."""
    missing = _missing(outcome)
    if missing is not None:
        return Part(state=missing[0], why=missing[1])
    return Part(state="ambiguous", why=_why_ambiguous(outcome))


def _why_ambiguous(outcome: Outcome) -> str:
    if not outcome.left:
        return "the pieces of evidence disagree"
    if outcome.either_axes:
        return (
            "a mirrored sensor explains the turns, and so does a gyro in the world's axes, of the other sense"
        )
    if turns_about_one_axis(outcome):
        return "all turns are about one axis"
    if len({key[1] for key in outcome.keys}) > 1:
        return "a mirrored sensor explains the turns as well"
    return "the turns are too small to tell an attitude from its inverse with an Euler angle negated"


# -- sense, order, direction ---------------------------------------------------------------------------------------


def _margin(outcome: Outcome, differs: Callable[[Key], bool]) -> float | None:
    """Noise of the closest hypothesis with another answer, as a multiple of the best one's."""
    survivors = outcome.survivors
    if survivors is None:
        return None
    others = [margin for key, margin in survivors.margins.items() if differs(key)]
    return round(min(others), 3) if others else None


def _evidence(outcome: Outcome) -> tuple[str, ...]:
    return ("gyro",) if outcome.evidence.motion is None else ("gyro", "velocity", "accel")


def _sense(outcome: Outcome) -> Part:
    sense = outcome.sense
    if sense is None:
        missing = _missing(outcome)
        if missing is not None:
            return Part(state=missing[0], why=missing[1])
        senses = tuple(dict.fromkeys(left.sense for left in outcome.left))
        if outcome.either_axes:
            senses = ("same", "inverse")
        return Part(state="ambiguous", alternatives=senses, why=_why_ambiguous(outcome))
    return Part(
        sense,
        "decided",
        _margin(outcome, lambda key: key[0].sense != sense),
        _evidence(outcome),
        tuple(sorted(outcome.assumes)),
    )


def _half(outcome: Outcome) -> Part:
    if outcome.evidence.rates is None and (part := _half_by_travel(outcome)) is not None:
        return part
    if not outcome.fitting or not outcome.left or outcome.either_axes:
        return _open(outcome)
    halves = {left.key[0].half is not None for left in outcome.left}
    if len(halves) != 1:
        return Part(
            state="ambiguous",
            alternatives=("none", "one_euler_angle_negated"),
            why="the turns are too small, or all at one heading",
        )
    half = halves.pop()
    return Part(
        "one_euler_angle_negated" if half else "none",
        "decided",
        _margin(outcome, lambda key: (key[0].half is not None) != half),
        _evidence(outcome),
        tuple(sorted(outcome.assumes)),
    )


def _half_by_travel(outcome: Outcome) -> Part | None:
    """Without a gyro, say which sign of the yaw the way of travel goes with; it is a hint and decides nothing."""
    grid, velocity = outcome.evidence.grid, outcome.evidence.velocity
    signs = None if grid is None or velocity is None else yaw_signs(grid, velocity)
    if signs is None:
        return None
    plain, negated = (found.resultant for found in signs)
    if max(plain, negated) < FOLLOWS:
        return None
    better = "its negative" if negated > plain else "the yaw as it is"
    why = (
        f"without a gyro; travel follows {better} ({plain:.4f} as it is, {negated:.4f} negated; 1 is exactly)"
    )
    return Part(state="ambiguous", alternatives=("none", "one_euler_angle_negated"), why=why)


def _order(outcome: Outcome) -> tuple[Part, Part]:
    sense = outcome.sense
    assumes = tuple(sorted(outcome.assumes | outcome.order_assumes))
    if sense is None:
        part = _open(outcome)
        directions = tuple(dict.fromkeys(left.turns.direction for left in outcome.left))
        orders = tuple(dict.fromkeys(left.turns.order for left in outcome.left))
        return (
            Part(state=part.state, alternatives=orders, why=part.why),
            Part(state=part.state, alternatives=directions, why=part.why),
        )
    directions = tuple(dict.fromkeys(left.turns.direction for left in outcome.left))
    margin = _margin(outcome, lambda key: key[0].sense != sense)
    if outcome.evidence.form != "quat":
        none = Part(state="not_observable", why="no quaternion is stored, so there is no order")
        return none, Part(
            directions[0], "decided", margin, _evidence(outcome), tuple(sorted(outcome.assumes))
        )
    order = outcome.order
    if order is None:
        why = "no measurement tells the twins apart; say --order, --same-frame or --upright where one is true"
        return (
            Part(state="ambiguous", alternatives=("wxyz", "xyzw"), why=why),
            Part(state="ambiguous", alternatives=directions, why=why),
        )
    return (
        Part(order, "decided", margin, _evidence(outcome), assumes),
        Part(directions[0], "decided", margin, _evidence(outcome), assumes),
    )


# -- axes ----------------------------------------------------------------------------------------------------------


def _per_twin(outcome: Outcome, value: Callable[[Left], Any], part: Part) -> Part:
    """Give one answer where the order is decided, else one for each twin, by order; open where what is left disagrees."""
    answers: dict[str, Any] = {}
    for left in outcome.left:
        answer = value(left)
        order = left.turns.order
        if answer is None or (order in answers and answers[order] != answer):
            return Part(state="ambiguous", why="the readings that are left disagree about it")
        answers[order] = answer
    single = len(answers) == 1
    return Part(
        next(iter(answers.values())) if single else answers,
        "decided",
        part.margin,
        part.evidence,
        tuple(sorted({*part.assumes, *outcome.assumes, *(outcome.order_assumes if single else ())})),
    )


def _ready(outcome: Outcome) -> Part | None:
    """Return the part that says why axes are open, or None where the sense is decided and few readings are left."""
    if outcome.sense is None:
        return _open(outcome)
    if len(outcome.keys) > MOST:
        return Part(state="ambiguous", why="too many readings are left")
    return None


def unsigned(outcome: Outcome) -> Part | None:
    """Return the part that says that the accelerometer's axes or its sign are open, or None where they are known."""
    for key in outcome.keys:
        if (up := outcome.up(key)) is not None and up.apart:
            why = f"gravity is steadier with the accelerometer's axes {up.apart} of the gyro's: the two do not share theirs"
            return Part(state="ambiguous", why=why)
    signs = {known_sign(outcome, key) for key in outcome.keys}
    if None in signs or len(signs) > 1:
        return Part(state="ambiguous", alternatives=("specific_force", "gravity_direction"), why=UNSIGNED)
    return None


def _sign(outcome: Outcome, left: Left) -> int:
    return known_sign(outcome, left.key) or 1


def _imu_axes(outcome: Outcome) -> Part:
    if (part := _ready(outcome)) is not None:
        return part
    mounts = {key: outcome.mount(key) for key in outcome.keys}
    if not all(mount.decided for mount in mounts.values()):
        worst = max(mounts.values(), key=lambda mount: mount.rest + 3.0 * mount.sigma)
        why = f"it stands {worst.rest:.0f} degrees (+-{min(worst.sigma, 180.0):.0f}) from the nearest relabelling"
        return Part(state="ambiguous", why=why)
    return _per_twin(
        outcome,
        lambda left: axes_name(left.turns.body @ mounts[left.key].axes),
        Part(evidence=("gyro",)),
    )


def _handedness(outcome: Outcome) -> Part:
    if outcome.fitting and not outcome.both_hands and not outcome.right_proven:
        return Part(
            state="ambiguous", alternatives=("right", "left"), assumes=(RIGHT_HAND,), why="assumed right"
        )
    if (part := _ready(outcome)) is not None:
        return part
    hands = {key[1] for key in outcome.keys}
    if len(hands) != 1:
        return Part(state="ambiguous", alternatives=("right", "left"), why="a mirrored sensor fits as well")
    hand = hands.pop()
    return Part(
        "right" if hand > 0 else "left",
        "decided",
        _margin(outcome, lambda key: key[1] != hand),
        _evidence(outcome),
        tuple(sorted(outcome.assumes)),
    )


def _no_gravity(outcome: Outcome) -> Part | None:
    accel = outcome.evidence.accel
    if accel is None:
        note = outcome.evidence.notes.get("accel")
        why = f"no accelerometer: {note.why}" if note is not None and note.why else "no accelerometer"
        return Part(state="not_observable", why=why)
    if accel.removed:
        return Part(state="not_observable", why="gravity is not in the accelerometer's numbers")
    return None


def _world_up(outcome: Outcome) -> Part:
    if (part := _no_gravity(outcome) or _ready(outcome) or unsigned(outcome)) is not None:
        return part

    def answer(left: Left) -> Any:
        up = outcome.up(left.key)
        if up is None or up.resultant < UP_RESULTANT or not outcome.mount(left.key).decided:
            return None
        direction = _sign(outcome, left) * (left.turns.world @ up.up)
        radial = outcome.evidence.radial
        if radial is not None and abs(float(radial @ direction)) > 0.97:
            return "radial"
        return axis_of(direction) or tuple(round(float(c), 3) for c in direction)

    part = _per_twin(outcome, answer, Part(evidence=("accel", "gyro"), assumes=(SPECIFIC_FORCE,)))
    if not part.decided:
        return Part(
            state="ambiguous", why="forces at rest do not agree on one direction, or the mount is open"
        )
    return part


def _body_up(outcome: Outcome) -> Part:
    if (part := _no_gravity(outcome) or _ready(outcome) or unsigned(outcome)) is not None:
        return part

    def answer(left: Left) -> Any:
        up = outcome.up(left.key)
        if up is None or up.body_resultant < 0.8 or not outcome.mount(left.key).decided:
            return None
        return axis_of(_sign(outcome, left) * (left.turns.body @ up.body), within=35.0)

    part = _per_twin(outcome, answer, Part(evidence=("accel", "gyro"), assumes=(SPECIFIC_FORCE,)))
    return part if part.decided else Part(state="ambiguous", why="no body axis stays up")


def _position_axes(outcome: Outcome) -> Part:
    evidence = outcome.evidence
    if evidence.motion is None:
        why = (
            "no velocity beside an accelerometer"
            if evidence.velocity is None
            else "positions alone do not tell"
        )
        return Part(state="not_observable", why=why)
    if (part := _ready(outcome) or unsigned(outcome)) is not None:
        return part

    def answer(left: Left) -> Any:
        place = outcome.place(left.key)
        if place is None or not place.decided or not outcome.mount(left.key).decided:
            return None
        return axes_name(_sign(outcome, left) * place.axes @ left.turns.world.T)

    part = _per_twin(outcome, answer, Part(evidence=("velocity", "accel"), assumes=(SPECIFIC_FORCE,)))
    return part if part.decided else Part(state="ambiguous", why="too little acceleration in some direction")


def _body_forward(outcome: Outcome) -> Part:
    evidence = outcome.evidence
    if evidence.velocity is None or evidence.grid is None:
        return Part(state="not_observable", why="neither velocity nor position")
    if (part := _ready(outcome) or unsigned(outcome)) is not None:
        return part
    assumed: set[str] = set()

    def answer(left: Left) -> Any:
        assert evidence.grid is not None and evidence.velocity is not None
        up, place = outcome.up(left.key), outcome.place(left.key)
        if up is None or not outcome.mount(left.key).decided:
            return None
        if place is not None and place.decided:
            world = (
                _sign(outcome, left) * place.axes.T
            )  # from the velocity's world to that of the reading with w first
        elif outcome.claims.same_world:
            assumed.add(SAME_WORLD)
            world = left.turns.world.T
        else:
            return None
        found = travel_evidence(evidence.grid, left.key[0], evidence.velocity @ world.T, up.up)
        if found is None or found.resultant < TRAVEL_RESULTANT or found.turning < 0.05:
            return None
        return axis_of(left.turns.body @ found.direction, within=25.0)

    part = _per_twin(outcome, answer, Part(evidence=("velocity", "gyro")))
    if part.decided:
        return Part(part.answer, "decided", None, part.evidence, tuple(sorted({*part.assumes, *assumed})))
    return Part(
        state="ambiguous", why="no body axis leads the way throughout, or the velocity's axes are open"
    )


def _heading(outcome: Outcome) -> Part:
    evidence = outcome.evidence
    if evidence.magnetic is None:
        return Part(state="not_observable", why="no magnetometer")
    if (part := _no_gravity(outcome) or _ready(outcome)) is not None:
        return part

    def answer(left: Left) -> Any:
        up = outcome.up(left.key)
        if up is None or up.resultant < UP_RESULTANT or not outcome.mount(left.key).decided:
            return None
        found = outcome.north(left.key)
        if found is None or found.resultant < NORTH_RESULTANT or not found.fixed:
            return None
        return axis_of(left.turns.world @ found.direction, within=NORTH_WITHIN)

    part = _per_twin(outcome, answer, Part(evidence=("mag", "accel", "gyro"), assumes=(MAGNETOMETER,)))
    return (
        part if part.decided else Part(state="ambiguous", why="magnetic north does not stay along one axis")
    )


def _body_axes(parts: dict[str, Part]) -> Part:
    letters = ("F", "B", "U", "D", "R", "L")
    return combined(parts["body_forward"], parts["body_up"], letters, "forward and up")


def _world_axes(parts: dict[str, Part]) -> Part:
    letters = ("N", "S", "U", "D", "E", "W")
    return combined(parts["heading"], parts["world_up"], letters, "north and up")


# -- units and clocks ----------------------------------------------------------------------------------------------


def named_unit(outcome: Outcome) -> Named | None:
    """Return the gyro's unit, or why it has none; None where the turns do not explain the gyro.

    How far the log turns does not matter, nor what exactly it leaves: what is so well explained tells a scale.
    """
    if outcome.survivors is None or outcome.rates.explained < UNIT_EXPLAINED:
        return None
    rates, faults = outcome.rates, outcome.evidence.faults
    key = best_of(rates.fits, rates.fits)
    low, high = scale_between(rates.gyro, rates.series[key[0]], rates.fits[key])
    return unit_between(low, high, min(faults[name].period for name in ("attitude", "gyro")))


def _gyro_unit(outcome: Outcome) -> Part:
    named = named_unit(outcome)
    if named is None:
        return _open(outcome)
    if named.unit is None or named.unit != outcome.rates.unit:
        return Part(state="ambiguous", why=named.why or "no unit stands out")
    return Part(named.unit, "decided", None, ("gyro",))


def _accel(outcome: Outcome) -> Part:
    accel = outcome.evidence.accel
    if accel is None:
        return _no_gravity(outcome) or Part()
    if accel.removed:
        return Part({"unit": None, "kind": "gravity_removed"}, "decided", None, ("accel",))
    if accel.unit is None:
        return Part(state="ambiguous", why=_resting(accel.length))
    # Of two units that are nearly the same, the one that is declared cannot be contradicted.
    unit = outcome.claims.accel_unit if outcome.claims.accel_unit in accel.nearly else accel.unit
    if _ready(outcome) is None:
        if (part := unsigned(outcome)) is not None:  # the unit is known all the same
            answer = {"unit": unit, "kind": None}
            return replace(part, answer=answer, state="decided", evidence=("accel",))
        signs = {known_sign(outcome, key) for key in outcome.keys}
        if signs == {-1}:
            answer = {"unit": unit, "kind": "gravity_direction"}
            return Part(answer, "decided", None, ("accel", "velocity"), (SAME_WORLD,))
    answer = {"unit": unit, "kind": "specific_force"}
    others = [other for other in (accel.unit, *accel.nearly, *counts_near(accel.length)) if other != unit]
    near = f"its numbers are in {unit}, not in {' or '.join(others)}, nearly the same"
    return Part(answer, "decided", None, ("accel",), (SPECIFIC_FORCE, *((near,) if others else ())))


def _resting(length: float) -> str:
    like = raw_force(length)
    return f"at rest its length is {length:.4g}" + (f", {like}" if like else ": no unit known")


def _time_offset(outcome: Outcome) -> Part:
    if (missing := _missing(outcome)) is not None:
        return Part(state=missing[0], why=missing[1])
    if (named := named_unit(outcome)) is not None and named.clock:
        return Part(state="ambiguous", why=named.why)
    return Part(round(outcome.rates.offset.seconds, 4), "decided", None, ("gyro",))
