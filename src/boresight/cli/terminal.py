"""What a command shows: warnings, tables, colours and JSON.

Results go to stdout, warnings and progress to stderr. Colour is used on a terminal only, and never where the
environment variable ``NO_COLOR`` is set (https://no-color.org).
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TextIO, cast

__all__ = ["colour", "is_terminal", "plural", "print_json", "print_table", "seconds", "table", "warn"]

Colour = Literal["red", "yellow", "green", "bold", "dim"]
_CODES: Mapping[Colour, str] = {"red": "31", "yellow": "33", "green": "32", "bold": "1", "dim": "2"}


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at the stream."""
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def colour(text: str, name: Colour, stream: TextIO) -> str:
    """Colour a text where the stream is a terminal that shows colours."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{_CODES[name]}m{text}\x1b[0m"


def warn(text: str) -> None:
    """Print a warning on stderr, in one line."""
    label = colour("warning:", "yellow", sys.stderr)
    print(label, " ".join(text.split()), file=sys.stderr)


def print_json(value: object) -> None:
    """Print one JSON document on stdout; numbers that JSON does not know (NaN, infinities) become null."""
    json.dump(_finite(value), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in cast("Sequence[Any]", value)]
    return value


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[int] = ()) -> list[str]:
    r"""Lay out rows in columns, two spaces apart.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : iterable of sequences
        The cells; shown by `str`.
    right : iterable of int
        Columns set flush right, for numbers.

    Returns
    -------
    list of str
        The lines, the head first.

    Examples
    --------
    >>> print("\n".join(table(["stream", "rows"], [["imu", 1200], ["gnss", 30]], right=[1])))
    stream  rows
    imu     1200
    gnss      30
    """
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    flush = set(right)
    lines: list[str] = []
    for row in cells:
        padded = [
            c.rjust(w) if i in flush else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def print_table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[int] = ()) -> None:
    """Print a table on stdout, its head bold on a terminal."""
    first, *rest = table(head, rows, right=right)
    print(colour(first, "bold", sys.stdout))
    for line in rest:
        print(line)


def plural(count: int, noun: str) -> str:
    """Count things.

    Examples
    --------
    >>> plural(1, "row"), plural(12345, "row")
    ('1 row', '12,345 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def seconds(value: float) -> str:
    """Show a duration so that a person reads it at a glance.

    Examples
    --------
    >>> seconds(0.0042), seconds(12.3456), seconds(754.2), seconds(7322.0)
    ('4.2 ms', '12.35 s', '12 min 34 s', '2 h 02 min')
    """
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    if value < 100:
        return f"{value:.4g} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
