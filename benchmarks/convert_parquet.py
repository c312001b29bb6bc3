"""A Parquet of 20 million poses is converted in bounded memory, on one core.

Bars: at least 2 million rows a second; at most 400 MB of memory above that of `import boresight`. The file is
made by boresight's own writer from a stream that yields its rows batch by batch, in a process of its own; the
conversion is measured in another.

Run as `python benchmarks/convert_parquet.py`; the exit code is 1 where a bar is missed. Needs 3 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROWS_A_SECOND = 2e6
MEMORY = 400e6


def peak() -> int:
    """Bytes of the largest resident set that this process has had."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024  # type: ignore[index]


def make(path: Path, rows: int) -> None:
    """Write a Parquet of poses in PX4's convention."""
    import numpy as np
    import pyarrow as pa

    import boresight as bs
    from boresight import conventions
    from boresight.logs.model import Log, Stream

    names = ["time", "qx", "qy", "qz", "qw", "x", "y", "z"]
    schema = pa.schema([(name, pa.int64() if name == "time" else pa.float64()) for name in names])

    class Rows:
        def __init__(self) -> None:
            self.schema, self.num_rows = schema, rows

        def batches(self, size: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
            rng = np.random.default_rng(0)
            for first in range(0, rows, size):
                i = np.arange(first, min(first + size, rows))
                q = rng.standard_normal((4, len(i)))
                q /= np.linalg.norm(q, axis=0)
                p = np.sin(i * 1e-5) * 100.0 + rng.standard_normal((3, len(i))) * 0.01
                batch = pa.record_batch([pa.array(a) for a in (i * 1_000_000, *q, *p)], schema=schema)
                yield batch if columns is None else batch.select(list(columns))

    stream = Stream("pose", "pose", conventions.get("px4"), "body", Rows())
    bs.write(Log({"pose": stream}), path)


def convert(path: Path, output: Path) -> dict[str, float]:
    """Convert on one core and say how long it took and how much memory was added."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import boresight as bs

    base = peak()  # the package imports next to nothing until it is used, so NumPy and Arrow are counted
    began, worked = time.perf_counter(), time.process_time()
    report = bs.write(bs.read(path), output, to="ros", overwrite=True)
    took, worked = time.perf_counter() - began, time.process_time() - worked
    return {"seconds": took, "cpu": worked, "bytes": peak() - base, "rows": report.rows}


def child(*arguments: str) -> str:
    """Run this file again in a process of its own and return what it prints."""
    return subprocess.run(
        [sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="The cost of converting a large Parquet.")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median is taken")
    parser.add_argument("--child", nargs=3, metavar=("JOB", "IN", "OUT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        job, first, second = arguments.child
        print(
            json.dumps(
                convert(Path(first), Path(second)) if job == "convert" else make(Path(first), int(second))
            )
        )
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "poses.parquet"), Path(folder, "out.parquet")
        child("--child", "make", str(path), str(arguments.rows))
        print(f"{arguments.rows:,} poses, {path.stat().st_size / 1e6:.0f} MB")
        results = [
            json.loads(child("--child", "convert", str(path), str(output))) for _ in range(arguments.rounds)
        ]
    seconds = statistics.median(r["seconds"] for r in results)
    cpu = statistics.median(r["cpu"] for r in results)
    memory = max(r["bytes"] for r in results)
    speed = results[0]["rows"] / seconds
    print(f"{seconds:.2f} s: {speed / 1e6:.2f} million rows a second (bar {ROWS_A_SECOND / 1e6:.0f})")
    print(f"{cpu:.2f} s of processor time: {results[0]['rows'] / cpu / 1e6:.2f} million rows a second")
    print(f"{memory / 1e6:.0f} MB above import boresight (bar {MEMORY / 1e6:.0f})")
    return 0 if speed >= ROWS_A_SECOND and memory <= MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
