// Quaternions and the vectors they turn. Hamilton, (x, y, z, w), unit but for what comes in through Normalise.
//
// Formulas: the Hamilton product written out; rotation as v + 2 w (u x v) + 2 u x (u x v) with u = (x, y, z).
#pragma once

#include "gufunc.hpp"

namespace boresight::BORESIGHT_ISA {

template <class T>
struct Vec3 {
    T x, y, z;
};

template <class T>
struct Quat {
    T x, y, z, w;
};

template <class T>
BORESIGHT_INLINE Vec3<T> vector(Rows<T> in, int c, int i) {
    return {in[c][i], in[c + 1][i], in[c + 2][i]};
}

template <class T>
BORESIGHT_INLINE Quat<T> quaternion(Rows<T> in, int c, int i) {
    return {in[c][i], in[c + 1][i], in[c + 2][i], in[c + 3][i]};
}

template <class T>
BORESIGHT_INLINE void put(Rows<T> out, int c, int i, Vec3<T> v) {
    out[c][i] = v.x;
    out[c + 1][i] = v.y;
    out[c + 2][i] = v.z;
}

template <class T>
BORESIGHT_INLINE void put(Rows<T> out, int c, int i, Quat<T> q) {
    out[c][i] = q.x;
    out[c + 1][i] = q.y;
    out[c + 2][i] = q.z;
    out[c + 3][i] = q.w;
}

template <class T>
BORESIGHT_INLINE Vec3<T> operator+(Vec3<T> a, Vec3<T> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
BORESIGHT_INLINE Vec3<T> operator-(Vec3<T> a, Vec3<T> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
BORESIGHT_INLINE Vec3<T> operator-(Vec3<T> a) {
    return {-a.x, -a.y, -a.z};
}

template <class T>
BORESIGHT_INLINE Vec3<T> operator*(T s, Vec3<T> a) {
    return {s * a.x, s * a.y, s * a.z};
}

template <class T>
BORESIGHT_INLINE T dot(Vec3<T> a, Vec3<T> b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
BORESIGHT_INLINE Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The length of a vector of any finite size, tiny ones included: squares neither vanish nor overflow.
template <class T>
BORESIGHT_INLINE T norm(Vec3<T> v) {
    const T largest = larger(larger(std::fabs(v.x), std::fabs(v.y)), std::fabs(v.z));
    const T scale = largest < Real<T>::small ? Real<T>::up : (largest > Real<T>::large ? Real<T>::down : T(1));
    const T back = largest < Real<T>::small ? Real<T>::down : (largest > Real<T>::large ? Real<T>::up : T(1));
    const Vec3<T> s = scale * v;
    return std::sqrt(dot(s, s)) * back;
}

template <class T>
BORESIGHT_INLINE Quat<T> conjugate(Quat<T> q) {
    return {-q.x, -q.y, -q.z, q.w};
}

template <class T>
BORESIGHT_INLINE Quat<T> multiply(Quat<T> p, Quat<T> q) {
    return {p.w * q.x + p.x * q.w + (p.y * q.z - p.z * q.y), p.w * q.y + p.y * q.w + (p.z * q.x - p.x * q.z),
            p.w * q.z + p.z * q.w + (p.x * q.y - p.y * q.x), p.w * q.w - (p.x * q.x + p.y * q.y + p.z * q.z)};
}

template <class T>
BORESIGHT_INLINE Vec3<T> rotate(Quat<T> q, Vec3<T> v) {
    const Vec3<T> u{q.x, q.y, q.z};
    const Vec3<T> t = T(2) * cross(u, v);
    return v + (q.w * t + cross(u, t));
}

// -q where the first nonzero of w, x, y, z is negative.
template <class T>
BORESIGHT_INLINE Quat<T> canonical(Quat<T> q) {
    const T yz = q.y != 0 ? q.y : q.z;
    const T xyz = q.x != 0 ? q.x : yz;
    const T first = q.w != 0 ? q.w : xyz;
    const T sign = first < 0 ? T(-1) : T(1);
    return {sign * q.x, sign * q.y, sign * q.z, sign * q.w};
}

// A unit quaternion from any of nonzero finite length; NaN from all others. The largest component is brought
// near one by a power of two first, which is exact. What is unit already to 4 eps is left as it is.
template <class T>
BORESIGHT_INLINE Quat<T> normalised(Quat<T> q) {
    const T largest = larger(larger(std::fabs(q.x), std::fabs(q.y)), larger(std::fabs(q.z), std::fabs(q.w)));
    const T scale = largest < Real<T>::small ? Real<T>::up : (largest > Real<T>::large ? Real<T>::down : T(1));
    const Quat<T> s{scale * q.x, scale * q.y, scale * q.z, scale * q.w};
    const T square = (s.x * s.x + s.y * s.y) + (s.z * s.z + s.w * s.w);
    const bool unit = std::fabs(square - T(1)) <= 8 * Real<T>::eps;
    const bool fine = square > 0 && square <= std::numeric_limits<T>::max();
    const T factor = unit ? T(1) : (fine ? T(1) / std::sqrt(square) : kNaN<T>);
    return {factor * s.x, factor * s.y, factor * s.z, factor * s.w};
}

// NaN everywhere if anywhere.
template <class T>
BORESIGHT_INLINE Quat<T> spread_nan(Quat<T> q) {
    const T poison = T(0) * ((q.x + q.y) + (q.z + q.w));
    const bool bad = !(poison == 0);
    return {bad ? kNaN<T> : q.x, bad ? kNaN<T> : q.y, bad ? kNaN<T> : q.z, bad ? kNaN<T> : q.w};
}

template <bool ScalarFirst>
struct FromQuaternion : Simple {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        constexpr int xyz = ScalarFirst ? 1 : 0, w = ScalarFirst ? 0 : 3;
        put(out, 0, i, normalised(Quat<T>{in[xyz][i], in[xyz + 1][i], in[xyz + 2][i], in[w][i]}));
    }
};

template <bool ScalarFirst, bool Canonical>
struct ToQuaternion : Simple {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = Canonical ? canonical(quaternion<T>(in, 0, i)) : quaternion<T>(in, 0, i);
        constexpr int xyz = ScalarFirst ? 1 : 0, w = ScalarFirst ? 0 : 3;
        out[xyz][i] = q.x;
        out[xyz + 1][i] = q.y;
        out[xyz + 2][i] = q.z;
        out[w][i] = q.w;
    }
};

struct Multiply : Simple {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion, kQuaternion};
    static constexpr int n_in = 2;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, multiply(quaternion<T>(in, 0, i), quaternion<T>(in, 4, i)));
    }
};

