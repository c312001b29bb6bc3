"""How well the navigation filter does on simulated flights whose truth is known, over many seeds.

    python benchmarks/navigation_simulated.py [--seeds 50] [--scenario mission]

Each scenario is run twice: with the noise that the sensors have (and no correlation times), where the normalised
estimation error squared must be what chi square says, and with the filter's default configuration.

Columns: RMS over all seeds and times of the horizontal position (and its largest error), of the height, of the velocity
(all three axes together), of tilt and yaw; NEES, the normalised estimation error squared for each of the 15 states, 1
where the covariance is right; "in bounds", the share of instants at which the mean NEES of all seeds lies between the
2.5 % and the 97.5 % point of chi square; "in 3 sigma", the share of position errors within three of their standard
deviations, each axis for itself, of which a normal distribution has 99.73 %; "all three", of instants at which all three
axes are (99.19 %).
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from boresight import kernels
from boresight.kernels.filter import KINDS, MEASUREMENT
from boresight.navigation import Config, Correlation, ImuNoise, Initialization
from boresight.navigation.inputs import Inputs, increments
from boresight.navigation.replay import run_inputs, start_of
from boresight.simulate import Scenario, scenarios
from boresight.simulate.sensors import Barometer, Gnss, Imu, Magnetometer
from boresight.simulate.trajectories import Trajectory, Truth

Array = NDArray[Any]

SCENARIOS = ("mission", "outage", "moving", "no-magnetometer", "correlated")
# What is to be reached: the reference's figures of one seed, by its default configuration; m, m/s, degrees.
BARS = {
    "mission": {"horizontal": 0.292, "velocity": 0.138, "tilt": 0.330, "yaw": 0.289},
    "outage": {"horizontal": 1.63, "worst": 11.0},
}
WITHIN = 0.99  # of three standard deviations, during an outage
EVERY = 10  # samples of the IMU between two instants that are looked at
FROM = 3.0  # s of the log: when the filter has started


class Remembered(Trajectory):
    """A path that works out each set of instants once, however many seeds ask for it."""

    _known: dict[bytes, Truth]

    def at(self, t: Any) -> Truth:
        instants = np.atleast_1d(np.asarray(t, dtype=np.float64))
        known = self.__dict__.setdefault("_known", {})
        key = instants.tobytes()
        if key not in known:
            known[key] = super().at(instants)
        return known[key]


def generator(seed: int, sensor: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(sensor,)))


def rows(kind: str, time: Array, value: Array, variance: Any) -> Array:
    out = np.zeros(len(time), dtype=MEASUREMENT)
    out["time"], out["kind"] = time * 1000, KINDS[kind]
    value = value.reshape(len(time), -1)
    out["value"][:, : value.shape[1]] = value
    variance = np.broadcast_to(np.asarray(variance, dtype=np.float64), value.shape)
    out["variance"][:, : value.shape[1]] = variance
    return out


@dataclass
class Flight:
    """One seed of a scenario: what the filter is fed, and the truth."""

    inputs: Inputs
    time: Array
    truth: Truth
    accel_bias: Array
    gyro_bias: Array


def heading_sigma(scenario: Scenario) -> float:
    north, east, _ = scenario.place.field.ned()
    assert isinstance(scenario.magnetometer, Magnetometer)
    return scenario.magnetometer.noise / float(np.hypot(north, east))


def fly(scenario: Scenario, path: Trajectory, seed: int) -> Flight:
    start, duration = scenario.start, scenario.duration
    assert isinstance(scenario.imu, Imu) and isinstance(scenario.gnss, Gnss)
    imu = scenario.imu.read(path, start, duration, generator(seed, 1))
    step = imu.interval[:, None] * 1e-6
    gnss = scenario.gnss.read(path, start, duration, generator(seed, 2))
    across, up = gnss.horizontal**2, gnss.vertical**2
    parts = [
        (gnss.published, rows("gnss_position", gnss.time, gnss.position, [across, across, up])),
        (gnss.published, rows("gnss_velocity", gnss.time, gnss.velocity, gnss.speed**2)),
    ]
    if isinstance(scenario.barometer, Barometer):
        baro = scenario.barometer.read(path, start, duration, generator(seed, 3), ground=0.0)
        parts.append((baro.time, rows("baro", baro.time, baro.altitude, scenario.barometer.noise**2)))
    if scenario.magnetometer is not None:
        field = scenario.place.field
        time, body = scenario.magnetometer.read(path, start, duration, generator(seed, 4), field=field)
        mag = rows("mag", time, body, 0.0)
        mag["variance"][:, 0] = heading_sigma(scenario) ** 2
        parts.append((time, mag))
    arrival = np.concatenate([part[0] for part in parts]) * 1000
    measurements = np.concatenate([part[1] for part in parts])
    order = np.argsort(arrival, kind="stable")
    arrival, measurements = arrival[order], measurements[order]
    time = imu.time * 1000
    measurements["after"] = np.searchsorted(time, arrival, side="right")
    return Flight(
        Inputs(time, increments(imu.rate, imu.specific_force, step), measurements, arrival),
        time,
        path.at(imu.time * 1e-6),
        imu.accel_bias,
        imu.gyro_bias,
    )


def matched(scenario: Scenario) -> Config:
    """The configuration that says of every sensor what is true of it."""
    imu, baro = scenario.imu, scenario.barometer
    assert isinstance(imu, Imu) and isinstance(baro, Barometer)
    config = Config(
        imu=ImuNoise(imu.gyro_noise, imu.accel_noise, imu.gyro_walk, imu.accel_walk),
        correlation=Correlation.white(),
        initialization=Initialization(
            position=0.01, velocity=0.01, tilt=0.001, accel_bias=imu.accel_bias, gyro_bias=imu.gyro_bias
        ),
        baro_offset_walk=baro.drift,
    )
    return with_declination(config, scenario)


def with_declination(config: Config, scenario: Scenario) -> Config:
    return dataclasses.replace(config, declination=float(np.radians(scenario.place.field.declination)))


@dataclass
class Errors:
    """Errors of one run, instant by instant."""

    time: Array  # s
    position: Array
    velocity: Array
    turn: Array  # about north, east, down; rad
    nees: Array  # for each state
    sigma: Array  # of the position


def errors(flight: Flight, config: Config) -> Errors:
    estimate = run_inputs(flight.inputs, start_of(flight.inputs, config), config, every=EVERY)
    at = np.searchsorted(flight.time, estimate.time)
    truth = flight.truth
    position = truth.position[at] - estimate.array("x", "y", "z")
    velocity = truth.velocity[at] - estimate.array("vx", "vy", "vz")
    own = estimate.array("qx", "qy", "qz", "qw")
    turn = kernels.log(kernels.multiply(kernels.conjugate(own), truth.attitude[at]))
    biases = [
        flight.accel_bias[at] - estimate.array("bax", "bay", "baz"),
        flight.gyro_bias[at] - estimate.array("bwx", "bwy", "bwz"),
    ]
    error = np.concatenate([position, velocity, turn, *biases], axis=1)
    flat = estimate.states["covariance"].combine_chunks().flatten().to_numpy()
    covariance = flat.reshape(len(at), 15, 15)
    nees = np.einsum("ni,ni->n", error, np.linalg.solve(covariance, error[:, :, None])[:, :, 0]) / 15.0
    sigma = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)[:, :3])
    return Errors(estimate.time * 1e-9, position, velocity, kernels.rotate(own, turn), nees, sigma)


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def measure(scenario: Scenario, seeds: int, config: Config, flights: list[Flight]) -> dict[str, float]:
    runs = [errors(flight, config) for flight in flights]
    # Starts take more or less of the log, and instants are the same from there on.
    late = [r.time >= scenario.start + FROM for r in runs]
    time = runs[0].time[late[0]]
    stack = {
        name: np.stack([getattr(r, name)[own] for r, own in zip(runs, late, strict=True)])
        for name in ("position", "velocity", "turn", "nees", "sigma", "time")
    }
    across = np.hypot(stack["position"][..., 0], stack["position"][..., 1])
    mean_nees = stack["nees"].mean(axis=0)
    low, high = (chi2.ppf(p, 15 * seeds) / (15 * seeds) for p in (0.025, 0.975))
    inside = np.abs(stack["position"]) <= 3.0 * stack["sigma"]
    found = {
        "horizontal": rms(across),
        "worst": float(across.max()),
        "height": rms(stack["position"][..., 2]),
        "velocity": rms(np.linalg.norm(stack["velocity"], axis=-1)),
        "tilt": float(np.degrees(rms(np.hypot(stack["turn"][..., 0], stack["turn"][..., 1])))),
        "yaw": float(np.degrees(rms(stack["turn"][..., 2]))),
        "nees": float(mean_nees.mean()),
        "in_bounds": float(np.mean((mean_nees >= low) & (mean_nees <= high))),
        "in_3_sigma": float(np.mean(inside)),
        "all_in_3_sigma": float(np.mean(inside.all(axis=-1))),
    }
    for begin, end in scenario.gnss.outages if scenario.gnss else ():
        gap = (time >= begin) & (time < end)
        found["outage_in_3_sigma"] = float(np.mean(inside[:, gap]))
        found["outage_all_in_3_sigma"] = float(np.mean(inside[:, gap].all(axis=-1)))
        found["outage_horizontal"] = rms(across[:, gap])
    return found


HEAD = "scenario         filter   horizontal  worst  height  velocity   tilt    yaw   NEES  in bounds  in 3 sigma  all three"
UNITS = "                                    m      m       m       m/s    deg    deg"


def missed(name: str, told: bool, found: dict[str, float], low: float, high: float) -> list[str]:
    """Which bars a filter misses: both are held to errors and three sigma, the one that knows its sensors to the NEES.

    Of the one that knows, 99.5 % of the errors during an outage lie within three sigma over 200 seeds. Of fifty, between
    98.5 % and 100 % do (95 % of redrawn fifties): one height that is out for the whole outage, since its barometer's offset
    walked by nearly four of its own sigma, is two thirds of a percent.
    """
    out = [
        f"{what} {found[what]:.3g} > {bar:g}"
        for what, bar in BARS.get(name, {}).items()
        if not found[what] <= bar
    ]
    within = found.get("outage_in_3_sigma", 1.0)
    if not within >= WITHIN:
        out.append(f"only {within:.2%} within 3 sigma during the outage")
    if told and name in BARS and not low <= found["nees"] <= high:
        out.append(f"NEES {found['nees']:.3f}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--scenario", choices=SCENARIOS, action="append")
    parser.add_argument("--quick", action="store_true", help="two seeds, and no bars")
    options = parser.parse_args()
    seeds: int = 2 if options.quick else options.seeds
    low, high = (float(chi2.ppf(p, 15 * seeds) / (15 * seeds)) for p in (0.025, 0.975))
    print(f"{seeds} seeds; 95 % of the mean NEES lie between {low:.3f} and {high:.3f}")
    print(
        "within 3 sigma: 99.73 % of the errors of an axis, and 99.19 % of instants for all three, if they are normal"
    )
    print(HEAD)
    print(UNITS)
    misses: list[str] = []
    for name in options.scenario or SCENARIOS:
        scenario = scenarios.get(name)
        path = scenario.trajectory()
        path.__class__ = Remembered
        flights = [fly(scenario, path, seed) for seed in range(1, seeds + 1)]
        # A start in motion is off by 30 degrees where it claims 10: what a filter without process noise to spare takes
        # for the truth. Only the default is made for that.
        tuned = {} if name == "moving" else {"true": matched(scenario)}
        for label, config in {**tuned, "default": with_declination(Config(), scenario)}.items():
            f = measure(scenario, seeds, config, flights)
            print(
                f"{name:16} {label:8} {f['horizontal']:9.3f} {f['worst']:7.2f} {f['height']:7.3f} {f['velocity']:8.3f} "
                f"{f['tilt']:7.3f} {f['yaw']:6.3f} {f['nees']:6.3f} {f['in_bounds']:9.1%} {f['in_3_sigma']:10.2%} {f['all_in_3_sigma']:10.2%}",
                flush=True,
            )
            if "outage_in_3_sigma" in f:
                during = (
                    f"{f['outage_horizontal']:.3f} m RMS, {f['outage_in_3_sigma']:.2%} within 3 sigma, "
                    f"all three axes {f['outage_all_in_3_sigma']:.2%}"
                )
                print(f"{'':16} during the outage: {during}")
            misses += [f"{name}, {label}: {miss}" for miss in missed(name, label == "true", f, low, high)]
        if name in BARS:
            print(f"{'':16} to reach: {', '.join(f'{what} {bar:g}' for what, bar in BARS[name].items())}")
    if not options.quick:
        print("\n".join(misses) or "every bar is reached")
        sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
