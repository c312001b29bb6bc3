"""The corrected twins of wrong_programs.py: pyright reports nothing, and each program runs.

A mark is a comment with the rule of the wrong line that this one corrects.
"""
# pyright: strict
# ruff: noqa: F841
# pyright: reportUnusedExpression=false, reportUnusedVariable=false, reportUnusedClass=false, reportUnusedCallResult=false

import numpy as np

from boresight import Attitude, Axes, Frame, Pose, Rotation, frames
from boresight.frames import ENU, ESU, FLU, FRD, FRU, NED, Unframed
from boresight.vectors import reframe_polar


class Camera(Frame, axes="RDF", of="camera"):
    """A camera on the body."""


class Gimbal(Frame, axes="FRD", of="gimbal"):
    """What the camera hangs on."""


Q = [1.0, 0.0, 0.0, 0.0]
BODY = Rotation.from_quat(Q, order="wxyz", source=FRD, target=NED)
MOUNT = Rotation.from_quat(Q, order="wxyz", source=Camera, target=FRD)
OTHER = Rotation.from_rotvec([0.0, 0.2, 0.0], source=FRD, target=NED)
SPIN = Rotation.from_rotvec([0.0, 0.0, 0.1], source=FRD, target=FRD)
BARE = Rotation.from_quat(Q, order="wxyz")
BODY_POSE = Pose(BODY, [0.0, 0.0, 0.0])
OTHER_POSE = Pose(OTHER, [1.0, 2.0, 3.0])
MOUNT_POSE = Pose(MOUNT, [0.0, 0.0, 0.0])
ARRAY = np.zeros(3)


# ---- composing ------------------------------------------------------------------------------------------


def compose_a_chain_that_meets() -> None:
    BODY @ MOUNT  # right: the inner frames of a composition agree


def compose_in_order() -> None:
    BODY @ SPIN  # right: the first rotation stands on the right


def compose_with_an_inverse() -> None:
    BODY.inv() @ OTHER  # right: relative rotations invert one side


def compose_after_naming() -> None:
    BODY @ BARE.between(FRD, FRD)  # right: framed and unframed do not compose


def rotate_an_array() -> None:
    BODY.apply(ARRAY)  # right: vectors are rotated by apply


def rotate_an_array_back() -> None:
    BODY.inv().apply(ARRAY)  # right: an array does not compose with a rotation


def compose_a_longer_chain() -> None:
    BODY @ BODY.inv() @ OTHER @ MOUNT  # right: every joint of a chain agrees


def compose_poses_that_meet() -> None:
    BODY_POSE @ MOUNT_POSE  # right: the inner frames of composed poses agree


def compose_a_pose_with_a_pose() -> None:
    BODY_POSE @ Pose(SPIN, [0.0, 0.0, 0.0])  # right: a pose composes with a pose


def compose_a_rotation_made_a_pose() -> None:
    Pose(SPIN, [0.0, 0.0, 0.0]) @ BODY_POSE.inv()  # right: a rotation becomes a pose before it meets one


def claim_the_result() -> None:
    result: Rotation[FRD, NED] = BODY @ SPIN  # right: the outer frames are those of the result (checker only)


def claim_the_inverse() -> None:
    result: Rotation[NED, FRD] = BODY.inv()  # right: the inverse swaps the frames (checker only)


def claim_the_pose() -> None:
    result: Pose[FRD, NED] = BODY_POSE  # right: a pose keeps its frames (checker only)


# ---- powers and ways between ----------------------------------------------------------------------------


def power_in_one_frame() -> None:
    SPIN**0.5  # right: a power needs one frame on both sides


def slerp_between_the_same_frames() -> None:
    BODY.slerp(OTHER, 0.5)  # right: slerp stays between the same two frames


def slerp_between_inverses() -> None:
    BODY.inv().slerp(OTHER.inv(), 0.5)  # right: slerp does not swap the frames


def interpolate_between_the_same_frames() -> None:
    BODY_POSE.interpolate(OTHER_POSE, 0.5)  # right: poses are interpolated between the same two frames


def interpolate_to_a_pose() -> None:
    BODY_POSE.interpolate(Pose(OTHER, ARRAY), 0.5)  # right: a pose is interpolated to a pose


def concatenate_one_pair_of_frames() -> None:
    Rotation.concatenate([BODY, OTHER])  # right: one batch has one pair of frames


