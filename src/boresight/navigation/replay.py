"""The filter over a whole log, in one call."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from math import cos, degrees, radians
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boresight.attitude import Attitude
from boresight.errors import DataError, MissingExtraError
from boresight.frames import FRD, NED
from boresight.kernels.filter import KINDS, Run
from boresight.kernels.filter import run as feed
from boresight.logs.convert import convert_stream
from boresight.logs.model import Log, Notice
from boresight.navigation import estimate as estimates
from boresight.navigation.calls import instance, number
from boresight.navigation.config import Config
from boresight.navigation.eskf import Eskf
from boresight.navigation.estimate import Estimate
from boresight.navigation.inputs import Inputs, Sources, inputs_of
from boresight.navigation.origin import Origin, check_year, magnetic_declination, year_of
from boresight.navigation.start import Start, initialize, initialize_from
from boresight.navigation.state import State
from boresight.navigation.window import StaticWindow

__all__ = ["run", "seed_from_log", "start_of"]

Array = NDArray[Any]

_NANO = 1e-9
_UPSIDE_DOWN = radians(150.0)  # between down and the body's own, from where on a start at rest is remarkable
_ANY_SPEED = 20.0  # m/s, σ of a velocity of which nothing is known


def run(
    log: Log,
    config: Config | None = None,
    *,
    sources: Sources | None = None,
    seed: Start | Literal["log"] | None = None,
    rate: float = 25.0,
    covariance: bool = True,
    year: float | None = None,
) -> Estimate:
    """Estimate position, velocity, attitude and biases over a log.

    Parameters
    ----------
    log : Log
        With at least rates and specific forces; what it has of GNSS, barometer and magnetometer is used.
    config : Config, optional
        What the filter is tuned by.
    sources : Sources, optional
        Which streams are used, with which delay and noise.
    seed : Start or "log", optional
        What to start from: `navigation.initialize_from(...)`, or the attitude that the log itself has. Else from the
        beginning of the samples: a static start where they are at rest, else a coarse one.
    rate : float
        States recorded a second, at most; never more than one a sample of the IMU.
    covariance : bool
        Whether the states have their covariances, or the variances alone.
    year : float, optional
        For the magnetic model, with its fraction. Without, the one that the log says, by its receiver (ULog) or by its
        clock where that is one of the calendar (a ROS bag's), else 2025.

    Returns
    -------
    Estimate
        Bad rows of the log are refused by name and counted, and never an error.

    Raises
    ------
    TypeError
        What is given is of another class, as a path for the log (`boresight.read` makes one of it).
    DataError
        The log has no stream of rates and specific forces, or no usable sample in it; or the seed's time is not the log's.
    ConventionError
        The log's convention does not say where north is.
    ConfigError
        A figure of the configuration is out of its bound.
    InitializationError
        No sample was fit to start from.

    Examples
    --------
    >>> from boresight.simulate import simulate
    >>> estimate = run(simulate("flight", seed=1))
    >>> estimate.start.alignment, estimate.stretches()[-1][0]
    (STATIC, 'HEALTHY')
    """
    config, sources = _checked(log, config, sources, seed)
    rate = number("rate", rate, "of states a second")
    year = None if year is None else check_year(year)
    inputs = inputs_of(log, sources, longest_step=config.max_predict_dt)
    notices = list(inputs.notices)
    if isinstance(seed, Start):
        _check_time(seed.time, inputs, config, notices)
        start = seed
    else:
        start = start_of(inputs, config) if seed is None else seed_from_log(log, inputs, config)
        notices += _upside_down(start, inputs)
    every = _every(inputs.imu_time, rate)
    if year is None and (inputs.measurements["kind"] == KINDS["mag"]).any():
        year = _own_year(log, start.time, notices)
    return run_inputs(
        inputs, start, config, every=every, covariance=covariance, year=year, notices=notices, log=log
    )


def _checked(
    log: object, config: Config | None, sources: Sources | None, seed: object
) -> tuple[Config, Sources]:
    """Refuse what is of another class; return configuration and sources, the default ones where there are none."""
    instance("the log", log, Log, "a Log: boresight.read(path)")
    config = Config() if config is None else config
    instance("the configuration", config, Config, "a Config")
    sources = Sources() if sources is None else sources
    instance("sources", sources, Sources, "a Sources")
    if seed is not None and not (isinstance(seed, str) and seed == "log"):
        if isinstance(seed, str):
            raise TypeError(
                f'the seed is {seed!r}; give a Start of navigation.initialize_from(...), or "log"'
            )
        instance("the seed", seed, Start, 'a Start of navigation.initialize_from(...), or "log"')
    return config.validate(), sources


def _check_time(time: int, inputs: Inputs, config: Config, notices: list[Notice]) -> None:
    """Refuse a seed whose time the filter does not get away from, and say where it has to coast to the first sample."""
    own = inputs.imu_time
    if not len(own):
        return
    first, last = int(own.min()), int(own.max())
    if time >= last:
        raise DataError(
            f"the seed's time is {time}, with no IMU sample after it",
            advice=f"the log's samples go from {first} to {last} ns",
        )
    early = (first - time) * _NANO
    if early <= config.max_predict_dt:
        return
    reach = config.max_predict_dt if config.coast is None else config.coast.limit
    said = f"the seed's time is {time}, {early:.3g} s before the first IMU sample, {first} ns"
    if early > reach:
        raise DataError(said, advice=f"the filter goes across {reach:g} s at most")
    notices.append(Notice("early-seed", f"{said}; the filter coasts to it"))


def run_inputs(
    inputs: Inputs,
    start: Start,
    config: Config,
    *,
    every: int = 1,
    covariance: bool = True,
    year: float | None = None,
    notices: list[Notice] | None = None,
    log: Log | None = None,
) -> Estimate:
    """Run the filter over what was gathered, from a start on; what lies before the start is left out."""
    notices = [] if notices is None else notices
    inputs = _after(inputs, start.time)
    filter_ = Eskf(config, year=year)
    filter_.load(start)
    native = filter_.native
    # Without a magnetometer the declination changes nothing.
    pause = config.declination is None and bool((inputs.measurements["kind"] == KINDS["mag"]).any())
    result: Run | None = None
    while result is None or not result.done:
        if result is not None and filter_.origin is not None:
            native.set_declination(_declination(filter_.origin, year, notices), False)
        result = feed(
            native,
            inputs.imu_time,
            inputs.imu,
            inputs.measurements,
            every=every,
            full_covariance=covariance,
            pause_at_origin=pause,
            result=result,
        )
    return estimates.make(
        inputs, result, start, filter_, notices=tuple(notices), path=None if log is None else log.path
    )


def start_of(inputs: Inputs, config: Config) -> Start:
    """Start from the beginning of a log: from as many seconds of it as a static start takes."""
    if not len(inputs.imu_time):
        raise DataError("the stream of the IMU has no two samples")
    until = int(inputs.imu_time[0]) + round(config.initialization.duration / _NANO)
    return initialize(_window(inputs, until), config)


def _upside_down(start: Start, inputs: Inputs) -> list[Notice]:
    """Remark on a start at rest that stands on its back.

    Few vehicles do, but every one whose axes are FLU and taken for FRD; what comes later may go on agreeing with it.
    """
    attitude = start.state.attitude
    if not start.alignment.is_static or float(attitude.rotation.as_matrix()[2, 2]) > cos(_UPSIDE_DOWN):
        return []
    roll = abs(degrees(float(attitude.euler_angles()[0])))
    said = (
        f"the vehicle starts upside down (roll {roll:.0f} deg): is the IMU in FLU axes, or its acceleration of the other "
        "sign? run `boresight diagnose`"
    )
    return [Notice("upside-down", said, inputs.streams.get("imu"))]


def _window(inputs: Inputs, until: int) -> StaticWindow:
    """Fold in what arrived up to a time."""
    window = StaticWindow()
    count = max(int(np.searchsorted(inputs.imu_time, until, side="right")), 1)
    time, imu = inputs.imu_time[:count], inputs.imu[:count]
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, force = imu[:, 0:3] / imu[:, 3:4], imu[:, 4:7] / imu[:, 7:8]
    window.extend_imu(time, rate, force, interval=imu[:, 3], frame=FRD)
    rows = inputs.measurements[inputs.arrival <= until]
    kinds = rows["kind"]
    fields = rows[kinds == KINDS["mag"]]
    window.add_magnetic_field(fields["time"], fields["value"], frame=FRD)
    window.add_altitude(rows["value"][kinds == KINDS["baro"], 0])
    velocities = rows[kinds == KINDS["gnss_velocity"]]
    window.add_velocity(velocities["time"], velocities["value"], frame=NED)
    return window


def seed_from_log(log: Log, inputs: Inputs, config: Config) -> Start:
    """Start from the first attitude that the log itself has, in the log's own convention.

    Only the attitude is taken from it, as well as an autopilot knows one (1° of tilt, 5° of heading). Positions count
    from where the vehicle is then, so that a barometer has its reference at once; it may go at 20 m/s in any direction
    until a first velocity is adopted.

    Raises
    ------
    DataError
        The log has no orientation after its first IMU sample.
    """
    from boresight import conventions

    stream = log.primary("orientation", "pose")
    if stream is None:
        raise DataError("the log has no attitude to start from", path=log.path)
    px4 = conventions.get("px4")
    if stream.convention != px4:
        stream = convert_stream(stream, px4)
    usable: Any = np.logical_not(stream.invalid_rows()) & (stream.time >= inputs.imu_time[0])
    row = int(usable.argmax()) if len(usable) else 0
    if not usable.any():
        raise DataError(
            "no attitude comes after the first IMU sample", path=log.path, place=f"stream {stream.name}"
        )
    attitude = Attitude.from_rotation(stream.rotation()[row].between(FRD, NED))
    # Taken at the IMU sample before it: at any rate less than a degree from there.
    moment = int(stream.time[row])
    at = max(int(np.searchsorted(inputs.imu_time, moment, side="right")) - 1, 0)
    own = config.initialization
    tilt, heading = radians(1.0), radians(5.0)
    sigma = np.repeat([own.position, _ANY_SPEED, tilt, own.accel_bias, own.gyro_bias], 3)
    start = initialize_from(State(attitude), np.square(sigma), int(inputs.imu_time[at]))
    matrix = attitude.rotation.as_matrix()
    covariance = start.covariance.copy()
    covariance[6:9, 6:9] = matrix.T @ np.diag([tilt**2, tilt**2, heading**2]) @ matrix
    return dataclasses.replace(start, covariance=covariance, velocity_established=False)


def _after(inputs: Inputs, time: int) -> Inputs:
    """What comes after a time; measurements that had arrived by then are left out."""
    first = int(np.searchsorted(np.maximum.accumulate(inputs.imu_time), time, side="right"))
    late = inputs.arrival > time
    rows = inputs.measurements[late].copy()
    rows["after"] = np.maximum(rows["after"] - first, 0)
    return dataclasses.replace(
        inputs,
        imu_time=np.ascontiguousarray(inputs.imu_time[first:]),
        imu=np.ascontiguousarray(inputs.imu[first:]),
        measurements=rows,
        arrival=inputs.arrival[late],
    )


def _every(time: NDArray[np.int64], rate: float) -> int:
    if not rate > 0.0:
        raise DataError(f"{rate:g} states a second cannot be recorded", advice="give a positive rate")
    step = float(np.median(np.diff(time))) * _NANO if len(time) > 1 else 1.0
    return max(int(np.ceil(1.0 / (rate * max(step, _NANO)) - 1e-6)), 1)


def _own_year(log: Log, time: int, notices: list[Notice]) -> float | None:
    # Where no receiver has said it, the clock of a bag is that of the calendar.
    with suppress(KeyError, ValueError):
        time = int(np.datetime64(log.metadata["gnss_utc"], "s").astype(np.int64)) * 1_000_000_000
    year, covered = year_of(time)
    if year is not None and covered is not None and year != covered:
        said = f"the log is of {year:.1f} by its clock, which the magnetic model does not cover; it is taken for {covered:g}"
        notices.append(Notice("year", said))
    return covered


def _declination(origin: Origin, year: float | None, notices: list[Notice]) -> float:
    try:
        return magnetic_declination(*origin.place, year)
    except MissingExtraError as error:
        message = f"the declination is taken for zero: {error}"
        notices.append(Notice("no-declination", message))
        return 0.0
