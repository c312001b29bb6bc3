// CARLA's own geometry: float32, operation by operation, left to right.
//
// The bits are part of what is promised, so that this file differs from the other kernels in three ways. It is compiled
// once, without fused multiply-add, whatever the processor has. Sine and cosine, arc sine and arc tangent are those of
// the C library. And nothing is reordered, normalised or wrapped, however tempting: where CARLA loses something, so
// does this. Formulas are of CARLA's reference page for its geometry.
//
// Angles come in degrees in the order (pitch, yaw, roll) of carla.Rotation or, right-handed, (roll, pitch, yaw).
// Quaternions are (x, y, z, w).
#include "carla.hpp"

#include <math.h>  // not <cmath>, whose overloads are builtins that compilers merge

#include <cmath>
#include <cstdint>

#include "status.hpp"

// Contraction is also turned off in CMakeLists.txt, for the compilers that do not know the pragma.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

namespace boresight {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRadians = kPi / 180.0;
constexpr double kDegrees = 180.0 / kPi;
constexpr float kRadiansFloat = static_cast<float>(kPi) / 180.0f;

constexpr Operand kAngles = kVector;
constexpr Operand kHomogeneous{2, {4, 4}, false};

using In = const float *const *;
using Out = float *const *;

struct Turn {
    float c, s;
};

// glibc's one call gives the bits of its two for every float there is, in less time.
void turn(float radians, Turn &t) {
#if defined(__GLIBC__)
    ::sincosf(radians, &t.s, &t.c);
#else
    t = {::cosf(radians), ::sinf(radians)};
#endif
}

// Kernels of three angles say of which, and then what to do with sine and cosine of each, so that a block of rows can
// have all of its trigonometry done at once.
constexpr int kAxes = 3;
constexpr int kBlock = 64;  // rows

// Which angles of a block are in each quarter of a turn, 0 for those about zero.
struct Quarters {
    static constexpr int kMost = kBlock * kAxes;
    unsigned short members[4][kMost];
    int sizes[4];

