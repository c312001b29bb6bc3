"""A picture of a diagnosis: the gyro beside the attitude's turns, gravity in the world, and the direction of travel.

Each is shown under the reading that was declared and under the best that the data leave. Where they agree under both, the
data cannot tell the two apart, and the picture shows that too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.evidence import Evidence
from boresight.diagnosis.model import Diagnosis, Reading
from boresight.diagnosis.rates import Hypothesis, attitude_under
from boresight.diagnosis.twins import parse_axes, sense_of, turns_of
from boresight.errors import DataError, MissingExtraError

__all__ = ["draw", "save"]

Floats = NDArray[np.float64]

_WRONG, _RIGHT, _MEASURED, _TEXT = "#c8372d", "#2e8b57", "#8d99a6", "#3b444e"
_AXES = ("#c8372d", "#2e8b57", "#2b5fa8")
_WINDOW = 30.0
_MOST = 4000
"""Seconds of rates, and points of any line, that are drawn."""
_HEADS = {
    "contradicted": "the numbers are not what they are declared to be",
    "ambiguous": "more than one reading is left",
    "not_observable": "something is missing that could tell",
    "undeclared": "nothing is declared; the data support this reading",
    "consistent": "the data support what is declared",
}


@dataclass(frozen=True)
class _Shown:
    """One reading, with what it makes of the log."""

    name: str
    hypothesis: Hypothesis
    turns: Any
    place: Floats
    color: str
    same_frame: bool
    hand: int = 1
    placed: str = ""
    """How the velocities' axes are read, where that is what tells two readings apart."""

    @property
    def label(self) -> str:
        """Its name in a legend."""
        return f"{self.name}, {self.placed}" if self.placed else self.name

    def turns_as(self, other: _Shown) -> bool:
        """Whether the attitude is the same under both, so that only velocities differ."""
        return self.hypothesis == other.hypothesis and self.turns is other.turns

    def mount(self, evidence: Evidence) -> Floats:
        """M to the axes of the reading with w first: none where attitude and gyro are said to be in one frame."""
        assert evidence.rates is not None
        if self.same_frame:
            return np.asarray(self.turns.body.T, dtype=np.float64)
        fits = evidence.rates.fits
        keys = [key for key in fits if key[0] == self.hypothesis]
        # A mirrored mount fits nearly as well where turns are small: it is not what a reading means unless it says so.
        return evidence.rates.mount(max(keys, key=lambda key: (key[1] == self.hand, fits[key].r2)))


def save(diagnosis: Diagnosis, path: Path) -> None:
    """Draw a diagnosis and write it; the suffix of the path names the format (PNG, SVG, PDF).

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    DataError
        The log has too little for a picture.
    """
    draw(diagnosis).savefig(path, dpi=110)


def draw(diagnosis: Diagnosis) -> Any:
    """Draw a diagnosis as a matplotlib figure."""
    evidence = diagnosis.data
    if evidence is None or evidence.grid is None:
        raise DataError(
            "there is nothing to draw: the attitude has too few rows", path=diagnosis.source or None
        )
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", extra="view") from None
    figure: Any = Figure(figsize=(11, 8.2), layout="constrained")
    FigureCanvasAgg(figure)
    shown = _readings(diagnosis, evidence)
    refuted = diagnosis.verdict == "contradicted"
    places: Any = figure.add_gridspec(4, 2, height_ratios=(1.0, 1.0, 1.0, 1.9))
    _rates(figure, places, evidence, shown)
    moves = _moves(evidence)
    _gravity(figure.add_subplot(places[3, :] if moves is None else places[3, 0]), evidence, shown)
    if moves is not None:
        _travel(
            figure,
            places[3, 1],
            evidence,
            shown,
            moves,
            down=str(diagnosis.declared.get("world_up")) == "-z",
            refuted=refuted,
        )
    head = diagnosis.verdict.replace("_", " ")
    name = Path(diagnosis.source).name
    figure.suptitle(f"{name}: {head} ({_HEADS[diagnosis.verdict]})" if name else head, color=_TEXT)
    return figure


