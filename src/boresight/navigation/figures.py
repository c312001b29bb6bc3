"""Figures: numbers with a unit and a bound, as fields of frozen dataclasses, and the error that names one out of its bound."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

from boresight.errors import BoresightError

__all__ = ["Bound", "ConfigError", "bound_of", "check_figure", "figure", "may_be_none"]


class ConfigError(BoresightError, ValueError):
    """A figure of a configuration that is out of its bound, or that does not exist.

    Attributes
    ----------
    path : str
        Which figure: ``"config.imu.gyro_white"``.
    value : object
        What it is.
    bound : str
        What it has to be: ``"above 0, at most 10 rad/s/√Hz"``.

    Examples
    --------
    >>> print(ConfigError("config.imu.gyro_white", -1.0, "above 0, at most 10 rad/s/√Hz"))
    config.imu.gyro_white is -1.0; it has to be above 0, at most 10 rad/s/√Hz
    """

    path: str
    value: object
    bound: str

    def __init__(self, path: str, value: object, bound: str) -> None:
        self.path, self.value, self.bound = path, value, bound
        super().__init__(f"{path} is {value!r}; it has to be {bound}")

    def __reduce__(self) -> tuple[type[ConfigError], tuple[str, object, str]]:
        return type(self), (self.path, self.value, self.bound)


@dataclass(frozen=True, slots=True)
class Bound:
    """Between which numbers a figure lies, and in which unit.

    Examples
    --------
    >>> str(Bound(0.0, 3600.0, zero=False, unit="s")), Bound(0.0, 1.0, zero=False).holds(0.0)
    ('above 0, at most 3600 s', False)
    """

    low: float
    high: float
    zero: bool
    """Whether the low end itself will do."""
    unit: str = ""

    def __str__(self) -> str:
        low = f"at least {self.low:g}" if self.zero else f"above {self.low:g}"
        text = f"finite and {low}" if self.high == inf else f"{low}, at most {self.high:g}"
        return f"{text} {self.unit}".rstrip()

    def holds(self, value: Any) -> bool:
        """Whether a number lies within; NaN, of which every comparison is false, does not."""
        low = value >= self.low if self.zero else value > self.low
        return bool(low and value <= self.high and isfinite(value))


def figure(
    default: float | None, high: float, unit: str = "", *, low: float = 0.0, zero: bool = False
) -> Any:
    """Make a field with its bound: above `low` (or at least, with `zero`), at most `high`; None where that is off."""
    return field(default=default, metadata={"bound": Bound(low, high, zero, unit)})


def bound_of(own: dataclasses.Field[Any]) -> Bound | None:
    """Return the bound of a field; None of one that is no figure."""
    return own.metadata.get("bound")


def check_figure(path: str, value: Any, own: dataclasses.Field[Any]) -> None:
    """Refuse a figure that is no number or out of its bound; a field without a bound is True or False.

    Raises
    ------
    ConfigError
        With the path, the value and the bound.
    """
    bound = bound_of(own)
    if bound is None:
        if not isinstance(value, bool):
            raise ConfigError(path, value, "True or False")
    elif value is None:
        if not may_be_none(own):
            raise ConfigError(path, value, str(bound))
    elif isinstance(value, bool) or not _is_number(value) or not bound.holds(value):
        raise ConfigError(path, value, str(bound))


def may_be_none(own: dataclasses.Field[Any]) -> bool:
    """Whether a field's type has None in it."""
    return "None" in str(own.type)


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str)
