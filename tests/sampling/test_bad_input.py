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
    GeodesicShell,
    HopfHealpix,
    IsotropicGaussian,
    MatrixFisher,
    Quotient,
    RealVectorStateSpace,
    RotvecBox,
    SE3StateSpace,
    SO3StateSpace,
    SuperFibonacci,
    TiltCone,
    Uniform,
    WrappedNormal,
    coverage,
    covering_radius,
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


NO_GENERATORS = {
    "legacy": np.random.RandomState(1),
    "legacy module": np.random,
    "list": [1, 2],
    "array": np.array([1, 2]),
    "float": 1.0,
    "numpy float": np.float64(1.0),
    "text": "1",
    "bool": True,
    "numpy bool": np.True_,
}


@pytest.mark.parametrize("rng", NO_GENERATORS.values(), ids=NO_GENERATORS)
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: Uniform().sample(2, rng=rng),
        lambda rng: SO3StateSpace().sampler(rng=rng),
        lambda rng: draws.directions(rng, 2),
        lambda rng: draws.rotvec_box(rng, 2, half_widths=[1, 1, 1]),
    ],
    ids=["law", "space", "draws", "rejection"],
)
def test_other_sources_of_chance_are_refused_with_what_to_give(rng: Any, draw: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"rng= .*numpy\.random\.default_rng\(seed\)"):
        draw(rng)


@pytest.mark.parametrize("rng", [3, np.int64(3), np.array(3), np.random.SeedSequence(3), np.random.PCG64(3)])
def test_all_that_a_generator_is_made_of_is_taken(rng: Any) -> None:
    assert Uniform().sample(2, rng=rng) == Uniform().sample(2, rng=np.random.default_rng(3))


TAKE_NUMBERS = {
    **{name: entry for name, entry in TAKES.items() if name not in ("sequence", "Quotient", "point_group")},
    "size": ("size", lambda v: Uniform().sample(v, rng=1)),
    "one of the sizes": ("size", lambda v: Uniform().sample((2, v), rng=1)),
    "size of a space": ("size", lambda v: SO3StateSpace().sampler(1).sample_uniform(size=v)),
    "count": ("count", SuperFibonacci),
    "level": ("level", HopfHealpix),
    "inner": ("inner", lambda v: GeodesicShell(ONE, v, 2.0)),
    "outer": ("outer", lambda v: GeodesicShell(ONE, 0.1, v)),
    "one of the half widths": ("half_widths", lambda v: EulerBox(ONE, [0.5, v, 0.5])),
    "low": ("bounds", lambda v: RealVectorStateSpace((v, 5.0))),
    "high": ("bounds", lambda v: SE3StateSpace(bounds=([-1, -1, 0], [2, v, 2]))),
    "weight": ("weights", lambda v: SE3StateSpace(bounds=(0.0, 1.0), weights=(1.0, v))),
    "weight of a space": ("weights", lambda v: CompoundStateSpace([SO3StateSpace()], weights=[v])),
    "std_dev": ("std_dev", lambda v: SO3StateSpace().sampler(1).sample_gaussian(ONE, v)),
    "index": ("index", GRID.at),
    "radius": ("radius", lambda v: coverage(THREE, radius=v)),
    "cells": ("cells", lambda v: covering_radius(THREE, cells=v)),
    "cdf": ("angle", lambda v: Uniform().angle_cdf(v)),
    "cdf of a ball": ("angle", lambda v: GeodesicBall(ONE, 1.0).angle_cdf(v)),
    "cdf of a Gaussian": ("angle", lambda v: IsotropicGaussian(variance=0.1).angle_cdf(v)),
    "density": ("angle", lambda v: IsotropicGaussian(variance=0.1).angle_density(v)),
}


@pytest.mark.parametrize(("argument", "call"), TAKE_NUMBERS.values(), ids=TAKE_NUMBERS)
@pytest.mark.parametrize("value", [True, np.True_, np.array(True), [True, False, True]], ids=repr)
def test_true_is_no_number(argument: str, call: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{argument}(=| )"):
        call(value)


@pytest.mark.parametrize("value", ["x", 1j, object()], ids=repr)
def test_numbers_asked_for_later_are_numbers(value: Any) -> None:
    for name in ("index", "radius", "cells", "cdf", "cdf of a ball", "cdf of a Gaussian", "density", "low"):
        argument, call = TAKE_NUMBERS[name]
        with pytest.raises((TypeError, ValueError), match=rf"\b{argument}(=| )"):
            call(value)


def test_cells_are_named_by_whole_numbers() -> None:
    with pytest.raises(ValueError, match="cells="):
        covering_radius(THREE, cells=[0.7])


def test_a_mask_is_not_lost() -> None:
    with pytest.raises(TypeError, match=r"covariance= is a masked array.*filled"):
        WrappedNormal(np.ma.masked_array(np.eye(3), mask=np.eye(3) > 0), side="body")
