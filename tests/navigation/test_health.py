"""Status, validity and what is counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense import PLAIN
from drives import NANO, Drive, coarse, names, seeded

from boresight import frames
from boresight.navigation import (
    Accuracy,
    AltitudeNoise,
    Config,
    Eskf,
    Fusion,
    HeadingNoise,
    Hold,
    PositionNoise,
    Status,
    Validity,
    VelocityNoise,
)

# ---- status ----------------------------------------------------------------------------------


def test_before_the_first_gnss_and_five_seconds_after_the_last_it_is_dead_reckoning():
    drive = Drive(seeded(), on=("baro",))
    drive.run(1.0)
    assert drive.eskf.status is Status.DEAD_RECKONING
    drive.on = {"position"}
    drive.run(0.2)
    assert drive.eskf.status is Status.HEALTHY
    drive.on = set()
    drive.run(4.9)
    assert drive.eskf.status is Status.DEGRADED
    drive.run(0.2)
    assert drive.eskf.status is Status.DEAD_RECKONING


def test_a_start_in_motion_is_aligning_until_tilt_and_heading_have_come_in():
    drive = Drive(coarse(replace(PLAIN, declination=0.0)), [15.0, 0.0, 0.0])
    drive.run(10.0)
    assert drive.eskf.status is Status.ALIGNING
    assert not drive.eskf.validity.heading
    assert not drive.eskf.is_aligned
    drive.on |= {"heading"}
    drive.run(5.0)
    assert drive.eskf.status is Status.HEALTHY
    assert drive.eskf.is_aligned
    # Left for good: validity goes, the alignment does not.
    drive.on = {"position", "velocity", "heading"}
    drive.bias["heading"] = 0.0
    drive.eskf.predict_rates(drive.time + 20 * NANO, [0, 0, 0], [0, 0, 0], 0.01, frame=frames.FRD)
    assert not drive.eskf.validity.tilt
    assert drive.eskf.is_aligned


@pytest.mark.parametrize(("every", "silence"), [(0.1, 0.25), (0.5, 1.25), (1.0, 2.5)])
def test_a_source_is_missed_after_two_and_a_half_of_its_own_periods(every, silence):
    drive = Drive(seeded(), on=("position", "velocity", "baro"))
    drive.run(20.0, every=every)
    assert drive.eskf.status is Status.HEALTHY
    assert drive.eskf.diagnostics.baro.period == pytest.approx(every, rel=1e-3)
    assert drive.eskf.diagnostics.baro.timeout == pytest.approx(silence, rel=1e-3)
    drive.on = {"position", "velocity"}
    seen = []
    for _ in range(400):
        drive.run(0.01, every=0.01)
        seen.append(drive.eskf.status)
    assert seen.index(Status.DEGRADED) * 0.01 == pytest.approx(silence, abs=0.02)


def test_a_source_that_never_was_accepted_is_not_missed():
    drive = Drive(seeded(), on=("position", "velocity", "mag"))
    drive.eskf.set_declination(0.0)
    drive.bias["mag"] = 3.0
    drive.run(0.4)  # too few of them to be a dispute, which has tests of its own
    assert names(drive.outcomes["mag"]) == ["REJECTED", "REJECTED"]
    drive.on = {"position", "velocity"}
    drive.run(5.0)
    assert drive.eskf.status is Status.HEALTHY


# ---- validity --------------------------------------------------------------------------------


def test_a_filter_that_was_not_started_claims_nothing():
    eskf = Eskf()
    assert not any(getattr(eskf.validity, name) for name in Validity.__slots__)
    assert eskf.status is Status.DEAD_RECKONING
    assert eskf.predicted_validity() == eskf.validity


@pytest.mark.parametrize(
    ("index", "sigma", "name"),
    [
        (0, 5.0, "horizontal_position"),
        (1, 5.0, "horizontal_position"),
        (2, 5.0, "vertical_position"),
        (3, 1.0, "horizontal_velocity"),
        (4, 1.0, "horizontal_velocity"),
        (5, 1.0, "vertical_velocity"),
        (6, np.radians(3), "tilt"),
        (7, np.radians(3), "tilt"),
        (8, np.radians(30), "heading"),
    ],
)
def test_each_axis_is_held_to_its_accuracy(index, sigma, name):
    for factor, valid in ((0.99, True), (1.01, False)):
        sigmas = np.repeat([1.0, 0.1, 0.01, 0.05, 0.001], 3)
        sigmas[index] = sigma * factor
        eskf = seeded(sigmas=sigmas)  # level and north: body axes are the earth's
        assert getattr(eskf.validity, name) == valid
        others = [getattr(eskf.validity, other) for other in Validity.__slots__ if other != name]
        assert all(others)


def test_the_accuracies_are_configured():
    eskf = seeded(replace(PLAIN, accuracy=Accuracy(tilt=0.001, heading=0.001, position=0.1, velocity=0.01)))
    assert not any(getattr(eskf.validity, name) for name in Validity.__slots__)


def test_tilt_and_heading_are_about_the_earth_s_axes():
    from boresight import Attitude
    from boresight.navigation import State

    # On its tail, body x points up: what is unknown about it is the heading.
    sigmas = np.repeat([1.0, 0.1, 0.01, 0.05, 0.001], 3)
    sigmas[6] = 2.0
    eskf = Eskf(PLAIN)
    tail = Attitude.from_body_to_ned([np.sqrt(0.5), 0, np.sqrt(0.5), 0], order="wxyz")
    eskf.initialize_from(State(tail), np.diag(sigmas**2), 0)
    assert eskf.validity.tilt
    assert not eskf.validity.heading
    np.testing.assert_allclose(eskf.attitude_sigma, [0.01, 0.01, 2.0])


def test_what_was_never_established_is_not_valid_however_small_its_variance():
    eskf = coarse()
    assert not eskf.validity.horizontal_position
    assert not eskf.validity.horizontal_velocity
    eskf.fuse_gnss_velocity(0, [0, 0, 0], VelocityNoise.from_sigma(0.1), frame=frames.NED)
    assert eskf.validity.horizontal_velocity
    assert eskf.validity.vertical_velocity
    assert not eskf.validity.horizontal_position


def test_what_will_not_last_is_not_predicted_unless_something_holds_it():
    config = replace(PLAIN, accuracy=Accuracy(velocity=0.2))
    drive = Drive(seeded(config), on=())
    drive.run(0.1)
    assert drive.eskf.validity.horizontal_velocity
    assert not drive.eskf.predicted_validity(1.0).horizontal_velocity
    assert drive.eskf.predicted_validity(0.0) == drive.eskf.validity
    drive.on = {"velocity"}
    drive.run(1.0)
    assert drive.eskf.predicted_validity(30.0).horizontal_velocity
    assert drive.eskf.predicted_validity(30.0).vertical_velocity
    assert not drive.eskf.predicted_validity(300.0).tilt
    # Looking ahead changes nothing.
    before = drive.eskf.covariance
    drive.eskf.predicted_validity(100.0)
    np.testing.assert_array_equal(before, drive.eskf.covariance)


def test_the_horizon_is_the_configuration_s():
    config = replace(PLAIN, accuracy=Accuracy(velocity=0.2, horizon=0.01))
    eskf = seeded(config)
    assert eskf.predicted_validity() == eskf.validity
    assert eskf.predicted_validity(5.0) != eskf.validity


# ---- the position hold -----------------------------------------------------------------------


def test_without_aiding_the_tilt_is_held():
    def end(hold):
        config = Config(hold=hold, yaw_estimator=False)
        drive = Drive(seeded(config, sigmas=np.repeat([1.0, 0.1, 0.02, 0.05, 0.001], 3)), on=())
        drive.run(120.0)
        return drive.eskf

    held, free = end(Hold()), end(None)
    assert free.diagnostics.hold.accepted == 0
    assert free.attitude_sigma[:2].min() > np.radians(8)
    assert held.attitude_sigma[:2].max() < np.radians(3.5)
    assert held.diagnostics.hold.accepted > 10
    # An assumption: it aids nothing.
    assert held.status is Status.DEAD_RECKONING
    assert not held.validity.horizontal_position
    assert not held.validity.horizontal_velocity


def test_the_hold_waits_for_five_seconds_and_three_degrees():
    config = Config(yaw_estimator=False)
    drive = Drive(seeded(config), on=("position", "velocity"))
    drive.run(5.0)
    drive.on = set()
    start = drive.time
    while drive.eskf.diagnostics.hold.accepted == 0:
        before = drive.eskf.attitude_sigma[:2].max()
        drive.run(0.1)
        assert drive.time - start < 100 * NANO
    # It needs both.
    assert drive.time - start > 5 * NANO
    assert before == pytest.approx(np.radians(3), rel=0.02)


def test_the_first_fix_that_contradicts_the_hold_is_adopted_at_once():
    config = Config(yaw_estimator=False)
    drive = Drive(seeded(config, sigmas=np.repeat([1.0, 0.1, 0.1, 0.05, 0.001], 3)), on=())
    drive.run(30.0)
    assert drive.eskf.diagnostics.hold.accepted > 0
    outcome = drive.eskf.fuse_gnss_position(
        drive.time, [5000.0, 0.0, 0.0], PositionNoise.from_sigma(1.0), frame=frames.NED
    )
    assert outcome.horizontal is Fusion.RESET
    assert not drive.eskf.is_holding
    assert drive.eskf.validity.horizontal_position
    assert not drive.eskf.validity.horizontal_velocity  # not measured yet
    drive.eskf.fuse_gnss_velocity(drive.time, [0, 0, 0], VelocityNoise.from_sigma(0.1), frame=frames.NED)
    assert drive.eskf.validity.horizontal_velocity


# ---- counts ----------------------------------------------------------------------------------


def test_everything_is_counted():
    eskf = Eskf(replace(PLAIN, yaw_estimator=False))
    noise = VelocityNoise.from_sigma(0.1)
    assert eskf.fuse_gnss_velocity(0, [0, 0, 0], noise, frame=frames.NED) is Fusion.NOT_INITIALIZED
    assert eskf.diagnostics.gnss_velocity.refused == 1
    eskf = seeded(replace(PLAIN, yaw_estimator=False))
    eskf.fuse_gnss_velocity(0, [0.1, 0, 0], noise, frame=frames.NED)
    eskf.fuse_gnss_velocity(0, [9.0, 0, 0], noise, frame=frames.NED)
    eskf.fuse_gnss_velocity(0, [9.0, 0, 0], noise, frame=frames.NED)
    eskf.fuse_gnss_velocity(0, [np.nan, 0, 0], noise, frame=frames.NED)
    record = eskf.diagnostics.gnss_velocity
    assert (record.accepted, record.rejected, record.refused) == (1, 2, 1)
    assert record.consecutive_rejections == 2
    assert record.last_refusal is Fusion.NOT_FINITE
    assert record.test_ratio > 1.0
    assert record.innovation.shape == (3,)
    # The test ratio is made of them.
    squared = record.innovation @ np.linalg.solve(record.innovation_covariance, record.innovation)
    assert record.test_ratio == pytest.approx(squared / 16.266236, rel=1e-12)
    assert eskf.diagnostics.baro.innovation.shape == (0,)
    assert eskf.diagnostics.baro.innovation_covariance.shape == (0, 0)
    assert record.since_accepted == 0.0
    eskf.predict_rates(NANO // 100, [0, 0, 0], [0, 0, -9.8], 0.01, frame=frames.FRD)
    assert eskf.diagnostics.gnss_velocity.since_accepted == pytest.approx(0.01)
    assert eskf.diagnostics.propagation.propagated == 1
    assert eskf.diagnostics.propagation.refused == 0


def test_a_start_begins_the_counts_anew():
    drive = Drive(seeded(), on=("position",))
    drive.run(2.0)
    assert drive.eskf.diagnostics.gnss_position.accepted == 10
    drive.eskf.initialize_from(drive.eskf.state, drive.eskf.covariance, drive.time)
    assert drive.eskf.diagnostics.gnss_position.accepted == 0
    assert drive.eskf.status is Status.DEAD_RECKONING


def test_a_variance_under_its_floor_is_raised_and_counted():
    eskf = seeded()
    for _ in range(20):
        eskf.fuse_gnss_velocity(0, [0, 0, 0], VelocityNoise.from_variance(1e-12), frame=frames.NED)
        eskf.fuse_gnss_position(0, [0, 0, 0], PositionNoise.from_variance(1e-12), frame=frames.NED)
        eskf.fuse_gnss_heading(0, 0.0, HeadingNoise.from_variance(1e-14))
    assert eskf.diagnostics.floored > 0
    floors = np.repeat([1e-6, 1e-6, 1e-9, 1e-9, 1e-9], 3)
    assert (np.diagonal(eskf.covariance) >= floors * (1 - 1e-12)).all()
    assert np.linalg.eigvalsh(eskf.covariance / np.sqrt(np.outer(floors, floors))).min() > 0


def test_an_ordinary_flight_meets_no_floor():
    drive = Drive(seeded(Config(declination=0.0)), [10.0, 0, 0], on=("position", "velocity", "baro", "mag"))
    drive.run(60.0, every=0.1)
    assert drive.eskf.diagnostics.floored == 0
    assert drive.eskf.status is Status.HEALTHY
    assert drive.eskf.validity.all()
    np.testing.assert_allclose(drive.eskf.velocity, [10, 0, 0], atol=1e-6)


def test_a_standing_vehicle_learns_from_claims_that_it_stands():
    drive = Drive(seeded(replace(PLAIN, yaw_estimator=False)), on=("stationary",))
    drive.run(20.0)
    assert set(names(drive.outcomes["stationary"])) == {"ACCEPTED"}
    assert drive.eskf.validity.tilt
    assert not drive.eskf.is_holding
    assert np.sqrt(np.diagonal(drive.eskf.covariance)[3:6]).max() < 0.1


def test_the_reference_of_the_barometer_has_no_floor_without_one():
    eskf = seeded()
    eskf.predict_rates(NANO // 100, [0, 0, 0], [0, 0, -9.8], 0.01, frame=frames.FRD)
    assert eskf.diagnostics.floored == 0
    assert eskf.fuse_baro_altitude(NANO // 100, 1.0, AltitudeNoise.from_sigma(1.0)) is Fusion.RESET
