"""From evidence and claims to the readings that are left: sense, mount, handedness, order, direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.evidence import Evidence
from boresight.diagnosis.gravity import UpEvidence, up_evidence
from boresight.diagnosis.gyro import Key, RateEvidence
from boresight.diagnosis.headings import Direction2, north_evidence
from boresight.diagnosis.leftover import depends_on_attitude
from boresight.diagnosis.model import CALLER, Claim, Claims
from boresight.diagnosis.motion import motion_evidence, world_force
from boresight.diagnosis.rates import Hypothesis, attitude_under
from boresight.diagnosis.relabelling import Relabelling, relabelling
from boresight.diagnosis.robust import Fit, Wins, beats, fit_all
from boresight.diagnosis.second_parts import agreed, said
from boresight.diagnosis.survivors import RATE_WINS, Survivors, either_hand, survive
from boresight.diagnosis.twins import Order, Sense, Turns, twin_turns

__all__ = ["Left", "Outcome", "negated", "settle"]

Floats = NDArray[np.float64]

UPRIGHT = "the sensor's z axis stands along the body's z and up is along the world's z (--upright)"
SAME_FRAME = "the attitude's body axes are the sensor's own"
SAME_WORLD = "velocities are in the attitude's world"
RIGHT_HAND = "the gyro's axes are right-handed"
OWN_AXES = "the gyro's numbers are in its own axes, not in the world's"
LEAST_EXPLAINED = 0.9
"""Share of the gyro that the best hypothesis explains, every sample counting, below which it is of another log."""
LEAST_TURNED = 0.15
"""Degrees from its middle that the attitude must get, or the log stands still: what shakes it is no turn."""
FIXED_WINS = Wins(noise=1.1, gain=0.02, clear=np.inf)
"""With no mount at all, a fit may be worse by the few degrees that sensors stand askew, which say nothing."""
FIXED_EXPLAINED = 0.95
"""Share of the gyro explained below which a mount that is said to be none is not leant on: a single twitch is too little."""
ASKEW = 0.03
"""Share of the gyro that a mount of no more than ten degrees takes away."""
MOST = 8
"""Hypotheses that are looked into at most: where more are left, nothing that depends on them is decided."""


@dataclass(frozen=True, slots=True)
class Left:
    """One reading that is left: a hypothesis, a hand, and which twin."""

    key: Key
    turns: Turns

    @property
    def sense(self) -> Sense:
        """The sense of the hypothesis."""
        return self.key[0].sense


@dataclass
class Outcome:
    """What is left, and what follows under each hypothesis; the latter is worked out when it is asked for.

    Attributes
    ----------
    evidence, claims
    survivors : Survivors or None
        Of the hypotheses, by gyro and velocity; None without a gyro.
    left : list of Left
    both_hands : bool
        Whether mirrored mounts were admitted.
    assumes : set of str
        What the sense rests on beyond the data.
    order_assumes : set of str
        What the order rests on.
    refuted : list of Claim
        Those that the data speak against.
    free_hands : bool
        Whether the sense would be decided though both hands were admitted.
    """

    evidence: Evidence
    claims: Claims
    survivors: Survivors[Key] | None = None
    left: list[Left] = field(default_factory=list[Left])
    both_hands: bool = False
    assumes: set[str] = field(default_factory=set[str])
    order_assumes: set[str] = field(default_factory=set[str])
    refuted: list[Claim] = field(default_factory=list[Claim])
    right_proven: bool = False
    _own_axes: dict[Key, bool] = field(default_factory=dict[Key, bool])
    _mounts: dict[Key, Relabelling] = field(default_factory=dict[Key, Relabelling])
    _ups: dict[Key, UpEvidence | None] = field(default_factory=dict[Key, "UpEvidence | None"])
    _places: dict[Key, Relabelling | None] = field(default_factory=dict[Key, "Relabelling | None"])

    @property
    def keys(self) -> tuple[Key, ...]:
        """Hypotheses of what is left, the likeliest first, each once."""
        return tuple(dict.fromkeys(left.key for left in self.left))

    @property
    def sense(self) -> Sense | None:
        """The one sense that is left, or None."""
        senses: set[Sense] = {left.sense for left in self.left}
        return senses.pop() if len(senses) == 1 and self.fitting and not self.either_axes else None

    @property
    def half_converted(self) -> bool:
        """Whether all that is left has an Euler angle negated.

        Which one cannot be told, and the axes of body and world follow from which: what is claimed of them is not refuted.
        """
        return bool(self.left) and all(left.key[0].half is not None for left in self.left)

    @property
    def fitting(self) -> bool:
        """Whether the gyro is explained at all."""
        return (
            self.survivors is not None
            and self.survivors.fitting
            and self.rates.explained > LEAST_EXPLAINED
            and self.turned > LEAST_TURNED
            and self.rates.offset.inside
            and not self.structured
        )

    @property
    def either_axes(self) -> bool:
        """Whether a gyro in the world's axes, with the other sense, explains what a mirror does that nobody spoke of.

        The rate of A in the world's axes is the negated body rate of A's inverse, exactly.
        """
        if self.claims.any_hand:
            return False
        return any(not self._told(key) for key in self.keys if key[1] < 0)

    def _told(self, key: Key) -> bool:
        """Whether the velocity tells a mirror from a gyro in the world's axes."""
        if key not in self._own_axes:
            evidence, told = self.evidence, False
            if evidence.motion is not None and evidence.grid is not None and evidence.force is not None:
                other: Sense = "inverse" if key[0].sense == "same" else "same"
                rival = (Hypothesis(other, key[0].half), 1)
                mount = self.rates.mount(key)
                mounts = {key: mount, rival: -mount}
                found = motion_evidence(evidence.grid, evidence.force, mounts, evidence.motion.velocity)
                told = found is not None and (
                    found.fits[key].r2 > RATE_WINS.r2
                    and beats(found.fits[key], found.fits[rival], found.blocks, RATE_WINS)[0]
                )
            self._own_axes[key] = told
        return self._own_axes[key]

    @cached_property
    def structured(self) -> bool:
        """Whether what every hypothesis that is left leaves of the gyro depends on the attitude: none is right."""
        survivors = self.survivors
        if survivors is None or not survivors.fitting or not 0 < len(survivors.keys) <= MOST:
            return False
        return all(depends_on_attitude(self.rates, key) for key in survivors.keys)

    @cached_property
    def turned(self) -> float:
        """Degrees that the attitude gets from its middle at most; the same under every reading."""
        grid = self.evidence.grid
        there = np.zeros((0, 4)) if grid is None else grid.quat[np.isfinite(grid.quat[:, 0])]
        if not len(there):
            return 0.0
        middle = np.linalg.eigh(there.T @ there)[1][:, -1]
        return float(np.degrees(2.0 * np.arccos(min(float(np.abs(there @ middle).min()), 1.0))))

    def refutes(self, name: str) -> bool:
        """Whether the claim of this name is one that the data speak against."""
        return any(claim.name == name for claim in self.refuted)

    @property
    def order(self) -> Order | None:
        """The one order that is left of a decided sense, or None."""
        orders: set[Order] = {left.turns.order for left in self.left}
        return orders.pop() if self.sense is not None and len(orders) == 1 else None

    @property
    def rates(self) -> RateEvidence:
        """The gyro's evidence, which is there."""
        assert self.evidence.rates is not None
        return self.evidence.rates

    def mount(self, key: Key) -> Relabelling:
        """M under a hypothesis, as a relabelling."""
        if key not in self._mounts:
            rates = self.rates
            self._mounts[key] = relabelling(
                rates.gyro,
                rates.series[key[0]],
                rates.fits[key],
                rates.blocks,
                scale=rates.scale,
                wins=RATE_WINS,
                hands=(1, -1) if self.both_hands else (key[1],),
                transpose=True,
            )
        return self._mounts[key]

    def up(self, key: Key) -> UpEvidence | None:
        """Up under a hypothesis, where there is an accelerometer that feels gravity."""
        if key not in self._ups:
            evidence = self.evidence
            if (
                evidence.force is None
                or evidence.grid is None
                or evidence.accel is None
                or evidence.accel.removed
            ):
                self._ups[key] = None
            else:
                grid, force = evidence.grid, evidence.force

                def in_world(rows: NDArray[np.intp], mount: Floats) -> Floats:
                    return world_force(grid, key[0], mount, force, rows)

                self._ups[key] = up_evidence(force, self.rates.mount(key), in_world, grid.rate)
        return self._ups[key]

    def north(self, key: Key) -> Direction2 | None:
        """Magnetic north in the world under a hypothesis, where there is a magnetometer and up is known."""
        evidence, up = self.evidence, self.up(key)
        if evidence.magnetic is None or evidence.grid is None or up is None:
            return None
        body = evidence.magnetic @ self.rates.mount(key).T
        return north_evidence(evidence.grid, key[0], body, up.up)

    def place(self, key: Key) -> Relabelling | None:
        """N under a hypothesis, where there is a velocity that the accelerometer explains."""
        if key not in self._places:
            self._places[key] = self._find_place(key)
        return self._places[key]

    def _find_place(self, key: Key) -> Relabelling | None:
        motion, evidence = self.evidence.motion, self.evidence
        if motion is None or evidence.force is None or evidence.grid is None:
            return None
        changes, turned = motion.pair(key, evidence.grid, evidence.force, self.rates.mount(key))
        return relabelling(
            changes, turned, motion.fits[key], motion.blocks, scale=1.0, wins=RATE_WINS, hands=(1, -1)
        )

    def attitude(self, key: Key) -> Floats:
        """The attitude under a hypothesis at the grid's points, body to world."""
        assert self.evidence.grid is not None
        return attitude_under(self.evidence.grid.quat, key[0])


