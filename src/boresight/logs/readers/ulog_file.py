"""A ULog's topics as pyulog reads them, and what pyulog does not say: where a log ends too early, or is damaged.

pyulog stops without a word at a message that is cut short, and prints a line where bytes make no sense. What it prints is
caught here, its exceptions become our errors, and the end of the file is looked at message by message: 3 bytes of header
(uint16 size of what follows, 1 byte type), then the rest.
"""

from __future__ import annotations

import mmap
import struct
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyulog.core
from numpy.typing import NDArray

from boresight.errors import DataError

__all__ = ["Dataset", "End", "UlogFile", "load"]

MAGIC = b"ULog\x01\x12\x35"
HEADER_BYTES = 16
SYNC = b"\x08\x00S\x2f\x73\x13\x20\x25\x0c\xbb\x12"
TYPES = frozenset(b"FDIMPQARSOLCB")
_DEFINITIONS = frozenset(b"FIMPQB")
_DATA = ord("D")
_SUBSCRIBE = ord("A")
_header = struct.Struct("<HB").unpack_from
_uint16 = struct.Struct("<H").unpack_from

_printing = threading.Lock()
_pyulog: Any = pyulog.core


@dataclass(frozen=True, slots=True)
class Dataset:
    """One instance of one topic: its fields as strided views of pyulog's rows."""

    name: str
    instance: int
    fields: dict[str, NDArray[Any]]

    @property
    def rows(self) -> int:
        """How many messages there are."""
        return len(self.fields["timestamp"])

    def first(self, names: str) -> NDArray[Any] | None:
        """Return the first of some fields (names separated by spaces) that there is, or None."""
        return next((self.fields[name] for name in names.split() if name in self.fields), None)

    def take(self, chosen: NDArray[np.bool_]) -> Dataset:
        """Return the dataset with only the chosen rows."""
        if chosen.all():
            return self
        return Dataset(
            self.name, self.instance, {name: values[chosen] for name, values in self.fields.items()}
        )


@dataclass(frozen=True, slots=True)
class End:
    """Where a walk from message to message came to an end.

    Attributes
    ----------
    whole : int
        Byte after the last whole message.
    size : int
        Size of the file.
    bad : int or None
        Byte of the first header that is none, or of the first message that is not of its topic's size.
    partial : str
        What the bytes after `whole` are the beginning of; empty where there are none.
    """

    whole: int
    size: int
    bad: int | None
    partial: str = ""


@dataclass(frozen=True, slots=True)
class UlogFile:
    """What pyulog read of a file, and what it said."""

    datasets: dict[tuple[str, int], Dataset]
    info: dict[str, Any]
    dropouts: tuple[tuple[int, int], ...]  # timestamp in us, duration in ms
    end: End
    damaged: bool
    recovered: bool  # whether pyulog found messages again after the damage
    printed: tuple[str, ...]
    appended: tuple[int, ...]
    others: tuple[str, ...] = ()  # topics that were not asked for
    parameters: int = 0
    texts: int = 0
    strange: tuple[int, ...] = ()  # types of messages that are none where they stand
    stopped: int | None = None  # byte where pyulog stopped reading, though there are more
    lost: tuple[
        tuple[str, int, str], ...
    ] = ()  # a topic, how many of its rows are not in the datasets, and why

    def of_topic(self, name: str) -> list[Dataset]:
        """Return the instances of a topic, in their order."""
        return [dataset for (topic, _), dataset in sorted(self.datasets.items()) if topic == name]


def load(path: Path, topics: Sequence[str]) -> UlogFile:
    """Read these topics of a file.

    Raises
    ------
    DataError
        It is no ULog, its header is cut short, or pyulog cannot read it at all.
    """
    size = _check_header(path)
    heard = _Heard()
    try:
        with _quiet() as printed, path.open("rb") as file:
            ulog: Any = _listening(heard)(file, list(topics))
    except MemoryError:
        raise
    except Exception as error:  # whatever damaged bytes lead pyulog to
        bad = _walk_all(path, size).bad
        place = None if bad is None else f"byte {bad}"
        raise DataError(
            f"pyulog cannot read this log ({type(error).__name__}: {error})", path=path, place=place
        ) from error
    appended = tuple(int(offset) for offset in getattr(ulog, "_appended_offsets", ()))
    # The flag is also raised by offsets that lie beyond the end of a log that was cut.
    damaged = bool(ulog.file_corruption) or bool(printed)
    with _mapped(path) as data:
        last = _near_the_end(data, ulog, appended)
        if damaged:
            end = _walk(data, HEADER_BYTES, {}, check_sizes=True)
        else:
            end = _walk(data, last, _topic_names(ulog))
    return UlogFile(
        datasets=_joined(ulog),
        info={str(key): value for key, value in ulog.msg_info_dict.items()},
        dropouts=tuple((int(item.timestamp), int(item.duration)) for item in ulog.dropouts),
        end=end,
        damaged=damaged and (end.bad is not None or end.whole == size) and max(appended, default=0) <= size,
        printed=tuple(printed),
        recovered=end.bad is None or last > end.bad,
        appended=appended,
        others=tuple(sorted({str(item.message_name) for item in heard.subscriptions} - set(topics))),
        strange=tuple(heard.strange),
        stopped=heard.stopped(size),
        lost=_lost(heard, ulog, set(topics)),
        parameters=len(ulog.initial_parameters),
        texts=len(ulog.logged_messages) + sum(len(item) for item in ulog.logged_messages_tagged.values()),
    )


