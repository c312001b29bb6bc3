// The correction that every source shares, (23) to (27) and (37) to (42'): gate, gain, Joseph form, injection, reset.
#pragma once

#include "eskf_math.hpp"
#include "real.hpp"

namespace boresight::eskf {

// One observation of M numbers with independent errors, its model linearised about the estimate.
template <int M>
struct Observation {
    double innovation[M] = {};
    double jacobian[M][kSize] = {};
    double variance[M] = {};
    double inflation = 1.0;  // of the variance in the gain, (24')
    double gate = 0.0;

    void set_attitude(int row, const Vector3 &h) { set(row, kAttitude, h); }
    void set_gyro_bias(int row, const Vector3 &h) { set(row, kGyroBias, h); }
    void set(int row, int column, const Vector3 &h) {
        for (int k = 0; k < 3; ++k) jacobian[row][column + k] = h[k];
    }

    // H (I - A t + A^2 t^2 / 2): what the error was `t` seconds ago, said by today's, (23'). `rate` and `force` are the
    // mean angular rate and specific force meanwhile.
    void delay(double t, const Matrix3 &r, const Vector3 &rate, const Vector3 &force) {
        if (t == 0.0) return;
        for (auto &h : jacobian) {
            double first[kSize], second[kSize];
            apply_dynamics(h, r, rate, force, first);
            apply_dynamics(first, r, rate, force, second);
            for (int k = 0; k < kSize; ++k) h[k] += t * (0.5 * t * second[k] - first[k]);
        }
    }