    Quarters(const float *radians, int count) {
        constexpr float kLimit = 100.0f;
        constexpr float kPerQuarter = static_cast<float>(2.0 / kPi);
        int quarter[kMost];
        for (int i = 0; i < count; ++i) {
            const float size = std::fabs(radians[i]);
            quarter[i] = static_cast<int>((size < kLimit ? size : 0.0f) * kPerQuarter + 0.5f) & 3;
        }
        std::uint64_t ends = 0;  // four of 16 bits each, which so stay in a register
        for (int i = 0; i < count; ++i) {
            const int shift = 16 * quarter[i];
            members[quarter[i]][(ends >> shift) & 0xffff] = static_cast<unsigned short>(i);
            ends += std::uint64_t{1} << shift;
        }
        for (int k = 0; k < 4; ++k) sizes[k] = (ends >> (16 * k)) & 0xffff;
    }
};

// Of all angles of a block. The C library goes one way for angles about zero, and others for odd and even quarters of a
// turn. Which of them is next no processor guesses, and to guess wrong takes it as long as the sine itself; so each
// quarter is done in one go.
void turns(const float *radians, int count, Turn *out) {
    const Quarters quarters(radians, count);
    for (int k = 0; k < 4; ++k)
        for (int m = 0; m < quarters.sizes[k]; ++m) {
            const int i = quarters.members[k][m];
            turn(radians[i], out[i]);
        }
}

float half_of_quaternion(float degrees) { return static_cast<float>(static_cast<double>(degrees) * kRadians) * 0.5f; }

// The ROS 2 publisher works its angles out in float32; one quaternion in six differs in the last bit for that.
float half_of_publisher(float degrees) { return (degrees * kRadiansFloat) * 0.5f; }

// x, y, z, w.
void quaternion(Turn r, Turn p, Turn y, float *q) {
    q[0] = (r.s * p.c) * y.c - (r.c * p.s) * y.s;
    q[1] = (r.c * p.s) * y.c + (r.s * p.c) * y.s;
    q[2] = (r.c * p.c) * y.s - (r.s * p.s) * y.c;
    q[3] = (r.c * p.c) * y.c + (r.s * p.s) * y.s;
}

struct QuaternionOfRotation {
    static constexpr Operand operands[] = {kAngles, kQuaternion};
    static constexpr int n_in = 1;
    static void radians(const float *a, float *r) {
        r[0] = half_of_quaternion(a[2]);
        r[1] = half_of_quaternion(-a[0]);
        r[2] = half_of_quaternion(-a[1]);
    }
    static void row(const Turn *t, In, Out out) { quaternion(t[0], t[1], t[2], out[0]); }
};

struct QuaternionOfRightHanded {
    static constexpr Operand operands[] = {kAngles, kQuaternion};
    static constexpr int n_in = 1;
    static void radians(const float *a, float *r) {
        r[0] = half_of_quaternion(a[0]);
        r[1] = half_of_quaternion(a[1]);
        r[2] = half_of_quaternion(a[2]);
    }
    static void row(const Turn *t, In, Out out) { quaternion(t[0], t[1], t[2], out[0]); }
};

// w, x, y, z: the publisher's own order.
struct QuaternionOfPublisher {
    static constexpr Operand operands[] = {kAngles, kQuaternion};
    static constexpr int n_in = 1;
    static void radians(const float *a, float *r) {
        r[0] = half_of_publisher(a[2]);
        r[1] = half_of_publisher(-a[0]);
        r[2] = half_of_publisher(-a[1]);
    }
    static void row(const Turn *t, In, Out out) {
        float q[4];
        quaternion(t[0], t[1], t[2], q);
        out[0][0] = q[3];
        for (int i = 0; i < 3; ++i) out[0][i + 1] = q[i];
    }
};

float degrees(float radians) { return static_cast<float>(static_cast<double>(radians) * kDegrees); }

// Roll, pitch, yaw of the right-handed rotation. No branch at the pole, where CARLA has none.
struct RightHandedOfQuaternion {
    static constexpr Operand operands[] = {kQuaternion, kAngles};
    static constexpr int n_in = 1;
    static void row(In in, Out out) {
        const float x = in[0][0], y = in[0][1], z = in[0][2], w = in[0][3];
        float sp = 2.0f * (w * y - z * x);
        if (sp > 1.0f) sp = 1.0f;  // NaN is neither, and passes through
        if (sp < -1.0f) sp = -1.0f;
        out[0][0] = degrees(::atan2f(2.0f * (w * x + y * z), 1.0f - 2.0f * (x * x + y * y)));
        out[0][1] = degrees(::asinf(sp));
        out[0][2] = degrees(::atan2f(2.0f * (w * z + x * y), 1.0f - 2.0f * (y * y + z * z)));
    }
};

void rotated(const float *q, const float *v, float *out) {
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    const float tx = 2.0f * (y * v[2] - z * v[1]);
    const float ty = 2.0f * (z * v[0] - x * v[2]);
    const float tz = 2.0f * (x * v[1] - y * v[0]);
    out[0] = (v[0] + w * tx) + (y * tz - z * ty);
    out[1] = (v[1] + w * ty) + (z * tx - x * tz);
    out[2] = (v[2] + w * tz) + (x * ty - y * tx);
}

float squared_length(const float *q) { return ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]; }

void identity(float *q) {
    q[0] = q[1] = q[2] = 0.0f;
    q[3] = 1.0f;
}

void inverse(const float *q, float *out) {
    const float n2 = squared_length(q);
    if (n2 <= 0.0f) return identity(out);
    const float scale = 1.0f / n2;
    for (int i = 0; i < 3; ++i) out[i] = -q[i] * scale;
    out[3] = q[3] * scale;
}

