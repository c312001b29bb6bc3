"""What a diagnosis costs beyond reading: time by rows, and peak memory at ten million rows.

A drive with turns, pitching and rolling, whose attitude, gyro and accelerometer come at 250 Hz and whose velocity comes
at 5 Hz, is written as Parquet in single precision, as loggers have it. Each size is read and diagnosed in a process of
its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RATE = 250
TEN_MINUTES = 600 * RATE
SIZES = (TEN_MINUTES, 1_000_000, 10_000_000)
PIECE = 250_000
BAR_SECONDS = 0.5
BAR_MEGABYTES = 1000.0
BAR_GROWTH = 1.3
"""Of the time per row from a million rows to ten million."""


def write(path: Path, rows: int) -> None:
    """Write a log of so many rows of each fast stream, piece by piece."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from boresight import conventions
    from boresight.logs.description import VERSION
    from boresight.rotation import Rotation

    px4 = conventions.get("px4").to_dict()
    kinds = {
        "vehicle_attitude": ("orientation", ("qx", "qy", "qz", "qw")),
        "sensor_combined": ("imu", ("wx", "wy", "wz", "ax", "ay", "az")),
        "vehicle_local_position": ("velocity", ("vx", "vy", "vz")),
    }
    described = [
        {
            "version": VERSION,
            "name": name,
            "kind": kind,
            "thing": "body",
            "convention": px4,
            "columns": {"time": "int64", **dict.fromkeys(columns, "float")},
        }
        for name, (kind, columns) in kinds.items()
    ]
    names = [column for _, columns in kinds.values() for column in columns]
    fields = [pa.field("stream", pa.dictionary(pa.int32(), pa.string())), pa.field("time", pa.int64())]
    fields += [pa.field(name, pa.float32()) for name in names]
    text = json.dumps({"streams": described, "metadata": {}, "notices": []})
    schema = pa.schema(fields, metadata={"boresight": text})
    rng = np.random.default_rng(1)

    def put(stream: str, when: np.ndarray, values: np.ndarray) -> None:
        own = dict(zip(kinds[stream][1], values.T.astype(np.float32), strict=True))
        label = pa.DictionaryArray.from_arrays(np.zeros(len(when), np.int32), pa.array([stream]))
        arrays = [label, pa.array(np.rint(when * 1e9).astype(np.int64))]
        arrays += [pa.array(own[n]) if n in own else pa.nulls(len(when), pa.float32()) for n in names]
        writer.write_batch(pa.record_batch(arrays, schema=schema))

    def attitude(t: np.ndarray) -> Rotation:
        angles = [2 * np.sin(0.21 * t) + 0.3 * t, 0.5 * np.sin(0.7 * t), 0.6 * np.sin(1.1 * t + 1)]
        return Rotation.from_euler("ZYX", np.stack(angles, axis=-1), degrees=False)

    def velocity(t: np.ndarray) -> np.ndarray:
        parts = [8 * np.sin(0.31 * t), 6 * np.cos(0.23 * t), 1.5 * np.sin(0.5 * t)]
        return np.stack(parts, axis=-1)

    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        for stream in kinds:
            step = 50 if stream == "vehicle_local_position" else 1
            for first in range(0, rows, PIECE):
                t = np.arange(first, min(first + PIECE, rows), step) / RATE
                if stream == "vehicle_local_position":
                    put(stream, t, velocity(t) + 0.05 * rng.normal(size=(len(t), 3)))
                    continue
                here = attitude(t)
                if stream == "vehicle_attitude":
                    put(stream, t, here.as_quat(order="xyzw"))
                    continue
                h = 1e-4
                rate = (here.inv() @ attitude(t + h)).as_rotvec() / h
                force = (velocity(t + h) - velocity(t)) / h - [0.0, 0.0, 9.80665]
                values = np.concatenate([rate, here.inv().apply(force)], axis=1)
                put(stream, t, values + rng.normal(size=values.shape) * [0.01] * 3 + [0.0] * 6)


def measure(path: Path, rounds: int) -> dict[str, float | str]:
    """Read and diagnose; seconds of both, of the best round, and the peak of the memory of all."""
    import numpy as np

    import boresight as bs

    best: dict[str, float | str] = {}
    for _ in range(rounds):
        log = bs.read(path)
        began = time.perf_counter()
        for stream in log.streams.values():
            for batch in stream.batches():
                for column in batch.columns:
                    np.asarray(column)
        reading = time.perf_counter() - began
        began = time.perf_counter()
        found = bs.diagnose(log)
        took = time.perf_counter() - began
        if not best or took < float(best["seconds"]):
            best = {"reading": reading, "seconds": took, "verdict": found.verdict}
    best["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return best


def main() -> int:
    """Measure every size, and hold it to the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs; no bars")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the smallest size")
    given = parser.parse_args()
    if given.measure is not None:
        print(json.dumps(measure(given.measure, given.rounds)))
        return 0
    sizes = (15_000, 30_000) if given.quick else SIZES
    rows: list[tuple[int, float, float]] = []
    print(f"{'rows':>12} {'reading':>9} {'beyond':>9} {'ns a row':>9} {'peak MB':>8}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.parquet"
            write(path, size)
            rounds = given.rounds if size == sizes[0] else 1
            words = [sys.executable, __file__, "--measure", str(path), "--rounds", str(rounds)]
            done = subprocess.run(words, capture_output=True, text=True, check=True, env=os.environ)
            told = json.loads(done.stdout)
            beyond = told["seconds"] - told["reading"]
            rows.append((size, beyond, told["megabytes"]))
            print(
                f"{size:>12,} {told['reading']:>8.2f}s {beyond:>8.2f}s {1e9 * beyond / size:>9.0f} "
                f"{told['megabytes']:>8.0f}  {told['verdict']}"
            )
            path.unlink()
    if given.quick:
        return 0
    growth = (rows[2][1] / rows[2][0]) / (rows[1][1] / rows[1][0])
    missed = 0
    for name, value, bar in (
        ("seconds of ten minutes at 250 Hz", rows[0][1], BAR_SECONDS),
        ("time a row, ten million rows against one", growth, BAR_GROWTH),
        ("peak MB at ten million rows", rows[2][2], BAR_MEGABYTES),
    ):
        missed += value > bar
        print(f"{'missed' if value > bar else 'held':>6}: {name}: {value:.3g} (bar {bar:g})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
