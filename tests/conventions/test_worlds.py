"""Between kinds of world: a heading, a place on the earth, a world of which nothing is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import plain
import pytest

from boresight import conventions, convert
from boresight.conventions import change
from boresight.errors import ConventionError

R = plain.random_rotations(7, 4)
P = np.random.default_rng(8).normal(size=(4, 3)) * 100

# Headings of forward, clockwise from north, and the compass letter where it has one.
HEADINGS = [("N", 0.0), ("E", 90.0), ("S", 180.0), ("W", 270.0), (33.0, 33.0), ("-20.5", 339.5), (450, 90.0)]


def level(heading: float) -> np.ndarray:
    """Return the matrix that takes FLU coordinates of a level world to ENU."""
    angle = np.radians(heading)
    forward = [np.sin(angle), np.cos(angle), 0]
    left = [-np.cos(angle), np.sin(angle), 0]
    return np.array([forward, left, [0, 0, 1]]).T


@pytest.mark.parametrize(("forward", "heading"), HEADINGS)
@pytest.mark.parametrize("local", ["ros_odom", "unity", "unreal", "sae_j670", "optitrack"])
@pytest.mark.parametrize("compass", ["px4", "ros", "carla", "xplane"])
def test_heading(local: str, compass: str, forward: Any, heading: float) -> None:
    old, new = conventions.get(local), conventions.get(compass)
    turn = plain.basis(str(new.world)) @ level(heading) @ plain.basis(str(old.world)).T
    places = plain.basis(str(new.position_world)) @ level(heading) @ plain.basis(str(old.world)).T
    body = plain.basis(str(new.thing_axes())) @ plain.basis(str(old.thing_axes())).T
    unit = float(old.metres)
    mirror = np.linalg.det(body)
    stored = plain.basis(str(old.world)) @ R @ plain.basis(str(old.thing_axes())).T
    covariance = np.diag([1.0, 2, 3, 4, 5, 6])
    got = convert(
        matrix=stored, position=P, velocity=P, rate=P, covariance=covariance, from_=local, to=compass,
        as_="matrix", forward=forward,
    )  # fmt: skip
    np.testing.assert_allclose(got.matrix, turn @ stored @ body.T, atol=1e-14)
    np.testing.assert_allclose(got.position, P @ places.T * unit, atol=1e-12)
    np.testing.assert_allclose(got.velocity, P @ places.T * unit, atol=1e-12)
    np.testing.assert_allclose(got.rate, mirror * P @ body.T, atol=1e-12)
    both = np.zeros((6, 6))
    both[:3, :3], both[3:, 3:] = places * unit, np.linalg.det(turn) * turn
    np.testing.assert_allclose(got.covariance, both @ covariance @ both.T, atol=1e-13)
    back = convert(
        matrix=got.matrix, position=got.position, rate=got.rate, covariance=got.covariance, from_=compass,
        to=local, as_="matrix", forward=forward,
    )  # fmt: skip
    np.testing.assert_allclose(back.matrix, stored, atol=1e-14)
    np.testing.assert_allclose(back.position, P, rtol=1e-13, atol=1e-11)
    np.testing.assert_allclose(back.covariance, covariance, atol=1e-9)


def test_quarter_turns_do_not_round() -> None:
    for forward in ("N", "E", "S", "W", 90, 270.0, -90):
        assert change("ros_odom", "px4", forward=forward).world.orientation.turn is None


@pytest.mark.parametrize("forward", [np.array(45.0), np.float32(45), 45])
def test_a_heading_is_any_number(forward: Any) -> None:
    north_east = convert(position=[5.0, 0, 0], from_="iso8855", to="ros", forward=forward).position
    np.testing.assert_allclose(north_east, [5 / 2**0.5, 5 / 2**0.5, 0], atol=1e-15)


@pytest.mark.parametrize(
    "forward", [[1.0, 2.0], np.array([1.0, 2.0]), {}, None.__class__, "NE", float("nan")]
)
def test_what_is_no_heading(forward: Any) -> None:
    with pytest.raises(ConventionError, match="is no direction; give N, E, S or W"):
        convert(position=[5.0, 0, 0], from_="iso8855", to="ros", forward=forward)


def test_forward_is_said_in_words_of_the_road() -> None:
    """A car drives 5 m straight on; forward is east; so it is 5 m further east."""
    got = convert(position=[5.0, 0, 0], from_="iso8855", to="ros", forward="E")
    assert got.position.tolist() == [5, 0, 0]
    north_east = convert(position=[5.0, 0, 0], from_="iso8855", to="ros", forward=45).position
    np.testing.assert_allclose(north_east, [5 * np.sqrt(0.5), 5 * np.sqrt(0.5), 0], atol=1e-15)


# -- the earth ----------------------------------------------------------------------------------------------

# Latitude, longitude (degrees), height, and ECEF in metres where the axes themselves tell it.
PLACES = [
    ((0.0, 0.0, 0.0), (6378137.0, 0.0, 0.0)),
    ((0.0, 90.0, 100.0), (0.0, 6378237.0, 0.0)),
    ((90.0, 0.0, 0.0), (0.0, 0.0, 6356752.314245179)),
    ((-90.0, 45.0, 10.0), (0.0, 0.0, -6356762.314245179)),
    ((37.4, -122.1, 32.0), None),
]


def ecef(latitude: float, longitude: float, height: float) -> np.ndarray:
    """Return ECEF from the ellipsoid's two axes: another way than the library's."""
    a, b = 6378137.0, 6356752.314245179497563967
    phi, lam = np.radians(latitude), np.radians(longitude)
    n = a * a / np.hypot(a * np.cos(phi), b * np.sin(phi))
    return np.array(
        [
            (n + height) * np.cos(phi) * np.cos(lam),
            (n + height) * np.cos(phi) * np.sin(lam),
            (n * (b / a) ** 2 + height) * np.sin(phi),
        ]
    )


@pytest.mark.parametrize(("origin", "at"), PLACES)
def test_origin(origin: tuple[float, float, float], at: tuple[float, float, float] | None) -> None:
    here = ecef(*origin) if at is None else np.array(at)
    got = convert(position=here, from_="comma2k19", to="ros", origin=origin).position
    np.testing.assert_allclose(got, 0, atol=2e-9)
    # Up is away from the ellipsoid: ten metres higher is ten metres up.
    above = ecef(origin[0], origin[1], origin[2] + 10)
    got = convert(position=above, from_="comma2k19", to="px4", origin=origin).position
    np.testing.assert_allclose(got, [0, 0, -10], atol=4e-9)


def test_north_and_east_are_where_they_should_be() -> None:
    latitude, longitude = 37.4, -122.1
    north = ecef(latitude + 1e-4, longitude, 0)
    east = ecef(latitude, longitude + 1e-4, 0)
    got = convert(
        position=[north, east], from_="comma2k19", to="ros", origin=(latitude, longitude, 0)
    ).position
    assert got[0, 1] > 11 and abs(got[0, 0]) < 1e-6
    assert got[1, 0] > 8 and abs(got[1, 1]) < 1e-4


@pytest.mark.parametrize("to", ["ros", "px4", "carla", "ros_odom", "unity", "xplane"])
def test_earth_there_and_back(to: str) -> None:
    origin, forward = (37.4, -122.1, 32.0), 33.0
    q = np.random.default_rng(9).normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    p = ecef(*origin) + np.random.default_rng(10).normal(size=(5, 3)) * 1e3
    there = convert(
        quat=q, position=p, velocity=P[0], rate=P[0], from_="comma2k19", to=to, origin=origin, forward=forward,
        as_="matrix",
    )  # fmt: skip
    back = convert(
        matrix=there.matrix, position=there.position, velocity=there.velocity, rate=there.rate, from_=to,
        to="comma2k19", origin=origin, forward=forward,
    )  # fmt: skip
    sign = np.sign((back.quat * q).sum(-1, keepdims=True))
    np.testing.assert_allclose(sign * back.quat, q, atol=1e-14)
    np.testing.assert_allclose(back.position, p, rtol=0, atol=1e-8)
    np.testing.assert_allclose(back.velocity, P[0], rtol=1e-13, atol=1e-11)
    np.testing.assert_allclose(back.rate, P[0], rtol=1e-13)


def test_earth_orientation_is_that_of_the_ground() -> None:
    """Level and facing north at 0 N 0 E: forward is +z of ECEF, right is +y, down is -x."""
    stored = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]], dtype=float)
    got = convert(matrix=stored, from_="comma2k19", to="px4", origin=(0, 0, 0), as_="matrix").matrix
    np.testing.assert_allclose(got, np.eye(3), atol=1e-15)


def test_earth_to_earth_is_left_alone() -> None:
    got = convert(quat=plain.WXYZ, position=[1, 2, 3], from_="comma2k19", to="comma2k19")
    np.testing.assert_allclose(got.quat, plain.WXYZ, atol=1e-16)


# -- free worlds --------------------------------------------------------------------------------------------


def test_a_free_world_is_kept_and_the_body_changes() -> None:
    """PX4 to TUM: the world stays NED, the body becomes a camera."""
    got = convert(quat=plain.WXYZ, position=[1, 2, 3], velocity=[4, 5, 6], from_="px4", to="tum")
    body = plain.basis("RDF") @ plain.basis("FRD").T
    np.testing.assert_allclose(
        plain.hamilton(np.roll(got.quat, 1)), plain.hamilton(plain.WXYZ) @ body.T, atol=1e-15
    )
    assert got.position.tolist() == [1, 2, 3] and got.velocity.tolist() == [4, 5, 6]


def test_a_named_free_world() -> None:
    """A camera that starts as the world's axes: RDF, and forward is east."""
    got = convert(
        quat=[0, 0, 0, 1], position=[1.0, 2.0, 3.0], from_="tum", to="ros", to_thing="camera", world="RDF",
        forward="E",
    )  # fmt: skip
    np.testing.assert_allclose(
        plain.hamilton(np.roll(got.quat, 1)), plain.basis("FLU") @ plain.basis("RDF").T, atol=1e-15
    )
    assert got.position.tolist() == [3, -1, -2]
    compass = convert(position=[1.0, 2.0, 3.0], from_="tum", to="ros", world="NED").position
    assert compass.tolist() == [2, 1, -3]


