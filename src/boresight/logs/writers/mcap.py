"""Writes a log as MCAP with ROS 2 messages, whatever system it is from: REP-103 axes, stamps, covariances, frames.

========================  ==========================================================================================
topic                     what
========================  ==========================================================================================
/odom, /tf                the log's poses (`join_poses`): nav_msgs/Odometry, its twist in the axes of the body, and
                          tf2_msgs/TFMessage. Without velocities /pose, geometry_msgs/PoseStamped, instead of /odom
/imu/data                 the first orientation stream: sensor_msgs/Imu with its own rows
/imu/data_raw             the first imu stream: sensor_msgs/Imu without an orientation
/gnss/fix, /gnss/velocity sensor_msgs/NavSatFix and geometry_msgs/TwistWithCovarianceStamped, or TwistStamped where the log
                          says neither how good a velocity is nor whether it holds
/magnetic_field           sensor_msgs/MagneticField
/pressure                 sensor_msgs/FluidPressure
/NAME/...                 every other stream, by its name
========================  ==========================================================================================

The world's frame is "map" where its axes are those of the compass, "odom" where it is local, "earth" for ECEF and "world" where
nothing is known of it; the body is "base_link".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight import conventions
from boresight.conventions import Convention
from boresight.errors import ConventionError, DataError
from boresight.logs import cdr
from boresight.logs.convert import convert_stream
from boresight.logs.flagged import AS_THEY_ARE, Flagged, Quantity
from boresight.logs.left_out import LeftOut
from boresight.logs.mcap_file import ChannelWriter, Compression, McapFile
from boresight.logs.model import BATCH_ROWS, TIME, Log, Notice, Stream
from boresight.logs.output import StreamReport, WriteReport
from boresight.logs.poses import join_poses, partner_of
from boresight.logs.ros_messages import (
    UNKNOWN_VARIANCE,
    Rows,
    Topic,
    check_rep103,
    is_rep103,
    not_held,
    topics_of,
)

__all__ = ["WRITER", "McapWriter"]

_CHUNK = 16_384
"""Messages in a chunk, about, where all topics are equally fast: some megabytes."""

_BLOCK = 512, 4096
"""Fewest and most rows of a stream that are merged with the others' at once."""


@dataclass(frozen=True)
class McapWriter:
    """Writes every stream that ROS has a message for."""

    suffixes: tuple[str, ...] = (".mcap",)

    def prepare(self, log: Log, to: str | Convention | None, **change: Any) -> Log:
        """Convert to REP-103: `to` where it is that, else the body to FLU in the log's own kind of world."""
        ros = conventions.get("ros")
        target: Convention | None = None
        if to is not None:
            asked = conventions.get(to)
            if not is_rep103(asked.things.get("body"), asked.world):
                raise ConventionError(
                    f"an MCAP file holds ROS messages, whose axes are FLU bodies in an ENU, FLU or ECEF world (REP-103), "
                    f'and {asked.id} is not; convert to "ros", or write CSV or Parquet, which hold any convention'
                )
            target = ros.replace(world=asked.world, position_world=asked.world)
        thing = change.pop("thing", None)
        streams: dict[str, Stream] = {}
        for name, stream in log.streams.items():
            to_ros = target or _ros_in_world_of(ros, stream.convention)
            streams[name] = convert_stream(stream, to_ros, to_thing=thing or "body", **change)
        return Log(streams, log.path, log.format, log.notices, log.metadata)

    def write(
        self, log: Log, path: Path, *, stream: str | None = None, compression: Compression = "zstd"
    ) -> WriteReport:
        """Write a log, in REP-103 axes (`prepare`), to a path that is not yet there.

        Parameters
        ----------
        log : Log
            As `prepare` gives it.
        path : pathlib.Path
            Where to write.
        stream : str, optional
            Name of the stream whose poses go to /odom and /tf; else the log's first.
        compression : str
            Of the chunks: "zstd", "lz4" or "none".
        """
        feeds, left, notices = _feeds(log, stream)
        if not feeds:
            have = ", ".join(log.streams) or "none"
            raise DataError(
                "nothing in the log has a ROS message", path=log.path, advice=f"its streams: {have}"
            )
        with path.open("wb") as file:
            mcap = McapFile(file, compression=compression)
            about = {**log.metadata, "notices": json.dumps([str(n) for n in (*log.notices, *notices)])}
            mcap.metadata("boresight", about)
            for feed in feeds:
                # what rosbag2 leaves out too: who plays such a file back chooses the quality of service
                feed.channels = [mcap.channel(topic.name, topic.layout) for topic in feed.topics]
            for part in _merged(feeds):
                mcap.chunk([records for feed, batch in part for records in feed.records(batch)])
            mcap.finish()
        if not any(feed.rows for feed in feeds):
            why = [str(n) for feed in feeds if feed.left_out for n in feed.left_out.notices()]
            reason = why[0] if why else f"stream {feeds[0].stream.name} has none"
            raise DataError(f"no row of the log can be written: {reason}", path=log.path)
        reports = [report for feed in feeds for report in feed.reports()]
        counted = [n for feed in feeds if feed.left_out for n in feed.left_out.notices()]
        counted += [n for feed in feeds if feed.flagged for n in feed.flagged.notices()]
        said = (*log.notices, *_of_free_worlds(log), *notices, *counted, *_lost(log, feeds))
        return WriteReport(path, "mcap", (*reports, *left), said)


