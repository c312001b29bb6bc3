"""`boresight sample`: rotations from a law or a grid, as a Parquet table."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.names import check_suffix
from boresight.cli.progress import Progress
from boresight.cli.terminal import colour, plural, print_json, print_table, seconds

if TYPE_CHECKING:
    from boresight.rotation import Rotation
    from boresight.sampling import Grid, Law
    from boresight.sampling.named import Named

__all__ = ["sample"]


def sample(
    distribution: Annotated[
        str,
        typer.Option(
            "--distribution",
            "-d",
            metavar="NAME",
            help='The law or grid; "list" shows them all, with what each takes.',
            show_default=False,
        ),
    ],
    count: Annotated[
        int | None, typer.Option("-n", "--count", min=1, metavar="N", help="How many rotations.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, help="The same seed, the same rotations; 1 if not said. A grid has none."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="The Parquet file to write.", show_default=False),
    ] = None,
    angle: Annotated[
        str | None, typer.Option("--angle", metavar="ANGLE", help="Of a ball or cone: 30deg, 0.5rad.")
    ] = None,
    inner: Annotated[str | None, typer.Option("--inner", metavar="ANGLE", help="Of a shell.")] = None,
    outer: Annotated[str | None, typer.Option("--outer", metavar="ANGLE", help="Of a shell.")] = None,
    twist: Annotated[
        str | None, typer.Option("--twist", metavar="ANGLE", help="How far the turn goes either way.")
    ] = None,
    half_widths: Annotated[
        str | None,
        typer.Option("--half-widths", metavar="A,B,C", help="Of a box: 10deg,20deg,180deg."),
    ] = None,
    std_dev: Annotated[
        str | None,
        typer.Option(
            "--std-dev",
            metavar="ANGLE[,B,C]",
            help="Of each component of the rotation vector, or of x, y, z.",
        ),
    ] = None,
    variance: Annotated[
        str | None,
        typer.Option(
            "--variance", metavar="V", help="Of the isotropic Gaussian: 0.03, 0.03rad2, or 100deg2."
        ),
    ] = None,
    matrix: Annotated[
        str | None,
        typer.Option(
            "--matrix", metavar="A,B,...", help="Bingham's A or Fisher's F, row by row or diagonal."
        ),
    ] = None,
    center: Annotated[
        str | None,
        typer.Option("--center", metavar="X,Y,Z", help="The centre, as a rotation vector: 0deg,0deg,90deg."),
    ] = None,
    axis: Annotated[
        str | None,
        typer.Option("--axis", metavar="X,Y,Z", help="What a cone keeps upright; by default 0,0,1."),
    ] = None,
    side: Annotated[
        str | None, typer.Option("--side", help='Whose axes the noise is in: "body" or "world".')
    ] = None,
    sequence: Annotated[
        str | None, typer.Option("--sequence", metavar="XYZ", help="Of an Euler box: intrinsic.")
    ] = None,
    group: Annotated[
        str | None, typer.Option("--group", metavar="G", help="Symmetry of a quotient: C4, D2, T, O, I.")
    ] = None,
    level: Annotated[int | None, typer.Option("--level", help="Of the Hopf-HEALPix grid.")] = None,
    spacing: Annotated[
        str | None,
        typer.Option(
            "--spacing", metavar="T", help="Of the 48-cell grid: tangents of half the angle, 0.01 to 1."
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Draw rotations from a law, or lay a grid, and write a Parquet table with columns qx, qy, qz, qw.

    For example: boresight sample --distribution geodesic-ball --angle 30deg -n 100000 --seed 1 -o s.parquet
    """
    if distribution == "list":
        _list(as_json)
        return
    from boresight.logs.output import check_output
    from boresight.sampling import named

    if output is not None:
        check_suffix("--output", output, (".parquet", ".pq"), what="sample set")
    if distribution not in named.NAMES:
        known = ", ".join(named.NAMES)
        raise typer.BadParameter(
            f"there is no distribution {distribution!r}; there are: {known}", param_hint="--distribution"
        )
    given: dict[str, Any] = {
        "angle": _angles("--angle", angle, (1,)),
        "inner": _angles("--inner", inner, (1,)),
        "outer": _angles("--outer", outer, (1,)),
        "twist": _angles("--twist", twist, (1,)),
        "half_widths": _angles("--half-widths", half_widths, (3,)),
        "std_dev": _angles("--std-dev", std_dev, (1, 3)),
        "variance": _one("--variance", variance, _square),
        "matrix": _numbers("--matrix", matrix, None),
        "center": _angles("--center", center, (3,)),
        "axis": _numbers("--axis", axis, 3),
        "side": side,
        "sequence": sequence,
        "group": group,
        "level": level,
        "spacing": _one("--spacing", spacing, _tangent),
    }
    parameters = {key: value for key, value in given.items() if value is not None}
    takes = named.NAMES[distribution].needs + named.NAMES[distribution].takes
    is_grid = named.NAMES[distribution].is_grid
    if is_grid and seed is not None:
        raise typer.BadParameter(f"{distribution} is a grid; leave the seed out", param_hint="--seed")
    if count is not None and "count" in takes:
        parameters["count"] = count
    elif is_grid and count is not None:
        raise typer.BadParameter(f"{distribution} has a --level, not a count", param_hint="-n")
    missing = [key for key in named.NAMES[distribution].needs if key not in parameters]
    extra = [key for key in parameters if key not in takes]
    if missing or extra:
        wrong = f"needs {_options(missing)}" if missing else f"takes {_options(takes)}, not {_options(extra)}"
        raise typer.BadParameter(f"{distribution} {wrong}", param_hint="--distribution")
    if distribution == "cell48" and len(parameters) != 1:
        raise typer.BadParameter("cell48 needs --spacing or -n, one of the two", param_hint="--distribution")
    if output is not None:
        check_output(output, overwrite=overwrite)
    try:
        law = named.make(distribution, parameters)
    except ValueError as error:
        said = {"angle": angle, "inner": inner, "outer": outer, "twist": twist, "half_widths": half_widths}
        hint, message = _as_options(error, {**said, "variance": variance})
        raise typer.BadParameter(message, param_hint=hint) from None
    if not is_grid and count is None:
        raise typer.BadParameter("say how many rotations: -n 100000", param_hint="-n")
    if output is None:
        raise typer.BadParameter("name the file to write: -o s.parquet", param_hint="--output")
    _write(
        law,
        distribution,
        parameters,
        None if is_grid else _SEED if seed is None else seed,
        count,
        output,
        overwrite,
        as_json,
    )


