// From rows of random numbers to rotations. Uniforms are on [0, 1), normals standard; nothing here makes any.
//
// Haar's measure of the rotations that turn by no more than t is (t - sin t) / pi; of those that tilt an axis by no
// more than a and twist about it by no more than b, sin^2(a/2) b / pi. Both laws are drawn by inverting these.
#pragma once

#include <type_traits>

#include "maps.hpp"

namespace boresight::BORESIGHT_ISA {

template <class T>
struct Mass;

// 6 / (2 k + 3)! with signs, for (t - sin t) / (t^3 / 6) in the square of t below 1; and what else depends on the
// precision: the number of bits below the exponent, its bias, and how the bits of a cube root begin (Kahan's third of
// the exponent, in the upper 32 bits).
template <>
struct Mass<double> {
    static constexpr double series[] = {1.0,
                                        -6.0 / 120,
                                        6.0 / 5040,
                                        -6.0 / 362880,
                                        6.0 / 39916800,
                                        -6.0 / 6227020800.0,
                                        6.0 / 1307674368000.0,
                                        -6.0 / 355687428096000.0,
                                        6.0 / 121645100408832000.0,
                                        -6.0 / 51090942171709440000.0};
    static constexpr double exponential[] = {
        1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
        1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
    static constexpr double log2_e = 1.4426950408889634;
    static constexpr double ln2_hi = 0x1.62e42fefap-1, ln2_lo = 0x1.cf79abc9e3b3ap-40;
    static constexpr double least = -700;
    static constexpr int mantissa = 52, bias = 1023, unseen = 32;
    static constexpr std::uint64_t third = 715094163;
};

template <>
struct Mass<float> {
    static constexpr float series[] = {1.0f, -6.0f / 120, 6.0f / 5040, -6.0f / 362880, 6.0f / 39916800};
    static constexpr float exponential[] = {1.0f,      1.0f,       1.0f / 2,   1.0f / 6,
                                            1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040};
    static constexpr float log2_e = 1.442695f;
    static constexpr float ln2_hi = 0x1.62e4p-1f, ln2_lo = 0x1.7f7d1cp-20f;
    static constexpr float least = -80;
    static constexpr int mantissa = 23, bias = 127, unseen = 0;
    static constexpr std::uint64_t third = 709958130;
};

// The cube root to 1e-5: a third of the exponent, and one step of Halley's.
template <class T>
BORESIGHT_INLINE T rough_cube_root(T a) {
    using Bits = typename Real<T>::Bits;
    const auto upper = static_cast<std::uint64_t>(std::bit_cast<Bits>(a)) >> Mass<T>::unseen & 0x7fffffff;
    const std::uint64_t third = (upper * 0x55555556) >> 32;
    const T c = std::bit_cast<T>(static_cast<Bits>((third + Mass<T>::third) << Mass<T>::unseen));
    const T cube = c * c * c;
    return c * ((cube + T(2) * a) / (T(2) * cube + a));
}

// e^x for x <= 2; 0 where it is too small to matter.
template <class T>
BORESIGHT_INLINE T exponential(T x) {
    using Bits = typename Real<T>::Bits;
    const T used = x > Mass<T>::least ? x : Mass<T>::least;
    const T shifted = used * Mass<T>::log2_e + Trig<T>::nearest;
    const T k = shifted - Trig<T>::nearest;
    const T r = (used - k * Mass<T>::ln2_hi) - k * Mass<T>::ln2_lo;
    const auto power = static_cast<std::make_unsigned_t<Bits>>(std::bit_cast<Bits>(shifted)) + Mass<T>::bias;
    const T scale = std::bit_cast<T>(static_cast<Bits>(power << Mass<T>::mantissa));
    return x > Mass<T>::least ? scale * polynomial(Mass<T>::exponential, r) : (x == x ? T(0) : x);
}

// Sine and cosine of u whole turns, 0 <= u <= 1.
template <class T>
BORESIGHT_INLINE SinCos<T> sincos_of_turns(T u) {
    const T quarters = T(4) * u;
    const T shifted = quarters + Trig<T>::nearest;
    const T rest = quarters - (shifted - Trig<T>::nearest);  // exact
    return sincos_of_rest<T>(std::bit_cast<typename Real<T>::Bits>(shifted), rest * (kPi<T> / 2), T(0));
}

// t - sin t, for an angle of which the sine and the cosine of the half are known.
template <class T>
BORESIGHT_INLINE T angle_mass(T t, SinCos<T> half) {
    const bool small = t < 1;
    const T tt = small ? t * t : T(1);
    const T series = t * tt * (T(1) / 6) * polynomial(Mass<T>::series, tt);
    return small ? series : t - T(2) * half.sin * half.cos;
}

template <class T>
struct HalfAngle {
    T angle;         // the whole one
    SinCos<T> half;  // of its half
};

// The angle whose t - sin t is y. The series of the inverse in the cube root of 6 y is within .04 everywhere, and two
// steps of Halley's cube that twice; the second is so small that sine and cosine follow it by their own series.
template <class T>
BORESIGHT_INLINE HalfAngle<T> inverse_angle_mass(T y) {
    const T c = rough_cube_root(T(6) * y), cc = c * c;
    T t = c * (T(1) + cc * (T(1) / 60 + cc * (T(1) / 1400 + cc * (T(1) / 25200))));
    SinCos<T> half{};
    T step = 0;
    for (int k = 0; k < 2; ++k) {
        t -= step;
        half = sincos(T(0.5) * t);
        const T newton = (angle_mass(t, half) - y) / (T(2) * half.sin * half.sin);
        step = newton / (T(1) - newton * half.cos / (T(2) * half.sin));
    }
    const T d = T(0.5) * step, less = T(0.5) * d * d;
    const T sin = half.sin - (half.cos * d + half.sin * less), cos = half.cos + (half.sin * d - half.cos * less);
    const bool some = !(y == 0);
    const T angle = t - step;
    return {some ? (angle > kPi<T> ? kPi<T> : angle) : y, {some ? sin : y, some ? cos : T(1)}};
}

// A turn about a uniform axis: its z is 2 u - 1, its azimuth v turns.
template <class T>
BORESIGHT_INLINE Quat<T> about_axis(SinCos<T> half, T u, T v) {
    const T across = half.sin * T(2) * std::sqrt(u * (T(1) - u));
    const SinCos<T> azimuth = sincos_of_turns(v);
    return {across * azimuth.cos, across * azimuth.sin, half.sin * (T(2) * u - T(1)), half.cos};
}

// s (cos, sin)(turns u), c (sin, cos)(half (2 v - 1)), with s^2 + c^2 = 1. With s^2 uniform on [0, 1] and half = pi
// this is Shoemake's uniform quaternion.
template <class T>
BORESIGHT_INLINE Quat<T> swing_twist(T square, T u, T twist) {
    const T s = std::sqrt(square), c = std::sqrt(T(1) - square);
    const SinCos<T> azimuth = sincos_of_turns(u), half = sincos(twist);
    return {s * azimuth.cos, s * azimuth.sin, c * half.sin, c * half.cos};
}

struct AngleMass : Simple {
    static constexpr Operand operands[] = {kScalar, kScalar};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        out[0][i] = angle_mass(in[0][i], sincos(T(0.5) * in[0][i]));
    }
};

struct InverseAngleMass : Simple {
    static constexpr Operand operands[] = {kScalar, kScalar};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const T y = in[0][i];
        const T angle = inverse_angle_mass(y).angle;
        out[0][i] = y >= 0 && y <= kPi<T> ? angle : kNaN<T>;
    }
};

