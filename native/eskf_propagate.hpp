// Propagation of state and covariance, (9) to (22'), with the blocks of F that are neither zero nor identity.
#pragma once

#include <algorithm>

#include "eskf_config.hpp"
#include "eskf_math.hpp"

namespace boresight::eskf {

// Increments over intervals of their own, in FRD.
struct ImuSample {
    Vector3 angle;
    double angle_interval;
    Vector3 velocity;
    double velocity_interval;

    bool is_finite() const { return 0.0 * (angle.sum() + velocity.sum() + angle_interval + velocity_interval) == 0.0; }
};

// F and Q of one step, (20) and (21).
struct Transition {
    Matrix3 velocity_attitude, velocity_accel_bias, attitude;  // v-theta, v-beta_a, theta-theta
    double translation, rotation;                              // the two intervals: p-v and theta-beta_g
    double q_velocity, q_attitude, q_accel_bias, q_gyro_bias, q_offset;
};

inline Transition noise_of(const Config &config, double translation, double rotation) {
    Transition f;
    f.translation = translation;
    f.rotation = rotation;
    f.q_velocity = square(config.accel_white) * translation;
    f.q_attitude = square(config.gyro_white) * rotation;
    f.q_accel_bias = square(config.accel_bias_walk) * translation;
    f.q_gyro_bias = square(config.gyro_bias_walk) * rotation;
    f.q_offset = square(config.baro_offset_walk) * translation;
    return f;
}

// A block of three above the diagonal to where it stands below.
inline void copy_transposed(Covariance &p, int row, int column) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) p[column + k][row + i] = p[row + i][column + k];
}

// P of the next step: F P F^T + Q. Rows of F P first, where each row of a block is a sum of whole rows of P; then the
// columns, for what stands on and above the diagonal; what is below is copied from there.
inline void propagate_covariance(const Transition &f, const Covariance &p, Covariance &out) {
    alignas(16) double m[9][kSize];
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < kSize; ++c) m[i][c] = p[i][c] + f.translation * p[3 + i][c];
    for (int i = 0; i < 3; ++i) {
        const double a0 = f.velocity_attitude(i, 0), a1 = f.velocity_attitude(i, 1), a2 = f.velocity_attitude(i, 2);
        const double b0 = f.velocity_accel_bias(i, 0), b1 = f.velocity_accel_bias(i, 1),
                     b2 = f.velocity_accel_bias(i, 2);
        for (int c = 2; c < kSize; ++c)
            m[3 + i][c] = p[3 + i][c] + (a0 * p[6][c] + a1 * p[7][c] + a2 * p[8][c]) +
                          (b0 * p[9][c] + b1 * p[10][c] + b2 * p[11][c]);
    }
    for (int i = 0; i < 3; ++i) {
        const double c0 = f.attitude(i, 0), c1 = f.attitude(i, 1), c2 = f.attitude(i, 2);
        for (int c = 6; c < kSize; ++c)
            m[6 + i][c] = (c0 * p[6][c] + c1 * p[7][c] + c2 * p[8][c]) - f.rotation * p[12 + i][c];
    }
    // Columns of three are worked out as four, the last of zeros, to fill whole vectors.
    alignas(16) double at[3][4] = {}, bt[3][4] = {}, ct[3][4] = {};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) {
            at[k][j] = f.velocity_attitude(j, k);
            bt[k][j] = f.velocity_accel_bias(j, k);
            ct[k][j] = f.attitude(j, k);
        }
    for (int i = 0; i < 9; ++i) {
        double *row = out[i];
        if (i < 3)
            for (int j = 0; j < 3; ++j) row[j] = m[i][j] + f.translation * m[i][3 + j];
        // Of each four the last is wrong, and written over by the next.
        if (i < 6) {
            double four[4];
            for (int j = 0; j < 4; ++j) four[j] = m[i][3 + j] + m[i][6] * at[0][j];
            for (int j = 0; j < 4; ++j) four[j] += m[i][7] * at[1][j] + m[i][8] * at[2][j];
            for (int j = 0; j < 4; ++j) four[j] += m[i][9] * bt[0][j] + m[i][10] * bt[1][j];
            for (int j = 0; j < 4; ++j) row[3 + j] = four[j] + m[i][11] * bt[2][j];
        }
        double four[4];
        for (int j = 0; j < 4; ++j) four[j] = m[i][6] * ct[0][j] + m[i][7] * ct[1][j];
        for (int j = 0; j < 4; ++j) row[6 + j] = four[j] + (m[i][8] * ct[2][j] - f.rotation * m[i][12 + j]);
        for (int c = 9; c < kSize; ++c) row[c] = m[i][c];
    }
    for (int i = 9; i < kSize; ++i)
        for (int c = 9; c < kSize; ++c) out[i][c] = p[i][c];
    // Within the blocks on the diagonal both halves were worked out: their mean is symmetric, (22).
    for (int b = 0; b < 9; b += 3)
        for (int i = 1; i < 3; ++i)
            for (int k = 0; k < i; ++k)
                out[b + k][b + i] = out[b + i][b + k] = 0.5 * (out[b + i][b + k] + out[b + k][b + i]);
    for (int b = 3; b < kStates; b += 3)
        for (int a = 0; a < b && a < 9; a += 3) copy_transposed(out, a, b);
    for (int k = 0; k < 9; ++k) out[kOffset][k] = out[k][kOffset];
    for (int i = 0; i < 3; ++i) {
        out[kVelocity + i][kVelocity + i] += f.q_velocity;
        out[kAttitude + i][kAttitude + i] += f.q_attitude;
        out[kAccelBias + i][kAccelBias + i] += f.q_accel_bias;
        out[kGyroBias + i][kGyroBias + i] += f.q_gyro_bias;
    }
    out[kOffset][kOffset] += f.q_offset;
}