def settle(evidence: Evidence, claims: Claims) -> Outcome:
    """Strike out what the evidence refutes, then what the claims exclude."""
    outcome = Outcome(evidence, claims)
    if evidence.rates is None:
        return outcome
    rates, motion = evidence.rates, evidence.motion
    kinds: list[tuple[Mapping[Key, Fit], NDArray[np.intp]]] = [(rates.fits, rates.blocks)]
    if motion is not None:
        kinds.append((motion.fits, motion.blocks))
    every = survive(kinds, rates.fits)
    # With a velocity there is evidence on the hand, and nothing has to be assumed.
    outcome.both_hands = claims.any_hand or motion is not None or either_hand(kinds)
    if outcome.both_hands:
        outcome.survivors = every
    else:
        outcome.survivors = survive(kinds, [key for key in rates.fits if key[1] > 0])
    outcome.right_proven = every.fitting and all(key[1] > 0 for key in every.keys)
    if not outcome.both_hands and {k[0] for k in every.keys} != {k[0] for k in outcome.survivors.keys}:
        outcome.assumes.add(RIGHT_HAND)
    outcome.left = [Left(key, turns) for key in outcome.survivors.keys for turns in twin_turns(key[0].sense)]
    if evidence.form != "quat":
        outcome.left = [left for left in outcome.left if left.turns.order == "wxyz"]
    ordered = [left for left in outcome.left if claims.order in (None, left.turns.order)]
    if evidence.form != "quat" or claims.order is None:
        ordered = outcome.left
    if claims.any_hand and motion is None and any(left.key[1] < 0 for left in outcome.left):
        outcome.assumes.add(OWN_AXES)
    if outcome.fitting and outcome.left:  # where the evidence disagrees, no claim is to blame
        if (kept := agreed(evidence, claims)) is not None:
            assert claims.second is not None
            claim = Claim("second", claims.second.says, said(evidence, claims))
            _keep(outcome, [left for left in outcome.left if left.key[0] in kept], claim)
        if claims.same_frame:
            _same_frame(outcome)
        _say_order(outcome, ordered)
        if claims.same_world:
            claim = Claim("same_world", claims.same_world_from, SAME_WORLD)
            _narrow(outcome, _in_same_world, claim, decides=claims.same_world_decides)
        if claims.upright:
            _narrow(outcome, _upright, Claim("upright", CALLER, UPRIGHT))
    else:
        outcome.left = ordered
    return outcome


