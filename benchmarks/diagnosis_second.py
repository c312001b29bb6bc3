"""How often a second record of the orientation decides wrongly, where what the caller says of it is false.

Every case is a flight of random liveliness, stored in a random reading, beside a second record that the caller vouches
for. Of a record that is another attitude, or in other Euler angles, than is said, nothing may be decided wrongly. One
that is exactly a reading of this attitude, but another reading than is said (direction, order), cannot be told from the
two records: there the answer is as wrong as the claim on which it says that it rests, unless a gyro refutes it; counted apart.

    python benchmarks/diagnosis_second.py [--cases N] [--seed S] [--gyro]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation, Slerp

from boresight.diagnosis import SecondClaim, diagnose_arrays, second_record

Floats = NDArray[np.float64]
SEQUENCES = ("XYZ", "XZY", "YXZ", "YZX", "ZXY")
STORED = (None, "float32", 6, 4, 3, 2)
"""How angles are written: whole, in four bytes, or to so many decimals of a degree."""


def motion(rng: np.random.Generator, t: Floats) -> Floats:
    """Yaw, pitch and roll, of which one or two may stand still."""
    lively = 10.0 ** rng.uniform(-2.3, 0.1)
    heading = rng.choice([0.0, 0.05, 0.5, 2.0])
    amplitudes = np.array([heading, 0.8 * lively, 0.9 * lively])
    amplitudes[rng.random(3) < 0.12] = 0.0
    out = np.zeros((len(t), 3))
    for _ in range(3):
        speed, phase = rng.uniform(0.1, 2.5, 3), rng.uniform(0.0, 6.28, 3)
        out += amplitudes / 3.0 * rng.uniform(0.3, 1.5, 3) * np.sin(speed * t[:, None] + phase)
    out[:, 0] += rng.uniform(-3.0, 3.0)
    out[:, 1:] += rng.uniform(-0.1, 0.1, 2)
    out[:, 1] = np.clip(out[:, 1], -1.5, 1.5)
    return out


def kinds(
    rng: np.random.Generator, t: Floats, angles: Floats, truth: Rotation
) -> dict[str, Callable[[], dict[str, Any]]]:
    """What may be given as the second record, as if it were yaw, pitch, roll in radians, body to world."""

    def shifted(seconds: float) -> Rotation:
        return Slerp(t, truth)(np.clip(t - seconds, t[0], t[-1]))

    def smooth(seconds: float) -> Floats:
        return gaussian_filter1d(angles, seconds / (t[1] - t[0]), axis=0, mode="nearest")

    def columns(places: list[int], signs: tuple[int, ...] = (1, 1, 1)) -> dict[str, Any]:
        return {"euler": truth.as_euler("ZYX")[:, places] * signs}

    sequence = str(rng.choice(SEQUENCES))
    named = [sequence.index(axis) for axis in "ZYX"]
    # XYZ with one angle negated is the inverse, which is among the kinds as such.
    other = str(rng.choice(SEQUENCES[1:]))
    other_named = [other.index(axis) for axis in "ZYX"]
    negated = np.ones(3)
    negated[rng.integers(3)] = -1
    delay = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-2.5, -0.3))
    drift = np.radians(rng.uniform(0.02, 1.0)) * rng.normal(size=3)
    steady = t[:, None] / t[-1]
    return {
        "true": lambda: {"euler": truth.as_euler("ZYX")},
        "true, quaternion": lambda: {"quat": truth.as_quat(), "order": "xyzw"},
        "sequence": lambda: {"euler": truth.as_euler(sequence)[:, named]},
        "columns": lambda: columns(list(rng.permutation(3))),
        "negated": lambda: {"euler": truth.as_euler("ZYX") * negated},
        "sequence, negated": lambda: {"euler": truth.as_euler(other)[:, other_named] * negated},
        "unit": lambda: {"euler": truth.as_euler("ZYX", degrees=True)},
        "sequence, inverse": lambda: {"euler": truth.inv().as_euler(sequence)[:, named]},
        "world": lambda: {
            "euler": (
                Rotation.from_matrix(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]]))
                * truth
                * Rotation.from_euler("X", np.pi)
            ).as_euler("ZYX")
        },
        "mount": lambda: {
            "euler": (truth * Rotation.random(random_state=int(rng.integers(99)))).as_euler("ZYX")
        },
        "setpoint": lambda: {"euler": smooth(rng.uniform(0.1, 1.0)) + 0.1 * (angles - smooth(0.5))},
        "filtered": lambda: {"euler": smooth(10 ** rng.uniform(-2.0, 0.0))},
        "delayed": lambda: {"euler": shifted(delay).as_euler("ZYX")},
        "noisy": lambda: {
            "euler": (
                truth * Rotation.from_rotvec(10 ** rng.uniform(-4.0, -2.0) * rng.normal(size=(len(t), 3)))
            ).as_euler("ZYX")
        },
        "drifting": lambda: {"euler": (Rotation.from_rotvec(drift * steady) * truth).as_euler("ZYX")},
        "yaw alone filtered": lambda: {"euler": np.column_stack([smooth(0.3)[:, 0], angles[:, 1:]])},
        "inverse": lambda: {"euler": truth.inv().as_euler("ZYX")},
        "order": lambda: {"quat": np.roll(truth.as_quat(), 1, axis=1), "order": "xyzw"},
        "conjugate": lambda: {"quat": truth.inv().as_quat(), "order": "xyzw"},
    }


CLAIMED = ("inverse", "order", "conjugate", "sequence, inverse")
"""Kinds that are a reading of the attitude themselves, exactly or nearly; only a gyro can refute what is said of them."""


def rounded(values: Floats, digits: Any, scale: float) -> Floats:
    if digits is None:
        return values
    if digits == "float32":
        return values.astype(np.float32)
    return np.round(values * scale, digits) / scale


def case(seed: int, kind: str, *, gyro: bool) -> tuple[str, str]:
    """Return what became of the sense and what became of half conversion: right, wrong or open; and a description."""
    rng = np.random.default_rng(seed)
    rate = float(rng.choice([10.0, 20.0, 50.0, 100.0]))
    t = np.arange(0.0, rng.uniform(15.0, 60.0), 1.0 / rate)
    given_angles = motion(rng, t)
    truth = Rotation.from_euler("ZYX", given_angles)
    own = truth
    spoilt = rng.random() < 0.15 and "negated" not in kind
    if spoilt:
        signs = np.ones(3)
        signs[rng.integers(3)] = -1.0
        own = Rotation.from_euler("ZYX", given_angles * signs)
    inverse = rng.random() < 0.5
    quat = (own.inv() if inverse else own).as_quat()[:, [3, 0, 1, 2]]
    quat = quat * np.where(rng.random(len(t)) < 0.5, 1.0, -1.0)[:, None]
    stored = STORED[rng.integers(len(STORED))]
    record = kinds(rng, t, given_angles, truth)[kind]()
    if "euler" in record:
        unit = 1.0 if kind == "unit" else 180.0 / np.pi
        record = {"euler": rounded(record["euler"], stored, unit), "degrees": False}
    else:
        record["quat"] = rounded(record["quat"], {3: 6, 2: 4}.get(stored, stored), 1.0)
    quat = rounded(quat, STORED[rng.integers(4)], 1.0)
    keep = slice(None, None, int(rng.choice([1, 1, 2, 3])))
    second = second_record(
        t[keep], name="other", **{k: v[keep] if isinstance(v, np.ndarray) else v for k, v in record.items()}
    )
    given: dict[str, Any] = {}
    if gyro:
        rates = (truth[:-1].inv() * truth[1:]).as_rotvec() * rate
        given["gyro"] = (t[:-1] + 0.5 / rate, rates + 0.003 * rng.normal(size=rates.shape))
    found = diagnose_arrays(
        t, quat=quat, order="wxyz", second=second, second_claim=SecondClaim(world="NED", body="FRD"), **given
    )
    sense, half = found["sense"], found["half_converted"]
    want = ("inverse" if inverse else "same", "one_euler_angle_negated" if spoilt else "none")
    results = [
        "open" if not part.decided else "right" if part.answer == right else "wrong"
        for part, right in zip((sense, half), want, strict=True)
    ]
    worst = "wrong" if "wrong" in results else "right" if "right" in results else "open"
    told = f"{kind} seed {seed} {'half ' if spoilt else ''}{want[0]}, stored {stored}: {found.evidence['second'].why}"
    return worst, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gyro", action="store_true")
    parser.add_argument("--only", default=None)
    options = parser.parse_args()
    names = list(kinds(np.random.default_rng(0), np.arange(4.0), np.zeros((4, 3)), Rotation.identity(4)))
    if options.only:
        names = [options.only]
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for number in range(options.cases):
        kind = names[number % len(names)]
        result, told = case(options.seed * 1_000_000 + number, kind, gyro=options.gyro)
        counts[kind][result] += 1
        if result == "wrong" and (kind not in CLAIMED or options.gyro):
            print(told, flush=True)
    for name, count in counts.items():
        rests = "  (as the claim)" if name in CLAIMED else ""
        print(f"{name:20} right {count['right']:4} wrong {count['wrong']:4} open {count['open']:4}{rests}")
    sums = [sum((c[k] for n, c in counts.items() if n not in CLAIMED), 0) for k in ("right", "wrong", "open")]
    print(f"{'all but the claimed':20} right {sums[0]:4} wrong {sums[1]:4} open {sums[2]:4}")


if __name__ == "__main__":
    main()
