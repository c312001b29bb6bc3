"""Times in text, exact to the nanosecond."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import DataError
from boresight.logs.times import TIME_UNITS, TimeUnit, parse_time


@pytest.mark.parametrize(
    ("text", "unit", "nanoseconds"),
    [
        ("1305031102.175304", "s", 1305031102175304000),
        ("1305031102.175304123", "s", 1305031102175304123),
        ("1.305031102175304000e+09", "s", 1305031102175304000),
        ("1.305031102175304123456789012345678e+09", "s", 1305031102175304123),
        ("-0.5", "s", -500000000),
        ("12", "ms", 12000000),
        ("0.0000000005", "s", 0),  # half to even
        ("0.0000000015", "s", 2),
        ("1e-30", "s", 0),
        ("1403636579763555584", "ns", 1403636579763555584),
        ("9223372036854775807", "ns", 2**63 - 1),
        ("-9223372036854775808", "ns", -(2**63)),
    ],
)
def test_values(text: str, unit: TimeUnit, nanoseconds: int) -> None:
    assert parse_time(pa.array([text]), unit).tolist() == [nanoseconds]
    # beside one that the fast way cannot take
    assert parse_time(pa.array([text, "0." + "0" * 40]), unit).tolist() == [nanoseconds, 0]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.sampled_from(sorted(TIME_UNITS)))
def test_any_time_comes_back(times: list[int], unit: TimeUnit) -> None:
    text = pa.array([format(Decimal(time).scaleb(-TIME_UNITS[unit]), "f") for time in times])
    assert parse_time(text, unit).tolist() == times


@pytest.mark.parametrize("text", ["", "abc", "nan", "inf", "1.2.3", "1e30", "0x10", "9223372036854775808"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(DataError, match="row 1"):
        parse_time(pa.array(["0", text]), "ns")


def test_chunks() -> None:
    assert parse_time(pa.chunked_array([["1"], ["2"]]), "s").tolist() == [10**9, 2 * 10**9]
    assert parse_time(pa.array([], pa.string()), "s").dtype == np.int64


@pytest.mark.parametrize("text", ["nan", "inf"])
def test_what_is_no_time_alone_gives_no_warning(text: str) -> None:
    with pytest.raises(DataError, match="row 0: '(nan|inf)' is no time"):
        parse_time(pa.array([text]), "s")
