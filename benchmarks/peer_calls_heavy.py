"""As `peer_calls`, for the libraries that bring a framework or a C++ library of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from peer_calls import BODY, WORLD, WXYZ, Call, Calls, Sample, from_wxyz, pose_matrix

# From this many rows on, what has no batches is not measured.
LONGEST_LIST = 10_000


def roma(s: Sample) -> Calls:
    import roma as n
    import torch

    torch.set_num_threads(1)
    p, q, v, u, m, vector, t = (
        torch.from_numpy(a) for a in (s.p, s.q, s.v, s.u, s.m, s.vector, np.atleast_1d(s.t))
    )
    raw = torch.from_numpy(np.ascontiguousarray(s.raw[..., [1, 2, 3, 0]]))
    angles, proper = torch.from_numpy(s.angles), torch.from_numpy(s.proper)
    body = torch.from_numpy((BODY * [-1, -1, -1, 1]).astype(s.q.dtype)).expand(p.shape)
    world = torch.from_numpy(WORLD.astype(s.q.dtype)).expand(p.shape)
    pose, other = n.RigidUnitQuat(p, v), n.RigidUnitQuat(q, u)

    def read(r: Any) -> Any:
        return r.numpy()

    def columns(a: Any) -> list[Any]:
        return list(a.unbind(-1))

    calls = {
        "from_quat": Call(lambda: n.quat_normalize(raw), read),
        "compose": Call(lambda: n.quat_product(p, q), read),
        "apply": Call(lambda: n.quat_action(p, v, is_normalized=True), read),
        "inverse": Call(lambda: n.quat_conjugation(p), read),
        "reframe": Call(lambda: n.quat_product(n.quat_product(world, p), body), read),
        "as_matrix": Call(lambda: n.unitquat_to_rotmat(q), read),
        "from_matrix": Call(lambda: n.rotmat_to_unitquat(m), read),
        "from_euler": Call(lambda: n.euler_to_unitquat("ZYX", columns(angles)), read),
        "as_euler": Call(lambda: n.unitquat_to_euler("ZYX", p), read),
        "from_euler ZYZ": Call(lambda: n.euler_to_unitquat("ZYZ", columns(proper)), read),
        "as_euler ZYZ": Call(lambda: n.unitquat_to_euler("ZYZ", p), read),
        "exp": Call(lambda: n.rotvec_to_unitquat(vector), read),
        "log": Call(lambda: n.unitquat_to_rotvec(q), read),
        "pose compose": Call(lambda: pose @ other, lambda r: r.to_homogeneous().numpy()),
        "pose apply": Call(lambda: pose.apply(u), read),
    }
    if s.single:  # its slerp of a batch takes every step of every pair
        calls["slerp"] = Call(lambda: n.unitquat_slerp(p, q, t), lambda r: r.numpy()[0])
    return calls


def jaxlie(s: Sample) -> Calls:
    import jax

    if s.q.dtype == np.float64:
        jax.config.update("jax_enable_x64", True)
    import jaxlie as n
    from jax import numpy as jnp

    def so3(a: Any) -> Any:
        return n.SO3(jnp.asarray(a[..., WXYZ]))

    P, Q = so3(s.p), so3(s.q)
    raw, v, u, m, vector, t, angles = (
        jnp.asarray(a) for a in (s.raw, s.v, s.u, s.m, s.vector, s.t, s.angles)
    )
    body, world = so3((BODY * [-1, -1, -1, 1]).astype(s.q.dtype)), so3(WORLD.astype(s.q.dtype))
    pose = n.SE3.from_rotation_and_translation(P, v)
    other = n.SE3.from_rotation_and_translation(Q, u)

    def quat(r: Any) -> Any:
        return from_wxyz(r.wxyz)

    def jitted(f: Callable[..., Any], *arguments: Any, read: Callable[[Any], Any] = np.asarray) -> Call:
        g = jax.jit(f if s.single else jax.vmap(f))
        return Call(lambda: jax.block_until_ready(g(*arguments)), read)

    def angles_of(r: Any) -> Any:
        rpy = r.as_rpy_radians()
        return jnp.stack([rpy.yaw, rpy.pitch, rpy.roll])

    def slerp(a: Any, b: Any, at: Any) -> Any:
        return a @ n.SO3.exp(at * (a.inverse() @ b).log())

    return {
        "from_quat": jitted(lambda a: n.SO3(a).normalize(), raw, read=quat),
        "compose": jitted(lambda a, b: a @ b, P, Q, read=quat),
        "apply": jitted(lambda a, b: a @ b, P, v),
        "inverse": jitted(lambda a: a.inverse(), P, read=quat),
        "reframe": jitted(lambda a: world @ a @ body, P, read=quat),
        "as_matrix": jitted(lambda a: a.as_matrix(), Q),
        "from_matrix": jitted(n.SO3.from_matrix, m, read=quat),
        "from_euler": jitted(lambda a: n.SO3.from_rpy_radians(a[2], a[1], a[0]), angles, read=quat),
        "as_euler": jitted(angles_of, P),
        "exp": jitted(n.SO3.exp, vector, read=quat),
        "log": jitted(lambda a: a.log(), Q),
        "slerp": jitted(slerp, P, Q, t, read=quat),
        "pose compose": jitted(lambda a, b: a @ b, pose, other, read=lambda r: np.asarray(r.as_matrix())),
        "pose apply": jitted(lambda a, b: a @ b, pose, u),
    }


def each(s: Sample, f: Callable[..., Any], *batches: Any, read: Callable[[Any], Any] = np.asarray) -> Call:
    """`f` of one row, or of all in a list."""
    if s.single:
        return Call(lambda: f(*batches), read)
    rows = list(zip(*batches, strict=True))
    return Call(lambda: [f(*row) for row in rows], lambda result: np.array([read(r) for r in result]))


def singles(s: Sample, f: Callable[..., Any], *batches: Any) -> Any:
    """The library's own object of one row, or a list of them."""
    return f(*batches) if s.single else [f(*row) for row in zip(*batches, strict=True)]


