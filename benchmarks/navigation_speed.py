"""How fast the navigation filter is, on one core, beside other libraries in the same run.

    python benchmarks/navigation_speed.py [--rounds 5] [--quick]

Bars: 1 million predictions a second and 300 000 updates by position and velocity over a whole log, an hour of 400 Hz
IMU with 10 Hz GNSS in 3 s, 250 000 predictions a second one call at a time. Of the rounds the quickest counts, in time of
the processor for this thread: on a machine at rest that is the clock's.

smsfusion is the closest peer: an error-state filter of 15 states, in Python. imufusion and vqf estimate the attitude
alone, in C and C++: what they do for a sample is a small part of a filter's step, and says what a call costs. Peers that
are not installed are left out, by name.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight import Attitude, frames
from boresight.kernels.filter import KINDS, MEASUREMENT, Filter, run
from boresight.navigation import Config, Eskf, PositionNoise, State, VelocityNoise

Array = NDArray[Any]

RATE = 400
STEP = 10**9 // RATE
GRAVITY = 9.80665
DELAY = 110_000_000  # ns, of the measurements
SIGMAS = np.repeat([1.0, 0.1, 0.02, 0.2, 0.01], 3)


def imu(samples: int) -> tuple[Array, Array]:
    """Times and increments of a vehicle that rocks and hovers."""
    t = np.arange(1, samples + 1, dtype=np.int64) * STEP
    phase = 1e-9 * t
    rng = np.random.default_rng(1)
    out = np.empty((samples, 8))
    out[:, 3] = out[:, 7] = 1 / RATE
    for axis, w in enumerate((0.7, 1.1, 0.3)):
        out[:, axis] = 0.05 * w * np.cos(w * phase) / RATE + 1e-5 * rng.standard_normal(samples)
        out[:, 4 + axis] = 1e-4 * rng.standard_normal(samples)
    out[:, 4] += GRAVITY / RATE * 0.05 * np.sin(1.1 * phase)
    out[:, 5] -= GRAVITY / RATE * 0.05 * np.sin(0.7 * phase)
    out[:, 6] -= GRAVITY / RATE
    return t, out


def gnss(t: Array, every: int) -> Array:
    """A position and a velocity after every so many samples, 110 ms old."""
    after = np.repeat(np.arange(every, len(t) + 1, every), 2)
    rows = np.zeros(len(after), MEASUREMENT)
    rows["after"], rows["time"] = after, np.maximum(t[after - 1] - DELAY, 0)
    rows["kind"] = np.tile([KINDS["gnss_position"], KINDS["gnss_velocity"]], len(after) // 2)
    rows["variance"] = np.where((rows["kind"] == KINDS["gnss_position"])[:, None], 1.0, 0.04)
    rows["value"] = np.random.default_rng(2).standard_normal((len(after), 3)) * np.sqrt(rows["variance"])
    return rows


def started() -> Eskf:
    eskf = Eskf(Config(declination=0.0))
    eskf.initialize_from(State(Attitude.level()), np.diag(SIGMAS**2), 0)
    return eskf


def native() -> Filter:
    return started().native


# ---- what is timed: each makes its input, and returns what to run and how much of it there is ---------------------

Case = tuple[Callable[[], Any], Callable[[Any], Any], int]


def log_of_predictions(scale: float) -> Case:
    n = int(1_000_000 * scale)
    t, samples = imu(n)
    none = np.zeros(0, MEASUREMENT)
    return native, lambda f: run(f, t, samples, none, every=40), n


def log_of_an_hour(scale: float) -> Case:
    n = int(3600 * RATE * scale)
    t, samples = imu(n)
    rows = gnss(t, RATE // 10)
    return native, lambda f: run(f, t, samples, rows, every=40), n


def log_of_updates(scale: float) -> Case:
    n = int(200_000 * scale)
    t, samples = imu(RATE)
    rows = np.repeat(gnss(t, RATE), 1)
    rows = np.tile(rows, n)
    return native, lambda f: run(f, t, samples, rows, every=RATE), n


def calls(scale: float) -> Case:
    n = int(200_000 * scale)
    t, samples = imu(n)
    times = t.tolist()
    rows = [(row[:3], row[4:7]) for row in samples]

    def drive(eskf: Eskf) -> None:
        predict, frame = eskf.predict, frames.FRD
        for time_, (angle, velocity) in zip(times, rows, strict=True):
            predict(time_, angle, 1 / RATE, velocity, 1 / RATE, frame=frame)

    return started, drive, n


def calls_with_aiding(scale: float) -> Case:
    n = int(50_000 * scale)
    t, samples = imu(n)
    times = t.tolist()
    rows = [(row[:3], row[4:7]) for row in samples]
    zero, position, velocity_ = np.zeros(3), PositionNoise.from_sigma(1.0), VelocityNoise.from_sigma(0.2)

    def drive(eskf: Eskf) -> None:
        for time_, (angle, velocity) in zip(times, rows, strict=True):
            eskf.predict(time_, angle, 1 / RATE, velocity, 1 / RATE, frame=frames.FRD)
            eskf.fuse_gnss_position(time_, zero, position, frame=frames.NED)
            eskf.fuse_gnss_velocity(time_, zero, velocity_, frame=frames.NED)

    return started, drive, n


def smsfusion(scale: float, *, aided: bool) -> Case:
    import smsfusion as peer

    n = int(4_000 * scale)
    _, samples = imu(n)
    rates, forces = samples[:, :3] * RATE, samples[:, 4:7] * RATE
    zero, one = np.zeros(3), np.ones(3)

    def begin() -> Any:
        start = np.zeros(16)
        start[6] = 1.0
        return peer.AidedINS(RATE, start, np.diag(SIGMAS**2), ignore_bias_acc=False, cold_start=False)

    def drive(ins: Any) -> None:
        for rate, force in zip(rates, forces, strict=True):
            if aided:
                ins.update(force, rate, pos=zero, pos_var=one, vel=zero, vel_var=0.04 * one)
            else:
                ins.update(force, rate)

    return begin, drive, n


def imufusion(scale: float) -> Case:
    import imufusion as peer

    n = int(100_000 * scale)
    _, samples = imu(n)
    rates, forces = np.degrees(samples[:, :3] * RATE), samples[:, 4:7] * (RATE / GRAVITY)

    def drive(ahrs: Any) -> None:
        for rate, force in zip(rates, forces, strict=True):
            ahrs.update_no_magnetometer(rate, force)

    return peer.Ahrs, drive, n


def vqf(scale: float, *, batch: bool) -> Case:
    import vqf as peer

    n = int(100_000 * scale)
    _, samples = imu(n)
    rates = np.ascontiguousarray(samples[:, :3] * RATE)
    forces = np.ascontiguousarray(-samples[:, 4:7] * RATE)

    def drive(filter_: Any) -> None:
        if batch:
            filter_.updateBatch(rates, forces)
        else:
            for rate, force in zip(rates, forces, strict=True):
                filter_.update(rate, force)

    return lambda: peer.VQF(1 / RATE), drive, n


# Name, what is timed, what it is compared with, and the bar.
CASES: tuple[tuple[str, Callable[[float], Case], float | None], ...] = (
    ("whole log: predictions", log_of_predictions, 1e6),
    ("whole log: an hour of 400 Hz with 10 Hz GNSS", log_of_an_hour, 3600 * RATE / 3.0),
    ("whole log: updates by position and velocity", log_of_updates, 3e5),
    ("per call: predictions", calls, 2.5e5),
    ("per call: with position and velocity each time", calls_with_aiding, None),
    ("smsfusion: predictions", lambda scale: smsfusion(scale, aided=False), None),
    ("smsfusion: with position and velocity each time", lambda scale: smsfusion(scale, aided=True), None),
    ("imufusion, attitude alone: per call", imufusion, None),
    ("vqf, attitude alone: per call", lambda scale: vqf(scale, batch=False), None),
    ("vqf, attitude alone: batch", lambda scale: vqf(scale, batch=True), None),
)
# Ours over the peer's.
RATIOS = (
    ("per call: predictions", "smsfusion: predictions"),
    ("per call: with position and velocity each time", "smsfusion: with position and velocity each time"),
    ("whole log: predictions", "smsfusion: predictions"),
    ("per call: predictions", "imufusion, attitude alone: per call"),
    ("per call: predictions", "vqf, attitude alone: per call"),
    ("whole log: predictions", "vqf, attitude alone: batch"),
)


def seconds(case: Case, rounds: int) -> float:
    begin, drive, _ = case
    best = float("inf")
    for _ in range(rounds):
        subject = begin()
        start = time.thread_time()
        drive(subject)
        best = min(best, time.thread_time() - start)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a few samples, once, and no bars")
    options = parser.parse_args()
    scale, rounds = (0.005, 1) if options.quick else (1.0, options.rounds)
    rates: dict[str, float] = {}
    missed = False
    for name, make, bar in CASES:
        try:
            case = make(scale)
        except ImportError as error:
            print(f"{name:50} left out: {error.name} is not installed")
            continue
        rates[name] = case[2] / seconds(case, rounds)
        says = ""
        if bar is not None and not options.quick:
            missed |= rates[name] < bar
            says = f"   bar {bar:>9,.0f}  {'missed' if rates[name] < bar else 'reached'}"
        print(f"{name:50} {rates[name]:>12,.0f} a second{says}")
    hour = rates["whole log: an hour of 400 Hz with 10 Hz GNSS"]
    print(f"an hour of 400 Hz IMU with 10 Hz GNSS takes {3600 * RATE / hour:.2f} s")
    for ours, theirs in RATIOS:
        if theirs in rates:
            print(f"{rates[ours] / rates[theirs]:8.1f} times {theirs}  ({ours})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
