"""What the kernels take: types, layouts, shapes, outputs, bad rows; and that a row's result is its own."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import kernels
from boresight.errors import InvalidRowsError
from boresight.rows import floats

Q = kernels.from_quaternion(np.random.default_rng(0).normal(size=(40, 4)), order="xyzw")
P = kernels.from_quaternion(np.random.default_rng(1).normal(size=(40, 4)), order="xyzw")
V, U = np.random.default_rng(2).normal(size=(2, 40, 3))
T = np.random.default_rng(3).uniform(size=40)
SWAP = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, -1], [0, -1, 1, 0]])
POSES = kernels.pose_to_matrix(Q, V)

Case = tuple[Callable[..., Any], tuple[np.ndarray, ...]]
CASES: dict[str, Case] = {
    "from_quaternion": (
        lambda q, **k: kernels.from_quaternion(q, order="wxyz", invalid="nan", **k),
        (3 * Q,),
    ),
    "to_quaternion": (lambda q, **k: kernels.to_quaternion(q, order="wxyz", **k), (Q,)),
    "canonical": (lambda q, **k: kernels.to_quaternion(q, order="xyzw", canonical=True, **k), (Q,)),
    "multiply": (kernels.multiply, (P, Q)),
    "conjugate": (kernels.conjugate, (Q,)),
    "rotate": (kernels.rotate, (Q, V)),
    "rotate_inverse": (kernels.rotate_inverse, (Q, V)),
    "to_matrix": (kernels.to_matrix, (Q,)),
    "from_matrix": (lambda m, **k: kernels.from_matrix(m, invalid="nan", **k), (kernels.to_matrix(Q),)),
    "project": (
        lambda m, **k: kernels.from_matrix(m, invalid="nan", project=True, **k),
        (1.5 * kernels.to_matrix(Q) + 0.01,),
    ),
    "from_euler": (
        lambda a, **k: kernels.from_euler("ZYX", a, degrees=False, invalid="nan", **k),
        (V,),
    ),
    "from_euler_degrees": (
        lambda a, **k: kernels.from_euler("xyx", a, degrees=True, invalid="nan", **k),
        (90 * V,),
    ),
    "to_euler": (lambda q, **k: kernels.to_euler("ZYX", q, degrees=True, **k), (Q,)),
    "to_euler_proper": (lambda q, **k: kernels.to_euler("ZXZ", q, degrees=False, **k), (Q,)),
    "exp": (kernels.exp, (V,)),
    "log": (kernels.log, (Q,)),
    "angle": (kernels.angle, (Q,)),
    "power": (kernels.power, (Q, T)),
    "slerp": (kernels.slerp, (P, Q, T)),
    "change": (lambda q, **k: kernels.change(q, SWAP, 0.5**0.5, **k), (Q,)),
    "permute": (lambda v, **k: kernels.permute(v, (1, 0, 2), (1, 1, -1), **k), (V,)),
    "from_axis_angle": (
        lambda v, t, **k: kernels.from_axis_angle(v, t, degrees=False, invalid="nan", **k),
        (V, T),
    ),
    "from_axis_angle_degrees": (
        lambda v, t, **k: kernels.from_axis_angle(v, t, degrees=True, invalid="nan", **k),
        (V, 90 * T),
    ),
    "to_axis_angle": (lambda q, **k: kernels.to_axis_angle(q, degrees=True, **k), (Q,)),
    "from_modified_rodrigues": (
        lambda p, **k: kernels.from_modified_rodrigues(p, invalid="nan", **k),
        (V,),
    ),
    "to_modified_rodrigues": (kernels.to_modified_rodrigues, (Q,)),
    "from_heading_tilt": (
        lambda h, t, **k: kernels.from_heading_tilt(h, t, invalid="nan", **k),
        (T, np.ascontiguousarray(V[:, :2])),
    ),
    "to_heading_tilt": (kernels.to_heading_tilt, (Q,)),
    "from_two_axes": (lambda u, v, **k: kernels.from_two_axes("zx", u, v, invalid="nan", **k), (U, V)),
    "pose_make": (lambda q, t, **k: kernels.pose_make(q, t, invalid="nan", **k), (Q, V)),
    "pose_from_matrix": (lambda m, **k: kernels.pose_from_matrix(m, invalid="nan", **k), (POSES,)),
    "pose_from_matrix_34": (
        lambda m, **k: kernels.pose_from_matrix(m, invalid="nan", **k),
        (np.ascontiguousarray(POSES[:, :3]),),
    ),
    "pose_to_matrix": (kernels.pose_to_matrix, (Q, V)),
    "pose_multiply": (kernels.pose_multiply, (P, U, Q, V)),
    "pose_inverse": (kernels.pose_inverse, (Q, V)),
    "pose_apply": (kernels.pose_apply, (Q, U, V)),
    "pose_exp": (kernels.pose_exp, (np.concatenate([U, V], axis=-1),)),
    "pose_log": (kernels.pose_log, (Q, V)),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def parts(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


def same(a: Any, b: Any) -> bool:
    """Bit for bit, signs of zeros and NaN included."""
    return all(
        x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()
        for x, y in zip(map(np.asarray, parts(a)), map(np.asarray, parts(b)), strict=True)
    )


# -- types --------------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_stay_what_they_are(case: Case, dtype: Any) -> None:
    function, inputs = case
    narrow = parts(function(*(a.astype(dtype) for a in inputs)))
    assert all(a.dtype == dtype for a in narrow)
    for a, b in zip(narrow, parts(function(*inputs)), strict=True):
        assert np.abs(a - b).max() < (2e-4 if dtype is np.float32 else 1e-300)


@every_case
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_integers_become_float64(case: Case, dtype: Any) -> None:
    function, inputs = case
    ones = [np.ones(a.shape, dtype=dtype) for a in inputs]
    assert same(function(*ones), function(*(a.astype(np.float64) for a in ones)))


@every_case
@pytest.mark.parametrize("dtype", [np.float16, np.complex128, np.longdouble, object, bool, "U3"])
def test_other_types_are_refused_by_name(case: Case, dtype: Any) -> None:
    function, inputs = case
    if np.dtype(dtype) == np.float64:
        pytest.skip("long double is float64 here")
    for i in range(len(inputs)):
        given = [a.astype(dtype) if i == j else a for j, a in enumerate(inputs)]
        with pytest.raises(TypeError, match=str(np.dtype(dtype)).replace("<", "").replace("U3", ".U3")):
            function(*given)


def test_a_mask_is_not_lost_in_silence() -> None:
    masked = np.ma.masked_array(Q, mask=np.zeros(Q.shape, bool))
    masked[3, 1] = np.ma.masked
    with pytest.raises(TypeError, match="argument 2 is a masked array"):
        kernels.multiply(P, masked)
    with pytest.raises(TypeError, match="the axis is a masked array"):
        floats(masked[:, :3], 3, "the axis")
    found = kernels.from_quaternion(masked.filled(np.nan), order="xyzw", invalid="nan")
    assert np.flatnonzero(np.isnan(found).any(axis=1)).tolist() == [3]


def test_float32_beside_float64_is_float64() -> None:
    assert kernels.multiply(P.astype(np.float32), Q).dtype == np.float64
    assert kernels.rotate(Q, V.astype(np.float32)).dtype == np.float64


def test_a_number_takes_the_type_of_the_arrays() -> None:
    single = Q.astype(np.float32)
    assert kernels.power(single, 0.5).dtype == np.float32
    assert kernels.slerp(single, single, 1).dtype == np.float32
    assert kernels.slerp(single, single, np.float64(1)).dtype == np.float64
    assert kernels.change(single, np.eye(4), 1.0).dtype == np.float32
    assert kernels.permute(V.astype(np.float32), (0, 1, 2), (1, 1, 1)).dtype == np.float32


def test_lists_and_numbers_are_taken() -> None:
    assert np.array_equal(kernels.multiply([0, 0, 0, 1], (0.0, 0.0, 0.0, 1.0)), [0, 0, 0, 1])
    assert kernels.power([0, 0, 0, 1], 2).dtype == np.float64


# -- layouts ------------------------------------------------------------------------------------------------


def reversed_axes(a: np.ndarray) -> np.ndarray:
    return np.asfortranarray(a)


def strided(a: np.ndarray) -> np.ndarray:
    wide = np.full((2 * len(a), *a.shape[1:-1], 2 * a.shape[-1]) if a.ndim > 1 else 2 * len(a), np.nan)
    view = wide[::2, ..., ::2] if a.ndim > 1 else wide[::2]
    view[...] = a
    return view


def backwards(a: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(a[::-1, ...])[::-1, ...]


def big_endian(a: np.ndarray) -> np.ndarray:
    return a.astype(">f8")


def read_only(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    a.flags.writeable = False
    return a


def unaligned(a: np.ndarray) -> np.ndarray:
    raw = np.zeros(a.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(np.float64).reshape(a.shape)
    view[...] = a
    return view


LAYOUTS = [reversed_axes, strided, backwards, big_endian, read_only, unaligned]


@every_case
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
def test_the_layout_does_not_matter(case: Case, layout: Callable[[np.ndarray], np.ndarray]) -> None:
    function, inputs = case
    given = [layout(a) for a in inputs]
    before = [a.copy() for a in given]
    assert same(function(*given), function(*inputs))
    assert all(np.array_equal(a, b) for a, b in zip(given, before, strict=True))


# -- shapes -------------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("batch", [(), (1,), (0,), (3, 1, 2, 1), (0, 5), (2, 20)])
def test_any_batch_shape(case: Case, batch: tuple[int, ...]) -> None:
    function, inputs = case
    count = int(np.prod(batch))
    flat = parts(function(*(a[:count] for a in inputs)))
    shaped = parts(function(*(a[:count].reshape((*batch, *a.shape[1:])) for a in inputs)))
    assert all(np.asarray(b).tobytes() == a.tobytes() for a, b in zip(flat, shaped, strict=True))
    assert all(np.shape(b) == (*batch, *a.shape[1:]) for a, b in zip(flat, shaped, strict=True))


@every_case
def test_batches_broadcast(case: Case) -> None:
    function, inputs = case
    for i in range(len(inputs)):
        given = [a[5] if i == j else a for j, a in enumerate(inputs)]
        full = [np.broadcast_to(a[5], a.shape) if i == j else a for j, a in enumerate(inputs)]
        assert same(function(*given), function(*full)) or len(inputs) == 1
    if len(inputs) > 1:
        first = inputs[0][:4, None]
        others = [a[None, :3] for a in inputs[1:]]
        for result in parts(function(first, *others)):
            assert result.shape[:2] == (4, 3)


def test_broadcasting_of_many_blocks_beside_one_row() -> None:
    many = np.random.default_rng(4).normal(size=(1000, 3))
    assert same(kernels.rotate(Q[0], many), kernels.rotate(np.tile(Q[0], (1000, 1)), many))
    assert same(kernels.rotate(Q, many[7]), kernels.rotate(Q, np.tile(many[7], (40, 1))))


@every_case
def test_a_wrong_last_axis_says_which_argument(case: Case) -> None:
    function, inputs = case
    if inputs[0].ndim == 1:
        return  # numbers, which have no last axis
    with pytest.raises(ValueError, match=r"argument 1 must have shape \(\.\.\., \d"):
        function(inputs[0][..., :-1], *inputs[1:])
    with pytest.raises(ValueError, match=r"argument 1 must have shape"):
        function(1.0, *inputs[1:])


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        kernels.multiply(P[:3], Q[:4])


# -- out ----------------------------------------------------------------------------------------------------


@every_case
def test_out_is_written_and_returned(case: Case) -> None:
    function, inputs = case
    fresh = function(*inputs)
    outs = tuple(np.full_like(a, 7) for a in parts(fresh))
    given: Any = outs if len(outs) > 1 else outs[0]
    result = function(*inputs, out=given)
    assert all(a is b for a, b in zip(parts(result), outs, strict=True))
    assert same(outs, parts(fresh))


def test_out_may_be_an_input() -> None:
    q = Q.copy()
    kernels.multiply(P, q, out=q)
    assert same(q, kernels.multiply(P, Q))
    w = V.copy()
    kernels.permute(w, (1, 2, 0), (1, 1, 1), out=w)
    assert same(w, np.ascontiguousarray(V[:, [1, 2, 0]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_conjugate_may_overlap_what_it_is_of(dtype: Any) -> None:
    q = np.concatenate([Q] * 7).astype(dtype)
    q[[3, 200], [0, 3]] = np.nan
    alone = np.array([kernels.conjugate(row) for row in q])
    assert np.flatnonzero(np.isnan(alone).all(axis=1)).tolist() == [3, 200]
    for shift in (0, 1, -1):
        room = np.full((len(q) + 2, 4), 7, dtype)
        given, out = room[1:-1], room[1 + shift : len(room) - 1 + shift]
        given[...] = q
        kernels.conjugate(given, out=out)
        assert same(out, alone)


def test_nothing_outside_the_result_is_written() -> None:
    for function, inputs in CASES.values():
        for n in range(1, 20):
            fresh = parts(function(*(a[:n] for a in inputs)))
            room = [np.full((n + 2, *a.shape[1:]), 7.0) for a in fresh]
            outs = tuple(a[1:-1] for a in room)
            function(*(a[:n] for a in inputs), out=outs if len(outs) > 1 else outs[0])
            assert all((a[0] == 7).all() and (a[-1] == 7).all() for a in room)


# -- rows ---------------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_row_is_nan_and_the_others_are_untouched(case: Case, bad: float) -> None:
    function, inputs = case
    clean = parts(function(*inputs))
    for i, array in enumerate(inputs):
        for component in range(int(np.prod(array.shape[1:]))):
            spoiled = array.copy()
            spoiled.reshape(len(array), -1)[17, component] = bad
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result = parts(function(*(spoiled if i == j else a for j, a in enumerate(inputs))))
            for a, b in zip(result, clean, strict=True):
                others = np.arange(len(b)) != 17
                assert a[others].tobytes() == b[others].tobytes()
            if np.isnan(bad):
                assert any(np.isnan(a[17]).any() for a in result)


@every_case
def test_a_row_does_not_depend_on_the_rows_beside_it(case: Case) -> None:
    function, inputs = case
    whole = parts(function(*inputs))
    for n in (1, 2, 3, 5, 9):
        some = parts(function(*(a[7 : 7 + n] for a in inputs)))
        assert all(a.tobytes() == b[7 : 7 + n].tobytes() for a, b in zip(some, whole, strict=True))
    many = parts(function(*(np.concatenate([a] * 30) for a in inputs)))
    assert all(a[800:840].tobytes() == b.tobytes() for a, b in zip(many, whole, strict=True))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_matrix_does_not_depend_on_how_far_off_those_beside_it_are(dtype: Any) -> None:
    rng = np.random.default_rng(5)
    eps = float(np.finfo(dtype).eps)
    whole_turns = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1], [0.5, -0.5, 0.5, 0.5]]
    matrices = kernels.to_matrix(np.concatenate([Q, whole_turns])).astype(dtype)
    noise = rng.choice([-1.0, 0.0, 1.0], size=matrices.shape)
    for size in (0, eps, 6 * eps, 100 * eps, 2e-9, 1e-6):
        some = matrices + (size * noise * (rng.uniform(size=(len(noise), 1, 1)) < 0.3)).astype(dtype)
        poses = np.concatenate([some, np.zeros((len(some), 3, 1), dtype)], axis=-1)
        alone = np.array([kernels.from_matrix(m) for m in some])
        assert same(kernels.from_matrix(some), alone)
        assert same(kernels.pose_from_matrix(poses)[0], alone)
        exact = some.astype(np.float64)
        for _ in range(3):  # Newton's way to the nearest rotation; that by singular values is off by 20 eps
            exact = (exact + np.swapaxes(np.linalg.inv(exact), -1, -2)) / 2
        assert np.allclose(kernels.to_matrix(alone), exact, rtol=0, atol=12 * eps)


def test_invalid_quaternions() -> None:
    q = np.tile([0.0, 0.0, 0.0, 2.0], (6, 1))
    q[2] = 0
    q[4, 1] = np.inf
    with pytest.raises(InvalidRowsError, match="zero norm") as caught:
        kernels.from_quaternion(q.reshape(3, 2, 4), order="xyzw")
    assert (caught.value.row, caught.value.count) == ((1, 0), 2)
    with pytest.raises(InvalidRowsError, match="not finite") as caught:
        kernels.from_quaternion(q[4], order="xyzw")
    assert (caught.value.row, caught.value.count) == ((), 1)
    out = kernels.from_quaternion(q, order="xyzw", invalid="nan")
    assert np.array_equal(np.isnan(out).all(axis=1), [0, 0, 1, 0, 1, 0])
    # What one call met does not come up in the next.
    kernels.from_quaternion([0, 0, 0, 1], order="xyzw")


def test_invalid_matrices() -> None:
    reflection = np.diag([1.0, 1.0, -1.0])
    slightly = np.eye(3) + 1e-4 * np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    for matrix, reason in (
        (reflection, "reflection"),
        (slightly, "not orthogonal"),
        (np.full((3, 3), np.nan), "not finite"),
    ):
        with pytest.raises(InvalidRowsError, match=reason) as caught:
            kernels.from_matrix([np.eye(3), matrix])
        assert (caught.value.row, caught.value.count) == ((1,), 1)
        assert np.isnan(kernels.from_matrix(matrix, invalid="nan")).all()
    for matrix in (np.zeros((3, 3)), np.diag([1.0, 0, 0]), reflection):
        with pytest.raises(InvalidRowsError, match="no single rotation"):
            kernels.from_matrix(matrix, project=True)
    with pytest.raises(InvalidRowsError, match="not finite"):
        kernels.from_matrix(np.full((3, 3), np.inf), project=True)


def test_invalid_angles() -> None:
    with pytest.raises(InvalidRowsError, match="not finite") as caught:
        kernels.from_euler("ZYX", [[0, 0, 0], [0, np.inf, 0]], degrees=True)
    assert (caught.value.row, caught.value.count) == ((1,), 1)


def test_invalid_rotation_vectors() -> None:
    given = [[0, 0, 0], [0, np.inf, 0], [1e300, 0, 0], [0, 0, np.nan]]
    with pytest.raises(InvalidRowsError, match="rotation vector.*not finite") as caught:
        kernels.exp(given, invalid="raise")
    assert (caught.value.row, caught.value.count) == ((1,), 2)
    assert np.isnan(kernels.exp(given)).all(axis=1).tolist() == [False, True, False, True]
    kernels.exp(given[2], invalid="raise")
    with pytest.raises(ValueError, match="invalid"):
        kernels.exp(given, invalid="drop")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_unit_already_comes_back_bit_for_bit(dtype: Any) -> None:
    raw = np.random.default_rng(5).normal(size=(10000, 4)).astype(dtype)
    once = kernels.from_quaternion(raw, order="xyzw")
    assert np.abs(np.linalg.norm(once.astype(np.float64), axis=1) - 1).max() < 2 * np.finfo(dtype).eps
    assert same(kernels.from_quaternion(once, order="xyzw"), once)
    assert same(kernels.from_quaternion(-once, order="xyzw"), -once)


def test_words_are_checked_even_where_all_is_well() -> None:
    with pytest.raises(ValueError, match="order must be"):
        kernels.from_quaternion([0, 0, 0, 1], order="zyxw")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="invalid must be"):
        kernels.from_quaternion([0, 0, 0, 1], order="xyzw", invalid="skip")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="order"):
        kernels.from_quaternion([0, 0, 0, 1])  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match="degrees"):
        kernels.from_euler("ZYX", [0, 0, 0])  # pyright: ignore[reportCallIssue]


# -- machines and threads -----------------------------------------------------------------------------------


def digest() -> str:
    """One number for the bits of every kernel's result in both types."""
    found = hashlib.sha256()
    for function, inputs in CASES.values():
        for dtype in (np.float32, np.float64):
            for part in parts(function(*(a.astype(dtype) for a in inputs))):
                found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def test_every_instruction_set_gives_the_same_bits() -> None:
    code = "import test_kernels_inputs as t; from boresight import kernels; print(kernels.instruction_set, t.digest())"
    seen: dict[str, str] = {}
    for isa in ("baseline", "avx2", "avx512"):
        environment = os.environ | {"BORESIGHT_ISA": isa}
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=os.path.dirname(__file__),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        used, bits = ran.stdout.split()
        seen[used] = bits
    assert "baseline" in seen and len(set(seen.values())) == 1, seen


