// Start, propagation, the position hold, and what the estimate may claim: status and validity.
#include <algorithm>

#include "eskf_apply.hpp"

namespace boresight::eskf {

namespace {

constexpr double kLeastInterval = 0.9e-6;  // s; a microsecond, however it was rounded
constexpr double kAbsurd = 1e6;            // rad, m/s
constexpr double kAbsurdAltitude = 1e12;   // m, as of a measurement
constexpr double kAlignedTilt = 3.0 * kPi / 180, kAlignedHeading = 30.0 * kPi / 180;
constexpr double kHoldTilt = 3.0 * kPi / 180, kHoldPeriod = 0.2;

}  // namespace

void Eskf::start(Nanoseconds time, const State &state, const Covariance &covariance, unsigned established,
                 bool magnetic) {
    const double offset = p_[current_][kOffset][kOffset];
    x_ = state;
    x_.attitude = x_.attitude.normalised();
    current_ = 0;
    p_[0] = covariance;
    p_[0].symmetrise();
    p_[0].clear_row(kOffset);
    // A reference stays: what the barometer read at the origin does not change by starting again.
    if (has_reference_) p_[0][kOffset][kOffset] = offset;
    time_ = clock_ = time;
    rate_.setZero();
    initialized_ = true;
    aligned_ = false;
    established_ = established;
    magnetic_ = magnetic && (established & kHeadings) != 0;
    history_.clear();
    history_.push(time, x_);
    yaw_.start(x_.attitude, x_.gyro_bias, config_.gravity);
    holding_ = held_position_ = held_velocity_ = false;
    aided_once_ = judged_once_ = jumped_ = false;
    for (auto &source : sources_) source = SourceHealth();
    propagation_ = PropagationHealth();
    floored_ = 0;
    raise_floors();
}

bool Eskf::set_baro_reference(double altitude, double variance) {
    if (!(std::fabs(altitude) <= kAbsurdAltitude) || !(variance > 0.0) ||
        !(variance <= std::numeric_limits<double>::max()))
        return false;
    reference_ = altitude;
    has_reference_ = true;
    p_[current_].clear_row(kOffset);
    p_[current_][kOffset][kOffset] = std::min(variance, kAnyPosition);
    return true;
}

void Eskf::clear_baro_reference() {
    has_reference_ = false;
    p_[current_].clear_row(kOffset);
}

Propagated Eskf::refuse_sample(Propagation why, Nanoseconds time, double dt, double limit) {
    ++propagation_.counts[static_cast<int>(why)];
    if (initialized_ && why != Propagation::invalid_step && why != Propagation::step_too_long) clock_ = time;
    return {why, dt, limit};
}

Propagated Eskf::predict(Nanoseconds time, const ImuSample &sample) {
    if (!initialized_) return refuse_sample(Propagation::not_initialized, time, 0.0, 0.0);
    double dt = seconds(clock_, time);
    if (!(dt > 0.0)) return refuse_sample(Propagation::invalid_step, time, dt, 0.0);
    if (!sample.is_finite()) {
        if (dt > config_.coast_limit) return refuse_sample(Propagation::step_too_long, time, dt, config_.coast_limit);
        return refuse_sample(Propagation::not_finite, time, dt, 0.0);
    }
    // The gap is since the state was last moved on: refused samples leave one too.
    dt = seconds(time_, time);
    if (dt > config_.max_predict_dt) {
        double gap = dt;
        if (config_.coast == 0.0) {
            // With the clock moved on and the state not: the next sample continues from here.
            ++propagation_.counts[static_cast<int>(Propagation::step_too_long)];
            clock_ = time_ = time;
            return {Propagation::step_too_long, dt, config_.max_predict_dt};
        }
        if (dt > config_.coast_limit) {
            // One wrong time must not carry the clock away; two that agree are the clock's own step.
            const double since = seconds(jumped_to_, time);
            if (!jumped_ || !(since > 0.0) || since > config_.max_predict_dt) {
                jumped_ = true;
                jumped_to_ = time;
                return refuse_sample(Propagation::step_too_long, time, dt, config_.coast_limit);
            }
            gap = config_.coast_limit;
        }
        jumped_ = false;
        State x = x_;
        Covariance &next = p_[1 - current_];
        next = p_[current_];
        coast(config_, gap, x, next);
        if (!x.is_finite() || !next.is_finite()) return refuse_sample(Propagation::state_not_finite, time, dt, 0.0);
        x_ = x;
        current_ = 1 - current_;
        rate_.setZero();
        propagation_.longest_gap = std::max(propagation_.longest_gap, gap);
        yaw_.restart(x_.attitude, x_.gyro_bias);
        ++propagation_.counts[static_cast<int>(Propagation::coasted)];
        committed(time);
        return {Propagation::coasted, dt, 0.0};
    }
    jumped_ = false;
    for (const double interval : {sample.angle_interval, sample.velocity_interval})
        if (!(interval >= kLeastInterval) || interval > config_.max_predict_dt * (1.0 + 1e-9))
            return refuse_sample(Propagation::invalid_interval, time, interval, 0.0);

    // What no vehicle does in a tenth of a second would be a number still, and leave nothing of the covariance.
    if (sample.angle.cwiseAbs().maxCoeff() > kAbsurd || sample.velocity.cwiseAbs().maxCoeff() > kAbsurd)
        return refuse_sample(Propagation::state_not_finite, time, dt, 0.0);
    State x = x_;
    const Transition f = propagate_state(config_, sample, x);
    Covariance &next = p_[1 - current_];
    propagate_covariance(f, p_[current_], next);
    if (!x.is_finite() || !next.is_finite()) return refuse_sample(Propagation::state_not_finite, time, dt, 0.0);
    rate_ = sample.angle / sample.angle_interval - x_.gyro_bias;
    x_ = x;
    current_ = 1 - current_;
    ++propagation_.counts[0];
    if (config_.yaw_estimator != 0.0)
        yaw_.add(sample.angle, sample.angle_interval, sample.velocity, sample.velocity_interval, time);
    committed(time);
    return {Propagation::propagated, dt, 0.0};
}

void Eskf::committed(Nanoseconds time) {
    time_ = clock_ = time;
    raise_floors();
    history_.push(time, x_);
    const bool unaided = !judged_once_ || seconds(judged_, clock_) > config_.dead_reckoning_after;
    if (holding_ || (unaided && config_.hold > 0.0)) hold_if_unaided();
    if (!aligned_ && (established_ & kHeadings)) {
        const Vector3 variance = attitude_variance();
        aligned_ =
            std::max(variance.x(), variance.y()) <= square(kAlignedTilt) && variance.z() <= square(kAlignedHeading);
    }
}

// (28''): the position where the hold engaged, five times a second, while nothing horizontal is judged and the tilt is
// not known to 3 degrees.
void Eskf::hold_if_unaided() {
    const Vector3 variance = attitude_variance();
    const bool unaided = !judged_once_ || seconds(judged_, clock_) > config_.dead_reckoning_after;
    if (!unaided || !(std::max(variance.x(), variance.y()) > square(kHoldTilt))) {
        holding_ = false;
        return;
    }
    if (!holding_) {
        holding_ = held_position_ = held_velocity_ = true;
        hold_at_[0] = x_.position.x();
        hold_at_[1] = x_.position.y();
    } else if (seconds(hold_fused_, clock_) < kHoldPeriod) {
        return;
    }
    hold_fused_ = clock_;
    Observation<2> z;
    for (int i = 0; i < 2; ++i) {
        z.innovation[i] = hold_at_[i] - x_.position[i];
        z.jacobian[i][kPosition + i] = 1.0;
        z.variance[i] = square(config_.hold);
    }
    Fused fused;
    correct(kHold, clock_, z, fused, 0);
}

Vector3 Eskf::attitude_variance(const Covariance &p) const {
    const Matrix3 r = x_.attitude.matrix();
    Vector3 out;
    for (int i = 0; i < 3; ++i) {
        double sum = 0.0;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) sum += r(i, a) * p[kAttitude + a][kAttitude + b] * r(i, b);
        out[i] = sum;
    }
    return out;
}

