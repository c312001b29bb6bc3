"""`boresight convert`: a log in one convention and format becomes a log in another."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.notices import warn_of
from boresight.cli.options import InFormat, ReaderOptions
from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, is_terminal, plural, print_json, print_table, seconds
from boresight.errors import DataError

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.logs.model import Log
    from boresight.logs.output import WriteReport

__all__ = ["convert"]

# Formats that hold one stream, with what the log has of positions for it. In all others --stream selects the streams.
_ONE_STREAM = ("tum", "euroc", "kitti", "csv")


def convert(
    file: Annotated[Path, typer.Argument(metavar="IN", help="The log to convert.", show_default=False)],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="The file to write; its suffix names the format (.mcap, .parquet, .tum, ...).",
            show_default=False,
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="NAME", help="Convention to write in; `boresight conventions` lists them."
        ),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NAME", help="Convention of the numbers, instead of the format's own."
        ),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="Format to write, instead of the suffix's own."),
    ] = None,
    in_format: InFormat = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="A damaged input is an error, not a warning.")
    ] = False,
    forward: Annotated[
        str | None,
        typer.Option(
            "--forward",
            metavar="E",
            help="Compass letter (or degrees) that the forward of a local world faces, where one side has a compass.",
        ),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option("--world", metavar="RDF", help="Axes of a world that the format leaves open."),
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option(
            "--stream", metavar="NAME", help="Convert only this stream; may be given several times."
        ),
    ] = None,
    option: ReaderOptions = None,
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="O", help="xyzw or wxyz: what the stored quaternions really are."),
    ] = None,
    direction: Annotated[
        str | None,
        typer.Option(
            "--direction",
            metavar="D",
            help="body_to_world or world_to_body: what the orientations really are.",
        ),
    ] = None,
    attitude_axes: Annotated[
        str | None,
        typer.Option(
            "--attitude-axes", metavar="FRD/NED", help="Body and world that the orientations really are in."
        ),
    ] = None,
    imu_axes: Annotated[
        str | None,
        typer.Option("--imu-axes", metavar="FRD", help="Axes that rates and forces really are in."),
    ] = None,
    negated: Annotated[
        str | None,
        typer.Option(
            "--negated", metavar="ZYX", help="Euler sequence whose first angle, and no other, was negated."
        ),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(
            "--unit", metavar="QUANTITY=UNIT", help="Unit that numbers really are in: angular_rate=deg/s."
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="NAME", help="The one stream whose orientations are corrected."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Diagnose first; refuse where the log contradicts what it declares."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="With --check: warn and go on.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Convert a log into another convention, another format, or both.

    For example: boresight convert flight.ulg -o flight.mcap --to ros
    """
    from boresight.cli.corrections import correction
    from boresight.cli.names import check_axes, check_convention, heading, output_format
    from boresight.cli.reading import read_log
    from boresight.logs import registry
    from boresight.logs.output import check_output

    check_convention("--to", to)
    check_convention("--from", from_)
    check_axes("--world", world)
    written = output_format(output, format_)
    change: dict[str, Any] = {"forward": heading("--forward", forward), "world": world}
    is_really = correction(
        order=order,
        direction=direction,
        negated=negated,
        attitude_axes=attitude_axes,
        imu_axes=imu_axes,
        units=unit or [],
    )
    if in_format is None:
        registry.detect(file)  # an input that is none is said before anything about the output
    check_output(output, overwrite=overwrite)
    began = time.perf_counter()
    with Progress(f"reading {file.name}") as progress:
        source = read_log(
            file, from_, format=in_format, strict=strict, options=option or [], attitude_required=not stream
        )
        if is_really:
            from boresight.logs.correction import corrected

            source = corrected(source, is_really, of=of)
        if check:
            from boresight.cli.checking import check_log, reading_words

            progress.stage(f"diagnosing {file.name}")
            words = reading_words(from_, option or [], in_format)
            chosen = of or (stream[0] if stream else None)
            # What was corrected already would have to be said again, so that no repair is named then.
            check_log(source, stream=chosen, force=force, words=words, repairs=not is_really)
        _check_world(source, to, world)
        log, options = _chosen(source, stream or [], written)
        if is_terminal(sys.stderr):
            from boresight.cli.counting import counted

            progress.stage(f"writing {output.name}", total=sum(s.num_rows for s in log.streams.values()))
            log = counted(log, progress.advance)
        report = registry.write(log, output, to=to, format=written, overwrite=overwrite, **change, **options)
    took = time.perf_counter() - began
    if as_json:
        print_json(_as_dict(file, source, report))
    else:
        _show(file, source, report, took, beside=() if stream else _beside(source, report))


def _check_world(log: Log, to: str | None, world: str | None) -> None:
    """Refuse the axes of a world that is known already: nothing would come of them."""
    from boresight import conventions

    worlds = [stream.convention.world for stream in log.streams.values()]
    if to is not None:
        worlds.append(conventions.get(to).world)
    if world is not None and all(axes.kind != "free" for axes in worlds):
        known = ", ".join(sorted({str(axes) for axes in worlds}))
        raise typer.BadParameter(
            f"{world!r} would name the axes of a free world, and all of them are known ({known}); leave it out, "
            "or say with --from or --to which convention the numbers are in",
            param_hint="--world",
        )


