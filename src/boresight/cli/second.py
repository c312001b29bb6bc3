"""A second record of the orientation in a plain table, for `boresight diagnose`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from boresight.cli.quantities import Quantity, take
from boresight.cli.tables import Table
from boresight.errors import DataError

if TYPE_CHECKING:
    from boresight.conventions import Convention
    from boresight.diagnosis import Second, SecondClaim
    from boresight.logs.model import Stream

__all__ = ["second_of_table", "second_stream", "take_second"]

STREAM = "second"


def take_second(
    tables: Sequence[Table], given: Mapping[str, str | None], time: str | None
) -> tuple[str, Quantity] | None:
    """Read the columns that ``--second-quat``, ``--second-euler`` or ``--second-matrix`` names; None where none does.

    Raises
    ------
    typer.BadParameter
        Two of them are given, or one does not fit the table.
    """
    named = [(form, text) for form, text in given.items() if text is not None]
    if not named:
        return None
    form, text = named[0]
    if len(named) > 1:
        both = " and ".join(f"--second-{name}" for name, _ in named)
        raise typer.BadParameter(f"give one of {both}", param_hint=f"--second-{named[1][0]}")
    try:
        return form, take(tables, {"time": time, form: text})[form]
    except typer.BadParameter as wrong:
        if wrong.param_hint == f"--{form}":
            raise typer.BadParameter(wrong.message, param_hint=f"--second-{form}") from None
        raise
    except DataError as wrong:
        if wrong.advice is None or f"--{form} " not in wrong.advice:
            raise
        advice = wrong.advice.replace(f"--{form} ", f"--second-{form} ")
        raise DataError(wrong.reason, path=wrong.path, place=wrong.place, advice=advice) from None


def second_stream(form: str, quantity: Quantity, convention: Convention) -> Stream:
    """Make a stream of it, in a convention."""
    from boresight.cli.undeclared import streams_of

    return streams_of({form: quantity}, convention, STREAM)[STREAM].replace(name=",".join(quantity.names))


def second_of_table(
    form: str, quantity: Quantity, convention: Convention | None
) -> tuple[Second, SecondClaim | None]:
    """Make a record of it, and, where its convention is said, what then may rest on it."""
    from boresight.diagnosis import SecondClaim, second_record
    from boresight.diagnosis.clock import seconds
    from boresight.diagnosis.second_streams import second_of

    name = ",".join(quantity.names)
    if convention is not None:
        stream = second_stream(form, quantity, convention)
        group = next(g for g in ("orientation", "euler", "matrix") if stream.has(g))
        record = second_of(stream, group, seconds(stream.time, stream.num_rows, f"the times of {name}"))
        axes = convention.thing_axes(stream.thing)
        return replace(record, name=name), SecondClaim(world=convention.world.letters, body=axes.letters)
    said: dict[str, Any] = {"name": name}
    if form == "quat":
        if not quantity.order:
            raise DataError(
                f"the order of the second record's columns {name} is not said",
                path=quantity.table.path,
                advice="give --second-from NAME, or columns whose names end in w, x, y and z",
            )
        said |= {"quat": quantity.values, "order": quantity.order}
    elif form == "euler":
        said |= {"euler": quantity.values[:, ::-1], "degrees": quantity.unit == "deg"}
    else:
        said["matrix"] = quantity.values.reshape(-1, 3, 3)
    return second_record(quantity.time, **said), None
