"""One operation in each library: what `peers.py` times.

A library is a function from a sample to its calls: for each operation that it has, the call to time and what makes of
its result a plain array to check. Inputs are in the library's own types before the clock starts, and the quickest
form that its documentation offers is the one taken. Libraries without batches go through a list. What only hands out
a view of its memory, as some do for their quaternions, is no operation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

OPERATIONS = (
    "from_quat", "as_quat", "compose", "apply", "inverse", "reframe", "as_matrix", "from_matrix",
    "from_euler", "as_euler", "from_euler ZYZ", "as_euler ZYZ", "exp", "log", "slerp", "pose compose", "pose apply",
)  # fmt: skip

WXYZ = [3, 0, 1, 2]
XYZW = [1, 2, 3, 0]
# FRD and NED to FLU and ENU as quaternions: half a turn about x, and about the line midway between x and y.
BODY = np.array([1.0, 0.0, 0.0, 0.0])
WORLD = np.array([0.5**0.5, 0.5**0.5, 0.0, 0.0])


@dataclass(frozen=True)
class Sample:
    """Inputs of one size and type. Quaternions are x, y, z, w; `raw` is w, x, y, z and of any length."""

    raw: Any
    p: Any
    q: Any
    v: Any
    u: Any
    m: Any
    angles: Any
    proper: Any
    vector: Any
    t: Any

    @property
    def single(self) -> bool:
        return self.q.ndim == 1

    def rows(self) -> int:
        return self.q.size // 4


def sample(rows: int, dtype: type, seed: int = 7) -> Sample:
    """Random rotations away from what has two right answers: poles, half turns, the far ends of a slerp."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(rows, 4))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    # Close to half a turn the sign of a logarithm would be left to rounding.
    vector = rng.normal(size=(rows, 3))
    vector *= (rng.uniform(0.1, 3.0, size=rows) / np.linalg.norm(vector, axis=1))[:, None]
    angle = np.linalg.norm(vector, axis=1, keepdims=True)
    q = np.hstack([vector / angle * np.sin(angle / 2), np.cos(angle / 2)])
    # Not every library's slerp takes the shorter way by itself.
    p *= np.sign(np.sum(p * q, axis=1, keepdims=True))
    x, y, z, w = q.T
    m = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    outer = rng.uniform(-3, 3, size=(rows, 3))
    angles, proper = outer.copy(), outer
    angles[:, 1] = rng.uniform(-1.4, 1.4, size=rows)
    proper[:, 1] = rng.uniform(0.2, 2.9, size=rows)
    raw = p[:, WXYZ] * rng.uniform(0.5, 2.0, size=(rows, 1))
    v, u = rng.normal(size=(2, rows, 3))
    arrays = (raw, p, q, v, u, np.moveaxis(m, 2, 0), angles, proper, vector, rng.uniform(size=rows))
    return Sample(*(np.array(a[0] if rows == 1 else a, dtype=dtype, order="C") for a in arrays))


class Call(NamedTuple):
    run: Callable[[], Any]
    read: Callable[[Any], Any]


Calls = dict[str, Call]


def from_wxyz(q: Any) -> Any:
    return np.asarray(q)[..., XYZW]


def ours(s: Sample) -> Calls:
    """The classes, with frames."""
    from boresight import Pose, Rotation, frames

    camera = frames.dynamic("camera", axes="RDF", of="camera")
    frd, ned = frames.FRD, frames.NED
    P = Rotation.from_quat(s.p, order="xyzw", source=frd, target=ned)
    Q = Rotation.from_quat(s.q, order="xyzw", source=camera, target=frd)
    Q2 = Rotation.from_quat(s.q, order="xyzw", source=frd, target=ned)
    pose, other = Pose(P, s.v), Pose(Q, s.u)
    flu, enu = frames.FLU, frames.ENU

    def quat(r: Any) -> Any:
        return r.as_quat(order="xyzw")

    return {
        "from_quat": Call(lambda: Rotation.from_quat(s.raw, order="wxyz", source=frd, target=ned), quat),
        "as_quat": Call(lambda: Q.as_quat(order="wxyz"), from_wxyz),
        "compose": Call(lambda: P @ Q, quat),
        "apply": Call(lambda: P.apply(s.v), np.asarray),
        "inverse": Call(P.inv, quat),
        "reframe": Call(lambda: P.reframe(source=flu, target=enu), quat),
        "as_matrix": Call(Q.as_matrix, np.asarray),
        "from_matrix": Call(lambda: Rotation.from_matrix(s.m, source=frd, target=ned), quat),
        "from_euler": Call(
            lambda: Rotation.from_euler("ZYX", s.angles, degrees=False, source=frd, target=ned), quat
        ),
        "as_euler": Call(lambda: P.as_euler("ZYX", degrees=False), np.asarray),
        "from_euler ZYZ": Call(
            lambda: Rotation.from_euler("ZYZ", s.proper, degrees=False, source=frd, target=ned), quat
        ),
        "as_euler ZYZ": Call(lambda: P.as_euler("ZYZ", degrees=False), np.asarray),
        "exp": Call(lambda: Rotation.from_rotvec(s.vector, source=frd, target=ned), quat),
        "log": Call(Q.as_rotvec, np.asarray),
        "slerp": Call(lambda: P.slerp(Q2, s.t), quat),
        "pose compose": Call(lambda: pose @ other, lambda r: r.as_matrix()),
        "pose apply": Call(lambda: pose.apply(s.u), np.asarray),
    }


