"""Attitudes: the golden cases of the specification, and what each mistake costs."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight import Attitude, Rotation, frames
from boresight.errors import FrameError
from boresight.frames import ENU, FLU, FRD, NED, NWU
from boresight.vectors import reframe_axial, reframe_polar

CONVENTIONS = ["body_to_ned", "ned_to_body", "flu_to_enu", "flu_to_nwu"]
PRECISIONS = [(np.float64, 4e-16), (np.float32, 3e-7)]
HALF = 0.5**0.5
R_NAV = np.array([0.0, HALF, HALF, 0.0])
R_BODY = np.array([0.0, 1.0, 0.0, 0.0])


def comes_in(convention: str) -> Callable[..., Attitude]:
    return getattr(Attitude, f"from_{convention}")


def goes_out(attitude: Attitude, convention: str, order: str = "wxyz") -> np.ndarray:
    return getattr(attitude, convention)(order=order)


def reorder(q: np.ndarray, order: str) -> np.ndarray:
    return q if order == "wxyz" else q[..., [1, 2, 3, 0]]


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Hamilton product, (w, x, y, z), written out so that the library is not on both sides of a test."""
    a, v = p[0], p[1:]
    b, u = q[0], q[1:]
    return np.array([a * b - v @ u, *(a * u + b * v + np.cross(v, u))])


def inverse(q: np.ndarray) -> np.ndarray:
    return q * [1, -1, -1, -1]


def up_to_sign(p: np.ndarray, q: np.ndarray) -> float:
    """Largest difference of components, with each row of `q` or with its negative."""
    return float(np.minimum(np.abs(p - q).max(axis=-1), np.abs(p + q).max(axis=-1)).max())


def apart(p: np.ndarray, q: np.ndarray) -> float:
    """Angle between two rotations in degrees, quaternions (w, x, y, z)."""
    r = product(inverse(np.asarray(p, float)), np.asarray(q, float))
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(r[1:]), abs(r[0]))))


@pytest.fixture(scope="module")
def cases(golden: Callable[[str], Any]) -> list[dict[str, Any]]:
    found = golden("attitude.json")["cases"]
    assert len(found) == 27
    return found


# ---- golden ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["wxyz", "xyzw"])
@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@pytest.mark.parametrize("out", CONVENTIONS)
@pytest.mark.parametrize("into", CONVENTIONS)
def test_every_golden_case_in_and_out(
    cases: list[dict[str, Any]], into: str, out: str, dtype: type, tolerance: float, order: str
) -> None:
    for case in cases:
        given_q = reorder(np.array(case[into], dtype=dtype), order)
        attitude = comes_in(into)(given_q, order=order)
        result = goes_out(attitude, out, order)
        assert result.dtype == dtype
        # The cases give one of q and -q; which of them we give has tests of its own.
        assert up_to_sign(result, reorder(np.array(case[out]), order)) <= tolerance, case["name"]


@pytest.mark.parametrize("out", CONVENTIONS)
@pytest.mark.parametrize("into", CONVENTIONS)
def test_all_golden_cases_as_one_batch(cases: list[dict[str, Any]], into: str, out: str) -> None:
    attitudes = comes_in(into)([case[into] for case in cases], order="wxyz")
    assert attitudes.shape == (27,)
    assert up_to_sign(goes_out(attitudes, out), np.array([case[out] for case in cases])) <= 4e-16


