"""What others are given, by physical statements, by their own libraries, and by the registry's rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import boresight as bs
from boresight import carla
from boresight.carla import Location, Quaternion, Rotation, Transform, Vector3D

RNG = np.random.default_rng(11)
MANY = Transform(
    Location.from_array(RNG.normal(scale=100, size=(50, 3))),
    Rotation(pitch=RNG.uniform(-85, 85, 50), yaw=RNG.uniform(-180, 180, 50), roll=RNG.uniform(-180, 180, 50)),
)
EULER = np.stack([MANY.rotation.pitch, MANY.rotation.yaw, MANY.rotation.roll], axis=-1).astype(np.float64)
PLACE = MANY.location.as_array().astype(np.float64)


def turned(xyzw: Any, v: Any) -> Any:
    return bs.Rotation.from_quat(xyzw, order="xyzw").apply(v)


def angle(a: Any, b: Any, order: Any = "xyzw") -> float:
    """Degrees between two batches of quaternions, at most."""
    p, q = (bs.Rotation.from_quat(x, order=order) for x in (a, b))
    return float(np.degrees(np.max((p.inv() @ q).angle())))


def same_transform(a: Transform, b: Transform) -> None:
    assert_allclose(a.location.as_array(), b.location.as_array(), rtol=1e-5, atol=1e-4)
    rotation = a.rotation.to_rotation().inv() @ b.rotation.to_rotation()
    assert float(np.degrees(np.max(rotation.angle()))) < 1e-4


# ---- ROS ------------------------------------------------------------------------------------


def test_ros_physically() -> None:
    up = carla.to_ros(Transform(rotation=Rotation(pitch=20))).orientation
    assert turned(up, [1, 0, 0])[2] > 0  # nose up
    banked = carla.to_ros(Transform(rotation=Rotation(roll=20))).orientation
    assert turned(banked, [0, -1, 0])[2] < 0  # the right side down
    right = carla.to_ros(Transform(rotation=Rotation(yaw=20))).orientation
    assert turned(right, [1, 0, 0])[1] < 0  # the nose to the south
    assert carla.to_ros(Transform(Location(y=3))).position.tolist() == [0, -3, 0]


def test_ros_is_what_the_registry_says() -> None:
    position, orientation = carla.to_ros(MANY)
    expected = bs.convert(euler=EULER, position=PLACE, from_="carla", to="ros")
    assert_allclose(position, expected.position)
    assert angle(orientation, expected.quat) < 1e-6
    same_transform(carla.from_ros(position, orientation), MANY)


def test_ros_is_the_quaternion_of_the_mirror() -> None:
    q = Quaternion.from_rotation(MANY.rotation)
    mirror = np.stack([q.x, q.y, q.z, q.w], axis=-1)
    assert_allclose(carla.to_ros(MANY).orientation, mirror, atol=3e-7)  # with its sign


def test_optical() -> None:
    position, orientation = carla.to_ros_optical(MANY)
    flu = bs.Rotation.from_quat(carla.to_ros(MANY).orientation, order="xyzw")
    product = flu @ bs.Rotation.from_quat([0.5, -0.5, 0.5, -0.5], order="xyzw")
    assert angle(orientation, product.as_quat(order="xyzw")) < 1e-6
    assert_allclose(
        turned(orientation, [0, 0, 1]), MANY.get_forward_vector().to_right_handed().as_array(), atol=1e-6
    )
    assert_allclose(
        turned(orientation, [1, 0, 0]), MANY.get_right_vector().to_right_handed().as_array(), atol=1e-6
    )
    same_transform(carla.from_ros_optical(position, orientation), MANY)


def test_scipy() -> None:
    scipy = pytest.importorskip("scipy.spatial.transform")
    theirs = scipy.Rotation.from_euler(*carla.to_scipy(MANY.rotation)).as_quat()
    assert angle(theirs, carla.to_ros(MANY).orientation) < 1e-5
    mirror = np.diag([1.0, -1.0, 1.0])
    matrix = mirror @ MANY.get_matrix()[..., :3, :3] @ mirror
    assert_allclose(scipy.Rotation.from_euler(*carla.to_scipy(MANY.rotation)).as_matrix(), matrix, atol=1e-6)


# ---- cameras --------------------------------------------------------------------------------

CAMERA = np.array([[800.0, 0, 640], [0, 800, 360], [0, 0, 1]])


def pixels(points: Any) -> Any:
    """Project points of a camera's axes RDF."""
    image = points @ CAMERA.T
    return image[..., :2] / image[..., 2:]


