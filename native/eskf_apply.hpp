// How a correction reaches the filter: judged, injected, committed and put on record, (23) to (42').
#pragma once

#include <algorithm>

#include "eskf.hpp"

namespace boresight::eskf {

// `half` is 1 for the height of a position, whose numbers stand behind the horizontal ones. `time` is the
// measurement's own.
template <int M>
Fusion Eskf::correct(Source source, Nanoseconds time, Observation<M> &z, Fused &fused, int half) {
    SourceHealth &health = sources_[source];
    const Nanoseconds previous = health.judged;
    health.arrive(clock_);
    z.gate = gate(source);
    const double tau = correlation(source);
    if (tau > 0.0 && health.fused_once) {
        // (1 + rho) / (1 - rho), which has no bound where the same error comes twice: there it is that of 1 ms.
        const double apart = std::max(std::fabs(seconds(health.fused, time)), 1e-3);
        z.inflation = 1.0 / std::tanh(apart / (2.0 * tau));
    }
    Correction<M> c;
    Covariance &next = p_[1 - current_];
    const Judgement judgement = judge<M>(p_[current_], z, c, next);
    health.rows = M;
    for (int i = 0; i < M; ++i) {
        health.innovation[i] = fused.innovation[2 * half + i] = z.innovation[i];
        fused.innovation_variance[2 * half + i] = c.innovation_covariance[i][i];
        for (int k = 0; k < M; ++k) health.innovation_covariance[i][k] = c.innovation_covariance[i][k];
    }
    // A covariance that supports no correction is as good a reason to adopt what comes as one that is wrong.
    const auto invalid = [&] {
        health.refuse(Fusion::state_invalid);
        health.fail(clock_, previous, recovery(source));
        return Fusion::state_invalid;
    };
    if (judgement == Judgement::invalid) return invalid();
    // An innovation too large for its square is as far off as any.
    if (!(c.test_ratio == c.test_ratio)) c.test_ratio = std::numeric_limits<double>::infinity();
    health.test_ratio = fused.test_ratio[half] = c.test_ratio;
    if (judgement == Judgement::rejected) {
        health.reject(clock_, previous, recovery(source));
        return Fusion::rejected;
    }
    const auto part = [&c](int first) { return Vector3(c.delta[first], c.delta[first + 1], c.delta[first + 2]); };
    const Vector3 turn = part(kAttitude);
    State x = x_;
    x.position += part(kPosition);
    x.velocity += part(kVelocity);
    x.attitude = (x.attitude * exp(turn)).renormalised();
    x.accel_bias += part(kAccelBias);
    x.gyro_bias += part(kGyroBias);
    reset_attitude_error(turn, next);
    if (!x.is_finite() || !next.is_finite() || has_lost_definiteness(next, p_[current_])) return invalid();
    history_.correct(part(kPosition), part(kVelocity));
    history_.turn(exp(x_.attitude.matrix() * turn));
    rate_ -= part(kGyroBias);
    x_ = x;
    current_ = 1 - current_;
    reference_ -= c.delta[kOffset];
    raise_floors();
    health.accept(clock_);
    health.fused = time;
    health.fused_once = true;
    return Fusion::accepted;
}

}  // namespace boresight::eskf
