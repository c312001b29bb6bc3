"""Gaussians of rotations: wrapped normals of any covariance, and the isotropic one."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from boresight import Rotation, kernels
from boresight.sampling import IsotropicGaussian, WrappedNormal
from boresight.sampling.half_angle import mean_half_angle
from sampled import N, axes_are_uniform, follows, has_mean, p_value, p_value_of_two, spread_out

MEAN = Rotation.from_rotvec([0.3, -1.2, 2.0])
COVARIANCE = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, -0.02], [0.0, -0.02, 0.02]])


def trace(R: Rotation) -> np.ndarray:
    return np.trace(R.as_matrix(), axis1=1, axis2=2)


# ---- wrapped normal ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [1e-3, 0.1, 0.5, 1.0, 1.7, 3.0, 40.0])
def test_an_isotropic_one_has_the_trace_it_should(sigma: float) -> None:
    R = WrappedNormal(sigma**2 * np.eye(3), side="body", mean=MEAN).sample(N, rng=3)
    local = MEAN.inv() @ R
    assert has_mean(trace(local), 1 + 2 * (1 - sigma**2) * np.exp(-(sigma**2) / 2))
    assert axes_are_uniform(local.as_quat(order="xyzw"))
    # 3 - tr R is 4 sin²(θ/2): what is small is compared by itself.
    if sigma < 0.01:
        assert has_mean(3 - trace(local), 2 - 2 * (1 - sigma**2) * np.exp(-(sigma**2) / 2))


@pytest.mark.parametrize("side", ["body", "world"])
def test_noise_is_on_the_side_that_was_named(side: str) -> None:
    law = WrappedNormal(COVARIANCE, side=side, mean=MEAN)  # type: ignore[arg-type]
    R = law.sample(N, rng=2)
    v = (MEAN.inv() @ R if side == "body" else R @ MEAN.inv()).as_rotvec()
    # Turns of half a revolution are ten deviations away: nothing is wrapped.
    i, j = np.triu_indices(3)
    assert has_mean(v, 0.0)
    assert has_mean(v[:, i] * v[:, j], COVARIANCE[i, j])
    other = (R @ MEAN.inv() if side == "body" else MEAN.inv() @ R).as_rotvec()
    assert not has_mean(other[:, i] * other[:, j], COVARIANCE[i, j])
    assert law.mean == MEAN


@pytest.mark.parametrize("direction", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.48, -0.6, 0.64]])
def test_every_component_of_a_narrow_one_is_normal(direction: list[float]) -> None:
    v = WrappedNormal(COVARIANCE, side="body").sample(N, rng=3).as_rotvec() @ np.array(direction)
    deviation = float(np.sqrt(np.array(direction) @ COVARIANCE @ np.array(direction)))
    from scipy.stats import norm

    assert follows(v, norm(scale=deviation).cdf)


def test_a_singular_covariance_keeps_to_its_dimensions() -> None:
    law = WrappedNormal(np.diag([0.0, 0.04, 0.0]), side="body")
    v = law.sample(1000, rng=4).as_rotvec()
    assert not v[:, [0, 2]].any() and v[:, 1].std() > 0.1
    line = np.outer([1, 2, 2], [1, 2, 2]) / 9 * 0.01
    v = WrappedNormal(line, side="body").sample(1000, rng=4).as_rotvec()
    np.testing.assert_allclose(np.cross(v, [1, 2, 2]), 0, atol=1e-9)
    with pytest.raises(ValueError, match="covariance= is singular"):
        law.log_density(Rotation.identity())
    assert (
        WrappedNormal(np.zeros((3, 3)), side="world", mean=MEAN).sample(5, rng=1).angle() == MEAN.angle()
    ).all()


def test_the_density_of_a_narrow_one_is_the_normal_one_over_haar() -> None:
    law = WrappedNormal(COVARIANCE, side="body", mean=MEAN)
    v = np.array([[0.1, -0.2, 0.05], [0.0, 0.0, 0.0], [0.3, 0.3, -0.3]])
    t = np.linalg.norm(v, axis=-1)
    haar = np.array([1.0 if a == 0 else (2 * np.sin(a / 2) / a) ** 2 for a in t]) / (8 * np.pi**2)
    square = np.einsum("ni,ij,nj->n", v, np.linalg.inv(COVARIANCE), v)
    normal = np.exp(-square / 2) / np.sqrt((2 * np.pi) ** 3 * np.linalg.det(COVARIANCE))
    found = law.log_density(MEAN @ Rotation.from_rotvec(v))
    np.testing.assert_allclose(found, np.log(normal / haar), atol=1e-12)


def test_covariances_that_are_none_are_refused_by_name() -> None:
    for bad, why in (
        (np.diag([1.0, -0.1, 1.0]), "positive semidefinite"),
        (np.array([[1.0, 0.5, 0], [0.2, 1, 0], [0, 0, 1]]), "symmetric"),
        (np.eye(2), r"shape \(3, 3\)"),
        (np.diag([1.0, np.nan, 1.0]), "finite"),
    ):
        with pytest.raises(ValueError, match=f"covariance= .*{why}"):
            WrappedNormal(bad, side="body")
    with pytest.raises(ValueError, match="side="):
        WrappedNormal(np.eye(3), side="left")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mean= must be a single rotation"):
        WrappedNormal(np.eye(3), side="body", mean=Rotation.identity(2))


@pytest.mark.parametrize("side", ["body", "world"])
def test_a_wrapped_normal_is_found_again(side: str) -> None:
    law = WrappedNormal(COVARIANCE, side=side, mean=MEAN)  # type: ignore[arg-type]
    found = WrappedNormal.fit(law.sample(N, rng=5), side=side)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.covariance, COVARIANCE, atol=1e-3)
    assert (found.mean.inv() @ MEAN).angle() < 5e-3
    weighted = WrappedNormal.fit(
        MEAN @ Rotation.from_rotvec([[0.1, 0, 0], [-0.1, 0, 0]]), [3, 1], side="body"
    )
    assert (MEAN.inv() @ weighted.mean).as_rotvec()[0] == pytest.approx(0.05)


WIDE = [(s, s, s) for s in (3, 6, 9, 9.99, 10, 11, 14, 20)] + [(0.1, 3, 300), (5, 9.9, 10.1), (0.3, 40, 40)]


@pytest.mark.parametrize("deviations", WIDE)
def test_the_density_of_a_wide_one_is_the_sum_over_all_turns(deviations: tuple[float, float, float]) -> None:
    law = WrappedNormal(np.diag(np.square(deviations)), side="body")
    rows = [np.array(u) * t for t in (1e-6, 0.4, 2.5, 3.14) for u in ((1, 0, 0), (0, 0, 1), (0.6, 0, 0.8))]
    rows += [0.9 * np.array([0.0, 1e-3, 1.0]), 3.0 * np.array([1e-4, 0.6, 0.8])]
    exact = []
    with mp.workdps(30):
        for row in rows:
            v = [mp.mpf(float(x)) for x in row]
            angle = mp.sqrt(mp.fsum(x * x for x in v))
            inverse = mp.fsum((x / mp.mpf(s)) ** 2 for x, s in zip(v, deviations, strict=True)) / angle**2
            reach = int(12 / mp.sqrt(inverse) / (2 * mp.pi)) + 2
            lengths = [angle + 2 * mp.pi * k for k in range(-reach, reach + 1)]
            total = mp.fsum(x * x * mp.exp(-x * x * inverse / 2) for x in lengths)
            normal = mp.fprod(map(mp.mpf, deviations)) * mp.sqrt(2 * mp.pi) ** 3
            exact.append(float(mp.log(8 * mp.pi**2 * total / (4 * mp.sin(angle / 2) ** 2 * normal))))
    found = law.log_density(Rotation.from_rotvec(rows))
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-9)
    # A row is by itself what it is among the others.
    assert law.log_density(Rotation.from_rotvec(rows[5])) == found[5]


def test_the_density_of_the_widest_has_an_angle_that_is_flat() -> None:
    law = WrappedNormal(1e20 * np.eye(3), side="body")
    t = np.linspace(0.01, np.pi, 50)
    angle = (
        np.exp(law.log_density(Rotation.from_rotvec(t[:, None] * [0.6, 0, 0.8]))) * (1 - np.cos(t)) / np.pi
    )
    np.testing.assert_allclose(angle, 1 / np.pi, rtol=1e-12)
    assert np.isnan(law.log_density(Rotation.from_rotvec([[np.nan, 0, 0]], invalid="nan"))).all()


@pytest.mark.parametrize("sigma", [0.1, 0.34, 0.36, 1.0, 1.7320508, 5.0])
def test_the_mean_half_angle_is_its_integral(sigma: float) -> None:
    def integrand(t: mp.mpf) -> mp.mpf:
        folded = abs((t + mp.pi) % (2 * mp.pi) - mp.pi)
        return (
            mp.sqrt(2 / mp.pi)
            * t**2
            / mp.mpf(sigma) ** 3
            * mp.exp(-(t**2) / (2 * mp.mpf(sigma) ** 2))
            * folded
        )

    with mp.workdps(20):
        exact = mp.quad(integrand, [k * mp.pi / 2 for k in range(int(20 * sigma) + 3)]) / 2
    assert mean_half_angle(sigma) == pytest.approx(float(exact), rel=1e-12)


# ---- isotropic Gaussian ------------------------------------------------------------------------------

VARIANCES = [1e-4, 0.01, 0.3, 0.999, 1.0, 1.5, 4.0, 30.0]


def series_cdf(t: np.ndarray, variance: float) -> np.ndarray:
    """By the sum over l, however many terms it takes."""
    total = t - np.sin(t)
    for order in range(1, int(np.sqrt(90 / variance)) + 3):
        fall = (2 * order + 1) * np.exp(-order * (order + 1) * variance / 2)
        total = total + fall * (np.sin(order * t) / order - np.sin((order + 1) * t) / (order + 1))
    return np.clip(total / np.pi, 0, 1)


@pytest.mark.parametrize("variance", VARIANCES)
def test_the_isotropic_gaussian_has_its_angles_and_its_trace(variance: float) -> None:
    law = IsotropicGaussian(variance=variance, mean=MEAN)
    R = MEAN.inv() @ law.sample(N, rng=1)
    # Which is that of the series, see below.
    assert follows(R.angle(), law.angle_cdf)
    assert axes_are_uniform(R.as_quat(order="xyzw"))
    assert has_mean(trace(R), 3 * np.exp(-variance))


@pytest.mark.parametrize("variance", VARIANCES)
def test_its_distribution_function_is_the_series(variance: float) -> None:
    t = np.concatenate([np.linspace(0, np.pi, 101), np.linspace(0, min(np.pi, 6 * np.sqrt(variance)), 101)])
    np.testing.assert_allclose(
        IsotropicGaussian(variance=variance).angle_cdf(t), series_cdf(t, variance), atol=2e-10
    )


@pytest.mark.parametrize("variance", [0.001, 0.1, 0.5, 0.999999])
def test_both_forms_of_the_density_agree(variance: float) -> None:
    t = np.linspace(0, np.pi, 21)
    exact: list[mp.mpf] = []
    with mp.workdps(40):
        for angle in map(mp.mpf, t.tolist()):
            total = mp.mpf(0)
            for k in range(int(np.sqrt(200 / variance)) + 5):
                character = mp.sin((k + 0.5) * angle) / mp.sin(angle / 2) if angle else 2 * k + 1
                total += (2 * k + 1) * mp.exp(-k * (k + 1) * mp.mpf(variance) / 2) * character
            exact.append(total)
    found = np.exp(
        IsotropicGaussian(variance=variance).log_density(Rotation.from_rotvec(t[:, None] * [0, 0, 1]))
    )
    peak = float(exact[0])
    np.testing.assert_allclose(found, [float(e) for e in exact], atol=4e-15 * peak, rtol=2e-13)


@pytest.mark.parametrize("variance", VARIANCES)
def test_its_density_integrates_to_one_over_haar_and_over_the_angle(variance: float) -> None:
    law = IsotropicGaussian(variance=variance)
    edge = min(np.pi, 12 * np.sqrt(variance))
    x, w = np.polynomial.legendre.leggauss(200)
    t, w = edge / 2 * (1 + x), edge / 2 * w
    assert (law.angle_density(t) * w).sum() == pytest.approx(1, abs=1e-12)
    # With respect to Haar's measure it is another function: by (1 - cos θ) / π.
    density = np.exp(law.log_density(Rotation.from_rotvec(t[:, None] * [0.6, 0, 0.8])))
    assert (density * (1 - np.cos(t)) / np.pi * w).sum() == pytest.approx(1, abs=1e-12)


def test_variances_of_independent_turns_add_up() -> None:
    one = IsotropicGaussian(variance=0.2).sample(N, rng=1)
    two = IsotropicGaussian(variance=0.5).sample(N, rng=2)
    assert follows((one @ two).angle(), lambda t: series_cdf(t, 0.7))
    assert not follows((one @ two).angle(), lambda t: series_cdf(t, 0.71))
    # A wrapped normal has no such property.
    narrow = WrappedNormal(0.5 * np.eye(3), side="body")
    sum_of_two = (narrow.sample(N, rng=1) @ narrow.sample(N, rng=2)).angle()
    assert p_value_of_two(sum_of_two, WrappedNormal(np.eye(3), side="body").sample(N, rng=3).angle()) < 1e-6


def test_small_variances_are_those_of_rotation_vectors() -> None:
    v = IsotropicGaussian(variance=1e-10).sample(N, rng=3).as_rotvec()
    assert has_mean(v**2, 1e-10)


def test_the_two_scales_in_use() -> None:
    # Leach et al. (2022) diffuse with exp(-l (l+1) ε²), Yim et al. (2023) with exp(-l (l+1) σ²/2).
    t, epsilon, sigma = np.array([0.3, 1.0]), 0.4, 0.7
    R = Rotation.from_rotvec(t[:, None] * [0, 1, 0])
    for variance, rate in ((2 * epsilon**2, epsilon**2), (sigma**2, sigma**2 / 2)):
        expected = sum(
            (2 * k + 1) * np.exp(-k * (k + 1) * rate) * np.sin((k + 0.5) * t) / np.sin(t / 2)
            for k in range(60)
        )
        np.testing.assert_allclose(np.exp(IsotropicGaussian(variance=variance).log_density(R)), expected)


@pytest.mark.parametrize("variance", [0.01, 0.3, 1.5])
def test_an_isotropic_gaussian_is_found_again(variance: float) -> None:
    found = IsotropicGaussian.fit(IsotropicGaussian(variance=variance, mean=MEAN).sample(N, rng=6))
    assert found.variance == pytest.approx(variance, rel=0.02)
    assert (found.mean.inv() @ MEAN).angle() < 0.02


def test_what_has_no_variance_is_refused() -> None:
    with pytest.raises(ValueError, match="all one"):
        IsotropicGaussian.fit(Rotation.identity(5))
    with pytest.raises(ValueError, match="as widely as uniform"):
        IsotropicGaussian.fit(Rotation.from_rotvec([[0, 0, 0], [np.pi, 0, 0], [0, np.pi, 0], [0, 0, np.pi]]))
    with pytest.raises(ValueError, match="nothing to fit to"):
        IsotropicGaussian.fit(Rotation.identity(0))
    with pytest.raises(ValueError, match="weights="):
        IsotropicGaussian.fit(Rotation.identity(2), [1, -1])
    for variance in (0.0, -1.0, np.nan, np.inf, "wide"):
        with pytest.raises(ValueError, match="variance="):
            IsotropicGaussian(variance=variance)  # type: ignore[arg-type]


def test_a_wrapped_normal_is_not_the_isotropic_gaussian() -> None:
    angle = WrappedNormal(0.5 * np.eye(3), side="body").sample(N, rng=1).angle()
    assert p_value(angle, lambda t: series_cdf(t, 0.5)) < 1e-6


def test_densities_are_symmetric_about_their_mean() -> None:
    q = Rotation.from_quat(spread_out(64), order="xyzw")
    law = IsotropicGaussian(variance=0.5, mean=MEAN)
    np.testing.assert_allclose(
        law.log_density(MEAN @ q), law.log_density(MEAN @ q.inv()), rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(law.log_density(MEAN @ q), law.log_density(q @ MEAN), atol=1e-9)
    assert kernels.angle([0, 0, 0, 1]) == 0


@pytest.mark.parametrize("variance", [1e-300, 1e-20, 1e20, 1e300])
def test_the_narrowest_and_the_widest_are_drawn_too(variance: float) -> None:
    law = IsotropicGaussian(variance=variance)
    R = law.sample(10_000, rng=1)
    assert np.isfinite(law.log_density(R)).all()
    scaled = R.angle() / np.sqrt(variance)
    if variance < 1:
        assert has_mean(scaled, np.sqrt(8 / np.pi))
    else:
        assert has_mean(R.angle(), np.pi / 2 + 2 / np.pi)
