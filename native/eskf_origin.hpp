// The navigation frame's origin: the plane that touches the WGS84 ellipsoid there, exactly, (43) and (44).
#pragma once

#include "eskf_math.hpp"

namespace boresight::eskf {

constexpr double kSemiMajor = 6378137.0;
constexpr double kFlattening = 1.0 / 298.257223563;
constexpr double kEccentricity2 = kFlattening * (2.0 - kFlattening);

struct Geodetic {
    double latitude, longitude, height;  // degrees, degrees, m above the ellipsoid

    bool on_earth() const {
        return std::fabs(latitude) <= 90.0 && std::fabs(longitude) <= 360.0 && std::fabs(height) < 1e7;
    }
    Vector3 ecef() const {
        const double s = std::sin(latitude * (kPi / 180)), c = std::cos(latitude * (kPi / 180));
        const double n = kSemiMajor / std::sqrt(1.0 - kEccentricity2 * s * s);
        return {(n + height) * c * std::cos(longitude * (kPi / 180)),
                (n + height) * c * std::sin(longitude * (kPi / 180)), (n * (1.0 - kEccentricity2) + height) * s};
    }
    // Rows: north, east and down in ECEF.
    Matrix3 ned() const {
        const double s = std::sin(latitude * (kPi / 180)), c = std::cos(latitude * (kPi / 180));
        const double sl = std::sin(longitude * (kPi / 180)), cl = std::cos(longitude * (kPi / 180));
        Matrix3 m;
        m << -s * cl, -s * sl, c, -sl, cl, 0.0, -c * cl, -c * sl, -s;
        return m;
    }
};

// Five passes from the geocentric latitude: each shrinks the error by the eccentricity's square.
inline Geodetic geodetic(const Vector3 &r) {
    const double across = std::hypot(r.x(), r.y());
    double latitude = std::atan2(r.z(), across * (1.0 - kEccentricity2));
    for (int pass = 0; pass < 5; ++pass) {
        const double s = std::sin(latitude);
        const double n = kSemiMajor / std::sqrt(1.0 - kEccentricity2 * s * s);
        latitude = std::atan2(r.z() + kEccentricity2 * n * s, across);
    }
    const double s = std::sin(latitude), c = std::cos(latitude);
    const double height = across * c + r.z() * s - kSemiMajor * std::sqrt(1.0 - kEccentricity2 * s * s);
    return {latitude * (180 / kPi), std::atan2(r.y(), r.x()) * (180 / kPi), height};
}

class Origin {
  public:
    bool placed() const { return placed_; }
    const Geodetic &place() const { return place_; }
    void clear() { placed_ = false; }
    // One that was laid by a fix without a height, at any, has that of the first fix that has one.
    bool has_height() const { return has_height_; }
    void forget_height() { has_height_ = false; }
    void lift(const Geodetic &fix, double down) {
        Geodetic lifted = place_;
        lifted.height += down - to_ned(fix).z();
        set(lifted);
    }

    bool set(const Geodetic &place) {
        if (!place.on_earth()) return false;
        place_ = place;
        ecef_ = place.ecef();
        axes_ = place.ned();
        placed_ = has_height_ = true;
        return true;
    }

    // Where the fix comes to lie at `position` (NED), (44): the axes are those of the origin looked for, so a few
    // passes, each from the last guess. False, and no origin, where the fix does not land there: near a pole.
    bool set_under(const Geodetic &fix, const Vector3 &position) {
        const Vector3 target = fix.ecef();
        if (!set(fix)) return false;
        for (int pass = 0; pass < 5; ++pass) {
            const Vector3 guess = target - axes_.transpose() * position;
            if (!set(geodetic(guess))) {
                clear();
                return false;
            }
            if ((to_ned(fix) - position).norm() < 1e-6) return true;
        }
        placed_ = (to_ned(fix) - position).norm() < 1e-3;
        return placed_;
    }

    Vector3 to_ned(const Geodetic &fix) const { return axes_ * (fix.ecef() - ecef_); }
    Geodetic to_geodetic(const Vector3 &position) const { return geodetic(ecef_ + axes_.transpose() * position); }

  private:
    bool placed_ = false, has_height_ = false;
    Geodetic place_{};
    Vector3 ecef_ = Vector3::Zero();
    Matrix3 axes_ = Matrix3::Identity();
};

}  // namespace boresight::eskf