@dataclass(slots=True)
class _Heard:
    """What pyulog comes across while it reads and does not tell."""

    subscriptions: list[Any] = field(default_factory=list[Any])
    strange: list[int] = field(default_factory=list[int])
    synchronised: int = 0
    sections: list[tuple[int, int | None]] = field(default_factory=list[tuple[int, int | None]])

    def stopped(self, size: int) -> int | None:
        """Return the byte where a section's reading ended before the section did, or None.

        pyulog takes any message that is too short for what it holds for the end of the file.
        """
        ends = ((at, size - 1 if until is None else min(until, size - 1)) for at, until in self.sections)
        return next((at for at, end in ends if at <= end), None)


def _listening(heard: _Heard) -> Any:
    """Return pyulog's class, made to say what it passes over: topics not asked for, messages of no kind, an early end.

    Only messages that are rare are looked at, so that reading takes no longer.
    """
    base: Any = _pyulog.ULog

    def subscription(*arguments: Any) -> Any:
        message = base._MessageAddLogged(*arguments)
        heard.subscriptions.append(message)
        if _untimed(message):
            # The first row would end all reading: its time is looked for beyond its end. So the other topics are read.
            message.timestamp_offset = 0
        return message

    def check(self: Any, header: Any) -> bool:
        corrupt = bool(base._check_packet_corruption(self, header))
        if not corrupt:
            heard.strange.append(int(header.msg_type))
        return corrupt

    def dropout(data: bytes, header: Any, timestamp: int) -> Any:
        if header.msg_size != 2:
            heard.strange.append(int(header.msg_type))
        return base.MessageDropout(data, header, timestamp)

    def synchronised(self: Any, count: int) -> None:
        if count:
            # Any message of this type counts for pyulog, whatever it holds.
            self._file_handle.seek(-len(SYNC), 1)
            if self._file_handle.read(len(SYNC)) != SYNC:
                heard.strange.append(SYNC[2])
        heard.synchronised = (
            count  # kept here: to touch self.__dict__ would make all of pyulog a quarter slower
        )

    def section(self: Any, names: Any, read_until: int | None = None) -> None:
        base._read_file_data(self, names, read_until)
        heard.sections.append((int(self._file_handle.tell()), read_until))

    def text(kind: Any) -> Any:
        def made(data: bytes, header: Any) -> Any:
            if not ord("0") <= data[0] <= ord("7"):  # a level; the id of a row rarely looks like one
                heard.strange.append(int(header.msg_type))
            return kind(data, header)

        return staticmethod(made)

    replaced = {
        "_MessageAddLogged": staticmethod(subscription),
        "_check_packet_corruption": check,
        "MessageDropout": staticmethod(dropout),
        "MessageLogging": text(base.MessageLogging),
        "MessageLoggingTagged": text(base.MessageLoggingTagged),
        "_sync_seq_cnt": property(lambda _: heard.synchronised, synchronised),
        "_read_file_data": section,
    }
    return type("ULog", (base,), replaced)


def _untimed(message: Any) -> bool:
    """Say whether what a topic's definition calls `timestamp` is nothing, or no uint64."""
    index = int(message.timestamp_idx)
    return index < 0 or str(message.field_data[index].type_str) != "uint64_t"


def _lost(heard: _Heard, ulog: Any, topics: set[str]) -> tuple[tuple[str, int, str], ...]:
    """Find rows that pyulog took in and that are in no dataset that can be used."""
    kept: dict[int, int] = {}
    for item in ulog.data_list:
        # Fields are views of the buffer that the subscription's rows were put into.
        kept[id(item.field_data)] = len(next(iter(item.data.values()), ()))
    lost: list[tuple[str, int, str]] = []
    for message in heard.subscriptions:
        name, size = str(message.message_name), int(message.dtype.itemsize)
        if name not in topics or not message.buffer or not size:
            continue
        rows = len(message.buffer) // size
        if _untimed(message):
            lost.append((name, rows, "its definition names no timestamp"))
        elif rows > kept.get(id(message.field_data), 0):
            missing = rows - kept.get(id(message.field_data), 0)
            lost.append((name, missing, "its number was given to another topic"))
    return tuple(lost)


