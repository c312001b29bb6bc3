"""What the columns of a CSV file are, from their names: those that are common, with their units, and no guesses.

A name is split into words and a unit: ``Gyroscope X (deg/s)`` is gyroscope, x, in deg/s. What stays open (the order of
``q0`` to ``q3``, the unit of a time) is asked for and not assumed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from boresight.logs.columns import GROUPS, TIME
from boresight.logs.times import TimeUnit

__all__ = ["Name", "Recognised", "known_time_unit", "known_unit", "recognise", "split_name"]

_VECTORS: Mapping[str, str] = MappingProxyType(
    {
        # group: what may stand before x, y, z, with or without something between
        "position": "position pos p t trans translation pose_position p_rs_r pose_pose_position",
        "velocity": "velocity vel v linear_velocity v_rs_r",
        "angular_rate": "w gyroscope gyro gyr g omega angular_velocity angular_rate rate gyro_rad",
        "specific_force": "a accelerometer acceleration accel acc linear_acceleration specific_force",
        "magnetic_field": "m magnetometer mag magnetic_field magnetometer_ga",
        "rate_bias": "bw b_w_rs_s gyro_bias",
        "acceleration_bias": "ba b_a_rs_s accel_bias",
    }
)
_QUATERNIONS = (
    *("q", "quat", "quaternion", "orientation", "rotation", "rot", "attitude"),
    *("q_rs", "pose_orientation", "pose_pose_orientation"),
)
_SCALARS: Mapping[str, str] = MappingProxyType(
    {
        "lat": "lat latitude latitude_deg",
        "lon": "lon lng long longitude longitude_deg",
        "alt": "alt altitude altitude_msl altitude_msl_m",
        "alt_ellipsoid": "alt_ellipsoid altitude_ellipsoid",
        "pressure": "pressure baro_pressure barometer fluid_pressure",
        "temperature": "temperature temp",
    }
)
_TIMES = ("time", "t", "timestamp", "stamp", "time_stamp", "epoch")
_TIME_UNITS: Mapping[str, TimeUnit] = MappingProxyType(
    {
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
        **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), "ms"),
        **dict.fromkeys(("us", "usec", "micros", "microseconds", "\u00b5s", "\u03bcs"), "us"),
        **dict.fromkeys(("ns", "nsec", "nanos", "nanoseconds", "nanosec"), "ns"),
    }
)
_UNITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("rad/s", "rad s^-1", "rads^-1", "rad s-1", "rps"), "rad/s"),
        **dict.fromkeys(("deg/s", "dps", "deg s^-1", "\u00b0/s", "degree/s", "degrees/s"), "deg/s"),
        **dict.fromkeys(("m/s2", "m/s^2", "m/s\u00b2", "m/s/s", "m s^-2", "ms^-2"), "m/s2"),
        **dict.fromkeys(("g", "gs"), "g"),
        **dict.fromkeys(("mg",), "mg"),
        **dict.fromkeys(("m/s", "m s^-1", "ms^-1"), "m/s"),
        **dict.fromkeys(("cm/s",), "cm/s"),
        **dict.fromkeys(("mm/s",), "mm/s"),
        **dict.fromkeys(("t", "tesla"), "T"),
        **dict.fromkeys(("ut", "\u00b5t", "\u03bct", "microtesla"), "uT"),
        **dict.fromkeys(("nt",), "nT"),
        **dict.fromkeys(("gauss", "ga"), "gauss"),
        **dict.fromkeys(("mgauss", "milligauss"), "mgauss"),
        **dict.fromkeys(("pa",), "Pa"),
        **dict.fromkeys(("hpa", "mbar"), "hPa"),
        **dict.fromkeys(("kpa",), "kPa"),
        **dict.fromkeys(("deg", "degree", "degrees", "\u00b0"), "deg"),
        **dict.fromkeys(("rad", "radian", "radians"), "rad"),
        **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), "m"),
        **dict.fromkeys(("cm",), "cm"),
        **dict.fromkeys(("mm",), "mm"),
    }
)
_BRACKETS = re.compile(r"^(.*?)\s*[\(\[]\s*([^\)\]]*?)\s*[\)\]]\s*$")


@dataclass(frozen=True, slots=True)
class Name:
    """A column's name in its parts."""

    words: str  # lower case, joined by _
    unit: str  # as written, lower case; empty where there is none


