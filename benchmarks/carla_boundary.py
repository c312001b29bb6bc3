"""CARLA's arithmetic at one million rows and on one, and a list of the carla package's transforms to poses.

Times are processor time of one thread, medians of several rounds, into fresh arrays as the methods give them.

    python benchmarks/carla_boundary.py [--rows 1000000] [--repeat 9]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from boresight.carla import Location, Quaternion, RightHandedVector3D, Rotation, Transform, bits_exact

# Nanoseconds a row at many rows, at most; on one row 3 microseconds for each.
BARS = {"Quaternion.from_rotation": 60.0, "Transform.get_matrix": 60.0, "Quaternion.rotated_vector": 10.0}
SINGLE_US = 3.0
LIST, LIST_MS = 10_000, 10.0


def calls(rows: int) -> dict[str, Callable[[], Any]]:
    """What is measured, on random poses."""
    rng = np.random.default_rng(1)
    batch = (rows,) if rows > 1 else ()
    pitch, yaw, roll = (rng.uniform(-limit, limit, batch) for limit in (90, 180, 180))
    rotation = Rotation(pitch=pitch, yaw=yaw, roll=roll)
    transform = Transform(Location.from_array(rng.normal(scale=100, size=(*batch, 3))), rotation)
    q = Quaternion.from_rotation(rotation)
    v = RightHandedVector3D.from_array(rng.normal(size=(*batch, 3)))
    return {
        "Quaternion.from_rotation": lambda: Quaternion.from_rotation(rotation),
        "Transform.get_matrix": transform.get_matrix,
        "Quaternion.rotated_vector": lambda: q.rotated_vector(v),
        "Transform.get_inverse_matrix": transform.get_inverse_matrix,
        "Rotation.to_ros2_quaternion": rotation.to_ros2_quaternion,
        "Quaternion.rotator": q.rotator,
        "Transform.to_pose": transform.to_pose,
    }


def many(call: Callable[[], Any], rows: int, repeat: int) -> tuple[float, float]:
    """Nanoseconds a row: of processor and of wall."""
    processor: list[float] = []
    wall: list[float] = []
    for _ in range(repeat + 1):
        begin, begin_wall = process_time(), perf_counter()
        call()
        processor.append(process_time() - begin)
        wall.append(perf_counter() - begin_wall)
    return median(processor[1:]) * 1e9 / rows, median(wall[1:]) * 1e9 / rows


def single(call: Callable[[], Any]) -> float:
    """Microseconds of one call."""
    rounds: list[float] = []
    for _ in range(15):
        begin = process_time()
        for _ in range(1000):
            call()
        rounds.append((process_time() - begin) * 1e3)
    return median(rounds)


def real_list(repeat: int) -> float | None:
    """Milliseconds from a list of carla.Transform to poses, or None without the package."""
    try:
        import carla
    except ImportError:
        return None
    transforms = [
        carla.Transform(carla.Location(i, 2, 3), carla.Rotation(i % 90, i % 360, 3)) for i in range(LIST)
    ]
    rounds: list[float] = []
    for _ in range(repeat + 1):
        begin = perf_counter()
        Transform.from_carla(transforms).to_pose()
        rounds.append((perf_counter() - begin) * 1e3)
    return median(rounds[1:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    missed = False
    print(f"{options.rows} rows; CARLA's bits: {'yes' if bits_exact() else 'no'}")
    print(f"{'':30}{'ns a row':>10}{'wall':>8}{'bar':>7}{'N=1, us':>10}{'bar':>6}")
    batch, one = calls(options.rows), calls(1)
    for name in batch:
        bar = BARS.get(name)
        ns, wall = many(batch[name], options.rows, options.repeat)
        us = single(one[name])
        late = bar is not None and (ns > bar or us > SINGLE_US)
        missed = missed or late
        shown = f"{bar:7.0f}{us:10.2f}{SINGLE_US:6.0f}" if bar is not None else f"{'':7}{us:10.2f}"
        print(f"{name:30}{ns:10.1f}{wall:8.1f}{shown}{'  missed' if late else ''}")
    took = real_list(options.repeat)
    if took is None:
        print(f"list of {LIST} carla.Transform to poses: the carla package is not installed")
    else:
        late = took > LIST_MS
        missed = missed or late
        print(
            f"list of {LIST} carla.Transform to poses: {took:.1f} ms, bar {LIST_MS:.0f}{'  missed' if late else ''}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
