"""A second record of the orientation: whether the two are one attitude in two conventions.

Every order, direction and constant change of axes of a unit quaternion is an orthogonal map of its four numbers, since
``x · a · y`` is a rotation of four dimensions, and the conjugate and a cyclic change of order are reflections or
permutations of them. So two records of one attitude are, but for the signs of the quaternions, related by one 4x4
matrix, and the best is got from one singular value decomposition. Its determinant is the sense. Euler angles of which
one was negated are related by none; they are undone first, as everywhere here.

Two records that agree tell that both were made of one attitude, and nothing about which of them is what it is said to
be. That is left to claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.clock import Track, tracks_of
from boresight.diagnosis.grid import orientations, own_points
from boresight.diagnosis.rates import Hypothesis, all_hypotheses, attitude_under, plain_hypotheses
from boresight.diagnosis.second_clock import lateness, refined
from boresight.diagnosis.second_falsehoods import falsehoods
from boresight.diagnosis.second_noise import expected_noise, is_structure
from boresight.diagnosis.twins import axes_name, nearest_axes, twin_turns

__all__ = ["Agreement", "Second", "agreement"]

Floats = NDArray[np.float64]

MOST = 1500
"""Moments that are compared at most."""
LEAST = 8
ROUNDS = 12
EXACT = 0.02
"""Degrees between the records, in the median, above which they are two estimates and not one attitude: angles are
written to two decimals at the least."""
EXACT_SHARE = 0.03
"""The same as a share of how far the attitude turns at all: a record that hardly moves agrees with any other."""
STRAY = 0.2
"""Degrees that no more than one moment in twenty may be off."""
CLEAR = 5.0
"""Times the noise that every other reading must leave."""
FINEST = 1e-5
"""Degrees: noise below this is that of how the numbers are computed."""
WRITTEN = 3.0
"""Times what the writing of the numbers and the interpolation make expected, that two records of one attitude may be
apart; what is left beyond it must be noise."""
SQUARE = 2.0
"""Degrees within which a constant map is a relabelling of axes."""
UPRIGHT = 0.99
"""Cosine of the angle within which z lies along z."""
SPREAD = 0.02
"""Share of the moments at which another reading must be off: no single twitch decides."""


@dataclass(frozen=True, slots=True)
class Second:
    """A record of the orientation: the attitude, or another beside it.

    Attributes
    ----------
    name : str
        For people.
    time : ndarray, shape (n,)
        Seconds, on the attitude's clock.
    numbers : ndarray, shape (n, k)
        As they are stored.
    decode : callable
        Makes unit quaternions (x, y, z, w) of them, body to world, as they are said to be.
    others : mapping of name to callable
        Of Euler angles, the other sequences and the other unit.
    """

    name: str
    time: Floats
    numbers: NDArray[Any]
    decode: Callable[[NDArray[Any]], Floats]
    others: Mapping[str, Callable[[NDArray[Any]], Floats]] = field(
        default_factory=dict[str, Callable[[NDArray[Any]], Floats]]
    )


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the attitude A is related to a second record C: ``C = world · F(A) · body`` under a hypothesis F.

    Attributes
    ----------
    name : str
        The second record's.
    samples : int
        Moments compared.
    hypothesis : Hypothesis
        The one that leaves least.
    world, body : ndarray, shape (3, 3)
        From the attitude's world to the second's, and from the second's body to the attitude's.
    median, worst : float
        Degrees between the two.
    exact : bool
        Whether they are one attitude.
    left : tuple of Hypothesis
        Those that fit as well, the best first; one where the log turns enough.
    sequence : str or None
        Of Euler angles that agree only in another sequence or unit: which.
    own_sequence : bool
        Whether these are the attitude's own, and not the second record's.
    or_else : str or None
        A sequence of the Euler angles in which the records agree as well, with no angle negated.
    late : float
        Seconds that the second record's clock was found to be late, and has been moved by.
    noise : float
        Degrees between the two, root mean square, of which a twentieth of the moments does not count.
    doubts : tuple of (str, Agreement)
        How the Euler angles of either may be misread, so that the records agree as well in another sense, and the
        changes of axes that then are between them.
    """

    name: str
    samples: int
    hypothesis: Hypothesis
    world: Floats
    body: Floats
    median: float
    worst: float
    exact: bool
    left: tuple[Hypothesis, ...]
    sequence: str | None = None
    own_sequence: bool = False
    or_else: str | None = None
    late: float = 0.0
    noise: float = 0.0
    doubts: tuple[tuple[str, Agreement], ...] = ()

    def in_words(self) -> str:
        """Say what the two are to each other."""
        near = f"median {_short(self.median)}, worst {_short(self.worst)} degrees"
        if self.late:
            near += f", its clock {abs(self.late):.3f} s {'late' if self.late > 0 else 'early'}"
        if not self.exact:
            return f"{self.name} is another estimate, not this attitude in another convention ({near})"
        if not self.settled:
            return (
                f"{self.name} is the same attitude ({near}), which turns too little to tell in which reading"
            )
        kind = "as it is" if self.hypothesis.sense == "same" else "as its inverse"
        if self.hypothesis.half is not None:
            kind += " with one Euler angle negated"
        if self.sequence is not None:
            kind += (
                f", with {'its own' if self.own_sequence else 'the other'} Euler angles as {self.sequence}"
            )
        if self.or_else is not None:
            kind += f" or the Euler angles are {self.or_else}"
        if (doubt := self.doubted(None)) is not None:
            kind += f", or Euler angles are misread ({doubt})"
        return f"{self.name} is this attitude {kind} ({near}), body {_axes(self.body)}, world {_axes(self.world)}"

    def doubted(self, order: str | None) -> str | None:
        """Name a way in which Euler angles may be misread that makes as much sense of the agreement; None without one.

        Columns of which the first and the last are exchanged always are the inverse, in a world that nobody uses: which
        of two explanations leaves its z along z is what tells them apart.
        """
        for name, other in self.doubts:
            if not any(_upright(self, order)) or all(_upright(other, order)):
                return name
        return None

    @property
    def settled(self) -> bool:
        """Whether one sense, and one answer on half conversion, is left."""
        return self.exact and len({(h.sense, h.half is not None) for h in self.left}) == 1


