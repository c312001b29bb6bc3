"""What the navigation filter does with a seed attitude that was read in a wrong convention.

    python benchmarks/navigation_seeds.py [--seed 1]

In the middle of a simulated mission (flying at 10 m/s, tilted by 31 degrees) the filter is started from the true state,
but for its attitude, which is read wrong in each of the ways that attitudes are read wrong; its covariance says 1 degree
of tilt and 5 degrees of heading, as one says who trusts the numbers. Every row twice: with all sensors, and without a
magnetometer.

Columns: the seed's error; the first source that is rejected, and after how many seconds; the first that is adopted
instead, and when; from when on the tilt stays within 3 degrees and the yaw within 10 of the truth; the largest errors of
velocity and position; the shares of the time in which the filter is HEALTHY, in which it is that and off by more than 9
degrees of tilt, 3 m/s or 15 m, and in which it claims a tilt, a heading or a horizontal velocity though it is off by more
than 9 degrees, 90 degrees or 3 m/s; and what the errors are at the end, two minutes later. The last line says the largest
such shares of all rows, and what they would be if the sigma alone decided on what is claimed.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from navigation_simulated import Remembered, fly, with_declination
from numpy.typing import NDArray

from boresight import Attitude, kernels
from boresight.navigation import Config, Estimate, State, initialize_from
from boresight.navigation.replay import run_inputs
from boresight.simulate import Scenario, scenarios

Array = NDArray[Any]

AT = 32.0  # s of the mission
R_NAV = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])  # ENU to NED, xyzw
R_BODY = np.array([1.0, 0.0, 0.0, 0.0])  # FLU to FRD


def mistakes(true: Attitude) -> dict[str, Attitude]:
    """The attitude as each mistake reads it."""
    enu = true.flu_to_enu(order="xyzw")
    half = kernels.multiply

    def as_stored(q: Array) -> Attitude:
        return Attitude.from_body_to_ned(q, order="xyzw")

    return {
        "none: read as what it is": Attitude.from_flu_to_enu(enu, order="xyzw"),
        "ENU numbers read as NED": as_stored(enu),
        "only the navigation side converted": as_stored(half(R_NAV, enu)),
        "only the body side converted": as_stored(half(enu, R_BODY)),
        "x and y swapped, z negated": as_stored(half(R_NAV, half(true.flu_to_enu(order="xyzw"), -R_NAV))),
        "ENU given to the NWU map": Attitude.from_flu_to_nwu(enu, order="xyzw"),
        "NWU read as NED": as_stored(true.flu_to_nwu(order="xyzw")),
        "stored inverse": as_stored(true.ned_to_body(order="xyzw")),
        "xyzw read as wxyz": Attitude.from_body_to_ned(true.body_to_ned(order="xyzw"), order="wxyz"),
    }


def first(estimate: Estimate, outcomes: tuple[str, ...], begin: int) -> str:
    table = estimate.measurements
    for time, source, outcome in zip(
        table["time"].to_pylist(), table["source"].to_pylist(), table["outcome"].to_pylist(), strict=True
    ):
        # The first altitude only gives the barometer its reference.
        if outcome in outcomes and source != "baro":
            return f"{source.removeprefix('gnss_')} {(time - begin) * 1e-9:.2f}"
    return "-"


def turned(estimate: Estimate, truth: Array) -> tuple[Array, Array]:
    """Tilt and yaw off the truth, degrees."""
    own = estimate.array("qx", "qy", "qz", "qw")
    turn = np.degrees(kernels.log(kernels.multiply(truth, kernels.conjugate(own))))
    down = np.array([0.0, 0.0, 1.0])
    leaning = kernels.rotate_inverse(own, down), kernels.rotate_inverse(truth, down)
    tilt = np.degrees(np.arccos(np.clip(np.einsum("ni,ni->n", *leaning), -1.0, 1.0)))
    return tilt, np.where(tilt < 45.0, np.abs(turn[:, 2]), 180.0)


def row(
    name: str, seed: Attitude, scenario: Scenario, number: int, worst: list[tuple[list[float], list[float]]]
) -> str:
    path = scenario.trajectory()
    path.__class__ = Remembered
    flight = fly(scenario, path, number)
    at = int(np.searchsorted(flight.time, AT * 1e9))
    truth = flight.truth
    state = State(seed, truth.position[at], truth.velocity[at])
    config = with_declination(Config(), scenario)
    own = config.initialization
    sigma = np.repeat([1.0, 0.2, 0.0, own.accel_bias, own.gyro_bias], 3)
    covariance = np.diag(np.square(sigma))
    matrix = seed.rotation.as_matrix()
    covariance[6:9, 6:9] = matrix.T @ np.diag(np.radians([1.0, 1.0, 5.0]) ** 2) @ matrix
    start = initialize_from(state, covariance, int(flight.time[at]))
    estimate = run_inputs(flight.inputs, start, config, every=20)
    index = np.searchsorted(flight.time, estimate.time)
    tilt, yaw = turned(estimate, truth.attitude[index])
    bad = np.flatnonzero((tilt > 3.0) | (yaw > 10.0))
    since = (estimate.time - start.time) * 1e-9
    good = (
        "never" if len(bad) and bad[-1] == len(tilt) - 1 else f"{since[bad[-1] + 1] if len(bad) else 0.0:.1f}"
    )
    off = np.hypot(*(truth.position[index, :2] - estimate.array("x", "y")).T)
    speed = np.linalg.norm(truth.velocity[index] - estimate.array("vx", "vy", "vz"), axis=1)
    healthy = np.array(estimate.states["status"].to_pylist()) == "HEALTHY"
    wrongly = healthy & ((tilt > 9.0) | (speed > 3.0) | (off > 15.0))
    wrong = {"tilt": tilt > 9.0, "heading": yaw > 90.0, "horizontal_velocity": speed > 3.0}
    claims = [
        float((estimate.states[f"valid_{what}"].to_numpy() & bad).mean()) for what, bad in wrong.items()
    ]
    small = (
        (config.accuracy.tilt, ("sigma_north", "sigma_east")),
        (config.accuracy.heading, ("sigma_down",)),
        (config.accuracy.velocity, ("sigma_vx", "sigma_vy")),
    )
    by_sigma = [
        float(((estimate.array(*names).reshape(len(tilt), -1) <= bound).all(axis=1) & bad).mean())
        for (bound, names), bad in zip(small, wrong.values(), strict=True)
    ]
    worst.append((claims, by_sigma))
    shares = " ".join(f"{share:7.0%}" for share in (healthy.mean(), wrongly.mean(), *claims))
    true = Attitude.from_body_to_ned(truth.attitude[at], order="xyzw")
    error = np.degrees((true.rotation.inv() @ seed.rotation).angle())
    rejected, adopted = first(estimate, ("REJECTED",), start.time), first(estimate, ("RESET",), start.time)
    final = f"{tilt[-1]:7.2f} {yaw[-1]:7.2f} {off[-1]:8.2f}"
    return f"{name:36} {float(error):6.1f}  {rejected:16} {adopted:16} {good:>7} {speed.max():6.1f} {off.max():6.1f} {shares} {final}  {estimate.stretches()[-1][0]}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    worst: list[tuple[list[float], list[float]]] = []
    for scenario in (scenarios.MISSION, scenarios.NO_MAGNETOMETER):
        truth = scenario.trajectory().at(np.array([AT]))
        true = Attitude.from_body_to_ned(truth.attitude[0], order="xyzw")
        print(f"{scenario.name}: roll, pitch, yaw {np.degrees(true.euler_angles()).round(1)}")
        print(
            f"{'mistake':36} {'error':>6}  {'rejected, s':16} {'adopted, s':16} {'good, s':>7} {'m/s':>6} {'m':>6} {'healthy':>7} {'wrongly':>7} {'a tilt':>7} {'heading':>7} {'speed':>7} {'tilt':>7} {'yaw':>7} {'m':>8}  status"
        )
        for name, seed in mistakes(true).items():
            print(row(name, seed, scenario, options.seed, worst), flush=True)
        print()
    for label, shares in zip(("claimed", "by the sigma alone"), np.array(worst).max(axis=0), strict=True):
        print(f"{label}: tilt {shares[0]:.0%}, heading {shares[1]:.0%}, horizontal velocity {shares[2]:.0%}")


if __name__ == "__main__":
    main()
