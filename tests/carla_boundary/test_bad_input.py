"""What is said of bad input, and numbers that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight import Pose, carla, frames
from boresight import Rotation as ExactRotation
from boresight.carla import (
    Location,
    Quaternion,
    RightHandedRotation,
    RightHandedTransform,
    RightHandedVector3D,
    Rotation,
    Transform,
    Vector3D,
    bits_exact,
)

WRONG: list[Any] = [
    (lambda: Rotation(20, 30, 10), r"Rotation\(pitch=, yaw=, roll=\) takes its arguments by these names; 3 too many"),
    (lambda: RightHandedRotation(1, 2, 3), r"RightHandedRotation\(roll=, pitch=, yaw=\) takes its arguments"),
    (lambda: Rotation(heading=3), r"Rotation\(pitch=, yaw=, roll=\) takes no argument 'heading'"),
    (lambda: Vector3D(1, 2, 3, 4), r"Vector3D\(x, y, z\) takes .* 1 too many came by position"),
    (lambda: Location(a=1), r"Location\(x, y, z\) takes no argument 'a'"),
    (lambda: Quaternion(1, 2, 3, 4, 5), r"Quaternion\(x, y, z, w\) takes"),
    (lambda: Vector3D("1", 2, 3), r"Vector3D\(x, y, z\) takes numbers or arrays of them; x is of type str"),
    (lambda: Vector3D(1, None, 3), "y is of type NoneType"),
    (lambda: Vector3D(1j, 2, 3), "x is of type complex"),
    (lambda: Vector3D(True, 2, 3), "x is of type bool"),
    (lambda: Vector3D(Vector3D(), 2, 3), "x is of type Vector3D"),
    (lambda: Vector3D([[1], [1, 2]], 2, 3), "x is of type list"),
    (lambda: Rotation(yaw=["a"]), "yaw is of type list"),
    (lambda: Transform(Rotation()), "a Vector3D, a carla.Vector3D or a list of them is needed here, not a Rotation"),
    (lambda: Transform(Location(), Location()), "a Rotation, a carla.Rotation or a list of them is needed here"),
    (lambda: Transform(Location(), RightHandedRotation()), "needed here, not a RightHandedRotation"),
    (lambda: Transform(RightHandedVector3D()), r"from_right_handed\(v\) makes one of it"),
    (lambda: Transform(place=1), r"Transform\(location, rotation\) takes no argument 'place'"),
    (lambda: RightHandedTransform(Location()), r"a RightHandedVector3D is needed here, not a Location; to_right_h"),
    (lambda: RightHandedTransform(rotation=Rotation()), "a RightHandedRotation is needed here, not a Rotation"),
    (lambda: RightHandedTransform(at=1), "takes no argument 'at'"),
    (lambda: Rotation.from_right_handed(Rotation()), "a RightHandedRotation is needed here, not a Rotation"),
    (lambda: Transform.from_right_handed(Transform()), "a RightHandedTransform is needed here, not a Transform"),
    (lambda: Quaternion().rotated_vector(Vector3D()), "a RightHandedVector3D is needed here, not a Vector3D"),
    (lambda: Quaternion().rotated_vector([1, 2, 3]), "a RightHandedVector3D is needed here, not a list"),
    (lambda: Quaternion() * Vector3D(), r"not by a Vector3D; rotated_vector\(v\) turns vectors"),
    (lambda: Quaternion() * 2.0, "not by a float"),
    (lambda: Quaternion.from_rotation(RightHandedRotation()), "a Rotation, .* not a RightHandedRotation"),
    (lambda: Quaternion.from_right_handed_rotation(Rotation()), "a RightHandedRotation is needed here"),
    (lambda: Transform().transform([1, 2, 3]), "a Vector3D, a carla.Vector3D or a list of them is needed here"),
    (lambda: Transform().transform(RightHandedVector3D()), "not a RightHandedVector3D"),
    (lambda: Transform().transform(Quaternion()), "not a Quaternion"),
    (lambda: Transform() @ 3, "a Transform, a carla.Transform or a list of them is needed here, not a int"),
    (lambda: Transform.from_pose(Transform()), "a boresight.Pose is needed here, not a Transform"),
    (lambda: Rotation.from_rotation(Rotation()), "a boresight.Rotation is needed here, not a Rotation"),
    (lambda: Transform.from_carla(np.zeros((2, 6))), "a Transform, .* not a ndarray"),
    (lambda: Quaternion.from_carla([1]), "a Quaternion is needed here"),
    (lambda: Vector3D.from_array("abc"), "Vector3D is made of numbers, not of str"),
]  # fmt: skip

MISSHAPEN: list[Any] = [
    (lambda: Vector3D([1, 2], [1, 2, 3], 0), r"the shapes do not broadcast: x \(2,\), y \(3,\), z \(\)"),
    (lambda: Transform(Location([1, 2], 0, 0), Rotation(yaw=[1, 2, 3])), r"location \(2,\), rotation \(3,\)"),
    (lambda: Vector3D.from_array([1, 2]), r"the last axis must have 3 numbers, and the shape is \(2,\)"),
    (lambda: Transform.from_carla([]), "an empty list holds no Transform"),
    (lambda: Vector3D.from_carla([Vector3D(), Vector3D([1, 2], 0, 0)]), "of several shapes is no batch"),
    (lambda: Rotation().to_right_handed(dialect="ue6"), "dialect= is one of engine, mirrored, scenario_runner, not"),
]  # fmt: skip

TWO, THREE = Transform(Location([1, 2], 0, 0)), Transform(Location([1, 2, 3], 0, 0))
V3, W3 = THREE.location, THREE.location.to_right_handed()
Q2, Q3 = Quaternion([1, 2], 0, 0, 1), Quaternion([1, 2, 3], 0, 0, 1)

# Of two batches that do not go together.
UNEVEN: dict[str, Any] = {
    "transform": lambda: TWO.transform(V3),
    "transform_vector": lambda: TWO.transform_vector(V3),
    "inverse_transform": lambda: TWO.inverse_transform(V3),
    "rotate_vector": lambda: TWO.rotation.rotate_vector(V3),
    "inverse_rotate_vector": lambda: TWO.rotation.inverse_rotate_vector(V3),
    "rotated_vector": lambda: Q2.rotated_vector(W3),
    "inverse_rotated_vector": lambda: Q2.inverse_rotated_vector(W3),
    "mul": lambda: Q2 * Q3,
    "matmul": lambda: TWO @ THREE,
    "relative_to": lambda: TWO.relative_to(THREE),
    "to_ros_twist": lambda: carla.to_ros_twist(TWO, V3, Vector3D()),
    "to_ros_twist, angular": lambda: carla.to_ros_twist(TWO, Vector3D(), V3),
    "to_kitti_label": lambda: carla.to_kitti_label(TWO, THREE),
    "to_clipgt": lambda: carla.to_clipgt(TWO, rear_axle=V3),
}


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_wrong_arguments_are_told_what_is_expected(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(("make", "message"), MISSHAPEN)
def test_wrong_shapes_are_told_what_is_expected(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("name", UNEVEN)
def test_batches_that_do_not_go_together_are_told_by_their_shapes(name: str) -> None:
    with pytest.raises(ValueError, match=r"batches of shapes \([23],\) and \([23],\) do not broadcast"):
        UNEVEN[name]()


def test_poses_of_other_axes_are_refused() -> None:
    flu: Any = Pose(ExactRotation.identity(source=frames.FLU, target=frames.ENU), [1, 2, 3])
    with pytest.raises(TypeError, match=r"not from FLU \(FLU\) to ENU \(ENU\); \.reframe\(source=frames.FRU"):
        Transform.from_pose(flu)
    back = Transform.from_pose(flu.reframe(source=frames.FRU, target=frames.ESU))
    assert back.location == Location(1, -2, 3)
    with pytest.raises(TypeError, match="CARLA's poses are from axes FRU"):
        Transform().to_pose(source=frames.FLU, target=frames.ENU)
    mounted = Transform(Location(1, 2, 3)).to_pose(source=frames.FRU, target=frames.FRU)
    assert Transform.from_pose(mounted) == Transform(Location(1, 2, 3))


def test_numbers_that_are_none_come_out_as_carla_has_them() -> None:
    nan, inf = float("nan"), float("inf")
    assert Quaternion(0, 0, 0, 0).inverse() == Quaternion()
    assert Quaternion(0, 0, 0, 0).unit_quaternion() == Quaternion()
    assert Quaternion(1e-23, 0, 0, 0).inverse() == Quaternion()  # its square is zero
    assert np.all(Quaternion(1e20, 0, 0, 1e20).inverse()._array == 0)
    assert np.isnan(Quaternion(nan, 0, 0, 1).length())
    assert np.isnan(Quaternion(nan, 0, 0, 1).inverse()._array).any()
    assert np.isnan(Quaternion.from_rotation(Rotation(yaw=inf))._array).all()
    assert np.isnan(Transform(rotation=Rotation(pitch=nan)).get_matrix()[0, 0])
    assert np.isnan(Quaternion(0, nan, 0, 1).rotator().pitch)
    assert Vector3D(1e300, -1e300, 0) == Vector3D(inf, -inf, 0)
    rows = Quaternion.from_rotation(Rotation(yaw=[0, nan, 90]))._array
    assert np.isnan(rows).any(axis=-1).tolist() == [False, True, False]
    for bad in (nan, inf):
        with pytest.raises(ValueError, match="not finite"):
            Transform(rotation=Rotation(yaw=bad)).to_pose()
        with pytest.raises(ValueError, match="not finite"):
            Transform(Location(x=[0, bad])).to_pose()


def test_bad_rows_leave_the_others_alone() -> None:
    bad = np.array([0, 1, np.nan])
    t = Transform(Location(x=[np.inf, 2, 3]), Rotation(pitch=20, yaw=bad))
    good = Transform(Location(x=2), Rotation(pitch=20, yaw=1))
    pose = t.to_pose(invalid="nan")
    assert np.isnan(pose.as_matrix()[..., 0, 3]).tolist() == [True, False, True]
    np.testing.assert_array_equal(pose[1].as_matrix(), good.to_pose().as_matrix())
    assert np.isnan(t.rotation.to_rotation(invalid="nan").as_quat(order="xyzw")[:, 3]).tolist() == [
        False,
        False,
        True,
    ]
    for to, back in (
        (carla.to_ros, carla.from_ros),
        (carla.to_ros_optical, carla.from_ros_optical),
        (carla.to_opencv, carla.from_opencv),
        (carla.to_colmap, carla.from_colmap),
        (carla.to_nuscenes, carla.from_nuscenes),
        (carla.to_open3d, None),
    ):
        with pytest.raises(ValueError, match='invalid="nan" turns bad rows into NaN'):
            to(t)
        found = to(t, invalid="nan")
        parts: Any = found if isinstance(found, tuple) else (found,)
        for part, same in zip(parts, to(good) if isinstance(found, tuple) else (to(good),), strict=True):
            np.testing.assert_array_equal(part[1], same)
            assert not np.isnan(part[1]).any()
        assert np.isnan(parts[-1][0]).any() or np.isnan(parts[0][0]).any()
        if back is not None:
            with pytest.raises(ValueError, match='invalid="nan" turns bad rows into NaN'):
                back(*found)
            again = back(*found, invalid="nan")
            assert np.isfinite(again.get_matrix()).all(axis=(1, 2)).tolist() == [False, True, False]
    with pytest.raises(ValueError, match='"raise" or "nan"'):
        t.to_pose(invalid="skip")  # type: ignore[call-overload]


def test_no_number_makes_numpy_warn() -> None:
    """Infinities that cancel, sums beyond float32, and NaN that signals come out as CARLA has them, in silence."""
    inf, most = float("inf"), 3e38
    signalling = np.full((1, 4), 0x7F800001, np.uint32).view(np.float32)
    high, far = Transform(Location(z=-inf)), Transform(Location(y=most))
    assert far.transform(Location(0, most, 0)).y == inf
    assert np.isnan(high.transform(Location(0, 0, inf)).z)
    assert far.inverse_transform(Location(0, -most, 0)).y == -inf
    assert np.isnan(high.inverse_transform(Location(0, 0, -inf)).z)
    v, q = Vector3D.from_array(signalling[:, :3]), Quaternion(*signalling.T)
    assert np.isnan(v.to_right_handed()._array).all()
    assert np.isnan(v.axial_to_right_handed()._array).all()
    assert np.isnan(q.conjugate()._array).all()
    assert np.isnan(q.get_up_vector()._array).all()
    assert hash(v[0]) == hash(v[0])
    assert not (v == v).any()
    with np.errstate(all="raise"):
        assert Vector3D(1e-300, -1e300, np.float64("nan")).y == -inf
    exact: Any = ExactRotation.identity(source=frames.FRU, target=frames.ESU)
    assert Transform.from_pose(Pose(exact, [1e300, 0, -1e300])).location == Location(inf, 0, -inf)
    assert (Transform(Location(most, 0, 0)) @ Transform(Location(most, 0, 0))).location.x == inf
    assert carla.to_unreal(Transform(Location(most, 0, 0))).location[0] == inf
    assert carla.from_unreal([1e300, 0, 0], [0, 0, 0]).location.x == inf
    assert Vector3D(2**200, -(10**400), np.float32(0)) == Vector3D(inf, -inf, 0)


def test_a_machine_of_other_bits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from boresight.carla import bits

    assert bits_exact() is bits.check_bits().exact
    true = bits.kernels.carla

    def rounded(name: str) -> Any:
        kernel = true(name)
        if name != "rotation_matrix":
            return kernel
        return lambda a: np.nextafter(kernel(a), np.float32(2))

    bits._differing.cache_clear()
    monkeypatch.setattr(bits.kernels, "carla", rounded)
    report = bits.check_bits()
    assert report.differing == ("rotation_matrix",)
    assert not bits.bits_exact()
    assert report.worst["sinf"] > 1
    bits._differing.cache_clear()


def test_this_machine_has_carlas_bits() -> None:
    import platform
    import sys

    if (sys.platform, platform.machine(), platform.libc_ver()[0]) != ("linux", "x86_64", "glibc"):
        pytest.skip("the bits are promised on x86-64 Linux with glibc alone")
    assert bits_exact()