def test_a_point_ahead_projects_to_the_centre_of_the_image() -> None:
    extrinsic = carla.to_opencv(MANY)
    for point, where in (
        (Location(10, 0, 0), (640, 360)),
        (Location(10, 1, 0), (720, 360)),  # to the right
        (Location(10, 0, 1), (640, 280)),  # above
    ):
        world = MANY.transform(point).to_right_handed().as_array()
        camera = np.einsum("nij,nj->ni", extrinsic.rotation, world) + extrinsic.translation
        assert_allclose(pixels(camera), np.broadcast_to(where, (50, 2)), atol=0.02)
        own = carla.to_opencv_points(MANY.inverse_transform(MANY.transform(point)))
        assert_allclose(own, camera, atol=1e-4)
    same_transform(carla.from_opencv(*extrinsic), MANY)


def test_opencv_itself() -> None:
    cv2 = pytest.importorskip("cv2")
    for i in range(5):
        rotation, translation = carla.to_opencv(MANY[i])
        world = MANY[i].transform(Location(10, 1, 0)).to_right_handed().as_array().astype(np.float64)
        found, _ = cv2.projectPoints(world[np.newaxis], cv2.Rodrigues(rotation)[0], translation, CAMERA, None)
        assert_allclose(found.reshape(2), [720, 360], atol=0.02)


def test_colmap_and_open3d_are_the_same_extrinsic() -> None:
    rotation, translation = carla.to_opencv(MANY)
    qvec, tvec = carla.to_colmap(MANY)
    assert_allclose(bs.Rotation.from_quat(qvec, order="wxyz").as_matrix(), rotation, atol=1e-12)
    assert_allclose(tvec, translation)
    matrix = carla.to_open3d(MANY)
    assert_allclose(matrix[..., :3, :3], rotation)
    assert_allclose(matrix[..., :3, 3], translation)
    assert_allclose(matrix[..., 3, :], np.broadcast_to([0, 0, 0, 1], (50, 4)))
    assert carla.to_open3d_points(Location(1, 2, 3)).tolist() == [1, -2, 3]
    same_transform(carla.from_colmap(qvec, tvec), MANY)


def test_colmap_is_what_the_registry_says() -> None:
    expected = bs.convert(
        euler=EULER, position=PLACE, from_="carla", to="colmap", thing="camera", world="ENU"
    )
    qvec, tvec = carla.to_colmap(MANY)
    assert angle(qvec, expected.quat, "wxyz") < 1e-6
    assert_allclose(tvec, expected.position, atol=1e-9)


def test_kitti_labels() -> None:
    camera = Transform(Location(3, 4, 1.5), Rotation(yaw=30))
    for turn, expected in ((0.0, -np.pi / 2), (90.0, 0.0), (-90.0, -np.pi), (45.0, -np.pi / 4)):
        car = Transform(camera.transform(Location(20, 0, 0)), Rotation(yaw=30 + turn))
        label = carla.to_kitti_label(car, camera)
        assert_allclose(label.rotation_y, expected, atol=1e-6)
        assert_allclose(label.location, [0, 0, 20], atol=1e-5)
        assert_allclose(np.exp(1j * label.alpha), np.exp(1j * label.rotation_y), atol=1e-6)  # dead ahead
        # The devkit's own statement: rotation about y takes the object's x axis to where it faces.
        ry = float(label.rotation_y)
        facing = carla.to_opencv_points(camera.rotation.inverse_rotate_vector(car.get_forward_vector()))
        assert_allclose(facing, [np.cos(ry), 0, -np.sin(ry)], atol=1e-6)
    with pytest.raises(ValueError, match="level cameras, and this one is tilted by 5 degrees"):
        carla.to_kitti_label(car, Transform(rotation=Rotation(pitch=-5)))
    assert carla.to_kitti_label(car, Transform(rotation=Rotation(pitch=360))).location.shape == (3,)
    with pytest.raises(ValueError, match="level"):
        carla.to_kitti_label(car, Transform(rotation=Rotation(roll=float("nan"))))


