"""The samplers for OMPL where it is hard: centres that move, the law of a pose, errors, threads, spaces that are gone."""

from __future__ import annotations

import gc
import sys
import threading
from math import pi
from types import SimpleNamespace

import numpy as np
import pytest

from boresight import Pose, Rotation, kernels
from boresight.sampling import GeodesicBall, SE3StateSpace, SO3StateSpace, draws
from planning import information, interop, ob, og, poses, rotations, se3
from sampled import axes_are_uniform, follows, has_mean, is_haar, p_value_of_two, uniform_cdf

deviations = pytest.importorskip("boresight.interop.ompl.deviations")
ahead = pytest.importorskip("boresight.interop.ompl.ahead")
SO3 = SO3StateSpace()
NAN = float("nan")


# ---- centres that move -----------------------------------------------------------------------


def test_a_centre_moves_and_the_law_with_it() -> None:
    space = ob.SO3StateSpace()
    ours = interop.SO3StateSampler(space, rng=1)
    state, center = space.allocState(), space.allocState()
    turns = {"sampleUniformNear": np.empty((20_000, 4)), "sampleGaussian": np.empty((20_000, 4))}
    for name, rows in turns.items():
        for i in range(len(rows)):
            ours.sampleUniform(center)
            getattr(ours, name)(state, center, 0.4)
            p, q = ([s.x, s.y, s.z, s.w] for s in (center, state))
            rows[i] = kernels.multiply(kernels.conjugate(p), q)
    half = kernels.angle(turns["sampleUniformNear"]) / 2
    assert half.max() <= 0.4 + 1e-14
    assert follows(draws.angle_mass(2 * half), uniform_cdf(0, float(draws.angle_mass(0.8))))
    assert has_mean(kernels.angle(turns["sampleGaussian"]) / 2, 0.4)
    assert all(axes_are_uniform(rows) for rows in turns.values())


@pytest.mark.parametrize("method", ["sampleUniformNear", "sampleGaussian"])
def test_deviations_do_not_depend_on_the_centres(method: str) -> None:
    """However the centre moves, the k-th sample is the centre times the k-th deviation."""
    space = ob.SO3StateSpace()
    found = []
    for moves in (False, True):
        ours, centers = interop.SO3StateSampler(space, rng=3), interop.SO3StateSampler(space, rng=4)
        state, center = space.allocState(), space.allocState()
        center.setIdentity()
        rows = np.empty((200, 4))
        for row in rows:
            if moves:
                centers.sampleUniform(center)
            getattr(ours, method)(state, center, 0.3)
            p, q = ([s.x, s.y, s.z, s.w] for s in (center, state))
            row[:] = kernels.multiply(kernels.conjugate(p), q)
        found.append(rows)
    assert np.abs(found[0] - found[1]).max() < 4e-15


def test_a_state_may_be_its_own_centre() -> None:
    space = ob.SO3StateSpace()
    state, center = space.allocState(), space.allocState()
    state.setIdentity()
    center.setIdentity()
    apart, own = interop.SO3StateSampler(space, rng=1), interop.SO3StateSampler(space, rng=1)
    for _ in range(20):
        other = space.allocState()
        apart.sampleUniformNear(other, center, 0.3)
        own.sampleUniformNear(state, state, 0.3)
        assert interop.read_state(state) == interop.read_state(other)
        space.copyState(center, other)


def test_distances_may_change_with_each_call() -> None:
    space = se3()
    ours = SE3StateSpace((-1, 1))
    sampler = interop.SE3StateSampler(space, rng=1)
    state, near = space.allocState(), space.allocState()
    home = Pose.identity()
    interop.write_state(near, home)
    for i in range(600):
        distance = 0.01 * (1 + i % 30)
        sampler.sampleUniformNear(state, near, distance)
        assert ours.distance(home, interop.read_state(state)) <= distance + 1e-14


