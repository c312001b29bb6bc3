"""What of a log the filter is fed: inertial samples and measurements as arrays, in the order in which they arrived.

Streams are taken in the log's own convention and changed to FRD and NED where it is another. Times of arrival and of
measurement are kept apart: what a receiver says is about a moment some tenth of a second before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from math import pi, radians
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.errors import DataError
from boresight.kernels.filter import KINDS, MEASUREMENT
from boresight.logs.convert import convert_stream
from boresight.logs.model import Log, Notice, Stream
from boresight.navigation.calls import instance, vector
from boresight.navigation.figures import bound_of, check_figure, figure
from boresight.navigation.noise import AltitudeNoise, HeadingNoise, PositionNoise, SigmaBounds, VelocityNoise

__all__ = ["Inputs", "Sources", "inputs_of"]

Array = NDArray[Any]

_NANO = 1e-9
_OLDEST = 2_000_000_000  # ns; a time of measurement further back is another clock's
SOURCES = ("gnss", "gnss_position", "gnss_velocity", "gnss_heading", "baro", "mag")
"""What may be left out."""
_NO_FIX, _NO_SPATIAL_FIX = "without a fix", "without a fix of three dimensions"
_NO_NUMBER = "not finite or zero"
_FLAGGED = "flagged as not valid"

_POSITIONS, _VELOCITIES = SigmaBounds(0.3, 200.0), SigmaBounds(0.1, 20.0)
_HEADINGS = SigmaBounds(radians(0.5), radians(60.0))


@final
@dataclass(frozen=True, slots=True)
class Sources:
    """Which streams of a log are used, and what is taken for their noise.

    Attributes
    ----------
    imu, gnss, baro, mag : str or None
        Name of the stream; None takes the fastest that will do, of GNSS the first that is a receiver's.
    gnss_velocity : str or None
        Name of the stream of a receiver's velocities where its positions stand in another; None takes one of the same
        folder (``/gnss/fix`` and ``/gnss/velocity``).
    without : str or tuple of str
        Which of ``"gnss"``, ``"gnss_position"``, ``"gnss_velocity"``, ``"gnss_heading"``, ``"baro"`` and ``"mag"`` are left
        out.
    gnss_delay : float
        Seconds from a GNSS measurement to its message, where the log has no time of measurement of its own. PX4's
        default is 0.11.
    antenna : tuple of float
        Of the GNSS antenna, m forward, right, down of the IMU.
    position_bounds, velocity_bounds, heading_bounds : SigmaBounds
        Within which a receiver's own accuracies are believed; m, m/s, rad.
    position_sigma, velocity_sigma, heading_sigma : float
        σ where the log has none; the height's is twice the position's. m, m/s, rad.
    baro_sigma, mag_sigma : float or None
        m and, of the heading, rad. None: from the scatter of the readings themselves, not below 0.3 m and 0.1 rad.
    course : float or None
        σ of the sideslip, rad, of a vehicle that goes where it points (a car, an aeroplane); never of a multirotor.
        None: the course says nothing of the heading.
    trust_flags : bool
        Whether what the log itself marks as not valid is left out.

    Raises
    ------
    DataError
        A name in `without` is none of these.
    ConfigError
        A figure is out of its bound.
    TypeError
        What should be a name, three numbers or `SigmaBounds` is none.
    """

    imu: str | None = None
    gnss: str | None = None
    baro: str | None = None
    mag: str | None = None
    gnss_velocity: str | None = None
    without: str | Iterable[str] = ()
    gnss_delay: float = figure(0.11, 10.0, "s", zero=True)
    antenna: ArrayLike = (0.0, 0.0, 0.0)
    position_bounds: SigmaBounds = _POSITIONS
    velocity_bounds: SigmaBounds = _VELOCITIES
    heading_bounds: SigmaBounds = _HEADINGS
    position_sigma: float = figure(1.5, 1e6, "m")
    velocity_sigma: float = figure(0.3, 1e4, "m/s")
    heading_sigma: float = figure(radians(3.0), pi, "rad")
    baro_sigma: float | None = figure(None, 1e6, "m")
    mag_sigma: float | None = figure(None, pi, "rad")
    course: float | None = figure(None, 0.5 * pi, "rad")
    trust_flags: bool = True

    def __post_init__(self) -> None:
        given: Any = self.without
        try:
            names: tuple[str, ...] = (given,) if isinstance(given, str) else tuple(given)
        except TypeError:
            raise TypeError(f"without is {given!r}; give names of {', '.join(SOURCES)}") from None
        for name in names:
            if name not in SOURCES:
                raise DataError(f"there is no source {name!r}", advice=f"there are {', '.join(SOURCES)}")
        arm = vector("antenna", self.antenna, "m forward, right, down of the IMU")
        if not np.isfinite(arm).all():
            raise DataError(f"antenna is {arm.tolist()}", advice="give three finite numbers, in metres")
        object.__setattr__(self, "without", names)
        object.__setattr__(self, "antenna", tuple(arm.tolist()))
        for own in fields(self):
            value = getattr(self, own.name)
            if bound_of(own) is not None or own.name == "trust_flags":
                check_figure(f"sources.{own.name}", value, own)
            elif own.name.endswith("_bounds"):
                instance(own.name, value, SigmaBounds, "SigmaBounds(low, high)")
            elif own.name not in ("without", "antenna") and value is not None:
                instance(own.name, value, str, "the name of a stream")

    def uses(self, *names: str) -> bool:
        """Whether none of these names is left out."""
        return not set(names) & set(self.without)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What a filter is fed.

    Attributes
    ----------
    imu_time : array of int64, shape (n,)
        Nanoseconds.
    imu : array, shape (n, 8)
        Increments of angle (3) and their interval, of velocity (3) and theirs; FRD, rad, m/s, s.
    measurements : structured array, shape (m,)
        See `boresight.kernels.filter.MEASUREMENT`; in the order of arrival.
    arrival : array of int64, shape (m,)
        Nanoseconds.
    streams : dict of str to str
        Which stream each of ``"imu"``, ``"gnss"``, ``"baro"``, ``"mag"`` came from.
    notices : tuple of Notice
        What was left out, and why.
    """

    imu_time: NDArray[np.int64]
    imu: Array
    measurements: Array
    arrival: NDArray[np.int64]
    streams: dict[str, str] = field(default_factory=dict[str, str])
    notices: tuple[Notice, ...] = ()


