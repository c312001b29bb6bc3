"""Restarted, wrapped, disordered and broken clocks."""

from __future__ import annotations

import numpy as np
import pytest

from boresight.diagnosis import diagnose_arrays
from boresight.diagnosis.clock import seconds, tracks_of
from boresight.errors import DataError

TIME = np.arange(1000) * 0.01
QUAT = np.tile([0.0, 0.0, 0.0, 1.0], (1000, 1))
RATE = np.random.default_rng(0).normal(size=(1000, 3))


def test_good_streams_are_taken_as_they_are() -> None:
    tracks = tracks_of([("attitude", TIME + 5.0, QUAT), ("gyro", TIME + 5.5, RATE)])
    assert tracks["attitude"].start == 0.0
    assert tracks["gyro"].start == pytest.approx(0.5)
    assert tracks["gyro"].stored is RATE
    assert tracks["gyro"].rows is None
    assert tracks["attitude"].period == pytest.approx(0.01)
    faults = tracks["gyro"].faults
    assert (faults.rows, faults.invalid, faults.duplicates, faults.restarts, faults.gaps) == (
        1000,
        0,
        0,
        0,
        0,
    )


def test_rows_without_numbers_become_gaps() -> None:
    quat, rate = QUAT.copy(), RATE.copy()
    quat[300:400] = np.nan
    quat[500:550] = 0.0
    rate[700] = np.inf
    tracks = tracks_of([("attitude", TIME, quat), ("gyro", TIME, rate)])
    assert tracks["attitude"].faults.invalid == 150
    assert tracks["attitude"].faults.gaps == 2
    assert tracks["attitude"].faults.longest_gap == pytest.approx(1.01)
    assert tracks["gyro"].faults.invalid == 1
    assert tracks["gyro"].faults.gaps == 0  # one row is bridged


def test_double_stamps_and_swapped_rows_are_put_in_order() -> None:
    time = TIME.copy()
    time[100] = time[99]
    time[200], time[201] = time[201], time[200]
    track = tracks_of([("attitude", time, QUAT), ("gyro", time, RATE)])["gyro"]
    assert (track.faults.duplicates, track.faults.disordered) == (1, 1)
    assert (np.diff(track.clock) > 0).all()
    np.testing.assert_array_equal(track.take(np.array([199]))[0], RATE[201])


def test_a_restart_moves_all_streams_alike() -> None:
    """Both clocks begin anew at row 600; the gyro's second part begins a little earlier."""
    attitude = np.where(np.arange(1000) < 600, TIME + 50.0, TIME - 6.0 + 1.0)
    gyro = np.where(np.arange(1000) < 590, TIME + 50.0, TIME - 5.9 + 0.9)
    tracks = tracks_of([("attitude", attitude, QUAT), ("gyro", gyro, RATE)])
    a, g = tracks["attitude"], tracks["gyro"]
    assert a.faults.restarts == g.faults.restarts == 1
    assert (np.diff(a.clock) > 0).all()
    assert a.clock[600] - g.clock[590] == pytest.approx(attitude[600] - gyro[590])
    assert a.faults.gaps == g.faults.gaps == 1


def test_a_wrapped_counter_is_a_restart() -> None:
    counter = (np.arange(1000) + 65000) % 65536 / 50.0
    track = tracks_of([("attitude", counter, QUAT), ("gyro", counter, RATE)])["attitude"]
    assert track.faults.restarts == 1
    assert len(track) == 1000
    assert (np.diff(track.clock) > 0).all()


def test_where_only_one_stream_restarts_its_longest_part_is_kept() -> None:
    time = np.where(np.arange(1000) < 200, TIME + 50.0, TIME - 2.0)
    tracks = tracks_of([("attitude", TIME, QUAT), ("gyro", time, RATE)])
    assert len(tracks["gyro"]) == 800
    np.testing.assert_array_equal(tracks["gyro"].take(slice(0, 800)), RATE[200:])