def test_threads_do_not_see_each_others_faults() -> None:
    good = np.tile([0.0, 0.0, 0.0, 1.0], (2000, 1))
    bad = good.copy()
    bad[1000] = 0
    wrong: list[str] = []

    def work(rows: np.ndarray, faulty: bool) -> None:
        for _ in range(200):
            try:
                kernels.from_quaternion(rows, order="xyzw")
                raised = False
            except InvalidRowsError:
                raised = True
            if raised != faulty:
                wrong.append(f"{faulty=}, {raised=}")

    threads = [threading.Thread(target=work, args=args) for args in ((good, False), (bad, True)) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_constants_of_a_change_are_the_same_for_all_rows() -> None:
    with pytest.raises(ValueError, match=r"argument 2 must have shape \(4, 4\)"):
        kernels.change(Q, np.ones((40, 4, 4)), 0.5)
    with pytest.raises(ValueError, match="argument 3 must be a number"):
        kernels.change(Q, np.ones((4, 4)), np.ones(40))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("terms", [1, 2, 3, 4])
def test_a_change_of_any_number_of_terms_is_the_product_of_matrices(terms: int) -> None:
    rng = np.random.default_rng(terms)
    keep = np.array([rng.permutation(4) < terms for _ in range(4)])
    coefficients = rng.choice([-1.0, 1.0], size=(4, 4)) * keep
    expected = terms**-0.5 * (Q @ coefficients.T)
    assert np.abs(kernels.change(Q, coefficients, terms**-0.5) - expected).max() < 4e-16
    spoiled = Q.copy()
    spoiled[3, 2] = np.nan
    assert np.isnan(kernels.change(spoiled, coefficients, 1.0)[3]).all()


@pytest.mark.parametrize("t", [0.5, 1234.5])
def test_one_number_beside_many_blocks_of_rows(t: float) -> None:
    q = np.concatenate([Q] * 30)
    p = np.concatenate([P] * 30)
    many = np.full(len(q), t)
    assert same(kernels.power(q, t), kernels.power(q, many))
    assert same(kernels.slerp(p, q, t), kernels.slerp(p, q, many))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_rows_in_place_and_nothing_beside_them(dtype: Any) -> None:
    rng = np.random.default_rng(23)
    q = kernels.from_quaternion(rng.normal(size=(200, 4)).astype(dtype), order="xyzw")
    v = rng.normal(size=(200, 3)).astype(dtype)
    turned = np.array([kernels.rotate(a, b) for a, b in zip(q, v, strict=True)])
    matrices = np.array([kernels.to_matrix(a) for a in q])
    for rows in range(1, 200):
        fence = np.full(3 * rows + 8, 7, dtype)
        inside = fence[4:-4].reshape(rows, 3)
        inside[:] = v[:rows]
        kernels.rotate(q[:rows], inside, out=inside)
        assert same(inside, turned[:rows]) and (fence[:4] == 7).all() and (fence[-4:] == 7).all()
        fence = np.full(9 * rows + 8, 7, dtype)
        kernels.to_matrix(q[:rows], out=fence[4:-4].reshape(rows, 3, 3))
        assert same(fence[4:-4].reshape(rows, 3, 3), matrices[:rows])
        assert (fence[:4] == 7).all() and (fence[-4:] == 7).all()
