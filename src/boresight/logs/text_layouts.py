"""The layouts of the text formats for trajectories: which columns, in which order, in which unit of time.

The same layout serves the reader and the writer. All are comma- or space-separated numbers, one pose a line, with
comments from ``#``; evo reads what is written by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from boresight.logs.model import StreamKind
from boresight.logs.times import TimeUnit

__all__ = ["EUROC", "KITTI", "TUM", "TextLayout", "times_candidates", "times_path"]


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How one text format lays a pose out in a line.

    Attributes
    ----------
    name : str
        Name of the format.
    columns : tuple of str
        Our columns (see `columns.GROUPS`) in the order of the line.
    extra : tuple of str
        Columns that a line may have after these, all or none.
    separator : str
        What stands between two numbers.
    time_unit : str or None
        Unit of the first column; None where the format has no time.
    header : str or None
        The comment that names the columns, as the format's own files have it; without a line end.
    extra_header : str
        What it goes on with where the extra columns are there.
    convention : str
        Name in the registry of what the numbers are in where nobody says otherwise.
    thing : str
        What of it.
    kind : str
        Kind of the stream.
    """

    name: str
    columns: tuple[str, ...]
    separator: str
    time_unit: TimeUnit | None
    convention: str
    thing: str
    header: str | None = None
    extra: tuple[str, ...] = ()
    extra_header: str = ""
    kind: StreamKind = "pose"


TUM = TextLayout(
    name="tum",
    columns=("time", "x", "y", "z", "qx", "qy", "qz", "qw"),
    separator=" ",
    time_unit="s",
    convention="tum",
    thing="camera",
    header="# timestamp tx ty tz qx qy qz qw",
)

EUROC = TextLayout(
    name="euroc",
    columns=("time", "x", "y", "z", "qw", "qx", "qy", "qz"),
    extra=("vx", "vy", "vz", "bwx", "bwy", "bwz", "bax", "bay", "baz"),
    separator=",",
    time_unit="ns",
    convention="euroc",
    thing="body",
    header=("#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"),
    extra_header=(
        ",v_RS_R_x [m s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1]"
        ",b_w_RS_S_x [rad s^-1],b_w_RS_S_y [rad s^-1],b_w_RS_S_z [rad s^-1]"
        ",b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]"
    ),
)

KITTI = TextLayout(
    name="kitti",
    columns=("m00", "m01", "m02", "x", "m10", "m11", "m12", "y", "m20", "m21", "m22", "z"),
    separator=" ",
    time_unit=None,
    convention="kitti_odometry",
    thing="camera",
)


def times_path(path: Path) -> Path:
    """Return where the times of a KITTI file are written: beside it, by its own name.

    Examples
    --------
    >>> times_path(Path("run/00.txt")).as_posix()
    'run/00_times.txt'
    """
    return path.with_name(f"{path.stem}_times.txt")


def times_candidates(path: Path) -> tuple[Path, ...]:
    """Return where the times of a KITTI file may be found: by its own name, or as the data set has them."""
    return (times_path(path), path.with_name("times.txt"))
