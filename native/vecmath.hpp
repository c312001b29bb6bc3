// Sine, cosine and arc tangent without a branch or a table, so that a loop over a block of components becomes vector
// code on every platform, and gives the same bits on each.
//
// sincos: the argument less the nearest multiple of pi/2, held in three parts of which the first two have so few bits
// that their products with the multiple are exact (Cody and Waite 1980); what rounding leaves is carried along. Good
// to one unit in the last place for |x| <= 1000; larger ones are for the caller to reduce.
// atan2: the quotient of the smaller by the larger, moved by pi/4 above tan(pi/8), and put into its octant by adding a
// multiple of pi/4 held in two parts. Good to one and a half units in the last place.
//
// The polynomials are minimax fits in the square of the argument, by exchange (Remez) at 300 bits, of
// (sin x - x) / x^3 and (cos x - 1 + x^2/2) / x^4 on [0, pi/4] and (atan x - x) / x^3 on [0, tan pi/8], weighted so
// that the relative error of the function is the least: 2^-57.9, 2^-64 and 2^-59.4 in double, 2^-28, 2^-33 and 2^-30.5
// in float.
#pragma once

#include "real.hpp"

namespace boresight::BORESIGHT_ISA {

template <class T>
struct Trig;

template <>
struct Trig<double> {
    static constexpr double two_over_pi = 0.6366197723675814;
    static constexpr double half_pi[] = {0x1.921fb54442cp+0, 0x1.18469898cc4p-44, 0x1.1701b839a252p-88};
    static constexpr double nearest = 0x1.8p52;  // adding it leaves the nearest integer in the last bits
    static constexpr double sin[] = {-0x1.5555555555548p-3, 0x1.111111110f7cap-7,   -0x1.a01a019bfd185p-13,
                                     0x1.71de356712922p-19, -0x1.ae5e59f5bb6eep-26, 0x1.5d8fa329313c3p-33};
    static constexpr double cos[] = {0x1.555555555554bp-5,   -0x1.6c16c16c14f8ap-10, 0x1.a01a019c83914p-16,
                                     -0x1.27e4f7ea37c18p-22, 0x1.1ee9d752aa1dcp-29,  -0x1.8fa465f95b916p-37};
    static constexpr double atan[] = {-0x1.555555555553dp-2, 0x1.99999999957afp-3,  -0x1.24924922a983p-3,
                                      0x1.c71c70e4bb5f3p-4,  -0x1.745cf8b9ca8fcp-4, 0x1.3b1116e3b3971p-4,
                                      -0x1.10eba0ae1d7bdp-4, 0x1.df0e0745c2605p-5,  -0x1.9ccd51c918ed8p-5,
                                      0x1.37c87afc7045p-5,   -0x1.254ea5a116e1ap-6};
    static constexpr double pi = 0x1.921fb54442d18p+1;
    static constexpr double pi_hi = 0x1.921fb54442d18p+1, pi_lo = 0x1.1a62633145c07p-53;  // 3 pi_hi / 4 is exact
};

template <>
struct Trig<float> {
    static constexpr float two_over_pi = 0.63661975f;
    static constexpr float half_pi[] = {0x1.9218p+0f, 0x1.ed5p-14f, 0x1.10b462p-30f};
    static constexpr float nearest = 0x1.8p23f;
    static constexpr float sin[] = {-0.16666655242443085f, 0.00833216030150652f, -0.00019515218446031213f};
    static constexpr float cos[] = {0.04166664555668831f, -0.0013887315290048718f, 2.4433082217001356e-05f};
    static constexpr float atan[] = {-0.33333316445350647f, 0.19998469948768616f, -0.14243511855602264f,
                                     0.10593640059232712f, -0.06077760085463524f};
    static constexpr float pi = 0x1.921fb6p+1f;
    static constexpr float pi_hi = 0x1.921fbp+1f, pi_lo = 0x1.5110b4p-21f;
};

// The tangent of pi/8: above it, an arc tangent is taken about pi/4.
template <class T>
constexpr T kTanEighth = T(0.41421356237309503);

template <class T>
constexpr T kPi = Trig<T>::pi;

// c[0] + c[1] z + ... by its even and its odd terms, which do not wait for each other.
template <class T, int N>
BORESIGHT_INLINE T polynomial(const T (&c)[N], T z) {
    const T zz = z * z;
    T even = c[(N - 1) / 2 * 2], odd = c[N / 2 * 2 - 1];
    for (int k = (N - 1) / 2 * 2 - 2; k >= 0; k -= 2) even = even * zz + c[k];
    for (int k = N / 2 * 2 - 3; k >= 0; k -= 2) odd = odd * zz + c[k];
    return even + z * odd;
}

template <class T>
struct SinCos {
    T sin, cos;
};

// Sine and cosine of `quarters` quarter turns and r + rest, |r| <= pi/4 (a little more does no harm).
template <class T>
BORESIGHT_INLINE SinCos<T> sincos_of_rest(typename Real<T>::Bits quarters, T r, T rest) {
    const T z = r * r;
    const T s = r + (r * z * polynomial(Trig<T>::sin, z) + rest * (T(1) - T(0.5) * z));
    const T half = T(0.5) * z, one = T(1) - half;
    const T c = one + (((T(1) - one) - half) + (z * z * polynomial(Trig<T>::cos, z) - r * rest));
    const bool odd = (quarters & 1) != 0;
    const T sin = odd ? c : s, cos = odd ? s : c;
    return {(quarters & 2) != 0 ? -sin : sin, ((quarters + 1) & 2) != 0 ? -cos : cos};
}

// Sine and cosine of x + lo, where lo is below the last place of x.
template <class T>
BORESIGHT_INLINE SinCos<T> sincos(T x, T lo = 0) {
    using Bits = typename Real<T>::Bits;
    const T shifted = x * Trig<T>::two_over_pi + Trig<T>::nearest;
    const T k = shifted - Trig<T>::nearest;
    const T a = x - k * Trig<T>::half_pi[0], b = k * Trig<T>::half_pi[1];
    const Pair<T> ab = quick_two_sum(a, -b);  // where a is the smaller, what is lost is below r's last place
    const T left = ab.lo - k * Trig<T>::half_pi[2] + lo;
    const T r = ab.hi + left;
    return sincos_of_rest<T>(std::bit_cast<Bits>(shifted), r, (ab.hi - r) + left);
}

// The angle of (x, y); where the caller knows that x is not negative, Right saves the other half plane.
template <bool Right, class T>
BORESIGHT_INLINE T atan2_of(T y, T x) {
    const T ay = std::fabs(y), ax = Right ? x : std::fabs(x);
    const bool steep = ay > ax, left = !Right && x < 0;
    const T small = ay < ax ? ay : ax, large = ay > ax ? ay : ax;  // ax where either is NaN
    const bool middle = small > large * kTanEighth<T>;
    const T above = middle ? small - large : small, below = middle ? small + large : large;
    const T t = above / (below == 0 ? T(1) : below);
    const T z = t * t;
    // The angle in the first octant is m pi/4 + atan t; mirrored in the diagonal, then in the y axis.
    const T m = middle ? T(0.25) : T(0);
    const T m2 = steep ? T(0.5) - m : m, m4 = left ? T(1) - m2 : m2;
    const T signed_t = steep != left ? -t : t;
    const T rest = signed_t * (z * polynomial(Trig<T>::atan, z)) + m4 * Trig<T>::pi_lo;
    const Pair<T> sum = quick_two_sum(m4 * Trig<T>::pi_hi, signed_t);
    return std::copysign(sum.hi + (sum.lo + rest), y);
}

template <class T>
BORESIGHT_INLINE T atan2(T y, T x) {
    return atan2_of<false>(y, x);
}

// The angle of (x, y) for x that is not negative.
template <class T>
BORESIGHT_INLINE T atan2_right(T y, T x) {
    return atan2_of<true>(y, x);
}

}  // namespace boresight::BORESIGHT_ISA
