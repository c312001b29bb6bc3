"""Constraints on an orientation that planners know, as laws to draw from: each is uniform over what it allows."""

from __future__ import annotations

from itertools import pairwise
from math import hypot, pi, sin, sqrt
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import kernels, parameters
from ..frames import Source, Target, Unframed
from ..rotation import Rotation
from . import draws
from .checks import reals
from .distributions.law import S, T, checked_angle, single
from .distributions.region import EDGE, Region
from .streams import Doubles, Rng, Size

__all__ = ["EulerBox", "RotvecBox", "SwingTwistBox", "TiltCone"]


class SwingTwistBox(Region[Source, Target]):
    """An axis of the tool within a cone, and the turn about it within bounds.

    R = center · swing · twist: the twist turns about the axis, the swing then tilts the axis.

    Parameters
    ----------
    center : Rotation
        A single one; its frames are those of the samples.
    tilt : float
        Largest angle between where the axis is and where the centre puts it, in radians, in [0, π].
    twist : float
        Largest turn about the axis, either way, in radians, in [0, π].
    axis : array_like, shape (3,)
        In the axes of the source, of any length but zero; z by default.

    Raises
    ------
    ValueError
        For an angle out of range, a centre that is a batch or NaN, or an axis of length zero.

    Notes
    -----
    The cosine of the tilt, its azimuth and the twist are uniform. The share of all rotations is
    (1 - cos tilt)/2 · twist/π.

    Examples
    --------
    >>> from boresight import Rotation
    >>> box = SwingTwistBox(Rotation.identity(), tilt=0.2, twist=0.5)
    >>> bool(box.contains(box.sample(1000, rng=1)).all()), round(box.mass, 6)
    (True, 0.001586)
    """

    __slots__ = ("_axis", "_tilt", "_twist")

    def __init__(
        self,
        center: Rotation[Source, Target],
        tilt: float,
        twist: float,
        *,
        axis: ArrayLike = (0.0, 0.0, 1.0),
    ) -> None:
        self._tilt = checked_angle("tilt", tilt, 0.0, pi, "[0, π]")
        self._twist = checked_angle("twist", twist, 0.0, pi, "[0, π]")
        self._axis = _unit("axis", axis)
        # The law itself is about z.
        to_axis: Any = parameters.shortest_arc([0.0, 0.0, 1.0], self._axis)
        left: Any = kernels.multiply(single("center", center), to_axis)
        right: Any = kernels.conjugate(to_axis)
        super().__init__(center.source, center.target, left=left, right=right)

    @property
    def tilt(self) -> float:
        """Largest tilt of the axis, in radians."""
        return self._tilt

    @property
    def twist(self) -> float:
        """Largest turn about the axis, in radians."""
        return self._twist

    @property
    def axis(self) -> Doubles:
        """Unit vector in the axes of the source, shape (3,)."""
        return self._axis.copy()

    @property
    def mass(self) -> float:
        """What share of all rotations it allows."""
        return sin(self._tilt / 2) ** 2 * (self._twist / pi)

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return draws.swing_twist(rng, size, tilt=self._tilt, twist=self._twist)

    def _holds(self, q: Doubles) -> Any:
        # cos(tilt/2) is the length of (z, w), and the twist their angle.
        x, y, z, w = (q[..., i] for i in range(4))
        tilt = 2 * np.arctan2(np.hypot(x, y), np.hypot(z, w))
        twist = 2 * np.arctan2(np.abs(z), np.abs(w))
        return (tilt <= self._tilt + EDGE) & ((twist <= self._twist + EDGE) | (self._twist == pi))


