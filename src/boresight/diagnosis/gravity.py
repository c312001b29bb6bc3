"""The accelerometer once the sense and the mount are known: where up is, its unit, and whether gravity is in it.

Gravity never decides the sense: a level log scores about one under every reading. And the pair (specific force, u)
looks like (direction of gravity, -u), so that the sign of u rests on the accelerometer measuring specific force, as
accelerometers do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.robust import resampled
from boresight.diagnosis.twins import SIGNED_PERMUTATIONS, axes_name
from boresight.logs.columns import UNITS

__all__ = [
    "ACCEL_UNITS",
    "GRAVITY",
    "AccelEvidence",
    "UpEvidence",
    "accel_evidence",
    "axis_of",
    "up_evidence",
]

Floats = NDArray[np.float64]

GRAVITY = 9.80665
ACCEL_UNITS: dict[str, float] = {unit: UNITS[unit] for unit in ("m/s2", "g", "mg", "cm/s2")}
"""What an accelerometer's numbers are multiplied by to be m/s²."""
SCATTERED = 5e-4
"""One minus the resultant of gravity's directions above which other axes of the accelerometer are tried: about 2 degrees."""
STEADIER = 2.0
"""Of scatters, above which those other axes are the better ones. Of real recordings with tilts in them, at most 1.4."""
FEW = 2_000
PARTS = 20

FREE_FALL = 0.3
"""Of the length at rest, which one length in ten would be below only where gravity is not in it."""


@dataclass(frozen=True, slots=True)
class AccelEvidence:
    """What the lengths of the accelerometer's vectors say, under no reading at all.

    Attributes
    ----------
    unit : str or None
    scale : float
        What the numbers are multiplied by to be m/s²; 1 where the unit is not known.
    removed : bool
        Whether gravity is not in them.
    length : float
        Median length, in the stream's own unit.
    samples : int
    nearly : tuple of str
        Less usual units that fit as well: thousandths of g and cm/s² are two parts in a hundred apart.
    """

    unit: str | None
    scale: float
    removed: bool
    length: float
    samples: int
    nearly: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UpEvidence:
    """Where up is under one hypothesis.

    Attributes
    ----------
    up : ndarray, shape (3,)
        Mean direction of the specific force in the record's world.
    resultant : float
        Length of the mean of the directions: 1 where all agree.
    body : ndarray, shape (3,)
        The same in the record's body axes, over the whole log.
    body_resultant : float
    samples : int
    apart : str
        Axes of the accelerometer in the gyro's, ``"+x-y-z"``, where gravity surely keeps a steadier direction with them
        than with those of the gyro; else empty.
    """

    up: Floats
    resultant: float
    body: Floats
    body_resultant: float
    samples: int
    apart: str = ""


def accel_evidence(force: Floats, rate: Floats) -> AccelEvidence | None:
    """Find the unit of specific forces (n, 3), NaN where missing, from those with the slowest turns."""
    quiet = _quiet(force, rate)
    if len(quiet) < 8:
        return None
    lengths = np.linalg.norm(force[quiet], axis=1)
    length = float(np.median(lengths))
    spread = float(np.median(np.abs(lengths - length))) / max(length, 1e-300)
    fitting = [
        unit
        for unit, factor in ACCEL_UNITS.items()
        if abs(np.log(max(length, 1e-300) * factor / GRAVITY)) < 0.12
    ]
    low, high = np.nanquantile(np.linalg.norm(force, axis=1), (0.1, 0.9))
    # What feels gravity is seldom in free fall; without gravity, the steadiest of lengths may still look like a unit.
    hollow = bool(low < FREE_FALL * length or _wanders(force))
    if fitting and spread < 0.2 and not hollow:  # the more usual of two that fit
        unit, *nearly = fitting
        return AccelEvidence(unit, ACCEL_UNITS[unit], False, length, len(quiet), tuple(nearly))
    # Without gravity, what is left is small, unsteady, and points nowhere in particular. A length near 1 may be in g.
    mean = float(np.linalg.norm(np.median(force[quiet], axis=0)))
    small = length < 0.5 * GRAVITY and not 0.5 < length < 2.0
    removed = bool((small or hollow) and high - low > 0.3 * length and mean < 0.6 * length)
    return AccelEvidence(None, 1.0, removed, length, len(quiet))


