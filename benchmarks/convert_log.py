"""What it costs to read and convert a large ULog, beside what pyulog alone takes to read the same topics.

In one process, imports not counted, each figure the median of several rounds in which all are measured in
turn:

a  pyulog reads the topics that we read, and nothing else is done
b  `bs.read`, converted to ROS, written as Parquet    at most 1.5 times a
c  the same as TUM                                    at most 1.5 times a
d  the same as MCAP                                   at most 1.5 times a, and 6 us a message
e  `boresight convert`, the whole command             at most the same, and .2 s

Run as `python benchmarks/convert_log.py`; `--help` shows the options. The exit code is 1 where a bar is
missed.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import big_ulog
from pyulog import ULog

import boresight as bs
from boresight.logs.readers.ulog import ODOMETRY, TOPICS
from boresight.simulate import simulate

RATIO = 1.5
MESSAGE = 6e-6
COMMAND = 0.2
FORMATS = {"parquet": "log.parquet", "tum": "log.tum", "mcap": "log.mcap"}


class Taken(NamedTuple):
    """Seconds on the wall, and seconds of processor, which a busy machine changes less."""

    wall: float
    cpu: float


NAMES = list(dict.fromkeys([*(topic.name for topic in TOPICS), *ODOMETRY]))


def timed(job: Callable[[], object]) -> tuple[Taken, object]:
    """Return what a job takes, and what it returns; the garbage of the one before is not counted."""
    gc.collect()
    began, worked = time.perf_counter(), _processor()
    result = job()
    return Taken(time.perf_counter() - began, _processor() - worked), result


def _processor() -> float:
    """Seconds of all processors that this process and those it has waited for have used."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def pyulog_alone(path: Path) -> int:
    """Read the topics that boresight reads."""
    return len(ULog(str(path), message_name_filter_list=NAMES).data_list)


def convert(path: Path, output: Path) -> int:
    """Read, convert and write; returns the rows written."""
    return bs.write(bs.read(path), output, to="ros", overwrite=True).rows


def command(path: Path, output: Path) -> None:
    """Do the same as a command in a process of its own."""
    line = [
        sys.executable,
        "-m",
        "boresight",
        "convert",
        str(path),
        "-o",
        str(output),
        "--to",
        "ros",
        "--overwrite",
        "--json",
    ]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="The cost of converting a large ULog.")
    parser.add_argument("--megabytes", type=float, default=200.0, help="size of the ULog that is made")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the median is taken")
    parser.add_argument("--no-command", action="store_true", help="leave out the whole command")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        path = folder / "big.ulg"
        took, _ = timed(lambda: big_ulog.make(path, arguments.megabytes))
        print(f"{path.stat().st_size / 1e6:.1f} MB made in {took.wall:.1f} s")
        small = folder / "small.ulg"
        bs.write(simulate("flight", seed=1, duration=2.0), small)
        for name in FORMATS.values():
            convert(small, folder / name)  # imports what is imported late

        times: dict[str, list[Taken]] = {"pyulog": []}
        rows: dict[str, int] = {}
        for _ in range(arguments.rounds):
            times["pyulog"].append(timed(lambda: pyulog_alone(path))[0])
            for form, name in FORMATS.items():
                took, count = timed(lambda name=name: convert(path, folder / name))
                times.setdefault(form, []).append(took)
                rows[form] = int(count)  # type: ignore[call-overload]
            if not arguments.no_command:
                for form, name in FORMATS.items():
                    times.setdefault(f"{form} command", []).append(
                        timed(lambda name=name: command(path, folder / name))[0]
                    )
    return report(times, rows)


def report(times: dict[str, list[Taken]], rows: dict[str, int]) -> int:
    """Print the table of ratios."""
    base, cpu_base = (statistics.median(taken[i] for taken in times["pyulog"]) for i in (0, 1))
    print(f"{'':18}{'median':>9}{'spread':>16}{'rows':>12}{'ratio':>8}{'bar':>9}{'cpu':>9}{'ratio':>8}")
    missed = 0
    for what, taken in times.items():
        walls = [one.wall for one in taken]
        median, cpu = statistics.median(walls), statistics.median(one.cpu for one in taken)
        spread = f"{min(walls):.2f} .. {max(walls):.2f}"
        form = what.partition(" ")[0]
        if what == "pyulog":
            print(f"{what:18}{median:8.2f}s{spread:>16}{'':12}{1:8.2f}{'':9}{cpu:8.2f}s{1:8.2f}")
            continue
        bar = RATIO * base
        bar += rows[form] * MESSAGE if form == "mcap" else 0.0
        bar += COMMAND if "command" in what else 0.0
        verdict = "" if median <= bar else "  missed"
        missed += bool(verdict)
        numbers = f"{rows[form]:12,}{median / base:8.2f}{bar:8.2f}s{cpu:8.2f}s{cpu / cpu_base:8.2f}"
        print(f"{what:18}{median:8.2f}s{spread:>16}{numbers}{verdict}")
        if form == "mcap" and "command" not in what:
            print(f"{'':18}{(median - base) / rows[form] * 1e6:.2f} us a message beyond pyulog")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