def test_golden_euler_angles(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        attitude = Attitude.from_body_to_ned(case["body_to_ned"], order="wxyz")
        roll, pitch, yaw = np.degrees(attitude.euler_angles())
        wanted = case["euler_scipy_zyx_deg"]
        turn = (np.array([roll, pitch, yaw]) - wanted + 180) % 360 - 180
        assert np.abs(turn).max() < 2e-6, case["name"]


def test_golden_body_axes(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        attitude = Attitude.from_body_to_ned(case["body_to_ned"], order="wxyz")
        assert np.abs(attitude.rotation.apply(np.eye(3)) - case["body_axes_in_ned"]).max() < 1e-15, case[
            "name"
        ]


def test_golden_special_inputs(golden: Callable[[str], Any]) -> None:
    special = golden("attitude.json")["special"]
    assert len(special) == 9
    for case in special:
        attitude = Attitude.from_body_to_ned([float(c) for c in case["input"]], order="wxyz")
        q = attitude.body_to_ned(order="wxyz")
        if isinstance(case["expect"], str):
            assert np.isnan(q).all(), case["name"]
        elif case["name"] == "negated":
            assert (q == [-1, 0, 0, 0]).all()
            assert attitude == Attitude.level()
        else:
            assert np.abs(q - case["expect"]).max() <= 4e-16, case["name"]


def test_golden_vectors(golden: Callable[[str], Any]) -> None:
    ways = {("enu", "ned"): (ENU, NED), ("flu", "frd"): (FLU, FRD)}
    vectors = golden("attitude.json")["vectors"]
    assert len(vectors) == 4
    for case in vectors:
        (given_name, wanted_name) = (key for key in case if key != "name")
        for change in (reframe_polar, reframe_axial):
            assert (change(case[given_name], *ways[given_name, wanted_name]) == case[wanted_name]).all()


def enu(q: np.ndarray) -> np.ndarray:
    return Attitude.from_body_to_ned(q, order="wxyz").flu_to_enu(order="wxyz")


MISREADINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    # What a program does that gets it wrong, from the true q (body to NED) by way of what was stored.
    "enu_as_is": enu,
    "enu_nav_only": lambda q: product(R_NAV, enu(q)),
    "enu_body_only": lambda q: product(enu(q), inverse(R_BODY)),
    "enu_conj_nav": lambda q: product(product(R_NAV, enu(q)), inverse(R_NAV)),
    "enu_as_nwu": lambda q: product(product(R_BODY, enu(q)), inverse(R_BODY)),
    "inverse_as_is": lambda q: Attitude.from_body_to_ned(q, order="wxyz").ned_to_body(order="wxyz"),
    "nwu_as_is": lambda q: Attitude.from_body_to_ned(q, order="wxyz").flu_to_nwu(order="wxyz"),
    "xyzw_read_as_wxyz": lambda q: q[[1, 2, 3, 0]],
    "wxyz_read_as_xyzw": lambda q: q[[3, 0, 1, 2]],
}


@pytest.mark.parametrize("mistake", MISREADINGS)
def test_golden_misreadings(cases: list[dict[str, Any]], mistake: str) -> None:
    for case in cases:
        true = np.array(case["body_to_ned"])
        misread = MISREADINGS[mistake](true)
        wanted = case["misread"][mistake]
        # The cases hold the angle to nine digits; near a half turn a digit of q weighs more.
        assert apart(misread, wanted["q_wxyz"]) < 1e-6, case["name"]
        assert abs(apart(misread, true) - wanted["error_deg"]) < 3e-6, case["name"]


# ---- what each mistake costs, for every attitude ----------------------------------------------------


@st.composite
def attitudes(draw: st.DrawFn) -> np.ndarray:
    """Attitudes as (w, x, y, z): any, and the special ones where components vanish."""
    component = st.one_of(st.sampled_from([0.0, 1.0, -1.0]), st.floats(-1, 1))
    q = np.array([draw(component) for _ in range(4)])
    norm = np.linalg.norm(q)
    return q / norm if norm > 1e-3 else np.array([1.0, 0.0, 0.0, 0.0])


def angles(q: np.ndarray) -> np.ndarray:
    return np.degrees(Attitude.from_body_to_ned(q, order="wxyz").euler_angles())


def same_turn(a: float, b: float, tolerance: float = 1e-6) -> bool:
    return abs((a - b + 180) % 360 - 180) < tolerance


def clear_of_the_pole(q: np.ndarray) -> bool:
    return abs(angles(q)[1]) < 89


def yaw_is(misread: np.ndarray, roll: float, pitch: float, yaw: float) -> bool:
    r, p, y = angles(misread)
    return same_turn(r, roll) and same_turn(p, pitch) and same_turn(y, yaw)


@given(attitudes())
def test_enu_numbers_read_as_ned(q: np.ndarray) -> None:
    roll, pitch, yaw = angles(q)
    if clear_of_the_pole(q):
        assert yaw_is(MISREADINGS["enu_as_is"](q), roll, -pitch, 90 - yaw)


@given(st.floats(-180, 180))
def test_enu_numbers_read_as_ned_are_right_only_level_at_45_and_minus_135(roll: float) -> None:
    for pitch, yaw, right in (
        (0, 45, True),
        (0, -135, True),
        (0, 44, False),
        (1, 45, False),
        (0, 135, False),
    ):
        q = of_angles(roll, pitch, yaw)
        assert (apart(MISREADINGS["enu_as_is"](q), q) < 1e-6) == right


def of_angles(roll: float, pitch: float, yaw: float) -> np.ndarray:
    R = Rotation.from_euler("ZYX", [yaw, pitch, roll], degrees=True, source=FRD, target=NED)
    return Attitude.from_rotation(R).body_to_ned(order="wxyz")


@given(attitudes())
def test_only_the_navigation_side_converted(q: np.ndarray) -> None:
    misread = MISREADINGS["enu_nav_only"](q)
    assert abs(apart(misread, q) - 180) < 1e-6
    # The turn is about the body's x: forward stays, right becomes left.
    assert apart(misread, product(q, np.array([0.0, 1, 0, 0]))) < 1e-6
    if clear_of_the_pole(q):
        roll, pitch, yaw = angles(q)
        assert yaw_is(misread, roll + 180, pitch, yaw)


@given(attitudes())
def test_only_the_body_side_converted(q: np.ndarray) -> None:
    misread = MISREADINGS["enu_body_only"](q)
    assert abs(apart(misread, q) - 180) < 1e-6
    if clear_of_the_pole(q):
        roll, pitch, yaw = angles(q)
        assert yaw_is(misread, roll + 180, -pitch, 90 - yaw)


@given(attitudes())
def test_the_navigation_change_on_both_sides(q: np.ndarray) -> None:
    misread = MISREADINGS["enu_conj_nav"](q)
    w, x, y, z = enu(q)
    assert apart(misread, np.array([w, y, x, -z])) < 1e-6
    assert abs(apart(misread, q) - 90) < 1e-6
    # It takes the body for right, front, up.
    taken_for = Rotation.from_quat(enu(q), order="wxyz", source=frames.RFU, target=ENU)
    assert apart(misread, taken_for.reframe(source=FRD, target=NED).as_quat(order="wxyz")) < 1e-6
    # So what it calls forward, right, down is truly left, forward, down.
    forward, right, down = Rotation.from_quat(q, order="wxyz").apply(np.eye(3))
    claimed = Rotation.from_quat(misread, order="wxyz").apply(np.eye(3))
    assert np.abs(claimed - [-right, forward, down]).max() < 1e-7


@given(attitudes())
def test_enu_given_to_the_nwu_map(q: np.ndarray) -> None:
    misread = MISREADINGS["enu_as_nwu"](q)
    by_the_library = Attitude.from_flu_to_nwu(enu(q), order="wxyz").body_to_ned(order="wxyz")
    assert apart(misread, by_the_library) < 1e-6
    assert abs(apart(misread, q) - 90) < 1e-6
    # About down, so that yaw alone is wrong.
    assert apart(misread, product(np.array([HALF, 0, 0, -HALF]), q)) < 1e-6
    if clear_of_the_pole(q):
        roll, pitch, yaw = angles(q)
        assert yaw_is(misread, roll, pitch, yaw - 90)


@given(attitudes())
def test_nwu_read_as_ned(q: np.ndarray) -> None:
    roll, pitch, yaw = angles(q)
    if clear_of_the_pole(q):
        assert yaw_is(MISREADINGS["nwu_as_is"](q), roll, -pitch, -yaw)


@given(st.floats(-180, 180))
def test_nwu_read_as_ned_shows_nothing_in_a_pure_roll(roll: float) -> None:
    q = of_angles(roll, 0, 0)
    assert apart(MISREADINGS["nwu_as_is"](q), q) < 1e-6


@given(attitudes())
def test_a_stored_inverse(q: np.ndarray) -> None:
    angle = apart(q, np.array([1.0, 0, 0, 0]))
    error = apart(MISREADINGS["inverse_as_is"](q), q)
    assert abs(error - min(2 * angle, 360 - 2 * angle)) < 1e-6


def test_a_stored_inverse_shows_nothing_at_identity_and_at_half_turns() -> None:
    for q in ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0.6, 0, 0.8]):
        assert apart(MISREADINGS["inverse_as_is"](np.array(q, float)), np.array(q, float)) < 1e-6


