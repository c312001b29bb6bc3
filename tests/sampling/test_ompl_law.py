"""The law of OMPL beside the real package: alike where it is right and where it is not, and refused by the checks."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import Pose, Rotation
from boresight.sampling import SE3StateSpace, SO3StateSpace, draws
from sampled import LEAST_P, N, follows, has_mean, p_value_of_two, uniform_cdf

ob = pytest.importorskip("ompl.base", reason="the ompl package is not installed")
from ompl import util as ou  # noqa: E402

R = Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)
SO3 = SO3StateSpace(law="ompl")
# A seed can be set once in a process, before any random number.
ou.setLogLevel(ou.LOG_ERROR)
ou.RNG.setSeed(2)


@pytest.fixture(scope="module")
def real():
    """Draw N rotations with OMPL's own sampler, by the name of its method."""
    space = ob.SO3StateSpace()
    sampler = ob.SO3StateSampler(space)
    state, about = space.allocState(), space.allocState()
    about.x, about.y, about.z, about.w = R.as_quat(order="xyzw").tolist()

    def draw(method: str, *arguments: float, n: int = N) -> Rotation:
        call = getattr(sampler, method)
        given = (about, *arguments) if arguments else ()
        rows = np.empty((n, 4))
        for i in range(n):
            call(state, *given)
            rows[i] = state.x, state.y, state.z, state.w
        return Rotation.from_quat(rows, order="xyzw")

    return draw


def alike(ours: Rotation, theirs: Rotation) -> bool:
    """Whether two sets agree in the distance from R and in the rotation vector in the body's axes."""
    a, b = (R.inv() @ rotations for rotations in (ours, theirs))
    columns = zip(a.as_rotvec().T, b.as_rotvec().T, strict=True)
    return p_value_of_two(a.angle(), b.angle()) > LEAST_P and all(
        p_value_of_two(x, y) > LEAST_P for x, y in columns
    )


@pytest.mark.parametrize("r", [1e-3, 0.1, 0.5, 0.785, np.pi / 4, 1.0, np.pi / 2, 2.0])
def test_near(real, r: float) -> None:
    assert alike(SO3.sampler(rng=1).sample_uniform_near(R, r, size=N), real("sampleUniformNear", r))


@pytest.mark.parametrize("s", [0.01, 0.1, 0.5, 0.9, 1.013, 1.014, 1.05, 3.0])
def test_gaussian(real, s: float) -> None:
    assert alike(SO3.sampler(rng=1).sample_gaussian(R, s, size=N), real("sampleGaussian", s))


def test_uniform(real) -> None:
    assert alike(SO3.sampler(rng=1).sample_uniform(N), real("sampleUniform"))


def test_the_exact_checks_refuse_what_ompl_draws(real) -> None:
    """The checks that hold the exact law fail on the real package, as the same checks can."""
    for r in (0.5, 0.785):
        distance = SO3.distance(R, real("sampleUniformNear", r))
        assert not follows(draws.angle_mass(2 * distance), uniform_cdf(0, float(draws.angle_mass(2 * r))))
    outside = SO3.distance(R, real("sampleUniformNear", np.pi / 4)) > np.pi / 4
    assert outside.mean() == pytest.approx(0.82, abs=0.01)
    for s in (0.1, 0.5, 0.9):
        distance = SO3.distance(R, real("sampleGaussian", s))
        assert not has_mean(distance, s)
        assert distance.mean() == pytest.approx(0.9213 * s, rel=0.015)


def test_faults_of_the_space_are_kept() -> None:
    theirs = ob.SO3StateSpace()
    a, b, c = theirs.allocState(), theirs.allocState(), theirs.allocState()

    def put(state, q) -> None:
        state.x, state.y, state.z, state.w = (float(x) for x in q)

    for angle in (1e-6, 8e-5, 9.1e-5, 0.1, 3.0, np.pi):
        turned = R @ Rotation.from_rotvec([angle, 0, 0])
        put(a, R.as_quat(order="xyzw"))
        put(b, turned.as_quat(order="xyzw"))
        assert SO3.distance(R, turned) == pytest.approx(theirs.distance(a, b), rel=1e-5)
        assert bool(SO3.equal_states(R, turned)) == theirs.equalStates(a, b)
        theirs.interpolate(a, b, 0.3, c)
        assert SO3.interpolate(R, turned, 0.3).as_quat(order="xyzw") == pytest.approx(
            [c.x, c.y, c.z, c.w], abs=1e-9
        )
    for q in ([np.nan, 0, 0, 1], [0, 0, 0, 1 + 1e-8], [0.6, 0, 0, 0.8]):
        put(a, q)
        assert bool(SO3.satisfies_bounds(q, order="xyzw")) == theirs.satisfiesBounds(a)
    for q in ([1e-4, 0, 0, 0], [2, 0, 0, 0], [3, 0, 4, 0]):
        put(a, q)
        theirs.enforceBounds(a)
        assert SO3.enforce_bounds(q, order="xyzw").as_quat(order="xyzw") == pytest.approx(
            [a.x, a.y, a.z, a.w]
        )
    assert SO3.maximum_extent() == theirs.getMaximumExtent()
    assert SO3.measure() == pytest.approx(theirs.getMeasure())


@pytest.mark.parametrize("place", [[0, 0, 0], [0.9, -1, 0]])
@pytest.mark.parametrize(
    ("method", "amount"), [("near", 1.0), ("near", 0.2), ("gaussian", 0.5), ("gaussian", 2.5)]
)
def test_se3(method: str, amount: float, place: list[float]) -> None:
    theirs = ob.SE3StateSpace()
    bounds = ob.RealVectorBounds(3)
    bounds.setLow(-1)
    bounds.setHigh(1)
    theirs.setBounds(bounds)
    sampler = theirs.allocDefaultStateSampler()
    state, about = theirs.allocState(), theirs.allocState()
    about.setXYZ(*map(float, place))
    q = about.rotation()
    q.x, q.y, q.z, q.w = R.as_quat(order="xyzw").tolist()
    n = 50_000
    rows = np.empty((n, 7))
    call = sampler.sampleUniformNear if method == "near" else sampler.sampleGaussian
    for i in range(n):
        call(state, about, amount)
        q = state.rotation()
        rows[i] = state.getX(), state.getY(), state.getZ(), q.x, q.y, q.z, q.w
    space = SE3StateSpace((-1, 1), law="ompl")
    sampler = space.sampler(rng=1)
    draw = sampler.sample_uniform_near if method == "near" else sampler.sample_gaussian
    ours = draw(Pose(R, place), amount, size=n)
    for i in range(3):
        assert p_value_of_two(ours.translation[:, i], rows[:, i]) > LEAST_P
    assert alike(ours.rotation, Rotation.from_quat(rows[:, 3:], order="xyzw"))
    assert space.maximum_extent() == pytest.approx(theirs.getMaximumExtent())
    assert space.measure() == pytest.approx(theirs.getMeasure())
