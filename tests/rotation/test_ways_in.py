"""Making rotations: what comes in, what is refused, and what shares nothing with its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import Rotation, frames
from boresight.errors import FrameError, InvalidRowsError
from boresight.frames import FLU, FRD, FRU, NED, Frame, Unframed, dynamic

Q = np.array([0.5, -0.5, 0.1, 0.7])
Q /= np.linalg.norm(Q)
MATRIX = Rotation.from_quat(Q, order="wxyz").as_matrix()

# Each way in, with values that it takes and their number of axes behind the batch.
WAYS: dict[str, tuple[Callable[..., Rotation[Any, Any]], np.ndarray, int]] = {
    "from_quat": (lambda a, **k: Rotation.from_quat(a, order="wxyz", **k), Q, 1),
    "from_matrix": (Rotation.from_matrix, MATRIX, 2),
    "from_euler": (
        lambda a, **k: Rotation.from_euler("ZYX", a, degrees=False, **k),
        np.array([0.3, 0.2, 0.1]),
        1,
    ),
    "from_rotvec": (Rotation.from_rotvec, np.array([0.3, 0.2, 0.1]), 1),
    "from_axis_angle": (
        lambda a, **k: Rotation.from_axis_angle(a, 0.4, degrees=False, **k),
        np.array([0.3, 0.2, 0.1]),
        1,
    ),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)
SHAPES = [(), (1,), (0,), (3, 1, 2, 1)]


def batch_of(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(values, shape + values.shape).copy()


@EVERY_WAY
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_batch_shape_and_both_precisions(way: str, shape: tuple[int, ...], dtype: type) -> None:
    make, values, _ = WAYS[way]
    R = make(batch_of(values, shape).astype(dtype), source=FRD, target=NED)
    assert (R.shape, R.dtype) == (shape, dtype)
    assert (R.source, R.target) == (FRD, NED)
    one = make(values).as_matrix()
    assert np.abs(R.as_matrix() - one).max(initial=0) < (1e-6 if dtype is np.float32 else 1e-15)


@EVERY_WAY
def test_integers_become_float64(way: str) -> None:
    make, _, axes = WAYS[way]
    values = (
        np.eye(3, dtype=int) if axes == 2 else np.array([1, 0, 0, 0] if way == "from_quat" else [1, 0, 0])
    )
    assert make(values).dtype == np.float64
    assert make(values.tolist()).dtype == np.float64


@EVERY_WAY
@pytest.mark.parametrize("dtype", [np.float16, np.complex128, object])
def test_other_types_are_refused_by_name(way: str, dtype: type) -> None:
    make, values, _ = WAYS[way]
    with pytest.raises(TypeError, match=np.dtype(dtype).name):
        make(values.astype(dtype))


@EVERY_WAY
def test_layout_does_not_matter(way: str) -> None:
    make, values, _ = WAYS[way]
    many = batch_of(values, (6,))
    wanted = make(many).as_quat(order="xyzw")
    read_only = many.copy()
    read_only.setflags(write=False)
    for variant in (read_only, many[::-2], np.asfortranarray(many), many.astype(">f8")):
        got = make(variant).as_quat(order="xyzw")
        assert (got == wanted[: len(variant)]).all()


@EVERY_WAY
def test_nothing_is_shared_and_nothing_is_changed(way: str) -> None:
    make, values, _ = WAYS[way]
    given = batch_of(values, (2,))
    before = given.copy()
    R = make(given)
    first = R.as_quat(order="xyzw")
    assert (given == before).all()
    given[:] = 0
    R.as_quat(order="xyzw")[:] = 0
    assert (R.as_quat(order="xyzw") == first).all()


@EVERY_WAY
def test_the_wrong_number_of_components_is_refused(way: str) -> None:
    make, values, _ = WAYS[way]
    with pytest.raises(ValueError):  # noqa: PT011 - the wording is NumPy's for some
        make(values[..., :2])


# ---- rows that hold no rotation ----------------------------------------------------------------


@EVERY_WAY
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_named_or_made_nan(way: str, bad: float) -> None:
    make, values, axes = WAYS[way]
    many = batch_of(values, (2, 3))
    many[(1, 0, *(0,) * axes)] = bad
    many[(1, 2, *(1,) * axes)] = bad
    with pytest.raises(InvalidRowsError, match="not finite") as caught:
        make(many)
    assert (caught.value.row, caught.value.count) == ((1, 0), 2)
    got = make(many, invalid="nan").as_quat(order="xyzw")
    assert np.isnan(got).all(axis=-1).tolist() == [[False] * 3, [True, False, True]]
    good = make(values).as_quat(order="xyzw")
    assert (got[0] == good).all()
    assert (got[1, 1] == good).all()


@EVERY_WAY
def test_a_single_bad_value(way: str) -> None:
    make, values, _ = WAYS[way]
    with pytest.raises(InvalidRowsError) as caught:
        make(values * np.nan)
    assert caught.value.row == ()
    assert np.isnan(make(values * np.nan, invalid="nan").as_quat(order="xyzw")).all()


@EVERY_WAY
def test_a_policy_that_does_not_exist_is_refused_where_it_matters(way: str) -> None:
    make, values, _ = WAYS[way]
    with pytest.raises(ValueError, match="invalid"):
        make(values * np.nan, invalid="skip")


def test_zero_norm_and_a_zero_axis() -> None:
    with pytest.raises(InvalidRowsError, match="row 1 is no quaternion: zero norm"):
        Rotation.from_quat([[1, 0, 0, 0], [0, 0, 0, 0]], order="wxyz")
    with pytest.raises(InvalidRowsError, match="row 1 is no axis: zero length"):
        Rotation.from_axis_angle([[1, 0, 0], [0, 0, 0]], 0.1, degrees=False)


@pytest.mark.parametrize(
    "matrix", [np.diag([1, 1, -1]), -np.eye(3), np.ones((3, 3)), 2 * np.eye(3), np.zeros((3, 3))]
)
def test_a_reflection_and_what_is_not_orthogonal_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(InvalidRowsError):
        Rotation.from_matrix(matrix)
    assert np.isnan(Rotation.from_matrix(matrix, invalid="nan").as_matrix()).all()


def test_a_noisy_matrix_is_projected_on_demand() -> None:
    noisy = 1.3 * MATRIX + 0.01 * np.ones((3, 3))
    R = Rotation.from_matrix(noisy, project=True)
    u, _, vt = np.linalg.svd(noisy)
    assert np.abs(R.as_matrix() - u @ vt).max() < 1e-14


def test_large_finite_rotation_vectors_are_not_mistaken_for_infinite_ones() -> None:
    assert np.isfinite(Rotation.from_rotvec([1e200, 0, 0]).as_quat(order="xyzw")).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 1e300])
def test_the_scale_of_quaternions_and_axes_does_not_matter(scale: float) -> None:
    assert np.abs(Rotation.from_quat(Q * scale, order="wxyz").as_matrix() - MATRIX).max() < 1e-15
    one = Rotation.from_axis_angle([0.0, 3.0, 4.0], 0.2, degrees=False)
    other = Rotation.from_axis_angle(np.array([0.0, 3.0, 4.0]) * scale, 0.2, degrees=False)
    assert np.abs(one.as_quat(order="xyzw") - other.as_quat(order="xyzw")).max() < 1e-15


# ---- what is named and has no default ----------------------------------------------------------


def test_the_order_is_named() -> None:
    with pytest.raises(TypeError, match="order"):
        Rotation.from_quat([1, 0, 0, 0])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="order"):
        Rotation.from_quat([1, 0, 0, 0], order="zyxw")  # type: ignore[call-overload]
    xyzw = Rotation.from_quat([1, 2, 3, 4], order="xyzw")
    assert xyzw == Rotation.from_quat([4, 1, 2, 3], order="wxyz")


def test_the_unit_is_named() -> None:
    for call in (
        lambda: Rotation.from_euler("ZYX", [1, 2, 3]),  # type: ignore[call-overload]
        lambda: Rotation.identity().as_euler("ZYX"),  # type: ignore[call-arg]
        lambda: Rotation.from_axis_angle([0, 0, 1], 1),  # type: ignore[call-overload]
    ):
        with pytest.raises(TypeError, match="degrees"):
            call()


def test_there_is_no_bare_constructor() -> None:
    with pytest.raises(TypeError, match="Rotation has no bare constructor"):
        Rotation()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="from_quat"):
        Rotation([1, 0, 0, 0])  # type: ignore[call-arg,misc]


# ---- frames ------------------------------------------------------------------------------------


@EVERY_WAY
def test_frames_both_or_none(way: str) -> None:
    make, values, _ = WAYS[way]
    bare = make(values)
    assert bare.source is bare.target is Unframed
    with pytest.raises(FrameError, match="source= is given without target="):
        make(values, source=FRD)
    with pytest.raises(FrameError, match="target= is given without source="):
        make(values, target=NED)


@EVERY_WAY
@pytest.mark.parametrize(
    ("source", "target"), [(FRU, NED), (FLU, frames.ESU), ("FRD", "NED"), (Frame, NED), (FRD, FRD.axes)]
)
def test_frames_that_cannot_stand_together(way: str, source: Any, target: Any) -> None:
    make, values, _ = WAYS[way]
    with pytest.raises(FrameError):
        make(values, source=source, target=target)


def test_two_left_handed_frames_are_fine() -> None:
    R = Rotation.identity(source=FRU, target=frames.ESU)
    assert R.source.axes.handedness == R.target.axes.handedness == "left"


def test_frames_of_run_time() -> None:
    base, odom = dynamic("base_link", axes="FLU"), dynamic("odom", axes="FLU", of="world")
    R = Rotation.identity(source=base, target=odom)
    assert repr(R).startswith("Rotation[base_link → odom](")


# ---- the other ways in -------------------------------------------------------------------------


def test_axis_and_angle_broadcast() -> None:
    R = Rotation.from_axis_angle([[1, 0, 0], [0, 2, 0]], [[10], [20], [30]], degrees=True)
    assert R.shape == (3, 2)
    assert np.abs(np.degrees(R.as_rotvec()[2]) - [[30, 0, 0], [0, 30, 0]]).max() < 1e-13


def test_axis_and_angle_are_the_rotation_vector() -> None:
    v = np.array([0.3, -0.2, 0.9])
    one = Rotation.from_axis_angle(v, np.linalg.norm(v), degrees=False)
    assert np.abs(one.as_quat(order="xyzw") - Rotation.from_rotvec(v).as_quat(order="xyzw")).max() < 2e-16


def test_identity_of_a_shape() -> None:
    assert (Rotation.identity().as_matrix() == np.eye(3)).all()
    assert Rotation.identity(3).shape == (3,)
    assert Rotation.identity((2, 0)).shape == (2, 0)


def test_concatenate() -> None:
    one = Rotation.from_rotvec([[0.1, 0, 0], [0.2, 0, 0]], source=FRD, target=NED)
    single = Rotation.from_rotvec([0.3, 0, 0], source=FRD, target=NED)
    joined = Rotation.concatenate([one, single])
    assert np.abs(joined.as_rotvec()[:, 0] - [0.1, 0.2, 0.3]).max() < 1e-15
    assert (joined.source, joined.target) == (FRD, NED)
    two = Rotation.identity((2, 3))
    assert Rotation.concatenate([two, two], axis=-1).shape == (2, 6)
    with pytest.raises(
        FrameError, match=r"cannot concatenate Rotation\[FRD → NED\] and Rotation\[NED → FRD\]"
    ):
        Rotation.concatenate([one, one.inv()])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="nothing to concatenate"):
        Rotation.concatenate([])
