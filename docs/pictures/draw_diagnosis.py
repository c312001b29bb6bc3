"""Draws the figures of docs/diagnosis.md: `python docs/pictures/draw_diagnosis.py`.

The facts are drawn from examples/flight.ulg. The three stories need the recordings, which are not part of the
repository: their folder is BORESIGHT_DATA, or ../shared/data beside the checkout. A story whose recording is not there
is left as it is.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import boresight as bs
from boresight.rotation import Rotation

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = Path(os.environ.get("BORESIGHT_DATA", ROOT.parent / "shared" / "data"))
RED, GREEN, BLUE, GREY, INK = "#c8372d", "#2e8b57", "#2b5fa8", "#8d99a6", "#3b444e"


def figure(columns: int, height: float = 2.7, **options: Any) -> tuple[Any, Any]:
    """Make a figure with a row of plain axes."""
    made: Any = Figure(figsize=(9.0, height), layout="constrained")
    axes = made.subplots(1, columns, **options)
    for one in np.atleast_1d(axes):
        for side in ("top", "right"):
            one.spines[side].set_visible(False)
        one.tick_params(labelsize=8, colors=INK)
    return made, axes


def save(made: Any, name: str) -> None:
    """Write a figure beside this file."""
    made.savefig(HERE / f"diagnosis_{name}.png", dpi=95)


def rates(q: Rotation, t: np.ndarray) -> np.ndarray:
    """Body rates of an attitude from body to world."""
    return np.asarray((q[:-1].inv() @ q[1:]).as_rotvec()) / np.diff(t)[:, None]


def readings(stored: np.ndarray) -> dict[str, Rotation]:
    """The four readings of stored quaternions, as attitudes from body to world."""
    made = {}
    for order in ("wxyz", "xyzw"):
        q = Rotation.from_quat(stored, order=order)
        made[f"{order}, body to world"], made[f"{order}, world to body"] = q, q.inv()
    return made


def components(axes: Any, t: np.ndarray, w: np.ndarray, title: str) -> None:
    """Plot the three components of a rate."""
    for column, (letter, color) in enumerate(zip("xyz", (RED, GREEN, BLUE), strict=True)):
        axes.plot(t[1:], w[:, column], color=color, linewidth=1.2, label=letter)
    axes.set_title(title, fontsize=10, color=INK)
    axes.set_xlabel("time, s")


def flight() -> tuple[np.ndarray, np.ndarray]:
    """Times and stored quaternions, w first, of the part of the flight that turns."""
    attitude = bs.read(ROOT / "examples" / "flight.ulg")["vehicle_attitude"]
    part = slice(500, 2500)
    return (attitude.time[part] - attitude.time[0]) * 1e-9, attitude.quaternion(order="wxyz")[part]


# -- the facts ------------------------------------------------------------------------------------------------------


def length() -> None:
    """Show that no order or direction changes the length of a rate."""
    t, stored = flight()
    made, (left, right) = figure(2, sharey=True)
    for (name, q), color, width in zip(
        readings(stored).items(), (GREEN, RED, BLUE, GREY), (4, 3, 2, 1), strict=True
    ):
        w = rates(q, t)
        left.plot(t[1:], w[:, 0], color=color, linewidth=1.1, label=name)
        right.plot(t[1:], np.linalg.norm(w, axis=1), color=color, linewidth=width, alpha=0.8)
    left.set_title("x of the body rate: four readings, four curves", fontsize=10, color=INK)
    right.set_title("its length: four readings, one curve", fontsize=10, color=INK)
    left.set_ylabel("rad/s")
    for axes in (left, right):
        axes.set_xlabel("time, s")
    left.legend(frameon=False, fontsize=7, ncols=2, loc="upper left")
    left.set_ylim(-0.8, 1.15)
    save(made, "length")


def twins() -> None:
    """Show two readings whose rates are the same but for the names of axes."""
    t, stored = flight()
    four = readings(stored)
    first, second = (rates(four[name], t) for name in ("wxyz, body to world", "xyzw, world to body"))
    made, (left, right) = figure(2, sharey=True)
    components(left, t, first, "wxyz, body to world")
    components(right, t, second, "xyzw, world to body")
    left.set_ylabel("body rate, rad/s")
    left.legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    left.set_ylim(-0.7, 0.95)
    # The right picture is the left one with its axes renamed: x' = z, y' = y, z' = -x.
    assert np.allclose(second, first @ np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]).T, atol=1e-9)
    save(made, "twins")


def world() -> None:
    """Show that a gyro in the world's axes is a negated gyro of the inverse."""
    t, stored = flight()
    q = Rotation.from_quat(stored, order="wxyz")
    in_world = np.asarray((q[1:] @ q[:-1].inv()).as_rotvec()) / np.diff(t)[:, None]
    inverse = -rates(q.inv(), t)
    assert np.allclose(in_world, inverse, atol=1e-9)
    made, (left, right) = figure(2, sharey=True)
    components(left, t, in_world, "an attitude's rate, in the world's axes")
    components(right, t, inverse, "its inverse's rate in the body, negated")
    left.set_ylabel("rad/s")
    left.legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    left.set_ylim(-0.75, 0.65)
    save(made, "world")


