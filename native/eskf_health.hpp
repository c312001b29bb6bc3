// What the filter did with what it was given: outcomes, each source's record, the counts of propagation.
#pragma once

#include "eskf_math.hpp"

namespace boresight::eskf {

enum class Propagation : std::uint8_t {
    propagated,
    coasted,
    step_too_long,
    invalid_step,
    not_finite,
    invalid_interval,
    state_not_finite,
    not_initialized
};
constexpr int kPropagations = 8;

enum class Fusion : std::uint8_t {
    accepted,
    rejected,
    reset,
    no_reference,
    unobservable,
    not_finite,
    invalid_noise,
    out_of_horizon,
    state_invalid,
    not_initialized,
    none = 255
};

enum class Status : std::uint8_t { healthy, degraded, aligning, dead_reckoning };

enum Validity : unsigned {
    kTilt = 1,
    kHeading = 2,
    kHorizontalPosition = 4,
    kVerticalPosition = 8,
    kHorizontalVelocity = 16,
    kVerticalVelocity = 32
};

// What measurements are called when they come in.
enum class Kind : int { gnss_position = 1, gnss_geodetic, gnss_velocity, baro, mag, gnss_heading, course, stationary };

// What is told apart in the diagnostics.
enum Source : int {
    kGnssPosition,
    kGnssHeight,
    kGnssVelocity,
    kBaro,
    kMag,
    kGnssHeading,
    kCourse,
    kStationary,
    kHold,
    kYawEstimator,
    kSources
};
inline constexpr const char *kSourceNames[kSources] = {"gnss_position", "gnss_height",  "gnss_velocity", "baro",
                                                       "mag",           "gnss_heading", "course",        "stationary",
                                                       "hold",          "yaw_estimator"};

// How long a source has to agree with the estimate, after it was rejected for long or adopted for that, before what
// they say together is believed again: as long as most recoveries take, s.
constexpr double kAgreed = 7.0;

// Times are the filter's clock, at the arrival of a measurement; `fused` alone is the measurement's own.
struct SourceHealth {
    std::uint64_t accepted = 0, rejected = 0, refused = 0, adopted = 0, recovered = 0;
    std::uint64_t consecutive_rejections = 0;
    double test_ratio = kNaN, period = kNaN;
    int rows = 0;  // of the latest innovation
    double innovation[3] = {}, innovation_covariance[3][3] = {};
    Fusion last_refusal = Fusion::none;
    bool judged_once = false, accepted_once = false, fused_once = false, failing = false;
    bool disputed = false;  // it contradicts the estimate, or did until lately
    Nanoseconds judged = 0, accepted_at = 0, failing_since = 0, fused = 0, disputed_at = 0;

    void refuse(Fusion why) {
        ++refused;
        last_refusal = why;
    }

    // A measurement got to the gate, whatever comes of it.
    void arrive(Nanoseconds now) {
        if (judged_once) {
            const double dt = seconds(judged, now);
            if (!(period > 0.0))
                period = dt;
            else  // a mean over some eight; a silence counts for four periods at most
                period += (std::fmin(dt, 4.0 * period) - period) / 8.0;
        }
        judged = now;
        judged_once = true;
    }

    void accept(Nanoseconds now) {
        ++accepted;
        settle(now);
        if (disputed && seconds(disputed_at, now) > kAgreed) disputed = false;
    }
    void settle(Nanoseconds now) {
        consecutive_rejections = 0;
        failing = false;
        accepted_once = true;
        accepted_at = now;
    }
    void reject(Nanoseconds now, Nanoseconds previous, double recovery) {
        ++rejected;
        ++consecutive_rejections;
        fail(now, previous, recovery);
    }
    // The failures that a recovery waits for are in one run: not across a silence as long as that wait.
    void fail(Nanoseconds now, Nanoseconds previous, double recovery) {
        if (!failing || seconds(previous, now) > recovery) failing_since = now;
        failing = true;
        if (seconds(failing_since, now) > timeout()) dispute(now);
    }
    void dispute(Nanoseconds now) {
        disputed = true;
        disputed_at = now;
    }

    // How long it may be silent: two and a half of its periods, of which none is known before the second reading.
    double timeout() const { return period > 0.0 ? 2.5 * period : 2.5; }
    bool fresh(Nanoseconds now) const { return accepted_once && seconds(accepted_at, now) <= timeout(); }
    bool silent(Nanoseconds now) const { return accepted_once && !fresh(now); }
};

struct PropagationHealth {
    std::uint64_t counts[kPropagations] = {};
    double longest_gap = 0.0;  // s, of those coasted across
};

}  // namespace boresight::eskf
