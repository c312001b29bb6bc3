"""Reading a log as a command does: options that only some formats have are given to those alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import typer

from boresight.errors import DataError
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
    try:
        log = registry.read(file, from_, format=name, strict=strict, **given)
    except DataError as error:
        advice = None if error.advice is None else in_options(error.advice)
        reason = in_options(error.reason)
        raise DataError(reason, path=error.path, place=error.place, advice=advice) from error
    return replace(log, notices=tuple(replace(n, message=in_options(n.message)) for n in log.notices))


# How a command's user writes what a message of the library calls by the arguments of `read`.
_OPTIONS = (
    (r"columns=\{'(\w+)': \.\.\., '(\w+)': \.\.\.\}", r"--option columns.\1=... --option columns.\2=..."),
    (r"columns=\{'(\w+)': \.\.\.\}", r"--option columns.\1=..."),
    (r"\b(columns|units)=\{\.\.\.\}", r"--option \1.NAME=..."),
    (r"\bfrom_=\"(\w+)\"", r"--from \1"),
    (r"\bfrom_=", "--from NAME"),
    (r"\bformat=\"(\w+)\"", r"--in-format \1"),
    (r"(?<![\w.])(order|time_unit)=\"(\w+)\"", r"--option \1=\2"),
    (r"(?<![\w.])times=(?!\w)", "--option times=FILE"),
)


def in_options(message: str) -> str:
    """Say a message of a reader in the options that commands have.

    Examples
    --------
    >>> in_options("give the file of times with times=")
    'give the file of times with --option times=FILE'
    >>> in_options("name it with columns={'time': ...}")
    'name it with --option columns.time=...'
    """
    for pattern, option in _OPTIONS:
        message = re.sub(pattern, option, message)
    return message


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