def test_naming_the_free_world_of_the_target() -> None:
    got = convert(position=[1.0, 2.0, 3.0], from_="px4", to="tum", world="ENU").position
    assert got.tolist() == [2, 1, -3]


def test_colmap_to_opencv_keeps_everything() -> None:
    got = convert(quat=plain.WXYZ, position=[1, 2, 3], from_="colmap", to="opencv", as_="matrix")
    np.testing.assert_allclose(got.matrix, plain.hamilton(plain.WXYZ), atol=1e-15)
    assert got.position.tolist() == [1, 2, 3]
    # Both store the inverse, so that a position alone determines it.
    assert convert(position=[1, 2, 3], from_="colmap", to="opencv").position.tolist() == [1, 2, 3]


def test_colmap_to_nerf() -> None:
    """World to camera, looking along +z, becomes camera to world, looking along -z; the world stays."""
    H, t = plain.hamilton(plain.WXYZ), np.array([1.0, 2, 3])
    got = convert(quat=plain.WXYZ, position=t, from_="colmap", to="nerf", as_="transform").transform
    np.testing.assert_allclose(got[:3, :3], H.T @ np.diag([1, -1, -1]), atol=1e-15)
    np.testing.assert_allclose(got[:3, 3], -H.T @ t, atol=1e-15)


