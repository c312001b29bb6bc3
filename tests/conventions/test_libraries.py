"""Rows of the registry against the libraries and systems themselves, where they are installed.

Each test asks the real package and skips where it is missing. A test names the rows that it checks; the end of the run
lists those that ran. Expected values come from the definitions in `plain`, with the order, signs and units taken from
the row.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import plain
import pytest

from boresight import Pose, Rotation, conventions, convert, frames

WXYZ, XYZW = plain.WXYZ, plain.XYZW
H = plain.hamilton(WXYZ)
ANGLES = np.array([0.3, -0.5, 0.7])
# Installed by the extra `test`, so that .ci/run has them: small wheels. The extra `peers` has larger ones, and the rest
# (CARLA, Drake, Open3D, SAPIEN, torch's, Blender's) is checked where someone has it.
IN_CI = [
    "scipy",
    "pytransform3d",
    "spatialmath",
    "rowan",
    "quaternion",
    "transforms3d",
    "transformations",
    "pyquaternion",
    "ahrs",
    "trimesh",
    "pyglm",
    "spiceypy",
    "imufusion",
    "vqf",
    "evo",
    "rosbags",
]

# Other people's deprecations are not ours to fix.
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def row(*names: str) -> Callable[[Any], Any]:
    """Say which rows a test checks: ``system.carla``, ``library.scipy``."""
    for name in names:
        kind, _, key = name.partition(".")
        found = conventions.get(key) if kind == "system" else conventions.get_library(key)
        assert found.id == key

    def mark(test: Any) -> Any:
        test.registry_rows = names
        return test

    return mark


@pytest.fixture(autouse=True)
def _record(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> None:
    for name in getattr(request.function, "registry_rows", ()):
        record_property("registry row", name)


def need(name: str) -> Any:
    """Import a package, or skip; one that is there but cannot be loaded counts as missing."""
    return pytest.importorskip(name, exc_type=ImportError)


def in_order(order: str) -> np.ndarray:
    return WXYZ if order == "wxyz" else XYZW


def array_of(library: str) -> np.ndarray:
    """The test's quaternion as an array of that library, as the registry has it."""
    return in_order(conventions.get_library(library).array_order)


def arguments_of(library: str) -> np.ndarray:
    """The test's quaternion as four arguments of that library's constructor."""
    return in_order(conventions.get_library(library).constructor_order)


def close(a: Any, b: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(a, dtype=np.float64), b, rtol=0, atol=tolerance)


def matrix_of(system: str, **numbers: Any) -> np.ndarray:
    value = conventions.get(system).decode(**numbers)
    return (value.rotation if isinstance(value, Pose) else value).as_matrix()


def stored_euler(system: str, angles: np.ndarray) -> np.ndarray:
    """Angles in the unit of the system."""
    euler = conventions.get(system).euler
    assert euler is not None
    return np.degrees(angles) if euler.unit == "deg" else angles


def test_enough_of_them_are_installed_in_ci() -> None:
    if os.environ.get("CI") != "true":
        pytest.skip("only where CI installs them")
    missing = [name for name in IN_CI if importlib.util.find_spec(name) is None]
    assert not missing, "install the extra `test`"


# -- libraries of rotations ---------------------------------------------------------------------------------


@row("library.scipy")
def test_scipy() -> None:
    rotation = need("scipy.spatial.transform").Rotation
    close(rotation.from_quat(array_of("scipy")).as_matrix(), H)
    close(rotation.from_quat(WXYZ, scalar_first=True).as_matrix(), H)
    for sequence in ("ZYX", "xyz", "YXZ", "ZXZ"):
        close(rotation.from_euler(sequence, ANGLES).as_matrix(), plain.euler(sequence, ANGLES))


@row("library.pytransform3d")
def test_pytransform3d() -> None:
    need("pytransform3d")
    rotations = need("pytransform3d.rotations")
    close(rotations.matrix_from_quaternion(array_of("pytransform3d")), H)
    close(rotations.matrix_from_euler(ANGLES, 2, 1, 0, extrinsic=False), plain.euler("ZYX", ANGLES))


