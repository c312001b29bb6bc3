"""A large ULog with the mix of topics of a real one: what we read, and more of what we do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boresight.logs.writers.px4_messages import DEFINITIONS
from boresight.logs.writers.ulog_file import Topic, row_dtype, write_ulog

# Messages a second, as PX4's default profile logs them.
READ_RATES = {
    "sensor_combined": 250.0,
    "vehicle_gps_position": 18.7,
    "vehicle_angular_velocity": 50.0,
    "vehicle_local_position": 10.0,
    "vehicle_attitude": 20.0,
    "vehicle_air_data": 20.0,
    "vehicle_acceleration": 20.0,
    "vehicle_magnetometer": 14.8,
}
_SAMPLED = "uint64_t timestamp;uint64_t timestamp_sample;"
# Topics that nothing here reads, with their fields in short (the size is what counts) and their rates.
OTHERS = {
    "ekf2_timestamps": ("uint64_t timestamp;int16_t[6] relative;uint8_t[4] _padding0;", 250.0),
    "vehicle_rates_setpoint": ("uint64_t timestamp;float[6] rates;bool reset;uint8_t[7] _padding0;", 49.8),
    "vehicle_thrust_setpoint": (_SAMPLED + "float[3] xyz;uint8_t[4] _padding0;", 50.0),
    "vehicle_torque_setpoint": (_SAMPLED + "float[3] xyz;uint8_t[4] _padding0;", 50.0),
    "esc_status": ("uint64_t timestamp;float[82] esc;", 4.1),
    "vehicle_attitude_setpoint": (
        "uint64_t timestamp;float[11] angles;bool[2] flags;uint8_t[2] _padding0;",
        20.0,
    ),
    "battery_status": (
        "uint64_t timestamp;float[32] cells;uint16_t[11] counts;bool[9] flags;uint8_t _padding0;",
        5.0,
    ),
    "actuator_outputs": ("uint64_t timestamp;uint32_t noutputs;float[16] output;uint8_t[4] _padding0;", 10.0),
    "actuator_motors": (_SAMPLED + "float[12] control;uint16_t flags;uint8_t[6] _padding0;", 10.0),
    "position_setpoint_triplet": ("uint64_t timestamp;float[60] points;", 2.9),
    "vehicle_local_position_setpoint": ("uint64_t timestamp;float[14] setpoint;", 10.0),
    "estimator_status": (
        _SAMPLED + "uint64_t flags;float[20] ratios;uint16_t[3] bits;uint8_t[18] counts;",
        5.0,
    ),
    "sensors_status_imu": ("uint64_t timestamp;float[22] inconsistency;", 5.0),
    "telemetry_status": ("uint64_t timestamp;float[19] rates;bool[8] flags;", 4.0),
    "trajectory_setpoint": ("uint64_t timestamp;float[14] setpoint;", 5.0),
    "estimator_innovations": (_SAMPLED + "float[33] innovations;uint8_t[4] _padding0;", 2.0),
    "estimator_states": (
        _SAMPLED + "float[24] states;float[23] covariances;uint8_t n;uint8_t[3] _padding0;",
        1.0,
    ),
    "cpuload": ("uint64_t timestamp;float load;float ram_usage;", 2.0),
}


def bytes_a_second() -> float:
    """How fast such a log grows."""
    return sum((5 + row_dtype(text).itemsize) * rate for text, rate in _all().values())


def _all() -> dict[str, tuple[str, float]]:
    return {**{name: (DEFINITIONS[name], rate) for name, rate in READ_RATES.items()}, **OTHERS}


def make(path: Path, megabytes: float) -> None:
    """Write a ULog of at least this size (10^6 bytes)."""
    duration = 1.005 * megabytes * 1e6 / bytes_a_second()
    rng = np.random.default_rng(1)
    topics = [_topic(name, text, rate, duration, rng) for name, (text, rate) in _all().items()]
    with path.open("wb") as file:
        write_ulog(file, topics, info={"sys_name": "PX4", "ver_hw": "BENCHMARK"}, sync=True)


def _topic(name: str, definition: str, rate: float, duration: float, rng: np.random.Generator) -> Topic:
    n = int(duration * rate)
    rows = np.zeros(n, dtype=row_dtype(definition))
    # Jitter of a fifth of the period, as a scheduler gives; in microseconds from 10 s after boot.
    times = 1e7 + (np.arange(n) + rng.uniform(0.0, 0.2, n)) * (1e6 / rate)
    seconds = times * 1e-6
    for field in rows.dtype.names or ():
        if rows.dtype[field].base.kind == "f":
            shape = rows[field].shape
            wave = np.sin(seconds / 7.0).reshape(-1, *(1,) * (len(shape) - 1))
            rows[field] = wave + 0.01 * rng.standard_normal(shape, dtype=np.float32)
    rows["timestamp"] = times
    if "timestamp_sample" in (rows.dtype.names or ()):
        rows["timestamp_sample"] = times - 300.0
    _fill(name, rows, seconds)
    return Topic(name, definition, rows)


def _fill(name: str, rows: np.ndarray, t: np.ndarray) -> None:
    """Make the numbers of what we read mean something."""
    if name == "vehicle_attitude":
        yaw, roll = 0.3 * t, 0.2 * np.sin(t)
        cy, sy, cr, sr = np.cos(yaw / 2), np.sin(yaw / 2), np.cos(roll / 2), np.sin(roll / 2)
        rows["q"] = np.stack([cy * cr, cy * sr, sy * sr, sy * cr], axis=-1)
    elif name == "vehicle_local_position":
        for flag in ("xy_valid", "z_valid", "v_xy_valid", "v_z_valid"):
            rows[flag] = True
        rows["x"], rows["y"], rows["z"] = 200.0 * np.sin(t / 50.0), 200.0 * np.cos(t / 50.0), -30.0
        rows["heading"] = np.angle(np.exp(0.3j * t))
    elif name == "sensor_combined":
        rows["accelerometer_m_s2"][:, 2] -= 9.8
        rows["gyro_integral_dt"] = rows["accelerometer_integral_dt"] = 4000
    elif name == "vehicle_gps_position":
        rows["latitude_deg"], rows["longitude_deg"] = 47.3977 + 1e-6 * t, 8.5456 - 1e-6 * t
        rows["fix_type"], rows["satellites_used"], rows["vel_ned_valid"] = 3, 14, True
    elif name == "vehicle_air_data":
        rows["baro_pressure_pa"] += 95_000.0
