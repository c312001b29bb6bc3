"""Lines of numbers with a separator between them, and comments from ``#``: read at the speed of Arrow's parser.

What the fast way cannot read is read once more, line by line, only to name the line and the column that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.columns import TIME
from boresight.logs.model import Notice
from boresight.logs.times import TimeUnit, parse_time

__all__ = ["TextFile", "first_numbers", "is_number", "open_text", "read_columns"]

_COMMENT_LINES = re.compile(rb"^[ \t]*#[^\n]*\n?", re.MULTILINE)
_BLANKS = re.compile(rb"[ \t]+")
_EDGES = re.compile(rb"^ +| +$", re.MULTILINE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLOCK_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file, and the comments before its first line."""

    path: Path
    content: bytes
    comments: tuple[str, ...]

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are no comment and not blank, each with its number in the file, counted from 1."""
        for number, line in enumerate(self.content.split(b"\n"), start=1):
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                yield number, text


def open_text(path: Path) -> TextFile:
    """Read a text file whole.

    Raises
    ------
    DataError
        It is empty, or holds no text.
    """
    content = path.read_bytes().removeprefix(_BYTE_ORDER_MARK)
    if not content.strip():
        raise DataError("the file is empty", path=path, place="byte 0")
    zero = content.find(b"\0", 0, 1 << 16)
    if zero >= 0:
        raise DataError("this is no text file", path=path, place=f"byte {zero}")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    comments: list[str] = []
    at = 0
    while at < len(content) and content[at : at + 1] in (b"#", b"\n"):
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        if end > at:
            comments.append(content[at:end].decode("utf-8", "replace"))
        at = end + 1
    return TextFile(path, content, tuple(comments))


def first_numbers(head: bytes, separator: str) -> list[str]:
    """Return the fields of the first line in `head` that is no comment; none where it is not of numbers."""
    lines = head.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace").splitlines()
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        fields = _split(text, separator)
        return fields if all(is_number(field) for field in fields) else []
    return []


def read_columns(
    file: TextFile,
    names: Sequence[str],
    separator: str,
    *,
    time_unit: TimeUnit | None,
    skip_lines: int = 0,
    use: Sequence[str] | None = None,
    strict: bool = False,
    empty_is_nan: bool = False,
) -> tuple[NDArray[np.int64] | None, dict[str, NDArray[np.float64]], list[Notice]]:
    """Read a file's columns.

    Parameters
    ----------
    file : TextFile
        The file.
    names : sequence of str
        What the columns are called, from left to right; `TIME` is the one of times.
    separator : str
        One character; a blank stands for any number of blanks and tabs.
    time_unit : str or None
        Unit of the times.
    skip_lines : int
        Lines of names before the numbers, comments not counted.
    use : sequence of str, optional
        The columns to read; else all.
    strict : bool
        Whether a last line cut short is an error.
    empty_is_nan : bool
        Whether nothing between two separators is a number that is missing, and no error.

    Returns
    -------
    tuple
        The times in nanoseconds (None where there is no such column), the other columns, and what there is to notice.

    Raises
    ------
    DataError
        A line has more or fewer columns, or something that is no number; it is named by line and column.
    """
    wanted = list(names if use is None else use)
    body = _body(file.content, separator, skip_lines)
    notices: list[Notice] = []
    try:
        table = _parse(body, names, separator, wanted, empty_is_nan)
    except pa.ArrowInvalid as error:
        cut = _find_fault(file, names, separator, wanted, skip_lines, strict, empty_is_nan)
        if cut is None:
            raise DataError(f"the file cannot be read: {error}", path=file.path) from None
        message = f"the file ends in the middle of line {cut}, which is left out"
        notices.append(Notice("truncated", message, None, 1))
        table = _parse(body[: body.rfind(b"\n") + 1], names, separator, wanted, empty_is_nan)
    columns = {name: table.column(name).to_numpy() for name in wanted if name != TIME}
    if TIME not in wanted or time_unit is None:
        return None, columns, notices
    try:
        return parse_time(table.column(TIME), time_unit), columns, notices
    except DataError as error:
        _find_fault(file, names, separator, wanted, skip_lines, True, empty_is_nan, check_times=True)
        raise DataError(error.reason, path=file.path, place=error.place) from None


def _body(content: bytes, separator: str, skip_lines: int) -> bytes:
    body = _COMMENT_LINES.sub(b"", content) if b"#" in content else content
    body = body.lstrip()
    for _ in range(skip_lines):
        _, _, body = body.partition(b"\n")
    if separator == " " and (b"\t" in body or b"  " in body or b" \n" in body or b"\n " in body):
        body = _EDGES.sub(b"", _BLANKS.sub(b" ", body))
    elif separator != " " and (b" " in body or (separator != "\t" and b"\t" in body)):
        # Between tabs a blank is nothing, and a tab itself is what separates.
        body = body.replace(b" ", b"") if separator == "\t" else _BLANKS.sub(b"", body)
    return body


def _parse(
    body: bytes, names: Sequence[str], separator: str, wanted: list[str], empty_is_nan: bool
) -> pa.Table:
    types = {name: pa.string() if name == TIME else pa.float64() for name in wanted}
    if not body.strip():
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    return arrow_csv.read_csv(
        pa.BufferReader(body),
        # One thread: the rows' order and the memory stay the same, and one core is what a job may have.
        read_options=arrow_csv.ReadOptions(
            column_names=list(names), use_threads=False, block_size=_BLOCK_BYTES
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, quote_char=False),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types, include_columns=wanted, null_values=[""] if empty_is_nan else []
        ),
    )


def _find_fault(
    file: TextFile,
    names: Sequence[str],
    separator: str,
    wanted: Sequence[str],
    skip_lines: int,
    strict: bool,
    empty_is_nan: bool,
    *,
    check_times: bool = False,
) -> int | None:
    """Raise an error that names the first bad line; or return its number where it is the last and was cut short."""
    lines = list(file.lines())[skip_lines:]
    for number, text in lines:
        fields = _split(text, separator)
        place = f"line {number}"
        if len(fields) != len(names):
            if (
                number == lines[-1][0]
                and len(fields) < len(names)
                and not file.content.endswith(b"\n")
                and not strict
            ):
                return number
            raise DataError(
                f"{len(fields)} columns, where {len(names)} are expected", path=file.path, place=place
            )
        for name, field in zip(names, fields, strict=True):
            if name in wanted and not is_number(field) and not (empty_is_nan and not field and name != TIME):
                what = f"{field!r} is no number" if field else "there is no number"
                raise DataError(what, path=file.path, place=f"{place}, column {name}")
            if check_times and name == TIME and not abs(float(field)) < 2.0**63:
                raise DataError(f"{field!r} is no time", path=file.path, place=f"{place}, column {name}")
    return None


def _split(text: str, separator: str) -> list[str]:
    return text.split() if separator == " " else [field.strip() for field in text.split(separator)]


def is_number(field: str) -> bool:
    """Say whether a field is one number."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field
