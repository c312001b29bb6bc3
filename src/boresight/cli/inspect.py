"""`boresight inspect`: what is in a log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boresight.cli.notices import warn_of
from boresight.cli.options import InFormat, ReaderOptions
from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, plural, print_json, print_table, seconds

if TYPE_CHECKING:
    from boresight.logs.model import Log
    from boresight.logs.summary import StreamSummary

__all__ = ["inspect"]

_GAPS_SHOWN = 5


def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The log.", show_default=False)],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NAME", help="Convention of the numbers, instead of the format's own."
        ),
    ] = None,
    in_format: InFormat = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="A damaged file is an error, not a warning.")
    ] = False,
    option: ReaderOptions = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show what is in a log: streams, rates, durations, conventions, gaps, invalid rows.

    For example: boresight inspect flight.ulg
    """
    from boresight.cli.names import check_convention
    from boresight.cli.reading import read_log
    from boresight.logs.summary import summarise

    check_convention("--from", from_)
    with Progress(f"reading {file.name}"):
        log = read_log(
            file, from_, format=in_format, strict=strict, options=option or [], attitude_required=False
        )
        summaries = summarise(log)
    if as_json:
        print_json(_as_dict(file, log, summaries))
    else:
        _show(file, log, summaries)


def _as_dict(file: Path, log: Log, summaries: tuple[StreamSummary, ...]) -> dict[str, object]:
    return {
        "path": str(file),
        "format": log.format,
        "start_ns": log.start,
        "end_ns": log.end,
        "duration_s": (log.end - log.start) * 1e-9,
        "streams": [summary.to_dict() for summary in summaries],
        "notices": [
            {"code": n.code, "message": n.message, "stream": n.stream, "count": n.count} for n in log.notices
        ],
        "metadata": dict(log.metadata),
    }


def _show(file: Path, log: Log, summaries: tuple[StreamSummary, ...]) -> None:
    warn_of(file, log.notices)
    duration = seconds((log.end - log.start) * 1e-9)
    print(f"{file}: {log.format}, {plural(len(summaries), 'stream')}, {duration}")
    if log.metadata:
        print(", ".join(f"{key} {value}" for key, value in log.metadata.items() if len(value) < 60))
    print()
    head = [
        "stream",
        "kind",
        "rows",
        "rate",
        "from start",
        "duration",
        "convention",
        "axes",
        "invalid",
        "gaps",
    ]
    rows = [_row(summary, log.start) for summary in summaries]
    print_table(head, rows, right=(2, 3, 4, 5, 8, 9))
    for summary in summaries:
        for line in _faults(summary, log):
            print(colour(f"{summary.stream.name}: {line}", "yellow", sys.stdout))


def _row(summary: StreamSummary, start: int) -> list[str]:
    stream, convention = summary.stream, summary.stream.convention
    return [
        stream.name,
        stream.kind,
        f"{stream.num_rows:,}",
        "-" if summary.rate is None else f"{summary.rate:.4g} Hz",
        "-" if summary.start is None else f"{(summary.start - start) * 1e-9:.3f} s",
        seconds(summary.duration),
        convention.id,
        f"{convention.things[stream.thing]} in {convention.world}",
        str(summary.invalid) if stream.has_orientation else "-",
        str(len(summary.gaps)),
    ]


def _faults(summary: StreamSummary, log: Log) -> list[str]:
    """Say what is wrong with a stream's rows, worst first, but for what the reader's notices have said."""
    said = {notice.code for notice in log.notices if notice.stream == summary.stream.name}
    lines: list[str] = []
    if summary.invalid and "invalid-orientation" not in said:
        rows = plural(summary.invalid, "row")
        lines.append(f"{rows} without an orientation, the first is row {summary.first_invalid}")
    if summary.backward and "time-backwards" not in said:
        lines.append(f"time goes backward at {plural(summary.backward, 'row')}")
    if summary.repeated and "time-repeated" not in said:
        lines.append(f"{plural(summary.repeated, 'row')} with the time of the row before")
    longest = sorted(summary.gaps, key=lambda gap: -gap.seconds)
    for gap in longest[:_GAPS_SHOWN]:
        at = (gap.start - log.start) * 1e-9
        lines.append(f"gap of {seconds(gap.seconds)} after row {gap.row}, {at:.3f} s from the start")
    if len(longest) > _GAPS_SHOWN:
        lines.append(f"and {plural(len(longest) - _GAPS_SHOWN, 'shorter gap')}")
    return lines
