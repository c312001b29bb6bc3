"""Which stream of a log is a second record of its orientation, and what the file says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boresight.axes import permutation
from boresight.diagnosis.model import SecondClaim
from boresight.diagnosis.second import Second
from boresight.errors import DataError, FrameError
from boresight.logs.model import Log, Stream

__all__ = ["second_claim", "second_of", "second_orientation"]

_FORMS = {"orientation": "quat", "euler": "euler", "matrix": "matrix"}


def second_orientation(log: Log, attitude: Stream, name: str | None) -> tuple[Stream, str] | None:
    """Choose a second record: the stream of that name, or one of which the file says something else than of the attitude.

    Returns
    -------
    (Stream, str) or None
        And which group of its columns.
    """
    if name is not None:
        named = log[name]
        groups = [group for group in _FORMS if named.has(group)]
        if named is attitude or not groups:
            why = "is the attitude itself" if named is attitude else "has no orientation"
            raise DataError(f"the stream {why}", path=log.path, place=f"stream {name}")
        return named, groups[0]
    first = next(group for group in _FORMS if attitude.has(group))
    found = [(attitude, group) for group in _FORMS if group != first and _readable(attitude, group)]
    found += [
        (stream, next(group for group in _FORMS if stream.has(group)))
        for stream in log.of_kind("orientation", "pose")
        if stream is not attitude and stream.num_rows and stream.has_orientation
    ]
    # The file says most of one that is in another form or convention; of several such, of the longest.
    found.sort(key=lambda one: (not _another(attitude, *one), -one[0].num_rows))
    return found[0] if found else None


def _readable(stream: Stream, group: str) -> bool:
    return stream.has(group) and (group != "euler" or stream.convention.euler is not None)


def _another(attitude: Stream, second: Stream, group: str) -> bool:
    form = next(name for name in _FORMS if attitude.has(name))
    return group != form or second.convention != attitude.convention


def second_of(second: Stream, group: str, time: NDArray[np.float64]) -> Second:
    """Make a record of a stream, decoded as its convention says."""
    convention = second.convention
    order = {"order": "xyzw"} if group == "orientation" and convention.order is None else {}
    numbers = second.quaternion(order="xyzw") if order else second.array(group)

    def decode(given: NDArray[Any]) -> NDArray[np.float64]:
        stored = np.asarray(given, dtype=np.float64)
        if group == "matrix":
            stored = stored.reshape(-1, 3, 3)
        said: dict[str, Any] = {_FORMS[group]: stored, **order}
        rotation: Any = convention.decode(**said, thing=second.thing, invalid="nan")
        return np.asarray(rotation.as_quat(order="xyzw"), dtype=np.float64)

    return Second(second.name, time, numbers.reshape(len(numbers), -1), decode)


def second_claim(attitude: Stream, second: Stream, group: str, *, trusted: bool) -> SecondClaim:
    """What the file says of a second record."""
    world, body = second.convention.world, second.convention.thing_axes(second.thing)
    changes = None
    try:
        own = attitude.convention.thing_axes(attitude.thing)
        changes = tuple(
            np.asarray(change.matrix, dtype=np.float64)
            for change in (permutation(attitude.convention.world, world), permutation(body, own))
        )
    except FrameError:  # of kinds that have no constant change between them
        pass
    return SecondClaim(
        says="the caller" if trusted else f"the file ({second.convention.id})",
        trusted=trusted,
        another=_another(attitude, second, group),
        world=world.letters,
        body=body.letters,
        changes=None if changes is None else (changes[0], changes[1]),
    )
