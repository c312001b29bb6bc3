"""Cones and boxes: uniform over what they allow, by the marginals of each, and of the mass that they should have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from boresight import Rotation, frames
from boresight.sampling import EulerBox, GeodesicBall, RotvecBox, SwingTwistBox, TiltCone, Uniform
from sampled import N, follows, has_mean, is_haar, p_value_of_two, spread_out, uniform_cdf

CENTER = Rotation.from_rotvec([0.3, -1.2, 2.0])
AXIS = np.array([2.0, -1.0, 2.0]) / 3

REGIONS: dict[str, Any] = {
    "cone": TiltCone(CENTER, 0.5, axis=AXIS),
    "wide cone": TiltCone(CENTER, 2.5),
    "swing-twist": SwingTwistBox(CENTER, 1.0, 0.5, axis=AXIS),
    "euler": EulerBox(CENTER, [0.4, 0.6, 1.0]),
    "euler to the pole": EulerBox(CENTER, [2.0, np.pi / 2, 1.0], sequence="ZYX"),
    "rotvec": RotvecBox(CENTER, [0.5, 0.9, 1.2]),
    "rotvec beyond pi": RotvecBox(CENTER, [2.0, 2.5, 3.0]),
    "flat rotvec beyond pi": RotvecBox(CENTER, [3.1, 0.2, 2.0]),
    "ball": GeodesicBall(CENTER, 1.0),
}


@pytest.mark.parametrize("name", REGIONS)
def test_samples_are_spread_as_uniform_rotations_that_keep_the_constraint(name: str) -> None:
    law = REGIONS[name]
    kept = Uniform().sample(1_000_000, rng=1)
    held = law.contains(kept)
    assert has_mean(held, law.mass)
    kept = kept[held]
    R = law.sample(N, rng=3)
    assert law.contains(R).all()
    ours, theirs = ((CENTER.inv() @ S).as_rotvec() for S in (R, kept))
    for line in (*np.eye(3), AXIS):
        assert p_value_of_two(ours @ line, theirs @ line) > 1e-3
    assert p_value_of_two(np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1)) > 1e-3


@pytest.mark.parametrize("angle", [1e-6, 0.1, 1.0, np.pi / 2, 3.0, np.pi])
def test_a_cone_has_uniform_cosines_azimuths_and_twists(angle: float) -> None:
    cone = TiltCone(CENTER, angle, axis=AXIS)
    R = cone.sample(N, rng=1)
    assert cone.mass == pytest.approx((1 - np.cos(angle)) / 2, rel=1e-4 if angle < 1e-3 else 1e-12)
    swing, twist = (CENTER.inv() @ R).swing_twist(AXIS)
    # 1 - cos(tilt) is 2 sin²(tilt/2).
    assert follows(np.sin(swing.angle() / 2) ** 2, uniform_cdf(0, np.sin(angle / 2) ** 2))
    tilted = (CENTER.inv() @ R).apply(AXIS)
    first, second = np.linalg.svd(AXIS[None])[2][1:]
    assert follows(np.arctan2(tilted @ second, tilted @ first), uniform_cdf(-np.pi, np.pi))
    turn = twist.as_rotvec() @ AXIS
    assert follows(turn, uniform_cdf(-np.pi, np.pi))
    # Tilt and twist do not hang together.
    wide = swing.angle() > np.median(swing.angle())
    assert p_value_of_two(turn[wide], turn[~wide]) > 1e-3


def test_a_cone_points_where_it_is_told() -> None:
    down = TiltCone.pointing([1, 0, 0], [0, 0, -3], 0.3, source=frames.FLU, target=frames.ENU)
    R = down.sample(10_000, rng=1)
    assert (R.source, R.target) == (frames.FLU, frames.ENU)
    cosine = -R.apply([1, 0, 0])[:, 2]
    assert cosine.min() >= np.cos(0.3) - 1e-15
    assert follows(cosine, uniform_cdf(np.cos(0.3), 1))
    assert down.angle == 0.3
    # Between opposite directions too.
    R = TiltCone.pointing([0, 0, 1], [0, 0, -1], 0.1).sample(1000, rng=1)
    assert (R.apply([0, 0, 1])[:, 2] <= -np.cos(0.1) + 1e-15).all()
    with pytest.raises(ValueError, match="no mean"):
        _ = down.mean


def test_a_box_of_swing_and_twist_has_uniform_twists_within_it() -> None:
    box = SwingTwistBox(CENTER, 1.0, 0.5, axis=AXIS)
    assert box.mass == pytest.approx((1 - np.cos(1.0)) / 2 * 0.5 / np.pi)
    swing, twist = (CENTER.inv() @ box.sample(N, rng=3)).swing_twist(AXIS)
    assert follows(np.cos(swing.angle()), uniform_cdf(np.cos(1.0), 1))
    assert follows(twist.as_rotvec() @ AXIS, uniform_cdf(-0.5, 0.5))
    assert box.mean == CENTER or (box.mean.inv() @ CENTER).angle() < 1e-15
    assert (box.tilt, box.twist) == (1.0, 0.5)
    np.testing.assert_allclose(box.axis, AXIS)


@pytest.mark.parametrize("sequence", ["XYZ", "ZYX", "YZX"])
def test_an_euler_box_has_uniform_angles_and_sine(sequence: str) -> None:
    a, b, c = 0.7, 0.9, 2.0
    box = EulerBox(CENTER, [a, b, c], sequence=sequence)
    assert box.mass == pytest.approx(a * c * np.sin(b) / np.pi**2)
    angles = (CENTER.inv() @ box.sample(N, rng=4)).as_euler(sequence, degrees=False)
    assert follows(angles[:, 0], uniform_cdf(-a, a))
    assert follows(np.sin(angles[:, 1]), uniform_cdf(-np.sin(b), np.sin(b)))
    assert follows(angles[:, 2], uniform_cdf(-c, c))
    assert box.half_widths == (a, b, c)


def test_uniform_in_the_middle_angle_is_another_law() -> None:
    # What MoveIt's sampler draws, as far from the right law as the closed form says.
    b = 0.9
    wrong = np.random.default_rng(1).uniform(-b, b, N)
    distance = stats.kstest(np.sin(wrong), uniform_cdf(-np.sin(b), np.sin(b))).statistic
    t = np.linspace(0, b, 10_001)
    assert distance == pytest.approx(np.abs(t / b - np.sin(t) / np.sin(b)).max() / 2, abs=0.003)
    assert distance == pytest.approx(0.030, abs=0.003)


def test_the_largest_boxes_are_everything() -> None:
    for box in (
        EulerBox(CENTER, [np.pi, np.pi / 2, np.pi]),
        RotvecBox(CENTER, [np.pi, np.pi, np.pi]),
        SwingTwistBox(CENTER, np.pi, np.pi),
        TiltCone(CENTER, np.pi),
    ):
        assert box.mass == pytest.approx(1, abs=1e-12)
        assert is_haar(box.sample(N, rng=7).as_quat(order="xyzw")), box


def test_a_box_of_rotation_vectors_accepts_as_often_as_it_should() -> None:
    widths = np.array([0.5, 0.9, 1.2])
    box = RotvecBox(CENTER, widths)
    v = np.random.default_rng(1).uniform(-widths, widths, (N, 3))
    t = np.linalg.norm(v, axis=1)
    chance = (np.sin(t / 2) / (t / 2)) ** 2
    assert has_mean(chance, 0.93312)
    # Haar's density at zero is 1 / 8π².
    assert has_mean(chance, box.mass * 8 * np.pi**2 / np.prod(2 * widths))
    # Components are spread as the density says: weighted, the uniform ones are the same.
    R = (CENTER.inv() @ box.sample(N, rng=6)).as_rotvec()
    np.testing.assert_allclose(
        (R**2).mean(axis=0), (v**2 * chance[:, None]).sum(axis=0) / chance.sum(), rtol=0.01
    )


@pytest.mark.parametrize(
    "widths", [[0.1, 0.1, 0.1], [1.5, 3.0, 0.9], [2.0, 2.5, 3.0], [3.14, 3.14, 3.14], [3, 0.1, 3]]
)
def test_the_mass_of_a_rotvec_box_is_what_quasi_random_rotations_say(widths: list[float]) -> None:
    box = RotvecBox(Rotation.identity(), widths)
    q = spread_out(2**20)
    share = box.contains(Rotation.from_quat(q, order="xyzw")).mean()
    assert box.mass == pytest.approx(share, rel=0.02 if box.mass < 0.01 else 2e-3)


@pytest.mark.parametrize("widths", [[0.1, 0.2, 0.3], [0.5, 0.9, 1.2], [1.7, 1.8, 1.8], [1e-3, 2.0, 0.5]])
def test_the_mass_of_a_rotvec_box_short_of_pi_is_its_integral(widths: list[float]) -> None:
    x, w = np.polynomial.legendre.leggauss(60)
    grids = np.meshgrid(*(width * x for width in widths), indexing="ij")
    weight = np.einsum("i,j,k->ijk", *(width * w for width in widths))
    t = np.sqrt(sum(g * g for g in grids))
    exact = (weight * 2 * np.sin(t / 2) ** 2 / (4 * np.pi**2 * t**2)).sum()
    assert RotvecBox(CENTER, widths).mass == pytest.approx(exact, rel=1e-12)


def test_a_box_without_width_is_a_line() -> None:
    v = RotvecBox(Rotation.identity(), [0.0, 0.0, 1.0]).sample(100, rng=1).as_rotvec()
    assert not v[:, :2].any() and v[:, 2].std() > 0.3
    with pytest.raises(ValueError, match="no density"):
        RotvecBox(CENTER, [0.0, 1.0, 1.0]).log_density(CENTER)


def test_what_is_on_the_edge_is_inside() -> None:
    edge = Rotation.from_rotvec([[0, 0, 0.5], [0, 0.9, 0], [0.5, 0, 0]])
    assert RotvecBox(Rotation.identity(), [0.5, 0.9, 0.5]).contains(edge).all()
    assert SwingTwistBox(Rotation.identity(), 0.9, 0.5).contains(edge).all()
    assert EulerBox(Rotation.identity(), [0.5, 0.9, 0.5]).contains(edge).all()
    further = Rotation.from_rotvec([[0, 0, 0.5 + 1e-12]])
    assert not SwingTwistBox(Rotation.identity(), 0.9, 0.5).contains(further).any()


def test_nan_keeps_no_constraint() -> None:
    nan = Rotation.from_quat([[np.nan] * 4, [0, 0, 0, 1]], order="xyzw", invalid="nan")
    for law in REGIONS.values():
        assert not law.contains(nan)[0]
        assert np.isnan(law.log_density(nan)[0])


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: TiltCone(CENTER, -0.1), "angle="),
        (lambda: TiltCone(CENTER, np.nan), "angle="),
        (lambda: TiltCone(CENTER, 4.0), "angle="),
        (lambda: TiltCone(CENTER, 1.0, axis=[0, 0, 0]), "axis="),
        (lambda: TiltCone(CENTER, 1.0, axis=[0, 1]), "axis="),
        (lambda: TiltCone.pointing([0, 0, 1], [0, 0, np.nan], 1.0), "direction="),
        (lambda: SwingTwistBox(CENTER, 1.0, 4.0), "twist="),
        (lambda: SwingTwistBox(CENTER, -1.0, 1.0), "tilt="),
        (lambda: EulerBox(CENTER, [1, 1.6, 1]), "half_widths="),
        (lambda: EulerBox(CENTER, [1, np.nan, 1]), "half_widths="),
        (lambda: EulerBox(CENTER, 1.0), "half_widths="),
        (lambda: EulerBox(CENTER, [1, 1, 1], sequence="ZXZ"), "sequence="),
        (lambda: RotvecBox(CENTER, [1, 1, 3.2]), "half_widths="),
        (lambda: RotvecBox(Rotation.identity(2), [1, 1, 1]), "center="),
    ],
)
def test_bad_arguments_are_named(make: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make()


def test_the_tolerance_of_a_centre_is_in_the_axes_of_the_source() -> None:
    # MoveIt turns the error into the axes of what is constrained: R = center · E.
    box = EulerBox(CENTER, [0.1, 0.1, 3.0])
    R = CENTER @ Rotation.from_euler("XYZ", [0.05, -0.05, 2.0], degrees=False)
    assert box.contains(R)
    assert not box.contains(Rotation.from_euler("XYZ", [0.05, -0.05, 2.0], degrees=False) @ CENTER)


@pytest.mark.parametrize("size", [1e-100, 1e-12, 1e-8, 1e-6, 1e-4, 1e-2])
def test_a_small_box_of_rotation_vectors_has_the_share_of_flat_space(size: float) -> None:
    a, b, c = size, 0.5 * size, 2 * size
    # (2 sin(t/2) / t)² is 1 - t²/12 + ..., whose mean over the box is what is left of 1.
    share = a * b * c / np.pi**2 * (1 - (a * a + b * b + c * c) / 36)
    box = RotvecBox(Rotation.identity(), [a, b, c])
    assert box.mass == pytest.approx(share, rel=1e-8 if size > 1e-3 else 1e-12)
    assert box.log_density(Rotation.identity()) == pytest.approx(-np.log(share), rel=1e-9)


def test_a_thin_box_of_rotation_vectors_has_its_share() -> None:
    # Of (2 sin(t/2) / t)² over a square of sides 2 about zero, nothing across: by Simpson's rule.
    y = np.linspace(-1.0, 1.0, 401)
    plane = np.sinc(np.hypot(y, y[:, np.newaxis]) / (2 * np.pi)) ** 2
    share = 2e-6 * float(integrate.simpson(integrate.simpson(plane, x=y), x=y)) / (8 * np.pi**2)
    assert RotvecBox(Rotation.identity(), [1e-6, 1.0, 1.0]).mass == pytest.approx(share, rel=1e-9)
