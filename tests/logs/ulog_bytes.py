"""ULogs made by hand, byte by byte, so that tests know where every message begins; independent of our own writer."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

MAGIC = b"ULog\x01\x12\x35"
SYNC = b"\x2f\x73\x13\x20\x25\x0c\xbb\x12"

SIZES = {
    "uint64_t": "Q",
    "float": "f",
    "double": "d",
    "uint8_t": "B",
    "bool": "?",
    "int32_t": "i",
    "uint32_t": "I",
}
SIZES |= {"uint16_t": "H"}

ATTITUDE = "uint64_t timestamp;float[4] q;"
LOCAL = "uint64_t timestamp;float x;float y;float z;float vx;float vy;float vz;bool xy_valid;bool z_valid;"


def message(kind: str, content: bytes) -> bytes:
    return struct.pack("<HB", len(content), ord(kind)) + content


@dataclass
class UlogBytes:
    """Puts a log together and remembers where each message begins."""

    version: int = 1
    start: int = 0
    data: bytearray = field(default_factory=bytearray)
    starts: list[int] = field(default_factory=list)
    formats: dict[str, str] = field(default_factory=dict)
    ids: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.data += MAGIC + struct.pack("<BQ", self.version, self.start)

    def put(self, kind: str, content: bytes) -> None:
        self.starts.append(len(self.data))
        self.data += message(kind, content)

    def flags(self, appended: tuple[int, ...] = ()) -> None:
        incompatible = bytes([1 if appended else 0]) + bytes(7)
        offsets = list(appended) + [0] * (3 - len(appended))
        self.put("B", bytes(8) + incompatible + struct.pack("<3Q", *offsets))

    def about(self, key: str, value: str) -> None:
        name = f"char[{len(value)}] {key}".encode()
        self.put("I", bytes([len(name)]) + name + value.encode())

    def topic(self, name: str, fields: str) -> None:
        self.formats[name] = fields
        self.put("F", f"{name}:{fields}".encode())

    def subscribe(self, name: str, instance: int = 0) -> None:
        number = len(self.ids)
        self.ids[name, instance] = number
        self.put("A", struct.pack("<BH", instance, number) + name.encode())

    def row(self, name: str, *values: float, instance: int = 0) -> None:
        codes = "<H"
        for item in self.formats[name].split(";"):
            if item:
                kind = item.split()[0]
                base, _, count = kind.partition("[")
                codes += SIZES[base] * (int(count[:-1]) if count else 1)
        self.put("D", struct.pack(codes, self.ids[name, instance], *values))

    def sync(self) -> None:
        self.put("S", SYNC)

    def dropout(self, milliseconds: int) -> None:
        self.put("O", struct.pack("<H", milliseconds))


def small(rows: int = 200, *, sync: bool = True) -> UlogBytes:
    """A log of an attitude, a position at a tenth of its rate, and nothing else."""
    log = UlogBytes()
    log.flags()
    log.about("ver_hw", "TEST")
    log.topic("vehicle_attitude", ATTITUDE)
    log.topic("vehicle_local_position", LOCAL)
    log.subscribe("vehicle_attitude")
    log.subscribe("vehicle_local_position")
    for index in range(rows):
        time = 1_000_000 + 4000 * index
        log.row("vehicle_attitude", time, 1.0, 0.01 * index, 0.0, 0.0)
        if index % 10 == 0:
            log.row("vehicle_local_position", time, index, 2.0 * index, -1.0, 1.0, 2.0, 0.5, True, True)
        if sync and index % 50 == 49:
            log.sync()
    return log
