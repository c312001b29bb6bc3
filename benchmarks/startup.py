"""How long it takes to start: the command's `--help`, and the import.

`boresight --help` is held to 10 times `python -c pass`, `import boresight` to 60 ms beyond `import numpy`.
The package imports next to nothing until a name is used, so what is measured is the import with the first
use of the classes.

Run as `python benchmarks/startup.py`; the exit code is 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

HELP_RATIO = 10.0
IMPORT = 0.060
CASES = {
    "python -c pass": ["-c", "pass"],
    "boresight --help": ["-m", "boresight", "--help"],
    "import numpy": ["-c", "import numpy"],
    "import boresight": ["-c", "import boresight"],
    "import boresight, first use": [
        "-c",
        "import boresight as bs; bs.Rotation, bs.Pose, bs.Attitude, bs.frames, bs.Axes",
    ],
}


def once(arguments: list[str]) -> float:
    """Seconds that a fresh interpreter takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="The cost of starting.")
    parser.add_argument("--rounds", type=int, default=15, help="rounds, of which the median is taken")
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for number in range(rounds + 1):
        for name, arguments in CASES.items():
            took = once(arguments)
            if number:  # the first round only fills the caches
                times[name].append(took)
    median = {name: statistics.median(taken) for name, taken in times.items()}
    for name, taken in times.items():
        print(f"{name:30}{median[name] * 1e3:8.1f} ms   {min(taken) * 1e3:.1f} .. {max(taken) * 1e3:.1f}")
    ratio = median["boresight --help"] / median["python -c pass"]
    beyond = median["import boresight, first use"] - median["import numpy"]
    print(f"--help: {ratio:.1f} times python -c pass (bar {HELP_RATIO:.0f})")
    print(f"import with first use: {beyond * 1e3:.1f} ms beyond import numpy (bar {IMPORT * 1e3:.0f})")
    return 0 if ratio <= HELP_RATIO and beyond <= IMPORT else 1


if __name__ == "__main__":
    sys.exit(main())
