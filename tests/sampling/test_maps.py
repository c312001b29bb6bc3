"""The maps from random numbers to rotations: accuracy, and the same bits with every instruction set."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

from boresight import kernels
from boresight.kernels import sampling as maps

TESTS = Path(__file__).resolve().parent.parent


def exact_mass(t: float) -> mp.mpf:
    with mp.workdps(320):
        return mp.mpf(t) - mp.sin(mp.mpf(t))


@pytest.mark.parametrize("t", [1e-100, 1e-9, 1e-3, 0.1, 0.49, 0.51, 0.9999, 1.0, 1.0001, 2.0, 3.0, np.pi])
def test_angle_mass_has_all_its_digits(t: float) -> None:
    exact = exact_mass(t)
    assert abs((mp.mpf(float(maps.angle_mass(t))) - exact) / exact) < 1e-15


def test_inverse_angle_mass_is_good_to_rounding() -> None:
    y = np.concatenate([np.geomspace(1e-30, np.pi, 4001), np.linspace(0.001, np.pi, 2001)])
    t = maps.inverse_angle_mass(y)
    residual = [abs((exact_mass(float(a)) - b) / mp.mpf(float(b))) for a, b in zip(t, y, strict=True)]
    assert max(residual) < 4e-15
    assert (np.diff(t[:4001]) > 0).all()
    assert t.max() <= np.pi


def test_inverse_angle_mass_at_its_ends() -> None:
    t = maps.inverse_angle_mass(np.array([0.0, 1e-300, np.pi, -1e-9, 3.2, np.nan]))
    assert t[0] == 0
    assert t[1] == pytest.approx(np.cbrt(6e-300), rel=1e-14)
    assert t[2] == np.pi
    assert np.isnan(t[3:]).all()


def test_inverse_angle_mass_in_single_precision() -> None:
    y = np.geomspace(1e-20, 3.14159, 2001, dtype=np.float32)
    t = maps.inverse_angle_mass(y)
    assert t.dtype == np.float32
    np.testing.assert_allclose(t, maps.inverse_angle_mass(y.astype(np.float64)), rtol=4e-7)


def rows(seed: int, columns: int, n: int = 1003) -> np.ndarray:
    return np.random.default_rng(seed).random((n, columns))


def test_a_ball_is_its_formula() -> None:
    u = rows(1, 3)
    low, high = 0.01, 2.5
    angle = maps.inverse_angle_mass(low + u[:, 0] * (high - low))
    z, azimuth = 2 * u[:, 1] - 1, 2 * np.pi * u[:, 2]
    across = np.sqrt(1 - z * z)
    axis = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), z], axis=-1)
    expected = np.concatenate([np.sin(angle / 2)[:, None] * axis, np.cos(angle / 2)[:, None]], axis=-1)
    np.testing.assert_allclose(maps.sample_ball(u, low, high), expected, atol=4e-15)
    turned = np.column_stack([angle, u[:, 1:]])
    np.testing.assert_allclose(maps.sample_axis(turned), expected, atol=4e-15)


def test_swing_and_twist_are_their_formula() -> None:
    u = rows(2, 3)
    s, c = np.sqrt(0.3 * u[:, 0]), np.sqrt(1 - 0.3 * u[:, 0])
    a, b = 2 * np.pi * u[:, 1], 0.7 * (2 * u[:, 2] - 1)
    expected = np.stack([s * np.cos(a), s * np.sin(a), c * np.sin(b), c * np.cos(b)], axis=-1)
    np.testing.assert_allclose(maps.sample_swing_twist(u, 0.3, 0.7), expected, atol=2e-15)


def test_a_gaussian_is_the_exponential_of_scaled_normals() -> None:
    z, root = (
        np.random.default_rng(3).standard_normal((1003, 3)),
        np.array([[0.3, 0, 0], [0.1, 2, 0], [0.4, -1, 0.01]]),
    )
    np.testing.assert_allclose(maps.sample_gaussian(z, root), kernels.exp(z @ root.T), atol=1e-14)


def test_bingham_proposals_are_their_formula() -> None:
    u, w, b = rows(4, 4), np.array([1.0, 5.0, 700.0, 0.0]), 1.7
    q, margin = maps.propose_bingham(u, (1 + 2 * w / b) ** -0.5, b)
    x = maps.sample_swing_twist(u[:, :3], 1.0, np.pi) / np.sqrt(1 + 2 * w / b)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    np.testing.assert_allclose(q, x, atol=2e-15)
    square, omega = (x * x) @ w, (x * x) @ (1 + 2 * w / b)
    chance = np.exp(-square) * omega**2 / np.exp(-(4 - b) / 2 + 2 * np.log(4 / b))
    np.testing.assert_allclose(margin + u[:, 3], chance, atol=1e-13)
    assert (chance <= 1 + 1e-12).all()


def test_far_out_proposals_are_refused_not_nan() -> None:
    _, margin = maps.propose_bingham(rows(5, 4), [1e-8, 1e-8, 1e-8, 1.0], 1.0)
    assert np.isfinite(margin).all()
    assert (margin[maps.propose_bingham(rows(5, 4), [1.0, 1.0, 1.0, 1e-9], 1.0)[1] < -1] < 0).all()


def test_a_cubic_is_inverted_to_rounding() -> None:
    x = np.linspace(0, 1, 1001)
    for slope, after in ((1.0, 1.0), (0.0, 3.0), (2.9, 0.0), (0.5, 0.2)):
        b, c = 3 - 2 * slope - after, slope + after - 2
        value = x * (slope + x * (b + x * c))
        back = maps.invert_cubic(0.25 + value, 0.25, 1.25, slope, after)
        np.testing.assert_allclose(back * (slope + back * (b + back * c)), value, rtol=1e-7, atol=1e-15)


def test_norms_are_one() -> None:
    u = rows(6, 4, 20_000)
    made = [
        maps.sample_ball(u[:, :3].copy(), 0.0, np.pi),
        maps.sample_swing_twist(u[:, :3].copy(), 1.0, np.pi),
        maps.propose_bingham(u, [0.1, 0.2, 0.5, 1.0], 2.0)[0],
    ]
    for q in made:
        assert np.abs((q * q).sum(axis=-1) - 1).max() < 1e-15


def digest() -> str:
    """Of everything that the maps make of fixed numbers; run by another process, too."""
    u, z = rows(7, 4), np.random.default_rng(8).standard_normal((1003, 3))
    u3 = u[:, :3].copy()
    made = [
        maps.angle_mass(u[:, 0] * 3),
        maps.inverse_angle_mass(u[:, 0] * 3),
        maps.sample_ball(u3, 0.1, 2.0),
        maps.sample_axis(u3),
        maps.sample_swing_twist(u3, 0.5, 2.0),
        maps.sample_gaussian(z, np.eye(3)),
        *maps.propose_bingham(u, [0.1, 0.2, 0.5, 1.0], 2.0),
        maps.invert_cubic(u[:, 0], 0.0, 1.0, 0.5, 0.3),
        maps.sample_ball(u3.astype(np.float32), 0.1, 2.0),
    ]
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in made)).hexdigest()


def test_every_instruction_set_gives_the_same_bits() -> None:
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_maps as t; print(t.digest())"
    digests = set()
    for isa in ("baseline", "avx2", "avx512"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"BORESIGHT_ISA": isa},
            cwd=TESTS,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout)
    assert len(digests) == 1