Status Eskf::status() const {
    if (!initialized_ || !aided_once_ || seconds(aided_, clock_) > config_.dead_reckoning_after)
        return Status::dead_reckoning;
    if (!aligned_) return Status::aligning;
    for (const int s : {kGnssPosition, kGnssHeight, kGnssVelocity, kBaro, kMag, kGnssHeading})
        if (sources_[s].silent(clock_) || sources_[s].disputed) return Status::degraded;
    return Status::healthy;
}

// What the estimate cannot claim, whatever its covariance says, since it is contradicted by what measures it. A
// velocity that contradicts it says that it is tilted or turned wrongly; so does a position where there is no velocity.
// Where two measure the same, the one that agrees upholds it.
unsigned Eskf::disputed() const {
    const auto disputed = [this](Source s) { return sources_[s].disputed; };
    unsigned out = 0;
    if (disputed(kGnssPosition)) out |= kHorizontalPosition;
    if (disputed(kGnssVelocity) || (disputed(kGnssPosition) && !upheld(kGnssVelocity)))
        out |= kTilt | kHeading | kHorizontalVelocity | kVerticalVelocity;
    if ((disputed(kGnssHeight) && !upheld(kBaro)) || (disputed(kBaro) && !upheld(kGnssHeight)))
        out |= kVerticalPosition;
    if ((disputed(kGnssHeading) && !upheld(kMag)) || (disputed(kMag) && !upheld(kGnssHeading) && !upheld(kCourse)))
        out |= kHeading;
    return out;
}

