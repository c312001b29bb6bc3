"""From a scenario to a log as PX4 would have logged it: its topics, its axes, its single precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from boresight import conventions, kernels
from boresight.conventions.earth import tangent_to_geodetic
from boresight.errors import DataError
from boresight.logs.model import Log, Stream, StreamKind
from boresight.simulate import scenarios
from boresight.simulate.scenarios import Scenario
from boresight.simulate.sensors import sample_times
from boresight.simulate.taylor import Array
from boresight.simulate.trajectories import Trajectory

__all__ = ["simulate"]

Micros = npt.NDArray[np.int64]
Columns = Mapping[str, npt.ArrayLike]


def simulate(scenario: Scenario | str, *, seed: int, duration: float | None = None) -> Log:
    """Simulate a run and return its log.

    Parameters
    ----------
    scenario : Scenario or str
        What happens; the name of a ready one, see `scenarios.names`.
    seed : int
        Of the sensors' noise, not negative. The same seed gives the same numbers; each sensor draws from a
        generator of its own, so that taking one out or changing its rate leaves the others' noise alone.
    duration : float, optional
        Seconds; else the scenario's own. A shorter one cuts the path, a longer one repeats its middle part.

    Returns
    -------
    Log
        In the px4 convention, with these streams where the scenario has the sensor: `vehicle_attitude`,
        `vehicle_local_position`, `vehicle_angular_velocity` (the vehicle's estimate),
        `vehicle_attitude_groundtruth`, `vehicle_local_position_groundtruth` (the truth), `sensor_combined`,
        `vehicle_gps_position`, `vehicle_air_data`, `vehicle_magnetometer` (gauss). Floats are single
        precision where PX4's are.

    Raises
    ------
    DataError
        The duration is not positive, the seed is negative, or there is no scenario of that name.

    Examples
    --------
    >>> log = simulate("flight", seed=1)
    >>> force = log["sensor_combined"].array("specific_force")
    >>> bool(-9.9 < force[:100, 2].mean() < -9.7)  # at rest it reads up, which is -9.8 along z, down
    True

    """
    if isinstance(scenario, str):
        scenario = scenarios.get(scenario)
    if duration is None:
        duration = scenario.duration
    if not 0.0 < duration < np.inf:
        raise DataError(f"a run of {duration:g} s cannot be simulated", advice="give a positive duration")
    if seed < 0:
        raise DataError(f"{seed} is no seed", advice="give an integer that is not negative")
    return _Recorder(scenario, seed, duration).log()


class _Recorder:
    def __init__(self, scenario: Scenario, seed: int, duration: float) -> None:
        self.scenario = scenario
        self.seed = seed
        self.duration = duration
        self.trajectory: Trajectory = scenario.trajectory(duration)
        self.offset = round((scenario.boot - scenario.start) * 1e6)
        self.streams: dict[str, Stream] = {}

    def log(self) -> Log:
        parts: tuple[Callable[[], None], ...] = (
            self._estimate,
            self._truth,
            self._imu,
            self._gnss,
            self._barometer,
            self._magnetometer,
        )
        for part in parts:
            part()
        place = self.scenario.place
        metadata = {
            "sys_name": "PX4",
            "ver_hw": "BORESIGHT_SIMULATION",
            "scenario": self.scenario.name,
            "seed": str(self.seed),
            "origin": f"{place.latitude} {place.longitude} {place.altitude}",
        }
        return Log(self.streams, format="ulog", metadata=metadata)

    def _generator(self, sensor: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(sensor,)))

    def _add(
        self,
        name: str,
        kind: StreamKind,
        time: Micros,
        columns: Columns,
        units: Mapping[str, str] | None = None,
    ) -> None:
        nanoseconds = (time + self.offset) * 1000
        arrays = [pa.array(np.asarray(values)) for values in (nanoseconds, *columns.values())]
        table = pa.Table.from_arrays(arrays, names=["time", *columns])
        self.streams[name] = Stream(name, kind, conventions.get("px4"), "body", table, units)

    def _sampled(self, time: Micros) -> Micros:
        return (time + self.offset) * 1000

    def _estimate(self) -> None:
        model = self.scenario.estimate
        if model is None:
            return
        read = model.read(self.trajectory, self.scenario.start, self.duration, self._generator(0))
        time = read.attitude_time
        reset = np.zeros(len(time), dtype=np.uint8)
        self._add(
            "vehicle_attitude",
            "orientation",
            time,
            {**_quaternion(read.attitude), "time_sample": self._sampled(time), "reset": reset},
        )
        time = read.position_time
        self._add(
            "vehicle_local_position",
            "velocity",
            time,
            {
                **_vector("x y z", read.position),
                **_vector("vx vy vz", read.velocity),
                "heading": read.heading.astype(np.float32),
                "eph": np.full(len(time), model.position * np.sqrt(2.0), dtype=np.float32),
                "epv": np.full(len(time), model.position, dtype=np.float32),
                **self._origin(len(time)),
                "time_sample": self._sampled(time),
            },
        )
        self._add(
            "vehicle_angular_velocity",
            "imu",
            read.rate_time,
            {**_vector("wx wy wz", read.rate), "time_sample": self._sampled(read.rate_time)},
        )

    def _truth(self) -> None:
        scenario = self.scenario
        time = sample_times(scenario.start, self.duration, scenario.attitude_truth_rate)
        truth = self.trajectory.at(time * 1e-6)
        self._add(
            "vehicle_attitude_groundtruth",
            "orientation",
            time,
            {**_quaternion(truth.attitude), "time_sample": self._sampled(time)},
        )
        time = sample_times(scenario.start, self.duration, scenario.position_truth_rate)
        truth = self.trajectory.at(time * 1e-6)
        self._add(
            "vehicle_local_position_groundtruth",
            "velocity",
            time,
            {
                **_vector("x y z", truth.position),
                **_vector("vx vy vz", truth.velocity),
                "heading": _heading(truth.attitude),
                **self._origin(len(time)),
                "time_sample": self._sampled(time),
            },
        )

    def _origin(self, rows: int) -> dict[str, npt.ArrayLike]:
        """Where the origin of positions lies; it was laid there when the log began."""
        place = self.scenario.place
        began = (sample_times(self.scenario.start, 0.0, 1.0)[0] + self.offset) * 1000
        return {
            "ref_lat": np.full(rows, place.latitude),
            "ref_lon": np.full(rows, place.longitude),
            "ref_alt": np.full(rows, place.altitude, dtype=np.float32),
            "ref_time": np.full(rows, began, dtype=np.int64),
        }

    def _imu(self) -> None:
        model = self.scenario.imu
        if model is None:
            return
        read = model.read(self.trajectory, self.scenario.start, self.duration, self._generator(1))
        interval = read.interval / 1e6
        columns: dict[str, npt.ArrayLike] = {
            **_vector("wx wy wz", read.rate),
            **_vector("ax ay az", read.specific_force),
            "rate_dt": interval,
            "force_dt": interval,
        }
        self._add("sensor_combined", "imu", read.time, columns)

    def _gnss(self) -> None:
        model = self.scenario.gnss
        if model is None:
            return
        read = model.read(self.trajectory, self.scenario.start, self.duration, self._generator(2))
        place = self.scenario.place
        origin = (place.latitude, place.longitude, place.altitude + place.geoid)
        latitude, longitude, height = tangent_to_geodetic(read.position, origin)
        n = len(read.time)
        self._add(
            "vehicle_gps_position",
            "gnss",
            read.published,
            {
                "lat": latitude,
                "lon": longitude,
                "alt": height - place.geoid,
                "alt_ellipsoid": height,
                "eph": np.full(n, read.horizontal, dtype=np.float32),
                "epv": np.full(n, read.vertical, dtype=np.float32),
                "speed_accuracy": np.full(n, read.speed, dtype=np.float32),
                "fix": np.full(n, 3, dtype=np.uint8),
                "satellites": np.full(n, 14, dtype=np.uint8),
                **_vector("vx vy vz", read.velocity),
                "time_sample": self._sampled(read.time),
            },
        )

    def _barometer(self) -> None:
        model = self.scenario.barometer
        if model is None:
            return
        ground = self.scenario.place.altitude
        read = model.read(
            self.trajectory, self.scenario.start, self.duration, self._generator(3), ground=ground
        )
        self._add(
            "vehicle_air_data",
            "baro",
            read.time,
            {
                "pressure": read.pressure.astype(np.float32),
                "alt": read.altitude.astype(np.float32),
                "temperature": read.temperature.astype(np.float32),
                "time_sample": self._sampled(read.time),
            },
        )

    def _magnetometer(self) -> None:
        model = self.scenario.magnetometer
        if model is None:
            return
        field = self.scenario.place.field
        time, body = model.read(
            self.trajectory, self.scenario.start, self.duration, self._generator(4), field=field
        )
        self._add(
            "vehicle_magnetometer",
            "magnetic_field",
            time,
            {**_vector("mx my mz", body), "time_sample": self._sampled(time)},
            {"magnetic_field": "gauss"},
        )


def _vector(names: str, values: Array) -> dict[str, npt.ArrayLike]:
    single = values.astype(np.float32)
    return {name: np.ascontiguousarray(single[:, i]) for i, name in enumerate(names.split())}


def _quaternion(xyzw: Array) -> dict[str, npt.ArrayLike]:
    return _vector("qx qy qz qw", xyzw)


def _heading(attitude: Array) -> npt.NDArray[np.float32]:
    yaw: Array = kernels.to_euler("ZYX", attitude, degrees=False)[:, 0]
    return yaw.astype(np.float32)
