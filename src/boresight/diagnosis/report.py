"""A diagnosis as one screen of text, worst news first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from boresight.diagnosis.model import Diagnosis, Part, Reading

__all__ = ["HEADLINES", "report_lines", "report_text"]

Style = Literal["red", "yellow", "green", "bold", "dim"]
Line = tuple[str, Style | None]

HEADLINES: dict[str, tuple[str, Style]] = {
    "contradicted": ("CONTRADICTED: the numbers are not what they are declared to be", "red"),
    "ambiguous": ("AMBIGUOUS: the data leave more than one reading", "yellow"),
    "not_observable": ("NOT OBSERVABLE: something is missing that could tell", "yellow"),
    "undeclared": ("UNDECLARED: nothing says what the numbers are; the data support this", "green"),
    "consistent": ("CONSISTENT: the data support what is declared", "green"),
}
_LABEL = 10
_READINGS = 3
_SAME = "+x+y+z"
_BETWEEN = " ._/:["
"""Where the part that names of columns share may end or begin."""
_NAMES = {
    "half_converted": "half converted",
    "imu_axes": "IMU axes",
    "body_up": "body up",
    "body_forward": "body forward",
    "body_axes": "body axes",
    "world_up": "world up",
    "position_axes": "position axes",
    "world_axes": "world axes",
    "gyro_unit": "gyro unit",
    "accel": "accelerometer",
    "time_offset": "clock offset",
}
# Said in the lines of readings, or made up of other parts.
_SHOWN = ("order", "direction", "imu_axes", "world_up", "position_axes")
_COMBINED = ("body_axes", "world_axes")
# What would settle them stands in their reason.
_ADVISED = ("order", "direction")


def report_text(diagnosis: Diagnosis, *, width: int = 80) -> str:
    """Write a diagnosis for people, without colours."""
    return "\n".join(text for text, _ in report_lines(diagnosis, width=width))


def report_lines(diagnosis: Diagnosis, *, width: int = 80) -> Iterator[Line]:
    """Write a diagnosis for people, line by line, each with the style that a terminal may show it in."""
    headline, style = HEADLINES[diagnosis.verdict]
    yield headline, style
    if diagnosis.source:
        yield diagnosis.source, "bold"
    for number, sentence in enumerate(diagnosis.advice):
        first = "bold" if number == 0 and diagnosis.verdict == "contradicted" else None
        for line in _wrapped(sentence, width, "- ", "  "):
            yield line, first
    if diagnosis.fix:
        # In one line however long, so that it can be copied.
        yield "repair:", "bold"
        yield f"  {diagnosis.fix}", "green"
    yield "", None
    yield from _labelled("compared", _compared(diagnosis), width)
    if diagnosis.declared:
        yield from _labelled("declared", _declared(diagnosis.declared), width)
    yield from _labelled("found" if len(diagnosis.best) < 2 else "either", _readings(diagnosis), width)
    decided = [_answer(name, part) for name, part in diagnosis.parts.items() if _is_news(name, part)]
    yield from _labelled("decided", [", ".join(decided)] if decided else [], width)
    yield from _labelled("open", _open(diagnosis), width)
    yield from _labelled("assumed", _assumed(diagnosis), width)
    yield from _labelled("evidence", _evidence(diagnosis), width)
    if diagnosis.systems:
        yield from _labelled("fits", [", ".join(diagnosis.systems[:8])], width)


def _labelled(label: str, texts: list[str], width: int) -> Iterator[Line]:
    for number, text in enumerate(texts):
        first = f"{label:<{_LABEL}}" if number == 0 else " " * _LABEL
        style: Style | None = "yellow" if label == "open" else None
        for line in _wrapped(text, width, first, " " * (_LABEL + 2)):
            yield line, style


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Break at blanks only: the name of a column is to be found as it stands."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


# -- what stands beside each label ---------------------------------------------------------------------------------


def _compared(diagnosis: Diagnosis) -> list[str]:
    """The attitude's stream, with the others and what was taken from each, where it could be used."""
    taken: dict[str, list[str]] = {}
    streams = diagnosis.streams
    for kind, name in streams.items():
        note = diagnosis.evidence.get(kind)
        if kind == "position" and streams.get("velocity") == name:
            continue  # the velocities beside it tell more
        if kind != "attitude" and note is not None and note.used:
            taken.setdefault(name, []).append(kind)
    if not streams:
        return []
    own = streams["attitude"]
    words = [
        f"{_shared(name)} ({', '.join(kinds)})" if name != own else f"its own {', '.join(kinds)}"
        for name, kinds in taken.items()
    ]
    return [f"{_shared(own)} with {', '.join(words)}" if words else _shared(own)]


def _shared(name: str) -> str:
    """Write the columns of a table with what their names share once: ``"RAW_IMU.xgyro,ygyro,zgyro"``."""
    names = name.split(",")
    if len(names) < 2:
        return name
    before, after = _common(names), _common([n[::-1] for n in names])[::-1]
    while before and before[-1] not in _BETWEEN:
        before = before[:-1]
    while after and after[0] not in _BETWEEN:
        after = after[1:]
    middles = [n[len(before) : len(n) - len(after)] for n in names]
    return f"{before}{','.join(middles)}{after}" if all(middles) else name


def _common(names: list[str]) -> str:
    letters = zip(*names, strict=False)
    same = next((i for i, those in enumerate(letters) if len(set(those)) > 1), min(map(len, names)))
    return names[0][:same]