struct RotatedVector {
    static constexpr Operand operands[] = {kQuaternion, kVector, kVector};
    static constexpr int n_in = 2;
    static void row(In in, Out out) { rotated(in[0], in[1], out[0]); }
};

struct InverseRotatedVector {
    static constexpr Operand operands[] = {kQuaternion, kVector, kVector};
    static constexpr int n_in = 2;
    static void row(In in, Out out) {
        float q[4];
        inverse(in[0], q);
        rotated(q, in[1], out[0]);
    }
};

struct Inverse {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion};
    static constexpr int n_in = 1;
    static void row(In in, Out out) { inverse(in[0], out[0]); }
};

struct Length {
    static constexpr Operand operands[] = {kQuaternion, kScalar};
    static constexpr int n_in = 1;
    static void row(In in, Out out) { out[0][0] = std::sqrt(squared_length(in[0])); }
};

struct Unit {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion};
    static constexpr int n_in = 1;
    static void row(In in, Out out) {
        const float length = std::sqrt(squared_length(in[0]));
        if (length <= 0.0f) return identity(out[0]);
        const float scale = 1.0f / length;
        for (int i = 0; i < 4; ++i) out[0][i] = in[0][i] * scale;
    }
};

struct Product {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion, kQuaternion};
    static constexpr int n_in = 2;
    static void row(In in, Out out) {
        const float x = in[0][0], y = in[0][1], z = in[0][2], w = in[0][3];
        const float X = in[1][0], Y = in[1][1], Z = in[1][2], W = in[1][3];
        out[0][0] = w * X + x * W + y * Z - z * Y;
        out[0][1] = w * Y - x * Z + y * W + z * X;
        out[0][2] = w * Z + x * Y - y * X + z * W;
        out[0][3] = w * W - x * X - y * Y - z * Z;
    }
};

// Matrices take their angles to radians in float32.
struct OfAngles {
    static void radians(const float *a, float *r) {
        for (int i = 0; i < kAxes; ++i) r[i] = a[i] * kRadiansFloat;
    }
};

// Columns forward, right, up; row-major.
struct Basis {
    float m[3][3];

    explicit Basis(const Turn *t) {
        const auto [cp, sp] = t[0];
        const auto [cy, sy] = t[1];
        const auto [cr, sr] = t[2];
        m[0][0] = cp * cy;
        m[0][1] = (cy * sp) * sr - sy * cr;
        m[0][2] = (-cy * sp) * cr - sy * sr;
        m[1][0] = cp * sy;
        m[1][1] = (sy * sp) * sr + cy * cr;
        m[1][2] = (-sy * sp) * cr + cy * sr;
        m[2][0] = sp;
        m[2][1] = -cp * sr;
        m[2][2] = cp * cr;
    }

    void rotate(const float *v, float *out) const {
        for (int i = 0; i < 3; ++i) out[i] = v[0] * m[i][0] + v[1] * m[i][1] + v[2] * m[i][2];
    }

    void rotate_inverse(const float *v, float *out) const {
        for (int i = 0; i < 3; ++i) out[i] = v[0] * m[0][i] + v[1] * m[1][i] + v[2] * m[2][i];
    }
};

void homogeneous(const float (&m)[3][3], const float *t, float *out) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out[4 * i + j] = m[i][j];
        out[4 * i + 3] = t[i];
    }
    identity(out + 12);
}

struct RotationMatrix : OfAngles {
    static constexpr Operand operands[] = {kAngles, kMatrix};
    static constexpr int n_in = 1;
    static void row(const Turn *t, In, Out out) {
        const Basis basis(t);
        for (int i = 0; i < 9; ++i) out[0][i] = basis.m[i / 3][i % 3];
    }
};

// Angles, location.
struct Matrix : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kHomogeneous};
    static constexpr int n_in = 2;
    static void row(const Turn *t, In in, Out out) { homogeneous(Basis(t).m, in[1], out[0]); }
};

