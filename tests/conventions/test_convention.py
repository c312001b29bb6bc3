"""One convention's own numbers: order, direction, algebra, rows, Euler angles, things, lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import plain
import pytest

from boresight import Attitude, Pose, Rotation, conventions, frames
from boresight.errors import ConventionError, InvalidRowsError

ROWS = [(name, thing) for name in conventions.names() for thing in conventions.get(name).things]
PX4 = conventions.get("px4")
H = plain.hamilton(plain.WXYZ)


def matrix(value: Any) -> np.ndarray:
    return (value.rotation if isinstance(value, Pose) else value).as_matrix()


@pytest.mark.parametrize(("name", "thing"), ROWS)
def test_stored_numbers_by_definition(name: str, thing: str) -> None:
    """The definition of each field, written out once more in plain NumPy, against decode and encode."""
    row = conventions.get(name)
    orientation = plain.random_rotations(1, 5)
    position = np.random.default_rng(2).normal(size=(5, 3)) * 10
    for R, p in zip(orientation, position, strict=True):
        stored = R if row.direction == "body_to_world" else R.T
        at = p / float(row.metres)
        if row.direction == "world_to_body":
            at = -R.T @ at
        elif row.position_world is not row.world:
            at = plain.basis(str(row.position_world)) @ plain.basis(str(row.world)).T @ at
        m = stored.T if row.matrix == "row_vectors" else stored
        pose = row.decode(matrix=m, position=at, thing=thing)
        assert isinstance(pose, Pose)
        np.testing.assert_allclose(matrix(pose), R, atol=1e-14)
        np.testing.assert_allclose(pose.translation, p, rtol=1e-13, atol=1e-12)
        assert pose.source.axes is row.things[thing] and pose.target.axes is row.world
        back, back_at = row.encode(pose, "matrix", thing=thing)
        np.testing.assert_allclose(back, m, atol=1e-14)
        np.testing.assert_allclose(back_at, at, rtol=1e-13, atol=1e-11)
        order = row.order or "wxyz"
        q, _ = row.encode(pose, thing=thing, order=order if row.order is None else None)
        wxyz = np.roll(q, 1) if order == "xyzw" else q
        np.testing.assert_allclose(plain.hamilton(wxyz), stored, atol=1e-14)
        np.testing.assert_allclose(matrix(row.decode(quat=q, order=order, thing=thing)), R, atol=1e-14)
        if row.euler is not None:
            angles, _ = row.encode(pose, "euler", thing=thing)
            radians = np.radians(angles) if row.euler.unit == "deg" else angles
            by_name = dict(zip(row.euler.arguments, radians, strict=True))
            signed = [
                by_name[n] * (1 if s == "+" else -1)
                for n, s in zip(row.euler.names, row.euler.signs, strict=True)
            ]
            np.testing.assert_allclose(plain.euler(row.euler.sequence, signed), stored, atol=1e-13)
            np.testing.assert_allclose(matrix(row.decode(euler=angles, thing=thing)), R, atol=1e-13)


def test_four_by_four_holds_the_position() -> None:
    for name in ("nerf", "pytorch3d"):
        row = conventions.get(name)
        pose = Pose(
            Rotation.from_matrix(H, source=frames.RUB, target=frames.dynamic("world", axes="FLU")), [1, 2, 3]
        )
        m = row.encode(pose, "transform")
        assert m.shape == (4, 4)
        end = m[:, 3] if row.matrix == "row_vectors" else m[3]
        assert end.tolist() == [0, 0, 0, 1]
        again = row.decode(matrix=m)
        apart = row.decode(matrix=m[:3, :3], position=m[3, :3] if row.matrix == "row_vectors" else m[:3, 3])
        np.testing.assert_allclose(again.as_matrix(), apart.as_matrix(), atol=1e-15)
        with pytest.raises(ConventionError, match="is 0 0 0 1, and that of this one is not; transpose it"):
            row.decode(matrix=m.T)
        with pytest.raises(ConventionError, match="holds the position already"):
            row.decode(matrix=m, position=[0, 0, 0])


def test_four_by_four_of_zeros_is_a_bad_row() -> None:
    nerf = conventions.get("nerf")
    m = np.stack([np.eye(4), np.zeros((4, 4)), np.full((4, 4), np.nan)])
    with pytest.raises(InvalidRowsError, match="row 1"):
        nerf.decode(matrix=m)
    pose = nerf.decode(matrix=m, invalid="nan")
    assert np.isnan(pose.as_matrix()[:, :3]).all(axis=(1, 2)).tolist() == [False, True, True]


def test_an_attitude_is_encoded_like_its_rotation() -> None:
    attitude = Attitude.from_body_to_ned(plain.WXYZ, order="wxyz")
    np.testing.assert_array_equal(PX4.encode(attitude), PX4.encode(attitude.rotation))


def test_jpl_means_the_transpose() -> None:
    jpl = PX4.replace(algebra="jpl")
    np.testing.assert_allclose(matrix(jpl.decode(quat=plain.WXYZ)), H.T, atol=1e-15)
    np.testing.assert_allclose(jpl.encode(jpl.decode(quat=plain.WXYZ)), plain.WXYZ, atol=1e-15)
    both = PX4.replace(algebra="jpl", direction="world_to_body")
    np.testing.assert_allclose(matrix(both.decode(quat=plain.WXYZ)), H, atol=1e-15)
    # A matrix means itself, whatever the algebra of quaternions.
    np.testing.assert_allclose(matrix(jpl.decode(matrix=H)), H, atol=1e-15)


def test_physics_of_left_handed_systems() -> None:
    """Nose up, right side down, by the words of the systems' own documents."""
    carla, unity = conventions.get("carla"), conventions.get("unity")
    nose_up = carla.decode(euler=[30, 0, 0])
    np.testing.assert_allclose(nose_up.apply([1, 0, 0]), [np.sqrt(0.75), 0, 0.5], atol=1e-12)
    right_turn = carla.decode(euler=[0, 30, 0])
    np.testing.assert_allclose(right_turn.apply([1, 0, 0]), [np.sqrt(0.75), 0.5, 0], atol=1e-12)
    right_side_down = carla.decode(euler=[0, 0, 30])
    np.testing.assert_allclose(right_side_down.apply([0, 1, 0]), [0, np.sqrt(0.75), -0.5], atol=1e-12)
    # Unity: a positive turn about y, which is up, turns the nose (z) to the right (x).
    np.testing.assert_allclose(unity.decode(euler=[0, 90, 0]).apply([0, 0, 1]), [1, 0, 0], atol=1e-12)


