"""An MCAP file written chunk by chunk, with whole chunks put together in NumPy and Arrow.

The messages of a topic are rows of a structured array whose type is the MCAP message record itself, header and payload: what is
filled in is what goes into the file. A chunk merges the rows of several topics by time, which Arrow does without a Python
object for any of them. Everything that is not per message (header, channels, summary) is left to the `mcap` package's records.

Format: https://mcap.dev/spec
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs import cdr

__all__ = ["ChannelWriter", "Compression", "McapFile"]

Compression: TypeAlias = Literal["zstd", "lz4", "none"]

_MAGIC = b"\x89MCAP0\r\n"
_INDEX_ENTRY = np.dtype([("log_time", "<u8"), ("offset", "<u8")])


@dataclass
class ChannelWriter:
    """One topic of a file: makes empty records for it to fill in.

    Attributes
    ----------
    id : int
        The channel's number in the file.
    topic : str
        Its topic.
    layout : Layout
        The layout of its messages.
    dtype : numpy.dtype
        One record: `log_time` and `publish_time` in nanoseconds, `sequence`, and the `message` of the layout's dtype.
    count : int
        Messages made so far.
    """

    id: int
    topic: str
    layout: cdr.Layout
    dtype: np.dtype[Any]
    count: int = 0

    def __post_init__(self) -> None:
        row = np.zeros(1, self.dtype)
        row["opcode"] = int(Opcode.MESSAGE)
        row["length"] = self.dtype.itemsize - 9  # all that follows it
        row["channel"] = self.id
        header = row.tobytes()[: self.dtype.itemsize - self.layout.size]
        self._template = header + self.layout.template()

    def records(self, time: NDArray[np.int64]) -> np.ndarray[Any, Any]:
        """Records for messages of these times, in nanoseconds, with everything but the numbers of the message in place."""
        for outside, which in (
            (time < 0, "an MCAP file holds no times before 0"),
            (
                time > cdr.LAST_STAMP,
                "a ROS stamp, of 32-bit seconds, holds no times after 2038-01-19 03:14:07",
            ),
        ):
            if outside.any():
                raise DataError(
                    f"topic {self.topic}: {which}",
                    place=f"row {self.count + int(np.argmax(outside))}",
                    advice="shift the log's times",
                )
        rows = np.frombuffer(bytearray(self._template * len(time)), self.dtype)
        rows["sequence"] = np.arange(self.count, self.count + len(time), dtype=np.uint32)
        rows["log_time"] = time
        rows["publish_time"] = time
        self.count += len(time)
        return rows


def _record_type(layout: cdr.Layout) -> np.dtype[Any]:
    return np.dtype(
        [
            ("opcode", "u1"),
            ("length", "<u8"),
            ("channel", "<u2"),
            ("sequence", "<u4"),
            ("log_time", "<u8"),
            ("publish_time", "<u8"),
            ("message", layout.dtype),
        ]
    )


class McapFile:
    """Writes an MCAP file of ROS 2 messages to a binary file that is open for writing.

    Parameters
    ----------
    file : binary file
        Where it goes; left open.
    compression : str
        Of the chunks: "zstd" (level 1), "lz4" or "none".
    library : str
        What the header says wrote it.
    """

    def __init__(
        self, file: BinaryIO, *, compression: Compression = "zstd", library: str = "boresight"
    ) -> None:
        self._file = file
        self._position = 0
        self._compress = _compressor(compression)
        self._compression = "" if compression == "none" else compression
        self._schemas: dict[str, Schema] = {}
        self._channels: list[Channel] = []
        self._writers: list[ChannelWriter] = []
        self._chunks: list[ChunkIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._start: int | None = None
        self._end = 0
        self._put(_MAGIC)
        self._put(_bytes(Header(profile="ros2", library=library)))

    def channel(
        self, topic: str, layout: cdr.Layout, metadata: Mapping[str, str] | None = None
    ) -> ChannelWriter:
        """Add a topic, and its message type's schema where it is new."""
        schema = self._schemas.get(layout.type_name)
        if schema is None:
            text = cdr.schema_text(layout.type_name).encode()
            schema = Schema(id=len(self._schemas) + 1, name=layout.type_name, encoding="ros2msg", data=text)
            self._schemas[layout.type_name] = schema
            self._put(_bytes(schema))
        channel = Channel(
            id=len(self._channels) + 1,
            topic=topic,
            message_encoding="cdr",
            schema_id=schema.id,
            metadata=dict(metadata or {}),
        )
        self._channels.append(channel)
        self._put(_bytes(channel))
        writer = ChannelWriter(channel.id, topic, layout, _record_type(layout))
        self._writers.append(writer)
        return writer

    def metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Add a metadata record."""
        record = _bytes(Metadata(name=name, metadata=dict(values)))
        self._metadata.append(MetadataIndex(offset=self._position, length=len(record), name=name))
        self._put(record)

    def chunk(self, parts: Sequence[np.ndarray[Any, Any]]) -> None:
        """Write one chunk: the records of any channels, merged by time.

        Parameters
        ----------
        parts : sequence of structured arrays
            As `ChannelWriter.records` makes them; each of one channel and each channel once. Messages of one time stay in
            the order of the parts.
        """
        parts = [part for part in parts if len(part)]
        if not parts:
            return
        data, times, offsets = _merged(parts)
        start, end = int(min(t.min() for t in times)), int(max(t.max() for t in times))
        self._start = start if self._start is None else min(self._start, start)
        self._end = max(self._end, end)

        body = self._compress(data)
        head = _Packed()
        head.u64(start, end, len(data)).u32(zlib.crc32(data)).text(self._compression).u64(len(body))
        chunk_start = self._position
        length = len(head.data) + len(body)
        self._put(bytes([Opcode.CHUNK]) + length.to_bytes(8, "little") + head.data)
        self._put(body)
        chunk_length = self._position - chunk_start

        index_start = self._position
        index_offsets: dict[int, int] = {}
        for part, time, offset in zip(parts, times, offsets, strict=True):
            channel = int(part["channel"][0])
            index_offsets[channel] = self._position
            entries = np.empty(len(part), _INDEX_ENTRY)
            entries["log_time"], entries["offset"] = time, offset
            head = _Packed().u16(channel).u32(entries.nbytes)
            length = len(head.data) + entries.nbytes
            self._put(bytes([Opcode.MESSAGE_INDEX]) + length.to_bytes(8, "little") + head.data)
            self._put(entries.tobytes())
        self._chunks.append(
            ChunkIndex(
                chunk_length=chunk_length,
                chunk_start_offset=chunk_start,
                compression=self._compression,
                compressed_size=len(body),
                message_end_time=end,
                message_index_length=self._position - index_start,
                message_index_offsets=index_offsets,
                message_start_time=start,
                uncompressed_size=len(data),
            )
        )

    def finish(self) -> None:
        """Write the summary and the footer; the file is complete then."""
        self._put(_bytes(DataEnd(data_section_crc=0)))
        statistics = Statistics(
            attachment_count=0,
            channel_count=len(self._channels),
            channel_message_counts={w.id: w.count for w in self._writers if w.count},
            chunk_count=len(self._chunks),
            message_count=sum(w.count for w in self._writers),
            metadata_count=len(self._metadata),
            message_start_time=self._start or 0,
            message_end_time=self._end,
            schema_count=len(self._schemas),
        )
        groups: list[tuple[Opcode, Sequence[McapRecord]]] = [
            (Opcode.SCHEMA, list(self._schemas.values())),
            (Opcode.CHANNEL, self._channels),
            (Opcode.STATISTICS, [statistics]),
            (Opcode.CHUNK_INDEX, self._chunks),
            (Opcode.METADATA_INDEX, self._metadata),
        ]
        start = self._position
        summary, offsets = bytearray(), bytearray()
        for opcode, records in groups:
            if records:
                group = b"".join(map(_bytes, records))
                offsets += _bytes(
                    SummaryOffset(
                        group_opcode=opcode, group_start=start + len(summary), group_length=len(group)
                    )
                )
                summary += group
        offset_start = start + len(summary)
        summary += offsets
        # the checksum covers the summary and the footer up to itself, so the footer is made twice
        footer = _bytes(Footer(summary_start=start, summary_offset_start=offset_start, summary_crc=0))
        crc = zlib.crc32(footer[:-4], zlib.crc32(summary))
        self._put(bytes(summary))
        self._put(_bytes(Footer(summary_start=start, summary_offset_start=offset_start, summary_crc=crc)))
        self._put(_MAGIC)

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._position += len(data)


def _merged(
    parts: Sequence[np.ndarray[Any, Any]],
) -> tuple[memoryview, list[NDArray[np.uint64]], list[NDArray[np.int64]]]:
    """Merge records by time: their bytes, and the times and offsets of each part's own records in them."""
    times = [part["log_time"].copy() for part in parts]
    sizes = np.repeat([part.dtype.itemsize for part in parts], [len(part) for part in parts])
    joined = np.concatenate(times)
    order = np.argsort(joined, kind="stable")
    offsets = np.empty(len(order), np.int64)
    sorted_sizes = sizes[order]
    offsets[order] = np.cumsum(sorted_sizes) - sorted_sizes
    split = np.split(offsets, np.cumsum([len(part) for part in parts])[:-1])
    if len(parts) == 1 and (np.diff(order) == 1).all():
        return parts[0].view(np.uint8).data, times, split
    # Arrow gathers rows of different sizes at the speed of memory
    rows = pa.concat_arrays([_binary(part) for part in parts]).take(pa.array(order))
    return memoryview(rows.buffers()[2])[: int(sizes.sum())], times, split