struct Conjugate : Simple {
    static constexpr Operand operands[] = {kQuaternion, kQuaternion};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put(out, 0, i, spread_nan(conjugate(quaternion<T>(in, 0, i))));
    }

    // Rows that lie as they are stored need not be taken apart. Those of a block with a NaN in it are looked at again.
    template <class T>
    static void whole(const T *from, T *to, int n) {
        constexpr int most = 4 * kBlock<T>;
        alignas(64) static constexpr auto sign = signs<T, most>();
        typename Real<T>::Bits bad = 0;
        for (int k = 0; k < 4 * n; ++k) {
            const T x = from[k];
            to[k] = sign.of[k] * x;
            bad |= x - x == 0 ? 0 : 1;
        }
        if (bad != 0) spread_rows(to, n);
    }

    template <class T>
    static BORESIGHT_COLD void spread_rows(T *to, int n) {
        for (T *row = to; row < to + 4 * n; row += 4) {
            const Quat<T> q = spread_nan(Quat<T>{row[0], row[1], row[2], row[3]});
            row[0] = q.x;
            row[1] = q.y;
            row[2] = q.z;
            row[3] = q.w;
        }
    }

  private:
    template <class T, int N>
    struct Signs {
        T of[N];
    };
    template <class T, int N>
    static constexpr Signs<T, N> signs() {
        Signs<T, N> s{};
        for (int k = 0; k < N; ++k) s.of[k] = k % 4 == 3 ? T(1) : T(-1);
        return s;
    }
};

