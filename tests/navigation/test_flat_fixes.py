"""Fixes of which no height is known: used in the plane, and refused in the height."""

from __future__ import annotations

import numpy as np
import pytest
from dense import PLAIN
from drives import NANO, coarse, seeded

from boresight import frames
from boresight.navigation import AltitudeNoise, Fusion, Origin, PositionNoise

NOISE = PositionNoise.from_sigma([0.5, 0.6, 3.0])
METRE = 1.0 / 111_195.0  # degrees of latitude


def local(eskf, north, east, down, noise=NOISE):
    return eskf.fuse_gnss_position(eskf.time, [north, east, down], noise, frame=frames.NED)


def geodetic(eskf, north, height, noise=NOISE):
    return eskf.fuse_gnss_geodetic(eskf.time, 47.0 + north * METRE, 8.0, height, noise)


def test_a_fix_without_height_does_what_one_with_height_does_in_the_plane():
    flat, whole = seeded(), seeded()
    outcome, other = local(flat, 0.4, -0.3, np.nan), local(whole, 0.4, -0.3, 0.0)
    assert outcome.horizontal == other.horizontal
    assert outcome.horizontal is not Fusion.NOT_FINITE
    assert outcome.height is Fusion.NOT_FINITE
    np.testing.assert_array_equal(flat.position[:2], whole.position[:2])
    assert flat.covariance[2, 2] == pytest.approx(1.0)
    assert whole.covariance[2, 2] < 0.95
    assert flat.diagnostics.gnss_height.refused == 1
    assert flat.diagnostics.gnss_height.last_refusal is Fusion.NOT_FINITE
    assert flat.diagnostics.gnss_position.refused == 0


def test_what_is_said_of_the_noise_of_a_height_that_is_not_there_does_not_matter():
    for up in (np.nan, np.inf, 0.0, -1.0):
        eskf = seeded()
        outcome = local(eskf, 0.4, -0.3, np.nan, PositionNoise.from_variance([0.25, 0.36, up]))
        assert outcome.horizontal.kind is Fusion.ACCEPTED
        assert np.isfinite(eskf.covariance).all()


@pytest.mark.parametrize("height", [np.inf, -np.inf])
def test_a_height_that_is_no_number_at_all_spoils_the_fix(height):
    eskf = seeded()
    for outcome in (local(eskf, 0.4, -0.3, height), geodetic(eskf, 0.0, height)):
        assert outcome.horizontal is Fusion.NOT_FINITE
        assert outcome.height is Fusion.NOT_FINITE
    np.testing.assert_array_equal(eskf.position, 0.0)


@pytest.mark.parametrize("place", [(np.nan, 0.0), (0.0, np.nan)])
def test_a_fix_without_a_place_is_none(place):
    outcome = local(seeded(), *place, np.nan)
    assert outcome.horizontal is Fusion.NOT_FINITE
    assert outcome.height is Fusion.NOT_FINITE


def test_fixes_without_height_give_the_plane_and_a_first_height_the_rest():
    eskf = coarse(PLAIN)
    first = geodetic(eskf, 0.0, np.nan)
    assert first.horizontal is Fusion.RESET
    assert first.height is Fusion.NOT_FINITE
    assert eskf.origin is not None
    assert not eskf.validity.vertical_position
    for step in range(1, 6):
        eskf.predict_rates(step * NANO // 10, [0, 0, 0], [0, 0, -9.80665], 0.1, frame=frames.FRD)
        outcome = geodetic(eskf, 0.1, np.nan)
        assert outcome.horizontal.kind is Fusion.ACCEPTED
    outcome = geodetic(eskf, 0.1, 431.0)
    assert outcome.horizontal.kind is Fusion.ACCEPTED
    assert outcome.height is Fusion.RESET
    # What the height is counted from has the height of the fix, and where it was in the plane.
    assert eskf.origin.place == pytest.approx((47.0, 8.0, 431.0 + eskf.position[2]), abs=1e-6)
    assert eskf.covariance[2, 2] == pytest.approx(9.0, rel=1e-6)
    assert geodetic(eskf, 0.1, 431.5).height.kind is Fusion.ACCEPTED


def test_an_origin_that_was_laid_without_height_is_lifted_under_the_estimate():
    eskf = seeded()
    assert eskf.set_baro_reference(500.0, AltitudeNoise.from_sigma(0.5))
    eskf.fuse_baro_altitude(0, 502.0, AltitudeNoise.from_sigma(0.1))
    before = eskf.position
    assert geodetic(eskf, 0.0, np.nan).horizontal is Fusion.RESET
    np.testing.assert_array_equal(eskf.position, before)
    outcome = geodetic(eskf, 0.0, 431.0)
    assert outcome.height is Fusion.RESET
    assert eskf.position[2] == pytest.approx(before[2], abs=1e-6)
    assert eskf.origin.height == pytest.approx(431.0 + before[2], abs=1e-6)
    # From here on a height counts as any: one that is far off is no reason to move the origin.
    assert geodetic(eskf, 0.0, 731.0).height.kind is Fusion.REJECTED
    assert eskf.origin.height == pytest.approx(431.0 + before[2], abs=1e-6)


def test_an_origin_that_is_given_is_not_lifted():
    eskf = seeded()
    eskf.set_origin(Origin(47.0, 8.0, 431.0))
    assert geodetic(eskf, 0.1, np.nan).horizontal.kind is Fusion.ACCEPTED
    assert geodetic(eskf, 0.1, 432.0).height.kind is Fusion.ACCEPTED
    assert eskf.origin.height == 431.0
    # Far away the plane is the same, to what the height is known.
    far, near = seeded(), seeded()
    for each, height in ((far, np.nan), (near, 431.0)):
        each.set_origin(Origin(47.0, 8.0, 431.0))
        geodetic(each, 0.8, height)
    np.testing.assert_allclose(far.position[:2], near.position[:2], atol=1e-6)
