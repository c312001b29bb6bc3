"""The smooth curve through timed rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, RotationSpline

from boresight import kernels
from boresight.errors import InvalidRowsError
from boresight.spline import fit_spline

UNIX = 1_700_000_000_000_000_000


def keys(n: int, size: float, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    steps = kernels.exp(size * rng.uniform(-1, 1, (n, 3)))
    q = [steps[0]]
    for step in steps[1:]:
        q.append(kernels.multiply(q[-1], step))
    return np.cumsum(rng.uniform(0.5, 1.5, n)), np.array(q) * rng.choice([-1, 1], (n, 1))


def angle(p: Any, q: Any) -> Any:
    return kernels.angle(kernels.multiply(kernels.conjugate(p), q))


@pytest.mark.parametrize("size", [1e-9, 0.1, 1.0, 1.7])
def test_the_curve_goes_through_its_keys_with_continuous_rate_and_acceleration(size: float) -> None:
    times, q = keys(40, size)
    curve = fit_spline(times, q)
    assert angle(curve.rotations(times), q).max() < 4e-15
    inner = times[1:-1]
    h = 1e-9
    scale = np.abs(curve.rates).max()
    for values, tolerance in ((curve.angular_rates, 1e-7), (curve.angular_accelerations, 1e-6)):
        jump = np.abs(values(inner + h) - values(inner - h)).max()
        assert jump < tolerance * scale
    # exactly: the polynomials of both sides at the key itself
    before, after = curve.angular_accelerations(np.nextafter(inner, 0)), curve.angular_accelerations(inner)
    assert np.abs(before - after).max() < 1e-12 * np.abs(after).max()
    # natural ends
    assert np.abs(curve.angular_accelerations(times[[0, -1]])).max() < 1e-12 * np.abs(after).max()


def test_rate_and_acceleration_are_the_derivatives_of_the_curve() -> None:
    times, q = keys(12, 1.0)
    curve = fit_spline(times, q)
    at = np.random.default_rng(2).uniform(times[0] + 0.1, times[-1] - 0.1, 50)
    h = 1e-5
    step = kernels.multiply(kernels.conjugate(curve.rotations(at - h)), curve.rotations(at + h))
    assert np.allclose(curve.angular_rates(at), kernels.log(step) / (2 * h), rtol=0, atol=1e-8)
    slope = (curve.angular_rates(at + h) - curve.angular_rates(at - h)) / (2 * h)
    assert np.allclose(curve.angular_accelerations(at), slope, rtol=0, atol=1e-7)


@pytest.mark.parametrize("size", [0.01, 1.0])
def test_scipy_has_the_same_curve_where_the_ends_agree(size: float) -> None:
    times, q = keys(15, size)
    theirs = RotationSpline(times, Rotation.from_quat(q))
    ours = fit_spline(times, q, ends=tuple(theirs(times[[0, -1]], 1)))
    at = np.linspace(times[0], times[-1], 300)
    # theirs stops iterating at a relative 1e-9
    assert angle(ours.rotations(at), theirs(at).as_quat()).max() < 1e-8 * size
    assert np.allclose(ours.angular_rates(at), theirs(at, 1), rtol=0, atol=1e-7 * size)
    assert np.allclose(ours.angular_accelerations(at), theirs(at, 2), rtol=0, atol=1e-6 * size)


def test_a_constant_rate_stays_constant() -> None:
    rate = np.array([0.4, -1.0, 0.7])
    times = np.array([0.0, 0.3, 1.0, 1.1, 2.0])
    q = kernels.exp(times[:, None] * rate)
    curve = fit_spline(times, q)
    at = np.linspace(0, 2, 50)
    assert np.allclose(curve.angular_rates(at), rate, rtol=0, atol=1e-14)
    assert angle(curve.rotations(at), kernels.exp(at[:, None] * rate)).max() < 1e-15
    two = fit_spline(times[[0, 4]], q[[0, 4]])
    assert angle(two.rotations(at), kernels.slerp(q[0], q[4], at / 2)).max() < 1e-15


def test_it_does_not_matter_where_it_is_turned_from_the_left_or_from_which_side_of_time() -> None:
    times, q = keys(10, 1.0)
    turn = kernels.exp([0.4, 2.0, 1.0])
    at = np.linspace(times[0], times[-1], 70)
    curve = fit_spline(times, q)
    turned = fit_spline(times, kernels.multiply(turn, q))
    assert angle(turned.rotations(at), kernels.multiply(turn, curve.rotations(at))).max() < 4e-15


def test_keys_nearly_half_a_turn_apart() -> None:
    times = np.arange(20.0)
    axes = np.random.default_rng(4).standard_normal((20, 3))
    steps = kernels.exp(3.0 * axes / np.linalg.norm(axes, axis=-1, keepdims=True))
    q = [steps[0]]
    for step in steps[1:]:
        q.append(kernels.multiply(q[-1], step))
    curve = fit_spline(times, np.array(q))
    inner = times[1:-1]
    jump = curve.angular_accelerations(np.nextafter(inner, 0)) - curve.angular_accelerations(inner)
    assert np.abs(jump).max() < 1e-11


def test_large_turns_at_very_uneven_intervals_have_no_curve_and_it_is_said_where() -> None:
    times, q = keys(8, 1.0)
    times = np.array([0.0, 1.0, 2.0, 2.001, 12.0, 13.0, 14.0, 15.0])
    with pytest.raises(
        ValueError, match=r"no smooth curve is found around key [23]: at the rate there .*closer"
    ):
        fit_spline(times, q)


def test_large_turns_at_uneven_intervals_have_a_curve_too() -> None:
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(40):
        n = int(rng.integers(3, 8))
        times = np.concatenate([[0.0], np.cumsum(10 ** rng.uniform(-1, 0, n - 1))])
        axes = rng.normal(size=(n - 1, 3))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        q = [np.array([0.0, 0, 0, 1])]
        for turn in kernels.exp(rng.uniform(0, 3.1, (n - 1, 1)) * axes):
            q.append(kernels.multiply(q[-1], turn))
        try:
            curve = fit_spline(times, np.array(q))
        except ValueError:
            continue  # it would whirl
        found += 1
        inner = times[1:-1]
        after = curve.angular_accelerations(inner)
        jump = curve.angular_accelerations(np.nextafter(inner, 0)) - after
        assert np.abs(jump).max() < 1e-9 * np.abs(after).max()
        assert angle(curve.rotations(times), np.array(q)).max() < 1e-14
    assert found >= 36


def test_nanoseconds_and_seconds_give_one_curve() -> None:
    times, q = keys(8, 1.0)
    ns = np.round(times * 1e9).astype(np.int64)
    at = np.linspace(ns[0], ns[-1], 40).astype(np.int64)
    one = fit_spline(ns * 1e-9, q).rotations(at * 1e-9)
    other = fit_spline(ns + UNIX, q).rotations(at + UNIX)
    assert angle(one, other).max() < 1e-12


def test_a_long_series() -> None:
    times, q = keys(20_000, 0.2)
    curve = fit_spline(times, q)
    inner = times[1:-1]
    jump = curve.angular_accelerations(np.nextafter(inner, 0)) - curve.angular_accelerations(inner)
    assert np.abs(jump).max() < 1e-9


def test_outside_the_keys_there_is_no_curve() -> None:
    times, q = keys(4, 0.5)
    curve = fit_spline(times, q)
    with pytest.raises(InvalidRowsError, match="after the last key of the spline"):
        curve.rotations(times[-1] + 1)
    found = curve.angular_rates([times[0] - 1, times[0]], invalid="nan")
    assert np.isnan(found[0]).all() and np.isfinite(found[1]).all()
    assert curve.rotations(np.zeros((0, 2))).shape == (0, 2, 4)


def test_precision_and_arguments_are_kept() -> None:
    times, q = keys(5, 0.5)
    q = q.astype(np.float32)
    q.setflags(write=False)
    curve = fit_spline(times, q)
    for values in (curve.rotations, curve.angular_rates, curve.angular_accelerations):
        assert values(times).dtype == np.float32


def test_what_cannot_be_a_spline_is_said() -> None:
    times, q = keys(4, 0.5)
    with pytest.raises(ValueError, match="at least two keys"):
        fit_spline(times[:1], q[:1])
    with pytest.raises(ValueError, match="key 2 is not finite"):
        fit_spline(times, np.where(np.arange(4)[:, None] == 2, np.nan, q))
    with pytest.raises(ValueError, match="must increase"):
        fit_spline(times[::-1], q)
    with pytest.raises(ValueError, match="not 'clamped'"):
        fit_spline(times, q, ends="clamped")  # type: ignore[arg-type]
