"""One sample at a time through the samplers for OMPL, beside OMPL's own in C++, with the state read out.

    python benchmarks/ompl_samplers.py

Prints millions of samples a second and the ratio, the best of interleaved rounds. The bar: within three times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ompl import base as ob

from boresight.interop import ompl as interop

SAMPLES = 50_000
ROUNDS = 5
BAR = 3.0
METHODS = {"sampleUniform": (), "sampleUniformNear": (0.3,), "sampleGaussian": (0.3,)}


def rate(
    call: Callable[..., None], state: Any, arguments: tuple[Any, ...], read: Callable[[Any], Any]
) -> float:
    began = time.perf_counter()
    for _ in range(SAMPLES):
        call(state, *arguments)
        read(state)
    return SAMPLES / (time.perf_counter() - began) / 1e6


def read_rotation(state: Any) -> Any:
    return state.x, state.y, state.z, state.w


def read_pose(state: Any) -> Any:
    return state.getX(), state.getY(), state.getZ(), *read_rotation(state.rotation())


def spaces() -> list[tuple[str, Any, Callable[[Any], Any], Any, Any]]:
    """Name, space, how to read a state, our sampler, theirs."""
    so3, se3 = ob.SO3StateSpace(), ob.SE3StateSpace()
    bounds = ob.RealVectorBounds(3)
    bounds.setLow(-1)
    bounds.setHigh(1)
    se3.setBounds(bounds)
    theirs = se3.allocDefaultStateSampler()
    return [
        ("SO(3)", so3, read_rotation, interop.SO3StateSampler(so3, rng=1), ob.SO3StateSampler(so3)),
        ("SE(3), in a compound", se3, read_pose, interop.compound_sampler(se3, rng=1), theirs),
        ("SE(3), exact", se3, read_pose, interop.SE3StateSampler(se3, rng=1), theirs),
    ]


def main() -> None:
    print(f"{'space':<22}{'method':<19}{'ours':>6}{'OMPL':>7}{'ratio':>7}")
    missed = False
    for name, space, read, ours, theirs in spaces():
        state, near = space.allocState(), space.allocState()
        ours.sampleUniform(near)
        for method, arguments in METHODS.items():
            given = (near, *arguments) if arguments else ()
            pairs = [
                [rate(getattr(sampler, method), state, given, read) for sampler in (ours, theirs)]
                for _ in range(ROUNDS)
            ]
            own, other = (max(pair[i] for pair in pairs) for i in range(2))
            print(f"{name:<22}{method:<19}{own:6.2f}{other:7.2f}{other / own:7.2f}")
            missed |= space.getName().startswith("SO3") and other / own > BAR
    if missed:
        raise SystemExit(f"on SO(3) the bar of {BAR:g} was missed")


if __name__ == "__main__":
    main()
