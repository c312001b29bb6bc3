"""A second record of the orientation: when it is the attitude in another convention, and what that decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flights import angles as of_flight
from flights import flight, stored
from scipy.spatial.transform import Rotation

import boresight as bs
from boresight.diagnosis import Diagnosis, SecondClaim, diagnose, diagnose_arrays, second_record
from boresight.errors import DataError
from boresight.logs.convert import convert_log
from boresight.logs.correction import Correction, corrected
from boresight.logs.model import Log
from places import data_folder

READINGS = [(o, d) for o in ("wxyz", "xyzw") for d in ("body_to_world", "world_to_body")]
FLU = Rotation.from_matrix(np.diag([1.0, -1.0, -1.0]))
ENU = Rotation.from_matrix(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]))
FLIGHT = flight(30.0, 50.0)
TRUSTED = SecondClaim(world="NED", body="FRD")


def angles(rotation: Rotation) -> np.ndarray:
    return rotation.as_euler("ZYX")


def beside(rotation: Rotation = FLIGHT.rotation, **given: Any) -> Any:
    time = given.pop("time", FLIGHT.time)
    return second_record(time, euler=angles(rotation), degrees=False, name="the angles", **given)


def diagnosed(quat: np.ndarray, second: Any, claim: SecondClaim | None = TRUSTED, **given: Any) -> Diagnosis:
    return diagnose_arrays(FLIGHT.time, quat=quat, second=second, second_claim=claim, **given)


# -- what the two records are to each other ------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "direction"), READINGS)
def test_two_conventions_of_one_attitude_agree_exactly(order: str, direction: str) -> None:
    found = diagnosed(stored(FLIGHT.quat, order, direction), beside(), claim=None)
    note = found.evidence["second"]
    assert note.used
    assert note.samples > 1000
    assert note.score is not None and note.score < 1e-4
    assert "the angles" in note.why
    # What each of the two is stays open as long as nobody says what one of them is.
    assert not any(part.decided for part in found.parts.values())
    assert found.verdict == "not_observable"


def test_moments_between_its_rows_are_interpolated() -> None:
    f = flight(30.0, 200.0)
    late = f.time[3:-1:40] + 0.0021
    own = Rotation.from_euler("ZYX", of_flight(late, 1.0))
    found = diagnose_arrays(
        f.time, quat=stored(f.quat, "wxyz", "world_to_body"), second=beside(own, time=late)
    )
    note = found.evidence["second"]
    assert note.used
    assert note.score is not None and 0 < note.score < 0.05


def test_another_estimate_is_not_the_same_attitude() -> None:
    drift = Rotation.from_rotvec(0.02 * FLIGHT.time[:, None] * [0.0, 0.0, 1.0])
    found = diagnosed(
        stored(FLIGHT.quat, "wxyz", "body_to_world"), beside(drift * FLIGHT.rotation), order="wxyz"
    )
    note = found.evidence["second"]
    assert not note.used
    assert "another estimate" in note.why
    assert not found["sense"].decided


def test_turns_about_one_axis_leave_the_reading_open() -> None:
    f = flight(30.0, 50.0, planar=True)
    found = diagnosed(stored(f.quat, "wxyz", "world_to_body"), beside(f.rotation), order="wxyz")
    assert found.evidence["second"].used
    assert "too little" in found.evidence["second"].why
    assert not found["sense"].decided
    assert not found["direction"].decided


def test_a_record_that_stands_still_agrees_with_any_other_and_decides_nothing() -> None:
    rng = np.random.default_rng(4)
    still = Rotation.from_rotvec(1e-4 * rng.normal(size=(len(FLIGHT.time), 3)))
    other = Rotation.from_rotvec(1e-4 * rng.normal(size=(len(FLIGHT.time), 3)))
    found = diagnosed(stored(still.as_quat(), "wxyz", "body_to_world"), beside(other), order="wxyz")
    assert not found.evidence["second"].used
    assert not found["sense"].decided


def test_noise_between_two_estimates_that_hover_decides_nothing() -> None:
    f = flight(30.0, 50.0, lively=0.01)
    rng = np.random.default_rng(5)
    noisy = f.rotation * Rotation.from_rotvec(np.radians(0.1) * rng.normal(size=(len(f.time), 3)))
    found = diagnosed(stored(f.quat, "wxyz", "body_to_world"), beside(noisy), order="wxyz")
    assert not found["sense"].decided


def test_angles_in_another_sequence_are_named() -> None:
    as_xyz = FLIGHT.rotation.as_euler("XYZ")[:, ::-1]  # said to be yaw, pitch, roll about z, y, x
    second = second_record(FLIGHT.time, euler=as_xyz, degrees=False, name="the angles")
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "body_to_world"), second, None, order="wxyz")
    note = found.evidence["second"]
    assert note.used
    assert "XYZ, radians" in note.why
    assert not found["sense"].decided


def test_angles_in_a_sequence_that_is_none_of_the_readings_decide_nothing() -> None:
    as_yxz = FLIGHT.rotation.as_euler("YXZ")  # said to be about z, y, x
    second = second_record(FLIGHT.time, euler=as_yxz[:, [2, 0, 1]], degrees=False, name="the angles")
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "body_to_world"), second, order="wxyz")
    assert "YXZ, radians" in found.evidence["second"].why
    assert not found["sense"].decided


def test_angles_in_another_unit_are_named() -> None:
    second = second_record(
        FLIGHT.time, euler=np.degrees(angles(FLIGHT.rotation)), degrees=False, name="angles"
    )
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "body_to_world"), second, order="wxyz")
    assert "ZYX, degrees" in found.evidence["second"].why


def test_one_outlier_in_twenty_does_not_hide_it() -> None:
    rng = np.random.default_rng(6)
    quat = stored(FLIGHT.quat, "wxyz", "world_to_body")
    rows = rng.choice(len(quat), len(quat) // 50, replace=False)
    quat[rows] = rng.normal(size=(len(rows), 4))
    found = diagnosed(quat, beside(), order="wxyz")
    assert found["direction"].answer == "world_to_body"


# -- what follows where one of them is known -----------------------------------------------------------------------


@pytest.mark.parametrize(("order", "direction"), READINGS)
def test_the_first_follows_up_to_its_twin(order: str, direction: str) -> None:
    found = diagnosed(stored(FLIGHT.quat, order, direction), beside())
    same = (order == "wxyz") == (direction == "body_to_world")
    assert found["sense"].answer == ("same" if same else "inverse")
    assert found["half_converted"].answer == "none"
    assert (found["order"].state, found["direction"].state) == ("ambiguous", "ambiguous")
    assert found["world_axes"].answer[order] == "NED"
    assert found["body_axes"].answer[order] == "FRD"
    assert found["world_up"].answer[order] == "-z"
    assert found.verdict == "undeclared"
    assert {(r.order, r.direction) for r in found.best} >= {(order, direction)}
    assert len(found.best) == 2
    assert found["sense"].evidence == ("second",)
    assert any("the angles" in text for text in found["sense"].assumes)


@pytest.mark.parametrize(("order", "direction"), READINGS)
@pytest.mark.parametrize("declared", ["body_to_world", "world_to_body"])
def test_with_the_order_the_direction_is_checked(order: Any, direction: str, declared: Any) -> None:
    found = diagnosed(stored(FLIGHT.quat, order, direction), beside(), order=order, direction=declared)
    assert found["direction"].answer == direction
    assert found.verdict == ("consistent" if direction == declared else "contradicted")
    assert found["world_axes"].answer == "NED"
    assert len(found.best) == 1


def test_axes_that_were_relabelled_are_named() -> None:
    ros = ENU * FLIGHT.rotation * FLU
    found = diagnosed(stored(ros.as_quat(), "xyzw", "body_to_world"), beside(), order="xyzw")
    assert (found["world_axes"].answer, found["body_axes"].answer) == ("ENU", "FLU")
    assert found["world_up"].answer == "+z"


def test_a_mount_that_is_askew_has_no_letters() -> None:
    askew = FLIGHT.rotation * Rotation.from_euler("ZYX", [20.0, 10.0, 5.0], degrees=True)
    found = diagnosed(stored(askew.as_quat(), "xyzw", "body_to_world"), beside(), order="xyzw")
    assert found["sense"].answer == "inverse"
    assert found["world_axes"].answer == "NED"
    assert not found["body_axes"].decided


@pytest.mark.parametrize("signs", [(-1, 1, 1), (1, -1, 1), (1, 1, -1)])
def test_one_negated_angle_is_found(signs: tuple[int, int, int]) -> None:
    spoilt = Rotation.from_euler("ZYX", angles(FLIGHT.rotation) * signs)
    second = second_record(FLIGHT.time, quat=FLIGHT.quat, order="xyzw", name="the pose")
    found = diagnosed(stored(spoilt.as_quat(), "wxyz", "body_to_world"), second, order="wxyz")
    assert found["half_converted"].answer == "one_euler_angle_negated"
    assert found.verdict == "contradicted"
    assert not found["world_axes"].decided


def test_beside_angles_it_may_be_their_sequence_and_is_left_open() -> None:
    """The inverse with one angle negated is the sequence read backwards, whichever of the records it is in."""
    spoilt = Rotation.from_euler("ZYX", angles(FLIGHT.rotation) * (-1, 1, 1))
    found = diagnosed(stored(spoilt.as_quat(), "wxyz", "body_to_world"), beside(), order="wxyz")
    assert "one Euler angle negated or the Euler angles are XYZ" in found.evidence["second"].why
    assert not found["half_converted"].decided
    assert not found["sense"].decided


def test_where_the_gyro_leaves_it_open_the_second_record_settles_it() -> None:
    t = np.arange(0.0, 60.0, 0.02)
    small = np.stack([0.05 * np.sin(0.7 * t), 0.05 * np.sin(1.1 * t), 0.05 * np.sin(1.7 * t)], axis=-1)
    hovering = Rotation.from_euler("ZYX", small)
    turns = (hovering[:-1].inv() * hovering[1:]).as_rotvec() / 0.02
    noise = 0.02 * np.random.default_rng(7).normal(size=turns.shape)
    given: Any = {
        "quat": stored(hovering.as_quat(), "wxyz", "body_to_world"),
        "gyro": (t[:-1] + 0.01, turns + noise),
        "accel": hovering.inv().apply([0.0, 0.0, -9.81]),
        "order": "wxyz",
    }
    assert not diagnose_arrays(t, **given)["sense"].decided
    found = diagnose_arrays(t, second=beside(hovering, time=t), second_claim=TRUSTED, **given)
    assert found["direction"].answer == "body_to_world"
    assert found["imu_axes"].answer == "+x+y+z"
    assert "second" in found["sense"].evidence


def test_a_false_claim_on_the_second_is_refuted_by_the_gyro() -> None:
    quat = stored(FLIGHT.quat, "wxyz", "body_to_world")
    second = beside(FLIGHT.rotation.inv())
    found = diagnosed(quat, second, order="wxyz", direction="body_to_world", gyro=FLIGHT.gyro)
    assert found["direction"].answer == "body_to_world"
    assert found.verdict == "contradicted"
    assert any("the angles" in sentence and "does not agree" in sentence for sentence in found.advice)


def test_the_order_of_a_second_quaternion_has_to_be_said() -> None:
    with pytest.raises(DataError, match="order"):
        second_record(FLIGHT.time, quat=FLIGHT.quat)


# -- logs ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair(example_log: Path) -> Log:
    """Two streams of one attitude and nothing else: PX4's quaternions, and the same in ROS's axes."""
    log = bs.read(example_log)
    own = log["vehicle_attitude"]
    only = Log({own.name: own}, None, "parquet")
    ros = convert_log(only, "ros")[own.name]
    return Log({own.name: own, "odom": ros.replace(name="odom")}, None, "parquet")


def test_two_streams_that_agree_as_the_file_says_of_each_bear_each_other_out(pair: Log) -> None:
    found = diagnose(pair, stream="vehicle_attitude")
    assert found.evidence["second"].used
    assert found.verdict == "consistent"
    assert found["direction"].answer == "body_to_world"
    assert any("odom" in text for text in found["direction"].assumes)


@pytest.mark.parametrize("spoilt", ["vehicle_attitude", "odom"])
def test_two_streams_that_cannot_both_be_right_leave_open_which_is(pair: Log, spoilt: str) -> None:
    wrong = corrected(pair, Correction(direction="world_to_body"), of=spoilt)
    found = diagnose(wrong, stream="vehicle_attitude")
    assert found.evidence["second"].used
    assert not found["direction"].decided
    assert found.verdict == "ambiguous"
    assert "cannot both be" in found.advice[0]


def test_who_says_which_of_two_streams_is_right_is_believed(pair: Log) -> None:
    wrong = corrected(pair, Correction(direction="world_to_body"), of="vehicle_attitude")
    found = diagnose(wrong, stream="vehicle_attitude", second="odom")
    assert found.verdict == "contradicted"
    assert found["direction"].answer == "world_to_body"
    assert any("says the caller" in text for text in found["direction"].assumes)


def test_what_a_file_says_twice_it_says_once(pair: Log) -> None:
    """Two streams in one form and convention may both be wrong in one way."""
    own = pair["vehicle_attitude"]
    twice = Log({own.name: own, "estimator": own.replace(name="estimator")}, None, "parquet")
    for log in (
        twice,
        corrected(
            corrected(twice, Correction(direction="world_to_body"), of=own.name),
            Correction(direction="world_to_body"),
            of="estimator",
        ),
    ):
        found = diagnose(log, stream=own.name)
        assert found.evidence["second"].used
        assert found.verdict == "not_observable"
        assert not found["direction"].decided


@pytest.mark.parametrize(("name", "why"), [("vehicle_attitude", "itself"), ("nothing", "nothing")])
def test_a_second_stream_that_is_none_is_refused(pair: Log, name: str, why: str) -> None:
    with pytest.raises((DataError, KeyError), match=why):
        diagnose(pair, stream="vehicle_attitude", second=name)


# -- what is false of the second record ----------------------------------------------------------------------------


@pytest.mark.parametrize("upside_down", [False, True])
def test_columns_that_were_exchanged_are_no_inverse(upside_down: bool) -> None:
    """Roll given as yaw is exactly the inverse, in a world whose x and z have changed places."""
    exchanged = second_record(
        FLIGHT.time, euler=angles(FLIGHT.rotation)[:, ::-1], degrees=False, name="the angles"
    )
    own = ENU * FLIGHT.rotation * FLU if upside_down else FLIGHT.rotation
    found = diagnosed(stored(own.as_quat(), "wxyz", "body_to_world"), exchanged, order="wxyz")
    assert found.evidence["second"].used
    assert not found["sense"].decided


def test_a_copy_that_is_late_by_its_clock_is_found_and_the_clock_told() -> None:
    late = Rotation.from_euler("ZYX", of_flight(FLIGHT.time, 1.0))
    second = second_record(FLIGHT.time + 0.137, quat=late.as_quat(), order="xyzw", name="the pose")
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "world_to_body"), second, order="wxyz")
    assert "0.137 s late" in found.evidence["second"].why
    assert found["direction"].answer == "world_to_body"


def test_what_stands_in_one_row_has_one_clock() -> None:
    late = Rotation.from_euler("ZYX", of_flight(FLIGHT.time - 0.137, 1.0))
    second = second_record(FLIGHT.time, quat=late.as_quat(), order="xyzw", name="the pose")
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "world_to_body"), second, order="wxyz")
    assert not found.evidence["second"].used
    assert not found["sense"].decided


def test_a_filtered_copy_that_is_nearly_exact_follows_the_motion_and_is_another_estimate() -> None:
    given = of_flight(FLIGHT.time, 1.0)
    given[:, 1] += np.radians(0.02) * np.sin(3.0 * FLIGHT.time)
    second = second_record(
        FLIGHT.time, quat=Rotation.from_euler("ZYX", given).as_quat(), order="xyzw", name="the pose"
    )
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "world_to_body"), second, order="wxyz")
    assert not found.evidence["second"].used
    assert not found["sense"].decided


def test_angles_of_two_decimals_are_a_copy_to_the_precision_they_are_written_in() -> None:
    written = np.round(np.degrees(angles(FLIGHT.rotation)), 2)
    second = second_record(FLIGHT.time, euler=written, degrees=True, name="the angles")
    found = diagnosed(stored(FLIGHT.quat, "wxyz", "world_to_body"), second, order="wxyz")
    assert found["direction"].answer == "world_to_body"


# -- recordings ----------------------------------------------------------------------------------------------------


def recording(name: str) -> Path:
    path = data_folder() / name
    if not path.exists():
        pytest.skip(f"the recording {name} is not here")
    return path


@pytest.mark.parametrize(
    ("second", "same"),
    [
        ("estimator_attitude", True),
        ("estimator_attitude/1", False),
        ("vehicle_attitude_groundtruth", False),
    ],
)
def test_of_three_estimators_the_one_that_was_chosen_is_the_attitude(second: str, same: bool) -> None:
    log = recording("a_px4/pyulog_sample_logging_tagged_and_default_params.ulg")
    found = diagnose(log, second=second)
    note = found.evidence["second"]
    assert note.used is same
    assert second in note.why
    assert found.streams["second"] == second
    assert found.to_dict()["evidence"]["second"]["used"] is same
    assert not found["sense"].decided  # it stands


def test_two_estimators_of_one_autopilot_are_not_one_attitude() -> None:
    mavutil = pytest.importorskip("pymavlink.mavutil")
    link: Any = mavutil.mavlink_connection(str(recording("h_misc/dronekit_flight.tlog")))
    rows: dict[str, list[list[float]]] = {"ATTITUDE": [], "AHRS2": []}
    time = 0.0
    while (message := link.recv_match(type=list(rows))) is not None:
        if message.get_type() == "ATTITUDE":
            time = message.time_boot_ms * 1e-3
        rows[message.get_type()].append([time, message.yaw, message.pitch, message.roll])
    link.close()
    own, ahrs = (np.array(given) for given in rows.values())
    second = second_record(ahrs[:, 0], euler=ahrs[:, 1:], degrees=False, name="AHRS2")
    found = diagnose_arrays(own[:, 0], euler=own[:, 1:], degrees=False, second=second, second_claim=TRUSTED)
    assert "AHRS2 is another estimate" in found.evidence["second"].why
    assert not any("AHRS2" in text for part in found.parts.values() for text in part.assumes)


@pytest.mark.parametrize(
    ("name", "topics", "same"),
    [
        ("fuse_turtlebot3_sim", ("/odom", "/imu"), True),
        ("rl_test1_husky", ("/imu/data", "/husky_velocity_controller/odom"), False),
        ("rl_test2_jackal", ("/imu/data", "/jackal_velocity_controller/odom"), False),
    ],
)
def test_odometry_beside_an_imu(name: str, topics: tuple[str, str], same: bool) -> None:
    """A simulator's are one attitude, which turns about one axis; the wheels' is never the sensor's."""
    highlevel = pytest.importorskip("rosbags.highlevel")
    rows: dict[str, list[list[float]]] = {topic: [] for topic in topics}
    with highlevel.AnyReader([recording(f"c_ros/{name}.bag")]) as bag:
        chosen = [c for c in bag.connections if c.topic in topics]
        for connection, _, raw in bag.messages(connections=chosen):
            message: Any = bag.deserialize(raw, connection.msgtype)
            q = message.pose.pose.orientation if hasattr(message, "pose") else message.orientation
            stamp = message.header.stamp
            rows[connection.topic].append([stamp.sec + stamp.nanosec * 1e-9, q.x, q.y, q.z, q.w])
    own, other = (np.array(given) for given in rows.values())
    zero = own[0, 0]
    second = second_record(other[:, 0] - zero, quat=other[:, 1:], order="xyzw", name=topics[1])
    claim = SecondClaim(world="ENU", body="FLU")
    found = diagnose_arrays(
        own[:, 0] - zero, quat=own[:, 1:], order="xyzw", second=second, second_claim=claim
    )
    assert found.evidence["second"].used is same
    assert not found["sense"].decided
