"""Axes drawn in text: each arm on the side where its direction lies."""

from __future__ import annotations

import pytest

from boresight.axes import Axes
from boresight.cli.drawing import draw_axes

WORDS = {"F": "forward", "B": "back", "L": "left", "R": "right", "U": "up", "D": "down"}
COMPASS = {"E": "east", "W": "west", "N": "north", "S": "south", "U": "up", "D": "down"}


def place(lines: list[str], text: str) -> tuple[float, float]:
    """Row and middle column of a text in a picture."""
    [(row, line)] = [(row, line) for row, line in enumerate(lines) if text in line]
    return row, line.index(text) + len(text) / 2


@pytest.mark.parametrize(
    "letters", ["FLU", "FRD", "RDF", "RUB", "RUF", "LUF", "ENU", "NED", "NWU", "ESU", "SWD"]
)
def test_each_label_lies_where_its_direction_points(letters: str) -> None:
    axes = Axes(letters)
    words = WORDS if axes.kind == "local" else COMPASS
    lines = draw_axes(axes)
    row, column = place(
        lines,
        "o-" if any("o-" in line for line in lines) else "-o" if any("-o" in line for line in lines) else "o",
    )
    for name, letter in zip("xyz", letters, strict=True):
        label_row, label_column = place(lines, f"{name} {words[letter]}")
        if letter == "U":
            assert label_row < row
        if letter == "D":
            assert label_row > row
        if letter in "RE":
            assert label_row == row and label_column > column
        if letter in "LW":
            assert label_row == row and label_column < column
        if letter in "FN":
            assert label_row < row and label_column > column
        if letter in "BS":
            assert label_row > row and label_column < column
    assert all(line == line.rstrip() for line in lines)


def test_axes_without_letters_are_said_in_words() -> None:
    assert "north pole" in draw_axes(Axes("earth"))[0]
    assert draw_axes(Axes.free("left")) == ["left-handed, its directions are not known"]
