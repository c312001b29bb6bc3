"""One reader for the text formats of trajectories; `text_layouts.py` says what differs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.checks import check_stream
from boresight.logs.columns import TIME
from boresight.logs.description import Description, find_comment, overruled
from boresight.logs.model import Log, Notice
from boresight.logs.readers.delimited import TextFile, first_numbers, open_text, read_columns
from boresight.logs.tables import make_table
from boresight.logs.text_layouts import TextLayout

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["TextPoseReader", "described", "pose_log"]


@dataclass(frozen=True)
class TextPoseReader:
    """Reader of one text format whose lines begin with a time."""

    layout: TextLayout
    suffixes: tuple[str, ...]

    def sniff(self, head: bytes) -> bool:
        """Say whether the first line is of as many numbers as this format has."""
        return len(first_numbers(head, self.layout.separator)) in _widths(self.layout)

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,
        thing: str | None = None,
    ) -> Log:
        """Read a trajectory.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        from_ : Convention, optional
            What the numbers are in; else what the file says of itself, or what the format's original has.
        strict : bool
            Whether a last line cut short is an error.
        thing : str, optional
            Which thing of the convention the poses are of.

        Raises
        ------
        DataError
            A line cannot be read; it is named.
        """
        file = open_text(path)
        names = column_names(file, self.layout)
        time, columns, notices = read_columns(
            file, names, self.layout.separator, time_unit=self.layout.time_unit, strict=strict
        )
        if time is None:
            raise DataError("the file has no times", path=path)
        about, said = described(file, self.layout, from_, thing)
        return pose_log(path, self.layout, about, time, dict(columns), [*notices, *said])


def column_names(file: TextFile, layout: TextLayout) -> tuple[str, ...]:
    """Return what the columns of this file are: those of the layout, with the extra ones where a line has them."""
    first = next(file.lines(), None)
    if first is None:
        raise DataError("the file has comments and no line of numbers", path=file.path, place="byte 0")
    number, text = first
    count = len(text.split(None if layout.separator == " " else layout.separator))
    if count not in _widths(layout):
        expected = " or ".join(str(width) for width in _widths(layout))
        raise DataError(
            f"{count} columns, where the format {layout.name} has {expected}: {' '.join(layout.columns)}",
            path=file.path,
            place=f"line {number}",
        )
    return layout.columns if count == len(layout.columns) else layout.columns + layout.extra


def _widths(layout: TextLayout) -> tuple[int, ...]:
    return tuple(dict.fromkeys((len(layout.columns), len(layout.columns) + len(layout.extra))))


def described(
    file: TextFile, layout: TextLayout, from_: Convention | None, thing: str | None
) -> tuple[Description, tuple[Notice, ...]]:
    """Return what the poses are: as the caller says, as the file says of itself, or as the format's original has it.

    With it comes what there is to notice: that the caller does not say what the file says of itself.
    """
    from boresight import conventions

    own = find_comment(file.comments, path=file.path)
    if from_ is not None:
        convention, usual = from_, from_.default_thing
    elif own is not None:
        convention, usual = own.convention, own.thing
    else:
        convention, usual = conventions.get(layout.convention), layout.thing
    chosen = usual if thing is None else thing
    convention.thing_axes(chosen)  # an error where it has no such thing
    about = Description(
        own.name if own else file.path.stem, layout.kind, convention, chosen, own.units if own else {}
    )
    return about, () if own is None else overruled(own.convention, from_)


def pose_log(
    path: Path,
    layout: TextLayout,
    about: Description,
    time: NDArray[np.int64],
    columns: dict[str, NDArray[Any]],
    notices: list[Notice],
) -> Log:
    """Return the log of one stream of poses."""
    columns.pop(TIME, None)
    stream = about.stream(make_table(time, columns))
    return Log({stream.name: stream}, path, layout.name, (*notices, *check_stream(stream)))
