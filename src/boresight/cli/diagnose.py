"""`boresight diagnose`: which reading of a log's orientations the rest of the log supports."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.checking import reading_words, with_words
from boresight.cli.failures import DATA_AT_FAULT, or_no_answer
from boresight.cli.options import InFormat, ReaderOptions
from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, is_terminal, print_json, warn
from boresight.errors import DataError

if TYPE_CHECKING:
    from boresight.diagnosis import Diagnosis
    from boresight.logs.model import Log

__all__ = ["diagnose"]

_COLUMNS = "Columns of a plain table"
_OTHERS = 4


@or_no_answer
def diagnose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The log, or a plain table.", show_default=False)
    ],
    stream: Annotated[
        str | None, typer.Option("--stream", metavar="NAME", help="The stream whose orientations are meant.")
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NAME", help="Convention that the numbers are claimed to be in, to be checked."
        ),
    ] = None,
    order: Annotated[
        str | None, typer.Option("--order", metavar="O", help="xyzw or wxyz, where you know it.")
    ] = None,
    same_frame: Annotated[
        bool, typer.Option("--same-frame", help="You know: attitude and gyro are in the same body axes.")
    ] = False,
    upright: Annotated[
        bool, typer.Option("--upright", help="You know: no sensor lies on its side, and z is up or down.")
    ] = False,
    any_hand: Annotated[
        bool, typer.Option("--any-hand", help="Columns may be swapped: admit left-handed sensors.")
    ] = False,
    sensors: Annotated[
        Path | None,
        typer.Option(
            "--sensors", metavar="FILE", help="Another file of the same recording, with gyro and the rest."
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            "--second",
            metavar="NAME",
            help="You know: this other stream of orientations is what the file says.",
        ),
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="T:UNIT", help=f"{_COLUMNS}: t:us, count:50Hz.")
    ] = None,
    quat: Annotated[
        str | None, typer.Option("--quat", metavar="A,B,C,D", help=f"{_COLUMNS}: q0,q1,q2,q3 as they stand.")
    ] = None,
    euler: Annotated[
        str | None, typer.Option("--euler", metavar="R,P,Y:UNIT", help=f"{_COLUMNS}: roll,pitch,yaw:deg.")
    ] = None,
    matrix: Annotated[
        str | None, typer.Option("--matrix", metavar="M,...", help=f"{_COLUMNS}: nine, row by row.")
    ] = None,
    gyro: Annotated[
        str | None, typer.Option("--gyro", metavar="X,Y,Z:UNIT", help=f"{_COLUMNS}: gx,gy,gz:deg/s.")
    ] = None,
    accel: Annotated[
        str | None, typer.Option("--accel", metavar="X,Y,Z:UNIT", help=f"{_COLUMNS}: ax,ay,az:g.")
    ] = None,
    velocity: Annotated[
        str | None, typer.Option("--velocity", metavar="X,Y,Z:UNIT", help=f"{_COLUMNS}: vx,vy,vz:m/s.")
    ] = None,
    position: Annotated[
        str | None, typer.Option("--position", metavar="X,Y,Z:UNIT", help=f"{_COLUMNS}: x,y,z:m.")
    ] = None,
    mag: Annotated[
        str | None, typer.Option("--mag", metavar="X,Y,Z:UNIT", help=f"{_COLUMNS}: mx,my,mz:uT.")
    ] = None,
    second_quat: Annotated[
        str | None,
        typer.Option(
            "--second-quat", metavar="A,B,C,D", help="A second record of the orientation, compared."
        ),
    ] = None,
    second_euler: Annotated[
        str | None, typer.Option("--second-euler", metavar="R,P,Y:UNIT", help="The same, as Euler angles.")
    ] = None,
    second_matrix: Annotated[
        str | None, typer.Option("--second-matrix", metavar="M,...", help="The same, as matrices.")
    ] = None,
    second_from: Annotated[
        str | None,
        typer.Option(
            "--second-from", metavar="NAME", help="You know: the second record is in this convention."
        ),
    ] = None,
    in_format: InFormat = None,
    option: ReaderOptions = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="PNG", help="Draw what speaks for which reading, to this file."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a picture that exists.")] = False,
    require: Annotated[
        str | None,
        typer.Option(
            "--require",
            metavar="VERDICT",
            help="End with 1 unless this is the verdict, or one of several: consistent,undeclared.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Tell from gyro, gravity and motion whether a log's attitude is what it says it is.

    It ends with 1 where the log contradicts what it declares, with 0 where it does not or nothing tells, and with 2
    where it could not look. For example: boresight diagnose flight.ulg
    """
    from boresight.cli.corrections import ORDERS, one_of
    from boresight.cli.names import check_convention
    from boresight.diagnosis.model import VERDICTS

    check_convention("--from", from_)
    check_convention("--second-from", second_from)
    required = (
        None if require is None else [one_of("--require", v.strip(), VERDICTS) for v in require.split(",")]
    )
    claims: dict[str, Any] = {
        "order": one_of("--order", order, ORDERS),
        "same_frame": same_frame,
        "upright": upright,
        "any_hand": any_hand,
    }
    columns: dict[str, str | None] = {
        "time": time,
        "quat": quat,
        "euler": euler,
        "matrix": matrix,
        "gyro": gyro,
        "accel": accel,
        "velocity": velocity,
        "position": position,
        "mag": mag,
    }
    others = {"quat": second_quat, "euler": second_euler, "matrix": second_matrix}
    if second_from is not None and not any(others.values()):
        raise typer.BadParameter(
            "it is of the columns that --second-quat, --second-euler or --second-matrix names",
            param_hint="--second-from",
        )
    if plot is not None:
        _check_picture(plot, overwrite=overwrite)
    with Progress(f"reading {file.name}") as progress:
        # Whoever gives options of the format's reader means that reader.
        if not option and _is_table(file, in_format, from_, columns):
            if stream is not None:
                raise typer.BadParameter(
                    "a table has no streams; name its columns with --quat, --gyro, ...", param_hint="--stream"
                )
            if second is not None:
                raise typer.BadParameter(
                    "a table has no streams; name its columns with --second-quat, --second-euler, ...",
                    param_hint="--second",
                )
            found = _of_table(file, sensors, from_, columns, others, second_from, claims, progress)
        else:
            columns |= {f"second-{form}": text for form, text in others.items()}
            claims["second"] = second
            found = _of_log(file, in_format, from_, option or [], stream, sensors, columns, claims, progress)
    if plot is not None:
        from boresight.logs.output import new_files
        from boresight.view.diagnosis import save

        with new_files(plot, overwrite=overwrite) as working:
            save(found, working)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)
    if found.verdict == "contradicted" if required is None else found.verdict not in required:
        raise typer.Exit(DATA_AT_FAULT)


