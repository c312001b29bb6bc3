"""What reading a log brings with it: no library that it has no use for, which each command would wait for."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from boresight.logs.model import to_numpy
from boresight.logs.tables import make_table
from places import data_folder

PROGRAM = """
import sys
from boresight.diagnosis import diagnose
diagnose(sys.argv[1])
print(*sorted({"pandas", "scipy", "matplotlib", "pyarrow.compute"} & set(sys.modules)))
"""


def test_a_diagnosis_of_a_flight_log_imports_no_library_of_tables() -> None:
    path = data_folder() / "a_px4" / "yuneec_position.ulg"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "u2", "i8", "u8", ">f8", "?"])
@pytest.mark.parametrize("rows", [0, 1, 7])
def test_numbers_go_to_arrow_and_back_as_they_are(kind: str, rows: int) -> None:
    numbers = (np.arange(2 * rows).reshape(rows, 2) % 3).astype(kind)
    if kind.endswith("f8") and rows:
        numbers[0, 0] = np.nan
    table = make_table(np.arange(rows), {"x": numbers[:, 0], "covariance": numbers})
    assert table.column("x").null_count == 0
    for batch in table.to_batches():
        np.testing.assert_array_equal(to_numpy(batch.column("x")), numbers[:, 0])
        np.testing.assert_array_equal(to_numpy(batch.column("covariance")), numbers)
        assert to_numpy(batch.column("x")).dtype == np.dtype(kind).newbyteorder("=")
        np.testing.assert_array_equal(to_numpy(batch.slice(rows // 2).column("x")), numbers[rows // 2 :, 0])


def test_a_column_that_lacks_numbers_has_nan_for_them() -> None:
    import pyarrow as pa

    np.testing.assert_array_equal(to_numpy(pa.array([1, None, 3])), [1.0, np.nan, 3.0])
