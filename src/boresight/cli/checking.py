"""The question that a command asks before it takes a log at its word: does the rest of the log contradict it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from boresight.errors import DataError

if TYPE_CHECKING:
    from boresight.diagnosis import Diagnosis
    from boresight.logs.model import Log

__all__ = ["check_log", "reading_words", "refuse_contradicted", "with_words"]


def check_log(
    log: Log,
    *,
    stream: str | None = None,
    force: bool = False,
    words: Sequence[str] = (),
    repairs: bool = True,
) -> Diagnosis | None:
    """Diagnose a log and refuse it where it is contradicted.

    Parameters
    ----------
    log : Log
        What is about to be used.
    stream : str, optional
        The stream whose orientations are meant; one without any is left alone.
    force : bool
        Warn instead of refusing.
    words : sequence of str
        The options with which the log was read, for the command that repairs it.
    repairs : bool
        Whether to name that command.

    Returns
    -------
    Diagnosis or None
        None where there is no orientation to diagnose.

    Raises
    ------
    DataError
        The log is contradicted; one line with what is wrong, the repair, and the way on.
    """
    from boresight.diagnosis import diagnose

    if stream is not None and not log[stream].has_orientation:
        return None
    if not any(s.has_orientation and s.num_rows for s in log.streams.values()):
        return None
    diagnosis = with_words(diagnose(log, stream=stream), words)
    if not repairs:
        diagnosis = replace(diagnosis, fix="")
    refuse_contradicted(diagnosis, force=force, path=None if log.path is None else str(log.path))
    return diagnosis


def refuse_contradicted(diagnosis: Diagnosis, *, force: bool, path: str | None = None) -> None:
    """Raise, or warn where `force` says so, if the verdict is that the numbers are not what they are said to be."""
    if diagnosis.verdict != "contradicted":
        return
    reason = f"the attitude is contradicted by the rest of the log: {_first(diagnosis)}"
    if force:
        from boresight.cli.terminal import warn

        warn(f"{path}: {reason}" if path else reason)
        return
    repair = (
        f"{diagnosis.fix} repairs it" if diagnosis.fix else "boresight diagnose shows what speaks against it"
    )
    raise DataError(reason, path=path, advice=f"{repair}; --force goes on all the same")


def _first(diagnosis: Diagnosis) -> str:
    text = diagnosis.advice[0] if diagnosis.advice else "its reading is not the declared one."
    return text[:1].lower() + text[1:].rstrip(".")


def with_words(found: Diagnosis, words: Sequence[str]) -> Diagnosis:
    """Give the repairing command the words with which the file was read here."""
    if not found.fix or not words:
        return found
    if "--from" in words and " --from " in found.fix:
        at = words.index("--from")
        words = [*words[:at], *words[at + 2 :]]
    return replace(found, fix=shlex.join([*shlex.split(found.fix), *words]))


def reading_words(from_: str | None, options: Sequence[str], in_format: str | None) -> list[str]:
    """Write the options with which a log was read as words of a command line."""
    words = [] if from_ is None else ["--from", from_]
    for text in options:
        words += ["--option", text]
    return words if in_format is None else [*words, "--in-format", in_format]