def _write(
    law: Law[Any, Any] | Grid,
    distribution: str,
    parameters: dict[str, Any],
    seed: int | None,
    count: int | None,
    output: Path,
    overwrite: bool,
    as_json: bool,
) -> None:
    from boresight.cli.sample_file import described, write_samples
    from boresight.logs.output import new_files
    from boresight.sampling import Grid

    total = len(law) if isinstance(law, Grid) else int(count or 0)
    description = {"distribution": distribution, "parameters": parameters, "seed": seed}
    began = time.perf_counter()
    with Progress(f"drawing {distribution}") as progress, new_files(output, overwrite=overwrite) as working:
        progress.stage(f"drawing {distribution}", total=total)
        rows = write_samples(working, _batches(law, total, seed), description, progress.advance)
    took = time.perf_counter() - began
    if as_json:
        print_json({**description, "output": {"path": str(output), "rows": rows}})
        return
    print(colour(f"{output}: {described(distribution, parameters)}", "bold", sys.stdout))
    drawn = f", seed {seed}" if seed is not None else ""
    print(f"{plural(rows, 'rotation')}{drawn}, written in {seconds(took)}")


def _batches(law: Law[Any, Any] | Grid, total: int, seed: int | None) -> Iterator[Rotation[Any, Any]]:
    from boresight.cli.sample_file import BATCH
    from boresight.sampling import Grid
    from boresight.sampling.streams import generator

    if isinstance(law, Grid):
        yield from law.batches(BATCH)
        return
    stream = generator(seed)  # one, so that the file is the same however it is cut up
    for start in range(0, total, BATCH):
        yield law.sample(min(BATCH, total - start), rng=stream)


def _list(as_json: bool) -> None:
    from boresight.sampling import named

    listed = [(name, item, *_asked(item)) for name, item in named.NAMES.items()]
    if as_json:
        print_json(
            [
                {"name": name, "summary": item.summary, "needs": needs, "takes": takes}
                for name, item, needs, takes in listed
            ]
        )
        return
    rows = [
        [name, " ".join(map(_option, needs)), " ".join(map(_option, takes)), item.summary]
        for name, item, needs, takes in listed
    ]
    print_table(["distribution", "needs", "takes", "what it is"], rows)


