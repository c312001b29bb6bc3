"""The way into logs for plain arrays: a stream of them, one array a quantity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight import conventions
from boresight.conventions import Convention
from boresight.errors import ConventionError, DataError
from boresight.logs.columns import GROUPS, Group
from boresight.logs.kinds import kind_of
from boresight.logs.model import Stream
from boresight.logs.tables import make_table
from boresight.rows import floats
from boresight.times import times_array

__all__ = ["stream_of"]


def stream_of(
    name: str,
    convention: str | Convention,
    time: ArrayLike,
    *,
    thing: str | None = None,
    units: Mapping[str, str] | None = None,
    **groups: ArrayLike,
) -> Stream:
    """Make a stream of arrays.

    Parameters
    ----------
    name : str
        Name of the stream.
    convention : str or Convention
        What the numbers are in, by name of the registry: ``"px4"`` for FRD and NED, ``"ros"`` for FLU and ENU.
    time : array_like, shape (n,)
        Integer nanoseconds.
    thing : str, optional
        Which thing of the convention they describe; its first without.
    units : mapping of str to str, optional
        Unit of a group where it is not its own: ``{"angular_rate": "deg/s"}``.
    **groups : array_like
        The quantities by name of `GROUPS`, shape (n, columns), or (n,) of a single column: ``angular_rate=``,
        ``specific_force=``, ``velocity=``, ``geodetic=`` (latitude, longitude), ``altitude=``, ``magnetic_field=``. A
        quaternion in the convention's own order.

    Raises
    ------
    TypeError
        Times are no integers, or there is no group of a name.
    ConventionError
        There is no such convention or thing.
    DataError
        An array has another shape, or the groups together are no kind of stream.

    Examples
    --------
    >>> imu = stream_of("imu", "ros", [0, 10_000_000], angular_rate=np.zeros((2, 3)), specific_force=[[0, 0, 9.8]] * 2)
    >>> imu
    Stream('imu', imu, ros, 2 rows: time wx wy wz ax ay az)
    """
    own = conventions.get(convention)
    thing = own.default_thing if thing is None else thing
    own.thing_axes(thing)  # raises where it has none of that name
    place = f"stream {name}"
    times = times_array(time, "time")
    if times.dtype != np.int64:
        raise TypeError(
            "time is of seconds; give whole nanoseconds: np.round(seconds * 1e9).astype(np.int64)"
        )
    if times.ndim != 1:
        raise DataError(f"time has shape {times.shape}", place=place, advice="give (n,)")
    columns: dict[str, NDArray[Any]] = {}
    for group_name, values in groups.items():
        if group_name not in GROUPS:
            raise TypeError(f"there is no quantity {group_name!r}; there are {', '.join(GROUPS)}")
        columns |= _columns(GROUPS[group_name], values, len(times), own, place)
    kind = kind_of(columns)
    if kind is None:
        have = ", ".join(groups) or "nothing"
        raise DataError(f"{have} alone is no kind of stream", place=place, advice="see boresight.logs.GROUPS")
    return Stream(name, kind, own, thing, make_table(times, columns), units)


def _columns(
    group: Group, values: ArrayLike, rows: int, convention: Convention, place: str
) -> dict[str, NDArray[Any]]:
    array = floats(values, 0, group.name)
    wanted = (rows,) if group.width == 1 else (rows, group.width)
    if array.shape != wanted:
        raise DataError(
            f"{group.name} has shape {array.shape}", place=place, advice=f"give {wanted}, a row for each time"
        )
    if group.width == 1 or group.is_list:
        return {group.columns[0]: array}
    names = group.columns
    if group.name == "orientation":
        if convention.order is None:
            raise ConventionError(
                f"{convention.id} has no order of quaternions; give euler= or matrix=, or name a convention that has one"
            )
        names = tuple("q" + letter for letter in convention.order)
    return {column: array[:, i] for i, column in enumerate(names)}
