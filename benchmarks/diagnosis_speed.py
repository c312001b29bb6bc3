"""What a diagnosis costs: ten minutes at 250 Hz with gyro, accelerometer and velocity, and how it grows to 10^7 rows.

Each size runs in a process of its own on one core; memory is the process's peak, the log's own arrays included.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"

SIZES = (150_000, 1_000_000, 10_000_000)


def measure(rows: int, full: bool, rounds: int) -> None:
    import numpy as np

    from boresight import kernels
    from boresight.diagnosis import diagnose_arrays

    time_ = np.arange(rows) / 250.0
    quat = np.empty((rows, 4))
    gyro = np.empty((rows, 3), dtype=np.float64 if full else np.float32)
    accel = np.empty((rows, 3)) if full else None
    piece = 1_000_000
    for at in range(0, rows, piece):
        t = time_[at : at + piece]
        angles = np.stack(
            [0.3 * t + np.sin(0.31 * t), 0.6 * np.sin(0.63 * t), 0.7 * np.sin(0.97 * t)], axis=-1
        )
        q = np.asarray(kernels.from_euler("ZYX", angles, degrees=False))
        y, p, r = angles.T
        dy, dp, dr = 0.3 + 0.31 * np.cos(0.31 * t), 0.378 * np.cos(0.63 * t), 0.679 * np.cos(0.97 * t)
        rate = np.stack(
            [
                dr - dy * np.sin(p),
                dp * np.cos(r) + dy * np.cos(p) * np.sin(r),
                dy * np.cos(p) * np.cos(r) - dp * np.sin(r),
            ],
            axis=-1,
        )
        noise = np.random.default_rng(at).normal(size=rate.shape)
        gyro[at : at + piece] = rate + 0.01 * noise
        quat[at : at + piece] = q[:, [3, 0, 1, 2]]
        if accel is not None:
            accel[at : at + piece] = np.asarray(kernels.rotate_inverse(q, [0.0, 0.0, -9.81])) + 0.1 * noise
        del y, angles, q, rate, noise
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    streams = {"gyro": gyro}
    if accel is not None:
        slow = time_[::25]
        streams |= {
            "accel": accel,
            "velocity": (slow, np.stack([np.sin(slow), np.cos(slow), 0 * slow], axis=-1)),
        }
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        found = diagnose_arrays(time_, quat=quat, **streams)
        best = min(best, time.process_time() - began)
    assert found["sense"].answer == "same", found
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    what = "gyro, accel, velocity" if full else "gyro in single precision"
    print(
        f"{rows:>10} rows ({what}): {best:6.2f} s, {1e9 * best / rows:5.0f} ns a row, peak {peak:5.0f} MB (made with {own:.0f} MB)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    options = parser.parse_args()
    if options.rows:
        measure(options.rows, options.full, 5 if options.rows < 1_000_000 else 1)
        return 0
    for rows in options.sizes:
        for full in ("--full",) if rows < 1_000_000 else ("",):
            command = [sys.executable, __file__, "--rows", str(rows), *([full] if full else [])]
            if subprocess.run(command, check=False).returncode:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