struct InverseMatrix : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kHomogeneous};
    static constexpr int n_in = 2;
    static void row(const Turn *t, In in, Out out) {
        const Basis basis(t);
        float back[3], place[3], m[3][3];
        for (int i = 0; i < 3; ++i) back[i] = 0.0f - in[1][i];
        basis.rotate_inverse(back, place);
        for (int i = 0; i < 9; ++i) m[i / 3][i % 3] = basis.m[i % 3][i / 3];
        homogeneous(m, place, out[0]);
    }
};

// Rz Ry Rx of roll, pitch, yaw by the right-hand rule.
struct RightHandedMatrix : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kHomogeneous};
    static constexpr int n_in = 2;
    static void row(const Turn *t, In in, Out out) {
        const auto [cr, sr] = t[0];
        const auto [cp, sp] = t[1];
        const auto [cy, sy] = t[2];
        const float m[3][3] = {
            {cp * cy, (cy * sp) * sr - sy * cr, (cy * sp) * cr + sy * sr},
            {cp * sy, (sy * sp) * sr + cy * cr, (sy * sp) * cr - cy * sr},
            {-sp, cp * sr, cp * cr},
        };
        homogeneous(m, in[1], out[0]);
    }
};

struct RotateVector : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kVector};
    static constexpr int n_in = 2;
    static void row(const Turn *t, In in, Out out) { Basis(t).rotate(in[1], out[0]); }
};

struct InverseRotateVector : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kVector};
    static constexpr int n_in = 2;
    static void row(const Turn *t, In in, Out out) { Basis(t).rotate_inverse(in[1], out[0]); }
};

// Angles, location, point.
struct TransformPoint : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kVector, kVector};
    static constexpr int n_in = 3;
    static void row(const Turn *t, In in, Out out) {
        float turned[3];
        Basis(t).rotate(in[2], turned);
        for (int i = 0; i < 3; ++i) out[0][i] = turned[i] + in[1][i];
    }
};

struct InverseTransformPoint : OfAngles {
    static constexpr Operand operands[] = {kAngles, kVector, kVector, kVector};
    static constexpr int n_in = 3;
    static void row(const Turn *t, In in, Out out) {
        float from[3];
        for (int i = 0; i < 3; ++i) from[i] = in[2][i] - in[1][i];
        Basis(t).rotate_inverse(from, out[0]);
    }
};

// One operand's place in memory: from row to row, and within a row.
struct Place {
    char *base;
    Index row;
    Index inner[16];
};

template <class K>
constexpr int operand_count() {
    return static_cast<int>(sizeof(K::operands) / sizeof(K::operands[0]));
}

template <class K>
concept OfTurns = requires(const float *a, float *r) { K::radians(a, r); };

template <class K>
void row(In in, Out out) {
    if constexpr (OfTurns<K>) {
        float radians[kAxes];
        K::radians(in[0], radians);
        Turn t[kAxes];
        for (int i = 0; i < kAxes; ++i) turn(radians[i], t[i]);
        K::row(t, in, out);
    } else {
        K::row(in, out);
    }
}

// Rows first to first + count, which are whole.
template <class K>
void block(const Place *place, Index first, int count) {
    constexpr int n = operand_count<K>();
    float *at[n];
    const auto go_to = [&](Index i) {
        for (int o = 0; o < n; ++o) at[o] = reinterpret_cast<float *>(place[o].base + i * place[o].row);
    };
    if constexpr (OfTurns<K>) {
        float radians[kBlock * kAxes];
        Turn t[kBlock * kAxes];
        for (int i = 0; i < count; ++i) {
            go_to(first + i);
            K::radians(at[0], radians + kAxes * i);
        }
        turns(radians, kAxes * count, t);
        for (int i = 0; i < count; ++i) {
            go_to(first + i);
            K::row(t + kAxes * i, at, at + K::n_in);
        }
    } else {
        for (int i = 0; i < count; ++i) {
            go_to(first + i);
            K::row(at, at + K::n_in);
        }
    }
}

