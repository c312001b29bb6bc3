"""Which PX4 topics are read, and how their fields, under old names and new, become our columns.

Field names changed over the years: `latitude_deg` was `lat` in integers of 1e-7 degrees, `heading` was `yaw`, rates once
stood in `vehicle_attitude`. A column here lists the names it has had, newest first; the first that is there is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from boresight.logs.model import StreamKind

__all__ = ["TOPICS", "Topic"]


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic as one stream.

    Attributes
    ----------
    name : str
        The topic.
    kind : str
        Kind of the stream.
    columns : mapping of str to str
        The field's names, newest first, separated by spaces, for each of our columns.
    integers : mapping of str to float
        What a column's numbers are divided by where the log has them as integers.
    units : mapping of str to str
        Units of groups, where not the group's own.
    flags : tuple of str
        Boolean fields whose being false says that numbers of the row are not to be trusted; counted in notices.
    stream : str
        Name of the stream where it is not the topic's.
    relative_time : str
        A field with microseconds from `timestamp` to this sample, int32; its largest value says that there is none.
    requires : str
        The group without which there is no stream.
    """

    name: str
    kind: StreamKind
    columns: Mapping[str, str]
    requires: str
    integers: Mapping[str, float] = field(default_factory=dict[str, float])
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: tuple[str, ...] = ()
    stream: str = ""
    relative_time: str = ""

    @property
    def stream_name(self) -> str:
        """Name of the stream of the first instance."""
        return self.stream or self.name


def _vector(columns: str, field_name: str) -> dict[str, str]:
    """Columns taken from the elements of an array field."""
    return {column: f"{field_name}[{index}]" for index, column in enumerate(columns.split())}


_QUATERNION = _vector("qw qx qy qz", "q")  # Hamilton, w first, FRD to NED
_RATES = {"wx": "rollspeed", "wy": "pitchspeed", "wz": "yawspeed"}
_ATTITUDE = {**_QUATERNION, **_RATES, "reset": "quat_reset_counter"}
_LOCAL = {
    **{column: column for column in ("x", "y", "z", "vx", "vy", "vz", "eph", "epv")},
    "heading": "heading yaw",
    **{column: column for column in ("ref_lat", "ref_lon", "ref_alt", "xy_valid", "z_valid")},
    "vxy_valid": "v_xy_valid",
    "vz_valid": "v_z_valid",
}
_LOCAL_FLAGS = ("xy_valid", "z_valid", "v_xy_valid", "v_z_valid")
_GNSS = {
    "lat": "latitude_deg lat",
    "lon": "longitude_deg lon",
    "alt": "altitude_msl_m alt",
    "alt_ellipsoid": "altitude_ellipsoid_m alt_ellipsoid",
    "vx": "vel_n_m_s vel_n",
    "vy": "vel_e_m_s vel_e",
    "vz": "vel_d_m_s vel_d",
    "eph": "eph",
    "epv": "epv",
    "fix": "fix_type",
    "satellites": "satellites_used",
    "heading": "heading yaw",
    "heading_accuracy": "heading_accuracy",
    "speed_accuracy": "s_variance_m_s",  # a standard deviation, whatever its name says
    "xy_valid": "lat_lon_valid",
    "z_valid": "alt_valid",
    "vxy_valid": "vel_ned_valid",
    "vz_valid": "vel_ned_valid",
}
_GNSS_INTEGERS = {"lat": 1e7, "lon": 1e7, "alt": 1e3, "alt_ellipsoid": 1e3}
_GAUSS = {"magnetic_field": "gauss"}


def _attitude(name: str) -> Topic:
    return Topic(name, "orientation", _ATTITUDE, "orientation")


def _local(name: str) -> Topic:
    return Topic(name, "velocity", _LOCAL, "position", flags=_LOCAL_FLAGS)


def _gnss(name: str) -> Topic:
    return Topic(name, "gnss", _GNSS, "geodetic", integers=_GNSS_INTEGERS, flags=("vel_ned_valid",))


TOPICS: tuple[Topic, ...] = (
    # The first of a kind is the one that is taken where one is enough: what flew the vehicle before a single estimator
    # instance, what a receiver said before what was made of it.
    _attitude("vehicle_attitude"),
    _attitude("estimator_attitude"),
    _attitude("vehicle_attitude_groundtruth"),
    _local("vehicle_local_position"),
    _local("estimator_local_position"),
    _local("vehicle_local_position_groundtruth"),
    Topic(
        "sensor_combined",
        "imu",
        {
            **_vector("wx wy wz", "gyro_rad"),
            **_vector("ax ay az", "accelerometer_m_s2"),
            "rate_dt": "gyro_integral_dt",
            "force_dt": "accelerometer_integral_dt",
        },
        "angular_rate",
        integers={"rate_dt": 1e6, "force_dt": 1e6},  # once seconds, now microseconds in integers
    ),
    Topic("vehicle_imu", "imu", {}, "angular_rate"),  # integrals; see ulog.py
    Topic("vehicle_angular_velocity", "imu", _vector("wx wy wz", "xyz"), "angular_rate"),
    Topic("vehicle_acceleration", "imu", _vector("ax ay az", "xyz"), "specific_force"),
    _gnss("vehicle_gps_position"),
    _gnss("sensor_gps"),
    _gnss("vehicle_global_position"),
    _gnss("estimator_global_position"),
    _gnss("vehicle_global_position_groundtruth"),
    Topic(
        "vehicle_magnetometer",
        "magnetic_field",
        _vector("mx my mz", "magnetometer_ga"),
        "magnetic_field",
        units=_GAUSS,
    ),
    Topic(
        "sensor_combined",
        "magnetic_field",
        _vector("mx my mz", "magnetometer_ga"),
        "magnetic_field",
        units=_GAUSS,
        stream="sensor_combined_magnetometer",
        relative_time="magnetometer_timestamp_relative",
    ),
    Topic("sensor_mag", "magnetic_field", {"mx": "x", "my": "y", "mz": "z"}, "magnetic_field", units=_GAUSS),
    Topic(
        "vehicle_air_data",
        "baro",
        {
            "pressure": "baro_pressure_pa",
            "alt": "baro_alt_meter",
            "temperature": "ambient_temperature baro_temp_celcius",
        },
        "altitude",
    ),
    Topic(
        "sensor_combined",
        "baro",
        {"alt": "baro_alt_meter", "temperature": "baro_temp_celcius"},
        "altitude",
        stream="sensor_combined_baro",
        relative_time="baro_timestamp_relative",
    ),
    # The driver's pressure was in hectopascal until it became Pa; see ulog.py.
    Topic("sensor_baro", "baro", {"pressure": "pressure", "temperature": "temperature"}, "pressure"),
)
"""Every topic that is read, but for the odometry, whose frames differ from row to row (see ulog_odometry.py)."""
