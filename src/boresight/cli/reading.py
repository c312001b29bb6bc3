"""Reading a log as a command does: options that only some formats have are given to those alone."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

from boresight.logs import registry
from boresight.logs.model import Log

__all__ = ["holds_one_stream", "read_log"]


def read_log(file: Path, from_: str | None, *, format: str | None, strict: bool, attitude_required: bool) -> Log:
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
    attitude_required : bool
        Whether a log without any orientation is an error.
    """
    name = format or registry.detect(file)
    options: dict[str, bool] = {}
    if "attitude_required" in signature(registry.reader(name).read).parameters:
        options["attitude_required"] = attitude_required
    return registry.read(file, from_, format=name, strict=strict, **options)


def holds_one_stream(format: str) -> bool:
    """Whether a format's writer takes one stream of a log, chosen by its option `stream`."""
    return "stream" in signature(registry.writer(format).write).parameters
