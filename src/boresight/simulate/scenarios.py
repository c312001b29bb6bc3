"""Scenarios: everything that a simulated log depends on, as data.

A scenario is a path, a place and the sensors on board. A variant is a `replace` away: another receiver, an
outage, no magnetometer, a log that starts in mid-flight.

>>> flight = get("flight")
>>> no_compass = flight.replace(name="no-compass", magnetometer=None)
>>> outage = flight.replace(name="outage", gnss=Gnss(outages=((20.0, 40.0),)))
>>> moving = flight.replace(name="moving", start=18.0)
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from math import radians
from typing import Any

from boresight.errors import DataError
from boresight.simulate.segments import Course, FigureEight, Go, Rest, Segment
from boresight.simulate.sensors import Barometer, Estimate, Field, Gnss, Imu, Magnetometer
from boresight.simulate.trajectories import Trajectory, Vehicle

__all__ = [
    "CORRELATED",
    "DRIVE",
    "FLIGHT",
    "MISSION",
    "MOVING",
    "NO_MAGNETOMETER",
    "OUTAGE",
    "WRONG_SEED",
    "Place",
    "Scenario",
    "get",
    "names",
]


# What is on board unless a scenario says otherwise.
_IMU, _GNSS, _BAROMETER, _MAGNETOMETER, _ESTIMATE = Imu(), Gnss(), Barometer(), Magnetometer(), Estimate()


@dataclass(frozen=True)
class Place:
    """Where on earth the origin is, and what the field and the geoid are like there."""

    latitude: float  # degrees
    longitude: float  # degrees
    altitude: float  # m above mean sea level
    geoid: float  # m of the geoid above the ellipsoid
    field: Field


@dataclass(frozen=True)
class Scenario:
    """One simulated run.

    Attributes
    ----------
    name, description : str
        What it is called, and what happens, in a line.
    vehicle : {"multirotor", "ground"}
        What decides the attitude along the path.
    before, again, after : tuple of Segment
        The path: `again` is gone through as often as the duration has room for (at least once) and must end
        where it began, or may drift.
    heading : float
        At the start, degrees clockwise from north.
    start : float
        Seconds of the path that are over when the log begins.
    place : Place
        The origin of positions.
    imu, gnss, barometer, magnetometer, estimate
        What is on board, None for what is not.
    attitude_truth_rate, position_truth_rate : float
        Hz of the two streams of truth.
    gravity : float
        m/s2.
    boot : float
        Seconds on the vehicle's clock when the log begins.

    """

    name: str
    description: str
    vehicle: Vehicle
    before: tuple[Segment, ...]
    again: tuple[Segment, ...]
    after: tuple[Segment, ...]
    heading: float
    place: Place
    start: float = 0.0
    imu: Imu | None = _IMU
    gnss: Gnss | None = _GNSS
    barometer: Barometer | None = _BAROMETER
    magnetometer: Magnetometer | None = _MAGNETOMETER
    estimate: Estimate | None = _ESTIMATE
    attitude_truth_rate: float = 25.0
    position_truth_rate: float = 5.0
    gravity: float = 9.80665
    boot: float = 10.0

    def replace(self, **changes: Any) -> Scenario:
        """Return the scenario with some of its parts replaced."""
        return dataclasses.replace(self, **changes)

    @property
    def duration(self) -> float:
        """Seconds from where the log begins to the end of the path, gone through once."""
        return sum(s.duration for s in (*self.before, *self.again, *self.after)) - self.start

    def trajectory(self, duration: float | None = None) -> Trajectory:
        """Return the path, long enough for a log of `duration` seconds."""
        once = sum(s.duration for s in self.again)
        room = 0.0 if duration is None else duration - self.duration
        laps = 1 + max(int((room + 1e-9) // once), 0) if once > 0.0 else 1
        segments = (*self.before, *(self.again * laps), *self.after)
        return Trajectory(segments, self.vehicle, heading=radians(self.heading), gravity=self.gravity)


ZURICH = Place(47.3977, 8.5456, altitude=488.0, geoid=47.3, field=Field(3.2, 63.3, 0.486))

FLIGHT = Scenario(
    name="flight",
    description="a multirotor takes off, flies a figure of eight, hovers and lands",
    vehicle="multirotor",
    before=(Rest(4.0), Go(7.0, down=-12.0), Rest(1.0)),
    again=(FigureEight(24.0, length=40.0, width=24.0, climb=3.0, turn=360.0), Rest(2.0)),
    after=(Go(7.0, north=9.0, east=-6.0, turn=-60.0), Rest(3.0), Go(9.0, down=12.0), Rest(3.0)),
    heading=30.0,
    place=ZURICH,
)

# A block of streets, control points some 12 m apart, clockwise: it starts along the nose and comes back to
# it.
_BLOCK = (
    *((12.0 * i, 0.0, 0.0) for i in range(8)),
    *((96.0, 12.0 * i, -0.5 * i) for i in range(1, 7)),
    *((84.0 - 12.0 * i, 84.0, -3.0) for i in range(3)),
    (48.0, 72.0, -3.0),  # a bend to the left
    (36.0, 72.0, -3.0),
    (24.0, 84.0, -3.0),
    *((12.0 - 12.0 * i, 84.0, -3.0) for i in range(3)),
    *((-24.0, 72.0 - 12.0 * i, -2.5 + 0.5 * i) for i in range(6)),
    (-12.0, 0.0, 0.0),
)

DRIVE = Scenario(
    name="drive",
    description="a car stands, drives around a block with hills and bends, and stops",
    vehicle="ground",
    before=(Rest(5.0),),
    again=(Course(65.0, _BLOCK, closed=True), Rest(3.0)),
    after=(Rest(2.0),),
    heading=75.0,
    place=ZURICH,
    imu=Imu(rate=100.0),
    gnss=Gnss(horizontal=0.5, vertical=1.0, speed=0.1, wander=0.5),
)

# What a filter is held against: a brisk mission of three minutes over 240 m by 160 m, up to 22 m/s, after five seconds
# at rest, with a good small IMU and an ordinary receiver; and what is made worse of it, one thing at a time.
MISSION = Scenario(
    name="mission",
    description="a multirotor stands, then flies three wide figures of eight with climbs at up to 22 m/s",
    vehicle="multirotor",
    before=(Rest(5.0),),
    again=(FigureEight(180.0, length=240.0, width=160.0, laps=3, climb=40.0, turn=540.0, ramp=0.05),),
    after=(),
    heading=35.0,
    place=ZURICH,
    imu=Imu(
        rate=200.0,
        gyro_noise=2.6e-4,
        gyro_bias=2.4e-3,
        gyro_walk=1e-5,
        accel_noise=2e-3,
        accel_bias=4.6e-2,
        accel_walk=1e-4,
    ),
    gnss=Gnss(rate=5.0, horizontal=0.9, vertical=1.8, speed=0.15),
    barometer=Barometer(rate=20.0, noise=0.35, offset=1.0, drift=0.02),
    magnetometer=Magnetometer(rate=20.0, noise=0.012, bias=0.0),
)
OUTAGE = MISSION.replace(
    name="outage",
    description="the mission, without GNSS for 20 s at its fastest",
    gnss=Gnss(rate=5.0, horizontal=0.9, vertical=1.8, speed=0.15, outages=((60.0, 80.0),)),
)
MOVING = MISSION.replace(
    name="moving",
    description="the mission, from the middle of the flight on",
    start=30.0,
)
NO_MAGNETOMETER = MISSION.replace(
    name="no-magnetometer",
    description="the mission, without a magnetometer",
    magnetometer=None,
)
CORRELATED = MISSION.replace(
    name="correlated",
    description="the mission, with GNSS errors that last for seconds",
    gnss=Gnss(
        rate=5.0,
        horizontal=0.0,
        vertical=0.0,
        speed=0.0,
        wander=0.9,
        wander_time=8.5,
        wander_vertical=2.0,
        wander_vertical_time=37.0,
        speed_wander=0.15,
        speed_wander_time=0.5,
    ),
)

WRONG_SEED = MISSION.replace(
    name="wrong-seed",
    description="the mission from mid-flight on; the vehicle stores its attitude as FLU to ENU where the log says PX4",
    start=30.0,
    estimate=Estimate(stored="ros"),
)

_READY = {
    scenario.name: scenario
    for scenario in (FLIGHT, DRIVE, MISSION, OUTAGE, MOVING, NO_MAGNETOMETER, CORRELATED, WRONG_SEED)
}


def names() -> tuple[str, ...]:
    """Names of the ready scenarios."""
    return tuple(_READY)


def get(name: str) -> Scenario:
    """Return a ready scenario by name.

    Raises
    ------
    DataError
        There is none of that name.

    """
    try:
        return _READY[name]
    except KeyError:
        raise DataError(f"there is no scenario {name!r}", advice=f"there are: {', '.join(_READY)}") from None
