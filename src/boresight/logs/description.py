"""What a file of ours says about its streams: kind, convention, thing and units, as JSON.

A Parquet file has it in its schema's metadata, a text file in a comment, so that a reader needs to be told nothing::

    # boresight: {"version": 1, "name": "vehicle_attitude", "kind": "pose", "thing": "body", "convention": {...}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError, DataError
from boresight.logs.model import KINDS, Notice, RowSource, Stream, StreamKind

if TYPE_CHECKING:
    import pyarrow as pa

    from boresight.conventions import Convention

__all__ = [
    "PREFIX",
    "VERSION",
    "Description",
    "comment_line",
    "describe",
    "find_comment",
    "overruled",
    "understand",
]

VERSION = 1
"""Version of the description; a reader refuses a higher one."""

PREFIX = "# boresight: "
"""What the comment line of a text file begins with."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a file says about one stream."""

    name: str
    kind: StreamKind
    convention: Convention
    thing: str
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    columns: Mapping[str, str] = field(default_factory=dict[str, str])

    def stream(self, rows: RowSource | pa.Table) -> Stream:
        """Return the stream that has these rows."""
        return Stream(self.name, self.kind, self.convention, self.thing, rows, self.units)


def describe(stream: Stream) -> dict[str, Any]:
    """Return a stream's description, ready for JSON."""
    described: dict[str, Any] = {
        "version": VERSION,
        "name": stream.name,
        "kind": stream.kind,
        "thing": stream.thing,
        "convention": stream.convention.to_dict(),
    }
    if stream.units:
        described["units"] = dict(stream.units)
    # In a table that several streams share, each must know its own columns, and their types before they were joined.
    described["columns"] = {column.name: str(column.type) for column in stream.schema}
    return described


def understand(described: Any, *, path: Any = None, place: str | None = None) -> Description:
    """Return what a description says.

    Raises
    ------
    DataError
        It is of a later version, or not a description.
    """
    from boresight.conventions import Convention

    try:
        version = int(described.get("version", VERSION))
        if version > VERSION:
            raise DataError(
                f"the file's description is of version {version}, newer than {VERSION}",
                path=path,
                place=place,
                advice="upgrade boresight",
            )
        kind = described["kind"]
        if kind not in KINDS:
            raise DataError(f"no such kind of stream: {kind!r}", path=path, place=place)
        convention, thing = Convention.from_dict(described["convention"]), str(described["thing"])
        convention.thing_axes(thing)  # raises where it has none of that name
        return Description(
            name=str(described["name"]),
            kind=kind,
            convention=convention,
            thing=thing,
            units={str(group): str(unit) for group, unit in described.get("units", {}).items()},
            columns={str(name): str(kind) for name, kind in described.get("columns", {}).items()},
        )
    except BoresightError as error:
        if isinstance(error, DataError) and error.path:
            raise
        raise DataError(str(error), path=path, place=place) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"the file's description of itself is damaged ({type(error).__name__}: {error})",
            path=path,
            place=place,
        ) from None


def comment_line(stream: Stream) -> str:
    """Return the comment line, without a line end, that describes a stream in a text file."""
    described = describe(stream)
    # The file's own line of names, or its format, says the columns; but not which of them are text.
    described["columns"] = {name: kind for name, kind in described["columns"].items() if kind == "string"}
    if not described["columns"]:
        del described["columns"]
    return PREFIX + json.dumps(described, separators=(",", ":"))


def find_comment(lines: Iterable[str], *, path: Any = None) -> Description | None:
    """Return what the first of our comment lines says; None where there is none."""
    for number, line in enumerate(lines, start=1):
        if line.startswith(PREFIX.rstrip()):
            place = f"line {number}"
            try:
                described = json.loads(line[len(PREFIX.rstrip()) :])
            except ValueError:
                raise DataError(
                    "the file's description of itself is no JSON", path=path, place=place
                ) from None
            return understand(described, path=path, place=place)
    return None


def overruled(own: Convention, from_: Convention | None) -> tuple[Notice, ...]:
    """Say that a file's own word on its numbers is not taken, where the caller names another convention."""
    if from_ is None or from_ == own:
        return ()
    message = (
        f"the file's numbers are {own.id}'s by its own account, and are taken for {from_.id}'s, as was asked"
    )
    return (Notice("overruled", message, None, 1),)