// `strict`: what is held by an assumption is not valid.
unsigned Eskf::validity(const Covariance &p, unsigned established, bool strict) const {
    if (!initialized_) return 0;
    const Vector3 attitude = attitude_variance(p);
    const auto within = [&p](int i, int count, double bound) {
        double worst = 0.0;
        for (int k = 0; k < count; ++k) worst = std::max(worst, p[i + k][i + k]);
        return worst <= square(bound);
    };
    unsigned valid = 0;
    if (std::max(attitude.x(), attitude.y()) <= square(config_.accuracy_tilt)) valid |= kTilt;
    if ((established & kHeadings) && attitude.z() <= square(config_.accuracy_heading)) valid |= kHeading;
    if ((established & kHorizontal) && !(strict && held_position_) && within(kPosition, 2, config_.accuracy_position))
        valid |= kHorizontalPosition;
    if ((established & kVertical) && within(kPosition + 2, 1, config_.accuracy_position)) valid |= kVerticalPosition;
    if ((established & kVelocities) && !(strict && held_velocity_) && within(kVelocity, 2, config_.accuracy_velocity))
        valid |= kHorizontalVelocity;
    if ((established & kVelocities) && within(kVelocity + 2, 1, config_.accuracy_velocity)) valid |= kVerticalVelocity;
    return valid & ~disputed();
}

// Either still within the accuracy after `horizon` seconds of nothing but the IMU, or held there by a source that is
// being accepted now.
unsigned Eskf::predicted_validity(double horizon) const {
    if (!initialized_) return 0;
    Covariance p = p_[current_];
    if (horizon > 0.0) project_covariance(config_, x_.attitude, std::min(horizon, 3600.0), 0.0, p);
    unsigned valid = validity(p, established_, true);
    const auto fresh = [this](Source source) { return upheld(source); };
    if (fresh(kMag) || fresh(kGnssHeading) || fresh(kCourse)) valid |= kHeading;
    if (fresh(kGnssPosition)) valid |= kHorizontalPosition;
    if (fresh(kGnssHeight) || fresh(kBaro)) valid |= kVerticalPosition;
    if (fresh(kGnssVelocity) || fresh(kGnssPosition)) valid |= kHorizontalVelocity;
    if (fresh(kGnssVelocity) || fresh(kGnssHeight) || fresh(kBaro)) valid |= kVerticalVelocity;
    return valid & ~disputed();
}

}  // namespace boresight::eskf
