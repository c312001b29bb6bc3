"""Every golden case of the conventions, in and out, to 1e-12; Euler angles compared as rotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boresight import Pose, Rotation, conventions, convert, frames

TOLERANCE = 1e-12

Case = dict[str, Any]


@pytest.fixture(scope="module")
def cases(golden: Callable[[str], Any]) -> list[Case]:
    return golden("conventions.json")["cases"]


def reference(case: Case) -> str:
    """A system that stores what the golden cases call the truth: FLU in ENU, or FLU in a level world."""
    return "kitti_oxts" if case["world"] == "ENU" else "nvidia_pai"


def same_rotation(case: Case, form: str, ours: np.ndarray) -> float:
    """Largest difference of the matrices of two stored orientations of one system."""
    system = conventions.get(case["system"])
    key = {"quat": "quaternion"}.get(form, form)
    a = system.decode(**{form: ours}, thing=case["thing"])
    b = system.decode(**{form: case["stored"][key]}, thing=case["thing"])
    return float(np.abs(a.as_matrix() - b.as_matrix()).max())


def up_to_sign(a: np.ndarray, b: np.ndarray) -> float:
    return float(min(np.abs(a - b).max(), np.abs(a + b).max()))


FORMS = ("quat", "matrix", "euler")


@pytest.mark.parametrize("form", FORMS)
def test_in(cases: list[Case], form: str) -> None:
    key = {"quat": "quaternion"}.get(form, form)
    read = 0
    for case in cases:
        if key not in case["stored"]:
            continue
        q, p = convert(
            **{form: case["stored"][key]},
            position=case["stored"]["position"],
            from_=case["system"],
            to=reference(case),
            thing=case["thing"],
            order_out="wxyz" if conventions.get(reference(case)).order is None else None,
        )
        if conventions.get(reference(case)).order == "xyzw":
            q = np.roll(q, 1)
        where = f"{case['system']} {case['thing']}"
        assert up_to_sign(q, np.array(case["flu_to_world_wxyz"])) < TOLERANCE, where
        np.testing.assert_allclose(p, case["position_m"], rtol=TOLERANCE, atol=TOLERANCE, err_msg=where)
        read += 1
    assert read == {"quat": 220, "matrix": 264, "euler": 180}[form]


@pytest.mark.parametrize("form", FORMS)
def test_out(cases: list[Case], form: str) -> None:
    key = {"quat": "quaternion"}.get(form, form)
    for case in cases:
        if key not in case["stored"]:
            continue
        target = frames.ENU if case["world"] == "ENU" else frames.dynamic("world", axes="FLU")
        rotation = Rotation.from_quat(
            case["flu_to_world_wxyz"], order="wxyz", source=frames.FLU, target=target
        )
        numbers, p = conventions.get(case["system"]).encode(
            Pose(rotation, case["position_m"]), form, thing=case["thing"]
        )
        where = f"{case['system']} {case['thing']}"
        assert same_rotation(case, form, numbers) < TOLERANCE, where
        if form != "euler":
            assert up_to_sign(numbers, np.array(case["stored"][key])) < TOLERANCE, where
        stored = np.array(case["stored"]["position"])
        np.testing.assert_allclose(p, stored, rtol=TOLERANCE, atol=TOLERANCE, err_msg=where)


def test_decode_names_its_frames(cases: list[Case]) -> None:
    """What decode gives is the golden rotation once both sides are reframed to FLU and to the golden world."""
    for case in cases:
        target = frames.ENU if case["world"] == "ENU" else frames.FLU
        pose = conventions.get(case["system"]).decode(
            matrix=case["stored"]["matrix"], position=case["stored"]["position"], thing=case["thing"]
        )
        assert isinstance(pose, Pose)
        ours = pose.reframe(source=frames.FLU, target=target)
        where = f"{case['system']} {case['thing']}"
        assert (
            up_to_sign(ours.rotation.as_quat(order="wxyz"), np.array(case["flu_to_world_wxyz"])) < TOLERANCE
        )
        np.testing.assert_allclose(
            ours.translation, case["position_m"], rtol=TOLERANCE, atol=TOLERANCE, err_msg=where
        )