# -- which readings ------------------------------------------------------------------------------------------------


def _readings(diagnosis: Diagnosis, evidence: Evidence) -> tuple[_Shown, ...]:
    """What is declared (or else the opposite sense) and the best; one alone where they are the same."""
    declared = diagnosis.declared
    one = bool(declared.get("same_frame"))
    quaternion = evidence.form == "quat"
    direction = declared.get("direction")
    first: _Shown | None = None
    if direction is not None:
        order = declared.get("order", "wxyz") if quaternion else "wxyz"
        said = f"declared: {_said(order if quaternion else None, direction, 'none')}"
        hypothesis = Hypothesis(sense_of(order, direction))
        first = _Shown(said, hypothesis, turns_of(order, direction), np.eye(3), _WRONG, one)
    best = diagnosis.best[0] if diagnosis.best else None
    if best is None:
        if first is not None:
            return (first,)
        plain = Hypothesis("same")
        turns = turns_of("wxyz", "body_to_world")
        return (_Shown("as it stands", plain, turns, np.eye(3), _WRONG, one),)
    # A claim that the data have refuted does not hold for the best reading.
    second = _best(best, evidence, one and best.imu_axes in (None, "+x+y+z"))
    if first is None:
        other = Hypothesis("inverse" if best.sense == "same" else "same")
        flipped = "world_to_body" if best.direction == "body_to_world" else "body_to_world"
        order = best.order or "wxyz"
        said = f"the other way round: {_said(best.order, flipped, 'none')}"
        first = _Shown(said, other, turns_of(order, flipped), second.place, _WRONG, one)
    if first.turns_as(second):
        if np.array_equal(first.place, second.place):
            return (replace(first, color=_RIGHT, same_frame=second.same_frame),)
        first = replace(first, placed="velocities in its world")
        second = replace(second, placed=f"velocities are its {best.position_axes}")
    return first, second


def _best(reading: Reading, evidence: Evidence, same_frame: bool) -> _Shown:
    order = reading.order or "wxyz"
    hypothesis = Hypothesis(reading.sense)
    if reading.half_converted != "none" and evidence.rates is not None:
        fits = evidence.rates.fits
        halves = [key for key in fits if key[0].sense == reading.sense and key[0].half is not None]
        hypothesis = max(halves, key=lambda key: fits[key].r2)[0]
    hand = -1 if reading.mount is not None and np.linalg.det(np.array(reading.mount)) < 0 else 1
    place = np.eye(3) if reading.position_axes is None else parse_axes(reading.position_axes)
    said = f"best: {_said(reading.order, reading.direction, reading.half_converted)}"
    return _Shown(said, hypothesis, turns_of(order, reading.direction), place, _RIGHT, same_frame, hand)


def _said(order: str | None, direction: str, half: str) -> str:
    words = [order] if order else []
    words.append(direction.replace("_", " "))
    if half != "none":
        words.append("an Euler angle negated")
    return ", ".join(words)


# -- rates ---------------------------------------------------------------------------------------------------------