def _asked(item: Named) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the command needs and takes for it: of a law also how many, and the seed."""
    return (item.needs, item.takes) if item.is_grid else (("count", *item.needs), (*item.takes, "seed"))


def _option(parameter: str) -> str:
    return "-n" if parameter == "count" else "--" + parameter.replace("_", "-")


def _options(parameters: Sequence[str]) -> str:
    return " and ".join(map(_option, parameters)) or "no parameters"


_UNITS = {"deg": math.pi / 180, "rad": 1.0}
_SEED = 1

# What laws call what the command has under another name.
_ALIASES = {"A": "matrix", "F": "matrix", "tilt": "angle", "covariance": "std_dev"}


def _as_options(error: ValueError, said: Mapping[str, str | None]) -> tuple[str, str]:
    """The option that a message is about, and what it says of it: "std_dev= must …" is of --std-dev.

    Angles, and what is made of angles, are shown in the unit that they were given in.
    """
    from boresight.sampling.checks import OutOfRangeError

    message = str(error)
    head, _, rest = message.partition("= ")
    if not rest or not head.isidentifier():
        return "--distribution", message
    name = _ALIASES.get(head, head)
    text = said.get(name)
    if text is not None and isinstance(error, OutOfRangeError):
        rest = f"must be from {_in_unit_of(text, error.low)} to {_in_unit_of(text, error.high)}, not {text}"
    elif text is not None:
        rest = f"{rest.rpartition(', not ')[0] or rest}, not {text}"
    return _option(name), f"it {rest}"


def _in_unit_of(text: str, angles: Sequence[float]) -> str:
    """Angles in radians, written in the unit of another."""
    unit = "deg" if text.endswith("deg") else "rad"
    return ",".join(f"{angle / _UNITS[unit]:.10g}{unit}" for angle in angles)


def _one(option: str, text: str | None, read: Callable[[str], float]) -> float | None:
    numbers = _each(option, text, read)
    if numbers is not None and len(numbers) != 1:
        raise typer.BadParameter(f"{text!r} is not one number", param_hint=option)
    return None if numbers is None else numbers[0]


def _each(option: str, text: str | None, read: Callable[[str], float]) -> list[float] | None:
    if text is None:
        return None
    try:
        numbers = [read(part.strip()) for part in text.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"{text!r}: {error}", param_hint=option) from None
    if not all(map(math.isfinite, numbers)):
        raise typer.BadParameter(f"{text!r} is not finite", param_hint=option)
    return numbers


def _numbers(option: str, text: str | None, count: int | None) -> list[float] | None:
    numbers = _each(option, text, _number)
    if numbers is not None and count is not None and len(numbers) != count:
        raise typer.BadParameter(f"{text!r} is not {count} numbers", param_hint=option)
    return numbers


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number") from None


def _angle(text: str) -> float:
    """An angle with its unit, which has no default."""
    for unit, factor in _UNITS.items():
        if text.endswith(unit):
            return _number(text.removesuffix(unit).strip()) * factor
    raise ValueError(f"{text!r} has no unit; write 30deg or 0.5rad")


def _square(text: str) -> float:
    """A variance, in rad² where no unit is said."""
    plain = text.replace("^", "").replace("²", "2")
    for unit, factor in _UNITS.items():
        if plain.endswith(f"{unit}2"):
            return _number(plain.removesuffix(f"{unit}2").strip()) * factor**2
        if plain.endswith(unit):
            size = _number(plain.removesuffix(unit).strip()) ** 2
            raise ValueError(
                f"a variance is a square; of {plain} as one standard deviation, its square is {size:g}{unit}2"
            )
    return _number(plain)


def _tangent(text: str) -> float:
    """A spacing, which is no angle but the tangent of half of one."""
    if text.endswith(tuple(_UNITS)):
        raise ValueError(
            f"a spacing is the tangent of half an angle; of {text} it is {math.tan(_angle(text) / 2):.6g}"
        )
    return _number(text)


def _angles(option: str, text: str | None, counts: tuple[int, ...]) -> float | list[float] | None:
    angles = _each(option, text, _angle)
    if angles is None:
        return None
    if len(angles) not in counts:
        wanted = " or ".join(str(n) for n in counts)
        raise typer.BadParameter(f"{text!r} is not {wanted} angles", param_hint=option)
    return angles[0] if len(angles) == 1 else angles
