"""Deviations handed out one by one: each is put on a state, and the sum of the two is written into another.

For whoever is asked for one state at a time: an array of a single row takes several times as long to make as all of
this. States are known by their attributes, as those of OMPL's binding: a rotation has ``x``, ``y``, ``z``, ``w``, to
read and to set; a pose has ``getX()``, ``getY()``, ``getZ()``, ``setXYZ(x, y, z)``, and ``rotation()``, which is a
rotation and its own. The state written to may be the one that is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .policy import Array

__all__ = ["Deviations", "deviations"]

Deviations = _native.Deviations
"""Rows that are handed out once each, of which several threads may take.

- ``turn(state, center)`` writes the product of the rotation `center` and the next row into `state`, with the bits of
  `multiply`. False, and nothing written, if there are no more rows.
- ``move(state, center, tries)`` writes the translation of the pose `center` plus that of the next row, and the product
  of their rotations. Rows are passed over until one comes within the box, at most `tries` of them; a coordinate that is
  NaN does not. Negative if one was written; else how many tries are left: none, or there are no more rows. Rows of 8
  hold where to go instead of how far, and last how far that may be from `center`; others are passed over.
"""


def deviations(rows: Array, low: Any = (-np.inf,) * 3, high: Any = (np.inf,) * 3) -> Deviations:
    """Hand out rows.

    Parameters
    ----------
    rows : ndarray of float64, shape (n, 4), (n, 7) or (n, 8)
        Unit quaternions (x, y, z, w); before them, of poses, translations; and after them the largest distance.
    low, high : array_like, shape (3,)
        The box that poses have to be in, its edges included.

    Returns
    -------
    Deviations

    Raises
    ------
    ValueError
        For another shape.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> state, center = SimpleNamespace(), SimpleNamespace(x=1.0, y=0.0, z=0.0, w=0.0)
    >>> rows = deviations(np.array([[0.0, 1.0, 0.0, 0.0]]))
    >>> rows.turn(state, center), rows.turn(state, center)
    (True, False)
    >>> state
    namespace(x=0.0, y=0.0, z=1.0, w=0.0)
    """
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] not in (4, 7, 8):
        raise ValueError(f"rows= must have shape (n, 4), (n, 7) or (n, 8), not {rows.shape}")
    box = np.array([np.broadcast_to(np.asarray(side, dtype=np.float64), 3) for side in (low, high)])
    return Deviations(rows, box)