def pytransform3d(s: Sample) -> Calls:
    from pytransform3d import batch_rotations as b
    from pytransform3d import rotations as r
    from pytransform3d import trajectories as j
    from pytransform3d import transformations as g

    p, q = (np.ascontiguousarray(a[..., WXYZ]) for a in (s.p, s.q))
    body, world = BODY[WXYZ] * [1, -1, -1, -1], WORLD[WXYZ]
    calls: Calls = {}
    if s.rows() <= LONGEST_LIST:
        t = float(s.t) if s.single else s.t.tolist()
        calls |= {
            "apply": each(s, r.q_prod_vector, p, s.v),
            "from_euler": each(
                s, lambda e: r.quaternion_from_euler(e, 2, 1, 0, False), s.angles, read=from_wxyz
            ),
            "as_euler": each(s, lambda a: r.euler_from_quaternion(a, 2, 1, 0, False), p),
            "from_euler ZYZ": each(
                s, lambda e: r.quaternion_from_euler(e, 2, 1, 2, False), s.proper, read=from_wxyz
            ),
            "as_euler ZYZ": each(s, lambda a: r.euler_from_quaternion(a, 2, 1, 2, False), p),
            "exp": each(s, r.quaternion_from_compact_axis_angle, s.vector, read=from_wxyz),
            "log": each(s, r.compact_axis_angle_from_quaternion, q),
            "slerp": each(
                s, lambda a, c, at: r.quaternion_slerp(a, c, at, shortest_path=True), p, q, t, read=from_wxyz
            ),
        }
    if s.single:
        pose, other = (g.transform_from_pq(np.hstack(a)) for a in ((s.v, p), (s.u, q)))
        point = np.append(s.u, 1.0)
        return calls | {
            "from_quat": Call(lambda: r.check_quaternion(s.raw), from_wxyz),
            "compose": Call(lambda: r.concatenate_quaternions(p, q), from_wxyz),
            "inverse": Call(lambda: r.q_conj(p), from_wxyz),
            "reframe": Call(
                lambda: r.concatenate_quaternions(r.concatenate_quaternions(world, p), body), from_wxyz
            ),
            "as_matrix": Call(lambda: r.matrix_from_quaternion(q), np.asarray),
            "from_matrix": Call(lambda: r.quaternion_from_matrix(s.m), from_wxyz),
            "pose compose": Call(lambda: g.concat(other, pose), np.asarray),
            "pose apply": Call(lambda: g.transform(pose, point), lambda a: a[:3]),
        }
    body, world = np.broadcast_to(body, p.shape), np.broadcast_to(world, p.shape)
    pose, other = (j.transforms_from_pqs(np.hstack(a)) for a in ((s.v, p), (s.u, q)))
    return calls | {
        "from_quat": Call(lambda: b.norm_vectors(s.raw), from_wxyz),
        "compose": Call(lambda: b.batch_concatenate_quaternions(p, q), from_wxyz),
        "inverse": Call(lambda: b.batch_q_conj(p), from_wxyz),
        "reframe": Call(
            lambda: b.batch_concatenate_quaternions(b.batch_concatenate_quaternions(world, p), body),
            from_wxyz,
        ),
        "as_matrix": Call(lambda: b.matrices_from_quaternions(q, normalize_quaternions=False), np.asarray),
        "from_matrix": Call(lambda: b.quaternions_from_matrices(s.m), from_wxyz),
        "pose compose": Call(lambda: j.concat_many_to_many(other, pose), np.asarray),
    }


