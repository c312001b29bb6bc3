"""What the navigation filter does with an IMU, or with velocities, in wrong axes or units.

    python benchmarks/navigation_axes.py [--seed 1]

A simulated mission (five seconds at rest, then three minutes of flight) is fed with all its sensors and the default
configuration; one stream is read wrong from the beginning. Columns: how the filter started, and with which roll; which
source was rejected first, and which adopted first, in seconds after the take-off; when the status first was DEGRADED or
worse; the share of the flight in which it is HEALTHY; the shares in which the tilt and the horizontal velocity are claimed
to be valid, and in which they are claimed to be and are off by more than 9 degrees or 3 m/s; the largest errors of the
tilt, of velocity and position; the status at the end.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import numpy as np
from navigation_seeds import first, turned
from navigation_simulated import Flight, Remembered, fly, with_declination
from numpy.typing import NDArray

from boresight.kernels.filter import KINDS
from boresight.navigation import Config
from boresight.navigation.replay import run_inputs, start_of
from boresight.simulate import scenarios

Array = NDArray[Any]

TAKEOFF = 5.0  # s
ANGLE, PUSH = slice(0, 3), slice(4, 7)


def of_imu(gyro: Array | float, accelerometer: Array | float) -> Any:
    """A mistake of the IMU: what both triads are multiplied with."""

    def made(flight: Flight) -> Flight:
        imu = flight.inputs.imu.copy()
        for part, factor in ((ANGLE, gyro), (PUSH, accelerometer)):
            imu[:, part] = (
                imu[:, part] @ np.asarray(factor).T if np.ndim(factor) == 2 else imu[:, part] * factor
            )
        return dataclasses.replace(flight, inputs=dataclasses.replace(flight.inputs, imu=imu))

    return made


def of_velocity(factor: Array | float) -> Any:
    """A mistake of the GNSS velocities."""

    def made(flight: Flight) -> Flight:
        rows = flight.inputs.measurements.copy()
        chosen = rows["kind"] == KINDS["gnss_velocity"]
        value = rows["value"][chosen]
        rows["value"][chosen] = value @ np.asarray(factor).T if np.ndim(factor) == 2 else value * factor
        return dataclasses.replace(flight, inputs=dataclasses.replace(flight.inputs, measurements=rows))

    return made


FLU = np.diag([1.0, -1.0, -1.0])
SWAPPED = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # right, front, up
QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # mounted 90 degrees about down
ENU = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
UP = np.diag([1.0, 1.0, -1.0])
MISTAKES = {
    "none": lambda flight: flight,
    "IMU in FLU": of_imu(FLU, FLU),
    "gyro alone in FLU": of_imu(FLU, 1.0),
    "accelerometer alone in FLU": of_imu(1.0, FLU),
    "accelerometer of the other sign": of_imu(1.0, -1.0),
    "IMU in right, front, up": of_imu(SWAPPED, SWAPPED),
    "IMU turned by 90 deg about down": of_imu(QUARTER, QUARTER),
    "rates in deg/s": of_imu(np.degrees(1.0), 1.0),
    "rates of the other sign": of_imu(-1.0, 1.0),
    "specific force in g": of_imu(1.0, 1.0 / 9.80665),
    "velocity in ENU": of_velocity(ENU),
    "velocity up positive": of_velocity(UP),
    "velocity of the other sign": of_velocity(-1.0),
    "velocity in cm/s": of_velocity(100.0),
    "velocity in km/h": of_velocity(3.6),
    "velocity in knots": of_velocity(1.943844),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    seed: int = parser.parse_args().seed
    scenario = scenarios.MISSION
    path = scenario.trajectory()
    path.__class__ = Remembered
    flight = fly(scenario, path, seed)
    config = with_declination(Config(), scenario)
    print(
        f"{'read wrong':32} {'start':7} {'roll':>5}  {'rejected, s':16} {'adopted, s':16} {'degraded':>8} {'healthy':>7}  "
        f"{'valid tilt, v':>13} {'wrongly':>11} {'deg':>5} {'m/s':>7} {'m':>8}  at the end"
    )
    for name, mistake in MISTAKES.items():
        wrong = mistake(flight)
        start = start_of(wrong.inputs, config)
        estimate = run_inputs(wrong.inputs, start, config, every=10)
        index = np.searchsorted(flight.time, estimate.time)
        since = estimate.time * 1e-9 - TAKEOFF
        flown = since >= 0.0
        tilt, _ = turned(estimate, flight.truth.attitude[index])
        gained = flight.truth.velocity[index] - estimate.array("vx", "vy", "vz")
        speed, across = np.linalg.norm(gained, axis=1), np.hypot(gained[:, 0], gained[:, 1])
        off = np.linalg.norm(flight.truth.position[index] - estimate.array("x", "y", "z"), axis=1)
        claims = [
            np.array(estimate.states[f"valid_{what}"].to_pylist()) for what in ("tilt", "horizontal_velocity")
        ]
        lies = [claim & bad for claim, bad in zip(claims, (tilt > 9.0, across > 3.0), strict=True)]
        status = np.array(estimate.states["status"].to_pylist())
        trouble = np.flatnonzero(flown & (status != "HEALTHY") & (status != "ALIGNING"))
        degraded = f"{since[trouble[0]]:.1f}" if len(trouble) else "never"
        healthy = float(np.mean(status[flown] == "HEALTHY"))
        begin = round(TAKEOFF * 1e9)
        roll = np.degrees(start.state.attitude.euler_angles()[0])
        said = " ".join(f"{share[flown].mean():6.0%}" for share in claims)
        lied = " ".join(f"{share[flown].mean():5.0%}" for share in lies)
        print(
            f"{name:32} {str(start.alignment)[:6]:7} {float(roll):5.0f}  {first(estimate, ('REJECTED',), begin):16} "
            f"{first(estimate, ('RESET',), begin):16} {degraded:>8} {healthy:>7.0%}  {said:>13} {lied:>11} {tilt[flown].max():5.0f} "
            f"{speed[flown].max():7.1f} {off[flown].max():8.1f}  {status[-1]}",
            flush=True,
        )


if __name__ == "__main__":
    main()
