"""Files of rotations: a Parquet table of quaternions that says what they were drawn from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import DataError

if TYPE_CHECKING:
    from boresight.rotation import Rotation

__all__ = ["SampleFile", "described", "read_samples", "write_samples"]

_KEY = "boresight.samples"
_COLUMNS = ("qx", "qy", "qz", "qw")

BATCH = 1 << 17
"""Rows in memory at once, and in a row group."""


@dataclass(frozen=True, slots=True)
class SampleFile:
    """What a file of rotations says of itself.

    Attributes
    ----------
    path : pathlib.Path
    rows : int
    distribution : str or None
        Name of the law or grid; None where the file does not say.
    parameters : mapping
        Its parameters: angles in radians.
    seed : int or None
        What it was drawn with; None for a grid.
    """

    path: Path
    rows: int
    distribution: str | None
    parameters: Mapping[str, Any]
    seed: int | None

    def batches(self) -> Iterator[Rotation[Any, Any]]:
        """Go through the rotations, so many at a time; NaN where a row holds none."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        from boresight.rotation import Rotation

        try:
            with pq.ParquetFile(self.path, pre_buffer=False) as file:
                for batch in file.iter_batches(BATCH, columns=list(_COLUMNS)):
                    columns = [batch.column(i).to_numpy(zero_copy_only=False) for i in range(4)]
                    xyzw = np.stack(columns, axis=-1).astype(np.float64, copy=False)
                    yield Rotation.from_quat(xyzw, order="xyzw", invalid="nan")
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"cannot be read as Parquet: {error}", path=self.path) from None


_ANGLES = ("angle", "inner", "outer", "twist", "half_widths", "std_dev", "center")


def described(distribution: str, parameters: Mapping[str, Any]) -> str:
    """A law or grid in words.

    Examples
    --------
    >>> described("geodesic-ball", {"angle": 0.5235987755982988})
    'geodesic-ball, angle 30°'
    """
    import numpy as np

    parts = [distribution]
    for key, value in parameters.items():
        if isinstance(value, str):
            shown = value
        else:
            numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
            unit = "°" if key in _ANGLES else ""
            shown = " ".join(f"{x:.6g}{unit}" for x in (np.degrees(numbers) if unit else numbers).tolist())
        parts.append(f"{key.replace('_', ' ')} {shown}")
    return ", ".join(parts)


def write_samples(
    path: Path,
    batches: Iterator[Rotation[Any, Any]],
    description: Mapping[str, Any],
    advance: Callable[[int], None],
) -> int:
    """Write rotations batch by batch, and return how many.

    Parameters
    ----------
    path : pathlib.Path
        Of a file that is not yet there.
    batches : iterator of Rotation
    description : mapping
        What they are: ``distribution``, ``parameters``, ``seed``.
    advance : callable
        Told how many rows were written, after each batch.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = json.dumps({"version": 1, "order": "xyzw", **description})
    schema = pa.schema([pa.field(name, pa.float64(), nullable=False) for name in _COLUMNS], {_KEY: text})
    rows = 0
    encodings = dict.fromkeys(_COLUMNS, "BYTE_STREAM_SPLIT")
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=False,
        column_encoding=encodings,
        write_statistics=False,
    ) as writer:
        for batch in batches:
            xyzw = batch.as_quat(order="xyzw")
            columns = [pa.array(np.ascontiguousarray(xyzw[:, i])) for i in range(4)]
            writer.write_batch(pa.record_batch(columns, schema=schema), row_group_size=BATCH)
            rows += len(xyzw)
            advance(len(xyzw))
    return rows


def read_samples(path: Path) -> SampleFile:
    """Open a file of rotations.

    Raises
    ------
    DataError
        For a file that is no Parquet, or has no quaternions.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
        rows = pq.read_metadata(path).num_rows
    except FileNotFoundError:
        raise DataError("no such file", path=path) from None
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"cannot be read as Parquet: {error}", path=path) from None
    missing = [name for name in _COLUMNS if name not in schema.names]
    if missing:
        raise DataError(
            f"it has no column {missing[0]}",
            path=path,
            advice="a sample set has the columns qx, qy, qz, qw, as boresight sample writes them",
        )
    for name in _COLUMNS:
        kind = schema.field(name).type
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise DataError(f"its column {name} holds no numbers but {kind}", path=path)
    metadata: Any = schema.metadata or {}
    raw: bytes | None = metadata.get(_KEY.encode())
    if raw is not None:
        try:
            told: dict[str, Any] = json.loads(raw)
            return SampleFile(path, rows, str(told["distribution"]), dict(told["parameters"]), told["seed"])
        except (ValueError, KeyError, TypeError):
            raise DataError(f"its metadata {_KEY!r} are damaged", path=path) from None
    return SampleFile(path, rows, None, {}, None)
