"""State spaces: distances, bounds, bytes; near samples within their distance, Gaussians at the expected one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

from boresight import Pose, Rotation, frames
from boresight.errors import FrameError, InvalidRowsError
from boresight.sampling import (
    CompoundStateSpace,
    RealVectorStateSpace,
    SE3StateSpace,
    SO3StateSampler,
    SO3StateSpace,
    draws,
)
from sampled import LEAST_P, N, axes_are_uniform, follows, has_mean, is_haar, p_value_of_two, uniform_cdf

R = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)
NAN = Rotation.from_quat([np.nan] * 4, order="xyzw", invalid="nan")
SO3 = SO3StateSpace()


# ---- rotations -------------------------------------------------------------------------------


@pytest.mark.parametrize("r", [1e-6, 1e-3, 0.1, 0.5, 0.785, np.pi / 4, 1.0, 1.5, np.pi / 2])
def test_near_samples_are_uniform_within_the_distance(r: float) -> None:
    found = SO3.sampler(rng=1).sample_uniform_near(R, r, size=N)
    distance = SO3.distance(R, found)
    assert distance.max() <= r * (1 + 1e-15) + 1e-15
    mass = float(draws.angle_mass(2 * r))
    assert follows(draws.angle_mass(np.minimum(2 * distance, np.pi)), uniform_cdf(0, mass))
    assert axes_are_uniform((R.inv() @ found).as_quat(order="xyzw"))


@pytest.mark.parametrize("std_dev", [0.01, 0.1, 0.5, 0.9, 1.05])
def test_the_expected_distance_of_a_gaussian_is_its_deviation(std_dev: float) -> None:
    found = SO3.sampler(rng=1).sample_gaussian(R, std_dev, size=N)
    assert has_mean(SO3.distance(R, found), std_dev)
    assert axes_are_uniform((R.inv() @ found).as_quat(order="xyzw"))


def test_uniform_is_haar() -> None:
    assert is_haar(SO3.sampler(rng=5).sample_uniform(size=N).as_quat(order="xyzw"))


@pytest.mark.parametrize("law", ["exact", "ompl"])
@pytest.mark.parametrize(
    "space",
    [
        SO3StateSpace(),
        SE3StateSpace((-1, 1), weights=(1.0, 2.0)),
        CompoundStateSpace([SO3StateSpace(), RealVectorStateSpace((0.0, 1.0))]),
    ],
    ids=["SO3", "SE3", "compound"],
)
def test_a_batch_continues_the_stream_of_single_samples(space, law) -> None:
    at_once, singly = space.sampler(rng=3, law=law), space.sampler(rng=3, law=law)
    home = space.sampler(rng=1).sample_uniform()

    def rows(states):
        return np.frombuffer(space.serialise(states)).tolist()

    for draw in (
        lambda s, n: s.sample_uniform(n),
        lambda s, n: s.sample_uniform_near(home, 0.7, size=n),
        lambda s, n: s.sample_gaussian(home, 0.4, size=n),
    ):
        assert rows(draw(at_once, 20)) == [x for _ in range(20) for x in rows(draw(singly, ()))]
    # About each of a batch too.
    homes = space.sampler(rng=2).sample_uniform(5)
    together = rows(at_once.sample_uniform_near(homes, 0.7))
    one_by_one = [
        rows(singly.sample_uniform_near(space.deserialise(space.serialise(h)), 0.7)) for h in each(homes)
    ]
    assert together == [x for row in one_by_one for x in row]


def each(states):
    """The states of a batch, one by one."""
    if isinstance(states, tuple):
        return zip(*states, strict=True)
    return states


def test_shapes_and_frames() -> None:
    framed = R.between(frames.FRD, frames.NED)
    sampler = SO3.sampler(rng=1)
    found = sampler.sample_uniform_near(framed, 0.1, size=(2, 3))
    assert found.shape == (2, 3) and found.source is frames.FRD and found.target is frames.NED
    assert sampler.sample_uniform().shape == ()
    assert sampler.sample_gaussian(Rotation.identity(4), 0.1).shape == (4,)
    assert sampler.sample_gaussian(Rotation.identity(4), 0.1, size=(3, 4)).shape == (3, 4)
    assert sampler.sample_uniform_near(R, 0.1, size=0).shape == (0,)
    with pytest.raises(ValueError, match=r"size= is \(3,\), to which a batch of near of shape \(4,\)"):
        sampler.sample_uniform_near(Rotation.identity(4), 0.1, size=3)
    with pytest.raises(FrameError):
        SO3.distance(framed, R)
    with pytest.raises(ValueError, match="size= cannot be negative"):
        sampler.sample_uniform(-1)


def test_distance_is_half_the_angle_and_does_not_end_before_zero() -> None:
    small = Rotation.from_rotvec([2e-9, 0, 0])
    assert SO3.distance(R, R @ small) == pytest.approx(1e-9, rel=1e-6)
    assert SO3StateSpace(law="ompl").distance(R, R @ small) == 0
    assert SO3.distance(R, Rotation.from_quat(-R.as_quat(order="xyzw"), order="xyzw")) == 0
    assert SO3.distance(R, R @ Rotation.from_rotvec([0, 0, np.pi])) == pytest.approx(np.pi / 2)
    assert (
        SO3.maximum_extent() == np.pi / 2 and SO3.measure() == pytest.approx(np.pi**2) and SO3.dimension == 3
    )


def test_interpolation_goes_the_short_way_in_the_hemisphere_it_starts_in() -> None:
    start, end = np.array([0, 0, 0, 1.0]), np.array([0.6, 0, 0, -0.8])
    a, b = (Rotation.from_quat(q, order="xyzw") for q in (start, end))
    middle = SO3.interpolate(a, b, 0.5).as_quat(order="xyzw")
    assert middle == pytest.approx([-np.sqrt(0.1), 0, 0, np.sqrt(0.9)])
    assert SO3.interpolate(a, b, [0.0, 1.0]).shape == (2,)
    with pytest.raises(ValueError, match="t= must be finite"):
        SO3.interpolate(a, b, np.nan)


def test_bounds_of_rotations() -> None:
    ompl = SO3StateSpace(law="ompl")
    rows = [[0, 0, 0, 1.0], [0, 0, 0, 1 + 1e-8], [0, 0, 0, 1 + 1e-10], [np.nan, 0, 0, 1.0]]
    assert SO3.satisfies_bounds(rows, order="xyzw").tolist() == [True, False, True, False]
    assert ompl.satisfies_bounds(rows, order="xyzw").tolist() == [True, False, True, True]
    assert SO3.satisfies_bounds(R) and not SO3.satisfies_bounds(NAN) and ompl.satisfies_bounds(NAN)
    assert SO3.enforce_bounds([2, 0, 0, 0], order="wxyz") == Rotation.identity()
    small = SO3.enforce_bounds([1e-4, 0, 0, 0], order="xyzw")
    assert (
        small.angle() == pytest.approx(np.pi)
        and ompl.enforce_bounds([1e-4, 0, 0, 0], order="xyzw").angle() == 0
    )
    with pytest.raises(InvalidRowsError, match="zero norm"):
        SO3.enforce_bounds([0, 0, 0, 0], order="xyzw")
    with pytest.raises(ValueError, match="state is NaN"):
        SO3.enforce_bounds(NAN)
    with pytest.raises(TypeError, match="order="):
        SO3.enforce_bounds([0, 0, 0, 1])


def test_equality_copies_and_bytes() -> None:
    flipped = Rotation.from_quat(-R.as_quat(order="xyzw"), order="xyzw")
    assert SO3.equal_states(R, flipped) and not SO3.equal_states(R, R @ Rotation.from_rotvec([1e-14, 0, 0]))
    assert SO3StateSpace(law="ompl").equal_states(R, R @ Rotation.from_rotvec([1e-5, 0, 0]))
    assert not SO3.equal_states(NAN, NAN)
    assert SO3.copy(R) is R
    space = SE3StateSpace((-1, 1))
    batch = space.sampler(rng=1).sample_uniform(3)
    for own, state in ((SO3, R), (SO3, Rotation.identity(3)), (space, batch), (space, batch[0])):
        assert own.deserialise(own.serialise(state)) == state
    assert len(space.serialise(batch)) == 3 * 7 * 8
    with pytest.raises(ValueError, match="data has 5 bytes; a state takes 32"):
        SO3.deserialise(b"12345")
    with pytest.raises(ValueError, match="data has 0 bytes"):
        SO3.deserialise(b"")
    vector = RealVectorStateSpace(([0, 0], [1, 1]))
    original = np.array([0.5, 0.5])
    assert vector.copy(original) is not original and pickle.loads(pickle.dumps(vector)).maximum_extent() > 1


@pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf, "far", None, [0.1, 0.2]])
def test_a_bad_distance_or_deviation_is_named(bad: object) -> None:
    for law in ("exact", "ompl"):
        sampler = SO3.sampler(rng=1, law=law)
        with pytest.raises(ValueError, match="distance= must"):
            sampler.sample_uniform_near(R, bad)
        with pytest.raises(ValueError, match="std_dev= must"):
            sampler.sample_gaussian(R, bad)


def test_too_far_is_refused_with_the_limit() -> None:
    sampler = SO3.sampler(rng=1)
    with pytest.raises(ValueError, match="distance= is half a rotation angle.* at most pi/2, not 1.6"):
        sampler.sample_uniform_near(R, 1.6)
    with pytest.raises(ValueError, match=r"std_dev= .*1\.1037"):
        sampler.sample_gaussian(R, 1.104)
    assert sampler.sample_gaussian(R, 1.1037, size=10).shape == (10,)


def test_bad_states_and_laws_are_named() -> None:
    sampler = SO3.sampler(rng=1)
    with pytest.raises(ValueError, match="near= is NaN"):
        sampler.sample_uniform_near(NAN, 0.1)
    row = Rotation.concatenate([R, NAN])
    with pytest.raises(ValueError, match="mean= is NaN in row 1"):
        sampler.sample_gaussian(row, 0.1)
    with pytest.raises(TypeError, match="near= must be a Rotation"):
        sampler.sample_uniform_near([0, 0, 0, 1], 0.1)
    with pytest.raises(ValueError, match='law= is "exact" or "ompl"'):
        SO3.sampler(law="fair")
    with pytest.raises(ValueError, match='law= is "exact" or "ompl"'):
        SO3StateSpace(law="fair")
    with pytest.raises(TypeError, match="space= must be a SO3StateSpace"):
        SO3StateSampler(SE3StateSpace((-1, 1)), rng=1)
    with pytest.raises(TypeError, match="rng="):
        SO3.sampler(rng="seed")


# ---- poses -----------------------------------------------------------------------------------

PLACES = {"middle": [0, 0, 0], "corner": [1, 1, 1], "side": [0.9, 0, 0]}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 10.0), (10.0, 1.0)])
def test_near_poses_are_uniform_within_the_weighted_distance(weights, place: str) -> None:
    """Against plain rejection: uniform poses, of which those too far away are thrown away."""
    space = SE3StateSpace((-1, 1), weights)
    near = Pose(Rotation.from_rotvec([0.3, 0.2, 0.1]), PLACES[place])
    r = 0.5 * space.maximum_extent()
    found = space.sampler(rng=1).sample_uniform_near(near, r, size=100_000)
    everywhere = space.sampler(rng=2).sample_uniform(300_000)
    reference = everywhere[space.distance(near, everywhere) <= r]
    assert space.distance(near, found).max() <= r + 1e-14 and space.satisfies_bounds(found).all()

    def figures(poses: Pose) -> list:
        turn = near.rotation.inv() @ poses.rotation
        moved = poses.translation - near.translation
        return [
            turn.angle(),
            np.linalg.norm(moved, axis=-1),
            moved[:, 0],
            turn.as_rotvec()[:, 2],
            moved[:, 1],
        ]

    for a, b in zip(figures(found), figures(reference), strict=True):
        assert p_value_of_two(a, b) > LEAST_P


@pytest.mark.parametrize("r", [1e-6, 0.01, 0.5])
def test_small_distances_in_se3(r: float) -> None:
    """In a ball so small that SE(3) is flat the distance goes with the sixth power."""
    space = SE3StateSpace((-1, 1), (1.0, 3.0))
    near = Pose(R, [0.1, 0.2, 0.3])
    distance = space.distance(near, space.sampler(rng=1).sample_uniform_near(near, r, size=N))
    assert distance.max() <= r + 1e-15
    if r <= 0.01:
        assert follows((distance / r) ** 6, uniform_cdf(0, 1))


def test_ompl_lets_poses_out_of_the_distance() -> None:
    """The same check on OMPL's law fails, by as much as its specification says."""
    for weights, share in (((1.0, 1.0), 0.20), ((1.0, 10.0), 0.999)):
        space = SE3StateSpace((-10, 10), weights)
        near = Pose.identity()
        found = space.sampler(rng=1, law="ompl").sample_uniform_near(near, 1.0, size=N)
        assert np.mean(space.distance(near, found) > 1.0) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("std_dev", [0.01, 0.3, 1.0, 3.0])
