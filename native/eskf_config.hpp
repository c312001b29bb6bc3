// The filter's figures, as plain numbers under the names that Python gives them.
//
// Nothing is checked here: Config.validate() has done so. An infinite recovery time, and a correlation time or hold
// of zero, are off.
#pragma once

namespace boresight::eskf {

struct Config {
    double gyro_white, accel_white, gyro_bias_walk, accel_bias_walk;
    double gate_gnss_position, gate_gnss_height, gate_gnss_velocity, gate_baro, gate_mag, gate_gnss_heading;
    double gate_course, gate_stationary;
    double recovery_gnss_position, recovery_gnss_height, recovery_gnss_velocity, recovery_baro, recovery_mag;
    double recovery_gnss_heading, recovery_course, recovery_yaw_estimator;
    double tau_gnss_position, tau_gnss_height, tau_gnss_velocity, tau_baro, tau_mag, tau_gnss_heading, tau_course;
    double accuracy_tilt, accuracy_heading, accuracy_position, accuracy_velocity, accuracy_horizon;
    double gravity, max_predict_dt, coast, coast_acceleration, coast_rotation, coast_limit, hold;
    double baro_offset_walk, baro_reference_from_estimate, yaw_estimator, dead_reckoning_after;
};

struct ConfigField {
    const char *name;
    double Config::*value;
};

#define BORESIGHT_FIELD(name) \
    ConfigField { #name, &Config::name }
inline constexpr ConfigField kConfigFields[] = {
    BORESIGHT_FIELD(gyro_white),
    BORESIGHT_FIELD(accel_white),
    BORESIGHT_FIELD(gyro_bias_walk),
    BORESIGHT_FIELD(accel_bias_walk),
    BORESIGHT_FIELD(gate_gnss_position),
    BORESIGHT_FIELD(gate_gnss_height),
    BORESIGHT_FIELD(gate_gnss_velocity),
    BORESIGHT_FIELD(gate_baro),
    BORESIGHT_FIELD(gate_mag),
    BORESIGHT_FIELD(gate_gnss_heading),
    BORESIGHT_FIELD(gate_course),
    BORESIGHT_FIELD(gate_stationary),
    BORESIGHT_FIELD(recovery_gnss_position),
    BORESIGHT_FIELD(recovery_gnss_height),
    BORESIGHT_FIELD(recovery_gnss_velocity),
    BORESIGHT_FIELD(recovery_baro),
    BORESIGHT_FIELD(recovery_mag),
    BORESIGHT_FIELD(recovery_gnss_heading),
    BORESIGHT_FIELD(recovery_course),
    BORESIGHT_FIELD(recovery_yaw_estimator),
    BORESIGHT_FIELD(tau_gnss_position),
    BORESIGHT_FIELD(tau_gnss_height),
    BORESIGHT_FIELD(tau_gnss_velocity),
    BORESIGHT_FIELD(tau_baro),
    BORESIGHT_FIELD(tau_mag),
    BORESIGHT_FIELD(tau_gnss_heading),
    BORESIGHT_FIELD(tau_course),
    BORESIGHT_FIELD(accuracy_tilt),
    BORESIGHT_FIELD(accuracy_heading),
    BORESIGHT_FIELD(accuracy_position),
    BORESIGHT_FIELD(accuracy_velocity),
    BORESIGHT_FIELD(accuracy_horizon),
    BORESIGHT_FIELD(gravity),
    BORESIGHT_FIELD(max_predict_dt),
    BORESIGHT_FIELD(coast),
    BORESIGHT_FIELD(coast_acceleration),
    BORESIGHT_FIELD(coast_rotation),
    BORESIGHT_FIELD(coast_limit),
    BORESIGHT_FIELD(hold),
    BORESIGHT_FIELD(baro_offset_walk),
    BORESIGHT_FIELD(baro_reference_from_estimate),
    BORESIGHT_FIELD(yaw_estimator),
    BORESIGHT_FIELD(dead_reckoning_after),
};
#undef BORESIGHT_FIELD

}  // namespace boresight::eskf