WRITER = McapWriter()
"""What the registry finds."""


def _ros_in_world_of(ros: Convention, convention: Convention) -> Convention:
    """REP-103 in the kind of world that a convention has."""
    world: Any = {"compass": "ENU", "local": "FLU", "earth": "earth", "free": convention.world}[
        convention.world.kind
    ]
    return ros if world == "ENU" else ros.replace(world=world, position_world=world)


def _of_free_worlds(log: Log) -> list[Notice]:
    """Say that ROS takes z for up, where nobody has said what the world's axes are."""
    names = [s.name for s in log.streams.values() if s.convention.world.kind == "free" and s.has_orientation]
    if not names:
        return []
    message = (
        f"nobody has said which way the world's axes point, and ROS takes z for up: the poses of {', '.join(names)} are in a frame "
        'of their own, "world"; name its axes, as world="RDF" with forward="E" (--world RDF --forward E), to have them upright'
    )
    return [Notice("free-world", message, None, len(names))]


def _lost(log: Log, feeds: list[_Feed]) -> list[Notice]:
    """Say which quantities of the streams written no message has a field for, in one notice."""
    topics: dict[str, list[Topic]] = {}
    for feed in feeds:
        topics.setdefault(feed.stream.name, []).extend(feed.topics)
    found = {name: not_held(log[name], own) for name, own in topics.items() if name in log}
    lost = [f"{name} ({', '.join(groups)})" for name, groups in found.items() if groups]
    if not lost:
        return []
    message = f"the messages have no field for: {'; '.join(lost)}"
    return [Notice("no-field", message, None, len(lost))]


