"""`FrameTree`: named frames and the poses between them, some fixed and some moving, asked for at any time.

Each edge is a `Pose` between two frames, single (fixed) or a series with times (moving). Between any two frames there
is at most one chain of edges, so there is one answer; an edge that would make a second chain is refused. A lookup
interpolates each moving edge at the time asked for, slerp for the rotation and straight for the translation (as ROS's
tf2 does), and composes along the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .errors import DataError, FrameError
from .frames import FrameLike, check_frame, dynamic
from .interpolation import poses_at
from .pose import Pose
from .rows import Floats, Invalid
from .times import check_gap, check_keys, locate

__all__ = ["FrameTree"]

AnyPose = Pose[Any, Any]


@dataclass(frozen=True, slots=True)
class _Edge:
    """Poses from one frame to another; `times` is None where they never change."""

    pose: AnyPose
    times: NDArray[Any] | None
    max_gap: float | None

    @property
    def name(self) -> str:
        return f"{self.pose.source.__name__} → {self.pose.target.__name__}"

    def at(self, time: ArrayLike | None, max_gap: float | None, invalid: Invalid) -> tuple[Floats, Floats]:
        """Quaternion and translation at times, from the edge's source to its target."""
        q, t = self.pose.rotation.as_quat(order="xyzw"), self.pose.translation
        if self.times is None:
            return q, t
        if time is None:
            raise ValueError(f"{self.name} moves; give time=")
        limit = self.max_gap if max_gap is None else max_gap
        where = locate(self.times, time, limit)
        where.settle(invalid, "time with a pose", self.name)
        return poses_at(where, q, t)