@given(attitudes())
def test_xyzw_read_as_wxyz(q: np.ndarray) -> None:
    stored = q[[1, 2, 3, 0]]
    misread = Attitude.from_body_to_ned(stored, order="wxyz").body_to_ned(order="wxyz")
    assert apart(misread, stored) < 1e-6
    assert apart(Attitude.from_body_to_ned(stored, order="xyzw").body_to_ned(order="wxyz"), q) < 1e-6
    assert (apart(misread, q) < 1e-6) == (min(np.abs(misread - q).max(), np.abs(misread + q).max()) < 1e-8)


def test_xyzw_read_as_wxyz_shows_nothing_where_all_are_equal() -> None:
    q = np.full(4, 0.5)
    assert apart(MISREADINGS["xyzw_read_as_wxyz"](q), q) == 0


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(q=attitudes())
def test_out_undoes_in_with_the_sign(convention: str, q: np.ndarray) -> None:
    assert np.abs(goes_out(comes_in(convention)(q, order="wxyz"), convention) - q).max() <= 4e-16
    assert np.abs(goes_out(comes_in(convention)(-q, order="wxyz"), convention) + q).max() <= 4e-16


@given(attitudes())
def test_the_ros_map_is_both_sides_at_once(q: np.ndarray) -> None:
    wanted = product(product(R_NAV, q), inverse(R_BODY))
    w, x, y, z = q
    assert np.abs(wanted - np.array([w + z, x + y, x - y, w - z]) * HALF).max() < 4e-16
    assert np.abs(Attitude.from_flu_to_enu(q, order="wxyz").body_to_ned(order="wxyz") - wanted).max() < 4e-16


