"""The bytes of a ULog: header, flag bits, formats, information, subscriptions, and data merged in time order.

The layout is that of https://docs.px4.io/main/en/dev_guide/ulog_file_format. Nothing here knows what a topic
means.

Messages are laid out as structured NumPy rows, one array a topic, and put into the file's order by one
assignment a topic and chunk: the output buffer is seen as overlapping records, one starting at every byte, so
that writing a row at any offset is a copy of its bytes. A file of 200 MB takes well under a second.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from boresight.errors import DataError

__all__ = ["DTYPES", "Topic", "row_dtype", "write_ulog"]

MAGIC = b"\x55\x4c\x6f\x67\x01\x12\x35"
VERSION = 1
SYNC = bytes.fromhex("2f731320250cbb12")

DTYPES: Mapping[str, str] = {
    "int8_t": "<i1",
    "uint8_t": "<u1",
    "int16_t": "<i2",
    "uint16_t": "<u2",
    "int32_t": "<i4",
    "uint32_t": "<u4",
    "int64_t": "<i8",
    "uint64_t": "<u8",
    "float": "<f4",
    "double": "<f8",
    "bool": "?",
    "char": "S1",
}

_PREFIX = np.dtype([("_size", "<u2"), ("_type", "u1"), ("_id", "<u2")])
_CHUNK = 65_536  # messages put in order at a time: the buffer stays in the cache, memory stays bounded
_INFO_TYPES = {
    "time_ref_utc": "int32_t",
    "ver_data_format": "uint32_t",
    "ver_sw_release": "uint32_t",
    "ver_vendor_sw_release": "uint32_t",
    "sys_os_ver_release": "uint32_t",
}
_INFO_FORMATS = {"int32_t": "<i", "uint32_t": "<I"}


@dataclass(frozen=True, eq=False)
class Topic:
    """One instance of one message, with its rows.

    Attributes
    ----------
    name : str
        Of the message, ``"vehicle_attitude"``.
    definition : str
        Its fields as the file's format message has them, trailing padding included:
        ``"uint64_t timestamp;float[4] q;"``.
    rows : array
        Structured rows of `row_dtype(definition)`.
    multi_id : int
        Which instance.

    """

    name: str
    definition: str
    rows: npt.NDArray[Any]
    multi_id: int = 0


def row_dtype(definition: str) -> np.dtype[np.void]:
    """Layout of a message's data as the file has it: packed, without the padding at its end.

    Examples
    --------
    >>> row_dtype("uint64_t timestamp;float[2] xy;bool ok;uint8_t[7] _padding0;").itemsize
    17

    """
    fields: list[tuple[str, str, tuple[int, ...]]] = []
    for part in filter(None, definition.split(";")):
        type_name, name = part.split(" ")
        base, _, size = type_name.partition("[")
        if base not in DTYPES:
            raise DataError(f"unknown type {base!r} in a message's definition", place=f"field {name}")
        fields.append((name, DTYPES[base], (int(size.rstrip("]")),) if size else ()))
    while fields and fields[-1][0].startswith("_padding"):
        fields.pop()
    return np.dtype(fields)


def write_ulog(
    file: BinaryIO,
    topics: Sequence[Topic],
    *,
    info: Mapping[str, str] | None = None,
    sync: bool = False,
) -> None:
    """Write a whole ULog.

    Parameters
    ----------
    file : binary file
        Open for writing.
    topics : sequence of Topic
        Their rows keep their order; topics are merged by timestamp, and in the order given where timestamps
        agree.
    info : mapping of str to str, optional
        Information messages: ``{"sys_name": "PX4"}``.
    sync : bool
        Whether to put a synchronisation message after every 65 536 messages.

    """
    stamps = [np.maximum.accumulate(topic.rows["timestamp"]) for topic in topics]
    start = min((int(s[0]) for s in stamps if s.size), default=0)
    file.write(MAGIC + bytes([VERSION]) + struct.pack("<Q", start))
    file.write(_message(b"B", bytes(40)))
    file.writelines(_message(b"F", f"{n}:{text}".encode()) for n, text in _definitions(topics).items())
    file.writelines(_information(key, value) for key, value in (info or {}).items())
    file.writelines(
        _message(b"A", struct.pack("<BH", topic.multi_id, number) + topic.name.encode())
        for number, topic in enumerate(topics)
    )
    for chunk in _merged([_framed(topic.rows, number) for number, topic in enumerate(topics)], stamps):
        file.write(chunk)
        if sync:
            file.write(_message(b"S", SYNC))


def _definitions(topics: Iterable[Topic]) -> dict[str, str]:
    found: dict[str, str] = {}
    for topic in topics:
        if found.setdefault(topic.name, topic.definition) != topic.definition:
            raise DataError(
                "two instances of one message differ in their fields", place=f"topic {topic.name}"
            )
    return found


def _message(kind: bytes, payload: bytes) -> bytes:
    return struct.pack("<HB", len(payload), ord(kind)) + payload


def _information(key: str, value: str) -> bytes:
    kind = _INFO_TYPES.get(key)
    try:
        data = struct.pack(_INFO_FORMATS[kind], int(value)) if kind else None
    except (ValueError, struct.error):
        data = None
    if data is None:
        data = value.encode()
        kind = f"char[{len(data)}]"
    head = f"{kind} {key}".encode()
    if len(head) > 255 or len(head) + len(data) >= 65_535:
        raise DataError("information is too long for a ULog", place=f"metadata {key[:40]}")
    return _message(b"I", bytes([len(head)]) + head + data)


def _framed(rows: npt.NDArray[Any], number: int) -> npt.NDArray[Any]:
    """Rows with the three bytes of a message's header and its subscription's number in front of each."""
    size = _PREFIX.itemsize + rows.dtype.itemsize
    framed = np.empty(len(rows), dtype=np.dtype([("prefix", _PREFIX), ("row", rows.dtype)]))
    framed["prefix"]["_size"] = size - 3
    framed["prefix"]["_type"] = ord("D")
    framed["prefix"]["_id"] = number
    framed["row"] = rows
    return framed.view(f"V{size}")


def _merged(
    messages: Sequence[npt.NDArray[Any]], stamps: Sequence[npt.NDArray[Any]]
) -> Iterable[memoryview[Any]]:
    """Yield the messages of all topics in time order, as bytes."""
    if not messages:
        return
    counts = [len(m) for m in messages]
    topic_of = np.repeat(np.arange(len(messages), dtype=np.uint16), counts)
    order = topic_of[np.argsort(np.concatenate(stamps), kind="stable")]
    sizes = np.array([m.dtype.itemsize for m in messages], dtype=np.int64)
    done = np.zeros(len(messages), dtype=np.int64)
    for first in range(0, len(order), _CHUNK):
        part = order[first : first + _CHUNK]
        ends = np.cumsum(sizes[part])
        offsets = ends - sizes[part]
        buffer = np.empty(int(ends[-1]), dtype=np.uint8)
        # Rows of a topic keep their order, so those of this chunk are the next ones.
        grouped = offsets[np.argsort(part, kind="stable")]
        here = np.bincount(part, minlength=len(messages))
        position = 0
        for number in np.flatnonzero(here).tolist():
            count, size = int(here[number]), int(sizes[number])
            records = np.ndarray((buffer.size - size + 1,), dtype=f"V{size}", buffer=buffer, strides=(1,))
            records[grouped[position : position + count]] = messages[number][
                done[number] : done[number] + count
            ]
            position += count
            done[number] += count
        yield buffer.data