# ---- data sets and engines --------------------------------------------------------------------


@pytest.mark.parametrize("thing", ["body", "camera", "lidar"])
def test_nuscenes_is_what_the_registry_says(thing: Any) -> None:
    translation, rotation = carla.to_nuscenes(MANY, thing=thing)
    expected = bs.convert(
        euler=EULER, position=PLACE, from_="carla", to="nuscenes", to_thing=thing, forward="E"
    )
    assert_allclose(translation, expected.position)
    assert angle(rotation, expected.quat, "wxyz") < 1e-6
    same_transform(carla.from_nuscenes(translation, rotation, thing=thing), MANY)


def test_nuscenes_physically() -> None:
    _, body = carla.to_nuscenes(MANY)
    _, camera = carla.to_nuscenes(MANY, thing="camera")
    _, lidar = carla.to_nuscenes(MANY, thing="lidar")
    ahead = MANY.get_forward_vector().to_right_handed().as_array()
    for rotation, axis in ((body, [1, 0, 0]), (camera, [0, 0, 1]), (lidar, [0, 1, 0])):
        assert_allclose(bs.Rotation.from_quat(rotation, order="wxyz").apply(axis), ahead, atol=1e-6)
    with pytest.raises(ValueError, match="thing= is one of body, camera, lidar, not 'radar'"):
        carla.to_nuscenes(MANY, thing="radar")  # type: ignore[arg-type]


def test_clipgt() -> None:
    sensor = Transform(Location(1.0, 0.5, 2.0), Rotation(pitch=-10, yaw=30, roll=3))
    rig = carla.to_clipgt(sensor, rear_axle=Location(-1.4, 0, 0.02))
    assert rig.roll_pitch_yaw.tolist() == [3, 10, -30]
    assert_allclose(rig.translation, [2.4, -0.5, 1.98], atol=1e-6)  # ahead of the axle, to the right, above
    extrinsic = bs.Rotation.from_euler("xyz", rig.roll_pitch_yaw, degrees=True)
    assert_allclose(
        extrinsic.apply([1, 0, 0]), sensor.get_forward_vector().to_right_handed().as_array(), atol=1e-6
    )


def test_openscenario() -> None:
    found = carla.to_openscenario(Transform(Location(1, 2, 3), Rotation(pitch=20, yaw=30, roll=10)))
    assert_allclose(found, [1, -2, 3, *np.radians([-30, -20, 10])])
    expected = bs.convert(euler=EULER, position=PLACE, from_="carla", to="openscenario", as_="euler")
    many = carla.to_openscenario(MANY)
    own = bs.Rotation.from_euler("ZYX", np.stack(many[3:], axis=-1), degrees=False)
    theirs = bs.Rotation.from_euler("ZYX", expected.euler, degrees=False)
    assert float(np.max((own.inv() @ theirs).angle())) < 1e-6
    same_transform(carla.from_openscenario(*many), MANY)


def test_unreal() -> None:
    location, rotator, quat = carla.to_unreal(MANY)
    assert location.dtype == np.float32
    assert_allclose(location, PLACE * 100, rtol=1e-6)
    assert_allclose(rotator, EULER)
    # FQuat's ordinary matrix is CARLA's, and its mirror is the quaternion in FLU.
    assert_allclose(
        bs.Rotation.from_quat(quat, order="xyzw").as_matrix(), MANY.get_matrix()[..., :3, :3], atol=1e-6
    )
    assert_allclose(quat * [-1, 1, -1, 1], carla.to_ros(MANY).orientation, atol=1e-12)
    same_transform(carla.from_unreal(location, rotator), MANY)


def test_centimetres_change_the_bits_of_a_quarter_of_all_metres() -> None:
    metres = np.random.default_rng(0).uniform(-500, 500, (100_000, 3)).astype(np.float32)
    t = Transform(Location.from_array(metres))
    back = carla.from_unreal(*carla.to_unreal(t)[:2]).location.as_array()
    assert 0.25 < np.mean(back != metres) < 0.28
    assert_allclose(back, metres, rtol=2e-7)


