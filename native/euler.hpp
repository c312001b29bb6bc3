// Euler angles in all 24 sequences, by two formulas.
//
// An extrinsic sequence is the intrinsic one read backwards. Of the intrinsic ones only X-Y-Z and X-Y-X are worked
// out: the axes i, j, k of any other are renamed to x, y, z, and where (i, j, k) is left-handed the vector part and
// the angles change sign (v -> -v carries a left-handed product to a right-handed one).
//
// Out of a quaternion the entries of the matrix are summed from exact products, so that each angle is right to a few
// units in the last place for the quaternion as given, however near the pole. Closer than 3 eps to the pole, where
// rounding of the quaternion itself decides, the third rotation of the intrinsic sequence is zero, the middle one is
// exactly at the pole, and the first takes what is left.
#pragma once

#include "quaternion.hpp"
#include "vecmath.hpp"

namespace boresight {

// A sequence, as the kernels' static constant.
struct EulerSequence {
    int axes[3];   // of the intrinsic sequence
    bool reverse;  // extrinsic: angles are stored the other way round
};

}  // namespace boresight

namespace boresight::BORESIGHT_ISA {

template <class T>
struct EulerForm {
    int i, j, k;  // component of the quaternion that plays x, y, z
    T parity;
    int first, third;  // where the first and third angle of the intrinsic sequence are stored

    explicit EulerForm(const void *data) {
        const auto &s = *static_cast<const EulerSequence *>(data);
        i = s.axes[0];
        j = s.axes[1];
        k = 3 - i - j;
        parity = (j - i + 3) % 3 == 1 ? T(1) : T(-1);
        first = s.reverse ? 2 : 0;
        third = 2 - first;
    }
};

// Sine and cosine of half an angle, given in degrees or radians.
template <bool Degrees, class T>
BORESIGHT_INLINE SinCos<T> half_sincos(T angle) {
    if constexpr (Degrees) {
        // angle = 180 k + r exactly; half of it is k quarter turns and r / 2.
        using Bits = typename Real<T>::Bits;
        const T shifted = angle * (T(1) / T(180)) + Trig<T>::nearest;
        const T r = angle - T(180) * (shifted - Trig<T>::nearest);
        return sincos_of_rest<T>(std::bit_cast<Bits>(shifted), r * (kPi<T> / T(360)), T(0));
    } else {
        return sincos(T(0.5) * angle);
    }
}

// An angle so large that the reductions above would not hold, less whole turns (in pairs: half of it counts).
template <bool Degrees, class T>
BORESIGHT_COLD inline T tame_angle(T angle) {
    const T half = T(0.5) * angle;
    return Degrees ? std::fmod(angle, T(720)) : T(2) * std::atan2(std::sin(half), std::cos(half));
}

template <bool Degrees, class T>
constexpr T kLargeAngle = Degrees ? T(100000) : T(1000);

template <bool Proper, bool Degrees>
struct FromEuler : Simple {
    static constexpr Operand operands[] = {kVector, kQuaternion};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;
    template <class T>
    using Form = EulerForm<T>;

    static constexpr bool tames = true;
    template <class T>
    static void tame(Rows<T> in, int n, const EulerForm<T> &) {
        constexpr T limit = kLargeAngle<Degrees, T>;
        if (any_beyond<3, T>(in, n, limit)) tame_large<T>(in, n, limit);
    }

    template <class T>
    static BORESIGHT_COLD void tame_large(Rows<T> in, int n, T limit) {
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < n; ++i)
                if (std::fabs(in[c][i]) > limit) in[c][i] = tame_angle<Degrees>(in[c][i]);
    }

    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const EulerForm<T> &f) {
        const SinCos<T> a = half_sincos<Degrees>(f.parity * in[f.first][i]);
        const SinCos<T> b = half_sincos<Degrees>(f.parity * in[1][i]);
        const SinCos<T> c = half_sincos<Degrees>(f.parity * in[f.third][i]);
        const T cc = a.cos * c.cos, ss = a.sin * c.sin, sc = a.sin * c.cos, cs = a.cos * c.sin;
        T w, x, y, z;
        if constexpr (Proper) {
            w = b.cos * (cc - ss);
            x = b.cos * (sc + cs);
            y = b.sin * (cc + ss);
            z = b.sin * (sc - cs);
        } else {
            w = b.cos * cc - b.sin * ss;
            x = b.cos * sc + b.sin * cs;
            y = b.sin * cc - b.cos * ss;
            z = b.sin * sc + b.cos * cs;
        }
        const T sum = (w + x) + (y + z), poison = sum - sum;  // +0, or NaN; +0 also makes -0 +0
        out[f.i][i] = f.parity * x + poison;
        out[f.j][i] = f.parity * y + poison;
        out[f.k][i] = f.parity * z + poison;
        out[3][i] = w + poison;
    }
};

template <class T>
struct EulerAngles {
    T first, middle, third;
    bool at_pole;
};