def test_integers_are_nanoseconds() -> None:
    stamps = np.array([1_700_000_000_000_000_000, 1_700_000_000_500_000_000])
    np.testing.assert_allclose(np.diff(seconds(stamps, 2, "time")), [0.5], atol=1e-6)
    stamped = stamps.astype("datetime64[ns]")
    np.testing.assert_allclose(np.diff(seconds(stamped, 2, "time")), [0.5], atol=1e-6)


def test_there_must_be_one_time_for_each_row() -> None:
    with pytest.raises(DataError, match=r"gyro.*3 rows"):
        seconds(np.arange(2.0), 3, "the times of gyro")


@pytest.mark.parametrize("at", [0, 300, 999])
@pytest.mark.parametrize("wild", [0.0, -1e300, 1e18, 4.3e9])
def test_a_single_stamp_far_from_all_others_is_no_time(at: int, wild: float) -> None:
    time = TIME + 1.7e9
    time[at] = wild
    for other in (time, TIME + 1.7e9):
        tracks = tracks_of([("attitude", time, QUAT), ("gyro", other, RATE)])
        track = tracks["attitude"]
        assert (track.faults.invalid, track.faults.restarts, len(track)) == (1, 0, 999)
        assert track.end - track.start < 10.0
        assert len(tracks["gyro"]) == 999 + (other is not time)


def test_stamps_of_zero_before_the_clock_is_set_are_no_times() -> None:
    time = TIME + 1.7e9
    time[::50] = 0.0
    track = tracks_of([("attitude", time, QUAT)])["attitude"]
    assert (track.faults.invalid, len(track)) == (20, 980)
    assert track.end - track.start < 10.0


def test_a_clock_that_is_set_while_it_runs_starts_anew() -> None:
    time = np.where(np.arange(1000) < 400, TIME, TIME + 1.7e9)
    tracks = tracks_of([("attitude", time, QUAT), ("gyro", time, RATE)])
    for track in tracks.values():
        assert (track.faults.restarts, track.faults.gaps, len(track)) == (1, 1, 1000)
        assert track.end - track.start < 30.0
    # Where one stream alone has parts, their place is not known, and the longest is kept.
    alone = tracks_of([("attitude", time, QUAT), ("gyro", TIME + 1.7e9, RATE)])
    assert len(alone["attitude"]) == 600
    assert alone["attitude"].start - alone["gyro"].start == pytest.approx(4.0)


def test_rows_that_are_truly_far_apart_are_kept() -> None:
    track = tracks_of([("attitude", TIME * 1e9, QUAT)])["attitude"]
    assert (track.faults.invalid, track.faults.restarts, len(track)) == (0, 0, 1000)


def test_a_moment_that_is_none_is_no_time() -> None:
    stamps = np.array(["2020-01-01T00:00:00", "NaT", "2020-01-01T00:00:01"], dtype="datetime64[ns]")
    np.testing.assert_array_equal(np.isnan(seconds(stamps, 3, "time")), [False, True, False])


@pytest.mark.parametrize(
    "times", [np.array(["a", "b"]), np.array([1j, 2j]), np.array([None, {}], dtype=object)]
)
def test_times_are_numbers(times: np.ndarray) -> None:
    with pytest.raises(DataError, match=r"the times of gyro.*not numbers"):
        seconds(times, 2, "the times of gyro")


def test_gaps_that_no_grid_can_span_are_said() -> None:
    time = np.arange(2000) * 0.01 + np.arange(2000) // 20 * 80_000.0
    quat = np.tile([1.0, 0.0, 0.0, 0.0], (2000, 1))
    with pytest.raises(DataError, match=r"92 days.*cut the log"):
        diagnose_arrays(time, quat=quat, gyro=np.zeros((2000, 3)))


def test_fill_values_are_no_numbers() -> None:
    rate = RATE.copy()
    rate[::10] = 3.4e38
    tracks = tracks_of([("attitude", TIME, QUAT * 1e100), ("gyro", TIME, rate)])
    assert tracks["gyro"].faults.invalid == 100
    assert tracks["attitude"].faults.invalid == 0