def _chosen(log: Log, names: list[str], format: str) -> tuple[Log, dict[str, Any]]:
    """Return the log with the streams that were asked for, and the writer's options that go with them."""
    if not names:
        if not any(stream.has_orientation for stream in log.streams.values()):
            have = ", ".join(f"{stream.name} ({stream.kind})" for stream in log.streams.values()) or "none"
            advice = f"its streams: {have}; --stream NAME converts one all the same"
            raise DataError("the log has no orientation", path=log.path, advice=advice)
        return log, {}
    chosen = {name: log[name] for name in names}
    if format not in _ONE_STREAM:
        return replace(log, streams=chosen), {}
    if len(chosen) > 1:
        raise typer.BadParameter(f"{format} holds one stream; give one.", param_hint="--stream")
    # All the others stay: the positions of the poses may be in one of them.
    return log, {"stream": names[0]}


def _beside(log: Log, report: WriteReport) -> list[str]:
    """Names of the streams that have rows and of which the output has none of their own."""
    written = {item.stream for item in report.streams if item.target}
    return [name for name, stream in log.streams.items() if stream.num_rows and name not in written]


def _left_out(report: WriteReport) -> int:
    """Rows left out; one that is missing from several topics of its stream is counted once."""
    streams: dict[str, int] = {}
    for item in report.streams:
        streams[item.stream] = max(item.left_out, streams.get(item.stream, 0))
    return sum(streams.values())


def _without_position(report: WriteReport) -> int:
    """Rows of attitudes that are in no pose for want of a position."""
    return sum(notice.count for notice in report.notices if notice.code == "no-position")


def _as_dict(file: Path, log: Log, report: WriteReport) -> dict[str, object]:
    return {
        "input": {"path": str(file), "format": log.format},
        "output": {
            "path": str(report.path),
            "format": report.format,
            "files": [str(path) for path in report.files],
            "rows": report.rows,
            "left_out": _left_out(report) + _without_position(report),
            "without_position": _without_position(report),
        },
        "streams": [
            {
                "stream": item.stream,
                "target": item.target,
                "from": log.streams[item.stream].convention.id if item.stream in log.streams else None,
                "to": None if item.convention is None else item.convention.id,
                "rows": item.rows,
                "left_out": item.left_out,
                "reason": item.reason,
            }
            for item in report.streams
        ],
        "not_written": _beside(log, report),
        "notices": [
            {"code": n.code, "message": n.message, "stream": n.stream, "count": n.count}
            for n in report.notices
        ],
    }


def _show(file: Path, log: Log, report: WriteReport, took: float, beside: Sequence[str]) -> None:
    _warn(file, report)
    print(colour(f"{file} ({log.format}) -> {report.path} ({report.format})", "bold", sys.stdout))
    # In MCAP one row of a stream may be messages on several topics.
    what = "message" if report.format == "mcap" else "row"
    counts = [f"{plural(report.rows, what)} written", f"{plural(_left_out(report), 'row')} left out"]
    without = _without_position(report)
    if without:
        counts.append(f"{plural(without, 'row')} without a position in no pose")
    print(f"{', '.join(counts)}, in {seconds(took)}")
    print()
    head = ["stream", "from", "to", "rows", "left out", "written as"]
    rows: list[list[str]] = []
    for item in report.streams:
        stream = log.streams.get(item.stream)
        was = "-" if stream is None else _said(stream.convention, stream.thing)
        is_now = "-" if item.convention is None else _said(item.convention)
        rows.append([item.stream, was, is_now, f"{item.rows:,}", f"{item.left_out:,}", item.target or "-"])
    print_table(head, rows, right=(3, 4))
    shown = {item.stream for item in report.streams}
    for notice in report.notices:
        if notice.code == "no-field":
            print()
            print(notice.message[:1].upper() + notice.message[1:])
    others = [f"{name} ({log.streams[name].kind})" for name in beside if name not in shown]
    if others:
        print()
        print(
            f"Not written on their own: {', '.join(others)}; poses hold the positions and rates that go with them"
        )


def _said(convention: Convention, thing: str | None = None) -> str:
    return f"{convention.id}: {convention.thing_axes(thing)} in {convention.world}"


def _warn(file: Path, report: WriteReport) -> None:
    """Say what is amiss; what has no place in the output stands below the table."""
    notices = [notice for notice in report.notices if notice.code not in ("beside", "no-field")]
    rest: list[str] = []
    for item in report.streams:
        if item.left_out and not any(item.reason in notice.message for notice in notices):
            of = f" of {item.target}" if item.target else ""
            rest.append(f"{item.stream}: {plural(item.left_out, 'row')} left out{of}: {item.reason}")
    warn_of(file, notices, rest)