# ---- the law of a pose -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("distance", "weights"),
    [(0.3, (1, 1)), (1.5, (2, 0.5)), (2.9, (1, 1)), (3.1, (1, 1)), (1.0, (0.5, 0.1)), (1e-9, (1, 3))],
)
def test_poses_near_are_uniform(distance: float, weights: tuple[float, float]) -> None:
    n = 100_000
    rows = deviations.near_poses(np.random.default_rng(7), n, distance, weights)
    half, away = kernels.angle(rows[:, 3:]) / 2, np.linalg.norm(rows[:, :3], axis=1)
    assert (weights[0] * away + weights[1] * half).max() <= distance * (1 + 1e-14)
    # The density of the half angle is sin²h (distance - weights[1] h)³; by sums over a fine grid.
    grid = np.linspace(0, min(distance / weights[1], pi / 2), 20_001)
    density = np.sin(grid) ** 2 * (distance - weights[1] * grid) ** 3
    mass = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    assert follows(half, lambda h: np.interp(h, grid, mass / mass[-1]))
    share = (weights[0] * away / (distance - weights[1] * half)) ** 3
    assert follows(share, uniform_cdf(0, 1))
    assert p_value_of_two(share[half > np.median(half)], share[half <= np.median(half)]) > 1e-3
    turn = Rotation.from_rotvec(rows[:, :3] * (share / away)[:, None]).as_quat(order="xyzw")
    assert axes_are_uniform(rows[:, 3:]) and axes_are_uniform(turn)
    assert has_mean(rows[:, :3] * (rows[:, 3:6] / np.sin(half)[:, None]), 0.0)  # directions: independent


@pytest.mark.parametrize(("distance", "weights"), [(0.8, (1, 1)), (2.5, (2, 0.5))])
def test_poses_near_are_those_of_the_space(distance: float, weights: tuple[float, float]) -> None:
    space = SE3StateSpace((-50, 50), weights)
    known = space.sampler(rng=1).sample_uniform_near(Pose.identity(), distance, size=50_000)
    rows = deviations.near_poses(np.random.default_rng(2), 50_000, distance, weights)
    found = Pose(Rotation.from_quat(rows[:, 3:], order="xyzw"), rows[:, :3])
    for measure in (
        lambda p: space.distance(Pose.identity(), p),
        lambda p: np.linalg.norm(p.translation, axis=-1),
        lambda p: p.rotation.angle(),
    ):
        assert p_value_of_two(measure(known), measure(found)) > 1e-3


@pytest.mark.parametrize("place", [[0, 0, 0], [1, 1, -1], [0.5, -1, 0]])
@pytest.mark.parametrize(
    ("distance", "weights", "covers"),
    [
        (0.9, (1, 1), False),
        (1.6, (1, 1), False),
        (3.5, (1, 1), True),
        (4.9, (1, 1), True),
        (3.5, (1, 0.05), True),
    ],
)
def test_poses_near_and_within_bounds_are_those_of_the_space(
    distance: float, weights: tuple[float, float], covers: bool, place: list[float]
) -> None:
    space = se3()
    for i, weight in enumerate(weights):
        space.setSubspaceWeight(i, weight)
    ours = SE3StateSpace((-1, 1), weights)
    law = deviations.near_law(np.random.default_rng(1), distance, weights, -np.ones(3), np.ones(3))
    assert (law(1).shape[1] == 8) is covers
    home = Pose(Rotation.from_rotvec([0.3, 2, 1]), place)
    near = space.allocState()
    interop.write_state(near, home)
    found = poses(interop.SE3StateSampler(space, rng=1).sampleUniformNear, space, near, distance, n=20_000)
    known = ours.sampler(rng=2).sample_uniform_near(home, distance, size=20_000)
    assert ours.distance(home, found).max() <= distance + 1e-14 and ours.satisfies_bounds(found).all()
    for measure in (
        lambda p: ours.distance(home, p),
        lambda p: (home.rotation.inv() @ p.rotation).angle(),
        lambda p: p.translation[:, 0],
        lambda p: p.translation[:, 1],
    ):
        assert p_value_of_two(measure(known), measure(found)) > 1e-3
    assert axes_are_uniform((home.rotation.inv() @ found.rotation).as_quat(order="xyzw"))


@pytest.mark.parametrize(
    ("distance", "weights"), [(0.3, (1, 1)), (1.2, (2, 0.5)), (2.2, (1, 1)), (9, (3, 9))]
)
def test_normal_poses_share_their_distance(distance: float, weights: tuple[float, float]) -> None:
    rows = deviations.gaussian_poses(np.random.default_rng(1), 100_000, distance, weights)
    expected = distance / sum(weights)
    assert has_mean(np.linalg.norm(rows[:, :3], axis=1), expected)
    assert has_mean(kernels.angle(rows[:, 3:]) / 2, expected)


def test_the_widest_normal_law_is_no_error() -> None:
    for weights in ((1, 1), (0.3, 0.7), (1e-9, 3), (7, 0.1)):
        most = sum(weights) * (pi / 4 + 1 / pi)
        for distance in (most, np.nextafter(most, 9)):
            assert np.isfinite(
                deviations.gaussian_poses(np.random.default_rng(1), 9, distance, weights)
            ).all()


