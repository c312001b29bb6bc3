"""Outputs that appear whole or not at all, and the report on what was written.

A writer works in a directory of its own beside the target and the finished files are renamed into place: on the same file
system, so that a rename is all it takes. Whatever goes wrong before (a full disk, a bad row, an interrupt), the directory is
removed and the target is as it was.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError, OutputError
from boresight.logs.model import Log, Notice

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.logs.registry import Writer

_LINES, _WIDTH = 20, 110
"""Of a report that is shown: most lines, and most letters in one."""

__all__ = ["StreamReport", "WriteReport", "check_output", "new_files", "write_log"]


@dataclass(frozen=True, slots=True)
class StreamReport:
    """What became of one stream.

    Attributes
    ----------
    stream : str
        Name of the stream in the log that was written.
    target : str
        What holds it in the output: a topic and its message type, the columns of a table.
    rows : int
        Rows (messages) written.
    left_out : int
        Rows that the format can't hold and that were left out.
    reason : str
        Why they were left out, and the first of them; empty where none was.
    convention : Convention or None
        What the numbers in the output are in.
    """

    stream: str
    target: str
    rows: int
    left_out: int = 0
    reason: str = ""
    convention: Convention | None = None


@dataclass(frozen=True, slots=True, repr=False)
class WriteReport:
    """What a writer wrote and what it did not.

    Attributes
    ----------
    path : pathlib.Path
        The output.
    format : str
        Name of its format.
    streams : tuple of StreamReport
        One for every topic or table written, in the order of the output.
    notices : tuple of Notice
        What the log's reader, the conversion and the writer noticed.
    files : tuple of pathlib.Path
        Every file of the output: `path`, and the times of a KITTI file.
    """

    path: Path
    format: str
    streams: tuple[StreamReport, ...]
    notices: tuple[Notice, ...] = ()
    files: tuple[Path, ...] = field(default=())

    def __repr__(self) -> str:
        named = {item.stream for item in self.streams}
        streams = f"{len(named)} stream{'' if len(named) == 1 else 's'}"
        counts = f"{streams}, {self.rows} rows, {self.left_out} left out, {len(self.notices)} notices"
        return f"WriteReport({str(self.path)!r}, {self.format}: {counts})"

    def __str__(self) -> str:
        """Say in lines what was written, and what there is to notice; each cut to what a screen is wide."""
        lines = [repr(self)]
        for item in self.streams:
            left = f", {item.left_out} left out ({item.reason})" if item.left_out else ""
            lines.append(f"  {item.stream}: {item.rows} rows as {item.target or 'nothing'}{left}")
        lines += [f"  {notice}" for notice in self.notices]
        if len(lines) > _LINES:
            lines = [*lines[:_LINES], f"  and {len(lines) - _LINES} more: .streams, .notices"]
        cut = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..." for line in lines[1:]]
        return "\n".join([lines[0], *cut])

    @property
    def rows(self) -> int:
        """Rows (messages) written in all."""
        return sum(item.rows for item in self.streams)

    @property
    def left_out(self) -> int:
        """Rows left out in all."""
        return sum(item.left_out for item in self.streams)


def write_log(
    log: Log,
    path: Path,
    writer: Writer,
    *,
    format: str,
    to: str | Convention | None = None,
    overwrite: bool = False,
    forward: str | float | None = None,
    world: str | None = None,
    thing: str | None = None,
    origin: Any = None,
    **options: Any,
) -> WriteReport:
    """Convert a log where `to` asks for it and write it; see `boresight.write`.

    A writer that has a `prepare(log, to, **change)` of its own (MCAP holds ROS messages and nothing else) says itself what
    the conversion is.
    """
    from boresight.logs.convert import convert_log

    given = log
    change: dict[str, Any] = {"forward": forward, "world": world, "thing": thing, "origin": origin}
    companions = getattr(writer, "companions", None)
    also: tuple[Path, ...] = companions(path) if companions else ()
    with new_files(path, *also, overwrite=overwrite) as working:
        prepare = getattr(writer, "prepare", None)
        if prepare is not None:
            log = prepare(log, to, **change)
        elif to is not None:
            log = convert_log(log, to, **change)
        report = writer.write(log, working, **options)
        unused = _unused(given, log, to, change)
    notices = (
        *report.notices,
        *unused,
        *_beside(given, report, options.get("stream")),
    )
    return replace(report, path=path, format=format, files=(path, *also), notices=notices)


def _beside(log: Log, report: WriteReport, chosen: object) -> list[Notice]:
    """Say which streams have no rows of their own in the output, where the writer has not."""
    if chosen is not None or any(n.code == "not-written" and n.stream is None for n in report.notices):
        return []
    written = {item.stream for item in report.streams}
    names = [s.name for s in log.streams.values() if s.num_rows and s.name not in written]
    if not names:
        return []
    message = (
        f"not written on their own: {', '.join(names)}; poses hold the positions and rates that go with them"
    )
    return [Notice("beside", message, None, len(names))]


_SETTLED = {
    "forward": "it says where the forward of a local world points on the compass, and no stream goes from one to the other",
    "origin": "it places a world on the earth, and no stream goes to or from earth-centred coordinates",
    "world": "it names the axes of a free world, and those of every stream are known",
    "thing": "it names what the converted numbers describe, and nothing was converted",
}


def _unused(log: Log, made: Log, to: str | Convention | None, change: dict[str, Any]) -> list[Notice]:
    """Say which of the options of a change made no difference: the caller expects something that did not happen."""
    given = {name: value for name, value in change.items() if value is not None}
    if not given:
        return []
    from boresight import conventions
    from boresight.axes import Axes

    target = None if to is None else conventions.get(to)
    worlds: list[set[str]] = []
    for name, stream in made.streams.items():
        if name in log.streams:
            reached = stream.convention if target is None else target
            worlds.append({log.streams[name].convention.world.kind, reached.world.kind})
    # A free world whose axes are named is one of theirs.
    named = {"free": Axes(change["world"]).kind} if change["world"] else {}
    apart = [{named.get(kind, kind) for kind in kinds} for kinds in worlds]
    apart = [kinds for kinds in apart if len(kinds) > 1 and "free" not in kinds]
    used = {
        "forward": any("local" in kinds for kinds in apart),
        "origin": any("earth" in kinds for kinds in apart),
        "world": any("free" in kinds for kinds in worlds),
        "thing": target is not None
        or any(
            stream.convention.id != log.streams[name].convention.id for name, stream in made.streams.items()
        ),
    }
    return [
        Notice("unused-option", f"{name}={value!r} made no difference: {_SETTLED[name]}")
        for name, value in given.items()
        if not used[name]
    ]


def check_output(path: Path, *, overwrite: bool) -> None:
    """Raise the `OutputError` that `new_files` would, for an output that exists: before a long input is read."""
    _resolved(path, overwrite)


@contextmanager
def new_files(path: Path, *also: Path, overwrite: bool) -> Generator[Path]:
    """Give a path to write to; what is written there becomes `path` when the block ends well.

    The path given has the name of `path`, in a directory of its own; files of other names written beside it (those of
    `also`) are put beside `path`. When the block raises, nothing is left behind.

    Parameters
    ----------
    path : pathlib.Path
        The output.
    *also : pathlib.Path
        Further outputs, in the same directory.
    overwrite : bool
        Whether outputs that exist may be replaced.

    Yields
    ------
    pathlib.Path
        Where to write.

    Raises
    ------
    OutputError
        An output exists, its directory is missing or not writable, the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with new_files(Path(directory, "out.txt"), overwrite=False) as working:
    ...         _ = working.write_text("done")
    ...     Path(directory, "out.txt").read_text()
    'done'
    """
    targets = [_resolved(item, overwrite) for item in (path, *also)]
    directory = _working_directory(path, targets[0].parent)
    try:
        try:
            yield directory / path.name
            for item, target in zip((path, *also), targets, strict=True):
                _resolved(item, overwrite)  # it may have come into being meanwhile
                working = directory / item.name
                _mode_of(target, working)
            _rename([directory / item.name for item in (path, *also)], targets)
        except BoresightError:
            raise
        except OSError as error:
            raise _output_error(error, path) from error
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _resolved(path: Path, overwrite: bool) -> Path:
    """Return the file to write, through links, once it is known that it may be written."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return path.parent.resolve() / path.name if not path.is_symlink() else path.resolve()
    except OSError as error:
        raise _output_error(error, path) from error
    if stat.S_ISDIR(mode):
        raise OutputError("this is a directory", path=path, advice="name a file to write")
    if not stat.S_ISREG(mode):
        raise OutputError("this is no regular file", path=path, advice="name a file to write")
    if not overwrite:
        raise OutputError(
            "the file exists", path=path, advice="give --overwrite (overwrite=True) to replace it"
        )
    return path.resolve()


