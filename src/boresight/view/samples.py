"""A picture of rotations drawn from a law: how far they turn, beside the law, and where the body's axes point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boresight.errors import MissingExtraError
from boresight.rotation import Rotation
from boresight.rows import Floats
from boresight.sampling import Grid, Law, SuperFibonacci

__all__ = ["SampleSummary", "plot_samples", "summarise"]

# Cells of the angle that everything is counted in, and how many of them make a bar.
_CELLS = 720
_BARS = 90
# Points of each axis that are drawn; more would hide one another.
_POINTS = 4000
# Directions that a law's density is averaged over at each angle.
_AXES = 2000
_COLORS = ("#c8372d", "#2e8b57", "#2b5fa8")


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """Rotations counted by their angle, with some of them to draw.

    Attributes
    ----------
    rows : int
        How many there were.
    invalid : int
        How many of them hold no rotation.
    edge : float
        The angle, in radians, up to which they are counted: π, or where the law ends.
    counts : ndarray, shape (720,)
        How many turn by an angle in each of so many equal cells of [0, edge], about the law's centre.
    expected : ndarray, shape (720,) or None
        What share of the law is in each cell; None without a law.
    largest : float
        The largest angle, in radians; NaN where there is none.
    shown : Rotation, shape (n,)
        Some of the rotations, evenly through the set.
    difference : float or None
        The largest difference between the shares of samples and law below the edge of a cell; None without a law,
        and for a grid, which is no matter of chance.
    """

    rows: int
    invalid: int
    edge: float
    counts: Floats
    expected: Floats | None
    largest: float
    shown: Rotation[Any, Any]
    difference: float | None

    @property
    def limit(self) -> float:
        """What `difference` exceeds by chance in one of a thousand sets of this size: 1.95/√n."""
        return 1.95 / float(np.sqrt(max(self.rows - self.invalid, 1)))


def summarise(
    batches: Iterable[Rotation[Any, Any]], rows: int, law: Law[Any, Any] | Grid | None
) -> SampleSummary:
    """Go through rotations once, in bounded memory.

    Parameters
    ----------
    batches : iterable of Rotation
        Rows of NaN are counted and left out.
    rows : int
        How many there are in all.
    law : Law, Grid or None
        What they are compared with. Of a grid that is the uniform law.
    """
    center = _center(law)
    edge = _edge(law, center)
    # The last cell is what is beyond the edge.
    counts = np.zeros(_CELLS + 1)
    step = max(1, rows // _POINTS)
    seen, invalid, largest = 0, 0, np.nan
    shown: list[Floats] = []
    for batch in batches:
        angles = (center.inv() @ batch).angle()
        good = ~np.isnan(angles)
        invalid += int(np.count_nonzero(~good))
        if good.any():
            largest = float(np.fmax(largest, angles[good].max()))
        # A half turn is counted in the last of the cells that end with it.
        most = _CELLS if edge < np.pi else _CELLS - 1
        cells = np.minimum(angles[good] * (_CELLS / edge), most).astype(np.intp)
        counts += np.bincount(cells, minlength=_CELLS + 1)
        picked = np.arange(-seen % step, len(angles), step)
        shown.append(batch.as_quat(order="xyzw")[picked[good[picked]]])
        seen += len(angles)
    expected = None if law is None else _expected(law, center, edge)
    total = counts.sum()
    counts = counts[:_CELLS]
    difference = None
    if expected is not None and total and not isinstance(law, Grid):
        difference = float(np.abs(np.cumsum(counts) / total - np.cumsum(expected)).max())
    xyzw = np.concatenate(shown) if shown else np.empty((0, 4))
    return SampleSummary(
        seen, invalid, edge, counts, expected, largest, Rotation.from_quat(xyzw, order="xyzw"), difference
    )


def plot_samples(summary: SampleSummary, path: Path, *, title: str) -> None:
    """Draw a summary and write it; the suffix of the path names the format (PNG, SVG, PDF).

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", extra="view") from None
    figure: Any = Figure(figsize=(11, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    rows: Any = figure.add_gridspec(2, 3, height_ratios=(1.15, 1.0))
    _histogram(figure.add_subplot(rows[0, :]), summary)
    xyz = summary.shown.as_matrix()
    for i, name in enumerate("xyz"):
        globe: Any = figure.add_subplot(rows[1, i], projection="mollweide")
        _axis(globe, xyz[..., :, i], name, _COLORS[i])
    figure.suptitle(title)
    figure.savefig(path, dpi=130)


def _histogram(axes: Any, summary: SampleSummary) -> None:
    edges = np.linspace(0.0, summary.edge * (180 / np.pi), _BARS + 1)
    valid = summary.rows - summary.invalid
    total = max(valid, 1)
    width = edges[1] - edges[0]
    shares = summary.counts.reshape(_BARS, -1).sum(axis=1) / total / width
    axes.stairs(shares, edges, fill=True, color="#b9c4d0", label=f"{valid:,} rotations")
    law = np.zeros(_BARS)
    if summary.expected is not None:
        law = summary.expected.reshape(_BARS, -1).sum(axis=1) / width
        # By the same bars, so that an edge of the law in the middle of one looks alike in both.
        label = "uniform over all" if summary.difference is None else "the law"
        axes.stairs(law, edges, color="#101418", linewidth=1.3, label=label)
    used = np.flatnonzero(shares + law)
    right = edges[min(int(used[-1]) + 3, _BARS)] if used.size else edges[-1]
    axes.set_xlim(0.0, right)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("angle from the centre, degrees")
    axes.set_ylabel("share a degree")
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _axis(globe: Any, directions: Floats, name: str, color: str) -> None:
    """Points where one axis of the body goes, on an equal-area map of the target's directions."""
    x, y, z = np.moveaxis(directions, -1, 0)
    size = float(np.clip(6000 / max(len(directions), 1), 1.0, 12.0))
    globe.scatter(
        np.arctan2(y, x), np.arcsin(np.clip(z, -1.0, 1.0)), s=size, color=color, linewidths=0, alpha=0.7
    )
    globe.set_title(f"where the body's {name} points", fontsize=10)
    globe.grid(color="#d5dae0", linewidth=0.5)
    globe.set_axisbelow(False)  # names over the points, not under them
    globe.set_xticks(np.radians([-90, 0, 90]), ["-y", "+x", "+y"], fontsize=8, color="#5a6470")
    globe.set_yticks(np.radians([-60, -30, 0, 30, 60]), [])


def _center(law: Law[Any, Any] | Grid | None) -> Rotation[Any, Any]:
    if law is None or isinstance(law, Grid):
        return Rotation.identity()
    try:
        return law.mean
    except ValueError:  # a law without one, as the uniform
        return Rotation.identity()


def _edge(law: Law[Any, Any] | Grid | None, center: Rotation[Any, Any]) -> float:
    """An angle beyond which hardly anything is."""
    if law is None or isinstance(law, Grid):
        return float(np.pi)
    return min(float(np.pi), 1.25 * float((center.inv() @ law.sample(4096, rng=0)).angle().max()) + 1e-12)


def _expected(law: Law[Any, Any] | Grid, center: Rotation[Any, Any], edge: float) -> Floats:
    """The share of a law in each cell of the angle."""
    edges = np.linspace(0.0, edge, _CELLS + 1)
    cdf = getattr(law, "angle_cdf", None)
    if isinstance(law, Grid):
        return np.diff((edges - np.sin(edges)) / np.pi)
    if cdf is not None:
        return np.diff(cdf(edges))
    # The density at an angle is (1 - cos θ)/π times its mean over all axes; the axes are a Fibonacci sphere.
    i = np.arange(_AXES) + 0.5
    z, turn = 1 - 2 * i / _AXES, np.pi * (1 + 5**0.5) * i
    flat = np.sqrt(1 - z * z)
    axes = np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=-1)
    middles = (edges[1:] + edges[:-1]) / 2
    density = np.empty(_CELLS)
    # Turned otherwise at each angle, so that what a law with edges is missed by at one is not missed at all.
    turned = SuperFibonacci(_CELLS).rotations()
    for cell, angle in enumerate(middles):
        about = Rotation.from_rotvec(turned[cell].apply(axes) * angle)
        density[cell] = np.exp(law.log_density(center @ about)).mean()
    shares = density * 2 * np.sin(middles / 2) ** 2 / np.pi * (edge / _CELLS)
    return shares / shares.sum()
