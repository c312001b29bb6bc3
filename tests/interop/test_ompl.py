"""Samplers and goals inside the real OMPL: what they draw, and that planners use them."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi

import numpy as np
import pytest

from boresight import Pose, Rotation, frames
from boresight.sampling import GeodesicBall, MatrixFisher, SE3StateSpace, SO3StateSpace, TiltCone, draws
from planning import information, interop, ob, og, poses, rotations, se3
from sampled import axes_are_uniform, follows, has_mean, is_haar, uniform_cdf

R = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)
SO3 = SO3StateSpace()
UPRIGHT = TiltCone(Rotation.identity(), 0.3)


def test_states_go_in_and_out() -> None:
    state = ob.SO3StateSpace().allocState()
    interop.write_state(state, R)
    assert interop.read_state(state) == R
    state = se3().allocState()
    pose = Pose(R, [1, 2, 3])
    interop.write_state(state, pose)
    assert interop.read_state(state) == pose
    with pytest.raises(TypeError, match="a Rotation does not go into a SE3State"):
        interop.write_state(state, R)
    with pytest.raises(TypeError, match="a state of SO"):
        interop.read_state(3)


# ---- what is drawn ---------------------------------------------------------------------------


def test_rotations_are_exact_one_at_a_time() -> None:
    space = ob.SO3StateSpace()
    sampler = interop.SO3StateSampler(space, rng=1)
    near = space.allocState()
    interop.write_state(near, R)
    assert is_haar(rotations(sampler.sampleUniform, space, n=200_000).as_quat(order="xyzw"))
    for r in (1e-6, 0.5, pi / 4, pi / 2, 2.0):
        found = rotations(sampler.sampleUniformNear, space, near, r)
        distance = SO3.distance(R, found)
        reach = min(r, pi / 2)
        assert distance.max() <= reach + 1e-15
        assert follows(draws.angle_mass(2 * distance), uniform_cdf(0, float(draws.angle_mass(2 * reach))))
        assert axes_are_uniform((R.inv() @ found).as_quat(order="xyzw"))
    for s in (0.1, 0.9, 5.0):
        found = rotations(sampler.sampleGaussian, space, near, s)
        assert has_mean(SO3.distance(R, found), min(s, pi / 4 + 1 / pi))


def test_a_law_is_drawn_from() -> None:
    space = ob.SO3StateSpace()
    law = MatrixFisher(np.diag([5.0, 3.0, 1.0]))
    found = rotations(interop.SO3StateSampler(space, law, rng=1).sampleUniform, space)
    assert has_mean(found.as_matrix().reshape(-1, 9), law.expected_matrix().ravel())


def test_poses_are_within_the_distance() -> None:
    space = se3()
    ours = SE3StateSpace((-1, 1))
    sampler = interop.SE3StateSampler(space, rng=1)
    near = space.allocState()
    for place in ([0, 0, 0], [1, 1, -1]):
        home = Pose(R, place)
        interop.write_state(near, home)
        for r in (0.01, 0.5, 2.0):
            found = poses(sampler.sampleUniformNear, space, near, r, n=20_000)
            assert ours.distance(home, found).max() <= r + 1e-14 and ours.satisfies_bounds(found).all()
            exact = ours.sampler(rng=2).sample_uniform_near(home, r, size=20_000)
            assert has_mean(ours.distance(home, found), ours.distance(home, exact).mean()) or follows(
                ours.distance(home, found), ecdf(ours.distance(home, exact))
            )
    found = poses(sampler.sampleUniform, space, n=20_000)
    assert ours.satisfies_bounds(found).all() and follows(found.translation[:, 1], uniform_cdf(-1, 1))
    interop.write_state(near, Pose(R, [0, 0, 0]))
    found = poses(sampler.sampleGaussian, space, near, 0.1, n=20_000)
    assert has_mean(ours.distance(Pose(R, [0, 0, 0]), found), 0.1)


def ecdf(values):
    known = np.sort(values)
    return lambda x: np.searchsorted(known, x) / len(known)


def test_a_compound_sampler_has_our_rotations() -> None:
    space = se3()
    sampler = interop.compound_sampler(space, UPRIGHT, rng=1)
    found = poses(sampler.sampleUniform, space)
    assert UPRIGHT.contains(found.rotation).all() and follows(found.translation[:, 0], uniform_cdf(-1, 1))
    near = space.allocState()
    interop.write_state(near, Pose(R, [0, 0, 0]))
    found = poses(sampler.sampleUniformNear, space, near, 0.4, n=20_000)
    # Half of the distance is the rotation's share.
    distance = SO3.distance(R, found.rotation)
    assert distance.max() <= 0.2 + 1e-15
    assert follows(draws.angle_mass(2 * distance), uniform_cdf(0, float(draws.angle_mass(0.4))))
    with pytest.raises(TypeError, match="a compound space with an SO3StateSpace is needed"):
        interop.compound_sampler(ob.SO3StateSpace())


def test_the_same_seed_draws_the_same_whatever_the_batch() -> None:
    space = ob.SO3StateSpace()
    first, second = (
        rotations(interop.SO3StateSampler(space, rng=7, batch=batch).sampleUniform, space, n=300)
        for batch in (4096, 5)
    )
    assert first == second
    with pytest.raises(ValueError, match="batch= must be at least 1"):
        interop.SO3StateSampler(space, batch=0)


def test_bad_distances_are_named() -> None:
    space = ob.SO3StateSpace()
    state = space.allocState()
    state.setIdentity()
    sampler = interop.SO3StateSampler(space, rng=1)
    for bad in (-0.1, float("nan")):
        with pytest.raises(ValueError, match="distance must not be negative or NaN"):
            sampler.sampleUniformNear(state, state, bad)
        with pytest.raises(ValueError, match="stdDev must not be negative or NaN"):
            sampler.sampleGaussian(state, state, bad)
    with pytest.raises(TypeError, match="an SO3StateSpace or SE3StateSpace is needed"):
        interop.state_sampler(ob.SO2StateSpace())
    unbounded = ob.SE3StateSpace()
    with pytest.raises(ValueError, match="bounds="):
        interop.SE3StateSampler(unbounded)


# ---- planners --------------------------------------------------------------------------------


def upright(state) -> bool:
    q = state.rotation()
    # The binding takes Python's own bool, and no number of NumPy's.
    return 1 - 2 * (q.x * q.x + q.y * q.y) >= cos(0.3) and abs(state.getX()) <= 1


def test_valid_states_are_drawn_from_the_law() -> None:
    si = information(se3(), lambda s: upright(s) and s.getX() > 0)
    si.setValidStateSamplerAllocator(interop.valid_state_sampler_allocator(UPRIGHT, rng=1))
    sampler = si.allocValidStateSampler()
    state, near = si.allocState(), si.allocState()
    for _ in range(200):
        assert sampler.sample(state)
        assert upright(state) and state.getX() > 0
    interop.write_state(near, Pose(Rotation.from_rotvec([0.29, 0, 0]), [0.1, 0, 0]))
    space = SE3StateSpace((-1, 1))
    for _ in range(200):
        assert sampler.sampleNear(state, near, 0.3)
        assert upright(state) and state.getX() > 0
        assert space.distance(interop.read_state(near), interop.read_state(state)) <= 0.3 + 1e-14
    nothing = information(se3(), lambda _: False)
    assert not interop.ValidStateSampler(nothing, rng=1).sample(state)
    assert not interop.ValidStateSampler(nothing, rng=1).sampleNear(state, near, 0.3)


def solve(planner, si, goal) -> list[Pose]:
    start = si.allocState()
    interop.write_state(start, Pose(Rotation.identity(), [-0.8, 0, 0]))
    problem = ob.ProblemDefinition(si)
    problem.addStartState(start)
    problem.setGoal(goal)
    planner.setProblemDefinition(problem)
    planner.setup()
    planner.solve(20.0)
    assert problem.hasExactSolution()
    path = problem.getSolutionPath()
    return [interop.read_state(path.getState(i)) for i in range(path.getStateCount())]


BOX = ([0.7, -0.1, -0.1], [0.9, 0.1, 0.1])


def test_rrtconnect_draws_goals_from_a_region() -> None:
    si = information(se3(), upright)
    heading = GeodesicBall(Rotation.from_euler("ZYX", [60, 0, 0], degrees=True), 0.1)
    path = solve(og.RRTConnect(si), si, interop.RegionGoal(si, heading, BOX, rng=1))
    assert heading.contains(path[-1].rotation) and path[-1].translation[0] >= 0.7
    assert all(UPRIGHT.contains(pose.rotation) for pose in path)


def test_prm_draws_valid_states() -> None:
    si = information(se3(), upright)
    drawn = []

    def allocate(si):
        drawn.append(interop.ValidStateSampler(si, UPRIGHT, rng=1))
        return drawn[-1]

    si.setValidStateSamplerAllocator(allocate)
    path = solve(og.PRM(si), si, interop.goal_state(si, UPRIGHT, BOX, rng=1))
    assert drawn and all(UPRIGHT.contains(pose.rotation) for pose in path)
    assert 0.7 <= path[-1].translation[0] <= 0.9


def test_a_planner_in_python_draws_from_ours() -> None:
    """The way by an `ob.Planner` of one's own: a tree that grows towards samples of the cone."""

    class Tree(ob.Planner):
        def __init__(self, si, sampler, start) -> None:
            super().__init__(si, "tree")
            self.si, self.sampler, self.start = si, sampler, start

        def solve(self, condition):
            goal = self.getProblemDefinition().getGoal()
            nodes, parents = [self.start], [-1]
            for _ in range(2000):
                state = self.si.allocState()
                self.sampler.sampleUniform(state)
                nearest = min(range(len(nodes)), key=lambda i: self.si.distance(nodes[i], state))
                if self.si.checkMotion(nodes[nearest], state):
                    nodes.append(state)
                    parents.append(nearest)
                    if goal.isSatisfied(state):
                        break
            trail = [len(nodes) - 1]
            while parents[trail[-1]] >= 0:
                trail.append(parents[trail[-1]])
            self.found = [interop.read_state(nodes[i]) for i in reversed(trail)]
            return ob.PlannerStatus(ob.PlannerStatus.EXACT_SOLUTION)

        def clear(self) -> None:
            pass

    si = information(se3(), upright)
    start = si.allocState()
    interop.write_state(start, Pose(Rotation.identity(), [-0.8, 0, 0]))
    problem = ob.ProblemDefinition(si)
    problem.addStartState(start)
    goal = interop.RegionGoal(si, UPRIGHT, ([0, -1, -1], [1, 1, 1]), rng=1)
    problem.setGoal(goal)
    planner = Tree(si, interop.SE3StateSampler(si.getStateSpace(), UPRIGHT, rng=2), start)
    planner.setProblemDefinition(problem)
    planner.solve(None)
    assert planner.found[-1].translation[0] >= 0
    assert all(UPRIGHT.contains(pose.rotation) for pose in planner.found)
    assert all(SE3StateSpace((-1, 1)).distance(a, b) > 0 for a, b in pairwise(planner.found))


