"""What the filter claims of itself while a measurement contradicts it, and after it was adopted for that."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from drives import Drive, names, seeded

from boresight.navigation import Config, Recovery, Status

PLAIN = Config(hold=None, declination=0.0, yaw_estimator=False)
GNSS = ("position", "velocity")


def drive_of(*on, config=PLAIN, seconds=10.0):
    drive = Drive(seeded(config), on=on)
    drive.run(seconds)
    assert drive.eskf.status is Status.HEALTHY
    return drive


def history(drive, seconds, every=0.2):
    """Status and validity after each round of measurements."""
    out = []
    for _ in range(round(seconds / every)):
        drive.run(every, every=every)
        out.append((drive.eskf.status, drive.eskf.validity))
    return out


def test_one_rejection_is_no_dispute():
    drive = drive_of(*GNSS)
    drive.bias["velocity"] = [30.0, 0.0, 0.0]
    drive.run(0.4)
    assert set(names(drive.outcomes["velocity"])) == {"REJECTED"}
    assert drive.eskf.status is Status.HEALTHY
    drive.bias["velocity"] = 0.0
    drive.run(0.2)
    assert drive.eskf.status is Status.HEALTHY
    assert drive.eskf.validity.all()


def test_velocities_rejected_in_a_row_take_attitude_and_velocity_off_the_claims():
    drive = drive_of(*GNSS)
    drive.bias["velocity"] = [30.0, 0.0, 0.0]
    seen = history(drive, 2.0)
    # Two and a half periods from the first of them on, as with a source that is silent.
    changed = next(i for i, (_, valid) in enumerate(seen) if not valid.horizontal_velocity)
    assert changed == 3
    status, valid = seen[-1]
    assert status is Status.DEGRADED
    assert not valid.tilt
    assert not valid.heading
    assert not valid.horizontal_velocity
    assert not valid.vertical_velocity
    assert valid.horizontal_position
    assert valid.vertical_position
    claims = drive.eskf.predicted_validity(1.0)
    assert not claims.horizontal_velocity
    assert not claims.tilt


def test_what_was_adopted_after_rejections_is_believed_once_it_agreed_for_as_long():
    drive = drive_of(*GNSS)
    drive.bias["position"] = [500.0, 0.0, 0.0]
    while drive.eskf.diagnostics.gnss_position.recovered == 0:
        drive.run(0.2)
    seen = history(drive, 9.0)
    believed = [valid.horizontal_position for _, valid in seen]
    assert believed.index(True) * 0.2 == pytest.approx(7.0, abs=0.3)
    assert all(believed[believed.index(True) :])
    assert [status for status, _ in seen].index(Status.HEALTHY) == believed.index(True)


def test_a_filter_that_saw_teeth_never_claims_to_be_healthy():
    # A velocity that steps time and again: rejected, adopted, rejected.
    drive = drive_of(*GNSS, config=dataclasses.replace(PLAIN, recovery=Recovery(gnss_velocity=1.0)))
    seen = []
    for step in range(300):
        drive.bias["velocity"] = [30.0 * (1 + step // 15), 0.0, 0.0]
        seen += history(drive, 0.2)
    assert drive.eskf.diagnostics.gnss_velocity.recovered >= 10
    adopted = next(i for i, (_, valid) in enumerate(seen) if not valid.horizontal_velocity)
    assert not any(valid.horizontal_velocity for _, valid in seen[adopted:])
    assert {status for status, _ in seen[adopted:]} == {Status.DEGRADED}


def test_a_silence_settles_no_dispute():
    drive = drive_of(*GNSS)
    drive.bias["velocity"] = [30.0, 0.0, 0.0]
    drive.run(2.0)
    drive.on = {"position"}
    drive.run(20.0)
    assert not drive.eskf.validity.horizontal_velocity
    assert drive.eskf.status is Status.DEGRADED


def test_a_compass_that_never_agrees_is_said():
    drive = Drive(seeded(PLAIN), on=(*GNSS, "mag"))
    drive.bias["mag"] = 3.0
    drive.run(5.0)
    assert set(names(drive.outcomes["mag"])) == {"REJECTED"}
    assert drive.eskf.status is Status.DEGRADED
    assert not drive.eskf.validity.heading
    assert drive.eskf.validity.tilt
    assert not drive.eskf.predicted_validity(1.0).heading


@pytest.mark.parametrize("upheld", [False, True])
def test_a_receivers_heading_upholds_what_a_compass_disputes(upheld):
    drive = Drive(seeded(PLAIN), on=(*GNSS, "mag", *(("heading",) if upheld else ())))
    drive.bias["mag"] = 3.0
    drive.run(5.0)
    assert drive.eskf.validity.heading == upheld
    assert drive.eskf.status is Status.DEGRADED


@pytest.mark.parametrize("upheld", [False, True])
def test_a_second_height_upholds_what_the_first_disputes(upheld):
    drive = drive_of(*GNSS, *(("baro",) if upheld else ()))
    drive.bias["position"] = [0.0, 0.0, 60.0]
    drive.run(3.0)
    assert {o.height.name for o in drive.outcomes["position"]} == {"REJECTED"}
    assert drive.eskf.validity.vertical_position == upheld
    assert drive.eskf.validity.horizontal_position


def test_positions_alone_dispute_the_attitude_too():
    drive = drive_of("position", seconds=30.0)
    assert drive.eskf.validity.tilt
    drive.bias["position"] = [200.0, 0.0, 0.0]
    drive.run(3.0)
    valid = drive.eskf.validity
    assert not valid.horizontal_position
    assert not valid.tilt
    assert not valid.horizontal_velocity
    assert np.isfinite(drive.eskf.covariance).all()


def test_a_start_forgets_every_dispute():
    drive = drive_of(*GNSS)
    drive.bias["velocity"] = [30.0, 0.0, 0.0]
    drive.run(3.0)
    assert not drive.eskf.validity.tilt
    drive.eskf.initialize_from(drive.eskf.state, np.diag(np.full(15, 1e-4)), drive.eskf.time)
    assert drive.eskf.validity.all()
