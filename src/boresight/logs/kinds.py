"""Which kind of stream a table is, by the columns that it has."""

from __future__ import annotations

from collections.abc import Iterable

from boresight.logs.columns import groups_of
from boresight.logs.model import StreamKind

__all__ = ["kind_of"]


def kind_of(columns: Iterable[str]) -> StreamKind | None:
    """Return the kind of a stream with these columns; None where they are nothing that is known.

    Examples
    --------
    >>> kind_of(["time", "wx", "wy", "wz"])
    'imu'
    """
    groups = groups_of(columns)
    names = {group.name for group in groups}
    if any(group.role == "orientation" for group in groups):
        return "pose" if "position" in names else "orientation"
    if names & {"angular_rate", "specific_force"}:
        return "imu"
    if "geodetic" in names:
        return "gnss"
    if "magnetic_field" in names:
        return "magnetic_field"
    if names & {"position", "velocity", "body_velocity"}:
        return "velocity"
    return "baro" if names & {"pressure", "altitude"} else None
