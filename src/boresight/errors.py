"""Every error that the library raises on purpose.

Each says what is wrong, where, and what to do about it. All derive from `BoresightError`, and each also
derives from the built-in error that a caller who knows nothing of this library would catch.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from typing import Any

__all__ = [
    "BoresightError",
    "ConventionError",
    "DataError",
    "FrameError",
    "InvalidRowsError",
    "MissingExtraError",
    "OutputError",
]


class BoresightError(Exception):
    """Base of the errors that boresight raises on purpose."""


class FrameError(BoresightError, TypeError):
    """Two things were put together whose frames do not agree.

    A `TypeError`, since a type checker can find most of them before the run.
    """


class ConventionError(BoresightError, ValueError):
    """A change between two systems that their conventions do not determine, or a convention that does not exist."""


def _rebuild(
    cls: type[BoresightError], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> BoresightError:
    """Make an error again from its arguments: pickle alone knows nothing of keyword-only ones."""
    return cls(*arguments, **keywords)


class InvalidRowsError(BoresightError, ValueError):
    """Rows of an array that hold no rotation.

    Parameters
    ----------
    reason : str
        What is wrong with the first bad row, for example ``"zero norm"``.
    row : tuple of int
        Index of the first bad row in the batch; empty for a single value.
    count : int
        How many rows are bad.
    what : str
        What the rows should have been, for example ``"quaternion"``.

    Examples
    --------
    >>> print(InvalidRowsError("zero norm", row=(3,), count=2, what="quaternion"))
    row 3 is no quaternion: zero norm (2 bad rows in all); invalid="nan" turns bad rows into NaN
    """

    row: tuple[int, ...]
    reason: str
    count: int
    what: str

    def __init__(
        self, reason: str, *, row: tuple[int, ...] = (), count: int = 1, what: str = "rotation"
    ) -> None:
        self.reason = reason
        self.row = row
        self.count = count
        self.what = what
        if not row:
            where = f"this is no {what}"
        else:
            index = str(row[0]) if len(row) == 1 else str(row)
            where = f"row {index} is no {what}"
        total = f" ({count} bad rows in all)" if count > 1 else ""
        super().__init__(f'{where}: {reason}{total}; invalid="nan" turns bad rows into NaN')

    def __reduce__(self) -> tuple[Callable[..., BoresightError], tuple[Any, ...]]:
        keywords = {"row": self.row, "count": self.count, "what": self.what}
        return _rebuild, (type(self), (self.reason,), keywords)


class MissingExtraError(BoresightError, ImportError):
    """A part that needs a package which is not installed.

    Parameters
    ----------
    package : str
        The package that could not be imported.
    extra : str
        The extra of boresight that brings it.

    Examples
    --------
    >>> print(MissingExtraError("rosbags", extra="ros"))
    this needs rosbags, which is not installed; run: pip install "boresight[ros]"
    """

    package: str
    extra: str

    def __init__(self, package: str, *, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f'this needs {package}, which is not installed; run: pip install "boresight[{extra}]"',
            name=package,
        )

    def __reduce__(self) -> tuple[Callable[..., BoresightError], tuple[Any, ...]]:
        return _rebuild, (type(self), (self.package,), {"extra": self.extra})


class _PlacedError(BoresightError):
    """An error with a file and a place in it, shown in one line: ``path: place: reason; advice``."""

    reason: str
    path: str | None
    place: str | None
    advice: str | None

    def __init__(
        self,
        reason: str,
        *,
        path: str | PathLike[str] | None = None,
        place: str | None = None,
        advice: str | None = None,
    ) -> None:
        self.reason = reason
        self.path = None if path is None else fspath(path)
        self.place = place
        self.advice = advice
        super().__init__(str(self))

    def __str__(self) -> str:
        line = ": ".join(part for part in (self.path, self.place, self.reason) if part)
        if self.advice:
            line = f"{line}; {self.advice}"
        # One line, whatever a message taken from elsewhere holds.
        return " ".join(line.split())

    def __reduce__(self) -> tuple[Callable[..., BoresightError], tuple[Any, ...]]:
        keywords = {"path": self.path, "place": self.place, "advice": self.advice}
        return _rebuild, (type(self), (self.reason,), keywords)


class DataError(_PlacedError, ValueError):
    """Input that cannot be used as it is.

    Parameters
    ----------
    reason : str
        What is wrong.
    path : str or path, optional
        The file.
    place : str, optional
        Where in it: ``"row 17"``, ``"byte 4096"``, ``"column q[0]"``.
    advice : str, optional
        What to do about it.

    Examples
    --------
    >>> print(DataError("the header is cut short", path="a.ulg", place="byte 9", advice="copy it again"))
    a.ulg: byte 9: the header is cut short; copy it again
    """


class OutputError(_PlacedError, OSError):
    """An output that cannot be written: it exists, its directory is missing, the disk is full.

    Takes the same arguments as `DataError`, and shows the same single line.

    Examples
    --------
    >>> print(OutputError("the file exists", path="flight.mcap", advice="give --overwrite to replace it"))
    flight.mcap: the file exists; give --overwrite to replace it
    """
