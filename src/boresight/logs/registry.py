"""Read and write logs of any known format.

Formats are found by entry points, ``boresight.readers`` and ``boresight.writers``: the entry's name is the format's,
the object a module-level ``READER`` or ``WRITER``. A package of its own can so add a format. Our own are known without
being installed, so that a source tree works as it is.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from boresight.errors import DataError
from boresight.logs.foreign import recognised
from boresight.logs.model import Log

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.logs.output import WriteReport

__all__ = ["Reader", "Writer", "detect", "formats", "read", "write"]

HEAD_BYTES = 4096
"""How much of a file's beginning a reader's `sniff` sees."""

OWN_READERS = ("ulog", "mcap", "parquet", "tum", "euroc", "kitti", "carla", "csv")
OWN_WRITERS = ("ulog", "mcap", "parquet", "tum", "euroc", "kitti", "csv")

# Known without loading a reader: what a suffix usually means, the first for writing. Others are asked for theirs.
_USUAL: Mapping[str, tuple[str, ...]] = {
    ".ulg": ("ulog",),
    ".ulog": ("ulog",),
    ".mcap": ("mcap",),
    ".parquet": ("parquet",),
    ".tum": ("tum",),
    ".euroc": ("euroc",),
    ".kitti": ("kitti",),
    ".csv": ("csv", "euroc", "carla"),
    ".jsonl": ("carla",),
}
# What every reader or writer takes, and `read` and `write` give themselves.
_NOT_OPTIONS = frozenset({"log", "path", "from_", "strict", "attitude_required"})
_BINARY = ("ulog", "mcap", "parquet")


class Reader(Protocol):
    """What a module-level ``READER`` has."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name suffixes, lower case, with the dot; the first is the usual one."""
        ...

    def sniff(self, head: bytes) -> bool:
        """Say whether the file's first bytes are this format's."""
        ...

    def read(self, path: Path, *, from_: Convention | None, strict: bool, **options: Any) -> Log:
        """Read a file. `from_` is the convention to take its numbers in, where the caller says so."""
        ...


class Writer(Protocol):
    """What a module-level ``WRITER`` has."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name suffixes, lower case, with the dot; the first is the usual one."""
        ...

    def write(self, log: Log, path: Path, **options: Any) -> WriteReport:
        """Write a log to a path that is not yet there."""
        ...


def _entries(group: str, own: tuple[str, ...], package: str, attribute: str) -> dict[str, EntryPoint]:
    found = {
        name: EntryPoint(name=name, value=f"boresight.logs.{package}.{name}:{attribute}", group=group)
        for name in own
    }
    found.update({entry.name: entry for entry in entry_points(group=group)})
    return found


@cache
def _readers() -> Mapping[str, EntryPoint]:
    return _entries("boresight.readers", OWN_READERS, "readers", "READER")


@cache
def _writers() -> Mapping[str, EntryPoint]:
    return _entries("boresight.writers", OWN_WRITERS, "writers", "WRITER")


@cache
def reader(name: str) -> Reader:
    """Return the reader of a format."""
    return cast("Reader", _load(_readers(), name, "read"))


@cache
def writer(name: str) -> Writer:
    """Return the writer of a format."""
    return cast("Writer", _load(_writers(), name, "written"))


def _load(entries: Mapping[str, EntryPoint], name: str, verb: str) -> object:
    if name not in entries:
        raise DataError(f"no format {name!r} can be {verb}", advice=f"known: {', '.join(sorted(entries))}")
    return entries[name].load()


def formats() -> dict[str, tuple[bool, bool]]:
    """Return the known formats by name: whether each can be read, and written.

    Examples
    --------
    >>> formats()["tum"]
    (True, True)
    """
    return {name: (name in _readers(), name in _writers()) for name in sorted({*_readers(), *_writers()})}


def detect(path: str | PathLike[str]) -> str:
    """Return the name of a file's format, by what it holds, then by its suffix.

    Raises
    ------
    DataError
        There is no such file, it is a directory, it is empty, or no reader knows it.
    """
    file = Path(path)
    head = _head(file)
    owners = _owners(file.suffix.lower())
    # What a file says in its first bytes goes before its name; but text in a file with the name of a binary format is
    # more likely a damaged one than a table, and that format's reader says best what is wrong.
    order = [*reversed(owners), *_BINARY]
    if not set(owners) & set(_BINARY):
        order += _readers()
    for name in dict.fromkeys(order):
        if reader(name).sniff(head):
            return name
    if owners:
        return owners[0]
    foreign = recognised(file, head)
    if foreign is not None:
        what, advice = foreign
        raise DataError(f"this is {what}, and no log that is read", path=path, advice=advice)
    raise DataError(
        "this is no log of a known format",
        path=path,
        place="byte 0",
        advice=f"known: {', '.join(_readers())}",
    )


