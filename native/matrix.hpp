// Rotation matrices, row-major, v' = M v.
//
// In: a matrix is a rotation where every entry of M^T M - I is below the tolerance (1e-5 in double, which admits what
// was written with six digits or has been single precision; 1e-4 in float) and the determinant is positive. One or two
// Newton-Schulz steps of the polar decomposition (Bjorck and Bowie 1971), X <- X - X (X^T X - I) / 2, each of which
// leaves the square of what it was off, then make it the nearest rotation; a matrix that is orthonormal to 8 eps is
// taken as it is. The quaternion is Shepperd's (1978): of the four squares the largest is the divisor.
#pragma once

#include "quaternion.hpp"

namespace boresight::BORESIGHT_ISA {

template <class T>
struct Mat3 {
    Vec3<T> a, b, c;  // columns
};

template <class T>
BORESIGHT_INLINE Mat3<T> matrix(Rows<T> in, int c, int i, int stride = 3) {
    const int d = c + stride, e = d + stride;  // where the second and the third row begin
    return {{in[c][i], in[d][i], in[e][i]},
            {in[c + 1][i], in[d + 1][i], in[e + 1][i]},
            {in[c + 2][i], in[d + 2][i], in[e + 2][i]}};
}

// The upper triangle of M^T M - I, halved.
template <class T>
struct Defect {
    T aa, bb, cc, ab, ac, bc;

    BORESIGHT_INLINE explicit Defect(const Mat3<T> &m)
        : aa(T(0.5) * (dot(m.a, m.a) - T(1))),
          bb(T(0.5) * (dot(m.b, m.b) - T(1))),
          cc(T(0.5) * (dot(m.c, m.c) - T(1))),
          ab(T(0.5) * dot(m.a, m.b)),
          ac(T(0.5) * dot(m.a, m.c)),
          bc(T(0.5) * dot(m.b, m.c)) {}

