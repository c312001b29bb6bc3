"""Small logs made in memory, for tests of conversion and of the writers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from boresight import conventions
from boresight.logs.model import Log, Stream

START = 1_700_000_000_000_000_123


def table(time: Any, **columns: Any) -> pa.Table:
    """A table of columns; a covariance is given as (n, width)."""
    arrays: dict[str, Any] = {"time": pa.array(np.asarray(time, np.int64))}
    for name, values in columns.items():
        values = np.asarray(values)
        if values.ndim == 2:
            flat = pa.array(np.ascontiguousarray(values).reshape(-1))
            arrays[name] = pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
        else:
            arrays[name] = pa.array(values)
    return pa.table(arrays)


def columns(prefix: str, letters: str, values: np.ndarray) -> dict[str, np.ndarray]:
    return {prefix + letter: values[:, i] for i, letter in enumerate(letters)}


def quaternions(n: int, seed: int = 0, dtype: Any = np.float32) -> np.ndarray:
    """Random unit quaternions, x, y, z, w."""
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(dtype)


def stream(
    name: str, kind: Any, rows: pa.Table, convention: str = "px4", thing: str | None = None, **units: str
) -> Stream:
    own = conventions.get(convention)
    return Stream(name, kind, own, thing or own.default_thing, rows, units)


def flight(n: int = 400, *, invalid: bool = False, start: int = START) -> Log:
    """A log as an autopilot has it: attitude at 100 Hz, position at 10 Hz, sensors at rates of their own."""
    rng = np.random.default_rng(1)
    time = start + np.arange(n) * 10_000_000
    q = quaternions(n)
    if invalid:
        q[5], q[7, 2] = 0.0, np.nan
    few = max(n // 10, 2)
    slow = start - 3_000_000 + np.arange(few) * 100_000_000
    fast = start + np.arange(2 * n) * 5_000_000
    f32 = np.float32
    return Log(
        {
            "vehicle_attitude": stream(
                "vehicle_attitude", "orientation", table(time, **columns("q", "xyzw", q))
            ),
            "vehicle_local_position": stream(
                "vehicle_local_position",
                "velocity",
                table(
                    slow,
                    **columns("", "xyz", rng.normal(size=(few, 3)).astype(f32)),
                    **columns("v", "xyz", rng.normal(size=(few, 3)).astype(f32)),
                ),
            ),
            "sensor_combined": stream(
                "sensor_combined",
                "imu",
                table(
                    fast,
                    **columns("w", "xyz", rng.normal(size=(2 * n, 3)).astype(f32)),
                    **columns("a", "xyz", rng.normal(size=(2 * n, 3)).astype(f32)),
                ),
            ),
            "vehicle_gps_position": stream(
                "vehicle_gps_position",
                "gnss",
                table(
                    slow,
                    lat=47.0 + rng.normal(size=few) * 1e-4,
                    lon=8.0 + rng.normal(size=few) * 1e-4,
                    alt=rng.normal(size=few) + 400,
                    alt_ellipsoid=rng.normal(size=few) + 447,
                    eph=np.full(few, 0.5, f32),
                    epv=np.full(few, 2.0, f32),
                    fix=np.arange(few) % 7,
                    **columns("v", "xyz", rng.normal(size=(few, 3)).astype(f32)),
                ),
            ),
            "vehicle_magnetometer": stream(
                "vehicle_magnetometer",
                "magnetic_field",
                table(slow, **columns("m", "xyz", rng.normal(size=(few, 3)))),
                magnetic_field="gauss",
            ),
            "vehicle_air_data": stream(
                "vehicle_air_data",
                "baro",
                table(slow, pressure=np.full(few, 950.5), alt=np.full(few, 400.0)),
                pressure="hPa",
            ),
        },
        metadata={"vehicle": "test"},
    )


def poses(n: int = 50, convention: str = "px4", thing: str | None = None, seed: int = 3) -> Log:
    """A log of one pose stream with velocities, rates and covariances."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, 6, 6))
    covariance = (root @ np.swapaxes(root, 1, 2)).reshape(n, 36)
    rows = table(
        START + np.arange(n) * 10_000_000,
        **columns("q", "xyzw", quaternions(n, seed, np.float64)),
        **columns("", "xyz", rng.normal(size=(n, 3)) * 100),
        **columns("v", "xyz", rng.normal(size=(n, 3))),
        **columns("w", "xyz", rng.normal(size=(n, 3))),
        pose_covariance=covariance,
        twist_covariance=covariance[::-1],
    )
    return Log({"pose": stream("pose", "pose", rows, convention, thing)})
