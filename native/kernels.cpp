// Every kernel, compiled once for each instruction set (BORESIGHT_ISA names the namespace). Nothing here may be
// visible to the linker outside that namespace.
#include "euler.hpp"
#include "maps.hpp"
#include "matrix.hpp"
#include "parameters.hpp"
#include "rigid.hpp"
#include "sampling.hpp"

namespace boresight::BORESIGHT_ISA {
namespace {

constexpr EulerSequence kTaitBryan[] = {
    {{0, 1, 2}, false}, {{0, 2, 1}, false}, {{1, 0, 2}, false}, {{1, 2, 0}, false},
    {{2, 0, 1}, false}, {{2, 1, 0}, false}, {{2, 1, 0}, true},  {{1, 2, 0}, true},
    {{2, 0, 1}, true},  {{0, 2, 1}, true},  {{1, 0, 2}, true},  {{0, 1, 2}, true},
};
constexpr EulerSequence kProper[] = {
    {{0, 1, 0}, false}, {{0, 2, 0}, false}, {{1, 0, 1}, false}, {{1, 2, 1}, false},
    {{2, 0, 2}, false}, {{2, 1, 2}, false}, {{0, 1, 0}, true},  {{0, 2, 0}, true},
    {{1, 0, 1}, true},  {{1, 2, 1}, true},  {{2, 0, 2}, true},  {{2, 1, 2}, true},
};

#define BORESIGHT_EULER(letters, proper, sequence)                               \
    kernel<FromEuler<proper, false>>("from_euler_" letters "_rad", sequence),    \
        kernel<FromEuler<proper, true>>("from_euler_" letters "_deg", sequence), \
        kernel<ToEuler<proper, false>>("to_euler_" letters "_rad", sequence),    \
        kernel<ToEuler<proper, true>>("to_euler_" letters "_deg", sequence),     \
        kernel<AtPole<proper>>("at_pole_" letters, sequence)

constexpr Kernel kKernels[] = {
    kernel<FromQuaternion<false>>("from_quaternion_xyzw"),
    kernel<FromQuaternion<true>>("from_quaternion_wxyz"),
    kernel<ToQuaternion<false, false>>("to_quaternion_xyzw"),
    kernel<ToQuaternion<true, false>>("to_quaternion_wxyz"),
    kernel<ToQuaternion<false, true>>("to_quaternion_xyzw_canonical"),
    kernel<ToQuaternion<true, true>>("to_quaternion_wxyz_canonical"),
    kernel<Multiply>("multiply"),
    kernel<Conjugate>("conjugate"),
    kernel<Rotate<false>>("rotate"),
    kernel<Rotate<true>>("rotate_inverse"),
    kernel<Change>("change"),
    kernel<Permute>("permute"),
    kernel<ToMatrix>("to_matrix"),
    kernel<FromMatrix>("from_matrix"),
    kernel<FromAxisAngle<false>>("from_axis_angle_rad"),
    kernel<FromAxisAngle<true>>("from_axis_angle_deg"),
    kernel<ToAxisAngle<false>>("to_axis_angle_rad"),
    kernel<ToAxisAngle<true>>("to_axis_angle_deg"),
    kernel<FromModifiedRodrigues>("from_modified_rodrigues"),
    kernel<ToModifiedRodrigues>("to_modified_rodrigues"),
    kernel<FromHeadingTilt>("from_heading_tilt"),
    kernel<ToHeadingTilt>("to_heading_tilt"),
    kernel<FromTwoAxes<0, 1>>("from_two_axes_xy"),
    kernel<FromTwoAxes<0, 2>>("from_two_axes_xz"),
    kernel<FromTwoAxes<1, 0>>("from_two_axes_yx"),
    kernel<FromTwoAxes<1, 2>>("from_two_axes_yz"),
    kernel<FromTwoAxes<2, 0>>("from_two_axes_zx"),
    kernel<FromTwoAxes<2, 1>>("from_two_axes_zy"),
    kernel<Exp>("exp"),
    kernel<Log>("log"),
    kernel<Angle>("angle"),
    kernel<Power>("power"),
    kernel<Slerp>("slerp"),
    kernel<PoseMake>("pose_make"),
    kernel<PoseFromMatrix<3>>("pose_from_matrix_34"),
    kernel<PoseFromMatrix<4>>("pose_from_matrix_44"),
    kernel<PoseToMatrix>("pose_to_matrix"),
    kernel<PoseMultiply>("pose_multiply"),
    kernel<PoseInverse>("pose_inverse"),
    kernel<PoseApply>("pose_apply"),
    kernel<PoseExp>("pose_exp"),
    kernel<PoseLog>("pose_log"),
    kernel<AngleMass>("angle_mass"),
    kernel<InverseAngleMass>("inverse_angle_mass"),
    kernel<SampleBall>("sample_ball"),
    kernel<SampleAxis>("sample_axis"),
    kernel<SampleSwingTwist>("sample_swing_twist"),
    kernel<SampleGaussian>("sample_gaussian"),
    kernel<ProposeBingham>("propose_bingham"),
    kernel<InvertCubic>("invert_cubic"),
    // The axes are those of the intrinsic sequence: "xyz" is "ZYX" read backwards.
    BORESIGHT_EULER("XYZ", false, &kTaitBryan[0]),
    BORESIGHT_EULER("XZY", false, &kTaitBryan[1]),
    BORESIGHT_EULER("YXZ", false, &kTaitBryan[2]),
    BORESIGHT_EULER("YZX", false, &kTaitBryan[3]),
    BORESIGHT_EULER("ZXY", false, &kTaitBryan[4]),
    BORESIGHT_EULER("ZYX", false, &kTaitBryan[5]),
    BORESIGHT_EULER("xyz", false, &kTaitBryan[6]),
    BORESIGHT_EULER("xzy", false, &kTaitBryan[7]),
    BORESIGHT_EULER("yxz", false, &kTaitBryan[8]),
    BORESIGHT_EULER("yzx", false, &kTaitBryan[9]),
    BORESIGHT_EULER("zxy", false, &kTaitBryan[10]),
    BORESIGHT_EULER("zyx", false, &kTaitBryan[11]),
    BORESIGHT_EULER("XYX", true, &kProper[0]),
    BORESIGHT_EULER("XZX", true, &kProper[1]),
    BORESIGHT_EULER("YXY", true, &kProper[2]),
    BORESIGHT_EULER("YZY", true, &kProper[3]),
    BORESIGHT_EULER("ZXZ", true, &kProper[4]),
    BORESIGHT_EULER("ZYZ", true, &kProper[5]),
    BORESIGHT_EULER("xyx", true, &kProper[6]),
    BORESIGHT_EULER("xzx", true, &kProper[7]),
    BORESIGHT_EULER("yxy", true, &kProper[8]),
    BORESIGHT_EULER("yzy", true, &kProper[9]),
    BORESIGHT_EULER("zxz", true, &kProper[10]),
    BORESIGHT_EULER("zyz", true, &kProper[11]),
};

}  // namespace

KernelTable kernel_table() { return {kKernels, static_cast<int>(sizeof(kKernels) / sizeof(kKernels[0]))}; }

}  // namespace boresight::BORESIGHT_ISA