def _owners(suffix: str) -> tuple[str, ...]:
    if suffix in _USUAL:
        return _USUAL[suffix]
    return tuple(name for name in _readers() if name not in OWN_READERS and suffix in reader(name).suffixes)


def _head(path: Path) -> bytes:
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
            # Waiting for what a pipe brings may take for ever, and a log is read more than once.
            raise DataError(
                "this is a pipe or a device and no file", path=path, advice="save it to a file first"
            )
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except IsADirectoryError:
        raise DataError("this is a directory, not a log", path=path, advice="name a file in it") from None
    except FileNotFoundError:
        raise DataError("there is no such file", path=path) from None
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", path=path) from None
    if not head:
        raise DataError("the file is empty", path=path, place="byte 0")
    return head


def read(
    path: str | PathLike[str],
    from_: str | Convention | None = None,
    *,
    format: str | None = None,
    strict: bool = False,
    **options: Any,
) -> Log:
    """Read a log.

    Parameters
    ----------
    path : str or path
        The file.
    from_ : str or Convention, optional
        The convention that its numbers are in, by name in the registry. A file that says itself what it is (a ULog, a
        Parquet or CSV file of ours) needs none; one given here overrules it.
    format : str, optional
        Name of the format; else told from the file's first bytes and its suffix.
    strict : bool
        Whether a log that is cut short or damaged is an error; else what it holds is returned, with a notice.
    **options
        Of the format's own reader: ``times=`` for KITTI, ``columns=`` and ``time_unit=`` for CSV, ...

    Returns
    -------
    Log
        With its streams in the file's own numbers.

    Raises
    ------
    DataError
        The file cannot be used; one line with file, place and reason.
    """
    from boresight import conventions

    file = Path(path)
    convention = conventions.get(from_) if isinstance(from_, str) else from_
    _head(file)
    chosen = reader(format or detect(file))
    try:
        return chosen.read(file, from_=convention, strict=strict, **options)
    except TypeError as error:
        _refuse_unknown(error, chosen.read, "read", format or detect(file), options)
        raise


def write(
    log: Log,
    path: str | PathLike[str],
    *,
    to: str | Convention | None = None,
    format: str | None = None,
    overwrite: bool = False,
    **options: Any,
) -> WriteReport:
    """Write a log, in another convention where `to` names one.

    Parameters
    ----------
    log : Log
        What to write.
    path : str or path
        The file. It appears whole or not at all: it is written beside its name and renamed into place.
    to : str or Convention, optional
        The convention to write in; else the log's own.
    format : str, optional
        Name of the format; else told from the suffix.
    overwrite : bool
        Whether a file that exists may be replaced.
    **options
        Of the conversion (``forward=``, ``world=``, ``thing=``) and of the format's own writer.

    Returns
    -------
    WriteReport
        What was written and what was left out.

    Raises
    ------
    OutputError
        The file exists or cannot be written; nothing is left behind.
    """
    from boresight.logs.output import write_log

    if not isinstance(log, Log):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            f"what is written is a Log, not a {type(log).__name__}; boresight.read(path) makes one"
        )
    file = Path(path)
    name = format or format_for(file)
    chosen = writer(name)
    try:
        return write_log(log, file, chosen, format=name, to=to, overwrite=overwrite, **options)
    except TypeError as error:
        _refuse_unknown(error, chosen.write, "written", name, options)
        raise


def _refuse_unknown(
    error: TypeError, function: Callable[..., object], verb: str, format: str, options: Mapping[str, object]
) -> None:
    """Say of an option that a format does not have which ones it has, under the name that its user knows."""
    known = [name for name in signature(function).parameters if name not in _NOT_OPTIONS]
    for name in options:
        if "unexpected keyword argument" in str(error) and repr(name) in str(error):
            has = f"it has: {', '.join(known)}" if known else "it has none"
            raise TypeError(
                f"format {format}: there is no option {name!r} when it is {verb}; {has}"
            ) from error


def format_for(path: Path) -> str:
    """Return the name of the format that a file of this name is written in."""
    suffix = path.suffix.lower()
    if suffix in _USUAL:
        return _USUAL[suffix][0]
    for name in _writers():
        if suffix and suffix in writer(name).suffixes:
            return name
    raise DataError(
        f"no format is written with the suffix {suffix!r}",
        path=path,
        advice=f"name one with format=: {', '.join(_writers())}",
    )
