"""Places on the earth: an exact tangent plane, and the declination of a model of the field."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.conventions.earth import ecef, geodetic_to_tangent, tangent_to_geodetic
from boresight.errors import DataError, MissingExtraError
from boresight.logs.model import Log
from boresight.navigation import Eskf, Origin, magnetic_declination, run
from boresight.simulate import simulate

LATITUDES, LONGITUDES = st.floats(-89.9, 89.9), st.floats(-180.0, 180.0)
OFFSETS = st.tuples(st.floats(-3e4, 3e4), st.floats(-3e4, 3e4), st.floats(-5e3, 500.0))


@given(LATITUDES, LONGITUDES, st.floats(-100.0, 5e3), OFFSETS)
def test_there_and_back(latitude: float, longitude: float, height: float, ned: tuple[float, ...]) -> None:
    origin = Origin(latitude, longitude, height)
    back = origin.to_ned(*origin.to_geodetic(ned))
    assert back == pytest.approx(np.array(ned), abs=1e-6)


def test_it_is_the_difference_of_earth_centred_coordinates_turned() -> None:
    phi, lam = np.radians(47.0), np.radians(8.0)
    north = np.array([-np.sin(phi) * np.cos(lam), -np.sin(phi) * np.sin(lam), np.cos(phi)])
    east = np.array([-np.sin(lam), np.cos(lam), 0.0])
    down = -np.array([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    away = ecef(np.radians(47.2), np.radians(8.3), 900.0) - ecef(phi, lam, 400.0)
    expected = [north @ away, east @ away, down @ away]
    assert geodetic_to_tangent(47.2, 8.3, 900.0, (47.0, 8.0, 400.0)) == pytest.approx(expected, abs=1e-8)


def test_another_library_says_the_same() -> None:
    pymap3d = pytest.importorskip("pymap3d")
    expected = pymap3d.geodetic2ned(47.2, 8.3, 900.0, 47.0, 8.0, 400.0)
    assert Origin(47.0, 8.0, 400.0).to_ned(47.2, 8.3, 900.0) == pytest.approx(expected, abs=1e-6)
    lat, lon, height = tangent_to_geodetic(np.array([1e3, 2e3, -30.0]), (47.0, 8.0, 400.0))
    assert (lat, lon, height) == pytest.approx(
        pymap3d.ned2geodetic(1e3, 2e3, -30.0, 47.0, 8.0, 400.0), abs=1e-6
    )


@pytest.mark.parametrize(
    "place", [(91.0, 0.0, 0.0), (0.0, 361.0, 0.0), (np.nan, 0.0, 0.0), (0.0, 0.0, np.inf)]
)
def test_no_place_no_origin(place: tuple[float, float, float]) -> None:
    with pytest.raises(DataError, match="an origin's"):
        Origin(*place)


def test_the_declination() -> None:
    pytest.importorskip("pygeomag")
    # NOAA's own test values of WMM2025: 2025.0, 0 km, 80 N 0 E: 1.28; and 0 N 120 E: -0.16.
    assert np.degrees(magnetic_declination(80.0, 0.0, 0.0, 2025.0)) == pytest.approx(1.28, abs=0.01)
    assert np.degrees(magnetic_declination(0.0, 120.0, 0.0, 2025.0)) == pytest.approx(-0.16, abs=0.01)
    for year in (2010.0, 2014.99, 2015.0, 2020.0, 2025.0, 2030.0):
        assert abs(magnetic_declination(47.0, 8.0, 400.0, year)) < 0.1
    assert magnetic_declination(47.0, 8.0, 400.0) == magnetic_declination(47.0, 8.0, 400.0, 2025.0)


def test_a_missing_model_is_said_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygeomag", None)
    with pytest.raises(MissingExtraError, match=r"boresight\[navigation\]"):
        magnetic_declination(47.0, 8.0, 400.0)


@pytest.mark.parametrize("year", [1990.0, 2009.99, 2030.01, 2100.0, 0.0, -2025.0, np.nan, np.inf, 20255.0])
def test_a_year_that_no_model_covers_is_refused(year: float) -> None:
    with pytest.raises(DataError, match="the magnetic model has no year .*; give one from 2010 to 2030"):
        magnetic_declination(47.0, 8.0, 400.0, year)
    with pytest.raises(DataError, match="the magnetic model has no year"):
        Eskf(year=year)
    with pytest.raises(DataError, match="the magnetic model has no year"):
        run(simulate("flight", seed=1, duration=10.0), year=year)


def test_a_year_is_a_number() -> None:
    with pytest.raises(TypeError, match="^year is a str; give a number, of the calendar"):
        Eskf(year="2025")  # type: ignore[arg-type]


def at(log: Log, years: float) -> Log:
    """The log on a clock that counts from 1970."""
    shift = round(years * 365.2425 * 86400) * 10**9 - log.start
    streams = {}
    for name, stream in log.streams.items():
        table = stream.table()
        for column in ("time", "time_sample"):
            if column in table.column_names:
                index = table.column_names.index(column)
                table = table.set_column(index, column, pa.array(stream.column(column) + shift))
        streams[name] = stream.replace(rows=table)
    return dataclasses.replace(log, streams=streams)


def test_the_logs_own_clock_says_the_year_where_it_is_one_of_the_calendar() -> None:
    pytest.importorskip("pygeomag")
    log = simulate("flight", seed=1, duration=20.0)
    estimate = run(log)
    assert estimate.origin is not None
    assert estimate.declination == estimate.origin.declination(2025.0)
    for year in (2012.5, 2024.2, 2028.0):
        dated = run(at(log, year - 1970.0))
        assert dated.origin is not None
        assert dated.declination == pytest.approx(dated.origin.declination(year), abs=1e-5)
        assert abs(dated.declination - estimate.declination) > 1e-4
        assert run(at(log, year - 1970.0), year=2025.0).declination == pytest.approx(
            estimate.declination, abs=1e-9
        )
    early = run(at(log, 2004.0 - 1970.0))
    assert early.origin is not None
    assert early.declination == pytest.approx(early.origin.declination(2010.0), abs=1e-9)
    said = [notice.message for notice in early.notices if notice.code == "year"]
    assert len(said) == 1 and "2004" in said[0] and "2010" in said[0]


def test_a_receiver_that_knows_the_date_says_the_year() -> None:
    pytest.importorskip("pygeomag")
    log = simulate("flight", seed=1, duration=20.0)
    dated = dataclasses.replace(log, metadata={**log.metadata, "gnss_utc": "2012-07-02T00:00:00"})
    estimate = run(dated)
    assert estimate.origin is not None
    assert estimate.declination == pytest.approx(estimate.origin.declination(2012.5), abs=1e-5)
    damaged = dataclasses.replace(log, metadata={"gnss_utc": "noon"})
    assert run(damaged).declination == run(log).declination