@dataclass
class Recognised:
    """What the columns of a file are.

    Attributes
    ----------
    columns : dict of str to int
        Our column, and which of the file's it is.
    units : dict of str to str
        The unit of a group, where the names say it.
    time_unit : str or None
        The unit of the times, where the name says it.
    numbered : list of int
        Columns q0, q1, q2, q3 (or q1 to q4), whose order the names do not say.
    angles : dict of str to int
        Euler angles by their name: roll, pitch, yaw.
    also : list of (str, int)
        Columns of ours that a further one of the file's could be as well, and that one.
    """

    columns: dict[str, int] = field(default_factory=dict[str, int])
    units: dict[str, str] = field(default_factory=dict[str, str])
    time_unit: TimeUnit | None = None
    numbered: list[int] = field(default_factory=list[int])
    angles: dict[str, int] = field(default_factory=dict[str, int])
    also: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def take(self, column: str, index: int) -> bool:
        """Note which column of the file is one of ours; the first that could be it is."""
        if column in self.columns:
            self.also.append((column, index))
            return False
        self.columns[column] = index
        return True


def split_name(text: str) -> Name:
    """Return a column's name in its parts.

    Examples
    --------
    >>> split_name("Gyroscope X (deg/s)")
    Name(words='gyroscope_x', unit='deg/s')
    >>> split_name("accelX")
    Name(words='accel_x', unit='')
    """
    text = text.strip().strip('"').lstrip("#").strip()
    unit = ""
    # q[0] is an element, not a unit.
    if (match := _BRACKETS.match(text)) and not match[2].isdigit():
        text, unit = match[1], match[2].strip().lower()
    text = re.sub(r"([a-z0-9])([A-Z])(?![A-Z])", r"\1_\2", text)
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return Name(words, unit)


def known_unit(text: str) -> str | None:
    """Return a unit as we write it; None where it is not known.

    Examples
    --------
    >>> known_unit("dps"), known_unit("m/s^2"), known_unit("furlong")
    ('deg/s', 'm/s2', None)
    """
    return _UNITS.get(text.strip().lower())


def known_time_unit(text: str) -> TimeUnit | None:
    """Return a unit of time as we write it; None where it is not known.

    Examples
    --------
    >>> known_time_unit("usec"), known_time_unit("h")
    ('us', None)
    """
    return _TIME_UNITS.get(text.strip().lower())


def recognise(header: Sequence[str]) -> Recognised:
    """Return what a file's columns are; those that are not known are left alone."""
    names = [split_name(text) for text in header]
    found = Recognised()
    known = _known()
    bare = {name.words for name in names}
    quaternion_alone = {"w", "x", "y", "z"} <= {_without_element(word) for word in bare}
    numbered: dict[int, int] = {}
    for index, name in enumerate(names):
        word = name.words
        if _time(found, name, index):
            continue
        if quaternion_alone and (letter := _without_element(word)) in ("w", "x", "y", "z"):
            found.take("q" + letter, index)
        elif match := re.fullmatch(r"(?:q|quat|quaternion|orientation)_?([0-4])", word):
            numbered[int(match[1])] = index
        elif word in ("roll", "pitch", "yaw") or re.fullmatch(r"euler_(roll|pitch|yaw)", word):
            angle = word.removeprefix("euler_")
            found.angles.setdefault(angle, index)
            _unit(found, "euler", name.unit)
        elif word in known:
            column = known[word]
            if found.take(column, index):
                _unit(found, _GROUP_OF[column], name.unit)
    for first in (0, 1):
        if set(range(first, first + 4)) == numbered.keys():
            found.numbered = [numbered[number] for number in sorted(numbered)]
    return found


def _without_element(word: str) -> str:
    return word.removesuffix("_element")


_GROUP_OF = {column: group.name for group in GROUPS.values() for column in group.columns}


def _known() -> dict[str, str]:
    """Every name that is known, and our column."""
    known: dict[str, str] = {}
    for group, prefixes in _VECTORS.items():
        for axis, column in zip("xyz", GROUPS[group].columns, strict=True):
            for prefix in prefixes.split():
                known[f"{prefix}_{axis}"] = column
                known[f"{prefix}{axis}"] = column
            known[column] = column
    for axis in "xyzw":
        for prefix in _QUATERNIONS:
            known[f"{prefix}_{axis}"] = f"q{axis}"
            known[f"{prefix}{axis}"] = f"q{axis}"
    for column, words in _SCALARS.items():
        known.update(dict.fromkeys(words.split(), column))
    for axis, word in zip("xyz", ("rollspeed", "pitchspeed", "yawspeed"), strict=True):
        known[word] = f"w{axis}"
    known.update({name: name for name in GROUPS["matrix"].columns})
    return known


def _time(found: Recognised, name: Name, index: int) -> bool:
    if TIME in found.columns:
        return False
    for word in _TIMES:
        if name.words == word:
            found.time_unit = _TIME_UNITS.get(name.unit)
        elif name.words.startswith(word + "_") and name.words[len(word) + 1 :] in _TIME_UNITS:
            found.time_unit = _TIME_UNITS[name.words[len(word) + 1 :]]
        else:
            continue
        found.columns[TIME] = index
        return True
    return False


def _unit(found: Recognised, group: str, text: str) -> None:
    if text:
        # A unit that is not known is kept as it stands: the reader says that it is not.
        found.units.setdefault(group, _UNITS.get(text, text))