// Three uniforms, and the least and the greatest t - sin t.
struct SampleBall : Simple {
    static constexpr Operand operands[] = {kVector, kScalar, kScalar, kQuaternion};
    static constexpr int n_in = 3;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const T y = in[3][i] + in[0][i] * (in[4][i] - in[3][i]);
        put(out, 0, i, about_axis(inverse_angle_mass(y).half, in[1][i], in[2][i]));
    }
};

// An angle, and two uniforms for its axis.
struct SampleAxis : Simple {
    static constexpr Operand operands[] = {kVector, kQuaternion};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, about_axis(sincos(T(0.5) * in[0][i]), in[1][i], in[2][i]));
    }
};

// Three uniforms, the share of the sphere that z may point to, and half the largest twist.
struct SampleSwingTwist : Simple {
    static constexpr Operand operands[] = {kVector, kScalar, kScalar, kQuaternion};
    static constexpr int n_in = 3;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const T twist = in[4][i] * (T(2) * in[2][i] - T(1));
        put(out, 0, i, swing_twist(in[0][i] * in[3][i], in[1][i], twist));
    }
};

// exp(root z): three normals, and a root of the covariance of the rotation vector.
struct SampleGaussian : Simple {
    static constexpr Operand operands[] = {kVector, weak(kMatrix), kQuaternion};
    static constexpr int n_in = 2;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Vec3<T> z = vector<T>(in, 0, i);
        const Vec3<T> v{dot(vector<T>(in, 3, i), z), dot(vector<T>(in, 6, i), z), dot(vector<T>(in, 9, i), z)};
        put(out, 0, i, exp(v));
    }
};