@given(attitudes())
def test_the_conventions_are_reframed_rotations(q: np.ndarray) -> None:
    attitude = Attitude.from_body_to_ned(q, order="wxyz")
    for world, convention in ((ENU, "flu_to_enu"), (NWU, "flu_to_nwu")):
        reframed = attitude.rotation.reframe(source=FLU, target=world)
        assert (reframed.as_quat(order="wxyz") == goes_out(attitude, convention)).all()


def test_level_is_level_and_north() -> None:
    assert (Attitude.level().rotation.apply(np.eye(3)) == np.eye(3)).all()
    assert (Attitude.level().euler_angles() == 0).all()


def test_euler_angles_are_roll_pitch_yaw() -> None:
    attitude = Attitude.from_body_to_ned(of_angles(10, 20, 30), order="wxyz")
    assert np.abs(np.degrees(attitude.euler_angles()) - [10, 20, 30]).max() < 1e-13
    assert attitude.euler_angles().flags.c_contiguous


@pytest.mark.parametrize("pitch", [90, -90])
def test_at_the_pole_roll_is_zero(pitch: float) -> None:
    q = of_angles(25, pitch, 40)
    roll, got, yaw = np.degrees(Attitude.from_body_to_ned(q, order="wxyz").euler_angles())
    assert (roll, got) == (0, pitch)
    assert same_turn(yaw, 15 if pitch > 0 else 65)


def test_bad_rows_come_out_nan_and_leave_the_others_alone() -> None:
    q = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [np.nan, 0, 0, 1], [np.inf, 0, 0, 0], [0, 0, 3, 4]], float)
    for convention in CONVENTIONS:
        attitude = comes_in(convention)(q, order="wxyz")
        out = goes_out(attitude, convention)
        assert np.isnan(out).all(axis=-1).tolist() == [False, True, True, True, False]
        assert np.abs(out[[0, 4]] - [[1, 0, 0, 0], [0, 0, 0.6, 0.8]]).max() < 4e-16
        assert np.isnan(attitude.euler_angles()).all(axis=-1).tolist() == [False, True, True, True, False]


# ---- as a value ----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ([1, 0, 0, 0],), (Rotation.identity(source=FRD, target=NED),)])
def test_there_is_no_bare_constructor(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=r"level\(\)"):
        Attitude(*arguments)


def test_no_constructor_takes_a_bare_quaternion_and_every_order_is_named() -> None:
    public = {name for name in vars(Attitude) if name.startswith("from")}
    assert public == {f"from_{convention}" for convention in CONVENTIONS} | {"from_rotation"}
    for convention in CONVENTIONS:
        with pytest.raises(TypeError, match="order"):
            comes_in(convention)([1, 0, 0, 0])
        with pytest.raises(TypeError, match="order"):
            getattr(Attitude.level(), convention)()


