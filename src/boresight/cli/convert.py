"""`boresight convert`: a log in one convention and format becomes a log in another."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, is_terminal, plural, print_json, print_table, seconds, warn

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.logs.model import Log
    from boresight.logs.output import WriteReport

__all__ = ["convert"]


def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help="The log to convert.", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="The file to write.", show_default=False)
    ],
    to: Annotated[str | None, typer.Option("--to", metavar="NAME", help="Convention to write in.")] = None,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Convention of the numbers, instead of the format's own."),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="F", help="Format to write, instead of the suffix's own.")
    ] = None,
    in_format: Annotated[
        str | None, typer.Option("--in-format", metavar="F", help="Format of the input, where it can't be told.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="A damaged input is an error, not a warning.")] = False,
    forward: Annotated[
        str | None,
        typer.Option(
            "--forward",
            metavar="E",
            help="Compass letter (or degrees) that the forward of a local world faces, where one side has a compass.",
        ),
    ] = None,
    world: Annotated[
        str | None, typer.Option("--world", metavar="RDF", help="Axes of a world that the format leaves open.")
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option("--stream", metavar="NAME", help="Convert only this stream; may be given several times."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Convert a log into another convention, another format, or both."""
    from boresight.cli.names import check_axes, check_convention, check_format, heading, output_format
    from boresight.logs import registry

    check_convention("--to", to)
    check_convention("--from", from_)
    check_axes("--world", world)
    check_format("--in-format", in_format, (name for name, (read, _) in registry.formats().items() if read))
    written = output_format(output, format_)
    facing = heading("--forward", forward)
    began = time.perf_counter()
    with Progress(f"reading {file.name}") as progress:
        log = registry.read(file, from_, format=in_format, strict=strict)
        if stream:
            log = replace(log, streams={name: log[name].replace() for name in stream})
        source = log
        if is_terminal(sys.stderr):
            from boresight.cli.counting import counted

            progress.stage(f"writing {output.name}", total=sum(s.num_rows for s in log.streams.values()))
            log = counted(log, progress.advance)
        report = registry.write(
            log, output, to=to, format=written, overwrite=overwrite, forward=facing, world=world
        )
    took = time.perf_counter() - began
    if as_json:
        print_json(_as_dict(file, source, report))
    else:
        _show(file, source, report, took)


def _unwritten(log: Log, report: WriteReport) -> list[str]:
    """Names of the streams that have rows and of which the output has none."""
    written = {item.stream for item in report.streams}
    return [name for name, stream in log.streams.items() if stream.num_rows and name not in written]


def _as_dict(file: Path, log: Log, report: WriteReport) -> dict[str, object]:
    return {
        "input": {"path": str(file), "format": log.format},
        "output": {
            "path": str(report.path),
            "format": report.format,
            "files": [str(path) for path in report.files],
            "rows": report.rows,
            "left_out": report.left_out,
        },
        "streams": [
            {
                "stream": item.stream,
                "target": item.target,
                "from": _name(log, item.stream),
                "to": item.convention,
                "rows": item.rows,
                "left_out": item.left_out,
                "reason": item.reason,
            }
            for item in report.streams
        ],
        "not_written": _unwritten(log, report),
        "notices": [
            {"code": n.code, "message": n.message, "stream": n.stream, "count": n.count} for n in report.notices
        ],
    }


def _name(log: Log, stream: str) -> str | None:
    return log.streams[stream].convention.id if stream in log.streams else None


def _show(file: Path, log: Log, report: WriteReport, took: float) -> None:
    for notice in report.notices:
        warn(f"{file}: {notice}")
    for item in sorted(report.streams, key=lambda item: -item.left_out):
        if item.left_out:
            warn(f"{file}: {item.stream}: {plural(item.left_out, 'row')} left out of {item.target}: {item.reason}")
    for name in _unwritten(log, report):
        stream = log.streams[name]
        warn(f"{file}: {name}: {plural(stream.num_rows, 'row')} not written: {report.format} holds no {stream.kind}")
    arrow = f"{file} ({log.format}) -> {report.path} ({report.format})"
    print(colour(arrow, "bold", sys.stdout))
    print(f"{plural(report.rows, 'row')} written, {report.left_out:,} left out, in {seconds(took)}")
    print()
    rows = [
        [item.stream, _axes(log.streams.get(item.stream)), _axes_of(item), f"{item.rows:,}", f"{item.left_out:,}", item.target]
        for item in report.streams
    ]
    print_table(["stream", "from", "to", "rows", "left out", "written as"], rows, right=(3, 4))