# ---- motion -----------------------------------------------------------------------------------


def test_the_twist_is_in_the_childs_axes() -> None:
    velocity, rate = (
        Vector3D.from_array(RNG.normal(size=(50, 3))),
        Vector3D.from_array(RNG.normal(size=(50, 3))),
    )
    twist = carla.to_ros_twist(MANY, velocity, rate)
    speed = np.linalg.norm(velocity.as_array(), axis=-1)
    assert_allclose(np.linalg.norm(twist.linear, axis=-1), speed, rtol=1e-6)
    ahead = Vector3D.from_array(MANY.get_forward_vector().as_array() * 7)
    assert_allclose(
        carla.to_ros_twist(MANY, ahead, rate).linear, np.broadcast_to([7, 0, 0], (50, 3)), atol=1e-5
    )
    again = carla.from_ros_twist(MANY, twist)
    assert_allclose(again[0].as_array(), velocity.as_array(), atol=1e-6)
    assert_allclose(again[1].as_array(), rate.as_array(), atol=1e-6)


@pytest.mark.parametrize(("axis", "sign"), [("pitch", -1), ("yaw", -1), ("roll", 1)])
def test_rates_by_finite_differences(axis: str, sign: int) -> None:
    """An actor that turns about one of its angles: the rate of its exact pose, and of the same number in CARLA's axes."""
    dt = 1e-3
    pose = [carla.to_ros(Transform(rotation=Rotation(**{axis: 10.0 * t}))).orientation for t in (0.0, dt)]
    a, b = (bs.Rotation.from_quat(q, order="xyzw") for q in pose)
    measured = (a.inv() @ b).as_rotvec() / dt
    index = {"roll": 0, "pitch": 1, "yaw": 2}[axis]
    assert_allclose(measured[index], sign * np.radians(10), rtol=1e-3)
    # CARLA counts by the left-hand rule: -roll, -pitch, +yaw along its own x, y, z.
    left = np.zeros(3)
    left[index] = {"roll": -10, "pitch": -10, "yaw": 10}[axis]
    twist = carla.to_ros_twist(Transform(), Vector3D(), Vector3D.from_array(left))
    assert_allclose(twist.angular, measured, atol=1e-4)


def test_the_imu_at_rest_and_banked() -> None:
    reading = carla.to_ros_imu(Vector3D(0.1, -0.2, 9.81), Vector3D(0.01, 0.02, 0.03))
    assert_allclose(reading.linear_acceleration.as_array(), [0.1, 0.2, 9.81], rtol=1e-6)
    assert_allclose(reading.angular_velocity.as_array(), [-0.01, 0.02, -0.03], rtol=1e-6)


def test_the_compass() -> None:
    # Zero is north, and it counts clockwise; ROS counts from east, anticlockwise.
    assert_allclose(
        carla.yaw_from_compass([0, np.pi / 2, np.pi, 3 * np.pi / 2]), [np.pi / 2, 0, -np.pi / 2, np.pi]
    )
    yaw = np.linspace(-3.1, 3.1, 50)
    assert_allclose(carla.yaw_from_compass(carla.compass_from_yaw(yaw)), yaw, atol=1e-12)
    # A car that faces north, which is -y on the map, has CARLA's yaw -90, and the compass shows 0.
    north = carla.to_scipy(Rotation(yaw=-90)).angles[2]
    assert_allclose(carla.compass_from_yaw(np.radians(north)), 0, atol=1e-12)


def test_places_on_the_earth() -> None:
    place = carla.to_geodetic(Location(1234.5, -987.25, -3), latitude=49.0, longitude=8.0, altitude=100)
    # By carla 0.9.15's Map.transform_to_geolocation.
    assert_allclose(place, [49.008867828073846, 8.016903512782255, 97], rtol=0, atol=1e-12)
    back = carla.from_geodetic(place, latitude=49.0, longitude=8.0, altitude=100)
    assert_allclose(back.as_array(), [1234.5, -987.25, -3], atol=1e-3)
    south = carla.to_geodetic(Location(y=[0.0, 100.0]), latitude=10.0, longitude=0.0).latitude
    assert south[1] < south[0]
