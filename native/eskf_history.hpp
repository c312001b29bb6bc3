// What the estimate of the recent past is: for measurements that arrive after the moment they tell of, (23').
#pragma once

#include "eskf_math.hpp"

namespace boresight::eskf {

constexpr double kOldest = 0.3;    // s, a measurement's greatest age
constexpr double kAhead = 0.1;     // s, how far it may be ahead of the state
constexpr double kSpacing = 0.01;  // s, between entries

// The estimate at the time of a measurement, and how the vehicle moved from there to now.
struct Past {
    Vector3 position, velocity;
    Quaternion attitude;
    double age = 0.0;  // s, negative ahead of the state
    Vector3 rate;      // mean angular rate, body
    Vector3 force;     // mean specific force, body
};

// A ring of past states about 10 ms apart. Every correction of the present corrects them all by the same steps of
// position and velocity and the same turn on the left; so the entries are kept as they were before any correction, and
// the sum of the corrections beside them.
class History {
  public:
    void clear() { *this = History(); }

    void push(Nanoseconds time, const State &x) {
        if (count_ > 0 && seconds(ring_[newest_].time, time) < kSpacing) return;
        newest_ = (newest_ + 1) % kEntries;
        count_ = count_ < kEntries ? count_ + 1 : kEntries;
        ring_[newest_] = {time, x.position - moved_, x.velocity - gained_, turned_.conjugate() * x.attitude};
    }

    void correct(const Vector3 &position, const Vector3 &velocity) {
        moved_ += position;
        gained_ += velocity;
    }
    void turn(const Quaternion &left) { turned_ = (left * turned_).renormalised(); }

    // The estimate at `time`, which is no more than kOldest before `now` nor kAhead after it. `rate` is the present
    // angular rate. Before its oldest entry the ring gives that one, with its own age.
    Past at(Nanoseconds time, Nanoseconds now, const State &x, const Vector3 &rate, double gravity) const {
        Past past{x.position, x.velocity, x.attitude, seconds(time, now), rate, Vector3::Zero()};
        if (past.age < 0.0) {
            past.position -= past.age * x.velocity;
            past.attitude = (x.attitude * exp(-past.age * rate)).renormalised();
        } else if (past.age > 0.0) {
            look_up(time, now, x, past);
            // Over next to no time the means would be all rounding; the present ones do.
            if (past.age > 1e-6) past.rate = log(past.attitude.conjugate() * x.attitude) / past.age;
        }
        Vector3 acceleration = Vector3::Zero();
        if (past.age > 1e-6) acceleration = (x.velocity - past.velocity) / past.age;
        acceleration.z() -= gravity;
        past.force = x.attitude.matrix().transpose() * acceleration;
        return past;
    }

  private:
    static constexpr int kEntries = 32;

    struct Entry {
        Nanoseconds time;
        Vector3 position, velocity;
        Quaternion attitude;
    };

    Entry corrected(int index) const {
        const Entry &e = ring_[index];
        return {e.time, e.position + moved_, e.velocity + gained_, turned_ * e.attitude};
    }

    void look_up(Nanoseconds time, Nanoseconds now, const State &x, Past &past) const {
        Entry after{now, x.position, x.velocity, x.attitude};
        for (int back = 0; back < count_; ++back) {
            const int index = (newest_ + kEntries - back) % kEntries;
            if (ring_[index].time > time) {
                if (back + 1 < count_) continue;
                const Entry oldest = corrected(index);
                past.position = oldest.position;
                past.velocity = oldest.velocity;
                past.attitude = oldest.attitude;
                past.age = seconds(oldest.time, now);
                return;
            }
            if (back > 0) after = corrected((index + 1) % kEntries);
            const Entry before = corrected(index);
            const double span = seconds(before.time, after.time);
            const double t = span > 0.0 ? seconds(before.time, time) / span : 0.0;
            past.position = before.position + t * (after.position - before.position);
            past.velocity = before.velocity + t * (after.velocity - before.velocity);
            const Vector3 turn = log(before.attitude.conjugate() * after.attitude);
            past.attitude = (before.attitude * exp(t * turn)).renormalised();
            return;
        }
        past.age = 0.0;  // an empty ring: the present is all there is
    }

    Entry ring_[kEntries];
    int newest_ = 0, count_ = 0;
    Vector3 moved_ = Vector3::Zero(), gained_ = Vector3::Zero();
    Quaternion turned_;
};

}  // namespace boresight::eskf
