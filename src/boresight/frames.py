"""Frames: named sets of axes, as classes, so that type checkers see which numbers belong where.

A frame is a class and never has instances. A program names its own::

    class BaseLink(Frame, axes="FLU"): ...
    class ImuFrd(Frame, axes="FRD", of="imu"): ...

or takes the ready-made ones below. Frames known only at run time are made by `dynamic`.

Two frames are the same if they are one object, or else if they have the same qualified name, the same axes
and belong to the same thing; so a notebook cell run twice, or a class that came back from another process,
is still the same frame.
"""

from __future__ import annotations

import copyreg
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, final

from .axes import Axes, AxesName, Kind, SignedPermutation, permutation, quaternion_change
from .errors import FrameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    # The default of a type variable is newer than the oldest Python here; only checkers need it.
    from typing_extensions import TypeVar
else:
    from typing import TypeVar

__all__ = [
    "ECEF",
    "ENU",
    "ESU",
    "EUS",
    "FLU",
    "FRD",
    "FRU",
    "LUF",
    "NED",
    "NEU",
    "NWU",
    "RDF",
    "RFU",
    "RUB",
    "RUF",
    "Frame",
    "Unframed",
    "dynamic",
    "of_axes",
]

# What axes belong to where a frame does not say.
_THINGS: dict[Kind, str] = {"local": "body", "compass": "world", "earth": "earth", "free": "world"}


class FrameMeta(type):
    """The type of frames: gives them equality, and lets plain pickle carry those made at run time."""

    axes: Axes
    thing: str
    # Kept on the class since every constructor asks: None until the axes are known.
    _left_handed: bool | None
    _dynamic: bool

    if not TYPE_CHECKING:
        # Hidden from checkers: where a metaclass has this, they no longer look at __init_subclass__.

        def __new__(mcls, name, bases, namespace, **keywords):
            # A class statement always brings __qualname__. Who rebuilds a class from its parts does not,
            # and has no axes to give yet: cloudpickle makes an empty one and fills it afterwards.
            if bases and "axes" not in keywords and "__qualname__" in namespace:
                raise FrameError(
                    f'frame {name} has no axes; write class {name}(Frame, axes="FLU") or whichever they are'
                )
            return super().__new__(mcls, name, bases, namespace, **keywords)

    def _key(cls) -> tuple[str | None, str, Axes, str]:
        return (None if cls._dynamic else cls.__module__, cls.__qualname__, cls.axes, cls.thing)

    def __eq__(cls, other: object) -> bool:
        if cls is other:
            return True
        if not isinstance(other, FrameMeta) or cls._left_handed is None or other._left_handed is None:
            return False
        return cls._key() == other._key()

    def __hash__(cls) -> int:
        # Without the axes: what rebuilds a class may ask for its hash before it has them.
        return hash(cls.__qualname__)


class Frame(metaclass=FrameMeta):
    """A named set of axes. Derive from it; do not make instances.

    Parameters
    ----------
    axes : str or Axes
        Which way x, y and z point.
    of : str, optional
        The thing that the axes belong to: ``"imu"``, ``"camera"``. By default ``"body"`` for F B L R U D,
        and ``"world"`` for the compass and for axes of unknown directions. Frames of one thing differ by a
        change of axes alone, which `Rotation.reframe` makes; between two things there is a mounting, which
        is a rotation to compose with.

    Attributes
    ----------
    axes : Axes
    thing : str

    Examples
    --------
    >>> class LeftCamera(Frame, axes="RDF", of="left camera"): ...
    >>> LeftCamera.axes.handedness, LeftCamera.thing
    ('right', 'left camera')
    """

    axes: ClassVar[Axes]
    thing: ClassVar[str]
    _left_handed: ClassVar[bool | None] = None
    _dynamic: ClassVar[bool] = False

    if TYPE_CHECKING:

        def __init_subclass__(cls, *, axes: AxesName | Axes, of: str | None = None) -> None: ...

    else:

        def __init_subclass__(cls, *, axes=None, of=None) -> None:
            if axes is not None:
                cls.axes = axes if isinstance(axes, Axes) else Axes(axes)
                cls.thing = _THINGS[cls.axes.kind] if of is None else of
                cls._left_handed = cls.axes.handedness == "left"
                cls._dynamic = False

    def __init__(self) -> None:
        name = type(self).__name__
        raise FrameError(f"{name} is a frame, and used as a class: write {name}, not {name}()")


FrameLike = type[Frame]

if TYPE_CHECKING:
    Source = TypeVar("Source", bound=Frame, default="Unframed")
    Target = TypeVar("Target", bound=Frame, default="Unframed")
else:
    Source = TypeVar("Source", bound=Frame)
    Target = TypeVar("Target", bound=Frame)


@final
class FLU(Frame, axes="FLU"):
    """Body: forward, left, up. ROS, and most of robotics."""