def test_unity_connector_formula() -> None:
    """Unity's own connector: FLU of a quaternion x, y, z, w is (z, -x, y, -w), of a vector (z, -x, y)."""
    x, y, z, w = plain.XYZW
    pose = conventions.get("unity").decode(quat=plain.XYZW, position=[1.0, 2.0, 3.0])
    ros, p = conventions.get("ros_odom").encode(pose)
    theirs = np.array([z, -x, y, -w])
    assert min(abs(ros - theirs).max(), abs(ros + theirs).max()) < 1e-15
    np.testing.assert_array_equal(p, [3.0, -1.0, 2.0])


def test_decode_is_framed_and_composes_no_further_than_it_should() -> None:
    R = PX4.decode(quat=plain.WXYZ)
    assert R.source is frames.FRD and R.target is frames.NED
    level = conventions.get("ros_odom").decode(quat=plain.XYZW)
    assert level.source is frames.FLU
    assert level.target is not frames.FLU, "a level world is no body, though it shares its letters"
    with pytest.raises(TypeError):
        level @ level


def test_units_are_divided_exactly() -> None:
    pose = conventions.get("unreal").decode(quat=[0, 0, 0, 1], position=[110.0, 0.3, 7.0])
    assert pose.translation.tolist() == [1.1, 0.3 / 100, 0.07]
    assert conventions.get("spice").decode(quat=[1, 0, 0, 0], position=[1, 0, 0]).translation[0] == -1000


def test_batches_and_precision() -> None:
    q = np.tile(plain.WXYZ, (2, 3, 1)).astype(np.float32)
    R = PX4.decode(quat=q)
    assert R.shape == (2, 3)
    assert PX4.encode(R).dtype == np.float32
    assert PX4.encode(R).shape == (2, 3, 4)
    assert PX4.decode(euler=np.zeros((0, 3))).shape == (0,)
    assert PX4.decode(quat=[1, 0, 0, 0]).as_matrix().dtype == np.float64