def inputs_of(log: Log, sources: Sources | None = None, *, longest_step: float = 0.1) -> Inputs:
    """Gather what a filter is fed from a log.

    Parameters
    ----------
    log : Log
        With at least one stream of rates and specific forces.
    sources : Sources, optional
        Which streams, and their noise.
    longest_step : float
        Seconds; a sample stands for the time since the one before, but for no longer.

    Raises
    ------
    DataError
        No stream has both rates and specific forces, or a stream that is named does not do.
    ConventionError
        A stream's convention does not determine where its axes point on the compass; the message says what is missing.
    """
    sources = sources or Sources()
    gathered = _Gathered(log, sources)
    imu = gathered.stream("imu", _is_imu)
    if imu is None:
        have = ", ".join(f"{s.name} ({s.kind})" for s in log.streams.values()) or "none"
        raise DataError(
            "no stream has both angular rates and specific forces",
            path=log.path,
            advice=f"its streams: {have}",
        )
    time = imu.time
    # A logged sample is a mean; what is between two of them may not have been logged, and is taken to be like it.
    step = np.clip(np.diff(time, prepend=time[:1]) * _NANO, 0.0, longest_step)[:, None]
    rate = imu.array("angular_rate") * imu.factor("angular_rate")
    force = imu.array("specific_force") * imu.factor("specific_force")
    made = increments(rate, force, step)
    for name, gather in (("gnss", gathered.gnss), ("baro", gathered.baro), ("mag", gathered.mag)):
        if sources.uses(name):
            gather()
    return gathered.inputs(time[1:], made[1:])