def apply_to_vectors() -> None:
    BODY.apply([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # right: apply takes vectors


def apply_a_pose_to_points() -> None:
    BODY_POSE.apply(MOUNT_POSE.translation)  # right: a pose is applied to points


# ---- making rotations -----------------------------------------------------------------------------------


def order_in() -> None:
    Rotation.from_quat(Q, order="wxyz")  # right: from_quat names the order


def order_by_name() -> None:
    Rotation.from_quat(Q, order="wxyz", invalid="nan")  # right: the order is named, not placed


def one_of_two_orders() -> None:
    Rotation.from_quat(Q, order="xyzw")  # right: there are two orders


def order_out() -> None:
    BODY.as_quat(order="wxyz")  # right: as_quat names the order


def unit_in() -> None:
    Rotation.from_euler("ZYX", [1.0, 2.0, 3.0], degrees=False)  # right: from_euler names the unit


def unit_out() -> None:
    BODY.as_euler("ZYX", degrees=True)  # right: as_euler names the unit


def unit_of_an_angle() -> None:
    Rotation.from_axis_angle([0.0, 0.0, 1.0], 90.0, degrees=True)  # right: from_axis_angle names the unit


def both_frames() -> None:
    Rotation.from_quat(Q, order="wxyz", source=FRD, target=NED)  # right: both frames or neither


def target_and_source() -> None:
    Rotation.from_matrix(np.eye(3), source=FRD, target=NED)  # right: a target needs its source


def both_frames_of_a_pose() -> None:
    Pose.from_matrix(np.eye(4), source=FRD, target=NED)  # right: both frames of a pose or neither


def classes_for_frames() -> None:
    Rotation.identity(source=FRD, target=NED)  # right: a frame is a class, not its letters


def frames_of_axes() -> None:
    Rotation.identity(
        source=frames.of_axes(Axes("FRD")), target=NED
    )  # right: a frame is a class, not its axes


def class_itself() -> None:
    Rotation.identity(source=NED, target=NED)  # right: a frame is used as a class


def identity_by_name() -> None:
    Rotation.identity()  # right: a rotation says what its numbers are


def rotation_of_a_quaternion() -> None:
    Rotation.from_quat(Q, order="wxyz")  # right: a rotation of numbers names what they are


def identity_pose() -> None:
    Pose.identity()  # right: a pose is a rotation and a translation


def pose_of_a_rotation() -> None:
    Pose(BODY, [0.0, 0.0, 0.0])  # right: the rotation of a pose is a Rotation


def row_policy() -> None:
    Rotation.from_quat([0.0] * 4, order="wxyz", invalid="nan")  # right: bad rows raise or become NaN


# ---- frames ---------------------------------------------------------------------------------------------


def frame_with_axes() -> None:
    class Wheel(Frame, axes="FLU", of="wheel"):  # right: a frame has axes
        pass


def frame_with_possible_axes() -> None:
    class Wheel(Frame, axes="FRU"):  # right: axes are three different directions
        pass


def frame_derived_from_frame() -> None:
    class Wheel(Frame, axes=FLU.axes):  # right: a ready-made frame is final (checker only)
        pass


def reframe_both_sides() -> None:
    BODY.reframe(source=FLU, target=NED)  # right: a reframe names both sides


def reframe_by_name() -> None:
    BODY.reframe(source=FLU, target=ENU)  # right: a reframe names its sides


def reframe_to_frames() -> None:
    BODY.reframe(source=frames.of_axes("FLU"), target=frames.of_axes("ENU"))  # right: reframe to frames


def reframe_to_a_new_type() -> None:
    result: Rotation[FLU, ENU] = BODY.reframe(source=FLU, target=ENU)  # right: new frames (checker only)


def compose_after_a_reframe() -> None:
    BODY.reframe(source=FLU, target=ENU) @ SPIN.reframe(source=FLU, target=FLU)  # right: new frames meet


def compose_with_the_mounting() -> None:
    gimbal = Rotation.identity(source=Gimbal, target=FRD)
    BODY @ gimbal  # right: another thing is reached by its mounting


def reframe_a_pose_on_both_sides() -> None:
    BODY_POSE.reframe(source=FRD, target=NED)  # right: a reframe of a pose names both sides


def between_two_frames() -> None:
    BARE.between(FRD, NED)  # right: between names both frames


def name_the_frames_of_a_pose() -> None:
    Pose(BARE, [0.0, 0.0, 0.0]).between(
        NED, NED
    ) @ BODY_POSE  # right: a pose of an unframed rotation is unframed


def name_an_unframed_rotation() -> None:
    result: Rotation[FRD, NED] = BARE.between(FRD, NED)  # right: between names frames (checker only)


def keep_a_rotation_framed() -> None:
    result: Rotation[Unframed, Unframed] = BARE  # right: framed stays framed (checker only)


def mirror_both_sides() -> None:
    left = Rotation.identity(source=FRU, target=ESU)
    right: Rotation[FLU, ENU] = left.reframe(source=FLU, target=ENU)  # right: hands (checker only)


def dynamic_with_axes() -> None:
    frames.dynamic("base_link", axes="FLU")  # right: a dynamic frame has axes


def reframe_a_vector() -> None:
    reframe_polar([1.0, 2.0, 3.0], FLU, FRD)  # right: a vector is reframed from one frame to another


# ---- attitudes ------------------------------------------------------------------------------------------


def level_attitude() -> None:
    Attitude.level()  # right: an attitude names its convention


def attitude_of_numbers() -> None:
    Attitude.from_flu_to_enu(Q, order="wxyz")  # right: an attitude of numbers names their convention


def attitude_from_a_named_quaternion() -> None:
    Attitude.from_body_to_ned(Q, order="wxyz")  # right: no attitude is bare numbers


def attitude_with_an_order() -> None:
    Attitude.from_ned_to_body(Q, order="xyzw")  # right: an attitude's quaternion names its order


def attitude_out_in_an_order() -> None:
    Attitude.level().flu_to_enu(order="xyzw")  # right: an attitude goes out in a named order


def attitude_from_its_rotation() -> None:
    Attitude.from_rotation(BODY)  # right: an attitude is a rotation from FRD to NED


def attitude_from_an_inverse_inverted() -> None:
    Attitude.from_rotation(BODY.inv().inv())  # right: an attitude is no inverse


def attitude_from_ros() -> None:
    ros = BODY.reframe(source=FLU, target=ENU)
    Attitude.from_rotation(ros.reframe(source=FRD, target=NED))  # right: an attitude says FLU, ENU


def attitude_from_a_named_rotation() -> None:
    Attitude.from_rotation(BARE.between(FRD, NED))  # right: an attitude takes no unframed rotation


def compose_the_rotation_of_an_attitude() -> None:
    Attitude.level().rotation @ SPIN  # right: an attitude holds a rotation and is none


def rotate_with_the_rotation_of_an_attitude() -> None:
    Attitude.level().rotation.apply(ARRAY)  # right: an attitude's rotation turns vectors
