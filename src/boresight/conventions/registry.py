"""The systems and libraries that are known by name, read from ``registry.toml`` when first asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from boresight.conventions.convention import Convention
from boresight.errors import ConventionError

__all__ = ["Library", "get", "get_library", "libraries", "names"]

GROUP = "boresight.conventions"
"""Entry points of this group add systems: each is the path of a TOML file like ours, or its text."""


@dataclass(frozen=True, slots=True)
class Library:
    """How a library writes a quaternion: it fixes no axes, so it is no convention to convert from.

    Attributes
    ----------
    id, name : str
        The registry's name, and the one for people.
    package : str
        What it is installed by.
    version : str
        The version that was looked at.
    array_order : str
        ``"xyzw"`` or ``"wxyz"``: the order of a quaternion as an array.
    constructor_order : str
        The order of four separate arguments; `array_order` where nothing else is known.
    confidence, notes : str
        As in `Convention`.
    """

    id: str
    name: str
    package: str
    version: str
    array_order: Literal["xyzw", "wxyz"]
    constructor_order: Literal["xyzw", "wxyz"]
    confidence: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class _Registry:
    systems: Mapping[str, Convention]
    libraries: Mapping[str, Library]
    # Every spelling of every system, aliases included.
    spellings: Mapping[str, str]


def get(name: str | Convention) -> Convention:
    """Return a system by its name or an alias.

    Case does not matter, nor whether words are parted by ``_``, ``-`` or a space.

    Parameters
    ----------
    name : str or Convention
        A convention is handed back as it is.

    Raises
    ------
    ConventionError
        If no system has that name; the message names the closest.

    Examples
    --------
    >>> get("PX4").world
    Axes('NED')
    >>> get("mavros").id
    'ros'
    """
    if isinstance(name, Convention):
        return name
    registry = _load()
    found = registry.spellings.get(_spelling(name))
    if found is None:
        message = _unknown(name, registry.spellings, "system")
        library = _libraries_by_spelling().get(_spelling(name))
        if library is not None:
            order = library.array_order
            message += (
                f"; {library.id} is a library, which fixes the order of a quaternion ({order}) and no axes"
            )
        raise ConventionError(message)
    return registry.systems[found]


def names() -> tuple[str, ...]:
    """Return the names of all systems, in the order of the registry.

    Examples
    --------
    >>> len(names()) >= 58, "carla" in names()
    (True, True)
    """
    return tuple(_load().systems)


def libraries() -> tuple[Library, ...]:
    """Return every library whose quaternions are known.

    Examples
    --------
    >>> {library.id: library.array_order for library in libraries()}["scipy"]
    'xyzw'
    """
    return tuple(_load().libraries.values())


def get_library(name: str) -> Library:
    """Return a library by its id, its name or the package that it is installed by.

    Examples
    --------
    >>> get_library("usd-core").array_order
    'wxyz'
    """
    spellings = _libraries_by_spelling()
    found = spellings.get(_spelling(name))
    if found is None:
        raise ConventionError(_unknown(name, spellings, "library"))
    return found


def _libraries_by_spelling() -> dict[str, Library]:
    return {
        _spelling(spelling): library
        for library in libraries()
        for spelling in (library.package, library.name, library.id)
    }


def read_systems(text: str, *, where: str) -> dict[str, Convention]:
    """Read the ``[system.*]`` tables of a TOML text in the form of ours.

    Raises
    ------
    ConventionError
        If it is no TOML or a table is wrong; the message begins with `where`.
    """
    tables = _parse(text, where)
    systems: dict[str, Convention] = {}
    for key, table in tables.get("system", {}).items():
        try:
            systems[key] = Convention.from_dict({"id": key, **table})
        except ConventionError as error:
            raise ConventionError(f"{where}: {error}") from error
    return systems


@cache
def _load() -> _Registry:
    where = "registry.toml"
    text = files("boresight.conventions").joinpath(where).read_text(encoding="utf-8")
    systems = read_systems(text, where=where)
    for point in entry_points(group=GROUP):
        for key, system in _added(point.load(), where=f"entry point {point.value}").items():
            if key in systems:
                raise ConventionError(
                    f"entry point {point.value}: there is a system {key!r} already; rename it"
                )
            systems[key] = system
    found = {
        key: Library(id=key, **{"constructor_order": table["array_order"], **table})
        for key, table in _parse(text, where).get("library", {}).items()
    }
    return _Registry(
        MappingProxyType(systems), MappingProxyType(found), MappingProxyType(_spellings(systems.values()))
    )


def _added(value: object, *, where: str) -> dict[str, Convention]:
    if isinstance(value, str) and "\n" in value:
        return read_systems(value, where=where)
    if isinstance(value, (str, PathLike)):
        path = Path(cast("str | PathLike[str]", value))
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ConventionError(f"{where}: {path} cannot be read: {error.strerror or error}") from error
        return read_systems(text, where=str(path))
    raise ConventionError(f"{where} is a {type(value).__name__}; it is the path of a TOML file, or its text")


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConventionError(f"{where}: {error}") from error


def _spellings(systems: Iterable[Convention]) -> dict[str, str]:
    found: dict[str, str] = {}
    for system in systems:
        for name in (system.id, *system.aliases):
            other = found.setdefault(_spelling(name), system.id)
            if other != system.id:
                raise ConventionError(
                    f"{name!r} names both {other} and {system.id}; take it from one of them"
                )
    return found


def _spelling(name: str) -> str:
    return "".join("_" if letter in "- " else letter for letter in name.strip().lower())


def _unknown(name: str, spellings: Iterable[str], what: str) -> str:
    wanted = _spelling(name)
    known = list(spellings)
    close = [known_name for known_name in known if known_name.startswith(wanted) and wanted]
    close += [match for match in get_close_matches(wanted, known, n=4, cutoff=0.6) if match not in close]
    command = "`boresight conventions` lists them all"
    if close:
        return f"there is no {what} {name!r}; did you mean {', '.join(close[:4])}? {command}"
    return f"there is no {what} {name!r}; {command}"