def test_it_takes_a_rotation_from_frd_to_ned_and_no_other() -> None:
    R = Rotation.from_rotvec([0.1, 0.2, 0.3], source=FRD, target=NED)
    assert Attitude.from_rotation(R).rotation is R
    for wrong, message in (
        (R.inv(), r"not Rotation\[NED → FRD\]: NED is not FRD"),
        (R.reframe(source=FLU, target=ENU), r"not Rotation\[FLU → ENU\]: FLU is not FRD"),
        (Rotation.identity(), "Unframed is not FRD; name the frames with .between"),
    ):
        with pytest.raises(FrameError, match=message):
            Attitude.from_rotation(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not of list"):
        Attitude.from_rotation([1, 0, 0, 0])  # type: ignore[arg-type]


def test_equality_is_of_attitudes_and_not_of_signs() -> None:
    q = np.array([0.5, -0.5, 0.5, 0.5])
    attitude = Attitude.from_body_to_ned(q, order="wxyz")
    assert attitude == Attitude.from_ned_to_body(inverse(q), order="wxyz")
    assert attitude == Attitude.from_body_to_ned(-q, order="wxyz")
    assert hash(attitude) == hash(Attitude.from_body_to_ned(-q, order="wxyz"))
    assert attitude != Attitude.level()
    assert attitude != attitude.rotation
    assert Attitude.from_body_to_ned([q, q], order="wxyz") != attitude
    nan = Attitude.from_body_to_ned([0, 0, 0, 0], order="wxyz")
    assert nan != copy.copy(nan)


def test_repr_names_the_components() -> None:
    assert repr(Attitude.level()) == "Attitude(w=1.0, x=0.0, y=0.0, z=0.0)"
    assert (
        repr(Attitude.from_body_to_ned([0, 0.6, 0, -0.8], order="wxyz"))
        == "Attitude(w=0.0, x=0.6, y=0.0, z=-0.8)"
    )
    single = Attitude.from_body_to_ned(np.array([0, 0.6, 0, -0.8], np.float32), order="wxyz")
    assert repr(single) == "Attitude(w=0.0, x=0.6, y=0.0, z=-0.8, float32)"
    assert repr(Attitude.from_body_to_ned(np.ones((2, 3, 4)), order="wxyz")) == "Attitude(shape=(2, 3))"


def test_pickle_and_copies() -> None:
    attitude = Attitude.from_flu_to_enu([[0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0]], order="xyzw")
    again = pickle.loads(pickle.dumps(attitude))
    assert again == attitude
    assert (again.body_to_ned(order="xyzw") == attitude.body_to_ned(order="xyzw")).all()
    assert copy.copy(attitude) is copy.deepcopy(attitude) is attitude


def test_a_batch_is_indexed_and_iterated() -> None:
    q = np.random.default_rng(1).normal(size=(3, 2, 4))
    attitudes_ = Attitude.from_body_to_ned(q, order="wxyz")
    assert attitudes_.shape == (3, 2)
    assert len(attitudes_) == 3
    assert attitudes_[1, 0] == Attitude.from_body_to_ned(q[1, 0], order="wxyz")
    assert [a.shape for a in attitudes_] == [(2,)] * 3
    assert bool(Attitude.level())  # `if attitude:` asks whether there is one
    with pytest.raises(TypeError, match="a single Attitude has no length"):
        len(Attitude.level())


def test_it_shares_no_memory_and_does_not_change() -> None:
    q = np.array([1.0, 0, 0, 0])
    attitude = Attitude.from_body_to_ned(q, order="wxyz")
    q[:] = 9
    attitude.body_to_ned(order="wxyz")[:] = 9
    assert attitude == Attitude.level()
    with pytest.raises(AttributeError):
        attitude.rotation = attitude.rotation  # type: ignore[misc]
    with pytest.raises(TypeError, match="Attitude is no array"):
        np.asarray(attitude)


def test_a_left_handed_rotation_is_no_attitude_until_it_is_reframed() -> None:
    left = Rotation.identity(source=frames.FRU, target=frames.ESU)
    assert Attitude.from_rotation(left.reframe(source=FRD, target=NED)) == Attitude.from_flu_to_enu(
        [1, 0, 0, 0], order="wxyz"
    )