@final
class FRD(Frame, axes="FRD"):
    """Body: forward, right, down. Aircraft: PX4, ArduPilot, MAVLink."""


@final
class FRU(Frame, axes="FRU"):
    """Body: forward, right, up; left-handed. Unreal, CARLA."""


@final
class RDF(Frame, axes="RDF"):
    """Camera or body: right, down, forward. OpenCV, COLMAP, ROS optical frames."""


@final
class RUB(Frame, axes="RUB"):
    """Camera or body: right, up, back. OpenGL, Blender's camera, Godot."""


@final
class RUF(Frame, axes="RUF"):
    """Body: right, up, forward; left-handed. Unity."""


@final
class LUF(Frame, axes="LUF"):
    """Camera or body: left, up, forward."""


@final
class RFU(Frame, axes="RFU"):
    """Body: right, forward, up."""


@final
class ENU(Frame, axes="ENU"):
    """World: east, north, up. ROS REP-103."""


@final
class NED(Frame, axes="NED"):
    """World: north, east, down. Aircraft."""


@final
class NWU(Frame, axes="NWU"):
    """World: north, west, up. Filters of the Madgwick family."""


@final
class NEU(Frame, axes="NEU"):
    """World: north, east, up; left-handed."""


@final
class ESU(Frame, axes="ESU"):
    """World: east, south, up; left-handed. CARLA's maps."""


@final
class EUS(Frame, axes="EUS"):
    """World: east, up, south."""


@final
class ECEF(Frame, axes="earth"):
    """The earth's own axes: +z to the north pole, +x to latitude and longitude 0."""


@final
class Unframed(Frame, axes="free-right"):
    """What rotations have whose frames nobody named. It composes with nothing but itself."""


_READY_MADE: dict[Axes, FrameLike] = {
    frame.axes: frame
    for frame in (FLU, FRD, FRU, RDF, RUB, RUF, LUF, RFU, ENU, NED, NWU, NEU, ESU, EUS, ECEF)
}

_dynamic_frames: dict[tuple[str, Axes, str], FrameLike] = {}


def dynamic(name: str, *, axes: str | Axes, of: str | None = None) -> FrameLike:
    """Make a frame whose name is known only at run time.

    The same arguments give the same class. Both plain pickle and cloudpickle carry it.

    Parameters
    ----------
    name : str
        Any name, such as ``"odom"`` or ``"robot_1/base_link"``.
    axes : str or Axes
        Which way x, y and z point.
    of : str, optional
        The thing that the axes belong to, as for `Frame`.

    Returns
    -------
    type of Frame

    Examples
    --------
    >>> base = dynamic("base_link", axes="FLU")
    >>> base is dynamic("base_link", axes="FLU")
    True
    >>> base == dynamic("base_link", axes="FRD")
    False
    """
    if not isinstance(axes, Axes):
        axes = Axes(axes)
    key = (name, axes, _THINGS[axes.kind] if of is None else of)
    found = _dynamic_frames.get(key)
    if found is not None:
        return found
    namespace = {"__module__": __name__, "__qualname__": name, "__doc__": f"Frame {name}, axes {axes}."}
    made: Any = FrameMeta(name, (Frame,), namespace, axes=axes, of=key[2])
    made._dynamic = True
    return _dynamic_frames.setdefault(key, made)


def of_axes(axes: str | Axes) -> FrameLike:
    """The ready-made frame with these axes, or else a dynamic one named by its letters.

    Examples
    --------
    >>> of_axes("NED") is NED
    True
    >>> of_axes("DLB").__name__
    'DLB'
    """
    axes = axes if isinstance(axes, Axes) else Axes(axes)
    return _READY_MADE.get(axes) or dynamic(str(axes), axes=axes)


def _restore_dynamic(name: str, axes: Axes, of: str) -> FrameLike:
    return dynamic(name, axes=axes, of=of)


def _reduce(frame: FrameMeta) -> str | tuple[Any, ...]:
    if frame._dynamic:  # pyright: ignore[reportPrivateUsage]
        return _restore_dynamic, (frame.__qualname__, frame.axes, frame.thing)
    return frame.__qualname__


copyreg.pickle(FrameMeta, _reduce)  # pyright: ignore[reportArgumentType]


def mismatch(found: FrameLike, expected: FrameLike) -> str:
    """Say in what two frames that should be one differ, for the end of an error message."""
    if found is Unframed or expected is Unframed:
        advice = "; name the frames with .between(source, target)"
    else:
        advice = ""
    if found.__name__ != expected.__name__:
        return f"{found.__name__} is not {expected.__name__}{advice}"
    return f"{_in_full(found)} is not {_in_full(expected)}"


