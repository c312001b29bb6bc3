// The yaw estimator, (45) to (52): a heading from acceleration alone, where no sensor gives one.
//
// Five hypotheses of the heading, 72 degrees apart, each turn the same specific force into a velocity of their own.
// Where the vehicle accelerates, one of them agrees with the velocity that GNSS measures, and gains the weight of the
// others. Each levels itself by the accelerometer, less the acceleration that GNSS saw, and corrects velocity and
// heading in a filter of three states.
//
// The steps are of 10 ms, of as many samples as that takes: the hypotheses differ in heading only, and nothing that
// tells them apart is faster.
#pragma once

#include <algorithm>

#include "eskf_math.hpp"

namespace boresight::eskf {

class YawEstimator {
  public:
    // All begin with the filter's own attitude and gyro bias.
    void start(const Quaternion &attitude, const Vector3 &gyro_bias, double gravity) {
        *this = YawEstimator();
        gravity_ = gravity;
        for (auto &h : hypotheses_) {
            h.attitude = attitude;
            h.gyro_bias = gyro_bias;
        }
    }
    // After a gap in the IMU nothing that was gathered holds; it takes ten seconds of velocities to be believed again.
    void restart(const Quaternion &attitude, const Vector3 &gyro_bias) {
        const double gravity = gravity_;
        start(attitude, gyro_bias, gravity);
        trial_ = 10.0;
    }

    void add(const Vector3 &angle, double angle_interval, const Vector3 &velocity, double velocity_interval,
             Nanoseconds time) {
        angle_ += angle;
        velocity_ += velocity;
        angle_interval_ += angle_interval;
        velocity_interval_ += velocity_interval;
        if (velocity_interval_ >= 0.0099 && angle_interval_ > 0.0) step(time);
    }

    // A GNSS velocity: north and east, its sigma, when it was taken.
    void observe(double north, double east, double sigma, Nanoseconds time) {
        const double z[2] = {north, east};
        if (!(sigma < 0.5)) return;
        track_acceleration(z, time);
        if (!running_) {
            if (!(std::hypot(north, east) > sigma)) return;
            begin(z, sigma, time);
            return;
        }
        correct(z, square(std::max(sigma, 0.3)), time);
        last_ = time;
    }

    struct Answer {
        double turn, variance;  // how far the filter's heading is to be turned about down; the heading's variance
    };

    // The answer, relative to the filter's attitude. False before there is one to within 15 degrees.
    bool answer(const Quaternion &attitude, Answer &out) const {
        if (!running_ || seconds(began_, last_) < trial_) return false;
        double turns[kCount], sine = 0.0, cosine = 0.0;
        for (int i = 0; i < kCount; ++i) {
            turns[i] = turn_about_down(hypotheses_[i].attitude, attitude);
            sine += hypotheses_[i].weight * std::sin(turns[i]);
            cosine += hypotheses_[i].weight * std::cos(turns[i]);
        }
        out.turn = std::atan2(sine, cosine);
        out.variance = 0.0;
        for (int i = 0; i < kCount; ++i)
            out.variance += hypotheses_[i].weight * (hypotheses_[i].p[2][2] + square(wrap(turns[i] - out.turn)));
        return out.variance < square(15.0 * kPi / 180);
    }

  private:
    static constexpr int kCount = 5;
    static constexpr int kPast = 32;
    static constexpr double kTiltGain = 0.2, kBiasGain = 0.04, kBiasLimit = 0.05, kFrozenRate = 10.0 * kPi / 180;
    static constexpr double kGyro = 0.01, kAccel = 0.2, kLargest = 25.0, kLeastWeight = 1e-5;
    static constexpr double kHalfSpacing = 36.0 * kPi / 180;

