"""Write a log as a ULog, the way PX4 would have logged it.

A ULog's numbers are PX4's: body axes FRD, world NED, quaternions w first, mostly single precision. A log in
another convention is converted first where the caller says `to="px4"`, and refused otherwise.

Streams keep the topic they are named after; any other stream goes to the topic of its kind, as a further
instance. A stream of poses becomes two topics, attitude and local position. Floats of a message that the
stream knows nothing of are NaN, integers 0; flags say what the numbers beside them are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boresight.errors import DataError
from boresight.logs.model import GROUPS, UNITS, Log, Notice, Stream
from boresight.logs.output import StreamReport, WriteReport
from boresight.logs.readers import ulog_topics
from boresight.logs.writers.px4_messages import DEFINITIONS
from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["WRITER", "UlogWriter"]

_CONVENTION = "px4"
_INSTANCES = 255

# Counters of a local position that the reader packs into one, lowest byte first.
_RESETS = ("xy_reset_counter", "z_reset_counter", "vxy_reset_counter", "vz_reset_counter")

# The reader's own table says which field each of our columns is: one mapping for both ways.
_READ = {topic.name: topic for topic in reversed(ulog_topics.TOPICS) if not topic.stream}


@dataclass(frozen=True)
class _Claim:
    """A stream's rows in one topic."""

    stream: Stream
    message: str
    instance: int


class UlogWriter:
    """Writes ULog."""

    suffixes: tuple[str, ...] = (".ulg", ".ulog")

    def prepare(self, log: Log, to: str | Convention | None, **change: Any) -> Log:
        """Convert the log to PX4's convention where asked to, and refuse any other."""
        if to is None:
            return log
        from boresight import conventions
        from boresight.logs.convert import convert_log

        asked = conventions.get(to) if isinstance(to, str) else to
        if asked.id != _CONVENTION:
            raise DataError(
                f"a ULog holds PX4's axes and order, not those of {asked.id}",
                advice="convert to px4, or write another format",
            )
        return convert_log(log, asked, **change)

    def write(self, log: Log, path: Path, *, sync: bool = True) -> WriteReport:
        """Write a log.

        Parameters
        ----------
        log : Log
            In the px4 convention.
        path : pathlib.Path
            The file.
        sync : bool
            Whether to put synchronisation messages into the data, by which a reader finds its way in a
            damaged file.

        Returns
        -------
        WriteReport
            One entry for each topic. Quantities of a stream that PX4's messages have no field for are told in
            a notice.

        Raises
        ------
        DataError
            A stream is in another convention, or has times before 0, which a ULog cannot hold.

        """
        for stream in log.streams.values():
            if stream.convention.id != _CONVENTION:
                raise DataError(
                    f"the numbers are in {stream.convention.id}, and a ULog holds PX4's",
                    place=f"stream {stream.name}",
                    advice='convert first: --to px4 (to="px4")',
                )
        claims = _claims([stream for stream in log.streams.values() if stream.num_rows])
        topics = [Topic(c.message, DEFINITIONS[c.message], _rows(c), c.instance) for c in claims]
        with path.open("wb") as file:
            write_ulog(file, topics, info=_information(log), sync=sync)
        reports = tuple(
            StreamReport(c.stream.name, _target(c), len(t.rows), convention=c.stream.convention)
            for c, t in zip(claims, topics, strict=True)
        )
        return WriteReport(path, "ulog", reports, (*log.notices, *_notices(claims)), (path,))


WRITER = UlogWriter()


def _claims(streams: Sequence[Stream]) -> list[_Claim]:
    """Say which topics each stream goes to, those named after one first; the order is the log's."""
    taken: dict[str, set[int]] = {}
    claims: dict[str, list[_Claim]] = {stream.name: [] for stream in streams}

    def claim(stream: Stream, messages: Sequence[str], instance: int) -> None:
        for message in messages:
            taken.setdefault(message, set()).add(instance)
            claims[stream.name].append(_Claim(stream, message, instance))

    later: list[Stream] = []
    for stream in streams:
        name, _, number = stream.name.partition("/")
        known = name in DEFINITIONS and _READ[name].kind == stream.kind
        if known and (number.isdecimal() or not number) and int(number or 0) < _INSTANCES:
            claim(stream, [name], int(number or 0))
            # An attitude may carry the rates that PX4 now logs in a message of their own.
            if "wx" in _columns_of(stream) and not _takes(name, "angular_rate"):
                later.append(stream)
            continue
        later.append(stream)
    for stream in later:
        done = {c.message for c in claims[stream.name]}
        messages = [m for m in _messages_for(stream) if not done or m == "vehicle_angular_velocity"]
        instance = next(i for i in range(65_536) if not any(i in taken.get(m, ()) for m in messages))
        if instance >= _INSTANCES:
            raise DataError(
                f"a ULog has room for {_INSTANCES} instances of a topic", place=f"stream {stream.name}"
            )
        claim(stream, messages, instance)
    return [c for stream in streams for c in claims[stream.name]]


