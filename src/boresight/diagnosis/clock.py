"""Clocks as logs have them: restarted, wrapped, with double stamps, gaps and rows without numbers.

Every stream is brought to seconds from one moment, in order, without what cannot be used. Nothing is interpolated
here; the rows stay where they are and only their indices are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boresight.errors import DataError

__all__ = ["Faults", "Track", "seconds", "settle", "tracks_of"]

Floats = NDArray[np.float64]

PIECE = 1_000_000
"""Rows worked on at a time: what is copied is this long, whatever the log."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What was wrong with a stream's rows and clock."""

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
    """A stream's usable rows in the order of time.

    Attributes
    ----------
    time : ndarray, shape (n,)
        Seconds from the diagnosis's own zero, increasing.
    values : ndarray, shape (n, components)
    gap : ndarray of bool, shape (n - 1,)
        Whether the time between two rows is a gap and not to be bridged.
    faults : Faults
    """

    time: Floats
    values: Floats
    gap: NDArray[np.bool_]
    faults: Faults = field(default_factory=Faults)

    @property
    def period(self) -> float:
        """Median time between rows."""
        return self.faults.period

    def __len__(self) -> int:
        return len(self.time)


def seconds(time: ArrayLike, rows: int, name: str) -> Floats:
    """Return times as float64 seconds; integers are nanoseconds and are counted from the first row.

    Raises
    ------
    DataError
        If there is not one time for each row.
    """
    given = np.asarray(time)
    if given.dtype.kind in "mM":
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
        return given.astype(np.float64) * 1e-9 if len(given) == 0 else _nanoseconds(given)
    return given.astype(np.float64, copy=False)


def _nanoseconds(given: NDArray[np.integer]) -> Floats:
    out = np.empty(len(given))
    for at in range(0, len(given), PIECE):
        out[at : at + PIECE] = given[at : at + PIECE] * 1e-9
    return out


def usable(values: Floats, *, quaternion: bool = False) -> NDArray[np.bool_]:
    """Return which rows are finite, and for quaternions not all zero, piece by piece."""
    good = np.empty(len(values), dtype=np.bool_)
    for at in range(0, len(values), PIECE):
        piece = values[at : at + PIECE]
        good[at : at + PIECE] = np.isfinite(piece).all(axis=-1)
        if quaternion:
            good[at : at + PIECE] &= piece.any(axis=-1)
    return good


def _segments(time: Floats) -> NDArray[np.intp]:
    """Borders where a clock went back by more than neighbouring rows can have changed places: a restart or a wrap."""
    steps = np.diff(time)
    if not (steps < 0).any():
        return np.array([0, len(time)], dtype=np.intp)
    period = float(np.median(np.abs(steps)))
    back = np.flatnonzero(steps < -max(20.0 * period, 1.0))
    return np.concatenate(([0], back + 1, [len(time)])).astype(np.intp)


def tracks_of(
    streams: Sequence[tuple[str, Floats, Floats]],
) -> dict[str, Track]:
    """Bring all streams to one increasing clock.

    Where every stream restarts equally often, the parts are laid one after the other with the same shift for all;
    where they do not, each keeps the part that most streams share: its longest.

    Parameters
    ----------
    streams : sequence of (name, times in seconds, values)
        Values of shape (n, components); those named ``"attitude"`` are quaternions.
    """
    chosen: dict[str, tuple[Floats, Floats, NDArray[np.intp], NDArray[np.bool_]]] = {}
    for name, time, values in streams:
        good = usable(values, quaternion=name == "attitude") & np.isfinite(time)
        every = bool(good.all())
        times = time if every else time[good]
        chosen[name] = (times, values, _segments(times), good)
    counts = {len(borders) - 1 for *_, borders, _ in chosen.values() if borders[-1] > 0}
    shifts = [0.0]
    if len(counts) == 1 and (parts := counts.pop()) > 1:
        for part in range(1, parts):
            ends: list[float] = []
            starts: list[float] = []
            for times, _, borders, _ in chosen.values():
                if borders[-1]:
                    ends.append(float(times[borders[part - 1] : borders[part]].max()) + shifts[-1])
                    starts.append(float(times[borders[part] : borders[part + 1]].min()))
            shifts.append(max(ends) + 10.0 - min(starts))
    out: dict[str, Track] = {}
    zero = next((times[0] for times, *_ in chosen.values() if len(times)), 0.0)
    for name, (times, values, borders, good) in chosen.items():
        out[name] = _track(times, values, borders, good, shifts, zero)
    return out


def _track(
    times: Floats,
    values: Floats,
    borders: NDArray[np.intp],
    good: NDArray[np.bool_],
    shifts: Sequence[float],
    zero: float,
) -> Track:
    rows, restarts = len(good), len(borders) - 2
    keep: NDArray[np.intp] | None = None if len(times) == rows else np.flatnonzero(good)
    if restarts > 0:
        if len(shifts) == restarts + 1:
            times = times.copy()
            for part, shift in enumerate(shifts):
                times[borders[part] : borders[part + 1]] += shift
        else:
            part = int(np.argmax(np.diff(borders)))
            inside = slice(borders[part], borders[part + 1])
            times = times[inside]
            keep = np.arange(rows)[inside] if keep is None else keep[inside]
    steps = np.diff(times)
    disordered = int(np.count_nonzero(steps < 0))
    if disordered:
        order = np.argsort(times, kind="stable")
        times = times[order]
        keep = order if keep is None else keep[order]
        steps = np.diff(times)
    fresh = np.ones(len(times), dtype=np.bool_)
    fresh[1:] = steps > 0
    duplicates = int(len(fresh) - np.count_nonzero(fresh))
    if duplicates:
        times = times[fresh]
        keep = np.flatnonzero(fresh) if keep is None else keep[fresh]
        steps = np.diff(times)
    period = float(np.median(steps)) if len(steps) else float("nan")
    gap = steps > max(6.0 * period, 0.25) if len(steps) else np.zeros(0, dtype=np.bool_)
    faults = Faults(
        rows=rows,
        invalid=rows - int(np.count_nonzero(good)),
        duplicates=duplicates,
        disordered=disordered,
        restarts=max(restarts, 0),
        gaps=int(np.count_nonzero(gap)),
        longest_gap=float(steps[gap].max()) if gap.any() else 0.0,
        period=period,
    )
    return Track(times - zero, values if keep is None else values[keep], gap, faults)


def settle(track: Track | None) -> bool:
    """Return whether a track has rows enough to be of any use."""
    return track is not None and len(track) >= 3
