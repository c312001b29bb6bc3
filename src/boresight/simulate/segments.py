"""Pieces of a path, each a few numbers: rest, go there, fly a figure, follow a course.

Every segment starts and ends at rest, with velocity, acceleration, jerk and snap zero, so that any sequence
of them is smooth enough for continuous body rates and angular accelerations. Positions are metres north, east
and down of the start; headings are degrees clockwise from north.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial, radians, tau
from typing import Protocol

import numpy as np

from boresight.simulate.taylor import Array, Taylor, Triple, atan2

# The integral of the smoothstep of degree 7 (35 x^4 - 84 x^5 + 70 x^6 - 20 x^7), lowest power first: the
# distance covered while the speed grows from 0 to 1. Its fourth derivative is zero at both ends.
_RAMP = (0.0, 0.0, 0.0, 0.0, 0.0, 35.0 / 5.0, -84.0 / 6.0, 70.0 / 7.0, -20.0 / 8.0)
_DEGREE = 5


@dataclass(frozen=True)
class Motion:
    """What a segment says about a stretch of time.

    `position` is north, east, down in metres; `heading` is in radians; `slope` is the path's own pitch in
    radians (zero unless the vehicle follows the ground).
    """

    position: Triple
    heading: Taylor
    slope: Taylor


class Segment(Protocol):
    """One piece of a path."""

    @property
    def duration(self) -> float:
        """Seconds."""
        ...

    def motion(self, t: Taylor, position: Array, heading: float) -> Motion:
        """Return the motion `t` seconds into the segment, entered at `position` with `heading`."""
        ...


def progress(t: Taylor, duration: float, ramp: float) -> Taylor:
    """Go from 0 to 1 over `duration`, speeding up and slowing down smoothly over `ramp` seconds each."""
    speed = 1.0 / (duration - ramp)
    return speed * ramp * (_ramp(t / ramp) - _ramp((t - (duration - ramp)) / ramp))


def _ramp(x: Taylor) -> Taylor:
    rising = x.polynomial(_RAMP)
    after = (x - 0.5).where(x.value >= 1.0, rising)
    return after.where(x.value > 0.0, Taylor.constant(0.0, x))


@dataclass(frozen=True)
class Rest:
    """Stand still."""

    duration: float

    def motion(self, t: Taylor, position: Array, heading: float) -> Motion:
        """See `Segment.motion`."""
        n, e, d = (Taylor.constant(float(p), t) for p in position)
        return Motion((n, e, d), Taylor.constant(heading, t), Taylor.constant(0.0, t))


@dataclass(frozen=True)
class Go:
    """Move by `north`, `east`, `down` metres in a straight line while turning by `turn` degrees."""

    duration: float
    north: float = 0.0
    east: float = 0.0
    down: float = 0.0
    turn: float = 0.0
    ramp: float = 0.4  # share of the duration spent speeding up, and again slowing down

    def motion(self, t: Taylor, position: Array, heading: float) -> Motion:
        """See `Segment.motion`."""
        s = progress(t, self.duration, self.ramp * self.duration)
        n, e, d = (
            s * delta + float(p)
            for delta, p in zip((self.north, self.east, self.down), position, strict=True)
        )
        return Motion((n, e, d), s * radians(self.turn) + heading, Taylor.constant(0.0, t))


@dataclass(frozen=True)
class FigureEight:
    """Fly figures of eight, `length` metres north to south and `width` east to west."""

    duration: float
    length: float
    width: float
    laps: int = 1
    climb: float = 0.0  # metres up and back down again, once a lap
    turn: float = 0.0  # degrees over the whole segment
    ramp: float = 0.2

    def motion(self, t: Taylor, position: Array, heading: float) -> Motion:
        """See `Segment.motion`."""
        s = progress(t, self.duration, self.ramp * self.duration)
        sine, cosine = (s * (tau * self.laps)).sincos()
        north = sine * (0.5 * self.length) + float(position[0])
        east = sine * cosine * self.width + float(position[1])
        down = (cosine - 1.0) * (0.5 * self.climb) + float(position[2])
        return Motion((north, east, down), s * radians(self.turn) + heading, Taylor.constant(0.0, t))


@dataclass(frozen=True)
class Course:
    """Follow a smooth curve past control points, nose along the curve.

    The curve is a uniform B-spline of degree 5: it passes near the points, not through them, and is straight
    where six points in a row are. Points are (north, east, down) in metres from the place and heading where
    the segment is entered, turned by that heading: a course that starts along +north starts along the
    vehicle's nose. With `closed`, the first points follow the last again and the course ends where it began.
    """

    duration: float
    points: Sequence[tuple[float, float, float]]
    closed: bool = False
    laps: int = 1
    ramp: float = 0.15

    def motion(self, t: Taylor, position: Array, heading: float) -> Motion:
        """See `Segment.motion`."""
        controls = np.asarray(self.points, dtype=np.float64)
        if self.closed:
            controls = np.concatenate([np.tile(controls, (self.laps, 1)), controls[:_DEGREE]])
        spans = _span_polynomials(controls)
        s = progress(t, self.duration, self.ramp * self.duration) * float(len(spans))
        index = np.clip(np.floor(s.value).astype(np.intp), 0, len(spans) - 1)
        local = s - index.astype(np.float64)
        powers = np.arange(1.0, _DEGREE + 1.0)
        ahead, right, down = (local.polynomial(spans[index, :, axis].T) for axis in range(3))
        tangent = [local.polynomial((spans[index, 1:, axis] * powers).T) for axis in range(3)]
        start = spans[0, 0]
        sine, cosine = np.sin(heading), np.cos(heading)
        ahead, right, down = ahead - start[0], right - start[1], down - start[2]
        north = ahead * cosine - right * sine + float(position[0])
        east = ahead * sine + right * cosine + float(position[1])
        level = (tangent[0] * tangent[0] + tangent[1] * tangent[1]).sqrt()
        return Motion(
            (north, east, down + float(position[2])),
            atan2(tangent[1], tangent[0]) + heading,
            atan2(-tangent[2], level),
        )


def _span_polynomials(controls: Array) -> Array:
    """Polynomials of the spans of a uniform B-spline, shape (spans, degree + 1, 3), lowest power first."""
    k = _DEGREE
    # Column j: the basis function of control j on one span, from N_j(u) = sum_i (-1)^i C(k+1, i) (u + k - j -
    # i)^k / k!
    basis = np.zeros((k + 1, k + 1))
    for j in range(k + 1):
        for i in range(k - j + 1):
            shift = float(k - j - i)
            for power in range(k + 1):
                weight = comb(k, power) * shift ** (k - power)
                basis[power, j] += (-1) ** i * comb(k + 1, i) * weight / factorial(k)
    windows = np.lib.stride_tricks.sliding_window_view(controls, k + 1, axis=0)  # (spans, 3, k + 1)
    return np.einsum("pj,scj->spc", basis, windows)
