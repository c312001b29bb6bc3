"""Recordings rewritten as other systems would have written them, and logs whose gyro is of another log: what is decided.

Needs the recordings (``BORESIGHT_DATA``, or ``../shared/data`` beside the checkout) and what the tests need. Ends with
exit code 1 where a part is wrong that may not be, or a control is decided.
"""

# ruff: noqa: E402 (threads are limited and the folder of tests named before NumPy and the tests' modules come in)
from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "diagnosis")]

import numpy as np
from mutations import CONTROLS, Truth, control, mutant
from recordings import WITH_GYRO, Recording, load
from scoring import PARTS, judged, true_in_best

from boresight.diagnosis.arrays import recorded
from boresight.diagnosis.evidence import Evidence, gather
from boresight.diagnosis.model import Claims
from boresight.diagnosis.outcome import LEAST_EXPLAINED, RIGHT_HAND, SAME_FRAME, UPRIGHT
from boresight.diagnosis.robust import Wins, block_sums, resampled
from boresight.diagnosis.survivors import best_of
from boresight.diagnosis.verdict import judge

STREAMS = ("gyro", "accel", "velocity", "position", "mag")
GIVEN = ("imu_axes", "world_up")
"""Parts that follow from the sense, shown once more for the mutants whose sense is decided."""
ATTITUDE_PARTS = (
    "sense",
    "half_converted",
    "order",
    "direction",
    "imu_axes",
    "handedness",
    "world_up",
    "body_up",
    "position_axes",
)

EXCUSED = {"same frame, false": SAME_FRAME, "upright, false": UPRIGHT, "swapped": RIGHT_HAND}
"""Claims that are not true of a mutant, and what an answer that rests on them says that it assumes."""


def evidence_of(recording: Recording) -> Evidence:
    arguments = recording.arguments()
    streams = {name: arguments.pop(name, None) for name in STREAMS}
    return gather(recorded(arguments.pop("time"), streams=streams, **arguments))


def variants(truth: Truth, evidence: Evidence) -> Iterator[tuple[str, Claims]]:
    """Yield what is claimed, with a name that says whether the claim is true."""
    swapped = truth.rewritten == "columns swapped" and evidence.motion is None
    yield ("swapped, right hand claimed" if swapped else "nothing claimed"), Claims()
    yield "any hand", Claims(any_hand=True)
    if swapped:
        return
    yield "order known", Claims(order=truth.order)  # type: ignore[arg-type]
    same = np.allclose(truth.mount, np.eye(3))
    yield f"same frame, {'true' if same else 'false'}", Claims(same_frame=True)
    if truth.up is not None:
        upright = abs(truth.mount[2, 2]) > 0.9 and abs(truth.up[2]) > 0.9
        yield f"upright, {'true' if upright else 'false'}", Claims(upright=True)


@dataclass
class Comparison:
    """How the likeliest hypothesis of the gyro stands to each of the others, for trying other thresholds."""

    right: bool
    same_sense: np.ndarray
    chances: np.ndarray
    noise: np.ndarray
    gains: np.ndarray
    r2: float
    truth: bool


def comparison(evidence: Evidence, truth: Truth) -> Comparison | None:
    """Compare by the gyro alone, both hands admitted."""
    if evidence.rates is None:
        return None
    fits, blocks = evidence.rates.fits, evidence.rates.blocks
    best = best_of(fits, fits)
    others = [key for key in fits if key != best]
    sums = np.array([block_sums(fits[best].likelihood - fits[key].likelihood, blocks) for key in others])
    chances = np.mean(resampled(sums.shape[1]) @ sums.T <= 0.0, axis=0)
    return Comparison(
        best[0].sense == truth.sense,
        np.array([key[0].sense == best[0].sense for key in others]),
        chances,
        np.array([fits[key].sigma / fits[best].sigma for key in others]),
        np.array([fits[best].r2 - fits[key].r2 for key in others]),
        fits[best].r2 if evidence.rates.explained > LEAST_EXPLAINED else 0.0,
        True,
    )


