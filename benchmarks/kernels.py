"""Kernels at one million rows, as ratios to `numpy.copyto` of the bytes that each reads and writes.

Both are timed in turn within one run, into arrays that exist (`out=`), and the medians are compared: the ratio says how
far an operation is from the speed of memory. The second table is one call on one rotation or pose: construction with
its checks and frames, compose, apply, inverse, and every conversion in and out.

    python benchmarks/kernels.py [--rows 1000000] [--repeat 15] [--only compose]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from boresight import Pose, Rotation, frames, kernels

# Name, at most so many times the copy, and what to call with inputs and output.
BARS: dict[str, float] = {
    "from_quaternion": 2.5,
    "compose": 2.0,
    "conjugate": 2.0,
    "apply": 2.0,
    "change": 2.0,
    "to_matrix": 2.5,
    "from_matrix": 8.0,
    "from_euler": 8.0,
    "from_euler, degrees": 8.0,
    "to_euler": 8.0,
    "to_euler, ZYZ": 8.0,
    "from_axis_angle": 8.0,
    "to_axis_angle": 8.0,
    "from_modified_rodrigues": 8.0,
    "to_modified_rodrigues": 8.0,
    "from_heading_tilt": 8.0,
    "to_heading_tilt": 8.0,
    "from_two_axes": 8.0,
    "exp": 8.0,
    "log": 8.0,
    "angle": 8.0,
    "power": 8.0,
    "slerp": 8.0,
    "pose_make": 2.5,
    "pose_from_matrix": 8.0,
    "pose_to_matrix": 2.5,
    "pose_multiply": 2.5,
    "pose_apply": 2.5,
    "pose_inverse": 2.5,
    "pose_exp": 8.0,
    "pose_log": 8.0,
    "permute": 2.0,
}

SINGLE_BAR, COMPOSE_BAR = 2.5e-6, 1.5e-6  # seconds a call on one row

Case = tuple[Callable[..., Any], list[Any]]


def cases(rows: int, dtype: type) -> dict[str, Case]:
    """Inputs for every kernel: random rotations, vectors within a sphere, angles of three turns."""
    rng = np.random.default_rng(7)
    batch = (rows,) if rows > 1 else ()
    raw = rng.normal(size=(*batch, 4)).astype(dtype)
    q = kernels.from_quaternion(raw, order="xyzw")
    p = kernels.from_quaternion(rng.normal(size=(*batch, 4)).astype(dtype), order="xyzw")
    v, u = rng.normal(size=(2, *batch, 3)).astype(dtype)
    t = rng.uniform(size=batch).astype(dtype) if batch else 0.3
    twist = rng.normal(size=(*batch, 6)).astype(dtype)
    m = kernels.to_matrix(q)
    swap = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, -1], [0, -1, 1, 0]], dtype=dtype)
    k = kernels
    return {
        "from_quaternion": (lambda a, out=None: k.from_quaternion(a, order="wxyz", out=out), [raw]),
        "compose": (k.multiply, [p, q]),
        "conjugate": (k.conjugate, [q]),
        "apply": (k.rotate, [q, v]),
        "change": (lambda a, out=None: k.change(a, swap, 0.5**0.5, out=out), [q]),
        "to_matrix": (k.to_matrix, [q]),
        "from_matrix": (k.from_matrix, [m]),
        "from_euler": (lambda a, out=None: k.from_euler("ZYX", a, degrees=False, out=out), [v]),
        "from_euler, degrees": (lambda a, out=None: k.from_euler("ZYX", a, degrees=True, out=out), [v * 90]),
        "to_euler": (lambda a, out=None: k.to_euler("ZYX", a, degrees=False, out=out), [q]),
        "to_euler, ZYZ": (lambda a, out=None: k.to_euler("ZYZ", a, degrees=True, out=out), [q]),
        "from_axis_angle": (lambda a, b, out=None: k.from_axis_angle(a, b, degrees=False, out=out), [v, t]),
        "to_axis_angle": (lambda a, out=None: k.to_axis_angle(a, degrees=False, out=out), [q]),
        "from_modified_rodrigues": (k.from_modified_rodrigues, [v]),
        "to_modified_rodrigues": (k.to_modified_rodrigues, [q]),
        "from_heading_tilt": (k.from_heading_tilt, [t, np.ascontiguousarray(v[..., :2])]),
        "to_heading_tilt": (k.to_heading_tilt, [q]),
        "from_two_axes": (lambda a, b, out=None: k.from_two_axes("zx", a, b, out=out), [v, u]),
        "exp": (k.exp, [v]),
        "log": (k.log, [q]),
        "angle": (k.angle, [q]),
        "power": (k.power, [q, t]),
        "slerp": (k.slerp, [p, q, t]),
        "pose_make": (k.pose_make, [q, v]),
        "pose_from_matrix": (k.pose_from_matrix, [k.pose_to_matrix(q, v)]),
        "pose_to_matrix": (k.pose_to_matrix, [q, v]),
        "pose_multiply": (k.pose_multiply, [p, u, q, v]),
        "pose_apply": (k.pose_apply, [q, u, v]),
        "pose_inverse": (k.pose_inverse, [q, v]),
        "pose_exp": (k.pose_exp, [twist]),
        "pose_log": (k.pose_log, [q, v]),
        "permute": (lambda a, out=None: k.permute(a, (1, 0, 2), (1, 1, -1), out=out), [v]),
    }


def timed(call: Callable[[], Any]) -> float:
    """Seconds that one call takes."""
    begin = perf_counter()
    call()
    return perf_counter() - begin


def throughput(case: Case, repeat: int) -> tuple[float, float, float]:
    """Median seconds with `out=`, without it, and of a copy of as many bytes."""
    function, inputs = case
    result = function(*inputs)
    outs = result if isinstance(result, tuple) else (result,)
    moved = sum(a.nbytes for a in (*inputs, *outs))
    source, target = np.ones(moved // 16), np.empty(moved // 16)
    into: list[float] = []
    fresh: list[float] = []
    copy: list[float] = []
    del result
    out = outs if len(outs) > 1 else outs[0]
    for _ in range(repeat):
        copy.append(timed(lambda: np.copyto(target, source)))
        into.append(timed(lambda: function(*inputs, out=out)))
        fresh.append(timed(lambda: function(*inputs)))
    return median(into[2:]), median(fresh[2:]), median(copy[2:])


def latency(case: Case) -> float:
    """Median seconds of one call on one row."""
    function, inputs = case

    def thousand() -> None:
        for _ in range(1000):
            function(*inputs)

    return median(timed(thousand) for _ in range(15)) / 1000


def singles() -> dict[str, Callable[[], Any]]:
    """One rotation and one pose through everything that has a bar of its own."""
    to: dict[str, Any] = {"source": frames.FRD, "target": frames.NED}
    q = kernels.from_quaternion([0.1, -0.2, 0.3, 0.9], order="xyzw")
    v, u = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, 3.0])
    R = Rotation.from_quat(q, order="xyzw", **to)
    mount = Rotation.from_quat(q, order="xyzw", source=frames.FRD, target=frames.FRD)
    P, arm = Pose(R, u), Pose(mount, v)
    m, big, mrp, tilt = R.as_matrix(), P.as_matrix(), R.as_modified_rodrigues(), np.array([0.1, 0.2])
    twist = P.log()
    return {
        "Rotation.from_quat": lambda: Rotation.from_quat(q, order="wxyz", **to),
        "Rotation.from_matrix": lambda: Rotation.from_matrix(m, **to),
        "Rotation.from_euler": lambda: Rotation.from_euler("ZYX", v, degrees=True, **to),
        "Rotation.from_rotvec": lambda: Rotation.from_rotvec(v, **to),
        "Rotation.from_axis_angle": lambda: Rotation.from_axis_angle(v, 30.0, degrees=True, **to),
        "Rotation.from_modified_rodrigues": lambda: Rotation.from_modified_rodrigues(mrp, **to),
        "Rotation.from_heading_tilt": lambda: Rotation.from_heading_tilt(0.5, tilt, **to),
        "Rotation.from_two_axes": lambda: Rotation.from_two_axes("zx", v, u, **to),
        "Rotation.identity": lambda: Rotation.identity(**to),
        "as_quat": lambda: R.as_quat(order="wxyz"),
        "as_matrix": R.as_matrix,
        "as_euler": lambda: R.as_euler("ZYX", degrees=True),
        "at_pole": lambda: R.at_pole("ZYX"),
        "as_rotvec": R.as_rotvec,
        "as_axis_angle": lambda: R.as_axis_angle(degrees=True),
        "as_modified_rodrigues": R.as_modified_rodrigues,
        "as_heading_tilt": R.as_heading_tilt,
        "angle": R.angle,
        "compose": lambda: R @ mount,
        "inv": R.inv,
        "apply": lambda: R.apply(u),
        "reframe": lambda: R.reframe(source=frames.FLU, target=frames.ENU),
        "Pose": lambda: Pose(R, u),
        "Pose.from_matrix": lambda: Pose.from_matrix(big, **to),
        "Pose.exp": lambda: Pose.exp(twist, **to),
        "Pose.as_matrix": P.as_matrix,
        "Pose.log": P.log,
        "Pose compose": lambda: P @ arm,
        "Pose.inv": P.inv,
        "Pose.apply": lambda: P.apply(u),
    }


def print_singles() -> bool:
    """Print the second table; true if something missed its bar."""
    missed = False
    print(f"\none rotation or pose, with its frames; us a call\n{'':34}{'us':>7}{'bar':>6}")
    for name, call in singles().items():
        took = latency((call, []))
        bar = COMPOSE_BAR if name == "compose" else SINGLE_BAR
        missed = missed or took > bar
        print(f"{name:34}{took * 1e6:7.2f}{bar * 1e6:6.1f}{'  missed' if took > bar else ''}")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--only", action="append", choices=[*BARS])
    options = parser.parse_args()
    names = options.only or [*BARS]
    wide, narrow = cases(options.rows, np.float64), cases(options.rows, np.float32)
    single = cases(1, np.float64)
    missed = False
    print(f"{options.rows} rows, {kernels.instruction_set}; ns a row; ratio to copyto of the same bytes")
    print(
        f"{'':24}{'float64':>9}{'copyto':>8}{'ratio':>7}{'bar':>6}{'fresh':>8}{'float32':>9}{'of 64':>7}{'N=1, us':>9}"
    )
    for name in names:
        into, fresh, copy = throughput(wide[name], options.repeat)
        into32, _, _ = throughput(narrow[name], options.repeat)
        ratio, half = into / copy, into32 / into
        late = ratio > BARS[name] or half > 0.6
        missed = missed or late
        ns = 1e9 / options.rows
        print(
            f"{name:24}{into * ns:9.2f}{copy * ns:8.2f}{ratio:7.2f}{BARS[name]:6.1f}{fresh / copy:8.2f}"
            f"{into32 * ns:9.2f}{half:7.2f}{latency(single[name]) * 1e6:9.2f}{'  missed' if late else ''}"
        )
    if not options.only:
        missed = print_singles() or missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
