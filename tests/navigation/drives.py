"""Short flights for the filter's tests: level and straight ones, driven sample by sample."""

from __future__ import annotations

import numpy as np
from dense import PLAIN

from boresight import Attitude, frames
from boresight.navigation import (
    AltitudeNoise,
    Eskf,
    HeadingNoise,
    PositionNoise,
    State,
    VelocityNoise,
)

NANO = 1_000_000_000
GRAVITY = 9.80665
SIGMAS = np.repeat([1.0, 0.1, 0.01, 0.05, 0.001], 3)


def seeded(config=PLAIN, *, velocity=(0.0, 0.0, 0.0), yaw=0.0, sigmas=SIGMAS):
    """A filter started level, heading `yaw`, with everything established."""
    eskf = Eskf(config)
    q = [np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]
    state = State(Attitude.from_body_to_ned(q, order="wxyz"), velocity=velocity)
    eskf.initialize_from(state, np.diag(np.square(sigmas)), 0)
    return eskf


def coarse(config=PLAIN):
    """A filter started in motion: nothing is established."""
    eskf = Eskf(config)
    eskf.initialize_coarse(0, [0.0, 0.0, 0.1], [0.2, 0.1, -GRAVITY], frame=frames.FRD)
    return eskf


class Drive:
    """Feeds a filter with a straight and level path of constant velocity, and what its sensors make of it.

    `bias` is added to what a source measures, by the source's name; a source is silent while it is not in `on`.
    """

    def __init__(self, eskf, velocity=(0.0, 0.0, 0.0), *, on=("position", "velocity"), rate=100, yaw=0.0):
        self.eskf, self.velocity, self.on = eskf, np.array(velocity, float), set(on)
        self.rate, self.step, self.bias, self.yaw = rate, 0, {}, yaw
        self.outcomes = {}
        self.position = np.zeros(3)
        self.samples = True

    @property
    def time(self):
        return self.eskf.time

    def run(self, seconds, *, every=0.2):
        """Drive on; measurements come every so many seconds. Returns the outcomes of this stretch by source."""
        self.outcomes = {name: [] for name in self.on}
        each = round(every * self.rate)
        for _ in range(round(seconds * self.rate)):
            self.step += 1
            self.position = self.position + self.velocity / self.rate
            time = round(self.step * NANO / self.rate)
            if self.samples:
                self.eskf.predict_rates(time, [0, 0, 0], [0, 0, -GRAVITY], 1 / self.rate, frame=frames.FRD)
            if self.step % each == 0:
                for name in self.on:
                    self.outcomes[name].append(getattr(self, name + "_")(time))
        return self.outcomes

    def of(self, name, default):
        return default + np.asarray(self.bias.get(name, 0.0))

    def position_(self, time):
        return self.eskf.fuse_gnss_position(
            time, self.of("position", self.position), PositionNoise.from_sigma(0.5), frame=frames.NED
        )

    def velocity_(self, time):
        return self.eskf.fuse_gnss_velocity(
            time, self.of("velocity", self.velocity), VelocityNoise.from_sigma(0.1), frame=frames.NED
        )

    def baro_(self, time):
        return self.eskf.fuse_baro_altitude(
            time, float(self.of("baro", 100.0 - self.position[2])), AltitudeNoise.from_sigma(0.3)
        )

    def mag_(self, time):
        turn = float(self.bias.get("mag", 0.0))
        field = np.array([np.cos(self.yaw + turn), -np.sin(self.yaw + turn), 1.5])
        return self.eskf.fuse_mag_heading(time, field, HeadingNoise.from_sigma(0.05), frame=frames.FRD)

    def heading_(self, time):
        return self.eskf.fuse_gnss_heading(
            time, float(self.of("heading", self.yaw)), HeadingNoise.from_sigma(0.02)
        )

    def course_(self, time):
        return self.eskf.fuse_course(time, HeadingNoise.from_sigma(0.05))

    def stationary_(self, time):
        return self.eskf.fuse_stationary(time, VelocityNoise.from_sigma(0.1))


def names(outcomes):
    return [outcome.name for outcome in outcomes]
