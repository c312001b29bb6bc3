"""What a verdict says: of a claim that is wrong, of each thing that differs, and which repair it names."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flights import flight
from scipy.spatial.transform import Rotation

from boresight.cli.app import start

COLUMNS = (
    *("--time", "t:s", "--quat", "q0,q1,q2,q3", "--gyro", "gx,gy,gz:rad/s"),
    *("--accel", "ax,ay,az:m/s2", "--velocity", "vx,vy,vz:m/s"),
)
HEAD = "t,q0,q1,q2,q3,gx,gy,gz,ax,ay,az,vx,vy,vz"
FLU = np.diag([1.0, -1.0, -1.0])
ENU = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
MIRROR = np.diag([1.0, -1.0, 1.0])


def table(path: Path, **changed: np.ndarray) -> Path:
    """A flight from FLU to ENU, w first, with some of its columns changed."""
    parts = numbers() | changed
    np.savetxt(
        path, np.column_stack(list(parts.values())), delimiter=",", header=HEAD, comments="", fmt="%.9g"
    )
    return path


def numbers(lively: float = 1.0) -> dict[str, np.ndarray]:
    flown = flight(lively=lively)
    turned = Rotation.from_matrix(ENU @ flown.rotation.as_matrix() @ FLU)
    return {
        "time": flown.time,
        "quat": turned.as_quat()[:, [3, 0, 1, 2]],
        "gyro": flown.gyro @ FLU,
        "accel": flown.accel @ FLU,
        "velocity": flown.velocity @ ENU.T,
    }


def inverse(quat: np.ndarray) -> np.ndarray:
    return quat * (1.0, -1.0, -1.0, -1.0)


def diagnosed(capfd: Any, *words: str | Path) -> dict[str, Any]:
    capfd.readouterr()
    code = start(["diagnose", *map(str, words), "--json"])
    out, err = capfd.readouterr()
    assert code in (0, 1), err
    return json.loads(out)


def of_table(capfd: Any, path: Path, *words: str) -> dict[str, Any]:
    return diagnosed(capfd, path, *COLUMNS, *words)


def repaired(capfd: Any, answer: dict[str, Any], *words: str) -> dict[str, Any]:
    """Run the command that a diagnosis names, and diagnose what it wrote."""
    command = shlex.split(answer["fix"])
    capfd.readouterr()
    assert start(command[1:]) == 0, capfd.readouterr().err
    return diagnosed(capfd, command[command.index("-o") + 1], *words)


# -- a claim that is wrong -----------------------------------------------------------------------------------------


def test_a_right_file_is_not_repaired_because_the_caller_is_wrong(example_log: Path, capfd: Any) -> None:
    answer = diagnosed(capfd, example_log, "--order", "xyzw")
    assert answer["verdict"] == "contradicted"
    assert answer["fix"] is None
    said = "You say xyzw; the log supports wxyz, body to world, as the file says. Leave out --order xyzw."
    assert answer["advice"][0] == said
    assert not any("stored xyzw" in sentence for sentence in answer["advice"])
    assert answer["best"][0]["order"] == "wxyz"
    assert answer["declared"]["order"] == "xyzw"


@pytest.mark.parametrize("words", [(), ("--same-frame",)])
def test_the_order_of_a_named_system_may_be_right_where_the_caller_is_not(
    words: tuple[str, ...], tmp_path: Path, capfd: Any
) -> None:
    path = table(tmp_path / "xyzw.csv", quat=np.roll(numbers()["quat"], -1, axis=1))
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz", *words)
    assert (answer["verdict"], answer["fix"]) == ("contradicted", None)
    said = "You say wxyz; the log supports xyzw, body to world, as ros has it. Leave out --order wxyz."
    assert answer["advice"][0] == said


def test_a_repair_respects_the_order_that_the_caller_knows(tmp_path: Path, capfd: Any) -> None:
    path = table(tmp_path / "inv.csv", quat=inverse(numbers()["quat"]))
    answer = of_table(capfd, path, "--from", "gazebo", "--order", "xyzw")
    assert answer["verdict"] == "contradicted"
    if answer["fix"] is not None:
        assert "--order xyzw" in answer["fix"]
        assert repaired(capfd, answer)["verdict"] != "contradicted"


# -- each thing that differs ---------------------------------------------------------------------------------------


def test_an_inverse_is_named_where_the_system_has_another_order(tmp_path: Path, capfd: Any) -> None:
    path = table(tmp_path / "inv.csv", quat=inverse(numbers()["quat"]))
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    assert "world to body, not body to world" in answer["advice"][0]
    assert not any("not xyzw" in sentence for sentence in answer["advice"])
    assert repaired(capfd, answer)["verdict"] == "consistent"


def test_a_negated_angle_is_named_where_the_system_has_another_order(tmp_path: Path, capfd: Any) -> None:
    q = numbers()["quat"]
    angles = Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_euler("ZYX")
    spoilt = Rotation.from_euler("ZYX", angles * (-1.0, 1.0, 1.0)).as_quat()[:, [3, 0, 1, 2]]
    path = table(tmp_path / "half.csv", quat=spoilt)
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    assert "One Euler angle was negated" in answer["advice"][0]
    assert not any("not xyzw" in sentence for sentence in answer["advice"])
    assert repaired(capfd, answer)["verdict"] == "consistent"


def test_order_and_direction_are_both_named_where_both_differ(tmp_path: Path, capfd: Any) -> None:
    q = inverse(numbers()["quat"])
    answer = of_table(capfd, table(tmp_path / "both.csv", quat=q), "--from", "ros", "--same-frame")
    text = " ".join(answer["advice"])
    assert "wxyz, not xyzw" in text
    assert "world to body, not body to world" in text
    assert repaired(capfd, answer)["verdict"] == "consistent"


def test_another_order_and_direction_come_before_other_axes(tmp_path: Path, capfd: Any) -> None:
    path = table(tmp_path / "inv.csv", quat=inverse(numbers()["quat"]))
    answer = of_table(capfd, path, "--from", "ros")
    assert answer["advice"][:2] == [
        "The quaternions are stored wxyz, not xyzw: then all axes are as declared.",
        "The attitude is stored world to body, not body to world.",
    ]
    assert "--order wxyz --direction world_to_body" in answer["fix"]
    assert "axes" not in answer["fix"]
    assert repaired(capfd, answer)["verdict"] == "consistent"


# -- velocities ----------------------------------------------------------------------------------------------------


def test_velocities_in_other_axes_do_not_accuse_the_attitude(tmp_path: Path, capfd: Any) -> None:
    path = table(tmp_path / "ned.csv", velocity=numbers()["velocity"] @ ENU.T)
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    assert answer["verdict"] == "contradicted"
    assert answer["fix"] is None
    assert answer["advice"][0] == (
        "The attitude is right. The velocities are in other axes: +y+x-z of its world (north, east, down beside an ENU "
        "attitude). No command repairs velocities."
    )
    assert not any("its order" in sentence or "The claim" in sentence for sentence in answer["advice"])


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_velocities_turned_about_the_vertical_are_named_as_turned(
    degrees: int, tmp_path: Path, capfd: Any
) -> None:
    turn = Rotation.from_euler("z", degrees, degrees=True)
    path = table(tmp_path / "turned.csv", velocity=turn.apply(numbers()["velocity"]))
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    angle = min(degrees, 360 - degrees)
    assert f"The velocities are turned by {angle}° about the vertical: " in answer["advice"][0]
    assert "other axes" not in answer["advice"][0]


def test_mirrored_velocities_are_named_as_such(tmp_path: Path, capfd: Any) -> None:
    path = table(tmp_path / "mirrored.csv", velocity=numbers()["velocity"] @ MIRROR)
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    assert answer["advice"][0].startswith("The attitude is right. The velocities are in other axes: +x-y+z")
    assert "a left-handed world beside a right-handed attitude" in answer["advice"][0]


def test_a_log_that_is_mirrored_but_for_its_sensors_is_named_as_such(tmp_path: Path, capfd: Any) -> None:
    path = table(tmp_path / "half.csv", quat=mirrored(), velocity=numbers()["velocity"] @ MIRROR)
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    assert answer["verdict"] == "contradicted"
    assert answer["advice"][0].startswith(
        "Attitude and velocity are left-handed, gyro and accelerometer right-handed"
    )


def mirrored() -> np.ndarray:
    q = numbers()["quat"]
    matrices = MIRROR @ Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_matrix() @ MIRROR
    return Rotation.from_matrix(matrices).as_quat()[:, [3, 0, 1, 2]]


# -- hands, sides and what is left -----------------------------------------------------------------------------------


def test_a_log_declared_left_handed_is_said_to_look_the_same_as_its_mirror_image(
    tmp_path: Path, capfd: Any
) -> None:
    path = table(tmp_path / "good.csv")
    answer = of_table(capfd, path, "--from", "carla")
    assert answer["verdict"] == "consistent"
    capfd.readouterr()
    assert start(["diagnose", str(path), *COLUMNS, "--from", "carla"]) == 0
    report = capfd.readouterr().out
    assert "sensors of one hand" in " ".join(report.split())
    assert "handedness" not in report
    assert any("mirrored as a whole looks the same" in sentence for sentence in answer["advice"])
    assert "carla" in answer["systems"]
    assert "gazebo" not in answer["systems"]
    plain = of_table(capfd, table(tmp_path / "plain.csv"), "--order", "wxyz")
    assert "gazebo" in plain["systems"]
    assert not {"carla", "unreal", "unity"} & set(plain["systems"])
    assert not any("mirrored" in sentence for sentence in plain["advice"])


def test_a_vehicle_on_its_side_is_noticed(tmp_path: Path, capfd: Any) -> None:
    own = numbers(0.5)
    # The new body's axes in the old one's.
    side = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    q = own["quat"][:, [1, 2, 3, 0]]
    turned = (Rotation.from_quat(q) * Rotation.from_matrix(side)).as_quat()[:, [3, 0, 1, 2]]
    path = table(tmp_path / "side.csv", quat=turned, gyro=own["gyro"] @ side, accel=own["accel"] @ side)
    answer = of_table(capfd, path, "--from", "ros", "--order", "wxyz")
    assert answer["verdict"] == "consistent"
    assert any("on its side: its +y is up" in sentence for sentence in answer["advice"]), answer["advice"]
    good = of_table(capfd, table(tmp_path / "good.csv", **numbers(0.5)), "--from", "ros", "--order", "wxyz")
    assert not any("side" in sentence for sentence in good["advice"])


def test_what_is_declared_comes_first_among_what_fits(tmp_path: Path, capfd: Any) -> None:
    flown = flight(planar=True)
    q = flown.quat[:, [3, 0, 1, 2]]
    path = table(
        tmp_path / "flat.csv", quat=q, gyro=flown.gyro, accel=flown.accel, velocity=0 * flown.velocity
    )
    answer = of_table(capfd, path, "--from", "px4")
    assert answer["verdict"] == "ambiguous"
    first = answer["best"][0]
    assert (first["order"], first["direction"], first["half_converted"]) == ("wxyz", "body_to_world", "none")
    others = len(answer["best"]) - 1
    assert answer["advice"][0].startswith(f"Nothing contradicts what is declared, but {others} other reading")


def test_declared_units_do_not_change_what_is_said_of_a_negated_angle() -> None:
    import boresight as bs

    flown = flight()
    angles = flown.rotation.as_euler("ZYX") * (-1.0, 1.0, 1.0)
    q = Rotation.from_euler("ZYX", angles).as_quat()[:, [3, 0, 1, 2]]
    streams: dict[str, Any] = {"quat": q, "gyro": flown.gyro, "accel": flown.accel}
    without = bs.diagnosis.diagnose_arrays(flown.time, **streams)
    units = bs.diagnosis.diagnose_arrays(flown.time, **streams, gyro_unit="rad/s", accel_unit="m/s2")
    assert without["half_converted"].answer == "one_euler_angle_negated"
    assert (without.verdict, units.verdict) == ("undeclared", "undeclared")
    assert "One Euler angle was negated" in units.advice[0]


def test_a_unit_that_nobody_said_is_found_and_not_held_against_the_log(tmp_path: Path, capfd: Any) -> None:
    own = numbers()
    path = table(tmp_path / "good.csv", gyro=np.degrees(own["gyro"]), accel=own["accel"] / 9.80665)
    words = (*COLUMNS[:4], "--gyro", "gx,gy,gz", "--accel", "ax,ay,az", *COLUMNS[-2:], "--from", "gazebo")
    answer = diagnosed(capfd, path, *words)
    assert answer["verdict"] == "consistent"
    assert "The unit of --gyro was not said, and is found: gx,gy,gz:deg/s." in answer["advice"]
    assert "The unit of --accel was not said, and is found: ax,ay,az:g." in answer["advice"]
    spoilt = table(tmp_path / "inv.csv", quat=inverse(own["quat"]), gyro=np.degrees(own["gyro"]))
    wrong = diagnosed(capfd, spoilt, *words)
    assert not any("not rad/s" in sentence for sentence in wrong["advice"])
    assert repaired(capfd, wrong)["verdict"] == "consistent"
