"""Figures of the filter's configuration as a command line has them: ``imu.gyro_white=0.003``, ``accuracy.tilt=2deg``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import radians
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from boresight.navigation import Config

__all__ = ["config_of"]

_WORDS = {"none": None, "true": True, "false": False}
_WITH_UNIT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(\S.*)", re.IGNORECASE)
# How units are typed: a rate's white noise, per root of hertz, is an angle per root of a second.
_TYPED = (
    ("°", "deg"),
    ("sqrt", "√"),
    ("(", ""),
    (")", ""),
    ("^", ""),
    ("²", "2"),
    ("³", "3"),
    (" ", ""),
    ("/s/√Hz", "/√s"),
)


def config_of(settings: Sequence[str]) -> Config:
    """Make a configuration of ``PATH=VALUE``; what cannot be is wrong use.

    Beside numbers, values are none, true and false, a number in the figure's own unit or in degrees (``0.17deg``), and
    for three parts as a whole what they are mostly wanted for: ``gates=0.99``, ``recovery=none``, ``correlation=none``.
    """
    from boresight.navigation import Config, ConfigError

    config = Config()
    for item in settings:
        path, equals, text = (part.strip() for part in item.partition("="))
        if not equals:
            raise typer.BadParameter(f"{item!r} is not PATH=VALUE", param_hint="--set")
        try:
            config = config.with_value(path, _value(config, path, text))
        except ConfigError as error:
            raise typer.BadParameter(str(error), param_hint="--set") from None
    try:
        return config.validate()
    except ConfigError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None


def _value(config: Config, path: str, text: str) -> Any:
    from boresight.navigation import Correlation, Gates, Recovery

    word = text.lower()
    if path == "recovery" and word == "none":
        return Recovery.off()
    if path == "correlation" and word == "none":
        return Correlation.white()
    if word in _WORDS:
        return _WORDS[word]
    number = _number(config, path, text)
    if path == "gates" and isinstance(number, float):
        return Gates.at(number)
    parts = [name for name in config.figures() if name.startswith(f"{path}.")]
    if parts and not isinstance(number, str):
        raise typer.BadParameter(f"{path} is no figure but has some: {', '.join(parts)}", param_hint="--set")
    return number


def _number(config: Config, path: str, text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        found = _WITH_UNIT.fullmatch(text)
    if found is None:
        return text  # the configuration says what it has to be
    unit = config.unit(path)
    own, given = _plain(unit), _plain(found[2])
    if given == own and own:
        return float(found[1])
    if own.startswith("rad") and given in ("deg", own.replace("rad", "deg", 1)):
        return radians(float(found[1]))
    degrees = " or in degrees, 0.17deg" if own.startswith("rad") else ""
    said = f"give a number of {unit},{degrees}" if unit else "give a number"
    raise typer.BadParameter(f"{path} is {text!r}; {said.rstrip(',')}", param_hint="--set")


def _plain(unit: str) -> str:
    for typed, plain in _TYPED:
        unit = unit.replace(typed, plain)
    return unit