def test_a_goal_knows_what_is_in_it_and_how_far_it_is() -> None:
    si = information(se3())
    framed = GeodesicBall(Rotation.identity(source=frames.FLU, target=frames.ENU), 0.2)
    goal = interop.RegionGoal(si, framed, BOX, rng=1)
    state = si.allocState()
    for _ in range(100):
        goal.sampleGoal(state)
        assert goal.isSatisfied(state) and goal.distanceGoal(state) == 0
        assert goal.isSatisfiedWithDistance(state) == (True, 0.0)
    interop.write_state(state, Pose(Rotation.from_rotvec([1.0, 0, 0]), [0.8, 0, 0.6]))
    assert not goal.isSatisfied(state)
    # Half a metre, and a half angle of .4 to the edge, as near as the landmarks tell.
    assert 0.9 <= goal.distanceGoal(state) <= 1.0
    assert goal.maxSampleCount() > 0 and goal.couldSample()
    so3 = information(ob.SO3StateSpace())
    turned = interop.RegionGoal(so3, UPRIGHT, rng=1)
    state = so3.allocState()
    turned.sampleGoal(state)
    assert turned.isSatisfied(state)


@pytest.mark.parametrize(
    ("translations", "named"),
    [
        (None, "translations= must be a pair"),
        (([0, 0], [1, 1]), "translations= must be a pair"),
        (([0, 0, 1], [1, 1, 0]), "low not above high"),
        (([0, 0, 0], [1, 1, np.nan]), "must be finite"),
    ],
)
def test_bad_goals_are_named(translations, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        interop.RegionGoal(information(se3()), UPRIGHT, translations)
    with pytest.raises(TypeError, match="rotations must be a region"):
        interop.RegionGoal(information(se3()), R, BOX)
    with pytest.raises(ValueError, match="for goals in SE"):
        interop.RegionGoal(information(ob.SO3StateSpace()), UPRIGHT, BOX)
    with pytest.raises(ValueError, match="none of 1000 states"):
        interop.goal_state(information(se3(), lambda _: False), UPRIGHT, BOX)
