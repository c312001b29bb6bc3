"""What every law keeps to: densities of whole 1, streams, shapes, frames, errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from boresight import Rotation, frames
from boresight.errors import FrameError
from boresight.sampling import (
    Bingham,
    EulerBox,
    GeodesicBall,
    GeodesicShell,
    IsotropicGaussian,
    MatrixFisher,
    Quotient,
    RotvecBox,
    SwingTwistBox,
    TiltCone,
    Uniform,
    WrappedNormal,
)
from sampled import N, p_value_of_two, spread_out

FRAMES: dict[str, Any] = {"source": frames.FRD, "target": frames.NED}
CENTER = Rotation.from_rotvec([0.3, -1.2, 2.0], **FRAMES)
F = np.array([[1.0, 2.0, 0.3], [0.0, 1.0, 0.2], [-1.0, 0.4, 0.3]])
SKEW = np.array([[0.2, 0.1, 0.0], [0.1, 0.3, -0.1], [0.0, -0.1, 0.5]])

LAWS: dict[str, Any] = {
    "uniform": Uniform(**FRAMES),
    "ball": GeodesicBall(CENTER, 1.0),
    "shell": GeodesicShell(CENTER, 1.0, 2.5),
    "body noise": WrappedNormal(SKEW, side="body", mean=CENTER),
    "world noise": WrappedNormal(SKEW, side="world", mean=CENTER),
    "wide noise": WrappedNormal(9 * SKEW, side="body", mean=CENTER),
    "isotropic": IsotropicGaussian(variance=0.3, mean=CENTER),
    "wide isotropic": IsotropicGaussian(variance=1.5, mean=CENTER),
    "bingham": Bingham(np.diag([0.0, 1, 4, 9]) + 0.3, order="wxyz", **FRAMES),
    "fisher": MatrixFisher(F, **FRAMES),
    "cone": TiltCone(CENTER, 1.0, axis=[1, 2, 2]),
    "swing-twist": SwingTwistBox(CENTER, 1.0, 1.5),
    "euler": EulerBox(CENTER, [1.0, 0.8, 1.2]),
    "rotvec": RotvecBox(CENTER, [1.0, 0.8, 1.2]),
    "quotient": Quotient("D2", **FRAMES),
}
each_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


@each_law
def test_a_density_averages_to_one_over_all_rotations(law: Any) -> None:
    R = Rotation.from_quat(spread_out(2**18), order="xyzw", **FRAMES)
    density = np.exp(law.log_density(R))
    # What edges and peaks leave of the error of quasi-random points.
    assert density.mean() == pytest.approx(1, abs=5e-3)


@each_law
def test_a_density_is_that_of_the_samples(law: Any) -> None:
    """The share of samples in a small ball about each of some of them is what the density says."""
    centers = law.sample(8, rng=77)
    samples = law.sample(N, rng=78)
    for center in centers:
        ball = GeodesicBall(center, 0.25)
        inside = float(ball.contains(samples).mean())
        expected = float(np.exp(law.log_density(ball.sample(20_000, rng=79))).mean()) * ball.mass
        assert inside == pytest.approx(expected, abs=5 * np.sqrt(expected / N) + 0.03 * expected)


@each_law
def test_a_batch_is_its_samples_drawn_one_by_one(law: Any) -> None:
    together, apart = np.random.default_rng(11), np.random.default_rng(11)
    n = 500
    batch = law.sample(n, together).as_quat(order="xyzw")
    one_by_one = [law.sample((), apart).as_quat(order="xyzw") for _ in range(n)]
    np.testing.assert_array_equal(batch, one_by_one)
    assert together.bit_generator.state == apart.bit_generator.state


@each_law
def test_a_batch_has_any_shape(law: Any) -> None:
    flat = law.sample(6000, rng=5)
    assert flat == law.sample(6000, rng=5)
    assert law.sample((2, 3), rng=5) == flat[:6].reshape(2, 3)
    assert law.sample(rng=5) == flat[0]
    assert law.sample(0, rng=5).shape == (0,)
    assert law.sample((2, 0), rng=5).shape == (2, 0)
    assert law.sample(4, rng=5).dtype == np.float64
    with pytest.raises(ValueError, match="size="):
        law.sample(-1)
    with pytest.raises(TypeError, match="rng="):
        law.sample(1, rng=0.5)


@each_law
def test_frames_go_along_and_are_checked(law: Any) -> None:
    R = law.sample(2, rng=1)
    assert (R.source, R.target) == (law.source, law.target) == (frames.FRD, frames.NED)
    with pytest.raises(FrameError, match="FRD → NED.*FLU → ENU"):
        law.log_density(Rotation.identity(source=frames.FLU, target=frames.ENU))
    with pytest.raises(TypeError, match="Rotation"):
        law.log_density([0, 0, 0, 1])
    assert "FRD → NED" in repr(law)


@each_law
def test_densities_have_the_shape_of_the_batch_and_nan_where_it_is(law: Any) -> None:
    q = np.array([[0, 0, 0, 1], [np.nan] * 4, [1, 0, 0, 0]])
    R = Rotation.from_quat(q, order="xyzw", invalid="nan", **FRAMES)
    density = law.log_density(R)
    np.testing.assert_array_equal(np.isnan(density), [False, True, False])
    assert np.shape(law.log_density(R[0])) == ()
    assert law.log_density(R.reshape(3, 1)).shape == (3, 1)
    assert law.log_density(R[:0]).shape == (0,)


@each_law
def test_signs_of_quaternions_do_not_matter(law: Any) -> None:
    q = spread_out(256)
    one, other = (Rotation.from_quat(s * q, order="xyzw", **FRAMES) for s in (1, -1))
    np.testing.assert_array_equal(law.log_density(one), law.log_density(other))


def test_without_frames_rotations_are_unframed() -> None:
    for law in (
        Uniform(),
        MatrixFisher(F),
        WrappedNormal(SKEW, side="body"),
        IsotropicGaussian(variance=0.1),
        Quotient("T"),
    ):
        assert law.sample(2, rng=1).source is frames.Unframed
    with pytest.raises(FrameError, match="source= is given without target="):
        Uniform(source=frames.FRD)  # type: ignore[call-overload]
    with pytest.raises(FrameError, match="handed"):
        MatrixFisher(F, source=frames.FRD, target=frames.FRU)


def test_uniform_rotations_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no mean"):
        _ = Uniform().mean


@pytest.mark.parametrize(
    "name", ["ball", "body noise", "world noise", "isotropic", "fisher", "bingham", "rotvec"]
)
def test_means_of_samples_are_the_means(name: str) -> None:
    law = LAWS[name]
    mean = law.sample(N, rng=3).mean()
    assert (mean.inv() @ law.mean).angle() < 0.02


def test_a_law_about_a_centre_is_the_one_about_the_identity_moved() -> None:
    here, there = GeodesicBall(Rotation.identity(**FRAMES), 1.0), LAWS["ball"]
    assert (
        p_value_of_two(
            (CENTER.inv() @ there.sample(N, rng=1)).as_rotvec()[:, 0],
            (here.mean.inv() @ here.sample(N, rng=2)).as_rotvec()[:, 0],
        )
        > 1e-3
    )


@each_law
def test_laws_survive_pickling(law: Any) -> None:
    again = pickle.loads(pickle.dumps(law))
    assert again.sample(3, rng=1) == law.sample(3, rng=1)


def test_a_centre_in_single_precision_leaves_samples_unit() -> None:
    center = Rotation.from_quat(np.float32([0.1, -0.7, 0.3, 0.6]), order="xyzw")
    q = GeodesicBall(center, 0.3).sample(1000, rng=1).as_quat(order="xyzw")
    assert np.abs((q * q).sum(axis=-1) - 1).max() < 2e-15
