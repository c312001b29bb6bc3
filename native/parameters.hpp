// Other ways to say which rotation: axis and angle, modified Rodrigues parameters, heading and tilt, two axes.
#pragma once

#include "euler.hpp"
#include "maps.hpp"
#include "matrix.hpp"

namespace boresight::BORESIGHT_ISA {

constexpr Operand kTilt{1, {2, 0}, false};

// The unit vector along one of any finite length but zero, of which NaN comes.
template <class T>
BORESIGHT_INLINE Vec3<T> unit(Vec3<T> v) {
    const T largest = larger(larger(std::fabs(v.x), std::fabs(v.y)), std::fabs(v.z));
    const T scale = largest < Real<T>::small ? Real<T>::up : (largest > Real<T>::large ? Real<T>::down : T(1));
    const Vec3<T> s = scale * v;
    const T square = dot(s, s);
    const bool fine = square > 0 && square <= std::numeric_limits<T>::max();
    return (fine ? T(1) / std::sqrt(square) : kNaN<T>)*s;
}

template <bool Degrees>
struct FromAxisAngle : Simple {
    static constexpr Operand operands[] = {kVector, kScalar, kQuaternion};
    static constexpr int n_in = 2;
    static constexpr bool checked = true;
    static constexpr bool tames = true;
    template <class T>
    static void tame(Rows<T> in, int n, const Form<T> &) {
        constexpr T limit = kLargeAngle<Degrees, T>;
        if (!any_beyond<1, T>(in + 3, n, limit)) return;
        for (int i = 0; i < n; ++i)
            if (std::fabs(in[3][i]) > limit) in[3][i] = tame_angle<Degrees>(in[3][i]);
    }
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Vec3<T> axis = unit(vector<T>(in, 0, i));
        const SinCos<T> half = half_sincos<Degrees>(in[3][i]);
        put(out, 0, i, spread_nan(Quat<T>{half.sin * axis.x, half.sin * axis.y, half.sin * axis.z, half.cos + T(0)}));
    }
};

// Of the shorter way round. What does not turn has the axis x.
template <bool Degrees>
struct ToAxisAngle : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kScalar};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = spread_nan(quaternion<T>(in, 0, i));
        const T sign = q.w < 0 ? T(-1) : T(1), factor = Degrees ? T(360) / kPi<T> : T(2);
        const Vec3<T> v{sign * q.x, sign * q.y, sign * q.z}, axis = unit(v);
        const bool still = (v.x == 0) & (v.y == 0) & (v.z == 0);
        put(out, 0, i, Vec3<T>{still ? T(1) : axis.x, still ? T(0) : axis.y, still ? T(0) : axis.z});
        out[3][i] = factor * atan2_right(norm(v), std::fabs(q.w));
    }
};

// (2 p, 1 - p^2) / (1 + p^2), over the square of whatever would overflow.
struct FromModifiedRodrigues : Simple {
    static constexpr Operand operands[] = {kVector, kQuaternion};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Vec3<T> p = vector<T>(in, 0, i);
        const T largest = larger(larger(std::fabs(p.x), std::fabs(p.y)), std::fabs(p.z));
        const T size = largest > T(1) ? largest : T(1), back = T(1) / size;
        const Vec3<T> s{p.x / size, p.y / size, p.z / size}, v = (T(2) * back) * s;
        put(out, 0, i, normalised(Quat<T>{v.x, v.y, v.z, back * back - dot(s, s)}));
    }
};

// v / (1 + w), of the shorter way round.
struct ToModifiedRodrigues : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = spread_nan(quaternion<T>(in, 0, i));
        const T below = q.w < 0 ? q.w - T(1) : q.w + T(1);
        put(out, 0, i, Vec3<T>{q.x / below, q.y / below, q.z / below});
    }
};

// exp(tilt) exp(heading about z).
struct FromHeadingTilt : Simple {
    static constexpr Operand operands[] = {kScalar, kTilt, kQuaternion};
    static constexpr int n_in = 2;
    static constexpr bool checked = true;
    static constexpr bool tames = true;
    template <class T>
    static void tame(Rows<T> in, int n, const Form<T> &) {
        constexpr T limit = kLarge<T>;
        if (!any_beyond<3, T>(in, n, limit)) return;
        for (int i = 0; i < n; ++i) {
            if (std::fabs(in[0][i]) > limit) in[0][i] = tame_angle<false>(in[0][i]);
            const T half = norm(Vec3<T>{T(0.5) * in[1][i], T(0.5) * in[2][i], T(0)});
            if (!(T(2) * half > limit)) continue;
            const T factor = std::atan2(std::sin(half), std::cos(half)) / half;
            in[1][i] *= factor;
            in[2][i] *= factor;
        }
    }
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const SinCos<T> half = sincos(T(0.5) * in[0][i]);
        const Quat<T> tilt = exp(Vec3<T>{in[1][i], in[2][i], T(0)});
        put(out, 0, i, spread_nan(multiply(tilt, Quat<T>{T(0), T(0), half.sin, half.cos})));
    }
};

// q = swing twist, the twist about z and the swing without a part about it. Upside down, where any twist would do
// (what decides it is less than rounding), it is none.
struct ToHeadingTilt : Simple {
    static constexpr Operand operands[] = {kQuaternion, kScalar, kTilt};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = spread_nan(quaternion<T>(in, 0, i));
        const T length = std::sqrt(q.z * q.z + q.w * q.w);
        const bool lost = length <= T(4) * Real<T>::eps;
        const T over = T(1) / (lost ? T(1) : length);
        const T s = lost ? T(0) : over * q.z, c = lost ? T(1) : over * q.w;
        const Vec3<T> swing = log(multiply(q, Quat<T>{T(0), T(0), -s, c}));
        out[0][i] = T(2) * atan2_right(c < 0 ? -s : s, std::fabs(c));
        out[1][i] = swing.x;
        out[2][i] = swing.y;
    }
};

// Axis I exactly along the first vector, axis J as near to the second as can be.
template <int I, int J>
struct FromTwoAxes : Simple {
    static constexpr Operand operands[] = {kVector, kVector, kQuaternion};
    static constexpr int n_in = 2;
    static constexpr bool checked = true;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        constexpr bool forward = (J - I + 3) % 3 == 1;
        const Vec3<T> first = unit(vector<T>(in, 0, i)), given = unit(vector<T>(in, 3, i));
        // Twice, so that what is left of nearly parallel axes stands upright too.
        const Vec3<T> left = given - dot(given, first) * first;
        const T size = norm(left);
        const Vec3<T> once = (T(1) / (size > T(4) * Real<T>::eps ? size : kNaN<T>)) * left;
        const Vec3<T> second = unit(once - dot(once, first) * first);
        const Vec3<T> third = forward ? cross(first, second) : cross(second, first);
        const auto column = [&](int axis) BORESIGHT_LAMBDA { return axis == I ? first : (axis == J ? second : third); };
        put(out, 0, i, spread_nan(quaternion_of(Mat3<T>{column(0), column(1), column(2)})));
    }
};

}  // namespace boresight::BORESIGHT_ISA
