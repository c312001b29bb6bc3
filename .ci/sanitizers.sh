#!/usr/bin/env bash
# The tests of the native code under AddressSanitizer and UndefinedBehaviorSanitizer: builds the native module with both in a
# virtual environment of its own, and ends with one line that says how it went. Linux and g++.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/lib.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

asan=$(g++ -print-file-name=libasan.so)
stdcxx=$(g++ -print-file-name=libstdc++.so)
if [[ "$asan" != /* || "$stdcxx" != /* ]]; then
  echo "sanitizers: not run, g++ here has no libasan" >&2
  exit 1
fi

fresh_venv "$work/venv"
# Optimised, so that the code that ships is the code that is watched; without the static library's own trap handlers.
pip install --quiet . \
  --config-settings=build-dir="$work/build" \
  --config-settings=cmake.build-type=RelWithDebInfo \
  --config-settings=cmake.define.CMAKE_CXX_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1"
install_extra test

native=$(cd / && python -c 'import importlib.util as u; print(u.find_spec("boresight._native").origin)')
# What the linker made of the flags, lest a build without them pass for one with.
nm -D "$native" | grep __asan_report >"$work/symbols" || { echo "sanitizers: $native was built without them" >&2; exit 1; }

# Python itself leaks by design. What is preloaded must be there before the first C++ library.
export ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
tests=(
  tests/test_kernels*.py tests/rotation tests/test_pose.py tests/test_traps.py tests/test_vectors.py tests/test_attitude.py tests/test_parameters.py
  tests/carla_boundary tests/sampling/test_maps.py tests/navigation tests/logs)
found=()
for path in "${tests[@]}"; do [[ -e "$path" ]] && found+=("$path"); done
if LD_PRELOAD="$asan:$stdcxx" python -X faulthandler -m pytest -q -p no:cacheprovider "${found[@]}" "$@"; then
  echo "sanitizers: nothing found (AddressSanitizer, UndefinedBehaviorSanitizer; $(basename "$native"))"
else
  echo "sanitizers: FAILED, see above" >&2
  exit 1
fi
