// Measurements of position, velocity and height: refusals, models, adoption and recovery, (28) to (30').
#include <algorithm>

#include "eskf_apply.hpp"

namespace boresight::eskf {

namespace {

// How many of a measurement's numbers each kind reads: of the value, of the variance, of the arm.
struct Reads {
    int value, variance, arm;
};

constexpr Reads reads(Kind kind) {
    switch (kind) {
        case Kind::gnss_position:
        case Kind::gnss_geodetic:
        case Kind::gnss_velocity:
            return {3, 3, 3};
        case Kind::mag:
            return {3, 1, 0};
        case Kind::course:
            return {0, 1, 0};
        case Kind::stationary:
            return {0, 3, 0};
        default:
            return {1, 1, 0};
    }
}

Source source_of(Kind kind) {
    switch (kind) {
        case Kind::gnss_position:
        case Kind::gnss_geodetic:
            return kGnssPosition;
        case Kind::gnss_velocity:
            return kGnssVelocity;
        case Kind::baro:
            return kBaro;
        case Kind::mag:
            return kMag;
        case Kind::gnss_heading:
            return kGnssHeading;
        case Kind::course:
            return kCourse;
        default:
            return kStationary;
    }
}

bool failed(Fusion code) { return code == Fusion::rejected || code == Fusion::state_invalid; }

// Beyond any that could be, in metres and metres a second: they could only be adopted, and then overflow.
constexpr double kAbsurd = 1e12, kAbsurdArm = 1e6;
// A variance above this says as little as this does, and is squared without overflowing.
constexpr double kNoInformation = 1e16;

// A fix of which no height is known, as receivers give in two dimensions.
bool flat(const Measurement &z) {
    const bool fix = z.kind == Kind::gnss_position || z.kind == Kind::gnss_geodetic;
    return fix && std::isnan(z.value[2]);
}

bool all_within(const Vector3 &v, int count, double bound) {
    for (int i = 0; i < count; ++i)
        if (!(std::fabs(v[i]) <= bound)) return false;
    return true;
}

bool all_finite(const Vector3 &v, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += 0.0 * v[i];
    return sum == 0.0;
}

}  // namespace

double Eskf::gate(Source source) const {
    const double gates[kSources] = {config_.gate_gnss_position,
                                    config_.gate_gnss_height,
                                    config_.gate_gnss_velocity,
                                    config_.gate_baro,
                                    config_.gate_mag,
                                    config_.gate_gnss_heading,
                                    config_.gate_course,
                                    config_.gate_stationary,
                                    13.815511,
                                    10.827566};
    return gates[source];
}

double Eskf::recovery(Source source) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    const double times[kSources] = {config_.recovery_gnss_position,
                                    config_.recovery_gnss_height,
                                    config_.recovery_gnss_velocity,
                                    config_.recovery_baro,
                                    config_.recovery_mag,
                                    config_.recovery_gnss_heading,
                                    config_.recovery_course,
                                    never,
                                    never,
                                    config_.recovery_yaw_estimator};
    return times[source];
}

double Eskf::correlation(Source source) const {
    const double taus[kSources] = {config_.tau_gnss_position,
                                   config_.tau_gnss_height,
                                   config_.tau_gnss_velocity,
                                   config_.tau_baro,
                                   config_.tau_mag,
                                   config_.tau_gnss_heading,
                                   config_.tau_course,
                                   0.0,
                                   2.0,
                                   0.0};
    return taus[source];
}

Fused Eskf::refuse(Source source, Fusion why, double age) {
    Fused fused;
    sources_[source].refuse(why);
    fused.code[0] = why;
    fused.age = age;
    if (source == kGnssPosition) {
        sources_[kGnssHeight].refuse(why);
        fused.code[1] = why;
    }
    return fused;
}

void Eskf::refuse_height(Fused &fused) {
    sources_[kGnssHeight].refuse(Fusion::not_finite);
    fused.code[1] = Fusion::not_finite;
}

Fusion Eskf::adopted(Source source, Nanoseconds time, bool recovered) {
    SourceHealth &health = sources_[source];
    // Not where the hold made way for it.
    if (recovered && health.failing && health.failing_since != clock_) health.dispute(clock_);
    ++(recovered ? health.recovered : health.adopted);
    health.settle(clock_);
    health.fused = time;
    health.fused_once = true;
    raise_floors();
    return Fusion::reset;
}

