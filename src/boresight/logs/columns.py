"""The columns that a stream may have: their names, what they mean, and how a change of axes acts on them.

A stream's table is flat: one column a number, named by its component, whatever the convention. `GROUPS` says which
columns belong together and what they are (a polar vector in body axes, a covariance, ...); whoever reads, converts or
writes logs looks there and keeps no list of its own.

Numbers are the file's own: in the axes, direction and units of the stream's convention. Where a stream's unit is not
the group's, `Stream.units` names it, and `UNITS` says how many of the group's unit it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import pi
from types import MappingProxyType
from typing import Literal

__all__ = ["GROUPS", "TIME", "UNITS", "Group", "Role", "groups_of"]

TIME = "time"
"""Name of the first column of every stream: integer nanoseconds."""

Role = Literal[
    "orientation",  # quaternion, Euler angles or matrix: the convention's decode and encode
    "position",  # a point of the world, in the convention's unit of length
    "world_polar",  # a polar vector in the world's axes
    "body_polar",  # a polar vector in the body's axes
    "body_axial",  # an axial vector in the body's axes: a mirror flips it the other way
    "pose_covariance",  # 6x6 row-major, of the position as stored, then of small rotations about the world's axes
    "twist_covariance",  # 6x6 row-major, velocity then angular rate, both in body axes
    "state_covariance",  # 15x15 row-major: position and velocity in the world, in the body attitude and both biases
    "world_polar_covariance",  # 3x3 row-major
    "world_axial_covariance",
    "body_polar_covariance",
    "body_axial_covariance",
    "scalar",  # means the same in every convention
]


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that are one quantity.

    Attributes
    ----------
    name : str
        The name that `Stream.has` and `Stream.array` take.
    columns : tuple of str
        Component by component. A covariance is one column, a fixed-size list of `width` doubles.
    role : str
        How a change of axes acts on it.
    unit : str
        The unit of the numbers where the stream's `units` name no other; empty where the convention says it.
    width : int
        Numbers in a row of the group.
    """

    name: str
    columns: tuple[str, ...]
    role: Role
    unit: str = ""
    width: int = 1

    @property
    def is_list(self) -> bool:
        """Whether the group is one column of lists (a covariance)."""
        return len(self.columns) == 1 and self.width > 1


def _group(
    name: str, columns: str, role: Role, unit: str = "", width: int | None = None
) -> tuple[str, Group]:
    names = tuple(columns.split())
    return name, Group(name, names, role, unit, len(names) if width is None else width)