def test_the_expected_distance_of_poses(std_dev: float) -> None:
    space = SE3StateSpace((-100, 100), (1.0, 2.0))
    near = Pose(R, [1, 2, 3])
    assert has_mean(
        space.distance(near, space.sampler(rng=1).sample_gaussian(near, std_dev, size=N)), std_dev
    )


@pytest.mark.parametrize("std_dev", [0.1, 0.5, 3.0])
def test_bounded_vectors_are_normal_on_the_condition_of_the_bounds(std_dev: float) -> None:
    space = RealVectorStateSpace(([0, 0], [1, 1]))
    mean = np.array([1, 0.3])
    x = space.sampler(rng=1).sample_gaussian(mean, std_dev, size=N)
    sigma = std_dev / np.sqrt(np.pi / 2)
    for i, m in enumerate(mean):
        assert follows(x[:, i], stats.truncnorm(-m / sigma, (1 - m) / sigma, m, sigma).cdf)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_vectors_near_one_are_uniform_in_the_ball(n: int) -> None:
    space = RealVectorStateSpace((np.full(n, -2.0), np.full(n, 2.0)))
    near = np.full(n, 0.5)
    x = space.sampler(rng=1).sample_uniform_near(near, 0.7, size=50_000)
    assert follows((np.linalg.norm(x - near, axis=1) / 0.7) ** n, uniform_cdf(0, 1))
    x = space.sampler(rng=1).sample_uniform_near(np.full(n, 2.0), 0.7, size=1000)
    assert space.satisfies_bounds(x).all()


