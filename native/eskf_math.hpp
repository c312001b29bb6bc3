// What the navigation filter computes with: vectors and matrices of three, unit quaternions, 15 + 1 error states.
//
// Everything is float64, NED and FRD. A quaternion turns body vectors into NED; its error is local, q = q^ (x) dq.
// Eigen's types are used without vectorised alignment demands, so that a filter may live anywhere in memory.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <limits>

namespace boresight::eskf {

using Vector3 = Eigen::Matrix<double, 3, 1>;
using Matrix3 = Eigen::Matrix<double, 3, 3>;
using Nanoseconds = std::int64_t;

constexpr double kPi = 3.141592653589793;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Seconds from `earlier` to `later`, of any two times: the difference of far apart ones does not fit 64 bits.
inline double seconds(Nanoseconds earlier, Nanoseconds later) {
    const auto difference = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
    if (later >= earlier) return static_cast<double>(difference) * 1e-9;
    return -static_cast<double>(0 - difference) * 1e-9;
}

inline double square(double x) { return x * x; }

inline double wrap(double angle) { return std::remainder(angle, 2.0 * kPi); }

inline bool finite(const Vector3 &v) { return 0.0 * (v.x() + v.y() + v.z()) == 0.0; }

inline Matrix3 skew(const Vector3 &v) {
    Matrix3 m;
    m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
    return m;
}

struct Quaternion {
    double x = 0.0, y = 0.0, z = 0.0, w = 1.0;

    Quaternion operator*(const Quaternion &o) const {
        return {w * o.x + x * o.w + (y * o.z - z * o.y), w * o.y + y * o.w + (z * o.x - x * o.z),
                w * o.z + z * o.w + (x * o.y - y * o.x), w * o.w - (x * o.x + y * o.y + z * o.z)};
    }
    Quaternion conjugate() const { return {-x, -y, -z, w}; }
    Quaternion normalised() const {
        const double scale = 1.0 / std::sqrt((x * x + y * y) + (z * z + w * w));
        return {scale * x, scale * y, scale * z, scale * w};
    }
    // Of a product of unit quaternions, whose length is off by rounding: one step of Newton's, without root or
    // quotient.
    Quaternion renormalised() const {
        const double scale = 1.5 - 0.5 * ((x * x + y * y) + (z * z + w * w));
        return {scale * x, scale * y, scale * z, scale * w};
    }
    Matrix3 matrix() const {
        const double xx = 2 * x * x, yy = 2 * y * y, zz = 2 * z * z, xy = 2 * x * y, xz = 2 * x * z, yz = 2 * y * z;
        const double wx = 2 * w * x, wy = 2 * w * y, wz = 2 * w * z;
        Matrix3 m;
        m << 1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy);
        return m;
    }
};

// The quaternion of a rotation vector. Steps of an IMU turn by little: below a tenth of a radian the series ends
// under half a unit in the last place, and spares a sine, a cosine and a root.
inline Quaternion exp(const Vector3 &v) {
    const double square = v.squaredNorm();
    double s, c;
    if (square < 0.01) {
        const double h = 0.25 * square;
        s = 0.5 * (1.0 + h * (-1.0 / 6 + h * (1.0 / 120 + h * (-1.0 / 5040 + h * (1.0 / 362880)))));
        c = 1.0 + h * (-1.0 / 2 + h * (1.0 / 24 + h * (-1.0 / 720 + h * (1.0 / 40320))));
    } else {
        const double angle = std::sqrt(square);
        s = std::sin(0.5 * angle) / angle;
        c = std::cos(0.5 * angle);
    }
    return {s * v.x(), s * v.y(), s * v.z(), c};
}

// The shortest rotation vector of a unit quaternion.
inline Vector3 log(const Quaternion &q) {
    const double sign = q.w < 0 ? -1.0 : 1.0;
    const Vector3 v(sign * q.x, sign * q.y, sign * q.z);
    const double sine = v.norm();
    const double w = sign * q.w;
    const double scale = sine < 1e-9 ? 2.0 : 2.0 * std::atan2(sine, w) / sine;
    return scale * v;
}

// How far about down the first turn is ahead of the second: exact at any tilt that both share.
inline double turn_about_down(const Quaternion &ahead, const Quaternion &behind) {
    const Quaternion d = ahead * behind.conjugate();
    return wrap(2.0 * std::atan2(d.z, d.w));
}

// Where the blocks of the error state begin. The sixteenth is the error of the barometer's reference.
constexpr int kPosition = 0, kVelocity = 3, kAttitude = 6, kAccelBias = 9, kGyroBias = 12, kOffset = 15;
constexpr int kStates = 15, kSize = 16;

// The variances beyond which a position (1000 km), a velocity (10 km/s) and a heading (any) are not known any less.
// What is adopted with more would lose all of the covariance to rounding when the next measurement takes it out again.
constexpr double kAnyPosition = 1e12, kAnyVelocity = 1e8, kAnyHeading = kPi * kPi / 3;

// Symmetric, both halves kept, so that rows and columns are read alike.
struct alignas(16) Covariance {
    double m[kSize][kSize] = {};

    double *operator[](int row) { return m[row]; }
    const double *operator[](int row) const { return m[row]; }

    void clear_row(int i) {
        for (int k = 0; k < kSize; ++k) m[i][k] = m[k][i] = 0.0;
    }
    Matrix3 block(int row, int column) const {
        Matrix3 b;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) b(i, k) = m[row + i][column + k];
        return b;
    }
    bool is_finite() const {
        double sums[kSize] = {};  // by column, for the additions not to wait for one another
        for (int i = 0; i < kSize; ++i)
            for (int k = 0; k < kSize; ++k) sums[k] += m[i][k];
        double sum = 0.0;
        for (const double x : sums) sum += x;
        return 0.0 * sum == 0.0;
    }
    void symmetrise() {
        for (int i = 0; i < kSize; ++i)
            for (int k = 0; k < i; ++k) m[i][k] = m[k][i] = 0.5 * (m[i][k] + m[k][i]);
    }
};

struct State {
    Vector3 position = Vector3::Zero(), velocity = Vector3::Zero();
    Quaternion attitude;
    Vector3 accel_bias = Vector3::Zero(), gyro_bias = Vector3::Zero();

    bool is_finite() const {
        const Quaternion &q = attitude;
        const Vector3 sum = ((position + velocity) + (accel_bias + gyro_bias));
        return 0.0 * ((sum.x() + sum.y() + sum.z()) + ((q.x + q.y) + (q.z + q.w))) == 0.0;
    }
};

}  // namespace boresight::eskf