def _messages_for(stream: Stream) -> list[str]:
    """Name the topics that a stream of this kind goes to."""
    if stream.kind in ("pose", "orientation", "velocity"):
        attitude = ["vehicle_attitude"] if stream.has_orientation else []
        moving = any(stream.has(group) for group in ("position", "velocity", "body_velocity"))
        rates = ["vehicle_angular_velocity"] if stream.has("angular_rate") else []
        return attitude + (["vehicle_local_position"] if moving else []) + rates
    if stream.kind == "imu":
        rate, force = stream.has("angular_rate"), stream.has("specific_force")
        return [
            "sensor_combined"
            if rate and force
            else "vehicle_angular_velocity"
            if rate
            else "vehicle_acceleration"
        ]
    return [
        {
            "gnss": "vehicle_gps_position",
            "magnetic_field": "vehicle_magnetometer",
            "baro": "vehicle_air_data",
        }[stream.kind]
    ]


def _columns_of(stream: Stream) -> set[str]:
    return set(stream.schema.names)


def _fields(message: str) -> dict[str, tuple[str, int | None]]:
    """For each of our columns that the message has: the field, and the element of an array."""
    known = row_dtype(DEFINITIONS[message]).names or ()
    found: dict[str, tuple[str, int | None]] = {}
    for column, names in _READ[message].columns.items():
        for name in names.split():
            base, _, index = name.partition("[")
            if base in known:
                found[column] = (base, int(index.rstrip("]")) if index else None)
                break
    return found


def _takes(message: str, group: str) -> bool:
    return set(GROUPS[group].columns) <= set(_fields(message))


def _rows(claim: _Claim) -> npt.NDArray[Any]:
    """Return a topic's rows, filled from a stream's columns."""
    stream, message = claim.stream, claim.message
    rows = np.zeros(stream.num_rows, dtype=row_dtype(DEFINITIONS[message]))
    for name in rows.dtype.names or ():
        if rows.dtype[name].base.kind == "f":
            rows[name] = np.nan
    rows["timestamp"] = _micros(stream, "time")
    sampled = "timestamp_sample" in (rows.dtype.names or ())
    if sampled:
        rows["timestamp_sample"] = _micros(stream, "time_sample" if stream.has("time_sample") else "time")
    numbers = _numbers(stream, message)
    for column, (field, element) in _fields(message).items():
        if column in numbers:
            target = rows[field] if element is None else rows[field][:, element]
            values = numbers[column]
            whole = target.dtype.kind in "iu" and values.dtype.kind == "f"
            target[...] = np.nan_to_num(values, posinf=0.0, neginf=0.0) if whole else values
    if "reset" in numbers and "xy_reset_counter" in (rows.dtype.names or ()):
        for byte, name in enumerate(_RESETS):
            rows[name] = (numbers["reset"].astype(np.int64) >> (8 * byte)) & 0xFF
    if "ref_time" in numbers and "ref_timestamp" in (rows.dtype.names or ()):
        rows["ref_timestamp"] = _micros(stream, "ref_time")
    if message in _FINISH:
        _FINISH[message](rows, numbers)
    return rows


def _micros(stream: Stream, column: str) -> npt.NDArray[np.int64]:
    time: npt.NDArray[np.int64] = stream.column(column)
    if (time < 0).any():
        raise DataError(
            "a ULog's times are not negative",
            place=f"stream {stream.name}, row {int(np.argmax(time < 0))}, column {column}",
        )
    return (time + 500) // 1000


def _numbers(stream: Stream, message: str) -> dict[str, npt.NDArray[Any]]:
    """Return the stream's columns in PX4's units, and those that are made of columns of another form."""
    units = _READ[message].units
    found: dict[str, npt.NDArray[Any]] = {}
    for group in stream.groups:
        factor = stream.factor(group.name) / UNITS[units.get(group.name, group.unit)]
        if group.is_list:
            continue
        for column in group.columns:
            values = stream.column(column)
            found[column] = values if factor == 1.0 else values * factor
    if stream.has_orientation and not stream.has("orientation"):
        quaternion = stream.rotation().as_quat(order="xyzw")
        found.update({f"q{letter}": quaternion[:, i] for i, letter in enumerate("xyzw")})
    if stream.has("body_velocity") and not stream.has("velocity") and stream.has_orientation:
        velocity = stream.rotation().apply(stream.array("body_velocity") * stream.factor("body_velocity"))
        found.update({column: velocity[:, i] for i, column in enumerate(("vx", "vy", "vz"))})
    if stream.has("position_covariance") and not stream.has("eph"):
        east, north, up = stream.array("position_covariance")[:, [0, 4, 8]].T
        with np.errstate(invalid="ignore"):  # what the log does not know may be told by a negative variance
            found.update(eph=np.sqrt(0.5 * (east + north)), epv=np.sqrt(up))
    return found