// Whether it has been refused for long enough for the filter to be thought wrong, and not the source.
bool Eskf::locked_out(Source source) const {
    return sources_[source].failing && seconds(sources_[source].failing_since, clock_) > recovery(source);
}

Fused Eskf::fuse(const Measurement &given) {
    Measurement z = given;
    const Source source = source_of(z.kind);
    if (!initialized_) return refuse(source, Fusion::not_initialized);
    const Reads read = flat(z) ? Reads{2, 2, 3} : reads(z.kind);
    if (!all_finite(z.value, read.value) || !all_finite(z.variance, read.variance) || !all_finite(z.arm, read.arm))
        return refuse(source, Fusion::not_finite);
    // A field comes in any unit, and a heading in any number of turns.
    const bool bounded = z.kind != Kind::mag && z.kind != Kind::gnss_heading;
    if ((bounded && !all_within(z.value, read.value, kAbsurd)) || !all_within(z.arm, read.arm, kAbsurdArm))
        return refuse(source, Fusion::not_finite);
    for (int i = 0; i < read.variance; ++i) {
        if (!(z.variance[i] > 0.0)) return refuse(source, Fusion::invalid_noise);
        z.variance[i] = std::min(z.variance[i], kNoInformation);
    }
    const double age = seconds(z.time, time_);
    if (age > kOldest + 1e-9 || age < -kAhead - 1e-9) return refuse(source, Fusion::out_of_horizon, age);
    switch (z.kind) {
        case Kind::gnss_position:
            return fuse_position(z, z.value);
        case Kind::gnss_geodetic:
            return fuse_geodetic(z);
        case Kind::gnss_velocity:
            return fuse_velocity(z);
        case Kind::baro:
            return fuse_baro(z);
        case Kind::mag:
            return fuse_mag(z);
        case Kind::gnss_heading:
            return fuse_gnss_heading(z);
        case Kind::course:
            return fuse_course(z);
        default:
            return fuse_stationary(z);
    }
}

// What a horizontal GNSS source came to: the hold waits for it, and what it held is free once it is accepted.
void Eskf::note_aiding(Fusion code, bool &held) {
    if (code != Fusion::accepted && code != Fusion::rejected && code != Fusion::reset) return;
    judged_once_ = true;
    judged_ = clock_;
    holding_ = false;
    if (code == Fusion::rejected) return;
    aided_once_ = true;
    aided_ = clock_;
    held = false;
}

void Eskf::adopt_position(int first, int count, const Vector3 &position, const Vector3 &variance) {
    Covariance &p = p_[current_];
    Vector3 step = Vector3::Zero();
    for (int i = first; i < first + count; ++i) {
        step[i] = position[i] - x_.position[i];
        x_.position[i] = position[i];
        p.clear_row(kPosition + i);
        p[kPosition + i][kPosition + i] = std::min(variance[i], kAnyPosition);
    }
    history_.correct(step, Vector3::Zero());
    established_ |= first == 0 ? kHorizontal : 0u;
    established_ |= first + count == 3 ? kVertical : 0u;
}

void Eskf::adopt_velocity(const Vector3 &velocity, const Vector3 &variance) {
    Covariance &p = p_[current_];
    for (int i = 0; i < 3; ++i) p.clear_row(kVelocity + i);
    for (int i = 0; i < 3; ++i) p[kVelocity + i][kVelocity + i] = std::min(variance[i], kAnyVelocity);
    history_.correct(Vector3::Zero(), velocity - x_.velocity);
    x_.velocity = velocity;
    established_ |= kVelocities;
}