# -- logs ----------------------------------------------------------------------------------------------------------


def _of_log(
    file: Path,
    in_format: str | None,
    from_: str | None,
    options: Sequence[str],
    stream: str | None,
    sensors: Path | None,
    columns: Mapping[str, str | None],
    claims: Mapping[str, Any],
    progress: Progress,
) -> Diagnosis:
    from boresight.cli.reading import read_log
    from boresight.diagnosis import diagnose as of_log

    log = read_log(file, from_, format=in_format, strict=False, options=options, attitude_required=True)
    for notice in log.notices:
        if notice.code in ("truncated", "damaged"):
            warn(f"{file}: {notice}")
    beside = None if sensors is None else _sensors(sensors, log, columns)
    if beside is None and (named := [name for name, text in columns.items() if text is not None]):
        raise typer.BadParameter(
            f"{file} is a log ({log.format}) that names its own columns; give --sensors FILE for a table beside it",
            param_hint=f"--{named[0]}",
        )
    progress.stage(f"diagnosing {file.name}")
    found = of_log(log, stream=stream, from_=from_, sensors=beside, **claims)
    if stream is None and found.verdict in ("ambiguous", "not_observable"):
        own = found.streams.get("attitude")
        others = [s.name for s in log.of_kind("orientation", "pose") if s.has_orientation and s.num_rows]
        if more := [name for name in others if name != own]:
            shown = ", ".join(more[:_OTHERS]) + (", ..." if len(more) > _OTHERS else "")
            said = (
                f"This is of {own}; the log has other attitudes: {shown} (--stream {shlex.quote(more[0])})."
            )
            found = replace(found, advice=(*found.advice, said))
    return with_words(found, reading_words(from_, options, in_format))


def _sensors(path: Path, log: Log, columns: Mapping[str, str | None]) -> Log:
    """Read the sensors' own file: a log, or a table whose quantities become streams."""
    from boresight.cli.quantities import take
    from boresight.cli.reading import read_log
    from boresight.cli.tables import open_table

    if not _is_table(path, None, None, columns):
        return read_log(path, None, format=None, strict=False, options=[], attitude_required=False)
    attitude = next((s for s in log.of_kind("pose", "orientation") if s.has_orientation), None)
    if attitude is None:
        raise DataError("the log has no orientations", path=log.path)
    return _log_of(take([open_table(path)], columns), attitude.convention, path)


# -- tables --------------------------------------------------------------------------------------------------------


