"""The messages of an MCAP file, topic by topic, as arrays of bytes.

Records are one byte of kind, eight of length, and the content; chunks hold records again, compressed. Messages of one topic
and one length are gathered into one array, so that nothing is decoded message by message.

Format: https://mcap.dev/spec
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.records import Channel, Metadata, Schema
from numpy.typing import NDArray

from boresight.errors import DataError

__all__ = ["MAGIC", "McapContents", "Messages", "load"]

MAGIC = b"\x89MCAP0\r\n"

_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _METADATA, _FOOTER = 0x03, 0x04, 0x05, 0x06, 0x0C, 0x02
_RECORD = struct.Struct("<BQ")
_MESSAGE_HEAD = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
_CHUNK_HEAD = struct.Struct("<QQQII")  # start, end, size, checksum, length of the compression's name


@dataclass
class Messages:
    """The messages of one topic.

    Attributes
    ----------
    topic : str
        Name of the topic.
    type_name : str
        Message type, as in ``nav_msgs/msg/Odometry``.
    encoding : str
        Encoding of the messages: ``cdr`` for ROS 2.
    metadata : dict of str to str
        What the channel says besides.
    groups : dict of int to list of arrays
        Messages by their length, each array (n, length) of bytes.
    places, log_times : dict of int to list of arrays
        Where each of them stands among the topic's messages, and when it was logged, in the same grouping.
    count : int
        How many there are.
    """

    topic: str
    type_name: str
    encoding: str
    metadata: dict[str, str]
    groups: dict[int, list[NDArray[np.uint8]]] = field(default_factory=dict[int, list[NDArray[np.uint8]]])
    places: dict[int, list[NDArray[np.int64]]] = field(default_factory=dict[int, list[NDArray[np.int64]]])
    log_times: dict[int, list[NDArray[np.int64]]] = field(default_factory=dict[int, list[NDArray[np.int64]]])
    count: int = 0

    def by_length(self) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the messages of each length with their places and log times."""
        for length, parts in self.groups.items():
            yield (
                np.concatenate(parts),
                np.concatenate(self.places[length]),
                np.concatenate(self.log_times[length]),
            )


@dataclass
class McapContents:
    """What an MCAP file holds.

    Attributes
    ----------
    topics : list of Messages
        By channel.
    metadata : dict of str to dict
        Its metadata records by name.
    whole : int
        Byte after the last whole record.
    ended : bool
        Whether the file has its end; one cut short has none.
    damaged : list of int
        Bytes where chunks begin that cannot be decompressed or do not match their checksum; their messages are lost.
    """

    topics: list[Messages]
    metadata: dict[str, dict[str, str]]
    whole: int
    ended: bool
    damaged: list[int]


@dataclass
class _Collector:
    schemas: dict[int, Schema] = field(default_factory=dict[int, Schema])
    channels: dict[int, Messages] = field(default_factory=dict[int, Messages])
    metadata: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def schema(self, content: bytes) -> None:
        schema = Schema.read(ReadDataStream(BytesIO(content)))
        self.schemas[schema.id] = schema

    def channel(self, content: bytes) -> None:
        channel = Channel.read(ReadDataStream(BytesIO(content)))
        if channel.id not in self.channels:
            schema = self.schemas.get(channel.schema_id)
            name = schema.name if schema else ""
            self.channels[channel.id] = Messages(
                channel.topic, name, channel.message_encoding, dict(channel.metadata)
            )

    def records(self, data: bytes) -> None:
        """Take in the records of a chunk."""
        offsets: dict[int, list[int]] = {}
        lengths: dict[int, list[int]] = {}
        times: dict[int, list[int]] = {}
        at, size = 0, len(data)
        unpack, unpack_head = _RECORD.unpack_from, _MESSAGE_HEAD.unpack_from
        while at + 9 <= size:
            kind, length = unpack(data, at)
            start = at + 9
            at = start + length
            if kind == _MESSAGE:
                channel, _, log_time, _ = unpack_head(data, start)
                offsets.setdefault(channel, []).append(start + _MESSAGE_HEAD.size)
                lengths.setdefault(channel, []).append(length - _MESSAGE_HEAD.size)
                times.setdefault(channel, []).append(log_time)
            elif kind == _SCHEMA:
                self.schema(data[start:at])
            elif kind == _CHANNEL:
                self.channel(data[start:at])
        content = np.frombuffer(data, np.uint8)
        for channel, starts in offsets.items():
            if channel in self.channels:
                self._gather(self.channels[channel], content, starts, lengths[channel], times[channel])

    def _gather(
        self,
        topic: Messages,
        content: NDArray[np.uint8],
        starts: list[int],
        lengths: list[int],
        times: list[int],
    ) -> None:
        start, size = np.array(starts), np.array(lengths)
        time = np.array(times, np.uint64).astype(np.int64)
        place = topic.count + np.arange(len(start))
        topic.count += len(start)
        for length in np.unique(size):
            chosen = size == length
            rows = content[start[chosen][:, None] + np.arange(length)]
            topic.groups.setdefault(int(length), []).append(rows)
            topic.places.setdefault(int(length), []).append(place[chosen])
            topic.log_times.setdefault(int(length), []).append(time[chosen])


