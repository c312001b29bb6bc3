"""What to do about a diagnosis: the motion or sensor that would settle what is open, and the systems that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boresight import conventions
from boresight.diagnosis.leftover import STRUCTURE
from boresight.diagnosis.model import Diagnosis, Part, Verdict
from boresight.diagnosis.outcome import Outcome
from boresight.diagnosis.parts import named_unit, turns_about_one_axis
from boresight.diagnosis.second_parts import disagreement
from boresight.diagnosis.twins import axes_name, letters_of, parse_axes, up_axis

__all__ = ["advice", "fitting_systems", "leave_out", "with_settling"]

_SAME = "+x+y+z"
_NAMES = {"N": "north", "S": "south", "E": "east", "W": "west", "U": "up", "D": "down"}


def advice(outcome: Outcome, parts: dict[str, Part], verdict: Verdict) -> tuple[str, ...]:
    """Sentences, the most urgent first."""
    out: list[str] = []
    evidence = outcome.evidence
    refuted = [claim.name for claim in outcome.refuted]
    half = parts["half_converted"].answer == "one_euler_angle_negated"
    if verdict == "contradicted":
        differences = list(_contradictions(outcome, parts))
        velocities = list(_velocities(outcome, parts, alone=not differences and refuted == ["same_world"]))
        if velocities:
            refuted.remove("same_world")
        differences += velocities
        if not differences and not refuted:
            differences = [
                "The readings that are left are not what is declared: its order or its direction is wrong."
            ]
        out.extend(differences)
    elif half:
        out.append("One Euler angle was negated and the others were not: convert all three, or none.")
    if said := disagreement(evidence, outcome.claims):
        out.append(said)
    out.extend(
        f"What is claimed does not agree with the data: {claim.words}."
        for claim in outcome.refuted
        if claim.name in refuted
    )
    second = evidence.second
    if second is not None and second.settled and outcome.claims.second is None and not parts["sense"].decided:
        out.append(
            f"There is a second record, {second.name}, of the same attitude: if you know what that one is in, say so "
            "(--second-from), and what the first is follows."
        )
    rows = evidence.notes.get("attitude")
    if rows is not None and not rows.used:
        out.append(f"The attitude cannot be used: {rows.why}.")
    elif evidence.rates is None and not parts["sense"].decided:
        note = evidence.notes.get("gyro")
        why = "" if note is None or not note.why or note.why == "not in the log" else f" ({note.why})"
        out.append(
            f"Log the gyro beside the attitude{why}: without it nothing tells an attitude from its inverse."
        )
    elif outcome.structured and not parts["sense"].decided:
        out.append(f"No reading fits: {STRUCTURE}.")
    elif outcome.either_axes and outcome.fitting:
        out.append(
            "Either two columns of the gyro are exchanged or one is negated (say --any-hand), or it measures in the world's "
            "axes and not in its own (turn it into the body's)."
        )
    elif not outcome.fitting and not parts["sense"].decided:
        out.append(
            f"Record a log that turns. {_sentence(_turning(outcome))} If it did turn, the gyro is not of the same body or "
            "the clocks are more than a second apart."
        )
    elif not parts["sense"].decided or not parts["half_converted"].decided:
        first = "All turns are about one axis. " if turns_about_one_axis(outcome) else ""
        out.append(f"{first}{_sentence(_turning(outcome))}")
        if evidence.motion is None:
            out.append(f"Or: {_speeding(outcome)}.")
    if parts["sense"].decided and evidence.form == "quat" and not parts["order"].decided:
        out.append(
            "Order and direction cannot be told apart by any measurement: say --order where the file's format fixes "
            "it, --same-frame where attitude and gyro are of one device, or --upright where the sensor is not on its side."
        )
    if verdict in ("consistent", "ambiguous"):
        out.extend(_noticed(outcome, parts))
    for name, faults in evidence.faults.items():
        if faults.restarts:
            out.append(
                f"The clock of {name} restarts {faults.restarts} times; its parts were laid one after the other."
            )
    offset = parts["time_offset"]
    if offset.decided and abs(float(offset.answer)) > 0.02:
        late = "late" if float(offset.answer) > 0 else "early"
        out.append(
            f"The gyro's clock is {abs(float(offset.answer)) * 1000:.0f} ms {late} against the attitude's."
        )
    if (named := named_unit(outcome)) is not None and named.clock:
        out.append(f"Check the unit of the times: {named.why}.")
    return tuple(out)


# -- what would settle an open part --------------------------------------------------------------------------------

_FLYING = frozenset({"px4", "ardupilot", "mavlink", "airsim", "crazyflie"})
_DRIVING = frozenset(
    {
        *("carla", "kitti_oxts", "kitti_odometry", "nuscenes", "waymo", "argoverse2", "apollo", "nvidia_pai"),
        *("comma2k19", "iso8855", "opendrive", "sae_j670"),
    }
)


def with_settling(outcome: Outcome, parts: dict[str, Part]) -> dict[str, Part]:
    """Say of each part that is open which motion, sensor or word would settle it."""
    said = {name: _settles(outcome, parts, name) for name, part in parts.items() if not part.decided}
    return {
        name: replace(part, settles=said[name]) if said.get(name) else part for name, part in parts.items()
    }


def _settles(outcome: Outcome, parts: dict[str, Part], name: str) -> str:
    evidence = outcome.evidence
    if name in ("accel", "gyro_unit", "body_axes", "world_axes"):
        return ""  # their reasons say it, and so do the parts that they are made of
    if name == "order" and evidence.form != "quat":
        return ""
    no_gyro, no_accel = evidence.rates is None, evidence.accel is None or evidence.accel.removed
    if name == "heading" and evidence.magnetic is None:
        return f"a magnetometer, and a whole turn about the vertical{_at_hand(outcome)}"
    if name in ("world_up", "body_up") and no_accel:
        return "an accelerometer beside the gyro, gravity left in its numbers"
    if name == "body_forward" and evidence.velocity is None:
        return f"a velocity or position, and {_forwards(outcome)}"
    if name == "position_axes" and evidence.velocity is None:
        return ""  # there is nothing whose axes could be asked for
    if no_gyro:
        return "a gyro beside the attitude, on the same clock"
    if not parts["sense"].decided or name == "half_converted":
        return _turning(outcome)
    return {
        "order": "--order where the format fixes it, --same-frame where attitude and gyro are of one device, or --upright "
        "where the sensor is not on its side",
        "direction": "the order",
        "imu_axes": _turning(outcome),
        "handedness": _speeding(outcome),
        "position_axes": _speeding(outcome),
        "world_up": "ten seconds at rest, upright",
        "body_up": "ten seconds at rest, upright",
        "body_forward": _forwards(outcome),
        "heading": f"a whole turn about the vertical, away from iron{_at_hand(outcome)}",
    }.get(name, "")


def _turning(outcome: Outcome) -> str:
    """Say how to turn about all axes, as far as such a vehicle can."""
    name = outcome.claims.convention
    if name in _FLYING:
        return (
            "by hand, props off: turn the vehicle a quarter about the vertical, tip its nose up and down by 45 degrees, "
            "then roll it to both sides"
        )
    if name in _DRIVING:
        return "drive a figure of eight, then up and down a ramp, straight and at a slant, on two headings"
    return (
        "turn it a quarter about the vertical, tip its front up and down by 45 degrees, then roll it to both sides; with "
        "a car, drive a figure of eight, then up and down a ramp, straight and at a slant"
    )


def _speeding(outcome: Outcome) -> str:
    """Say how to speed up, so that a velocity tells."""
    name, there = outcome.claims.convention, outcome.evidence.velocity is not None
    with_it = "with the accelerometer" if there else "with a velocity (GPS) and the accelerometer"
    if name in _FLYING:
        return f"{with_it} in the log, fly out and back and then across, speeding up and stopping hard, and climb"
    if name in _DRIVING:
        return f"{with_it} in the log, speed up and brake hard on two roads that cross"
    return f"{with_it} in the log, speed up and stop hard on two headings that cross"


def _forwards(outcome: Outcome) -> str:
    if outcome.claims.convention in _FLYING:
        return "a flight nose first round a wide circle"
    if outcome.claims.convention in _DRIVING:
        return "a drive round a few bends, forwards"
    return "a way round a few bends, front first"


def _at_hand(outcome: Outcome) -> str:
    if outcome.claims.convention in _FLYING:
        return ", by hand with the props off"
    return ", such as round a roundabout" if outcome.claims.convention in _DRIVING else ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def leave_out(claim: str, without: Diagnosis, *, order: str | None, file: str) -> str:
    """Say which option to leave out, by what the log supports without it."""
    option = claim.replace("_", "-")
    if order is None:
        return f"What --{option} says does not agree with the data, and the log bears out the rest. Leave out --{option}."
    reading = without.best[0]
    found = f"{reading.order}, {reading.direction.replace('_', ' ')}"
    return f"You say {order}; the log supports {found}, as {file}. Leave out --{option} {order}."


def _contradictions(outcome: Outcome, parts: dict[str, Part]) -> Iterator[str]:
    """One sentence for each thing that is not what was declared."""
    claims = outcome.claims
    if outcome.evidence.sequence is not None:
        yield f"The Euler angles are {outcome.evidence.sequence} (intrinsic), not what they are said to be."
    if parts["half_converted"].answer == "one_euler_angle_negated":
        if outcome.evidence.form == "euler":
            yield (
                "One Euler angle was negated and the others were not, or the angles are in the reversed sequence: as they "
                "are, no direction or axes make this attitude right."
            )
        else:
            yield (
                "One Euler angle was negated and the others were not, or the angles were put together in the reversed "
                "sequence: no order, direction or axes make this attitude right."
            )
    if parts["order"].decided and claims.order and parts["order"].answer != claims.order:
        yield f"The quaternion's order is {parts['order'].answer}, not {claims.order}."
    if parts["direction"].decided and claims.direction and parts["direction"].answer != claims.direction:
        true = str(parts["direction"].answer).replace("_", " ")
        yield f"The attitude is stored {true}, not {claims.direction.replace('_', ' ')}: it is the inverse of what is declared."
    if parts["gyro_unit"].decided and claims.gyro_unit and parts["gyro_unit"].answer != claims.gyro_unit:
        yield f"The gyro is in {parts['gyro_unit'].answer}, not {claims.gyro_unit}."
    if parts["accel"].decided and claims.accel_unit:
        unit = parts["accel"].answer["unit"]
        if unit is not None and unit != claims.accel_unit:
            yield f"The accelerometer is in {unit}, not {claims.accel_unit}."
    up = parts["world_up"]
    same = up.answer in (claims.world_up, "radial") or _mirrored(outcome, parts) is not None
    compared = up.decided and claims.world_up and isinstance(up.answer, str) and not outcome.half_converted
    if compared and not same:
        yield (
            f"Up is along the world's {up.answer}, not {claims.world_up}, or the accelerometer gives gravity's "
            "direction instead of specific force."
        )


def _mirrored(outcome: Outcome, parts: dict[str, Part]) -> str | None:
    """Return the mirroring mount of an attitude that is left-handed, as its velocity is, and its sensors are not.

    Such an attitude equals a right-handed one with M, u and N negated; read so, N is none.
    """
    place, mount = parts["position_axes"].answer, parts["imu_axes"].answer
    if not outcome.refutes("same_world") or place != "-x-y-z" or not isinstance(mount, str):
        return None
    return axes_name(-parse_axes(mount))


def _velocities(outcome: Outcome, parts: dict[str, Part], *, alone: bool) -> Iterator[str]:
    """Say in which axes velocities are that are said to be in the attitude's world and are not."""
    place, claims = parts["position_axes"].answer, outcome.claims
    if not outcome.refutes("same_world") or not isinstance(place, str) or place == _SAME:
        return
    if (body := _mirrored(outcome, parts)) is not None:
        yield (
            "Attitude and velocity are left-handed, gyro and accelerometer right-handed: read so, the body is the IMU's "
            f"{body}. No command repairs a log that is mirrored in part: mirror attitude and velocity back, or the sensors."
        )
        return
    axes = parse_axes(place)
    mirrored = bool(np.linalg.det(axes) < 0)
    system = conventions.get(claims.convention) if claims.convention else None
    named = ""
    if system is not None and len(letters := system.world.letters) == 3 and set(letters) <= _NAMES.keys():
        beside = ", ".join(_NAMES[letter] for letter in letters_of(axes, letters))
        named = f" ({beside} beside {_article(letters)} {letters} attitude)"
    hand = ", a left-handed world beside a right-handed attitude" if mirrored else ""
    hand = (
        hand if system is None or system.handedness == "right" else hand.replace("left-handed", "mirrored", 1)
    )
    right = "The attitude is right. " if alone else ""
    angle = None if system is None else _turn_about(axes, up_axis(system.world.letters))
    how = "in other axes" if angle is None else f"turned by {angle}° about the vertical"
    yield f"{right}The velocities are {how}: {place} of its world{named}{hand}. No command repairs velocities."


