"""Series of rotations and poses: between their keys, their signs, their rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from boresight import interpolation as i
from boresight import kernels
from boresight.errors import InvalidRowsError
from strategies import Sample, every_batch

UNIX = 1_700_000_000_000_000_000  # where a float64 has steps of 256 ns
rng = np.random.default_rng(1)


def series(n: int, dtype: Any = np.float64) -> Any:
    return kernels.exp(np.random.default_rng(n).uniform(-1.5, 1.5, (n, 3)).astype(dtype))


def angle(p: Any, q: Any) -> Any:
    return kernels.angle(kernels.multiply(kernels.conjugate(p), q))


def test_scipy_agrees() -> None:
    q, times = series(20), np.cumsum(rng.uniform(0.1, 1, 20))
    at = rng.uniform(times[0], times[-1], (5, 7))
    ours = i.interpolate_rotations(times, q, at)
    theirs = Slerp(times, Rotation.from_quat(q))(at.ravel()).as_quat().reshape(5, 7, 4)
    assert ours.shape == (5, 7, 4) and angle(ours, theirs).max() < 1e-15 * 4


def test_integer_times_are_exact_where_floats_cannot_be() -> None:
    q = kernels.exp([[0, 0, 0], [0, 0, 1.0]])
    times = np.array([UNIX, UNIX + 1000])
    found = kernels.log(i.interpolate_rotations(times, q, UNIX + np.array([250, 500, 999])))[:, 2]
    assert np.allclose(found, [0.25, 0.5, 0.999], rtol=0, atol=1e-15)


def test_a_moment_on_a_key_gives_the_key_itself_with_its_sign() -> None:
    q = series(6)
    q[3] *= -1
    assert np.array_equal(i.interpolate_rotations(np.arange(6), q, np.arange(6)), q)
    t = rng.standard_normal((6, 3))
    for path in ("straight", "screw"):
        rotations, translations = i.interpolate_poses(np.arange(6), q, t, np.arange(6), path=path)
        assert np.array_equal(rotations, q) and np.array_equal(translations, t)


def test_the_shorter_way_is_taken_whatever_the_signs() -> None:
    q = kernels.exp([[0, 0, 0.0], [0, 0, 0.4]])
    q[1] *= -1
    found = i.interpolate_rotations([0.0, 1.0], q, 0.5)
    assert np.allclose(angle(found, kernels.exp([0, 0, 0.2])), 0, atol=1e-15)


def test_nothing_is_made_up_outside_the_series_or_in_a_gap() -> None:
    q, times = series(4), np.array([0, 10, 500, 510])
    at = np.array([-1, 0, 5, 10, 11, 499, 500, 511])
    found = i.interpolate_rotations(times, q, at, max_gap=100, invalid="nan")
    assert np.isnan(found).all(axis=-1).tolist() == [True, False, False, False, True, True, False, True]
    with pytest.raises(
        InvalidRowsError, match=r"row 0 .*-1 ns is 1 ns before the first key.*4 bad rows"
    ) as caught:
        i.interpolate_rotations(times, q, at, max_gap=100)
    assert caught.value.row == (0,) and caught.value.count == 4
    with pytest.raises(InvalidRowsError, match="between keys 490 ns apart .*max_gap"):
        i.interpolate_rotations(times, q, 300, max_gap=100)
    with pytest.raises(InvalidRowsError, match="0.5 s after the last key"):
        i.interpolate_rotations(times.astype(float), q, 510.5)
    assert np.isnan(i.interpolate_rotations(times.astype(float), q, np.nan, invalid="nan")).all()


def test_a_gap_as_long_as_the_limit_is_no_gap() -> None:
    i.interpolate_rotations([0, 100], series(2), 50, max_gap=100)


def test_times_that_do_not_fit_are_refused_by_name() -> None:
    q = series(3)
    with pytest.raises(ValueError, match="must increase: 1 at index 2 comes after 2"):
        i.interpolate_rotations([0, 2, 1], q, 1)
    with pytest.raises(ValueError, match="must increase"):
        i.interpolate_rotations([0, 1, 1], q, 1)
    with pytest.raises(TypeError, match=r"integers \(nanoseconds\) and the moments floats \(seconds\)"):
        i.interpolate_rotations([0, 1, 2], q, 0.5)
    with pytest.raises(ValueError, match=r"a series of 3 needs shape \(3,\)"):
        i.interpolate_rotations([0, 1], q, 0)
    with pytest.raises(ValueError, match="index 1 is not finite"):
        i.interpolate_rotations([0, np.nan, 2], q, 0.0)
    with pytest.raises(TypeError, match="datetime64"):
        i.interpolate_rotations(np.array([0, 1, 2], "datetime64[ns]"), q, 0)


@pytest.mark.parametrize("n", [0, 1])
def test_short_series(n: int) -> None:
    q = np.tile([0, 0, 0, 1.0], (n, 1))
    times = np.arange(n)
    assert i.interpolate_rotations(times, q, np.zeros((0,), int)).shape == (0, 4)
    found = i.interpolate_rotations(times, q, [0, 1], invalid="nan")
    assert np.isnan(found).all(axis=-1).tolist() == [n == 0, True]
    rotations, translations = i.interpolate_poses(times, q, np.zeros((n, 3)), [0, 1], invalid="nan")
    assert rotations.shape == (2, 4) and translations.shape == (2, 3)
    assert i.continuous_signs(q).shape == (n, 4)


@every_batch
def test_batches_and_precision(sample: Sample) -> None:
    first, last = sample.quaternions(), sample.quaternions()
    q = np.stack([first, last], axis=-2)
    t = np.stack([sample.vectors(), sample.vectors()], axis=-2)
    at = np.array([0.25, 0.75])
    found = i.interpolate_rotations([0.0, 1.0], q, at)
    assert found.shape == (*sample.batch, 2, 4) and found.dtype == sample.dtype
    # constant rate: a quarter of the way is a quarter of the angle
    part, whole = angle(first, found[..., 0, :]), angle(first, last)
    assert np.allclose(part, whole / 4, rtol=0, atol=8 * sample.eps)
    for path in ("straight", "screw"):
        rotations, translations = i.interpolate_poses([0.0, 1.0], q, t, at, path=path)
        assert rotations.shape == found.shape and translations.shape == (*sample.batch, 2, 3)
        assert rotations.dtype == translations.dtype == sample.dtype


@every_batch
def test_screw_motion_is_one_twist(sample: Sample) -> None:
    a = sample.poses()
    twist = sample.twists()
    twist[..., 3:] *= 0.9  # at a half turn the way back is as short
    b = kernels.pose_multiply(*a, *kernels.pose_exp(twist))
    found = i.pose_between(a, b, np.asarray(0.3, sample.dtype), path="screw")
    exact = kernels.pose_multiply(*a, *kernels.pose_exp(twist * sample.dtype(0.3)))
    assert np.allclose(angle(found[0], exact[0]), 0, atol=30 * sample.eps)
    assert np.allclose(found[1], exact[1], rtol=0, atol=300 * sample.eps)


def test_a_path_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="not 'cubic'"):
        i.interpolate_poses([0, 1], series(2), np.zeros((2, 3)), 0, path="cubic")  # type: ignore[arg-type]


# ---- signs -------------------------------------------------------------------------------------------


@every_batch
def test_signs_are_continuous_and_the_rotations_the_same(sample: Sample) -> None:
    n = 9
    steps = kernels.exp(0.5 * rng.standard_normal((*sample.batch, n, 3)))
    q = np.empty((*sample.batch, n, 4))
    q[..., 0, :] = sample.quaternions()
    for k in range(1, n):
        q[..., k, :] = kernels.multiply(q[..., k - 1, :], steps[..., k, :])
    flipped = (q * rng.choice([-1.0, 1.0], (*sample.batch, n, 1))).astype(sample.dtype)
    kept = flipped.copy()
    found = i.continuous_signs(flipped)
    assert found.shape == flipped.shape and found.dtype == sample.dtype
    assert np.array_equal(flipped, kept)
    assert np.array_equal(np.abs(found), np.abs(flipped))
    assert (np.einsum("...i,...i->...", found[..., 1:, :], found[..., :-1, :]) >= 0).all()
    assert np.array_equal(found[..., 0, :], flipped[..., 0, :])


def test_signs_go_on_behind_rows_that_are_missing() -> None:
    one = np.array([0.0, 0, 0, 1])
    q = np.array([one * np.nan, one, -one, one * np.nan, one * np.nan, one, -one])
    found = i.continuous_signs(q)
    assert np.array_equal(found[[1, 2, 5, 6]], np.tile(one, (4, 1)) + 0.0)
    assert np.isnan(found[[0, 3, 4]]).all()


# ---- rates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["source", "target"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_rate_is_found_exactly(of: Any, dtype: Any) -> None:
    rate = np.array([0.3, -2.0, 1.0])
    times = np.cumsum(rng.uniform(0.01, 0.5, 30))
    start = kernels.exp([1.0, 2.0, -0.5])
    turned = kernels.exp(times[:, None] * rate)
    q = kernels.multiply(start, turned) if of == "source" else kernels.multiply(turned, start)
    q = (q * rng.choice([-1, 1], (30, 1))).astype(dtype)
    found = i.angular_rates(times, q, of=of)
    assert found.dtype == dtype
    assert np.allclose(found, rate, rtol=0, atol=1e-13 if dtype is np.float64 else 3e-5)


def test_integer_times_of_a_rate_are_nanoseconds() -> None:
    q = kernels.exp([[0, 0, 0], [0, 0, 1e-3]])
    assert np.allclose(i.angular_rates([UNIX, UNIX + 1000], q, of="source"), [0, 0, 1000.0], rtol=1e-12)


def test_the_error_of_a_changing_rate_is_of_second_order() -> None:
    def worst(n: int) -> float:
        times = np.linspace(0, 1, n) ** 1.3
        q = kernels.multiply(
            kernels.exp(np.outer(np.sin(times), [1, 0, 0])), kernels.exp(np.outer(times, [0, 0, 2]))
        )
        # w = Rz(-2 t) (cos t, 0, 0) + (0, 0, 2)
        exact = np.stack(
            [np.cos(times) * np.cos(2 * times), -np.cos(times) * np.sin(2 * times), 2 + 0 * times], axis=-1
        )
        return float(np.abs(i.angular_rates(times, q, of="source") - exact)[1:-1].max())

    assert worst(401) < 2e-5 and worst(101) / worst(401) > 12


def test_rates_beside_a_missing_row_are_missing() -> None:
    q = series(6)
    q[2] = np.nan
    found = i.angular_rates(np.arange(6.0), q, of="target")
    assert np.isnan(found).all(axis=-1).tolist() == [False, True, True, True, False, False]


def test_a_rate_needs_two_keys_and_to_be_told_of_what() -> None:
    with pytest.raises(ValueError, match="at least two"):
        i.angular_rates([0], series(1), of="source")
    with pytest.raises(ValueError, match="not 'body'"):
        i.angular_rates([0, 1], series(2), of="body")  # type: ignore[arg-type]
