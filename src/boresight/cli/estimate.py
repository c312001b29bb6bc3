"""`boresight estimate`: position, velocity and attitude out of a log, by the navigation filter."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.notices import warn_of
from boresight.cli.options import InFormat, ReaderOptions
from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, plural, print_json, print_table, seconds

if TYPE_CHECKING:
    from boresight.logs.output import WriteReport
    from boresight.navigation import Estimate, Sources

__all__ = ["estimate"]

_DEGREES = degrees(1.0)
_OUTCOMES = ("ACCEPTED", "REJECTED", "RESET")
# What a reader of other people's has to know of the file.
_FIRST_LINES = {
    "csv": "its first line is a comment that says what the numbers are in: pandas.read_csv(OUT, comment='#')",
    "tum": "its first line is a comment that says what the numbers are in",
    "euroc": "its first line is a comment that says what the numbers are in",
    "kitti": "the times, in seconds, stand in the second file, a line a pose",
}
_SIGMAS = (
    ("position", ("sigma_x", "sigma_y", "sigma_z"), 1.0, "m", "north, east, down"),
    ("velocity", ("sigma_vx", "sigma_vy", "sigma_vz"), 1.0, "m/s", "north, east, down"),
    (
        "attitude",
        ("sigma_north", "sigma_east", "sigma_down"),
        _DEGREES,
        "deg",
        "about north, east, down",
    ),
)


def estimate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The log.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where the poses go; the suffix names the format (.parquet, .tum, .mcap, ...).",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="NAME",
            help="Convention to write in; else the log's own, or PX4's where it has no compass.",
        ),
    ] = None,
    forward: Annotated[
        str | None,
        typer.Option(
            "--forward",
            metavar="E",
            help="Compass letter (or degrees) that the forward of a local world (--to unity) faces.",
        ),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NAME", help="Convention of the log's numbers, instead of its format's own."
        ),
    ] = None,
    in_format: InFormat = None,
    option: ReaderOptions = None,
    rate: Annotated[
        float, typer.Option("--rate", metavar="HZ", help="States written a second, at most.")
    ] = 25.0,
    seed_from_log: Annotated[
        bool, typer.Option("--seed-from-log", help="Start from the first attitude that the log itself has.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Take that attitude though the rest of the log contradicts it."),
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="SOURCE",
            help="Leave out gnss, gnss_position, gnss_velocity, gnss_heading, baro or mag; may be given several times.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="A figure of the configuration (imu.gyro_white=0.003, accuracy.tilt=2deg, coast=none, gates=0.99); may be given several times.",
        ),
    ] = None,
    gnss_delay: Annotated[
        float,
        typer.Option(
            "--gnss-delay",
            metavar="S",
            help="Of GNSS, where the log has no time of measurement.",
            min=0.0,
            max=10.0,
        ),
    ] = 0.11,
    antenna: Annotated[
        str | None,
        typer.Option(
            "--antenna", metavar="X,Y,Z", help="GNSS antenna: metres forward, right, down of the IMU."
        ),
    ] = None,
    course: Annotated[
        float | None,
        typer.Option(
            "--course",
            metavar="DEG",
            help="The vehicle goes where it points, give or take so many degrees (a car).",
        ),
    ] = None,
    year: Annotated[
        float | None,
        typer.Option(
            "--year",
            metavar="Y",
            help="Of the log, for the magnetic model: 2026.5; else the log's own, where it knows, or 2025.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Estimate position, velocity and attitude from what a log has of sensors.

    It needs angular rates and specific forces; GNSS, barometer and magnetometer are used where they are there.
    For example: boresight estimate flight.ulg -o estimate.parquet
    """
    from boresight.cli.names import check_convention, heading, output_format
    from boresight.cli.reading import read_log
    from boresight.cli.settings import config_of
    from boresight.logs import registry
    from boresight.logs.output import check_output
    from boresight.navigation import run

    check_convention("--to", to)
    check_convention("--from", from_)
    change = {"forward": heading("--forward", forward)}
    written = None if output is None else output_format(output, None, may_be_named=False)
    if output is not None:
        check_output(output, overwrite=overwrite)
    if not rate > 0.0:
        raise typer.BadParameter(f"{rate:g} is no rate", param_hint="--rate")
    _check_year(year)
    config = config_of(set_ or [])
    sources = _sources(without or [], gnss_delay, antenna, course)
    began = time.perf_counter()
    with Progress(f"reading {file.name}") as progress:
        log = read_log(
            file, from_, format=in_format, strict=False, options=option or [], attitude_required=seed_from_log
        )
        if seed_from_log:
            from boresight.cli.checking import check_log, reading_words

            progress.stage("diagnosing the seed")
            check_log(log, force=force, words=reading_words(from_, option or [], in_format))
        progress.stage("filtering")
        found = run(log, config, sources=sources, seed="log" if seed_from_log else None, rate=rate, year=year)
        report = None
        if output is not None:
            progress.stage(f"writing {output.name}")
            target = to if to is not None else _own_convention(log.streams[found.streams["imu"]].convention)
            table = found.log(covariance=written == "parquet")  # 225 columns of text help nobody
            report = registry.write(table, output, to=target, format=written, overwrite=overwrite, **change)
    took = time.perf_counter() - began
    if as_json:
        print_json(_as_dict(file, found, report))
    else:
        _show(file, found, report, took)


