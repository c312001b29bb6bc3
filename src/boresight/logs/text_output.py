"""Numbers as text, a whole column at a time: shortest digits that read back as the same float64, times exact to the nanosecond."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from boresight.logs.times import TIME_UNITS, TimeUnit

__all__ = ["format_time", "write_lines"]

_ROWS = 16_384
"""Rows turned into text at once: their text stays in the cache."""


def format_time(time: NDArray[np.int64], unit: TimeUnit) -> pa.Array[Any]:
    """Return integer nanoseconds as decimal text in a unit, exactly; the inverse of `times.parse_time`.

    Parameters
    ----------
    time : numpy.ndarray
        Shape (n,), int64 nanoseconds.
    unit : str
        s, ms, us or ns.

    Returns
    -------
    pyarrow.Array of strings
        With all digits down to the nanosecond after the point.

    Examples
    --------
    >>> import numpy as np
    >>> format_time(np.array([1305031102175304000, -1500000000, 0]), "s").to_pylist()
    ['1305031102.175304000', '-1.500000000', '0.000000000']
    """
    power = TIME_UNITS[unit]
    if power == 0:
        return pa.array(time).cast(pa.string())
    # the sign apart: seconds rounded to zero have none
    magnitude = np.abs(time).view(np.uint64)  # right for the most negative int64 too
    whole, rest = np.divmod(magnitude, np.uint64(10**power))
    parts = [
        pa.array(whole).cast(pa.string()),
        pc.utf8_lpad(pa.array(rest).cast(pa.string()), power, "0"),
    ]
    text = pc.binary_join_element_wise(*parts, ".")
    if (time < 0).any():
        signs = pc.if_else(pa.array(time < 0), "-", "")
        text = pc.binary_join_element_wise(signs, text, "")
    return text


def write_lines(path: Path, head: Sequence[str], columns: Iterable[Sequence[Any]], *, separator: str) -> None:
    """Write a text file of numbers.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    head : sequence of str
        Lines that come first, without line ends.
    columns : iterable of sequences of arrays
        Block by block, the columns of the line: NumPy or Arrow arrays; floats are written as float64.
    separator : str
        One character between two numbers.
    """
    options = pacsv.WriteOptions(
        include_header=False, delimiter=separator, quoting_style="none", batch_size=_ROWS
    )
    with path.open("wb") as file:
        file.write("".join(f"{line}\n" for line in head).encode())
        batches = (_batch(block) for block in columns)
        first = next(batches, None)
        if first is None:
            return
        with pacsv.CSVWriter(file, first.schema, write_options=options) as writer:
            for batch in chain([first], batches):
                writer.write_batch(batch)


def _batch(columns: Sequence[Any]) -> pa.RecordBatch:
    arrays = [_column(column) for column in columns]
    return pa.RecordBatch.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])


def _column(column: Any) -> pa.Array[Any]:
    array = column if isinstance(column, pa.Array) else pa.array(column)
    return array.cast(pa.float64()) if pa.types.is_floating(array.type) else array
