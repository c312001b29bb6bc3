"""`boresight conventions`: the systems and libraries that boresight knows by name."""

from __future__ import annotations

import dataclasses
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from boresight.cli.terminal import colour, print_json, print_table

if TYPE_CHECKING:
    from boresight.axes import Axes
    from boresight.conventions import Convention
    from boresight.conventions.registry import Library

__all__ = ["conventions"]

_WIDTH = 100
_CONFIDENCE = {
    "run": "the system's own code was run",
    "source": "its own code or documentation was read",
    "secondary": "read elsewhere",
    "memory": "from memory, not checked",
}
_DIRECTION = {
    "body_to_world": "the stored rotation maps coordinates in the {thing} to coordinates in the world",
    "world_to_body": "the stored rotation maps coordinates in the world to coordinates in the {thing}",
}


def conventions(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The system or library to show.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List the known conventions, or show one with its axes drawn and its source.

    For example: boresight conventions ros
    """
    from boresight.conventions import get, libraries, names

    if name is None:
        systems = [get(known) for known in names()]
        if as_json:
            print_json(
                {
                    "systems": [system.to_dict() for system in systems],
                    "libraries": [dataclasses.asdict(library) for library in libraries()],
                }
            )
        else:
            _list(systems, libraries())
        return
    system, library = _find(name)
    if as_json:
        print_json(
            {
                "system": None if system is None else system.to_dict(),
                "library": None if library is None else dataclasses.asdict(library),
            }
        )
        return
    if system is not None:
        print("\n".join(_drawn(system)))
    if library is not None:
        if system is not None:
            print()
        print("\n".join(_library(library)))


def _find(name: str) -> tuple[Convention | None, Library | None]:
    """Return what has this name: a system, a library, or one of each."""
    from boresight.conventions import get
    from boresight.conventions.registry import get_library
    from boresight.errors import ConventionError

    system: Convention | None = None
    library: Library | None = None
    unknown = ""
    try:
        system = get(name)
    except ConventionError as error:
        unknown = str(error)
    try:
        library = get_library(name)
    except ConventionError:
        if system is None:
            raise typer.BadParameter(unknown, param_hint="NAME") from None
    return system, library


def _list(systems: list[Convention], libraries: tuple[Library, ...]) -> None:
    print_table(
        ["system", "things", "world", "stores", "order", "Euler angles", "known from", "name"],
        [
            [
                system.id,
                " ".join(f"{thing} {axes}" for thing, axes in system.things.items()),
                system.world,
                system.direction.replace("_", " "),
                system.order or "-",
                "-" if system.euler is None else f"{system.euler.sequence} {system.euler.unit}",
                system.confidence,
                system.name,
            ]
            for system in systems
        ],
    )
    print()
    print_table(
        ["library", "order of an array", "of a constructor", "version", "known from"],
        [
            [library.id, library.array_order, library.constructor_order, library.version, library.confidence]
            for library in libraries
        ],
    )
    print()
    print("boresight conventions NAME shows one, with its axes drawn and its source.")


def _drawn(system: Convention) -> Iterator[str]:
    from boresight.cli.drawing import draw_axes

    yield colour(f"{system.id}: {system.name}", "bold", sys.stdout)
    drawn: set[Axes] = set()
    shown = [(f"{thing} {axes}", axes) for thing, axes in system.things.items()]
    shown.append((f"world {system.world}", system.world))
    if system.position_world != system.world:
        shown.append((f"positions {system.position_world}", system.position_world))
    for title, axes in shown:
        yield ""
        yield f"{title}, {axes.handedness}-handed" + (" (as above)" if axes in drawn else "")
        if axes not in drawn:
            yield from draw_axes(axes)
        drawn.add(axes)
    yield ""
    yield from _fields(system)


def _fields(system: Convention) -> Iterator[str]:
    yield from _field("direction", _DIRECTION[system.direction].format(thing=system.default_thing))
    if system.direction == "world_to_body":
        yield from _field("", f"a position is the world's origin in {system.default_thing} axes")
    if system.order is None:
        yield from _field("quaternion", "none of its own")
    else:
        letters = ", ".join(system.order)
        meant = "Hamilton" if system.algebra == "hamilton" else "JPL: the transpose of its Hamilton matrix"
        yield from _field("quaternion", f"{letters}; {meant}")
    vectors = "M x" if system.matrix == "column_vectors" else "x M (row vectors)"
    yield from _field("matrix", f"turns a vector x as {vectors}")
    euler = system.euler
    if euler is not None:
        kind = "intrinsic" if euler.sequence.isupper() else "extrinsic"
        signs = ", ".join(f"{sign}{name}" for sign, name in zip(euler.signs, euler.names, strict=True))
        yield from _field("Euler angles", f"{euler.sequence} ({kind}): {signs}; {euler.unit}")
        yield from _field("", f"given as {', '.join(euler.arguments)}")
    yield from _field("positions", f"in {system.length}")
    if system.aliases:
        yield from _field("also called", ", ".join(system.aliases))
    yield from _field("known from", _CONFIDENCE[system.confidence])
    for number, source in enumerate(system.sources):
        yield from _field("sources" if number == 0 else "", source)
    if system.notes:
        yield from _field("notes", system.notes)


def _library(library: Library) -> Iterator[str]:
    yield colour(f"{library.id}: {library.name}, a library", "bold", sys.stdout)
    yield ""
    yield from _field("package", f"{library.package} {library.version}")
    yield from _field("array", ", ".join(library.array_order))
    yield from _field("constructor", ", ".join(library.constructor_order))
    yield from _field("known from", _CONFIDENCE[library.confidence])
    if library.notes:
        yield from _field("notes", library.notes)
    yield from _field(
        "", "A library fixes no axes, so one cannot convert from it: give order= where it is asked for."
    )


def _field(name: str, text: str) -> list[str]:
    indent = " " * 14
    lines = textwrap.wrap(text, _WIDTH - len(indent), break_long_words=False, break_on_hyphens=False) or [""]
    return [f"{name:<14}{lines[0]}", *(indent + line for line in lines[1:])]
