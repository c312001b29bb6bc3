"""Robust fits, what lets one beat another, and the alignment of clocks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from boresight.diagnosis.alignment import align_lengths, align_vectors, scale_of, unit_of
from boresight.diagnosis.relabelling import relabelling
from boresight.diagnosis.robust import Wins, beats, blocks_of, fit_all, fit_orthogonal, turn_deviation
from boresight.diagnosis.survivors import best_of, survive
from boresight.diagnosis.twins import SIGNED_PERMUTATIONS

RNG = np.random.default_rng(11)
X = np.cumsum(RNG.normal(size=(800, 3)), axis=0) * 0.1
NOISE = RNG.normal(size=(800, 3))
TURN = Rotation.from_rotvec([0.3, -1.1, 0.8]).as_matrix()
SPANS = np.full(800, 0.04)


@pytest.mark.parametrize("hand", [1, -1])
def test_a_fit_finds_turn_scale_and_offset_through_outliers(hand: int) -> None:
    y = 2.5 * X @ (hand * TURN).T + [0.1, 0.2, -0.3] + 0.01 * NOISE
    y[::17] += 20.0 * NOISE[::17]
    fit = fit_orthogonal(y, X, hand=hand)
    np.testing.assert_allclose(fit.matrix, hand * TURN, atol=3e-3)
    assert fit.scale == pytest.approx(2.5, rel=2e-3)
    np.testing.assert_allclose(fit.offset, [0.1, 0.2, -0.3], atol=0.01)
    assert 0.005 < fit.sigma < 0.02
    assert fit.r2 > 0.99


def test_many_fits_at_once_are_the_same_as_one_by_one() -> None:
    y = X @ TURN.T + 0.01 * NOISE
    several = np.stack([X, X[:, [1, 0, 2]], X])
    several[2] = X @ Rotation.from_rotvec([0.0, 0.0, 0.01]).as_matrix()
    together = fit_all(y, several, hands=[1, 1, 1], scale=1.0)
    for k, hand in ((0, 1), (2, 1)):
        alone = fit_orthogonal(y, several[k], hand=hand, scale=1.0)
        np.testing.assert_allclose(together[k].matrix, alone.matrix, atol=1e-4)
        assert together[k].sigma == pytest.approx(alone.sigma, rel=1e-3)
    assert together[1].sigma > 5.0 * together[0].sigma  # hopeless, and given up early


def test_the_deviation_of_the_turn_is_what_it_scatters_by() -> None:
    blocks = blocks_of(SPANS)
    found, said = [], []
    for seed in range(30):
        y = X @ TURN.T + 0.3 * np.random.default_rng(seed).normal(size=X.shape)
        fit = fit_orthogonal(y, X, scale=1.0)
        found.append(Rotation.from_matrix(fit.matrix @ TURN.T).as_rotvec(degrees=True))
        said.append(turn_deviation(y, X, fit, blocks))
    scatter = np.sqrt(np.linalg.eigvalsh(np.cov(np.array(found).T))[-1])
    assert 0.5 < np.mean(said) / scatter < 2.0


def test_turns_about_one_axis_leave_the_mount_open() -> None:
    flat = X * (0.0, 0.0, 1.0)
    fit = fit_orthogonal(flat + 1e-3 * NOISE, flat, scale=1.0)
    assert turn_deviation(flat, flat, fit, blocks_of(SPANS)) > 20.0


def test_blocks_last_equally_long() -> None:
    spans = np.concatenate((np.full(100, 0.1), np.full(1000, 0.01)))
    borders = blocks_of(spans, least=1.0)
    lasting = np.add.reduceat(spans, borders[:-1])
    assert len(borders) - 1 == 20
    np.testing.assert_allclose(lasting, 1.0, atol=0.11)
    assert borders[0] == 0 and borders[-1] == 1100


def test_the_better_fit_beats_the_worse_and_not_its_equal() -> None:
    y = X @ TURN.T + 0.05 * NOISE
    blocks = blocks_of(SPANS)
    right, mirrored = (fit_orthogonal(y, X, hand=hand, scale=1.0) for hand in (1, -1))
    assert beats(right, mirrored, blocks, Wins())[0]
    assert not beats(mirrored, right, blocks, Wins())[0]
    assert not beats(right, right, blocks, Wins())[0]


def test_a_coin_toss_is_not_a_win_however_sure() -> None:
    """A tiny, steady difference passes the bootstrap; it must not decide."""
    y = X @ TURN.T + 0.05 * NOISE
    nearly = X @ Rotation.from_rotvec([1e-3, 0, 0]).as_matrix().T
    one = fit_orthogonal(y, X, matrix=TURN, scale=1.0)
    other = fit_orthogonal(y, nearly, matrix=TURN, scale=1.0)
    better, worse = (one, other) if one.likelihood.sum() > other.likelihood.sum() else (other, one)
    assert not beats(better, worse, blocks_of(SPANS), Wins(chance=1.0))[0]


def test_a_foreign_series_strikes_nothing_out() -> None:
    y = np.cumsum(np.random.default_rng(4).normal(size=X.shape), axis=0) * 0.01
    fits = {hand: fit_orthogonal(y, X, hand=hand, scale=1.0) for hand in (1, -1)}
    left = survive([(fits, blocks_of(SPANS))], fits)
    assert not left.fitting
    assert set(left.keys) == {1, -1}


def test_a_second_kind_of_evidence_may_strike_out_what_the_first_leaves() -> None:
    y = X @ TURN.T + 0.05 * NOISE
    blocks = blocks_of(SPANS)
    same = fit_orthogonal(y, X, scale=1.0)
    first = {"a": same, "b": same, "c": same}
    second = {"a": same, "b": fit_orthogonal(y, X, hand=-1, scale=1.0)}
    left = survive([(first, blocks), (second, blocks)], first)
    assert left.keys == ("a", "c")
    assert best_of(first, "abc") == "a"


@pytest.mark.parametrize("number", range(0, 48, 7))
def test_a_relabelling_is_named_where_it_is_clear(number: int) -> None:
    axes = SIGNED_PERMUTATIONS[number]
    hand = round(float(np.linalg.det(axes)))
    askew = axes @ Rotation.from_rotvec([0.1, 0.05, -0.1]).as_matrix()
    y = X @ askew.T + 0.05 * NOISE
    fit = fit_orthogonal(y, X, hand=hand, scale=1.0)
    found = relabelling(y, X, fit, blocks_of(SPANS), scale=1.0, wins=Wins(), hands=(1, -1))
    np.testing.assert_array_equal(found.axes, axes)
    assert found.decided
    assert found.rest == pytest.approx(np.degrees(0.15), abs=0.5)


def test_a_mount_halfway_between_axes_is_not_named() -> None:
    halfway = Rotation.from_euler("z", 44.0, degrees=True).as_matrix()
    y = X @ halfway.T + 0.05 * NOISE
    fit = fit_orthogonal(y, X, scale=1.0)
    assert not relabelling(y, X, fit, blocks_of(SPANS), scale=1.0, wins=Wins(), hands=(1,)).decided


@pytest.mark.parametrize("shift", [-7, 0, 13])
def test_clocks_are_aligned_whatever_the_axes(shift: int) -> None:
    rate = np.gradient(X, axis=0)
    late = np.roll(rate @ TURN.T, shift, axis=0) * 40.0
    late[:20] = late[-20:] = np.nan
    rate = rate.copy()
    rate[300] = 500.0  # a reset
    for found in (align_lengths(rate, late, 0.04, limit=1.0), align_vectors([rate], late, 0.04, limit=1.0)):
        assert found.seconds == pytest.approx(0.04 * shift, abs=0.01)
        assert found.score > 0.95


def test_a_motion_that_repeats_itself_is_not_moved_by_a_period() -> None:
    t = np.arange(0.0, 40.0, 0.04)
    swing = np.stack(
        [np.sin(2 * np.pi * t / 0.8), 0.3 * np.cos(2 * np.pi * t / 0.8), 0.01 * np.sin(t)], axis=-1
    )
    noisy = swing + 0.02 * np.random.default_rng(0).normal(size=swing.shape)
    assert abs(align_vectors([swing], noisy, 0.04, limit=1.0).seconds) < 0.02


def test_the_scale_is_that_of_the_strong_motion() -> None:
    rate = np.zeros((1000, 3))
    rate[100:200] = NOISE[:100]
    gyro = 57.3 * rate + 0.3 * np.random.default_rng(1).normal(size=rate.shape)
    assert scale_of(rate + 1e-3 * np.random.default_rng(2).normal(size=rate.shape), gyro) == pytest.approx(
        57.3, rel=0.05
    )
    assert unit_of(1 / 57.0, {"rad/s": 1.0, "deg/s": np.pi / 180}) == "deg/s"
    assert unit_of(0.3, {"rad/s": 1.0, "deg/s": np.pi / 180}) is None
