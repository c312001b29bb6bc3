"""Recordings that no gyro goes with: what in them tells how they are to be read, measured by Boresight's own conventions.

Each is a pair of figures, of the true reading and of the one that it is taken for, and is no part of `diagnose`: pictures,
wheels and second files are no streams of a log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from recordings import load

from boresight import conventions
from boresight.diagnosis.evidence import Evidence
from boresight.diagnosis.headings import yaw_signs

Figures = tuple[float, float]


def _colmap_reprojection(data: Path) -> Figures:
    """Pixels between where a point was seen and where it is projected to, in the median, and read the other way."""
    folder = data / "g_vision_av" / "colmap_txt"

    def lines(name: str) -> Iterator[list[str]]:
        for line in (folder / name).read_text().splitlines():
            if not line.startswith("#"):
                yield line.split()

    focal, cx, cy = (float(word) for word in next(lines("cameras.txt"))[4:7])
    points = {int(words[0]): np.array(words[1:4], dtype=np.float64) for words in lines("points3D.txt")}
    rows = list(lines("images.txt"))
    colmap = conventions.get("colmap")
    right: list[np.ndarray] = []
    wrong: list[np.ndarray] = []
    for head, seen in zip(rows[::2], rows[1::2], strict=True):
        numbers = np.array(head[1:8], dtype=np.float64)
        pose: Any = colmap.decode(quat=numbers[:4], position=numbers[4:])
        triples = np.array(seen, dtype=np.float64).reshape(-1, 3)
        known = np.array([int(k) in points for k in triples[:, 2]])
        world = np.array([points[int(k)] for k in triples[known, 2]])
        turn, place = np.asarray(pose.rotation.as_matrix()), np.asarray(pose.translation)
        for found, camera in ((right, (world - place) @ turn), (wrong, world @ turn.T + place)):
            at = focal * camera[:, :2] / camera[:, 2:] + (cx, cy)
            found.append(np.linalg.norm(at - triples[known, :2], axis=1))
    return float(np.median(np.concatenate(right))), float(np.median(np.concatenate(wrong)))


def _nerf_looks(data: Path) -> Figures:
    """Least cosine between a camera's view and the way to the scene, along its -z and along its +z."""
    frames = json.loads((data / "g_vision_av" / "nerf_transforms.json").read_text())["frames"]
    matrices = np.array([frame["transform_matrix"] for frame in frames], dtype=np.float64)
    pose: Any = conventions.get("nerf").decode(matrix=matrices)
    turn, place = np.asarray(pose.rotation.as_matrix()), np.asarray(pose.translation)
    # The scene is where the views pass each other most closely.
    views = turn[:, :, 2]
    across = np.eye(3) - views[:, :, None] * views[:, None, :]
    scene = np.linalg.solve(across.sum(0), (across @ place[:, :, None]).sum(0)[:, 0])
    way = scene - place
    cosine = np.einsum("ij,ij->i", views, way / np.linalg.norm(way, axis=1)[:, None])
    return float((-cosine).min()), float(cosine.min())


def _comma_wheels(data: Path) -> Figures:
    """m/s between the speed along the body's x and the wheels', in the median, and with the inverse."""
    folder = data / "g_vision_av" / "comma2k19_ecef"
    wheels = np.load(folder / "CAN_speed_value.npy").reshape(-1)
    times = np.load(folder / "CAN_speed_t.npy")
    own = load("comma2k19", data)
    assert own.velocity is not None
    when = np.load(folder / "global_pose_frame_times.npy")
    speed = np.interp(when, times, wheels)
    pose: Any = conventions.get("comma2k19").decode(quat=own.quat)
    forward = np.asarray(pose.inv().apply(own.velocity[1]))[:, 0]
    inverse = np.asarray(pose.apply(own.velocity[1]))[:, 0]
    return float(np.median(np.abs(forward - speed))), float(np.median(np.abs(inverse - speed)))


def _open3d_agree(data: Path) -> Figures:
    """Largest difference of a number between Open3D's two files, the one inverted, and as they stand."""
    log, other = load("open3d_log", data).matrix, load("open3d_json", data).matrix
    assert log is not None and other is not None
    shared = min(len(log), len(other))
    right = np.abs(log[:shared] - other[:shared].swapaxes(-1, -2))
    return float(right.max()), float(np.abs(log[:shared] - other[:shared]).max())


def paf_travel(evidence: Evidence) -> Figures:
    """How straight ahead a car drives with the yaw as it is stored, and with its negative; 1 is exactly."""
    assert evidence.grid is not None and evidence.velocity is not None
    signs = yaw_signs(evidence.grid, evidence.velocity)
    assert signs is not None
    return signs[0].resultant, signs[1].resultant


FIGURES: dict[str, Callable[[Path], Figures]] = {
    "colmap: reprojection, px": _colmap_reprojection,
    "nerf: least cosine of the view": _nerf_looks,
    "comma2k19: forward speed against the wheels, m/s": _comma_wheels,
    "open3d: log against json": _open3d_agree,
}
