"""Balls and shells of rotations: none outside, uniform inside, about whatever centre."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import Rotation, frames, kernels
from boresight.sampling import GeodesicBall, GeodesicShell, Uniform, draws
from sampled import N, axes_are_uniform, follows, has_mean, is_haar, uniform_cdf

CENTER = Rotation.from_rotvec([0.3, -1.2, 2.0])
RADII = [1e-6, 1e-3, 0.1, 0.5, 0.785, np.pi / 2, 2.0, 3.0, np.pi]


def exact_mean(r: float) -> float:
    return (r**2 / 2 - r * np.sin(r) + 1 - np.cos(r)) / (r - np.sin(r))


@pytest.mark.parametrize("radius", RADII)
def test_a_ball_is_uniform_about_its_centre(radius: float) -> None:
    R = GeodesicBall(CENTER, radius).sample(N, rng=1)
    q = (CENTER.inv() @ R).as_quat(order="xyzw")
    angle = kernels.angle(q)
    # What composing with the centre and back has rounded is not outside.
    assert angle.max() <= radius + 2e-15
    mass = float(draws.angle_mass(radius))
    assert follows(draws.angle_mass(np.minimum(angle, radius)), uniform_cdf(0, mass))
    assert axes_are_uniform(q)
    if radius >= 0.1:
        assert has_mean(angle, exact_mean(radius))
    else:
        assert has_mean(angle, 0.75 * radius)
    # On the other side of the centre alike: the ball is the same from either.
    assert axes_are_uniform((R @ CENTER.inv()).as_quat(order="xyzw"))


@pytest.mark.parametrize("radius", RADII)
def test_none_is_outside_a_ball_about_the_identity(radius: float) -> None:
    assert kernels.angle(draws.geodesic_ball(9, N, 0.0, radius)).max() <= radius


def test_the_largest_ball_is_everything() -> None:
    ball = GeodesicBall(CENTER, np.pi)
    assert ball.mass == 1
    assert is_haar(ball.sample(N, rng=2).as_quat(order="xyzw"))
    with pytest.raises(ValueError, match="no mean"):
        _ = ball.mean


@pytest.mark.parametrize(("inner", "outer"), [(0.0, 0.5), (0.4, 0.5), (1.0, 3.0), (2.5, np.pi), (1e-4, 2e-4)])
def test_a_shell_is_uniform_between_its_angles(inner: float, outer: float) -> None:
    shell = GeodesicShell(CENTER, inner, outer)
    q = (CENTER.inv() @ shell.sample(N, rng=3)).as_quat(order="xyzw")
    angle = kernels.angle(q)
    assert inner - 2e-15 <= angle.min() and angle.max() <= outer + 2e-15
    assert follows(angle, shell.angle_cdf)
    low, high = (float(draws.angle_mass(t)) for t in (inner, outer))
    assert follows(draws.angle_mass(angle), uniform_cdf(low, high))
    assert axes_are_uniform(q)
    assert shell.mass == pytest.approx((high - low) / np.pi, rel=1e-12)


def test_a_shell_without_thickness_turns_by_one_angle() -> None:
    shell = GeodesicShell(CENTER, 1.0, 1.0)
    angle = (CENTER.inv() @ shell.sample(1000, rng=1)).angle()
    np.testing.assert_allclose(angle, 1.0, rtol=4e-15)
    np.testing.assert_array_equal(shell.angle_cdf([0.9, 1.0, 1.1]), [0, 1, 1])
    with pytest.raises(ValueError, match="no density"):
        shell.log_density(CENTER)


def test_what_is_inside_and_how_dense_it_is() -> None:
    shell = GeodesicShell(CENTER, 0.5, 1.0)
    R = CENTER @ Rotation.from_rotvec([[0, 0, t] for t in (0.1, 0.6, 0.99, 1.1, np.pi)])
    np.testing.assert_array_equal(shell.contains(R), [False, True, True, False, False])
    density = shell.log_density(R)
    assert density[1] == pytest.approx(-np.log(shell.mass))
    assert density[0] == -np.inf


def test_the_mean_is_the_centre_where_it_is_the_nearest() -> None:
    assert GeodesicBall(CENTER, 1.0).mean == CENTER
    assert GeodesicShell(CENTER, 1.0, 2.5).mean.angle() == pytest.approx(CENTER.angle())
    with pytest.raises(ValueError, match="no mean"):
        _ = GeodesicShell(CENTER, 2.8, 3.0).mean


def test_angles_of_uniform_rotations() -> None:
    t = np.array([-1.0, 0.0, 1.0, np.pi, 4.0])
    np.testing.assert_allclose(
        Uniform().angle_cdf(t), [0, 0, (1 - np.sin(1)) / np.pi, 1, 1], rtol=1e-14, atol=1e-15
    )


@pytest.mark.parametrize("angle", [-0.1, 3.2, np.nan, np.inf, "wide", [0.1, 0.2]])
def test_bad_angles_are_named(angle: object) -> None:
    with pytest.raises(ValueError, match=r"angle= must be .* \[0, π\]"):
        GeodesicBall(CENTER, angle)  # type: ignore[arg-type]


def test_bad_shells_are_named() -> None:
    with pytest.raises(ValueError, match="inner="):
        GeodesicShell(CENTER, -1.0, 1.0)
    with pytest.raises(ValueError, match=r"outer= .* \[0\.5, π\]"):
        GeodesicShell(CENTER, 0.5, 0.4)


def test_bad_centres_are_named() -> None:
    with pytest.raises(ValueError, match=r"center= must be a single rotation, not a batch of shape \(3,\)"):
        GeodesicBall(Rotation.identity(3), 0.5)
    with pytest.raises(ValueError, match="center= is NaN"):
        GeodesicBall(Rotation.from_quat([np.nan, 0, 0, 1], order="xyzw", invalid="nan"), 0.5)
    with pytest.raises(TypeError, match="center= must be a Rotation"):
        GeodesicBall([0, 0, 0, 1], 0.5)  # type: ignore[arg-type]


def test_frames_are_those_of_the_centre() -> None:
    center = Rotation.identity(source=frames.FRD, target=frames.NED)
    R = GeodesicBall(center, 0.5).sample(3, rng=1)
    assert (R.source, R.target) == (frames.FRD, frames.NED)