class TiltCone(SwingTwistBox[Source, Target]):
    """An axis of the tool within a cone, with the turn about it free: a glass kept upright.

    Parameters
    ----------
    center : Rotation
        Puts the axis where it is to point; a single one, whose frames are those of the samples.
    angle : float
        Largest angle from there, in radians, in [0, π].
    axis : array_like, shape (3,)
        In the axes of the source, of any length but zero; z by default.

    Raises
    ------
    ValueError
        For an angle out of range, a centre that is a batch or NaN, or an axis of length zero.

    Notes
    -----
    The share of all rotations is (1 - cos angle)/2.

    Examples
    --------
    >>> import numpy as np
    >>> upright = TiltCone.pointing([0, 0, 1], [0, 0, 1], np.radians(20))
    >>> R = upright.sample(10_000, rng=1)
    >>> bool(R.as_matrix()[:, 2, 2].min() > np.cos(np.radians(20)))
    True
    """

    __slots__ = ()

    def __init__(
        self, center: Rotation[Source, Target], angle: float, *, axis: ArrayLike = (0.0, 0.0, 1.0)
    ) -> None:
        super().__init__(center, checked_angle("angle", angle, 0.0, pi, "[0, π]"), pi, axis=axis)

    @property
    def angle(self) -> float:
        """Largest tilt of the axis, in radians."""
        return self._tilt

    @property
    def mean(self) -> Rotation[Source, Target]:
        """There is none: the turn about the axis is free.

        Raises
        ------
        ValueError
        """
        raise ValueError(f"{self!r} has no mean: the turn about its axis is free")

    @overload
    @staticmethod
    def pointing(axis: ArrayLike, direction: ArrayLike, angle: float) -> TiltCone[Unframed, Unframed]: ...
    @overload
    @staticmethod
    def pointing(
        axis: ArrayLike, direction: ArrayLike, angle: float, *, source: type[S], target: type[T]
    ) -> TiltCone[S, T]: ...
    @staticmethod
    def pointing(
        axis: ArrayLike, direction: ArrayLike, angle: float, *, source: Any = None, target: Any = None
    ) -> TiltCone[Any, Any]:
        """The cone about a direction.

        Parameters
        ----------
        axis : array_like, shape (3,)
            Of the tool, in the axes of the source.
        direction : array_like, shape (3,)
            Where it is to point, in the axes of the target. Both of any length but zero.
        angle : float
            Largest angle between the two, in radians, in [0, π].
        source, target : type of Frame, optional
            Both or neither.

        Returns
        -------
        TiltCone
        """
        arc = parameters.shortest_arc(_unit("axis", axis), _unit("direction", direction))
        center = Rotation.from_quat(arc, order="xyzw", source=source, target=target)
        return TiltCone(center, angle, axis=axis)


class EulerBox(Region[Source, Target]):
    """Euler angles within half widths: MoveIt's tolerances of an orientation constraint.

    R = center · E, and the three angles of E are within bounds.

    Parameters
    ----------
    center : Rotation
        A single one; its frames are those of the samples.
    half_widths : array_like, shape (3,)
        In the order of the letters, in radians: at most π, π/2 and π.
    sequence : str
        Three different upper-case letters, intrinsic. MoveIt's XYZ_EULER_ANGLES is "XYZ".

    Raises
    ------
    ValueError
        For half widths out of range, a centre that is a batch or NaN, or a sequence of another kind.

    Notes
    -----
    The first and the third angle are uniform, and so is the sine of the middle one: uniform in the angle would be too
    dense near the pole. The share of all rotations is a · c · sin(b) / π².

    Examples
    --------
    >>> from boresight import Rotation
    >>> box = EulerBox(Rotation.identity(), [0.1, 0.2, 3.14159])
    >>> bool(box.contains(box.sample(1000, rng=1)).all())
    True
    """

    __slots__ = ("_half_widths", "_sequence")

    def __init__(
        self, center: Rotation[Source, Target], half_widths: ArrayLike, *, sequence: str = "XYZ"
    ) -> None:
        self._half_widths = draws.checked_half_widths(half_widths, (pi, pi / 2, pi))
        draws.check_sequence(sequence)
        self._sequence = sequence
        left = single("center", center)
        super().__init__(center.source, center.target, left=left)

    @property
    def half_widths(self) -> tuple[float, float, float]:
        """In radians, in the order of the letters."""
        return self._half_widths

    @property
    def mass(self) -> float:
        """What share of all rotations it allows."""
        a, b, c = self._half_widths
        return a * c * sin(b) / pi**2

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return draws.euler_box(rng, size, half_widths=self._half_widths, sequence=self._sequence)

    def _holds(self, q: Doubles) -> Any:
        angles = kernels.to_euler(self._sequence, q, degrees=False)
        return (np.abs(angles) <= np.array(self._half_widths) + _euler_edge(angles)).all(axis=-1)


