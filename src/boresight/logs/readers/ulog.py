"""PX4 ULog: attitude, position, sensors and odometry as streams, in PX4's own convention.

pyulog reads; topics and fields, old names and new, are those of `ulog_topics.py`. Nothing is left out in silence: a log
cut short, damaged bytes, dropouts, invalid quaternions, flags that call numbers invalid are each counted in a `Notice`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.checks import check_stream
from boresight.logs.columns import GROUPS
from boresight.logs.description import overruled
from boresight.logs.model import Log, Notice, Stream
from boresight.logs.readers.ulog_file import MAGIC, Dataset, UlogFile, load
from boresight.logs.readers.ulog_heights import without_unset_heights
from boresight.logs.readers.ulog_odometry import ODOMETRY, odometry
from boresight.logs.readers.ulog_topics import TOPICS, Topic
from boresight.logs.tables import make_table

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["READER", "UlogReader"]

_MICROSECOND = 1000
_LAST = np.iinfo(np.int64).max // _MICROSECOND  # the last microsecond that int64 nanoseconds reach
_NO_SAMPLE = np.iinfo(np.int32).max  # what a relative timestamp is where there is no sample


class UlogReader:
    """Reader of PX4 ULog files."""

    suffixes: tuple[str, ...] = (".ulg", ".ulog")

    def sniff(self, head: bytes) -> bool:
        """Say whether the file begins as a ULog does."""
        return head.startswith(MAGIC)

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,
        attitude_required: bool = True,
    ) -> Log:
        """Read a ULog.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        from_ : Convention, optional
            What the numbers are in, where a vehicle was taught another convention than PX4's.
        strict : bool
            Whether a log that is cut short or damaged is an error.
        attitude_required : bool
            Whether a log without any attitude is an error.

        Raises
        ------
        DataError
            The file is no ULog, or holds nothing that can be used.
        """
        from boresight import conventions

        names = dict.fromkeys([*(topic.name for topic in TOPICS), *ODOMETRY])
        file = load(path, list(names))
        notices = _file_notices(file)
        if strict:
            for notice in notices:
                if notice.code in ("truncated", "damaged"):
                    raise DataError(
                        notice.message, path=path, advice="read it without strict to have what it holds"
                    )
        convention = from_ or conventions.get("px4")
        notices += overruled(conventions.get("px4"), from_)
        streams: dict[str, Stream] = {}
        for stream, said in _streams(file, convention):
            streams.setdefault(stream.name, stream)
            notices += said
            notices += check_stream(stream)
        _require_something(path, streams, notices, attitude_required)
        notices += _not_read(file, streams)
        metadata = {key: str(value) for key, value in file.info.items() if isinstance(value, str | int)}
        return Log(streams, path, "ulog", tuple(notices), metadata | _date(file))


READER = UlogReader()
"""What the registry finds."""


def _date(file: UlogFile) -> dict[str, str]:
    """What a receiver says of the calendar, to the second: a vehicle's own clock counts from its start."""
    for name in ("vehicle_gps_position", "sensor_gps"):
        for dataset in file.of_topic(name):
            times = dataset.fields.get("time_utc_usec", np.zeros(0))
            known = times[(times > 0) & (times <= _LAST)]
            if len(known):
                return {"gnss_utc": str(np.datetime64(int(known[0]) // 1_000_000, "s"))}
    return {}


def _file_notices(file: UlogFile) -> list[Notice]:
    notices: list[Notice] = []
    end = file.end
    if end.bad is None and end.whole < end.size:
        lost = end.size - end.whole
        message = (
            f"the log ends in the middle of a message: the last whole one ends at byte {end.whole}; lost are "
            f"{end.partial}, and whatever followed byte {end.size}"
        )
        notices.append(Notice("truncated", message, None, lost))
    beyond = [offset for offset in file.appended if offset > end.size]
    if beyond:
        message = f"the log ends at byte {end.size}: lost are the data appended from byte {beyond[0]} on"
        notices.append(Notice("truncated", message, None, len(beyond)))
    if file.damaged or end.bad is not None:
        where = "" if end.bad is None else f" at byte {end.bad}"
        said = f" (pyulog: {'; '.join(dict.fromkeys(file.printed))})" if file.printed else ""
        lost = "those around them are lost" if file.recovered else "everything after them is lost"
        message = f"the log is damaged{where}: bytes there are no message, and {lost}{said}"
        notices.append(Notice("damaged", message, None, 1))
    if file.stopped is not None:
        message = (
            f"the log is damaged: the message before byte {file.stopped} is too short for what it should hold, and "
            "everything after it is lost"
        )
        notices.append(Notice("damaged", message, None, 1))
    for name, count, why in file.lost:
        message = f"the log is damaged: {count} rows of {name} are lost, because {why}"
        notices.append(Notice("damaged", message, name, count))
    if file.strange:
        kinds = ", ".join(repr(chr(kind)) for kind in sorted(set(file.strange)))
        message = (
            f"{len(file.strange)} messages are of a type ({kinds}) that is none where they stand: they are damaged, or "
            "of a newer kind of log, and what they hold is not read"
        )
        notices.append(Notice("unknown-message", message, None, len(file.strange)))
    if file.dropouts:
        total = sum(duration for _, duration in file.dropouts)
        message = f"the logger dropped data {len(file.dropouts)} times, {total} ms in all"
        notices.append(Notice("dropout", message, None, len(file.dropouts)))
    if file.appended:
        message = (
            f"{len(file.appended)} sections of data were appended after the log was closed; they are read too"
        )
        notices.append(Notice("appended", message, None, len(file.appended)))
    return notices


def _not_read(file: UlogFile, streams: dict[str, Stream]) -> list[Notice]:
    """Say what the file holds and the log does not, so that a copy of it is not taken for the whole."""
    made = {name.partition("/")[0] for name in streams}
    known = {topic.stream_name: topic.name for topic in TOPICS}
    used = {known.get(name, name) for name in made} | {name.removesuffix("_frd") for name in made}
    topics = sorted({*file.others, *(name for name, _ in file.datasets if name not in used)})

    def counted(count: int, noun: str) -> list[str]:
        return [f"{count} {noun}{'' if count == 1 else 's'}"] if count else []

    what = [f"{text} ({', '.join(topics)})" for text in counted(len(topics), "topic")]
    what += [*counted(file.parameters, "parameter"), *counted(file.texts, "text message")]
    if not what:
        return []
    message = f"the file holds more, which is not read: {', '.join(what)}"
    return [Notice("not-read", message, None, len(topics) + file.parameters + file.texts)]


def _require_something(
    path: Path, streams: dict[str, Stream], notices: list[Notice], attitude_required: bool
) -> None:
    ends = next((notice.message for notice in notices if notice.code in ("truncated", "damaged")), None)
    advice = ends and f"note that {ends}"
    if not streams:
        raise DataError(
            "the log holds none of the topics that are read", path=path, place="topics", advice=advice
        )
    if attitude_required and not any(stream.has_orientation for stream in streams.values()):
        raise DataError(
            f"the log has no attitude (no vehicle_attitude, estimator_attitude or vehicle_odometry); it has: "
            f"{', '.join(streams)}",
            path=path,
            place="topics",
            advice=advice,
        )


def _streams(file: UlogFile, convention: Convention) -> list[tuple[Stream, list[Notice]]]:
    found: list[tuple[Stream, list[Notice]]] = []
    for topic in TOPICS:
        for data in file.of_topic(topic.name):
            made = _stream(topic, data, convention)
            if made is not None:
                found.append(made)
    for name in ODOMETRY:
        for data in file.of_topic(name):
            found += _odometry_streams(data, convention)
    return found


def _instance(name: str, data: Dataset) -> str:
    return f"{name}/{data.instance}" if data.instance else name


def _stream(topic: Topic, data: Dataset, convention: Convention) -> tuple[Stream, list[Notice]] | None:
    name = _instance(topic.stream_name, data)
    notices: list[Notice] = []
    units = dict(topic.units)
    columns = _imu_from_integrals(data) if topic.name == "vehicle_imu" else _columns(topic, data)
    if not set(GROUPS[topic.requires].columns) <= columns.keys():
        return None
    if topic.name == "vehicle_attitude" and "quat_reset_counter" in data.fields:
        columns["reset"] = np.ascontiguousarray(data.fields["quat_reset_counter"])
    if topic.kind == "velocity":
        _position_reset(data, columns)
        _local_origin(data, columns)
    if topic.name == "sensor_baro" and float(np.nanmax(columns["pressure"], initial=0.0)) < 2000.0:
        units["pressure"] = "hPa"  # as drivers logged it before PX4 1.14; 2000 Pa is the pressure at 26 km
    notices += without_unset_heights(columns, name)
    if topic.relative_time:
        return _sampled_elsewhere(topic, data, columns, units, convention, name)
    for flag in topic.flags:
        valid = data.fields.get(flag)
        count = 0 if valid is None else int(np.count_nonzero(valid == 0))
        if count:
            # by the name that our column has, whatever the log's field is called
            name_of_flag = next((c for c, fields in topic.columns.items() if flag in fields.split()), flag)
            message = f"{count} of {data.rows} rows are flagged as not valid ({name_of_flag} is false)"
            notices.append(Notice("flagged-invalid", message, name, count))
    if "fix" in columns:
        count = int(np.count_nonzero(columns["fix"] < 2))
        if count:
            notices.append(Notice("no-fix", f"{count} of {data.rows} rows have no position fix", name, count))
    return _made(name, topic, data, columns, units, convention, notices)


def _made(
    name: str,
    topic: Topic,
    data: Dataset,
    columns: dict[str, NDArray[Any]],
    units: dict[str, str],
    convention: Convention,
    notices: list[Notice],
) -> tuple[Stream, list[Notice]]:
    table = _timed(data, columns, name, notices)
    return Stream(name, topic.kind, convention, convention.default_thing, table, units), notices


def _columns(topic: Topic, data: Dataset) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    for column, names in topic.columns.items():
        values = data.first(names)
        if values is None:
            continue
        if column in topic.integers and values.dtype.kind in "iu":
            # Divided, not multiplied by the inverse: the nearest float64 to what the integer says.
            columns[column] = values / topic.integers[column]
        else:
            columns[column] = np.ascontiguousarray(values)
    return columns


def _timed(data: Dataset, columns: dict[str, NDArray[Any]], name: str, notices: list[Notice]) -> pa.Table:
    """Return a table with the times first; rows of a time beyond int64 nanoseconds can't be kept and are counted."""
    stamps = data.fields["timestamp"]
    good = stamps <= _LAST
    if not good.all():
        count = int(np.count_nonzero(~good))
        message = f"{count} of {data.rows} rows have a time that is none (beyond 292 years) and are left out"
        notices.append(Notice("invalid-time", message, name, count))
        columns = {key: values[good] for key, values in columns.items()}
        stamps = stamps[good]
    time = stamps.astype(np.int64) * _MICROSECOND
    sample = data.fields.get("timestamp_sample")
    if sample is not None:
        samples = np.minimum(sample[good], _LAST).astype(np.int64) * _MICROSECOND
        columns = {**columns, "time_sample": samples}
    return make_table(time, columns)


def _position_reset(data: Dataset, columns: dict[str, NDArray[Any]]) -> None:
    """One counter of what PX4 counts axis by axis: it changes when any of them does."""
    names = ("xy_reset_counter", "z_reset_counter", "vxy_reset_counter", "vz_reset_counter")
    counters = [data.fields[name].astype(np.int64) for name in names if name in data.fields]
    if counters:
        # Each is a byte; in bytes of their own, two that change at once cannot cancel.
        columns["reset"] = np.sum([counter << (8 * byte) for byte, counter in enumerate(counters)], axis=0)


def _local_origin(data: Dataset, columns: dict[str, NDArray[Any]]) -> None:
    """Where the log says that positions have no place on the earth, their origin is not 0 N 0 E but unknown: NaN."""
    for flag, names in (("xy_global", ("ref_lat", "ref_lon")), ("z_global", ("ref_alt",))):
        unknown = data.fields.get(flag)
        for name in names:
            if unknown is not None and name in columns:
                columns[name] = np.where(unknown == 0, np.nan, columns[name]).astype(columns[name].dtype)
    stamps = data.fields.get("ref_timestamp")
    if stamps is not None:
        columns["ref_time"] = np.minimum(stamps, _LAST).astype(np.int64) * _MICROSECOND


def _imu_from_integrals(data: Dataset) -> dict[str, NDArray[Any]]:
    """Mean rate and specific force over each interval of `vehicle_imu`, which logs integrals; NaN of an empty one."""
    columns: dict[str, NDArray[Any]] = {}
    for integral, interval, names, length in (
        ("delta_angle", "delta_angle_dt", ("wx", "wy", "wz"), "rate_dt"),
        ("delta_velocity", "delta_velocity_dt", ("ax", "ay", "az"), "force_dt"),
    ):
        microseconds = data.first(f"{interval} dt")
        if microseconds is None or f"{integral}[2]" not in data.fields:
            continue
        seconds = np.where(microseconds > 0, microseconds / 1e6, np.nan)
        columns[length] = seconds
        for axis, name in enumerate(names):
            columns[name] = data.fields[f"{integral}[{axis}]"] / seconds
    return columns


def _sampled_elsewhere(
    topic: Topic,
    data: Dataset,
    columns: dict[str, NDArray[Any]],
    units: dict[str, str],
    convention: Convention,
    name: str,
) -> tuple[Stream, list[Notice]] | None:
    """A slower sensor in the rows of a faster one: its own times, each sample once."""
    relative = data.fields.get(topic.relative_time)
    if relative is None:
        return None
    there = relative != _NO_SAMPLE
    time = (data.fields["timestamp"].astype(np.int64) + relative) * _MICROSECOND
    there[1:] &= time[1:] != time[:-1]  # the same sample again, beside the next row of the faster sensor
    if not there.any():
        return None
    notices: list[Notice] = []
    repeated = data.rows - int(np.count_nonzero(there))
    if repeated:
        message = f"{repeated} of {data.rows} rows of {topic.name} hold no new sample"
        notices.append(Notice("no-sample", message, name, repeated))
    table = make_table(time[there], {key: values[there] for key, values in columns.items()})
    return Stream(name, topic.kind, convention, convention.default_thing, table, units), notices


def _odometry_streams(data: Dataset, convention: Convention) -> list[tuple[Stream, list[Notice]]]:
    parts, notices = odometry(data, convention)
    found: list[tuple[Stream, list[Notice]]] = []
    for suffix, own, rows, columns in parts:
        name = _instance(data.name + suffix, data)
        if not set(GROUPS["orientation"].columns) <= columns.keys():
            continue
        kind = "pose" if set(GROUPS["position"].columns) <= columns.keys() else "orientation"
        table = _timed(data.take(rows), columns, name, notices)
        found.append((Stream(name, kind, own, own.default_thing, table), notices))
        notices = []
    return found
