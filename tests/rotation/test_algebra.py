"""Rotations of rotations, and the frames that guard them."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation, frames
from boresight.errors import FrameError
from boresight.frames import ENU, ESU, FLU, FRD, FRU, NED, NWU, RDF, Frame, dynamic


class Camera(Frame, axes="RDF", of="camera"):
    """Something else than a body."""


RNG = np.random.default_rng(7)
BODY = Rotation.from_quat(RNG.normal(size=(5, 4)), order="xyzw", source=FRD, target=NED)
OTHER = Rotation.from_quat(RNG.normal(size=(5, 4)), order="xyzw", source=FRD, target=NED)
MOUNT = Rotation.from_quat(RNG.normal(size=4), order="xyzw", source=Camera, target=FRD)
SPIN = Rotation.from_quat(RNG.normal(size=(5, 4)), order="xyzw", source=FRD, target=FRD)


def close(a: Any, b: Any, tolerance: float = 2e-15) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max(initial=0) < tolerance)


def test_composition_is_the_product_of_matrices() -> None:
    composed = BODY @ MOUNT
    assert (composed.source, composed.target, composed.shape) == (Camera, NED, (5,))
    assert close(composed.as_matrix(), BODY.as_matrix() @ MOUNT.as_matrix())


def test_composition_applies_the_right_one_first() -> None:
    v = RNG.normal(size=(5, 3))
    assert close((BODY @ SPIN).apply(v), BODY.apply(SPIN.apply(v)))


def test_batches_broadcast() -> None:
    column = SPIN.reshape(5, 1)
    assert (BODY @ column).shape == (5, 5)
    assert column.apply(np.ones((7, 3))).shape == (5, 7, 3)
    assert (SPIN ** np.linspace(0, 1, 3)[:, None]).shape == (3, 5)
    assert BODY.slerp(OTHER, 0.5).shape == (5,)
    assert BODY[0].slerp(OTHER[0], [0, 0.5, 1]).shape == (3,)


def test_the_inverse_swaps_frames_and_undoes() -> None:
    back = BODY.inv()
    assert (back.source, back.target) == (NED, FRD)
    assert close((back @ BODY).as_matrix(), np.eye(3))
    assert (BODY @ back).source is NED


def test_a_power_is_a_multiple_of_the_rotation_vector() -> None:
    assert close((SPIN**0.3).as_rotvec(), 0.3 * SPIN.as_rotvec())
    assert close((SPIN**-1).as_matrix(), SPIN.inv().as_matrix())
    assert close((SPIN**0).as_matrix(), np.eye(3))


def test_slerp_starts_and_ends_at_its_ends_and_takes_the_shorter_way() -> None:
    assert close(BODY.slerp(OTHER, 0).as_matrix(), BODY.as_matrix())
    assert close(BODY.slerp(OTHER, 1).as_matrix(), OTHER.as_matrix())
    step = BODY.inv() @ OTHER
    assert close(BODY.slerp(OTHER, 0.3).as_matrix(), (BODY @ step**0.3).as_matrix())
    q = BODY.as_quat(order="xyzw")
    negated = Rotation.from_quat(-q, order="xyzw", source=FRD, target=NED)
    assert close(BODY.slerp(negated, 0.5).as_matrix(), BODY.as_matrix())


def test_the_angle() -> None:
    assert close(BODY.angle(), np.linalg.norm(BODY.as_rotvec(), axis=-1))


def test_euler_angles_and_the_pole() -> None:
    R = Rotation.from_euler("ZYX", [[40, 90, 25], [30, 20, 10]], degrees=True)
    assert R.at_pole("ZYX").tolist() == [True, False]
    angles = R.as_euler("ZYX", degrees=True)
    assert close(angles, [[15, 90, 0], [30, 20, 10]], 1e-13)
    assert close(Rotation.from_euler("ZYX", angles, degrees=True).as_matrix(), R.as_matrix())
    assert close(R.as_euler("ZYX", degrees=False), np.radians(angles), 1e-15)
    # Lower case is extrinsic: the same turns in the other order.
    assert close(Rotation.from_euler("xyz", [10, 20, 30], degrees=True).as_matrix(), R[1].as_matrix())


def test_the_canonical_sign() -> None:
    R = Rotation.from_quat([[-0.5, 0.5, 0.5, 0.5], [0, -0.6, 0, 0.8]], order="wxyz")
    assert (R.as_quat(order="wxyz")[0] == [-0.5, 0.5, 0.5, 0.5]).all()
    canonical = R.as_quat(order="wxyz", canonical=True)
    assert (canonical == [[0.5, -0.5, -0.5, -0.5], [0, 0.6, 0, -0.8]]).all()


# ---- what does not compose ---------------------------------------------------------------------


class FrameOfACamera(Frame, axes="RDF", of="camera"):
    """Shows under its own name in the message."""


def test_the_message_names_both_chains() -> None:
    mount = Rotation.identity(source=FrameOfACamera, target=FLU)
    with pytest.raises(
        FrameError,
        match=r"^cannot compose Rotation\[FRD → NED\] with Rotation\[FrameOfACamera → FLU\]: FRD is not FLU$",
    ):
        BODY @ mount  # type: ignore[operator]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Rotation.identity(), "FRD is not Unframed; name the frames with .between"),
        (np.eye(3), r"cannot compose Rotation\[FRD → NED\] with a value of type ndarray; make a Rotation"),
        ([1, 0, 0, 0], "a value of type list"),
        (Pose.identity(), r"a value of type Pose; .*Pose\(rotation, \[0, 0, 0\]\)"),
        (None, "a value of type NoneType"),
    ],
)
def test_what_does_not_compose_says_why(other: Any, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        BODY @ other


@pytest.mark.parametrize("left", [np.eye(3), np.zeros((5, 4)), [1, 2]], ids=["matrix", "rows", "list"])
def test_an_array_on_the_left_is_our_error(left: Any) -> None:
    with pytest.raises(FrameError, match=r"cannot compose a value of type .* with Rotation\[FRD → NED\]"):
        left @ BODY


def test_a_frame_error_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        BODY @ BODY  # type: ignore[operator]


@pytest.mark.parametrize("other", [MOUNT, BODY.inv(), SPIN, Rotation.identity()])
def test_slerp_needs_the_same_two_frames(other: Any) -> None:
    with pytest.raises(FrameError, match=r"cannot slerp Rotation\[FRD → NED\] to Rotation\["):
        BODY.slerp(other, 0.5)


def test_a_power_needs_one_frame() -> None:
    with pytest.raises(FrameError, match=r"cannot raise Rotation\[FRD → NED\] to a power: FRD is not NED"):
        BODY**2  # type: ignore[operator]


def test_frames_that_are_equal_and_not_identical_compose() -> None:
    namespace: dict[str, Any] = {"Frame": Frame, "__name__": "__main__"}
    cell = "class BaseLink(Frame, axes='FLU'): ..."
    exec(cell, namespace)
    first = namespace["BaseLink"]
    exec(cell, namespace)
    second = namespace["BaseLink"]
    assert first is not second
    R = Rotation.identity(source=first, target=ENU) @ Rotation.identity(source=FLU, target=second)
    assert (R.source, R.target) == (FLU, ENU)
    assert (Rotation.identity(source=first, target=second) ** 2).source is first


def test_a_dynamic_frame_checks_like_any_other() -> None:
    base = dynamic("base_link", axes="FLU")
    R = Rotation.identity(source=base, target=ENU)
    R @ Rotation.identity(source=FLU, target=dynamic("base_link", axes="FLU"))
    with pytest.raises(FrameError, match="base_link is not arm_link"):
        R @ Rotation.identity(source=FLU, target=dynamic("arm_link", axes="FLU"))


# ---- reframe and between -----------------------------------------------------------------------


def test_a_reframe_is_the_same_physical_rotation() -> None:
    reframed = BODY.reframe(source=FLU, target=ENU)
    assert (reframed.source, reframed.target) == (FLU, ENU)
    # Nose up, seen from both: the arrow is the same.
    forward_left_up = np.array([0.3, 0.4, 0.5])
    x, y, z = np.moveaxis(BODY.apply(forward_left_up * [1, -1, -1]), -1, 0)
    assert close(reframed.apply(forward_left_up), np.stack([y, x, -z], axis=-1))


def test_a_reframe_through_a_mirror_keeps_every_arrow() -> None:
    left = BODY.reframe(source=FRU, target=ESU)
    north, east, down = np.moveaxis(BODY.apply([1.0, 0.2, -0.3]), -1, 0)
    assert close(left.apply([1.0, 0.2, 0.3]), np.stack([east, -north, -down], axis=-1))
    assert close(left.reframe(source=FRD, target=NED).as_matrix(), BODY.as_matrix())


def test_a_reframe_of_one_side_is_said_by_naming_the_other_again() -> None:
    R = BODY.reframe(source=RDF, target=NED)
    assert close(R.apply([0, 0, 1.0]), BODY.apply([1.0, 0, 0]))


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (Camera, NED, "FRD belongs to 'body' and Camera to 'camera'"),
        (FRU, NED, "FRU is left-handed and NED is right-handed"),
        (NED, NED, "FRD belongs to 'body' and NED to 'world'"),
        (dynamic("local", axes="ENU", of="body"), NED, "one is local, the other compass"),
        (FLU, frames.ECEF, "NED belongs to 'world' and ECEF to 'earth'"),
        (FLU, None, "source= is given without target="),
        ("FLU", "ENU", "a frame is needed here"),
    ],
)
def test_a_reframe_that_is_none_is_refused(source: Any, target: Any, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        BODY.reframe(source=source, target=target)


def test_an_unframed_rotation_cannot_be_reframed() -> None:
    with pytest.raises(FrameError):
        Rotation.identity().reframe(source=FLU, target=ENU)


def test_between_names_and_changes_no_number() -> None:
    bare = Rotation.from_quat([0.1, 0.2, 0.3, 0.4], order="xyzw")
    named = bare.between(FRD, NED)
    assert (named.source, named.target) == (FRD, NED)
    assert (named.as_quat(order="xyzw") == bare.as_quat(order="xyzw")).all()
    assert bare.between(FRU, ESU).source is FRU


def test_between_checks_the_claim_on_a_framed_one() -> None:
    assert BODY.between(FRD, NED) == BODY
    with pytest.raises(
        FrameError, match=r"Rotation\[FRD → NED\] is not between FLU and NED: FRD is not FLU.*reframe"
    ):
        BODY.between(FLU, NED)
    with pytest.raises(FrameError, match="NED is not NWU"):
        BODY.between(FRD, NWU)
    with pytest.raises(FrameError, match="left-handed"):
        Rotation.identity().between(FRU, NED)


# ---- as a value --------------------------------------------------------------------------------


def test_a_batch_is_indexed_as_an_array_of_its_shape() -> None:
    q = RNG.normal(size=(4, 3, 4))
    R = Rotation.from_quat(q, order="xyzw", source=FRD, target=NED)
    plain = np.arange(12).reshape(4, 3)
    flat = R.as_quat(order="xyzw").reshape(12, 4)
    for index in (
        0,
        -1,
        slice(1, 3),
        (2, 1),
        (..., 0),
        (slice(None), [0, 2]),
        [3, 0],
        plain % 2 == 0,
        (None, 1),
        np.int64(2),
    ):
        part = R[index]
        assert part.shape == plain[index].shape
        assert (part.as_quat(order="xyzw") == flat[plain[index]]).all()
        assert (part.source, part.target) == (FRD, NED)
    for index in (4, (0, 3), (0, 0, 0), (..., 0, 0, 0)):
        with pytest.raises(IndexError):
            R[index]
    assert [r.shape for r in R] == [(3,)] * 4
    assert len(R) == 4
    assert [close(a.as_matrix(), b.as_matrix()) for a, b in zip(R[0], R[0], strict=True)] == [True] * 3


@pytest.mark.parametrize("use", [len, iter, lambda R: R[0]], ids=["len", "iter", "index"])
def test_a_single_rotation_is_no_sequence(use: Any) -> None:
    with pytest.raises(TypeError, match="a single Rotation"):
        use(MOUNT)


def test_empty_batches_work_everywhere() -> None:
    empty = Rotation.from_quat(np.zeros((0, 4)), order="wxyz", source=FRD, target=FRD)
    assert (empty @ empty).shape == empty.inv().shape == (empty**2).shape == (0,)
    assert empty.slerp(empty, 0.5).shape == (0,)
    assert empty.apply(np.zeros((0, 3))).shape == (0, 3)
    assert empty.as_matrix().shape == (0, 3, 3)
    assert empty.reframe(source=FLU, target=FLU).as_euler("ZYX", degrees=True).shape == (0, 3)
    assert list(empty) == []
    assert empty == empty.inv()


def test_equality_is_of_rotations_and_frames() -> None:
    q = BODY.as_quat(order="xyzw")
    assert Rotation.from_quat(-q, order="xyzw", source=FRD, target=NED) == BODY
    assert hash(Rotation.from_quat(-q, order="xyzw", source=FRD, target=NED)) == hash(BODY)
    assert Rotation.from_quat(q, order="xyzw") != BODY
    assert BODY[:2] != BODY
    assert OTHER != BODY
    assert BODY != "BODY"
    single = Rotation.from_quat(np.array([1, 0, 0, 0], np.float32), order="wxyz")
    assert single == Rotation.identity()
    assert hash(single) == hash(Rotation.identity())


@pytest.mark.parametrize(
    "R", [BODY, MOUNT, Rotation.identity(), Rotation.identity(source=dynamic("a", axes="FLU"), target=ENU)]
)
def test_pickle_and_copies(R: Rotation[Any, Any]) -> None:
    for protocol in range(4, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(R, protocol))
        assert again == R
        assert again.source is R.source
        assert not again._xyzw.flags.writeable
    assert copy.copy(R) is copy.deepcopy(R) is R
    cloudpickle = pytest.importorskip("cloudpickle")
    assert cloudpickle.loads(cloudpickle.dumps(R)) == R


def test_nothing_changes_a_rotation() -> None:
    for name in ("source", "target", "shape", "dtype", "other"):
        with pytest.raises(AttributeError):
            setattr(MOUNT, name, None)
    with pytest.raises(ValueError, match="read-only"):
        MOUNT._xyzw[0] = 1
    with pytest.raises(TypeError):
        MOUNT[0] = MOUNT  # type: ignore[index]


def test_a_rotation_is_no_array() -> None:
    for call in (lambda: np.asarray(BODY), lambda: BODY.apply(BODY), lambda: np.asarray([MOUNT])):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="Rotation is no array"):
            call()
    for call in (lambda: BODY * 2, lambda: 2 * BODY, lambda: np.ones(3) * BODY, lambda: BODY + BODY):  # type: ignore[operator]
        with pytest.raises(TypeError):
            call()


def test_repr() -> None:
    R = Rotation.from_quat([0.6, 0, 0, 0.8], order="wxyz", source=FRD, target=NED)
    assert repr(R) == "Rotation[FRD → NED](w=0.6, x=0.0, y=0.0, z=0.8)"
    assert repr(BODY) == "Rotation[FRD → NED](shape=(5,))"
    assert repr(Rotation.identity(2)) == "Rotation[Unframed → Unframed](shape=(2,))"


def test_a_row_of_nan_stays_in_its_row() -> None:
    R = Rotation.from_quat([[1, 0, 0, 0], [0, 0, 0, 0]], order="wxyz", invalid="nan", source=FRD, target=FRD)
    results = [
        (R @ R).as_quat(order="xyzw"),
        R.inv().as_matrix(),
        (R**0.5).as_rotvec(),
        R.apply([1, 2, 3]),
        R.slerp(R[0], 0.5).as_euler("ZYX", degrees=True),
        R.reframe(source=FLU, target=FLU).as_quat(order="wxyz", canonical=True),
        R.angle(),
    ]
    for result in results:
        assert np.isfinite(result[0]).all()
        assert np.isnan(result[1]).all()


def test_threads_may_share_a_rotation() -> None:
    wanted = (BODY @ SPIN).as_quat(order="xyzw")
    wrong = [0] * 4

    def work(number: int) -> None:
        for _ in range(200):
            wrong[number] += not ((BODY @ SPIN).as_quat(order="xyzw") == wanted).all()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0] * 4