def _working_directory(path: Path, parent: Path) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=parent))
    except FileNotFoundError:
        raise OutputError(
            "its directory does not exist", path=path, advice=f"make {path.parent} first"
        ) from None
    except NotADirectoryError:
        raise OutputError(f"{path.parent} is no directory", path=path) from None
    except OSError as error:
        raise _output_error(error, path) from error


def _mode_of(target: Path, working: Path) -> None:
    """Keep the permissions of a file that is replaced."""
    if target.exists():
        shutil.copymode(target, working)


def _rename(working: Sequence[Path], targets: Sequence[Path]) -> None:
    """Put all files into place; where one can't be, take back those that were new."""
    new: list[Path] = []
    try:
        for source, target in zip(working, targets, strict=True):
            existed = target.exists()
            os.replace(source, target)
            if not existed:
                new.append(target)
    except OSError:
        for target in new:
            target.unlink(missing_ok=True)
        raise


def _output_error(error: OSError, path: Path) -> OutputError:
    """Say in one line why an output can't be written."""
    number = error.errno
    parent = path.parent
    if number in (errno.ENOSPC, errno.EDQUOT):
        reason = "the disk is full" if number == errno.ENOSPC else "the disk quota is used up"
        return OutputError(
            reason, path=path, advice="make room, or write to another disk; nothing was left behind"
        )
    if number == errno.EFBIG:
        return OutputError("the file grew larger than the system allows", path=path)
    if number in (errno.EACCES, errno.EPERM):
        return OutputError(
            f"no permission to write in {parent}", path=path, advice="write to another directory"
        )
    if number == errno.EROFS:
        return OutputError(
            f"{parent} is on a read-only file system", path=path, advice="write to another directory"
        )
    if number is not None:
        return OutputError(os.strerror(number), path=path)
    return OutputError(str(error) or type(error).__name__, path=path)