def _turn_about(axes: NDArray[np.floating], up: str | None) -> int | None:
    """Return the degrees of a turn that keeps this axis as it is, without its sign; None for any other map."""
    if up is None or np.linalg.det(axes) < 0:
        return None
    upright = "xyz".index(up[1])
    if axes[upright, upright] < 1:
        return None
    return 180 if np.trace(axes) < 0 else 90


def _article(letters: str) -> str:
    return "an" if letters[0] in "EFLMNRS" else "a"


def _noticed(outcome: Outcome, parts: dict[str, Part]) -> Iterator[str]:
    """What does not contradict the declared system, and is worth a look."""
    claims = outcome.claims
    if not claims.convention:
        return
    system = conventions.get(claims.convention)
    axes = system.thing_axes()
    declared, own = up_axis(axes.letters), parts["body_up"].answer
    if declared is not None and isinstance(own, str) and own != declared:
        how = "upside down" if own[1] == declared[1] else "on its side"
        yield (
            f"The body is {how}: its {own} is up, where {system.id}'s {axes} has {declared} up. If it did not stand so, "
            "the body's axes are not those declared."
        )
    if system.handedness == "left":
        yield (
            f"Nothing here tells whether the log is left-handed, as {system.id} is: a log mirrored as a whole looks the "
            "same."
        )


