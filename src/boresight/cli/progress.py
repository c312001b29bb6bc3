"""A progress bar on a terminal, for anything that takes over a second."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from boresight.cli.terminal import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Progress"]

_DELAY = 1.0


class Progress:
    """How far a job is, shown on stderr once it has taken a second.

    Where stderr is no terminal this does nothing, and rich is not imported.

    Parameters
    ----------
    stage : str
        What is being done, for example ``"reading flight.ulg"``.

    Examples
    --------
    >>> with Progress("reading flight.ulg") as progress:
    ...     progress.stage("writing flight.mcap", total=1200)
    ...     progress.advance(600)
    """

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._total: int | None = None
        self._done = 0
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if is_terminal(sys.stderr):
            self._timer = threading.Timer(_DELAY, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._bar is not None:
                self._bar.stop()

    def stage(self, stage: str, total: int | None = None) -> None:
        """Begin another part of the job; without a total the bar only shows that something goes on."""
        with self._lock:
            self._stage, self._total, self._done = stage, total, 0
            if self._bar is not None and self._task is not None:
                self._bar.reset(self._task, total=total, description=stage)

    def advance(self, count: int) -> None:
        """Count rows that are done."""
        with self._lock:
            self._done += count
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, completed=self._done)

    def _show(self) -> None:
        # In the timer's thread, so that a job under a second never pays for importing rich.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with self._lock:
            if self._timer is None:  # the job ended while rich was being imported
                return
            self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._stage, total=self._total, completed=self._done)
            self._bar.start()
