"""Side by side in one process: ours and what else there is, at one thread, after a check that all agree.

    python benchmarks/peers.py [--rows 1 100 10000 1000000] [--only compose] [--json FILE] [--plot FILE] [--quick]

Libraries that are not installed are left out and named: `pip install scipy numpy-quaternion quaternionic rowan roma
jaxlie pytransform3d pin gtsam matplotlib` brings them all. Everything in one table is timed in turn, round after
round, and medians are compared. `limit` is `numpy.copyto` of as many bytes as the operation reads and writes.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

# Before the libraries start their pools.
for _variable in ("OMP", "MKL", "OPENBLAS", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM"):
    os.environ[f"{_variable}_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np  # noqa: E402
import peer_calls  # noqa: E402
from peer_calls import OPERATIONS, Calls, Sample, kernel_calls, results_of, sample  # noqa: E402

# Name in the tables: module and function that make the calls, what the package is called, whether values are of a
# class of its own rather than plain arrays.
LIBRARIES: dict[str, tuple[str, str, str, bool]] = {
    "boresight": ("peer_calls", "ours", "boresight", True),
    "kernels": ("peer_calls", "kernels", "boresight", False),
    "scipy": ("peer_calls", "scipy", "scipy", True),
    "numpy-quaternion": ("peer_calls", "numpy_quaternion", "numpy-quaternion", False),
    "quaternionic": ("peer_calls", "quaternionic", "quaternionic", True),
    "rowan": ("peer_calls", "rowan", "rowan", False),
    "roma": ("peer_calls_heavy", "roma", "roma", False),
    "jaxlie": ("peer_calls_heavy", "jaxlie", "jaxlie", True),
    "pytransform3d": ("peer_calls_heavy", "pytransform3d", "pytransform3d", False),
    "pin": ("peer_calls_heavy", "pin", "pin", True),
    "gtsam": ("peer_calls_heavy", "gtsam", "gtsam", True),
}
OURS = ("boresight", "kernels")

# At a million rows, at most so many times the limit.
LIMIT_BARS = {
    "compose": 2.0, "apply": 2.0, "inverse": 2.0, "reframe": 2.0, "as_matrix": 2.5, "from_matrix": 8.0,
    "from_euler": 8.0, "as_euler": 8.0, "from_euler ZYZ": 8.0, "as_euler ZYZ": 8.0, "exp": 8.0, "log": 8.0,
    "slerp": 8.0, "pose compose": 2.5, "pose apply": 2.5,
}  # fmt: skip
HALF_BAR = 0.6  # float32 of float64's time
TIE = 1.15  # where the fastest is itself at the limit: within this
AT_LIMIT = 2.0
SINGLE_BARS = {name: 2.5e-6 for name in OPERATIONS if not name.startswith(("pose", "slerp"))} | {
    "compose": 1.5e-6
}
SIX_TIMES = {"from_quat", "compose", "apply", "from_euler"}
MANY = 10_000

Times = dict[str, dict[str, float]]  # operation, then library: seconds a call


def timed(call: Callable[[], Any], number: int = 1) -> float:
    """Seconds of each of `number` calls in a row."""
    repeat = range(number)
    begin = perf_counter()
    for _ in repeat:
        call()
    return (perf_counter() - begin) / number


def interleaved(
    calls: dict[str, Callable[[], Any]], *, rounds: int, least: float, most: float
) -> dict[str, float]:
    """Median seconds of each call, all timed in every round, each time in another order.

    One turn lasts at least `least` seconds, so that the clock does not count. What has taken `most` seconds in all,
    and three turns, is left out of further rounds.
    """
    numbers: dict[str, int] = {}
    for name, call in calls.items():
        call()  # compiles, fills caches
        numbers[name] = max(1, round(least / max(min(timed(call), timed(call)), 1e-9)))
    turns: dict[str, list[float]] = {name: [] for name in calls}
    shuffle = random.Random(len(calls))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            # What ran before leaves its memory and caches behind: nobody always follows the same one.
            for name in shuffle.sample(list(calls), len(calls)):
                if len(turns[name]) < 3 or sum(turns[name]) * numbers[name] < most:
                    turns[name].append(timed(calls[name], numbers[name]))
    finally:
        gc.enable()
    return {name: median(took) for name, took in turns.items()}


def copy_of(moved: int) -> Callable[[], Any]:
    """A copy that reads and writes `moved` bytes together."""
    given, result = np.ones(max(1, moved // 16)), np.ones(max(1, moved // 16))
    return lambda: np.copyto(result, given)


def bytes_of(s: Sample, operation: str) -> int:
    function, inputs, _ = kernel_calls(s)[operation]
    return sum(a.nbytes for a in (*inputs, *results_of(function(*inputs))))


def present(wanted: list[str]) -> tuple[dict[str, Callable[[Sample], Calls]], list[str]]:
    """Makers of the calls of the libraries that are here, and a line about each that is not."""
    found: dict[str, Callable[[Sample], Calls]] = {}
    absent: list[str] = []
    for name in wanted:
        module, function, _, _ = LIBRARIES[name]
        maker = getattr(import_module(module), function)
        try:
            maker(sample(1, np.float64))
        except ImportError as error:
            absent.append(f"{name}: {error}")
        else:
            found[name] = maker
    return found, absent


def difference(operation: str, got: Any, want: Any) -> float:
    """Largest difference of any number; q and -q are one rotation, and angles a turn apart one angle."""
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    if got.shape != want.shape:
        return float("inf")
    if operation.startswith("as_euler"):
        return float(np.abs(np.remainder(got - want + np.pi, 2 * np.pi) - np.pi).max())
    apart = np.abs(got - want).max(axis=-1)
    if got.shape[-1] == 4 and not operation.startswith("pose"):
        apart = np.minimum(apart, np.abs(got + want).max(axis=-1))
    return float(np.max(apart))


def check(
    makers: dict[str, Callable[[Sample], Calls]], rows: int, dtype: type
) -> tuple[dict[str, set[str]], list[str]]:
    """Which operations each library has in this precision, and a line for each that gives other numbers than ours."""
    s = sample(rows, dtype)
    reference = {
        name: call.read(call.run()) for name, call in peer_calls.kernels(sample(rows, np.float64)).items()
    }
    tolerance = 1e-11 if dtype is np.float64 else 2e-4
    has: dict[str, set[str]] = {}
    faults: list[str] = []
    for library, maker in makers.items():
        has[library] = set()
        for operation, call in maker(s).items():
            # What the library computes with shows in what it gives back.
            value = call.read(call.run())
            if np.asarray(value).dtype != dtype and not operation.startswith("pose"):
                continue
            has[library].add(operation)
            off = difference(operation, value, reference[operation])
            if not off <= tolerance:
                faults.append(f"{library}, {operation}, {dtype.__name__}, {rows} rows: off by {off:.2g}")
        if not has[library] - {"pose compose"}:
            has[library] = set()
    return has, faults


def against_peers(
    makers: dict[str, Callable[[Sample], Calls]],
    has: dict[str, set[str]],
    s: Sample,
    operations: list[str],
    *,
    rounds: int,
    least: float,
    most: float,
) -> Times:
    """Seconds of each operation of each library, and of the limit."""
    calls = {library: maker(s) for library, maker in makers.items()}
    times: Times = {}
    for operation in operations:
        turn: dict[str, Callable[[], Any]] = {"limit": copy_of(bytes_of(s, operation))}
        for library, made in calls.items():
            if operation in made and operation in has[library]:
                turn[library] = made[operation].run
        times[operation] = interleaved(turn, rounds=rounds, least=least, most=most)
    return times


def against_limit(rows: int, operations: list[str], *, rounds: int) -> Times:
    """Seconds of the limit, of ours into arrays that exist and into new ones, and of the class, both precisions."""
    times: Times = {op: {} for op in operations}
    samples = {"64": sample(rows, np.float64), "32": sample(rows, np.float32)}
    kernels = {bits: kernel_calls(s) for bits, s in samples.items()}
    classes = {bits: peer_calls.ours(s) for bits, s in samples.items()}
    for operation in operations:
        turn: dict[str, Callable[[], Any]] = {}
        for bits, s in samples.items():
            function, inputs, _ = kernels[bits][operation]
            made = function(*inputs)
            turn[f"limit{bits}"] = copy_of(bytes_of(s, operation))
            turn[f"into{bits}"] = lambda f=function, a=inputs, out=made: f(*a, out=out)
            turn[f"new{bits}"] = lambda f=function, a=inputs: f(*a)
            turn[f"class{bits}"] = classes[bits][operation].run
        times[operation] = interleaved(turn, rounds=rounds, least=1e-3, most=60)
    return times


def limit_misses(times: Times) -> list[str]:
    misses: list[str] = []
    for operation, t in times.items():
        ratio, bar = t["into64"] / t["limit64"], LIMIT_BARS.get(operation)
        if bar and ratio > bar:
            misses.append(f"{operation}: {ratio:.2f} x limit (bar {bar})")
        half = t["into32"] / t["into64"]
        if half > HALF_BAR:
            misses.append(f"{operation}: float32 takes {half:.2f} of float64's time (bar {HALF_BAR})")
    return misses


def peer_misses(rows: int, times: Times) -> list[str]:
    """Where a peer is quicker, or at one row a bar is missed."""
    misses: list[str] = []
    for operation, took in times.items():
        peers = {name: t for name, t in took.items() if name not in (*OURS, "limit")}
        for name, peer in peers.items():
            ours = took.get("boresight", 0.0)
            if rows >= MANY:
                allowed = TIE if peer == min(peers.values()) and peer <= AT_LIMIT * took["limit"] else 1.0
            elif rows == 1:
                if name != "scipy":
                    continue
                allowed = 1 / 6 if operation in SIX_TIMES else 1.0
            elif LIBRARIES[name][3]:
                allowed = 1.0
            else:
                ours, allowed = took.get("kernels", 0.0), TIE
            if ours > allowed * peer:
                misses.append(
                    f"{operation}, N = {rows}: {ours / peer:.2f} of {name}'s time (bar {allowed:.2f})"
                )
        if rows == 1 and took.get("boresight", 0.0) > SINGLE_BARS.get(operation, 1.0):
            misses.append(
                f"{operation}, N = 1: {took['boresight'] * 1e6:.2f} us (bar {SINGLE_BARS[operation] * 1e6:.1f})"
            )
    return misses


def print_peers(rows: int, dtype: type, times: Times) -> None:
    columns = [n for n in ("limit", *LIBRARIES) if any(n in t for t in times.values())]
    unit, factor = ("us", 1e6) if rows < MANY else ("ns a row", 1e9 / rows)
    print(f"\nN = {rows}, {dtype.__name__}: boresight in {unit}; the others as multiples of it")
    print(
        f"{'':16}"
        + "".join(f"{name[:12]:>13}" for name in ("boresight", *(c for c in columns if c != "boresight")))
    )
    for operation, t in times.items():
        own = t.get("boresight", float("nan"))
        cells = [f"{t[c] / own:13.2f}" if c in t else f"{'-':>13}" for c in columns if c != "boresight"]
        print(f"{operation:16}{own * factor:13.2f}" + "".join(cells))


def print_limits(rows: int, times: Times) -> None:
    print(
        f"\nN = {rows}: ns a row; ratios to copyto of the same bytes, `out=` given, not given, and by the class"
    )
    header = ("float64", "limit", "out=", "new", "class", "bar", "float32", "limit", "out=", "of 64", "bar")
    print(f"{'':16}" + "".join(f"{h:>9}" for h in header))
    for operation, t in times.items():
        ns = 1e9 / rows
        cells = (
            t["into64"] * ns,
            t["limit64"] * ns,
            *(t[k] / t["limit64"] for k in ("into64", "new64", "class64")),
        )
        half = (t["into32"] * ns, t["limit32"] * ns, t["into32"] / t["limit32"], t["into32"] / t["into64"])
        bar = LIMIT_BARS.get(operation)
        late = (bar and cells[2] > bar) or half[3] > HALF_BAR
        print(
            f"{operation:16}" + "".join(f"{c:9.2f}" for c in cells) + (f"{bar:9.1f}" if bar else f"{'-':>9}")
            + "".join(f"{c:9.2f}" for c in half) + f"{HALF_BAR:9.2f}" + ("  missed" if late else "")
        )  # fmt: skip


def machine() -> dict[str, str]:
    from boresight import kernels

    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    found = {"processor": name, "instructions": kernels.instruction_set, "python": platform.python_version()}
    for package in ("numpy", *sorted({entry[2] for entry in LIBRARIES.values()})):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def plot(path: Path, rows: int, times: Times) -> None:
    """Every operation at `rows` rows: nanoseconds a row of each library, and the limit as a line."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    libraries = [n for n in LIBRARIES if n != "kernels" and any(n in t for t in times.values())]
    operations = list(times)
    figure, axis = plt.subplots(figsize=(12, 5), layout="constrained")
    width = 0.85 / len(libraries)
    for i, library in enumerate(libraries):
        at = [
            k + (i - (len(libraries) - 1) / 2) * width
            for k, op in enumerate(operations)
            if library in times[op]
        ]
        heights = [times[op][library] * 1e9 / rows for op in operations if library in times[op]]
        axis.bar(at, heights, width, label=library, color="black" if library == "boresight" else f"C{i - 1}")
    for k, operation in enumerate(operations):
        limit = times[operation]["limit"] * 1e9 / rows
        axis.hlines(limit, k - 0.45, k + 0.45, "red", label="copy of the same bytes" if k == 0 else None)
    axis.set(yscale="log", ylabel="ns a row", title=f"{rows:,} rows, float64, one thread")
    axis.set_xticks(range(len(operations)), operations, rotation=35, ha="right")
    axis.legend(ncols=5, fontsize="small", loc="upper left")
    axis.set_ylim(top=axis.get_ylim()[1] * 12)
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 100, 10_000, 1_000_000])
    parser.add_argument("--only", nargs="+", choices=OPERATIONS, default=list(OPERATIONS))
    parser.add_argument("--libraries", nargs="+", choices=list(LIBRARIES), default=list(LIBRARIES))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path, help="of the largest number of rows; needs matplotlib")
    parser.add_argument("--quick", action="store_true", help="a few rows once, to see that all runs")
    options = parser.parse_args()
    sizes, rounds, least, most = options.rows, options.rounds, 2e-3, 3.0
    if options.quick:
        sizes, rounds, least, most = [1, 8], 1, 0.0, 0.1
    warnings.simplefilter("ignore")

    makers, absent = present(list(dict.fromkeys([*OURS, *options.libraries])))
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    print("side by side: " + ", ".join(makers))
    for line in absent:
        print(f"absent: {line}")
    has: dict[type, dict[str, set[str]]] = {}
    faults: list[str] = []
    for dtype in (np.float64, np.float32):
        has[dtype] = {}
        for rows in (1, 100):
            found, wrong = check(makers, rows, dtype)
            faults += wrong
            for library, operations in found.items():
                has[dtype][library] = has[dtype].get(library, set()) | operations
        narrow = [library for library, operations in has[dtype].items() if not operations]
        if narrow:
            print(f"not in {dtype.__name__}: " + ", ".join(narrow))
    print("\n".join(f"other numbers: {fault}" for fault in faults) or "all give the same numbers")

    saved: dict[str, Any] = {"machine": about, "peers": {}, "limits": {}}
    misses: list[str] = []
    largest: Times = {}
    for rows in sizes:
        for dtype in (np.float64, np.float32):
            s = sample(rows, dtype)
            times = against_peers(makers, has[dtype], s, options.only, rounds=rounds, least=least, most=most)
            print_peers(rows, dtype, times)
            saved["peers"][f"{dtype.__name__} {rows}"] = times
            misses += [f"{dtype.__name__}: {miss}" for miss in peer_misses(rows, times)]
            if dtype is np.float64:
                largest = times
    if max(sizes) >= 1_000_000 or options.quick:
        times = against_limit(max(sizes), options.only, rounds=1 if options.quick else max(rounds, 15))
        print_limits(max(sizes), times)
        saved["limits"][str(max(sizes))] = times
        misses += limit_misses(times)

    if not options.quick:
        print(f"\n{len(misses)} missed" + "".join(f"\n  {miss}" for miss in misses))
    saved["missed"], saved["other numbers"] = misses, faults
    if options.json:
        options.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        plot(options.plot, max(sizes), largest)
    return 1 if faults or (misses and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
