"""Where the filter's positions count from, and where magnetic north is there.

Positions are metres north, east and down on the plane that touches the ellipsoid at an origin (equations 43 and 44): the
difference of earth-centred coordinates, turned, with no approximation. The declination comes from the World Magnetic
Model, which `pygeomag` brings (extra `navigation`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, radians
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.conventions.earth import geodetic_to_tangent, tangent_to_geodetic
from boresight.errors import DataError, MissingExtraError
from boresight.navigation.calls import number

__all__ = ["Origin", "check_year", "magnetic_declination", "year_of"]

Array = NDArray[Any]

# The years of the models that pygeomag brings.
_FIRST, _LAST = 2010.0, 2030.0
# Nanoseconds since 1970 of a clock that can be one of the calendar: 2001. A vehicle's own counts from its start.
_CALENDAR = 978_307_200_000_000_000
_YEAR = 365.2425 * 86400e9  # ns
_PLACES = (("latitude", 90.0, "degrees"), ("longitude", 360.0, "degrees"), ("height", 1e6, "m"))


@final
@dataclass(frozen=True, slots=True)
class Origin:
    """A place on the earth from which positions count.

    Attributes
    ----------
    latitude, longitude : float
        Degrees.
    height : float
        Metres above the ellipsoid. Above mean sea level will do as well: 50 m of geoid change the scale by 8 mm a
        kilometre.

    Raises
    ------
    DataError
        A figure is not finite or no place on earth.

    Examples
    --------
    >>> origin = Origin(47.0, 8.0, 500.0)
    >>> origin.to_ned(47.0, 8.0, 510.0).round(6) + 0.0
    array([  0.,   0., -10.])
    >>> origin.to_geodetic([0.0, 0.0, -10.0])[2].round(6)
    np.float64(510.0)
    """

    latitude: float
    longitude: float
    height: float

    def __post_init__(self) -> None:
        for name, most, unit in _PLACES:
            value = number(name, getattr(self, name), unit)
            if not (isfinite(value) and abs(value) <= most):
                raise DataError(f"an origin's {name} is {value!r}", advice=f"give a number within ±{most:g}")

    @property
    def place(self) -> tuple[float, float, float]:
        """Latitude, longitude and height."""
        return self.latitude, self.longitude, self.height

    def to_ned(self, latitude: ArrayLike, longitude: ArrayLike, height: ArrayLike) -> Array:
        """Return metres north, east, down of the origin, shape (..., 3), of places in degrees and metres."""
        return geodetic_to_tangent(latitude, longitude, height, self.place)

    def to_geodetic(self, ned: ArrayLike) -> tuple[Array, Array, Array]:
        """Return latitude and longitude in degrees and height in metres of points (..., 3) in metres."""
        return tangent_to_geodetic(np.asarray(ned, dtype=np.float64), self.place)

    def declination(self, year: float | None = None) -> float:
        """Return the magnetic declination at the origin in radians; see `magnetic_declination`."""
        return magnetic_declination(self.latitude, self.longitude, self.height, year)


def magnetic_declination(
    latitude: float, longitude: float, height: float, year: float | None = None
) -> float:
    """Return how far east of true north magnetic north lies, by the World Magnetic Model.

    Parameters
    ----------
    latitude, longitude, height : float
        Degrees, and metres above the ellipsoid.
    year : float, optional
        With its fraction, 2010 to 2030: 2026.5. Without, 2025.0, the epoch of the newest model: the declination moves
        by less than a fifth of a degree a year in most places.

    Returns
    -------
    float
        Radians.

    Raises
    ------
    DataError
        No model covers the year.
    MissingExtraError
        pygeomag is not installed.
    """
    when = 2025.0 if year is None else check_year(year)
    try:
        import pygeomag
    except ImportError:
        raise MissingExtraError("pygeomag", extra="navigation") from None
    # A model's last day belongs to it; the file of the five years that begin then may not be there.
    base = min(when, _LAST - 1e-6)
    model: Any = pygeomag.GeoMag(base_year=base)
    result = model.calculate(glat=latitude, glon=longitude, alt=1e-3 * height, time=when)
    return radians(float(result.d))


def check_year(year: float) -> float:
    """Return a year as a float, once it is one that the magnetic models cover.

    Raises
    ------
    DataError
        It is none.

    Examples
    --------
    >>> check_year(1995)
    Traceback (most recent call last):
        ...
    boresight.errors.DataError: the magnetic model has no year 1995; give one from 2010 to 2030, with its fraction
    """
    when = number("year", year, "of the calendar")
    if not _FIRST <= when <= _LAST:
        raise DataError(
            f"the magnetic model has no year {when:g}",
            advice=f"give one from {_FIRST:g} to {_LAST:g}, with its fraction",
        )
    return when


def year_of(time: int) -> tuple[float | None, float | None]:
    """Return the year that a time says where its clock is one of the calendar, and the nearest that the models cover.

    Examples
    --------
    >>> year_of(12_000_000_000)  # twelve seconds from a start
    (None, None)
    >>> [round(year, 2) for year in year_of(1_720_000_000_000_000_000)]
    [2024.5, 2024.5]
    """
    if time < _CALENDAR:
        return None, None
    year = 1970.0 + time / _YEAR
    return year, min(max(year, _FIRST), _LAST)
