"""Noise: a sigma is no variance, and what is none stays visible."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drives import seeded
from hypothesis import given
from hypothesis import strategies as st

from boresight import frames
from boresight.errors import DataError
from boresight.navigation import AltitudeNoise, HeadingNoise, PositionNoise, SigmaBounds, VelocityNoise

SIGMAS = st.floats(1e-6, 1e6)


@given(SIGMAS)
def test_sigma_and_variance_are_one_noise(sigma: float) -> None:
    for kind in (AltitudeNoise, HeadingNoise):
        assert kind.from_sigma(sigma) == kind.from_variance(sigma * sigma)
        assert float(kind.from_sigma(sigma).variance) == sigma * sigma
    assert PositionNoise.from_sigma(sigma).variance.tolist() == [sigma * sigma] * 3


def test_horizontal_and_vertical() -> None:
    assert PositionNoise.horizontal_vertical(2.0, 3.0).variance.tolist() == [4.0, 4.0, 9.0]
    rows = PositionNoise.horizontal_vertical(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert rows.variance.tolist() == [[1.0, 1.0, 9.0], [4.0, 4.0, 16.0]]


def test_a_speed_accuracy_is_a_sigma_whatever_px4_calls_it() -> None:
    assert VelocityNoise.from_speed_accuracy(0.5).variance.tolist() == [0.25] * 3


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_clamping_keeps_nan_and_keeps_to_the_bounds(sigma: float) -> None:
    clamped = float(AltitudeNoise.from_sigma(sigma).clamped(SigmaBounds(0.5, 10.0)).sigma)
    if math.isnan(sigma):
        assert math.isnan(clamped)
    elif 1e-150 < -sigma < 1e150:
        assert clamped == pytest.approx(sigma)
    elif sigma < 0.0:  # its square is more or less than a float holds
        assert clamped < 0.0 or -sigma <= 1e-150
    else:
        assert clamped == pytest.approx(min(max(sigma, 0.5), 10.0))


def test_what_is_no_noise_stays_visible() -> None:
    negative = AltitudeNoise.from_sigma(-2.0)
    assert float(negative.variance) == -4.0 and float(negative.sigma) == -2.0
    assert negative == AltitudeNoise.from_variance(-4.0) == negative.clamped(SigmaBounds(0.1, 1.0))
    assert repr(negative) == "AltitudeNoise.from_sigma(-2.0)"
    assert math.isnan(float(AltitudeNoise.from_sigma(math.nan).clamped(SigmaBounds(0.1, 1.0)).variance))
    assert float(AltitudeNoise.from_sigma(0.0).variance) == 0.0


def test_shapes_and_values() -> None:
    with pytest.raises(DataError, match="three axes"):
        VelocityNoise.from_sigma([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        PositionNoise.from_sigma(1.0).variance[0] = 2.0
    assert PositionNoise.from_sigma(1.0) != VelocityNoise.from_sigma(1.0)
    assert repr(AltitudeNoise.from_variance(4.0)) == "AltitudeNoise.from_sigma(2.0)"
    given_ = np.array([1.0, 2.0, 3.0])
    noise = PositionNoise.from_variance(given_)
    given_[0] = 9.0
    assert noise.variance[0] == 1.0


def test_bounds() -> None:
    for low, high in ((0.0, 1.0), (2.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (1.0, math.nan)):
        with pytest.raises(DataError):
            SigmaBounds(low, high)


@pytest.mark.parametrize(
    ("sigma", "outcome"), [(-1.0, "INVALID_NOISE"), (0.0, "INVALID_NOISE"), (math.nan, "NOT_FINITE")]
)
def test_the_filter_refuses_what_is_no_noise_by_name(sigma: float, outcome: str) -> None:
    filter_ = seeded()
    bounds = SigmaBounds(0.1, 1.0)
    zero = [0.0, 0.0, 0.0]
    for noise in (VelocityNoise.from_sigma([0.1, 0.1, sigma]), VelocityNoise.from_sigma(sigma)):
        assert filter_.fuse_gnss_velocity(0, zero, noise, frame=frames.NED).name == outcome
        if sigma != 0.0:  # a bound makes a noise of zero, and of nothing else here
            assert (
                filter_.fuse_gnss_velocity(0, zero, noise.clamped(bounds), frame=frames.NED).name == outcome
            )
    assert filter_.fuse_baro_altitude(0, 0.0, AltitudeNoise.from_sigma(sigma)).name == outcome
    assert filter_.fuse_gnss_heading(0, 0.0, HeadingNoise.from_sigma(sigma)).name == outcome
    halves = filter_.fuse_gnss_position(
        0, zero, PositionNoise.horizontal_vertical(1.0, sigma), frame=frames.NED
    )
    assert halves.height.name == outcome
    assert (
        filter_.fuse_gnss_velocity(0, zero, VelocityNoise.from_speed_accuracy(sigma), frame=frames.NED).name
        == outcome
    )