def test_positions_of_another_world_come_to_the_one_that_is_kept() -> None:
    """X-Plane's positions are EUS, its orientations NED: a world that is kept can have only one."""
    got = convert(quat=plain.WXYZ, position=[1.0, 2.0, 3.0], from_="xplane", to="euroc").position
    assert got.tolist() == [-3, 1, -2]


def test_a_world_that_is_kept_comes_to_that_of_the_positions() -> None:
    """The other way: the free world stands for the NED of X-Plane's orientations, and its positions are EUS."""
    free = convert(position=[-3.0, 1.0, -2.0], velocity=[-3.0, 1.0, -2.0], from_="euroc", to="xplane")
    assert free.position.tolist() == [1, 2, 3] and free.velocity.tolist() == [1, 2, 3]
    pose = conventions.get("euroc").decode(quat=plain.WXYZ, position=[1.0, 2.0, 3.0])
    numbers, position = convert(quat=plain.WXYZ, position=[1.0, 2.0, 3.0], from_="euroc", to="xplane")
    back = conventions.get("xplane").decode(quat=numbers, position=position)
    np.testing.assert_allclose(back.translation, pose.translation, atol=1e-15)
    np.testing.assert_allclose(back.as_matrix(), pose.as_matrix(), atol=1e-15)


@pytest.mark.parametrize("name", conventions.names())
@pytest.mark.parametrize("free", ["tum", "colmap"])
def test_to_a_free_world_and_back(name: str, free: str) -> None:
    """What is kept on the way out is kept on the way back, in every system of the same handedness."""
    system = conventions.get(name)
    if system.handedness == "left":
        return
    p = np.array([1.0, 2.0, 3.0])
    R = plain.hamilton(plain.WXYZ)
    there = convert(matrix=R, position=p, velocity=p, from_=name, to=free, as_="matrix")
    back = convert(**there._asdict(), from_=free, to=name, as_="matrix")
    np.testing.assert_allclose(back.matrix, R, atol=1e-14)
    np.testing.assert_allclose(back.position, p, atol=1e-12)
    np.testing.assert_allclose(back.velocity, p, atol=1e-12)