def negated() -> None:
    """Show what negating one angle does to rates."""
    t, stored = flight()
    q = Rotation.from_quat(stored, order="wxyz")
    angles = np.array(q.as_euler("ZYX", degrees=False))
    angles[:, 0] *= -1
    true, spoilt = rates(q, t), rates(Rotation.from_euler("ZYX", angles, degrees=False), t)
    made, (left, right) = figure(2)
    left.plot(t[1:], np.linalg.norm(true, axis=1), color=GREY, linewidth=3.5, alpha=0.6, label="gyro")
    left.plot(
        t[1:], np.linalg.norm(spoilt, axis=1), color=RED, linewidth=1.2, label="attitude with its yaw negated"
    )
    left.set_title("even the length of the rate is another", fontsize=10, color=INK)
    left.set_ylabel("rad/s")
    left.set_xlabel("time, s")
    left.set_ylim(0, 1.15)
    left.legend(frameon=False, fontsize=8, loc="upper right")
    names, shares = [], []
    trials = {
        name.replace(", ", "\n"): rates(r, t)
        for name, r in readings(
            Rotation.from_euler("ZYX", angles, degrees=False).as_quat(order="wxyz")
        ).items()
    }
    angles[:, 0] *= -1
    trials["an angle\nnegated"] = rates(Rotation.from_euler("ZYX", angles, degrees=False), t)
    for name, w in trials.items():
        names.append(name)
        shares.append(100 * max(explained(true, w), 0.0))
    right.bar(range(len(names)), shares, color=[RED] * 4 + [GREEN], width=0.62)
    right.set_xticks(range(len(names)), names, fontsize=7)
    right.set_title("share of the gyro that each reading explains, %", fontsize=10, color=INK)
    right.set_ylim(0, 105)
    save(made, "negated")


def explained(gyro: np.ndarray, rate: np.ndarray) -> float:
    """Share of the gyro's squares that a rate explains with the best mount."""
    x, y = rate - rate.mean(axis=0), gyro - gyro.mean(axis=0)
    u, _, v = np.linalg.svd(y.T @ x)
    turn = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return 1.0 - float(((y - x @ turn.T) ** 2).sum() / (y**2).sum())


# -- three stories -------------------------------------------------------------------------------------------------


def inverse() -> None:
    """Draw the story of a stored inverse."""
    folder = DATA / "e_imu"
    quat = np.genfromtxt(folder / "skin_data_ngimu_quaternion.csv", delimiter=",", skip_header=1)
    imu = np.genfromtxt(folder / "skin_data_ngimu_sensors.csv", delimiter=",", skip_header=1)
    t, stored = quat[:, 0], quat[:, 1:5]
    middle = 0.5 * (t[1:] + t[:-1])
    gyro = np.stack([np.interp(middle, imu[:, 0], np.radians(imu[:, 1 + i])) for i in range(3)], axis=-1)
    four = readings(stored)
    shown = middle < 4.0
    made, both = figure(2, sharey=True)
    for axes, name, color in zip(
        both, ("wxyz, body to world", "wxyz, world to body"), (RED, GREEN), strict=True
    ):
        w = rates(four[name], t)
        good = np.isfinite(w[:, 0])
        r2 = 1 - ((gyro - w)[good] ** 2).sum() / ((gyro - gyro.mean(0))[good] ** 2).sum()
        axes.plot(middle[shown], gyro[shown, 0], color=GREY, linewidth=3.5, alpha=0.6, label="gyro, x")
        axes.plot(middle[shown], w[shown, 0], color=color, linewidth=1.2, label="from the attitude")
        axes.set_title(f"{name}: R² {r2:.2f}", fontsize=10, color=color)
        axes.set_xlabel("time, s")
        axes.legend(frameon=False, fontsize=8, loc="lower right")
    both[0].set_ylabel("rad/s")
    save(made, "inverse")


