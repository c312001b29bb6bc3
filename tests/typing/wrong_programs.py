"""Programs with one fault each: pyright reports an error on every marked line and on no other.

A mark is a comment that names the rule broken; the same rule stands in right_programs.py on the corrected
line. Each program also fails when it runs, but for those whose mark ends in ``(checker only)``: they claim a
type that the run cannot see.
"""
# pyright: strict
# ruff: noqa: F841
# The programs show what is not to be written, so the values they make go unused.
# pyright: reportUnusedExpression=false, reportUnusedVariable=false, reportUnusedClass=false, reportUnusedCallResult=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

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
MOUNT = Rotation.from_quat(Q, order="wxyz", source=Camera, target=FLU)
SPIN = Rotation.from_rotvec([0.0, 0.0, 0.1], source=FRD, target=FRD)
BARE = Rotation.from_quat(Q, order="wxyz")
BODY_POSE = Pose(BODY, [0.0, 0.0, 0.0])
MOUNT_POSE = Pose(MOUNT, [0.0, 0.0, 0.0])
ARRAY = np.zeros(3)


# ---- composing ------------------------------------------------------------------------------------------


def compose_a_chain_that_does_not_meet() -> None:
    BODY @ MOUNT  # wrong: the inner frames of a composition agree


def compose_in_the_wrong_order() -> None:
    SPIN @ BODY  # wrong: the first rotation stands on the right


def compose_without_inverting() -> None:
    BODY @ BODY  # wrong: relative rotations invert one side


def compose_framed_with_unframed() -> None:
    BODY @ BARE  # wrong: framed and unframed do not compose


def compose_an_array() -> None:
    BODY @ ARRAY  # wrong: vectors are rotated by apply


def compose_with_an_array_on_the_left() -> None:
    ARRAY @ BODY  # wrong: an array does not compose with a rotation


def compose_a_longer_chain() -> None:
    BODY.inv() @ BODY @ MOUNT  # wrong: every joint of a chain agrees


def compose_poses_that_do_not_meet() -> None:
    BODY_POSE @ MOUNT_POSE  # wrong: the inner frames of composed poses agree


def compose_a_pose_with_a_rotation() -> None:
    BODY_POSE @ SPIN  # wrong: a pose composes with a pose


def compose_a_rotation_with_a_pose() -> None:
    SPIN @ BODY_POSE.inv()  # wrong: a rotation becomes a pose before it meets one


def claim_the_wrong_result() -> None:
    result: Rotation[FRD, FRD] = BODY @ SPIN  # wrong: the outer frames are those of the result (checker only)


def claim_the_wrong_inverse() -> None:
    result: Rotation[FRD, NED] = BODY.inv()  # wrong: the inverse swaps the frames (checker only)


def claim_the_wrong_pose() -> None:
    result: Pose[NED, FRD] = BODY_POSE  # wrong: a pose keeps its frames (checker only)


# ---- powers and ways between ----------------------------------------------------------------------------


def power_between_two_frames() -> None:
    BODY**0.5  # wrong: a power needs one frame on both sides


def slerp_across_sources() -> None:
    BODY.slerp(MOUNT, 0.5)  # wrong: slerp stays between the same two frames


def slerp_to_the_inverse() -> None:
    BODY.slerp(BODY.inv(), 0.5)  # wrong: slerp does not swap the frames


def interpolate_across_frames() -> None:
    BODY_POSE.interpolate(MOUNT_POSE, 0.5)  # wrong: poses are interpolated between the same two frames


def interpolate_to_a_rotation() -> None:
    BODY_POSE.interpolate(BODY, 0.5)  # wrong: a pose is interpolated to a pose


def concatenate_across_frames() -> None:
    Rotation.concatenate([BODY, MOUNT])  # wrong: one batch has one pair of frames


def apply_to_a_rotation() -> None:
    BODY.apply(SPIN)  # wrong: apply takes vectors


def apply_a_pose_to_a_pose() -> None:
    BODY_POSE.apply(MOUNT_POSE)  # wrong: a pose is applied to points


# ---- making rotations -----------------------------------------------------------------------------------


def no_order() -> None:
    Rotation.from_quat(Q)  # wrong: from_quat names the order


def order_by_position() -> None:
    Rotation.from_quat(Q, "wxyz")  # wrong: the order is named, not placed


def no_such_order() -> None:
    Rotation.from_quat(Q, order="zyxw")  # wrong: there are two orders


def no_order_out() -> None:
    BODY.as_quat()  # wrong: as_quat names the order


def no_unit() -> None:
    Rotation.from_euler("ZYX", [1.0, 2.0, 3.0])  # wrong: from_euler names the unit


def no_unit_out() -> None:
    BODY.as_euler("ZYX")  # wrong: as_euler names the unit


def no_unit_of_an_angle() -> None:
    Rotation.from_axis_angle([0.0, 0.0, 1.0], 90.0)  # wrong: from_axis_angle names the unit


def source_alone() -> None:
    Rotation.from_quat(Q, order="wxyz", source=FRD)  # wrong: both frames or neither


def target_alone() -> None:
    Rotation.from_matrix(np.eye(3), target=NED)  # wrong: a target needs its source


