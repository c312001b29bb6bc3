"""`convert` between every two systems, against plain NumPy; and what it refuses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import plain
import pytest

from boresight import conventions, convert
from boresight.conventions import Convention
from boresight.errors import ConventionError, InvalidRowsError

Array = np.ndarray
ROWS = [
    (name, thing)
    for name in conventions.names()
    for thing, axes in conventions.get(name).things.items()
    if axes.kind == "local" and conventions.get(name).world.kind in ("local", "compass")
]
R = plain.random_rotations(3, 3)
P = np.random.default_rng(4).normal(size=(3, 3)) * 20
SQUARE = np.random.default_rng(5).normal(size=(3, 6, 6))
COVARIANCE = SQUARE @ SQUARE.swapaxes(-1, -2)


class Numbers:
    """What a system writes for body FLU in ENU (or a level world whose forward is east), in plain NumPy."""

    def __init__(self, row: Convention, thing: str) -> None:
        self.row = row
        self.body = plain.basis(str(row.things[thing]))
        self.world = plain.basis(str(row.world))
        inverse = row.direction == "world_to_body"
        self.places = self.world if inverse else plain.basis(str(row.position_world))
        self.unit = 1 / float(row.metres)
        self.axial_body = np.linalg.det(self.body) * self.body
        self.axial_world = np.linalg.det(self.world) * self.world
        own = self.world @ R @ self.body.T
        stored = own.swapaxes(-1, -2) if inverse else own
        self.matrix = stored.swapaxes(-1, -2) if row.matrix == "row_vectors" else stored
        at = P @ self.places.T * self.unit
        self.position = -np.einsum("nij,nj->ni", stored, at) if inverse else at
        self.velocity = P @ self.places.T * self.unit
        self.rate = P @ self.axial_body.T
        both = np.zeros((6, 6))
        both[:3, :3], both[3:, 3:] = self.places * self.unit, self.axial_world
        self.covariance = both @ COVARIANCE @ both.T
        if inverse:
            # t = -S c; of c + dc, turned by dtheta about the world's axes, dt = -S (dc + c x dtheta)
            jacobian = np.tile(np.eye(6), (len(at), 1, 1))
            jacobian[:, :3, :3] = -stored
            jacobian[:, :3, 3:] = -stored @ np.stack([np.cross(at, axis) for axis in np.eye(3)], axis=-1)
            self.covariance = jacobian @ self.covariance @ jacobian.swapaxes(-1, -2)


@pytest.mark.parametrize(("name", "thing"), ROWS)
def test_every_system_to_every_other(name: str, thing: str) -> None:
    row = conventions.get(name)
    old = Numbers(row, thing)
    for other, to_thing in ROWS:
        to = conventions.get(other)
        new = Numbers(to, to_thing)
        got = convert(
            matrix=old.matrix,
            position=old.position,
            velocity=old.velocity,
            rate=old.rate,
            covariance=old.covariance,
            from_=row,
            to=to,
            as_="matrix",
            thing=thing,
            to_thing=to_thing,
            forward="E",
        )
        assert got._fields == ("matrix", "position", "velocity", "rate", "covariance")
        for field in got._fields:
            wanted = getattr(new, field)
            scale = np.abs(wanted).max()
            np.testing.assert_allclose(
                getattr(got, field), wanted, rtol=1e-12, atol=1e-14 * scale * 50, err_msg=f"{other} {field}"
            )


@pytest.mark.parametrize(("name", "thing"), ROWS)
def test_there_and_back(name: str, thing: str) -> None:
    row = conventions.get(name)
    old = Numbers(row, thing)
    forms = ["quat", "matrix"] if row.euler is None else ["quat", "matrix", "euler"]
    for form in forms:
        order: Any = None if row.order or form != "quat" else "wxyz"
        there = convert(
            matrix=old.matrix,
            position=old.position,
            from_=row,
            to="px4",
            thing=thing,
            to_thing="body",
            forward=30,
        )
        back = convert(
            quat=there.quat,
            position=there.position,
            from_="px4",
            to=row,
            to_thing=thing,
            as_=form,
            order_out=order,
            forward=30,
        )
        again = row.decode(**{form: back[0]}, position=back.position, thing=thing, order=order)
        once = row.decode(matrix=old.matrix, position=old.position, thing=thing)
        np.testing.assert_allclose(again.as_matrix(), once.as_matrix(), atol=1e-12)


def test_exactly_as_px4_to_ros_is_known() -> None:
    w, x, y, z = plain.WXYZ
    q, p, v, rate = convert(
        quat=plain.WXYZ, position=[1, 2, 3], velocity=[4, 5, 6], rate=[7, 8, 9], from_="px4", to="ros"
    )
    h = np.sqrt(0.5)
    wxyz = np.array([w + z, x + y, x - y, w - z]) * h
    np.testing.assert_allclose(np.roll(q, 1), wxyz, rtol=0, atol=1e-16)
    assert p.tolist() == [2, 1, -3]
    assert v.tolist() == [5, 4, -6]
    assert rate.tolist() == [7, -8, -9]


def test_numbers_are_moved_and_not_computed() -> None:
    """Between systems that differ by signs and places alone, every number comes out bit for bit."""
    values = np.random.default_rng(6).normal(size=(50, 3)) * 1e3
    got = convert(position=values, velocity=values, rate=values, from_="unity", to="ros_odom")
    for part in got:
        np.testing.assert_array_equal(np.sort(np.abs(part)), np.sort(np.abs(values)))


# -- things -------------------------------------------------------------------------------------------------


def test_a_thing_is_meant_in_both_systems() -> None:
    camera = convert(quat=[0, 0, 0, 1], from_="gltf", to="ros_odom", thing="camera")
    # Looking along -z of glTF, the way an unturned camera faces, is forward: RDF in FLU.
    expected = plain.basis("FLU") @ plain.basis("RDF").T
    np.testing.assert_allclose(plain.hamilton(np.roll(camera.quat, 1)), expected, atol=1e-15)


def test_without_a_name_each_system_means_its_first() -> None:
    named = convert(quat=plain.XYZW, from_="threejs", to="ros_odom", thing="camera", to_thing="body")
    unnamed = convert(quat=plain.XYZW, from_="threejs", to="ros_odom")
    np.testing.assert_array_equal(named.quat, unnamed.quat)


def test_a_thing_that_only_one_system_has() -> None:
    lidar = convert(quat=plain.WXYZ, from_="nuscenes", to="ros_odom", thing="lidar").quat
    expected = plain.hamilton(plain.WXYZ) @ plain.basis("RFU") @ plain.basis("FLU").T
    np.testing.assert_allclose(plain.hamilton(np.roll(lidar, 1)), expected, atol=1e-15)


def test_forms() -> None:
    pose: dict[str, Any] = {"quat": plain.XYZW, "position": [1.0, 2.0, 3.0], "from_": "ros_odom"}
    joined = convert(**pose, to="usd_z_up", as_="transform").transform
    apart = convert(**pose, to="usd_z_up", as_="matrix")
    np.testing.assert_array_equal(joined[:3, :3], apart.matrix)
    np.testing.assert_array_equal(joined[3, :3], apart.position)
    back = convert(matrix=joined, from_="usd_z_up", to="ros_odom", to_thing="body")
    assert back._fields == ("quat", "position")
    np.testing.assert_allclose(plain.hamilton(np.roll(back.quat, 1)), plain.hamilton(plain.WXYZ), atol=1e-15)
    np.testing.assert_allclose(back.position, [1, 2, 3], atol=1e-15)
    assert convert(matrix=joined, from_="usd_z_up", to="ros_odom", as_="matrix").matrix.shape == (4, 4)


def test_what_comes_back_is_a_named_tuple() -> None:
    got = convert(quat=plain.WXYZ, rate=[1, 2, 3], from_="px4", to="ros")
    q, rate = got
    assert got.quat is q and got.rate is rate
    again = pickle.loads(pickle.dumps(got))
    np.testing.assert_array_equal(again.quat, q)
    assert got._asdict().keys() == {"quat", "rate"}
    with pytest.raises(AttributeError, match="no position: it was not given; there is quat, rate"):
        _ = got.position


def test_broadcasting_and_nan() -> None:
    q = np.tile(plain.WXYZ, (4, 1))
    q[2] = 0
    with pytest.raises(InvalidRowsError, match="row 2"):
        convert(quat=q, from_="px4", to="ros")
    got = convert(quat=q, position=[1, 2, 3], from_="px4", to="ros", invalid="nan")
    assert np.isnan(got.quat).all(axis=-1).tolist() == [False, False, True, False]
    assert got.position.tolist() == [2, 1, -3]
    assert convert(quat=np.zeros((0, 4)), from_="px4", to="ros").quat.shape == (0, 4)


def test_float32_stays() -> None:
    q = np.asarray(plain.WXYZ, dtype=np.float32)
    vector = np.ones((2, 3), dtype=np.float32)
    square = np.eye(6, dtype=np.float32)
    got = convert(
        quat=q, position=vector, velocity=vector, rate=vector, covariance=square, from_="px4", to="unreal",
        forward=20,
    )  # fmt: skip
    assert {part.dtype.name for part in got} == {"float32"}


def test_arguments_are_left_alone() -> None:
    q, p, cov = plain.WXYZ.copy(), np.ones(3), np.eye(6)
    convert(quat=q, position=p, covariance=cov, from_="px4", to="unity", forward="N")
    np.testing.assert_array_equal(q, plain.WXYZ)
    assert p.tolist() == [1, 1, 1] and (cov == np.eye(6)).all()


# -- covariances --------------------------------------------------------------------------------------------


def test_three_by_three_covariance_of_the_one_quantity_given() -> None:
    p = np.diag([1.0, 2.0, 3.0])
    p[0, 1] = p[1, 0] = 0.5
    swapped = convert(velocity=[0, 0, 0], covariance=p, from_="px4", to="ros").covariance
    assert np.diag(swapped).tolist() == [2, 1, 3] and swapped[0, 1] == 0.5
    of_rate = convert(rate=[0, 0, 0], covariance=p, from_="px4", to="ros").covariance
    assert np.diag(of_rate).tolist() == [1, 2, 3] and of_rate[0, 1] == -0.5


def test_three_by_three_covariance_that_is_the_same_for_all_given() -> None:
    both = convert(quat=plain.WXYZ, position=[0, 0, 0], covariance=np.diag([1, 2, 3]), from_="px4", to="ros")
    assert np.diag(both.covariance).tolist() == [2, 1, 3]


def test_three_by_three_covariance_has_to_say_of_what() -> None:
    given: dict[str, Any] = {
        "position": [0, 0, 0],
        "covariance": np.eye(3),
        "from_": "unreal",
        "to": "ros_odom",
    }
    assert np.diag(convert(**given).covariance) == pytest.approx([1e-4] * 3, rel=1e-15)
    with pytest.raises(ConventionError, match='of="orientation" or of="position"'):
        convert(quat=plain.XYZW, **given)
    assert convert(quat=plain.XYZW, of="orientation", **given).covariance.tolist() == np.eye(3).tolist()
    with pytest.raises(ConventionError, match='of="orientation" or of="rate"'):
        convert(quat=plain.WXYZ, rate=[0, 0, 0], covariance=np.eye(3), from_="px4", to="ros")
    with pytest.raises(ConventionError, match='of="position" or of="orientation" or'):
        convert(covariance=np.eye(3), from_="px4", to="ros")
    with pytest.raises(ConventionError, match="of='speed' is no quantity"):
        convert(covariance=np.eye(3), of="speed", from_="px4", to="ros")
    with pytest.raises(ConventionError, match="leave of= out"):
        convert(covariance=np.eye(6), of="rate", from_="px4", to="ros")
    with pytest.raises(ConventionError, match=r"shape \(\.\.\., 3, 3\) or \(\.\.\., 6, 6\), not \(4, 4\)"):
        convert(covariance=np.eye(4), from_="px4", to="ros")


def test_a_mirror_flips_what_ties_position_to_rotation() -> None:
    p = np.eye(6)
    p[0, 3] = p[3, 0] = 0.25
    mirrored = convert(covariance=p, from_="unity", to="ros_odom").covariance
    # x of Unity is right, -y of FLU; as an axis of rotation it is y of FLU once more mirrored.
    assert mirrored[1, 4] == -0.25 and mirrored[4, 1] == -0.25


def test_a_covariance_keeps_the_mark_of_what_is_not_known() -> None:
    unknown = np.zeros((3, 3))
    unknown[0, 0] = np.nan
    got = convert(covariance=unknown, of="position", from_="px4", to="ros").covariance
    assert np.isnan(got).sum() == 1 and np.isnan(got[1, 1])


# -- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quat": plain.WXYZ, "from_": "px5", "to": "ros"}, "did you mean px4"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "unity"}, 'forward="E" \\(or N, S, W\\)'),
        ({"quat": plain.XYZW, "from_": "ros_odom", "to": "px4"}, "the world of ros_odom is level"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "unity", "forward": "X"}, "forward='X' is no direction"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "unity", "forward": np.nan}, "is no direction"),
        ({"quat": plain.WXYZ, "from_": "comma2k19", "to": "px4"}, r"origin=\(latitude, longitude, height"),
        ({"quat": plain.WXYZ, "from_": "comma2k19", "to": "px4", "origin": (91, 0, 0)}, "is no place"),
        (
            {"quat": plain.WXYZ, "from_": "comma2k19", "to": "px4", "origin": (1, 0)},
            r"origin has shape \(2,\)",
        ),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "carla"}, 'order_out="xyzw" or "wxyz"'),
        ({"quat": plain.WXYZ, "from_": "carla", "to": "px4"}, 'order_in="xyzw" or "wxyz"'),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "ros", "as_": "euler", "order_in": "xyzw"}, "not xyzw"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "colmap", "as_": "euler"}, "colmap has no Euler angles"),
        ({"euler": [0, 0, 0], "from_": "colmap", "to": "px4"}, "colmap has no Euler angles"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "ros", "as_": "rotvec"}, "as_ is"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "ros", "thing": "lidar"}, "no thing 'lidar' in px4"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "ros", "to_thing": "lidar"}, "ros has no thing 'lidar'"),
        ({"position": [0, 0, 0], "from_": "opengl", "to": "ros_odom"}, "world's origin in body axes"),
        (
            {"position": [0, 0, 0], "from_": "ros_odom", "to": "opengl"},
            "give quat=, matrix= or euler= beside",
        ),
        ({"position": [0, 0], "from_": "px4", "to": "ros"}, r"shape \(\.\.\., 3\), not \(2,\)"),
        ({"rate": [0, 0], "from_": "px4", "to": "ros"}, r"shape \(\.\.\., 3\), not \(2,\)"),
        ({"from_": "px4", "to": "ros"}, "nothing to convert"),
        (
            {"quat": plain.WXYZ, "from_": "px4", "to": "ros", "as_": "transform"},
            "an orientation and a position",
        ),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "ros", "world": "NWU"}, "leave it out"),
        ({"quat": plain.WXYZ, "from_": "px4", "to": "ros", "body": "FLU"}, "leave it out"),
        ({"quat": plain.XYZW, "from_": "tum", "to": "unity"}, 'say the axes of the free world: world="RDF"'),
        ({"quat": plain.WXYZ, "from_": "vqf", "to": "carla", "as_": "matrix"}, 'free body: body="FLU"'),
        (
            {"quat": plain.WXYZ, "from_": "euroc", "to": "unity"},
            'world="RDF" or .* and the axes of the free body',
        ),
        ({"quat": plain.XYZW, "from_": "tum", "to": "unity", "world": "RUF"}, "world='RUF' is left-handed"),
        ({"quat": plain.XYZW, "from_": "tum", "to": "ros", "world": "free"}, "names no directions"),
        ({"quat": plain.XYZW, "from_": "tum", "to": "ros", "world": "RDX"}, "'RDX' names no axes"),
        (
            {"quat": plain.WXYZ, "from_": "vqf", "to": "ros", "body": "ENU"},
            "a body has letters of F B L R U D",
        ),
        ({"quat": plain.WXYZ, "from_": "vqf", "to": "ros", "body": "FRU"}, "body='FRU' is left-handed"),
        (
            {"matrix": np.eye(4), "position": [0, 0, 0], "from_": "px4", "to": "ros"},
            "holds the position already",
        ),
    ],
)
def test_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConventionError, match=message):
        convert(**arguments)
