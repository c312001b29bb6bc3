"""A flight as a plain table, for tests of what diagnoses tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import boresight as bs

HEAD = "t (s),q0,q1,q2,q3,gx,gy,gz,ax,ay,az"


@dataclass(frozen=True)
class Flight:
    """A flight's numbers: seconds, quaternions w first from FRD to NED, rates and forces in FRD."""

    t: np.ndarray
    q: np.ndarray
    gyro: np.ndarray
    force: np.ndarray

    def rows(self, **changed: np.ndarray) -> np.ndarray:
        parts = {"t": self.t, "q": self.q, "gyro": self.gyro, "force": self.force} | changed
        return np.column_stack(list(parts.values()))


def flown(example_log: Path) -> Flight:
    """Read the flight of the example log, its sensors at the times of its attitude."""
    log = bs.read(example_log)
    attitude, imu = log["vehicle_attitude"], log["sensor_combined"]
    when = attitude.time

    def beside(group: str) -> np.ndarray:
        return np.stack([np.interp(when, imu.time, c) for c in imu.array(group).T], axis=-1)

    q = attitude.quaternion(order="wxyz")
    return Flight(when * 1e-9, q, beside("angular_rate"), beside("specific_force"))


def table(path: Path, rows: np.ndarray, head: str = HEAD, separator: str = ",") -> Path:
    np.savetxt(path, rows, delimiter=separator, header=head, comments="", fmt="%.10g")
    return path


def answered(result: Any) -> dict[str, Any]:
    assert result.code in (0, 1), result.err
    return json.loads(result.out)