def test_beyond_its_extent_the_whole_space_is_drawn() -> None:
    space = se3(-2, 3)
    sampler = interop.SE3StateSampler(space, GeodesicBall(Rotation.identity(), 0.1), rng=1)
    near = space.allocState()
    interop.write_state(near, Pose(Rotation.identity(), [3, -2, 0]))
    for distance in (space.getMaximumExtent() * 1.001, float("inf")):
        found = poses(sampler.sampleUniformNear, space, near, distance, n=20_000)
        assert is_haar(found.rotation.as_quat(order="xyzw"))
        assert all(follows(found.translation[:, i], uniform_cdf(-2, 3)) for i in range(3))


def test_a_distance_of_nothing_gives_the_centre() -> None:
    space = se3()
    sampler = interop.SE3StateSampler(space, rng=1)
    pose = Pose(Rotation.from_rotvec([0.1, 0.2, 0.3]), [0.1, 0.2, 0.3])
    near, state = space.allocState(), space.allocState()
    interop.write_state(near, pose)
    for draw in (sampler.sampleUniformNear, sampler.sampleGaussian):
        draw(state, near, 0.0)
        found = interop.read_state(state)
        assert (found.rotation.inv() @ pose.rotation).angle() < 1e-15
        assert np.array_equal(found.translation, pose.translation)


# ---- what cannot be --------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-1e308, 1e308), (float("-inf"), float("inf"))])
def test_a_space_needs_bounds(low: float, high: float) -> None:
    with pytest.raises(ValueError, match=r"needs bounds=, finite and low below high \(setBounds\)"):
        interop.SE3StateSampler(se3(low, high))


def test_weights_are_positive_where_distances_are_respected() -> None:
    space = se3()
    space.setSubspaceWeight(1, 0.0)
    with pytest.raises(ValueError, match="weights= must be positive"):
        interop.SE3StateSampler(space)
    # A compound sampler and a goal can do with none.
    state = space.allocState()
    sampler = interop.compound_sampler(space, rng=1)
    sampler.sampleUniform(state)
    sampler.sampleUniformNear(state, state, 0.1)
    ball = GeodesicBall(Rotation.identity(), 0.1)
    goal = interop.RegionGoal(information(space), ball, (0, 0.5), rng=1)
    goal.sampleGoal(state)
    assert goal.isSatisfied(state)


def test_a_centre_out_of_reach_is_named() -> None:
    space = se3()
    sampler = interop.SE3StateSampler(space, rng=1)
    state, center = space.allocState(), space.allocState()
    interop.write_state(center, Pose(Rotation.identity(), [5, 0, 0]))
    for draw in (sampler.sampleUniformNear, sampler.sampleGaussian):
        with pytest.raises(ValueError, match="is outside the bounds"):
            draw(state, center, 0.1)
    center.setX(NAN)
    for draw in (sampler.sampleUniformNear, sampler.sampleGaussian):
        with pytest.raises(ValueError, match="the state to draw about is NaN"):
            draw(state, center, 0.1)


class Failing:
    """Rotations that cannot be drawn, but for some of the first calls."""

    def __init__(self, good: int = 0) -> None:
        self.good = good

    def sample(self, size=(), rng=None):
        self.good -= 1
        if self.good < 0:
            raise RuntimeError("the law is broken")
        return GeodesicBall(Rotation.identity(), 3.0).sample(size, rng=rng)


def test_an_error_of_the_law_comes_out_each_time_and_can_be_over() -> None:
    space = ob.SO3StateSpace()
    state = space.allocState()
    law = Failing(1)
    sampler = interop.SO3StateSampler(space, law, rng=1, batch=3)
    rotations(sampler.sampleUniform, space, n=3)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="the law is broken"):
            sampler.sampleUniform(state)
    law.good = 5
    rotations(sampler.sampleUniform, space, n=9)
    # Through C++ as well.
    compound = interop.compound_sampler(se3(), Failing(), rng=1)
    with pytest.raises(RuntimeError, match="the law is broken"):
        compound.sampleUniform(se3().allocState())


def test_a_law_that_draws_another_number_is_named() -> None:
    space = ob.SO3StateSpace()
    for size in ((), 3, 17):
        law = SimpleNamespace(
            sample=lambda _, rng, size=size: GeodesicBall(Rotation.identity(), 1.0).sample(size, rng)
        )
        with pytest.raises(ValueError, match=r"rotations.sample\(16\) must give 16 rotations, not shape"):
            interop.SO3StateSampler(space, law, rng=1).sampleUniform(space.allocState())


