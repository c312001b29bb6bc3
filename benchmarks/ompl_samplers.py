"""One sample at a time through the samplers for OMPL, beside OMPL's own in C++, with the state read out.

    python benchmarks/ompl_samplers.py

States near another and Gaussian ones are drawn about one centre throughout, and about another with each call. Prints
millions of samples a second and the ratio, the best of interleaved rounds. The bar: within three times, in every row.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

from ompl import base as ob

from boresight.interop import ompl as interop

SAMPLES = 10_000  # more than two batches
ROUNDS = 15
CENTERS = 64
DISTANCE = 0.3
BAR = 3.0

Read = Callable[[Any], Any]


def time_alone(draw: Callable[..., None], state: Any, read: Read) -> float:
    began = time.perf_counter()
    for _ in range(SAMPLES):
        draw(state)
        read(state)
    return time.perf_counter() - began


def time_about(draw: Callable[..., None], state: Any, read: Read, centers: list[Any]) -> float:
    began = time.perf_counter()
    for center in centers:
        draw(state, center, DISTANCE)
        read(state)
    return time.perf_counter() - began


def read_rotation(state: Any) -> Any:
    return state.x, state.y, state.z, state.w


def read_pose(state: Any) -> Any:
    return state.getX(), state.getY(), state.getZ(), *read_rotation(state.rotation())


def spaces() -> list[tuple[str, Any, Read, Any, Any]]:
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


def centers_of(space: Any, sampler: Any) -> dict[str, list[Any]]:
    states = [space.allocState() for _ in range(CENTERS)]
    for state in states:
        sampler.sampleUniform(state)
    return {"one centre": [states[0]] * SAMPLES, "new centres": list(islice(cycle(states), SAMPLES))}


def main() -> None:
    print(f"{'space':<22}{'method':<19}{'about':<13}{'ours':>6}{'OMPL':>7}{'ratio':>7}")
    missed: list[str] = []
    for name, space, read, ours, theirs in spaces():
        state = space.allocState()
        about = centers_of(space, ours)
        cases: list[tuple[str, str, Callable[..., float], tuple[Any, ...]]] = [
            ("sampleUniform", "", time_alone, ())
        ]
        for method in ("sampleUniformNear", "sampleGaussian"):
            cases += [(method, what, time_about, (centers,)) for what, centers in about.items()]
        for method, what, measure, given in cases:
            draws = [getattr(sampler, method) for sampler in (ours, theirs)]
            rounds = [[measure(draw, state, read, *given) for draw in draws] for _ in range(ROUNDS)]
            own, other = (SAMPLES / min(times) / 1e6 for times in zip(*rounds, strict=True))
            print(f"{name:<22}{method:<19}{what:<13}{own:6.2f}{other:7.2f}{other / own:7.2f}", flush=True)
            if other / own > BAR:
                missed.append(f"{name} {method} {what}")
    if missed:
        raise SystemExit(f"the bar of {BAR:g} was missed by: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
