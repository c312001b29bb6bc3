"""KITTI odometry: 12 numbers a line, the first three rows of a 4x4 matrix; the times are in a file of their own."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boresight.errors import DataError
from boresight.logs.columns import TIME
from boresight.logs.model import Log, Notice
from boresight.logs.readers.delimited import first_numbers, open_text, read_columns
from boresight.logs.readers.text_poses import column_names, described, pose_log
from boresight.logs.text_layouts import KITTI, times_candidates

if TYPE_CHECKING:
    from boresight.conventions import Convention

__all__ = ["READER", "KittiReader"]


class KittiReader:
    """Reader of KITTI poses with their times."""

    suffixes: tuple[str, ...] = (".kitti", ".txt")

    def sniff(self, head: bytes) -> bool:
        """Say whether the first line is of twelve numbers."""
        return len(first_numbers(head, KITTI.separator)) == len(KITTI.columns)

    def read(
        self,
        path: Path,
        *,
        from_: Convention | None = None,
        strict: bool = False,
        thing: str | None = None,
        times: str | PathLike[str] | None = None,
    ) -> Log:
        """Read poses and their times.

        Parameters
        ----------
        path : pathlib.Path
            The poses.
        from_ : Convention, optional
            What the numbers are in; else what the file says of itself, or KITTI's own (the first camera is the world).
        strict : bool
            Whether a last line cut short is an error.
        thing : str, optional
            Which thing of the convention the poses are of.
        times : path, optional
            The file with the times in seconds, one a line; else ``<name>_times.txt`` or ``times.txt`` beside the poses.

        Raises
        ------
        DataError
            There is no file of times, it has another number of lines, or a line cannot be read.
        """
        file = open_text(path)
        _, columns, notices = read_columns(
            file, column_names(file, KITTI), KITTI.separator, time_unit=None, strict=strict
        )
        about, said = described(file, KITTI, from_, thing)
        time = _times(path, times, notices, strict)
        rows = len(columns["x"])
        if len(time) != rows:
            raise DataError(
                f"{len(time)} times for {rows} poses",
                path=path,
                advice="give the times of this file with times=",
            )
        return pose_log(path, KITTI, about, time, dict(columns), [*notices, *said])


def _times(
    path: Path, given: str | PathLike[str] | None, notices: list[Notice], strict: bool
) -> NDArray[np.int64]:
    candidates = times_candidates(path) if given is None else (Path(given),)
    found = next((item for item in candidates if item.is_file()), None)
    if found is None:
        tried = " or ".join(str(item) for item in candidates)
        raise DataError(
            f"the format has no times in it, and there is no file {tried}",
            path=path,
            advice="give the file of times with times=",
        )
    file = open_text(found)
    time, _, said = read_columns(file, (TIME,), " ", time_unit="s", strict=strict)
    notices += said
    assert time is not None
    return time


READER = KittiReader()
"""What the registry finds."""
