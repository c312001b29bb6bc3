"""Axis and angle, Rodrigues parameters, heading and tilt, two axes, matrices of poses: what is refused, and why."""

from __future__ import annotations

import numpy as np
import pytest

from boresight import kernels
from boresight.errors import InvalidRowsError

Q = kernels.from_quaternion(np.random.default_rng(0).normal(size=(40, 4)), order="xyzw")


def test_bad_rows_of_other_forms_are_named() -> None:
    row = np.array([[1.0, 0, 0], [0, 0, 0], [0, np.nan, 0]])
    for call, reason in (
        (lambda: kernels.from_axis_angle(row[:2], 1.0, degrees=True), "row 1 is no axis: zero length"),
        (lambda: kernels.from_axis_angle(row[::2], 1.0, degrees=True), "row 1 is no axis: not finite"),
        (
            lambda: kernels.from_axis_angle(row[0], [0.0, np.inf], degrees=False),
            "row 1 is no angle: not finite",
        ),
        (
            lambda: kernels.from_modified_rodrigues(row),
            "row 2 is no set of modified Rodrigues .*: not finite",
        ),
        (
            lambda: kernels.from_heading_tilt([0, 1, 2], row[:, :2]),
            "row 2 is no heading with tilt: not finite",
        ),
        (lambda: kernels.from_two_axes("xy", row[0], 2 * row[0]), "the two are parallel"),
        (lambda: kernels.pose_make([0, 0, 0, 1], row), "row 2 is no translation: not finite"),
        (lambda: kernels.pose_exp(np.hstack([row, row]), invalid="raise"), "row 2 is no twist: not finite"),
    ):
        with pytest.raises(InvalidRowsError, match=reason):
            call()
    good = np.eye(4)
    for change, reason in (
        (lambda m: m.__setitem__((3, 0), 1e-3), "row 1 is no pose: its bottom row"),
        (lambda m: m.__setitem__((3, 3), np.nan), "row 1 is no pose: its bottom row"),
        (lambda m: m.__setitem__((2, 2), -1), "row 1 is no rotation matrix: a reflection"),
        (lambda m: m.__setitem__((0, 3), np.inf), "row 1 is no translation: not finite"),
    ):
        bad = np.eye(4)
        change(bad)
        with pytest.raises(InvalidRowsError, match=reason):
            kernels.pose_from_matrix([good, bad])
        q, t = kernels.pose_from_matrix([good, bad], invalid="nan")
        assert np.isnan(q[1]).all() and np.isnan(t[1]).all() and np.isfinite(q[0]).all()
    with pytest.raises(InvalidRowsError, match="row 1 is no rotation matrix: no single rotation"):
        kernels.pose_from_matrix([good, np.diag([1.0, 0, 0, 1])], project=True)
    # A row of NaN that was let through before is no fault of the translation's.
    q, t = kernels.pose_make([[np.nan, 0, 0, 1], [0, 0, 0, 1]], [1.0, 2.0, 3.0])
    assert np.isnan(q[0]).all() and t.tolist() == [[1, 2, 3], [1, 2, 3]]
    q, t = kernels.pose_make([np.nan, 0, 0, 1], [1.0, 2.0, 3.0], invalid="nan")
    assert np.isnan(q).all() and np.isnan(t).all()


def test_axis_and_angle_there_and_back() -> None:
    axis, angle = kernels.to_axis_angle(Q, degrees=True)
    back = kernels.from_axis_angle(axis, angle, degrees=True)
    assert np.allclose(back, kernels.to_quaternion(Q, order="xyzw", canonical=True), rtol=0, atol=4e-16)
    assert np.allclose(axis * np.radians(angle)[:, None], kernels.log(Q), rtol=0, atol=1e-15)
    still, none = kernels.to_axis_angle([0, 0, 0, -1], degrees=False)
    assert still.tolist() == [1, 0, 0] and none == 0
    tiny, least = kernels.to_axis_angle(kernels.exp([0, 0, -1e-310]), degrees=False)
    assert tiny.tolist() == [0, 0, -1] and least == pytest.approx(1e-310, rel=1e-12)
    assert type(least) is np.float64
    for degrees, turn in ((True, 360.0 * 12345.0 + 90.0), (False, 1e6)):
        q = kernels.from_axis_angle([0, 3, 0], turn, degrees=degrees)
        half = np.radians(turn % 720) / 2 if degrees else turn / 2
        assert np.allclose(q, [0, np.sin(half), 0, np.cos(half)], rtol=0, atol=2e-16)
