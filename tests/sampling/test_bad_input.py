"""Values of the wrong kind are refused by the name of the argument that they were given for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import Rotation
from boresight.sampling import (
    Bingham,
    Cell48,
    CompoundStateSpace,
    EulerBox,
    GeodesicBall,
    HopfHealpix,
    IsotropicGaussian,
    MatrixFisher,
    Quotient,
    RotvecBox,
    SO3StateSpace,
    TiltCone,
    Uniform,
    WrappedNormal,
    draws,
    point_group,
)

ONE = Rotation.identity()
GRID = HopfHealpix(1)
THREE = Uniform().sample(3, rng=1)

TAKES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "Bingham": ("A", lambda v: Bingham(v, order="xyzw")),
    "MatrixFisher": ("F", MatrixFisher),
    "WrappedNormal": ("covariance", lambda v: WrappedNormal(v, side="body")),
    "EulerBox": ("half_widths", lambda v: EulerBox(ONE, v)),
    "RotvecBox": ("half_widths", lambda v: RotvecBox(ONE, v)),
    "TiltCone": ("axis", lambda v: TiltCone(ONE, 0.1, axis=v)),
    "pointing": ("direction", lambda v: TiltCone.pointing([0, 0, 1], v, 0.1)),
    "weights of a fit": ("weights", lambda v: MatrixFisher.fit(THREE, v)),
    "sequence": ("sequence", lambda v: EulerBox(ONE, [0.1, 0.1, 0.1], sequence=v)),
    "Quotient": ("group", Quotient),
    "point_group": ("group", point_group),
    "spacing": ("spacing", Cell48),
    "of_size": ("count", Cell48.of_size),
    "near a rotation": ("angle", lambda v: GRID.near(ONE, v)),
    "batches": ("size", GRID.batches),
    "start": ("start", GRID.rotations),
    "stop": ("stop", lambda v: GRID.rotations(0, v)),
    "spaces": ("spaces", CompoundStateSpace),
    "fraction": ("t", lambda v: SO3StateSpace().interpolate(ONE, ONE, v)),
    "state bytes": ("data", lambda v: SO3StateSpace().deserialise(v)),
    "angle": ("angle", lambda v: GeodesicBall(ONE, v)),
    "variance": ("variance", lambda v: IsotropicGaussian(variance=v)),
    "distance": ("distance", lambda v: SO3StateSpace().sampler(1).sample_uniform_near(ONE, v)),
    "draws of a ball": ("upper", lambda v: draws.geodesic_ball(1, upper=v)),
    "draws of a tangent ball": ("radius", lambda v: draws.tangent_ball(1, radius=v)),
    "draws of a tilt": ("tilt", lambda v: draws.swing_twist(1, tilt=v)),
    "draws of a normal law": ("root", lambda v: draws.rotation_vector_gaussian(1, root=v)),
    "draws of an expected distance": ("std_dev", lambda v: draws.expected_half_angle(1, std_dev=v)),
    "seed": ("rng", lambda v: Uniform().sample(2, rng=v)),
}


@pytest.mark.parametrize(("argument", "call"), TAKES.values(), ids=TAKES)
@pytest.mark.parametrize(
    "value", ["0.5x", 1j, 1j * np.eye(3), object(), [["a", 1.0], [2.0]]], ids=lambda v: type(v).__name__
)
def test_what_is_no_number_is_told_by_the_argument(
    argument: str, call: Callable[[Any], Any], value: Any
) -> None:
    if argument == "data" and isinstance(value, list | np.ndarray):
        return
    with pytest.raises((TypeError, ValueError), match=rf"\b{argument}(=| )"):
        call(value)


@pytest.mark.parametrize("count", [-1, 0, 3.2, float("nan")])
def test_a_grid_has_a_whole_number_of_members(count: Any) -> None:
    with pytest.raises(ValueError, match="count="):
        Cell48.of_size(count)


def test_parts_of_a_grid_are_asked_for_by_whole_numbers() -> None:
    with pytest.raises(ValueError, match="start="):
        GRID.rotations(3.2)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="size="):
        GRID.batches(2.5)  # pyright: ignore[reportArgumentType]


def test_complex_numbers_do_not_lose_their_imaginary_part() -> None:
    with pytest.raises(TypeError, match="F="):
        MatrixFisher(np.diag([1.0, 1.0, 1j]))


def test_weights_of_another_shape_are_told() -> None:
    with pytest.raises(ValueError, match=r"weights= .*\(2,\).*\(3,\)"):
        MatrixFisher.fit(THREE, [1.0, 2.0])


def test_a_negative_seed_is_told() -> None:
    with pytest.raises(ValueError, match="rng="):
        Uniform().sample(2, rng=-1)
