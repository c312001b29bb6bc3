"""Writes trajectories as text: TUM, EuRoC and KITTI differ in their `TextLayout` and in nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from boresight import conventions
from boresight.conventions import Convention
from boresight.errors import DataError
from boresight.logs.convert import convert_log, convert_stream, orientation_form
from boresight.logs.description import comment_line
from boresight.logs.flagged import AS_THEY_ARE, FLAGS, Flagged, Quantity
from boresight.logs.left_out import LeftOut
from boresight.logs.model import GROUPS, TIME, Log, Notice, Stream
from boresight.logs.output import StreamReport, WriteReport
from boresight.logs.poses import join_poses
from boresight.logs.text_layouts import TextLayout, times_path
from boresight.logs.text_output import format_time, write_lines

__all__ = ["PoseTextWriter"]


@dataclass(frozen=True)
class PoseTextWriter:
    """Writes one stream of poses in a text layout.

    The layout fixes order and direction (body to world) of what is written, and the unit of length is the metre; which axes the
    numbers are in is up to the caller (`to`), or else the log's own, and the first line says it where the format has comments.
    """

    layout: TextLayout
    suffixes: tuple[str, ...]

    def companions(self, path: Path) -> tuple[Path, ...]:
        """Files that are written beside `path`: the times, where the format has none in a line."""
        return () if self.layout.time_unit else (times_path(path),)

    def prepare(self, log: Log, to: str | Convention | None, **change: Any) -> Log:
        """Convert to what the format holds: the axes of `to`, or the log's own, in the format's order and direction."""
        if to is not None:
            return convert_log(log, self._held(conventions.get(to)), **change)
        needed = log.of_kind("pose", "orientation", "velocity", "imu")
        held = {s.name: convert_stream(s, self._held(s.convention), to_thing=s.thing) for s in needed}
        return Log(held, log.path, log.format, log.notices, log.metadata)

    def _held(self, convention: Convention) -> Convention:
        """The convention in the form that the layout fixes."""
        order = "".join(c[1] for c in self.layout.columns if c in GROUPS["orientation"].columns) or "xyzw"
        fixed = {
            "direction": "body_to_world",
            "algebra": "hamilton",
            "order": order,
            "matrix": "column_vectors",
            "length": "m",
        }
        if all(getattr(convention, name) == value for name, value in fixed.items()):
            return convention
        return convention.replace(**fixed)

    def write(self, log: Log, path: Path, *, stream: str | None = None) -> WriteReport:
        """Write the poses of a log (`join_poses`) to a path that is not yet there.

        Parameters
        ----------
        log : Log
            As `prepare` gives it.
        path : pathlib.Path
            Where to write.
        stream : str, optional
            Name of the pose or orientation stream to write; else the log's first.
        """
        poses, said = join_poses(log, stream)
        notices = tuple(n for n in said if n.code != "no-rate")  # no field for it anyway
        form = "matrix" if "m00" in self.layout.columns else "orientation"
        poses = orientation_form(poses, form)
        names = list(self.layout.columns)
        extra = bool(self.layout.extra) and set(self.layout.extra) <= set(poses.schema.names)
        if extra:
            names += self.layout.extra
        left_out = LeftOut.of(poses)
        assert left_out is not None  # poses have orientations
        quantities: list[Quantity] = ["position", "velocity"] if "vx" in names else ["position"]
        flagged = Flagged.of(poses, quantities, AS_THEY_ARE)
        flags = [c for columns in flagged.columns.values() for c in columns] if flagged else []
        rows = 0
        times: list[pa.Array[Any]] = []

        def blocks() -> Iterator[Sequence[Any]]:
            nonlocal rows
            for batch in poses.batches(columns=[TIME, *(name for name in names if name != TIME), *flags]):
                batch = left_out.filtered(batch)
                if flagged is not None:
                    flagged.count(batch)
                rows += len(batch)
                text = format_time(batch.column(TIME).to_numpy(), self.layout.time_unit or "s")
                if self.layout.time_unit is None:
                    times.append(text)
                yield [text if name == TIME else batch.column(name) for name in names]

        write_lines(path, self._head(poses, extra), blocks(), separator=self.layout.separator)
        if self.layout.time_unit is None:
            write_lines(times_path(path), [], ([text] for text in times), separator=self.layout.separator)
        if not rows:
            raise DataError(
                f"stream {poses.name} has no row with a valid orientation and position", path=log.path
            )
        report = StreamReport(
            poses.name, " ".join(names), rows, left_out.count, left_out.reason, poses.convention
        )
        if flagged is not None:
            notices = (*notices, *flagged.notices())
        held = {*names, *(c for name in FLAGS.values() for c in GROUPS[name].columns)}  # flags: said above
        lost = [
            column for group in poses.groups if not set(group.columns) <= held for column in group.columns
        ]
        if lost:
            message = f"the format has no field for: {', '.join(lost)}"
            notices = (*notices, Notice("no-field", message, poses.name, rows))
        return WriteReport(path, self.layout.name, (report,), (*log.notices, *notices, *left_out.notices()))

    def _head(self, poses: Stream, extra: bool) -> list[str]:
        """The first lines: what the file is, and the names of its columns."""
        if self.layout.header is None:  # nothing but numbers may stand in it
            return []
        return [comment_line(poses), self.layout.header + (self.layout.extra_header if extra else "")]