def load(path: Path) -> McapContents:
    """Read an MCAP file.

    Raises
    ------
    DataError
        It is no MCAP file, or is damaged beyond reading.
    """
    collector = _Collector()
    damaged: list[int] = []
    kind = 0
    with path.open("rb") as file:
        magic = file.read(len(MAGIC))
        if magic != MAGIC:
            cut = MAGIC.startswith(magic)
            reason = "the header is cut short" if cut else "this is no MCAP file: it does not begin as one"
            raise DataError(reason, path=path, place=f"byte {len(magic) if cut else 0}")
        whole = file.tell()
        for kind, content in _records(file):
            try:
                if kind == _CHUNK:
                    collector.records(_decompressed(content))
                elif kind == _MESSAGE:
                    collector.records(_RECORD.pack(kind, len(content)) + content)
                elif kind == _SCHEMA:
                    collector.schema(content)
                elif kind == _CHANNEL:
                    collector.channel(content)
                elif kind == _METADATA:
                    record = Metadata.read(ReadDataStream(BytesIO(content)))
                    collector.metadata[record.name] = dict(record.metadata)
            except DataError as error:
                if error.advice:  # something is missing that could be installed; not the file's fault
                    raise DataError(
                        error.reason, path=path, place=f"byte {whole}", advice=error.advice
                    ) from None
                damaged.append(whole)
            except (
                McapError,
                struct.error,
                ValueError,
                IndexError,
                UnicodeDecodeError,
                zlib.error,
                RuntimeError,
            ):
                damaged.append(whole)
            whole = file.tell()
        ended = kind == _FOOTER and file.read(len(MAGIC)) == MAGIC
    return McapContents(list(collector.channels.values()), collector.metadata, whole, ended, damaged)


def _records(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the whole records; where one is cut short, stand before it and end."""
    size = file.seek(0, 2)
    file.seek(len(MAGIC))
    while True:
        at = file.tell()
        head = file.read(_RECORD.size)
        if len(head) < _RECORD.size:
            file.seek(at)
            return
        kind, length = _RECORD.unpack(head)
        if at + _RECORD.size + length > size:
            file.seek(at)
            return
        yield kind, file.read(length)
        if kind == _FOOTER:
            return


def _decompressed(content: bytes) -> bytes:
    """Return a chunk's records."""
    _, _, size, checksum, name_length = _CHUNK_HEAD.unpack_from(content)
    at = _CHUNK_HEAD.size
    compression = content[at : at + name_length].decode()
    at += name_length
    (length,) = struct.unpack_from("<Q", content, at)
    data = content[at + 8 : at + 8 + length]
    if compression == "zstd":
        import zstandard

        try:
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
    elif compression == "lz4":
        import lz4.frame

        data = lz4.frame.decompress(data)
    elif compression:
        raise DataError(f"chunks are compressed by {compression!r}", advice="zstd and lz4 are read")
    if len(data) != size or (checksum and zlib.crc32(data) != checksum):
        raise ValueError("a chunk does not match its checksum")
    return data
