"""TUM, EuRoC and KITTI: exact times, the formats' own conventions, and errors that name the line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from boresight import conventions
from boresight.errors import DataError
from boresight.logs import Stream, read
from boresight.logs.description import comment_line

TUM = "# a comment\n1305031102.175304 1 2 3 0.1 0.2 0.3 0.9\n1305031102.211214 1.5 2 3 0 0 0 1\n"
EUROC = (
    "#timestamp, p_RS_R_x [m], ...\n"
    "1403636579763555584,1,2,3,0.9,0.1,0.2,0.3,4,5,6,0.1,0.2,0.3,0.4,0.5,0.6\n"
    "1403636579768555584,1,2,3,1,0,0,0,4,5,6,0.1,0.2,0.3,0.4,0.5,0.6\n"
)
KITTI = "1 0 0 4 0 1 0 5 0 0 1 6\n0 -1 0 7 1 0 0 8 0 0 1 9\n"


def saved(directory: Path, name: str, text: str | bytes) -> Path:
    path = directory / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def only(path: Path, **options: object) -> Stream:
    (stream,) = read(path, **options).streams.values()  # type: ignore[arg-type]
    return stream


def test_tum(tmp_path: Path) -> None:
    stream = only(saved(tmp_path, "room.txt", TUM))
    assert (stream.name, stream.kind, stream.convention.id, stream.thing) == ("room", "pose", "tum", "camera")
    assert stream.time.tolist() == [1305031102175304000, 1305031102211214000]
    assert stream.quaternion(order="xyzw")[0].tolist() == [0.1, 0.2, 0.3, 0.9]
    assert stream.array("position")[1].tolist() == [1.5, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        TUM.replace(" ", "\t"),
        TUM.replace(" ", "   "),
        TUM.replace("\n", "  \n"),
        TUM.replace("\n", "\r\n"),
        "\ufeff" + TUM,
        TUM + "\n\n# the end\n",
        TUM.replace("\n1305031102.2", "\n# between\n\n1305031102.2"),
        TUM.rstrip("\n"),
    ],
)
def test_blanks_ends_of_lines_and_comments(tmp_path: Path, text: str) -> None:
    stream = only(saved(tmp_path, "a.tum", text))
    assert stream.time.tolist() == [1305031102175304000, 1305031102211214000]
    assert stream.quaternion(order="xyzw")[1].tolist() == [0, 0, 0, 1]


def test_euroc(tmp_path: Path) -> None:
    log = read(saved(tmp_path, "data.csv", EUROC))
    assert log.format == "euroc"
    (stream,) = log.streams.values()
    assert stream.time[0] == 1403636579763555584
    assert stream.array("orientation")[0].tolist() == [0.9, 0.1, 0.2, 0.3]
    assert stream.array("velocity")[0].tolist() == [4, 5, 6]
    assert stream.array("rate_bias")[0].tolist() == [0.1, 0.2, 0.3]
    assert stream.array("acceleration_bias")[0].tolist() == [0.4, 0.5, 0.6]
    short = "\n".join(",".join(line.split(",")[:8]) for line in EUROC.splitlines()[1:])
    stream = only(saved(tmp_path, "short.csv", short))
    assert not stream.has("velocity")


@pytest.mark.parametrize("name", ["00_times.txt", "times.txt", "elsewhere"])
def test_kitti_with_times(tmp_path: Path, name: str) -> None:
    path = saved(tmp_path, "00.txt", KITTI)
    times = saved(tmp_path, name, "0.000000e+00\n1.036224e-01\n")
    stream = only(path, **({"times": times} if name == "elsewhere" else {}))
    assert stream.convention.id == "kitti_odometry"
    assert stream.time.tolist() == [0, 103622400]
    assert stream.array("position").tolist() == [[4, 5, 6], [7, 8, 9]]
    assert stream.array("matrix")[1].tolist() == [0, -1, 0, 1, 0, 0, 0, 0, 1]
    assert not stream.invalid_rows().any()


def test_kitti_without_times_says_so(tmp_path: Path) -> None:
    path = saved(tmp_path, "00.txt", KITTI)
    with pytest.raises(
        DataError, match=r"no times in it, and there is no file .*00_times.txt or .*times.txt; .*times="
    ):
        read(path)
    saved(tmp_path, "times.txt", "0\n1\n2\n")
    with pytest.raises(DataError, match="3 times for 2 poses"):
        read(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 2 3", "line 4: 3 columns, where 8 are expected"),
        ("1 2 3 4 5 6 7 8 9", "line 4: 9 columns, where 8 are expected"),
        ("1 2 3 4 5 six 7 8", "line 4, column qy: 'six' is no number"),
        ("1 2 3 4 5 6 7 8,", "line 4, column qw: '8,' is no number"),
        ("noon 2 3 4 5 6 7 8", "line 4, column time: 'noon' is no number"),
        ("nan 2 3 4 5 6 7 8", "line 4, column time: 'nan' is no time"),
        ("1e30 2 3 4 5 6 7 8", "line 4, column time: '1e30' is no time"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = saved(tmp_path, "a.tum", TUM + line + "\n" + TUM)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: {reason}"


def test_a_last_line_cut_short(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.tum", TUM + "1305031103.1 2 3")
    log = read(path)
    assert [(notice.code, notice.message) for notice in log.notices] == [
        ("truncated", "the file ends in the middle of line 4, which is left out")
    ]
    with pytest.raises(DataError, match="line 4: 3 columns"):
        read(path, strict=True)


def test_nan_is_a_number_and_counted(tmp_path: Path) -> None:
    log = read(saved(tmp_path, "a.tum", TUM + "1305031103.1 2 nan 3 nan 0 0 1\n1305031103.2 0 0 0 0 0 0 0\n"))
    assert {notice.code: notice.count for notice in log.notices} == {
        "invalid-orientation": 2,
        "invalid-position": 1,
    }


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n"])
def test_nothing_in_it(tmp_path: Path, content: bytes) -> None:
    path = saved(tmp_path, "a.tum", content)
    with pytest.raises(DataError, match=r"a\.tum: .*(empty|no line of numbers)"):
        read(path)


def test_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="byte 3: this is no text file"):
        read(saved(tmp_path, "a.tum", b"abc\0def"))


def test_the_wrong_number_of_columns(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 1: 12 columns, where the format tum has 8"):
        read(saved(tmp_path, "a.txt", KITTI), format="tum")


def test_the_callers_convention(tmp_path: Path) -> None:
    stream = only(saved(tmp_path, "a.tum", TUM), from_="ros", thing="camera")
    assert (stream.convention.id, stream.thing) == ("ros", "camera")
    with pytest.raises(ValueError, match="no thing 'wing'"):
        read(tmp_path / "a.tum", from_="ros", thing="wing")


def test_a_file_that_says_what_it_is(tmp_path: Path) -> None:
    px4 = conventions.get("px4").replace(world="FRD")
    table = only(saved(tmp_path, "a.tum", TUM)).table()
    line = comment_line(Stream("vehicle", "pose", px4, "body", table))
    stream = only(saved(tmp_path, "b.tum", line + "\n" + TUM))
    assert (stream.name, stream.convention, stream.thing) == ("vehicle", px4, "body")
    assert stream.array("orientation")[0].tolist() == [0.9, 0.1, 0.2, 0.3]
    assert only(tmp_path / "b.tum", from_="ros").convention.id == "ros"


@pytest.mark.parametrize("layout", ["tum", "euroc"])
def test_a_convention_that_is_not_the_files_own_is_said(tmp_path: Path, layout: str) -> None:
    def said(name: str, from_: str | None) -> list[str]:
        notices = read(tmp_path / name, from_=from_, format=layout).notices
        return [notice.message for notice in notices if notice.code == "overruled"]

    text = TUM if layout == "tum" else EUROC
    px4 = conventions.get("px4")
    line = comment_line(Stream("vehicle", "pose", px4, "body", only(saved(tmp_path, "x.tum", TUM)).table()))
    saved(tmp_path, "own", line + "\n" + text)
    saved(tmp_path, "anyone's", text)
    assert said("own", "ros") == [
        "the file's numbers are px4's by its own account, and are taken for ros's, as was asked"
    ]
    # What the format's original has is not what such a file says.
    assert said("own", None) == said("own", "px4") == said("anyone's", "ros") == []


@pytest.mark.parametrize(
    "text", ["# boresight: {", '# boresight: {"version": 99}', '# boresight: {"kind": "pose"}']
)
def test_a_description_that_is_broken(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"line 1: .*(JSON|version 99|damaged)"):
        read(saved(tmp_path, "a.tum", text + "\n" + TUM))


def test_a_million_rows_keep_their_order(tmp_path: Path) -> None:
    # More than one of the parser's blocks.
    rows = 200_000
    lines = [f"{i}.000000001 {i} 0 0 0 0 0 1" for i in range(rows)]
    stream = only(saved(tmp_path, "a.tum", "\n".join(lines) + "\n"))
    assert np.array_equal(stream.time, np.arange(rows) * 10**9 + 1)
    assert np.array_equal(stream.column("x"), np.arange(rows))


def test_description_is_json() -> None:
    stream = Stream("m", "imu", conventions.get("ros"), "body", only_table(), {"angular_rate": "deg/s"})
    described = json.loads(comment_line(stream).removeprefix("# boresight: "))
    assert described["units"] == {"angular_rate": "deg/s"}
    assert "columns" not in described


def only_table() -> object:
    from boresight.logs.tables import make_table

    return make_table(np.arange(1), {name: np.zeros(1) for name in ("wx", "wy", "wz")})
