"""Reading a log as a command does: options that only some formats have are given to those alone."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import typer

from boresight.logs import registry
from boresight.logs.model import Log

__all__ = ["read_log"]

# What every reader takes, and the command's own options say.
_COMMON = frozenset({"path", "from_", "strict", "attitude_required"})


def read_log(
    file: Path,
    from_: str | None,
    *,
    format: str | None,
    strict: bool,
    options: Sequence[str],
    attitude_required: bool,
) -> Log:
    """Read a log for a command.

    Parameters
    ----------
    file : pathlib.Path
        The log.
    from_ : str or None
        Convention of its numbers, where the user says so.
    format : str or None
        Its format, where the user says so.
    strict : bool
        Whether damage is an error.
    options : sequence of str
        Options of the format's own reader, each ``"name=value"`` or, of a mapping, ``"name.key=value"``.
    attitude_required : bool
        Whether a log without any orientation is an error.
    """
    name = format or registry.detect(file)
    known = signature(registry.reader(name).read).parameters
    given = _parsed(options, name, [option for option in known if option not in _COMMON])
    if "attitude_required" in known:
        given["attitude_required"] = attitude_required
    return registry.read(file, from_, format=name, strict=strict, **given)


def _parsed(options: Sequence[str], format: str, known: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for option in options:
        left, equals, value = option.partition("=")
        name, dot, key = left.partition(".")
        have = f"format {format} has {', '.join(known) or 'none'}"
        if not equals:
            raise typer.BadParameter(f"{option!r} is not NAME=VALUE; {have}", param_hint="--option")
        if name not in known:
            raise typer.BadParameter(f"there is no option {name!r}; {have}", param_hint="--option")
        if dot:
            given.setdefault(name, {})[key] = value
        else:
            given[name] = value
    return given
