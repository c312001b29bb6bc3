"""What is no Rotation is refused by the argument's name, with how to make one of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as ScipyRotation

from boresight import Attitude, Pose, Rotation
from boresight.interop.moveit import tolerance_box
from boresight.sampling import (
    CompoundStateSpace,
    EulerBox,
    GeodesicBall,
    GeodesicShell,
    HopfHealpix,
    IsotropicGaussian,
    MatrixFisher,
    Quotient,
    RotvecBox,
    SE3StateSpace,
    SO3StateSpace,
    SwingTwistBox,
    TiltCone,
    Uniform,
    WrappedNormal,
    coverage,
    covering_radius,
)

ONE = Rotation.identity()
SO3 = SO3StateSpace()

TAKES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "GeodesicBall": ("center=", lambda r: GeodesicBall(r, 0.3)),
    "GeodesicShell": ("center=", lambda r: GeodesicShell(r, 0.1, 0.3)),
    "SwingTwistBox": ("center=", lambda r: SwingTwistBox(r, 0.1, 0.3)),
    "TiltCone": ("center=", lambda r: TiltCone(r, 0.1)),
    "EulerBox": ("center=", lambda r: EulerBox(r, [0.1, 0.1, 0.1])),
    "RotvecBox": ("center=", lambda r: RotvecBox(r, [0.1, 0.1, 0.1])),
    "WrappedNormal": ("mean=", lambda r: WrappedNormal(np.eye(3), side="body", mean=r)),
    "IsotropicGaussian": ("mean=", lambda r: IsotropicGaussian(variance=0.1, mean=r)),
    "log_density": ("rotation=", lambda r: Uniform().log_density(r)),
    "contains": ("rotation=", lambda r: GeodesicBall(ONE, 0.3).contains(r)),
    "reduce": ("rotation=", lambda r: Quotient("O").reduce(r, side="body")),
    "fit": ("rotation=", MatrixFisher.fit),
    "near": ("rotation=", lambda r: HopfHealpix(1).near(r, 0.3)),
    "covering_radius": ("rotations=", covering_radius),
    "coverage": ("rotations=", coverage),
    "distance": ("a=", lambda r: SO3.distance(r, ONE)),
    "the other": ("b=", lambda r: SO3.distance(ONE, r)),
    "interpolate": ("b=", lambda r: SO3.interpolate(ONE, r, 0.5)),
    "equal_states": ("b=", lambda r: SO3.equal_states(ONE, r)),
    "copy": ("state=", SO3.copy),
    "sample_uniform_near": ("near=", lambda r: SO3.sampler(1).sample_uniform_near(r, 0.1)),
    "sample_gaussian": ("mean=", lambda r: SO3.sampler(1).sample_gaussian(r, 0.1)),
    "compound": ("a=", lambda r: CompoundStateSpace([SO3]).distance((r,), (ONE,))),
    "moveit": ("desired=", lambda r: tolerance_box(r, (0.1, 0.1, 0.1), parameterization="rotation_vector")),
}


@pytest.mark.parametrize(("argument", "call"), TAKES.values(), ids=TAKES)
def test_another_librarys_rotation_is_told_how_to_come_in(argument: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError) as caught:
        call(ScipyRotation.identity())
    message = str(caught.value)
    assert message.startswith(argument)
    assert "scipy.spatial.transform.Rotation" in message
    assert 'Rotation.from_quat(r.as_quat(), order="xyzw")' in message


def test_what_is_told_makes_the_same_rotation() -> None:
    r = ScipyRotation.from_euler("ZYX", [10, 20, 30], degrees=True)
    assert Rotation.from_quat(r.as_quat(), order="xyzw").as_matrix() == pytest.approx(r.as_matrix())


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([0.0, 0.0, 0.0, 1.0], 'Rotation.from_quat(q, order="xyzw") or order="wxyz"'),
        (np.array([0.0, 0.0, 0.0, 1.0]), 'Rotation.from_quat(q, order="xyzw") or order="wxyz"'),
        (np.eye(3), "Rotation.from_matrix(m)"),
        (np.zeros(3), "Rotation.from_rotvec(v)"),
        (Attitude.level(), "its .rotation"),
        (Pose(ONE, [0.0, 0.0, 0.0]), "its .rotation"),
        (None, "NoneType"),
    ],
    ids=["list", "quaternion", "matrix", "vector", "attitude", "pose", "nothing"],
)
def test_numbers_and_our_own_are_told_how_to_come_in(value: Any, told: str) -> None:
    with pytest.raises(TypeError, match="center= must be a Rotation") as caught:
        GeodesicBall(value, 0.3)
    assert told in str(caught.value)


def test_poses_are_told_too() -> None:
    space = SE3StateSpace(bounds=(-1.0, 1.0))
    with pytest.raises(TypeError, match=r"near= must be a Pose, .*Pose\(rotation, translation\)"):
        space.sampler(1).sample_uniform_near(ONE, 0.1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"state= must be a Pose, .*Pose\.from_matrix\(m\)"):
        space.copy(np.eye(4))  # pyright: ignore[reportArgumentType]
