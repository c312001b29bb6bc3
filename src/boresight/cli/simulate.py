"""`boresight simulate`: a flight or drive with known truth, as a log."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boresight.cli.notices import warn_of
from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, plural, print_json, print_table, seconds

if TYPE_CHECKING:
    from boresight.logs.model import Log
    from boresight.logs.output import WriteReport
    from boresight.simulate.scenarios import Scenario

__all__ = ["simulate"]

# What --rate sets: the part of the scenario (empty for the scenario itself), and its field.
_RATES: Mapping[str, tuple[str, str]] = {
    "imu": ("imu", "rate"),
    "gnss": ("gnss", "rate"),
    "baro": ("barometer", "rate"),
    "mag": ("magnetometer", "rate"),
    "attitude": ("estimate", "attitude_rate"),
    "position": ("estimate", "position_rate"),
    "truth": ("", "attitude_truth_rate"),
}
_LOWEST, _HIGHEST = 0.1, 10_000.0


def simulate(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help='What happens: "flight", "drive"; "list" shows them all.',
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="The log to write; its suffix names the format (.ulg, .mcap, .parquet, ...).",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the noise: the same seed, the same log.")
    ] = 1,
    duration: Annotated[
        float | None,
        typer.Option("--duration", metavar="S", min=0.1, help="Seconds, instead of the scenario's own."),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate",
            metavar="NAME=HZ",
            help=f"Rate of one of: {', '.join(_RATES)}; may be given several times.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="NAME",
            help="Convention to write in (`boresight conventions` lists them), for formats other than ULog.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Simulate a flight or drive, with the truth, as a log.

    It has IMU, GNSS, barometer, magnetometer and the vehicle's own estimate.
    For example: boresight simulate flight -o flight.ulg --seed 7
    """
    from boresight.simulate import scenarios

    if scenario == "list":
        _list(as_json)
        return
    if scenario not in scenarios.names():
        known = ", ".join(scenarios.names())
        raise typer.BadParameter(
            f"there is no scenario {scenario!r}; there are: {known}", param_hint="SCENARIO"
        )
    if output is None:
        raise typer.BadParameter("name the log to write: -o flight.ulg", param_hint="--output")
    from boresight.cli.names import check_convention, output_format
    from boresight.logs import registry
    from boresight.logs.output import check_output
    from boresight.simulate import simulation

    check_convention("--to", to)
    written = output_format(output, None, may_be_named=False)
    check_output(output, overwrite=overwrite)
    chosen = _with_rates(scenarios.get(scenario), rate or [])
    began = time.perf_counter()
    with Progress(f"simulating {scenario}") as progress:
        log = simulation.simulate(chosen, seed=seed, duration=duration)
        progress.stage(f"writing {output.name}")
        report = registry.write(log, output, to=to, format=written, overwrite=overwrite)
    took = time.perf_counter() - began
    if as_json:
        print_json(_as_dict(chosen, seed, log, report))
    else:
        _show(chosen, seed, log, report, took)


def _with_rates(scenario: Scenario, rates: Sequence[str]) -> Scenario:
    """Set rates, each ``"name=hertz"``, on the parts of a scenario."""
    for given in rates:
        name, _, text = given.partition("=")
        try:
            hertz = float(text)
        except ValueError:
            hertz = 0.0
        if name not in _RATES or not _LOWEST <= hertz <= _HIGHEST:
            known = ", ".join(_RATES)
            raise typer.BadParameter(
                f"{given!r} is not NAME=HZ with NAME one of {known} and HZ from {_LOWEST:g} to {_HIGHEST:g}",
                param_hint="--rate",
            )
        part, field = _RATES[name]
        if not part:
            scenario = scenario.replace(**{field: hertz})
        elif (sensor := getattr(scenario, part)) is not None:
            scenario = scenario.replace(**{part: dataclasses.replace(sensor, **{field: hertz})})
        else:
            raise typer.BadParameter(f"scenario {scenario.name} has no {part}", param_hint="--rate")
    return scenario


def _list(as_json: bool) -> None:
    from boresight.simulate import scenarios

    ready = [scenarios.get(name) for name in scenarios.names()]
    if as_json:
        print_json([{"name": s.name, "duration_s": s.duration, "description": s.description} for s in ready])
    else:
        print_table(
            ["scenario", "duration", "what happens"],
            [[s.name, seconds(s.duration), s.description] for s in ready],
            right=(1,),
        )


def _as_dict(scenario: Scenario, seed: int, log: Log, report: WriteReport) -> dict[str, object]:
    return {
        "scenario": scenario.name,
        "seed": seed,
        "output": {"path": str(report.path), "format": report.format, "rows": report.rows},
        "streams": [
            {"stream": s.name, "kind": s.kind, "rows": s.num_rows, "convention": s.convention.id}
            for s in log.streams.values()
        ],
        "notices": [
            {"code": n.code, "message": n.message, "stream": n.stream, "count": n.count}
            for n in report.notices
        ],
    }


def _show(scenario: Scenario, seed: int, log: Log, report: WriteReport, took: float) -> None:
    warn_of(report.path, report.notices)
    head = f"{report.path} ({report.format}): {scenario.name}, seed {seed}: {scenario.description}"
    print(colour(head, "bold", sys.stdout))
    print(f"{plural(report.rows, 'row')} written in {seconds(took)}")
    print()
    streams = log.streams
    rows = [
        [
            item.stream,
            streams[item.stream].kind if item.stream in streams else "-",
            f"{item.rows:,}",
            item.target,
        ]
        for item in report.streams
    ]
    print_table(["stream", "kind", "rows", "written as"], rows, right=(2,))
