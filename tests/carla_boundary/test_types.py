"""The types: fields, equality, hashing, pickling, msgpack, and laws."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boresight import carla
from boresight.carla import (
    Location,
    Quaternion,
    RightHandedRotation,
    RightHandedTransform,
    RightHandedVector3D,
    Rotation,
    Transform,
    Vector3D,
)

SINGLE: list[Any] = [
    Vector3D(1, 2.5, -3),
    Location(1, 2.5, -3),
    RightHandedVector3D(1, 2.5, -3),
    Rotation(pitch=20, yaw=30, roll=10),
    RightHandedRotation(roll=10, pitch=-20, yaw=-30),
    Quaternion(0.1, 0.2, 0.3, 0.9),
    Transform(Location(1, 2, 3), Rotation(pitch=20)),
    RightHandedTransform(RightHandedVector3D(1, 2, 3), RightHandedRotation(roll=10)),
]
BATCH: list[Any] = [
    Vector3D([1, 2], 3, 4),
    Rotation(yaw=[[1, 2, 3], [4, 5, 6]]),
    Transform(Location([1, 2], 0, 0), Rotation(pitch=5)),
]
EMPTY = Quaternion(w=np.ones((2, 0)))


def names(value: Any) -> str:
    return type(value).__name__


# ---- fields -----------------------------------------------------------------------------------


def test_fields_by_keyword_and_position() -> None:
    r = Rotation(pitch=20, yaw=30, roll=10)
    assert (r.pitch, r.yaw, r.roll) == (20, 30, 10)
    rh = RightHandedRotation(roll=10, pitch=-20, yaw=-30)
    assert (rh.roll, rh.pitch, rh.yaw) == (10, -20, -30)
    assert r.to_right_handed() == rh
    assert Rotation.from_right_handed(rh) == r
    q = Quaternion(1, 2, 3, 4)
    assert (q.x, q.y, q.z, q.w) == (1, 2, 3, 4)
    assert Vector3D(1, 2, 3) == Vector3D(z=3, y=2, x=1)
    t = Transform(Location(1, 2, 3), r)
    assert t.location == Location(1, 2, 3)
    assert t.rotation == r


def test_the_defaults_are_the_identity() -> None:
    assert Quaternion() == Quaternion(0, 0, 0, 1)
    assert Rotation() == Rotation(pitch=0, yaw=0, roll=0)
    assert Transform() == Transform(Location(), Rotation())
    np.testing.assert_array_equal(Transform().get_matrix(), np.eye(4))
    np.testing.assert_array_equal(RightHandedTransform().get_matrix(), np.eye(4))
    moved = RightHandedTransform(RightHandedVector3D(1, 2, 3))
    assert moved.rotation == RightHandedRotation()
    assert moved.get_matrix()[:3, 3].tolist() == [1, 2, 3]
    assert moved.get_quaternion() == Quaternion()


@pytest.mark.parametrize("value", [*SINGLE, *BATCH, EMPTY], ids=names)
def test_everything_is_float32_and_immutable(value: Any) -> None:
    assert value.dtype == np.float32
    for field in value.fields:
        with pytest.raises(AttributeError):
            setattr(value, field, 1.0)
        part = getattr(value, field)
        if isinstance(part, np.ndarray):
            assert part.dtype == np.float32
            assert part.shape == value.shape
            with pytest.raises(ValueError, match="read-only"):
                part[...] = 0
        elif not hasattr(part, "fields"):
            assert type(part) is np.float32


def test_batches_of_any_shape_index_and_iterate() -> None:
    t = Transform(Location(np.arange(6.0).reshape(2, 3), 0, 0), Rotation(pitch=5))
    assert t.shape == (2, 3)
    assert t[1, 2] == Transform(Location(5, 0, 0), Rotation(pitch=5))
    assert t[:, 0].location.x.tolist() == [0, 3]
    assert [row.shape for row in t] == [(3,), (3,)]
    assert t.get_matrix().shape == (2, 3, 4, 4)
    assert t.reshape(-1).shape == (6,)
    assert t.transform(Vector3D([1, 2, 3], 0, 0)).shape == (2, 3)
    with pytest.raises(TypeError, match="is no array"):
        np.asarray(t)
    assert EMPTY.shape == (2, 0)
    assert EMPTY.inverse().rotator().shape == (2, 0)


def test_an_array_given_may_change_afterwards() -> None:
    x = np.arange(3, dtype=np.float32)
    v = Vector3D(x, x, x)
    x += 1
    assert v.x.tolist() == [0, 1, 2]
    rows = np.zeros((2, 3), np.float32)
    p = Location.from_array(rows)
    rows += 1
    assert p.x.tolist() == [0, 0]


def test_reprs_show_the_numbers() -> None:
    assert repr(Rotation(pitch=20.1, yaw=30, roll=-0.0)) == "Rotation(pitch=20.1, yaw=30.0, roll=-0.0)"
    assert repr(SINGLE[6]) == (
        "Transform(Location(x=1.0, y=2.0, z=3.0), Rotation(pitch=20.0, yaw=0.0, roll=0.0))"
    )
    assert repr(BATCH[1]) == "Rotation(shape=(2, 3))"
    assert repr(Vector3D(float("nan"), float("inf"), 1e-45)) == "Vector3D(x=nan, y=inf, z=1e-45)"


# ---- as values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [*SINGLE, *BATCH, EMPTY], ids=names)
@pytest.mark.parametrize("protocol", [2, 5])
def test_pickled_and_copied(value: Any, protocol: int) -> None:
    for again in (pickle.loads(pickle.dumps(value, protocol)), copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value)
        assert np.all(again == value)
        assert again.shape == value.shape
        for array in again._arrays():
            assert not array.flags.writeable


@pytest.mark.parametrize("value", SINGLE, ids=names)
def test_single_values_compare_to_a_bool_and_hash(value: Any) -> None:
    again = type(value)._from_nested(value._nested())
    assert (value == again) is True
    assert (value != again) is False
    assert hash(value) == hash(again)
    assert (value == type(value)()) is False
    assert len({value, again, type(value)()}) == 2
    assert value != "something"


def test_equality_is_that_of_floats() -> None:
    q = Quaternion(0.5, 0.5, 0.5, 0.5)
    assert (q == Quaternion(-0.5, -0.5, -0.5, -0.5)) is False
    assert Vector3D(0.0, 0, 0) == Vector3D(-0.0, 0, 0)
    assert hash(Vector3D(0.0, 0, 0)) == hash(Vector3D(-0.0, 0, 0))
    nan, same = Vector3D(float("nan"), 0, 0), Vector3D(float("nan"), 0, 0)
    assert (nan == same) is False
    assert (nan != same) is True
    assert Vector3D(1, 2, 3) != RightHandedVector3D(1, 2, 3)  # other types are other things
    assert Vector3D(1, 2, 3) != Rotation(pitch=1, yaw=2, roll=3)


def test_a_location_is_a_vector() -> None:
    """As in the carla package: ``transform`` gives either, and nobody minds which."""
    v, p = Vector3D(1, 2, 3), Location(1, 2, 3)
    assert (v == p) is True
    assert (p == v) is True
    assert (v != p) is False
    assert hash(v) == hash(p)
    assert v != Location(1, 2, 4)
    assert (Vector3D([1, 2], 0, 0) == Location(2, 0, 0)).tolist() == [False, True]


@pytest.mark.parametrize("value", [*SINGLE, *BATCH, EMPTY], ids=names)
def test_every_value_is_true(value: Any) -> None:
    """As objects are, the carla package's among them: ``if transform:`` asks whether there is one."""
    assert bool(value) is True