    struct Hypothesis {
        Quaternion attitude;
        Vector3 gyro_bias = Vector3::Zero();
        double velocity[2] = {0.0, 0.0};
        double p[3][3] = {};  // of north and east velocity and heading
        double weight = 1.0 / kCount;
        double past[kPast][2] = {};        // velocities as they were before any correction
        double corrected[2] = {0.0, 0.0};  // the sum of the corrections
    };

    void step(Nanoseconds time) {
        const double dt = velocity_interval_;
        const Vector3 rate = angle_ / angle_interval_, force = velocity_ / dt;
        Vector3 expected_ned = acceleration_known(time) ? acceleration_ : Vector3::Zero();
        expected_ned.z() -= gravity_;
        const double off = std::fabs(force.norm() - expected_ned.norm()) / (0.5 * gravity_);
        const double trust = std::max(0.0, 1.0 - off);  // what is far from the expected size says nothing of the tilt
        const bool frozen = rate.norm() > kFrozenRate;
        for (auto &h : hypotheses_) {
            const Matrix3 r = h.attitude.matrix();
            const Vector3 down = r.row(2).transpose();
            Vector3 tilt = force.cross(r.transpose() * expected_ned) * (trust / square(gravity_));
            tilt -= down * down.dot(tilt);  // the heading is the velocities' to correct
            const double angle_dt = angle_interval_;
            const Vector3 turn = (rate - h.gyro_bias + kTiltGain * tilt) * angle_dt;
            if (!frozen)
                h.gyro_bias = (h.gyro_bias - (kBiasGain * angle_dt) * tilt).cwiseMin(kBiasLimit).cwiseMax(-kBiasLimit);
            const Vector3 gain = r * velocity_;
            h.attitude = (h.attitude * exp(turn)).renormalised();
            if (!running_) continue;
            h.velocity[0] += gain.x();
            h.velocity[1] += gain.y();
            // A turn about down turns the velocity gained: F is the identity but for this column.
            const double f0 = -gain.y(), f1 = gain.x();
            auto &p = h.p;
            const double p02 = p[0][2], p12 = p[1][2], p22 = p[2][2];
            p[0][0] += 2 * f0 * p02 + f0 * f0 * p22 + square(kAccel) * dt;
            p[0][1] += f0 * p12 + f1 * p02 + f0 * f1 * p22;
            p[1][1] += 2 * f1 * p12 + f1 * f1 * p22 + square(kAccel) * dt;
            p[0][2] += f0 * p22;
            p[1][2] += f1 * p22;
            p[2][2] += square(kGyro) * angle_dt;
            p[1][0] = p[0][1];
            p[2][0] = p[0][2];
            p[2][1] = p[1][2];
        }
        angle_.setZero();
        velocity_.setZero();
        angle_interval_ = velocity_interval_ = 0.0;
        newest_ = (newest_ + 1) % kPast;
        filled_ = std::min(filled_ + 1, kPast);
        times_[newest_] = time;
        for (auto &h : hypotheses_)
            for (int c = 0; c < 2; ++c) h.past[newest_][c] = h.velocity[c] - h.corrected[c];
    }

    bool acceleration_known(Nanoseconds time) const { return have_acceleration_ && seconds(measured_, time) < 1.0; }

    // What GNSS saw of the acceleration: one difference of velocities, over at most a second.
    void track_acceleration(const double (&z)[2], Nanoseconds time) {
        const double dt = seconds(measured_, time);
        have_acceleration_ = measured_once_ && dt > 0.02 && dt < 1.5;
        if (have_acceleration_)
            acceleration_ = Vector3((z[0] - measured_velocity_[0]) / dt, (z[1] - measured_velocity_[1]) / dt, 0.0);
        measured_once_ = true;
        measured_ = time;
        std::copy_n(z, 2, measured_velocity_);
    }

