"""Clocks as logs have them: restarted, wrapped, with double stamps, gaps and rows without numbers.

Every stream is brought to seconds from one moment, in order, without what cannot be used. Nothing is interpolated
here; the rows stay where they are and only their indices are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.errors import DataError

__all__ = ["PIECE", "Faults", "Track", "seconds", "tracks_of"]

Floats = NDArray[np.float64]

APART = 10.0
"""Seconds laid between what was logged before a restart and after."""
FAR = 86_400.0
"""Seconds that a clock jumps by, or a thousand of its periods where those are more, when it is set, or a stamp is wild.
Nothing that was logged lies between, and a grid over it would be larger than any memory."""
FEW = 8
"""Moments below which what lies so far from its neighbours in the log is no time at all."""
LARGEST = 1e15
"""What a sensor measures is less in any unit, and what stands for no number more."""
PIECE = 500_000
"""Rows worked on at a time: what is copied is this long, whatever the log."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What was wrong with a stream's rows and clock; invalid ones have no numbers, or times far from all others."""

    rows: int = 0
    invalid: int = 0
    duplicates: int = 0
    disordered: int = 0
    restarts: int = 0
    gaps: int = 0
    longest_gap: float = 0.0
    period: float = float("nan")


@dataclass(frozen=True, slots=True)
class Track:
    """A stream's usable rows in the order of time. Nothing is copied of a stream that needs no mending.

    Attributes
    ----------
    clock : ndarray, shape (n,)
        Seconds, increasing, in the stream's own clock but for restarts.
    zero : float
        What the clock shows at the diagnosis's own zero.
    stored : ndarray, shape (rows, components)
        Numbers as they are given.
    rows : ndarray of int, or None
        Row of `stored` for each entry of `clock`; None where they are the same.
    gaps : ndarray of int
        Entries after which there is a gap, not to be bridged.
    faults : Faults
    decode : callable, optional
        Makes of stored numbers what is meant by them.
    """

    clock: Floats
    zero: float
    stored: NDArray[Any]
    rows: NDArray[np.integer] | None
    gaps: NDArray[np.intp]
    faults: Faults
    decode: Callable[[NDArray[Any]], Floats] | None = None

    @property
    def period(self) -> float:
        """Median time between rows."""
        return self.faults.period

    @property
    def start(self) -> float:
        """Time of the first row in the diagnosis's own seconds."""
        return float(self.clock[0]) - self.zero

    @property
    def end(self) -> float:
        """Time of the last."""
        return float(self.clock[-1]) - self.zero

    def take(self, index: NDArray[np.intp] | slice) -> Floats:
        """Return the values of some entries."""
        chosen = self.stored[index if self.rows is None else self.rows[index]]
        return np.asarray(chosen, dtype=np.float64) if self.decode is None else self.decode(chosen)

    def __len__(self) -> int:
        return len(self.clock)


def seconds(time: ArrayLike, rows: int, name: str) -> Floats:
    """Return times as float64 seconds; integers are nanoseconds and are counted from the first row.

    Raises
    ------
    DataError
        If there is not one time for each row, or times are no numbers.
    """
    given = np.asarray(time)
    missing = None
    if given.dtype.kind in "mM":
        missing = np.isnat(given)
        given = given.astype("timedelta64[ns]" if given.dtype.kind == "m" else "datetime64[ns]").view(
            np.int64
        )
    if given.shape != (rows,):
        raise DataError(
            f"there are {rows} rows and times of shape {given.shape}",
            place=name,
            advice="give one time for each row",
        )
    if given.dtype.kind in "iu":
        out = _nanoseconds(given)
        if missing is not None:
            out[missing] = np.nan
        return out
    try:
        if given.dtype.kind in "fO":
            return given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    raise DataError(
        f"the times are {given.dtype}, not numbers",
        place=name,
        advice="give float seconds or integer nanoseconds",
    )


def _nanoseconds(given: NDArray[np.integer]) -> Floats:
    out = np.empty(len(given))
    for at in range(0, len(given), PIECE):
        out[at : at + PIECE] = given[at : at + PIECE] * 1e-9
    return out


def usable(
    values: NDArray[Any], *, quaternion: bool = False, sensor: bool = False
) -> NDArray[np.bool_] | None:
    """Return which rows are finite, for quaternions not all zero, and for sensors no fill values; None where all are."""
    good = np.empty(len(values), dtype=np.bool_)
    for at in range(0, len(values), PIECE):
        piece = values[at : at + PIECE]
        good[at : at + PIECE] = np.isfinite(piece).all(axis=-1)
        if sensor:
            good[at : at + PIECE] &= (np.abs(piece) < LARGEST).all(axis=-1)
        if quaternion:
            good[at : at + PIECE] &= piece.any(axis=-1)
    return None if good.all() else good


def _where(time: Floats, is_so: Callable[[Floats], NDArray[np.bool_]]) -> NDArray[np.intp]:
    """Entries after which the step of the clock is so, piece by piece."""
    found = [
        np.flatnonzero(is_so(np.diff(time[at : at + PIECE + 1]))) + at
        for at in range(0, max(len(time) - 1, 0), PIECE)
    ]
    return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)