def half() -> None:
    """Draw the story of a heading that was not converted with its positions."""
    rows = np.genfromtxt(DATA / "f_carla" / "paf_ground_truth_data_02.csv", delimiter=",", skip_header=1)
    kept = [0]
    for i in range(1, len(rows)):
        if np.linalg.norm(rows[i, 1:3] - rows[kept[-1], 1:3]) > 0.3:
            kept.append(i)
    place, heading = rows[kept, 1:3], rows[kept, 4]
    step = np.diff(place, axis=0)
    way = np.unwrap(np.arctan2(step[:, 1], step[:, 0])) * 180 / np.pi
    stored = 0.5 * (heading[1:] + heading[:-1])
    gone = np.cumsum(np.linalg.norm(step, axis=1))
    made, right = figure(1, height=2.7)
    made.set_figwidth(5.5)
    right.plot(gone, way - way[0], color=GREY, linewidth=3.5, alpha=0.6, label="direction of travel")
    right.plot(gone, stored - stored[0], color=RED, linewidth=1.3, label="heading as stored")
    right.plot(gone, stored[0] - stored, color=GREEN, linewidth=1.3, label="the heading negated")
    right.set_title("turn since the start, degrees", fontsize=10, color=INK)
    right.set_xlabel("metres driven")
    right.legend(frameon=False, fontsize=8, loc="lower left")
    save(made, "half")


def mirror() -> None:
    """Draw the story of a left-handed world."""
    number = r"(-?[\d.e+-]+)"
    pattern = re.compile(
        rf"timestamp={number}.*gyroscope=Vector3D\(x={number}, y={number}, z={number}\).*"
        rf"Location\(x={number}, y={number}, z={number}\), Rotation\(pitch={number}, yaw={number}, roll={number}\)"
    )
    text = (DATA / "f_carla" / "mazur_output_imu_data_05.log").read_text()
    rows = np.array([[float(v) for v in m.groups()] for m in pattern.finditer(text)])
    t, gyro, x, y = rows[:, 0] - rows[0, 0], rows[:, 3], rows[:, 4], rows[:, 5]
    yaw = np.unwrap(np.radians(rows[:, 8]))
    made, axes = figure(3, height=3.0)
    titles = ("as CARLA has it: +y is south", "taken for right-handed: +y is north")
    for one, title, sign, color in zip(axes[:2], titles, (-1, 1), (GREEN, RED), strict=True):
        e, n = x - x[0], sign * (y - y[0])
        one.plot(e, n, color=color, linewidth=1.6)
        every = slice(0, None, 9)
        one.quiver(
            e[every],
            n[every],
            np.cos(yaw[every]),
            sign * np.sin(yaw[every]),
            color=INK,
            scale=14,
            width=0.008,
        )
        one.set_aspect("equal")
        one.margins(0.12)
        one.set_title(title, fontsize=9, color=color)
    rate = np.gradient(yaw, t)
    axes[2].plot(t, gyro, color=GREY, linewidth=3.5, alpha=0.6, label="gyro, z")
    axes[2].plot(t, rate, color=INK, linewidth=1.1, label="rate of the yaw")
    axes[2].set_title("the same numbers in both, rad/s", fontsize=9, color=INK)
    axes[2].set_xlabel("time, s")
    axes[2].legend(frameon=False, fontsize=8, loc="upper left")
    save(made, "mirror")


def main() -> None:
    """Draw all."""
    for draw in (length, twins, world, negated):
        draw()
    stories: tuple[Callable[[], None], ...] = (inverse, half, mirror)
    for draw in stories:
        try:
            draw()
        except FileNotFoundError as error:
            sys.stderr.write(f"{draw.__name__} is left as it is: {error}\n")


if __name__ == "__main__":
    main()
