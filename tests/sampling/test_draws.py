"""The laws on plain arrays: Haar, balls, boxes, and how they use up random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import kernels
from boresight.sampling import draws
from sampled import N, axes_are_uniform, follows, has_mean, is_haar, p_value, uniform_cdf

LEFT = kernels.exp([0.3, -1.2, 2.0])
RIGHT = kernels.exp([-2.5, 0.1, 0.4])

LAWS: dict[str, Callable[..., Any]] = {
    "haar": draws.haar,
    "directions": draws.directions,
    "ball": lambda rng, size=(): draws.geodesic_ball(rng, size, 0.0, 1.0),
    "shell": lambda rng, size=(): draws.geodesic_ball(rng, size, 0.5, 1.0),
    "tangent ball": lambda rng, size=(): draws.tangent_ball(rng, size, 1.0),
    "swing-twist": lambda rng, size=(): draws.swing_twist(rng, size, tilt=0.3, twist=1.0),
    "euler": lambda rng, size=(): draws.euler_box(rng, size, half_widths=[1, 1, 2]),
    "rotvec": lambda rng, size=(): draws.rotvec_box(rng, size, half_widths=[3, 3, 2]),
    "gaussian": lambda rng, size=(): draws.rotation_vector_gaussian(rng, size, root=0.4),
    "wide gaussian": lambda rng, size=(): draws.rotation_vector_gaussian(rng, size, root=4000.0),
    "half angle": lambda rng, size=(): draws.expected_half_angle(rng, size, std_dev=0.6),
    "mixed half angle": lambda rng, size=(): draws.expected_half_angle(rng, size, std_dev=1.09),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_batch_is_its_samples_drawn_one_by_one(law: Callable[..., Any]) -> None:
    together, apart = np.random.default_rng(11), np.random.default_rng(11)
    n = 4100  # more than a block
    batch = law(together, n)
    np.testing.assert_array_equal(batch, [law(apart) for _ in range(n)])
    # And both go on alike.
    assert together.bit_generator.state == apart.bit_generator.state


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_any_batch_shape_is_filled_in_one_order(law: Callable[..., Any]) -> None:
    flat = law(5, 24)
    np.testing.assert_array_equal(law(5, (2, 3, 4)), flat.reshape(2, 3, 4, -1))
    np.testing.assert_array_equal(law(5, ()), flat[0])
    np.testing.assert_array_equal(law(5), flat[0])
    assert law(5, 0).shape == (0, flat.shape[-1])
    assert law(5, (3, 0)).shape == (3, 0, flat.shape[-1])


def test_a_seed_means_the_same_everywhere() -> None:
    # First drawn on x86-64; numpy promises the bits of random() and standard_normal() of a bit generator.
    np.testing.assert_allclose(
        draws.haar(1), [0.68104330898466, -0.21909275757062, -0.54981052180951, -0.43114587], atol=1e-8
    )


def test_haar_is_uniform_whatever_it_is_composed_with() -> None:
    q = draws.haar(1, N)
    assert is_haar(q)
    assert is_haar(kernels.multiply(LEFT, q))
    assert is_haar(kernels.multiply(q, RIGHT))
    # Over the sphere of quaternions too: both signs of each component alike.
    assert has_mean(q, 0.0)
    assert follows(q[:, 3], lambda w: 0.5 + (w * np.sqrt(1 - w * w) + np.arcsin(w)) / np.pi)


def test_the_check_of_haar_can_fail() -> None:
    rng = np.random.default_rng(1)
    # Uniform Euler angles, and rotation vectors uniform in the ball of radius pi: what people take for uniform.
    euler = kernels.from_euler("ZYX", rng.uniform([-180, -90, -180], [180, 90, 180], (N, 3)), degrees=True)
    assert not is_haar(euler)
    assert not is_haar(draws.tangent_ball(1, N, np.pi))
    # The ball is right about the identity, but not after a turn.
    ball = draws.geodesic_ball(1, N, 0.0, 3.0)
    assert not is_haar(ball)


def test_directions_are_uniform() -> None:
    u = draws.directions(3, N)
    np.testing.assert_allclose((u * u).sum(axis=-1), 1, atol=1e-15)
    for line in (*np.eye(3), np.array([0.48, -0.6, 0.64])):
        assert follows(u @ line, uniform_cdf(-1, 1))
    assert follows(np.arctan2(u[:, 1], u[:, 0]), uniform_cdf(-np.pi, np.pi))


@pytest.mark.parametrize("radius", [1e-6, 0.01, 1.0, 1.5707963])
def test_a_tangent_ball_is_uniform_in_rotation_vectors_and_not_in_rotations(radius: float) -> None:
    angle = kernels.angle(draws.tangent_ball(1, N, radius))
    assert follows(angle, lambda t: np.clip(t / radius, 0, 1) ** 3)
    if radius > 1.5:
        # OMPL's law at the largest radius that it knows, against the law it promises.
        share = float(draws.angle_mass(radius))
        assert p_value(angle, lambda t: draws.angle_mass(np.clip(t, 0, radius)) / share) < 1e-50


@pytest.mark.parametrize("std_dev", [0.01, 0.1, 0.5, 0.9, 1.05, 1.0693, 1.08, 1.1, np.pi / 4 + 1 / np.pi])
def test_the_expected_half_angle_is_what_was_asked_for(std_dev: float) -> None:
    q = draws.expected_half_angle(2, N, std_dev=std_dev)
    assert has_mean(kernels.angle(q) / 2, std_dev)
    assert axes_are_uniform(q)


def test_the_widest_of_half_angles_is_uniform() -> None:
    assert is_haar(draws.expected_half_angle(5, N, std_dev=np.pi / 4 + 1 / np.pi))


def test_no_spread_is_the_identity() -> None:
    np.testing.assert_array_equal(draws.expected_half_angle(1, std_dev=0.0), [0, 0, 0, 1])
    np.testing.assert_array_equal(draws.geodesic_ball(1, upper=0.0), [0, 0, 0, 1])


@pytest.mark.parametrize("std_dev", [1.104, -0.1, np.nan, np.inf])
def test_half_angles_beyond_haar_are_refused_with_the_limit(std_dev: float) -> None:
    with pytest.raises(ValueError, match=r"std_dev= .*1\.10370"):
        draws.expected_half_angle(1, std_dev=std_dev)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: draws.geodesic_ball(1, lower=-0.1), "lower="),
        (lambda: draws.geodesic_ball(1, lower=np.nan), "lower="),
        (lambda: draws.geodesic_ball(1, upper=3.2), "upper="),
        (lambda: draws.geodesic_ball(1, lower=1.0, upper=0.5), "upper="),
        (lambda: draws.geodesic_ball(1, upper=np.nan), "upper="),
        (lambda: draws.tangent_ball(1, radius=-1.0), "radius="),
        (lambda: draws.tangent_ball(1, radius=np.inf), "radius="),
        (lambda: draws.swing_twist(1, tilt=4.0), "tilt="),
        (lambda: draws.swing_twist(1, tilt=1.0, twist=-1.0), "twist="),
        (lambda: draws.euler_box(1, half_widths=[1, 2, 1]), "half_widths="),
        (lambda: draws.euler_box(1, half_widths=[1, 1]), "half_widths="),
        (lambda: draws.euler_box(1, half_widths=[1, 1, 1], sequence="xyz"), "sequence="),
        (lambda: draws.rotvec_box(1, half_widths=[1, np.nan, 1]), "half_widths="),
        (lambda: draws.rotation_vector_gaussian(1, root=-0.1), "root="),
        (lambda: draws.rotation_vector_gaussian(1, root=np.full((3, 3), np.nan)), "root="),
        (lambda: draws.rotation_vector_gaussian(1, root=np.eye(2)), "root="),
        (lambda: draws.haar(1, -1), "size="),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()


@pytest.mark.parametrize("size", [1.5, "3", None])
def test_sizes_are_integers(size: Any) -> None:
    with pytest.raises(TypeError, match="size="):
        draws.haar(1, size)


@pytest.mark.parametrize("rng", [1.5, "seed", True])
def test_seeds_are_integers(rng: Any) -> None:
    with pytest.raises(TypeError, match="rng="):
        draws.haar(rng)


def test_every_source_of_randomness_does() -> None:
    expected = draws.haar(7, 3)
    for rng in (np.int64(7), np.random.SeedSequence(7), np.random.PCG64(7), np.random.default_rng(7)):
        np.testing.assert_array_equal(draws.haar(rng, 3), expected)
    assert not np.array_equal(draws.haar(None), draws.haar(None))