Fused Eskf::fuse_position(const Measurement &z, const Vector3 &ned) {
    Fused fused;
    {
        const Past then = past(z.time);
        const Matrix3 r = then.attitude.matrix();
        const Vector3 mast = r * z.arm;
        const auto adopt = [&](bool recovered) {
            adopt_position(0, 2, ned - mast + (x_.position - then.position), z.variance);
            return adopted(kGnssPosition, z.time, recovered);
        };
        if (!(established_ & kHorizontal)) {
            sources_[kGnssPosition].arrive(clock_);
            fused.code[0] = adopt(false);
        } else {
            Observation<2> o;
            for (int i = 0; i < 2; ++i) {
                o.innovation[i] = ned[i] - (then.position[i] + mast[i]);
                o.jacobian[i][kPosition + i] = 1.0;
                o.set(i, kAttitude, z.arm.cross(r.row(i).transpose()));
                o.variance[i] = z.variance[i];
            }
            o.delay(then.age, x_.attitude.matrix(), then.rate, then.force);
            fused.code[0] = correct(kGnssPosition, z.time, o, fused, 0);
            if (failed(fused.code[0]) && (held_position_ || locked_out(kGnssPosition))) fused.code[0] = adopt(true);
        }
        fused.age = then.age;
    }
    note_aiding(fused.code[0], held_position_);
    if (flat(z)) {
        refuse_height(fused);
        return fused;
    }

    const Past then = past(z.time);
    const Matrix3 r = then.attitude.matrix();
    const Vector3 mast = r * z.arm;
    const auto adopt = [&](bool recovered) {
        adopt_position(2, 1, ned - mast + (x_.position - then.position), z.variance);
        return adopted(kGnssHeight, z.time, recovered);
    };
    if (!(established_ & kVertical)) {
        sources_[kGnssHeight].arrive(clock_);
        fused.code[1] = adopt(false);
        return fused;
    }
    Observation<1> o;
    o.innovation[0] = ned[2] - (then.position[2] + mast[2]);
    o.jacobian[0][kPosition + 2] = 1.0;
    o.set(0, kAttitude, z.arm.cross(r.row(2).transpose()));
    o.variance[0] = z.variance[2];
    o.delay(then.age, x_.attitude.matrix(), then.rate, then.force);
    fused.code[1] = correct(kGnssHeight, z.time, o, fused, 1);
    if (failed(fused.code[1]) && locked_out(kGnssHeight)) fused.code[1] = adopt(true);
    return fused;
}

// The first fix places the origin, (44): under an estimate that there is, and else at the fix, which is then adopted.
Fused Eskf::fuse_geodetic(const Measurement &z) {
    Geodetic fix{z.value[0], z.value[1], z.value[2]};
    const Past then = past(z.time);
    const Vector3 antenna = then.position + then.attitude.matrix() * z.arm;
    // Without a height it is where the estimate has the antenna: what that is wrong by hardly shows in the plane.
    if (flat(z)) fix.height = origin_.placed() ? origin_.to_geodetic(antenna).height : -antenna.z();
    if (!fix.on_earth()) return refuse(kGnssPosition, Fusion::no_reference);
    if (origin_.placed()) {
        if (!origin_.has_height() && !flat(z)) {
            origin_.lift(fix, antenna.z());
            established_ &= ~kVertical;  // it is adopted as with a first fix
        }
        return fuse_position(z, origin_.to_ned(fix));
    }
    if ((established_ & kHorizontal) && (established_ & kVertical)) {
        if (!origin_.set_under(fix, antenna)) return refuse(kGnssPosition, Fusion::no_reference);
        // It says nothing of the position relative to the start; the position's error is now the fix's own.
        adopt_position(0, flat(z) ? 2 : 3, x_.position, z.variance);
        if (flat(z)) origin_.forget_height();
        Fused fused;
        fused.age = then.age;
        if (flat(z)) refuse_height(fused);
        for (int half = 0; half < (flat(z) ? 1 : 2); ++half) {
            const Source source = half == 0 ? kGnssPosition : kGnssHeight;
            sources_[source].arrive(clock_);
            fused.code[half] = adopted(source, z.time, false);
        }
        note_aiding(fused.code[0], held_position_);
        return fused;
    }
    origin_.set(fix);
    established_ &= flat(z) ? ~kHorizontal : ~(kHorizontal | kVertical);
    if (flat(z)) origin_.forget_height();
    return fuse_position(z, Vector3::Zero());
}

Fused Eskf::fuse_velocity(const Measurement &z) {
    if (config_.yaw_estimator != 0.0) {
        yaw_.observe(z.value[0], z.value[1], std::sqrt(std::max(z.variance[0], z.variance[1])), z.time);
        if (!(established_ & kHeadings)) adopt_estimated_yaw();
    }
    Fused fused;
    const Past then = past(z.time);
    fused.age = then.age;
    const Matrix3 r = then.attitude.matrix();
    const Vector3 swing = then.rate.cross(z.arm);
    const Vector3 moved = r * swing;
    const auto adopt = [&](bool recovered) {
        const Vector3 arm = past(z.time).attitude.matrix() * swing;  // the heading may be a new one
        adopt_velocity(z.value - arm + (x_.velocity - then.velocity), z.variance);
        return adopted(kGnssVelocity, z.time, recovered);
    };
    if (!(established_ & kVelocities)) {
        sources_[kGnssVelocity].arrive(clock_);
        fused.code[0] = adopt(false);
    } else {
        Observation<3> o;
        for (int i = 0; i < 3; ++i) {
            const Vector3 row = r.row(i).transpose();
            o.innovation[i] = z.value[i] - (then.velocity[i] + moved[i]);
            o.jacobian[i][kVelocity + i] = 1.0;
            o.set(i, kAttitude, swing.cross(row));
            o.set(i, kGyroBias, row.cross(z.arm));
            o.variance[i] = z.variance[i];
        }
        o.delay(then.age, x_.attitude.matrix(), then.rate, then.force);
        fused.code[0] = correct(kGnssVelocity, z.time, o, fused, 0);
        if (failed(fused.code[0]) && (held_velocity_ || locked_out(kGnssVelocity) || replace_yaw()))
            fused.code[0] = adopt(true);
    }
    note_aiding(fused.code[0], held_velocity_);
    return fused;
}

