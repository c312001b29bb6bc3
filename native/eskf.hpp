// The error-state Kalman filter: 15 states and the barometer's offset, one sample or measurement a call.
//
// Nothing throws, and nothing that comes in can make the state other than finite: each call says what became of its
// data. What a call means is said by boresight.navigation.Eskf; numbers in parentheses are the specification's.
#pragma once

#include "eskf_correct.hpp"
#include "eskf_health.hpp"
#include "eskf_history.hpp"
#include "eskf_origin.hpp"
#include "eskf_propagate.hpp"
#include "eskf_yaw.hpp"

namespace boresight::eskf {

struct Measurement {
    Nanoseconds time;
    Kind kind;
    Vector3 value, variance, arm;
};

// What became of a measurement. The second half is the height of a position, and none for all others.
struct Fused {
    Fusion code[2] = {Fusion::none, Fusion::none};
    double test_ratio[2] = {kNaN, kNaN};
    double age = 0.0;
    double innovation[3] = {kNaN, kNaN, kNaN}, innovation_variance[3] = {kNaN, kNaN, kNaN};
};

struct Propagated {
    Propagation code = Propagation::propagated;
    double dt = 0.0, limit = 0.0;
};

// What a start may have established.
enum Established : unsigned { kHorizontal = 1, kVertical = 2, kVelocities = 4, kHeadings = 8 };

class Eskf {
  public:
    explicit Eskf(const Config &config) : config_(config) {}

    void start(Nanoseconds time, const State &state, const Covariance &covariance, unsigned established, bool magnetic);
    bool set_baro_reference(double altitude, double variance);
    void clear_baro_reference();
    bool set_origin(const Geodetic &place) { return origin_.set(place); }
    void clear_origin() { origin_.clear(); }
    void set_declination(double declination, bool fixed);

    Propagated predict(Nanoseconds time, const ImuSample &sample);
    Fused fuse(const Measurement &measurement);

    bool initialized() const { return initialized_; }
    Nanoseconds time() const { return time_; }
    const State &state() const { return x_; }
    const Covariance &covariance() const { return p_[current_]; }
    bool has_baro_reference() const { return has_reference_; }
    double baro_reference() const { return reference_; }
    const Origin &origin() const { return origin_; }
    double declination() const { return declination_; }
    bool declination_fixed() const { return declination_fixed_; }
    unsigned established() const { return established_; }
    bool aligned() const { return aligned_; }
    bool holding() const { return holding_; }
    const SourceHealth &source(int index) const { return sources_[index]; }
    const PropagationHealth &propagation() const { return propagation_; }
    std::uint64_t floored() const { return floored_; }
    Nanoseconds clock() const { return clock_; }

    Vector3 attitude_variance() const { return attitude_variance(p_[current_]); }
    Status status() const;
    unsigned validity() const { return validity(p_[current_], established_, true); }
    unsigned predicted_validity(double horizon) const;

  private:
    // eskf_predict.cpp
    Propagated refuse_sample(Propagation why, Nanoseconds time, double dt, double limit);
    void committed(Nanoseconds time);
    void hold_if_unaided();
    Vector3 attitude_variance(const Covariance &p) const;
    unsigned validity(const Covariance &p, unsigned established, bool strict) const;

    // eskf_fuse.cpp
    Fused fuse_position(const Measurement &z, const Vector3 &ned);
    Fused fuse_geodetic(const Measurement &z);
    Fused fuse_velocity(const Measurement &z);
    Fused fuse_baro(const Measurement &z);
    Fused fuse_stationary(const Measurement &z);
    // eskf_heading.cpp
    Fused fuse_mag(const Measurement &z);
    Fused fuse_gnss_heading(const Measurement &z);
    Fused fuse_course(const Measurement &z);
    Fused fuse_heading(Source source, Nanoseconds time, const Past &past, double innovation, double variance,
                       bool may_recover, const Vector3 &by_velocity, double adopted_variance);
    void adopt_heading(double turn, double variance, bool magnetic);
    bool adopt_estimated_yaw();
    bool replace_yaw();

    Past past(Nanoseconds time) const { return history_.at(time, time_, x_, rate_, config_.gravity); }
    template <int M>
    Fusion correct(Source source, Nanoseconds time, Observation<M> &observation, Fused &fused, int half);
    Fused refuse(Source source, Fusion why, double age = 0.0);
    void refuse_height(Fused &fused);
    Fusion adopted(Source source, Nanoseconds time, bool recovered);
    bool locked_out(Source source) const;
    bool upheld(Source source) const { return sources_[source].fresh(clock_) && !sources_[source].disputed; }
    unsigned disputed() const;
    void adopt_position(int first, int count, const Vector3 &position, const Vector3 &variance);
    void adopt_baro_height(double down, double variance);
    void adopt_velocity(const Vector3 &velocity, const Vector3 &variance);
    void establish_reference(double altitude, double variance, double down);
    void raise_floors() { floored_ += raise_to_floors(p_[current_], has_reference_); }
    void note_aiding(Fusion code, bool &held);

    double gate(Source source) const;
    double recovery(Source source) const;
    double correlation(Source source) const;

    Config config_;
    State x_;
    Covariance p_[2];  // the current one, and where the next is worked out
    int current_ = 0;
    Nanoseconds time_ = 0;   // of the state
    Nanoseconds clock_ = 0;  // of the latest sample, refused ones included
    Vector3 rate_ = Vector3::Zero();
    bool initialized_ = false, aligned_ = false;
    unsigned established_ = 0;
    bool magnetic_ = false;  // the heading is referred to magnetic north plus the declination, and to nothing else

    bool has_reference_ = false;
    double reference_ = 0.0;
    Origin origin_;
    double declination_ = 0.0;
    bool declination_fixed_ = false;

    History history_;
    YawEstimator yaw_;

    bool holding_ = false, held_position_ = false, held_velocity_ = false;
    double hold_at_[2] = {0.0, 0.0};
    Nanoseconds hold_fused_ = 0;
    bool aided_once_ = false, judged_once_ = false;
    Nanoseconds aided_ = 0;   // when a GNSS position or velocity was last accepted
    Nanoseconds judged_ = 0;  // when a horizontal source was last judged

    bool jumped_ = false;
    Nanoseconds jumped_to_ = 0;  // where a step longer than any coasting went

    SourceHealth sources_[kSources];
    PropagationHealth propagation_;
    std::uint64_t floored_ = 0;
};

}  // namespace boresight::eskf