def _binary(part: np.ndarray[Any, Any]) -> pa.LargeBinaryArray:
    """A structured array as an Arrow array of the bytes of its rows, without a copy."""
    size = part.dtype.itemsize
    ends = np.arange(len(part) + 1, dtype=np.int64) * size
    data = pa.py_buffer(part.view(np.uint8))
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(part), [None, pa.py_buffer(ends), data])


def _compressor(compression: Compression) -> Callable[[memoryview], bytes | memoryview]:
    if compression == "zstd":
        import zstandard

        return zstandard.ZstdCompressor(level=1).compress
    if compression == "lz4":
        import lz4.frame

        return lz4.frame.compress
    if compression == "none":
        return lambda data: data
    raise DataError(f"no such compression of an MCAP file: {compression!r}", advice="zstd, lz4 or none")


class _Packed:
    """Little-endian numbers one after another."""

    def __init__(self) -> None:
        self.data = b""

    def _add(self, size: int, values: tuple[int, ...]) -> _Packed:
        self.data += b"".join(value.to_bytes(size, "little") for value in values)
        return self

    def u16(self, *values: int) -> _Packed:
        return self._add(2, values)

    def u32(self, *values: int) -> _Packed:
        return self._add(4, values)

    def u64(self, *values: int) -> _Packed:
        return self._add(8, values)

    def text(self, value: str) -> _Packed:
        encoded = value.encode()
        self._add(4, (len(encoded),))
        self.data += encoded
        return self


def _bytes(record: McapRecord) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return builder.end()
