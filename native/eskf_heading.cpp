// Measurements of heading, (34) to (36'), their adoption, the declination, and what the yaw estimator is used for.
#include <algorithm>

#include "eskf_apply.hpp"

namespace boresight::eskf {

namespace {

constexpr double kSteepest = 0.8660254037844386;   // of body x along the vertical: 30 degrees from it
constexpr double kWorstCourse = 0.06698729810778;  // sin^2 15 degrees

}  // namespace

void Eskf::set_declination(double declination, bool fixed) {
    if (!(0.0 * declination == 0.0) || (declination_fixed_ && !fixed)) return;
    const double change = wrap(declination - declination_);
    declination_ = declination;
    declination_fixed_ = fixed;
    if (!initialized_ || !magnetic_ || !(established_ & kHeadings)) return;
    // What referred the heading to north was the old one. The error is in body axes, and does not change.
    const Quaternion turn = exp(Vector3(0.0, 0.0, change));
    x_.attitude = (turn * x_.attitude).renormalised();
    history_.turn(turn);
}

// An exact turn about down. Down in body axes stays, and with it every part of the attitude's error across it, which
// keeps its correlations (with the accelerometer's bias above all); the part about it becomes the measurement's own.
void Eskf::adopt_heading(double turn, double variance, bool magnetic) {
    variance = std::min(variance, kAnyHeading);
    Covariance &p = p_[current_];
    const Vector3 down = x_.attitude.matrix().row(2).transpose();
    const Matrix3 across = Matrix3::Identity() - down * down.transpose();
    double rows[3][kSize];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < kSize; ++k) {
            rows[i][k] = 0.0;
            for (int j = 0; j < 3; ++j) rows[i][k] += across(i, j) * p[kAttitude + j][k];
        }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < kSize; ++k) p[kAttitude + i][k] = rows[i][k];
    for (int k = 0; k < kSize; ++k) {
        const Vector3 row(p[k][kAttitude], p[k][kAttitude + 1], p[k][kAttitude + 2]);
        const Vector3 projected = across * row;
        for (int i = 0; i < 3; ++i) p[k][kAttitude + i] = projected[i];
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) p[kAttitude + i][kAttitude + k] += variance * down[i] * down[k];
    p.symmetrise();
    const Quaternion about = exp(Vector3(0.0, 0.0, turn));
    x_.attitude = (about * x_.attitude).renormalised();
    history_.turn(about);
    established_ |= kHeadings;
    magnetic_ = magnetic;
}

// The heading of the yaw estimator, as the first one.
bool Eskf::adopt_estimated_yaw() {
    YawEstimator::Answer answer;
    if (!yaw_.answer(x_.attitude, answer)) return false;
    adopt_heading(answer.turn, answer.variance, false);
    adopted(kYawEstimator, time_, false);
    return true;
}

// A heading that makes GNSS velocity be rejected, replaced by the one that explains it. A receiver's own heading that
// is being accepted is not overruled.
bool Eskf::replace_yaw() {
    YawEstimator::Answer answer;
    if (config_.yaw_estimator == 0.0 || sources_[kGnssHeading].fresh(clock_)) return false;
    if (!(seconds(sources_[kGnssVelocity].failing_since, clock_) > recovery(kYawEstimator))) return false;
    if (!yaw_.answer(x_.attitude, answer) || !(std::fabs(answer.turn) > 25.0 * kPi / 180)) return false;
    adopt_heading(answer.turn, answer.variance, false);
    adopted(kYawEstimator, time_, true);
    return true;
}