def _period(time: Floats) -> float:
    """Median step of a clock, of half a million of them at most."""
    if len(time) < 2:
        return float("nan")
    index = np.arange(0, len(time) - 1, max(len(time) // 500_000, 1))
    return float(np.median(np.abs(time[index + 1] - time[index])))


def _segments(time: Floats) -> NDArray[np.intp]:
    """Borders where a clock went back by more than neighbouring rows can have changed places, or far ahead.

    It was restarted, wrapped, or set.
    """
    period = _period(time) if len(time) > 1 else 0.0
    back, ahead = max(20.0 * period, 1.0), max(1000.0 * period, FAR)
    return _borders(time, lambda steps: (steps < -back) | (steps > ahead))


def _borders(time: Floats, is_so: Callable[[Floats], NDArray[np.bool_]]) -> NDArray[np.intp]:
    return np.concatenate(([0], _where(time, is_so) + 1, [len(time)])).astype(np.intp)


def _wild(time: Floats) -> NDArray[np.bool_] | None:
    """Return which rows are of few moments far from those before and after; None where there are none."""
    if len(time) < 2:
        return None
    far = max(1000.0 * _period(time), FAR)
    if float(time.max()) - float(time.min()) <= far:
        return None
    borders = _borders(time, lambda steps: np.abs(steps) > far)
    out = np.zeros(len(time), dtype=np.bool_)
    for at, to in pairwise(borders):
        out[at:to] = to - at < FEW or len(np.unique(time[at:to])) < FEW
    return out if out.any() else None


@dataclass(slots=True)
class _Raw:
    """A stream on the way to a track."""

    clock: Floats
    stored: NDArray[Any]
    rows: NDArray[np.integer] | None
    borders: NDArray[np.intp]
    invalid: int

    def choose(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> None:
        """Keep some entries, in that order."""
        if self.rows is None:
            self.rows = np.arange(len(self.stored), dtype=np.int32 if len(self.stored) < 2**31 else np.int64)
        self.rows, self.clock = self.rows[index], self.clock[index]


def tracks_of(
    streams: Sequence[tuple[str, Floats, NDArray[Any]]],
    decode: Callable[[NDArray[Any]], Floats] | None = None,
    *,
    quaternion: bool = True,
) -> dict[str, Track]:
    """Bring all streams to one increasing clock.

    Where every stream restarts equally often, the parts are laid one after the other with the same shift for all;
    where they do not, each keeps its longest part.

    Parameters
    ----------
    streams : sequence of (name, times in seconds, values)
        Values of shape (n, components).
    decode : callable, optional
        Of the stream named ``"attitude"``.
    quaternion : bool
        Whether the attitude is stored in quaternions, of which a zero one is none.
    """
    raws: dict[str, _Raw] = {}
    for name, time, values in streams:
        good = usable(values, quaternion=quaternion and name == "attitude", sensor=name != "attitude")
        timed = usable(time[:, None])
        raw = _Raw(time, values, None, np.zeros(0, dtype=np.intp), 0)
        both = timed if good is None else good if timed is None else good & timed
        if both is not None:
            raw.choose(np.flatnonzero(both))
        if (wild := _wild(raw.clock)) is not None:
            raw.choose(~wild)
        raw.invalid = len(values) - len(raw.clock)
        raw.borders = _segments(raw.clock)
        raws[name] = raw
    shifts = _shifts([raw for raw in raws.values() if len(raw.clock)])
    zero = next((float(raw.clock[0]) for raw in raws.values() if len(raw.clock)), 0.0)
    return {
        name: _track(raw, shifts, zero, decode if name == "attitude" else None) for name, raw in raws.items()
    }


def _shifts(raws: Sequence[_Raw]) -> list[float]:
    """How far each part of the clocks is moved, where all have equally many parts; else no more than one zero."""
    shifts = [0.0]
    counts = {len(raw.borders) - 1 for raw in raws}
    if len(counts) != 1:
        return shifts
    for part in range(1, counts.pop()):
        ends: list[float] = []
        starts: list[float] = []
        for raw in raws:
            before, own, after = raw.borders[part - 1 : part + 2]
            ends.append(float(raw.clock[before:own].max()) + shifts[-1])
            starts.append(float(raw.clock[own:after].min()))
        shifts.append(max(ends) + APART - min(starts))
    return shifts


def _track(
    raw: _Raw, shifts: Sequence[float], zero: float, decode: Callable[[NDArray[Any]], Floats] | None
) -> Track:
    restarts = len(raw.borders) - 2
    if restarts > 0:
        if len(shifts) == restarts + 1:
            raw.clock = raw.clock.copy()
            for part, shift in enumerate(shifts):
                raw.clock[raw.borders[part] : raw.borders[part + 1]] += shift
        else:
            part = int(np.argmax(np.diff(raw.borders)))
            raw.choose(slice(int(raw.borders[part]), int(raw.borders[part + 1])))
    disordered = len(_where(raw.clock, lambda steps: steps < 0))
    if disordered:
        raw.choose(np.argsort(raw.clock, kind="stable"))
    again = _where(raw.clock, lambda steps: steps <= 0)
    if len(again):
        fresh = np.ones(len(raw.clock), dtype=np.bool_)
        fresh[again + 1] = False
        raw.choose(fresh)
    period = _period(raw.clock)
    long = max(6.0 * period, 0.25)
    gaps = _where(raw.clock, lambda steps: steps > long)
    faults = Faults(
        rows=len(raw.stored),
        invalid=raw.invalid,
        duplicates=len(again),
        disordered=disordered,
        restarts=max(restarts, 0),
        gaps=len(gaps),
        longest_gap=float((raw.clock[gaps + 1] - raw.clock[gaps]).max()) if len(gaps) else 0.0,
        period=period,
    )
    return Track(raw.clock, zero, raw.stored, raw.rows, gaps, faults, decode)