@row("library.spatialmath")
def test_spatialmath() -> None:
    base, spatialmath = need("spatialmath.base"), need("spatialmath")
    close(base.q2r(array_of("spatialmath")), H)
    close(base.q2r(XYZW, order="xyzs"), H)
    close(spatialmath.SO3.RPY(ANGLES).A, plain.euler("xyz", ANGLES))
    close(spatialmath.SO3.RPY(ANGLES, order="xyz").A, plain.euler("zyx", ANGLES))
    close(spatialmath.SO3.RPY(ANGLES, order="yxz").A, plain.euler("zxy", ANGLES))


@row("library.jaxlie")
def test_jaxlie() -> None:
    jaxlie = need("jaxlie")
    close(jaxlie.SO3(wxyz=array_of("jaxlie")).as_matrix(), H, 1e-6)
    close(jaxlie.SO3.from_quaternion_xyzw(XYZW).as_matrix(), H, 1e-6)


@row("library.roma")
def test_roma() -> None:
    torch, roma = need("torch"), need("roma")
    close(roma.unitquat_to_rotmat(torch.tensor(array_of("roma"))), H)


@row("library.pypose")
def test_pypose() -> None:
    torch, pypose = need("torch"), need("pypose")
    close(pypose.SO3(torch.tensor(array_of("pypose"))).matrix(), H)
    pose = pypose.SE3(torch.tensor([1.0, 2.0, 3.0, *array_of("pypose")], dtype=torch.float64)).matrix()
    close(pose[:3, 3], [1, 2, 3])
    close(pose[:3, :3], H)


@row("library.kornia")
def test_kornia() -> None:
    torch, conversions = need("torch"), need("kornia.geometry.conversions")
    close(conversions.quaternion_to_rotation_matrix(torch.tensor(array_of("kornia"))), H)


@row("library.gtsam")
def test_gtsam() -> None:
    gtsam = need("gtsam")
    rotation = gtsam.Rot3.Quaternion(*arguments_of("gtsam"))
    close(rotation.matrix(), H)
    close(rotation.toQuaternion().coeffs(), array_of("gtsam"))
    close(gtsam.Rot3.RzRyRx(*ANGLES).matrix(), plain.euler("xyz", ANGLES))
    close(gtsam.Rot3.Ypr(*ANGLES).matrix(), plain.euler("ZYX", ANGLES))
    close(gtsam.Pose3.Expmap(np.array([0, 0, 0, 1.0, 2, 3])).translation(), [1, 2, 3])


@row("library.pinocchio")
def test_pinocchio() -> None:
    pinocchio = need("pinocchio")
    quaternion = pinocchio.Quaternion(*arguments_of("pinocchio"))
    close(quaternion.matrix(), H)
    close(quaternion.coeffs(), array_of("pinocchio"))
    close(pinocchio.rpy.rpyToMatrix(*ANGLES), plain.euler("xyz", ANGLES))


@row("library.drake", "system.drake")
def test_drake() -> None:
    geometry, math = need("pydrake.common.eigen_geometry"), need("pydrake.math")
    quaternion = geometry.Quaternion(*arguments_of("drake"))
    close(quaternion.rotation(), H)
    close(quaternion.wxyz(), array_of("drake"))
    close(quaternion.rotation(), matrix_of("drake", quat=WXYZ))
    close(math.RollPitchYaw(ANGLES).ToRotationMatrix().matrix(), matrix_of("drake", euler=ANGLES))


@row("library.rowan")
def test_rowan() -> None:
    rowan = need("rowan")
    close(rowan.to_matrix(array_of("rowan")), H)
    close(rowan.to_matrix(rowan.from_euler(*ANGLES)), plain.euler("ZYX", ANGLES))


@row("library.numpy_quaternion")
def test_numpy_quaternion() -> None:
    quaternion = need("quaternion")
    made = quaternion.quaternion(*array_of("numpy_quaternion"))
    close(quaternion.as_rotation_matrix(made), H)
    close(quaternion.as_float_array(made), array_of("numpy_quaternion"))
    turned = quaternion.from_euler_angles(*ANGLES)
    close(quaternion.as_rotation_matrix(turned), plain.euler("ZYZ", ANGLES))


