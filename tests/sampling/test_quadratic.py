"""Bingham's and the matrix Fisher's law: constants, moments, samples, fits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from boresight import Rotation, frames
from boresight.kernels.sampling import propose_bingham
from boresight.sampling import Bingham, MatrixFisher
from boresight.sampling.distributions import bessel
from boresight.sampling.distributions.normalizer import log_normalizer, moments
from boresight.sampling.distributions.quadratic import _bound, _weights_of
from sampled import N, axes_are_uniform, follows, has_mean, is_haar, spread_out

F = np.array([[1.0, 2.0, 0.3], [0.0, 1.0, 0.2], [-1.0, 0.4, 0.3]])
A = np.array([[0.0, 1, 2, 3], [1, 4, 0.5, 0], [2, 0.5, 3, 1], [3, 0, 1, 9]])


def weights(s: list[float]) -> np.ndarray:
    a, b, c = s
    return 2 * np.array([b + c, a + c, a + b])


# ---- constants -----------------------------------------------------------------------------------------


def test_bessel_functions_are_right_from_zero_to_infinity() -> None:
    x = np.concatenate([[0.0], np.geomspace(1e-10, 1e12, 2001), np.linspace(21.5, 22.5, 101)])
    np.testing.assert_allclose(bessel.i0e(x), special.i0e(x), rtol=5e-15)
    np.testing.assert_allclose(bessel.i1e(x), special.i1e(x), rtol=8e-15)


@pytest.mark.parametrize("k", [0.0, 1e-6, 0.3, 5.0, 300.0])
def test_the_constant_of_an_isotropic_one_is_known(k: float) -> None:
    # c = exp(k) (I0(2k) - I1(2k)), less the trace 3 k.
    exact = np.log(special.ive(0, 2 * k) - special.ive(1, 2 * k))
    assert log_normalizer(weights([k, k, k])) == pytest.approx(exact, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("s", [[5, 3, 1], [5, 3, -1], [2, 0.5, -0.5], [30, 10, -9], [0, 0, 0], [1, 0, 0]])
def test_the_constant_is_its_double_integral(s: list[float]) -> None:
    # Over the angle φ between the parts (x, y) and (z, w) of the quaternion, both of which go round a circle:
    # ½ sin 2φ dφ · mean over each circle, which is a Bessel function.
    w = [mp.mpf(float(v)) for v in weights(s)]

    def part(p: mp.mpf) -> mp.mpf:
        one, two = mp.sin(p) ** 2, mp.cos(p) ** 2
        first = mp.exp(-one * (w[0] + w[1]) / 2) * mp.besseli(0, one * (w[1] - w[0]) / 2)
        last = mp.exp(-two * w[2] / 2) * mp.besseli(0, two * w[2] / 2)
        return mp.sin(2 * p) * first * last

    with mp.workdps(25):
        exact = mp.log(mp.quad(part, [0, mp.pi / 8, mp.pi / 4, mp.pi / 2]))
    assert log_normalizer(weights(s)) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("w", [[1, 2, 1e12], [1, 1e6, 1e12], [0, 0, 1e9], [1e9, 1e9, 1e9], [0, 1e5, 1e5]])
def test_the_sharpest_of_laws_have_their_constants(w: list[float]) -> None:
    # The same by another order of the axes, with other Bessel functions.
    from boresight.sampling.distributions.normalizer import _Integrand

    found = [np.log(_Integrand(np.array(w, float), k).total) for k in range(3)]
    np.testing.assert_allclose(found, found[0], rtol=1e-13)
    if w[0] > 100:
        # Laplace: π^(-1/2) (w₁ w₂ w₃)^(-1/2).
        assert found[0] == pytest.approx(-0.5 * np.log(np.pi * np.prod(w)), rel=1e-8)


def test_moments_are_the_derivatives_of_the_constant() -> None:
    for s in ([5.0, 3.0, 1.0], [2.0, 1.0, -0.9], [300.0, 2.0, 1.0]):
        w, h = weights(s), 1e-4
        state = moments(w)
        for i in range(3):
            step = h * np.eye(3)[i]
            slope = (log_normalizer(np.sort(w + step)) - log_normalizer(np.sort(w - step))) / (2 * h)
            assert -slope == pytest.approx(state.squares()[i], rel=1e-6)
            change = (moments(w + step).squares() - moments(w - step).squares()) / (2 * h)
            np.testing.assert_allclose(-change, state.squares_covariance()[i], rtol=1e-5, atol=1e-10)


def test_published_means() -> None:
    assert (1 - moments(weights([5, 3, 1])).lost).round(5).tolist() == [0.84632, 0.79667, 0.77343]


# ---- samples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("w", "share"),
    [([0, 0, 0], 1.0), ([1, 2, 3], 0.91), ([5, 50, 500], 0.51), ([1000, 1000, 1000], 0.446)],
)
def test_as_many_proposals_are_accepted_as_theory_says(w: list[float], share: float) -> None:
    b = _bound(np.array(w, float))
    assert 1 / b + (1 / (b + 2 * np.array(w))).sum() == pytest.approx(1, rel=1e-14)
    _, margin = propose_bingham(
        np.random.default_rng(1).random((N, 4)), (1 + 2 * np.array([*w, 0.0]) / b) ** -0.5, b
    )
    assert float((margin > 0).mean()) == pytest.approx(share, abs=0.005)
    # |Ω|^(1/2) e^((4 - b)/2) (b/4)² c, of the constant that is not used in drawing.
    omega = np.prod(1 + 2 * np.array(w) / b)
    exact = np.sqrt(omega) * np.exp((4 - b) / 2 + log_normalizer(np.array(w, float))) * (b / 4) ** 2
    assert has_mean(margin > 0, exact)


CASES = [
    np.diag([5.0, 3.0, 1.0]),
    F,
    -F,
    5 * np.eye(3),
    np.diag([2.0, 1.0, -1.0]),
    np.diag([500.0, 20.0, -3.0]),
    np.zeros((3, 3)),
]


@pytest.mark.parametrize("matrix", CASES, ids=range(len(CASES)))
def test_samples_have_the_expected_matrix(matrix: np.ndarray) -> None:
    law = MatrixFisher(matrix)
    m = law.sample(N, rng=1).as_matrix()
    assert has_mean(m.reshape(-1, 9), law.expected_matrix().ravel())
    # And the second moments of the matrix's projections, by quasi-random integration with the density.
    R = Rotation.from_quat(spread_out(), order="xyzw")
    if np.abs(matrix).max() < 10:
        weight = np.exp(law.log_density(R))
        assert weight.mean() == pytest.approx(1, abs=3e-3)
        along = np.einsum("ij,nij->n", matrix, m)
        exact = (np.einsum("ij,nij->n", matrix, R.as_matrix()) ** 2 * weight).mean()
        error = (along**2).std() / np.sqrt(N)
        assert (along**2).mean() == pytest.approx(exact, abs=5 * error + 3e-3 * exact)


@pytest.mark.parametrize("k", [0.0, 0.3, 5.0, 200.0])
def test_an_isotropic_one_has_its_angles(k: float) -> None:
    R = MatrixFisher(k * np.eye(3)).sample(N, rng=2)
    t = np.linspace(0, np.pi, 20_001)
    density = np.exp(2 * k * (np.cos(t) - 1)) * (1 - np.cos(t)) / np.pi
    density /= special.ive(0, 2 * k) - special.ive(1, 2 * k)
    cdf = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(t))])
    assert cdf[-1] == pytest.approx(1, abs=1e-6)
    assert follows(R.angle(), lambda a: np.interp(a, t, cdf))
    assert axes_are_uniform(R.as_quat(order="xyzw"))


def test_no_concentration_is_uniform() -> None:
    assert is_haar(MatrixFisher(np.zeros((3, 3))).sample(N, rng=3).as_quat(order="xyzw"))
    assert is_haar(Bingham(3 * np.eye(4), order="wxyz").sample(N, rng=4).as_quat(order="xyzw"))


def test_sharp_bingham_laws_are_normal() -> None:
    w = np.array([5e3, 2e4, 1e6])
    q = Bingham(np.diag([0.0, *w]), order="wxyz").sample(N, rng=5).as_quat(order="wxyz")
    np.testing.assert_allclose((q[:, 1:] ** 2).mean(axis=0), 1 / (2 * w), rtol=0.02)
    assert has_mean(q[:, 1:] ** 2, moments(w).squares())


def test_bingham_samples_have_their_second_moments() -> None:
    law = Bingham(A, order="wxyz")
    q = law.sample(N, rng=6).as_quat(order="wxyz")
    i, j = np.triu_indices(4)
    lattice = Rotation.from_quat(spread_out(), order="xyzw")
    p, weight = lattice.as_quat(order="wxyz"), np.exp(law.log_density(lattice))
    exact = (p[:, i] * p[:, j] * weight[:, None]).mean(axis=0)
    error = (q[:, i] * q[:, j]).std(axis=0) / np.sqrt(N)
    assert (np.abs((q[:, i] * q[:, j]).mean(axis=0) - exact) < 5 * error + 2e-3).all()


def test_a_turn_of_the_parameter_turns_the_samples() -> None:
    left, right = Rotation.from_rotvec([0.3, -1.2, 2.0]), Rotation.from_rotvec([-2.5, 0.1, 0.4])
    turned = left.as_matrix() @ F @ right.as_matrix()
    m = MatrixFisher(turned).sample(N, rng=7).as_matrix()
    assert has_mean(
        m.reshape(-1, 9), (left.as_matrix() @ MatrixFisher(F).expected_matrix() @ right.as_matrix()).ravel()
    )


# ---- densities, means, fits ----------------------------------------------------------------------------


def test_densities_are_what_they_are_called() -> None:
    R = Rotation.from_quat(spread_out(64), order="xyzw")
    trace = np.einsum("ij,nij->n", F, R.as_matrix())
    off = MatrixFisher(F).log_density(R) - trace
    np.testing.assert_allclose(off, off[0], atol=1e-13)
    for order in ("xyzw", "wxyz"):
        q = R.as_quat(order=order)  # type: ignore[arg-type]
        off = Bingham(A, order=order).log_density(R) + np.einsum("ni,ij,nj->n", q, A, q)  # type: ignore[arg-type]
        np.testing.assert_allclose(off, off[0], atol=1e-13)


def test_the_two_are_one_family() -> None:
    a, b, c = 5.0, 3.0, 1.0
    K = np.diag([a - b - c, b - a - c, c - a - b, a + b + c])
    R = Rotation.from_quat(spread_out(64), order="xyzw")
    np.testing.assert_allclose(
        Bingham(-K, order="xyzw").log_density(R), MatrixFisher(np.diag([a, b, c])).log_density(R), atol=1e-13
    )


def test_the_mean_is_the_most_likely_rotation() -> None:
    law = MatrixFisher(F)
    near = law.mean @ Rotation.from_rotvec(0.01 * np.concatenate([np.eye(3), -np.eye(3)]))
    assert (law.log_density(near) < law.log_density(law.mean)).all()
    np.testing.assert_allclose(
        law.mean.as_matrix(), Rotation.from_matrix(F, project=True).as_matrix(), atol=1e-14
    )
    values, vectors = np.linalg.eigh(A)
    q = Bingham(A, order="wxyz").mean.as_quat(order="wxyz")
    assert abs(q @ vectors[:, 0]) == pytest.approx(1, abs=1e-14)
    assert values[0] < values[1]


@pytest.mark.parametrize(
    "law",
    [
        MatrixFisher(np.zeros((3, 3))),
        MatrixFisher(np.diag([3.0, 2.0, -2.0])),
        MatrixFisher(np.diag([3.0, 0.0, 0.0])),
        Bingham(np.diag([0.0, 0.0, 5.0, 7.0]), order="wxyz"),
    ],
)
def test_a_singular_concentration_has_no_mean(law: MatrixFisher | Bingham) -> None:
    with pytest.raises(ValueError, match="concentration is singular"):
        _ = law.mean
    assert law.sample(10, rng=1).shape == (10,)


@pytest.mark.parametrize(
    "w",
    [
        [0, 0, 0],
        [0.01, 0.02, 0.03],
        [8, 12, 16],
        [0, 0, 5],
        [0, 5, 5],
        [1, 1e3, 1e6],
        [1e8, 1e8, 1e8],
        [2, 2, 2],
    ],
)
def test_weights_are_found_from_their_moments(w: list[float]) -> None:
    given = np.array(w, float)
    np.testing.assert_allclose(_weights_of(moments(given).squares()), given, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("matrix", [np.diag([5.0, 3.0, 1.0]), F, 1e6 * F, np.diag([9.0, 2.0, -1.5])])
def test_a_matrix_fisher_law_is_found_again(matrix: np.ndarray) -> None:
    found = MatrixFisher.fit(MatrixFisher(matrix).sample(N, rng=8)).F
    assert np.abs(found - matrix).max() < 0.02 * np.abs(matrix).max()


def test_a_fit_has_the_moments_of_its_samples() -> None:
    R = MatrixFisher(F).sample(50, rng=9)
    share = np.random.default_rng(1).random(50)
    mean = np.average(R.as_matrix(), axis=0, weights=share)
    np.testing.assert_allclose(MatrixFisher.fit(R, share).expected_matrix(), mean, atol=1e-10)
    q = R.as_quat(order="wxyz")
    found = Bingham.fit(R)
    lattice = Rotation.from_quat(spread_out(), order="xyzw")
    p, weight = lattice.as_quat(order="wxyz"), np.exp(found.log_density(lattice))
    np.testing.assert_allclose(
        np.einsum("ni,nj,n->ij", p, p, weight) / len(p), np.einsum("ni,nj->ij", q, q) / 50, atol=3e-3
    )


def test_fits_keep_their_frames_and_refuse_what_has_no_spread() -> None:
    law = MatrixFisher(F, source=frames.FRD, target=frames.NED)
    found = MatrixFisher.fit(law.sample(100, rng=1))
    assert (found.source, found.target) == (frames.FRD, frames.NED)
    for fit in (MatrixFisher.fit, Bingham.fit):
        with pytest.raises(ValueError, match="singular"):
            fit(Rotation.from_rotvec([[0.1, 0, 0], [-0.1, 0, 0], [0, 0.2, 0]]))
        with pytest.raises(ValueError, match="nothing to fit to"):
            fit(Rotation.identity(0))
        with pytest.raises(ValueError, match="NaN"):
            fit(Rotation.from_quat([[np.nan] * 4], order="xyzw", invalid="nan"))


def test_parameters_that_are_none_are_refused_by_name() -> None:
    for bad, why in ((np.eye(2), r"shape \(3, 3\)"), (np.full((3, 3), np.nan), "finite"), (5.0, "shape")):
        with pytest.raises(ValueError, match=f"F= .*{why}"):
            MatrixFisher(bad)
    for bad, why in (
        (np.eye(3), r"shape \(4, 4\)"),
        (np.full((4, 4), np.inf), "finite"),
        (np.triu(np.ones((4, 4))), "symmetric"),
    ):
        with pytest.raises(ValueError, match=f"A= .*{why}"):
            Bingham(bad, order="wxyz")
    with pytest.raises(ValueError, match="order="):
        Bingham(np.eye(4), order="wzyx")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="order"):
        Bingham(np.eye(4))  # type: ignore[call-overload]


def test_the_matrix_comes_back_in_either_order() -> None:
    law = Bingham(A, order="wxyz")
    np.testing.assert_array_equal(law.matrix(order="wxyz"), A)
    np.testing.assert_array_equal(law.matrix(order="xyzw"), np.roll(A, -1, axis=(0, 1)))
    np.testing.assert_array_equal(MatrixFisher(F).F, F)


def test_the_sharpest_are_drawn_too_and_what_no_number_holds_is_refused() -> None:
    R = MatrixFisher(1e190 * np.diag([3.0, 2.0, 1.0])).sample(N, rng=1)
    q = R.as_quat(order="xyzw") * 1e95
    assert has_mean(q[:, :3] ** 2, [1 / 12, 1 / 16, 1 / 20])
    for make in (lambda: MatrixFisher(1e300 * np.eye(3)), lambda: Bingham(1e300 * A, order="wxyz")):
        with pytest.raises(ValueError, match="concentration is too large"):
            make()