def agreement(attitude: Second, second: Second) -> Agreement | None:
    """Compare the attitude with a second record; None where they share fewer than eight moments.

    Where they do not agree and one is Euler angles, its other sequences and units are tried.
    """
    found = _compared(attitude, second)
    if found is None:
        return None
    if not found.exact:
        other = _in_other_angles(found, attitude, second)
        if other is not None:
            return other
        moved = _on_its_clock(attitude, second)
        return moved or found
    return _doubted(found, attitude, second)


def _in_other_angles(found: Agreement, attitude: Second, second: Second) -> Agreement | None:
    """Try the other sequences and the other unit of Euler angles."""
    others = _tried(attitude, second, max(0.3 * found.median, FINEST))
    return others[0] if others else None


def _tried(attitude: Second, second: Second, limit: float) -> list[Agreement]:
    tries = [(name, attitude, replace(second, decode=decode)) for name, decode in second.others.items()]
    tries += [(name, replace(attitude, decode=decode), second) for name, decode in attitude.others.items()]
    others: list[Agreement] = []
    for name, one, other in tries:
        tried = _compared(one, other, plain_hypotheses())
        if tried is not None and tried.exact and tried.median < limit:
            others.append(replace(tried, sequence=name, own_sequence=other is second))
    return sorted(others, key=lambda tried: tried.median)


def _on_its_clock(attitude: Second, second: Second) -> Agreement | None:
    """Compare the two with the second's clock set right; None where that makes no one attitude of them.

    Where they stand in the same rows they have one clock, and the one that is late is not the attitude of its row.
    """
    if attitude.time is second.time or np.array_equal(attitude.time, second.time):
        return None
    tracks = _tracks(attitude, second)
    late = None if tracks is None else lateness(*tracks)
    if late is None:
        return None

    def noise(shift: float) -> float:
        pair = _moments(attitude, replace(second, time=second.time - shift))
        if pair is None:
            return np.inf
        given, wanted, _ = pair
        return min(_noise(_fit(attitude_under(given, h), wanted).angles) for h in plain_hypotheses())

    late = refined(noise, late)
    moved = replace(second, time=second.time - late)
    found = _compared(attitude, moved)
    if found is None or not found.exact:
        return None
    return replace(_doubted(found, attitude, moved), late=late)


