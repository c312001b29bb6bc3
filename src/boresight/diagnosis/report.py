"""A diagnosis as one screen of text, worst news first."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from boresight.diagnosis.model import Diagnosis

__all__ = ["report_text"]

HEADLINES = {
    "contradicted": "CONTRADICTED: the attitude is not what it is declared to be",
    "ambiguous": "AMBIGUOUS: the data leave more than one reading",
    "not_observable": "NOT OBSERVABLE: something is missing that could tell",
    "undeclared": "UNDECLARED: nothing says what the numbers are; the data support this reading",
    "consistent": "CONSISTENT: the data support what is declared",
}


def report_text(diagnosis: Diagnosis, *, width: int = 100) -> str:
    """Write a diagnosis for people."""
    lines = [HEADLINES[diagnosis.verdict]]
    if diagnosis.source:
        lines[0] += f"  ({diagnosis.source})"
    for sentence in diagnosis.advice:
        lines += textwrap.wrap(sentence, width, initial_indent="  ", subsequent_indent="  ")
    if diagnosis.fix:
        lines.append(f"  {diagnosis.fix}")
    if diagnosis.declared:
        lines.append(
            "declared   "
            + ", ".join(f"{name} {in_words(value)}" for name, value in diagnosis.declared.items())
        )
    lines.append("")
    for name, part in diagnosis.parts.items():
        label = name.replace("_", " ")
        if part.decided:
            margin = f"   (the next is {part.margin:.3g} times as far off)" if part.margin else ""
            lines.append(f"  {label:16} {in_words(part.answer)}{margin}")
        else:
            text = (
                f"  {label:16} open: {part.why}"
                if part.state == "ambiguous"
                else f"  {label:16} -     {part.why}"
            )
            lines += textwrap.wrap(text, width, subsequent_indent=" " * 19)
    if diagnosis.mount_deg is not None:
        lines.append(f"  {'mount':16} {diagnosis.mount_deg:.1f} degrees from these axes")
    if diagnosis.resets:
        times = ", ".join(f"{t:.2f}" for t in diagnosis.resets[:5]) + (
            ", ..." if len(diagnosis.resets) > 5 else ""
        )
        lines.append(f"  {'resets':16} {len(diagnosis.resets)}, at {times} s")
    if diagnosis.systems:
        lines.append(f"  {'systems':16} {', '.join(diagnosis.systems[:8])}")
    used = [f"{name} ({note.samples})" for name, note in diagnosis.evidence.items() if note.used]
    lines.append(f"  {'evidence':16} {', '.join(used) or 'none'}")
    assumed = sorted({text for part in diagnosis.parts.values() if part.decided for text in part.assumes})
    if assumed:
        lines.append("assumes")
        for text in assumed:
            lines += textwrap.wrap(text, width, initial_indent="  - ", subsequent_indent="    ")
    return "\n".join(lines)


def in_words(value: Any) -> str:
    """Write an answer: one for each twin, a unit with its kind, a name."""
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value)
        if set(items) <= {"wxyz", "xyzw"}:
            return " or ".join(f"{in_words(item)} (if {key})" for key, item in items.items())
        return ", ".join(str(item).replace("_", " ") for item in items.values() if item is not None)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(str, cast("list[Any]", value))) + ")"
    return str(value).replace("_", " ")
