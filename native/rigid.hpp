// Poses: a unit quaternion and a translation, p' = q p + t.
//
// A twist is (rho, phi), translation first: exp is (V rho, exp phi) with the SO(3) left Jacobian
//     V = I + (1 - cos a)/a^2 [phi] + (a - sin a)/a^3 [phi]^2,   a = |phi|,
// and its inverse I - [phi]/2 + (1/a^2 - (1 + cos a)/(2 a sin a)) [phi]^2 (Barfoot, State Estimation, ch. 7).
// Both second coefficients come from series below a = 1/2, where their closed forms cancel.
#pragma once

#include "maps.hpp"
#include "matrix.hpp"

namespace boresight::BORESIGHT_ISA {

// (a - sin a) / a^3 from a^2; `half` is a / 2 with its sine and cosine.
template <class T>
BORESIGHT_INLINE T sine_defect(T square, T half, SinCos<T> sc) {
    const T series =
        T(1) / 6 +
        square * (T(-1) / 120 +
                  square * (T(1) / 5040 +
                            square * (T(-1) / 362880 +
                                      square * (T(1) / 39916800 +
                                                square * (T(-1) / 6227020800LL + square * (T(1) / 1307674368000LL))))));
    const bool small = square < T(0.25);
    const T a = small ? T(1) : T(2) * half;
    return small ? series : (a - T(2) * sc.sin * sc.cos) / (a * a * a);
}

// 1/a^2 - (1 + cos a)/(2 a sin a) = (1 - h cot h) / a^2 with h = a / 2.
template <class T>
BORESIGHT_INLINE T cotangent_defect(T square, T half, T cotangent) {
    const T series =
        T(1) / 12 +
        square * (T(1) / 720 +
                  square * (T(1) / 30240 +
                            square * (T(1) / 1209600 +
                                      square * (T(1) / 47900160 +
                                                square * (T(691) / 1307674368000LL +
                                                          square * (T(1) / 74724249600LL +
                                                                    square * (T(3617) / 10670622842880000LL)))))));
    const bool small = square < T(0.25);
    return small ? series : (T(1) - half * cotangent) / (small ? T(1) : square);
}

// NaN everywhere unless the whole row is finite. (A sum of large numbers may overflow: one of zeros does not.)
template <class T>
BORESIGHT_INLINE void put_whole(Rows<T> out, int i, Quat<T> q, Vec3<T> t, Vec3<T> given) {
    const T poison = (T(0) * given.x + T(0) * given.y) + (T(0) * given.z + T(0) * ((q.x + q.y) + (q.z + q.w)));
    const bool whole = poison == 0;
    put(out, 0, i, Quat<T>{whole ? q.x : kNaN<T>, whole ? q.y : kNaN<T>, whole ? q.z : kNaN<T>, whole ? q.w : kNaN<T>});
    put(out, 4, i, Vec3<T>{whole ? t.x : kNaN<T>, whole ? t.y : kNaN<T>, whole ? t.z : kNaN<T>});
}

// A unit quaternion and a translation from outside, made one row.
struct PoseMake : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kQuaternion, kVector};
    static constexpr int n_in = 2;
    static constexpr bool checked = true;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Vec3<T> t = vector<T>(in, 4, i);
        put_whole<T>(out, i, quaternion<T>(in, 0, i), t, t);
    }
};

// From 3 x 4 matrices, or 4 x 4 ones whose bottom row is 0 0 0 1 but for rounding of whoever made it.
template <int Height>
struct PoseFromMatrix : Simple {
    static constexpr Operand operands[] = {Operand{2, {Height, 4}, false}, kQuaternion, kVector};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Vec3<T> t{in[3][i], in[7][i], in[11][i]};
        T off;
        Quat<T> q = checked_quaternion<2>(matrix<T>(in, 0, i, 4), off);
        if constexpr (Height == 4) {
            constexpr T near = sizeof(T) == 8 ? T(1e-9) : T(1e-5);
            const bool fine = (std::fabs(in[12][i]) <= near) & (std::fabs(in[13][i]) <= near) &
                              (std::fabs(in[14][i]) <= near) & (std::fabs(in[15][i] - T(1)) <= near);
            q.w = fine ? q.w : kNaN<T>;
        }
        put_whole<T>(out, i, q, t, t);
    }
};