template <class T>
BORESIGHT_INLINE T wrapped(T angle) {
    const T turn = angle > kPi<T> ? T(-2) * kPi<T> : (angle < -kPi<T> ? T(2) * kPi<T> : T(0));
    return angle + turn;
}

// atan2 whose half turn is always +pi: adding zero makes -0 of y +0.
template <class T>
BORESIGHT_INLINE T direction(T y, T x) {
    return atan2(y + T(0), x);
}

// The first angle: the direction of (y, x), or at the pole twice that of what is left, in (-pi, pi]. What is left may
// turn its sign, as its quaternion may: twice an angle within a quarter turn is rounded half as much, and needs no
// wrap.
template <class T>
BORESIGHT_INLINE T first_angle(bool at_pole, T y, T x, T left_y, T left_x) {
    const T sign = left_x < 0 ? T(-1) : T(1);
    const T once = direction(at_pole ? sign * left_y : y, at_pole ? sign * left_x : x);
    const T angle = at_pole ? T(2) * once : once;
    return at_pole && angle <= -kPi<T> ? kPi<T> : angle;
}

// Angles of the sequence whose axes have been renamed to x, y and z (or x): w, x, y, z are those of the renamed
// quaternion, and `parity` takes the angles back.
template <bool Proper, class T>
BORESIGHT_INLINE EulerAngles<T> euler_angles(T w, T x, T y, T z, T parity) {
    const Pair<T> xy = two_product(x, y), xz = two_product(x, z), yz = two_product(y, z);
    const Pair<T> wx = two_product(w, x), wy = two_product(w, y), wz = two_product(w, z);
    const Pair<T> xx = two_product(x, x), yy = two_product(y, y), zz = two_product(z, z), ww = two_product(w, w);
    const T square = (ww.hi + xx.hi) + (yy.hi + zz.hi);
    if constexpr (Proper) {
        // The middle angle is in [0, pi] whatever the parity, so that the outer two, not it, turn round.
        const T far = std::sqrt(rounded(yy + zz)), near = std::sqrt(rounded(ww + xx));
        const bool at_pole = T(2) * far * near < T(3) * Real<T>::eps * square;
        const bool half_turn = far > near;
        const T first = first_angle(at_pole, rounded(xy + wz), parity * rounded(wy - xz), parity * (half_turn ? z : x),
                                    half_turn ? y : w);
        const T third = direction(rounded(xy - wz), parity * rounded(xz + wy));
        return {first, at_pole ? (half_turn ? kPi<T> : T(0)) : T(2) * atan2_right(far, near), at_pole ? T(0) : third,
                at_pole};
    } else {
        const T s = T(2) * rounded(xz + wy);
        const T p = T(2) * rounded(wx - yz), q = rounded((ww - yy) + (zz - xx));
        const T r = T(2) * rounded(wz - xy), t = rounded((ww - yy) + (xx - zz));
        const T c = std::sqrt(r * r + t * t);
        const bool at_pole = c < T(3) * Real<T>::eps * square;
        const T sign = s < 0 ? T(-1) : T(1);
        const T first = first_angle(at_pole, parity * p, q, parity * (x + sign * z), w + sign * y);
        return {first, parity * (at_pole ? sign * (kPi<T> / T(2)) : atan2_right(s, c)),
                at_pole ? T(0) : direction(parity * r, t), at_pole};
    }
}

template <bool Proper, class T>
BORESIGHT_INLINE EulerAngles<T> euler_angles(Rows<T> in, int i, const EulerForm<T> &f) {
    return euler_angles<Proper>(in[3][i], f.parity * in[f.i][i], f.parity * in[f.j][i], f.parity * in[f.k][i],
                                f.parity);
}

// What is read off a quaternion by a sequence.
struct OfSequence : Simple {
    static constexpr int n_in = 1;
    template <class T>
    using Form = EulerForm<T>;
    template <class T>
    static void tame(Rows<T>, int, const EulerForm<T> &) {}
};

template <bool Proper, bool Degrees>
struct ToEuler : OfSequence {
    static constexpr Operand operands[] = {kQuaternion, kVector};

    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const EulerForm<T> &f) {
        const EulerAngles<T> e = euler_angles<Proper>(in, i, f);
        const T sum = (in[0][i] + in[1][i]) + (in[2][i] + in[3][i]), poison = sum - sum;
        const T unit = Degrees ? T(180) / kPi<T> : T(1);
        out[f.first][i] = e.first * unit + poison;
        out[1][i] = e.middle * unit + poison;
        out[f.third][i] = e.third * unit + poison;
    }
};

// 1 where ToEuler had to choose, else 0.
template <bool Proper>
struct AtPole : OfSequence {
    static constexpr Operand operands[] = {kQuaternion, kScalar};

    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const EulerForm<T> &f) {
        out[0][i] = euler_angles<Proper>(in, i, f).at_pole ? T(1) : T(0);
    }
};

}  // namespace boresight::BORESIGHT_ISA
