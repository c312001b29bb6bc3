"""Names of axes from two of their directions."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from boresight.diagnosis.model import Part, State

__all__ = ["combined"]


def _by_twin(answer: Any) -> dict[str, Any]:
    """An answer by the twins' orders, or a single one under no name."""
    return cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"": answer}


def _named(first: Any, second: Any, letters: tuple[str, str, str, str, str, str]) -> str | None:
    """Name axes from the signed axes of two directions; the third follows by the right hand.

    `letters` are those of the first direction and its opposite, the second and its opposite, and of first x second and
    its opposite.
    """
    vectors = [
        np.eye(3)["xyz".index(axis[1])] * (-1.0 if axis[0] == "-" else 1.0) for axis in (first, second)
    ]
    if abs(float(vectors[0] @ vectors[1])) > 0.5:
        return None
    third = np.cross(vectors[0], vectors[1])
    name = ""
    for axis in range(3):
        for vector, (plus, minus) in zip(
            (*vectors, third), (letters[0:2], letters[2:4], letters[4:6]), strict=True
        ):
            if vector[axis]:
                name += plus if vector[axis] > 0 else minus
    return name


def combined(first: Part, second: Part, letters: tuple[str, str, str, str, str, str], what: str) -> Part:
    """Name axes by two directions, or say that one of them is open."""
    if not (first.decided and second.decided):
        state: State = "not_observable" if "not_observable" in (first.state, second.state) else "ambiguous"
        return Part(state=state, why=f"a name needs both: {what}")
    one, other = _by_twin(first.answer), _by_twin(second.answer)
    names = {twin: _named(axis, other[twin], letters) for twin, axis in one.items() if twin in other}
    if not names or None in names.values():
        return Part(state="ambiguous", why="an axis is no relabelling")
    answers: Any = names.get("", names)
    return Part(
        answers,
        "decided",
        None,
        tuple(sorted({*first.evidence, *second.evidence})),
        tuple(sorted({*first.assumes, *second.assumes, "the axes are right-handed"})),
    )