def increments(rate: Array, force: Array, step: Array) -> Array:
    """Make increments of means over steps: angle (3), its interval, velocity (3), its interval; shape (n, 8).

    A mean of the specific force is in axes that turn meanwhile, and the filter takes the velocity's increment in those of
    the step's start: to first order half the turn more, ½ Δθ × Δv.

    Parameters
    ----------
    rate, force : array, shape (n, 3)
        rad/s and m/s².
    step : array, shape (n, 1)
        Seconds.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # what is no number is refused later, and counted
        turn, push = np.asarray(rate * step, np.float64), np.asarray(force * step, np.float64)
        push = push + 0.5 * np.cross(turn, push)
    return np.concatenate([turn, step, push, step], axis=1)


class _Gathered:
    def __init__(self, log: Log, sources: Sources) -> None:
        self.log, self.sources = log, sources
        self.rows: list[Array] = []
        self.arrivals: list[Array] = []
        self.streams: dict[str, str] = {}
        self.notices: list[Notice] = []

    def stream(self, which: str, fits: Callable[[Stream], bool], *, first: bool = False) -> Stream | None:
        """Return the stream to take, in PX4's convention: the one that is named, else the one with most rows."""
        from boresight import conventions

        name: str | None = getattr(self.sources, which)
        if name is not None:
            chosen = self.log[name]
            if not fits(chosen):
                have = ", ".join(group.name for group in chosen.groups)
                raise DataError(
                    f"the stream does not do as {which}",
                    path=self.log.path,
                    place=f"stream {name}",
                    advice=f"it has: {have}",
                )
        else:
            fitting = [
                s
                for s in self.log.streams.values()
                if s.num_rows > 1 and fits(s) and "groundtruth" not in s.name
            ]
            if not fitting:
                return None
            chosen = fitting[0] if first else max(fitting, key=lambda s: s.num_rows)
        self.streams[which] = chosen.name
        px4 = conventions.get("px4")
        return chosen if chosen.convention == px4 else convert_stream(chosen, px4)

    def add(
        self,
        stream: Stream,
        bad: dict[str, Array],
        kind: str,
        value: Array,
        variance: Array,
        *,
        delay: float = 0.0,
    ) -> Array:
        """Add rows as measurements, but for those that are bad, by what is, and say which those are that were added.

        Value and variance have up to three columns.
        """
        keep = np.ones(stream.num_rows, dtype=np.bool_)
        reasons: list[str] = []
        for reason, rows_of_it in bad.items():
            if new := int(np.count_nonzero(keep & rows_of_it)):
                reasons.append(f"{new} {reason}")
            keep &= np.logical_not(rows_of_it)
        count = int(np.count_nonzero(keep))
        if reasons:
            left = f"{len(keep) - count} of {len(keep)} rows hold no {kind} that can be used"
            message = f"{left}: {', '.join(reasons)}"
            self.notices.append(Notice("left-out", message, stream.name, len(keep) - count))
        rows = np.zeros(count, dtype=MEASUREMENT)
        rows["kind"] = KINDS[kind]
        arrival = stream.time[keep]
        rows["time"] = arrival - round(delay / _NANO)
        if stream.has("time_sample"):
            sampled = stream.column("time_sample")[keep].astype(np.int64)
            sane = (sampled > 0) & (sampled <= arrival) & (arrival - sampled < _OLDEST)
            rows["time"] = np.where(sane, sampled, rows["time"])
        for name, numbers in (("value", value), ("variance", variance)):
            kept = np.atleast_2d(numbers.T).T[keep]
            rows[name][:, : kept.shape[1]] = kept
        rows["arm"] = self.sources.antenna
        self.rows.append(rows)
        self.arrivals.append(arrival)
        return keep

    def gnss(self) -> None:
        sources = self.sources
        stream = self.stream("gnss", _is_receiver, first=True)
        if stream is None:
            return
        n, delay = stream.num_rows, sources.gnss_delay
        # Of a receiver's kinds of fix, 2 is one in the plane: its height is that of the last one in space, or anything.
        fix = stream.column("fix") if stream.has("fix") else np.full(n, 3)
        if stream.has("geodetic") and sources.uses("gnss_position"):
            places = stream.array("geodetic").astype(np.float64)
            height = _height(stream)
            across = _accuracy(stream, "eph", sources.position_sigma)
            up = _accuracy(stream, "epv", 2.0 * sources.position_sigma)
            noise = PositionNoise.horizontal_vertical(across, up)
            if (said := _variances(stream, "position_covariance")) is not None:
                noise = PositionNoise.from_variance(np.where(said > 0.0, said, noise.variance))
            noise = noise.clamped(sources.position_bounds)
            bad = {_NO_FIX: np.logical_not(fix >= 2)}
            unknown = np.isnan(height) | (fix == 2)
            if stream.has("position_valid") and sources.trust_flags:
                across_valid, height_valid = (stream.array("position_valid") != 0).T
                bad[_FLAGGED] = np.logical_not(across_valid)
                unknown |= np.logical_not(height_valid)
            height = np.where(unknown, np.nan, height)  # the filter takes such a fix in the plane alone
            bad[_NO_NUMBER] = np.logical_not(_whole(places) & places.any(axis=1)) | np.isinf(height)
            used = self.add(
                stream, bad, "gnss_geodetic", np.column_stack([places, height]), noise.variance, delay=delay
            )
            if flat := int(np.count_nonzero(unknown & used)):
                message = (
                    f"{flat} of {n} fixes have no height that can be used; they count in the plane alone"
                )
                self.notices.append(Notice("flat-fix", message, stream.name, flat))
        moving = stream
        if sources.gnss_velocity is not None:
            moving = self.stream("gnss_velocity", lambda named: named.has("velocity"))
        elif not stream.has("velocity"):
            moving = self.stream("gnss_velocity", _is_beside(stream))
        if moving is not None and sources.uses("gnss_velocity"):
            velocity = moving.array("velocity") * moving.factor("velocity")
            bad = {_NO_SPATIAL_FIX: np.logical_not(fix >= 3)} if moving.num_rows == n else {}
            if moving.has("velocity_valid") and sources.trust_flags:
                bad[_FLAGGED] = (moving.array("velocity_valid") == 0).any(axis=1)
            bad["not finite"] = np.logical_not(_whole(velocity))
            accuracy = _accuracy(moving, "speed_accuracy", sources.velocity_sigma)
            noise = VelocityNoise.from_speed_accuracy(accuracy)
            if (said := _variances(moving, "velocity_covariance")) is not None:
                noise = VelocityNoise.from_variance(np.where(said > 0.0, said, noise.variance))
            noise = noise.clamped(sources.velocity_bounds)
            self.add(moving, bad, "gnss_velocity", velocity, noise.variance, delay=delay)
        if stream.has("heading") and sources.uses("gnss_heading"):
            heading = stream.column("heading").astype(np.float64)
            accuracy = _accuracy(stream, "heading_accuracy", sources.heading_sigma)
            noise = HeadingNoise.from_sigma(accuracy).clamped(sources.heading_bounds)
            none = np.logical_not(np.isfinite(heading))
            if not none.all():
                self.add(stream, {"not finite": none}, "gnss_heading", heading, noise.variance, delay=delay)
        if sources.course is not None and moving is not None:
            rows = moving.num_rows
            noise = HeadingNoise.from_sigma(np.full(rows, sources.course))
            self.add(moving, {}, "course", np.zeros(rows), noise.variance, delay=delay)

    def baro(self) -> None:
        stream = self.stream("baro", lambda s: s.kind == "baro")
        if stream is None:
            return
        if stream.has("altitude"):
            altitude = stream.array("altitude").astype(np.float64) * stream.factor("altitude")
        else:
            pressure = stream.column("pressure").astype(np.float64) * stream.factor("pressure")
            altitude = 44_330.77 * (1.0 - (pressure / 101_325.0) ** 0.1902632)  # ISO 2533, the lowest layer
        sigma = self.sources.baro_sigma
        if sigma is None:
            sigma = max(0.3, float(_scatter(altitude).max()))
        noise = AltitudeNoise.from_sigma(np.full(len(altitude), sigma))
        self.add(
            stream, {"not finite": np.logical_not(np.isfinite(altitude))}, "baro", altitude, noise.variance
        )

    def mag(self) -> None:
        stream = self.stream("mag", lambda s: s.has("magnetic_field"))
        if stream is None:
            return
        body = stream.array("magnetic_field").astype(np.float64) * stream.factor("magnetic_field")
        keep = _whole(body) & body.any(axis=1)
        sigma = self.sources.mag_sigma
        if sigma is None:
            strength = float(np.median(np.linalg.norm(body[keep], axis=1))) if keep.any() else 1.0
            # About half of the field is horizontal in the middle latitudes.
            sigma = min(max(0.1, 2.0 * float(_scatter(body).max()) / strength), 1.0)
        noise = HeadingNoise.from_sigma(np.full(len(body), sigma))
        self.add(stream, {_NO_NUMBER: np.logical_not(keep)}, "mag", body, noise.variance)

    def inputs(self, time: Array, made: Array) -> Inputs:
        """Put all together, in the order of arrival."""
        rows = np.concatenate([*self.rows, np.zeros(0, dtype=MEASUREMENT)])
        arrival = np.concatenate([*self.arrivals, np.zeros(0, dtype=np.int64)])
        order = np.argsort(arrival, kind="stable")
        rows, arrival = rows[order], arrival[order]
        rows["after"] = np.searchsorted(np.maximum.accumulate(time), arrival, side="right")
        return Inputs(time, made, rows, arrival, self.streams, tuple(self.notices))


