"""Options that several commands have, each declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from boresight.cli.names import check_format

__all__ = ["InFormat", "ReaderOptions"]


def _one_that_is_read(name: str | None) -> str | None:
    if name is not None:
        from boresight.logs import registry

        check_format("--in-format", name, (known for known, (read, _) in registry.formats().items() if read))
    return name


InFormat = Annotated[
    str | None,
    typer.Option(
        "--in-format",
        metavar="F",
        help="Format of the file that is read, where it can't be told.",
        callback=_one_that_is_read,
    ),
]
"""The format of the log, which is one that is read."""

ReaderOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the file's format (order=wxyz of a CSV file, times=FILE of KITTI); docs/formats.md.",
    ),
]
"""Options of the format's own reader, as `read_log` takes them."""
