"""The names of the recordings by PX4 that the tests read, all that there are."""

from __future__ import annotations

RECORDINGS = (
    "px4tools_19_56_46",
    "pyulog_sample",
    "pyulog_sample_appended_multiple",
    "pyulog_sample_log_small",
    "pyulog_sample_logging_tagged_and_default_params",
    "pyulog_sample_px4_events",
    "yuneec_position",
)
