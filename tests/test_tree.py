"""The tree of frames: chains, times, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation, frames, kernels
from boresight.errors import DataError, FrameError, InvalidRowsError
from boresight.frames import Frame, dynamic
from boresight.tree import FrameTree

UNIX = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


class Camera(Frame, axes="RDF", of="camera"): ...


class Lidar(Frame, axes="FLU", of="lidar"): ...


def pose(seed: int, source: Any, target: Any, shape: tuple[int, ...] = ()) -> Pose[Any, Any]:
    q, t = kernels.pose_exp(np.random.default_rng(seed).standard_normal((*shape, 6)))
    return Pose(Rotation.from_quat(q, order="xyzw", source=source, target=target), t)


@pytest.fixture
def tree() -> FrameTree:
    """Camera and lidar on a body that moves in ENU; the camera's mounting is given the other way round."""
    tree = FrameTree()
    tree.add(pose(1, frames.FLU, Camera))
    tree.add(pose(2, Lidar, frames.FLU))
    tree.add(pose(3, frames.FLU, frames.ENU, (5,)), times=UNIX + SECOND * np.array([0, 1, 2, 3, 10]))
    return tree


def same(a: Pose[Any, Any], b: Pose[Any, Any]) -> bool:
    return bool(np.allclose(a.as_matrix(), b.as_matrix(), rtol=0, atol=1e-14)) and (a.source, a.target) == (
        b.source,
        b.target,
    )


def test_chains_compose_in_both_directions(tree: FrameTree) -> None:
    to_camera, from_lidar = pose(1, frames.FLU, Camera), pose(2, Lidar, frames.FLU)
    assert same(tree.lookup(source=Lidar, target=Camera), to_camera @ from_lidar)
    assert same(tree.lookup(source=Camera, target=Lidar), from_lidar.inv() @ to_camera.inv())
    assert same(tree.lookup(source="Camera", target="Lidar"), from_lidar.inv() @ to_camera.inv())
    assert same(tree.lookup(source=Camera, target=Camera), Pose.identity(source=Camera, target=Camera))
    moving = pose(3, frames.FLU, frames.ENU, (5,))
    at = UNIX + SECOND // 4
    expected = moving[0].interpolate(moving[1], 0.25) @ to_camera.inv()
    found = tree.lookup(source=Camera, target=frames.ENU, time=at)
    assert same(found, expected)
    assert same(tree.lookup(source=frames.ENU, target=Camera, time=at), expected.inv())


def test_the_frames_of_the_result_are_those_of_the_tree(tree: FrameTree) -> None:
    found = tree.lookup(source="Lidar", target="ENU", time=UNIX)
    assert found.source is Lidar and found.target is frames.ENU


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 1, 2, 1)])
def test_times_may_have_any_shape(tree: FrameTree, shape: tuple[int, ...]) -> None:
    at = UNIX + np.random.default_rng(1).integers(0, 10 * SECOND, shape)
    found = tree.lookup(source=Camera, target=frames.ENU, time=at)
    assert found.shape == shape
    for index in np.ndindex(shape):
        assert same(
            found[index] if shape else found, tree.lookup(source=Camera, target=frames.ENU, time=at[index])
        )
    assert tree.lookup(source=Camera, target=Lidar, time=at).shape == shape


def test_nanoseconds_are_told_apart_where_doubles_cannot() -> None:
    tree = FrameTree()
    tree.add(pose(3, frames.FLU, frames.ENU, (2,)), times=[UNIX, UNIX + 8])
    moving = pose(3, frames.FLU, frames.ENU, (2,))
    found = tree.lookup(source=frames.FLU, target=frames.ENU, time=UNIX + np.arange(9))
    assert same(found, moving[0].interpolate(moving[1], np.arange(9) / 8))