GROUPS: MappingProxyType[str, Group] = MappingProxyType(
    dict(
        [
            # The orientation, in exactly one of these forms. Quaternion components are named, so that the table has no
            # order to get wrong; Euler angles stand in the order of the convention's own arguments.
            _group("orientation", "qx qy qz qw", "orientation"),
            _group("euler", "euler_1 euler_2 euler_3", "orientation"),
            _group("matrix", "m00 m01 m02 m10 m11 m12 m20 m21 m22", "orientation"),
            _group("position", "x y z", "position"),
            _group("velocity", "vx vy vz", "world_polar", "m/s"),
            _group("body_velocity", "vbx vby vbz", "body_polar", "m/s"),
            # The change of the velocity, without gravity: no accelerometer's reading.
            _group("acceleration", "dvx dvy dvz", "world_polar", "m/s2"),
            _group("angular_rate", "wx wy wz", "body_axial", "rad/s"),
            _group("specific_force", "ax ay az", "body_polar", "m/s2"),
            # Taken as polar, as ROS and the autopilots do: their magnetometers' axes are those of the body.
            _group("magnetic_field", "mx my mz", "body_polar", "T"),
            _group("rate_bias", "bwx bwy bwz", "body_axial", "rad/s"),
            _group("acceleration_bias", "bax bay baz", "body_polar", "m/s2"),
            # Covariances. NaN is an entry that the file doesn't know.
            _group("pose_covariance", "pose_covariance", "pose_covariance", width=36),
            _group("twist_covariance", "twist_covariance", "twist_covariance", width=36),
            # Of a filter's error: position, velocity, a small rotation of the body, bias of accelerometer and of gyro.
            _group("state_covariance", "state_covariance", "state_covariance", width=225),
            _group("position_covariance", "position_covariance", "world_polar_covariance", width=9),
            _group("velocity_covariance", "velocity_covariance", "world_polar_covariance", width=9),
            _group("orientation_covariance", "orientation_covariance", "world_axial_covariance", width=9),
            _group("rate_covariance", "rate_covariance", "body_axial_covariance", width=9),
            _group("acceleration_covariance", "acceleration_covariance", "body_polar_covariance", width=9),
            _group("magnetic_covariance", "magnetic_covariance", "body_polar_covariance", width=9),
            # The same numbers in every convention.
            _group("geodetic", "lat lon", "scalar", "deg"),
            _group("altitude", "alt", "scalar", "m"),  # above mean sea level
            _group("altitude_ellipsoid", "alt_ellipsoid", "scalar", "m"),
            _group("eph", "eph", "scalar", "m"),  # one standard deviation, horizontal
            _group("epv", "epv", "scalar", "m"),  # and vertical
            _group("speed_accuracy", "speed_accuracy", "scalar", "m/s"),  # one standard deviation
            _group("fix", "fix", "scalar"),
            _group("satellites", "satellites", "scalar"),
            # Clockwise from true north seen from above, the compass's own sense, whatever the convention: a heading
            # is no angle about the world's z axis, and a change of axes leaves it alone.
            _group("heading", "heading", "scalar", "rad"),
            _group("heading_accuracy", "heading_accuracy", "scalar", "rad"),  # one standard deviation
            # Where the origin of the positions in the same row lies on the earth, and when it was laid there.
            _group("local_origin", "ref_lat ref_lon", "scalar", "deg"),
            _group("local_origin_altitude", "ref_alt", "scalar", "m"),  # above mean sea level
            _group("local_origin_time", "ref_time", "scalar", "ns"),
            # What the log itself says of the numbers beside them: 1 where they hold, 0 where they do not.
            _group("position_valid", "xy_valid z_valid", "scalar"),
            _group("velocity_valid", "vxy_valid vz_valid", "scalar"),
            # How long a mean was taken over: rate times interval is the integral that a driver hands on.
            _group("rate_interval", "rate_dt", "scalar", "s"),
            _group("force_interval", "force_dt", "scalar", "s"),
            _group("pressure", "pressure", "scalar", "Pa"),
            _group("temperature", "temperature", "scalar", "degC"),
            _group(
                "time_sample", "time_sample", "scalar", "ns"
            ),  # when the sensor sampled, where the log tells
            _group("reset", "reset", "scalar"),  # a counter: where it changes, the estimate jumped
        ]
    )
)
"""Every group of columns by name."""

UNITS: MappingProxyType[str, float] = MappingProxyType(
    {
        "": 1.0,
        "rad": 1.0,
        "rad/s": 1.0,
        "deg/s": pi / 180.0,
        "mrad/s": 1e-3,
        "m": 1.0,
        "cm": 0.01,
        "mm": 0.001,
        "m/s": 1.0,
        "cm/s": 0.01,
        "mm/s": 0.001,
        "km/h": 1 / 3.6,
        "kn": 1852 / 3600,
        "m/s2": 1.0,
        "cm/s2": 0.01,
        "g": 9.80665,
        "mg": 9.80665e-3,
        "T": 1.0,
        "uT": 1e-6,
        "nT": 1e-9,
        "gauss": 1e-4,
        "mgauss": 1e-7,
        "Pa": 1.0,
        "hPa": 100.0,
        "mbar": 100.0,
        "kPa": 1000.0,
        "deg": 1.0,
        "degC": 1.0,
        "s": 1.0,
        "ns": 1.0,
    }
)
"""How many of the group's own unit one of this unit is."""


def groups_of(columns: Iterable[str]) -> tuple[Group, ...]:
    """Return the groups that are complete in these columns, in the order of `GROUPS`.

    Examples
    --------
    >>> [group.name for group in groups_of(["time", "x", "y", "z", "qx", "qy", "qz", "qw"])]
    ['orientation', 'position']
    """
    present = set(columns)
    return tuple(group for group in GROUPS.values() if present.issuperset(group.columns))
