"""Plain readers of the labelled recordings: their numbers as arrays, with what is known to be true of them.

Nothing of Boresight is used here, so that a fault in a reader of ours cannot hide one in the diagnosis.
"""

from __future__ import annotations

import csv
import io
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Timed = tuple[Floats, Floats]
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass
class Recording:
    """One orientation with the sensors beside it. Streams are pairs (seconds, rows).

    `order` and `direction` are the true reading of `quat`; `imu` the true map M from IMU axes to the record's body,
    `up` the world's up in the record's world, `place` the true map N from the record's world to that of velocities.
    """

    name: str
    time: Floats
    quat: Floats | None = None
    euler: Floats | None = None
    matrix: Floats | None = None
    gyro: Timed | None = None
    accel: Timed | None = None
    velocity: Timed | None = None
    position: Timed | None = None
    mag: Timed | None = None
    order: str = "wxyz"
    direction: str = "body_to_world"
    imu: Any = IDENTITY
    up: tuple[float, float, float] | None = None
    place: Any = None
    gyro_unit: str = "rad/s"
    accel_unit: str = "m/s2"
    sequence: str = "ZYX"
    degrees: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of `diagnose_arrays`, without any statement about the reading."""
        chosen: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("gyro", "accel", "velocity", "position", "mag")
            if getattr(self, name) is not None
        }
        if self.quat is not None:
            chosen["quat"] = self.quat
        elif self.euler is not None:
            chosen |= {"euler": self.euler, "sequence": self.sequence, "degrees": self.degrees}
        else:
            chosen["matrix"] = self.matrix
        return {"time": self.time, **chosen, **self.options}


def _ulog(name: str, *, place: Any = None) -> Callable[[Path], Recording]:
    def read(data: Path) -> Recording:
        from pyulog import ULog

        topics: dict[str, Any] = {}
        for dataset in ULog(str(data / "a_px4" / f"{name}.ulg")).data_list:
            topics.setdefault(dataset.name, dataset.data)

        def stream(topic: str, names: list[str]) -> Timed:
            rows = topics[topic]
            return rows["timestamp"] * 1e-6, np.stack([rows[n] for n in names], -1).astype(np.float64)

        time, quat = stream("vehicle_attitude", [f"q[{i}]" for i in range(4)])
        local = stream("vehicle_local_position", ["vx", "vy", "vz"])
        found = Recording(
            name,
            time,
            quat,
            gyro=stream("sensor_combined", [f"gyro_rad[{i}]" for i in range(3)]),
            accel=stream("sensor_combined", [f"accelerometer_m_s2[{i}]" for i in range(3)]),
            velocity=local,
            up=(0, 0, -1),
            place=IDENTITY,
        )
        if "vehicle_magnetometer" in topics:
            found.mag = stream("vehicle_magnetometer", [f"magnetometer_ga[{i}]" for i in range(3)])
        elif "magnetometer_ga[0]" in topics["sensor_combined"]:
            found.mag = stream("sensor_combined", [f"magnetometer_ga[{i}]" for i in range(3)])
        return found

    return read


def _ecl(name: str) -> Callable[[Path], Recording]:
    def read(data: Path) -> Recording:
        states = np.genfromtxt(
            data / "a_px4" / f"ecl_change_{name}.csv", delimiter=",", skip_header=1, usecols=range(8)
        )
        states = states[np.abs(states[:, 1:5]).sum(1) > 0]
        states = states[1:] if np.all(states[0, 1:5] == (1, 0, 0, 0)) else states
        imu: list[list[float]] = []
        mag: list[list[float]] = []
        gps: list[list[float]] = []
        with (data / "a_px4" / f"ecl_replay_{name}.csv").open() as lines:
            for row in csv.reader(lines):
                {"imu": imu, "mag": mag, "gps": gps}.get(row[1], []).append(
                    [float(row[0]), *map(float, row[2:])]
                )
        sensors, field_, fix = np.array(imu), np.array(mag), np.array(gps)
        return Recording(
            f"ecl_{name}",
            states[:, 0] * 1e-6,
            states[:, 1:5],
            gyro=(sensors[:, 0] * 1e-6, sensors[:, 4:7]),
            accel=(sensors[:, 0] * 1e-6, sensors[:, 1:4]),
            velocity=(fix[:, 0] * 1e-6, fix[:, 4:7]),
            mag=(field_[:, 0] * 1e-6, field_[:, 1:4]),
            up=(0, 0, -1),
            place=IDENTITY,
        )

    return read


def _bag(
    name: str, *, topic: str = "/imu/data", odom: str | None = None, accel: bool = True
) -> Callable[[Path], Recording]:
    def read(data: Path) -> Recording:
        from rosbags.highlevel import AnyReader

        rows: list[list[float]] = []
        places: list[list[float]] = []
        with AnyReader([data / "c_ros" / f"{name}.bag"]) as bag:
            chosen = [c for c in bag.connections if c.topic in (topic, odom)]
            for connection, _, raw in bag.messages(connections=chosen):
                message: Any = bag.deserialize(raw, connection.msgtype)
                stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
                if connection.topic == topic:
                    o, g, a = message.orientation, message.angular_velocity, message.linear_acceleration
                    rows.append([stamp, o.x, o.y, o.z, o.w, g.x, g.y, g.z, a.x, a.y, a.z])
                else:
                    p = message.pose.pose.position
                    places.append([stamp, p.x, p.y, p.z])
        table = np.array(rows)
        table[:, 0] -= (start := table[0, 0])
        found = Recording(
            name,
            table[:, 0],
            table[:, 1:5],
            gyro=(table[:, 0], table[:, 5:8]),
            accel=(table[:, 0], table[:, 8:11]),
            order="xyzw",
            up=(0, 0, 1) if accel else None,
        )
        if places:
            where = np.array(places)
            found.position = (where[:, 0] - start, where[:, 1:4])
        return found

    return read


def _broad(name: str) -> Callable[[Path], Recording]:
    def read(data: Path) -> Recording:
        import h5py

        with h5py.File(data / "e_imu" / f"broad_{name}.hdf5") as file:
            content: Any = file
            time = np.arange(len(content["imu_gyr"])) / float(content.attrs["sampling_rate"])
            quat, gyro, accel, mag = (
                np.asarray(content[key]) for key in ("opt_quat", "imu_gyr", "imu_acc", "imu_mag")
            )
        return Recording(
            f"broad_{name[:2]}",
            time,
            quat,
            gyro=(time, gyro),
            accel=(time, accel),
            mag=(time, mag),
            up=(0, 0, 1),
        )

    return read


def _ngimu(data: Path) -> Recording:
    quat = np.genfromtxt(data / "e_imu/skin_data_ngimu_quaternion.csv", delimiter=",", skip_header=1)
    imu = np.genfromtxt(data / "e_imu/skin_data_ngimu_sensors.csv", delimiter=",", skip_header=1)
    return Recording(
        "ngimu",
        quat[:, 0],
        quat[:, 1:5],
        gyro=(imu[:, 0], imu[:, 1:4]),
        accel=(imu[:, 0], imu[:, 4:7]),
        mag=(imu[:, 0], imu[:, 7:10]),
        direction="world_to_body",
        up=(0, 0, 1),
        gyro_unit="deg/s",
        accel_unit="g",
    )


def _xio3(data: Path) -> Recording:
    quat = np.genfromtxt(data / "e_imu/skin_data_xio3_Quaternion.csv", delimiter=",", skip_header=1)
    imu = np.genfromtxt(data / "e_imu/skin_data_xio3_Inertial.csv", delimiter=",", skip_header=1)
    return Recording(
        "xio3",
        quat[:, 0] * 1e-6,
        quat[:, 1:5],
        gyro=(imu[:, 0] * 1e-6, imu[:, 1:4]),
        accel=(imu[:, 0] * 1e-6, imu[:, 4:7]),
        up=(0, 0, 1),
        gyro_unit="deg/s",
        accel_unit="g",
    )


def _xsens(data: Path) -> Recording:
    rows = np.genfromtxt(data / "e_imu/skin_data_xsens.txt", skip_header=5, usecols=range(14))
    time = rows[:, 0] / 50.0
    return Recording(
        "xsens",
        time,
        rows[:, 10:14],
        gyro=(time, rows[:, 4:7]),
        accel=(time, rows[:, 1:4]),
        mag=(time, rows[:, 7:10]),
        up=(0, 0, 1),
    )


def _xsens_wrapped(data: Path) -> Recording:
    """The same with the counter of sixteen bits starting anew halfway, which the recording itself does not reach."""
    found = _xsens(data)
    counter = np.rint(found.time * 50.0).astype(np.int64)
    time = ((counter - counter[len(counter) // 2]) % 2**16) / 50.0
    streams = {name: (time, getattr(found, name)[1]) for name in ("gyro", "accel", "mag")}
    return replace(found, time=time, **streams)


def _mtw(data: Path) -> Recording:
    lines = (data / "e_imu/opensim_MT_012005D6_031-000_00B421AF.txt").read_text().splitlines()[6:]
    rows = np.array([[float(w) for w in line.split()] for line in lines if line.strip()])
    time = rows[:, 0] / 100.0
    return Recording(
        "opensim_MT",
        time,
        matrix=rows[:, 10:19].reshape(-1, 3, 3).swapaxes(-1, -2),
        gyro=(time, rows[:, 4:7]),
        accel=(time, rows[:, 1:4]),
        mag=(time, rows[:, 7:10]),
        order="",
        up=(0, 0, 1),
    )


def _apdm(sensor: str) -> Callable[[Path], Recording]:
    def read(data: Path) -> Recording:
        lines = (data / "e_imu/opensim_imuData01.csv").read_text().splitlines()
        header = next(i for i, line in enumerate(lines) if line.startswith("Time,"))
        names = lines[header].split(",")
        rows = np.genfromtxt(io.StringIO("\n".join(lines[header + 2 :])), delimiter=",")

        def columns(kind: str, parts: str) -> Floats:
            return rows[:, [names.index(f"{sensor}/{kind}/{p}") for p in parts.split()]]

        time = rows[:, 0]
        return Recording(
            f"imuData01_{sensor}",
            time,
            columns("Orientation", "Scalar X Y Z"),
            gyro=(time, columns("Angular Velocity", "X Y Z")),
            accel=(time, columns("Acceleration", "X Y Z")),
            mag=(time, columns("Magnetic Field", "X Y Z")),
            up=(0, 0, 1),
        )

    return read


def _mazur(data: Path) -> Recording:
    number = r"(-?[\d.e+-]+)"
    pattern = re.compile(
        rf"timestamp={number}, accelerometer=Vector3D\(x={number}, y={number}, z={number}\), "
        rf"gyroscope=Vector3D\(x={number}, y={number}, z={number}\).*"
        rf"Location\(x={number}, y={number}, z={number}\), Rotation\(pitch={number}, yaw={number}, roll={number}\)"
    )
    text = (data / "f_carla/mazur_output_imu_data_05.log").read_text()
    rows = np.array([[float(v) for v in m.groups()] for m in pattern.finditer(text)])
    # CARLA's matrix is Rz(yaw) Ry(-pitch) Rx(-roll), so that its angles make this Z-Y-X triple (yaw, pitch, roll).
    euler = rows[:, [11, 10, 12]] * (1, -1, -1)
    return Recording(
        "mazur_05",
        rows[:, 0],
        euler=euler,
        gyro=(rows[:, 0], rows[:, 4:7]),
        accel=(rows[:, 0], rows[:, 1:4]),
        position=(rows[:, 0], rows[:, 7:10]),
        order="",
        degrees=True,
        up=(0, 0, 1),
        place=IDENTITY,
    )


def _paf(number: str) -> Callable[[Path], Recording]:
    def read(data: Path) -> Recording:
        rows = np.genfromtxt(
            data / f"f_carla/paf_ground_truth_data_{number}.csv", delimiter=",", skip_header=1
        )
        euler = np.zeros((len(rows), 3))
        euler[:, 0] = rows[:, 4]
        return Recording(
            f"paf_{number}",
            rows[:, 0],
            euler=euler,
            position=(rows[:, 0], rows[:, 1:4]),
            order="",
            degrees=True,
        )

    return read


def _comma(data: Path) -> Recording:
    folder = data / "g_vision_av/comma2k19_ecef"

    def get(name: str) -> Floats:
        return np.load(folder / f"{name}.npy")

    time = get("global_pose_frame_times")
    start = time[0]
    position = get("global_pose_frame_positions")
    return Recording(
        "comma2k19",
        time - start,
        get("global_pose_frame_orientations"),
        gyro=(get("IMU_gyro_t") - start, get("IMU_gyro_value")),
        accel=(get("IMU_accelerometer_t") - start, get("IMU_accelerometer_value")),
        velocity=(time - start, get("global_pose_frame_velocities")),
        position=(time - start, position),
        up=tuple(position[0] / np.linalg.norm(position[0])),
        place=IDENTITY,
    )


def _dronekit(data: Path) -> Recording:
    from pymavlink import mavutil

    link: Any = mavutil.mavlink_connection(str(data / "h_misc/dronekit_flight.tlog"))
    attitude: list[list[float]] = []
    imu: list[list[float]] = []
    motion: list[list[float]] = []
    while (message := link.recv_match(type=["ATTITUDE", "RAW_IMU", "GLOBAL_POSITION_INT"])) is not None:
        m: Any = message
        if m.get_type() == "ATTITUDE":
            attitude.append([m.time_boot_ms * 1e-3, m.yaw, m.pitch, m.roll])
        elif m.get_type() == "RAW_IMU":
            imu.append(
                [
                    m.time_usec * 1e-6,
                    m.xgyro,
                    m.ygyro,
                    m.zgyro,
                    m.xacc,
                    m.yacc,
                    m.zacc,
                    m.xmag,
                    m.ymag,
                    m.zmag,
                ]
            )
        else:
            motion.append([m.time_boot_ms * 1e-3, m.vx / 100, m.vy / 100, m.vz / 100])
    link.close()
    angles, sensors, moved = np.array(attitude), np.array(imu), np.array(motion)
    return Recording(
        "dronekit",
        angles[:, 0],
        euler=angles[:, 1:4],
        gyro=(sensors[:, 0], sensors[:, 1:4]),
        accel=(sensors[:, 0], sensors[:, 4:7]),
        mag=(sensors[:, 0], sensors[:, 7:10]),
        velocity=(moved[:, 0], moved[:, 1:4]),
        order="",
        up=(0, 0, -1),
        place=((1, 0, 0), (0, 1, 0), (0, 0, -1)),
        gyro_unit="mrad/s",
        accel_unit="mg",
    )


def _airsim(data: Path) -> Recording:
    rows = np.genfromtxt(data / "h_misc/airsim_rec_drone_orlyk.txt", skip_header=1, usecols=range(1, 9))
    time = rows[:, 0] * 1e-3
    return Recording(
        "airsim",
        time - time[0],
        rows[:, 4:8],
        position=(time - time[0], rows[:, 1:4]),
        up=(0, 0, -1),
        place=IDENTITY,
    )


def _open3d_log(data: Path) -> Recording:
    lines = (data / "d_traj/open3d_redwood_example.log").read_text().splitlines()
    poses = np.array(
        [[list(map(float, r.split())) for r in lines[i + 1 : i + 5]] for i in range(0, len(lines) - 4, 5)]
    )
    return Recording("open3d_log", np.arange(len(poses)) * 1.0, matrix=poses[:, :3, :3], order="")


def _open3d_json(data: Path) -> Recording:
    content = json.loads((data / "d_traj/open3d_example.json").read_text())["parameters"]
    poses = np.array([np.reshape(p["extrinsic"], (4, 4)).T for p in content])
    return Recording(
        "open3d_json",
        np.arange(len(poses)) * 1.0,
        matrix=poses[:, :3, :3],
        order="",
        direction="world_to_body",
    )


def _colmap_text(data: Path) -> Recording:
    lines = (data / "g_vision_av/colmap_txt/images.txt").read_text().splitlines()
    heads = [line.split() for line in lines if not line.startswith("#")][::2]
    rows = np.array([[float(word) for word in head[:8]] for head in heads])
    return _colmap("colmap_txt", rows)


def _colmap_binary(data: Path) -> Recording:
    content = (data / "g_vision_av/colmap_bin/images.bin").read_bytes()
    (count,), at = struct.unpack_from("<Q", content), 8
    rows: list[tuple[float, ...]] = []
    for _ in range(count):
        rows.append(struct.unpack_from("<I7d", content, at))
        at = content.index(b"\0", at + 64) + 1
        at += 8 + 24 * struct.unpack_from("<Q", content, at)[0]
    return _colmap("colmap_bin", np.array(rows))


def _colmap(name: str, rows: Floats) -> Recording:
    rows = rows[np.argsort(rows[:, 0])]
    return Recording(name, rows[:, 0], rows[:, 1:5], direction="world_to_body")


def _nerf(data: Path) -> Recording:
    frames = json.loads((data / "g_vision_av/nerf_transforms.json").read_text())["frames"]
    poses = np.array([frame["transform_matrix"] for frame in frames])
    time = np.arange(len(poses)) * 1.0
    return Recording("nerf", time, matrix=poses[:, :3, :3], position=(time, poses[:, :3, 3]), order="")


WITH_GYRO: dict[str, Callable[[Path], Recording]] = {
    **{
        name: _ulog(name)
        for name in (
            "pyulog_sample",
            "pyulog_sample_log_small",
            "pyulog_sample_logging_tagged_and_default_params",
            "pyulog_sample_px4_events",
            "pyulog_sample_appended_multiple",
            "yuneec_position",
            "px4tools_19_56_46",
        )
    },
    "ecl_iris_gps": _ecl("iris_gps"),
    "ecl_ekf_gsf_reset": _ecl("ekf_gsf_reset"),
    "dronekit": _dronekit,
    "rl_test1_husky": _bag("rl_test1_husky"),
    "rl_test2_jackal": _bag("rl_test2_jackal"),
    "fuse_turtlebot3_sim": _bag("fuse_turtlebot3_sim", topic="/imu", odom="/odom", accel=False),
    "plotjuggler_tilt_laser_mti_g": _bag("plotjuggler_tilt_laser_mti_g", topic="/imu_data"),
    "broad_02": _broad("02_undisturbed_slow_rotation_B"),
    "broad_32": _broad("32_disturbed_attached_magnet_1cm"),
    "ngimu": _ngimu,
    "xio3": _xio3,
    "xsens": _xsens,
    "opensim_MT": _mtw,
    "imuData01_Static": _apdm("Static"),
    "imuData01_Upper": _apdm("Upper"),
    "imuData01_Middle": _apdm("Middle"),
    "imuData01_Lower": _apdm("Lower"),
    "mazur_05": _mazur,
    "comma2k19": _comma,
}
WITHOUT_GYRO: dict[str, Callable[[Path], Recording]] = {
    "paf_00": _paf("00"),
    "paf_02": _paf("02"),
    "airsim": _airsim,
    "open3d_log": _open3d_log,
    "open3d_json": _open3d_json,
    "colmap_txt": _colmap_text,
    "colmap_bin": _colmap_binary,
    "nerf": _nerf,
}
MADE_FAULTY: dict[str, Callable[[Path], Recording]] = {"xsens_wrapped": _xsens_wrapped}
RECORDINGS = {**WITH_GYRO, **WITHOUT_GYRO, **MADE_FAULTY}


def load(name: str, data: Path) -> Recording:
    """Read one of the labelled recordings by its name in `RECORDINGS`."""
    return replace(RECORDINGS[name](data), name=name)
