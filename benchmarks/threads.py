"""What two threads gain, and what a call allocates besides its result.

Two threads that each do half the rows against one that does all, in turn, medians; then the peak of Python's and
NumPy's memory (tracemalloc) and of the process's (VmHWM, on Linux) over one call, less its result. Where one thread is
as quick as memory, two gain no more than a copy by two threads does, which stands beside.

    python benchmarks/threads.py [--rows 1000000] [--repeat 21] [--quick]
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from peer_calls import kernel_calls, results_of, sample

TIME_BAR = 0.7
BLOCK_BAR = 64 * 1024  # bytes beside the result
PAGES_BAR = 8 * 1024 * 1024  # of the process: results begin and end inside pages of up to 2 MB


def seconds(call: Callable[[], Any]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def two_threads(pool: ThreadPoolExecutor, operation: tuple[Any, ...], repeat: int) -> tuple[float, float]:
    """Time of two threads on two halves, as a part of one thread's on the whole; and the same of a copy."""
    function, inputs, _ = operation
    made = function(*inputs)
    outs = results_of(made)
    middle = len(outs[0]) // 2

    def part(rows: slice) -> None:
        halves = tuple(a[rows] for a in outs)
        function(*(a[rows] for a in inputs), out=halves if len(halves) > 1 else halves[0])

    given = np.ones(sum(a.nbytes for a in (*inputs, *outs)) // 16)
    result = np.ones_like(given)

    def copy(rows: slice) -> None:
        np.copyto(result[rows], given[rows])

    def both(work: Callable[[slice], None], halfway: int) -> None:
        for half in [pool.submit(work, slice(None, halfway)), pool.submit(work, slice(halfway, None))]:
            half.result()

    times: list[list[float]] = [[], [], [], []]
    for _ in range(repeat):
        times[0].append(seconds(lambda: part(slice(None))))
        times[1].append(seconds(lambda: both(part, middle)))
        times[2].append(seconds(lambda: copy(slice(None))))
        times[3].append(seconds(lambda: both(copy, len(given) // 2)))
    one, two, one_copy, two_copies = (median(took) for took in times)
    return two / one, two_copies / one_copy


def traced(operation: tuple[Any, ...]) -> int:
    """Bytes at the peak of a call, less those of its result."""
    function, inputs, _ = operation
    function(*inputs)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    result = function(*inputs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - before - sum(a.nbytes for a in results_of(result))


def resident(operation: tuple[Any, ...]) -> int | None:
    """The same of the whole process, native code included; None where the system does not tell."""
    reset, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    function, inputs, _ = operation

    def read(field: str) -> int:
        line = next(
            line for line in status.read_text(encoding="ascii").splitlines() if line.startswith(field)
        )
        return int(line.split()[1]) * 1024

    try:
        function(*inputs)
        # What earlier results left behind would hide what the next one takes.
        ctypes.CDLL(None).malloc_trim(0)
        reset.write_text("5", encoding="ascii")
        before = read("VmRSS")
        result = function(*inputs)
        peak = read("VmHWM")
    except (OSError, AttributeError, StopIteration):
        return None
    return peak - before - sum(a.nbytes for a in results_of(result))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=21)
    parser.add_argument("--quick", action="store_true", help="a few rows once, to see that all runs")
    options = parser.parse_args()
    if options.quick:
        options.rows, options.repeat = 1000, 1
    operations = kernel_calls(sample(options.rows, np.float64))
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    misses: list[str] = []
    print(f"{options.rows} rows, float64, {processors} processors")
    print(
        f"{'':16}{'two threads':>12}{'bar':>6}{'copy':>7}{'traced, B':>12}{'bar':>8}{'process, KB':>13}{'bar':>7}"
    )
    with ThreadPoolExecutor(2) as pool:
        for name, operation in operations.items():
            share, of_copy = two_threads(pool, operation, options.repeat)
            extra, process = traced(operation), resident(operation)
            shown = "-" if process is None else f"{process // 1024}"
            print(
                f"{name:16}{share:12.2f}{TIME_BAR:6.1f}{of_copy:7.2f}{extra:12}{BLOCK_BAR:8}{shown:>13}{PAGES_BAR // 1024:7}"
            )
            if processors > 1 and share > TIME_BAR:
                misses.append(f"{name}: two threads take {share:.2f} of one's time")
            if extra > BLOCK_BAR or (process or 0) > PAGES_BAR:
                misses.append(f"{name}: allocates {max(extra, process or 0)} bytes beside its result")
    if not options.quick:
        print(f"\n{len(misses)} missed" + "".join(f"\n  {miss}" for miss in misses))
    return 1 if misses and not options.quick else 0


if __name__ == "__main__":
    sys.exit(main())