def _check_header(path: Path) -> int:
    """Return the file's size, once its header is known to be a ULog's."""
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
        size = file.seek(0, 2)
    if not head:
        raise DataError("the file is empty", path=path, place="byte 0")
    if head[: len(MAGIC)] != MAGIC[: len(head)]:
        text = all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head)
        what = "it holds text" if text else f"its first bytes are {head[:7].hex(' ')}"
        raise DataError(
            f"this is no ULog: {what}", path=path, place="byte 0", advice="name the format if it is another"
        )
    if len(head) < HEADER_BYTES:
        raise DataError(
            f"the header is cut short: {len(head)} of {HEADER_BYTES} bytes",
            path=path,
            place=f"byte {len(head)}",
        )
    return size


@contextmanager
def _quiet() -> Generator[list[str], None, None]:
    """Collect what pyulog prints: its module gets a `print` of its own, and nobody else's output is touched."""
    lines: list[str] = []

    def collect(*words: object, **_: object) -> None:
        lines.append(" ".join(str(word) for word in words))

    with _printing:
        _pyulog.print = collect
        try:
            yield lines
        finally:
            del _pyulog.print


@contextmanager
def _mapped(path: Path) -> Generator[mmap.mmap, None, None]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def _joined(ulog: Any) -> dict[tuple[str, int], Dataset]:
    """Return the datasets; pyulog has one for each section of a log with appended data, to be put together."""
    joined: dict[tuple[str, int], Dataset] = {}
    for item in ulog.data_list:
        key = (str(item.name), int(item.multi_id))
        fields: dict[str, NDArray[Any]] = dict(item.data)
        if "timestamp" not in fields or fields["timestamp"].dtype != np.uint64:
            continue
        if key in joined:
            before = joined[key].fields
            fields = {name: np.concatenate([before[name], fields[name]]) for name in before if name in fields}
        joined[key] = Dataset(key[0], key[1], fields)
    return joined


def _topic_names(ulog: Any) -> dict[int, str]:
    return {int(item.msg_id): str(item.name) for item in ulog.data_list}


def _near_the_end(data: mmap.mmap, ulog: Any, appended: tuple[int, ...]) -> int:
    """Return the beginning of a message near the end of the file, from which to walk.

    The last row that pyulog read is looked for: it is a message for certain, and its bytes do not occur twice.
    """
    start = max((offset for offset in appended if offset < len(data)), default=HEADER_BYTES)
    timed: list[Any] = [item for item in ulog.data_list if "timestamp" in item.data]
    if not timed:
        return start
    last = max(timed, key=_last_timestamp)
    row = b"".join(last.data[item.field_name][-1:].tobytes() for item in last.field_data)
    at = data.rfind(struct.pack("<H", last.msg_id) + row) - 3
    if at > start and _header(data, at)[1] == _DATA:
        return at
    return start


def _last_timestamp(item: Any) -> int:
    return int(item.data["timestamp"][-1])


def _walk_all(path: Path, size: int) -> End:
    if size <= HEADER_BYTES:
        return End(size, size, None)
    with _mapped(path) as data:
        return _walk(data, HEADER_BYTES, {}, check_sizes=True)


def _walk(data: mmap.mmap, start: int, names: dict[int, str], *, check_sizes: bool = False) -> End:
    """Go from message to message, to the end of the file or to the first that is none."""
    size = len(data)
    at = start
    names = dict(names)
    sizes: dict[int, int] = {}
    while at + 3 <= size:
        length, kind = _header(data, at)
        if kind not in TYPES or length == 0:
            return End(at, size, at)
        after = at + 3 + length
        if after > size:
            return End(at, size, None, _describe(data, at, length, kind, names))
        if kind == _SUBSCRIBE and length > 3:
            names[_uint16(data, at + 4)[0]] = bytes(data[at + 6 : after]).decode("utf-8", "replace")
        elif kind == _DATA and check_sizes and length >= 2:
            topic = _uint16(data, at + 3)[0]
            if sizes.setdefault(topic, length) != length or topic not in names:
                return End(at, size, at)
        at = after
    if at < size:
        return End(at, size, None, "the header of a message")
    return End(at, size, None)


def _describe(data: mmap.mmap, at: int, length: int, kind: int, names: dict[int, str]) -> str:
    have = len(data) - at - 3
    if kind == _DATA and have >= 2:
        topic = _uint16(data, at + 3)[0]
        what = f"a message of {names.get(topic, f'topic {topic}')}"
    elif kind in _DEFINITIONS:
        what = "a definition"
    else:
        what = f"a message of type {chr(kind)}"
    return f"{what}, {have} of its {length} bytes"
