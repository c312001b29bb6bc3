"""Names given on the command line, checked before any work is done: an unknown one is a usage error (exit code 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

import typer

from boresight.errors import BoresightError, ConventionError

__all__ = [
    "PICTURES",
    "check_axes",
    "check_convention",
    "check_format",
    "check_suffix",
    "heading",
    "output_format",
]

PICTURES = (".png", ".svg", ".pdf")
"""Suffixes of the pictures that are drawn."""


def check_convention(option: str, name: str | None) -> None:
    """Refuse a convention that the registry does not have."""
    if name is None:
        return
    from boresight import conventions

    try:
        conventions.get(name)
    except ConventionError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def check_format(option: str, name: str | None, known: Iterable[str]) -> None:
    """Refuse a format that nothing reads, or writes."""
    names = sorted(known)
    if name is None or name in names:
        return
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    raise typer.BadParameter(
        f"there is no format {name!r}; {hint}known are {', '.join(names)}", param_hint=option
    )


def output_format(output: Path, name: str | None, *, may_be_named: bool = True) -> str:
    """Return the format to write: the one that is named, or the one of the output's suffix.

    `may_be_named` says whether the command has an option for it, which the message can then point to.
    """
    from boresight.logs import registry

    check_format("--format", name, (known for known, (_, written) in registry.formats().items() if written))
    if name is not None:
        return name
    try:
        return registry.format_for(output)
    except BoresightError:
        written = [known for known, (_, may) in registry.formats().items() if may]
        known = ", ".join(f"{name} ({registry.writer(name).suffixes[0]})" for name in written)
        named = "; --format names one whatever the suffix" if may_be_named else ""
        reason = f"the suffix {output.suffix!r} names no format; there are {known}{named}"
        raise typer.BadParameter(reason, param_hint="-o") from None


def check_suffix(option: str, path: Path, known: Sequence[str], *, what: str) -> None:
    """Refuse an output whose suffix, in capitals or not, is none of those that `what` is written with."""
    if path.suffix.lower() in known:
        return
    *others, last = known
    raise typer.BadParameter(
        f"{path.suffix or path.name!r} is no {what}; give {', '.join(others)} or {last}", param_hint=option
    )


def heading(option: str, text: str | None) -> str | float | None:
    """Read a heading: a compass letter, or degrees clockwise from north."""
    if text is None:
        return None
    if text.upper() in ("N", "E", "S", "W"):
        return text.upper()
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither one of N, E, S, W nor a heading in degrees.", param_hint=option
        ) from None


def check_axes(option: str, letters: str | None) -> None:
    """Refuse letters that name no axes."""
    if letters is None:
        return
    from boresight.axes import Axes

    try:
        Axes(letters)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