def pin(s: Sample) -> Calls:
    import pinocchio as n

    if s.rows() > LONGEST_LIST or s.q.dtype != np.float64:
        return {}

    def quaternion(a: Any) -> Any:
        return n.Quaternion(np.asarray(a, dtype=np.float64))

    P, Q = (singles(s, quaternion, a) for a in (s.p, s.q))
    raw, t = s.raw[..., [1, 2, 3, 0]], s.t.tolist()
    body, world = quaternion(BODY).conjugate(), quaternion(WORLD)
    pose = singles(s, lambda a, b: n.SE3(a, np.asarray(b, dtype=np.float64)), P, s.v)
    other = singles(s, lambda a, b: n.SE3(a, np.asarray(b, dtype=np.float64)), Q, s.u)
    matrices = singles(s, lambda a: a.toRotationMatrix(), P)

    def coefficients(a: Any) -> Any:
        return np.array(a.coeffs())

    def of_matrix(a: Any) -> Any:
        return coefficients(n.Quaternion(a))

    def matrix(a: Any) -> Any:
        return a.homogeneous

    return {
        "from_quat": each(s, lambda a: n.Quaternion(a).normalized(), raw, read=coefficients),
        "as_quat": each(s, lambda a: a.coeffs(), Q),
        "compose": each(s, lambda a, b: a * b, P, Q, read=coefficients),
        "apply": each(s, lambda a, b: a * b, P, s.v),
        "inverse": each(s, lambda a: a.conjugate(), P, read=coefficients),
        "reframe": each(s, lambda a: world * a * body, P, read=coefficients),
        "as_matrix": each(s, lambda a: a.toRotationMatrix(), Q),
        "from_matrix": each(s, n.Quaternion, s.m, read=coefficients),
        "from_euler": each(s, lambda a: n.rpy.rpyToMatrix(*a), s.angles[..., ::-1], read=of_matrix),
        "as_euler": each(s, n.rpy.matrixToRpy, matrices, read=lambda a: np.asarray(a)[::-1]),
        "exp": each(s, lambda a: n.Quaternion(n.exp3_quat(a)), s.vector, read=coefficients),
        "log": each(s, lambda a: n.log3(a.toRotationMatrix()), Q),
        "slerp": each(s, lambda a, b, at: a.slerp(at, b), P, Q, t, read=coefficients),
        "pose compose": each(s, lambda a, b: a * b, pose, other, read=matrix),
        "pose apply": each(s, lambda a, b: a.act(b), pose, s.u),
    }


def gtsam(s: Sample) -> Calls:
    import gtsam as n

    if s.rows() > LONGEST_LIST or s.q.dtype != np.float64:
        return {}

    def rotation(a: Any) -> Any:
        x, y, z, w = a.tolist()
        return n.Rot3.Quaternion(w, x, y, z)

    P, Q = (singles(s, rotation, a) for a in (s.p, s.q))
    angles, t = s.angles.tolist(), s.t.tolist()
    unit = s.p[..., WXYZ].tolist()  # it does not normalise
    body, world = rotation(BODY).inverse(), rotation(WORLD)
    pose, other = singles(s, n.Pose3, P, s.v), singles(s, n.Pose3, Q, s.u)

    def coefficients(r: Any) -> Any:
        a = r.toQuaternion()
        return np.array([a.x(), a.y(), a.z(), a.w()])

    def matrix(r: Any) -> Any:
        return pose_matrix(r.rotation().matrix(), r.translation())

    return {
        "from_quat": each(s, lambda a: n.Rot3.Quaternion(*a), unit, read=coefficients),
        "as_quat": each(
            s, lambda r: r.toQuaternion(), Q, read=lambda a: np.array([a.x(), a.y(), a.z(), a.w()])
        ),
        "compose": each(s, lambda a, b: a * b, P, Q, read=coefficients),
        "apply": each(s, lambda a, b: a.rotate(b), P, s.v),
        "inverse": each(s, lambda a: a.inverse(), P, read=coefficients),
        "reframe": each(s, lambda a: world * a * body, P, read=coefficients),
        "as_matrix": each(s, lambda a: a.matrix(), Q),
        "from_matrix": each(s, n.Rot3, s.m, read=coefficients),
        "from_euler": each(s, lambda a: n.Rot3.Ypr(*a), angles, read=coefficients),
        "as_euler": each(s, lambda a: a.ypr(), P),
        "exp": each(s, n.Rot3.Expmap, s.vector, read=coefficients),
        "log": each(s, n.Rot3.Logmap, Q),
        "slerp": each(s, lambda a, b, at: a.slerp(at, b), P, Q, t, read=coefficients),
        "pose compose": each(s, lambda a, b: a * b, pose, other, read=matrix),
        "pose apply": each(s, lambda a, b: a.transformFrom(b), pose, s.u),
    }
