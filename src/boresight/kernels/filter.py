"""The navigation filter in native code: one call a sample or measurement, or one for a whole log.

Everything here is FRD, NED, SI units, radians and whole nanoseconds, and nothing is checked twice: `navigation` gives
these numbers their names. A `Filter` is made of a dictionary of figures (`Config.flat()`); its methods are those of
the C++ class, and `run` feeds it arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .. import _native

__all__ = ["KINDS", "MEASUREMENT", "SOURCES", "Filter", "Run", "run"]

_Floats = NDArray[np.float64]
_Codes = NDArray[np.uint8]
_Times = NDArray[np.int64]

Filter = _native.Filter

KINDS: dict[str, int] = {
    "gnss_position": 1,
    "gnss_geodetic": 2,
    "gnss_velocity": 3,
    "baro": 4,
    "mag": 5,
    "gnss_heading": 6,
    "course": 7,
    "stationary": 8,
}
"""The number that says what a measurement is."""

SOURCES: tuple[str, ...] = (
    "gnss_position",
    "gnss_height",
    "gnss_velocity",
    "baro",
    "mag",
    "gnss_heading",
    "course",
    "stationary",
    "hold",
    "yaw_estimator",
)
"""What the diagnostics tell apart, in order: a position has two halves, and two sources are the filter's own."""

MEASUREMENT = np.dtype(
    [
        ("time", "i8"),
        ("after", "i8"),
        ("kind", "i8"),
        ("value", "f8", (3,)),
        ("variance", "f8", (3,)),
        ("arm", "f8", (3,)),
    ]
)
"""One measurement of a log: when it was taken, after how many IMU samples it came in, what it is, its numbers."""


@dataclass(slots=True)
class Run:
    """What a filter made of a log. Of `n` samples, `m` measurements and `r` records, one for every so many samples.

    Attributes
    ----------
    propagation : ndarray of uint8, shape (n,)
        What became of each sample.
    fusion : ndarray of uint8, shape (m, 2)
        What became of each measurement; the second column is the height of positions, and 255 for all others.
    test_ratio : ndarray, shape (m, 2)
        As in `fusion`. NaN for what never got to a gate.
    innovation, innovation_variance : ndarray, shape (m, 3)
        Likewise; the variances are the diagonal of S.
    time : ndarray of int64, shape (r,)
    state : ndarray, shape (r, 16)
        Position, velocity, attitude (xyzw), accelerometer and gyro bias.
    variance : ndarray, shape (r, 15)
    covariance : ndarray, shape (r, 15, 15), or None
        Where it was asked for; `variance` is then its diagonal.
    attitude_variance : ndarray, shape (r, 3)
        About north, east and down.
    status, validity : ndarray of uint8, shape (r,)
    baro_reference : ndarray, shape (r,)
        NaN while there is none.
    done : bool
        False where the run has stopped at the measurement that placed the origin: call `run` with it again.
    next : tuple of three int
        How many samples, measurements and records are done.
    """

    propagation: _Codes
    fusion: _Codes
    test_ratio: _Floats
    innovation: _Floats
    innovation_variance: _Floats
    time: _Times
    state: _Floats
    variance: _Floats
    covariance: _Floats | None
    attitude_variance: _Floats
    status: _Codes
    validity: _Codes
    baro_reference: _Floats
    done: bool = False
    next: tuple[int, int, int] = field(default=(0, 0, 0))


def _new(samples: int, measurements: int, records: int, full: bool) -> Run:
    covariance = np.empty((records, 15, 15)) if full else None
    return Run(
        propagation=np.empty(samples, np.uint8),
        fusion=np.empty((measurements, 2), np.uint8),
        test_ratio=np.empty((measurements, 2)),
        innovation=np.empty((measurements, 3)),
        innovation_variance=np.empty((measurements, 3)),
        time=np.empty(records, np.int64),
        state=np.empty((records, 16)),
        variance=np.empty((records, 15)) if covariance is None else np.einsum("rii->ri", covariance),
        covariance=covariance,
        attitude_variance=np.empty((records, 3)),
        status=np.empty(records, np.uint8),
        validity=np.empty(records, np.uint8),
        baro_reference=np.empty(records),
    )


def run(
    filter: Filter,
    imu_time: _Times,
    imu: _Floats,
    measurements: NDArray[np.void],
    *,
    every: int = 1,
    full_covariance: bool = False,
    pause_at_origin: bool = False,
    result: Run | None = None,
) -> Run:
    """Feed a filter a whole log. The GIL is released meanwhile.

    Sample i is propagated; then all measurements are fused whose `after` is at most i + 1; then, if i + 1 is a
    multiple of `every`, a record is written.

    Parameters
    ----------
    filter : Filter
        A started one. It goes on from where it is.
    imu_time : ndarray of int64, shape (n,)
        Nanoseconds.
    imu : ndarray, shape (n, 8)
        Angle increment and its interval, velocity increment and its interval.
    measurements : ndarray of `MEASUREMENT`, shape (m,)
        Their `after` must not decrease.
    every : int
    full_covariance : bool
    pause_at_origin : bool
        Stop after the measurement that places the origin, for the declination there to be set.
    result : Run, optional
        A run that paused, to go on with.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        If the arrays do not fit together.
    """
    times = np.ascontiguousarray(imu_time, np.int64)
    values = np.ascontiguousarray(imu, np.float64)
    rows = np.ascontiguousarray(measurements, MEASUREMENT)
    if times.ndim != 1 or values.shape != (len(times), 8) or rows.ndim != 1:
        raise ValueError(
            f"times of shape {times.shape}, samples of {values.shape} and measurements of {rows.shape} are not "
            "(n,), (n, 8) and (m,)"
        )
    if every < 1:
        raise ValueError(f"every must be at least 1, not {every}")
    if len(rows) and (rows["kind"].min() < 1 or rows["kind"].max() > 8 or (np.diff(rows["after"]) < 0).any()):
        raise ValueError("a measurement is of no known kind, or comes in before the one above it")
    out = _new(len(times), len(rows), len(times) // every, full_covariance) if result is None else result
    out.done, *done = filter.run(
        times,
        values,
        rows.view(np.uint8).reshape(len(rows), MEASUREMENT.itemsize),
        every,
        out.covariance is not None,
        pause_at_origin,
        *out.next,
        out.propagation,
        out.fusion.reshape(-1),
        out.test_ratio.reshape(-1),
        out.innovation.reshape(-1),
        out.innovation_variance.reshape(-1),
        out.time,
        out.state.reshape(-1),
        (out.variance if out.covariance is None else out.covariance).reshape(-1),
        out.attitude_variance.reshape(-1),
        out.status,
        out.validity,
        out.baro_reference,
    )
    out.next = (done[0], done[1], done[2])
    return out
