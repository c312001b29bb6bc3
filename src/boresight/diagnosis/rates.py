"""The rates that the stored attitude would have under each hypothesis on what it is.

Two series cover all four readings of order and direction: the body rate w of A, and ``-A·w``, that of its inverse.

*Half converted* means that one Euler angle was negated and the others left, as by code that turns a yaw around and
forgets the roll and pitch. Such a record is no order, direction or axes of the truth. Negating the first angle, the
second or the third comes to the same up to a relabelling of axes. To undo it, the attitude is turned about the axis of
the first angle, axis i of the world, by twice that angle, ``F(A) = Rot(eᵢ, -2α)·A``, where α is the azimuth about eᵢ of
the last angle's axis, axis j of the body. Its body rate is ``w - 2 α' Aᵀeᵢ``: no Euler angles are needed, and no pole is
met but that of the sequence itself. Which two axes i and j belong to the first and last angle depends on the labels of
the axes, so all nine pairs are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boresight import kernels
from boresight.diagnosis.grid import turns
from boresight.diagnosis.twins import Sense

__all__ = ["Hypothesis", "all_hypotheses", "half_turned", "plain_hypotheses", "rates_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What the stored attitude may be: its sense, and the axes (i, j) of a negated Euler angle, or None."""

    sense: Sense
    half: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """A short name: ``"same"``, ``"inverse, half converted (z, x)"``."""
        if self.half is None:
            return self.sense
        return f"{self.sense}, half converted ({'xyz'[self.half[0]]}, {'xyz'[self.half[1]]})"


def plain_hypotheses() -> tuple[Hypothesis, ...]:
    """Return the two senses."""
    return Hypothesis("same"), Hypothesis("inverse")


def all_hypotheses() -> tuple[Hypothesis, ...]:
    """Return the two senses, plain first, then with an Euler angle negated about each pair of axes."""
    return plain_hypotheses() + tuple(
        Hypothesis(sense, (i, j)) for i in range(3) for j in range(3) for sense in ("same", "inverse")
    )


def azimuth(matrix: Floats, i: int, j: int) -> tuple[Floats, Floats]:
    """Return the azimuth about world axis i of body axis j, and its cosine of elevation (0 at the pole)."""
    east, north = matrix[..., (i + 1) % 3, j], matrix[..., (i + 2) % 3, j]
    return np.arctan2(north, east), np.hypot(east, north)


def half_turned(quat: Floats, i: int, j: int) -> Floats:
    """Undo (or do) a negated Euler angle: turn by minus twice the azimuth about world axis i of body axis j.

    Parameters
    ----------
    quat : ndarray, shape (..., 4)
        Unit quaternions (x, y, z, w).
    """
    alpha, _ = azimuth(np.asarray(kernels.to_matrix(quat), dtype=np.float64), i, j)
    turn = np.zeros(quat.shape)
    turn[..., i] = -np.sin(alpha)
    turn[..., 3] = np.cos(alpha)
    return np.asarray(kernels.multiply(turn, quat), dtype=np.float64)


def attitude_under(quat: Floats, hypothesis: Hypothesis) -> Floats:
    """Return the true attitude, body to world, that the stored one stands for under a hypothesis."""
    undone = quat if hypothesis.half is None else half_turned(quat, *hypothesis.half)
    return undone if hypothesis.sense == "same" else np.asarray(kernels.conjugate(undone), dtype=np.float64)


def rates_of(
    before: Floats,
    after: Floats,
    spans: Floats,
    hypotheses: Sequence[Hypothesis] | None = None,
) -> dict[Hypothesis, Floats]:
    """Return the mean body rates over steps under every hypothesis.

    Parameters
    ----------
    before, after : ndarray, shape (n, 4)
        A at the ends of each step, (x, y, z, w).
    spans : ndarray, shape (n,)
        Lengths of the steps, seconds.
    hypotheses : sequence of Hypothesis, optional
        Those wanted; all unless given.

    Returns
    -------
    dict of Hypothesis to ndarray, shape (n, 3)
        NaN where A is.
    """
    wanted = all_hypotheses() if hypotheses is None else hypotheses
    out: dict[Hypothesis, Floats] = {}
    for hypothesis in wanted:
        same = Hypothesis("same", hypothesis.half)
        if same not in out:
            half = hypothesis.half
            first, second = (
                (before, after) if half is None else (half_turned(q, *half) for q in (before, after))
            )
            own = turns(first, second)
            own /= spans[:, None]
            out[same] = own
            # The inverse's body rate is minus the rate in the world, from either end of the step alike.
            out[Hypothesis("inverse", half)] = -np.asarray(kernels.rotate(first, own), dtype=np.float64)
    return {hypothesis: out[hypothesis] for hypothesis in wanted}