def _is_imu(stream: Stream) -> bool:
    return stream.has("angular_rate") and stream.has("specific_force")


def _is_receiver(stream: Stream) -> bool:
    # An estimate of the global position has neither a kind of fix nor satellites, and is no measurement.
    return stream.kind == "gnss" and (stream.has("fix") or "global_position" not in stream.name)


def _is_beside(stream: Stream) -> Callable[[Stream], bool]:
    folder = stream.name.rpartition("/")[0]
    return lambda other: bool(folder) and other.has("velocity") and other.name.startswith(f"{folder}/")


def _whole(rows: Array) -> Array:
    """Which rows are finite throughout."""
    finite: Any = np.isfinite(rows).all(axis=1)
    return finite


def _height(stream: Stream) -> Array:
    for group in ("altitude_ellipsoid", "altitude"):
        if stream.has(group):
            height = stream.array(group).astype(np.float64) * stream.factor(group)
            if np.nan_to_num(height).any():
                return height
    return np.full(stream.num_rows, np.nan)


def _accuracy(stream: Stream, group: str, otherwise: float) -> Array:
    """What the stream says of its accuracy; where it says nothing (no such column, zero, NaN), another number."""
    if not stream.has(group):
        return np.full(stream.num_rows, otherwise)
    said = stream.array(group).astype(np.float64)
    return np.where(said > 0.0, said, otherwise)


def _variances(stream: Stream, group: str) -> Array | None:
    """The diagonal of a covariance that the stream has, shape (n, 3)."""
    if not stream.has(group):
        return None
    return stream.array(group).astype(np.float64)[:, [0, 4, 8]]


def _scatter(values: Array) -> Array:
    """σ of what is new from one row to the next, by the median, along each column; rows with no number are left out."""
    rows = values.reshape(len(values), -1)
    rows = rows[_whole(rows)]
    scatter: Any = np.zeros(rows.shape[1])
    if len(rows) > 1:
        with np.errstate(over="ignore"):
            scatter = np.median(np.abs(np.diff(rows, axis=0)), axis=0) * (1.4826 / np.sqrt(2.0))
    return scatter