template <bool Inverse>
struct Rotate : Simple {
    static constexpr Operand operands[] = {kQuaternion, kVector, kVector};
    static constexpr int n_in = 2;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        const Quat<T> q = quaternion<T>(in, 0, i);
        put(out, 0, i, rotate(Inverse ? conjugate(q) : q, vector<T>(in, 4, i)));
    }
};

// scale * (C q): what a change of axes does to a quaternion, C holding -1, 0 and 1. Most have one or two terms in each
// row, and the others are not worth their multiplications by zero.
struct Change : Simple {
    static constexpr Operand operands[] = {kQuaternion, weak(Operand{2, {4, 4}, false}), weak(kScalar), kQuaternion};
    static constexpr int n_in = 3;

    template <class T>
    struct Plan {
        int from[4][4];  // of each component: those it is made of, then those it is not
        T c[4][4];
        T scale;
        int most = 0;  // terms of any component

        void read(Rows<T> in) {
            scale = in[20][0];
            for (int row = 0; row < 4; ++row) {
                int terms = 0, zeros = 4;
                for (int k = 0; k < 4; ++k) {
                    const T coefficient = in[4 + 4 * row + k][0];
                    const int place = coefficient != 0 ? terms++ : --zeros;
                    from[row][place] = k;
                    c[row][place] = coefficient;
                }
                most = terms > most ? terms : most;
            }
        }

        template <int Terms>
        BORESIGHT_INLINE void sum(Rows<T> in, Rows<T> out, int n) const {
            for (int row = 0; row < 4; ++row) {
                const T *a = in[from[row][0]], *b = in[from[row][1]], *d = in[from[row][2]], *e = in[from[row][3]];
                const T ca = c[row][0], cb = c[row][1], cd = c[row][2], ce = c[row][3], s = scale;
                T *BORESIGHT_RESTRICT to = out[row];
                for (int i = 0; i < n; ++i) {
                    T total = ca * a[i];
                    if constexpr (Terms > 1) total = total + cb * b[i];
                    if constexpr (Terms > 2) total = total + (cd * d[i] + ce * e[i]);
                    to[i] = s * total;
                }
            }
        }

        void run(Rows<T> in, Rows<T> out, int n) const {
            if (most <= 1)
                sum<1>(in, out, n);
            else if (most == 2)
                sum<2>(in, out, n);
            else
                sum<4>(in, out, n);
            // What a component left out may have been NaN.
            typename Real<T>::Bits bad = 0;
            for (int i = 0; i < n; ++i) {
                const T all = (in[0][i] + in[1][i]) + (in[2][i] + in[3][i]);
                bad |= all - all != 0 ? 1 : 0;
            }
            if (bad != 0) spread_all(in, out, n);
        }

        static BORESIGHT_COLD void spread_all(Rows<T> in, Rows<T> out, int n) {
            for (int i = 0; i < n; ++i) {
                const T all = (in[0][i] + in[1][i]) + (in[2][i] + in[3][i]);
                for (int k = 0; k < 4; ++k) out[k][i] = all - all == 0 ? out[k][i] : kNaN<T>;
            }
        }
    };
};

// Components moved and signed: code +-(k + 1) takes component k. NaN moves with its component.
struct Permute : Simple {
    static constexpr Operand operands[] = {kVector, weak(kVector), kVector};
    static constexpr int n_in = 2;

    template <class T>
    struct Plan {
        int from[3];
        T sign[3];

        void read(Rows<T> in) {
            for (int k = 0; k < 3; ++k) {
                from[k] = static_cast<int>(std::fabs(in[3 + k][0])) - 1;
                sign[k] = in[3 + k][0] < 0 ? T(-1) : T(1);
            }
        }

        void run(Rows<T> in, Rows<T> out, int n) const {
            for (int k = 0; k < 3; ++k) {
                const T *old = in[from[k]];
                const T s = sign[k];
                T *BORESIGHT_RESTRICT to = out[k];
                for (int i = 0; i < n; ++i) to[i] = s * old[i];
            }
        }
    };
};

}  // namespace boresight::BORESIGHT_ISA
