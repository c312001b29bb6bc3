"""One rotation or pose a deviation away from another, from plain Python numbers to plain Python numbers.

For whoever is asked for one state at a time and holds a list of deviations: an array of a single row takes several
times as long to make as these take. The quaternions are unit, (x, y, z, w), and the product is that of `multiply`, bit
for bit. Nothing is checked but types; NaN comes out as NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import _native

__all__ = ["deviate_pose", "deviate_rotation"]

Row = Sequence[float]

# Names for the native functions themselves: a function about them would cost half as much again.
deviate_rotation: Callable[[float, float, float, float, Row], tuple[float, float, float, float]]
deviate_rotation = _native.deviate_rotation
"""``deviate_rotation(x, y, z, w, row)``: the product of a rotation and the one in `row`, four floats in a list or tuple.

>>> deviate_rotation(1.0, 0.0, 0.0, 0.0, [0.0, 1.0, 0.0, 0.0])
(0.0, 0.0, 1.0, 0.0)
"""

Seven = tuple[float, float, float, float, float, float, float]
deviate_pose: Callable[[float, float, float, float, float, float, float, Row, Row], Seven | None]
deviate_pose = _native.deviate_pose
"""``deviate_pose(tx, ty, tz, x, y, z, w, row, box)``: a pose moved by the first three numbers of `row` and then turned as by
`deviate_rotation`; None where that is outside `box`, the three least coordinates and the three greatest.

>>> deviate_pose(1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, [0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], (0.0,) * 3 + (9.0,) * 3)
(1.5, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0)
"""
