"""Adoption: the first of what is not established, and what has been rejected for too long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense import PLAIN, full_covariance
from drives import NANO, Drive, coarse, names, seeded

from boresight import Attitude, frames
from boresight.navigation import (
    AltitudeNoise,
    Config,
    Eskf,
    Fusion,
    HeadingNoise,
    Origin,
    PositionNoise,
    Recovery,
    State,
    StaticWindow,
    Status,
    VelocityNoise,
)

POSITION, VELOCITY = PositionNoise.horizontal_vertical(1.5, 3.0), VelocityNoise.from_sigma(0.3)


# ---- the first of a quantity -----------------------------------------------------------------


def test_after_a_start_in_motion_the_first_position_is_adopted():
    eskf = coarse()
    assert not eskf.validity.horizontal_position
    outcome = eskf.fuse_gnss_position(0, [100.0, -50.0, -20.0], POSITION, frame=frames.NED)
    assert outcome.horizontal is outcome.height is Fusion.RESET
    np.testing.assert_array_equal(eskf.position, [100.0, -50.0, -20.0])
    np.testing.assert_allclose(np.diagonal(eskf.covariance)[:3], [2.25, 2.25, 9.0])
    off = eskf.covariance[:3].copy()
    off[:, :3] = 0.0
    assert (off == 0.0).all()
    assert eskf.diagnostics.gnss_position.adopted == eskf.diagnostics.gnss_height.adopted == 1
    # Once.
    again = eskf.fuse_gnss_position(0, [100.0, -50.0, -20.0], POSITION, frame=frames.NED)
    assert again.horizontal.kind is Fusion.ACCEPTED


def test_an_adopted_position_is_the_imu_s_and_not_the_antenna_s():
    eskf = coarse()
    arm = np.array([0.0, 0.0, -2.0])
    mast = eskf.attitude.rotation.apply(arm)
    eskf.fuse_gnss_position(
        0, [10.0, 20.0, 30.0], POSITION, frame=frames.NED, antenna=arm, antenna_frame=frames.FRD
    )
    np.testing.assert_allclose(eskf.position, np.array([10.0, 20.0, 30.0]) - mast, atol=1e-12)


def test_the_first_velocity_is_adopted():
    eskf = coarse()
    outcome = eskf.fuse_gnss_velocity(0, [3.0, 20.0, -1.0], VELOCITY, frame=frames.ENU)
    assert outcome is Fusion.RESET
    np.testing.assert_array_equal(eskf.velocity, [20.0, 3.0, 1.0])
    np.testing.assert_allclose(np.diagonal(eskf.covariance)[3:6], 0.09)


def test_what_was_adopted_late_is_carried_forward_by_the_motion_since():
    eskf = seeded(velocity=[10.0, 0.0, 0.0], config=replace(PLAIN, recovery=Recovery(gnss_position=0.3)))
    drive = Drive(eskf, [10.0, 0.0, 0.0], on=())
    drive.run(1.0)
    for _ in range(4):
        drive.run(0.2)
        outcome = eskf.fuse_gnss_position(
            eskf.time - 100_000_000, [500.0, 0.0, 0.0], PositionNoise.from_sigma(1.0), frame=frames.NED
        )
        if outcome.horizontal is Fusion.RESET:
            break
    assert outcome.horizontal is Fusion.RESET
    assert eskf.position[0] == pytest.approx(501.0, abs=1e-6)


def test_the_first_heading_is_adopted_by_a_turn_about_down():
    eskf = coarse(replace(PLAIN, declination=0.0))
    tilted = eskf.attitude.euler_angles()
    before = eskf.covariance
    drive = Drive(eskf, yaw=2.5, on=("mag",))
    drive.run(0.2)
    assert names(drive.outcomes["mag"]) == ["RESET"]
    after = eskf.attitude.euler_angles()
    assert after[2] == pytest.approx(2.5, abs=0.02)
    np.testing.assert_allclose(after[:2], tilted[:2], atol=2e-3)
    # It stores the reading's variance, widened by what the tilt is not known to, and not the reading's own.
    assert eskf.attitude_sigma[2] > 0.05
    assert eskf.attitude_sigma[2] < np.pi / np.sqrt(3) * 1.5
    # What is across down keeps its correlation with the accelerometer's bias.
    assert np.abs(before[6:9, 9:12]).max() > 1e-3
    np.testing.assert_allclose(eskf.covariance[6:9, 9:12], before[6:9, 9:12], atol=5e-4)


def test_a_heading_is_adopted_by_half_a_circle_and_the_covariance_stays_sound():
    eskf = seeded(yaw=0.3)
    eskf.predict_rates(NANO // 100, [0.1, 0.2, 0.3], [0.3, 0.2, -9.7], 0.01, frame=frames.FRD)
    config = replace(PLAIN, recovery=Recovery(gnss_heading=0.5))
    eskf = seeded(config, yaw=0.3)
    drive = Drive(eskf, yaw=0.3 + np.pi, on=("heading",))
    drive.run(2.0)
    assert "RESET" in names(drive.outcomes["heading"])
    assert names(drive.outcomes["heading"])[-1] == "ACCEPTED"
    yaw = eskf.attitude.euler_angles()[2]
    assert abs(np.angle(np.exp(1j * (yaw - 0.3 - np.pi)))) < 0.01
    assert np.linalg.eigvalsh(eskf.covariance).min() > 0
    assert eskf.diagnostics.gnss_heading.recovered == 1


# ---- altitude and its reference --------------------------------------------------------------


def test_without_a_reference_or_a_height_an_altitude_means_nothing():
    eskf = coarse()
    outcome = eskf.fuse_baro_altitude(0, 350.0, AltitudeNoise.from_sigma(0.5))
    assert outcome is Fusion.NO_REFERENCE
    assert eskf.baro_reference is None


def test_the_first_altitude_after_a_height_makes_the_reference():
    eskf = seeded()
    before = eskf.covariance
    outcome = eskf.fuse_baro_altitude(0, 350.0, AltitudeNoise.from_sigma(0.5))
    assert outcome is Fusion.RESET
    assert eskf.baro_reference == 350.0
    p = full_covariance(eskf)
    np.testing.assert_allclose(p[15, 15], before[2, 2] + 0.25)
    np.testing.assert_allclose(p[:15, 15], -before[:, 2])
    np.testing.assert_allclose(eskf.covariance, before)
    # Read against the height itself, it says nothing of it.
    eskf.fuse_baro_altitude(0, 350.0, AltitudeNoise.from_sigma(0.5))
    assert eskf.covariance[2, 2] == pytest.approx(before[2, 2], rel=0.2)


def test_the_estimate_gives_no_reference_where_it_must_not():
    eskf = seeded(replace(PLAIN, baro_reference_from_estimate=False))
    assert eskf.fuse_baro_altitude(0, 350.0, AltitudeNoise.from_sigma(0.5)) is Fusion.NO_REFERENCE
    assert not eskf.set_baro_reference(np.nan, AltitudeNoise.from_sigma(0.5))
    assert not eskf.set_baro_reference(340.0, AltitudeNoise.from_variance(0.0))
    assert eskf.set_baro_reference(349.0, AltitudeNoise.from_sigma(0.5))
    assert eskf.fuse_baro_altitude(0, 350.0, AltitudeNoise.from_sigma(0.5)).kind is Fusion.ACCEPTED


def test_a_reference_from_before_gives_the_height_after_a_start_in_motion():
    eskf = seeded()
    eskf.set_baro_reference(100.0, AltitudeNoise.from_sigma(0.4))
    eskf.initialize_coarse(5 * NANO, [0, 0, 0], [0, 0, -9.8], frame=frames.FRD)
    assert eskf.baro_reference == 100.0
    assert eskf.fuse_baro_altitude(5 * NANO, 130.0, AltitudeNoise.from_sigma(0.3)) is Fusion.RESET
    assert eskf.position[2] == -30.0
    p = full_covariance(eskf)
    assert p[2, 2] == pytest.approx(0.16 + 0.09)
    assert p[2, 15] == pytest.approx(-0.16)


@pytest.mark.parametrize("gnss", [True, False])
def test_an_altitude_that_recovers_moves_what_is_wrong(gnss):
    config = replace(PLAIN, baro_offset_walk=0.0)
    eskf = seeded(config)
    drive = Drive(eskf, on=("position", "velocity", "baro") if gnss else ("baro",))
    drive.run(3.0)
    reference = eskf.baro_reference
    drive.bias["baro"] = 40.0
    drive.run(8.0)
    assert "RESET" in names(drive.outcomes["baro"])
    assert eskf.diagnostics.baro.recovered == 1
    if gnss:  # the height is known otherwise: it is the reference
        assert eskf.baro_reference == pytest.approx(reference + 40.0, abs=1.0)
        assert eskf.position[2] == pytest.approx(0.0, abs=1.0)
    else:
        assert eskf.baro_reference == pytest.approx(reference, abs=1.0)
        assert eskf.position[2] == pytest.approx(-40.0, abs=1.0)


# ---- recovery --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "bias", "seconds"),
    [
        ("position", [300.0, 0.0, 0.0], 7.0),
        ("velocity", [0.0, 30.0, 0.0], 7.0),
        ("heading", 1.0, 7.0),
    ],
)
def test_a_source_that_is_rejected_for_long_is_adopted(source, bias, seconds):
    eskf = seeded(replace(PLAIN, yaw_estimator=False))
    drive = Drive(eskf, on=(source,))
    drive.run(2.0)
    drive.bias[source] = bias
    drive.run(seconds + 1.0)
    outcomes = [getattr(o, "horizontal", o) for o in drive.outcomes[source]]
    first = names(outcomes).index("RESET")
    assert set(names(outcomes[:first])) == {"REJECTED"}
    assert first * 0.2 == pytest.approx(seconds, abs=0.41)
    assert set(names(outcomes[first + 1 :])) == {"ACCEPTED"}


def test_the_height_recovers_by_itself():
    drive = Drive(seeded(), on=("position",))
    drive.run(1.0)
    drive.bias["position"] = [0.0, 0.0, -100.0]
    drive.run(6.0)
    assert set(names(o.horizontal for o in drive.outcomes["position"])) == {"ACCEPTED"}
    heights = names(o.height for o in drive.outcomes["position"])
    assert heights.index("RESET") * 0.2 == pytest.approx(5.0, abs=0.41)
    assert drive.eskf.diagnostics.gnss_height.recovered == 1


def test_a_source_without_recovery_stays_rejected():
    eskf = seeded(replace(PLAIN, recovery=Recovery.off(), yaw_estimator=False))
    drive = Drive(eskf, on=("velocity",))
    drive.run(1.0)
    drive.bias["velocity"] = [0.0, 1e4, 0.0]
    drive.run(15.0)
    assert set(names(drive.outcomes["velocity"])) == {"REJECTED"}
    assert eskf.diagnostics.gnss_velocity.consecutive_rejections == 75


def test_silence_is_no_rejection():
    eskf = seeded()
    drive = Drive(eskf, on=("velocity", "position"))
    drive.run(1.0)
    drive.bias["velocity"] = [0.0, 30.0, 0.0]
    drive.on = {"position", "velocity"}
    drive.run(0.4)
    drive.on = {"position"}
    drive.run(20.0)  # silent for much longer than the recovery time
    drive.on = {"position", "velocity"}
    drive.run(0.4)
    assert set(names(drive.outcomes["velocity"])) == {"REJECTED"}


def test_a_magnetometer_does_not_recover_against_gnss():
    for extra, recovers in (((), True), (("position", "velocity"), False)):
        eskf = seeded(
            replace(PLAIN, declination=0.0, yaw_estimator=False),
            sigmas=np.repeat([1, 0.1, 0.01, 0.05, 1e-4], 3),
        )
        drive = Drive(eskf, on=("mag", *extra))
        drive.run(2.0)
        drive.bias["mag"] = 2.0
        drive.run(12.0)
        assert ("RESET" in names(drive.outcomes["mag"])) == recovers


def test_a_stationary_claim_that_is_wrong_is_never_adopted():
    eskf = seeded(velocity=[10.0, 0.0, 0.0])
    drive = Drive(eskf, [10.0, 0.0, 0.0], on=("stationary",))
    drive.run(4.0, every=0.01)
    assert set(names(drive.outcomes["stationary"])) == {"REJECTED"}
    assert eskf.velocity[0] == pytest.approx(10.0, abs=1e-3)


# ---- origin ----------------------------------------------------------------------------------


def test_the_first_fix_places_the_origin_under_the_estimate():
    eskf = seeded(velocity=[20.0, 0.0, 0.0])
    Drive(eskf, [20.0, 0.0, 0.0], on=()).run(10.0)
    before = eskf.position
    arm = np.array([0.3, 0.0, -1.0])
    outcome = eskf.fuse_gnss_geodetic(
        eskf.time, 47.4, 8.5, 500.0, POSITION, antenna=arm, antenna_frame=frames.FRD
    )
    assert outcome.horizontal is outcome.height is Fusion.RESET
    np.testing.assert_array_equal(eskf.position, before)
    np.testing.assert_allclose(np.diagonal(eskf.covariance)[:3], [2.25, 2.25, 9.0])
    np.testing.assert_allclose(eskf.origin.to_ned(47.4, 8.5, 500.0), before + arm, atol=1e-3)
    place = eskf.geodetic
    assert place[0] == pytest.approx(47.4, abs=1e-5)
    # The next fix is fused.
    again = eskf.fuse_gnss_geodetic(
        eskf.time, 47.4, 8.5, 500.0, POSITION, antenna=arm, antenna_frame=frames.FRD
    )
    assert again.used
    assert again.horizontal.test_ratio == pytest.approx(0.0, abs=1e-6)


def test_after_a_coarse_start_the_origin_is_the_fix():
    eskf = coarse()
    outcome = eskf.fuse_gnss_geodetic(0, -33.9, 151.2, 20.0, POSITION)
    assert outcome.horizontal is Fusion.RESET
    np.testing.assert_array_equal(eskf.position, 0.0)
    assert eskf.origin == Origin(-33.9, 151.2, 20.0)


@pytest.mark.parametrize("place", [(91.0, 0.0, 0.0), (0.0, 400.0, 0.0), (0.0, 0.0, 1e9)])
def test_a_place_that_is_none_places_no_origin(place):
    eskf = seeded()
    outcome = eskf.fuse_gnss_geodetic(0, *place, POSITION)
    assert outcome.horizontal is outcome.height is Fusion.NO_REFERENCE
    assert eskf.origin is None


def test_positions_count_from_an_origin_that_is_set():
    eskf = seeded(sigmas=np.repeat([100.0, 0.1, 0.01, 0.05, 0.001], 3))
    origin = Origin(47.0, 8.0, 400.0)
    eskf.set_origin(origin)
    latitude, longitude, height = (float(v) for v in origin.to_geodetic(np.array([30.0, -40.0, -5.0])))
    outcome = eskf.fuse_gnss_geodetic(0, latitude, longitude, height, PositionNoise.from_sigma(0.01))
    assert outcome.horizontal.kind is Fusion.ACCEPTED
    np.testing.assert_allclose(eskf.position, [30.0, -40.0, -5.0], atol=1e-4)


def test_the_declination_comes_with_the_origin_and_turns_a_magnetic_heading():
    pytest.importorskip("pygeomag")
    eskf = coarse(Config(hold=None))
    drive = Drive(eskf, yaw=0.0, on=("mag",))
    drive.run(0.2)
    yaw = eskf.attitude.euler_angles()[2]
    eskf.fuse_gnss_geodetic(eskf.time, 48.0, -123.0, 0.0, POSITION)  # some 15 degrees east there
    assert 0.2 < eskf.declination < 0.35
    assert eskf.attitude.euler_angles()[2] - yaw == pytest.approx(eskf.declination, abs=1e-9)
    # A true heading is not turned by it.
    true = coarse(Config(hold=None))
    true.fuse_gnss_heading(0, 1.0, HeadingNoise.from_sigma(0.1))
    true.fuse_gnss_geodetic(0, 48.0, -123.0, 0.0, POSITION)
    assert true.declination == eskf.declination
    assert true.attitude.euler_angles()[2] == pytest.approx(1.0, abs=0.01)


def still(field=(0.4, 0.0, 0.8)):
    window = StaticWindow()
    for i in range(1, 301):
        window.add_imu(i * NANO // 100, [0, 0, 0], [0, 0, -9.80665], interval=0.01, frame=frames.FRD)
    window.add_magnetic_field(NANO, field, frame=frames.FRD)
    return window


def test_a_declination_that_was_set_counts_for_the_next_start():
    eskf = Eskf(PLAIN)
    eskf.set_declination(0.2)
    assert eskf.initialize(still()).is_static
    assert eskf.attitude.euler_angles()[2] == pytest.approx(0.2)
    outcome = eskf.fuse_mag_heading(
        eskf.time, [0.4, 0.0, 0.8], HeadingNoise.from_sigma(0.1), frame=frames.FRD
    )
    assert outcome.test_ratio == pytest.approx(0.0, abs=1e-12)


def test_after_a_start_on_another_place_headings_count_from_magnetic_north_again():
    pytest.importorskip("pygeomag")
    eskf = Eskf(PLAIN)
    eskf.initialize(still())
    eskf.fuse_gnss_geodetic(eskf.time, 48.0, -123.0, 0.0, POSITION)
    assert eskf.attitude.euler_angles()[2] == pytest.approx(eskf.declination) != 0.0
    eskf.initialize(still())
    assert eskf.origin is None
    assert eskf.declination == eskf.attitude.euler_angles()[2] == 0.0


def test_a_declination_that_is_set_stays():
    eskf = coarse(replace(PLAIN, declination=0.05))
    eskf.fuse_gnss_geodetic(0, 48.0, -123.0, 0.0, POSITION)
    assert eskf.declination == 0.05
    other = coarse()
    other.set_declination(-0.1)
    other.fuse_gnss_geodetic(0, 48.0, -123.0, 0.0, POSITION)
    assert other.declination == -0.1


# ---- what cannot be seen ---------------------------------------------------------------------


def test_headings_that_the_attitude_does_not_show_are_unobservable():
    eskf = seeded()
    assert (
        eskf.fuse_mag_heading(0, [0, 0, 1], HeadingNoise.from_sigma(0.1), frame=frames.FRD)
        is Fusion.UNOBSERVABLE
    )
    assert (
        eskf.fuse_mag_heading(0, [0, 0, 0], HeadingNoise.from_sigma(0.1), frame=frames.FRD)
        is Fusion.UNOBSERVABLE
    )
    # No velocity yet, then too slow.
    assert eskf.fuse_course(0, HeadingNoise.from_sigma(0.1)) is Fusion.UNOBSERVABLE
    eskf.fuse_gnss_velocity(0, [0.1, 0.0, 0.0], VELOCITY, frame=frames.NED)
    assert eskf.fuse_course(0, HeadingNoise.from_sigma(0.1)) is Fusion.UNOBSERVABLE
    assert eskf.diagnostics.course.refused == 2


@pytest.mark.parametrize(("pitch", "seen"), [(59.0, True), (61.0, False), (-61.0, False)])
def test_a_nose_near_the_vertical_has_no_heading(pitch, seen):
    from boresight import Attitude
    from boresight.navigation import State

    half = np.radians(pitch) / 2
    eskf = Eskf(PLAIN)
    state = State(
        Attitude.from_body_to_ned([np.cos(half), 0, np.sin(half), 0], order="wxyz"), velocity=[20.0, 0.0, 0.0]
    )
    eskf.initialize_from(state, np.diag(np.repeat([1.0, 0.1, 0.1, 0.1, 0.01], 3) ** 2), 0)
    eskf.fuse_gnss_velocity(0, [20.0, 0.0, 0.0], VELOCITY, frame=frames.NED)
    assert (eskf.fuse_gnss_heading(0, 0.0, HeadingNoise.from_sigma(0.1)) is not Fusion.UNOBSERVABLE) == seen
    assert (eskf.fuse_course(0, HeadingNoise.from_sigma(0.1)) is not Fusion.UNOBSERVABLE) == seen


def test_a_course_gives_the_first_heading():
    eskf = coarse()
    eskf.fuse_gnss_velocity(0, [0.0, 15.0, 0.0], VELOCITY, frame=frames.NED)
    assert eskf.fuse_course(0, HeadingNoise.from_sigma(0.05)) is Fusion.RESET
    assert eskf.attitude.euler_angles()[2] == pytest.approx(np.pi / 2, abs=0.05)
    # The course's own variance is part of it.
    assert eskf.attitude_sigma[2] == pytest.approx(np.hypot(0.05, 0.3 / 15.0), rel=0.05)
    assert eskf.status is Status.ALIGNING


def test_an_estimate_too_far_away_for_a_fix_leaves_no_origin():
    eskf = Eskf(PLAIN)
    state = State(Attitude.level(), position=[3e7, 0.0, 0.0])
    eskf.initialize_from(state, np.diag(np.repeat([1.0, 0.1, 0.01, 0.1, 0.01], 3) ** 2), 0)
    outcome = eskf.fuse_gnss_geodetic(0, 47.0, 8.0, 400.0, PositionNoise.from_sigma(1.0))
    assert outcome.horizontal is Fusion.NO_REFERENCE
    assert eskf.origin is None