def _rates(figure: Any, places: Any, evidence: Evidence, shown: tuple[_Shown, ...]) -> None:
    rates = evidence.rates
    if rates is None:
        axes: Any = figure.add_subplot(places[0:3, :])
        _empty(axes, "no gyro in the log: nothing here tells an attitude from its inverse")
        return
    columns = shown
    if len(shown) == 2 and shown[0].turns_as(shown[1]):
        both = shown[1].name.removeprefix("best: ")
        columns = (replace(shown[1], name=f"declared and best: {both}; only the velocities differ"),)
    times = rates.own[rates.index]
    measured = rates.gyro / rates.scale
    part = _liveliest(times, measured)
    curves: list[Floats] = []
    shares: list[float] = []
    for one in columns:
        turned = rates.series[one.hypothesis] @ one.mount(evidence)
        good = np.isfinite(turned[:, 0])
        turned += (measured - turned)[good].mean(axis=0)
        spread = measured[good] - measured[good].mean(axis=0)
        curves.append(turned)
        shares.append(1.0 - float(((measured - turned)[good] ** 2).sum() / (spread**2).sum()))
    largest = float(np.abs(measured[part]).max())
    # Of an attitude that jumps, the jumps may be cut off.
    wanted = max(float(np.nanmax(np.abs(turned[part]), initial=0.0)) for turned in curves)
    limit = 1.08 * max(largest, min(wanted, 3.0 * largest)) or 1.0
    length, whole = float(times[part][-1] - times[part][0]), float(times[-1] - times[0])
    window = f" ({length:.0f} s of {whole:.0f}, the liveliest)" if length < 0.95 * whole else ""
    shared: Any = None
    for column, (one, turned, explained) in enumerate(zip(columns, curves, shares, strict=True)):
        for row, name in enumerate("xyz"):
            place = places[row, column] if len(columns) == 2 else places[row, :]
            axes = figure.add_subplot(place, sharex=shared, sharey=shared)
            shared = axes if shared is None else shared
            at, gyro, ours = _broken(times[part], measured[part, row], turned[part, row])
            axes.plot(at, gyro, color=_MEASURED, linewidth=3.2, alpha=0.6, label="gyro")
            axes.plot(at, ours, color=one.color, linewidth=1.0, label="from the attitude")
            axes.set_ylim(-limit, limit)
            axes.set_ylabel(f"{name}, rad/s")
            _plain(axes)
            axes.tick_params(labelbottom=row == 2, labelleft=column == 0)
            if column:
                axes.set_ylabel("")
            if row == 0:
                axes.set_title(
                    f"{one.name}\n{_explains(explained)}",
                    fontsize=10,
                    color=one.color,
                    loc="left",
                )
                if column == 0:
                    # Beside the title, where there are no curves.
                    axes.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 0.98))
            if row == 2:
                axes.set_xlabel(f"time, s{window}")


def _explains(share: float) -> str:
    if share < 0.0:
        return "its body rates explain none of the gyro"
    return f"its body rates explain {100 * share:.3g} % of the gyro"