// Where every operand's rows are whole, they are worked on in place; else, and for float64, whose numbers are rounded
// to float32 first, they are copied in and out.
template <class K, class T>
void loop(char **args, const Index *dimensions, const Index *steps, void *) {
    constexpr int n = operand_count<K>();
    Place place[n];
    bool whole = sizeof(T) == sizeof(float);
    const Index *core = steps + n;
    for (int o = 0; o < n; ++o) {
        const Operand operand = K::operands[o];
        const int columns = operand.ndim > 0 ? operand.dims[operand.ndim - 1] : 1;
        const Index row_step = operand.ndim > 1 ? core[0] : 0;
        const Index column_step = operand.ndim > 0 ? core[operand.ndim - 1] : 0;
        place[o].base = args[o];
        place[o].row = steps[o];
        for (int c = 0; c < operand.components(); ++c) {
            place[o].inner[c] = (c / columns) * row_step + (c % columns) * column_step;
            whole = whole && place[o].inner[c] == static_cast<Index>(c * sizeof(float));
        }
        core += operand.ndim;
    }

    const Index rows = dimensions[0];
    if (whole) {
        for (Index i = 0; i < rows; i += kBlock)
            block<K>(place, i, static_cast<int>(rows - i < kBlock ? rows - i : kBlock));
    } else {
        float held[n][16];
        float *at[n];
        for (int o = 0; o < n; ++o) at[o] = held[o];
        for (Index i = 0; i < rows; ++i) {
            for (int o = 0; o < K::n_in; ++o)
                for (int c = 0; c < K::operands[o].components(); ++c)
                    held[o][c] = static_cast<float>(
                        *reinterpret_cast<const T *>(place[o].base + i * place[o].row + place[o].inner[c]));
            row<K>(at, at + K::n_in);
            for (int o = K::n_in; o < n; ++o)
                for (int c = 0; c < K::operands[o].components(); ++c)
                    *reinterpret_cast<T *>(place[o].base + i * place[o].row + place[o].inner[c]) = held[o][c];
        }
    }
    clear_status();
}

template <class K>
constexpr Kernel kernel(const char *name) {
    Kernel k{name, K::n_in, operand_count<K>() - K::n_in, {}, &loop<K, float>, &loop<K, double>, nullptr, false};
    for (int o = 0; o < operand_count<K>(); ++o) k.operands[o] = K::operands[o];
    return k;
}

constexpr Kernel kKernels[] = {
    kernel<QuaternionOfRotation>("carla_quaternion_of_rotation"),
    kernel<QuaternionOfRightHanded>("carla_quaternion_of_right_handed"),
    kernel<QuaternionOfPublisher>("carla_quaternion_of_publisher"),
    kernel<RightHandedOfQuaternion>("carla_right_handed_of_quaternion"),
    kernel<RotatedVector>("carla_rotated_vector"),
    kernel<InverseRotatedVector>("carla_inverse_rotated_vector"),
    kernel<Inverse>("carla_inverse"),
    kernel<Length>("carla_length"),
    kernel<Unit>("carla_unit"),
    kernel<Product>("carla_product"),
    kernel<RotationMatrix>("carla_rotation_matrix"),
    kernel<Matrix>("carla_matrix"),
    kernel<InverseMatrix>("carla_inverse_matrix"),
    kernel<RightHandedMatrix>("carla_right_handed_matrix"),
    kernel<RotateVector>("carla_rotate_vector"),
    kernel<InverseRotateVector>("carla_inverse_rotate_vector"),
    kernel<TransformPoint>("carla_transform"),
    kernel<InverseTransformPoint>("carla_inverse_transform"),
};

}  // namespace

KernelTable carla_kernels() { return {kKernels, static_cast<int>(sizeof(kKernels) / sizeof(kKernels[0]))}; }

}  // namespace boresight
