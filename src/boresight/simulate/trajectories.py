"""True motion of a simulated vehicle: position, attitude, rates and specific force that agree exactly.

Position and heading are formulas of time (`segments`); everything else follows from them by differentiation
(`taylor`), so that no two parts of the truth can disagree by more than rounding.

How the attitude follows:

- A *multirotor* pushes along its own up axis only, so that axis points along the thrust that its acceleration,
  gravity and the drag of its rotors (linear in velocity) ask for; its heading is the segment's.
- A *ground* vehicle points along its path and leans on its springs: nose up when it speeds up, outward in
  a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from boresight import kernels
from boresight.simulate.segments import Motion, Segment
from boresight.simulate.taylor import Array, Taylor, Triple, cross, dot, unit

__all__ = ["Trajectory", "Truth", "Vehicle"]

Vehicle = Literal["multirotor", "ground"]

_ORDER = 4  # snap: the angular acceleration needs it
_BLOCK = 32_768  # instants evaluated at once: bounds memory over an hour at 400 Hz
_ROTOR_DRAG = 0.25  # 1/s: acceleration against the velocity, per m/s
_LEAN = 0.006  # rad per m/s2: how far a car leans on its springs


@dataclass(frozen=True)
class Truth:
    """The true state at n instants.

    Attributes
    ----------
    position, velocity, acceleration : array, shape (n, 3)
        North, east, down; m, m/s, m/s2.
    attitude : array, shape (n, 4)
        Unit quaternions x, y, z, w, body FRD to NED; the sign never jumps from one row to the next.
    rate, rate_derivative : array, shape (n, 3)
        Angular rate of the body against NED, in body axes (FRD), rad/s; and its derivative, rad/s2.
    specific_force : array, shape (n, 3)
        What an ideal accelerometer shows, in body axes (FRD), m/s2: (0, 0, -g) at rest and level.

    """

    position: Array
    velocity: Array
    acceleration: Array
    attitude: Array
    rate: Array
    rate_derivative: Array
    specific_force: Array


class Trajectory:
    """A path in time.

    Parameters
    ----------
    segments : sequence of Segment
        One after the other. Before the first and after the last the vehicle stands still.
    vehicle : {"multirotor", "ground"}
        What decides the attitude.
    heading : float
        At the start, radians clockwise from north.
    gravity : float
        Its size, m/s2.

    Examples
    --------
    >>> import numpy as np
    >>> from boresight.simulate.segments import Go
    >>> up = Trajectory([Go(10.0, down=-20.0)], "multirotor", heading=0.0, gravity=9.80665)
    >>> truth = up.at(np.array([0.0, 10.0]))
    >>> truth.position[1].round(6) + 0.0, truth.specific_force[0] + 0.0
    (array([  0.,   0., -20.]), array([ 0.     ,  0.     , -9.80665]))

    """

    def __init__(
        self, segments: Sequence[Segment], vehicle: Vehicle, *, heading: float, gravity: float
    ) -> None:
        self.segments = tuple(segments)
        self.vehicle: Vehicle = vehicle
        self.gravity = gravity
        self._starts = np.concatenate([[0.0], np.cumsum([s.duration for s in self.segments])])
        # Place and heading where each segment is entered: where the one before it ends.
        self._entries: list[tuple[Array, float]] = [(np.zeros(3), heading)]
        for segment in self.segments:
            end = segment.motion(Taylor.variable(np.array([segment.duration]), 1), *self._entries[-1])
            place = np.array([float(component.value[0]) for component in end.position])
            self._entries.append((place, float(end.heading.value[0])))

    @property
    def duration(self) -> float:
        """Seconds from the start of the first segment to the end of the last."""
        return float(self._starts[-1])

    def at(self, t: npt.ArrayLike) -> Truth:
        """Return the truth at instants `t`, seconds since the start, shape (n,)."""
        instants = np.atleast_1d(np.asarray(t, dtype=np.float64))
        blocks = [self._block(instants[i : i + _BLOCK]) for i in range(0, max(instants.size, 1), _BLOCK)]
        parts = {
            name: np.concatenate([getattr(b, name) for b in blocks]) for name in Truth.__dataclass_fields__
        }
        parts["attitude"] = _without_jumps(parts["attitude"])
        return Truth(**parts)

    def _block(self, t: Array) -> Truth:
        motion = self._motion(t)
        velocity = _differentiated(motion.position)
        acceleration = _differentiated(velocity)
        if self.vehicle == "multirotor":
            axes = self._multirotor(motion, velocity, acceleration)
        else:
            axes = self._ground(motion, acceleration)
        rate = _body_rate(axes)
        north, east, down = acceleration
        force = tuple(dot(axis, (north, east, down - self.gravity)) for axis in axes)
        matrix = np.stack([np.stack([c.value for c in axis], axis=-1) for axis in axes], axis=-1)
        return Truth(
            position=_values(motion.position),
            velocity=_values(velocity),
            acceleration=_values(acceleration),
            attitude=kernels.from_matrix(matrix),
            rate=_values(rate),
            rate_derivative=np.stack([w.derivative(1) for w in rate], axis=-1),
            specific_force=np.stack([f.value for f in force], axis=-1),
        )

    def _motion(self, t: Array) -> Motion:
        """Position, heading and slope with their derivatives, each instant from the segment it falls in."""
        n = t.size
        rows = np.zeros((5, _ORDER + 1, n))
        segment_of = np.searchsorted(self._starts, t, side="right") - 1
        for mask, entry in (
            (segment_of < 0, self._entries[0]),
            (segment_of >= len(self.segments), self._entries[-1]),
        ):
            rows[:3, 0, mask] = entry[0][:, None]
            rows[3, 0, mask] = entry[1]
        for index in range(len(self.segments)):
            mask = segment_of == index
            if not mask.any():
                continue
            local = Taylor.variable(t[mask] - self._starts[index], _ORDER)
            motion = self.segments[index].motion(local, *self._entries[index])
            for row, series in enumerate((*motion.position, motion.heading, motion.slope)):
                coefficients = series.coefficients
                rows[row, : coefficients.shape[0], mask] = coefficients.T
        north, east, down, heading, slope = (Taylor(row) for row in rows)
        return Motion((north, east, down), heading, slope)

    def _multirotor(
        self, motion: Motion, velocity: Triple, acceleration: Triple
    ) -> tuple[Triple, Triple, Triple]:
        """Make the body axes in NED from the thrust and the heading (differential flatness)."""
        thrust = (
            acceleration[0] + velocity[0] * _ROTOR_DRAG,
            acceleration[1] + velocity[1] * _ROTOR_DRAG,
            acceleration[2] + velocity[2] * _ROTOR_DRAG - self.gravity,
        )
        z = unit((-thrust[0], -thrust[1], -thrust[2]))
        sine, cosine = motion.heading.truncated(z[0].order).sincos()
        # x lies in the vertical plane of the heading: that is what makes the heading the yaw of Z-Y-X.
        x = unit(cross((-sine, cosine, Taylor.constant(0.0, sine)), z))
        return x, cross(z, x), z

    def _ground(self, motion: Motion, acceleration: Triple) -> tuple[Triple, Triple, Triple]:
        """Make the body axes in NED from Z-Y-X angles: along the path, and leaning."""
        order = acceleration[0].order
        sy, cy = motion.heading.truncated(order).sincos()
        ahead = acceleration[0] * cy + acceleration[1] * sy
        right = acceleration[1] * cy - acceleration[0] * sy
        sp, cp = (motion.slope.truncated(order) + ahead * _LEAN).sincos()
        sr, cr = (right * -_LEAN).sincos()
        x = (cp * cy, cp * sy, -sp)
        y = (sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp)
        return x, y, cross(x, y)


def _differentiated(v: Triple) -> Triple:
    return v[0].differentiated(), v[1].differentiated(), v[2].differentiated()


def _values(v: Triple) -> Array:
    return np.stack([component.value for component in v], axis=-1)


def _body_rate(axes: tuple[Triple, Triple, Triple]) -> Triple:
    """Return the rate in body axes: the skew part of R^T dR/dt, where the axes are the columns of R."""
    x, y, z = axes
    dx, dy, dz = _differentiated(x), _differentiated(y), _differentiated(z)
    return (
        (dot(z, dy) - dot(y, dz)) * 0.5,
        (dot(x, dz) - dot(z, dx)) * 0.5,
        (dot(y, dx) - dot(x, dy)) * 0.5,
    )


def _without_jumps(q: Array) -> Array:
    """Return the same rotations with signs such that neighbours lie on one side; the first has w >= 0."""
    if not len(q):
        return q
    flips = np.concatenate([[q[0, 3] < 0.0], np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0])
    return np.where(np.logical_xor.accumulate(flips)[:, None], -q, q)
