"""Polar and axial vectors through changes of axes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boresight import Axes, Rotation, frames
from boresight.errors import FrameError
from boresight.frames import ENU, ESU, FLU, FRD, FRU, NED, RUF, Frame, Unframed
from boresight.vectors import reframe_axial, reframe_polar


class Imu(Frame, axes="FRD", of="imu"):
    """Another thing than the body."""


BODY_FRAMES = [FLU, FRD, FRU, RUF, frames.RDF, frames.RUB]


def test_polar_by_hand() -> None:
    assert (reframe_polar([1.0, 2, 3], ENU, NED) == [2, 1, -3]).all()
    assert (reframe_polar([1.0, 2, 3], FLU, FRU) == [1, -2, 3]).all()
    assert (reframe_polar([1.0, 2, 3], FLU, RUF) == [-2, 3, 1]).all()


def test_axial_by_hand() -> None:
    assert (reframe_axial([1.0, 2, 3], FLU, FRD) == [1, -2, -3]).all()
    # To the left, that is by the right-hand rule about up; the left-hand rule counts it negative.
    assert (reframe_axial([0.0, 0, 3], FLU, FRU) == [0, 0, -3]).all()


@pytest.mark.parametrize(("from_", "to"), list(product(BODY_FRAMES, BODY_FRAMES)))
def test_the_product_of_polar_vectors_is_axial(from_: type[Frame], to: type[Frame]) -> None:
    a, b = np.random.default_rng(3).normal(size=(2, 5, 3))
    there = np.cross(reframe_polar(a, from_, to), reframe_polar(b, from_, to))
    assert np.abs(there - reframe_axial(np.cross(a, b), from_, to)).max() < 1e-15
    assert (reframe_axial(reframe_axial(a, from_, to), to, from_) == a).all()
    assert (reframe_polar(reframe_polar(a, from_, to), to, from_) == a).all()


def test_a_reframed_rotation_takes_reframed_vectors_of_both_kinds() -> None:
    R = Rotation.from_rotvec([0.3, -0.8, 0.5], source=FRD, target=NED)
    left = R.reframe(source=FRU, target=ESU)
    v = np.array([0.2, 0.5, -0.9])
    for change in (reframe_polar, reframe_axial):
        assert np.abs(left.apply(change(v, FRD, FRU)) - change(R.apply(v), NED, ESU)).max() < 1e-15


def test_bare_axes_do_as_well() -> None:
    assert (reframe_polar([1.0, 2, 3], Axes("ENU"), Axes("NED")) == [2, 1, -3]).all()
    assert (reframe_polar([1.0, 2, 3], ENU, Axes("NED")) == [2, 1, -3]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 1, 2, 1)])
def test_shape_and_precision_are_kept(shape: tuple[int, ...], dtype: type) -> None:
    v = np.ones((*shape, 3), dtype)
    for change in (reframe_polar, reframe_axial):
        result = change(v, FLU, FRU)
        assert (result.shape, result.dtype) == (v.shape, dtype)
        assert (v == 1).all()
        assert not np.shares_memory(result, v)


def test_no_change_is_a_copy() -> None:
    v = np.ones(3)
    assert not np.shares_memory(reframe_polar(v, FLU, FLU), v)


@pytest.mark.parametrize(
    ("from_", "to", "message"),
    [
        (FRD, Imu, "FRD belongs to 'body' and Imu to 'imu'"),
        (FRD, NED, "'world'"),
        (Axes("FRD"), Axes("NED"), "one is local, the other compass"),
        (Unframed, ENU, "one is free, the other compass"),
        ("FLU", FRD, "a frame is needed here"),
    ],
)
def test_what_is_no_change_of_axes_is_refused(from_: type[Frame], to: type[Frame], message: str) -> None:
    with pytest.raises(FrameError, match=message):
        reframe_polar([1.0, 2, 3], from_, to)
