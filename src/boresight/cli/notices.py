"""What there is to notice about a log, as a person reads it: one line a fact, the path once, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boresight.cli.terminal import warn

if TYPE_CHECKING:
    from boresight.logs.model import Notice

__all__ = ["lines_of", "warn_of"]

_LINES = 8
_WIDTH = 400
# Codes of notices that say that the file itself is damaged, and of those about what the user asked for.
_DAMAGE = ("truncated", "damaged")
_ASKED = ("unused-option", "overruled", "free-world")


def warn_of(path: Path, notices: Iterable[Notice], beside: Sequence[str] = ()) -> None:
    """Print the warnings of a log on stderr: at most eight, and how many more there are.

    Parameters
    ----------
    path : pathlib.Path
        The log; named on the first line.
    notices : iterable of Notice
        What its reader, the conversion and the writer noticed.
    beside : sequence of str
        Lines of the command's own, which come after them.
    """
    lines = [*lines_of(notices), *beside]
    more = len(lines) - _LINES
    if more > 1:
        lines = [*lines[:_LINES], f"and {more} more (--json has them all)"]
    for number, line in enumerate(lines):
        warn(line if number else f"{path}: {line}")


def lines_of(notices: Iterable[Notice]) -> list[str]:
    """Say notices, worst first: a damaged file, then what concerns most rows; last what is not read at all.

    A fact that holds of several streams is told of the one with most rows, and the others are named behind it.

    Examples
    --------
    >>> from boresight.logs.model import Notice
    >>> lines_of([Notice("reset", "2 of 9 rows come after a reset", f"attitude/{i}", i) for i in (1, 2, 3)])
    ['attitude/3: 2 of 9 rows come after a reset; likewise attitude/2 (2), attitude/1 (1)']
    """
    facts: dict[str, list[Notice]] = {}
    for notice in notices:
        facts.setdefault(_fact(notice), []).append(notice)
    order = sorted(facts.values(), key=_badness)
    return [_line(of_one) for of_one in order]


def _fact(notice: Notice) -> str:
    if notice.stream is None:
        return notice.message
    # What a writer says of numbers that the log flags is what the reader said of the flags.
    return "flagged-invalid" if notice.code.startswith("flagged-invalid") else notice.code


def _badness(notices: list[Notice]) -> tuple[bool, bool, bool, int]:
    code = notices[0].code
    return (
        code not in _DAMAGE,
        code not in _ASKED,
        code == "not-read",
        -max(notice.count for notice in notices),
    )


def _line(notices: list[Notice]) -> str:
    # The writer's own word before the reader's: it says what became of the rows.
    first, *others = sorted(notices, key=lambda n: (n.code == "flagged-invalid", -n.count))
    counts: dict[str, int] = {}
    for notice in others:
        if notice.stream and notice.stream != first.stream:
            counts[notice.stream] = max(notice.count, counts.get(notice.stream, 0))
    text = str(first)
    if len(text) > _WIDTH:
        text = f"{text[:_WIDTH].rpartition(' ')[0]} … (--json has it all)"
    if not counts:
        return text
    streams = [f"{name} ({count:,})" for name, count in counts.items()]
    shown = streams if len(streams) <= 6 else [*streams[:5], f"{len(streams) - 5} more"]
    return f"{text}; likewise {', '.join(shown)}"
