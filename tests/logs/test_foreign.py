"""Files of other kinds that people have: the error says what each is and how to come from there to a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from boresight.errors import DataError
from boresight.logs import registry

FILES = {
    "a.bag": (b"#ROSBAG V2.0\nE\0", "a ROS 1 bag.*rosbags-convert --src"),
    "renamed.dat": (b"#ROSBAG V2.0\nE\0", "a ROS 1 bag"),
    "a.db3": (b"SQLite format 3\0" + bytes(90), "a ROS 2 bag.*--dst-storage mcap"),
    "a.g2o": (b"VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\n", "pose graph of g2o"),
    "images.txt": (
        b"# Image list with two lines of data per image:\n#   IMAGE_ID, QW\n1 0.8 0.1 0.5 0 0 1 3 1 a.jpg\n2 3 4\n",
        'COLMAP.*from_="colmap"',
    ),
    "transforms.json": (b'{"frames": [{"transform_matrix": [[1, 0, 0, 0]]}]}', 'from_="nerf"'),
    "a.tlog": (b"\0\5\x9a\1\2\3\4\5\xfe\x09\0", "MAVLink.*mavlogdump"),
    "a.bin": (b"\xa3\x95\x80\x80YFMT\0" + bytes(80), "DataFlash"),
    "a.log": (b"FMT, 128, 89, FMT, BBnNZ, Type\nATT, 1000, 1, 2\n", "DataFlash"),
    "a.mtb": (b"\xfa\xff\x0f\0" * 9, "Xsens"),
    "a.txt": (b"// Start Time: Unknown\n// Update Rate: 100.0Hz\nPacketCounter\tRoll\n1\t2\n", "Xsens"),
    "a.md": (b"# hello\n", "no log of a known format; known: ulog"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_it_is_and_what_to_do(tmp_path: Path, name: str) -> None:
    content, message = FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        registry.read(tmp_path / name)


def test_every_convention_that_is_named_exists() -> None:
    from boresight import conventions

    for name in ("colmap", "nerf", "mavlink", "ardupilot", "xsens_mti"):
        assert conventions.get(name)
