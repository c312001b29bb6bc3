# Shared by .ci/run and .ci/full; sourced, not run.

set -euo pipefail
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONUNBUFFERED=1

# step NAME COMMAND...: run a command under a headline, and say how long it took.
step() {
  local name=$1 began=$SECONDS
  shift
  printf '\n==> %s\n' "$name"
  "$@"
  printf '<== %s: %d s\n' "$name" "$((SECONDS - began))"
}

# fresh_venv DIR: an empty virtual environment, activated.
fresh_venv() {
  "${PYTHON:-python3}" -m venv "$1"
  # shellcheck disable=SC1091
  source "$1/bin/activate"
  python -c 'import sys; assert sys.version_info >= (3, 11), sys.version'
}

# readme_line N: the Nth command of the README's first block of commands, as it stands there.
readme_line() {
  awk -v want="$1" '
    /^```/ { if (inside) exit; if ($0 ~ /^```(sh|bash|console)$/) inside = 1; next }
    inside && NF && $0 !~ /^#/ { if (++n == want) { print; found = 1; exit } }
    END { exit !found }
  ' README.md
}

# run_readme_line N: show it, then run it as a reader would paste it.
run_readme_line() {
  local line
  line=$(readme_line "$1") || { echo "README.md has no command $1 in its first block" >&2; return 1; }
  printf '$ %s\n' "$line"
  bash -euo pipefail -c "$line"
}

# install_extra NAME...: what extras of the installed boresight ask for, without building it once more.
install_extra() {
  local wanted
  wanted=$(python - "$@" <<'PYTHON'
import re, sys
from importlib.metadata import requires

for extra in sys.argv[1:]:
    for line in requires("boresight") or ():
        requirement, _, marker = line.partition(";")
        names = re.findall(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker)
        if extra in names and not requirement.startswith("boresight"):
            # What else the marker asks for stays: a package may have no wheel for this Python.
            others = re.sub(r"extra\s*==\s*['\"][^'\"]+['\"]", "python_version > '3'", marker)
            print(f"{requirement.strip()};{others}")
PYTHON
  )
  pip install --quiet --requirement <(printf '%s\n' "$wanted")
}
