"""PX4's own definitions of the messages that we write, field by field as its logger puts them into a ULog.

Fields stand by size, largest first, so that nothing inside is padded; the padding at the end is declared and
not written. The definitions are those of PX4 1.14 and later (`latitude_deg`, `heading`, `timestamp_sample`).
"""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["DEFINITIONS"]

_SAMPLED = "uint64_t timestamp;uint64_t timestamp_sample;"
_ATTITUDE = _SAMPLED + "float[4] q;float[4] delta_q_reset;uint8_t quat_reset_counter;uint8_t[7] _padding0;"
_LOCAL_POSITION = (
    _SAMPLED + "uint64_t ref_timestamp;double ref_lat;double ref_lon;float x;float y;float z;"
    "float[2] delta_xy;float delta_z;float vx;float vy;float vz;float z_deriv;float[2] delta_vxy;"
    "float delta_vz;float ax;float ay;float az;float heading;float heading_var;float unaided_heading;"
    "float delta_heading;float tilt_var;float ref_alt;float dist_bottom;float eph;float epv;float evh;"
    "float evv;float vxy_max;float vz_max;float hagl_min;float hagl_max;bool xy_valid;bool z_valid;"
    "bool v_xy_valid;bool v_z_valid;uint8_t xy_reset_counter;uint8_t z_reset_counter;"
    "uint8_t vxy_reset_counter;uint8_t vz_reset_counter;uint8_t heading_reset_counter;"
    "bool heading_good_for_control;bool xy_global;bool z_global;bool dist_bottom_valid;"
    "uint8_t dist_bottom_sensor_bitfield;bool dead_reckoning;uint8_t[5] _padding0;"
)
_GPS = (
    _SAMPLED + "double latitude_deg;double longitude_deg;double altitude_msl_m;"
    "double altitude_ellipsoid_m;uint64_t time_utc_usec;uint32_t device_id;float s_variance_m_s;"
    "float c_variance_rad;float eph;float epv;float hdop;float vdop;int32_t noise_per_ms;"
    "int32_t jamming_indicator;float vel_m_s;float vel_n_m_s;float vel_e_m_s;float vel_d_m_s;"
    "float cog_rad;int32_t timestamp_time_relative;float heading;float heading_offset;"
    "float heading_accuracy;float rtcm_injection_rate;uint16_t automatic_gain_control;uint8_t fix_type;"
    "uint8_t jamming_state;uint8_t spoofing_state;bool vel_ned_valid;uint8_t satellites_used;"
    "uint8_t selected_rtcm_instance;bool rtcm_crc_failed;uint8_t rtcm_msg_used;uint8_t[2] _padding0;"
)

DEFINITIONS: MappingProxyType[str, str] = MappingProxyType(
    {
        "vehicle_attitude": _ATTITUDE,
        "vehicle_attitude_groundtruth": _ATTITUDE,
        "estimator_attitude": _ATTITUDE,
        "vehicle_local_position": _LOCAL_POSITION,
        "vehicle_local_position_groundtruth": _LOCAL_POSITION,
        "estimator_local_position": _LOCAL_POSITION,
        "sensor_combined": (
            "uint64_t timestamp;float[3] gyro_rad;uint32_t gyro_integral_dt;"
            "int32_t accelerometer_timestamp_relative;float[3] accelerometer_m_s2;"
            "uint32_t accelerometer_integral_dt;uint8_t accelerometer_clipping;uint8_t gyro_clipping;"
            "uint8_t accel_calibration_count;uint8_t gyro_calibration_count;"
        ),
        "vehicle_angular_velocity": _SAMPLED + "float[3] xyz;float[3] xyz_derivative;",
        "vehicle_acceleration": _SAMPLED + "float[3] xyz;uint8_t[4] _padding0;",
        "vehicle_gps_position": _GPS,
        "sensor_gps": _GPS,
        "vehicle_magnetometer": (
            _SAMPLED
            + "uint32_t device_id;float[3] magnetometer_ga;uint8_t calibration_count;uint8_t[7] _padding0;"
        ),
        "sensor_mag": (
            _SAMPLED + "uint32_t device_id;float x;float y;float z;float temperature;uint32_t error_count;"
        ),
        "vehicle_air_data": (
            _SAMPLED
            + "uint32_t baro_device_id;float baro_alt_meter;float baro_temp_celcius;float baro_pressure_pa;"
            "float rho;float eas2tas;uint8_t calibration_count;uint8_t[7] _padding0;"
        ),
    }
)
"""Definitions by name of the message."""
