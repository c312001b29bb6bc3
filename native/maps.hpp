// The maps between rotation vectors and quaternions, and what is built of them: angle, power, slerp.
//
// atan2 forms throughout, never acos; a series where a quotient would lose its value. The rotation vector of q
// is the shortest: angle in [0, pi]. Half turns keep the axis as the quaternion has it.
#pragma once

#include "quaternion.hpp"
#include "vecmath.hpp"

namespace boresight::BORESIGHT_ISA {

// The square of the length of v, as an exact sum of exact squares to twice the working precision.
template <class T>
BORESIGHT_INLINE Pair<T> exact_square(Vec3<T> v) {
    return (two_product(v.x, v.x) + two_product(v.y, v.y)) + two_product(v.z, v.z);
}

// Half angle and, with it, what turns v into the quaternion's vector part. The length is carried to twice the
// working precision, since near pi the cosine of its half is all rounding otherwise.
template <class T>
BORESIGHT_INLINE Quat<T> exp(Vec3<T> v) {
    const Vec3<T> h = T(0.5) * v;
    const Pair<T> square = exact_square(h);
    const T root = std::sqrt(square.hi);
    const Pair<T> back = two_product(root, root);
    const bool tiny = square.hi < Real<T>::eps * T(0.0009765625);
    const T rest = tiny ? T(0) : ((square.hi - back.hi) - back.lo + square.lo) / (T(2) * root);
    const SinCos<T> sc = sincos(root, rest);
    const T factor = tiny ? T(1) : sc.sin / (tiny ? T(1) : root);
    return {factor * h.x, factor * h.y, factor * h.z, tiny ? T(1) + T(0) * square.hi : sc.cos};
}

// |v| is brought below 2 pi first where it is so large that the reduction inside sincos would not hold.
template <class T>
BORESIGHT_COLD inline void tame_vector(Rows<T> in, int i) {
    const T half = norm(T(0.5) * vector<T>(in, 0, i));  // of the whole, the length may be more than there are numbers
    const T factor = std::atan2(std::sin(half), std::cos(half)) / half;
    for (int c = 0; c < 3; ++c) in[c][i] *= factor;
}

// As many turns as change nothing are taken out of t where q is to be turned t times.
template <class T>
BORESIGHT_COLD inline T tame_turns(T t, Quat<T> q) {
    const T half = std::atan2(norm(Vec3<T>{q.x, q.y, q.z}), std::fabs(q.w));
    return half > 0 ? std::atan2(std::sin(t * half), std::cos(t * half)) / half : T(0) * t;
}

// The rotation vector of (v, w) with w >= 0 is factor * v.
template <class T>
BORESIGHT_INLINE T log_factor(T length, T w) {
    const bool tiny = length < Real<T>::eps;
    return tiny ? T(2) / w : T(2) * atan2_right(length, w) / (tiny ? T(1) : length);
}

template <class T>
BORESIGHT_INLINE Vec3<T> log(Quat<T> q) {
    const T sign = q.w < 0 ? T(-1) : T(1);
    const Vec3<T> v{sign * q.x, sign * q.y, sign * q.z};
    return log_factor(norm(v), std::fabs(q.w)) * v;
}

// Angles larger than kLarge, and exponents larger than kManyTurns, are reduced before sincos sees them.
template <class T>
constexpr T kLarge = 1000;
template <class T>
constexpr T kManyTurns = 300;

struct Exp : Simple {
    static constexpr Operand operands[] = {kVector, kQuaternion};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;
    static constexpr bool tames = true;
    template <class T>
    static void tame(Rows<T> in, int n, const Form<T> &) {
        constexpr T limit = kLarge<T>;
        if (!any_beyond<3, T>(in, n, limit)) return;
        for (int i = 0; i < n; ++i) {
            const Vec3<T> v = vector<T>(in, 0, i);
            if (larger(larger(std::fabs(v.x), std::fabs(v.y)), std::fabs(v.z)) > limit) tame_vector<T>(in, i);
        }
    }
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, spread_nan(exp(vector<T>(in, 0, i))));
    }
};

struct Log : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, log(spread_nan(quaternion<T>(in, 0, i))));
    }
};

struct Angle : Simple {
    static constexpr Operand operands[] = {kQuaternion, kScalar};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = spread_nan(quaternion<T>(in, 0, i));
        out[0][i] = T(2) * atan2_right(norm(Vec3<T>{q.x, q.y, q.z}), std::fabs(q.w));
    }
};

struct Power : Simple {
    static constexpr Operand operands[] = {kQuaternion, kScalar, kQuaternion};
    static constexpr int n_in = 2;
    static constexpr bool tames = true;
    template <class T>
    static void tame(Rows<T> in, int n, const Form<T> &) {
        if (!any_beyond<1, T>(in + 4, n, kManyTurns<T>)) return;
        for (int i = 0; i < n; ++i)
            if (std::fabs(in[4][i]) > kManyTurns<T>) in[4][i] = tame_turns(in[4][i], quaternion<T>(in, 0, i));
    }
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, spread_nan(exp(in[4][i] * log(quaternion<T>(in, 0, i)))));
    }
};

// Shortest path: p * (conj(p) q)^t.
struct Slerp : Simple {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion, kScalar, kQuaternion};
    static constexpr int n_in = 3;
    static constexpr bool tames = true;
    template <class T>
    static void tame(Rows<T> in, int n, const Form<T> &) {
        if (!any_beyond<1, T>(in + 8, n, kManyTurns<T>)) return;
        for (int i = 0; i < n; ++i)
            if (std::fabs(in[8][i]) > kManyTurns<T>)
                in[8][i] = tame_turns(in[8][i], multiply(conjugate(quaternion<T>(in, 0, i)), quaternion<T>(in, 4, i)));
    }
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> p = quaternion<T>(in, 0, i), q = quaternion<T>(in, 4, i);
        const Quat<T> between = multiply(conjugate(p), q);
        put(out, 0, i, spread_nan(multiply(p, exp(in[8][i] * log(between)))));
    }
};

}  // namespace boresight::BORESIGHT_ISA