def _say_order(outcome: Outcome, ordered: list[Left]) -> None:
    """Keep the readings in the order that is said; where another claim has excluded them, the claims disagree."""
    claims = outcome.claims
    if len(ordered) == len(outcome.left) and claims.order is None:
        return
    said = f"the order of the quaternion is {claims.order}, says {claims.order_from}"
    both = [left for left in outcome.left if left in ordered]
    if both:
        if claims.order is not None and outcome.evidence.form == "quat":
            outcome.order_assumes.add(said)
        outcome.left = both
        return
    outcome.refuted.append(Claim("order", claims.order_from, f"{said}, and that {SAME_FRAME}"))
    outcome.left += [left for left in ordered if left not in outcome.left]
    outcome.order_assumes.clear()


def _same_frame(outcome: Outcome) -> None:
    """Keep the readings under which the gyro fits with no mount at all.

    The two twins of a sense have mounts that differ by more than a right angle, so that at most one of them can be
    none.
    """
    rates, claims = outcome.rates, outcome.claims
    if rates.explained < FIXED_EXPLAINED:
        return
    y = rates.gyro
    chosen: list[tuple[Hypothesis, int, Turns]] = [
        (hypothesis, number, turns)
        for hypothesis in rates.series
        for number, turns in enumerate(twin_turns(hypothesis.sense))
        if outcome.evidence.form == "quat" or not number
    ]
    x = np.stack([rates.series[hypothesis] for hypothesis, _, _ in chosen])
    # body @ M = I, and the matrix of a fit is the transpose of M
    matrices = np.stack([turns.body for _, _, turns in chosen])
    fitted = fit_all(y, x, matrices=matrices, scale=rates.scale)
    fits = {(hypothesis, number): fit for (hypothesis, number, _), fit in zip(chosen, fitted, strict=True)}
    free = {(hypothesis, number): turns.order for hypothesis, number, turns in chosen}
    kept = survive([(fits, rates.blocks)], fits, FIXED_WINS)
    best = fits[kept.keys[0]]
    loose = max(fit.r2 for key, fit in rates.fits.items() if key[1] > 0)
    claim = Claim("same_frame", claims.same_frame_from, f"{SAME_FRAME}, says {claims.same_frame_from}")
    if best.r2 < loose - ASKEW or not kept.fitting:
        _refute(outcome, claim)
        return
    allowed = {(key[0], free[key]) for key in kept.keys}
    # A mount that is none has no mirror in it.
    right = [left for left in outcome.left if left.key[1] > 0]
    narrowed = [left for left in right if (left.key[0], left.turns.order) in allowed]
    agreeing = [left for left in narrowed if _fits_mount(outcome, left)]
    _keep(outcome, agreeing, claim)


