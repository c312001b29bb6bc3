"""What is said of a file of another kind that people have: what it is, and how to come from there to a log that is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["recognised"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of file, known by its suffix, its whole name or its first bytes."""

    what: str
    do: str
    suffixes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    heads: tuple[bytes, ...] = ()


_KINDS = (
    _Kind(
        "a ROS 1 bag",
        "make an MCAP file of it: pip install rosbags; rosbags-convert --src IN.bag --dst OUT --dst-storage mcap",
        suffixes=(".bag",),
        heads=(b"#ROSBAG V",),
    ),
    _Kind(
        "a ROS 2 bag in SQLite",
        "make an MCAP file of it: pip install rosbags; rosbags-convert --src BAG_DIRECTORY --dst OUT --dst-storage mcap",
        suffixes=(".db3",),
        heads=(b"SQLite format 3\0",),
    ),
    _Kind(
        "a pose graph of g2o, which has no times",
        "write its VERTEX_SE3:QUAT lines (id x y z qx qy qz qw) as TUM: time x y z qx qy qz qw",
        suffixes=(".g2o",),
        heads=(b"VERTEX_SE", b"EDGE_SE"),
    ),
    _Kind(
        "a list of images of COLMAP, which has no times",
        'convert its numbers with boresight.convert(quat=, position=, from_="colmap", to=...), or write them as CSV with a time '
        "and read that with --from colmap",
        names=("images.txt",),
        heads=(b"# Image list with two lines of data per image",),
    ),
    _Kind(
        "a list of cameras of NeRF (nerfstudio, instant-ngp), which has no times",
        'convert its matrices with boresight.convert(matrix=, from_="nerf", to=...)',
        names=("transforms.json",),
    ),
    _Kind(
        "a telemetry log of MAVLink",
        "make a table of its attitudes: pip install pymavlink; mavlogdump.py --format csv --types ATTITUDE_QUATERNION IN.tlog "
        "> OUT.csv (or --types ATTITUDE, where there are only angles), and read that with --from mavlink",
        suffixes=(".tlog",),
    ),
    _Kind(
        "a DataFlash log of ArduPilot",
        "make a table of its attitudes: pip install pymavlink; mavlogdump.py --format csv --types ATT IN.bin > OUT.csv, and read "
        "that with --from ardupilot",
        heads=(b"\xa3\x95\x80", b"FMT, 128"),
    ),
    _Kind(
        "a file of NumPy's arrays",
        "write its times and quaternions as CSV: numpy.savetxt(OUT, rows, delimiter=',', header='t_s,q0,q1,q2,q3', comments=''); "
        "or give the arrays to boresight.diagnosis.diagnose_arrays",
        suffixes=(".npz", ".npy"),
        heads=(b"\x93NUMPY",),
    ),
    _Kind(
        "an HDF5 file",
        "write its times and quaternions as CSV, with h5py or pandas; or give the arrays to "
        "boresight.diagnosis.diagnose_arrays",
        suffixes=(".hdf5", ".h5"),
        heads=(b"\x89HDF\r\n\x1a\n",),
    ),
    _Kind(
        "a recording of Xsens",
        "export it as CSV with quaternions and times, from MT Manager or MVN, and read that with --from xsens_mti",
        suffixes=(".mtb", ".mvn", ".mvnx", ".xsens"),
        heads=(b"// Start Time:", b"// General information:"),
    ),
)


def recognised(path: Path, head: bytes) -> tuple[str, str] | None:
    """Say what a file is that no reader knows, and what to do with it; None where nobody knows.

    Examples
    --------
    >>> recognised(Path("drive.bag"), b"#ROSBAG V2.0")[0]
    'a ROS 1 bag'
    """
    text = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    by_head = (kind for kind in _KINDS if text.startswith(kind.heads))
    suffix = path.suffix.lower()
    by_name = (kind for kind in _KINDS if suffix in kind.suffixes or path.name.lower() in kind.names)
    found = next(by_head, None) or next(by_name, None)
    return None if found is None else (found.what, found.do)
