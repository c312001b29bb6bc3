"""Plain tables of numbers, as a command is told to read them: text with or without a line of names, or Parquet.

A reader of logs (`boresight.logs.readers.csv`) wants to know what its numbers are in before it reads them. Here nobody
knows yet: a diagnosis is to find out. So columns are taken by the names that the user gives, or by those that are common,
and nothing is assumed but what the names say.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.columns import TIME
from boresight.logs.readers.csv_names import known_time_unit, known_unit, split_name
from boresight.logs.readers.delimited import TextFile, is_number, open_text, read_columns

__all__ = ["Table", "open_table"]

Array = NDArray[Any]

_SEPARATORS = (",", ";", "\t")
_SHOWN = 12
NO_ROWS = "there are no rows of numbers"
_WRAPS = (2.0**8, 2.0**16, 2.0**24, 2.0**32)
"""Counters begin at 0 again after so many."""


@dataclass(frozen=True)
class Table:
    """The columns of a file: their names, what units the file says, and their numbers when asked for.

    Attributes
    ----------
    path : pathlib.Path
    names : tuple of str
        Empty where the file has no line of names; columns then go by their numbers.
    units : tuple of str
        As the file has them beside or below the names; empty where it says none.
    width : int
        How many columns there are.
    """

    path: Path
    names: tuple[str, ...]
    units: tuple[str, ...]
    width: int
    separator: str = ","
    text: TextFile | None = None
    _read: dict[tuple[int, ...], list[Array]] = field(
        default_factory=dict[tuple[int, ...], list[Array]], repr=False
    )

    def find(self, name: str) -> int | None:
        """Return which column has a name, or a number counted from 1; None where there is none."""
        if name in self.names:
            return self.names.index(name)
        folded = [known.casefold() for known in self.names]
        if folded.count(name.casefold()) == 1:
            return folded.index(name.casefold())
        if name.isdigit() and 1 <= int(name) <= self.width:
            return int(name) - 1
        # A name that is given without its unit: "Gyroscope X" of "Gyroscope X (deg/s)".
        bare = [known.partition("(")[0].partition("[")[0].strip().casefold() for known in self.names]
        return bare.index(name.casefold()) if bare.count(name.casefold()) == 1 else None

    def listed(self) -> str:
        """Say in words which columns there are."""
        if not self.names:
            return f"the file has no line of names; its columns go by their numbers, 1 to {self.width}"
        shown = ", ".join(self.names[:_SHOWN])
        more = f" and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else ""
        return f"its columns are {shown}{more}"

    def unit(self, index: int) -> str:
        """Return the unit that the file says of a column, as we write it; empty where it says none."""
        said = self.units[index] if index < len(self.units) else ""
        said = said or (split_name(self.names[index]).unit if index < len(self.names) else "")
        return known_unit(said) or said

    def time_unit(self, index: int) -> str | None:
        """Return the unit of a column of times, where its name or the line below says it."""
        said = (self.units[index] if index < len(self.units) else "").strip("()[] ").lower()
        if unit := known_time_unit(said):
            return unit
        if index >= len(self.names):
            return None
        name = split_name(self.names[index])
        return known_time_unit(name.unit) or known_time_unit(name.words.rpartition("_")[2])

    # -- numbers ---------------------------------------------------------------------------------------------------

    def numbers(self, indices: Sequence[int]) -> Array:
        """Return columns side by side, shape (n, columns), float64; what is missing is NaN."""
        if self.text is None:
            columns = self._parquet(tuple(indices))
            return np.stack(
                [
                    _numbers(column, self._place(i), self.path)
                    for column, i in zip(columns, indices, strict=True)
                ],
                axis=-1,
            )
        names = self._distinct()
        use = [names[i] for i in dict.fromkeys(indices)]
        _, columns, _ = read_columns(
            self.text, names, self.separator, time_unit=None, use=use, empty_is_nan=True
        )
        return np.stack([columns[names[i]] for i in indices], axis=-1)

    def times(self, index: int, unit: str) -> NDArray[np.int64]:
        """Return a column of times in nanoseconds; of a counter, `unit` is its rate: ``"50Hz"``."""
        if unit.lower().endswith("hz"):
            return _counted(self.numbers([index])[:, 0], float(unit[:-2]), self._place(index), self.path)
        if self.text is None:
            return _nanoseconds(self._parquet((index,))[0], unit, self._place(index), self.path)
        names = self._distinct()
        names[index] = TIME
        known: Any = unit
        time, _, _ = read_columns(self.text, names, self.separator, time_unit=known, use=[TIME])
        assert time is not None
        return time

    def _place(self, index: int) -> str:
        return f"column {self.names[index]!r}" if self.names else f"column {index + 1}"

    def _distinct(self) -> list[str]:
        """Names for errors, each once: ``"4 (q2)"``."""
        said = [f" ({name})" if name else "" for name in self.names] or [""] * self.width
        return [f"{i + 1}{text}" for i, text in enumerate(said)]

    def _parquet(self, indices: tuple[int, ...]) -> list[Array]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(self.path, columns=[self.names[i] for i in dict.fromkeys(indices)])
            columns = {name: table.column(name) for name in table.schema.names}
            return [columns[self.names[i]].to_numpy() for i in indices]
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"this Parquet file cannot be read ({error})", path=self.path) from None


def _numbers(column: Array, place: str, path: Path) -> Array:
    """Return a column of a Parquet file as numbers, or say in which row it holds something else."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64, copy=False)
    out = np.full(len(column), np.nan)
    for row, value in enumerate(column):
        if isinstance(value, int | float | Decimal):
            out[row] = float(value)
        elif value is not None:
            raise DataError(
                f"{value!r:.40} is no number",
                path=path,
                place=f"row {row}, {place}",
                advice="name a column of numbers",
            )
    return out


