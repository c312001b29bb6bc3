"""The laws and grids by name, made of plain numbers: for commands and files, which know no classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rotation import Rotation
from .cell48 import Cell48
from .constraints import EulerBox, RotvecBox, SwingTwistBox, TiltCone
from .distributions import (
    Bingham,
    GeodesicBall,
    GeodesicShell,
    IsotropicGaussian,
    Law,
    MatrixFisher,
    Uniform,
    WrappedNormal,
)
from .grids import Grid, HopfHealpix, SuperFibonacci
from .symmetry import Quotient

__all__ = ["NAMES", "Named", "make"]


@dataclass(frozen=True, slots=True)
class Named:
    """How a law or grid is made of plain numbers.

    Attributes
    ----------
    summary : str
        What it is, in a few words.
    needs : tuple of str
        Parameters that have to be given; angles in radians, a centre as a rotation vector, matrices row by row.
    takes : tuple of str
        Parameters that may be given.
    make : callable
        Takes a mapping of parameters.
    is_grid : bool
        Whether it is a grid, which knows no chance.
    """

    summary: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    make: Callable[[Mapping[str, Any]], Any]
    is_grid: bool = False


def _center(p: Mapping[str, Any]) -> Rotation[Any, Any]:
    return Rotation.from_rotvec(p.get("center", [0.0, 0.0, 0.0]))


def _axis(p: Mapping[str, Any]) -> Any:
    return p.get("axis", (0.0, 0.0, 1.0))


def _square(values: Any, n: int) -> Any:
    """A matrix from all its numbers, or its diagonal."""
    numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if numbers.shape == (n,):
        return np.diag(numbers)
    if numbers.shape == (n * n,):
        return numbers.reshape(n, n)
    raise ValueError(f"matrix= must have {n} numbers, a diagonal, or {n * n}, row by row, not {numbers.size}")


def _normal(p: Mapping[str, Any]) -> Any:
    deviations = np.asarray(p["std_dev"], dtype=np.float64)
    if deviations.ndim > 1 or deviations.size not in (1, 3):
        raise ValueError(f"std_dev= must be one number or three, not {deviations.size}")
    if not (deviations >= 0).all():
        raise ValueError("std_dev= must not be negative or NaN")
    if not (deviations < 1e100).all():
        raise ValueError("std_dev= is too large: its square is no number")
    covariance = np.diag(np.broadcast_to(deviations, (3,)) ** 2)
    return WrappedNormal(covariance, side=p.get("side", "body"), mean=_center(p))


NAMES: Mapping[str, Named] = {
    "uniform": Named("all rotations alike (Haar)", (), (), lambda _: Uniform()),
    "geodesic-ball": Named(
        "uniform within an angle of the centre",
        ("angle",),
        ("center",),
        lambda p: GeodesicBall(_center(p), p["angle"]),
    ),
    "geodesic-shell": Named(
        "uniform between two angles from the centre",
        ("inner", "outer"),
        ("center",),
        lambda p: GeodesicShell(_center(p), p["inner"], p["outer"]),
    ),
    "wrapped-normal": Named(
        "normal rotation vector, one standard deviation or three",
        ("std_dev",),
        ("center", "side"),
        _normal,
    ),
    "isotropic-gaussian": Named(
        "the heat kernel IGSO(3), of a variance in rad²",
        ("variance",),
        ("center",),
        lambda p: IsotropicGaussian(variance=p["variance"], mean=_center(p)),
    ),
    "bingham": Named(
        "exp(-qᵀAq), q = x, y, z, w; A as 4 numbers or 16",
        ("matrix",),
        (),
        lambda p: Bingham(_square(p["matrix"], 4), order="xyzw"),
    ),
    "matrix-fisher": Named(
        "exp(tr FᵀR); F as 3 numbers or 9",
        ("matrix",),
        (),
        lambda p: MatrixFisher(_square(p["matrix"], 3)),
    ),
    "tilt-cone": Named(
        "an axis within an angle of the centre's, turn free",
        ("angle",),
        ("center", "axis"),
        lambda p: TiltCone(_center(p), p["angle"], axis=_axis(p)),
    ),
    "swing-twist-box": Named(
        "as tilt-cone, the turn within a twist too",
        ("angle", "twist"),
        ("center", "axis"),
        lambda p: SwingTwistBox(_center(p), p["angle"], p["twist"], axis=_axis(p)),
    ),
    "euler-box": Named(
        "three Euler angles within half widths of the centre's",
        ("half_widths",),
        ("center", "sequence"),
        lambda p: EulerBox(_center(p), p["half_widths"], sequence=p.get("sequence", "XYZ")),
    ),
    "rotvec-box": Named(
        "the rotation vector within half widths of the centre's",
        ("half_widths",),
        ("center",),
        lambda p: RotvecBox(_center(p), p["half_widths"]),
    ),
    "quotient": Named(
        "uniform up to a symmetry: C1, C2, ..., D2, ..., T, O, I",
        ("group",),
        (),
        lambda p: Quotient(p["group"]),
    ),
    "super-fibonacci": Named(
        "a grid: a spiral of any count", ("count",), (), lambda p: SuperFibonacci(p["count"]), is_grid=True
    ),
    "hopf-healpix": Named(
        "a grid: 72·8^level of equal volume, nested",
        ("level",),
        (),
        lambda p: HopfHealpix(p["level"]),
        is_grid=True,
    ),
    "cell48": Named(
        "a grid: Karney's lattice in the 48-cell, of a spacing, or of at least a count",
        (),
        ("spacing", "count"),
        lambda p: Cell48(p["spacing"]) if "spacing" in p else Cell48.of_size(p["count"]),
        is_grid=True,
    ),
}
"""Every law and grid."""


def make(name: str, parameters: Mapping[str, Any]) -> Law[Any, Any] | Grid:
    """A law or grid by its name.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    parameters : mapping
        As the `Named` says.

    Returns
    -------
    Law or Grid

    Raises
    ------
    ValueError
        For a name that does not exist, parameters that are missing or that it does not take, and those that are no law.

    Examples
    --------
    >>> make("geodesic-ball", {"angle": 0.5}).mass.__round__(6)
    0.006549
    """
    if name not in NAMES:
        raise ValueError(f"there is no distribution {name!r}; there are: {', '.join(NAMES)}")
    named = NAMES[name]
    missing = [key for key in named.needs if key not in parameters]
    if name == "cell48" and len(parameters) != 1:
        raise ValueError("cell48 needs spacing or count, one of the two")
    if missing:
        raise ValueError(f"{name} needs {' and '.join(missing)}")
    extra = [key for key in parameters if key not in (*named.needs, *named.takes)]
    if extra:
        takes = ", ".join((*named.needs, *named.takes)) or "no parameters"
        raise ValueError(f"{name} takes {takes}, not {' and '.join(extra)}")
    return named.make(parameters)