def _fits_mount(outcome: Outcome, left: Left) -> bool:
    """Whether the mount that the gyro finds by itself, where it finds one, is none under this reading."""
    mount = outcome.mount(left.key)
    return not mount.decided or np.array_equal(left.turns.body @ mount.axes, np.eye(3))


def _narrow(
    outcome: Outcome,
    allowed: Callable[[Outcome, Left], bool | None],
    claim: Claim,
    *,
    decides: bool = True,
) -> None:
    """Drop the readings that a claim excludes; a claim that excludes all is refuted, one that is silent is not used.

    One that may not decide leaves those of each sense, and with or without an angle negated, of which it would leave none.
    """
    if len(outcome.keys) > MOST:
        return
    answers = [allowed(outcome, left) for left in outcome.left]
    if not any(answer is False for answer in answers):
        return
    kept = [left for left, answer in zip(outcome.left, answers, strict=True) if answer is not False]
    if kept and not decides:
        kinds = {(left.sense, left.key[0].half is None) for left in kept}
        others = [left for left in outcome.left if (left.sense, left.key[0].half is None) not in kinds]
        kept = [left for left in outcome.left if left in kept or left in others]
    _keep(outcome, kept, claim)


def _refute(outcome: Outcome, claim: Claim) -> None:
    """Note that the data speak against a claim about axes, where axes can be told."""
    if not outcome.half_converted:
        outcome.refuted.append(claim)


def _keep(outcome: Outcome, kept: list[Left], claim: Claim) -> None:
    """Go on with these readings, and note what now rests on the claim; one that leaves none is refuted."""
    if not kept:
        _refute(outcome, claim)
        return
    if {left.key for left in kept} != {left.key for left in outcome.left}:
        outcome.assumes.add(claim.words)
    if {left.turns.order for left in kept} != {left.turns.order for left in outcome.left}:
        outcome.order_assumes.add(claim.words)
    outcome.left = kept


def _in_same_world(outcome: Outcome, left: Left) -> bool | None:
    place = outcome.place(left.key)
    if place is None or not place.decided:
        return None
    world = place.axes @ left.turns.world.T
    return bool(np.array_equal(world, np.eye(3))) or negated(outcome, left)


def negated(outcome: Outcome, left: Left) -> bool:
    """Whether the accelerometer is negated, velocities being in the attitude's world: N is -I and there is no mount.

    With another mount, attitude and velocity may be mirrored instead.
    """
    place, mount = outcome.place(left.key), outcome.mount(left.key)
    if place is None or not place.decided or not mount.decided:
        return False
    world, body = place.axes @ left.turns.world.T, left.turns.body @ mount.axes
    return bool(np.array_equal(world, -np.eye(3)) and np.array_equal(body, np.eye(3)))


def _upright(outcome: Outcome, left: Left) -> bool | None:
    """False only where this twin stands on its side in both body and world, and the other upright in both."""
    mount, up = outcome.mount(left.key), outcome.up(left.key)
    if not mount.decided or up is None or up.resultant < 0.95:
        return None

    def standing(turns: Turns) -> tuple[bool, bool]:
        body = turns.body @ mount.axes
        world = turns.world @ up.up
        return abs(body[2, 2]) > 0.5, abs(world[2]) > 0.9

    own = standing(left.turns)
    other = standing(next(t for t in twin_turns(left.sense) if t.order != left.turns.order))
    if own == (False, False) and other == (True, True):
        return False
    return None
