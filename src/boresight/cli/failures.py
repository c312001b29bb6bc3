"""The one place where an error becomes a line on stderr and an exit code.

Exit codes: 0 done, 1 the data or a file is at fault, 2 the command was used wrongly, 70 an error inside boresight
itself, 130 stopped by Ctrl-C, 141 the reader of our output went away, 143 asked to end. A command whose 1 is an answer
("no") ends with 2 where it has none, as `diff` and `grep` do.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from types import FrameType
from typing import NoReturn, ParamSpec

import typer

from boresight.errors import BoresightError

__all__ = [
    "DATA_AT_FAULT",
    "INTERNAL",
    "NO_ANSWER",
    "end_on_sigterm",
    "one_line",
    "or_no_answer",
    "run",
    "shield",
]

P = ParamSpec("P")

DATA_AT_FAULT = 1
NO_ANSWER = 2
INTERNAL = 70
_INTERRUPTED = 128 + signal.SIGINT
_BROKEN_PIPE = 128 + 13


def one_line(error: BaseException) -> str:
    """Say an error in one line, whatever its message holds.

    Examples
    --------
    >>> one_line(FileNotFoundError(2, "No such file or directory", "flight.ulg"))
    'flight.ulg: no such file or directory'
    """
    if isinstance(error, OSError) and not isinstance(error, BoresightError) and error.strerror:
        reason = error.strerror[:1].lower() + error.strerror[1:]
        names = [os.fsdecode(name) for name in (error.filename,) if isinstance(name, str | bytes)]
        text = ": ".join([*names, reason])
    else:
        text = str(error) or type(error).__name__
    return " ".join(text.split())


class _ReaderGoneError(Exception):
    """The reader of our output went away."""


class _StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


class _NoAnswerError(Exception):
    """A command whose exit code 1 is an answer has none; the reason is its cause."""


def or_no_answer(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command whose exit code 1 is an answer: data at fault end with 2, and stand in JSON where that is asked for."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            raise
        except (BoresightError, OSError, typer.BadParameter) as error:
            if kwargs.get("as_json"):
                said = error.format_message() if isinstance(error, typer.BadParameter) else one_line(error)
                said = " ".join(said.split())
                print(json.dumps({"error": said}, indent=2, ensure_ascii=False))
            if isinstance(error, typer.BadParameter):
                raise
            raise _NoAnswerError from error

    return wrapped


def shield(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command so that a broken pipe and Ctrl-C reach `run`: typer may end with 1, which means bad data here."""

    @wraps(command)
    def shielded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _ReaderGoneError from error
        except KeyboardInterrupt as error:
            raise _StoppedError from error

    return shielded


def end_on_sigterm() -> None:
    """Let a request to end unwind the stack, so that a half-written output is removed on the way out."""
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _say(text: str) -> None:
    with suppress(OSError):  # where nobody reads stderr any more, the exit code still tells
        print(f"boresight: {text}", file=sys.stderr, flush=True)


def _silence(*streams: str) -> None:
    """Point a broken stream at nothing, so that the interpreter's last flush does not fail again."""
    for name in streams:
        with suppress(OSError, AttributeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), getattr(sys, name).fileno())


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    last = frames[-1]
    return f" at {os.path.basename(last.filename)}:{last.lineno}"


def run(command: Callable[[], object], *, debug: bool = False) -> int:
    """Run a command and return its exit code, with any error said in one line on stderr.

    Parameters
    ----------
    command : callable
        The whole command. It may raise `SystemExit`, whose code is kept.
    debug : bool
        Show the traceback of an error as well.

    Returns
    -------
    int
        The exit code.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    try:
        try:
            command()
        finally:
            # Here and not at exit, where a reader that went away would print a traceback of its own.
            sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else (0 if end.code is None else 1)
    except (_StoppedError, KeyboardInterrupt):
        _say("stopped")
        return _INTERRUPTED
    except (_ReaderGoneError, BrokenPipeError):
        _silence("stdout", "stderr")
        return _BROKEN_PIPE
    except (BoresightError, OSError) as error:
        if debug:
            traceback.print_exc()
        _say(one_line(error))
        return DATA_AT_FAULT
    except _NoAnswerError as error:
        if debug:
            traceback.print_exc()
        _say(one_line(error.__cause__ or error))
        return NO_ANSWER
    except Exception as error:  # noqa: BLE001  the last resort; a fault of ours, and it says so
        if debug:
            traceback.print_exc()
        else:
            _say(
                f"internal error: {type(error).__name__}: {one_line(error)}{_where(error)}; this is a fault in "
                "boresight: please report it with what the same command shows with --debug"
            )
        return INTERNAL
    return 0