def _liveliest(times: Floats, rates: Floats) -> slice:
    """The stretch of so many seconds that turns most."""
    energy: Floats = np.concatenate([[0.0], np.cumsum(np.sum(rates * rates, axis=1))])
    ends = np.searchsorted(times, times + _WINDOW)
    first = int(np.argmax(energy[ends] - energy[:-1]))
    last = int(ends[first])
    # What is at rest at the end is left out, but for a little.
    used = int(np.count_nonzero(energy < energy[first] + 0.98 * (energy[last] - energy[first])))
    return slice(first, min(last, max(used + (used - first) // 4, first + 2)))


def _broken(times: Floats, *series: Floats) -> tuple[Floats, ...]:
    """Lines that end where samples are missing."""
    steps = np.diff(times)
    holes = np.flatnonzero(steps > 4.0 * float(np.median(steps))) + 1 if len(steps) else np.zeros(0, np.intp)
    return tuple(np.insert(values, holes, np.nan) for values in (times, *series))


# -- gravity -------------------------------------------------------------------------------------------------------


def _gravity(axes: Any, evidence: Evidence, shown: tuple[_Shown, ...]) -> None:
    if evidence.force is None or evidence.grid is None or evidence.rates is None:
        _empty(axes, "no accelerometer beside the gyro: no gravity")
        return
    time = evidence.grid.time[:-1]
    every = max(len(time) // _MOST, 1)
    for one in reversed(shown):
        world = _world_force(evidence, one)
        up = world / np.linalg.norm(world, axis=1, keepdims=True)
        best = one is shown[-1]
        for row, name in enumerate("xyz"):
            axes.plot(
                time[::every],
                _smooth(up[:, row], 12)[::every],
                color=_AXES[row],
                linewidth=1.6 if best else 0.8,
                linestyle="-" if best else (0, (2, 2)),
                alpha=0.9 if best else 0.75,
                label=f"{name}" if best else None,
            )
    axes.set_ylim(-1.1, 1.45)
    axes.set_yticks([-1, 0, 1])
    axes.set_xlabel("time, s")
    other = shown[0].name.partition(":")[0]
    kinds = f"best solid, {other} dotted" if len(shown) == 2 else shown[0].name
    axes.set_title(
        f"direction of the measured force, in the world's axes\n({kinds})", fontsize=10, color=_TEXT
    )
    axes.set_ylabel("share of its length")
    axes.legend(frameon=False, ncols=3, fontsize=8, loc="upper right")
    _plain(axes)


def _world_force(evidence: Evidence, one: _Shown) -> Floats:
    assert evidence.grid is not None and evidence.force is not None
    body = evidence.force @ one.mount(evidence).T
    attitude = attitude_under(evidence.grid.quat, one.hypothesis)
    return np.asarray(kernels.rotate(attitude[:-1], body), dtype=np.float64) @ one.turns.world.T


def _smooth(values: Floats, count: int) -> Floats:
    if len(values) <= count:
        return values
    known = np.nan_to_num(values)
    total = np.convolve(known, np.ones(count), mode="same")
    there = np.convolve(np.isfinite(values), np.ones(count), mode="same")
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.isfinite(values), total / there, np.nan)


# -- travel --------------------------------------------------------------------------------------------------------


def _moves(evidence: Evidence) -> NDArray[np.bool_] | None:
    """Steps on which the vehicle moves enough to have a direction; None where there are hardly any."""
    if evidence.velocity is None or evidence.grid is None:
        return None
    speed = np.linalg.norm(evidence.velocity, axis=1)
    known = speed[np.isfinite(speed)]
    if len(known) < 8:
        return None
    moves = speed > max(0.3, 0.3 * float(np.quantile(known, 0.9)))
    return moves if np.count_nonzero(moves) >= 8 else None


def _travel(
    figure: Any,
    place: Any,
    evidence: Evidence,
    shown: tuple[_Shown, ...],
    moves: NDArray[np.bool_],
    *,
    down: bool,
    refuted: bool,
) -> None:
    """Where the vehicle goes, seen from its body: one direction under the right reading of a car or a plane."""
    assert evidence.velocity is not None and evidence.grid is not None
    axes: Any = figure.add_subplot(place, projection="polar")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1 if down else 1)  # seen from above
    edges = np.linspace(-np.pi, np.pi, 73)
    for number, one in enumerate(shown):
        attitude = attitude_under(evidence.grid.quat, one.hypothesis)[:-1][moves]
        world = evidence.velocity[moves] @ one.place @ one.turns.world
        body = np.asarray(kernels.rotate_inverse(attitude, world), dtype=np.float64) @ one.turns.body.T
        angles = np.arctan2(body[:, 1], body[:, 0])
        counts, _ = np.histogram(angles[np.isfinite(angles)], edges)
        share = np.sqrt(counts / max(counts.sum(), 1))
        axes.bar(
            0.5 * (edges[1:] + edges[:-1]),
            share,
            width=edges[1] - edges[0],
            color=one.color if refuted or number == len(shown) - 1 else _MEASURED,
            alpha=0.55,
            label=one.label,
        )
    axes.set_yticks([])
    axes.set_xticks(np.radians([0, 90, 180, 270]), ["+x", "+y", "-x", "-y"], fontsize=9, color=_TEXT)
    axes.set_title("direction of travel, seen from the body", fontsize=10, color=_TEXT)
    axes.grid(color="#d5dae0", linewidth=0.5)
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12))


# -- looks ---------------------------------------------------------------------------------------------------------


def _plain(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=8, colors=_TEXT)
    axes.axhline(0.0, color="#d5dae0", linewidth=0.6, zorder=0)


def _empty(axes: Any, text: str) -> None:
    axes.text(0.5, 0.5, text, ha="center", va="center", fontsize=10, color=_TEXT, transform=axes.transAxes)
    axes.set_axis_off()