// One sample: the state in place, (9) to (15), and what carries its covariance along.
inline Transition propagate_state(const Config &config, const ImuSample &sample, State &x) {
    Transition f = noise_of(config, sample.velocity_interval, sample.angle_interval);
    const double t = f.translation;
    const Vector3 turn = sample.angle - x.gyro_bias * f.rotation;
    const Vector3 push = sample.velocity - x.accel_bias * t;
    const Matrix3 r = x.attitude.matrix();
    Vector3 gain = r * push;
    gain.z() += config.gravity * t;
    x.position += x.velocity * t + gain * (0.5 * t);
    x.velocity += gain;
    const Quaternion step = exp(turn);
    x.attitude = (x.attitude * step).renormalised();
    for (int i = 0; i < 3; ++i) {
        // -R [push]x, row by row: a row of R crossed with the increment, and turned round.
        const Vector3 row = r.row(i).transpose();
        f.velocity_attitude.row(i) = push.cross(row).transpose();
        f.velocity_accel_bias.row(i) = -t * r.row(i);
    }
    f.attitude = step.conjugate().matrix();
    return f;
}

// The step of a vehicle that neither accelerates nor turns: what coasting and projecting assume.
inline Transition unaccelerated(const Config &config, const Quaternion &attitude, double t) {
    Transition f = noise_of(config, t, t);
    const Matrix3 r = attitude.matrix();
    const Vector3 push = r.row(2).transpose() * (-config.gravity * t);
    for (int i = 0; i < 3; ++i) {
        f.velocity_attitude.row(i) = push.cross(r.row(i).transpose()).transpose();
        f.velocity_accel_bias.row(i) = -t * r.row(i);
    }
    f.attitude = Matrix3::Identity();
    return f;
}

// The covariance after `duration` seconds of such steps, each of a tenth of a second where 64 of them suffice. `turn`
// is the density of the rotation that the assumption leaves out.
inline void project_covariance(const Config &config, const Quaternion &attitude, double duration, double turn,
                               Covariance &p) {
    const int steps = static_cast<int>(std::clamp(std::ceil(duration / 0.1), 1.0, 64.0));
    Transition f = unaccelerated(config, attitude, duration / steps);
    f.q_attitude += square(turn) * (duration / steps);
    Covariance other;
    for (int k = 0; k < steps; ++k) {
        propagate_covariance(f, p, other);
        p = other;
    }
}

// A gap of `duration` seconds, (22'): position goes on with the velocity, and the covariance grows by what may have
// happened meanwhile.
inline void coast(const Config &config, double duration, State &x, Covariance &p) {
    project_covariance(config, x.attitude, duration, config.coast_rotation, p);
    const double q = square(config.coast_acceleration), t = duration;
    for (int i = 0; i < 3; ++i) {
        p[kPosition + i][kPosition + i] += q * t * t * t / 3;
        p[kPosition + i][kVelocity + i] += q * t * t / 2;
        p[kVelocity + i][kPosition + i] += q * t * t / 2;
        p[kVelocity + i][kVelocity + i] += q * t;
    }
    x.position += x.velocity * t;
}

}  // namespace boresight::eskf