Kernel = tuple[Callable[..., Any], tuple[Any, ...], Callable[[Any], Any]]


def kernel_calls(s: Sample) -> dict[str, Kernel]:
    """The functions on plain arrays: function, inputs, reader of the result. All take `out=`."""
    from boresight import kernels as k
    from boresight.axes import Axes, permutation, quaternion_change

    world = permutation(Axes("NED"), Axes("ENU"))
    C, scale = quaternion_change(world, permutation(Axes("FRD"), Axes("FLU")))
    C = C.astype(s.q.dtype)
    plain = np.asarray

    def pose(pair: Any) -> Any:
        q, t = pair
        return pose_matrix(k.to_matrix(q), t)

    return {
        "from_quat": (lambda a, out=None: k.from_quaternion(a, order="wxyz", out=out), (s.raw,), plain),
        "as_quat": (lambda a, out=None: k.to_quaternion(a, order="wxyz", out=out), (s.q,), from_wxyz),
        "compose": (k.multiply, (s.p, s.q), plain),
        "apply": (k.rotate, (s.p, s.v), plain),
        "inverse": (k.conjugate, (s.p,), plain),
        "reframe": (lambda a, out=None: k.change(a, C, scale, out=out), (s.p,), plain),
        "as_matrix": (k.to_matrix, (s.q,), plain),
        "from_matrix": (k.from_matrix, (s.m,), plain),
        "from_euler": (
            lambda a, out=None: k.from_euler("ZYX", a, degrees=False, out=out),
            (s.angles,),
            plain,
        ),
        "as_euler": (lambda a, out=None: k.to_euler("ZYX", a, degrees=False, out=out), (s.p,), plain),
        "from_euler ZYZ": (
            lambda a, out=None: k.from_euler("ZYZ", a, degrees=False, out=out),
            (s.proper,),
            plain,
        ),
        "as_euler ZYZ": (lambda a, out=None: k.to_euler("ZYZ", a, degrees=False, out=out), (s.p,), plain),
        "exp": (k.exp, (s.vector,), plain),
        "log": (k.log, (s.q,), plain),
        "slerp": (k.slerp, (s.p, s.q, s.t), plain),
        "pose compose": (k.pose_multiply, (s.p, s.v, s.q, s.u), pose),
        "pose apply": (k.pose_apply, (s.p, s.v, s.u), plain),
    }


