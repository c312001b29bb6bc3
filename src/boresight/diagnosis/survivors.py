"""Which hypotheses are left once the evidence has spoken.

A hypothesis falls when the best explanation of one kind of evidence surely beats it (`robust.beats`). What is then
left agrees on a question or does not; nothing is decided by being merely the best of those that are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from boresight.diagnosis.gyro import Key
from boresight.diagnosis.robust import Fit, Wins, beats, block_sums, resampled

__all__ = ["RATE_WINS", "Survivors", "best_of", "contenders", "either_hand", "survive"]

Floats = NDArray[np.float64]

RATE_WINS = Wins()

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Survivors(Generic[K]):
    """What is left.

    Attributes
    ----------
    keys : tuple of Key
        Those left, the likeliest first.
    chances : dict of Key to float
        For those that fell, the chance that they should not have.
    margins : dict of Key to float
        Noise that each leaves, as a multiple of what the best does, in the evidence that is clearest about it.
    fitting : bool
        Whether the best of them explains the first kind of evidence at all.
    """

    keys: tuple[K, ...]
    chances: dict[K, float]
    margins: dict[K, float]
    fitting: bool


def best_of(fits: Mapping[K, Fit], keys: Iterable[K]) -> K:
    """Return the likeliest of some hypotheses."""
    return max(keys, key=lambda key: float(fits[key].likelihood.sum()))


def survive(
    kinds: Iterable[tuple[Mapping[K, Fit], NDArray[np.intp]]], keys: Iterable[K], wins: Wins = RATE_WINS
) -> Survivors[K]:
    """Let each kind of evidence strike out the hypotheses that its best one surely beats.

    Parameters
    ----------
    kinds : iterable of (fits, blocks)
        The gyro first; it orders what is left. The others may leave out hypotheses that the gyro has struck out.
    """
    chosen = list(keys)
    struck: dict[K, float] = {}
    margins: dict[K, float] = {}
    listed = list(kinds)
    fitting = False
    for number, (fits, blocks) in enumerate(listed):
        known = [key for key in chosen if key in fits]
        if not known:
            continue
        best = best_of(fits, known)
        if number == 0:
            fitting = fits[best].r2 > wins.r2
        if not fitting:  # nothing else is believed beside a gyro that is of another log
            break
        for key in known:
            if key == best:
                continue
            sure, chance = beats(fits[best], fits[key], blocks, wins)
            margins[key] = max(margins.get(key, 0.0), fits[key].sigma / fits[best].sigma)
            if sure:
                struck[key] = min(struck.get(key, 1.0), chance)
    left = [key for key in chosen if key not in struck]
    first = listed[0][0]
    left.sort(key=lambda key: -float(first[key].likelihood.sum()))
    return Survivors(tuple(left), struck, margins, fitting)


def contenders(fits: Mapping[Key, Fit], blocks: NDArray[np.intp], wins: Wins = RATE_WINS) -> list[Key]:
    """Return the hypotheses that one kind of evidence leaves, with both hands admitted or one."""
    every = survive([(fits, blocks)], fits, wins).keys
    right = survive([(fits, blocks)], [key for key in fits if key[1] > 0], wins).keys
    return list(dict.fromkeys((*every, *right)))


def either_hand(kinds: Iterable[tuple[Mapping[Key, Fit], NDArray[np.intp]]]) -> bool:
    """Return whether the data speak against a right-handed sensor, so that the assumption is not to be used.

    A mirrored fit that is better than every rotation in 19 of 20 resamplings is no proof of a mirror, but enough not
    to lean on the assumption of none.
    """
    for fits, blocks in kinds:
        hands = [[key for key in fits if key[1] == hand] for hand in (1, -1)]
        if not all(hands):
            continue
        right, left = (best_of(fits, keys) for keys in hands)
        if fits[left].r2 < 0.3:
            continue
        sums = block_sums(fits[left].likelihood - fits[right].likelihood, blocks)
        if fits[right].sigma / fits[left].sigma > 1.01 and np.mean(resampled(len(sums)) @ sums <= 0.0) < 0.05:
            return True
    return False