// One scalar about down, (36). `by_velocity` is the Jacobian of a course.
Fused Eskf::fuse_heading(Source source, Nanoseconds time, const Past &then, double innovation, double variance,
                         bool may_recover, const Vector3 &by_velocity, double adopted_variance) {
    Fused fused;
    fused.age = then.age;
    const bool magnetic = source == kMag;
    if (!(established_ & kHeadings)) {
        sources_[source].arrive(clock_);
        adopt_heading(innovation, adopted_variance, magnetic);
        fused.code[0] = adopted(source, time, false);
        return fused;
    }
    Observation<1> o;
    o.innovation[0] = innovation;
    o.set(0, kAttitude, then.attitude.matrix().row(2).transpose());
    o.set(0, kVelocity, by_velocity);
    o.variance[0] = variance;
    o.delay(then.age, x_.attitude.matrix(), then.rate, then.force);
    fused.code[0] = correct(source, time, o, fused, 0);
    if (fused.code[0] == Fusion::accepted && !magnetic) magnetic_ = false;
    if (may_recover && (fused.code[0] == Fusion::rejected || fused.code[0] == Fusion::state_invalid) &&
        locked_out(source)) {
        adopt_heading(innovation, adopted_variance, magnetic);
        fused.code[0] = adopted(source, time, true);
    }
    return fused;
}

Fused Eskf::fuse_mag(const Measurement &z) {
    // Of a field only the direction counts, and it may come in any unit.
    const double largest = z.value.cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) return refuse(kMag, Fusion::unobservable);
    const Vector3 field = (z.value / largest).normalized();
    const Past then = past(z.time);
    const Matrix3 r = then.attitude.matrix();
    const Vector3 ned = r * field;
    const double across = std::hypot(ned.x(), ned.y());
    if (!(across > 1e-3)) return refuse(kMag, Fusion::unobservable);  // straight up or down
    // (36'): the tilt that leveled the field turns its horizontal part by tan(dip) as much.
    const Vector3 down = r.row(2).transpose();
    const Vector3 ahead = (field - down * down.dot(field)).normalized();
    const Vector3 aside = down.cross(ahead);
    const Matrix3 p = p_[current_].block(kAttitude, kAttitude);
    const double a = ahead.dot(p * ahead), b = aside.dot(p * aside), c = ahead.dot(p * aside);
    const double tilt = 0.5 * (a + b) + std::hypot(0.5 * (a - b), c);
    const double variance = z.variance[0] + square(ned.z() / across) * tilt;
    const double innovation = -wrap(std::atan2(ned.y(), ned.x()) - declination_);
    const auto fresh = [this](Source s) { return sources_[s].fresh(clock_); };
    const bool may_recover = !fresh(kGnssPosition) && !fresh(kGnssVelocity) && !fresh(kGnssHeading);
    return fuse_heading(kMag, z.time, then, innovation, variance, may_recover, Vector3::Zero(), variance);
}

Fused Eskf::fuse_gnss_heading(const Measurement &z) {
    const Past then = past(z.time);
    const Vector3 nose = then.attitude.matrix().col(0);
    if (std::fabs(nose.z()) > kSteepest) return refuse(kGnssHeading, Fusion::unobservable);
    const double innovation = wrap(wrap(z.value[0]) - std::atan2(nose.y(), nose.x()));
    return fuse_heading(kGnssHeading, z.time, then, innovation, z.variance[0], true, Vector3::Zero(), z.variance[0]);
}

// (35''): no sensor, but the claim that the vehicle points where it goes. The course is of the estimated velocity,
// whose error it shares.
Fused Eskf::fuse_course(const Measurement &z) {
    const Past then = past(z.time);
    const Vector3 nose = then.attitude.matrix().col(0);
    const double north = then.velocity.x(), east = then.velocity.y(), speed2 = north * north + east * east;
    if (std::fabs(nose.z()) > kSteepest || !sources_[kGnssVelocity].fresh(clock_) || !(speed2 > 0.0))
        return refuse(kCourse, Fusion::unobservable);
    const Vector3 gradient(-east / speed2, north / speed2, 0.0);
    const double course_variance = gradient.dot(p_[current_].block(kVelocity, kVelocity) * gradient);
    if (!(course_variance <= kWorstCourse)) return refuse(kCourse, Fusion::unobservable);
    const double innovation = wrap(std::atan2(east, north) - std::atan2(nose.y(), nose.x()));
    const bool may_recover = !sources_[kMag].fresh(clock_) && !sources_[kGnssHeading].fresh(clock_);
    return fuse_heading(kCourse, z.time, then, innovation, z.variance[0], may_recover, -gradient,
                        z.variance[0] + course_variance);
}

}  // namespace boresight::eskf
