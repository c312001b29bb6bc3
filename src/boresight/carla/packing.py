"""CARLA's wire form: msgpack arrays of the fields in order, numbers in single precision."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from ..errors import MissingExtraError

__all__ = ["pack", "unpack"]


def _msgpack() -> Any:
    try:
        return import_module("msgpack")
    except ImportError:
        raise MissingExtraError("msgpack", extra="msgpack") from None


def pack(nested: Any) -> bytes:
    """Pack nested lists of numbers, each a float of four bytes."""
    return _msgpack().packb(nested, use_single_float=True)


def unpack(data: bytes) -> Any:
    """Unpack one array.

    Raises
    ------
    ValueError
        If the bytes are something else.
    """
    msgpack = _msgpack()
    try:
        nested = msgpack.unpackb(data)
    except (ValueError, msgpack.exceptions.UnpackException) as error:
        raise ValueError(f"this is no msgpack: {error or type(error).__name__}") from None
    if not isinstance(nested, list):
        raise ValueError(f"CARLA packs its values as arrays; this is a {type(nested).__name__}")
    return cast("list[Any]", nested)