def _declared(declared: Any) -> list[str]:
    words = [in_words(declared[name]) for name in ("convention", "order", "direction") if name in declared]
    if "world_up" in declared:
        words.append(f"up is {declared['world_up']}")
    words += [declared[name] for name in ("gyro_unit", "accel_unit") if name in declared]
    if declared.get("same_frame"):
        words.append("gyro and attitude in one frame")
    if declared.get("same_world"):
        words.append("velocity and attitude in one world")
    if declared.get("upright"):
        words.append("upright")
    return [", ".join(words)] if words else []


def _readings(diagnosis: Diagnosis) -> list[str]:
    alike: dict[str, list[Reading]] = {}
    for reading in diagnosis.best:
        alike.setdefault(_reading(replace(reading, mount_deg=None)), []).append(reading)
    lines = [_reading(*readings) for readings in alike.values()]
    if len(lines) > _READINGS:
        hidden = sum(len(readings) for readings in list(alike.values())[_READINGS:])
        lines = [*lines[:_READINGS], f"and {hidden} more (--json lists them)"]
    return lines


def _reading(*readings: Reading) -> str:
    """Write a reading, or those that differ in nothing that is written but how far off the IMU stands."""
    reading = readings[0]
    words = [reading.order] if reading.order else []
    words.append(reading.direction.replace("_", " "))
    if reading.half_converted != "none":
        words.append("one Euler angle negated")
    if reading.sequence is not None:
        words.append(f"its angles read as {reading.sequence.replace(', ', ' in ')}")
    if reading.imu_axes is not None:
        offs = sorted({f"{r.mount_deg:.1f}" for r in readings if r.mount_deg}, key=float)
        off = f" ({' to '.join(dict.fromkeys((offs[0], offs[-1])))} deg off)" if offs else ""
        own = (
            "IMU and body in one frame"
            if reading.imu_axes == _SAME
            else f"its body is the IMU's {reading.imu_axes}"
        )
        words.append(f"{own}{off}")
    if reading.world_up is not None:
        words.append(f"up is {in_words(reading.world_up)}")
    if reading.position_axes is not None:
        own = "in its world" if reading.position_axes == _SAME else f"its {reading.position_axes}"
        words.append(f"velocities are {own}")
    return ", ".join(words) + (f": {len(readings)} ways" if len(readings) > 1 else "")


def _is_news(name: str, part: Part) -> bool:
    return part.decided and name not in _SHOWN and not (name in _COMBINED and isinstance(part.answer, dict))


def _answer(name: str, part: Part) -> str:
    label = _NAMES.get(name, name)
    if name == "time_offset":
        return f"{label} {1000 * float(part.answer):.1f} ms"
    if name == "handedness":  # of the log as a whole nothing tells it
        return f"attitude and sensors of {'one hand' if part.answer == 'right' else 'opposite hands'}"
    margin = (
        f" (the next reading leaves {part.margin:.3g} times the noise)"
        if name == "sense" and part.margin
        else ""
    )
    return f"{label} {in_words(part.answer)}{margin}"


def _open(diagnosis: Diagnosis) -> list[str]:
    """The parts that are open, those with one reason together."""
    reasons: dict[str, list[str]] = {}
    for name, part in diagnosis.parts.items():
        if not part.decided and name not in _COMBINED:
            told = name in _ADVISED or any(part.settles[1:] in sentence for sentence in diagnosis.advice)
            reason = part.why.replace(": not in the log", "")  # says no more than that there is none
            why = "; to settle it: ".join(text for text in (reason, "" if told else part.settles) if text)
            reasons.setdefault(why, []).append(_NAMES.get(name, name))
    return [f"{', '.join(names)}: {why}" if why else ", ".join(names) for why, names in reasons.items()]


def _assumed(diagnosis: Diagnosis) -> list[str]:
    texts = {text for part in diagnosis.parts.values() for text in part.assumes}
    return sorted(text.replace("says the caller", "as you say") for text in texts)


def _evidence(diagnosis: Diagnosis) -> list[str]:
    used = [f"{name} {note.samples}" for name, note in diagnosis.evidence.items() if note.used]
    lines = [f"{', '.join(used)} samples" if used else "none"]
    unused = [
        f"{n}: {note.why}"
        for n, note in diagnosis.evidence.items()
        if not note.used and note.why != "not in the log" and n != "second"  # another estimate is no news
    ]
    if unused:
        lines.append(f"not used: {'; '.join(unused)}")
    second = diagnosis.evidence.get("second")
    if second is not None and second.used:
        lines.append(second.why)
    faults: list[str] = []
    for name, fault in diagnosis.faults.items():
        words = [
            f"{count} {what if count == 1 else what.replace(thing, thing + 's', 1)}"
            for count, thing, what in (
                (fault.invalid, "row", "row without numbers"),
                (fault.duplicates, "stamp", "stamp twice"),
                (fault.disordered, "row", "row out of order"),
                (fault.restarts, "restart", "restart of the clock"),
                (fault.gaps, "gap", "gap"),
            )
            if count
        ]
        if words:
            faults.append(f"{name}: {', '.join(words)}")
    if faults:
        lines.append("; ".join(faults))
    if diagnosis.resets:
        times = ", ".join(f"{t:.2f}" for t in diagnosis.resets[:5])
        more = ", ..." if len(diagnosis.resets) > 5 else ""
        often = "once" if len(diagnosis.resets) == 1 else f"{len(diagnosis.resets)} times"
        lines.append(f"the attitude jumps {often}, at {times}{more} s")
    return lines


def in_words(value: Any) -> str:
    """Write an answer: one for each twin, a unit with its kind, a name."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        if set(items) <= {"wxyz", "xyzw"}:
            return " or ".join(f"{in_words(item)} (if {key})" for key, item in items.items())
        return ", ".join(str(item).replace("_", " ") for item in items.values() if item is not None)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(str(item) for item in cast("tuple[Any, ...]", value)) + ")"
    return str(value).replace("_", " ")