def _finish_local_position(rows: npt.NDArray[Any], numbers: Mapping[str, npt.NDArray[Any]]) -> None:
    for flag, column, fields in (
        ("xy_valid", "xy_valid", "x y"),
        ("z_valid", "z_valid", "z"),
        ("v_xy_valid", "vxy_valid", "vx vy"),
        ("v_z_valid", "vz_valid", "vz"),
    ):
        # What the stream says of its numbers is kept; what it says nothing of is valid where it is a number.
        if column not in numbers:
            rows[flag] = _finite(rows, fields)
    rows["heading_good_for_control"] = np.isfinite(rows["heading"])
    rows["xy_global"] = _finite(rows, "ref_lat ref_lon")
    rows["z_global"] = np.isfinite(rows["ref_alt"])


def _finite(rows: npt.NDArray[Any], fields: str) -> npt.NDArray[np.bool_]:
    return np.all([np.isfinite(rows[field]) for field in fields.split()], axis=0)


def _finish_gps(rows: npt.NDArray[Any], numbers: Mapping[str, npt.NDArray[Any]]) -> None:
    north, east, down = rows["vel_n_m_s"], rows["vel_e_m_s"], rows["vel_d_m_s"]
    rows["vel_m_s"] = np.sqrt(north**2 + east**2 + down**2)
    rows["cog_rad"] = np.arctan2(east, north)
    if "vxy_valid" not in numbers:
        rows["vel_ned_valid"] = np.isfinite(rows["vel_m_s"])


def _finish_combined(rows: npt.NDArray[Any], numbers: Mapping[str, npt.NDArray[Any]]) -> None:
    steps = np.diff(rows["timestamp"].astype(np.int64))
    for column, field in (("rate_dt", "gyro_integral_dt"), ("force_dt", "accelerometer_integral_dt")):
        if column in numbers:
            micros = np.rint(np.nan_to_num(numbers[column], posinf=0.0, neginf=0.0) * 1e6)
            rows[field] = np.clip(micros, 0, 2**32 - 1)
        elif steps.size:
            # A sample is the mean since the one before; the first can only be taken to be like the second.
            rows[field] = np.clip(np.concatenate([steps[:1], steps]), 0, 2**32 - 1)


_FINISH = {
    "vehicle_local_position": _finish_local_position,
    "vehicle_local_position_groundtruth": _finish_local_position,
    "estimator_local_position": _finish_local_position,
    "vehicle_gps_position": _finish_gps,
    "sensor_gps": _finish_gps,
    "sensor_combined": _finish_combined,
}


def _information(log: Log) -> dict[str, str]:
    """Return what the log says about itself, under keys that a ULog may have."""
    info = {"sys_name": "PX4"}
    for key, value in log.metadata.items():
        plain = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in key)
        info[plain] = str(value)
    return info


def _target(claim: _Claim) -> str:
    return claim.message if claim.instance == 0 else f"{claim.message} instance {claim.instance}"


def _notices(claims: Sequence[_Claim]) -> list[Notice]:
    """Say what of the streams a ULog has no place for."""
    notices: list[Notice] = []
    streams = {claim.stream.name: claim.stream for claim in claims}
    for name, stream in streams.items():
        written = {
            column for claim in claims if claim.stream.name == name for column in _fields(claim.message)
        }
        written |= {"time_sample"}
        if {"qw", "x"} & written:
            written |= {c for g in ("euler", "matrix") for c in GROUPS[g].columns}
        if "vx" in written and stream.has_orientation:
            written |= set(GROUPS["body_velocity"].columns)
        if "x" in written:
            written |= {"reset", "ref_time"}
        if "eph" in written and stream.kind == "gnss":
            written.add("position_covariance")
        lost = [group.name for group in stream.groups if not set(group.columns) <= written]
        if lost:
            message = f"PX4's messages have no field for: {', '.join(lost)}"
            notices.append(Notice("not-written", message, name, stream.num_rows))
        uneven = int(np.count_nonzero(stream.time % 1000))
        if uneven:
            message = f"{uneven} times are rounded to the microseconds of a ULog"
            notices.append(Notice("time-rounded", message, name, uneven))
    return notices