def _doubted(found: Agreement, attitude: Second, second: Second) -> Agreement:
    """Look whether Euler angles that are misread explain the agreement as well, in another sense.

    A sequence read backwards is the inverse with one angle negated: neither the numbers nor anything else tells.
    """
    if not found.settled:
        return found
    if found.hypothesis.half is not None:
        others = _tried(attitude, second, max(CLEAR * found.noise, FINEST))
        if others:
            return replace(found, or_else=others[0].sequence, own_sequence=others[0].own_sequence)
    doubts: list[tuple[str, Agreement]] = []
    for own in (False, True):
        record = attitude if own else second
        if record.numbers.shape[1] != 3:
            continue
        for name, decode in falsehoods(record.decode):
            other = replace(record, decode=decode)
            tried = _compared(*((other, second) if own else (attitude, other)), plain_hypotheses())
            if tried is None or not tried.exact or tried.noise > max(CLEAR * found.noise, FINEST):
                continue
            other_sense = any(h.sense != found.hypothesis.sense for h in tried.left)
            if found.hypothesis.half is None and not other_sense:
                continue
            doubts.append((name, tried))
    return replace(found, doubts=tuple(doubts))


def _upright(found: Agreement, order: str | None) -> list[bool]:
    """Whether the change of the world's axes keeps z along z, for each twin that an order leaves."""
    return [
        abs((found.world @ turns.world.T)[2, 2]) > UPRIGHT
        for turns in twin_turns(found.hypothesis.sense)
        if order in (None, turns.order)
    ]


def _compared(
    attitude: Second, second: Second, hypotheses: Sequence[Hypothesis] | None = None
) -> Agreement | None:
    pair = _moments(attitude, second)
    if pair is None:
        return None
    given, wanted, written = pair
    fits = {h: _fit(attitude_under(given, h), wanted) for h in hypotheses or all_hypotheses()}
    ranked = sorted(fits, key=lambda h: (_noise(fits[h].angles), h.half is not None))
    best = fits[ranked[0]]
    median, worst = float(np.median(best.angles)), float(best.angles.max())
    # How far it turns: what is left when a constant is laid over it.
    far = float(np.median(_angles(np.broadcast_to(_middle(wanted), wanted.shape), wanted)))
    exact = median <= min(EXACT, EXACT_SHARE * far) + 1e-9 and float(np.quantile(best.angles, 0.95)) <= STRAY
    noise = _noise(best.angles)
    if exact and noise > max(WRITTEN * written, FINEST):
        under = attitude_under(given, ranked[0])
        exact = not is_structure(under, _residual(best, under, wanted))
    left = [h for h in ranked if not _worse(fits[h].angles, best.angles, max(written, FINEST))]
    # Of several that fit as well, a plain one is named.
    left.sort(key=lambda h: (h.half is not None, h.sense != "same"))
    own = fits[left[0]]
    return Agreement(
        second.name, len(wanted), left[0], own.world, own.body, median, worst, exact, tuple(left), noise=noise
    )


def _tracks(attitude: Second, second: Second) -> tuple[Track, Track] | None:
    """Both records on one clock; None where they do not meet."""
    both = [("attitude", attitude.time, attitude.numbers), ("second", second.time, second.numbers)]
    tracks = tracks_of(both, attitude.decode, quaternion=attitude.numbers.shape[1] == 4)
    one, other = tracks["attitude"], replace(tracks["second"], decode=second.decode)
    if min(len(one), len(other)) < LEAST or one.start > other.end or other.start > one.end:
        return None
    return one, other


def _moments(attitude: Second, second: Second) -> tuple[Floats, Floats, float] | None:
    """Orientations of both records at moments of the sparser one's own rows, and degrees that they may be apart."""
    tracks = _tracks(attitude, second)
    if tracks is None:
        return None
    one, other = tracks
    sparse = one if one.period >= other.period else other
    points = _thinned(sparse, max(one.start, other.start), min(one.end, other.end))
    if len(points) < LEAST:
        return None
    given, wanted = orientations(one, points), orientations(other, points)
    there = np.isfinite(given[:, 0]) & np.isfinite(wanted[:, 0])
    if there.sum() < LEAST:
        return None
    points = points[there]
    written = float(np.hypot(expected_noise(one, points), expected_noise(other, points)))
    return given[there], wanted[there], written


