"""A window of samples, and what it shows: means, peaks, spreads.

Samples come one at a time or in arrays. What cannot be used is refused by name and counted, and leaves the window as it
was. Nothing is judged here: whether the window was at rest is for `start` to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from math import sqrt
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.frames import FrameLike
from boresight.navigation.calls import number, numbers, rows, vector
from boresight.navigation.framed import body_axial, body_polar, earth_polar
from boresight.navigation.moments import moments

__all__ = ["Half", "SampleRefusal", "StaticWindow", "Summary"]

Array = NDArray[Any]
Times = NDArray[np.int64]

_NANO = 1e-9
_BLOCK = 0.05  # s, of the blocks from which the noise of the mean rate is taken
_FEWEST_BLOCKS = 4


class SampleRefusal(Enum):
    """Why a sample is not in the window."""

    NOT_FINITE = "a number that is not finite"
    INVALID_INTERVAL = "an interval that is not positive"
    INVALID_STEP = "a time that does not follow the one before"


@final
@dataclass(frozen=True, slots=True)
class Half:
    """Means over half of the window; None of what it does not have."""

    force: Array | None
    field: Array | None


@final
@dataclass(frozen=True, slots=True)
class Summary:
    """What a window shows.

    Attributes
    ----------
    time : int
        Nanoseconds, of the last sample.
    count : int
        IMU samples.
    span : float
        Seconds that they stand for.
    rate, force : array, shape (3,)
        Means, rad/s and m/s², FRD.
    force_covariance : array, shape (3, 3)
        Of the single specific forces.
    peak_rate, peak_deviation, peak_speed : float
        The largest rate (rad/s), specific force off gravity (m/s²) and speed (m/s, NaN without velocities).
    acceleration : float
        m/s², the mean change of the velocity; zero of less than two.
    field : array, shape (3,), or None
        Mean magnetic field, FRD, in the unit that it came in.
    baro_reference : tuple of two floats, or None
        Mean of the altitudes, m, and the variance of that mean; None where less than two came.
    halves : two of Half
        The first and the second half of the IMU's samples.
    """

    time: int
    count: int
    span: float
    rate: Array
    force: Array
    force_covariance: Array
    peak_rate: float
    peak_deviation: float
    peak_speed: float
    acceleration: float
    field: Array | None
    baro_reference: tuple[float, float] | None
    halves: tuple[Half, Half]
    blocks: tuple[Array, Array]

    def rate_variance(self, density: float) -> Array:
        """Variance of the mean rate along each axis, shape (3,).

        From blocks of 50 ms, whose integrals show vibration and slow noise that single samples hide: with J blocks B_j
        of T_j, N² = (Σ B_j²/T_j − (Σ B_j)²/Σ T_j)/(J − 1), and the variance is N²/T times (J − 1)/(J − 3), what
        Student's t costs. With fewer than four blocks, `density`²/T.
        """
        turned, lasting = self.blocks
        many = len(lasting)
        if many < _FEWEST_BLOCKS:
            return np.full(3, density**2 / self.span)
        total = lasting.sum()
        squares = (turned**2 / lasting[:, None]).sum(axis=0) - turned.sum(axis=0) ** 2 / total
        return np.maximum(squares, 0.0) / (many - 1) / self.span * (many - 1) / (many - 3)


@final
class StaticWindow:
    """Samples from which a filter starts.

    Methods that add return None, or the `SampleRefusal` of a sample that was left out; those that add arrays return how
    often each happened. `refused` counts them all.

    Examples
    --------
    >>> from boresight import frames
    >>> window = StaticWindow()
    >>> window.add_imu(0, [0.0, 0.0, 0.0], [0.0, 0.0, -9.8], interval=0.01, frame=frames.FRD)
    >>> window.add_imu(0, [0.0, 0.0, 0.0], [0.0, 0.0, -9.8], interval=0.01, frame=frames.FRD)
    <SampleRefusal.INVALID_STEP: 'a time that does not follow the one before'>
    >>> len(window), window.refused
    (1, Counter({<SampleRefusal.INVALID_STEP: 'a time that does not follow the one before'>: 1}))
    """

    def __init__(self) -> None:
        self.refused: Counter[SampleRefusal] = Counter()
        self.last_refusal: SampleRefusal | None = None
        self._last: int | None = None
        self._imu: list[tuple[Times, Array, Array, Array, Array]] = []
        self._fields: list[tuple[Times, Array]] = []
        self._altitudes: list[Array] = []
        self._velocities: list[tuple[Times, Array]] = []

    def __len__(self) -> int:
        return sum(len(part[0]) for part in self._imu)

    # -- in -----------------------------------------------------------------------------------------------------

    def add_imu(
        self,
        time: int,
        rate: ArrayLike,
        specific_force: ArrayLike,
        *,
        frame: FrameLike,
        interval: float | None = None,
    ) -> SampleRefusal | None:
        """Add a sample of mean rate (rad/s) and specific force (m/s²) over the interval (s) that ends at `time` (ns).

        Without an interval it is the time since the sample before; the first sample then stands for nothing, and only
        its time counts.
        """
        return self._only(
            self.extend_imu(
                [time],
                vector("rate", rate, "rad/s")[None],
                vector("specific_force", specific_force, "m/s²")[None],
                interval=None if interval is None else [number("interval", interval, "s")],
                frame=frame,
            )
        )

    def add_imu_delta(
        self,
        time: int,
        delta_angle: ArrayLike,
        angle_interval: float,
        delta_velocity: ArrayLike,
        velocity_interval: float,
        *,
        frame: FrameLike,
    ) -> SampleRefusal | None:
        """Add a sample of integrals: rad and m/s, each over an interval (s) of its own that ends at `time` (ns)."""
        turn = body_axial(vector("delta_angle", delta_angle, "rad")[None], frame)
        push = body_polar(vector("delta_velocity", delta_velocity, "m/s")[None], frame)
        turn_time = np.array([number("angle_interval", angle_interval, "s")])
        push_time = np.array([number("velocity_interval", velocity_interval, "s")])
        return self._only(self._extend(moments([time]), turn, turn_time, push, push_time))

    def extend_imu(
        self,
        time: ArrayLike,
        rate: ArrayLike,
        specific_force: ArrayLike,
        *,
        frame: FrameLike,
        interval: ArrayLike | None = None,
    ) -> Mapping[SampleRefusal, int]:
        """Add samples as `add_imu` does, shapes (n,), (n, 3), (n, 3) and (n,), or one interval for all."""
        moment = moments(time)
        if moment.ndim != 1:
            raise ValueError(f"time has shape {moment.shape}; give (n,), a time for each sample")
        turn = body_axial(rows("rate", rate, len(moment), "rad/s"), frame)
        push = body_polar(rows("specific_force", specific_force, len(moment), "m/s²"), frame)
        if interval is None:
            before = moment[:1] if self._last is None else np.array([self._last])
            interval = np.diff(moment, prepend=before) * _NANO
            if self._last is None and len(moment):
                self._last = int(moment[0])
                moment, turn, push, interval = moment[1:], turn[1:], push[1:], interval[1:]
            lasting = np.asarray(interval, dtype=np.float64)
        else:
            lasting = numbers("interval", interval, "a number, s, or one for each sample")
            if lasting.shape not in ((), moment.shape):
                raise ValueError(f"interval has shape {lasting.shape}; give one, or {moment.shape}")
            lasting = np.broadcast_to(lasting, moment.shape)
        with np.errstate(invalid="ignore"):
            return self._extend(moment, turn * lasting[:, None], lasting, push * lasting[:, None], lasting)

    def add_magnetic_field(
        self, time: ArrayLike, field: ArrayLike, *, frame: FrameLike
    ) -> SampleRefusal | None:
        """Add a magnetic field in any unit, shape (3,), or fields (n, 3) with times (n,)."""
        moment = np.atleast_1d(moments(time))
        fields = body_polar(rows("field", field, len(moment), "in any unit"), frame)
        good = np.isfinite(fields).all(axis=-1)
        self._fields.append((moment[good], fields[good]))
        return self._not_finite(good)

    def add_altitude(self, altitude: ArrayLike) -> SampleRefusal | None:
        """Add a barometer's altitude, up, m; or several."""
        altitudes = np.atleast_1d(numbers("altitude", altitude, "numbers, m"))
        good = np.isfinite(altitudes)
        self._altitudes.append(altitudes[good])
        return self._not_finite(good)

    def add_velocity(self, time: ArrayLike, velocity: ArrayLike, *, frame: FrameLike) -> SampleRefusal | None:
        """Add a velocity (m/s), shape (3,), or velocities (n, 3) with times (n,).

        They tell whether the vehicle stands, and, of one that does not, how much of the specific force is acceleration
        and no gravity.
        """
        moment = np.atleast_1d(moments(time))
        velocities = earth_polar(rows("velocity", velocity, len(moment), "m/s"), frame)
        good = np.isfinite(velocities).all(axis=1)
        self._velocities.append((moment[good], velocities[good]))
        return self._not_finite(good)

    def _extend(
        self, time: Any, turn: Array, turn_interval: Any, push: Array, push_interval: Any
    ) -> Mapping[SampleRefusal, int]:
        # An interval that is no number has spoilt its increments, and is said to be an interval.
        timed = np.isfinite(turn_interval + push_interval)
        finite = (np.isfinite(turn).all(axis=1) & np.isfinite(push).all(axis=1)) | ~timed
        lasting = (turn_interval > 0.0) & (push_interval > 0.0) & np.isfinite(turn_interval + push_interval)
        usable = finite & lasting
        # A sample has to come after all that were taken before it.
        latest = np.iinfo(np.int64).min if self._last is None else self._last
        reached = np.maximum.accumulate(np.where(usable, time, latest)) if len(time) else time
        before = np.concatenate([[latest], reached[:-1]])[: len(time)]
        following = time > np.maximum(before, latest)
        good = usable & following
        refused = Counter(
            {
                SampleRefusal.NOT_FINITE: int(np.count_nonzero(~finite)),
                SampleRefusal.INVALID_INTERVAL: int(np.count_nonzero(finite & ~lasting)),
                SampleRefusal.INVALID_STEP: int(np.count_nonzero(usable & ~following)),
            }
        )
        refused = +refused
        self._count(refused)
        if good.any():
            part = (
                np.asarray(time[good], dtype=np.int64),
                turn[good],
                np.asarray(turn_interval[good], dtype=np.float64),
                push[good],
                np.asarray(push_interval[good], dtype=np.float64),
            )
            self._imu.append(part)
            self._last = int(part[0][-1])
        return refused

    def _not_finite(self, good: Any) -> SampleRefusal | None:
        bad = int(np.count_nonzero(~good))
        if not bad:
            return None
        self._count(Counter({SampleRefusal.NOT_FINITE: bad}))
        return SampleRefusal.NOT_FINITE

    def _count(self, refused: Counter[SampleRefusal]) -> None:
        self.refused.update(refused)
        for reason in refused:
            self.last_refusal = reason

    @staticmethod
    def _only(refused: Mapping[SampleRefusal, int]) -> SampleRefusal | None:
        return next(iter(refused), None)

    # -- out ----------------------------------------------------------------------------------------------------

    def summary(self, gravity: float) -> Summary | None:
        """Return what the window shows; None where it has no IMU sample."""
        if not len(self):
            return None
        columns = tuple(np.concatenate(parts) for parts in zip(*self._imu, strict=True))
        time, turn, turn_time, push, push_time = columns
        count = len(time)
        forces, rates = push / push_time[:, None], turn / turn_time[:, None]
        force = push.sum(axis=0) / push_time.sum()
        away = forces - forces.mean(axis=0)
        span = float(turn_time.sum())
        altitudes = np.concatenate([*self._altitudes, np.empty(0)])
        reference = None
        if len(altitudes) >= 2:
            spread = float(np.var(altitudes, ddof=1)) / len(altitudes)
            reference = float(altitudes.mean()), max(spread, 1e-6)  # no less than the filter's own floor
        when, velocities = _joined(self._velocities)
        moments, fields = _joined(self._fields)
        middle = count // 2
        early = moments < time[middle] if middle else np.zeros(len(moments), dtype=np.bool_)
        halves = (
            Half(_mean(push[:middle], push_time[:middle]), _mean_row(fields[early])),
            Half(_mean(push[middle:], push_time[middle:]), _mean_row(fields[~early])),
        )
        # A block ends with the sample that fills it.
        ends = np.floor((np.cumsum(turn_time) - 0.5 * turn_time) / _BLOCK)
        starts = np.flatnonzero(np.diff(ends, prepend=-1.0))
        return Summary(
            time=int(time[-1]),
            count=count,
            span=span,
            rate=turn.sum(axis=0) / span,
            force=force,
            force_covariance=away.T @ away / max(count - 1, 1),
            peak_rate=sqrt(float((rates**2).sum(axis=1).max())),
            peak_deviation=float(np.abs(np.linalg.norm(forces, axis=1) - gravity).max()),
            peak_speed=float(np.linalg.norm(velocities, axis=1).max()) if len(velocities) else float("nan"),
            acceleration=_acceleration(when, velocities),
            field=_mean_row(fields),
            baro_reference=reference,
            halves=halves,
            blocks=(np.add.reduceat(turn, starts), np.add.reduceat(turn_time, starts)),
        )


def _joined(parts: list[tuple[Times, Array]]) -> tuple[Times, Array]:
    times = [*(part[0] for part in parts), np.empty(0, dtype=np.int64)]
    return np.concatenate(times), np.concatenate([*(part[1] for part in parts), np.empty((0, 3))])


def _acceleration(time: Times, velocity: Array) -> float:
    if len(time) < 2:
        return 0.0
    first, last = int(time.argmin()), int(time.argmax())
    lasting = float(time[last] - time[first]) * _NANO
    return float(np.linalg.norm(velocity[last] - velocity[first])) / lasting if lasting > 0.0 else 0.0


def _mean(sums: Array, times: Array) -> Array | None:
    return sums.sum(axis=0) / times.sum() if len(times) else None


def _mean_row(rows: Array) -> Array | None:
    return rows.mean(axis=0) if len(rows) else None
