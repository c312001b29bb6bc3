"""What `inspect` says of a log: rates, durations, gaps, invalid rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from boresight import conventions
from boresight.logs.model import Log, Stream
from boresight.logs.summary import Gap, summarise, summarise_stream

MS = 1_000_000


def attitude(time: list[int], w: list[float] | None = None) -> Stream:
    n = len(time)
    columns = {
        "time": pa.array(time, pa.int64()),
        "qx": np.zeros(n),
        "qy": np.zeros(n),
        "qz": np.zeros(n),
        "qw": np.ones(n) if w is None else np.array(w),
    }
    return Stream("attitude", "orientation", conventions.get("px4"), "body", pa.table(columns))


def test_the_rate_is_that_between_gaps() -> None:
    time = [k * 10 * MS for k in range(101)] + [10_000 * MS + k * 10 * MS for k in range(100)]
    summary = summarise_stream(attitude(time))
    assert summary.rate == 100.0
    assert summary.gaps == (Gap(100, 1000 * MS, 10_000 * MS),)
    assert summary.gaps[0].seconds == 9.0
    assert summary.duration == 10.99


def test_five_intervals_are_no_gap_yet() -> None:
    even = [k * 10 * MS for k in range(20)]
    assert summarise_stream(attitude([*even, even[-1] + 50 * MS])).gaps == ()
    assert len(summarise_stream(attitude([*even, even[-1] + 50 * MS + 1])).gaps) == 1


def test_invalid_rows_are_counted_and_the_first_is_named() -> None:
    summary = summarise_stream(attitude([k * MS for k in range(6)], [1.0, 1.0, 0.0, 1.0, np.nan, 1.0]))
    assert (summary.invalid, summary.first_invalid) == (2, 2)
    summary = summarise_stream(attitude([0, MS]))
    assert (summary.invalid, summary.first_invalid) == (0, None)


def test_times_that_go_back_or_stand_still() -> None:
    summary = summarise_stream(attitude([0, MS, MS, 3 * MS, 2 * MS, 4 * MS]))
    assert (summary.backward, summary.repeated) == (1, 1)
    assert (summary.start, summary.end) == (0, 4 * MS)


def test_streams_of_no_row_and_of_one() -> None:
    none = summarise_stream(attitude([]))
    assert (none.start, none.end, none.rate, none.duration, none.gaps) == (None, None, None, 0.0, ())
    one = summarise_stream(attitude([5 * MS]))
    assert (one.start, one.end, one.rate, one.duration, one.gaps) == (5 * MS, 5 * MS, None, 0.0, ())
    assert summarise_stream(attitude([MS, MS])).rate is None


def test_a_whole_log_keeps_its_order_and_becomes_plain_values() -> None:
    second = attitude([0, 10 * MS]).replace(name="attitude/1")
    log = Log({"attitude/1": second, "attitude": attitude([0, 10 * MS, 20 * MS])})
    summaries = summarise(log)
    assert [summary.stream.name for summary in summaries] == ["attitude/1", "attitude"]
    plain = summaries[1].to_dict()
    assert plain["rate_hz"] == 100.0
    assert (plain["axes"], plain["world"], plain["order"]) == ("FRD", "NED", "wxyz")
    assert plain["columns"] == ["time", "qx", "qy", "qz", "qw"]
