"""Writes what a running client sees as JSON lines that `boresight.read` takes: one line an actor or measurement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, Protocol, Self

__all__ = ["Recorder"]

_VECTOR = ("x", "y", "z")
_ANGLES = ("pitch", "yaw", "roll")


class TextFile(Protocol):
    """What lines are written to."""

    def write(self, text: str, /) -> object: ...


class Recorder:
    """A file of JSON lines, and what writes them.

    Nothing is converted: the lines hold CARLA's own numbers by CARLA's own names.

    Parameters
    ----------
    file : str, path, or text file
        Where to write; a path is replaced.

    Examples
    --------
    With a running client, in synchronous mode or not::

        with carla.Recorder("drive.jsonl") as recorder:
            imu.listen(recorder.sensor("imu"))
            for _ in range(1000):
                world.tick()
                recorder.snapshot(world.get_snapshot(), world.get_actors().filter("vehicle.*"))

    and then ``boresight convert drive.jsonl -o drive.mcap --to ros``.
    """

    def __init__(self, file: str | PathLike[str] | TextFile) -> None:
        self._own = isinstance(file, str | PathLike)
        self._file: Any = open(file, "w", encoding="utf-8") if isinstance(file, str | PathLike) else file  # noqa: SIM115

    def snapshot(self, snapshot: Any, actors: Iterable[Any]) -> None:
        """Write a line for each of the actors that is in a ``carla.WorldSnapshot``: pose, velocities, acceleration."""
        for actor in actors:
            seen = snapshot.find(actor.id)
            if seen is None:
                continue
            transform = seen.get_transform()
            self._write(
                frame=snapshot.frame,
                timestamp=snapshot.timestamp.elapsed_seconds,
                id=actor.id,
                type=actor.type_id,
                role=actor.attributes.get("role_name", ""),
                location=_fields(transform.location, _VECTOR),
                rotation=_fields(transform.rotation, _ANGLES),
                velocity=_fields(seen.get_velocity(), _VECTOR),
                angular_velocity=_fields(seen.get_angular_velocity(), _VECTOR),
                acceleration=_fields(seen.get_acceleration(), _VECTOR),
            )

    def sensor(self, name: str) -> Callable[[Any], None]:
        """A callback for ``sensor.listen`` of an IMU or GNSS sensor, whose lines go by `name`."""

        def write(measurement: Any) -> None:
            line: dict[str, Any] = {
                "frame": measurement.frame,
                "timestamp": measurement.timestamp,
                "id": name,
            }
            if hasattr(measurement, "gyroscope"):
                line["accelerometer"] = _fields(measurement.accelerometer, _VECTOR)
                line["gyroscope"] = _fields(measurement.gyroscope, _VECTOR)
                line["compass"] = measurement.compass
            elif hasattr(measurement, "latitude"):
                line.update({key: getattr(measurement, key) for key in ("latitude", "longitude", "altitude")})
            else:
                raise TypeError(
                    f"{type(measurement).__name__} is no measurement of an IMU or GNSS sensor, which are what is recorded"
                )
            self._write(**line)

        return write

    def _write(self, **line: Any) -> None:
        # One call for the whole line: sensors call back from a thread of their own.
        self._file.write(json.dumps(line) + "\n")

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._own:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _fields(value: Any, names: tuple[str, ...]) -> dict[str, float]:
    return {name: float(getattr(value, name)) for name in names}