def test_invalid_rows() -> None:
    q = np.array([plain.WXYZ, [0, 0, 0, 0], [np.nan, 0, 0, 1]])
    with pytest.raises(InvalidRowsError, match="row 1"):
        PX4.decode(quat=q)
    R = PX4.decode(quat=q, invalid="nan")
    np.testing.assert_array_equal(np.isnan(R.as_quat(order="xyzw")).all(axis=-1), [False, True, True])


# -- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "numbers", "message"),
    [
        ("carla", {"quat": [1, 0, 0, 0]}, 'carla stores no quaternion.*order_in="xyzw" or "wxyz"'),
        ("px4", {"quat": [1, 0, 0, 0], "order": "xyzw"}, "px4 stores quaternions as wxyz, not xyzw"),
        ("carla", {"quat": [1, 0, 0, 0], "order": "xwyz"}, "not 'xwyz'"),
        ("colmap", {"euler": [0, 0, 0]}, "colmap has no Euler angles"),
        ("px4", {"euler": [0, 0]}, r"shape \(\.\.\., 3\): roll, pitch, yaw"),
        ("px4", {"quat": [1, 0, 0, 0], "euler": [0, 0, 0]}, "quat and euler are both orientations"),
        ("px4", {"position": [0, 0, 0]}, "no orientation of px4"),
        ("px4", {"quat": [1, 0, 0, 0], "thing": "lidar"}, "px4 has no thing 'lidar'; it has body"),
        ("px4", {"matrix": np.eye(2)}, r"shape \(\.\.\., 3, 3\) or \(\.\.\., 4, 4\), not \(2, 2\)"),
    ],
)
def test_decode_refuses(system: str, numbers: dict[str, Any], message: str) -> None:
    with pytest.raises(ConventionError, match=message):
        conventions.get(system).decode(**numbers)


def test_order_where_the_system_fixes_none() -> None:
    R = conventions.get("carla").decode(quat=plain.XYZW, order="xyzw")
    np.testing.assert_allclose(R.as_matrix(), H, atol=1e-15)


def test_encode_refuses_a_rotation_without_frames() -> None:
    with pytest.raises(ConventionError, match=r"name them with \.between\(source, target\)"):
        PX4.encode(Rotation.from_quat(plain.WXYZ, order="wxyz"))


def test_encode_keeps_rows_that_are_nan() -> None:
    """Whoever made them asked for NaN; the other rows are what they are alone."""
    R = Rotation.from_quat(
        [plain.WXYZ, np.zeros(4)], order="wxyz", source=frames.FLU, target=frames.ENU, invalid="nan"
    )
    for form in ("quat", "matrix", "euler"):
        numbers = PX4.encode(R, form)
        np.testing.assert_array_equal(numbers[0], PX4.encode(R[0], form))
        assert np.isnan(numbers[1]).all()
    q, p = PX4.encode(Pose(R, np.ones((2, 3))))
    assert np.isnan(q[1]).all() and p.tolist() == [[1, 1, -1]] * 2
    assert np.isnan(PX4.encode(Attitude.from_body_to_ned(np.zeros(4), order="wxyz"))).all()


def test_encode_refuses_an_unknown_form() -> None:
    with pytest.raises(ConventionError, match='as_ is "quat", "matrix", "euler" or "transform"'):
        PX4.encode(PX4.decode(quat=plain.WXYZ), "rotvec")  # type: ignore[arg-type]


def test_replace_refuses_unknown_fields() -> None:
    with pytest.raises(ConventionError, match="no handed"):
        PX4.replace(handed="left")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"direction": "up"}, "direction is 'up'"),
        ({"things": {}}, "describes nothing"),
        ({"things": {"body": "ENU"}}, "a thing has letters of F B L R U D"),
        ({"position_world": "FLU"}, "are not of one kind"),
    ],
)
def test_a_convention_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConventionError, match=message):
        PX4.replace(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sequence": "ZyX"}, "no Euler sequence"),
        ({"signs": "+-"}, "no signs"),
        ({"unit": "grad"}, "deg"),
        ({"arguments": ["a", "b", "c"]}, "are not the names"),
        ({"more": 1}, "euler has"),
    ],
)
def test_euler_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    assert PX4.euler is not None
    with pytest.raises(ConventionError, match=message):
        conventions.Euler.from_dict({**PX4.euler.to_dict(), **changes})
