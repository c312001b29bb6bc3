"""Conventions: how the systems of the field write orientations down, and the way from one to another.

`get` looks a system up, `Convention.decode` and `Convention.encode` read and write its numbers, `convert`
goes from one system to another, and `change` works that out once for many arrays.
"""

from boresight.conventions.change import Change, change
from boresight.conventions.convention import LENGTHS, Convention, Euler
from boresight.conventions.convert import convert
from boresight.conventions.converted import Converted
from boresight.conventions.registry import Library, get, get_library, libraries, names

__all__ = [
    "LENGTHS",
    "Change",
    "Convention",
    "Converted",
    "Euler",
    "Library",
    "change",
    "convert",
    "get",
    "get_library",
    "libraries",
    "names",
]
