"""The question that a command asks before it takes a log at its word: does the rest of the log contradict it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import DataError

if TYPE_CHECKING:
    from boresight.diagnosis import Diagnosis
    from boresight.logs.model import Log

__all__ = ["check_log", "refuse_contradicted"]


def check_log(log: Log, *, stream: str | None = None, force: bool = False) -> Diagnosis | None:
    """Diagnose a log and refuse it where it is contradicted.

    Parameters
    ----------
    log : Log
        What is about to be used.
    stream : str, optional
        The stream whose orientations are meant; one without any is left alone.
    force : bool
        Warn instead of refusing.

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
    diagnosis = diagnose(log, stream=stream)
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
