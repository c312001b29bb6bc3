"""Covariances against sampling, against the derivatives that they rest on, and there and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boresight import kernels
from boresight import uncertainty as u
from boresight.axes import Axes, permutation, quaternion_change
from boresight.errors import FrameError
from strategies import Sample, every_batch

SIDES = ("left", "right")
ORDERS = ("trans_rot", "rot_trans")


def covariances(n: int, batch: tuple[int, ...], dtype: Any, seed: int) -> Any:
    root = np.random.default_rng(seed).standard_normal((*batch, n, n))
    return (root @ np.swapaxes(root, -1, -2)).astype(dtype)


def close(sample: Sample, a: Any, b: Any, factor: float = 400) -> bool:
    size = np.abs(b).max(initial=1.0)
    return bool(np.allclose(a, b, rtol=0, atol=factor * sample.eps * size))


@every_batch
def test_inverting_twice_changes_nothing(sample: Sample) -> None:
    q, t = sample.poses()
    p3, p6 = (covariances(n, sample.batch, sample.dtype, sample.seed) for n in (3, 6))
    for side in SIDES:
        once = u.rotation_inverse(q, p3, side=side)
        assert once.shape == p3.shape and once.dtype == sample.dtype
        assert np.array_equal(once, np.swapaxes(once, -1, -2))
        assert close(sample, u.rotation_inverse(kernels.conjugate(q), once, side=side), p3)
        for order in ORDERS:
            once = u.pose_inverse(q, t, p6, side=side, order=order)
            assert once.shape == p6.shape and once.dtype == sample.dtype
            back = u.pose_inverse(*kernels.pose_inverse(q, t), once, side=side, order=order)
            assert close(sample, back, p6, 4e4)


@every_batch
def test_composition_is_associative(sample: Sample) -> None:
    poses = [sample.poses() for _ in range(3)]
    ps = [covariances(6, sample.batch, sample.dtype, sample.seed + i) for i in range(3)]
    a, b, c = poses
    for side in SIDES:
        for order in ORDERS:
            options: Any = {"side": side, "order": order}
            ab, bc = kernels.pose_multiply(*a, *b), kernels.pose_multiply(*b, *c)
            left = u.pose_compose(ab, u.pose_compose(a, ps[0], b, ps[1], **options), c, ps[2], **options)
            right = u.pose_compose(a, ps[0], bc, u.pose_compose(b, ps[1], c, ps[2], **options), **options)
            assert left.dtype == sample.dtype and close(sample, left, right, 4e3)


@every_batch
def test_left_and_right_say_the_same(sample: Sample) -> None:
    """Composing on one side or the other gives one uncertainty, only written on two sides."""
    (a, b), (c, d) = sample.poses(), sample.poses()
    p, r = covariances(6, sample.batch, sample.dtype, 1), covariances(6, sample.batch, sample.dtype, 2)
    left = u.pose_compose((a, b), p, (c, d), r, side="left", order="rot_trans")
    change: Any = {"from_": "left", "to": "right", "order": "rot_trans"}
    right = u.pose_compose(
        (a, b),
        u.pose_change_side(a, b, p, **change),
        (c, d),
        u.pose_change_side(c, d, r, **change),
        side="right",
        order="rot_trans",
    )
    whole = kernels.pose_multiply(a, b, c, d)
    assert close(sample, u.pose_change_side(*whole, left, **change), right, 4e4)
    p3, r3 = p[..., :3, :3], r[..., :3, :3]
    change = {"from_": "left", "to": "right"}
    left = u.rotation_compose(a, p3, c, r3, side="left")
    right = u.rotation_compose(
        a, u.rotation_change_side(a, p3, **change), c, u.rotation_change_side(c, r3, **change), side="right"
    )
    assert close(sample, u.rotation_change_side(kernels.multiply(a, c), left, **change), right)
    assert np.array_equal(u.rotation_change_side(a, p3, from_="left", to="left"), p3)
    assert np.array_equal(u.pose_change_side(a, b, p, from_="right", to="right", order="rot_trans"), p)


MIRRORED = [("FLU", "ENU", "FRU", "ESU"), ("FRD", "NED", "FRU", "NEU")]
PROPER = [("FLU", "ENU", "FRD", "NED"), ("RDF", "NWU", "FLU", "ENU")]


@pytest.mark.parametrize(("source", "target", "new_source", "new_target"), MIRRORED + PROPER)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", SIDES)
def test_reframing_a_covariance_is_reframing_the_poses_it_is_of(
    side: Any, order: Any, source: str, target: str, new_source: str, new_target: str
) -> None:
    s = permutation(Axes(source), Axes(new_source))
    t = permutation(Axes(target), Axes(new_target))
    coefficients, scale = quaternion_change(t, s)

    def reframe(q: Any, p: Any) -> tuple[Any, Any]:
        return kernels.change(q, coefficients, scale), kernels.permute(p, t.indices, t.signs)

    def change(pose: Any, twist: Any) -> Any:
        step = kernels.pose_exp(twist)
        return kernels.pose_multiply(*step, *pose) if side == "left" else kernels.pose_multiply(*pose, *step)

    rng = np.random.default_rng(3)
    pose = kernels.pose_exp(rng.standard_normal(6))
    twists = 1e-5 * rng.standard_normal((40, 6)) @ rng.standard_normal((6, 6))
    q, p = reframe(*pose)
    many, moved = reframe(*change(pose, twists))
    if side == "left":
        found = kernels.pose_log(*kernels.pose_multiply(many, moved, *kernels.pose_inverse(q, p)))
    else:
        found = kernels.pose_log(*kernels.pose_multiply(*kernels.pose_inverse(q, p), many, moved))
    before, after = twists.T @ twists, found.T @ found
    if order == "rot_trans":
        before, after = (np.roll(m, (3, 3), (0, 1)) for m in (before, after))
    ours = u.pose_reframe(before, target=t, source=s, side=side, order=order)
    assert np.allclose(ours, after, rtol=0, atol=1e-8 * np.abs(after).max())
    block = slice(0, 3) if order == "rot_trans" else slice(3, 6)
    rotation = u.rotation_reframe(before[block, block], target=t, source=s, side=side)
    assert np.allclose(rotation, ours[block, block], rtol=0, atol=1e-25)


def test_a_mirror_flips_what_stands_between_translation_and_rotation() -> None:
    p = np.eye(6) + 0.1
    s, t = permutation(Axes("FLU"), Axes("FRU")), permutation(Axes("ENU"), Axes("ESU"))
    found = u.pose_reframe(p, target=t, source=s, side="left", order="trans_rot")
    # x stays x for a position, and becomes -x for a rotation
    assert found[0, 3] == -p[0, 3] and found[1, 4] == -p[1, 4] and found[0, 1] == -p[0, 1]


def test_a_mirror_on_one_side_alone_is_refused() -> None:
    s, t = permutation(Axes("FLU"), Axes("FRU")), permutation(Axes("ENU"), Axes("NED"))
    with pytest.raises(FrameError, match="one side"):
        u.pose_reframe(np.eye(6), target=t, source=s, side="left", order="rot_trans")
    with pytest.raises(FrameError, match="one side"):
        u.rotation_reframe(np.eye(3), target=t, source=s, side="left")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", SIDES)
def test_transport_is_what_sampling_finds(side: Any, order: Any) -> None:
    rng = np.random.default_rng(5)
    a, b = kernels.pose_exp(rng.standard_normal(6)), kernels.pose_exp(rng.standard_normal(6))
    da, db = (1e-4 * rng.standard_normal((50_000, 6)) @ rng.standard_normal((6, 6)) for _ in range(2))

    def change(pose: Any, twist: Any) -> Any:
        step = kernels.pose_exp(twist)
        return kernels.pose_multiply(*step, *pose) if side == "left" else kernels.pose_multiply(*pose, *step)

    def difference(pose: Any, other: Any) -> Any:
        back = kernels.pose_inverse(*pose)
        both = (
            kernels.pose_multiply(*other, *back) if side == "left" else kernels.pose_multiply(*back, *other)
        )
        return kernels.pose_log(*both)

    def ordered(p: Any) -> Any:
        return p if order == "trans_rot" else np.roll(p, (3, 3), (0, 1))

    p, r = ordered(np.cov(da.T)), ordered(np.cov(db.T))
    many = kernels.pose_multiply(*change(a, da), *change(b, db))
    sampled = ordered(np.cov(difference(kernels.pose_multiply(*a, *b), many).T))
    ours = u.pose_compose(a, p, b, r, side=side, order=order)
    assert np.allclose(ours, sampled, rtol=0, atol=0.03 * np.abs(sampled).max())
    many = kernels.pose_inverse(*change(a, da))
    sampled = ordered(np.cov(difference(kernels.pose_inverse(*a), many).T))
    ours = u.pose_inverse(*a, p, side=side, order=order)
    assert np.allclose(ours, sampled, rtol=0, atol=1e-3 * np.abs(sampled).max())


@pytest.mark.parametrize("order", ORDERS)
def test_the_covariance_of_a_position_is_that_of_ros(order: Any) -> None:
    rng = np.random.default_rng(7)
    q, t = kernels.pose_exp(rng.standard_normal(6))
    small = 1e-5 * rng.standard_normal((60, 6))  # displacement, rotation about the fixed axes in place
    turned = kernels.multiply(kernels.exp(small[:, 3:]), q)
    left = kernels.pose_log(*kernels.pose_multiply(turned, t + small[:, :3], *kernels.pose_inverse(q, t)))
    before, after = small.T @ small, left.T @ left
    if order == "rot_trans":
        before, after = (np.roll(m, (3, 3), (0, 1)) for m in (before, after))
    ours = u.pose_from_position_covariance(t, before, order=order)
    assert np.allclose(ours, after, rtol=0, atol=1e-4 * np.abs(after).max())
    assert np.allclose(u.pose_to_position_covariance(t, ours, order=order), before, rtol=0, atol=1e-20)


def test_order_there_and_back() -> None:
    p = covariances(6, (2,), np.float32, 1)
    other = u.change_order(p, from_="rot_trans", to="trans_rot")
    assert other.dtype == np.float32 and np.array_equal(other[:, 0, 4], p[:, 3, 1])
    assert np.array_equal(u.change_order(other, from_="trans_rot", to="rot_trans"), p)


def test_nan_in_a_row_stays_in_that_row() -> None:
    p = np.stack([np.eye(6), np.eye(6)])
    p[0, 0, 5] = np.nan
    q, t = kernels.pose_exp(np.zeros((2, 6)))
    found = u.pose_inverse(q, t, p, side="left", order="trans_rot")
    assert np.isnan(found[0]).all() and np.isfinite(found[1]).all()


def test_shapes_that_do_not_go_together_are_named() -> None:
    with pytest.raises(ValueError, match=r"\(3, 3\) does not go with a Jacobian of shape \(6, 6\)"):
        u.transport(np.eye(3), np.eye(6))
    with pytest.raises(ValueError, match="last axes must be 3 by 3"):
        u.rotation_reframe(
            np.ones((2, 3)),
            target=permutation(Axes("ENU"), Axes("ENU")),
            source=permutation(Axes("FLU"), Axes("FLU")),
            side="left",
        )


def test_arguments_stay_as_they_are() -> None:
    p = np.eye(6)
    p.setflags(write=False)
    u.pose_change_side([0, 0, 0, 1], [1, 2, 3], p, from_="left", to="left", order="rot_trans")[0, 0] = 7
    assert p[0, 0] == 1