def _own_convention(convention: Any) -> str | None:
    """Return the log's own convention where it has a compass, so that an estimate can be written in it."""
    return convention.id if convention.world.kind == "compass" and convention.id != "px4" else None


def _check_year(year: float | None) -> None:
    from boresight.errors import DataError
    from boresight.navigation.origin import check_year

    if year is None:
        return
    try:
        check_year(year)
    except DataError as error:
        raise typer.BadParameter(str(error), param_hint="--year") from None


def _sources(without: Sequence[str], delay: float, antenna: str | None, course: float | None) -> Sources:
    from math import isfinite, radians

    from boresight.navigation import Sources
    from boresight.navigation.inputs import SOURCES

    for name in without:
        if name not in SOURCES:
            raise typer.BadParameter(
                f"there is no source {name!r}; there are {', '.join(SOURCES)}", param_hint="--without"
            )
    arm = (0.0, 0.0, 0.0)
    if antenna is not None:
        try:
            x, y, z = (float(part) for part in antenna.split(","))
        except ValueError:
            raise typer.BadParameter(
                f"{antenna!r} is not three numbers: X,Y,Z", param_hint="--antenna"
            ) from None
        if not all(map(isfinite, (x, y, z))):
            raise typer.BadParameter(f"{antenna!r} is not finite", param_hint="--antenna")
        arm = (x, y, z)
    if course is not None and not 0.0 < course <= 90.0:
        raise typer.BadParameter(f"{course:g} is not above 0 and at most 90", param_hint="--course")
    return Sources(
        without=tuple(without),
        gnss_delay=delay,
        antenna=arm,
        course=None if course is None else radians(course),
    )


def _as_dict(file: Path, found: Estimate, report: WriteReport | None) -> dict[str, object]:
    start = found.start
    return {
        "input": str(file),
        "output": None
        if report is None
        else {
            "path": str(report.path),
            "files": [str(path) for path in report.files],
            "format": report.format,
            "rows": report.rows,
            "left_out": report.left_out,
        },
        "start": {
            "alignment": start.alignment.kind.name,
            "reason": str(start.alignment.reason or "") or None,
            "time": start.time,
        },
        "streams": dict(found.streams),
        "samples": dict(found.samples),
        "sources": {name: dict(counts) for name, counts in found.outcomes().items()},
        "status": [{"status": name, "from": begin, "to": end} for name, begin, end in found.stretches()],
        "valid": _valid(found),
        "invalid": {
            name: [list(s) for s in stretches] for name, stretches in found.invalid().items() if stretches
        },
        "sigma": {name: _last(found, columns, scale) for name, columns, scale, _, _ in _SIGMAS},
        "origin": None if found.origin is None else list(found.origin.place),
        "declination_deg": found.declination * _DEGREES,
        "notices": [
            {"code": n.code, "message": n.message, "stream": n.stream, "count": n.count}
            for n in found.notices
        ],
    }


