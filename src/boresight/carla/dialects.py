"""The signs that builds and tools give to CARLA's angles, by name.

============================= ================ ===========================================================
name                          roll, pitch, yaw where
============================= ================ ===========================================================
``"engine"``                  r, -p, -y        0.9, the current ue5-dev, ros-bridge: the one that is right
``"mirrored"``                -r, p, -y        a change merged in 2026 and undone; passes every test of yaw
``"scenario_runner"``         r, p, -y         only heading and y are flipped: pitch has the wrong sign
============================= ================ ===========================================================

The column is what (pitch p, yaw y, roll r) becomes in the axes forward, left, up. A location becomes (x, -y, z)
in all of them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Literal, Never

import numpy as np

__all__ = ["DIALECTS", "Dialect", "detect_dialect", "signs"]

Dialect = Literal["engine", "mirrored", "scenario_runner"]

DIALECTS: MappingProxyType[str, tuple[int, int, int]] = MappingProxyType(
    {"engine": (1, -1, -1), "mirrored": (-1, 1, -1), "scenario_runner": (1, 1, -1)}
)
"""Signs of roll, pitch and yaw by the name of the dialect."""

_PROBE = 20.0
_SINE = float(np.sin(np.radians(_PROBE)))


def signs(dialect: str) -> tuple[int, int, int]:
    """Signs of roll, pitch and yaw.

    Raises
    ------
    ValueError
        For a dialect that does not exist.
    """
    try:
        return DIALECTS[dialect]
    except (KeyError, TypeError):
        raise ValueError(f"dialect= is one of {', '.join(DIALECTS)}, not {dialect!r}") from None


def detect_dialect(probe: Any) -> Dialect:
    """Tell which dialect a build of CARLA speaks.

    Parameters
    ----------
    probe : module or array_like, shape (3, 3) or (4, 4)
        The ``carla`` package, or what its ``Transform(Location(), Rotation(pitch=20)).get_matrix()`` gives.

    Returns
    -------
    str
        ``"engine"`` where the nose points up, ``"mirrored"`` where it points down. What scenario_runner does
        happens after the matrix, which cannot show it.

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> from boresight import carla
    >>> detect_dialect(carla.Transform(rotation=carla.Rotation(pitch=20)).get_matrix())
    'engine'
    """
    if hasattr(probe, "Transform"):
        probe = probe.Transform(probe.Location(), probe.Rotation(pitch=_PROBE)).get_matrix()
    try:
        matrix = np.asarray(probe, dtype=np.float64)
    except (TypeError, ValueError):
        _unclear(f"not a {type(probe).__name__}")
    if matrix.shape not in ((3, 3), (4, 4)):
        _unclear(f"not an array of shape {matrix.shape}")
    found = float(matrix[2, 0])
    if abs(found - _SINE) < 1e-3:
        return "engine"
    if abs(found + _SINE) < 1e-3:
        return "mirrored"
    return _unclear(f"and its element [2][0] is +0.342 or -0.342, not {found:.3g}")


def _unclear(what: str) -> Never:
    raise ValueError(
        f"give the carla module, or the matrix of Transform(Location(), Rotation(pitch=20)), {what}"
    )