def _wanders(force: Floats) -> bool:
    """Whether the direction is another from each sample to the next, as no gravity's is."""
    there = force[np.isfinite(force[:, 0])]
    unit = _directions(there)
    return len(unit) > 1 and float(np.median(np.sum(unit[1:] * unit[:-1], axis=1))) < 0.5


def _quiet(force: Floats, rate: Floats) -> NDArray[np.intp]:
    """Rows with the slowest turns and the steadiest lengths: a quarter of all, or half of a short log."""
    good = np.flatnonzero(np.isfinite(force[:, 0]) & np.isfinite(rate[:, 0]))
    if len(good) < 8:
        return good
    speed = np.linalg.norm(rate[good], axis=1)
    lengths = np.linalg.norm(force[good], axis=1)
    off = np.abs(lengths - np.median(lengths)) / max(float(np.median(lengths)), 1e-300)
    score = speed / max(float(np.median(speed)), 1e-300) + off / max(float(np.median(off)), 1e-300)
    share = max(len(good) // 4, min(len(good), 40))
    return np.sort(good[np.argsort(score, kind="stable")[:share]])


def up_evidence(
    force: Floats, mount: Floats, in_world: Callable[[NDArray[np.intp], Floats], Floats], rate: Floats
) -> UpEvidence | None:
    """Average directions of the specific force in the world (over the quiet rows) and in the body (over all).

    Parameters
    ----------
    force, rate : ndarray, shape (n, 3)
        In the sensor's axes, and in any.
    mount : ndarray, shape (3, 3)
        From the sensor's axes to the body's.
    in_world : callable
        Turns the forces of some rows, mounted so, into the world; NaN where there is no attitude.
    """
    quiet = _quiet(force, rate)
    world = in_world(quiet, mount)
    world = world[np.isfinite(world[:, 0])]
    if len(world) < 8:
        return None
    up, resultant = _mean_direction(world)
    own, own_resultant = _mean_direction(force[np.isfinite(force[:, 0])])
    apart = ""
    if 1.0 - resultant > SCATTERED:
        few = quiet[np.linspace(0, len(quiet) - 1, min(len(quiet), FEW)).astype(np.intp)]
        apart = _apart(lambda axes: in_world(few, mount @ axes))
    return UpEvidence(up, resultant, mount @ own, own_resultant, len(world), apart)


def _apart(turned: Callable[[Floats], Floats]) -> str:
    """Name the relabelling of the accelerometer with which gravity surely keeps a steadier direction, or none.

    A relabelling and its negative leave it as steady, so that rotations are enough.
    """

    def scatter(axes: Floats) -> Floats:
        world = turned(axes)
        world = world[np.isfinite(world[:, 0])]
        mean, _ = _mean_direction(world)
        unit = world / np.maximum(np.linalg.norm(world, axis=1), 1e-300)[:, None]
        return np.sum((unit - mean) ** 2, axis=1)

    plain = scatter(np.eye(3))
    tried = [(axes, scatter(axes)) for axes in SIGNED_PERMUTATIONS if np.linalg.det(axes) > 0]
    best, least = min(tried, key=lambda one: float(one[1].sum()))
    if len(plain) < PARTS or plain.sum() < STEADIER * least.sum():
        return ""
    sums = np.add.reduceat(plain - least, np.linspace(0, len(plain), PARTS + 1).astype(np.intp)[:-1])
    surely = np.mean(resampled(len(sums)) @ sums <= 0.0) <= 0.001
    return axes_name(best) if surely else ""


def _directions(vectors: Floats) -> Floats:
    """Unit vectors of those that have a length; each is scaled first, so that none is too small for its square."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scaled = vectors[largest > 0] / largest[largest > 0, None]
    return scaled / np.linalg.norm(scaled, axis=1)[:, None]


def _mean_direction(vectors: Floats) -> tuple[Floats, float]:
    unit = _directions(vectors)
    if not len(unit):
        return np.array([0.0, 0.0, 1.0]), 0.0
    mean = unit.mean(axis=0)
    resultant = float(np.linalg.norm(mean))
    return mean / max(resultant, 1e-300), resultant


def axis_of(direction: Floats, *, within: float = 20.0) -> str | None:
    """Name the axis that a direction points along (``"-z"``) where one is within so many degrees."""
    column = int(np.argmax(np.abs(direction)))
    across = float(np.linalg.norm(np.delete(direction, column)))
    if np.degrees(np.arctan2(across, abs(direction[column]))) > within:
        return None
    return ("-" if direction[column] < 0 else "+") + "xyz"[column]
