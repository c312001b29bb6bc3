"""Heights above the ellipsoid that a ULog has and that are none.

Drivers that know no such height leave the field at 0, and an estimator that starts from it counts on from there. The ellipsoid
and the level of the sea are never further apart than 107 m (EGM2008), so that a height far from the one above the sea, or a
column of nothing but zeros, says that nobody measured it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.logs.model import Notice

__all__ = ["without_unset_heights"]

_FARTHEST = 150.0  # metres between the two, with room for the error of a receiver


def without_unset_heights(columns: dict[str, NDArray[Any]], name: str) -> list[Notice]:
    """Make heights above the ellipsoid that are none NaN, in place, and say so."""
    height = columns.get("alt_ellipsoid")
    if height is None or not len(height):
        return []
    unset = np.full(len(height), not np.any(np.nan_to_num(height)))
    if "alt" in columns:
        unset |= np.abs(height - columns["alt"]) > _FARTHEST
    count = int(np.count_nonzero(unset & np.isfinite(height)))
    if not count:
        return []
    columns["alt_ellipsoid"] = np.where(unset, np.nan, height)
    message = (
        f"{count} of {len(height)} heights above the ellipsoid (alt_ellipsoid) are not set: they are 0, or counted from 0, and "
        "become NaN"
    )
    return [Notice("unset-altitude", message, name, count)]
