"""`FrameTree` beside ROS's own tf2, asked the same questions.

tf2 is in Debian's python3-tf2, built for Debian's own Python. It runs in that Python, with numbers passed as JSON, so that
it does not matter which one runs the tests; where there is none the tests skip. `.ci/tf2.sh` installs it.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation, kernels
from boresight.errors import FrameError, InvalidRowsError
from boresight.frames import dynamic
from boresight.tree import FrameTree

SECOND = 1_000_000_000
# tf2's Python door takes times as doubles in seconds: at today's dates that is 240 ns, and as much of a turn. So these are
# times soon after the start, which it can hold to the nanosecond.
START = 1_000 * SECOND

PYTHON = os.environ.get("BORESIGHT_TF2_PYTHON", "/usr/bin/python3")

PROGRAM = """
import json, sys
sys.path.append("/usr/lib/python3/dist-packages")
import tf2_py, genpy, rospy
from geometry_msgs.msg import TransformStamped
if len(sys.argv) > 1:
    sys.exit()
job = json.load(sys.stdin)
buffer = tf2_py.BufferCore(rospy.Duration(10000.0))
stamp = lambda ns: rospy.Time(ns // 10**9, ns % 10**9)
for edge in job["edges"]:
    for ns, q, t in edge["poses"]:
        m = TransformStamped()
        m.header.frame_id, m.child_frame_id, m.header.stamp = edge["parent"], edge["child"], stamp(ns)
        r, x = m.transform.rotation, m.transform.translation
        r.x, r.y, r.z, r.w = q
        x.x, x.y, x.z = t
        (buffer.set_transform_static if edge["fixed"] else buffer.set_transform)(m, "test")
answers = []
for target, source, ns in job["questions"]:
    try:
        m = buffer.lookup_transform_core(target, source, stamp(ns)).transform
        r, x = m.rotation, m.translation
        answers.append([[r.x, r.y, r.z, r.w], [x.x, x.y, x.z]])
    except Exception as error:
        answers.append(type(error).__name__)
json.dump(answers, sys.stdout)
"""


@functools.cache
def missing() -> str:
    """Why tf2 cannot be asked here; empty if it can."""
    try:
        run = subprocess.run([PYTHON, "-c", PROGRAM, "try"], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"tf2 is not here: {error}"
    return f"tf2 is not in {PYTHON}: {run.stderr.strip().splitlines()[-1]}" if run.returncode else ""


def tf2(edges: list[dict[str, Any]], questions: list[Any]) -> list[Any]:
    """What tf2 answers: quaternion and translation, or the name of its exception."""
    if missing():
        pytest.skip(f"{missing()} (.ci/tf2.sh installs it)")
    job = json.dumps({"edges": edges, "questions": questions})
    run = subprocess.run([PYTHON, "-c", PROGRAM], input=job, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


FRAMES = {
    name: dynamic(name, axes="FLU", of=name)
    for name in ("odom", "base", "mast", "head", "lens", "rock", "stone")
}

# child, parent, and how many poses: 0 for a fixed one. Rock and stone have nothing to do with the others.
SHAPE = [
    ("base", "odom", 40),
    ("mast", "base", 0),
    ("head", "mast", 25),
    ("lens", "head", 0),
    ("rock", "stone", 3),
]


def world(seed: int) -> tuple[FrameTree, list[dict[str, Any]]]:
    """One world, for both."""
    rng = np.random.default_rng(seed)
    tree, edges = FrameTree(), []
    for child, parent, n in SHAPE:
        # Up to nearly a half turn from each pose to the next, and signs as they come.
        steps = kernels.exp(1.7 * rng.uniform(-1, 1, (max(n, 1), 3)))
        q = [steps[0]]
        for step in steps[1:]:
            q.append(kernels.multiply(q[-1], step))
        q = kernels.from_quaternion(np.array(q) * rng.choice([-1, 1], (len(q), 1)), order="xyzw")
        t = rng.uniform(-5, 5, (len(q), 3))
        times = START + np.cumsum(rng.integers(SECOND // 100, SECOND // 5, len(q)))
        rotation = Rotation.from_quat(q, order="xyzw", source=FRAMES[child], target=FRAMES[parent])
        poses = Pose(rotation, t)
        if n:
            tree.add(poses, times=times)
        else:
            tree.add(poses[0])
        rows = [[int(ns), *parts] for ns, *parts in zip(times, q.tolist(), t.tolist(), strict=True)]
        edges.append({"child": child, "parent": parent, "fixed": not n, "poses": rows})
    return tree, edges


@pytest.mark.parametrize("seed", range(3))
def test_the_answers_are_those_of_tf2(seed: int) -> None:
    tree, edges = world(seed)
    rng = np.random.default_rng(100 + seed)
    first, last = tree.span(source="lens", target="odom")
    names = ["odom", "base", "mast", "head", "lens"]
    keys = [row[0] for row in edges[0]["poses"] if first <= row[0] <= last]
    times = [*rng.integers(first, last, 60).tolist(), first, last, *keys[:5]]
    questions = []
    for ns in times:
        target, source = rng.choice(names, 2)
        questions.append([str(target), str(source), int(ns)])
    worst_angle = worst_length = 0.0
    for (target, source, ns), answer in zip(questions, tf2(edges, questions), strict=True):
        found = tree.lookup(source=source, target=target, time=ns)
        q, t = (np.array(part) for part in answer)
        q = kernels.from_quaternion(q, order="xyzw")
        ours = found.rotation.as_quat(order="xyzw")
        worst_angle = max(worst_angle, float(kernels.angle(kernels.multiply(kernels.conjugate(q), ours))))
        worst_length = max(worst_length, float(np.abs(found.translation - t).max()))
    assert worst_angle < 1e-12
    assert worst_length < 1e-12


def test_many_times_at_once_are_as_one_by_one() -> None:
    tree, edges = world(7)
    first, last = tree.span(source="lens", target="odom")
    times = np.random.default_rng(8).integers(first, last, 50)
    found = tree.lookup(source="lens", target="odom", time=times)
    answers = tf2(edges, [["odom", "lens", int(ns)] for ns in times])
    exact = np.array([t for _, t in answers])
    assert np.abs(found.translation - exact).max() < 1e-12


def test_both_refuse_the_same() -> None:
    tree, edges = world(9)
    first, last = tree.span(source="lens", target="odom")
    questions = [
        ["odom", "lens", last + SECOND],
        ["odom", "lens", first - SECOND],
        ["odom", "rock", first],
        ["odom", "nowhere", first],
    ]
    refusals = tf2(edges, questions)
    assert refusals == [
        "ExtrapolationException",
        "ExtrapolationException",
        "ConnectivityException",
        "LookupException",
    ]
    for (target, source, ns), ours in zip(questions, [InvalidRowsError] * 2 + [FrameError] * 2, strict=True):
        with pytest.raises(ours):
            tree.lookup(source=source, target=target, time=ns)