def _thinned(track: Track, start: float, end: float) -> Floats:
    points = own_points(track, max(track.period, (end - start) / MOST))
    return points[(points >= start) & (points <= end)]


# -- the fit -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fit:
    world: Floats
    body: Floats
    angles: Floats
    turn: Floats


def _residual(fit: _Fit, a: Floats, c: Floats) -> Floats:
    """What is left between the two, rotation vectors in the second's body axes."""
    left = _product(np.asarray(kernels.conjugate(a @ fit.turn.T), dtype=np.float64), c)
    return np.asarray(kernels.log(left), dtype=np.float64)


def _fit(a: Floats, c: Floats) -> _Fit:
    """Find the constants x and y of ``c = ± x · a · y``, with little regard for moments that do not fit."""
    a, c = _continuous(a), _continuous(c)
    signs, weights = np.ones(len(a)), np.ones(len(a))
    last = np.inf
    turn, angles = np.eye(4), np.zeros(len(a))
    for _ in range(ROUNDS):
        u, _, v = np.linalg.svd((c * (signs * weights)[:, None]).T @ a)
        u[:, 3] *= np.sign(np.linalg.det(u @ v))
        turn = u @ v
        mapped = a @ turn.T
        angles = _angles(mapped, c)
        scale = max(float(np.median(angles)), 1e-7)
        if abs(scale - last) < 1e-3 * scale:
            break
        last = scale
        signs = np.where(np.einsum("ij,ij->i", mapped, c) < 0.0, -1.0, 1.0)
        weights = 1.0 / (1.0 + (angles / (3.0 * scale)) ** 2)
    world, body = _factors(turn)
    return _Fit(world, body, angles, turn)


def _continuous(q: Floats) -> Floats:
    """Choose signs so that neighbours are near each other."""
    flips = np.where(np.einsum("ij,ij->i", q[:-1], q[1:]) < 0.0, -1.0, 1.0)
    return q * np.concatenate(([1.0], np.cumprod(flips)))[:, None]


def _angles(a: Floats, c: Floats) -> Floats:
    """Degrees between orientations."""
    across = np.linalg.norm(c - np.einsum("ij,ij->i", a, c)[:, None] * a, axis=1)
    return np.degrees(2.0 * np.arctan2(across, np.abs(np.einsum("ij,ij->i", a, c))))


def _factors(q: Floats) -> tuple[Floats, Floats]:
    """Split a rotation of four dimensions into the matrices of x and y, ``q · a = x · a · y`` (components x, y, z, w)."""
    units = np.eye(4)
    # x · e · y is linear in the outer product of x and y, which therefore is a sum over images of the units.
    outer = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            image = _product(_product(units[i], units), units[j])
            outer[i, j] = float(np.einsum("kl,lk->", image, q)) / 4.0
    u, _, v = np.linalg.svd(outer)
    pair = np.stack([u[:, 0], v[0]])
    first, second = np.asarray(kernels.to_matrix(pair), dtype=np.float64)
    return first, second


def _product(a: Floats, b: Floats) -> Floats:
    return np.asarray(kernels.multiply(*np.broadcast_arrays(a, b)), dtype=np.float64)


def _axes(matrix: Floats) -> str:
    """Write a constant map as a relabelling, or as far from one as it is."""
    axes, rest = nearest_axes(matrix)
    return axes_name(axes) if rest < SQUARE else f"{axes_name(axes)} and {rest:.1f} degrees"


def _middle(q: Floats) -> Floats:
    return np.linalg.eigh(q.T @ q)[1][:, -1]


def _noise(angles: Floats) -> float:
    """Root mean square, of which a twentieth of the moments does not count."""
    kept = np.sort(angles)[: max(int(0.95 * len(angles)), LEAST)]
    return float(np.sqrt(np.mean(kept**2)))


def _worse(other: Floats, best: Floats, finest: float) -> bool:
    """Whether a reading is clearly off where the best is not."""
    noise = max(_noise(best), finest)
    off = other > CLEAR * np.maximum(best, noise)
    return _noise(other) > CLEAR * noise and float(np.mean(off)) > SPREAD


def _short(degrees: float) -> str:
    """Two digits, or a whole number."""
    return f"{degrees:.0f}" if degrees >= 10.0 else f"{degrees:.2g}"