// (30') read backwards: the altitude that the estimate says the origin has. Its error is the height's, turned round,
// and the reading's.
void Eskf::establish_reference(double altitude, double variance, double down) {
    Covariance &p = p_[current_];
    const int d = kPosition + 2;
    reference_ = altitude + down;
    has_reference_ = true;
    for (int i = 0; i < kStates; ++i) p[i][kOffset] = p[kOffset][i] = -p[i][d];
    p[kOffset][kOffset] = p[d][d] + std::min(variance, kAnyPosition);
}

// The height that a barometer reads: its error is the reference's, turned round, and the reading's.
void Eskf::adopt_baro_height(double down, double variance) {
    Covariance &p = p_[current_];
    const int d = kPosition + 2;
    p.clear_row(d);
    for (int i = 0; i < kSize; ++i)
        if (i != d) p[i][d] = p[d][i] = -p[i][kOffset];
    p[d][d] = p[kOffset][kOffset] + std::min(variance, kAnyPosition);
    history_.correct(Vector3(0.0, 0.0, down - x_.position.z()), Vector3::Zero());
    x_.position.z() = down;
    established_ |= kVertical;
}

Fused Eskf::fuse_baro(const Measurement &z) {
    Fused fused;
    const double altitude = z.value[0], variance = z.variance[0];
    const Past then = past(z.time);
    fused.age = then.age;
    if (!has_reference_) {
        if (config_.baro_reference_from_estimate == 0.0 || !(established_ & kVertical))
            return refuse(kBaro, Fusion::no_reference);
        sources_[kBaro].arrive(clock_);
        establish_reference(altitude, variance, then.position.z());
        fused.code[0] = adopted(kBaro, z.time, false);
        return fused;
    }
    const auto adopt = [&](bool recovered) {
        // Beside a GNSS height that is accepted the reference is what is wrong; without one, the height.
        if (recovered && sources_[kGnssHeight].fresh(clock_))
            establish_reference(altitude, variance, then.position.z());
        else
            adopt_baro_height(reference_ - altitude + (x_.position.z() - then.position.z()), variance);
        return adopted(kBaro, z.time, recovered);
    };
    if (!(established_ & kVertical)) {
        sources_[kBaro].arrive(clock_);
        fused.code[0] = adopt(false);
        return fused;
    }
    Observation<1> o;
    o.innovation[0] = reference_ - altitude - then.position.z();
    o.jacobian[0][kPosition + 2] = 1.0;
    o.jacobian[0][kOffset] = 1.0;
    o.variance[0] = variance;
    o.delay(then.age, x_.attitude.matrix(), then.rate, then.force);
    fused.code[0] = correct(kBaro, z.time, o, fused, 0);
    if (failed(fused.code[0]) && locked_out(kBaro)) fused.code[0] = adopt(true);
    return fused;
}

// (29''): a claim of the caller's. One that the gate turns down is a wrong claim, and never adopted.
Fused Eskf::fuse_stationary(const Measurement &z) {
    Fused fused;
    const Past then = past(z.time);
    fused.age = then.age;
    Observation<3> o;
    for (int i = 0; i < 3; ++i) {
        o.innovation[i] = -then.velocity[i];
        o.jacobian[i][kVelocity + i] = 1.0;
        o.variance[i] = z.variance[i];
    }
    o.delay(then.age, x_.attitude.matrix(), then.rate, then.force);
    fused.code[0] = correct(kStationary, z.time, o, fused, 0);
    if (fused.code[0] == Fusion::accepted) {  // the hold is not needed where standing still levels
        judged_once_ = true;
        judged_ = clock_;
        holding_ = false;
    }
    return fused;
}

}  // namespace boresight::eskf