def source_of_a_pose_alone() -> None:
    Pose.from_matrix(np.eye(4), source=FRD)  # wrong: both frames of a pose or neither


def letters_for_a_frame() -> None:
    Rotation.identity(source="FRD", target="NED")  # wrong: a frame is a class, not its letters


def axes_for_a_frame() -> None:
    Rotation.identity(source=Axes("FRD"), target=Axes("NED"))  # wrong: a frame is a class, not its axes


def instance_for_a_class() -> None:
    Rotation.identity(source=NED(), target=NED)  # wrong: a frame is used as a class


def bare_rotation() -> None:
    Rotation()  # wrong: a rotation says what its numbers are


def bare_rotation_of_numbers() -> None:
    Rotation(Q)  # wrong: a rotation of numbers names what they are


def bare_pose() -> None:
    Pose()  # wrong: a pose is a rotation and a translation


def pose_of_numbers() -> None:
    Pose(Q, [0.0, 0.0, 0.0])  # wrong: the rotation of a pose is a Rotation


def no_such_row_policy() -> None:
    Rotation.from_quat([0.0] * 4, order="wxyz", invalid="skip")  # wrong: bad rows raise or become NaN


# ---- frames ---------------------------------------------------------------------------------------------


def frame_without_axes() -> None:
    class Wheel(Frame):  # wrong: a frame has axes
        pass


def frame_with_impossible_axes() -> None:
    class Wheel(Frame, axes="FBU"):  # wrong: axes are three different directions
        pass


def frame_derived_from_a_ready_made_one() -> None:
    class Wheel(FLU, axes="FLU"):  # wrong: a ready-made frame is final (checker only)
        pass


def reframe_one_side() -> None:
    BODY.reframe(source=FLU)  # wrong: a reframe names both sides


def reframe_by_position() -> None:
    BODY.reframe(FLU, ENU)  # wrong: a reframe names its sides


def reframe_to_axes() -> None:
    BODY.reframe(source=Axes("FLU"), target=Axes("ENU"))  # wrong: reframe to frames


def reframe_and_keep_the_old_type() -> None:
    result: Rotation[FRD, NED] = BODY.reframe(source=FLU, target=ENU)  # wrong: new frames (checker only)


def compose_after_a_reframe() -> None:
    BODY.reframe(source=FLU, target=ENU) @ SPIN  # wrong: new frames meet


def reframe_across_things() -> None:
    gimbal = Rotation.identity(source=Gimbal, target=NED)
    BODY @ gimbal.inv() @ gimbal  # wrong: another thing is reached by its mounting


def reframe_a_pose_on_one_side() -> None:
    BODY_POSE.reframe(target=ENU)  # wrong: a reframe of a pose names both sides


def between_one_frame() -> None:
    BARE.between(FRD)  # wrong: between names both frames


def use_an_unframed_rotation_as_framed() -> None:
    Pose(BARE, [0.0, 0.0, 0.0]) @ BODY_POSE.inv()  # wrong: a pose of an unframed rotation is unframed


def claim_an_unframed_rotation() -> None:
    result: Rotation[FRD, NED] = BARE  # wrong: between names frames (checker only)


def claim_a_framed_rotation_unframed() -> None:
    result: Rotation[Unframed, Unframed] = BODY  # wrong: framed stays framed (checker only)


def swap_left_and_right() -> None:
    right: Rotation[FLU, ENU] = Rotation.identity(source=FRU, target=ESU)  # wrong: hands (checker only)


def dynamic_without_axes() -> None:
    frames.dynamic("base_link")  # wrong: a dynamic frame has axes


def reframe_a_vector_to_one_frame() -> None:
    reframe_polar([1.0, 2.0, 3.0], FLU)  # wrong: a vector is reframed from one frame to another


# ---- attitudes ------------------------------------------------------------------------------------------


def bare_attitude() -> None:
    Attitude()  # wrong: an attitude names its convention


def bare_attitude_of_numbers() -> None:
    Attitude(Q)  # wrong: an attitude of numbers names their convention


def attitude_from_a_bare_quaternion() -> None:
    Attitude.from_quat(Q, order="wxyz")  # wrong: no attitude is bare numbers


def attitude_without_an_order() -> None:
    Attitude.from_body_to_ned(Q)  # wrong: an attitude's quaternion names its order


def attitude_out_without_an_order() -> None:
    Attitude.level().flu_to_enu()  # wrong: an attitude goes out in a named order


def attitude_from_another_rotation() -> None:
    Attitude.from_rotation(MOUNT)  # wrong: an attitude is a rotation from FRD to NED


def attitude_from_an_inverse() -> None:
    Attitude.from_rotation(BODY.inv())  # wrong: an attitude is no inverse


def attitude_from_ros() -> None:
    Attitude.from_rotation(BODY.reframe(source=FLU, target=ENU))  # wrong: an attitude says FLU, ENU


def attitude_from_an_unframed_rotation() -> None:
    Attitude.from_rotation(BARE)  # wrong: an attitude takes no unframed rotation


def compose_an_attitude() -> None:
    Attitude.level() @ SPIN  # wrong: an attitude holds a rotation and is none


def rotate_with_an_attitude() -> None:
    Attitude.level().apply(ARRAY)  # wrong: an attitude's rotation turns vectors
