"""`boresight plot`: a picture of a sample set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from boresight.cli.names import PICTURES, check_suffix
from boresight.cli.progress import Progress
from boresight.cli.terminal import plural, print_json, warn

__all__ = ["plot"]


def plot(
    samples: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A sample set, as boresight sample writes it.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="The picture to write: .png, .svg, .pdf.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show how far rotations turn, beside the law they were drawn from, and where the body's axes point.

    For example: boresight plot s.parquet -o s.png
    """
    if output is None:
        raise typer.BadParameter("name the picture to write: -o s.png", param_hint="--output")
    check_suffix("--output", output, PICTURES, what="picture")
    from boresight.cli.sample_file import described, read_samples
    from boresight.errors import DataError
    from boresight.logs.output import check_output, new_files
    from boresight.sampling import named
    from boresight.view.samples import plot_samples, summarise

    check_output(output, overwrite=overwrite)
    file = read_samples(samples)
    law: Any = None
    if file.distribution is not None:
        try:
            law = named.make(file.distribution, file.parameters)
        except (ValueError, TypeError) as error:
            raise DataError(f"it does not say what it was drawn from: {error}", path=samples) from None
    with Progress(f"reading {samples.name}") as progress, new_files(output, overwrite=overwrite) as working:
        progress.stage(f"reading {samples.name}", total=file.rows)
        summary = summarise(file.batches(), file.rows, law)
        if summary.rows == summary.invalid:
            raise DataError("it holds no rotation", path=samples)
        what = "an unnamed law"
        if file.distribution is not None:
            what = described(file.distribution, file.parameters)
        plot_samples(summary, working, title=what)
    told: dict[str, Any] = {
        "samples": {"path": str(samples), "rows": summary.rows, "invalid": summary.invalid},
        "distribution": file.distribution,
        "parameters": dict(file.parameters),
        "seed": file.seed,
        "largest_angle_rad": summary.largest,
        "difference": summary.difference,
        "limit": summary.limit,
        "output": {"path": str(output)},
    }
    if summary.invalid:
        warn(f"{samples}: {plural(summary.invalid, 'row')} of {summary.rows:,} hold no rotation")
    if as_json:
        print_json(told)
        return
    print(f"{output}: {plural(summary.rows, 'rotation')} from {what}")
    if summary.difference is not None:
        print(
            f"largest difference of the angle's distribution from the law: {summary.difference:.2g} "
            f"(by chance above {summary.limit:.2g} once in a thousand)"
        )