# -- which stream goes where ----------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Feed:
    """A stream and the topics that its rows are written on."""

    stream: Stream
    topics: list[Topic]
    left_out: LeftOut | None
    flagged: Flagged | None
    channels: list[ChannelWriter] = field(default_factory=list[ChannelWriter])
    rows: int = 0

    def blocks(self, size: int) -> Iterator[pa.RecordBatch]:
        """Blocks of at most `size` valid rows, each sorted by time."""
        for batch in self.stream.batches(BATCH_ROWS):
            if self.left_out is not None:
                batch = self.left_out.filtered(batch)
            time: NDArray[np.int64] = batch.column(TIME).to_numpy()
            if (np.diff(time) < 0).any():
                batch = batch.take(pa.array(np.argsort(time, kind="stable")))
            for start in range(0, len(batch), size):
                yield batch.slice(start, size)

    def records(self, batch: pa.RecordBatch) -> Iterator[np.ndarray[Any, Any]]:
        """The message records of some rows, topic by topic."""
        rows = Rows(batch)
        self.rows += len(rows)
        if self.flagged is not None:
            self.flagged.count(batch)
        for topic, channel in zip(self.topics, self.channels, strict=True):
            records = channel.records(rows.time)
            messages = records["message"]
            cdr.set_stamp(messages, topic.stamp, rows.time)
            topic.fill(messages, rows)
            yield records

    def reports(self) -> Iterator[StreamReport]:
        count, reason = (self.left_out.count, self.left_out.reason) if self.left_out else (0, "")
        for topic in self.topics:
            target = f"{topic.name} {topic.layout.type_name}"
            yield StreamReport(self.stream.name, target, self.rows, count, reason, self.stream.convention)


def _feeds(log: Log, chosen: str | None) -> tuple[list[_Feed], list[StreamReport], list[Notice]]:
    """Which streams become which topics, and what is said of the others."""
    feeds: list[_Feed] = []
    left: list[StreamReport] = []
    notices: list[Notice] = []
    taken: set[str] = {"/tf"}

    def add(stream: Stream, names: Callable[[str], str], *, transforms: bool = False) -> None:
        check_rep103(stream)

        def free(what: str) -> str:
            name = names(what)
            while name in taken:
                name = f"{name}/{what}"
            taken.add(name)
            return name

        topics = topics_of(stream, free, transforms=transforms)
        if stream.kind in ("velocity", "gnss"):
            # Each topic on its own: a row may hold one of the quantities and not the other.
            for topic in topics:
                watch = LeftOut.of_vector(stream, topic.watched) if topic.watched else None
                feeds.append(_Feed(stream, [topic], watch, _flagged(stream, [topic])))
        elif topics:
            feeds.append(_Feed(stream, topics, LeftOut.of(stream), _flagged(stream, topics)))
        if not topics:
            reason = "ROS has no message for what it holds"
            left.append(StreamReport(stream.name, "", 0, stream.num_rows, reason, stream.convention))

    used = _add_poses(log, chosen, add, notices, left)
    firsts: dict[str, dict[str, str]] = {
        "orientation": {"imu": "/imu/data"},
        "imu": {"imu": "/imu/data_raw"},
        "gnss": {"fix": "/gnss/fix", "velocity": "/gnss/velocity", "position": "/gnss/position"},
        "magnetic_field": {"magnetic_field": "/magnetic_field"},
        "baro": {"pressure": "/pressure"},
    }
    for stream in log.streams.values():
        if stream.name in used or not stream.num_rows:
            continue
        # the first of its kind has the usual names
        usual = firsts.pop(stream.kind, {}) if stream is log.primary(stream.kind) else {}
        add(stream, _names(stream.name, usual))
        partner = partner_of(log, stream) if stream.kind == "orientation" else None
        if partner is not None and partner.name not in used:
            used.add(partner.name)
            poses, said = join_poses(log, stream.name)
            notices += said
            if poses.num_rows:
                add(poses, _names(stream.name, {}))
    return feeds, left, notices


def _flagged(stream: Stream, topics: list[Topic]) -> Flagged | None:
    """Return what counts the rows that the log itself flags as not valid, of the quantities that the topics hold."""
    quantities: list[Quantity] = [quantity for topic in topics for quantity in topic.flagged]
    if not any(topic.marks for topic in topics):
        return Flagged.of(stream, quantities, AS_THEY_ARE.replace("format", "message"))
    plain = [topic.name for topic in topics if not topic.marks]
    beside = f" ({', '.join(plain)}: as they are; the message has no field for it)" if plain else ""
    return Flagged.of(
        stream, quantities, f", with variance {UNKNOWN_VARIANCE:.0e}".replace("+0", "") + beside
    )