class RotvecBox(Region[Source, Target]):
    """Rotation vectors within half widths: MoveIt's other parameterisation of tolerances.

    R = center · exp(v), and the three components of v, the shortest rotation vector, are within bounds.

    Parameters
    ----------
    center : Rotation
        A single one; its frames are those of the samples.
    half_widths : array_like, shape (3,)
        In radians, at most π. What of the box is longer than π is left out.

    Raises
    ------
    ValueError
        For half widths out of range, or a centre that is a batch or NaN.

    Notes
    -----
    Drawn uniformly in the box, and accepted with the density of Haar's measure there, (sin(t/2) / (t/2))².

    Examples
    --------
    >>> from boresight import Rotation
    >>> box = RotvecBox(Rotation.identity(), [0.5, 0.9, 1.2])
    >>> bool(box.contains(box.sample(1000, rng=1)).all())
    True
    """

    __slots__ = ("_half_widths",)

    def __init__(self, center: Rotation[Source, Target], half_widths: ArrayLike) -> None:
        self._half_widths = draws.checked_half_widths(half_widths, (pi, pi, pi))
        left = single("center", center)
        super().__init__(center.source, center.target, left=left)

    @property
    def half_widths(self) -> tuple[float, float, float]:
        """In radians."""
        return self._half_widths

    @property
    def mass(self) -> float:
        """What share of all rotations it allows.

        The integral of Haar's density, or where the box goes beyond half a turn, of (r - sin r) / 4π² over all
        directions, where r is how far the box, or π, goes that way.
        """
        a, b, c = self._half_widths
        if hypot(a, b, c) <= pi:
            return _inside(a, b, c)
        return sum(_pyramid(*(self._half_widths[(i + k) % 3] for k in range(3))) for i in range(3))

    def _draw(self, rng: Rng, size: Size) -> Doubles:
        return draws.rotvec_box(rng, size, half_widths=self._half_widths)

    def _holds(self, q: Doubles) -> Any:
        return (np.abs(kernels.log(q)) <= np.array(self._half_widths) + EDGE).all(axis=-1)


def _unit(name: str, values: ArrayLike) -> Doubles:
    vector = reals(name, values)
    if vector.shape != (3,):
        raise ValueError(f"{name}= must have shape (3,), not {vector.shape}")
    size = float(np.abs(vector).max())
    if not (np.isfinite(size) and size > 0):
        raise ValueError(f"{name}= must be finite and of a length above zero: {vector.tolist()}")
    vector = vector / size
    return vector / np.sqrt((vector * vector).sum())


def _euler_edge(angles: Any) -> Any:
    """How much rounding of a rotation's numbers moves its Euler angles: near the pole, a good deal."""
    middle = np.cos(angles[..., 1:2])
    edge = EDGE / np.maximum(middle, 1e-8)
    return np.concatenate([edge, edge, edge], axis=-1)


_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def _inside(a: float, b: float, c: float) -> float:
    """The share of a box of rotation vectors none of which is longer than π, however thin or small it is."""
    share = (1 + _ABSCISSAE) / 2
    x, y, z = (a * share)[:, np.newaxis, np.newaxis], (b * share)[:, np.newaxis], c * share
    # np.sinc(t) is sin(pi t) / (pi t).
    density = np.sinc(np.sqrt(x * x + y * y + z * z) / (2 * pi)) ** 2
    weights = _WEIGHTS / 2
    return a * b * c / pi**2 * float(((density @ weights) @ weights) @ weights)


def _pyramid(a: float, b: float, c: float) -> float:
    """The share of rotations whose vectors lie in the two pyramids on the faces at ±a, which are 2b by 2c."""
    if min(a, b, c) == 0:
        return 0.0
    # What is cut off at a length of π has its edge on the face at a circle: integrate on either side of it. Along y,
    # the circle may cross the face from some y on, and has left it from another on.
    crossing = sqrt(max(0.0, pi**2 - a**2 - c**2))
    gone = sqrt(max(0.0, pi**2 - a**2))
    bounds = sorted({0.0, min(b, crossing), min(b, gone), b})
    total = 0.0
    for low, high in pairwise(bounds):
        y, y_weights = _nodes(low, high, gone)
        for along, weight in zip(y, y_weights, strict=True):
            cut = min(c, sqrt(max(0.0, pi**2 - a**2 - along**2)))
            for start, end in ((0.0, cut), (cut, c)):
                z = start + (end - start) / 2 * (1 + _ABSCISSAE)
                length = np.sqrt(a**2 + along**2 + z**2)
                r = np.minimum(length, pi)
                part = (r - np.sin(r)) * a / length**3
                total += weight * (end - start) / 2 * float((part * _WEIGHTS).sum())
    # Four quarters of a face, two faces.
    return 8 * total / (4 * pi**2)


def _nodes(low: float, high: float, gone: float) -> tuple[Doubles, Doubles]:
    """Nodes and weights along y: by the angle at the circle's centre, up to where the circle ends."""
    if high <= gone:
        first, last = np.arcsin(low / gone), np.arcsin(min(1.0, high / gone))
        angle = first + (last - first) / 2 * (1 + _ABSCISSAE)
        return gone * np.sin(angle), gone * np.cos(angle) * (last - first) / 2 * _WEIGHTS
    return low + (high - low) / 2 * (1 + _ABSCISSAE), (high - low) / 2 * _WEIGHTS