def results_of(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def kernels(s: Sample) -> Calls:
    return {
        name: Call(lambda f=f, a=arguments: f(*a), read)
        for name, (f, arguments, read) in kernel_calls(s).items()
    }


def pose_matrix(m: Any, t: Any) -> Any:
    whole = np.zeros((*np.shape(t)[:-1], 4, 4))
    whole[..., :3, :3], whole[..., :3, 3], whole[..., 3, 3] = m, t, 1.0
    return whole


def scipy(s: Sample) -> Calls:
    from scipy.spatial.transform import RigidTransform, Rotation, Slerp

    P, Q = Rotation.from_quat(s.p), Rotation.from_quat(s.q)
    body, world = Rotation.from_quat(BODY).inv(), Rotation.from_quat(WORLD)
    pose = RigidTransform.from_components(s.v, P)
    other = RigidTransform.from_components(s.u, Q)

    def quat(r: Any) -> Any:
        return r.as_quat()

    def slerp() -> Any:
        # Its Slerp has one pair of ends, so a batch of pairs goes by way of the power.
        if s.single:
            return Slerp([0, 1], Rotation.concatenate([P, Q]))(s.t)
        return P * Rotation.from_rotvec((P.inv() * Q).as_rotvec() * s.t[:, None])

    return {
        "from_quat": Call(lambda: Rotation.from_quat(s.raw, scalar_first=True), quat),
        "as_quat": Call(lambda: Q.as_quat(scalar_first=True), from_wxyz),
        "compose": Call(lambda: P * Q, quat),
        "apply": Call(lambda: P.apply(s.v), np.asarray),
        "inverse": Call(P.inv, quat),
        "reframe": Call(lambda: world * P * body, quat),
        "as_matrix": Call(Q.as_matrix, np.asarray),
        "from_matrix": Call(lambda: Rotation.from_matrix(s.m), quat),
        "from_euler": Call(lambda: Rotation.from_euler("ZYX", s.angles), quat),
        "as_euler": Call(lambda: P.as_euler("ZYX"), np.asarray),
        "from_euler ZYZ": Call(lambda: Rotation.from_euler("ZYZ", s.proper), quat),
        "as_euler ZYZ": Call(lambda: P.as_euler("ZYZ"), np.asarray),
        "exp": Call(lambda: Rotation.from_rotvec(s.vector), quat),
        "log": Call(Q.as_rotvec, np.asarray),
        "slerp": Call(slerp, quat),
        "pose compose": Call(lambda: pose * other, lambda r: r.as_matrix()),
        "pose apply": Call(lambda: pose.apply(s.u), np.asarray),
    }


def numpy_quaternion(s: Sample) -> Calls:
    import quaternion as n

    p, q = n.from_float_array(s.p[..., WXYZ]), n.from_float_array(s.q[..., WXYZ])
    body = n.from_float_array(BODY[WXYZ]).conjugate()
    world = n.from_float_array(WORLD[WXYZ])

    def read(r: Any) -> Any:
        return from_wxyz(n.as_float_array(r))

    return {
        "from_quat": Call(lambda: np.normalized(n.from_float_array(s.raw)), read),
        "compose": Call(lambda: p * q, read),
        # Its rotate_vectors turns every vector by every rotation.
        "apply": Call(lambda: n.as_vector_part(p * n.from_vector_part(s.v) * p.conjugate()), np.asarray),
        "inverse": Call(p.conjugate, read),
        "reframe": Call(lambda: world * p * body, read),
        "as_matrix": Call(lambda: n.as_rotation_matrix(q), np.asarray),
        "from_matrix": Call(lambda: n.from_rotation_matrix(s.m, nonorthogonal=False), read),
        "from_euler ZYZ": Call(lambda: n.from_euler_angles(s.proper), read),
        "as_euler ZYZ": Call(lambda: n.as_euler_angles(p), np.asarray),
        "exp": Call(lambda: n.from_rotation_vector(s.vector), read),
        "log": Call(lambda: n.as_rotation_vector(q), np.asarray),
        "slerp": Call(lambda: np.slerp_vectorized(p, q, s.t), read),
    }


def quaternionic(s: Sample) -> Calls:
    import quaternionic as n

    p, q = n.array(s.p[..., WXYZ]), n.array(s.q[..., WXYZ])
    body, world = n.array(BODY[WXYZ]).conjugate(), n.array(WORLD[WXYZ])

    def read(r: Any) -> Any:
        return from_wxyz(r.ndarray)

    return {
        "from_quat": Call(lambda: n.array(s.raw).normalized, read),
        "compose": Call(lambda: p * q, read),
        "apply": Call(lambda: (p * n.array.from_vector_part(s.v) * p.conjugate()).vector, np.asarray),
        "inverse": Call(p.conjugate, read),
        "reframe": Call(lambda: world * p * body, read),
        "as_matrix": Call(lambda: q.to_rotation_matrix, np.asarray),
        "from_matrix": Call(lambda: n.array.from_rotation_matrix(s.m, nonorthogonal=False), read),
        "from_euler ZYZ": Call(lambda: n.array.from_euler_angles(s.proper), read),
        "as_euler ZYZ": Call(lambda: p.to_euler_angles, np.asarray),
        "exp": Call(lambda: n.array.from_rotation_vector(s.vector), read),
        "log": Call(lambda: q.to_rotation_vector, np.asarray),
        "slerp": Call(lambda: n.slerp(p, q, s.t), read),
    }


def rowan(s: Sample) -> Calls:
    import rowan as n

    p, q = (np.ascontiguousarray(a[..., WXYZ]) for a in (s.p, s.q))
    body, world = BODY[WXYZ] * [1, -1, -1, -1], WORLD[WXYZ]
    half = np.concatenate([np.zeros((*s.vector.shape[:-1], 1), s.vector.dtype), s.vector / 2], axis=-1)
    a, b, c = (s.angles[..., i] for i in range(3))
    d, e, f = (s.proper[..., i] for i in range(3))
    t = float(s.t) if s.single else s.t
    return {
        "from_quat": Call(lambda: n.normalize(s.raw), from_wxyz),
        "compose": Call(lambda: n.multiply(p, q), from_wxyz),
        "apply": Call(lambda: n.rotate(p, s.v), np.asarray),
        "inverse": Call(lambda: n.conjugate(p), from_wxyz),
        "reframe": Call(lambda: n.multiply(n.multiply(world, p), body), from_wxyz),
        "as_matrix": Call(lambda: n.to_matrix(q), np.asarray),
        "from_matrix": Call(lambda: n.from_matrix(s.m), from_wxyz),
        "from_euler": Call(lambda: n.from_euler(a, b, c, "zyx", "intrinsic"), from_wxyz),
        "as_euler": Call(lambda: n.to_euler(p, "zyx", "intrinsic"), np.asarray),
        "from_euler ZYZ": Call(lambda: n.from_euler(d, e, f, "zyz", "intrinsic"), from_wxyz),
        "as_euler ZYZ": Call(lambda: n.to_euler(p, "zyz", "intrinsic"), np.asarray),
        "exp": Call(lambda: n.exp(half), from_wxyz),
        "log": Call(lambda: n.log(q), lambda r: 2 * r[..., 1:]),
        "slerp": Call(lambda: n.interpolate.slerp(p, q, t), lambda r: from_wxyz(r).reshape(s.q.shape)),
    }
