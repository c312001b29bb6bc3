"""Tables of streams from arrays: columns in the order of `GROUPS`, covariances as fixed-size lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.logs.columns import GROUPS, TIME

__all__ = ["make_table"]

_ORDER = tuple(column for group in GROUPS.values() for column in group.columns)


def make_table(time: NDArray[np.int64], columns: Mapping[str, NDArray[Any]]) -> pa.Table:
    """Return a stream's table.

    Parameters
    ----------
    time : ndarray, shape (n,)
        Integer nanoseconds.
    columns : mapping of str to ndarray
        Each (n,), or (n, width) of a covariance, by name. No numbers are copied where they lie one after another.

    Examples
    --------
    >>> make_table(np.array([0, 5]), {"z": np.ones(2), "x": np.ones(2), "y": np.ones(2)}).column_names
    ['time', 'x', 'y', 'z']
    """
    arrays: dict[str, pa.Array[Any]] = {TIME: _numbers(np.ascontiguousarray(time, np.int64))}
    for name in (
        *(name for name in _ORDER if name in columns),
        *(name for name in columns if name not in _ORDER),
    ):
        arrays[name] = _array(columns[name])
    return pa.table(arrays)


def _array(values: NDArray[Any]) -> pa.Array[Any]:
    # Arrow takes numbers of the machine's own byte order only.
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    if native.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(_numbers(native.reshape(-1)), native.shape[1])
    return _numbers(native)


def _numbers(values: NDArray[Any]) -> pa.Array[Any]:
    if values.dtype.kind not in "fiu":
        return pa.array(values)
    # Their memory as it is: `pyarrow.array` imports pandas, where that is installed, only to ask whether this is its.
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