def test_batches_compare_row_by_row() -> None:
    a, b = Vector3D([1, 2, 3], 0, 0), Vector3D([1, 5, 3], 0, 0)
    assert (a == b).tolist() == [True, False, True]
    assert (a != b).tolist() == [False, True, False]
    assert (a == Vector3D(2, 0, 0)).tolist() == [False, True, False]
    turned = Transform(rotation=Rotation(yaw=[1, 2])) == Transform(rotation=Rotation(yaw=2))
    assert turned.tolist() == [False, True]
    with pytest.raises(ValueError, match=r"of shapes \(3,\) and \(2,\)"):
        _ = a == Vector3D([1, 2], 0, 0)
    with pytest.raises(TypeError, match="a batch of Vector3D is not hashable"):
        hash(a)


def test_without_the_carla_package_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "carla", None)
    with pytest.raises(ImportError, match=r'pip install "boresight\[carla\]"'):
        Location().to_carla()


# ---- msgpack ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [*SINGLE, *BATCH], ids=names)
def test_msgpack_there_and_back(value: Any) -> None:
    pytest.importorskip("msgpack")
    again = type(value).from_msgpack(value.to_msgpack())
    assert type(again) is type(value)
    assert again.shape == value.shape
    assert np.all(again == value)


def test_msgpack_is_carlas() -> None:
    msgpack = pytest.importorskip("msgpack")
    assert msgpack.unpackb(Quaternion(1, 2, 3, 4).to_msgpack()) == [1, 2, 3, 4]
    assert msgpack.unpackb(Vector3D(1, 2, 3).to_msgpack()) == [1, 2, 3]
    assert msgpack.unpackb(Rotation(pitch=1, yaw=2, roll=3).to_msgpack()) == [1, 2, 3]
    t = Transform(Location(1, 2, 3), Rotation(pitch=4, yaw=5, roll=6))
    assert msgpack.unpackb(t.to_msgpack()) == [[1, 2, 3], [4, 5, 6]]
    assert Location(0.1, 0, 0).to_msgpack()[:2] == b"\x93\xca"  # three floats of four bytes
    assert Transform.from_msgpack(msgpack.packb([[1, 2, 3], [4, 5.0, 6]])) == t  # integers too
    assert Quaternion.from_msgpack(msgpack.packb([0, 0, 0, 1])) == Quaternion()


