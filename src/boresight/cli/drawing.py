"""Axes drawn in text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boresight.axes import Axes

__all__ = ["draw_axes"]

_WORDS: Mapping[str, str] = {
    "F": "forward",
    "B": "back",
    "L": "left",
    "R": "right",
    "U": "up",
    "D": "down",
    "E": "east",
    "W": "west",
    "N": "north",
    "S": "south",
}
# Where an arm of each direction is drawn: its cells as (row, column, character), then the row and column of its
# label, which starts there, or ends there for the arms that point to the left. Forward and north point away from
# the reader, up and right are up and right.
_ORIGIN = (3, 14)
_AWAY = ([(2, 15, "/"), (1, 16, "/")], (1, 18), False)
_TOWARDS = ([(4, 13, "/"), (5, 12, "/")], (5, 10), True)
_RIGHTWARD = ([(3, column, "-") for column in range(15, 20)], (3, 21), False)
_LEFTWARD = ([(3, column, "-") for column in range(9, 14)], (3, 8), True)
_ARMS = {
    "U": ([(2, 14, "|"), (1, 14, "|")], (0, 13), False),
    "D": ([(4, 14, "|"), (5, 14, "|")], (6, 13), False),
    "F": _AWAY,
    "N": _AWAY,
    "B": _TOWARDS,
    "S": _TOWARDS,
    "R": _RIGHTWARD,
    "E": _RIGHTWARD,
    "L": _LEFTWARD,
    "W": _LEFTWARD,
}


def draw_axes(axes: Axes) -> list[str]:
    r"""Draw three axes in text, forward (or north) pointing away from the reader.

    Parameters
    ----------
    axes : Axes
        Of any kind; those without directions are described in words.

    Returns
    -------
    list of str
        The lines of the picture.

    Examples
    --------
    >>> from boresight import Axes
    >>> print("\n".join(draw_axes(Axes("FLU"))))
                 z up
                  | / x forward
                  |/
       y left-----o
    """
    if axes.kind == "earth":
        return ["x through 0 N 0 E, y through 0 N 90 E, z through the north pole (right-handed)"]
    if axes.kind == "free":
        return [f"{axes.handedness}-handed, its directions are not known"]
    canvas = [[" "] * 40 for _ in range(7)]
    canvas[_ORIGIN[0]][_ORIGIN[1]] = "o"
    for name, letter in zip("xyz", axes.letters, strict=True):
        arm, (row, column), ends = _ARMS[letter]
        for arm_row, arm_column, character in arm:
            canvas[arm_row][arm_column] = character
        label = f"{name} {_WORDS[letter]}"
        first = column - len(label) + 1 if ends else column
        canvas[row][first : first + len(label)] = label
    lines = ["".join(row).rstrip() for row in canvas]
    while not lines[-1]:
        lines.pop()
    while not lines[0]:
        lines.pop(0)
    return lines