def test_limits_and_measures_of_se3() -> None:
    space = SE3StateSpace(([-1, -1, -1], [2, 2, 2]), weights=(2.0, 10.0))
    assert space.maximum_extent() == pytest.approx(2 * np.sqrt(27) + 10 * np.pi / 2)
    assert space.measure() == pytest.approx(2 * 27 * 10 * np.pi**2) and space.dimension == 6
    sampler = space.sampler(rng=1)
    with pytest.raises(ValueError, match="distance= must be at most the space's maximum extent, 26.1"):
        sampler.sample_uniform_near(Pose.identity(), 27)
    with pytest.raises(ValueError, match=r"std_dev= must be at most 13\.24"):
        sampler.sample_gaussian(Pose.identity(), 14)
    outside = Pose(R, [3, 0, 0])
    with pytest.raises(ValueError, match="near= is outside the bounds"):
        sampler.sample_uniform_near(outside, 0.1)
    assert not space.satisfies_bounds(outside)
    assert space.enforce_bounds(outside).translation.tolist() == [2, 0, 0]
    with pytest.raises(TypeError, match="near= must be a Pose"):
        sampler.sample_uniform_near(R, 0.1)
    with pytest.raises(ValueError, match="state is NaN"):
        space.enforce_bounds(Pose(R, [np.nan, 0, 0], invalid="nan"))