    BORESIGHT_INLINE T largest() const {
        const T diagonal = larger(larger(std::fabs(aa), std::fabs(bb)), std::fabs(cc));
        const T others = larger(larger(std::fabs(ab), std::fabs(ac)), std::fabs(bc));
        return T(2) * larger(diagonal, others);
    }
};

// One step towards the nearest rotation.
template <class T>
BORESIGHT_INLINE Mat3<T> corrected(const Mat3<T> &m, const Defect<T> &d) {
    return {m.a - (d.aa * m.a + (d.ab * m.b + d.ac * m.c)), m.b - (d.bb * m.b + (d.ab * m.a + d.bc * m.c)),
            m.c - (d.cc * m.c + (d.ac * m.a + d.bc * m.b))};
}

// The quaternion of an orthonormal matrix, w >= 0.
template <class T>
BORESIGHT_INLINE Quat<T> quaternion_of(const Mat3<T> &m) {
    const T xx = m.a.x, yy = m.b.y, zz = m.c.z;
    const T w4 = T(1) + (xx + yy + zz), x4 = T(1) + (xx - yy - zz);
    const T y4 = T(1) + (yy - xx - zz), z4 = T(1) + (zz - xx - yy);
    const T wx = m.b.z - m.c.y, wy = m.c.x - m.a.z, wz = m.a.y - m.b.x;  // 4wx, 4wy, 4wz
    const T xy = m.b.x + m.a.y, xz = m.c.x + m.a.z, yz = m.c.y + m.b.z;  // 4xy, 4xz, 4yz
    const bool by_x = (x4 >= y4) & (x4 >= z4), by_y = y4 >= z4;
    const T v4 = by_x ? x4 : (by_y ? y4 : z4);
    const bool by_w = w4 >= v4;
    const T vx = by_x ? x4 : (by_y ? xy : xz), vy = by_x ? xy : (by_y ? y4 : yz), vz = by_x ? xz : (by_y ? yz : z4);
    const T vw = by_x ? wx : (by_y ? wy : wz);
    const T x = by_w ? wx : vx, y = by_w ? wy : vy, z = by_w ? wz : vz, w = by_w ? w4 : vw;
    const T scale = T(1) / std::sqrt((x * x + y * y) + (z * z + w * w));
    return canonical(Quat<T>{scale * x, scale * y, scale * z, scale * w});
}

// The nine entries, each row `Stride` components after the one before.
template <int Stride, class T>
BORESIGHT_INLINE void put_matrix(Rows<T> out, int i, Quat<T> q) {
    const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const T xx = x2 * q.x, yy = y2 * q.y, zz = z2 * q.z;
    const T xy = x2 * q.y, xz = x2 * q.z, yz = y2 * q.z, wx = x2 * q.w, wy = y2 * q.w, wz = z2 * q.w;
    put(out, 0, i, Vec3<T>{T(1) - (yy + zz), xy - wz, xz + wy});
    put(out, Stride, i, Vec3<T>{xy + wz, T(1) - (xx + zz), yz - wx});
    put(out, 2 * Stride, i, Vec3<T>{xz - wy, yz + wx, T(1) - (xx + yy)});
}

struct ToMatrix : Simple {
    static constexpr Operand operands[] = {kQuaternion, kMatrix};
    static constexpr int n_in = 1;
    template <class T>
    static BORESIGHT_INLINE void row(Rows<T> in, Rows<T> out, int i, const Form<T> &) {
        put_matrix<3>(out, i, spread_nan(quaternion<T>(in, 0, i)));
    }
};

// How far a matrix is from orthonormal; infinite for what is no rotation at all.
template <class T>
BORESIGHT_INLINE T distance(const Mat3<T> &m, const Defect<T> &defect) {
    const T off = defect.largest();
    // `larger` loses a NaN in some places: the sum does not.
    const T sum = (defect.aa + defect.bb) + defect.cc;
    const bool rotation = (off <= Real<T>::orthogonality) & (sum == sum) & (dot(cross(m.a, m.b), m.c) > 0);
    return rotation ? off : std::numeric_limits<T>::infinity();
}

// Off by less than the first, a matrix is taken as it is; by less than the second, one step makes it a rotation.
template <class T>
constexpr T kAsItIs = 8 * Real<T>::eps;
template <class T>
constexpr T kOneStep = sizeof(T) == 8 ? T(1e-8) : T(1e-4);

template <class T>
BORESIGHT_INLINE Mat3<T> choose(bool first, const Mat3<T> &a, const Mat3<T> &b) {
    return {{first ? a.a.x : b.a.x, first ? a.a.y : b.a.y, first ? a.a.z : b.a.z},
            {first ? a.b.x : b.b.x, first ? a.b.y : b.b.y, first ? a.b.z : b.b.z},
            {first ? a.c.x : b.c.x, first ? a.c.y : b.c.y, first ? a.c.z : b.c.z}};
}

// The quaternion of a matrix from outside, NaN of one that is no rotation, and how far it was off. The same for every
// number of steps that is enough.
template <int Steps, class T>
BORESIGHT_INLINE Quat<T> checked_quaternion(Mat3<T> m, T &off) {
    const Defect<T> defect(m);
    off = distance(m, defect);
    if constexpr (Steps > 0) m = choose(off > kAsItIs<T>, corrected(m, defect), m);
    if constexpr (Steps > 1) m = choose(off > kOneStep<T>, corrected(m, Defect<T>(m)), m);
    const Quat<T> q = quaternion_of(m);
    const bool rotation = off <= Real<T>::orthogonality;
    return {rotation ? q.x : kNaN<T>, rotation ? q.y : kNaN<T>, rotation ? q.z : kNaN<T>, rotation ? q.w : kNaN<T>};
}

struct FromMatrix : Simple {
    static constexpr Operand operands[] = {kMatrix, kQuaternion};
    static constexpr int n_in = 1;
    static constexpr bool checked = true;

    // Nearly all matrices are taken as they are: a block is corrected only where one in it needs to be.
    template <class T>
    struct Plan {
        T off[kBlock<T>];

        void read(Rows<T>) {}

        template <int Steps>
        BORESIGHT_INLINE void rows(Rows<T> in, Rows<T> out, int n) {
            for (int i = 0; i < n; ++i) put(out, 0, i, checked_quaternion<Steps>(matrix<T>(in, 0, i), off[i]));
        }

        // Inlined, so that compilers see that the arrays are apart.
        BORESIGHT_INLINE void run(Rows<T> in, Rows<T> out, int n) {
            rows<0>(in, out, n);
            typename Real<T>::Bits some = 0, far = 0;
            for (int i = 0; i < n; ++i) {
                const bool rotation = off[i] <= Real<T>::orthogonality;
                some |= rotation & (off[i] > kAsItIs<T>) ? 1 : 0;
                far |= rotation & (off[i] > kOneStep<T>) ? 1 : 0;
            }
            if (far != 0)
                rows<2>(in, out, n);
            else if (some != 0)
                rows<1>(in, out, n);
        }
    };
};

}  // namespace boresight::BORESIGHT_ISA