def test_what_is_no_msgpack_of_the_type() -> None:
    msgpack = pytest.importorskip("msgpack")
    for data, message in (
        (b"\xc1", "this is no msgpack"),
        (b"", "this is no msgpack"),
        (msgpack.packb({"x": 1}), "arrays; this is a dict"),
        (msgpack.packb([1, 2]), r"Quaternion is \[x, y, z, w\]: the last axis must have 4"),
        (msgpack.packb([1, 2, [3], 4]), "Quaternion is made of numbers"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            Quaternion.from_msgpack(data)
    for nested in ([1, 2, 3], [[1, 2, 3], [1, 2, "3"]], [[1, 2, 3], [1, 2, None]]):
        with pytest.raises(ValueError, match="Transform is packed as"):
            Transform.from_msgpack(msgpack.packb(nested))


# ---- dialects -----------------------------------------------------------------------------------


def test_dialects_by_name() -> None:
    r = Rotation(pitch=20, yaw=30, roll=10)
    dialect: Any
    for dialect, (roll, pitch, yaw) in carla.DIALECTS.items():
        rh = r.to_right_handed(dialect=dialect)
        assert rh == RightHandedRotation(roll=10 * roll, pitch=20 * pitch, yaw=30 * yaw)
        assert Rotation.from_right_handed(rh, dialect=dialect) == r
        t = Transform(Location(1, 2, 3), r).to_right_handed(dialect=dialect)
        assert t.location == RightHandedVector3D(1, -2, 3)
        assert Transform.from_right_handed(t, dialect=dialect).rotation == r


def test_how_wrong_the_mirrored_dialect_is() -> None:
    def exact(dialect: Any, r: Rotation) -> Any:
        return Rotation.from_right_handed(r.to_right_handed(dialect=dialect)).to_rotation()

    r, level = Rotation(pitch=20, yaw=30, roll=10), Rotation(yaw=77)
    off = (exact("engine", r).inv() @ exact("mirrored", r)).angle()
    assert np.degrees(off) == pytest.approx(44.5, abs=0.05)
    assert float((exact("engine", level).inv() @ exact("mirrored", level)).angle()) < 1e-6


def test_the_dialect_is_told_by_the_probe() -> None:
    matrix = Transform(rotation=Rotation(pitch=20)).get_matrix()
    assert carla.detect_dialect(matrix) == "engine"
    assert carla.detect_dialect(matrix.T[:3, :3]) == "mirrored"
    assert carla.detect_dialect(carla) == "engine"
    bad: Any
    for bad, message in (
        (np.eye(4), "not 0"),
        (np.eye(2), "shape"),
        ("engine", "not a"),
        (matrix * np.nan, "nan"),
    ):
        with pytest.raises(ValueError, match=message):
            carla.detect_dialect(bad)


# ---- laws ---------------------------------------------------------------------------------------

vectors = hnp.arrays(np.float32, (3,), elements=st.floats(-1e3, 1e3, width=32))


@given(vectors)
def test_the_mirror_is_its_own_inverse(v: Any) -> None:
    for cls in (Vector3D, Location):
        value = cls.from_array(v)
        again = cls.from_right_handed(value.to_right_handed())
        assert again == value
        assert type(again) is cls
        assert cls.axial_from_right_handed(value.axial_to_right_handed()) == value


@given(vectors, vectors)
def test_axial_vectors_are_cross_products(a: Any, b: Any) -> None:
    u, v = Vector3D.from_array(a), Vector3D.from_array(b)
    right = np.cross(u.to_right_handed().as_array(), v.to_right_handed().as_array())
    left = Vector3D.from_array(np.cross(a, b)).axial_to_right_handed().as_array()
    np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6 * 3e6)