def _in_full(frame: FrameLike) -> str:
    where = "" if frame._dynamic else f", from {frame.__module__}.{frame.__qualname__}"  # pyright: ignore[reportPrivateUsage]
    return f"{frame.__name__} (axes {frame.axes}, of {frame.thing!r}{where})"


def check_frame(frame: Any) -> FrameLike:
    """Return `frame` if it is a frame with axes, else say what it is instead."""
    if isinstance(frame, FrameMeta) and frame._left_handed is not None:  # pyright: ignore[reportPrivateUsage]
        return frame  # pyright: ignore[reportReturnType]
    if frame is Frame:
        raise FrameError("Frame itself has no axes; derive a frame from it, or take one of boresight.frames")
    letters = str(frame) if isinstance(frame, str | Axes) else ""
    known = globals().get(letters)
    advice = f"; that of these axes is boresight.frames.{letters}" if isinstance(known, FrameMeta) else ""
    raise FrameError(f"a frame is needed here, a class derived from boresight.Frame, not {frame!r}{advice}")


def check_pair(source: Any, target: Any) -> None:
    """Refuse what cannot be the two frames of a rotation.

    Raises
    ------
    FrameError
        If one is missing or no frame, or if one is left-handed and the other right-handed.
    """
    # The quick way for what is nearly always so; the rest is to say in words what is wrong.
    try:
        if source._left_handed is target._left_handed and source._left_handed is not None:
            return
    except AttributeError:
        pass
    if source is None or target is None:
        missing, given = ("source", "target") if source is None else ("target", "source")
        raise FrameError(f"{given}= is given without {missing}=; give both, or neither")
    source, target = check_frame(source), check_frame(target)
    if source.axes.handedness != target.axes.handedness:
        raise FrameError(
            f"{source.__name__} is {source.axes.handedness}-handed and {target.__name__} is "
            f"{target.axes.handedness}-handed; no rotation leads from one to the other. "
            "Read the numbers in the axes of their own system and reframe both sides at once"
        )


def pair_or_unframed(source: Any, target: Any) -> tuple[Any, Any]:
    """Return the frames of something new: both as given, if they may stand together, or both `Unframed`.

    Raises
    ------
    FrameError
        As `check_pair`.
    """
    if source is None and target is None:
        return Unframed, Unframed
    check_pair(source, target)
    return source, target


def check_same_thing(from_: FrameLike, to: FrameLike) -> None:
    """Refuse a change of axes between frames of two things: there is a mounting in between.

    Raises
    ------
    FrameError
    """
    if from_.thing != to.thing:
        raise FrameError(
            f"{from_.__name__} belongs to {from_.thing!r} and {to.__name__} to {to.thing!r}; a change of "
            "axes leads only to other axes of the same thing. Compose with the rotation between the two"
        )


def reframing(
    source: FrameLike,
    target: FrameLike,
    new_source: FrameLike,
    new_target: FrameLike,
    dtype: np.dtype[np.floating[Any]],
) -> tuple[NDArray[np.floating[Any]], float]:
    """Coefficients, of the given type, and scale of the change of a quaternion from one pair of frames to another.

    Raises
    ------
    FrameError
    """
    _check_reframing(source, target, new_source, new_target)
    return _change(source.axes, target.axes, new_source.axes, new_target.axes, dtype)


def permutations(
    source: FrameLike, target: FrameLike, new_source: FrameLike, new_target: FrameLike
) -> tuple[SignedPermutation, SignedPermutation]:
    """The changes of axes of the two sides, source first, from one pair of frames to another.

    Raises
    ------
    FrameError
    """
    _check_reframing(source, target, new_source, new_target)
    return permutation(source.axes, new_source.axes), permutation(target.axes, new_target.axes)


def _check_reframing(source: FrameLike, target: FrameLike, new_source: Any, new_target: Any) -> None:
    check_pair(new_source, new_target)
    check_same_thing(source, new_source)
    check_same_thing(target, new_target)


@cache
def _change(
    source: Axes, target: Axes, new_source: Axes, new_target: Axes, dtype: np.dtype[np.floating[Any]]
) -> tuple[NDArray[np.floating[Any]], float]:
    coefficients, scale = quaternion_change(permutation(target, new_target), permutation(source, new_source))
    # For one rotation, changing the type of sixteen numbers would take longer than all the rest.
    return coefficients.astype(dtype), scale


def check_claim(chain: str, source: FrameLike, target: FrameLike, new_source: Any, new_target: Any) -> None:
    """Refuse a claim about frames that the value's own frames contradict."""
    check_pair(new_source, new_target)
    if source is Unframed and target is Unframed:
        return
    for own, claimed in ((source, new_source), (target, new_target)):
        if own != claimed:
            raise FrameError(
                f"{chain} is not between {new_source.__name__} and {new_target.__name__}: "
                f"{mismatch(own, claimed)}. between() changes no numbers; reframe() does"
            )
