"""What recordings without a gyro tell by other means, with Boresight's own conventions."""

from __future__ import annotations

import pytest
from labels import evidence_of
from readings import FIGURES, paf_travel
from recordings import load

from places import data_folder

MOST = {
    "colmap: reprojection, px": (7.0, 1000.0),
    "comma2k19: forward speed against the wheels, m/s": (0.2, 1.0),
    "open3d: log against json": (1e-4, 1.0),
}


def _need_data() -> None:
    if not data_folder().exists():
        pytest.skip(f"the recordings are not in {data_folder()} (set BORESIGHT_DATA)")


@pytest.mark.parametrize("name", MOST)
def test_the_true_reading_fits_and_the_other_does_not(name: str) -> None:
    _need_data()
    right, wrong = FIGURES[name](data_folder())
    most, least = MOST[name]
    assert right < most
    assert wrong > least


def test_every_camera_of_nerf_looks_along_its_minus_z() -> None:
    _need_data()
    right, wrong = FIGURES["nerf: least cosine of the view"](data_folder())
    assert right > 0.9
    assert wrong < -0.9


def test_the_half_converted_car_drives_where_minus_its_yaw_points() -> None:
    _need_data()
    plain, negated = paf_travel(evidence_of(load("paf_02", data_folder())))
    assert negated > 0.98
    assert plain < 0.95