    void begin(const double (&z)[2], double sigma, Nanoseconds time) {
        for (int i = 0; i < kCount; ++i) {
            auto &h = hypotheses_[i];
            const double turn = i * 2.0 * kPi / kCount;
            if (i > 0) h.attitude = (exp(Vector3(0.0, 0.0, turn)) * hypotheses_[0].attitude).renormalised();
            std::copy_n(z, 2, h.velocity);
            for (auto &row : h.p) std::fill_n(row, 3, 0.0);
            h.p[0][0] = h.p[1][1] = square(std::max(sigma, 0.3));
            h.p[2][2] = square(kHalfSpacing);
            h.weight = 1.0 / kCount;
        }
        filled_ = 0;
        running_ = true;
        began_ = last_ = time;
    }

    // The step that ended last before a measurement was taken.
    int step_at(Nanoseconds time) const {
        int index = newest_;
        for (int back = 1; back < filled_ && times_[index] > time; ++back) index = (index + kPast - 1) % kPast;
        return index;
    }

    void correct(const double (&z)[2], double variance, Nanoseconds time) {
        const int step = step_at(time);
        double total = 0.0;
        for (auto &h : hypotheses_) {
            auto &p = h.p;
            const double s00 = p[0][0] + variance, s11 = p[1][1] + variance, s01 = p[0][1];
            const double determinant = s00 * s11 - s01 * s01;
            double y0 = z[0] - (filled_ > 0 ? h.past[step][0] + h.corrected[0] : h.velocity[0]);
            double y1 = z[1] - (filled_ > 0 ? h.past[step][1] + h.corrected[1] : h.velocity[1]);
            double squared = (s11 * y0 * y0 - 2 * s01 * y0 * y1 + s00 * y1 * y1) / determinant;
            if (squared > kLargest) {
                const double shrink = std::sqrt(kLargest / squared);
                y0 *= shrink;
                y1 *= shrink;
                squared = kLargest;
            }
            h.weight *= std::exp(-0.5 * squared) / std::sqrt(determinant);
            double k[3][2];
            for (int i = 0; i < 3; ++i) {
                k[i][0] = (p[i][0] * s11 - p[i][1] * s01) / determinant;
                k[i][1] = (p[i][1] * s00 - p[i][0] * s01) / determinant;
            }
            const double before[2][3] = {{p[0][0], p[0][1], p[0][2]}, {p[1][0], p[1][1], p[1][2]}};
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j <= i; ++j)
                    p[i][j] = p[j][i] = p[i][j] - k[i][0] * before[0][j] - k[i][1] * before[1][j];
            const double dv[2] = {k[0][0] * y0 + k[0][1] * y1, k[1][0] * y0 + k[1][1] * y1};
            h.attitude = (exp(Vector3(0.0, 0.0, k[2][0] * y0 + k[2][1] * y1)) * h.attitude).renormalised();
            for (int c = 0; c < 2; ++c) {
                h.velocity[c] += dv[c];
                h.corrected[c] += dv[c];
            }
            total += h.weight;
        }
        // Weights that underflowed, or arithmetic that overflowed: nothing is left to go by.
        if (!(total > 0.0) || !(total <= std::numeric_limits<double>::max())) {
            running_ = false;
            return;
        }
        double sum = 0.0;
        for (auto &h : hypotheses_) sum += h.weight = std::max(h.weight / total, kLeastWeight);
        for (auto &h : hypotheses_) h.weight /= sum;
    }

    Hypothesis hypotheses_[kCount];
    Vector3 angle_ = Vector3::Zero(), velocity_ = Vector3::Zero();
    double angle_interval_ = 0.0, velocity_interval_ = 0.0;
    Vector3 acceleration_ = Vector3::Zero();
    double measured_velocity_[2] = {0.0, 0.0};
    Nanoseconds measured_ = 0, began_ = 0, last_ = 0;
    Nanoseconds times_[kPast] = {};
    int newest_ = 0, filled_ = 0;
    double trial_ = 0.0, gravity_ = 9.80665;
    bool running_ = false, have_acceleration_ = false, measured_once_ = false;
};

}  // namespace boresight::eskf
