"""Positions and orientations put into one stream where a convention cannot have them apart.

Most systems store where the body is in the world. Some (OpenCV, COLMAP, SPICE) store the inverse pose, whose position is the
world's origin as the body sees it: a number that an orientation is part of. An autopilot's log has the two in streams of
different rates, and becomes a log in such a system only with every position brought to an orientation.
"""

from __future__ import annotations

from collections.abc import Iterator

from boresight.conventions import Convention
from boresight.logs.model import GROUPS, TIME, Log, Notice, Stream
from boresight.logs.poses import join_poses, partner_of

__all__ = ["joined_where_needed"]


def joined_where_needed(log: Log, to: Convention) -> Log:
    """Return the log with its positions in the streams of orientations, where `to` needs that; else the log as it is."""
    apart = {
        stream.name
        for stream in log.streams.values()
        if stream.has("position") and not stream.has_orientation and _inverse(stream.convention, to)
    }
    pairs = dict(_pairs(log, apart))
    if not pairs:
        return log
    streams: dict[str, Stream] = {}
    notices: list[Notice] = []
    for name, stream in log.streams.items():
        if name in pairs:
            streams[name], said = join_poses(log, name, every_row=True)
            notices += said
        elif name not in apart:
            streams[name] = stream
        elif name in pairs.values():
            holders = [own for own, partner in pairs.items() if partner == name]
            message = f"{to.id} stores positions as seen from the body: they are in {', '.join(holders)}, interpolated to its times"
            notices.append(Notice("joined", message, name, stream.num_rows))
            rest = _without_position(stream)
            if rest is not None:
                streams[name] = rest
        else:
            message = (
                f"{stream.num_rows} positions are not written: {to.id} stores them as seen from the body, and no orientation "
                "of the log goes with them"
            )
            notices.append(Notice("not-written", message, name, stream.num_rows))
            rest = _without_position(stream)
            if rest is not None:
                streams[name] = rest
    return Log(streams, log.path, log.format, (*log.notices, *notices), log.metadata)


def _inverse(from_: Convention, to: Convention) -> bool:
    return from_.direction == "body_to_world" and to.direction == "world_to_body"


def _pairs(log: Log, apart: set[str]) -> Iterator[tuple[str, str]]:
    """Each stream of orientations alone with the stream of its positions: that of its name, or the log's first for the first."""
    first = True
    for stream in log.of_kind("orientation"):
        if not stream.num_rows:
            continue
        partner = partner_of(log, stream, any_name=first)
        first = False
        if partner is not None and partner.name in apart:
            yield stream.name, partner.name


def _without_position(stream: Stream) -> Stream | None:
    """The other quantities of a stream of positions; None where there are none."""
    groups = ("position", "position_covariance", "position_valid", "local_origin", "local_origin_altitude")
    position = {column for name in groups for column in GROUPS[name].columns}
    names = [name for name in stream.schema.names if name not in position]
    if not any(group.role != "scalar" for group in stream.groups if not set(group.columns) <= position):
        return None
    if names == [TIME]:
        return None
    return stream.replace(rows=stream.table().select(names))
