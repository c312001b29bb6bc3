"""Options that say what stored numbers really are, whatever their file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from boresight.axes import Axes
    from boresight.logs.correction import Correction

__all__ = ["correction", "one_of"]

ORDERS = ("xyzw", "wxyz")
DIRECTIONS = ("body_to_world", "world_to_body")


def correction(
    *,
    order: str | None,
    direction: str | None,
    negated: str | None,
    attitude_axes: str | None,
    imu_axes: str | None,
    units: Sequence[str],
) -> Correction:
    """Read the options of a correction; wrong words are wrong use."""
    from boresight.logs.correction import Correction

    sequence = None if negated is None else negated.upper()
    if sequence is not None and (
        len(sequence) != 3 or set(sequence) - set("XYZ") or sequence[1] in (sequence[0], sequence[2])
    ):
        raise typer.BadParameter(
            f"{negated!r} is no Euler sequence; give three axes, as ZYX", param_hint="--negated"
        )
    body, world = _both("--attitude-axes", attitude_axes)
    kinds: Any = {
        "order": one_of("--order", order, ORDERS),
        "direction": one_of("--direction", direction, DIRECTIONS),
    }
    return Correction(
        negated=sequence,
        body=body,
        world=world,
        imu=None if imu_axes is None else _axes("--imu-axes", imu_axes, ("local",)),
        units=_units(units),
        **kinds,
    )


def one_of(option: str, given: str | None, known: Sequence[str]) -> str | None:
    """Refuse a word that is none of those known; hyphens stand for underscores."""
    if given is None:
        return None
    word = given.lower().replace("-", "_")
    if word not in known:
        raise typer.BadParameter(f"{given!r} is none of {', '.join(known)}", param_hint=option)
    return word


def _both(option: str, text: str | None) -> tuple[Axes | None, Axes | None]:
    """Read ``"FRD/NED"``, ``"FRD/"`` or ``"/NED"``: the body's axes and the world's."""
    if text is None:
        return None, None
    body, slash, world = text.partition("/")
    if not slash or not (body or world):
        raise typer.BadParameter(f"{text!r} is not BODY/WORLD; give FRD/NED, FRD/ or /NED", param_hint=option)
    return (
        _axes(option, body, ("local",)) if body else None,
        _axes(option, world, ("local", "compass")) if world else None,
    )


def _axes(option: str, letters: str, kinds: Sequence[str]) -> Axes:
    from boresight.axes import Axes

    try:
        axes = Axes(letters.upper())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
    if axes.kind not in kinds:
        what = "a body has letters of F B L R U D" if kinds == ("local",) else "give three letters"
        raise typer.BadParameter(f"{letters!r} are {axes.kind} axes; {what}", param_hint=option)
    return axes


def _units(given: Sequence[str]) -> dict[str, str]:
    from boresight.logs.columns import GROUPS, UNITS

    units: dict[str, str] = {}
    groups = [name for name, group in GROUPS.items() if group.unit and not group.is_list]
    for text in given:
        name, _, unit = text.partition("=")
        if name not in groups:
            raise typer.BadParameter(
                f"{text!r} is not QUANTITY=UNIT; quantities are {', '.join(groups)}", param_hint="--unit"
            )
        if unit not in UNITS:
            known = ", ".join(word for word in UNITS if word)
            raise typer.BadParameter(f"{unit!r} is no unit; known are {known}", param_hint="--unit")
        units[name] = unit
    return units
