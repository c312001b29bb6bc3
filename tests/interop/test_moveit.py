"""MoveIt's orientation constraints: the box holds what MoveIt would accept, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as ScipyRotation

from boresight import Rotation
from boresight.errors import InvalidRowsError
from boresight.interop.moveit import orientation_constraint, tolerance_box
from boresight.sampling import draws

DESIRED = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)


def message(tolerances, **fields):
    x, y, z, w = DESIRED.as_quat(order="xyzw").tolist()
    names = ("absolute_x_axis_tolerance", "absolute_y_axis_tolerance", "absolute_z_axis_tolerance")
    orientation = SimpleNamespace(x=x, y=y, z=z, w=w)
    return SimpleNamespace(orientation=orientation, **dict(zip(names, tolerances, strict=True)), **fields)


@pytest.mark.parametrize("parameterization", [0, 1])
@pytest.mark.parametrize("tolerances", [(0.5, 0.9, 1.2), (6.3, 6.3, 6.3), (0.2, 3.2, 1.0)])
def test_the_box_is_what_moveit_accepts(parameterization: int, tolerances) -> None:
    region = orientation_constraint(message(tolerances, parameterization=parameterization))
    actual = Rotation.from_quat(draws.haar(1, 20_000), order="xyzw")
    # As MoveIt decides: each component of the error within its tolerance.
    error = ScipyRotation.from_matrix((DESIRED.inv() @ actual).as_matrix())
    parts = error.as_euler("XYZ") if parameterization == 0 else error.as_rotvec()
    accepted = (np.abs(parts) <= tolerances).all(axis=1)
    assert np.array_equal(region.contains(actual), accepted) and accepted.any()
    assert region.contains(region.sample(1000, rng=1)).all()


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("EulerBox", (0, np.uint8(0), "XYZ_EULER_ANGLES", "xyz_euler_angles")),
        ("RotvecBox", (1, np.uint8(1), "ROTATION_VECTOR", "rotation_vector")),
    ],
)
def test_a_parameterization_goes_by_moveits_number_and_name(kind: str, names: tuple[Any, ...]) -> None:
    for name in names:
        box = tolerance_box(DESIRED, (0.1, 0.2, 0.3), parameterization=name)
        assert type(box).__name__ == kind


@pytest.mark.parametrize("other", [2, -1, True, 0.0, None, "XYZ", "euler"], ids=repr)
def test_other_parameterizations_are_told_what_there_is(other: Any) -> None:
    for call in (
        lambda: tolerance_box(DESIRED, (0.1, 0.1, 0.1), parameterization=other),
        lambda: orientation_constraint(message((0.1, 0.1, 0.1), parameterization=other)),
    ):
        with pytest.raises(ValueError, match="XYZ_EULER_ANGLES.*0.*ROTATION_VECTOR.*1") as caught:
            call()
        assert repr(other) in str(caught.value)


def test_older_messages_have_no_parameterization() -> None:
    assert type(orientation_constraint(message((0.1, 0.1, 0.1)))).__name__ == "EulerBox"


def test_bad_constraints_are_named() -> None:
    with pytest.raises(ValueError, match="parameterization= .* not 7"):
        orientation_constraint(message((0.1, 0.1, 0.1), parameterization=7))
    for bad in ((-0.1, 1, 1), (np.nan, 1, 1), (1, 1)):
        with pytest.raises(ValueError, match="tolerances= must be three numbers"):
            tolerance_box(DESIRED, bad, parameterization="rotation_vector")
    with pytest.raises(ValueError, match="parameterization= is"):
        tolerance_box(DESIRED, (1, 1, 1), parameterization="euler")
    zero = message((0.1, 0.1, 0.1))
    zero.orientation = SimpleNamespace(x=0, y=0, z=0, w=0)
    with pytest.raises(InvalidRowsError):
        orientation_constraint(zero)


@pytest.mark.parametrize("tolerances", ["abc", 5, None, (0.1, 0.2), ("a", 1, 1), (1j, 1, 1)])
def test_tolerances_that_are_no_three_numbers_are_told(tolerances: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="tolerances="):
        tolerance_box(Rotation.identity(), tolerances, parameterization="rotation_vector")