class FrameTree:
    """Frames and the poses between them.

    Times are integers (nanoseconds) or floats (seconds), the same for all moving edges and lookups.

    Parameters
    ----------
    max_gap : number, optional
        Between poses of a moving edge further apart than this nothing is interpolated, unless `add` or `lookup`
        says otherwise. In the unit of the times.

    Examples
    --------
    >>> from boresight import Pose, Rotation, frames
    >>> Camera = frames.dynamic("camera", axes="FLU", of="camera")
    >>> tree = FrameTree()
    >>> tree.add(Pose(Rotation.identity(source=Camera, target=frames.FLU), [0.2, 0.0, 0.1]))
    >>> turns = Rotation.from_rotvec([[0, 0, 0], [0, 0, np.pi]], source=frames.FLU, target=frames.ENU)
    >>> tree.add(Pose(turns, [[0, 0, 0], [4, 0, 0]]), times=[0, 1_000_000_000])
    >>> P = tree.lookup(source="camera", target="ENU", time=500_000_000)
    >>> P.translation.round(9)
    array([2. , 0.2, 0.1])
    >>> tree.lookup(source=frames.ENU, target=Camera, time=[0, 500_000_000]).shape
    (2,)
    """

    def __init__(self, *, max_gap: float | None = None) -> None:
        check_gap(max_gap)
        self._max_gap = max_gap
        self._frames: dict[str, FrameLike] = {}
        self._edges: dict[str, dict[str, _Edge]] = {}

    # ---- building ----------------------------------------------------------------------------

    def add(self, pose: AnyPose, *, times: ArrayLike | None = None, max_gap: float | None = None) -> None:
        """Add an edge, between two frames of which at most one chain of edges exists afterwards.

        Parameters
        ----------
        pose : Pose
            A single pose that never changes, or with `times` a series, shape (n,). A series may have rows of NaN;
            near them lookups are NaN.
        times : array_like, shape (n,), optional
            When the poses are; increasing.
        max_gap : number, optional
            As for the tree, for this edge.

        Raises
        ------
        FrameError
            If a chain between the two frames exists already (a loop), if they are one frame, if the pose is
            unframed, or if the tree knows another frame of the same name.
        ValueError
            If times and poses do not go together, or times do not increase.
        TypeError
            If it is no pose.
        """
        if pose.__class__ is not Pose:
            raise TypeError(f"an edge of a tree is a Pose, not a value of type {type(pose).__name__}")
        check_gap(max_gap)
        if times is None:
            if pose.shape:
                raise ValueError(
                    f"a pose without times is a single one; this has shape {pose.shape}: give times="
                )
            edge = _Edge(pose, None, None)
        else:
            if len(pose.shape) != 1:
                raise ValueError(f"poses with times are a series, shape (n,); these have shape {pose.shape}")
            keys = check_keys(times, pose.shape[0]).copy()
            self._same_kind(keys)
            keys.setflags(write=False)
            edge = _Edge(pose, keys, self._max_gap if max_gap is None else max_gap)
        source, target = (self._known(frame) for frame in (pose.source, pose.target))
        chain = self._chain(source, target)
        if source == target:
            raise FrameError(f"{edge.name} leads from a frame to itself")
        if chain is not None:
            raise FrameError(
                f"{edge.name} makes a loop: {' → '.join(chain)} is there already, and the two could disagree"
            )
        for name, frame in ((source, pose.source), (target, pose.target)):
            self._frames[name] = frame
        self._edges.setdefault(source, {})[target] = edge
        self._edges.setdefault(target, {})[source] = edge

    def _known(self, frame: FrameLike) -> str:
        """The frame's name, if no other frame has it."""
        name = check_frame(frame).__name__
        if name == "Unframed":
            raise FrameError(
                "the poses of a tree are between frames; name them with .between(source, target)"
            )
        other = self._frames.get(name)
        if other is not None and other != frame:
            raise FrameError(
                f"the tree has a frame {name} already (axes {other.axes}, of {other.thing!r}), and this is another "
                f"(axes {frame.axes}, of {frame.thing!r}); give them different names"
            )
        return name

    def _same_kind(self, keys: NDArray[Any]) -> None:
        for edge in self._moving():
            if edge.times is not None and len(edge.times) and len(keys) and edge.times.dtype != keys.dtype:
                raise TypeError(
                    f"the times of {edge.name} are {edge.times.dtype} and these are {keys.dtype}; "
                    "give all in integers (nanoseconds) or all in floats (seconds)"
                )

    @staticmethod
    def from_log(
        log: Any,
        *,
        frames: Mapping[str, FrameLike | str] | None = None,
        max_gap: float | None = None,
    ) -> FrameTree:
        """Take the transforms of a log's ``/tf`` and ``/tf_static``.

        Parameters
        ----------
        log : Log
            Or anything with `streams`, by names such as ``"/tf#odom>base_link"``, that have `time`, positions by
            `array` and quaternions by `quaternion`.
        frames : mapping of str to type of Frame or str, optional
            Frames, or letters of axes, of names that are not as ROS's REP-103 and REP-105 have them: ``map`` is ENU,
            ``earth`` is earth-centred, names that end in ``optical`` or ``optical_frame`` are RDF, all others FLU.
        max_gap : number, optional
            As for the tree, in nanoseconds.

        Returns
        -------
        FrameTree

        Raises
        ------
        DataError
            If the log has no transforms.
        FrameError
            If they make a loop.

        Notes
        -----
        Of transforms with the same stamp the last counts; of fixed ones the last of all.
        """
        tree = FrameTree(max_gap=max_gap)
        known = dict(frames or {})
        for name, stream in log.streams.items():
            topic, _, pair = name.partition("#")
            parent, _, child = pair.partition(">")
            fixed = topic.rsplit("/", 1)[-1] == "tf_static"
            if topic.rsplit("/", 1)[-1] not in ("tf", "tf_static"):
                continue
            if not child:
                raise DataError("the stream does not say which frames it is between", place=f"stream {name}")
            source, target = (_ros_frame(frame, known) for frame in (child, parent))
            pose, time = _series(stream, source, target)
            if not len(time):
                continue
            if fixed:
                tree.add(pose[-1])
            else:
                tree.add(pose, times=time)
        if not tree._frames:
            have = ", ".join(log.streams) or "none"
            raise DataError("the log has no transforms (/tf, /tf_static)", advice=f"its streams are: {have}")
        return tree

    # ---- what there is -----------------------------------------------------------------------

    @property
    def frames(self) -> tuple[FrameLike, ...]:
        """All frames, in the order in which they came."""
        return tuple(self._frames.values())

    def __contains__(self, frame: FrameLike | str) -> bool:
        if isinstance(frame, str):
            return frame in self._frames
        return self._frames.get(frame.__name__) == frame

    def __repr__(self) -> str:
        edges = ", ".join(edge.name + ("" if edge.times is None else " (moving)") for edge in self._all())
        return f"FrameTree({edges or 'empty'})"

    def chain(self, *, source: FrameLike | str, target: FrameLike | str) -> tuple[FrameLike, ...]:
        """The frames from one to another, both included.

        Raises
        ------
        FrameError
            If the tree has not both, or no edges connect them.
        """
        names = self._connected(source, target)
        return tuple(self._frames[name] for name in names)

    def span(self, *, source: FrameLike | str, target: FrameLike | str) -> tuple[Any, Any] | None:
        """First and last time at which a lookup has an answer, gaps aside; None where nothing on the way moves.

        Raises
        ------
        FrameError
            If the tree has not both frames, or no edges connect them.
        ValueError
            If the moving edges on the way have no time in common.
        """
        names = self._connected(source, target)
        edges = [self._edges[a][b] for a, b in pairwise(names)]
        moving = [(edge, edge.times) for edge in edges if edge.times is not None]
        if not moving:
            return None
        for edge, times in moving:
            if not len(times):
                raise ValueError(f"{edge.name} has no poses")
        first, late = max(((times[0], edge) for edge, times in moving), key=lambda pair: pair[0])
        last, early = min(((times[-1], edge) for edge, times in moving), key=lambda pair: pair[0])
        if first > last:
            raise ValueError(f"{early.name} ends at {last} before {late.name} begins at {first}")
        return first.item(), last.item()

    # ---- asking ------------------------------------------------------------------------------

    def lookup(
        self,
        *,
        source: FrameLike | str,
        target: FrameLike | str,
        time: ArrayLike | None = None,
        max_gap: float | None = None,
        invalid: Invalid = "raise",
    ) -> AnyPose:
        """The pose that takes coordinates in `source` to coordinates in `target`, at times.

        Parameters
        ----------
        source, target : type of Frame or str
            Frames of the tree, or their names.
        time : array_like, shape (...), optional
            Needed where something on the way moves. One pose for each.
        max_gap : number, optional
            For all edges on the way, instead of their own.
        invalid : {"raise", "nan"}
            What to do with times outside a series (there is no extrapolation) or in a gap.

        Returns
        -------
        Pose, shape of `time`

        Raises
        ------
        FrameError
            If the tree has not both frames, or no edges connect them.
        InvalidRowsError
            With ``invalid="raise"``; it names the first time without an answer, the edge, and what is missing.
        ValueError
            If something moves and no time is given.
        """
        names = self._connected(source, target)
        shape = () if time is None else np.shape(time)
        q: Floats = np.zeros((*shape, 4))
        q[..., 3] = 1.0
        t: Floats = np.zeros((*shape, 3))
        for here, there in pairwise(names):
            edge = self._edges[here][there]
            step = edge.at(time, max_gap, invalid)
            if edge.pose.source.__name__ != here:
                step = kernels.pose_inverse(*step)
            q, t = kernels.pose_multiply(*step, q, t)
        make = Pose._trusted  # pyright: ignore[reportPrivateUsage]
        return make(q, t, self._frames[names[0]], self._frames[names[-1]])

    # ---- the graph ---------------------------------------------------------------------------

    def _all(self) -> Iterator[_Edge]:
        for name, edges in self._edges.items():
            yield from (edge for edge in edges.values() if edge.pose.source.__name__ == name)

    def _moving(self) -> Iterator[_Edge]:
        return (edge for edge in self._all() if edge.times is not None)

    def _name(self, frame: FrameLike | str) -> str:
        if isinstance(frame, str):
            if frame in self._frames:
                return frame
            near = get_close_matches(frame, self._frames, 1)
            hint = (
                f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(self._frames) or 'none'}"
            )
            raise FrameError(f"the tree has no frame {frame}{hint}")
        name = check_frame(frame).__name__
        known = self._frames.get(name)
        if known is None:
            return self._name(name)
        if known != frame:
            self._known(frame)
        return name

    def _connected(self, source: FrameLike | str, target: FrameLike | str) -> list[str]:
        start, end = self._name(source), self._name(target)
        chain = self._chain(start, end)
        if chain is None:
            reach, other = (", ".join(self._reach(name)) for name in (start, end))
            raise FrameError(
                f"no edges connect {start} with {end}: {start} is connected with {reach or 'nothing'}, "
                f"{end} with {other or 'nothing'}"
            )
        return chain

    def _chain(self, start: str, end: str) -> list[str] | None:
        """Names from one frame to another, both included; None if nothing connects them."""
        came: dict[str, str] = {start: start}
        ahead = [start]
        while ahead and end not in came:
            here = ahead.pop()
            for there in self._edges.get(here, ()):
                if there not in came:
                    came[there] = here
                    ahead.append(there)
        if end not in came:
            return None
        chain = [end]
        while chain[-1] != start:
            chain.append(came[chain[-1]])
        return chain[::-1]

    def _reach(self, start: str) -> list[str]:
        return [name for name in self._frames if name != start and self._chain(start, name)]