// A proposal for exp(-q' W q), W = diag(w): angular central Gaussian of matrix I + 2 W / b, and by how much the chance
// to accept it exceeds the last of four uniforms (Kent, Ganeiber and Mardia 2013). Given are (1 + 2 w / b)^(-1/2)
// and b. A normalised vector of normals is a uniform quaternion, so that no normals are needed.
struct ProposeBingham : Simple {
    static constexpr Operand operands[] = {kQuaternion, weak(kQuaternion), kScalar, kQuaternion, kScalar};
    static constexpr int n_in = 3;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> p = swing_twist(in[0][i], in[1][i], kPi<T> * (T(2) * in[2][i] - T(1)));
        const Quat<T> q{in[4][i] * p.x, in[5][i] * p.y, in[6][i] * p.z, in[7][i] * p.w};
        const T square = (q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w);
        const T over = T(1) / square, unit = std::sqrt(over);
        put(out, 0, i, Quat<T>{unit * q.x, unit * q.y, unit * q.z, unit * q.w});
        // q' W q is b (1 / square - 1) / 2; the chance is e^x (1 - x/2)^2 for x = (4 - b) / 2 - q' W q.
        const T x = T(2) - T(0.5) * (in[8][i] * over), rest = T(1) - T(0.5) * x;
        out[4][i] = exponential(x) * (rest * rest) - in[3][i];
    }
};

// A rising cubic less the value wanted of it, and the bracket of where that is 0.
template <class T>
struct Crossing {
    T slope, b, c, wanted;
    T low, high, x;

    // Newton's step, or half of the bracket where that leads out of it.
    BORESIGHT_INLINE void narrow() {
        const T value = x * (slope + x * (b + x * c)) - wanted, steep = slope + x * (T(2) * b + T(3) * x * c);
        low = value > 0 ? low : x;
        high = value > 0 ? x : high;
        const T newton = x - value / (steep > 0 ? steep : T(1)), middle = T(0.5) * (low + high);
        const bool inside = (steep > 0) & (newton >= low) & (newton <= high);
        x = inside ? newton : middle;
    }
};

// Where in [0, 1] a cubic has a value, by its own values at 0 and 1, between which it rises, and its slopes there.
struct InvertCubic : Simple {
    static constexpr Operand operands[] = {kScalar, kScalar, kScalar, kScalar, kScalar, kScalar};
    static constexpr int n_in = 5;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const T wanted = in[0][i] - in[1][i], rise = in[2][i] - in[1][i], slope = in[3][i], after = in[4][i];
        // From a flat end it leaves as a cube, which Newton's steps would be slow to find out.
        const T share = wanted / (rise > 0 ? rise : T(1));
        const T begin = slope > 0 ? share : rough_cube_root(share);
        Crossing<T> f{slope, T(3) * rise - T(2) * slope - after, slope + after - T(2) * rise, wanted, T(0), T(1),
                      begin};
        // Always as many, and written out: what has a loop inside is not made vector code.
        f.narrow(), f.narrow(), f.narrow(), f.narrow(), f.narrow(), f.narrow();
        f.narrow(), f.narrow(), f.narrow(), f.narrow(), f.narrow(), f.narrow();
        out[0][i] = f.x;
    }
};

}  // namespace boresight::BORESIGHT_ISA