@row("library.quaternionic")
def test_quaternionic() -> None:
    quaternionic = need("quaternionic")
    close(quaternionic.array(array_of("quaternionic")).to_rotation_matrix, H)
    turned = quaternionic.array.from_euler_angles(*ANGLES)
    close(turned.to_rotation_matrix, plain.euler("ZYZ", ANGLES))


@row("library.transforms3d")
def test_transforms3d() -> None:
    quaternions, euler = need("transforms3d.quaternions"), need("transforms3d.euler")
    close(quaternions.quat2mat(array_of("transforms3d")), H)
    close(euler.euler2mat(*ANGLES), plain.euler("xyz", ANGLES))


@row("library.transformations")
def test_transformations() -> None:
    transformations = need("transformations")
    close(transformations.quaternion_matrix(array_of("transformations"))[:3, :3], H)
    close(transformations.euler_matrix(*ANGLES)[:3, :3], plain.euler("xyz", ANGLES))


@row("library.pyquaternion")
def test_pyquaternion() -> None:
    quaternion = need("pyquaternion").Quaternion
    close(quaternion(*array_of("pyquaternion")).rotation_matrix, H)
    yaw, pitch, roll = ANGLES
    made = quaternion(matrix=plain.euler("XYZ", [roll, pitch, yaw]))
    close(made.yaw_pitch_roll, [yaw, pitch, roll])


@row("library.ahrs")
def test_ahrs() -> None:
    ahrs = need("ahrs")
    close(ahrs.Quaternion(array_of("ahrs")).to_DCM(), H)
    close(ahrs.DCM(rpy=list(ANGLES)), plain.euler("ZYX", ANGLES))
    close(ahrs.Quaternion(rpy=list(ANGLES)).to_DCM(), plain.euler("xyz", ANGLES))
    roll, pitch, yaw = ahrs.Quaternion(array_of("ahrs")).to_angles()
    close(plain.euler("ZYX", [yaw, pitch, roll]), H)


@row("library.trimesh")
def test_trimesh() -> None:
    transformations = need("trimesh.transformations")
    close(transformations.quaternion_matrix(array_of("trimesh"))[:3, :3], H)
    close(transformations.euler_matrix(*ANGLES)[:3, :3], plain.euler("xyz", ANGLES))


@row("library.pyglm", "system.opengl")
def test_pyglm() -> None:
    need("pyglm")
    glm = need("pyglm.glm")
    quaternion = glm.quat(*arguments_of("pyglm"))
    close(list(quaternion), array_of("pyglm"), 1e-6)
    # glm indexes by columns, and NumPy reads the buffer so that m[i, j] is mathematics again.
    close(np.array(glm.mat3_cast(quaternion)), H, 1e-6)
    # A camera at (1, 2, 3) of an OpenGL world, looking along +x, up +y, as the view matrix of GLM.
    view = np.array(glm.lookAt(glm.dvec3(1, 2, 3), glm.dvec3(5, 2, 3), glm.dvec3(0, 1, 0)))
    pose = conventions.get("opengl").decode(matrix=view)
    assert isinstance(pose, Pose)
    close(pose.translation, [1, 2, 3])
    right, up, back = pose.rotation.as_matrix().T
    close([right, up, back], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]])


@row("library.spiceypy", "system.spice")
def test_spiceypy() -> None:
    spiceypy = need("spiceypy")
    close(spiceypy.q2m(array_of("spiceypy")), H)
    close(spiceypy.eul2m(*ANGLES, 3, 2, 1), plain.euler("ZYX", -ANGLES))
    close(spiceypy.rotate(0.3, 3), plain.elementary("z", -0.3))
    # As a C-matrix it takes reference vectors into the instrument; the row then gives instrument to reference.
    close(matrix_of("spice", quat=spiceypy.m2q(H)), H.T)
    assert conventions.get("spice").direction == "world_to_body"


