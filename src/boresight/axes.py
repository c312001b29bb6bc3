"""Axes: which way +x, +y and +z point, and the exact changes from one set of axes to another.

A change of axes is a signed permutation. Applied to a vector it moves components and flips signs. Applied to
both sides of a rotation it is, for the quaternion, a linear map whose entries are -1, 0 and 1 with one
factor of 1, the square root of one half, or one half. Nothing here goes through Euler angles, and nothing
rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import gcd, sqrt
from typing import TYPE_CHECKING, ClassVar, Literal, NoReturn, final

from .errors import FrameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Axes", "AxesName", "Handedness", "Kind", "SignedPermutation", "permutation", "quaternion_change"]

Handedness = Literal["left", "right"]
Kind = Literal["local", "compass", "earth", "free"]

# Every spelling that a class statement may use, so that a type checker reads the letters too.
# fmt: off
AxesName = Literal[
    "FLU", "FLD", "FRU", "FRD", "BLU", "BLD", "BRU", "BRD", "FUL", "FUR", "FDL", "FDR",
    "BUL", "BUR", "BDL", "BDR", "LFU", "LFD", "LBU", "LBD", "RFU", "RFD", "RBU", "RBD",
    "LUF", "LUB", "LDF", "LDB", "RUF", "RUB", "RDF", "RDB", "UFL", "UFR", "UBL", "UBR",
    "DFL", "DFR", "DBL", "DBR", "ULF", "ULB", "URF", "URB", "DLF", "DLB", "DRF", "DRB",
    "ENU", "END", "ESU", "ESD", "WNU", "WND", "WSU", "WSD", "EUN", "EUS", "EDN", "EDS",
    "WUN", "WUS", "WDN", "WDS", "NEU", "NED", "NWU", "NWD", "SEU", "SED", "SWU", "SWD",
    "NUE", "NUW", "NDE", "NDW", "SUE", "SUW", "SDE", "SDW", "UEN", "UES", "UWN", "UWS",
    "DEN", "DES", "DWN", "DWS", "UNE", "UNW", "USE", "USW", "DNE", "DNW", "DSE", "DSW",
    "earth", "free-left", "free-right",
]
# fmt: on

# Each letter as (axis, sign) in the kind's reference axes, which are right-handed: FLU and ENU.
_LOCAL = {"F": (0, 1), "B": (0, -1), "L": (1, 1), "R": (1, -1), "U": (2, 1), "D": (2, -1)}
_COMPASS = {"E": (0, 1), "W": (0, -1), "N": (1, 1), "S": (1, -1), "U": (2, 1), "D": (2, -1)}

_EARTH: tuple[str, Kind, Handedness] = ("earth", "earth", "right")
_FREE: dict[str, tuple[str, Kind, Handedness]] = {
    "free-left": ("free", "free", "left"),
    "free-right": ("free", "free", "right"),
}


@final
class Axes:
    """The directions of +x, +y and +z.

    Three letters of F B L R U D (forward, back, left, right, up, down) belong to a body, a camera or a local
    world; three of E W N S U D (east, west, north, south, up, down) to the compass. Two kinds have no
    letters: ``"earth"`` (earth-centred, earth-fixed: +z to the north pole, +x to the zero meridian on the
    equator) and axes of which only the handedness is known, ``"free-right"`` and ``"free-left"``. Handedness
    follows from the letters and is never said beside them.

    One spelling is one object, so that axes are compared by identity.

    Parameters
    ----------
    name : str
        Three letters, ``"earth"``, ``"free-left"`` or ``"free-right"``.

    Raises
    ------
    ValueError
        If the letters name no axes.

    Examples
    --------
    >>> Axes("FRU").handedness
    'left'
    >>> Axes("NED").kind
    'compass'
    >>> Axes("FLU") is Axes("FLU")
    True
    """

    __slots__ = ("_directions", "_handedness", "_kind", "_letters", "_name")

    _directions: tuple[tuple[int, int], ...]
    _handedness: Handedness
    _kind: Kind
    _letters: str
    _name: str

    _known: ClassVar[dict[str, Axes]] = {}

    def __new__(cls, name: str) -> Axes:
        found = cls._known.get(name)
        if found is not None:
            return found
        self = object.__new__(cls)
        self._name = name
        self._directions = ()
        if name == "earth":
            self._letters, self._kind, self._handedness = _EARTH
        elif name in _FREE:
            self._letters, self._kind, self._handedness = _FREE[name]
        else:
            self._kind, self._directions = _read_letters(name)
            self._letters = name
            determinant = _as_permutation(self._directions).determinant
            self._handedness = "right" if determinant > 0 else "left"
        # Two threads may both get here; the first to store wins, and both return what is stored.
        return cls._known.setdefault(name, self)

    @staticmethod
    def free(handedness: Handedness) -> Axes:
        """Axes of which only the handedness is known.

        Examples
        --------
        >>> Axes.free("left")
        Axes('free-left')
        """
        if handedness not in ("left", "right"):
            raise ValueError(f'handedness is "left" or "right", not {handedness!r}')
        return Axes(f"free-{handedness}")

    @property
    def letters(self) -> str:
        """The three letters, or ``"earth"``, or ``"free"``."""
        return self._letters

    @property
    def handedness(self) -> Handedness:
        """``"right"`` if x × y = z by the right-hand rule, else ``"left"``."""
        return self._handedness

    @property
    def kind(self) -> Kind:
        """``"local"``, ``"compass"``, ``"earth"`` or ``"free"``: changes are exact only within one."""
        return self._kind

    @property
    def directions(self) -> tuple[tuple[int, int], ...]:
        """For x, y and z: index and sign of the axis in FLU or ENU that it lies on; empty without letters."""
        return self._directions

    def __repr__(self) -> str:
        return f"Axes({self._name!r})"

    def __str__(self) -> str:
        """The spelling: ``Axes(str(axes)) is axes``."""
        return self._name

    def __reduce__(self) -> tuple[Callable[[str], Axes], tuple[str]]:
        return Axes, (self._name,)


def _read_letters(name: str) -> tuple[Kind, tuple[tuple[int, int], ...]]:
    known: tuple[tuple[Kind, dict[str, tuple[int, int]]], ...] = (("local", _LOCAL), ("compass", _COMPASS))
    for kind, letters in known:
        if len(name) == 3 and all(letter in letters for letter in name):
            directions = tuple(letters[letter] for letter in name)
            if len({axis for axis, _ in directions}) == 3:
                return kind, directions
    advice = (
        "give three letters, one of each pair of F/B L/R U/D (a body) or E/W N/S U/D (the compass), "
        'or "earth", "free-left" or "free-right"'
    )
    raise ValueError(f"{name!r} names no axes; {advice}")


@dataclass(frozen=True, slots=True)
class SignedPermutation:
    """A change of axes: ``new[i] = signs[i] * old[indices[i]]``.

    Parameters
    ----------
    indices : tuple of int
        A permutation of 0, 1, 2.
    signs : tuple of int
        1 or -1 for each new component.

    Examples
    --------
    >>> permutation(Axes("ENU"), Axes("NED"))
    SignedPermutation(indices=(1, 0, 2), signs=(1, 1, -1))
    """

    indices: tuple[int, int, int]
    signs: tuple[int, int, int]

    def __post_init__(self) -> None:
        if sorted(self.indices) != [0, 1, 2] or len(self.signs) != 3 or any(abs(s) != 1 for s in self.signs):
            raise ValueError(
                f"indices {self.indices} and signs {self.signs} are no signed permutation; "
                "give 0, 1, 2 in some order and three signs of 1 or -1"
            )

    @property
    def determinant(self) -> int:
        """1 for a rotation, -1 for a change that mirrors."""
        i, j, k = self.indices
        parity = (j - i) * (k - i) * (k - j) // 2
        a, b, c = self.signs
        return parity * a * b * c

    @property
    def matrix(self) -> NDArray[np.int8]:
        """The 3×3 matrix M with ``new = M @ old``, as int8."""
        import numpy as np

        matrix = np.zeros((3, 3), dtype=np.int8)
        for row, (index, sign) in enumerate(zip(self.indices, self.signs, strict=True)):
            matrix[row, index] = sign
        return matrix

    def inverse(self) -> SignedPermutation:
        """The change back."""
        indices, signs = [0, 0, 0], [1, 1, 1]
        for new, (old, sign) in enumerate(zip(self.indices, self.signs, strict=True)):
            indices[old], signs[old] = new, sign
        return _as_permutation(tuple(zip(indices, signs, strict=True)))

    def __matmul__(self, other: SignedPermutation) -> SignedPermutation:
        """`other` first, then this one."""
        pairs = tuple(
            (other.indices[index], sign * other.signs[index])
            for index, sign in zip(self.indices, self.signs, strict=True)
        )
        return _as_permutation(pairs)

    def __neg__(self) -> SignedPermutation:
        """All three signs flipped."""
        a, b, c = self.signs
        return SignedPermutation(self.indices, (-a, -b, -c))


def _as_permutation(pairs: tuple[tuple[int, int], ...]) -> SignedPermutation:
    (i, a), (j, b), (k, c) = pairs
    return SignedPermutation((i, j, k), (a, b, c))


IDENTITY = SignedPermutation((0, 1, 2), (1, 1, 1))


@cache
def permutation(from_: Axes, to: Axes) -> SignedPermutation:
    """The change of a vector's components from one set of axes to another of the same kind.

    Parameters
    ----------
    from_, to : Axes
        Both local, or both compass. Axes without letters change only to themselves.

    Returns
    -------
    SignedPermutation

    Raises
    ------
    FrameError
        If the letters do not determine the change.

    Examples
    --------
    >>> permutation(Axes("FLU"), Axes("FRD"))
    SignedPermutation(indices=(0, 1, 2), signs=(1, -1, -1))
    """
    if from_ is to:
        return IDENTITY
    if from_.kind != to.kind:
        _refuse(from_, to, f"one is {from_.kind}, the other {to.kind}; a rotation between the two is needed")
    if not from_.directions:
        _refuse(from_, to, "handedness alone does not say how they lie to each other")
    # Both sets of letters are signed permutations of one reference; go there and back.
    return _as_permutation(to.directions) @ _as_permutation(from_.directions).inverse()


def _refuse(from_: Axes, to: Axes, why: str) -> NoReturn:
    raise FrameError(f"no change of axes leads from {from_} to {to}: {why}")


# A quaternion with integer components (w, x, y, z), of squared norm 1, 2 or 4.
_Quaternion = tuple[int, int, int, int]
_BASIS: tuple[_Quaternion, ...] = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


def _multiply(p: _Quaternion, q: _Quaternion) -> _Quaternion:
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


@cache
def _integer_quaternions() -> dict[SignedPermutation, _Quaternion]:
    """The 24 proper changes of axes with their integer quaternions, first component other than 0 positive."""
    found: dict[SignedPermutation, _Quaternion] = {}
    for w, x, y, z in product((0, 1, -1), repeat=4):
        candidate = (w, x, y, z)
        norm = w * w + x * x + y * y + z * z
        if norm not in (1, 2, 4) or next(c for c in candidate if c) < 0:
            continue
        # q v q* for the three basis vectors gives the columns, norm times too large.
        rows = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        for column, basis in enumerate(_BASIS[1:]):
            image = _multiply(_multiply(candidate, basis), (w, -x, -y, -z))
            for row in range(3):
                rows[row][column] = image[row + 1] // norm
        pairs = tuple(next((i, s) for i, s in enumerate(row) if s) for row in rows)
        found[_as_permutation(pairs)] = candidate
    return found


@cache
def quaternion_change(
    target: SignedPermutation, source: SignedPermutation
) -> tuple[NDArray[np.float64], float]:
    """The map of a quaternion when the axes on both sides of its rotation change.

    For a rotation R with quaternion q it gives C and s so that ``s * (C @ q)`` is the quaternion of T R S⁻¹,
    with T the change on the target side and S that on the source side. If both mirror, the pair (-T, -S)
    gives the same rotation and is proper.

    The sign is that of p_T q p_S*, where p_T and p_S are the quaternions of T and S (or of -T and -S) whose
    first component that is not 0, in the order w, x, y, z, is positive. So no change at all leaves q alone,
    and FLU → FRD with ENU → NED gives (w + z, x + y, x - y, w - z)/√2 in (w, x, y, z). There and back gives
    q or -q, which are one rotation: where only one side makes a half turn, no choice of signs would give q.

    Parameters
    ----------
    target, source : SignedPermutation
        Of one determinant.

    Returns
    -------
    coefficients : ndarray, shape (4, 4)
        Entries -1, 0 and 1, float64, read-only, for components in the order x, y, z, w.
    scale : float
        1, √½ or ½.

    Raises
    ------
    FrameError
        If one side mirrors and the other does not: no quaternion holds the result.
    """
    import numpy as np

    if target.determinant != source.determinant:
        raise FrameError("the change mirrors one side of the rotation only; no quaternion holds the result")
    if target.determinant < 0:
        target, source = -target, -source
    known = _integer_quaternions()
    p = known[target]
    w, x, y, z = s = known[source]
    columns = [_multiply(_multiply(p, basis), (w, -x, -y, -z)) for basis in _BASIS]
    factor = gcd(*(entry for column in columns for entry in column))
    # wxyz as computed above becomes xyzw.
    wxyz: NDArray[np.float64] = np.array(columns, dtype=np.float64).T / factor
    coefficients = np.ascontiguousarray(np.roll(wxyz, (-1, -1), axis=(0, 1))) + 0.0
    coefficients.setflags(write=False)
    norms = _squared_norm(p) * _squared_norm(s)
    return coefficients, sqrt(factor * factor / norms)


def _squared_norm(q: _Quaternion) -> int:
    return sum(component * component for component in q)
