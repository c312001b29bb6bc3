"""A start at rest that stands on its back: an IMU in other axes than it is read in, more likely than a vehicle that does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boresight import Attitude
from boresight.logs import stream_of
from boresight.logs.model import Log
from boresight.navigation import State, initialize_from, run

COUNT = 600
UPWARDS = [0.0, 0.0, 9.80665]  # forward, left, up, read as forward, right, down


def standing(force: list[float], shaking: NDArray[Any] | float = 0.0) -> Log:
    """An IMU that does not turn, in PX4's axes; what shakes it, forward."""
    forces = np.tile(force, (COUNT, 1))
    forces[:, 0] += shaking
    imu = stream_of(
        "imu",
        "px4",
        np.arange(COUNT) * 5_000_000,
        angular_rate=np.zeros((COUNT, 3)),
        specific_force=forces,
    )
    return Log({"imu": imu})


@pytest.mark.parametrize(
    ("force", "said"),
    [
        (UPWARDS, True),
        ([0.0, 4.0, 8.95], True),
        ([0.0, 6.0, 7.76], False),  # 142 degrees over: it lies somehow
        ([0.0, 0.0, -9.80665], False),
        ([9.8, 0.0, 0.36], False),  # on its tail, where the roll says nothing
    ],
)
def test_a_start_upside_down_is_remarked_on(force: list[float], said: bool) -> None:
    found = run(standing(force))
    assert found.start.alignment.is_static
    assert [notice.code for notice in found.notices] == ["upside-down"] * said
    for notice in found.notices:
        assert "run `boresight diagnose`" in notice.message and notice.stream == "imu"


def test_a_seed_is_not_remarked_on() -> None:
    seed = State(Attitude.from_body_to_ned([1.0, 0.0, 0.0, 0.0], order="xyzw"))
    start = initialize_from(seed, np.full(15, 0.01), time=0)
    assert not run(standing(UPWARDS), seed=start).notices


def test_nor_is_a_start_in_motion() -> None:
    found = run(standing(UPWARDS, 8.0 * (-1.0) ** np.arange(COUNT)))
    assert not found.start.alignment.is_static and not found.notices
