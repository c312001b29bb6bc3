#!/usr/bin/env bash
# Install ROS's tf2 for tests/test_tree_tf2.py, where there is a Debian or Ubuntu that has it. Elsewhere, or without
# the right to install, it says so and the tests skip. Never fails.

python=${BORESIGHT_TF2_PYTHON:-/usr/bin/python3}
try() { "$python" -c 'import tf2_py, rospy, geometry_msgs.msg' 2>/dev/null; }

if try; then
  echo "tf2: there already"
  exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "tf2: not installed (needs apt-get, as root); tests/test_tree_tf2.py skips"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3-tf2; } \
  >"$log" 2>&1 && try; then
  echo "tf2: installed"
else
  tail -n 5 "$log"
  echo "tf2: could not be installed; tests/test_tree_tf2.py skips"
fi
exit 0
