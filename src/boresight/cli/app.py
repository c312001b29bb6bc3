"""The command line as a whole: which commands there are and how one is started.

Each command imports what is heavy (NumPy, Arrow, rich) inside its function, so that ``boresight --help`` answers
at once.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from boresight.cli.conventions import conventions
from boresight.cli.convert import convert
from boresight.cli.diagnose import diagnose
from boresight.cli.estimate import estimate
from boresight.cli.failures import end_on_sigterm, run, shield
from boresight.cli.inspect import inspect
from boresight.cli.plot import plot
from boresight.cli.sample import sample
from boresight.cli.simulate import simulate

__all__ = ["app", "main", "start"]

# rich's markup is off: it would import rich for every --help and every usage error.
app = typer.Typer(
    name="boresight",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"boresight {version('boresight')}")
        raise typer.Exit


@app.callback()
def boresight(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error as well.")] = False,
) -> None:
    """Convert, check and show the orientations in robot logs, with every convention named."""


app.command(short_help="Convert a log: convention, format, or both.")(shield(convert))
app.command(short_help="Show the streams, gaps and faults of a log.")(shield(inspect))
app.command(short_help="Tell whether a log's attitude is what it says it is.")(shield(diagnose))
app.command(short_help="Estimate position, velocity and attitude from a log's sensors.")(shield(estimate))
app.command(short_help="List the known conventions, or show one.")(shield(conventions))
app.command(short_help="Simulate a flight or drive, with the truth.")(shield(simulate))
app.command(short_help="Draw rotations from a law, or lay a grid of them.")(shield(sample))
app.command(short_help="Show rotations beside the law they were drawn from.")(shield(plot))


def start(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit code."""
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    debug = "--debug" in ours
    if debug:
        # It may stand anywhere, since one adds it at the end of a line that has just failed.
        arguments = ["--debug", *(a for a in ours if a != "--debug"), *arguments[len(ours) :]]
    return run(lambda: app(args=arguments, prog_name="boresight"), debug=debug)


def main() -> None:
    """Run the command with the process's arguments and end the process with its exit code."""
    end_on_sigterm()
    for stream in (sys.stdout, sys.stderr):
        # A file's name may hold bytes that are no text, and a terminal may lack letters: neither is an error.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(start(sys.argv[1:]))