  private:
    // A row times the continuous error dynamics A, (16) to (19).
    static void apply_dynamics(const double *h, const Matrix3 &r, const Vector3 &rate, const Vector3 &force,
                               double *out) {
        const Vector3 hv(h[kVelocity], h[kVelocity + 1], h[kVelocity + 2]);
        const Vector3 ht(h[kAttitude], h[kAttitude + 1], h[kAttitude + 2]);
        const Vector3 body = r.transpose() * hv;  // the row hv R
        // The row u [a]x is u x a.
        const Vector3 attitude = force.cross(body) + rate.cross(ht);
        for (int k = 0; k < 3; ++k) {
            out[kPosition + k] = 0.0;
            out[kVelocity + k] = h[kPosition + k];
            out[kAttitude + k] = attitude[k];
            out[kAccelBias + k] = -body[k];
            out[kGyroBias + k] = -ht[k];
        }
        out[kOffset] = 0.0;
    }
};

// A symmetric positive definite matrix of up to three rows as L L^T. False where it is not positive definite.
template <int M>
bool cholesky(const double (&s)[M][M], double (&l)[M][M]) {
    for (int i = 0; i < M; ++i)
        for (int k = 0; k <= i; ++k) {
            double sum = s[i][k];
            for (int j = 0; j < k; ++j) sum -= l[i][j] * l[k][j];
            if (i == k) {
                if (!(sum > 0.0) || !(sum <= std::numeric_limits<double>::max())) return false;
                l[i][i] = std::sqrt(sum);
            } else {
                l[i][k] = sum / l[k][k];
            }
        }
    return true;
}

template <int M>
void solve_lower(const double (&l)[M][M], const double (&y)[M], double (&u)[M]) {
    for (int a = 0; a < M; ++a) {
        double sum = y[a];
        for (int b = 0; b < a; ++b) sum -= l[a][b] * u[b];
        u[a] = sum / l[a][a];
    }
}

// P h^T for every row of the Jacobian. Columns of zeros, the most of them, are left out.
template <int M>
void project(const Covariance &p, const double (&h)[M][kSize], double (&out)[M][kSize]) {
    for (int m = 0; m < M; ++m) {
        double sums[kSize] = {};
        for (int k = 0; k < kSize; ++k) {
            const double weight = h[m][k];
            if (weight == 0.0) continue;
            for (int i = 0; i < kSize; ++i) sums[i] += weight * p[k][i];
        }
        for (int i = 0; i < kSize; ++i) out[m][i] = sums[i];
    }
}

enum class Judgement { accepted, rejected, invalid };

// What a gate saw, and what an accepted observation does to the estimate.
template <int M>
struct Correction {
    double test_ratio = kNaN;
    double innovation_covariance[M][M];  // S
    double delta[kSize];
};

// The second half of Joseph's form: (K R - (I - K H) P H^T) K^T, symmetrised.
template <int M>
void take_out_rounding(const Observation<M> &z, const double (&l)[M][M], const double (&y)[M][kSize],
                       Covariance &after) {
    double gain[M][kSize], rest[M][kSize];
    for (int i = 0; i < kSize; ++i)
        for (int a = M - 1; a >= 0; --a) {
            double sum = y[a][i];
            for (int b = a + 1; b < M; ++b) sum -= l[b][a] * gain[b][i];
            gain[a][i] = sum / l[a][a];
        }
    project<M>(after, z.jacobian, rest);
    for (int a = 0; a < M; ++a)
        for (int i = 0; i < kSize; ++i) rest[a][i] = gain[a][i] * (z.variance[a] * z.inflation) - rest[a][i];
    for (int i = 0; i < kSize; ++i)
        for (int k = 0; k < kSize; ++k) {
            double sum = 0.0;
            for (int a = 0; a < M; ++a) sum += rest[a][i] * gain[a][k] + gain[a][i] * rest[a][k];
            after[i][k] += 0.5 * sum;
        }
}

// One row of P - Y^T Y. A function of its own, for the compiler not to mix the rows.
template <int M>
BORESIGHT_OUTLINE void downdate_row(const double *p, const double (&y)[M][kSize], int i, double *out) {
    double row[kSize];
    for (int k = 0; k < kSize; ++k) row[k] = y[0][i] * y[0][k];
    for (int a = 1; a < M; ++a)
        for (int k = 0; k < kSize; ++k) row[k] += y[a][i] * y[a][k];
    for (int k = 0; k < kSize; ++k) out[k] = p[k] - row[k];
}

// Judges an observation and, if it is accepted, works out the error of the estimate and its covariance after it,
// before the reset. `after` is written only then.
template <int M>
Judgement judge(const Covariance &p, const Observation<M> &z, Correction<M> &c, Covariance &after) {
    double w[M][kSize];
    project<M>(p, z.jacobian, w);
    double s[M][M], gained[M][M], l[M][M] = {};
    for (int a = 0; a < M; ++a)
        for (int b = 0; b < M; ++b) {
            double sum = 0.0;
            for (int k = 0; k < kSize; ++k) sum += z.jacobian[a][k] * w[b][k];
            s[a][b] = sum;
        }
    for (int a = 0; a < M; ++a) {
        for (int b = 0; b < a; ++b) s[a][b] = s[b][a] = 0.5 * (s[a][b] + s[b][a]);
        for (int b = 0; b < M; ++b) gained[a][b] = s[a][b];
        s[a][a] += z.variance[a];
    }
    for (int a = 0; a < M; ++a)
        for (int b = 0; b < M; ++b) c.innovation_covariance[a][b] = s[a][b];
    for (int a = 0; a < M; ++a) {
        for (int b = 0; b < a; ++b) gained[b][a] = gained[a][b];
        gained[a][a] += z.variance[a] * z.inflation;
    }
    if (!cholesky<M>(s, l)) return Judgement::invalid;
    double u[M], squared = 0.0;
    solve_lower<M>(l, z.innovation, u);
    for (const double x : u) squared += x * x;
    c.test_ratio = squared / z.gate;
    if (!(c.test_ratio <= 1.0)) return Judgement::rejected;

    if (z.inflation != 1.0) {
        if (!cholesky<M>(gained, l)) return Judgement::invalid;
        solve_lower<M>(l, z.innovation, u);
    }
    // With S = L L^T and Y = L^-1 H P the gain is Y^T L^-1, the error Y^T (L^-1 y), and (I - K H) P is P - Y^T Y, which
    // comes out symmetric to the last bit.
    double y[M][kSize];
    for (int a = 0; a < M; ++a) {
        const double scale = 1.0 / l[a][a];
        for (int i = 0; i < kSize; ++i) {
            double sum = w[a][i];
            for (int b = 0; b < a; ++b) sum -= l[a][b] * y[b][i];
            y[a][i] = sum * scale;
        }
    }
    for (int i = 0; i < kSize; ++i) {
        double sum = 0.0;
        for (int a = 0; a < M; ++a) sum += y[a][i] * u[a];
        c.delta[i] = sum;
    }
    for (int i = 0; i < kSize; ++i) downdate_row<M>(p[i], y, i, after[i]);
    // Joseph's form (27) multiplies that by (I - K H)^T and adds K R K^T, which for this gain changes nothing but what
    // rounding left: some 1e-16 of what was subtracted. It is worth its time where next to nothing remains.
    bool cancelled = false;
    for (int a = 0; a < M; ++a) cancelled |= z.variance[a] * z.inflation < 1e-6 * gained[a][a];
    if (cancelled) take_out_rounding<M>(z, l, y, after);
    return Judgement::accepted;
}

// G P G^T of the reset, (41): the attitude's error is now about the corrected attitude.
inline void reset_attitude_error(const Vector3 &turn, Covariance &p) {
    const double g[3][3] = {{1.0, 0.5 * turn.z(), -0.5 * turn.y()},
                            {-0.5 * turn.z(), 1.0, 0.5 * turn.x()},
                            {0.5 * turn.y(), -0.5 * turn.x(), 1.0}};
    double rows[3][kSize];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < kSize; ++k)
            rows[i][k] = g[i][0] * p[kAttitude][k] + g[i][1] * p[kAttitude + 1][k] + g[i][2] * p[kAttitude + 2][k];
    double block[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            block[i][k] =
                rows[i][kAttitude] * g[k][0] + rows[i][kAttitude + 1] * g[k][1] + rows[i][kAttitude + 2] * g[k][2];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) rows[i][kAttitude + k] = 0.5 * (block[i][k] + block[k][i]);
        for (int k = 0; k < kSize; ++k) p[kAttitude + i][k] = p[k][kAttitude + i] = rows[i][k];
    }
}

// Whether a correction left a variance below zero by more than rounding does: only a covariance that was none to begin
// with comes to that.
inline bool has_lost_definiteness(const Covariance &after, const Covariance &before) {
    for (int i = 0; i < kSize; ++i)
        if (after[i][i] < -1e-9 * before[i][i]) return true;
    return false;
}

// The variance below which no state may be known, (42'): a variance of zero would never be corrected again. Counts
// what it raised. The offset's floor is the position's, and holds only once there is a reference.
inline int raise_to_floors(Covariance &p, bool offset) {
    constexpr double floors[5] = {1e-6, 1e-6, 1e-9, 1e-9, 1e-9};
    int raised = 0;
    for (int i = 0; i < kStates; ++i) {
        double &variance = p[i][i];
        if (variance < floors[i / 3]) {
            variance = floors[i / 3];
            ++raised;
        }
    }
    if (offset && p[kOffset][kOffset] < floors[0]) {
        p[kOffset][kOffset] = floors[0];
        ++raised;
    }
    return raised;
}

}  // namespace boresight::eskf
