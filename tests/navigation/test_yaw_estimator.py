"""The yaw estimator: a heading out of nothing but acceleration, and when it is used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drives import GRAVITY, NANO, seeded

from boresight import Attitude, Rotation, frames
from boresight.navigation import (
    Config,
    Eskf,
    Fusion,
    HeadingNoise,
    PositionNoise,
    Recovery,
    State,
    VelocityNoise,
)

CONFIG = Config(hold=None, declination=0.0)


class Circle:
    """A level multirotor that flies round without turning: its acceleration goes round in body axes too."""

    def __init__(self, eskf, yaw, *, acceleration=2.0, noise=0.05, seed=0, delay=0.0):
        self.eskf, self.yaw, self.size, self.noise = eskf, yaw, acceleration, noise
        self.rng, self.step, self.rate, self.delay = np.random.default_rng(seed), 0, 200, delay
        self.outcomes = []
        self.also = None

    def velocity(self, t):
        w = 0.8
        return self.size / w * np.array([np.sin(w * t), 1 - np.cos(w * t), 0.0])

    def acceleration(self, t):
        w = 0.8
        return self.size * np.array([np.cos(w * t), np.sin(w * t), 0.0])

    def run(self, seconds):
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        to_body = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        self.outcomes = []
        for _ in range(round(seconds * self.rate)):
            self.step += 1
            t = self.step / self.rate
            mean = (self.velocity(t) - self.velocity(t - 1 / self.rate)) * self.rate
            force = to_body @ (mean - [0, 0, GRAVITY]) + 0.02 * self.rng.standard_normal(3)
            rate = 0.002 * self.rng.standard_normal(3)
            self.eskf.predict_rates(
                round(self.step * NANO / self.rate), rate, force, 1 / self.rate, frame=frames.FRD
            )
            if self.step % 20 == 0:
                then = t - self.delay
                z = self.velocity(then) + self.noise * self.rng.standard_normal(3)
                self.outcomes.append(
                    self.eskf.fuse_gnss_velocity(
                        round(then * NANO), z, VelocityNoise.from_sigma(0.2), frame=frames.NED
                    )
                )
                if self.also:
                    self.also()
        return self

    def off(self):
        """Degrees by which the heading is wrong."""
        yaw = self.eskf.attitude.euler_angles()[2]
        return abs(np.degrees(np.angle(np.exp(1j * (yaw - self.yaw)))))


def coarse(config=CONFIG):
    eskf = Eskf(config)
    eskf.initialize_coarse(0, [0, 0, 0], [0.1, 0.0, -GRAVITY], frame=frames.FRD)
    return eskf


@pytest.mark.parametrize("yaw", [0.0, 0.63, 2.0, -1.2, 3.1])
@pytest.mark.parametrize("delay", [0.0, 0.12])
def test_a_vehicle_that_accelerates_finds_its_heading(yaw, delay):
    circle = Circle(coarse(), yaw, delay=delay).run(10.0)
    record = circle.eskf.diagnostics.yaw_estimator
    assert record.adopted == 1
    assert circle.off() < 12.0
    sigma = np.degrees(circle.eskf.attitude_sigma[2])
    assert sigma < 16.0
    circle.run(30.0)
    assert circle.off() < 8.0
    assert circle.eskf.validity.heading
    assert {outcome.name for outcome in circle.outcomes} == {"ACCEPTED"}


def test_a_vehicle_that_hovers_does_not():
    circle = Circle(coarse(), 1.0, acceleration=0.0, noise=0.02).run(30.0)
    assert circle.eskf.diagnostics.yaw_estimator.adopted == 0
    assert not circle.eskf.validity.heading


def test_switched_off_it_finds_nothing():
    circle = Circle(coarse(replace(CONFIG, yaw_estimator=False)), 1.0).run(10.0)
    assert circle.eskf.diagnostics.yaw_estimator.adopted == 0


def seeded_wrong(config=CONFIG, wrong=np.pi / 2):
    return seeded(config, yaw=1.0 + wrong, sigmas=np.repeat([1.0, 0.3, 0.02, 0.05, 0.001], 3))


@pytest.mark.parametrize("wrong", [np.pi / 2, -2.0, np.pi])
def test_a_heading_that_gnss_contradicts_is_replaced(wrong):
    circle = Circle(seeded_wrong(wrong=wrong), 1.0).run(15.0)
    assert circle.eskf.diagnostics.yaw_estimator.recovered >= 1
    assert circle.off() < 15.0
    circle.run(15.0)
    assert circle.off() < 10.0
    assert {outcome.name for outcome in circle.outcomes} == {"ACCEPTED"}


def test_its_time_is_configured():
    config = replace(CONFIG, recovery=Recovery(yaw_estimator=None, gnss_velocity=None))
    circle = Circle(seeded_wrong(config), 1.0).run(15.0)
    assert circle.eskf.diagnostics.yaw_estimator.recovered == 0
    assert circle.off() > 45.0
    assert Fusion.REJECTED in {outcome.kind for outcome in circle.outcomes}


def test_a_receiver_s_own_heading_is_not_overruled():
    circle = Circle(seeded_wrong(), 1.0)
    circle.also = lambda: circle.eskf.fuse_gnss_heading(
        circle.eskf.time, 1.0 + np.pi / 2, HeadingNoise.from_sigma(0.02)
    )
    circle.run(6.0)
    assert circle.eskf.diagnostics.yaw_estimator.recovered == 0


def test_after_a_gap_it_takes_ten_seconds_to_be_believed():
    eskf = coarse()
    circle = Circle(eskf, 0.5)
    circle.run(0.4)
    circle.step += 200  # a second without samples
    circle.run(8.5)
    assert eskf.diagnostics.propagation.coasted == 1
    assert eskf.diagnostics.yaw_estimator.adopted == 0
    circle.run(4.0)
    assert eskf.diagnostics.yaw_estimator.adopted == 1
    assert circle.off() < 12.0


def test_velocities_that_are_too_poor_are_left_out():
    eskf = coarse()
    circle = Circle(eskf, 0.5)
    poor = VelocityNoise.from_sigma(0.5)
    real = eskf.fuse_gnss_velocity

    class Poor:
        def __getattr__(self, name):
            return getattr(eskf, name)

        def fuse_gnss_velocity(self, time, z, noise, *, frame):
            return real(time, z, poor, frame=frame)

    circle.eskf = Poor()
    circle.run(15.0)
    assert eskf.diagnostics.yaw_estimator.adopted == 0


def test_it_changes_nothing_where_the_heading_is_right():
    results = []
    for on in (True, False):
        eskf = seeded(replace(CONFIG, yaw_estimator=on), yaw=1.0)
        circle = Circle(eskf, 1.0).run(20.0)
        eskf.fuse_gnss_position(eskf.time, [0, 0, 0], PositionNoise.from_sigma(100.0), frame=frames.NED)
        results.append(eskf.velocity)
        assert circle.off() < 5.0
    np.testing.assert_array_equal(*results)


def test_on_its_tail_it_works_as_well():
    # Body x up: yaw is a turn about body -x, and "the heading of body x" means nothing.
    tail = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # columns: body axes in NED, north belly forward
    turn = 1.2
    c, s = np.cos(turn), np.sin(turn)
    truth = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ tail
    eskf = Eskf(CONFIG)
    start = Attitude.from_rotation(
        Rotation.from_matrix(tail.astype(float), source=frames.FRD, target=frames.NED)
    )
    sigmas = np.repeat([1.0, 0.3, 0.02, 0.05, 0.001], 3)
    sigmas[6] = 0.02
    eskf.initialize_from(State(start), np.diag(sigmas**2), 0)
    rng = np.random.default_rng(2)
    for step in range(1, 6001):
        t = step / 200
        a = 3.0 * np.array([np.cos(0.8 * t), np.sin(0.8 * t), 0])
        eskf.predict_rates(
            round(t * NANO), [0, 0, 0], truth.T @ (a - [0, 0, GRAVITY]), 1 / 200, frame=frames.FRD
        )
        if step % 20 == 0:
            v = 3.0 / 0.8 * np.array([np.sin(0.8 * t), 1 - np.cos(0.8 * t), 0])
            eskf.fuse_gnss_velocity(
                eskf.time, v + 0.05 * rng.standard_normal(3), VelocityNoise.from_sigma(0.2), frame=frames.NED
            )
    assert eskf.diagnostics.yaw_estimator.recovered >= 1
    error = truth.T @ eskf.attitude.rotation.as_matrix()
    assert np.degrees(np.arccos((np.trace(error) - 1) / 2)) < 10.0
