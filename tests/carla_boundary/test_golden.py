"""Every golden case, every output, bit for bit: one by one, as a batch, through views, and as 0-d values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

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

Numbers = dict[str, Any]
Cases = Callable[[str], tuple[Numbers, Numbers]]

COUNTS = {"pose": 336, "quat": 98, "pair": 40}


def vector(rows: Any) -> Vector3D:
    return Vector3D(rows[..., 0], rows[..., 1], rows[..., 2])


def location(rows: Any) -> Location:
    return Location(rows[..., 0], rows[..., 1], rows[..., 2])


def rotation(rows: Any) -> Rotation:
    return Rotation(pitch=rows[..., 0], yaw=rows[..., 1], roll=rows[..., 2])


def right_handed(rows: Any) -> RightHandedVector3D:
    return RightHandedVector3D(rows[..., 0], rows[..., 1], rows[..., 2])


def quaternion(rows: Any) -> Quaternion:
    return Quaternion(rows[..., 0], rows[..., 1], rows[..., 2], rows[..., 3])


def fields(value: Any) -> Any:
    return np.stack([getattr(value, name) for name in value.fields], axis=-1)


def flat(matrix: Any) -> Any:
    return matrix.reshape(*matrix.shape[:-2], 16)


def pose_outputs(given: Numbers) -> Numbers:
    r, place, v = rotation(given["rotation_pyr"]), location(given["location"]), given["vector"]
    t = Transform(place, r)
    rh, q = t.to_right_handed(), Quaternion.from_rotation(r)
    back = Transform.from_right_handed(rh)
    return {
        "rh_rotation": fields(r.to_right_handed()),
        "rh_location": fields(place.to_right_handed()),
        "quat_xyzw": fields(q),
        "rh_quat_xyzw": fields(Quaternion.from_right_handed_rotation(r.to_right_handed())),
        "matrix": flat(t.get_matrix()),
        "inverse_matrix": flat(t.get_inverse_matrix()),
        "rh_matrix": flat(rh.get_matrix()),
        "forward": fields(t.get_forward_vector()),
        "right": fields(t.get_right_vector()),
        "up": fields(t.get_up_vector()),
        "quat_forward": fields(q.get_forward_vector()),
        "quat_right": fields(q.get_right_vector()),
        "quat_up": fields(q.get_up_vector()),
        "rotator_roundtrip": fields(q.rotator()),
        "rh_rotation_roundtrip": fields(rh.get_quaternion().to_right_handed_rotation()),
        "transform_point": fields(t.transform(location(v))),
        "transform_vector": fields(t.transform_vector(vector(v))),
        "inverse_transform_point": fields(t.inverse_transform(location(v))),
        "quat_rotated_rh_vector": fields(q.rotated_vector(right_handed(v))),
        "quat_inverse_rotated_rh_vector": fields(q.inverse_rotated_vector(right_handed(v))),
        "from_rh_roundtrip": np.concatenate([fields(back.rotation), fields(back.location)], axis=-1),
        "ros2_quat_wxyz": r.to_ros2_quaternion(),
        "ros2_translation": fields(rh.location),
    }


def quat_outputs(given: Numbers) -> Numbers:
    q, p, v = quaternion(given["q_xyzw"]), quaternion(given["p_xyzw"]), right_handed(given["vector"])
    equal = [np.asarray(q == other, dtype=np.float32) for other in (q, Quaternion(-q.x, -q.y, -q.z, -q.w), p)]
    return {
        "length": np.asarray(q.length())[..., np.newaxis],
        "unit": fields(q.unit_quaternion()),
        "inverse": fields(q.inverse()),
        "conjugate": fields(q.conjugate()),
        "rotated": fields(q.rotated_vector(v)),
        "inverse_rotated": fields(q.inverse_rotated_vector(v)),
        "conjugate_rotated": fields(q.conjugate().rotated_vector(v)),
        "rh_rotation": fields(q.to_right_handed_rotation()),
        "rotator": fields(q.rotator()),
        "forward": fields(q.get_forward_vector()),
        "right": fields(q.get_right_vector()),
        "up": fields(q.get_up_vector()),
        "product_q_p": fields(q * p),
        "product_p_q": fields(p * q),
        "q_times_inverse": fields(q * q.inverse()),
        "eq_self_neg_p": np.stack(equal, axis=-1),
    }


def pair_outputs(given: Numbers) -> Numbers:
    parent = Transform(location(given["parent_location"]), rotation(given["parent_pyr"]))
    child = Transform(location(given["child_location"]), rotation(given["child_pyr"]))
    point = location(given["vector"])
    outer, inner = (Quaternion.from_rotation(t.rotation) for t in (parent, child))
    composed = outer * inner
    return {
        "parent_of_child_point": fields(parent.transform(child.transform(point))),
        "inverse_chain_point": fields(child.inverse_transform(parent.inverse_transform(point))),
        "composed_location": fields(parent.transform(child.location)),
        "composed_quat_xyzw": fields(composed),
        "composed_rotator": fields(composed.rotator()),
        "parent_matrix": flat(parent.get_matrix()),
        "child_matrix": flat(child.get_matrix()),
        "relative_quat_xyzw": fields(outer.inverse() * inner),
    }


OUTPUTS = {"pose": pose_outputs, "quat": quat_outputs, "pair": pair_outputs}


def differing(found: Any, expected: Any) -> Any:
    """Which rows differ in a bit, short of which NaN it is."""
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    bits = np.ascontiguousarray(found).view(np.uint32) == np.ascontiguousarray(expected).view(np.uint32)
    return ~(bits | (np.isnan(found) & np.isnan(expected))).all(axis=-1)


def check(found: Numbers, expected: Numbers) -> None:
    assert found.keys() == expected.keys()
    wrong = {name: int(differing(found[name], expected[name]).sum()) for name in expected}
    assert {name: count for name, count in wrong.items() if count} == {}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_as_one_batch(kind: str, carla_cases: Cases) -> None:
    given, expected = carla_cases(kind)
    assert len(given["vector"]) == COUNTS[kind]
    check(OUTPUTS[kind](given), expected)


@pytest.mark.parametrize("kind", OUTPUTS)
def test_one_by_one(kind: str, carla_cases: Cases) -> None:
    given, expected = carla_cases(kind)
    for i in range(COUNTS[kind]):
        found = OUTPUTS[kind]({name: rows[i] for name, rows in given.items()})
        check({k: v[np.newaxis] for k, v in found.items()}, {k: v[i : i + 1] for k, v in expected.items()})


@pytest.mark.parametrize("kind", OUTPUTS)
def test_zero_dimensional_arrays(kind: str, carla_cases: Cases) -> None:
    given, expected = carla_cases(kind)
    for i in range(0, COUNTS[kind], 7):
        # Fields of 0-d arrays, which are neither numbers nor batches.
        found = OUTPUTS[kind]({name: _ZeroDimensional(rows[i]) for name, rows in given.items()})
        check({k: v[np.newaxis] for k, v in found.items()}, {k: v[i : i + 1] for k, v in expected.items()})


class _ZeroDimensional:
    def __init__(self, row: Any) -> None:
        self.row = row

    def __getitem__(self, index: Any) -> Any:
        field = np.asarray(self.row[index])
        assert field.shape == ()
        return field


@pytest.mark.parametrize("kind", OUTPUTS)
def test_views_that_are_not_contiguous(kind: str, carla_cases: Cases) -> None:
    given, expected = carla_cases(kind)
    # Every other row of a batch twice as long, backwards, in Fortran order and in foreign byte order.
    strided = {
        name: np.asfortranarray(np.repeat(rows, 2, axis=0)[::-1]).astype(">f4", order="F")[1::2]
        for name, rows in given.items()
    }
    check(OUTPUTS[kind](strided), {name: rows[::-1] for name, rows in expected.items()})


@pytest.mark.parametrize("kind", OUTPUTS)
def test_in_two_dimensions(kind: str, carla_cases: Cases) -> None:
    given, expected = carla_cases(kind)
    found = OUTPUTS[kind]({name: rows.reshape(2, -1, rows.shape[-1]) for name, rows in given.items()})
    check({k: v.reshape(-1, v.shape[-1]) for k, v in found.items()}, expected)


def test_values_that_are_views_of_others(carla_cases: Cases) -> None:
    """Indexing a batch gives values whose arrays are strided: the native code sees those."""
    given, expected = carla_cases("pose")
    q = quaternion(np.stack([carla_cases("quat")[0]["q_xyzw"]] * 2, axis=1))[:, 1]
    assert not q._array.flags.c_contiguous
    assert not differing(fields(q.unit_quaternion()), carla_cases("quat")[1]["unit"]).any()
    t = Transform(location(given["location"]), rotation(given["rotation_pyr"]))
    double = Transform.from_carla([t, t]).reshape(-1)[::2]
    assert not differing(flat(double.get_matrix())[:168], expected["matrix"][::2]).any()


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 127, 129, 1000])
def test_a_row_is_the_same_among_any_others(count: int) -> None:
    """The native code takes the sines of a block of rows in an order of its own."""
    rng = np.random.default_rng(count)
    odd = [0.0, -0.0, 45, 90, -90, 135, 180, 360, 1e4, 1e6, -1e6, 3e38, np.inf, np.nan, 1e-45]
    angles = rng.uniform(-400, 400, (count, 3))
    angles = np.where(rng.random((count, 3)) < 0.3, rng.choice(odd, (count, 3)), angles).astype(np.float32)
    given = {
        "rotation_pyr": angles,
        **{name: rng.normal(size=(count, 3)).astype(np.float32) for name in ("location", "vector")},
    }
    together = pose_outputs(given)
    for i in rng.choice(count, min(count, 40), replace=False):
        alone = pose_outputs({name: rows[i] for name, rows in given.items()})
        check({k: v[np.newaxis] for k, v in alone.items()}, {k: v[i : i + 1] for k, v in together.items()})


def test_float64_in_is_rounded_once(carla_cases: Cases) -> None:
    given, expected = carla_cases("pose")
    wide = {name: rows.astype(np.float64) for name, rows in given.items()}
    check(pose_outputs(wide), expected)


def test_a_wrong_order_of_operations_would_show(carla_cases: Cases) -> None:
    """The golden cases tell NumPy's own trigonometry, and sums in another order, from CARLA's."""
    given, expected = carla_cases("pose")
    h = np.radians(given["rotation_pyr"].astype(np.float64)).astype(np.float32) * np.float32(0.5)
    p, y, r = -h[:, 0], -h[:, 1], h[:, 2]
    w = np.cos(r) * (np.cos(p) * np.cos(y)) + np.sin(r) * (np.sin(p) * np.sin(y))
    assert differing(w[:, np.newaxis], expected["quat_xyzw"][:, 3:]).sum() > 30


def test_the_same_rotation_of_another_sort(carla_cases: Cases) -> None:
    """S M S of CARLA's matrix is the right-handed one in value; signs of zeros may differ."""
    given, _ = carla_cases("pose")
    t = Transform(location(given["location"]), rotation(given["rotation_pyr"]))
    mirror = np.diag(np.array([1, -1, 1, 1], np.float32))
    rh = t.to_right_handed()
    assert isinstance(rh.rotation, RightHandedRotation)
    assert isinstance(rh, RightHandedTransform)
    np.testing.assert_array_equal(rh.get_matrix(), mirror @ t.get_matrix() @ mirror)