def _add_poses(
    log: Log,
    chosen: str | None,
    add: Callable[..., None],
    notices: list[Notice],
    left: list[StreamReport],
) -> set[str]:
    """Add the log's poses, if it has any; return the streams that need no topic of their own any more."""
    if chosen is None and not any(s.has("position") for s in log.of_kind("pose", "velocity")):
        return set()
    if chosen is None and not log.primary("pose") and not log.primary("orientation"):
        return set()
    poses, said = join_poses(log, chosen)
    notices += said
    if poses.num_rows:
        add(poses, _names(poses.name, {"odom": "/odom", "pose": "/pose"}), transforms=True)
    elif chosen is not None:
        raise DataError(
            f"stream {chosen} makes no pose: {said[0].message if said else 'it has no rows'}", path=log.path
        )
    own = log.streams[poses.name]
    if own.kind == "pose":
        return {own.name}
    partner = partner_of(log, own, any_name=True)
    if partner is None:
        return set()
    if not poses.num_rows and said:
        left.append(StreamReport(partner.name, "", 0, partner.num_rows, said[0].message, partner.convention))
    return {partner.name}


def _names(stream: str, usual: dict[str, str]) -> Callable[[str], str]:
    """Names of topics by what they hold: the usual ones, or the stream's own."""
    return lambda what: usual.get(what) or _topic(stream, what)


def _topic(name: str, what: str) -> str:
    """A topic's name for a stream that has none of its own: /vehicle_imu_1/imu."""
    # an instance is part of the name: no part of a topic's name begins with a digit
    tidy = re.sub(r"[^\w/]+", "_", re.sub(r"/(?=\d)", "_", name).strip("/"), flags=re.ASCII)
    if tidy[:1].isdigit():
        tidy = f"_{tidy}"
    return f"/{tidy}" if name.startswith("/") else f"/{tidy.replace('/', '_')}/{what}"


# -- merging --------------------------------------------------------------------------------------------------------


def _merged(feeds: list[_Feed]) -> Iterator[list[tuple[_Feed, pa.RecordBatch]]]:
    """Rows of all feeds in the order of time, about a chunk at a time.

    Of every feed one block is at hand. What is not later than the end of the block that ends first can be written: nothing
    that is still to come is earlier, as long as the streams themselves go forward in time.
    """
    topics = sum(len(feed.topics) for feed in feeds)
    size = int(np.clip(_CHUNK // topics, *_BLOCK))
    sources = {feed: feed.blocks(size) for feed in feeds}
    at_hand: dict[_Feed, pa.RecordBatch] = {}
    waiting: dict[_Feed, list[pa.RecordBatch]] = {}
    messages = 0
    for feed in feeds:
        _refill(feed, sources, at_hand)
    while at_hand:
        horizon: int = min(batch.column(TIME)[-1].as_py() for batch in at_hand.values())
        for feed, batch in list(at_hand.items()):
            time: NDArray[np.int64] = batch.column(TIME).to_numpy()
            count = int(np.searchsorted(time, np.int64(horizon), side="right"))
            if count:
                waiting.setdefault(feed, []).append(batch.slice(0, count))
                messages += count * len(feed.topics)
            if count == len(batch):
                _refill(feed, sources, at_hand)
            else:
                at_hand[feed] = batch.slice(count)
        if messages >= _BLOCK[1] or not at_hand:
            yield [(feed, pa.concat_batches(parts)) for feed, parts in waiting.items()]
            waiting, messages = {}, 0


def _refill(
    feed: _Feed, sources: dict[_Feed, Iterator[pa.RecordBatch]], at_hand: dict[_Feed, pa.RecordBatch]
) -> None:
    """Put the feed's next block that has rows at hand; forget the feed where there is none."""
    at_hand.pop(feed, None)
    for batch in sources[feed]:
        if len(batch):
            at_hand[feed] = batch
            return