def test_there_is_no_extrapolation(tree: FrameTree) -> None:
    ask: Any = {"source": Camera, "target": frames.ENU}
    with pytest.raises(
        InvalidRowsError, match=r"row 1 .*is 5 ns before the first key of FLU → ENU \(2 bad rows"
    ):
        tree.lookup(**ask, time=UNIX + np.array([0, -5, 11 * SECOND]))
    with pytest.raises(InvalidRowsError, match="1000000000 ns after the last key of FLU → ENU"):
        tree.lookup(**ask, time=UNIX + 11 * SECOND)
    found = tree.lookup(**ask, time=UNIX + np.array([0, -5, 11 * SECOND]), invalid="nan")
    assert np.isnan(found.translation).any(axis=-1).tolist() == [False, True, True]
    assert tree.span(**ask) == (UNIX, UNIX + 10 * SECOND)
    assert tree.span(source=Camera, target=Lidar) is None


def test_gaps(tree: FrameTree) -> None:
    ask: Any = {"source": Lidar, "target": frames.ENU}
    at = UNIX + SECOND * np.array([2, 5, 10])
    assert np.isfinite(tree.lookup(**ask, time=at).translation).all()
    with pytest.raises(InvalidRowsError, match="row 1 .*between keys 7000000000 ns apart in FLU → ENU"):
        tree.lookup(**ask, time=at, max_gap=2 * SECOND)
    strict = FrameTree(max_gap=SECOND)
    strict.add(pose(3, frames.FLU, frames.ENU, (3,)), times=[0, SECOND, 3 * SECOND])
    strict.add(pose(4, Lidar, frames.FLU, (2,)), times=[0, 3 * SECOND], max_gap=4 * SECOND)
    with pytest.raises(InvalidRowsError, match="FLU → ENU"):
        strict.lookup(**ask, time=2 * SECOND)
    strict.lookup(**ask, time=SECOND // 2)


def test_a_missing_pose_is_missing_around_it_only() -> None:
    tree = FrameTree()
    moving = pose(3, frames.FLU, frames.ENU, (5,))
    q = moving.rotation.as_quat(order="xyzw")
    q[2] = np.nan
    rotation = Rotation.from_quat(q, order="xyzw", source=frames.FLU, target=frames.ENU, invalid="nan")
    tree.add(Pose(rotation, moving.translation, invalid="nan"), times=np.arange(5) * 10)
    found = tree.lookup(source=frames.FLU, target=frames.ENU, time=[5, 15, 25, 35])
    assert np.isnan(found.translation).any(axis=-1).tolist() == [False, True, True, False]


def test_time_is_needed_where_something_moves(tree: FrameTree) -> None:
    with pytest.raises(ValueError, match="FLU → ENU moves; give time="):
        tree.lookup(source=Camera, target=frames.ENU)
    with pytest.raises(TypeError, match="integers .* and the moments floats"):
        tree.lookup(source=Camera, target=frames.ENU, time=1.5)


def test_edges_without_a_time_in_common() -> None:
    tree = FrameTree()
    tree.add(pose(1, frames.FLU, frames.ENU, (2,)), times=[0, 10])
    tree.add(pose(2, Lidar, frames.FLU, (2,)), times=[20, 30])
    with pytest.raises(ValueError, match="FLU → ENU ends at 10 before Lidar → FLU begins at 20"):
        tree.span(source=Lidar, target=frames.ENU)
    with pytest.raises(TypeError, match="integers .nanoseconds. or all in floats"):
        tree.add(pose(2, Camera, frames.FLU, (2,)), times=[20.0, 30.0])


def test_a_loop_is_refused_and_changes_nothing(tree: FrameTree) -> None:
    before = repr(tree)
    with pytest.raises(
        FrameError, match="Lidar → Camera makes a loop: Lidar → FLU → Camera is there already"
    ):
        tree.add(pose(5, Lidar, Camera))
    with pytest.raises(FrameError, match="loop: Lidar → FLU"):
        tree.add(pose(5, Lidar, frames.FLU))
    with pytest.raises(FrameError, match="itself"):
        tree.add(pose(5, Lidar, Lidar))
    assert repr(tree) == before


def test_frames_that_nothing_connects(tree: FrameTree) -> None:
    radar, mast = dynamic("radar", axes="FLU", of="radar"), dynamic("mast", axes="FLU", of="mast")
    tree.add(pose(6, radar, mast))
    with pytest.raises(
        FrameError, match="no edges connect radar with Camera: radar is connected with mast, Camera with FLU"
    ):
        tree.lookup(source=radar, target=Camera)
    with pytest.raises(FrameError, match="no frame camera; did you mean Camera"):
        tree.lookup(source="camera", target=Lidar)
    with pytest.raises(FrameError, match="no frame NED"):
        tree.lookup(source=frames.NED, target=Lidar)
    with pytest.raises(FrameError, match="there are: none"):
        FrameTree().lookup(source="a", target="b")


def test_two_frames_of_one_name_are_told_apart(tree: FrameTree) -> None:
    other = dynamic("Camera", axes="FLU", of="camera")
    with pytest.raises(
        FrameError, match=r"has a frame Camera already \(axes RDF.*this is another \(axes FLU"
    ):
        tree.add(pose(7, other, frames.NED))
    with pytest.raises(FrameError, match="has a frame Camera already"):
        tree.lookup(source=other, target=Lidar)
    assert Camera in tree and "Camera" in tree and other not in tree and "camera" not in tree


def test_what_cannot_be_an_edge(tree: FrameTree) -> None:
    with pytest.raises(FrameError, match="between"):
        tree.add(Pose.identity())
    with pytest.raises(ValueError, match="give times="):
        tree.add(pose(8, Lidar, frames.NED, (3,)))
    with pytest.raises(ValueError, match="a series of 3 needs"):
        tree.add(pose(8, dynamic("a", axes="FLU"), frames.NED, (3,)), times=[1, 2])
    with pytest.raises(ValueError, match="must increase"):
        tree.add(pose(8, dynamic("a", axes="FLU"), frames.NED, (3,)), times=[1, 2, 2])
    with pytest.raises(ValueError, match="are a series"):
        tree.add(pose(8, dynamic("a", axes="FLU"), frames.NED), times=[1])


def test_repr_and_frames(tree: FrameTree) -> None:
    assert repr(tree) == "FrameTree(FLU → Camera, FLU → ENU (moving), Lidar → FLU)"
    assert set(tree.frames) == {Camera, Lidar, frames.FLU, frames.ENU}
    assert tree.chain(source=Lidar, target=frames.ENU) == (Lidar, frames.FLU, frames.ENU)
    assert repr(FrameTree()) == "FrameTree(empty)"


def test_a_later_change_of_the_times_given_changes_nothing() -> None:
    times = np.array([0, 10])
    tree = FrameTree()
    tree.add(pose(1, frames.FLU, frames.ENU, (2,)), times=times)
    times[:] = 99
    assert tree.span(source=frames.FLU, target=frames.ENU) == (0, 10)


# ---- from a log --------------------------------------------------------------------------------------


@dataclass
class Stream:
    """What a log's stream is to the tree."""

    time: Any
    xyzw: Any
    position: Any

    def quaternion(self, *, order: str) -> Any:
        assert order == "xyzw"
        return np.asarray(self.xyzw)

    def array(self, group: str) -> Any:
        assert group == "position"
        return np.asarray(self.position)


def stream(times: Any, seed: int) -> Stream:
    q, t = kernels.pose_exp(np.random.default_rng(seed).standard_normal((len(times), 6)))
    return Stream(np.asarray(times), q, t)


def log(**streams: Stream) -> Any:
    return SimpleNamespace(streams=streams)


def test_a_log_s_transforms_make_a_tree() -> None:
    odometry, mounting, lens = stream([30, 10, 20, 20], 1), stream([5, 6], 2), stream([5], 3)
    tree = FrameTree.from_log(
        log(
            **{
                "/tf#odom>base_link": odometry,
                "/tf_static#base_link>/camera": mounting,
                "/tf_static#camera>camera_optical_frame": lens,
                "/odom": stream([1], 9),
            }
        ),
        max_gap=10,
    )
    axes = {frame.__name__: str(frame.axes) for frame in tree.frames}
    assert axes == {"odom": "FLU", "base_link": "FLU", "camera": "FLU", "camera_optical_frame": "RDF"}
    found = tree.lookup(source="camera_optical_frame", target="odom", time=[10, 20, 30])
    # in the order of time, the last of two with one stamp, and the last of the fixed ones
    body = kernels.pose_multiply(mounting.xyzw[1], mounting.position[1], lens.xyzw[0], lens.position[0])
    order = [1, 3, 0]
    q, t = kernels.pose_multiply(odometry.xyzw[order], odometry.position[order], *body)
    assert np.allclose(found.translation, t, rtol=0, atol=1e-15)
    assert np.allclose(found.rotation.as_matrix(), kernels.to_matrix(q), rtol=0, atol=1e-15)
    assert tree.span(source="camera", target="odom") == (10, 30)


def test_a_log_s_frames_may_be_named() -> None:
    tree = FrameTree.from_log(
        log(**{"/tf#map>base_link": stream([0, 1], 1), "/tf_static#base_link>cam": stream([0], 2)}),
        frames={"map": frames.NED, "cam": Camera, "base_link": "FRD"},
    )
    assert frames.NED in tree and Camera in tree and dynamic("base_link", axes="FRD", of="body") in tree
    world = FrameTree.from_log(log(**{"/r1/tf#r1/map>r1/base_link": stream([0, 1], 1)})).frames
    assert [(frame.__name__, str(frame.axes), frame.thing) for frame in world] == [
        ("r1/base_link", "FLU", "body"),
        ("r1/map", "ENU", "world"),
    ]


def test_a_log_s_bad_transforms_are_missing_where_they_are() -> None:
    bad = stream([0, 10, 20], 1)
    bad.xyzw[1] = 0
    tree = FrameTree.from_log(log(**{"/tf#odom>base_link": bad}))
    found = tree.lookup(source="base_link", target="odom", time=[0, 5, 20])
    assert np.isnan(found.translation).any(axis=-1).tolist() == [False, True, False]


def test_a_log_that_cannot_make_a_tree() -> None:
    with pytest.raises(DataError, match=r"no transforms \(/tf, /tf_static\); its streams are: /odom"):
        FrameTree.from_log(log(**{"/odom": stream([0], 1)}))
    with pytest.raises(DataError, match="stream /tf: the stream does not say which frames"):
        FrameTree.from_log(log(**{"/tf": stream([0], 1)}))
    with pytest.raises(FrameError, match="loop"):
        FrameTree.from_log(
            log(**{"/tf#a>b": stream([0], 1), "/tf#b>c": stream([0], 2), "/tf_static#a>c": stream([0], 3)})
        )


def test_a_real_log_makes_a_tree(tmp_path: Path) -> None:
    """MCAP written by ROS's own serialisation, read back by ours."""
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support is not installed")
    from mcap_ros2.writer import Writer

    import boresight

    path = tmp_path / "tf.mcap"
    text = (
        "geometry_msgs/TransformStamped[] transforms\n" + "=" * 80 + "\nMSG: geometry_msgs/TransformStamped\n"
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n"
        + "=" * 80
        + "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
        + "=" * 80
        + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
        + "=" * 80
        + "\nMSG: geometry_msgs/Transform\ngeometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"
        + "=" * 80
        + "\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
        + "=" * 80
        + "\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"
    )

    def message(parent: str, child: str, sec: int, x: float) -> Any:
        return {
            "header": {"stamp": {"sec": sec, "nanosec": 0}, "frame_id": parent},
            "child_frame_id": child,
            "transform": {
                "translation": {"x": x, "y": 0.0, "z": 0.0},
                "rotation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
            },
        }

    with path.open("wb") as file:
        writer = Writer(file)
        schema = writer.register_msgdef("tf2_msgs/msg/TFMessage", text)
        writer.write_message(
            "/tf_static", schema, {"transforms": [message("base_link", "lidar", 1, 0.5)]}, 0, 0
        )
        for sec in (1, 2, 3):
            moving = {"transforms": [message("odom", "base_link", sec, float(sec))]}
            writer.write_message("/tf", schema, moving, sec * SECOND, sec * SECOND)
        writer.finish()
    tree = FrameTree.from_log(boresight.read(path))
    found = tree.lookup(source="lidar", target="odom", time=[SECOND, 3 * SECOND // 2])
    assert found.translation.tolist() == [[1.5, 0, 0], [2.0, 0, 0]]
