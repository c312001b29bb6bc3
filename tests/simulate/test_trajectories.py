"""The truth agrees with itself: each part against numerical derivatives of another."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import kernels
from boresight.simulate.scenarios import DRIVE, FLIGHT, Scenario
from boresight.simulate.segments import Course, FigureEight, Go, Rest, Segment
from boresight.simulate.trajectories import Trajectory, Truth, Vehicle

STEP = 1e-3
GRAVITY = 9.80665
READY = pytest.mark.parametrize("scenario", [FLIGHT, DRIVE], ids=lambda s: s.name)


def around(scenario: Scenario, shift: float) -> Truth:
    trajectory = scenario.trajectory()
    # An odd step, so that joints between segments fall between samples as well as near them.
    return trajectory.at(np.arange(0.5, trajectory.duration - 0.5, 0.0137) + shift)


def central(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return (after - before) / (2.0 * STEP)


@READY
def test_velocity_is_the_derivative_of_position(scenario: Scenario) -> None:
    before, now, after = (around(scenario, shift) for shift in (-STEP, 0.0, STEP))
    assert np.abs(central(before.position, after.position) - now.velocity).max() < 1e-5
    assert np.ptp(now.velocity) > 5.0


@READY
def test_acceleration_is_the_derivative_of_velocity(scenario: Scenario) -> None:
    before, now, after = (around(scenario, shift) for shift in (-STEP, 0.0, STEP))
    assert np.abs(central(before.velocity, after.velocity) - now.acceleration).max() < 1e-5
    assert np.ptp(now.acceleration) > 2.0


@READY
def test_rate_is_the_derivative_of_attitude_in_body_axes(scenario: Scenario) -> None:
    before, now, after = (around(scenario, shift) for shift in (-STEP, 0.0, STEP))
    turned = kernels.log(kernels.multiply(kernels.conjugate(before.attitude), after.attitude)) / (2.0 * STEP)
    assert np.abs(turned - now.rate).max() < 1e-5
    assert np.ptp(now.rate) > 0.3


@READY
def test_rate_derivative_is_the_derivative_of_the_rate(scenario: Scenario) -> None:
    before, now, after = (around(scenario, shift) for shift in (-STEP, 0.0, STEP))
    assert np.abs(central(before.rate, after.rate) - now.rate_derivative).max() < 1e-3


@READY
def test_specific_force_is_acceleration_less_gravity_in_body_axes(scenario: Scenario) -> None:
    now = around(scenario, 0.0)
    expected = kernels.rotate_inverse(now.attitude, now.acceleration - np.array([0.0, 0.0, GRAVITY]))
    assert np.abs(now.specific_force - expected).max() < 1e-12


@READY
def test_nothing_jumps_at_the_joints_between_segments(scenario: Scenario) -> None:
    trajectory = scenario.trajectory()
    joints = np.cumsum([s.duration for s in trajectory.segments])
    before, after = trajectory.at(joints - 1e-9), trajectory.at(joints + 1e-9)
    for name in (
        "position",
        "velocity",
        "acceleration",
        "attitude",
        "rate",
        "rate_derivative",
        "specific_force",
    ):
        assert np.abs(getattr(before, name) - getattr(after, name)).max() < 1e-6, name


@READY
def test_the_quaternion_never_changes_its_sign_from_row_to_row(scenario: Scenario) -> None:
    q = around(scenario, 0.0).attitude
    assert (np.einsum("ij,ij->i", q[1:], q[:-1]) > 0.99).all()
    assert np.abs(np.linalg.norm(q, axis=-1) - 1.0).max() < 1e-14


@READY
def test_at_rest_the_accelerometer_reads_gravity_upward(scenario: Scenario) -> None:
    rest = scenario.trajectory().at([0.0, 1.0, 2.0])
    assert rest.specific_force == pytest.approx(np.tile([0.0, 0.0, -GRAVITY], (3, 1)), abs=1e-12)
    assert not rest.rate.any() and not rest.velocity.any()
    assert kernels.to_euler("ZYX", rest.attitude, degrees=True)[:, 0] == pytest.approx(
        np.full(3, scenario.heading)
    )


def test_a_multirotor_feels_thrust_up_and_drag_against_its_velocity() -> None:
    truth = around(FLIGHT, 0.0)
    drag = -0.25 * kernels.rotate_inverse(truth.attitude, truth.velocity)
    assert np.abs(truth.specific_force[:, :2] - drag[:, :2]).max() < 1e-12
    assert (truth.specific_force[:, 2] < -5.0).all()


def test_a_multirotor_leans_into_its_acceleration() -> None:
    north = Trajectory([Go(8.0, north=30.0)], "multirotor", heading=0.0, gravity=GRAVITY)
    truth = north.at([2.0])
    assert truth.acceleration[0, 0] > 1.0
    assert kernels.to_euler("ZYX", truth.attitude, degrees=True)[0, 1] < -5.0  # nose down


def test_the_heading_of_a_multirotor_is_the_yaw_of_zyx_at_any_tilt() -> None:
    trajectory = Trajectory(
        [Go(4.0, north=15.0, east=-9.0, turn=90.0)], "multirotor", heading=0.4, gravity=GRAVITY
    )
    t = np.linspace(0.0, 4.0, 41)
    angles = kernels.to_euler("ZYX", trajectory.at(t).attitude, degrees=False)
    assert np.abs(angles[:, 1:]).max() > 0.3
    assert (np.diff(angles[:, 0]) >= 0.0).all()
    assert angles[[0, -1], 0] == pytest.approx([0.4, 0.4 + np.pi / 2.0])


def test_a_ground_vehicle_moves_along_its_nose() -> None:
    truth = around(DRIVE, 0.0)
    body = kernels.rotate_inverse(truth.attitude, truth.velocity)
    moving = np.linalg.norm(truth.velocity, axis=-1) > 1.0
    assert moving.sum() > 1000
    assert np.abs(body[moving, 1] / body[moving, 0]).max() < 1e-3  # no slip; leaning lifts the nose a little
    assert (body[moving, 0] > 0.0).all()
    assert np.abs(body[moving, 2] / body[moving, 0]).max() < 0.03


def test_a_ground_vehicle_leans_out_of_a_turn() -> None:
    truth = around(DRIVE, 0.0)
    right = truth.rate[:, 2] > 0.3
    roll = kernels.to_euler("ZYX", truth.attitude, degrees=True)[:, 2]
    assert right.sum() > 50 and (roll[right] < 0.0).all()


@pytest.mark.parametrize("vehicle", ["multirotor", "ground"])
def test_before_the_start_and_after_the_end_it_stands_still(vehicle: Vehicle) -> None:
    trajectory = Trajectory([Rest(1.0), Go(5.0, north=3.0, east=1.0)], vehicle, heading=0.5, gravity=GRAVITY)
    truth = trajectory.at([-10.0, 0.0, trajectory.duration, trajectory.duration + 100.0])
    assert truth.position == pytest.approx(
        np.array([[0, 0, 0], [0, 0, 0], [3, 1, 0], [3, 1, 0]], dtype=float), abs=1e-12
    )
    assert np.abs(truth.velocity).max() < 1e-12


@pytest.mark.parametrize(
    "segment",
    [
        FigureEight(10.0, length=8.0, width=5.0, laps=2, climb=1.0),
        Course(
            30.0,
            [(10 * np.cos(a), 10 * np.sin(a), 0.0) for a in np.arange(0.0, 6.0, 0.5)],
            closed=True,
            laps=2,
        ),
    ],
    ids=["figure", "course"],
)
def test_closed_figures_end_where_they_began(segment: Segment) -> None:
    trajectory = Trajectory(
        [segment], "ground" if isinstance(segment, Course) else "multirotor", heading=1.0, gravity=9.8
    )
    truth = trajectory.at([0.0, segment.duration])
    assert truth.position[1] == pytest.approx(truth.position[0], abs=1e-9)
    assert np.abs(truth.attitude[1]) == pytest.approx(np.abs(truth.attitude[0]), abs=1e-9)


def test_a_course_past_points_in_a_row_is_straight_along_the_nose() -> None:
    trajectory = Trajectory(
        [Course(10.0, [(5.0 * i, 0.0, 0.0) for i in range(9)])], "ground", heading=0.3, gravity=9.8
    )
    truth = trajectory.at(np.linspace(0.0, 10.0, 50))
    across = truth.position[:, 1] * np.cos(0.3) - truth.position[:, 0] * np.sin(0.3)
    assert np.abs(across).max() < 1e-9
    # Four spans of 5 m: nine points, six of them to a span.
    assert np.linalg.norm(truth.position[-1]) == pytest.approx(20.0)


def test_many_instants_are_the_same_as_one_at_a_time() -> None:
    trajectory = FLIGHT.trajectory()
    t = np.linspace(0.0, 60.0, 40_000)  # more than one block
    truth = trajectory.at(t)
    for i in (0, 17_000, 33_000, 39_999):
        one = trajectory.at(t[i])
        assert one.position[0] == pytest.approx(truth.position[i], abs=1e-12)
        assert np.abs(one.attitude[0] @ truth.attitude[i]) == pytest.approx(1.0, abs=1e-12)


def test_a_longer_duration_repeats_the_middle_of_the_path() -> None:
    once, long = FLIGHT.trajectory(), FLIGHT.trajectory(200.0)
    assert once.duration == pytest.approx(FLIGHT.duration)
    assert 200.0 - 26.0 < long.duration <= 200.0
    # A short log is cut by its own end, not by leaving segments out.
    assert FLIGHT.trajectory(1.0).duration == once.duration
