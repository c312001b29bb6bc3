#!/usr/bin/env python3
"""Show that the golden cases of CARLA's bits can tell a contracted build from a right one.

Compiles native/carla.cpp twice, as CMakeLists.txt does and with fused multiply-add, and counts the golden cases of
which any output differs in a bit: none of the first, at least 300 of the second. x86-64 with FMA and g++ or clang++;
elsewhere, or without the golden cases (../shared/golden/carla.json), it says so and does nothing.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT.parent / "shared" / "golden" / "carla.json"
AT_LEAST = 300

SHIM = """
#include <cstring>

#include "carla.hpp"

extern "C" void run(const char *name, char **args, const boresight::Index *rows, const boresight::Index *steps) {
    const boresight::KernelTable table = boresight::carla_kernels();
    for (int i = 0; i < table.size; ++i)
        if (!std::strcmp(table.kernels[i].name, name)) return table.kernels[i].float32(args, rows, steps, nullptr);
}
"""
# The flags of CMakeLists.txt.
COMMON = ["-std=c++20", "-O3", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math"]
COMMON += [f"-fno-builtin-{name}" for name in ("sinf", "cosf", "asinf", "atan2f")]
BUILDS = {"right": ["-ffp-contract=off"], "contracted": ["-mfma", "-ffp-contract=fast"]}

# Kernel, kind of case, inputs, output: those whose inputs are a case's own.
CALLS = [
    ("quaternion_of_rotation", "pose", ["rotation_pyr"], "quat_xyzw"),
    ("quaternion_of_publisher", "pose", ["rotation_pyr"], "ros2_quat_wxyz"),
    ("matrix", "pose", ["rotation_pyr", "location"], "matrix"),
    ("inverse_matrix", "pose", ["rotation_pyr", "location"], "inverse_matrix"),
    ("rotate_vector", "pose", ["rotation_pyr", "vector"], "transform_vector"),
    ("length", "quat", ["q_xyzw"], "length"),
    ("unit", "quat", ["q_xyzw"], "unit"),
    ("inverse", "quat", ["q_xyzw"], "inverse"),
    ("rotated_vector", "quat", ["q_xyzw", "vector"], "rotated"),
    ("inverse_rotated_vector", "quat", ["q_xyzw", "vector"], "inverse_rotated"),
    ("product", "quat", ["q_xyzw", "p_xyzw"], "product_q_p"),
    ("right_handed_of_quaternion", "quat", ["q_xyzw"], "rh_rotation"),
    ("matrix", "pair", ["parent_pyr", "parent_location"], "parent_matrix"),
    ("matrix", "pair", ["child_pyr", "child_location"], "child_matrix"),
]


def build(name: str, folder: Path) -> ctypes.CDLL:
    """Compile and load one build."""
    shim, library = folder / "shim.cpp", folder / f"{name}.so"
    shim.write_text(SHIM)
    compiler = os.environ.get("CXX", "c++")
    sources = [str(ROOT / "native" / "carla.cpp"), str(shim), "-I", str(ROOT / "native")]
    subprocess.run([compiler, *COMMON, *BUILDS[name], *sources, "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def call(library: ctypes.CDLL, kernel: str, inputs: list[np.ndarray], width: int) -> np.ndarray:
    """Run a kernel on rows of whole operands."""
    rows = len(inputs[0])
    operands = [*inputs, np.empty((rows, width), np.float32)]
    # From row to row; then, of each operand, within a row: from line to line of a matrix, and from number to number.
    steps = [4 * a.shape[1] for a in operands]
    for a in operands:
        steps += [16, 4] if a.shape[1] == 16 else [] if a.shape[1] == 1 else [4]
    pointers = (ctypes.c_char_p * len(operands))(
        *(ctypes.cast(a.ctypes.data, ctypes.c_char_p) for a in operands)
    )
    lengths = (ctypes.c_ssize_t * len(steps))(*steps)
    library.run(f"carla_{kernel}".encode(), pointers, (ctypes.c_ssize_t * 1)(rows), lengths)
    return operands[-1]


def main() -> int:
    if platform.machine() not in ("x86_64", "AMD64") or not GOLDEN.exists():
        print("skipped: this wants an x86-64 processor and ../shared/golden/carla.json")
        return 0
    cases = json.loads(GOLDEN.read_text("utf-8"))["cases"]

    def floats(kind: str, part: str, name: str) -> np.ndarray:
        words = [[int(w, 16) for w in c[part][name]["hex"]] for c in cases if c["kind"] == kind]
        return np.array(words, np.uint32).view(np.float32)

    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in BUILDS.items():
            library = build(name, Path(folder))
            differing: set[tuple[str, int]] = set()
            for kernel, kind, inputs, output in CALLS:
                expected = floats(kind, "out", output)
                found = call(library, kernel, [floats(kind, "in", i) for i in inputs], expected.shape[1])
                same = (found.view(np.uint32) == expected.view(np.uint32)) | (
                    np.isnan(found) & np.isnan(expected)
                )
                differing |= {(kind, int(i)) for i in np.flatnonzero(~same.all(axis=1))}
            counts[name] = len(differing)
            print(
                f"{name}: {len(differing)} of {len(cases)} golden cases differ in a bit ({' '.join(flags)})"
            )
    if counts["right"] or counts["contracted"] < AT_LEAST:
        print(
            f"expected none of the right build's, and at least {AT_LEAST} of the contracted one's",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