_WORLDS = {"map": "ENU", "earth": "earth", "odom": "FLU", "world": "FLU"}


def _ros_frame(name: str, known: dict[str, FrameLike | str]) -> FrameLike:
    """The frame of a name, by REP-103 and REP-105 where nothing else is said."""
    name = name.lstrip("/")
    given = known.get(name)
    if given is not None and not isinstance(given, str):
        return check_frame(given)
    last = name.rsplit("/", 1)[-1]
    if last in _WORLDS:
        return dynamic(name, axes=given or _WORLDS[last], of="world")
    if given is None:
        given = "RDF" if last.endswith(("optical", "optical_frame")) else "FLU"
    # Each frame of a robot is a thing of its own, with a mounting between any two.
    return dynamic(name, axes=given, of="body" if last == "base_link" else name)


def _series(stream: Any, source: FrameLike, target: FrameLike) -> tuple[AnyPose, NDArray[np.int64]]:
    """Poses of a stream in the order of time, the last of each stamp."""
    time: NDArray[np.int64] = np.asarray(stream.time)
    q: NDArray[np.float64] = np.asarray(stream.quaternion(order="xyzw"), np.float64)
    t: NDArray[np.float64] = np.asarray(stream.array("position"), np.float64)
    order = np.argsort(time, kind="stable")
    keep = np.ones(len(time), np.bool_)
    keep[:-1] = np.diff(time[order]) > 0
    order = order[keep]
    rotation = kernels.from_quaternion(q[order], order="xyzw", invalid="nan")
    t = np.where(np.isnan(rotation).any(axis=-1, keepdims=True), np.nan, t[order])
    make = Pose._trusted  # pyright: ignore[reportPrivateUsage]
    return make(rotation, t, source, target), time[order]