@pytest.mark.parametrize(
    ("bounds", "weights", "named"),
    [
        ((1, -1), (1, 1), "bounds= must have low below high"),
        ((0, np.inf), (1, 1), "bounds= must be finite"),
        (([0, 0], [1, 1]), (1, 1), "bounds= must be low and high of 3 numbers"),
        (5, (1, 1), "bounds= must be a pair"),
        ((-1, 1), (1, 0), "weights= must be positive"),
        ((-1, 1), (1, np.nan), "weights= must be positive"),
        ((-1, 1), (1, 1, 1), "weights= must be 2 numbers, not 3"),
        ((-1, 1), None, "weights= must be 2 numbers"),
    ],
)
def test_bad_spaces_are_named(bounds, weights, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        SE3StateSpace(bounds, weights)


# ---- compounds -------------------------------------------------------------------------------


def test_a_compound_is_the_sum_of_its_parts() -> None:
    arm = CompoundStateSpace(
        [SE3StateSpace((-1, 1), (1.0, 2.0)), RealVectorStateSpace((0, 2))], weights=[0.5, 3.0]
    )
    a = arm.sampler(rng=1).sample_uniform()
    b = arm.sampler(rng=2).sample_uniform()
    pose, slide = arm.spaces
    assert arm.distance(a, b) == pytest.approx(
        0.5 * pose.distance(a[0], b[0]) + 3 * slide.distance(a[1], b[1])
    )
    assert arm.measure() == pytest.approx(0.5 * pose.measure() * 3 * slide.measure())
    assert arm.maximum_extent() == pytest.approx(0.5 * pose.maximum_extent() + 6)
    middle = arm.interpolate(a, b, 0.5)
    assert middle[1] == pytest.approx((a[1] + b[1]) / 2) and arm.satisfies_bounds(middle)
    assert arm.equal_states(arm.copy(a), a) and arm.equal_states(arm.enforce_bounds(a), a)
    assert arm.equal_states(arm.deserialise(arm.serialise(a)), a)
    assert arm.dimension == 7
    found = arm.sampler(rng=3).sample_uniform_near(a, 0.5, size=50_000)
    everywhere = arm.sampler(rng=4).sample_uniform(10_000)
    assert arm.distance(a, found).max() <= 0.5 + 1e-14 and arm.satisfies_bounds(found).all()
    assert arm.satisfies_bounds(everywhere).all()


def test_bad_compounds_are_named() -> None:
    with pytest.raises(ValueError, match="spaces= is empty"):
        CompoundStateSpace([])
    with pytest.raises(TypeError, match="spaces= must be StateSpaces, not int"):
        CompoundStateSpace([3])
    arm = CompoundStateSpace([SO3, RealVectorStateSpace((0, 1))])
    with pytest.raises(ValueError, match="a has 1 states; the space is made of 2"):
        arm.distance((R,), (R, [0.1]))
    with pytest.raises(TypeError, match=r"a must be a tuple of states"):
        arm.distance(R, R)
    with pytest.raises(TypeError, match=r"state\[0\] must be a Rotation"):
        arm.satisfies_bounds((3, [0.1]))