def test_within_a_planner_an_error_is_a_warning() -> None:
    """PRM has a second thread: an exception that leaves its `solve` ends the process."""
    allocate = interop.valid_state_sampler_allocator(Failing(), rng=1)
    si = information(se3(), lambda s: abs(s.getX()) > 0.2 or s.getY() > 0.8)
    si.setValidStateSamplerAllocator(allocate)
    ends = [si.allocState() for _ in range(2)]
    for end, x in zip(ends, (-0.9, 0.9), strict=True):
        interop.write_state(end, Pose(Rotation.identity(), [x, 0, 0]))
    problem = ob.ProblemDefinition(si)
    problem.setStartAndGoalStates(*ends)
    planner = og.PRM(si)
    planner.setProblemDefinition(problem)
    planner.setup()
    with pytest.warns(RuntimeWarning, match="the law is broken"):
        planner.solve(0.2)
    sampler = allocate(si)
    with pytest.warns(RuntimeWarning, match="a sampler of valid states failed"):
        assert not sampler.sample(ends[0])
    assert str(sampler.error) == "the law is broken"
    assert not sampler.sample(ends[0])
    assert not sampler.sampleNear(ends[0], ends[1], -1.0)
    with pytest.raises(RuntimeError, match="the law is broken"):
        interop.ValidStateSampler(si, Failing()).sample(ends[0])


def test_where_warnings_are_errors_it_is_said_still(capsys: pytest.CaptureFixture[str]) -> None:
    si = information(se3())
    assert not interop.valid_state_sampler_allocator(Failing())(si).sample(si.allocState())
    assert "the law is broken" in capsys.readouterr().err


# ---- threads and lives -----------------------------------------------------------------------


def test_threads_share_a_sampler() -> None:
    space, flat = se3(), ob.SO3StateSpace()
    sampler, turner = (
        interop.SE3StateSampler(space, rng=1, batch=16),
        interop.SO3StateSampler(flat, rng=1, batch=16),
    )
    wrong: list[object] = []

    def draw(first: int) -> None:
        state, near = space.allocState(), space.allocState()
        interop.write_state(near, Pose.identity())
        turned, center = flat.allocState(), flat.allocState()
        center.setIdentity()
        try:
            for i in range(first, first + 3000):
                distance = 0.1 + 0.05 * (i % 12)
                sampler.sampleUniformNear(state, near, distance)
                turner.sampleUniformNear(turned, center, distance)
                wrong.extend(s for s, t in ((state, near),) if space.distance(s, t) > distance + 1e-9)
                wrong.extend(s for s, t in ((turned, center),) if flat.distance(s, t) > distance + 1e-9)
        except (ValueError, RuntimeError, LookupError) as error:
            wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=draw, args=(7 * k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def drawn_from(found) -> float:
    state = SimpleNamespace()
    if not found.rows.turn(state, SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)):
        found.refill()
        assert found.rows.turn(state, SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0))
    return state.x


def test_rows_change_hands_between_the_look_and_the_draw() -> None:
    """Another thread's distance, chosen meanwhile, is not drawn from."""
    store = ahead.Deviations("distance", 9.0, lambda d: lambda n: np.full((n, 4), d), 4)
    mine = store.select(1.0)
    store.select(2.0)
    assert drawn_from(mine) == mine.distance == 1.0
    assert drawn_from(store.last) == store.last.distance == 2.0


def test_the_last_few_distances_stay_in_store() -> None:
    drawn: list[float] = []

    def draw(distance: float, n: int) -> object:
        drawn.append(distance)
        return np.full((n, 4), distance)

    store = ahead.Deviations("distance", 9.0, lambda d: lambda n: draw(d, n), 4)
    for distance in [*range(1, 9), *range(1, 9)]:
        assert drawn_from(store.select(distance)) == distance
    assert drawn == list(range(1, 9))
    store.select(9.0)
    store.select(2.0)
    assert drawn == list(range(1, 10))
    store.select(1.0)
    assert drawn == [*range(1, 10), 1]


def test_samplers_outlive_their_spaces() -> None:
    def made():
        space = se3()
        return (
            interop.SE3StateSampler(space, rng=1),
            interop.compound_sampler(space, rng=1),
            interop.ValidStateSampler(information(space), rng=1),
            interop.RegionGoal(information(space), GeodesicBall(Rotation.identity(), 0.1), (0, 0.1), rng=1),
        )

    exact, compound, valid, goal = made()
    gc.collect()
    state, near = se3().allocState(), se3().allocState()
    for sampler in (exact, compound):
        sampler.sampleUniform(near)
        sampler.sampleUniformNear(state, near, 0.1)
        sampler.sampleGaussian(state, near, 0.1)
    assert valid.sample(state)
    goal.sampleGoal(state)
    assert goal.isSatisfied(state)
