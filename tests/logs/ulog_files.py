"""Small ULogs for tests: of today's fields and of older ones, with faults put in on purpose.

Every function returns a `Topic` whose rows a test may spoil before `build` writes them:

>>> topic = attitude(100)
>>> topic.rows["q"][3] = np.nan
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boresight.logs.writers.px4_messages import DEFINITIONS
from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

START = 5_000_000  # microseconds
FLAGS = 16 + 3  # where the payload of the flag bits begins: behind the header and the message's own

OLD_ATTITUDE = (
    "uint64_t timestamp;float rollspeed;float pitchspeed;float yawspeed;float[4] q;uint8_t[4] _padding0;"
)
OLD_LOCAL_POSITION = (
    "uint64_t timestamp;uint64_t ref_timestamp;double ref_lat;double ref_lon;float x;float y;float z;"
    "float vx;float vy;float vz;float yaw;float eph;float epv;bool xy_valid;bool z_valid;bool v_xy_valid;"
    "bool v_z_valid;"
)
OLD_GPS = (
    "uint64_t timestamp;uint64_t time_utc_usec;int32_t lat;int32_t lon;int32_t alt;int32_t alt_ellipsoid;"
    "float s_variance_m_s;float c_variance_rad;float eph;float epv;float hdop;float vdop;"
    "int32_t noise_per_ms;int32_t jamming_indicator;float vel_m_s;float vel_n_m_s;float vel_e_m_s;"
    "float vel_d_m_s;float cog_rad;int32_t timestamp_time_relative;uint8_t fix_type;bool vel_ned_valid;"
    "uint8_t satellites_used;uint8_t[5] _padding0;"
)
OLD_COMBINED = (
    "uint64_t timestamp;float[3] gyro_rad;float gyro_integral_dt;int32_t accelerometer_timestamp_relative;"
    "float[3] accelerometer_m_s2;float accelerometer_integral_dt;int32_t magnetometer_timestamp_relative;"
    "float[3] magnetometer_ga;int32_t baro_timestamp_relative;float baro_alt_meter;"
    "float baro_temp_celcius;"
)


def topic(name: str, n: int, rate: float, *, definition: str | None = None, multi_id: int = 0) -> Topic:
    """Make a topic with times at a rate and nothing else in its rows."""
    text = definition or DEFINITIONS[name]
    rows = np.zeros(n, dtype=row_dtype(text))
    rows["timestamp"] = START + np.rint(np.arange(n) * (1e6 / rate)).astype(np.uint64)
    if "timestamp_sample" in (rows.dtype.names or ()):
        rows["timestamp_sample"] = rows["timestamp"] - 400
    return Topic(name, text, rows, multi_id)


def _seconds(made: Topic) -> np.ndarray[Any, Any]:
    return (made.rows["timestamp"].astype(np.int64) - START) * 1e-6


def attitude(
    n: int = 100, rate: float = 50.0, *, name: str = "vehicle_attitude", old: bool = False, multi_id: int = 0
) -> Topic:
    """Make a slow turn to the right with some roll."""
    made = topic(name, n, rate, definition=OLD_ATTITUDE if old else None, multi_id=multi_id)
    yaw, roll = 0.2 * _seconds(made), 0.1 * np.sin(_seconds(made))
    cy, sy, cr, sr = np.cos(yaw / 2), np.sin(yaw / 2), np.cos(roll / 2), np.sin(roll / 2)
    made.rows["q"] = np.stack([cy * cr, cy * sr, sy * sr, sy * cr], axis=-1)
    if old:
        made.rows["yawspeed"] = 0.2
    return made


def local_position(
    n: int = 20, rate: float = 10.0, *, name: str = "vehicle_local_position", old: bool = False
) -> Topic:
    """Make a straight climb to the north."""
    made = topic(name, n, rate, definition=OLD_LOCAL_POSITION if old else None)
    for field, slope in (("x", 1.0), ("y", 0.5), ("z", -0.25)):
        made.rows[field] = slope * _seconds(made)
        made.rows["v" + field] = slope
    made.rows["yaw" if old else "heading"] = 0.2 * _seconds(made)
    for flag in ("xy_valid", "z_valid", "v_xy_valid", "v_z_valid"):
        made.rows[flag] = True
    return made


def combined(n: int = 400, rate: float = 200.0, *, old: bool = False) -> Topic:
    """Make an IMU at rest and level that turns slowly."""
    made = topic("sensor_combined", n, rate, definition=OLD_COMBINED if old else None)
    made.rows["gyro_rad"] = (0.0, 0.0, 0.2)
    made.rows["accelerometer_m_s2"] = (0.1, -0.2, -9.8)
    if old:
        made.rows["magnetometer_ga"] = (0.21, 0.02, 0.43)
        made.rows["baro_alt_meter"] = 488.0
    return made


def gps(n: int = 10, rate: float = 5.0, *, old: bool = False) -> Topic:
    """Make a receiver at rest."""
    made = topic("vehicle_gps_position", n, rate, definition=OLD_GPS if old else None)
    if old:
        made.rows["lat"], made.rows["lon"], made.rows["alt"] = 473_977_000, 85_456_000, 488_000
        made.rows["alt_ellipsoid"] = 535_300
    else:
        made.rows["latitude_deg"], made.rows["longitude_deg"], made.rows["altitude_msl_m"] = (
            47.3977,
            8.5456,
            488.0,
        )
        made.rows["altitude_ellipsoid_m"] = 535.3
    made.rows["eph"], made.rows["epv"], made.rows["fix_type"], made.rows["satellites_used"] = 0.8, 1.2, 3, 11
    made.rows["vel_n_m_s"], made.rows["vel_ned_valid"] = 1.0, True
    return made


def ordinary(*, old: bool = False) -> list[Topic]:
    """Make two seconds of a log that has what matters."""
    return [attitude(old=old), local_position(old=old), combined(old=old), gps(old=old)]


def build(
    path: Path, topics: Sequence[Topic], *, info: Mapping[str, str] | None = None, sync: bool = False
) -> Path:
    """Write topics as a ULog and return its path."""
    with path.open("wb") as file:
        write_ulog(file, topics, info=info, sync=sync)
    return path


def build_appended(path: Path, topics: Sequence[Topic], later: Mapping[str, int]) -> Path:
    """Write a ULog whose last rows stand in a section of appended data, as PX4 writes after a crash.

    `later` says for each topic how many of its last rows are appended.
    """
    first = [replace(t, rows=t.rows[: len(t.rows) - later.get(t.name, 0)]) for t in topics]
    main = io.BytesIO()
    write_ulog(main, first)
    data = bytearray(main.getvalue())
    data[FLAGS + 8] |= 1  # the first incompatible flag: data is appended
    data[FLAGS + 16 : FLAGS + 24] = struct.pack("<Q", len(data))
    for number, whole in enumerate(topics):
        # Subscribed to again: a reader may forget the first section's subscriptions, and pyulog does.
        if later.get(whole.name):
            data += message(b"A", struct.pack("<BH", whole.multi_id, number) + whole.name.encode())
        for row in whole.rows[len(whole.rows) - later.get(whole.name, 0) :]:
            data += message(b"D", struct.pack("<H", number) + row.tobytes())
    path.write_bytes(data)
    return path


def message(kind: bytes, payload: bytes) -> bytes:
    """Return one message, for tests that put raw bytes into a log."""
    return struct.pack("<HB", len(payload), kind[0]) + payload


def message_starts(path: Path) -> list[tuple[int, str]]:
    """Return offset and type of every message of a sound file."""
    data = path.read_bytes()
    found: list[tuple[int, str]] = []
    at = 16
    while at < len(data):
        size, kind = struct.unpack_from("<HB", data, at)
        found.append((at, chr(kind)))
        at += 3 + size
    return found


def spoil(topics: Iterable[Topic], name: str, rows: Mapping[int, Sequence[float]]) -> None:
    """Replace quaternions of a topic: ``spoil(topics, "vehicle_attitude", {3: [nan] * 4, 7: [0] * 4})``."""
    for made in topics:
        if made.name == name:
            for row, q in rows.items():
                made.rows["q"][row] = q