@row("library.open3d", "system.open3d")
def test_open3d() -> None:
    open3d = need("open3d")
    close(open3d.geometry.get_rotation_matrix_from_quaternion(array_of("open3d")), H)
    close(open3d.geometry.get_rotation_matrix_from_xyz(ANGLES), plain.euler("XYZ", ANGLES))
    close(open3d.geometry.get_rotation_matrix_from_zyx(ANGLES), plain.euler("ZYX", ANGLES))
    # One pixel at depth 1, seen by a camera whose extrinsic is the stored matrix, lands where the row says.
    extrinsic = conventions.get("open3d").encode(_camera_pose(), "transform")
    intrinsic = open3d.camera.PinholeCameraIntrinsic(3, 3, 1.0, 1.0, 1.0, 1.0)
    depth = np.zeros((3, 3), dtype=np.float32)
    depth[2, 0] = 1.0  # one pixel to the left of the centre and one below
    cloud = open3d.geometry.PointCloud.create_from_depth_image(
        open3d.geometry.Image(depth), intrinsic, extrinsic, depth_scale=1.0
    )
    close(np.asarray(cloud.points)[0], _camera_pose().apply([-1.0, 1.0, 1.0]), 1e-6)


@row("library.pycolmap", "system.colmap")
def test_pycolmap(tmp_path: Path) -> None:
    pycolmap = need("pycolmap")
    rotation = pycolmap.Rotation3d(array_of("pycolmap"))
    close(rotation.matrix(), H)
    close(rotation.quat, array_of("pycolmap"))
    # The text model, written with the row's numbers and read by COLMAP's own reader.
    numbers, at = conventions.get("colmap").encode(_camera_pose())
    (tmp_path / "cameras.txt").write_text("1 PINHOLE 4 4 1 1 2 2\n")
    values = " ".join(repr(float(number)) for number in (*numbers, *at))
    (tmp_path / "images.txt").write_text(f"1 {values} 1 image.png\n\n")
    (tmp_path / "points3D.txt").write_text("")
    image = pycolmap.Reconstruction(str(tmp_path)).images[1]
    center = image.projection_center()
    close(center, _camera_pose().translation)
    cam_from_world = image.cam_from_world
    cam_from_world = cam_from_world() if callable(cam_from_world) else cam_from_world
    close(cam_from_world.rotation.matrix(), _camera_pose().rotation.as_matrix().T)


@row("library.pybullet", "system.pybullet")
def test_pybullet() -> None:
    pybullet = need("pybullet")
    close(np.reshape(pybullet.getMatrixFromQuaternion(array_of("pybullet")), (3, 3)), H)
    stored = pybullet.getQuaternionFromEuler(ANGLES)
    close(matrix_of("pybullet", quat=stored), matrix_of("pybullet", euler=ANGLES))
    close(matrix_of("pybullet", euler=ANGLES), plain.euler("xyz", ANGLES))


@row("library.sapien", "system.sapien")
def test_sapien() -> None:
    sapien = need("sapien")
    pose = sapien.Pose([1, 2, 3], array_of("sapien").astype(np.float32))
    close(pose.to_transformation_matrix()[:3, :3], H, 1e-6)
    close(matrix_of("sapien", quat=pose.q), H, 1e-6)
    pose.set_rpy(ANGLES)
    close(pose.to_transformation_matrix()[:3, :3], matrix_of("sapien", euler=ANGLES), 1e-6)


@row("library.av2", "system.argoverse2")
def test_av2() -> None:
    geometry = need("av2.geometry.geometry")
    close(geometry.quat_to_mat(array_of("av2")), H)
    close(geometry.mat_to_xyz(plain.euler("xyz", ANGLES)), ANGLES)
    close(geometry.quat_to_mat(WXYZ), matrix_of("argoverse2", quat=WXYZ))


@row("library.nuscenes_devkit", "system.nuscenes")
def test_nuscenes() -> None:
    classes, quaternion = need("nuscenes.utils.data_classes"), need("pyquaternion").Quaternion
    box = classes.Box([0, 0, 0], [2, 4, 1], quaternion(array_of("nuscenes_devkit")))
    close(box.rotation_matrix, H)
    close(box.rotation_matrix, matrix_of("nuscenes", quat=WXYZ))
    # Size is width, length, height; of a box that is not turned the first corner is in front, to the left and up.
    corner = classes.Box([0, 0, 0], [2, 4, 1], quaternion()).corners()[:, 0]
    assert str(conventions.get("nuscenes").things["body"]) == "FLU"
    close(corner, [2, 1, 0.5])


