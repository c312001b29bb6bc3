"""Frames: classes that say which axes numbers are along."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from boresight import frames
from boresight.axes import Axes
from boresight.errors import FrameError
from boresight.frames import ECEF, ENU, FLU, FRD, FRU, NED, Frame, Unframed, check_pair, dynamic, of_axes

READY_MADE = [getattr(frames, name) for name in frames.__all__ if name.isupper()]


class Camera(Frame, axes="RDF", of="camera"):
    """A frame of this module."""


def define(axes: str, name: str = "BaseLink", **keywords: str) -> type[Frame]:
    """Define a frame in a new module-like namespace, as a notebook cell does each time it runs."""
    namespace: dict[str, object] = {"Frame": Frame, "__name__": "__main__"}
    extra = "".join(f", {key}={value!r}" for key, value in keywords.items())
    exec(f"class {name}(Frame, axes={axes!r}{extra}): ...", namespace)
    return namespace[name]  # type: ignore[return-value]


def test_a_frame_says_its_axes_and_its_thing() -> None:
    assert Camera.axes is Axes("RDF")
    assert Camera.thing == "camera"


@pytest.mark.parametrize("frame", READY_MADE, ids=lambda f: f.__name__)
def test_a_ready_made_frame_is_named_by_its_letters(frame: type[Frame]) -> None:
    assert str(frame.axes) == {"ECEF": "earth"}.get(frame.__name__, frame.__name__)
    assert of_axes(frame.axes) is frame


def test_what_a_frame_belongs_to_by_default() -> None:
    assert [f.thing for f in (FLU, NED, ECEF, Unframed)] == ["body", "world", "earth", "world"]


def test_a_cell_that_ran_twice_defines_the_same_frame() -> None:
    first, second = define("FLU"), define("FLU")
    assert first is not second
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize(
    "other",
    [define("FRD"), define("FLU", of="imu"), define("FLU", name="Other"), FLU, int],
    ids=["axes", "thing", "name", "ready-made", "no frame"],
)
def test_frames_that_differ_are_not_equal(other: type) -> None:
    assert define("FLU") != other


def test_a_local_frame_is_another_than_a_global_one_of_its_name() -> None:
    class Camera(Frame, axes="RDF", of="camera"):
        pass

    assert globals()["Camera"] != Camera


@pytest.mark.parametrize("frame", [*READY_MADE, Unframed, Camera], ids=lambda f: f.__name__)
@pytest.mark.parametrize("protocol", range(4, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_gives_the_frame_itself(frame: type[Frame], protocol: int) -> None:
    assert pickle.loads(pickle.dumps(frame, protocol)) is frame
    assert copy.deepcopy(frame) is frame


@pytest.mark.parametrize("name", ["base_link", "robot_1/base link", "FLU", "données.v2"])
def test_dynamic_frames_are_one_object_and_pickle(name: str) -> None:
    frame = dynamic(name, axes="FLU")
    assert frame is dynamic(name, axes=Axes("FLU"), of="body")
    assert frame.__name__ == name
    assert frame not in (FLU, dynamic(name, axes="FRD"), dynamic(name, axes="FLU", of="imu"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(frame, protocol)) is frame


def test_cloudpickle_carries_frames_to_a_process_that_knows_none_of_them(tmp_path: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    here = [define("FRU"), dynamic("base_link", axes="FLU", of="robot"), FRD]
    file = tmp_path / "frames"
    file.write_bytes(cloudpickle.dumps(here))
    program = (
        "import pickle, sys\n"
        "from boresight.frames import Frame, dynamic, FRD, check_pair\n"
        "base, link, frd = pickle.load(open(sys.argv[1], 'rb'))\n"
        "class BaseLink(Frame, axes='FRU'): ...\n"
        "assert base == BaseLink and hash(base) == hash(BaseLink) and base is not BaseLink\n"
        "assert base.axes.handedness == 'left' and base.thing == 'body'\n"
        "check_pair(base, BaseLink)\n"
        "assert link == dynamic('base_link', axes='FLU', of='robot')\n"
        "assert frd is FRD\n"
        "sys.stdout.buffer.write(pickle.dumps(link))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert pickle.loads(done.stdout) is here[1]


def test_of_axes_makes_a_frame_where_none_is_ready() -> None:
    frame = of_axes("DLB")
    assert (frame.__name__, frame.axes, frame.thing) == ("DLB", Axes("DLB"), "body")
    assert frame is of_axes(Axes("DLB"))


def test_a_frame_needs_axes() -> None:
    with pytest.raises(FrameError, match=r"frame Wheel has no axes; write class Wheel\(Frame, axes="):

        class Wheel(Frame):  # type: ignore[call-arg]
            pass


def test_a_frame_with_letters_that_are_none() -> None:
    with pytest.raises(ValueError, match="'FBU' names no axes"):

        class Wheel(Frame, axes="FBU"):  # type: ignore[arg-type]
            pass


def test_a_frame_has_no_instances() -> None:
    with pytest.raises(FrameError, match=r"write FLU, not FLU\(\)"):
        FLU()


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (FRD, None, "source= is given without target="),
        (None, NED, "target= is given without source="),
        (FRU, NED, "FRU is left-handed and NED is right-handed"),
        (FLU, frames.ESU, "FLU is right-handed and ESU is left-handed"),
        ("FRD", NED, "a frame is needed here"),
        (Axes("FRD"), NED, "a frame is needed here"),
        (FRD, Frame, "Frame itself has no axes"),
    ],
)
def test_a_pair_that_cannot_stand_together_is_refused(source: object, target: object, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        check_pair(source, target)


def test_two_frames_of_one_name_are_told_apart_in_words() -> None:
    one, other = define("FLU"), define("FRD")
    text = frames.mismatch(one, other)
    assert "BaseLink (axes FLU, of 'body'" in text
    assert "BaseLink (axes FRD, of 'body'" in text
    assert frames.mismatch(ENU, NED) == "ENU is not NED"
    assert ".between(source, target)" in frames.mismatch(Unframed, NED)