def _is_table(
    file: Path, in_format: str | None, from_: str | None, columns: Mapping[str, str | None]
) -> bool:
    """Whether a file says nothing of what its numbers are in, or the user says which of its columns are the attitude."""
    from boresight.logs import registry

    if in_format is not None:
        return False
    named = next((name for name in ("quat", "euler", "matrix") if columns[name] is not None), None)
    try:
        found = registry.detect(file)
    except DataError:
        from boresight.logs.foreign import recognised

        with suppress(OSError), file.open("rb") as opened:
            kind = recognised(file, opened.read(64))
            if kind is not None and kind[0].endswith("no times"):
                raise DataError(
                    f"this is {kind[0]}: there is nothing to compare it with", path=file
                ) from None
        if not file.is_file() or not file.stat().st_size:
            raise
        with file.open("rb") as opened:
            if b"\0" in opened.read(4096):  # no text either, so that what the readers know is worth saying
                raise
        return True
    if named is not None and found in ("ulog", "mcap"):
        raise typer.BadParameter(
            f"it is for tables, and {file} is a log ({found}) that names its own; give --stream",
            param_hint=f"--{named}",
        )
    if named is not None:
        return True
    if found == "csv":
        from boresight.logs.description import find_comment
        from boresight.logs.readers.delimited import open_text

        own = find_comment(open_text(file).comments, path=file) is not None
        return not own
    if found == "parquet" and from_ is None:
        import pyarrow.parquet as pq

        return b"boresight" not in (pq.read_schema(file).metadata or {})
    return False


def _of_table(
    file: Path,
    sensors: Path | None,
    from_: str | None,
    columns: Mapping[str, str | None],
    others: Mapping[str, str | None],
    second_from: str | None,
    claims: Mapping[str, Any],
    progress: Progress,
) -> Diagnosis:
    from boresight import conventions
    from boresight.cli.quantities import take
    from boresight.cli.second import second_of_table, second_stream, take_second
    from boresight.cli.tables import open_table
    from boresight.cli.undeclared import (
        declared_log,
        named,
        of_quantities,
        options_for,
        with_found_units,
        with_suspicions,
    )
    from boresight.diagnosis import diagnose as of_log

    tables = [open_table(file)]
    beside: Log | None = None
    if sensors is not None:
        if _is_table(sensors, None, None, {**columns, "quat": None, "euler": None, "matrix": None}):
            tables.append(open_table(sensors))
        else:
            from boresight.cli.reading import read_log

            beside = read_log(sensors, None, format=None, strict=False, options=[], attitude_required=False)
    quantities = take(tables, columns)
    if not any(name in quantities for name in ("quat", "euler", "matrix")):
        if "gyro" in quantities:
            raise DataError(
                "this is a sensors' file: it has a gyro and no attitude",
                path=file,
                advice=f"give it beside the attitude's: boresight diagnose ATTITUDE_FILE --sensors {file}; or name the "
                "columns of an attitude with --quat, --euler or --matrix",
            )
        raise DataError(
            "no columns of an attitude are recognised",
            path=file,
            advice=f"{tables[0].listed()}; name them with --quat, --euler or --matrix",
        )
    taken = take_second(tables, others, columns["time"])
    told = None if second_from is None else conventions.get(second_from)
    progress.stage(f"diagnosing {file.name}")
    if from_ is None:
        second, claim = (None, None) if taken is None else second_of_table(*taken, told)
        bare = of_quantities(quantities, beside, claims, source=str(file), second=second, second_claim=claim)
        return with_suspicions(bare, quantities)
    quantities, notes = with_found_units(quantities, claims)
    log, apart = declared_log(quantities, conventions.get(from_), file)
    trusted = None
    if taken is not None:
        stream = second_stream(*taken, told or conventions.get(from_))
        log = replace(log, streams={**log.streams, stream.name: stream})
        trusted = None if told is None else stream.name
    words = options_for(quantities, conventions.get(from_), file)
    if words is None:  # no reader of ours takes such a table, so that no repair can be named
        log = replace(log, path=None)
    first = next(iter(log.streams))
    found = of_log(log, stream=first, from_=from_, sensors=beside or apart, second=trusted, **claims)
    found = with_suspicions(named(found, quantities, beside), quantities)
    found = replace(found, advice=(*found.advice, *notes), source=str(file))
    return with_words(found, ["--from", from_, *(words or ())])


def _log_of(quantities: Mapping[str, Any], convention: Any, path: Path) -> Log:
    from boresight.cli.undeclared import streams_of
    from boresight.logs.model import Log

    return Log(streams_of(quantities, convention), path, "csv")


# -- shown ---------------------------------------------------------------------------------------------------------


def _check_picture(path: Path, *, overwrite: bool) -> None:
    from boresight.cli.names import PICTURES, check_suffix
    from boresight.logs.output import check_output

    check_suffix("--plot", path, PICTURES, what="picture")
    check_output(path, overwrite=overwrite)


def _show(found: Diagnosis) -> None:
    from shutil import get_terminal_size

    from boresight.diagnosis.report import report_lines

    width = min(100, get_terminal_size().columns) if is_terminal(sys.stdout) else 80
    for text, style in report_lines(found, width=max(60, width)):
        print(text if style is None else colour(text, style, sys.stdout))
