"""What all laws over rotations share: samples, densities and frames, about whatever they are centred on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import isfinite
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ... import kernels
from ...errors import FrameError
from ...frames import Frame, Source, Target, Unframed, check_pair, mismatch
from ...rotation import Rotation
from ..checks import OutOfRangeError, real, reals
from ..checks import rotation as checked_rotation
from ..streams import Doubles, Rng, Size

__all__ = [
    "Law",
    "S",
    "T",
    "checked_angle",
    "checked_frames",
    "checked_weights",
    "positive",
    "quaternions",
    "single",
    "square_matrix",
]

# Of what makes a law of rotations: a static method's own, since a class's would be settled before they are looked at.
S = TypeVar("S", bound=Frame)
T = TypeVar("T", bound=Frame)


class Law(ABC, Generic[Source, Target]):
    """A law over rotations from `Source` to `Target`. Values are immutable."""

    __slots__ = ("_left", "_right", "_source", "_target")

    def __init__(
        self,
        source: type[Source],
        target: type[Target],
        *,
        left: Doubles | None = None,
        right: Doubles | None = None,
    ) -> None:
        """Centre a law that is about the identity: its samples are ``left · q · right``."""
        self._source, self._target = source, target
        self._left, self._right = left, right

    @property
    def source(self) -> type[Source]:
        """The frame that the rotations take coordinates from."""
        return self._source

    @property
    def target(self) -> type[Target]:
        """The frame that the rotations take coordinates to."""
        return self._target

    @property
    def mean(self) -> Rotation[Source, Target]:
        """The rotation that the law is centred on, which is its mean.

        Raises
        ------
        ValueError
            Where no rotation is the mean.
        """
        return self._rotation(self._placed(np.array([0.0, 0.0, 0.0, 1.0])))

    def sample(self, size: Size = (), rng: Rng = None) -> Rotation[Source, Target]:
        """Draw rotations.

        Parameters
        ----------
        size : int or tuple of int
            How many, or any batch shape; a single one by default. 0 gives an empty batch.
        rng : numpy.random.Generator or seed
            The one source of randomness. A batch continues the same stream as its samples drawn one by one. By
            default a new generator that the system seeds.

        Returns
        -------
        Rotation, shape size
            In double precision.
        """
        return self._rotation(self._placed(self._draw(rng, size)))

    def log_density(self, rotation: Rotation[Source, Target]) -> Any:
        """The logarithm of the density with respect to Haar's measure, whose whole is 1.

        The uniform law has 0 everywhere. To turn the density into one of the angle of rotation about the centre,
        multiply by (1 - cos θ) / π and average over the axes.

        Parameters
        ----------
        rotation : Rotation, shape (...)
            Between the law's own frames.

        Returns
        -------
        ndarray, shape (...)
            -inf where no samples are; NaN where the rotation is.

        Raises
        ------
        FrameError
            If the frames are others.
        """
        return self._log_density(self._about_identity(rotation))

    @abstractmethod
    def _draw(self, rng: Rng, size: Size) -> Doubles:
        """Draw quaternions of the law about the identity."""

    @abstractmethod
    def _log_density(self, q: Doubles) -> Any:
        """The density of the law about the identity."""

    def _placed(self, q: Doubles) -> Doubles:
        placed: Any = q
        if self._left is not None:
            placed = kernels.multiply(self._left, placed)
        if self._right is not None:
            placed = kernels.multiply(placed, self._right)
        return placed

    def _about_identity(self, rotation: Rotation[Source, Target]) -> Doubles:
        q: Any = quaternions(rotation, self._source, self._target)
        if self._left is not None:
            q = kernels.multiply(kernels.conjugate(self._left), q)
        if self._right is not None:
            q = kernels.multiply(q, kernels.conjugate(self._right))
        return q

    def _rotation(self, q: Doubles) -> Rotation[Source, Target]:
        return Rotation._trusted(q, self._source, self._target)  # pyright: ignore[reportPrivateUsage]

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{self._source.__name__} → {self._target.__name__}]"


def quaternions(rotation: Any, source: Any, target: Any) -> Doubles:
    """The quaternions (x, y, z, w) of rotations that have to be between these frames."""
    given = checked_rotation("rotation", rotation)
    for found, expected in ((given.source, source), (given.target, target)):
        if found is not expected and found != expected:
            raise FrameError(
                f"the law is of rotations {source.__name__} → {target.__name__}, and was given "
                f"{given.source.__name__} → {given.target.__name__}: {mismatch(found, expected)}"
            )
    return given.as_quat(order="xyzw").astype(np.float64, copy=False)


def single(name: str, rotation: Any) -> Doubles:
    """The quaternion of what has to be one rotation, and not NaN."""
    rotation = checked_rotation(name, rotation)
    if rotation.shape != ():
        raise ValueError(f"{name}= must be a single rotation, not a batch of shape {rotation.shape}")
    # Of single precision the norm is one only to single precision.
    q = rotation.as_quat(order="xyzw").astype(np.float64)
    if np.isnan(q).any():
        raise ValueError(f"{name}= is NaN")
    unit: Any = kernels.from_quaternion(q, order="xyzw")
    return unit


def checked_angle(name: str, value: Any, low: float, high: float, limits: str) -> float:
    """An angle in a range, which `limits` words.

    Raises
    ------
    ValueError
        If it is not in the range, or NaN; it names the argument.
    """
    try:
        angle = real(name, value)
    except TypeError:
        raise ValueError(f"{name}= must be one angle in radians in {limits}, not {value!r}") from None
    if not low <= angle <= high:
        message = f"{name}= must be an angle in radians in {limits}, not {angle}"
        raise OutOfRangeError(message, name, (low,), (high,))
    return angle


def positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    try:
        number = real(name, value)
    except TypeError:
        raise ValueError(f"{name}= must be one positive number, not {value!r}") from None
    if not (number > 0 and isfinite(number)):
        raise ValueError(f"{name}= must be positive and finite, not {number}")
    return number


def square_matrix(name: str, values: ArrayLike, n: int, *, symmetric: bool = False) -> Doubles:
    """A matrix of finite numbers, its own copy, symmetric to the last bit where it has to be.

    Raises
    ------
    ValueError
        For another shape, what is not finite, or what is asymmetric by more than rounding; it names the argument.
    """
    matrix = reals(name, values)
    if matrix.shape != (n, n):
        raise ValueError(f"{name}= must have shape ({n}, {n}), not {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name}= must be finite: {matrix.tolist()}")
    if symmetric:
        off = float(np.abs(matrix - matrix.T).max())
        if off > 1e-9 * float(np.abs(matrix).max()):
            raise ValueError(f"{name}= must be symmetric; two of its elements across differ by {off:.3g}")
        matrix = (matrix + matrix.T) / 2
    return matrix


def checked_frames(source: Any, target: Any) -> tuple[Any, Any]:
    """Both frames as given, if they may stand together, or both `Unframed`."""
    if source is None and target is None:
        return Unframed, Unframed
    check_pair(source, target)
    return source, target


def checked_weights(rotation: Any, weights: ArrayLike | None) -> tuple[Doubles, Doubles]:
    """Quaternions to fit a law to, shape (n, 4), and their shares, shape (n,), which sum to 1.

    Raises
    ------
    ValueError
        For nothing to fit to, NaN, and weights that are negative or not finite.
    """
    rotation = checked_rotation("rotation", rotation)
    q = rotation.as_quat(order="xyzw").astype(np.float64, copy=False).reshape(-1, 4)
    shares = np.ones(rotation.shape) if weights is None else reals("weights", weights)
    try:
        shares = np.broadcast_to(shares, rotation.shape).reshape(-1)
    except ValueError:
        raise ValueError(
            f"weights= of shape {shares.shape} do not broadcast to rotations of shape {rotation.shape}"
        ) from None
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        raise ValueError("weights= must be finite and not negative")
    if not shares.any():
        raise ValueError("there is nothing to fit to: no rotation, or none of a weight above zero")
    if np.isnan(q[shares > 0]).any():
        raise ValueError("rotation= has NaN in it; leave those rows out, or give them weight zero")
    used = shares > 0
    return q[used], shares[used] / shares.sum()
