"""What a run of the filter over a log says: states, measurements and how each fared, as Arrow tables, and as a log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from boresight import conventions, kernels
from boresight.errors import DataError
from boresight.kernels.filter import KINDS, SOURCES, Run
from boresight.logs.model import Log, Notice, Stream
from boresight.navigation.config import Config
from boresight.navigation.health import Diagnostics
from boresight.navigation.outcomes import Fusion, Propagation, Status, Validity

if TYPE_CHECKING:
    from pathlib import Path

    from boresight.navigation.eskf import Eskf
    from boresight.navigation.inputs import Inputs
    from boresight.navigation.origin import Origin
    from boresight.navigation.start import Start

__all__ = ["Estimate"]

Array = NDArray[Any]

_STATE = ["x", "y", "z", "vx", "vy", "vz", "qx", "qy", "qz", "qw", "bax", "bay", "baz", "bwx", "bwy", "bwz"]
_SIGMA = ["x", "y", "z", "vx", "vy", "vz", "north", "east", "down", "bax", "bay", "baz", "bwx", "bwy", "bwz"]
_NONE = 255


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """The filter's estimate over a log.

    Attributes
    ----------
    states : pyarrow.Table
        A row a record: `time` (ns), position `x y z` (m, north, east, down), velocity `vx vy vz`, attitude `qx qy qz qw`
        (body FRD to NED), biases `bax bay baz` and `bwx bwy bwz`; `sigma_*` of each, those of the attitude about north,
        east and down (rad); `status` and the six `valid_*`; `baro_reference` (m). With covariances:
        `pose_covariance` (6x6, position then rotation, along and about north, east, down), `velocity_covariance` (3x3)
        and `covariance` (15x15, the filter's own, its attitude in the body).
    measurements : pyarrow.Table
        A row a measurement: `time` (of its arrival, ns), `time_sample` (of the measurement itself), `source`, `outcome`,
        `test_ratio`, and for a position those of its height in `outcome_height` and `test_ratio_height`;
        `innovation` and `innovation_variance`, three numbers each, NaN where it never came to the gate.
    steps : pyarrow.Table
        The IMU samples that were not simply propagated: `time`, `outcome`.
    start : Start
        What the filter started from.
    origin : Origin or None
        Where positions count from; None where no fix placed one.
    declination : float
        Radians, as it was at the end.
    diagnostics : Diagnostics
        The filter's own account of every source, at the end.
    config : Config
        What it was tuned by.
    streams : dict of str to str
        Which streams of the log were used.
    notices : tuple of Notice
        What its user should know.
    """

    states: pa.Table
    measurements: pa.Table
    steps: pa.Table
    start: Start
    origin: Origin | None
    declination: float
    diagnostics: Diagnostics
    config: Config
    streams: Mapping[str, str]
    notices: tuple[Notice, ...] = ()
    path: Path | None = None
    _samples: int = field(default=0, repr=False)

    def __repr__(self) -> str:
        return (
            f"Estimate({self.states.num_rows} states, {self.measurements.num_rows} measurements, "
            f"start {self.start.alignment!r}, from {' '.join(self.streams.values())})"
        )

    def array(self, *columns: str) -> NDArray[Any]:
        """Return columns of the states side by side, shape (n, columns), or (n,) of one.

        `time` (int64, which floats beside it would spoil), `status` and the `valid_*` come by themselves; so do
        covariances, of shape (n, 15, 15), (n, 6, 6) or (n, 3, 3).

        Raises
        ------
        DataError
            There is no such column, or one does not go beside others.

        Examples
        --------
        >>> from boresight import navigation
        >>> from boresight.simulate import simulate
        >>> estimate = navigation.run(simulate("flight", seed=1))
        >>> estimate.array("vx", "vy", "vz").shape == (estimate.states.num_rows, 3)
        True
        >>> estimate.array("covariance").shape == (estimate.states.num_rows, 15, 15)
        True
        """
        if not columns:
            raise TypeError('array() takes the name of a column, or several: array("x", "y", "z")')
        schema = self.states.schema
        for name in columns:
            if name not in schema.names:
                raise DataError(
                    f"there is no column {name!r}", advice=f"there are: {', '.join(schema.names)}"
                )
            if len(columns) > 1 and schema.field(name).type != pa.float64():
                raise DataError(f"{name} does not go beside other columns", advice="take it by itself")
        parts = [_numbers(self.states[name]) for name in columns]
        return parts[0] if len(parts) == 1 else np.stack(parts, axis=-1)

    @cached_property
    def time(self) -> NDArray[np.int64]:
        """Time of every state, shape (n,), nanoseconds."""
        return self.states["time"].to_numpy()

    @property
    def samples(self) -> Mapping[str, int]:
        """How many IMU samples had which outcome."""
        counts = _counts(self.steps["outcome"])
        return {Propagation.PROPAGATED.name: self._samples - sum(counts.values()), **counts}

    def outcomes(self) -> Mapping[str, Mapping[str, int]]:
        """How many measurements of each source had which outcome; the height of a position is a source of its own."""
        counted: dict[str, dict[str, int]] = {}
        table = self.measurements
        for source in table["source"].unique().to_pylist():
            rows = table.filter(pc.equal(table["source"], source))
            counted[source] = _counts(rows["outcome"])
            height = rows["outcome_height"].drop_null()
            if len(height):
                counted["gnss_height"] = _counts(height)
        return counted

    @cached_property
    def health(self) -> pa.Table:
        """The filter's record of every source that had a measurement, a row a source, as it was at the end.

        Columns: `source`, how often `accepted`, `rejected`, `refused`, `adopted` and `recovered`,
        `consecutive_rejections`, `test_ratio` of the latest, `since_accepted` and `period` in seconds.
        """
        records = {name: getattr(self.diagnostics, name) for name in SOURCES}
        used = {name: r for name, r in records.items() if r.accepted + r.rejected + r.refused + r.adopted}
        columns: dict[str, Any] = {"source": pa.array(list(used), pa.string())}
        for name in ("accepted", "rejected", "refused", "adopted", "recovered", "consecutive_rejections"):
            columns[name] = pa.array([getattr(record, name) for record in used.values()], pa.int64())
        for name in ("test_ratio", "since_accepted", "period"):
            columns[name] = pa.array([getattr(record, name) for record in used.values()], pa.float64())
        return pa.table(columns)

    def stretches(self) -> list[tuple[str, int, int]]:
        """Return the statuses one after the other: name, first and last time (ns)."""
        names = self.states["status"].to_pylist()
        found: list[tuple[str, int, int]] = []
        for name, moment in zip(names, self.time.tolist(), strict=True):
            if found and found[-1][0] == name:
                found[-1] = (name, found[-1][1], moment)
            else:
                found.append((name, moment, moment))
        return found

    def invalid(self) -> Mapping[str, list[tuple[int, int]]]:
        """Return when each quantity was not valid: the first and last time (ns) of every stretch, by its name."""
        found: dict[str, list[tuple[int, int]]] = {}
        for name in Validity.__slots__:
            bad = np.logical_not(self.states[f"valid_{name}"].to_numpy(zero_copy_only=False))
            edges = np.diff(np.concatenate([[0], bad.astype(np.int8), [0]]))
            begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
            found[name] = list(zip(self.time[begins].tolist(), self.time[ends].tolist(), strict=True))
        return found

    def log(self, to: str | None = None, *, covariance: bool = True) -> Log:
        """Return the estimate as a log of one stream of poses, `estimate`, which every format can hold.

        In it `status` is text, what is valid is 1, and the filter's own `covariance` is called `state_covariance`: 225
        numbers a row, row by row, in the axes of the log's convention. What formats hold of it: docs/navigation.md. The
        log's metadata has `health` as JSON.

        Parameters
        ----------
        to : str, optional
            Convention to write it in; else PX4's.
        covariance : bool
            Whether the 15x15 covariance is in it. A system that stores inverse poses (COLMAP) has none.
        """
        table = self.states
        if "covariance" in table.column_names:
            if covariance:
                names = ["state_covariance" if name == "covariance" else name for name in table.column_names]
                table = table.rename_columns(names)
            else:
                table = table.drop_columns(["covariance"])
        for index, column in enumerate(table.schema):
            if pa.types.is_dictionary(column.type):
                table = table.set_column(index, column.name, table[column.name].cast(pa.string()))
            elif pa.types.is_boolean(column.type):
                table = table.set_column(index, column.name, table[column.name].cast(pa.uint8()))
        stream = Stream("estimate", "pose", conventions.get("px4"), "body", table)
        metadata = {"estimate": "boresight.navigation", "start": repr(self.start.alignment)}
        metadata["health"] = json.dumps(self.health.to_pylist())
        if self.origin is not None:
            metadata["origin"] = " ".join(f"{part!r}" for part in self.origin.place)
        log = Log({"estimate": stream}, self.path, "memory", self.notices, metadata)
        if to is None:
            return log
        from boresight.logs.convert import convert_log

        return convert_log(log, to)


def make(
    inputs: Inputs,
    result: Run,
    start: Start,
    filter: Eskf,
    *,
    notices: tuple[Notice, ...],
    path: Path | None,
) -> Estimate:
    """Make an estimate of what the native run gave."""
    steps = np.flatnonzero(result.propagation)
    return Estimate(
        states=_states(result),
        measurements=_measurements(inputs, result),
        steps=pa.table(
            {
                "time": inputs.imu_time[steps],
                "outcome": _named(result.propagation[steps], [outcome.name for outcome in Propagation.ALL]),
            }
        ),
        start=start,
        origin=filter.origin,
        declination=filter.declination,
        diagnostics=filter.diagnostics,
        config=filter.config,
        streams=inputs.streams,
        notices=notices,
        path=path,
        _samples=len(inputs.imu_time),
    )


def _states(result: Run) -> pa.Table:
    state: Array = result.state
    columns: dict[str, Any] = {"time": result.time}
    columns |= {name: np.ascontiguousarray(state[:, i]) for i, name in enumerate(_STATE)}
    full, variance = result.covariance, result.variance
    variance = np.concatenate([variance[:, :6], result.attitude_variance, variance[:, 9:]], axis=1)
    sigma = np.sqrt(np.maximum(variance, 0.0))
    columns |= {f"sigma_{name}": np.ascontiguousarray(sigma[:, i]) for i, name in enumerate(_SIGMA)}
    columns["status"] = _named(result.status, [status.name for status in Status])
    for bit, name in enumerate(Validity.__slots__):
        columns[f"valid_{name}"] = (result.validity >> bit & 1).astype(np.bool_)
    columns["baro_reference"] = result.baro_reference
    if full is not None:
        turn = kernels.to_matrix(np.ascontiguousarray(state[:, 6:10]))
        pose = np.empty((len(full), 6, 6))
        pose[:, :3, :3] = full[:, :3, :3]
        # The filter's attitude error is in the body; about the earth's axes it is turned.
        pose[:, :3, 3:] = full[:, :3, 6:9] @ turn.swapaxes(1, 2)
        pose[:, 3:, :3] = pose[:, :3, 3:].swapaxes(1, 2)
        pose[:, 3:, 3:] = turn @ full[:, 6:9, 6:9] @ turn.swapaxes(1, 2)
        columns["pose_covariance"] = _lists(pose.reshape(-1, 36))
        columns["velocity_covariance"] = _lists(full[:, 3:6, 3:6].reshape(-1, 9))
        columns["covariance"] = _lists(full.reshape(-1, full.shape[1] * full.shape[2]))
    return pa.table(columns)


def _measurements(inputs: Inputs, result: Run) -> pa.Table:
    rows = inputs.measurements
    fusions = [outcome.name for outcome in Fusion.ALL]
    # A position is one source, in whichever numbers it came.
    kinds = ["", *("gnss_position" if name == "gnss_geodetic" else name for name in KINDS)]
    height = result.fusion[:, 1] != _NONE
    return pa.table(
        {
            "time": inputs.arrival,
            "time_sample": rows["time"],
            "source": _named(rows["kind"], kinds),
            "outcome": _named(result.fusion[:, 0], fusions),
            "test_ratio": np.ascontiguousarray(result.test_ratio[:, 0]),
            "outcome_height": _named(np.where(height, result.fusion[:, 1], 0), fusions, height),
            "test_ratio_height": np.ascontiguousarray(result.test_ratio[:, 1]),
            "innovation": _lists(result.innovation),
            "innovation_variance": _lists(result.innovation_variance),
        }
    )


def _named(codes: Any, names: list[str], known: Any = None) -> pa.Array[Any]:
    """Text of few kinds, as Arrow keeps it: the codes and what they mean."""
    mask = None if known is None else np.logical_not(known)
    return pa.DictionaryArray.from_arrays(
        pa.array(np.asarray(codes, dtype=np.int8), mask=mask), pa.array(names)
    )


def _numbers(column: Any) -> NDArray[Any]:
    """A column as an array; of lists, which are square matrices, one matrix a row."""
    if not pa.types.is_fixed_size_list(column.type):
        return column.to_numpy(zero_copy_only=False)
    side = round(column.type.list_size**0.5)
    return column.combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, side, side)


def _lists(rows: Array) -> pa.Array[Any]:
    flat = pa.array(np.ascontiguousarray(rows, dtype=np.float64).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])


def _counts(column: Any) -> dict[str, int]:
    return {item["values"]: item["counts"] for item in column.value_counts().to_pylist()}