struct PoseToMatrix : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, Operand{2, {4, 4}, false}};
    static constexpr int n_in = 2;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put_matrix<4>(out, i, spread_nan(quaternion<T>(in, 0, i)));
        for (int k = 0; k < 3; ++k) {
            out[4 * k + 3][i] = in[4 + k][i];
            out[12 + k][i] = T(0);
        }
        out[15][i] = T(1);
    }
};

struct PoseMultiply : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kQuaternion, kVector, kQuaternion, kVector};
    static constexpr int n_in = 4;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> p = quaternion<T>(in, 0, i), q = quaternion<T>(in, 7, i);
        put(out, 0, i, multiply(p, q));
        put(out, 4, i, rotate(p, vector<T>(in, 11, i)) + vector<T>(in, 4, i));
    }
};

struct PoseInverse : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kQuaternion, kVector};
    static constexpr int n_in = 2;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = conjugate(quaternion<T>(in, 0, i));
        put(out, 0, i, spread_nan(q));
        put(out, 4, i, rotate(q, -vector<T>(in, 4, i)));
    }
};

struct PoseApply : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kVector, kVector};
    static constexpr int n_in = 3;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, rotate(quaternion<T>(in, 0, i), vector<T>(in, 7, i)) + vector<T>(in, 4, i));
    }
};

struct PoseExp : Simple {
    static constexpr Operand operands[] = {kTwist, kQuaternion, kVector};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;

    // Twists of hundreds of turns, which the row's sincos is not made for.
    template <class T>
    static void mend(Rows<T> in, Rows<T> out, int n) {
        if (!any_beyond<3, T>(in + 3, n, kLarge<T>)) return;
        for (int i = 0; i < n; ++i) mend_row<T>(in, out, i);
    }

    template <class T>
    static BORESIGHT_COLD void mend_row(Rows<T> in, Rows<T> out, int i) {
        const Vec3<T> rho = vector<T>(in, 0, i), phi = vector<T>(in, 3, i);
        const T half = norm(T(0.5) * phi), s = std::sin(half), c = std::cos(half);
        if (!(larger(larger(std::fabs(phi.x), std::fabs(phi.y)), std::fabs(phi.z)) > kLarge<T>)) return;
        const Vec3<T> axis{T(0.5) * phi.x / half, T(0.5) * phi.y / half, T(0.5) * phi.z / half};
        const Vec3<T> once = cross(axis, rho), twice = cross(axis, once);
        put_whole<T>(out, i, {s * axis.x, s * axis.y, s * axis.z, c},
                     rho + ((s * s / half) * once + (T(1) - s * c / half) * twice), rho);
    }

    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Vec3<T> rho = vector<T>(in, 0, i), phi = vector<T>(in, 3, i);
        const T half = T(0.5) * norm(phi), square = T(4) * half * half;
        const SinCos<T> sc = sincos(half);
        const bool tiny = half < Real<T>::eps;
        const T ratio = tiny ? T(1) : sc.sin / (tiny ? T(1) : half);  // (1 - cos a)/a^2 = (sin h / h)^2 / 2
        const Vec3<T> once = cross(phi, rho), twice = cross(phi, once);
        put_whole<T>(out, i, exp(phi), rho + ((T(0.5) * ratio * ratio) * once + sine_defect(square, half, sc) * twice),
                     rho);
    }
};

struct PoseLog : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kTwist};
    static constexpr int n_in = 2;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = spread_nan(quaternion<T>(in, 0, i));
        const Vec3<T> t = vector<T>(in, 4, i), phi = log(q);
        const T length = norm(Vec3<T>{q.x, q.y, q.z}), half = T(0.5) * norm(phi);
        const T cotangent = std::fabs(q.w) / (length > 0 ? length : T(1));
        const Vec3<T> once = cross(phi, t), twice = cross(phi, once);
        put(out, 0, i, t + (cotangent_defect(T(4) * half * half, half, cotangent) * twice - T(0.5) * once));
        put(out, 3, i, phi);
    }
};

}  // namespace boresight::BORESIGHT_ISA