def open_table(path: Path) -> Table:
    """Open a table; its numbers are read when they are asked for.

    Raises
    ------
    DataError
        The file has no rows of numbers.
    """
    with path.open("rb") as file:
        if file.read(4) == b"PAR1":
            return _open_parquet(path)
    text = open_text(path)
    lines = text.content.split(b"\n")
    for number, line in enumerate(lines):
        decoded = line.decode("utf-8", "replace").strip("\r")
        if decoded.lstrip().startswith("#") or not decoded.strip():
            continue
        separator = _separator(decoded)
        fields = _split(decoded, separator)
        if len(fields) < 2 or not _is_mostly_numbers(fields):
            continue
        number = _first_sparse(lines, number, separator, len(fields))
        names, units = _header(lines[:number], separator, len(fields))
        if not names and not _is_row(fields):
            continue
        if names or _next_has(lines[number + 1 :], separator, len(fields)):
            rows, width = lines[number:], len(fields)
            if names and not names[-1] and not fields[-1]:
                # A separator at the end of most rows, which is no further column.
                names, width = names[:-1], width - 1
                rows = [row.rstrip(separator.encode() + b"\r ") for row in rows]
            # What stands before the rows becomes comments, so that errors still count the file's own lines.
            content = b"\n".join([b"#"] * number + rows)
            return Table(path, names, units, width, separator, TextFile(path, content, ()))
    raise DataError(NO_ROWS, path=path, advice="boresight reads text and Parquet tables")


def _open_parquet(path: Path) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"this Parquet file cannot be read ({error})", path=path) from None
    if not metadata.num_rows:
        raise DataError(NO_ROWS, path=path, advice="boresight reads text and Parquet tables")
    return Table(path, tuple(schema.names), (), len(schema.names))


# -- lines ---------------------------------------------------------------------------------------------------------


def _separator(line: str) -> str:
    best = max(_SEPARATORS, key=line.count)
    return best if best in line else " "


