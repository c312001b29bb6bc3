"""Beside the real ``carla`` package: the same bits, and its objects in and out without their traps."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from boresight import frames
from boresight.carla import Location, Quaternion, Rotation, Transform, Vector3D, detect_dialect
from boresight.carla.memory import read_memory

pytestmark = pytest.mark.peers

PATHS = ("location.x", "location.y", "location.z", "rotation.pitch", "rotation.yaw", "rotation.roll")
N = 2000


def poses() -> Any:
    """Angles of every kind that goes wrong somewhere, and places of a large map."""
    rng = np.random.default_rng(5)
    angles = rng.uniform(-180, 180, (N, 3))
    angles[: N // 4] = rng.choice([0.0, -0.0, 90, -90, 180, -180, 45, 89.9999, -89.9999, 270], (N // 4, 3))
    angles[N // 4 : N // 2, 0] = rng.choice([90.0, -90.0], N // 4) * (1 - 10.0 ** rng.uniform(-8, -1, N // 4))
    angles[N // 2 : 5 * N // 8] = rng.uniform(-1e6, 1e6, (N // 8, 3))
    places = rng.normal(scale=500, size=(N, 3))
    places[::10] = rng.choice([0.0, -0.0, 1.0], (N // 10, 3))
    return angles.astype(np.float32), places.astype(np.float32), rng.normal(size=(N, 3)).astype(np.float32)


def as_real(real: Any, angles: Any, places: Any) -> list[Any]:
    return [
        real.Transform(real.Location(*place), real.Rotation(*angle))
        for place, angle in zip(places.tolist(), angles.tolist(), strict=True)
    ]


def same_bits(ours: Any, theirs: Any) -> None:
    ours, theirs = np.ascontiguousarray(ours), np.array(theirs, np.float32)
    assert ours.dtype == np.float32
    np.testing.assert_array_equal(ours.view(np.uint32), theirs.view(np.uint32))


def xyz(vector: Any) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def test_two_thousand_poses_have_the_same_bits(real: Any) -> None:
    angles, places, vectors = poses()
    theirs = as_real(real, angles, places)
    t = Transform(
        Location.from_array(places), Rotation(pitch=angles[:, 0], yaw=angles[:, 1], roll=angles[:, 2])
    )
    v, p = Vector3D.from_array(vectors), Location.from_array(vectors)
    same_bits(t.get_matrix(), [r.get_matrix() for r in theirs])
    same_bits(t.get_inverse_matrix(), [r.get_inverse_matrix() for r in theirs])
    for name in ("get_forward_vector", "get_right_vector", "get_up_vector"):
        same_bits(getattr(t, name)().as_array(), [xyz(getattr(r, name)()) for r in theirs])
        same_bits(getattr(t.rotation, name)().as_array(), [xyz(getattr(r.rotation, name)()) for r in theirs])
    rows = vectors.tolist()
    for name, ours in (
        ("transform", t.transform(p)),
        ("transform_vector", t.transform_vector(v)),
        ("inverse_transform", t.inverse_transform(p)),
    ):
        # A new argument each time: transform() writes into the one that it is given.
        results = [getattr(r, name)(real.Location(*row)) for r, row in zip(theirs, rows, strict=True)]
        same_bits(ours.as_array(), [xyz(result) for result in results])


def test_a_list_of_objects_becomes_a_batch(real: Any) -> None:
    angles, places, _ = poses()
    t = Transform.from_carla(as_real(real, angles, places))
    assert t.shape == (N,)
    same_bits(t.location.as_array(), places)
    same_bits(np.stack([t.rotation.pitch, t.rotation.yaw, t.rotation.roll], axis=-1), angles)
    places = Location.from_carla([real.Location(1, 2, 3), real.Location(4, 5, 6)])
    assert places.as_array().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert Rotation.from_carla([real.Rotation(1, 2, 3)]).yaw.tolist() == [2]
    assert Vector3D.from_carla([real.Vector3D(1, 2, 3)]).z.tolist() == [3]


def test_the_quick_way_reads_what_the_attributes_say(real: Any) -> None:
    angles, places, _ = poses()
    theirs = as_real(real, angles, places)
    rows, known = read_memory(theirs, real.Transform, PATHS)
    assert known.all()
    same_bits(rows, np.concatenate([places, angles], axis=1))


def test_the_quick_way_leaves_aliases_and_subclasses_alone(real: Any) -> None:
    class Mine(real.Transform):
        pass

    owner = real.Transform(real.Location(1, 2, 3), real.Rotation(4, 5, 6))
    alias, own = owner.location, real.Location(7, 8, 9)
    rows, known = read_memory([alias, own, alias], real.Location, ("x", "y", "z"))
    assert known.tolist() == [False, True, False]
    assert rows[1].tolist() == [7, 8, 9]
    assert Location.from_carla([alias, own]).x.tolist() == [1, 7]
    assert Transform.from_carla([Mine(owner.location, owner.rotation)] * 2).rotation.roll.tolist() == [6, 6]
    empty = real.Transform.__new__(real.Transform)  # has no value at all
    assert not read_memory([empty], real.Transform, PATHS)[1].any()
    assert not read_memory([1.0, 2.0], float, ("real",))[1].any()


def test_real_objects_go_wherever_ours_do(real: Any) -> None:
    r, p = real.Rotation(pitch=20, yaw=30, roll=10), real.Location(1, 2, 3)
    ours = Transform(Location(1, 2, 3), Rotation(pitch=20, yaw=30, roll=10))
    assert Transform(p, r) == ours
    assert ours == real.Transform(p, r)
    assert ours != real.Transform(p)
    assert Quaternion.from_rotation(r) == Quaternion.from_rotation(ours.rotation)
    assert ours.transform(p) == ours.transform(Location(1, 2, 3))
    assert type(ours.transform(p)) is Location
    assert ours.transform_vector(real.Vector3D(1, 2, 3)) == ours.transform_vector(Vector3D(1, 2, 3))
    assert ours @ real.Transform(p, r) == ours @ ours
    assert ours.relative_to(real.Transform(p, r)).location == Location()
    assert real.Transform(p, r) @ ours == ours @ ours
    assert ([real.Transform(p, r)] * 2 @ ours == ours @ ours).tolist() == [True, True]


def test_comparing_with_real_objects(real: Any) -> None:
    p, v = real.Location(1, 2, 3), real.Vector3D(1, 2, 3)
    assert v == p
    for ours in (Location(1, 2, 3), Vector3D(1, 2, 3)):
        assert ours == p == ours == v == ours
    batch = Rotation(yaw=[1, 2])
    assert (batch == [real.Rotation(yaw=1), real.Rotation(yaw=3)]).tolist() == [True, False]
    assert (batch != [real.Rotation(yaw=1), real.Rotation(yaw=3)]).tolist() == [False, True]
    for other in ([], [p, p], ["one", "two"], [real.Rotation(), None], "yaw"):
        assert (batch == other) is False


def test_written_back(real: Any) -> None:
    angles, places, _ = poses()
    theirs = as_real(real, angles, places)
    back = Transform.from_carla(theirs).to_carla()
    assert all(type(t) is real.Transform for t in back)
    assert all(a == b for a, b in zip(back, theirs, strict=True))
    grid = Rotation(pitch=[[1, 2], [3, 4]]).to_carla()
    assert grid[1][0] == real.Rotation(pitch=3)
    assert Location(1, 2, 3).to_carla(real) == real.Location(1, 2, 3)
    assert type(Vector3D(1, 2, 3).to_carla()) is real.Vector3D
    with pytest.raises(TypeError, match="the carla package has no Quaternion"):
        Quaternion().to_carla()


def test_none_of_its_traps(real: Any) -> None:
    point = real.Location(1, 2, 3)
    real.Transform(real.Location(10, 0, 0)).transform(point)
    assert point.x == 11  # the trap itself: it is still there
    point = real.Location(1, 2, 3)
    Transform(Location(10, 0, 0)).transform(point)
    assert point.x == 1

    theirs = real.Transform(real.Location(1, 2, 3))
    ours = Transform.from_carla(theirs)
    place = ours.location
    theirs.location.x = 5
    assert ours.location.x == place.x == 1
    with pytest.raises((TypeError, RuntimeError)):
        pickle.dumps(theirs)
    assert pickle.loads(pickle.dumps(ours)) == ours
    assert copy.deepcopy(ours) == ours


def test_its_dialect(real: Any) -> None:
    assert detect_dialect(real) == "engine"


def test_its_frame_is_the_one_that_we_say(real: Any) -> None:
    """+pitch is nose up, +yaw nose right, +roll right side down, beside our exact poses."""
    t = real.Transform(real.Location(), real.Rotation(pitch=20, yaw=30, roll=10))
    exact = Transform.from_carla(t).to_pose()
    assert exact.source is frames.FRU
    assert exact.target is frames.ESU
    np.testing.assert_allclose(exact.as_matrix(), t.get_matrix(), atol=3e-7)
    assert real.Rotation(pitch=30).get_forward_vector().z > 0
    assert real.Rotation(yaw=30).get_forward_vector().y > 0
    assert real.Rotation(roll=30).get_right_vector().z < 0