def outcome(found: Comparison, wins: Wins) -> str:
    if found.r2 <= wins.r2:
        return "open"
    beaten = (found.chances <= wins.chance) & (found.noise > wins.noise)
    beaten &= (found.gains > wins.gain) | (found.noise > wins.clear)
    if not beaten[~found.same_sense].all():
        return "open"
    return "right" if found.right else "wrong"


@dataclass
class Tally:
    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    recordings: dict[tuple[str, str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    comparisons: dict[str, list[Comparison]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)
    drawn: dict[str, Counter[Any]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, name: str, variant: str, part: str, result: str) -> None:
        self.counts[variant, part][result] += 1
        self.recordings[name, variant, part][result] += 1


def mutate(name: str, base: Recording, count: int, tally: Tally) -> None:
    for number in range(count):
        rng = np.random.default_rng([number, *name.encode()])
        changed, truth = mutant(base, rng)
        for what, value in truth.notes.items():
            tally.drawn[what][value] += 1
        evidence = evidence_of(changed)
        if (found := comparison(evidence, truth)) is not None:
            tally.comparisons[name].append(found)
        for variant, claims in variants(truth, evidence):
            diagnosis = judge(evidence, claims)
            for part in PARTS:
                if (result := judged(diagnosis, truth, part)) is None:
                    continue
                tally.add(name, variant, part, result)
                if part in GIVEN and diagnosis.parts["sense"].decided and not truth.half:
                    tally.add(name, variant, f"  {part}", result)
                # What rests on a claim that is false may be wrong, but must say so.
                excused = any(
                    word in variant and any(said in text for text in diagnosis.parts[part].assumes)
                    for word, said in EXCUSED.items()
                )
                if result == "wrong" and not excused:
                    tally.faults.append(
                        f"{name}, mutant {number}, {variant}: {part} {diagnosis.parts[part].answer}"
                    )
            if diagnosis.parts["sense"].decided:
                tally.add(
                    name, variant, "truth in best", "right" if true_in_best(diagnosis, truth) else "wrong"
                )


def controls(loaded: dict[str, Recording], count: int) -> tuple[int, list[str]]:
    """Judge logs whose gyro has nothing to do with the attitude."""
    names = list(loaded)
    claims = {
        "nothing claimed": Claims(order="wxyz", direction="body_to_world"),
        "any hand": Claims(any_hand=True),
        "same frame": Claims(same_frame=True, order="wxyz", direction="body_to_world"),
        "upright": Claims(upright=True),
    }
    faults: list[str] = []
    for number in range(count):
        name = names[number % len(names)]
        rng = np.random.default_rng([number, 7])
        kind = CONTROLS[(number // len(names)) % len(CONTROLS)]
        other = names[(number + 1 + int(rng.integers(len(names) - 1))) % len(names)]
        evidence = evidence_of(control(loaded[name], loaded[other], kind, rng))
        for variant, claim in claims.items():
            diagnosis = judge(evidence, claim)
            decided = [part for part in ATTITUDE_PARTS if diagnosis.parts[part].decided]
            if decided or diagnosis.verdict == "consistent":
                faults.append(f"control {name}, {kind} ({other}), {variant}: {diagnosis.verdict} {decided}")
    return count, faults


def table(tally: Tally, names: list[str]) -> None:
    print("\nright / wrong / open, of all mutants")
    for variant in dict.fromkeys(variant for variant, _ in tally.counts):
        print(f"  {variant}")
        for part in (*PARTS, "truth in best", *(f"  {part}" for part in GIVEN)):
            c = tally.counts.get((variant, part))
            if c:
                print(f"    {part:16} {c['right']:5} / {c['wrong']:4} / {c['open']:5}")
    print("  the last lines: of the mutants whose sense is decided, without those half converted")
    print("\nby recording, right/wrong/open (nothing claimed; any hand)")
    shown = ("sense", "half_converted", "imu_axes", "world_up", "gyro_unit")
    for name in names:
        cells: list[str] = []
        for variant in ("nothing claimed", "any hand"):
            for part in shown:
                c = tally.recordings[name, variant, part]
                cells.append(f"{part} {c['right']}/{c['wrong']}/{c['open']}")
        print(f"  {name[:32]:32} " + "  ".join(cells))


def deciding(tally: Tally, loaded: dict[str, Recording]) -> None:
    """Print in how many of the mutants the sense is right, of the recordings that decide it as they are."""
    for variant, claims in (("nothing claimed", Claims()), ("any hand", Claims(any_hand=True))):
        names = [n for n, r in loaded.items() if judge(evidence_of(r), claims).parts["sense"].decided]
        total = sum((tally.recordings[name, variant, "sense"] for name in names), Counter[str]())
        share = 100.0 * total["right"] / max(total.total(), 1)
        print(f"{len(names)} recordings decide the sense, {variant}: right in {share:.2f} % of their mutants")
        print(f"  {', '.join(names)}")


def halves(comparisons: dict[str, list[Comparison]]) -> bool:
    """Choose thresholds on one half of the recordings, score them on the other, both ways."""
    names = sorted(comparisons)
    parts = (names[::2], names[1::2])
    grid = [
        Wins(r2, chance, noise, gain, clear)
        for r2, chance, noise, gain, clear in product(
            (0.4, 0.6, 0.8),
            (0.0005, 0.001, 0.005, 0.02),
            (1.005, 1.02, 1.05),
            (0.0003, 0.001, 0.003),
            (1.1, 1.3, 2.0),
        )
    ]
    print(
        "\nthresholds chosen on one half (none wrong, fewest open), scored on the other; sense, both hands admitted"
    )
    fine = True
    for chosen, scored in (parts, parts[::-1]):

        def score(wins: Wins, which: list[str]) -> Counter[str]:
            return Counter(outcome(found, wins) for name in which for found in comparisons[name])

        counts = [(score(wins, chosen), wins) for wins in grid]
        fewest = min(c["wrong"] for c, _ in counts)
        right = max(c["right"] for c, _ in counts if c["wrong"] == fewest)
        equal = [wins for c, wins in counts if c["wrong"] == fewest and c["right"] == right]
        # Of those that do equally well, the strictest.
        best = max(equal, key=lambda w: (w.noise, w.gain, -w.chance, w.r2, w.clear))
        own, other = score(best, chosen), score(best, scored)
        default = score(Wins(), scored)
        print(f"  {best}")
        print(
            f"    its half {own['right']}/{own['wrong']}/{own['open']}, the other {other['right']}/{other['wrong']}/{other['open']}"
            f" (with the thresholds in use {default['right']}/{default['wrong']}/{default['open']})"
        )
        fine &= other["wrong"] == 0 and default["wrong"] == 0
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=100, help="of each recording")
    parser.add_argument("--controls", type=int, default=520)
    parser.add_argument("--only", nargs="*", help="names of recordings")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Gimbal lock")
    data = Path(os.environ.get("BORESIGHT_DATA", ROOT.parent / "shared" / "data"))
    if not data.exists():
        print(f"no recordings in {data} (set BORESIGHT_DATA)")
        return 2
    began = time.perf_counter()
    loaded: dict[str, Any] = {name: load(name, data) for name in options.only or WITH_GYRO}
    tally = Tally()
    for name, recording in loaded.items():
        mutate(name, recording, options.mutants, tally)
        print(f"{time.perf_counter() - began:6.0f} s  {name}", flush=True)
    print("\ndrawn")
    for what, counts in tally.drawn.items():
        print(f"  {what}: " + ", ".join(f"{value} {counts[value]}" for value in sorted(counts, key=str)))
    table(tally, list(loaded))
    print()
    deciding(tally, loaded)
    fine = halves(tally.comparisons) if len(loaded) > 1 else True
    if options.controls and len(loaded) > 1:
        count, faults = controls(loaded, options.controls)
        print(f"\n{count} negative controls, each under four claims: {len(faults)} with a part decided")
        tally.faults += faults
    for fault in tally.faults[:40]:
        print(f"  FAULT {fault}")
    print(f"{time.perf_counter() - began:.0f} s in all")
    return 1 if tally.faults or not fine else 0


if __name__ == "__main__":
    sys.exit(main())