def _split(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    for fields in csv.reader([line], delimiter=separator, skipinitialspace=True):
        return [part.strip() for part in fields]
    return []


def _is_row(fields: Sequence[str]) -> bool:
    return all(not text or is_number(text) for text in fields) and any(fields)


def _is_mostly_numbers(fields: Sequence[str]) -> bool:
    """Whether a line may be a row: beside its numbers may stand the name of a picture or a class."""
    numbers = sum(is_number(text) for text in fields)
    words = sum(bool(text) for text in fields) - numbers
    return numbers >= 2 and numbers > words


def _first_sparse(lines: Sequence[bytes], number: int, separator: str, width: int) -> int:
    """Return which line is the first row, going back from one that certainly is one.

    Where rows of different messages alternate, the first ones may hold a time and hardly more.
    """
    if separator == " ":
        return number
    while number:
        fields = _split(lines[number - 1].decode("utf-8", "replace").strip("\r"), separator)
        numbers = sum(is_number(text) for text in fields)
        if len(fields) != width or not numbers or fields.count("") < width / 2:
            break
        number -= 1
    return number


def _next_has(lines: Sequence[bytes], separator: str, width: int) -> bool:
    """Whether the next line is a row of as many numbers: else a line of a preamble only looks like one."""
    for line in lines:
        decoded = line.decode("utf-8", "replace")
        if decoded.strip():
            fields = _split(decoded, separator)
            return len(fields) == width and _is_row(fields)
    return True


def _header(lines: Sequence[bytes], separator: str, width: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names, and the units where a line of them stands between the names and the numbers."""
    found: list[list[str]] = []
    for line in reversed(lines):
        decoded = line.decode("utf-8", "replace").strip("\r").lstrip("\ufeff")
        if not decoded.strip():
            continue
        fields = _split(decoded.lstrip("#") if decoded.startswith("#") else decoded, separator)
        # A separator at the end of every row makes one column more than there are names.
        if len(fields) not in (width, width - 1) or _is_mostly_numbers(fields):
            break
        found.append(fields + [""] * (width - len(fields)))
        if len(found) == 2:
            break
    if not found:
        return (), ()
    if len(found) == 2 and len(set(found[1])) > len(set(found[0])):
        return tuple(found[1]), tuple(found[0])
    return tuple(found[0]), ()


# -- times ---------------------------------------------------------------------------------------------------------


def _nanoseconds(values: Array, unit: str, place: str, path: Path) -> NDArray[np.int64]:
    if values.dtype.kind == "M":
        return values.astype("datetime64[ns]").astype(np.int64)
    scale = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1}[unit]
    if values.dtype.kind in "iu":
        return values.astype(np.int64) * scale
    if values.dtype.kind != "f":
        raise DataError(
            "its values are no times", path=path, place=place, advice="name a column of numbers or dates"
        )
    return _whole(values, float(scale), "time", place, path)


def _whole(values: Array, scale: float, what: str, place: str, path: Path) -> NDArray[np.int64]:
    """Nanoseconds of numbers that are all there and within the years of a 64-bit count of them."""
    scaled = values * scale
    bad = np.flatnonzero(~(np.abs(scaled) < 2.0**63))
    if len(bad):
        row = int(bad[0])
        said = (
            f"{values[row]:g} is beyond the range" if np.isfinite(values[row]) else "is missing or no number"
        )
        advice = "check its unit" if np.isfinite(values[row]) else "leave such rows out"
        raise DataError(f"a {what} {said}", path=path, place=f"row {row}, {place}", advice=advice)
    return np.rint(scaled).astype(np.int64)


def _counted(values: Array, rate: float, place: str, path: Path) -> NDArray[np.int64]:
    """Times of a counter of samples, past the places where it begins again."""
    _whole(values, 1e9 / rate, "count", place, path)
    steps = np.diff(values)
    for wrap in _WRAPS:
        back = steps < -0.5 * wrap
        if back.any() and values.max() < wrap and np.all(steps[back] + wrap < 0.5 * wrap):
            values = values + np.concatenate([[0.0], np.cumsum(back) * wrap])
            break
    return _whole(values, 1e9 / rate, "count", place, path)