def test_a_free_body_is_kept() -> None:
    got = convert(quat=plain.WXYZ, rate=[1, 2, 3], from_="vqf", to="ros")
    np.testing.assert_allclose(np.roll(got.quat, 1), plain.WXYZ, atol=1e-16)
    assert got.rate.tolist() == [1, 2, 3]
    named = convert(quat=plain.WXYZ, rate=[1, 2, 3], from_="vqf", to="ros", body="FRD")
    assert named.rate.tolist() == [1, -2, -3]


def test_free_and_mirrored_once_all_is_named() -> None:
    got = convert(quat=[1, 0, 0, 0], rate=[1, 2, 3], from_="euroc", to="unity", world="FLU", body="FLU")
    np.testing.assert_allclose(got.quat, [0, 0, 0, 1], atol=1e-16)
    # An axial vector: the mirror turns it once more.
    assert got.rate.tolist() == [2, -3, -1]


def test_change_ignores_what_it_does_not_need() -> None:
    plan = change("px4", "ros", forward="E", origin=(0, 0, 0), world="RDF", body="FLU")
    assert plan.position([1, 2, 3]).tolist() == [2, 1, -3]
    assert plan is change("px4", "ros", forward="E", origin=(0, 0, 0), world="RDF", body="FLU")


def test_change_of_arrays() -> None:
    plan = change("unreal", "ros_odom")
    assert plan.body_velocity([100.0, 100.0, 100.0]).tolist() == [1, -1, 1]
    assert plan.body_polar([1.0, 1.0, 1.0]).tolist() == [1, -1, 1]
    assert plan.body_axial([1.0, 1.0, 1.0]).tolist() == [-1, 1, -1]
    assert plan.world_polar([1.0, 1.0, 1.0]).tolist() == [1, -1, 1]
    assert plan.world_axial([1.0, 1.0, 1.0]).tolist() == [-1, 1, -1]
    assert not plan.position_needs_orientation
    twist = np.eye(6)
    twist[0, 3] = twist[3, 0] = 1.0
    assert np.diag(plan.twist_covariance(twist)) == pytest.approx([1e-4] * 3 + [1] * 3, rel=1e-14)
    assert plan.twist_covariance(twist)[0, 3] == pytest.approx(-1e-2, rel=1e-14)
    for of_body in (plan.covariance_body, plan.covariance_orientation, plan.covariance_world_polar):
        assert np.diag(of_body(np.diag([1.0, 2.0, 3.0]))).tolist() == [1, 2, 3]
    assert np.diag(plan.covariance_velocity(np.eye(3))) == pytest.approx([1e-4] * 3, rel=1e-14)
    q = plan.quaternion(np.array([plain.XYZW, np.zeros(4)]))
    assert np.isnan(q[1]).all() and not np.isnan(q[0]).any()
    with pytest.raises(ValueError, match="no orientation"):
        plan.orientation()