def _valid(found: Estimate) -> dict[str, float]:
    """Share of the states in which each quantity was valid."""
    names = [name for name in found.states.column_names if name.startswith("valid_")]
    rows = max(found.states.num_rows, 1)
    return {name.removeprefix("valid_"): float(found.states[name].to_numpy().sum()) / rows for name in names}


def _last(found: Estimate, columns: tuple[str, ...], scale: float) -> list[float]:
    if not found.states.num_rows:
        return []
    return [float(found.states[name][-1].as_py()) * scale for name in columns]


def _show(file: Path, found: Estimate, report: WriteReport | None, took: float) -> None:
    warn_of(file, found.notices)
    lasting = 0.0 if not len(found.time) else float(found.time[-1] - found.start.time) * 1e-9
    print(colour(f"{file}: {seconds(lasting)} estimated in {seconds(took)}", "bold", sys.stdout))
    print(f"start: {found.start.alignment!r}; from {', '.join(found.streams.values())}")
    if found.origin is not None:
        latitude, longitude, height = found.origin.place
        declination = f"declination {found.declination * _DEGREES:.2f} deg"
        print(f"origin: {latitude:.7f}, {longitude:.7f}, {height:.1f} m; {declination}")
    if report is not None:
        files = " and ".join(map(str, report.files))
        said = f"{plural(report.rows, 'row')} written to {files} ({report.format})"
        print(f"{said}; {_FIRST_LINES[report.format]}" if report.format in _FIRST_LINES else said)
    print()
    _show_sources(found.outcomes())
    odd = {name: count for name, count in found.samples.items() if count}
    print(f"IMU samples: {', '.join(f'{count:,} {name}' for name, count in odd.items()) or 'none'}")
    print()
    begin = found.start.time
    rows = [
        [name, seconds((first - begin) * 1e-9), seconds((last - begin) * 1e-9)]
        for name, first, last in found.stretches()
    ]
    shown = rows if len(rows) <= 12 else [*rows[:6], ["...", f"{len(rows) - 12} more", ""], *rows[-6:]]
    print_table(["status", "from", "to"], shown, right=(1, 2))
    print()
    for name, columns, scale, unit, axes in _SIGMAS:
        figures = ", ".join(f"{value:.3g}" for value in _last(found, columns, scale))
        print(f"sigma of the {name} at the end: {figures} {unit} ({axes})")
    _show_invalid(found)


def _show_invalid(found: Estimate) -> None:
    """Say for each quantity for which share of the time, and when, it was not valid."""
    shares, begin = _valid(found), found.start.time
    rows: list[list[str]] = []
    for name, stretches in found.invalid().items():
        if stretches:
            shown = [
                f"{seconds((a - begin) * 1e-9)} to {seconds((b - begin) * 1e-9)}" for a, b in stretches[:3]
            ]
            more = f", and {plural(len(stretches) - 3, 'time')} more" if len(stretches) > 3 else ""
            rows.append([name.replace("_", " "), f"{1.0 - shares[name]:.1%}", ", ".join(shown) + more])
    print()
    if rows:
        print_table(["not valid", "of the time", "from and to"], rows, right=(1,))
    else:
        print("everything was valid throughout")


def _show_sources(sources: Mapping[str, Mapping[str, int]]) -> None:
    rows: list[list[str]] = []
    for name, counts in sources.items():
        others = [f"{count:,} {what}" for what, count in counts.items() if what not in _OUTCOMES]
        rows.append([name, *(f"{counts.get(what, 0):,}" for what in _OUTCOMES), ", ".join(others)])
    if rows:
        print_table(["source", "accepted", "rejected", "adopted", "refused"], rows, right=(1, 2, 3))
    else:
        print("no measurements beside the IMU")
