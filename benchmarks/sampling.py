"""Random rotations a second, on one core: ours, and what else draws any, in turn within one run.

    python benchmarks/sampling.py [--rows 1000000] [--quick]

Batches where a library has them; OMPL one by one, as it does, with the numbers read out of each state. Every time is of
as many samples as are named, and includes making the array or the object that they come back in. Libraries that are not
installed are left out and named.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable
from typing import Any

from peers import interleaved  # binds itself to one processor first

# ruff: isort: split
import numpy as np

from boresight import Rotation
from boresight.sampling import (
    Bingham,
    EulerBox,
    GeodesicBall,
    GeodesicShell,
    IsotropicGaussian,
    MatrixFisher,
    Quotient,
    RotvecBox,
    SwingTwistBox,
    TiltCone,
    Uniform,
    WrappedNormal,
)

CENTER = Rotation.from_rotvec([0.3, -1.2, 2.0])
COVARIANCE = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, -0.02], [0.0, -0.02, 0.02]])
LAWS: dict[str, Any] = {
    "uniform": Uniform(),
    "geodesic ball": GeodesicBall(CENTER, 0.5),
    "wrapped normal": WrappedNormal(COVARIANCE, side="body", mean=CENTER),
    "matrix Fisher": MatrixFisher(np.diag([5.0, 3.0, 1.0])),
    "geodesic shell": GeodesicShell(CENTER, 0.4, 0.5),
    "isotropic Gaussian": IsotropicGaussian(variance=0.3, mean=CENTER),
    "Bingham": Bingham(np.diag([0.0, 5.0, 50.0, 500.0]), order="wxyz"),
    "tilt cone": TiltCone(CENTER, 0.3),
    "swing-twist box": SwingTwistBox(CENTER, 0.3, 0.5),
    "Euler box": EulerBox(CENTER, [0.4, 0.6, 1.0]),
    "rotvec box": RotvecBox(CENTER, [0.5, 0.9, 1.2]),
    "quotient O": Quotient("O"),
}
FASTER_THAN_SCIPY = 3.0
MILLIONS = {"geodesic ball": 10.0, "wrapped normal": 10.0, "matrix Fisher": 1.0}

Call = tuple[Callable[[], Any], int]  # and how many samples it draws


def of_scipy(rows: int) -> dict[str, Call]:
    from scipy.spatial.transform import Rotation as Peer

    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(COVARIANCE)
    center = Peer.from_rotvec([0.3, -1.2, 2.0])

    def gaussian() -> Any:
        return center * Peer.from_rotvec(rng.standard_normal((rows, 3)) @ root.T)

    return {"uniform": (lambda: Peer.random(rows, rng=rng), rows), "wrapped normal": (gaussian, rows)}


def of_ompl(rows: int) -> dict[str, Call]:
    from ompl import base

    space = base.SO3StateSpace()
    sampler, state, near = space.allocDefaultStateSampler(), space.allocState(), space.allocState()
    near.setIdentity()
    count = min(rows, 20_000)

    def drawing(draw: Callable[[], Any]) -> Call:
        def run() -> Any:
            for _ in range(count):
                draw()
                _ = (state.x, state.y, state.z, state.w)

        return run, count

    return {
        "uniform": drawing(lambda: sampler.sampleUniform(state)),
        "geodesic ball": drawing(lambda: sampler.sampleUniformNear(state, near, 0.25)),
        "wrapped normal": drawing(lambda: sampler.sampleGaussian(state, near, 0.1)),
    }


def of_geomstats(rows: int) -> dict[str, Call]:
    # Version 2.8 asks for a name that NumPy 2.4 no longer has.
    if not hasattr(np, "trapz"):
        setattr(np, "trapz", np.trapezoid)  # noqa: B010
    from geomstats.geometry.special_orthogonal import SpecialOrthogonal

    group, count = SpecialOrthogonal(n=3, point_type="vector"), min(rows, 100_000)
    return {"uniform": (lambda: group.random_uniform(count), count)}


def of_spatialmath(rows: int) -> dict[str, Call]:
    from spatialmath import SO3

    count = min(rows, 500)
    return {"uniform": (lambda: SO3.Rand(N=count), count)}


def ours(rows: int) -> dict[str, Call]:
    rng = np.random.default_rng(1)
    return {name: (lambda law=law: law.sample(rows, rng), rows) for name, law in LAWS.items()}


PEERS: dict[str, Callable[[int], dict[str, Call]]] = {
    "scipy": of_scipy,
    "ompl": of_ompl,
    "geomstats": of_geomstats,
    "spatialmath": of_spatialmath,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="a few rows, and no bars")
    arguments = parser.parse_args()
    rows, rounds = (2000, 2) if arguments.quick else (arguments.rows, 9)
    libraries = {"boresight": ours(rows)}
    for name, make in PEERS.items():
        with contextlib.suppress(ModuleNotFoundError):
            libraries[name] = make(rows)
    missing = [name for name in PEERS if name not in libraries]
    if missing:
        print(f"not installed: {', '.join(missing)}")

    print(f"millions of samples a second; batches of {rows}, one core")
    print(f"{'':20}" + "".join(f"{name:>13}" for name in libraries) + f"{'bar':>16}")
    misses: list[str] = []
    for law in LAWS:
        calls = {name: made[law] for name, made in libraries.items() if law in made}
        took = interleaved(
            {name: run for name, (run, _) in calls.items()}, rounds=rounds, least=0.001, most=3.0
        )
        rate = {name: calls[name][1] / took[name] / 1e6 for name in took}
        bar = ""
        if law == "uniform" and "scipy" in rate:
            bar = f"{rate['boresight'] / rate['scipy']:.2f} >= {FASTER_THAN_SCIPY:g} scipy"
            missed = rate["boresight"] < FASTER_THAN_SCIPY * rate["scipy"]
        else:
            bar = f">= {MILLIONS[law]:g}" if law in MILLIONS else ""
            missed = rate["boresight"] < MILLIONS.get(law, 0.0)
        if missed:
            misses.append(f"{law}: {rate['boresight']:.1f} million a second ({bar})")
        cells = "".join(f"{rate[name]:13.3f}" if name in rate else f"{'':13}" for name in libraries)
        print(f"{law:20}{cells}{bar:>20}")
    if misses and not arguments.quick:
        print("missed: " + "; ".join(misses), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