@row("library.mathutils", "system.blender")
def test_mathutils() -> None:
    if importlib.util.find_spec("mathutils") is None:
        need("bpy")  # brings mathutils once it is imported
    mathutils = need("mathutils")
    quaternion = mathutils.Quaternion(arguments_of("mathutils"))
    close(list(quaternion), array_of("mathutils"), 1e-6)
    close(quaternion.to_matrix(), H, 1e-6)
    close(mathutils.Euler(ANGLES, "XYZ").to_matrix(), matrix_of("blender", euler=ANGLES), 1e-6)
    close(mathutils.Euler(ANGLES, "XYZ").to_matrix(), plain.euler("xyz", ANGLES), 1e-6)


@row("library.pyrender")
def test_pyrender() -> None:
    node = need("pyrender").Node(rotation=array_of("pyrender"))
    close(node.matrix[:3, :3], H)


@row("library.three", "system.threejs")
def test_three() -> None:
    node = shutil.which("node")
    folder = os.environ.get("NODE_PATH")
    if node is None or folder is None or not (Path(folder) / "three").is_dir():
        pytest.skip("needs node, and NODE_PATH of a folder with the npm package three")
    script = f"""
        import * as THREE from '{folder}/three/build/three.module.js';
        const q = new THREE.Quaternion({", ".join(map(str, arguments_of("three")))});
        const m = new THREE.Matrix4().makeRotationFromQuaternion(q).transpose().elements;
        const e = new THREE.Matrix4().makeRotationFromEuler(new THREE.Euler({", ".join(map(str, ANGLES))}));
        const c = new THREE.PerspectiveCamera();
        const v = new THREE.Vector3(); c.getWorldDirection(v);
        console.log(JSON.stringify([q.toArray(), m, e.transpose().elements, v.toArray()]));
    """
    run = subprocess.run(
        [node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    array, m, e, looks = json.loads(run.stdout)
    close(array, array_of("three"))
    close(np.reshape(m, (4, 4))[:3, :3], H)
    close(np.reshape(e, (4, 4))[:3, :3], matrix_of("threejs", euler=ANGLES))
    close(looks, [0, 0, -1])
    assert str(conventions.get("threejs").things["camera"]) == "RUB"


# -- systems ------------------------------------------------------------------------------------------------


def _camera_pose() -> Pose[Any, Any]:
    """A camera somewhere: RDF in some right-handed world."""
    rotation = Rotation.from_matrix(H, source=frames.RDF, target=frames.dynamic("world", axes="free-right"))
    return Pose(rotation, [1.0, -2.0, 3.0])


@row("library.mujoco", "system.mujoco")
def test_mujoco() -> None:
    mujoco = need("mujoco")
    m = np.zeros(9)
    mujoco.mju_quat2Mat(m, array_of("mujoco"))
    close(m.reshape(3, 3), H)
    close(m.reshape(3, 3), matrix_of("mujoco", quat=WXYZ))
    degrees = stored_euler("mujoco", ANGLES)
    body = '<body name="b" euler="{} {} {}"><geom size="1"/><camera name="c"/></body>'.format(*degrees)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    close(matrix_of("mujoco", quat=model.body("b").quat), matrix_of("mujoco", euler=degrees))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    close(data.body("b").xmat.reshape(3, 3), matrix_of("mujoco", euler=degrees))
    close(matrix_of("mujoco", euler=degrees), plain.euler("XYZ", ANGLES))


@row("library.usd", "system.usd_y_up", "system.usd_z_up")
def test_usd() -> None:
    need("pxr")
    gf, usd, geom = need("pxr.Gf"), need("pxr.Usd"), need("pxr.UsdGeom")
    real, *imaginary = arguments_of("usd")
    quaternion = gf.Quatd(float(real), gf.Vec3d(*imaginary))
    stored = np.array(gf.Matrix3d(gf.Rotation(quaternion)))
    stage = usd.Stage.CreateInMemory()
    assert geom.GetStageUpAxis(stage) == "Y"
    for system in ("usd_y_up", "usd_z_up"):
        euler = conventions.get(system).euler
        assert euler is not None
        close(matrix_of(system, matrix=stored), matrix_of(system, quat=WXYZ))
        close(matrix_of(system, quat=WXYZ), H)
        prim = geom.Xform.Define(stage, f"/{system}")
        degrees = stored_euler(system, ANGLES)
        prim.AddTranslateOp().Set(gf.Vec3d(1, 2, 3))
        prim.AddRotateXYZOp(geom.XformOp.PrecisionDouble).Set(gf.Vec3d(*degrees))
        pose = conventions.get(system).decode(matrix=np.array(prim.GetLocalTransformation()))
        assert isinstance(pose, Pose)
        close(pose.rotation.as_matrix(), matrix_of(system, euler=degrees), 1e-9)
        close(pose.translation, np.array([1, 2, 3]) * geom.GetStageMetersPerUnit(stage))


@row("system.carla")
def test_carla() -> None:
    carla = need("carla")
    pitch, yaw, roll = 20.0, -75.0, 130.0
    transform = carla.Transform(carla.Location(1, 2, 3), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))
    m = np.array(transform.get_matrix())
    close(m[:3, :3], matrix_of("carla", euler=[pitch, yaw, roll]), 1e-6)
    close(m[:3, 3], [1, 2, 3])
    forward, right, up = (
        transform.get_forward_vector(),
        transform.get_right_vector(),
        transform.get_up_vector(),
    )
    assert str(conventions.get("carla").things["body"]) == "FRU"
    columns = [[v.x, v.y, v.z] for v in (forward, right, up)]
    close(np.transpose(columns), m[:3, :3], 1e-6)
    assert not [name for name in dir(carla) if "quat" in name.lower()], "it has a quaternion now"


@row("system.opencv")
def test_opencv() -> None:
    cv2 = need("cv2")
    pose = _camera_pose()
    m, tvec = conventions.get("opencv").encode(pose, "matrix")
    rvec, _ = cv2.Rodrigues(m)
    point = np.array([0.5, -0.25, 4.0])  # right, down, forward of the camera
    image, _ = cv2.projectPoints(pose.apply(point)[None], rvec, tvec, np.eye(3), np.zeros(5))
    close(image.ravel(), point[:2] / point[2], 1e-9)


@row("library.imufusion", "system.madgwick")
def test_imufusion() -> None:
    imufusion = need("imufusion")
    m = imufusion.quaternion_to_matrix(array_of("imufusion"))
    close(m, H, 1e-6)
    close(m, matrix_of("madgwick", quat=WXYZ), 1e-6)
    euler = imufusion.quaternion_to_euler(WXYZ)
    close(matrix_of("madgwick", euler=np.asarray(euler, dtype=np.float64)), H, 1e-6)
    filter_ = imufusion.Ahrs()
    for _ in range(2000):  # level, x towards magnetic north, which dips in the northern half of the earth
        filter_.update(np.zeros(3), np.array([0.0, 0, 1]), np.array([1.0, 0, -1]))
    got = np.asarray(getattr(filter_, "quaternion", None) or filter_.get_quaternion(), dtype=np.float64)
    north = matrix_of("madgwick", quat=got) @ [1, 0, 0]
    close(north, plain.basis("NWU") @ [0, 1, 0], 1e-2)


@row("library.vqf", "system.vqf")
def test_vqf() -> None:
    vqf = need("vqf").VQF(0.01)
    for _ in range(500):  # level, x towards magnetic north
        vqf.update(np.zeros(3), np.array([0, 0, 9.81]), np.array([1.0, 0, -1.0]))
    R = matrix_of("vqf", quat=vqf.getQuat9D())
    close(R @ [1, 0, 0], plain.basis("ENU") @ [0, 1, 0], 1e-6)
    close(R @ [0, 0, 1], [0, 0, 1], 1e-6)


@row("library.pymavlink", "system.mavlink", "system.ardupilot")
def test_pymavlink() -> None:
    quaternion = need("pymavlink.quaternion").QuaternionBase
    close(quaternion(array_of("pymavlink")).dcm, H)
    roll, pitch, yaw = ANGLES
    made = quaternion([roll, pitch, yaw])
    close(made.dcm, plain.euler("ZYX", [yaw, pitch, roll]))
    for system in ("mavlink", "ardupilot"):
        close(matrix_of(system, quat=made.q), matrix_of(system, euler=stored_euler(system, ANGLES)))


@row("system.ros")
def test_rosbags_field_order() -> None:
    """Fields of the ROS message by name, in the order of its definition: the row's order."""
    typesys = need("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    fields = store.types["geometry_msgs/msg/Quaternion"].__dataclass_fields__
    names = [name for name in fields if len(name) == 1]
    assert "".join(names) == conventions.get("ros").order


@row("system.tum", "system.euroc", "system.kitti_odometry")
def test_evo(tmp_path: Path) -> None:
    """Files written with the rows' numbers and read by evo are the pose they were made of."""
    file_interface = need("evo.tools.file_interface")
    pose = _camera_pose()

    def numbers(system: str) -> tuple[np.ndarray, np.ndarray]:
        q, p = conventions.get(system).encode(pose)
        return q, p

    def line(values: Any, separator: str) -> str:
        return separator.join(repr(float(value)) for value in values)

    expected = pose.as_matrix()
    q, p = numbers("tum")
    tum = tmp_path / "tum.txt"
    tum.write_text(line([1.5, *p, *q], " ") + "\n")
    close(file_interface.read_tum_trajectory_file(str(tum)).poses_se3[0], expected)

    q, p = numbers("euroc")
    euroc = tmp_path / "euroc.csv"
    euroc.write_text("#timestamp\n1500000000," + line([*p, *q, *np.zeros(9)], ",") + "\n")
    close(file_interface.read_euroc_csv_trajectory(str(euroc)).poses_se3[0], expected)

    m = conventions.get("kitti_odometry").encode(pose, "transform")
    kitti = tmp_path / "kitti.txt"
    kitti.write_text(line(m[:3].ravel(), " ") + "\n")
    close(file_interface.read_kitti_poses_file(str(kitti)).poses_se3[0], expected)


@row("system.gltf")
def test_gltf_through_trimesh(tmp_path: Path) -> None:
    """A glTF node whose rotation holds the row's numbers, read by trimesh."""
    trimesh = need("trimesh")
    rotation = [float(number) for number in in_order(conventions.get("gltf").order or "")]
    box = trimesh.Scene(trimesh.creation.box()).export(file_type="gltf")
    tree = json.loads(box["model.gltf"])
    named = next(node for node in tree["nodes"] if "mesh" in node)
    named.pop("matrix", None)
    named.update(rotation=rotation, translation=[1.0, 2.0, 3.0], name="turned")
    box["model.gltf"] = json.dumps(tree).encode()
    for name, content in box.items():
        (tmp_path / name).write_bytes(content)
    scene = trimesh.load(tmp_path / "model.gltf", force="scene")
    m = scene.graph.get(scene.graph.nodes_geometry[0])[0]
    close(m[:3, :3], matrix_of("gltf", quat=rotation))
    close(m[:3, 3], [1, 2, 3])


@row("system.kitti_oxts")
def test_pykitti() -> None:
    """The development kit's own rule for oxts packets, as pykitti has it."""
    utils = need("pykitti.utils")
    roll, pitch, yaw = ANGLES
    zeros = dict.fromkeys(utils.OxtsPacket._fields, 0.0)
    packet = utils.OxtsPacket(**{**zeros, "lat": 49.0, "lon": 8.4, "roll": roll, "pitch": pitch, "yaw": yaw})
    m, _ = utils.pose_from_oxts_packet(packet, 1.0)
    close(m, matrix_of("kitti_oxts", euler=ANGLES))


@row("system.comma2k19")
def test_earth_axes_by_pymap3d() -> None:
    """What comma2k19's world is to a level one: ECEF to ENU at an origin, by another library."""
    pymap3d = need("pymap3d")
    origin = (37.4, -122.1, 32.0)
    here = np.array(pymap3d.geodetic2ecef(*origin)) + np.array([100.0, -200.0, 300.0])
    ours = convert(position=here, from_="comma2k19", to="ros", origin=origin).position
    close(ours, pymap3d.ecef2enu(*here, *origin), 1e-7)