def fitting_systems(parts: dict[str, Part], form: str, declared: str = "") -> tuple[str, ...]:
    """Name the systems of the registry whose order, direction and letters are those that were decided.

    A log that is mirrored as a whole looks the same, so that systems of the declared one's hand are named alone; where
    none is declared and the sensors share the attitude's hand, of the right one.
    """
    hand = conventions.get(declared).handedness if declared else None
    if hand is None and parts["handedness"].answer == "right":
        hand = "right"
    if not parts["direction"].decided or parts["half_converted"].answer != "none":
        return ()
    if not (parts["world_up"].decided or parts["world_axes"].decided):
        return ()
    found: list[str] = []
    for name in conventions.names():
        system = conventions.get(name)
        own = (None,) if name == declared else ()  # it has no order of its own, and one was said
        if form == "quat" and (
            system.order not in (*own, parts["order"].answer) or system.transposes_quaternion
        ):
            continue
        if system.direction != parts["direction"].answer or hand not in (None, system.handedness):
            continue
        world = system.world.letters
        up = parts["world_up"].answer
        if (
            parts["world_axes"].decided
            and system.world.kind == "compass"
            and world != parts["world_axes"].answer
        ):
            continue
        if up == "radial":
            if system.world.kind != "earth":
                continue
        elif (
            not isinstance(up, str)
            or not world
            or system.world.kind not in ("compass", "local")
            or up_axis(world) != up
        ):
            continue
        body = system.thing_axes().letters
        if parts["body_axes"].decided and body and body != parts["body_axes"].answer:
            continue
        if isinstance(parts["body_up"].answer, str) and body and up_axis(body) != parts["body_up"].answer:
            continue
        found.append(name)
    return tuple(found)
