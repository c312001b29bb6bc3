"""Poses: rotations with translations, under the same law of frames."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from boresight import Pose, Rotation
from boresight.errors import FrameError, InvalidRowsError
from boresight.frames import ENU, ESU, FLU, FRD, FRU, NED, Frame, Unframed


class Camera(Frame, axes="RDF", of="camera"):
    """Something else than a body."""


RNG = np.random.default_rng(11)


def random_pose(source: type[Frame], target: type[Frame], shape: tuple[int, ...] = (5,)) -> Pose[Any, Any]:
    R = Rotation.from_quat(RNG.normal(size=(*shape, 4)), order="xyzw", source=source, target=target)
    return Pose(R, RNG.normal(size=(*shape, 3)))


BODY = random_pose(FRD, NED)
OTHER = random_pose(FRD, NED)
MOUNT = random_pose(Camera, FRD, ())


def close(a: Any, b: Any, tolerance: float = 4e-15) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max(initial=0) < tolerance)


# ---- in ----------------------------------------------------------------------------------------


def test_a_pose_is_a_rotation_and_a_translation() -> None:
    R = Rotation.from_rotvec([0.1, 0.2, 0.3], source=FRD, target=NED)
    P = Pose(R, [1, 2, 3])
    assert P.rotation == R
    assert (P.source, P.target, P.shape) == (FRD, NED, ())
    assert (P.translation == [1, 2, 3]).all()
    with pytest.raises(TypeError, match="not of list"):
        Pose([1, 0, 0, 0], [1, 2, 3])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^translation must have shape \(\.\.\., 3\), not"):
        Pose(R, [1, 2])


def test_rotation_and_translation_broadcast() -> None:
    R = Rotation.identity((2, 1))
    P = Pose(R, np.ones((3, 3)))
    assert P.shape == P.rotation.shape == (2, 3)
    assert P.translation.shape == (2, 3, 3)
    assert Pose(Rotation.identity(4), [1, 2, 3])[2].translation.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("a", "b", "both"), [("f4", "f4", "f4"), ("f4", "f8", "f8"), ("f8", "f4", "f8"), ("f8", "i4", "f8")]
)
def test_one_precision(a: str, b: str, both: str) -> None:
    P = Pose(Rotation.from_quat(np.array([1, 0, 0, 0], a), order="wxyz"), np.array([1, 2, 3], b))
    assert P.dtype == P.translation.dtype == P.rotation.dtype == both


def test_matrices_in_and_out() -> None:
    matrix = BODY.as_matrix()
    assert matrix.shape == (5, 4, 4)
    assert (matrix[:, 3] == [0, 0, 0, 1]).all()
    again = Pose.from_matrix(matrix, source=FRD, target=NED)
    assert close(again.as_matrix(), matrix)
    assert close(Pose.from_matrix(matrix[:, :3]).as_matrix(), matrix)
    assert Pose.from_matrix(matrix).source is Unframed
    single = Pose.from_matrix(matrix.astype(np.float32), source=FRD, target=NED)
    assert single.dtype == np.float32
    with pytest.raises(ValueError, match="^m must have shape"):
        Pose.from_matrix(np.ones((2, 4)))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda m: m.__setitem__((1, 3, 0), 0.1), "bottom row is not 0 0 0 1"),
        (lambda m: m.__setitem__((1, 3, 3), np.nan), "bottom row is not 0 0 0 1"),
        (lambda m: m.__setitem__((1, 0, 3), np.nan), "row 1 is no translation: not finite"),
        (lambda m: m.__setitem__((1, 0, 0), np.inf), "row 1 is no rotation matrix: not finite"),
        (lambda m: m.__setitem__((1, slice(3), slice(3)), np.diag([1, 1, -1])), "reflection"),
    ],
)
def test_a_bad_matrix_is_named_or_a_row_of_nan(spoil: Any, reason: str) -> None:
    matrix = BODY.as_matrix()
    spoil(matrix)
    with pytest.raises(InvalidRowsError, match=reason) as caught:
        Pose.from_matrix(matrix)
    assert caught.value.row == (1,)
    P = Pose.from_matrix(matrix, invalid="nan")
    numbers = np.concatenate([P.rotation.as_quat(order="xyzw"), P.translation], axis=-1)
    assert np.isnan(numbers).all(axis=-1).tolist() == [False, True, False, False, False]
    assert np.isfinite(numbers[[0, 2, 3, 4]]).all()


def test_a_bad_translation_or_rotation_spoils_the_row_and_no_other() -> None:
    q = np.tile([1.0, 0, 0, 0], (4, 1))
    q[1] = 0
    t = np.ones((4, 3))
    t[2, 1] = np.inf
    R = Rotation.from_quat(q, order="wxyz", invalid="nan")
    with pytest.raises(InvalidRowsError, match="row 2 is no translation: not finite"):
        Pose(R, t)
    P = Pose(R, t, invalid="nan")
    assert np.isnan(P.as_matrix()[..., :3, :]).all(axis=(1, 2)).tolist() == [False, True, True, False]
    assert Pose(Rotation.identity(), [1e200, 0, 0]).translation[0] == 1e200


def test_frames_both_or_none() -> None:
    for make, values in ((Pose.from_matrix, np.eye(4)), (Pose.exp, np.zeros(6)), (Pose.identity, ())):
        assert make(values).source is Unframed
        assert make(values, source=FRD, target=NED).target is NED
        with pytest.raises(FrameError, match="without target="):
            make(values, source=FRD)  # type: ignore[call-overload]
        with pytest.raises(FrameError, match="without source="):
            make(values, target=NED)  # type: ignore[call-overload]
        with pytest.raises(FrameError, match="left-handed"):
            make(values, source=FRU, target=NED)


# ---- algebra -----------------------------------------------------------------------------------


def test_composition_is_the_product_of_matrices() -> None:
    composed = BODY @ MOUNT
    assert (composed.source, composed.target, composed.shape) == (Camera, NED, (5,))
    assert close(composed.as_matrix(), BODY.as_matrix() @ MOUNT.as_matrix())


def test_the_inverse_undoes() -> None:
    back = BODY.inv()
    assert (back.source, back.target) == (NED, FRD)
    assert close((BODY @ back).as_matrix(), np.eye(4))
    assert close(back.as_matrix(), np.linalg.inv(BODY.as_matrix()), 1e-14)


def test_apply_moves_points_and_the_rotation_turns_directions() -> None:
    p = RNG.normal(size=(5, 3))
    assert close(BODY.apply(p), BODY.rotation.apply(p) + BODY.translation)
    assert close(BODY.inv().apply(BODY.apply(p)), p)
    assert BODY.reshape(5, 1).apply(np.ones((7, 3))).shape == (5, 7, 3)


def test_exp_is_that_of_the_matrix_and_log_undoes_it() -> None:
    twist = RNG.normal(size=(20, 6))
    twist[:5, 3:] *= 1e-9
    for row, matrix in zip(twist, Pose.exp(twist).as_matrix(), strict=True):
        x, y, z = row[3:]
        generator = np.array([[0, -z, y, row[0]], [z, 0, -x, row[1]], [-y, x, 0, row[2]], [0, 0, 0, 0]])
        assert close(matrix, expm(generator), 1e-14)
    assert close(Pose.exp(twist).log(), twist, 1e-14)
    assert Pose.exp(np.zeros(6)) == Pose.identity()
    with pytest.raises(InvalidRowsError, match="row 0 is no twist: not finite"):
        Pose.exp([[np.nan, 0, 0, 0, 0, 0]])
    assert np.isnan(Pose.exp([np.nan, 0, 0, 0, 0, 0], invalid="nan").translation).all()


def test_a_straight_interpolation_is_slerp_and_a_line() -> None:
    middle = BODY.interpolate(OTHER, 0.25)
    assert close(middle.translation, 0.75 * BODY.translation + 0.25 * OTHER.translation)
    assert middle.rotation == BODY.rotation.slerp(OTHER.rotation, 0.25)
    assert (BODY.interpolate(OTHER, 1).translation == OTHER.translation).all()
    assert (BODY.interpolate(OTHER, 0).translation == BODY.translation).all()


def test_a_screw_interpolation_is_one_twist() -> None:
    step = (BODY.inv() @ OTHER).log()
    assert close(
        BODY.interpolate(OTHER, 0.25, path="screw").as_matrix(),
        (BODY @ Pose.exp(0.25 * step, source=FRD, target=FRD)).as_matrix(),
    )
    assert close(BODY.interpolate(OTHER, 1, path="screw").as_matrix(), OTHER.as_matrix(), 1e-14)
    with pytest.raises(ValueError, match="path="):
        BODY.interpolate(OTHER, 0.5, path="curved")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["straight", "screw"])
def test_interpolation_broadcasts_and_keeps_precision(path: Any) -> None:
    one, other = BODY[0], OTHER[0]
    assert one.interpolate(other, np.linspace(0, 1, 7), path=path).shape == (7,)
    assert BODY.reshape(5, 1).interpolate(OTHER.reshape(5, 1), [0, 0.5, 1], path=path).shape == (5, 3)
    single = Pose(Rotation.from_quat(np.array([1, 0, 0, 0], "f4"), order="wxyz"), np.ones(3, "f4"))
    assert single.interpolate(single, 0.5, path=path).dtype == np.float32


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (BODY, r"^cannot compose Pose\[FRD → NED\] with Pose\[FRD → NED\]: FRD is not NED$"),
        (Pose.identity(), "Unframed; name the frames with .between"),
        (BODY.rotation, r"with a value of type Rotation; poses compose with poses"),
        (np.eye(4), "a value of type ndarray"),
    ],
)
def test_what_does_not_compose_says_why(other: Any, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        BODY @ other


@pytest.mark.parametrize("left", [np.eye(4), [1, 2]], ids=["matrix", "list"])
def test_what_does_not_compose_from_the_left(left: Any) -> None:
    with pytest.raises(FrameError, match=r"with Pose\[FRD → NED\]"):
        left @ BODY


@pytest.mark.parametrize("other", [MOUNT, BODY.inv(), BODY.rotation, Pose.identity()])
def test_interpolation_needs_the_same_two_frames(other: Any) -> None:
    with pytest.raises(FrameError, match=r"cannot interpolate Pose\[FRD → NED\]"):
        BODY.interpolate(other, 0.5)


# ---- frames ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target", "signs"), [(FLU, ENU, (1, -1, -1)), (FRU, ESU, (1, 1, -1))])
def test_a_reframe_keeps_every_arrow(
    source: type[Frame], target: type[Frame], signs: tuple[int, ...]
) -> None:
    reframed = BODY.reframe(source=source, target=target)
    assert (reframed.source, reframed.target) == (source, target)
    point = np.array([0.3, 0.4, 0.5])
    north, east, down = np.moveaxis(BODY.apply(point), -1, 0)
    wanted = np.stack([east, north if target is ENU else -north, -down], axis=-1)
    assert close(reframed.apply(point * signs), wanted)
    assert close(reframed.reframe(source=FRD, target=NED).as_matrix(), BODY.as_matrix())


def test_a_reframe_that_is_none_is_refused() -> None:
    with pytest.raises(FrameError, match="FRD belongs to 'body' and Camera to 'camera'"):
        BODY.reframe(source=Camera, target=NED)
    with pytest.raises(FrameError, match="left-handed"):
        BODY.reframe(source=FRU, target=NED)


def test_between_names_or_checks() -> None:
    bare = Pose.exp([1, 2, 3, 0.1, 0.2, 0.3])
    named = bare.between(FRD, NED)
    assert (named.source, named.target) == (FRD, NED)
    assert (named.as_matrix() == bare.as_matrix()).all()
    assert named.between(FRD, NED) == named
    with pytest.raises(FrameError, match=r"Pose\[FRD → NED\] is not between FLU and NED"):
        named.between(FLU, NED)


# ---- as a value --------------------------------------------------------------------------------


def test_equality_and_hash() -> None:
    q = BODY.rotation.as_quat(order="xyzw")
    again = Pose(Rotation.from_quat(-q, order="xyzw", source=FRD, target=NED), BODY.translation)
    assert again == BODY
    assert hash(again) == hash(BODY)
    assert BODY != OTHER
    assert Pose(BODY.rotation, BODY.translation + 1) != BODY
    assert BODY.rotation != BODY


def test_pickle_and_copies() -> None:
    again = pickle.loads(pickle.dumps(BODY))
    assert again == BODY
    assert not again.translation.flags.writeable
    assert copy.copy(BODY) is copy.deepcopy(BODY) is BODY


def test_nothing_is_shared_and_nothing_changes() -> None:
    t = np.ones(3)
    P = Pose(Rotation.identity(), t)
    t[:] = 9
    P.as_matrix()[:] = 9
    assert (P.translation == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        P.translation[0] = 2
    for name in ("source", "rotation", "translation"):
        with pytest.raises(AttributeError):
            setattr(P, name, None)
    with pytest.raises(TypeError, match="Pose is no array"):
        np.asarray(P)
    # Making a pose of a rotation with NaN in it leaves that rotation as it was.
    R = Rotation.identity(2)
    Pose(R, [[np.nan, 0, 0], [0, 0, 0]], invalid="nan")
    assert np.isfinite(R.as_matrix()).all()


def test_a_batch_is_indexed_and_iterated() -> None:
    assert BODY[1].translation.tolist() == BODY.translation[1].tolist()
    assert BODY[1:3].shape == (2,)
    assert BODY[1].rotation == BODY.rotation[1]
    assert [P.shape for P in BODY] == [()] * 5
    assert len(BODY) == 5
    with pytest.raises(TypeError, match="a single Pose"):
        len(MOUNT)


def test_repr() -> None:
    P = Pose(Rotation.identity(source=FRD, target=NED), [1, 2, 0.5])
    assert repr(P) == "Pose[FRD → NED]((w=1.0, x=0.0, y=0.0, z=0.0), translation=(1.0, 2.0, 0.5))"
    assert repr(BODY) == "Pose[FRD → NED](shape=(5,))"


def test_empty_batches() -> None:
    empty = Pose(Rotation.identity(0), np.zeros((0, 3)))
    assert (empty @ empty).shape == empty.inv().shape == (0,)
    assert empty.log().shape == (0, 6)
    assert empty.as_matrix().shape == (0, 4, 4)
    assert Pose.from_matrix(np.zeros((0, 4, 4))).shape == (0,)
    assert empty.interpolate(empty, 0.5).shape == (0,)
